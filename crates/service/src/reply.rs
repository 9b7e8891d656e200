//! What front ends get back from `check`, `plan`, `fix`, `explain` and `init`, and what they are asked on the way.

use std::collections::BTreeMap;
use std::time::Duration;

use protocol::v1::{
    CheckReport, Diagnostic, ExplainReport, FixReport, InitReport, PlanReport, Repair,
};

use crate::Frames;
use crate::assess::previews::Previews;
use crate::assess::verdict::Verdict;
use crate::commands::fix::Offers;
use crate::wire::changes::FileChange;

/// The reply to `check`.
#[derive(Clone, Debug)]
pub struct CheckReply {
    /// What programs read.
    pub report: CheckReport,
    /// What it comes to.
    pub verdict: Verdict,
    /// What it takes to show the diagnostics to people.
    pub frames: Frames,
    /// What each listed repair would do.
    pub previews: Previews,
    /// The listed repairs that wait, by id: for which repair, if for one, and why in words.
    pub waits: BTreeMap<String, (Option<String>, String)>,
    /// What `fix` would do to each file, if diffs were asked for.
    pub changes: Vec<FileChange>,
    /// What `fix` would do as an edits document, if it was asked for.
    pub edits: Option<String>,
    /// The fix-action document, if it was asked for.
    pub fix_actions: Option<FixActionsOutput>,
    /// The baseline that was written, if that was asked for.
    pub baseline: Option<WrittenBaseline>,
    /// The folders that were passed over because a tool filled them or because they are repositories of their own, each
    /// with the reason.
    pub passed_over: Vec<(String, String)>,
    /// Whether a baseline was asked for and not written, because not everything could be looked at.
    pub is_baseline_missing: bool,
    /// How long each tool took, by name. Not part of the report: it is another time in every run.
    pub tool_times: Vec<(String, Duration)>,
}

/// The reply to `plan`.
#[derive(Clone, Debug)]
pub struct PlanReply {
    /// What programs read.
    pub report: PlanReport,
    /// What it comes to.
    pub verdict: Verdict,
    /// What each repair would do.
    pub previews: Previews,
    /// What the accepted repairs do together, if diffs were asked for.
    pub changes: Vec<FileChange>,
    /// The findings that the repairs would resolve.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that those findings and the repairs are about.
    pub frames: Frames,
}

/// The reply to `fix`.
#[derive(Clone, Debug)]
pub struct FixReply {
    /// What programs read.
    pub report: FixReport,
    /// What it comes to.
    pub verdict: Verdict,
    /// What happened to each file, by path: done, or possible with `dry_run` or an overlay.
    pub changes: Vec<FileChange>,
    /// What it takes to show what remains to people.
    pub frames: Frames,
    /// What each rejected repair would do to what is there in the end.
    pub previews: Previews,
    /// The new contents of the files of the overlay that changed, by path. They are not written.
    pub outputs: BTreeMap<String, Vec<u8>>,
    /// What waits for a person's word in the tree as it is then, if that was asked for.
    pub offers: Offers,
    /// The file that changed on disk meanwhile, so that everything was done again.
    pub retried: Option<String>,
    /// How long each tool took, by name.
    pub tool_times: Vec<(String, Duration)>,
}

/// The reply to `explain`.
#[derive(Clone, Debug)]
pub struct ExplainReply {
    /// What programs read.
    pub report: ExplainReport,
}

/// The reply to `init`.
#[derive(Clone, Debug)]
pub struct InitReply {
    /// What programs read.
    pub report: InitReport,
    /// The text of the configuration that was written, or would be.
    pub text: Option<String>,
}

/// What a repair would do if it were made alone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Preview {
    /// What would happen to each file, with diffs.
    pub changes: Vec<FileChange>,
    /// The bytes that would be written, by file.
    pub edits: BTreeMap<String, Vec<PreviewEdit>>,
}

/// Bytes that replace others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreviewEdit {
    /// First byte, from 0.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
    /// What stands there instead.
    pub text: Vec<u8>,
}

/// A fix-action document, and what it could not say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixActionsOutput {
    /// The document, byte for byte.
    pub text: String,
    /// How many repairs that `fix` would make have no fix action: those that are not operations on documents, and
    /// those that can only be made after others.
    pub n_left_out: usize,
}

/// A baseline that was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenBaseline {
    /// The file, relative to the root.
    pub file: String,
    /// How many findings it has.
    pub n_findings: usize,
    /// The transaction; `None` if the file was so already.
    pub transaction: Option<String>,
}

/// How far a command has come. For people who wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CommandProgress {
    /// The tree is read.
    Scanning,
    /// The files are looked at.
    Checking {
        /// How many there are.
        n_files: usize,
        /// How many tools look at them.
        n_tools: usize,
    },
    /// A round of repairs begins.
    Pass {
        /// Which one, from 1.
        number: usize,
        /// Errors before it.
        errors: usize,
        /// Warnings before it.
        warnings: usize,
    },
    /// The repairs that spoil a round are looked for.
    Isolating {
        /// How many groups were tried.
        tried: usize,
        /// How many repairs there are.
        of: usize,
    },
    /// The transaction is written.
    Writing {
        /// How many files it changes.
        n_files: usize,
    },
}

/// Is told how far a command has come.
pub type OnProgress<'a> = &'a mut (dyn FnMut(CommandProgress) + Send);

/// A repair that a person decides on.
#[derive(Clone, Debug)]
pub struct RepairQuestion<'a> {
    /// The repair.
    pub repair: &'a Repair,
    /// The findings that it would resolve.
    pub diagnostics: &'a [Diagnostic],
    /// What it would do.
    pub preview: &'a Preview,
    /// The texts that the findings and the preview are about.
    pub frames: &'a Frames,
    /// Whether it is applied only because a person says so: [`RepairAnswer::All`] does not cover such a repair.
    pub needs_approval: bool,
    /// Its place among the repairs that are asked about now, from 1.
    pub number: usize,
    /// How many are asked about now.
    pub of: usize,
}

/// What a person says about a repair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RepairAnswer {
    /// Make it.
    Yes,
    /// Do not make it.
    No,
    /// Make it, and do not ask again about those that `fix` would make by itself.
    All,
    /// Do not make it, and do not ask again: make none that was not agreed to.
    Quit,
}

/// Decides on repairs.
pub type Decide<'a> = &'a mut (dyn FnMut(&RepairQuestion<'_>) -> RepairAnswer + Send);
