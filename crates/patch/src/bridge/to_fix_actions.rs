//! B-2: a changeset as fix actions. A changeset is ordered and all or nothing, and only the operations of one action
//! are: so one action holds all operations, unless provenance says how they were divided before.

use check::Severity;
use document::{JsonType, Pointer, Value};
use snapshot::RelPath;

use super::{Context, ConvertError, Converted, Note};
use crate::failure::{FailedOp, cap};
use crate::kind::Patch;
use crate::simulate::SimulationStop;
use crate::simulate::tree::{Alone, FileId, SimulatedTree};
use crate::v1::decode::Problems;
use crate::v1::{
    Changeset, ChangesetOp, ChangesetOpKind, DiagnosticTarget, Expects, Extra, FixAction,
    FixActions, FixOp, FixOpKind, decode_fix_actions, members, string,
};

/// Converts a changeset. Operations on files, and deletions from arrays, have no equivalent.
pub fn to_fix_actions(
    changeset: &Changeset,
    context: &Context<'_>,
) -> Result<Converted<FixActions>, ConvertError> {
    let original = context.simulate_first(&Patch::Changeset(changeset.clone()))?;
    let refused = not_expressible(changeset);
    if !refused.is_empty() {
        return Err(ConvertError::NotExpressible(refused));
    }
    let converted = match convert_all(changeset, context, &Alone::default()) {
        Ok(converted) => converted,
        // The simulation above came through, so trying every unit alone does too.
        Err(_) => convert_all(changeset, context, &Alone { all: true, ..Alone::default() })
            .unwrap_or_default(),
    };
    if !converted.refused.is_empty() {
        return Err(ConvertError::NotExpressible(converted.refused));
    }
    let losses = converted.losses;
    let restored = restored(changeset, &converted.ops).filter(|document| {
        let patch = Patch::FixActions(document.clone());
        !context.strict && context.has_same_effect(&original, &patch).is_ok()
    });
    if let Some(document) = restored {
        return Ok(Converted { document, losses });
    }
    let document = synthetic(changeset, converted.ops.clone(), context.strict);
    let effect = context.has_same_effect(&original, &Patch::FixActions(document.clone()));
    match effect {
        // A literal in place of a moved value may be written in another style; that is a loss, not a change.
        Err(ConvertError::DifferentEffect(failed)) if failed.is_empty() && !losses.is_empty() => {}
        Err(ConvertError::DifferentEffect(failed)) => {
            return Err(different_effect(changeset, &converted.ops, context, failed));
        }
        effect => effect?,
    }
    if context.strict && !losses.is_empty() {
        return Err(ConvertError::NotExpressible(losses));
    }
    Ok(Converted { document, losses })
}

/// The same failures, or the first operation that does something else, under the numbers of the original.
fn different_effect(
    changeset: &Changeset,
    ops: &[Vec<FixOp>],
    context: &Context<'_>,
    failed: Vec<FailedOp>,
) -> ConvertError {
    if failed.is_empty() {
        let first = |n| Changeset { ops: changeset.ops[..n].to_vec(), ..changeset.clone() };
        let at = context.first_different(
            ops.len().min(changeset.ops.len()),
            |n| Patch::Changeset(first(n)),
            |n| Patch::FixActions(synthetic(&first(n), ops[..n].to_vec(), context.strict)),
        );
        let note = note(at, "a fix action's operation would not do the same here");
        return ConvertError::NotExpressible(vec![note]);
    }
    // An operation of the changeset may have become several.
    let numbers: Vec<usize> =
        ops.iter().enumerate().flat_map(|(number, it)| it.iter().map(move |_| number)).collect();
    let named = failed.into_iter().map(|it| {
        let op_index = numbers.get(it.op_index).copied().unwrap_or(it.op_index);
        FailedOp { action_id: None, op_index, ..it }
    });
    ConvertError::DifferentEffect(named.collect())
}

#[derive(Default)]
struct Ops {
    /// For every operation of the changeset, the operations that stand for it.
    ops: Vec<Vec<FixOp>>,
    refused: Vec<Note>,
    losses: Vec<Note>,
}

fn note(op_index: usize, reason: &str) -> Note {
    Note { action_id: None, op_index, reason: reason.to_owned() }
}

fn not_expressible(changeset: &Changeset) -> Vec<Note> {
    let is_file_op = |op: &ChangesetOp| {
        matches!(
            op.kind,
            ChangesetOpKind::RenameFile { .. }
                | ChangesetOpKind::AddFile { .. }
                | ChangesetOpKind::DeleteFile
        )
    };
    let ops = changeset.ops.iter().enumerate().filter(|(_, op)| is_file_op(op));
    ops.map(|(op_index, op)| {
        note(op_index, &format!("`{}` has no equivalent among fix actions", op.kind.name()))
    })
    .collect()
}

