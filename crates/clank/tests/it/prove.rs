//! What is proved, refuted or left open, and what is said about it: verdicts, reasons, counterexamples and facts.
//!
//! Every file of `tests/prove` holds cases. A case is a heading with its name and the rows of the language's decisions
//! that it proves, a `clank` block, and a `verdicts` block: one line for every goal by its position, `discharged`,
//! `refuted` or `unknown`, the kind, `line:column` and the goal. Under a goal that is not proved stand the reason, the
//! counterexample (one that only a run could confirm ends with `(candidate)`) and the facts. With `REGREEN_BLESS=1` the
//! verdicts are written, with `REGREEN_BLESS=loops` those of one file. Whether verdicts are right is for the soundness
//! suite to say.
#![expect(clippy::disallowed_methods, reason = "the cases are files")]

use std::sync::Arc;

use clank::program::NoModules;
use clank::proof::{Counterexample, Proof};
use clank::{Checked, Program};
use clank_syntax::ast::Name;
use edit::{LineIndex, Unit};

use clank::testing::{case_files, is_blessed};

#[test]
fn what_is_said_about_goals_is_as_written() {
    let mut n_cases = 0;
    let mut wrong = Vec::new();
    for path in case_files(env!("CARGO_MANIFEST_DIR"), "prove") {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let mut blessed = String::new();
        for piece in pieces(&text) {
            let Some(case) = Case::new(piece) else {
                blessed.push_str(piece);
                continue;
            };
            n_cases += 1;
            let found = case.found();
            if found != case.expected {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                wrong.push(format!(
                    "{file}: {}\n--- expected\n{}+++ found\n{found}",
                    case.heading, case.expected
                ));
            }
            blessed.push_str(&format!("{}{}{}", case.head, found, case.tail));
        }
        if is_blessed(&path) && blessed != text {
            std::fs::write(&path, blessed).expect("the file can be written");
        }
    }
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(n_cases >= 10, "there are only {n_cases} cases");
}

/// The file in pieces, each from one heading to the next; the first one may have none.
fn pieces(text: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = vec![0];
    starts.extend(text.match_indices("\n## ").map(|it| it.0 + 1));
    starts.push(text.len());
    starts.windows(2).map(|it| &text[it[0]..it[1]]).filter(|it| !it.is_empty()).collect()
}

struct Case<'a> {
    heading: &'a str,
    /// Up to the first verdict.
    head: &'a str,
    program: &'a str,
    /// The verdicts.
    expected: &'a str,
    /// From the end of the verdicts on.
    tail: &'a str,
}

impl<'a> Case<'a> {
    fn new(text: &'a str) -> Option<Case<'a>> {
        let heading = text.lines().next().filter(|it| it.starts_with("## "))?;
        let (program, _) = block(text, "```clank\n", heading);
        let (verdicts, end) = block(text, "```verdicts\n", heading);
        Some(Case {
            heading,
            head: &text[..end - verdicts.len()],
            program,
            expected: verdicts,
            tail: &text[end..],
        })
    }

    /// The verdicts in the form of the file.
    fn found(&self) -> String {
        let checked = check(self.program);
        let module = checked.asked().expect("the module that was loaded is there");
        let lines = LineIndex::new(self.program.as_bytes());
        let mut goals: Vec<_> = module.goals().collect();
        goals.sort_by_key(|it| (module.ast.span(it.0).start, it.0));
        let mut out = String::new();
        for (node, goal, proof) in goals {
            let verdict = match proof {
                Proof::Discharged => "discharged",
                Proof::Refuted(_) => "refuted",
                Proof::Unknown(_) => "unknown",
            };
            let start = lines.position(module.ast.span(node).start, Unit::CodePoint);
            let start = start.expect("spans lie in the text");
            let place = format!("{}:{}", start.line + 1, start.column + 1);
            out.push_str(&format!("{verdict} {:?} {place}: {}\n", goal.kind, goal.text));
            let Some(doubt) = proof.doubt() else { continue };
            out.push_str(&format!("  {}\n", doubt.reason));
            if let Some(example) = &doubt.counterexample {
                out.push_str(&format!("  counterexample {}\n", shown(example)));
            }
            for fact in &doubt.facts {
                out.push_str(&format!("  {}: {}\n", fact.source, fact.proposition));
            }
        }
        out
    }
}

/// The content of the block that starts with `open`, and where it ends.
fn block<'a>(text: &'a str, open: &str, heading: &str) -> (&'a str, usize) {
    let start = text.find(open).unwrap_or_else(|| panic!("{heading}: no {open}")) + open.len();
    let length = text[start..].find("```").unwrap_or_else(|| panic!("{heading}: no end"));
    (&text[start..start + length], start + length)
}

fn shown(example: &Counterexample) -> String {
    let values = example.values.iter().map(|(name, value)| format!("{name} = {value}"));
    let values = values.collect::<Vec<_>>().join(", ");
    if example.is_candidate { format!("{values} (candidate)") } else { values }
}

fn check(text: &str) -> Checked {
    let parsed = clank_syntax::parse("main.clank", text);
    let program =
        Program::load(Name::new("main.clank"), Arc::new(parsed.ast), parsed.errors, &NoModules);
    clank::check(&program, None)
}
