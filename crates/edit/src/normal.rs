//! Puts edits that come out of other edits into the form of an [`EditSet`].
//!
//! Edits that touch become one. Two of them could not stay apart: both may insert the same bytes at one
//! point, which reads as a duplicate, and the place where they meet may lie inside a character.

use crate::character;
use crate::edit_set::{Edit, EditSet};
use crate::text::Text;

/// Joins edits that touch and widens what is left to whole characters of `text`. The edits must be sorted,
/// disjoint and inside `text`, and their result must be addressable.
pub(crate) fn join(text: &Text, edits: impl IntoIterator<Item = Edit>) -> EditSet {
    let bytes = text.bytes();
    let mut joined = Vec::new();
    let mut open: Option<Open> = None;
    for edit in edits {
        match &mut open {
            Some(last)
                if character::ceil(bytes, last.end) >= character::floor(bytes, edit.start) =>
            {
                last.text.extend_from_slice(&bytes[last.end as usize..edit.start as usize]);
                last.text.extend_from_slice(&edit.text);
                last.end = edit.end;
            }
            _ => {
                joined.extend(open.take().and_then(|last| last.close(bytes)));
                open = Some(Open::new(bytes, edit));
            }
        }
    }
    joined.extend(open.and_then(|last| last.close(bytes)));
    EditSet::from_checked(text.hash(), joined)
}

/// Takes the bytes off both ends of an edit that it does not change.
pub(crate) fn trim(text: &Text, edit: Edit) -> Edit {
    let old = &text.bytes()[edit.start as usize..edit.end as usize];
    let prefix = old.iter().zip(&edit.text).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[prefix..], &edit.text[prefix..]);
    let suffix = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    if prefix == 0 && suffix == 0 {
        return edit;
    }
    let new = &new[..new.len() - suffix];
    Edit::replace(edit.start + prefix as u32, edit.end - suffix as u32, new)
}

struct Open {
    start: u32,
    end: u32,
    text: Vec<u8>,
}

impl Open {
    fn new(bytes: &[u8], edit: Edit) -> Open {
        let start = character::floor(bytes, edit.start);
        let mut text = edit.text.into_vec();
        text.splice(..0, bytes[start as usize..edit.start as usize].iter().copied());
        Open { start, end: edit.end, text }
    }

    /// Nothing if nothing is left of it. Only then: `text` that stands there already is still an edit.
    fn close(mut self, bytes: &[u8]) -> Option<Edit> {
        let end = character::ceil(bytes, self.end);
        self.text.extend_from_slice(&bytes[self.end as usize..end as usize]);
        (self.start < end || !self.text.is_empty())
            .then(|| Edit::replace(self.start, end, self.text))
    }
}
