//! An overlay of changes on a parsed document.
//!
//! Operations see the effect of those before them, yet the text is parsed once: a draft opens only the
//! containers on the way to a change, remembers for every member where it came from, and is lowered to edits
//! as a whole. Members never change places relative to each other, so a container's new members are its old
//! ones with gaps and insertions: that is what makes lowering local.
//!
//! A *slot* is a place that holds a value: the root, a key of an object, a position between its neighbours in
//! an array. Slots keep their identity while indexes shift, which is how two writes to one place are noticed.

mod apply;
mod item_list;
mod key_index;
mod merge;
mod view;

pub(crate) use view::LiveMember;

use std::sync::Arc;

use crate::hash::{HashMap, HashSet};
use edit::{EditSet, Text};

use self::item_list::ItemList;
use self::key_index::KeyIndex;
use crate::document::Document;
use crate::op::OpError;
use crate::pointer::{Pointer, parse_index};
use crate::refusal::{Refusal, RefusalReason};
use crate::source::{NodeId, SyntaxKind};
use crate::value::{JsonType, Value};
use crate::verify;

/// The identity of a slot inside one draft.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SlotId(u32);

/// What an operation did, for telling whether two operations write to one place.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Effect {
    /// The slots that were written.
    pub writes: Vec<Write>,
    /// Whether a move replaced a value that was there.
    pub overwrote: bool,
}

/// One written slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Write {
    /// The slots from the root down to the written one.
    pub path: Vec<SlotId>,
    /// What happened to it.
    pub kind: WriteKind,
}

/// What happened to a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WriteKind {
    /// It came into being.
    Create,
    /// Its value was replaced.
    Replace,
    /// It went away.
    Remove,
}

/// A state of a draft to go back to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Savepoint(usize);

/// A node of the draft: one of the parsed text (wherever it stands now), or a new one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Node {
    Base(NodeId),
    New(u32),
}

/// An opened container. Removed members of objects stay as marks, removed items of arrays do not.
pub(crate) struct Container {
    is_object: bool,
    members: ItemList,
    /// Where the live keys of an object stand in `members`.
    by_key: KeyIndex,
    /// The slots of keys that were removed, so that a key that comes back is the same slot.
    removed_keys: HashMap<Box<str>, SlotId>,
}

struct Slot {
    id: SlotId,
    /// Which member of the parsed container this is; `None` for an inserted one.
    origin: Option<u32>,
    /// The key of a new or renamed member; `None` for items and for keys as parsed.
    new_key: Option<Box<str>>,
    node: Node,
    is_removed: bool,
}

enum Undo {
    Root(usize, Node),
    Replaced {
        container: Node,
        at: usize,
        node: Node,
    },
    Inserted {
        container: Node,
        at: usize,
    },
    RemovedItem {
        container: Node,
        at: usize,
        slot: Slot,
    },
    RemovedKey {
        container: Node,
        at: usize,
        key: Box<str>,
        removed_before: Option<SlotId>,
    },
    Renamed {
        container: Node,
        at: usize,
        key_before: Option<Box<str>>,
        removed_before: Option<SlotId>,
        from: Box<str>,
        to: Box<str>,
    },
    Moved(NodeId),
}

/// Changes to one document that are not text yet.
pub struct Draft {
    document: Arc<Document>,
    /// The roots of the documents of the text.
    roots: Vec<Node>,
    /// The document that pointers mean.
    current: usize,
    opened: HashMap<Node, Container>,
    /// The new nodes: a scalar's value, or `None` for a container, which is in `opened`.
    fresh: Vec<Option<Value>>,
    /// The nodes of the parsed text that stand in another place.
    moved: HashSet<NodeId>,
    next_slot: u32,
    log: Vec<Undo>,
    /// Whether what aliases stand for may be changed.
    edits_anchors: bool,
}

/// The way from the root along a pointer, as far as it leads.
struct Walk {
    slots: Vec<SlotId>,
    /// The root and every node that was reached.
    nodes: Vec<Node>,
    /// The position of each reached node among its container's members.
    positions: Vec<usize>,
    is_complete: bool,
}

impl Walk {
    fn node(&self) -> Node {
        *self.nodes.last().expect("a walk starts at the root")
    }

