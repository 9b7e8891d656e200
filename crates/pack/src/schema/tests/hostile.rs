//! Schemas and documents made to hang or to overflow the stack. All run on the small stack of a worker thread.

use document::Format::Json;

use super::{check, compile, parse};
use crate::schema::SchemaError;

/// As small as the threads that checks run on.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(test).unwrap().join().unwrap();
}

#[test]
fn a_deep_or_large_schema_is_refused() {
    on_a_small_stack(|| {
        let deep = format!("{}true{}", r#"{"not": "#.repeat(200), "}".repeat(200));
        assert!(matches!(compile(&[("a.json", &deep)]), Err(SchemaError::TooLarge { .. })));
        let deep = format!("{}true{}", r#"{"not": "#.repeat(95), "}".repeat(95));
        assert!(compile(&[("a.json", &deep)]).is_ok());
    });
}

#[test]
fn a_pattern_that_backtracks_is_given_up() {
    let said =
        check(r#"{"pattern": "^(a|aa)+\\1$(?=x)"}"#, Json, &format!("\"{}!\"", "a".repeat(60)));
    assert!(said.starts_with("SCHEMA_PATTERN"), "{said}");
    assert!(compile(&[("a.json", r#"{"pattern": "((((a{1000}){1000}){1000}){1000})"}"#)]).is_err());
}

#[test]
fn a_recursive_schema_follows_a_deep_document() {
    on_a_small_stack(|| {
        let schema = r##"{"properties": {"a": {"$ref": "#"}}, "items": {"$ref": "#"}, "type": ["object", "array"]}"##;
        let document = format!("{}1{}", r#"{"a": ["#.repeat(120), "]}".repeat(120));
        assert!(check(schema, Json, &document).starts_with("SCHEMA_TYPE"));
        let winding = r##"{"anyOf": [{"allOf": [{"$ref": "#/$defs/b"}]}, {"type": "string"}], "$defs": {"b": {
            "if": true, "then": {"properties": {"x": {"oneOf": [{"$ref": "#"}, {"type": "array"}]}}}, "type": "object"
        }}}"##;
        let document = format!("{}1{}", r#"{"x": "#.repeat(250), "}".repeat(250));
        assert!(!check(winding, Json, &document).is_empty());
    });
}

/// Listing the errors of a choice inside itself doubles with every level.
#[test]
fn a_choice_that_repeats_itself_is_given_up() {
    on_a_small_stack(|| {
        let schema = r##"{"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [
            {"properties": {"x": {"$ref": "#/$defs/a"}}, "required": ["y"]},
            {"properties": {"x": {"$ref": "#/$defs/a"}}, "required": ["z"]}
        ]}}}"##;
        let nested = |n: usize| format!("{}{{}}{}", r#"{"x": "#.repeat(n), "}".repeat(n));
        assert!(
            check(schema, Json, &nested(3))
                .starts_with("SCHEMA_NO_BRANCH : the document matches none")
        );
        assert!(check(schema, Json, &nested(200)).contains("too many places to list"));
    });
}

#[test]
fn references_that_fork_are_given_up() {
    let defs: Vec<String> = (0..40)
        .map(|it| {
            let next = format!(r##"{{"$ref": "#/$defs/a{}"}}"##, it + 1);
            format!(r#""a{it}": {{"allOf": [{next}, {next}]}}"#)
        })
        .collect();
    let schema = format!(
        r##"{{"$ref": "#/$defs/a0", "$defs": {{{}, "a40": {{"type": "string"}}}}}}"##,
        defs.join(",")
    );
    assert!(check(&schema, Json, "\"x\"").contains("too many steps"));
}

#[test]
fn a_schema_that_is_only_itself_ends() {
    on_a_small_stack(|| {
        for schema in [
            r##"{"$ref": "#"}"##,
            r##"{"allOf": [{"$ref": "#"}]}"##,
            r##"{"anyOf": [{"$ref": "#"}, {"type": "string"}]}"##,
            r##"{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}"##,
        ] {
            if let Ok(schema) = compile(&[("a.json", schema)]) {
                let document = parse(Json, "1");
                schema.check(&document.value(), &document);
            }
        }
    });
}
