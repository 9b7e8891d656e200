//! `regreen undo`: takes a transaction back.

use clap::Args;
use protocol::v1::{Undo, UndoReport};

use super::{CommandResult, Ctx};
use crate::cli::{Common, ReportFormat};
use crate::exit::ExitStatus;
use crate::git::GitRepository;
use crate::output::CommandOutput;
use crate::policy::Wants;
use crate::render::changes::render_changes;
use crate::render::line::render_error;
use crate::render::style::{BOLD, COMMAND, DIM, GOOD, paint};
use crate::words::{count, list, printable};

/// How many files are named before the rest is counted.
const MOST_FILES: usize = 10;

/// Take a transaction back, if its files are still what it wrote
///
/// Without an id, the newest transaction that is not undone.
/// Undoing is itself a transaction, so it can be undone too: name its id.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen undo                   take the newest transaction back
  regreen undo t_000042          take this one back
  regreen undo --dry-run         show what would be taken back, write nothing")]
pub(crate) struct Arguments {
    /// The transaction, as `regreen log` lists it
    #[arg(value_name = "TXN", value_parser = transaction_id)]
    pub(crate) transaction: Option<String>,
    /// Show what would be written, write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

fn transaction_id(text: &str) -> Result<String, &'static str> {
    match service::is_transaction_id(text) {
        true => Ok(text.to_owned()),
        false => Err("a transaction is named like t_000042; `regreen log` lists them"),
    }
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    if !arguments.dry_run {
        ctx.policy.allow_writes("undo")?;
    }
    let with_diffs = arguments.format == ReportFormat::Text && !ctx.common.quiet;
    let transaction = arguments.transaction.clone();
    let request = Undo { transaction, dry_run: arguments.dry_run, with_diffs };
    let session = ctx.open(Wants::unless(arguments.dry_run))?;
    let objects = service::staged_before(&session, &request)?;
    if !objects.is_empty() {
        GitRepository::open(&ctx.root()?, &ctx.environment)?.check_objects(&objects)?;
    }
    let reply = service::undo(&session, &request)?;
    let exit = ExitStatus::of(reply.report.ok);
    match arguments.format {
        ReportFormat::Json => Ok((CommandOutput::json(&reply.report)?, exit)),
        ReportFormat::Text => {
            let text = render(&reply, arguments.dry_run, ctx.common);
            Ok((CommandOutput::Text(text), exit))
        }
    }
}

fn render(reply: &service::UndoReply, is_dry: bool, common: &Common) -> String {
    let UndoReport { undone, transaction, files, refused, .. } = &reply.report;
    if let Some(refusal) = refused {
        let error = render_error(&refusal.message);
        let end = format!("{}\n", paint(BOLD, "Nothing was written."));
        return if common.quiet { error } else { error + &end };
    }
    if common.quiet {
        return String::new();
    }
    let Some(undone) = undone else {
        return "There is nothing to undo: no transaction is left that is not undone.\n".to_owned();
    };
    let mut text = render_changes(&reply.changes, common.verbose);
    if !text.is_empty() {
        text.push('\n');
    }
    let n_files = count(files.len(), "file");
    match transaction {
        Some(transaction) => {
            text.push_str(&format!(
                "{} Took back {undone} in {n_files}, as transaction {transaction}.\n",
                paint(GOOD, "Undone.")
            ));
            let again = common.command_line(&["undo", transaction]);
            text.push_str(&format!(
                "{} {}\n",
                paint(DIM, "To have it again:"),
                paint(COMMAND, &again)
            ));
        }
        None if is_dry => {
            let files: Vec<String> = files.iter().map(|it| printable(it)).collect();
            text.push_str(&format!(
                "Would take back {undone} in {n_files}: {}.\nNothing was written.\n",
                list(&files, if common.verbose { usize::MAX } else { MOST_FILES })
            ));
        }
        None => text.push_str(&format!("{undone} changed nothing that is left to take back.\n")),
    }
    text
}
