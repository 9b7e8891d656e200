//! Mistakes that people with the habits of other languages make, mended the way `fix` mends them.
//!
//! Every file of `tests/idioms` holds a program in a `clank` block, or names one (`program: PATH` below the crates), and
//! mistakes in it. A mistake is a heading with its kind, lines that start with `-` and what is written for them, lines
//! that start with `+` (several such pairs for several mistakes at once), and a line `=` with what became of it:
//!
//! - `exact`: what was written before, but for the layout,
//! - `same output`: another program that writes the same,
//! - `other output`, `stopped`: green, but it writes something else or does not come to its end,
//! - `red` and the codes that are left,
//! - `silent`: nothing was found to be wrong.
//!
//! ` by a stub` is added where a stub was put in. With `REGREEN_BLESS=1` the results are written. With the default safety
//! nothing that is applied lets a program come to its end with another output.
#![expect(clippy::disallowed_methods, reason = "the cases are files")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use check::{Environment, Parses, RepairClass, Safety, Severity, Stop};
use clank::testing::{Modules, case_files, is_blessed};
use clank_emit::{EmitOptions, OutputLanguage, Runtime, emit};
use clank_repair::ClankCheck;
use document::Limits;
use edit::Text;
use engine::{Fixed, Options, Run, Sieve, Sources};
use plan::Policy;
use snapshot::{Entry, File, RelPath, Snapshot};

/// X-106, X-107.
#[test]
fn every_mistake_of_the_idiom_suite_becomes_what_it_says() {
    let only = std::env::var("REGREEN_IDIOMS").unwrap_or_default();
    let mut wrong = Vec::new();
    let mut tally: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for path in case_files(env!("CARGO_MANIFEST_DIR"), "idioms") {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let file = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (program, cases) = split(&text);
        let output = output_of(&program).expect("the program itself is right");
        let mut blessed = text.clone();
        for case in &cases {
            if !format!("{file}: {}", case.heading).contains(&only) {
                continue;
            }
            let mistaken = case.mistaken(&program);
            let (found, shown) = outcome(&mistaken, &program, &output);
            if changes_by_default(&mistaken, &output) {
                wrong.push(format!("{file}: {}\n  another output by default", case.heading));
            }
            let kind = case.heading.split(':').next().unwrap_or_default().to_owned();
            *tally
                .entry(kind)
                .or_default()
                .entry(found.split(' ').next().unwrap_or("").to_owned())
                .or_default() += 1;
            if found != case.expected {
                let start = blessed.find(&format!("## {}\n", case.heading)).expect("the heading");
                let line = start + blessed[start..].find("\n= ").expect("the result") + 1;
                let end = line + blessed[line..].find('\n').unwrap_or(0);
                blessed.replace_range(line..end, &format!("= {found}"));
                let expected = case.expected;
                wrong.push(format!(
                    "{file}: {}\n  expected {expected}\n  found {found}\n{shown}",
                    case.heading
                ));
            }
        }
        if is_blessed(&path) && blessed != text {
            std::fs::write(&path, blessed).expect("the file can be written");
        }
    }
    let table: Vec<String> = tally.iter().map(|(kind, it)| format!("{kind}: {it:?}")).collect();
    assert!(
        wrong.is_empty(),
        "{} mistakes differ:\n{}\n{}",
        wrong.len(),
        wrong.join("\n"),
        table.join("\n")
    );
    if only.is_empty() {
        let all: usize = tally.values().flat_map(BTreeMap::values).sum();
        let good = |it: &&String| matches!(it.as_str(), "exact" | "same");
        let n_good: usize =
            tally.values().flat_map(|it| it.iter().filter(|it| good(&it.0)).map(|it| it.1)).sum();
        assert!(all >= 150 && n_good * 100 >= all * 90, "{n_good} of {all} come out right");
    }
}

struct Case<'a> {
    heading: &'a str,
    /// What is written, and what is written for it.
    changes: Vec<(String, String)>,
    expected: &'a str,
}

