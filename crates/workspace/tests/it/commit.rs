//! Commits on the real disk: what is kept, what is refused, and who waits for whom.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use edit::ContentHash;
use snapshot::{FileIndex, TreeChange};
use tempfile::TempDir;
use workspace::{CommitError, Durability, IndexUpdate, LockError, OpenMode, Options, Workspace};

use crate::support::{change, home, meta, options, path};

fn temp(files: &[(&str, &str)]) -> TempDir {
    let temp = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = temp.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    temp
}

fn open(root: &Path) -> Workspace {
    Workspace::open(root, Some(&home()), options()).unwrap()
}

fn read(root: &Path, name: &str) -> String {
    fs::read_to_string(root.join(name)).unwrap()
}

/// The names beneath the root but the store's, sorted.
fn names(root: &Path) -> Vec<String> {
    let mut open = vec![root.to_owned()];
    let mut names = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let name = entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if name.starts_with(".regreen/") || name == ".regreen" {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            }
            names.push(name);
        }
    }
    names.sort();
    names
}

/// A commit that must fail with this message and leave every name and byte.
#[track_caller]
fn refuse(temp: &TempDir, steps: &[&str], message: &str) {
    let before = names(temp.path());
    let texts = |root: &Path| -> Vec<_> {
        before.iter().map(|name| fs::read(root.join(name)).ok()).collect()
    };
    let old = texts(temp.path());
    let error = open(temp.path()).commit(&change(steps), None, &meta("apply")).unwrap_err();
    assert_eq!(error.to_string(), message);
    assert_eq!(names(temp.path()), before);
    assert_eq!(texts(temp.path()), old);
    assert_eq!(open(temp.path()).log().unwrap(), []);
}

#[test]
fn files_are_edited_added_deleted_and_renamed() {
    let temp = temp(&[("a", "1"), ("d/b", "2"), ("d/c", "3"), ("x", "4"), ("y", "5")]);
    let root = temp.path();
    let steps = [
        "a 1 ~ one",
        "- d/b 2",
        "d/c 3 > n/e/w/c",
        "d/c 3 ~ three",
        "+ n/f new",
        "x 4 > y",
        "y 5 > x",
    ];
    let id = open(root).commit(&change(&steps), None, &meta("apply")).unwrap().unwrap();
    assert_eq!(id.to_string(), "t_000001");
    assert_eq!(names(root), ["a", "d", "n", "n/e", "n/e/w", "n/e/w/c", "n/f", "x", "y"]);
    assert_eq!(
        ["a", "n/e/w/c", "n/f", "x", "y"].map(|it| read(root, it)),
        ["one", "three", "new", "5", "4"]
    );
    assert!(!root.join(".regreen").exists(), "state does not belong into the tree");
    let state = open(root).existing_state_folder().unwrap();
    let mode = |name: &str| fs::metadata(state.join(name)).unwrap().permissions().mode() & 0o7777;
    assert_eq!(["", "txn", "txn/t_000001"].map(mode), [0o700; 3]);
    assert_eq!(["marker", "txn/t_000001/journal", "txn/t_000001/undo"].map(mode), [0o600; 3]);
}

#[test]
fn mode_owner_and_extended_attributes_are_kept() {
    let temp = temp(&[("tool", "1"), ("moved", "2")]);
    for (name, mode) in [("tool", 0o750), ("moved", 0o4711)] {
        let file = temp.path().join(name);
        // A chown is only the administrator's to make; the others keep what they have.
        let _ = rustix::fs::chown(&file, None, Some(rustix::fs::Gid::from_raw(12_345)));
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let flags = rustix::fs::XattrFlags::empty();
        let _ = rustix::fs::setxattr(&file, "user.regreen", b"kept", flags);
    }
    let describe = |name: &str| {
        let file = temp.path().join(name);
        let metadata = fs::metadata(&file).unwrap();
        let mut value = vec![0; 16];
        let xattr = rustix::fs::getxattr(&file, "user.regreen", value.as_mut_slice()).ok();
        (
            metadata.mode(),
            metadata.uid(),
            metadata.gid(),
            xattr.map(|length| value[..length].to_vec()),
        )
    };
    let before = (describe("tool"), describe("moved"));
    let steps = ["tool 1 ~ one", "moved 2 > elsewhere"];
    open(temp.path()).commit(&change(&steps), None, &meta("apply")).unwrap().unwrap();
    assert_eq!((describe("tool"), describe("elsewhere")), before);
    assert_eq!(read(temp.path(), "tool"), "one");
}

