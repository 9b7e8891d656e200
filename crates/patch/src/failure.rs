//! Why an operation was not applied: a closed set of codes, and what is shown of expected and found values.
//!
//! File contents are not echoed (CS-60, X-39): values appear as a type and a digest unless the caller asks for them,
//! and whatever is long is cut at a fixed number of bytes (CS-61).

use std::collections::BTreeMap;

use document::{Expects, OpError, ParseError, ParseErrorKind, Pointer, Refusal, Value};
use edit::ContentHash;
use snapshot::RelPath;

/// What is shown of a value or a message, in bytes.
const MAX_SHOWN: usize = 200;

/// Why an operation failed. The names are part of the report format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names and their explanations say it")]
pub enum Code {
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

impl Code {
    /// Every code.
    pub const ALL: [Code; 35] = [
        Code::PreconditionFailed,
        Code::PointerMissing,
        Code::NotAnObject,
        Code::NotAnArray,
        Code::KeyExists,
        Code::IndexOutOfRange,
        Code::BadIndex,
        Code::Root,
        Code::IntoItself,
        Code::NotARename,
        Code::RefusedByDocument,
        Code::ParseFailed,
        Code::UnsupportedFormat,
        Code::FileMissing,
        Code::FileExists,
        Code::CaseCollision,
        Code::NotADirectory,
        Code::NotAFile,
        Code::UidUnknown,
        Code::UidInUse,
        Code::PathMismatch,
        Code::OutsideRoot,
        Code::Link,
        Code::TooLarge,
        Code::ReadOnly,
        Code::PathTooLong,
        Code::NestedRepository,
        Code::Protected,
        Code::Conflict,
        Code::OverlappingOps,
        Code::Stale,
        Code::WorkspaceMismatch,
        Code::InvalidEdit,
        Code::InvalidDocument,
        Code::Budget,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Code::PreconditionFailed => "precondition_failed",
            Code::PointerMissing => "pointer_missing",
            Code::NotAnObject => "not_an_object",
            Code::NotAnArray => "not_an_array",
            Code::KeyExists => "key_exists",
            Code::IndexOutOfRange => "index_out_of_range",
            Code::BadIndex => "bad_index",
            Code::Root => "root",
            Code::IntoItself => "into_itself",
            Code::NotARename => "not_a_rename",
            Code::RefusedByDocument => "refused_by_document",
            Code::ParseFailed => "parse_failed",
            Code::UnsupportedFormat => "unsupported_format",
            Code::FileMissing => "file_missing",
            Code::FileExists => "file_exists",
            Code::CaseCollision => "case_collision",
            Code::NotADirectory => "not_a_directory",
            Code::NotAFile => "not_a_file",
            Code::UidUnknown => "uid_unknown",
            Code::UidInUse => "uid_in_use",
            Code::PathMismatch => "path_mismatch",
            Code::OutsideRoot => "outside_root",
            Code::Link => "link",
            Code::TooLarge => "too_large",
            Code::ReadOnly => "read_only",
            Code::PathTooLong => "path_too_long",
            Code::NestedRepository => "nested_repository",
            Code::Protected => "protected",
            Code::Conflict => "conflict",
            Code::OverlappingOps => "overlapping_ops",
            Code::Stale => "stale",
            Code::WorkspaceMismatch => "workspace_mismatch",
            Code::InvalidEdit => "invalid_edit",
            Code::InvalidDocument => "invalid_document",
            Code::Budget => "budget",
        }
    }

    /// What to do about it.
    pub fn advice(self) -> &'static str {
        match self {
            Code::PreconditionFailed => {
                "the file is not what the patch was made for; make the patch again"
            }
            Code::PointerMissing => "point at something that is there",
            Code::NotAnObject => "point at an object",
            Code::NotAnArray => "point at an array",
            Code::KeyExists => "replace the value instead, or remove the key first",
            Code::IndexOutOfRange | Code::BadIndex => "use an index that the array has",
            Code::Root => "name a key or an item, or delete the file",
            Code::IntoItself | Code::NotARename => "move it somewhere else",
            Code::RefusedByDocument => {
                "change the operation, or edit the file by hand at this place"
            }
            Code::ParseFailed => "repair the file's syntax first",
            Code::UnsupportedFormat => "only JSON, YAML and TOML files have places to point at",
            Code::FileMissing => "check the path, or add the file first",
            Code::FileExists | Code::CaseCollision | Code::NotADirectory => "choose another path",
            Code::NotAFile => "only regular files can be changed",
            Code::UidUnknown => "use a uid of `.regreen/files.json`, or `path:` and the path",
            Code::UidInUse => "choose a new uid",
            Code::PathMismatch => "leave the path out, or make the patch again",
            Code::OutsideRoot => {
                "use a path of the workspace's own files, relative to its root, with `/`"
            }
            Code::Link => "name the place itself, not a link to it",
            Code::TooLarge => "split the file, or edit it by hand",
            Code::ReadOnly => "make the file writable first",
            Code::PathTooLong => "choose a shorter path",
            Code::NestedRepository => "run regreen in that repository",
            Code::Protected => "change it by hand, or clear up first what protects it",
            Code::Conflict | Code::OverlappingOps => "keep one of the two operations",
            Code::Stale => "make the patch again from the files as they are",
            Code::WorkspaceMismatch => {
                "apply it where it belongs, or correct `target_workspace_uid`"
            }
            Code::InvalidEdit | Code::InvalidDocument => "correct the patch document",
            Code::Budget => "split the patch into smaller ones",
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
    pub code: Code,
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
    pub code: Code,
    /// Why, as the rest of a sentence that starts with "because".
    pub reason: String,
}

/// The paths that must not be touched.
pub type RefusedPaths = BTreeMap<RelPath, Refused>;

/// A failure before it is known to which operation it belongs.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Failure {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) at: Option<Pointer>,
    pub(crate) expected: Option<String>,
    pub(crate) found: Option<String>,
    /// Where in the file's text the reason stands.
    pub(crate) offset: Option<u32>,
}

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Failure {
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
        let mut failure = Failure::new(Code::RefusedByDocument, refusal.to_string());
        failure.offset = Some(refusal.offset);
        failure
    }

    pub(crate) fn unparsed(path: &str, error: &ParseError) -> Failure {
        let code = match error.kind {
            ParseErrorKind::TooLarge => Code::TooLarge,
            _ => Code::ParseFailed,
        };
        let mut failure = Failure::new(code, format!("{path} cannot be parsed: {}", error.message));
        failure.offset = Some(error.offset);
        failure
    }

    pub(crate) fn of_op(error: &OpError, show_values: bool) -> Failure {
        let code = match error {
            OpError::Missing { .. } => Code::PointerMissing,
            OpError::NotAnObject { .. } => Code::NotAnObject,
            OpError::NotAnArray { .. } => Code::NotAnArray,
            OpError::KeyExists { .. } => Code::KeyExists,
            OpError::OutOfRange { .. } => Code::IndexOutOfRange,
            OpError::BadIndex { .. } => Code::BadIndex,
            OpError::Root => Code::Root,
            OpError::IntoItself { .. } => Code::IntoItself,
            OpError::NotARename { .. } => Code::NotARename,
            OpError::Unexpected { .. } | OpError::UnexpectedParent { .. } => {
                Code::PreconditionFailed
            }
            OpError::Refused(refusal) => return Failure::refused(refusal),
            _ => Code::RefusedByDocument,
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

fn show_expects(expects: &Expects, show_values: bool) -> String {
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
