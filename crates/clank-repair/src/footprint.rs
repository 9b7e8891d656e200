//! Which declarations a change concerns: those that it writes in, and those that use a name whose meaning it may change.
//! Changes that concern different declarations can be tried together.

use std::collections::BTreeSet;

use clank::Checked;
use clank::NameUse;
use clank_syntax::ast::{Ast, Decl, DeclId, ExprId, Name, NodeId};
use clank_syntax::patch::PatchOp;
use rustc_hash::FxHashMap;

use super::propose::Candidate;
use crate::extent::declaration;

/// A declaration of the program: the place of its module, and its node there.
pub(super) type DeclRef = (usize, NodeId);

/// What a change concerns.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Footprint {
    /// Anything may change.
    Everything,
    /// Only what is in these declarations.
    Some {
        /// Those that are written in.
        writes: BTreeSet<DeclRef>,
        /// Those that use what is written.
        reads: BTreeSet<DeclRef>,
        /// Whether it can only make things worse for those that use what is written: then several such changes may
        /// concern the same one, and if it is none the worse for all together, it is none for each.
        only_adds: bool,
    },
}

impl Footprint {
    /// The declarations in which what is gone is gone because of the change; `None` if it is so everywhere.
    pub(super) fn credited(&self) -> Option<impl Iterator<Item = &DeclRef>> {
        match self {
            Footprint::Everything => None,
            Footprint::Some { writes, reads, only_adds } => {
                Some(writes.iter().chain(reads.iter().filter(move |_| !*only_adds)))
            }
        }
    }
}

/// Who uses which names, for a whole program.
pub(super) struct Users<'a> {
    checked: &'a Checked,
    by_file: FxHashMap<&'a str, usize>,
    /// A name may mean different things in different modules: more declarations are found than there need be.
    by_name: FxHashMap<&'a Name, Vec<(usize, DeclId)>>,
}

impl<'a> Users<'a> {
    pub(super) fn new(checked: &'a Checked) -> Users<'a> {
        let mut by_name: FxHashMap<&Name, Vec<(usize, DeclId)>> = FxHashMap::default();
        let mut by_file = FxHashMap::default();
        for (index, module) in checked.modules.iter().enumerate() {
            by_file.insert(module.file.as_str(), index);
            for (decl, body) in &module.bodies {
                for used in body.uses().names() {
                    let (NameUse::Value(name)
                    | NameUse::Type(name)
                    | NameUse::Member { name, .. }
                    | NameUse::MemberType { name, .. }) = used;
                    let users = by_name.entry(name).or_default();
                    if users.last() != Some(&(index, *decl)) {
                        users.push((index, *decl));
                    }
                }
            }
        }
        Users { checked, by_file, by_name }
    }

    /// The place of the module in that file.
    pub(super) fn module(&self, file: &str) -> Option<usize> {
        self.by_file.get(file).copied()
    }

    /// What a candidate concerns; `None` if it is about nodes that do not exist.
    pub(super) fn footprint(&self, candidate: &Candidate) -> Option<Footprint> {
        let mut writes = BTreeSet::new();
        let mut names = BTreeSet::new();
        let mut is_everything = false;
        let mut only_adds = true;
        for (file, ops) in &candidate.edits {
            let module = self.module(file)?;
            let ast = &self.checked.modules[module].ast;
            for op in ops {
                only_adds &= matches!(op, PatchOp::WidenEffect { .. });
                for id in op.node_ids() {
                    let node = ast.ids().node(&id)?;
                    match concerned(ast, node, op) {
                        Concerned::Body(decl) => {
                            writes.insert((module, decl.node()));
                        }
                        Concerned::Signature(decl, name) => {
                            writes.insert((module, decl.node()));
                            names.extend(name);
                        }
                        Concerned::Everything => is_everything = true,
                    }
                }
            }
        }
        if is_everything {
            return Some(Footprint::Everything);
        }
        let users = names.iter().filter_map(|it| self.by_name.get(it)).flatten();
        let reads = users.map(|(module, decl)| (*module, decl.node()));
        let reads = reads.filter(|it| !writes.contains(it)).collect();
        Some(Footprint::Some { writes, reads, only_adds })
    }
}

enum Concerned {
    Body(DeclId),
    /// What others see of a declaration: the names that may mean something else.
    Signature(DeclId, Vec<Name>),
    Everything,
}

fn concerned(ast: &Ast, node: NodeId, op: &PatchOp) -> Concerned {
    let Some(decl) = declaration(ast, node) else { return Concerned::Everything };
    let is_whole = matches!(op, PatchOp::ReplaceNode { .. } | PatchOp::DeleteNode { .. });
    match ast.decl(decl) {
        Decl::Fn(it) if is_in(ast, it.body, node) => Concerned::Body(decl),
        Decl::Fn(_) if is_whole && node == decl.node() => Concerned::Everything,
        Decl::Fn(it) => {
            let mut names = vec![it.name.clone()];
            // A parameter's new name is nobody else's business.
            if let PatchOp::RenameSymbol { new_name, .. } | PatchOp::Rename { new_name, .. } = op
                && node == decl.node()
            {
                names.push(new_name.clone());
            }
            Concerned::Signature(decl, names)
        }
        Decl::Use(it) if matches!(op, PatchOp::DeleteNode { .. }) => {
            let own = it.alias.iter().chain(it.path.last());
            Concerned::Signature(decl, it.items.iter().chain(own).cloned().collect())
        }
        // What a type is made of concerns all that have values of it, by whatever name.
        _ => Concerned::Everything,
    }
}

fn is_in(ast: &Ast, body: ExprId, node: NodeId) -> bool {
    ast.subtree(body).contains(&node.0)
}
