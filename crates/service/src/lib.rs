//! The one door for front ends: a request in, a reply out.
//!
//! A reply holds the report that programs read and, beside it, what a front end needs to show it to people: the
//! changes as diffs and the texts that findings are about. What is wrong with a patch is in the report; work that
//! could not be done is a [`Failure`].
//!
//! Knows nothing about flags, exit codes, colours or terminals.

mod apply;
mod baseline;
mod cache;
mod changes;
mod clank;
mod commands;
mod config;
mod convert;
pub mod dds;
mod emit;
mod exchange;
mod failure;
mod globs;
mod identity;
mod log;
mod look;
mod nearest;
mod own_rules;
mod packs;
mod pool;
mod previews;
pub mod programs;
mod recheck;
mod recover;
mod registry;
mod reply;
mod schema;
mod schemas;
mod session;
mod setup;
mod staged;
mod steady;
mod timer;
mod toolbox;
mod trial;
mod trust;
mod uids;
mod undo;
mod validate;
mod verdict;
mod view;
mod wire;

use std::collections::BTreeMap;
use std::ops::Range;

use protocol::v1::{ApplyReport, ConvertReport, UndoReport};

pub use self::clank::{
    BuildReply, ClankFindings, CompileReply, OutputFile, RunIo, RunOutcome, RunReply, TracePlace,
    Z3_SOURCE, build, compile, run,
};
pub use apply::apply;
pub use changes::{ChangeKind, FileChange};
pub use commands::{Live, Offers, check, explain, fix, init, plan, rules};
pub use convert::convert;
pub use edit::{LineIndex, Unit};
pub use failure::Failure;
pub use log::log;
pub use packs::{new_pack, test_packs};
pub use previews::{PreviewBudget, Previews};
pub use recover::recover;
pub use reply::{
    Answer, CheckReply, Decide, ExplainReply, FixActionsOutput, FixReply, InitReply, OnProgress,
    PlanReply, Preview, Progress, Question, TextEdit, WrittenBaseline,
};
pub use schema::{SCHEMA_NAMES, Schema, schemas};
pub use schemas::{DEFAULT_CATALOGUE, list_schemas, update_schemas};
pub use session::{Access, Home, Programs, Session, User, find_root};
pub use staged::{LeftOnDisk, Staged, write_staged};
pub use trust::TrustReview;
pub use undo::{is_transaction_id, staged_before, undo};
pub use validate::validate;
pub use verdict::Verdict;
pub use workspace::Interrupts;

/// The version that reports carry.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The features that this program was built without. Whoever uses one of these parts gets an error that names it.
pub fn left_out() -> Vec<&'static str> {
    let parts = [
        ("cel", pack::HAS_CEL),
        ("https", fetch::HAS_HTTPS),
        ("javascript", clank_run::HAS_ENGINE),
        ("postgres", govern::HAS_POSTGRES),
        ("ssh", govern::HAS_SSH),
    ];
    parts.into_iter().filter(|(_, is_there)| !is_there).map(|(name, _)| name).collect()
}

/// What it takes to show diagnostics to people.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frames {
    /// The texts that diagnostics are about, by the name that the diagnostics use.
    pub sources: BTreeMap<String, Vec<u8>>,
    /// What to do, by `diagnostic_id`. A message may end with it.
    pub help: BTreeMap<String, String>,
    /// Bytes of the sources that must not be shown, in order and disjoint, by the name of the source: what a report
    /// says only by type and digest.
    pub hidden: BTreeMap<String, Vec<Range<u32>>>,
}

/// The reply to `validate` and `apply`.
#[derive(Clone, Debug)]
pub struct PatchReply {
    /// What programs read.
    pub report: ApplyReport,
    /// What happens to each file, by path: done for `apply`, possible for `validate`.
    pub changes: Vec<FileChange>,
    /// What it takes to show the diagnostics to people.
    pub frames: Frames,
    /// The file that changed on disk while the patch was applied, so that it was applied again to the new contents.
    pub retried: Option<String>,
}

impl PatchReply {
    /// The changes as one unified diff, if diffs were asked for.
    pub fn diff(&self) -> Vec<u8> {
        self.changes.iter().flat_map(|it| it.diff.iter().copied()).collect()
    }
}

/// The reply to `convert`.
#[derive(Clone, Debug)]
pub struct ConvertReply {
    /// What programs read.
    pub report: ConvertReport,
    /// The converted document, byte for byte; `None` if it was refused.
    pub output: Option<Vec<u8>>,
    /// What it takes to show the diagnostics to people.
    pub frames: Frames,
}

/// The reply to `undo`.
#[derive(Clone, Debug)]
pub struct UndoReply {
    /// What programs read.
    pub report: UndoReport,
    /// What happened to each file, by path.
    pub changes: Vec<FileChange>,
}
