//! The edits to one text, checked once when they are put together.
//!
//! Inside one set the author's order decides: insertions at one point land in the order they were given,
//! and an insertion at the edge of a replacement stays at that edge. Between two authors those are
//! conflicts; that is the business of [`Merge`](crate::Merge).

use std::collections::BTreeSet;
use std::ops::Range;

use crate::character;
use crate::order;
use crate::text::{ContentHash, Text};

/// The bytes `start..end` of a text become `text`. An empty range inserts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edit {
    /// First byte that is replaced.
    pub start: u32,
    /// The byte after the last one that is replaced.
    pub end: u32,
    /// What stands there afterwards.
    pub text: Box<[u8]>,
}

impl Edit {
    /// Replaces `start..end`.
    pub fn replace(start: u32, end: u32, text: impl Into<Vec<u8>>) -> Edit {
        Edit { start, end, text: text.into().into_boxed_slice() }
    }

    /// Inserts before the byte at `at`.
    pub fn insert(at: u32, text: impl Into<Vec<u8>>) -> Edit {
        Edit::replace(at, at, text)
    }

    /// Deletes `start..end`.
    pub fn delete(start: u32, end: u32) -> Edit {
        Edit::replace(start, end, Vec::new())
    }
}

/// Why edits cannot be made to a text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// `start > end`.
    #[error("edit {start}..{end} ends before it starts")]
    Inverted {
        /// Where the edit starts.
        start: u32,
        /// Where the edit ends.
        end: u32,
    },
    /// The edit reaches beyond the text.
    #[error("edit {start}..{end} reaches beyond the text of {len} bytes")]
    OutOfRange {
        /// Where the edit starts.
        start: u32,
        /// Where the edit ends.
        end: u32,
        /// The length of the text.
        len: u32,
    },
    /// An end of the edit lies inside a UTF-8 character.
    #[error("offset {offset} lies inside a character")]
    InsideCharacter {
        /// The offset.
        offset: u32,
    },
    /// Two edits touch the same bytes.
    #[error("edits {}..{} and {}..{} overlap", .first.start, .first.end, .second.start, .second.end)]
    Overlap {
        /// The edit that starts first.
        first: Edit,
        /// The edit that starts inside it.
        second: Edit,
    },
    /// The text is not the one that the edits were made for.
    #[error("the edits were made for {expected}, the text is {found}")]
    Stale {
        /// The hash of the text that the edits were made for.
        expected: ContentHash,
        /// The hash of the text at hand.
        found: ContentHash,
    },
    /// Offsets are 32 bits wide, before the edits and after them.
    #[error("the text has {len} bytes, the limit is 4 GiB")]
    TooLarge {
        /// The length of the text, or of what the edits would make of it.
        len: usize,
    },
}

/// Edits to one text: sorted by position, pairwise disjoint, inside the text and on character boundaries.
/// The text that they make is not larger than offsets can address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EditSet {
    base: ContentHash,
    edits: Vec<Edit>,
}

impl EditSet {
    /// Sorts the edits and fails on the first that cannot be made to `text`. Exact duplicates collapse into
    /// one, also among the insertions at one point; insertions of nothing are dropped.
    pub fn new(text: &Text, edits: Vec<Edit>) -> Result<EditSet, EditError> {
        let len = u32::try_from(text.len()).map_err(|_| EditError::TooLarge { len: text.len() })?;
        for edit in &edits {
            check_range(len, edit)?;
        }
        // Stable, so that insertions at one point keep the author's order.
        let mut edits = order::sorted(edits);
        // In this order the text is read once, from its start to its end.
        for edit in &edits {
            check_characters(text.bytes(), edit)?;
        }
        edits.retain(|edit| edit.start < edit.end || !edit.text.is_empty());
        collapse_duplicates(&mut edits);
        if let Some(pair) = edits.windows(2).find(|pair| pair[0].end > pair[1].start) {
            return Err(EditError::Overlap { first: pair[0].clone(), second: pair[1].clone() });
        }
        let result_len = result_len(text, &edits);
        if u32::try_from(result_len).is_err() {
            return Err(EditError::TooLarge { len: result_len });
        }
        Ok(EditSet { base: text.hash(), edits })
    }

    /// For edits that come out of other edit sets, so that the invariant is known to hold.
    pub(crate) fn from_checked(base: ContentHash, edits: Vec<Edit>) -> EditSet {
        debug_assert!(
            edits.is_sorted_by(|a, b| (a.start, a.end) <= (b.start, b.end) && a.end <= b.start)
        );
        EditSet { base, edits }
    }

    /// The hash of the text that these edits were made for.
    pub fn base(&self) -> ContentHash {
        self.base
    }

