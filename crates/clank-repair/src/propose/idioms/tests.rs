//! One case for every row of the table: a declaration as others write it, and as it is written here.

use std::collections::BTreeSet;

use clank_syntax::ast::Name;

use super::*;

const CASES: &str = include_str!("cases.txt");

fn records() -> Vec<(Name, Vec<Name>)> {
    vec![(Name::new("Point"), vec![Name::new("x"), Name::new("y")])]
}

/// What the rows make of a declaration, and their names.
fn rewritten(text: &str) -> (String, Vec<&'static str>) {
    let known_value = |name: &str| name == "known";
    let known_type =
        |name: &str| matches!(name, "Int" | "Str" | "Bool" | "Map" | "Option" | "Point" | "Unit");
    let functions = vec![(Name::new("area"), vec![Name::new("width"), Name::new("height")])];
    let variants = |name: &str| {
        (name == "Node").then(|| vec![Some(Name::new("left")), Some(Name::new("right"))])
    };
    let cx = IdiomContext {
        records: records(),
        functions,
        variants: &variants,
        known_value: &known_value,
        known_type: &known_type,
    };
    let it = mended(text, &cx, |_| true);
    (it.text, it.rows.iter().map(|it| it.name).collect())
}

fn squeezed(text: &str) -> String {
    clank_syntax::lex(text)
        .0
        .iter()
        .map(|it| it.1.trim())
        .filter(|it| !it.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

///
#[test]
fn every_row_has_a_case_and_every_case_comes_out_right() {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut wrong = Vec::new();
    for case in CASES.split("\n\n").map(str::trim).filter(|it| !it.is_empty()) {
        let (heading, rest) = case.split_once('\n').expect("a heading");
        let (before, after) = rest.split_once("\n=>\n").expect("before and after");
        let row = heading.trim_start_matches("# ");
        let (found, rows) = rewritten(before);
        if squeezed(&found) != squeezed(after) || !rows.contains(&row) {
            wrong.push(format!(
                "{row}: {before}\n  expected {after}\n  found    {found}\n  by {rows:?}"
            ));
        }
        assert!(ROWS.iter().any(|it| it.name == row), "no row {row}");
        assert_eq!(n_mistakes(after), 0, "{after}");
        seen.insert(row);
    }
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), wrong.join("\n"));
    let unseen: Vec<&str> = ROWS.iter().map(|it| it.name).filter(|it| !seen.contains(it)).collect();
    assert_eq!(unseen, [""; 0], "rows without a case");
}

/// A text that is right stays as it is, whatever it says.
#[test]
fn what_is_right_is_left_alone() {
    for text in [
        "fn f(n: Int) -> Int { match n { 1 -> 2, _ -> 3 } }",
        "fn f(xs: [Int]) -> [Int] { map(xs, \\x -> x + 1) }",
        "fn f(o: Option[Int]) -> Option[Int] { let x = o?; Some(x) }",
        "fn f(a: (Int) -> Int, b: Map[Str, [Int]]) -> Int { a(len(map_keys(b))) }",
        "rec P { x: Int, y: Int{y > 0} }",
        "fn f(n: Int) -> Int { let mut i = 0\n while i < n { i = i + 1 }\n i }",
        "fn f(p: Point) -> Str { `${p.x} and ${p.y}` }",
        "fn f(n: Int) -> Int { for (a, b) in [(1, 2)] { if a > b { return a } }\n if n > 1 { n } else if n == 0 { 1 } else { 2 } }",
    ] {
        let (found, rows) = rewritten(text);
        assert_eq!((found.as_str(), rows), (text, Vec::new()));
    }
}

/// A field that the record does not have stays where it can be seen.
#[test]
fn an_update_loses_no_field() {
    let (found, rows) = rewritten("fn f(p: Point, z: Int) -> Point { Point { ...p, z: z } }");
    assert!(found.contains("z: z"), "{found}");
    assert!(!rows.contains(&"record-updates"), "{rows:?}");
}
