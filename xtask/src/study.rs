//! The repair study: how many mistakes in Clank programs are found, and how many are mended.
//!
//! Every program is checked with nothing to be said about it. Mistakes are made in its tree, one at a time, from fixed
//! seeds, so that every run prints the same table. A mutant that the checker has nothing to say about is run: if it does
//! what the program did, it is not a mistake and does not count; if it does not, it was not detected.

mod cases;
pub(crate) mod mistakes;
mod mutate;
mod promise;
pub(crate) mod random;
mod subject;
mod users;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clank::body::GoalKind;
use protocol::v1;

use self::mutate::{Mutation, ProgramFault, mutations};
use self::promise::{broken_promise, offered};
use self::random::Random;
use self::subject::StudyProgram;
use self::users::{Repaired, UserWorkspace};
use crate::report;

/// Where the programs are.
const FOLDERS: [&str; 2] = ["crates/clank-syntax/tests/programs", "xtask/programs"];

/// What the repairs may do to the meaning.
const SAFETY: v1::Safety = v1::Safety::BehaviorChanging;

/// So many mutants of a kind are made of one program.
const PER_KIND: usize = 12;

/// What is studied and what is shown.
struct Options {
    program: Option<String>,
    kind: Option<String>,
    show: bool,
    per_kind: usize,
}

/// What became of the mutants of one kind.
#[derive(Clone, Copy, Default)]
struct Counts {
    mutants: usize,
    detected: usize,
    green: usize,
    by_stopping: usize,
    rounds: usize,
    restored: usize,
    same_output: usize,
    promises: usize,
    broken: usize,
    differing: usize,
}

/// Runs the study and prints its table. Fails if a mistake is not detected, a promise is not kept, or `compile --fix` does
/// not do what `fix` does.
pub(crate) fn run(root: &Path, flags: &[&str]) -> Result<()> {
    match flags {
        ["--cases"] => return cases::run(root, 1),
        ["--cases", step] => {
            return cases::run(root, step.parse().context("--cases takes a number")?);
        }
        _ => {}
    }
    let options = options(flags)?;
    let workspace = UserWorkspace::new("main.clank", &[])?;
    let mut tally: BTreeMap<ProgramFault, Counts> = BTreeMap::new();
    let mut n_programs = 0;
    for path in programs(root)? {
        let name = path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
        if options.program.as_deref().is_some_and(|it| it != name) {
            continue;
        }
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let original = StudyProgram::new(&text);
        if original.progress() != [0; 4] {
            ensure!(
                !path.starts_with(root.join(FOLDERS[1])),
                "{name} is no program to begin with:\n  {}",
                original.findings().join("\n  ")
            );
            report(&format!("{name} is left out: {}", original.findings().join("; ")));
            continue;
        }
        n_programs += 1;
        study(name, &original, &workspace, &options, &mut tally)?;
    }
    let total = print(&tally, n_programs);
    ensure!(total.differing == 0, "{} mutants are repaired in two ways", total.differing);
    ensure!(total.broken == 0, "{} repairs did not keep their promise", total.broken);
    ensure!(total.detected == total.mutants, "a mistake was not detected");
    Ok(())
}

fn options(flags: &[&str]) -> Result<Options> {
    let mut options = Options { program: None, kind: None, show: false, per_kind: PER_KIND };
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().context(format!("{flag} takes a value"));
        match *flag {
            "--program" => options.program = Some(value()?.to_string()),
            "--kind" => options.kind = Some(value()?.to_string()),
            "--per-kind" => options.per_kind = value()?.parse()?,
            "--show" => options.show = true,
            other => bail!("{other}: not a flag of the study"),
        }
    }
    Ok(options)
}

fn programs(root: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for folder in FOLDERS {
        for entry in std::fs::read_dir(root.join(folder)).context(folder)? {
            paths.push(entry?.path());
        }
    }
    paths.retain(|it| it.extension().is_some_and(|it| it == "clank"));
    paths.sort();
    Ok(paths)
}

