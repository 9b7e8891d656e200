//! `regreen apply`: writes what a patch asks for, as one transaction.

use clap::{Args, ValueEnum};
use protocol::v1::RunPatch;

use super::{CommandResult, Ctx};
use crate::cli::PatchArguments;
use crate::exit::ExitStatus;
use crate::input::read_patch;
use crate::output::{CommandOutput, note};
use crate::policy::Wants;
use crate::render::patch::{Verb, render_reply, render_result};
use crate::words::printable;

/// Apply a patch document to the workspace, in one transaction that `undo` takes back
///
/// A changeset applies whole or not at all.
/// Of a list of fix actions each one applies whole or not at all; those that cannot are reported, and the others are written.
/// Repairs that `compile` offers apply as `{"program_hash": …, "file": …, "repairs": [ … ]}`, whole or not at all.
/// A crash at any moment leaves the old files or the new ones, never a mixture.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen apply fixes.json --diff                  show the diff, write nothing
  regreen apply fixes.json                         write it
  regreen apply release.changeset.yaml --root ../shop
  regreen apply - --format json < fixes.json       for programs (schema: apply-report)
  regreen apply fixes.json --diff -o fixes.diff    a diff that `git apply` and `patch -p1` take")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) patch: PatchArguments,
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ApplyFormat::Text)]
    pub(crate) format: ApplyFormat,
    /// Do everything but write
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Show the diff and write nothing: short for --dry-run --format diff
    #[arg(long, conflicts_with = "format")]
    pub(crate) diff: bool,
    /// Show the values that a failed precondition wanted and found, not only their types and digests
    #[arg(long)]
    pub(crate) show_values: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ApplyFormat {
    /// For people
    Text,
    /// One JSON report, alone on standard output
    Json,
    /// A unified diff
    Diff,
}

impl Arguments {
    pub(crate) fn is_json(&self) -> bool {
        !self.diff && self.format == ApplyFormat::Json
    }
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    let is_dry = arguments.dry_run || arguments.diff;
    if !is_dry {
        ctx.policy.allow_writes("apply")?;
    }
    let patch = read_patch(&ctx.environment.directory, &arguments.patch)?;
    let is_diff = arguments.diff || arguments.format == ApplyFormat::Diff;
    let with_diffs = is_diff || (!arguments.is_json() && !ctx.common.quiet);
    let request = RunPatch { patch, show_values: arguments.show_values, with_diffs };
    let session = ctx.open(Wants::unless(is_dry))?;
    let reply = if is_dry {
        service::validate(&session, &request)?
    } else {
        service::apply(&session, &request)?
    };
    if let Some(file) = reply.retried.as_deref().map(printable) {
        ctx.note(&format!(
            "note: {file} changed while the patch was applied; it was applied to the new contents\n"
        ))?;
    }
    let exit = ExitStatus::of(reply.report.ok);
    let verb = if is_dry { Verb::DryRun } else { Verb::Apply };
    let text = || render_reply(&reply, verb, &request.patch.name, ctx.common);
    let format = if arguments.diff { ApplyFormat::Diff } else { arguments.format };
    match format {
        ApplyFormat::Json => Ok((CommandOutput::json(&reply.report)?, exit)),
        ApplyFormat::Text => Ok((CommandOutput::Text(text()), exit)),
        ApplyFormat::Diff => {
            if exit != ExitStatus::Clean {
                note(&text(), ctx.common.color)?;
            } else if !is_dry {
                ctx.note(&render_result(&reply, verb, &request.patch.name, ctx.common))?;
            }
            Ok((CommandOutput::Diff(reply.diff()), exit))
        }
    }
}
