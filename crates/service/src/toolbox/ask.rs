//! Asking a tool: which command answers a look at a tree, in which portions, and what its output says.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use check::{FailureKind, Input, LookError, Looker, Report, Stop};
use edit::Text;
use launch::{Capture, LaunchError, Limits, ProcessExit, Program, TreeView, Wrote};
use linters::{
    Adapter, Garbled, Invocation, Texts, ToolJob, ToolKind, ToolOutput, ToolReport, ToolUses,
};
use snapshot::{RelPath, Snapshot};

use super::answers::{FileAnswer, ToolAnswers};
use super::probe::About;
use super::recall::recall_project;
use super::tool::{Work, WorkspaceTool, answers_of};
use super::{own, portions};
use crate::config::OwnSource;

/// What a tool may have written.
const MAX_WRITTEN: usize = 100_000;
const MAX_WRITTEN_BYTES: u64 = 1 << 30;
/// How many programs of one tool that takes one file at a time run side by side.
const SIDE_BY_SIDE: usize = 4;

/// A tool that is asked.
pub(super) struct ToolLooker {
    pub(super) tool: Arc<WorkspaceTool>,
    pub(super) view: Option<TreeView>,
    pub(super) about: Option<About>,
}

/// One look, as far as it concerns whoever runs a program.
pub(super) struct Watch<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) stop: &'a Stop,
    pub(super) deadline: Instant,
}

impl Looker for ToolLooker {
    fn look(&mut self, input: &Input<'_>) -> Result<Report, LookError> {
        let tool = Arc::clone(&self.tool);
        let began = Instant::now();
        let watch =
            Watch { snapshot: input.snapshot, stop: input.stop, deadline: began + tool.limit };
        let known = self.look_at(input, &watch);
        *tool.spent.lock().unwrap_or_else(PoisonError::into_inner) += began.elapsed();
        match known {
            Ok(known) => Ok(tool.report(known, input.snapshot)),
            Err(error) => Err(blamed(&tool, error, input)),
        }
    }

    fn repairs(
        &mut self,
        _input: &Input<'_>,
        of: &BTreeSet<String>,
        report: &mut Report,
    ) -> Result<(), LookError> {
        let repairs = answers_of(report).map(|it| it.repairs.clone()).unwrap_or_default();
        report.repairs =
            repairs.into_iter().filter(|it| it.resolves.iter().any(|id| of.contains(id))).collect();
        Ok(())
    }
}

/// A tool that worked until its settings were changed was broken by that.
fn blamed(tool: &WorkspaceTool, error: LookError, input: &Input<'_>) -> LookError {
    let changed = input.since.iter().flat_map(|it| it.changed);
    match changed.into_iter().find(|it| tool.is_setting(it)) {
        Some(file) if error.kind == FailureKind::Garbled => {
            LookError { kind: FailureKind::BrokenByTree, file: Some(file.clone()), ..error }
        }
        _ => error,
    }
}

fn too_much() -> LookError {
    LookError::new(FailureKind::Garbled, "there are more findings than the limit")
}

/// Whether it is about these files that the tool failed on before.
fn has_failed(files: &[RelPath], input: &Input<'_>) -> bool {
    let known = input.since.and_then(|it| answers_of(it.report));
    let failed = |it: &RelPath| {
        known.is_some_and(|known| known.files.get(it).is_some_and(|it| it.has_failed))
    };
    files.iter().all(failed)
}

fn garbled(error: &Garbled) -> LookError {
    LookError::new(FailureKind::Garbled, error.to_string())
}

impl ToolLooker {
    /// Nothing is shown and nothing is asked before the first look.
    pub(super) fn new(tool: Arc<WorkspaceTool>) -> ToolLooker {
        ToolLooker { tool, view: None, about: None }
    }

