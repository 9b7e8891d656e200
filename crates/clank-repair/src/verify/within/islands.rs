//! Statements of one function that changed types connect, and which candidate each of these islands belongs to.

use std::collections::BTreeSet;

use clank::CheckedModule;
use clank::body::{BodyView, Resolution};
use clank_syntax::ast::{AstKind, Decl, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::settled::Settled;
use super::{LinearTypes, Region};
use crate::extent::declaration;
use crate::verify::items::BlockItems;

/// A function before and after changes.
pub(in super::super) struct FunctionVersions<'a> {
    pub(in super::super) before: &'a CheckedModule,
    pub(in super::super) after: &'a CheckedModule,
    /// Where the nodes afterwards come from.
    pub(in super::super) origins: &'a [Option<NodeId>],
    pub(in super::super) items: &'a BlockItems,
    pub(in super::super) items_after: &'a BlockItems,
    /// Those before, which no change of a function's body makes others.
    pub(in super::super) linear: &'a LinearTypes,
    /// Its declaration before.
    pub(in super::super) decl: NodeId,
}

/// Which statement is in the island of which candidate.
pub(in super::super) struct Islands {
    roots: Union,
    /// By island: the only candidate that changes something in it; none if it is doubtful.
    owners: FxHashMap<NodeId, Option<usize>>,
}

impl Islands {
    /// The candidate that what happens in a statement is because of; nothing within if that is doubtful, nothing at all
    /// if the statement is not touched.
    pub(in super::super) fn owner(&mut self, item: NodeId) -> Option<Option<usize>> {
        let root = self.roots.root(item);
        self.owners.get(&root).copied()
    }
}

impl<'a> FunctionVersions<'a> {
    /// The statement before that a node afterwards is in.
    pub(in super::super) fn item_of_after(&self, node: NodeId) -> Option<NodeId> {
        let mut item = self.items_after.of(node)?;
        loop {
            let origin = self.origins.get(item.index()).copied().flatten();
            if let Some(origin) = origin.filter(|it| self.items.is_one(*it)) {
                return Some(origin);
            }
            item = self.items_after.around(item)?;
        }
    }

    /// The islands that candidates make, by their places; `None` if the function changed in a way that is not understood.
    pub(in super::super) fn islands(&self, regions: &[(usize, &Region)]) -> Option<Islands> {
        let old = self.before.view(declaration(&self.before.ast, self.decl)?)?;
        let is_it = |it: NodeId| self.origins.get(it.index()).copied().flatten() == Some(self.decl);
        let mut declarations = self.after.ast.declarations().iter();
        let decl_after = *declarations.find(|it| is_it(it.node()))?;
        let new = self.after.view(decl_after)?;
        if !new.body.goals.is_empty() || self.linear.are_in(new) {
            return None;
        }
        let mut touched: BTreeSet<NodeId> =
            regions.iter().flat_map(|it| it.1.items.iter().copied()).collect();
        let changed = self.changed_nodes(old, new, decl_after.node(), &mut touched)?;
        let mut union = Union::default();
        for &item in &touched {
            let around = self.items.around(item);
            let is_value = matches!(self.before.ast.node(item).kind, AstKind::Expr(_));
            if let Some(around) = around.filter(|it| is_value || touched.contains(it)) {
                union.join(item, around);
            }
        }
        let mut doubtful: BTreeSet<NodeId> = BTreeSet::new();
        let mut settled = Settled::new(self.before, old, self.items);
        for (item, binder) in self.uses(old, new) {
            let bound = self.items.of(binder);
            if !touched.contains(&item) || bound == Some(item) {
                continue;
            }
            if changed.contains(&binder) {
                union.join(item, bound?);
            } else if !settled.is_settled(binder) {
                doubtful.insert(item);
            }
        }
        Some(owned(union, regions, &touched, &doubtful)).flatten()
    }

