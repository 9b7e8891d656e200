//! Whether a function has values that must be used once.

use clank::body::BodyView;
use clank::env::{Env, TypeDef};
use clank::ty::{Ty, TypeKey};
use rustc_hash::FxHashSet;

/// The records and sums that hold such a value, however deep.
#[derive(Default)]
pub(in super::super) struct LinearTypes(FxHashSet<TypeKey>);

impl LinearTypes {
    /// Those of a module, its own and those that it imports.
    pub(in super::super) fn new(env: &Env) -> LinearTypes {
        let mut found = LinearTypes::default();
        loop {
            let is_new = |it: &&TypeDef| {
                !found.0.contains(&it.key) && it.shape.types().any(|it| found.is_mentioned(it))
            };
            let new: Vec<TypeKey> =
                env.defs.values().map(|it| &**it).filter(is_new).map(|it| it.key.clone()).collect();
            if new.is_empty() {
                return found;
            }
            found.0.extend(new);
        }
    }

    /// Whether any value in a function is one, or holds one.
    pub(super) fn are_in(&self, view: BodyView<'_>) -> bool {
        let mut seen = FxHashSet::default();
        let types = view.body.types.iter().flatten();
        let mut types = types.filter(|it| it.address().is_some_and(|it| seen.insert(it)));
        types.any(|it| self.is_mentioned(it))
    }

    fn is_mentioned(&self, ty: &Ty) -> bool {
        let is_linear = |it: &TypeKey| {
            it.is_prelude("Linear") || it.is_prelude("Affine") || self.0.contains(it)
        };
        clank_syntax::with_stack(|| match ty {
            Ty::Adt(it) if is_linear(&it.key) => true,
            _ => ty.parts().any(|it| self.is_mentioned(it)),
        })
    }
}
