//! Places in a text as reports name them: bytes from 0, lines and columns from 1, columns in code points.

use std::ops::Range;

use document::Document;
use edit::{LineIndex, Unit};

/// A range of a text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    /// First byte, from 0.
    pub start_byte: u32,
    /// The byte after the last one.
    pub end_byte: u32,
    /// Line of the first byte, from 1.
    pub start_line: u32,
    /// Column of the first byte in code points, from 1.
    pub start_col: u32,
    /// Line of the end, from 1.
    pub end_line: u32,
    /// Column of the end in code points, from 1.
    pub end_col: u32,
    /// Which document of the text it is in, from 0; `None` if the text holds only one.
    pub document: Option<u32>,
}

impl Location {
    /// The location of `span`; `None` if it does not lie in the text or cuts a character.
    pub fn new(lines: &LineIndex, span: Range<u32>) -> Option<Location> {
        let start = lines.position(span.start, Unit::CodePoint)?;
        let end = lines.position(span.end, Unit::CodePoint)?;
        (span.start <= span.end).then_some(Location {
            start_byte: span.start,
            end_byte: span.end,
            start_line: start.line + 1,
            start_col: start.column + 1,
            end_line: end.line + 1,
            end_col: end.column + 1,
            document: None,
        })
    }

    /// The same place, said to be in one of the documents of its text.
    #[must_use]
    pub fn in_document(self, document: &Document) -> Location {
        let index = u32::try_from(document.index()).ok();
        Location { document: index.filter(|_| document.n_documents() > 1), ..self }
    }
}
