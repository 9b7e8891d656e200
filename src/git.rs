//! What regreen asks git: which files changed, what is staged, and to stage something else.
//!
//! git is run as a program, in the root of the workspace. Paths that come back are relative to that root, with `/`;
//! those that are no UTF-8 name no file of a workspace and are passed over.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use service::programs::{LaunchError, Output, Program, Stop};

use crate::environment::Environment;

/// Why git could not help.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    #[error("git cannot be run: {reason}")]
    NotRun { reason: String },
    #[error("the workspace is not in a git repository with a work tree")]
    NoRepository,
    #[error("git does not trust the repository: its owner is another user ({message})")]
    DubiousOwnership { message: String, command: Option<String> },
    #[error("git knows no commit {name}")]
    UnknownCommit { name: String },
    #[error("{file} has a merge conflict")]
    Unmerged { file: String },
    #[error("`git {command}` failed: {message}")]
    Failed { command: String, message: String },
    #[error("`git {command}` said something that cannot be understood")]
    Garbled { command: String },
    #[error("{} cannot be used for a merge: {source}", .path.display())]
    Temporary { path: PathBuf, source: io::Error },
}

impl GitError {
    /// A stable name.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            GitError::NotRun { .. } => "git_missing",
            GitError::NoRepository => "no_repository",
            GitError::DubiousOwnership { .. } => "dubious_ownership",
            GitError::UnknownCommit { .. } => "usage",
            GitError::Unmerged { .. } => "unmerged",
            GitError::Failed { .. } | GitError::Garbled { .. } => "git_failed",
            GitError::Temporary { .. } => "io",
        }
    }

    /// What to do about it.
    pub(crate) fn help(&self) -> Option<String> {
        let help = match self {
            GitError::NotRun { .. } => {
                "--changed and --staged ask git; install it, or name the files instead"
            }
            GitError::NoRepository => {
                "--changed and --staged need a repository; name the files instead, or run `git init`"
            }
            GitError::DubiousOwnership { command, .. } => {
                let command =
                    command.as_deref().unwrap_or("git config --global --add safe.directory DIR");
                return Some(format!(
                    "if you trust its owner, run `{command}`, or name the files instead"
                ));
            }
            GitError::UnknownCommit { .. } => {
                "name a branch, a tag or a commit: `--changed=origin/main`"
            }
            GitError::Unmerged { .. } => "resolve it and stage the file first",
            _ => return None,
        };
        Some(help.to_owned())
    }
}

