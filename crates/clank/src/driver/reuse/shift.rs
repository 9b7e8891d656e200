//! What is known about a declaration, moved to where the declaration is now.

use std::collections::BTreeSet;
use std::sync::Arc;

use clank_syntax::Span;
use clank_syntax::with_stack;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Body, CheckedBody, DeclId, Diagnostic, ExprId, NameUses, NodeId, PriorCheck, PriorModule,
    Signature, Ty, TypeKey,
};
use crate::ty::{Adt, FnTy, Given, GivenValue, Meaning, Predicate, RecordTy, RefinedTy};

/// What was found out about a declaration, with what is needed to take it over later.
pub(in crate::driver) fn checked_body(
    first: NodeId,
    body: Body,
    diagnostics: Vec<Diagnostic>,
    uses: NameUses,
    signature: Option<&Signature>,
) -> CheckedBody {
    // Bodies share few types: room for them at once is cheaper than growing again and again.
    let mut found = TypeParts { seen: with_room(body.types.len() / 4), ..TypeParts::default() };
    let signature_types = signature.into_iter().flat_map(|it| {
        it.params.iter().map(|it| &it.1).chain([&it.result]).chain(it.raises.as_ref())
    });
    for ty in signature_types.chain(types_of(&body)) {
        found.look_at(ty);
    }
    let TypeParts { keys, refined, .. } = found;
    let keys: Vec<TypeKey> = keys.into_iter().cloned().collect();
    let refined: Vec<Arc<RefinedTy>> = refined.into_iter().cloned().collect();
    CheckedBody {
        first,
        body: Arc::new(body),
        diagnostics,
        uses: Arc::new(uses),
        keys: keys.into(),
        refined: refined.into(),
        proofs: crate::prove::Proofs::default(),
    }
}

fn with_room(n: usize) -> FxHashSet<usize> {
    FxHashSet::with_capacity_and_hasher(n, rustc_hash::FxBuildHasher)
}

/// What occurs in types. What they share is looked at once.
#[derive(Default)]
struct TypeParts<'a> {
    seen: FxHashSet<usize>,
    keys: BTreeSet<&'a TypeKey>,
    refined: Vec<&'a Arc<RefinedTy>>,
}

impl<'a> TypeParts<'a> {
    fn look_at(&mut self, ty: &'a Ty) {
        let Some(address) = ty.address() else { return };
        if !self.seen.insert(address) {
            return;
        }
        match ty {
            Ty::Adt(it) if !it.key.module.is_empty() => {
                self.keys.insert(&it.key);
            }
            Ty::Refined(it) => self.refined.push(it),
            _ => {}
        }
        ty.parts().for_each(|it| with_stack(|| self.look_at(it)));
    }
}

/// `None` if something that it mentions is not where it can be found again.
pub(super) fn shifted(
    known: &PriorCheck<'_>,
    module: &PriorModule<'_>,
    decl: DeclId,
    old_decl: DeclId,
    old: &CheckedBody,
) -> Option<CheckedBody> {
    let first = NodeId(module.new_ast.subtree(decl).start);
    let (from, to) = (module.old.ast.span(old_decl).start, module.new_ast.span(decl).start);
    let move_offset = |offset: u32| offset.wrapping_sub(from).wrapping_add(to);
    let diagnostics = old
        .diagnostics
        .iter()
        .map(|it| {
            let mut it = it.clone();
            it.node = module.moved(it.node)?;
            it.span = it.span.map(|it| Span::new(move_offset(it.start), move_offset(it.end)));
            for related in &mut it.related {
                related.node = module.moved(related.node)?;
            }
            Some(it)
        })
        .collect::<Option<Vec<_>>>()?;
    let mut predicates = old.refined.iter().flat_map(|it| &it.predicates);
    let stays = predicates.try_fold(true, |stays, it| Some(known.stays(module, it)? && stays))?;
    if stays {
        return Some(CheckedBody { first, diagnostics, ..old.clone() });
    }
    let moved = |it: &Predicate| known.moved_predicate(module, it);
    let mut moving = Moving { moved: &moved, known: FxHashMap::default() };
    let body = Arc::new(moving.body(&old.body)?);
    let refined = old.refined.iter().map(|it| moving.refined(it));
    let refined: Vec<Arc<RefinedTy>> = refined.collect::<Option<_>>()?;
    Some(CheckedBody { first, body, diagnostics, refined: refined.into(), ..old.clone() })
}

impl PriorCheck<'_> {
    /// Whether a predicate and what it speaks of are written where they were, in a type of a body of this module; `None` if
    /// they cannot be found again.
    fn stays(&self, user: &PriorModule<'_>, predicate: &Predicate) -> Option<bool> {
        let stays = |file: &str, node: NodeId| {
            let module = self.modules[*self.by_file.get(file)?].as_ref()?;
            Some(module.moved(node)? == node)
        };
        let own = stays(&predicate.module, predicate.expr.node())?;
        let mut fixed = predicate.names.iter().filter_map(|it| match &it.1 {
            Meaning::Fixed(file, node) => Some((file, *node)),
            _ => None,
        });
        let own = fixed.try_fold(own, |all, (file, node)| Some(stays(file, node)? && all))?;
        let given = predicate.given.iter().flat_map(|it| &it.values).filter_map(|it| it.1.as_ref());
        given.map(|it| it.expr.node()).try_fold(own, |all, it| Some(user.moved(it)? == it && all))
    }

    /// Where a predicate is written now, in a type of a body of this module.
    fn moved_predicate(&self, user: &PriorModule<'_>, predicate: &Predicate) -> Option<Predicate> {
        let module = |file: &str| self.modules[*self.by_file.get(file)?].as_ref();
        let home = module(&predicate.module)?;
        let expr = ExprId::of(home.new_ast, home.moved(predicate.expr.node())?)?;
        let names = predicate.names.iter().map(|(name, meaning)| {
            let meaning = match meaning {
                Meaning::Fixed(file, node) => {
                    Meaning::Fixed(file.clone(), module(file)?.moved(*node)?)
                }
                other => other.clone(),
            };
            Some((name.clone(), meaning))
        });
        let names = names.collect::<Option<_>>()?;
        let given = match &predicate.given {
            Some(given) => Some(Arc::new(user.moved_given(given)?)),
            None => None,
        };
        Some(Predicate { expr, names, given, ..predicate.clone() })
    }
}

