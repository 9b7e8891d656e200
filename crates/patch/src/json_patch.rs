//! JSON Patch (RFC 6902): operations on one document, in order, all or nothing.
//!
//! The document may be JSON, YAML or TOML, and keeps its layout: the operations are made on a draft of it. What a JSON
//! Patch does not say is which file it is for; the caller does.

use document::{Document, Draft, Format, GuardedOp, JsonType, Op, Pointer, Value};
use snapshot::{Entry, FileIndex, RelPath, Snapshot, TreeChange};

use crate::failure::{FailedOp, FailureCause, OpFailureCode, cap};
use crate::kind::PatchKind;
use crate::simulate::{AppliedOp, Options, Simulation, resolve_links};
use crate::v1::decode::{DecodePath, PatchObject, ProblemKind, Problems};

/// Operations of one patch.
const MAX_OPS: usize = 10_000;

/// A JSON Patch and the file that it is for.
#[derive(Clone, PartialEq, Debug)]
pub struct JsonPatch {
    /// The file; without one the patch cannot be applied.
    pub file: Option<RelPath>,
    /// What to do, in order.
    pub ops: Vec<JsonPatchOp>,
}

/// One operation.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the members are those of RFC 6902")]
pub enum JsonPatchOp {
    Add { path: Pointer, value: Value },
    Remove { path: Pointer },
    Replace { path: Pointer, value: Value },
    Move { from: Pointer, path: Pointer },
    Copy { from: Pointer, path: Pointer },
    Test { path: Pointer, value: Value },
}

impl JsonPatchOp {
    /// The name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            JsonPatchOp::Add { .. } => "add",
            JsonPatchOp::Remove { .. } => "remove",
            JsonPatchOp::Replace { .. } => "replace",
            JsonPatchOp::Move { .. } => "move",
            JsonPatchOp::Copy { .. } => "copy",
            JsonPatchOp::Test { .. } => "test",
        }
    }

    fn path(&self) -> &Pointer {
        match self {
            JsonPatchOp::Add { path, .. }
            | JsonPatchOp::Remove { path }
            | JsonPatchOp::Replace { path, .. }
            | JsonPatchOp::Move { path, .. }
            | JsonPatchOp::Copy { path, .. }
            | JsonPatchOp::Test { path, .. } => path,
        }
    }
}

/// Whether a value looks like a JSON Patch: a list of operations that each have `op` and `path`.
pub(crate) fn is_one(value: &Value) -> bool {
    let is_op = |it: &Value| it.get("op").is_some() && it.get("path").is_some();
    matches!(value, Value::Array(items) if !items.is_empty() && items.iter().all(is_op))
}

pub(crate) fn decode(value: &Value, problems: &mut Problems) -> Option<JsonPatch> {
    let n_before = problems.count();
    let Value::Array(items) = value else {
        let kind =
            ProblemKind::WrongType { expected: "a list of operations", found: value.json_type() };
        problems.push(Pointer::root(), kind);
        return None;
    };
    if items.len() > MAX_OPS {
        let rule = "expected at most 10,000 operations";
        problems.push(Pointer::root(), ProblemKind::Malformed { rule });
        return None;
    }
    let mut ops = Vec::with_capacity(items.len());
    for (nth, item) in items.iter().enumerate() {
        ops.extend(decode_op(DecodePath::Item(&DecodePath::Root, nth), item, problems));
    }
    (problems.count() == n_before).then_some(JsonPatch { file: None, ops })
}

fn decode_op(at: DecodePath<'_>, value: &Value, problems: &mut Problems) -> Option<JsonPatchOp> {
    let mut it = PatchObject::open(at, value, problems)?;
    let name = it.string("op", problems);
    let path = it.pointer("path", problems);
    // The standard says that members which are not defined for an operation are ignored.
    Some(match name?.as_str() {
        "add" => JsonPatchOp::Add { value: it.value("value", problems)?, path: path? },
        "remove" => JsonPatchOp::Remove { path: path? },
        "replace" => JsonPatchOp::Replace { value: it.value("value", problems)?, path: path? },
        "move" => JsonPatchOp::Move { from: it.pointer("from", problems)?, path: path? },
        "copy" => JsonPatchOp::Copy { from: it.pointer("from", problems)?, path: path? },
        "test" => JsonPatchOp::Test { value: it.value("value", problems)?, path: path? },
        other => {
            let expected = "add, remove, replace, move, copy, test";
            let at = DecodePath::Member(&at, "op").pointer();
            problems.push(at, ProblemKind::unknown_name(other, expected));
            return None;
        }
    })
}

