//! Changesets (CS-12..CS-43), with regreen's extensions: `expects`, `expects_parent` and `keep_position` on
//! operations, `base` (CS-65) and `x_provenance` on the document.

use document::{GuardedOp, JsonType, Op, Pointer, Value};
use edit::ContentHash;
use snapshot::RelPath;

use super::decode::{DecodePath, PatchObject, ProblemKind, Problems};
use super::encode::{
    document_value, expects as expects_value, integer, json_type, members, string,
};
use super::{Expects, Extra};

/// A changeset: operations that are applied in order, all of them or none.
#[derive(Clone, PartialEq, Debug)]
pub struct Changeset {
    /// Its stable name.
    pub changeset_uid: String,
    /// The workspace it is for; `None` is the current one.
    pub target_workspace_uid: Option<String>,
    /// The hash of the snapshot it was made for.
    pub base: Option<ContentHash>,
    /// The operations, in order.
    pub ops: Vec<ChangesetOp>,
    /// Members that start with `x_`, `x_provenance` among them.
    pub extra: Extra,
}

/// One operation.
#[derive(Clone, PartialEq, Debug)]
pub struct ChangesetOp {
    /// The file that it is about (CS-3).
    pub file_uid: String,
    /// Where the author thinks the file is: checked, never used to find it (CS-5). `None` for `add_file`.
    pub path: Option<RelPath>,
    /// In which document of a YAML stream, from 0: `x_document`.
    pub document: usize,
    /// What to do.
    pub kind: ChangesetOpKind,
    /// What must hold of the addressed slot before.
    pub expects: Option<Expects>,
    /// What type the container of the addressed slot must have.
    pub expects_parent: Option<JsonType>,
    /// Members that start with `x_`.
    pub extra: Extra,
}

/// The seven operations (CS-18).
#[derive(Clone, PartialEq, Debug)]
#[expect(
    missing_docs,
    reason = "the members are the contract's; `document::Op` says what they mean"
)]
pub enum ChangesetOpKind {
    SetValue { json_pointer: Pointer, value: Value },
    DeleteValue { json_pointer: Pointer },
    InsertIntoArray { json_pointer: Pointer, index: usize, value: Value },
    MoveValue { from_pointer: Pointer, to_pointer: Pointer, keep_position: bool },
    RenameFile { new_path: RelPath },
    AddFile { path: RelPath, content: String },
    DeleteFile,
}

pub(crate) const CHANGESET_OPS: &str =
    "set_value, delete_value, insert_into_array, move_value, rename_file, add_file, delete_file";

impl ChangesetOpKind {
    /// The name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            ChangesetOpKind::SetValue { .. } => "set_value",
            ChangesetOpKind::DeleteValue { .. } => "delete_value",
            ChangesetOpKind::InsertIntoArray { .. } => "insert_into_array",
            ChangesetOpKind::MoveValue { .. } => "move_value",
            ChangesetOpKind::RenameFile { .. } => "rename_file",
            ChangesetOpKind::AddFile { .. } => "add_file",
            ChangesetOpKind::DeleteFile => "delete_file",
        }
    }

    /// The place in the file, for the operations that have one.
    pub fn pointer(&self) -> Option<&Pointer> {
        match self {
            ChangesetOpKind::SetValue { json_pointer, .. }
            | ChangesetOpKind::DeleteValue { json_pointer }
            | ChangesetOpKind::InsertIntoArray { json_pointer, .. } => Some(json_pointer),
            ChangesetOpKind::MoveValue { from_pointer, .. } => Some(from_pointer),
            ChangesetOpKind::RenameFile { .. }
            | ChangesetOpKind::AddFile { .. }
            | ChangesetOpKind::DeleteFile => None,
        }
    }
}

impl ChangesetOp {
    /// The operation on a document; `None` for the operations on files.
    pub(crate) fn to_step(&self) -> Option<GuardedOp> {
        let op = match self.kind.clone() {
            ChangesetOpKind::SetValue { json_pointer: at, value } => Op::SetValue { at, value },
            ChangesetOpKind::DeleteValue { json_pointer: at } => Op::DeleteValue { at },
            ChangesetOpKind::InsertIntoArray { json_pointer: at, index, value } => {
                Op::InsertItem { at, index: Some(index), value }
            }
            ChangesetOpKind::MoveValue { from_pointer: from, to_pointer: to, keep_position } => {
                Op::MoveValue { from, to, keep_position }
            }
            ChangesetOpKind::RenameFile { .. }
            | ChangesetOpKind::AddFile { .. }
            | ChangesetOpKind::DeleteFile => return None,
        };
        let expects = self.expects.as_ref().map(Expects::to_document).unwrap_or_default();
        let (document, expects_parent) = (self.document, self.expects_parent);
        Some(GuardedOp { op, document, expects, expects_parent })
    }

