//! What types are once names are resolved, and how they are shown.

use std::fmt;
use std::sync::Arc;

use clank_syntax::ast::{ExprId, Name, NodeId};

/// A type. Aliases are gone: they are replaced by what they stand for where a type is resolved.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Ty {
    /// Not known yet. Only while a body is being inferred.
    Var(u32),
    /// A primitive.
    Prim(Prim),
    /// A type parameter of the declaration that is being looked at. Rigid: equal to itself only.
    Param(Name),
    /// A record or sum that is declared, here or in the prelude.
    Adt(Arc<Adt>),
    /// A function.
    Fn(Arc<FnTy>),
    /// A tuple.
    Tuple(Arc<[Ty]>),
    /// An array.
    Array(Arc<Ty>),
    /// A record without a name.
    Record(Arc<RecordTy>),
    /// A type with a predicate. The base is never refined itself: predicates are joined.
    Refined(Arc<RefinedTy>),
    /// The type of what does not come back.
    Never,
    /// A type that could not be made out. Fits everything, so that one mistake is reported once.
    Error,
}

/// A primitive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Prim {
    Int,
    Int32,
    Int64,
    /// `Int` with `>= 0`: widening is free, narrowing is a goal.
    Nat,
    Float,
    Bool,
    Str,
    Unit,
}

impl Prim {
    /// Every primitive.
    pub const ALL: [Prim; 8] = [
        Prim::Int,
        Prim::Int32,
        Prim::Int64,
        Prim::Nat,
        Prim::Float,
        Prim::Bool,
        Prim::Str,
        Prim::Unit,
    ];

    /// The name in programs. `Str` may be written `String` too.
    pub fn name(self) -> &'static str {
        match self {
            Prim::Int => "Int",
            Prim::Int32 => "Int32",
            Prim::Int64 => "Int64",
            Prim::Nat => "Nat",
            Prim::Float => "Float",
            Prim::Bool => "Bool",
            Prim::Str => "Str",
            Prim::Unit => "Unit",
        }
    }

    /// Whether it is one of the four integer types.
    pub fn is_integer(self) -> bool {
        matches!(self, Prim::Int | Prim::Int32 | Prim::Int64 | Prim::Nat)
    }
}

/// Which declaration a nominal type is. The module of the prelude's types is empty.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeKey {
    /// The file of the module, or empty for the prelude.
    pub module: Name,
    /// The name that it is declared with.
    pub name: Name,
}

impl TypeKey {
    /// A type of the prelude.
    pub fn prelude(name: &str) -> TypeKey {
        TypeKey { module: Name::default(), name: Name::new(name) }
    }

    /// The name with that of its module, for where two types have the same name.
    pub(crate) fn qualified(&self) -> String {
        match self.module.strip_suffix(".clank").unwrap_or(&self.module) {
            "" => self.name.to_string(),
            module => format!("{}.{}", module.replace('/', "."), self.name),
        }
    }

    /// Whether it is the type of the prelude with that name.
    pub fn is_prelude(&self, name: &str) -> bool {
        self.module.is_empty() && self.name == name
    }
}

/// A declared type with its arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Adt {
    /// Which one.
    pub key: TypeKey,
    /// As many as it has type parameters.
    pub args: Vec<Ty>,
}

/// A function type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FnTy {
    /// What it takes.
    pub params: Vec<Ty>,
    /// What it gives.
    pub result: Ty,
    /// What it may do.
    pub effects: Effects,
    /// A parameter of function type that was written without effects: it accepts any, and the call that passes a
    /// function for it is charged with that function's effects (row 39).
    pub any_effects: bool,
}

/// A set of effects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Effects(u8);

impl Effects {
    /// No effect.
    pub const PURE: Effects = Effects(0);
    /// Input and output.
    pub const IO: Effects = Effects(1);
    /// May raise an error.
    pub const ERR: Effects = Effects(2);
    /// May wait.
    pub const ASYNC: Effects = Effects(4);
    /// May change what others see.
    pub const MUT: Effects = Effects(8);

    /// The effects and their names, in the order in which they are shown: sorted by name.
    const NAMES: [(Effects, &'static str); 4] = [
        (Effects::ASYNC, "Async"),
        (Effects::ERR, "Err"),
        (Effects::IO, "IO"),
        (Effects::MUT, "Mut"),
    ];

    /// The effect with that name.
    pub fn from_name(name: &str) -> Option<Effects> {
        Effects::NAMES.iter().find(|it| it.1 == name).map(|it| it.0)
    }

    /// The names, sorted.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Effects::NAMES.into_iter().filter(move |it| self.has(it.0)).map(|it| it.1)
    }

