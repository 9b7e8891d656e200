//! Version 1 of the two patch contracts on the wire: fix-action documents and changesets as plain values.
//!
//! Reading starts from a [`document::Value`], so that JSON and YAML are one thing (FA-10), reports every problem
//! with the place in the patch document, and refuses members that the contract does not know, except those that
//! start with `x_`, which are kept (FA-15, X-27). Writing gives the contract's member order.

mod changeset;
pub(crate) mod decode;
mod encode;
mod fix_actions;
mod schema;

pub use changeset::{Changeset, ChangesetOp, ChangesetOpKind};
pub use decode::{Problem, ProblemKind};
pub use fix_actions::{DiagnosticTarget, FixAction, FixActions, FixOp, FixOpKind};
pub use schema::schemas;

pub(crate) use changeset::decode_changeset;
pub(crate) use encode::{integer, members, string};
pub(crate) use fix_actions::decode_fix_actions;

use document::{JsonType, Value};

/// Members that start with `x_`, in document order: nobody reads them, nothing loses them.
pub type Extra = Vec<(String, Value)>;

/// What must hold of the addressed slot before an operation (FA-36..FA-43). `length` is for changesets only.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Expects {
    /// The slot's type.
    pub json_type: Option<JsonType>,
    /// The slot's value.
    pub equals: Option<Value>,
    /// Whether the slot is there.
    pub exists: Option<bool>,
    /// How many items the array has.
    pub length: Option<usize>,
    /// Members that start with `x_`.
    pub extra: Extra,
}

impl Expects {
    /// Whether there is nothing to check and nothing to write.
    pub fn is_empty(&self) -> bool {
        *self == Expects::default()
    }

    pub(crate) fn to_document(&self) -> document::Preconditions {
        document::Preconditions {
            json_type: self.json_type,
            equals: self.equals.clone(),
            exists: self.exists,
            length: self.length,
        }
    }
}
