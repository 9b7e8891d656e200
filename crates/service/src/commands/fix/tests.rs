//! A repair that adds, deletes and renames files, from the plan to the disk and back, and on the wire.

use std::collections::HashMap;
use std::sync::Arc;

use check::{Compatibility, Confidence, Grounds, Parses, RepairKind, RepairOp, Safety, Severity};
use document::{Limits, Op};
use edit::{Edit, EditSet};
use engine::Applied;
use snapshot::{FileIndex, NewFile};
use workspace::{Fs, MemFs, Options};

use super::*;
use crate::FileChangeKind;
use crate::assess::previews::PreviewBudget;
use crate::commands::fix::emit;
use crate::commands::undo;
use crate::session::SessionAccess;

fn path(path: &str) -> RelPath {
    RelPath::parse(path).unwrap()
}

/// A tree on a disk in memory, whose index knows two of the files.
fn session() -> (Arc<MemFs>, Session) {
    let disk = Arc::new(MemFs::new());
    for (file, text) in [("a.txt", "old\n"), ("b.txt", "gone\n"), ("c.json", "{\"n\": 1}\n")] {
        disk.put(&path(file), text.as_bytes(), 0o644).unwrap();
    }
    let mut index = FileIndex::default();
    index.insert("uid-a", &path("a.txt")).unwrap();
    index.insert("uid-b", &path("b.txt")).unwrap();
    disk.put(&path(".regreen/files.json"), index.render().as_bytes(), 0o644).unwrap();
    let state = Arc::new(disk.beneath(&path(".state")).unwrap());
    let options = Options::new(workspace::OpenMode::ReadWrite);
    let workspace = Workspace::with_fs(disk.clone(), state, options);
    (disk, Session::over(workspace, SessionAccess::Write).unwrap())
}

fn repair(snapshot: &snapshot::Snapshot) -> Arc<Repair> {
    let text = |file: &str| snapshot.file(&path(file)).unwrap().text();
    let edits = EditSet::new(&text("a.txt"), vec![Edit::replace(0, 3, "new")]).unwrap();
    let set = Op::ReplaceValue { at: "/n".parse().unwrap(), value: document::Value::Null };
    let new = NewFile { text: edit::Text::new("made\n"), mode: 0o644 };
    Arc::new(Repair {
        id: "r_1".into(),
        title: "Move things".into(),
        rationale: String::new(),
        source: "test".into(),
        phase: "names".into(),
        rule_id: "R".into(),
        severity: Severity::Error,
        confidence: Confidence::High,
        safety: Safety::LikelyPreserving,
        kind: RepairKind::Refactor,
        ops: vec![
            RepairOp::RenameFile {
                file: path("a.txt"),
                to: path("sub/d.txt"),
                base: text("a.txt").hash(),
            },
            RepairOp::Text { file: path("a.txt"), edits },
            RepairOp::DeleteFile { file: path("b.txt"), base: text("b.txt").hash() },
            RepairOp::Document { file: path("c.json"), step: set.into() },
            RepairOp::AddFile { file: path("e.txt"), new },
        ],
        resolves: vec!["d_1".into()],
        reveals: Vec::new(),
        compatibility: Compatibility::default(),
        grounds: Grounds::default(),
    })
}

fn loaded(session: &Session) -> snapshot::Snapshot {
    let all: Vec<RelPath> = ["a.txt", "b.txt", "c.json", "e.txt", "sub/d.txt"].map(path).into();
    session.workspace.load(&all).unwrap().snapshot
}

/// The published list of reasons has every reason of the plan.
#[test]
fn the_list_of_reasons_is_closed() {
    for reason in plan::Reason::ALL {
        assert!(v1::REASONS.contains(&reason.name()), "{}", reason.name());
    }
}

