//! Random documents, and operations that have a fair chance to fit them.

use document::{Number, Pointer, Value};
use patch::v1::{
    Changeset, ChangesetOp, ChangesetOpKind, DiagnosticTarget, Expects, FixAction, FixActions,
    FixOp, FixOpKind,
};
use proptest::prelude::*;

use super::support::path;

pub(crate) fn any_scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-99_i128..99).prop_map(|it| Value::Number(Number::from_integer(it))),
        Just(Value::Number(Number::parse("9007199254740993.50").unwrap())),
        "[a-z :#~/]{0,6}".prop_map(Value::String),
    ]
}

pub(crate) fn any_value() -> impl Strategy<Value = Value> {
    any_scalar().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::btree_map("[a-d]|[01]", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// An object with something in it, so that there are places to point at.
pub(crate) fn any_root() -> impl Strategy<Value = Value> {
    proptest::collection::btree_map("[a-e]", any_value(), 1..5)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

/// Numbers that an operation is made from once the document is known.
pub(crate) type Dice = (usize, usize, usize, usize, Value);

pub(crate) fn any_dice() -> impl Strategy<Value = Dice> {
    (0_usize..1000, 0_usize..1000, 0_usize..1000, 0_usize..1000, any_value())
}

fn places(value: &Value, at: &Pointer, found: &mut Vec<Pointer>) {
    found.push(at.clone());
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &at.join(index.to_string()), found);
            }
        }
        Value::Object(members) => {
            for (key, value) in members {
                places(value, &at.join(key), found);
            }
        }
        _ => {}
    }
}

/// A place of the document, or now and then one beside it.
fn place(root: &Value, dice: usize) -> Pointer {
    let mut found = Vec::new();
    places(root, &Pointer::root(), &mut found);
    let at = found[dice % found.len()].clone();
    if dice.is_multiple_of(5) { at.join(["a", "z", "0", "9"][dice % 4]) } else { at }
}

fn any_key(dice: usize) -> String {
    ["a", "b", "c", "new", "0", "with space"][dice % 6].to_owned()
}

/// A key that the object has, or now and then any.
fn key(object: &Value, dice: usize) -> String {
    match object {
        Value::Object(members) if !members.is_empty() && !dice.is_multiple_of(4) => {
            members[dice % members.len()].0.clone()
        }
        _ => any_key(dice),
    }
}

fn at<'a>(root: &'a Value, pointer: &Pointer) -> &'a Value {
    pointer.segments().iter().fold(root, |value, segment| match value {
        Value::Array(items) => {
            segment.parse().ok().and_then(|index: usize| items.get(index)).unwrap_or(&Value::Null)
        }
        object => object.get(segment).unwrap_or(&Value::Null),
    })
}

pub(crate) fn fix_op(root: &Value, file: &str, dice: &Dice) -> FixOp {
    let (what, place_dice, detail, third, value) = dice.clone();
    let json_pointer = place(root, place_dice);
    let here = at(root, &json_pointer);
    // Mostly what fits the value that is there.
    let fitting: &[usize] = match here {
        Value::Object(_) => &[0, 1, 2, 5],
        Value::Array(_) => &[0, 3, 4],
        _ => &[0],
    };
    let what = if what % 8 == 0 { what / 8 % 6 } else { fitting[what % fitting.len()] };
    let kind = match what {
        0 => FixOpKind::ReplaceValue { value },
        1 => FixOpKind::AddValue { key: any_key(detail), value },
        2 => FixOpKind::RemoveKey { key: key(here, detail) },
        3 => FixOpKind::InsertArrayItem { index: (detail % 2 == 0).then_some(third % 4), value },
        4 => FixOpKind::ReplaceArrayItem { index: detail % 3, value },
        _ => FixOpKind::RenameKey { from: key(here, detail), to: any_key(third) },
    };
    FixOp { file: path(file), json_pointer, document: 0, kind, expects: None, extra: Vec::new() }
}

pub(crate) fn action(id: &str, ops: Vec<FixOp>) -> FixAction {
    let target =
        DiagnosticTarget { diagnostic_id: Some(id.to_owned()), ..DiagnosticTarget::default() };
    FixAction {
        id: id.to_owned(),
        title: id.to_owned(),
        severity: check::Severity::Error,
        targets: vec![target],
        ops,
        notes: None,
        confidence: None,
        extra: Vec::new(),
    }
}

pub(crate) fn fix_actions(actions: Vec<FixAction>) -> FixActions {
    FixActions {
        pack_version: "1".to_owned(),
        workspace_root: None,
        fix_actions: actions,
        extra: Vec::new(),
    }
}

pub(crate) fn changeset_op(root: &Value, uid: &str, dice: &Dice) -> ChangesetOp {
    let (what, place_dice, detail, third, value) = dice.clone();
    let json_pointer = place(root, place_dice);
    let is_array = matches!(at(root, &json_pointer), Value::Array(_));
    let kind = match what % 5 {
        _ if is_array && what % 2 == 0 => {
            ChangesetOpKind::InsertIntoArray { json_pointer, index: detail % 3, value }
        }
        0 | 1 => ChangesetOpKind::SetValue { json_pointer, value },
        2 => ChangesetOpKind::DeleteValue { json_pointer },
        3 => ChangesetOpKind::InsertIntoArray { json_pointer, index: detail % 3, value },
        _ => {
            let beside = json_pointer.split_last().map(|(parent, _)| parent.join(any_key(third)));
            let to_pointer =
                beside.filter(|_| detail % 2 == 0).unwrap_or_else(|| place(root, third));
            let keep_position = detail % 4 == 0;
            ChangesetOpKind::MoveValue { from_pointer: json_pointer, to_pointer, keep_position }
        }
    };
    let expects = (third % 7 == 0).then(|| Expects { exists: Some(true), ..Expects::default() });
    ChangesetOp {
        document: 0,
        file_uid: uid.to_owned(),
        path: None,
        kind,
        expects,
        expects_parent: None,
        extra: Vec::new(),
    }
}

pub(crate) fn changeset(ops: Vec<ChangesetOp>) -> Changeset {
    Changeset {
        changeset_uid: "generated".to_owned(),
        target_workspace_uid: None,
        base: None,
        ops,
        extra: Vec::new(),
    }
}

/// The value as block YAML.
pub(crate) fn to_yaml(value: &Value) -> String {
    let mut out = String::new();
    write_yaml(value, 0, &mut out);
    out
}

fn write_yaml(value: &Value, depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    let nested = |value: &Value| match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => false,
    };
    let mut entry = |head: String, value: &Value| {
        *out += &pad;
        *out += &head;
        if nested(value) {
            out.push('\n');
            write_yaml(value, depth + 1, out);
        } else {
            *out += &format!(" {}\n", value.to_json());
        }
    };
    match value {
        Value::Array(items) => items.iter().for_each(|item| entry("-".to_owned(), item)),
        Value::Object(members) => {
            members.iter().for_each(|(key, value)| entry(format!("\"{key}\":"), value));
        }
        scalar => *out += &scalar.to_json(),
    }
}

/// The value as TOML, without what TOML cannot hold: the root's members, one line each.
pub(crate) fn to_toml(root: &Value) -> String {
    let Value::Object(members) = root else { return String::new() };
    members.iter().map(|(key, value)| format!("{key} = {}\n", inline_toml(value))).collect()
}

fn inline_toml(value: &Value) -> String {
    match value {
        Value::Null => "'null'".to_owned(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(inline_toml).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let member = |(key, value): &(String, Value)| format!("{key} = {}", inline_toml(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        scalar => scalar.to_json(),
    }
}
