//! `regreen init`: a configuration to start from, and what regreen can do here.

use std::fmt::Write;

use clap::Args;
use protocol::v1::Init;
use service::InitReply;

use super::{CommandResult, Ctx};
use crate::cli::{Common, ReportFormat};
use crate::exit::ExitStatus;
use crate::output::CommandOutput;
use crate::policy::Wants;
use crate::render::style::{BOLD, COMMAND, DIM, GOOD, paint};
use crate::render::tools::render_overview;
use crate::words::{count, printable};

/// Write a regreen.toml to start from, and say what regreen can do here
///
/// An existing regreen.toml stays as it is.
/// regreen works without one too: the rules that are built in apply.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen init                               write regreen.toml
  regreen init --dry-run                     show it, write nothing")]
pub(crate) struct Arguments {
    /// Do everything but write
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    if !arguments.dry_run {
        ctx.policy.allow_writes("init")?;
    }
    let request = Init { dry_run: arguments.dry_run, jobs: None };
    let reply = service::init(&ctx.open(Wants::unless(arguments.dry_run))?, &request)?;
    match arguments.format {
        ReportFormat::Json => Ok((CommandOutput::json(&reply.report)?, ExitStatus::Clean)),
        ReportFormat::Text => {
            let text = match ctx.common.quiet {
                true => String::new(),
                false => render(&reply, arguments.dry_run, ctx.common),
            };
            Ok((CommandOutput::Text(text), ExitStatus::Clean))
        }
    }
}

fn render(reply: &InitReply, is_dry: bool, common: &Common) -> String {
    let report = &reply.report;
    let mut out = String::new();
    match (&report.written, &reply.text) {
        (None, Some(text)) if is_dry => {
            let _ = writeln!(out, "Would write {}:\n", paint(BOLD, "regreen.toml"));
            for line in text.lines() {
                let _ = writeln!(out, "{}", format!("    {}", printable(line)).trim_end());
            }
            out.push('\n');
        }
        (Some(file), _) => {
            let _ = writeln!(out, "{} {}", paint(GOOD, "Written:"), paint(BOLD, file));
        }
        (None, _) => out.push_str("There is a configuration already; it stays as it is.\n"),
    }
    let _ = writeln!(out, "Read {}.", count(report.files, "file"));
    for found in &report.found {
        let what = format!("{} {}", printable(&found.pack), printable(&found.kind));
        let _ = writeln!(out, "  {:>6}  {what}", found.files);
    }
    if report.with_schema > 0 {
        let _ = writeln!(out, "  {:>6}  with a schema of their own", report.with_schema);
    }
    if report.found.is_empty() && report.with_schema == 0 && report.tools.is_empty() {
        out.push_str(
            "No file is of a kind that the built-in packs know, and none names a schema. \
             Name a schema in a file, or write a pack: `regreen pack new`.\n",
        );
    }
    out.push_str(&render_overview(&report.tools, &report.other_tools));
    let next =
        [("check", "what is wrong?"), ("fix", "fix what is safe to fix"), ("undo", "take it back")];
    let _ = writeln!(out, "{}", paint(DIM, "Next:"));
    let lines = next.map(|(command, what)| (common.command_line(&[command]), what));
    let width = lines.iter().map(|it| it.0.chars().count()).max().unwrap_or_default();
    for (line, what) in lines {
        let room = width - line.chars().count();
        let _ = writeln!(out, "  {}{:room$}  {what}", paint(COMMAND, &line), "");
    }
    out
}
