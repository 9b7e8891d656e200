//! The user's folder for what can be found out again: never in the tree, never through links, never somebody else's.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use tempfile::TempDir;
use workspace::{Home, MAX_CACHE_BYTES, OpenMode, Options, Workspace, program_identity};

use super::support::options;

fn folders() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("root")).unwrap();
    directory
}

fn open_with(directory: &Path, cache: &Path, access: OpenMode) -> Workspace {
    let home = Home { state: None, cache: Some(cache.to_owned()) };
    let options = Options { access, ..options() };
    Workspace::open(&directory.join("root"), Some(&home), options).unwrap()
}

fn open(directory: &Path) -> Workspace {
    open_with(directory, &directory.join("cache"), OpenMode::ReadWrite)
}

#[test]
fn a_cache_is_private_and_outside_the_tree() {
    let directory = folders();
    let workspace = open(directory.path());
    assert_eq!(workspace.read_cache("x"), None);
    assert!(!directory.path().join("cache").exists());
    assert!(workspace.write_cache("x", b"1").unwrap());
    assert!(workspace.write_cache("x", b"22").unwrap());
    // Whoever may not write the tree may write the cache.
    let reader = open_with(directory.path(), &directory.path().join("cache"), OpenMode::ReadOnly);
    assert_eq!(reader.read_cache("x").as_deref(), Some(b"22".as_slice()));
    assert!(reader.write_cache("x", b"22").unwrap());
    let folder = directory.path().join("cache");
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "no temporary file is left");
    assert_eq!(fs::metadata(&files[0]).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_dir(directory.path().join("root")).unwrap().count(), 0);
}

#[test]
fn a_build_has_no_cache() {
    let directory = folders();
    let workspace = Workspace::open(&directory.path().join("root"), None, options()).unwrap();
    assert!(!workspace.write_cache("x", b"1").unwrap());
    assert_eq!(workspace.read_cache("x"), None);
}

#[test]
fn no_cache_is_read_from_the_tree() {
    let directory = folders();
    let cache = directory.path().join("root/cache");
    let workspace = open_with(directory.path(), &cache, OpenMode::ReadWrite);
    assert!(!workspace.write_cache("x", b"1").unwrap());
    assert_eq!(workspace.read_cache("x"), None);
    // Nor through a link that leads there.
    symlink(directory.path().join("root/cache"), directory.path().join("link")).unwrap();
    let workspace =
        open_with(directory.path(), &directory.path().join("link"), OpenMode::ReadWrite);
    assert!(!workspace.write_cache("x", b"1").unwrap_or(false));
}

#[test]
fn no_link_in_the_folder_is_followed() {
    let directory = folders();
    let (folder, away) = (directory.path().join("cache"), directory.path().join("away"));
    fs::write(&away, "away").unwrap();
    let workspace = open(directory.path());
    assert!(workspace.write_cache("x", b"1").unwrap());
    let file = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    fs::remove_file(&file).unwrap();
    symlink(&away, &file).unwrap();
    assert_eq!(workspace.read_cache("x"), None);
    assert!(workspace.write_cache("x", b"1").unwrap(), "the link itself is replaced");
    assert_eq!(workspace.read_cache("x").as_deref(), Some(b"1".as_slice()));
    assert_eq!(fs::read_to_string(away).unwrap(), "away");
}

#[test]
fn only_plain_names_of_caches_within_bounds_are_taken() {
    let directory = folders();
    let workspace = open(directory.path());
    for name in ["../lock", "sub/x", "/x", "a\0b"] {
        assert!(!workspace.write_cache(name, b"1").unwrap(), "{name:?}");
        assert_eq!(workspace.read_cache(name), None, "{name:?}");
    }
    assert!(workspace.write_cache("x", b"1").unwrap());
    let file = fs::read_dir(directory.path().join("cache")).unwrap().next().unwrap().unwrap();
    fs::File::create(file.path()).unwrap().set_len(MAX_CACHE_BYTES + 1).unwrap();
    assert_eq!(workspace.read_cache("x"), None);
    assert!(!workspace.write_cache("y", &vec![0; MAX_CACHE_BYTES as usize + 1]).unwrap());
}

/// What the caches of all roots take together is bounded; the oldest go.
#[test]
fn old_caches_make_room_for_new_ones() {
    let directory = folders();
    let folder = directory.path().join("cache");
    let workspace = open(directory.path());
    assert!(workspace.write_cache("x", b"1").unwrap());
    for n in 0..300 {
        let file = fs::File::create(folder.join(format!("{n:032x}.checks"))).unwrap();
        let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(n);
        file.set_modified(old).unwrap();
    }
    assert!(workspace.write_cache("x", b"2").unwrap());
    let names: Vec<_> = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(names.len(), 256);
    assert!(!names.contains(&format!("{:032x}.checks", 0).into()));
    assert!(names.contains(&format!("{:032x}.checks", 299).into()));
    assert_eq!(workspace.read_cache("x").as_deref(), Some(b"2".as_slice()));
}

#[test]
fn a_program_knows_which_one_it_is() {
    let identity = program_identity().unwrap();
    assert_eq!(Some(identity), program_identity());
    assert!(identity.size > 0 && identity.changed > 0);
}
