//! What `fix` says: what it changed, what it left alone and why, what remains, and how to take it back.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use protocol::v1::{AppliedRepair, Diagnostic, LookRequest, RejectedRepair, Severity};
use service::{FixReply, PreviewBudget};

use super::changes::render_changes;
use super::check::{ShownFindings, counts};
use super::frame::Framer;
use super::line::{render_failure_lines, render_lines};
use super::repair::{
    RepairOffer, nature, render_classes, render_left_out, render_offer, render_wait,
};
use super::style::{BOLD, COMMAND, DIM, GOOD, WARN, paint};
use super::tools::render_tools;
use super::verdict::{VerdictSummary, render_failures_beside, unchecked_places};
use crate::cli::Common;
use crate::words::{count, count_fixes, list, printable, rule_name};

/// How many repairs are listed before the rest is counted.
const MOST_REPAIRS: usize = 20;
/// How many files of a repair are named.
const MOST_FILES: usize = 3;

/// Where the changes went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WriteTarget {
    /// To disk, as a transaction, if there were any.
    Disk,
    /// Nowhere: only what would happen was asked for.
    Nowhere,
    /// To the index of git.
    Index,
    /// To standard output.
    Buffer,
}

/// The whole text.
pub(crate) fn render_fix(
    reply: &FixReply,
    look: &LookRequest,
    written: WriteTarget,
    common: &Common,
) -> String {
    let report = &reply.report;
    if common.quiet {
        return render_lines(&report.remaining) + &render_failure_lines(&report.failures);
    }
    // The repairs of what remains.
    let of_remaining: BTreeSet<&str> =
        report.remaining.iter().flat_map(|it| &it.repair_refs).map(String::as_str).collect();
    let mut paragraphs = Vec::new();
    if !reply.changes.is_empty() {
        paragraphs.push(render_changes(&reply.changes, common.verbose));
    }
    paragraphs.extend(render_applied(&report.applied, written, common));
    let (offers, refusals): (Vec<_>, Vec<_>) =
        report.rejected.iter().partition(|it| is_offer(it, &of_remaining));
    let refusals: Vec<&RejectedRepair> =
        refusals.into_iter().filter(|it| !is_elsewhere(it, &of_remaining)).collect();
    paragraphs.extend(render_rejected(&refusals, common));
    paragraphs.extend(render_remaining(reply, &offers, look, common));
    paragraphs.extend(render_failures_beside(&report.failures, &report.tools));
    paragraphs.extend(render_tools(&report.tools, &reply.tool_times, common.verbose));
    paragraphs.push(render_fix_end(reply, look, written, common));
    paragraphs.join("\n")
}

fn render_applied(
    applied: &[AppliedRepair],
    written: WriteTarget,
    common: &Common,
) -> Option<String> {
    let (first, rest) = if written == WriteTarget::Nowhere {
        ("Would fix", "would be fixed")
    } else {
        ("Fixed", "were fixed")
    };
    let mut text = format!("{}\n", paint(BOLD, &format!("{first}:")));
    let n_shown = if common.verbose { applied.len() } else { applied.len().min(MOST_REPAIRS) };
    for repair in &applied[..n_shown] {
        let _ = writeln!(
            text,
            "  {} {} {}",
            paint(GOOD, "✓"),
            place_and_title(&repair.files, &repair.title),
            paint(
                DIM,
                &format!(
                    "({}, {})",
                    rule_name(&repair.source, &repair.rule_id),
                    nature(repair.safety, repair.class)
                )
            )
        );
    }
    if n_shown < applied.len() {
        let _ = writeln!(text, "  and {} more {rest}; -v shows all", applied.len() - n_shown);
    }
    (!applied.is_empty()).then_some(text)
}

/// Whether it only takes a word to make the repair, and the finding is there to show it under.
fn is_offer(repair: &RejectedRepair, of_remaining: &BTreeSet<&str>) -> bool {
    matches!(repair.reason.as_str(), "needs_approval" | "low_confidence" | "suppression")
        && of_remaining.contains(repair.id.as_str())
}

/// Whether the repair is of a file that nobody asked about, for a finding that is not shown.
fn is_elsewhere(repair: &RejectedRepair, of_remaining: &BTreeSet<&str>) -> bool {
    repair.reason == "outside_root" && !of_remaining.contains(repair.id.as_str())
}

/// What is still wrong, each with the repair that waits for a word.
fn render_remaining(
    reply: &FixReply,
    offers: &[&RejectedRepair],
    look: &LookRequest,
    common: &Common,
) -> Vec<String> {
    let by_id: BTreeMap<&str, usize> =
        offers.iter().enumerate().map(|(idx, it)| (it.id.as_str(), idx)).collect();
    let shown = ShownFindings::new(&reply.report.remaining, look, common);
    let mut framer = Framer::new(&reply.frames);
    let mut budget = PreviewBudget::default();
    let mut rendered: Vec<String> = shown
        .diagnostics
        .iter()
        .map(|diagnostic| {
            let mine: BTreeSet<usize> = offers_of(diagnostic, &by_id);
            let offers = mine.iter().filter_map(|it| offers.get(*it)).map(|it| {
                let offer = RepairOffer {
                    id: &it.id,
                    title: &it.title,
                    rationale: "",
                    safety: it.safety,
                    class: it.class,
                    preview: reply.previews.get(&it.id, &mut budget),
                    needs_approval: true,
                    waits: None,
                };
                render_offer(&offer, &diagnostic.file, common)
            });
            framer.render(diagnostic) + &offers.collect::<String>()
        })
        .collect();
    rendered.extend(shown.render_more(reply.report.summary.not_shown));
    rendered.extend(render_left_out(&budget, common));
    rendered
}