    fn look_at(&mut self, input: &Input<'_>, watch: &Watch<'_>) -> Result<ToolAnswers, LookError> {
        let tool = Arc::clone(&self.tool);
        let mut files = tool.files(input.snapshot);
        if let Some(only) = input.only.filter(|_| tool.is_per_file()) {
            files.retain(|it| only.contains(it));
        }
        if files.is_empty() {
            return Ok(ToolAnswers { fits: true, ..ToolAnswers::default() });
        }
        let about = self.about(watch)?;
        let mut known = ToolAnswers {
            version: about.version,
            fits: about.fits,
            notes: about.note.into_iter().collect(),
            ..ToolAnswers::default()
        };
        let keys = tool.keys(input.snapshot);
        let todo = match tool.is_per_file() {
            true => self.recall_files(&files, input, keys.as_ref(), &mut known),
            false => match keys.as_ref().and_then(|it| recall_project(&tool, &files, watch, it)) {
                Some(said) => {
                    known.files = said;
                    Vec::new()
                }
                None => files.clone(),
            },
        };
        if todo.is_empty() {
            return Ok(known);
        }
        self.show(watch)?;
        match &tool.work {
            Work::Own(own) => {
                let report = self.ask_own(own, watch)?;
                known.add(&todo, report, input.snapshot);
            }
            Work::Adapter { adapter, is_presence, projects } => match adapter.kind {
                ToolKind::Formatter => self.format(adapter, &todo, watch, &mut known)?,
                ToolKind::Linter | ToolKind::Findings | ToolKind::Rewriter => {
                    let lint = |folder: Option<&RelPath>, files: &[RelPath]| {
                        self.lint(adapter, *is_presence, folder, files, watch)
                    };
                    match projects.as_slice() {
                        [None] if adapter.takes_files() => {
                            let blamed =
                                portions::ask(&todo, has_failed(&todo, input), &mut |files| {
                                    let report = lint(None, files)?;
                                    if report.n_more > 0 && files.len() > 1 {
                                        return Err(too_much());
                                    }
                                    known.add(files, report, input.snapshot);
                                    Ok(())
                                })?;
                            blamed.into_iter().for_each(|(file, error)| known.blame(file, &error));
                        }
                        projects => {
                            for folder in projects {
                                let report = lint(folder.as_ref(), &todo)?;
                                known.add(&todo, report, input.snapshot);
                            }
                        }
                    }
                }
            },
        }
        if let Some(keys) = &keys {
            self.remember(&files, &todo, &known, input.snapshot, keys);
        }
        Ok(known)
    }

    /// Shows the tree of a look to programs.
    fn show(&mut self, watch: &Watch<'_>) -> Result<(), LookError> {
        let unavailable = |error: launch::ViewError| {
            let message = format!("{error}: {}", error.source);
            LookError::new(FailureKind::Unavailable, message)
        };
        let view = match &mut self.view {
            Some(view) => view,
            None => self.view.insert(self.tool.environment.view().map_err(unavailable)?),
        };
        view.show(watch.snapshot).map(drop).map_err(unavailable)
    }

    /// Asks a tool about files, or about the project in a folder.
    fn lint(
        &self,
        adapter: &Adapter,
        is_presence: bool,
        folder: Option<&RelPath>,
        files: &[RelPath],
        watch: &Watch<'_>,
    ) -> Result<ToolReport, LookError> {
        let job = match is_presence {
            true => ToolJob::CheckByPresence { files },
            false => ToolJob::Check { files },
        };
        let mut report = ToolReport::default();
        if let Some(invocation) = adapter.invocation(&job) {
            let (output, place) = self.ask(&invocation, folder, &[], watch)?;
            let texts = self.texts(watch, &place, folder);
            report = adapter.parse(&output, &texts).map_err(|it| garbled(&it))?;
        }
        if adapter.kind == ToolKind::Rewriter
            && let Some(invocation) = adapter.invocation(&ToolJob::Rewrite { files })
        {
            let (output, place) = self.ask(&invocation, folder, files, watch)?;
            let texts = self.texts(watch, &place, folder);
            adapter.add_rewrites(&mut report, &output, &texts).map_err(|it| garbled(&it))?;
        }
        Ok(report)
    }