#[test]
fn a_link_inside_the_root_is_edited_at_its_target_and_stays_a_link() {
    let temp = temp(&[("dir/real", "1")]);
    std::os::unix::fs::symlink("dir/real", temp.path().join("link")).unwrap();
    open(temp.path()).commit(&change(&["link 1 ~ 2"]), None, &meta("apply")).unwrap().unwrap();
    assert_eq!(read(temp.path(), "dir/real"), "2");
    assert!(temp.path().join("link").symlink_metadata().unwrap().is_symlink());
    refuse_after_log(
        &temp,
        &["- link 2"],
        "link was not changed: it is a link, name its target instead",
    );
    refuse_after_log(
        &temp,
        &["link 2 > x"],
        "link was not changed: it is a link, name its target instead",
    );
    refuse_after_log(
        &temp,
        &["link 2 ~ 3", "dir/real 2 ~ 4"],
        "dir/real and link are both dir/real",
    );
}

#[track_caller]
fn refuse_after_log(temp: &TempDir, steps: &[&str], message: &str) {
    let error = open(temp.path()).commit(&change(steps), None, &meta("apply")).unwrap_err();
    assert_eq!(error.to_string(), message);
    assert_eq!(open(temp.path()).log().unwrap().len(), 1);
}

/// AE-9.
#[test]
fn what_the_disk_does_not_have_is_refused() {
    let temp = temp(&[("a", "1"), ("dir/b", "2")]);
    let hash = |text: &str| ContentHash::of(text.as_bytes());
    let stale =
        format!("a changed: the change was made for {}, the file is {}", hash("0"), hash("1"));
    refuse(&temp, &["a 0 ~ 2", "+ n/x 1"], &stale);
    refuse(&temp, &["vanished 1 ~ 2", "+ n/x 1"], "vanished does not exist");
    refuse(&temp, &["dir 1 ~ 2"], "dir is not a regular file that was read");
    refuse(&temp, &["- dir 1"], "dir is not a regular file that was read");
    refuse(&temp, &["+ a 1"], "a already exists");
    refuse(&temp, &["+ dir 1"], "dir already exists");
    refuse(&temp, &["+ a/x 1"], "a/x was not changed: a is not a directory");
}

/// CS-35: the same tree must be usable where names are compared without case.
#[test]
fn names_that_differ_only_in_case_are_refused() {
    let temp = temp(&[("Makefile", "1"), ("src/Main", "2")]);
    refuse(&temp, &["+ makefile x"], "makefile differs from Makefile only in case");
    refuse(&temp, &["+ SRC/x x"], "SRC/x differs from src only in case");
    refuse(&temp, &["Makefile 1 > src/main"], "src/main differs from src/Main only in case");
    refuse(&temp, &["+ n/a x", "+ N/b x"], "N/b differs from n only in case");
    open(temp.path())
        .commit(&change(&["Makefile 1 > makefile"]), None, &meta("apply"))
        .unwrap()
        .unwrap();
    assert_eq!(names(temp.path()), ["makefile", "src", "src/Main"]);
}

#[test]
fn files_that_are_protected_or_shared_are_refused() {
    let temp = temp(&[("locked", "1"), ("shared", "2")]);
    fs::set_permissions(temp.path().join("locked"), fs::Permissions::from_mode(0o444)).unwrap();
    fs::hard_link(temp.path().join("shared"), temp.path().join("other")).unwrap();
    let read_only = "locked was not changed: it is read-only, make it writable first";
    for steps in [["locked 1 ~ x", "+ n 1"], ["- locked 1", "+ n 1"], ["locked 1 > x", "+ n 1"]] {
        refuse(&temp, &steps, read_only);
    }
    let shared =
        "shared was not changed: it has 2 hard links, and the others would keep the old contents";
    refuse(&temp, &["shared 2 ~ x", "+ n 1"], shared);
}

