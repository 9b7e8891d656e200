//! The JSON Schemas of records and reports. What a schema cannot say (whether a source has failed, what a scope admits)
//! is said by [`crate::accept()`].

use serde_json::{Value, json};

use crate::lifecycle::ExecutionOutcome;
use crate::members::{CONSTRAINTS, ERROR_CONTEXT, RecordMember};
use crate::record::{MAX_FIX_FILES, Status};
use crate::sanitize::MAX_MESSAGE;
use crate::shape::{MAX_ITEMS, MAX_TEXT};

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
            "code_change": record(false),
            "code_fix": record(true),
            "legacy": {
                "description": "A record of an older version: it is read and kept, never made or changed",
                "type": "object",
                "required": ["id"],
                "properties": { "id": { "type": "string", "minLength": 1, "maxLength": 200 } },
                "not": { "required": ["version", "type"], "properties": { "version": { "const": 2 }, "id": { "pattern": r"^DDS-([0-9]{8}-CODE|FIX-[0-9]{8})-[0-9]{3}$" } } }
            },
            "text": { "type": "string", "minLength": 1, "maxLength": MAX_TEXT, "pattern": r"\S" }
        }
    })
}

fn record(is_fix: bool) -> Value {
    let members = RecordMember::ALL.into_iter().filter(|it| is_fix || !it.is_of_fixes());
    let required: Vec<&str> = members.clone().map(RecordMember::name).collect();
    let properties = members.map(|it| (it.name().to_owned(), form(it, is_fix)));
    json!({
        "type": "object",
        "required": required,
        "properties": Value::Object(properties.collect()),
        "patternProperties": { "^x_": true },
        "additionalProperties": false
    })
}

fn form(member: RecordMember, is_fix: bool) -> Value {
    let text = json!({ "$ref": "#/$defs/text" });
    match member {
        RecordMember::Id if is_fix => {
            json!({ "type": "string", "pattern": r"^DDS-FIX-[0-9]{8}-[0-9]{3}$" })
        }
        RecordMember::Id => json!({ "type": "string", "pattern": r"^DDS-[0-9]{8}-CODE-[0-9]{3}$" }),
        RecordMember::Version => json!({ "const": 2 }),
        RecordMember::Type => json!({ "const": if is_fix { "code_fix" } else { "code_change" } }),
        RecordMember::Project | RecordMember::Goal | RecordMember::Tool => text,
        RecordMember::Instructions => {
            json!({ "type": "array", "minItems": 1, "maxItems": MAX_ITEMS, "items": text })
        }
        RecordMember::AllowedPaths => json!({
            "description": "files, or directories with `/` at the end, relative to the root",
            "type": "array",
            "maxItems": MAX_ITEMS,
            "items": { "type": "string", "minLength": 1, "pattern": r"^[^/\\*?-][^\\*?]*$" }
        }),
        RecordMember::Constraints => constraints(is_fix),
        RecordMember::Status => json!({ "enum": Status::ALL.map(Status::name) }),
        RecordMember::SourceDds => json!({ "type": "string", "minLength": 1, "maxLength": 200 }),
        RecordMember::ErrorContext => error_context(),
    }
}

fn constraints(is_fix: bool) -> Value {
    let (most_files, flag) = match is_fix {
        true => (MAX_FIX_FILES, json!({ "const": true })),
        false => (u32::MAX, json!({ "type": "boolean" })),
    };
    let properties = CONSTRAINTS.map(|name| {
        let form = match name {
            "max_files_changed" => {
                json!({ "type": "integer", "minimum": 0, "maximum": most_files })
            }
            _ => flag.clone(),
        };
        (name.to_owned(), form)
    });
    let mut schema = json!({ "type": "object", "additionalProperties": false });
    if is_fix {
        schema["required"] = json!(CONSTRAINTS);
    }
    schema["properties"] = Value::Object(properties.into_iter().collect());
    schema
}

fn error_context() -> Value {
    let properties = ERROR_CONTEXT.map(|name| {
        let form = match name {
            "error_message" => {
                json!({ "type": "string", "minLength": 1, "maxLength": MAX_MESSAGE, "pattern": r"\S" })
            }
            "failed_at" => {
                let description = "ISO-8601; without a zone it is UTC";
                json!({ "description": description, "type": "string", "minLength": 1 })
            }
            _ => json!({ "type": "string", "minLength": 1 }),
        };
        (name.to_owned(), form)
    });
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ERROR_CONTEXT,
        "properties": Value::Object(properties.into_iter().collect())
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
                "status": { "enum": ExecutionOutcome::ALL.map(ExecutionOutcome::name) },
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
