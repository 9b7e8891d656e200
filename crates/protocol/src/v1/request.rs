//! What front ends ask for. Requests do not travel between programs yet, so they have no schema.

use std::collections::BTreeMap;

use super::diagnostic::Tier;
use super::repair::Safety;
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
    /// The file that a JSON Patch is for, relative to the root.
    pub file: Option<String>,
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
    /// A SARIF log.
    Sarif,
    /// reviewdog's diagnostics.
    Rdjson,
    /// Annotations of GitHub Actions.
    Github,
    /// Suggestion blocks for a review on GitHub.
    Suggestions,
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

/// What `check`, `plan` and `fix` look at.
#[derive(Clone, Debug, Default)]
pub struct LookRequest {
    /// Files and folders relative to the root that limit what is reported and edited; none is all. One that does not
    /// exist is a usage failure.
    pub paths: Vec<String>,
    /// The files that changed, if only they are to be reported and edited. Those that do not exist are passed over, and
    /// an empty list is not a file at all.
    pub changed: Option<Vec<String>>,
    /// What they changed against, in the words that follow "nothing", such as "changed since HEAD"; for people.
    pub changed_words: Option<String>,
    /// Contents that stand in for those on disk, by path relative to the root: a buffer, or what is staged. Never
    /// written to disk; while there are any, nothing else is edited either.
    pub overlay: BTreeMap<String, Vec<u8>>,
    /// The files that make up the tree, if it is not all that is on disk, such as those in the index of git. Others are
    /// not looked at, even if they are there.
    pub tracked: Option<Vec<String>>,
    /// The kinds of rule to report; none is all.
    pub tiers: Vec<Tier>,
    /// The rules to report; none is all.
    pub only: Vec<String>,
    /// The sources to report; none is all.
    pub sources: Vec<String>,
    /// The widest safety to apply, as the user typed it; the configuration's if not given.
    pub safety: Option<Safety>,
    /// The ids of repairs to apply whatever their safety and confidence.
    pub allow: Vec<String>,
    /// Whether warnings fail too.
    pub deny_warnings: bool,
    /// Whether files that were not checked fail too.
    pub deny_unchecked: bool,
    /// Whether to go on without sources that are not available, do not answer or die.
    pub tolerate_tools: bool,
    /// Whether findings that the baseline knows count like all others.
    pub no_baseline: bool,
    /// List no more findings than this; the rest is counted.
    pub max_findings: Option<usize>,
    /// How many threads; as many as there are processors if not given.
    pub jobs: Option<usize>,
    /// Who proves goals of Clank programs; the configuration's if not given.
    pub solver: Option<Solver>,
}

/// `check`.
#[derive(Clone, Debug, Default)]
pub struct Check {
    /// What to look at.
    pub look: LookRequest,
    /// Also fail if `fix` would change anything.
    pub strict: bool,
    /// Make what is found the baseline, as a transaction.
    pub write_baseline: bool,
    /// Make the fix-action document.
    pub with_fix_actions: bool,
    /// Make the diff of what `fix` would do.
    pub with_diffs: bool,
    /// Make the edits document of what `fix` would do.
    pub with_edits: bool,
}

/// `plan`.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// What to look at.
    pub look: LookRequest,
    /// Make the diff of what the accepted repairs do together.
    pub with_diffs: bool,
}

/// `fix`.
#[derive(Clone, Debug, Default)]
pub struct Fix {
    /// What to look at.
    pub look: LookRequest,
    /// Do everything but write.
    pub dry_run: bool,
    /// Make the diffs.
    pub with_diffs: bool,
    /// Try the repairs that wait for a person's word, so that they can be proposed.
    pub with_offers: bool,
}

/// `explain`.
#[derive(Clone, Debug, Default)]
pub struct Explain {
    /// The rule.
    pub rule: String,
}

/// `init`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Init {
    /// Do everything but write.
    pub dry_run: bool,
    /// How many threads; as many as there are processors if not given.
    pub jobs: Option<usize>,
}

/// What a Clank program is given as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgramForm {
    /// Text.
    Source,
    /// AST JSON.
    Ast,
}

/// What a Clank program is compiled to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Language {
    /// JavaScript.
    #[default]
    Js,
    /// TypeScript.
    Ts,
}

/// What a Clank program runs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Runtime {
    /// The engine that is part of regreen: no files, no network, limits on time and memory.
    #[default]
    Embedded,
    /// Node, with the whole host.
    Node,
}

/// `compile`.
#[derive(Clone, Debug)]
pub struct Compile {
    /// The file relative to the root; `None` for standard input, which imports nothing.
    pub file: Option<String>,
    /// How to name it in messages: the path as typed, or `<stdin>`.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What they are.
    pub form: ProgramForm,
    /// What to compile to; nothing if only what is wrong is wanted.
    pub language: Option<Language>,
    /// Make the source map.
    pub with_map: bool,
    /// Look for repairs.
    pub with_repairs: bool,
    /// What to do to the program first.
    pub repair: ProgramRepair,
    /// Who proves goals; the configuration's if not given.
    pub solver: Option<Solver>,
}

/// Who proves what must hold in Clank programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Solver {
    /// The solver that is part of regreen: the same answer everywhere.
    #[default]
    Own,
    /// Also Z3, for what the own one leaves open. Its answers depend on its version and on the time it takes.
    Z3,
}

/// What `compile` does to a program before it says anything about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProgramRepair {
    /// Nothing.
    Keep,
    /// Apply these repairs, by their ids: all or nothing.
    Apply(Vec<String>),
    /// Apply what is offered and no less safe than this, or than the configuration says, until nothing is left.
    Fix(Option<Safety>),
}

/// `build`.
#[derive(Clone, Debug)]
pub struct Build {
    /// The programs, relative to the root; every `.clank` file if there is none.
    pub files: Vec<String>,
    /// What to compile to.
    pub language: Language,
    /// Make the source maps.
    pub with_maps: bool,
    /// Fail if a source is not canonical.
    pub strict: bool,
    /// Who proves goals; the configuration's if not given.
    pub solver: Option<Solver>,
}

/// The compilation that `run` begins with.
#[derive(Clone, Debug)]
pub struct Run {
    /// The program, relative to the root.
    pub file: String,
    /// Fail if a source is not canonical.
    pub strict: bool,
    /// What to run on.
    pub runtime: Runtime,
    /// After how many milliseconds the program is stopped; `None` for never.
    pub timeout_ms: Option<u64>,
    /// How many bytes of memory the program may have.
    pub memory_bytes: u64,
    /// Who proves goals; the configuration's if not given.
    pub solver: Option<Solver>,
}
