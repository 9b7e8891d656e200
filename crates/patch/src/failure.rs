//! Why an operation was not applied: a closed set of codes, and what is shown of expected and found values.
//!
//! File contents are not echoed (CS-60, X-39): values appear as a type and a digest unless the caller asks for them,
//! and whatever is long is cut at a fixed number of bytes (CS-61).

use std::collections::BTreeMap;

use document::{OpError, ParseError, ParseErrorKind, Pointer, Preconditions, Refusal, Value};
use edit::ContentHash;
use snapshot::RelPath;

/// What is shown of a value or a message, in bytes.
const MAX_SHOWN: usize = 200;

/// Why an operation failed. The names are part of the report format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names and their explanations say it")]
pub enum OpFailureCode {
    PreconditionFailed,
    PointerMissing,
    NotAnObject,
    NotAnArray,
    KeyExists,
    IndexOutOfRange,
    BadIndex,
    Root,
    IntoItself,
    NotARename,
    RefusedByDocument,
    ParseFailed,
    UnsupportedFormat,
    FileMissing,
    FileExists,
    CaseCollision,
    NotADirectory,
    NotAFile,
    UidUnknown,
    UidInUse,
    PathMismatch,
    OutsideRoot,
    Link,
    TooLarge,
    ReadOnly,
    PathTooLong,
    NestedRepository,
    Protected,
    Conflict,
    /// Two operations of a dialect's changeset write to one place.
    OverlappingOps,
    Stale,
    WorkspaceMismatch,
    InvalidEdit,
    InvalidDocument,
    Budget,
}

impl OpFailureCode {
    /// Every code.
    pub const ALL: [OpFailureCode; 35] = [
        OpFailureCode::PreconditionFailed,
        OpFailureCode::PointerMissing,
        OpFailureCode::NotAnObject,
        OpFailureCode::NotAnArray,
        OpFailureCode::KeyExists,
        OpFailureCode::IndexOutOfRange,
        OpFailureCode::BadIndex,
        OpFailureCode::Root,
        OpFailureCode::IntoItself,
        OpFailureCode::NotARename,
        OpFailureCode::RefusedByDocument,
        OpFailureCode::ParseFailed,
        OpFailureCode::UnsupportedFormat,
        OpFailureCode::FileMissing,
        OpFailureCode::FileExists,
        OpFailureCode::CaseCollision,
        OpFailureCode::NotADirectory,
        OpFailureCode::NotAFile,
        OpFailureCode::UidUnknown,
        OpFailureCode::UidInUse,
        OpFailureCode::PathMismatch,
        OpFailureCode::OutsideRoot,
        OpFailureCode::Link,
        OpFailureCode::TooLarge,
        OpFailureCode::ReadOnly,
        OpFailureCode::PathTooLong,
        OpFailureCode::NestedRepository,
        OpFailureCode::Protected,
        OpFailureCode::Conflict,
        OpFailureCode::OverlappingOps,
        OpFailureCode::Stale,
        OpFailureCode::WorkspaceMismatch,
        OpFailureCode::InvalidEdit,
        OpFailureCode::InvalidDocument,
        OpFailureCode::Budget,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            OpFailureCode::PreconditionFailed => "precondition_failed",
            OpFailureCode::PointerMissing => "pointer_missing",
            OpFailureCode::NotAnObject => "not_an_object",
            OpFailureCode::NotAnArray => "not_an_array",
            OpFailureCode::KeyExists => "key_exists",
            OpFailureCode::IndexOutOfRange => "index_out_of_range",
            OpFailureCode::BadIndex => "bad_index",
            OpFailureCode::Root => "root",
            OpFailureCode::IntoItself => "into_itself",
            OpFailureCode::NotARename => "not_a_rename",
            OpFailureCode::RefusedByDocument => "refused_by_document",
            OpFailureCode::ParseFailed => "parse_failed",
            OpFailureCode::UnsupportedFormat => "unsupported_format",
            OpFailureCode::FileMissing => "file_missing",
            OpFailureCode::FileExists => "file_exists",
            OpFailureCode::CaseCollision => "case_collision",
            OpFailureCode::NotADirectory => "not_a_directory",
            OpFailureCode::NotAFile => "not_a_file",
            OpFailureCode::UidUnknown => "uid_unknown",
            OpFailureCode::UidInUse => "uid_in_use",
            OpFailureCode::PathMismatch => "path_mismatch",
            OpFailureCode::OutsideRoot => "outside_root",
            OpFailureCode::Link => "link",
            OpFailureCode::TooLarge => "too_large",
            OpFailureCode::ReadOnly => "read_only",
            OpFailureCode::PathTooLong => "path_too_long",
            OpFailureCode::NestedRepository => "nested_repository",
            OpFailureCode::Protected => "protected",
            OpFailureCode::Conflict => "conflict",
            OpFailureCode::OverlappingOps => "overlapping_ops",
            OpFailureCode::Stale => "stale",
            OpFailureCode::WorkspaceMismatch => "workspace_mismatch",
            OpFailureCode::InvalidEdit => "invalid_edit",
            OpFailureCode::InvalidDocument => "invalid_document",
            OpFailureCode::Budget => "budget",
        }
    }

    /// What to do about it.
    pub fn advice(self) -> &'static str {
        match self {
            OpFailureCode::PreconditionFailed => {
                "the file is not what the patch was made for; make the patch again"
            }
            OpFailureCode::PointerMissing => "point at something that exists",
            OpFailureCode::NotAnObject => "point at an object",
            OpFailureCode::NotAnArray => "point at an array",
            OpFailureCode::KeyExists => "replace the value instead, or remove the key first",
            OpFailureCode::IndexOutOfRange | OpFailureCode::BadIndex => {
                "use an index that the array has"
            }
            OpFailureCode::Root => "name a key or an item, or delete the file",
            OpFailureCode::IntoItself | OpFailureCode::NotARename => "move it somewhere else",
            OpFailureCode::RefusedByDocument => {
                "change the operation, or edit the file by hand at this place"
            }
            OpFailureCode::ParseFailed => "repair the file's syntax first",
            OpFailureCode::UnsupportedFormat => {
                "only JSON, YAML and TOML files have places to point at"
            }
            OpFailureCode::FileMissing => "check the path, or add the file first",
            OpFailureCode::FileExists
            | OpFailureCode::CaseCollision
            | OpFailureCode::NotADirectory => "choose another path",
            OpFailureCode::NotAFile => "only regular files can be changed",
            OpFailureCode::UidUnknown => {
                "use a uid of `.regreen/files.json`, or `path:` and the path"
            }
            OpFailureCode::UidInUse => "choose a new uid",
            OpFailureCode::PathMismatch => "leave the path out, or make the patch again",
            OpFailureCode::OutsideRoot => {
                "use a path of the workspace's own files, relative to its root, with `/`"
            }
            OpFailureCode::Link => "name the place itself, not a link to it",
            OpFailureCode::TooLarge => "split the file, or edit it by hand",
            OpFailureCode::ReadOnly => "make the file writable first",
            OpFailureCode::PathTooLong => "choose a shorter path",
            OpFailureCode::NestedRepository => "run regreen in that repository",
            OpFailureCode::Protected => "change it by hand, or remove the protection first",
            OpFailureCode::Conflict | OpFailureCode::OverlappingOps => {
                "keep one of the two operations"
            }
            OpFailureCode::Stale => "make the patch again from the files as they are",
            OpFailureCode::WorkspaceMismatch => {
                "apply it where it belongs, or correct `target_workspace_uid`"
            }
            OpFailureCode::InvalidEdit | OpFailureCode::InvalidDocument => {
                "correct the patch document"
            }
            OpFailureCode::Budget => "split the patch into smaller ones",
        }
    }
}

