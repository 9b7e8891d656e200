//! Laws of reader, writer, printer and comments (rows 2, 21, 47, 54).

use clank_syntax::ast::{Ast, Comments, NodeId};
use clank_syntax::json::{WriteOptions, read, schema, write};
use clank_syntax::{attach_comments, parse, print, same};
use proptest::prelude::*;

use crate::generate::{config, tree, trees};

pub(crate) const PLAIN: WriteOptions = WriteOptions { ids: false, spans: false, pretty: false };
pub(crate) const FULL: WriteOptions = WriteOptions { ids: true, spans: true, pretty: true };

/// Everything that must hold for a tree.
#[track_caller]
pub(crate) fn check_tree(ast: &Ast) {
    let text = print(ast);
    let parsed = parse("a.clank", &text);
    assert!(parsed.errors.is_empty(), "{text}\n{:#?}", parsed.errors);
    if !same(ast, &parsed.ast) {
        let (a, b) = (write(ast, &PLAIN), write(&parsed.ast, &PLAIN));
        panic!("printing lost something:\n{text}\nbefore: {a}\nafter:  {b}");
    }
    for options in [PLAIN, FULL] {
        let written = write(ast, &options);
        let again = read(&written).unwrap_or_else(|it| panic!("{written}\n{it:#?}"));
        assert!(same(ast, &again), "{written}");
        assert_eq!(again.comments(), ast.comments());
        assert_eq!(write(&again, &options), written);
    }
    assert_eq!(print(&parsed.ast), print(&ast.clone().with_comments(Default::default())));
}

/// The comments of a tree, sorted.
pub(crate) fn comments_of(ast: &Ast) -> Vec<String> {
    let of = |it: &Comments| [it.leading.clone(), it.trailing.clone()].concat();
    let mut all: Vec<String> = ast.comments().values().flat_map(of).collect();
    all.sort();
    all
}

proptest! {
    #![proptest_config(config())]

    // Row 21: parse(print(t)) = t; reading what was written gives the tree.
    #[test]
    fn every_tree_has_a_text_and_a_json(ast in trees()) {
        check_tree(&ast);
    }

    // Row 2, 47: ids are kept, spans of text are kept, in the second generation too.
    #[test]
    fn json_keeps_ids_and_spans(ast in trees()) {
        let parsed = parse("a.clank", &print(&ast)).ast;
        let written = write(&parsed, &FULL);
        let again = read(&written).unwrap();
        for index in 0..parsed.nodes().len() {
            let id = NodeId(index as u32);
            prop_assert_eq!(parsed.ids().id(id), again.ids().id(id));
        }
        prop_assert_eq!(again.given_spans().len(), again.nodes().len());
        prop_assert_eq!(write(&again, &FULL), written);
    }

    // Row 54: comments at any node survive the way through text and through JSON.
    #[test]
    fn comments_survive_text_and_json(
        ast in trees(),
        places in prop::collection::vec((any::<u32>(), 0..4usize), 0..8),
    ) {
        let mut all = std::collections::BTreeMap::<NodeId, Comments>::new();
        for (number, (node, form)) in places.into_iter().enumerate() {
            let node = NodeId(node % ast.nodes().len() as u32);
            let comments = all.entry(node).or_default();
            match form {
                0 => comments.leading.push(format!("// line {number}")),
                1 => comments.leading.push(format!("/* block /* {number} */ */")),
                2 => comments.trailing.push(format!("// line {number}")),
                _ => comments.trailing.push(format!("/* block\n {number} */")),
            }
        }
        let ast = ast.with_comments(all);
        check_tree(&ast);
        let text = print(&ast);
        let attached = attach_comments(&parse("a.clank", &text));
        prop_assert_eq!(comments_of(&attached), comments_of(&ast), "{}", text);
        let again = print(&read(&write(&attached, &PLAIN)).unwrap());
        let attached = attach_comments(&parse("a.clank", &again));
        prop_assert_eq!(comments_of(&attached), comments_of(&ast), "{}", again);
    }

    #[test]
    fn the_schema_accepts_what_is_written(ast in trees()) {
        let schema = validator();
        let written = serde_json::from_str(&write(&ast, &FULL)).unwrap();
        if let Err(error) = schema.validate(&written) {
            panic!("{error} at {}", error.instance_path());
        }
    }

    // What is changed at one place is refused by the reader if the schema refuses it.
    #[test]
    fn the_schema_refuses_nothing_that_is_read(
        ast in trees(),
        (place, form) in (any::<prop::sample::Index>(), 0..7usize),
    ) {
        let mut value: serde_json::Value = serde_json::from_str(&write(&ast, &PLAIN)).unwrap();
        let pointers = pointers(&value);
        let pointer = &pointers[place.index(pointers.len())];
        let other = value.pointer(&pointers[place.index(pointers.len().div_ceil(2))]).cloned();
        let changed = value.pointer_mut(pointer).unwrap();
        *changed = match form {
            0 => serde_json::Value::Null,
            1 => 7.into(),
            2 => "x".into(),
            3 => serde_json::json!([]),
            4 => serde_json::json!({}),
            5 => true.into(),
            _ => other.unwrap(),
        };
        if read(&value.to_string()).is_ok() {
            prop_assert!(validator().is_valid(&value), "{pointer} {value}");
        }
    }

    #[test]
    fn no_text_makes_the_reader_fall(text in ".{0,200}") {
        let _ = read(&text);
    }
}

#[test]
fn the_generator_makes_every_kind_of_node() {
    let mut kinds = std::collections::BTreeSet::new();
    for seed in 0..400u32 {
        let bytes: Vec<u8> = (0..400u32)
            .map(|it| ((seed * 7919 + it).wrapping_mul(2654435761) >> 13) as u8)
            .collect();
        let value: serde_json::Value = serde_json::from_str(&write(&tree(&bytes), &PLAIN)).unwrap();
        let kind_of = |it: String| value.pointer(&it)?.get("kind")?.as_str().map(str::to_owned);
        kinds.extend(pointers(&value).into_iter().filter_map(kind_of));
    }
    let expected = "array assert assign binary block bool break call continue effect expr externalFn \
                    externalMod field float fn for function hole ident if index int lambda let literal loop match mod \
                    named program propagate range rec record recordLit recordType refined return string sum template \
                    tuple typeAlias unary unit use variant while wildcard";
    assert_eq!(kinds.into_iter().collect::<Vec<_>>().join(" "), expected);
}

/// The places of all values below a value.
fn pointers(value: &serde_json::Value) -> Vec<String> {
    let mut all = Vec::new();
    let mut work = vec![(String::new(), value)];
    while let Some((pointer, value)) = work.pop() {
        match value {
            serde_json::Value::Array(elements) => work.extend(
                elements.iter().enumerate().map(|(it, value)| (format!("{pointer}/{it}"), value)),
            ),
            serde_json::Value::Object(members) => {
                work.extend(members.iter().map(|(key, value)| (format!("{pointer}/{key}"), value)));
            }
            _ => {}
        }
        all.push(pointer);
    }
    all
}

pub(crate) fn validator() -> &'static jsonschema::Validator {
    static VALIDATOR: std::sync::OnceLock<jsonschema::Validator> = std::sync::OnceLock::new();
    VALIDATOR.get_or_init(|| jsonschema::draft202012::new(&schema()).expect("it is a schema"))
}
