//! Generated programs do the same everywhere: in a small interpreter that was written from the language's decisions, on the
//! embedded engine and, behind the feature `live`, on Node, from JavaScript and from TypeScript that `tsc --strict` has
//! accepted. On the way every program is held to the laws of the formatter, of the printer, of AST JSON and of checking
//! again after a change.
//!
//! A program that does not is made smaller as long as it still does not, and shown.
#![expect(clippy::disallowed_methods, reason = "the programs people wrote are files")]

mod blame;
mod boundary;
mod builtins;
mod generator;
mod interpreter;
#[cfg(feature = "live")]
mod live;
mod proofs;
mod random;
mod shrink;
mod value;

use std::collections::BTreeMap;
use std::sync::Arc;

use clank::code::Code;
use clank::program::NoModules;
use clank::{Checked, Program};
use clank_emit::{EmitOptions, OutputFile, OutputLanguage, Runtime, emit};
use clank_run::{Limits, ProgramExit};
use clank_syntax::ast::Ast;
use clank_syntax::json::WriteOptions;
use generator::generate;
use interpreter::interpret;

/// How many steps the interpreter takes before it gives up on a program.
const FUEL: u64 = 300_000;

/// How many steps a call takes before what was proved about it is believed.
const PROOF_FUEL: u64 = 1_000;

/// What a program wrote and how it ended.
type Ran = (String, String);

/// The number of the first program and how many there are: `CLANK_PROGRAMS=0..1000` asks for others.
fn seeds(count: u64) -> std::ops::Range<u64> {
    let asked = std::env::var("CLANK_PROGRAMS").ok();
    let asked = asked.as_ref().and_then(|it| it.split_once(".."));
    match asked {
        Some((first, end)) => first.parse().expect("a number")..end.parse().expect("a number"),
        None => 0..count,
    }
}

fn check_ast(ast: Ast) -> Checked {
    let program = Program::load("main.clank".into(), Arc::new(ast), Vec::new(), &NoModules);
    clank::check(&program, None)
}

/// The program, if it can be read and has no mistakes.
fn checked(text: &str) -> Result<Checked, String> {
    let parsed = clank_syntax::parse("main.clank", text);
    if let Some(error) = parsed.errors.first() {
        return Err(format!("it cannot be read: {} at {:?}", error.message, error.span));
    }
    let checked = check_ast(parsed.ast);
    accepted(&checked)?;
    Ok(checked)
}

/// A check that is known to fail is an error too, but it still is a check: such programs run until they get there.
fn accepted(checked: &Checked) -> Result<(), String> {
    let module = checked.asked().expect("there is one module");
    let is_refuted = |code: Code| (Code::E3001..=Code::E3004).contains(&code);
    match module.diagnostics.iter().find(|it| it.code.is_error() && !is_refuted(it.code)) {
        None => Ok(()),
        Some(it) => {
            let place = module.ast.text(it.node);
            Err(format!("it is refused: {} {} at `{place}`", it.code.name(), it.message))
        }
    }
}

fn interpreted(checked: &Checked) -> Option<Ran> {
    interpret(checked.asked().expect("there is one module"), FUEL)
}

fn compiled(checked: &Checked, dialect: OutputLanguage) -> Vec<OutputFile> {
    emit(checked, &EmitOptions { dialect, runtime: Runtime::Inline }).files
}

fn embedded(checked: &Checked) -> Ran {
    let files = compiled(checked, OutputLanguage::JavaScript);
    let (mut output, mut errors, mut input): (Vec<u8>, Vec<u8>, &[u8]) = Default::default();
    let io = clank_run::Io { input: &mut input, output: &mut output, errors: &mut errors };
    let outcome = clank_run::run(&program_of(files), &Limits::STANDARD, io);
    match outcome {
        Ok(outcome) => ran(&output, &outcome),
        Err(error) => (String::new(), format!("{error}")),
    }
}

fn program_of(files: Vec<OutputFile>) -> clank_run::Program {
    let entry = files[0].path.clone();
    let modules = files.into_iter().map(|it| clank_run::Module { path: it.path, text: it.text });
    clank_run::Program::new(modules.collect(), &entry).expect("generated paths are in order")
}

