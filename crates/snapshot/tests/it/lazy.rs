//! Files that are read when somebody asks: the same answers as with all of them in hand, and nothing read too early.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use edit::Text;
use proptest::prelude::*;
use snapshot::{Contents, Entry, File, RelPath, Snapshot, diff};

use super::{any_tree, path};

/// A disk that counts.
#[derive(Default)]
struct Disk {
    files: Mutex<BTreeMap<RelPath, (Vec<u8>, u32)>>,
    n_looks: AtomicUsize,
    n_reads: AtomicUsize,
    moved: Mutex<BTreeSet<RelPath>>,
}

impl Disk {
    fn holding(tree: &Snapshot) -> Arc<Disk> {
        let disk = Disk::default();
        tree.files().for_each(|(path, file)| disk.put(path, file.text().bytes(), file.mode));
        Arc::new(disk)
    }

    fn put(&self, path: &RelPath, bytes: &[u8], mode: u32) {
        self.files.lock().unwrap().insert(path.clone(), (bytes.to_vec(), mode));
    }

    fn remove(&self, path: &RelPath) {
        self.files.lock().unwrap().remove(path);
    }

    /// How often it was looked at, and how often read.
    fn n(&self) -> (usize, usize) {
        (self.n_looks.load(Ordering::SeqCst), self.n_reads.load(Ordering::SeqCst))
    }

    fn moved(&self) -> Vec<String> {
        self.moved.lock().unwrap().iter().map(ToString::to_string).collect()
    }
}

impl Contents for Disk {
    fn entry(self: Arc<Self>, path: &RelPath) -> Option<Entry> {
        self.n_looks.fetch_add(1, Ordering::SeqCst);
        let found = self.files.lock().unwrap().get(path).map(|it| it.1);
        if found.is_none() {
            self.moved.lock().unwrap().insert(path.clone());
        }
        let source = Arc::clone(&self);
        found.map(|mode| Entry::File(File::lazy(source, path.clone(), mode, None)))
    }

    fn read(&self, path: &RelPath) -> Option<Text> {
        self.n_reads.fetch_add(1, Ordering::SeqCst);
        let found = self.files.lock().unwrap().get(path).map(|it| Text::new(it.0.clone()));
        if found.is_none() {
            self.moved.lock().unwrap().insert(path.clone());
        }
        found
    }

    fn differs(&self, path: &RelPath) {
        self.moved.lock().unwrap().insert(path.clone());
    }
}

/// The same tree, with every other file listed and the rest in hand.
fn listed(tree: &Snapshot, parity: usize) -> (Snapshot, Arc<Disk>) {
    let disk = Disk::holding(tree);
    let (mut listed, mut known) = (Vec::new(), BTreeMap::new());
    for (n, (path, entry)) in tree.iter().enumerate() {
        match n % 2 == parity || parity == 2 {
            true => listed.push(path.clone()),
            false => drop(known.insert(path.clone(), entry.clone())),
        }
    }
    let source = Arc::<Disk>::clone(&disk);
    (Snapshot::listed(known, listed, source).unwrap(), disk)
}

