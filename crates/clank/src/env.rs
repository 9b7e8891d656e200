//! What declarations mean to those who use them: signatures and types.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use clank_syntax::ast::{ExprId, Name, NodeId};
use clank_syntax::with_stack;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::similar::ByLength;
use crate::ty::{Effects, Predicate, Ty, TypeKey};

/// A declared record or sum.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeDef {
    /// Which one.
    pub key: TypeKey,
    /// The declaration in its module; `None` for the prelude.
    pub node: Option<NodeId>,
    /// The type parameters.
    pub params: Vec<Name>,
    /// What it is made of; types mention the parameters as [`Ty::Param`].
    pub shape: TypeBody,
}

/// What a declared type is made of.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeBody {
    /// A record: its fields in order.
    Record(Vec<(Name, Ty)>),
    /// A sum.
    Sum(Vec<VariantDef>),
    /// A type of the prelude whose values only the prelude makes: `Map`, `Set`, `Linear`, `Affine`.
    Opaque,
}

impl TypeBody {
    /// The types of its fields.
    pub fn types(&self) -> impl Iterator<Item = &Ty> {
        let (fields, variants): (&[_], &[_]) = match self {
            TypeBody::Record(fields) => (fields, &[]),
            TypeBody::Sum(variants) => (&[], variants),
            TypeBody::Opaque => (&[], &[]),
        };
        let of_variants = variants.iter().flat_map(|it| &it.fields).map(|it| &it.1);
        fields.iter().map(|it| &it.1).chain(of_variants)
    }
}

/// A variant of a sum.
#[derive(Clone, PartialEq, Debug)]
pub struct VariantDef {
    /// Its name.
    pub name: Name,
    /// Its fields; a field without a name is called `_0`, `_1`, … by its position in generated code.
    pub fields: Vec<(Option<Name>, Ty)>,
}

/// The signature of a function: its own, an external's or the prelude's.
#[derive(Clone, PartialEq, Debug)]
pub struct Signature {
    /// The type parameters.
    pub type_params: Vec<Name>,
    /// Names and types of the parameters.
    pub params: Vec<(Name, Ty)>,
    /// What callers get.
    pub result: Ty,
    /// What calls may do.
    pub effects: Effects,
    /// What `Err[E, …]` says is raised, if it says so.
    pub raises: Option<Ty>,
    /// `pre`, in the module of the function.
    pub precondition: Option<Condition>,
    /// `post`, in the module of the function.
    pub postcondition: Option<Condition>,
}

/// A condition of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    /// The condition printed on one line.
    pub text: String,
    /// Where it is written in its module.
    pub expr: ExprId,
    /// Of `pre`, what it asks of each parameter: where the function is a value, its type carries them. A part that is
    /// about several parameters is asked of the last one.
    pub asked: Arc<[(usize, Predicate)]>,
}

/// What a global name means as a value.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A function of a module.
    Fn { module: Name, name: Name, node: NodeId, signature: Arc<Signature> },
    /// A function of the host.
    External {
        module: Name,
        namespace: Option<Name>,
        name: Name,
        node: NodeId,
        signature: Arc<Signature>,
    },
    /// A function of the prelude.
    Builtin { name: Name, signature: Arc<Signature> },
    /// A variant: a constant if it has no fields, else a function.
    Variant { def: Arc<TypeDef>, variant: u32 },
    /// A record's constructor: its fields in order.
    Record { def: Arc<TypeDef> },
    /// An imported module: `m` in `m.f`.
    Module { file: Name },
    /// A module of the host, with the functions that `external mod` declares.
    HostModule { name: Name },
    /// A name whose declaration or import is broken, which is reported there. Its type is [`Ty::Error`], and so is that of
    /// every member (`m.f`).
    Unknown,
}

/// What a name means as a type.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeEntry {
    /// A record or sum.
    Def(Arc<TypeDef>),
    /// An alias: parameters and what it stands for.
    Alias { params: Vec<Name>, ty: Ty },
    /// A name whose declaration or import is broken, which is reported there. It stands for [`Ty::Error`].
    Unknown,
}