    /// The container of the reached node and the node's position in it; `None` for the root.
    fn parent(&self) -> Option<(Node, usize)> {
        let position = *self.positions.last()?;
        Some((self.nodes[self.nodes.len() - 2], position))
    }
}

impl Draft {
    pub(crate) fn new(document: Arc<Document>) -> Draft {
        let source = document.source();
        let roots: Vec<Node> = (0..source.n_documents())
            .map(|it| Node::Base(source.root_of(it).unwrap_or(source.root())))
            .collect();
        // The first slots are those of the roots.
        let next_slot = u32::try_from(roots.len()).expect("fewer documents than bytes in memory");
        let current = document.index();
        Draft {
            document,
            roots,
            current,
            opened: HashMap::default(),
            fresh: Vec::new(),
            moved: HashSet::default(),
            next_slot,
            log: Vec::new(),
            edits_anchors: false,
        }
    }

    /// From now on, what YAML aliases stand for may be changed, at every place that they stand at: for those who know
    /// that it is wrong at all of them.
    pub fn edit_anchors(&mut self) {
        self.edits_anchors = true;
    }

    /// The document that is being changed.
    pub fn document(&self) -> &Arc<Document> {
        &self.document
    }

    /// Whether no operation has had an effect.
    pub fn is_untouched(&self) -> bool {
        self.log.is_empty()
    }

    /// Lets pointers mean another document of the text; without one, they mean the document that the draft was made
    /// of or the one of the last operation.
    pub fn turn_to(&mut self, document: usize) -> Result<(), OpError> {
        let n_documents = self.roots.len();
        if document >= n_documents {
            return Err(OpError::NoDocument { index: document, n_documents });
        }
        self.current = document;
        Ok(())
    }

    /// The document as the draft has it.
    pub fn value(&self) -> Value {
        self.value_of(self.root())
    }

    /// The value at `pointer` as the draft has it. A pointer through an alias leads nowhere.
    pub fn value_at(&mut self, pointer: &Pointer) -> Option<Value> {
        let walk = self.walk(pointer).ok()?;
        walk.is_complete.then(|| self.value_of(walk.node()))
    }

    /// The type at `pointer` as the draft has it.
    pub fn type_at(&mut self, pointer: &Pointer) -> Option<JsonType> {
        let walk = self.walk(pointer).ok()?;
        walk.is_complete.then(|| self.type_of(walk.node()))
    }

    /// The number of members of the array or object at `pointer`.
    pub fn len_at(&mut self, pointer: &Pointer) -> Option<usize> {
        let walk = self.walk(pointer).ok()?;
        if !walk.is_complete || !self.open(walk.node()) {
            return None;
        }
        self.opened.get(&walk.node()).map(Container::len)
    }

    /// Whether the root is an object with an empty key, so that `/` is that key and not the root.
    pub fn has_empty_key(&mut self) -> bool {
        self.position_of(self.root(), "").is_some()
    }

    /// The state now, for [`Draft::roll_back`].
    pub fn savepoint(&self) -> Savepoint {
        Savepoint(self.log.len())
    }

    /// Undoes everything since the savepoint.
    pub fn roll_back(&mut self, savepoint: Savepoint) {
        while self.log.len() > savepoint.0 {
            if let Some(undo) = self.log.pop() {
                self.undo(undo);
            }
        }
    }

    /// The edits that turn the document's text into one that reads as this draft. The edited text has been
    /// parsed again and compared: a difference is a refusal.
    pub fn lower(&self) -> Result<EditSet, Refusal> {
        self.lower_and_apply().map(|(edits, _)| edits)
    }

    /// What [`Draft::lower`] gives, and the edited text that was compared.
    pub fn lower_and_apply(&self) -> Result<(EditSet, Text), Refusal> {
        let text = self.document.text();
        let edits =
            if self.is_untouched() { Vec::new() } else { self.document.source().lower(self)? };
        let edits = EditSet::new(text, edits)
            .map_err(|error| Refusal::new(RefusalReason::Edits(error), 0))?;
        let edited = if self.is_untouched() { text.clone() } else { verify::check(self, &edits)? };
        Ok((edits, edited))
    }

    /// The pointer by the RFC alone: `"/"` is the root unless the root has an empty key.
    fn literal(&mut self, pointer: &Pointer) -> Pointer {
        if pointer.is_lone_slash() && !self.has_empty_key() {
            Pointer::root()
        } else {
            pointer.clone()
        }
    }

