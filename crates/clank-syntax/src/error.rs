//! What is wrong with a text before anything is known about its meaning.

use crate::span::Span;

/// The codes of the syntax. One mistake has one code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SyntaxCode {
    /// A token that nothing can be made of here, a character that no token starts with, or nesting beyond the limit.
    E0001,
    /// A string, template or block comment without its end, or an escape that does not exist.
    E0002,
    /// A number that is none.
    E0003,
    /// A bracket without its partner.
    E0004,
    /// An expression is missing.
    E0005,
    /// A type is missing.
    E0006,
    /// A pattern is missing.
    E0007,
    /// Something that is not a declaration stands where only declarations do.
    E0008,
    /// A record literal that is malformed, or that stands where it must be in parentheses.
    E0009,
}

impl SyntaxCode {
    /// Every code.
    pub const ALL: [SyntaxCode; 9] = [
        SyntaxCode::E0001,
        SyntaxCode::E0002,
        SyntaxCode::E0003,
        SyntaxCode::E0004,
        SyntaxCode::E0005,
        SyntaxCode::E0006,
        SyntaxCode::E0007,
        SyntaxCode::E0008,
        SyntaxCode::E0009,
    ];

    /// The code as it is written.
    pub fn name(self) -> &'static str {
        match self {
            SyntaxCode::E0001 => "E0001",
            SyntaxCode::E0002 => "E0002",
            SyntaxCode::E0003 => "E0003",
            SyntaxCode::E0004 => "E0004",
            SyntaxCode::E0005 => "E0005",
            SyntaxCode::E0006 => "E0006",
            SyntaxCode::E0007 => "E0007",
            SyntaxCode::E0008 => "E0008",
            SyntaxCode::E0009 => "E0009",
        }
    }
}

/// One mistake in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// What kind of mistake it is.
    pub code: SyntaxCode,
    /// Where it is.
    pub span: Span,
    /// What is wrong, in the program's own words.
    pub message: String,
    /// What to write instead, where that is known.
    pub help: Option<String>,
    /// A place that belongs to it (an opening bracket, say), and what it is.
    pub related: Option<(Span, String)>,
}
