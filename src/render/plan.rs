//! What `plan` says: every repair in the order of its rank, and what would become of it.

use std::fmt::Write;

use protocol::v1::{Decision, LookRequest, PlannedRepair, Severity};
use service::{PlanReply, PreviewBudget, Verdict};

use super::changes::render_preview;
use super::line::render_failure_lines;
use super::repair::{nature, render_classes, render_left_out, render_wait};
use super::style::{BAD, BOLD, COMMAND, DIM, GOOD, WARN, paint};
use super::verdict::{VerdictSummary, render_failures, unchecked, unchecked_places};
use crate::cli::Common;
use crate::words::{count, list, printable, rule_name};

/// How many repairs are listed before the rest is counted.
const MOST_REPAIRS: usize = 50;

/// The whole text.
pub(crate) fn render_plan(reply: &PlanReply, look: &LookRequest, common: &Common) -> String {
    let report = &reply.report;
    if common.quiet {
        let lines: String = report.repairs.iter().map(render_quietly).collect();
        return lines + &render_failure_lines(&report.failures);
    }
    let is_chosen = common.verbose || look.max_findings.is_some();
    let n_shown =
        if is_chosen { report.repairs.len() } else { report.repairs.len().min(MOST_REPAIRS) };
    let mut budget = PreviewBudget::default();
    let mut paragraphs: Vec<String> = report.repairs[..n_shown]
        .iter()
        .map(|it| render_one(it, reply, &mut budget, common))
        .collect();
    let n_more = report.repairs.len() - n_shown + report.summary.not_shown;
    if n_more > 0 {
        let how =
            if look.max_findings.is_some() { "--max-findings shows more" } else { "-v shows all" };
        paragraphs.push(format!("{} more; {how}.\n", count(n_more, "repair")));
    }
    paragraphs.extend(render_left_out(&budget, common));
    paragraphs.extend(render_failures(&report.failures));
    let summary = &report.summary;
    let standing = VerdictSummary {
        verdict: reply.verdict,
        files: &summary.files,
        failures: &report.failures,
        found: String::new(),
        has_baseline: false,
        look,
    };
    let mut end = if reply.verdict != Verdict::Green && report.repairs.is_empty() {
        standing.sentence()
    } else if report.repairs.is_empty() {
        format!("{} No repair is proposed.", paint(BOLD, "Nothing to do."))
    } else {
        format!(
            "{}{} would be tried, {} would not.",
            count(summary.accepted, "repair"),
            render_classes(&summary.classes),
            summary.rejected
        )
    };
    if summary.unfixable > 0 {
        let _ = write!(end, " No repair is known for {}.", count(summary.unfixable, "finding"));
    }
    if reply.verdict == Verdict::Green || !report.repairs.is_empty() {
        end.extend(unchecked(&summary.files).map(|it| format!(" {it}.")));
    }
    end.push('\n');
    end.push_str(&unchecked_places(&summary.files, common.verbose));
    if summary.accepted > 0 {
        let fix = common.command_line(&["fix"]);
        let _ = writeln!(end, "{} {}", paint(DIM, "To make them:"), paint(COMMAND, &fix));
    }
    paragraphs.push(end);
    paragraphs.join("\n")
}

/// A repair in a line: what would become of it, its id and what it does.
fn render_quietly(planned: &PlannedRepair) -> String {
    let decision = match planned.decision {
        Decision::Accepted => "accepted",
        Decision::Rejected => "rejected",
    };
    let repair = &planned.repair;
    let title = printable(&repair.title);
    format!("{}: {decision}[{}]: {title}\n", repair.id, rule_name(&repair.source, &repair.rule_id))
}

fn render_one(
    planned: &PlannedRepair,
    reply: &PlanReply,
    budget: &mut PreviewBudget,
    common: &Common,
) -> String {
    let repair = &planned.repair;
    let (mark, style) = match planned.decision {
        Decision::Accepted => ("✓", GOOD),
        Decision::Rejected => ("-", WARN),
    };
    let severity = match repair.severity {
        Severity::Error => paint(BAD, "error"),
        Severity::Warning => paint(WARN, "warning"),
        Severity::Info => paint(BOLD, "info"),
    };
    let rank = format!("{}.", planned.rank);
    let mut out = format!(
        "{} {} {severity}[{}]: {}\n",
        paint(BOLD, &rank),
        paint(style, mark),
        rule_name(&repair.source, &repair.rule_id),
        printable(&repair.title)
    );
    let preview = reply.previews.get(&repair.id, budget);
    let files: Vec<String> = preview
        .as_ref()
        .map(|it| it.changes.iter().map(|it| printable(&it.file)).collect())
        .unwrap_or_default();
    let place = if files.is_empty() { String::new() } else { format!(", {}", list(&files, 3)) };
    let about = format!("{}, {}{place}", repair.id, nature(repair.safety, repair.class));
    let _ = writeln!(out, "     {}", paint(DIM, &about));
    if common.verbose && !repair.rationale.is_empty() {
        let _ = writeln!(out, "     {}", paint(DIM, &repair.rationale));
    }
    if let Some(reason) = &planned.reason {
        let with = planned.with.as_ref().map(|it| format!(" with {it}")).unwrap_or_default();
        let detail = planned.detail.as_deref().unwrap_or_default();
        let why = match reason.as_str() {
            "waits" => render_wait(planned.with.as_deref(), detail),
            reason => format!("{}{with}: {detail}", reason.replace('_', " ")),
        };
        let _ = writeln!(out, "     {}", paint(WARN, &why));
    }
    if let (Some(preview), [first, ..]) = (&preview, files.as_slice()) {
        out.push_str(&render_preview(&preview.changes, first, common.verbose));
    }
    out
}
