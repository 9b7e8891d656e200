//! `regreen plan`: what `fix` would try, in which order, and what it would leave alone and why.

use clap::{Args, ValueEnum};
use protocol::v1::{Plan, Repair};

use super::look::LookArguments;
use super::{CommandResult, Ctx};
use crate::exit::ExitStatus;
use crate::output::CommandOutput;
use crate::policy::Wants;
use crate::progress::ProgressLine;
use crate::render::plan::render_plan;

/// Say what `fix` would try and why, ranked, with conflicts; nothing is written
///
/// Every repair is listed in the order of its rank, with what would become of it in the first round.
/// `fix` then also checks that each did what it claimed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen plan                               every repair and what would become of it
  regreen plan --safety behavior_changing    if everything were allowed
  regreen plan --format json                 for programs (schema: plan-report)
  regreen plan --format diff                 what the accepted repairs do together")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) look: LookArguments,
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlanFormat::Text)]
    pub(crate) format: PlanFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum PlanFormat {
    /// For people
    Text,
    /// One JSON report, alone on standard output (schema: plan-report)
    Json,
    /// The repairs as a JSON list, in the order of their rank (schema: repairs)
    Repairs,
    /// What the accepted repairs do together, as a unified diff
    Diff,
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    let request = Plan {
        look: arguments.look.look(ctx)?.look,
        with_diffs: arguments.format == PlanFormat::Diff,
    };
    let session = ctx.open(Wants::Look)?;
    let mut line = ProgressLine::start(ctx.common);
    let reply = service::plan(&session, &request, &mut |it| line.show(it));
    drop(line);
    let reply = reply?;
    let exit = ExitStatus::of_verdict(reply.verdict);
    if matches!(arguments.format, PlanFormat::Repairs | PlanFormat::Diff) {
        ctx.tell_gaps(&reply.report.failures, &reply.report.summary.files)?;
    }
    match arguments.format {
        PlanFormat::Text => {
            Ok((CommandOutput::Text(render_plan(&reply, &request.look, ctx.common)), exit))
        }
        PlanFormat::Json => Ok((CommandOutput::json(&reply.report)?, exit)),
        PlanFormat::Repairs => {
            let repairs: Vec<&Repair> = reply.report.repairs.iter().map(|it| &it.repair).collect();
            Ok((CommandOutput::json(&repairs)?, exit))
        }
        PlanFormat::Diff => {
            let diff = reply.changes.iter().flat_map(|it| it.diff.iter().copied()).collect();
            Ok((CommandOutput::Diff(diff), exit))
        }
    }
}
