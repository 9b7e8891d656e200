//! What `build`, `run` and `compile` say about Clank programs to people.

use std::fmt::Write;
use std::path::Path;

use protocol::v1::{Diagnostic, Severity};
use service::{BuildReply, ClankFindings, RunOutcome, RunReply, TracePlace};

use super::frame::{Framer, in_line_order, render_frames};
use super::line::{render_error, render_lines};
use super::style::{BAD, BOLD, COMMAND, DIM, GOOD, WARN, paint};
use crate::cli::Common;
use crate::words::{count, list, printable};

/// How many names are given before the rest is counted.
const MOST_NAMES: usize = 5;
/// How many calls of a trace are shown.
const MOST_CALLS: usize = 12;

/// Whether it says that something is not proved, as opposed to wrong.
fn is_obligation(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Warning && diagnostic.rule_id.starts_with("E3")
}

fn is_note_about_layout(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity != Severity::Error && diagnostic.rule_id == "CLANK_FORMAT"
}

/// The findings as frames. What is not proved is only counted, since it is checked when the program runs; that a layout
/// is not canonical has a line of its own, which names all files.
fn paragraphs_of(findings: &ClankFindings, is_strict: bool, common: &Common) -> Vec<String> {
    let shown = in_line_order(&findings.diagnostics).into_iter();
    let shown = shown.filter(|it| !is_note_about_layout(it)).cloned();
    let (unproved, rest): (Vec<Diagnostic>, Vec<Diagnostic>) =
        shown.partition(|it| is_obligation(it) && !common.verbose);
    let mut paragraphs = render_frames(&rest, &findings.frames, common.verbose);
    let will_run = !rest.iter().any(|it| it.severity == Severity::Error);
    if !unproved.is_empty() && will_run {
        let what = if unproved.len() == 1 { "goal is" } else { "goals are" };
        paragraphs.push(format!(
            "{}: {} {what} not proved and will be checked when the program runs; -v lists them.\n",
            paint(DIM, "note"),
            unproved.len(),
        ));
    }
    if !findings.not_canonical.is_empty() {
        paragraphs.push(render_not_canonical(&findings.not_canonical, common, is_strict));
    }
    paragraphs
}

fn render_not_canonical(files: &[String], common: &Common, is_error: bool) -> String {
    let verb = if files.len() == 1 { "is" } else { "are" };
    let word = if is_error { paint(BAD, "error") } else { paint(WARN, "warning") };
    format!(
        "{word}: {} {verb} not in canonical form; {} writes it.\n",
        printable(&list(files, MOST_NAMES)),
        paint(COMMAND, &common.command_line(&["fix"])),
    )
}

/// What is wrong, for those who asked for code and get none.
pub(crate) fn render_findings(findings: &ClankFindings, common: &Common) -> String {
    let errors = findings.diagnostics.iter().filter(|it| it.severity == Severity::Error);
    if common.quiet {
        return render_lines(errors);
    }
    let errors: Vec<Diagnostic> = in_line_order(errors).into_iter().cloned().collect();
    render_frames(&errors, &findings.frames, common.verbose).join("\n")
}

/// What keeps a program from being built or started, a line each. What is not proved keeps none.
fn render_quietly(findings: &ClankFindings, is_strict: bool) -> String {
    let wrong = findings.diagnostics.iter();
    let wrong = wrong.filter(|it| !is_note_about_layout(it) && !is_obligation(it));
    let mut text = render_lines(wrong);
    for file in findings.not_canonical.iter().filter(|_| is_strict) {
        text.push_str(&render_error(&format!("{file}: not in canonical form")));
    }
    text
}

/// What is worth knowing before a program starts.
pub(crate) fn render_notes(findings: &ClankFindings, common: &Common) -> String {
    paragraphs_of(findings, false, common).join("\n")
}

/// What `build` says.
pub(crate) fn render_build(
    reply: &BuildReply,
    out_dir: &Path,
    is_dry: bool,
    common: &Common,
) -> String {
    let findings = &reply.findings;
    let report = &reply.report;
    let has_errors = report.summary.error > 0;
    if common.quiet {
        return render_quietly(findings, !report.ok && !has_errors);
    }
    let mut paragraphs = paragraphs_of(findings, !report.ok && !has_errors, common);
    let end = if report.ok && report.outputs.is_empty() {
        format!("{} There is no .clank file here.\n", paint(WARN, "Nothing to build."))
    } else if report.ok {
        let files = &report.outputs;
        let head = if is_dry { "Would build." } else { "Built." };
        format!(
            "{} {} in {}: {}.{}\n",
            paint(GOOD, head),
            count(files.len(), "file"),
            printable(&out_dir.display().to_string()),
            printable(&list(files, MOST_NAMES)),
            if is_dry { " Nothing was written." } else { "" },
        )
    } else if has_errors {
        let n = count(report.summary.error, "error");
        format!("{} {n}; nothing was written.\n", paint(BAD, "Not built."))
    } else {
        let why = "--strict, or `strict` in regreen.toml, asks for canonical sources";
        format!("{} {why}; nothing was written.\n", paint(BAD, "Not built."))
    };
    paragraphs.push(end);
    paragraphs.join("\n")
}

/// How a run ended, if it did not just end.
pub(crate) fn render_run(reply: &RunReply, common: &Common) -> String {
    match &reply.outcome {
        RunOutcome::Done => String::new(),
        RunOutcome::NotStarted => {
            let findings = &reply.findings;
            let has_errors = findings.diagnostics.iter().any(|it| it.severity == Severity::Error);
            if common.quiet {
                return render_quietly(findings, !has_errors);
            }
            let mut paragraphs = paragraphs_of(findings, !has_errors, common);
            paragraphs.push(format!("{}\n", paint(BAD, "The program was not started.")));
            paragraphs.join("\n")
        }
        RunOutcome::Ended { diagnostic, .. } if common.quiet => render_lines([&**diagnostic]),
        RunOutcome::Ended { diagnostic, frames, trace } => {
            let mut text = Framer::new(frames).render(diagnostic);
            text.push_str(&render_trace(trace));
            text
        }
    }
}

/// The calls that were under way. A recursion is told once, with how often.
fn render_trace(trace: &[TracePlace]) -> String {
    let mut text = String::new();
    let calls: Vec<&[TracePlace]> = trace.chunk_by(|left, right| left == right).collect();
    for run in calls.iter().take(MOST_CALLS) {
        let Some(call) = run.first() else { continue };
        let function = call.function.as_deref().unwrap_or("a lambda");
        let place = printable(&format!("{}:{}:{}", call.file, call.line, call.column));
        let times = if run.len() > 1 { format!(", {} times", run.len()) } else { String::new() };
        let _ = writeln!(text, "  in {} {}{times}", paint(BOLD, function), paint(DIM, &place));
    }
    if calls.len() > MOST_CALLS {
        let n = calls.iter().skip(MOST_CALLS).map(|it| it.len()).sum();
        let _ = writeln!(text, "  and {} more", count(n, "call"));
    }
    text
}
