//! The scanner: walks over a text once and finds its comments by the lexemes of a language.
//!
//! It never looks for the end of the same kind of string twice in the same place: once one was found not to end, those
//! after it up to the same place are known not to end either. That, and a bound on how deep strings nest in each other's
//! code, keeps the time linear in the text.

use std::ops::Range;

use super::{BlockComment, Hole, Lexeme, LineComment, MarkPosition, QuotedString, Syntax};

/// How deep strings may nest in each other's code. What is deeper is taken for text.
const MAX_DEPTH: usize = 64;

/// How many strings of a text may be looked for in vain up to its end.
const MAX_LOST: usize = 32;

/// Where the comments are: sorted, disjoint, not empty.
pub(super) fn comments(syntax: &Syntax, bytes: &[u8]) -> Vec<Range<usize>> {
    let mut scanner = Scanner::new(syntax, bytes, 0, None);
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        scanner.start_at(3);
    }
    scanner.run();
    scanner.comments
}

/// What stands before the place that is looked at, blanks and comments aside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PrecedingToken {
    Nothing,
    /// A string or a number: something that has a value.
    Operand,
    /// The bytes of a name or a keyword.
    Word(usize, usize),
    /// A mark, and where it is.
    Mark(u8, usize),
}

pub(super) struct Scanner<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    /// Where the word starts that ends at this place; this place if there is none.
    pub(super) word: usize,
    pub(super) before: PrecedingToken,
    pub(super) comments: Vec<Range<usize>>,
    /// The words that end the here-documents which start on the next line, and whether more may follow them.
    pub(super) heredocs: Vec<(Range<usize>, bool)>,
    syntax: &'a Syntax,
    /// The lexemes that start with a byte, as bits.
    by_first: [u64; 256],
    /// The mark that ends an island of code.
    until: Option<&'static str>,
    line: usize,
    /// Whether there were only blanks and comments since the start of the line.
    is_line_start: bool,
    /// The strings in whose code this place is, the outermost first.
    open: Vec<Open>,
    /// By lexeme: one that starts before this place is known not to end.
    endless: [usize; 64],
    /// How many strings were looked for in vain.
    pub(super) n_lost: usize,
}

/// A string whose code is being read, and how to take that back.
#[derive(Clone, Copy)]
struct Open {
    index: usize,
    quote: QuotedString,
    hole: Hole,
    start: usize,
    depth: usize,
    n_comments: usize,
    line: usize,
    is_line_start: bool,
}

/// What comes next in a string.
enum Next {
    /// It ends before this place.
    End(usize),
    /// Code starts at this place.
    Code(Hole, usize),
    /// It does not end, and nothing that starts before this place does.
    Never(usize),
}

