//! What `validate` and `apply` say: what changes where, what failed and why, and what to do next.

use std::fmt::Write;

use protocol::v1::{ApplyReport, PatchKind, Recheck, RecheckProblem, Severity};
use service::PatchReply;

use super::changes::render_changes_beside;
use super::frame::render_frames;
use super::line::{render_error, render_line};
use super::style::{BAD, BOLD, COMMAND, DIM, GOOD, WARN, paint};
use crate::cli::Common;
use crate::words::{count, printable};

/// What the user asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verb {
    Validate,
    DryRun,
    Apply,
}

/// The whole text: changes, findings, and what it comes to.
pub(crate) fn render_reply(
    reply: &PatchReply,
    verb: Verb,
    patch_name: &str,
    common: &Common,
) -> String {
    let report = &reply.report;
    if common.quiet {
        return render_quietly(report);
    }
    let mut paragraphs = Vec::new();
    if verb != Verb::Validate && !reply.changes.is_empty() {
        paragraphs.push(render_changes_beside(&reply.changes, &reply.frames, common.verbose));
    }
    if common.verbose {
        paragraphs.extend(render_operations(report));
    }
    paragraphs.extend(render_frames(&report.diagnostics, &reply.frames, common.verbose));
    let mut end = render_result(reply, verb, patch_name, common);
    let n_hidden = report.diagnostics.iter().filter(|it| it.severity == Severity::Info).count();
    if n_hidden > 0 && !common.verbose {
        let _ = writeln!(
            end,
            "{}",
            paint(DIM, &format!("{}; -v shows what.", count(n_hidden, "note")))
        );
    }
    if let Some(recheck) = &report.recheck {
        end.push_str(&render_recheck(recheck));
    }
    paragraphs.push(end);
    paragraphs.join("\n")
}

/// Only what failed, a line each, in the order of the operations.
fn render_quietly(report: &ApplyReport) -> String {
    let errors = report.diagnostics.iter().filter(|it| it.severity != Severity::Info);
    let mut text: String = errors.map(render_line).collect();
    for it in report.recheck.iter().flat_map(|it| &it.findings) {
        text.push_str(&render_error(&format!("{} {}", it.file, problem_text(it.problem))));
    }
    text
}

/// One line per operation, in order.
fn render_operations(report: &ApplyReport) -> Option<String> {
    let mut lines: Vec<(Option<&str>, usize, String)> = Vec::new();
    let place = |file: &str, pointer: Option<&str>| match pointer {
        Some(pointer) if !pointer.is_empty() => printable(&format!("{file} at {pointer}")),
        _ => printable(file),
    };
    for op in &report.applied {
        let text =
            format!("{} {}", paint(GOOD, &op.op), place(&op.file, op.json_pointer.as_deref()));
        lines.push((op.action_id.as_deref(), op.op_index, text));
    }
    for op in &report.failed {
        let text =
            format!("{} {}", paint(BAD, &op.code), place(&op.file, op.json_pointer.as_deref()));
        lines.push((op.action_id.as_deref(), op.op_index, text));
    }
    // Changeset operations are numbered through; fix actions stay in the order of the report.
    if report.kind == Some(PatchKind::Changeset) {
        lines.sort_by_key(|it| it.1);
    }
    let line = |(action, idx, text): &(Option<&str>, usize, String)| {
        let action = action.map(|it| format!("{} ", printable(it))).unwrap_or_default();
        format!("{} {text}\n", paint(DIM, &format!("{action}#{idx}")))
    };
    (!lines.is_empty()).then(|| lines.iter().map(line).collect())
}

