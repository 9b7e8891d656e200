//! Whether a look came out well: the one place that decides, for every command and every format.
//!
//! A tree is green if something was looked at, nothing failed and nothing that was found fails the run. Files that were
//! not checked and sources that did not answer are part of the verdict, so that nothing red is called green.

use std::collections::BTreeMap;

use check::{FailureKind, Unchecked};
use engine::{Assessment, ProviderFailure};
use protocol::v1;
use protocol::v1::{FailureCode, FileSummary, LookFailure, UncheckedFiles, UncheckedReason};
use snapshot::RelPath;

use crate::assess::request_scope::RequestScope;
use crate::assess::view::Counts;
use crate::setup::own_rules;
use crate::setup::{ScannedTree, Setup};
use crate::toolbox::ToolAvailability;

/// What a look comes to, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// Files were looked at, and nothing in them fails the run.
    Green,
    /// Nothing fails the run, and no file was looked at completely.
    NothingChecked,
    /// Something fails the run.
    Red,
    /// Something could not be looked at that had to be, whatever else was found.
    Failed,
}

impl Verdict {
    /// Whether the run is a success.
    pub fn is_ok(self) -> bool {
        matches!(self, Verdict::Green | Verdict::NothingChecked)
    }
}

/// How far a look came: what was checked, and what could not be done.
#[derive(Clone, Debug)]
pub(crate) struct CheckState {
    pub(crate) files: FileSummary,
    pub(crate) failures: Vec<LookFailure>,
    /// Whether the tree is one that an unfinished transaction left behind.
    pub(crate) is_pending: bool,
}

impl CheckState {
    /// What is known of the files that the request is about.
    pub(crate) fn new(
        setup: &Setup,
        look: &RequestScope,
        assessment: &Assessment,
        unread: &[LookFailure],
    ) -> CheckState {
        let (coverage, silent) =
            assessment.coverage(&setup.run(), &|source| look.takes_source(source));
        let covers = |path: &RelPath| look.covers(path.as_str());
        let parsed = coverage.only_parsed().filter(|it| covers(it)).count();
        let mut complete = 0;
        let mut unchecked: BTreeMap<Unchecked, Vec<&RelPath>> = BTreeMap::new();
        for (path, reasons) in coverage.iter().filter(|it| covers(it.0)) {
            match reasons.first() {
                None => complete += 1,
                Some(reason) => unchecked.entry(*reason).or_default().push(path),
            }
        }
        let unchecked = unchecked.into_iter().map(|(reason, paths)| UncheckedFiles {
            reason: reason_name(reason),
            count: paths.len(),
            places: paths.iter().take(v1::MOST_PLACES).map(ToString::to_string).collect(),
        });
        let unchecked = unchecked.collect();
        let files =
            FileSummary { checked: complete - parsed, parsed, unchecked, skipped: Vec::new() };
        let of_provider = |it: &ProviderFailure| LookFailure {
            source: it.source.clone(),
            code: code(it.kind),
            file: None,
            message: it.message.clone(),
            tolerated: setup.tolerates(&it.source, it.kind),
        };
        let providers = assessment.failures.iter().chain(&silent).map(of_provider);
        let unread = unread.iter().filter(|it| look.may_need(it)).cloned();
        let absent = setup.toolbox.members().iter().filter(|it| it.required);
        let absent = absent.filter_map(|it| match &it.place {
            ToolAvailability::Absent { message, .. } => Some(LookFailure {
                source: it.name.clone(),
                code: FailureCode::Unavailable,
                file: None,
                message: message.clone(),
                tolerated: setup.tolerate,
            }),
            ToolAvailability::Ready(_) => None,
        });
        let mut failures: Vec<LookFailure> =
            unread.chain(setup.lost()).chain(providers).chain(absent).collect();
        failures.sort();
        failures.dedup();
        CheckState { files, failures, is_pending: false }
    }

    /// The same with the folders that were passed over and that the request is about.
    pub(crate) fn with_skipped(
        mut self,
        look: &RequestScope,
        passed_over: &[(RelPath, String)],
    ) -> CheckState {
        let mut folders: BTreeMap<&str, Vec<&RelPath>> = BTreeMap::new();
        for (path, reason) in passed_over.iter().filter(|it| look.covers(it.0.as_str())) {
            folders.entry(reason).or_default().push(path);
        }
        let skipped = |(reason, paths): (&str, Vec<&RelPath>)| v1::SkippedFolders {
            reason: reason.to_owned(),
            count: paths.len(),
            places: paths.iter().take(v1::MOST_PLACES).map(ToString::to_string).collect(),
        };
        self.files.skipped = folders.into_iter().map(skipped).collect();
        self
    }

    /// What it comes to with these findings. With `--strict`, what `fix` would change counts too.
    pub(crate) fn verdict(
        &self,
        request: &v1::LookRequest,
        counts: Counts,
        would_change: Option<&[String]>,
    ) -> Verdict {
        let is_red = self.is_pending
            || counts.error > 0
            || (request.deny_warnings && counts.warning > 0)
            || (request.deny_unchecked && !self.files.unchecked.is_empty())
            || would_change.is_some_and(|it| !it.is_empty());
        if self.has_failed() {
            Verdict::Failed
        } else if is_red {
            Verdict::Red
        } else if self.files.checked == 0 {
            Verdict::NothingChecked
        } else {
            Verdict::Green
        }
    }

