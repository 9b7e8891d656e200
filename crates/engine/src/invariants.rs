//! What no edit may do to a file, whoever proposed it: a file that parsed still parses; no comment is lost whose
//! construct stays, unless it is what the repair is about, and none comes in that ignores findings; line ends, the byte order mark and the final newline stay
//! as they are, unless they are what the repair is about. Encoding and mode cannot change: edits are made at character
//! boundaries and carry no mode. A new file can be read, and a renamed one is still looked at as what it was.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use check::{Code, Parses, Repair, RepairOp};
use document::{Document, Format};
use edit::{Edit, EditSet, Text};
use snapshot::{RelPath, Snapshot, TreeChange};

use crate::comments::{lost_in_document, lost_in_program};
use crate::ignore::n_ignored_rules;

const BOM: &[u8] = b"\xEF\xBB\xBF";
const IGNORES_MORE: &str = "would have findings ignored instead of repaired";

/// The files in which the change breaks an invariant, by their paths before, with words that go after the name. Files
/// that are `settled` in the tree after were looked at before. `laid_out` gives the text of a file after the repairs that
/// are about its line ends, its byte order mark or its final newline, if there are any; `is_meant` says whether a place of
/// a file before the edits is what a repair is about.
pub(crate) fn broken(
    parses: &Parses,
    before: &Snapshot,
    (after, change): (&Snapshot, &TreeChange),
    is_settled: &dyn Fn(&RelPath) -> bool,
    laid_out: &dyn Fn(&RelPath) -> Option<Text>,
    is_meant: &dyn Fn(&RelPath, &Range<u32>) -> bool,
) -> BTreeMap<RelPath, String> {
    let mut broken = BTreeMap::new();
    for (path, new) in change.adds().iter().filter(|it| !is_settled(it.0)) {
        let words = broken_in_new(parses, path, &new.text);
        broken.extend(words.map(|words| (path.clone(), words)));
    }
    for (path, rename) in change.renames().iter().filter(|it| !is_settled(&it.1.to)) {
        let Some(text) = before.file(path).map(|it| it.text()) else { continue };
        let words = lost_kind(parses, path, &rename.to, &text);
        broken.extend(words.map(|words| (path.clone(), words)));
    }
    for (path, edits) in change.edits() {
        let Some(after_path) = change.moved(path).filter(|it| !is_settled(it)) else { continue };
        let (Some(old), Some(new)) = (before.file(path), after.file(after_path)) else { continue };
        let (old_text, new_text) = (old.text(), new.text());
        let is_meant = |range: &Range<u32>| is_meant(path, range);
        let formats = (Format::of_path(path.as_str()), Format::of_path(after_path.as_str()));
        let words = match formats {
            (Some(old_format), Some(format)) => {
                let (old, new) = (parses.get(&old_text, old_format), parses.get(&new_text, format));
                match (old.document(), new.document()) {
                    (Ok(_), Err(error)) => {
                        Some(format!("would no longer be valid {}: {error}", format.name()))
                    }
                    (Ok(old), Ok(new)) => broken_in_document(old, new, edits, &is_meant),
                    (Err(_), _) => None,
                }
            }
            _ => parses
                .code(after_path, &old_text)
                .and_then(|it| broken_in_program(it, &old_text, &new_text, edits, &is_meant)),
        };
        let words = words.or_else(|| {
            let layout = changed_layout(&old_text, &new_text)?;
            let is_meant =
                laid_out(path).is_some_and(|it| changed_layout(&it, &new_text).is_none());
            (!is_meant).then(|| layout.to_owned())
        });
        if let Some(words) = words {
            broken.entry(path.clone()).or_insert(words);
        }
    }
    broken
}

/// What is wrong with a file that comes into being, in words.
fn broken_in_new(parses: &Parses, path: &RelPath, text: &Text) -> Option<String> {
    let n_ignored = match (Format::of_path(path.as_str()), parses.code(path, text)) {
        (Some(format), _) => match parses.get(text, format).document() {
            Err(error) => return Some(format!("would not be valid {}: {error}", format.name())),
            Ok(it) => n_ignored_rules(it.text(), || it.comments()),
        },
        (None, Some(code)) => match code.fault(text) {
            Some(fault) => return Some(format!("would not be valid {}: {fault}", code.name())),
            None => n_ignored_rules(text, || code.comments(text)),
        },
        (None, None) => 0,
    };
    (n_ignored > 0).then(|| IGNORES_MORE.to_owned())
}

/// What a file is no longer by its new name. Who looks at files by their names would look away, and nothing would be
/// repaired.
fn lost_kind(parses: &Parses, from: &RelPath, to: &RelPath, text: &Text) -> Option<String> {
    let name = |path: &RelPath| {
        let format = Format::of_path(path.as_str()).map(Format::name);
        format.or_else(|| parses.code(path, text).map(|it| it.name()))
    };
    let lost = name(from).filter(|_| name(to).is_none())?;
    Some(format!("would no longer be checked as {lost}"))
}