/// What a commit would refuse is known when the files are loaded, also through a link.
#[test]
fn loading_tells_which_files_cannot_be_changed() {
    let temp = temp(&[("free", "1"), ("locked", "1"), ("shared", "2")]);
    fs::set_permissions(temp.path().join("locked"), fs::Permissions::from_mode(0o444)).unwrap();
    fs::hard_link(temp.path().join("shared"), temp.path().join("other")).unwrap();
    std::os::unix::fs::symlink("locked", temp.path().join("link")).unwrap();
    let names = ["free", "link", "locked", "missing", "shared"].map(path);
    let loaded = open(temp.path()).load(&names).unwrap();
    let told: Vec<String> =
        loaded.unchangeable.iter().map(|(it, why)| format!("{it}: {why}")).collect();
    assert_eq!(
        told,
        [
            "link: it is read-only, make it writable first",
            "locked: it is read-only, make it writable first",
            "shared: it has 2 hard links, and the others would keep the old contents",
        ]
    );
    assert!(loaded.refused.is_empty());
    assert_eq!(loaded.snapshot.files().count(), 3, "they are read all the same");
}

#[test]
fn a_file_beyond_the_limit_is_refused_before_it_is_read() {
    let temp = temp(&[("big", "")]);
    fs::File::options()
        .write(true)
        .open(temp.path().join("big"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    refuse(
        &temp,
        &["big x ~ y"],
        "big was not changed: it has 1099511627776 bytes, the limit is 1048576",
    );
}

#[test]
fn a_foreign_file_with_the_name_of_a_temporary_one_is_stepped_over() {
    let names = [".regreen-t_000001-0", ".regreen-t_000001-0000000000000001-0"];
    let temp = temp(&[("a", "1"), (names[0], "mine"), (names[1], "mine")]);
    open(temp.path()).commit(&change(&["a 1 ~ 2"]), None, &meta("apply")).unwrap().unwrap();
    assert_eq!(read(temp.path(), "a"), "2");
    assert!(names.iter().all(|it| read(temp.path(), it) == "mine"));
    // A disk in memory counts its nonces up from 1, so the first choice is taken.
    let fs = std::sync::Arc::new(workspace::MemFs::new());
    fs.put(&path("a"), b"1", 0o644).unwrap();
    fs.put(&path(names[1]), b"mine", 0o644).unwrap();
    let workspace = crate::support::workspace(&fs);
    workspace.commit(&change(&["a 1 ~ 2"]), None, &meta("apply")).unwrap().unwrap();
    let tree = crate::support::tree(&fs);
    assert_eq!((tree["a"].1.as_slice(), tree[names[1]].1.as_slice()), (&b"2"[..], &b"mine"[..]));
}

#[test]
fn nothing_to_change_makes_no_transaction_and_no_store() {
    let temp = temp(&[("a", "1")]);
    let workspace = open(temp.path());
    assert_eq!(workspace.commit(&TreeChange::default(), None, &meta("apply")).unwrap(), None);
    assert_eq!(workspace.undo(None, &meta("undo")).unwrap(), None);
    assert!(workspace.log().unwrap().is_empty());
    workspace.recover().unwrap();
    assert!(!temp.path().join(".regreen").exists());
}

/// the index changes with the rename, or not at all.
#[test]
fn the_file_index_is_part_of_the_transaction() {
    let temp = temp(&[("a", "1"), ("b", "2")]);
    let workspace = open(temp.path());
    let mut loaded = workspace.load_index().unwrap();
    assert_eq!((loaded.base, loaded.index.is_empty()), (None, true));
    loaded.index.rename(&path("a"), &path("n/a")).unwrap();
    let update = IndexUpdate { base: loaded.base, index: loaded.index };
    workspace.commit(&change(&["a 1 > n/a"]), Some(&update), &meta("apply")).unwrap().unwrap();
    let loaded = workspace.load_index().unwrap();
    assert_eq!(loaded.index.path_of("path:a"), Some(path("n/a")));
    let stale = IndexUpdate { base: None, index: FileIndex::default() };
    let error = workspace.commit(&change(&["b 2 > c"]), Some(&stale), &meta("apply")).unwrap_err();
    assert!(matches!(error, CommitError::StaleIndex), "{error}");
    assert_eq!(names(temp.path()), ["b", "n", "n/a"]);
    workspace.undo(None, &meta("undo")).unwrap().unwrap();
    assert_eq!(workspace.load_index().unwrap().base, None);
    assert_eq!(names(temp.path()), ["a", "b"]);
}

#[test]
fn another_holder_of_the_lock_is_named() {
    let temp = temp(&[("a", "1")]);
    let workspace = open(temp.path());
    workspace.commit(&change(&["a 1 ~ 2"]), None, &meta("apply")).unwrap().unwrap();
    let folder = fs::File::open(temp.path()).unwrap();
    rustix::fs::flock(&folder, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let error = workspace.commit(&change(&["a 2 ~ 3"]), None, &meta("apply")).unwrap_err();
    let is_busy = |it: &CommitError| {
        matches!(it, CommitError::Recover(workspace::RecoverError::Lock(LockError::Busy { .. })))
    };
    assert!(is_busy(&error), "{error}");
    assert!(error.to_string().contains(&format!("(pid {})", std::process::id())), "{error}");
    drop(folder);
    workspace.commit(&change(&["a 2 ~ 3"]), None, &meta("apply")).unwrap().unwrap();
}

/// The lock is on the repository, not on the state: other roots in it, and other users, wait for one another.
#[test]
fn the_roots_of_one_repository_share_a_lock_and_no_state() {
    let temp = temp(&[(".git/HEAD", ""), ("one/a", "1"), ("two/a", "1")]);
    let (one, two) = (open(&temp.path().join("one")), open(&temp.path().join("two")));
    let top = fs::File::open(temp.path()).unwrap();
    rustix::fs::flock(&top, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let apply = |it: &Workspace| it.commit(&change(&["a 1 ~ 2"]), None, &meta("apply"));
    assert!(apply(&one).is_err() && apply(&two).is_err());
    drop(top);
    apply(&one).unwrap().unwrap();
    assert_eq!((one.log().unwrap().len(), two.log().unwrap().len()), (1, 0));
    apply(&two).unwrap().unwrap();
    assert_ne!(one.existing_state_folder(), two.existing_state_folder());
    assert!(one.existing_state_folder().unwrap().starts_with(temp.path().join(".git/regreen")));
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    const WRITERS: usize = 4;
    const ROUNDS: usize = 8;
    let temp = temp(&[("count", "n0")]);
    let options =
        Options { lock_wait: Duration::from_secs(60), durability: Durability::None, ..options() };
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let root = temp.path();
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let workspace = Workspace::open(root, Some(&home()), options).unwrap();
                    loop {
                        let old = read(root, "count");
                        let next = format!("n{}", old[1..].parse::<usize>().unwrap() + 1);
                        let steps = [
                            format!("count {old} ~ {next}"),
                            format!("+ w{writer}/r{round} {next}"),
                        ];
                        let change = change(&steps.each_ref().map(String::as_str));
                        match workspace.commit(&change, None, &meta("count")) {
                            Ok(_) => break,
                            Err(CommitError::Apply(snapshot::ApplyError::Stale { .. })) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                }
            });
        }
    });
    assert_eq!(read(temp.path(), "count"), format!("n{}", WRITERS * ROUNDS));
    assert_eq!(open(temp.path()).log().unwrap().len(), WRITERS * ROUNDS);
    assert_eq!(names(temp.path()).len(), 1 + WRITERS + WRITERS * ROUNDS);
}

