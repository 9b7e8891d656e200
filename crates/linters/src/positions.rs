//! Places in a text in the dialects of tools, converted to byte offsets and checked.
//!
//! Tools count in bytes, code points or UTF-16 code units, from 0 or from 1, with a byte order mark or without it, and
//! disagree about what ends a line. A [`PositionDialect`] says how one tool counts; [`PositionIndex`] knows one text and finds the byte
//! that a place means. A place that the text does not have is a [`Misfit`], never the nearest one that it has.
//!
//! | tool | unit | base | BOM | a line ends with |
//! |---|---|---|---|---|
//! | ruff | code points | 1, 1 | not counted | LF, CRLF, CR |
//! | ESLint, stylelint | UTF-16 offset | 0 | not counted | |
//! | rustc | byte offset | 0 | counted | |
//! | clang | byte offset | 0 | counted | |
//! | shellcheck | code points; `-f json` counts tab stops | 1, 1 | counted | LF |
//! | typos | bytes of the line | 1, 0 | counted | LF |
//! | LSP | UTF-16, or what was agreed on | 0, 0 | not counted | LF, CRLF, CR |
//!
//! Columns are found by binary search, so that a file of one long line with many findings costs no more than another.

use std::cell::OnceCell;
use std::ops::Range;

use edit::{Edit, Text};

use crate::limits::MAX_SCANNED;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// What a column or an offset counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PositionUnit {
    /// Bytes of UTF-8.
    Byte,
    /// Unicode code points.
    CodePoint,
    /// UTF-16 code units.
    Utf16,
    /// Code points, where a tab reaches to the next multiple of eight. Columns only.
    TabStop,
}

/// Whether a byte order mark at the start of the text is counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Bom {
    /// It is a character like any other.
    Counted,
    /// Counting starts after it.
    Skipped,
}

/// What ends a line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LineEnds {
    /// LF, with or without a CR before it.
    Lf,
    /// LF, CRLF, and CR alone.
    Cr,
    /// LF, CRLF, CR, U+2028 and U+2029, as in ECMAScript.
    Ecma,
}

/// How a tool counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PositionDialect {
    /// What columns and offsets count.
    pub unit: PositionUnit,
    /// Whether a byte order mark counts.
    pub bom: Bom,
    /// What ends a line.
    pub line_ends: LineEnds,
    /// The number of the first line.
    pub first_line: u32,
    /// The number of the first column.
    pub first_column: u32,
}

impl PositionDialect {
    /// Lines and columns from 1, columns in this unit, a byte order mark counted, lines that end with LF.
    pub const fn columns(unit: PositionUnit) -> PositionDialect {
        PositionDialect {
            unit,
            bom: Bom::Counted,
            line_ends: LineEnds::Lf,
            first_line: 1,
            first_column: 1,
        }
    }

    /// Offsets from 0 in this unit, a byte order mark counted.
    pub const fn offsets(unit: PositionUnit) -> PositionDialect {
        PositionDialect::columns(unit)
    }

    /// The same without a byte order mark.
    #[must_use]
    pub const fn without_bom(self) -> PositionDialect {
        PositionDialect { bom: Bom::Skipped, ..self }
    }

    /// The same with other line ends.
    #[must_use]
    pub const fn lines(self, line_ends: LineEnds) -> PositionDialect {
        PositionDialect { line_ends, ..self }
    }

    /// The same, counted from these numbers.
    #[must_use]
    pub const fn from(self, first_line: u32, first_column: u32) -> PositionDialect {
        PositionDialect { first_line, first_column, ..self }
    }
}

/// A place as a tool names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ToolPosition {
    /// A line and a column.
    Column {
        /// The line, as the tool counts.
        line: u64,
        /// The column, as the tool counts.
        column: u64,
    },
    /// An offset from the start of the text.
    Offset(i64),
}

/// A range as a tool names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Span {
    /// From one place to another, which is not part of it.
    Between(ToolPosition, ToolPosition),
    /// A whole line, without what ends it.
    Line(u64),
    /// From a place to the end of a line, without what ends it.
    ToLineEnd(ToolPosition, u64),
    /// A place of which no end is known: the word that stands there.
    Word(ToolPosition),
}

