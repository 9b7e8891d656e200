//! The change set between two trees, and what it breaks: scope, number of files, limits.

use std::collections::BTreeMap;

use edit::Text;
use measure::{
    ChangeKind, Constraints, MAX_VIOLATIONS, PathChange, ScopeEntry, changes, files_changed,
    violations,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use snapshot::{Entry, File, RelPath, Snapshot, UnreadReason};

/// A tree from pairs of a path and what stands there: `-> x` is a link, `/` a directory, `!` a pipe, `?5` a file of five
/// bytes that was not read, `+x ` before a text makes it executable; anything else is the text of a file.
pub(crate) fn tree(entries: &[(&str, &str)]) -> Snapshot {
    let entry = |text: &str| {
        if let Some(target) = text.strip_prefix("-> ") {
            Entry::Link { target: target.to_owned() }
        } else if text == "/" {
            Entry::Directory
        } else if text == "!" {
            Entry::Unread { size: 0, reason: UnreadReason::Special }
        } else if let Some(Ok(size)) = text.strip_prefix('?').map(str::parse) {
            Entry::Unread { size, reason: UnreadReason::TooLarge }
        } else {
            let (mode, text) = text.strip_prefix("+x ").map_or((0o644, text), |text| (0o755, text));
            Entry::File(File::new(Text::new(text), mode))
        }
    };
    let entries: BTreeMap<RelPath, Entry> =
        entries.iter().map(|(path, text)| (RelPath::parse(path).unwrap(), entry(text))).collect();
    Snapshot::new(entries).unwrap()
}

pub(crate) fn scope(entries: &[&str]) -> Vec<ScopeEntry> {
    entries.iter().map(|it| ScopeEntry::parse(it).unwrap()).collect()
}

fn shown(changes: &[PathChange]) -> String {
    let lines = changes.iter().map(|it| {
        let from = match &it.kind {
            ChangeKind::Rename { from } => format!(" < {from}"),
            _ => String::new(),
        };
        format!("{} {}{from}", it.kind.name(), it.path)
    });
    lines.collect::<Vec<String>>().join(", ")
}

#[track_caller]
fn check(before: &[(&str, &str)], after: &[(&str, &str)], expected: &str) {
    let (before, after) = (tree(before), tree(after));
    let found = changes(&before, &after);
    assert_eq!(shown(&found), expected);
    assert_eq!(files_changed(&found), found.len());
    assert!(found.is_sorted());
    assert!(changes(&before, &before).is_empty() && changes(&after, &after).is_empty());
}

/// DF-38: create, modify, delete, rename, mode, link, directory, special.
#[test]
fn every_kind_of_change_is_seen() {
    let old = &[("a", "1\n"), ("b", "2\n")];
    check(old, &[("a", "1\n"), ("b", "2\n"), ("c", "")], "create c");
    check(old, &[("a", "x\n"), ("b", "2\n")], "modify a");
    check(old, &[("b", "2\n")], "delete a");
    check(old, &[("a", "+x 1\n"), ("b", "2\n")], "mode a");
    check(old, &[("a", "+x x\n"), ("b", "2\n")], "modify a");
    check(old, &[("c/a", "1\n"), ("b", "2\n")], "rename c/a < a");
    check(old, &[("a", "-> b"), ("b", "2\n")], "link a");
    check(&[("a", "-> b")], &[("a", "-> c")], "link a");
    check(&[("a", "-> b")], &[("a", "text")], "link a");
    check(&[("a", "-> b")], &[], "delete a");
    check(&[], &[("a", "-> b")], "link a");
    check(&[], &[("d", "/")], "create d");
    check(&[("d", "/")], &[], "delete d");
    check(&[("d", "/")], &[("d/x", "1")], "create d/x");
    check(&[("d/x", "1")], &[("d", "/")], "delete d/x");
    check(&[("d", "/"), ("d/x", "1")], &[("d/x", "1")], "");
    check(&[], &[("d", "/"), ("d/e", "/")], "create d/e");
    check(&[("d", "file")], &[("d", "/")], "delete d, create d");
    check(&[], &[("p", "!")], "special p");
    check(&[("p", "text")], &[("p", "!")], "special p");
    check(&[("p", "!")], &[("p", "!")], "");
    check(&[("p", "?5")], &[("p", "?6")], "modify p");
    check(&[("p", "?5")], &[("p", "?5")], "");
    check(&[("p", "text")], &[("p", "?6")], "modify p");
}

/// The same trees give the same pairs: equal contents first, then the most alike, then names and paths.
#[test]
fn renames_are_paired_by_what_is_in_the_files() {
    let ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
    check(&[("a", ten)], &[("b", "1\n2\n3\n4\n5\n6\nx\ny\nz\nw\n")], "rename b < a");
    check(&[("a", ten)], &[("b", "1\n2\n3\n4\n5\nv\nx\ny\nz\nw\n")], "delete a, create b");
    check(&[("a", "")], &[("b", "")], "delete a, create b");
    check(
        &[("x/one", "same\n"), ("x/two", "same\n")],
        &[("y/two", "same\n"), ("y/zero", "same\n")],
        "rename y/two < x/two, rename y/zero < x/one",
    );
    check(
        &[("a", ten)],
        &[("near", "1\n2\n3\n4\n5\n6\n7\n8\n9\nx\n"), ("z", ten)],
        "create near, rename z < a",
    );
    check(&[("a", "+x same\n")], &[("b", "same\n")], "rename b < a");
}

#[track_caller]
fn check_scope(
    before: &[(&str, &str)],
    after: &[(&str, &str)],
    entries: &[&str],
    expected: &[&str],
) {
    let (before, after) = (tree(before), tree(after));
    let found = violations(
        &changes(&before, &after),
        &before,
        &after,
        &scope(entries),
        &Constraints::default(),
    );
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected);
}

