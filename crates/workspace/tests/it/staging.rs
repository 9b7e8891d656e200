//! AE-82, J13 and J14: files on disk and entries of git's index change together. The commit is stopped at every operation, with
//! everything, nothing or a part of the unsynced data surviving; and every operation fails once. After recovery both are
//! old or both are new, and no lock is left.

use std::sync::Arc;

use snapshot::TreeChange;
use workspace::{
    CommitError, Fs as _, GitIndex, InjectedFault, MemFs, Recovered, StagedEntry, StagingError,
    Survival, UndoError, Workspace,
};

use crate::support::{Dump, assert_tree, change, meta, path, tree, workspace};

const EIO: i32 = 5;
const EACCES: i32 = 13;

/// An index of version 2 with these names and objects, in the order of git, without a checksum.
fn index(entries: &[(&str, u8)]) -> Vec<u8> {
    let mut bytes = b"DIRC".to_vec();
    bytes.extend(2_u32.to_be_bytes());
    bytes.extend((entries.len() as u32).to_be_bytes());
    for (name, object) in entries {
        let start = bytes.len();
        bytes.extend([0; 24]);
        bytes.extend(0o100_644_u32.to_be_bytes());
        bytes.extend([0; 12]);
        bytes.extend([*object; 20]);
        bytes.extend((name.len() as u16).to_be_bytes());
        bytes.extend(name.as_bytes());
        bytes.extend(vec![0; 8 - (bytes.len() - start) % 8]);
    }
    bytes.extend([0; 20]);
    bytes
}

const OLD: [(&str, u8); 4] = [("a", 1), ("d/b", 2), ("d/c", 3), ("only-staged", 4)];
const NEW: [(&str, u8); 4] = [("a", 0x11), ("d/b", 0x22), ("d/c", 3), ("only-staged", 0x44)];

fn old_tree(name: &str) -> MemFs {
    let fs = MemFs::new();
    fs.put(&path("a"), b"old", 0o644).unwrap();
    fs.put(&path("d/b"), b"old", 0o755).unwrap();
    fs.put(&path("d/c"), b"old", 0o644).unwrap();
    fs.put(&path(".git/index"), &index(&OLD), 0o644).unwrap();
    if name != "index" {
        fs.put(&path(&format!(".git/{name}")), &index(&OLD), 0o644).unwrap();
    }
    fs
}

fn entries() -> Vec<StagedEntry> {
    let entry = |name: &str, before: u8, after: u8| StagedEntry {
        name: name.to_owned(),
        mode: "100644".to_owned(),
        before: format!("{before:02x}").repeat(20),
        after: format!("{after:02x}").repeat(20),
    };
    vec![entry("a", 1, 0x11), entry("d/b", 2, 0x22), entry("only-staged", 4, 0x44)]
}

fn edits() -> TreeChange {
    change(&["a old ~ new", "d/b old ~ newer"])
}

/// The tree with the index of that name.
fn with_index(fs: &Arc<MemFs>, name: &str) -> Workspace {
    let folder = Arc::new(fs.beneath(&path(".git")).unwrap());
    workspace(fs).with_git_index(GitIndex::with_fs(folder, path(name), name == "index"))
}

fn commit(workspace: &Workspace) -> Result<(), CommitError> {
    let done = workspace.commit_staged(&edits(), &entries(), None, &meta("fix"));
    done.map(|id| assert!(id.is_some()))
}

/// Without the index that git makes for one commit: it is gone with the process.
fn lasting(fs: &MemFs) -> Dump {
    let mut dump = tree(fs);
    dump.retain(|path, _| !path.starts_with(".git/next"));
    dump
}

fn both(name: &str) -> (Dump, Dump, usize) {
    let fs = Arc::new(old_tree(name));
    let old = lasting(&fs);
    fs.set_fault(InjectedFault::Never);
    commit(&with_index(&fs, name)).unwrap();
    (old, lasting(&fs), fs.n_operations())
}

#[track_caller]
fn check(fs: MemFs, old: &Dump, new: &Dump, must_be: Option<&Dump>, case: &str) {
    let fs = Arc::new(fs);
    let workspace = with_index(&fs, "index");
    let recovered = workspace.recover().unwrap_or_else(|error| panic!("{case}: {error}"));
    let found = lasting(&fs);
    assert!(found == *old || found == *new, "{case}: a mixture after {recovered:?}:\n{found:#?}");
    if let Some(tree) = must_be {
        assert!(found == *tree, "{case}: the other tree after {recovered:?}");
    }
    assert_eq!(workspace.recover().unwrap(), Recovered::Clean, "{case}");
    if found == *new {
        workspace.undo(None, &meta("undo")).unwrap().unwrap();
        assert_tree(&lasting(&fs), old, case);
    }
}

