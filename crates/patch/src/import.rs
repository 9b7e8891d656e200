//! Dialects that other validators write (B-3). They are read, never written: [`import()`] translates them with the files
//! at hand, because what `add` means depends on what is there.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use check::Severity;
use document::{Document, Format, JsonType, Pointer, Value};
use snapshot::{FileIndex, RelPath, Snapshot};

use crate::diagnose;
use crate::failure::{FailedOp, FailureCause, OpFailureCode, cap};
use crate::kind::{Patch, PatchKind, PatchRejection};
use crate::simulate::{Options, resolve_links};
use crate::v1::decode::{DecodePath, PatchObject, ProblemKind, Problems};
use crate::v1::{
    Changeset, ChangesetOp, ChangesetOpKind, DiagnosticTarget, Expects, Extra, FixAction,
    FixActions, FixOp, FixOpKind,
};

/// Says of a changeset which dialect it was translated from.
pub(crate) const DIALECT_MEMBER: &str = "x_dialect";

/// A dialect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dialect {
    /// `fix_actions` whose entries are single operations: `{op, file, json_pointer, value, reason_rule_id}`.
    FlatFixActions,
    /// `diagnostics` with a `fix_hint`: `{action, old, new, path}`.
    FixHints,
    /// `changes` with operations relative to an element: `{file, file_uid, operations}`.
    Changes,
}

impl Dialect {
    /// The contract that it is translated to.
    pub fn kind(self) -> PatchKind {
        match self {
            Dialect::FlatFixActions | Dialect::FixHints => PatchKind::FixActions,
            Dialect::Changes => PatchKind::Changeset,
        }
    }
}

/// A document in a dialect.
#[derive(Clone, PartialEq, Debug)]
pub struct Foreign {
    dialect: Dialect,
    /// The document's name in its own words: its version, or its id.
    name: String,
    ops: Vec<ForeignOp>,
}

#[derive(Clone, PartialEq, Debug)]
struct ForeignOp {
    op: String,
    file: Option<RelPath>,
    file_uid: Option<String>,
    element_uid: Option<String>,
    pointer: Pointer,
    value: Option<Value>,
    old: Option<Value>,
    from: Option<String>,
    to: Option<String>,
    rule_id: String,
}

impl Foreign {
    /// The contract that it is translated to.
    pub fn kind(&self) -> PatchKind {
        self.dialect.kind()
    }

    /// The dialect.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    pub(crate) fn paths(&self, index: &FileIndex) -> BTreeSet<RelPath> {
        self.ops.iter().filter_map(|op| op.path(index)).collect()
    }
}

impl ForeignOp {
    fn path(&self, index: &FileIndex) -> Option<RelPath> {
        let by_uid = self.file_uid.as_ref().and_then(|uid| index.path_of(uid));
        by_uid.or_else(|| self.file.clone())
    }
}

/// The dialect of a document, if it is in one.
pub(crate) fn detect(value: &Value) -> Option<Dialect> {
    if let Some(Value::Array(actions)) = value.get("fix_actions") {
        let names_op = |it: &Value| it.get("op").is_some() || it.get("type").is_some();
        let is_flat = |it: &Value| names_op(it) && it.get("ops").is_none();
        return actions.first().is_some_and(is_flat).then_some(Dialect::FlatFixActions);
    }
    if matches!(value.get("changes"), Some(Value::Array(_))) {
        return Some(Dialect::Changes);
    }
    match value.get("diagnostics") {
        Some(Value::Array(list)) if list.iter().any(|it| it.get("fix_hint").is_some()) => {
            Some(Dialect::FixHints)
        }
        _ => None,
    }
}

