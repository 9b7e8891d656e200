//! The scan and the load: what is taken, what is left out, and that order and threads do not matter.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use snapshot::{Entry, Snapshot, UnreadReason};
use workspace::{Options, Workspace};

use crate::support::{options, path};

fn write(root: &Path, name: &str, text: &str) {
    let file = root.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn render(tree: &Snapshot) -> Vec<String> {
    let line = |(path, entry): (&snapshot::RelPath, &Entry)| match entry {
        Entry::File(file) => format!("{path}={}", String::from_utf8_lossy(file.text.bytes())),
        Entry::Link { target } => format!("{path}->{target}"),
        Entry::Directory => format!("{path}/"),
        Entry::Unread { size, reason } => format!("{path} {size} {reason:?}"),
    };
    tree.iter().map(line).collect()
}

#[test]
fn the_scan_takes_hidden_files_and_obeys_ignore_files_inside_the_root_only() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().join("outer/root");
    write(temp.path(), "outer/.gitignore", "kept");
    write(temp.path(), "outer/.ignore", "kept");
    for name in
        ["kept", ".github/ci.yml", "deep/er/file", "deep/ignored", "top-ignored", "by-ignore/x"]
    {
        write(&root, name, "x");
    }
    write(&root, ".gitignore", "top-ignored\n");
    write(&root, ".ignore", "by-ignore/\n");
    write(&root, "deep/.gitignore", "ignored\n");
    for name in [
        ".git/config",
        ".git/info/exclude",
        ".regreen/lock",
        "sub/.git",
        "sub/file",
        ".regreen-t_000003-00000000000000ab-7",
    ] {
        write(&root, name, "kept");
    }
    symlink("/etc", root.join("out")).unwrap();
    symlink("kept", root.join("in")).unwrap();
    let scan = |jobs| Workspace::open(&root, None, options()).unwrap().scan(jobs).unwrap();
    let scanned = scan(1);
    let expected = [
        ".github/ci.yml=x",
        ".gitignore=top-ignored\n",
        ".ignore=by-ignore/\n",
        "deep/.gitignore=ignored\n",
        "deep/er/file=x",
        "in->kept",
        "kept=x",
        "out->/etc",
        "sub/file=kept",
    ];
    assert_eq!(render(&scanned.snapshot), expected);
    assert_eq!(scanned.skipped, []);
    assert_eq!(scan(8).snapshot, scanned.snapshot);
}

#[test]
fn what_cannot_be_read_is_named() {
    let temp = tempfile::tempdir().unwrap();
    write(temp.path(), "small", "12345");
    write(temp.path(), "large", "123456");
    write(temp.path(), "back\\slash", "x");
    fs::write(temp.path().join(std::ffi::OsStr::from_bytes(b"not\xffutf8")), "x").unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, temp.path().join("pipe"), mode).unwrap();
    let options = Options { max_file_size: 5, ..options() };
    let scanned = Workspace::open(temp.path(), None, options).unwrap().scan(2).unwrap();
    assert_eq!(render(&scanned.snapshot), ["large 6 TooLarge", "pipe 0 Special", "small=12345"]);
    let skipped: Vec<_> =
        scanned.skipped.iter().map(|it| (it.path.as_str(), it.reason.as_str())).collect();
    let backslash = r#""back\\slash" has a backslash, segments are separated by `/`"#;
    assert_eq!(skipped, [("back\\slash", backslash), ("not\u{fffd}utf8", "its name is not UTF-8")]);
}

#[test]
fn a_list_has_all_paths_in_order_or_none() {
    let root = tempfile::tempdir().unwrap();
    for name in ["b.txt", "a/c.txt", "a/skipped.log"] {
        write(root.path(), name, "");
    }
    write(root.path(), ".gitignore", "*.log\n");
    let workspace =
        Workspace::open(root.path(), None, Options::new(workspace::Access::ReadOnly)).unwrap();
    let listed = |limit| workspace.list(limit).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(listed(3), [".gitignore", "a/c.txt", "b.txt"]);
    assert!(listed(2).is_empty());
}

#[test]
fn many_files_come_in_order_whatever_the_number_of_threads() {
    let temp = tempfile::tempdir().unwrap();
    for n in 0..300 {
        write(temp.path(), &format!("d{}/f{n}", n % 7), &n.to_string());
    }
    let workspace = Workspace::open(temp.path(), None, options()).unwrap();
    let one = workspace.scan(1).unwrap().snapshot;
    assert_eq!(one.len(), 300);
    for jobs in [2, 3, 16] {
        let many = workspace.scan(jobs).unwrap().snapshot;
        assert_eq!(many, one);
        assert_eq!(many.hash(), one.hash());
    }
}

#[test]
fn a_load_reads_the_files_and_the_names_beside_new_ones() {
    let temp = tempfile::tempdir().unwrap();
    for name in ["a", "README", "dir/b", "dir/Sub/c"] {
        write(temp.path(), name, "x");
    }
    symlink("dir/b", temp.path().join("link")).unwrap();
    let workspace = Workspace::open(temp.path(), None, options()).unwrap();
    let load = |paths: &[&str]| {
        workspace.load(&paths.iter().map(|it| path(it)).collect::<Vec<_>>()).unwrap()
    };
    assert_eq!(render(&load(&["a"]).snapshot), ["a=x"]);
    let new = load(&["dir/sub/new"]).snapshot;
    let listed =
        ["README 0 Listed", "a 0 Listed", "dir/", "dir/Sub/", "dir/b 0 Listed", "link 0 Listed"];
    assert_eq!(render(&new), listed);
    assert_eq!(new.case_collision(&path("dir/sub/new")), Some(&path("dir/Sub")));
    assert_eq!(new.get(&path("a")), Some(&Entry::Unread { size: 0, reason: UnreadReason::Listed }));
    let linked = load(&["link", "a"]);
    assert_eq!(render(&linked.snapshot), ["a=x", "dir/b=x", "link->dir/b"]);
    assert_eq!(linked.resolved[&path("link")], path("dir/b"));
    assert!(linked.links.contains(&path("link")) && linked.refused.is_empty());
}
