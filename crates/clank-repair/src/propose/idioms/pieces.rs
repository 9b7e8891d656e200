//! A text as tokens without blanks and comments, with the brackets matched: what the rows of the table look at.

use std::ops::Range;

use clank_syntax::TokenKind as T;

/// A token that means something.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenPiece {
    pub(super) kind: T,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether a line ends before it.
    pub(super) is_first_on_line: bool,
    /// The bracket that belongs to this one.
    pub(super) partner: Option<usize>,
    /// The bracket around it.
    pub(super) parent: Option<usize>,
}

/// A change of a text in one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PieceEdit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) new: String,
}

impl PieceEdit {
    pub(super) fn new(range: Range<usize>, new: impl Into<String>) -> PieceEdit {
        PieceEdit { start: range.start, end: range.end, new: new.into() }
    }
}

/// The tokens of a text.
pub(super) struct Pieces<'t> {
    pub(super) text: &'t str,
    pub(super) list: Vec<TokenPiece>,
}

impl<'t> Pieces<'t> {
    pub(super) fn new(text: &'t str) -> Pieces<'t> {
        let mut list: Vec<TokenPiece> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let (mut at, mut is_first) = (0, true);
        for (kind, token) in clank_syntax::lex(text).0.iter() {
            let (start, end) = (at, at + token.len());
            at = end;
            if kind.is_trivia() {
                is_first |= token.contains('\n') || kind == T::LineComment;
                continue;
            }
            let place = list.len();
            let mut piece = TokenPiece {
                kind,
                start,
                end,
                is_first_on_line: is_first,
                partner: None,
                parent: None,
            };
            is_first = false;
            if let Some(opening) = opening(kind) {
                let found = open.iter().rposition(|it| list[*it].kind == opening);
                if let Some(found) = found {
                    piece.partner = Some(open[found]);
                    list[open[found]].partner = Some(place);
                    open.truncate(found);
                }
            }
            piece.parent = open.last().copied();
            if matches!(kind, T::LParen | T::LBracket | T::LBrace) {
                open.push(place);
            }
            list.push(piece);
        }
        Pieces { text, list }
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn kind(&self, at: usize) -> T {
        self.list.get(at).map_or(T::End, |it| it.kind)
    }

    /// What stands before a piece.
    pub(super) fn kind_before(&self, at: usize) -> T {
        at.checked_sub(1).map_or(T::End, |it| self.kind(it))
    }

    pub(super) fn word(&self, at: usize) -> &'t str {
        self.list.get(at).map_or("", |it| &self.text[it.start..it.end])
    }

    /// What is written from one piece up to another, which is not part of it.
    pub(super) fn words(&self, range: Range<usize>) -> &'t str {
        match self.bytes(range) {
            Some(bytes) => &self.text[bytes],
            None => "",
        }
    }

    /// Where pieces are in the text.
    pub(super) fn bytes(&self, range: Range<usize>) -> Option<Range<usize>> {
        let last = range.end.checked_sub(1).filter(|it| *it >= range.start)?;
        Some(self.list.get(range.start)?.start..self.list.get(last)?.end)
    }

    /// Writes something else for pieces.
    pub(super) fn put(&self, range: Range<usize>, new: impl Into<String>) -> Option<PieceEdit> {
        Some(PieceEdit::new(self.bytes(range)?, new))
    }

    pub(super) fn is_first(&self, at: usize) -> bool {
        self.list.get(at).is_none_or(|it| it.is_first_on_line)
    }

    /// Whether a piece directly follows the one before it.
    pub(super) fn is_glued(&self, at: usize) -> bool {
        match (at.checked_sub(1).and_then(|it| self.list.get(it)), self.list.get(at)) {
            (Some(before), Some(it)) => before.end == it.start,
            _ => false,
        }
    }

    pub(super) fn partner(&self, at: usize) -> Option<usize> {
        self.list.get(at)?.partner
    }

    pub(super) fn parent(&self, at: usize) -> Option<usize> {
        self.list.get(at)?.parent
    }

    /// Whether a statement starts with a piece.
    pub(super) fn starts_statement(&self, at: usize) -> bool {
        match self.kind_before(at) {
            T::LBrace | T::Semi | T::End => true,
            T::RBrace => true,
            kind => {
                self.is_first(at)
                    && !is_operator(kind)
                    && !matches!(kind, T::Comma | T::LParen | T::LBracket)
            }
        }
    }

