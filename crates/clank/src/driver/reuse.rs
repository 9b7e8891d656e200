//! What can be taken over from an earlier look at the program.
//!
//! A declaration is taken over if its own text is the same, its signature is the same, every global name that it looked up
//! means the same, and no record or sum in its types has changed, nor anything that these contain. Nodes that
//! are mentioned and lie elsewhere (predicates, related places) must lie in declarations whose text is the same too.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use clank_syntax::Span;
use clank_syntax::ast::{Ast, Decl, DeclId, ExprId, Name, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Checked, CheckedBody, CheckedModule};
use crate::body::Body;
use crate::collect::Collected;
use crate::diagnostic::Diagnostic;
use crate::env::{Env, Signature, TypeDef, TypeEntry, Value};
use crate::program::Program;
use crate::ty::{Ty, TypeKey};
use crate::uses::{NameUse, NameUses};

mod shift;

pub(super) use shift::checked_body;

/// What is known from before, set against what is there now.
pub(super) struct PriorCheck<'a> {
    modules: Vec<Option<PriorModule<'a>>>,
    by_file: FxHashMap<&'a str, usize>,
    changed: FxHashSet<TypeKey>,
}

struct PriorModule<'a> {
    old: &'a CheckedModule,
    new_ast: &'a Ast,
    new_env: &'a Env,
    /// By declaration of the new tree, the one of the old tree with the same text.
    unchanged: FxHashMap<DeclId, DeclId>,
    /// The old declarations with the same text: their nodes, and the first node of the new one. In order.
    moved: Vec<(Range<u32>, u32)>,
    /// Names that do not mean what they meant.
    changed_names: FxHashSet<NameUse>,
    /// Whether any name in scope means something else.
    has_changes: bool,
}

impl<'a> PriorCheck<'a> {
    pub(super) fn new(
        program: &'a Program,
        collected: &'a [Collected],
        before: &'a Checked,
    ) -> PriorCheck<'a> {
        let old_by_file: FxHashMap<&str, &CheckedModule> =
            before.modules.iter().map(|it| (it.file.as_str(), it)).collect();
        let changed = changed_types(
            before.modules.iter().map(|it| &*it.env),
            collected.iter().map(|it| &*it.env),
        );
        let modules = program.modules().iter().zip(collected).map(|(module, collected)| {
            let old = old_by_file.get(module.file.as_str())?;
            let is_readable = module.syntax.is_empty() && old.is_readable;
            let pairs = if is_readable {
                unchanged_declarations(&old.ast, &module.ast)
            } else {
                Vec::new()
            };
            let mut moved: Vec<_> = pairs
                .iter()
                .map(|(new, old_decl)| (old.ast.subtree(*old_decl), module.ast.subtree(*new).start))
                .collect();
            moved.sort_unstable_by_key(|it| it.0.start);
            let changed_names = changed_names(&old.env, &collected.env, &changed);
            let has_changes = !changed_names.is_empty()
                || collected.env.defs.keys().any(|it| changed.contains(it));
            Some(PriorModule {
                old,
                new_ast: &module.ast,
                new_env: &collected.env,
                unchanged: pairs.into_iter().collect(),
                moved,
                changed_names,
                has_changes,
            })
        });
        let by_file = program
            .modules()
            .iter()
            .enumerate()
            .map(|(index, it)| (it.file.as_str(), index))
            .collect();
        PriorCheck { modules: modules.collect(), by_file, changed }
    }

    /// What is known about a declaration, moved to where it is now; `None` if it must be looked at.
    pub(super) fn take_over(&self, module: usize, decl: DeclId) -> Option<CheckedBody> {
        let module = self.modules[module].as_ref()?;
        let old_decl = *module.unchanged.get(&decl)?;
        let old = module.old.bodies.get(&old_decl)?;
        if !module.means_the_same(decl, old_decl, old)
            || old.keys.iter().any(|it| self.changed.contains(it))
        {
            return None;
        }
        shift::shifted(self, module, decl, old_decl, old)
    }
}

impl PriorModule<'_> {
    fn means_the_same(&self, new: DeclId, old_decl: DeclId, old: &CheckedBody) -> bool {
        if old.uses.looked_at_everything() && self.has_changes {
            return false;
        }
        if old.uses.has_any(&self.changed_names) {
            return false;
        }
        let signature = |env: &Env, node: NodeId| env.signature(node).cloned();
        if !same_option(
            signature(&self.old.env, old_decl.node()).as_deref(),
            signature(self.new_env, new.node()).as_deref(),
            same_signature,
        ) {
            return false;
        }
        match self.new_ast.decl(new) {
            Decl::ExternalMod { functions, .. } => {
                let Decl::ExternalMod { functions: old_functions, .. } =
                    self.old.ast.decl(old_decl)
                else {
                    return false;
                };
                functions.iter().zip(old_functions).all(|(new, old)| {
                    same_option(
                        signature(&self.old.env, old.node()).as_deref(),
                        signature(self.new_env, new.node()).as_deref(),
                        same_signature,
                    )
                })
            }
            Decl::TypeAlias { name, .. } | Decl::Rec { name, .. } | Decl::Sum { name, .. } => {
                !self.changed_names.contains(&NameUse::Type(name.clone()))
            }
            _ => true,
        }
    }

    /// Where a node of the old tree is now.
    fn moved(&self, node: NodeId) -> Option<NodeId> {
        let after = self.moved.partition_point(|it| it.0.start <= node.0);
        let (old, new) = &self.moved[after.checked_sub(1)?];
        old.contains(&node.0).then(|| NodeId(node.0 - old.start + new))
    }
}

