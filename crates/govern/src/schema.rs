//! The JSON Schemas of records and reports. What a schema cannot say (whether a source has failed, what a scope admits)
//! is said by [`crate::accept()`].

use serde_json::{Value, json};

use crate::lifecycle::Outcome;
use crate::record::{MAX_FIX_FILES, Status};
use crate::sanitize::MAX_MESSAGE;

/// The schemas, by name: a file of records or one record, and a file of reports.
pub fn schemas() -> Vec<(&'static str, Value)> {
    vec![("dds", records()), ("dds-reports", reports())]
}

fn records() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Proposals",
        "description": "One proposal, or a file of them",
        "oneOf": [
            { "$ref": "#/$defs/code_change" },
            { "$ref": "#/$defs/code_fix" },
            {
                "type": "object",
                "required": ["proposals"],
                "properties": {
                    "proposals": { "type": "array", "items": {
                        "oneOf": [{ "$ref": "#/$defs/code_change" }, { "$ref": "#/$defs/code_fix" }, { "$ref": "#/$defs/legacy" }]
                    } },
                    "x_patches": {
                        "description": "What is attached, by the id of its record: a text, or bytes in base64",
                        "type": "object",
                        "additionalProperties": { "oneOf": [
                            { "type": "string" },
                            { "type": "object", "required": ["base64"], "additionalProperties": false, "properties": { "base64": { "type": "string" } } }
                        ] }
                    }
                },
                "patternProperties": { "^x_": true },
                "additionalProperties": false
            }
        ],
        "$defs": {
            "code_change": record("code_change", r"^DDS-[0-9]{8}-CODE-[0-9]{3}$", &json!({}), &[]),
            "code_fix": record("code_fix", r"^DDS-FIX-[0-9]{8}-[0-9]{3}$", &correction(), &["source_dds", "error_context"]),
            "legacy": {
                "description": "A record of an older version: it is read and kept, never made or changed",
                "type": "object",
                "required": ["id"],
                "properties": { "id": { "type": "string", "minLength": 1, "maxLength": 200 } },
                "not": { "required": ["version", "type"], "properties": { "version": { "const": 2 }, "id": { "pattern": r"^DDS-([0-9]{8}-CODE|FIX-[0-9]{8})-[0-9]{3}$" } } }
            },
            "text": { "type": "string", "minLength": 1, "maxLength": 20000, "pattern": r"\S" }
        }
    })
}

fn record(kind: &str, id: &str, own: &Value, own_required: &[&str]) -> Value {
    let is_fix = kind == "code_fix";
    let constraints = if is_fix {
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["max_files_changed", "no_new_dependencies", "no_refactor"],
            "properties": {
                "max_files_changed": { "type": "integer", "minimum": 0, "maximum": MAX_FIX_FILES },
                "no_new_dependencies": { "const": true },
                "no_refactor": { "const": true }
            }
        })
    } else {
        json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "max_files_changed": { "type": "integer", "minimum": 0, "maximum": u32::MAX },
                "no_new_dependencies": { "type": "boolean" },
                "no_refactor": { "type": "boolean" }
            }
        })
    };
    let mut properties = json!({
        "id": { "type": "string", "pattern": id },
        "version": { "const": 2 },
        "type": { "const": kind },
        "project": { "$ref": "#/$defs/text" },
        "goal": { "$ref": "#/$defs/text" },
        "instructions": { "type": "array", "minItems": 1, "maxItems": 1000, "items": { "$ref": "#/$defs/text" } },
        "allowed_paths": {
            "description": "files, or directories with `/` at the end, relative to the root",
            "type": "array",
            "maxItems": 1000,
            "items": { "type": "string", "minLength": 1, "pattern": r"^[^/\\*?-][^\\*?]*$" }
        },
        "tool": { "$ref": "#/$defs/text" },
        "constraints": constraints,
        "status": { "enum": Status::ALL.map(Status::name) }
    });
    let mut required = vec![
        "id",
        "version",
        "type",
        "project",
        "goal",
        "instructions",
        "allowed_paths",
        "tool",
        "constraints",
        "status",
    ];
    if let (Value::Object(all), Value::Object(own)) = (&mut properties, own) {
        all.extend(own.clone());
    }
    required.extend(own_required);
    json!({
        "type": "object",
        "required": required,
        "properties": properties,
        "patternProperties": { "^x_": true },
        "additionalProperties": false
    })
}

fn correction() -> Value {
    json!({
        "source_dds": { "type": "string", "minLength": 1, "maxLength": 200 },
        "error_context": {
            "type": "object",
            "additionalProperties": false,
            "required": ["original_dds", "error_message", "failed_at"],
            "properties": {
                "original_dds": { "type": "string", "minLength": 1 },
                "error_message": { "type": "string", "minLength": 1, "maxLength": MAX_MESSAGE, "pattern": r"\S" },
                "failed_at": { "description": "ISO-8601; without a zone it is UTC", "type": "string", "minLength": 1 }
            }
        }
    })
}

fn reports() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Reports of runs",
        "type": "object",
        "required": ["reports"],
        "patternProperties": { "^x_": true },
        "additionalProperties": false,
        "properties": { "reports": { "type": "array", "items": {
            "type": "object",
            "required": ["dds_id", "status", "started_at", "finished_at", "tool", "sandbox", "exit_code", "error_message", "files_changed", "transaction"],
            "additionalProperties": false,
            "properties": {
                "dds_id": { "type": "string" },
                "status": { "enum": Outcome::ALL.map(Outcome::name) },
                "started_at": { "type": "string", "format": "date-time" },
                "finished_at": { "type": "string", "format": "date-time" },
                "tool": { "type": "string" },
                "sandbox": { "enum": ["bubblewrap", "landlock", "none", null] },
                "exit_code": { "type": ["integer", "null"] },
                "error_message": { "type": "string" },
                "files_changed": { "type": "array", "items": {
                    "type": "object",
                    "required": ["path", "change"],
                    "additionalProperties": false,
                    "properties": { "path": { "type": "string" }, "change": { "type": "string" }, "from": { "type": "string" } }
                } },
                "transaction": { "type": ["string", "null"] }
            }
        } } }
    })
}
