//! The escape matrix (FA-4, CS-58, CS-59, X-11): hostile paths and arrangements of links, each tried with every operation, with
//! `openat2` and without. Nothing outside the root is read or written, whatever the outcome inside.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use snapshot::{Entry, RelPath};
use tempfile::TempDir;
use workspace::{Durability, Options, OsFs, Workspace};

use crate::support::{change, meta, options};

/// `SECRET` is what every file outside holds; a change made for it would apply if it were ever read.
pub(crate) const SECRET: &str = "secret";

pub(crate) struct Arena {
    temp: TempDir,
}

impl Arena {
    /// A root beside a directory that nobody may touch. The lines of `setup`: `a -> target`, `a = text`, `a/`, `a |` (a
    /// pipe), `a & b` (a hard link to `b`); `{out}` and `{root}` stand for the two directories.
    pub(crate) fn new(setup: &[&str]) -> Arena {
        let temp = tempfile::tempdir().unwrap();
        let arena = Arena { temp };
        fs::create_dir_all(arena.outside().join("dir/sub")).unwrap();
        for file in ["file", "dir/file", "dir/sub/file", "link/file"] {
            fs::create_dir_all(arena.outside().join(file).parent().unwrap()).unwrap();
            fs::write(arena.outside().join(file), SECRET).unwrap();
        }
        fs::create_dir_all(arena.root().join("dir/sub")).unwrap();
        fs::write(arena.root().join("file"), "text").unwrap();
        fs::write(arena.root().join("dir/file"), "text").unwrap();
        setup.iter().for_each(|line| arena.arrange(line));
        arena
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.temp.path().canonicalize().unwrap().join("root")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.temp.path().canonicalize().unwrap().join("out")
    }

    fn arrange(&self, line: &str) {
        let place = |text: &str| {
            text.replace("{out}", self.outside().to_str().unwrap())
                .replace("{root}", self.root().to_str().unwrap())
        };
        let at = |name: &str| {
            let path = self.root().join(place(name));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            path
        };
        if let Some((name, target)) = line.split_once(" -> ") {
            symlink(place(target), at(name)).unwrap();
        } else if let Some((name, text)) = line.split_once(" = ") {
            fs::write(at(name), text).unwrap();
        } else if let Some((name, other)) = line.split_once(" & ") {
            fs::hard_link(self.root().join(place(other)), at(name)).unwrap();
        } else if let Some(name) = line.strip_suffix(" |") {
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            rustix::fs::mkfifoat(rustix::fs::CWD, at(name), mode).unwrap();
        } else {
            fs::create_dir_all(at(line)).unwrap();
        }
    }

    pub(crate) fn workspace(&self, with_openat2: bool) -> Workspace {
        let open = if with_openat2 { OsFs::open } else { OsFs::open_without_openat2 };
        let options = Options { durability: Durability::None, ..options() };
        Workspace::with_fs(Arc::new(open(&self.root()).unwrap()), self.state(), options)
    }

    /// A state folder beside the two directories.
    pub(crate) fn state(&self) -> Arc<OsFs> {
        let folder = self.temp.path().canonicalize().unwrap().join("state");
        fs::create_dir_all(&folder).unwrap();
        Arc::new(OsFs::open(&folder).unwrap())
    }
}

/// Every path beneath a directory, with mode, link target and contents.
pub(crate) fn dump(directory: &Path) -> BTreeMap<PathBuf, (u32, String)> {
    let mut found = BTreeMap::new();
    let mut open = vec![directory.to_owned()];
    while let Some(path) = open.pop() {
        let metadata = path.symlink_metadata().unwrap();
        let content = if metadata.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            String::new()
        } else if metadata.is_symlink() {
            fs::read_link(&path).unwrap().display().to_string()
        } else if metadata.is_file() {
            String::from_utf8(fs::read(&path).unwrap()).unwrap()
        } else {
            "special".to_owned()
        };
        found.insert(path, (metadata.permissions().mode(), content));
    }
    found
}

