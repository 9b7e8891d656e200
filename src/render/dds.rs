//! Proposals and what became of them, for people.

use std::fmt::Write;

use protocol::v1::{
    DdsDecision, DdsEntry, DdsExchange, DdsFault, DdsHappened, DdsReport, DdsRuns, DdsShow,
    DdsVerification,
};
use serde_json::Value;
use service::dds::{HeldLease, Proposals, RunStep};

use super::line::render_error;
use super::style::{BAD, BOLD, DIM, GOOD, WARN, paint, paint_diff};
use crate::cli::Common;
use crate::words::{count, printable};

pub(crate) fn render(report: &DdsReport, common: &Common) -> String {
    if common.quiet {
        return render_quietly(report);
    }
    match report {
        DdsReport::Add(it) => match &it.id {
            Some(id) if it.ok => {
                let next = common.command_line(&["dds", "show", id]);
                format!(
                    "Stored {} as a proposal.\nIt waits for a decision; look at it: {next}\n",
                    paint(BOLD, id)
                )
            }
            _ => refused("The proposal was not stored", "the record", &it.faults),
        },
        DdsReport::List(it) => render_list(&it.records),
        DdsReport::Show(it) => render_show(it),
        DdsReport::Plan(it) if it.ok => {
            let next = common.command_line(&["dds", "show", &it.id]);
            let diff = it.diff.as_deref().unwrap_or_default();
            format!(
                "Planned {}: exactly this is written once it is approved.\n\n{}\nLook at it: {next}\n",
                paint(BOLD, &printable(&it.id)),
                paint_diff(diff.as_bytes())
            )
        }
        DdsReport::Plan(it) => {
            format!("{} {}: {}\n", paint(BAD, "Not planned:"), it.id, indented(&it.problem))
        }
        DdsReport::Decide(it) => render_decision(it, common),
        DdsReport::Run(it) => render_runs(it, &[]),
        DdsReport::Worker(it) => match (&it.proposed, &it.source) {
            (Some(id), Some(source)) => {
                let next = common.command_line(&["dds", "show", id]);
                format!(
                    "Proposed {} as the correction of {source}.\nLook at it: {next}\n",
                    paint(BOLD, id)
                )
            }
            _ => "There is nothing to correct: every failure has its correction.\n".to_owned(),
        },
        DdsReport::Verify(it) => render_verification(it),
        DdsReport::Exchange(it) => render_exchange(it),
        DdsReport::Signing(it) => {
            let what = if it.changed { "may approve from now on" } else { "could approve already" };
            format!(
                "{} ({}) {what}: {}\nCommit that file; whoever can change it decides who approves.\n\
                 On this machine the key counts once you trust it: {}\n",
                paint(BOLD, &printable(&it.principal)),
                it.fingerprint,
                it.file,
                common.command_line(&["trust"])
            )
        }
    }
}

/// What was asked for, and a line for each thing that went wrong.
fn render_quietly(report: &DdsReport) -> String {
    let faults = |faults: &[DdsFault]| {
        let line = |it: &DdsFault| match it.pointer.as_str() {
            "" => it.message.clone(),
            pointer => format!("{pointer}: {}", it.message),
        };
        faults.iter().map(line).collect::<Vec<_>>()
    };
    let wrong: Vec<String> = match report {
        DdsReport::List(it) if it.records.is_empty() => Vec::new(),
        DdsReport::List(it) => return render_list(&it.records),
        DdsReport::Show(it) => return render_show(it),
        DdsReport::Add(it) => faults(&it.faults),
        DdsReport::Exchange(it) => faults(&it.faults),
        DdsReport::Plan(it) if it.ok => Vec::new(),
        DdsReport::Plan(it) => vec![format!("{}: {}", it.id, it.problem)],
        DdsReport::Decide(it) if it.ok => Vec::new(),
        DdsReport::Decide(it) => vec![format!("{}: {}", it.id, it.problem)],
        DdsReport::Run(it) => it.reports.iter().filter_map(failed_run).collect(),
        DdsReport::Verify(it) => {
            it.problems.iter().map(|it| format!("{}: {}", it.place, it.message)).collect()
        }
        DdsReport::Worker(_) | DdsReport::Signing(_) => Vec::new(),
    };
    wrong.iter().map(|it| render_error(it)).collect()
}

/// The run in a line, if it failed.
fn failed_run(report: &Value) -> Option<String> {
    let member = |name: &str| report.get(name).and_then(Value::as_str).unwrap_or_default();
    let why = member("error_message").lines().next().unwrap_or_default();
    let why = if why.is_empty() { "failed" } else { why };
    (member("status") != "success").then(|| format!("{}: {why}", member("dds_id")))
}

