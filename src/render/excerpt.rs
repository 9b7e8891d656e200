//! The part of one line that a code frame shows, and where in it the place is.
//!
//! A line can be as long as the file, so only what is shown is read. Each part is made printable on its own, so that
//! the span still covers the same text.

use std::ops::Range;

use service::{LineIndex, Unit};

use crate::words::printable;

/// A line that is not wider is shown whole.
const MOST_COLUMNS: usize = 110;
/// Of a wider one, so much is shown before the place,
const COLUMNS_BEFORE: usize = 40;
/// of the place itself,
const COLUMNS_INSIDE: usize = 50;
/// and after it.
const COLUMNS_AFTER: usize = 20;
/// No character has more bytes.
const BYTES_PER_COLUMN: usize = 4;
/// Stands for what is left out because it is long.
const CUT: &str = "...";
/// Stands for what must not be shown.
const HIDDEN: &str = "…";

/// What a frame shows of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Excerpt {
    pub(super) text: String,
    /// The place, in bytes of the text.
    pub(super) span: Range<usize>,
}

/// The line that the place begins in, or what is around the place if the line is long. A place that spans several lines
/// is shown by its first. Nothing if the place does not lie in the text. `hidden` is in order and disjoint.
pub(super) fn excerpt(
    bytes: &[u8],
    lines: &LineIndex,
    place: Range<u32>,
    hidden: &[Range<u32>],
) -> Option<Excerpt> {
    if place.start > place.end || place.end as usize > bytes.len() {
        return None;
    }
    let line = lines.line_range(line_of(lines, place.start)?)?;
    // The place can be the line end.
    let (start, end) = (place.start.min(line.end), place.end.min(line.end).max(place.start));
    let end = end.min(line.end);
    let source = Source { bytes, hidden };
    let parts = [line.start..start, start..end, end..line.end];
    let whole = parts.clone().map(|it| source.head(it, MOST_COLUMNS));
    let is_whole = whole.iter().all(|it| !it.is_cut)
        && whole.iter().map(|it| it.n_columns).sum::<usize>() <= MOST_COLUMNS;
    let [before, inside, after] = if is_whole {
        whole
    } else {
        let [before, inside, after] = parts;
        [
            source.tail(before, COLUMNS_BEFORE),
            source.head(inside, COLUMNS_INSIDE),
            source.head(after, COLUMNS_AFTER),
        ]
    };
    let mut text = String::new();
    text.push_str(if before.is_cut { CUT } else { "" });
    text.push_str(&before.text);
    let span_start = text.len();
    text.push_str(&inside.text);
    // What follows a place that is cut is too far away to be shown.
    let span = span_start..text.len();
    if inside.is_cut {
        text.push_str(CUT);
    } else {
        text.push_str(&after.text);
        text.push_str(if after.is_cut { CUT } else { "" });
    }
    Some(Excerpt { text, span })
}

/// The line of an offset, also if that lies inside a character.
fn line_of(lines: &LineIndex, offset: u32) -> Option<u32> {
    let starts = (0..4).filter_map(|back| offset.checked_sub(back));
    starts.into_iter().find_map(|it| lines.position(it, Unit::Byte)).map(|it| it.line)
}

struct Source<'a> {
    bytes: &'a [u8],
    hidden: &'a [Range<u32>],
}

/// A printable piece of a line.
struct Piece {
    text: String,
    n_columns: usize,
    /// Whether there was more than fits.
    is_cut: bool,
}

impl Source<'_> {
    /// What fits of the beginning of the range.
    fn head(&self, range: Range<u32>, most: usize) -> Piece {
        let mut piece = Piece { text: String::new(), n_columns: 0, is_cut: false };
        for (run, is_hidden) in self.runs(range) {
            let near = most.saturating_mul(BYTES_PER_COLUMN).min(run.len());
            let text = match is_hidden {
                true => HIDDEN.to_owned(),
                false => readable(&run[..near]),
            };
            for character in text.chars() {
                let n_columns = columns(character);
                if piece.n_columns + n_columns > most {
                    piece.is_cut = true;
                    return piece;
                }
                piece.n_columns += n_columns;
                piece.text.push(character);
            }
            if !is_hidden && near < run.len() {
                piece.is_cut = true;
                return piece;
            }
        }
        piece
    }

    /// What fits of the end of the range.
    fn tail(&self, range: Range<u32>, most: usize) -> Piece {
        let mut characters = Vec::new();
        let mut n_columns = 0;
        let mut is_cut = false;
        'runs: for (run, is_hidden) in self.runs_backwards(range) {
            // One column more than fits, so that half a character at the cut is never shown.
            let near = (most + 1).saturating_mul(BYTES_PER_COLUMN).min(run.len());
            let text = match is_hidden {
                true => HIDDEN.to_owned(),
                false => readable(&run[run.len() - near..]),
            };
            for character in text.chars().rev() {
                if n_columns + columns(character) > most {
                    is_cut = true;
                    break 'runs;
                }
                n_columns += columns(character);
                characters.push(character);
            }
        }
        Piece { text: characters.into_iter().rev().collect(), n_columns, is_cut }
    }

    /// The bytes of the range, in runs that are shown or hidden as a whole.
    fn runs(&self, range: Range<u32>) -> impl Iterator<Item = (&[u8], bool)> {
        let first = self.hidden.partition_point(|it| it.end <= range.start);
        let mut idx = first;
        let mut at = range.start;
        std::iter::from_fn(move || {
            if at >= range.end {
                return None;
            }
            let next = self.hidden.get(idx).filter(|it| it.start < range.end);
            let (end, is_hidden) = match next {
                Some(hidden) if hidden.start <= at => (hidden.end.min(range.end), true),
                Some(hidden) => (hidden.start, false),
                None => (range.end, false),
            };
            idx += usize::from(is_hidden);
            let run = &self.bytes[at as usize..end as usize];
            at = end;
            Some((run, is_hidden))
        })
    }

    fn runs_backwards(&self, range: Range<u32>) -> impl Iterator<Item = (&[u8], bool)> {
        let mut n_left = self.hidden.partition_point(|it| it.start < range.end);
        let mut at = range.end;
        std::iter::from_fn(move || {
            if at <= range.start {
                return None;
            }
            let next = n_left.checked_sub(1).and_then(|it| self.hidden.get(it));
            let next = next.filter(|it| it.end > range.start);
            let (start, is_hidden) = match next {
                Some(hidden) if hidden.end >= at => (hidden.start.max(range.start), true),
                Some(hidden) => (hidden.end, false),
                None => (range.start, false),
            };
            n_left -= usize::from(is_hidden);
            let run = &self.bytes[start as usize..at as usize];
            at = start;
            Some((run, is_hidden))
        })
    }
}

fn readable(bytes: &[u8]) -> String {
    printable(&String::from_utf8_lossy(bytes))
}

/// At most so many columns a terminal takes for it.
fn columns(character: char) -> usize {
    match character {
        '\t' => 4,
        _ if character.is_ascii() => 1,
        _ => 2,
    }
}
