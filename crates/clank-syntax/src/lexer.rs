//! From a text to tokens. Every text has tokens; what is wrong with it is said beside them.
//!
//! A string, template or comment without its end still is one token, and a malformed number is one number: the mistake
//! is reported here once, and whoever makes a value of the token finds that it has none.

mod number;
mod quoted;
#[cfg(test)]
mod tests;

pub(crate) use number::MAX_DIGITS;
pub(crate) use quoted::{code_end, escape};

use crate::ast::MAX_NESTING;
use crate::error::{SyntaxCode, SyntaxError};
use crate::span::Span;
use crate::token::{Token, TokenKind, Tokens, continues_name, starts_type_name, starts_value_name};

/// The tokens of a text and what is wrong with them.
pub fn lex(text: &str) -> (Tokens, Vec<SyntaxError>) {
    let lexed = lex_whole(text);
    (Tokens::new(text.to_owned(), lexed.tokens), lexed.errors)
}

/// Tokens, and what is known about the mistakes in them.
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) errors: Vec<SyntaxError>,
    /// Where strings, templates and comments without an end start.
    pub(crate) unterminated: Vec<u32>,
    /// Where templates start that must not be read: without an end, or nested too deep.
    pub(crate) unreadable: Vec<u32>,
    /// The runs of characters that no token starts with.
    pub(crate) strays: Vec<Span>,
}

/// The tokens of a whole text.
pub(crate) fn lex_whole(text: &str) -> Lexed {
    match u32::try_from(text.len()) {
        Ok(end) => lex_part(text, Span::new(0, end)),
        Err(_) => Lexed {
            tokens: vec![Token { kind: TokenKind::Error, start: 0 }],
            errors: vec![too_long()],
            unterminated: Vec::new(),
            unreadable: Vec::new(),
            strays: Vec::new(),
        },
    }
}

/// The tokens of a part of a text that starts and ends between tokens.
pub(crate) fn lex_part(text: &str, part: Span) -> Lexed {
    let text = &text[..part.end as usize];
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        pos: part.start as usize,
        tokens: Vec::with_capacity(part.len() / 3 + 1),
        errors: Vec::new(),
        unterminated: Vec::new(),
        unreadable: Vec::new(),
        last: TokenKind::Whitespace,
        last_is_position: false,
        is_hunting: true,
        given_up: 0,
    };
    lexer.run();
    let strays = lexer.describe_strays();
    let Lexer { tokens, errors, unterminated, unreadable, .. } = lexer;
    Lexed { tokens, errors, unterminated, unreadable, strays }
}

