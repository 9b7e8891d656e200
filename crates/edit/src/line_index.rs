//! Lines and columns of a text, in the units that tools count in.
//!
//! Everything inside is 0-based. A line ends with `\n` or `\r\n`; a lone `\r` ends nothing. A byte that is
//! not part of a well-formed character is one column wide in every unit. An offset inside a character and a
//! position that no offset has are `None`.

use std::ops::Range;

/// What a column counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unit {
    /// Bytes.
    Byte,
    /// Unicode code points.
    CodePoint,
    /// UTF-16 code units.
    Utf16,
}

/// A place in a text, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column, in some [`Unit`].
    pub column: u32,
}

/// Finds the line and column of an offset and back, in logarithmic time however long the lines are.
/// Bytes that a 32-bit offset cannot reach are not indexed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineIndex {
    len: u32,
    /// There is at least one, and the first starts at 0.
    lines: Vec<Line>,
    /// Every multi-byte character, in order.
    wides: Vec<Wide>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Line {
    start: u32,
    /// Where its `\n` or `\r\n` starts.
    content_end: u32,
}

/// A multi-byte character, with how many bytes more than columns there are up to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Wide {
    end: u32,
    excess_code_points: u32,
    excess_utf16: u32,
}

impl Wide {
    const NONE: Wide = Wide { end: 0, excess_code_points: 0, excess_utf16: 0 };

    fn excess(&self, unit: Unit) -> u32 {
        match unit {
            Unit::Byte => 0,
            Unit::CodePoint => self.excess_code_points,
            Unit::Utf16 => self.excess_utf16,
        }
    }
}

impl LineIndex {
    /// The index of `bytes`.
    ///
    /// ```
    /// use edit::{LineIndex, Position, Unit};
    ///
    /// let lines = LineIndex::new("a\nä = 1\n".as_bytes());
    /// let at = lines.position(5, Unit::CodePoint);
    /// assert_eq!(at, Some(Position { line: 1, column: 2 }));
    /// assert_eq!(lines.position(5, Unit::Byte), Some(Position { line: 1, column: 3 }));
    /// ```
    pub fn new(bytes: &[u8]) -> LineIndex {
        let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let bytes = &bytes[..len as usize];
        LineIndex { len, lines: find_lines(bytes, len), wides: find_wides(bytes) }
    }

    /// How many lines there are. After a final line end there is one more line, which is empty.
    pub fn line_count(&self) -> u32 {
        self.lines.len() as u32
    }

    /// The bytes of a line without its line end.
    pub fn line_range(&self, line: u32) -> Option<Range<u32>> {
        self.lines.get(line as usize).map(|it| it.start..it.content_end)
    }

    /// Where `offset` is. The place between the `\r` and the `\n` of a line end is one column after the
    /// end of the line.
    pub fn position(&self, offset: u32, unit: Unit) -> Option<Position> {
        if offset > self.len {
            return None;
        }
        let n_before = self.n_wides_until(offset);
        if self.wides.get(n_before).is_some_and(|_| self.wide_start(n_before) < offset) {
            return None;
        }
        let line = self.lines.partition_point(|it| it.start <= offset) - 1;
        let start = self.lines[line].start;
        let excess = self.wide_before(n_before).excess(unit)
            - self.wide_before(self.n_wides_until(start)).excess(unit);
        Some(Position { line: line as u32, column: offset - start - excess })
    }

    /// The offset that has this position.
    pub fn offset(&self, position: Position, unit: Unit) -> Option<u32> {
        let line = position.line as usize;
        let start = self.lines.get(line)?.start;
        // The last place of a line is before its `\n`.
        let last = self.lines.get(line + 1).map_or(self.len, |next| next.start - 1);
        let first_wide = self.n_wides_until(start);
        let excess_before = self.wide_before(first_wide).excess(unit);
        let passed = self.wides[first_wide..self.n_wides_until(last)].partition_point(|wide| {
            wide.end - start - (wide.excess(unit) - excess_before) <= position.column
        });
        let next_wide = first_wide + passed;
        let excess = self.wide_before(next_wide).excess(unit) - excess_before;
        let offset = start.checked_add(position.column)?.checked_add(excess)?;
        let is_inside = next_wide < self.wides.len() && self.wide_start(next_wide) < offset;
        (offset <= last && !is_inside).then_some(offset)
    }

    fn n_wides_until(&self, offset: u32) -> usize {
        self.wides.partition_point(|wide| wide.end <= offset)
    }

    fn wide_before(&self, idx: usize) -> Wide {
        idx.checked_sub(1).map_or(Wide::NONE, |before| self.wides[before])
    }

    fn wide_start(&self, idx: usize) -> u32 {
        let width =
            self.wides[idx].excess_code_points - self.wide_before(idx).excess_code_points + 1;
        self.wides[idx].end - width
    }
}

fn find_lines(bytes: &[u8], len: u32) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = 0;
    for newline in memchr::memchr_iter(b'\n', bytes) {
        let is_crlf = newline > start && bytes[newline - 1] == b'\r';
        lines.push(Line {
            start: start as u32,
            content_end: (newline - usize::from(is_crlf)) as u32,
        });
        start = newline + 1;
    }
    lines.push(Line { start: start as u32, content_end: len });
    lines
}

fn find_wides(bytes: &[u8]) -> Vec<Wide> {
    let mut wides = Vec::new();
    if bytes.is_ascii() {
        return wides;
    }
    let mut last = Wide::NONE;
    let mut start = 0;
    for chunk in bytes.utf8_chunks() {
        for (at, character) in
            chunk.valid().char_indices().filter(|(_, character)| !character.is_ascii())
        {
            let width = character.len_utf8();
            last = Wide {
                end: (start + at + width) as u32,
                excess_code_points: last.excess_code_points + width as u32 - 1,
                excess_utf16: last.excess_utf16 + (width - character.len_utf16()) as u32,
            };
            wides.push(last);
        }
        start += chunk.valid().len() + chunk.invalid().len();
    }
    wides
}

#[cfg(test)]
mod tests;
