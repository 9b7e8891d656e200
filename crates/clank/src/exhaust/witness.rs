//! The cases that a match misses, as the patterns that would match them.

use clank_syntax::ast::Name;
use clank_syntax::{print_string, with_stack};
use serde_json::{Map, Value};

use super::space::{self, Ctor};
use crate::env::{Env, TypeBody, TypeDef, Value as Global};
use crate::ty::{Prim, Ty};

/// How many cases are written down; the others are counted.
const MAX_CASES: usize = 200;

/// How many cases a message names.
const MAX_NAMED: usize = 10;

/// One step into the space of values. What a constructor holds follows it, first part first.
#[derive(Clone, Debug)]
pub(super) enum WitnessPart {
    /// Anything, or anything that no arm names.
    Wild,
    /// Made that way; the steps into its parts follow.
    Inner(Ty, Ctor),
    /// Made in any one of these ways, of anything; no steps follow for the parts.
    Leaf(Ty, Vec<Ctor>),
}

/// The cases that no arm takes.
#[derive(Default, Debug)]
pub(super) struct MissingCases {
    cases: Vec<Vec<WitnessPart>>,
    total: u64,
}

impl MissingCases {
    pub(super) fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Adds what the steps lead to, followed by so many columns of anything.
    pub(super) fn add(&mut self, trail: &[WitnessPart], n_wild: usize) {
        let count = trail.iter().fold(1_u64, |acc, step| match step {
            WitnessPart::Leaf(_, ctors) => acc.saturating_mul(ctors.len() as u64),
            WitnessPart::Wild | WitnessPart::Inner(..) => acc,
        });
        self.total = self.total.saturating_add(count);
        let room = MAX_CASES - self.cases.len();
        for number in 0..count.min(room as u64) {
            let mut case = chosen(trail, number);
            case.extend(std::iter::repeat_n(WitnessPart::Wild, n_wild));
            self.cases.push(case);
        }
    }

    /// The cases in the order of declaration, at most 200.
    pub(super) fn cases(&self, env: &Env) -> Vec<MissingCase> {
        let mut cases: Vec<&[WitnessPart]> = self.cases.iter().map(Vec::as_slice).collect();
        cases.sort_by_cached_key(|it| it.iter().map(rank).collect::<Vec<_>>());
        cases.into_iter().map(|it| MissingCase::new(it, env)).collect()
    }

    /// The cases in words: "`None`, `Some(Green)` and 3 more".
    pub(super) fn words(&self, cases: &[MissingCase]) -> String {
        let mut words: Vec<String> =
            cases.iter().take(MAX_NAMED).map(|it| format!("`{}`", it.description)).collect();
        let more = self.total - words.len() as u64;
        if more > 0 {
            words.push(format!("{more} more"));
        }
        match words.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    }
}

/// The `number`-th way to choose one constructor wherever there are several, the last one changing fastest.
fn chosen(trail: &[WitnessPart], mut number: u64) -> Vec<WitnessPart> {
    let mut case = trail.to_vec();
    for step in case.iter_mut().rev() {
        if let WitnessPart::Leaf(_, ctors) = step {
            let index = number % ctors.len() as u64;
            number /= ctors.len() as u64;
            ctors.swap(0, index as usize);
            ctors.truncate(1);
        }
    }
    case
}

/// What cases are ordered by: the constructors, then anything.
fn rank(step: &WitnessPart) -> (bool, Option<Ctor>) {
    match step {
        WitnessPart::Wild => (true, None),
        WitnessPart::Inner(_, ctor) => (false, Some(ctor.clone())),
        WitnessPart::Leaf(_, ctors) => (false, ctors.first().cloned()),
    }
}

/// A missing case, as a pattern that would match it.
pub(super) struct MissingCase {
    pub(super) description: String,
    root: Option<(Ty, Ctor)>,
    n_fields: usize,
    variant: Option<(Name, Name)>,
    field_names: Vec<Name>,
}

impl MissingCase {
    fn new(case: &[WitnessPart], env: &Env) -> MissingCase {
        let description = describe(&mut case.iter(), env);
        let root = match case.first() {
            Some(WitnessPart::Inner(ty, ctor)) => Some((ty.clone(), ctor.clone())),
            Some(WitnessPart::Leaf(ty, ctors)) => ctors.first().map(|it| (ty.clone(), it.clone())),
            _ => None,
        };
        let fields = root.as_ref().map(|it| space::fields(&it.0, &it.1, env)).unwrap_or_default();
        let name = |it: (usize, &(Option<Name>, Ty))| {
            it.1.0.clone().unwrap_or_else(|| Name::from(format!("_{}", it.0)))
        };
        let variant = root.as_ref().and_then(|(ty, ctor)| {
            let (def, index) = variant(ty, ctor, env)?;
            Some((variant_name(def, index, env), def.key.name.clone()))
        });
        MissingCase {
            description,
            n_fields: fields.len(),
            field_names: fields.iter().enumerate().map(name).collect(),
            variant,
            root,
        }
    }

