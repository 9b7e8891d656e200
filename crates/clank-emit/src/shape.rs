//! Descriptions of types for the run-time library, where a value does not tell its type: names of records, tuples among
//! arrays, and everything that crosses the host's boundary.
//!
//! The description of a small type is written where it is needed. A type that contains itself, has type parameters or
//! is large has one of its own at the end of the file: a constant, or a function of the descriptions of its arguments.
//! In a generic function the description of a type parameter is a parameter (see `shown`).

use clank::env::{TypeBody, TypeDef};
use clank::ty::{Adt, Meaning, Predicate, Ty, TypeKey};
use clank_syntax::ast::{Name, NodeId};
use clank_syntax::with_stack;
use rustc_hash::{FxHashMap, FxHashSet};

use super::context::FileCx;
use super::lower::Lower;
use super::names;
use super::tree::{
    Arrow, ArrowBody, DeclKind, Expr, FunctionDecl, JsBlock, Stmt, StmtKind, TopLevel,
};

/// A description with more parts than this has a name.
const MAX_INLINE: u32 = 16;

/// What a description is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Purpose {
    /// Shown as text.
    Show,
    /// Given to the host or taken from it.
    Host,
}

/// A description that has a name.
#[derive(Debug)]
struct Named {
    key: TypeKey,
    purpose: Purpose,
    name: Name,
    /// What it is called for the type parameters.
    params: Vec<Name>,
    /// Nothing while it is being made.
    body: Option<Expr>,
}

/// What is known about the description of a declared type.
#[derive(Clone, Copy, Debug)]
struct Declared {
    /// Whether it contains itself.
    is_recursive: bool,
    /// Whether the text of its values depends on more than they say, whatever its arguments are.
    needs_shape: bool,
}

/// The descriptions of a file.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    named: Vec<Named>,
    declared: FxHashMap<TypeKey, Declared>,
    sizes: FxHashMap<TypeKey, u32>,
    /// What stands for the descriptions of the type parameters in scope.
    params: FxHashMap<Name, Name>,
    /// Whether a named description is being made.
    is_inside: bool,
    /// The parameters of the external whose values are described, and what they are called.
    arguments: Vec<(NodeId, Name)>,
}

impl Shapes {
    /// Says what stands for the descriptions of type parameters; gives back what stood for them before.
    pub(crate) fn enter(&mut self, params: FxHashMap<Name, Name>) -> FxHashMap<Name, Name> {
        std::mem::replace(&mut self.params, params)
    }

    /// Says which parameters descriptions may speak of from now on.
    pub(crate) fn set_arguments(&mut self, arguments: Vec<(NodeId, Name)>) {
        self.arguments = arguments;
    }

    /// The declarations of those that have a name.
    pub(crate) fn take_declarations(&mut self) -> Vec<TopLevel> {
        let named = std::mem::take(&mut self.named);
        let shape = || "Shape".to_owned();
        let declarations = named.into_iter().filter_map(|it| {
            let body = it.body?;
            let kind = match it.params.is_empty() {
                true => DeclKind::Const { name: it.name, ty: Some(shape()), init: body },
                false => DeclKind::Function(FunctionDecl {
                    name: it.name,
                    type_params: Vec::new(),
                    params: it.params.into_iter().map(|it| (it, shape())).collect(),
                    result: shape(),
                    body: JsBlock(vec![Stmt { kind: StmtKind::Return(Some(body)), origin: None }]),
                }),
            };
            Some(TopLevel { kind, export: false, comments: Vec::new(), origin: None })
        });
        declarations.collect()
    }
}

