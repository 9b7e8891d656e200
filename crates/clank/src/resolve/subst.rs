//! Type parameters replaced by arguments, and how large a type may become by it.

use std::collections::BTreeMap;
use std::sync::Arc;

use clank_syntax::ast::{MAX_NESTING, Name};
use clank_syntax::with_stack;

use crate::env::Signature;
use crate::ty::{Adt, FnTy, Predicate, RecordTy, RefinedTy, Ty};

/// How many parts a type may have once its aliases are expanded. Aliases of pairs of aliases double it each time.
const MAX_PARTS: u32 = 10_000;

/// `base` with predicates; those that it already has come first.
pub fn refined(base: Ty, predicates: Vec<Predicate>) -> Ty {
    match base {
        Ty::Error => Ty::Error,
        _ if predicates.is_empty() => base,
        Ty::Refined(it) => {
            let mut all = it.predicates.clone();
            for predicate in predicates {
                if !all.contains(&predicate) {
                    all.push(predicate);
                }
            }
            Ty::Refined(Arc::new(RefinedTy { base: it.base.clone(), predicates: all }))
        }
        base => Ty::Refined(Arc::new(RefinedTy { base, predicates })),
    }
}

/// The type with every parameter replaced by the argument at its place. Parts without parameters are shared.
pub fn substitute(ty: &Ty, params: &[Name], args: &[Ty]) -> Ty {
    let all =
        |types: &[Ty]| types.iter().map(|it| substitute(it, params, args)).collect::<Vec<_>>();
    let fields = |fields: &[(Name, Ty)]| {
        fields.iter().map(|(name, ty)| (name.clone(), substitute(ty, params, args))).collect()
    };
    with_stack(|| match ty {
        Ty::Param(name) => match params.iter().position(|it| it == name) {
            Some(index) => args.get(index).cloned().unwrap_or(Ty::Error),
            None => ty.clone(),
        },
        Ty::Var(_) | Ty::Prim(_) | Ty::Never | Ty::Error => ty.clone(),
        Ty::Adt(it) if it.args.is_empty() => ty.clone(),
        Ty::Adt(it) => Ty::Adt(Arc::new(Adt { key: it.key.clone(), args: all(&it.args) })),
        Ty::Fn(it) => Ty::Fn(Arc::new(FnTy {
            params: all(&it.params),
            result: substitute(&it.result, params, args),
            effects: it.effects,
            any_effects: it.any_effects,
        })),
        Ty::Tuple(elements) => Ty::Tuple(all(elements).into()),
        Ty::Array(element) => Ty::array(substitute(element, params, args)),
        Ty::Record(it) => {
            Ty::Record(Arc::new(RecordTy { fields: fields(&it.fields), open: it.open }))
        }
        Ty::Refined(it) => refined(substitute(&it.base, params, args), it.predicates.clone()),
    })
}

/// Whether a type is small and flat enough to be compared and shown. What is too large is noticed before all of it was
/// looked at.
pub(super) fn is_reasonable(ty: &Ty) -> bool {
    fn count(ty: &Ty, depth: u32, left: &mut u32) -> bool {
        if depth == 0 || *left == 0 {
            return false;
        }
        *left -= 1;
        let mut fits = |it: &Ty| with_stack(|| count(it, depth - 1, left));
        match ty {
            Ty::Var(_) | Ty::Prim(_) | Ty::Param(_) | Ty::Never | Ty::Error => true,
            Ty::Adt(it) => it.args.iter().all(fits),
            Ty::Fn(it) => it.params.iter().all(&mut fits) && fits(&it.result),
            Ty::Tuple(elements) => elements.iter().all(fits),
            Ty::Array(element) => fits(element),
            Ty::Record(it) => it.fields.iter().all(|(_, ty)| fits(ty)),
            Ty::Refined(it) => fits(&it.base),
        }
    }
    count(ty, MAX_NESTING, &mut { MAX_PARTS })
}

/// The type arguments of a use of a function, from the type that it has there.
pub fn arguments<'t>(signature: &Signature, used: &'t FnTy) -> BTreeMap<Name, &'t Ty> {
    let mut found = BTreeMap::new();
    for (declared, actual) in signature.params.iter().map(|it| &it.1).zip(&used.params) {
        solve(declared, actual, &mut found);
    }
    solve(&signature.result, &used.result, &mut found);
    found
}

fn solve<'t>(declared: &Ty, actual: &'t Ty, found: &mut BTreeMap<Name, &'t Ty>) {
    with_stack(|| match (declared.base(), actual.base()) {
        (Ty::Param(name), _) => {
            let known = found.entry(name.clone()).or_insert(actual);
            if matches!(known, Ty::Error | Ty::Var(_) | Ty::Never) {
                *known = actual;
            }
        }
        (Ty::Array(declared), Ty::Array(actual)) => solve(declared, actual, found),
        (Ty::Tuple(declared), Ty::Tuple(actual)) => {
            declared.iter().zip(actual.iter()).for_each(|it| solve(it.0, it.1, found));
        }
        (Ty::Adt(declared), Ty::Adt(actual)) => {
            declared.args.iter().zip(&actual.args).for_each(|it| solve(it.0, it.1, found));
        }
        (Ty::Record(declared), Ty::Record(actual)) => {
            for (name, ty) in &declared.fields {
                if let Some(actual) = actual.fields.iter().find(|it| it.0 == *name) {
                    solve(ty, &actual.1, found);
                }
            }
        }
        (Ty::Fn(declared), Ty::Fn(actual)) => {
            declared.params.iter().zip(&actual.params).for_each(|it| solve(it.0, it.1, found));
            solve(&declared.result, &actual.result, found);
        }
        _ => {}
    });
}
