//! `regreen check`: what is wrong, and what would repair it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use protocol::v1::{Check, Explain, ExplainReport, LookRequest};
use service::{CheckReply, Session};

use super::look::{LookArguments, PreparedLook};
use super::{CommandResult, Ctx, watch};
use crate::exit::ExitStatus;
use crate::failure::UsageError;
use crate::git::{GitError, GitRepository};
use crate::output::{CommandOutput, bytes_of};
use crate::policy::Wants;
use crate::progress::ProgressLine;
use crate::render::check::render_check;
use crate::render::github::render_github;
use crate::render::sarif::sarif;
use crate::words::{printable, rule_name};

/// Say what is wrong and show the edit that would repair it; nothing is written
///
/// Only errors fail; `--deny-warnings` adds warnings.
/// `--strict` also fails if `fix` would change anything: it is green exactly when `fix` has nothing to do and no error is left.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen check                              the whole workspace
  regreen check config/ app.yaml             some of it
  regreen check --strict                     for CI: also fail on what `fix` would change
  regreen check --changed=origin/main        what differs from a branch
  regreen check --write-baseline             accept what is there; only new findings fail
  regreen check --format sarif -o out.sarif  for code scanning
  regreen check --emit edits=fix.json --emit sarif=out.sarif   several results of one look
  regreen check --watch                      again whenever a file changes; Ctrl-C ends it
  regreen check --stdin-path app.yaml < buf  what an editor holds and has not saved")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) look: LookArguments,
    /// Also fail if `fix` would change anything
    #[arg(long, help_heading = "What to allow")]
    pub(crate) strict: bool,
    /// Accept every finding there is, in a file that is meant to be committed
    #[arg(long, help_heading = "What to allow", conflicts_with_all = ["no_baseline", "staged", "stdin_path", "watch"])]
    pub(crate) write_baseline: bool,
    /// Check again whenever a file changes, until Ctrl-C
    #[arg(long, conflicts_with_all = ["changed", "staged", "stdin_path"])]
    pub(crate) watch: bool,
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = CheckFormat::Text)]
    pub(crate) format: CheckFormat,
    /// Also write the result in this format to a file; may be repeated
    #[arg(long, value_name = "FORMAT=FILE", value_parser = parse_emit, conflicts_with = "watch")]
    pub(crate) emit: Vec<(CheckFormat, PathBuf)>,
    /// Write the exit code to this file, print nothing and end with 0, unless the work could not be done
    ///
    /// A build step that fails has no outputs. With this it has them, and a later step fails.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["watch", "write_baseline"])]
    pub(crate) exit_code_file: Option<PathBuf>,
}

/// A format and a file.
fn parse_emit(text: &str) -> Result<(CheckFormat, PathBuf), String> {
    let (format, file) = text.split_once('=').ok_or("expected FORMAT=FILE")?;
    if file.is_empty() {
        return Err("expected FORMAT=FILE".to_owned());
    }
    Ok((CheckFormat::from_str(format, false)?, PathBuf::from(file)))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people
    Text,
    /// One JSON report, alone on standard output (schema: check-report)
    Json,
    /// The repairs as a fix-action document that `apply` takes
    FixActions,
    /// The repairs as a JSON list (schema: repairs)
    Repairs,
    /// What `fix` would do, as a unified diff
    Diff,
    /// The same as an edits document that `apply` takes, bound to the bytes of the files
    Edits,
    /// SARIF 2.1.0, with the repairs as fixes
    Sarif,
    /// Annotations for GitHub Actions
    Github,
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    if arguments.write_baseline {
        ctx.policy.allow_writes("check --write-baseline")?;
    }
    if arguments.watch && !matches!(arguments.format, CheckFormat::Text | CheckFormat::Json) {
        return Err(UsageError("--watch prints text or JSON".to_owned()).into());
    }
    for file in arguments.emit.iter().map(|it| &it.1).chain(&arguments.exit_code_file) {
        ctx.output(file)?;
    }
    let PreparedLook { look, .. } = arguments.look.look(ctx)?;
    let request = request(arguments, look);
    let session = ctx.open(Wants::unless(!arguments.write_baseline))?;
    if arguments.watch {
        return watch::run(ctx, &session, &request, arguments.format);
    }
    let mut line = ProgressLine::start(ctx.common);
    let reply = service::check(&session, &request, &mut |it| line.show(it));
    drop(line);
    let reply = reply?;
    let exit = ExitStatus::of_verdict(reply.verdict);
    let format = arguments.format;
    if matches!(
        format,
        CheckFormat::Repairs | CheckFormat::FixActions | CheckFormat::Diff | CheckFormat::Edits
    ) {
        ctx.tell_gaps(&reply.report.failures, &reply.report.summary.files)?;
    }
    let said = say(ctx, &session, &request.look, &reply, format)?;
    for (format, file) in &arguments.emit {
        let emitted = say(ctx, &session, &request.look, &reply, *format)?;
        ctx.write(file, &bytes_of(&emitted, false))?;
    }
    match &arguments.exit_code_file {
        Some(file) if exit != ExitStatus::Failed => {
            ctx.write(file, format!("{}\n", exit.code()).as_bytes())?;
            let said = if ctx.common.output.is_some() { said } else { CommandOutput::Nothing };
            Ok((said, ExitStatus::Clean))
        }
        _ => Ok((said, exit)),
    }
}

