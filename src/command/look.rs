//! What `check`, `plan` and `fix` look at: the flags they share, and the request they come to.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};
use protocol::v1::{LookRequest, Safety, Solver, Tier};

use super::Ctx;
use crate::failure::UsageError;
use crate::git::{GitRepository, StagedFiles};
use crate::input;

/// The flags.
#[derive(Clone, Debug, Args)]
pub(crate) struct LookArguments {
    /// Files and folders to report on and to edit [default: the whole workspace]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only what differs from a commit, and untracked files [default commit: HEAD]
    #[arg(long, value_name = "REF", num_args = 0..=1, require_equals = true, default_missing_value = "HEAD", help_heading = "What to look at")]
    pub(crate) changed: Option<String>,
    /// Only what is staged in git, in the tree that the index holds
    #[arg(long, conflicts_with = "changed", help_heading = "What to look at")]
    pub(crate) staged: bool,
    /// Read one file from standard input, as if it were this one
    #[arg(long, value_name = "PATH", conflicts_with_all = ["changed", "staged", "paths"], help_heading = "What to look at")]
    pub(crate) stdin_path: Option<PathBuf>,
    /// Only this rule; may be repeated
    #[arg(long, value_name = "RULE", help_heading = "What to look at")]
    pub(crate) only: Vec<String>,
    /// Only this source, such as a pack by its name; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "What to look at")]
    pub(crate) source: Vec<String>,
    /// Only rules of this tier; may be repeated
    #[arg(long, value_enum, value_name = "TIER", help_heading = "What to look at")]
    pub(crate) tier: Vec<TierArgument>,
    /// Apply repairs up to this safety: behavior_preserving, likely_preserving, behavior_changing
    ///
    /// regreen.toml may only narrow what is applied; a wider level is typed, and the transaction records it.
    #[arg(
        long,
        value_enum,
        value_name = "LEVEL",
        help_heading = "What to allow",
        hide_possible_values = true
    )]
    pub(crate) safety: Option<SafetyArgument>,
    /// Apply this repair whatever its safety; may be repeated
    #[arg(long, value_name = "ID", help_heading = "What to allow")]
    pub(crate) allow: Vec<String>,
    /// Count warnings as failures too
    #[arg(long, help_heading = "What to allow")]
    pub(crate) deny_warnings: bool,
    /// Also fail if a file could not be checked, such as one with a remote schema
    #[arg(long, help_heading = "What to allow")]
    pub(crate) deny_unchecked: bool,
    /// Go on without a pack or a solver that is not available; what it would have said is missing
    #[arg(long, help_heading = "What to allow")]
    pub(crate) tolerate_tools: bool,
    /// Count what the baseline knows like everything else
    #[arg(long, help_heading = "What to allow")]
    pub(crate) no_baseline: bool,
    #[command(flatten)]
    pub(crate) solver: SolverArguments,
    /// List at most N findings and count the others
    #[arg(long, value_name = "N")]
    pub(crate) max_findings: Option<usize>,
    /// Threads [default: as many as there are processors]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}

/// Who proves goals of Clank programs, for every command that compiles them.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct SolverArguments {
    /// Who proves goals of Clank programs: own, z3 [default: what regreen.toml says, else own]
    ///
    /// `own` is part of regreen and says the same everywhere. `z3` also asks an installed Z3 about what stays open, at most
    /// ten seconds for each goal and two minutes for a program; what it says depends on its version and on how fast it is.
    #[arg(long, value_enum, value_name = "SOLVER", hide_possible_values = true)]
    solver: Option<SolverArgument>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum SolverArgument {
    Own,
    Z3,
}

