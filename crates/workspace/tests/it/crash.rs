//! The crash walk: a commit over more than twenty files is stopped at every operation, with everything, nothing or a
//! random part of the unsynced data surviving; and every operation fails once. After recovery the tree is the old
//! one or the new one, byte for byte, with modes and without a stray file.

use std::sync::Arc;

use snapshot::{FileIndex, TreeChange};
use workspace::{CommitError, IndexUpdate, InjectedFault, MemFs, Recovered, Survival, Workspace};

use crate::support::{
    Dump, assert_tree, change, meta, options, path, tree, workspace, workspace_with,
};

const EIO: i32 = 5;
const ENOSPC: i32 = 28;
const EACCES: i32 = 13;

/// Twenty-six files in nested directories.
fn old_tree() -> MemFs {
    let fs = MemFs::new();
    for n in 0..26 {
        let directory = ["", "a/", "a/b/", "a/b/c/", "d/e/"][n % 5];
        let mode = [0o644, 0o755, 0o600][n % 3];
        fs.put(&path(&format!("{directory}f{n}")), format!("old{n}").as_bytes(), mode).unwrap();
    }
    fs.put(&path("untouched/file"), b"stays", 0o640).unwrap();
    fs
}

/// Edits, adds, deletes, renames, a rename with an edit, a swap and a path that is taken again.
fn big_change() -> TreeChange {
    change(&[
        "f0 old0 ~ new0",
        "a/f1 old1 ~ new1",
        "a/b/f2 old2 ~ a-much-longer-text",
        "a/b/c/f3 old3 ~ n",
        "d/e/f4 old4 ~ new4",
        "f5 old5 ~ new5",
        "a/f6 old6 ~ new6",
        "+ f100 added",
        "+ a/f101 added",
        "+ new/f102 added",
        "+ new/deep/f103 added",
        "+ new/deep/er/f104 added",
        "- a/b/f7 old7",
        "- a/b/c/f8 old8",
        "- d/e/f9 old9",
        "- f10 old10",
        "a/f11 old11 > a/moved11",
        "a/b/f12 old12 > d/e/moved12",
        "a/b/c/f13 old13 > other/place/moved13",
        "d/e/f14 old14 > moved14",
        "d/e/f14 old14 ~ edited14",
        "f15 old15 > a/f16",
        "a/f16 old16 > f15",
        "a/b/f17 old17 > moved17",
        "+ a/b/f17 again",
    ])
}

fn index() -> IndexUpdate {
    let mut index = FileIndex::default();
    index.rename(&path("a/f11"), &path("a/moved11")).unwrap();
    IndexUpdate { base: None, index }
}

fn commit(workspace: &Workspace) -> Result<(), CommitError> {
    workspace.commit(&big_change(), Some(&index()), &meta("apply")).map(|id| assert!(id.is_some()))
}

/// The old tree, the new tree and the number of operations between them.
fn both_trees() -> (Dump, Dump, usize) {
    let fs = Arc::new(old_tree());
    let old = tree(&fs);
    fs.set_fault(InjectedFault::Never);
    commit(&workspace(&fs)).unwrap();
    (old, tree(&fs), fs.n_operations())
}

#[track_caller]
fn check(fs: MemFs, old: &Dump, new: &Dump, must_be: Option<&Dump>, case: &str) {
    let fs = Arc::new(fs);
    let workspace = workspace(&fs);
    let recovered = workspace.recover().unwrap_or_else(|error| panic!("{case}: {error}"));
    let found = tree(&fs);
    assert!(found == *old || found == *new, "{case}: a mixture after {recovered:?}:\n{found:#?}");
    if let Some(tree) = must_be {
        assert!(found == *tree, "{case}: the other tree after {recovered:?}");
    }
    assert_eq!(workspace.recover().unwrap(), Recovered::Clean, "{case}");
    let is_new = found == *new;
    assert_eq!(workspace.log().unwrap().len(), usize::from(is_new), "{case}");
    // The disk is good for more: a commit where there is none, an undo where there is one.
    if is_new {
        workspace.undo(None, &meta("undo")).unwrap().unwrap();
        assert!(tree(&fs) == *old, "{case}: undo gives another tree");
    } else {
        commit(&workspace).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert!(tree(&fs) == *new, "{case}: a second try gives another tree");
    }
}

#[test]
fn the_new_tree_is_what_the_snapshot_says() {
    let (_, new, n_operations) = both_trees();
    assert_eq!(new["a/b/f2"], (0o600, b"a-much-longer-text".to_vec()));
    assert_eq!(new["a/f16"], (0o644, b"old15".to_vec()));
    assert_eq!(new["f15"], (0o755, b"old16".to_vec()));
    assert_eq!(new["a/b/f17"], (0o644, b"again".to_vec()));
    assert_eq!(new["moved14"], (0o600, b"edited14".to_vec()));
    assert!(new.contains_key(".regreen/files.json"));
    assert!(n_operations > 100, "{n_operations} operations");
}