/// What `fix --propose` made of the repairs that it may not make.
pub(crate) fn render_proposals(proposals: &Proposals, common: &Common) -> String {
    let mut text = String::new();
    for (id, title) in &proposals.added {
        let _ = writeln!(text, "Proposed {}: {}", paint(BOLD, id), printable(title));
    }
    for (id, title) in &proposals.known {
        let _ = writeln!(text, "{} waits already: {}", paint(BOLD, id), printable(title));
    }
    for (title, reason) in &proposals.left_out {
        let _ = writeln!(text, "Not proposed: {} ({})", printable(title), printable(reason));
    }
    if text.is_empty() {
        return "There is nothing to propose.\n".to_owned();
    }
    if let Some((id, _)) = proposals.added.first().or(proposals.known.first()) {
        let _ = writeln!(text, "Look at one: {}", common.command_line(&["dds", "show", id]));
    }
    text
}

/// One line on how far a run came.
pub(crate) fn render_step(id: &str, step: RunStep) -> String {
    let what = match step {
        RunStep::Claimed => "claimed",
        RunStep::Validated => "approval and tool are in order",
        RunStep::Copied => "the workspace is copied",
        RunStep::Begun => "the tool runs",
        RunStep::Judged => "the result is judged",
        RunStep::Committing => "the change is being written",
        RunStep::Committed => "the change is written",
        RunStep::Finished => "done",
    };
    format!("{}\n", paint(DIM, &format!("{id}: {what}")))
}

/// What was refused, and everything that is wrong with it; a fault without a place is one of the whole.
fn refused(what: &str, whole: &str, faults: &[DdsFault]) -> String {
    let mut text = format!("{}: {}.\n", paint(BAD, what), count(faults.len(), "fault"));
    for fault in faults {
        let place = if fault.pointer.is_empty() { whole } else { &fault.pointer };
        let message = printable(&fault.message);
        let rule = paint(DIM, &format!("({})", fault.rule));
        let _ = writeln!(text, "  {}  {message} {rule}", paint(BOLD, &printable(place)));
    }
    text
}

fn member<'a>(entry: &'a DdsEntry, name: &str) -> &'a str {
    entry.record.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn texts<'a>(entry: &'a DdsEntry, name: &str) -> Vec<&'a str> {
    let items = entry.record.get(name).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn painted_status(status: &str) -> String {
    let style = match status {
        "executed" => GOOD,
        "failed" => BAD,
        "proposed" | "approved" => WARN,
        _ => DIM,
    };
    paint(style, &printable(status))
}

fn render_list(records: &[DdsEntry]) -> String {
    if records.is_empty() {
        return "There are no proposals.\n".to_owned();
    }
    let mut text = String::new();
    for entry in records {
        let status = member(entry, "status");
        let goal: String =
            member(entry, "goal").lines().next().unwrap_or_default().chars().take(80).collect();
        let padding = " ".repeat(10usize.saturating_sub(status.chars().count()));
        let lease =
            entry.lease.as_ref().map(|it| format!("  [{} by {}]", it.phase, printable(&it.holder)));
        let _ = writeln!(
            text,
            "{}  {}{padding} {}{}",
            paint(BOLD, &printable(member(entry, "id"))),
            painted_status(status),
            printable(&goal),
            paint(DIM, &lease.unwrap_or_default())
        );
    }
    text
}