/// Reads the operations of a dialect. Members that do not matter for them are not looked at: the dialects are not
/// closed.
pub(crate) fn decode(dialect: Dialect, value: &Value, problems: &mut Problems) -> Option<Foreign> {
    let n_before = problems.count();
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let (list_name, name) = match dialect {
        Dialect::FlatFixActions => ("fix_actions", text("pack_version")),
        Dialect::FixHints => ("diagnostics", text("pack_version")),
        Dialect::Changes => ("changes", text("id")),
    };
    let mut ops = Vec::new();
    let list_at = DecodePath::Member(&DecodePath::Root, list_name);
    let list = match value.get(list_name) {
        Some(Value::Array(items)) => items.as_slice(),
        _ => &[],
    };
    for (index, value) in list.iter().enumerate() {
        let at = DecodePath::Item(&list_at, index);
        match dialect {
            Dialect::FlatFixActions => ops.extend(decode_flat(at, value, problems)),
            Dialect::FixHints => ops.extend(decode_hint(at, value, problems)),
            Dialect::Changes => decode_change(at, value, &mut ops, problems),
        }
    }
    let name = name.unwrap_or_else(|| "unknown".to_owned());
    (problems.count() == n_before).then_some(Foreign { dialect, name, ops })
}

fn decode_flat(at: DecodePath<'_>, value: &Value, problems: &mut Problems) -> Option<ForeignOp> {
    let mut it = PatchObject::open(at, value, problems)?;
    let op = it.string(if value.get("op").is_some() { "op" } else { "type" }, problems);
    let file = it.path(if value.get("file").is_some() { "file" } else { "path" }, problems);
    let pointer = it.pointer("json_pointer", problems);
    let rule_id = it.optional_string("reason_rule_id", problems).unwrap_or_default();
    let (from, to) = (it.optional_string("from", problems), it.optional_string("to", problems));
    let value = it.optional_value("value", problems);
    Some(ForeignOp {
        op: op?,
        file: Some(file?),
        file_uid: None,
        element_uid: None,
        pointer: pointer?,
        value,
        old: None,
        from,
        to,
        rule_id,
    })
}

fn decode_hint(at: DecodePath<'_>, value: &Value, problems: &mut Problems) -> Option<ForeignOp> {
    let hint = value.get("fix_hint")?;
    let mut it = PatchObject::open(at, value, problems)?;
    let file = it.path("file", problems);
    let rule_id = it.optional_string("rule_id", problems).unwrap_or_default();
    let hint_at = DecodePath::Member(&at, "fix_hint");
    let mut hint = PatchObject::open(hint_at, hint, problems)?;
    let is_action = hint.optional("action").is_some();
    let action = hint.string(if is_action { "action" } else { "type" }, problems);
    let is_place = matches!(hint.optional("path").and_then(Value::as_str), Some(path) if path.starts_with('/'));
    let pointer = if is_place {
        hint.pointer("path", problems)
    } else {
        it.pointer("json_pointer", problems)
    };
    Some(ForeignOp {
        op: action?,
        file: Some(file?),
        file_uid: None,
        element_uid: None,
        pointer: pointer?,
        value: hint.optional_value("new", problems),
        old: hint.optional_value("old", problems),
        from: None,
        to: None,
        rule_id,
    })
}

fn decode_change(
    at: DecodePath<'_>,
    value: &Value,
    ops: &mut Vec<ForeignOp>,
    problems: &mut Problems,
) {
    let Some(mut change) = PatchObject::open(at, value, problems) else { return };
    let file = change.optional_path("file", problems);
    let file_uid = change.optional_string("file_uid", problems);
    if file.is_none() && file_uid.is_none() {
        problems.push(at.pointer(), ProblemKind::MissingMember { name: "file_uid" });
    }
    let list = change.list("operations", problems).unwrap_or_default();
    let list_at = DecodePath::Member(&at, "operations");
    for (index, value) in list.iter().enumerate() {
        let Some(mut it) = PatchObject::open(DecodePath::Item(&list_at, index), value, problems)
        else {
            continue;
        };
        let (op, pointer) = (it.string("op", problems), it.pointer("pointer", problems));
        let element_uid = it.optional_string("element_uid", problems);
        let (Some(op), Some(pointer)) = (op, pointer) else { continue };
        ops.push(ForeignOp {
            op,
            file: file.clone(),
            file_uid: file_uid.clone(),
            element_uid,
            pointer,
            value: it.optional_value("value", problems),
            old: None,
            from: None,
            to: None,
            rule_id: String::new(),
        });
    }
}