    /// Those of both.
    #[must_use]
    pub fn and(self, other: Effects) -> Effects {
        Effects(self.0 | other.0)
    }

    /// Those that `other` does not have.
    #[must_use]
    pub fn without(self, other: Effects) -> Effects {
        Effects(self.0 & !other.0)
    }

    /// Whether all of `other` are in it.
    pub fn has(self, other: Effects) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether there is none.
    pub fn is_pure(self) -> bool {
        self.0 == 0
    }
}

/// A record without a name. The order of fields is as written and has no meaning.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RecordTy {
    /// Names and types.
    pub fields: Vec<(Name, Ty)>,
    /// Whether there may be more fields.
    pub open: bool,
}

/// A type with a predicate.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RefinedTy {
    /// What it is without the predicates.
    pub base: Ty,
    /// All must hold.
    pub predicates: Vec<Predicate>,
}

/// What a value must satisfy, as it is written somewhere.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// The name that stands for the value.
    pub variable: Name,
    /// The predicate printed on one line.
    pub text: String,
    /// The file of the module that it is written in; empty for the prelude.
    pub module: Name,
    /// Where in that module.
    pub expr: ExprId,
    /// What the names in the text mean, besides the one that stands for the value. In the order of the names.
    pub names: Arc<[(Name, Meaning)]>,
    /// What is put in for names of where it is written, if the type is used elsewhere.
    pub given: Option<Arc<Given>>,
}

/// What stands for names in a predicate where a type is used: for the parameters of a callee what the call gives it, for the
/// fields of a record those of the value at hand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// The name that stands for the value where the predicate is written.
    pub variable: Name,
    /// What stands for every other name that something around the predicate binds there; `None` if that cannot be
    /// evaluated again.
    pub values: Vec<(Name, Option<GivenValue>)>,
}

/// An expression of the body that uses the type, or a field of its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GivenValue {
    /// The expression.
    pub expr: ExprId,
    /// The field.
    pub field: Option<Name>,
}

/// What a name in a predicate means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// What a module declares: its file, empty for the prelude, and the name there.
    Global(Name, Name),
    /// A parameter or local that has one value in the whole body: the file of its module, and where it is bound.
    Fixed(Name, NodeId),
    /// A field or local whose value may be another one the next time.
    Local,
    /// Something that cannot be compared.
    Unclear,
}

impl Predicate {
    /// Whether it is about its value alone and not about other names, whose values may change.
    pub fn is_closed(&self) -> bool {
        self.names.iter().all(|it| matches!(it.1, Meaning::Global(..)))
    }

    /// Whether it stays true of a value: the names in it have one value in the whole body.
    pub fn is_lasting(&self) -> bool {
        self.names.iter().all(|it| matches!(it.1, Meaning::Global(..) | Meaning::Fixed(..)))
    }

    /// The name that stands for the value where the predicate is written.
    pub fn written_variable(&self) -> &Name {
        self.given.as_ref().map_or(&self.variable, |it| &it.variable)
    }

    fn globals(&self) -> impl Iterator<Item = (&Name, &Name, &Name)> {
        self.names.iter().filter_map(|(name, it)| match it {
            Meaning::Global(module, declared) => Some((name, module, declared)),
            _ => None,
        })
    }
}

/// Two predicates are the same if they read the same and mean the same functions: where they are written does not matter.
impl PartialEq for Predicate {
    fn eq(&self, other: &Predicate) -> bool {
        self.variable == other.variable
            && self.text == other.text
            && self.globals().eq(other.globals())
    }
}

impl Eq for Predicate {}

impl std::hash::Hash for Predicate {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.variable.hash(state);
        self.text.hash(state);
    }
}

impl Ty {
    /// The primitive types.
    pub const INT: Ty = Ty::Prim(Prim::Int);
    #[expect(missing_docs, reason = "the names say it")]
    pub const NAT: Ty = Ty::Prim(Prim::Nat);
    #[expect(missing_docs, reason = "the names say it")]
    pub const FLOAT: Ty = Ty::Prim(Prim::Float);
    #[expect(missing_docs, reason = "the names say it")]
    pub const BOOL: Ty = Ty::Prim(Prim::Bool);
    #[expect(missing_docs, reason = "the names say it")]
    pub const STR: Ty = Ty::Prim(Prim::Str);
    #[expect(missing_docs, reason = "the names say it")]
    pub const UNIT: Ty = Ty::Prim(Prim::Unit);

