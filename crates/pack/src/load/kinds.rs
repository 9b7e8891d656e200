//! The kinds of files of a pack: which paths, what tells them apart, their schemas.

use std::collections::BTreeMap;
use std::sync::Arc;

use document::{Pointer, Value};
use edit::Text;

use super::reader::{ManifestObject, ManifestProblems, one_or_many, text};
use super::schema_files::{CompileWhen, SchemaFiles, schema};
use super::{is_name, refuse};
use crate::conditions::Conditions;
use crate::globs::FileGlobs;
use crate::pack::{FileKind, MergeKeys};

const MEMBERS: [&str; 7] = ["kind", "files", "has", "where", "schema", "uid", "merge_keys"];
pub(super) const MAX_GLOBS: usize = 64;

/// Every kind, with a gap for one that could not be read.
pub(super) fn read(
    problems: &mut ManifestProblems<'_>,
    items: Vec<(Pointer, &Value)>,
    files: &BTreeMap<String, Text>,
    compile: CompileWhen,
) -> Vec<Option<FileKind>> {
    let mut names = std::collections::BTreeSet::new();
    let schema_files = Arc::new(SchemaFiles::new(files, compile));
    let mut kinds = Vec::new();
    for (at, value) in items {
        let kind = read_kind(problems, at.clone(), value, &schema_files);
        if let Some(kind) = &kind
            && !names.insert(kind.name.clone())
        {
            let message = format!("duplicate kind `{}`", kind.name);
            refuse(problems, &at.join("kind"), message);
        }
        kinds.push(kind);
    }
    kinds
}

fn read_kind(
    problems: &mut ManifestProblems<'_>,
    at: Pointer,
    value: &Value,
    schema_files: &Arc<SchemaFiles>,
) -> Option<FileKind> {
    let members = ManifestObject::new(problems, at, value, &MEMBERS)?;
    let name = members.required_text(problems, "kind");
    if let Some((at, name)) = &name
        && !is_name(name, true)
    {
        let message =
            "expected a name of lower-case letters, digits, `-` and `_` that starts with a letter";
        refuse(problems, at, message.to_owned());
    }
    let globs = members.required(problems, "files").map(|(at, value)| globs(problems, at, value));
    let has = pointer(problems, &members, "has");
    let uid = pointer(problems, &members, "uid");
    let schema = match members.text(problems, "schema") {
        Some((at, path)) => match schema(schema_files, path) {
            Ok(schema) => Some(schema),
            Err(message) => {
                refuse(problems, &at, message);
                None
            }
        },
        None => None,
    };
    let conditions = members.get("where").map(|(at, value)| {
        Conditions::read(value).unwrap_or_else(|(key, message)| {
            refuse(problems, &key.map_or(at.clone(), |it| at.join(it)), message);
            Conditions::default()
        })
    });
    let conditions = conditions.unwrap_or_default();
    let merge_keys = match members.text(problems, "merge_keys") {
        None => None,
        Some((_, "resolve")) => Some(MergeKeys::Resolve),
        Some((_, "refuse")) => Some(MergeKeys::Refuse),
        Some((at, _)) => {
            refuse(problems, &at, "expected `resolve` or `refuse` for `merge_keys`".to_owned());
            None
        }
    };
    let name = name?.1.to_owned();
    Some(FileKind { name, globs: globs?, has, conditions, uid, schema, merge_keys })
}

fn globs(problems: &mut ManifestProblems<'_>, at: Pointer, value: &Value) -> FileGlobs {
    let mut globs = FileGlobs::default();
    let items = one_or_many(at.clone(), value);
    if items.len() > MAX_GLOBS {
        refuse(problems, &at, format!("expected 1 to {MAX_GLOBS} globs"));
        return globs;
    }
    let n_items = items.len();
    for (at, value) in items {
        let Some((at, glob)) = text(problems, at, value) else { continue };
        if let Err(message) = globs.add(glob) {
            refuse(problems, &at, message);
        }
    }
    if n_items == 0 || (globs.is_empty() && globs.takes_out()) {
        refuse(problems, &at, format!("expected 1 to {MAX_GLOBS} globs, not all after `!`"));
    }
    globs
}

fn pointer(
    problems: &mut ManifestProblems<'_>,
    members: &ManifestObject<'_>,
    key: &str,
) -> Option<Pointer> {
    let (at, text) = members.text(problems, key)?;
    match text.parse() {
        Ok(pointer) => Some(pointer),
        Err(error) => {
            refuse(problems, &at, format!("{error}"));
            None
        }
    }
}
