//! The kinds of files of a pack: which paths, what tells them apart, their schemas.

use std::collections::BTreeMap;
use std::sync::Arc;

use document::{Pointer, Value};
use edit::Text;
use globset::{GlobBuilder, GlobMatcher};

use super::reader::{Members, Problems, cut, one_or_many, text};
use super::shelf::{Compile, Shelf, schema};
use super::{is_name, refuse};
use crate::pack::{Kind, MergeKeys};

const MEMBERS: [&str; 6] = ["kind", "files", "has", "schema", "uid", "merge_keys"];
const MAX_GLOBS: usize = 64;
const MAX_GLOB: usize = 512;

/// Every kind, with a gap for one that could not be read.
pub(super) fn read(
    problems: &mut Problems<'_>,
    items: Vec<(Pointer, &Value)>,
    files: &BTreeMap<String, Text>,
    compile: Compile,
) -> Vec<Option<Kind>> {
    let mut names: Vec<String> = Vec::new();
    let shelf = Arc::new(Shelf::new(files, compile));
    let mut kinds = Vec::new();
    for (at, value) in items {
        let kind = read_kind(problems, at.clone(), value, &shelf);
        if let Some(kind) = &kind {
            if names.contains(&kind.name) {
                refuse(
                    problems,
                    &at.join("kind"),
                    format!("`{}` is another kind's name already", kind.name),
                );
            }
            names.push(kind.name.clone());
        }
        kinds.push(kind);
    }
    kinds
}

fn read_kind(
    problems: &mut Problems<'_>,
    at: Pointer,
    value: &Value,
    shelf: &Arc<Shelf>,
) -> Option<Kind> {
    let members = Members::new(problems, at, value, &MEMBERS)?;
    let name = members.required_text(problems, "kind");
    if let Some((at, name)) = &name
        && !is_name(name, true)
    {
        let message =
            "a kind's name is lower-case letters, digits, `-` and `_`, and starts with a letter";
        refuse(problems, at, message.to_owned());
    }
    let globs = members.required(problems, "files").map(|(at, value)| globs(problems, at, value));
    let has = pointer(problems, &members, "has");
    let uid = pointer(problems, &members, "uid");
    let schema = match members.text(problems, "schema") {
        Some((at, path)) => match schema(shelf, path) {
            Ok(schema) => Some(schema),
            Err(message) => {
                refuse(problems, &at, message);
                None
            }
        },
        None => None,
    };
    let merge_keys = match members.text(problems, "merge_keys") {
        None => None,
        Some((_, "resolve")) => Some(MergeKeys::Resolve),
        Some((_, "refuse")) => Some(MergeKeys::Refuse),
        Some((at, _)) => {
            refuse(problems, &at, "`merge_keys` is `resolve` or `refuse`".to_owned());
            None
        }
    };
    Some(Kind { name: name?.1.to_owned(), globs: globs?, has, uid, schema, merge_keys })
}

fn globs(problems: &mut Problems<'_>, at: Pointer, value: &Value) -> Vec<GlobMatcher> {
    let items = one_or_many(at.clone(), value);
    if items.is_empty() || items.len() > MAX_GLOBS {
        refuse(problems, &at, format!("a kind has 1 to {MAX_GLOBS} globs"));
        return Vec::new();
    }
    let mut globs = Vec::new();
    for (at, value) in items {
        let Some((at, glob)) = text(problems, at, value) else { continue };
        if glob.is_empty() || glob.len() > MAX_GLOB || glob.starts_with('/') || glob.contains('\\')
        {
            let message = format!(
                "a glob has 1 to {MAX_GLOB} bytes, is relative to the root and has `/` between names"
            );
            refuse(problems, &at, message);
            continue;
        }
        // `*` stays inside one folder, as people expect; `**` does not.
        match GlobBuilder::new(glob).literal_separator(true).build() {
            Ok(glob) => globs.push(glob.compile_matcher()),
            Err(error) => {
                refuse(problems, &at, format!("`{}` is no glob: {}", cut(glob), error.kind()))
            }
        }
    }
    globs
}

fn pointer(problems: &mut Problems<'_>, members: &Members<'_>, key: &str) -> Option<Pointer> {
    let (at, text) = members.text(problems, key)?;
    match text.parse() {
        Ok(pointer) => Some(pointer),
        Err(error) => {
            refuse(problems, &at, format!("{error}"));
            None
        }
    }
}
