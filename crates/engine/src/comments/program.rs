//! Comments of programs. There is no parser, so what a comment belongs to is a line of code: it is gone if all of the
//! line's code was deleted, nothing was put in its place, and it does not come back elsewhere.

use std::ops::Range;

use check::Code;
use edit::{Edit, EditSet, LineIndex, Text};

use super::{Commented, covering_edit, line_start, missing_comments, text_of};
use crate::lines::code_by_line;

/// The first comment of a program that is gone although what it belongs to is not, and although it is not meant.
pub(crate) fn lost_in_program(
    code: Code<'_>,
    old: &Text,
    new: &Text,
    edits: &EditSet,
    is_meant: &dyn Fn(&Range<u32>) -> bool,
) -> Option<String> {
    let before = Commented { text: old, comments: code.comments(old) };
    let after = || Commented { text: new, comments: code.comments(new) };
    let missing = missing_comments(&before, after, edits);
    if missing.is_empty() {
        return None;
    }
    let lines = LineIndex::new(old.bytes());
    let code = code_by_line(old.bytes(), &lines, &before.comments, code.wrap());
    let code: Vec<Range<u32>> = code.into_iter().flatten().collect();
    // Who replaces many lines at once may have removed some of them, which only a comparison shows.
    let compared = edit::diff(old, new).ok();
    let lost = missing.into_iter().filter(|it| !is_meant(it)).find(|comment| {
        let Some(owner) = owner(old, &code, comment) else { return true };
        let is_removed = |edits: &EditSet| {
            let removed = removed(old, edits, comment);
            removed.is_some_and(|it| it.start <= owner.start && owner.end <= it.end)
        };
        let is_gone = is_removed(edits) || compared.as_ref().is_some_and(is_removed);
        !is_gone || comes_back(old, edits, &owner)
    });
    lost.map(|range| text_of(old, &range))
}

/// The code that a comment belongs to: that before it on its line, that after it on its line, the next line unless that
/// is less deep, the line before it.
fn owner(text: &Text, code: &[Range<u32>], comment: &Range<u32>) -> Option<Range<u32>> {
    let line = line_start(text, comment.start);
    let after = code.partition_point(|it| it.end <= comment.start);
    let before = after.checked_sub(1).and_then(|it| code.get(it));
    if let Some(own) = before.filter(|it| it.end > line) {
        return Some(own.clone());
    }
    // What is on both sides of a comment on its line is one range.
    let next = code.get(after);
    if let Some(own) = next.filter(|it| it.start < comment.start) {
        return Some(own.clone());
    }
    let depth = |at: u32| {
        let start = line_start(text, at);
        let line = text.bytes().get(start as usize..at as usize).unwrap_or_default();
        line.iter().take_while(|it| it.is_ascii_whitespace()).count()
    };
    let is_deep = |it: &&Range<u32>| depth(it.start) >= depth(comment.start);
    next.filter(is_deep).or(before).or(next).cloned()
}

/// The bytes that are gone together with the comment, if nothing but blanks is in their place.
fn removed(old: &Text, edits: &EditSet, comment: &Range<u32>) -> Option<Range<u32>> {
    let (deleted, added) = covering_edit(old, edits, comment)?;
    added.trim_ascii().is_empty().then_some(deleted)
}

/// Whether the code is put in again as a line: then it was moved, and its comment was left behind.
fn comes_back(old: &Text, edits: &EditSet, owner: &Range<u32>) -> bool {
    let code = old.bytes().get(owner.start as usize..owner.end as usize).unwrap_or_default();
    let is_line = |edit: &Edit| {
        let mut lines = edit.text.split(|it| matches!(it, b'\n' | b'\r'));
        lines.any(|it| it.trim_ascii() == code)
    };
    code.iter().any(u8::is_ascii_alphanumeric) && edits.edits().iter().any(is_line)
}