#[test]
fn a_damaged_or_newer_journal_says_how_to_go_on() {
    let cases: [(&dyn Fn(String) -> String, &str); 4] = [
        (&|text| text.replacen("apply", "spply", 1), "the checksum of its intent is wrong"),
        (
            &|text| text.replacen("committed\"}\n", "comitted\"}\n", 1),
            "the checksum of a mark is wrong",
        ),
        (
            &|text| text.lines().rev().collect::<Vec<_>>().join("\n"),
            "it does not start with an intent",
        ),
        (&newer, "has format version 4, this regreen knows 3"),
    ];
    for (damage, message) in cases {
        let temp = temp(&[("a", "1")]);
        let workspace = open(temp.path());
        workspace.commit(&change(&["a 1 ~ 2"]), None, &meta("apply")).unwrap().unwrap();
        let state = workspace.existing_state_folder().unwrap();
        let journal = state.join("txn/t_000001/journal");
        fs::write(&journal, damage(fs::read_to_string(&journal).unwrap())).unwrap();
        let errors = [
            workspace.recover().unwrap_err().to_string(),
            workspace.commit(&change(&["a 2 ~ 3"]), None, &meta("apply")).unwrap_err().to_string(),
            workspace.log().unwrap_err().to_string(),
        ];
        for error in errors {
            assert!(error.contains(message), "{error}");
        }
        assert_eq!(read(temp.path(), "a"), "2");
        fs::rename(state.join("txn"), state.join("aside")).unwrap();
        workspace.commit(&change(&["a 2 ~ 3"]), None, &meta("apply")).unwrap().unwrap();
    }
}

