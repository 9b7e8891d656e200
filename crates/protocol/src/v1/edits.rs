//! The schema of the edits document: byte edits bound to the hashes of the files they were made for.
//!
//! The document is read and written by hand where patches are, so that every problem has its place; here is only what
//! others need to know of its shape.

use schemars::{Schema, json_schema};
use serde_json::{Value, json};

/// The schema of an edits document.
pub(super) fn schema() -> Schema {
    let path = json!({"type": "string", "minLength": 1, "description": "relative to the workspace root, with `/`"});
    let base = json!({
        "type": "string",
        "pattern": "^blake3:[0-9a-f]{64}$",
        "description": "the hash of the file's bytes before the change"
    });
    let offset = json!({"type": "integer", "minimum": 0, "maximum": u32::MAX});
    let text = json!({"type": "string"});
    let edit =
        closed(&["start", "end", "text"], json!({"start": offset, "end": offset, "text": text}));
    let edits = json!({"type": "array", "items": edit});
    let file =
        closed(&["path", "base", "edits"], json!({"path": path, "base": base, "edits": edits}));
    let add = closed(&["path", "text"], json!({"path": path, "text": text}));
    let delete = closed(&["path", "base"], json!({"path": path, "base": base}));
    let rename = closed(&["path", "to", "base"], json!({"path": path, "to": path, "base": base}));
    let repair_members = ["id", "title", "rule_id", "source", "safety"];
    let repair = closed(
        &repair_members,
        json!({"id": text, "title": text, "rule_id": text, "source": text, "safety": text, "class": text}),
    );
    let top = closed(
        &["regreen_edits", "files"],
        json!({
            "regreen_edits": {"const": 1, "description": "the version of the format"},
            "files": {"type": "array", "items": file, "description": "edits to files, by the path before any rename"},
            "adds": {"type": "array", "items": add},
            "deletes": {"type": "array", "items": delete},
            "renames": {"type": "array", "items": rename},
            "repairs": {"type": "array", "items": repair, "description": "where the edits come from"},
        }),
    );
    let mut schema = json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "edits",
        "description": "Byte edits to files: offsets count bytes from 0, ranges are half-open; all or nothing",
    });
    if let Value::Object(members) = top {
        members.into_iter().for_each(|(name, value)| {
            schema.insert(name, value);
        });
    }
    schema
}

/// An object that has no other members than these and those that start with `x_`.
fn closed(required: &[&str], properties: Value) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "patternProperties": {"^x_": true},
        "additionalProperties": false,
        "required": required,
    })
}
