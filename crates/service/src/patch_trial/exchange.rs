//! Documents in the formats that tools exchange, as patches: read against the files that they name.
//!
//! `linters` reads the format and holds every edit against its text; `patch` makes one change of what fits. A log of
//! findings is a list of fixes, each of which applies whole or not at all. A diff, an edit of the workspace and a list of
//! replacements is one change.

use std::path::{Component, Path};

use linters::formats::{self, Exchange, Options};
use linters::{FileOp, Finding, Fix, Texts, ToolReport};
use patch::edits::{Add, Delete, EditsDocument, FileEdits, RenameTo, TextEdit};
use patch::fixes::{Fixes, ProposedFix, RefusedFix};
use patch::{OpFailureCode, Patch, PatchKind, PatchRejection};
use protocol::v1::PatchInput;
use snapshot::{RelPath, Snapshot};

use crate::failure::Failure;
use crate::session::Session;

/// The document if it is in a format of exchange; `None` if it is of another kind.
pub(crate) fn read(
    session: &Session,
    input: &PatchInput,
    from: Option<PatchKind>,
) -> Result<Option<Result<Patch, PatchRejection>>, Failure> {
    let format = match from {
        Some(kind) => format_of(kind),
        None => formats::recognise(&input.bytes).filter(|_| !has_own_mark(&input.bytes)),
    };
    let Some(format) = format else { return Ok(None) };
    let root = session.root().map(plain).unwrap_or_default();
    // Which files are meant stands all over the document, so it is read once to find out.
    let nothing = Snapshot::default();
    let names = Texts::new(&nothing, &root);
    let first = formats::read(format, &input.bytes, &names, &Options::default());
    let kind = kind_of(format);
    if let Err(garbled) = first {
        return Ok(Some(Err(PatchRejection::unusable(kind, &input.name, &garbled.to_string()))));
    }
    let loaded = session.workspace.load(&names.named())?;
    let texts = Texts::new(&loaded.snapshot, &root);
    Ok(Some(match formats::read(format, &input.bytes, &texts, &Options::default()) {
        Ok(report) => Ok(Patch::Fixes(to_fixes(kind, &report))),
        Err(garbled) => Err(PatchRejection::unusable(kind, &input.name, &garbled.to_string())),
    }))
}

/// The patch with the file that it is for, where it does not say so itself.
pub(crate) fn with_file(patch: Patch, input: &PatchInput) -> Result<Patch, PatchRejection> {
    let (patch, file) = match (patch, &input.file) {
        (Patch::JsonPatch(patch), Some(file)) => (patch, file),
        (patch, None) => return Ok(patch),
        (patch, Some(_)) => {
            let kind = patch.kind();
            let reason =
                format!("`--file` is for a JSON Patch, and this document is of kind `{kind}`");
            return Err(PatchRejection::unusable(kind, &input.name, &reason));
        }
    };
    match RelPath::parse(file) {
        Ok(path) => {
            Ok(Patch::JsonPatch(patch::json_patch::JsonPatch { file: Some(path), ..patch }))
        }
        Err(error) => {
            Err(PatchRejection::unusable(PatchKind::JsonPatch, &input.name, &error.to_string()))
        }
    }
}

/// Whether a JSON document has a member that only our own contracts have.
fn has_own_mark(bytes: &[u8]) -> bool {
    let value: Option<serde_json::Value> = serde_json::from_slice(bytes).ok();
    let marks = ["fix_actions", "changeset_uid", "regreen_edits"];
    value.is_some_and(|it| marks.iter().any(|mark| it.get(mark).is_some()))
}

fn format_of(kind: PatchKind) -> Option<Exchange> {
    Some(match kind {
        PatchKind::Sarif => Exchange::Sarif,
        PatchKind::Rdjson => Exchange::Rdjson,
        PatchKind::WorkspaceEdit => Exchange::WorkspaceEdit,
        PatchKind::ClangReplacements => Exchange::ClangReplacements,
        PatchKind::Diff => Exchange::UnifiedDiff,
        _ => return None,
    })
}

fn kind_of(format: Exchange) -> PatchKind {
    match format {
        Exchange::Sarif => PatchKind::Sarif,
        Exchange::Rdjson => PatchKind::Rdjson,
        Exchange::WorkspaceEdit => PatchKind::WorkspaceEdit,
        Exchange::ClangReplacements => PatchKind::ClangReplacements,
        Exchange::UnifiedDiff => PatchKind::Diff,
    }
}

