//! Files that another program changes between our reading and our writing them.

use std::sync::{Arc, Mutex};

use protocol::v1::{PatchInput, RunPatch};
use snapshot::RelPath;
use workspace::{Fs, HookFs, MemFs, Options, Workspace};

use super::apply;
use crate::PatchReply;
use crate::failure::Failure;
use crate::session::{Session, SessionAccess};

fn path(path: &str) -> RelPath {
    RelPath::parse(path).unwrap()
}

#[track_caller]
fn check(contents: &[&'static str]) -> (Result<PatchReply, Failure>, String) {
    let disk = Arc::new(MemFs::new());
    disk.put(&path("a.yaml"), b"n: 1\n", 0o644).unwrap();
    let contents: Mutex<Vec<&'static str>> = Mutex::new(contents.iter().rev().copied().collect());
    let state = Arc::new(disk.beneath(&path(".state")).unwrap());
    // Somebody writes to the file when a transaction has compared it and chooses its names, as long as there is
    // something to write.
    let meddled = Arc::clone(&disk);
    let fs = Arc::new(HookFs::new(disk, move |_, name| {
        if name == "nonce"
            && let Some(text) = contents.lock().unwrap().pop()
        {
            meddled.remove_file(&path("a.yaml")).unwrap();
            meddled.put(&path("a.yaml"), text.as_bytes(), 0o644).unwrap();
        }
    }));
    let workspace =
        Workspace::with_fs(fs.clone(), state, Options::new(workspace::OpenMode::ReadWrite));
    let session = Session::over(workspace, SessionAccess::Write).unwrap();
    let patch = "changeset_uid: x\nops:\n  - {type: set_value, file_uid: 'path:a.yaml', json_pointer: /n, value: 2}\n";
    let patch = PatchInput {
        name: "patch.yaml".to_owned(),
        bytes: patch.as_bytes().to_vec(),
        kind: None,
        file: None,
    };
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