fn render_show(show: &DdsShow) -> String {
    let entry = &show.entry;
    let mut text = format!(
        "{}  {}\n{}\n",
        paint(BOLD, &printable(member(entry, "id"))),
        painted_status(member(entry, "status")),
        printable(member(entry, "goal"))
    );
    for (idx, step) in texts(entry, "instructions").iter().enumerate() {
        let _ = writeln!(text, "  {}. {}", idx + 1, printable(step));
    }
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "{}{}", paint(DIM, &format!("{name:<12}")), value);
        }
    };
    line("project", &printable(member(entry, "project")));
    line("tool", &printable(member(entry, "tool")));
    if let Some(statement) = &show.statement {
        definition(statement, &mut line);
    }
    line("may write", &printable(&texts(entry, "allowed_paths").join(", ")));
    line("keeps to", &constraints(entry));
    line("corrects", &printable(member(entry, "source_dds")));
    let error = entry.record.get("error_context").and_then(|it| it.get("error_message"));
    line("error", &indented(error.and_then(Value::as_str).unwrap_or_default()));
    line("correction", &printable(show.correction.as_deref().unwrap_or_default()));
    if let Some(lease) = &entry.lease {
        line(
            "run by",
            &printable(&format!("{}, {} until {}", lease.holder, lease.phase, lease.until)),
        );
    }
    if let Some(approval) = &show.approval {
        let by = printable(&approval.by.join(", "));
        let how = if approval.signed { "signed by" } else { "confirmed, not signed, by" };
        let verdict = if approval.holds {
            format!("{how} {by}")
        } else {
            paint(BAD, &format!("does not hold: {}", printable(&approval.problem)))
        };
        line("approval", &verdict);
    }
    if let Some(statement) = &show.statement {
        let predicate = |name: &str| statement.get("predicate").and_then(|it| it.get(name));
        let text =
            |name: &str| printable(predicate(name).and_then(Value::as_str).unwrap_or_default());
        let files = predicate("files").and_then(Value::as_object);
        for (path, hash) in files.into_iter().flatten() {
            let hash = hash.get("sha256").and_then(Value::as_str);
            let hash =
                hash.map_or("not there".to_owned(), |it| format!("sha256:{}", printable(it)));
            line("made for", &format!("{} {hash}", printable(path)));
        }
        if let Some(patch) = &entry.patch {
            line("patch", &printable(patch));
        }
        line("repository", &text("repository"));
        line("nonce", &text("nonce"));
        line("until", &text("expires"));
        line("statement", &printable(show.statement_hash.as_deref().unwrap_or_default()));
    }
    if let Some(problem) = &show.unsignable {
        line("statement", &paint(BAD, &format!("none: {}", printable(problem))));
    }
    if let Some(stale) = &show.stale {
        line("patch", &paint(BAD, &format!("does not apply now: {}", printable(stale))));
    }
    if let Some(report) = &show.report {
        render_report(&mut text, report);
    }
    if let Some(diff) = &show.diff {
        let _ = write!(text, "\n{}", paint_diff(diff.as_bytes()));
    }
    if !show.history.is_empty() {
        let _ = writeln!(text, "\n{}", paint(DIM, "history"));
    }
    show.history.iter().for_each(|it| render_happened(&mut text, it));
    text
}

/// What a statement says about the tool, beside its name.
fn definition(statement: &Value, line: &mut dyn FnMut(&str, &str)) {
    let Some(tool) = statement.get("predicate").and_then(|it| it.get("tool")) else { return };
    let list = |name: &str| {
        let items = tool.get(name).and_then(Value::as_array).into_iter().flatten();
        items.map(|it| printable(&it.to_string())).collect::<Vec<_>>()
    };
    let command = list("command");
    if command.is_empty() {
        return;
    }
    line("runs", &command.join(" "));
    let mut settings = Vec::new();
    if tool.get("network") == Some(&Value::Bool(true)) {
        settings.push("the network".to_owned());
    }
    settings.extend(list("environment").iter().map(|it| format!("the variable {it}")));
    settings.extend(list("readable").iter().map(|it| format!("the files in {it}")));
    line("may use", &settings.join(", "));
    let number = |name: &str| tool.get(name).and_then(Value::as_u64).unwrap_or_default();
    let limits = format!(
        "{} s, {} MB of memory, {} MB on disk",
        number("timeout_seconds"),
        number("memory_bytes") >> 20,
        number("disk_bytes") >> 20
    );
    line("limits", &limits);
    let programs = tool.get("programs").and_then(Value::as_object);
    for (path, hash) in programs.into_iter().flatten() {
        let hash = hash.get("sha256").and_then(Value::as_str).unwrap_or_default();
        line("program", &format!("{} sha256:{}", printable(path), printable(hash)));
    }
}

fn constraints(entry: &DdsEntry) -> String {
    let Some(Value::Object(given)) = entry.record.get("constraints") else { return String::new() };
    let mut parts = Vec::new();
    if let Some(n) = given.get("max_files_changed").and_then(Value::as_u64) {
        parts.push(format!(
            "at most {}",
            count(usize::try_from(n).unwrap_or(usize::MAX), "changed file")
        ));
    }
    if given.get("no_new_dependencies") == Some(&Value::Bool(true)) {
        parts.push("no new dependencies".to_owned());
    }
    if given.get("no_refactor") == Some(&Value::Bool(true)) {
        parts.push("no refactoring".to_owned());
    }
    parts.join(", ")
}

/// The lines of a text, those after the first under it.
fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(printable).collect();
    lines.join("\n            ")
}

fn render_report(text: &mut String, report: &Value) {
    let member = |name: &str| report.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{}{value}", paint(DIM, &format!("{name:<12}")));
    };
    let sandbox = match member("sandbox") {
        "" => String::new(),
        "none" => ", not confined".to_owned(),
        it => format!(", confined by {}", printable(it)),
    };
    line("run", format!("{}{sandbox}, {}", printable(member("status")), member("finished_at")));
    if !member("error_message").is_empty() {
        line("because", indented(member("error_message")));
    }
    let changes = report.get("files_changed").and_then(Value::as_array);
    for change in changes.into_iter().flatten() {
        let part =
            |name: &str| printable(change.get(name).and_then(Value::as_str).unwrap_or_default());
        line("", format!("{} {}", part("change"), part("path")));
    }
    if !member("transaction").is_empty() {
        line("undo", format!("regreen undo {}", member("transaction")));
    }
}

