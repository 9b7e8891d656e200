//! Drafts, and references between files.

use document::Format::Json;

use insta::assert_snapshot;

use super::{check, compile, report};
use crate::schema::SchemaError;

/// Each draft reads its own keywords and those of later ones, and the default is the newest.
#[test]
fn the_draft_is_the_one_that_is_named() {
    let tuple = |draft: &str, keyword: &str| {
        let schema = format!(r#"{{{draft} "{keyword}": [{{"type": "string"}}]}}"#);
        !check(&schema, Json, "[1]").is_empty()
    };
    let exclusive = |draft: &str| {
        let schema = format!(r#"{{{draft} "minimum": 1, "exclusiveMinimum": true}}"#);
        compile(&[("schema.json", &schema)]).is_ok() && !check(&schema, Json, "1").is_empty()
    };
    for (draft, has_items, has_prefix_items, has_boolean_exclusive) in [
        ("\"$schema\": \"http://json-schema.org/draft-04/schema#\",", true, true, true),
        ("\"$schema\": \"http://json-schema.org/draft-06/schema#\",", true, true, false),
        ("\"$schema\": \"https://json-schema.org/draft-07/schema\",", true, true, false),
        ("\"$schema\": \"https://json-schema.org/draft/2019-09/schema\",", true, true, false),
        ("\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",", false, true, false),
        ("\"$schema\": \"https://example.org/my-own-meta-schema\",", false, true, false),
        ("", false, true, false),
    ] {
        let items_is_tuple =
            compile(&[("schema.json", &format!(r#"{{{draft} "items": [{{"type": "string"}}]}}"#))])
                .is_ok()
                && tuple(draft, "items");
        assert_eq!(items_is_tuple, has_items, "{draft}");
        assert_eq!(tuple(draft, "prefixItems"), has_prefix_items, "{draft}");
        assert_eq!(exclusive(draft), has_boolean_exclusive, "{draft}");
    }
}

#[test]
fn references_lead_to_files_by_path_and_by_id() {
    let schema = compile(&[
        (
            "schemas/root.json",
            r##"{"properties": {
                "path": {"$ref": "common/types.yaml#/$defs/port"},
                "up": {"$ref": "../shared/up.json"},
                "id": {"$ref": "https://example.org/by-id"},
                "beside": {"$ref": "https://example.org/s/beside.json"},
                "anchor": {"$ref": "common/types.yaml#named"},
                "self": {"$ref": "#/properties/path"},
                "spaced": {"$ref": "with%20space.json"}
            }}"##,
        ),
        (
            "schemas/common/types.yaml",
            "$defs:\n  port: {type: integer}\n  n: {$anchor: named, type: integer}\n",
        ),
        ("schemas/with space.json", r#"{"type": "integer"}"#),
        ("shared/up.json", r#"{"type": "integer"}"#),
        ("other/whatever.json", r#"{"$id": "https://example.org/by-id", "type": "integer"}"#),
        (
            "s/neighbour.json",
            r#"{"$id": "https://example.org/s/neighbour.json", "type": "integer"}"#,
        ),
        ("s/beside.json", r#"{"type": "integer"}"#),
    ])
    .unwrap();
    assert_eq!(schema.remote().count(), 0);
    for key in ["path", "up", "id", "beside", "anchor", "self", "spaced"] {
        let said = report(&schema, Json, &format!(r#"{{"{key}": "1"}}"#));
        assert!(
            said.starts_with(&format!("SCHEMA_TYPE /{key}")) && said.contains("=>"),
            "{key}: {said}"
        );
    }
}

#[test]
fn what_cannot_be_used_says_why() {
    let error =
        |files: &[(&str, &str)]| compile(files).err().map(|it| it.to_string()).unwrap_or_default();
    assert_snapshot!(error(&[("a.json", r#"{"$ref": "b.json"}"#)]), @r#"
    `a.json` refers to `b.json`, which does not exist
    "#);
    assert_snapshot!(error(&[("a.json", r#"{"properties": {"x": {"type": "strin"}}}"#)]), @r#"
    `a.json` is not a valid schema, at `/properties/x/type`: "strin" is not allowed there
    "#);
    assert_snapshot!(error(&[("a.json", r##"{"$ref": "#/$defs/nowhere"}"##)]), @r#"
    `a.json` is not a valid schema: Pointer '/$defs/nowhere' does not exist
    "#);
    assert_snapshot!(error(&[("a.json", r#"{"pattern": "("}"#)]), @r#"
    `a.json` is not a valid schema, at `/pattern`: "(" is not a "regex"
    "#);
    assert_snapshot!(error(&[("a.json", r#"{"$ref": "%zz"}"#)]), @r#"
    `a.json` refers to `%zz`, which is not a valid reference
    "#);
    assert_snapshot!(error(&[("a.json", "[1]")]), @r#"
    `a.json` is not a valid schema: [1] is not of types "boolean", "object"
    "#);
    let library =
        std::sync::Arc::new(crate::schema::SchemaLibrary::new(Default::default()).unwrap());
    let missing = crate::schema::CompiledSchema::compile(&library, "x.json").err();
    assert_eq!(missing, Some(SchemaError::NoDocument { path: "x.json".into() }));
}
