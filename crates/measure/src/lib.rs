//! What a change to a tree does, measured on the two trees and on nothing that anybody says about it: which paths changed,
//! which dependencies are new, which definitions were moved or renamed.
//!
//! [`changes`] compares the snapshot before with the snapshot after, and [`violations`] holds the result against a scope
//! (the paths that may change) and [`Constraints`] (`max_files_changed`, `no_new_dependencies`, `no_refactor`). What
//! cannot be judged, because it is broken, unread or too large, is a violation and never a pass. `docs/constraints.md`
//! tells people how each constraint is measured and what is not (DF-38).
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use edit::Text;
//! use measure::{Constraints, ScopeEntry, changes, violations};
//! use snapshot::{Entry, File, RelPath, Snapshot};
//!
//! let tree = |manifest: &str| {
//!     let path = RelPath::parse("package.json").expect("a relative path");
//!     let file = Entry::File(File::new(Text::new(manifest), 0o644));
//!     Snapshot::new(BTreeMap::from([(path, file)])).expect("one file is a tree")
//! };
//! let before = tree(r#"{ "dependencies": { "left": "1.0.0" } }"#);
//! let after = tree(r#"{ "dependencies": { "left": "1.0.1", "right": "2.0.0" } }"#);
//!
//! let scope = [ScopeEntry::parse("package.json")?];
//! let constraints = Constraints { no_new_dependencies: Some(true), ..Constraints::default() };
//! let found = violations(&changes(&before, &after), &before, &after, &scope, &constraints);
//!
//! // A newer `left` is not a new dependency; `right` is.
//! assert_eq!(found.len(), 1);
//! assert!(found[0].to_string().starts_with("no_new_dependencies: package.json: new"));
//! # Ok::<(), measure::ScopeError>(())
//! ```
//!
//! Everything here is pure, and the work is bounded whatever the bytes are: each reader has a limit of its own, and none
//! recurses without one.
//!
//! Knows nothing about records, approvals, registries or processes.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.
#![warn(missing_docs)]

mod changes;
mod constraints;
mod dependencies;
mod lexer;
mod reach;
mod refactor;
mod scope;
mod similarity;

use std::fmt;

use snapshot::{RelPath, Snapshot};

pub use changes::changes;
pub use constraints::Constraints;
pub use scope::{ScopeEntry, ScopeError};

/// The most violations of one constraint that are named one by one.
pub const MAX_VIOLATIONS: usize = 50;

/// One path that is not as it was.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PathChange {
    /// The path; of a rename, the new one.
    pub path: RelPath,
    /// What happened to it.
    pub kind: ChangeKind,
}

/// What happened to a path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ChangeKind {
    /// A file came into being.
    Create,
    /// A file has other bytes, and perhaps another mode.
    Modify,
    /// A file or a link is gone.
    Delete,
    /// A file is gone and one with the same or similar lines has come.
    Rename {
        /// Where it was.
        from: RelPath,
    },
    /// Only the permission bits differ.
    Mode,
    /// A link came, or changed.
    Link(LinkChange),
    /// An empty directory was made.
    DirectoryMade,
    /// An empty directory was removed.
    DirectoryRemoved,
    /// A pipe, a socket or a device came, went or took the place of something else.
    Special,
}

/// How a link came or changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LinkChange {
    /// Nothing was there before.
    Created,
    /// It leads elsewhere.
    Retargeted,
    /// It took the place of a file.
    FromFile,
    /// A file took its place.
    ToFile,
}

impl ChangeKind {
    /// The value of the member `kind` in reports.
    pub fn name(&self) -> &'static str {
        match self {
            ChangeKind::Create | ChangeKind::DirectoryMade => "create",
            ChangeKind::Modify => "modify",
            ChangeKind::Delete | ChangeKind::DirectoryRemoved => "delete",
            ChangeKind::Rename { .. } => "rename",
            ChangeKind::Mode => "mode",
            ChangeKind::Link(_) => "link",
            ChangeKind::Special => "special",
        }
    }
}

/// How many files changed, as `max_files_changed` counts them: every change is one, a rename with changed lines and a
/// changed file with another mode included.
pub fn files_changed(changes: &[PathChange]) -> usize {
    changes.len()
}

/// What a violation is one of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Constraint {
    /// `allowed_paths`.
    Scope,
    /// `max_files_changed`.
    MaxFilesChanged,
    /// `no_new_dependencies`.
    NoNewDependencies,
    /// `no_refactor`.
    NoRefactor,
}

impl Constraint {
    /// The member of a record that sets it.
    pub fn name(self) -> &'static str {
        match self {
            Constraint::Scope => "allowed_paths",
            Constraint::MaxFilesChanged => "max_files_changed",
            Constraint::NoNewDependencies => "no_new_dependencies",
            Constraint::NoRefactor => "no_refactor",
        }
    }
}

/// Something that a record does not allow.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Violation {
    /// What does not allow it.
    pub constraint: Constraint,
    /// The path that it is about, unless it is about the change as a whole.
    pub path: Option<RelPath>,
    /// What is wrong, in words.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.constraint.name())?;
        if let Some(path) = &self.path {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// What is found by one measure: a path, if it is about one, and the words.
type Finding = (Option<RelPath>, String);

/// Everything that the changes break, in the order of constraints and paths. `changes` are those from `before` to
/// `after`. Of each constraint at most [`MAX_VIOLATIONS`] are named; a last one says how many more there are.
pub fn violations(
    changes: &[PathChange],
    before: &Snapshot,
    after: &Snapshot,
    scope: &[ScopeEntry],
    constraints: &Constraints,
) -> Vec<Violation> {
    let mut all = Vec::new();
    report(&mut all, Constraint::Scope, reach::outside(changes, before, after, scope));
    if let Some(limit) = constraints.max_files_changed
        && files_changed(changes) > limit as usize
    {
        let message = format!("{} files changed, the limit is {limit}", files_changed(changes));
        report(&mut all, Constraint::MaxFilesChanged, vec![(None, message)]);
    }
    if constraints.no_new_dependencies == Some(true) {
        report(
            &mut all,
            Constraint::NoNewDependencies,
            dependencies::new_dependencies(changes, before, after),
        );
    }
    if constraints.no_refactor == Some(true) {
        report(&mut all, Constraint::NoRefactor, refactor::refactorings(changes, before, after));
    }
    all
}

fn report(all: &mut Vec<Violation>, constraint: Constraint, mut findings: Vec<Finding>) {
    findings.sort();
    findings.dedup();
    let rest = findings.len().saturating_sub(MAX_VIOLATIONS);
    findings.truncate(MAX_VIOLATIONS);
    all.extend(findings.into_iter().map(|(path, message)| Violation { constraint, path, message }));
    if rest > 0 {
        all.push(Violation { constraint, path: None, message: format!("and {rest} more") });
    }
}
