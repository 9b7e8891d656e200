//! Attacks on the removal of run folders: links at every level, swaps while it works, trees without measure.

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

/// ```text
/// home/precious/file  home/precious/run-1/file     must stay
/// home/runs                                        the base
/// ```
struct Scene {
    home: tempfile::TempDir,
}

impl Scene {
    fn new() -> Scene {
        let scene = Scene { home: tempfile::tempdir().unwrap() };
        fs::create_dir_all(scene.path("precious/run-1")).unwrap();
        fs::write(scene.path("precious/file"), "x").unwrap();
        fs::write(scene.path("precious/run-1/file"), "x").unwrap();
        scene
    }

    fn path(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    fn runs(&self) -> RunFolders {
        RunFolders::open(&self.path("runs")).unwrap()
    }

    /// Makes directories and a link to what is precious.
    fn link(&self, path: &str, target: &str) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        let target = if target.is_empty() { self.path("precious") } else { target.into() };
        symlink(target, self.path(path)).unwrap();
    }

    #[track_caller]
    fn assert_precious(&self) {
        for file in ["precious/file", "precious/run-1/file"] {
            assert_eq!(fs::read(self.path(file)).unwrap(), b"x", "{file}");
        }
    }

    fn left(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("runs")).unwrap();
        let mut left: Vec<String> =
            entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        left.sort();
        left
    }
}

#[test]
fn a_base_that_is_a_link_or_a_file_is_refused() {
    for target in ["", "precious", "nowhere", "runs", "."] {
        let scene = Scene::new();
        scene.link("runs", target);
        for opened in
            [RunFolders::open(&scene.path("runs")), RunFolders::existing(&scene.path("runs"))]
        {
            let error = opened.err().unwrap();
            assert_eq!(error.to_string(), "it is a link or a file; remove it", "{target}");
        }
        assert!(fs::symlink_metadata(scene.path("runs")).unwrap().is_symlink());
        assert!(!scene.path("nowhere").exists());
        scene.assert_precious();
    }
    let scene = Scene::new();
    assert!(RunFolders::open(&scene.path("precious/file")).is_err());
    assert!(RunFolders::existing(&scene.path("none")).is_err());
    assert!(!scene.path("none").exists(), "only who needs a folder makes the base");
}

/// Where the link is, where it leads (to what is precious if nothing is said), and what is left after a sweep.
const LINKS: &[(&str, &str, &[&str])] = &[
    // In place of a folder: not ours to remove.
    ("runs/run-1", "", &["run-1"]),
    ("runs/run-2", "../precious/run-1", &["run-2"]),
    ("runs/run-1", ".", &["run-1"]),
    ("runs/run-1", "..", &["run-1"]),
    ("runs/run-1", "nowhere", &["run-1"]),
    ("runs/run-1", "run-1", &["run-1"]),
    ("runs/run-1", "/", &["run-1"]),
    // In a folder, at every level.
    ("runs/run-1/tree", "", &[]),
    ("runs/run-1/.1", "", &[]),
    ("runs/run-1/tree/a", "", &[]),
    ("runs/run-1/tree/a", "/", &[]),
    ("runs/run-1/tree/a", "..", &[]),
    ("runs/run-1/tree/a", "a", &[]),
    ("runs/run-1/tree/a", "../../../precious/run-1", &[]),
    ("runs/run-1/tree/a/b/c/d/e", "", &[]),
    ("runs/run-1/tree/a/b/c/.2", "", &[]),
    ("runs/run-1/home/.cache", "", &[]),
    // Names that are not ours.
    ("runs/DDS-20260202-CODE-001/a", "", &["DDS-20260202-CODE-001"]),
    ("runs/run-/a", "", &["run-"]),
    ("runs/run-01/a", "", &["run-01"]),
    ("runs/run-1x/a", "", &["run-1x"]),
    ("runs/run--1/a", "", &["run--1"]),
    ("runs/run-+1/a", "", &["run-+1"]),
    ("runs/run-99999999999/a", "", &["run-99999999999"]),
    ("runs/precious/a", "", &["precious"]),
    ("runs/.run-1/a", "", &[".run-1"]),
];

#[test]
fn no_link_is_followed_at_any_level() {
    for (place, target, left) in LINKS {
        let scene = Scene::new();
        scene.link(place, target);
        scene.runs().sweep().unwrap();
        assert_eq!(scene.left(), *left, "{place} -> {target}");
        scene.assert_precious();
        // What is in the way is stepped over, never used.
        let folder = scene.runs().create().unwrap();
        let about = fs::symlink_metadata(folder.path()).unwrap();
        assert!(about.is_dir() && folder.is_in_place(), "{place} -> {target}");
        drop(folder);
        assert_eq!(scene.left(), *left, "{place} -> {target}");
        scene.assert_precious();
    }
}

#[test]
fn a_file_in_place_of_a_folder_stays() {
    let scene = Scene::new();
    fs::create_dir(scene.path("runs")).unwrap();
    fs::write(scene.path("runs/run-1"), "x").unwrap();
    scene.runs().sweep().unwrap();
    assert_eq!(scene.left(), ["run-1"]);
}