#[test]
fn a_crash_at_any_operation_leaves_the_old_tree_or_the_new() {
    let (old, new, n_operations) = both_trees();
    let survivals =
        [Survival::Kept, Survival::Lost].into_iter().chain((1..=3).map(Survival::Mixed));
    for survival in survivals {
        for n in 0..=n_operations {
            let fs = Arc::new(old_tree());
            fs.set_fault(InjectedFault::From { n, errno: EIO });
            let result = commit(&workspace(&fs));
            let must_be = match &result {
                Ok(()) => Some(&new),
                Err(CommitError::Undecided { .. } | CommitError::Incomplete { .. }) => None,
                Err(_) => Some(&old),
            };
            let seed = match survival {
                Survival::Mixed(seed) => Survival::Mixed(seed.wrapping_mul(7919) + n as u64),
                survival => survival,
            };
            check(
                fs.crash(seed),
                &old,
                &new,
                must_be,
                &format!("crash at {n}, {survival:?}, {result:?}"),
            );
        }
    }
}

#[test]
fn a_crash_during_recovery_changes_nothing_about_that() {
    let (old, new, n_operations) = both_trees();
    for n in (0..=n_operations).step_by(4) {
        let fs = Arc::new(old_tree());
        fs.set_fault(InjectedFault::From { n, errno: EIO });
        let _ = commit(&workspace(&fs));
        for (first, stride) in [(Survival::Kept, 7), (Survival::Lost, 17)] {
            let mut m = 0;
            loop {
                let again = Arc::new(fs.crash(first));
                again.set_fault(InjectedFault::From { n: m, errno: EIO });
                let finished = workspace(&again).recover().is_ok();
                let case = format!("crash at {n}, {first:?}, then at {m} of the recovery");
                check(again.crash(Survival::Mixed((n * 1000 + m) as u64)), &old, &new, None, &case);
                if finished {
                    break;
                }
                m += stride;
            }
        }
    }
}

/// An error leaves the old tree at once, without a stray file, unless the error message says otherwise.
#[test]
fn an_error_at_any_operation_leaves_the_old_tree_and_says_so() {
    let (old, new, n_operations) = both_trees();
    for n in 0..n_operations {
        // No error number but those of absence is looked at, so one for each operation will do.
        let errno = [EIO, ENOSPC, EACCES][n % 3];
        let fs = Arc::new(old_tree());
        fs.set_fault(InjectedFault::Once { n, errno });
        let result = commit(&workspace(&fs));
        let case = format!("error {errno} at {n}: {result:?}");
        let must_be = match &result {
            Ok(()) => &new,
            Err(CommitError::Undecided { .. } | CommitError::Incomplete { .. }) => {
                panic!("one error can always be dealt with: {case}")
            }
            Err(error) => {
                let message = error.to_string();
                assert!(
                    message.contains("nothing was changed") || message.contains("cannot lock"),
                    "{case}"
                );
                &old
            }
        };
        assert!(tree(&fs) == *must_be, "{case}");
        check(fs.crash(Survival::Lost), &old, &new, Some(must_be), &case);
    }
}

/// A file that the file system does not let go (a bind mount, a sticky directory) shows only after the mark.
#[test]
fn a_file_that_cannot_be_replaced_gives_the_old_tree_back() {
    let (old, _, n_operations) = both_trees();
    let change = big_change();
    for pinned in change.paths() {
        let fs = Arc::new(old_tree());
        fs.pin(&pinned);
        let error = commit(&workspace(&fs)).unwrap_err();
        assert!(error.to_string().ends_with("nothing was changed"), "{error}");
        assert_tree(&tree(&fs), &old, pinned.as_str());
        assert_eq!(workspace(&fs).recover().unwrap(), Recovered::Clean);
    }
    let pinned = path("f10");
    for n in (0..n_operations * 2).step_by(3) {
        for survival in [Survival::Kept, Survival::Lost, Survival::Mixed(n as u64)] {
            let fs = Arc::new(old_tree());
            fs.pin(&pinned);
            fs.set_fault(InjectedFault::From { n, errno: EIO });
            let result = commit(&workspace(&fs));
            let fs = Arc::new(fs.crash(survival));
            workspace(&fs)
                .recover()
                .unwrap_or_else(|error| panic!("{n}, {survival:?}, {result:?}: {error}"));
            assert_tree(&tree(&fs), &old, &format!("{n}, {survival:?}, {result:?}"));
        }
    }
}

