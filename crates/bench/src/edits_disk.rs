//! `edits-disk`: the edits of `edits-memory` made to files.
//!
//! regreen does its whole job: read, compare hashes, apply, write undo images and journal, replace each file by a
//! rename. It is measured without waiting for the disk and with full durability. Beside it: the program
//! `clang-apply-replacements`, which reads its edits from YAML and overwrites files in place, without any
//! durability; both in memory (`/dev/shm`, where there is one), so that the programs are compared and not the
//! traffic on the disk. With full durability, on the disk: the least that anyone can do to replace files durably, a loop that writes prepared contents to
//! a temporary file, syncs it and renames it, and syncs every directory once at the end.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use edit::{EditSet, Text};
use snapshot::{RelPath, TreeChange};
use tempfile::TempDir;
use workspace::{Durability, Home, Meta, OpenMode, Options, Workspace};

use crate::Scale;
use crate::contender::wait;
use crate::measure::{Clock, best_of};
use crate::sources::{Source, sources};
use crate::table::{Table, complain, count, ratio, say, time};
use crate::tools;

const EDITS_PER_FILE: usize = 100;
const FILES_PER_DIRECTORY: usize = 50;

/// Runs and prints the benchmark.
pub(crate) fn run(scale: Scale) -> Result<()> {
    let clang = tools::clang_apply_replacements();
    if clang.is_none() {
        say(&format!(
            "PEER MISSING: clang-apply-replacements was not found, so its column is empty. {}\n",
            tools::HOW_TO_INSTALL
        ));
        complain("bench: peer missing: clang-apply-replacements");
    }
    let mut fast = Table::new(&[
        "files x edits",
        "regreen, no sync",
        "clang-apply-replacements",
        "clang/regreen",
        "read-apply-write in place",
        "regreen/in place",
    ]);
    let mut durable =
        Table::new(&["files x edits", "regreen, full", "write-fsync-rename", "regreen/loop"]);
    for files in scale.pick([20, 200, 2_000], [2, 5, 20]) {
        let sources = sources(1, files, EDITS_PER_FILE);
        let expected = expected(&sources)?;
        let runs = scale.pick(3, 1);
        let measured = |place: Place, work: &dyn Fn(&Path) -> Result<()>| -> Result<Duration> {
            let mut tree = None;
            let (elapsed, result) = best_of(
                Clock::Wall,
                runs,
                || -> Result<PathBuf> {
                    let directory = write_tree(place, &sources)?;
                    let path = directory.path().to_owned();
                    tree = Some(directory);
                    Ok(path)
                },
                |path| path.and_then(|path| work(&path).map(|()| path)),
            );
            check_tree(&result?, &expected)?;
            Ok(elapsed)
        };
        let label = format!("{} x {EDITS_PER_FILE}", count(files));
        let quick = measured(Place::Memory, &|root| commit(root, &sources, Durability::None))?;
        let in_place = measured(Place::Memory, &|root| overwrite(root, &sources))?;
        let clang =
            clang.as_ref().map(|program| apply_with_clang(program, &sources, &expected, runs));
        let clang = clang.transpose()?;
        fast.row(vec![
            label.clone(),
            time(quick),
            clang.map_or("missing".to_string(), time),
            clang.map_or(String::new(), |clang| ratio(clang, quick)),
            time(in_place),
            ratio(quick, in_place),
        ]);
        let full = measured(Place::Disk, &|root| commit(root, &sources, Durability::Full))?;
        let minimal = measured(Place::Disk, &|root| write_sync_rename(root, &expected))?;
        durable.row(vec![label, time(full), time(minimal), ratio(full, minimal)]);
    }
    fast.print("In memory, without waiting for a disk (goal: clang/regreen at least 10):");
    durable.print("On the disk, with everything synced (goal: regreen/loop at most 1.5):");
    Ok(())
}

/// Reads, applies and commits, as the program does.
fn commit(root: &Path, sources: &[Source], durability: Durability) -> Result<()> {
    let options = Options { durability, ..Options::new(OpenMode::ReadWrite) };
    let home = Home { state: Some(tools::state_folder()), cache: None };
    let workspace = Workspace::open(root, Some(&home), options)?;
    let paths: Vec<RelPath> = (0..sources.len()).map(path).collect::<Result<_>>()?;
    let loaded = workspace.load(&paths)?;
    let mut edits = BTreeMap::new();
    for (path, source) in paths.into_iter().zip(sources) {
        let file = loaded.snapshot.file(&path).context("the file is there")?;
        edits.insert(path, EditSet::new(&file.text(), source.edits.clone())?);
    }
    let none = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let change = TreeChange::new(edits, none.0, none.1, none.2)?;
    let meta = Meta { command: "bench".to_string(), ..Meta::default() };
    workspace.commit(&change, None, &meta)?.context("a transaction was made")?;
    Ok(())
}

