//! Every repair of the tier with its safety, and the cases in which there must be none.

use document::Format::{Json, Toml, Yaml};
use insta::assert_snapshot;

use super::check;

/// A declared default or constant is added; without one there is nothing to add.
#[test]
fn a_missing_key_gets_its_declared_value() {
    let schema = r##"{"required": ["a", "b", "c", "d"], "properties": {
        "a": {"default": 8080}, "b": {"$ref": "#/$defs/b"}, "c": {"type": "string"}, "d": {"type": "string", "default": 1}
    }, "$defs": {"b": {"const": "x"}}}"##;
    // Default.
    assert_snapshot!(check(schema, Yaml, "# top\nz: 1\n"), @r#"
    SCHEMA_REQUIRED /a: the document lacks the required key `a`; its declared value is 8080
      Add `a` with its declared value 8080 [behavior_changing, medium]
      => # top⏎z: 1⏎a: 8080
    SCHEMA_REQUIRED /b: the document lacks the required key `b`; its declared value is "x"
      Add `b` with its declared value "x" [likely_preserving, high]
      => # top⏎z: 1⏎b: x
    SCHEMA_REQUIRED /c: the document lacks the required key `c`; add it
    SCHEMA_REQUIRED /d: the document lacks the required key `d`; its declared value is 1
    "#);
    let nothing = r#"{"required": ["a"], "properties": {"a": {"default": null}}}"#;
    // TOML has no null.
    assert_snapshot!(check(nothing, Toml, "z = 1\n"), @r#"
    SCHEMA_REQUIRED /a: the document lacks the required key `a`; its declared value is null
    "#);
    let disagreed = r#"{"required": ["a"], "properties": {"a": {"default": 1}}, "allOf": [{"properties": {"a": {"default": 2}}}]}"#;
    // Two defaults.
    assert_snapshot!(check(disagreed, Json, "{}"), @r#"
    SCHEMA_REQUIRED /a: the document lacks the required key `a`; add it
    "#);
}

#[test]
fn an_allowed_value_is_found_by_case_spacing_or_one_slip() {
    let schema = r#"{"properties": {
        "mode": {"enum": ["read-only", "read-write"]},
        "level": {"enum": ["debug", "info", "warn", "warm"]},
        "size": {"enum": [1, 2, "3"]},
        "flag": {"enum": [true, "auto"]}
    }}"#;
    // Variant.
    assert_snapshot!(check(schema, Yaml, "mode: Read_Only # keep\n"), @r#"
    SCHEMA_ENUM /mode: `mode` is the string "Read_Only", which is not allowed; did you mean `read-only`? Allowed: `read-only`, `read-write`
      Change `Read_Only` to `read-only` [likely_preserving, high]
      => mode: read-only # keep
    "#);
    // Typo.
    assert_snapshot!(check(schema, Toml, "level = 'debgu'\n"), @r#"
    SCHEMA_ENUM /level: `level` is the string "debgu", which is not allowed; did you mean `debug`? Allowed: `debug`, `info`, `warm`, `warn`
      Change `debgu` to `debug` [behavior_changing, medium]
      => level = 'debug'
    "#);
    // Ambiguous.
    assert_snapshot!(check(schema, Json, r#"{"level": "warx"}"#), @r#"
    SCHEMA_ENUM /level: `level` is the string "warx", which is not allowed. Allowed: `warm`, `warn`, `debug`, `info`
    "#);
    // Too short.
    assert_snapshot!(check(schema, Json, r#"{"level": "if"}"#), @r#"
    SCHEMA_ENUM /level: `level` is the string "if", which is not allowed. Allowed: `debug`, `info`, `warm`, `warn`
    "#);
    // Another type.
    assert_snapshot!(check(schema, Yaml, "size: '2'\nflag: 'true'\n"), @r#"
    SCHEMA_ENUM /flag: `flag` is the string "true", which is not allowed. Allowed: `true`, `auto`
      Write `flag` as true [likely_preserving, high]
      => size: '2'⏎flag: true
    SCHEMA_ENUM /size: `size` is the string "2", which is not allowed. Allowed: `2`, `1`, `3`
      Write `size` as 2 [likely_preserving, high]
      => size: 2⏎flag: 'true'
    "#);
    // Another type back.
    assert_snapshot!(check(schema, Yaml, "size: 3\n"), @r#"
    SCHEMA_ENUM /size: `size` is the number 3, which is not allowed. Allowed: `3`, `1`, `2`
      Write `size` as "3" [likely_preserving, high]
      => size: "3"
    "#);
}

#[test]
fn a_key_one_slip_away_is_renamed() {
    let schema = r#"{"additionalProperties": false, "required": ["port"], "properties": {
        "port": {"type": "integer", "default": 80}, "host": {}, "hosts": {}, "timeout": {"type": "integer"}
    }}"#;
    // Resolves the missing key too.
    assert_snapshot!(check(schema, Yaml, "prot: 8080 # why\nhost: x\n"), @"
    SCHEMA_UNKNOWN_KEY /prot: the document may not have the key `prot`; did you mean `port`? Allowed: `port`, `host`, `hosts`, `timeout`
      Rename `prot` to `port` [behavior_changing, medium]
      => port: 8080 # why⏎host: x
    ");
    // Variant.
    assert_snapshot!(check(schema, Json, r#"{"port": 1, "Time_Out": 1}"#), @r#"
    SCHEMA_UNKNOWN_KEY /Time_Out: the document may not have the key `Time_Out`; did you mean `timeout`? Allowed: `timeout`, `host`, `hosts`, `port`
      Rename `Time_Out` to `timeout` [behavior_changing, high]
      => {"port": 1, "timeout": 1}
    "#);
    // The key already exists.
    assert_snapshot!(check(schema, Json, r#"{"port": 1, "Port": 2}"#), @r#"
    SCHEMA_UNKNOWN_KEY /Port: the document may not have the key `Port`; did you mean `port`? Allowed: `port`, `host`, `hosts`, `timeout`
    "#);
    // Two want one name.
    assert_snapshot!(check(schema, Json, r#"{"port": 1, "timeou": 1, "timeot": 2}"#), @r#"
    SCHEMA_UNKNOWN_KEY /timeot: the document may not have the key `timeot`; did you mean `timeout`? Allowed: `timeout`, `host`, `hosts`, `port`
    SCHEMA_UNKNOWN_KEY /timeou: the document may not have the key `timeou`; did you mean `timeout`? Allowed: `timeout`, `host`, `hosts`, `port`
    "#);
    // Two names for one.
    assert_snapshot!(check(schema, Json, r#"{"port": 1, "hostx": 1}"#), @r#"
    SCHEMA_UNKNOWN_KEY /hostx: the document may not have the key `hostx`. Allowed: `host`, `hosts`, `port`, `timeout`
    "#);
    // The value would be wrong.
    assert_snapshot!(check(schema, Json, r#"{"port": 1, "timeot": "x"}"#), @r#"
    SCHEMA_UNKNOWN_KEY /timeot: the document may not have the key `timeot`; did you mean `timeout`? Allowed: `timeout`, `host`, `hosts`, `port`
    "#);
    let open = r#"{"required": ["port"], "properties": {"port": {"default": 80}}}"#;
    // Open object.
    assert_snapshot!(check(open, Json, r#"{"prot": 8080}"#), @r#"
    SCHEMA_REQUIRED /port: the document lacks the required key `port`; its declared value is 80
      Rename `prot` to `port` [behavior_changing, medium]
      => {"port": 8080}
    "#);
    let composed = r#"{"allOf": [{"properties": {"name": {}}}, {"properties": {"age": {}}}], "unevaluatedProperties": false}"#;
    // Unevaluated.
    assert_snapshot!(check(composed, Json, r#"{"nme": 1}"#), @r#"
    SCHEMA_UNKNOWN_KEY /nme: the document may not have the key `nme`; did you mean `name`? Allowed: `name`, `age`
      Rename `nme` to `name` [behavior_changing, medium]
      => {"name": 1}
    "#);
}

/// AE-24: one obvious edit that keeps the meaning, so only what comes back as it was.
#[test]
fn a_type_is_converted_without_loss() {
    let schema = r#"{"properties": {
        "port": {"type": "integer", "maximum": 9000}, "ratio": {"type": "number"}, "on": {"type": "boolean"}, "tag": {"type": "string"},
        "either": {"type": ["integer", "null"]}
    }}"#;
    // To numbers and booleans.
    assert_snapshot!(check(schema, Yaml, "port: \"8080\"\nratio: '1.5'\non: 'true'\neither: '7'\n"), @r#"
    SCHEMA_TYPE /either: `either` must be an integer or null, but is the string "7"
      Write `either` as 7 [likely_preserving, high]
      => port: "8080"⏎ratio: '1.5'⏎on: 'true'⏎either: 7
    SCHEMA_TYPE /on: `on` must be a boolean, but is the string "true"
      Write `on` as true [likely_preserving, high]
      => port: "8080"⏎ratio: '1.5'⏎on: true⏎either: '7'
    SCHEMA_TYPE /port: `port` must be an integer, but is the string "8080"
      Write `port` as 8080 [likely_preserving, high]
      => port: 8080⏎ratio: '1.5'⏎on: 'true'⏎either: '7'
    SCHEMA_TYPE /ratio: `ratio` must be a number, but is the string "1.5"
      Write `ratio` as 1.5 [likely_preserving, high]
      => port: "8080"⏎ratio: 1.5⏎on: 'true'⏎either: '7'
    "#);
    // To strings.
    assert_snapshot!(check(schema, Toml, "tag = 8080\n"), @r#"
    SCHEMA_TYPE /tag: `tag` must be a string, but is the number 8080
      Write `tag` as "8080" [behavior_changing, medium]
      => tag = "8080"
    "#);
    // A boolean.
    assert_snapshot!(check(schema, Json, r#"{"tag": true}"#), @r#"
    SCHEMA_TYPE /tag: `tag` must be a string, but is the boolean true
      Write `tag` as "true" [behavior_changing, medium]
      => {"tag": "true"}
    "#);
    for kept in [
        "port: '99999'",
        "port: '08'",
        "port: ' 8'",
        "port: '1e3'",
        "port: '8.5'",
        "port: 'null'",
        "port: '0x10'",
        "port: '+1'",
        "port: '-0'",
        "port: '12345678901234567890'",
        "ratio: '1.10'",
        "ratio: .nan",
        "on: 'yes'",
        "on: 1",
        "tag: 1.5",
        "tag: 0x1F",
        "tag: 1e3",
        "tag: True",
        "tag: null",
        "tag: [1]",
    ] {
        let said = check(schema, Yaml, kept);
        assert!(!said.is_empty() && !said.contains("=>"), "{kept}: {said}");
    }
    let aliased = check(schema, Yaml, "x: &a 1\ntag: *a\n");
    assert!(aliased.contains("SCHEMA_TYPE") && !aliased.contains("=>"), "{aliased}");
}

#[test]
fn a_constant_is_set_and_a_tag_of_a_branch_is_not() {
    let schema = r#"{"properties": {"version": {"const": 2}}}"#;
    // Constant.
    assert_snapshot!(check(schema, Json, r#"{"version": 1}"#), @r#"
    SCHEMA_CONST /version: `version` must be 2, but is the number 1
      Set `version` to 2 [behavior_changing, medium]
      => {"version": 2}
    "#);
    let branch = r#"{"if": {"properties": {"kind": {"const": "a"}}}, "then": {"properties": {"mode": {"const": "fast"}}}}"#;
    // Conditional.
    assert_snapshot!(check(branch, Json, r#"{"kind": "a", "mode": "slow"}"#), @r#"
    SCHEMA_CONST /mode: `mode` must be "fast", but is the string "slow"
    "#);
    // Conditional but near.
    assert_snapshot!(check(branch, Json, r#"{"kind": "a", "mode": "fats"}"#), @r#"
    SCHEMA_CONST /mode: `mode` must be "fast", but is the string "fats"
      Change `fats` to `fast` [behavior_changing, medium]
      => {"kind": "a", "mode": "fast"}
    "#);
}

#[test]
fn exact_duplicates_are_removed() {
    let schema = r#"{"uniqueItems": true}"#;
    // The first stays.
    assert_snapshot!(check(schema, Yaml, "- a # 1\n- b\n- a # 2\n- {x: 1, y: 2}\n- {y: 2, x: 1}\n- b\n"), @r#"
    SCHEMA_UNIQUE_ITEMS : the document has the same item at 0 and 2, but each may appear only once; remove one
      Remove 3 repeated items of the document [likely_preserving, high]
      => - a # 1⏎- b⏎- {x: 1, y: 2}
    "#);
    // Equal but not the same.
    assert_snapshot!(check(schema, Json, "[1, 1.0]"), @r#"
    SCHEMA_UNIQUE_ITEMS : the document has equal items, but each may appear only once; remove one
    "#);
}

#[test]
fn a_deprecated_key_becomes_its_replacement() {
    let schema = r##"{"properties": {
        "old": {"deprecated": true, "x-replacement": "new", "type": "integer"}, "new": {"type": "integer"},
        "items": {"type": "array", "items": {"$ref": "#/$defs/item"}}
    }, "$defs": {"item": {"oneOf": [
        {"properties": {"kind": {"const": "a"}, "was": {"deprecated": true, "x-replacement": "is"}}},
        {"properties": {"kind": {"const": "b"}, "was": {}}, "required": ["was"]}
    ]}}}"##;
    // Renamed.
    assert_snapshot!(check(schema, Yaml, "old: 1 # note\n"), @r#"
    SCHEMA_DEPRECATED_KEY /old: key `old` of the document is deprecated; use `new`
      Rename the deprecated `old` to `new` [likely_preserving, high]
      => new: 1 # note
    "#);
    // Both there.
    assert_snapshot!(check(schema, Yaml, "old: 1\nnew: 2\n"), @r#"
    SCHEMA_DEPRECATED_KEY /old: key `old` of the document is deprecated; use `new`
    "#);
    // In a branch.
    assert_snapshot!(check(schema, Json, r#"{"items": [{"kind": "b", "was": 1}, {"kind": "a", "was": 1}]}"#), @r#"
    SCHEMA_DEPRECATED_KEY /items/1/was: key `was` of item 1 of `items` is deprecated; use `is`
      Rename the deprecated `was` to `is` [likely_preserving, high]
      => {"items": [{"kind": "b", "was": 1}, {"kind": "a", "is": 1}]}
    "#);
    assert_eq!(check(schema, Yaml, "new: 1\n"), "");
}

/// A schema may be stricter than the tier, never laxer.
#[test]
fn a_schema_can_ask_for_more_care_only() {
    let schema = r#"{"required": ["a"], "properties": {
        "a": {"default": 1, "x-safety": "behavior_changing"},
        "b": {"enum": ["one", "two"], "x-safety": "behavior_preserving"}
    }}"#;
    assert_snapshot!(check(schema, Json, r#"{"b": "ONE"}"#), @r#"
    SCHEMA_REQUIRED /a: the document lacks the required key `a`; its declared value is 1
      Add `a` with its declared value 1 [behavior_changing, medium]
      => {"b": "ONE", "a": 1}
    SCHEMA_ENUM /b: `b` is the string "ONE", which is not allowed; did you mean `one`? Allowed: `one`, `two`
      Change `ONE` to `one` [likely_preserving, high]
      => {"b": "one"}
    "#);
}

#[test]
fn independent_faults_have_their_own_repairs() {
    let schema = r#"{"additionalProperties": false, "required": ["a"], "properties": {
        "a": {"default": 1}, "level": {"enum": ["debug"]}, "port": {"type": "integer"}, "tags": {"uniqueItems": true}
    }}"#;
    assert_snapshot!(check(schema, Json, r#"{"level": "DEBUG", "prot": "8080", "port": "1", "tags": [1, 1]}"#), @r#"
    SCHEMA_REQUIRED /a: the document lacks the required key `a`; its declared value is 1
      Add `a` with its declared value 1 [behavior_changing, medium]
      => {"level": "DEBUG", "prot": "8080", "port": "1", "tags": [1, 1], "a": 1}
    SCHEMA_ENUM /level: `level` is the string "DEBUG", which is not allowed; did you mean `debug`? Allowed: `debug`
      Change `DEBUG` to `debug` [likely_preserving, high]
      => {"level": "debug", "prot": "8080", "port": "1", "tags": [1, 1]}
    SCHEMA_TYPE /port: `port` must be an integer, but is the string "1"
      Write `port` as 1 [likely_preserving, high]
      => {"level": "DEBUG", "prot": "8080", "port": 1, "tags": [1, 1]}
    SCHEMA_UNKNOWN_KEY /prot: the document may not have the key `prot`; did you mean `port`? Allowed: `port`, `a`, `level`, `tags`
    SCHEMA_UNIQUE_ITEMS /tags: `tags` has the same item at 0 and 1, but each may appear only once; remove one
      Remove the repeated item of `tags` [likely_preserving, high]
      => {"level": "DEBUG", "prot": "8080", "port": "1", "tags": [1]}
    "#);
}

#[test]
fn a_slip_in_a_boolean_is_found_and_a_sign_is_never_dropped() {
    let schema = r#"{"properties": {"on": {"type": "boolean"}, "level": {"enum": ["1", "O2"]}, "only": {"enum": [true]}}}"#;
    assert_snapshot!(check(schema, Yaml, "on: ture # why\n"), @r#"
    SCHEMA_TYPE /on: `on` must be a boolean, but is the string "ture"
      Change `ture` to `true` [behavior_changing, medium]
      => on: true # why
    "#);
    assert_snapshot!(check(schema, Json, r#"{"on": "False"}"#), @r#"
    SCHEMA_TYPE /on: `on` must be a boolean, but is the string "False"
      Change `False` to `false` [likely_preserving, high]
      => {"on": false}
    "#);
    assert_snapshot!(check(schema, Json, r#"{"only": "ture"}"#), @r#"
    SCHEMA_ENUM /only: `only` is the string "ture", which is not allowed; did you mean `true`? Allowed: `true`
      Change `ture` to `true` [behavior_changing, medium]
      => {"only": true}
    "#);
    for kept in ["on: 'yes'", "level: '-1'", "level: -O2", "only: flase"] {
        let said = check(schema, Yaml, kept);
        assert!(!said.is_empty() && !said.contains("=>"), "{kept}: {said}");
    }
}

#[test]
fn a_chain_of_deprecated_keys_is_followed_to_its_end() {
    let schema = r#"{"properties": {
        "a": {"deprecated": true, "x-replacement": "b"}, "b": {"deprecated": true, "x-replacement": "c"},
        "x": {"deprecated": true, "x-replacement": "y"}, "y": {"deprecated": true, "x-replacement": "x"}
    }}"#;
    assert_snapshot!(check(schema, Yaml, "a: 1\n"), @"
    SCHEMA_DEPRECATED_KEY /a: key `a` of the document is deprecated; use `c`
      Rename the deprecated `a` to `c` [likely_preserving, high]
      => c: 1
    ");
    assert!(check(schema, Yaml, "x: 1\n").contains("use `y`"));
}

/// X-99: where a format grows, only what is nearly a known key is wrong.
#[test]
fn an_open_object_may_have_keys_that_nobody_knows() {
    let schema = r#"{
        "x-regreen-open": true, "additionalProperties": false,
        "properties": {
            "dependencies": true, "name": true, "type": true,
            "inner": {"additionalProperties": false, "properties": {"known": true}}
        }
    }"#;
    for fine in [
        "mine: 1\nname: x\n",
        "dependencies: {}\ndependancies: {}\n",
        "nam: short\n",
        "tpye: short\n",
    ] {
        assert_eq!(check(schema, Yaml, fine), "", "{fine}");
    }
    let slip = check(schema, Yaml, "dependancies: {}\n");
    assert!(slip.contains("Rename `dependancies` to `dependencies`"), "{slip}");
    let variant = check(schema, Yaml, "Name: x\n");
    assert!(variant.contains("Rename `Name` to `name`"), "{variant}");
    let closed = check(schema, Yaml, "inner: {mine: 1}\n");
    assert!(closed.contains("SCHEMA_UNKNOWN_KEY"), "another object stays closed: {closed}");
}
