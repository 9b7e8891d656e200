//! `regreen fix`: makes the repairs that are safe, as one transaction.

use std::io::{self, IsTerminal};

use clap::{Args, ValueEnum};
use protocol::v1::{Fix, LookRequest};
use service::{FixReply, Offers};

use super::look::{LookArguments, PreparedLook};
use super::{CommandResult, Ctx, interactive, staged};
use crate::exit::ExitStatus;
use crate::failure::UsageError;
use crate::output::{CommandOutput, note};
use crate::policy::Wants;
use crate::progress::ProgressLine;
use crate::render::dds::render_proposals;
use crate::render::fix::{WriteTarget, render_fix, render_fix_end};
use crate::words::printable;

/// Fix what is safe to fix, in one transaction that `undo` takes back
///
/// Repairs are tried in memory and checked; only those that did what they claimed are written, all at once.
/// What may change the meaning (`behavior_changing`) waits until you name it with `--allow`, answer yes with `--interactive`, or type `--safety behavior_changing`.
/// With `--staged` the files that are staged are fixed in the index of git and on disk, each on its own bytes.
/// With `--stdin-path` the fixed text goes to standard output and no file is written.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen fix --diff                          show the diff, write nothing
  regreen fix                                 fix what is safe
  regreen fix --allow r_0123456789ab          and this repair, which `check` showed
  regreen fix --interactive                   decide repair by repair
  regreen fix --propose                       and propose the rest for approval
  regreen fix --staged                        in a git hook: fix what is about to be committed
  regreen fix --stdin-path app.yaml < buf     for editors: the fixed text on standard output")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) look: LookArguments,
    /// Do everything but write
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Show the diff and write nothing: short for --dry-run --format diff
    #[arg(long, conflicts_with = "format")]
    pub(crate) diff: bool,
    /// Ask about every repair; nothing is written before the last answer
    #[arg(long, short, conflicts_with_all = ["diff", "stdin_path"])]
    pub(crate) interactive: bool,
    /// Propose what `fix` may not do by itself: `regreen dds list` shows it, a person approves it, `regreen dds run` does it
    #[arg(long, conflicts_with_all = ["diff", "dry_run", "stdin_path", "staged"])]
    pub(crate) propose: bool,
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = FixFormat::Text)]
    pub(crate) format: FixFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum FixFormat {
    /// For people
    Text,
    /// One JSON report, alone on standard output (schema: fix-report)
    Json,
    /// What changed, as a unified diff
    Diff,
}

impl Arguments {
    pub(crate) fn is_json(&self) -> bool {
        !self.diff && self.format == FixFormat::Json
    }

    fn format(&self) -> FixFormat {
        if self.diff { FixFormat::Diff } else { self.format }
    }
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    let is_dry = arguments.dry_run || arguments.diff;
    let writes_buffer = arguments.look.stdin_path.is_some();
    if !is_dry && !writes_buffer {
        ctx.policy.allow_writes("fix")?;
    }
    let is_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
    if arguments.interactive && !is_terminal {
        let message = "--interactive asks a person, and there is no terminal; name repairs with --allow ID instead";
        return Err(UsageError(message.to_owned()).into());
    }
    let PreparedLook { look, staged, buffer } = arguments.look.look(ctx)?;
    let with_diffs = arguments.format() == FixFormat::Diff
        || (arguments.format() == FixFormat::Text && !ctx.common.quiet);
    let original = buffer.as_ref().and_then(|it| look.overlay.get(it)).cloned();
    let with_offers = arguments.propose;
    let request = Fix { look, dry_run: is_dry, with_diffs, with_offers };
    // A buffer is given back, not written; a proposal is written to the registry.
    let only_looks = (is_dry || writes_buffer) && !arguments.propose;
    let session = ctx.open(Wants::unless(only_looks))?;
    if arguments.propose {
        // Nothing is fixed before it is known that the rest can be proposed.
        service::dds::check_registry(&session, ctx.environment.registry.as_deref())?;
    }
    let mut reply = make(ctx, &session, &request, arguments.interactive)?;
    if let Some(file) = reply.retried.as_deref().map(printable) {
        ctx.note(&format!("note: {file} changed meanwhile; the new contents were fixed\n"))?;
    }
    let written = match (&staged, &buffer) {
        _ if is_dry => WriteTarget::Nowhere,
        (Some(_), _) => WriteTarget::Index,
        (_, Some(_)) => WriteTarget::Buffer,
        _ => WriteTarget::Disk,
    };
    if let (WriteTarget::Index, Some((repository, staged))) = (written, &staged) {
        let told = staged::write_back(
            ctx,
            &session,
            (repository, staged),
            (&request, arguments.interactive),
            &mut reply,
        )?;
        ctx.note(&told)?;
    }
    if arguments.propose {
        propose(ctx, &session, &reply.offers)?;
    }
    let exit = ExitStatus::of_verdict(reply.verdict);
    match (buffer, original) {
        (Some(path), Some(original)) if arguments.format() == FixFormat::Text && !is_dry => {
            let text = render_fix(&reply, &request.look, written, ctx.common);
            note(&text, ctx.common.color)?;
            let output = reply.outputs.get(&path).cloned().unwrap_or(original);
            Ok((CommandOutput::Raw(output), exit))
        }
        _ => say(ctx, arguments.format(), &request.look, &reply, written),
    }
}

/// Proposes what waits for a person's word, and tells which proposals there are.
fn propose(ctx: &Ctx<'_>, session: &service::Session, offers: &Offers) -> anyhow::Result<()> {
    let registry =
        service::dds::ProposalRegistry::open(session, ctx.environment.registry.as_deref())?;
    super::dds::tell_untrusted(ctx, &registry)?;
    let by = registry.person(ctx.environment.user.as_deref());
    let proposals = registry.propose(offers, &by)?;
    ctx.note(&render_proposals(&proposals, ctx.common))
}

fn make(
    ctx: &Ctx<'_>,
    session: &service::Session,
    request: &Fix,
    is_interactive: bool,
) -> anyhow::Result<FixReply> {
    if is_interactive {
        let mut prompt = interactive::RepairPrompt::new(
            io::BufReader::new(io::stdin()),
            anstream::AutoStream::auto(io::stderr()),
            ctx.common.verbose,
        );
        return Ok(service::fix(
            session,
            request,
            &mut |_| {},
            Some(&mut |question| prompt.ask(question)),
        )?);
    }
    let mut line = ProgressLine::start(ctx.common);
    let reply = service::fix(session, request, &mut |it| line.show(it), None);
    drop(line);
    Ok(reply?)
}

fn say(
    ctx: &Ctx<'_>,
    format: FixFormat,
    look: &LookRequest,
    reply: &FixReply,
    written: WriteTarget,
) -> CommandResult {
    let exit = ExitStatus::of_verdict(reply.verdict);
    match format {
        FixFormat::Json => Ok((CommandOutput::json(&reply.report)?, exit)),
        FixFormat::Text => {
            Ok((CommandOutput::Text(render_fix(reply, look, written, ctx.common)), exit))
        }
        FixFormat::Diff => {
            if written != WriteTarget::Nowhere || exit != ExitStatus::Clean {
                ctx.note(&render_fix_end(reply, look, written, ctx.common))?;
            }
            ctx.tell_gaps(&reply.report.failures, &reply.report.summary.files)?;
            let diff = reply.changes.iter().flat_map(|it| it.diff.iter().copied()).collect();
            Ok((CommandOutput::Diff(diff), exit))
        }
    }
}