fn study(
    name: &str,
    original: &StudyProgram,
    workspace: &UserWorkspace,
    options: &Options,
    tally: &mut BTreeMap<ProgramFault, Counts>,
) -> Result<()> {
    let expected = original.run();
    ensure!(expected.1 == "done", "{name} does not come to its end: {}", expected.1);
    for fault in ProgramFault::ALL {
        if options.kind.as_deref().is_some_and(|it| it != fault.name()) {
            continue;
        }
        let mut random = Random::new(&[name, fault.name()]);
        let all = mutations(&original.parsed.ast, fault, &mut random);
        let n_places = all.len();
        let mut n_made = 0;
        for mutation in random.some(all, n_places) {
            if n_made == options.per_kind {
                break;
            }
            let counts = tally.entry(fault).or_default();
            let Some(found) = one(original, &expected, workspace, (fault, &mutation), counts)?
            else {
                continue;
            };
            n_made += 1;
            if options.show && !found.is_empty() {
                report(&format!(
                    "{name}: {}: {}\n    {}",
                    fault.name(),
                    mutation.title,
                    found.join("\n    ")
                ));
            }
        }
    }
    Ok(())
}

/// Makes one mistake, looks whether it is found, and repairs it. What is not as it should be, a line each; `None` if it is
/// no mistake of that kind.
fn one(
    original: &StudyProgram,
    expected: &(String, String),
    workspace: &UserWorkspace,
    (fault, mutation): (ProgramFault, &Mutation),
    counts: &mut Counts,
) -> Result<Option<Vec<String>>> {
    let Ok(text) = original.patched(&mutation.ops) else { return Ok(None) };
    let mutant = StudyProgram::new(&text);
    let mut lines = Vec::new();
    if !is_of(&mutant, fault) {
        return Ok(None);
    }
    if mutant.progress() == [0; 4] {
        let ran = mutant.run();
        if ran == *expected {
            return Ok(None);
        }
        counts.mutants += 1;
        return Ok(Some(vec![format!("NOT DETECTED, but it ends with {}", ran.1)]));
    }
    counts.mutants += 1;
    counts.detected += 1;
    let offer = offered(&mutant);
    for (place, repair) in offer.list.iter().enumerate() {
        counts.promises += usize::from(repair.is_verified);
        if let Some(broken) = broken_promise(&mutant, &offer.list, place) {
            counts.broken += 1;
            lines.push(format!("BROKEN PROMISE of `{}`: {broken}", repair.title));
        }
    }
    let wrong = mutant.findings();
    let stops = mutant.stops();
    let titles: Vec<String> = offer
        .list
        .iter()
        .map(|it| format!("{} ({:?}, {:?})", it.title, it.confidence, it.safety))
        .collect();
    let fixed = workspace.fix(&text, SAFETY)?;
    if let Some(difference) = workspace.difference(&text, SAFETY, &fixed)? {
        counts.differing += 1;
        lines.push(difference);
    }
    lines.extend(judge(original, expected, stops, &fixed, counts));
    if !lines.is_empty() {
        lines.extend(wrong.iter().take(6).map(|it| format!("said: {it}")));
        lines.extend(titles.iter().take(6).map(|it| format!("offered: {it}")));
        lines.extend(fixed.applied.iter().map(|it| format!("applied in round {}: {}", it.0, it.1)));
    }
    Ok(Some(lines))
}

/// Whether a mutant is one of that kind. A guard was one only if something is unguarded without it.
fn is_of(mutant: &StudyProgram, fault: ProgramFault) -> bool {
    let is_open = |kind: GoalKind| mutant.open_goals().iter().any(|it| it.0 == kind);
    match fault {
        ProgramFault::UnguardedIndex => mutant.progress()[0] == 0 && is_open(GoalKind::Bounds),
        ProgramFault::UnguardedDivision => mutant.progress()[0] == 0 && is_open(GoalKind::Division),
        _ => true,
    }
}

