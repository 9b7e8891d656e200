//! `regreen schemas`: the schemas that files have by their names, taken when somebody asks and locked by hash.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use protocol::v1::{SchemaLine, SchemasReport, SchemasUpdate};

use super::{CommandResult, Ctx};
use crate::cli::ReportFormat;
use crate::exit::ExitStatus;
use crate::output::CommandOutput;
use crate::policy::Wants;
use crate::render::style::{BOLD, DIM, GOOD, WARN, paint};
use crate::words::{count, printable};

/// Take schemas from a catalogue, so that files are checked by their names
///
/// `update` is the only command that fetches anything; `check` never does.
/// The bytes go to your cache folder and their hashes to regreen.schemas.lock, so that everybody who has the lock checks against the same schemas.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen schemas update                     take the public catalogue, and lock it
  regreen schemas update --from ../store     take it from a folder with a catalog.json
  regreen schemas update --locked            take exactly what is locked, after a clone
  regreen schemas update --vendor            put the schemas into the workspace
  regreen schemas list                       what is locked, and is it here?")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Text, global = true)]
    pub(crate) format: ReportFormat,
}

#[derive(Clone, Debug, Subcommand)]
enum Action {
    /// Take a catalogue and its schemas, and lock them
    Update {
        /// A folder with a catalog.json, or the https address of a catalogue [default: what regreen.toml says, else the public catalogue]
        #[arg(long, value_name = "DIR|URL")]
        from: Option<String>,
        /// Put the schemas into the workspace, with their addresses, hashes and licences
        #[arg(long)]
        vendor: bool,
        /// Take exactly the bytes that regreen.schemas.lock names; exit code 1 if some are not to be had
        #[arg(long)]
        locked: bool,
        /// How long all of it may take, in seconds
        #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
        timeout: u64,
        /// Do everything but write
        #[arg(long)]
        dry_run: bool,
    },
    /// Say what is locked and whether it is on this machine; exit code 1 if some is not
    List,
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    let (report, text) = match &arguments.action {
        Action::List => {
            let report = service::list_schemas(&ctx.open(Wants::Look)?)?;
            let text = render_list(&report);
            (report, text)
        }
        Action::Update { from, vendor, locked, timeout, dry_run } => {
            if !dry_run {
                ctx.policy.allow_writes("schemas update")?;
            }
            let request = SchemasUpdate {
                from: from.clone(),
                vendor: *vendor,
                locked: *locked,
                timeout: *timeout,
                dry_run: *dry_run,
            };
            let session = ctx.open(Wants::unless(*dry_run))?;
            let report = service::update_schemas(&session, &ctx.environment.directory, &request)?;
            let text = render_update(&report, *dry_run);
            (report, text)
        }
    };
    let exit = ExitStatus::of(report.ok);
    match arguments.format {
        ReportFormat::Json => Ok((CommandOutput::json(&report)?, exit)),
        ReportFormat::Text if ctx.common.quiet => Ok((CommandOutput::Text(String::new()), exit)),
        ReportFormat::Text => Ok((CommandOutput::Text(text), exit)),
    }
}

fn render_update(report: &SchemasReport, is_dry: bool) -> String {
    let mut out = String::new();
    for failed in &report.failed {
        let (url, reason) = (printable(&failed.url), printable(&failed.reason));
        let _ = writeln!(out, "{} {url}: {reason}", paint(WARN, "not taken:"));
    }
    let n_schemas = count(report.schemas.len(), "schema");
    let word = if is_dry { "Would lock" } else { "Locked" };
    let _ = writeln!(
        out,
        "{} {n_schemas}: {} new or changed, {} gone.",
        paint(GOOD, word),
        report.changed,
        report.removed
    );
    out
}

fn render_list(report: &SchemasReport) -> String {
    if report.schemas.is_empty() {
        return "No schema is locked. `regreen schemas update` takes a catalogue.\n".to_owned();
    }
    let mut out = String::new();
    for SchemaLine { url, name, files, path, present, .. } in &report.schemas {
        let state = if *present { "      " } else { "absent" };
        let place = match path {
            Some(path) => format!(", {path}"),
            None => String::new(),
        };
        let name = if name.is_empty() { "(for other schemas)" } else { name };
        let _ = writeln!(
            out,
            "{} {}  {}{}",
            paint(WARN, state),
            paint(BOLD, &printable(name)),
            paint(DIM, &printable(url)),
            paint(DIM, &printable(&place))
        );
        if !files.is_empty() {
            let _ = writeln!(out, "         {}", printable(&files.join(", ")));
        }
    }
    let n_absent = report.schemas.iter().filter(|it| !it.present).count();
    let _ = writeln!(out, "{} locked, {n_absent} not here.", count(report.schemas.len(), "schema"));
    if n_absent > 0 {
        out.push_str("`regreen schemas update --locked` takes them.\n");
    }
    out
}
