//! From a text to the documents of its stream.

use std::sync::Arc;

use ::yaml::{ErrorKind, Options};
use edit::Text;

use super::expansion::Aliases;
use super::tree::{Stream, YamlTree};
use crate::limits::Limits;
use crate::refusal::{ParseError, ParseErrorKind};

/// Parses every document of the stream, and gives the first.
pub(crate) fn parse(text: &Text, limits: &Limits) -> Result<YamlTree, ParseError> {
    let source = text.as_str().ok_or_else(|| ParseError::not_utf8(text))?;
    // By the letter of the specification `key: [` may not be closed by a `]` below the start of `key`. Most files do
    // just that and most readers take it.
    let options = Options { max_depth: limits.max_depth, ..Options::LENIENT };
    let tree = ::yaml::parse(source, &options).map_err(|error| {
        let kind = match error.kind {
            ErrorKind::TooDeep | ErrorKind::TooLarge => ParseErrorKind::TooLarge,
            _ => ParseErrorKind::Syntax,
        };
        ParseError { kind, offset: error.offset, message: error.message }
    })?;
    let aliases = Aliases::of(&tree, limits)?;
    let stream = Arc::new(Stream { text: text.clone(), tree, aliases });
    Ok(YamlTree::new(stream, 0).expect("every stream has a first document, if only an empty one"))
}