/// An operation that was not applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailedOp {
    /// The fix action that it belongs to.
    pub action_id: Option<String>,
    /// Its index among the operations of its action, or of the changeset.
    pub op_index: usize,
    /// Why.
    pub code: OpFailureCode,
    /// The file, as far as it is known; else what the operation says.
    pub file: String,
    /// The place in the file.
    pub json_pointer: Option<String>,
    /// What was expected there.
    pub expected: Option<String>,
    /// What is there.
    pub found: Option<String>,
}

/// Why a path must not be touched, as whoever loaded the files found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// Why, for programs.
    pub code: OpFailureCode,
    /// Why, as the rest of a sentence that starts with "because".
    pub reason: String,
}

/// The paths that must not be touched.
pub type RefusedPaths = BTreeMap<RelPath, Refused>;

/// A failure before it is known to which operation it belongs.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FailureCause {
    pub(crate) code: OpFailureCode,
    pub(crate) message: String,
    pub(crate) at: Option<Pointer>,
    pub(crate) expected: Option<String>,
    pub(crate) found: Option<String>,
    /// Where in the file's text the reason stands.
    pub(crate) offset: Option<u32>,
}

impl FailureCause {
    pub(crate) fn new(code: OpFailureCode, message: impl Into<String>) -> FailureCause {
        let message = cap(&message.into(), MAX_SHOWN);
        FailureCause { code, message, at: None, expected: None, found: None, offset: None }
    }

