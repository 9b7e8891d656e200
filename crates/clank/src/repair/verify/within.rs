//! Candidates that change different statements of one function are tried together too, and each gets the verdict that it
//! would get alone. Why that is so:
//!
//! A function is checked statement by statement. What comes out for one of them, types and mistakes, depends on its text, on
//! the types of the names from elsewhere that it uses, on the declared types around it, and, for the last value of a block
//! and what is around it, on each other. Compare the function before with the function after all changes, and call a
//! statement touched if it was changed or if any type or name in it is another one. Touched statements that a changed
//! type connects, by a name that one binds and the other uses (before or after) or because one is in the other, make an
//! island. Let an island hold the changes of one candidate only. Were that candidate applied alone, then
//!
//! - the statements of its island would have the text that they have after all changes, and every name from outside the
//!   island that they use has the same type before and after, so they come out as they do after all changes;
//! - every other statement would have the text that it had before, and uses names of the island only if their types are
//!   the same before and after, so it comes out as it did before.
//!
//! So what is gone and what came up because of the candidate is what is gone and came up in its island. That needs some
//! care with what crosses statements in other ways:
//!
//! - A type may be settled by a later statement (`let xs = []`). Names whose types are not settled where they are bound
//!   make an island doubtful that uses them.
//! - What is proved depends on all statements before: a function with goals, before or after, is left out. So is one with
//!   linear values, whose uses are counted, and what is in a lambda counts as part of the statement around it.
//! - Warnings about unused names and about code that nothing reaches depend on other statements. Only candidates for
//!   mistakes take part, for which warnings do not count, and only mistakes are said to be gone.
//! - Mistakes that are reported only when there are no others can come up only after all changes, in no island or in one:
//!   then a candidate is tried again with fewer others.
//!
//! A name that nothing uses and that gets a name which nothing mentions (W0001) changes no type and no meaning. Such candidates
//! are tried with one another only, and are doubtful if anything at all comes up.
//!
//! What is doubtful, or shares its island, is tried again with half of the others, and in the end alone.

mod settled;

use std::collections::BTreeSet;

use clank_syntax::ast::{Decl, Kind, NodeId, Pattern};
use clank_syntax::patch::PatchOp;
use rustc_hash::{FxHashMap, FxHashSet};

use self::settled::Settled;
use super::items::Items;
use crate::body::{BodyView, Resolution};
use crate::code::Code;
use crate::driver::CheckedModule;
use crate::repair::footprint::Footprint;
use crate::repair::propose::Candidate;
use crate::repair::{Target, declaration};
use crate::ty::{Ty, TypeKey};

/// The statements of one function that a candidate changes, if it changes nothing else and may be tried with others there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Region {
    /// In order.
    pub(super) items: Vec<NodeId>,
    /// Whether only a name that nothing uses gets another name.
    pub(super) is_quiet: bool,
}

/// Finds the regions of candidates for one module.
pub(super) struct Regions<'a> {
    module: &'a CheckedModule,
    place: usize,
    items: &'a Items,
    has_linear_types: bool,
    suitable: FxHashMap<NodeId, bool>,
}

