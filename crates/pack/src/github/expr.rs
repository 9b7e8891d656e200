//! The expressions between `${{` and `}}`: where they stand in a text, their grammar, and what they mean.
//!
//! The grammar is a small one: literals, contexts, property and index access, filters (`*`), calls, `!`, comparisons,
//! `&&` and `||`. Names are compared without case, as GitHub does. Ranges are bytes of the text of the scalar.

mod check;
mod functions;
mod lex;
mod parse;
mod types;

use std::ops::Range;

pub(super) use check::{Checker, Scope};
pub(super) use parse::{Expr, ExprKind};
pub(super) use types::Type;

/// The most parentheses, accesses and negations around one another.
const MAX_DEPTH: usize = 64;

/// What is wrong with the syntax.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SyntaxError {
    pub(super) range: Range<usize>,
    pub(super) message: String,
    /// What the range should be, if that is beyond doubt.
    pub(super) instead: Option<String>,
}

/// One `${{ … }}` of a text.
pub(super) struct Placeholder {
    /// From `${{` to `}}`.
    pub(super) range: Range<usize>,
    pub(super) parsed: Result<Expr, SyntaxError>,
}

/// Every placeholder of a text, in order. An error of the syntax ends the search: where the next one starts is unknown.
pub(super) fn placeholders(text: &str) -> Vec<Placeholder> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find("${{") {
        let start = from + at;
        let inside = start + 3;
        let (parsed, end) = match lex::tokens(text, inside, true) {
            Ok((tokens, end)) => (parse::parse(&tokens, inside..end - 2), end),
            Err(error) => {
                let end = text[inside..].find("}}").map_or(text.len(), |it| inside + it + 2);
                (Err(error), end)
            }
        };
        found.push(Placeholder { range: start..end, parsed });
        from = end;
    }
    found
}

/// A text that is an expression without `${{` and `}}` around it, as `if` allows.
pub(super) fn bare(text: &str) -> Result<Expr, SyntaxError> {
    let (tokens, end) = lex::tokens(text, 0, false)?;
    parse::parse(&tokens, 0..end)
}

#[cfg(test)]
mod tests;