fn ran(output: &[u8], outcome: &ProgramExit) -> Ran {
    let ended = match outcome {
        ProgramExit::Done => "done".to_owned(),
        ProgramExit::Panic { message, .. } => format!("panic: {message}"),
        ProgramExit::Raised { message, .. } => format!("raised: {message}"),
        other => format!("{other:?}"),
    };
    (String::from_utf8_lossy(output).into_owned(), ended)
}

fn difference(name: &str, expected: &Ran, found: &Ran) -> Option<String> {
    if expected == found {
        return None;
    }
    if found.0.is_empty() && !expected.1.starts_with(&found.1[..4.min(found.1.len())]) {
        return Some(format!("{name} says {}: should be {}", found.1, expected.1));
    }
    let lines = |it: &Ran| -> Vec<String> {
        it.0.lines().map(str::to_owned).chain([it.1.clone()]).collect()
    };
    let (expected, found) = (lines(expected), lines(found));
    let first = expected.iter().zip(&found).take_while(|(one, two)| one == two).count();
    Some(format!(
        "{name}: line {} should be\n  {}\nbut is\n  {}",
        first + 1,
        expected.get(first).map_or("", |it| it),
        found.get(first).map_or("", |it| it)
    ))
}

/// What is wrong with how the embedded engine runs a program.
fn engine_fault(text: &str) -> Option<String> {
    let checked = match checked(text) {
        Ok(checked) => checked,
        Err(refused) => return Some(refused),
    };
    let expected = interpreted(&checked)?;
    difference("the engine", &expected, &embedded(&checked))
}

/// What is wrong with how a program is printed, formatted, written as JSON and checked again.
fn law_fault(text: &str) -> Option<String> {
    let parsed = clank_syntax::parse("main.clank", text);
    let before = checked(text).ok()?;
    let expected = interpreted(&before)?;
    let again = |name: &str, text: &str| -> Option<String> {
        let checked = match checked(text) {
            Ok(checked) => checked,
            Err(refused) => return Some(format!("{name}: {refused}\n{text}")),
        };
        difference(name, &expected, &interpreted(&checked)?)
    };
    let formatted = clank_syntax::format(&parsed)?;
    let twice = clank_syntax::format(&clank_syntax::parse("main.clank", &formatted));
    if twice.as_deref() != Some(&formatted) {
        return Some("formatting is not idempotent".to_owned());
    }
    if let Some(fault) = again("formatted", &formatted) {
        return Some(fault);
    }
    if let Some(fault) = again("printed", &clank_syntax::print(&parsed.ast)) {
        return Some(fault);
    }
    let json = clank_syntax::json::write(
        &parsed.ast,
        &WriteOptions { ids: true, spans: false, pretty: false },
    );
    let read = match clank_syntax::json::read(&json) {
        Ok(read) => read,
        Err(errors) => return Some(format!("AST JSON: {errors:?}")),
    };
    if !clank_syntax::same(&parsed.ast, &read) {
        return Some("AST JSON reads as another tree".to_owned());
    }
    if let Some(fault) = again("through JSON", &clank_syntax::print(&read)) {
        return Some(fault);
    }
    let module = before.asked().expect("there is one module");
    let canonical = clank::canon::canonicalize(&module.ast, &module.env);
    again("canonical", &clank_syntax::print(&canonical))
}