/// X-11, DF-36: by segments, both ends of a rename, and where a link leads to.
#[test]
fn what_lies_or_leads_outside_the_scope_is_a_violation() {
    let outside = |path: &str| format!("allowed_paths: {path}: is outside the scope");
    check_scope(&[("src/a", "1")], &[("src/a", "2")], &["src/"], &[]);
    check_scope(&[("src/a", "1")], &[("src/a", "2")], &["src"], &[]);
    check_scope(&[], &[("src/a", "2")], &["src"], &[&outside("src/a")]);
    check_scope(&[("src2/a", "1")], &[("src2/a", "2")], &["src/"], &[&outside("src2/a")]);
    check_scope(&[("a", "1")], &[("a", "+x 1")], &["b"], &[&outside("a")]);
    check_scope(&[("a", "1")], &[], &["b"], &[&outside("a")]);
    check_scope(&[("a", "1")], &[("a", "2")], &[], &[&outside("a")]);
    check_scope(
        &[("lib/a", "1\n")],
        &[("src/a", "1\n")],
        &["src/"],
        &["allowed_paths: lib/a: is outside the scope, and was renamed to src/a"],
    );
    check_scope(&[], &[("src", "/")], &["src/"], &[]);
    check_scope(
        &[],
        &[("src", "!")],
        &["src"],
        &["allowed_paths: src: a pipe, a socket or a device is never allowed"],
    );
    let unread = "allowed_paths: src/a: was not read, so what changed in it cannot be judged";
    check_scope(&[], &[("src/a", "?9")], &["src/"], &[unread]);
}

/// links are resolved and must stay inside.
#[test]
fn links_may_lead_only_into_the_scope() {
    let base = &[("src/a", "1"), ("lib/b", "2"), ("src/in", "-> a"), ("src/out", "-> ../lib")];
    let with = |path: &'static str, target: &'static str| {
        let mut entries: Vec<(&str, &str)> = base.to_vec();
        entries.push((path, target));
        entries
    };
    let cases: &[(&str, &str)] = &[
        ("-> a", ""),
        ("-> ./d/../a", ""),
        ("-> nowhere", ""),
        ("-> in", ""),
        ("-> .", ""),
        ("-> /etc/passwd", "the link leads out of the workspace"),
        ("-> ../../x", "the link leads out of the workspace"),
        ("-> ..", "the link leads to the root of the workspace"),
        ("-> ../lib/b", "the link leads to lib/b, outside the scope"),
        ("-> out/b", "the link leads to lib/b, outside the scope"),
        ("-> l", "the link leads through too many links"),
        ("-> a\\b", "the link does not lead to a path of a workspace"),
        ("-> ", ""),
    ];
    for (target, expected) in cases {
        let (before, after) = (tree(base), tree(&with("src/l", target)));
        let found = violations(
            &changes(&before, &after),
            &before,
            &after,
            &scope(&["src/"]),
            &Constraints::default(),
        );
        match found.as_slice() {
            [] => assert_eq!(*expected, "", "{target}"),
            [one] => assert!(
                !expected.is_empty() && one.message.starts_with(expected),
                "{target}: {one}"
            ),
            more => panic!("{target}: {more:?}"),
        }
    }
}

