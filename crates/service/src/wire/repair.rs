//! A repair as the repair-candidate list shows it (RS-3..RS-14).

use std::collections::{BTreeSet, HashMap};

use check::{Concern, Confidence, Diagnostic, RepairClass, RepairKind, RepairOp};
use document::{GuardedOp, Op, Pointer, Preconditions};
use plan::Ranked;
use protocol::v1;
use snapshot::RelPath;

use crate::wire::{json, safety, severity};

/// The repair, with what it was found to do and to touch, and the findings that it is about.
pub(crate) fn repair(ranked: &Ranked, diagnostics: &HashMap<&str, &Diagnostic>) -> v1::Repair {
    let Ranked { repair, class: own_class, scope, .. } = ranked;
    let concern = |id: &str| diagnostics.get(id).map_or(Concern::Problem, |it| it.concern);
    let resolved = |wanted: Concern| {
        repair.resolves.iter().filter(|it| concern(it) == wanted).cloned().collect::<Vec<String>>()
    };
    let mut codes: BTreeSet<&str> = repair
        .resolves
        .iter()
        .filter_map(|it| diagnostics.get(it.as_str()))
        .map(|it| it.rule_id.as_str())
        .collect();
    codes.insert(&repair.rule_id);
    let (obligations, holes) = (resolved(Concern::Obligation), resolved(Concern::Hole));
    v1::Repair {
        id: repair.id.clone(),
        title: repair.title.clone(),
        rationale: repair.rationale.clone(),
        source: repair.source.clone(),
        phase: repair.phase.clone(),
        rule_id: repair.rule_id.clone(),
        severity: severity(repair.severity),
        confidence: confidence(repair.confidence),
        safety: safety(repair.safety),
        kind: repair_kind(repair.kind),
        class: class(*own_class),
        scope: v1::RepairScope {
            node_count: scope.node_count,
            crosses_function: scope.crosses_function,
            files: scope.files,
        },
        targets: v1::RepairTargets {
            diagnostic_codes: codes.into_iter().map(str::to_owned).collect(),
            obligation_ids: obligations.clone(),
            hole_ids: holes.clone(),
        },
        preconditions: repair.ops.iter().filter_map(precondition).collect(),
        edits: repair.ops.iter().flat_map(edits).collect(),
        expected_delta: v1::ExpectedDelta {
            diagnostics_resolved: resolved(Concern::Problem),
            obligations_discharged: obligations,
            holes_filled: holes,
        },
        reveals: repair.reveals.clone(),
        compatibility: compatibility(repair),
    }
}

fn compatibility(repair: &check::Repair) -> Option<v1::Compatibility> {
    let it = &repair.compatibility;
    (*it != check::Compatibility::default()).then(|| v1::Compatibility {
        conflicts_with: it.conflicts_with.clone(),
        requires: it.requires.clone(),
        batch_key: it.batch_key.clone(),
    })
}

fn precondition(op: &RepairOp) -> Option<v1::Precondition> {
    let RepairOp::Document { file, step } = op else { return None };
    let Preconditions { json_type, equals, exists, length } = &step.expects;
    (step.expects != Preconditions::default()).then(|| v1::Precondition {
        file: file.to_string(),
        json_pointer: slot(&step.op).to_string(),
        x_document: x_document(step),
        json_type: json_type.map(|it| it.name().to_owned()),
        equals: equals.as_ref().map(json),
        exists: *exists,
        length: *length,
    })
}

/// The place that a precondition is about (FA-42).
fn slot(op: &Op) -> Pointer {
    match op {
        Op::ReplaceValue { at, .. }
        | Op::InsertItem { at, .. }
        | Op::SetValue { at, .. }
        | Op::DeleteValue { at } => at.clone(),
        Op::AddKey { at, key, .. } | Op::RemoveKey { at, key } => at.join(key),
        Op::RenameKey { at, from, .. } => at.join(from),
        Op::ReplaceItem { at, index, .. } | Op::DeleteItem { at, index } => {
            at.join(index.to_string())
        }
        Op::MoveValue { from, .. } => from.clone(),
    }
}