/// The places of its offers in the list, in order.
fn offers_of(diagnostic: &Diagnostic, by_id: &BTreeMap<&str, usize>) -> BTreeSet<usize> {
    diagnostic.repair_refs.iter().filter_map(|it| by_id.get(it.as_str()).copied()).collect()
}

fn render_rejected(rejected: &[&RejectedRepair], common: &Common) -> Option<String> {
    let mut text = format!("{}\n", paint(BOLD, "Left alone:"));
    let n_shown = if common.verbose { rejected.len() } else { rejected.len().min(MOST_REPAIRS) };
    for repair in &rejected[..n_shown] {
        let _ = writeln!(
            text,
            "  {} {} {}",
            paint(WARN, "-"),
            place_and_title(&repair.files, &repair.title),
            paint(
                DIM,
                &format!(
                    "({}, {})",
                    rule_name(&repair.source, &repair.rule_id),
                    nature(repair.safety, repair.class)
                )
            )
        );
        let why = match repair.reason.as_str() {
            "needs_approval" | "low_confidence" | "suppression" => {
                let allow = common.command_line(&["fix", "--allow", &repair.id]);
                format!("{} {}", paint(DIM, "needs your approval:"), paint(COMMAND, &allow))
            }
            "waits" => paint(DIM, &render_wait(repair.with.as_deref(), &repair.detail)),
            reason => paint(DIM, &format!("{}: {}", reason.replace('_', " "), repair.detail)),
        };
        let _ = writeln!(text, "    {why}");
    }
    if n_shown < rejected.len() {
        let _ = writeln!(text, "  and {} more; -v shows all", rejected.len() - n_shown);
    }
    (!rejected.is_empty()).then_some(text)
}

fn place_and_title(files: &[String], title: &str) -> String {
    let files: Vec<String> = files.iter().map(|it| printable(it)).collect();
    format!("{}: {}", list(&files, MOST_FILES), printable(title))
}

/// What it comes to, and what to type next.
pub(crate) fn render_fix_end(
    reply: &FixReply,
    look: &LookRequest,
    written: WriteTarget,
    common: &Common,
) -> String {
    let report = &reply.report;
    let n_fixes = count_fixes(report.summary.applied) + &render_classes(&report.summary.classes);
    let n_files = count(reply.changes.len(), "file");
    let mut text = match (written, report.summary.applied, &report.transaction) {
        (_, 0, _) => format!("{}\n", paint(BOLD, "Nothing was changed.")),
        (WriteTarget::Disk | WriteTarget::Index, _, Some(id)) => {
            let undo = common.command_line(&["undo", id]);
            let staged = if written == WriteTarget::Index { ", staged" } else { "" };
            format!(
                "{} {n_fixes} in {n_files}{staged}, each verified, in transaction {}.\n{} {}\n",
                paint(GOOD, "Fixed."),
                paint(BOLD, id),
                paint(DIM, "To take it back:"),
                paint(COMMAND, &undo)
            )
        }
        // Repairs can cancel each other out to the byte.
        (WriteTarget::Disk | WriteTarget::Index, _, None) => {
            format!("{}\n", paint(BOLD, "Nothing had to be written."))
        }
        (WriteTarget::Buffer, ..) => {
            format!("{} {n_fixes}; no file was written.\n", paint(GOOD, "Fixed."))
        }
        (WriteTarget::Nowhere, ..) => {
            format!("{n_fixes} would change {n_files}. Nothing was written.\n")
        }
    };
    text.push_str(&render_state(reply, look, common));
    for note in &report.notes {
        let _ = writeln!(text, "{}{} {}", paint(DIM, "note"), paint(DIM, ":"), printable(note));
    }
    text
}

/// How green the workspace is after that.
fn render_state(reply: &FixReply, look: &LookRequest, common: &Common) -> String {
    let report = &reply.report;
    let summary = &report.summary;
    let left = counts(summary.error, summary.warning, summary.info);
    let standing = VerdictSummary {
        verdict: reply.verdict,
        files: &summary.files,
        failures: &report.failures,
        found: if left.is_empty() { left } else { format!("{left} left") },
        has_baseline: summary.baselined > 0,
        look,
    };
    let mut text = standing.sentence();
    if summary.baselined > 0 {
        let _ = write!(text, " Not counted: {} in the baseline.", summary.baselined);
    }
    text.push('\n');
    text.push_str(&unchecked_places(&summary.files, common.verbose));
    let rule = report.remaining.iter().find(|it| it.severity == Severity::Error);
    if let Some(rule) = rule.filter(|_| !report.ok) {
        let explain = common.command_line(&["explain", &rule_name(&rule.source, &rule.rule_id)]);
        let _ = writeln!(text, "{} {}", paint(DIM, "What a rule means:"), paint(COMMAND, &explain));
    }
    text
}