/// What breaks between two versions of a document, if anything does, in words.
fn broken_in_document(
    old: &Arc<Document>,
    new: &Arc<Document>,
    edits: &EditSet,
    is_meant: &dyn Fn(&Range<u32>) -> bool,
) -> Option<String> {
    let blocked = old.all().zip(new.all()).find_map(|it| match (it.0.blocked(), it.1.blocked()) {
        (None, refusal) => refusal,
        (Some(_), _) => None,
    });
    if let Some(refusal) = blocked {
        return Some(format!("could not be edited any more: {refusal}"));
    }
    let n_ignored = |it: &Document| n_ignored_rules(it.text(), || it.comments());
    if n_ignored(new) > n_ignored(old) {
        return Some(IGNORES_MORE.to_owned());
    }
    lost_in_document(old, new, edits, is_meant).map(would_lose)
}

/// What breaks between two versions of a program, if anything does, in words.
fn broken_in_program(
    code: Code<'_>,
    old: &Text,
    new: &Text,
    edits: &EditSet,
    is_meant: &dyn Fn(&Range<u32>) -> bool,
) -> Option<String> {
    if let Some(fault) = code.fault(new)
        && code.fault(old).is_none()
    {
        return Some(format!("would no longer be valid {}: {fault}", code.name()));
    }
    let n_ignored = |text: &Text| n_ignored_rules(text, || code.comments(text));
    if n_ignored(new) > n_ignored(old) {
        return Some(IGNORES_MORE.to_owned());
    }
    lost_in_program(code, old, new, edits, is_meant).map(would_lose)
}

fn would_lose(comment: String) -> String {
    format!("would lose the comment `{comment}`")
}

/// The text of a file with the edits of those repairs that are about its layout alone; `None` if there are none.
pub(crate) fn laid_out<'a>(
    repairs: impl Iterator<Item = &'a Repair>,
    before: &Snapshot,
    path: &RelPath,
) -> Option<Text> {
    let text = &before.file(path)?.text();
    let ops = repairs.filter(|it| is_layout_only(it, before)).flat_map(|it| &it.ops);
    let edits = ops.filter_map(|op| match op {
        RepairOp::Text { file, edits } if file == path => Some(edits.edits()),
        _ => None,
    });
    let edits: Vec<Edit> = edits.flatten().cloned().collect();
    if edits.is_empty() {
        return None;
    }
    EditSet::new(text, edits).and_then(|it| it.apply(text)).ok()
}

/// Whether all that a repair does is to put in and take out blanks, line ends and byte order marks.
fn is_layout_only(repair: &Repair, before: &Snapshot) -> bool {
    let is_layout = |bytes: &[u8]| {
        let rest = bytes.strip_prefix(BOM).unwrap_or(bytes);
        rest.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
    };
    repair.ops.iter().all(|op| match op {
        RepairOp::Text { file, edits } => {
            let text = before.file(file).map(|it| it.text()).unwrap_or_default();
            edits.edits().iter().all(|edit| {
                let deleted = text.bytes().get(edit.start as usize..edit.end as usize);
                deleted.is_some_and(is_layout) && is_layout(&edit.text)
            })
        }
        _ => false,
    })
}

/// How the layout changed, if it did, in words.
fn changed_layout(old: &Text, new: &Text) -> Option<&'static str> {
    let (old, new) = (old.bytes(), new.bytes());
    if old.starts_with(BOM) != new.starts_with(BOM) {
        return Some("would gain or lose its byte order mark");
    }
    let (old_ends, new_ends) = (LineEnds::of(old), LineEnds::of(new));
    if old_ends.is_uniform() && old_ends != new_ends && new_ends != LineEnds::default() {
        return Some("would change its line endings");
    }
    let ends = |bytes: &[u8]| matches!(bytes.last(), Some(b'\n' | b'\r'));
    if !old.is_empty() && !new.is_empty() && ends(old) != ends(new) {
        return Some("would gain or lose its final newline");
    }
    None
}

/// Which line ends occur.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct LineEnds {
    lf: bool,
    crlf: bool,
    cr: bool,
}

impl LineEnds {
    fn of(bytes: &[u8]) -> LineEnds {
        let mut ends = LineEnds::default();
        for at in memchr::memchr2_iter(b'\r', b'\n', bytes) {
            match (bytes[at], bytes.get(at + 1)) {
                (b'\r', Some(b'\n')) => ends.crlf = true,
                (b'\r', _) => ends.cr = true,
                _ if at > 0 && bytes[at - 1] == b'\r' => {}
                _ => ends.lf = true,
            }
        }
        ends
    }

    /// Whether one kind of line end is used throughout.
    fn is_uniform(self) -> bool {
        u8::from(self.lf) + u8::from(self.crlf) + u8::from(self.cr) == 1
    }
}
