//! What `check` says: each finding in its place with the edit that would repair it, and what it comes to.

use std::collections::BTreeMap;
use std::fmt::Write;

use protocol::v1::{CheckSummary, Diagnostic, Look, Repair, Severity};
use service::CheckReply;

use super::frame::render_frame;
use super::repair::{Offer, needs_approval, render_offer};
use super::style::{BAD, BOLD, COMMAND, DIM, GOOD, WARN, paint};
use super::verdict::{Standing, render_failures, unchecked_places};
use crate::cli::Common;
use crate::words::{count, count_fixes, list, printable};

/// How many findings are shown before the rest is counted.
const MOST_FINDINGS: usize = 50;
/// How many names are given before the rest is counted.
const MOST_NAMES: usize = 5;

/// The whole text.
pub(crate) fn render_check(reply: &CheckReply, look: &Look, common: &Common) -> String {
    let report = &reply.report;
    let repairs: BTreeMap<&str, &Repair> =
        report.repairs.iter().map(|it| (it.id.as_str(), it)).collect();
    let shown: Vec<&Diagnostic> = report
        .diagnostics
        .iter()
        .filter(|it| common.verbose || it.severity != Severity::Info)
        .collect();
    let n_shown = if common.verbose || look.max_findings.is_some() {
        shown.len()
    } else {
        shown.len().min(MOST_FINDINGS)
    };
    let mut paragraphs: Vec<String> = shown[..n_shown]
        .iter()
        .map(|it| {
            let repairs = repairs_of(it, &repairs, &report.repairs);
            let mut text = render_frame(it, &reply.frames);
            text.push_str(&render_repairs(it, &repairs, reply, look, common));
            text
        })
        .collect();
    let n_more = shown.len() - n_shown + report.summary.not_shown;
    if n_more > 0 {
        let how =
            if look.max_findings.is_some() { "--max-findings shows more" } else { "-v shows all" };
        paragraphs.push(format!("{} more; {how}.\n", count(n_more, "finding")));
    }
    paragraphs.extend(render_failures(&report.failures));
    paragraphs.push(render_end(reply, look, common));
    paragraphs.join("\n")
}

/// The repairs of a finding, the best first.
fn repairs_of<'a>(
    diagnostic: &Diagnostic,
    by_id: &BTreeMap<&str, &'a Repair>,
    ranked: &'a [Repair],
) -> Vec<&'a Repair> {
    match diagnostic.repair_refs.as_slice() {
        [] => Vec::new(),
        [one] => by_id.get(one.as_str()).copied().into_iter().collect(),
        many => ranked.iter().filter(|it| many.contains(&it.id)).collect(),
    }
}

fn render_repairs(
    diagnostic: &Diagnostic,
    repairs: &[&Repair],
    reply: &CheckReply,
    look: &Look,
    common: &Common,
) -> String {
    let n_shown = if common.verbose { repairs.len() } else { repairs.len().min(1) };
    let mut text = String::new();
    for repair in &repairs[..n_shown] {
        let offer = Offer {
            id: &repair.id,
            title: &repair.title,
            rationale: &repair.rationale,
            safety: repair.safety,
            preview: reply.previews.get(&repair.id),
            needs_approval: needs_approval(repair, look),
        };
        text.push_str(&render_offer(&offer, &diagnostic.file, common));
    }
    if n_shown < repairs.len() {
        let more = format!("{} more possible; -v shows all", count_fixes(repairs.len() - n_shown));
        let _ = writeln!(text, "     {}", paint(DIM, &more));
    }
    text
}

/// `3 errors, 1 warning and 2 notes`, without what there is none of.
pub(crate) fn counts(error: usize, warning: usize, info: usize) -> String {
    let parts = [(error, "error"), (warning, "warning"), (info, "note")];
    let parts: Vec<String> =
        parts.into_iter().filter(|it| it.0 > 0).map(|(n, noun)| count(n, noun)).collect();
    list(&parts, parts.len())
}

