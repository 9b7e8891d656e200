//! The run-time suite: small programs and exactly what they write.
//!
//! Every file of `tests/run` holds cases. A case is a heading with its name and the rows of the language's decisions that
//! it proves, a `clank` block, and an `output` block with what the program writes to standard output. A program that does
//! not come to its end has a `panic` or `raised` block with the message after it. A block may hold several modules, each
//! after a line `//- path`; the last one is started. With `REGREEN_BLESS=1` the expectations are written.
//!
//! The programs run on the embedded engine; behind the feature `live` they also run on Node, from JavaScript and from
//! TypeScript that `tsc --strict` has accepted.
#![expect(clippy::disallowed_methods, reason = "the cases are files")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clank_emit::{EmitOptions, OutputLanguage, Runtime, emit, emit_to_start};
use clank_run::{Limits, ProgramExit};

/// The rows of the decisions that running is about. Every one is named by some case.
const ROWS: &[u32] =
    &[1, 5, 6, 7, 9, 10, 11, 12, 13, 20, 26, 28, 29, 30, 32, 38, 41, 42, 43, 44, 50, 51, 56];

/// One program with what it writes.
struct Case {
    file: String,
    heading: String,
    program: String,
    expected: String,
}

#[test]
fn every_program_of_the_run_time_suite_writes_exactly_its_output() {
    let cases = cases();
    let found: Vec<String> = cases.iter().map(embedded).collect();
    if std::env::var("REGREEN_BLESS").is_ok_and(|it| it == "1" || it == "run") {
        return bless(&cases, &found);
    }
    compare(&cases, &found);
    assert!(cases.len() >= 150, "there are only {} cases", cases.len());
    let rows: BTreeSet<u32> = cases.iter().flat_map(|it| rows(&it.heading)).collect();
    let unnamed: Vec<&u32> = ROWS.iter().filter(|it| !rows.contains(it)).collect();
    assert!(unnamed.is_empty(), "no case names the rows {unnamed:?}");
}

