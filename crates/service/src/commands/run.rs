//! `run`: compiles a program in memory and runs it. The streams are the program's; what regreen has to say comes back.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Duration;

use check::{Diagnostic, Location, RuleOrigin, Severity, Tier};
use clank::Checked;
use clank_run::{
    Engine, Frame, Io, Limit, Limits, Module, NodeIo, Program, ProgramExit, RunError, SourceMap,
};
use clank_syntax::ast::Decl;
use edit::{LineIndex, Position, Text, Unit};
use protocol::v1;

use crate::Frames;
use crate::compiler::ClankFindings;
use crate::compiler::sources;
use crate::failure::Failure;
use crate::session::Session;
use crate::session::pool;
use crate::wire;

/// As good as no limit: longer than anybody waits.
const NO_LIMIT: Duration = Duration::from_secs(60 * 60 * 24 * 365);

/// The streams of a program.
pub struct RunIo {
    /// What it reads.
    pub input: Box<dyn BufRead + Send>,
    /// What it prints.
    pub output: Box<dyn Write + Send>,
    /// What it prints as errors.
    pub errors: Box<dyn Write + Send>,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunOutcome {
    /// There are errors, or a source is not canonical and has to be; the program was not started.
    NotStarted,
    /// It ran to its end.
    Done,
    /// It was ended by a panic, an error that reached `main`, or a limit.
    Ended {
        /// What happened, and where.
        diagnostic: Box<v1::Diagnostic>,
        /// The text that it is about.
        frames: Frames,
        /// The calls that were under way, the innermost first.
        trace: Vec<TracePlace>,
    },
}

/// A call that was under way, in the program as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TracePlace {
    /// The function.
    pub function: Option<String>,
    /// The file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// In code points, from 1.
    pub column: u32,
}

/// The reply to `run`.
#[derive(Clone, Debug)]
pub struct RunReply {
    /// How it ended.
    pub outcome: RunOutcome,
    /// What is said about the program.
    pub findings: ClankFindings,
}

impl RunReply {
    /// Whether the program ran to its end.
    pub fn is_ok(&self) -> bool {
        self.outcome == RunOutcome::Done
    }
}

/// Compiles and runs a program. `before` is told what is worth knowing before the program starts.
pub fn run(
    session: &Session,
    request: &v1::Run,
    io: RunIo,
    before: &mut dyn FnMut(&ClankFindings),
) -> Result<RunReply, Failure> {
    // The engine is made while the program is compiled.
    let engine = match request.runtime {
        v1::Runtime::Embedded => Some(Engine::prepare(&limits(request))),
        v1::Runtime::Node => None,
    };
    let loaded = sources::load(session, &[sources::program(&request.file)?])?;
    let compiled = pool::work_on(loaded.n_bytes(), || compile(loaded, request))?;
    let Some(files) = compiled.files else {
        return Ok(RunReply { outcome: RunOutcome::NotStarted, findings: compiled.findings });
    };
    before(&compiled.findings);
    let outcome = start(request, engine, files, &compiled.texts, io)?;
    Ok(RunReply { outcome, findings: compiled.findings })
}

struct Compiled {
    findings: ClankFindings,
    /// The sources as they are on disk.
    texts: BTreeMap<String, Text>,
    /// What they became; nothing if they must not be run.
    files: Option<Vec<clank_emit::OutputFile>>,
}

fn compile(loaded: sources::LoadedProgram, request: &v1::Run) -> Result<Compiled, Failure> {
    let sources = loaded.look(request.solver)?;
    let findings = sources.findings();
    let has_error = findings.diagnostics.iter().any(|it| it.severity == v1::Severity::Error);
    let is_strict = request.strict || sources.is_strict;
    let checked = &sources.checked;
    let texts = sources.start.snapshot.files();
    let texts = texts.map(|(path, it)| (path.to_string(), it.text())).collect();
    if has_error || checked.has_errors() || (is_strict && !findings.not_canonical.is_empty()) {
        return Ok(Compiled { findings, texts, files: None });
    }
    needs_main(checked, &request.file)?;
    let files = Some(clank_emit::emit_to_start(checked).files);
    pool::discard(sources);
    Ok(Compiled { findings, texts, files })
}

/// A file without a `main` that can be called was not meant to be run.
fn needs_main(checked: &Checked, file: &str) -> Result<(), Failure> {
    let ast = checked.module(file).map(|it| &it.ast);
    let n_params = ast.and_then(|ast| {
        ast.declarations().iter().find_map(|it| match ast.decl(*it) {
            Decl::Fn(it) if it.name == "main" => Some(it.params.len()),
            _ => None,
        })
    });
    let what = match n_params {
        Some(0) => return Ok(()),
        Some(_) => "its `main` has parameters, but `run` passes no arguments",
        None => "it has no function `main`",
    };
    Err(Failure::Usage { message: format!("{file} cannot be run: {what}") })
}

fn limits(request: &v1::Run) -> Limits {
    let time = request.timeout_ms.map_or(NO_LIMIT, Duration::from_millis);
    let memory = usize::try_from(request.memory_bytes).unwrap_or(usize::MAX);
    Limits { time, memory, ..Limits::STANDARD }
}

