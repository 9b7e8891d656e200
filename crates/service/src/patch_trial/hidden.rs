//! Which bytes of the shown texts must not be shown: the values that a report says only by type and digest.
//!
//! A failed precondition names a value without showing it (CS-60, X-39). The line that a code frame quotes would show
//! it all the same, and so would the line of the patch document that says what was expected or what is to be written.

use std::collections::BTreeMap;
use std::ops::Range;

use check::Diagnostic;
use document::{Document, Format, Limits, Pointer, Value};
use edit::Text;
use snapshot::{RelPath, Snapshot};

/// The members of a patch document that hold what is expected, written or inserted.
const VALUE_MEMBERS: [&str; 4] = ["value", "equals", "content", "text"];

/// The hidden bytes by the name of the text, in order and disjoint.
pub(super) type Hidden = BTreeMap<String, Vec<Range<u32>>>;

/// What is hidden in the files: the values that the findings tell by type and digest.
pub(super) fn in_files(diagnostics: &[Diagnostic], snapshot: &Snapshot) -> Hidden {
    let mut told: BTreeMap<&str, Vec<Pointer>> = BTreeMap::new();
    for diagnostic in diagnostics {
        let found = diagnostic.details.get("found").and_then(Value::as_str);
        let pointer: Option<Pointer> =
            diagnostic.json_pointer.as_deref().and_then(|it| it.parse().ok());
        if let (Some(found), Some(pointer)) = (found, pointer)
            && found != "nothing"
        {
            told.entry(&diagnostic.file).or_default().push(pointer);
        }
    }
    let hidden_in = |(file, pointers): (&str, Vec<Pointer>)| {
        let text = &snapshot.file(&RelPath::parse(file).ok()?)?.text();
        let document = document::parse(text, Format::of_path(file)?, &Limits::DEFAULT).ok()?;
        // Of a stream, whatever stands at these places of any of its documents.
        let hidden = document.all().flat_map(|it| spans(&it, &pointers)).collect();
        Some((file.to_owned(), disjoint(hidden)))
    };
    told.into_iter().filter_map(hidden_in).collect()
}

/// What is hidden in the patch document. One that cannot be parsed has no members to hide.
pub(super) fn in_patch(text: &Text, format: Format) -> Vec<Range<u32>> {
    let Ok(document) = document::parse(text, format, &Limits::DEFAULT) else { return Vec::new() };
    let mut pointers = Vec::new();
    collect(&document.value(), &Pointer::root(), &mut pointers);
    disjoint(spans(&document, &pointers))
}

fn spans(document: &Document, pointers: &[Pointer]) -> Vec<Range<u32>> {
    document.locate_many(pointers).into_iter().flatten().map(|it| it.span).collect()
}

/// The pointers of all members that hold values. Documents are parsed with a limit on their depth.
fn collect(value: &Value, at: &Pointer, pointers: &mut Vec<Pointer>) {
    match value {
        Value::Array(items) => {
            for (idx, item) in items.iter().enumerate() {
                collect(item, &at.join(idx.to_string()), pointers);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                let pointer = at.join(key.as_str());
                if VALUE_MEMBERS.contains(&key.as_str()) {
                    pointers.push(pointer);
                } else {
                    collect(member, &pointer, pointers);
                }
            }
        }
        _ => {}
    }
}

/// The same bytes, in order, with what overlaps joined.
fn disjoint(mut spans: Vec<Range<u32>>) -> Vec<Range<u32>> {
    spans.sort_by_key(|it| (it.start, it.end));
    let mut joined: Vec<Range<u32>> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => joined.push(span),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_joined_and_in_order() {
        assert_eq!(disjoint(vec![7..9, 1..4, 2..3, 3..6]), [1..6, 7..9]);
    }

    #[test]
    fn values_of_a_patch_are_hidden_and_its_names_are_not() {
        let text = Text::new(
            "{\"ops\": [{\"json_pointer\": \"/a\", \"value\": {\"b\": 1}, \"expects\": {\"equals\": 2}}]}",
        );
        let hidden = in_patch(&text, Format::Json);
        let shown: Vec<&[u8]> =
            hidden.iter().map(|it| &text.bytes()[it.start as usize..it.end as usize]).collect();
        assert_eq!(shown, [&b"{\"b\": 1}"[..], b"2"]);
        assert!(in_patch(&Text::new("{"), Format::Json).is_empty());
    }
}
