//! Trees and changes: the laws over random trees, and the refusals one by one.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

#[path = "it/lazy.rs"]
mod lazy;

use std::collections::BTreeMap;

use edit::{ContentHash, Edit, EditSet, Text};
use proptest::prelude::*;
use snapshot::{
    ApplyError, Entry, File, NewFile, RelPath, Rename, Snapshot, TreeChange, UnreadReason, diff,
};

fn path(path: &str) -> RelPath {
    RelPath::parse(path).unwrap()
}

fn file(text: &str) -> Entry {
    Entry::File(File::new(Text::new(text), 0o644))
}

fn tree(entries: &[(&str, Entry)]) -> Snapshot {
    Snapshot::new(entries.iter().map(|(it, entry)| (path(it), entry.clone())).collect()).unwrap()
}

fn hash(text: &str) -> ContentHash {
    ContentHash::of(text.as_bytes())
}

/// A step of a change: `+path text`, `-path text`, `path text > path`, `path text ~ new text`.
fn change(steps: &[&str]) -> Result<TreeChange, String> {
    let (mut edits, mut adds) = (BTreeMap::new(), BTreeMap::new());
    let (mut deletes, mut renames) = (BTreeMap::new(), BTreeMap::new());
    for step in steps {
        let words: Vec<&str> = step.split(' ').collect();
        match words[..] {
            ["+", at, text] => {
                adds.insert(path(at), NewFile { text: Text::new(text), mode: 0o644 });
            }
            ["-", at, text] => {
                deletes.insert(path(at), hash(text));
            }
            [at, text, ">", to] => {
                renames.insert(path(at), Rename { to: path(to), base: hash(text) });
            }
            [at, old, "~", new] => {
                let whole = Edit::replace(0, old.len() as u32, new);
                edits.insert(path(at), EditSet::new(&Text::new(old), vec![whole]).unwrap());
            }
            _ => panic!("no step: {step}"),
        }
    }
    TreeChange::new(edits, adds, deletes, renames).map_err(|error| error.to_string())
}

