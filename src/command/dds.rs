//! `regreen dds`: proposals, decisions about them, and what came of them.

mod decide;

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, Subcommand, ValueEnum};
use protocol::v1::{DdsAnswer, DdsReport};
use service::dds::{self, Confinement, NegativeDecision, ProposalQuery};

use super::{CommandResult, Ctx};
use crate::cli::ReportFormat;
use crate::destination::OutputFolder;
use crate::exit::ExitStatus;
use crate::failure::UsageError;
use crate::output::CommandOutput;
use crate::policy::{Wants, WritePolicy};
use crate::render::dds::{render, render_runs, render_step};
use crate::signals;
use crate::words::{list, printable};

/// Propose changes, decide about them, and carry out what was approved
///
/// What may change behaviour needs a person's word.
/// A proposal says what is to be done, where it may write and what it must keep to; an approval is bound to exactly these bytes; a tool carries it out in a copy in which only its scope can be written, and only what kept to everything reaches the workspace.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen fix --propose                         propose what `fix` may not do by itself
  regreen dds add change.json                   propose something of your own (schema: dds)
  regreen dds list --status proposed            what waits for a decision?
  regreen dds show DDS-20260202-CODE-001        what it is, what it would change, what happened
  regreen dds approve DDS-20260202-CODE-001 --key ~/.ssh/id_ed25519
  regreen dds run                               carry out what is approved
  regreen dds worker                            propose a correction for the oldest failure
  regreen dds comment DDS-20260202-CODE-001 \"why src/?\"
  regreen dds verify                            does all that is stored hold?")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Text, global = true)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Store a proposal; without an `id` it is given one
    Add {
        /// The record, in JSON; `-` reads standard input
        #[arg(value_name = "FILE")]
        record: PathBuf,
        /// A patch document for the built-in tool `regreen` to apply; its bytes are approved with the record
        #[arg(long, value_name = "FILE")]
        patch: Option<PathBuf>,
    },
    /// List the proposals, oldest first
    List {
        /// Only those in this status
        #[arg(long, value_enum, value_name = "STATUS")]
        status: Option<Status>,
    },
    /// Show a proposal: its scope, its diff, its approval, its report, its history
    Show {
        /// The proposal
        id: String,
    },
    /// Find out what the tool of a proposal would change, and attach exactly that for approval; nothing is written
    Plan {
        /// The proposal
        id: String,
        /// Give the tool the network, the variables and the files of its configuration, although nobody approved it yet
        #[arg(long)]
        as_configured: bool,
    },
    /// Say yes to exactly these bytes
    Approve(decide::ApproveArguments),
    /// Say no; that is final
    Reject(decide::RefusalArguments),
    /// Take your own approval back; the proposal stays approved, and runs only once somebody has approved it again
    Withdraw(decide::RefusalArguments),
    /// Say something about a proposal; nothing follows from it
    Comment {
        /// The proposal
        id: String,
        /// What you want to say
        text: String,
    },
    /// Carry out what is approved, oldest first
    Run {
        /// Go on until it is interrupted
        #[arg(long)]
        watch: bool,
        /// Run tools without anything that holds them in their scope: they can do whatever you can
        #[arg(long)]
        unconfined: bool,
    },
    /// Propose a correction for the oldest failure that has none
    Worker,
    /// Check every approval and the whole audit trail
    Verify {
        /// Check too that history was only appended to since the audit trail ended at this hash
        #[arg(long, value_name = "HASH")]
        against: Option<String>,
    },
    /// Write all records and reports to `dds.json` and `reports.json` in a folder
    Export {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Take records and reports in from such files; what has ended is history, the rest comes in as proposals
    Import {
        /// The records: `dds.json`, or the registry of an older regreen, `.regreen/registry.db`
        #[arg(value_name = "FILE")]
        records: PathBuf,
        /// The reports about them, `reports.json`
        #[arg(long, value_name = "FILE")]
        reports: Option<PathBuf>,
    },
    /// Let a key approve: writes it to the file of allowed signers
    InitSigning(decide::SigningArguments),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Status {
    Proposed,
    Approved,
    Rejected,
    Executed,
    Failed,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Proposed => "proposed",
            Status::Approved => "approved",
            Status::Rejected => "rejected",
            Status::Executed => "executed",
            Status::Failed => "failed",
        }
    }
}

/// How many things that came by git are told one by one.
const MOST_NEWS: usize = 20;

