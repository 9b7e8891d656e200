//! Which generic functions show values of their type parameters as text, themselves or through what they call. Those get
//! the descriptions of these types as hidden parameters after their own, `shapeOfT` for `T`; generic externals do, too.

use std::collections::BTreeSet;

use clank::body::{BodyView, Resolution};
use clank::env::Signature;
use clank::resolve::arguments;
use clank::ty::{FnTy, Ty};
use clank_syntax::ast::{AstKind, Decl, DeclId, Expr, Name, NodeId, TemplatePart};
use clank_syntax::with_stack;
use rustc_hash::{FxHashMap, FxHashSet};

use super::context::SourceModule;

/// A function by its file and name.
type Key = (Name, Name);

/// A generic function with the type parameters whose descriptions it gets.
struct Generic<'a> {
    signature: &'a Signature,
    shown: FxHashSet<Name>,
}

/// The generic functions of a program.
#[derive(Default)]
pub(crate) struct RuntimeShapes<'a> {
    functions: FxHashMap<Key, Generic<'a>>,
}

impl<'a> RuntimeShapes<'a> {
    pub(crate) fn new(modules: &[SourceModule<'a>]) -> RuntimeShapes<'a> {
        let mut shown = RuntimeShapes::default();
        let mut generic: Vec<(usize, DeclId, Key)> = Vec::new();
        for (index, source) in modules.iter().enumerate() {
            for decl in source.ast.declarations() {
                shown.externals(source, *decl, None);
                let Decl::Fn(it) = source.ast.decl(*decl) else { continue };
                let Some(signature) = source.env.signature(*decl) else { continue };
                if !it.type_params.is_empty() {
                    let key = (source.file.clone(), it.name.clone());
                    generic.push((index, *decl, key.clone()));
                    shown.functions.insert(key, Generic { signature, shown: FxHashSet::default() });
                }
            }
        }
        let mut pending: Vec<(Key, Name)> = Vec::new();
        let mut callers: FxHashMap<(Key, Name), Vec<(Key, Name)>> = FxHashMap::default();
        for (module, decl, key) in generic {
            let source = &modules[module];
            let Some(it) = shown.functions.get(&key) else { continue };
            let uses = uses_of(source, decl, it.signature);
            pending.extend(uses.shows.into_iter().map(|it| (key.clone(), it)));
            for (callee, ty) in uses.calls {
                let Some(called) = shown.functions.get(&callee) else { continue };
                for (param, ty) in arguments(called.signature, ty) {
                    let mut own = BTreeSet::new();
                    type_params_of(ty, &mut own);
                    let users = callers.entry((callee.clone(), param)).or_default();
                    users.extend(own.into_iter().map(|it| (key.clone(), it)));
                }
            }
        }
        while let Some((key, param)) = pending.pop() {
            let Some(it) = shown.functions.get_mut(&key) else { continue };
            if it.shown.insert(param.clone()) {
                pending.extend(callers.get(&(key, param)).into_iter().flatten().cloned());
            }
        }
        shown
    }

    /// A generic external gets the descriptions of all its types: what the host gives is checked against them.
    fn externals(&mut self, source: &SourceModule<'a>, decl: DeclId, namespace: Option<&Name>) {
        match source.ast.decl(decl) {
            Decl::ExternalFn(it) if !it.type_params.is_empty() => {
                let Some(signature) = source.env.signature(decl) else { return };
                let key = (source.file.clone(), external(namespace, &it.name));
                let shown = signature.type_params.iter().cloned().collect();
                self.functions.insert(key, Generic { signature, shown });
            }
            Decl::ExternalMod { name, functions, .. } => {
                functions.iter().for_each(|it| self.externals(source, *it, Some(name)));
            }
            _ => {}
        }
    }

    /// The type parameters whose descriptions a function gets, in order.
    pub(crate) fn of(&self, module: &Name, name: &Name) -> Vec<Name> {
        let Some(it) = self.functions.get(&(module.clone(), name.clone())) else {
            return Vec::new();
        };
        it.signature.type_params.iter().filter(|name| it.shown.contains(*name)).cloned().collect()
    }

    /// The types whose descriptions a use of a function passes, where it has this type.
    pub(crate) fn passed<'t>(&self, module: &Name, name: &Name, ty: &'t Ty) -> Vec<Option<&'t Ty>> {
        let shown = self.of(module, name);
        let function = self.functions.get(&(module.clone(), name.clone()));
        let (Some(function), Ty::Fn(ty)) = (function, ty.base()) else {
            return shown.iter().map(|_| None).collect();
        };
        let found = arguments(function.signature, ty);
        shown.iter().map(|it| found.get(it).copied()).collect()
    }