impl FileCx<'_> {
    /// The description that `show` needs for a type; nothing if the values say it all.
    pub(crate) fn show_shape(&mut self, ty: &Ty) -> Option<Expr> {
        self.needs_shape(ty).then(|| self.shape(ty, Purpose::Show))
    }

    /// The description of a type argument, for a function that shows values of it.
    pub(crate) fn argument_shape(&mut self, ty: &Ty) -> Expr {
        self.show_shape(ty).unwrap_or_else(|| Expr::str("any"))
    }

    /// The description that the host's boundary needs for a type.
    pub(crate) fn host_shape(&mut self, ty: &Ty) -> Expr {
        self.shape(ty, Purpose::Host)
    }

    fn shape(&mut self, ty: &Ty, purpose: Purpose) -> Expr {
        with_stack(|| match ty {
            Ty::Prim(prim) => Expr::str(prim.name()),
            Ty::Array(element) => one("array", self.shape(element, purpose)),
            Ty::Tuple(elements) => {
                let all = elements.iter().map(|it| self.shape(it, purpose)).collect();
                one("tuple", Expr::list(all))
            }
            Ty::Record(record) => {
                let fields = record.fields.iter().map(|(name, ty)| (names::legal(name), ty));
                let fields = self.field_shapes(fields.collect(), purpose);
                record_shape("", fields)
            }
            Ty::Refined(it) => {
                let shape = self.shape(&it.base, purpose);
                match purpose {
                    Purpose::Show => shape,
                    Purpose::Host => self.refined_shape(shape, &it.predicates),
                }
            }
            Ty::Fn(it) if purpose == Purpose::Host => {
                let params = it.params.iter().map(|it| self.shape(it, purpose)).collect();
                let result = self.shape(&it.result, purpose);
                Expr::object(vec![
                    (Name::new("params"), Expr::list(params)),
                    (Name::new("result"), result),
                ])
            }
            Ty::Adt(adt) if adt.key.module.is_empty() => self.prelude_shape(adt, purpose),
            Ty::Adt(adt) => self.adt_shape(adt, purpose),
            Ty::Param(name) => match (self.shapes.params.get(name), purpose) {
                (Some(param), _) => Expr::ident(param.clone()),
                (None, Purpose::Host) => Expr::str("opaque"),
                (None, Purpose::Show) => Expr::str("any"),
            },
            Ty::Fn(_) | Ty::Var(_) | Ty::Never | Ty::Error => Expr::str("any"),
        })
    }

    /// A description of values that the host may only give if predicates hold.
    fn refined_shape(&mut self, shape: Expr, predicates: &[Predicate]) -> Expr {
        let arguments = self.shapes.arguments.clone();
        let is_known = |it: &Meaning| match it {
            Meaning::Global(..) => true,
            Meaning::Fixed(_, node) => arguments.iter().any(|it| it.0 == *node),
            Meaning::Local | Meaning::Unclear => false,
        };
        let mut known =
            predicates.iter().filter(|it| it.names.iter().all(|it| is_known(&it.1))).peekable();
        let Some(first) = known.peek() else { return shape };
        let home = self.predicate_home(&first.module, first.expr);
        let own = home.filter(|it| it.0 == self.index).map(|it| it.1);
        let any = self.source().ast.declarations().first().copied();
        let Some(decl) = own.or(any) else { return shape };
        let is_taken = |name: &str| arguments.iter().any(|it| it.1 == name);
        let value = self.local("value", is_taken);
        let mut lower = Lower::new(self, decl);
        for (node, name) in &arguments {
            lower.known_param(*node, name);
        }
        for predicate in known {
            let text = &predicate.text;
            let message = format!("`{text}` does not hold");
            lower.check_saying(&Expr::ident(value.clone()), predicate, &message, None);
        }
        let body = ArrowBody::Block(lower.finish());
        checked(shape, value, body)
    }

    /// The same for a declared type whose constructors check their fields.
    fn constructed_shape(&mut self, def: &TypeDef, shape: Expr) -> Expr {
        let is_checked = |ty: &Ty| matches!(ty, Ty::Refined(_));
        let value = Name::new("value");
        let part = |field: Name| Expr::ident(value.clone()).member(field);
        let body = match &def.shape {
            TypeBody::Record(fields) if fields.iter().any(|it| is_checked(&it.1)) => {
                let made = Expr::ident(self.global(&def.key.module, &def.key.name, true));
                let args = fields.iter().map(|it| part(names::legal(&it.0))).collect();
                ArrowBody::Expr(Expr::call(made, args, None))
            }
            TypeBody::Sum(variants) => {
                let mut branches = Vec::new();
                for (index, variant) in variants.iter().enumerate() {
                    if !variant.fields.iter().any(|it| is_checked(&it.1)) {
                        continue;
                    }
                    let fields = variant.fields.iter().enumerate();
                    let name = |(at, it): (usize, &(Option<Name>, Ty))| {
                        names::variant_field(it.0.as_deref(), at)
                    };
                    let args = fields.map(name).map(part).collect();
                    let call = Expr::call(self.variant(&def.key, index as u32), args, None);
                    let block = JsBlock(vec![Stmt { kind: StmtKind::Expr(call), origin: None }]);
                    let tag = Expr::str(variant.name.as_str());
                    branches.push((Expr::binary("===", part(Name::new("tag")), tag), block));
                }
                if branches.is_empty() {
                    return shape;
                }
                let kind = StmtKind::If { branches, otherwise: None };
                ArrowBody::Block(JsBlock(vec![Stmt { kind, origin: None }]))
            }
            TypeBody::Record(_) | TypeBody::Opaque => return shape,
        };
        checked(shape, value, body)
    }

    fn prelude_shape(&mut self, adt: &Adt, purpose: Purpose) -> Expr {
        let mut args = adt.args.iter().map(|it| self.shape(it, purpose));
        let first = args.next().unwrap_or_else(|| Expr::str("any"));
        let second = args.next();
        match (adt.key.name.as_str(), second) {
            ("Option", _) => one("option", first),
            ("Set", _) => one("set", first),
            ("Linear" | "Affine", _) => first,
            ("Map", Some(second)) => one("map", Expr::list(vec![first, second])),
            ("Result", Some(second)) => {
                let ok = (Name::new("Ok"), one("value", first));
                let err = (Name::new("Err"), one("error", second));
                one("sum", Expr::object(vec![ok, err]))
            }
            ("Ordering", _) if purpose == Purpose::Host => {
                let variants = ["Less", "Equal", "Greater"]
                    .map(|it| (Name::new(it), Expr::object(Vec::new())));
                one("sum", Expr::object(variants.to_vec()))
            }
            _ => Expr::str("any"),
        }
    }

    fn adt_shape(&mut self, adt: &Adt, purpose: Purpose) -> Expr {
        let Some(def) = self.def(&adt.key).map(|it| &**it) else { return Expr::str("any") };
        let is_named = !def.params.is_empty()
            || self.declared(def).is_recursive
            || self.size_of(def) > MAX_INLINE;
        if !is_named {
            return self.declared_shape(def, purpose);
        }
        let name = self.named_shape(def, purpose);
        let args: Vec<Expr> = adt
            .args
            .iter()
            .map(|it| match purpose {
                Purpose::Show => self.argument_shape(it),
                Purpose::Host => self.shape(it, purpose),
            })
            .collect();
        let named = match def.params.is_empty() {
            true => Expr::ident(name),
            false => Expr::call(Expr::ident(name), args, None),
        };
        match self.shapes.is_inside {
            true => later(named),
            false => named,
        }
    }

    /// The name of the description of a declared type, which is made if it is the first time.
    fn named_shape(&mut self, def: &TypeDef, purpose: Purpose) -> Name {
        let is_same = |it: &Named| it.key == def.key && it.purpose == purpose;
        if let Some(known) = self.shapes.named.iter().find(|it| is_same(it)) {
            return known.name.clone();
        }
        self.helpers.insert("Shape");
        let name = self.extra(&format!("shapeOf{}", def.key.name));
        let mut params: Vec<Name> = Vec::new();
        for param in &def.params {
            let param = self.local(&format!("shapeOf{param}"), |it| params.iter().any(|p| p == it));
            params.push(param);
        }
        let scope = def.params.iter().cloned().zip(params.iter().cloned()).collect();
        self.shapes.named.push(Named {
            key: def.key.clone(),
            purpose,
            name: name.clone(),
            params,
            body: None,
        });
        let outer = self.shapes.enter(scope);
        let was_inside = std::mem::replace(&mut self.shapes.is_inside, true);
        let body = self.declared_shape(def, purpose);
        self.shapes.is_inside = was_inside;
        self.shapes.enter(outer);
        if let Some(named) = self.shapes.named.iter_mut().find(|it| is_same(it)) {
            named.body = Some(body);
        }
        name
    }

    /// The descriptions of fields; to be shown, only of those that need one. What their types ask for is asked of the whole.
    fn field_shapes(&mut self, fields: Vec<(Name, &Ty)>, purpose: Purpose) -> Vec<(Name, Expr)> {
        let mut shapes = Vec::new();
        for (name, ty) in fields {
            if purpose == Purpose::Host || self.needs_shape(ty) {
                let shape = self.shape(ty, purpose);
                let shape = match is_inherited(&name) {
                    true => {
                        self.helpers.insert("Shape");
                        shape.typed("Shape".into())
                    }
                    false => shape,
                };
                shapes.push((name, shape));
            }
        }
        shapes
    }

    fn declared_shape(&mut self, def: &TypeDef, purpose: Purpose) -> Expr {
        let shape = self.fields_of(def, purpose);
        match purpose {
            Purpose::Show => shape,
            Purpose::Host => self.constructed_shape(def, shape),
        }
    }

    fn fields_of(&mut self, def: &TypeDef, purpose: Purpose) -> Expr {
        match &def.shape {
            TypeBody::Record(fields) => {
                let fields = fields.iter().map(|(name, ty)| (names::legal(name), ty.base()));
                let fields = self.field_shapes(fields.collect(), purpose);
                record_shape(&def.key.name, fields)
            }
            TypeBody::Sum(variants) => {
                let variants = variants.iter().map(|variant| {
                    let fields = variant.fields.iter().enumerate().map(|(index, (name, ty))| {
                        (names::variant_field(name.as_deref(), index), ty.base())
                    });
                    let fields = self.field_shapes(fields.collect(), purpose);
                    (variant.name.clone(), Expr::object(fields))
                });
                let variants = variants.collect();
                one("sum", Expr::object(variants))
            }
            TypeBody::Opaque => Expr::str("any"),
        }
    }

    /// Whether the text of a value depends on its type: names of records, tuples, and a field that looks like a variant's.
    fn needs_shape(&mut self, ty: &Ty) -> bool {
        with_stack(|| match ty {
            Ty::Tuple(_) => true,
            Ty::Array(element) => self.needs_shape(element),
            Ty::Record(record) => {
                looks_like_variant(record) || record.fields.iter().any(|it| self.needs_shape(&it.1))
            }
            Ty::Refined(it) => self.needs_shape(&it.base),
            Ty::Param(name) => self.shapes.params.contains_key(name),
            Ty::Adt(adt) => {
                adt.args.iter().any(|it| self.needs_shape(it))
                    || !adt.key.module.is_empty()
                        && self.def(&adt.key).is_some_and(|it| self.declared(it).needs_shape)
            }
            Ty::Prim(_) | Ty::Fn(_) | Ty::Var(_) | Ty::Never | Ty::Error => false,
        })
    }

    /// Looks at all the types that a declared one is made of.
    fn declared(&mut self, def: &TypeDef) -> Declared {
        if let Some(known) = self.shapes.declared.get(&def.key) {
            return *known;
        }
        let mut declared = Declared { is_recursive: false, needs_shape: false };
        let mut seen: FxHashSet<TypeKey> = FxHashSet::default();
        let mut pending = vec![def];
        while let Some(next) = pending.pop() {
            declared.needs_shape |= matches!(next.shape, TypeBody::Record(_));
            let mut keys = Vec::new();
            for ty in parts(next) {
                declared.needs_shape |= mentions(ty, &mut keys);
            }
            for key in keys {
                declared.is_recursive |= key == def.key;
                if seen.insert(key.clone()) {
                    pending.extend(self.def(&key).map(|it| &**it));
                }
            }
        }
        self.shapes.declared.insert(def.key.clone(), declared);
        declared
    }

    /// How many parts the description of a declared type has.
    fn size_of(&mut self, def: &TypeDef) -> u32 {
        if let Some(known) = self.shapes.sizes.get(&def.key) {
            return *known;
        }
        let mut size = 1_u32;
        for ty in parts(def) {
            let mut keys = Vec::new();
            mentions(ty, &mut keys);
            size = size.saturating_add(1);
            for key in keys {
                let Some(inner) = self.def(&key).map(|it| &**it) else { continue };
                let is_named = !inner.params.is_empty() || self.declared(inner).is_recursive;
                let inner = if is_named { 1 } else { with_stack(|| self.size_of(inner)) };
                size = size.saturating_add(if inner > MAX_INLINE { 1 } else { inner });
            }
        }
        self.shapes.sizes.insert(def.key.clone(), size);
        size
    }
}