fn judge(
    original: &StudyProgram,
    expected: &(String, String),
    stops_before: usize,
    fixed: &Repaired,
    counts: &mut Counts,
) -> Vec<String> {
    let after = StudyProgram::new(&fixed.text);
    if after.progress() != [0; 4] {
        let left = after.findings().into_iter().take(6).map(|it| format!("left: {it}"));
        return std::iter::once("NOT GREEN".to_owned()).chain(left).collect();
    }
    counts.green += 1;
    counts.rounds += fixed.n_rounds();
    let mut lines = Vec::new();
    if after.stops() > stops_before {
        counts.by_stopping += 1;
        lines.push("green by stopping".to_owned());
    }
    if clank_syntax::same(&original.parsed.ast, &after.parsed.ast) {
        counts.restored += 1;
    } else {
        lines.push("not restored".to_owned());
    }
    counts.same_output += usize::from(after.run() == *expected);
    if fixed.n_rounds() > 1 {
        lines.push(format!("{} rounds", fixed.n_rounds()));
    }
    lines
}

fn print(tally: &BTreeMap<ProgramFault, Counts>, n_programs: usize) -> Counts {
    report(
        "kind                mutants  detected  green  by stopping  rounds  restored  same output  promises  broken",
    );
    let mut total = Counts::default();
    let (mut typos, mut typos_restored) = (0, 0);
    for (fault, it) in tally {
        row(fault.name(), it);
        total.mutants += it.mutants;
        total.detected += it.detected;
        total.green += it.green;
        total.by_stopping += it.by_stopping;
        total.rounds += it.rounds;
        total.restored += it.restored;
        total.same_output += it.same_output;
        total.promises += it.promises;
        total.broken += it.broken;
        total.differing += it.differing;
        if fault.is_typo() {
            typos += it.mutants;
            typos_restored += it.restored;
        }
    }
    row("all", &total);
    let share = |part: usize, whole: usize| part as f64 * 100.0 / whole.max(1) as f64;
    report(&format!(
        "{n_programs} programs, {} mutants: {:.1} % detected, {:.1} % green ({:.1} % by stopping), \
         {:.1} % of {typos} typos restored, {:.2} rounds",
        total.mutants,
        share(total.detected, total.mutants),
        share(total.green, total.mutants),
        share(total.by_stopping, total.mutants),
        share(typos_restored, typos),
        total.rounds as f64 / total.green.max(1) as f64,
    ));
    total
}

fn row(name: &str, it: &Counts) {
    let rounds = it.rounds as f64 / it.green.max(1) as f64;
    report(&format!(
        "{name:<18}{:>9}{:>10}{:>7}{:>13}{rounds:>8.2}{:>10}{:>13}{:>10}{:>8}",
        it.mutants,
        it.detected,
        it.green,
        it.by_stopping,
        it.restored,
        it.same_output,
        it.promises,
        it.broken
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RS-41 to RS-44, RS-46, RS-47: one loop. What the study finds of a few mutants, it finds of all.
    #[test]
    fn mutants_are_repaired_in_one_way() {
        for (program, kind) in [
            ("grades", "variable-typo"),
            ("ring", "dropped-argument"),
            ("bank", "dropped-arm"),
            ("search", "unguarded-index"),
            ("machine", "unused-name"),
        ] {
            let flags = ["--program", program, "--kind", kind, "--per-kind", "2"];
            run(&crate::root(), &flags).expect("the study");
        }
    }

    /// The same for programs with mistakes of every kind, in every form, at every safety; `--cases` tries all of them.
    #[test]
    fn cases_are_repaired_in_one_way() {
        let cases = cases::cases(&crate::root()).expect("cases");
        let (n_programs, differing) = cases::compare(&cases, 11, 61).expect("compared");
        assert!(n_programs > 400, "{n_programs}");
        assert!(differing.is_empty(), "{}", differing.join("\n"));
    }
}