/// A work tree of git that the workspace lies in.
pub(crate) struct Repository {
    root: PathBuf,
    /// From the top of the work tree to the root; empty or ending with `/`.
    prefix: String,
    variables: Vec<(&'static str, std::ffi::OsString)>,
    /// How many settings the environment has already.
    n_settings: usize,
    /// Settings that stand against those of the repository itself.
    overrides: Vec<(String, &'static str)>,
}

/// What the index says about the files of the workspace.
#[derive(Debug, Default)]
pub(crate) struct Staged {
    /// The files whose staged contents differ from the last commit.
    pub(crate) files: Vec<String>,
    /// The staged contents of those files, and of all others that are different on disk.
    pub(crate) contents: BTreeMap<String, Vec<u8>>,
    /// What kind of file each of them is, as git writes it: `100644` or `100755`.
    pub(crate) modes: BTreeMap<String, String>,
}

/// Deleted files have no contents to look at, and a submodule is another workspace.
const LISTING: [&str; 6] =
    ["--name-only", "-z", "--relative", "--no-renames", "--ignore-submodules=all", "--no-ext-diff"];

/// What a repository's own configuration may name to be run while files are listed or staged. Nobody asked for it.
const NO_COMMANDS: [&str; 6] = [
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    // A folder that only looks like a repository can be part of a clone, with a configuration of its own.
    "-c",
    "safe.bareRepository=explicit",
];

impl Repository {
    /// Finds the work tree that `root` lies in.
    pub(crate) fn open(root: &Path, environment: &Environment) -> Result<Repository, GitError> {
        let mut repository = Repository {
            root: root.to_owned(),
            prefix: String::new(),
            variables: environment.git.clone(),
            n_settings: environment.n_git_settings,
            overrides: Vec::new(),
        };
        let output = repository.output(&["rev-parse", "--show-prefix"], None)?;
        if !output.status.is_success() {
            return Err(dubious_ownership(&output.stderr).unwrap_or(GitError::NoRepository));
        }
        // In a repository without a work tree, and in `.git` itself, there is no top.
        repository.run(&["rev-parse", "--show-toplevel"], None).map_err(|error| match error {
            GitError::Failed { .. } => GitError::NoRepository,
            other => other,
        })?;
        let prefix = String::from_utf8(output.stdout)
            .map_err(|_| GitError::Garbled { command: "rev-parse".to_owned() })?;
        repository.prefix = prefix.trim_end_matches(['\n', '\r']).to_owned();
        repository.overrides = repository.without_own_filters()?;
        Ok(repository)
    }

    /// Settings that switch off the filters which the repository's own configuration names: git runs them when it compares
    /// files. Those of the user's configuration stay.
    fn without_own_filters(&self) -> Result<Vec<(String, &'static str)>, GitError> {
        let arguments =
            ["config", "--show-scope", "--name-only", "-z", "--get-regexp", r"^filter\."];
        let output = self.output(&arguments, None)?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let words: Vec<&str> = text.split('\0').collect();
        let own = words.chunks_exact(2).filter(|it| matches!(it[0], "local" | "worktree"));
        let drivers = own.filter_map(|it| it[1].strip_prefix("filter.")?.rsplit_once('.'));
        let drivers: std::collections::BTreeSet<&str> = drivers.map(|it| it.0).collect();
        let settings = [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];
        let off =
            |driver: &str| settings.map(|(name, value)| (format!("filter.{driver}.{name}"), value));
        Ok(drivers.into_iter().flat_map(off).collect())
    }

    /// From the top of the work tree to the root of the workspace; empty or ending with `/`.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The files that are not what they were in that commit, and the untracked ones that are not ignored.
    pub(crate) fn changed(&self, since: &str) -> Result<Vec<String>, GitError> {
        let mut files: BTreeSet<String> = match self.commit(since)? {
            Some(commit) => {
                let arguments: Vec<&str> = ["diff"]
                    .into_iter()
                    .chain(LISTING)
                    .chain(["--diff-filter=d", &commit, "--"])
                    .collect();
                names(&self.run(&arguments, None)?).collect()
            }
            // Before the first commit everything is new.
            None => names(&self.run(&["ls-files", "-z"], None)?).collect(),
        };
        let untracked = ["ls-files", "--others", "--exclude-standard", "-z"];
        files.extend(names(&self.run(&untracked, None)?));
        Ok(files.into_iter().collect())
    }

    /// What is staged. A file with a merge conflict has no staged contents, so that one is an error.
    pub(crate) fn staged(&self) -> Result<Staged, GitError> {
        let list = |rest: &[&str]| -> Result<Vec<String>, GitError> {
            let arguments: Vec<&str> =
                ["diff"].into_iter().chain(LISTING).chain(rest.iter().copied()).collect();
            Ok(names(&self.run(&arguments, None)?).collect())
        };
        let files = list(&["--cached", "--diff-filter=d"])?;
        let wanted: BTreeSet<String> =
            list(&[])?.into_iter().chain(files.iter().cloned()).collect();
        let mut objects = Vec::new();
        let mut staged = Staged::default();
        for entry in self.run(&["ls-files", "--stage", "-z"], None)?.split(|it| *it == 0) {
            let Some((mode, object, stage, file)) = index_entry(entry) else { continue };
            if stage != "0" {
                return Err(GitError::Unmerged { file: file.to_owned() });
            }
            if wanted.contains(file) && mode.starts_with("100") {
                staged.modes.insert(file.to_owned(), mode.to_owned());
                objects.push((file.to_owned(), object.to_owned()));
            }
        }
        staged.contents = self.blobs(&objects)?;
        staged.files = files.into_iter().filter(|it| staged.contents.contains_key(it)).collect();
        Ok(staged)
    }

    /// Stages other contents for files that are staged already; all of them or none. The files on disk stay as they are.
    pub(crate) fn stage(
        &self,
        contents: &BTreeMap<String, Vec<u8>>,
        modes: &BTreeMap<String, String>,
    ) -> Result<(), GitError> {
        let mut entries = Vec::new();
        for (file, bytes) in contents {
            let object = self.run(&["hash-object", "-w", "--stdin"], Some(bytes))?;
            let object = String::from_utf8_lossy(&object);
            let mode = modes.get(file).map_or("100644", String::as_str);
            let entry = format!("{mode} {}\t{}{file}\0", object.trim(), self.prefix);
            entries.extend_from_slice(entry.as_bytes());
        }
        if !entries.is_empty() {
            self.run(&["update-index", "-z", "--index-info"], Some(&entries))?;
        }
        Ok(())
    }

    /// The changes from `base` to `theirs`, made to `ours`; nothing if they touch lines that `ours` changed too.
    pub(crate) fn merge(
        &self,
        ours: &[u8],
        base: &[u8],
        theirs: &[u8],
    ) -> Result<Option<Vec<u8>>, GitError> {
        let temporary = |path: &Path, source| GitError::Temporary { path: path.to_owned(), source };
        let folder = tempfile::tempdir().map_err(|it| temporary(Path::new("a new folder"), it))?;
        let mut files = Vec::new();
        for (name, bytes) in [("ours", ours), ("base", base), ("theirs", theirs)] {
            let file = folder.path().join(name);
            std::fs::write(&file, bytes).map_err(|it| temporary(&file, it))?;
            files.push(file.to_string_lossy().into_owned());
        }
        let arguments: Vec<&str> =
            ["merge-file", "-p"].into_iter().chain(files.iter().map(String::as_str)).collect();
        let output = self.output(&arguments, None)?;
        // The exit code is the number of conflicts, or above that for what git cannot merge, such as binary files.
        Ok(output.status.is_success().then_some(output.stdout))
    }

    /// The commit of that name; nothing if it is `HEAD` and there is no commit yet.
    fn commit(&self, name: &str) -> Result<Option<String>, GitError> {
        let wanted = format!("{name}^{{commit}}");
        let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", wanted.as_str()];
        let output = self.output(&arguments, None)?;
        match (output.status.is_success(), name) {
            (true, _) => Ok(Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())),
            (false, "HEAD") => Ok(None),
            (false, _) => Err(GitError::UnknownCommit { name: name.to_owned() }),
        }
    }

    /// The contents of objects, by file.
    fn blobs(&self, objects: &[(String, String)]) -> Result<BTreeMap<String, Vec<u8>>, GitError> {
        let wanted: String = objects.iter().map(|(_, object)| format!("{object}\n")).collect();
        if wanted.is_empty() {
            return Ok(BTreeMap::new());
        }
        let garbled = || GitError::Garbled { command: "cat-file".to_owned() };
        let output = self.run(&["cat-file", "--batch"], Some(wanted.as_bytes()))?;
        let mut rest = output.as_slice();
        let mut found = BTreeMap::new();
        for (file, _) in objects {
            let end = rest.iter().position(|it| *it == b'\n').ok_or_else(garbled)?;
            let head = String::from_utf8_lossy(&rest[..end]);
            let size = head.rsplit(' ').next().and_then(|it| it.parse::<usize>().ok());
            rest = &rest[end + 1..];
            let contents = size.and_then(|it| rest.get(..it)).ok_or_else(garbled)?;
            found.insert(file.clone(), contents.to_vec());
            rest = rest.get(contents.len() + 1..).ok_or_else(garbled)?;
        }
        Ok(found)
    }

    fn run(&self, arguments: &[&str], input: Option<&[u8]>) -> Result<Vec<u8>, GitError> {
        let output = self.output(arguments, input)?;
        if output.status.is_success() {
            return Ok(output.stdout);
        }
        if let Some(error) = dubious_ownership(&output.stderr) {
            return Err(error);
        }
        let command = arguments.first().copied().unwrap_or_default().to_owned();
        let message = String::from_utf8_lossy(&output.stderr);
        Err(GitError::Failed { command, message: message.trim().to_owned() })
    }

    fn output(&self, arguments: &[&str], input: Option<&[u8]>) -> Result<Output, GitError> {
        let mut git = Program::inheriting("git", &self.root).args(NO_COMMANDS).args(arguments);
        git.env.extend(self.variables.iter().map(|(name, value)| (name.into(), value.clone())));
        let settings = self.n_settings + self.overrides.len();
        let mut git = git
            // What we read must not depend on who reads it.
            .env("LC_ALL", "C")
            .env("GIT_OPTIONAL_LOCKS", "0")
            // What is missing in a partial clone would be fetched by a program that the repository names.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_CONFIG_COUNT", settings.to_string())
            .stdin(input.unwrap_or_default());
        for ((name, value), n) in self.overrides.iter().zip(self.n_settings..) {
            git = git
                .env(format!("GIT_CONFIG_KEY_{n}"), name)
                .env(format!("GIT_CONFIG_VALUE_{n}"), value);
        }
        // A large repository takes its time, and staged files are as large as they are.
        git.limits.time = Duration::MAX;
        git.limits.output = u64::MAX;
        service::programs::run(&git, &Stop::new()).map_err(|error| {
            let reason = match error {
                LaunchError::Unavailable { reason, .. } => reason,
                other => other.to_string(),
            };
            GitError::NotRun { reason }
        })
    }
}

/// What git says about a repository of another user, which may be set up to run anything: that it does not look into it, and
/// how that is allowed.
fn dubious_ownership(stderr: &[u8]) -> Option<GitError> {
    let text = String::from_utf8_lossy(stderr);
    let message = text.lines().find(|it| it.contains("dubious ownership"))?;
    let message = message.strip_prefix("fatal: ").unwrap_or(message).trim().to_owned();
    let command = text.lines().map(str::trim).find(|it| it.starts_with("git config "));
    Some(GitError::DubiousOwnership { message, command: command.map(str::to_owned) })
}

fn names(output: &[u8]) -> impl Iterator<Item = String> {
    output
        .split(|it| *it == 0)
        .filter(|it| !it.is_empty())
        .filter_map(|it| std::str::from_utf8(it).ok().map(str::to_owned))
}

/// `MODE OBJECT STAGE<tab>FILE`.
fn index_entry(entry: &[u8]) -> Option<(&str, &str, &str, &str)> {
    let (head, file) = std::str::from_utf8(entry).ok()?.split_once('\t')?;
    let mut words = head.split(' ');
    Some((words.next()?, words.next()?, words.next()?, file))
}