/// The declarations with the same text in both trees: of the new tree, and of the old one.
fn unchanged_declarations(old: &Ast, new: &Ast) -> Vec<(DeclId, DeclId)> {
    let mut by_name: FxHashMap<(&str, usize), DeclId> = FxHashMap::default();
    let mut count: FxHashMap<&str, usize> = FxHashMap::default();
    for decl in old.declarations() {
        if let Some(name) = name_of(old.decl(*decl)) {
            let ordinal = count.entry(name).or_default();
            by_name.insert((name, *ordinal), *decl);
            *ordinal += 1;
        }
    }
    let mut count: FxHashMap<&str, usize> = FxHashMap::default();
    let mut pairs: Vec<(DeclId, DeclId)> = Vec::new();
    for decl in new.declarations() {
        let Some(name) = name_of(new.decl(*decl)) else { continue };
        let ordinal = count.entry(name).or_default();
        let found = by_name.get(&(name, *ordinal)).copied();
        *ordinal += 1;
        pairs.extend(found.map(|it| (*decl, it)));
    }
    let is_same = |it: &(DeclId, DeclId)| is_unchanged(old, it.1, new, it.0);
    let is_large = new.nodes().len() >= super::MIN_NODES;
    let same = super::each(is_large, &pairs, is_same);
    let mut same = same.into_iter();
    pairs.retain(|_| same.next() == Some(true));
    pairs
}

fn name_of(decl: &Decl) -> Option<&Name> {
    match decl {
        Decl::Fn(it) => Some(&it.name),
        Decl::ExternalFn(it) => Some(&it.name),
        Decl::ExternalMod { name, .. }
        | Decl::TypeAlias { name, .. }
        | Decl::Rec { name, .. }
        | Decl::Sum { name, .. } => Some(name),
        Decl::Mod { .. } | Decl::Use(_) | Decl::Error { .. } => None,
    }
}

/// Whether two declarations are written with the same bytes; those that AST JSON made, with the same nodes.
fn is_unchanged(old: &Ast, old_decl: DeclId, new: &Ast, new_decl: DeclId) -> bool {
    let (old_text, new_text) = (old.text(old_decl), new.text(new_decl));
    if old_text != new_text {
        return false;
    }
    let is_text = !old_text.is_empty();
    if is_text && old.is_as_read() && new.is_as_read() {
        return true;
    }
    let (old_nodes, new_nodes) = (old.subtree(old_decl), new.subtree(new_decl));
    if old_nodes.len() != new_nodes.len() {
        return false;
    }
    // A tree that was patched still has the text that it was read from.
    if !clank_syntax::same_subtrees(old, old_decl.node(), new, new_decl.node()) {
        return false;
    }
    if is_text {
        return true;
    }
    let text = |ast: &Ast, index: u32| -> (Span, String) {
        (ast.span(NodeId(index)), ast.text(NodeId(index)).to_owned())
    };
    old_nodes.zip(new_nodes).all(|(one, other)| text(old, one) == text(new, other))
}

fn same_option<T: ?Sized>(old: Option<&T>, new: Option<&T>, same: impl Fn(&T, &T) -> bool) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => same(old, new),
        (None, None) => true,
        _ => false,
    }
}

/// Records and sums that are not as they were, and those that contain one of them.
fn changed_types<'a>(
    old: impl Iterator<Item = &'a Env>,
    new: impl Iterator<Item = &'a Env>,
) -> FxHashSet<TypeKey> {
    let own = |env: &'a Env| {
        env.defs.iter().filter(|it| it.0.module == env.module && !it.0.module.is_empty())
    };
    let old: BTreeMap<&TypeKey, &TypeDef> =
        old.flat_map(own).map(|(key, def)| (key, &**def)).collect();
    let new: BTreeMap<&TypeKey, &TypeDef> =
        new.flat_map(own).map(|(key, def)| (key, &**def)).collect();
    let mut containers: FxHashMap<&TypeKey, Vec<&TypeKey>> = FxHashMap::default();
    let mut waiting: Vec<&TypeKey> = Vec::new();
    for (key, def) in &new {
        let is_same =
            old.get(key).is_some_and(|it| it.params == def.params && it.shape == def.shape);
        if !is_same {
            waiting.push(key);
        }
        let mut parts = BTreeSet::new();
        def.shape.types().for_each(|ty| shift::keys_of(ty, &mut parts));
        for part in parts {
            containers.entry(part).or_default().push(key);
        }
    }
    waiting.extend(old.keys().filter(|it| !new.contains_key(*it)));
    let mut changed = FxHashSet::default();
    while let Some(key) = waiting.pop() {
        if changed.insert(key.clone()) {
            waiting.extend(containers.get(key).into_iter().flatten());
        }
    }
    changed
}

