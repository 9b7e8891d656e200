//! The crash matrix: the real binary is killed, or refused, at every write-class system call of an `apply`, with its state
//! in the user's folder and in a git directory.
//!
//! One run under strace counts how often each call is made. Then, for every call and every count, a fresh copy of
//! the workspace is changed with that one call killed or failing, `regreen recover` is run, and the tree must be the
//! old one or the new one, byte for byte and mode for mode, with no stray file.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::{command, execute, live, report};

/// Every call that can change a file system, and those that make the change durable or exclusive.
const CALLS: [&str; 28] = [
    "openat",
    "openat2",
    "creat",
    "write",
    "pwrite64",
    "writev",
    "ftruncate",
    "fallocate",
    "copy_file_range",
    "sendfile",
    "fsync",
    "fdatasync",
    "syncfs",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "symlinkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "fchmod",
    "fchown",
    "fsetxattr",
    "flock",
];

const FAULTS: [&str; 4] = ["signal=KILL", "error=ENOSPC", "error=EIO", "error=EACCES"];

/// Which of the points are tried.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Points {
    All,
    /// About so many, spread evenly.
    Sample(usize),
    /// All but those at calls that open something: most of these only read.
    Changing,
}

pub(crate) fn run(root: &Path, wanted: Points) -> Result<()> {
    live::build(root)?;
    for layout in [Layout::Home, Layout::Git] {
        let matrix = Matrix::prepare(live::built(root, "regreen"), layout)?;
        let mut points = matrix.points()?;
        let n_points = points.len();
        if wanted == Points::Changing {
            points.retain(|(call, ..)| !call.starts_with("open"));
        }
        let step = match wanted {
            Points::Sample(sample) => (2 * points.len() / sample.max(1)).max(1),
            Points::All | Points::Changing => 1,
        };
        let (mut tried, mut old, mut new) = (0, 0, 0);
        for (call, count, fault) in points.iter().step_by(step) {
            match matrix.try_point(call, *count, fault)? {
                Tree::Old => old += 1,
                Tree::New => new += 1,
            }
            tried += 1;
        }
        ensure!(
            old > 0 && new > 0,
            "no fault hit before, or none after, the point of no return: the matrix tests nothing"
        );
        report(&format!(
            "crash matrix, {}: {tried} of {} points tried, {old} ended with the old tree, {new} with the new one, 0 in between",
            layout.name(),
            n_points
        ));
    }
    Ok(())
}

/// Where the state of the workspace is.
#[derive(Clone, Copy, PartialEq)]
enum Layout {
    Home,
    Git,
}

impl Layout {
    fn name(self) -> &'static str {
        match self {
            Layout::Home => "state in the user's folder",
            Layout::Git => "state in a git directory",
        }
    }
}

enum Tree {
    Old,
    New,
}

struct Matrix {
    binary: PathBuf,
    layout: Layout,
    scratch: tempfile::TempDir,
    old: BTreeMap<String, String>,
    new: BTreeMap<String, String>,
}

impl Matrix {
    fn prepare(binary: PathBuf, layout: Layout) -> Result<Matrix> {
        let scratch = tempfile::tempdir()?;
        let (old, new) = (BTreeMap::new(), BTreeMap::new());
        let mut matrix = Matrix { binary, layout, scratch, old, new };
        fs::write(matrix.patch(), changeset())?;
        let workspace = matrix.fresh()?;
        matrix.old = read_tree(&workspace)?;
        execute(&mut matrix.apply(&workspace, &[]))?;
        matrix.new = read_tree(&workspace)?;
        ensure!(matrix.old != matrix.new, "the changeset changes nothing");
        Ok(matrix)
    }

    fn patch(&self) -> PathBuf {
        self.scratch.path().join("changeset.json")
    }

    /// The home of a user.
    fn home(&self) -> PathBuf {
        self.scratch.path().join("home")
    }

    /// A new copy of the workspace, for a user who has never run regreen before.
    fn fresh(&self) -> Result<PathBuf> {
        let workspace = self.scratch.path().join("workspace");
        for folder in [&workspace, &self.home()] {
            if folder.exists() {
                fs::remove_dir_all(folder)?;
            }
        }
        write_workspace(&workspace)?;
        if self.layout == Layout::Git {
            fs::create_dir(workspace.join(".git"))?;
        }
        Ok(workspace)
    }

    /// `regreen apply`, behind strace with `options` if there are any.
    fn apply(&self, workspace: &Path, options: &[String]) -> std::process::Command {
        let program = if options.is_empty() {
            self.binary.to_string_lossy().into_owned()
        } else {
            "strace".into()
        };
        let mut apply = command(&program, self.scratch.path());
        if !options.is_empty() {
            apply.args(["-f", "-qq"]).args(options).arg(&self.binary);
        }
        apply
            .arg("apply")
            .arg(self.patch())
            .arg("--root")
            .arg(workspace)
            .arg("--format")
            .arg("json");
        apply.env_remove("REGREEN_STATE_DIR").env_remove("XDG_STATE_HOME").env("HOME", self.home());
        apply.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        apply
    }

