//! Why a patch cannot be applied.

use crate::ast::Name;
use crate::json::JsonError;

/// Why a patch cannot be applied. Nothing of it is.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// No node has the id.
    #[error("cannot find node `{id}`; the patch is for another version of the program")]
    Unknown {
        /// The id.
        id: Name,
    },
    /// An operation, or what it brings, cannot be read.
    #[error("{path}: {message}")]
    Unreadable {
        /// The member it is about, from the operation on: `$.new_node.left`.
        path: String,
        /// What is wrong.
        message: String,
    },
    /// The node is not what the operation is for.
    #[error("the node `{id}` is {found}, not {expected}")]
    Category {
        /// The node.
        id: Name,
        /// What it is.
        found: &'static str,
        /// What the operation is for.
        expected: &'static str,
    },
    /// The node does not have the name that is to be changed.
    #[error(
        "the name at `{id}` is `{found}`, not `{old_name}`; the patch is for another version of the program"
    )]
    OldName {
        /// The node.
        id: Name,
        /// The name that the operation states.
        old_name: Name,
        /// The name that it has.
        found: Name,
    },
    /// A name that cannot stand there.
    #[error("`{name}` cannot be the name at `{id}`: {rule}")]
    IllegalName {
        /// The node.
        id: Name,
        /// The name.
        name: Name,
        /// What a name must be there.
        rule: &'static str,
    },
    /// The hole of a wrapper does not occur exactly once.
    #[error("the hole `{hole_ref}` occurs {n_times} times in the wrapper, not once")]
    Hole {
        /// The hole's name.
        hole_ref: Name,
        /// How often it occurs.
        n_times: usize,
    },
    /// A node would stand at two places.
    #[error("the node `{id}` would occur in two places")]
    TwoPlaces {
        /// The node.
        id: Name,
    },
    /// An id would be given to two nodes.
    #[error("the id `{id}` would be given to two nodes")]
    IdInUse {
        /// The id.
        id: Name,
    },
    /// Two operations cannot both be done.
    #[error("another operation of the patch removes or replaces the node `{id}`")]
    Conflict {
        /// The node that both are about.
        id: Name,
    },
    /// The operation cannot be done at this node.
    #[error("the node `{id}` {reason}")]
    Refused {
        /// The node.
        id: Name,
        /// Why.
        reason: &'static str,
    },
    /// A `rename` that was not made into renames of all places with the name.
    #[error("the uses of the name that `{symbol_id}` declares are not known here")]
    NeedsNames {
        /// The node that declares it.
        symbol_id: Name,
    },
    /// The program would be nested too deep to be a text.
    #[error("the program would be nested more than {} levels deep", crate::ast::MAX_NESTING)]
    TooDeep,
    /// The tree is not that of the text, or the edits do not fit.
    #[error("the text is not the one that the tree was read from")]
    OtherText,
}

impl PatchError {
    /// The first mistake in a payload, with its path from the operation on.
    pub(super) fn unreadable(member: &str, errors: Vec<JsonError>) -> PatchError {
        let (path, message) = match errors.into_iter().next() {
            Some(error) => (error.path, error.message),
            None => ("$".into(), "it cannot be read".into()),
        };
        let rest = path.strip_prefix('$').unwrap_or(&path);
        PatchError::Unreadable { path: format!("$.{member}{rest}"), message }
    }
}