fn one(text: &str) -> (Snapshot, Arc<Disk>, RelPath) {
    let at = path("a");
    let tree = Snapshot::new([(at.clone(), super::file(text))].into()).unwrap();
    let (tree, disk) = listed(&tree, 2);
    (tree, disk, at)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(2), ..ProptestConfig::with_cases(256) })]

    /// Every question about one tree.
    #[test]
    fn a_listed_tree_answers_as_one_in_hand(eager in any_tree(), other in any_tree(), parity in 0usize..3) {
        let fresh = || listed(&eager, parity).0;
        let asked: Vec<RelPath> = eager.iter().chain(other.iter()).map(|it| it.0.clone()).collect();
        for path in &asked {
            prop_assert!(fresh().get(path) == eager.get(path));
            prop_assert!(fresh().file(path) == eager.file(path));
            prop_assert_eq!(fresh().has(path), eager.has(path));
            prop_assert_eq!(fresh().is_directory(path), eager.is_directory(path));
            prop_assert_eq!(fresh().blocking_ancestor(path), eager.blocking_ancestor(path));
            prop_assert!(fresh().case_collision(path) == eager.case_collision(path));
            for folder in path.ancestors() {
                prop_assert!(fresh().paths_in(&folder).eq(eager.paths_in(&folder)));
            }
        }
        prop_assert!(fresh().iter().eq(eager.iter()));
        prop_assert!(fresh().files().eq(eager.files()));
        prop_assert!(fresh().paths().eq(eager.paths()));
        prop_assert_eq!(fresh().len(), eager.len());
        prop_assert_eq!(fresh().hash(), eager.hash());
        prop_assert_eq!(fresh().to_entries(), eager.to_entries());
        prop_assert_eq!(&fresh(), &eager);
        prop_assert_eq!(fresh() == other, eager == other);
        let paths: BTreeSet<RelPath> = asked.iter().step_by(2).cloned().collect();
        prop_assert_eq!(fresh().part(&paths), eager.part(&paths));
        prop_assert_eq!(fresh().only(|it| paths.contains(it)), eager.clone().only(|it| paths.contains(it)));
        prop_assert_eq!(fresh().without(&paths), eager.clone().without(&paths));
        prop_assert_eq!(fresh().joined(&other), eager.clone().joined(&other));
        prop_assert_eq!(fresh().with(other.to_entries()), eager.clone().with(other.to_entries()));
    }

    /// Every way from one tree to another.
    #[test]
    fn changes_of_listed_trees_are_those_of_trees_in_hand(before in any_tree(), after in any_tree(), parity in 0usize..3) {
        let change = diff(&before, &after);
        let (lazy_before, lazy_after) = (listed(&before, parity).0, listed(&after, parity).0);
        prop_assert_eq!(&diff(&lazy_before, &lazy_after), &change);
        prop_assert_eq!(&diff(&lazy_before, &after), &change);
        prop_assert_eq!(&diff(&before, &lazy_after), &change);
        let (lazy_before, _) = listed(&before, parity);
        prop_assert_eq!(lazy_before.apply(&change), before.apply(&change));
        let (lazy_before, _) = listed(&before, parity);
        prop_assert_eq!(change.invert(&lazy_before), change.invert(&before));
        if let Ok(middle) = before.apply(&change) {
            let back = diff(&middle, &before);
            let (lazy_before, _) = listed(&before, parity);
            prop_assert_eq!(change.compose(&lazy_before, &back), change.compose(&before, &back));
        }
    }

    /// What changed is what is different, as far as anybody looked at the tree before.
    #[test]
    fn what_nobody_looked_at_has_not_changed(before in any_tree(), after in any_tree()) {
        let (lazy_before, disk) = listed(&before, 2);
        let (lazy_after, after_disk) = listed(&after, 2);
        let is_there = |it: &RelPath| before.has(it) != after.has(it);
        let all: BTreeSet<RelPath> = before.paths().chain(after.paths()).cloned().collect();
        let expected: BTreeSet<RelPath> = all.into_iter().filter(is_there).collect();
        prop_assert_eq!(lazy_after.changed_since(&lazy_before), expected);
        prop_assert_eq!((disk.n(), after_disk.n()), ((0, 0), (0, 0)));
        prop_assert!(lazy_before.files().all(|(path, file)| Some(file.hash()) == before.file(path).map(File::hash)));
        prop_assert_eq!(lazy_after.changed_since(&lazy_before), after.changed_since(&before));
    }
}

