//! What `--quiet` leaves: a line for everything that is wrong, and nothing else. No frames, no summary, no advice.

use protocol::v1::{Diagnostic, LookFailure, Severity};

use super::frame::in_line_order;
use super::style::{BAD, BOLD, WARN, paint};
use crate::words::{name_of, printable};

/// A line per finding, by file and line: `app.yaml:4:7: error[SCHEMA_TYPE]: …`. Notes are not told.
pub(crate) fn render_lines<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> String {
    in_line_order(diagnostics)
        .into_iter()
        .filter(|it| it.severity != Severity::Info)
        .map(render_line)
        .collect()
}

/// The line of one finding.
pub(crate) fn render_line(diagnostic: &Diagnostic) -> String {
    let place = match &diagnostic.location {
        Some(at) => format!("{}:{}:{}: ", diagnostic.file, at.start_line, at.start_col),
        None if diagnostic.file.is_empty() => String::new(),
        None => format!("{}: ", diagnostic.file),
    };
    let severity = match diagnostic.severity {
        Severity::Error => paint(BAD, "error"),
        Severity::Warning => paint(WARN, "warning"),
        Severity::Info => paint(BOLD, "info"),
    };
    format!(
        "{}{severity}[{}]: {}\n",
        printable(&place),
        name_of(diagnostic),
        printable(&diagnostic.message)
    )
}

/// Something that is wrong and has no place in a file.
pub(crate) fn render_error(message: &str) -> String {
    format!("{}: {}\n", paint(BAD, "error"), printable(message))
}

/// A line per file that could not be read and per source that could not do its work.
pub(crate) fn render_failure_lines(failures: &[LookFailure]) -> String {
    let line = |it: &LookFailure| match it.file {
        Some(_) => render_error(&it.message),
        None => render_error(&format!("{}: {}", it.source, it.message)),
    };
    failures.iter().map(line).collect()
}