/// Runs on the engine, or on Node if there is none.
fn start(
    request: &v1::Run,
    engine: Option<Result<Engine, RunError>>,
    files: Vec<clank_emit::OutputFile>,
    texts: &BTreeMap<String, Text>,
    mut io: RunIo,
) -> Result<RunOutcome, Failure> {
    let entry = clank::stem(&request.file).unwrap_or(&request.file).to_owned() + ".js";
    let mut maps: BTreeMap<String, String> = BTreeMap::new();
    let mut modules = Vec::new();
    for file in files {
        maps.extend(file.source_map.map(|it| (file.path.clone(), it)));
        modules.push(Module { path: file.path, text: file.text });
    }
    let failed = |message: String| Failure::Engine { message };
    let program = Program::new(modules, &entry).map_err(|it| failed(it.to_string()))?;
    let ended = match engine {
        Some(engine) => {
            let io = Io { input: &mut io.input, output: &mut io.output, errors: &mut io.errors };
            engine.and_then(|it| it.run(&program, io))
        }
        None => clank_run::run_node(&program, Path::new("node"), &limits(request), NodeIo::Inherit),
    };
    match ended {
        Ok(outcome) => Ok(told(outcome, request, &maps, texts)),
        // A reader that goes away early is not an error of the program.
        Err(RunError::Write { source, .. }) if source.kind() == std::io::ErrorKind::BrokenPipe => {
            Ok(RunOutcome::Done)
        }
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Where generated code comes from.
struct Origins<'a> {
    maps: BTreeMap<String, SourceMap>,
    texts: &'a BTreeMap<String, Text>,
}

fn told(
    outcome: ProgramExit,
    request: &v1::Run,
    maps: &BTreeMap<String, String>,
    texts: &BTreeMap<String, Text>,
) -> RunOutcome {
    let (rule_id, message, frames) = match outcome {
        ProgramExit::Done => return RunOutcome::Done,
        ProgramExit::Panic { message, frames } => ("panic", message, frames),
        ProgramExit::Raised { message, frames } => {
            ("raised", format!("an error reached `main`: {message}"), frames)
        }
        ProgramExit::Stopped { limit, frames } => ("stopped", stopped(limit, request), frames),
    };
    // Most programs run to their end, and nobody asks where their code comes from: only now the maps are read.
    let origins = Origins::new(maps, texts);
    let trace: Vec<TracePlace> = frames.iter().filter_map(|it| origins.place(it)).collect();
    let place = trace.first();
    let location = place.and_then(|it| Some((it, origins.texts.get(&it.file)?)));
    let location = location.and_then(|(it, text)| {
        let lines = LineIndex::new(text.bytes());
        let position = Position { line: it.line - 1, column: it.column - 1 };
        let start = lines.offset(position, Unit::CodePoint)?;
        Location::new(&lines, start..start)
    });
    let file = place.map_or_else(|| request.file.clone(), |it| it.file.clone());
    let source = origins.texts.get(&file).map(|it| (file.clone(), it.bytes().to_vec()));
    let rule = RuleOrigin {
        source: clank_repair::ClankCheck::NAME,
        phase: "run",
        tier: Tier::Semantic,
        rule_id,
    };
    let diagnostic = Diagnostic::new(rule, Severity::Error, file, message).located(location);
    RunOutcome::Ended {
        diagnostic: Box::new(wire::diagnostic(&diagnostic)),
        frames: Frames { sources: source.into_iter().collect(), ..Frames::default() },
        trace,
    }
}

fn stopped(limit: Limit, request: &v1::Run) -> String {
    match limit {
        Limit::Time => {
            let seconds = request.timeout_ms.unwrap_or_default() as f64 / 1000.0;
            format!("the program was stopped after {seconds} s; --timeout SECONDS gives it more")
        }
        Limit::Memory => {
            let megabytes = request.memory_bytes >> 20;
            format!(
                "the program needs more than {megabytes} MB of memory; --memory MB gives it more"
            )
        }
        Limit::Stack => "the calls are nested too deeply; look for infinite recursion".to_owned(),
    }
}

impl Origins<'_> {
    fn new<'a>(maps: &BTreeMap<String, String>, texts: &'a BTreeMap<String, Text>) -> Origins<'a> {
        let parsed = maps
            .iter()
            .filter_map(|(path, map)| SourceMap::parse(map).ok().map(|map| (path.clone(), map)));
        Origins { maps: parsed.collect(), texts }
    }

    /// A call in the program's own words; `None` for what is not in it, such as the run-time library.
    fn place(&self, frame: &Frame) -> Option<TracePlace> {
        let origin = self.maps.get(&frame.module)?.lookup(frame.line, frame.column)?;
        let lines = LineIndex::new(self.texts.get(origin.source)?.bytes());
        let position = Position { line: origin.line - 1, column: origin.column - 1 };
        // Maps count columns in UTF-16 units, people in characters.
        let offset = lines.offset(position, Unit::Utf16)?;
        let place = lines.position(offset, Unit::CodePoint)?;
        Some(TracePlace {
            // Node puts what a function is called on, or `async`, before its name.
            function: frame
                .function
                .as_deref()
                .and_then(|it| it.rsplit(['.', ' ']).next())
                .map(str::to_owned),
            file: origin.source.to_owned(),
            line: place.line + 1,
            column: place.column + 1,
        })
    }
}
