//! `regreen compile`: the agent protocol. One Clank program in, as text or AST JSON; one CompileResult out.

use std::io::IsTerminal;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use protocol::v1::{
    Compile, CompileDiagnostics, CompileStatus, Language, ProgramForm, ProgramRepair,
};
use service::CompileReply;

use super::look::{SafetyArgument, SolverArguments, relative_to_root};
use super::{CommandResult, Ctx};
use crate::exit::ExitStatus;
use crate::input::{self, ProgramFile};
use crate::output::CommandOutput;
use crate::policy::Wants;

/// Compile one Clank program and say everything about it: for agents and other programs
///
/// The result is one JSON document: what is wrong (with the node of each mistake), what is left to prove or to write, the
/// tree with the ids that the rest names, and the generated code.
/// Nothing is written.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen compile main.clank                      the whole result
  regreen compile main.clank --emit ts            the TypeScript, if nothing is wrong
  regreen compile prog.json --emit clank          AST JSON as text
  regreen compile main.clank --emit ast           text as AST JSON
  regreen compile - --emit diagnostics < buffer   a small reply, for a loop
  regreen compile main.clank --apply rc1,rc3      the result after these repairs
  regreen compile main.clank --apply @chosen.txt  the repairs that a file names
  regreen compile main.clank --fix --emit clank   the program after all repairs that keep its meaning")]
pub(crate) struct Arguments {
    /// The program; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// What the program is given as [default: ast for .json files, else source]
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) input: Option<CompileFormat>,
    /// What to print
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Emit::Json)]
    pub(crate) emit: Emit,
    /// Put TypeScript into the result, not JavaScript
    #[arg(long)]
    pub(crate) ts: bool,
    /// Put the source map into the result
    #[arg(long)]
    pub(crate) source_map: bool,
    /// Apply these repairs first, by their ids, all or nothing; @FILE and - read them
    ///
    /// `@FILE` reads the ids from a file and `-` from standard input: one on a line, or separated by commas, or as a JSON
    /// array.
    #[arg(long, value_name = "ID", value_delimiter = ',', conflicts_with = "fix")]
    pub(crate) apply: Vec<String>,
    /// Apply what `regreen fix` would apply to it, and compile again until nothing is left that helps
    #[arg(long)]
    pub(crate) fix: bool,
    /// What --fix may do to the meaning of the program [default: as configured, else likely_preserving]
    #[arg(long, value_enum, value_name = "SAFETY", requires = "fix")]
    pub(crate) safety: Option<SafetyArgument>,
    #[command(flatten)]
    pub(crate) solver: SolverArguments,
    /// Say on standard error how long it took
    #[arg(long)]
    pub(crate) timings: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum CompileFormat {
    /// Text
    Source,
    /// AST JSON
    Ast,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Emit {
    /// The whole result (schema: compile-result)
    Json,
    /// The tree as it was written, with ids (schema: clank-ast)
    Ast,
    /// TypeScript
    Ts,
    /// JavaScript
    Js,
    /// Clank text in canonical layout
    Clank,
    /// What is wrong, and counts (schema: compile-diagnostics)
    Diagnostics,
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    let started = std::time::Instant::now();
    let program = input::read_program(&ctx.environment.directory, &arguments.file)?;
    let form = match arguments.input {
        Some(CompileFormat::Source) => ProgramForm::Source,
        Some(CompileFormat::Ast) => ProgramForm::Ast,
        None if arguments.file.extension().is_some_and(|it| it == "json") => ProgramForm::Ast,
        None => ProgramForm::Source,
    };
    let is_ts = arguments.ts || arguments.emit == Emit::Ts;
    let ProgramFile { path, name, bytes } = program;
    let (session, file) = match &path {
        // Standard input belongs to no workspace.
        None => (None, None),
        Some(path) => {
            let root = ctx.root_of(path)?;
            let file = relative_to_root(&root, &ctx.environment.directory, path)?;
            (Some(ctx.open_at(&root, Wants::Look)?), Some(file))
        }
    };
    let language = match arguments.emit {
        Emit::Ast | Emit::Clank | Emit::Diagnostics => None,
        _ if is_ts => Some(Language::Ts),
        _ => Some(Language::Js),
    };
    let with_map = arguments.source_map;
    let is_read = arguments.file.as_os_str() == "-";
    let ids = input::repair_ids(&ctx.environment.directory, &arguments.apply, is_read)?;
    let repair = match (&ids[..], arguments.fix) {
        (_, true) => ProgramRepair::Fix(arguments.safety.map(SafetyArgument::wire)),
        ([], false) => ProgramRepair::Keep,
        (ids, false) => ProgramRepair::Apply(ids.to_vec()),
    };
    let with_repairs = arguments.emit == Emit::Json || repair != ProgramRepair::Keep;
    let solver = arguments.solver.wire();
    let request =
        Compile { file, name, bytes, form, language, with_map, with_repairs, repair, solver };
    let reply = service::compile(session.as_ref(), &request)?;
    if arguments.timings {
        ctx.note(&format!("compiled in {:.1} ms\n", started.elapsed().as_secs_f64() * 1e3))?;
    }
    let exit = ExitStatus::of(reply.result.status != CompileStatus::Error);
    let said = say(&reply, arguments.emit)?;
    if matches!(said, CommandOutput::Nothing) {
        // Who asks for code and gets none must see why.
        crate::output::note(
            &crate::render::clank::render_findings(&reply.findings, ctx.common),
            ctx.common.color,
        )?;
    }
    Ok((said, exit))
}

fn say(reply: &CompileReply, emit: Emit) -> Result<CommandOutput> {
    let text = |text: Option<&String>| match text {
        Some(text) => CommandOutput::Raw(text.clone().into_bytes()),
        None => CommandOutput::Nothing,
    };
    let output = reply.result.output.as_ref();
    Ok(match emit {
        Emit::Json => json(&reply.result)?,
        Emit::Diagnostics => json(&CompileDiagnostics {
            status: reply.result.status,
            program_hash: reply.result.program_hash.clone(),
            diagnostics: reply.result.diagnostics.clone(),
            unproved: reply.n_unproved,
            holes: reply.result.holes.len(),
        })?,
        Emit::Ast => text(reply.ast.as_ref()),
        Emit::Clank => text(reply.clank.as_ref()),
        Emit::Ts => text(output.and_then(|it| it.ts.as_ref())),
        Emit::Js => text(output.and_then(|it| it.js.as_ref())),
    })
}

/// Compact where a program reads it, with line breaks where a person does.
fn json(value: &impl serde::Serialize) -> Result<CommandOutput> {
    if std::io::stdout().is_terminal() {
        return CommandOutput::json(value);
    }
    let mut bytes = serde_json::to_vec(value)?;
    bytes.push(b'\n');
    Ok(CommandOutput::Raw(bytes))
}