    /// The first piece of the operand that ends before a piece: a name with calls, indices and fields, or brackets.
    pub(super) fn operand_start(&self, before: usize) -> Option<usize> {
        let mut at = before.checked_sub(1)?;
        loop {
            match self.kind(at) {
                T::RParen | T::RBracket => {
                    at = self.partner(at)?;
                    let goes_on = at > 0
                        && !self.is_first(at)
                        && matches!(
                            self.kind(at - 1),
                            T::Ident | T::TypeIdent | T::RParen | T::RBracket | T::Int
                        );
                    if !goes_on {
                        return Some(at);
                    }
                    at -= 1;
                }
                T::Ident
                | T::TypeIdent
                | T::Int
                | T::Float
                | T::Str
                | T::Template
                | T::True
                | T::False => {
                    if at >= 2 && self.kind(at - 1) == T::Dot {
                        at -= 2;
                        continue;
                    }
                    return Some(at);
                }
                _ => return None,
            }
        }
    }

    /// The first piece of the expression that ends before a piece.
    pub(super) fn expr_start(&self, before: usize) -> usize {
        let mut at = before;
        while at > 0 {
            let last = at - 1;
            let kind = self.kind(last);
            if at < before
                && self.is_first(at)
                && !is_operator(self.kind(at))
                && !is_operator(kind)
                && self.kind(at) != T::Dot
            {
                return at;
            }
            if matches!(kind, T::RParen | T::RBracket | T::RBrace) {
                match self.partner(last) {
                    Some(open) => {
                        at = open;
                        continue;
                    }
                    None => return at,
                }
            }
            let is_boundary = matches!(
                kind,
                T::LParen
                    | T::LBracket
                    | T::LBrace
                    | T::Comma
                    | T::Semi
                    | T::Eq
                    | T::Arrow
                    | T::Colon
                    | T::Return
                    | T::In
                    | T::Let
                    | T::If
                    | T::While
                    | T::Else
                    | T::Match
            );
            if is_boundary {
                return at;
            }
            at = last;
        }
        at
    }

    /// The piece behind the expression that starts with a piece.
    pub(super) fn expr_end(&self, start: usize) -> usize {
        let mut at = start;
        let mut n_ifs = 0_usize;
        while at < self.len() {
            let kind = self.kind(at);
            let ends = matches!(
                kind,
                T::RParen | T::RBracket | T::RBrace | T::Comma | T::Semi | T::Colon | T::Eq
            );
            if ends || kind == T::Else && n_ifs == 0 {
                return at;
            }
            n_ifs = match kind {
                T::If => n_ifs + 1,
                T::Else => n_ifs - 1,
                _ => n_ifs,
            };
            let is_new_line = at > start && self.is_first(at);
            if is_new_line && !continues(kind) && !is_operator(self.kind(at - 1)) {
                return at;
            }
            at = match self.partner(at) {
                Some(close) if close > at => close + 1,
                _ => at + 1,
            };
        }
        at
    }

    /// Whether the text has a piece that says this.
    pub(super) fn has(&self, word: &str) -> bool {
        (0..self.len()).any(|it| self.word(it) == word)
    }

    /// Whether a name is changed somewhere: `x = …`, `x[i] = …`, `x += …`, `x++`.
    pub(super) fn is_assigned(&self, name: &str) -> bool {
        (0..self.len()).any(|at| {
            if self.word(at) != name || !self.starts_statement(at) {
                return false;
            }
            let mut next = at + 1;
            loop {
                match self.kind(next) {
                    T::LBracket => match self.partner(next) {
                        Some(close) => next = close + 1,
                        None => return false,
                    },
                    T::Dot => next += 2,
                    T::Eq => return true,
                    kind if is_operator(kind) => {
                        return self.kind(next + 1) == T::Eq && self.is_glued(next + 1)
                            || kind == T::PlusPlus
                            || kind == T::Minus && self.kind(next + 1) == T::Minus;
                    }
                    _ => return false,
                }
            }
        })
    }
}

/// Whether it joins two operands.
pub(super) fn is_operator(kind: T) -> bool {
    (T::Plus as u8..=T::Or as u8).contains(&(kind as u8))
        || matches!(kind, T::PipeGt | T::Pipe | T::PlusPlus | T::Eq | T::Arrow | T::Not)
}

/// Whether a line that starts with it goes on with the one before.
fn continues(kind: T) -> bool {
    is_operator(kind) && kind != T::Not || matches!(kind, T::Dot | T::Question)
}

fn opening(closing: T) -> Option<T> {
    match closing {
        T::RParen => Some(T::LParen),
        T::RBracket => Some(T::LBracket),
        T::RBrace => Some(T::LBrace),
        _ => None,
    }
}

/// The text with changes that do not overlap; those that do are left out, the first one stays.
pub(super) fn applied(text: &str, mut edits: Vec<PieceEdit>) -> String {
    edits.sort_by_key(|it| (it.start, it.end));
    let mut out = String::with_capacity(text.len() + 16 * edits.len());
    let mut at = 0;
    for edit in edits {
        if edit.start < at || edit.end > text.len() {
            continue;
        }
        out.push_str(&text[at..edit.start]);
        out.push_str(&edit.new);
        at = edit.end;
    }
    out.push_str(&text[at..]);
    out
}