    /// Whether something could not be done that nobody said to go on without.
    pub(crate) fn has_failed(&self) -> bool {
        self.failures.iter().any(|it| !it.tolerated)
    }
}

/// A file or folder that cannot be read.
pub(crate) fn unreadable(path: &str, is_folder: bool, reason: &str) -> LookFailure {
    let slash = if is_folder { "/" } else { "" };
    let message = format!("cannot read {path}{slash}: {}", plain(reason));
    of_file(FailureCode::Unreadable, path, message)
}

/// A file whose name no report can hold.
pub(crate) fn unsupported_name(path: &str, reason: &str) -> LookFailure {
    of_file(FailureCode::UnsupportedName, path, format!("cannot check {path}: {reason}"))
}

fn of_file(code: FailureCode, path: &str, message: String) -> LookFailure {
    LookFailure {
        source: own_rules::SOURCE.to_owned(),
        code,
        file: Some(path.to_owned()),
        message,
        tolerated: false,
    }
}

/// What the system said, without the number that it has there, as a sentence.
fn plain(reason: &str) -> String {
    let text = reason.split(" (os error").next().unwrap_or(reason);
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

impl ScannedTree {
    /// Notes that a file cannot be read, once.
    pub(crate) fn add_unreadable(&mut self, path: &RelPath, reason: &str) {
        let failure = unreadable(path.as_str(), false, reason);
        if !self.failures.iter().any(|it| it.file == failure.file) {
            self.failures.push(failure);
        }
    }
}

fn code(kind: FailureKind) -> FailureCode {
    match kind {
        FailureKind::Unavailable => FailureCode::Unavailable,
        FailureKind::TimedOut => FailureCode::TimedOut,
        FailureKind::Died => FailureCode::Died,
        FailureKind::Garbled => FailureCode::Garbled,
        FailureKind::Panicked => FailureCode::Panicked,
        FailureKind::Stopped => FailureCode::Stopped,
        FailureKind::BrokenByTree => FailureCode::BrokenByTree,
    }
}

fn reason_name(reason: Unchecked) -> UncheckedReason {
    match reason {
        Unchecked::Template => UncheckedReason::Template,
        Unchecked::SyntaxError => UncheckedReason::SyntaxError,
        Unchecked::TooLarge => UncheckedReason::TooLarge,
        Unchecked::TooComplex => UncheckedReason::TooComplex,
        Unchecked::NotAFile => UncheckedReason::NotAFile,
        Unchecked::Link => UncheckedReason::Link,
        Unchecked::RemoteSchema => UncheckedReason::RemoteSchema,
        Unchecked::UnusableSchema => UncheckedReason::UnusableSchema,
        Unchecked::AbsentSchema => UncheckedReason::AbsentSchema,
        Unchecked::DuplicateKey => UncheckedReason::DuplicateKey,
        Unchecked::UndecidedRule => UncheckedReason::UndecidedRule,
        Unchecked::Blocked => UncheckedReason::Blocked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(kind: FailureKind, tolerated: bool) -> LookFailure {
        LookFailure {
            source: "tool".to_owned(),
            code: code(kind),
            file: None,
            message: String::new(),
            tolerated,
        }
    }

    /// Every combination: a failure outweighs what was found, that outweighs what was not checked, and what was not
    /// checked is never green.
    #[test]
    fn nothing_red_is_called_green() {
        let reason = UncheckedReason::TooLarge;
        let gap = UncheckedFiles { reason, count: 1, places: Vec::new() };
        for bits in 0_u32..1 << 8 {
            let is = |bit: u32| bits & (1 << bit) != 0;
            let standing = CheckState {
                files: FileSummary {
                    checked: usize::from(is(0)),
                    parsed: 0,
                    unchecked: is(1).then(|| gap.clone()).into_iter().collect(),
                    skipped: Vec::new(),
                },
                failures: is(2)
                    .then(|| failure(FailureKind::TimedOut, is(3)))
                    .into_iter()
                    .collect(),
                is_pending: false,
            };
            let counts = Counts { error: usize::from(is(4)), warning: usize::from(is(5)), info: 1 };
            let request = v1::LookRequest {
                deny_warnings: is(6),
                deny_unchecked: is(7),
                ..v1::LookRequest::default()
            };
            let verdict = standing.verdict(&request, counts, None);
            let is_failed = is(2) && !is(3);
            let is_red = is(4) || is(5) && is(6) || is(1) && is(7);
            let expected = match (is_failed, is_red, is(0)) {
                (true, ..) => Verdict::Failed,
                (_, true, _) => Verdict::Red,
                (_, _, false) => Verdict::NothingChecked,
                _ => Verdict::Green,
            };
            assert_eq!(verdict, expected, "{bits:b}");
            let files = ["a.yaml".to_owned()];
            let strict = standing.verdict(&request, counts, Some(&files));
            assert_eq!(strict, if is_failed { Verdict::Failed } else { Verdict::Red }, "{bits:b}");
        }
    }

    #[test]
    fn what_the_system_said_is_a_plain_sentence() {
        for (said, words) in [
            ("Permission denied (os error 13)", "Permission denied"),
            ("permission denied", "Permission denied"),
            ("", ""),
        ] {
            assert_eq!(plain(said), words);
        }
    }
}
