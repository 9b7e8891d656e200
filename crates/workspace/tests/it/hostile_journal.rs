//! A journal that somebody else wrote, with checksums that are right: whatever it says, recovery ends without a panic, and
//! nothing that belongs to git or to regreen is changed, no mode changes whom a program runs as, and every link stays
//! what it was. The fuzz target `recovery` chooses by the bytes of its input; the test chooses by seeds.

use std::sync::Arc;

use edit::ContentHash;
use snapshot::RelPath;
use workspace::{Durability, MemFs, OpenMode, Options, Recovered, Workspace};

/// Paths that a stranger would like to reach, and plain ones.
const PATHS: [&str; 22] = [
    "a",
    "d/b",
    "d/e/c",
    "new",
    "new/deep/er",
    "link",
    "link/x",
    "d/out/x",
    ".git/hooks/pre-commit",
    ".git/config",
    ".GIT/config",
    "d/.git/config",
    ".regreen/files.json",
    ".regreen/approvals/x.json",
    ".regreen",
    ".git",
    "d",
    "../out",
    "/etc/passwd",
    "a/b",
    "",
    ".regreen-t_000001-0000000000000007-0",
];

const TEXTS: [&str; 5] = ["", "old a", "old b", "old c", "#!/bin/sh\n"];

/// Chooses a number below its argument.
pub(crate) type Choose<'a> = dyn FnMut(usize) -> usize + 'a;