/// An absolute path without `.` and `..`, as other tools print it.
fn plain(root: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in root.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str().unwrap_or_default()),
            Component::ParentDir => {
                parts.pop();
            }
            _ => {}
        }
    }
    format!("/{}", parts.join("/"))
}

fn to_fixes(kind: PatchKind, report: &ToolReport) -> Fixes {
    let mut fixes = Fixes {
        kind,
        fixes: Vec::new(),
        refused: Vec::new(),
        left_out: Vec::new(),
        is_whole: kind == PatchKind::Diff,
    };
    for finding in &report.findings {
        let mut own = finding.fixes.iter();
        let Some(first) = own.next() else { continue };
        let name = format!("fix {}", fixes.fixes.len() + 1);
        fixes.fixes.push(ProposedFix { name, about: about(finding), edits: edits(first) });
        let n_others = own.count();
        if n_others > 0 {
            let note =
                format!("{}: the first of {} alternatives is taken", about(finding), n_others + 1);
            fixes.left_out.push((finding.file.to_string(), note));
        }
    }
    let n_fixes = fixes.fixes.len();
    let dropped = report.dropped.iter().map(|it| (&it.rule, it.file.to_string(), &it.reason));
    let lost = report.lost.iter().map(|it| (&it.rule, String::new(), &it.reason));
    for (nth, (rule, file, reason)) in dropped.chain(lost).enumerate() {
        fixes.refused.push(RefusedFix {
            name: format!("fix {}", n_fixes + nth + 1),
            about: rule.clone(),
            file,
            code: code_of(reason),
            reason: reason.clone(),
        });
    }
    let n_more = report.n_more + report.n_more_dropped;
    if n_more > 0 {
        let reason = format!("{n_more} more than are read");
        fixes.refused.push(RefusedFix {
            name: "the rest".to_owned(),
            about: kind.name().to_owned(),
            file: String::new(),
            code: OpFailureCode::Budget,
            reason,
        });
    }
    if fixes.is_whole {
        join(&mut fixes);
    }
    fixes
}

/// A diff is one change, and its hunks may touch.
fn join(fixes: &mut Fixes) {
    let mut whole = EditsDocument::default();
    for fix in std::mem::take(&mut fixes.fixes) {
        for file in fix.edits.files {
            match whole.files.iter_mut().find(|it| it.path == file.path) {
                Some(known) => known.edits.extend(file.edits),
                None => whole.files.push(file),
            }
        }
        whole.adds.extend(fix.edits.adds);
        whole.deletes.extend(fix.edits.deletes);
        whole.renames.extend(fix.edits.renames);
    }
    if whole != EditsDocument::default() {
        let (name, about) = ("the diff".to_owned(), "all its hunks".to_owned());
        fixes.fixes.push(ProposedFix { name, about, edits: whole });
    }
}

fn about(finding: &Finding) -> String {
    let message = finding.message.lines().next().unwrap_or_default();
    format!("{}: {message}", finding.rule)
}

fn edits(fix: &Fix) -> EditsDocument {
    let mut document = EditsDocument::default();
    for (path, set) in &fix.edits {
        let edit = |it: &edit::Edit| TextEdit {
            start: it.start,
            end: it.end,
            text: String::from_utf8_lossy(&it.text).into_owned(),
        };
        let edits = set.edits().iter().map(edit).collect();
        document.files.push(FileEdits { path: path.clone(), base: set.base(), edits });
    }
    for op in fix.files.iter().cloned() {
        match op {
            FileOp::Add { path, text } => document.adds.push(Add { path, text }),
            FileOp::Delete { path, base } => document.deletes.push(Delete { path, base }),
            FileOp::Rename { path, to, base } => document.renames.push(RenameTo { path, to, base }),
        }
    }
    document
}

/// The reason for programs. Readers say it in words, and only where it leads out of the root it is told apart.
fn code_of(reason: &str) -> OpFailureCode {
    if reason.contains("not inside the root") {
        OpFailureCode::OutsideRoot
    } else if reason.contains("is not a file of the tree") {
        OpFailureCode::FileMissing
    } else {
        OpFailureCode::InvalidEdit
    }
}
