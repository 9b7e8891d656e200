//! B-1: fix actions as a changeset. Guards that an operation of the fix-action contract has by itself become
//! preconditions; what only people read goes to `x_provenance`.

use document::{JsonType, Pointer, Value};
use edit::ContentHash;

use super::{Context, ConvertError, Converted, Note};
use crate::failure::FailedOp;
use crate::kind::Patch;
use crate::simulate::SimulationStop;
use crate::simulate::tree::{Alone, SimulatedTree};
use crate::v1::{
    Changeset, ChangesetOp, ChangesetOpKind, Expects, Extra, FixAction, FixActions, FixOp,
    FixOpKind, integer, members, string,
};

/// Converts a fix-action document. The actions' boundaries are kept as provenance only: the changeset as a whole is
/// all or nothing.
pub fn to_changeset(
    document: &FixActions,
    context: &Context<'_>,
) -> Result<Converted<Changeset>, ConvertError> {
    let patch = Patch::FixActions(document.clone());
    let original = context.simulate_first(&patch)?;
    let (ops, notes) = match convert_all(document, context, &Alone::default()) {
        Ok(converted) => converted,
        // The simulation above came through, so trying every unit alone does too.
        Err(_) => convert_all(document, context, &Alone { all: true, ..Alone::default() })
            .unwrap_or_default(),
    };
    if !notes.is_empty() {
        return Err(ConvertError::NotExpressible(notes));
    }
    let digest = ContentHash::of(document.render().as_bytes()).to_string();
    let digest = digest.strip_prefix("blake3:").unwrap_or(&digest);
    let extra = if context.strict { Extra::new() } else { provenance(document) };
    let changeset = Changeset {
        changeset_uid: format!("fix-actions-{}", &digest[..16]),
        target_workspace_uid: context.index.workspace_uid().map(str::to_owned),
        base: None,
        ops,
        extra,
    };
    match context.has_same_effect(&original, &Patch::Changeset(changeset.clone())) {
        Err(ConvertError::DifferentEffect(failed)) => {
            Err(different_effect(document, &changeset, context, failed))
        }
        effect => effect.map(|()| Converted { document: changeset, losses: Vec::new() }),
    }
}

/// The same failures, or the first operation that does something else, under the names of the original.
fn different_effect(
    document: &FixActions,
    changeset: &Changeset,
    context: &Context<'_>,
    failed: Vec<FailedOp>,
) -> ConvertError {
    let actions = document.in_canonical_order();
    let of_action = |it: &&FixAction| {
        let id = it.id.clone();
        (0..it.ops.len()).map(move |op_index| (id.clone(), op_index)).collect::<Vec<_>>()
    };
    let names: Vec<(String, usize)> = actions.iter().flat_map(of_action).collect();
    if failed.is_empty() {
        let at = context.first_different(
            changeset.ops.len(),
            |n| Patch::FixActions(first_ops(document, n)),
            |n| {
                Patch::Changeset(Changeset {
                    ops: changeset.ops[..n].to_vec(),
                    ..changeset.clone()
                })
            },
        );
        let (action_id, op_index) = names.get(at).cloned().unzip();
        let reason = "a changeset operation would not do the same here".to_owned();
        let op_index = op_index.unwrap_or_default();
        return ConvertError::NotExpressible(vec![Note { action_id, op_index, reason }]);
    }
    let named = failed.into_iter().map(|it| match names.get(it.op_index) {
        Some((id, op_index)) => FailedOp { action_id: Some(id.clone()), op_index: *op_index, ..it },
        None => it,
    });
    ConvertError::DifferentEffect(named.collect())
}

/// The document with only its first operations, in the order in which they are applied.
fn first_ops(document: &FixActions, n: usize) -> FixActions {
    let mut left = n;
    let mut fix_actions = Vec::new();
    for action in document.in_canonical_order() {
        let ops: Vec<FixOp> = action.ops.iter().take(left).cloned().collect();
        left -= ops.len();
        if !ops.is_empty() {
            fix_actions.push(FixAction { ops, ..action.clone() });
        }
    }
    FixActions { fix_actions, ..document.clone() }
}

type Ops = (Vec<ChangesetOp>, Vec<Note>);