    fn walk(&mut self, pointer: &Pointer) -> Result<Walk, OpError> {
        let pointer = self.literal(pointer);
        self.walk_literally(&pointer)
    }

    /// Opens the containers along `pointer`. Stops where it leads nowhere; fails where it leads through an alias
    /// or to a key that only a merge provides.
    fn walk_literally(&mut self, pointer: &Pointer) -> Result<Walk, OpError> {
        let root = self.root();
        let mut walk = Walk {
            slots: vec![SlotId(u32::try_from(self.current).unwrap_or(0))],
            nodes: vec![root],
            positions: Vec::new(),
            is_complete: true,
        };
        for segment in pointer.segments() {
            let node = walk.node();
            if let Node::Base(base) = node
                && self.document.source().kind(base) == SyntaxKind::Alias
            {
                let refusal = self.document.source().refuses_change_inside(base);
                return Err(
                    refusal.map_or(OpError::Missing { at: pointer.clone() }, OpError::Refused)
                );
            }
            let Some(position) = self.position_of(node, segment) else {
                if let Node::Base(base) = node
                    && let Some(refusal) = self.document.source().refuses_new_key(base, segment)
                {
                    return Err(refusal.into());
                }
                walk.is_complete = false;
                return Ok(walk);
            };
            let slot = &self.opened[&node].members[position];
            walk.slots.push(slot.id);
            walk.nodes.push(slot.node);
            walk.positions.push(position);
        }
        Ok(walk)
    }

    /// Where a member stands among its container's members.
    fn position_of(&mut self, node: Node, segment: &str) -> Option<usize> {
        if !self.open(node) {
            return None;
        }
        let container = &self.opened[&node];
        if container.is_object {
            container.by_key.get(segment)
        } else {
            parse_index(segment).filter(|&index| index < container.members.len())
        }
    }

    /// Makes the members of a container accessible. Says whether it is a container.
    fn open(&mut self, node: Node) -> bool {
        if self.opened.contains_key(&node) {
            return true;
        }
        let Node::Base(base) = node else {
            return false;
        };
        let document = Arc::clone(&self.document);
        let is_object = match document.source().kind(base) {
            SyntaxKind::Object => true,
            SyntaxKind::Array => false,
            SyntaxKind::Scalar | SyntaxKind::Alias => return false,
        };
        let children = document.source().children(base);
        let mut container = Container::with_capacity(is_object, children.len());
        if is_object {
            container.by_key.reserve(children.len());
        }
        for (position, child) in children.into_iter().enumerate() {
            let origin = u32::try_from(position).ok();
            let id = self.new_slot();
            let node = Node::Base(child.node);
            container.members.push(Slot { id, origin, new_key: None, node, is_removed: false });
            if let Some(key) = child.key {
                container.by_key.insert(&key, position);
            }
        }
        self.opened.insert(node, container);
        true
    }

    fn new_slot(&mut self) -> SlotId {
        let id = SlotId(self.next_slot);
        self.next_slot += 1;
        id
    }

    /// Takes a value into the draft as new nodes.
    fn import(&mut self, value: &Value) -> Node {
        let id = u32::try_from(self.fresh.len()).expect("fewer new nodes than bytes in memory");
        let node = Node::New(id);
        let container = match value {
            Value::Array(items) => {
                self.fresh.push(None);
                let mut container = Container::with_capacity(false, items.len());
                for item in items {
                    let slot = self.imported_slot(None, item);
                    container.members.push(slot);
                }
                container
            }
            Value::Object(members) => {
                self.fresh.push(None);
                let mut container = Container::with_capacity(true, members.len());
                for (position, (key, value)) in members.iter().enumerate() {
                    let slot = self.imported_slot(Some(key), value);
                    container.members.push(slot);
                    container.by_key.insert(key, position);
                }
                container
            }
            scalar => {
                self.fresh.push(Some(scalar.clone()));
                return node;
            }
        };
        self.opened.insert(node, container);
        node
    }

    fn imported_slot(&mut self, key: Option<&String>, value: &Value) -> Slot {
        let id = self.new_slot();
        let node = self.import(value);
        Slot {
            id,
            origin: None,
            new_key: key.map(|key| key.as_str().into()),
            node,
            is_removed: false,
        }
    }