    fn to_value(&self) -> Value {
        let mut fixed =
            vec![("type", string(self.kind.name())), ("file_uid", string(&self.file_uid))];
        fixed.push(("path", self.path.as_ref().and_then(string)));
        let pointer = |it: &Pointer| string(it.to_string());
        match &self.kind {
            ChangesetOpKind::SetValue { json_pointer, value } => fixed
                .extend([("json_pointer", pointer(json_pointer)), ("value", Some(value.clone()))]),
            ChangesetOpKind::DeleteValue { json_pointer } => {
                fixed.push(("json_pointer", pointer(json_pointer)));
            }
            ChangesetOpKind::InsertIntoArray { json_pointer, index, value } => fixed.extend([
                ("json_pointer", pointer(json_pointer)),
                ("index", integer(*index)),
                ("value", Some(value.clone())),
            ]),
            ChangesetOpKind::MoveValue { from_pointer, to_pointer, keep_position } => {
                fixed.extend([
                    ("from_pointer", pointer(from_pointer)),
                    ("to_pointer", pointer(to_pointer)),
                    ("keep_position", keep_position.then_some(Value::Bool(true))),
                ])
            }
            ChangesetOpKind::RenameFile { new_path } => fixed.push(("new_path", string(new_path))),
            ChangesetOpKind::AddFile { path, content } => {
                fixed.extend([("path", string(path)), ("content", string(content))]);
            }
            ChangesetOpKind::DeleteFile => {}
        }
        let parent =
            self.expects_parent.map(|it| members(vec![("type", json_type(it))], &Extra::new()));
        fixed.extend([
            ("expects", self.expects.as_ref().map(expects_value)),
            ("expects_parent", parent),
            ("x_document", document_value(self.document)),
        ]);
        members(fixed, &self.extra)
    }
}

impl Changeset {
    /// The document in the contract's member order.
    pub fn to_value(&self) -> Value {
        let ops = self.ops.iter().map(ChangesetOp::to_value).collect();
        members(
            vec![
                ("changeset_uid", string(&self.changeset_uid)),
                ("target_workspace_uid", self.target_workspace_uid.as_ref().and_then(string)),
                ("base", self.base.and_then(|it| string(it.to_string()))),
                ("ops", Some(Value::Array(ops))),
            ],
            &self.extra,
        )
    }

    /// The canonical text: JSON, indented by two spaces, with a final newline.
    pub fn render(&self) -> String {
        self.to_value().to_json_pretty() + "\n"
    }
}

pub(crate) fn decode_changeset(value: &Value, problems: &mut Problems) -> Option<Changeset> {
    let n_before = problems.count();
    let mut top = PatchObject::open(DecodePath::Root, value, problems)?;
    let changeset_uid = top.non_empty("changeset_uid", problems);
    let target_workspace_uid = top.optional_string("target_workspace_uid", problems);
    let base = top.optional_hash("base", problems);
    let list = top.list("ops", problems).unwrap_or_default();
    let extra = top.close(problems);
    let list_at = DecodePath::Member(&DecodePath::Root, "ops");
    let items = list.iter().enumerate();
    let ops = items
        .filter_map(|(index, value)| decode_op(DecodePath::Item(&list_at, index), value, problems))
        .collect();
    let changeset_uid = changeset_uid.filter(|_| problems.count() == n_before)?;
    Some(Changeset { changeset_uid, target_workspace_uid, base, ops, extra })
}

fn decode_op(at: DecodePath<'_>, value: &Value, problems: &mut Problems) -> Option<ChangesetOp> {
    let mut op = PatchObject::open(at, value, problems)?;
    let name = op.string("type", problems);
    let file_uid = op.non_empty("file_uid", problems);
    let name = name?;
    let path = if name == "add_file" { None } else { op.optional_path("path", problems) };
    let kind = match name.as_str() {
        "set_value" => op
            .pointer("json_pointer", problems)
            .zip(op.value("value", problems))
            .map(|(json_pointer, value)| ChangesetOpKind::SetValue { json_pointer, value }),
        "delete_value" => op
            .pointer("json_pointer", problems)
            .map(|json_pointer| ChangesetOpKind::DeleteValue { json_pointer }),
        "insert_into_array" => op
            .pointer("json_pointer", problems)
            .zip(op.index("index", problems))
            .zip(op.value("value", problems))
            .map(|((json_pointer, index), value)| ChangesetOpKind::InsertIntoArray {
                json_pointer,
                index,
                value,
            }),
        "move_value" => {
            let keep_position = op.optional_bool("keep_position", problems).unwrap_or(false);
            op.pointer("from_pointer", problems).zip(op.pointer("to_pointer", problems)).map(
                |(from_pointer, to_pointer)| ChangesetOpKind::MoveValue {
                    from_pointer,
                    to_pointer,
                    keep_position,
                },
            )
        }
        "rename_file" => {
            op.path("new_path", problems).map(|new_path| ChangesetOpKind::RenameFile { new_path })
        }
        "add_file" => op
            .path("path", problems)
            .zip(op.string("content", problems))
            .map(|(path, content)| ChangesetOpKind::AddFile { path, content }),
        "delete_file" => Some(ChangesetOpKind::DeleteFile),
        other => {
            let kind = ProblemKind::unknown_name(other, CHANGESET_OPS);
            problems.push(DecodePath::Member(&at, "type").pointer(), kind);
            return None;
        }
    };
    let is_in_file = !matches!(name.as_str(), "rename_file" | "add_file" | "delete_file");
    let (mut expects, mut expects_parent) = (None, None);
    if is_in_file {
        expects = op.expects(true, problems);
        expects_parent = op.expects_parent(problems);
    }
    let document = if is_in_file { op.optional_index("x_document", problems) } else { None };
    let extra = op.close(problems);
    let document = document.unwrap_or(0);
    let (file_uid, kind) = (file_uid?, kind?);
    Some(ChangesetOp { file_uid, path, document, kind, expects, expects_parent, extra })
}