/// Holds every program to a law. Of the faults of one kind the first is made smaller and shown.
fn hold(programs: impl Iterator<Item = (String, String)>, law: fn(&str) -> Option<String>) {
    let fault = |text: &str| {
        std::panic::catch_unwind(|| law(text)).unwrap_or_else(|_| Some("it panics".to_owned()))
    };
    let mut faults: BTreeMap<String, (Vec<String>, String)> = BTreeMap::new();
    for (name, text) in programs {
        let Some(found) = fault(&text) else { continue };
        let (names, shown) = faults.entry(shrink::kind(&found)).or_default();
        names.push(name);
        if shown.is_empty() {
            let small = shrink::shrink(&text, &fault, &found);
            *shown = format!("{}\n{small}", fault(&small).unwrap_or(found));
        }
    }
    let faults = faults.into_values();
    let faults: Vec<String> = faults.map(|it| format!("{}: {}", it.0.join(", "), it.1)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n----\n"));
}

/// What is wrong with what is known after changes, when it is made from what was known before.
fn recheck_fault(text: &str) -> Option<String> {
    let load = |text: &str| {
        let parsed = clank_syntax::parse("main.clank", text);
        Program::load("main.clank".into(), Arc::new(parsed.ast), parsed.errors, &NoModules)
    };
    let before = clank::check(&load(text), None);
    let smaller: Vec<String> = shrink::candidates(text).collect();
    let step = smaller.len() / 8 + 1;
    for changed in smaller.iter().step_by(step) {
        let changed_program = load(changed);
        let again = clank::check(&changed_program, Some(&before));
        let afresh = clank::check(&changed_program, None);
        let text = |it: &Checked| compiled(it, OutputLanguage::JavaScript).remove(0).text;
        if text(&again) != text(&afresh) {
            return Some(format!("other JavaScript after the change to\n{changed}"));
        }
        for (again, afresh) in again.modules.iter().zip(&afresh.modules) {
            if again.diagnostics != afresh.diagnostics {
                return Some(format!("other diagnostics after the change to\n{changed}"));
            }
            if again.bodies != afresh.bodies {
                return Some(format!("other bodies after the change to\n{changed}"));
            }
        }
    }
    None
}

/// What is wrong with what was proved about a program: its functions are called with numbers and arrays of every small
/// kind, and every goal is checked as it comes up.
fn proof_fault(text: &str) -> Option<String> {
    let checked = match checked(text) {
        Ok(checked) => checked,
        Err(refused) => return Some(refused),
    };
    let module = checked.asked().expect("there is one module");
    interpreter::watch(module, proofs::calls(module), PROOF_FUEL)
}

/// The programs that people wrote.
fn written() -> impl Iterator<Item = (String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../clank-syntax/tests/programs");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder exists")
        .map(|it| it.expect("the folder can be read").path())
        .collect();
    paths.sort();
    assert!(paths.len() >= 8, "there are only {} programs", paths.len());
    paths.into_iter().map(|path| {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        (path.file_name().expect("a file has a name").to_string_lossy().into_owned(), text)
    })
}

fn generated(count: u64) -> impl Iterator<Item = (String, String)> {
    seeds(count).map(|it| (format!("program {it}"), generate(it)))
}

#[test]
fn generated_programs_run_as_the_interpreter_says() {
    hold(generated(150), engine_fault);
}

/// Programs with much to prove.
fn proving(count: u64) -> impl Iterator<Item = (String, String)> {
    seeds(count).map(|it| (format!("program {it}"), proofs::runnable(it)))
}

/// Every check of a goal that is not proved asks what it should, whoever wrote the predicate (rows 1, 9 and 40).
#[test]
fn programs_with_much_to_prove_run_as_the_interpreter_says() {
    hold(proving(60), engine_fault);
}

#[test]
fn generated_programs_mean_the_same_formatted_printed_and_as_json() {
    hold(generated(60), law_fault);
}

#[test]
fn programs_are_the_same_checked_again_after_a_change_and_checked_afresh() {
    hold(generated(15), recheck_fault);
    hold(proving(10), recheck_fault);
}

#[test]
fn programs_that_people_wrote_run_as_the_interpreter_says_and_keep_the_laws() {
    hold(written(), engine_fault);
    hold(written(), law_fault);
    hold(written(), recheck_fault);
}

/// Row 27: sound above all. Whatever was proved holds, however the functions are called.
#[test]
fn no_goal_that_was_proved_fails_at_run_time() {
    let mut n_proved = 0;
    let mut faulty = Vec::new();
    let numbers = seeds(150);
    let count = numbers.end - numbers.start;
    for number in numbers {
        let (text, checked) = proofs::generate(number);
        accepted(&checked).expect("what is refused was left out");
        let module = checked.asked().expect("there is one module");
        n_proved += module.goals().filter(|it| it.2.is_discharged()).count() as u64;
        if interpreter::watch(module, proofs::calls(module), PROOF_FUEL).is_some() {
            faulty.push((format!("program {number}"), text));
        }
    }
    hold(faulty.into_iter(), proof_fault);
    assert!(n_proved >= 10 * count, "only {n_proved} goals of {count} programs are proved");
}

#[test]
fn what_was_proved_about_generated_and_written_programs_holds_when_they_run() {
    let fault = |text: &str| {
        let checked = checked(text).ok()?;
        let module = checked.asked().expect("there is one module");
        interpreter::watch(module, [("main".into(), Vec::new())].into_iter(), FUEL)
    };
    hold(generated(40), fault);
    hold(written(), fault);
}