fn convert_all(
    document: &FixActions,
    context: &Context<'_>,
    alone: &Alone,
) -> Result<Ops, SimulationStop> {
    let mut tree = SimulatedTree::new(context.snapshot, &context.options(), alone);
    let (mut ops, mut notes) = (Vec::new(), Vec::new());
    for action in document.in_canonical_order() {
        for (op_index, op) in action.ops.iter().enumerate() {
            let path = document.resolve(&op.file);
            let id = tree.open(&path)?;
            let at = tree.plain(id, op.document, &op.json_pointer)?;
            let len = tree.draft(id, op.document)?.len_at(&at);
            let uid = context.index.uid_of(&path);
            let note =
                |reason: String| Note { action_id: Some(action.id.clone()), op_index, reason };
            match uid {
                Err(error) => notes.push(note(error.to_string())),
                Ok(uid) => {
                    let mut converted = convert(op, uid, &at, len);
                    if context.strict {
                        converted.extra.clear();
                    }
                    match extension(&converted).filter(|_| context.strict) {
                        Some(name) => notes.push(note(format!(
                            "`{}` needs the extension `{name}`, which a strict conversion does not write",
                            op.kind.name()
                        ))),
                        None => ops.push(converted),
                    }
                }
            }
            tree.apply(id, op_index, &op.to_step(at))?;
        }
        tree.keep_unit();
    }
    Ok((ops, notes))
}

fn convert(op: &FixOp, file_uid: String, at: &Pointer, len: Option<usize>) -> ChangesetOp {
    let mut expects = op.expects.clone().unwrap_or_default();
    let mut expects_parent = None;
    let kind = match op.kind.clone() {
        FixOpKind::ReplaceValue { value } => {
            expects.exists = Some(expects.exists.unwrap_or(true));
            ChangesetOpKind::SetValue { json_pointer: at.clone(), value }
        }
        FixOpKind::AddValue { key, value } => {
            expects.exists = Some(expects.exists.unwrap_or(false));
            ChangesetOpKind::SetValue { json_pointer: at.join(key), value }
        }
        FixOpKind::RemoveKey { key } => {
            expects_parent = Some(JsonType::Object);
            ChangesetOpKind::DeleteValue { json_pointer: at.join(key) }
        }
        FixOpKind::InsertArrayItem { index: Some(index), value } => {
            ChangesetOpKind::InsertIntoArray { json_pointer: at.clone(), index, value }
        }
        FixOpKind::InsertArrayItem { index: None, value } => {
            // "At the end" becomes a number, which is right only while the array has this length.
            let index = len.unwrap_or_default();
            expects.length = Some(index);
            ChangesetOpKind::InsertIntoArray { json_pointer: at.clone(), index, value }
        }
        FixOpKind::ReplaceArrayItem { index, value } => {
            expects_parent = Some(JsonType::Array);
            ChangesetOpKind::SetValue { json_pointer: at.join(index.to_string()), value }
        }
        FixOpKind::RenameKey { from, to } => ChangesetOpKind::MoveValue {
            from_pointer: at.join(from),
            to_pointer: at.join(to),
            keep_position: true,
        },
    };
    let expects = Some(expects).filter(|it| !it.is_empty());
    let extra = op.extra.clone();
    let document = op.document;
    ChangesetOp { file_uid, path: None, document, kind, expects, expects_parent, extra }
}

/// The first of regreen's extensions that an operation carries.
fn extension(op: &ChangesetOp) -> Option<&'static str> {
    if matches!(op.kind, ChangesetOpKind::MoveValue { keep_position: true, .. }) {
        return Some("keep_position");
    }
    if op.document > 0 {
        return Some("x_document");
    }
    if op.expects_parent.is_some() {
        return Some("expects_parent");
    }
    op.expects.as_ref().map(|_: &Expects| "expects")
}

/// What a changeset has no place for: the document's head, and each action with the number of its operations.
fn provenance(document: &FixActions) -> Extra {
    let actions = document.in_canonical_order().into_iter().map(head).collect();
    let root = document.workspace_root.as_ref().map_or(".", |root| root.as_str());
    let provenance = members(
        vec![
            ("from", string("fix-actions")),
            ("pack_version", string(&document.pack_version)),
            ("workspace_root", string(root)),
            ("actions", Some(Value::Array(actions))),
        ],
        &document.extra,
    );
    vec![("x_provenance".to_owned(), provenance)]
}

fn head(action: &FixAction) -> Value {
    let count = action.ops.len();
    let empty = FixAction { ops: Vec::new(), ..action.clone() };
    match empty.to_value() {
        Value::Object(fixed) => {
            let without_ops = fixed.into_iter().filter(|(name, _)| name != "ops");
            let n_ops = integer(count).map(|count| ("n_ops".to_owned(), count));
            Value::Object(without_ops.chain(n_ops).collect())
        }
        other => other,
    }
}
