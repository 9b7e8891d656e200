//! One mistake, one error: which of the errors found in one declaration are consequences of others.

use super::bracket::Unmatched;
use crate::error::SyntaxError;
use crate::span::Span;

/// An error of the parser.
#[derive(Debug)]
pub(super) struct ParseFault {
    pub(super) error: SyntaxError,
    pub(super) sort: SyntaxFault,
    /// The end of what was read before it.
    pub(super) after: u32,
    /// The start of what was found instead.
    pub(super) until: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SyntaxFault {
    Plain,
    /// An opening bracket is missing.
    Opening,
    /// Too deep or too long.
    Limit,
}

/// The errors that remain. `hides_end` says that a string, template or comment in the declaration has no end; then
/// nothing can be said about what it hides.
pub(super) fn settle(
    mut found: Vec<ParseFault>,
    mut brackets: Vec<Unmatched>,
    strays: &[Span],
    hides_end: bool,
) -> Vec<SyntaxError> {
    if hides_end {
        return Vec::new();
    }
    if found.iter().any(|it| it.sort == SyntaxFault::Limit) {
        brackets.clear();
    }
    // One bracket too many or too few can leave others without partners.
    if brackets.iter().any(|it| it.is_opening) && brackets.iter().any(|it| !it.is_opening) {
        brackets.truncate(1);
    }
    if !strays.is_empty() {
        found.retain(|it| {
            let first = strays.partition_point(|stray| stray.start < it.after);
            strays.get(first).is_none_or(|stray| stray.start >= it.until)
        });
    }
    found.sort_by_key(|it| it.error.span.start);
    let mut found = found.into_iter().peekable();
    let mut kept: Vec<ParseFault> = Vec::new();
    let mut opening = None;
    let mut errors = Vec::new();
    for bracket in brackets {
        while let Some(it) = found.next_if(|it| it.error.span.start < bracket.offset) {
            if it.sort == SyntaxFault::Opening {
                opening = Some(kept.len());
            }
            kept.push(it);
        }
        if bracket.is_opening {
            // Nothing in it stands where it should.
            while found.next_if(|it| it.error.span.start <= bracket.until).is_some() {}
            errors.push(bracket.error);
            continue;
        }
        match opening {
            // The bracket that is missing is known, and what is between the two is in the wrong place.
            Some(index) => kept.truncate(index + 1),
            None => {
                kept.pop();
                errors.push(bracket.error);
            }
        }
    }
    errors.extend(kept.into_iter().chain(found).map(|it| it.error));
    errors
}