pub(crate) fn simulate(
    patch: &JsonPatch,
    snapshot: &Snapshot,
    index: &FileIndex,
    options: &Options<'_>,
) -> Simulation {
    let mut simulation = Simulation::nothing(PatchKind::JsonPatch, index);
    let named = patch.file.as_ref().map(ToString::to_string).unwrap_or_default();
    let (path, document) = match open(patch, snapshot, options) {
        Ok(found) => found,
        Err(failure) => {
            fail(&mut simulation, &named, 0, patch.ops.first(), &failure);
            return simulation;
        }
    };
    let mut draft = document.draft();
    for (op_index, op) in patch.ops.iter().enumerate() {
        match apply(&mut draft, op, options.show_values) {
            Ok(()) => simulation.applied.push(AppliedOp {
                action_id: None,
                op_index,
                op: op.name(),
                file: named.clone(),
                json_pointer: Some(op.path().to_string()),
            }),
            Err(failure) => {
                fail(&mut simulation, &named, op_index, Some(op), &failure);
                return simulation;
            }
        }
    }
    match draft.lower() {
        Ok(edits) => {
            let edits = [(path, edits)].into();
            let change = TreeChange::new(edits, [].into(), [].into(), [].into());
            simulation.change = change.expect("edits of one file exclude nothing");
        }
        Err(refusal) => {
            simulation.applied.clear();
            fail(&mut simulation, &named, 0, patch.ops.first(), &FailureCause::refused(&refusal));
        }
    }
    simulation
}

fn fail(
    simulation: &mut Simulation,
    file: &str,
    op_index: usize,
    op: Option<&JsonPatchOp>,
    failure: &FailureCause,
) {
    let failed = FailedOp {
        action_id: None,
        op_index,
        code: failure.code,
        file: file.to_owned(),
        json_pointer: op.map(|it| it.path().to_string()),
        expected: failure.expected.clone(),
        found: failure.found.clone(),
    };
    simulation.fail(failed, op.map_or("patch", JsonPatchOp::name), &failure.message);
}

fn open(
    patch: &JsonPatch,
    snapshot: &Snapshot,
    options: &Options<'_>,
) -> Result<(RelPath, std::sync::Arc<Document>), FailureCause> {
    let file = patch.file.as_ref().ok_or_else(|| {
        FailureCause::new(
            OpFailureCode::FileMissing,
            "a JSON Patch does not name its file; use `--file`",
        )
    })?;
    open_document(file, snapshot, options)
}

/// The document that a path leads to, through links that stay in the root.
pub(crate) fn open_document(
    file: &RelPath,
    snapshot: &Snapshot,
    options: &Options<'_>,
) -> Result<(RelPath, std::sync::Arc<Document>), FailureCause> {
    if let Some(refused) = options.refused.get(file) {
        return Err(FailureCause::untouchable(file, refused));
    }
    let path = resolve_links(snapshot, file).ok_or_else(|| {
        FailureCause::new(OpFailureCode::Link, format!("{file} leads out of the workspace"))
    })?;
    let text = match snapshot.get(&path) {
        Some(Entry::File(found)) => found.text(),
        Some(_) => {
            return Err(FailureCause::new(
                OpFailureCode::NotAFile,
                format!("{path} is not a regular file"),
            ));
        }
        None => {
            return Err(FailureCause::new(
                OpFailureCode::FileMissing,
                format!("{path} does not exist"),
            ));
        }
    };
    let format = Format::of_path(path.as_str()).ok_or_else(|| {
        FailureCause::new(
            OpFailureCode::UnsupportedFormat,
            format!("{path} is not a JSON, YAML or TOML file"),
        )
    })?;
    let document = document::parse(&text, format, &options.limits)
        .map_err(|error| FailureCause::unparsed(path.as_str(), &error))?;
    match document.not_alone() {
        Some(refusal) => Err(FailureCause::refused(&refusal)),
        None => Ok((path, document)),
    }
}