    fn texts<'a>(&self, watch: &Watch<'a>, place: &str, folder: Option<&RelPath>) -> Texts<'a> {
        let texts = Texts::new(watch.snapshot, place);
        match folder {
            Some(folder) => texts.in_folder(folder),
            None => texts,
        }
    }

    /// Asks a formatter about files: all at once where it can write them, and one by one where it cannot or where one of
    /// them keeps it from the others.
    fn format(
        &self,
        adapter: &Adapter,
        files: &[RelPath],
        watch: &Watch<'_>,
        known: &mut ToolAnswers,
    ) -> Result<(), LookError> {
        let mut one_by_one = files.to_vec();
        let can_write = adapter.invocation(&ToolJob::Rewrite { files }).is_some();
        if can_write {
            // What fails on the only file is asked once more, with its text.
            let blamed = portions::ask(files, files.len() == 1, &mut |files| {
                let Some(invocation) = adapter.invocation(&ToolJob::Rewrite { files }) else {
                    return Ok(());
                };
                let (output, place) = self.ask(&invocation, None, files, watch)?;
                let texts = self.texts(watch, &place, None);
                let report = adapter.parse(&output, &texts).map_err(|it| garbled(&it))?;
                known.add(files, report, watch.snapshot);
                Ok(())
            })?;
            one_by_one = blamed.into_iter().map(|it| it.0).collect();
        }
        let all_failed = self.format_each(adapter, &one_by_one, watch, known)?;
        match all_failed {
            Some(error) if one_by_one.len() == files.len() && files.len() > 1 => {
                Err(garbled(&error))
            }
            _ => Ok(()),
        }
    }

    /// Asks about one file at a time. Gives the last failure, if there was nothing else.
    fn format_each(
        &self,
        adapter: &Adapter,
        files: &[RelPath],
        watch: &Watch<'_>,
        known: &mut ToolAnswers,
    ) -> Result<Option<Garbled>, LookError> {
        let uses = ToolUses::read(watch.snapshot);
        let share = files.len().div_ceil(SIDE_BY_SIDE).max(1);
        let invocations: Vec<(RelPath, Invocation)> = files
            .iter()
            .filter_map(|file| {
                let text = watch.snapshot.file(file)?.text();
                let job = ToolJob::Format { file, text: &text };
                Some((file.clone(), adapter.invocation_in(&job, &uses)?))
            })
            .collect();
        type Said = Vec<(RelPath, Result<Result<ToolReport, Garbled>, LookError>)>;
        let format = |invocations: &[(RelPath, Invocation)]| -> Said {
            let one = |(file, invocation): &(RelPath, Invocation)| {
                let said = self.ask(invocation, None, &[], watch).map(|(output, place)| {
                    let texts = Texts::new(watch.snapshot, &place).with_input(file);
                    adapter.parse(&output, &texts)
                });
                (file.clone(), said)
            };
            invocations.iter().map(one).collect()
        };
        let said: Vec<Said> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                invocations.chunks(share).map(|it| scope.spawn(|| format(it))).collect();
            threads.into_iter().map(|it| it.join().unwrap_or_default()).collect()
        });
        let mut n_failed = 0;
        let mut last = None;
        for (file, report) in said.into_iter().flatten() {
            match report? {
                Ok(report) => known.add(&[file], report, watch.snapshot),
                Err(error) => {
                    n_failed += 1;
                    known.note(format!("{file}: {error}"));
                    last = Some(error);
                    let blocked = FileAnswer { is_blocked: true, ..FileAnswer::default() };
                    known.files.insert(file, Arc::new(blocked));
                }
            }
        }
        Ok(last.filter(|_| n_failed == files.len()))
    }

    fn ask_own(&self, own: &OwnSource, watch: &Watch<'_>) -> Result<ToolReport, LookError> {
        let invocation = own::invocation(own);
        let wanted: Vec<RelPath> = match invocation.writes {
            true => self.tool.files(watch.snapshot),
            false => Vec::new(),
        };
        let (output, place) = self.ask(&invocation, None, &wanted, watch)?;
        let texts = Texts::new(watch.snapshot, &place);
        own::read(own, &output, &texts).map_err(|it| garbled(&it))
    }

    /// Runs a command in the tree, and says where it saw the tree.
    fn ask(
        &self,
        invocation: &Invocation,
        folder: Option<&RelPath>,
        wanted: &[RelPath],
        watch: &Watch<'_>,
    ) -> Result<(ToolOutput, String), LookError> {
        let missing = || LookError::new(FailureKind::Unavailable, "no tree is shown");
        let view = self.view.as_ref().ok_or_else(missing)?;
        let output = self.run(view, invocation, folder, wanted, watch)?;
        Ok((output, view.place(invocation.writes).to_string_lossy().into_owned()))
    }

    pub(super) fn run(
        &self,
        view: &TreeView,
        invocation: &Invocation,
        folder: Option<&RelPath>,
        wanted: &[RelPath],
        watch: &Watch<'_>,
    ) -> Result<ToolOutput, LookError> {
        let cwd = match folder {
            Some(folder) => view.root().join(folder.as_str()),
            None => view.root().to_owned(),
        };
        let (program, access) = self.program(invocation, cwd, watch)?;
        if !invocation.writes {
            let ran = view.run(&program, &access, watch.stop).map_err(|it| self.failed(it))?;
            return Ok(output(ran, BTreeMap::new()));
        }
        let wanted: BTreeSet<&RelPath> = wanted.iter().chain(&invocation.answer).collect();
        let capture = Capture {
            wants: &|path| wanted.contains(path),
            max_entries: MAX_WRITTEN,
            max_bytes: MAX_WRITTEN_BYTES,
        };
        let ran = view.run_rewriting(&program, &access, &capture, watch.stop);
        let (ran, changes) = ran.map_err(|it| self.failed(it))?;
        let changed = changes.paths.into_iter().map(|(path, wrote)| match wrote {
            Wrote::File { bytes, .. } => (path, Some(Text::new(bytes))),
            // What is not a file any more is gone for us.
            _ => (path, None),
        });
        Ok(output(ran, changed.collect()))
    }

    /// A failure of a program. Its time is what earlier ones left of that of its tool, which is what people know about.
    fn failed(&self, error: LaunchError) -> LookError {
        match error {
            LaunchError::TimedOut { .. } => self.timed_out(),
            error => error.into(),
        }
    }

    fn timed_out(&self) -> LookError {
        let message = format!("did not end within {} s", self.tool.limit.as_secs_f64());
        LookError::new(FailureKind::TimedOut, message)
    }

    /// The program of a command, with what it may use.
    pub(super) fn program(
        &self,
        invocation: &Invocation,
        cwd: PathBuf,
        watch: &Watch<'_>,
    ) -> Result<(Program, launch::Access), LookError> {
        let tool = &self.tool;
        let left = watch.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(self.timed_out());
        }
        let is_own_program = match &tool.work {
            Work::Adapter { adapter, .. } => invocation.program == adapter.program,
            Work::Own(_) => true,
        };
        let found = match is_own_program {
            true => tool.found.clone(),
            false => {
                let path = tool.environment.find(&invocation.program).ok_or_else(|| {
                    let message = format!("`{}` is not installed", invocation.program);
                    LookError::new(FailureKind::Unavailable, message)
                })?;
                tool.environment.install(&path)
            }
        };
        let (access, variables) = tool.environment.access(tool.toolchain(), &found);
        let mut args: Vec<OsString> = found.first.iter().map(Into::into).collect();
        args.extend(with_more(invocation, &tool.args).into_iter().map(Into::into));
        let mut program = Program::new(&found.install.program, cwd).args(args);
        for (name, value) in variables {
            program = program.env(name, value);
        }
        for (name, value) in &invocation.env {
            program = program.env(name, value);
        }
        if let Some(text) = &invocation.stdin {
            program = program.stdin(text.bytes());
        }
        let disk = access.cache.is_none().then_some(1 << 30);
        let limits = Limits { time: left, disk, ..Limits::STANDARD };
        Ok((program.limits(limits), access))
    }
}

