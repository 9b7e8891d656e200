//! Source maps, version 3: from a place in generated text to the place it came from.

use serde_json::Value;

/// A source map that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceMap {
    sources: Vec<String>,
    /// Sorted by generated line and column.
    segments: Vec<Segment>,
}

/// Counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Segment {
    generated: (u32, u32),
    source: usize,
    original: (u32, u32),
}

/// Where something was written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Origin<'a> {
    /// The source as the map names it.
    pub source: &'a str,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

/// Why a text is not a source map.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceMapError {
    /// Not JSON, or without what a source map has.
    #[error("a source map has `version` 3, `sources` and `mappings`")]
    Shape,
    /// A mapping cannot be read.
    #[error("the mappings of line {line} cannot be read")]
    Mapping {
        /// The generated line, from 1.
        line: u32,
    },
}

impl SourceMap {
    /// Reads the JSON of a source map.
    pub fn parse(text: &str) -> Result<SourceMap, SourceMapError> {
        let map: Value = serde_json::from_str(text).map_err(|_| SourceMapError::Shape)?;
        let root = map["sourceRoot"].as_str().unwrap_or_default();
        let (Some(3), Some(sources), Some(mappings)) =
            (map["version"].as_u64(), map["sources"].as_array(), map["mappings"].as_str())
        else {
            return Err(SourceMapError::Shape);
        };
        let name = |it: &Value| it.as_str().map(|it| format!("{root}{it}"));
        let sources: Option<Vec<String>> = sources.iter().map(name).collect();
        let sources = sources.ok_or(SourceMapError::Shape)?;
        let mut segments = Vec::new();
        let mut totals = [0; 4];
        for (index, line) in mappings.split(';').enumerate() {
            let index = u32::try_from(index).map_err(|_| SourceMapError::Shape)?;
            let column = &mut totals[0];
            *column = 0;
            for segment in line.split(',').filter(|it| !it.is_empty()) {
                let read = read_segment(segment, index, &mut totals, sources.len());
                segments
                    .extend(read.ok_or(SourceMapError::Mapping { line: index.saturating_add(1) })?);
            }
        }
        segments.sort();
        Ok(SourceMap { sources, segments })
    }

    /// Where the text at a generated line and column, both from 1, came from: what the last mapping on that line at or
    /// before the column says.
    pub fn lookup(&self, line: u32, column: u32) -> Option<Origin<'_>> {
        let place = (line.checked_sub(1)?, column.checked_sub(1)?);
        let after = self.segments.partition_point(|it| it.generated <= place);
        let segment = self.segments.get(after.checked_sub(1)?)?;
        let (line, column) = segment.original;
        (segment.generated.0 == place.0).then_some(Origin {
            source: &self.sources[segment.source],
            line: line.saturating_add(1),
            column: column.saturating_add(1),
        })
    }
}

/// One segment: `Some(None)` if it has no origin, `None` if it cannot be read.
fn read_segment(
    text: &str,
    line: u32,
    totals: &mut [i64; 4],
    n_sources: usize,
) -> Option<Option<Segment>> {
    let numbers = read_numbers(text)?;
    if ![1, 4, 5].contains(&numbers.len()) {
        return None;
    }
    for (total, number) in totals.iter_mut().zip(&numbers) {
        *total = total.checked_add(*number)?;
    }
    let [column, source, original_line, original_column] = *totals;
    let column = u32::try_from(column).ok()?;
    if numbers.len() == 1 {
        return Some(None);
    }
    let source = usize::try_from(source).ok().filter(|it| *it < n_sources)?;
    let original = (u32::try_from(original_line).ok()?, u32::try_from(original_column).ok()?);
    Some(Some(Segment { generated: (line, column), source, original }))
}

/// Base 64 digits of five bits and a bit that says whether more follow; the lowest bit of a number is its sign.
fn read_numbers(text: &str) -> Option<Vec<i64>> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut numbers = Vec::new();
    let (mut value, mut shift) = (0i64, 0u32);
    for char in text.chars() {
        let digit = i64::try_from(DIGITS.find(char)?).ok()?;
        if shift > 35 {
            return None;
        }
        value |= (digit & 31) << shift;
        shift += 5;
        if digit & 32 == 0 {
            numbers.push(if value & 1 == 1 { -(value >> 1) } else { value >> 1 });
            (value, shift) = (0, 0);
        }
    }
    (shift == 0).then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(mappings: &str) -> Result<SourceMap, SourceMapError> {
        SourceMap::parse(&format!(
            r#"{{"version":3,"sources":["a.clank","b.clank"],"names":[],"mappings":"{mappings}"}}"#
        ))
    }

    fn check(mappings: &str, place: (u32, u32), expected: Option<(&str, u32, u32)>) {
        let map = map(mappings).unwrap();
        let found = map.lookup(place.0, place.1).map(|it| (it.source, it.line, it.column));
        assert_eq!(found, expected, "{mappings} {place:?}");
    }

    #[test]
    fn a_place_comes_from_the_last_mapping_before_it_on_its_line() {
        let mappings = "AAAA,IACE;;EACA,CCCC,QDAA";
        check(mappings, (1, 1), Some(("a.clank", 1, 1)));
        check(mappings, (1, 4), Some(("a.clank", 1, 1)));
        check(mappings, (1, 5), Some(("a.clank", 2, 3)));
        check(mappings, (1, 4_000_000_000), Some(("a.clank", 2, 3)));
        check(mappings, (2, 1), None);
        check(mappings, (3, 1), None);
        check(mappings, (3, 3), Some(("a.clank", 3, 3)));
        check(mappings, (3, 4), Some(("b.clank", 4, 4)));
        check(mappings, (3, 12), Some(("a.clank", 4, 4)));
        check(mappings, (0, 0), None);
        check("", (1, 1), None);
        check("A", (1, 1), None);
        check("AAAAA", (1, 1), Some(("a.clank", 1, 1)));
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_line() {
        for mappings in ["A;!", "A;g", "A;AA", "A;AEAA", "A;D", "A;AADA", "A;ggggggggggggggA"] {
            assert_eq!(map(mappings), Err(SourceMapError::Mapping { line: 2 }), "{mappings}");
        }
        for text in ["", "[]", "{}", r#"{"version":2,"sources":[],"mappings":""}"#] {
            assert_eq!(SourceMap::parse(text), Err(SourceMapError::Shape), "{text}");
        }
    }
}
