//! Fix-action documents (FA-12..FA-29, FA-31..FA-43).

use std::cmp::Ordering;
use std::collections::HashSet;

use check::{Confidence, Severity};
use document::{GuardedOp, Op, Pointer, Value};
use snapshot::RelPath;

use super::decode::{DecodePath, PatchObject, ProblemKind, Problems};
use super::encode::{document_value, expects as expects_value, integer, members, string};
use super::{Expects, Extra};

/// A fix-action document.
#[derive(Clone, PartialEq, Debug)]
pub struct FixActions {
    /// The version of what produced the fixes; any text.
    pub pack_version: String,
    /// The directory that the files are relative to, relative to the workspace; `None` is the workspace itself, `"."`.
    pub workspace_root: Option<RelPath>,
    /// The actions, in document order.
    pub fix_actions: Vec<FixAction>,
    /// Members that start with `x_`.
    pub extra: Extra,
}

/// Operations that belong together: all of them are applied, or none.
#[derive(Clone, PartialEq, Debug)]
pub struct FixAction {
    /// Unique in the document.
    pub id: String,
    /// A short label.
    pub title: String,
    /// How bad what it fixes is.
    pub severity: Severity,
    /// What it is meant to fix; at least one.
    pub targets: Vec<DiagnosticTarget>,
    /// What to do, in order; at least one.
    pub ops: Vec<FixOp>,
    /// A small explanation.
    pub notes: Option<String>,
    /// How sure the author is.
    pub confidence: Option<Confidence>,
    /// Members that start with `x_`.
    pub extra: Extra,
}

/// The diagnostic that an action is meant to fix: its id, or file, pointer and rule (FA-8, FA-21).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DiagnosticTarget {
    /// The file.
    pub file: Option<RelPath>,
    /// The place in it.
    pub json_pointer: Option<Pointer>,
    /// The rule.
    pub rule_id: Option<String>,
    /// The diagnostic.
    pub diagnostic_id: Option<String>,
    /// Members that start with `x_`.
    pub extra: Extra,
}

/// One operation on one file.
#[derive(Clone, PartialEq, Debug)]
pub struct FixOp {
    /// The file, relative to the document's `workspace_root`.
    pub file: RelPath,
    /// Where in the file.
    pub json_pointer: Pointer,
    /// In which document of a YAML stream, from 0: `x_document`.
    pub document: usize,
    /// What to do there.
    pub kind: FixOpKind,
    /// What must hold before.
    pub expects: Option<Expects>,
    /// Members that start with `x_`.
    pub extra: Extra,
}

/// The six operations (FA-26..FA-29, FA-31, FA-32).
#[derive(Clone, PartialEq, Debug)]
#[expect(
    missing_docs,
    reason = "the members are the contract's; `document::Op` says what they mean"
)]
pub enum FixOpKind {
    ReplaceValue { value: Value },
    AddValue { key: String, value: Value },
    RemoveKey { key: String },
    InsertArrayItem { index: Option<usize>, value: Value },
    ReplaceArrayItem { index: usize, value: Value },
    RenameKey { from: String, to: String },
}

pub(crate) const FIX_OPS: &str =
    "replace_value, add_value, remove_key, insert_array_item, replace_array_item, rename_key";

impl FixOpKind {
    /// The name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            FixOpKind::ReplaceValue { .. } => "replace_value",
            FixOpKind::AddValue { .. } => "add_value",
            FixOpKind::RemoveKey { .. } => "remove_key",
            FixOpKind::InsertArrayItem { .. } => "insert_array_item",
            FixOpKind::ReplaceArrayItem { .. } => "replace_array_item",
            FixOpKind::RenameKey { .. } => "rename_key",
        }
    }
}

