//! Which files a look reads, and what becomes of one when they change meanwhile.

#![expect(clippy::disallowed_methods, reason = "tests make and read files")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use protocol::v1;
use tempfile::TempDir;
use workspace::{Options, Workspace};

use crate::commands::check_command::check;
use crate::commands::fix::fix;
use crate::failure::Failure;
use crate::reply::CheckReply;
use crate::session::{Session, SessionAccess};

const FILES: [(&str, &str); 7] = [
    ("a.yaml", "# yaml-language-server: $schema=s.json\nport: \"80\"\n"),
    ("b.yaml", "# yaml-language-server: $schema=s.json\nport: 80\n"),
    ("other.yaml", "x: 1\n"),
    ("s.json", r#"{"properties": {"port": {"type": "integer"}}}"#),
    ("main.clank", "fn main() -> Int {\n  1\n}\n"),
    ("big.txt", "nobody's business"),
    ("deep/er/c.rs", "fn main() {}"),
];

fn tree() -> TempDir {
    let temp = TempDir::new().unwrap();
    for (name, text) in FILES {
        let file = temp.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    temp
}

/// A session on a tree where something happens before every operation, by its number among those of its name.
fn session(
    root: &Path,
    access: SessionAccess,
    mut hook: impl FnMut(usize, &'static str) + Send + 'static,
) -> Session {
    let level = match access {
        SessionAccess::Write => workspace::OpenMode::ReadWrite,
        SessionAccess::Build | SessionAccess::Look => workspace::OpenMode::ReadOnly,
    };
    let workspace = Workspace::open(root, None, Options::new(level)).unwrap();
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    let act = Mutex::new(move |name: &'static str| {
        let n = counts.entry(name).or_default();
        *n += 1;
        hook(*n, name);
    });
    let workspace = workspace.with_hook(move |_, name| (act.lock().unwrap())(name));
    Session::over(workspace, access).unwrap()
}

fn look(root: &Path, paths: &[&str]) -> (Result<CheckReply, Failure>, [usize; 2]) {
    let counted = Arc::new(Mutex::new([0, 0]));
    let counts = Arc::clone(&counted);
    let session = session(root, SessionAccess::Build, move |_, name| {
        let mut counts = counts.lock().unwrap();
        counts[0] += usize::from(name == "stat");
        counts[1] += usize::from(name == "read");
    });
    *counted.lock().unwrap() = [0, 0];
    let paths = paths.iter().map(|it| (*it).to_owned()).collect();
    let look = v1::LookRequest { paths, ..v1::LookRequest::default() };
    let reply = check(&session, &v1::Check { look, ..v1::Check::default() }, &mut |_| {});
    let counts = *counted.lock().unwrap();
    (reply, counts)
}

/// Five documents and programs are read once each; the rest is names.
#[test]
fn a_look_reads_what_is_of_interest_once() {
    let temp = tree();
    let (reply, [_, n_reads]) = look(temp.path(), &[]);
    assert_eq!(reply.unwrap().report.diagnostics.len(), 1);
    assert_eq!(n_reads, 5);
}

/// A file and its schema, a file alone, all programs.
#[test]
fn a_look_at_one_file_reads_what_it_refers_to() {
    let temp = tree();
    for n in 0..300 {
        fs::write(temp.path().join(format!("many{n}.yaml")), "x: 1\n").unwrap();
    }
    for (path, expected) in [("a.yaml", 2), ("other.yaml", 1), ("main.clank", 1)] {
        let (reply, [n_stats, n_reads]) = look(temp.path(), &[path]);
        assert_eq!(reply.unwrap().report.diagnostics.len(), usize::from(path == "a.yaml"));
        let n_of_setup = 1; // `regreen.toml` is looked for, and the lock of schemas.
        let is_few = path == "main.clank" || n_stats < 14;
        assert!(n_reads <= expected + n_of_setup && is_few, "{path}: {n_stats}, {n_reads}");
    }
}

/// Before every single step of a look a file may change: what is reported is one of the two trees, never a mixture.
#[test]
fn a_look_at_a_tree_that_changes_once_is_one_of_two() {
    let said = |reply: &CheckReply| -> Vec<String> {
        let found = reply.report.diagnostics.iter();
        found.map(|it| format!("{} {:?} {}", it.file, it.location, it.message)).collect()
    };
    type Fate = (&'static str, fn(&Path));
    let fates: [Fate; 4] = [
        ("rewritten", |root| fs::write(root.join("a.yaml"), "\n\nport: nothing\n").unwrap()),
        ("gone", |root| fs::remove_file(root.join("a.yaml")).unwrap()),
        ("schema", |root| fs::write(root.join("s.json"), "{}").unwrap()),
        ("folder", |root| {
            fs::remove_file(root.join("a.yaml")).unwrap();
            fs::create_dir(root.join("a.yaml")).unwrap();
        }),
    ];
    for (fate, befall) in fates {
        let (before, after) = (tree(), tree());
        befall(after.path());
        let expected = [&before, &after].map(|it| said(&look(it.path(), &[]).0.unwrap()));
        assert_ne!(expected[0], expected[1]);
        let mut seen = BTreeSet::new();
        for moment in 1..60 {
            let temp = tree();
            let root = temp.path().to_owned();
            let mut n = 0;
            let session = session(temp.path(), SessionAccess::Build, move |_, _| {
                n += 1;
                if n == moment {
                    befall(&root);
                }
            });
            let reply = check(&session, &v1::Check::default(), &mut |_| {}).unwrap();
            let found = said(&reply);
            assert!(expected.contains(&found), "{fate} at {moment}: {found:?}");
            seen.insert(found);
        }
        assert_eq!(seen.len(), 2, "{fate}");
    }
}

/// One file goes away in the first try, another one in the second: then it is enough.
#[test]
fn a_tree_that_keeps_changing_is_a_failure_that_names_the_file() {
    for writes in [false, true] {
        let temp = tree();
        let root = temp.path().to_owned();
        let session = session(temp.path(), SessionAccess::Write, move |n, name| match (name, n) {
            ("read", 1) => fs::remove_file(root.join("a.yaml")).unwrap(),
            // Five files are read in the first try, the one that is not there included.
            ("read", 6) => fs::remove_file(root.join("b.yaml")).unwrap(),
            _ => {}
        });
        let look = v1::LookRequest { jobs: Some(1), ..v1::LookRequest::default() };
        let failure = match writes {
            false => {
                let request = v1::Check { look, ..v1::Check::default() };
                check(&session, &request, &mut |_| {}).unwrap_err()
            }
            true => {
                let request = v1::Fix { look, ..v1::Fix::default() };
                fix(&session, &request, &mut |_| {}, None).unwrap_err()
            }
        };
        assert_eq!(failure.to_string(), "b.yaml keeps changing on disk; nothing was changed");
        assert_eq!(failure.code(), "stale");
    }
}
