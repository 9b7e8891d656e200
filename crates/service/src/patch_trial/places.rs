//! Where in the patch document a failed operation stands, and what to do about it.
//!
//! The core says which operation of which action failed; a person wants to see the line.

use std::collections::BTreeMap;

use check::{Diagnostic, Location, Related};
use document::{Document, Format, Limits, Pointer, Value};
use edit::{LineIndex, Text};
use patch::{FailedOp, OpFailureCode};

/// Places are looked up for this many failures; the rest is reported without.
const MOST_PLACES: usize = 100;

/// Which operation a diagnostic is about.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct OpName {
    action_id: Option<String>,
    op_index: usize,
}

impl OpName {
    fn of(diagnostic: &Diagnostic) -> Option<OpName> {
        let Value::Number(number) = diagnostic.details.get("op_index")? else { return None };
        let action_id =
            diagnostic.details.get("action_id").and_then(Value::as_str).map(str::to_owned);
        Some(OpName { action_id, op_index: number.as_usize()? })
    }
}

/// Why each failed operation failed.
fn codes(failed: &[FailedOp]) -> BTreeMap<OpName, OpFailureCode> {
    let entry = |it: &FailedOp| {
        (OpName { action_id: it.action_id.clone(), op_index: it.op_index }, it.code)
    };
    failed.iter().map(entry).collect()
}

/// What to do, by the id of the diagnostic.
pub(crate) fn help(diagnostics: &[Diagnostic], failed: &[FailedOp]) -> BTreeMap<String, String> {
    let codes = codes(failed);
    let advice = |it: &Diagnostic| {
        let code = codes.get(&OpName::of(it)?)?;
        // A warning about the same operation has another reason than its failure.
        it.rule_id
            .ends_with(&code.name().to_ascii_uppercase())
            .then(|| (it.diagnostic_id.clone(), code.advice().to_owned()))
    };
    diagnostics.iter().filter_map(advice).collect()
}

/// Adds, to what is wrong with an operation, where the operation says so.
pub(crate) fn point_into_patch(
    patch_name: &str,
    text: &Text,
    format: Format,
    failed: &[FailedOp],
    diagnostics: &mut [Diagnostic],
) {
    let with_op = diagnostics.iter_mut().filter_map(|it| Some((OpName::of(it)?, it)));
    let mut with_op = with_op.take(MOST_PLACES).peekable();
    if with_op.peek().is_none() {
        return;
    }
    let Ok(document) = document::parse(text, format, &Limits::DEFAULT) else { return };
    let lines = LineIndex::new(text.bytes());
    let actions = action_positions(&document);
    let codes = codes(failed);
    for (op, diagnostic) in with_op {
        let Some(owner) = op_pointer(&op, &actions, &document) else { continue };
        let Some((pointer, location)) = place(&document, &lines, &owner, codes.get(&op).copied())
        else {
            continue;
        };
        diagnostic.related.push(Related {
            file: patch_name.to_owned(),
            json_pointer: Some(pointer.to_string()),
            location: Some(location),
            message: match &op.action_id {
                Some(id) => format!("operation {} of fix action {id}", op.op_index),
                None => format!("operation {}", op.op_index),
            },
        });
    }
}

/// The member of the operation that is to blame, else the operation.
fn place(
    document: &Document,
    lines: &LineIndex,
    op: &Pointer,
    code: Option<OpFailureCode>,
) -> Option<(Pointer, Location)> {
    let members = telling_members(code).iter().map(|name| op.join(*name));
    let pointer = members.chain([op.clone()]).find(|it| document.locate(it).is_some())?;
    let found = document.locate(&pointer)?;
    let start = found.key_span.map_or(found.span.start, |key| key.start.min(found.span.start));
    Some((pointer, Location::new(lines, start..found.span.end)?))
}

fn telling_members(code: Option<OpFailureCode>) -> &'static [&'static str] {
    match code {
        Some(OpFailureCode::PreconditionFailed) => &["expects", "expects_parent"],
        Some(OpFailureCode::KeyExists) => &["key", "to", "to_pointer", "json_pointer"],
        Some(OpFailureCode::IndexOutOfRange | OpFailureCode::BadIndex) => {
            &["index", "json_pointer"]
        }
        Some(OpFailureCode::UidUnknown | OpFailureCode::UidInUse) => &["file_uid"],
        Some(
            OpFailureCode::FileMissing
            | OpFailureCode::FileExists
            | OpFailureCode::CaseCollision
            | OpFailureCode::NotADirectory
            | OpFailureCode::NotAFile
            | OpFailureCode::OutsideRoot
            | OpFailureCode::PathMismatch
            | OpFailureCode::Link
            | OpFailureCode::TooLarge
            | OpFailureCode::ReadOnly
            | OpFailureCode::PathTooLong
            | OpFailureCode::NestedRepository
            | OpFailureCode::Protected
            | OpFailureCode::ParseFailed
            | OpFailureCode::UnsupportedFormat,
        ) => &["new_path", "path", "file", "file_uid"],
        Some(_) => &["json_pointer", "from_pointer", "file_uid"],
        None => &["file_uid", "file"],
    }
}

fn op_pointer(
    op: &OpName,
    actions: &BTreeMap<String, usize>,
    document: &Document,
) -> Option<Pointer> {
    let owner = match &op.action_id {
        Some(id) => Pointer::root().join("fix_actions").join(actions.get(id)?.to_string()),
        None => Pointer::root(),
    };
    let in_list = owner.join("ops").join(op.op_index.to_string());
    if document.locate(&in_list).is_some() {
        Some(in_list)
    } else {
        edits_pointer(op.op_index, document)
    }
}

/// The operations of an edits document are numbered through its lists.
fn edits_pointer(op_index: usize, document: &Document) -> Option<Pointer> {
    let mut rest = op_index;
    for name in ["files", "adds", "deletes", "renames"] {
        let list = Pointer::root().join(name);
        let n_items = match document.value_at(&list) {
            Some(Value::Array(items)) => items.len(),
            _ => 0,
        };
        if rest < n_items {
            return Some(list.join(rest.to_string()));
        }
        rest -= n_items;
    }
    None
}

/// Where each fix action stands in the list.
fn action_positions(document: &Document) -> BTreeMap<String, usize> {
    let actions = document.value_at(&Pointer::root().join("fix_actions"));
    let Some(Value::Array(actions)) = actions else { return BTreeMap::new() };
    let id = |(position, action): (usize, &Value)| {
        Some((action.get("id")?.as_str()?.to_owned(), position))
    };
    actions.iter().enumerate().filter_map(id).collect()
}
