//! Which brackets belong together, before anything else is known.
//!
//! The parser never looks for the end of a bracket: it is told. So a mistake in a bracket stays in it, and a bracket
//! without its partner ends at the latest before the next declaration. A closing bracket without a partner is left out
//! of the pieces.

use crate::error::{SyntaxCode, SyntaxError};
use crate::lexer::shortened;
use crate::span::Span;
use crate::token::{Token, TokenKind};

/// A token that is not a blank, comment or mistake.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParserToken {
    pub(super) kind: TokenKind,
    /// Whether it is the first one on its line.
    pub(super) is_first_on_line: bool,
    pub(super) start: u32,
    pub(super) end: u32,
    /// For an opening bracket the piece that ends what it opens: its partner, or, if it has none, the first piece that
    /// is not inside.
    pub(super) close: u32,
}

/// A bracket without its partner.
#[derive(Debug)]
pub(super) struct Unmatched {
    /// Where the bracket is; of several opening ones the outermost.
    pub(super) offset: u32,
    pub(super) is_opening: bool,
    /// Where what it opens ends.
    pub(super) until: u32,
    pub(super) error: SyntaxError,
}

/// A text as the parser sees it.
#[derive(Debug, Default)]
pub(super) struct BracketLayout {
    pub(super) pieces: Vec<ParserToken>,
    /// The pieces at which declarations start.
    pub(super) starts: Vec<usize>,
    /// The last one first.
    pub(super) unmatched: Vec<Unmatched>,
}

/// Pairs the brackets of a text that ends at `end`.
pub(super) fn layout(text: &str, tokens: &[Token], end: u32) -> BracketLayout {
    let n_pieces = tokens.iter().filter(|it| !it.kind.is_trivia()).count();
    let mut pairing = Pairing {
        text,
        layout: BracketLayout { pieces: Vec::with_capacity(n_pieces), ..BracketLayout::default() },
        open: Vec::new(),
        unclosed: Vec::new(),
        is_external_mod: false,
    };
    let mut is_first_on_line = true;
    for (index, token) in tokens.iter().enumerate() {
        let token_end = tokens.get(index + 1).map_or(end, |it| it.start);
        match token.kind {
            TokenKind::Whitespace | TokenKind::LineComment | TokenKind::BlockComment => {
                let bytes = &text.as_bytes()[token.start as usize..token_end as usize];
                is_first_on_line |= bytes.contains(&b'\n');
                continue;
            }
            TokenKind::Error => continue,
            _ => {}
        }
        let piece = ParserToken {
            kind: token.kind,
            is_first_on_line,
            start: token.start,
            end: token_end,
            close: 0,
        };
        is_first_on_line = false;
        if piece.kind.is_declaration() {
            pairing.declaration_word(&piece, next_kinds(&tokens[index + 1..]));
        } else if piece.kind == TokenKind::Ident && piece.is_first_on_line {
            pairing.foreign_word(&piece, next_kinds(&tokens[index + 1..])[0]);
        }
        pairing.add(piece);
    }
    pairing.close_from(0);
    pairing.finish(end)
}

fn next_kinds(tokens: &[Token]) -> [TokenKind; 2] {
    let mut kinds = tokens.iter().map(|it| it.kind).filter(|it| !it.is_trivia());
    [(); 2].map(|()| kinds.next().unwrap_or(TokenKind::End))
}

/// The closing bracket of an opening one.
pub(super) fn partner(open: TokenKind) -> Option<TokenKind> {
    match open {
        TokenKind::LParen => Some(TokenKind::RParen),
        TokenKind::LBracket => Some(TokenKind::RBracket),
        TokenKind::LBrace => Some(TokenKind::RBrace),
        _ => None,
    }
}

/// The words that start declarations in other languages.
const FOREIGN_WORDS: [&str; 17] = [
    "class",
    "const",
    "data",
    "def",
    "enum",
    "export",
    "from",
    "fun",
    "func",
    "function",
    "import",
    "interface",
    "record",
    "struct",
    "trait",
    "val",
    "var",
];

struct Pairing<'t> {
    text: &'t str,
    layout: BracketLayout,
    /// The opening brackets whose partners did not come yet.
    open: Vec<usize>,
    /// Opening brackets without a partner that ended at one place: the outermost, the innermost, how many.
    unclosed: Vec<(usize, usize, usize)>,
    /// Whether the last declaration is an `external mod`, in whose braces functions stand.
    is_external_mod: bool,
}

