//! The commands, a file each, and what they share.

pub(crate) mod apply;
pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod dds;
pub(crate) mod explain;
pub(crate) mod fix;
pub(crate) mod hook;
pub(crate) mod init;
pub(crate) mod interactive;
pub(crate) mod log;
pub(crate) mod look;
pub(crate) mod man;
pub(crate) mod pack;
pub(crate) mod plan;
pub(crate) mod recover;
pub(crate) mod root;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod schemas;
pub(crate) mod staged;
pub(crate) mod trust;
pub(crate) mod undo;
pub(crate) mod validate;
pub(crate) mod watch;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use protocol::v1::{FileSummary, LookFailure, PendingTransaction};
use service::{Interrupts, Session, User};

use crate::cli::{Cli, Command, Common, ReportFormat};
use crate::environment::ProcessEnvironment;
use crate::exit::ExitStatus;
use crate::failure::UsageError;
use crate::inputs::Inputs;
use crate::output::{CommandOutput, deliver, note};
use crate::policy::{Wants, WritePolicy};
use crate::render::verdict;
use crate::{destination, failure, signals, words};

/// What every command is given.
pub(crate) struct Ctx<'a> {
    pub(crate) common: &'a Common,
    pub(crate) environment: ProcessEnvironment,
    pub(crate) policy: WritePolicy,
    pub(crate) user: User,
    /// The unfinished transaction that a session found and may not settle.
    pending: RefCell<Option<PendingTransaction>>,
    /// A file that says which workspace the command is about.
    pub(crate) file: Option<&'a Path>,
    /// The files that are the workspace, if they are listed.
    pub(crate) inputs: Option<Inputs>,
}

/// What a command says and how it ends.
pub(crate) type CommandResult = Result<(CommandOutput, ExitStatus)>;

impl Ctx<'_> {
    /// Opens the workspace. What an interrupted run left behind is settled first by who wants to write, and told by who
    /// does not.
    pub(crate) fn open(&self, wants: Wants) -> Result<Session> {
        self.open_at(&self.root()?, wants)
    }

    /// Opens the workspace at `root`.
    pub(crate) fn open_at(&self, root: &Path, wants: Wants) -> Result<Session> {
        let session = self.open_untold(root, wants)?;
        if let Some(recovered) = session.recovered() {
            self.note(&format!("note: {}\n", words::printable(&recovered)))?;
        }
        if let Some(pending) = session.pending_transaction() {
            note(
                &format!(
                    "warning: {} was interrupted and is unfinished; `{}` settles it\n",
                    pending.id, pending.settle
                ),
                self.common.color,
            )?;
            *self.pending.borrow_mut() = Some(pending);
        }
        Ok(session)
    }

    /// Opens the workspace at `root` for a command that tells itself what was settled.
    pub(crate) fn open_untold(&self, root: &Path, wants: Wants) -> Result<Session> {
        if wants == Wants::Write {
            signals::install(&self.user.interrupts)?;
        }
        if let Some(inputs) = &self.inputs {
            return Ok(Session::of_inputs(&inputs.files, &self.user.build_tools)?);
        }
        let session = Session::open(root, self.policy.access(wants), &self.user)?;
        for note in session.state_notes() {
            self.note(&format!("note: {}\n", words::printable(&note)))?;
        }
        Ok(session)
    }

    /// The folder that is the workspace.
    pub(crate) fn root(&self) -> Result<PathBuf, root::RootError> {
        if self.inputs.is_some() {
            let root = self.common.root.as_deref().unwrap_or(Path::new(""));
            return Ok(self.environment.directory.join(root));
        }
        root::find(&self.environment, self.common.root.as_deref())
    }

    /// The folder that is the workspace of a file: the one that was typed, else the one that the file lies in.
    pub(crate) fn root_of(&self, file: &Path) -> Result<PathBuf, root::RootError> {
        match &self.common.root {
            None if self.inputs.is_none() => root::find_from(&self.environment, file),
            _ => self.root(),
        }
    }

    /// Writes an artifact beside the result. It must not be one of the inputs.
    pub(crate) fn write(&self, file: &Path, bytes: &[u8]) -> Result<()> {
        let file = self.output(file)?;
        Ok(destination::write(&file, bytes, &self.confined())?)
    }

    /// Where an output goes that was named on the command line.
    pub(crate) fn output(&self, file: &Path) -> Result<PathBuf, UsageError> {
        let directory = &self.environment.directory;
        if let Some(inputs) = &self.inputs {
            inputs.refuse(directory, file)?;
        }
        Ok(directory.join(file))
    }

    /// The workspaces that no link leads an output out of: the one that a program lies in, and the one that was named or
    /// that we stand in.
    pub(crate) fn confined(&self) -> Vec<PathBuf> {
        let roots = [self.file.map(|it| self.root_of(it)), Some(self.root())];
        roots.into_iter().flatten().filter_map(Result::ok).collect()
    }

    /// Writes what a command says to where it belongs.
    pub(crate) fn deliver(&self, said: &CommandOutput) -> Result<()> {
        match &self.common.output {
            Some(file) => {
                let file = self.output(file)?;
                deliver(said, Some(&file), &self.confined(), self.common.color)
            }
            None => deliver(said, None, &[], self.common.color),
        }
    }

    /// Tells people something beside the result; not with `--quiet`.
    pub(crate) fn note(&self, text: &str) -> Result<()> {
        if self.common.quiet { Ok(()) } else { note(text, self.common.color) }
    }

    /// Tells what a result on standard output cannot say: what failed, also with `--quiet`, and what was not checked.
    pub(crate) fn tell_gaps(&self, failures: &[LookFailure], files: &FileSummary) -> Result<()> {
        if let Some(failures) = verdict::render_failures(failures) {
            note(&failures, self.common.color)?;
        }
        match verdict::unchecked(files) {
            Some(unchecked) => self.note(&format!("note: {unchecked}\n")),
            None => Ok(()),
        }
    }
}

