//! `regreen validate`: does the patch apply? Writes nothing (CS-2).

use clap::Args;
use protocol::v1::RunPatch;

use super::{CommandResult, Ctx};
use crate::cli::{PatchArguments, ReportFormat};
use crate::exit::ExitStatus;
use crate::input::read_patch;
use crate::output::CommandOutput;
use crate::policy::Wants;
use crate::render::patch::{Verb, render_reply};

/// Check a patch document against the workspace; nothing is written
///
/// Every operation is tried in memory, in order, so that each one sees what the ones before it did.
/// What is wrong is shown with its place in the patch document and in the file it is about.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen validate fixes.json                      does it apply here?
  regreen validate rename.changeset.yaml -v        the same, with every operation
  linter --emit-fixes | regreen validate -         a document from another program
  regreen validate fixes.json --format json        the report for programs (schema: apply-report)")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) patch: PatchArguments,
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// Show the values that a failed precondition wanted and found, not only their types and digests
    #[arg(long)]
    pub(crate) show_values: bool,
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    let patch = read_patch(&ctx.environment.directory, &arguments.patch)?;
    let request = RunPatch { patch, show_values: arguments.show_values, with_diffs: false };
    let reply = service::validate(&ctx.open(Wants::Look)?, &request)?;
    let exit = ExitStatus::of(reply.report.ok);
    match arguments.format {
        ReportFormat::Json => Ok((CommandOutput::json(&reply.report)?, exit)),
        ReportFormat::Text => {
            let text = render_reply(&reply, Verb::Validate, &request.patch.name, ctx.common);
            Ok((CommandOutput::Text(text), exit))
        }
    }
}