/// What a load says of the path.
pub(crate) fn outcome(workspace: &Workspace, at: &RelPath) -> String {
    let loaded = workspace.load(std::slice::from_ref(at)).unwrap();
    for (path, file) in loaded.snapshot.files() {
        assert_ne!(file.text().bytes(), SECRET.as_bytes(), "{path} was read from outside");
    }
    if let Some(refusal) = loaded.refused.get(at) {
        return refusal.to_string();
    }
    let place = loaded.resolved.get(at).unwrap_or(at);
    let what = match loaded.snapshot.get(place) {
        Some(Entry::File(_)) => "file",
        Some(Entry::Directory) => "directory",
        Some(Entry::Link { .. }) => "link",
        Some(Entry::Unread { .. }) => "unread",
        None => "missing",
    };
    if place == at { what.to_owned() } else { format!("{what} at {place}") }
}

#[track_caller]
fn check(setup: &[&str], at: &str, expected: &str) {
    let Ok(parsed) = RelPath::parse(at) else {
        assert_eq!(expected, "no path", "{at:?}");
        return;
    };
    for with_openat2 in [true, false] {
        let arena = Arena::new(setup);
        assert_eq!(
            outcome(&arena.workspace(with_openat2), &parsed),
            expected,
            "{at:?} with {setup:?}"
        );
        // Each operation is tried as if the file outside were the one that the change was made for.
        let steps = [
            format!("{at} {SECRET} ~ x"),
            format!("+ {at} {SECRET}"),
            format!("+ {at}/new/file {SECRET}"),
            format!("- {at} {SECRET}"),
            format!("{at} {SECRET} > stolen"),
            format!("file text > {at}"),
        ];
        let mut arena = arena;
        for step in steps {
            // An operation that was refused left everything as it was, so the next one can have it.
            if check_step(&arena, at, &step, with_openat2) {
                arena = Arena::new(setup);
            }
        }
    }
}

/// The operation succeeds or fails inside; outside nothing happens, and nothing from there comes in.
/// Returns whether it succeeded.
fn check_step(arena: &Arena, at: &str, step: &str, with_openat2: bool) -> bool {
    if step == "file text > file" {
        return false; // No change at all.
    }
    let (outside, inside) = (dump(&arena.outside()), dump(&arena.root()));
    let result = arena.workspace(with_openat2).commit(&change(&[step]), None, &meta("escape"));
    assert_eq!(dump(&arena.outside()), outside, "{step} in {at}: {result:?}");
    let after = dump(&arena.root());
    if result.is_err() {
        assert_eq!(after, inside, "{step} in {at}: {result:?}");
    }
    // Only an add brings this text along; a change made for it must have found it outside.
    let is_new = |path: &PathBuf| !inside.contains_key(path);
    let stolen = after.iter().any(|(path, (_, text))| text == SECRET && is_new(path))
        && !step.starts_with('+');
    assert!(!stolen, "{step} in {at}");
    result.is_ok()
}

pub(crate) const OUTSIDE: &str = "a link leads out of the workspace root";
const LOOP: &str = "its links form a cycle";
const DANGLING: &str = "a link on its path has no target";
const RESERVED: &str = "`.git` and `.regreen` are not for patches to change";

#[test]
fn strings_that_are_no_paths() {
    let hostile = [
        "",
        ".",
        "..",
        "/",
        "//",
        "/file",
        "//host/share",
        "///file",
        "../out/file",
        "dir/../../out/file",
        "dir/..",
        "dir/.",
        "./file",
        "dir//file",
        "dir/",
        "file/",
        "C:",
        "C:/file",
        "c:file",
        "C:\\file",
        "Z:\\..\\out",
        "\\\\host\\share",
        "\\\\?\\C:\\file",
        "dir\\file",
        "..\\out\\file",
        "file\0",
        "\0",
        "fi\0le",
        "/etc/passwd",
        "/proc/self/root",
        "dir/\0/file",
        "..",
        "../",
        "/..",
        "a/b/c/../../../../out/file",
        "~/../..\\x",
    ];
    for at in hostile {
        check(&[], at, "no path");
    }
}