    /// The names of a function's parameters.
    pub(crate) fn signature(&self, module: &Name, name: &Name) -> Option<&'a Signature> {
        Some(self.functions.get(&(module.clone(), name.clone()))?.signature)
    }
}

/// What an external is called among the functions of its file.
pub(crate) fn external(namespace: Option<&Name>, name: &Name) -> Name {
    match namespace {
        Some(namespace) => Name::from(format!("{namespace}.{name}")),
        None => name.clone(),
    }
}

/// What a body does that matters here.
#[derive(Default)]
struct Uses<'a> {
    /// The type parameters in the types of values that it shows.
    shows: BTreeSet<Name>,
    /// The functions that it uses, each with its type there.
    calls: Vec<(Key, &'a FnTy)>,
}

fn uses_of<'a>(source: &SourceModule<'a>, decl: DeclId, signature: &Signature) -> Uses<'a> {
    let view = source.view(decl);
    let mut uses = Uses::default();
    // Parents come after their children, so that the lambdas around a node are met before it on the way down.
    let mut lambdas: Vec<(u32, &'a Ty)> = Vec::new();
    for node in source.ast.subtree(decl).rev().map(NodeId) {
        while lambdas.last().is_some_and(|it| node.0 < it.0) {
            lambdas.pop();
        }
        let AstKind::Expr(expr) = &source.ast.node(node).kind else { continue };
        match expr {
            Expr::Lambda { .. } => {
                if let Ty::Fn(it) = view.ty(node).base() {
                    lambdas.push((source.ast.subtree(node).start, &it.result));
                }
            }
            Expr::Template { parts } => {
                for part in parts {
                    if let TemplatePart::Expr(expr) = part {
                        type_params_of(view.ty(*expr), &mut uses.shows);
                    }
                }
            }
            Expr::Call { callee, args } if is_to_string(view, callee.node()) => {
                for arg in args {
                    type_params_of(view.ty(*arg), &mut uses.shows);
                }
            }
            Expr::Propagate { expr } => {
                let result = lambdas.last().map_or(&signature.result, |it| it.1);
                if let (Ty::Adt(operand), result) = (view.ty(*expr).base(), result.base())
                    && !matches!(result, Ty::Adt(it) if it.key == operand.key)
                    && let Some(error) = operand.args.get(1)
                {
                    type_params_of(error, &mut uses.shows);
                }
            }
            _ => {}
        }
        let Ty::Fn(ty) = view.ty(node).base() else { continue };
        match view.resolution(node) {
            Some(Resolution::Fn { module, name }) => {
                uses.calls.push(((module.clone(), name.clone()), ty));
            }
            Some(Resolution::Builtin(name)) if name == "to_string" => {
                for param in &ty.params {
                    type_params_of(param, &mut uses.shows);
                }
            }
            _ => {}
        }
    }
    uses
}

fn is_to_string(view: BodyView<'_>, callee: NodeId) -> bool {
    matches!(view.resolution(callee), Some(Resolution::Builtin(name)) if name == "to_string")
}

/// The type parameters in a type whose values are shown.
fn type_params_of(ty: &Ty, found: &mut BTreeSet<Name>) {
    with_stack(|| match ty {
        Ty::Param(name) => {
            found.insert(name.clone());
        }
        Ty::Array(element) => type_params_of(element, found),
        Ty::Tuple(elements) => elements.iter().for_each(|it| type_params_of(it, found)),
        Ty::Record(record) => record.fields.iter().for_each(|it| type_params_of(&it.1, found)),
        Ty::Refined(it) => type_params_of(&it.base, found),
        Ty::Adt(adt) => adt.args.iter().for_each(|it| type_params_of(it, found)),
        Ty::Fn(_) | Ty::Prim(_) | Ty::Var(_) | Ty::Never | Ty::Error => {}
    });
}
