//! The operations on a document: the ten of the two patch contracts, with their preconditions and failures.

use crate::pointer::Pointer;
use crate::refusal::Refusal;
use crate::value::{JsonType, Value};

/// One operation.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    /// The value at `at` becomes `value`; it must exist.
    ReplaceValue {
        /// The place.
        at: Pointer,
        /// The new value.
        value: Value,
    },
    /// The object at `at` gets a new last key; it must not have it yet.
    AddKey {
        /// The object.
        at: Pointer,
        /// The new key.
        key: String,
        /// Its value.
        value: Value,
    },
    /// The object at `at` loses a key that it must have.
    RemoveKey {
        /// The object.
        at: Pointer,
        /// The key.
        key: String,
    },
    /// A key of the object at `at` gets a new name and keeps its place and value.
    RenameKey {
        /// The object.
        at: Pointer,
        /// The old name, which must be there.
        from: String,
        /// The new name, which must not.
        to: String,
    },
    /// The array at `at` gets a new item.
    InsertItem {
        /// The array.
        at: Pointer,
        /// Where, `0..=len`; `None` appends.
        index: Option<usize>,
        /// The new item.
        value: Value,
    },
    /// An item of the array at `at` becomes `value`.
    ReplaceItem {
        /// The array.
        at: Pointer,
        /// Which item, below the length.
        index: usize,
        /// The new item.
        value: Value,
    },
    /// The array at `at` loses an item.
    DeleteItem {
        /// The array.
        at: Pointer,
        /// Which item, below the length.
        index: usize,
    },
    /// The value at `at` is replaced, or created as a new last key of an existing object.
    SetValue {
        /// The place.
        at: Pointer,
        /// The new value.
        value: Value,
    },
    /// The key or item at `at` goes away.
    DeleteValue {
        /// The place.
        at: Pointer,
    },
    /// The value at `from` is deleted and then set at `to`, as one step.
    MoveValue {
        /// Where it was.
        from: Pointer,
        /// Where it goes; resolved after the deletion.
        to: Pointer,
        /// Rename in place instead: both in one object, `to` absent.
        keep_position: bool,
    },
}

impl Op {
    /// The value that the operation brings into the document.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Op::ReplaceValue { value, .. }
            | Op::AddKey { value, .. }
            | Op::InsertItem { value, .. }
            | Op::ReplaceItem { value, .. }
            | Op::SetValue { value, .. } => Some(value),
            Op::RemoveKey { .. }
            | Op::RenameKey { .. }
            | Op::DeleteItem { .. }
            | Op::DeleteValue { .. }
            | Op::MoveValue { .. } => None,
        }
    }
}

/// What must hold of the addressed slot before an operation; all members that are there must hold.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Preconditions {
    /// The slot's type.
    pub json_type: Option<JsonType>,
    /// The slot's value (object order ignored, numbers by value).
    pub equals: Option<Value>,
    /// Whether the slot is there.
    pub exists: Option<bool>,
    /// How many items the array has.
    pub length: Option<usize>,
}

/// An operation with its preconditions.
#[derive(Clone, PartialEq, Debug)]
pub struct GuardedOp {
    /// What to do.
    pub op: Op,
    /// In which document of the text, from 0: others than 0 are in YAML streams only.
    pub document: usize,
    /// What must hold of the addressed slot.
    pub expects: Preconditions,
    /// The type that the container of the addressed slot must have.
    pub expects_parent: Option<JsonType>,
}

impl From<Op> for GuardedOp {
    fn from(op: Op) -> GuardedOp {
        GuardedOp { op, document: 0, expects: Preconditions::default(), expects_parent: None }
    }
}

/// Why an operation was not applied. Nothing of it was.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpError {
    /// There is nothing at `at`, the first segment of the pointer that leads nowhere.
    #[error("there is nothing at `{at}`")]
    Missing {
        /// The place that does not exist.
        at: Pointer,
    },
    /// The operation needs an object.
    #[error("`{at}` is {} {found}, not an object", found.article())]
    NotAnObject {
        /// The place.
        at: Pointer,
        /// What stands there.
        found: JsonType,
    },
    /// The operation needs an array.
    #[error("`{at}` is {} {found}, not an array", found.article())]
    NotAnArray {
        /// The place.
        at: Pointer,
        /// What stands there.
        found: JsonType,
    },
    /// The key already exists.
    #[error("`{at}` already exists")]
    KeyExists {
        /// The place.
        at: Pointer,
    },
    /// The index is beyond the array.
    #[error("index {index} is out of range, the array at `{at}` has {len} item(s)")]
    OutOfRange {
        /// The array.
        at: Pointer,
        /// The index.
        index: usize,
        /// The number of items.
        len: usize,
    },
    /// A segment that addresses an array is not an index.
    #[error("expected a decimal index of an array at `{at}`")]
    BadIndex {
        /// The place.
        at: Pointer,
    },
    /// The text has fewer documents.
    #[error("document {index} is out of range, the file has {n_documents} document(s)")]
    NoDocument {
        /// The document that was asked for, from 0.
        index: usize,
        /// How many there are.
        n_documents: usize,
    },
    /// The root cannot be deleted, moved or renamed.
    #[error("the root of a document cannot be deleted or moved")]
    Root,
    /// A value cannot be moved into itself.
    #[error("`{from}` cannot be moved into itself")]
    IntoItself {
        /// The value.
        from: Pointer,
    },
    /// `keep_position` needs two keys of one object.
    #[error("only a rename inside one object can keep the position")]
    NotARename {
        /// The value.
        from: Pointer,
    },
    /// A precondition does not hold.
    #[error("the precondition on `{at}` does not hold")]
    Unexpected {
        /// The slot.
        at: Pointer,
        /// What was expected of it.
        expects: Preconditions,
        /// What is there; `None` where nothing is.
        found: Option<Value>,
    },
    /// The container of the slot has another type than expected.
    #[error("the container of `{at}` is not {} {expected}", expected.article())]
    UnexpectedParent {
        /// The slot.
        at: Pointer,
        /// The type that was expected of its container.
        expected: JsonType,
        /// The type it has; `None` where there is no container.
        found: Option<JsonType>,
    },
    /// The document cannot take the change without risk.
    #[error("{0}")]
    Refused(Refusal),
}

impl From<Refusal> for OpError {
    fn from(refusal: Refusal) -> OpError {
        OpError::Refused(refusal)
    }
}