#[test]
fn files_and_entries_change_together_and_undo_takes_both_back() {
    let (old, new, n_operations) = both("index");
    assert_eq!(new["a"].1, b"new");
    assert_eq!(new["d/b"], (0o755, b"newer".to_vec()));
    assert_eq!(new[".git/index"].1, index(&NEW));
    assert_eq!(new.len(), old.len(), "no lock is left");
    assert!(n_operations > 40, "{n_operations} operations");
    let fs = Arc::new(old_tree("index"));
    let workspace = with_index(&fs, "index");
    commit(&workspace).unwrap();
    assert_eq!(workspace.log().unwrap()[0].staged, entries());
    let plan = workspace.plan_undo(None).unwrap().unwrap();
    let (undone, undoing) = workspace.undo(None, &meta("undo")).unwrap().unwrap();
    assert_eq!(plan.id, undone);
    assert_tree(&lasting(&fs), &old, "undo");
    // And the undo can be undone.
    workspace.undo(Some(undoing), &meta("undo")).unwrap().unwrap();
    assert_tree(&lasting(&fs), &new, "redo");
}

#[test]
fn a_crash_at_any_operation_leaves_both_old_or_both_new() {
    for name in ["index", "next-index-1.lock"] {
        let (old, new, n_operations) = both(name);
        let survivals =
            [Survival::Kept, Survival::Lost].into_iter().chain((1..=5).map(Survival::Mixed));
        for survival in survivals {
            for n in 0..=n_operations {
                let fs = Arc::new(old_tree(name));
                fs.set_fault(InjectedFault::From { n, errno: EIO });
                let result = commit(&with_index(&fs, name));
                let must_be = match &result {
                    Ok(()) => Some(&new),
                    Err(CommitError::Undecided { .. } | CommitError::Incomplete { .. }) => None,
                    Err(_) => Some(&old),
                };
                let seed = match survival {
                    Survival::Mixed(seed) => Survival::Mixed(seed.wrapping_mul(7919) + n as u64),
                    survival => survival,
                };
                let case = format!("{name}: crash at {n}, {survival:?}, {result:?}");
                check(fs.crash(seed), &old, &new, must_be, &case);
            }
        }
    }
}

#[test]
fn a_crash_during_recovery_or_undo_changes_nothing_about_that() {
    let (old, new, n_operations) = both("index");
    for n in 0..=n_operations {
        let fs = Arc::new(old_tree("index"));
        fs.set_fault(InjectedFault::From { n, errno: EIO });
        let _ = commit(&with_index(&fs, "index"));
        for first in [Survival::Kept, Survival::Lost] {
            let mut m = 0;
            loop {
                let again = Arc::new(fs.crash(first));
                again.set_fault(InjectedFault::From { n: m, errno: EIO });
                let finished = with_index(&again, "index").recover().is_ok();
                let case = format!("crash at {n}, {first:?}, then at {m} of the recovery");
                check(again.crash(Survival::Mixed((n * 1000 + m) as u64)), &old, &new, None, &case);
                if finished {
                    break;
                }
                m += 5;
            }
        }
    }
    let mut n = 0;
    loop {
        let fs = Arc::new(old_tree("index"));
        commit(&with_index(&fs, "index")).unwrap();
        let fs = Arc::new(fs.crash(Survival::Kept));
        fs.set_fault(InjectedFault::From { n, errno: EIO });
        let finished = with_index(&fs, "index").undo(None, &meta("undo")).is_ok();
        let fs = Arc::new(fs.crash(Survival::Mixed(n as u64)));
        with_index(&fs, "index").recover().unwrap();
        let found = lasting(&fs);
        assert!(found == old || found == new, "undo stopped at {n}: {found:#?}");
        if finished {
            break;
        }
        n += 1;
    }
    assert!(n > 20, "{n}");
}

#[test]
fn an_error_at_any_operation_leaves_both_old_and_says_so() {
    let (old, new, n_operations) = both("index");
    for n in 0..n_operations {
        let fs = Arc::new(old_tree("index"));
        fs.set_fault(InjectedFault::Once { n, errno: [EIO, EACCES][n % 2] });
        let result = commit(&with_index(&fs, "index"));
        let must_be = match &result {
            Ok(()) => &new,
            Err(CommitError::Undecided { .. } | CommitError::Incomplete { .. }) => {
                panic!("one error can always be dealt with: {n}: {result:?}")
            }
            Err(error) => {
                let message = error.to_string();
                let is_said =
                    message.contains("nothing was changed") || message.contains("cannot lock");
                assert!(is_said, "{n}: {message}");
                &old
            }
        };
        assert_tree(&lasting(&fs), must_be, &format!("error at {n}: {result:?}"));
    }
}

