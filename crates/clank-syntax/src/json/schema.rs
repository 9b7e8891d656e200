//! The JSON Schema of AST JSON.

use serde_json::{Map, Value, json};

/// The JSON Schema (draft 2020-12) of what the reader accepts. As there, unknown keys are allowed and an optional member
/// may be null; the legality of names and the inside of fragments are beyond it.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Clank AST",
        "$ref": "#/$defs/program",
        "$defs": Value::Object(definitions()),
    })
}

fn definitions() -> Map<String, Value> {
    let mut all = Map::new();
    let mut define = |name: &str, value: Value| all.insert(name.to_owned(), value);
    define(
        "program",
        node(&[("kind", constant("program")), ("declarations", many("declaration"))], &[]),
    );
    define("declaration", either(&DECLARATIONS));
    define("type", either(&TYPES));
    define("pattern", either(&PATTERNS));
    define("expression", either(&EXPRESSIONS));
    define("statement", either(&STATEMENTS));
    define("block", json!({ "anyOf": [one("fragment"), kind(&BLOCK)] }));
    define("branch", json!({ "anyOf": [one("fragment"), kind(&BLOCK), kind(&IF)] }));
    define("fragment", node(&[("source", json!({ "type": "string" }))], &[("file", text())]));
    define("literal", literal());
    define("template", template());
    for (name, required, optional) in PARTS {
        define(name, node(&members(required), &members(optional)));
    }
    define("name", json!({ "type": "string", "minLength": 1 }));
    define("id", json!({ "type": ["string", "null"], "minLength": 1 }));
    define("span", span());
    define("comments", comments());
    all
}

/// A name, its members that must be there and those that may be; a member's value is named by [`value`].
type NodeSchema = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static [(&'static str, &'static str)],
);

const DECLARATIONS: [NodeSchema; 8] = [
    (
        "fn",
        &[("name", "name"), ("params", "param*"), ("returnType", "type"), ("body", "block")],
        &[
            ("typeParams", "typeParam*"),
            ("precondition", "expression"),
            ("postcondition", "expression"),
        ],
    ),
    (
        "externalFn",
        &[("name", "name"), ("params", "param*"), ("returnType", "type"), ("jsName", "text")],
        &[("typeParams", "typeParam*")],
    ),
    ("typeAlias", &[("name", "name"), ("type", "type")], &[("typeParams", "typeParam*")]),
    ("rec", &[("name", "name"), ("fields", "field*")], &[("typeParams", "typeParam*")]),
    ("sum", &[("name", "name"), ("variants", "variant*")], &[("typeParams", "typeParam*")]),
    ("mod", &[("name", "name")], &[]),
    ("use", &[("path", "text+")], &[("items", "name*"), ("alias", "name"), ("isExternal", "flag")]),
    (
        "externalMod",
        &[("name", "name"), ("jsModule", "text"), ("functions", "moduleFunction*")],
        &[],
    ),
];

const TYPES: [NodeSchema; 7] = [
    ("named", &[("name", "name")], &[("args", "type*")]),
    ("array", &[("element", "type")], &[]),
    ("tuple", &[("elements", "type+")], &[]),
    ("function", &[("params", "type*"), ("returnType", "type")], &[]),
    ("refined", &[("base", "type"), ("predicate", "expression")], &[("varName", "name")]),
    ("effect", &[("effects", "type+"), ("resultType", "type")], &[]),
    ("recordType", &[("fields", "field*")], &[("isOpen", "flag")]),
];

const PATTERNS: [NodeSchema; 6] = [
    ("wildcard", &[], &[]),
    ("ident", &[("name", "name")], &[]),
    ("literal", &[("value", "literal")], &[]),
    ("tuple", &[("elements", "pattern+")], &[]),
    ("record", &[("fields", "fieldPattern*")], &[]),
    ("variant", &[("name", "name")], &[("payload", "pattern*")]),
];

const BLOCK: NodeSchema = ("block", &[("statements", "statement*")], &[("expr", "expression")]);
const IF: NodeSchema =
    ("if", &[("condition", "expression"), ("thenBranch", "block")], &[("elseBranch", "branch")]);