/// J12: what the user saved after the crash stays, and the rest of the tree is the old one or the new one.
#[test]
fn a_file_changed_after_the_crash_is_not_overwritten() {
    let (old, new, n_operations) = both_trees();
    let mut n_kept = 0;
    for n in 0..=n_operations {
        let fs = Arc::new(old_tree());
        fs.set_fault(InjectedFault::From { n, errno: EIO });
        let _ = commit(&workspace(&fs));
        let fs = Arc::new(fs.crash(Survival::Kept));
        workspace::Fs::append(&*fs, &path("f5"), b" by the user").unwrap();
        let saved = tree(&fs)["f5"].clone();
        let recovered = workspace(&fs).recover().unwrap();
        if let Recovered::RolledBack { kept, .. } = &recovered
            && !kept.is_empty()
        {
            n_kept += 1;
            assert_eq!(*kept, [path("f5")], "{n}");
        }
        let mut found = tree(&fs);
        assert_eq!(found.remove("f5"), Some(saved), "{n}");
        let without = |tree: &Dump| {
            let mut tree = tree.clone();
            tree.remove("f5");
            tree
        };
        assert!(found == without(&old) || found == without(&new), "{n}: a mixture: {found:#?}");
    }
    assert!(n_kept > 0);
}

/// A file system that cannot swap two names: everything but the moment between look and rename is as safe.
#[test]
fn a_crash_on_a_plain_file_system_leaves_the_old_tree_or_the_new() {
    let (old, new, n_operations) = both_trees();
    for survival in [Survival::Kept, Survival::Lost, Survival::Mixed(5)] {
        for n in 0..=n_operations {
            let fs = Arc::new(old_tree());
            fs.make_plain();
            fs.set_fault(InjectedFault::From { n, errno: EIO });
            let result = commit(&workspace(&fs));
            let seed = match survival {
                Survival::Mixed(seed) => Survival::Mixed(seed + n as u64),
                survival => survival,
            };
            let must_be = result.is_ok().then_some(&new);
            check(fs.crash(seed), &old, &new, must_be, &format!("crash at {n}, {survival:?}"));
        }
    }
}

#[test]
fn a_reader_that_may_not_write_reports_an_unfinished_transaction() {
    let (_, _, n_operations) = both_trees();
    let fs = Arc::new(old_tree());
    fs.set_fault(InjectedFault::From { n: n_operations / 2, errno: EIO });
    let _ = commit(&workspace(&fs));
    let fs = Arc::new(fs.crash(Survival::Kept));
    let before = fs.dump();
    let reader = workspace_with(
        &fs,
        workspace::Options { access: workspace::OpenMode::ReadOnly, ..options() },
    );
    assert_eq!(reader.pending().unwrap().map(|id| id.0), Some(1));
    let error = reader.recover().unwrap_err();
    assert!(error.to_string().starts_with("t_000001 is unfinished"), "{error}");
    assert!(matches!(commit(&reader), Err(CommitError::ReadOnlyAccess)));
    assert_eq!(fs.dump(), before);
}

/// J10: a crash while old transactions are forgotten leaves nothing that looks like damage.
#[test]
fn a_crash_while_pruning_leaves_a_log_that_can_be_read() {
    let disk = || {
        let fs = Arc::new(MemFs::new());
        fs.put(&path("a"), b"0", 0o644).unwrap();
        for n in 0..3 {
            let change = change(&[&format!("a {n} ~ {}", n + 1)]);
            workspace(&fs).commit(&change, None, &meta("apply")).unwrap().unwrap();
        }
        fs
    };
    let survivals = [Survival::Kept, Survival::Lost].into_iter();
    for survival in survivals.chain((1..=40).map(Survival::Mixed)) {
        let mut n = 0;
        loop {
            let fs = disk();
            // Counted from here on.
            let fs = Arc::new(fs.crash(Survival::Kept));
            fs.set_fault(InjectedFault::From { n, errno: EIO });
            let keep_one = workspace::Retention { transactions: 1, bytes: u64::MAX };
            let is_done = workspace(&fs).prune(keep_one).is_ok();
            let fs = Arc::new(fs.crash(survival));
            let case = format!("crash at {n}, {survival:?}");
            workspace(&fs).recover().unwrap_or_else(|error| panic!("{case}: {error}"));
            let log = workspace(&fs).log().unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(log.last().map(|it| it.id.0), Some(3), "{case}");
            assert_eq!(tree(&fs)["a"].1, b"3", "{case}");
            if is_done {
                break;
            }
            n += 1;
        }
        assert!(n > 5, "{n} operations");
    }
}
