//! Every item of the run-time library, by a list of expressions with their values.

use crate::it::support::{LIBRARY, LIMITS, Ran, run};

/// `expression ==> value as Clank writes it`, or what was thrown.
const CASES: &str = include_str!("builtins.txt");

fn cases() -> Vec<(&'static str, &'static str)> {
    let lines = CASES.lines().filter(|it| !it.is_empty() && !it.starts_with("//"));
    lines.map(|it| it.split_once(" ==> ").unwrap()).collect()
}

/// A program that writes the value of every expression on a line.
fn program() -> String {
    let names: Vec<&str> = LIBRARY
        .lines()
        .filter_map(|it| it.strip_prefix("export "))
        .filter_map(|it| it.split(' ').nth(1)?.split(['(', ' ']).next())
        .collect();
    let mut text = format!("import {{ {} }} from \"./clank.js\";\n", names.join(", "));
    text += "const write_value = (make) => {\n\
        try { const it = make(); println(typeof it === 'string' ? quote(it) : show(it)); }\n\
        catch (error) { println(`${error.name}: ${error.message}`); }\n};\n";
    text += "const point = { record: 'Point', fields: { x: 'Int', y: 'Int' } };\n";
    text += "const list = { sum: { Cons: { head: point, tail: () => list }, Nil: {} } };\n";
    for (expression, _) in cases() {
        text += &format!("write_value(() => ({expression}));\n");
    }
    text
}

#[track_caller]
fn check(ran: &Ran) {
    assert!(ran.text().ends_with("\ndone"), "{}", ran.text());
    let lines: Vec<&str> = ran.output.lines().collect();
    let found = cases().into_iter().zip(&lines);
    let wrong: Vec<String> = found
        .filter(|((_, expected), line)| expected != *line)
        .map(|((expression, expected), line)| format!("{expression}: {line}, not {expected}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(cases().len(), lines.len());
}

/// Rows 5, 13, 20, 38, 43, 44, 51 and 56.
#[test]
fn builtins_do_what_the_list_says() {
    assert!(cases().len() > 150, "{}", cases().len());
    check(&run(&program(), "", &LIMITS));
}

#[cfg(feature = "live")]
#[test]
fn builtins_do_the_same_on_node() {
    check(&crate::it::support::run_node(&program(), "", &LIMITS));
}

/// A library item that no case names would be untested.
#[test]
fn every_builtin_is_in_the_list() {
    let signatures = include_str!("../../../clank/src/prelude/signatures.txt");
    let elsewhere = ["print", "println", "eprint", "eprintln", "read_line"];
    for line in signatures.lines().filter_map(|it| it.strip_prefix("fn ")) {
        let name = line.split(['[', '(']).next().unwrap();
        let name = match name {
            "try" => "attempt",
            "to_string" => "show",
            _ => name,
        };
        let is_called = CASES.contains(&format!("{name}("));
        assert!(is_called || elsewhere.contains(&name), "{name} is not in the list");
    }
}