const TEMPLATE: NodeSchema = ("template", &[], &[("parts", "part*"), ("value", "text")]);

const EXPRESSIONS: [NodeSchema; 19] = [
    ("literal", &[("value", "literalOrTemplate")], &[]),
    TEMPLATE,
    ("ident", &[("name", "name")], &[]),
    ("unary", &[("op", "unaryOp"), ("operand", "expression")], &[]),
    ("binary", &[("op", "binaryOp"), ("left", "expression"), ("right", "expression")], &[]),
    ("call", &[("callee", "expression"), ("args", "expression*")], &[]),
    ("index", &[("object", "expression"), ("index", "expression")], &[]),
    ("field", &[("object", "expression"), ("field", "name")], &[]),
    ("lambda", &[("params", "lambdaParam*"), ("body", "expression")], &[]),
    IF,
    ("match", &[("scrutinee", "expression"), ("arms", "arm*")], &[]),
    BLOCK,
    ("array", &[("elements", "expression*")], &[]),
    ("tuple", &[("elements", "expression+")], &[]),
    ("record", &[("fields", "fieldInit+")], &[]),
    ("recordLit", &[("name", "name"), ("fields", "fieldInit*")], &[]),
    ("range", &[("start", "expression"), ("end", "expression")], &[("inclusive", "flag")]),
    ("propagate", &[("expr", "expression")], &[]),
    ("hole", &[], &[("name", "name")]),
];

const STATEMENTS: [NodeSchema; 10] = [
    (
        "let",
        &[("pattern", "pattern")],
        &[("init", "expression"), ("value", "expression"), ("type", "type"), ("mutable", "flag")],
    ),
    ("assign", &[("target", "expression"), ("value", "expression")], &[]),
    ("expr", &[("expr", "expression")], &[]),
    ("for", &[("pattern", "pattern"), ("iterable", "expression"), ("body", "block")], &[]),
    ("while", &[("condition", "expression"), ("body", "block")], &[]),
    ("loop", &[("body", "block")], &[]),
    ("return", &[], &[("value", "expression")]),
    ("break", &[], &[]),
    ("continue", &[], &[]),
    ("assert", &[("condition", "expression")], &[("message", "text")]),
];

/// What has no kind of its own.
const PARTS: [NodeSchema; 9] = [
    ("param", &[("name", "name"), ("type", "type")], &[]),
    ("lambdaParam", &[("name", "name")], &[("type", "type")]),
    ("typeParam", &[("name", "name")], &[("constraint", "type")]),
    ("field", &[("name", "name"), ("type", "type")], &[]),
    ("variant", &[("name", "name")], &[("fields", "variantField*")]),
    ("variantField", &[("type", "type")], &[("name", "name")]),
    ("arm", &[("pattern", "pattern"), ("body", "expression")], &[("guard", "expression")]),
    ("fieldInit", &[("name", "name"), ("value", "expression")], &[]),
    ("fieldPattern", &[("name", "name")], &[("pattern", "pattern")]),
];

/// A fragment, or a node of one of these kinds. Each kind is looked at alone, so that a validator tells what is wrong
/// with the node and not what it is not.
fn either(shapes: &[NodeSchema]) -> Value {
    let kinds: Vec<&str> = shapes.iter().map(|(kind, ..)| *kind).collect();
    let mut rules = vec![json!({
        "anyOf": [
            one("fragment"),
            { "type": "object", "required": ["kind"], "properties": { "kind": { "enum": kinds } } },
        ],
    })];
    for shape in shapes {
        rules.push(json!({
            "if": {
                "type": "object",
                "required": ["kind"],
                "not": { "required": ["source"] },
                "properties": { "kind": { "const": shape.0 } },
            },
            "then": kind(shape),
        }));
    }
    json!({ "allOf": rules })
}

fn kind((kind, required, optional): &NodeSchema) -> Value {
    let mut all = vec![("kind", constant(kind))];
    all.extend(members(required));
    let mut node = node(&all, &members(optional));
    if *kind == "let" {
        node["anyOf"] = json!([{ "required": ["init"] }, { "required": ["value"] }]);
    }
    if *kind == "template" {
        node["anyOf"] = json!([{ "required": ["parts"] }, { "required": ["value"] }]);
    }
    node
}

