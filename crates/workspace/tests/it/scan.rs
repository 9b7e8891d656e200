//! The scan and the load: what is taken, what is left out, and that order and threads do not matter.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use snapshot::{Entry, Snapshot, UnreadReason};
use workspace::{Options, Survey, Workspace};

use crate::support::{options, path};

fn write(root: &Path, name: &str, text: &str) {
    let file = root.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn render(tree: &Snapshot) -> Vec<String> {
    let line = |(path, entry): (&snapshot::RelPath, &Entry)| match entry {
        Entry::File(file) => format!("{path}={}", String::from_utf8_lossy(file.text().bytes())),
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
        Workspace::open(root.path(), None, Options::new(workspace::OpenMode::ReadOnly)).unwrap();
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

/// Paths that are there, separated by blanks; what is passed over of them, with the reason.
const PASSED_OVER: &[(&str, &str)] = &[
    // Evidence beside or inside.
    ("package.json node_modules/p/package.json", "node_modules dependencies"),
    ("web/package.json web/node_modules/p/a.json", "web/node_modules dependencies"),
    ("Cargo.toml target/debug/a.json", "target build_output"),
    ("pom.xml target/a.json", "target build_output"),
    ("build.gradle.kts build/a.json .gradle/b.json", ".gradle cache, build build_output"),
    ("go.mod vendor/modules.txt vendor/x/a.json", "vendor dependencies"),
    ("composer.json vendor/autoload.php vendor/a.json", "vendor dependencies"),
    (".venv/pyvenv.cfg .venv/lib/a.json", ".venv virtual_environment"),
    ("any-name/pyvenv.cfg any-name/a.json", "any-name virtual_environment"),
    ("x/CACHEDIR.TAG=Signature:_8a477f597d28d172789f06886806bc55 x/a.json", "x cache"),
    ("m/__pycache__/m.cpython-313.pyc m/__pycache__/a.json", "m/__pycache__ cache"),
    ("obj/project.assets.json obj/a.json", "obj build_output"),
    // What lies in a folder that is passed over is not listed again.
    (
        "package.json node_modules/p/package.json node_modules/p/node_modules/a.json",
        "node_modules dependencies",
    ),
    // No evidence.
    ("node_modules/p/package.json", ""),
    ("sub/package.json node_modules/a.json", ""),
    ("target/a.json", ""),
    ("package.json target/a.json dist/a.json build/a.json", ""),
    ("vendor/modules.txt vendor/a.json", ""),
    ("go.mod vendor/a.json", ""),
    ("x/CACHEDIR.TAG x/a.json", ""),
    ("x/CACHEDIR.TAG=Signature:_8a477f597d28d172789f06886806bc56 x/a.json", ""),
    ("__pycache__/a.json", ""),
    ("CACHEDIR.TAG=Signature:_8a477f597d28d172789f06886806bc55 pyvenv.cfg a.json", ""),
    // Outside a repository, repositories are folders like others.
    ("sub/.git/HEAD sub/a.json", ""),
    ("sub/.git=gitdir:_../x sub/a.json", ""),
];

fn lay_out(root: &Path, paths: &str) {
    for path in paths.split(' ') {
        let (path, text) = path.split_once('=').unwrap_or((path, ""));
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace('_', " ")).unwrap();
    }
}

fn passed_over(root: &Path) -> String {
    let scanned = Workspace::open(root, None, options()).unwrap().scan(2).unwrap();
    for it in &scanned.passed_over {
        let prefix = format!("{}/", it.path);
        assert!(scanned.snapshot.iter().all(|(path, _)| !path.as_str().starts_with(&prefix)));
    }
    let list: Vec<String> =
        scanned.passed_over.iter().map(|it| format!("{} {}", it.path, it.reason)).collect();
    list.join(", ")
}

#[test]
fn folders_that_a_tool_filled_are_passed_over_where_something_says_so() {
    for (paths, expected) in PASSED_OVER {
        let temp = tempfile::tempdir().unwrap();
        lay_out(temp.path(), paths);
        assert_eq!(passed_over(temp.path()), *expected, "{paths}");
        // A link is not evidence, and what everything means stays everything.
        let workspace = Workspace::open(temp.path(), None, options()).unwrap();
        let all = workspace.scan_extent(1, workspace::Extent::Everything).unwrap();
        assert!(all.passed_over.is_empty());
        assert_eq!(all.snapshot.iter().count(), paths.split(' ').count(), "{paths}");
        let listed = workspace.list(100).len();
        assert_eq!(listed, workspace.scan(1).unwrap().snapshot.iter().count(), "{paths}");
    }
}

#[track_caller]
fn git(folder: &Path, line: &str) {
    let mut command = std::process::Command::new("git");
    command.current_dir(folder).env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", folder);
    command.args(["-c", "protocol.file.allow=always", "-c", "user.name=n", "-c", "user.email=e"]);
    let output = command.args(line.split(' ')).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

const FILLED: &str = "package.json node_modules/p/a.json node_modules/q/b.json";

/// Tracked files are sources, whatever the folder is called; what the index does not tell is not known to be untracked.
#[test]
fn folders_that_git_tracks_files_in_are_looked_at() {
    for index in ["2", "4"] {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path();
        lay_out(root, FILLED);
        git(root, "init -q");
        assert_eq!(passed_over(root), "node_modules dependencies", "before the first `add`");
        git(root, "add package.json");
        git(root, &format!("update-index --index-version {index}"));
        assert_eq!(passed_over(root), "node_modules dependencies");
        git(root, "add -N node_modules/q/b.json");
        assert_eq!(passed_over(root), "");
        git(root, "rm -q --cached node_modules/q/b.json");
        assert_eq!(passed_over(root), "node_modules dependencies");
        git(root, "update-index --split-index");
        assert_eq!(passed_over(root), "", "a split index says nothing here");
        git(root, "update-index --no-split-index");
        assert_eq!(passed_over(root), "node_modules dependencies");
        fs::write(root.join(".git/index"), "no index").unwrap();
        assert_eq!(passed_over(root), "");
        fs::remove_file(root.join(".git/index")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            root.join(".git/index"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        assert_eq!(passed_over(root), "", "a pipe does not hold us up");
    }
}

/// A root below the top, a worktree and a submodule find the index that is theirs.
#[test]
fn the_index_is_found_from_below_from_worktrees_and_from_submodules() {
    let temp = tempfile::tempdir().unwrap();
    let top = temp.path().join("top");
    lay_out(&top, "deep/package.json deep/node_modules/p/a.json");
    git(&top, "init -q");
    git(&top, "add .");
    git(&top, "commit -q -m start");
    assert_eq!(passed_over(&top.join("deep")), "");
    git(&top, "worktree add -q ../tree");
    assert_eq!(passed_over(&temp.path().join("tree/deep")), "");
    git(&temp.path().join("tree"), "rm -q --cached -r deep/node_modules");
    assert_eq!(passed_over(&temp.path().join("tree/deep")), "node_modules dependencies");
    assert_eq!(passed_over(&top.join("deep")), "", "each has its own");
    let outer = temp.path().join("outer");
    lay_out(&outer, "a.json");
    git(&outer, "init -q");
    git(&outer, "submodule --quiet add ../top sub");
    assert_eq!(passed_over(&outer), "sub nested_repository");
    assert_eq!(passed_over(&outer.join("sub")), "");
    assert_eq!(passed_over(&outer.join("sub/deep")), "");
}

/// As git does: a repository in a repository is not the outer one's.
#[test]
fn repositories_in_a_repository_are_passed_over() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    lay_out(root, "a.json own/b.json link/c.json fake/.git/config fake/d.json deep/er/e.json");
    git(&root.join("own"), "init -q");
    fs::write(root.join("link/.git"), "gitdir: /nowhere\n").unwrap();
    git(&root.join("deep/er"), "init -q");
    assert_eq!(passed_over(root), "");
    git(root, "init -q");
    assert_eq!(
        passed_over(root),
        "deep/er nested_repository, link nested_repository, own nested_repository"
    );
    let workspace = Workspace::open(root, None, options()).unwrap();
    let (reader, suspects) = (workspace.reader(), BTreeSet::new());
    let survey = Survey { jobs: 1, is_of_interest: &|_| true, suspects: &suspects, only: None };
    let named = workspace.survey_folder(&path("own"), &reader, &survey).unwrap();
    assert_eq!(render(&named.snapshot), ["own/b.json="]);
}