impl FixOp {
    pub(crate) fn to_step(&self, at: Pointer) -> GuardedOp {
        let op = match self.kind.clone() {
            FixOpKind::ReplaceValue { value } => Op::ReplaceValue { at, value },
            FixOpKind::AddValue { key, value } => Op::AddKey { at, key, value },
            FixOpKind::RemoveKey { key } => Op::RemoveKey { at, key },
            FixOpKind::InsertArrayItem { index, value } => Op::InsertItem { at, index, value },
            FixOpKind::ReplaceArrayItem { index, value } => Op::ReplaceItem { at, index, value },
            FixOpKind::RenameKey { from, to } => Op::RenameKey { at, from, to },
        };
        let expects = self.expects.as_ref().map(Expects::to_document).unwrap_or_default();
        GuardedOp { op, document: self.document, expects, expects_parent: None }
    }
}

impl FixActions {
    /// The path of an operation's file from the workspace's root.
    pub fn resolve(&self, file: &RelPath) -> RelPath {
        match &self.workspace_root {
            None => file.clone(),
            Some(root) => root.join(file.as_str()).expect("two relative paths join to one"),
        }
    }

    /// The actions in the canonical order (FA-45..FA-48), in which they are applied: a document whose actions
    /// were found in another order has the same effect (FA-46).
    pub fn in_canonical_order(&self) -> Vec<&FixAction> {
        let mut keyed: Vec<_> =
            self.fix_actions.iter().map(|action| (action.sort_key(), action)).collect();
        keyed.sort_by(|left, right| left.0.cmp(&right.0));
        for tied in keyed.chunk_by_mut(|left, right| left.0 == right.0) {
            if tied.len() > 1 {
                tied.sort_by_cached_key(|(_, action)| action.to_value().to_json());
            }
        }
        keyed.into_iter().map(|(_, action)| action).collect()
    }

    /// Whether the document lists its actions in the canonical order.
    pub fn is_canonical(&self) -> bool {
        self.fix_actions.is_sorted_by(|left, right| left.canonical_cmp(right) != Ordering::Greater)
    }

    /// Puts the actions in the canonical order.
    pub fn sort(&mut self) {
        self.fix_actions = self.in_canonical_order().into_iter().cloned().collect();
    }

    /// The document in the contract's member order.
    pub fn to_value(&self) -> Value {
        let root = self.workspace_root.as_ref().map_or(".", RelPath::as_str);
        let actions = self.fix_actions.iter().map(FixAction::to_value).collect();
        members(
            vec![
                ("pack_version", string(&self.pack_version)),
                ("workspace_root", string(root)),
                ("fix_actions", Some(Value::Array(actions))),
            ],
            &self.extra,
        )
    }

    /// The canonical text: JSON, indented by two spaces, with a final newline.
    pub fn render(&self) -> String {
        self.to_value().to_json_pretty() + "\n"
    }
}

impl FixAction {
    /// FA-47, FA-48. Strings compare by their bytes.
    fn canonical_cmp(&self, other: &FixAction) -> Ordering {
        self.sort_key()
            .cmp(&other.sort_key())
            .then_with(|| self.to_value().to_json().cmp(&other.to_value().to_json()))
    }

    fn sort_key(&self) -> (Severity, &str, String, &str, &str) {
        let target = self.targets.first();
        (
            self.severity,
            target.and_then(|it| it.file.as_ref()).map_or("", RelPath::as_str),
            target
                .and_then(|it| it.json_pointer.as_ref())
                .map(Pointer::to_string)
                .unwrap_or_default(),
            target.and_then(|it| it.rule_id.as_deref()).unwrap_or_default(),
            &self.title,
        )
    }

    pub(crate) fn to_value(&self) -> Value {
        members(
            vec![
                ("id", string(&self.id)),
                ("title", string(&self.title)),
                ("severity", string(self.severity.name())),
                (
                    "targets",
                    Some(Value::Array(
                        self.targets.iter().map(DiagnosticTarget::to_value).collect(),
                    )),
                ),
                ("ops", Some(Value::Array(self.ops.iter().map(FixOp::to_value).collect()))),
                ("notes", self.notes.as_ref().and_then(string)),
                ("confidence", self.confidence.map(Confidence::name).and_then(string)),
            ],
            &self.extra,
        )
    }
}

