//! Links that are swapped in while regreen is at work: before every single operation of a commit a directory is
//! replaced by a link to its twin outside the root.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use snapshot::RelPath;
use workspace::{Attributes, Durability, Fs, Held, Kind, Options, OsFs, Stat, Workspace};

use crate::escape::{Arena, OUTSIDE, SECRET, dump, outcome};
use crate::support::{change, meta, options, path};

/// Runs a hook before operation `n`, as another process might.
struct SwapFs {
    fs: OsFs,
    n: usize,
    n_operations: AtomicUsize,
    /// The number of the first operation that appends: the mark.
    mark: AtomicUsize,
    hook: Box<dyn Fn() + Send + Sync>,
}

impl SwapFs {
    fn operate(&self) -> &OsFs {
        if self.n_operations.fetch_add(1, Ordering::Relaxed) == self.n {
            (self.hook)();
        }
        &self.fs
    }
}

impl Fs for SwapFs {
    fn absolute_root(&self) -> Option<&str> {
        self.fs.absolute_root()
    }
    fn stat(&self, path: &RelPath) -> std::io::Result<Option<Stat>> {
        self.operate().stat(path)
    }
    fn read(&self, path: &RelPath, limit: u64) -> std::io::Result<(Vec<u8>, Stat)> {
        self.operate().read(path, limit)
    }
    fn read_link(&self, path: &RelPath) -> std::io::Result<String> {
        self.operate().read_link(path)
    }
    fn list(&self, directory: Option<&RelPath>) -> std::io::Result<Vec<(String, Kind)>> {
        self.operate().list(directory)
    }
    fn is_writable(&self, path: &RelPath) -> std::io::Result<bool> {
        self.operate().is_writable(path)
    }
    fn create(&self, path: &RelPath, bytes: &[u8], attributes: &Attributes) -> std::io::Result<()> {
        self.operate().create(path, bytes, attributes)
    }
    fn append(&self, path: &RelPath, bytes: &[u8]) -> std::io::Result<()> {
        let this = self.n_operations.load(Ordering::Relaxed);
        self.mark.fetch_min(this, Ordering::Relaxed);
        self.operate().append(path, bytes)
    }
    fn create_directory(&self, path: &RelPath, mode: u32) -> std::io::Result<()> {
        self.operate().create_directory(path, mode)
    }
    fn rename(&self, from: &RelPath, to: &RelPath) -> std::io::Result<()> {
        self.operate().rename(from, to)
    }
    fn remove_file(&self, path: &RelPath) -> std::io::Result<()> {
        self.operate().remove_file(path)
    }
    fn remove_directory(&self, path: &RelPath) -> std::io::Result<()> {
        self.operate().remove_directory(path)
    }
    fn sync_files(&self, paths: &[RelPath]) -> std::io::Result<()> {
        self.operate().sync_files(paths)
    }
    fn sync_directories(&self, directories: &[Option<RelPath>]) -> std::io::Result<()> {
        self.operate().sync_directories(directories)
    }
    fn try_lock(&self, path: &RelPath) -> std::io::Result<Option<Box<dyn Held>>> {
        self.operate().try_lock(path)
    }
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
        let swap = Arc::new(SwapFs {
            fs: open(&root).unwrap(),
            n,
            n_operations: AtomicUsize::new(0),
            mark: AtomicUsize::new(usize::MAX),
            hook: Box::new(hook),
        });
        let options = Options { durability: Durability::None, ..options() };
        let workspace = Workspace::with_fs(swap.clone(), options);
        let result = workspace.commit(&change(steps), None, &meta("swap"));
        assert_eq!(dump(&arena.outside()), outside, "swapped {name} before {n}: {result:?}");
        assert!(n < 400, "the commit does not end");
        if swap.n_operations.load(Ordering::Relaxed) <= n {
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

/// Another program that edits a file while it is being replaced: its edit is kept, up to the last look before the mark.
#[test]
fn an_edit_by_another_program_during_a_commit_is_not_overwritten() {
    const STEPS: [&str; 2] = ["dir/file text ~ new", "file text ~ new"];
    let run = |n: usize| {
        let arena = Arena::new(&[]);
        let target = arena.root().join("dir/file");
        let swap = Arc::new(SwapFs {
            fs: OsFs::open(&arena.root()).unwrap(),
            n,
            n_operations: AtomicUsize::new(0),
            mark: AtomicUsize::new(usize::MAX),
            hook: Box::new(move || fs::write(&target, "by another program").unwrap()),
        });
        let workspace = Workspace::with_fs(swap.clone(), options());
        let result = workspace.commit(&change(&STEPS), None, &meta("swap"));
        (arena, result, swap.mark.load(Ordering::Relaxed))
    };
    let (_, result, mark) = run(usize::MAX);
    result.unwrap();
    // The last looks are at the two files, right before the mark.
    for n in 0..=mark - STEPS.len() {
        let (arena, result, _) = run(n);
        let read = |name: &str| fs::read_to_string(arena.root().join(name)).unwrap();
        assert!(result.is_err(), "edited before {n}");
        assert_eq!(
            (read("dir/file").as_str(), read("file").as_str()),
            ("by another program", "text")
        );
        assert!(dump(&arena.root()).keys().all(|it| !it.to_str().unwrap().contains(".regreen-t_")));
    }
}
