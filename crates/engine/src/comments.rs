//! Whether an edit lost a comment that should have stayed.
//!
//! A comment belongs to what stands before it on its line, or else to what comes after it, or to what is around it. It
//! may go together with that, and with nothing else. In a document that is an entry, in a program a line of code. A
//! comment also may go if it is what the repair is about, and one that only has other blanks is still the same.
//!
//! Most edits touch no comment, so what belongs to what is only looked up when one is missing.

mod program;

use std::collections::BTreeMap;
use std::ops::Range;

use document::{Document, Pointer, Value};
use edit::{EditSet, Text};

pub(crate) use program::lost_in_program;

/// How many entries of a document are looked at to find out what a comment belongs to. Beyond that, a comment that
/// goes is taken for lost.
const MAX_ENTRIES: usize = 20_000;

/// The first comment of a document that is gone although what it belongs to is not, and although it is not meant.
pub(crate) fn lost_in_document(
    old: &Document,
    new: &Document,
    edits: &EditSet,
    is_meant: &dyn Fn(&Range<u32>) -> bool,
) -> Option<String> {
    let missing = missing_comments(
        &Commented { text: old.text(), comments: old.comments() },
        || Commented { text: new.text(), comments: new.comments() },
        edits,
    );
    if missing.is_empty() {
        return None;
    }
    let entries = entries(old);
    let lost = missing.into_iter().filter(|it| !is_meant(it)).find(|comment| {
        let deleted = covering_edit(old.text(), edits, comment);
        let parts = entries.as_ref().zip(deleted.as_ref());
        !parts.is_some_and(|(entries, (deleted, _))| {
            Loss { old, new, entries, comment, deleted }.is_allowed()
        })
    });
    lost.map(|range| text_of(old.text(), &range))
}

/// A text and where its comments are.
struct Commented<'a> {
    text: &'a Text,
    comments: Vec<Range<u32>>,
}

/// The comments of the old text that are not in the new one. Of equal ones it is those that an edit touches.
fn missing_comments<'a>(
    old: &Commented<'_>,
    new: impl FnOnce() -> Commented<'a>,
    edits: &EditSet,
) -> Vec<Range<u32>> {
    if old.comments.is_empty() {
        return Vec::new();
    }
    let new = new();
    let mut left: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    for range in &new.comments {
        *left.entry(words_of(new.text, range)).or_default() += 1;
    }
    let is_touched = |comment: &&Range<u32>| {
        let after = edits.edits().partition_point(|edit| edit.end <= comment.start);
        edits
            .edits()
            .get(after)
            .is_some_and(|edit| edit.start < comment.end && edit.start < edit.end)
    };
    let (touched, untouched): (Vec<_>, Vec<_>) = old.comments.iter().partition(is_touched);
    let mut missing = Vec::new();
    for range in untouched.into_iter().chain(touched) {
        match left.get_mut(&words_of(old.text, range)).filter(|n| **n > 0) {
            Some(n) => *n -= 1,
            None => missing.push(range.clone()),
        }
    }
    missing
}

/// What a comment says, blanks aside: it may be moved in or out, and laid out anew.
fn words_of(text: &Text, range: &Range<u32>) -> Vec<u8> {
    let bytes = text.bytes().get(range.start as usize..range.end as usize).unwrap_or_default();
    bytes.iter().copied().filter(|it| !it.is_ascii_whitespace()).collect()
}

fn text_of(text: &Text, range: &Range<u32>) -> String {
    let bytes = text.bytes().get(range.start as usize..range.end as usize);
    String::from_utf8_lossy(bytes.unwrap_or_default().trim_ascii_end()).into_owned()
}

/// A key with its value, or an item.
struct Entry {
    pointer: Pointer,
    /// The key if there is one, and the value.
    whole: Range<u32>,
    value: Range<u32>,
    key: Option<Range<u32>>,
}

/// All entries in the order of their places; `None` if there are too many.
fn entries(document: &Document) -> Option<Vec<Entry>> {
    let value = document.value();
    let mut open = vec![(Pointer::root(), &value)];
    let mut pointers = Vec::new();
    while let Some((at, value)) = open.pop() {
        let children: Vec<(Pointer, &Value)> = match value {
            Value::Object(members) => {
                members.iter().map(|(key, it)| (at.join(key.as_str()), it)).collect()
            }
            Value::Array(items) => {
                items.iter().enumerate().map(|(idx, it)| (at.join(idx.to_string()), it)).collect()
            }
            _ => continue,
        };
        if pointers.len() + children.len() > MAX_ENTRIES {
            return None;
        }
        pointers.extend(children.iter().map(|(pointer, _)| pointer.clone()));
        open.extend(children);
    }
    let found = document.locate_many(&pointers);
    let mut entries: Vec<Entry> = pointers
        .into_iter()
        .zip(found)
        .filter_map(|(pointer, found)| {
            let found = found?;
            let start = found.key_span.as_ref().map_or(found.span.start, |it| it.start);
            let whole = start.min(found.span.start)..found.span.end.max(start);
            Some(Entry { pointer, whole, value: found.span, key: found.key_span })
        })
        .collect();
    entries.sort_by_key(|it| (it.whole.start, it.whole.end));
    Some(entries)
}