fn too_long() -> SyntaxError {
    SyntaxError {
        code: SyntaxCode::E0001,
        span: Span::default(),
        message: "the text is longer than 4 GiB".into(),
        help: None,
        related: None,
    }
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    pos: usize,
    tokens: Vec<Token>,
    errors: Vec<SyntaxError>,
    unterminated: Vec<u32>,
    unreadable: Vec<u32>,
    /// The last token that is not trivia.
    last: TokenKind,
    /// Whether that token is the position in `t.0`.
    last_is_position: bool,
    /// Whether the end of a template or multi-line string is looked for in the whole text. After one that has none it
    /// is only looked for up to where it would be given up, or many of them would take quadratic time.
    is_hunting: bool,
    /// Where the next template or multi-line string without an end is given up, if it starts before.
    given_up: usize,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while self.pos < self.bytes.len() {
            let start = self.pos;
            let kind = self.token();
            debug_assert!(self.pos > start, "every token has bytes");
            if kind == TokenKind::Error && self.extends_stray() {
                continue;
            }
            self.tokens.push(Token { kind, start: start as u32 });
            if kind == TokenKind::Error {
                self.error(SyntaxCode::E0001, start, String::new());
            }
            if !kind.is_trivia() {
                self.last_is_position = kind == TokenKind::Int && self.last == TokenKind::Dot;
                self.last = kind;
            }
        }
    }

    /// A stray character right after another one belongs to the same mistake.
    fn extends_stray(&mut self) -> bool {
        let is_run = self.tokens.last().is_some_and(|it| it.kind == TokenKind::Error);
        if is_run && let Some(error) = self.errors.last_mut() {
            error.span.end = self.pos as u32;
        }
        is_run
    }

    fn describe_strays(&mut self) -> Vec<Span> {
        let mut strays = Vec::new();
        for error in self.errors.iter_mut().filter(|it| it.message.is_empty()) {
            let stray = &self.text[error.span.start as usize..error.span.end as usize];
            error.message = match stray {
                "&" => "`&` is not an operator".into(),
                _ => format!("`{}` is not part of the language", shortened(stray)),
            };
            error.help = (stray == "&").then(|| "write `&&`".into());
            strays.push(error.span);
        }
        strays
    }

    fn error(&mut self, code: SyntaxCode, start: usize, message: String) {
        let span = Span::new(start as u32, self.pos as u32);
        self.errors.push(SyntaxError { code, span, message, help: None, related: None });
    }

    fn no_end(&mut self, start: usize, what: &str) {
        self.unterminated.push(start as u32);
        self.unreadable.push(start as u32);
        self.error(SyntaxCode::E0002, start, format!("unterminated {what}"));
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    fn char(&self) -> Option<char> {
        self.text.get(self.pos..).and_then(|it| it.chars().next())
    }

    /// Reads one token and moves past it.
    fn token(&mut self) -> TokenKind {
        match self.byte(0) {
            b' ' | b'\t' | b'\r' | b'\n' => {
                while matches!(self.byte(0), b' ' | b'\t' | b'\r' | b'\n') {
                    self.pos += 1;
                }
                TokenKind::Whitespace
            }
            b'a'..=b'z' => self.value_name(),
            b'A'..=b'Z' => self.type_name(),
            b'0'..=b'9' => self.number(),
            b'.' if self.byte(1).is_ascii_digit() && !self.is_after_operand() => self.number(),
            b'"' => self.string(),
            b'`' => self.template(),
            b'/' if self.byte(1) == b'/' => {
                self.pos = self.end_of_line();
                TokenKind::LineComment
            }
            b'/' if self.byte(1) == b'*' => self.block_comment(),
            b'_' => {
                self.pos += 1;
                if self.char().is_some_and(continues_name) {
                    self.rest_of_name();
                    return TokenKind::Ident;
                }
                TokenKind::Underscore
            }
            0..=0x7F => self.punctuation(),
            _ => self.beyond_ascii(),
        }
    }

    /// Whether `.5` here is not a number but a dot and a position of a tuple.
    fn is_after_operand(&self) -> bool {
        self.last_is_position
            || matches!(
                self.last,
                TokenKind::Dot
                    | TokenKind::Ident
                    | TokenKind::TypeIdent
                    | TokenKind::RParen
                    | TokenKind::RBracket
                    | TokenKind::RBrace
                    | TokenKind::Question
            )
    }

    fn end_of_line(&self) -> usize {
        let rest = &self.bytes[self.pos..];
        rest.iter().position(|&it| it == b'\n').map_or(self.bytes.len(), |it| self.pos + it)
    }

    fn rest_of_name(&mut self) {
        loop {
            match self.byte(0) {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => self.pos += 1,
                0..=0x7F => return,
                _ => match self.char() {
                    Some(next) if continues_name(next) => self.pos += next.len_utf8(),
                    _ => return,
                },
            }
        }
    }

    fn value_name(&mut self) -> TokenKind {
        let start = self.pos;
        self.rest_of_name();
        TokenKind::keyword(&self.text[start..self.pos]).unwrap_or(TokenKind::Ident)
    }

    fn type_name(&mut self) -> TokenKind {
        self.rest_of_name();
        TokenKind::TypeIdent
    }

    /// A block comment; block comments nest.
    fn block_comment(&mut self) -> TokenKind {
        let start = self.pos;
        match quoted::block_comment_end(self.bytes, start) {
            Some(end) => self.pos = end,
            None => {
                self.pos = self.bytes.len();
                self.no_end(start, "comment");
            }
        }
        TokenKind::BlockComment
    }

    fn punctuation(&mut self) -> TokenKind {
        let (length, kind) = match (self.byte(0), self.byte(1), self.byte(2)) {
            (b'=', b'=', _) => (2, TokenKind::EqEq),
            (b'!', b'=', _) => (2, TokenKind::NotEq),
            (b'<', b'=', _) => (2, TokenKind::LtEq),
            (b'>', b'=', _) => (2, TokenKind::GtEq),
            (b'<', b'-', _) => (2, TokenKind::LeftArrow),
            (b'-', b'>', _) => (2, TokenKind::Arrow),
            (b'&', b'&', _) => (2, TokenKind::And),
            (b'|', b'|', _) => (2, TokenKind::Or),
            (b'|', b'>', _) => (2, TokenKind::PipeGt),
            (b'+', b'+', _) => (2, TokenKind::PlusPlus),
            (b':', b':', _) => (2, TokenKind::ColonColon),
            (b'.', b'.', b'=') => (3, TokenKind::DotDotEq),
            (b'.', b'.', _) => (2, TokenKind::DotDot),
            (b'+', ..) => (1, TokenKind::Plus),
            (b'-', ..) => (1, TokenKind::Minus),
            (b'*', ..) => (1, TokenKind::Star),
            (b'/', ..) => (1, TokenKind::Slash),
            (b'%', ..) => (1, TokenKind::Percent),
            (b'^', ..) => (1, TokenKind::Caret),
            (b'<', ..) => (1, TokenKind::Lt),
            (b'>', ..) => (1, TokenKind::Gt),
            (b'!', ..) => (1, TokenKind::Not),
            (b'|', ..) => (1, TokenKind::Pipe),
            (b'?', ..) => (1, TokenKind::Question),
            (b'=', ..) => (1, TokenKind::Eq),
            (b'(', ..) => (1, TokenKind::LParen),
            (b')', ..) => (1, TokenKind::RParen),
            (b'[', ..) => (1, TokenKind::LBracket),
            (b']', ..) => (1, TokenKind::RBracket),
            (b'{', ..) => (1, TokenKind::LBrace),
            (b'}', ..) => (1, TokenKind::RBrace),
            (b',', ..) => (1, TokenKind::Comma),
            (b':', ..) => (1, TokenKind::Colon),
            (b';', ..) => (1, TokenKind::Semi),
            (b'.', ..) => (1, TokenKind::Dot),
            (b'\\', ..) => (1, TokenKind::Lambda),
            _ => (1, TokenKind::Error),
        };
        self.pos += length;
        kind
    }

    fn beyond_ascii(&mut self) -> TokenKind {
        let Some(first) = self.char() else {
            self.pos = self.bytes.len();
            return TokenKind::Error;
        };
        if starts_value_name(first) {
            return self.value_name();
        }
        if starts_type_name(first) {
            return self.type_name();
        }
        let is_at_start = self.pos == 0;
        self.pos += first.len_utf8();
        match first {
            // A byte order mark.
            '\u{FEFF}' if is_at_start => TokenKind::Whitespace,
            'ƒ' => TokenKind::Fn,
            'λ' => TokenKind::Lambda,
            '→' => TokenKind::Arrow,
            '←' => TokenKind::LeftArrow,
            '≠' => TokenKind::NotEq,
            '≤' => TokenKind::LtEq,
            '≥' => TokenKind::GtEq,
            '∧' => TokenKind::And,
            '∨' => TokenKind::Or,
            '¬' => TokenKind::Not,
            'ℕ' | 'ℝ' => TokenKind::TypeIdent,
            'ℤ' => {
                let rest = &self.text[self.pos..];
                if let Some(after) = rest.strip_prefix("32").or(rest.strip_prefix("64"))
                    && !after.starts_with(continues_name)
                {
                    self.pos += 2;
                }
                TokenKind::TypeIdent
            }
            _ => TokenKind::Error,
        }
    }

    fn template(&mut self) -> TokenKind {
        let start = self.pos;
        let limit = if self.is_hunting { self.bytes.len() } else { self.given_up() };
        let extent = quoted::template_extent(&self.text[..limit], start);
        for escape in extent.bad_escapes {
            self.bad_escape(escape);
        }
        match extent.end {
            Some(end) => self.pos = end,
            None => {
                self.is_hunting = false;
                self.pos = self.given_up();
                self.no_end(start, "template");
            }
        }
        if extent.end.is_some() && extent.depth > MAX_NESTING as usize {
            let message = format!("nested more than {MAX_NESTING} levels deep");
            self.error(SyntaxCode::E0001, start, message);
            self.unreadable.push(start as u32);
        }
        TokenKind::Template
    }

    fn string(&mut self) -> TokenKind {
        let start = self.pos;
        let is_multiline = self.bytes[start..].starts_with(b"\"\"\"");
        let limit = match (is_multiline, self.is_hunting) {
            (true, true) => self.bytes.len(),
            (true, false) => self.given_up(),
            (false, _) => self.end_of_line(),
        };
        let extent = quoted::string_extent(&self.text[..limit], start);
        match extent.end {
            Some(end) => self.pos = end,
            None => {
                self.is_hunting &= !is_multiline;
                self.pos = if is_multiline { self.given_up() } else { limit };
                self.no_end(start, "string");
            }
        }
        for escape in extent.bad_escapes {
            if extent.end.is_some() || (escape.end as usize) < self.pos {
                self.bad_escape(escape);
            }
        }
        if is_multiline { TokenKind::MultilineStr } else { TokenKind::Str }
    }

    fn given_up(&mut self) -> usize {
        if self.given_up <= self.pos {
            self.given_up = quoted::given_up(self.bytes, self.pos);
        }
        self.given_up
    }

    fn bad_escape(&mut self, span: Span) {
        let escape = &self.text[span.start as usize..span.end as usize];
        self.errors.push(SyntaxError {
            code: SyntaxCode::E0002,
            span,
            message: format!("unknown escape `{escape}`"),
            help: Some("the escapes are \\n \\r \\t \\0 \\\\ \\\" \\' \\` and \\$".into()),
            related: None,
        });
    }
}

/// A piece of the program for a message: not too long, on one line.
pub(crate) fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(30) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.len() < text.len() => format!("{line}…"),
        None => line.to_owned(),
    }
}