    /// A declared type.
    pub fn adt(key: TypeKey, args: Vec<Ty>) -> Ty {
        Ty::Adt(Arc::new(Adt { key, args }))
    }

    /// An array.
    pub fn array(element: Ty) -> Ty {
        Ty::Array(Arc::new(element))
    }

    /// `Option[T]`
    pub fn option(some: Ty) -> Ty {
        Ty::adt(TypeKey::prelude("Option"), vec![some])
    }

    /// What it is made of, in order; for a function its parameters and then its result.
    pub fn parts(&self) -> impl Iterator<Item = &Ty> {
        let (list, fields, last): (&[Ty], &[(Name, Ty)], Option<&Ty>) = match self {
            Ty::Var(_) | Ty::Prim(_) | Ty::Param(_) | Ty::Never | Ty::Error => (&[], &[], None),
            Ty::Adt(it) => (&it.args, &[], None),
            Ty::Fn(it) => (&it.params, &[], Some(&it.result)),
            Ty::Tuple(elements) => (elements, &[], None),
            Ty::Array(element) => (&[], &[], Some(element)),
            Ty::Record(it) => (&[], &it.fields, None),
            Ty::Refined(it) => (&[], &[], Some(&it.base)),
        };
        list.iter().chain(fields.iter().map(|it| &it.1)).chain(last)
    }

    /// Where the memory is that it shares with its copies, if it is made of parts.
    pub fn address(&self) -> Option<usize> {
        match self {
            Ty::Var(_) | Ty::Prim(_) | Ty::Param(_) | Ty::Never | Ty::Error => None,
            Ty::Adt(it) => Some(Arc::as_ptr(it).addr()),
            Ty::Fn(it) => Some(Arc::as_ptr(it).addr()),
            Ty::Tuple(it) => Some(it.as_ptr().addr()),
            Ty::Array(it) => Some(Arc::as_ptr(it).addr()),
            Ty::Record(it) => Some(Arc::as_ptr(it).addr()),
            Ty::Refined(it) => Some(Arc::as_ptr(it).addr()),
        }
    }

    /// The type without its own predicates; those of its parts stay.
    pub fn base(&self) -> &Ty {
        match self {
            Ty::Refined(it) => &it.base,
            _ => self,
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Var(number) => write!(f, "?{number}"),
            Ty::Prim(it) => f.write_str(it.name()),
            Ty::Param(name) => f.write_str(name),
            Ty::Adt(it) => {
                f.write_str(&it.key.name)?;
                if it.args.is_empty() {
                    return Ok(());
                }
                f.write_str("[")?;
                list(f, &it.args)?;
                f.write_str("]")
            }
            Ty::Fn(it) => write!(f, "{it}"),
            Ty::Tuple(elements) => {
                f.write_str("(")?;
                list(f, elements)?;
                f.write_str(if elements.len() == 1 { ",)" } else { ")" })
            }
            Ty::Array(element) => write!(f, "[{element}]"),
            Ty::Record(it) => write!(f, "{it}"),
            Ty::Refined(it) => write!(f, "{it}"),
            Ty::Never => f.write_str("never"),
            Ty::Error => f.write_str("?"),
        }
    }
}

impl fmt::Display for FnTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        list(f, &self.params)?;
        f.write_str(") -> ")?;
        for name in self.effects.names() {
            write!(f, "{name} + ")?;
        }
        write!(f, "{}", self.result)
    }
}

impl fmt::Display for RecordTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (index, (name, ty)) in self.fields.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{name}: {ty}")?;
        }
        f.write_str(if !self.open {
            "}"
        } else if self.fields.is_empty() {
            "..}"
        } else {
            ", ..}"
        })
    }
}

impl fmt::Display for RefinedTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.base {
            Ty::Fn(_) => write!(f, "({})", self.base)?,
            _ => write!(f, "{}", self.base)?,
        }
        for it in &self.predicates {
            write!(f, "{{{} | {}}}", it.variable, it.text)?;
        }
        Ok(())
    }
}

fn list(f: &mut fmt::Formatter<'_>, types: &[Ty]) -> fmt::Result {
    for (index, ty) in types.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(f, "{comma}{ty}")?;
    }
    Ok(())
}
