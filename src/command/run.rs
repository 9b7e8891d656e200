//! `regreen run`: compiles a Clank program in memory and runs it. Standard output belongs to the program.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use protocol::v1::{Run, Runtime};
use service::RunIo;

use super::look::{SolverArguments, relative_to_root};
use super::{CommandResult, Ctx};
use crate::exit::ExitStatus;
use crate::failure::UsageError;
use crate::output::{CommandOutput, note};
use crate::policy::Wants;
use crate::policy::WritePolicy;
use crate::render::clank::render_run;

const DEFAULT_MEMORY_MB: u64 = 512;

/// Compile a Clank program and run it
///
/// The program runs on an engine that is part of regreen: it sees no files and no network, and its time and memory are limited.
/// Standard output is the program's alone; warnings and what is left to prove go to standard error.
/// The exit code is the program's: 0, or 1 if it panics or an error reaches `main`. A program with errors does not start.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen run main.clank
  regreen run main.clank --timeout 60
  regreen run main.clank --strict            fail if a source is not canonical
  regreen run main.clank --runtime node      on Node, where externals reach the whole host")]
pub(crate) struct Arguments {
    /// The program
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// What to run on
    #[arg(long, value_enum, value_name = "RUNTIME", default_value_t = RuntimeArgument::Embedded)]
    pub(crate) runtime: RuntimeArgument,
    /// Stop the program after this many seconds; 0 for never
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub(crate) timeout: u64,
    /// How much memory the program may have
    #[arg(long, value_name = "MB", default_value_t = DEFAULT_MEMORY_MB, value_parser = clap::value_parser!(u64).range(1..=65536))]
    pub(crate) memory: u64,
    /// Fail if a source is not canonical
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) solver: SolverArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum RuntimeArgument {
    /// The engine that is part of regreen
    Embedded,
    /// Node; externals have full access to the host: files, network, processes. Not in a build action
    Node,
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    let is_action = matches!(ctx.policy, WritePolicy::Action(_));
    if is_action && arguments.runtime == RuntimeArgument::Node {
        let message =
            "a build action must not reach the host: `--runtime node` works from a shell only";
        return Err(UsageError(message.to_owned()).into());
    }
    if ctx.common.output.is_some() {
        let message =
            "what a program prints goes to standard output: write `> FILE` instead of --output";
        return Err(UsageError(message.to_owned()).into());
    }
    let root = ctx.root_of(&arguments.file)?;
    let timeout = Duration::from_secs(arguments.timeout);
    let request = Run {
        file: relative_to_root(&root, &ctx.environment.directory, &arguments.file)?,
        strict: arguments.strict,
        runtime: match arguments.runtime {
            RuntimeArgument::Embedded => Runtime::Embedded,
            RuntimeArgument::Node => Runtime::Node,
        },
        timeout_ms: (!timeout.is_zero())
            .then(|| timeout.as_millis().try_into().unwrap_or(u64::MAX)),
        memory_bytes: arguments.memory << 20,
        solver: arguments.solver.wire(),
    };
    let session = ctx.open_at(&root, Wants::Look)?;
    let mut before = |findings: &service::ClankFindings| {
        if !ctx.common.quiet {
            // Who reads the program's output waits for it, not for this.
            let _ =
                note(&crate::render::clank::render_notes(findings, ctx.common), ctx.common.color);
        }
    };
    let streams = RunIo {
        input: Box::new(io::BufReader::new(io::stdin())),
        output: Box::new(io::stdout()),
        errors: Box::new(io::stderr()),
    };
    let reply = service::run(&session, &request, streams, &mut before)?;
    note(&render_run(&reply, ctx.common), ctx.common.color)?;
    Ok((CommandOutput::Nothing, ExitStatus::of(reply.is_ok())))
}