impl<'a> Scanner<'a> {
    pub(super) fn new(
        syntax: &'a Syntax,
        bytes: &'a [u8],
        start: usize,
        until: Option<&'static str>,
    ) -> Scanner<'a> {
        let mut by_first = [0; 256];
        for (index, lexeme) in syntax.lexemes.iter().enumerate().take(64) {
            for first in lexeme.first_bytes() {
                by_first[usize::from(first)] |= 1 << index;
            }
        }
        Scanner {
            bytes,
            at: start,
            word: start,
            before: PrecedingToken::Nothing,
            comments: Vec::new(),
            heredocs: Vec::new(),
            syntax,
            by_first,
            until,
            line: start,
            is_line_start: true,
            open: Vec::new(),
            endless: [0; 64],
            n_lost: 0,
        }
    }

    fn start_at(&mut self, start: usize) {
        (self.at, self.word, self.line) = (start, start, start);
    }

    /// Reads up to the end of the text, or of the island.
    pub(super) fn run(&mut self) {
        loop {
            while self.at < self.bytes.len() {
                if self.open.is_empty() && self.until.is_some_and(|it| self.is_here(it)) {
                    return;
                }
                self.step();
            }
            match self.open.first() {
                Some(open) => self.take_back(*open, 0, usize::MAX),
                None => return,
            }
        }
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    pub(super) fn rest(&self, at: usize) -> &'a [u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    pub(super) fn is_here(&self, mark: &str) -> bool {
        self.rest(self.at).starts_with(mark.as_bytes())
    }

    pub(super) fn line_end(&self, at: usize) -> usize {
        memchr::memchr2(b'\n', b'\r', self.rest(at)).map_or(self.bytes.len(), |len| at + len)
    }

    /// Where the text is found, from a place on.
    pub(super) fn find(&self, at: usize, text: &str) -> Option<usize> {
        memchr::memmem::find(self.rest(at), text.as_bytes()).map(|len| at + len)
    }

    /// The word right before this place.
    pub(super) fn word_before(&self) -> &'a [u8] {
        self.bytes.get(self.word..self.at).unwrap_or_default()
    }

    fn is_word(&self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric()
            || byte == b'_'
            || byte >= 0x80
            || self.syntax.word_bytes.contains(&byte)
    }

    /// Whether strings of this kind that start here are known not to end.
    pub(super) fn is_endless(&self, index: usize) -> bool {
        self.endless.get(index).is_some_and(|it| self.at < *it)
    }

    pub(super) fn set_endless(&mut self, index: usize, until: usize) {
        if let Some(it) = self.endless.get_mut(index) {
            *it = until;
        }
    }

    fn step(&mut self) {
        let byte = self.byte(self.at);
        match byte {
            b'\n' | b'\r' => self.newline(),
            b' ' | b'\t' | 0x0B | 0x0C => {
                self.at += 1;
                self.word = self.at;
            }
            _ => {
                let mut candidates = self.by_first[usize::from(byte)];
                while candidates != 0 {
                    let index = candidates.trailing_zeros() as usize;
                    candidates &= candidates - 1;
                    if let Some(lexeme) = self.syntax.lexemes.get(index)
                        && self.lexeme(index, lexeme)
                    {
                        return;
                    }
                }
                if self.is_word(byte) { self.read_word() } else { self.mark(byte) }
            }
        }
    }

    fn newline(&mut self) {
        self.at += if self.rest(self.at).starts_with(b"\r\n") { 2 } else { 1 };
        self.start_line();
        for (word, is_loose) in std::mem::take(&mut self.heredocs) {
            self.skip_heredoc(&word, is_loose);
        }
    }

    /// Notes that a line starts here.
    pub(super) fn start_line(&mut self) {
        (self.word, self.line, self.is_line_start) = (self.at, self.at, true);
    }

    fn read_word(&mut self) {
        let len = self.rest(self.at).iter().position(|it| !self.is_word(*it));
        let start = self.at;
        self.at = len.map_or(self.bytes.len(), |len| start + len.max(1));
        (self.word, self.is_line_start) = (start, false);
        self.before = PrecedingToken::Word(start, self.at);
    }

    fn mark(&mut self, byte: u8) {
        if let Some(open) = self.open.last_mut() {
            if byte == open.hole.close {
                match open.depth.checked_sub(1) {
                    Some(depth) => open.depth = depth,
                    None => return self.resume(),
                }
            } else if open.hole.open.ends_with(char::from(byte)) {
                open.depth += 1;
            }
        }
        self.before = PrecedingToken::Mark(byte, self.at);
        self.at += 1;
        (self.word, self.is_line_start) = (self.at, false);
    }

    /// Goes on after something that ends at a place and has a value.
    pub(super) fn skip(&mut self, end: usize) -> bool {
        let newline = memchr::memrchr2(b'\n', b'\r', &self.bytes[self.at..end]);
        if let Some(newline) = newline {
            self.line = self.at + newline + 1;
        }
        (self.at, self.word, self.is_line_start) = (end, end, false);
        self.before = PrecedingToken::Operand;
        true
    }

    /// Takes what stands up to a place for a comment.
    pub(super) fn comment(&mut self, end: usize) -> bool {
        let has_comments = self.open.iter().all(|it| it.hole.has_comments);
        if !has_comments || end <= self.at {
            return false;
        }
        let (start, before, was_line_start) = (self.at, self.before, self.is_line_start);
        self.comments.push(start..end);
        self.skip(end);
        (self.before, self.is_line_start) = (before, was_line_start || self.line > start);
        true
    }

    pub(super) fn fits(&self, at: MarkPosition) -> bool {
        let last = self.at.checked_sub(1).map_or(b'\n', |it| self.byte(it));
        let is_blank = |it: u8| it.is_ascii_whitespace();
        let is_margin = self.at == self.line;
        match at {
            MarkPosition::Anywhere => true,
            MarkPosition::LineStart => self.is_line_start,
            MarkPosition::Margin => is_margin,
            MarkPosition::FileStart => self.at == 0,
            MarkPosition::WordStart => is_margin || is_blank(last) || b";&|()<>`".contains(&last),
            MarkPosition::AfterBlank => is_margin || is_blank(last),
            MarkPosition::Apart => {
                let next = self.byte(self.at + 1);
                is_blank(last) && (is_blank(next) || self.at + 1 == self.bytes.len())
            }
            MarkPosition::Bare => self.word == self.at,
            MarkPosition::OutsideOperator => !b"!#$%&*+./<=>?@\\^|~:".contains(&last),
            MarkPosition::OutsideNumber => {
                !self.word_before().first().is_some_and(u8::is_ascii_digit)
            }
        }
    }

    /// Reads the lexeme if it is here, and says whether it is.
    fn lexeme(&mut self, index: usize, lexeme: &Lexeme) -> bool {
        match lexeme {
            Lexeme::Line(line) => self.line_comment(line),
            Lexeme::Block(block) => self.block_comment(index, block),
            Lexeme::Quote(quote) => self.quote(index, quote),
            Lexeme::Plain(text, at) => {
                if !self.is_here(text) || !self.fits(*at) {
                    return false;
                }
                self.skip(self.at + text.len())
            }
            other => self.literal(index, other),
        }
    }

    fn line_comment(&mut self, line: &LineComment) -> bool {
        if !self.is_here(line.open) || !self.fits(line.at) {
            return false;
        }
        if !line.unless.is_empty() {
            let last = line.open.as_bytes().last().copied();
            let mut after = self.at + line.open.len();
            while Some(self.byte(after)) == last {
                after += 1;
            }
            if line.unless.contains(&self.byte(after)) {
                return false;
            }
        }
        let mut end = self.line_end(self.at);
        while line.continues && end < self.bytes.len() && self.byte(end - 1) == b'\\' {
            let is_crlf = self.rest(end).starts_with(b"\r\n");
            end = self.line_end(end + if is_crlf { 2 } else { 1 });
        }
        if let Some(until) = self.until
            && let Some(stop) = memchr::memmem::find(&self.bytes[self.at..end], until.as_bytes())
        {
            end = self.at + stop;
        }
        self.comment(end)
    }

    fn block_comment(&mut self, index: usize, block: &BlockComment) -> bool {
        if !self.is_here(block.open) || !self.fits(block.at) {
            return false;
        }
        let from = self.at + block.open.len();
        let nests = block.nests && !self.is_endless(index);
        let nested = nests.then(|| self.nested_end(from, block)).flatten();
        if nests && nested.is_none() {
            self.set_endless(index, usize::MAX);
        }
        let end = nested.or_else(|| Some(self.find(from, block.close)? + block.close.len()));
        let end = end.unwrap_or(self.bytes.len());
        self.comment(if block.takes_line { self.line_end(end) } else { end })
    }

    /// Where a comment ends in which others may stand; `None` if not all of them end.
    fn nested_end(&self, from: usize, block: &BlockComment) -> Option<usize> {
        let (open, close) = (block.open.as_bytes(), block.close.as_bytes());
        let (first, last) = (*open.first()?, *close.first()?);
        let (mut depth, mut at) = (1_usize, from);
        loop {
            at += memchr::memchr2(first, last, self.rest(at))?;
            if self.rest(at).starts_with(close) {
                at += close.len();
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            } else if self.rest(at).starts_with(open) {
                at += open.len();
                depth += 1;
            } else {
                at += 1;
            }
        }
    }

    fn quote(&mut self, index: usize, quote: &QuotedString) -> bool {
        if self.is_endless(index) || !self.is_here(quote.open) || !self.fits(quote.at) {
            return false;
        }
        // Each island starts without knowing what does not end, so there the patience is what keeps the time linear.
        if self.until.is_some() && !self.is_patient() {
            return false;
        }
        let word = self.word_before();
        let is_word = |it: &&str| word.eq_ignore_ascii_case(it.as_bytes());
        if !quote.after.is_empty() && !quote.after.iter().any(is_word) {
            return false;
        }
        match self.next_in(quote, self.at + quote.open.len()) {
            Next::End(end) => self.skip(end),
            Next::Code(hole, at) => {
                let open = Open {
                    index,
                    quote: *quote,
                    hole,
                    start: self.at,
                    depth: 0,
                    n_comments: self.comments.len(),
                    line: self.line,
                    is_line_start: self.is_line_start,
                };
                self.enter(open, at);
                true
            }
            Next::Never(until) => {
                self.set_endless(index, until);
                self.n_lost += usize::from(self.until.is_some());
                false
            }
        }
    }

    fn enter(&mut self, open: Open, at: usize) {
        self.open.push(open);
        self.skip(at);
        self.before = PrecedingToken::Nothing;
    }

    /// Goes on with the string whose code ends here.
    fn resume(&mut self) {
        let Some(open) = self.open.pop() else { return };
        match self.next_in(&open.quote, self.at + 1) {
            Next::End(end) => {
                self.skip(end);
            }
            Next::Code(hole, at) => self.enter(Open { hole, depth: 0, ..open }, at),
            Next::Never(until) => self.take_back(open, self.open.len(), until),
        }
    }

    /// Reads a string that does not end as code, from its opening mark on.
    fn take_back(&mut self, open: Open, depth: usize, until: usize) {
        self.open.truncate(depth);
        self.comments.truncate(open.n_comments);
        self.heredocs.clear();
        self.set_endless(open.index, until);
        (self.at, self.line, self.is_line_start) = (open.start, open.line, open.is_line_start);
        self.word = self.at;
        self.mark(self.byte(self.at));
    }

    /// What comes next in a string, from a place in it on.
    fn next_in(&self, quote: &QuotedString, from: usize) -> Next {
        let (close, first) = (quote.close.as_bytes(), quote.close.as_bytes().first());
        let hole = quote.hole.filter(|_| self.open.len() < MAX_DEPTH);
        let mut at = from;
        while let Some(byte) = self.bytes.get(at) {
            if quote.escape != 0 && *byte == quote.escape && !self.is_hole(hole, at) {
                // An escaped CRLF is one line end.
                at += if self.rest(at + 1).starts_with(b"\r\n") { 3 } else { 2 };
            } else if Some(byte) == first && self.rest(at).starts_with(close) {
                let end = at + close.len();
                if quote.is_doubled && self.rest(end).starts_with(close) {
                    at = end + close.len();
                } else if quote.is_doubled && quote.escape == 0 && self.is_sql_escape(at, end) {
                    at = end;
                } else {
                    return Next::End(end);
                }
            } else if let Some(hole) = hole
                && self.is_hole(Some(hole), at)
            {
                let end = at + hole.open.len();
                if hole.is_doubled && self.rest(end).starts_with(hole.open.as_bytes()) {
                    at = end + hole.open.len();
                } else {
                    return Next::Code(hole, end);
                }
            } else if !quote.has_lines && matches!(byte, b'\n' | b'\r') {
                return Next::Never(at);
            } else {
                at += 1;
            }
        }
        Next::Never(usize::MAX)
    }

    fn is_hole(&self, hole: Option<Hole>, at: usize) -> bool {
        hole.is_some_and(|it| self.rest(at).starts_with(it.open.as_bytes()))
    }

    /// Some dialects of SQL write `\'` in a string, others end strings that way. A name cannot follow a string, so
    /// where one would, the string goes on.
    fn is_sql_escape(&self, at: usize, end: usize) -> bool {
        at > 0 && self.byte(at - 1) == b'\\' && self.byte(end).is_ascii_alphanumeric()
    }

    /// Goes past the lines of a here-document that starts here, if one of them ends it.
    fn skip_heredoc(&mut self, word: &Range<usize>, is_loose: bool) {
        let Some(word) = self.bytes.get(word.clone()).filter(|_| self.is_patient()) else {
            return;
        };
        let mut at = self.at;
        while at < self.bytes.len() {
            let end = self.line_end(at);
            let line = self.bytes[at..end].trim_ascii_start();
            let rest = line.strip_prefix(word).map(<[u8]>::trim_ascii_end);
            let is_last = |it: &[u8]| match it.first() {
                None => true,
                Some(next) => is_loose && !self.is_word(*next),
            };
            if rest.is_some_and(is_last) {
                self.skip(end - line.len() + word.len());
                return;
            }
            at = end + if self.rest(end).starts_with(b"\r\n") { 2 } else { 1 };
        }
        self.n_lost += 1;
    }

    /// Whether the end of one more string is looked for. Each search may go to the end of the text, so there is only so
    /// much patience with those that never end.
    pub(super) fn is_patient(&self) -> bool {
        self.n_lost < MAX_LOST
    }

    /// Goes on after a string that ends at the place, if it does.
    pub(super) fn skip_to(&mut self, end: Option<usize>) -> bool {
        match end {
            Some(end) => self.skip(end),
            None => {
                self.n_lost += 1;
                false
            }
        }
    }
}
