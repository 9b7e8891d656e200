//! What belongs to each item of an array.
//!
//! Its *body*: the comment lines right above it, comments before it on its line, the item, and comments behind it
//! on its line as far as the comma. Its *tail*: the comment that ends its line behind the comma. A blank line
//! parts a comment from the item below; comments on the line of the opening bracket, at the top of the file, or
//! behind several items on one line are about the array, the file or the line, and stay.

use std::ops::Range;

use crate::document::Document;
use crate::source::ItemSpans;

/// The bytes that move with an item, in two parts with the comma between.
pub(super) struct ItemSlot {
    pub(super) body: Range<u32>,
    pub(super) tail: Range<u32>,
}

/// The slots of the items of an array, in order and disjoint.
pub(super) fn slots(document: &Document, array: Range<u32>, items: &ItemSpans) -> Vec<ItemSlot> {
    let comments = document.comments();
    let trivia = Trivia { bytes: document.text().bytes(), comments: &comments };
    let mut slots: Vec<ItemSlot> = Vec::with_capacity(items.spans.len());
    let mut above = if items.is_listed { array.start + 1 } else { 0 };
    for (position, item) in items.spans.iter().enumerate() {
        let mut start = trivia.lead(above, item.start);
        if position == 0 && !items.is_listed && trivia.is_top(start) {
            start = item.start;
        }
        let slot = if items.is_listed {
            let next = items.spans.get(position + 1);
            let below = next.map_or(array.end.saturating_sub(1), |next| next.start);
            let comma = trivia.comma(item.end, below);
            let (end, mut tail) = trivia.listed_end(item.end, comma, below);
            above = tail.end.max(comma.map_or(0, |comma| comma + 1));
            let previous = position.checked_sub(1).map(|it| items.spans[it].start);
            if previous.is_some_and(|previous| trivia.is_one_line(previous, item.end)) {
                tail.end = tail.start;
            }
            ItemSlot { body: start..end, tail }
        } else {
            above = trivia.run(item.end);
            ItemSlot { body: start..above, tail: above..above }
        };
        slots.push(slot);
    }
    slots
}

/// A text whose comments are known, so that what is between items can be told apart.
struct Trivia<'a> {
    bytes: &'a [u8],
    comments: &'a [Range<u32>],
}

impl Trivia<'_> {
    fn slice(&self, start: u32, end: u32) -> &[u8] {
        self.bytes.get(start as usize..end as usize).unwrap_or_default()
    }

    fn comments_between(&self, start: u32, end: u32) -> &[Range<u32>] {
        let first = self.comments.partition_point(|it| it.start < start);
        let rest = &self.comments[first..];
        &rest[..rest.partition_point(|it| it.end <= end)]
    }

    /// Where the comments start that are about the item at `start`; none of them stands before `above`.
    fn lead(&self, above: u32, start: u32) -> u32 {
        let mut lead = start;
        for comment in self.comments_between(above, start).iter().rev() {
            let Some(breaks) = line_breaks(self.slice(comment.end, lead)) else { break };
            if breaks > 1 || (breaks == 1 && !self.is_first_on_line(comment.start)) {
                break;
            }
            lead = comment.start;
        }
        lead
    }

    fn is_one_line(&self, start: u32, end: u32) -> bool {
        memchr::memchr2(b'\r', b'\n', self.slice(start, end)).is_none()
    }

    fn is_first_on_line(&self, at: u32) -> bool {
        let before = self.slice(0, at).iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        matches!(before, None | Some(b'\r' | b'\n'))
    }

    /// Whether nothing stands above the line of `at`, or the start of the document right above it.
    fn is_top(&self, at: u32) -> bool {
        let above = self.slice(0, at).trim_ascii_end();
        let is_next_line = line_breaks(self.slice(above.len() as u32, at)) == Some(1);
        let line = above.iter().rposition(|byte| matches!(byte, b'\r' | b'\n'));
        let line = &above[line.map_or(0, |at| at + 1)..];
        above.is_empty() || above == b"\xEF\xBB\xBF" || (is_next_line && line.starts_with(b"---"))
    }

    /// The comma that separates what ends at `start` from what starts at `end`.
    fn comma(&self, start: u32, end: u32) -> Option<u32> {
        let mut at = start;
        for comment in self.comments_between(start, end).iter().chain([&(end..end)]) {
            if let Some(found) = memchr::memchr(b',', self.slice(at, comment.start)) {
                return Some(at + found as u32);
            }
            at = comment.end;
        }
        None
    }

    /// The end of the comments that follow `at` on its line.
    fn run(&self, at: u32) -> u32 {
        let mut end = at;
        let first = self.comments.partition_point(|it| it.start < at);
        for comment in &self.comments[first..] {
            if line_breaks(self.slice(end, comment.start)) != Some(0) {
                break;
            }
            end = comment.end;
        }
        end
    }

    fn ends_line(&self, at: u32) -> bool {
        let rest = self.bytes.get(at as usize..).unwrap_or_default();
        let next = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
        matches!(next, None | Some(b'\r' | b'\n'))
    }

    /// Where the body of an item between commas ends, and its tail.
    fn listed_end(&self, item: u32, comma: Option<u32>, below: u32) -> (u32, Range<u32>) {
        let comma = comma.filter(|comma| self.is_one_line(item, *comma));
        let run = self.run(item);
        let body = match comma {
            Some(_) => run,
            // The last one before a bracket on its line.
            None if !self.ends_line(run) && self.slice(run, below).trim_ascii().is_empty() => run,
            None => item,
        };
        let from = comma.map_or(body, |comma| comma + 1);
        let tail = self.run(from);
        (body, from..if self.ends_line(tail) { tail } else { from })
    }
}

/// How many line breaks are in bytes that are only whitespace; `None` if something else is.
fn line_breaks(bytes: &[u8]) -> Option<usize> {
    let mut breaks = 0;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b' ' | b'\t' => {}
            b'\n' if at > 0 && bytes[at - 1] == b'\r' => {}
            b'\r' | b'\n' => breaks += 1,
            _ => return None,
        }
    }
    Some(breaks)
}
