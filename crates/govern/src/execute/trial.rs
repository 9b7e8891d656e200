//! One run of a tool on a copy, and the judgement of what it did. Nothing here touches the workspace.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sandbox::{Exit, Job, Limits, SandboxLevel, Tick};
use snapshot::{Snapshot, TreeChange};

use super::failure::{self, Around};
use super::scratch::{Scratch, TreeCopyError};
use super::tool::{self, Tool};
use crate::approval::sha256;
use crate::lifecycle::ExecutionOutcome;
use crate::record::Record;
use crate::report::ReportedChange;
use crate::stores;
use measure::PathChange;

/// How many bytes of each stream of a tool are kept for its report.
const KEPT_OUTPUT: u64 = 64 * 1024;
/// How much a tool may print before it is ended.
const MOST_OUTPUT: u64 = 256 * 1024 * 1024;
const MOST_PROCESSES: u32 = 512;

/// What came of a run: either a change that keeps to everything, or why there is none.
pub(super) struct ToolTrial {
    pub(super) verdict: Result<TreeChange, Stopped>,
    /// What held the tool in its scope; `None` for the tool that is built in.
    pub(super) level: Option<SandboxLevel>,
    pub(super) exit_code: Option<i32>,
    pub(super) changes: Vec<ReportedChange>,
    /// The SHA-256 of what each changed file became; `None` for one that is gone.
    pub(super) results: BTreeMap<String, Option<String>>,
}

/// Why a run is not a success.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Stopped {
    pub(super) outcome: ExecutionOutcome,
    pub(super) message: String,
}

impl Stopped {
    pub(super) fn new(outcome: ExecutionOutcome, message: impl Into<String>) -> Stopped {
        Stopped { outcome, message: message.into() }
    }
}

impl From<TreeCopyError> for Stopped {
    fn from(error: TreeCopyError) -> Stopped {
        let outcome = match &error {
            TreeCopyError::ThroughLink { .. } | TreeCopyError::ThroughFile { .. } => {
                ExecutionOutcome::Refused
            }
            // What the tool leaves behind is the tool's fault.
            TreeCopyError::Unreadable { .. } => ExecutionOutcome::Failed,
            _ => ExecutionOutcome::Error,
        };
        Stopped { outcome, message: error.to_string() }
    }
}

/// Runs the tool on a copy of the tree.
pub(super) fn run_tool(
    record: &Record,
    tool: &Tool,
    scratch: &Scratch,
    level: SandboxLevel,
    on_tick: &mut dyn FnMut() -> Tick,
) -> ToolTrial {
    let failed = |outcome, message: String| ToolTrial {
        verdict: Err(Stopped::new(outcome, message)),
        level: Some(level),
        exit_code: None,
        changes: Vec::new(),
        results: BTreeMap::new(),
    };
    let ended = match sandbox::run(&job(record, tool, scratch), level, on_tick) {
        Ok(ended) => ended,
        Err(error) => return failed(ExecutionOutcome::Error, error.to_string()),
    };
    let (before, after) = match scratch.compare() {
        Ok(trees) => trees,
        Err(error) => {
            let stopped = Stopped::from(error);
            return failed(stopped.outcome, stopped.message);
        }
    };
    let mut trial = judge(record, &before, &after);
    trial.level = Some(level);
    trial.exit_code = match ended.how {
        Exit::Code(code) => Some(code),
        _ => None,
    };
    // How it ended comes first: what a tool did that did not come to its end is nobody's change.
    let files = before.files().map(|(path, _)| path.to_string()).collect();
    let tree = scratch.tree();
    let around = Around { tree: &tree.to_string_lossy(), files: &files };
    if let Some(message) = unsuccessful(&ended, tool, &around) {
        trial.verdict = Err(Stopped::new(ExecutionOutcome::Failed, message));
    }
    trial
}