    /// The nodes before that have another type or meaning afterwards; their statements, and those of new nodes, are
    /// touched.
    fn changed_nodes(
        &self,
        old: BodyView<'_>,
        new: BodyView<'_>,
        decl_after: NodeId,
        touched: &mut BTreeSet<NodeId>,
    ) -> Option<FxHashSet<NodeId>> {
        let body = match self.before.ast.decl(declaration(&self.before.ast, self.decl)?) {
            Decl::Fn(it) => it.body.node(),
            _ => return None,
        };
        let own = self.before.ast.subtree(self.decl);
        let mut changed = FxHashSet::default();
        for node in self.after.ast.subtree(decl_after).map(NodeId) {
            let Some(origin) = self.origins.get(node.index()).copied().flatten() else {
                touched.insert(self.item_of_after(node)?);
                continue;
            };
            if !own.contains(&origin.0) {
                return None;
            }
            let is_same = old.ty(origin) == new.ty(node)
                && self.meaning(old, origin) == self.meaning_after(new, node);
            // Nothing in the function sees what its body as a whole is.
            if is_same || origin == body {
                continue;
            }
            changed.insert(origin);
            touched.insert(self.items.of(origin)?);
            touched.insert(self.item_of_after(node)?);
        }
        Some(changed)
    }

    fn meaning(&self, view: BodyView<'_>, node: NodeId) -> Option<Meaning> {
        Some(match view.resolution(node)? {
            Resolution::Local(it) => Meaning::Local(Some(view.local(*it))),
            other => Meaning::Global(other.clone()),
        })
    }

    fn meaning_after(&self, view: BodyView<'_>, node: NodeId) -> Option<Meaning> {
        Some(match view.resolution(node)? {
            Resolution::Local(it) => {
                Meaning::Local(self.origins.get(view.local(*it).index()).copied().flatten())
            }
            other => Meaning::Global(other.clone()),
        })
    }

    /// The statements that use locals, and what binds these, before and after.
    fn uses(&self, old: BodyView<'_>, new: BodyView<'_>) -> Vec<(NodeId, NodeId)> {
        let local = |it: &Resolution| match it {
            Resolution::Local(it) => Some(*it),
            _ => None,
        };
        let before = old.body.resolutions.iter().filter_map(|(node, it)| {
            Some((self.items.of(old.local(*node))?, old.local(local(it)?)))
        });
        let after = new.body.resolutions.iter().filter_map(|(node, it)| {
            let binder = new.local(local(it)?);
            let binder = self.origins.get(binder.index()).copied().flatten()?;
            Some((self.item_of_after(new.local(*node))?, binder))
        });
        before.chain(after).collect()
    }
}

/// What a name means, by the nodes before.
#[derive(PartialEq)]
enum Meaning {
    Local(Option<NodeId>),
    Global(Resolution),
}

/// Whose islands are whose; `None` if one is nobody's.
fn owned(
    mut roots: Union,
    regions: &[(usize, &Region)],
    touched: &BTreeSet<NodeId>,
    doubtful: &BTreeSet<NodeId>,
) -> Option<Islands> {
    for (_, region) in regions {
        region.items.windows(2).for_each(|it| roots.join(it[0], it[1]));
    }
    let mut owners: FxHashMap<NodeId, Option<usize>> = FxHashMap::default();
    for (index, region) in regions {
        let root = roots.root(*region.items.first()?);
        owners.entry(root).and_modify(|it| *it = None).or_insert(Some(*index));
    }
    for item in touched {
        let owner = owners.get_mut(&roots.root(*item))?;
        if doubtful.contains(item) {
            *owner = None;
        }
    }
    Some(Islands { roots, owners })
}

/// Sets of statements that are connected.
#[derive(Default)]
struct Union(FxHashMap<NodeId, NodeId>);

impl Union {
    fn root(&mut self, node: NodeId) -> NodeId {
        let mut root = node;
        while let Some(&above) = self.0.get(&root) {
            root = above;
        }
        let mut at = node;
        while let Some(above) = self.0.get_mut(&at) {
            at = std::mem::replace(above, root);
        }
        root
    }

    fn join(&mut self, one: NodeId, other: NodeId) {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            self.0.insert(one, other);
        }
    }
}