fn compare(cases: &[Case], found: &[String]) {
    let differs = cases.iter().zip(found).filter(|(case, found)| case.expected != **found);
    let wrong: Vec<String> = differs
        .map(|(case, found)| {
            let Case { file, heading, expected, .. } = case;
            format!("{file}: {heading}\n--- expected\n{expected}\n+++ found\n{found}")
        })
        .collect();
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// The modules of a case; what is wrong with them, if anything is.
/// The generated files with every run-time check in them, also those that are known to fail: that is what they are for.
fn generated(case: &Case, dialect: OutputLanguage) -> Result<Vec<clank_emit::OutputFile>, String> {
    let checked = checked(case, |code| code.starts_with("E3"))?.without_proofs();
    Ok(emit(&checked, &EmitOptions { dialect, runtime: Runtime::Inline }).files)
}

/// What it takes to start it, without the checks of what is proved, if nothing is wrong with the program.
fn generated_as_proved(case: &Case) -> Option<Vec<clank_emit::OutputFile>> {
    let checked = checked(case, |_| false).ok()?;
    Some(emit_to_start(&checked).files)
}

fn checked(case: &Case, is_passed_over: impl Fn(&str) -> bool) -> Result<clank::Checked, String> {
    let program = clank::testing::Modules::new(&case.program).load();
    let checked = clank::check(&program, None);
    let mistakes: Vec<String> = checked
        .modules
        .iter()
        .flat_map(|module| module.diagnostics.iter().map(move |it| (module, it)))
        .filter(|(_, it)| it.code.is_error() && !is_passed_over(it.code.name()))
        .map(|(module, it)| {
            format!("{} {} at `{}`\n", it.code.name(), it.message, module.ast.text(it.node))
        })
        .collect();
    if !mistakes.is_empty() {
        return Err(mistakes.concat());
    }
    Ok(checked)
}

fn program_of(files: Vec<clank_emit::OutputFile>) -> clank_run::Program {
    // The run-time library comes after the module that is started, if it is a file of its own.
    let is_module = |it: &&clank_emit::OutputFile| it.source_map.is_some();
    let entry = files.iter().rfind(is_module).expect("there is a module").path.clone();
    let modules = files.into_iter().map(|it| clank_run::Module { path: it.path, text: it.text });
    clank_run::Program::new(modules.collect(), &entry).expect("generated paths are in order")
}

fn embedded(case: &Case) -> String {
    let files = match generated(case, OutputLanguage::JavaScript) {
        Ok(files) => files,
        Err(mistakes) => return block("mistakes", &mistakes),
    };
    let found = run_embedded(files);
    match generated_as_proved(case).map(run_embedded) {
        Some(proved) if proved != found => found + "--- without proved checks\n" + &proved,
        _ => found,
    }
}

fn run_embedded(files: Vec<clank_emit::OutputFile>) -> String {
    let (output, outcome) = on_embedded_engine(files);
    described(&output, &outcome)
}

fn on_embedded_engine(files: Vec<clank_emit::OutputFile>) -> (Vec<u8>, ProgramExit) {
    let mut output = Vec::new();
    let mut errors = Vec::new();
    let mut input: &[u8] = b"first\nsecond";
    let io = clank_run::Io { input: &mut input, output: &mut output, errors: &mut errors };
    let outcome = clank_run::run(&program_of(files), &Limits::STANDARD, io);
    (output, outcome.expect("the engine starts"))
}

/// Row 44: the embedded engine has no modules of the host, and says which one is missing.
#[test]
fn a_module_of_the_host_is_missing_in_the_embedded_engine() {
    let program = "external mod path = \"node:path\" { fn basename(text: Str) -> Str }\n\
        fn main() -> IO + Unit { println(path.basename(\"a\")) }\n";
    let case = Case {
        file: String::new(),
        heading: String::new(),
        program: program.to_owned(),
        expected: String::new(),
    };
    let files = generated(&case, OutputLanguage::JavaScript).expect("the program is accepted");
    let mut nothing: &[u8] = b"";
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let io = clank_run::Io { input: &mut nothing, output: &mut output, errors: &mut errors };
    let refused = clank_run::run(&program_of(files), &Limits::STANDARD, io);
    let message = refused.expect_err("there is no such module").to_string();
    assert!(message.contains("node:path"), "{message}");
}

fn files_of(program: &str) -> Vec<clank_emit::OutputFile> {
    let case = Case {
        file: String::new(),
        heading: String::new(),
        program: program.to_owned(),
        expected: String::new(),
    };
    generated(&case, OutputLanguage::JavaScript).expect("the program is accepted")
}

const PANICS: &str = "fn at(xs: [Int], i: Int) -> Int { xs[i] }\n\
    fn delete(n: Int) -> Int { at([1], n) }\n\
    fn main() -> IO + Unit { println(to_string(delete(2))) }\n";

/// A frame has the name that a function has in Clank, whatever it had to be called in JavaScript.
fn check_frames_of_panic(outcome: ProgramExit) {
    let frames = outcome.into_frames().into_iter();
    let names: Vec<String> = frames.filter_map(|it| it.function).collect();
    assert!(names.ends_with(&["at", "delete", "main"].map(str::to_owned)), "{names:?}");
}

#[test]
fn the_frames_of_a_panic_have_the_names_of_the_program() {
    check_frames_of_panic(on_embedded_engine(files_of(PANICS)).1);
}

fn described(output: &[u8], outcome: &ProgramExit) -> String {
    let output = block("output", &String::from_utf8_lossy(output));
    match outcome {
        ProgramExit::Done => output,
        ProgramExit::Panic { message, .. } => output + &block("panic", message),
        ProgramExit::Raised { message, .. } => output + &block("raised", message),
        other => output + &block("stopped", &format!("{other:?}")),
    }
}

fn block(name: &str, text: &str) -> String {
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("```{name}\n{text}{end}```\n")
}

fn rows(heading: &str) -> Vec<u32> {
    let Some((_, rows)) = heading.split_once("row") else { return Vec::new() };
    rows.split(|it: char| !it.is_ascii_digit()).filter_map(|it| it.parse().ok()).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run")
}

fn cases() -> Vec<Case> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("the folder exists")
        .map(|it| it.expect("the folder can be read").path())
        .filter(|it| it.extension().is_some_and(|it| it == "md"))
        .collect();
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let file = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        for part in text.split("\n## ").skip(1) {
            let (heading, rest) = part.split_once('\n').expect("a heading has an end");
            let (_, rest) = rest.split_once("```clank\n").expect("a case has a program");
            let (program, rest) = rest.split_once("```\n").expect("a program has an end");
            let expected = rest.trim_matches('\n');
            let expected =
                if expected.is_empty() { String::new() } else { format!("{expected}\n") };
            cases.push(Case {
                file: file.clone(),
                heading: heading.to_owned(),
                program: program.to_owned(),
                expected,
            });
        }
    }
    cases
}

fn bless(cases: &[Case], found: &[String]) {
    let files: BTreeSet<&String> = cases.iter().map(|it| &it.file).collect();
    for file in files {
        let path = folder().join(file);
        let old = std::fs::read_to_string(&path).expect("the file can be read");
        let mut text = old.split("\n## ").next().expect("a file has a head").to_owned();
        for (case, found) in cases.iter().zip(found).filter(|it| it.0.file == *file) {
            let Case { heading, program, .. } = case;
            text.push_str(&format!("\n## {heading}\n\n```clank\n{program}```\n\n{found}"));
        }
        std::fs::write(path, text).expect("the file can be written");
    }
}

#[cfg(feature = "live")]
mod live {
    use std::process::Command;

    use super::*;

    /// The options that generated TypeScript must be clean under.
    const TSC: &[&str] = &[
        "--strict",
        "--noUncheckedIndexedAccess",
        "--noUnusedLocals",
        "--noImplicitReturns",
        "--noFallthroughCasesInSwitch",
        "--target",
        "es2022",
        "--module",
        "es2022",
        "--moduleResolution",
        "bundler",
        "--skipLibCheck",
    ];

