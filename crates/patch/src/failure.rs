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
pub enum FailureCode {
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

impl FailureCode {
    /// Every code.
    pub const ALL: [FailureCode; 35] = [
        FailureCode::PreconditionFailed,
        FailureCode::PointerMissing,
        FailureCode::NotAnObject,
        FailureCode::NotAnArray,
        FailureCode::KeyExists,
        FailureCode::IndexOutOfRange,
        FailureCode::BadIndex,
        FailureCode::Root,
        FailureCode::IntoItself,
        FailureCode::NotARename,
        FailureCode::RefusedByDocument,
        FailureCode::ParseFailed,
        FailureCode::UnsupportedFormat,
        FailureCode::FileMissing,
        FailureCode::FileExists,
        FailureCode::CaseCollision,
        FailureCode::NotADirectory,
        FailureCode::NotAFile,
        FailureCode::UidUnknown,
        FailureCode::UidInUse,
        FailureCode::PathMismatch,
        FailureCode::OutsideRoot,
        FailureCode::Link,
        FailureCode::TooLarge,
        FailureCode::ReadOnly,
        FailureCode::PathTooLong,
        FailureCode::NestedRepository,
        FailureCode::Protected,
        FailureCode::Conflict,
        FailureCode::OverlappingOps,
        FailureCode::Stale,
        FailureCode::WorkspaceMismatch,
        FailureCode::InvalidEdit,
        FailureCode::InvalidDocument,
        FailureCode::Budget,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            FailureCode::PreconditionFailed => "precondition_failed",
            FailureCode::PointerMissing => "pointer_missing",
            FailureCode::NotAnObject => "not_an_object",
            FailureCode::NotAnArray => "not_an_array",
            FailureCode::KeyExists => "key_exists",
            FailureCode::IndexOutOfRange => "index_out_of_range",
            FailureCode::BadIndex => "bad_index",
            FailureCode::Root => "root",
            FailureCode::IntoItself => "into_itself",
            FailureCode::NotARename => "not_a_rename",
            FailureCode::RefusedByDocument => "refused_by_document",
            FailureCode::ParseFailed => "parse_failed",
            FailureCode::UnsupportedFormat => "unsupported_format",
            FailureCode::FileMissing => "file_missing",
            FailureCode::FileExists => "file_exists",
            FailureCode::CaseCollision => "case_collision",
            FailureCode::NotADirectory => "not_a_directory",
            FailureCode::NotAFile => "not_a_file",
            FailureCode::UidUnknown => "uid_unknown",
            FailureCode::UidInUse => "uid_in_use",
            FailureCode::PathMismatch => "path_mismatch",
            FailureCode::OutsideRoot => "outside_root",
            FailureCode::Link => "link",
            FailureCode::TooLarge => "too_large",
            FailureCode::ReadOnly => "read_only",
            FailureCode::PathTooLong => "path_too_long",
            FailureCode::NestedRepository => "nested_repository",
            FailureCode::Protected => "protected",
            FailureCode::Conflict => "conflict",
            FailureCode::OverlappingOps => "overlapping_ops",
            FailureCode::Stale => "stale",
            FailureCode::WorkspaceMismatch => "workspace_mismatch",
            FailureCode::InvalidEdit => "invalid_edit",
            FailureCode::InvalidDocument => "invalid_document",
            FailureCode::Budget => "budget",
        }
    }