/// Translates a dialect. What has no equivalent is refused, with every operation that is to blame.
pub fn import(
    foreign: &Foreign,
    snapshot: &Snapshot,
    index: &FileIndex,
    options: &Options<'_>,
) -> Result<Patch, PatchRejection> {
    let mut files = Files { snapshot, options, loaded: HashMap::new() };
    let mut refused = Vec::new();
    let mut actions = Vec::new();
    let mut ops = Vec::new();
    for (op_index, op) in foreign.ops.iter().enumerate() {
        let outcome = match foreign.kind() {
            PatchKind::Changeset => to_changeset_op(op, &mut files, index).map(|it| ops.push(it)),
            _ => to_action(op, op_index, &mut files).map(|it| actions.push(it)),
        };
        if let Err((code, message)) = outcome {
            refused.push((op_index, op, code, message));
        }
    }
    if !refused.is_empty() {
        return Err(rejection(foreign.kind(), index, refused));
    }
    Ok(match foreign.kind() {
        PatchKind::Changeset => Patch::Changeset(Changeset {
            changeset_uid: foreign.name.clone(),
            target_workspace_uid: None,
            base: None,
            ops,
            extra: vec![(DIALECT_MEMBER.to_owned(), Value::String("ptbl_changeset".to_owned()))],
        }),
        _ => Patch::FixActions(FixActions {
            pack_version: foreign.name.clone(),
            workspace_root: None,
            fix_actions: actions,
            extra: Extra::new(),
        }),
    })
}

type Untranslated = (OpFailureCode, String);

fn rejection(
    kind: PatchKind,
    index: &FileIndex,
    refused: Vec<(usize, &ForeignOp, OpFailureCode, String)>,
) -> PatchRejection {
    let (mut failed, mut diagnostics) = (Vec::new(), Vec::new());
    for (op_index, op, code, message) in refused {
        let it = FailedOp {
            action_id: None,
            op_index,
            code,
            file: op.path(index).map(|path| path.to_string()).unwrap_or_default(),
            json_pointer: Some(op.pointer.to_string()),
            expected: None,
            found: None,
        };
        diagnostics.push(diagnose::of_failed(kind, &it, &cap(&op.op, 64), &message));
        failed.push(it);
    }
    check::assign_ids(&mut diagnostics);
    PatchRejection { kind: Some(kind), failed, diagnostics }
}

fn to_action(
    op: &ForeignOp,
    op_index: usize,
    files: &mut Files<'_>,
) -> Result<FixAction, Untranslated> {
    let file = op.file.clone().ok_or_else(|| no_file(op))?;
    let (json_pointer, kind) = match op.op.as_str() {
        "replace" | "replace_value" => {
            (op.pointer.clone(), FixOpKind::ReplaceValue { value: required_value(op)? })
        }
        "add" => add(op, &file, files)?,
        "remove" => {
            let (parent, key) = split(op)?;
            (parent, FixOpKind::RemoveKey { key })
        }
        "rename_key" => match (&op.from, &op.to) {
            (Some(from), Some(to)) => {
                (op.pointer.clone(), FixOpKind::RenameKey { from: from.clone(), to: to.clone() })
            }
            _ => return Err(invalid("`rename_key` needs `from` and `to`")),
        },
        other => return Err(no_equivalent(other)),
    };
    let expects = op.old.clone().map(|old| Expects { equals: Some(old), ..Expects::default() });
    let target = DiagnosticTarget {
        file: Some(file.clone()),
        json_pointer: Some(op.pointer.clone()),
        rule_id: Some(op.rule_id.clone()),
        ..DiagnosticTarget::default()
    };
    Ok(FixAction {
        id: format!("FIX_{op_index:06}"),
        title: cap(&format!("{} {}", kind.name(), op.pointer), 100),
        severity: Severity::Info,
        targets: vec![target],
        ops: vec![FixOp { file, json_pointer, document: 0, kind, expects, extra: Extra::new() }],
        notes: None,
        confidence: None,
        extra: vec![("x_synthetic".to_owned(), Value::Bool(true))],
    })
}

