//! Edits as a unified diff that `git apply` and `patch -p1` both take.
//!
//! The hunks come from the edits, not from a search for differences, so the diff shows what was asked for
//! and takes linear time. Creation, deletion, renaming and modes are told in git's extended header, which
//! `patch` reads too.

mod changes;
mod hunks;

use crate::edit_set::{EditError, EditSet};
use crate::text::Text;
use crate::unified::changes::LineChange;

/// What happened to one file. Paths are relative, with `/`.
#[derive(Clone, Copy, Debug)]
pub enum FileDiff<'a> {
    /// A file is created.
    Added {
        /// Its path.
        path: &'a str,
        /// Its mode.
        mode: FileMode,
        /// Its contents.
        text: &'a Text,
    },
    /// A file is deleted.
    Deleted {
        /// Its path.
        path: &'a str,
        /// Its mode.
        mode: FileMode,
        /// Its contents.
        text: &'a Text,
    },
    /// A file is edited, renamed, given another mode, or several of these.
    Changed {
        /// The path and mode before.
        old: (&'a str, FileMode),
        /// The path and mode after.
        new: (&'a str, FileMode),
        /// The contents before.
        text: &'a Text,
        /// What is done to the contents.
        edits: &'a EditSet,
    },
}

/// What a diff can say about a file's mode.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FileMode {
    /// A file that cannot be executed.
    Regular,
    /// A file that can.
    Executable,
}

impl FileMode {
    fn as_str(self) -> &'static str {
        match self {
            FileMode::Regular => "100644",
            FileMode::Executable => "100755",
        }
    }
}

/// The diff of one file; nothing if nothing happened to it. Diffs of several files can be written one after
/// the other. Fails if the edits were not made for the text.
///
/// ```
/// use edit::{Edit, EditSet, FileDiff, FileMode, Text, unified};
///
/// let text = Text::new("a\nb\n");
/// let edits = EditSet::new(&text, vec![Edit::replace(2, 3, "B")])?;
/// let file = ("x.txt", FileMode::Regular);
/// let shown = unified(&FileDiff::Changed { old: file, new: file, text: &text, edits: &edits })?;
/// assert!(shown.ends_with(b"@@ -1,2 +1,2 @@\n a\n-b\n+B\n"));
/// # Ok::<(), edit::EditError>(())
/// ```
pub fn unified(diff: &FileDiff<'_>) -> Result<Vec<u8>, EditError> {
    match *diff {
        FileDiff::Added { path, mode, text } => Ok(added(path, mode, text)),
        FileDiff::Deleted { path, mode, text } => Ok(deleted(path, mode, text)),
        FileDiff::Changed { old, new, text, edits } => changed(old, new, text, edits),
    }
}

fn added(path: &str, mode: FileMode, text: &Text) -> Vec<u8> {
    let (old_name, new_name) = (quoted("a/", path), quoted("b/", path));
    let mut out = format!("diff --git {old_name} {new_name}\nnew file mode {}\n", mode.as_str());
    if text.is_empty() {
        out.push_str(&format!("index {NO_BLOB}..{EMPTY_BLOB}\n"));
        return out.into_bytes();
    }
    out.push_str(&format!("--- /dev/null\n+++ {new_name}\n"));
    let mut out = out.into_bytes();
    hunks::write(
        &mut out,
        &[],
        &[LineChange { line: 0, start: 0, end: 0, new: text.bytes().to_vec() }],
    );
    out
}

fn deleted(path: &str, mode: FileMode, text: &Text) -> Vec<u8> {
    let (old_name, new_name) = (quoted("a/", path), quoted("b/", path));
    let mut out =
        format!("diff --git {old_name} {new_name}\ndeleted file mode {}\n", mode.as_str());
    if text.is_empty() {
        out.push_str(&format!("index {EMPTY_BLOB}..{NO_BLOB}\n"));
        return out.into_bytes();
    }
    out.push_str(&format!("--- {old_name}\n+++ /dev/null\n"));
    let mut out = out.into_bytes();
    hunks::write(
        &mut out,
        text.bytes(),
        &[LineChange { line: 0, start: 0, end: text.len(), new: Vec::new() }],
    );
    out
}

/// The abbreviated name that git has for an empty file. `patch` takes the deletion of an empty file for a
/// mistake unless the header has this name.
const EMPTY_BLOB: &str = "e69de29";
const NO_BLOB: &str = "0000000";

fn changed(
    (old_path, old_mode): (&str, FileMode),
    (new_path, new_mode): (&str, FileMode),
    text: &Text,
    edits: &EditSet,
) -> Result<Vec<u8>, EditError> {
    let changes = changes::changed_lines(text, edits)?;
    if changes.is_empty() && old_path == new_path && old_mode == new_mode {
        return Ok(Vec::new());
    }
    let (old_name, new_name) = (quoted("a/", old_path), quoted("b/", new_path));
    let mut out = format!("diff --git {old_name} {new_name}\n");
    if old_mode != new_mode {
        out.push_str(&format!("old mode {}\nnew mode {}\n", old_mode.as_str(), new_mode.as_str()));
    }
    if old_path != new_path {
        let similarity = if changes.is_empty() { 100 } else { similarity(text, edits) };
        out.push_str(&format!("similarity index {similarity}%\n"));
        out.push_str(&format!(
            "rename from {}\nrename to {}\n",
            quoted("", old_path),
            quoted("", new_path)
        ));
    }
    if !changes.is_empty() {
        out.push_str(&format!("--- {old_name}\n+++ {new_name}\n"));
    }
    let mut out = out.into_bytes();
    hunks::write(&mut out, text.bytes(), &changes);
    Ok(out)
}

/// How many of a hundred bytes are kept; less than a hundred.
fn similarity(text: &Text, edits: &EditSet) -> usize {
    let removed: usize = edits.edits().iter().map(|edit| (edit.end - edit.start) as usize).sum();
    let added: usize = edits.edits().iter().map(|edit| edit.text.len()).sum();
    let kept = text.len() - removed;
    (kept as u64 * 100 / (kept + removed.max(added)).max(1) as u64).min(99) as usize
}

/// A path as it stands in a header. Quoted also when it has a space: `patch` ends a plain name there.
fn quoted(prefix: &str, path: &str) -> String {
    let needs_quotes = |byte: u8| byte <= b' ' || matches!(byte, b'"' | b'\\' | 0x7F);
    if !path.bytes().any(needs_quotes) {
        return format!("{prefix}{path}");
    }
    let mut out = format!("\"{prefix}");
    for character in path.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..'\x20' | '\x7F' => out.push_str(&format!("\\{:03o}", u32::from(character))),
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
pub(crate) mod tests;