    fn container_mut(&mut self, node: Node) -> &mut Container {
        self.opened.get_mut(&node).expect("changes are made to opened containers only")
    }

    fn replace(&mut self, place: Option<(Node, usize)>, node: Node) {
        match place {
            None => {
                let old = std::mem::replace(&mut self.roots[self.current], node);
                self.log.push(Undo::Root(self.current, old));
            }
            Some((container, at)) => {
                let old =
                    std::mem::replace(&mut self.container_mut(container).members[at].node, node);
                self.log.push(Undo::Replaced { container, at, node: old });
            }
        }
    }

    fn insert_item(&mut self, container: Node, at: usize, node: Node) -> SlotId {
        let id = self.new_slot();
        let slot = Slot { id, origin: None, new_key: None, node, is_removed: false };
        self.container_mut(container).members.insert(at, slot);
        self.log.push(Undo::Inserted { container, at });
        id
    }

    fn push_key(&mut self, container: Node, key: &str, node: Node) -> SlotId {
        let fresh = self.new_slot();
        let target = self.container_mut(container);
        let id = target.removed_keys.get(key).copied().unwrap_or(fresh);
        let at = target.members.len();
        target.members.push(Slot {
            id,
            origin: None,
            new_key: Some(key.into()),
            node,
            is_removed: false,
        });
        target.by_key.insert(key, at);
        self.log.push(Undo::Inserted { container, at });
        id
    }

    fn remove(&mut self, container: Node, at: usize, segment: &str) {
        let target = self.container_mut(container);
        if target.is_object {
            let slot = &mut target.members[at];
            slot.is_removed = true;
            let removed_before = target.removed_keys.insert(segment.into(), slot.id);
            target.by_key.remove(segment);
            self.log.push(Undo::RemovedKey { container, at, key: segment.into(), removed_before });
        } else {
            let slot = target.members.remove(at);
            self.log.push(Undo::RemovedItem { container, at, slot });
        }
    }

    /// Renames a key. Returns the slot of the name that is gone.
    fn rename(&mut self, container: Node, at: usize, from: &str, to: &str) -> SlotId {
        let gone = self.new_slot();
        let target = self.container_mut(container);
        let key_before = target.members[at].new_key.replace(to.into());
        target.by_key.remove(from);
        target.by_key.insert(to, at);
        let removed_before = target.removed_keys.insert(from.into(), gone);
        self.log.push(Undo::Renamed {
            container,
            at,
            key_before,
            removed_before,
            from: from.into(),
            to: to.into(),
        });
        gone
    }

    fn undo(&mut self, undo: Undo) {
        match undo {
            Undo::Root(document, node) => self.roots[document] = node,
            Undo::Moved(node) => {
                self.moved.remove(&node);
            }
            Undo::Replaced { container, at, node } => {
                self.container_mut(container).members[at].node = node
            }
            Undo::Inserted { container, at } => {
                let target = self.container_mut(container);
                let slot = target.members.remove(at);
                if let Some(key) = slot.new_key {
                    target.by_key.remove(&key);
                }
            }
            Undo::RemovedItem { container, at, slot } => {
                self.container_mut(container).members.insert(at, slot)
            }
            Undo::RemovedKey { container, at, key, removed_before } => {
                let target = self.container_mut(container);
                target.members[at].is_removed = false;
                target.restore_removed(&key, removed_before);
                target.by_key.insert(&key, at);
            }
            Undo::Renamed { container, at, key_before, removed_before, from, to } => {
                let target = self.container_mut(container);
                target.members[at].new_key = key_before;
                target.by_key.remove(&to);
                target.restore_removed(&from, removed_before);
                target.by_key.insert(&from, at);
            }
        }
    }
}

impl Container {
    fn with_capacity(is_object: bool, capacity: usize) -> Container {
        Container {
            is_object,
            members: ItemList::with_capacity(capacity),
            by_key: KeyIndex::default(),
            removed_keys: HashMap::default(),
        }
    }

    /// Puts back what was known of a removed key.
    fn restore_removed(&mut self, key: &str, removed_before: Option<SlotId>) {
        match removed_before {
            Some(slot) => self.removed_keys.insert(key.into(), slot),
            None => self.removed_keys.remove(key),
        };
    }

    fn len(&self) -> usize {
        if self.is_object { self.by_key.len() } else { self.members.len() }
    }
}