/// A path, mostly one that a transaction may touch.
fn pick_path(choose: &mut Choose<'_>) -> &'static str {
    match choose(5) {
        0 => pick(choose, &PATHS),
        _ => pick(choose, &PATHS[..5]),
    }
}

fn pick<'t>(choose: &mut Choose<'_>, from: &[&'t str]) -> &'t str {
    from[choose(from.len()) % from.len()]
}

fn hash(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}

fn line(json: &str) -> String {
    format!("{} {json}\n", hash(json))
}

fn beside(path: &str, name: &str) -> String {
    match path.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{name}"),
        None => name.to_owned(),
    }
}

/// The name that a temporary file should have, or sometimes another one.
fn temporary(choose: &mut Choose<'_>, path: &str, n: usize) -> String {
    match choose(12) {
        0 => pick(choose, &PATHS).to_owned(),
        1 => beside(path, ".regreen-t_000002-0000000000000007-0"),
        _ => beside(path, &format!(".regreen-t_000001-0000000000000007-{n}")),
    }
}

fn optional_hash(choose: &mut Choose<'_>) -> String {
    match choose(3) {
        0 => "null".to_owned(),
        _ => format!("\"{}\"", hash(pick(choose, &TEXTS))),
    }
}

/// A journal of the present format, with what fits together and what does not.
fn journal(choose: &mut Choose<'_>) -> (String, Vec<u8>) {
    let (mut writes, mut deletes, mut images) = (Vec::new(), Vec::new(), Vec::new());
    let (mut undo, mut n) = (Vec::new(), 0);
    let mut image = |path: &str, text: &str, choose: &mut Choose<'_>| {
        let mode = [0o644, 0o755, 0o4755, 0o2755, 0o7777, u32::MAX][choose(8).min(5)];
        let mode = if choose(3) > 0 { 0o644 } else { mode };
        let skew = if choose(12) == 0 { u64::MAX - 3 } else { 0 };
        let length = if choose(12) == 0 { 1 << 40 } else { text.len() as u64 };
        images.push(format!(
            r#"{{"path":"{path}","hash":"{}","mode":{mode},"offset":{},"length":{length}}}"#,
            hash(text),
            (undo.len() as u64).wrapping_add(skew)
        ));
        undo.extend_from_slice(text.as_bytes());
    };
    for _ in 0..choose(4) {
        let path = pick_path(choose);
        let (before, after) = (pick(choose, &TEXTS), pick(choose, &TEXTS));
        let temp = temporary(choose, path, n);
        let from = match choose(3) {
            0 => "null".to_owned(),
            1 => format!("\"{}\"", pick_path(choose)),
            _ => format!("\"{path}\""),
        };
        let old =
            if choose(4) == 0 { optional_hash(choose) } else { format!("\"{}\"", hash(before)) };
        let length = if choose(12) == 0 { u64::MAX } else { after.len() as u64 };
        writes.push(format!(
            r#"{{"path":"{path}","temp":"{temp}","from":{from},"before":{old},"after":"{}","length":{length}}}"#,
            hash(after)
        ));
        if choose(12) > 0 {
            image(path, before, choose);
        }
        n += 1;
    }
    for _ in 0..choose(4) {
        let (path, before) = (pick_path(choose), pick(choose, &TEXTS));
        let temp = temporary(choose, path, n);
        deletes.push(format!(r#"{{"path":"{path}","temp":"{temp}","before":"{}"}}"#, hash(before)));
        if choose(12) > 0 {
            image(path, before, choose);
        }
        n += 1;
    }
    let folders = |choose: &mut Choose<'_>| -> String {
        let list: Vec<String> =
            (0..choose(2)).map(|_| format!("\"{}\"", pick_path(choose))).collect();
        list.join(",")
    };
    let (new, old) = (folders(choose), folders(choose));
    let version = if choose(20) == 0 { choose(4) } else { 2 };
    let json = format!(
        r#"{{"record":"intent","version":{version},"id":"t_000001","nonce":7,"command":"x","time":null,"notes":{{}},"undoes":null,"writes":[{}],"deletes":[{}],"images":[{}],"new_directories":[{new}],"old_directories":[{old}]}}"#,
        writes.join(","),
        deletes.join(","),
        images.join(",")
    );
    let mut text = line(&json);
    for _ in 0..choose(3) {
        text += &match choose(4) {
            0 => line(r#"{"record":"done"}"#),
            1 => "garbage\n".to_owned(),
            _ => line(r#"{"record":"committed"}"#),
        };
    }
    (text, undo)
}

/// One journal against one tree, on a disk in memory. Returns whether it was acted upon.
pub(crate) fn check(choose: &mut Choose<'_>) -> bool {
    let path = |it: &str| RelPath::parse(it).expect("a constant path");
    let disk = Arc::new(MemFs::new());
    let put =
        |at: &str, text: &str| disk.put(&path(at), text.as_bytes(), 0o644).expect("it is new");
    put("a", "old a");
    put("d/b", "old b");
    put("d/e/c", "old c");
    put(".git/config", "theirs");
    put(".git/hooks/sample", "theirs");
    put(".regreen/approvals/y.json", "theirs");
    disk.put_link(&path("link"), "d").expect("it is new");
    disk.put_link(&path("d/out"), "/etc").expect("it is new");
    // Sometimes a transaction came some way already.
    for n in 0..choose(4) {
        let folder = ["", "d/", "d/e/"][choose(3) % 3];
        let text = pick(choose, &TEXTS);
        let at = format!("{folder}.regreen-t_000001-0000000000000007-{n}");
        let _ = disk.put(&path(&at), text.as_bytes(), 0o644);
    }
    let (journal, undo) = journal(choose);
    let name = if choose(3) == 0 { "aborted" } else { "journal" };
    put(&format!(".state/txn/t_000001/{name}"), &journal);
    if choose(6) > 0 {
        disk.put(&path(".state/txn/t_000001/undo"), &undo, 0o600).expect("it is new");
    }
    if choose(8) == 0 {
        disk.put_link(&path(".state/txn/t_000002"), "../../..").expect("it is new");
    }
    let before = disk.dump();
    let options = Options {
        access: OpenMode::ReadWrite,
        durability: Durability::Full,
        lock_wait: std::time::Duration::from_millis(50),
        max_file_size: 1 << 20,
    };
    let state = Arc::new(disk.beneath(&path(".state")).expect("it is there"));
    let workspace = Workspace::with_fs(disk.clone(), state, options);
    let recovered = workspace.recover();
    let _ = workspace.log();
    let _ = workspace.plan_undo(None);
    let after = disk.dump();
    let is_theirs = |path: &String| {
        path.to_ascii_lowercase().starts_with(".git")
            || path.contains('@')
            || (path.starts_with(".regreen/") && path != ".regreen/files.json")
    };
    for (path, entry) in &before {
        assert!(!is_theirs(path) || after.get(path) == Some(entry), "{path}: {recovered:?}");
    }
    for (path, (mode, _)) in &after {
        assert!(!is_theirs(path) || before.contains_key(path), "{path} is new: {recovered:?}");
        assert_eq!(mode & 0o6000, 0, "{path}: {recovered:?}");
    }
    // A journal that was refused changed nothing at all.
    if matches!(recovered, Err(workspace::RecoverError::Journal(_))) {
        let tree = |mut dump: std::collections::BTreeMap<String, (u32, Vec<u8>)>| {
            dump.retain(|path, _| !path.starts_with(".state"));
            dump
        };
        assert_eq!(tree(after), tree(before), "{recovered:?}");
    }
    matches!(recovered, Ok(Recovered::RolledBack { .. } | Recovered::Completed(_)))
}