/// What it comes to, in a sentence or two, and what to type next.
pub(crate) fn render_result(
    reply: &PatchReply,
    verb: Verb,
    patch_name: &str,
    common: &Common,
) -> String {
    let report = &reply.report;
    let n_applied = count(report.summary.applied, "operation");
    let n_files = count(reply.changes.len(), "file");
    let kind = report.kind.map_or("patch document", kind_name);
    match (verb, report.ok) {
        (Verb::Apply, true) => match &report.transaction {
            Some(id) => applied(&format!("{n_applied} changed {n_files}"), id, common),
            None => format!(
                "{} The files already are what the {kind} asks for. Nothing was written.\n",
                paint(GOOD, "Nothing to do.")
            ),
        },
        (Verb::Apply, false) => match &report.transaction {
            Some(id) => {
                applied(&format!("{n_applied} changed {n_files}"), id, common)
                    + &failed_actions(report)
            }
            None => format!("{} {}\n", paint(BAD, "Nothing was written."), why_not(report, kind)),
        },
        (Verb::Validate | Verb::DryRun, true) => {
            let effect = if reply.changes.is_empty() {
                "the files already are what it asks for".to_owned()
            } else {
                format!("{n_applied} would change {n_files}")
            };
            let next = common.command_line(&["apply", patch_name]);
            let mut text = format!(
                "{} This {kind} applies: {effect}. Nothing was written.\n",
                paint(GOOD, "Valid.")
            );
            if patch_name != "<stdin>" && !reply.changes.is_empty() {
                let _ = writeln!(text, "{} {}", paint(DIM, "To write it:"), paint(COMMAND, &next));
            }
            text
        }
        (Verb::Validate | Verb::DryRun, false) => {
            let would = if report.summary.applied > 0 && !reply.changes.is_empty() {
                format!(" `regreen apply` would write the other {n_applied} in {n_files}.")
            } else {
                String::new()
            };
            format!(
                "{} {}{would} Nothing was written.\n",
                paint(BAD, "Not valid."),
                why_not(report, kind)
            )
        }
    }
}

fn applied(what: &str, transaction: &str, common: &Common) -> String {
    let undo = common.command_line(&["undo", transaction]);
    format!(
        "{} {what}, in transaction {}.\n{} {}\n",
        paint(GOOD, "Applied."),
        paint(BOLD, transaction),
        paint(DIM, "To take it back:"),
        paint(COMMAND, &undo)
    )
}

fn failed_actions(report: &ApplyReport) -> String {
    let mut actions: Vec<&str> =
        report.failed.iter().filter_map(|it| it.action_id.as_deref()).collect();
    actions.dedup();
    let word = match report.kind {
        Some(PatchKind::FixActions) | None => "fix action",
        Some(PatchKind::Repairs) => "repair",
        Some(_) => "fix",
    };
    let n_actions = match (word, actions.len()) {
        ("fix", n_fixes) if n_fixes != 1 => format!("{n_fixes} fixes"),
        (word, n_actions) => count(n_actions, word),
    };
    format!(
        "{} {n_actions} did not apply; each applies whole or not at all.\n",
        paint(BAD, "Not all of it.")
    )
}

/// One sentence on what stands in the way.
fn why_not(report: &ApplyReport, kind: &str) -> String {
    let n_errors = report.diagnostics.iter().filter(|it| it.severity == Severity::Error).count();
    match (report.failed.as_slice(), report.kind) {
        ([], _) => format!("The {kind} has {}.", count(n_errors, "error")),
        ([first, ..], Some(PatchKind::Changeset)) => {
            format!(
                "Operation {} failed, and a changeset applies whole or not at all.",
                first.op_index
            )
        }
        (failed, _) => format!("{} failed.", count(failed.len(), "operation")),
    }
}

fn kind_name(kind: PatchKind) -> &'static str {
    match kind {
        PatchKind::FixActions => "fix-action document",
        PatchKind::Changeset => "changeset",
        PatchKind::Edits => "edits document",
        PatchKind::Repairs => "list of repairs",
        PatchKind::JsonPatch => "JSON Patch",
        PatchKind::Sarif => "SARIF log",
        PatchKind::Rdjson => "rdjson document",
        PatchKind::WorkspaceEdit => "workspace edit",
        PatchKind::ClangReplacements => "file of replacements",
        PatchKind::Diff => "diff",
    }
}

fn render_recheck(recheck: &Recheck) -> String {
    let line = |file: &str, problem: RecheckProblem| {
        let problem = problem_text(problem);
        format!("{}{} {} {problem}\n", paint(WARN, "warning"), paint(BOLD, ":"), printable(file))
    };
    recheck.findings.iter().map(|it| line(&it.file, it.problem)).collect()
}

fn problem_text(problem: RecheckProblem) -> &'static str {
    match problem {
        RecheckProblem::Differs => {
            "does not hold what was written; another program changed it since"
        }
        RecheckProblem::StillThere => "is there again; another program made it since",
        RecheckProblem::Unreadable => "was written, but cannot be read now",
        RecheckProblem::DoesNotParse => "cannot be parsed as what its name says it is",
    }
}
