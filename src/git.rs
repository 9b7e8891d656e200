//! What regreen asks git: which files changed, what is staged, and to make objects of other contents.
//!
//! git is run as a program, in the root of the workspace. Paths that come back are relative to that root, with `/`;
//! those that are not UTF-8 name no file of a workspace and are passed over.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use service::programs::{LaunchError, Program, ProgramOutput, Stop};

use crate::environment::ProcessEnvironment;

/// Why git could not help.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    #[error("cannot run git: {reason}")]
    NotRun { reason: String },
    #[error("the workspace is not in a git repository with a work tree")]
    NoRepository,
    #[error("git does not trust the repository: its owner is another user ({message})")]
    DubiousOwnership { message: String, command: Option<String> },
    #[error("git cannot find the commit {name}")]
    UnknownCommit { name: String },
    #[error("{file} {} a merge conflict", if *.n_files == 1 { "has" } else { "have" })]
    Unmerged { file: String, n_files: usize },
    #[error("`git {command}` failed: {message}")]
    Failed { command: String, message: String },
    #[error(
        "git no longer has what was staged before ({object}), so it cannot be put back; nothing was undone"
    )]
    Gone { object: String },
    #[error("{} cannot be used: {source}", .path.display())]
    Temporary { path: PathBuf, source: io::Error },
    #[error("`git {command}` printed something that cannot be understood")]
    Garbled { command: String },
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
            GitError::Gone { .. } => "gone",
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
            GitError::Unmerged { .. } => "resolve it and `git add` the file first",
            GitError::Gone { .. } => {
                "`git gc` removes what nothing names after two weeks (`gc.pruneExpire`); make the change by hand"
            }
            _ => return None,
        };
        Some(help.to_owned())
    }
}