/// The arguments of a command with those of the configuration, before the files.
fn with_more(invocation: &Invocation, more: &[String]) -> Vec<String> {
    let mut args = invocation.args.clone();
    let is_version = args.iter().any(|it| it == "--version" || it == "version");
    if !more.is_empty() && !is_version {
        let is_operand = |it: &String| it == "--" || it.starts_with("./") || it == "-";
        let at = args.iter().position(is_operand).unwrap_or(args.len().min(1));
        args.splice(at..at, more.iter().cloned());
    }
    args
}

fn output(ran: launch::ProgramOutput, changed: BTreeMap<RelPath, Option<Text>>) -> ToolOutput {
    let status = match ran.status {
        ProcessExit::Code(code) => Some(code),
        ProcessExit::Signal(_) => None,
    };
    ToolOutput { status, stdout: ran.stdout, stderr: ran.stderr, changed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_the_configuration_come_before_files() {
        let files = [RelPath::parse("a.py").unwrap()];
        let ruff = linters::adapter("ruff").unwrap();
        let check = ruff.invocation(&ToolJob::Check { files: &files }).unwrap();
        let args = with_more(&check, &["--preview".to_owned()]);
        assert_eq!(args[args.len() - 3..], ["--preview", "--", "a.py"]);
        let version = ruff.invocation(&ToolJob::Version).unwrap();
        assert_eq!(with_more(&version, &["--preview".to_owned()]), ["--version"]);
    }
}
