//! Whether an edit lost a comment that should have stayed.
//!
//! A comment belongs to the entry before it on its line, or else to the entry after it, or to the container around it.
//! It may go together with that, and with nothing else. Most edits touch no comment, so what belongs to what is only
//! looked up when one is missing.

use std::collections::BTreeMap;
use std::ops::Range;

use document::{Document, Pointer, Value};
use edit::EditSet;

/// How many entries of a document are looked at to find out what a comment belongs to. Beyond that, a comment that
/// goes is taken for lost.
const MAX_ENTRIES: usize = 20_000;

/// The first comment that is gone although what it belongs to is not.
pub(crate) fn lost_comment(old: &Document, new: &Document, edits: &EditSet) -> Option<String> {
    let missing = missing_comments(old, new, edits);
    if missing.is_empty() {
        return None;
    }
    let entries = entries(old);
    let lost = missing.into_iter().find(|comment| {
        let deleted = covering_edit(old, edits, comment);
        let parts = entries.as_ref().zip(deleted.as_ref());
        !parts
            .is_some_and(|(entries, deleted)| Loss { old, new, entries, comment, deleted }.may_be())
    });
    lost.map(|range| text_of(old, &range).into_owned())
}

/// The comments of the old text that are not in the new one. Of equal ones it is those that an edit touches.
fn missing_comments(old: &Document, new: &Document, edits: &EditSet) -> Vec<Range<u32>> {
    let old_comments = old.comments();
    if old_comments.is_empty() {
        return Vec::new();
    }
    let new_comments = new.comments();
    let mut left: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    for range in &new_comments {
        *left.entry(text_of(new, range).into_owned().into_bytes()).or_default() += 1;
    }
    let is_touched = |comment: &Range<u32>| {
        let after = edits.edits().partition_point(|edit| edit.end <= comment.start);
        edits
            .edits()
            .get(after)
            .is_some_and(|edit| edit.start < comment.end && edit.start < edit.end)
    };
    let (touched, untouched): (Vec<_>, Vec<_>) = old_comments.into_iter().partition(is_touched);
    let mut missing = Vec::new();
    for range in untouched.into_iter().chain(touched) {
        let text = text_of(old, &range).into_owned().into_bytes();
        match left.get_mut(&text).filter(|n| **n > 0) {
            Some(n) => *n -= 1,
            None => missing.push(range),
        }
    }
    missing
}

fn text_of<'a>(document: &'a Document, range: &Range<u32>) -> std::borrow::Cow<'a, str> {
    let bytes = document.text().bytes().get(range.start as usize..range.end as usize);
    String::from_utf8_lossy(bytes.unwrap_or_default().trim_ascii_end())
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

/// The bytes that are gone together with the comment: those of the edit, without what it puts back at its ends.
fn covering_edit(old: &Document, edits: &EditSet, comment: &Range<u32>) -> Option<Range<u32>> {
    let idx = edits.edits().partition_point(|edit| edit.end <= comment.start);
    let edit = edits.edits().get(idx).filter(|it| it.start < comment.end)?;
    let deleted = old.text().bytes().get(edit.start as usize..edit.end as usize)?;
    let same = |(left, right): &(&u8, &u8)| left == right;
    let prefix = deleted.iter().zip(edit.text.iter()).take_while(same).count();
    let (deleted, added) = (&deleted[prefix..], &edit.text[prefix..]);
    let suffix = deleted.iter().rev().zip(added.iter().rev()).take_while(same).count();
    let start = edit.start + u32::try_from(prefix).ok()?;
    Some(start..edit.end - u32::try_from(suffix).ok()?)
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
    fn may_be(&self) -> bool {
        let container = self.container();
        let owners = self.owners_on_line();
        if !owners.is_empty() {
            return owners.into_iter().any(|it| self.is_gone(it, container));
        }
        let at = self.entries.partition_point(|it| it.whole.start < self.comment.end);
        let column = |offset: u32| offset - line_start(self.old, offset);
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
        let line = line_start(self.old, self.comment.start);
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

fn line_start(document: &Document, offset: u32) -> u32 {
    let before = document.text().bytes().get(..offset as usize).unwrap_or_default();
    let newline = memchr::memrchr2(b'\n', b'\r', before);
    newline.and_then(|at| u32::try_from(at + 1).ok()).unwrap_or(0)
}