/// Holds what changed against scope and constraints.
pub(super) fn judge(record: &Record, before: &Snapshot, after: &Snapshot) -> ToolTrial {
    let changes = measure::changes(before, after);
    let reported = changes.iter().map(ReportedChange::of).collect();
    let violations =
        measure::violations(&changes, before, after, &record.allowed_paths, &record.constraints);
    let stores = changes.iter().find(|it| stores::is_store(&it.path));
    let is_named =
        |path: &snapshot::RelPath| record.allowed_paths.iter().any(|it| it.path() == path);
    let planted =
        changes.iter().find(|it| stores::is_configuration(&it.path) && !is_named(&it.path));
    let verdict = if let Some(change) = planted {
        let message = format!(
            "{} governs what is done in its folder: allowed_paths must name it, so that two people sign",
            change.path
        );
        Err(Stopped::new(ExecutionOutcome::Failed, message))
    } else if let Some(change) = stores {
        let message = format!("{} is in no scope: it belongs to git or to regreen", change.path);
        Err(Stopped::new(ExecutionOutcome::Failed, message))
    } else if changes.is_empty() {
        Err(Stopped::new(ExecutionOutcome::Failed, format!("{} changed nothing", record.tool)))
    } else if violations.is_empty() {
        Ok(snapshot::diff(before, after))
    } else {
        let lines: Vec<String> = violations.iter().map(ToString::to_string).collect();
        Err(Stopped::new(ExecutionOutcome::Failed, lines.join("\n")))
    };
    let result = |it: &PathChange| {
        let hash = after.file(&it.path).map(|file| sha256(file.text().bytes()));
        (it.path.to_string(), hash)
    };
    let results = changes.iter().map(result).collect();
    ToolTrial { verdict, level: None, exit_code: None, changes: reported, results }
}

fn job(record: &Record, tool: &Tool, scratch: &Scratch) -> Job {
    let mut arguments = tool.arguments(record).into_iter();
    let program = arguments.next().unwrap_or_default();
    let own: [PathBuf; 2] = [scratch.home(), scratch.temporary()];
    Job {
        program: program.into(),
        args: arguments.map(Into::into).collect(),
        directory: scratch.tree(),
        writable: scratch.writable.iter().cloned().chain(own).collect(),
        readable: tool.readable.clone(),
        overlay: None,
        environment: tool::environment(tool, record, &scratch.home(), &scratch.temporary()),
        stdin: record.to_json().to_string().into_bytes(),
        network: tool.network,
        limits: Limits {
            time: tool.timeout,
            memory: tool.memory,
            output: KEPT_OUTPUT,
            output_total: MOST_OUTPUT,
            disk: tool.disk,
            processes: MOST_PROCESSES,
        },
    }
}

/// Why the end of a tool is not a success, with what it said about that.
fn unsuccessful(ended: &sandbox::Ended, tool: &Tool, around: &Around<'_>) -> Option<String> {
    let how = match &ended.how {
        Exit::Code(0) => return None,
        Exit::Code(code) => format!("the tool ended with exit code {code}"),
        Exit::Signal(signal) => format!("the tool was ended by signal {signal}"),
        Exit::TimedOut => format!("the tool did not end within {} s", tool.timeout.as_secs()),
        Exit::TooMuchOutput => "the tool printed more than it may".to_owned(),
        Exit::TooMuchDisk => format!("the tool wrote more than {} MB", tool.disk >> 20),
        Exit::TooMuchMemory => {
            format!("the tool used more than {} MB of memory", tool.memory >> 20)
        }
        Exit::TooManyProcesses => "the tool started more processes than it may".to_owned(),
        _ => "the run was stopped".to_owned(),
    };
    let said = failure::digest(&[&ended.stderr.kept, &ended.stdout.kept], around);
    // What the tool says comes first: it names the place, and a headline is made of it.
    let said = Some(said).filter(|it| !it.is_empty());
    Some(said.into_iter().chain([how]).collect::<Vec<_>>().join("\n"))
}