/// J1, J10: only a directory with nothing in it but an intent that was cut short was never begun.
#[test]
fn a_journal_that_lost_its_intent_is_damage_unless_nothing_else_is_there() {
    let cut = |text: &str| text[..text.len() / 3].to_owned();
    let nul =
        |text: &str| "\0".repeat(text.find('\n').unwrap()) + &text[text.find('\n').unwrap()..];
    let first = |text: &str| text.lines().next().unwrap()[..90].to_owned();
    for (name, damaged) in [
        ("empty", &(|_: &str| String::new()) as &dyn Fn(&str) -> String),
        ("cut", &cut),
        ("first line cut", &first),
        ("filled with NUL", &nul),
    ] {
        let temp = temp(&[("a", "1")]);
        let workspace = open(temp.path());
        workspace.commit(&change(&["a 1 ~ 2"]), None, &meta("apply")).unwrap().unwrap();
        let directory = workspace.existing_state_folder().unwrap().join("txn/t_000001");
        let text = fs::read_to_string(directory.join("journal")).unwrap();
        fs::write(directory.join("journal"), damaged(&text)).unwrap();
        let refused = |what: &str| {
            let error = workspace.recover().unwrap_err().to_string();
            assert!(error.contains("its first record is lost, though"), "{name}, {what}: {error}");
            assert!(directory.exists(), "{name}, {what}");
        };
        refused("with its undo image");
        if name == "filled with NUL" {
            fs::remove_file(directory.join("undo")).unwrap();
            refused("with marks after it");
            continue;
        }
        fs::rename(directory.join("journal"), directory.join("mine")).unwrap();
        refused("without a journal");
        fs::rename(directory.join("mine"), directory.join("journal")).unwrap();
        fs::remove_file(directory.join("undo")).unwrap();
        assert_eq!(
            workspace.recover().unwrap(),
            workspace::Recovered::RolledBack { id: workspace::TransactionId(1), kept: Vec::new() },
            "{name}"
        );
        assert!(!directory.exists());
        assert_eq!(read(temp.path(), "a"), "2");
    }
}

fn newer(journal: String) -> String {
    let (_, json) = journal.lines().next().unwrap().split_once(' ').unwrap();
    let json = json.replacen("\"version\":2", "\"version\":4,\"more\":1", 1);
    format!("{} {json}\n", ContentHash::of(json.as_bytes()))
}

#[test]
fn a_reader_never_makes_a_store() {
    let temp = temp(&[("a", "1")]);
    let reader =
        Workspace::open(temp.path(), Some(&home()), Options::new(OpenMode::ReadOnly)).unwrap();
    assert!(matches!(
        reader.commit(&change(&["a 1 ~ 2"]), None, &meta("apply")),
        Err(CommitError::ReadOnlyAccess)
    ));
    reader.recover().unwrap();
    assert!(reader.log().unwrap().is_empty());
    assert_eq!(reader.load(&[path("a")]).unwrap().snapshot.len(), 1);
    assert!(!temp.path().join(".regreen").exists());
}