#[test]
fn strings_that_look_hostile_and_are_just_names() {
    check(&[], "...", "missing");
    check(&[], "~", "missing");
    check(&[], "dir/...", "missing");
    check(&[], "..file", "missing");
    check(&[], "file..", "missing");
    check(&[], "%2e%2e/out/file", "missing");
    check(&[], "..%2fout", "missing");
    check(&[], "\u{2025}/out", "missing");
    check(&[], "\u{ff0e}\u{ff0e}/out", "missing");
    check(&[], "-rf", "missing");
    check(&[], "$HOME", "missing");
    check(&[], "fi\nle", "missing");
}

#[test]
fn links_that_leave_the_root() {
    check(&["link -> {out}/file"], "link", OUTSIDE);
    check(&["link -> ../out/file"], "link", OUTSIDE);
    check(&["link -> {out}"], "link", OUTSIDE);
    check(&["link -> {out}"], "link/file", OUTSIDE);
    check(&["link -> {out}"], "link/new", OUTSIDE);
    check(&["link -> {out}/dir"], "link/sub/file", OUTSIDE);
    check(&["link -> .."], "link/out/file", OUTSIDE);
    check(&["link -> ../"], "link", OUTSIDE);
    check(&["link -> /"], "link/etc/passwd", OUTSIDE);
    check(&["link -> /etc"], "link/passwd", OUTSIDE);
    check(&["dir/link -> ../../out/file"], "dir/link", OUTSIDE);
    check(&["dir/link -> ../../out"], "dir/link/file", OUTSIDE);
    check(&["dir/sub/link -> ../../../out/dir"], "dir/sub/link/sub/file", OUTSIDE);
    check(&["dir/sub/link -> {out}/dir/sub"], "dir/sub/link/new/deep/file", OUTSIDE);
    check(&["one -> two", "two -> {out}/file"], "one", OUTSIDE);
    check(&["one -> dir/two", "dir/two -> three", "dir/three -> ../../out"], "one/file", OUTSIDE);
    check(&["link -> dir/../../out/file"], "link", OUTSIDE);
    check(&["link -> ./././../out/file"], "link", OUTSIDE);
    check(&["link -> {root}/../out/file"], "link", OUTSIDE);
    check(&["link -> {root}x/file"], "link", OUTSIDE);
    check(&["link -> ../root/../out/file"], "link", OUTSIDE);
    check(&["link -> ../root/file"], "link", OUTSIDE);
    check(&["link -> {out}/missing"], "link", OUTSIDE);
    check(&["link -> ../missing"], "link/file", OUTSIDE);
    check(&["file2 & {out}/file", "link -> {out}/link"], "link/file", OUTSIDE);
    check(&["back -> {out}/into", "{out}/into -> {root}/file"], "back", OUTSIDE);
}

#[test]
fn magic_links() {
    check(&["link -> /proc/self/root"], "link/etc/passwd", OUTSIDE);
    check(&["link -> /proc/self/cwd"], "link/Cargo.toml", OUTSIDE);
    check(&["link -> /proc/self/fd/0"], "link", OUTSIDE);
    check(&["link -> /dev/stdin"], "link", OUTSIDE);
    check(&["link -> /dev/zero"], "link", OUTSIDE);
    check(&["link -> /proc/self/exe"], "link", OUTSIDE);
}

#[test]
fn links_that_stay_inside_are_edited_at_their_target() {
    check(&["link -> file"], "link", "file at file");
    check(&["link -> dir/file"], "link", "file at dir/file");
    check(&["dir/link -> ../file"], "dir/link", "file at file");
    check(&["link -> dir"], "link/file", "file at dir/file");
    check(&["link -> dir"], "link", "directory at dir");
    check(&["link -> dir"], "link/new", "missing at dir/new");
    check(&["link -> dir"], "link/new/deep", "missing at dir/new/deep");
    check(&["link -> {root}/dir"], "link/file", "file at dir/file");
    check(&["link -> dir/sub/../file"], "link", "file at dir/file");
    check(&["a -> b", "b -> c", "c -> dir"], "a/file", "file at dir/file");
    check(&["dir/sub/up -> ../.."], "dir/sub/up/file", "file at file");
}