#[test]
fn a_folder_stays_while_its_owner_lives() {
    let scene = Scene::new();
    let first = scene.runs().create().unwrap();
    let second = scene.runs().create().unwrap();
    fs::write(first.path().join("file"), "x").unwrap();
    scene.runs().sweep().unwrap();
    assert_eq!(scene.left(), ["run-1", "run-2"]);
    assert_eq!(fs::read(first.path().join("file")).unwrap(), b"x");
    drop(first);
    assert_eq!(scene.left(), ["run-2"]);
    assert_eq!(scene.runs().create().unwrap().name, "run-1", "a free name is used again");
    // The kernel lets go of the lock of whoever was killed; here nobody ever had it.
    drop(second);
    fs::create_dir_all(scene.path("runs/run-7/tree/a")).unwrap();
    scene.runs().sweep().unwrap();
    assert_eq!(scene.left(), Vec::<String>::new());
}

#[test]
fn nobody_else_can_enter() {
    let scene = Scene::new();
    fs::create_dir(scene.path("runs")).unwrap();
    fs::set_permissions(scene.path("runs"), fs::Permissions::from_mode(0o777)).unwrap();
    let folder = scene.runs().create().unwrap();
    for path in [&scene.path("runs"), folder.path()] {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o7777, 0o700);
    }
}

#[test]
fn a_base_of_another_user_is_refused() {
    let scene = Scene::new();
    fs::create_dir(scene.path("runs")).unwrap();
    // Only root can give a directory away.
    if std::os::unix::fs::chown(scene.path("runs"), Some(12_345), None).is_ok() {
        let error = RunFolders::open(&scene.path("runs")).err().unwrap();
        assert_eq!(error.to_string(), "it belongs to another user; remove it");
    }
}

/// A permission that a tool takes away does not keep the copy alive.
#[test]
fn a_copy_is_removed_whatever_a_tool_did_to_it() {
    let scene = Scene::new();
    let locked = scene.path("runs/run-1/tree/locked/within");
    fs::create_dir_all(&locked).unwrap();
    fs::write(locked.join("file"), "x").unwrap();
    for path in [locked.as_path(), locked.parent().unwrap(), &scene.path("runs/run-1")] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    }
    scene.runs().sweep().unwrap();
    assert_eq!(scene.left(), Vec::<String>::new());
}

/// Deeper than a process has descriptors, and than a path has bytes.
#[test]
fn a_tree_without_measure_is_removed() {
    let scene = Scene::new();
    let folder = scene.runs().create().unwrap();
    let mut deepest = folder.make("tree").unwrap();
    for _ in 0..5000 {
        rustix::fs::mkdirat(&deepest, "directory", PRIVATE).unwrap();
        let flags = OFlags::WRONLY | OFlags::CREATE;
        rustix::fs::openat(&deepest, "file", flags, Mode::RUSR).unwrap();
        deepest = open_directory(deepest.as_fd(), "directory").unwrap();
    }
    drop(folder);
    assert_eq!(scene.left(), Vec::<String>::new());
}

#[test]
fn names_that_removal_uses_itself_are_removed_too() {
    let scene = Scene::new();
    for path in [".1/.1/.1/x", ".1/.2/x", ".2/.1/x", ".3", "tree/.1/.2/.3/x", "tree/.2"] {
        fs::create_dir_all(scene.path("runs/run-1").join(path)).unwrap();
    }
    fs::write(scene.path("runs/run-1/.4"), "x").unwrap();
    scene.runs().sweep().unwrap();
    assert_eq!(scene.left(), Vec::<String>::new());
}

/// Somebody swaps directories for links while they are removed, as fast as possible.
#[test]
fn a_swap_during_removal_leads_nowhere() {
    for place in ["tree", "tree/a", "tree/a/b"] {
        let scene = Scene::new();
        let done = AtomicBool::new(false);
        std::thread::scope(|threads| {
            let (swapped, aside) = (scene.path("runs/run-1").join(place), scene.path("aside"));
            let precious = scene.path("precious");
            let done = &done;
            threads.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    // Each of them fails when the removal was faster.
                    let _ = fs::rename(&swapped, &aside);
                    let _ = symlink(&precious, &swapped);
                    let _ = fs::remove_file(&swapped);
                    let _ = fs::rename(&aside, &swapped);
                }
            });
            for _ in 0..300 {
                let _ = fs::create_dir_all(scene.path("runs/run-1/tree/a/b/c"));
                let _ = fs::write(scene.path("runs/run-1/tree/a/file"), "x");
                let _ = scene.runs().sweep();
            }
            done.store(true, Ordering::Relaxed);
        });
        scene.assert_precious();
        scene.runs().sweep().unwrap();
        assert_eq!(scene.left(), Vec::<String>::new(), "{place}");
    }
}

/// The base is the one that was opened, whatever becomes of its name.
#[test]
fn a_base_that_is_swapped_leads_nowhere() {
    let scene = Scene::new();
    let runs = scene.runs();
    let folder = runs.create().unwrap();
    fs::rename(scene.path("runs"), scene.path("moved")).unwrap();
    scene.link("runs", "");
    assert!(!folder.is_in_place());
    runs.sweep().unwrap();
    let other = runs.create().unwrap();
    assert!(!other.is_in_place());
    drop((folder, other));
    scene.assert_precious();
    assert_eq!(fs::read_dir(scene.path("moved")).unwrap().count(), 0);
}
