//! The literals that need a few lines of code each, because their end depends on how they start.

use std::ops::Range;

use super::scan::{PrecedingToken, Scanner};
use super::{Heredoc, Lexeme, Syntax, table};

/// How many here-documents may start on one line.
const MAX_PENDING: usize = 64;

impl Lexeme {
    /// The bytes that it can start with, the words before it aside.
    pub(super) fn first_bytes(&self) -> Vec<u8> {
        let first = |mark: &str| mark.bytes().next().into_iter().collect::<Vec<u8>>();
        match self {
            Lexeme::Line(it) => first(it.open),
            Lexeme::Block(it) => first(it.open),
            Lexeme::Quote(it) => first(it.open),
            Lexeme::Heredoc(it) => first(it.open),
            Lexeme::Plain(open, _) | Lexeme::End(open) => first(open),
            Lexeme::Island { open, .. } => first(open),
            Lexeme::Operator { word, .. } => first(word),
            Lexeme::Char(quote) | Lexeme::Run { quote, .. } => vec![*quote],
            Lexeme::Fenced { fence, quote, .. } => vec![*fence, *quote],
            Lexeme::Named { quotes, .. } => quotes.to_vec(),
            Lexeme::Long { open: "", .. } => vec![b'['],
            Lexeme::Long { open, .. } => first(open),
            Lexeme::Dollar => vec![b'$'],
            Lexeme::Regex { .. } => vec![b'/'],
            Lexeme::Sigil { mark, .. } => vec![*mark],
            Lexeme::Pod => vec![b'='],
            Lexeme::Tag => vec![b'<'],
            Lexeme::FrontMatter => vec![b'-'],
            Lexeme::Fence(byte) | Lexeme::Span(byte) => vec![*byte],
        }
    }
}

