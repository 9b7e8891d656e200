//! `real-trees`: `regreen fix` and `regreen undo` on sources that other people wrote: what cargo and pip have unpacked on
//! this machine, each copied to a folder of its own. Nothing is trusted, so only tools that need no trust run.
//!
//! A tree is wrong if a script that a parser understood is not understood after the fix, if `undo` does not give the same
//! bytes, or if regreen ends in any other way than it says it may.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::Scale;
use crate::end_to_end::regreen;
use crate::table::{Table, count, say};
use crate::tool_runs::{NO_LINTERS, Programs, Site, linters};

/// Trees with more files are left out: copying them would be most of the time.
const MAX_FILES: usize = 1_500;

/// What is said of a tree in which nothing was fixed.
const UNCHANGED: &str = "nothing to undo";

/// Runs and prints the benchmark.
pub(crate) fn run(scale: Scale) -> Result<()> {
    let Some(linters) = linters() else {
        say(NO_LINTERS);
        return Ok(());
    };
    let programs = Programs { linters, regreen: regreen()? };
    let most = scale.pick(60, 2);
    let mut table = Table::new(&[
        "tree", "files", "found", "fixed", "verified", "refused", "left", "tools", "undo", "wrong",
    ]);
    let (mut sums, mut n_trees, mut n_changed, mut n_wrong) = ([0; 5], 0, 0, 0);
    for tree in trees(&programs) {
        if n_trees == most {
            break;
        }
        let Some(result) = try_tree(&programs, &tree)? else { continue };
        n_trees += 1;
        n_changed += usize::from(result.undo != UNCHANGED);
        n_wrong += usize::from(!result.wrong.is_empty());
        for (sum, number) in sums.iter_mut().zip(result.numbers) {
            *sum += number;
        }
        let name = tree.file_name().map(|it| it.to_string_lossy().into_owned());
        let mut cells = vec![name.unwrap_or_default(), count(result.n_files)];
        cells.extend(result.numbers.map(count));
        cells.extend([result.tools, result.undo.to_owned(), result.wrong.join("; ")]);
        table.row(cells);
    }
    let [found, fixed, verified, refused, left] = sums.map(count);
    table.print(&format!(
        "{n_trees} trees, {n_changed} of them changed: {found} found, {fixed} fixed, {verified} of them verified, {refused} refused, {left} left; \
         {n_wrong} trees with something wrong:"
    ));
    Ok(())
}

/// The unpacked packages of cargo and pip that have a script, by name.
fn trees(programs: &Programs) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let cargo = std::env::var_os("CARGO_HOME").map_or(home.join(".cargo"), PathBuf::from);
    let mut shelves = children(&cargo.join("registry/src"));
    let installed = programs.linters.parent().map(Path::to_path_buf);
    let peers = std::env::var_os("BENCH_PEERS").map(PathBuf::from);
    for folder in installed.into_iter().chain(peers) {
        let libraries = children(&folder).into_iter().flat_map(|it| children(&it.join("lib")));
        shelves.extend(libraries.map(|it| it.join("site-packages")));
    }
    let mut trees: BTreeMap<String, PathBuf> = BTreeMap::new();
    for tree in shelves.iter().flat_map(|it| children(it)) {
        let name = tree.file_name().unwrap_or_default().to_string_lossy().into_owned();
        trees.entry(name).or_insert(tree);
    }
    trees.into_values().collect()
}

/// The folders in a folder, in order; none if it is not there.
fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|it| it.path()).filter(|it| it.is_dir()).collect();
    folders.sort();
    folders
}

/// The bytes of a tree by path, without what git keeps.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn read(root: &Path) -> Result<Files> {
    let mut files = Files::new();
    let mut waiting = vec![root.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            let is_kept = !matches!(entry.file_name().to_str(), Some(".git" | "__pycache__"));
            if kind.is_dir() && is_kept {
                waiting.push(path);
            } else if kind.is_file() {
                files.insert(path.strip_prefix(root)?.to_path_buf(), fs::read(&path)?);
            }
        }
    }
    Ok(files)
}

struct TreeResult {
    n_files: usize,
    /// Found, fixed, verified, refused, left.
    numbers: [usize; 5],
    tools: String,
    undo: &'static str,
    wrong: Vec<String>,
}

/// Fixes a copy of the tree and takes it back; nothing for a tree without scripts or with too many files.
fn try_tree(programs: &Programs, tree: &Path) -> Result<Option<TreeResult>> {
    let before = read(tree)?;
    let is_script = |it: &PathBuf| it.extension().is_some_and(|it| it == "py" || it == "sh");
    if before.len() > MAX_FILES || !before.keys().any(is_script) {
        return Ok(None);
    }
    let site = Site::new(programs)?;
    for (path, bytes) in &before {
        let path = site.root().join(path);
        fs::create_dir_all(path.parent().context("files stand in folders")?)?;
        fs::write(path, bytes)?;
    }
    let mut wrong = Vec::new();
    let n_broken = site.n_broken(programs)?;
    let done = site.shell(
        programs,
        "regreen fix --safety behavior_changing --format json 2>../home/complaints",
    )?;
    let complaints = fs::read_to_string(site.home().join("complaints")).unwrap_or_default();
    if !matches!(done.code, 0 | 1) || complaints.contains("panicked") {
        let line = complaints.lines().next().unwrap_or_default();
        wrong.push(format!("exit {}: {line}", done.code));
    }
    if site.n_broken(programs)? > n_broken {
        wrong.push("a script is broken".to_owned());
    }
    let report: Value = serde_json::from_str(&done.text).unwrap_or_default();
    let list = |name: &str| report[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_changed = read(&site.root())? != before;
    let undo = match is_changed {
        true => {
            site.shell(programs, "regreen undo")?;
            if read(&site.root())? == before { "exact" } else { "NOT EXACT" }
        }
        false => UNCHANGED,
    };
    if undo == "NOT EXACT" {
        wrong.push("undo".to_owned());
    }
    if is_changed == list("applied").is_empty() {
        wrong.push("the report does not say what was written".to_owned());
    }
    let of_tool = |tool: &Value| tool["findings"].as_u64().unwrap_or(0) as usize;
    let ran = list("tools").iter().filter(|it| it["state"] == "ran");
    let names = ran.clone().filter_map(|it| it["name"].as_str()).collect::<Vec<_>>();
    let numbers = [
        ran.map(of_tool).sum(),
        list("applied").len(),
        list("applied").iter().filter(|it| it["verified"] == true).count(),
        list("rejected").len(),
        list("remaining").len(),
    ];
    Ok(Some(TreeResult { n_files: before.len(), numbers, tools: names.join(", "), undo, wrong }))
}

impl Site {
    /// How many complaints parsers have of the scripts.
    fn n_broken(&self, programs: &Programs) -> Result<usize> {
        let python = "ruff check --isolated --no-cache --select E9 --output-format concise . | grep -c invalid-syntax";
        let shell = "find . -name '*.sh' -exec sh -c 'bash -n \"$1\" 2>/dev/null || echo broken' -- {} \\; | wc -l";
        let number = |line: &str| -> Result<usize> {
            Ok(self.shell(programs, line)?.text.trim().parse().unwrap_or(0))
        };
        Ok(number(python)? + number(shell)?)
    }
}
