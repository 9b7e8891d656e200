//! JSON Schemas (draft 2020-12) of the two contracts. They say what the decoder says about the shape of a document; a
//! property test holds the two together. Unsafe paths and ids that occur twice are beyond a schema.

use serde_json::{Map, Value, json};

/// The schemas by name: `fix-actions` and `changeset`.
pub fn schemas() -> Vec<(&'static str, Value)> {
    vec![("fix-actions", fix_actions()), ("changeset", changeset())]
}

fn fix_actions() -> Value {
    let mut schema = closed(
        &["pack_version", "workspace_root", "fix_actions"],
        json!({
            "pack_version": {"type": "string", "description": "version of what produced the fixes"},
            "workspace_root": {
                "type": "string",
                "description": "`.` or a path relative to the workspace; base of every `file`"
            },
            "fix_actions": {"type": "array", "items": {"$ref": "#/$defs/action"}},
        }),
    );
    head(
        &mut schema,
        "fix-actions",
        "Fix actions: structured patches, each of them all or nothing",
    );
    schema["$defs"] = json!({
        "action": action(),
        "target": target(),
        "op": {"oneOf": fix_ops()},
        "expects": expects(false),
        "json_pointer": json_pointer(),
        "index": index(),
    });
    schema
}

fn action() -> Value {
    closed(
        &["id", "title", "severity", "targets", "ops"],
        json!({
            "id": {"type": "string", "minLength": 1},
            "title": {"type": "string", "minLength": 1, "maxLength": 120, "pattern": "^[^\\r\\n]*$"},
            "severity": {"enum": ["error", "warning", "info"]},
            "targets": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/target"}},
            "ops": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/op"}},
            "notes": {"type": "string"},
            "confidence": {"enum": ["high", "medium", "low"]},
        }),
    )
}

fn target() -> Value {
    let mut target = closed(
        &[],
        json!({
            "file": {"type": "string"},
            "json_pointer": {"$ref": "#/$defs/json_pointer"},
            "rule_id": {"type": "string"},
            "diagnostic_id": {"type": "string"},
        }),
    );
    target["anyOf"] =
        json!([{"required": ["diagnostic_id"]}, {"required": ["file", "json_pointer", "rule_id"]}]);
    target
}

fn fix_ops() -> Vec<Value> {
    let op = |name: &str, required: &[&str], own: Value| {
        let shared = json!({
            "op": {"const": name},
            "file": {"type": "string", "description": "relative to `workspace_root`, with `/`"},
            "json_pointer": {"$ref": "#/$defs/json_pointer"},
            "expects": {"$ref": "#/$defs/expects"},
            "x_document": x_document(),
        });
        let required: Vec<&str> =
            ["op", "file", "json_pointer"].iter().chain(required).copied().collect();
        closed(&required, joined(shared, own))
    };
    let index = json!({"$ref": "#/$defs/index"});
    let text = json!({"type": "string"});
    vec![
        op("replace_value", &["value"], json!({"value": true})),
        op("add_value", &["key", "value"], json!({"key": text, "value": true})),
        op("remove_key", &["key"], json!({"key": text})),
        op("insert_array_item", &["value"], json!({"value": true, "index": index})),
        op("replace_array_item", &["index", "value"], json!({"index": index, "value": true})),
        op("rename_key", &["from", "to"], json!({"from": text, "to": text})),
    ]
}

fn changeset() -> Value {
    let mut schema = closed(
        &["changeset_uid", "ops"],
        json!({
            "changeset_uid": {"type": "string", "minLength": 1},
            "target_workspace_uid": {"type": "string"},
            "base": {
                "type": "string",
                "pattern": "^blake3:[0-9a-f]{64}$",
                "description": "hash of the snapshot that the changeset was made for"
            },
            "ops": {"type": "array", "items": {"$ref": "#/$defs/op"}},
        }),
    );
    head(&mut schema, "changeset", "A changeset: ordered operations, all of them or none");
    schema["$defs"] = json!({
        "op": {"oneOf": changeset_ops()},
        "expects": expects(true),
        "expects_parent": closed(&["type"], json!({"type": {"$ref": "#/$defs/json_type"}})),
        "json_type": json_type(),
        "json_pointer": json_pointer(),
        "index": index(),
    });
    schema
}

fn changeset_ops() -> Vec<Value> {
    let op = |name: &str, required: &[&str], own: Value| {
        let shared = json!({
            "type": {"const": name},
            "file_uid": {"type": "string", "minLength": 1},
            "path": {"type": "string"},
        });
        let required: Vec<&str> = ["type", "file_uid"].iter().chain(required).copied().collect();
        closed(&required, joined(shared, own))
    };
    let in_file = |name: &str, required: &[&str], own: Value| {
        let shared = json!({
            "expects": {"$ref": "#/$defs/expects"},
            "expects_parent": {"$ref": "#/$defs/expects_parent"},
            "x_document": x_document(),
        });
        op(name, required, joined(own, shared))
    };
    let at = json!({"$ref": "#/$defs/json_pointer"});
    let index = json!({"$ref": "#/$defs/index"});
    let text = json!({"type": "string"});
    vec![
        in_file(
            "set_value",
            &["json_pointer", "value"],
            json!({"json_pointer": at, "value": true}),
        ),
        in_file("delete_value", &["json_pointer"], json!({"json_pointer": at})),
        in_file(
            "insert_into_array",
            &["json_pointer", "index", "value"],
            json!({"json_pointer": at, "index": index, "value": true}),
        ),
        in_file(
            "move_value",
            &["from_pointer", "to_pointer"],
            json!({"from_pointer": at, "to_pointer": at, "keep_position": {"type": "boolean"}}),
        ),
        op("rename_file", &["new_path"], json!({"new_path": text})),
        op("add_file", &["path", "content"], json!({"content": text})),
        op("delete_file", &[], json!({})),
    ]
}

fn expects(with_length: bool) -> Value {
    let json_type = if with_length { json!({"$ref": "#/$defs/json_type"}) } else { json_type() };
    let mut properties = json!({"type": json_type, "equals": true, "exists": {"type": "boolean"}});
    if with_length {
        properties["length"] = json!({"$ref": "#/$defs/index"});
    }
    closed(&[], properties)
}

fn json_type() -> Value {
    json!({"enum": ["string", "number", "integer", "boolean", "null", "object", "array"]})
}

fn json_pointer() -> Value {
    json!({"type": "string", "pattern": "^(/([^~/]|~[01])*)*$", "description": "RFC 6901"})
}

fn index() -> Value {
    json!({"type": "integer", "minimum": 0, "maximum": super::decode::MAX_INDEX})
}

/// An object with these members and any that start with `x_`.
fn x_document() -> Value {
    let description = "the document of a YAML stream, from 0; without it, the first";
    json!({"type": "integer", "minimum": 0, "description": description})
}

fn closed(required: &[&str], properties: Value) -> Value {
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema["patternProperties"] = json!({"^x_": true});
    schema["additionalProperties"] = json!(false);
    schema
}

fn head(schema: &mut Value, name: &str, title: &str) {
    let own = schema.take();
    *schema = joined(
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": format!("urn:regreen:schema:{name}:v1"),
            "title": title,
        }),
        own,
    );
}

/// The members of both objects, in order.
fn joined(first: Value, second: Value) -> Value {
    let members = |value: Value| match value {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    let mut joined = members(first);
    joined.extend(members(second));
    Value::Object(joined)
}