impl<'a> Regions<'a> {
    pub(super) fn new(module: &'a CheckedModule, place: usize, items: &'a Items) -> Regions<'a> {
        let own = module.env.defs.values().filter(|it| !it.key.module.is_empty());
        let mut has_linear_types = false;
        for def in own {
            let types: Vec<&Ty> = match &def.shape {
                crate::env::Shape::Record(fields) => fields.iter().map(|it| &it.1).collect(),
                crate::env::Shape::Sum(all) => {
                    all.iter().flat_map(|it| it.fields.iter().map(|it| &it.1)).collect()
                }
                crate::env::Shape::Opaque => Vec::new(),
            };
            has_linear_types |= types.into_iter().any(mentions_linear);
        }
        Regions { module, place, items, has_linear_types, suitable: FxHashMap::default() }
    }

    /// The region of a candidate that concerns this.
    pub(super) fn region(
        &mut self,
        candidate: &Candidate,
        footprint: &Footprint,
    ) -> Option<Region> {
        let Footprint::Some { writes, reads, .. } = footprint else { return None };
        let [(file, ops)] = &candidate.edits[..] else { return None };
        let decl = match writes.first() {
            Some((module, decl)) if *module == self.place && writes.len() == 1 => *decl,
            _ => return None,
        };
        if !reads.is_empty() || *file != self.module.file || !self.is_suitable(decl) {
            return None;
        }
        if let Some(item) = self.unused_name(candidate, ops) {
            return Some(Region { items: vec![item], is_quiet: true });
        }
        let mut items = BTreeSet::new();
        for op in ops {
            items.extend(self.changed(op)?);
        }
        let is_own = |it: &Target| match it {
            Target::Diagnostic(index) => {
                let it = &self.module.diagnostics[*index];
                let item = self.items.of(it.node);
                it.code.is_error() && item.is_some_and(|it| items.contains(&it))
            }
            Target::Goal(_) | Target::Hole(_) => false,
        };
        let is_known = candidate.targets.iter().all(is_own);
        is_known.then(|| Region { items: items.into_iter().collect(), is_quiet: false })
    }

    /// The statement that binds a name that nothing uses, nor assigns, if all that a candidate does is to give it another.
    fn unused_name(&self, candidate: &Candidate, ops: &[PatchOp]) -> Option<NodeId> {
        let ([Target::Diagnostic(index)], [PatchOp::ReplaceNode { node_id, .. }]) =
            (&candidate.targets[..], ops)
        else {
            return None;
        };
        let it = &self.module.diagnostics[*index];
        let ast = &self.module.ast;
        let is_binder = matches!(ast.node(it.node).kind, Kind::Pattern(Pattern::Ident { .. }));
        let is_it = it.code == Code::W0001 && ast.ids().node(node_id) == Some(it.node);
        self.items.of(it.node).filter(|_| is_binder && is_it)
    }

    /// The statements that an operation is about; none if it may bind names, or is about a statement as a whole.
    fn changed(&self, op: &PatchOp) -> Option<BTreeSet<NodeId>> {
        let is_within = matches!(
            op,
            PatchOp::ReplaceNode { .. }
                | PatchOp::Wrap { .. }
                | PatchOp::DeleteNode { .. }
                | PatchOp::RenameSymbol { .. }
                | PatchOp::RenameField { .. }
        );
        let ast = &self.module.ast;
        let mut items = BTreeSet::new();
        for id in op.node_ids() {
            let node = ast.ids().node(&id)?;
            let is_target = id == *op.target();
            let is_value =
                matches!(ast.node(node).kind, Kind::Expr(_) | Kind::FieldInit(_) | Kind::Type(_));
            if !is_within || is_target && !is_value {
                return None;
            }
            items.insert(self.items.of(node)?);
        }
        Some(items)
    }

    /// Whether candidates for a declaration can be tried together at all.
    fn is_suitable(&mut self, decl: NodeId) -> bool {
        if self.has_linear_types {
            return false;
        }
        let module = self.module;
        *self.suitable.entry(decl).or_insert_with(|| {
            let id = declaration(&module.ast, decl);
            let is_function = id.is_some_and(|it| matches!(module.ast.decl(it), Decl::Fn(_)));
            let view = id.and_then(|it| module.view(it));
            is_function && view.is_some_and(|it| it.body.goals.is_empty() && !has_linear(it))
        })
    }
}

fn has_linear(view: BodyView<'_>) -> bool {
    let mut seen = FxHashSet::default();
    let types = view.body.types.iter().flatten();
    types.filter(|it| it.address().is_some_and(|it| seen.insert(it))).any(mentions_linear)
}

fn mentions_linear(ty: &Ty) -> bool {
    let is_linear = |it: &TypeKey| it.is_prelude("Linear") || it.is_prelude("Affine");
    clank_syntax::with_stack(|| match ty {
        Ty::Adt(it) if is_linear(&it.key) => true,
        _ => ty.parts().any(mentions_linear),
    })
}

/// A function before and after changes.
pub(super) struct Function<'a> {
    pub(super) before: &'a CheckedModule,
    pub(super) after: &'a CheckedModule,
    /// Where the nodes afterwards come from.
    pub(super) origins: &'a [Option<NodeId>],
    pub(super) items: &'a Items,
    pub(super) items_after: &'a Items,
    /// Its declaration before.
    pub(super) decl: NodeId,
}

/// Which statement is in the island of which candidate.
pub(super) struct Islands {
    roots: Union,
    /// By island: the only candidate that changes something in it; none if it is doubtful.
    owners: FxHashMap<NodeId, Option<usize>>,
}

impl Islands {
    /// The candidate that what happens in a statement is because of; nothing within if that is doubtful, nothing at all
    /// if the statement is not touched.
    pub(super) fn owner(&mut self, item: NodeId) -> Option<Option<usize>> {
        let root = self.roots.root(item);
        self.owners.get(&root).copied()
    }
}

impl<'a> Function<'a> {
    /// The statement before that a node afterwards is in.
    pub(super) fn item_of_after(&self, node: NodeId) -> Option<NodeId> {
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
    pub(super) fn islands(&self, regions: &[(usize, &Region)]) -> Option<Islands> {
        let old = self.before.view(declaration(&self.before.ast, self.decl)?)?;
        let is_it = |it: NodeId| self.origins.get(it.index()).copied().flatten() == Some(self.decl);
        let mut declarations = self.after.ast.declarations().iter();
        let decl_after = *declarations.find(|it| is_it(it.node()))?;
        let new = self.after.view(decl_after)?;
        if !new.body.goals.is_empty() || has_linear(new) {
            return None;
        }
        let mut touched: BTreeSet<NodeId> =
            regions.iter().flat_map(|it| it.1.items.iter().copied()).collect();
        let changed = self.changed_nodes(old, new, decl_after.node(), &mut touched)?;
        let mut union = Union::default();
        for &item in &touched {
            let around = self.items.around(item);
            let is_value = matches!(self.before.ast.node(item).kind, Kind::Expr(_));
            if let Some(around) = around.filter(|it| is_value || touched.contains(it)) {
                union.join(item, around);
            }
        }
        let mut doubtful: BTreeSet<NodeId> = BTreeSet::new();
        let mut settled = Settled::new(self.before, old);
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