impl Case<'_> {
    fn mistaken(&self, program: &str) -> String {
        let mut text = program.to_owned();
        for (old, new) in &self.changes {
            let count = text.matches(old.as_str()).count();
            assert_eq!(count, 1, "{}: `{old}` is there {count} times", self.heading);
            text = text.replacen(old.as_str(), new, 1);
        }
        text
    }
}

/// The program of a file and the mistakes in it.
fn split(text: &str) -> (String, Vec<Case<'_>>) {
    let (head, rest) = text.split_once("\n## ").unwrap_or((text, ""));
    let program = match head.split_once("```clank\n") {
        Some((_, rest)) => rest.split_once("```").expect("the end of the program").0.to_owned(),
        None => {
            let path = head.lines().find_map(|it| it.strip_prefix("program: ")).expect("a program");
            let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crates");
            std::fs::read_to_string(crates.join(path)).expect("the program can be read")
        }
    };
    let cases = rest.split("\n## ").filter(|it| !it.trim().is_empty()).map(case);
    (program, cases.collect())
}

fn case(text: &str) -> Case<'_> {
    let mut lines = text.lines();
    let heading = lines.next().unwrap_or_default();
    let mut changes: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
    let mut expected = "";
    for line in lines {
        match line.split_at_checked(1) {
            Some(("-", old)) => match changes.last_mut() {
                Some((olds, news)) if news.is_empty() => olds.push(old),
                _ => changes.push((vec![old], Vec::new())),
            },
            Some(("+", new)) => changes.last_mut().expect("what is written before").1.push(new),
            Some(("=", result)) => expected = result.trim(),
            _ => {}
        }
    }
    let changes = changes.into_iter().map(|(old, new)| (old.join("\n"), new.join("\n")));
    Case { heading, changes: changes.collect(), expected }
}

fn fixed(text: &str, safety: Safety) -> (engine::Assessment, Fixed, String) {
    let path = RelPath::parse("main.clank").expect("a path");
    let entry = Entry::File(File::new(Text::new(text), 0o644));
    let snapshot = Snapshot::new([(path.clone(), entry)].into_iter().collect()).expect("a tree");
    let clank = ClankCheck::new(Vec::new());
    let sources = Sources::new(&[&clank], Environment::default());
    let parses = Arc::new(Parses::new(Limits::DEFAULT).with_languages([clank::LANGUAGE]));
    let (sieve, stop) = (Sieve::default(), Stop::new());
    let run = Run { sources: &sources, parses: &parses, sieve: &sieve, stop: &stop, only: None };
    let start = engine::assess(&run, &snapshot, None);
    let policy = Policy { safety, allow: BTreeSet::new() };
    let options = Options {
        policy: &policy,
        is_editable: &|_| true,
        wants: &|_| true,
        max_passes: 10,
        max_rechecks: 2_000,
    };
    let fixed = engine::fix(&run, &start, &options, &mut |_| {});
    let after = fixed.end.snapshot.file(&path).expect("the file").text();
    let after = String::from_utf8_lossy(after.bytes()).into_owned();
    (start, fixed, after)
}

/// The rules of what is wrong, but for the layout.
fn left(assessment: &engine::Assessment) -> Vec<String> {
    let counts = assessment.diagnostics.iter().filter(|it| it.severity != Severity::Info);
    counts.filter(|it| it.rule_id != "format").map(|it| it.rule_id.clone()).collect()
}

