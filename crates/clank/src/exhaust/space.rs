//! What values of a type look like from outside: the constructors that patterns tell apart.

use clank_syntax::ast::Name;
use num_bigint::BigInt;

use crate::env::{Env, TypeBody};
use crate::resolve::substitute;
use crate::ty::{Prim, Ty};

/// How a value is made.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Ctor {
    /// The only way: records, tuples, unit.
    Single,
    /// `true` comes before `false`, hence the negation.
    Not(bool),
    /// A variant of a sum, by its place.
    Variant(u32),
    /// An integer of any type.
    Int(BigInt),
    /// The bits of a number; zero has one sign.
    Float(u64),
    /// A string.
    Str(String),
}

/// All constructors of a type.
pub(super) enum Space {
    /// Exactly these, in the order in which they are declared.
    Closed(Vec<Ctor>),
    /// More than patterns can name, or none that they can.
    Open,
}

/// All constructors of a type.
pub(super) fn space(ty: &Ty, env: &Env) -> Space {
    match ty.base() {
        Ty::Prim(Prim::Bool) => Space::Closed(vec![Ctor::Not(false), Ctor::Not(true)]),
        Ty::Prim(Prim::Unit) | Ty::Tuple(_) | Ty::Record(_) => Space::Closed(vec![Ctor::Single]),
        Ty::Never => Space::Closed(Vec::new()),
        Ty::Adt(it) => match env.def(&it.key).map(|it| &it.shape) {
            Some(TypeBody::Record(_)) => Space::Closed(vec![Ctor::Single]),
            Some(TypeBody::Sum(variants)) => {
                Space::Closed((0..variants.len() as u32).map(Ctor::Variant).collect())
            }
            Some(TypeBody::Opaque) | None => Space::Open,
        },
        _ => Space::Open,
    }
}

/// The names (where there are any) and types of what a constructor holds.
pub(super) fn fields(ty: &Ty, ctor: &Ctor, env: &Env) -> Vec<(Option<Name>, Ty)> {
    match ty.base() {
        Ty::Tuple(elements) => elements.iter().map(|it| (None, it.clone())).collect(),
        Ty::Record(it) => it.fields.iter().map(|it| (Some(it.0.clone()), it.1.clone())).collect(),
        Ty::Adt(adt) => {
            let Some(def) = env.def(&adt.key) else { return Vec::new() };
            let instance = |ty: &Ty| substitute(ty, &def.params, &adt.args);
            match (&def.shape, ctor) {
                (TypeBody::Record(fields), _) => {
                    fields.iter().map(|it| (Some(it.0.clone()), instance(&it.1))).collect()
                }
                (TypeBody::Sum(variants), Ctor::Variant(index)) => {
                    let fields = variants.get(*index as usize).map(|it| it.fields.as_slice());
                    let fields = fields.unwrap_or_default().iter();
                    fields.map(|it| (it.0.clone(), instance(&it.1))).collect()
                }
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// How many types are looked at to find out whether there is any value; beyond it there is taken to be one.
const INHABITED_FUEL: u32 = 200;

/// Whether a value can be made that way. Types that hold themselves are taken to have values.
pub(super) fn is_possible(ty: &Ty, ctor: &Ctor, env: &Env) -> bool {
    let mut fuel = INHABITED_FUEL;
    fields(ty, ctor, env).iter().all(|it| has_values(&it.1, env, &mut fuel, 0))
}

/// Whether there is a value of the type at all.
pub(super) fn is_inhabited(ty: &Ty, env: &Env) -> bool {
    has_values(ty, env, &mut { INHABITED_FUEL }, 0)
}

fn has_values(ty: &Ty, env: &Env, fuel: &mut u32, depth: u32) -> bool {
    const MAX_DEPTH: u32 = 8;
    *fuel = fuel.saturating_sub(1);
    if *fuel == 0 || depth > MAX_DEPTH {
        return true;
    }
    if let Ty::Adt(adt) = ty.base()
        && let Some(TypeBody::Sum(variants)) = env.def(&adt.key).map(|it| &it.shape)
        && variants.iter().any(|it| it.fields.is_empty())
    {
        return true;
    }
    match space(ty, env) {
        Space::Open => true,
        Space::Closed(ctors) => ctors.iter().any(|ctor| {
            fields(ty, ctor, env).iter().all(|it| has_values(&it.1, env, fuel, depth + 1))
        }),
    }
}
