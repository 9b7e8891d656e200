//! One repair: edits that a provider says would resolve findings, and what it claims about them.
//!
//! Fix actions, autofixes and repair candidates are views of this record. Nothing in it is trusted: what the edits
//! touch is computed when they are lowered, and what they resolve is looked at after they were tried.

use std::collections::BTreeSet;
use std::sync::Arc;

use document::GuardedOp;
use edit::{ContentHash, EditSet};
use snapshot::{NewFile, RelPath};

use crate::diagnostic::{Diagnostic, Severity};

/// What applying a repair may do to the meaning of the workspace. The order is from the safest on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Safety {
    /// Nothing that anybody could observe changes (RS-15).
    BehaviorPreserving,
    /// What was meant is beyond doubt, and it is what happens already or is declared to be meant (RS-16).
    LikelyPreserving,
    /// It may be a guess; a person decides (RS-17).
    BehaviorChanging,
}

impl Safety {
    /// Every level, the safest first.
    pub const ALL: [Safety; 3] =
        [Safety::BehaviorPreserving, Safety::LikelyPreserving, Safety::BehaviorChanging];

    /// The name on the wire (RS-6).
    pub fn name(self) -> &'static str {
        match self {
            Safety::BehaviorPreserving => "behavior_preserving",
            Safety::LikelyPreserving => "likely_preserving",
            Safety::BehaviorChanging => "behavior_changing",
        }
    }

    /// The level with that name on the wire.
    pub fn from_name(name: &str) -> Option<Safety> {
        Safety::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// How sure a provider is that the repair does what it claims. The order is from the surest on (RS-5).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Confidence {
    /// It works.
    High,
    /// It should work.
    Medium,
    /// It may work; it is applied only if it is named.
    Low,
}

impl Confidence {
    /// Every level, the surest first.
    pub const ALL: [Confidence; 3] = [Confidence::High, Confidence::Medium, Confidence::Low];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Confidence::High => "high",
            Confidence::Medium => "medium",
            Confidence::Low => "low",
        }
    }

    /// The level with that name on the wire.
    pub fn from_name(name: &str) -> Option<Confidence> {
        Confidence::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// What kind of change a repair is. The order is the order of preference (RS-7, RS-18).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RepairKind {
    /// Few nodes in one place.
    LocalFix,
    /// A check where data comes in.
    BoundaryValidation,
    /// The same meaning, arranged differently.
    Refactor,
    /// Another meaning.
    SemanticsChange,
}

impl RepairKind {
    /// Every kind, the preferred first.
    pub const ALL: [RepairKind; 4] = [
        RepairKind::LocalFix,
        RepairKind::BoundaryValidation,
        RepairKind::Refactor,
        RepairKind::SemanticsChange,
    ];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            RepairKind::LocalFix => "local_fix",
            RepairKind::BoundaryValidation => "boundary_validation",
            RepairKind::Refactor => "refactor",
            RepairKind::SemanticsChange => "semantics_change",
        }
    }
}

/// What a repair does about the cause of a finding. Computed from its edits, never stated by a provider; it acts on
/// choice and changes nothing that a contract states about safety, confidence and order. The order is from the best on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RepairClass {
    /// It changes code or data so that the cause is gone.
    Repair,
    /// It only removes what somebody wrote.
    Delete,
    /// It adds the missing thing as a declaration with a guessed shape.
    Declare,
    /// It puts something in the place that fails or means nothing when it is reached.
    Stub,
    /// It hides the message.
    Suppress,
}

impl RepairClass {
    /// Every class, the best first.
    pub const ALL: [RepairClass; 5] = [
        RepairClass::Repair,
        RepairClass::Delete,
        RepairClass::Declare,
        RepairClass::Stub,
        RepairClass::Suppress,
    ];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            RepairClass::Repair => "repair",
            RepairClass::Delete => "delete",
            RepairClass::Declare => "declare",
            RepairClass::Stub => "stub",
            RepairClass::Suppress => "suppress",
        }
    }
}

/// What a provider knows about a repair that its edits do not show. Without any of it the strictest reading counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Grounds {
    /// Whether a contract states its safety and confidence, as RS-58 does for Clank. They stay then, whatever the class.
    pub is_stated: bool,
    /// Whether what it removes is proven to be unused or to stand there twice.
    pub is_redundant: bool,
    /// What the provider takes it for. Counts where it is stricter than what the edits show.
    pub at_least: Option<RepairClass>,
    /// Whether it lays out whole files: it comes after all others, and is made with no other one in the same file, because
    /// it is right only for the text that it was made of.
    pub is_layout: bool,
    /// Whether its source repairs in steps: what it leaves may be for another rule of the source to repair, or for another
    /// source to take note of, one finding for what it resolves.
    pub is_step: bool,
}

/// How much a repair touches. Computed from what it lowers to, never stated by a provider (RS-8).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Scope {
    /// Whether more than one function is touched.
    pub crosses_function: bool,
    /// How many files are touched.
    pub files: u32,
    /// How many places are written.
    pub node_count: u32,
}