/// Why a place or an edit does not fit the text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Misfit {
    /// The text has fewer lines.
    #[error("line {line} is not in the file, which has {lines}")]
    NoLine {
        /// The line, as the tool counts.
        line: u64,
        /// How many lines there are.
        lines: usize,
    },
    /// The line has fewer columns.
    #[error("column {column} is not in line {line}")]
    NoColumn {
        /// The line, as the tool counts.
        line: u64,
        /// The column, as the tool counts.
        column: u64,
    },
    /// The text is shorter.
    #[error("offset {offset} is not in the file")]
    NoOffset {
        /// The offset, as the tool counts.
        offset: i64,
    },
    /// The place is in the middle of a character.
    #[error("the position is inside a character")]
    InsideCharacter,
    /// The end comes before the start.
    #[error("the range ends before it starts")]
    Inverted,
    /// Something else stands there than the tool says.
    #[error("expected `{expected}` at the position, found `{found}`")]
    OtherText {
        /// What the tool says stands there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// It is not said what is counted, and it makes a difference here.
    #[error("the tool does not say what its columns count, and it makes a difference here")]
    UnknownUnit,
    /// The text is too large to count in.
    #[error("the file is too large for positions")]
    TooLarge,
}

/// One text, ready to be asked where a place is.
#[derive(Clone, Debug)]
pub struct PositionIndex {
    text: Text,
    /// Every multi-byte character, in order: its end, and how many bytes more than units there are up to there.
    wides: Vec<Wide>,
    /// Where lines start, for each kind of line ends that somebody asked for.
    lines: [OnceCell<Vec<u32>>; 3],
    line_end: OnceCell<&'static str>,
}

#[derive(Clone, Copy, Debug)]
struct Wide {
    end: u32,
    width: u8,
    excess_code_points: u32,
    excess_utf16: u32,
}

impl PositionIndex {
    /// The places of `text`; `None` if it is larger than offsets can address.
    pub fn new(text: Text) -> Option<PositionIndex> {
        u32::try_from(text.len()).ok()?;
        let wides = find_wides(text.bytes());
        Some(PositionIndex { text, wides, lines: Default::default(), line_end: OnceCell::new() })
    }

    /// The text.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// The byte that a place means.
    pub fn byte(&self, place: ToolPosition, dialect: &PositionDialect) -> Result<u32, Misfit> {
        let origin = self.origin(dialect.bom);
        match place {
            ToolPosition::Offset(offset) => {
                // ESLint writes -1 for the place before a byte order mark that it does not count.
                if offset == -1 && dialect.bom == Bom::Skipped && origin > 0 {
                    return Ok(0);
                }
                let units = u32::try_from(offset).map_err(|_| Misfit::NoOffset { offset })?;
                let found = self.forward(origin, units, dialect.unit);
                found.map_err(|it| it.unwrap_or(Misfit::NoOffset { offset }))
            }
            ToolPosition::Column { line, column } => self.column(line, column, dialect),
        }
    }

    /// The bytes that a range means.
    pub fn bytes(&self, span: Span, dialect: &PositionDialect) -> Result<Range<u32>, Misfit> {
        let range = match span {
            Span::Between(start, end) => self.byte(start, dialect)?..self.byte(end, dialect)?,
            Span::Line(line) => self.line(line, dialect)?,
            Span::ToLineEnd(start, line) => {
                self.byte(start, dialect)?..self.line(line, dialect)?.end
            }
            Span::Word(place) => {
                let start = self.byte(place, dialect)?;
                start..self.word_end(start)
            }
        };
        if range.start > range.end { Err(Misfit::Inverted) } else { Ok(range) }
    }

    /// The edit of a range, if the text has it and, where the tool says what it replaces, that stands there.
    pub fn edit(
        &self,
        span: Span,
        dialect: &PositionDialect,
        replaced: Option<&str>,
        new: impl Into<Vec<u8>>,
    ) -> Result<Edit, Misfit> {
        let range = self.bytes(span, dialect)?;
        if let Some(expected) = replaced {
            self.expect(range.clone(), expected)?;
        }
        Ok(Edit::replace(range.start, range.end, new))
    }

