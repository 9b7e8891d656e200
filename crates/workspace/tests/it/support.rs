//! Trees and changes for the tests of transactions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use edit::{ContentHash, Edit, EditSet, Text};
use snapshot::{NewFile, RelPath, Rename, TreeChange};
use workspace::{Durability, Fs, Home, MemFs, Meta, OpenMode, Options, Workspace};

/// Where the state of a tree in memory is: a folder of the same disk, so that one crash is about both.
pub(crate) const STATE: &str = ".state";

pub(crate) fn path(path: &str) -> RelPath {
    RelPath::parse(path).unwrap()
}

pub(crate) fn options() -> Options {
    Options {
        access: OpenMode::ReadWrite,
        durability: Durability::Full,
        lock_wait: Duration::from_millis(50),
        max_file_size: 1 << 20,
    }
}

pub(crate) fn meta(command: &str) -> Meta {
    Meta { command: command.to_owned(), ..Meta::default() }
}

pub(crate) fn workspace(fs: &Arc<MemFs>) -> Workspace {
    workspace_with(fs, options())
}

pub(crate) fn workspace_with(fs: &Arc<MemFs>, options: Options) -> Workspace {
    Workspace::with_fs(fs.clone(), state(fs), options)
}

pub(crate) fn state(fs: &Arc<MemFs>) -> Arc<dyn Fs> {
    Arc::new(fs.beneath(&path(STATE)).unwrap())
}

/// A user for the trees on disk. Every tree has a path of its own, and so has its state.
pub(crate) fn home() -> Home {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("workspace-home-{}", std::process::id()));
    Home { state: Some(folder.join("state")), cache: Some(folder.join("cache")) }
}

/// A change in steps: `+ path text`, `- path text`, `path text > path`, `path text ~ new`. Texts have no spaces.
pub(crate) fn change(steps: &[&str]) -> TreeChange {
    let (mut edits, mut adds) = (BTreeMap::new(), BTreeMap::new());
    let (mut deletes, mut renames) = (BTreeMap::new(), BTreeMap::new());
    for step in steps {
        let words: Vec<&str> = step.split(' ').collect();
        match words[..] {
            ["+", at, text] => {
                adds.insert(path(at), NewFile { text: Text::new(text), mode: 0o644 });
            }
            ["-", at, text] => {
                deletes.insert(path(at), ContentHash::of(text.as_bytes()));
            }
            [at, text, ">", to] => {
                renames.insert(
                    path(at),
                    Rename { to: path(to), base: ContentHash::of(text.as_bytes()) },
                );
            }
            [at, old, "~", new] => {
                let whole = Edit::replace(0, old.len() as u32, new);
                edits.insert(path(at), EditSet::new(&Text::new(old), vec![whole]).unwrap());
            }
            _ => panic!("no step: {step}"),
        }
    }
    TreeChange::new(edits, adds, deletes, renames).unwrap()
}

pub(crate) type Dump = BTreeMap<String, (u32, Vec<u8>)>;

/// The tree without the state.
pub(crate) fn tree(fs: &MemFs) -> Dump {
    let mut dump = fs.dump();
    dump.retain(|path, _| !path.starts_with(STATE));
    dump
}

/// Fails with the paths that differ.
#[track_caller]
pub(crate) fn assert_tree(found: &Dump, expected: &Dump, case: &str) {
    let show = |tree: &Dump, path: &String| {
        tree.get(path).map(|(mode, bytes)| format!("{mode:o} {}", String::from_utf8_lossy(bytes)))
    };
    let paths: std::collections::BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
    let differing: Vec<String> = paths
        .into_iter()
        .filter(|path| found.get(*path) != expected.get(*path))
        .map(|path| {
            format!("{path}: {:?} instead of {:?}", show(found, path), show(expected, path))
        })
        .collect();
    assert!(differing.is_empty(), "{case}: {differing:#?}");
}