/// The names in scope that do not mean what they meant.
fn changed_names(old: &Env, new: &Env, changed: &FxHashSet<TypeKey>) -> FxHashSet<NameUse> {
    let same_value = |old: &Value, new: &Value| same_value(old, new, changed);
    let same_type = |old: &TypeEntry, new: &TypeEntry| same_type(old, new, changed);
    let mut names = FxHashSet::default();
    names.extend(differing(&old.values, &new.values, same_value).cloned().map(NameUse::Value));
    names.extend(differing(&old.types, &new.types, same_type).cloned().map(NameUse::Type));
    let host = differing(&old.host, &new.host, same_value).cloned();
    names.extend(host.map(|(module, name)| NameUse::Member { module, name }));
    for module in sorted(old.modules.keys().chain(new.modules.keys())) {
        let (before, after) = (old.modules.get(module), new.modules.get(module));
        let values = |it: Option<&Arc<crate::env::Exports>>| -> Vec<Name> {
            it.map(|it| it.values.keys().cloned().collect()).unwrap_or_default()
        };
        let types = |it: Option<&Arc<crate::env::Exports>>| -> Vec<Name> {
            it.map(|it| it.types.keys().cloned().collect()).unwrap_or_default()
        };
        for name in sorted(values(before).iter().chain(&values(after))) {
            if !same_option(old.member(module, name), new.member(module, name), same_value) {
                names.insert(NameUse::Member { module: module.clone(), name: name.clone() });
            }
        }
        for name in sorted(types(before).iter().chain(&types(after))) {
            let (before, after) = (old.member_type(module, name), new.member_type(module, name));
            if !same_option(before, after, same_type) {
                names.insert(NameUse::MemberType { module: module.clone(), name: name.clone() });
            }
        }
    }
    names
}

/// The keys with values that are not the same in both.
fn differing<'a, K: Eq + std::hash::Hash, V>(
    old: &'a FxHashMap<K, V>,
    new: &'a FxHashMap<K, V>,
    same: impl Fn(&V, &V) -> bool,
) -> impl Iterator<Item = &'a K> {
    let gone = old.keys().filter(|it| !new.contains_key(it));
    let other =
        new.iter().filter(move |(key, new)| !old.get(key).is_some_and(|old| same(old, new)));
    gone.chain(other.map(|it| it.0))
}

fn sorted<'a, T: Ord + 'a>(keys: impl Iterator<Item = &'a T>) -> Vec<&'a T> {
    let mut keys: Vec<&T> = keys.collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Whether a value means the same, wherever it is written.
fn same_value(old: &Value, new: &Value, changed: &FxHashSet<TypeKey>) -> bool {
    match (old, new) {
        (
            Value::Fn { module, name, signature, .. },
            Value::Fn { module: module2, name: name2, signature: signature2, .. },
        ) => module == module2 && name == name2 && same_signature(signature, signature2),
        (
            Value::External { module, namespace, name, signature, .. },
            Value::External {
                module: module2,
                namespace: namespace2,
                name: name2,
                signature: signature2,
                ..
            },
        ) => {
            (module, namespace, name) == (module2, namespace2, name2)
                && same_signature(signature, signature2)
        }
        (Value::Variant { def, variant }, Value::Variant { def: def2, variant: variant2 }) => {
            def.key == def2.key && variant == variant2 && !changed.contains(&def.key)
        }
        (Value::Record { def }, Value::Record { def: def2 }) => {
            def.key == def2.key && !changed.contains(&def.key)
        }
        (Value::Builtin { name, .. }, Value::Builtin { name: name2, .. }) => name == name2,
        (Value::Module { file }, Value::Module { file: file2 }) => file == file2,
        (Value::HostModule { name }, Value::HostModule { name: name2 }) => name == name2,
        (Value::Unknown, Value::Unknown) => true,
        _ => false,
    }
}

fn same_type(old: &TypeEntry, new: &TypeEntry, changed: &FxHashSet<TypeKey>) -> bool {
    match (old, new) {
        (TypeEntry::Def(def), TypeEntry::Def(def2)) => {
            def.key == def2.key && !changed.contains(&def.key)
        }
        (TypeEntry::Alias { params, ty }, TypeEntry::Alias { params: params2, ty: ty2 }) => {
            params == params2 && ty == ty2
        }
        (TypeEntry::Unknown, TypeEntry::Unknown) => true,
        _ => false,
    }
}

/// Conditions are the same if they read the same.
fn same_signature(old: &Signature, new: &Signature) -> bool {
    let text = |it: &Option<crate::env::Condition>| it.as_ref().map(|it| it.text.clone());
    old.type_params == new.type_params
        && old.params == new.params
        && old.result == new.result
        && old.effects == new.effects
        && old.raises == new.raises
        && text(&old.precondition) == text(&new.precondition)
        && text(&old.postcondition) == text(&new.postcondition)
}
