//! Files that another program changes between our reading and our writing them.

use std::io;
use std::sync::{Arc, Mutex};

use protocol::v1::{PatchInput, RunPatch};
use snapshot::RelPath;
use workspace::{Access, Attributes, Fs, Held, Kind, MemFs, Options, Stat, Workspace};

use super::apply;
use crate::PatchReply;
use crate::failure::Failure;
use crate::session::Session;

/// A disk on which somebody writes to `a.yaml` whenever a transaction begins, as long as there is something to write.
struct Meddled {
    disk: MemFs,
    contents: Mutex<Vec<&'static str>>,
}

fn path(path: &str) -> RelPath {
    RelPath::parse(path).unwrap()
}

#[track_caller]
fn check(contents: &[&'static str]) -> (Result<PatchReply, Failure>, String) {
    let disk = MemFs::new();
    disk.put(&path("a.yaml"), b"n: 1\n", 0o644).unwrap();
    let contents = Mutex::new(contents.iter().rev().copied().collect());
    let fs = Arc::new(Meddled { disk, contents });
    let session =
        Session::over(Workspace::with_fs(fs.clone(), Options::new(Access::ReadWrite))).unwrap();
    let patch = "changeset_uid: x\nops:\n  - {type: set_value, file_uid: 'path:a.yaml', json_pointer: /n, value: 2}\n";
    let patch =
        PatchInput { name: "patch.yaml".to_owned(), bytes: patch.as_bytes().to_vec(), kind: None };
    let reply = apply(&session, &RunPatch { patch, show_values: false, with_diffs: true });
    let (bytes, _) = fs.read(&path("a.yaml"), 1024).unwrap();
    (reply, String::from_utf8(bytes).unwrap())
}

/// The patch is tried once more on the new contents, and the reply says so.
#[test]
fn a_file_that_changed_once_gets_the_patch_on_its_new_contents() {
    let (reply, text) = check(&["n: 1\nmore: here\n"]);
    let reply = reply.unwrap();
    assert_eq!((reply.retried.as_deref(), text.as_str()), (Some("a.yaml"), "n: 2\nmore: here\n"));
    assert_eq!(reply.report.transaction.as_deref(), Some("t_000001"));
}

#[test]
fn a_file_that_nobody_changed_is_not_tried_again() {
    let (reply, text) = check(&[]);
    assert_eq!((reply.unwrap().retried, text.as_str()), (None, "n: 2\n"));
}

/// If the patch no longer fits the new contents, nothing is written over them.
#[test]
fn a_file_that_changed_so_that_the_patch_fails_is_left_alone() {
    let (reply, text) = check(&["[not, a, map]\n"]);
    let reply = reply.unwrap();
    assert!(!reply.report.ok);
    assert_eq!((reply.report.transaction, text.as_str()), (None, "[not, a, map]\n"));
}

#[test]
fn a_file_that_keeps_changing_is_a_failure_and_is_left_alone() {
    let (reply, text) = check(&["n: 3\n", "n: 4\n"]);
    let failure = reply.unwrap_err();
    assert_eq!((failure.code(), text.as_str()), ("stale", "n: 4\n"));
}

impl Fs for Meddled {
    fn try_lock(&self, at: &RelPath) -> io::Result<Option<Box<dyn Held>>> {
        if let Some(text) = self.contents.lock().unwrap().pop() {
            self.disk.remove_file(&path("a.yaml"))?;
            self.disk.put(&path("a.yaml"), text.as_bytes(), 0o644)?;
        }
        self.disk.try_lock(at)
    }
    fn absolute_root(&self) -> Option<&str> {
        self.disk.absolute_root()
    }
    fn stat(&self, path: &RelPath) -> io::Result<Option<Stat>> {
        self.disk.stat(path)
    }
    fn read(&self, path: &RelPath, limit: u64) -> io::Result<(Vec<u8>, Stat)> {
        self.disk.read(path, limit)
    }
    fn read_link(&self, path: &RelPath) -> io::Result<String> {
        self.disk.read_link(path)
    }
    fn list(&self, directory: Option<&RelPath>) -> io::Result<Vec<(String, Kind)>> {
        self.disk.list(directory)
    }
    fn is_writable(&self, path: &RelPath) -> io::Result<bool> {
        self.disk.is_writable(path)
    }
    fn create(&self, path: &RelPath, bytes: &[u8], attributes: &Attributes) -> io::Result<()> {
        self.disk.create(path, bytes, attributes)
    }
    fn append(&self, path: &RelPath, bytes: &[u8]) -> io::Result<()> {
        self.disk.append(path, bytes)
    }
    fn create_directory(&self, path: &RelPath, mode: u32) -> io::Result<()> {
        self.disk.create_directory(path, mode)
    }
    fn rename(&self, from: &RelPath, to: &RelPath) -> io::Result<()> {
        self.disk.rename(from, to)
    }
    fn remove_file(&self, path: &RelPath) -> io::Result<()> {
        self.disk.remove_file(path)
    }
    fn remove_directory(&self, path: &RelPath) -> io::Result<()> {
        self.disk.remove_directory(path)
    }
    fn sync_files(&self, paths: &[RelPath]) -> io::Result<()> {
        self.disk.sync_files(paths)
    }
    fn sync_directories(&self, directories: &[Option<RelPath>]) -> io::Result<()> {
        self.disk.sync_directories(directories)
    }
}
