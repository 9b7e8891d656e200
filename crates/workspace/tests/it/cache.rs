//! The folder for what can be found out again: never the first trace, never through links, never in the way.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use workspace::{Access, MAX_CACHE_BYTES, MemFs, Options, Recovered, Workspace, program_identity};

use super::support::{change, meta, options, workspace};

fn open(root: &std::path::Path, access: Access) -> Workspace {
    Workspace::open(root, Options { access, ..options() }).unwrap()
}

#[test]
fn a_cache_is_only_written_where_regreen_left_a_trace_already() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = open(directory.path(), Access::ReadWrite);
    assert!(!workspace.write_cache("x", b"1").unwrap());
    assert_eq!(workspace.read_cache("x"), None);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    fs::create_dir(directory.path().join(".regreen")).unwrap();
    let read_only = open(directory.path(), Access::ReadOnly);
    assert!(!read_only.write_cache("x", b"1").unwrap());
    assert!(!directory.path().join(".regreen/cache").exists());
    assert!(workspace.write_cache("x", b"1").unwrap());
    assert!(workspace.write_cache("x", b"22").unwrap());
    assert_eq!(read_only.read_cache("x").as_deref(), Some(b"22".as_slice()));
    let folder = directory.path().join(".regreen/cache");
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(folder.join("x")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(folder.join(".gitignore")).unwrap(), "*\n");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 2, "no temporary file is left");
}

#[test]
fn what_an_interrupted_writer_left_is_cleared_away() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join(".regreen/cache");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("x.tmp-1-0"), "half").unwrap();
    fs::write(folder.join("other"), "kept").unwrap();
    assert!(open(directory.path(), Access::ReadWrite).write_cache("x", b"1").unwrap());
    assert!(!folder.join("x.tmp-1-0").exists());
    assert!(folder.join("other").exists());
}

#[test]
fn no_link_is_followed() {
    let (directory, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (root, away) = (directory.path(), outside.path());
    fs::write(away.join("x"), "away").unwrap();
    let workspace = open(root, Access::ReadWrite);
    symlink(away, root.join(".regreen")).unwrap();
    assert!(!workspace.write_cache("x", b"1").unwrap());
    fs::remove_file(root.join(".regreen")).unwrap();
    fs::create_dir(root.join(".regreen")).unwrap();
    symlink(away, root.join(".regreen/cache")).unwrap();
    assert!(workspace.write_cache("x", b"1").is_err());
    assert_eq!(workspace.read_cache("x"), None);
    fs::remove_file(root.join(".regreen/cache")).unwrap();
    fs::create_dir(root.join(".regreen/cache")).unwrap();
    symlink(away.join("x"), root.join(".regreen/cache/x")).unwrap();
    assert_eq!(workspace.read_cache("x"), None);
    assert!(workspace.write_cache("x", b"1").unwrap(), "the link itself is replaced");
    assert_eq!(workspace.read_cache("x").as_deref(), Some(b"1".as_slice()));
    assert_eq!(fs::read_to_string(away.join("x")).unwrap(), "away");
    assert_eq!(fs::read_dir(away).unwrap().count(), 1);
}

#[test]
fn only_plain_names_of_caches_within_bounds_are_taken() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir_all(directory.path().join(".regreen/cache/sub")).unwrap();
    let workspace = open(directory.path(), Access::ReadWrite);
    for name in ["", ".", "..", "../lock", "sub/x", "/x", "a\0b"] {
        assert!(workspace.write_cache(name, b"1").is_err(), "{name:?}");
        assert_eq!(workspace.read_cache(name), None, "{name:?}");
    }
    assert_eq!(workspace.read_cache("sub"), None);
    let large = fs::File::create(directory.path().join(".regreen/cache/x")).unwrap();
    large.set_len(MAX_CACHE_BYTES + 1).unwrap();
    assert_eq!(workspace.read_cache("x"), None);
    assert!(!workspace.write_cache("y", &vec![0; MAX_CACHE_BYTES as usize + 1]).unwrap());
}

/// The journal, recovery, the log, undo and the scan do not mind the folder.
#[test]
fn transactions_go_on_beside_a_cache() {
    let fs = std::sync::Arc::new(MemFs::new());
    let workspace = workspace(&fs);
    assert!(!workspace.write_cache("x", b"1").unwrap());
    workspace.commit(&change(&["+ a.yaml one"]), None, &meta("first")).unwrap();
    assert!(workspace.write_cache("x", b"1").unwrap());
    assert_eq!(workspace.recover().unwrap(), Recovered::Clean);
    workspace.commit(&change(&["a.yaml one ~ two"]), None, &meta("second")).unwrap();
    assert_eq!(workspace.log().unwrap().len(), 2);
    assert!(workspace.undo(None, &meta("undo")).unwrap().is_some());
    assert_eq!(workspace.read_cache("x").as_deref(), Some(b"1".as_slice()));
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join(".regreen")).unwrap();
    let on_disk = open(directory.path(), Access::ReadWrite);
    assert!(on_disk.write_cache("x.yaml", b"1").unwrap());
    assert_eq!(on_disk.scan(1).unwrap().snapshot.iter().count(), 0);
}

#[test]
fn a_program_knows_which_one_it_is() {
    let identity = program_identity().unwrap();
    assert_eq!(Some(identity), program_identity());
    assert!(identity.size > 0 && identity.changed > 0);
}
