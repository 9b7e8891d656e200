//! What each stage of the compiler does in one process, and how its time grows.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use clank::Program;
use clank::program::{Finder, Module, candidate_files};
use clank_emit::{EmitOptions, OutputLanguage, Runtime, emit};
use clank_syntax::ast::Name;
use clank_syntax::json::{WriteOptions, read, write};

use super::program::{SHAPES, Shape, program};
use crate::Scale;
use crate::measure::{Clock, best_of};
use crate::table::{Table, count, size, time};

/// Runs and prints `clank-text`.
pub(crate) fn run(scale: Scale) -> Result<()> {
    throughput(scale)?;
    growth(scale)
}

/// The program of all these files.
pub(super) fn load(files: &[(String, String)]) -> Program {
    struct Files<'a>(&'a [(String, String)]);
    impl Finder for Files<'_> {
        fn find(&self, from: &str, path: &[Name]) -> Option<Name> {
            let candidates = candidate_files(from, path, &[]);
            candidates.iter().find(|it| self.0.iter().any(|file| file.0 == **it)).map(Name::new)
        }

        fn names(&self, _: &str) -> Vec<Name> {
            Vec::new()
        }
    }

    let modules = files.iter().map(|(file, text)| {
        let parsed = clank_syntax::parse(file, text);
        Module { file: Name::new(file), ast: Arc::new(parsed.ast), syntax: parsed.errors }
    });
    Program::link(modules.collect(), &Files(files))
}

fn throughput(scale: Scale) -> Result<()> {
    let text = program(scale.pick(5_000, 50));
    let runs = scale.pick(7, 1);
    let mut table = Table::new(&["stage", "clock", "time", "MB/s of Clank text"]);
    let mut row = |stage: &str, clock: Clock, elapsed: Duration| {
        let rate = text.len() as f64 / 1e6 / elapsed.as_secs_f64().max(1e-9);
        let clock = match clock {
            Clock::Processor => "processor",
            Clock::Wall => "wall",
        };
        table.row(vec![stage.into(), clock.into(), time(elapsed), format!("{rate:.1}")]);
    };
    let processor = Clock::Processor;
    let (lexed, _) = best_of(processor, runs, || (), |()| clank_syntax::lex(&text));
    row("tokens", processor, lexed);
    let (read_text, parsed) =
        best_of(processor, runs, || (), |()| clank_syntax::parse("program.clank", &text));
    row("tree (tokens included)", processor, read_text);
    let (formatted, layout) = best_of(processor, runs, || (), |()| clank_syntax::format(&parsed));
    row("layout of a tree", processor, formatted);
    ensure!(layout.as_deref() == Some(text.as_str()), "the program is in canonical layout");
    let squeezed: String = text.lines().map(|it| format!("{}\n", it.trim_start())).collect();
    let mangled = clank_syntax::parse("program.clank", &squeezed);
    let (formatted, _) = best_of(processor, runs, || (), |()| clank_syntax::format(&mangled));
    row("layout of a tree, every line to be moved", processor, formatted);
    let (printed, _) = best_of(processor, runs, || (), |()| clank_syntax::print(&parsed.ast));
    row("print of a tree", processor, printed);
    let options = WriteOptions { ids: true, spans: false, pretty: false };
    let (written, json) = best_of(processor, runs, || (), |()| write(&parsed.ast, &options));
    row("AST JSON out", processor, written);
    let (read_json, again) = best_of(processor, runs, || (), |()| read(&json).map(drop));
    ensure!(again.is_ok(), "what was written can be read");
    row(&format!("AST JSON in ({})", size(json.len() as u64)), processor, read_json);
    let files = [("program.clank".to_owned(), text.clone())];
    let program = load(&files);
    let (checked_in, checked) =
        best_of(Clock::Wall, runs, || (), |()| clank::check(&program, None));
    ensure!(!checked.has_errors(), "a generated program has mistakes");
    row("names, types, effects, patterns, paths", Clock::Wall, checked_in);
    let (checked_in, _) = best_of(processor, runs, || (), |()| clank::check(&program, None));
    row("the same", processor, checked_in);
    for (what, dialect) in [
        ("TypeScript out", OutputLanguage::TypeScript),
        ("JavaScript out", OutputLanguage::JavaScript),
    ] {
        let options = EmitOptions { dialect, runtime: Runtime::Inline };
        let (emitted, _) = best_of(processor, runs, || (), |()| emit(&checked, &options));
        row(what, processor, emitted);
    }
    table.print(&format!("The stages on {} of Clank:", size(text.len() as u64)));
    Ok(())
}

/// Reading, laying out, checking and generating, at a size and at twice that size.
fn growth(scale: Scale) -> Result<()> {
    let mut table = Table::new(&["what", "n", "time", "2n", "time", "growth"]);
    for shape in &SHAPES {
        let n = scale.pick(shape.n, shape.n / 100);
        let (once, twice) = (compile(shape, n)?, compile(shape, 2 * n)?);
        table.row(vec![
            shape.name.to_owned(),
            count(n),
            time(once),
            count(2 * n),
            time(twice),
            format!("{:.2}x", twice.as_secs_f64() / once.as_secs_f64().max(1e-9)),
        ]);
    }
    table.print("Reading, laying out, checking and generating JavaScript (goal: linear, 2x):");
    Ok(())
}

fn compile(shape: &Shape, n: usize) -> Result<Duration> {
    let text = (shape.write)(n);
    let options = EmitOptions { dialect: OutputLanguage::JavaScript, runtime: Runtime::Inline };
    let work = |()| {
        let parsed = clank_syntax::parse("long.clank", &text);
        let layout = clank_syntax::format(&parsed);
        let program = load(&[("long.clank".to_owned(), text.clone())]);
        let checked = clank::check(&program, None);
        let output = (!checked.has_errors()).then(|| emit(&checked, &options));
        (layout, checked, output)
    };
    let (elapsed, (_, checked, _)) = best_of(Clock::Processor, 5, || (), work);
    let name = shape.name;
    ensure!(checked.has_errors() == shape.is_wrong, "{name}: other mistakes than it should have");
    Ok(elapsed)
}