    /// An operation on a path that must not be touched.
    pub(crate) fn untouchable(path: &RelPath, refused: &Refused) -> FailureCause {
        let path = cap(path.as_str(), MAX_SHOWN / 2);
        let mut failure = FailureCause::new(refused.code, "");
        let reason = cap(&refused.reason, MAX_SHOWN);
        failure.message = format!("{path} is not touched, because {reason}");
        failure
    }

    pub(crate) fn refused(refusal: &Refusal) -> FailureCause {
        let mut failure = FailureCause::new(OpFailureCode::RefusedByDocument, refusal.to_string());
        failure.offset = Some(refusal.offset);
        failure
    }

    pub(crate) fn unparsed(path: &str, error: &ParseError) -> FailureCause {
        let code = match error.kind {
            ParseErrorKind::TooLarge => OpFailureCode::TooLarge,
            _ => OpFailureCode::ParseFailed,
        };
        let mut failure =
            FailureCause::new(code, format!("{path} cannot be parsed: {}", error.message));
        failure.offset = Some(error.offset);
        failure
    }

    pub(crate) fn of_op(error: &OpError, show_values: bool) -> FailureCause {
        let code = match error {
            OpError::Missing { .. } => OpFailureCode::PointerMissing,
            OpError::NotAnObject { .. } => OpFailureCode::NotAnObject,
            OpError::NotAnArray { .. } => OpFailureCode::NotAnArray,
            OpError::KeyExists { .. } => OpFailureCode::KeyExists,
            OpError::OutOfRange { .. } => OpFailureCode::IndexOutOfRange,
            OpError::BadIndex { .. } => OpFailureCode::BadIndex,
            OpError::Root => OpFailureCode::Root,
            OpError::IntoItself { .. } => OpFailureCode::IntoItself,
            OpError::NotARename { .. } => OpFailureCode::NotARename,
            OpError::Unexpected { .. } | OpError::UnexpectedParent { .. } => {
                OpFailureCode::PreconditionFailed
            }
            OpError::Refused(refusal) => return FailureCause::refused(refusal),
            _ => OpFailureCode::RefusedByDocument,
        };
        let mut failure = FailureCause::new(code, error.to_string());
        let word = |text: &str| Some(text.to_owned());
        match error {
            OpError::NotAnObject { found, .. } => {
                (failure.expected, failure.found) = (word("object"), word(found.name()));
            }
            OpError::NotAnArray { found, .. } => {
                (failure.expected, failure.found) = (word("array"), word(found.name()));
            }
            OpError::OutOfRange { index, len, .. } => {
                failure.expected = Some(format!("index {index}"));
                failure.found = Some(format!("{len} item(s)"));
            }
            OpError::Unexpected { expects, found, .. } => {
                failure.expected = Some(show_expects(expects, show_values));
                failure.found = Some(match found {
                    Some(value) => show(value, show_values),
                    None => "nothing".to_owned(),
                });
            }
            OpError::UnexpectedParent { expected, found, .. } => {
                failure.expected = Some(format!("container {expected}"));
                failure.found = word(found.map_or("nothing", |it| it.name()));
            }
            _ => {}
        }
        failure.at = place_of(error);
        failure
    }
}

fn place_of(error: &OpError) -> Option<Pointer> {
    match error {
        OpError::Missing { at }
        | OpError::NotAnObject { at, .. }
        | OpError::NotAnArray { at, .. }
        | OpError::KeyExists { at }
        | OpError::OutOfRange { at, .. }
        | OpError::BadIndex { at }
        | OpError::Unexpected { at, .. }
        | OpError::UnexpectedParent { at, .. } => Some(at.clone()),
        OpError::IntoItself { from } | OpError::NotARename { from } => Some(from.clone()),
        _ => None,
    }
}

/// A value as reports show it: its type and a digest, or its text.
pub(crate) fn show(value: &Value, show_values: bool) -> String {
    if show_values {
        return cap(&value.to_json(), MAX_SHOWN);
    }
    let digest = ContentHash::of(sorted(value).to_json().as_bytes()).to_string();
    let digest = digest.strip_prefix("blake3:").unwrap_or(&digest);
    format!("{}#{}", value.json_type(), &digest[..16])
}

fn show_expects(expects: &Preconditions, show_values: bool) -> String {
    let parts = [
        expects.json_type.map(|it| format!("type {it}")),
        expects.equals.as_ref().map(|it| format!("equals {}", show(it, show_values))),
        expects.exists.map(|it| format!("exists {it}")),
        expects.length.map(|it| format!("length {it}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The value with sorted keys, so that equal objects have equal digests.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            members.sort_by(|left, right| left.0.cmp(&right.0));
            Value::Object(members)
        }
        scalar => scalar.clone(),
    }
}

/// At most `max` bytes of the text and a mark that something is missing.
pub(crate) fn cap(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}
