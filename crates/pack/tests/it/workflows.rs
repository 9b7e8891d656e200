//! The rules about workflows, one small workflow per fault: which rule speaks, at which bytes, and what its repair makes
//! of the file.

use std::fmt::Write as _;

use check::Safety;
use fixture::case::Files;

use super::cases::{pack_files, repository};
use super::trial::{Trial, files_of, load_pack};

const FOLDER: &str = "crates/pack/fixtures-workflows";

/// A file of cases: each starts with `=== NAME`, then the files (`--- PATH`, or one workflow), then after `>>>` a line for
/// each finding: `SEVERITY RULE LINE:COLUMN ‹TEXT›`, and after `<<<` the workflow as all repairs leave it.
struct Case {
    name: String,
    files: Files,
    expected: String,
}

const MAIN: &str = ".github/workflows/a.yml";

fn cases(text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for part in text.split("\n=== ").skip(1) {
        let (name, rest) = part.split_once('\n').unwrap_or((part, ""));
        let (body, expected) = rest.split_once(">>>\n").unwrap_or((rest, ""));
        let mut files = Files::new();
        match body.strip_prefix("--- ") {
            None => {
                files.insert(MAIN.to_owned(), body.to_owned());
            }
            Some(body) => {
                for file in format!("\n{body}").replacen('\n', "\n--- ", 1).split("\n--- ").skip(1)
                {
                    let (path, text) = file.split_once('\n').unwrap_or((file, ""));
                    files.insert(path.to_owned(), format!("{}\n", text.trim_end_matches('\n')));
                }
            }
        }
        cases.push(Case { name: name.to_owned(), files, expected: expected.trim_end().to_owned() });
    }
    cases
}

/// What is found, and what comes of it.
fn outcome(trial: &Trial) -> String {
    let run = trial.run(Safety::BehaviorChanging, false);
    let mut out = String::new();
    for it in &run.start.diagnostics {
        let text = &trial.files[&it.file];
        let place = match &it.location {
            Some(at) => {
                let shown: String =
                    text[at.start_byte as usize..at.end_byte as usize].chars().take(40).collect();
                format!("{}:{} ‹{}›", at.start_line, at.start_col, shown.replace('\n', "⏎"))
            }
            None => "?".to_owned(),
        };
        let file = if it.file == MAIN { String::new() } else { format!(" {}", it.file) };
        let repairs =
            run.start.repairs.iter().filter(|repair| repair.resolves.contains(&it.diagnostic_id));
        let repairs: String = repairs.map(|it| format!(" | {}", it.safety.name())).collect();
        let _ = writeln!(out, "{} {}{file} {place}{repairs}", it.severity.name(), it.rule_id);
    }
    let after = files_of(&run.fixed.end.snapshot);
    for (path, text) in &after {
        if trial.files.get(path) != Some(text) {
            let path = if path == MAIN { String::new() } else { format!(" {path}") };
            let _ = write!(out, "<<<{path}\n{text}");
        }
    }
    out.trim_end().to_owned()
}

/// every rule about workflows, with the place it speaks of and the repair it offers.
#[test]
fn every_fault_is_found_at_its_place_and_repaired_where_it_can_be() {
    let pack = load_pack(&pack_files("crates/pack/builtin/github"));
    let bless = std::env::var_os("REGREEN_BLESS").is_some();
    let root = repository().join(FOLDER);
    let (mut n_bad, mut wrong) = (0, Vec::new());
    for (path, text) in fixture::corpus::texts_under(&root, ".txt") {
        let head = text.split("\n=== ").next().unwrap_or_default().to_owned();
        let mut rendered = head;
        let is_good = path.starts_with("good");
        for case in cases(&text) {
            let trial = Trial::new(case.files.clone(), vec![pack.clone()], &|_| false);
            let actual = outcome(&trial);
            if is_good && !actual.is_empty() {
                wrong.push(format!("{path}: {} should be clean\n{actual}", case.name));
            }
            n_bad += usize::from(!case.expected.is_empty());
            if actual != case.expected {
                wrong.push(format!(
                    "{path}: {}\nfound:\n{actual}\nexpected:\n{}",
                    case.name, case.expected
                ));
            }
            let _ = write!(rendered, "\n=== {}\n", case.name);
            if case.files.len() == 1 && case.files.contains_key(MAIN) {
                rendered += &case.files[MAIN];
            } else {
                case.files.iter().for_each(|(path, text)| {
                    let _ = write!(rendered, "--- {path}\n{text}");
                });
            }
            if !actual.is_empty() {
                let _ = writeln!(rendered, ">>>\n{actual}");
            }
        }
        if bless && !is_good {
            std::fs::write(root.join(&path), rendered).expect("the cases can be written");
        }
    }
    if bless {
        wrong.retain(|it| it.starts_with("good"));
    }
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(n_bad >= 150, "{n_bad} cases with a finding");
}
