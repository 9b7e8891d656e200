//! The ids that nodes have outside: in AST JSON, diagnostics and repairs.
//!
//! An id that AST JSON gives is kept as it is. The others are `n1`, `n2`, … in the order of the nodes, children before
//! parents: first the program, declarations, statements, expressions, types and patterns, then the parameters, fields,
//! variants and arms, so that the numbers of the former do not depend on the latter. A number that was given to another
//! node is passed over.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use super::{AstKind, Name, Node, NodeId};

/// The ids of all nodes of one tree.
#[derive(Clone, PartialEq, Debug)]
pub struct Ids {
    given: BTreeMap<NodeId, Name>,
    /// By node; 0 if the id was given.
    numbers: Vec<u32>,
    by_given: HashMap<Name, NodeId>,
    /// By number.
    by_number: Vec<Option<NodeId>>,
}

/// Two nodes have one id.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the id `{id}` is given to two nodes")]
pub struct IdsError {
    /// The id.
    pub id: Name,
    /// The node that has it.
    pub first: NodeId,
    /// The node that has it too.
    pub second: NodeId,
}

/// The ids that were given, and all ids once somebody asks for them: few do.
#[derive(Clone, Debug)]
pub(super) struct LazyIds {
    given: BTreeMap<NodeId, Name>,
    inherited: Option<Inherited>,
    all: OnceLock<Ids>,
}

/// The numbers that nodes had in the tree that a tree was made from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Inherited {
    /// By node; 0 if it had none.
    pub(super) numbers: Vec<u32>,
    /// The first number that no node ever had.
    pub(super) next: u32,
}

/// The rest follows from the nodes.
impl PartialEq for LazyIds {
    fn eq(&self, other: &LazyIds) -> bool {
        self.given == other.given && self.inherited == other.inherited
    }
}

impl LazyIds {
    /// Fails if an id was given twice.
    pub(super) fn new(given: BTreeMap<NodeId, Name>) -> Result<LazyIds, IdsError> {
        let mut by_given = HashMap::with_capacity(given.len());
        for (&second, id) in &given {
            if let Some(first) = by_given.insert(id, second) {
                return Err(IdsError { id: id.clone(), first, second });
            }
        }
        Ok(LazyIds { given, inherited: None, all: OnceLock::new() })
    }

    /// Nodes keep their numbers. Fails with the id that two nodes would have.
    pub(super) fn inheriting(
        given: BTreeMap<NodeId, Name>,
        inherited: Inherited,
    ) -> Result<LazyIds, Name> {
        let ids = LazyIds::new(given).map_err(|it| it.id)?;
        let taken = ids.given.values().filter_map(|it| Some((number_of(it)?, it)));
        let taken: HashMap<u32, &Name> = taken.collect();
        let is_taken = |it: &&u32| taken.contains_key(it);
        let first = inherited.numbers.iter().find(|it| !taken.is_empty() && is_taken(it));
        match first {
            Some(number) => Err(taken[number].clone()),
            None => Ok(LazyIds { inherited: Some(inherited), ..ids }),
        }
    }

    pub(super) fn given(&self) -> &BTreeMap<NodeId, Name> {
        &self.given
    }

    /// The ids of these nodes, which must be the same at every call.
    pub(super) fn all(&self, nodes: &[Node]) -> &Ids {
        self.all.get_or_init(|| Ids::new(nodes, self.given.clone(), self.inherited.clone()))
    }
}

impl Ids {
    fn new(nodes: &[Node], given: BTreeMap<NodeId, Name>, inherited: Option<Inherited>) -> Ids {
        let by_given: HashMap<Name, NodeId> =
            given.iter().map(|(node, id)| (id.clone(), *node)).collect();
        let (mut numbers, next) = match inherited {
            Some(it) => (it.numbers, it.next),
            None => (vec![0; nodes.len()], 1),
        };
        let mut by_number = vec![None; next as usize];
        for (index, number) in numbers.iter().enumerate().filter(|it| *it.1 > 0) {
            by_number[*number as usize] = Some(NodeId(index as u32));
        }
        for inner in [false, true] {
            for (index, node) in nodes.iter().enumerate() {
                let id = NodeId(index as u32);
                let has_id = numbers[index] > 0 || given.contains_key(&id);
                if has_id || is_inner(&node.kind) != inner {
                    continue;
                }
                while !by_given.is_empty()
                    && by_given.contains_key(&*format!("n{}", by_number.len()))
                {
                    by_number.push(None);
                }
                numbers[index] = by_number.len() as u32;
                by_number.push(Some(id));
            }
        }
        Ids { given, numbers, by_given, by_number }
    }

    /// The id of a node.
    pub fn id(&self, node: impl Into<NodeId>) -> Name {
        let node = node.into();
        match self.given.get(&node) {
            Some(id) => id.clone(),
            None => Name::from(format!("n{}", self.numbers[node.index()])),
        }
    }

    /// The node with that id.
    pub fn node(&self, id: &str) -> Option<NodeId> {
        if let Some(&node) = self.by_given.get(id) {
            return Some(node);
        }
        *self.by_number.get(number_of(id)? as usize)?
    }

    /// The number in a node's id; 0 if its id was given.
    pub(super) fn number(&self, node: NodeId) -> u32 {
        self.numbers[node.index()]
    }

    /// The first number that no node has.
    pub(super) fn next_number(&self) -> u32 {
        self.by_number.len() as u32
    }

    /// The ids that AST JSON gave.
    pub fn given(&self) -> &BTreeMap<NodeId, Name> {
        &self.given
    }
}

/// The number in `n1`, `n2`, …
fn number_of(id: &str) -> Option<u32> {
    let digits = id.strip_prefix('n')?;
    if digits.starts_with(['0', '+']) {
        return None;
    }
    digits.parse().ok()
}

/// Whether a node is a part that only its parent makes sense of.
fn is_inner(kind: &AstKind) -> bool {
    match kind {
        AstKind::Program(_)
        | AstKind::Decl(_)
        | AstKind::Stmt(_)
        | AstKind::Expr(_)
        | AstKind::Type(_)
        | AstKind::Pattern(_) => false,
        AstKind::Param(_)
        | AstKind::LambdaParam(_)
        | AstKind::TypeParam(_)
        | AstKind::Field(_)
        | AstKind::Variant(_)
        | AstKind::VariantField(_)
        | AstKind::Arm(_)
        | AstKind::FieldInit(_)
        | AstKind::FieldPattern(_) => true,
    }
}
