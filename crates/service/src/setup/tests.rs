//! What the scan could not take. Permissions do not stop every user who runs the tests, so the scan is not asked.

use std::sync::Arc;

use workspace::{MemFs, Options};

use super::*;

/// A tree is not green because nobody could look into it.
#[test]
fn a_folder_that_cannot_be_read_is_a_failure_unless_it_is_excluded() {
    let disk = Arc::new(MemFs::new());
    for file in ["locked/a.txt", "out/a.txt", "LICENSE"] {
        disk.put(&RelPath::parse(file).unwrap(), b"", 0o644).unwrap();
    }
    disk.put(&RelPath::parse(config::PATH).unwrap(), b"[workspace]\nexclude = [\"out\"]\n", 0o644)
        .unwrap();
    let state = Arc::new(disk.beneath(&RelPath::parse(".state").unwrap()).unwrap());
    let options = Options::new(workspace::OpenMode::ReadWrite);
    let workspace = Workspace::with_fs(disk, state, options);
    let session = Session::over(workspace, crate::SessionAccess::Write).unwrap();
    let setup =
        load_rules(&session, &TreeOverlay::new(), true, &v1::LookRequest::default()).unwrap();
    let skipped = ["LICENSE", "a.yaml", "locked", "out"].map(|it| SkippedEntry {
        path: it.to_owned(),
        reason: "permission denied".to_owned(),
        has_bad_name: false,
        may_be_folder: true,
    });
    let reader = session.workspace.reader();
    let tree =
        setup.tree(&session, Snapshot::default(), &skipped, &TreeOverlay::new(), reader).unwrap();
    let found: Vec<_> =
        tree.failures.iter().map(|it| (it.file.as_deref(), it.message.as_str())).collect();
    let expected = [
        (Some("a.yaml"), "cannot read a.yaml: Permission denied"),
        (Some("locked"), "cannot read locked/: Permission denied"),
    ];
    assert_eq!(found, expected);
    assert_eq!(setup.own_findings(&session, &tree.snapshot), []);
}