/// Runs the command to its exit code.
pub(crate) fn run(cli: &Cli) -> ExitStatus {
    let outcome = ProcessEnvironment::read().and_then(|environment| {
        let policy = WritePolicy::decide(&environment, cli.common.has_inputs());
        let inputs = read_inputs(&cli.common, &environment)?;
        let build_tools = build_tools(&cli.common, &environment, policy)?;
        let user = User {
            home: environment.home.clone(),
            interrupts: Interrupts::new(),
            is_trusting: cli.common.trust || environment.is_trusting,
            programs: environment.programs.clone(),
            build_tools,
        };
        let pending = RefCell::default();
        let file = file_of(&cli.command);
        let ctx = Ctx { common: &cli.common, environment, policy, user, pending, file, inputs };
        if let Some(file) = &cli.common.output {
            ctx.output(file)?;
        }
        let (said, exit) = match dispatch(&ctx, &cli.command) {
            Err(error) => match signals::rolled_back(&error) {
                Some(signal) => {
                    fail(cli, &error);
                    signals::end_by(signal)
                }
                None => return Err(error),
            },
            Ok(done) => done,
        };
        // A tree with an unfinished transaction in it is not clean, whatever else is said about it.
        let exit =
            if ctx.pending.borrow().is_some() { exit.max(ExitStatus::Findings) } else { exit };
        if let Some(signal) = ctx.user.interrupts.received() {
            let name = signals::name(signal);
            let outcome = match &cli.command {
                Command::Dds(_) => "the report says what became of it",
                _ => "that was finished",
            };
            note(
                &format!("note: {name} came while files were being written; {outcome}\n"),
                cli.common.color,
            )?;
        }
        if let Err(error) = ctx.deliver(&said) {
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

/// The inputs, if they are listed.
fn read_inputs(common: &Common, environment: &ProcessEnvironment) -> Result<Option<Inputs>> {
    if !common.has_inputs() {
        return Ok(None);
    }
    let mut text = match &common.inputs {
        Some(list) => std::fs::read_to_string(environment.directory.join(list))
            .with_context(|| format!("cannot read the list of inputs {}", list.display()))?,
        None => String::new(),
    };
    for line in &common.input_line {
        text.push('\n');
        text.push_str(line);
    }
    let root = common.root.as_deref().unwrap_or(Path::new("."));
    let root = look::relative_to_root(Path::new(""), Path::new(""), root)?;
    Ok(Some(Inputs::parse(&text, &environment.directory, &root)?))
}

/// The programs that a build action may run, by name.
fn build_tools(
    common: &Common,
    environment: &ProcessEnvironment,
    policy: WritePolicy,
) -> Result<BTreeMap<String, PathBuf>> {
    if !common.tool.is_empty() && policy == WritePolicy::User {
        return Err(UsageError(
            "`--tool` is for build actions; elsewhere, tools are found on the PATH".to_owned(),
        )
        .into());
    }
    let mut tools = BTreeMap::new();
    for (name, program) in &common.tool {
        let found = environment.directory.join(program);
        if !found.is_file() {
            let message = format!("`--tool {name}=…`: {} is not a file", program.display());
            return Err(UsageError(message).into());
        }
        if tools.insert(name.clone(), found).is_some() {
            return Err(UsageError(format!("`--tool {name}=…` is given twice")).into());
        }
    }
    Ok(tools)
}

/// The program that a command is about: it says which workspace that is.
fn file_of(command: &Command) -> Option<&Path> {
    match command {
        Command::Build(arguments) => arguments.files.first().map(PathBuf::as_path),
        Command::Compile(arguments) => Some(&arguments.file),
        Command::Run(arguments) => Some(&arguments.file),
        _ => None,
    }
}

fn dispatch(ctx: &Ctx<'_>, command: &Command) -> CommandResult {
    match command {
        Command::Check(arguments) => check::run(ctx, arguments),
        Command::Fix(arguments) => fix::run(ctx, arguments),
        Command::Plan(arguments) => plan::run(ctx, arguments),
        Command::Explain(arguments) => explain::run(ctx, arguments),
        Command::Compile(arguments) => compile::run(ctx, arguments),
        Command::Build(arguments) => build::run(ctx, arguments),
        Command::Run(arguments) => run::run(ctx, arguments),
        Command::Init(arguments) => init::run(ctx, arguments),
        Command::Validate(arguments) => validate::run(ctx, arguments),
        Command::Apply(arguments) => apply::run(ctx, arguments),
        Command::Convert(arguments) => convert::run(ctx, arguments),
        Command::Undo(arguments) => undo::run(ctx, arguments),
        Command::Log(arguments) => log::run(ctx, arguments),
        Command::Recover(arguments) => recover::run(ctx, arguments),
        Command::Dds(arguments) => dds::run(ctx, arguments),
        Command::Trust(arguments) => trust::run(ctx, arguments),
        Command::Hook(arguments) => hook::run(ctx, arguments),
        Command::Schemas(arguments) => schemas::run(ctx, arguments),
        Command::Pack(arguments) => pack::run(ctx, arguments),
        Command::Schema(arguments) => schema::run(arguments),
        Command::Completions(arguments) => Ok(completions::run(arguments)),
        Command::Man(arguments) => man::run(arguments),
    }
}

/// Says why the work could not be done. A program that asked for JSON gets it as JSON too.
fn fail(cli: &Cli, error: &anyhow::Error) -> ExitStatus {
    let report = failure::report(error);
    if is_json(&cli.command)
        && let Ok(said) = CommandOutput::json(&report)
    {
        // If even this cannot be written, the exit code is all that is left to say it.
        let _ = deliver(&said, None, &[], cli.common.color);
    }
    let text = failure::render_text(error, &report, cli.common.quiet);
    let _ = note(&text, cli.common.color);
    failure::exit(&report)
}

fn is_json(command: &Command) -> bool {
    match command {
        Command::Check(arguments) => arguments.format == check::CheckFormat::Json,
        Command::Fix(arguments) => arguments.is_json(),
        Command::Plan(arguments) => arguments.format == plan::PlanFormat::Json,
        Command::Explain(arguments) => arguments.format == ReportFormat::Json,
        Command::Init(arguments) => arguments.format == ReportFormat::Json,
        Command::Validate(arguments) => arguments.format == ReportFormat::Json,
        Command::Apply(arguments) => arguments.is_json(),
        Command::Convert(arguments) => arguments.format == ReportFormat::Json,
        Command::Undo(arguments) => arguments.format == ReportFormat::Json,
        Command::Log(arguments) => arguments.format == ReportFormat::Json,
        Command::Recover(arguments) => arguments.format == ReportFormat::Json,
        Command::Dds(arguments) => arguments.format == ReportFormat::Json,
        Command::Trust(arguments) => arguments.format == ReportFormat::Json,
        Command::Build(arguments) => arguments.format == ReportFormat::Json,
        Command::Schemas(arguments) => arguments.format == ReportFormat::Json,
        Command::Pack(arguments) => arguments.format == ReportFormat::Json,
        Command::Compile(arguments) => {
            matches!(arguments.emit, compile::Emit::Json | compile::Emit::Diagnostics)
        }
        Command::Hook(_)
        | Command::Run(_)
        | Command::Schema(_)
        | Command::Completions(_)
        | Command::Man(_) => false,
    }
}