/// DF-17, DF-21, X-12: every change counts one; 0 means none.
#[test]
fn more_files_than_allowed_are_a_violation() {
    let before = tree(&[("a", "1"), ("b", "2\n"), ("c", "3")]);
    let after = tree(&[("a", "x"), ("d", "2\n"), ("c", "+x 3"), ("l", "-> a")]);
    let found = changes(&before, &after);
    assert_eq!(shown(&found), "modify a, mode c, rename d < b, link l");
    let everything = scope(&["a", "b", "c", "d", "l"]);
    let with_limit = |limit| {
        let constraints = Constraints { max_files_changed: Some(limit), ..Constraints::default() };
        violations(&found, &before, &after, &everything, &constraints)
    };
    assert!(with_limit(4).is_empty());
    assert_eq!(with_limit(3)[0].to_string(), "max_files_changed: 4 files changed, the limit is 3");
    assert_eq!(with_limit(0).len(), 1);
    let nothing = changes(&before, &before);
    let constraints = Constraints { max_files_changed: Some(0), ..Constraints::default() };
    assert!(violations(&nothing, &before, &before, &[], &constraints).is_empty());
}

#[test]
fn violations_are_bounded_and_the_rest_is_counted() {
    let names: Vec<String> = (0..200).map(|n| format!("f{n:03}")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|it| (it.as_str(), "x")).collect();
    let (before, after) = (tree(&[]), tree(&files));
    let constraints = Constraints {
        max_files_changed: Some(1),
        no_new_dependencies: Some(true),
        no_refactor: Some(true),
    };
    let found = violations(&changes(&before, &after), &before, &after, &[], &constraints);
    assert_eq!(found.len(), MAX_VIOLATIONS + 2);
    assert_eq!(found[0].to_string(), "allowed_paths: f000: is outside the scope");
    assert_eq!(found[MAX_VIOLATIONS].to_string(), "allowed_paths: and 150 more");
    assert_eq!(
        found[MAX_VIOLATIONS + 1].to_string(),
        "max_files_changed: 200 files changed, the limit is 1"
    );
}

/// The same cases in every run.
pub(crate) fn config(seed: u64, cases: u32) -> ProptestConfig {
    ProptestConfig {
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        cases,
        ..ProptestConfig::default()
    }
}

fn any_tree() -> impl Strategy<Value = Snapshot> {
    let content = prop::sample::select(vec![
        "",
        "1\n",
        "1\n2\n3\n",
        "1\n2\n4\n",
        "-> a",
        "-> ../x",
        "!",
        "?3",
        "+x 1\n",
        "/",
    ]);
    let path = prop::sample::select(vec!["a", "b", "c/d", "c/e", "f/g/h", "f/i"]);
    prop::collection::btree_map(path, content, 0..6)
        .prop_map(|map| tree(&map.into_iter().collect::<Vec<_>>()))
}

proptest! {
    #![proptest_config(config(61, 512))]

    /// Nothing changed if and only if the trees hold the same; and going back changes as many paths.
    #[test]
    fn changes_are_none_exactly_between_equal_trees(before in any_tree(), after in any_tree()) {
        let there = changes(&before, &after);
        prop_assert_eq!(there.is_empty(), before == after);
        let back = changes(&after, &before);
        prop_assert_eq!(there.len(), back.len());
        prop_assert!(there.is_sorted());
        let constraints = Constraints { max_files_changed: Some(2), no_new_dependencies: Some(true), no_refactor: Some(true) };
        let found = violations(&there, &before, &after, &scope(&["c/", "a"]), &constraints);
        prop_assert!(found.is_sorted_by_key(|it| it.constraint));
    }
}
