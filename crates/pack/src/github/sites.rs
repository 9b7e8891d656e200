//! Where a part of the text of a scalar stands in the file: in plain and quoted scalars, over several lines, and in block
//! scalars.
//!
//! The text of a scalar and the bytes it is written with hold the same characters but for white space, indentation,
//! quotes and escapes. So both are walked side by side: equal characters meet, and where they differ the file has
//! indentation, a line break that reads as a blank, or an escape. Blanks may meet a little too early or too late; every
//! other character meets the one that it was read from.

use std::collections::BTreeMap;
use std::ops::Range;

use document::{Document, Pointer};

/// The scalars of a document that something is said of.
pub(super) struct Sites<'a> {
    bytes: &'a str,
    scalars: BTreeMap<Pointer, Scalar>,
}

struct Scalar {
    text: String,
    /// For every byte of the text the byte of the file, and one more for its end.
    bytes: Vec<u32>,
}

impl<'a> Sites<'a> {
    pub(super) fn of<'p>(
        document: &'a Document,
        pointers: impl Iterator<Item = &'p Pointer>,
    ) -> Sites<'a> {
        let mut pointers: Vec<Pointer> = pointers.cloned().collect();
        pointers.sort();
        pointers.dedup();
        let bytes = std::str::from_utf8(document.text().bytes()).unwrap_or_default();
        let found = document.locate_many(&pointers);
        let mut scalars = BTreeMap::new();
        for (pointer, found) in pointers.into_iter().zip(found) {
            let Some(found) = found else { continue };
            let value = document.value_at(&pointer);
            let Some(text) = value.as_ref().and_then(|it| it.as_str()) else { continue };
            if let Some(bytes) = align(text, bytes, found.span) {
                scalars.insert(pointer, Scalar { text: text.to_owned(), bytes });
            }
        }
        Sites { bytes, scalars }
    }

    /// The bytes of the file that a part of a scalar was read from.
    pub(super) fn locate(&self, at: &Pointer, within: Range<usize>) -> Option<Range<u32>> {
        let scalar = self.scalars.get(at)?;
        let start = *scalar.bytes.get(within.start)?;
        let last = within.end.checked_sub(1).filter(|it| *it >= within.start);
        let end = match last {
            Some(last) => {
                let first_of_char =
                    (0..=last).rev().find(|it| scalar.text.is_char_boundary(*it))?;
                let at = *scalar.bytes.get(first_of_char)? as usize;
                at + self.bytes.get(at..)?.chars().next()?.len_utf8()
            }
            None => start as usize,
        };
        Some(start..u32::try_from(end).ok()?.max(start))
    }

    /// The same, if the file has just these characters there.
    pub(super) fn exact(&self, at: &Pointer, within: Range<usize>) -> Option<Range<u32>> {
        let part = self.scalars.get(at)?.text.get(within.clone())?;
        let range = self.locate(at, within)?;
        let written = self.bytes.get(range.start as usize..range.end as usize)?;
        (written == part).then_some(range)
    }
}

/// For every byte of `text` the byte of the file it was read from, and one more for the end; `None` if they do not meet.
fn align(text: &str, file: &str, span: Range<u32>) -> Option<Vec<u32>> {
    let (start, end) = (span.start as usize, span.end as usize);
    let source = file.get(start..end)?;
    let (style, skip) = Style::of(source);
    let mut found = Vec::with_capacity(text.len() + 1);
    let mut at = skip;
    for character in text.chars() {
        loop {
            let rest = source.get(at..)?;
            let Some(next) = rest.chars().next() else {
                // What is left of the text is line breaks that the file has behind the span, or chose to keep.
                if character.is_whitespace() {
                    break;
                }
                return None;
            };
            if next == '\\' && style == Style::Double {
                if rest[1..].starts_with('\n') {
                    at += escape_length(rest);
                    continue;
                }
                break;
            }
            if next == character || next == '\r' && character == '\n' {
                break;
            }
            if character.is_whitespace() && next.is_whitespace() {
                break;
            }
            if next.is_whitespace() {
                at += next.len_utf8();
                continue;
            }
            // A blank of the text that the file has no character for: a folded line.
            if character.is_whitespace() {
                break;
            }
            return None;
        }
        let here = u32::try_from(start + at).ok()?;
        found.extend(std::iter::repeat_n(here, character.len_utf8()));
        let rest = source.get(at..)?;
        at += match rest.chars().next() {
            None => 0,
            Some('\\') if style == Style::Double => escape_length(rest),
            Some('\'') if style == Style::Single => 2.min(rest.len()),
            Some(next) if next == character || next.is_whitespace() => next.len_utf8(),
            Some(_) => 0,
        };
    }
    found.push(u32::try_from(start + at).ok()?);
    Some(found)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    Block,
}

impl Style {
    /// How the scalar is written, and how many bytes come before its first character.
    fn of(source: &str) -> (Style, usize) {
        match source.as_bytes().first() {
            Some(b'\'') => (Style::Single, 1),
            Some(b'"') => (Style::Double, 1),
            Some(b'|' | b'>') => {
                (Style::Block, source.find('\n').map_or(source.len(), |it| it + 1))
            }
            _ => (Style::Plain, 0),
        }
    }
}

fn escape_length(rest: &str) -> usize {
    let length = match rest.as_bytes().get(1) {
        Some(b'x') => 4,
        Some(b'u') => 6,
        Some(b'U') => 10,
        // An escaped line break reads as nothing, with the indentation behind it.
        Some(b'\n') => 2 + rest[2..].len() - rest[2..].trim_start().len(),
        Some(_) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        None => 1,
    };
    length.min(rest.len())
}

#[cfg(test)]
mod tests {
    use document::{Format, Limits, parse};
    use edit::Text;

    use super::*;

    /// Every character that is not a blank is found where it stands, in every style.
    #[test]
    fn parts_of_scalars_are_found_in_every_style() {
        let yaml = concat!(
            "plain: one ${{ a.b }} two\n",
            "single: 'it''s ${{ a.b }}'\n",
            "double: \"\\t\\u0041 \\\"${{ a.b }}\\\"\"\n",
            "literal: |\n  one\n    two ${{ a.b }}\n\n  three\n",
            "folded: >-\n  one\n  two ${{ a.b }}\n  three\n",
            "lines: one\n  two ${{ a.b }}\n  three\n",
            "wide: ünï ${{ a.b }}\n",
            "list: [x, '${{ a.b }}']\n",
        );
        let text = Text::new(yaml);
        let document = parse(&text, Format::Yaml, &Limits::DEFAULT).unwrap();
        let names = ["plain", "single", "double", "literal", "folded", "lines", "wide", "list/1"];
        let pointers: Vec<Pointer> =
            names.iter().map(|it| format!("/{it}").parse().unwrap()).collect();
        let sites = Sites::of(&document, pointers.iter());
        for pointer in &pointers {
            let value = document.value_at(pointer).unwrap();
            let scalar = value.as_str().unwrap();
            let at = scalar.find("a.b").unwrap();
            let range = sites.exact(pointer, at..at + 3).unwrap_or_else(|| panic!("{pointer}"));
            assert_eq!(&yaml[range.start as usize..range.end as usize], "a.b", "{pointer}");
        }
    }
}