/// `add` makes a key of an object or an item of an array, as the container says.
fn add(
    op: &ForeignOp,
    file: &RelPath,
    files: &mut Files<'_>,
) -> Result<(Pointer, FixOpKind), Untranslated> {
    let value = required_value(op)?;
    let (parent, segment) = split(op)?;
    match files.load(file)?.document.value_at(&parent).map(|it| it.json_type()) {
        Some(JsonType::Array) if segment == "-" => {
            Ok((parent, FixOpKind::InsertArrayItem { index: None, value }))
        }
        Some(JsonType::Array) => {
            let index = segment.parse().map_err(|_| invalid("the array index is not a number"))?;
            Ok((parent, FixOpKind::InsertArrayItem { index: Some(index), value }))
        }
        _ => Ok((parent, FixOpKind::AddValue { key: segment, value })),
    }
}

fn to_changeset_op(
    op: &ForeignOp,
    files: &mut Files<'_>,
    index: &FileIndex,
) -> Result<ChangesetOp, Untranslated> {
    let path = op.path(index).ok_or_else(|| no_file(op))?;
    let file_uid = match &op.file_uid {
        Some(uid) if index.path_of(uid).is_some() => uid.clone(),
        // A uid that only the other tool's layout defines: the file's own name stands in for it.
        _ => index.uid_of(&path).map_err(|error| (OpFailureCode::UidInUse, error.to_string()))?,
    };
    let file = files.load(&path)?;
    let json_pointer = match &op.element_uid {
        None => op.pointer.clone(),
        Some(uid) => {
            let element = file.find_element(uid)?;
            let segments = element.segments().iter().chain(op.pointer.segments());
            Pointer::from_segments(segments.cloned())
        }
    };
    let kind = match op.op.as_str() {
        "replace" => ChangesetOpKind::SetValue { json_pointer, value: required_value(op)? },
        "remove" => ChangesetOpKind::DeleteValue { json_pointer },
        "add" => {
            let value = required_value(op)?;
            let parent = json_pointer.split_last().map(|(parent, last)| (parent, last.to_owned()));
            let items = |at: &Pointer| match file.document.value_at(at) {
                Some(Value::Array(items)) => Some(items.len()),
                _ => None,
            };
            match parent.map(|(parent, last)| (items(&parent), parent, last)) {
                Some((Some(len), json_pointer, last)) => {
                    let index = if last == "-" { Some(len) } else { last.parse().ok() };
                    let index = index.ok_or_else(|| invalid("the array index is not a number"))?;
                    ChangesetOpKind::InsertIntoArray { json_pointer, index, value }
                }
                _ => ChangesetOpKind::SetValue { json_pointer, value },
            }
        }
        other => return Err(no_equivalent(other)),
    };
    Ok(ChangesetOp {
        document: 0,
        file_uid,
        path: None,
        kind,
        expects: None,
        expects_parent: None,
        extra: Extra::new(),
    })
}

/// The files that a dialect looks into, each parsed once.
struct Files<'a> {
    snapshot: &'a Snapshot,
    options: &'a Options<'a>,
    loaded: HashMap<RelPath, LoadedFile>,
}

struct LoadedFile {
    document: Arc<Document>,
    /// Where the elements stand; made when they are first asked for.
    elements: Option<Elements>,
}

