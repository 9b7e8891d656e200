//! Work that could not be done: what happened and what to do, as text on standard error or as a JSON report.

use protocol::v1::{FailureDetail, FailureReport};

use crate::command::root::RootError;
use crate::destination::DestinationError;
use crate::exit::ExitStatus;
use crate::git::GitError;
use crate::input::InputError;
use crate::policy::ActionRefusal;
use crate::render::frame::render_frames;
use crate::render::line::render_line;
use crate::render::style::{BAD, BOLD, paint};

/// What was typed makes no sense, which only shows when the workspace is looked at.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

/// Whose fault it is: a command line that makes no sense is usage, what the user has not trusted is refused.
pub(crate) fn exit(report: &FailureReport) -> ExitStatus {
    match report.error.code.as_str() {
        "usage" => ExitStatus::Usage,
        "untrusted" => ExitStatus::Findings,
        _ => ExitStatus::Failed,
    }
}

/// The error for people: what is wrong place by place where that is known, what happened, and what to do. With
/// `is_quiet` a line for each place and one for the error.
pub(crate) fn render_text(error: &anyhow::Error, report: &FailureReport, is_quiet: bool) -> String {
    if is_quiet {
        let error = FailureDetail { help: None, ..report.error.clone() };
        let lines: String = report.diagnostics.iter().map(render_line).collect();
        return lines + &render(&FailureReport { error, ..report.clone() });
    }
    render_problems(error) + &render(report)
}

/// What is wrong with the configuration or a pack, place by place, where that is the reason.
fn render_problems(error: &anyhow::Error) -> String {
    let Some(failure) = error.downcast_ref::<service::Failure>() else { return String::new() };
    let Some(frames) = failure.frames() else { return String::new() };
    let rendered = render_frames(failure.problems(), frames, false);
    rendered.iter().map(|it| format!("{it}\n")).collect()
}

/// The report on an error. Errors that no part of regreen has a name for are I/O of the front end.
pub(crate) fn report(error: &anyhow::Error) -> FailureReport {
    let (code, help) = if let Some(failure) = error.downcast_ref::<service::Failure>() {
        (failure.code(), failure.help())
    } else if let Some(refusal) = error.downcast_ref::<ActionRefusal>() {
        ("action_mode", Some(refusal.help().to_owned()))
    } else if let Some(error) = error.downcast_ref::<InputError>() {
        (error.code(), None)
    } else if let Some(error) = error.downcast_ref::<GitError>() {
        (error.code(), error.help())
    } else if let Some(error) = error.downcast_ref::<DestinationError>() {
        (error.code(), error.help().map(str::to_owned))
    } else if error.is::<UsageError>() {
        ("usage", None)
    } else if error.is::<RootError>() {
        ("bad_root", Some("name the workspace with --root DIR".to_owned()))
    } else {
        let error =
            FailureDetail { code: "io".to_owned(), message: format!("{error:#}"), help: None };
        return failure_report(error);
    };
    // The errors with a name of their own say all there is to say.
    let detail = FailureDetail { code: code.to_owned(), message: error.to_string(), help };
    let failure = error.downcast_ref::<service::Failure>();
    let diagnostics = failure.map(|it| it.problems().to_vec()).unwrap_or_default();
    FailureReport { diagnostics, ..failure_report(detail) }
}

fn failure_report(error: FailureDetail) -> FailureReport {
    let validator_version = service::VERSION.to_owned();
    FailureReport { ok: false, validator_version, error, diagnostics: Vec::new() }
}

/// The report as text.
fn render(report: &FailureReport) -> String {
    let error = &report.error;
    let mut text = format!(
        "{}{} {}\n",
        paint(BAD, "error"),
        paint(BOLD, ":"),
        crate::words::printable(&error.message)
    );
    if let Some(help) = &error.help {
        text.push_str(&format!(
            "{}{} {}\n",
            paint(BOLD, "help"),
            paint(BOLD, ":"),
            crate::words::printable(help)
        ));
    }
    text
}
