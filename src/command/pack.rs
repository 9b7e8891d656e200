//! `regreen pack`: rule packs of one's own.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use protocol::v1::PackReport;

use super::{CommandResult, Ctx, look};
use crate::cli::ReportFormat;
use crate::exit::ExitStatus;
use crate::output::CommandOutput;
use crate::policy::Wants;
use crate::render::style::{BAD, BOLD, DIM, GOOD, paint};
use crate::words::{count, printable};

/// Start a rule pack, or test one
///
/// A pack is a folder of data: kinds of files, JSON Schemas, rules, and cases that say what each rule keeps, mends and refuses.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen pack new packs/app       write a pack to start from
  regreen pack test packs/app      run its cases
  regreen pack test                run the cases of every pack that regreen.toml names
  regreen pack test --bless        write what came out into the cases
  regreen schema pack              the JSON Schema of pack.yaml")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Text, global = true)]
    pub(crate) format: ReportFormat,
}

#[derive(Clone, Debug, Subcommand)]
enum Action {
    /// Write a pack to start from
    New {
        /// The folder, which is not there yet
        #[arg(value_name = "DIR")]
        folder: std::path::PathBuf,
        /// Do everything but write
        #[arg(long)]
        dry_run: bool,
    },
    /// Run the cases of a pack; exit code 1 if one is not as expected
    Test {
        /// The folder of the pack [default: those that regreen.toml names]
        #[arg(value_name = "DIR")]
        folder: Option<std::path::PathBuf>,
        /// Write what came out into the cases; read them before you commit
        #[arg(long)]
        bless: bool,
    },
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    let root = ctx.root()?;
    let relative = |folder: &std::path::Path| {
        look::relative_to_root(&root, &ctx.environment.directory, folder)
    };
    let (report, text) = match &arguments.action {
        Action::New { folder, dry_run } => {
            if !dry_run {
                ctx.policy.allow_writes("pack new")?;
            }
            let folder = relative(folder)?;
            let session = ctx.open(Wants::unless(*dry_run))?;
            let report = service::new_pack(&session, &folder, *dry_run)?;
            let text = render_new(&report, &folder, *dry_run);
            (report, text)
        }
        Action::Test { folder, bless } => {
            if *bless {
                ctx.policy.allow_writes("pack test --bless")?;
            }
            let folder = folder.as_deref().map(relative).transpose()?;
            let session = ctx.open(Wants::unless(!bless))?;
            let report = service::test_packs(&session, folder.as_deref(), *bless)?;
            let text = render_test(&report, *bless);
            (report, text)
        }
    };
    let exit = ExitStatus::of(report.ok);
    match arguments.format {
        ReportFormat::Json => Ok((CommandOutput::json(&report)?, exit)),
        ReportFormat::Text if ctx.common.quiet && report.ok => {
            Ok((CommandOutput::Text(String::new()), exit))
        }
        ReportFormat::Text => Ok((CommandOutput::Text(text), exit)),
    }
}

fn render_new(report: &PackReport, folder: &str, is_dry: bool) -> String {
    let word = if is_dry { "Would write:" } else { "Written:" };
    let mut out = String::new();
    for file in &report.written {
        let _ = writeln!(out, "{} {}", paint(GOOD, word), paint(BOLD, &printable(file)));
    }
    let folder = printable(folder);
    let _ = writeln!(out, "{}", paint(DIM, "Next:"));
    let _ = writeln!(out, "  regreen pack test {folder}");
    let _ = writeln!(
        out,
        "  regreen.toml: [[pack]] with path = \"{folder}\"; name the built-in packs that you want to keep too"
    );
    out
}

fn render_test(report: &PackReport, is_blessed: bool) -> String {
    let mut out = String::new();
    for wrong in &report.wrong {
        let _ = writeln!(
            out,
            "{} {}: {}",
            paint(BAD, if is_blessed && wrong.actual.is_some() { "written:" } else { "wrong:" }),
            paint(BOLD, &printable(&wrong.case)),
            printable(&wrong.message)
        );
        for line in wrong.actual.iter().filter(|_| !is_blessed).flat_map(|it| it.lines()) {
            let _ = writeln!(out, "    {}", paint(DIM, &printable(line)));
        }
    }
    let n_wrong = report.wrong.len();
    let _ = match n_wrong {
        0 => {
            writeln!(out, "{} {} as expected.", paint(GOOD, "Green."), count(report.cases, "case"))
        }
        _ => writeln!(out, "{}, {n_wrong} not as expected.", count(report.cases, "case")),
    };
    out
}