/// A work tree of git that the workspace lies in.
pub(crate) struct GitRepository {
    root: PathBuf,
    /// From the top of the work tree to the root; empty or ending with `/`.
    prefix: String,
    variables: Vec<(&'static str, std::ffi::OsString)>,
    /// How many settings the environment has already.
    n_settings: usize,
    /// Settings that stand against those of the repository itself.
    overrides: Vec<(String, &'static str)>,
}

/// Where git looks for hooks.
pub(crate) enum HooksFolder {
    /// A folder that is the user's own: in the git directory, or named by the user's own configuration.
    Ours(PathBuf),
    /// What the repository's configuration names and is elsewhere.
    OfRepository(String),
}

/// What the index says about the files of the workspace.
#[derive(Debug, Default)]
pub(crate) struct StagedFiles {
    /// The files whose staged contents differ from the last commit.
    pub(crate) files: Vec<String>,
    /// The staged contents of those files, and of all others that are different on disk.
    pub(crate) contents: BTreeMap<String, Vec<u8>>,
    /// What kind of file each of them is, as git writes it: `100644` or `100755`.
    pub(crate) modes: BTreeMap<String, String>,
    /// The object with its contents.
    pub(crate) objects: BTreeMap<String, String>,
    /// Every file of the index, without those that are only to be added later and without submodules.
    pub(crate) tracked: Vec<String>,
    /// Files that are staged and that a filter of git changes on their way to the disk. They are left out.
    pub(crate) filtered: Vec<String>,
}

/// The mode of an entry that is another repository.
const SUBMODULE: &str = "160000";

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

impl GitRepository {
    /// Finds the work tree that `root` lies in.
    pub(crate) fn open(
        root: &Path,
        environment: &ProcessEnvironment,
    ) -> Result<GitRepository, GitError> {
        let mut repository = GitRepository {
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
    pub(crate) fn staged(&self) -> Result<StagedFiles, GitError> {
        let list = |head: &[&str], rest: &[&str]| {
            let listing = LISTING.into_iter().filter(|it| head.is_empty() || *it != "--name-only");
            let arguments: Vec<&str> = ["diff"]
                .into_iter()
                .chain(head.iter().copied())
                .chain(listing)
                .chain(rest.iter().copied())
                .collect();
            self.run(&arguments, None)
        };
        let changed: Vec<String> = names(&list(&[], &["--cached", "--diff-filter=d"])?).collect();
        let filtered = self.filtered(&changed)?;
        let (mut differing, mut intended) = (BTreeSet::new(), BTreeSet::new());
        let words: Vec<String> = names(&list(&["--name-status"], &[])?).collect();
        for [status, file] in words.as_chunks::<2>().0 {
            // What is only to be added later is in no commit, and its entry has no contents.
            let set = if status == "A" { &mut intended } else { &mut differing };
            set.insert(file.clone());
        }
        let wanted: BTreeSet<&String> = differing.iter().chain(&changed).collect();
        let (mut objects, mut unmerged) = (Vec::new(), BTreeSet::new());
        let mut staged = StagedFiles::default();
        for entry in self.run(&["ls-files", "--stage", "-z"], None)?.split(|it| *it == 0) {
            let Some((mode, object, stage, file)) = index_entry(entry) else { continue };
            if stage != "0" {
                unmerged.insert(file.to_owned());
            } else if mode != SUBMODULE && !intended.contains(file) {
                staged.tracked.push(file.to_owned());
                if wanted.contains(&file.to_owned()) && mode.starts_with("100") {
                    staged.modes.insert(file.to_owned(), mode.to_owned());
                    objects.push((file.to_owned(), object.to_owned()));
                }
            }
        }
        if !unmerged.is_empty() {
            let files: Vec<String> = unmerged.into_iter().collect();
            return Err(GitError::Unmerged { file: files.join(", "), n_files: files.len() });
        }
        staged.contents = self.blobs(&objects)?;
        staged.objects = objects.into_iter().collect();
        let is_fixable = |it: &String| staged.contents.contains_key(it) && !filtered.contains(it);
        staged.files = changed.into_iter().filter(is_fixable).collect();
        staged.filtered = filtered.into_iter().collect();
        Ok(staged)
    }

    /// The index that is looked at: git gives some hooks another one than that of the repository.
    pub(crate) fn index(&self) -> Result<PathBuf, GitError> {
        self.path_of(&["rev-parse", "--git-path", "index"])
    }

    /// Makes objects of contents, by file. Nothing names them yet.
    pub(crate) fn store(
        &self,
        contents: &BTreeMap<String, Vec<u8>>,
    ) -> Result<BTreeMap<String, String>, GitError> {
        if contents.is_empty() {
            return Ok(BTreeMap::new());
        }
        let temporary = |path: &Path, source| GitError::Temporary { path: path.to_owned(), source };
        let folder = tempfile::tempdir().map_err(|it| temporary(Path::new("a new folder"), it))?;
        let mut paths = String::new();
        for (n, bytes) in contents.values().enumerate() {
            let file = folder.path().join(n.to_string());
            std::fs::write(&file, bytes).map_err(|it| temporary(&file, it))?;
            paths.push_str(&format!("{}\n", file.display()));
        }
        let arguments = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
        let output = self.run(&arguments, Some(paths.as_bytes()))?;
        let text = String::from_utf8_lossy(&output);
        let objects: Vec<&str> = text.lines().collect();
        if objects.len() != contents.len() {
            return Err(GitError::Garbled { command: "hash-object".to_owned() });
        }
        let named = contents.keys().cloned().zip(objects);
        Ok(named.map(|(file, object)| (file, object.to_owned())).collect())
    }

    /// The folder with the index of this work tree.
    pub(crate) fn directory(&self) -> Result<PathBuf, GitError> {
        self.path_of(&["rev-parse", "--absolute-git-dir"])
    }

    /// That git still has the objects.
    pub(crate) fn check_objects(&self, objects: &[String]) -> Result<(), GitError> {
        let wanted: String = objects.iter().map(|it| format!("{it}\n")).collect();
        let output = self.run(&["cat-file", "--batch-check"], Some(wanted.as_bytes()))?;
        let text = String::from_utf8_lossy(&output);
        match text.lines().find(|it| it.ends_with(" missing")) {
            Some(line) => Err(GitError::Gone { object: line.replace(" missing", "") }),
            None => Ok(()),
        }
    }

    /// Where hooks go.
    pub(crate) fn hooks_folder(&self) -> Result<HooksFolder, GitError> {
        let common = self.path_of(&["rev-parse", "--path-format=absolute", "--git-common-dir"])?;
        let arguments =
            ["config", "--show-scope", "--type=path", "-z", "--get-all", "core.hooksPath"];
        let output = self.output(&arguments, None)?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let words: Vec<&str> = text.split('\0').collect();
        // Our own setting, which keeps hooks from being run, is one of the command line.
        let set = words.chunks_exact(2).rfind(|it| it[0] != "command");
        let Some([scope, path]) = set else { return Ok(HooksFolder::Ours(common.join("hooks"))) };
        let top = self.path_of(&["rev-parse", "--show-toplevel"])?;
        let folder = top.join(path);
        let is_users = matches!(*scope, "global" | "system");
        Ok(match is_users || folder.starts_with(&common) {
            true => HooksFolder::Ours(folder),
            false => HooksFolder::OfRepository((*path).to_owned()),
        })
    }

    /// The path that git answers with, without links but in its last part.
    fn path_of(&self, arguments: &[&str]) -> Result<PathBuf, GitError> {
        let garbled = || GitError::Garbled { command: "rev-parse".to_owned() };
        let output = self.run(arguments, None)?;
        let line = output.strip_suffix(b"\n").unwrap_or(&output);
        let path = self.root.join(std::ffi::OsStr::from_bytes(line));
        let (parent, name) = (path.parent(), path.file_name());
        let (parent, name) = parent.zip(name).ok_or_else(garbled)?;
        Ok(parent.canonicalize().map_err(|_| garbled())?.join(name))
    }

    /// Those of the files that a filter of git stands between index and disk of, such as Git LFS.
    fn filtered(&self, files: &[String]) -> Result<BTreeSet<String>, GitError> {
        let input: String = files.iter().map(|it| format!("{it}\0")).collect();
        let arguments = ["check-attr", "-z", "--stdin", "filter"];
        let output = match files {
            [] => Vec::new(),
            _ => self.run(&arguments, Some(input.as_bytes()))?,
        };
        let words: Vec<&[u8]> = output.split(|it| *it == 0).collect();
        let named =
            words.chunks_exact(3).filter(|it| !matches!(it[2], b"unspecified" | b"unset" | b"set"));
        Ok(named.filter_map(|it| Some(std::str::from_utf8(it[0]).ok()?.to_owned())).collect())
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

    fn output(&self, arguments: &[&str], input: Option<&[u8]>) -> Result<ProgramOutput, GitError> {
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