    fn on_node(files: Vec<clank_emit::OutputFile>) -> String {
        let (output, outcome) = run_on_node(files);
        described(&output, &outcome)
    }

    fn run_on_node(files: Vec<clank_emit::OutputFile>) -> (Vec<u8>, ProgramExit) {
        let mut output = Vec::new();
        let mut errors = Vec::new();
        let io = clank_run::NodeIo::Piped {
            input: b"first\nsecond",
            output: &mut output,
            errors: &mut errors,
        };
        let node = Path::new("node");
        let outcome = clank_run::run_node(&program_of(files), node, &Limits::STANDARD, io);
        (output, outcome.expect("Node is installed"))
    }

    #[test]
    fn the_frames_of_a_panic_have_the_names_of_the_program_on_node() {
        check_frames_of_panic(run_on_node(files_of(PANICS)).1);
    }

    /// Where the calls were, in the program's own lines.
    fn places(files: &[clank_emit::OutputFile], outcome: ProgramExit) -> Vec<(String, u32, u32)> {
        let map = |path: &str| {
            let file = files.iter().find(|it| it.path == path)?;
            clank_run::SourceMap::parse(file.source_map.as_ref()?).ok()
        };
        let frames = outcome.into_frames().into_iter();
        let place = |it: clank_run::Frame| {
            let map = map(&it.module)?;
            let origin = map.lookup(it.line, it.column)?;
            Some((origin.source.to_owned(), origin.line, origin.column))
        };
        frames.filter_map(place).collect()
    }

    #[test]
    fn a_panic_is_at_the_same_place_on_node() {
        let mut n_compared = 0;
        for case in cases().iter().filter(|it| it.expected.contains("```panic")) {
            let files =
                generated(case, OutputLanguage::JavaScript).expect("the program is accepted");
            let embedded = places(&files, on_embedded_engine(files.clone()).1);
            let node = places(&files, run_on_node(files.clone()).1);
            assert_eq!(embedded, node, "{}: {}", case.file, case.heading);
            n_compared += usize::from(!node.is_empty());
        }
        assert!(n_compared >= 40, "only {n_compared} panics have a place");
    }

    #[test]
    fn every_program_writes_the_same_on_node() {
        let cases = cases();
        let found: Vec<String> = cases
            .iter()
            .map(|case| match generated(case, OutputLanguage::JavaScript) {
                Ok(files) => on_node(files),
                Err(mistakes) => block("mistakes", &mistakes),
            })
            .collect();
        compare(&cases, &found);
    }

    /// Rows 16 and 44: modules of the host are there on Node, and only there.
    #[test]
    fn modules_of_the_host_are_there_on_node() {
        let program = "external mod path = \"node:path\" { fn basename(text: Str) -> Str }\n\
            use external \"node:fs\"\n\
            fn path_basename(text: Str) -> Str { \"own\" }\n\
            fn main() -> IO + Unit { println(path.basename(\"a/b.txt\") ++ path_basename(\"x\")) }\n";
        assert_eq!(on_node(files_of(program)), block("output", "b.txtown\n"));
    }

    /// `CLANK_TSC` is the TypeScript compiler, `tsc` on the `PATH` if it is not set.
    #[test]
    fn every_program_writes_the_same_from_typescript_that_tsc_accepts() {
        let cases = cases();
        let folder = tempfile::tempdir().expect("a folder can be made");
        let mut names = Vec::new();
        for (index, case) in cases.iter().enumerate() {
            let files =
                generated(case, OutputLanguage::TypeScript).expect("the program is accepted");
            for file in files {
                let path = folder.path().join(format!("case{index}")).join(&file.path);
                std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("made");
                std::fs::write(&path, &file.text).expect("the file can be written");
                names.push((index, file, path));
            }
        }
        let tsc = std::env::var("CLANK_TSC").unwrap_or_else(|_| "tsc".to_owned());
        let compiled = Command::new(tsc)
            .args(TSC)
            .arg("--outDir")
            .arg(folder.path())
            .arg("--rootDir")
            .arg(folder.path())
            .args(names.iter().map(|it| &it.2))
            .output()
            .expect("tsc is installed");
        let said = String::from_utf8_lossy(&compiled.stdout);
        let shown = names.iter().filter(|it| said.contains(&format!("case{}/", it.0)));
        let shown: String =
            shown.map(|it| format!("case{}: {}\n", it.0, cases[it.0].heading)).collect();
        assert!(compiled.status.success(), "{said}\n{shown}");
        let mut found = Vec::new();
        for index in 0..cases.len() {
            let files = names.iter().filter(|it| it.0 == index).map(|(_, file, path)| {
                let text =
                    std::fs::read_to_string(path.with_extension("js")).expect("tsc wrote it");
                let path = file.path.replace(".ts", ".js");
                clank_emit::OutputFile { path, text, ..file.clone() }
            });
            found.push(on_node(files.collect()));
        }
        compare(&cases, &found);
    }
}
