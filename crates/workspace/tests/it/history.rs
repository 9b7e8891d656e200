//! Undo, log and prune.

use std::sync::Arc;

use proptest::prelude::*;
use snapshot::{Entry, File, NewFile, RelPath, Snapshot, diff};
use workspace::{MemFs, Retention, Touched, TransactionId, UndoError, Workspace};

use crate::support::{change, meta, path, tree, workspace};

fn disk(files: &[(&str, &str)]) -> (Arc<MemFs>, Workspace) {
    let fs = Arc::new(MemFs::new());
    for (name, text) in files {
        fs.put(&path(name), text.as_bytes(), 0o644).unwrap();
    }
    let workspace = workspace(&fs);
    (fs, workspace)
}

fn apply(workspace: &Workspace, steps: &[&str]) -> TransactionId {
    workspace.commit(&change(steps), None, &meta("apply")).unwrap().unwrap()
}

#[test]
fn undo_goes_back_one_transaction_at_a_time_and_can_be_undone() {
    let (fs, workspace) = disk(&[("a", "1"), ("b", "2")]);
    let mut trees = vec![tree(&fs)];
    apply(&workspace, &["a 1 ~ one", "+ n/e/w 3"]);
    trees.push(tree(&fs));
    apply(&workspace, &["- b 2", "a one > x/a"]);
    trees.push(tree(&fs));
    let undo = |id: Option<u64>| workspace.undo(id.map(TransactionId), &meta("undo"));
    let ids = |undone: Option<(TransactionId, TransactionId)>| undone.map(|(a, b)| (a.0, b.0));
    assert_eq!(ids(undo(None).unwrap()), Some((2, 3)));
    assert_eq!(tree(&fs), trees[1]);
    assert_eq!(ids(undo(None).unwrap()), Some((1, 4)));
    assert_eq!(tree(&fs), trees[0]);
    assert_eq!(ids(undo(None).unwrap()), None);
    assert_eq!(undo(Some(2)).unwrap_err().to_string(), "t_000002 was undone by t_000003");
    assert_eq!(undo(Some(9)).unwrap_err().to_string(), "there is no transaction t_000009 to undo");
    assert_eq!(ids(undo(Some(4)).unwrap()), Some((4, 5)));
    assert_eq!(tree(&fs), trees[1]);
    assert_eq!(ids(undo(Some(3)).unwrap()), Some((3, 6)));
    assert_eq!(tree(&fs), trees[2]);
    assert_eq!(ids(undo(None).unwrap()), Some((2, 7)));
    assert_eq!(tree(&fs), trees[1]);
}