    fn points(&self) -> Result<Vec<(String, usize, &'static str)>> {
        let workspace = self.fresh()?;
        let log = self.scratch.path().join("calls");
        let trace = format!("trace={}", CALLS.map(|call| format!("?{call}")).join(","));
        let options =
            ["-o".to_string(), log.to_string_lossy().into_owned(), "-e".to_string(), trace];
        execute(&mut self.apply(&workspace, &options))
            .context("strace is needed for the crash matrix")?;
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for line in fs::read_to_string(&log)?.lines() {
            let call = line
                .split_whitespace()
                .nth(1)
                .unwrap_or_default()
                .split('(')
                .next()
                .unwrap_or_default();
            if let Some(known) = CALLS.iter().find(|known| **known == call) {
                *counts.entry(known).or_default() += 1;
            }
        }
        let mut points = Vec::new();
        for fault in FAULTS {
            for (call, count) in &counts {
                points.extend((1..=*count).map(|nth| ((*call).to_string(), nth, fault)));
            }
        }
        Ok(points)
    }

    fn try_point(&self, call: &str, nth: usize, fault: &str) -> Result<Tree> {
        let workspace = self.fresh()?;
        let inject = format!("inject={call}:{fault}:when={nth}");
        let options = ["-o".to_string(), "/dev/null".to_string(), "-e".to_string(), inject];
        // Whatever becomes of this run, the next command must find a way.
        self.apply(&workspace, &options).status().context("strace")?;
        let output = command(&self.binary.to_string_lossy(), self.scratch.path())
            .env_remove("REGREEN_STATE_DIR")
            .env_remove("XDG_STATE_HOME")
            .env("HOME", self.home())
            .arg("recover")
            .arg("--root")
            .arg(&workspace)
            .output()?;
        let place = format!("{call} number {nth} with {fault}");
        ensure!(
            output.status.success(),
            "after {place}, the next command failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let tree = read_tree(&workspace)?;
        if tree == self.old {
            Ok(Tree::Old)
        } else if tree == self.new {
            Ok(Tree::New)
        } else {
            bail!(
                "after {place}, the tree is neither old nor new: {:?}",
                difference(&tree, &self.old, &self.new)
            )
        }
    }
}

fn difference<'t>(
    tree: &'t BTreeMap<String, String>,
    old: &'t BTreeMap<String, String>,
    new: &'t BTreeMap<String, String>,
) -> Vec<&'t String> {
    let names = tree.keys().chain(old.keys()).chain(new.keys());
    let mut odd: Vec<_> =
        names.filter(|it| tree.get(*it) != old.get(*it) && tree.get(*it) != new.get(*it)).collect();
    odd.dedup();
    odd
}

/// 24 files in nested folders: some edited, some deleted, some renamed, some left alone.
fn write_workspace(root: &Path) -> Result<()> {
    for number in 0..24 {
        let folder = root.join(format!("part{}/deep{}", number % 3, number % 4));
        fs::create_dir_all(&folder)?;
        let (name, text) = match number % 3 {
            0 => (
                format!("f{number}.yaml"),
                format!("# file {number}\nname: old\nport: {number}  # keep\n"),
            ),
            1 => (
                format!("f{number}.json"),
                format!("{{\n  \"name\": \"old\",\n  \"port\": {number}\n}}\n"),
            ),
            _ => (format!("f{number}.toml"), format!("name = \"old\" # keep\nport = {number}\n")),
        };
        fs::write(folder.join(&name), text)?;
        let mode = if number % 5 == 0 { 0o755 } else { 0o640 };
        fs::set_permissions(folder.join(&name), fs::Permissions::from_mode(mode))?;
    }
    symlink("part0/deep0/f0.yaml", root.join("link.yaml"))?;
    fs::write(root.join("regreen.toml"), "")?;
    Ok(())
}

fn changeset() -> String {
    let path = |number: usize| {
        let extension = ["yaml", "json", "toml"][number % 3];
        format!("part{}/deep{}/f{number}.{extension}", number % 3, number % 4)
    };
    let mut ops = Vec::new();
    for number in 0..24 {
        let uid = format!("path:{}", path(number));
        ops.push(match number {
            22 => format!(r#"{{"type":"delete_file","file_uid":"{uid}"}}"#),
            23 => format!(
                r#"{{"type":"rename_file","file_uid":"{uid}","new_path":"moved/here/f23.toml"}}"#
            ),
            _ => format!(
                r#"{{"type":"set_value","file_uid":"{uid}","json_pointer":"/name","value":"new"}}"#
            ),
        });
    }
    ops.push(
        r#"{"type":"add_file","file_uid":"added","path":"brand/new/a.yaml","content":"a: 1\n"}"#
            .to_string(),
    );
    format!(r#"{{"changeset_uid":"crash","ops":[{}]}}"#, ops.join(","))
}

/// Every file and link beneath `root` but what git keeps, with mode and contents.
fn read_tree(root: &Path) -> Result<BTreeMap<String, String>> {
    let mut tree = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
            let metadata = fs::symlink_metadata(&path)?;
            if name == ".git" {
                continue;
            }
            if metadata.is_symlink() {
                tree.insert(name, format!("link {}", fs::read_link(&path)?.display()));
            } else if metadata.is_dir() {
                tree.insert(name, "folder".to_string());
                folders.push(path);
            } else {
                let mode = metadata.permissions().mode();
                tree.insert(
                    name,
                    format!("{mode:o} {}", String::from_utf8_lossy(&fs::read(&path)?)),
                );
            }
        }
    }
    Ok(tree)
}