    /// Fails if something else stands at a range.
    pub fn expect(&self, range: Range<u32>, expected: &str) -> Result<(), Misfit> {
        let found = &self.text.bytes()[range.start as usize..range.end as usize];
        if found == expected.as_bytes() {
            return Ok(());
        }
        let short = |text: &str| text.chars().take(40).collect::<String>();
        let found = short(&String::from_utf8_lossy(found));
        Err(Misfit::OtherText { expected: short(expected), found })
    }

    /// The bytes of a line, without what ends it and without a byte order mark, which nobody means.
    pub fn line(&self, line: u64, dialect: &PositionDialect) -> Result<Range<u32>, Misfit> {
        let starts = self.line_starts(dialect.line_ends);
        let nth = self.nth_line(line, dialect)?;
        let start = starts[nth];
        let end = starts.get(nth + 1).copied().unwrap_or(self.len());
        let content = &self.text.bytes()[start as usize..end as usize];
        let is_last = nth + 1 == starts.len();
        let width = if is_last { 0 } else { line_end_width(content) };
        let start = if nth == 0 { self.origin(Bom::Skipped) } else { start };
        Ok(start..(end - width).max(start))
    }

    /// The line of a byte, from 0, where lines end with LF.
    pub fn line_of(&self, byte: u32) -> usize {
        self.line_starts(LineEnds::Lf).partition_point(|it| *it <= byte).saturating_sub(1)
    }

    /// The line end that a text uses throughout; LF if it has both or none.
    pub fn line_end(&self) -> &'static str {
        self.line_end.get_or_init(|| {
            let bytes = self.text.bytes();
            let n_lf = bytes.iter().filter(|it| **it == b'\n').count();
            let n_crlf = bytes.windows(2).filter(|it| *it == b"\r\n").count();
            if n_lf > 0 && n_lf == n_crlf { "\r\n" } else { "\n" }
        })
    }

    fn len(&self) -> u32 {
        // The constructor has seen that it fits.
        u32::try_from(self.text.len()).unwrap_or(u32::MAX)
    }

    fn origin(&self, bom: Bom) -> u32 {
        if bom == Bom::Skipped && self.text.bytes().starts_with(BOM) { 3 } else { 0 }
    }

    fn line_starts(&self, line_ends: LineEnds) -> &[u32] {
        self.lines[line_ends as usize].get_or_init(|| find_lines(self.text.bytes(), line_ends))
    }

    fn nth_line(&self, line: u64, dialect: &PositionDialect) -> Result<usize, Misfit> {
        let starts = self.line_starts(dialect.line_ends);
        let misfit = Misfit::NoLine { line, lines: starts.len() };
        let nth = line.checked_sub(u64::from(dialect.first_line));
        let nth = nth.and_then(|it| usize::try_from(it).ok());
        nth.filter(|it| *it < starts.len()).ok_or(misfit)
    }

    fn column(&self, line: u64, column: u64, dialect: &PositionDialect) -> Result<u32, Misfit> {
        let starts = self.line_starts(dialect.line_ends);
        let no_column = Misfit::NoColumn { line, column };
        let units = column.checked_sub(u64::from(dialect.first_column));
        let units = units.and_then(|it| u32::try_from(it).ok()).ok_or(no_column.clone())?;
        let nth = self.nth_line(line, dialect)?;
        let start = if nth == 0 { self.origin(dialect.bom) } else { starts[nth] };
        let end = starts.get(nth + 1).copied().unwrap_or(self.len());
        let found = match dialect.unit {
            PositionUnit::TabStop => self.tab_stop(start, end, units),
            unit => self.forward(start, units, unit),
        };
        let found = found.map_err(|it| it.unwrap_or(no_column.clone()))?;
        // The place after the line end is the start of the next line, and some tools name it so.
        if found <= end { Ok(found) } else { Err(no_column) }
    }

    /// The byte that lies so many units after `start`. `Err(None)` if the text ends before.
    fn forward(&self, start: u32, units: u32, unit: PositionUnit) -> Result<u32, Option<Misfit>> {
        let first = self.wides.partition_point(|it| it.end <= start);
        let before = self.excess_before(first, unit);
        let passed = self.wides[first..].partition_point(|wide| {
            let units_until = (wide.end - start) - (wide.excess(unit) - before);
            units_until <= units
        });
        let next = first + passed;
        let excess = self.excess_before(next, unit) - before;
        let byte = start.checked_add(units).and_then(|it| it.checked_add(excess)).ok_or(None)?;
        if byte > self.len() {
            return Err(None);
        }
        let is_inside = self
            .wides
            .get(next)
            .is_some_and(|it| it.end - u32::from(it.width) < byte && byte < it.end);
        if is_inside { Err(Some(Misfit::InsideCharacter)) } else { Ok(byte) }
    }

    fn excess_before(&self, nth: usize, unit: PositionUnit) -> u32 {
        nth.checked_sub(1).map_or(0, |it| self.wides[it].excess(unit))
    }

    /// The byte at a column of tab stops. A column inside a tab is no place.
    fn tab_stop(&self, start: u32, end: u32, units: u32) -> Result<u32, Option<Misfit>> {
        let line = &self.text.bytes()[start as usize..end as usize];
        if line.len() > MAX_SCANNED {
            return Err(Some(Misfit::TooLarge));
        }
        let (mut column, mut at) = (0, start);
        while column < units {
            let rest = &self.text.bytes()[at as usize..end as usize];
            let first = *rest.first().ok_or(None)?;
            if first == b'\t' {
                column = (column / 8 + 1) * 8;
                at += 1;
            } else {
                column += 1;
                at += character_width(rest);
            }
        }
        if column == units { Ok(at) } else { Err(Some(Misfit::InsideCharacter)) }
    }

    fn word_end(&self, start: u32) -> u32 {
        let rest = &self.text.bytes()[start as usize..];
        let is_word = |it: &u8| it.is_ascii_alphanumeric() || *it == b'_' || !it.is_ascii();
        let word = rest.iter().take_while(|it| is_word(it)).count();
        let width = if word > 0 {
            word
        } else {
            usize::from(rest.first().is_some_and(|it| !matches!(it, b'\n' | b'\r')))
        };
        start + u32::try_from(width).unwrap_or(0)
    }
}