#[test]
fn undo_names_every_file_that_changed_since() {
    let (fs, workspace) = disk(&[("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]);
    apply(&workspace, &["a 1 ~ x", "b 2 > moved", "- c 3", "d 4 ~ y", "+ new 5"]);
    workspace::Fs::append(&*fs, &path("a"), b"!").unwrap();
    workspace::Fs::append(&*fs, &path("moved"), b"!").unwrap();
    workspace::Fs::remove_file(&*fs, &path("new")).unwrap();
    fs.put(&path("c"), b"back", 0o644).unwrap();
    let before = tree(&fs);
    let error = workspace.undo(None, &meta("undo")).unwrap_err();
    assert!(matches!(error, UndoError::Changed { .. }));
    assert_eq!(
        error.to_string(),
        "t_000001 was not undone, because a, c, moved, new changed since"
    );
    assert_eq!(tree(&fs), before);
}

/// A plan refuses what the undo refuses, with the same words, and is what the undo does.
#[test]
fn a_planned_undo_is_the_undo_without_writing() {
    type Damage = fn(&MemFs);
    let cases: [(&str, Damage, Option<u64>); 7] = [
        ("nothing happened since", |_| {}, None),
        ("a file changed", |fs| workspace::Fs::append(fs, &path("a"), b"!").unwrap(), None),
        ("a new file is gone", |fs| workspace::Fs::remove_file(fs, &path("n/e/w")).unwrap(), None),
        ("something is at the old path", |fs| fs.put(&path("b"), b"mine", 0o644).unwrap(), None),
        (
            "the image is damaged",
            |fs| {
                let image = path(".state/txn/t_000001/undo");
                workspace::Fs::remove_file(fs, &image).unwrap();
                fs.put(&image, b"x", 0o600).unwrap();
            },
            None,
        ),
        (
            "the name of a temporary file is taken",
            |fs| fs.put(&path(".regreen-t_000002-0000000000000002-0"), b"", 0o644).unwrap(),
            None,
        ),
        ("there is no such transaction", |_| {}, Some(9)),
    ];
    for (name, damage, id) in cases {
        let (fs, workspace) = disk(&[("a", "1"), ("b", "2")]);
        apply(&workspace, &["a 1 ~ one", "+ n/e/w 3", "- b 2"]);
        damage(&fs);
        let before = fs.dump();
        let id = id.map(TransactionId);
        let plan = workspace.plan_undo(id);
        assert_eq!(fs.dump(), before, "{name}");
        match (plan, workspace.undo(id, &meta("undo"))) {
            (Ok(Some(plan)), Ok(Some((undone, _)))) => {
                assert_eq!(plan.id, undone);
                let touched: Vec<String> =
                    plan.change.paths().iter().map(ToString::to_string).collect();
                assert_eq!(touched, ["a", "b", "n/e/w"]);
                assert!(workspace.plan_undo(None).unwrap().is_none());
                let error = workspace.plan_undo(Some(undone)).unwrap_err();
                assert!(matches!(error, UndoError::UndoneAlready { .. }));
            }
            (Err(planned), Err(real)) => {
                assert_eq!(planned.to_string(), real.to_string(), "{name}")
            }
            (plan, undone) => panic!("{name}: {plan:?}, {undone:?}"),
        }
    }
}

#[test]
fn undo_keeps_directories_that_others_use() {
    let (fs, workspace) = disk(&[("a", "1")]);
    apply(&workspace, &["+ n/e/w 3", "+ m/o 4"]);
    fs.put(&path("n/mine"), b"5", 0o644).unwrap();
    workspace.undo(None, &meta("undo")).unwrap().unwrap();
    assert_eq!(tree(&fs).keys().collect::<Vec<_>>(), ["", "a", "n/", "n/mine"]);
}

#[test]
fn the_log_says_what_was_done() {
    let (_, workspace) = disk(&[("a", "1"), ("b", "2"), ("c", "3"), ("e", "4")]);
    apply(&workspace, &["a 1 ~ x", "b 2 > moved", "- c 3", "+ new 5", "e 4 > f", "e 4 ~ z"]);
    workspace.undo(None, &meta("undo")).unwrap().unwrap();
    let log = workspace.log().unwrap();
    let touched = [
        Touched::Added(path("new")),
        Touched::Edited(path("a")),
        Touched::Deleted(path("c")),
        Touched::Renamed { from: path("b"), to: path("moved") },
        Touched::Renamed { from: path("e"), to: path("f") },
    ];
    assert_eq!(log[0].touched, touched);
    assert_eq!((log[0].meta.command.as_str(), log[0].undo_bytes), ("apply", 4));
    assert_eq!((log[0].undone_by, log[0].undoes), (Some(TransactionId(2)), None));
    assert_eq!((log[1].undone_by, log[1].undoes), (None, Some(TransactionId(1))));
}

#[test]
fn pruning_forgets_the_oldest_and_ids_go_on() {
    let (fs, workspace) = disk(&[("a", "0")]);
    for n in 0..5 {
        apply(&workspace, &[&format!("a {n} ~ {}", n + 1)]);
    }
    let prune = |transactions, bytes| {
        let pruned = workspace.prune(Retention { transactions, bytes }).unwrap();
        pruned.iter().map(|id| id.0).collect::<Vec<_>>()
    };
    assert_eq!(prune(4, u64::MAX), [1]);
    assert_eq!(prune(9, 2), [2, 3]);
    assert_eq!(prune(0, 0), [4]);
    assert!(prune(0, 0).is_empty());
    let error = workspace.undo(Some(TransactionId(4)), &meta("undo")).unwrap_err();
    assert!(matches!(error, UndoError::Unknown { .. }));
    assert_eq!(
        workspace.undo(None, &meta("undo")).unwrap(),
        Some((TransactionId(5), TransactionId(6)))
    );
    assert_eq!(tree(&fs)["a"].1, b"4");
}

#[test]
fn a_damaged_undo_image_is_refused() {
    let (fs, workspace) = disk(&[("a", "1")]);
    apply(&workspace, &["a 1 ~ 2"]);
    let image = path(".state/txn/t_000001/undo");
    workspace::Fs::remove_file(&*fs, &image).unwrap();
    fs.put(&image, b"x", 0o600).unwrap();
    let error = workspace.undo(None, &meta("undo")).unwrap_err();
    assert_eq!(error.to_string(), "the undo image of a in t_000001 is damaged");
    assert_eq!(tree(&fs)["a"].1, b"2");
}

/// A file by a small path, so that files become directories, come back and swap.
fn any_tree() -> impl Strategy<Value = Snapshot> {
    let name = prop::collection::vec(prop::sample::select(vec!["a", "b", "c"]), 1..4);
    let file = (name, "[xy]{0,3}", prop::sample::select(vec![0o644, 0o755]));
    prop::collection::vec(file, 0..8).prop_map(|files| {
        let mut tree = Snapshot::default();
        for (name, text, mode) in files {
            let mut entries = tree.to_entries();
            let file = File::new(edit::Text::new(text), mode);
            entries.insert(path(&name.join("/")), Entry::File(file));
            tree = Snapshot::new(entries).unwrap_or(tree);
        }
        tree
    })
}

fn load_all(fs: &MemFs) -> Vec<(RelPath, NewFile)> {
    let files = tree(fs).into_iter().filter(|(name, _)| !name.is_empty() && !name.ends_with('/'));
    files
        .map(|(name, (mode, bytes))| (path(&name), NewFile { text: edit::Text::new(bytes), mode }))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::with_cases(128) })]

    #[test]
    fn commit_agrees_with_apply_and_undo_is_its_inverse(before in any_tree(), after in any_tree()) {
        let fs = Arc::new(MemFs::new());
        for (path, file) in before.files() {
            fs.put(path, file.text().bytes(), file.mode).unwrap();
        }
        let workspace = workspace(&fs);
        let old = tree(&fs);
        let change = diff(&before, &after);
        match workspace.commit(&change, None, &meta("apply")) {
            Ok(id) => {
                let expected = after.files().map(|(path, file)| {
                    (path.clone(), NewFile { text: file.text(), mode: file.mode })
                });
                prop_assert_eq!(load_all(&fs), expected.collect::<Vec<_>>());
                prop_assert_eq!(id.is_some(), !change.is_empty());
                if id.is_some() {
                    workspace.undo(None, &meta("undo")).unwrap().unwrap();
                }
                prop_assert_eq!(tree(&fs), old);
            }
            // A file cannot become a directory, or the reverse, in one transaction.
            Err(_) => prop_assert_eq!(tree(&fs), old),
        }
    }
}