fn render(tree: &Snapshot) -> String {
    let lines = tree
        .files()
        .map(|(path, file)| format!("{path}={}", String::from_utf8_lossy(file.text().bytes())));
    lines.collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(steps: &[&str], expected: &str) {
    let before = tree(&[
        ("a", file("1")),
        ("b", file("2")),
        ("dir/c", file("3")),
        ("dir/Deep/d", file("4")),
        ("empty", Entry::Directory),
        ("link", Entry::Link { target: "a".to_owned() }),
        ("huge", Entry::Unread { size: 1 << 40, reason: UnreadReason::TooLarge }),
    ]);
    let found = change(steps).and_then(|change| {
        let after = before.apply(&change).map_err(|error| error.to_string())?;
        let inverse = change.invert(&before).unwrap();
        assert_eq!(after.apply(&inverse).unwrap(), before);
        let nothing = change.compose(&before, &inverse).unwrap();
        assert_eq!(nothing, TreeChange::default());
        Ok(after)
    });
    assert_eq!(found.map_or_else(|error| error, |after| render(&after)), expected);
}

#[test]
fn files_are_edited_added_deleted_and_renamed() {
    check(&[], "a=1 b=2 dir/Deep/d=4 dir/c=3");
    check(
        &["a 1 ~ x", "+ n/e/w 5", "- dir/c 3", "b 2 > dir/b"],
        "a=x dir/Deep/d=4 dir/b=2 n/e/w=5",
    );
    check(&["a 1 ~ x", "a 1 > z/z"], "b=2 dir/Deep/d=4 dir/c=3 z/z=x");
}

#[test]
fn a_path_that_goes_away_may_be_taken_again() {
    check(&["a 1 > b", "b 2 > a"], "a=2 b=1 dir/Deep/d=4 dir/c=3");
    check(&["a 1 > n", "+ a 5"], "a=5 b=2 dir/Deep/d=4 dir/c=3 n=1");
    check(&["- a 1", "+ a/x 5"], "a/x=5 b=2 dir/Deep/d=4 dir/c=3");
    check(&["a 1 > A"], "A=1 b=2 dir/Deep/d=4 dir/c=3");
}

/// AE-9, CS-35, CS-39, CS-41, CS-42.
#[test]
fn what_does_not_fit_the_tree_is_refused() {
    check(&["x 1 ~ 2"], "x does not exist");
    check(&["- x 1"], "x does not exist");
    check(&["- dir 1"], "dir is not a regular file that was read");
    check(&["- empty 1"], "empty is not a regular file that was read");
    check(&["link 1 ~ 2"], "link is not a regular file that was read");
    check(&["huge 1 > x"], "huge is not a regular file that was read");
    let stale =
        format!("a changed: the change was made for {}, the file is {}", hash("2"), hash("1"));
    check(&["a 2 ~ 3"], &stale);
    check(&["- a 2"], &stale);
    check(&["a 2 > n"], &stale);
    check(&["+ a 2"], "a already exists");
    check(&["+ dir 2"], "dir already exists");
    check(&["+ empty 2"], "empty already exists");
    check(&["+ link 2"], "link already exists");
    check(&["a 1 > b"], "b already exists");
    check(&["+ a/x 2"], "a/x cannot be created, because a is not a directory");
    check(&["+ link/x 2"], "link/x cannot be created, because link is not a directory");
}

/// CS-35.
#[test]
fn paths_that_differ_only_in_case_collide() {
    check(&["+ B 2"], "B differs from b only in case");
    check(&["+ DIR/x 2"], "DIR/x differs from dir only in case");
    check(&["+ dir/deep/x 2"], "dir/deep/x differs from dir/Deep only in case");
    check(&["+ n/x 2", "+ N/y 2"], "N/y differs from n only in case");
    check(&["a 1 > LINK"], "LINK differs from link only in case");
}

#[test]
fn parts_that_exclude_each_other_make_no_change() {
    check(
        &["- a 1", "a 1 ~ 2"],
        "a is deleted, so it cannot be edited or renamed in the same change",
    );
    check(
        &["- a 1", "a 1 > n"],
        "a is deleted, so it cannot be edited or renamed in the same change",
    );
    check(&["a 1 > n", "b 2 > n"], "n is the target of two operations of the same change");
    check(&["a 1 > n", "+ n 2"], "n is the target of two operations of the same change");
    check(&["a 1 ~ 2", "+ a 2"], "a is the target of two operations of the same change");
    check(&["a 1 ~ 2", "b 2 > a"], "a is the target of two operations of the same change");
    check(&["+ n 1", "+ n/x 2"], "n becomes a file, so n/x cannot lie beneath it");
    check(&["a 1 > a"], "a is renamed to itself");
    check(
        &["a 2 ~ 3", "a 1 > n"],
        "the edits and the rename of a were made for different contents",
    );
}

#[test]
fn nothing_lies_beneath_a_file() {
    let entries = [("a", file("1")), ("a-b", file("2")), ("a/c", file("3"))];
    let entries = entries.into_iter().map(|(it, entry)| (path(it), entry)).collect();
    let error = Snapshot::new(entries).unwrap_err();
    assert_eq!(error.to_string(), "a is not a directory, but a/c lies beneath it");
}

#[test]
fn the_hash_follows_files_modes_and_links_and_nothing_else() {
    let base = tree(&[("a", file("1")), ("l", Entry::Link { target: "a".to_owned() })]);
    let same = tree(&[
        ("a", file("1")),
        ("d", Entry::Directory),
        ("l", Entry::Link { target: "a".to_owned() }),
        ("s", Entry::Unread { size: 0, reason: UnreadReason::Listed }),
    ]);
    assert_eq!(base.hash(), same.hash());
    assert_eq!(
        base.hash().to_string(),
        "blake3:a5d328b557e9b9db84909a8f890f6cc8ec066ca05f4a2d5a1a3b7bfbacd6ac6b"
    );
    let executable = Entry::File(File::new(Text::new("1"), 0o755));
    let others = [
        tree(&[("a", file("2")), ("l", Entry::Link { target: "a".to_owned() })]),
        tree(&[("a", file("1")), ("l", Entry::Link { target: "b".to_owned() })]),
        tree(&[("b", file("1")), ("l", Entry::Link { target: "a".to_owned() })]),
        tree(&[("a", executable), ("l", Entry::Link { target: "a".to_owned() })]),
        tree(&[("a", file("1"))]),
    ];
    assert!(others.iter().all(|other| other.hash() != base.hash()));
}

/// Names that collide, nest and differ only in case, so that random trees meet every refusal.
fn any_path() -> impl Strategy<Value = RelPath> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "A", "c-d", "ü"]), 1..4)
        .prop_map(|segments| path(&segments.join("/")))
}

