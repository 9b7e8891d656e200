//! Edits that turn one text into another, when only the two texts are known.
//!
//! A patience diff (Cohen) over Myers' diff ("An O(ND) difference algorithm and its variations", 1986): lines that occur
//! once in both texts, in the same order, anchor the rest. Between two anchors Myers' algorithm finds a shortest edit
//! script over lines, unless there are too many of them: then they become one replacement. So the work is bounded by the
//! number of lines and no clock is needed: equal input gives equal edits.

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::edit_set::{Edit, EditError, EditSet};
use crate::normal;
use crate::text::Text;

/// Between two anchors, more lines than this are not compared one by one.
const MAX_COMPARED_LINES: usize = 4096;

/// Edits that turn `old` into `new`: small, but not always the smallest. Fails if either text is too large.
///
/// ```
/// use edit::{Text, diff};
///
/// let (old, new) = (Text::new("a\nb\nc\n"), Text::new("a\nB\nc\nd\n"));
/// let edits = diff(&old, &new)?;
/// assert_eq!(edits.edits().len(), 2);
/// assert_eq!(edits.apply(&old)?.bytes(), new.bytes());
/// # Ok::<(), edit::EditError>(())
/// ```
pub fn diff(old: &Text, new: &Text) -> Result<EditSet, EditError> {
    for text in [old, new] {
        u32::try_from(text.len()).map_err(|_| EditError::TooLarge { len: text.len() })?;
    }
    if old == new {
        return EditSet::new(old, Vec::new());
    }
    let middle = differing_lines(old.bytes(), new.bytes());
    let start = middle.0.start;
    let (old_lines, new_lines) =
        (Lines::new(&old.bytes()[middle.0]), Lines::new(&new.bytes()[middle.1]));
    let (old_ids, new_ids) = intern(&old_lines, &new_lines);
    let edits = changed_lines(&old_ids, &new_ids).into_iter().map(|(olds, news)| {
        let replaced = old_lines.range_of(olds);
        let new = &new_lines.bytes[new_lines.range_of(news)];
        normal::trim(
            old,
            Edit::replace((start + replaced.start) as u32, (start + replaced.end) as u32, new),
        )
    });
    Ok(normal::join(old, edits))
}

/// What is left without the equal lines at both ends. Whole lines: an added line is to be seen as one, and
/// not as the end of one line and the start of another.
fn differing_lines(old: &[u8], new: &[u8]) -> (Range<usize>, Range<usize>) {
    let equal = |(a, b): &(&u8, &u8)| a == b;
    let prefix = old.iter().zip(new).take_while(equal).count();
    let prefix = memchr::memrchr(b'\n', &old[..prefix]).map_or(0, |newline| newline + 1);
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let suffix = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(equal).count();
    let suffix =
        memchr::memchr(b'\n', &old[old.len() - suffix..]).map_or(0, |newline| suffix - newline - 1);
    (prefix..old.len() - suffix, prefix..new.len() - suffix)
}

/// Lines with their `\n`, as the offsets between them.
struct Lines<'a> {
    bytes: &'a [u8],
    bounds: Vec<usize>,
}

impl Lines<'_> {
    fn new(bytes: &[u8]) -> Lines<'_> {
        let mut bounds = vec![0];
        bounds.extend(memchr::memchr_iter(b'\n', bytes).map(|newline| newline + 1));
        if bounds.last() != Some(&bytes.len()) {
            bounds.push(bytes.len());
        }
        Lines { bytes, bounds }
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.bounds.windows(2).map(|line| &self.bytes[line[0]..line[1]])
    }

    fn range_of(&self, lines: Range<usize>) -> Range<usize> {
        self.bounds[lines.start]..self.bounds[lines.end]
    }
}

/// Equal lines get equal numbers.
fn intern(old: &Lines<'_>, new: &Lines<'_>) -> (Vec<usize>, Vec<usize>) {
    let mut known = HashMap::new();
    let mut id = |line| {
        let next = known.len();
        *known.entry(line).or_insert(next)
    };
    (old.iter().map(&mut id).collect(), new.iter().map(&mut id).collect())
}

/// Which old lines become which new lines, in order.
fn changed_lines(old: &[usize], new: &[usize]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut changed = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for (old_anchor, new_anchor) in anchors(old, new).into_iter().chain([(old.len(), new.len())]) {
        compare(old, old_at..old_anchor, new, new_at..new_anchor, &mut changed);
        // The end of both texts is not a line; nothing comes after it.
        (old_at, new_at) = (old_anchor + 1, new_anchor + 1);
    }
    changed
}

fn compare(
    old: &[usize],
    mut olds: Range<usize>,
    new: &[usize],
    mut news: Range<usize>,
    changed: &mut Vec<(Range<usize>, Range<usize>)>,
) {
    while !olds.is_empty() && !news.is_empty() && old[olds.start] == new[news.start] {
        olds.start += 1;
        news.start += 1;
    }
    while !olds.is_empty() && !news.is_empty() && old[olds.end - 1] == new[news.end - 1] {
        olds.end -= 1;
        news.end -= 1;
    }
    if olds.len() + news.len() > MAX_COMPARED_LINES {
        changed.push((olds, news));
        return;
    }
    for op in capture_diff_slices(Algorithm::Myers, &old[olds.clone()], &new[news.clone()]) {
        if !matches!(op, DiffOp::Equal { .. }) {
            let (a, b) = (op.old_range(), op.new_range());
            changed.push((
                olds.start + a.start..olds.start + a.end,
                news.start + b.start..news.start + b.end,
            ));
        }
    }
}

/// The longest run of pairs of lines, in order in both texts, each of which occurs once in both.
fn anchors(old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
    let n_ids = old.iter().chain(new).max().map_or(0, |max| max + 1);
    let (old_places, new_places) = (single_places(old, n_ids), single_places(new, n_ids));
    let pairs: Vec<(usize, usize)> = old
        .iter()
        .filter_map(|&id| Some((old_places[id].only()?, new_places[id].only()?)))
        .collect();
    longest_rising(&pairs)
}

#[derive(Clone, Copy)]
enum Occurrences {
    None,
    One(usize),
    Many,
}

impl Occurrences {
    fn only(self) -> Option<usize> {
        match self {
            Occurrences::One(place) => Some(place),
            Occurrences::None | Occurrences::Many => None,
        }
    }
}

fn single_places(ids: &[usize], n_ids: usize) -> Vec<Occurrences> {
    let mut places = vec![Occurrences::None; n_ids];
    for (at, &id) in ids.iter().enumerate() {
        places[id] = match places[id] {
            Occurrences::None => Occurrences::One(at),
            Occurrences::One(_) | Occurrences::Many => Occurrences::Many,
        };
    }
    places
}

/// The longest subsequence whose second members rise; the first ones do already.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For every length, the pair with the smallest end that a run of this length can have.
    let mut tails: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (idx, pair) in pairs.iter().enumerate() {
        let at = tails.partition_point(|&tail| pairs[tail].1 < pair.1);
        previous.push(at.checked_sub(1).map(|before| tails[before]));
        if at == tails.len() {
            tails.push(idx);
        } else {
            tails[at] = idx;
        }
    }
    let mut run: Vec<(usize, usize)> =
        std::iter::successors(tails.last().copied(), |&idx| previous[idx])
            .map(|idx| pairs[idx])
            .collect();
    run.reverse();
    run
}

#[cfg(test)]
mod tests;
