//! Trees that somebody else listed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;

use snapshot::{NewFile, RelPath, TreeChange};
use workspace::{CommitError, ListedFiles, Meta, OpenMode, Options, Survey, Workspace};

fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

fn options() -> Options {
    Options::new(OpenMode::ReadOnly)
}

/// A listing of files in a folder, each named for what is in it.
fn listing(folder: &std::path::Path, files: &[(&str, &str)]) -> ListedFiles {
    let place = |(name, file): &(&str, &str)| (path(name), folder.join(file));
    files.iter().map(place).collect()
}

/// The paths and texts of a tree.
fn texts(workspace: &Workspace, only: Option<&[&str]>) -> BTreeMap<String, String> {
    let only: Option<BTreeSet<RelPath>> = only.map(|it| it.iter().map(|it| path(it)).collect());
    let survey = Survey {
        jobs: 2,
        is_of_interest: &|it| it.as_str().ends_with(".yaml"),
        suspects: &BTreeSet::new(),
        only: only.as_ref(),
    };
    let scanned = workspace.survey(&workspace.reader(), &survey).unwrap();
    assert!(scanned.skipped.is_empty() && scanned.passed_over.is_empty());
    let text = |it: &RelPath| {
        let file = scanned.snapshot.file(it).unwrap();
        String::from_utf8(file.text().bytes().to_vec()).unwrap()
    };
    scanned.snapshot.paths().map(|it| (it.to_string(), text(it))).collect()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["one", "two", "three"] {
        fs::write(folder.path().join(name), name).unwrap();
    }
    symlink(folder.path().join("three"), folder.path().join("link")).unwrap();
    folder
}

#[test]
fn the_tree_is_what_is_listed_and_links_are_followed() {
    let folder = folder();
    let files = [("a.yaml", "one"), ("b/c.txt", "two"), ("b/d/e.yaml", "link")];
    let workspace = Workspace::listed(listing(folder.path(), &files), options()).unwrap();
    let expected = [("a.yaml", "one"), ("b/c.txt", "two"), ("b/d/e.yaml", "three")];
    let expected = expected.map(|(path, text)| (path.to_owned(), text.to_owned()));
    assert_eq!(texts(&workspace, None), BTreeMap::from(expected.clone()));
    assert_eq!(texts(&workspace, Some(&["b"])), BTreeMap::from_iter(expected[1..].to_vec()));
    assert_eq!(texts(&workspace, Some(&["x"])), BTreeMap::new());
    assert_eq!(workspace.list(3).len(), 3);
    assert_eq!(workspace.list(2).len(), 0);
    let loaded = workspace.load(&[path("b/d/e.yaml"), path("one")]).unwrap();
    assert!(loaded.refused.is_empty());
    assert_eq!(loaded.snapshot.file(&path("b/d/e.yaml")).unwrap().text().bytes(), b"three");
    assert!(loaded.snapshot.file(&path("one")).is_none());
}

#[test]
fn what_is_listed_must_be_a_file() {
    let folder = folder();
    for file in ["missing", ".", "one/below"] {
        let listing = listing(folder.path(), &[("a.yaml", file)]);
        let error = Workspace::listed(listing, options()).err().unwrap();
        assert!(error.to_string().starts_with("cannot read the input a.yaml: "), "{error}");
    }
}

#[test]
fn nothing_can_be_written() {
    let folder = folder();
    let files = [("a.yaml", "one")];
    for access in [OpenMode::ReadOnly, OpenMode::ReadWrite] {
        let listing = listing(folder.path(), &files);
        let workspace = Workspace::listed(listing, Options::new(access)).unwrap();
        let adds = BTreeMap::from([(
            path("new.yaml"),
            NewFile { text: edit::Text::new(b"new".to_vec()), mode: 0o644 },
        )]);
        let change =
            TreeChange::new(BTreeMap::new(), adds, BTreeMap::new(), BTreeMap::new()).unwrap();
        let meta = Meta { command: "test".to_owned(), time: None, notes: BTreeMap::new() };
        let refused = workspace.commit(&change, None, &meta);
        assert!(refused.is_err(), "{access:?}");
        if access == OpenMode::ReadOnly {
            assert!(matches!(refused, Err(CommitError::ReadOnlyAccess)));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }
}
