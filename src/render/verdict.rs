//! What a look at the tree comes to, in one line: the same words for `check`, `plan` and `fix`, so that none of them
//! calls green what was not looked at.

use std::fmt::Write;

use protocol::v1::{
    FileSummary, LookFailure, LookRequest, ToolState, ToolSummary, UncheckedReason,
};
use service::Verdict;

use super::style::{BAD, BOLD, COMMAND, DIM, GOOD, WARN, paint};
use crate::words::{count, list, printable};

/// How many files are named for one reason before the rest is counted.
const MOST_NAMES: usize = 3;

/// What the line is about.
pub(crate) struct VerdictSummary<'a> {
    pub(crate) verdict: Verdict,
    pub(crate) files: &'a FileSummary,
    pub(crate) failures: &'a [LookFailure],
    /// What was found, in words; nothing if nothing was.
    pub(crate) found: String,
    /// Whether there are findings that the baseline knows.
    pub(crate) has_baseline: bool,
    pub(crate) look: &'a LookRequest,
}

impl VerdictSummary<'_> {
    /// The verdict and what it rests on, without a line end.
    pub(crate) fn sentence(&self) -> String {
        let VerdictSummary { verdict, files, found, look, .. } = self;
        let has_found = !found.is_empty();
        let unchecked = unchecked(files);
        let in_files = |what: &str| format!("{what} in {}", count(files.checked, "file"));
        let mut parts = Vec::new();
        let head = match verdict {
            Verdict::Green => {
                parts.push(match (has_found, self.has_baseline) {
                    (true, _) => found.clone(),
                    (false, true) => in_files("Nothing new is wrong"),
                    (false, false) => in_files("Nothing is wrong"),
                });
                paint(GOOD, "Green.")
            }
            Verdict::NothingChecked if !has_found && unchecked.is_none() => {
                let why = match (&look.changed, &look.changed_words) {
                    (Some(changed), Some(words)) if changed.is_empty() => {
                        format!("Nothing {words}")
                    }
                    _ => {
                        let init = paint(COMMAND, "regreen init");
                        let syntax = match files.parsed {
                            0 => "",
                            _ => ", only their syntax was checked",
                        };
                        format!("No rule applies to any file here{syntax}: see {init}")
                    }
                };
                parts.push(why);
                paint(WARN, "Nothing to check.")
            }
            Verdict::NothingChecked => {
                parts.extend(has_found.then(|| found.clone()));
                paint(WARN, "Nothing checked.")
            }
            Verdict::Red => {
                parts.extend(has_found.then(|| found.clone()));
                paint(BAD, "Red.")
            }
            Verdict::Failed => {
                let n_failures = self.failures.iter().filter(|it| !it.tolerated).count();
                parts.push(count(n_failures, "failure"));
                parts.push(match has_found {
                    true => found.clone(),
                    false if files.checked > 0 => in_files("nothing else is wrong"),
                    false => "nothing was checked".to_owned(),
                });
                paint(BAD, "Failed.")
            }
        };
        parts.extend(unchecked);
        let mut text = head;
        if !parts.is_empty() {
            let _ = write!(text, " {}.", parts.join("; "));
        }
        let absent = self.failures.iter().filter(|it| it.tolerated);
        let absent: Vec<String> = absent.map(|it| printable(&it.source)).collect();
        if !absent.is_empty() {
            let _ = write!(text, " Without {}.", list(&absent, MOST_NAMES));
        }
        text
    }
}

/// `3 files not checked (remote_schema: 2, too_large: 1)`; nothing if all were.
pub(crate) fn unchecked(files: &FileSummary) -> Option<String> {
    let reasons = files.unchecked.iter().map(|it| format!("{}: {}", it.reason.name(), it.count));
    let reasons: Vec<String> = reasons.collect();
    let n_files = count(files.n_unchecked(), "file");
    (!reasons.is_empty()).then(|| format!("{n_files} not checked ({})", reasons.join(", ")))
}

/// A line for each reason, with the files.
pub(crate) fn unchecked_places(files: &FileSummary, is_verbose: bool) -> String {
    let mut text = String::new();
    for it in &files.unchecked {
        let most = if is_verbose { it.places.len() } else { it.places.len().min(MOST_NAMES) };
        let mut names: Vec<String> = it.places[..most].iter().map(|it| printable(it)).collect();
        if most < it.count {
            names.push(format!("{} more", it.count - most));
        }
        let advice = match it.reason {
            UncheckedReason::AbsentSchema => "; `regreen schemas update --locked` takes the schema",
            _ => "",
        };
        let names = list(&names, names.len());
        let line = format!("not checked, {}: {names}{advice}", it.reason.name());
        let _ = writeln!(text, "{}", paint(DIM, &line));
    }
    text
}

/// What could not be done, a line each. A tool that nobody insists on has said it in its line of the table.
pub(crate) fn render_failures_beside(
    failures: &[LookFailure],
    tools: &[ToolSummary],
) -> Option<String> {
    let is_told = |it: &LookFailure| {
        let is_failed = |tool: &ToolSummary| {
            tool.name == it.source && matches!(tool.state, ToolState::Failed | ToolState::Missing)
        };
        it.tolerated && it.file.is_none() && tools.iter().any(is_failed)
    };
    let others: Vec<LookFailure> = failures.iter().filter(|it| !is_told(it)).cloned().collect();
    render_failures(&others)
}

/// What could not be done, a line each.
pub(crate) fn render_failures(failures: &[LookFailure]) -> Option<String> {
    let line = |it: &LookFailure| {
        let level = if it.tolerated { paint(WARN, "warning") } else { paint(BAD, "error") };
        let source = match &it.file {
            Some(_) => String::new(),
            None => format!("{}: ", paint(BOLD, &printable(&it.source))),
        };
        format!("{level}{} {source}{}\n", paint(BOLD, ":"), printable(&it.message))
    };
    (!failures.is_empty()).then(|| failures.iter().map(line).collect())
}
