//! Why a text was not parsed, and why a change was not made. A refusal names the place.

use edit::{EditError, Text};

/// A text that could not be parsed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// What kind of problem it is.
    pub kind: ParseErrorKind,
    /// Byte offset where it was noticed.
    pub offset: u32,
    /// What is wrong, in one sentence that echoes no more than a few characters of the text.
    pub message: String,
}

/// The kinds of problem that keep a text from being parsed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The text does not follow the grammar of its format.
    Syntax,
    /// A key is defined twice, which the format forbids.
    DuplicateKey,
    /// The text is not UTF-8.
    NotUtf8,
    /// A bound of [`crate::Limits`] was reached.
    TooLarge,
}

/// A change that the document cannot take without risk.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    /// Why.
    pub reason: RefusalReason,
    /// Byte offset of the place in the text that the reason is about.
    pub offset: u32,
}

/// Reasons for a [`Refusal`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RefusalReason {
    /// A map has one key twice, so that a pointer would be ambiguous.
    #[error("key `{key}` appears more than once in its map; remove one of them first")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// A YAML stream of several documents, where one is expected.
    #[error("expected one YAML document, found several")]
    SeveralDocuments,
    /// A YAML line that ends in a carriage return alone, which readers and editors disagree about.
    #[error("a line ends in a lone carriage return; write the line ends as LF or CRLF first")]
    LoneCarriageReturn,
    /// The pointer leads through an alias.
    #[error("`*{anchor}` is an alias; edit the place that defines `&{anchor}` instead")]
    ThroughAlias {
        /// The anchor's name.
        anchor: String,
    },
    /// The edit would change every place that uses the anchor.
    #[error(
        "`&{anchor}` is used by {uses} alias(es), so an edit here would change more than one place"
    )]
    SharedAnchor {
        /// The anchor's name.
        anchor: String,
        /// How many aliases use it.
        uses: usize,
    },
    /// The edit would remove an anchor that aliases elsewhere still use.
    #[error("this would remove `&{anchor}`, which is still used by an alias elsewhere")]
    AnchorInUse {
        /// The anchor's name.
        anchor: String,
    },
    /// The key comes only from a YAML merge (`<<`).
    #[error("key `{key}` comes only from the merge `<<`; edit the map that is merged in")]
    MergedKey {
        /// The key.
        key: String,
    },
    /// A map with a key that is not a plain scalar.
    #[error("the map has a key that is not a scalar, which a JSON pointer cannot address")]
    ComplexKey,
    /// The format has no text for this.
    #[error("{format} cannot express {what}")]
    NotExpressible {
        /// The format's name.
        format: &'static str,
        /// What it has no text for.
        what: String,
    },
    /// A reorder names a place where no array is.
    #[error("expected an array to reorder")]
    NotAnArray,
    /// The new order leaves items out, names one twice or names one that is not there.
    #[error("the new order must name each of the {items} items exactly once")]
    NotAPermutation {
        /// How many items the array has.
        items: usize,
    },
    /// The tables of a TOML array stand among other tables.
    #[error("the tables of this array stand among other tables; move them together first")]
    ScatteredItems,
    /// The edited text would not mean what was asked for.
    #[error("the edited text would not read back as intended; nothing was changed")]
    NotVerified,
    /// The edited text would pass a limit, such as the depth of nesting.
    #[error("the edited text could not be parsed again: {message}")]
    NotParsed {
        /// What the parser said.
        message: String,
    },
    /// The edits could not be put together.
    #[error("{0}")]
    Edits(EditError),
}

impl ParseError {
    /// The text is not UTF-8.
    pub(crate) fn not_utf8(text: &Text) -> ParseError {
        let valid = std::str::from_utf8(text.bytes()).map_or_else(|it| it.valid_up_to(), str::len);
        let offset = u32::try_from(valid).unwrap_or(u32::MAX);
        let message = format!("byte {offset} is not valid UTF-8");
        ParseError { kind: ParseErrorKind::NotUtf8, offset, message }
    }
}

impl Refusal {
    /// A refusal about the byte at `offset`.
    pub fn new(reason: RefusalReason, offset: u32) -> Refusal {
        Refusal { reason, offset }
    }

    /// The refusal, about the byte at `offset` if it was about the text as a whole.
    pub(crate) fn within(self, offset: u32) -> Refusal {
        let offset = if self.offset == 0 { offset } else { self.offset };
        Refusal { offset, ..self }
    }
}