    /// What to do about it.
    pub fn advice(self) -> &'static str {
        match self {
            FailureCode::PreconditionFailed => {
                "the file is not what the patch was made for; make the patch again"
            }
            FailureCode::PointerMissing => "point at something that is there",
            FailureCode::NotAnObject => "point at an object",
            FailureCode::NotAnArray => "point at an array",
            FailureCode::KeyExists => "replace the value instead, or remove the key first",
            FailureCode::IndexOutOfRange | FailureCode::BadIndex => {
                "use an index that the array has"
            }
            FailureCode::Root => "name a key or an item, or delete the file",
            FailureCode::IntoItself | FailureCode::NotARename => "move it somewhere else",
            FailureCode::RefusedByDocument => {
                "change the operation, or edit the file by hand at this place"
            }
            FailureCode::ParseFailed => "repair the file's syntax first",
            FailureCode::UnsupportedFormat => {
                "only JSON, YAML and TOML files have places to point at"
            }
            FailureCode::FileMissing => "check the path, or add the file first",
            FailureCode::FileExists | FailureCode::CaseCollision | FailureCode::NotADirectory => {
                "choose another path"
            }
            FailureCode::NotAFile => "only regular files can be changed",
            FailureCode::UidUnknown => {
                "use a uid of `.regreen/files.json`, or `path:` and the path"
            }
            FailureCode::UidInUse => "choose a new uid",
            FailureCode::PathMismatch => "leave the path out, or make the patch again",
            FailureCode::OutsideRoot => {
                "use a path of the workspace's own files, relative to its root, with `/`"
            }
            FailureCode::Link => "name the place itself, not a link to it",
            FailureCode::TooLarge => "split the file, or edit it by hand",
            FailureCode::ReadOnly => "make the file writable first",
            FailureCode::PathTooLong => "choose a shorter path",
            FailureCode::NestedRepository => "run regreen in that repository",
            FailureCode::Protected => "change it by hand, or clear up first what protects it",
            FailureCode::Conflict | FailureCode::OverlappingOps => "keep one of the two operations",
            FailureCode::Stale => "make the patch again from the files as they are",
            FailureCode::WorkspaceMismatch => {
                "apply it where it belongs, or correct `target_workspace_uid`"
            }
            FailureCode::InvalidEdit | FailureCode::InvalidDocument => "correct the patch document",
            FailureCode::Budget => "split the patch into smaller ones",
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
    pub code: FailureCode,
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
    pub code: FailureCode,
    /// Why, as the rest of a sentence that starts with "because".
    pub reason: String,
}

/// The paths that must not be touched.
pub type RefusedPaths = BTreeMap<RelPath, Refused>;

/// A failure before it is known to which operation it belongs.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Failure {
    pub(crate) code: FailureCode,
    pub(crate) message: String,
    pub(crate) at: Option<Pointer>,
    pub(crate) expected: Option<String>,
    pub(crate) found: Option<String>,
    /// Where in the file's text the reason stands.
    pub(crate) offset: Option<u32>,
}

impl Failure {
    pub(crate) fn new(code: FailureCode, message: impl Into<String>) -> Failure {
        let message = cap(&message.into(), MAX_SHOWN);
        Failure { code, message, at: None, expected: None, found: None, offset: None }
    }

    /// An operation on a path that must not be touched.
    pub(crate) fn untouchable(path: &RelPath, refused: &Refused) -> Failure {
        let path = cap(path.as_str(), MAX_SHOWN / 2);
        let mut failure = Failure::new(refused.code, "");
        let reason = cap(&refused.reason, MAX_SHOWN);
        failure.message = format!("{path} is not touched, because {reason}");
        failure
    }

    pub(crate) fn refused(refusal: &Refusal) -> Failure {
        let mut failure = Failure::new(FailureCode::RefusedByDocument, refusal.to_string());
        failure.offset = Some(refusal.offset);
        failure
    }

    pub(crate) fn unparsed(path: &str, error: &ParseError) -> Failure {
        let code = match error.kind {
            ParseErrorKind::TooLarge => FailureCode::TooLarge,
            _ => FailureCode::ParseFailed,
        };
        let mut failure = Failure::new(code, format!("{path} cannot be parsed: {}", error.message));
        failure.offset = Some(error.offset);
        failure
    }

    pub(crate) fn of_op(error: &OpError, show_values: bool) -> Failure {
        let code = match error {
            OpError::Missing { .. } => FailureCode::PointerMissing,
            OpError::NotAnObject { .. } => FailureCode::NotAnObject,
            OpError::NotAnArray { .. } => FailureCode::NotAnArray,
            OpError::KeyExists { .. } => FailureCode::KeyExists,
            OpError::OutOfRange { .. } => FailureCode::IndexOutOfRange,
            OpError::BadIndex { .. } => FailureCode::BadIndex,
            OpError::Root => FailureCode::Root,
            OpError::IntoItself { .. } => FailureCode::IntoItself,
            OpError::NotARename { .. } => FailureCode::NotARename,
            OpError::Unexpected { .. } | OpError::UnexpectedParent { .. } => {
                FailureCode::PreconditionFailed
            }
            OpError::Refused(refusal) => return Failure::refused(refusal),
            _ => FailureCode::RefusedByDocument,
        };
        let mut failure = Failure::new(code, error.to_string());
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