fn apply(draft: &mut Draft, op: &JsonPatchOp, show_values: bool) -> Result<(), FailureCause> {
    match op {
        JsonPatchOp::Add { path, value } => add(draft, path, value.clone(), show_values),
        JsonPatchOp::Remove { path } => {
            step(draft, Op::DeleteValue { at: path.clone() }, show_values)
        }
        JsonPatchOp::Replace { path, value } => {
            step(draft, Op::ReplaceValue { at: path.clone(), value: value.clone() }, show_values)
        }
        JsonPatchOp::Copy { from, path } => {
            let value = value_at(draft, from)?;
            add(draft, path, value, show_values)
        }
        JsonPatchOp::Move { from, path } => moved(draft, from, path, show_values),
        JsonPatchOp::Test { path, value } => {
            let found = value_at(draft, path)?;
            if found.equals(value) {
                return Ok(());
            }
            let mut failure =
                FailureCause::new(OpFailureCode::PreconditionFailed, "it has another value");
            if show_values {
                failure.expected = Some(cap(&value.to_json(), 200));
                failure.found = Some(cap(&found.to_json(), 200));
            }
            Err(failure)
        }
    }
}

fn step(draft: &mut Draft, op: Op, show_values: bool) -> Result<(), FailureCause> {
    draft
        .apply(&GuardedOp::from(op))
        .map(|_| ())
        .map_err(|error| FailureCause::of_op(&error, show_values))
}

fn value_at(draft: &mut Draft, at: &Pointer) -> Result<Value, FailureCause> {
    draft.value_at(at).ok_or_else(|| {
        FailureCause::new(
            OpFailureCode::PointerMissing,
            format!("there is nothing at {}", cap(&at.to_string(), 100)),
        )
    })
}

/// An item of an array is put in, a member of an object is made or replaced.
fn add(
    draft: &mut Draft,
    path: &Pointer,
    value: Value,
    show_values: bool,
) -> Result<(), FailureCause> {
    let Some((parent, last)) = path.split_last() else {
        return step(draft, Op::ReplaceValue { at: path.clone(), value }, show_values);
    };
    if draft.type_at(&parent) != Some(JsonType::Array) {
        return step(draft, Op::SetValue { at: path.clone(), value }, show_values);
    }
    let index = match last {
        "-" => None,
        digits => Some(array_index(digits)?),
    };
    step(draft, Op::InsertItem { at: parent, index, value }, show_values)
}

fn array_index(digits: &str) -> Result<usize, FailureCause> {
    let is_plain = digits.bytes().all(|it| it.is_ascii_digit());
    let has_zero = digits.len() > 1 && digits.starts_with('0');
    let parsed = digits.parse().ok().filter(|_| is_plain && !has_zero);
    parsed.ok_or_else(|| {
        FailureCause::new(
            OpFailureCode::BadIndex,
            format!("`{}` is not an array index", cap(digits, 40)),
        )
    })
}

fn moved(
    draft: &mut Draft,
    from: &Pointer,
    path: &Pointer,
    show_values: bool,
) -> Result<(), FailureCause> {
    let value = value_at(draft, from)?;
    if from == path {
        return Ok(());
    }
    if path.segments().starts_with(from.segments()) {
        return Err(FailureCause::new(
            OpFailureCode::IntoItself,
            "a value cannot be moved into itself",
        ));
    }
    // A member that gets another name in its object keeps its place and its comments.
    if let (Some((old_parent, old)), Some((new_parent, new))) =
        (from.split_last(), path.split_last())
        && old_parent == new_parent
        && draft.type_at(&old_parent) == Some(JsonType::Object)
        && draft.type_at(path).is_none()
    {
        let op = Op::RenameKey { at: old_parent, from: old.to_owned(), to: new.to_owned() };
        return step(draft, op, show_values);
    }
    step(draft, Op::DeleteValue { at: from.clone() }, show_values)?;
    add(draft, path, value, show_values)
}