/// J14: whoever is faster keeps what he staged, and the files on disk are the old ones.
#[test]
fn what_somebody_else_stages_meanwhile_stays() {
    let others = [("a", 1), ("d/b", 9), ("d/c", 3), ("only-staged", 4)];
    let fs = Arc::new(old_tree("index"));
    fs.remove_file(&path(".git/index")).unwrap();
    fs.put(&path(".git/index"), &index(&others), 0o644).unwrap();
    let before = lasting(&fs);
    let error = commit(&with_index(&fs, "index")).unwrap_err();
    let CommitError::Staging(StagingError::Changed { names }) = &error else { panic!("{error}") };
    assert_eq!(names, &["d/b"]);
    assert_tree(&lasting(&fs), &before, "changed before");

    // A crash, then somebody removes the lock and stages something: both are told apart from what we did.
    let (old, new, n_operations) = both("index");
    for n in 0..=n_operations {
        let fs = Arc::new(old_tree("index"));
        fs.set_fault(InjectedFault::From { n, errno: EIO });
        let _ = commit(&with_index(&fs, "index"));
        let fs = Arc::new(fs.crash(Survival::Kept));
        let _ = fs.remove_file(&path(".git/index.lock"));
        let is_new = fs.dump()[".git/index"].1 == index(&NEW);
        let mut staged = if is_new { NEW } else { OLD };
        staged[1].1 = 9;
        fs.remove_file(&path(".git/index")).unwrap();
        fs.put(&path(".git/index"), &index(&staged), 0o644).unwrap();
        with_index(&fs, "index").recover().unwrap();
        let mut found = lasting(&fs);
        let kept = found.remove(".git/index").unwrap();
        let expected = if is_new { &new } else { &old };
        let files = |tree: &Dump| {
            let mut tree = tree.clone();
            tree.remove(".git/index");
            tree
        };
        assert_tree(&found, &files(expected), &format!("crash at {n}"));
        assert_eq!(kept.1, index(&staged), "crash at {n}");
    }
}

#[test]
fn a_lock_of_git_is_respected_and_named() {
    let fs = Arc::new(old_tree("index"));
    fs.put(&path(".git/index.lock"), b"DIRC of somebody", 0o644).unwrap();
    let before = lasting(&fs);
    let error = commit(&with_index(&fs, "index")).unwrap_err();
    assert!(matches!(error, CommitError::Staging(StagingError::Locked { .. })), "{error}");
    assert!(error.to_string().contains("index.lock exists"), "{error}");
    assert_tree(&lasting(&fs), &before, "locked");
}

#[test]
fn undo_is_refused_where_something_else_was_staged_since() {
    let fs = Arc::new(old_tree("index"));
    let workspace = with_index(&fs, "index");
    commit(&workspace).unwrap();
    let mut staged = NEW;
    staged[0].1 = 7;
    fs.remove_file(&path(".git/index")).unwrap();
    fs.put(&path(".git/index"), &index(&staged), 0o644).unwrap();
    let before = lasting(&fs);
    for error in
        [workspace.plan_undo(None).unwrap_err(), workspace.undo(None, &meta("undo")).unwrap_err()]
    {
        let UndoError::StagedSince { names, .. } = &error else { panic!("{error}") };
        assert_eq!(names, &["a"]);
    }
    assert_tree(&lasting(&fs), &before, "refused");
}

/// An entry that git would not have written is in no journal of ours.
#[test]
fn entries_that_are_none_are_refused() {
    let fs = Arc::new(old_tree("index"));
    let workspace = with_index(&fs, "index");
    let good = entries().remove(0);
    let bad = [
        StagedEntry { name: "../a".to_owned(), ..good.clone() },
        StagedEntry { name: ".git/config".to_owned(), ..good.clone() },
        StagedEntry { mode: "120000".to_owned(), ..good.clone() },
        StagedEntry { before: "xyz".to_owned(), ..good.clone() },
        StagedEntry { after: "0".repeat(64), ..good.clone() },
    ];
    for entry in bad {
        let done =
            workspace.commit_staged(&edits(), std::slice::from_ref(&entry), None, &meta("fix"));
        assert!(matches!(done, Err(CommitError::Staging(StagingError::Entry { .. }))), "{entry:?}");
    }
    let twice = [good.clone(), good];
    assert!(workspace.commit_staged(&edits(), &twice, None, &meta("fix")).is_err());
    assert!(workspace.commit_staged(&edits(), &[], None, &meta("fix")).is_err());
}
