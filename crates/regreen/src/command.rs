//! The commands, a file each, and what they share.

pub(crate) mod apply;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod log;
pub(crate) mod root;
pub(crate) mod schema;
pub(crate) mod undo;
pub(crate) mod validate;

use anyhow::Result;
use service::Session;

use crate::cli::{Cli, Command, Common};
use crate::environment::Environment;
use crate::exit::Exit;
use crate::output::{Said, deliver, note};
use crate::policy::WritePolicy;
use crate::{failure, words};

/// What every command is given.
pub(crate) struct Ctx<'a> {
    pub(crate) common: &'a Common,
    pub(crate) environment: Environment,
    pub(crate) policy: WritePolicy,
}

/// What a command says and how it ends.
pub(crate) type Outcome = Result<(Said, Exit)>;

impl Ctx<'_> {
    /// Opens the workspace. What an interrupted run left behind is settled first, and told.
    pub(crate) fn open(&self) -> Result<Session> {
        let root = root::find(&self.environment, self.common.root.as_deref())?;
        let session = Session::open(&root, self.policy.access())?;
        if let Some(recovered) = session.recovered() {
            self.note(&format!("note: {}\n", words::printable(&recovered)))?;
        }
        Ok(session)
    }

    /// Tells people something beside the result; not with `--quiet`.
    pub(crate) fn note(&self, text: &str) -> Result<()> {
        if self.common.quiet { Ok(()) } else { note(text, self.common.color) }
    }

    /// The text unless nothing but errors is wanted.
    pub(crate) fn unless_quiet(&self, text: String, exit: Exit) -> (Said, Exit) {
        let text = if self.common.quiet && exit == Exit::Clean { String::new() } else { text };
        (Said::Text(text), exit)
    }
}

/// Runs the command to its exit code.
pub(crate) fn run(cli: &Cli) -> Exit {
    let outcome = Environment::read().and_then(|environment| {
        let policy = WritePolicy::decide(&environment);
        let ctx = Ctx { common: &cli.common, environment, policy };
        let (said, exit) = dispatch(&ctx, &cli.command)?;
        let file = cli.common.output.as_ref().map(|it| ctx.environment.directory.join(it));
        if let Err(error) = deliver(&said, file.as_deref(), cli.common.color) {
            // What was written stays written, and nobody has read its report.
            note(
                "note: the command was carried out; only its result could not be delivered\n",
                cli.common.color,
            )?;
            return Err(error);
        }
        Ok(exit)
    });
    outcome.unwrap_or_else(|error| fail(cli, &error))
}

fn dispatch(ctx: &Ctx<'_>, command: &Command) -> Outcome {
    match command {
        Command::Validate(arguments) => validate::run(ctx, arguments),
        Command::Apply(arguments) => apply::run(ctx, arguments),
        Command::Convert(arguments) => convert::run(ctx, arguments),
        Command::Undo(arguments) => undo::run(ctx, arguments),
        Command::Log(arguments) => log::run(ctx, arguments),
        Command::Schema(arguments) => schema::run(arguments),
        Command::Completions(arguments) => Ok(completions::run(arguments)),
    }
}

/// Says why the work could not be done. A program that asked for JSON gets it as JSON too.
fn fail(cli: &Cli, error: &anyhow::Error) -> Exit {
    let report = failure::report(error);
    if is_json(&cli.command)
        && let Ok(said) = Said::json(&report)
    {
        // If even this cannot be written, the exit code is all that is left to say it.
        let _ = deliver(&said, None, cli.common.color);
    }
    let _ = note(&failure::render(&report), cli.common.color);
    Exit::Failed
}

fn is_json(command: &Command) -> bool {
    match command {
        Command::Validate(arguments) => arguments.format == crate::cli::ReportFormat::Json,
        Command::Apply(arguments) => arguments.is_json(),
        Command::Convert(arguments) => arguments.format == crate::cli::ReportFormat::Json,
        Command::Undo(arguments) => arguments.format == crate::cli::ReportFormat::Json,
        Command::Log(arguments) => arguments.format == crate::cli::ReportFormat::Json,
        Command::Schema(_) | Command::Completions(_) => false,
    }
}
