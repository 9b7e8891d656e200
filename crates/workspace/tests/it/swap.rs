//! Links that are swapped in while regreen is at work: before every single operation of a commit a directory is
//! replaced by a link to its twin outside the root.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use workspace::{Durability, HookFs, Options, OsFs, Workspace};

use crate::escape::{Arena, OUTSIDE, SECRET, dump, outcome};
use crate::support::{change, meta, options, path};

/// A file system on which the hook runs once, before operation `n`.
fn hooked(fs: OsFs, n: usize, hook: impl Fn() + Send + Sync + 'static) -> Arc<HookFs> {
    Arc::new(HookFs::new(Arc::new(fs), move |this, _| {
        if this == n {
            hook();
        }
    }))
}

/// Swaps `name` in the root for a link to the same name outside, before every single operation of a commit.
fn check_swap(name: &'static str, steps: &[&str], with_openat2: bool) {
    for n in 0.. {
        let arena = Arena::new(&["dir/sub/file = text"]);
        let outside = dump(&arena.outside());
        let (root, target) = (arena.root(), arena.outside().join(name));
        let open = if with_openat2 { OsFs::open } else { OsFs::open_without_openat2 };
        let hook = {
            let root = root.clone();
            move || {
                fs::rename(root.join(name), root.join("aside")).unwrap();
                symlink(&target, root.join(name)).unwrap();
            }
        };
        let swap = hooked(open(&root).unwrap(), n, hook);
        let options = Options { durability: Durability::None, ..options() };
        let workspace = Workspace::with_fs(swap.clone(), arena.state(), options);
        let result = workspace.commit(&change(steps), None, &meta("swap"));
        assert_eq!(dump(&arena.outside()), outside, "swapped {name} before {n}: {result:?}");
        assert!(n < 400, "the commit does not end");
        if swap.n_operations() <= n {
            result.unwrap();
            assert!(n > 20, "only {n} operations");
            return;
        }
        // With the link gone again the tree is whole: the old one or the new one.
        let is_link = root.join(name).symlink_metadata().is_ok_and(|it| it.is_symlink());
        if is_link {
            fs::remove_file(root.join(name)).unwrap();
            fs::rename(root.join("aside"), root.join(name)).unwrap();
        }
        arena.workspace(true).recover().unwrap();
        let texts: Vec<String> = ["dir/file", "dir/sub/file"]
            .iter()
            .map(|it| fs::read_to_string(root.join(it)).unwrap())
            .collect();
        assert!(
            texts == ["text", "text"] || texts == ["new", "new"],
            "swapped {name} before {n}: {texts:?}"
        );
        assert!(result.is_err() || texts == ["new", "new"], "swapped {name} before {n}: {texts:?}");
    }
}

#[test]
fn links_swapped_in_during_a_commit_lead_nowhere() {
    let steps = ["dir/file text ~ new", "dir/sub/file text ~ new", "+ dir/new/file added"];
    for with_openat2 in [true, false] {
        check_swap("dir", &steps, with_openat2);
    }
    check_swap("dir/sub", &steps, true);
}

#[test]
fn links_swapped_in_between_load_and_commit_are_refused() {
    for name in ["file", "dir"] {
        let arena = Arena::new(&[]);
        let workspace = arena.workspace(true);
        let at = if name == "dir" { "dir/file" } else { "file" };
        assert_eq!(outcome(&workspace, &path(at)), "file");
        fs::rename(arena.root().join(name), arena.root().join("aside")).unwrap();
        symlink(arena.outside().join(name), arena.root().join(name)).unwrap();
        let error = workspace
            .commit(&change(&[&format!("{at} text ~ x")]), None, &meta("swap"))
            .unwrap_err();
        assert!(error.to_string().contains(OUTSIDE), "{error}");
        assert_eq!(fs::read_to_string(arena.outside().join(at)).unwrap(), SECRET);
    }
}

/// How another program saves a file.
type Save = fn(&std::path::Path);

const SAVES: [(&str, Save); 3] = [
    ("in place", |target| fs::write(target, "by another program").unwrap()),
    ("by renaming", |target| {
        let new = target.with_extension("new");
        fs::write(&new, "by another program").unwrap();
        fs::rename(new, target).unwrap();
    }),
    ("by removing and making it again", |target| {
        fs::remove_file(target).unwrap();
        fs::write(target, "by another program").unwrap();
    }),
];

/// Another program that saves a file at any moment of a commit: what it saved is there afterwards, and the rest is the old
/// tree or the new one (J11, J12).
#[test]
fn a_save_by_another_program_during_a_commit_is_never_lost() {
    const STEPS: [&str; 4] =
        ["dir/file text ~ new", "file text ~ new", "- dir/gone text", "dir/from text > dir/to"];
    for (how, save) in SAVES {
        for name in ["dir/file", "file", "dir/gone", "dir/from", "dir/to"] {
            let (mut n_lost_to, mut n_saved_after) = (0, 0);
            for n in 0.. {
                let arena = Arena::new(&["dir/gone = text", "dir/from = text"]);
                let target = arena.root().join(name);
                // What is not there cannot be replaced; to make it anew is a save of its own.
                let hook = move || match target.exists() {
                    true => save(&target),
                    false => fs::write(&target, "by another program").unwrap(),
                };
                let swap = hooked(OsFs::open(&arena.root()).unwrap(), n, hook);
                let workspace = Workspace::with_fs(swap.clone(), arena.state(), options());
                let result = workspace.commit(&change(&STEPS), None, &meta("swap"));
                if swap.n_operations() <= n {
                    result.unwrap();
                    break;
                }
                let case = format!("{name} saved {how} before {n}: {result:?}");
                let read = |name: &str| fs::read_to_string(arena.root().join(name)).ok();
                assert_eq!(read(name).as_deref(), Some("by another program"), "{case}");
                let rest = |old: Option<&str>, new: Option<&str>, it: &str| {
                    let expected = if result.is_ok() { new } else { old };
                    assert!(it == name || read(it).as_deref() == expected, "{it}, {case}");
                };
                rest(Some("text"), Some("new"), "dir/file");
                rest(Some("text"), Some("new"), "file");
                rest(Some("text"), None, "dir/gone");
                rest(Some("text"), None, "dir/from");
                rest(None, Some("text"), "dir/to");
                let is_stray =
                    |it: &std::path::PathBuf| it.to_string_lossy().contains(".regreen-t_");
                assert!(!dump(&arena.root()).keys().any(is_stray), "{case}");
                assert_eq!(workspace.recover().unwrap(), workspace::Recovered::Clean, "{case}");
                match result {
                    Ok(_) => n_saved_after += 1,
                    Err(_) => n_lost_to += 1,
                }
            }
            assert!(
                n_lost_to > 5 && n_saved_after > 0,
                "{name} {how}: {n_lost_to}, {n_saved_after}"
            );
        }
    }
}
