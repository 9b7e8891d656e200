//! Another way to make several repairs together, as plain as possible, to hold the plan against.
//!
//! Nothing is ever taken out of the model: an item or a key remembers who brought it and who removed it, and every
//! repair sees what was there and its own work only. What is left in the end is what all of them together make.

use document::{Op, Pointer, Value};

/// A repair, by its number. `None` is the document as it was checked.
pub(crate) type Who = Option<usize>;

pub(crate) struct Model {
    root: Node,
}

struct Node {
    /// What it is, by whom; the latest counts, and a repair sees its own or that of the document.
    states: Vec<(Who, State)>,
}

enum State {
    Scalar(Value),
    Array(Vec<Entry>),
    Object(Vec<Entry>),
}

struct Entry {
    key: String,
    by: Who,
    removed_by: Vec<usize>,
    node: Node,
}

impl Model {
    pub(crate) fn new(value: &Value) -> Model {
        Model { root: Node::new(None, value) }
    }

    /// What all repairs together have made of it.
    pub(crate) fn value(&self) -> Value {
        self.root.value()
    }

    /// Makes a repair's operation. The pointer means what that repair sees; it is known to lead somewhere.
    pub(crate) fn apply(&mut self, who: usize, op: &Op) {
        match op {
            Op::ReplaceValue { at, value } => self.node(who, at.segments()).replace(who, value),
            Op::SetValue { at, value } => self.set(who, at.segments(), value),
            Op::AddKey { at, key, value } => self.node(who, at.segments()).push(who, key, value),
            Op::RemoveKey { at, key } => self.remove(who, at.segments(), key),
            Op::DeleteItem { at, index } => self.remove(who, at.segments(), &index.to_string()),
            Op::DeleteValue { at } => {
                let (key, parent) = at.segments().split_last().expect("not the root");
                self.remove(who, parent, key);
            }
            Op::ReplaceItem { at, index, value } => {
                let item: Pointer = at.join(index.to_string());
                self.node(who, item.segments()).replace(who, value);
            }
            Op::InsertItem { at, index, value } => {
                self.node(who, at.segments()).insert(who, *index, value);
            }
            // Nobody else may know the entry by its old name, so it can have the new one for all.
            Op::RenameKey { at, from, to } => {
                let entry = self.node(who, at.segments()).find(who, from);
                entry.expect("it is there").key.clone_from(to);
            }
            Op::MoveValue { from, to, .. } => {
                let value = self.node(who, from.segments()).seen(who);
                let (key, parent) = from.segments().split_last().expect("not the root");
                self.remove(who, parent, key);
                self.set(who, to.segments(), &value);
            }
        }
    }

    fn set(&mut self, who: usize, at: &[String], value: &Value) {
        let Some((key, parent)) = at.split_last() else {
            return self.root.replace(who, value);
        };
        let parent = self.node(who, parent);
        match parent.find(who, key) {
            Some(entry) => entry.node.replace(who, value),
            None => parent.push(who, key, value),
        }
    }

    fn node(&mut self, who: usize, segments: &[String]) -> &mut Node {
        let mut node = &mut self.root;
        for segment in segments {
            node = &mut node.find(who, segment).expect("the pointer leads somewhere").node;
        }
        node
    }

    fn remove(&mut self, who: usize, parent: &[String], key: &str) {
        let entry = self.node(who, parent).find(who, key).expect("it is there");
        entry.removed_by.push(who);
    }
}

impl Node {
    fn new(by: Who, value: &Value) -> Node {
        let entry = |key: &str, value: &Value| Entry {
            key: key.to_owned(),
            by,
            removed_by: Vec::new(),
            node: Node::new(by, value),
        };
        let state = match value {
            Value::Array(items) => State::Array(items.iter().map(|it| entry("", it)).collect()),
            Value::Object(members) => {
                State::Object(members.iter().map(|(key, it)| entry(key, it)).collect())
            }
            scalar => State::Scalar(scalar.clone()),
        };
        Node { states: vec![(by, state)] }
    }

    fn replace(&mut self, who: usize, value: &Value) {
        let Node { mut states } = Node::new(Some(who), value);
        self.states.append(&mut states);
    }

    /// What a repair sees here: the latest of its own states, else the first one.
    fn state(&mut self, who: usize) -> &mut State {
        let own = self.states.iter().rposition(|(by, _)| *by == Some(who)).unwrap_or(0);
        &mut self.states[own].1
    }

    fn find(&mut self, who: usize, segment: &str) -> Option<&mut Entry> {
        match self.state(who) {
            State::Scalar(_) => None,
            State::Array(entries) => {
                let index = segment.parse().ok()?;
                entries.iter_mut().filter(|it| it.is_seen_by(who)).nth(index)
            }
            State::Object(entries) => {
                entries.iter_mut().find(|it| it.is_seen_by(who) && it.key == segment)
            }
        }
    }

    fn push(&mut self, who: usize, key: &str, value: &Value) {
        if let State::Object(entries) = self.state(who) {
            entries.push(Entry::new(who, key, value));
        }
    }

    /// Directly behind the item that the repair sees before it; an append goes to the very end.
    fn insert(&mut self, who: usize, index: Option<usize>, value: &Value) {
        let State::Array(entries) = self.state(who) else { return };
        let seen: Vec<usize> =
            (0..entries.len()).filter(|it| entries[*it].is_seen_by(who)).collect();
        let at = match index {
            None => entries.len(),
            Some(0) => 0,
            Some(index) => seen[index - 1] + 1,
        };
        entries.insert(at, Entry::new(who, "", value));
    }

    /// The value as one repair sees it.
    fn seen(&mut self, who: usize) -> Value {
        let seen = |entries: &mut [Entry]| -> Vec<(String, Value)> {
            let seen = entries.iter_mut().filter(|it| it.is_seen_by(who));
            seen.map(|it| (it.key.clone(), it.node.seen(who))).collect()
        };
        match self.state(who) {
            State::Scalar(value) => value.clone(),
            State::Array(entries) => {
                Value::Array(seen(entries).into_iter().map(|(_, it)| it).collect())
            }
            State::Object(entries) => Value::Object(seen(entries)),
        }
    }

    fn value(&self) -> Value {
        let (_, state) = self.states.last().expect("a node has a state");
        let left = |entries: &'_ [Entry]| -> Vec<(String, Value)> {
            let left = entries.iter().filter(|it| it.removed_by.is_empty());
            left.map(|it| (it.key.clone(), it.node.value())).collect()
        };
        match state {
            State::Scalar(value) => value.clone(),
            State::Array(entries) => {
                Value::Array(left(entries).into_iter().map(|(_, it)| it).collect())
            }
            State::Object(entries) => Value::Object(left(entries)),
        }
    }
}

impl Entry {
    fn new(who: usize, key: &str, value: &Value) -> Entry {
        let node = Node::new(Some(who), value);
        Entry { key: key.to_owned(), by: Some(who), removed_by: Vec::new(), node }
    }

    fn is_seen_by(&self, who: usize) -> bool {
        self.by.is_none_or(|by| by == who) && !self.removed_by.contains(&who)
    }
}
