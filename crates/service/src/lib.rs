//! The one door for front ends: a request in, a reply out.
//!
//! A reply holds the report that programs read and, beside it, what a front end needs to show it to people: the
//! changes as diffs and the texts that findings are about. What is wrong with a patch is in the report; work that
//! could not be done is a [`Failure`].
//!
//! Knows nothing about flags, exit codes, colours or terminals.

mod assess;
mod commands;
mod compiler;
mod config;
mod failure;
mod patch_trial;
pub mod programs;
mod reply;
mod session;
mod setup;
mod toolbox;
mod wire;

use std::collections::BTreeMap;
use std::ops::Range;

use protocol::v1::{ApplyReport, ConvertReport, UndoReport};

pub use assess::previews::{PreviewBudget, Previews};
pub use assess::verdict::Verdict;
pub use commands::apply::apply;
pub use commands::build::{BuildReply, GeneratedFile, build};
pub use commands::check_command::check;
pub use commands::compile::{CompileReply, compile};
pub use commands::convert::convert;
pub use commands::dds;
pub use commands::explain::{explain, rules};
pub use commands::fix::staged::{LeftOnDisk, StagedFixes, write_staged};
pub use commands::fix::{Offers, fix};
pub use commands::init::init;
pub use commands::log::log;
pub use commands::pack_command::{new_pack, test_packs};
pub use commands::plan_command::plan;
pub use commands::recover::recover;
pub use commands::run::{RunIo, RunOutcome, RunReply, TracePlace, run};
pub use commands::schema::{FormatSchema, SCHEMA_NAMES, schemas};
pub use commands::schemas::{DEFAULT_CATALOGUE, list_schemas, update_schemas};
pub use commands::trust::TrustReview;
pub use commands::undo::{is_transaction_id, staged_before, undo};
pub use commands::validate::validate;
pub use commands::watch::Live;
pub use compiler::{ClankFindings, Z3_SOURCE};
pub use edit::{LineIndex, Unit};
pub use failure::Failure;
pub use reply::{
    CheckReply, CommandProgress, Decide, ExplainReply, FixActionsOutput, FixReply, InitReply,
    OnProgress, PlanReply, Preview, PreviewEdit, RepairAnswer, RepairQuestion, WrittenBaseline,
};
pub use session::{Home, Programs, Session, SessionAccess, User, find_root};
pub use wire::changes::{FileChange, FileChangeKind};
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