impl Pairing<'_> {
    fn declaration_word(&mut self, piece: &ParserToken, [next, second]: [TokenKind; 2]) {
        let before = self.layout.pieces.last().map_or(TokenKind::End, |it| it.kind);
        let is_second_word = match piece.kind {
            TokenKind::Fn | TokenKind::Mod => before == TokenKind::External,
            TokenKind::External => before == TokenKind::Use,
            _ => before.is_declaration() && !piece.is_first_on_line,
        };
        if is_second_word {
            return;
        }
        // Within brackets or after a dot the word may just be misused as a name; elsewhere it starts a declaration, wherever on its line.
        let is_evident = match piece.kind {
            TokenKind::Fn => {
                piece.is_first_on_line
                    || next == TokenKind::Ident
                        && matches!(second, TokenKind::LParen | TokenKind::LBracket)
            }
            TokenKind::Mod => piece.is_first_on_line && next == TokenKind::Ident,
            TokenKind::Use => {
                piece.is_first_on_line
                    && matches!(next, TokenKind::Ident | TokenKind::TypeIdent | TokenKind::External)
            }
            TokenKind::External => matches!(next, TokenKind::Fn | TokenKind::Mod),
            _ => next == TokenKind::TypeIdent,
        };
        let is_misused = !self.open.is_empty() || before == TokenKind::Dot;
        if is_misused && !is_evident {
            return;
        }
        if self.is_external_mod && piece.kind == TokenKind::Fn && !self.open.is_empty() {
            self.close_from(1);
            return;
        }
        self.close_from(0);
        // A word may be missing.
        self.is_external_mod = piece.kind == TokenKind::Mod
            || piece.kind == TokenKind::External && next != TokenKind::Fn;
        self.layout.starts.push(self.layout.pieces.len());
    }

    /// A word that starts declarations in other languages, at the start of a line that nothing is open in: what is wrong
    /// with the declaration before it does not reach over it.
    fn foreign_word(&mut self, piece: &ParserToken, next: TokenKind) {
        let start = piece.start as usize;
        let is_leftmost = start == 0 || self.text.as_bytes()[start - 1] == b'\n';
        let is_followed = matches!(
            next,
            TokenKind::Ident | TokenKind::TypeIdent | TokenKind::LBrace | TokenKind::Str
        );
        if is_leftmost
            && is_followed
            && self.open.is_empty()
            && FOREIGN_WORDS.contains(&&self.text[start..piece.end as usize])
        {
            self.is_external_mod = false;
            self.layout.starts.push(self.layout.pieces.len());
        }
    }

    fn add(&mut self, piece: ParserToken) {
        let index = self.layout.pieces.len();
        match piece.kind {
            TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => self.open.push(index),
            TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                let Some(depth) = self.partner_of(piece.kind) else {
                    self.closes_nothing(piece);
                    return;
                };
                self.close_from(depth + 1);
                if let Some(open) = self.open.pop() {
                    self.layout.pieces[open].close = index as u32;
                }
            }
            _ => {}
        }
        self.layout.pieces.push(piece);
    }

    /// The place in `open` of the bracket that `closing` closes. A `)` or `]` does not reach over a `{`: what is between
    /// braces is more often whole than what is between the others.
    fn partner_of(&self, closing: TokenKind) -> Option<usize> {
        for (depth, &open) in self.open.iter().enumerate().rev() {
            let kind = self.layout.pieces[open].kind;
            if partner(kind) == Some(closing) {
                return Some(depth);
            }
            if kind == TokenKind::LBrace {
                return None;
            }
        }
        None
    }

    fn closes_nothing(&mut self, piece: ParserToken) {
        if let Some(last) = self.layout.unmatched.last_mut()
            && self.layout.pieces.last().is_none_or(|it| it.end <= last.offset)
        {
            last.error.span.end = piece.end;
            return;
        }
        let span = Span::new(piece.start, piece.end);
        let text = &self.text[piece.start as usize..piece.end as usize];
        self.layout.unmatched.push(Unmatched {
            offset: piece.start,
            is_opening: false,
            until: piece.end,
            error: SyntaxError {
                code: SyntaxCode::E0004,
                span,
                message: format!("unexpected closing bracket `{text}`"),
                help: None,
                related: None,
            },
        });
    }

    /// Ends the brackets from `depth` on here, without their partners.
    fn close_from(&mut self, depth: usize) {
        let here = self.layout.pieces.len();
        let mut last_end = None;
        while self.open.len() > depth
            && let Some(open) = self.open.pop()
        {
            let end = match self.layout.pieces[open].kind {
                TokenKind::LBrace => here,
                _ => self.end_of_statement(open, here),
            };
            self.layout.pieces[open].close = end as u32;
            match self.unclosed.last_mut() {
                Some((outermost, _, n_brackets)) if last_end == Some(end) => {
                    *outermost = open;
                    *n_brackets += 1;
                }
                _ => self.unclosed.push((open, open, 1)),
            }
            last_end = Some(end);
        }
    }

    /// Parentheses and square brackets do not go beyond the statement that they are in.
    fn end_of_statement(&self, open: usize, limit: usize) -> usize {
        let mut at = open + 1;
        while at < limit {
            let piece = &self.layout.pieces[at];
            if piece.kind == TokenKind::Semi || piece.is_first_on_line && piece.kind.is_statement()
            {
                return at;
            }
            at = after(&self.layout.pieces, at);
        }
        limit
    }

    fn finish(self, end: u32) -> BracketLayout {
        let Pairing { mut layout, unclosed, text, .. } = self;
        for (outermost, innermost, n_brackets) in unclosed {
            let bracket = layout.pieces[culprit(text, &layout.pieces, outermost, innermost)];
            let name = |it: ParserToken| shortened(&text[it.start as usize..it.end as usize]);
            let close = layout.pieces[innermost].close as usize;
            let (span, found) = match layout.pieces.get(close) {
                Some(&it) => (Span::new(it.start, it.end), format!("`{}`", name(it))),
                None => (Span::new(end, end), "the end of the text".into()),
            };
            let what = match n_brackets {
                1 => format!("`{}` is", name(bracket)),
                2 => format!("`{}` and another bracket are", name(bracket)),
                _ => format!("`{}` and {} more brackets are", name(bracket), n_brackets - 1),
            };
            layout.unmatched.push(Unmatched {
                offset: layout.pieces[outermost].start,
                is_opening: true,
                until: span.start,
                error: SyntaxError {
                    code: SyntaxCode::E0004,
                    span,
                    message: format!("{what} not closed before {found}"),
                    help: None,
                    related: Some((Span::new(bracket.start, bracket.end), "opened here".into())),
                },
            });
        }
        layout.unmatched.sort_by_key(|it| std::cmp::Reverse(it.offset));
        layout
    }
}

