//! The programs of the compiler's own tests, repaired by `fix` and by `compile --fix`: as they are, and as others would have
//! written them.

use std::path::Path;

use anyhow::{Context, Result};
use protocol::v1;

use super::users::UserWorkspace;
use crate::report;

/// Where the cases are.
const FOLDERS: [&str; 3] =
    ["crates/clank/tests", "crates/clank-emit/tests", "crates/clank-repair/tests"];

/// What the repairs may do to the meaning.
const SAFETIES: [v1::Safety; 3] =
    [v1::Safety::BehaviorPreserving, v1::Safety::LikelyPreserving, v1::Safety::BehaviorChanging];

/// A program of the tests.
pub(super) struct StudyCase {
    /// The modules besides the program.
    files: Vec<(String, String)>,
    /// The program.
    file: String,
    text: String,
}

/// Every program of the tests, in the order of the files.
pub(super) fn cases(root: &Path) -> Result<Vec<StudyCase>> {
    let mut paths = Vec::new();
    for tests in FOLDERS {
        for folder in std::fs::read_dir(root.join(tests)).context(tests)? {
            let folder = folder?.path();
            for entry in
                folder.is_dir().then(|| std::fs::read_dir(&folder)).into_iter().flatten().flatten()
            {
                paths.push(entry?.path());
            }
        }
    }
    paths.retain(|it| it.extension().is_some_and(|it| it == "md"));
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path)?;
        let blocks = text.split("\n```clank\n").skip(1);
        cases.extend(blocks.filter_map(|it| case(it.split("```\n").next()?)));
    }
    Ok(cases)
}

/// The modules of a case begin with a line `//- path`; the last is the one that is meant.
fn case(program: &str) -> Option<StudyCase> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in program.split_inclusive('\n') {
        match line.strip_prefix("//- ") {
            Some(path) => files.push((path.trim().to_owned(), String::new())),
            None if files.is_empty() => files.push(("main.clank".to_owned(), line.to_owned())),
            None => files.last_mut()?.1.push_str(line),
        }
    }
    let (file, text) = files.pop()?;
    Some(StudyCase { files, file, text })
}

/// The program as others would have written it, and with more than one mistake.
fn forms(text: &str, other: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let without = |idx: usize| {
        let kept = lines.iter().enumerate().filter(|it| it.0 != idx);
        kept.map(|it| format!("{}\n", it.1)).collect::<String>()
    };
    vec![
        text.to_owned(),
        text.replace('\n', "\r\n"),
        format!("\u{feff}{text}"),
        text.trim_end().to_owned(),
        lines.iter().map(|it| format!("{it} // why\n/* how */\n")).collect(),
        format!("{text}\n{other}"),
        without(lines.len() / 2),
        text.replacen(['}', ')'], "", 1),
    ]
}

/// Compares what the commands do to every so many of the cases, beginning with that one, and says how many programs that
/// were and which differ.
pub(super) fn compare(
    cases: &[StudyCase],
    first: usize,
    step: usize,
) -> Result<(usize, Vec<String>)> {
    let mut n_programs = 0;
    let mut differing = Vec::new();
    for (number, case) in cases.iter().enumerate().skip(first).step_by(step) {
        let workspace = UserWorkspace::new(&case.file, &case.files)?;
        let other = &cases[(number + 7) % cases.len()].text;
        for text in forms(&case.text, other) {
            for safety in SAFETIES {
                n_programs += 1;
                let fixed = workspace.fix(&text, safety)?;
                differing.extend(workspace.difference(&text, safety, &fixed)?);
            }
        }
    }
    Ok((n_programs, differing))
}

/// Compares what the commands do to one in `step` of the cases; which one is first changes from day to day.
pub(super) fn run(root: &Path, step: usize) -> Result<()> {
    let day = std::time::UNIX_EPOCH.elapsed().map_or(0, |it| it.as_secs() / 86_400);
    let first = usize::try_from(day).unwrap_or(0) % step.max(1);
    report(&format!("every case number {first} of {step}"));
    let (n_programs, differing) = compare(&cases(root)?, first, step.max(1))?;
    differing.iter().for_each(|it| report(it));
    report(&format!(
        "{n_programs} programs of the tests, {} are repaired in two ways",
        differing.len()
    ));
    anyhow::ensure!(differing.is_empty(), "`fix` and `compile --fix` differ");
    Ok(())
}