/// One transaction writes all of it, the index follows the files, and undo brings back both.
#[test]
fn files_and_their_index_are_written_and_taken_back_together() {
    let (disk, session) = session();
    let before = loaded(&session);
    let change = plan::preview(&before, &Parses::new(Limits::DEFAULT), &repair(&before)).unwrap();
    let index = moved_index(&session.workspace, &change).unwrap();
    let meta = Meta { command: "fix".to_owned(), time: None, notes: BTreeMap::new() };
    let id = session.workspace.commit(&change, index.as_ref(), &meta).unwrap();
    let read = |file: &str| disk.read(&path(file), 1024).ok().map(|it| it.0);
    assert_eq!(read("sub/d.txt").as_deref(), Some(b"new\n".as_slice()));
    assert_eq!(read("e.txt").as_deref(), Some(b"made\n".as_slice()));
    assert_eq!(read("c.json").as_deref(), Some(b"{\"n\": null}\n".as_slice()));
    assert_eq!((read("a.txt"), read("b.txt")), (None, None));
    let index = session.workspace.load_index().unwrap().index;
    let known: Vec<(&str, &str)> = index.iter().map(|(uid, it)| (uid, it.as_str())).collect();
    assert_eq!(known, [("uid-a", "sub/d.txt")]);
    let request =
        v1::Undo { transaction: id.map(|it| it.to_string()), dry_run: false, with_diffs: false };
    assert!(undo::undo(&session, &request).unwrap().report.ok);
    assert_eq!(loaded(&session), before);
    let index = session.workspace.load_index().unwrap().index;
    assert_eq!(index.path_of("uid-a"), Some(path("a.txt")));
    assert_eq!(index.path_of("uid-b"), Some(path("b.txt")));
}

/// X-47, FA-25, AE-18: what the six operations cannot say is left out as a whole, and counted.
#[test]
fn fix_actions_leave_out_and_count_what_moves_files() {
    let (_, session) = session();
    let before = loaded(&session);
    let repair = repair(&before);
    let files = repair.files().into_iter().cloned().collect();
    let class = plan::class_of(&repair, &before);
    let applied = Applied { repair, class, pass: 1, tree: 0, files, verified: true };
    let output = emit::fix_actions(None, &before, &HashMap::new(), &[applied]);
    let document: serde_json::Value = serde_json::from_str(&output.text).unwrap();
    assert_eq!(document["fix_actions"], serde_json::json!([]));
    assert_eq!(document["x_left_out_file_operations"], 1);
    assert_eq!(output.n_left_out, 1);
}

/// The names of the operations, and a preview as git shows it. A preview of bytes alone is none.
#[test]
fn the_wire_and_the_preview_name_what_happens_to_files() {
    let (_, session) = session();
    let before = loaded(&session);
    let repair = repair(&before);
    let ranked = plan::Ranked {
        class: plan::class_of(&repair, &before),
        scope: check::Scope { crosses_function: false, files: 5, node_count: 6 },
        rejection: None,
        repair: Arc::clone(&repair),
    };
    let wire = serde_json::to_value(wire::repair(&ranked, &HashMap::new())).unwrap();
    let edits = wire["edits"].as_array().unwrap();
    let names: Vec<_> = edits.iter().map(|it| it["op"].as_str().unwrap()).collect();
    assert_eq!(names, ["rename_file", "replace_text", "delete_file", "replace_value", "add_file"]);
    assert_eq!((&edits[0]["file"], &edits[0]["to"]), (&"a.txt".into(), &"sub/d.txt".into()));
    assert_eq!((&edits[4]["text"], &edits[4]["mode"]), (&"made\n".into(), &0o644.into()));
    assert_eq!(wire["class"], "repair");
    let previews = Previews::new(&before, std::iter::once(&repair));
    let mut budget = PreviewBudget::default();
    let preview = previews.get("r_1", &mut budget).unwrap();
    let kinds: Vec<_> = preview.changes.iter().map(|it| (it.kind, it.file.as_str())).collect();
    let expected = [
        (FileChangeKind::Edited, "a.txt"),
        (FileChangeKind::Deleted, "b.txt"),
        (FileChangeKind::Edited, "c.json"),
        (FileChangeKind::Added, "e.txt"),
    ];
    assert_eq!(kinds, expected);
    let diff: Vec<u8> = preview.changes.iter().flat_map(|it| it.diff.clone()).collect();
    let diff = String::from_utf8(diff).unwrap();
    for line in ["rename to sub/d.txt", "deleted file mode 100644", "new file mode 100644"] {
        assert!(diff.contains(line), "{line}: {diff}");
    }
    assert_eq!(previews.edits("r_1", &mut budget), None);
}
