//! From a text to the documents of its stream.

use ::yaml::{ErrorKind, Options};
use edit::Text;

use super::expansion::Aliases;
use super::tree::YamlTree;
use crate::limits::Limits;
use crate::refusal::{ParseError, ParseErrorKind};

/// Parses every document of the stream.
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
    Ok(YamlTree::new(text.clone(), tree, aliases))
}
