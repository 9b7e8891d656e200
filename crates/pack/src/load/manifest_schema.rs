//! The JSON Schema of `pack.yaml`, for editors and for people. What it allows and what a pack may say are two texts about one
//! thing; a test holds every member of the one against the other.

use serde_json::{Map, Value as Json, json};

use super::kinds;
use super::rule::{COMMON, KINDS, about_member};

/// The schema of `pack.yaml`.
pub fn manifest_schema() -> Json {
    let text = json!({"type": "string", "minLength": 1});
    let pointer = json!({"type": "string", "pattern": "^(/.*)?$"});
    let scalar = json!({"type": ["string", "number", "boolean", "null"]});
    let mut rules = Vec::new();
    for (name, members) in KINDS {
        let mut properties = Map::new();
        properties.insert("rule".to_owned(), json!({"const": name}));
        for member in COMMON.iter().filter(|it| **it != "rule").chain(members) {
            properties.insert((*member).to_owned(), member_schema(name, member));
        }
        rules.push(json!({
            "if": {"properties": {"rule": {"const": name}}, "required": ["rule"]},
            "then": {"properties": properties, "additionalProperties": false, "required": required(name)},
        }));
    }
    let names: Vec<&str> = KINDS.iter().map(|it| it.0).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "pack.yaml",
        "description": "What a rule pack is about, and its rules",
        "type": "object",
        "additionalProperties": false,
        "required": ["name", "pack_version", "kinds"],
        "properties": {
            "name": {"type": "string", "pattern": "^[a-z][a-z0-9-]{0,63}$", "description": "the source of the pack's findings"},
            "pack_version": {"type": "string", "minLength": 1, "description": "the version that reports carry"},
            "description": text,
            "kinds": {
                "type": "array",
                "maxItems": super::MAX_KINDS,
                "description": "the kinds of files; a file is of the first that fits",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["kind", "files"],
                    "properties": {
                        "kind": {"type": "string", "pattern": "^[a-z][a-z0-9_-]{0,63}$", "description": "the name that places use"},
                        "files": {
                            "description": "globs relative to the root; one after `!` takes files out",
                            "anyOf": [text, {"type": "array", "minItems": 1, "maxItems": kinds::MAX_GLOBS, "items": text}],
                        },
                        "has": {"description": "where every file of the kind has a value", "allOf": [pointer]},
                        "where": {
                            "type": "object",
                            "minProperties": 1,
                            "description": "what every file of the kind says: places and the value, or one of the values, that is there",
                            "propertyNames": {"pattern": "^/"},
                            "additionalProperties": {"anyOf": [scalar, {"type": "array", "minItems": 1, "items": scalar}]},
                        },
                        "schema": {"description": "the JSON Schema, a file of the pack", "allOf": [text]},
                        "uid": {"description": "where the uid of a file is", "allOf": [pointer]},
                        "merge_keys": {"enum": ["resolve", "refuse"], "description": "what the YAML key `<<` means to the programs that read the files: it is merged, or an error; without this, it is a key like any other"},
                    },
                },
            },
            "rules": {
                "type": "array",
                "maxItems": super::MAX_RULES,
                "items": {
                    "type": "object",
                    "required": ["id", "rule", "about"],
                    "properties": {"rule": {"enum": names, "description": "the kind of rule"}},
                    "allOf": rules,
                },
            },
        },
        "$defs": {
            "place": {
                "type": "object",
                "additionalProperties": false,
                "required": ["in"],
                "properties": {
                    "in": {"description": "the kind of file", "allOf": [text]},
                    "at": {"description": "values: a pointer in which `*` stands for every key or item", "allOf": [pointer]},
                    "keys": {"description": "the keys of the objects there", "allOf": [pointer]},
                },
                "oneOf": [{"required": ["at"]}, {"required": ["keys"]}],
            },
            "places": {"anyOf": [{"$ref": "#/$defs/place"}, {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/place"}}]},
        },
    })
}

/// The members that a kind of rule cannot do without.
fn required(rule: &str) -> Vec<&'static str> {
    let own: &[&str] = match rule {
        "unique" => &["places"],
        "reference" => &["from", "to"],
        "same_as" => &["source", "copies"],
        "imports" => &["from"],
        "workflow_call" => &["from", "to", "looks_at"],
        "derived" => &["at", "template"],
        "forbidden" | "deprecated" => &["at", "key"],
        "together" => &["at", "keys"],
        "cel" => &["at", "assert"],
        _ => &["at"],
    };
    ["id", "rule", "about"].iter().chain(own).copied().collect()
}

fn member_schema(rule: &str, member: &str) -> Json {
    let mut schema = match member {
        "id" => json!({"type": "string", "pattern": "^(SEM|POL)_[A-Z0-9_]+$"}),
        "severity" => json!({"enum": ["info", "warning", "error"]}),
        "safety" => {
            json!({"enum": ["behavior_preserving", "likely_preserving", "behavior_changing"]})
        }
        "within" => json!({"enum": ["workspace", "file"], "default": "workspace"}),
        "path_from" => json!({"enum": ["folder", "root"], "default": "folder"}),
        "order" => json!({"enum": ["ascending", "descending"], "default": "ascending"}),
        "looks_at" => json!({"enum": ["target", "inputs"]}),
        "path" | "remove" | "layout" | "ignore_case" => {
            json!({"type": "boolean", "default": false})
        }
        "value_map" => json!({"type": "object"}),
        "keys" => json!({"type": "array", "minItems": 2, "items": {"type": "string"}}),
        "by" | "move_to" => json!({"type": "string", "pattern": "^(/.*)?$"}),
        "at" if rule == "workflow" => json!({"$ref": "#/$defs/places"}),
        "at" | "source" => json!({"$ref": "#/$defs/place"}),
        "places" | "from" | "to" | "copies" => json!({"$ref": "#/$defs/places"}),
        _ => json!({"type": "string", "minLength": 1}),
    };
    if let Some(members) = schema.as_object_mut() {
        members.insert("description".to_owned(), json!(about_member(rule, member)));
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    /// every member has words of its own, and the pack of the example, which uses every kind of rule, is a valid pack.
    #[test]
    fn every_member_of_every_kind_is_described() {
        for (rule, members) in KINDS {
            for member in COMMON.iter().chain(members) {
                assert!(!about_member(rule, member).is_empty(), "{rule} {member}");
            }
            assert!(required(rule).iter().all(|it| COMMON.contains(it) || members.contains(it)));
        }
        let validator = jsonschema::validator_for(&manifest_schema()).unwrap();
        for text in [
            include_str!("../../../../examples/app-workspace/packs/app/pack.yaml"),
            include_str!("../../builtin/github/pack.yaml"),
        ] {
            let json = crate::schema::to_json(&crate::testing::yaml(text));
            let errors: Vec<String> = validator
                .iter_errors(&json)
                .map(|it| format!("{}: {it}", it.instance_path()))
                .collect();
            assert_eq!(errors, Vec::<String>::new());
        }
    }

    /// The guide has the members of every kind of rule.
    #[test]
    fn the_guide_lists_every_member() {
        let guide = include_str!("../../../../docs/guide/packs.md");
        for (rule, members) in KINDS {
            for member in members {
                let row = format!("| `{rule}` | `{member}` | {} |", about_member(rule, member));
                assert!(guide.contains(&row), "docs/guide/packs.md lacks: {row}");
            }
        }
    }
}
