//! What a tool said, in our positions: findings, the fixes it offers for them, and what could not be used.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use check::{Safety, Severity};
use edit::{ContentHash, EditSet};
use snapshot::RelPath;

/// What a tool said about a tree.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ToolReport {
    /// What it found, in the order of files and places.
    pub findings: Vec<Finding>,
    /// Fixes that are not offered, and why.
    pub dropped: Vec<Dropped>,
    /// How many fixes were dropped beyond those that are listed.
    pub n_more_dropped: usize,
    /// Fixes of findings that are about no file of the tree, and why they are not offered.
    pub lost: Vec<Lost>,
    /// How many findings are about files that are not in the tree or not inside the root.
    pub n_elsewhere: usize,
    /// How many findings there are beyond the limit.
    pub n_more: usize,
    /// The files that they are about: what is said of those is not all.
    pub cut: BTreeSet<RelPath>,
    /// How many findings have a position outside their file.
    pub n_misplaced: usize,
    /// What the tool said about itself, one line each.
    pub notes: Vec<String>,
}

/// One finding of a tool.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The rule, as the tool writes it.
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// The file.
    pub file: RelPath,
    /// The bytes that it is about; `None` for the whole file.
    pub range: Option<Range<u32>>,
    /// The page that the tool has about the rule.
    pub url: Option<String>,
    /// What would fix it. More than one are alternatives, the preferred one first.
    pub fixes: Vec<Fix>,
}

/// Edits that belong together.
#[derive(Clone, PartialEq, Debug)]
pub struct Fix {
    /// What it does, in the words of the tool.
    pub title: String,
    /// What it may do to the meaning.
    pub safety: Safety,
    /// The edits by file, each by the path before any rename.
    pub edits: BTreeMap<RelPath, EditSet>,
    /// The files that come, go or get another path. At least one edit or one of these is there.
    pub files: Vec<FileOp>,
    /// Whether it is the layout of a whole file, right only for this text.
    pub is_layout: bool,
}

impl Fix {
    /// Whether both do the same, whatever they say about it.
    pub fn is_same(&self, other: &Fix) -> bool {
        self.edits == other.edits && self.files == other.files
    }
}

/// What a fix does to a file as a whole.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FileOp {
    /// A file comes into being.
    Add {
        /// Its path, at which nothing is.
        path: RelPath,
        /// What it holds.
        text: String,
    },
    /// A file goes away.
    Delete {
        /// Its path.
        path: RelPath,
        /// The hash of what it holds.
        base: ContentHash,
    },
    /// A file gets another path.
    Rename {
        /// Its path.
        path: RelPath,
        /// Its new path, at which nothing is.
        to: RelPath,
        /// The hash of what it holds before any edit.
        base: ContentHash,
    },
}

impl FileOp {
    /// The file, by the path that it has before; a new one by its own.
    pub fn path(&self) -> &RelPath {
        match self {
            FileOp::Add { path, .. }
            | FileOp::Delete { path, .. }
            | FileOp::Rename { path, .. } => path,
        }
    }
}

/// A fix that is not offered, of a finding that is about no file of the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// The rule of the finding.
    pub rule: String,
    /// Why the fix cannot be used.
    pub reason: String,
}

/// A fix that is not offered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dropped {
    /// The rule of the finding.
    pub rule: String,
    /// The file of the finding.
    pub file: RelPath,
    /// Why the fix cannot be used.
    pub reason: String,
}

/// What a tool printed does not make sense.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Garbled {
    /// It is not in the format that the tool should write.
    #[error("expected {expected}, found {found}")]
    Format {
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// It is more than is read.
    #[error("the output has {bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// How many bytes there are.
        bytes: usize,
        /// How many are read.
        limit: usize,
    },
    /// The tool says that it failed.
    #[error("exit status {status}: {said}")]
    Failed {
        /// Its exit status; -1 if it has none.
        status: i32,
        /// The last thing that it said.
        said: String,
    },
}

impl Garbled {
    pub(crate) fn format(expected: impl Into<String>, found: impl Into<String>) -> Garbled {
        Garbled::Format { expected: expected.into(), found: found.into() }
    }
}