impl SolverArguments {
    pub(crate) fn wire(self) -> Option<Solver> {
        self.solver.map(|it| match it {
            SolverArgument::Own => Solver::Own,
            SolverArgument::Z3 => Solver::Z3,
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum TierArgument {
    Schema,
    Semantic,
    Policy,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum SafetyArgument {
    #[value(name = "behavior_preserving", alias = "behavior-preserving")]
    Preserving,
    #[value(name = "likely_preserving", alias = "likely-preserving")]
    Likely,
    #[value(name = "behavior_changing", alias = "behavior-changing")]
    Changing,
}

/// The request, and what must be known to write its result back.
pub(crate) struct PreparedLook {
    pub(crate) look: LookRequest,
    /// The repository and what was staged, with `--staged`.
    pub(crate) staged: Option<(GitRepository, StagedFiles)>,
    /// The path of the buffer, with `--stdin-path`.
    pub(crate) buffer: Option<String>,
}

impl LookArguments {
    /// Asks git and reads standard input, as the flags say.
    pub(crate) fn look(&self, ctx: &Ctx<'_>) -> Result<PreparedLook> {
        let root = ctx.root()?;
        let relative = |path: &PathBuf| relative_to_root(&root, &ctx.environment.directory, path);
        let mut look = LookRequest {
            paths: paths(self.paths.iter().map(relative))?,
            changed: None,
            changed_words: None,
            overlay: BTreeMap::new(),
            tracked: None,
            tiers: self.tier.iter().map(|it| it.wire()).collect(),
            only: self.only.clone(),
            sources: self.source.clone(),
            safety: self.safety.map(SafetyArgument::wire),
            allow: self.allow.clone(),
            deny_warnings: self.deny_warnings,
            deny_unchecked: self.deny_unchecked,
            tolerate_tools: self.tolerate_tools,
            no_baseline: self.no_baseline,
            max_findings: self.max_findings,
            jobs: self.jobs.map(usize::from),
            solver: self.solver.wire(),
        };
        if let Some(inputs) = &ctx.inputs {
            if self.changed.is_some() || self.staged || self.stdin_path.is_some() {
                let message =
                    "--inputs lists what to look at; --changed, --staged and --stdin-path do too";
                return Err(UsageError(message.to_owned()).into());
            }
            if look.paths.is_empty() && inputs.reported.len() < inputs.files.len() {
                // Without a path everything is reported on.
                match inputs.reported.as_slice() {
                    [] => look.changed = Some(Vec::new()),
                    reported => look.paths = reported.to_vec(),
                }
            }
        }
        let mut looked_staged = None;
        let mut buffer = None;
        if let Some(since) = &self.changed {
            look.changed = Some(GitRepository::open(&root, &ctx.environment)?.changed(since)?);
            look.changed_words = Some(format!("changed since {since}"));
        } else if self.staged {
            let repository = GitRepository::open(&root, &ctx.environment)?;
            let staged = repository.staged()?;
            look.changed = Some(staged.files.clone());
            look.changed_words = Some("is staged".to_owned());
            look.overlay.clone_from(&staged.contents);
            look.tracked = Some(staged.tracked.clone());
            super::staged::tell_filtered(ctx, &staged)?;
            looked_staged = Some((repository, staged));
        } else if let Some(path) = &self.stdin_path {
            let path = relative(path)?;
            let bytes = input::read_buffer(io::stdin().lock())?;
            look.changed = Some(vec![path.clone()]);
            look.overlay.insert(path.clone(), bytes);
            buffer = Some(path);
        }
        Ok(PreparedLook { look, staged: looked_staged, buffer })
    }
}

impl TierArgument {
    fn wire(self) -> Tier {
        match self {
            TierArgument::Schema => Tier::Schema,
            TierArgument::Semantic => Tier::Semantic,
            TierArgument::Policy => Tier::Policy,
        }
    }
}

impl SafetyArgument {
    pub(crate) fn wire(self) -> Safety {
        match self {
            SafetyArgument::Preserving => Safety::BehaviorPreserving,
            SafetyArgument::Likely => Safety::LikelyPreserving,
            SafetyArgument::Changing => Safety::BehaviorChanging,
        }
    }
}

/// The paths; none, which is all of the workspace, if one of them is its root.
fn paths(
    typed: impl Iterator<Item = Result<String, UsageError>>,
) -> Result<Vec<String>, UsageError> {
    let paths: Vec<String> = typed.collect::<Result<_, _>>()?;
    Ok(if paths.iter().any(String::is_empty) { Vec::new() } else { paths })
}

/// The path as the workspace names it; the root itself is the empty path.
pub(super) fn relative_to_root(
    root: &Path,
    directory: &Path,
    typed: &Path,
) -> Result<String, UsageError> {
    let outside = || {
        UsageError(format!(
            "{} lies outside the workspace; --root DIR names another",
            typed.display()
        ))
    };
    let full = plain(&directory.join(typed));
    let found = match full.strip_prefix(plain(root)) {
        Ok(found) => found.to_owned(),
        // One of the two may have been reached through a link.
        Err(_) => {
            let root = root.canonicalize().map_err(|_| outside())?;
            let folder = full.parent().unwrap_or(&full).canonicalize().map_err(|_| outside())?;
            let full = full.file_name().map_or(folder.clone(), |name| folder.join(name));
            let full = if full == root { full } else { full.canonicalize().unwrap_or(full) };
            full.strip_prefix(&root).map_err(|_| outside())?.to_owned()
        }
    };
    let names = found.components().map(|it| it.as_os_str().to_str()).collect::<Option<Vec<_>>>();
    let names = names.ok_or_else(|| {
        UsageError(format!("{} is not UTF-8, so no workspace can have it", typed.display()))
    })?;
    Ok(names.join("/"))
}

/// The path without `.` and `..`, by its letters alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(directory: &str, typed: &str, expected: Option<&str>) {
        let found = relative_to_root(Path::new("/ws"), Path::new(directory), Path::new(typed));
        assert_eq!(found.ok().as_deref(), expected, "{typed} in {directory}");
    }

    #[test]
    fn paths_are_relative_to_where_the_user_stands_and_become_relative_to_the_root() {
        check("/ws", "a.yaml", Some("a.yaml"));
        check("/ws/sub", "a.yaml", Some("sub/a.yaml"));
        check("/ws/sub", "../b/./c.yaml", Some("b/c.yaml"));
        check("/ws/sub", "..", Some(""));
        check("/", "ws/a.yaml", Some("a.yaml"));
        check("/ws", "/ws/a.yaml", Some("a.yaml"));
        check("/ws", "../other/a.yaml", None);
        check("/ws", "/etc/passwd", None);
    }

    #[test]
    fn a_root_that_was_reached_through_a_link_is_the_same_root() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().join("real");
        std::fs::create_dir(&real).unwrap();
        std::fs::write(real.join("a.yaml"), "").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert_eq!(relative_to_root(&link, &real, Path::new("a.yaml")).unwrap(), "a.yaml");
        assert_eq!(relative_to_root(&real, &link, Path::new("a.yaml")).unwrap(), "a.yaml");
        assert_eq!(relative_to_root(&real, &link, Path::new(".")).unwrap(), "");
    }
}
