//! Finding out what a tool would do before anybody approves it: the tool runs on a copy, its work is measured, and nothing of
//! the workspace changes. What comes of it is attached to the record, and is what will be written.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sandbox::{SandboxLevel, Tick};
use snapshot::TreeChange;
use workspace::Workspace;

use super::scratch::Scratch;
use super::tool::Tool;
use super::trial;
use crate::record::Record;

/// Who plans, on which workspace.
pub struct Planner<'a> {
    /// The workspace.
    pub workspace: &'a Workspace,
    /// A directory of our own, for copies of the workspace; see [`super::Executor::runs`].
    pub runs: PathBuf,
    /// What holds the tool in its scope.
    pub level: SandboxLevel,
    /// Whether the tool gets what its configuration gives it. Else it has no network, no variables and nothing to read
    /// beside the workspace and the system: nobody has approved anything yet.
    pub as_configured: bool,
}

/// What a tool would do.
pub struct Planned {
    /// The change, which keeps to the scope and the constraints of the record.
    pub change: TreeChange,
    /// What held the tool in its scope.
    pub level: SandboxLevel,
}

impl Planner<'_> {
    /// Runs the tool of a record on a copy, or says why nothing came of it.
    pub fn plan(&self, record: &Record, tool: &Tool) -> Result<Planned, String> {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let tree = self.workspace.scan(jobs).map_err(|error| error.to_string())?.snapshot;
        let max_file_size = self.workspace.options().max_file_size;
        let scratch = Scratch::new(&self.runs, &tree, &record.allowed_paths, max_file_size)
            .map_err(|error| error.to_string())?;
        let mut tool = tool.clone();
        if !self.as_configured {
            tool.network = false;
            tool.environment = BTreeMap::new();
            tool.readable = Vec::new();
        }
        let mut on_tick = || match self.workspace.told() {
            None => Tick::Continue,
            Some(_) => Tick::Stop,
        };
        let trial = trial::run_tool(record, &tool, &scratch, self.level, &mut on_tick);
        let change = trial.verdict.map_err(|stopped| stopped.message)?;
        // An edits document has texts, and no modes.
        let unwritable = trial
            .changes
            .iter()
            .find(|it| !["create", "modify", "delete", "rename"].contains(&it.kind.as_str()));
        if let Some(it) = unwritable {
            return Err(format!(
                "{} ({}) cannot be planned: a plan holds texts only",
                it.path, it.kind
            ));
        }
        if let Some((path, _)) = change.adds().iter().find(|(_, it)| it.mode & 0o111 != 0) {
            return Err(format!("{path} is a program, and a plan holds no modes"));
        }
        Ok(Planned { change, level: self.level })
    }
}
