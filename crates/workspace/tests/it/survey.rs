//! Trees that are listed and read when somebody asks: as a scan reads them, and noticed when they do not hold still.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use snapshot::{Entry, RelPath, Snapshot, UnreadReason};
use workspace::{Options, Reader, Scanned, Survey, Workspace};

use crate::support::{home, options, path};

fn write(root: &Path, name: &str, text: &str) {
    let file = root.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn is_yaml(path: &RelPath) -> bool {
    path.extension() == Some("yaml")
}

fn survey(workspace: &Workspace, reader: &Arc<Reader>, suspects: &BTreeSet<RelPath>) -> Scanned {
    let survey = Survey { jobs: 2, is_of_interest: &is_yaml, suspects, only: None };
    workspace.survey(reader, &survey).unwrap()
}

fn listed(workspace: &Workspace) -> (Snapshot, Arc<Reader>) {
    let reader = workspace.reader();
    (survey(workspace, &reader, &BTreeSet::new()).snapshot, reader)
}

#[test]
fn a_survey_finds_what_a_scan_reads() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    for name in ["a.yaml", "a.txt", "deep/er/b.yaml", "deep/er/c", "ignored/x.yaml", ".hidden"] {
        write(root, name, name);
    }
    write(root, ".gitignore", "ignored\n");
    write(root, "large.yaml", &"x".repeat(200));
    write(root, "large.txt", &"x".repeat(200));
    write(root, "back\\slash", "x");
    symlink("a.yaml", root.join("link.yaml")).unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe.yaml"), mode).unwrap();
    fs::set_permissions(root.join("a.yaml"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(root.join("deep/er/b.yaml"), fs::Permissions::from_mode(0o600)).unwrap();
    let options = Options { max_file_size: 100, ..options() };
    let workspace = Workspace::open(root, None, options).unwrap();
    let scanned = workspace.scan(2).unwrap();
    let reader = workspace.reader();
    let surveyed = survey(&workspace, &reader, &BTreeSet::new());
    assert_eq!(surveyed.skipped, scanned.skipped);
    assert_eq!(surveyed.snapshot, scanned.snapshot);
    assert_eq!(surveyed.snapshot.hash(), scanned.snapshot.hash());
    assert_eq!(reader.moved(), BTreeMap::new());
    let suspects = surveyed.snapshot.paths().cloned().collect();
    assert_eq!(survey(&workspace, &reader, &suspects).snapshot, scanned.snapshot);
    // Some of it, as if the rest were not there.
    for only in [&["a.yaml", "deep"][..], &["deep/er/c"], &["ignored/x.yaml", "no/such"], &[]] {
        let only: BTreeSet<RelPath> = only.iter().map(|it| path(it)).collect();
        let is_in = |it: &RelPath| only.contains(it) || it.ancestors().any(|it| only.contains(&it));
        let suspects = BTreeSet::new();
        let some =
            Survey { jobs: 2, is_of_interest: &is_yaml, suspects: &suspects, only: Some(&only) };
        let found = workspace.survey(&reader, &some).unwrap();
        assert_eq!(found.snapshot, scanned.snapshot.clone().only(is_in), "{only:?}");
    }
}

/// Nobody needs to be told the size of a file that nobody is interested in.
#[test]
fn the_file_system_is_asked_about_files_of_interest_only() {
    let temp = tempfile::tempdir().unwrap();
    for n in 0..200 {
        write(temp.path(), &format!("d{}/f{n}.txt", n % 7), "x");
    }
    write(temp.path(), "a.yaml", "x");
    let seen: Arc<Mutex<Vec<&str>>> = Arc::default();
    let log = Arc::clone(&seen);
    let workspace = Workspace::open(temp.path(), None, options()).unwrap();
    let workspace = workspace.with_hook(move |_, name| log.lock().unwrap().push(name));
    let (tree, _) = listed(&workspace);
    assert_eq!(tree.len(), 201);
    assert_eq!(*seen.lock().unwrap(), ["stat"]);
    assert_eq!(tree.file(&path("d1/f1.txt")).unwrap().text().bytes(), b"x");
    assert_eq!(*seen.lock().unwrap(), ["stat", "stat", "read"]);
}

/// What may become of a file between any two steps.
const FATES: [&str; 8] =
    ["rewritten", "same size", "gone", "link", "folder", "pipe", "too large", "another mode"];

fn befall(file: &Path, fate: &str) {
    if fate == "another mode" {
        return fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::remove_file(file).unwrap();
    match fate {
        "rewritten" => fs::write(file, "something else").unwrap(),
        "same size" => fs::write(file, "AFTER!").unwrap(),
        "gone" => {}
        "link" => symlink("/etc/passwd", file).unwrap(),
        "folder" => fs::create_dir(file).unwrap(),
        "pipe" => {
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            rustix::fs::mkfifoat(rustix::fs::CWD, file, mode).unwrap();
        }
        "too large" => fs::write(file, "x".repeat(3000)).unwrap(),
        other => panic!("no fate: {other}"),
    }
}

/// Looks at the file three times, as different sources do.
fn look(tree: &Snapshot, at: &RelPath) -> Vec<Option<Vec<u8>>> {
    let text = || tree.file(at).map(|it| it.text().bytes().to_vec());
    let hash = tree.file(at).map(|it| it.hash());
    let looks = vec![text(), text()];
    assert_eq!(tree.file(at).map(|it| it.hash()), hash, "the hash never changes");
    looks
}

/// A file that changes before any step is seen as it was, or as it is, or is named; and the next try, which reads it
/// first, holds.
#[test]
fn a_file_that_does_not_hold_still_is_noticed_at_every_moment() {
    for name in ["a.yaml", "a.txt"] {
        for fate in FATES {
            for moment in 0..6 {
                let temp = tempfile::tempdir().unwrap();
                let (file, at) = (temp.path().join(name), path(name));
                fs::write(&file, "before").unwrap();
                let n = Arc::new(AtomicUsize::new(0));
                let (counted, victim) = (Arc::clone(&n), file.clone());
                let options = Options { max_file_size: 1000, ..options() };
                let workspace = Workspace::open(temp.path(), None, options).unwrap();
                let workspace = workspace.with_hook(move |_, _| {
                    if counted.fetch_add(1, Ordering::SeqCst) == moment {
                        befall(&victim, fate);
                    }
                });
                let case = format!("{name}, {fate} before step {moment}");
                let (tree, reader) = listed(&workspace);
                let looks = look(&tree, &at);
                if n.load(Ordering::SeqCst) <= moment {
                    befall(&file, fate);
                }
                let moved = reader.moved();
                let bytes = fs::symlink_metadata(&file).ok().filter(fs::Metadata::is_file);
                let bytes = bytes.map(|_| fs::read(&file).unwrap());
                let bytes = bytes.filter(|it| it.len() <= 1000);
                if moved.is_empty() {
                    let old = vec![Some(b"before".to_vec()); 2];
                    let new = vec![bytes.clone(); 2];
                    assert!(looks == old || looks == new, "{case}: {looks:?}");
                } else {
                    assert_eq!(moved.keys().collect::<Vec<_>>(), [&at], "{case}");
                }
                let suspects: BTreeSet<RelPath> = moved.into_keys().collect();
                let reader = workspace.reader();
                let tree = survey(&workspace, &reader, &suspects).snapshot;
                assert_eq!(look(&tree, &at), [bytes.clone(), bytes], "{case}");
                assert_eq!(reader.moved(), BTreeMap::new(), "{case}");
                let is_as_it_should = match fate {
                    "gone" | "folder" => tree.get(&at).is_none(),
                    "link" => matches!(tree.get(&at), Some(Entry::Link { .. })),
                    "pipe" => {
                        let reason = UnreadReason::Special;
                        tree.get(&at) == Some(&Entry::Unread { size: 0, reason })
                    }
                    "too large" => {
                        let reason = UnreadReason::TooLarge;
                        tree.get(&at) == Some(&Entry::Unread { size: 3000, reason })
                    }
                    "another mode" => tree.file(&at).is_some_and(|it| it.mode == 0o755),
                    _ => tree.file(&at).is_some(),
                };
                assert!(is_as_it_should, "{case}: {:?}", tree.get(&at));
            }
        }
    }
}

/// Many files, old enough to be believed, so that what is known of them is kept.
struct Many {
    temp: tempfile::TempDir,
    n_reads: Arc<AtomicUsize>,
}

impl Many {
    fn new(folder: &str) -> Many {
        let temp = tempfile::tempdir().unwrap();
        for n in 0..100 {
            write(temp.path(), &format!("{folder}{}/f{n}.yaml", n % 3), &format!("{n:03}"));
        }
        // Nothing but time makes the file system give another time to the next save.
        std::thread::sleep(Duration::from_millis(2_200));
        Many { temp, n_reads: Arc::default() }
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.temp.path().join(name)
    }

    /// What all files hold, by way of their hashes alone, and how many were read for that.
    fn hashes(&self) -> (BTreeMap<RelPath, edit::ContentHash>, usize) {
        let n_reads = Arc::clone(&self.n_reads);
        n_reads.store(0, Ordering::SeqCst);
        let workspace = Workspace::open(self.temp.path(), Some(&home()), options()).unwrap();
        let workspace = workspace.with_hook(move |_, name| {
            n_reads.fetch_add(usize::from(name == "read"), Ordering::SeqCst);
        });
        let (tree, reader) = listed(&workspace);
        let hashes = tree.files().map(|(path, file)| (path.clone(), file.hash())).collect();
        reader.keep(&workspace, &|it| tree.has(it));
        assert_eq!(reader.moved(), BTreeMap::new());
        (hashes, self.n_reads.load(Ordering::SeqCst))
    }

    #[track_caller]
    fn check(&self, n_reads: usize) {
        let (hashes, found) = self.hashes();
        for (path, hash) in hashes {
            let bytes = fs::read(self.file(path.as_str())).unwrap();
            assert_eq!(hash, edit::ContentHash::of(&bytes), "{path}");
        }
        assert_eq!(found, n_reads);
    }
}

#[test]
fn what_did_not_change_is_not_read_again() {
    let many = Many::new("d");
    many.check(100);
    many.check(0);
    // The same size, and the time of the last change put back: the file system still knows.
    let victim = many.file("d1/f1.yaml");
    let modified = victim.metadata().unwrap().modified().unwrap();
    fs::write(&victim, "XXX").unwrap();
    fs::File::options().write(true).open(&victim).unwrap().set_modified(modified).unwrap();
    many.check(1);
    // It was written just now, so that another save could look the same: it is not believed yet.
    many.check(1);
    fs::write(&victim, "YYY").unwrap();
    many.check(1);
    // Another file at the same path, made before with the same size and times.
    let other = many.file("other");
    fs::write(&other, "ZZZ").unwrap();
    fs::File::options().write(true).open(&other).unwrap().set_modified(modified).unwrap();
    fs::rename(&other, many.file("d2/f2.yaml")).unwrap();
    many.check(2);
    // From a time that is still to come.
    let later = SystemTime::now() + Duration::from_secs(3600);
    let third = many.file("d0/f3.yaml");
    fs::File::options().write(true).open(&third).unwrap().set_modified(later).unwrap();
    many.check(3);
    fs::remove_file(&third).unwrap();
    many.check(2);
    std::thread::sleep(Duration::from_millis(2_200));
    many.check(2);
    many.check(0);
}

#[test]
fn a_cache_that_somebody_else_wrote_is_not_believed() {
    let (many, elsewhere) = (Many::new("hostile"), tempfile::tempdir().unwrap());
    many.check(100);
    many.check(0);
    let folder = home().cache.unwrap();
    // Other tests have caches there too; this one's names this tree's files.
    let is_this = |it: &std::path::PathBuf| {
        it.to_string_lossy().ends_with(".files-v1")
            && fs::read(it).is_ok_and(|it| it.windows(10).any(|it| it == b"hostile1/f"))
    };
    let find = || {
        let all = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path());
        all.filter(is_this).collect::<Vec<_>>()
    };
    for damage in ["a bit", "cut", "empty", "garbage", "a link", "gone"] {
        for cache in find() {
            let mut bytes = fs::read(&cache).unwrap();
            match damage {
                "a bit" => {
                    let at = bytes.len() - 40;
                    bytes[at] ^= 1;
                    fs::write(&cache, bytes).unwrap();
                }
                "cut" => fs::write(&cache, &bytes[..bytes.len() / 2]).unwrap(),
                "empty" => fs::write(&cache, b"").unwrap(),
                "garbage" => fs::write(&cache, vec![0xA5; 5000]).unwrap(),
                "a link" => {
                    fs::rename(&cache, elsewhere.path().join("cache")).unwrap();
                    symlink(elsewhere.path().join("cache"), &cache).unwrap();
                }
                _ => fs::remove_file(&cache).unwrap(),
            }
        }
        many.check(100);
        many.check(0);
    }
}