/// Whether every object has a member of that name, which TypeScript then takes the field for.
fn is_inherited(name: &str) -> bool {
    matches!(
        name,
        "constructor"
            | "hasOwnProperty"
            | "isPrototypeOf"
            | "propertyIsEnumerable"
            | "toLocaleString"
            | "toString"
            | "valueOf"
    )
}

/// The types of the fields of a declared type.
fn parts(def: &TypeDef) -> Vec<&Ty> {
    match &def.shape {
        TypeBody::Record(fields) => fields.iter().map(|it| &it.1).collect(),
        TypeBody::Sum(variants) => {
            variants.iter().flat_map(|it| &it.fields).map(|it| &it.1).collect()
        }
        TypeBody::Opaque => Vec::new(),
    }
}

/// Collects the declared types that a type is made of. Says whether anything else in it needs a description.
fn mentions(ty: &Ty, keys: &mut Vec<TypeKey>) -> bool {
    with_stack(|| match ty {
        Ty::Tuple(elements) => {
            for element in elements.iter() {
                mentions(element, keys);
            }
            true
        }
        Ty::Array(element) => mentions(element, keys),
        Ty::Record(record) => record
            .fields
            .iter()
            .fold(looks_like_variant(record), |needs, it| mentions(&it.1, keys) || needs),
        Ty::Refined(it) => mentions(&it.base, keys),
        Ty::Adt(adt) => {
            if !adt.key.module.is_empty() {
                keys.push(adt.key.clone());
            }
            let mut needs = false;
            for arg in &adt.args {
                needs |= mentions(arg, keys);
            }
            needs
        }
        Ty::Fn(it) => {
            for ty in it.params.iter().chain([&it.result]) {
                mentions(ty, keys);
            }
            false
        }
        Ty::Prim(_) | Ty::Param(_) | Ty::Var(_) | Ty::Never | Ty::Error => false,
    })
}

/// Whether a record without a name could be taken for a variant: it has a field `tag`, or may have one.
fn looks_like_variant(record: &clank::ty::RecordTy) -> bool {
    record.open || record.fields.iter().any(|it| it.0 == "tag")
}

fn one(key: &str, value: Expr) -> Expr {
    Expr::object(vec![(Name::new(key), value)])
}

fn record_shape(name: &str, fields: Vec<(Name, Expr)>) -> Expr {
    Expr::object(vec![
        (Name::new("record"), Expr::str(name)),
        (Name::new("fields"), Expr::object(fields)),
    ])
}

/// A description with something that is called with every value that the host gives.
fn checked(shape: Expr, value: Name, body: ArrowBody) -> Expr {
    let params = vec![(value, Some("any".to_owned()))];
    Expr::object(vec![
        (Name::new("refined"), shape),
        (Name::new("check"), Expr::arrow(Arrow { params, result: None, body })),
    ])
}

/// A description that is made when it is first needed.
fn later(shape: Expr) -> Expr {
    Expr::arrow(Arrow { params: Vec::new(), result: None, body: ArrowBody::Expr(shape) })
}