impl Wide {
    fn excess(&self, unit: PositionUnit) -> u32 {
        match unit {
            PositionUnit::Byte => 0,
            PositionUnit::CodePoint | PositionUnit::TabStop => self.excess_code_points,
            PositionUnit::Utf16 => self.excess_utf16,
        }
    }
}

fn character_width(bytes: &[u8]) -> u32 {
    let chunk = bytes[..bytes.len().min(4)].utf8_chunks().next();
    let first = chunk.and_then(|it| it.valid().chars().next());
    first.map_or(1, |it| it.len_utf8() as u32)
}

fn line_end_width(line: &[u8]) -> u32 {
    match line {
        [.., b'\r', b'\n'] => 2,
        [.., 0xE2, 0x80, 0xA8 | 0xA9] => 3,
        [.., b'\n' | b'\r'] => 1,
        _ => 0,
    }
}

fn find_lines(bytes: &[u8], line_ends: LineEnds) -> Vec<u32> {
    let mut starts = vec![0];
    let mut at = 0;
    while at < bytes.len() {
        let width = match (bytes[at], line_ends) {
            (b'\n', _) => 1,
            (b'\r', LineEnds::Cr | LineEnds::Ecma) if bytes.get(at + 1) != Some(&b'\n') => 1,
            (0xE2, LineEnds::Ecma)
                if bytes.get(at + 1) == Some(&0x80)
                    && matches!(bytes.get(at + 2), Some(0xA8 | 0xA9)) =>
            {
                3
            }
            _ => 0,
        };
        at += width.max(1);
        if width > 0 {
            starts.push(at as u32);
        }
    }
    starts
}

fn find_wides(bytes: &[u8]) -> Vec<Wide> {
    let mut wides = Vec::new();
    if bytes.is_ascii() {
        return wides;
    }
    let (mut start, mut excess_code_points, mut excess_utf16) = (0, 0, 0);
    for chunk in bytes.utf8_chunks() {
        for (at, character) in chunk.valid().char_indices().filter(|it| !it.1.is_ascii()) {
            let width = character.len_utf8();
            excess_code_points += width as u32 - 1;
            excess_utf16 += (width - character.len_utf16()) as u32;
            wides.push(Wide {
                end: (start + at + width) as u32,
                width: width as u8,
                excess_code_points,
                excess_utf16,
            });
        }
        start += chunk.valid().len() + chunk.invalid().len();
    }
    wides
}

#[cfg(test)]
mod tests;