/// A transaction as format version 2 writes it. It stays here for as long as regreen reads that version.
const JOURNAL_V2: &str = include_str!("journal-v2.txt");

#[test]
fn the_journal_of_version_2_is_written_and_read_as_it_always_was() {
    let (fs, workspace) = disk(&[("a", "1"), ("b", "2"), ("c", "3")]);
    apply(&workspace, &["a 1 ~ one", "b 2 > d/b", "- c 3", "+ new 5"]);
    let journal = path(".state/txn/t_000001/journal");
    let (written, _) = workspace::Fs::read(&*fs, &journal, u64::MAX).unwrap();
    let written = String::from_utf8(written).unwrap();
    if std::env::var_os("REGREEN_BLESS").is_some() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/journal-v2.txt");
        std::fs::write(file, &written).unwrap();
        return;
    }
    assert_eq!(written, JOURNAL_V2);

    let (fs, workspace) = disk(&[("a", "one"), ("d/b", "2"), ("new", "5")]);
    fs.put(&journal, JOURNAL_V2.as_bytes(), 0o600).unwrap();
    fs.put(&path(".state/txn/t_000001/undo"), b"132", 0o600).unwrap();
    workspace.undo(None, &meta("undo")).unwrap().unwrap();
    assert_eq!(tree(&fs).keys().collect::<Vec<_>>(), ["", "a", "b", "c"]);
}
