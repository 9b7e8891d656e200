//! What each operation means, on plain values. Shares nothing with the crate but the types.

use document::{Op, Pointer, Value};

/// The value after `op`, or `None` where the contract demands a failure.
pub(crate) fn apply(root: &Value, op: &Op) -> Option<Value> {
    let mut root = root.clone();
    match op {
        Op::ReplaceValue { at, value } => *find(&mut root, at)? = value.clone(),
        Op::AddKey { at, key, value } => {
            let members = object(find(&mut root, at)?)?;
            if members.iter().any(|(name, _)| name == key) {
                return None;
            }
            members.push((key.clone(), value.clone()));
        }
        Op::RemoveKey { at, key } => {
            let members = object(find(&mut root, at)?)?;
            let position = members.iter().position(|(name, _)| name == key)?;
            members.remove(position);
        }
        Op::RenameKey { at, from, to } => {
            let members = object(find(&mut root, at)?)?;
            let position = members.iter().position(|(name, _)| name == from)?;
            if members.iter().any(|(name, _)| name == to) {
                return None;
            }
            members[position].0.clone_from(to);
        }
        Op::InsertItem { at, index, value } => {
            let items = array(find(&mut root, at)?)?;
            let index = index.unwrap_or(items.len());
            if index > items.len() {
                return None;
            }
            items.insert(index, value.clone());
        }
        Op::ReplaceItem { at, index, value } => {
            *array(find(&mut root, at)?)?.get_mut(*index)? = value.clone()
        }
        Op::DeleteItem { at, index } => {
            let items = array(find(&mut root, at)?)?;
            if *index >= items.len() {
                return None;
            }
            items.remove(*index);
        }
        Op::SetValue { at, value } => set(&mut root, at, value.clone())?,
        Op::DeleteValue { at } => {
            delete(&mut root, at)?;
        }
        Op::MoveValue { from, to, keep_position: true } => {
            let ((parent, old), (target, new)) = (from.split_last()?, to.split_last()?);
            if parent != target {
                return None;
            }
            return apply(
                &root,
                &Op::RenameKey { at: parent, from: old.to_string(), to: new.to_string() },
            );
        }
        Op::MoveValue { from, to, keep_position: false } => {
            if from == to {
                find(&mut root, from)?;
                return (!from.is_root()).then_some(root);
            }
            if from.is_prefix_of(to) {
                return None;
            }
            let moved = delete(&mut root, from)?;
            set(&mut root, to, moved)?;
        }
    }
    Some(root)
}

fn find<'v>(root: &'v mut Value, at: &Pointer) -> Option<&'v mut Value> {
    at.segments().iter().try_fold(root, |value, segment| match value {
        Value::Object(members) => {
            members.iter_mut().find(|(name, _)| name == segment).map(|(_, value)| value)
        }
        Value::Array(items) => items.get_mut(index(segment)?),
        _ => None,
    })
}

fn index(segment: &str) -> Option<usize> {
    let index: usize = segment.parse().ok()?;
    (index.to_string() == segment).then_some(index)
}

fn set(root: &mut Value, at: &Pointer, value: Value) -> Option<()> {
    let Some((parent, last)) = at.split_last() else {
        *root = value;
        return Some(());
    };
    match find(root, &parent)? {
        Value::Object(members) => match members.iter_mut().find(|(name, _)| name == last) {
            Some((_, old)) => *old = value,
            None => members.push((last.to_string(), value)),
        },
        Value::Array(items) => *items.get_mut(index(last)?)? = value,
        _ => return None,
    }
    Some(())
}

fn delete(root: &mut Value, at: &Pointer) -> Option<Value> {
    let (parent, last) = at.split_last()?;
    match find(root, &parent)? {
        Value::Object(members) => {
            let position = members.iter().position(|(name, _)| name == last)?;
            Some(members.remove(position).1)
        }
        Value::Array(items) => {
            let index = index(last)?;
            (index < items.len()).then(|| items.remove(index))
        }
        _ => None,
    }
}

fn object(value: &mut Value) -> Option<&mut Vec<(String, Value)>> {
    match value {
        Value::Object(members) => Some(members),
        _ => None,
    }
}

fn array(value: &mut Value) -> Option<&mut Vec<Value>> {
    match value {
        Value::Array(items) => Some(items),
        _ => None,
    }
}