fn members(shape: &'static [(&'static str, &'static str)]) -> Vec<(&'static str, Value)> {
    shape.iter().map(|(key, what)| (*key, value(what))).collect()
}

/// The schema of a value: a definition's name, with `*` for an array of them and `+` for one that is not empty.
fn value(what: &str) -> Value {
    if let Some(element) = what.strip_suffix('*') {
        return json!({ "type": "array", "items": value(element) });
    }
    if let Some(element) = what.strip_suffix('+') {
        return json!({ "type": "array", "items": value(element), "minItems": 1 });
    }
    match what {
        "text" => text(),
        "flag" => json!({ "type": "boolean" }),
        "unaryOp" => json!({ "enum": ["-", "!", "¬"] }),
        "binaryOp" => {
            let mut all: Vec<&str> = crate::ast::BinaryOp::ALL.iter().map(|it| it.text()).collect();
            all.extend(["≠", "≤", "≥", "∧", "∨"]);
            json!({ "enum": all })
        }
        "part" => json!({ "anyOf": [text(), one("expression")] }),
        "literalOrTemplate" => json!({ "anyOf": [one("literal"), one("template")] }),
        "moduleFunction" => node(
            &members(&[("name", "name"), ("params", "param*"), ("returnType", "type")]),
            &members(&[("typeParams", "typeParam*"), ("jsName", "text")]),
        ),
        _ => one(what),
    }
}

fn one(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn many(name: &str) -> Value {
    value(&format!("{name}*"))
}

fn constant(text: &str) -> Value {
    json!({ "const": text })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn or_null(schema: &Value) -> Value {
    json!({ "anyOf": [schema, { "type": "null" }] })
}

/// An object with these members and those that every node may have.
fn node(required: &[(&str, Value)], optional: &[(&str, Value)]) -> Value {
    let mut properties = Map::new();
    for (key, schema) in required {
        properties.insert((*key).to_owned(), schema.clone());
    }
    for (key, schema) in optional {
        properties.insert((*key).to_owned(), or_null(schema));
    }
    properties.insert("id".into(), one("id"));
    properties.insert("span".into(), or_null(&one("span")));
    properties.insert("comments".into(), or_null(&one("comments")));
    let keys: Vec<&str> = required.iter().map(|(key, _)| *key).collect();
    json!({ "type": "object", "required": keys, "properties": properties })
}

fn literal() -> Value {
    let of = |kind: &str, value: Value| {
        json!({
            "type": "object",
            "required": ["kind", "value"],
            "properties": { "kind": constant(kind), "value": value },
        })
    };
    let mut int = of(
        "int",
        json!({ "anyOf": [
            { "type": "integer" },
            { "type": "string", "pattern": "^-?([0-9]+|0[xX][0-9a-fA-F]+|0[bB][01]+)$" },
        ] }),
    );
    int["properties"]["suffix"] = json!({ "enum": ["i32", "i64", null] });
    json!({ "anyOf": [
        int,
        of("float", json!({ "type": "number" })),
        of("string", text()),
        of("bool", json!({ "type": "boolean" })),
        { "type": "object", "required": ["kind"], "properties": { "kind": constant("unit") } },
    ] })
}

/// A template in place of a literal's value.
fn template() -> Value {
    kind(&TEMPLATE)
}

fn span() -> Value {
    let number = json!({ "type": ["integer", "null"], "minimum": 0, "maximum": u32::MAX });
    let position = json!({
        "type": ["object", "null"],
        "properties": { "line": number, "column": number, "offset": number },
    });
    json!({
        "type": "object",
        "properties": {
            "file": { "type": ["string", "null"] },
            "start": position,
            "end": position,
        },
    })
}

fn comments() -> Value {
    let list = json!({
        "type": ["array", "null"],
        "items": { "type": "string", "pattern": "^(//|/\\*)" },
    });
    json!({ "type": "object", "properties": { "leading": list, "trailing": list } })
}
