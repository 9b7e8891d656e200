//! The law of untouched bytes: what each operation may edit, stated from the text alone.
//!
//! A replaced value edits exactly its span, or for a container what lies inside it; a renamed key exactly its key; additions only insert (or replace the
//! blanks inside empty brackets); removals only delete, and beyond the member itself only blanks, commas and
//! comments of its own line.

use std::sync::Arc;

use document::{Document, Format, Limits, Op, Pointer, parse};
use edit::{Edit, Text};

use crate::it::laws;

pub(crate) fn check_every_op(name: &str, text: &str) {
    let Ok(document) = parse(&Text::new(text), Format::Json, &Limits::DEFAULT) else { return };
    if document.blocked().is_none() {
        laws::ops(&document.value()).iter().for_each(|op| check(name, &document, op));
    }
}

pub(crate) fn check(name: &str, document: &Arc<Document>, op: &Op) {
    let text = std::str::from_utf8(document.text().bytes()).unwrap();
    let mut draft = document.draft();
    if draft.apply(&op.clone().into()).is_err() {
        return;
    }
    let edits = draft.lower().unwrap();
    let context = || format!("{name}: {op:?}\n{:?}\n{text}", edits.edits());
    match op {
        Op::ReplaceValue { at, .. } => check_only(document, at, edits.edits(), &context),
        Op::ReplaceItem { at, index, .. } => {
            check_only(document, &at.join(index.to_string()), edits.edits(), &context);
        }
        Op::RenameKey { at, from, .. } => {
            let key = document.locate(&at.join(from)).unwrap().key_span.unwrap();
            let ranges: Vec<_> = edits.edits().iter().map(|edit| edit.start..edit.end).collect();
            assert_eq!(ranges, [key], "{}", context());
        }
        Op::AddKey { .. } | Op::InsertItem { .. } => {
            let is_addition = |edit: &Edit| is_blank(&text[range(edit)]);
            assert!(edits.edits().iter().all(is_addition), "{}", context());
        }
        Op::DeleteValue { at } => check_removal(document, at, edits.edits(), &context),
        Op::RemoveKey { at, key } => {
            check_removal(document, &at.join(key), edits.edits(), &context);
        }
        Op::DeleteItem { at, index } => {
            let item = at.join(index.to_string());
            check_removal(document, &item, edits.edits(), &context);
        }
        Op::SetValue { .. } | Op::MoveValue { .. } => {}
    }
}

/// One edit, of exactly the value; or none, if the value was that already. A container may be changed inside.
fn check_only(document: &Document, at: &Pointer, edits: &[Edit], context: &dyn Fn() -> String) {
    let span = document.locate(at).unwrap().span;
    let bytes = document.text().bytes();
    if matches!(bytes[span.start as usize], b'{' | b'[') {
        let is_inside = |edit: &Edit| span.start <= edit.start && edit.end <= span.end;
        assert!(edits.iter().all(is_inside), "{}", context());
        return;
    }
    assert!(edits.iter().all(|edit| (edit.start..edit.end) == span), "{}", context());
    assert!(edits.len() <= 1, "{}", context());
}

fn check_removal(document: &Document, at: &Pointer, edits: &[Edit], context: &dyn Fn() -> String) {
    let text = std::str::from_utf8(document.text().bytes()).unwrap();
    let found = document.locate(at).unwrap();
    let start = found.key_span.map_or(found.span.start, |key| key.start) as usize;
    let end = found.span.end as usize;
    let line_end = text[end..].find(['\n', '\r']).map_or(text.len(), |at| end + at);
    for edit in edits {
        assert!(edit.text.is_empty(), "inserts\n{}", context());
        let range = range(edit);
        let before = &text[range.start.min(start)..range.end.min(start)];
        let own_line = &text[range.start.clamp(end, line_end)..range.end.clamp(end, line_end)];
        let beyond = &text[range.start.max(line_end)..range.end.max(line_end)];
        for (part, may_hold_comment) in [(before, true), (own_line, true), (beyond, false)] {
            let rest = if may_hold_comment { without_comments(part) } else { part.to_string() };
            let is_free = rest.chars().all(|it| it.is_ascii_whitespace() || it == ',');
            assert!(is_free, "deletes {part:?}\n{}", context());
        }
        // A comment before the member goes only if it stands on the member's line.
        let comment = before.rfind("*/").map_or("", |at| &before[at..]);
        assert!(!before.contains("//") && !comment.contains('\n'), "{}", context());
    }
}

fn without_comments(text: &str) -> String {
    let (mut rest, mut kept) = (text, String::new());
    while let Some(at) = rest.find("/*").into_iter().chain(rest.find("//")).min() {
        kept.push_str(&rest[..at]);
        let end = if rest[at..].starts_with("//") {
            rest[at..].find('\n')
        } else {
            rest[at..].find("*/").map(|end| end + 2)
        };
        rest = end.map_or("", |end| &rest[at + end..]);
    }
    kept + rest
}

fn range(edit: &Edit) -> std::ops::Range<usize> {
    edit.start as usize..edit.end as usize
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_whitespace())
}
