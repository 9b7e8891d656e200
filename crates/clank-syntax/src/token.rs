//! Tokens: the pieces of a text, blanks and comments too, so that together they are the whole text.
//!
//! A token says what it is, not how it was spelled: `→` and `->` are one kind, and the text keeps the difference. Names
//! of built-in types are ordinary type names.

use crate::span::Span;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TokenKind {
    Whitespace,
    LineComment,
    BlockComment,
    /// A name of a value: it starts with a small letter, or with `_` and goes on.
    Ident,
    /// A name of a type or a constructor: it starts with a capital, or is `ℤ`, `ℕ`, `ℝ`, `ℤ32` or `ℤ64`.
    TypeIdent,
    /// `_` alone.
    Underscore,
    Fn,
    Let,
    Mut,
    If,
    Else,
    Match,
    For,
    In,
    While,
    Loop,
    Return,
    Break,
    Continue,
    Type,
    Rec,
    Sum,
    Mod,
    Use,
    External,
    Pre,
    Post,
    Assert,
    Unsafe,
    Js,
    True,
    False,
    Int,
    Float,
    /// `"…"`
    Str,
    /// `"""…"""`
    MultilineStr,
    /// A whole template, with the expressions in it.
    Template,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Caret,
    EqEq,
    NotEq,
    Lt,
    Gt,
    LtEq,
    GtEq,
    And,
    Or,
    Not,
    Arrow,
    LeftArrow,
    PipeGt,
    Pipe,
    PlusPlus,
    Question,
    Eq,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Comma,
    Colon,
    ColonColon,
    Semi,
    Dot,
    DotDot,
    DotDotEq,
    Lambda,
    /// Characters that no token starts with.
    Error,
    /// The end of the text. Never in [`Tokens`].
    End,
}

impl TokenKind {
    /// Whether it is a blank or a comment.
    pub fn is_trivia(self) -> bool {
        matches!(self, TokenKind::Whitespace | TokenKind::LineComment | TokenKind::BlockComment)
    }

    /// Whether it is a reserved word.
    pub fn is_keyword(self) -> bool {
        (TokenKind::Fn as u8..=TokenKind::False as u8).contains(&(self as u8))
    }

    /// The reserved word with that spelling.
    pub(crate) fn keyword(word: &str) -> Option<TokenKind> {
        Some(match word {
            "fn" => TokenKind::Fn,
            "let" => TokenKind::Let,
            "mut" => TokenKind::Mut,
            "if" => TokenKind::If,
            "else" => TokenKind::Else,
            "match" => TokenKind::Match,
            "for" => TokenKind::For,
            "in" => TokenKind::In,
            "while" => TokenKind::While,
            "loop" => TokenKind::Loop,
            "return" => TokenKind::Return,
            "break" => TokenKind::Break,
            "continue" => TokenKind::Continue,
            "type" => TokenKind::Type,
            "rec" => TokenKind::Rec,
            "sum" => TokenKind::Sum,
            "mod" => TokenKind::Mod,
            "use" => TokenKind::Use,
            "external" => TokenKind::External,
            "pre" => TokenKind::Pre,
            "post" => TokenKind::Post,
            "assert" => TokenKind::Assert,
            "unsafe" => TokenKind::Unsafe,
            "js" => TokenKind::Js,
            "true" => TokenKind::True,
            "false" => TokenKind::False,
            _ => return None,
        })
    }

    /// Whether a declaration can start with it.
    pub(crate) fn is_declaration(self) -> bool {
        matches!(
            self,
            TokenKind::Fn
                | TokenKind::Type
                | TokenKind::Rec
                | TokenKind::Sum
                | TokenKind::Mod
                | TokenKind::Use
                | TokenKind::External
        )
    }

    /// Whether a statement that is not an expression starts with it.
    pub(crate) fn is_statement(self) -> bool {
        matches!(
            self,
            TokenKind::Let
                | TokenKind::For
                | TokenKind::While
                | TokenKind::Loop
                | TokenKind::Return
                | TokenKind::Break
                | TokenKind::Continue
                | TokenKind::Assert
        )
    }
}

/// One token. It ends where the next one starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its first byte.
    pub start: u32,
}

/// A text in tokens: their texts one after the other are the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tokens {
    source: String,
    tokens: Vec<Token>,
}

impl Tokens {
    /// The tokens must cover the text without a gap.
    pub(crate) fn new(source: String, tokens: Vec<Token>) -> Tokens {
        debug_assert!(tokens.first().is_none_or(|it| it.start == 0));
        debug_assert!(tokens.is_sorted_by_key(|it| it.start));
        Tokens { source, tokens }
    }

    /// The text.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// What a token is; [`TokenKind::End`] after the last one.
    pub fn kind(&self, index: usize) -> TokenKind {
        self.tokens.get(index).map_or(TokenKind::End, |it| it.kind)
    }

    /// The bytes of a token; an empty span at the end after the last one.
    pub fn span(&self, index: usize) -> Span {
        Span::new(self.start(index), self.start(index.saturating_add(1)))
    }

    /// The text of a token; empty after the last one.
    pub fn text(&self, index: usize) -> &str {
        let span = self.span(index);
        self.source.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The tokens in order.
    pub fn as_slice(&self) -> &[Token] {
        &self.tokens
    }

    /// The first token that starts at or after an offset.
    pub fn first_from(&self, offset: u32) -> usize {
        self.tokens.partition_point(|it| it.start < offset)
    }

    /// What every token is, and its text, in order.
    pub fn iter(&self) -> impl Iterator<Item = (TokenKind, &str)> {
        (0..self.tokens.len()).map(|index| (self.kind(index), self.text(index)))
    }

    fn start(&self, index: usize) -> u32 {
        match self.tokens.get(index) {
            Some(token) => token.start,
            None => u32::try_from(self.source.len()).unwrap_or(u32::MAX),
        }
    }
}

/// The name that a type name stands for: `ℤ` is another spelling of `Int`, and so on.
pub fn type_name(spelling: &str) -> &str {
    match spelling {
        "ℤ" => "Int",
        "ℤ32" => "Int32",
        "ℤ64" => "Int64",
        "ℕ" => "Nat",
        "ℝ" => "Float",
        _ => spelling,
    }
}

/// Whether a name can start with it when it names a value.
pub(crate) fn starts_value_name(first: char) -> bool {
    matches!(first, 'a'..='z' | '\u{DF}'..='\u{F6}' | '\u{F8}'..='\u{FF}')
}

/// Whether a name can start with it when it names a type.
pub(crate) fn starts_type_name(first: char) -> bool {
    matches!(first, 'A'..='Z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{DE}')
}

/// Whether a name can go on with it.
pub(crate) fn continues_name(next: char) -> bool {
    next.is_ascii_alphanumeric()
        || next == '_'
        || matches!(next, '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{17F}')
        || matches!(next, '\u{370}'..='\u{4FF}')
}

/// Whether it can name a value: legal and not reserved.
pub fn is_value_name(name: &str) -> bool {
    let mut chars = name.chars();
    let first = chars.next();
    let is_started =
        first.is_some_and(starts_value_name) || first == Some('_') && !chars.as_str().is_empty();
    is_started && chars.all(continues_name) && TokenKind::keyword(name).is_none()
}

/// Whether it can name a type or a constructor.
pub fn is_type_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(starts_type_name) && chars.all(continues_name)
}