/// The bytes that are gone together with the comment, and what is in their place: those of the edit, without what it
/// puts back at its ends.
fn covering_edit<'a>(
    old: &Text,
    edits: &'a EditSet,
    comment: &Range<u32>,
) -> Option<(Range<u32>, &'a [u8])> {
    let idx = edits.edits().partition_point(|edit| edit.end <= comment.start);
    let edit = edits.edits().get(idx).filter(|it| it.start < comment.end)?;
    let deleted = old.bytes().get(edit.start as usize..edit.end as usize)?;
    let same = |(left, right): &(&u8, &u8)| left == right;
    let prefix = deleted.iter().zip(edit.text.iter()).take_while(same).count();
    let (deleted, added) = (&deleted[prefix..], &edit.text[prefix..]);
    let suffix = deleted.iter().rev().zip(added.iter().rev()).take_while(same).count();
    let start = edit.start + u32::try_from(prefix).ok()?;
    let end = edit.end - u32::try_from(suffix).ok()?;
    Some((start..end, &added[..added.len() - suffix]))
}

/// A comment that is gone, and what went with it.
struct Loss<'a> {
    old: &'a Document,
    new: &'a Document,
    /// In the order of their places.
    entries: &'a [Entry],
    comment: &'a Range<u32>,
    deleted: &'a Range<u32>,
}

impl Loss<'_> {
    /// Whether what the comment belongs to is gone as well.
    fn is_allowed(&self) -> bool {
        let container = self.container();
        let owners = self.owners_on_line();
        if !owners.is_empty() {
            return owners.into_iter().any(|it| self.is_gone(it, container));
        }
        let at = self.entries.partition_point(|it| it.whole.start < self.comment.end);
        let column = |offset: u32| offset - line_start(self.old.text(), offset);
        let is_beside = |next: &&Entry| {
            container.is_none_or(|it| next.whole.end <= it.value.end)
                && column(next.whole.start) >= column(self.comment.start)
        };
        // The last comment in a block of YAML stands deeper than what comes after the block.
        let above = || {
            let before = self.entries.iter().filter(|it| it.whole.end <= self.comment.start);
            before.max_by_key(|it| it.whole.end)
        };
        let owner = self.entries.get(at).filter(is_beside).or(container).or_else(above);
        owner.is_some_and(|owner| self.is_gone(owner, container))
    }

    /// The innermost entry whose value has the comment in it.
    fn container(&self) -> Option<&Entry> {
        let holds =
            |it: &&Entry| it.value.start < self.comment.start && self.comment.end <= it.value.end;
        self.entries.iter().filter(holds).min_by_key(|it| it.value.end - it.value.start)
    }

    /// The entries that end, or whose key ends, last before the comment on the same line. An item and its first key may
    /// end together; one that starts on an earlier line only counts if no other does.
    fn owners_on_line(&self) -> Vec<&Entry> {
        let line = line_start(self.old.text(), self.comment.start);
        let end = |it: &Entry| {
            let key = it.key.as_ref().map(|key| key.end);
            let ends = [Some(it.whole.end), key].into_iter().flatten();
            ends.filter(|end| line < *end && *end <= self.comment.start).max()
        };
        let last = self.entries.iter().filter_map(end).max();
        let ending = self.entries.iter().filter(|it| last.is_some() && end(it) == last);
        let (inside, outside): (Vec<&Entry>, Vec<&Entry>) =
            ending.partition(|it| it.whole.start >= line);
        if inside.is_empty() { outside } else { inside }
    }

    fn is_gone(&self, entry: &Entry, container: Option<&Entry>) -> bool {
        let is_in = |inner: &Range<u32>, outer: &Range<u32>| {
            outer.start <= inner.start && inner.end <= outer.end
        };
        let Some(after) = self.new.value_at(&entry.pointer) else { return true };
        if !is_in(&entry.whole, self.deleted) {
            return false;
        }
        // What stands at the place of a removed item, or in a value that was replaced as a whole, is another thing.
        let is_other = self.old.value_at(&entry.pointer).is_none_or(|it| !it.equals(&after));
        match entry.key {
            None => is_other || self.is_list_shorter(entry),
            Some(_) => is_other && container.is_some_and(|it| is_in(self.deleted, &it.value)),
        }
    }

    fn is_list_shorter(&self, item: &Entry) -> bool {
        let n_items = |document: &Document| {
            let (list, _) = item.pointer.split_last()?;
            match document.value_at(&list)? {
                Value::Array(items) => Some(items.len()),
                _ => None,
            }
        };
        n_items(self.new) < n_items(self.old)
    }
}

fn line_start(text: &Text, offset: u32) -> u32 {
    let before = text.bytes().get(..offset as usize).unwrap_or_default();
    let newline = memchr::memrchr2(b'\n', b'\r', before);
    newline.and_then(|at| u32::try_from(at + 1).ok()).unwrap_or(0)
}