#[test]
fn loops_and_dangling_links() {
    check(&["link -> link"], "link", LOOP);
    check(&["a -> b", "b -> a"], "a", LOOP);
    check(&["a -> b/x", "b -> a/x"], "a/file", LOOP);
    check(&["dir/up -> ../dir/up/up"], "dir/up/file", LOOP);
    check(&["link -> missing"], "link", DANGLING);
    check(&["link -> missing/deep"], "link/file", DANGLING);
    check(&["link -> file/x"], "link", "file is not a directory");
    check(&["link -> a\\b"], "link", OUTSIDE);
}

#[test]
fn things_that_are_no_files() {
    check(&["pipe |"], "pipe", "unread");
    check(&["link -> pipe", "pipe |"], "link", "unread at pipe");
    check(&[], "dir", "directory");
    check(&[], "file/beneath", "file is not a directory");
    check(&["pipe |"], "pipe/beneath", "pipe is not a directory");
    check(&[], "dir/sub", "directory");
}

#[test]
fn places_that_belong_to_git_and_to_regreen() {
    check(&[".git/config = x"], ".git/config", RESERVED);
    check(&[".git/hooks/"], ".git/hooks/post-checkout", RESERVED);
    check(&["dir/.git = gitdir"], "dir/.git", RESERVED);
    check(&[], ".GIT/config", RESERVED);
    check(&[".regreen/files.json = {}"], ".regreen/files.json", RESERVED);
    check(&[], ".Regreen/lock", RESERVED);
    check(&["link -> .git", ".git/config = x"], "link/config", RESERVED);
    check(&["link -> .git/config", ".git/config = x"], "link", RESERVED);
    check(&["link -> ."], "link", RESERVED);
    check(&["link -> ."], "link/.git/config", RESERVED);
    check(&["link -> ."], "link/file", "file at file");
}

/// A hard link is indistinguishable from the file it shares, so both kinds are refused at commit.
#[test]
fn hard_links_are_refused_with_the_reason() {
    for (other, text) in [("{out}/file", SECRET), ("file", "text")] {
        for step in [
            format!("shared {text} ~ x"),
            format!("- shared {text}"),
            format!("shared {text} > moved"),
        ] {
            let arena = Arena::new(&[&format!("shared & {other}")]);
            let before = dump(arena.temp.path());
            let error =
                arena.workspace(true).commit(&change(&[&step]), None, &meta("escape")).unwrap_err();
            assert!(error.to_string().contains("it has 2 hard links"), "{error}");
            let mut after = dump(arena.temp.path());
            after.retain(|path, _| before.contains_key(path));
            assert_eq!(after, before);
        }
    }
}

#[test]
fn a_state_folder_with_links_in_it_is_refused() {
    for link in ["txn", "txn/t_000001", "txn/t_000001/journal"] {
        let arena = Arena::new(&[]);
        let state = arena.state().root().to_owned();
        fs::create_dir_all(state.join(link).parent().unwrap()).unwrap();
        fs::write(arena.outside().join("journal"), "blake3:0 {}\n").unwrap();
        let target = if link.ends_with("journal") { "file" } else { "dir" };
        symlink(arena.outside().join(target), state.join(link)).unwrap();
        let outside = dump(&arena.outside());
        let result =
            arena.workspace(true).commit(&change(&["file text ~ x"]), None, &meta("escape"));
        assert!(result.is_err(), "{link}: {result:?}");
        assert_eq!(dump(&arena.outside()), outside, "{link}");
        assert_eq!(fs::read_to_string(arena.root().join("file")).unwrap(), "text", "{link}");
    }
}
