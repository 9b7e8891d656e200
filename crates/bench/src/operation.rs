//! The operations of the document benchmarks, in a form that every contender can be given, and what they mean:
//! [`Operation::apply_to`] carries one out on a plain value, without any text.

use serde_json::{Value, json};

/// A way from the root; items of arrays are addressed by their decimal index.
pub(crate) type Path = Vec<String>;

/// One change to a document.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Operation {
    /// What is at `at` becomes `value`.
    Replace { at: Path, value: Value },
    /// The object at `at` gets a new last key.
    AddKey { at: Path, key: String, value: Value },
    /// The object at `at` loses a key.
    RemoveKey { at: Path, key: String },
    /// A key of the object at `at` gets another name and keeps its place.
    RenameKey { at: Path, from: String, to: String },
    /// The array at `at` gets an item before `index`.
    InsertItem { at: Path, index: usize, value: Value },
    /// The array at `at` gets a new last item.
    AppendItem { at: Path, value: Value },
    /// The array at `at` loses an item.
    DeleteItem { at: Path, index: usize },
    /// The key `key` leaves the object at `from` and becomes the last key of the object at `to`.
    MoveKey { from: Path, to: Path, key: String },
}

impl Operation {
    /// The change to `root`; `None` if it does not fit.
    pub(crate) fn apply_to(&self, root: &mut Value) -> Option<()> {
        match self {
            Operation::Replace { at, value } => *find(root, at)? = value.clone(),
            Operation::AddKey { at, key, value } => {
                let object = find(root, at)?.as_object_mut()?;
                object.insert(key.clone(), value.clone());
            }
            Operation::RemoveKey { at, key } => {
                find(root, at)?.as_object_mut()?.shift_remove(key)?;
            }
            Operation::RenameKey { at, from, to } => {
                let object = find(root, at)?.as_object_mut()?;
                let renamed = std::mem::take(object).into_iter();
                *object = renamed
                    .map(|(key, value)| (if key == *from { to.clone() } else { key }, value))
                    .collect();
            }
            Operation::InsertItem { at, index, value } => {
                let items = find(root, at)?.as_array_mut()?;
                (*index <= items.len()).then(|| items.insert(*index, value.clone()))?;
            }
            Operation::AppendItem { at, value } => {
                find(root, at)?.as_array_mut()?.push(value.clone())
            }
            Operation::DeleteItem { at, index } => {
                let items = find(root, at)?.as_array_mut()?;
                (*index < items.len()).then(|| items.remove(*index))?;
            }
            Operation::MoveKey { from, to, key } => {
                let value = find(root, from)?.as_object_mut()?.shift_remove(key)?;
                find(root, to)?.as_object_mut()?.insert(key.clone(), value);
            }
        }
        Some(())
    }

    /// The operation as JSON, for peers that are other programs.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Operation::Replace { at, value } => json!({"op": "replace", "at": at, "value": value}),
            Operation::AddKey { at, key, value } => {
                json!({"op": "add_key", "at": at, "key": key, "value": value})
            }
            Operation::RemoveKey { at, key } => json!({"op": "remove_key", "at": at, "key": key}),
            Operation::RenameKey { at, from, to } => {
                json!({"op": "rename_key", "at": at, "from": from, "to": to})
            }
            Operation::InsertItem { at, index, value } => {
                json!({"op": "insert_item", "at": at, "index": index, "value": value})
            }
            Operation::AppendItem { at, value } => {
                json!({"op": "append_item", "at": at, "value": value})
            }
            Operation::DeleteItem { at, index } => {
                json!({"op": "delete_item", "at": at, "index": index})
            }
            Operation::MoveKey { from, to, key } => {
                json!({"op": "move_key", "from": from, "to": to, "key": key})
            }
        }
    }
}

fn find<'a>(root: &'a mut Value, path: &[String]) -> Option<&'a mut Value> {
    path.iter().try_fold(root, |node, segment| match node {
        Value::Object(members) => members.get_mut(segment),
        Value::Array(items) => items.get_mut(segment.parse::<usize>().ok()?),
        _ => None,
    })
}