    /// The edits, in order of position.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// Whether nothing is edited.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The text after the edits, in one forward copy. Fails if `text` is not the one they were made for.
    pub fn apply(&self, text: &Text) -> Result<Text, EditError> {
        self.check_base(text)?;
        if let Some(result) = text.as_str().and_then(|it| self.apply_to_str(it)) {
            return Ok(Text::from_string(result));
        }
        let bytes = text.bytes();
        let mut result = Vec::with_capacity(result_len(text, &self.edits));
        let mut copied = 0;
        for edit in &self.edits {
            result.extend_from_slice(&bytes[copied..edit.start as usize]);
            result.extend_from_slice(&edit.text);
            copied = edit.end as usize;
        }
        result.extend_from_slice(&bytes[copied..]);
        Ok(Text::new(result))
    }

    /// The same for characters, so that nobody has to find out again that the result is UTF-8. `None` if an edit brings
    /// something else.
    fn apply_to_str(&self, text: &str) -> Option<String> {
        let added: usize = self.edits.iter().map(|edit| edit.text.len()).sum();
        let mut result = String::with_capacity(text.len() + added);
        let mut copied = 0;
        for edits in self.edits.chunks(AT_ONCE) {
            touch(edits);
            for edit in edits {
                result.push_str(text.get(copied..edit.start as usize)?);
                result.push_str(std::str::from_utf8(&edit.text).ok()?);
                copied = edit.end as usize;
            }
        }
        result.push_str(text.get(copied..)?);
        Some(result)
    }

    pub(crate) fn check_base(&self, text: &Text) -> Result<(), EditError> {
        if text.hash() == self.base {
            Ok(())
        } else {
            Err(EditError::Stale { expected: self.base, found: text.hash() })
        }
    }

    /// Every edit with the place where its text stands afterwards, in order of position.
    pub(crate) fn landings(&self) -> impl Iterator<Item = Landing> {
        let mut shift = 0;
        self.edits.iter().map(move |edit| {
            let start = shifted(edit.start, shift);
            let new = start..start + edit.text.len() as u32;
            shift = i64::from(new.end) - i64::from(edit.end);
            Landing { old: edit.start..edit.end, new, shift }
        })
    }
}

/// As many edits as their first bytes fit the processor's nearest cache.
const AT_ONCE: usize = 256;

/// Makes the processor fetch what the edits insert. Texts of edits in random order lie all over memory: waiting for each
/// when it is copied takes longer than all else, and waiting for many at once does not.
fn touch(edits: &[Edit]) {
    let first = |edit: &Edit| edit.text.first().copied().unwrap_or(0);
    std::hint::black_box(edits.iter().fold(0, |all, edit| all ^ first(edit)));
}

/// Where one edit stood and where its text stands once the whole set is applied.
#[derive(Clone, Debug)]
pub(crate) struct Landing {
    pub(crate) old: Range<u32>,
    pub(crate) new: Range<u32>,
    /// What to add to an old offset between this edit and the next one.
    pub(crate) shift: i64,
}

/// `offset + shift`; an offset beyond its text stays within what offsets can hold.
pub(crate) fn shifted(offset: u32, shift: i64) -> u32 {
    (i64::from(offset) + shift).clamp(0, i64::from(u32::MAX)) as u32
}

pub(crate) fn result_len(text: &Text, edits: &[Edit]) -> usize {
    let added: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let removed: usize = edits.iter().map(|edit| (edit.end - edit.start) as usize).sum();
    text.len() + added - removed
}

fn check_range(len: u32, edit: &Edit) -> Result<(), EditError> {
    let Edit { start, end, .. } = *edit;
    if start > end {
        return Err(EditError::Inverted { start, end });
    }
    if end > len {
        return Err(EditError::OutOfRange { start, end, len });
    }
    Ok(())
}

fn check_characters(bytes: &[u8], edit: &Edit) -> Result<(), EditError> {
    let Edit { start, end, .. } = *edit;
    match [start, end].into_iter().find(|&offset| character::around(bytes, offset).is_some()) {
        Some(offset) => Err(EditError::InsideCharacter { offset }),
        None => Ok(()),
    }
}

/// Removes the later of two equal edits. Equal insertions at one point need not be neighbours.
fn collapse_duplicates(edits: &mut Vec<Edit>) {
    edits.dedup();
    let same_place = |a: &Edit, b: &Edit| (a.start, a.end) == (b.start, b.end);
    if !edits.windows(3).any(|run| same_place(&run[0], &run[2])) {
        return;
    }
    let mut is_first = Vec::with_capacity(edits.len());
    for run in edits.chunk_by(same_place) {
        let mut seen = BTreeSet::new();
        is_first.extend(run.iter().map(|edit| seen.insert(&edit.text)));
    }
    let mut is_first = is_first.into_iter();
    edits.retain(|_| is_first.next().expect("there is one answer for every edit"));
}

#[cfg(test)]
mod tests;