/// How long `run --watch` waits before it looks again.
const PAUSE: Duration = Duration::from_secs(2);

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    let asked = match &arguments.command {
        Command::List { .. } => Some(ProposalQuery::List),
        Command::Show { id } => Some(ProposalQuery::Show(id)),
        Command::Verify { against } => Some(ProposalQuery::Verify { against: against.as_deref() }),
        Command::Approve(approve) => approve.id_to_print().map(ProposalQuery::Show),
        _ => None,
    };
    let registry = ctx.environment.registry.as_deref();
    if asked.is_none() {
        ctx.policy.allow_writes("dds")?;
    }
    let session = ctx.open(Wants::unless(asked.is_some()))?;
    // What a pull brought is taken over before it is looked at, where that may be written down.
    let takes_over = asked.is_some() && ctx.policy == WritePolicy::User && dds::has_files(&session);
    let writing = if takes_over { ctx.open(Wants::Write).ok() } else { None };
    let opened = match (&writing, asked) {
        (Some(writing), _) => dds::ProposalRegistry::open(writing, registry).ok(),
        (None, None) => Some(dds::ProposalRegistry::open(&session, registry)?),
        (None, Some(_)) => None,
    };
    let proposals = match (opened, asked) {
        (Some(proposals), _) => proposals,
        (None, Some(asked)) => match dds::ProposalRegistry::open_existing(&session, registry)? {
            Some(proposals) => proposals,
            None => return say_nothing(ctx, dds::nothing(asked)?, arguments.format),
        },
        (None, None) => dds::ProposalRegistry::open(&session, registry)?,
    };
    tell_untrusted(ctx, &proposals)?;
    tell_news(ctx, &proposals)?;
    let by = proposals.person(ctx.environment.user.as_deref());
    let report = match &arguments.command {
        Command::Add { record, patch } => {
            let record = read(ctx, record)?;
            let patch = patch.as_deref().map(|it| read(ctx, it)).transpose()?;
            proposals.add(&record, patch.as_deref(), &by)?
        }
        Command::List { status } => proposals.list(status.map(Status::name))?,
        Command::Show { id } => proposals.show(id)?,
        Command::Verify { against } => proposals.verify(against.as_deref())?,
        Command::Approve(approve) => match approve.id_to_print() {
            Some(id) => {
                return Ok((CommandOutput::Raw(proposals.approved_bytes(id)?), ExitStatus::Clean));
            }
            None => decide::approve(ctx, &proposals, approve, &by)?,
        },
        Command::Plan { id, as_configured } => {
            if ctx.environment.is_ci {
                let message = "a plan runs a tool that nobody has approved yet, so a person must ask for it, and this is a CI job; \
                               plan from your own shell";
                return Err(UsageError(message.to_owned()).into());
            }
            proposals.plan(id, *as_configured, &by)?
        }
        Command::Reject(refusal) => decide::say_no(
            ctx,
            &proposals,
            refusal,
            NegativeDecision::Reject(&refusal.reason),
            &by,
        )?,
        Command::Withdraw(refusal) => decide::say_no(
            ctx,
            &proposals,
            refusal,
            NegativeDecision::Withdraw(&refusal.reason),
            &by,
        )?,
        Command::Comment { id, text } => proposals.comment(id, text, &by)?,
        Command::Run { watch, unconfined } => {
            let confinement = if *unconfined { Confinement::None } else { Confinement::Best };
            return carry_out(ctx, &proposals, confinement, *watch, arguments.format);
        }
        Command::Worker => proposals.work()?,
        Command::Export { folder } => export(ctx, &proposals, folder)?,
        Command::Import { records, reports } => {
            let file = ctx.environment.directory.join(records);
            if records.as_os_str() != "-" && dds::is_database(&file) {
                if reports.is_some() {
                    let message = "a registry holds its reports; leave --reports out";
                    return Err(UsageError(message.to_owned()).into());
                }
                let report = proposals.import_registry(&file, &by)?;
                return say(ctx, report, &proposals, arguments.format);
            }
            let records = read(ctx, records)?;
            let reports = reports.as_deref().map(|it| read(ctx, it)).transpose()?;
            proposals.import(&records, reports.as_deref(), &by)?
        }
        Command::InitSigning(signing) => decide::init_signing(ctx, &proposals, signing)?,
    };
    say(ctx, report, &proposals, arguments.format)
}

fn say(
    ctx: &Ctx<'_>,
    report: DdsReport,
    proposals: &dds::ProposalRegistry<'_>,
    format: ReportFormat,
) -> CommandResult {
    let (untrusted, taken) = (proposals.untrusted(), proposals.taken());
    let unheld = proposals.unheld_files();
    answer(ctx, DdsAnswer { report, untrusted, taken, unheld }, format)
}

/// What is said where nobody has proposed anything.
fn say_nothing(ctx: &Ctx<'_>, report: DdsReport, format: ReportFormat) -> CommandResult {
    let (untrusted, taken, unheld) = (Vec::new(), Vec::new(), Vec::new());
    answer(ctx, DdsAnswer { report, untrusted, taken, unheld }, format)
}

