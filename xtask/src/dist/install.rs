//! What a user does with each package, in a clean place: install it by the usual command, do the README's main job with
//! it, remove it, and look whether anything is left.
//!
//! Every way starts with an empty home and a search path without the repository. What regreen itself leaves in the home
//! is its state and its caches, in the two folders that the guide names; anything else is a fault.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail, ensure};

use super::{Files, Release, ways};
use crate::report;

/// A clean place to install in.
pub(crate) struct InstallFolder {
    folder: tempfile::TempDir,
    /// Where the packages are.
    pub(crate) dist: PathBuf,
    pub(crate) version: String,
    /// The folders that commands are looked for in, before those of the system.
    path: Vec<PathBuf>,
    /// What the prefix held before the package was installed, if that is not nothing.
    pub(crate) before: BTreeSet<String>,
}

/// A way to install: a name, and what a user types before and after the work.
pub(crate) struct Installer {
    pub(crate) name: &'static str,
    pub(crate) install: fn(&mut InstallFolder, &Files) -> Result<()>,
    /// Checks what is installed beside the binary.
    pub(crate) check: fn(&InstallFolder) -> Result<()>,
    pub(crate) remove: fn(&InstallFolder) -> Result<()>,
}

pub(crate) fn run(release: &Release, dist: &Path, files: &Files) -> Result<()> {
    for way in ways::WAYS {
        attempt(release, dist, files, &way).with_context(|| way.name)?;
        report(&format!("dist: installed, used and removed without a trace: {}", way.name));
    }
    Ok(())
}

fn attempt(release: &Release, dist: &Path, files: &Files, way: &Installer) -> Result<()> {
    let folder = tempfile::Builder::new().prefix("install-").tempdir()?;
    for name in ["home", "prefix", "work"] {
        fs::create_dir(folder.path().join(name))?;
    }
    let dist = fs::canonicalize(dist)?;
    let mut place = InstallFolder {
        folder,
        dist,
        version: release.version.clone(),
        path: Vec::new(),
        before: BTreeSet::new(),
    };
    (way.install)(&mut place, files).context("install")?;
    check_version(&place)?;
    check_completions(&place)?;
    (way.check)(&place).context("what is installed beside the binary")?;
    main_job(&place, &release.source.join("examples/app-workspace"))?;
    (way.remove)(&place).context("remove")?;
    check_gone(&place)
}

impl InstallFolder {
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Where the package goes; nothing is in it before and after.
    pub(crate) fn prefix(&self) -> PathBuf {
        self.folder.path().join("prefix")
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub(crate) fn add_path(&mut self, folder: PathBuf) {
        self.path.push(folder);
    }

    /// A command of a user who has nothing but the system and what was installed.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Result<Command> {
        let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
        let path = std::env::join_paths(self.path.iter().cloned().chain(system))?;
        let mut command = Command::new("/usr/bin/env");
        command.arg("--").arg(program.as_ref());
        command.current_dir(self.work()).env_clear();
        command.env("HOME", self.home()).env("PATH", path).env("LC_ALL", "C.UTF-8");
        Ok(command)
    }

    /// Runs the command, which must end well, and gives what it said.
    pub(crate) fn run(
        &self,
        program: impl AsRef<std::ffi::OsStr>,
        words: &[&str],
    ) -> Result<String> {
        let program = program.as_ref();
        let output = self.command(program)?.args(words).output()?;
        let shown = format!("{} {}", program.display(), words.join(" "));
        ensure!(
            output.status.success(),
            "`{shown}` ended with {}\n{}",
            output.status,
            said(&output)
        );
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs regreen, and gives how it ended and what it said.
    fn regreen(&self, words: &[&str]) -> Result<(Option<i32>, String)> {
        let output = self.command("regreen")?.args(words).output()?;
        Ok((output.status.code(), said(&output)))
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}

fn check_version(place: &InstallFolder) -> Result<()> {
    let printed = place.run("regreen", &["--version"])?;
    ensure!(printed.trim() == format!("regreen {}", place.version), "--version says {printed}");
    Ok(())
}

/// The script works in the shell that is always there.
fn check_completions(place: &InstallFolder) -> Result<()> {
    let script = "eval \"$(regreen completions bash)\" && complete -p regreen";
    let printed = place.run("bash", &["--norc", "-c", script])?;
    ensure!(printed.contains("_regreen"), "completions of bash: {printed}");
    Ok(())
}

/// What the README shows first: check, fix, undo; afterwards every byte is as before.
fn main_job(place: &InstallFolder, example: &Path) -> Result<()> {
    let work = place.work();
    copy(example, &work)?;
    let before = snapshot(&work)?;
    let (code, text) = place.regreen(&["check"])?;
    ensure!(code == Some(1) && text.contains("SCHEMA_TYPE"), "check ended with {code:?}:\n{text}");
    ensure!(snapshot(&work)? == before, "check changed files");
    let (code, text) = place.regreen(&["fix"])?;
    ensure!(
        matches!(code, Some(0 | 1)) && text.contains("Fixed"),
        "fix ended with {code:?}:\n{text}"
    );
    ensure!(snapshot(&work)? != before, "fix changed nothing:\n{text}");
    let (code, text) = place.regreen(&["undo"])?;
    ensure!(code == Some(0), "undo ended with {code:?}:\n{text}");
    ensure!(snapshot(&work)? == before, "undo did not bring everything back:\n{text}");
    let (code, _) = place.regreen(&["no-such-command"])?;
    ensure!(code == Some(2), "a wrong command line ended with {code:?}");
    fs::remove_dir_all(&work)?;
    fs::create_dir(&work)?;
    Ok(())
}

/// Nothing is where the package was, and nothing in the home but regreen's own state and caches.
fn check_gone(place: &InstallFolder) -> Result<()> {
    let own = [".local/state/regreen/", ".cache/regreen/"];
    let left: Vec<String> = snapshot(&place.home())?
        .into_keys()
        .filter(|path| !own.iter().any(|it| path.starts_with(it)))
        .chain(snapshot(&place.prefix())?.into_keys())
        .collect();
    ensure!(left.is_empty(), "left behind: {}", left.join(", "));
    if let Ok(printed) = place.run("regreen", &["--version"]) {
        bail!("regreen still runs: {printed}");
    }
    Ok(())
}

/// The files below the folder, with their bytes; a link counts by where it leads.
pub(crate) fn snapshot(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).with_context(|| next.display().to_string())? {
            let path = entry?.path();
            let kind = fs::symlink_metadata(&path)?.file_type();
            let name = path.strip_prefix(folder)?.to_string_lossy().into_owned();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_symlink() {
                found.insert(name, fs::read_link(&path)?.into_os_string().into_encoded_bytes());
            } else {
                found.insert(name, fs::read(&path)?);
            }
        }
    }
    Ok(found)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    for (name, bytes) in snapshot(from)? {
        let path = to.join(name);
        fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
        fs::write(path, bytes)?;
    }
    Ok(())
}