fn edits(op: &RepairOp) -> Vec<v1::RepairEdit> {
    match op {
        RepairOp::Document { file, step } => vec![document_edit(file, step)],
        RepairOp::Text { file, edits } => {
            let base = edits.base().to_string();
            let edit = |it: &edit::Edit| v1::RepairEdit::ReplaceText {
                file: file.to_string(),
                base: base.clone(),
                start: it.start,
                end: it.end,
                text: String::from_utf8_lossy(&it.text).into_owned(),
            };
            edits.edits().iter().map(edit).collect()
        }
        RepairOp::AddFile { file, new } => vec![v1::RepairEdit::AddFile {
            file: file.to_string(),
            hash: new.text.hash().to_string(),
            mode: new.mode,
            text: std::str::from_utf8(new.text.bytes()).ok().map(str::to_owned),
        }],
        RepairOp::DeleteFile { file, base } => {
            vec![v1::RepairEdit::DeleteFile { file: file.to_string(), base: base.to_string() }]
        }
        RepairOp::RenameFile { file, to, base } => vec![v1::RepairEdit::RenameFile {
            file: file.to_string(),
            to: to.to_string(),
            base: base.to_string(),
        }],
    }
}

/// The document that a step is about, if it is not the first.
fn x_document(step: &GuardedOp) -> Option<u32> {
    u32::try_from(step.document).ok().filter(|it| *it > 0)
}

fn document_edit(file: &RelPath, step: &GuardedOp) -> v1::RepairEdit {
    let file = file.to_string();
    let x_document = x_document(step);
    match &step.op {
        Op::ReplaceValue { at, value } => v1::RepairEdit::ReplaceValue {
            file,
            json_pointer: at.to_string(),
            x_document,
            value: json(value),
        },
        Op::AddKey { at, key, value } => v1::RepairEdit::AddValue {
            file,
            json_pointer: at.to_string(),
            x_document,
            key: key.clone(),
            value: json(value),
        },
        Op::RemoveKey { at, key } => v1::RepairEdit::RemoveKey {
            file,
            json_pointer: at.to_string(),
            x_document,
            key: key.clone(),
        },
        Op::RenameKey { at, from, to } => v1::RepairEdit::RenameKey {
            file,
            json_pointer: at.to_string(),
            x_document,
            from: from.clone(),
            to: to.clone(),
        },
        Op::InsertItem { at, index, value } => v1::RepairEdit::InsertArrayItem {
            file,
            json_pointer: at.to_string(),
            x_document,
            index: *index,
            value: json(value),
        },
        Op::ReplaceItem { at, index, value } => v1::RepairEdit::ReplaceArrayItem {
            file,
            json_pointer: at.to_string(),
            x_document,
            index: *index,
            value: json(value),
        },
        Op::DeleteItem { at, index } => v1::RepairEdit::RemoveArrayItem {
            file,
            json_pointer: at.to_string(),
            x_document,
            index: *index,
        },
        Op::SetValue { at, value } => v1::RepairEdit::SetValue {
            file,
            json_pointer: at.to_string(),
            x_document,
            value: json(value),
        },
        Op::DeleteValue { at } => {
            v1::RepairEdit::DeleteValue { file, json_pointer: at.to_string(), x_document }
        }
        Op::MoveValue { from, to, keep_position } => v1::RepairEdit::MoveValue {
            file,
            json_pointer: from.to_string(),
            x_document,
            to_pointer: to.to_string(),
            keep_position: *keep_position,
        },
    }
}

pub(crate) fn repair_kind(kind: RepairKind) -> v1::RepairKind {
    match kind {
        RepairKind::LocalFix => v1::RepairKind::LocalFix,
        RepairKind::BoundaryValidation => v1::RepairKind::BoundaryValidation,
        RepairKind::Refactor => v1::RepairKind::Refactor,
        RepairKind::SemanticsChange => v1::RepairKind::SemanticsChange,
    }
}

pub(crate) fn class(class: RepairClass) -> v1::RepairClass {
    match class {
        RepairClass::Repair => v1::RepairClass::Repair,
        RepairClass::Delete => v1::RepairClass::Delete,
        RepairClass::Declare => v1::RepairClass::Declare,
        RepairClass::Stub => v1::RepairClass::Stub,
        RepairClass::Suppress => v1::RepairClass::Suppress,
    }
}

/// How many there are of each class.
pub(crate) fn classes(all: impl Iterator<Item = RepairClass>) -> v1::ClassCounts {
    v1::ClassCounts::of(all.map(class))
}

pub(crate) fn confidence(confidence: Confidence) -> v1::Confidence {
    match confidence {
        Confidence::High => v1::Confidence::High,
        Confidence::Medium => v1::Confidence::Medium,
        Confidence::Low => v1::Confidence::Low,
    }
}