fn convert_all(
    changeset: &Changeset,
    context: &Context<'_>,
    alone: &Alone,
) -> Result<Ops, SimulationStop> {
    let mut tree = SimulatedTree::new(context.snapshot, &context.options(), alone);
    let mut converted = Ops::default();
    for (op_index, op) in changeset.ops.iter().enumerate() {
        let Some(path) = context.index.path_of(&op.file_uid) else { continue };
        let id = tree.open(&path)?;
        if context.strict && op.document > 0 {
            let reason =
                "it needs the extension `x_document`, which a strict conversion does not write";
            converted.refused.push(note(op_index, reason));
            continue;
        }
        match convert(op, id, &path, &mut tree)? {
            Ok((ops, losses)) => {
                converted.ops.push(ops);
                converted.losses.extend(losses.into_iter().map(|it| note(op_index, it)));
            }
            Err(reason) => converted.refused.push(note(op_index, reason)),
        }
        if let Some(step) = op.to_step() {
            tree.apply(id, op_index, &step)?;
            tree.keep_unit();
        }
    }
    Ok(converted)
}

/// What stands at a pointer before an operation.
struct Slot {
    at: Pointer,
    parent: Option<(Pointer, String, Option<JsonType>)>,
    exists: bool,
}

fn slot(
    tree: &mut SimulatedTree<'_>,
    id: FileId,
    document: usize,
    pointer: &Pointer,
) -> Result<Slot, SimulationStop> {
    let at = tree.plain(id, document, pointer)?;
    let draft = tree.draft(id, document)?;
    let parent = at.split_last().map(|(parent, last)| {
        let parent_type = draft.type_at(&parent);
        (parent, last.to_owned(), parent_type)
    });
    let exists = draft.type_at(&at).is_some();
    Ok(Slot { at, parent, exists })
}

/// The operations that stand for one, and what they no longer say; or why there are none.
type ConvertedOps = Result<(Vec<FixOp>, Vec<&'static str>), &'static str>;

fn convert(
    op: &ChangesetOp,
    id: FileId,
    path: &RelPath,
    tree: &mut SimulatedTree<'_>,
) -> Result<ConvertedOps, SimulationStop> {
    let expects = op.expects.clone().unwrap_or_default();
    if expects.length.is_some() && !matches!(op.kind, ChangesetOpKind::InsertIntoArray { .. }) {
        return Ok(Err("fix actions have no precondition on a length"));
    }
    let one = |at, kind, expects| Ok((vec![make(op, path, at, kind, expects)], Vec::new()));
    Ok(match &op.kind {
        ChangesetOpKind::SetValue { json_pointer, value } => {
            set(&slot(tree, id, op.document, json_pointer)?, value.clone()).map(|(at, kind)| {
                let is_replace = matches!(kind, FixOpKind::ReplaceValue { .. });
                let exists = expects.exists.or(is_replace.then_some(true));
                let is_lost = op.expects_parent.is_some() && is_replace;
                let losses = is_lost.then_some("the precondition on the container's type is lost");
                let op = make(op, path, at, kind, Expects { exists, ..expects });
                (vec![op], losses.into_iter().collect())
            })
        }
        ChangesetOpKind::DeleteValue { json_pointer } => {
            match slot(tree, id, op.document, json_pointer)?.parent {
                Some((parent, key, Some(JsonType::Object))) => {
                    one(parent, FixOpKind::RemoveKey { key }, expects)
                }
                _ => Err("fix actions cannot delete an item of an array"),
            }
        }
        ChangesetOpKind::InsertIntoArray { json_pointer, index, value } => {
            let is_append = expects.length == Some(*index);
            if expects.length.is_some() && !is_append {
                return Ok(Err("fix actions have no precondition on a length"));
            }
            let index = (!is_append).then_some(*index);
            let kind = FixOpKind::InsertArrayItem { index, value: value.clone() };
            one(
                tree.plain(id, op.document, json_pointer)?,
                kind,
                Expects { length: None, ..expects },
            )
        }
        ChangesetOpKind::MoveValue { from_pointer, to_pointer, keep_position } => {
            let moved = slot(tree, id, op.document, from_pointer)?;
            let target = slot(tree, id, op.document, to_pointer)?;
            let Some((parent, from, Some(JsonType::Object))) = moved.parent else {
                return Ok(Err("fix actions cannot take an item out of an array"));
            };
            if moved.at == target.at {
                return Ok(Err("fix actions cannot move a value to where it is"));
            }
            if *keep_position {
                let to = target.parent.map(|(_, to, _)| to).unwrap_or_default();
                return Ok(one(parent, FixOpKind::RenameKey { from, to }, expects));
            }
            let Some(value) = tree.draft(id, op.document)?.value_at(&moved.at) else {
                return Ok(Err("the moved value cannot be read"));
            };
            set(&target, value).map(|(at, kind)| {
                let remove = make(op, path, parent, FixOpKind::RemoveKey { key: from }, expects);
                let set = make(op, path, at, kind, Expects::default());
                let loss = "the moved value is written out as it is at conversion time";
                (vec![remove, set], vec![loss])
            })
        }
        ChangesetOpKind::RenameFile { .. }
        | ChangesetOpKind::AddFile { .. }
        | ChangesetOpKind::DeleteFile => Err("fix actions cannot add, delete or rename files"),
    })
}

fn make(
    op: &ChangesetOp,
    path: &RelPath,
    json_pointer: Pointer,
    kind: FixOpKind,
    expects: Expects,
) -> FixOp {
    FixOp {
        file: path.clone(),
        json_pointer,
        document: op.document,
        kind,
        expects: Some(expects).filter(|it| !it.is_empty()),
        extra: op.extra.clone(),
    }
}

/// What `set_value` means for what is there.
fn set(slot: &Slot, value: Value) -> Result<(Pointer, FixOpKind), &'static str> {
    match (&slot.parent, slot.exists) {
        (Some((parent, index, Some(JsonType::Array))), true) => {
            let index = index.parse().map_err(|_| "the index is too large")?;
            Ok((parent.clone(), FixOpKind::ReplaceArrayItem { index, value }))
        }
        (_, true) => Ok((slot.at.clone(), FixOpKind::ReplaceValue { value })),
        (Some((parent, key, Some(JsonType::Object))), false) => {
            Ok((parent.clone(), FixOpKind::AddValue { key: key.clone(), value }))
        }
        _ => Err("there is nothing to set"),
    }
}

