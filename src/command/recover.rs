//! `regreen recover`: settles what an interrupted transaction left behind, and does nothing else.

use clap::Args;
use protocol::v1::RecoverReport;

use super::{CommandResult, Ctx};
use crate::cli::ReportFormat;
use crate::exit::ExitStatus;
use crate::output::CommandOutput;
use crate::policy::Wants;
use crate::words::{list, printable};

/// Settle a transaction that was interrupted, and do nothing else
///
/// A transaction that had not passed its point of no return is taken back, one that had is completed.
/// If somebody saved one of its files since, it is taken back and that file stays as it was saved.
/// Commands that write do this first; those that promise to write nothing only report it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen recover                     after a crash, a kill or a power failure
  regreen recover --format json       for programs (schema: recover-report)")]
pub(crate) struct Arguments {
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    ctx.policy.allow_writes("recover")?;
    let report = service::recover(&ctx.open_untold(&ctx.root()?, Wants::Write)?);
    match arguments.format {
        ReportFormat::Json => Ok((CommandOutput::json(&report)?, ExitStatus::Clean)),
        ReportFormat::Text if ctx.common.quiet => {
            Ok((CommandOutput::Text(String::new()), ExitStatus::Clean))
        }
        ReportFormat::Text => Ok((CommandOutput::Text(render(&report)), ExitStatus::Clean)),
    }
}

fn render(report: &RecoverReport) -> String {
    let Some(settled) = &report.settled else {
        return "There is nothing to settle.\n".to_owned();
    };
    let outcome = match settled.outcome.as_str() {
        "completed" => "was completed",
        _ => "was taken back",
    };
    let mut text = format!("{} {outcome}.\n", settled.id);
    if !settled.kept.is_empty() {
        let kept: Vec<String> = settled.kept.iter().map(|it| printable(it)).collect();
        text.push_str(&format!("Kept as somebody saved it since: {}.\n", list(&kept, 10)));
    }
    text
}