/// The bracket that is to blame for an unclosed one. A brace may have taken the partner of another one; that shows if
/// the partner starts a line further left than the line with the brace does.
fn culprit(text: &str, pieces: &[ParserToken], outermost: usize, innermost: usize) -> usize {
    if pieces[innermost].kind != TokenKind::LBrace || outermost != innermost {
        return innermost;
    }
    let column = |it: &ParserToken| {
        let before = &text.as_bytes()[..it.start as usize];
        before.len() - before.iter().rposition(|&it| it == b'\n').map_or(0, |it| it + 1)
    };
    let mut line_column = 0;
    let end = (pieces[innermost].close as usize).min(pieces.len());
    for index in innermost..end {
        let piece = &pieces[index];
        if piece.is_first_on_line {
            line_column = column(piece);
        } else if index == innermost {
            line_column = 0;
        }
        if piece.kind != TokenKind::LBrace || index == innermost {
            continue;
        }
        if let Some(close) = pieces.get(piece.close as usize)
            && close.is_first_on_line
            && column(close) < line_column
        {
            return index;
        }
    }
    innermost
}

/// The piece after this one, or after the brackets that it opens.
pub(super) fn after(pieces: &[ParserToken], at: usize) -> usize {
    let piece = &pieces[at];
    let Some(closing) = partner(piece.kind) else { return at + 1 };
    let close = piece.close as usize;
    match pieces.get(close) {
        Some(it) if it.kind == closing => close + 1,
        _ => close.max(at + 1),
    }
}
