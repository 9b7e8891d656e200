//! `regreen trust`: what this repository may do here, shown before it is allowed.

use std::fmt::Write as _;
use std::io::{self, BufRead, IsTerminal, Write as _};

use anyhow::Result;
use clap::Args;
use protocol::v1::{TrustItem, TrustReport, TrustState};
use service::TrustReview;

use super::{CommandResult, Ctx};
use crate::cli::{Common, ReportFormat};
use crate::exit::ExitStatus;
use crate::failure::UsageError;
use crate::output::{CommandOutput, note};
use crate::policy::Wants;
use crate::render::style::{BOLD, DIM, GOOD, WARN, paint};
use crate::words::printable;

/// Allow what this repository wants to run, to contact and to let approve
///
/// A clone can bring a regreen.toml that names programs and servers, and keys that may approve.
/// None of it counts before you have seen it and said yes; a change of it asks again, for what changed.
/// What you trust is kept in your own state folder, for the repository with all of its worktrees.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen trust                    show what needs trust, and ask
  regreen trust --show             what is trusted, what is not, what changed since
  regreen trust --yes              without being asked, for scripts
  regreen trust --revoke           forget it
  regreen dds run --trust          for one run only, as REGREEN_TRUST=1 does; nothing is recorded
  regreen trust --show --format json   for programs (schema: trust-report)")]
pub(crate) struct Arguments {
    /// Only show what needs trust and what of it is trusted; exit code 1 if something is not
    #[arg(long, conflicts_with_all = ["revoke", "yes"])]
    show: bool,
    /// Forget what is trusted
    #[arg(long, conflicts_with = "yes")]
    revoke: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    if !arguments.show {
        ctx.policy.allow_writes("trust")?;
    }
    let session = ctx.open(Wants::unless(arguments.show))?;
    let review = TrustReview::open(&session)?;
    let found = review.report();
    if let Some(said) = &found.note {
        ctx.note(&format!("note: {}\n", printable(said)))?;
    }
    if arguments.show {
        return say(ctx, &found, &render_found(&found, ctx.common), arguments.format);
    }
    if arguments.revoke {
        let report = review.revoke()?;
        let text = "Nothing of this repository is trusted any more.\n";
        return say(ctx, &report, text, arguments.format);
    }
    if found.items.is_empty() {
        return say(ctx, &review.trust()?, NOTHING, arguments.format);
    }
    if !arguments.yes && !is_agreed(ctx, &found)? {
        let refused = TrustReport { ok: false, ..found };
        return say(ctx, &refused, "Nothing was changed.\n", arguments.format);
    }
    let report = review.trust()?;
    let shown = if arguments.yes { render_items(&found.items) } else { String::new() };
    let text = format!("{shown}{}\n", paint(GOOD, "This repository is trusted with that."));
    say(ctx, &report, &text, arguments.format)
}

const NOTHING: &str = "Nothing in this repository needs trust.\n";

fn say(ctx: &Ctx<'_>, report: &TrustReport, text: &str, format: ReportFormat) -> CommandResult {
    let exit = ExitStatus::of(report.ok);
    match format {
        ReportFormat::Json => Ok((CommandOutput::json(report)?, exit)),
        ReportFormat::Text if ctx.common.quiet => Ok((CommandOutput::Text(String::new()), exit)),
        ReportFormat::Text => Ok((CommandOutput::Text(text.to_owned()), exit)),
    }
}

/// Shows what it is about, and asks a person at a terminal.
fn is_agreed(ctx: &Ctx<'_>, found: &TrustReport) -> Result<bool> {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        let show = ctx.common.command_line(&["trust", "--show"]);
        let message =
            format!("there is no terminal to ask at; look at `{show}`, then say so with --yes");
        return Err(UsageError(message).into());
    }
    let shown = render_found(found, ctx.common);
    note(&format!("{shown}\nTrust this repository with that? [y/N] "), ctx.common.color)?;
    io::stderr().flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

fn render_found(found: &TrustReport, common: &Common) -> String {
    let mut text = render_items(&found.items);
    for gone in &found.gone {
        let what = paint(BOLD, &printable(&gone.title));
        let _ = writeln!(text, "{what} {}", paint(DIM, "was trusted and is gone"));
    }
    if found.items.is_empty() {
        text.push_str(NOTHING);
    } else if found.ok {
        text.push_str("All of it is trusted.\n");
    } else {
        let allow = common.command_line(&["trust"]);
        let _ = writeln!(text, "What is not trusted does not count; `{allow}` allows it.");
    }
    text
}

/// One line for each: what it is, where it comes from, what it may do.
fn render_items(items: &[TrustItem]) -> String {
    let mut text = String::new();
    for item in items {
        let state = match item.state {
            TrustState::Trusted => paint(GOOD, "trusted"),
            TrustState::New => paint(WARN, "new    "),
            TrustState::Changed => paint(WARN, "changed"),
        };
        let _ = writeln!(
            text,
            "{state}  {} {} {}",
            paint(BOLD, &printable(&item.title)),
            paint(DIM, &format!("({})", printable(&item.source))),
            printable(&item.allows).replace('\t', " ")
        );
    }
    text
}
