//! Against git itself: what it makes of an index with other objects.

use super::*;
use std::fs;
use std::path::Path;
use std::process::Command;

#[track_caller]
fn git(folder: &Path, line: &str) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", folder);
    command.env("GIT_AUTHOR_NAME", "a").env("GIT_AUTHOR_EMAIL", "a@b");
    command.env("GIT_COMMITTER_NAME", "a").env("GIT_COMMITTER_EMAIL", "a@b");
    let output = command.args(line.split(' ')).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn repository(init: &str, version: u32) -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    git(temp.path(), init);
    for path in ["a", "d/one", "d/two", "d/e/f/g"] {
        let path = temp.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "old\n").unwrap();
    }
    git(temp.path(), "add .");
    git(temp.path(), "update-index --chmod=+x d/two");
    // A commit writes the cached trees.
    git(temp.path(), "commit -q -m one");
    git(temp.path(), "update-index --untracked-cache");
    git(temp.path(), "status");
    git(temp.path(), &format!("update-index --index-version {version}"));
    temp
}

fn bytes_of(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|n| u8::from_str_radix(&hex[n..n + 2], 16).unwrap()).collect()
}

/// What comes out is an index that git takes for its own, with the other objects and nothing else changed.
#[test]
fn git_accepts_every_version_with_other_objects() {
    for init in ["init -q", "init -q --object-format=sha256"] {
        for version in [2, 4] {
            let temp = repository(init, version);
            let file = temp.path().join(".git/index");
            fs::write(temp.path().join("new"), "new\n").unwrap();
            let new = git(temp.path(), "hash-object -w new").trim().to_owned();
            fs::remove_file(temp.path().join("new")).unwrap();
            let before = git(temp.path(), "ls-files -s");
            let index = fs::read(&file).unwrap();
            assert!(
                index.windows(4).any(|it| it == b"TREE")
                    && index.windows(4).any(|it| it == b"UNTR")
            );
            let found = entries(&index, &["d/two", "nowhere"]).unwrap();
            assert_eq!(found.len(), 1);
            assert_eq!(found["d/two"].mode, 0o100_755);
            let old = found["d/two"].object.clone();
            let objects = BTreeMap::from([("d/two", bytes_of(&new))]);
            let changed = with_objects(&index, &objects).unwrap();
            assert!(changed.windows(4).any(|it| it == b"UNTR"));
            fs::write(&file, &changed).unwrap();
            let old_hex: String = old.iter().map(|it| format!("{it:02x}")).collect();
            let expected: String = before
                .lines()
                .map(|line| match line.ends_with("d/two") {
                    true => format!("{}\n", line.replace(&old_hex, &new)),
                    false => format!("{line}\n"),
                })
                .collect();
            assert_eq!(git(temp.path(), "ls-files -s"), expected, "{init}, {version}");
            assert_eq!(
                git(temp.path(), "diff --name-only"),
                "d/two\n",
                "git looks at the file again"
            );
            assert_eq!(git(temp.path(), "diff --cached --name-only"), "d/two\n");
            git(temp.path(), "fsck");
            // And back again, by the same way.
            let back =
                with_objects(&fs::read(&file).unwrap(), &BTreeMap::from([("d/two", old)])).unwrap();
            fs::write(&file, back).unwrap();
            assert_eq!(git(temp.path(), "ls-files -s"), before);
            assert_eq!(git(temp.path(), "diff --cached --name-only"), "");
        }
    }
}

#[test]
fn what_is_not_understood_is_left_alone() {
    let temp = repository("init -q", 2);
    let file = temp.path().join(".git/index");
    let index = fs::read(&file).unwrap();
    let one = BTreeMap::from([("nowhere", vec![1; 20])]);
    assert_eq!(with_objects(&index, &one), Err(UnknownIndex::Format));
    let long = BTreeMap::from([("a", vec![1; 32])]);
    assert_eq!(with_objects(&index, &long), Err(UnknownIndex::Format));
    let mut wrong = index.clone();
    wrong[20] ^= 1;
    assert_eq!(entries(&wrong, &["a"]), Err(UnknownIndex::Checksum));
    for end in 0..index.len() {
        assert!(entries(&index[..end], &["a"]).is_err(), "{end}");
    }
    git(temp.path(), "update-index --split-index");
    assert_eq!(entries(&fs::read(&file).unwrap(), &["a"]), Err(UnknownIndex::Format));
}

/// An index without a checksum, as `index.skipHash` makes it, stays one.
#[test]
fn who_does_without_checksums_gets_none() {
    let temp = repository("init -q", 2);
    let index = fs::read(temp.path().join(".git/index")).unwrap();
    let mut bare = index.clone();
    let end = bare.len() - 20;
    bare[end..].fill(0);
    let changed = with_objects(&bare, &BTreeMap::from([("a", vec![7; 20])])).unwrap();
    assert_eq!(changed[changed.len() - 20..], [0; 20]);
}