/// What a careless program would do.
fn overwrite(root: &Path, sources: &[Source]) -> Result<()> {
    for (index, source) in sources.iter().enumerate() {
        let file = root.join(path(index)?.as_str());
        let text = Text::new(fs::read(&file)?);
        let edited = EditSet::new(&text, source.edits.clone())?.apply(&text)?;
        fs::write(&file, edited.bytes())?;
    }
    Ok(())
}

fn write_sync_rename(root: &Path, expected: &[Vec<u8>]) -> Result<()> {
    for (index, contents) in expected.iter().enumerate() {
        let target = root.join(path(index)?.as_str());
        let temporary = target.with_extension("new");
        let mut file = File::create_new(&temporary)?;
        file.write_all(contents)?;
        file.sync_all()?;
        fs::rename(&temporary, &target)?;
    }
    for directory in 0..expected.len().div_ceil(FILES_PER_DIRECTORY) {
        File::open(root.join(directory_name(directory)))?.sync_all()?;
    }
    Ok(())
}

fn apply_with_clang(
    program: &Path,
    sources: &[Source],
    expected: &[Vec<u8>],
    runs: usize,
) -> Result<Duration> {
    let mut best: Option<Duration> = None;
    for _ in 0..runs {
        let (tree, edits) = (write_tree(Place::Memory, sources)?, directory_in(Place::Memory)?);
        for (index, source) in sources.iter().enumerate() {
            let file = tree.path().join(path(index)?.as_str());
            fs::write(edits.path().join(format!("{index}.yaml")), replacements(&file, source)?)?;
        }
        let mut command = Command::new(program);
        command.arg(edits.path()).current_dir(tree.path()).stderr(Stdio::null());
        let finished = wait(&mut command, None)?;
        ensure!(finished.success, "clang-apply-replacements failed");
        check_tree(tree.path(), expected)?;
        best = Some(best.map_or(finished.elapsed, |best| best.min(finished.elapsed)));
    }
    best.context("there was a run")
}

/// The edits of one file as clang-tidy exports them.
fn replacements(file: &Path, source: &Source) -> Result<String> {
    let file = file.display();
    let mut yaml = format!("---\nMainSourceFile: '{file}'\nReplacements:\n");
    for edit in &source.edits {
        writeln!(
            yaml,
            "  - FilePath: '{file}'\n    Offset: {}\n    Length: {}\n    ReplacementText: '{}'",
            edit.start,
            edit.end - edit.start,
            String::from_utf8_lossy(&edit.text)
        )?;
    }
    yaml.push_str("...\n");
    Ok(yaml)
}

fn expected(sources: &[Source]) -> Result<Vec<Vec<u8>>> {
    let edited = |source: &Source| -> Result<Vec<u8>> {
        let text = Text::new(source.text.as_str());
        Ok(EditSet::new(&text, source.edits.clone())?.apply(&text)?.bytes().to_vec())
    };
    sources.iter().map(edited).collect()
}

/// Where a tree stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// A file system in memory, or the temporary directory where there is none.
    Memory,
    /// The temporary directory.
    Disk,
}

fn directory_in(place: Place) -> Result<TempDir> {
    let memory = Path::new("/dev/shm");
    Ok(match place {
        Place::Memory if memory.is_dir() => tempfile::tempdir_in(memory)?,
        Place::Memory | Place::Disk => tempfile::tempdir()?,
    })
}

/// A fresh tree that is on the disk already, so that nobody pays for writing it.
fn write_tree(place: Place, sources: &[Source]) -> Result<TempDir> {
    let directory = directory_in(place)?;
    // The state of a repository is kept in it, and so on the same disk.
    fs::create_dir(directory.path().join(".git"))?;
    for (index, source) in sources.iter().enumerate() {
        let file = directory.path().join(path(index)?.as_str());
        fs::create_dir_all(file.parent().context("files stand in directories")?)?;
        fs::write(&file, &source.text)?;
    }
    rustix::fs::syncfs(File::open(directory.path())?)?;
    Ok(directory)
}

fn check_tree(root: &Path, expected: &[Vec<u8>]) -> Result<()> {
    for (index, contents) in expected.iter().enumerate() {
        let file = root.join(path(index)?.as_str());
        ensure!(fs::read(&file)? == *contents, "{} is not as expected", file.display());
    }
    Ok(())
}

fn path(index: usize) -> Result<RelPath> {
    let directory = directory_name(index / FILES_PER_DIRECTORY);
    Ok(RelPath::parse(&format!("{directory}/file_{index:05}.rs"))?)
}

fn directory_name(index: usize) -> String {
    format!("module_{index:03}")
}