/// What it comes to, and what to type next.
fn render_end(reply: &CheckReply, look: &Look, common: &Common) -> String {
    let report = &reply.report;
    let summary = &report.summary;
    let found = counts(summary.error, summary.warning, summary.info);
    let standing = Standing {
        verdict: reply.verdict,
        files: &summary.files,
        failures: &report.failures,
        found,
        has_baseline: summary.baselined > 0,
        look,
    };
    let mut end = standing.sentence();
    end.push_str(&set_aside(summary));
    end.push('\n');
    end.push_str(&unchecked_places(&summary.files, common.verbose));
    let waiting: Vec<&Repair> =
        report.repairs.iter().filter(|it| needs_approval(it, look)).collect();
    if summary.pending > 0 {
        let what = format!("{} ready:", count_fixes(summary.pending));
        end.push_str(&hint(&what, &common.command_line(&["fix"])));
    }
    match waiting.as_slice() {
        [] => {}
        [one] if summary.not_shown == 0 => {
            let allow = common.command_line(&["fix", "--allow", &one.id]);
            end.push_str(&hint("1 fix needs your approval:", &allow));
        }
        many => {
            // Findings that are not listed may have repairs that are not either.
            let or_more = if summary.not_shown > 0 { " or more" } else { "" };
            let what = format!("{}{or_more} need your approval:", count_fixes(many.len()));
            end.push_str(&hint(&what, &common.command_line(&["fix", "--interactive"])));
        }
    }
    if !report.ok {
        let rule = report.diagnostics.iter().find(|it| it.severity == Severity::Error);
        if let Some(rule) = rule.or(report.diagnostics.first()) {
            let explain = common.command_line(&["explain", &rule.rule_id]);
            end.push_str(&hint("What a rule means:", &explain));
        }
    }
    if let Some(files) = report.would_change.as_ref().filter(|it| !it.is_empty()) {
        let names: Vec<String> = files.iter().map(|it| printable(it)).collect();
        let _ = writeln!(
            end,
            "{} {} would change {}.",
            paint(WARN, "Not what `--strict` asks for:"),
            paint(COMMAND, "regreen fix"),
            list(&names, MOST_NAMES)
        );
    }
    if summary.info > 0 && !common.verbose {
        let notes = format!("{}; -v shows what.", count(summary.info, "note"));
        let _ = writeln!(end, "{}", paint(DIM, &notes));
    }
    end.push_str(&passed_over(reply, common));
    if let Some(baseline) = &reply.baseline {
        let _ = writeln!(
            end,
            "{} {} has {}; from now on only new ones fail.",
            paint(GOOD, "Baseline written."),
            paint(BOLD, &baseline.file),
            count(baseline.n_findings, "finding")
        );
    }
    if reply.is_baseline_missing {
        let _ = writeln!(
            end,
            "{} Not everything could be looked at.",
            paint(BAD, "Baseline not written.")
        );
    }
    end
}

/// The folders that nobody looked into.
fn passed_over(reply: &CheckReply, common: &Common) -> String {
    let folders = &reply.passed_over;
    if folders.is_empty() {
        return String::new();
    }
    let what = format!("{} passed over", count(folders.len(), "folder"));
    if !common.verbose {
        return format!("{}\n", paint(DIM, &format!("{what}; -v shows which.")));
    }
    let names = folders.iter().map(|(path, why)| format!("{} ({why})", printable(path)));
    format!("{what}: {}.\n", names.collect::<Vec<_>>().join(", "))
}

fn hint(what: &str, command: &str) -> String {
    format!("{} {}\n", paint(DIM, what), paint(COMMAND, command))
}

/// What was found and does not count.
fn set_aside(summary: &CheckSummary) -> String {
    let mut parts = Vec::new();
    if summary.baselined > 0 {
        parts.push(format!("{} in the baseline", summary.baselined));
    }
    if summary.ignored > 0 {
        parts.push(format!("{} ignored by a comment", summary.ignored));
    }
    if parts.is_empty() { String::new() } else { format!(" Not counted: {}.", parts.join(", ")) }
}
