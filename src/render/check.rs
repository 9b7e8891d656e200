//! What `check` says: each finding in its place with the edit that would repair it, and what it comes to.

use std::collections::BTreeMap;
use std::fmt::Write;

use protocol::v1::{CheckSummary, Diagnostic, LookRequest, Repair, Severity};
use service::{CheckReply, PreviewBudget};

use super::frame::{Framer, in_line_order};
use super::line::{render_error, render_failure_lines, render_lines};
use super::repair::{RepairOffer, needs_approval, render_left_out, render_offer, render_wait};
use super::style::{BAD, BOLD, COMMAND, DIM, GOOD, WARN, paint};
use super::tools::render_tools;
use super::verdict::{VerdictSummary, render_failures_beside, unchecked_places};
use crate::cli::Common;
use crate::words::{count, count_fixes, list, printable, rule_name};

/// How many findings are shown before the rest is counted.
const MOST_FINDINGS: usize = 50;
/// How many names are given before the rest is counted.
const MOST_NAMES: usize = 5;

/// The whole text.
pub(crate) fn render_check(reply: &CheckReply, look: &LookRequest, common: &Common) -> String {
    if common.quiet {
        return render_quietly(reply);
    }
    let report = &reply.report;
    let ranks: BTreeMap<&str, usize> =
        report.repairs.iter().enumerate().map(|(rank, it)| (it.id.as_str(), rank)).collect();
    let shown = ShownFindings::new(&report.diagnostics, look, common);
    let mut framer = Framer::new(&reply.frames);
    let mut budget = PreviewBudget::default();
    let mut paragraphs: Vec<String> = shown
        .diagnostics
        .iter()
        .map(|it| {
            let repairs = repairs_of(it, &ranks, &report.repairs);
            let mut text = framer.render(it);
            text.push_str(&render_repairs(it, &repairs, reply, &mut budget, look, common));
            text
        })
        .collect();
    paragraphs.extend(shown.render_more(report.summary.not_shown));
    paragraphs.extend(render_left_out(&budget, common));
    paragraphs.extend(render_failures_beside(&report.failures, &report.tools));
    paragraphs.extend(render_tools(&report.tools, &reply.tool_times, common.verbose));
    paragraphs.push(render_end(reply, look, common));
    paragraphs.join("\n")
}

/// Only what is wrong, a line each.
fn render_quietly(reply: &CheckReply) -> String {
    let report = &reply.report;
    let mut text = render_lines(&report.diagnostics);
    text.push_str(&render_failure_lines(&report.failures));
    for file in report.would_change.iter().flatten() {
        text.push_str(&render_error(&format!("{file}: `regreen fix` would change this file")));
    }
    text
}

/// The findings that a text shows, and how many it leaves out.
pub(super) struct ShownFindings<'a> {
    pub(super) diagnostics: Vec<&'a Diagnostic>,
    n_more: usize,
    is_chosen: bool,
}

impl<'a> ShownFindings<'a> {
    /// By file and line. Infos and what comes after the first few are for those who ask.
    pub(super) fn new(
        diagnostics: &'a [Diagnostic],
        look: &LookRequest,
        common: &Common,
    ) -> ShownFindings<'a> {
        let wanted = diagnostics.iter();
        let wanted = wanted.filter(|it| common.verbose || it.severity != Severity::Info);
        let mut diagnostics = in_line_order(wanted);
        let is_chosen = look.max_findings.is_some();
        let n_shown = match common.verbose || is_chosen {
            true => diagnostics.len(),
            false => diagnostics.len().min(MOST_FINDINGS),
        };
        let n_more = diagnostics.len() - n_shown;
        diagnostics.truncate(n_shown);
        ShownFindings { diagnostics, n_more, is_chosen }
    }

    /// How many more there are, with those that the report does not list.
    pub(super) fn render_more(&self, not_listed: usize) -> Option<String> {
        let n_more = self.n_more + not_listed;
        let how = if self.is_chosen { "--max-findings shows more" } else { "-v shows all" };
        (n_more > 0).then(|| format!("{} more; {how}.\n", count(n_more, "finding")))
    }
}

/// The repairs of a finding, the best first.
fn repairs_of<'a>(
    diagnostic: &Diagnostic,
    ranks: &BTreeMap<&str, usize>,
    ranked: &'a [Repair],
) -> Vec<&'a Repair> {
    let refs = diagnostic.repair_refs.iter();
    let mut found: Vec<usize> = refs.filter_map(|it| ranks.get(it.as_str()).copied()).collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().filter_map(|it| ranked.get(it)).collect()
}

fn render_repairs(
    diagnostic: &Diagnostic,
    repairs: &[&Repair],
    reply: &CheckReply,
    budget: &mut PreviewBudget,
    look: &LookRequest,
    common: &Common,
) -> String {
    let n_shown = if common.verbose { repairs.len() } else { repairs.len().min(1) };
    let mut text = String::new();
    for repair in &repairs[..n_shown] {
        let offer = RepairOffer {
            id: &repair.id,
            title: &repair.title,
            rationale: &repair.rationale,
            safety: repair.safety,
            class: repair.class,
            preview: reply.previews.get(&repair.id, budget),
            needs_approval: needs_approval(repair, look),
            waits: reply.waits.get(&repair.id).map(|it| render_wait(it.0.as_deref(), &it.1)),
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
fn render_end(reply: &CheckReply, look: &LookRequest, common: &Common) -> String {
    let report = &reply.report;
    let summary = &report.summary;
    let found = counts(summary.error, summary.warning, summary.info);
    let standing = VerdictSummary {
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
    // What waits for another repair is not the next thing to decide on.
    let is_asked = |it: &&Repair| needs_approval(it, look) && !reply.waits.contains_key(&it.id);
    let waiting: Vec<&Repair> = report.repairs.iter().filter(is_asked).collect();
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
            let explain =
                common.command_line(&["explain", &rule_name(&rule.source, &rule.rule_id)]);
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
            "{} Not everything could be checked.",
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
