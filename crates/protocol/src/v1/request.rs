//! What front ends ask for. Requests do not travel between programs yet, so they have no schema.

use super::report::PatchKind;

/// A patch document as the user handed it over.
#[derive(Clone, Debug)]
pub struct PatchInput {
    /// How to name it in messages: the path as typed, or `<stdin>`.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What kind it is; told by its members if not given.
    pub kind: Option<PatchKind>,
}

/// `validate` and `apply`.
#[derive(Clone, Debug)]
pub struct RunPatch {
    /// The document.
    pub patch: PatchInput,
    /// Show values in the report, not only types and digests.
    pub show_values: bool,
    /// Make the diffs; a front end that shows none saves their time and memory.
    pub with_diffs: bool,
}

/// What a patch document can be turned into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conversion {
    /// A changeset.
    Changeset,
    /// Fix actions.
    FixActions,
    /// Byte edits.
    Edits,
    /// A unified diff.
    Diff,
}

/// `convert`.
#[derive(Clone, Debug)]
pub struct Convert {
    /// The document.
    pub patch: PatchInput,
    /// What to turn it into.
    pub to: Conversion,
    /// Refuse members that only regreen understands.
    pub strict: bool,
}

/// `undo`.
#[derive(Clone, Debug)]
pub struct Undo {
    /// Which transaction; the newest that is not undone if none is named.
    pub transaction: Option<String>,
    /// Say what would be done and write nothing.
    pub dry_run: bool,
    /// Make the diffs, unless the files are large.
    pub with_diffs: bool,
}

/// `log`.
#[derive(Clone, Copy, Debug)]
pub struct Log {
    /// Keep this many transactions and forget older ones, which can then no longer be undone.
    pub prune: Option<usize>,
}