impl Scanner<'_> {
    /// Reads the literal if it is here, and says whether it is.
    pub(super) fn literal(&mut self, index: usize, lexeme: &Lexeme) -> bool {
        match *lexeme {
            Lexeme::Char(quote) => self.character(quote),
            Lexeme::Fenced { after, fence, quote, min } => self.fenced(after, fence, quote, min),
            Lexeme::Run { quote, min } => self.run_of_quotes(quote, min),
            Lexeme::Named { after, .. } => self.named(after),
            Lexeme::Long { open, is_comment } => self.long(open, is_comment),
            Lexeme::Dollar => self.dollar(),
            Lexeme::Heredoc(heredoc) => self.heredoc(&heredoc),
            Lexeme::Regex { before, is_command } => self.regex(index, before, is_command),
            Lexeme::Operator { word, n_texts } => self.operator(word, n_texts),
            Lexeme::Sigil { letters, is_optional, .. } => self.sigil(letters, is_optional),
            Lexeme::Pod => self.pod(),
            Lexeme::End(word) => self.end(word),
            Lexeme::Tag => self.tag(),
            Lexeme::Island { open, close, syntax } => self.island(open, close, syntax),
            Lexeme::FrontMatter => self.front_matter(),
            Lexeme::Fence(byte) => self.fence(byte),
            Lexeme::Span(byte) => self.span(byte),
            Lexeme::Line(_) | Lexeme::Block(_) | Lexeme::Quote(_) | Lexeme::Plain(..) => false,
        }
    }

    /// How often the byte occurs in a row from a place on.
    fn run_length(&self, at: usize, byte: u8) -> usize {
        self.rest(at).iter().take_while(|it| **it == byte).count()
    }

    fn character(&mut self, quote: u8) -> bool {
        let inner = self.at + 1;
        let end = match self.byte(inner) {
            b'\\' => {
                // `'\''`, `'\n'`, `'\u{1F600}'`: the escaped character, then whatever the escape takes.
                let line = &self.bytes[..self.line_end(inner)];
                let rest = line.get(inner + 2..).unwrap_or_default();
                rest.iter().take(12).position(|it| *it == quote).map(|len| inner + 2 + len)
            }
            b'\n' | b'\r' | 0 => None,
            first => {
                let len = match first {
                    ..0x80 => 1,
                    0x80..0xE0 => 2,
                    0xE0..0xF0 => 3,
                    0xF0.. => 4,
                };
                let is_end = first != quote && self.byte(inner + len) == quote;
                is_end.then_some(inner + len)
            }
        };
        end.is_some_and(|end| self.skip(end + 1))
    }

    fn is_after(&self, words: &[&str]) -> bool {
        words.iter().any(|it| it.as_bytes() == self.word_before())
    }

    fn fenced(&mut self, after: &[&str], fence: u8, quote: u8, min: usize) -> bool {
        let n_fences = self.run_length(self.at, fence);
        let is_here = self.byte(self.at + n_fences) == quote
            && n_fences >= min
            && (after.is_empty() || self.is_after(after));
        if !is_here || !self.is_patient() {
            return false;
        }
        let mut close = vec![fence; n_fences + 1];
        close[0] = quote;
        let inner = self.at + n_fences + 1;
        let end =
            memchr::memmem::find(self.rest(inner), &close).map(|len| inner + len + close.len());
        self.skip_to(end)
    }

    fn run_of_quotes(&mut self, quote: u8, min: usize) -> bool {
        let n_quotes = self.run_length(self.at, quote);
        if n_quotes < min || !self.is_patient() {
            return false;
        }
        let close = vec![quote; n_quotes];
        let inner = self.at + n_quotes;
        let end = memchr::memmem::find(self.rest(inner), &close).map(|len| inner + len + n_quotes);
        self.skip_to(end)
    }

    /// `R"name(…)name"` of C++, `r"--[…]--"` of R.
    fn named(&mut self, after: &[&str]) -> bool {
        if !self.is_after(after) || !self.is_patient() {
            return false;
        }
        let quote = self.byte(self.at);
        let inner = self.at + 1;
        let head = &self.rest(inner)[..self.rest(inner).len().min(64)];
        let Some(len) = head.iter().position(|it| b"([{ \\)\"\n".contains(it)) else {
            return false;
        };
        let close = match head[len] {
            b'(' => b')',
            b'[' => b']',
            b'{' => b'}',
            _ => return false,
        };
        let close = [&[close], &head[..len], &[quote]].concat();
        let from = inner + len + 1;
        let end = memchr::memmem::find(self.rest(from), &close).map(|len| from + len + close.len());
        self.skip_to(end)
    }

    fn long(&mut self, open: &str, is_comment: bool) -> bool {
        let bracket = self.at + open.len();
        if !self.is_here(open) || self.byte(bracket) != b'[' {
            return false;
        }
        let n_equal = self.run_length(bracket + 1, b'=');
        let inner = bracket + n_equal + 2;
        if self.byte(inner - 1) != b'[' || !self.is_patient() {
            return false;
        }
        let close = [b"]", vec![b'='; n_equal].as_slice(), b"]"].concat();
        let end =
            memchr::memmem::find(self.rest(inner), &close).map(|len| inner + len + close.len());
        match is_comment {
            true => self.comment(end.unwrap_or(self.bytes.len())),
            false => self.skip_to(end),
        }
    }

    fn dollar(&mut self) -> bool {
        let name = self.rest(self.at + 1);
        let len = name.iter().take_while(|it| it.is_ascii_alphanumeric() || **it == b'_').count();
        let is_tag = name.get(len) == Some(&b'$') && !name[0].is_ascii_digit();
        if !is_tag || !self.word_before().is_empty() || !self.is_patient() {
            return false;
        }
        let inner = self.at + len + 2;
        let tag = &self.bytes[self.at..inner];
        let end = memchr::memmem::find(self.rest(inner), tag).map(|it| inner + it + tag.len());
        self.skip_to(end)
    }

    /// Notes the word that will end the here-document, which starts on the next line.
    fn heredoc(&mut self, heredoc: &Heredoc) -> bool {
        if !self.is_here(heredoc.open) {
            return false;
        }
        let mut at = self.at + heredoc.open.len();
        // `<<<` of a shell is a string on the same line, and of PHP it is the mark itself.
        if self.byte(at) == b'<' {
            let n_marks = self.run_length(self.at, b'<');
            return self.skip(self.at + n_marks);
        }
        let has_flag = matches!(self.byte(at), b'-' | b'~');
        at += usize::from(has_flag);
        let n_blanks = if heredoc.spaced { self.run_length(at, b' ') } else { 0 };
        at += n_blanks;
        let quote = Some(self.byte(at)).filter(|it| matches!(it, b'"' | b'\'' | b'`' | b'\\'));
        at += usize::from(quote.is_some());
        let is_name = |it: &&u8| it.is_ascii_alphanumeric() || **it == b'_';
        let len = self.rest(at).iter().take_while(is_name).count();
        let first = self.byte(at);
        let is_word = len > 0
            && (quote.is_some() || first.is_ascii_alphabetic() || first == b'_')
            && (quote.is_none_or(|it| it == b'\\' || self.byte(at + len) == it));
        // `class Foo <<Bar` and `a <<b` look alike; a constant in capitals is what here-documents are named after.
        let is_plain = heredoc.upper && quote.is_none() && !has_flag;
        if !is_word || is_plain && (!first.is_ascii_uppercase() || !self.word_before().is_empty()) {
            return false;
        }
        let end = at + len + usize::from(quote.is_some_and(|it| it != b'\\'));
        if self.heredocs.len() < MAX_PENDING {
            self.heredocs.push((at..at + len, heredoc.loose));
        }
        self.skip(end)
    }

    /// Whether a value is wanted here, so that a `/` starts one.
    fn wants_operand(&self, keywords: &[&str]) -> bool {
        match self.before {
            PrecedingToken::Nothing => true,
            PrecedingToken::Operand => false,
            PrecedingToken::Word(start, end) => {
                let word = &self.bytes[start..end];
                keywords.iter().any(|it| it.as_bytes() == word)
            }
            PrecedingToken::Mark(b')' | b']' | b'}' | b'.', _) => false,
            // `=>` comes before a value, the `>` and the `</` of a tag do not.
            PrecedingToken::Mark(b'>', at) => at > 0 && self.byte(at - 1) == b'=',
            PrecedingToken::Mark(b'<', at) => at + 1 != self.at,
            PrecedingToken::Mark(mark @ (b'+' | b'-'), at) => at == 0 || self.byte(at - 1) != mark,
            // `x! / 2`: TypeScript says that there is a value.
            PrecedingToken::Mark(b'!', at) if at > 0 => {
                let last = self.byte(at - 1);
                !(last.is_ascii_alphanumeric() || b"_$)]".contains(&last))
            }
            PrecedingToken::Mark(..) => true,
        }
    }

    fn regex(&mut self, index: usize, keywords: &[&str], is_command: bool) -> bool {
        let is_blank = |at: usize| matches!(self.byte(at), b' ' | b'\t');
        // `puts /x/` is a call with a regular expression, `a / b` and `a/b` are divisions.
        let is_argument = || {
            let is_name = match self.before {
                PrecedingToken::Word(start, _) => {
                    self.byte(start).is_ascii_lowercase() || self.byte(start) == b'_'
                }
                _ => false,
            };
            is_command && is_name && is_blank(self.at - 1) && !is_blank(self.at + 1)
        };
        if self.is_endless(index) || !(self.wants_operand(keywords) || is_argument()) {
            return false;
        }
        let mut is_in_class = false;
        let mut at = self.at + 1;
        loop {
            match self.byte(at) {
                b'\\' => at += 1,
                b'[' => is_in_class = true,
                b']' => is_in_class = false,
                b'/' if !is_in_class => return self.skip(at + 1),
                b'\n' | b'\r' => break,
                0 if at >= self.bytes.len() => break,
                _ => {}
            }
            at += 1;
        }
        self.set_endless(index, at);
        false
    }

    /// Where a text ends that starts with this delimiter; brackets nest.
    fn delimited_end(&self, start: usize) -> Option<usize> {
        let open = self.byte(start);
        let close = match open {
            b'(' => b')',
            b'[' => b']',
            b'{' => b'}',
            b'<' => b'>',
            other => other,
        };
        let (mut depth, mut at) = (0_usize, start + 1);
        loop {
            let byte = *self.bytes.get(at)?;
            if byte == b'\\' {
                at += 1;
            } else if byte == close {
                match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return Some(at + 1),
                }
            } else if byte == open {
                depth += 1;
            }
            at += 1;
        }
    }

    fn operator(&mut self, word: &str, n_texts: usize) -> bool {
        let last = self.at.checked_sub(1).map_or(b' ', |it| self.byte(it));
        let after = self.at + word.len();
        // A variable, a method or a key may have the same name.
        if !self.is_here(word) || b"$@%&>:-".contains(&last) || !self.is_patient() {
            return false;
        }
        let n_blanks = self.rest(after).iter().take_while(|it| matches!(it, b' ' | b'\t')).count();
        let start = after + n_blanks;
        let delimiter = self.byte(start);
        let is_delimiter = delimiter.is_ascii_punctuation()
            && !b",;)]}=_>".contains(&delimiter)
            && !(n_blanks > 0 && b"#-+*?:.".contains(&delimiter));
        if !is_delimiter {
            return false;
        }
        let mut end = self.delimited_end(start);
        if n_texts == 2 {
            end = end.and_then(|end| match delimiter {
                b'(' | b'[' | b'{' | b'<' => {
                    let rest = self.rest(end);
                    let blanks = rest.len() - rest.trim_ascii_start().len();
                    self.delimited_end(end + blanks)
                }
                // The first text's end is the second one's start.
                _ => self.delimited_end(end - 1),
            });
        }
        self.skip_to(end)
    }

    fn sigil(&mut self, letters: &[u8], is_optional: bool) -> bool {
        let has_letter = letters.contains(&self.byte(self.at + 1));
        let start = self.at + 1 + usize::from(has_letter);
        let delimiter = self.byte(start);
        let is_delimiter = match has_letter {
            true => delimiter.is_ascii_punctuation() && !b"=,;)_".contains(&delimiter),
            false => is_optional && b"([{<|!".contains(&delimiter) && self.wants_operand(&[]),
        };
        if !is_delimiter || !self.word_before().is_empty() || !self.is_patient() {
            return false;
        }
        let triple = [delimiter; 3];
        let end = match self.rest(start).starts_with(&triple) {
            true => {
                let inner = memchr::memmem::find(self.rest(start + 3), &triple);
                inner.map(|len| start + 3 + len + 3)
            }
            false => self.delimited_end(start),
        };
        self.skip_to(end)
    }

    fn pod(&mut self) -> bool {
        if !self.fits(super::MarkPosition::Margin) || !self.byte(self.at + 1).is_ascii_alphabetic()
        {
            return false;
        }
        let cut = self.find(self.at, "\n=cut").map(|at| self.line_end(at + 1));
        self.comment(cut.unwrap_or(self.bytes.len()))
    }

    fn end(&mut self, word: &str) -> bool {
        let is_line = self.fits(super::MarkPosition::Margin)
            && self.is_here(word)
            && self.line_end(self.at) == self.at + word.len();
        is_line && self.skip(self.bytes.len())
    }

    /// A tag, and what it holds if that is another language.
    fn tag(&mut self) -> bool {
        let name = self.rest(self.at + 1);
        let len = name.iter().take_while(|it| it.is_ascii_alphanumeric()).count();
        if len == 0 || !name[0].is_ascii_alphabetic() || !self.is_patient() {
            return false;
        }
        let Some(end) = self.tag_end(self.at + 1 + len) else { return self.skip_to(None) };
        let tag = self.bytes[self.at..end].to_ascii_lowercase();
        self.skip(end);
        self.before = PrecedingToken::Mark(b'>', end - 1);
        let (close, syntax): (&[u8], &Syntax) = match &tag[1..=len] {
            _ if tag.ends_with(b"/>") => return true,
            b"script" => (b"</script", script_syntax(&tag)),
            b"style" => (b"</style", style_syntax(&tag)),
            _ => return true,
        };
        let inner = end..find_ignoring_case(self.bytes, end, close).unwrap_or(self.bytes.len());
        self.read_island(inner, syntax);
        true
    }

    /// Where a tag ends; quoted values may hold anything.
    fn tag_end(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at += memchr::memchr3(b'>', b'"', b'\'', self.rest(at))?;
            let byte = self.byte(at);
            at += 1;
            if byte == b'>' {
                return Some(at);
            }
            match memchr::memchr(byte, self.rest(at)) {
                Some(len) => at += len + 1,
                // A quote that does not end is none.
                None => return Some(at + memchr::memchr(b'>', self.rest(at))? + 1),
            }
        }
    }

    fn read_island(&mut self, inner: Range<usize>, syntax: &Syntax) {
        let mut scanner = Scanner::new(syntax, &self.bytes[..inner.end], inner.start, None);
        scanner.n_lost = self.n_lost;
        scanner.run();
        self.n_lost = scanner.n_lost;
        self.comments.append(&mut scanner.comments);
        self.skip(inner.end);
    }

    fn island(&mut self, open: &str, close: &'static str, syntax: &Syntax) -> bool {
        if !self.is_here(open) {
            return false;
        }
        let mut scanner = Scanner::new(syntax, self.bytes, self.at + open.len(), Some(close));
        scanner.n_lost = self.n_lost;
        scanner.run();
        self.n_lost = scanner.n_lost;
        self.comments.append(&mut scanner.comments);
        self.skip((scanner.at + close.len()).min(self.bytes.len()))
    }

    fn front_matter(&mut self) -> bool {
        let is_rule = |line: &[u8]| line.trim_ascii_end() == b"---";
        let is_start = self.comments.is_empty() && self.before == PrecedingToken::Nothing;
        let first = self.line_end(self.at);
        if !is_start
            || !self.fits(super::MarkPosition::Margin)
            || !is_rule(&self.bytes[self.at..first])
        {
            return false;
        }
        let mut at = first;
        while at < self.bytes.len() {
            let start = at + if self.rest(at).starts_with(b"\r\n") { 2 } else { 1 };
            at = self.line_end(start);
            if self.bytes.get(start..at).is_some_and(is_rule) {
                return self.skip(at);
            }
        }
        false
    }

    fn fence(&mut self, byte: u8) -> bool {
        let n_bytes = self.run_length(self.at, byte);
        if n_bytes < 3 || !self.fits(super::MarkPosition::LineStart) {
            return false;
        }
        let first = self.line_end(self.at);
        // A fence of backticks has none on the rest of its line; a span of code may start with as many.
        if byte == b'`' && memchr::memchr(byte, &self.bytes[self.at + n_bytes..first]).is_some() {
            return false;
        }
        let mut at = first;
        while at < self.bytes.len() {
            let start = at + if self.rest(at).starts_with(b"\r\n") { 2 } else { 1 };
            at = self.line_end(start.min(self.bytes.len()));
            let line = self.bytes.get(start..at).unwrap_or_default().trim_ascii();
            if line.len() >= n_bytes && line.iter().all(|it| *it == byte) {
                break;
            }
        }
        // A fence that does not end holds all the rest.
        self.skip(at)
    }

    fn span(&mut self, byte: u8) -> bool {
        let n_bytes = self.run_length(self.at, byte);
        let inner = self.at + n_bytes;
        let mut at = inner;
        while self.is_patient()
            && let Some(len) = memchr::memchr3(byte, b'\n', b'\r', self.rest(at))
        {
            at += len;
            if self.byte(at) != byte {
                let next = at + if self.rest(at).starts_with(b"\r\n") { 2 } else { 1 };
                if self
                    .bytes
                    .get(next..self.line_end(next))
                    .is_none_or(|it| it.trim_ascii().is_empty())
                {
                    break;
                }
                at = next;
                continue;
            }
            let n_found = self.run_length(at, byte);
            at += n_found;
            if n_found == n_bytes {
                return self.skip(at);
            }
        }
        // The whole run is plain, not each of its bytes.
        self.n_lost += 1;
        self.skip(inner)
    }
}

fn find_ignoring_case(bytes: &[u8], from: usize, text: &[u8]) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr::memchr(text[0], bytes.get(at..)?)?;
        if bytes.get(at..at + text.len())?.eq_ignore_ascii_case(text) {
            return Some(at);
        }
        at += 1;
    }
}

/// The language of a script, by the tag in lower case. One that is not JavaScript is read as markup.
fn script_syntax(tag: &[u8]) -> &'static Syntax {
    let has = |text: &str| memchr::memmem::find(tag, text.as_bytes()).is_some();
    let is_typed = has("type=") && !has("lang=");
    let is_script = ["javascript", "module", "ecmascript", "babel", "jsx", "typescript", "\"ts\""];
    let is_other = is_typed && !is_script.iter().any(|it| has(it));
    if is_other { &table::MARKUP } else { &table::JAVASCRIPT }
}

fn style_syntax(tag: &[u8]) -> &'static Syntax {
    let has = |text: &str| memchr::memmem::find(tag, text.as_bytes()).is_some();
    let is_plain = !["scss", "sass", "less", "stylus"].iter().any(|it| has(it));
    if is_plain { &table::CSS } else { &table::SCSS }
}
