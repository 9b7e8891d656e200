//! Every rule of the tier, with its message.

use document::Format::{Json, Toml, Yaml};
use insta::assert_snapshot;

use super::{check, compile, report};

/// Every way to be wrong has its rule, its place and its message.
#[test]
fn each_keyword_has_its_rule() {
    let schema = r#"{
        "type": "object",
        "required": ["name"],
        "additionalProperties": false,
        "properties": {
            "name": {"type": "string"},
            "level": {"enum": ["debug", "info", "warn"]},
            "version": {"const": 2},
            "tags": {"type": "array", "uniqueItems": true, "maxItems": 3},
            "code": {"pattern": "^[A-Z]+$"},
            "mail": {"format": "email"},
            "port": {"type": "integer", "minimum": 1, "exclusiveMaximum": 65536, "multipleOf": 2},
            "title": {"maxLength": 3},
            "labels": {"propertyNames": {"pattern": "^[a-z]+$"}, "minProperties": 1},
            "list": {"contains": {"type": "string"}},
            "card": {"dependentRequired": {"number": ["name"]}},
            "never": false,
            "not": {"not": {"type": "string"}},
            "tuple": {"prefixItems": [{}], "items": false}
        }
    }"#;
    assert_snapshot!(check(schema, Json, r#"{
        "level": "trace", "version": "x", "tags": [1, 2, 3, 4], "code": "abc", "mail": "nobody", "port": 0, "title": "long",
        "labels": {}, "list": [1], "card": {"number": 1}, "never": 1, "not": "x", "tuple": [1, 2], "unheard": 1
    }"#), @r#"
    SCHEMA_DEPENDENT /card/name: `card` lacks the key `name`, which another of its keys requires; add it
    SCHEMA_PATTERN /code: `code` must match `^[A-Z]+$`, but is the string "abc"
    SCHEMA_LENGTH /labels: `labels` must have at least 1 key, but has 0
    SCHEMA_ENUM /level: `level` is the string "trace", which is not allowed. Allowed: `debug`, `info`, `warn`
    SCHEMA_CONTAINS /list: `list` lacks an item of the kind that it must contain
    SCHEMA_FORMAT /mail: `mail` must be in the format `email`, but is the string "nobody"
    SCHEMA_REQUIRED /name: the document lacks the required key `name`; add it
    SCHEMA_FORBIDDEN /never: `never` is not allowed here: the number 1; remove or change it
    SCHEMA_FORBIDDEN /not: `not` is not allowed here: the string "x"; remove or change it
    SCHEMA_RANGE /port: `port` must be at least 1, but is the number 0
    SCHEMA_LENGTH /tags: `tags` must have at most 3 items, but has 4
    SCHEMA_LENGTH /title: `title` must have at most 3 characters, but has 4
    SCHEMA_FORBIDDEN /tuple/1: item 1 of `tuple` is not allowed here: the number 2; remove or change it
    SCHEMA_UNKNOWN_KEY /unheard: the document may not have the key `unheard`. Allowed: `card`, `code`, `labels`, `level`, `list`, `mail` and 7 more
    SCHEMA_CONST /version: `version` must be 2, but is the string "x"
      Set `version` to 2 [behavior_changing, medium]
      => {⏎        "level": "trace", "version": 2, "tags": [1, 2, 3, 4], "code": "abc", "mail": "nobody", "port": 0, "title": "long",⏎        "labels": {}, "list": [1], "card": {"number": 1}, "never": 1, "not": "x", "tuple": [1, 2], "unheard": 1⏎    }
    "#);
    assert_snapshot!(check(schema, Yaml, "name: [1]\nport: 65537.5\nlabels: {Bad1: 1}\ncode: \"a\\tb\"\ntags: [1, 1.0]\n"), @r#"
    SCHEMA_PATTERN /code: `code` must match `^[A-Z]+$`, but is the string "a b"
    SCHEMA_KEY_NAME /labels/Bad1: key `Bad1` of `labels` does not match `^[a-z]+$`; rename it
    SCHEMA_TYPE /name: `name` must be a string, but is an array of 1
    SCHEMA_RANGE /port: `port` must be less than 65536, but is the number 65537.5
    SCHEMA_RANGE /port: `port` must be a multiple of 2, but is the number 65537.5
    SCHEMA_TYPE /port: `port` must be an integer, but is the number 65537.5
    SCHEMA_UNIQUE_ITEMS /tags: `tags` has equal items, but each may appear only once; remove one
    "#);
    assert_snapshot!(check(schema, Toml, "name = 2026-01-01\nport = inf\n"), @r#"
    SCHEMA_TYPE /port: `port` must be an integer, but is `.inf`, which is not a JSON number
    "#);
}

#[test]
fn long_values_are_cut_and_long_lists_counted() {
    let options: Vec<String> = (0..20).map(|it| format!("\"option{it}\"")).collect();
    let schema = format!(r#"{{"enum": [{}]}}"#, options.join(","));
    assert_snapshot!(check(&schema, Json, &format!("\"{}\"", "secret".repeat(40))), @r#"
    SCHEMA_ENUM : the document is the string "secretsecretsecretsecretsecretsecretsecretsecretsecretsecret…", which is not allowed. Allowed: `option0`, `option1`, `option10`, `option11`, `option12`, `option13` and 14 more
    "#);
    assert_snapshot!(check(&schema, Json, "\"opton12\""), @r#"
    SCHEMA_ENUM : the document is the string "opton12", which is not allowed; did you mean `option12`? Allowed: `option12`, `option1`, `option10`, `option11`, `option13`, `option14` and 14 more
      Change `opton12` to `option12` [behavior_changing, medium]
      => "option12"
    "#);
}

/// A choice is explained by the branch that was meant.
#[test]
fn the_best_branch_speaks() {
    let shapes = r#"{"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["kind", "r"]},
        {"type": "object", "properties": {"kind": {"const": "square"}, "side": {"type": "number"}}, "required": ["kind", "side"]},
        {"type": "string"}
    ]}"#;
    // Tag fits.
    assert_snapshot!(check(shapes, Json, r#"{"kind": "circle", "r": "wide"}"#), @r#"
    SCHEMA_TYPE /r: `r` must be a number, but is the string "wide"
    "#);
    // Tag near.
    assert_snapshot!(check(shapes, Json, r#"{"kind": "sqare", "side": 1}"#), @r#"
    SCHEMA_ENUM /kind: `kind` is the string "sqare", which is not allowed; did you mean `square`? Allowed: `square`, `circle`
      Change `sqare` to `square` [behavior_changing, medium]
      => {"kind": "square", "side": 1}
    "#);
    // Tag unknown.
    assert_snapshot!(check(shapes, Json, r#"{"kind": "line", "side": 1}"#), @r#"
    SCHEMA_ENUM /kind: `kind` is the string "line", which is not allowed. Allowed: `circle`, `square`
    "#);
    // Tag missing.
    assert_snapshot!(check(shapes, Json, r#"{"side": 1}"#), @r#"
    SCHEMA_REQUIRED /kind: the document lacks the required key `kind`; its declared value is "square"
      Add `kind` with its declared value "square" [behavior_changing, medium]
      => {"side": 1, "kind": "square"}
    "#);
    // Other type.
    assert_snapshot!(check(shapes, Json, "7"), @r#"
    SCHEMA_TYPE : the document must be a string or an object, but is the number 7
      Write the document as "7" [behavior_changing, medium]
      => "7"
    "#);
    let scalars = r#"{"anyOf": [{"type": "integer"}, {"type": "null"}]}"#;
    // Types merge.
    assert_snapshot!(check(scalars, Json, "\"8080\""), @r#"
    SCHEMA_TYPE : the document must be an integer or null, but is the string "8080"
      Write the document as 8080 [likely_preserving, high]
      => 8080
    "#);
    let mixed = r#"{"anyOf": [{"type": "string", "enum": ["auto", "off"]}, {"type": "integer"}]}"#;
    // The branch of the same type.
    assert_snapshot!(check(mixed, Json, "\"aut\""), @r#"
    SCHEMA_ENUM : the document is the string "aut", which is not allowed; did you mean `auto`? Allowed: `auto`, `off`
      Change `aut` to `auto` [behavior_changing, medium]
      => "auto"
    "#);
    // Told apart by a pattern.
    let patterns = r#"{"oneOf": [
        {"type": "object", "properties": {"kind": {"pattern": "^cir"}, "r": {"type": "number"}}, "required": ["kind", "r"], "additionalProperties": false},
        {"type": "object", "properties": {"kind": {"pattern": "^sq"}, "side": {"type": "number"}}, "required": ["kind", "side"], "additionalProperties": false}
    ]}"#;
    assert_snapshot!(check(patterns, Json, r#"{"kind": "circle", "sise": 1}"#), @r#"
    SCHEMA_REQUIRED /r: the document lacks the required key `r`; add it
    SCHEMA_UNKNOWN_KEY /sise: the document may not have the key `sise`. Allowed: `kind`, `r`
    "#);
    let unclear = r#"{"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}"#;
    // Unclear.
    assert_snapshot!(check(unclear, Json, "{}"), @r#"
    SCHEMA_NO_BRANCH : the document matches none of the forms allowed here: the document lacks `a`; or the document lacks `b`
    "#);
    let many = r#"{"oneOf": [{"minimum": 1}, {"minimum": 2}, {"minimum": 9}]}"#;
    // Several fit.
    assert_snapshot!(check(many, Json, "5"), @r#"
    SCHEMA_MANY_BRANCHES : the document matches more than one of the forms allowed here; expected exactly one
    "#);
}

/// One fault in an object must not make its other keys look unknown.
#[test]
fn a_known_key_is_not_unevaluated_because_of_another_fault() {
    let schema = r#"{"allOf": [{"properties": {"image": {"type": "string"}, "command": {}}}], "unevaluatedProperties": false}"#;
    assert_snapshot!(check(schema, Json, r#"{"image": 1, "comand": 2, "command_": 3}"#), @r#"
    SCHEMA_UNKNOWN_KEY /comand: the document may not have the key `comand`; did you mean `command`? Allowed: `command`, `image`
    SCHEMA_UNKNOWN_KEY /command_: the document may not have the key `command_`; did you mean `command`? Allowed: `command`, `image`
    SCHEMA_TYPE /image: `image` must be a string, but is the number 1
      Write `image` as "1" [behavior_changing, medium]
      => {"image": "1", "comand": 2, "command_": 3}
    "#);
    assert_snapshot!(check(schema, Json, r#"{"image": 1, "comand": 2}"#), @r#"
    SCHEMA_UNKNOWN_KEY /comand: the document may not have the key `comand`; did you mean `command`? Allowed: `command`, `image`
      Rename `comand` to `command` [behavior_changing, medium]
      => {"image": 1, "command": 2}
    SCHEMA_TYPE /image: `image` must be a string, but is the number 1
      Write `image` as "1" [behavior_changing, medium]
      => {"image": "1", "comand": 2}
    "#);
}

/// One value, one finding: the type if that is all that is wrong, else what is allowed.
#[test]
fn a_wrong_type_and_a_wrong_value_are_said_once() {
    let schema = r#"{"properties": {
        "level": {"type": "integer", "enum": [1, 2]}, "on": {"type": "boolean", "const": true}, "other": {"type": "integer", "enum": [1, "x"]}
    }}"#;
    assert_snapshot!(check(schema, Json, r#"{"level": "2", "on": "true"}"#), @r#"
    SCHEMA_TYPE /level: `level` must be an integer, but is the string "2"
      Write `level` as 2 [likely_preserving, high]
      => {"level": 2, "on": "true"}
    SCHEMA_TYPE /on: `on` must be a boolean, but is the string "true"
      Write `on` as true [likely_preserving, high]
      => {"level": "2", "on": true}
    "#);
    assert_snapshot!(check(schema, Json, r#"{"level": "high", "on": "yes"}"#), @r#"
    SCHEMA_ENUM /level: `level` is the string "high", which is not allowed. Allowed: `1`, `2`
    SCHEMA_CONST /on: `on` must be true, but is the string "yes"
      Set `on` to true [behavior_changing, medium]
      => {"level": "high", "on": true}
    "#);
    assert_snapshot!(check(schema, Json, r#"{"level": null, "on": [true], "other": "y"}"#), @r#"
    SCHEMA_ENUM /level: `level` is null, which is not allowed. Allowed: `1`, `2`
    SCHEMA_CONST /on: `on` must be true, but is an array of 1
      Set `on` to true [behavior_changing, medium]
      => {"level": null, "on": true, "other": "y"}
    SCHEMA_ENUM /other: `other` is the string "y", which is not allowed. Allowed: `1`, `x`
    SCHEMA_TYPE /other: `other` must be an integer, but is the string "y"
    "#);
}

#[test]
fn a_schema_key_for_editors_is_no_unknown_key() {
    let closed = r#"{"additionalProperties": false, "properties": {"a": {}}}"#;
    assert_eq!(check(closed, Json, r#"{"$schema": "./x.json", "a": 1}"#), "");
    let told = r#"{"properties": {"$schema": {"const": "x"}}}"#;
    assert!(check(told, Json, r#"{"$schema": "y"}"#).starts_with("SCHEMA_CONST /$schema"));
}

#[test]
fn a_key_that_two_schemas_require_is_missing_once() {
    let schema = r##"{"required": ["a"], "allOf": [{"required": ["a"]}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"required": ["a"]}}}"##;
    assert_eq!(check(schema, Json, "{}").lines().count(), 1);
}

/// The design: what is remote is not fetched, and what is local is still checked.
#[test]
fn a_remote_reference_allows_anything_and_is_named() {
    let schema = compile(&[(
        "schema.json",
        r#"{"properties": {
            "a": {"$ref": "https://example.org/x.json#/definitions/deep/er"},
            "b": {"$ref": "https://example.org/x.json#name"},
            "c": {"type": "string"}
        }}"#,
    )])
    .unwrap();
    assert_eq!(schema.remote().collect::<Vec<_>>(), ["https://example.org/x.json"]);
    let said = report(&schema, Json, r#"{"a": 1, "b": [], "c": 1}"#);
    assert!(said.starts_with("SCHEMA_TYPE /c"), "{said}");
}
