//! Findings as workflow commands of GitHub Actions, which become annotations of the changed lines.

use std::fmt::Write;

use protocol::v1::{CheckReport, Diagnostic, Severity};

use super::verdict::unchecked;
use crate::words::{name_of, printable};

/// A line per finding. `prefix` leads from the top of the repository to the root of the workspace: GitHub
/// wants paths from there.
pub(crate) fn render_github(report: &CheckReport, prefix: &str) -> String {
    let mut text: String = report.diagnostics.iter().map(|it| render_command(it, prefix)).collect();
    for failure in &report.failures {
        let level = if failure.tolerated { "warning" } else { "error" };
        let file = failure.file.as_ref();
        let file = file.map(|it| format!("file={},", property(&format!("{prefix}{it}"))));
        let (file, source) = (file.unwrap_or_default(), property(&failure.source));
        let _ = writeln!(text, "::{level} {file}title={source}::{}", data(&failure.message));
    }
    if let Some(unchecked) = unchecked(&report.summary.files) {
        let _ = writeln!(text, "::warning title=regreen::{}", data(&unchecked));
    }
    if report.summary.not_shown > 0 {
        let _ =
            writeln!(text, "::notice title=regreen::{} more findings", report.summary.not_shown);
    }
    text
}

fn render_command(diagnostic: &Diagnostic, prefix: &str) -> String {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let mut text = format!("::{level} file={}", property(&format!("{prefix}{}", diagnostic.file)));
    if let Some(at) = &diagnostic.location {
        let _ = write!(
            text,
            ",line={},col={},endLine={},endColumn={}",
            at.start_line, at.start_col, at.end_line, at.end_col
        );
    }
    let message = match diagnostic.json_pointer.as_deref().filter(|it| !it.is_empty()) {
        Some(pointer) => format!("{} (at {pointer})", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let _ = writeln!(text, ",title={}::{}", property(&name_of(diagnostic)), data(&message));
    text
}

/// A command is one line, and `%` starts an escape. Other control characters have none, and whoever reads the log on a
/// terminal must not obey them.
fn data(text: &str) -> String {
    printable(&text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A"))
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_value_ends_it_or_starts_another_command() {
        assert_eq!(data("100%\r\n::error::x"), "100%25%0D%0A::error::x");
        assert_eq!(property("a,b:c%\n"), "a%2Cb%3Ac%25%0A");
        assert_eq!(property("\u{1b}[2J"), "␛[2J");
    }
}
