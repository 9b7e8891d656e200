//! What the names in a predicate mean, so that two predicates of one text can be told apart.

use std::collections::BTreeMap;
use std::sync::Arc;

use clank_syntax::ast::{AstKind, Expr, ExprId, Name, NodeId, Pattern};
use rustc_hash::FxHashSet;

use super::TypeScope;
use crate::env::{Env, Value};
use crate::ty::Meaning;

impl TypeScope<'_> {
    /// The names of a predicate besides the one that stands for the value, and those that it binds itself.
    pub(crate) fn meanings(
        &self,
        predicate: ExprId,
        variable: &Name,
        in_scope: &dyn Fn(&str) -> Option<Meaning>,
    ) -> Arc<[(Name, Meaning)]> {
        let nodes = self.ast.subtree(predicate);
        let kinds = nodes.map(|it| &self.ast.node(NodeId(it)).kind);
        let mut bound: FxHashSet<&Name> = FxHashSet::default();
        let mut found = BTreeMap::new();
        for kind in kinds.clone() {
            match kind {
                AstKind::Pattern(Pattern::Ident { name }) => _ = bound.insert(name),
                AstKind::LambdaParam(it) => _ = bound.insert(&it.name),
                AstKind::FieldPattern(it) if it.pattern.is_none() => _ = bound.insert(&it.name),
                AstKind::Type(_) => _ = found.insert(Name::default(), Meaning::Unclear),
                _ => {}
            }
        }
        for kind in kinds {
            let AstKind::Expr(Expr::Ident { name }) = kind else { continue };
            if name == variable || found.contains_key(name) {
                continue;
            }
            let outer = in_scope(name);
            let meaning = match bound.contains(name) {
                false => outer.unwrap_or_else(|| global(self.env, name)),
                true if outer.is_none() && !self.env.values.contains_key(name) => continue,
                // It may be the one inside or the one outside.
                true => Meaning::Unclear,
            };
            found.insert(name.clone(), meaning);
        }
        found.into_iter().collect()
    }
}

/// What a name means in a module that nothing around it binds. What the module declares itself may not be known yet: then
/// the name alone tells.
pub(crate) fn global(env: &Env, name: &Name) -> Meaning {
    let (module, declared) = match env.values.get(name) {
        Some(Value::Fn { module, name, .. }) => (module.clone(), name.clone()),
        Some(Value::External { module, namespace: None, name, .. }) => {
            (module.clone(), name.clone())
        }
        Some(Value::Builtin { name, .. }) => (Name::default(), name.clone()),
        Some(Value::Variant { def, variant }) => {
            let crate::env::TypeBody::Sum(variants) = &def.shape else { return Meaning::Unclear };
            let Some(variant) = variants.get(*variant as usize) else { return Meaning::Unclear };
            (def.key.module.clone(), variant.name.clone())
        }
        Some(Value::Record { def }) => (def.key.module.clone(), def.key.name.clone()),
        Some(Value::Module { file }) => (file.clone(), Name::default()),
        Some(Value::External { .. } | Value::HostModule { .. } | Value::Unknown) | None => {
            (env.module.clone(), name.clone())
        }
    };
    Meaning::Global(module, declared)
}
