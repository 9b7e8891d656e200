//! Real `git apply` and `patch -p1` on the unified diffs of this crate. Needs both programs.
#![expect(clippy::disallowed_methods, reason = "tests write files and run programs")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use edit::{Edit, EditSet, FileDiff, FileMode, Text, diff, unified};
use proptest::prelude::{Strategy, any, prop};
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

type Tree = BTreeMap<String, (Vec<u8>, FileMode)>;

/// A tree before and after, and the diff between the two.
#[derive(Default)]
struct Case {
    before: Tree,
    after: Tree,
    diff: Vec<u8>,
}

impl Case {
    fn add(&mut self, path: &str, mode: FileMode, bytes: &[u8]) {
        self.after.insert(path.into(), (bytes.into(), mode));
        self.push(&FileDiff::Added { path, mode, text: &Text::new(bytes) });
    }

    fn delete(&mut self, path: &str, mode: FileMode, bytes: &[u8]) {
        self.before.insert(path.into(), (bytes.into(), mode));
        self.push(&FileDiff::Deleted { path, mode, text: &Text::new(bytes) });
    }

    fn change(
        &mut self,
        old: (&str, FileMode),
        new: (&str, FileMode),
        text: &Text,
        edits: &EditSet,
    ) {
        self.before.insert(old.0.into(), (text.bytes().into(), old.1));
        self.after.insert(new.0.into(), (edits.apply(text).unwrap().bytes().into(), new.1));
        self.push(&FileDiff::Changed { old, new, text, edits });
    }

    fn edit(&mut self, path: &str, before: &[u8], after: &[u8]) {
        let text = Text::new(before);
        let edits = diff(&text, &Text::new(after)).unwrap();
        self.change((path, FileMode::Regular), (path, FileMode::Regular), &text, &edits);
    }

    fn push(&mut self, file: &FileDiff<'_>) {
        self.diff.extend(unified(file).unwrap());
    }

    /// Both programs take the diff and make the same tree of it.
    #[track_caller]
    fn check(&self) {
        for command in [
            &["git", "apply", "--whitespace=nowarn"][..],
            &["patch", "-p1", "-s", "--no-backup-if-mismatch"],
        ] {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path().join("tree");
            fs::create_dir_all(&root).unwrap();
            write_tree(&root, &self.before);
            let diff_file = dir.path().join("diff");
            fs::write(&diff_file, &self.diff).unwrap();
            let output = Command::new(command[0])
                .args(&command[1..])
                .args((command[0] == "patch").then_some("-i"))
                .arg(&diff_file)
                .current_dir(&root)
                .env("GIT_CEILING_DIRECTORIES", dir.path())
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_CONFIG_SYSTEM", "/dev/null")
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned()
                + &String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success(),
                "{command:?}: {said}\n{}",
                String::from_utf8_lossy(&self.diff)
            );
            let found = read_tree(&root);
            for (path, expected) in &self.after {
                assert_eq!(found.get(path), Some(expected), "{command:?}: {path:?}: {said}");
            }
            assert_eq!(found.len(), self.after.len(), "{command:?}: {:?}", found.keys());
        }
    }
}

fn write_tree(root: &Path, tree: &Tree) {
    for (path, (bytes, mode)) in tree {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        let bits = if *mode == FileMode::Executable { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
    }
}

fn read_tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut pending = vec![root.to_owned()];
    while let Some(dir) = pending.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::metadata(&path).unwrap();
            if metadata.is_dir() {
                pending.push(path);
                continue;
            }
            let is_executable = metadata.permissions().mode() & 0o100 != 0;
            let mode = if is_executable { FileMode::Executable } else { FileMode::Regular };
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            tree.insert(name, (fs::read(&path).unwrap(), mode));
        }
    }
    tree
}

const REGULAR: FileMode = FileMode::Regular;
const EXECUTABLE: FileMode = FileMode::Executable;

#[test]
fn added_files_are_created() {
    let mut case = Case::default();
    case.add("empty", REGULAR, b"");
    case.add("empty-executable", EXECUTABLE, b"");
    case.add("one/line", REGULAR, b"a\n");
    case.add("one/without-newline", REGULAR, b"a");
    case.add("deep/er/script.sh", EXECUTABLE, b"#!/bin/sh\r\necho\r\n");
    case.add("blank", REGULAR, b"\n\n\n");
    case.check();
}

#[test]
fn deleted_files_are_gone() {
    let mut case = Case::default();
    case.delete("empty", REGULAR, b"");
    case.delete("one/line", REGULAR, b"a\n");
    case.delete("one/without-newline", REGULAR, b"a\nb");
    case.delete("script.sh", EXECUTABLE, b"#!/bin/sh\r\n");
    case.edit("stays", b"a\n", b"b\n");
    case.check();
}

#[test]
fn renamed_files_move_with_and_without_edits() {
    let mut case = Case::default();
    let text = Text::new("a\nb\nc\nd\ne\nf\ng\nh\n");
    let none = EditSet::new(&text, vec![]).unwrap();
    let some = EditSet::new(&text, vec![Edit::replace(4, 5, "C"), Edit::delete(14, 16)]).unwrap();
    case.change(("a/plain", REGULAR), ("b/plain", REGULAR), &text, &none);
    case.change(("a/edited", REGULAR), ("c/d/edited", REGULAR), &text, &some);
    case.change(("a/mode", REGULAR), ("a/mode.sh", EXECUTABLE), &text, &none);
    case.change(("a/all", EXECUTABLE), ("all", REGULAR), &text, &some);
    let empty = Text::new("");
    let none = EditSet::new(&empty, vec![]).unwrap();
    case.change(("a/empty", REGULAR), ("b/empty", REGULAR), &empty, &none);
    case.check();
}