impl Files<'_> {
    fn load(&mut self, path: &RelPath) -> Result<&mut LoadedFile, Untranslated> {
        if !self.loaded.contains_key(path) {
            let document = self.parse(path)?;
            self.loaded.insert(path.clone(), LoadedFile { document, elements: None });
        }
        Ok(self.loaded.get_mut(path).expect("loaded in the lines above"))
    }

    fn parse(&self, path: &RelPath) -> Result<Arc<Document>, Untranslated> {
        if let Some(refused) = self.options.refused.get(path) {
            let failure = FailureCause::untouchable(path, refused);
            return Err((failure.code, failure.message));
        }
        let format = Format::of_path(path.as_str()).ok_or_else(|| {
            (OpFailureCode::UnsupportedFormat, format!("{path} is not a JSON, YAML or TOML file"))
        })?;
        let target = resolve_links(self.snapshot, path);
        let file = target.and_then(|target| self.snapshot.file(&target)).ok_or_else(|| {
            (OpFailureCode::FileMissing, format!("{path} does not exist or was not read"))
        })?;
        document::parse(&file.text(), format, &self.options.limits)
            .map_err(|error| (OpFailureCode::ParseFailed, cap(&error.message, 200)))
    }
}

/// The elements of a document: objects with a `uid`, and objects under a key that is their uid.
#[derive(Default)]
struct Elements {
    by_uid: HashMap<String, Vec<Pointer>>,
    by_key: HashMap<String, Vec<Pointer>>,
}

impl LoadedFile {
    /// The one object of the document with this `uid`, else the one object under this key.
    fn find_element(&mut self, uid: &str) -> Result<Pointer, Untranslated> {
        let elements = self.elements.get_or_insert_with(|| {
            let mut elements = Elements::default();
            collect_elements(&self.document.value(), &mut Vec::new(), &mut elements);
            elements
        });
        let found = elements.by_uid.get(uid).or_else(|| elements.by_key.get(uid));
        match found.map(Vec::as_slice).unwrap_or_default() {
            [only] => Ok(only.clone()),
            [] => Err((
                OpFailureCode::PointerMissing,
                "no element of the file has this uid".to_owned(),
            )),
            several => {
                let message = format!("{} elements of the file have this uid", several.len());
                Err((OpFailureCode::Conflict, message))
            }
        }
    }
}

fn collect_elements(value: &Value, at: &mut Vec<String>, found: &mut Elements) {
    let members: Vec<(String, &Value)> = match value {
        Value::Object(members) => {
            let pointer = || Pointer::from_segments(at.iter().cloned());
            if let Some(uid) = value.get("uid").and_then(Value::as_str) {
                found.by_uid.entry(uid.to_owned()).or_default().push(pointer());
            }
            for (key, _) in members.iter().filter(|it| matches!(it.1, Value::Object(_))) {
                found.by_key.entry(key.clone()).or_default().push(pointer().join(key.as_str()));
            }
            members.iter().map(|(key, value)| (key.clone(), value)).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect()
        }
        _ => return,
    };
    for (segment, value) in members {
        at.push(segment);
        collect_elements(value, at, found);
        at.pop();
    }
}

fn required_value(op: &ForeignOp) -> Result<Value, Untranslated> {
    op.value.clone().ok_or_else(|| invalid("the operation needs a value"))
}

fn split(op: &ForeignOp) -> Result<(Pointer, String), Untranslated> {
    let (parent, last) = op
        .pointer
        .split_last()
        .ok_or_else(|| (OpFailureCode::Root, "the root cannot be added or removed".to_owned()))?;
    Ok((parent, last.to_owned()))
}

fn no_file(op: &ForeignOp) -> Untranslated {
    match op.file_uid {
        Some(_) => (OpFailureCode::UidUnknown, "no file has this uid".to_owned()),
        None => (OpFailureCode::FileMissing, "the operation names no file".to_owned()),
    }
}

fn invalid(message: &str) -> Untranslated {
    (OpFailureCode::InvalidDocument, message.to_owned())
}

fn no_equivalent(op: &str) -> Untranslated {
    let reason = match op {
        "reorder_keys" => "neither contract can change the order of keys",
        "move" => "a move has no equivalent among fix actions",
        _ => "the operation is unknown",
    };
    (OpFailureCode::InvalidDocument, format!("`{}`: {reason}", cap(op, 64)))
}