/// Everything that a module's bodies can see. The prelude is below the module's own names: any declaration may shadow it
/// (row 28).
#[derive(Clone, Debug, Default)]
pub struct Env {
    /// The file of the module.
    pub module: Name,
    /// Values by name, imports and the prelude included.
    pub values: FxHashMap<Name, Value>,
    /// Types by name, imports and the prelude included.
    pub types: FxHashMap<Name, TypeEntry>,
    /// What other modules export, by file: for `m.f` and `m.T`.
    pub modules: BTreeMap<Name, Arc<Exports>>,
    /// Functions of external modules by (module's name, function).
    pub host: FxHashMap<(Name, Name), Value>,
    /// Every record and sum of the module and of what it imports, directly or not, by key: also those whose names are not
    /// in scope.
    pub defs: FxHashMap<TypeKey, Arc<TypeDef>>,
    /// The signatures of the module's own functions, external ones included, by declaration: also of those whose name
    /// means another one because it is declared twice.
    pub signatures: FxHashMap<NodeId, Arc<Signature>>,
    derived: Derived,
}

/// What follows from the rest, found out when somebody asks. A copy of the rest may be changed, so it has none of it yet.
#[derive(Debug, Default)]
struct Derived {
    /// The names of values by their lengths.
    names: OnceLock<ByLength<Name>>,
    declares_linear: OnceLock<bool>,
}

impl Clone for Derived {
    fn clone(&self) -> Derived {
        Derived::default()
    }
}

/// What a module offers to those who import it: all that it declares.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Exports {
    /// Values by name.
    pub values: BTreeMap<Name, Value>,
    /// Types by name.
    pub types: BTreeMap<Name, TypeEntry>,
}

impl Env {
    /// The record or sum with that key.
    pub fn def(&self, key: &TypeKey) -> Option<&Arc<TypeDef>> {
        self.defs.get(key)
    }

    /// The values whose names may be near a name, and some others. No value may be added afterwards.
    pub(crate) fn values_around(&self, name: &str) -> impl Iterator<Item = (&Name, &Value)> {
        let names = self.derived.names.get_or_init(|| {
            let mut names = ByLength::default();
            #[expect(clippy::iter_over_hash_type, reason = "who asks for them puts them in order")]
            for name in self.values.keys() {
                names.push(name, name.clone());
            }
            names
        });
        names.around(name).filter_map(|it| self.values.get_key_value(it))
    }

    /// Whether a record or sum mentions `Linear` or `Affine` in its declaration. None may be added afterwards.
    pub(crate) fn declares_linear(&self) -> bool {
        *self.derived.declares_linear.get_or_init(|| {
            let mut seen = FxHashSet::default();
            self.defs.values().flat_map(|it| it.shape.types()).any(|it| is_linear(it, &mut seen))
        })
    }

    /// The signature of one of the module's own functions.
    pub fn signature(&self, declaration: impl Into<NodeId>) -> Option<&Arc<Signature>> {
        self.signatures.get(&declaration.into())
    }

    /// What `module.name` means as a value, where `module` is the file of an imported module.
    pub fn member(&self, module: &str, name: &str) -> Option<&Value> {
        self.modules.get(module)?.values.get(name)
    }

    /// What `module.name` means as a type, where `module` is the file of an imported module.
    pub fn member_type(&self, module: &str, name: &str) -> Option<&TypeEntry> {
        self.modules.get(module)?.types.get(name)
    }
}

/// Whether `Linear` or `Affine` occurs in a type. What types share is looked at once.
fn is_linear(ty: &Ty, seen: &mut FxHashSet<usize>) -> bool {
    let Some(address) = ty.address() else { return false };
    match ty {
        _ if !seen.insert(address) => false,
        Ty::Adt(it) if it.key.is_prelude("Linear") || it.key.is_prelude("Affine") => true,
        _ => ty.parts().any(|it| with_stack(|| is_linear(it, seen))),
    }
}