/// One action that does it all, with invented words (B-2).
fn synthetic(changeset: &Changeset, ops: Vec<Vec<FixOp>>, strict: bool) -> FixActions {
    let title = |op: &ChangesetOp| match op.kind.pointer() {
        Some(pointer) => cap(&format!("{} {pointer}", op.kind.name()), 80),
        None => op.kind.name().to_owned(),
    };
    let title = match changeset.ops.as_slice() {
        [] => String::new(),
        [only] => title(only),
        [first, rest @ ..] => format!("{} and {} more", title(first), rest.len()),
    };
    let title = title.replace(['\n', '\r'], " ");
    let mut ops: Vec<FixOp> = ops.into_iter().flatten().collect();
    if strict {
        ops.iter_mut().for_each(|op| op.extra.clear());
    }
    let target = |op: &FixOp| DiagnosticTarget {
        file: Some(op.file.clone()),
        json_pointer: Some(op.json_pointer.clone()),
        rule_id: Some("CHANGESET".to_owned()),
        ..DiagnosticTarget::default()
    };
    let targets: Vec<DiagnosticTarget> = ops.first().map(target).into_iter().collect();
    let extra = |name: &str, value: Value| {
        if strict { Extra::new() } else { vec![(name.to_owned(), value)] }
    };
    let provenance = members(
        vec![
            ("from", string("changeset")),
            ("changeset_uid", string(&changeset.changeset_uid)),
            ("target_workspace_uid", changeset.target_workspace_uid.as_ref().and_then(string)),
        ],
        &Extra::new(),
    );
    let action = FixAction {
        id: cap(&changeset.changeset_uid, 200),
        title,
        severity: Severity::Info,
        targets,
        ops,
        notes: None,
        confidence: None,
        extra: extra("x_synthetic", Value::Bool(true)),
    };
    let fix_actions = if action.ops.is_empty() { Vec::new() } else { vec![action] };
    FixActions {
        pack_version: "regreen".to_owned(),
        workspace_root: None,
        fix_actions,
        extra: extra("x_provenance", provenance),
    }
}

/// The document that the changeset was made from, if it says so and its operations still add up.
fn restored(changeset: &Changeset, ops: &[Vec<FixOp>]) -> Option<FixActions> {
    let provenance = changeset.extra.iter().find(|(name, _)| name == "x_provenance")?;
    let provenance = &provenance.1;
    let Some(Value::Array(heads)) = provenance.get("actions") else { return None };
    let mut left = ops.iter();
    let mut actions = Vec::new();
    for head in heads {
        let Value::Object(head) = head else { return None };
        let count = head.iter().find(|(name, _)| name == "n_ops").map(|(_, count)| count);
        let Some(Value::Number(count)) = count else { return None };
        let mut own = Vec::new();
        for _ in 0..count.as_usize()? {
            own.extend(left.next()?.iter().map(FixOp::to_value));
        }
        let head = head.iter().filter(|(name, _)| name != "n_ops").cloned();
        let ops = ("ops".to_owned(), Value::Array(own));
        actions.push(Value::Object(head.chain([ops]).collect()));
    }
    if left.next().is_some() {
        return None;
    }
    let value = members(
        vec![
            ("pack_version", provenance.get("pack_version").cloned()),
            // The paths of the operations are those from the workspace's root.
            ("workspace_root", string(".")),
            ("fix_actions", Some(Value::Array(actions))),
        ],
        &Extra::new(),
    );
    let mut problems = Problems::default();
    decode_fix_actions(&value, &mut problems).filter(|_| problems.count() == 0)
}