/// A name that one file gives up is free for another in the same diff.
#[test]
fn renamed_files_can_swap_names_and_follow_one_another() {
    let mut case = Case::default();
    let rename = |case: &mut Case, old: &str, new: &str| {
        let text = Text::new(format!("{old}\nb\nc\n"));
        let edits = EditSet::new(&text, vec![Edit::insert(text.len() as u32, "d\n")]).unwrap();
        case.change((old, REGULAR), (new, REGULAR), &text, &edits);
    };
    rename(&mut case, "left", "right");
    rename(&mut case, "right", "left");
    rename(&mut case, "chain/1", "chain/2");
    rename(&mut case, "chain/2", "chain/3");
    case.check();
}

#[test]
fn modes_change_with_and_without_edits() {
    let mut case = Case::default();
    let text = Text::new("a\nb\n");
    let none = EditSet::new(&text, vec![]).unwrap();
    let some = EditSet::new(&text, vec![Edit::insert(2, "x\n")]).unwrap();
    case.change(("on", REGULAR), ("on", EXECUTABLE), &text, &none);
    case.change(("off", EXECUTABLE), ("off", REGULAR), &text, &none);
    case.change(("edited", REGULAR), ("edited", EXECUTABLE), &text, &some);
    case.change(("kept", EXECUTABLE), ("kept", EXECUTABLE), &text, &some);
    case.check();
}

#[test]
fn odd_paths_are_found() {
    let names = [
        "a b",
        " lead",
        "trail ",
        "tab\tbed",
        "qu\"ote",
        "back\\slash",
        "naïve/日本",
        "new\nline",
        "bell\x07",
        "del\x7f",
        "a b/c d",
        "\u{1F600} x",
        "-dash",
        "b/b b/b",
        "dev/null",
    ];
    for name in names {
        let mut case = Case::default();
        let other = format!("{name}.to");
        let text = Text::new("a\nb\n");
        let none = EditSet::new(&text, vec![]).unwrap();
        let some = EditSet::new(&text, vec![Edit::replace(0, 1, "x")]).unwrap();
        case.edit(&format!("{name}.edit"), b"a\n", b"b\n");
        case.add(&format!("{name}.add"), REGULAR, b"a\n");
        case.add(&format!("{name}.add-empty"), REGULAR, b"");
        case.delete(&format!("{name}.delete"), REGULAR, b"a\n");
        case.change((name, REGULAR), (&other, REGULAR), &text, &some);
        case.change((&format!("{name}.1"), REGULAR), (&format!("{name}.2"), REGULAR), &text, &none);
        case.change(
            (&format!("{name}.mode"), REGULAR),
            (&format!("{name}.mode"), EXECUTABLE),
            &text,
            &none,
        );
        case.check();
    }
}

#[test]
fn line_ends_and_missing_final_newlines_survive() {
    let mut case = Case::default();
    let cases: &[(&[u8], &[u8])] = &[
        (b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nc\r\n"),
        (b"a\r\nb\r\n", b"a\nb\r\n"),
        (b"a\nb", b"a\nb\n"),
        (b"a\nb\n", b"a\nb"),
        (b"a\nb", b"a\nc"),
        (b"a", b"a\nb"),
        (b"a\nb", b"a"),
        (b"", b"a\n"),
        (b"", b"a"),
        (b"a\n", b""),
        (b"a", b""),
        (b"x\na\nb\nc\nd\ne\nf\ng", b"y\na\nb\nc\nd\ne\nf\ng"),
        (b"\xEF\xBB\xBFa\n", b"\xEF\xBB\xBFb\n"),
        (
            b"--- a\n+++ b\n@@ -1 +1 @@\n",
            b"-- a\n++ b\n@@ -1 +1 @@\n\\ No newline at end of file\n",
        ),
        (b"caf\xE9\nb\n", b"caf\xE9\nc\n"),
        (b"a\rb\rc", b"a\rB\rc"),
        (b"nul\0nul\nb\n", b"nul\0nul\nc\n"),
        (b"trailing  \n\t\n", b"trailing\n\n"),
    ];
    for (idx, (before, after)) in cases.iter().enumerate() {
        case.edit(&format!("{idx}"), before, after);
    }
    case.check();
}

/// X-22, AE-27: the diff is an artifact that other tools take.
#[test]
fn generated_edits_apply() {
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let line =
        prop::sample::select(vec!["a", "b", "  c: 1", "", "}", "é", "- x", "d\r", "\u{FEFF}"]);
    let text = (prop::collection::vec(line, 0..40), any::<bool>());
    let edit = (
        any::<u32>(),
        0..12_u32,
        prop::sample::select(vec!["", "x", "\n", "y\n", "z\nz", "\r\n", "a\nb\n"]),
    );
    let strategy = (text, prop::collection::vec(edit, 1..6));
    for _ in 0..5 {
        let mut case = Case::default();
        for idx in 0..200 {
            let ((lines, is_ended), wanted) = strategy.new_tree(&mut runner).unwrap().current();
            let end = if is_ended && !lines.is_empty() { "\n" } else { "" };
            let text = Text::new(lines.join("\n") + end);
            let mut edits = Vec::new();
            for (start, len, new) in wanted {
                let start = start % (text.len() as u32 + 1);
                edits.push(Edit::replace(start, (start + len).min(text.len() as u32), new));
                if EditSet::new(&text, edits.clone()).is_err() {
                    edits.pop();
                }
            }
            let edits = EditSet::new(&text, edits).unwrap();
            let (old, new) = (format!("{idx}.old"), format!("{idx}.new"));
            let new = if idx % 5 == 0 { &new } else { &old };
            case.change((&old, REGULAR), (new, REGULAR), &text, &edits);
        }
        case.check();
    }
}