fn answer(ctx: &Ctx<'_>, answer: DdsAnswer, format: ReportFormat) -> CommandResult {
    let exit = ExitStatus::of(is_ok(&answer.report));
    match format {
        ReportFormat::Json => Ok((CommandOutput::json(&answer)?, exit)),
        ReportFormat::Text => Ok((CommandOutput::Text(render(&answer.report, ctx.common)), exit)),
    }
}

/// A line for each thing that came by git, and one for each file that does not hold.
fn tell_news(ctx: &Ctx<'_>, proposals: &dds::ProposalRegistry<'_>) -> Result<()> {
    let taken = proposals.taken();
    for it in taken.iter().take(MOST_NEWS) {
        ctx.note(&format!("git: {} {}\n", printable(&it.id), printable(&it.what)))?;
    }
    if let Some(more) = taken.len().checked_sub(MOST_NEWS).filter(|it| *it > 0) {
        ctx.note(&format!("git: and {more} more\n"))?;
    }
    for it in proposals.unheld_files() {
        let line = format!("{} does not count: {}", printable(&it.place), printable(&it.message));
        ctx.note(&format!("warning: {line}\n"))?;
    }
    Ok(())
}

/// One line on what of the configuration does not count.
pub(crate) fn tell_untrusted(ctx: &Ctx<'_>, proposals: &dds::ProposalRegistry<'_>) -> Result<()> {
    if let Some(why) = proposals.trust_note() {
        ctx.note(&format!("note: {}\n", printable(why)))?;
    }
    let titles: Vec<String> = proposals.untrusted().iter().map(|it| printable(&it.title)).collect();
    if titles.is_empty() {
        return Ok(());
    }
    ctx.note(&format!(
        "note: {} of this repository {} not trusted; run `{}`\n",
        list(&titles, 3),
        if titles.len() == 1 { "is" } else { "are" },
        ctx.common.command_line(&["trust"])
    ))
}

fn is_ok(report: &DdsReport) -> bool {
    match report {
        DdsReport::Add(it) => it.ok,
        DdsReport::List(it) => it.ok,
        DdsReport::Show(it) => it.ok,
        DdsReport::Plan(it) => it.ok,
        DdsReport::Decide(it) => it.ok,
        DdsReport::Run(it) => it.ok,
        DdsReport::Worker(it) => it.ok,
        DdsReport::Verify(it) => it.ok,
        DdsReport::Exchange(it) => it.ok,
        DdsReport::Signing(it) => it.ok,
    }
}

/// One pass over what is approved, or pass after pass.
fn carry_out(
    ctx: &Ctx<'_>,
    proposals: &dds::ProposalRegistry<'_>,
    confinement: Confinement,
    is_watching: bool,
    format: ReportFormat,
) -> CommandResult {
    loop {
        let report = proposals.run(confinement, &|id, step| {
            if format == ReportFormat::Text {
                // A progress line that cannot be shown is not a reason to stop.
                let _ = ctx.note(&render_step(id, step));
            }
        })?;
        if !is_watching {
            return match (&report, format) {
                (DdsReport::Run(runs), ReportFormat::Text) if !ctx.common.quiet => {
                    let text = render_runs(runs, &proposals.held()?);
                    Ok((CommandOutput::Text(text), ExitStatus::of(runs.ok)))
                }
                _ => say(ctx, report, proposals, format),
            };
        }
        if let DdsReport::Run(runs) = &report
            && !runs.reports.is_empty()
        {
            let (said, _) = say(ctx, report, proposals, format)?;
            ctx.deliver(&said)?;
        }
        if let Some(signal) = ctx.user.interrupts.received() {
            signals::end_by(signal);
        }
        std::thread::sleep(PAUSE);
    }
}

fn export(
    ctx: &Ctx<'_>,
    proposals: &dds::ProposalRegistry<'_>,
    folder: &Path,
) -> Result<DdsReport> {
    let folder = ctx.environment.directory.join(folder);
    let dds::Export { report, files } = proposals.export()?;
    let folder = OutputFolder::make(&folder, &ctx.confined())?;
    for (name, text) in files {
        folder.write(name, text.as_bytes())?;
    }
    Ok(report)
}

/// The most bytes of a record, a patch or a file of records.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

fn read(ctx: &Ctx<'_>, file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let what = || format!("cannot read {}", file.display());
    if file.as_os_str() == "-" {
        if std::io::stdin().is_terminal() {
            ctx.note("note: reading standard input\n")?;
        }
        std::io::stdin().take(MOST_BYTES + 1).read_to_end(&mut bytes).with_context(what)?;
    } else {
        let opened =
            std::fs::File::open(ctx.environment.directory.join(file)).with_context(what)?;
        opened.take(MOST_BYTES + 1).read_to_end(&mut bytes).with_context(what)?;
    }
    if bytes.len() as u64 > MOST_BYTES {
        let message = format!("{} has more than {} MB", file.display(), MOST_BYTES >> 20);
        return Err(UsageError(message).into());
    }
    Ok(bytes)
}