fn render_happened(text: &mut String, it: &DdsHappened) {
    let change = match (&it.from, &it.to) {
        (_, None) => paint(WARN, " refused"),
        (Some(from), Some(to)) if from == to => String::new(),
        (_, Some(to)) => format!(" → {}", printable(to)),
    };
    let why = it.details.get("reason").and_then(Value::as_str);
    let why = why.map(|it| format!(": {}", printable(it))).unwrap_or_default();
    let (event, actor) = (printable(&it.event), printable(&it.actor));
    let _ = writeln!(text, "  {}  {event:<8} {actor}{change}{why}", paint(DIM, &it.at));
}

fn render_decision(decision: &DdsDecision, common: &Common) -> String {
    let id = paint(BOLD, &printable(&decision.id));
    let status = painted_status(&decision.status);
    let is_comment = decision.file.as_ref().is_some_and(|it| it.contains("/comments/"));
    if let (true, Some(file)) = (is_comment, &decision.file) {
        return format!("Commented on {id}.\nThe comment is in {}; commit it.\n", printable(file));
    }
    let mut text = if decision.ok {
        format!("{id} is {status}, decided by {}.\n", printable(&decision.by.join(", ")))
    } else {
        // What was kept counts once others have signed too.
        let verdict = match &decision.file {
            Some(_) => paint(WARN, "Signed, and not enough yet:"),
            None => paint(BAD, "Refused:"),
        };
        format!("{verdict} {id} stays {status}: {}\n", printable(&decision.problem))
    };
    if decision.ok && !decision.problem.is_empty() {
        let _ = writeln!(text, "{}", printable(&decision.problem));
    }
    if let Some(file) = &decision.file {
        let _ = writeln!(text, "The decision is in {}; commit it.", printable(file));
    }
    if decision.ok && decision.status == "approved" {
        let _ = writeln!(text, "Carry it out: {}", common.command_line(&["dds", "run"]));
    }
    text
}

/// What came of a pass, and what it left alone because another process runs it.
pub(crate) fn render_runs(runs: &DdsRuns, held: &[HeldLease]) -> String {
    if runs.reports.is_empty() && runs.left.is_empty() && held.is_empty() {
        return "Nothing is approved and not carried out yet.\n".to_owned();
    }
    let mut text = String::new();
    for report in &runs.reports {
        let id = report.get("dds_id").and_then(Value::as_str).unwrap_or_default();
        let _ = writeln!(text, "{}", paint(BOLD, &printable(id)));
        render_report(&mut text, report);
    }
    for it in &runs.left {
        let id = paint(BOLD, &printable(&it.id));
        let _ = writeln!(text, "{id} was not carried out: {}", printable(&it.reason));
    }
    if runs.refused > 0 {
        let what = if runs.refused == 1 { "record stays" } else { "records stay" };
        let _ = writeln!(text, "{} {what} approved and can be run again.", runs.refused);
    }
    for it in held {
        let (id, holder) = (paint(BOLD, &printable(&it.id)), printable(&it.holder));
        let _ = if it.is_left_behind {
            writeln!(
                text,
                "{id} was being written by {holder}, whose lease ended {}. Only `regreen dds run` in that workspace can \
                 find out what became of it.",
                it.until
            )
        } else {
            writeln!(text, "{id} is run by {holder}. Its lease holds until {}.", it.until)
        };
    }
    text
}

fn render_verification(it: &DdsVerification) -> String {
    let looked = format!(
        "{}, {} and {}",
        count(it.records, "record"),
        count(it.approvals, "approval"),
        count(it.audit_lines, "audit line")
    );
    let head = it.head.as_deref().map(|it| format!("The audit trail ends at {}\n", printable(it)));
    let head = head.unwrap_or_default();
    if it.problems.is_empty() {
        return format!("{}: {looked}.\n{head}", paint(GOOD, "Everything holds"));
    }
    let mut text =
        format!("{head}{} in {looked}:\n", paint(BAD, &count(it.problems.len(), "problem")));
    for problem in &it.problems {
        let _ = writeln!(
            text,
            "  {}  {}",
            paint(BOLD, &printable(&problem.place)),
            printable(&problem.message)
        );
    }
    text
}

fn render_exchange(it: &DdsExchange) -> String {
    if !it.ok {
        return refused("Nothing was imported", "the file", &it.faults);
    }
    let mut text =
        format!("{} and {}.\n", count(it.records, "record"), count(it.reports, "report"));
    for note in &it.notes {
        let _ = writeln!(text, "  {}", printable(note));
    }
    text
}
