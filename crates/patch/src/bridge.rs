//! From fix actions to changesets and back (FA-50, FA-51; the tables B-1 and B-2).
//!
//! Conversion runs with a simulation, because several choices depend on what is there before each operation, and ends
//! with one: both documents are simulated and must make the same change. What cannot be expressed is refused and
//! listed; what is only said differently is kept in regreen's extensions, which a strict conversion does not write.
//!
//! ```
//! use document::{Format, Limits};
//! use edit::Text;
//! use patch::bridge::{Context, to_changeset, to_fix_actions};
//! use patch::{Patch, read};
//! use snapshot::{Entry, File, FileIndex, RelPath, Snapshot};
//!
//! let file = Entry::File(File::new(Text::new("port: eighty\n"), 0o644));
//! let snapshot = Snapshot::new([(RelPath::parse("app.yaml")?, file)].into())?;
//! let index = FileIndex::default();
//! let context = Context { snapshot: &snapshot, index: &index, limits: Limits::DEFAULT, strict: false };
//!
//! let text = Text::new(
//!     "changeset_uid: port\nops:\n  - {type: set_value, file_uid: 'path:app.yaml', json_pointer: /port, value: 80}\n",
//! );
//! let Ok(Patch::Changeset(changeset)) = read("port.yaml", &text, Format::Yaml, None, &Limits::DEFAULT) else {
//!     panic!("it follows its contract")
//! };
//!
//! let actions = to_fix_actions(&changeset, &context)?.document;
//! assert_eq!(actions.fix_actions[0].ops[0].kind.name(), "replace_value");
//!
//! let back = to_changeset(&actions, &context)?.document;
//! assert_eq!(back.ops[0].kind.name(), "set_value");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod to_changeset;
mod to_fix_actions;

pub use to_changeset::to_changeset;
pub use to_fix_actions::to_fix_actions;

use document::Limits;
use snapshot::{FileIndex, Snapshot};

use crate::failure::FailedOp;
use crate::kind::Patch;
use crate::simulate::{Options, Simulation, simulate};

/// A converted document.
#[derive(Clone, PartialEq, Debug)]
pub struct Converted<T> {
    /// The document.
    pub document: T,
    /// What it no longer says.
    pub losses: Vec<Note>,
}

/// A remark about one operation of the document that was converted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The fix action that it belongs to.
    pub action_id: Option<String>,
    /// Its index among the operations of its action, or of the changeset.
    pub op_index: usize,
    /// The remark.
    pub reason: String,
}

/// Why a document was not converted.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The document cannot be applied to begin with, so there is no effect to keep.
    #[error("the document cannot be applied, so there is nothing to convert")]
    Inapplicable(Box<Simulation>),
    /// Operations that the other contract cannot express, or not without an extension.
    #[error("{} operation(s) cannot be expressed in the other contract", .0.len())]
    NotExpressible(Vec<Note>),
    /// The converted document would do something else: these operations of the original, by the names and numbers that they
    /// have there, fail when they are converted.
    #[error("the converted document would not have the same effect")]
    DifferentEffect(Vec<FailedOp>),
}

/// The files that a conversion looks at, and whether it may write extensions.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The files.
    pub snapshot: &'a Snapshot,
    /// Which file is which.
    pub index: &'a FileIndex,
    /// Bounds on the files that are parsed.
    pub limits: Limits,
    /// Refuse what needs an extension (`expects`, `expects_parent`, `keep_position`), and leave `x_` members out.
    pub strict: bool,
}

impl Context<'_> {
    fn options(&self) -> Options<'static> {
        Options { limits: self.limits, ..Options::DEFAULT }
    }

    fn simulate(&self, patch: &Patch) -> Simulation {
        simulate(patch, self.snapshot, self.index, &self.options())
    }

    /// Simulates a document that is to be converted.
    fn simulate_first(&self, patch: &Patch) -> Result<Simulation, ConvertError> {
        let simulation = self.simulate(patch);
        if simulation.ok {
            Ok(simulation)
        } else {
            Err(ConvertError::Inapplicable(Box::new(simulation)))
        }
    }

    /// The number of the first operation with which two documents of `n` operations do different things. They are given by
    /// how many of their operations they keep; that they differ in the end is known.
    fn first_different(
        &self,
        n: usize,
        original: impl Fn(usize) -> Patch,
        converted: impl Fn(usize) -> Patch,
    ) -> usize {
        let (mut same, mut different) = (0, n);
        while different - same > 1 {
            let middle = same + (different - same) / 2;
            let (left, right) =
                (self.simulate(&original(middle)), self.simulate(&converted(middle)));
            if left.ok == right.ok && left.change == right.change {
                same = middle;
            } else {
                different = middle;
            }
        }
        same
    }

    /// Whether a converted document does what the original did.
    fn has_same_effect(
        &self,
        original: &Simulation,
        converted: &Patch,
    ) -> Result<(), ConvertError> {
        let simulation = self.simulate(converted);
        if simulation.ok && simulation.change == original.change {
            Ok(())
        } else {
            Err(ConvertError::DifferentEffect(simulation.failed))
        }
    }
}
