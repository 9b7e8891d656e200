//! Generated TypeScript as people read it: `tests/emit` holds programs, each with its whole TypeScript, which imports the
//! run-time library. With `REGREEN_BLESS=1` the expectations are written.
#![expect(clippy::disallowed_methods, reason = "the cases are files")]

use std::path::Path;
use std::sync::Arc;

use clank::Program;
use clank::program::NoModules;
use clank_emit::{EmitOptions, EmitOutput, OutputLanguage, Runtime, emit};
use clank_syntax::ast::Name;

fn output(program: &str, dialect: OutputLanguage) -> EmitOutput {
    let parsed = clank_syntax::parse("main.clank", program);
    let main = Name::new("main.clank");
    let program = Program::load(main, Arc::new(parsed.ast), parsed.errors, &NoModules);
    let runtime = Runtime::Import("./clank.js".to_owned());
    emit(&clank::check(&program, None), &EmitOptions { dialect, runtime })
}

#[test]
fn generated_typescript_reads_as_written_by_a_person() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emit/typescript.md");
    let text = std::fs::read_to_string(&path).expect("the file can be read");
    let mut parts = text.split("\n## ");
    let mut blessed = parts.next().expect("a file has a head").to_owned();
    let mut n_cases = 0;
    for part in parts {
        let (heading, rest) = part.split_once('\n').expect("a heading has an end");
        let (_, rest) = rest.split_once("```clank\n").expect("a case has a program");
        let (program, _) = rest.split_once("```\n").expect("a program has an end");
        let typescript = &output(program, OutputLanguage::TypeScript).files[0].text;
        let found = format!("\n## {heading}\n\n```clank\n{program}```\n\n```ts\n{typescript}```\n");
        n_cases += 1;
        blessed.push_str(&found);
    }
    if std::env::var("REGREEN_BLESS").is_ok_and(|it| it == "1" || it == "emit") {
        std::fs::write(path, blessed).expect("the file can be written");
        return;
    }
    assert!(n_cases >= 25, "there are only {n_cases} cases");
    assert!(text == blessed, "{}", differences(&text, &blessed));
}

fn differences(expected: &str, found: &str) -> String {
    let pairs = expected.lines().zip(found.lines());
    let different = pairs.filter(|it| it.0 != it.1).take(20);
    different.map(|(expected, found)| format!("- {expected}\n+ {found}\n")).collect()
}

#[test]
fn javascript_is_typescript_without_its_types() {
    let program = "sum S { A, B(Int) }\nrec R { x: Int }\n\
        fn f[T](xs: [T], n: Int) -> Option[T] { let r = R(n); let g = \\(m: Int) -> (m, r.x); get(xs, g(1).0) }\n";
    let text = &output(program, OutputLanguage::JavaScript).files[0].text;
    for word in ["interface", "type ", ": bigint", "<T>", " as "] {
        assert!(!text.contains(word), "{word} in\n{text}");
    }
    assert!(text.contains("export function f(xs, n) {"), "{text}");
}

#[test]
fn source_maps_lead_to_the_place_in_clank() {
    let program = "fn f(xs: [Int]) -> Int {\n  let y = 1;\n  xs[3] + y\n}\n";
    let output = output(program, OutputLanguage::JavaScript);
    let file = &output.files[0];
    let map = clank_run::SourceMap::parse(file.source_map.as_ref().expect("modules have one"));
    let map = map.expect("it can be read");
    let (line, column) = file
        .text
        .lines()
        .enumerate()
        .find_map(|(line, it)| Some((line as u32 + 1, it.find("at(")? as u32 + 1)))
        .expect("the index is checked");
    let origin = map.lookup(line, column).expect("the call has an origin");
    assert_eq!((origin.source, origin.line, origin.column), ("main.clank", 3, 3));
}

#[test]
fn long_chains_are_generated_without_running_out_of_stack() {
    let terms = vec!["x"; 20_000].join(" + ");
    let branches: String = (0..3_000).map(|it| format!("if x == {it} {{ {it} }} else ")).collect();
    let program = format!(
        "fn f(x: Int) -> Int {{ {terms} }}\nfn g(x: Int) -> Int {{ {branches} {{ 0 }} }}\n"
    );
    let text = &output(&program, OutputLanguage::JavaScript).files[0].text;
    assert!(text.contains("x === 2999n"));
}