/// What became of a mistake, and what was done about it.
fn outcome(mistaken: &str, program: &str, output: &str) -> (String, String) {
    let (before, fixed, after) = fixed(mistaken, Safety::BehaviorChanging);
    let start = left(&before);
    let mut shown = String::new();
    for it in before.diagnostics.iter().filter(|it| it.severity != Severity::Info) {
        shown.push_str(&format!("    {} {}\n", it.rule_id, it.message));
    }
    for it in &fixed.applied {
        shown.push_str(&format!("    applied in {}: {}\n", it.pass, it.repair.title));
    }
    for it in &fixed.rejected {
        let reason = &it.rejection.detail;
        shown.push_str(&format!(
            "    rejected: {} ({:?} {reason})\n",
            it.repair.title, it.rejection.reason
        ));
    }
    for line in diff(program, &after) {
        shown.push_str(&format!("    {line}\n"));
    }
    if start.is_empty() {
        return ("silent".to_owned(), shown);
    }
    let left = left(&fixed.end);
    if !left.is_empty() {
        for it in fixed.end.diagnostics.iter().filter(|it| it.rule_id != "format") {
            shown.push_str(&format!("    left: {} {}\n", it.rule_id, it.message));
        }
        let codes: BTreeSet<String> = left.into_iter().collect();
        return (format!("red {}", codes.into_iter().collect::<Vec<_>>().join(" ")), shown);
    }
    let is_stubbed = fixed.applied.iter().any(|it| it.class == RepairClass::Stub);
    let by = if is_stubbed { " by a stub" } else { "" };
    let found = match output_of(&after) {
        _ if squeezed(&after) == squeezed(program) => "exact",
        Some(after) if after == output => "same output",
        Some(after) if after.contains("--- ") => "stopped",
        Some(_) => "other output",
        None => "does not compile",
    };
    (format!("{found}{by}"), shown)
}

fn diff(before: &str, after: &str) -> Vec<String> {
    let squeeze = |it: &str| it.split_whitespace().collect::<Vec<_>>().join(" ");
    let known: BTreeSet<String> = before.lines().map(squeeze).collect();
    let then: BTreeSet<String> = after.lines().map(squeeze).collect();
    let gone =
        before.lines().map(squeeze).filter(|it| !then.contains(it)).map(|it| format!("- {it}"));
    let new =
        after.lines().map(squeeze).filter(|it| !known.contains(it)).map(|it| format!("+ {it}"));
    gone.chain(new).take(24).collect()
}

/// Whether what is applied by default lets the program end with another output.
fn changes_by_default(mistaken: &str, output: &str) -> bool {
    // What could run before is none of its business.
    if output_of(mistaken).is_some() {
        return false;
    }
    let (_, fixed, after) = fixed(mistaken, Safety::LikelyPreserving);
    if fixed.applied.is_empty() {
        return false;
    }
    output_of(&after).is_some_and(|it| it != output && !it.contains("--- "))
}

fn squeezed(text: &str) -> String {
    let tokens = clank_syntax::lex(text).0;
    let words = tokens.iter().filter(|it| !it.0.is_trivia() && it.1 != ";" && it.1 != ",");
    words.map(|it| it.1).collect::<Vec<_>>().join(" ")
}

/// What a program writes; nothing if it cannot be compiled.
fn output_of(text: &str) -> Option<String> {
    let checked = clank::check(&Modules::new(text).load(), None);
    if checked.has_errors() {
        return None;
    }
    let options = EmitOptions { dialect: OutputLanguage::JavaScript, runtime: Runtime::Inline };
    let files = emit(&checked, &options).files;
    let entry = files.iter().rfind(|it| it.source_map.is_some())?.path.clone();
    let modules = files.into_iter().map(|it| clank_run::Module { path: it.path, text: it.text });
    let program = clank_run::Program::new(modules.collect(), &entry).ok()?;
    let (mut input, mut output, mut errors): (&[u8], _, _) = (b"", Vec::new(), Vec::new());
    let io = clank_run::Io { input: &mut input, output: &mut output, errors: &mut errors };
    let outcome = clank_run::run(&program, &clank_run::Limits::STANDARD, io).ok()?;
    let output = String::from_utf8_lossy(&output).into_owned();
    Some(match outcome {
        clank_run::ProgramExit::Done => output,
        other => format!("{output}--- {other:?}"),
    })
}
