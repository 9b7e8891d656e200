//! How wide things are on one line, known for any two items in constant time.

use super::{WIDTH, inline_width};
use crate::format::guide::{Break, Guide};
use crate::format::items::FormatTokens;

#[derive(Debug)]
pub(super) struct Measures {
    /// By item.
    measures: Vec<Measure>,
}

#[derive(Clone, Copy, Debug)]
struct Measure {
    /// Where it starts and ends if the whole text is on one line.
    start: u64,
    end: u64,
    /// How many gaps up to the one before it must be line breaks.
    cuts: u32,
    /// The width of what follows it up to the next place where the line can be cut.
    tail: u32,
    /// Whether it is the first of a declaration that a blank line sets apart.
    is_spread: bool,
}

impl Measures {
    pub(super) fn new(items: &FormatTokens<'_>, guide: &Guide) -> Measures {
        let n_items = items.items.len();
        let mut measures = Vec::with_capacity(n_items);
        let mut position = 0;
        let mut cuts = 0;
        for (index, gap) in guide.gaps.iter().enumerate() {
            position += match items.comments_before(index as u32) {
                [] => u64::from(gap.blanks),
                comments => inline_width(items, index as u32, comments),
            };
            cuts += u32::from(gap.is_cut || gap.is_forced);
            let start = position;
            position += u64::from(items.items[index].width);
            measures.push(Measure { start, end: position, cuts, tail: 0, is_spread: false });
        }
        for index in (0..n_items.saturating_sub(1)).rev() {
            let gap = guide.gaps[index + 1];
            let can_cut = gap.is_cut || matches!(gap.when, Break::WithGroup | Break::Always);
            if !can_cut {
                let next = measures[index + 1];
                let width = u32::try_from(next.end - measures[index].end).unwrap_or(u32::MAX);
                measures[index].tail = next.tail.saturating_add(width);
            }
        }
        let mut it = Measures { measures };
        it.spread(items, guide);
        it
    }

    /// A blank line sets a declaration apart if it or the one before is more than a line.
    fn spread(&mut self, items: &FormatTokens<'_>, guide: &Guide) {
        let is_long: Vec<bool> = guide
            .declarations
            .iter()
            .map(|&(first, last)| {
                self.is_cut(first, last)
                    || self.width(first, last) > WIDTH
                    || has_lines(items, first, last)
            })
            .collect();
        for index in 1..is_long.len() {
            let first = guide.declarations[index].0 as usize;
            self.measures[first].is_spread = is_long[index - 1] || is_long[index];
        }
    }

    /// Whether a gap between two items must be a line break.
    pub(super) fn is_cut(&self, first: u32, last: u32) -> bool {
        self.measures[last as usize].cuts > self.measures[first as usize].cuts
    }

    pub(super) fn width(&self, first: u32, last: u32) -> u64 {
        self.measures[last as usize].end - self.measures[first as usize].start
    }

    pub(super) fn tail(&self, item: u32) -> u64 {
        self.measures[item as usize].tail.into()
    }

    pub(super) fn is_spread(&self, item: u32) -> bool {
        self.measures[item as usize].is_spread
    }
}

/// Whether a token or comment spans lines.
fn has_lines(items: &FormatTokens<'_>, first: u32, last: u32) -> bool {
    items.items[first as usize..=last as usize].iter().any(|it| it.spans_lines)
        || (first + 1..=last).any(|it| items.comments_before(it).iter().any(|it| it.spans_lines))
}
