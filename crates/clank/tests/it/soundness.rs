//! The soundness suite: small programs with the verdict that every goal must get, written before there was a prover.
//!
//! Every file of `tests/soundness` holds cases: a heading with its name, and a `clank` block. A line with goals ends with
//! `//~` and one verdict for each of them, in the order of their places. There is nothing to bless here: a verdict that
//! says too much is a wrong program that runs unchecked.
#![expect(clippy::disallowed_methods, reason = "the cases are files")]

use std::collections::BTreeMap;

use clank::proof::Proof;

#[test]
fn every_goal_of_the_soundness_suite_gets_its_verdict() {
    let (mut n_cases, mut wrong) = (0, Vec::new());
    for path in clank::testing::case_files(env!("CARGO_MANIFEST_DIR"), "soundness") {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        for case in text.split("\n## ").skip(1) {
            n_cases += 1;
            let (title, rest) = case.split_once('\n').expect("a case has a heading");
            let program = rest.split("```clank\n").nth(1).and_then(|it| it.split("```").next());
            let program = program.expect("a case has a program");
            if let Some(difference) = difference(program) {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                wrong.push(format!("{file}: {title}\n{difference}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {n_cases} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(n_cases >= 200, "there are only {n_cases} cases");
}

/// What is said otherwise than the program's comments say.
fn difference(program: &str) -> Option<String> {
    let modules = clank::testing::Modules::new(program);
    let program = modules.text();
    let checked = clank::check(&modules.load(), None);
    let module = checked.asked().expect("the program was asked for");
    let mut found: BTreeMap<usize, Vec<(u32, u32, &str)>> = BTreeMap::new();
    for (node, goal, proof) in module.goals() {
        let span = module.ast.span(node);
        let line = 1 + program[..span.start as usize].matches('\n').count();
        let verdict = match proof {
            Proof::Discharged => "discharged",
            Proof::Refuted(_) => "refuted",
            Proof::Unknown(_) => "unknown",
        };
        found.entry(line).or_default().push((span.start, goal.kind as u32, verdict));
    }
    let mut said = String::new();
    for (index, line) in program.lines().enumerate() {
        let expected = line.split_once("//~").map_or("", |it| it.1).split_whitespace();
        let mut goals = found.remove(&(index + 1)).unwrap_or_default();
        goals.sort_by_key(|it| it.0);
        if !expected.clone().eq(goals.iter().map(|it| it.2)) {
            let goals: Vec<&str> = goals.iter().map(|it| it.2).collect();
            said.push_str(&format!("  {line}\n    found: {}\n", goals.join(" ")));
        }
    }
    // A refuted goal is an error of its own kind; nothing else may be wrong with the programs.
    for it in module.diagnostics.iter().filter(|it| it.code.is_error()) {
        if !it.code.name().starts_with("E3") {
            said.push_str(&format!("  {}: {}\n", it.code.name(), it.message));
        }
    }
    (!said.is_empty()).then_some(said)
}