impl DiagnosticTarget {
    pub(crate) fn to_value(&self) -> Value {
        members(
            vec![
                ("file", self.file.as_ref().and_then(string)),
                ("json_pointer", self.json_pointer.as_ref().and_then(|it| string(it.to_string()))),
                ("rule_id", self.rule_id.as_ref().and_then(string)),
                ("diagnostic_id", self.diagnostic_id.as_ref().and_then(string)),
            ],
            &self.extra,
        )
    }
}

impl FixOp {
    pub(crate) fn to_value(&self) -> Value {
        let mut fixed = vec![
            ("op", string(self.kind.name())),
            ("file", string(&self.file)),
            ("json_pointer", string(self.json_pointer.to_string())),
        ];
        match &self.kind {
            FixOpKind::ReplaceValue { value } => fixed.push(("value", Some(value.clone()))),
            FixOpKind::AddValue { key, value } => {
                fixed.extend([("key", string(key)), ("value", Some(value.clone()))]);
            }
            FixOpKind::RemoveKey { key } => fixed.push(("key", string(key))),
            FixOpKind::InsertArrayItem { index, value } => {
                let index = index.and_then(integer);
                fixed.extend([("value", Some(value.clone())), ("index", index)]);
            }
            FixOpKind::ReplaceArrayItem { index, value } => {
                fixed.extend([("index", integer(*index)), ("value", Some(value.clone()))]);
            }
            FixOpKind::RenameKey { from, to } => {
                fixed.extend([("from", string(from)), ("to", string(to))]);
            }
        }
        fixed.push(("expects", self.expects.as_ref().map(expects_value)));
        fixed.push(("x_document", document_value(self.document)));
        members(fixed, &self.extra)
    }
}

pub(crate) fn decode_fix_actions(value: &Value, problems: &mut Problems) -> Option<FixActions> {
    let n_before = problems.count();
    let mut top = PatchObject::open(DecodePath::Root, value, problems)?;
    let pack_version = top.string("pack_version", problems);
    let workspace_root = top.string("workspace_root", problems);
    let workspace_root = match workspace_root.as_deref() {
        None | Some(".") => None,
        Some(root) => RelPath::parse(root)
            .map_err(|error| {
                let at = DecodePath::Member(&DecodePath::Root, "workspace_root").pointer();
                problems.push(at, ProblemKind::UnsafePath(error));
            })
            .ok(),
    };
    let list = top.list("fix_actions", problems).unwrap_or_default();
    let extra = top.close(problems);
    let mut ids = HashSet::new();
    let mut fix_actions = Vec::with_capacity(list.len());
    let list_at = DecodePath::Member(&DecodePath::Root, "fix_actions");
    for (index, value) in list.iter().enumerate() {
        let at = DecodePath::Item(&list_at, index);
        let Some(action) = decode_action(at, value, problems) else { continue };
        if !ids.insert(action.id.clone()) {
            problems.push(DecodePath::Member(&at, "id").pointer(), ProblemKind::DuplicateId);
        }
        fix_actions.push(action);
    }
    let pack_version = pack_version.filter(|_| problems.count() == n_before)?;
    Some(FixActions { pack_version, workspace_root, fix_actions, extra })
}

fn decode_action(at: DecodePath<'_>, value: &Value, problems: &mut Problems) -> Option<FixAction> {
    let mut action = PatchObject::open(at, value, problems)?;
    let id = action.non_empty("id", problems);
    let title = action.string("title", problems);
    if title.as_ref().is_some_and(|it| !is_label(it)) {
        let rule = "expected a title on one line, of 1 to 120 characters";
        problems.push(DecodePath::Member(&at, "title").pointer(), ProblemKind::Malformed { rule });
    }
    let severity = decode_severity(&mut action, problems);
    let targets = decode_some("targets", &mut action, problems, decode_target);
    let ops = decode_some("ops", &mut action, problems, decode_op);
    let notes = action.optional_string("notes", problems);
    let confidence = action.optional_string("confidence", problems).and_then(|name| {
        let found = Confidence::from_name(&name);
        if found.is_none() {
            let kind = ProblemKind::unknown_name(&name, "high, medium, low");
            problems.push(DecodePath::Member(&at, "confidence").pointer(), kind);
        }
        found
    });
    let extra = action.close(problems);
    Some(FixAction {
        id: id?,
        title: title?,
        severity: severity?,
        targets,
        ops,
        notes,
        confidence,
        extra,
    })
}