    /// Whether it is whatever has not been named.
    pub(super) fn is_anything(&self) -> bool {
        self.description == "_"
    }

    /// The same for machines.
    pub(super) fn json(&self) -> Value {
        let mut members = Map::new();
        let mut add = |name: &str, value: Value| members.insert(name.to_owned(), value);
        add("description", self.description.clone().into());
        match (&self.variant, &self.root) {
            (Some((name, ty)), _) => {
                add("kind", "variant".into());
                add("variant_name", name.as_str().into());
                add("type_name", ty.as_str().into());
                add("has_payload", (self.n_fields > 0).into());
                if self.n_fields > 0 {
                    let names = self.field_names.iter().map(|it| it.as_str().into()).collect();
                    add("field_names", Value::Array(names));
                }
            }
            (None, Some((ty, _))) if matches!(ty.base(), Ty::Prim(_)) => {
                add("kind", "literal".into());
            }
            (None, _) => {
                add("kind", "other".into());
            }
        }
        Value::Object(members)
    }
}

/// The pattern that the steps spell out.
fn describe<'a>(steps: &mut impl Iterator<Item = &'a WitnessPart>, env: &Env) -> String {
    match steps.next() {
        None | Some(WitnessPart::Wild) => "_".to_owned(),
        Some(WitnessPart::Inner(ty, ctor)) => with_stack(|| {
            let fields = space::fields(ty, ctor, env);
            let parts: Vec<String> = fields.iter().map(|_| describe(&mut *steps, env)).collect();
            made(ty, ctor, &fields, &parts, env)
        }),
        Some(WitnessPart::Leaf(ty, ctors)) => {
            let Some(ctor) = ctors.first() else { return "_".to_owned() };
            let fields = space::fields(ty, ctor, env);
            made(ty, ctor, &fields, &vec!["_".to_owned(); fields.len()], env)
        }
    }
}

fn made(
    ty: &Ty,
    ctor: &Ctor,
    fields: &[(Option<Name>, Ty)],
    parts: &[String],
    env: &Env,
) -> String {
    match (ctor, ty.base()) {
        (Ctor::Int(value), _) => value.to_string(),
        (Ctor::Float(bits), _) => format!("{:?}", f64::from_bits(*bits)),
        (Ctor::Str(value), _) => print_string(value),
        (Ctor::Not(is_false), _) => (!is_false).to_string(),
        (Ctor::Variant(_), _) => match variant(ty, ctor, env) {
            Some((def, index)) if parts.is_empty() => variant_name(def, index, env).to_string(),
            Some((def, index)) => {
                format!("{}({})", variant_name(def, index, env), parts.join(", "))
            }
            None => "_".to_owned(),
        },
        (Ctor::Single, Ty::Prim(Prim::Unit)) => "()".to_owned(),
        (Ctor::Single, Ty::Tuple(_)) if parts.len() == 1 => format!("({},)", parts[0]),
        (Ctor::Single, Ty::Tuple(_)) => format!("({})", parts.join(", ")),
        (Ctor::Single, _) => {
            let named = fields.iter().zip(parts).filter(|it| it.1 != "_");
            let named: Vec<String> = named
                .map(|(field, part)| format!("{}: {part}", field.0.as_deref().unwrap_or("_")))
                .collect();
            if named.is_empty() { "_".to_owned() } else { format!("{{ {} }}", named.join(", ")) }
        }
    }
}

fn variant<'a>(ty: &Ty, ctor: &Ctor, env: &'a Env) -> Option<(&'a TypeDef, u32)> {
    match (ty.base(), ctor) {
        (Ty::Adt(adt), Ctor::Variant(index)) => Some((env.def(&adt.key)?, *index)),
        _ => None,
    }
}

/// The name of a variant as it can be written in the module: qualified if its sum is in another one and its name was
/// not imported.
fn variant_name(def: &TypeDef, index: u32, env: &Env) -> Name {
    let TypeBody::Sum(variants) = &def.shape else { return def.key.name.clone() };
    let Some(variant) = variants.get(index as usize) else { return def.key.name.clone() };
    let module = &def.key.module;
    let is_own = module.is_empty() || *module == env.module;
    let is_bound = || match env.values.get(&variant.name) {
        Some(Global::Variant { def: bound, .. }) => bound.key == def.key,
        _ => false,
    };
    if is_own || is_bound() {
        return variant.name.clone();
    }
    let modules = env.values.iter().filter_map(|(name, value)| match value {
        Global::Module { file } if file == module => Some(name),
        _ => None,
    });
    match modules.min() {
        Some(module) => Name::from(format!("{module}.{}", variant.name)),
        None => variant.name.clone(),
    }
}
