//! What a look at a tree could not do: files that were not checked, and work that failed. Neither is a finding (AE-48).

use schemars::JsonSchema;
use serde::Serialize;

/// How many paths are named for one reason; the others are counted.
pub const MOST_PLACES: usize = 20;

/// How far the files that were asked about were looked at. Files that no source is about are not counted.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct FileSummary {
    /// Files that at least one source looked at completely.
    pub checked: usize,
    /// Files that were parsed without a fault, and that no rule and no schema is about. Left out if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub parsed: usize,
    /// Files that none did, by reason; a file counts for the first reason that holds. Those that cannot be read are not
    /// here but among the failures.
    pub unchecked: Vec<UncheckedFiles>,
    /// Folders that were passed over, by reason: what a tool filled (`dependencies`, `build_output`, `cache`) and what is
    /// another repository (`nested_repository`). Left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedFolders>,
}

/// Folders that were passed over for one reason.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct SkippedFolders {
    /// The reason.
    pub reason: String,
    /// How many folders.
    pub count: usize,
    /// The first of them, at most 20, relative to the root.
    pub places: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl FileSummary {
    /// How many files were not checked.
    pub fn n_unchecked(&self) -> usize {
        self.unchecked.iter().map(|it| it.count).sum()
    }
}

/// Files that were not checked for one reason.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct UncheckedFiles {
    /// The reason.
    pub reason: UncheckedReason,
    /// How many files.
    pub count: usize,
    /// The first of them, at most 20, relative to the root.
    pub places: Vec<String>,
}

/// Why a file was not checked, although it is there and may be read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UncheckedReason {
    /// It is a template: it does not parse, and what is made of it may.
    Template,
    /// It does not parse, so that nothing but its syntax was looked at.
    SyntaxError,
    /// It is larger than what is read.
    TooLarge,
    /// It is nested too deeply, has too many values, or its schema takes too many steps.
    TooComplex,
    /// It is not a regular file: a pipe, a socket, a device.
    NotAFile,
    /// It is a link, and links are not followed.
    Link,
    /// Its schema, or a part of it, is remote, and nothing is fetched.
    RemoteSchema,
    /// Its schema is not there, is invalid or is written in a draft that is not supported.
    UnusableSchema,
    /// Its schema is locked, and its bytes are not on this machine; `regreen schemas update --locked` takes them.
    AbsentSchema,
    /// A map has a key twice, and only the last value was looked at.
    DuplicateKey,
    /// A rule could not be decided for it.
    UndecidedRule,
    /// Another file that it depends on could not be looked at.
    Blocked,
}

impl UncheckedReason {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            UncheckedReason::Template => "template",
            UncheckedReason::SyntaxError => "syntax_error",
            UncheckedReason::TooLarge => "too_large",
            UncheckedReason::TooComplex => "too_complex",
            UncheckedReason::NotAFile => "not_a_file",
            UncheckedReason::Link => "link",
            UncheckedReason::RemoteSchema => "remote_schema",
            UncheckedReason::UnusableSchema => "unusable_schema",
            UncheckedReason::AbsentSchema => "absent_schema",
            UncheckedReason::DuplicateKey => "duplicate_key",
            UncheckedReason::UndecidedRule => "undecided_rule",
            UncheckedReason::Blocked => "blocked",
        }
    }
}

/// Work that could not be done, while the rest was.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
pub struct LookFailure {
    /// Who could not do its work; `regreen` for a file that it cannot read.
    pub source: String,
    /// What kind of failure it is.
    pub code: FailureCode,
    /// The file or folder that it is about, relative to the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What happened.
    pub message: String,
    /// Whether the configuration or the command line says to go on without this source. Then it does not fail the run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tolerated: bool,
}

/// The kinds of [`LookFailure`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    /// A file or folder cannot be read.
    Unreadable,
    /// A file has a name that cannot be written in a report.
    UnsupportedName,
    /// A source is not there, or cannot be started.
    Unavailable,
    /// A source did not answer in time.
    TimedOut,
    /// A source ended before it had answered.
    Died,
    /// The answer of a source does not make sense.
    Garbled,
    /// A source panicked: a defect.
    Panicked,
    /// A source was stopped before it answered.
    Stopped,
    /// A file of the tree keeps a source from working.
    BrokenByTree,
}

impl FailureCode {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            FailureCode::Unreadable => "unreadable",
            FailureCode::UnsupportedName => "unsupported_name",
            FailureCode::Unavailable => "unavailable",
            FailureCode::TimedOut => "timed_out",
            FailureCode::Died => "died",
            FailureCode::Garbled => "garbled",
            FailureCode::Panicked => "panicked",
            FailureCode::Stopped => "stopped",
            FailureCode::BrokenByTree => "broken_by_tree",
        }
    }
}

/// A transaction that an earlier run left unfinished and that this command may not settle. What the report says is about
/// the tree as it lies there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct PendingTransaction {
    /// Its id.
    pub id: String,
    /// The command that settles it.
    pub settle: String,
}