impl PriorModule<'_> {
    /// Where what stands for the names of a predicate is now.
    fn moved_given(&self, given: &Given) -> Option<Given> {
        let moved = |it: &GivenValue| {
            let expr = ExprId::of(self.new_ast, self.moved(it.expr.node())?)?;
            Some(GivenValue { expr, field: it.field.clone() })
        };
        let values = given.values.iter().map(|(name, value)| match value {
            Some(value) => Some((name.clone(), Some(moved(value)?))),
            None => Some((name.clone(), None)),
        });
        Some(Given { variable: given.variable.clone(), values: values.collect::<Option<_>>()? })
    }
}

/// Moves the predicates in types. What types share is moved once, and shared again.
struct Moving<'a> {
    moved: &'a dyn Fn(&Predicate) -> Option<Predicate>,
    /// By the address of a shared part, which is kept so that no other can get its address.
    known: FxHashMap<usize, (Ty, Ty)>,
}

impl Moving<'_> {
    fn body(&mut self, body: &Body) -> Option<Body> {
        let mut body = body.clone();
        let types = body.types.iter_mut().flatten();
        let goals = body.goals.iter_mut().flat_map(|it| {
            let context = Arc::make_mut(&mut it.context).iter_mut();
            it.expected.iter_mut().chain(context.map(|it| &mut it.ty))
        });
        let holes = body.holes.iter_mut().flat_map(|it| {
            std::iter::once(&mut it.expected).chain(it.context.iter_mut().map(|it| &mut it.ty))
        });
        for ty in types.chain(goals).chain(holes) {
            *ty = self.ty(ty)?;
        }
        Some(body)
    }

    fn ty(&mut self, ty: &Ty) -> Option<Ty> {
        let Some(address) = ty.address() else { return Some(ty.clone()) };
        if let Some((_, known)) = self.known.get(&address) {
            return Some(known.clone());
        }
        let new = match has_predicate(ty) {
            true => with_stack(|| self.parts(ty))?,
            false => ty.clone(),
        };
        self.known.insert(address, (ty.clone(), new.clone()));
        Some(new)
    }

    fn all(&mut self, types: &[Ty]) -> Option<Vec<Ty>> {
        types.iter().map(|it| self.ty(it)).collect()
    }

    fn parts(&mut self, ty: &Ty) -> Option<Ty> {
        Some(match ty {
            Ty::Var(_) | Ty::Prim(_) | Ty::Param(_) | Ty::Never | Ty::Error => ty.clone(),
            Ty::Adt(it) => {
                Ty::Adt(Arc::new(Adt { key: it.key.clone(), args: self.all(&it.args)? }))
            }
            Ty::Fn(it) => Ty::Fn(Arc::new(FnTy {
                params: self.all(&it.params)?,
                result: self.ty(&it.result)?,
                effects: it.effects,
                any_effects: it.any_effects,
            })),
            Ty::Tuple(elements) => Ty::Tuple(self.all(elements)?.into()),
            Ty::Array(element) => Ty::array(self.ty(element)?),
            Ty::Record(it) => {
                let fields = it.fields.iter();
                let fields = fields.map(|(name, ty)| Some((name.clone(), self.ty(ty)?)));
                let fields = fields.collect::<Option<Vec<_>>>()?;
                Ty::Record(Arc::new(RecordTy { fields, open: it.open }))
            }
            Ty::Refined(it) => Ty::Refined(self.refined(it)?),
        })
    }

    fn refined(&mut self, ty: &RefinedTy) -> Option<Arc<RefinedTy>> {
        let base = self.ty(&ty.base)?;
        let predicates = ty.predicates.iter().map(self.moved).collect::<Option<Vec<_>>>()?;
        Some(Arc::new(RefinedTy { base, predicates }))
    }
}

/// The types that a body knows about.
fn types_of(body: &Body) -> impl Iterator<Item = &Ty> {
    let goals = body
        .goals
        .iter()
        .flat_map(|it| it.expected.iter().chain(it.context.iter().map(|it| &it.ty)));
    let holes = body
        .holes
        .iter()
        .flat_map(|it| std::iter::once(&it.expected).chain(it.context.iter().map(|it| &it.ty)));
    body.types.iter().flatten().chain(goals).chain(holes)
}

/// Adds the records and sums that occur in a type.
pub(super) fn keys_of<'a>(ty: &'a Ty, keys: &mut BTreeSet<&'a TypeKey>) {
    with_stack(|| {
        if let Ty::Adt(it) = ty
            && !it.key.module.is_empty()
        {
            keys.insert(&it.key);
        }
        ty.parts().for_each(|it| keys_of(it, keys));
    });
}

fn has_predicate(ty: &Ty) -> bool {
    matches!(ty, Ty::Refined(_)) || ty.parts().any(|it| with_stack(|| has_predicate(it)))
}
