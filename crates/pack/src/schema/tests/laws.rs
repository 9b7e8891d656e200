//! Laws over random schemas and documents: nothing panics, the tier finds a fault exactly where the validator does, the
//! answer does not depend on the order of keys, and every proposal holds on the real text in every format.

use document::{Format, Number, Value};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::{compile, parse, report};

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["port", "prot", "Port", "host", "hosts", "level", "lvl", "a"])
        .prop_map(String::from)
}

fn scalar() -> impl Strategy<Value = Json> {
    prop_oneof![
        prop::sample::select(vec![
            "debug", "DEBUG", "debg", "info", "8080", "true", "1.5", "", "x y"
        ])
        .prop_map(Json::from),
        (-2_i64..4).prop_map(Json::from),
        any::<bool>().prop_map(Json::from),
        Just(json!(1.5)),
    ]
}

fn document() -> impl Strategy<Value = Json> {
    scalar().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::vec((name(), inner), 0..4)
                .prop_map(|it| Json::Object(it.into_iter().collect())),
        ]
    })
}

fn schema() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["integer", "number", "string", "boolean", "object", "array"])
            .prop_map(|it| json!({ "type": it })),
        Just(json!({"enum": ["debug", "info", 1, true]})),
        scalar().prop_map(|it| json!({ "const": it })),
        scalar().prop_map(|it| json!({ "default": it })),
        Just(json!({"uniqueItems": true})),
        Just(json!({"pattern": "^[a-z]+$", "maxLength": 4})),
        Just(json!({"minimum": 0, "deprecated": true, "x-replacement": "host"})),
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({"$ref": "#"})),
    ];
    leaf.prop_recursive(3, 20, 3, |inner| {
        let members = prop::collection::vec((name(), inner.clone()), 0..4);
        let required = prop::collection::vec(name(), 0..3);
        prop_oneof![
            (members, required, any::<bool>()).prop_map(|(members, mut required, is_open)| {
                required.sort();
                required.dedup();
                let members: serde_json::Map<String, Json> = members.into_iter().collect();
                json!({"properties": members, "required": required, "additionalProperties": is_open})
            }),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|it| json!({ "anyOf": it })),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|it| json!({ "oneOf": it })),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|it| json!({ "allOf": it })),
            inner.clone().prop_map(|it| json!({ "items": it })),
            inner.clone().prop_map(|it| json!({ "not": it })),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| json!({"if": left, "then": right})),
            (inner.clone(), inner).prop_map(|(left, right)| json!({"$defs": {"a": left}, "items": right, "$ref": "#/$defs/a"})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: 400,
        rng_seed: proptest::test_runner::RngSeed::Fixed(3),
        ..ProptestConfig::default()
    })]

    /// RS-12: what a proposal claims holds. `report` asserts it on the edited text.
    #[test]
    fn every_proposal_does_what_it_claims(schema in schema(), document in document()) {
        let root = json!({"allOf": [schema]});
        let Ok(compiled) = compile(&[("schema.json", &root.to_string())]) else { return Ok(()) };
        let said = report(&compiled, Format::Json, &document.to_string());
        let errors = said.lines().filter(|it| it.starts_with("SCHEMA_") && !it.starts_with("SCHEMA_DEPRECATED_KEY"));
        prop_assert_eq!(errors.count() == 0, compiled.validator.is_valid(&document), "{}", said);
        prop_assert_eq!(&said, &report(&compiled, Format::Json, &document.to_string()));
        // JSON is YAML.
        report(&compiled, Format::Yaml, &document.to_string());
    }

    /// Numbers of any size and odd texts reach no panic.
    #[test]
    fn odd_scalars_are_no_trouble(text in "\\PC{0,80}", digits in "-?(0|[1-9][0-9]{0,40})(\\.[0-9]{1,30})?(e-?[0-9]{1,6})?") {
        let schema = compile(&[("s.json", r#"{"properties": {"a": {"type": "boolean"}, "b": {"enum": ["x"]}, "c": {"multipleOf": 3, "maximum": 5}}}"#)]).unwrap();
        let number = Value::Number(Number::parse(&digits).unwrap());
        let members = [("a", Value::String(text.clone())), ("b", Value::String(text)), ("c", number)];
        let value = Value::Object(members.into_iter().map(|(key, it)| (key.to_owned(), it)).collect());
        let document = parse(Format::Json, &value.to_json());
        let violations = schema.check(&document.value(), &document);
        super::assert_judged_alike(&schema, &document, &violations);
    }
}
