//! Work that could not be done: what happened and what to do, as text on standard error or as a JSON report.

use protocol::v1::{FailureDetail, FailureReport};

use crate::command::root::RootError;
use crate::input::InputError;
use crate::policy::ActionRefusal;
use crate::render::style::{BAD, BOLD, paint};

/// The report on an error. Errors that no part of regreen has a name for are I/O of the front end.
pub(crate) fn report(error: &anyhow::Error) -> FailureReport {
    let (code, help) = if let Some(failure) = error.downcast_ref::<service::Failure>() {
        (failure.code(), failure.help())
    } else if let Some(refusal) = error.downcast_ref::<ActionRefusal>() {
        ("action_mode", Some(refusal.help().to_owned()))
    } else if let Some(error) = error.downcast_ref::<InputError>() {
        (error.code(), None)
    } else if error.is::<RootError>() {
        ("bad_root", Some("name the workspace with --root DIR".to_owned()))
    } else {
        let error =
            FailureDetail { code: "io".to_owned(), message: format!("{error:#}"), help: None };
        return failure_report(error);
    };
    // The errors with a name of their own say all there is to say.
    failure_report(FailureDetail { code: code.to_owned(), message: error.to_string(), help })
}

fn failure_report(error: FailureDetail) -> FailureReport {
    FailureReport { ok: false, validator_version: service::VERSION.to_owned(), error }
}

/// The report as text.
pub(crate) fn render(report: &FailureReport) -> String {
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
