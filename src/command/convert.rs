//! `regreen convert`: one kind of patch document into another.

use std::fmt::Write;

use clap::builder::styling::Style;
use clap::{Args, ValueEnum};
use protocol::v1::{Conversion, Convert, ConvertNote};

use super::{CommandResult, Ctx};
use crate::cli::{Common, PatchArguments, ReportFormat};
use crate::exit::ExitStatus;
use crate::input::read_patch;
use crate::output::{CommandOutput, note};
use crate::policy::Wants;
use crate::render::frame::render_frames;
use crate::render::line::render_lines;
use crate::render::style::{BAD, BOLD, DIM, paint};
use crate::words::{count, printable};

/// Turn a patch document into another kind; nothing is written but the result
///
/// Conversion depends on what stands in the workspace, so the document is tried on it first.
/// What the other kind cannot express is refused and listed, never dropped.
/// Documents keep their meaning with members that only regreen knows (`expects` on a changeset's operations); `--strict` refuses to write those.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen convert fixes.json --to changeset            fix actions as a changeset
  regreen convert fixes.json --to changeset --strict   only if plain contract members are enough
  regreen convert release.changeset.yaml --to diff     a diff for `git apply`
  regreen convert fixes.json --to edits -o edits.json  byte edits, bound to the hashes of the files
  regreen convert fixes.yaml --to rdjson | reviewdog -f=rdjson   what clang-tidy exported, for a review")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) patch: PatchArguments,
    /// What to turn it into
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) to: To,
    /// Refuse members that only regreen understands
    #[arg(long)]
    pub(crate) strict: bool,
    /// What to print: the document itself, or a JSON report with the document in it
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum To {
    /// A changeset
    Changeset,
    /// Fix actions
    FixActions,
    /// Byte edits, bound to the hashes of the files
    Edits,
    /// A unified diff
    Diff,
    /// A SARIF 2.1.0 log with one fix
    Sarif,
    /// reviewdog's diagnostics, with a suggestion for each place
    Rdjson,
    /// Annotations of GitHub Actions
    Github,
    /// Suggestion blocks for a review on GitHub, as Markdown
    Suggestions,
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    let patch = read_patch(&ctx.environment.directory, &arguments.patch)?;
    let to = match arguments.to {
        To::Changeset => Conversion::Changeset,
        To::FixActions => Conversion::FixActions,
        To::Edits => Conversion::Edits,
        To::Diff => Conversion::Diff,
        To::Sarif => Conversion::Sarif,
        To::Rdjson => Conversion::Rdjson,
        To::Github => Conversion::Github,
        To::Suggestions => Conversion::Suggestions,
    };
    let reply = service::convert(
        &ctx.open(Wants::Look)?,
        &Convert { patch, to, strict: arguments.strict },
    )?;
    let exit = ExitStatus::of(reply.report.ok);
    match (arguments.format, &reply.output) {
        (ReportFormat::Json, _) => Ok((CommandOutput::json(&reply.report)?, exit)),
        (ReportFormat::Text, Some(output)) => {
            let frames =
                if ctx.common.verbose { render_findings(&reply, true) } else { String::new() };
            ctx.note(&(frames + &render_notes("note", DIM, &reply.report.losses)))?;
            let output = output.clone();
            let said = if to == Conversion::Diff {
                CommandOutput::Diff(output)
            } else {
                CommandOutput::Raw(output)
            };
            Ok((said, exit))
        }
        (ReportFormat::Text, None) => {
            note(&render_refusal(&reply, ctx.common), ctx.common.color)?;
            Ok((CommandOutput::Nothing, exit))
        }
    }
}

fn render_notes(word: &str, style: Style, notes: &[ConvertNote]) -> String {
    let mut text = String::new();
    for note in notes {
        let action = note.action_id.as_ref().map(|it| format!("fix action {}, ", printable(it)));
        let parts = [note.op.as_ref(), note.file.as_ref(), note.json_pointer.as_ref()];
        let parts: Vec<String> = parts.into_iter().flatten().map(|it| printable(it)).collect();
        let what = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(" ")) };
        let op = note.op_index.map(|it| format!("operation {it}{what}"));
        let place = format!(
            "{}{}",
            action.unwrap_or_default(),
            op.unwrap_or_else(|| "the document".into())
        );
        let _ = writeln!(
            text,
            "{}{} {place}: {}",
            paint(style, word),
            paint(BOLD, ":"),
            printable(&note.reason)
        );
    }
    text
}

fn render_findings(reply: &service::ConvertReply, is_verbose: bool) -> String {
    render_frames(&reply.report.diagnostics, &reply.frames, is_verbose)
        .iter()
        .map(|it| format!("{it}\n"))
        .collect()
}

fn render_refusal(reply: &service::ConvertReply, common: &Common) -> String {
    let refused = render_notes("error", BAD, &reply.report.refused);
    if common.quiet {
        return render_lines(&reply.report.diagnostics) + &refused;
    }
    let mut text = render_findings(reply, common.verbose) + &refused;
    let n_refused = reply.report.refused.len();
    if n_refused > 0 {
        let _ = writeln!(text, "Not converted: {} cannot be expressed.", count(n_refused, "thing"));
    } else {
        let _ = writeln!(text, "Not converted: the document has errors.");
    }
    text
}