fn request(arguments: &Arguments, look: LookRequest) -> Check {
    let wants =
        |format| arguments.format == format || arguments.emit.iter().any(|(it, _)| *it == format);
    Check {
        look,
        strict: arguments.strict,
        write_baseline: arguments.write_baseline,
        with_fix_actions: wants(CheckFormat::FixActions),
        with_diffs: wants(CheckFormat::Diff),
        with_edits: wants(CheckFormat::Edits),
    }
}

/// The reply in the format that was asked for.
fn say(
    ctx: &Ctx<'_>,
    session: &Session,
    look: &LookRequest,
    reply: &CheckReply,
    format: CheckFormat,
) -> Result<CommandOutput> {
    match format {
        CheckFormat::Text => Ok(CommandOutput::Text(render_check(reply, look, ctx.common))),
        CheckFormat::Json => CommandOutput::json(&reply.report),
        CheckFormat::Repairs => CommandOutput::json(&reply.report.repairs),
        CheckFormat::FixActions => {
            let (text, n_left_out) = match &reply.fix_actions {
                Some(document) => (document.text.clone(), document.n_left_out),
                None => (String::new(), 0),
            };
            if n_left_out > 0 {
                ctx.note(&format!(
                    "note: {n_left_out} of the repairs cannot be expressed as fix actions; `regreen fix` makes them\n"
                ))?;
            }
            Ok(CommandOutput::Raw(text.into_bytes()))
        }
        CheckFormat::Diff => Ok(CommandOutput::Diff(
            reply.changes.iter().flat_map(|it| it.diff.iter().copied()).collect(),
        )),
        CheckFormat::Edits => {
            Ok(CommandOutput::Raw(reply.edits.clone().unwrap_or_default().into_bytes()))
        }
        CheckFormat::Sarif => CommandOutput::json(&sarif(reply, &pages(session, reply))),
        CheckFormat::Github => {
            let repository = GitRepository::open(&ctx.root()?, &ctx.environment);
            // Without git the workspace is taken for the top of what GitHub checked out.
            let prefix = repository.as_ref().map_or("", |it| it.prefix());
            if let Err(error @ GitError::DubiousOwnership { .. }) = &repository {
                // It may be below the top, and then no annotation is shown where it belongs.
                let help = error.help().unwrap_or_default();
                let text = format!("paths are those of the workspace: {error}; {help}");
                ctx.note(&format!("note: {}\n", printable(&text)))?;
            }
            Ok(CommandOutput::Raw(render_github(&reply.report, prefix).into_bytes()))
        }
    }
}

/// The pages of the rules that the findings name. A rule of another tool has none.
fn pages(session: &Session, reply: &CheckReply) -> BTreeMap<String, ExplainReport> {
    let rules: std::collections::BTreeSet<String> =
        reply.report.diagnostics.iter().map(|it| rule_name(&it.source, &it.rule_id)).collect();
    let page = |rule: String| {
        let reply = service::explain(session, &Explain { rule: rule.clone() }).ok()?;
        Some((rule, reply.report))
    };
    rules.into_iter().filter_map(page).collect()
}