fn any_file() -> impl Strategy<Value = File> {
    let text =
        prop::collection::vec(prop::sample::select(vec!["x", "é", "\u{1F600}", "\n", "yy"]), 0..6)
            .prop_map(|parts| Text::new(parts.concat()));
    let mode = prop::sample::select(vec![0o644, 0o755]);
    (text, mode).prop_map(|(text, mode)| File::new(text, mode))
}

/// A random tree; of two entries that exclude each other the later one is left out.
fn any_tree() -> impl Strategy<Value = Snapshot> {
    prop::collection::vec((any_path(), any_file()), 0..12).prop_map(|files| {
        let mut tree = Snapshot::default();
        for (path, file) in files {
            let adds = BTreeMap::from([(path, NewFile { text: file.text(), mode: file.mode })]);
            let add =
                TreeChange::new(BTreeMap::new(), adds, BTreeMap::new(), BTreeMap::new()).unwrap();
            tree = tree.apply(&add).unwrap_or(tree);
        }
        tree
    })
}

fn rebuilt(change: &TreeChange) -> TreeChange {
    let parts = change.clone();
    TreeChange::new(
        parts.edits().clone(),
        parts.adds().clone(),
        parts.deletes().clone(),
        parts.renames().clone(),
    )
    .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::with_cases(512) })]

    #[test]
    fn a_diff_leads_from_one_tree_to_the_other_and_back(before in any_tree(), after in any_tree()) {
        let change = diff(&before, &after);
        prop_assert_eq!(&rebuilt(&change), &change);
        match before.apply(&change) {
            Ok(found) => {
                prop_assert_eq!(&found, &after);
                let inverse = change.invert(&before).unwrap();
                prop_assert_eq!(&rebuilt(&inverse), &inverse);
                prop_assert_eq!(&after.apply(&inverse).unwrap(), &before);
            }
            // A file that becomes a directory under another spelling is still a collision.
            Err(error) => prop_assert!(matches!(error, ApplyError::CaseCollision { .. }), "{}", error),
        }
    }

    #[test]
    fn a_diff_of_equal_trees_is_empty(tree in any_tree()) {
        prop_assert!(diff(&tree, &tree).is_empty());
    }

    #[test]
    fn two_changes_compose_to_one(a in any_tree(), b in any_tree(), c in any_tree()) {
        let (first, second) = (diff(&a, &b), diff(&b, &c));
        prop_assume!(a.apply(&first).is_ok() && b.apply(&second).is_ok());
        let both = first.compose(&a, &second).unwrap();
        prop_assert_eq!(&rebuilt(&both), &both);
        prop_assert_eq!(&a.apply(&both).unwrap(), &c);
    }

    #[test]
    fn a_path_that_parses_reads_the_same(text in "[ab./\\\\:\0-]{0,8}") {
        if let Ok(path) = RelPath::parse(&text) {
            prop_assert_eq!(path.as_str(), &text);
            prop_assert!(!path.segments().any(|it| matches!(it, "" | "." | "..")));
        }
    }
}
