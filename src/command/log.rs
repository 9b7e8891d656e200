//! `regreen log`: the transactions, newest first.

use std::fmt::Write;

use clap::Args;
use protocol::v1::{Log, LogEntry, LogReport};

use super::{CommandResult, Ctx};
use crate::cli::{Common, ReportFormat};
use crate::exit::ExitStatus;
use crate::output::CommandOutput;
use crate::policy::Wants;
use crate::render::style::{BOLD, DIM, paint};
use crate::words::{count, list, printable};

/// How many files of a transaction are named on its line.
const MOST_FILES: usize = 3;

/// List the transactions of this workspace, newest first
///
/// Every transaction keeps the old contents of its files, which takes room.
/// `--prune N` forgets all but the newest N; what is forgotten can no longer be undone.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen log                    what was done here
  regreen log -v                 with every file
  regreen log --prune 20         keep the newest 20 transactions, forget the others")]
pub(crate) struct Arguments {
    /// Forget all but the newest N transactions, and at least one; the others can no longer be undone
    #[arg(long, value_name = "N")]
    pub(crate) prune: Option<usize>,
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    if arguments.prune.is_some() {
        ctx.policy.allow_writes("log --prune")?;
    }
    let report = service::log(
        &ctx.open(Wants::unless(arguments.prune.is_none()))?,
        &Log { prune: arguments.prune },
    )?;
    match arguments.format {
        ReportFormat::Json => Ok((CommandOutput::json(&report)?, ExitStatus::Clean)),
        ReportFormat::Text => {
            Ok((CommandOutput::Text(render(&report, ctx.common)), ExitStatus::Clean))
        }
    }
}

fn render(report: &LogReport, common: &Common) -> String {
    if report.transactions.is_empty() && !common.quiet {
        return "There are no transactions yet: nothing was applied in this workspace.\n"
            .to_owned();
    }
    let mut text: String =
        report.transactions.iter().map(|it| render_entry(it, common.verbose)).collect();
    if !report.pruned.is_empty() && !common.quiet {
        let _ = writeln!(
            text,
            "\nForgot {}, which can no longer be undone.",
            list(&report.pruned, MOST_FILES)
        );
    }
    text
}

fn render_entry(entry: &LogEntry, is_verbose: bool) -> String {
    let state = match (&entry.undone_by, entry.can_undo) {
        (Some(by), _) => format!("undone by {by}"),
        (None, true) => "can be undone".to_owned(),
        (None, false) => "cannot be undone".to_owned(),
    };
    let files: Vec<String> = entry.files.iter().map(|it| printable(it)).collect();
    let mut text =
        format!("{}  {:<18}  {}", paint(BOLD, &entry.transaction), state, printable(&entry.title));
    if is_verbose {
        text.push('\n');
        for file in files {
            let _ = writeln!(text, "          {file}");
        }
    } else {
        let names = format!("{}: {}", count(files.len(), "file"), list(&files, MOST_FILES));
        let _ = writeln!(text, "  {}", paint(DIM, &names));
    }
    text
}