fn is_label(title: &str) -> bool {
    (1..=120).contains(&title.chars().count()) && !title.contains(['\n', '\r'])
}

fn decode_severity(action: &mut PatchObject<'_>, problems: &mut Problems) -> Option<Severity> {
    let name = action.string("severity", problems)?;
    let severity = Severity::from_name(&name);
    if severity.is_none() {
        let kind = ProblemKind::unknown_name(&name, "error, warning, info");
        problems.push(DecodePath::Member(action.at(), "severity").pointer(), kind);
    }
    severity
}

/// A list with at least one item (FA-20, FA-22).
fn decode_some<T>(
    name: &'static str,
    action: &mut PatchObject<'_>,
    problems: &mut Problems,
    decode: fn(DecodePath<'_>, &Value, &mut Problems) -> Option<T>,
) -> Vec<T> {
    let Some(list) = action.list(name, problems) else { return Vec::new() };
    let list_at = DecodePath::Member(action.at(), name);
    if list.is_empty() {
        let rule = "expected at least one item";
        problems.push(list_at.pointer(), ProblemKind::Malformed { rule });
    }
    let items = list.iter().enumerate();
    items
        .filter_map(|(index, value)| decode(DecodePath::Item(&list_at, index), value, problems))
        .collect()
}

fn decode_target(
    at: DecodePath<'_>,
    value: &Value,
    problems: &mut Problems,
) -> Option<DiagnosticTarget> {
    let mut target = PatchObject::open(at, value, problems)?;
    let diagnostic_id = target.optional_string("diagnostic_id", problems);
    let (file, json_pointer, rule_id);
    if target.optional("diagnostic_id").is_some() {
        file = target.optional_path("file", problems);
        json_pointer = match target.optional("json_pointer") {
            Some(_) => target.pointer("json_pointer", problems),
            None => None,
        };
        rule_id = target.optional_string("rule_id", problems);
    } else {
        file = target.path("file", problems);
        json_pointer = target.pointer("json_pointer", problems);
        rule_id = target.string("rule_id", problems);
    }
    let extra = target.close(problems);
    Some(DiagnosticTarget { file, json_pointer, rule_id, diagnostic_id, extra })
}

fn decode_op(at: DecodePath<'_>, value: &Value, problems: &mut Problems) -> Option<FixOp> {
    let mut op = PatchObject::open(at, value, problems)?;
    let name = op.string("op", problems);
    let file = op.path("file", problems);
    let json_pointer = op.pointer("json_pointer", problems);
    let kind = match name.as_deref()? {
        "replace_value" => {
            op.value("value", problems).map(|value| FixOpKind::ReplaceValue { value })
        }
        "add_value" => op
            .string("key", problems)
            .zip(op.value("value", problems))
            .map(|(key, value)| FixOpKind::AddValue { key, value }),
        "remove_key" => op.string("key", problems).map(|key| FixOpKind::RemoveKey { key }),
        "insert_array_item" => {
            let index = op.optional_index("index", problems);
            op.value("value", problems).map(|value| FixOpKind::InsertArrayItem { index, value })
        }
        "replace_array_item" => op
            .index("index", problems)
            .zip(op.value("value", problems))
            .map(|(index, value)| FixOpKind::ReplaceArrayItem { index, value }),
        "rename_key" => op
            .string("from", problems)
            .zip(op.string("to", problems))
            .map(|(from, to)| FixOpKind::RenameKey { from, to }),
        other => {
            let kind = ProblemKind::unknown_name(other, FIX_OPS);
            problems.push(DecodePath::Member(&at, "op").pointer(), kind);
            return None;
        }
    };
    let expects = op.expects(false, problems);
    let document = op.optional_index("x_document", problems).unwrap_or(0);
    let extra = op.close(problems);
    Some(FixOp { file: file?, json_pointer: json_pointer?, document, kind: kind?, expects, extra })
}