/// One part of a repair.
#[derive(Clone, PartialEq, Debug)]
pub enum RepairOp {
    /// An operation on a document. Its pointer means the document as it was checked, after the operations of the
    /// same repair that come before it.
    Document {
        /// The file.
        file: RelPath,
        /// The operation and what must hold before it.
        step: GuardedOp,
    },
    /// Byte edits to the text as it was checked.
    Text {
        /// The file.
        file: RelPath,
        /// The edits, bound to the hash of the text.
        edits: EditSet,
    },
    /// A file comes into being. Nothing is at its path, or the same repair takes it away from there.
    AddFile {
        /// The file.
        file: RelPath,
        /// What it holds.
        new: NewFile,
    },
    /// A file goes away.
    DeleteFile {
        /// The file.
        file: RelPath,
        /// The hash of what it holds.
        base: ContentHash,
    },
    /// A file gets another path. Edits of the same repair name it by the path that it has before.
    RenameFile {
        /// The file.
        file: RelPath,
        /// Its new path.
        to: RelPath,
        /// The hash of what it holds before any edit.
        base: ContentHash,
    },
}

impl RepairOp {
    /// The file that the operation is about, by the path that it has before; a new one by its own.
    pub fn file(&self) -> &RelPath {
        match self {
            RepairOp::Document { file, .. }
            | RepairOp::Text { file, .. }
            | RepairOp::AddFile { file, .. }
            | RepairOp::DeleteFile { file, .. }
            | RepairOp::RenameFile { file, .. } => file,
        }
    }

    /// Every path that the operation is about: both of a rename.
    pub fn files(&self) -> impl Iterator<Item = &RelPath> {
        let to = match self {
            RepairOp::RenameFile { to, .. } => Some(to),
            _ => None,
        };
        std::iter::once(self.file()).chain(to)
    }

    /// Whether it is about a file as a whole.
    pub fn is_file_operation(&self) -> bool {
        match self {
            RepairOp::Document { .. } | RepairOp::Text { .. } => false,
            RepairOp::AddFile { .. }
            | RepairOp::DeleteFile { .. }
            | RepairOp::RenameFile { .. } => true,
        }
    }
}

/// What a provider says about combining repairs, by their ids. Enforced or verified, never trusted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compatibility {
    /// Repairs that cannot be combined with this one, in either direction (RS-48).
    pub conflicts_with: Vec<String>,
    /// Repairs that must be applied before this one (RS-49).
    pub requires: Vec<String>,
    /// Repairs with the same key are said to commute (RS-50).
    pub batch_key: Option<String>,
    /// Errors that are worked on first (RS-33), by `diagnostic_id`: the repair waits while one of them stands.
    pub waits_for: Arc<[String]>,
}

/// Edits that a provider says would resolve findings. Atomic over all its operations and files.
#[derive(Clone, PartialEq, Debug)]
pub struct Repair {
    /// `r_` and 12 hex digits; empty until [`crate::assign_repair_ids`] has seen it.
    pub id: String,
    /// A short label, one line (RS-4, FA-18).
    pub title: String,
    /// Why this is the repair, for people (RS-13).
    pub rationale: String,
    /// The provider's plain name.
    pub source: String,
    /// The provider's phase that owns the rule (AE-47).
    pub phase: String,
    /// The rule whose finding it resolves.
    pub rule_id: String,
    /// The severity of that finding (FA-19).
    pub severity: Severity,
    /// How sure the provider is.
    pub confidence: Confidence,
    /// What it may do to the meaning.
    pub safety: Safety,
    /// What kind of change it is.
    pub kind: RepairKind,
    /// What to do, in order (RS-11).
    pub ops: Vec<RepairOp>,
    /// The `diagnostic_id` of every finding that will be gone, the one that it belongs to first (RS-12, AE-55). Findings
    /// that are obligations or holes are told apart by [`crate::Diagnostic::concern`].
    pub resolves: Vec<String>,
    /// The rules of findings that it brings to light, each as often as there is one: what could not be seen before in its
    /// files is not its doing.
    pub reveals: Vec<String>,
    /// What may be combined with it.
    pub compatibility: Compatibility,
    /// What its class, its safety and its confidence rest on beside the edits.
    pub grounds: Grounds,
}

impl Repair {
    /// A local fix that resolves one finding, which must have its id. Its rationale is its title until somebody says
    /// more; its own id comes from [`crate::assign_repair_ids`].
    pub fn resolving(
        finding: &Diagnostic,
        title: impl Into<String>,
        safety: Safety,
        confidence: Confidence,
        ops: Vec<RepairOp>,
    ) -> Repair {
        let title = title.into();
        Repair {
            id: String::new(),
            rationale: title.clone(),
            title,
            source: finding.source.clone(),
            phase: finding.phase.clone(),
            rule_id: finding.rule_id.clone(),
            severity: finding.severity,
            confidence,
            safety,
            kind: RepairKind::LocalFix,
            ops,
            resolves: vec![finding.diagnostic_id.clone()],
            reveals: Vec::new(),
            compatibility: Compatibility::default(),
            grounds: Grounds::default(),
        }
    }

    /// Every path that it touches, in order.
    pub fn files(&self) -> BTreeSet<&RelPath> {
        self.ops.iter().flat_map(RepairOp::files).collect()
    }

    /// Whether a file comes, goes or gets another path.
    pub fn has_file_operation(&self) -> bool {
        self.ops.iter().any(RepairOp::is_file_operation)
    }
}
