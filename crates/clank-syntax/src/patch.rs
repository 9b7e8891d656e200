//! Patch operations: changes to a tree by the ids of its nodes (RS-19..RS-32).
//!
//! A patch is applied whole or not at all. What it does not touch keeps its id and its place in the text, so that the same
//! change can be made to the text: [`edits`] says which bytes differ.
//!
//! A payload may hold `{ "node": "n7" }` wherever a node may stand: the node of the tree with that id, moved there. It
//! keeps its id and its bytes.
//!
//! ```
//! use clank_syntax::patch::{PatchOp, edits, patch};
//! use clank_syntax::ast::NodeId;
//! use clank_syntax::{parse, print};
//! use edit::Text;
//!
//! let text = "fn area(w: Int, h: Int) -> Int { w * hh } // in metres\n";
//! let parsed = parse("area.clank", text);
//! let ast = &parsed.ast;
//! let is_typo = |it: &NodeId| ast.text(*it) == "hh";
//! let typo = ast.subtree(ast.root()).map(NodeId).find(is_typo).expect("it is in the text");
//!
//! let op = serde_json::json!({
//!     "op": "replace_node",
//!     "node_id": ast.ids().id(typo).to_string(),
//!     "new_node": {"source": "h"}
//! });
//! let op = PatchOp::from_json(&op)?;
//! let patched = patch(ast, &[op])?;
//!
//! // The tree is another one; in the text only the name differs.
//! assert!(print(&patched.ast).contains("w * h"));
//! let edits = edits(&parsed, &patched)?;
//! let after = edits.apply(&Text::new(text)).expect("the edits were made for this text");
//! assert_eq!(after.bytes(), b"fn area(w: Int, h: Int) -> Int { w * h } // in metres\n");
//! # Ok::<(), clank_syntax::patch::PatchError>(())
//! ```

mod apply;
mod carry;
mod error;
mod json;
mod lists;
mod local;
mod names;
mod payload;
mod signature;
mod slot;
mod text;

pub use apply::{Patched, apply, patch};
pub use carry::carry;
pub use error::PatchError;
pub use local::Patchable;
pub use names::{name_at, rename_at};
pub use text::edits;

use crate::ast::Name;

/// One change to a tree. Ids are those of the tree before the whole patch; a node made by an operation has the id that it
/// was given, if any.
#[derive(Clone, PartialEq, Debug)]
pub enum PatchOp {
    /// Puts another node in the place of one. It inherits the id.
    ReplaceNode {
        /// What goes.
        node_id: Name,
        /// What comes.
        new_node: Payload,
    },
    /// Puts a statement before another; before the statement around it if the target is an expression.
    InsertBefore {
        /// A statement, or an expression in one.
        target_id: Name,
        /// The statement.
        new_statement: Payload,
    },
    /// Puts a statement after another.
    InsertAfter {
        /// A statement, or an expression in one.
        target_id: Name,
        /// The statement.
        new_statement: Payload,
    },
    /// Puts a node around another.
    Wrap {
        /// What is wrapped; it keeps its id.
        node_id: Name,
        /// What is put around it, with a hole in it.
        wrapper: Payload,
        /// The name of the hole. It occurs exactly once in the wrapper.
        hole_ref: Name,
    },
    /// Takes out a node of a list: a statement, a declaration, an arm, an argument, an element, a parameter, a field.
    DeleteNode {
        /// What goes.
        node_id: Name,
    },
    /// Adds effects to what a function says it does.
    WidenEffect {
        /// The function.
        fn_id: Name,
        /// The effects; those that it has already are not mistakes.
        add_effects: Vec<Name>,
    },
    /// Changes the name at one place: an identifier, a pattern, a named type, a constructor.
    RenameSymbol {
        /// The node that the name is at.
        node_id: Name,
        /// What it is now: anything else is refused.
        old_name: Name,
        /// What it becomes.
        new_name: Name,
    },
    /// Changes the name of what a node declares, there and wherever it is used.
    Rename {
        /// The node that declares it.
        symbol_id: Name,
        /// What it becomes.
        new_name: Name,
    },
    /// Changes the name of a field where it is used: in an access, a record literal or a record pattern.
    RenameField {
        /// The node that the field's name is at.
        node_id: Name,
        /// What it is now: anything else is refused.
        old_name: Name,
        /// What it becomes.
        new_name: Name,
    },
    /// Adds a field to a record.
    AddField {
        /// The declaration of the record, or a record type.
        type_id: Name,
        /// `{ name, type }`
        field: Payload,
    },
    /// Adds a parameter to a function.
    AddParam {
        /// The function.
        fn_id: Name,
        /// `{ name, type }`
        param: Payload,
        /// How many parameters come before it; at the end without it.
        position: Option<u32>,
    },
    /// Adds a predicate to a type.
    AddRefinement {
        /// The type.
        type_id: Name,
        /// The predicate.
        predicate: Payload,
    },
}

/// A node that an operation brings, as AST JSON; `{ "source": … }` may stand for any part of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Payload(pub serde_json::Value);