#[test]
fn nothing_is_looked_at_that_nobody_asks_for() {
    let entries = ["a", "b/c", "b/d"].map(|it| (path(it), super::file("x")));
    let (tree, disk) = listed(&Snapshot::new(entries.into()).unwrap(), 2);
    let copy = tree.clone();
    assert_eq!(tree, copy);
    assert!(tree.changed_since(&copy).is_empty() && diff(&tree, &copy).is_empty());
    assert_eq!(tree.paths().count() + tree.len(), 6);
    assert!(tree.has(&path("a")) && tree.is_directory(&path("b")));
    assert_eq!(tree.iter_at(|it| it.as_str() == "z").count(), 0);
    assert_eq!(format!("{tree:?}"), r#"{"a": listed, "b/c": listed, "b/d": listed}"#);
    let rest = tree.clone().without([&path("a")]).only(|it| it.as_str() != "b/d");
    assert_eq!(rest.paths().count(), 1);
    assert_eq!(tree.changed_since(&rest), [path("a"), path("b/d")].into());
    assert_eq!(disk.n(), (0, 0));
    let file = tree.file(&path("a")).unwrap();
    assert_eq!((file.mode, disk.n()), (0o644, (1, 0)));
    assert_eq!(format!("{file:?}"), "File { hash: None, mode: 0o644 }");
    assert_eq!(copy.file(&path("a")), Some(file), "a copy knows what the first one knows");
    assert_eq!(disk.n(), (1, 0));
    // An edit of one file reads no other.
    let next = tree.apply(&super::change(&["a x ~ y"]).unwrap()).unwrap();
    assert_eq!(disk.n().0, 1);
    assert_eq!(next.changed_since(&tree), [path("a")].into());
    assert_eq!(diff(&tree, &next), super::change(&["a x ~ y"]).unwrap());
    assert_eq!(disk.n().0, 1);
}

#[test]
fn bytes_are_dropped_when_nobody_holds_them() {
    let (tree, disk, at) = one("some text");
    let file = tree.file(&at).unwrap();
    let held = file.text();
    let weak = held.downgrade();
    assert_eq!((file.text(), file.clone().text()), (held.clone(), held.clone()));
    assert_eq!(disk.n().1, 1);
    drop(held);
    assert!(weak.upgrade().is_none());
    assert_eq!(file.hash(), super::hash("some text"));
    assert_eq!(disk.n().1, 1, "the hash stays");
    assert_eq!(file.text().bytes(), b"some text");
    assert_eq!(disk.n().1, 2);
    assert_eq!(disk.moved(), [""; 0]);
}

/// The first hash binds: whoever comes later gets one stand-in, and the source knows.
#[test]
fn a_file_that_reads_differently_later_is_noticed() {
    let (tree, disk, at) = one("first");
    let file = tree.file(&at).unwrap();
    assert_eq!(file.hash(), super::hash("first"));
    disk.put(&at, b"second", 0o644);
    assert_eq!(disk.moved(), [""; 0]);
    assert_eq!(file.text().bytes(), b"second");
    assert_eq!(disk.moved(), ["a"]);
    disk.put(&at, b"third", 0o644);
    assert_eq!(file.text().bytes(), b"second", "nobody gets yet another text");
    assert_eq!(file.hash(), super::hash("first"));
    assert!(tree.apply(&super::change(&["a first ~ x"]).unwrap()).is_err());

    let known =
        File::lazy(Arc::<Disk>::clone(&disk), at.clone(), 0o644, Some(super::hash("first")));
    disk.moved.lock().unwrap().clear();
    assert_eq!((known.hash(), disk.moved()), (super::hash("first"), vec![]));
    assert_eq!(known.text().bytes(), b"third");
    assert_eq!(disk.moved(), ["a"], "a hash that was known before binds as well");
}

#[test]
fn a_file_that_goes_away_is_noticed() {
    let (tree, disk, at) = one("text");
    let file = tree.file(&at).unwrap().clone();
    disk.remove(&at);
    assert!(file.text().is_empty());
    disk.put(&at, b"back", 0o644);
    assert!(file.text().is_empty());
    assert_eq!(file.hash(), super::hash(""));
    assert_eq!(disk.moved(), ["a"]);

    let (tree, disk, at) = one("text");
    disk.remove(&at);
    assert_eq!(tree.get(&at), None);
    disk.put(&at, b"back", 0o644);
    assert_eq!((tree.get(&at), tree.iter().count()), (None, 0), "it is asked about once");
    assert_eq!(disk.moved(), ["a"]);
}
