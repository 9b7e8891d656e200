//! Other programs that save files at random moments, and signals, while transactions run on the real disk: no save is
//! lost, and a transaction that was interrupted ends whole.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use edit::{Edit, EditSet};
use snapshot::TreeChange;
use workspace::{CommitError, Durability, HookFs, Interrupts, MemFs, Options, Workspace};

use crate::support::{change, home, meta, options, path, state, tree};

const FILES: usize = 8;
const TRANSACTIONS: usize = 1000;

fn name(n: usize) -> String {
    format!("d{}/f{n}", n % 2)
}

/// The number that a saver wrote last; regreen only adds a line after it.
fn number(text: &str) -> Option<usize> {
    text.split_once('\n')?.0.parse().ok()
}

fn save(target: &Path, number: usize) {
    let text = format!("{number}\n{}", "x".repeat(number % 97));
    if number.is_multiple_of(2) {
        fs::write(target, text).unwrap();
    } else {
        let new = target.with_extension("saving");
        fs::write(&new, text).unwrap();
        fs::rename(new, target).unwrap();
    }
}

/// Saves one file again and again. Nobody else writes numbers, so the one that was saved must be there until the next
/// one; for a moment, while a transaction is taken back, an older text may stand there.
fn saver(target: &Path, seed: usize, is_over: &AtomicBool, n_lost: &AtomicUsize) -> usize {
    let (mut saved, mut random) = (0, seed as u64);
    while !is_over.load(Ordering::SeqCst) {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        std::thread::sleep(Duration::from_micros(random >> 53));
        saved += 1;
        save(target, saved);
        let is_there = || {
            let text = fs::read_to_string(target).ok();
            text.and_then(|it| number(&it)) == Some(saved)
        };
        let settled = (0..2000).any(|_| {
            is_there() || {
                std::thread::sleep(Duration::from_millis(1));
                false
            }
        });
        if !settled {
            n_lost.fetch_add(1, Ordering::SeqCst);
        }
    }
    saved
}

#[test]
fn nothing_that_others_save_is_lost_in_a_thousand_transactions() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    for n in 0..FILES {
        fs::create_dir_all(root.join(name(n)).parent().unwrap()).unwrap();
        save(&root.join(name(n)), 0);
    }
    let options = Options { durability: Durability::None, ..options() };
    let workspace = Workspace::open(root, Some(&home()), options).unwrap();
    let (is_over, n_lost) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (mut n_done, mut n_beaten) = (0, 0);
    let targets: Vec<PathBuf> = (0..FILES).step_by(3).map(|n| root.join(name(n))).collect();
    std::thread::scope(|scope| {
        let savers: Vec<_> = targets
            .iter()
            .enumerate()
            .map(|(n, target)| {
                let (is_over, n_lost) = (&is_over, &n_lost);
                scope.spawn(move || saver(target, n + 1, is_over, n_lost))
            })
            .collect();
        for round in 0..TRANSACTIONS {
            match workspace.commit(&append_to_all(&workspace, round), None, &meta("round")) {
                Ok(_) => n_done += 1,
                Err(CommitError::ChangedMeanwhile { .. } | CommitError::Apply(_)) => n_beaten += 1,
                Err(error) => panic!("round {round}: {error}"),
            }
        }
        is_over.store(true, Ordering::SeqCst);
        let saved: usize = savers.into_iter().map(|it| it.join().unwrap()).sum();
        assert!(saved > 100, "{saved} saves");
    });
    assert_eq!(n_lost.load(Ordering::SeqCst), 0, "{n_done} done, {n_beaten} beaten");
    assert!(n_done > 0 && n_beaten > 0, "{n_done} done, {n_beaten} beaten");
    let left = fs::read_dir(root.join("d0")).unwrap().chain(fs::read_dir(root.join("d1")).unwrap());
    let stray = |it: &str| it.starts_with(".regreen-");
    let left: Vec<String> = left
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .filter(|it| stray(it))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A line at the end of every file, made for what is there now.
fn append_to_all(workspace: &Workspace, round: usize) -> TreeChange {
    let paths: Vec<_> = (0..FILES).map(|n| path(&name(n))).collect();
    let loaded = workspace.load(&paths).unwrap();
    let mut edits = BTreeMap::new();
    for (path, file) in loaded.snapshot.files() {
        // A saver that writes in place may have just begun.
        if file.text().bytes().contains(&b'\n') {
            let end = file.text().len() as u32;
            let start = file.text().bytes().iter().position(|it| *it == b'\n').unwrap() as u32 + 1;
            let edit = Edit::replace(start, end, format!("r{round}"));
            edits.insert(path.clone(), EditSet::new(&file.text(), vec![edit]).unwrap());
        }
    }
    TreeChange::new(edits, BTreeMap::new(), BTreeMap::new(), BTreeMap::new()).unwrap()
}

/// A signal at any operation: before the point of no return everything is taken back, after it everything is finished.
#[test]
fn a_signal_during_a_commit_leaves_the_old_tree_or_the_new_and_says_which() {
    const STEPS: [&str; 4] = ["a 1 ~ one", "d/b 2 > d/c", "- e 3", "+ n/f 4"];
    let (mut n_old, mut n_new) = (0, 0);
    for n in 0.. {
        let disk = Arc::new(MemFs::new());
        for (name, text) in [("a", "1"), ("d/b", "2"), ("e", "3")] {
            disk.put(&path(name), text.as_bytes(), 0o644).unwrap();
        }
        let old = tree(&disk);
        let interrupts = Interrupts::new();
        let (slot, idle) = (interrupts.signal_slot(), interrupts.idle_flag());
        let hooked = Arc::new(HookFs::new(disk.clone(), move |this, _| {
            // As the handler does: at other times the process would be gone.
            if this == n && !idle.load(Ordering::SeqCst) {
                slot.store(15, Ordering::SeqCst);
            }
        }));
        let workspace = Workspace::with_fs(hooked.clone(), state(&disk), options());
        let workspace = workspace.with_interrupts(interrupts.clone());
        let result = workspace.commit(&change(&STEPS), None, &meta("apply"));
        match &result {
            Ok(Some(_)) => {
                n_new += usize::from(interrupts.received().is_some());
                assert_eq!(tree(&disk)["a"].1, b"one", "{n}");
            }
            Err(CommitError::Interrupted { signal: 15 }) => {
                n_old += 1;
                assert_eq!(tree(&disk), old, "{n}");
            }
            other => panic!("{n}: {other:?}"),
        }
        assert_eq!(workspace.recover().unwrap(), workspace::Recovered::Clean, "{n}");
        // What is written must be told before a signal may end the process.
        assert_eq!(interrupts.idle_flag().load(Ordering::SeqCst), result.is_err(), "{n}");
        if hooked.n_operations() <= n {
            break;
        }
    }
    assert!(n_old > 3 && n_new > 3, "{n_old} taken back, {n_new} finished");
}
