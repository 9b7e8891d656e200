//! Types as they are written become types.
//!
//! Aliases are replaced by what they stand for, effects are told from types (rows 4 and 39), and every refinement gets the
//! variable that it is about (row 8). One mistake is reported once, at the type that it is in; what is left of such a
//! type is [`Ty::Error`].

mod meaning;
mod subst;
mod variable;

pub(crate) use meaning::global;
pub use subst::{arguments, refined, substitute};

use std::sync::Arc;

use clank_syntax::ast::{Ast, Name, NodeId, Type, TypeId};
use clank_syntax::with_stack;
use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::env::{Env, TypeEntry, Value};
use crate::similar::similar;
use crate::ty::{Effects, FnTy, Meaning, Predicate, Prim, RecordTy, Ty};
use crate::uses::NameUses;

/// How many types a diagnostic lists that could have been meant.
const MAX_AVAILABLE: usize = 50;

/// What was found out on the way, besides the type.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// What is wrong.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The global names that were looked up.
    pub(crate) uses: NameUses,
    /// What was suggested for unknown types, because a typo is often repeated.
    suggestions: FxHashMap<(Name, usize), (Vec<Name>, Json)>,
}

/// What a type is written for: that decides which variable a refinement is about that does not name one.
#[derive(Clone, Copy)]
pub(crate) struct Binder<'a> {
    /// The name that gets the type: a parameter, a field, a `let`.
    pub(crate) name: Option<&'a str>,
    /// What kind of place it is.
    pub(crate) position: TypePosition,
    /// What a name means that is bound around the type: parameters and locals, the binder itself included; for fields
    /// the other fields of the record or variant. Global names do not count.
    pub(crate) in_scope: &'a dyn Fn(&str) -> Option<Meaning>,
}

/// What kind of place a type is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TypePosition {
    /// A parameter of a function or lambda: a function type without effects accepts any (row 39).
    Parameter,
    /// The result of a function or function type: the value is called `result`.
    Result,
    /// Anything else.
    Other,
}

impl<'a> Binder<'a> {
    /// A place without a name of its own and without names around it.
    pub(crate) const NONE: Binder<'static> =
        Binder { name: None, position: TypePosition::Other, in_scope: &|_| None };

    /// The same place, further inside: the value there is another one.
    fn inner(self) -> Binder<'a> {
        Binder { name: None, position: TypePosition::Other, ..self }
    }
}

/// The names that a written type can see.
#[derive(Clone, Copy)]
pub(crate) struct TypeScope<'a> {
    /// The tree that the type is in.
    pub(crate) ast: &'a Ast,
    /// The global names.
    pub(crate) env: &'a Env,
    /// The type parameters of the declaration.
    pub(crate) type_params: &'a [Name],
}

impl TypeScope<'_> {
    /// The type that is written at `ty`.
    pub(crate) fn resolve(&self, ty: TypeId, binder: Binder<'_>, out: &mut Findings) -> Ty {
        let resolved = with_stack(|| self.resolve_anywhere(ty, binder, out));
        match resolved {
            Ty::Fn(it) if binder.position == TypePosition::Parameter && it.effects.is_pure() => {
                Ty::Fn(Arc::new(FnTy { any_effects: true, ..FnTy::clone(&it) }))
            }
            other => other,
        }
    }

    /// The result type of a function, with the effects that are written with it and what `Err[E, …]` says is raised.
    pub(crate) fn resolve_result(
        &self,
        ty: TypeId,
        in_scope: &dyn Fn(&str) -> Option<Meaning>,
        out: &mut Findings,
    ) -> (Ty, Effects, Option<Ty>) {
        with_stack(|| match self.ast.ty(ty) {
            Type::Effect { effects, result } => {
                let mut declared = Effects::PURE;
                let mut raised = None;
                for effect in effects {
                    declared = declared.and(self.effect(*effect, in_scope, &mut raised, out));
                }
                let (result, more, raises) = self.resolve_result(*result, in_scope, out);
                (result, declared.and(more), raised.or(raises))
            }
            Type::Named { name, args } if let Some(effect) = self.as_effect(name) => {
                let n_args = if effect == Effects::ERR { 2 } else { 1 };
                if args.len() != n_args {
                    self.resolve_all(args, Binder { in_scope, ..Binder::NONE }, out);
                    out.diagnostics.push(wrong_count(ty.node(), name, n_args, args.len()));
                    return (Ty::Error, effect, None);
                }
                let raised = (effect == Effects::ERR)
                    .then(|| self.resolve(args[0], Binder { in_scope, ..Binder::NONE }, out));
                let (result, more, raises) = self.resolve_result(args[n_args - 1], in_scope, out);
                (result, effect.and(more), raised.or(raises))
            }
            _ => {
                let binder = Binder { name: None, position: TypePosition::Result, in_scope };
                (self.resolve(ty, binder, out), Effects::PURE, None)
            }
        })
    }

    fn resolve_anywhere(&self, ty: TypeId, binder: Binder<'_>, out: &mut Findings) -> Ty {
        match self.ast.ty(ty) {
            Type::Named { name, args } => self.named(ty, name, args, binder, out),
            Type::Array { element } => Ty::array(self.resolve(*element, binder.inner(), out)),
            Type::Tuple { elements } => {
                Ty::Tuple(self.resolve_all(elements, binder.inner(), out).into())
            }
            Type::Function { params, result } => {
                let params = self.resolve_all(params, binder.inner(), out);
                let (result, effects, _) = self.resolve_result(*result, binder.in_scope, out);
                Ty::Fn(Arc::new(FnTy { params, result, effects, any_effects: false }))
            }
            Type::Refined { base, variable, predicate } => {
                let inside = Binder { position: TypePosition::Other, ..binder };
                let base_ty = self.resolve(*base, inside, out);
                match variable::choose(self, variable.as_ref(), *predicate, binder) {
                    Ok(variable) => refined(
                        base_ty,
                        vec![Predicate {
                            text: one_line(self.ast, *predicate),
                            module: self.env.module.clone(),
                            expr: *predicate,
                            names: self.meanings(*predicate, &variable, binder.in_scope),
                            given: None,
                            variable,
                        }],
                    ),
                    Err(diagnostic) => {
                        out.diagnostics.extend(diagnostic.map(|it| it.at(ty.node())));
                        base_ty
                    }
                }
            }
            Type::Effect { effects, result } => {
                let names: Vec<_> = effects.iter().map(|it| one_line(self.ast, *it)).collect();
                out.diagnostics.push(misplaced_effect(ty.node(), &names.join(" + ")));
                self.resolve_result(*result, binder.in_scope, out);
                Ty::Error
            }
            Type::Record { fields, open } => {
                let fields = fields.iter().map(|it| self.ast.field(*it));
                let fields = fields
                    .map(|it| {
                        let field = Binder {
                            name: Some(&it.name),
                            position: TypePosition::Other,
                            ..binder
                        };
                        (it.name.clone(), self.resolve(it.ty, field, out))
                    })
                    .collect();
                Ty::Record(Arc::new(RecordTy { fields, open: *open }))
            }
            Type::Error { .. } => Ty::Error,
        }
    }

    fn resolve_all(&self, types: &[TypeId], binder: Binder<'_>, out: &mut Findings) -> Vec<Ty> {
        types.iter().map(|it| self.resolve(*it, binder, out)).collect()
    }

    /// One of the effects before the last `+`.
    fn effect(
        &self,
        ty: TypeId,
        in_scope: &dyn Fn(&str) -> Option<Meaning>,
        raised: &mut Option<Ty>,
        out: &mut Findings,
    ) -> Effects {
        let inner = Binder { in_scope, ..Binder::NONE };
        let (name, args) = match self.ast.ty(ty) {
            Type::Named { name, args } => (name, args),
            Type::Error { .. } => return Effects::PURE,
            _ => {
                self.resolve(ty, inner, out);
                let text = one_line(self.ast, ty);
                out.diagnostics.push(unknown_effect(ty.node(), &text));
                return Effects::PURE;
            }
        };
        let Some(effect) = self.as_effect(name) else {
            out.diagnostics.push(unknown_effect(ty.node(), name));
            return Effects::PURE;
        };
        let args_tys = self.resolve_all(args, inner, out);
        match <[Ty; 1]>::try_from(args_tys) {
            Ok([error]) if effect == Effects::ERR => *raised = Some(error),
            _ if args.is_empty() => {}
            _ => {
                let expected = usize::from(effect == Effects::ERR);
                out.diagnostics.push(wrong_count(ty.node(), name, expected, args.len()));
            }
        }
        effect
    }

    /// The effect of that name, if no type has it.
    fn as_effect(&self, name: &str) -> Option<Effects> {
        let is_type =
            self.type_params.iter().any(|it| it == name) || self.env.types.contains_key(name);
        Effects::from_name(name).filter(|_| !is_type)
    }

    fn named(
        &self,
        ty: TypeId,
        name: &Name,
        args: &[TypeId],
        binder: Binder<'_>,
        out: &mut Findings,
    ) -> Ty {
        let arg_tys = self.resolve_all(args, binder.inner(), out);
        let node = ty.node();
        if self.type_params.contains(name) {
            return without_args(Ty::Param(name.clone()), node, name, args.len(), out);
        }
        let entry = match name.rsplit_once('.') {
            Some((module, member)) => match self.member(module, member, out) {
                Ok(entry) => entry,
                Err(()) => return Ty::Error,
            },
            None => {
                out.uses.ty(name);
                self.env.types.get(name)
            }
        };
        match entry {
            Some(TypeEntry::Def(def)) if def.params.len() == args.len() => {
                Ty::adt(def.key.clone(), arg_tys)
            }
            Some(TypeEntry::Alias { params, ty: alias }) if params.len() == args.len() => {
                expand(node, name, alias, params, &arg_tys, out)
            }
            Some(TypeEntry::Def(def)) => {
                out.diagnostics.push(wrong_count(node, name, def.params.len(), args.len()));
                Ty::Error
            }
            Some(TypeEntry::Alias { params, .. }) => {
                out.diagnostics.push(wrong_count(node, name, params.len(), args.len()));
                Ty::Error
            }
            Some(TypeEntry::Unknown) => Ty::Error,
            None => match primitive(name) {
                Some(prim) => without_args(prim, node, name, args.len(), out),
                None if self.as_effect(name).is_some() => {
                    out.diagnostics.push(misplaced_effect(node, name));
                    Ty::Error
                }
                None => {
                    self.unknown(node, name, args.len(), out);
                    Ty::Error
                }
            },
        }
    }

    /// The type `module.member`; `Err` if the module itself is broken, which is reported where it is imported.
    fn member(
        &self,
        module: &str,
        member: &str,
        out: &mut Findings,
    ) -> Result<Option<&TypeEntry>, ()> {
        let module = Name::new(module);
        out.uses.value(&module);
        match self.env.values.get(&module) {
            Some(Value::Module { file }) => {
                out.uses.member_type(file, &Name::new(member));
                Ok(self.env.member_type(file, member))
            }
            Some(Value::Unknown) => Err(()),
            _ => Ok(None),
        }
    }

    /// E1005, with what could have been meant.
    fn unknown(&self, node: NodeId, name: &Name, n_args: usize, out: &mut Findings) {
        out.uses.everything();
        let key = (name.clone(), n_args);
        let suggestions = &mut out.suggestions;
        let (similar_types, available) = suggestions
            .entry(key)
            .or_insert_with(|| (self.similar_types(name, n_args), self.available_types()));
        let structured = Structured::new("unresolved_type")
            .member("name", name.as_str())
            .member("available_types", available.clone())
            .member(
                "similar_types",
                similar_types.iter().map(|it| Json::from(it.as_str())).collect::<Vec<_>>(),
            );
        let unknown = Diagnostic::new(Code::E1005, node, format!("cannot find type `{name}`"));
        let help = similar_types.first().map(|it| format!("did you mean `{it}`?"));
        out.diagnostics.push(Diagnostic { help, ..unknown.with(structured) });
    }

    /// The types of the module that are named like `name`; those of the prelude only with the right number of
    /// arguments (row 25).
    fn similar_types(&self, name: &Name, n_args: usize) -> Vec<Name> {
        if let Some((module, _)) = name.rsplit_once('.') {
            return self.similar_members(name, module);
        }
        let declared = self.env.types.iter().filter_map(|(name, entry)| {
            let (n_params, is_prelude) = match entry {
                TypeEntry::Def(def) => (def.params.len(), def.key.module.is_empty()),
                TypeEntry::Alias { params, .. } => (params.len(), false),
                TypeEntry::Unknown => return None,
            };
            let fits = n_params == n_args;
            (fits || !is_prelude).then_some((name.as_str(), fits))
        });
        let rigid = self.type_params.iter().map(|it| (it.as_str(), n_args == 0));
        let primitives = Prim::ALL.iter().filter(|_| n_args == 0).map(|it| (it.name(), true));
        let mut candidates: Vec<_> = declared.chain(rigid).chain(primitives).collect();
        candidates.sort_unstable();
        similar(name, candidates.into_iter())
    }

    /// The types of an imported module that are named like `name`, which is qualified with it.
    fn similar_members(&self, name: &Name, module: &str) -> Vec<Name> {
        let Some(Value::Module { file }) = self.env.values.get(module) else { return Vec::new() };
        let Some(exports) = self.env.modules.get(file) else { return Vec::new() };
        let qualified: Vec<String> =
            exports.types.keys().map(|it| format!("{module}.{it}")).collect();
        similar(name, qualified.iter().map(|it| (it.as_str(), true)))
    }

    fn available_types(&self) -> Json {
        let mut names: Vec<&str> = self.env.types.keys().map(Name::as_str).collect();
        names.extend(self.type_params.iter().map(Name::as_str));
        names.extend(Prim::ALL.iter().map(|it| it.name()));
        names.sort_unstable();
        names.dedup();
        names.truncate(MAX_AVAILABLE);
        Json::from(names)
    }
}

/// The primitive of that name, and `never`. AST JSON may use the letters of mathematics.
fn primitive(name: &str) -> Option<Ty> {
    let prim = match name {
        "never" => return Some(Ty::Never),
        "String" => Prim::Str,
        "ℤ" => Prim::Int,
        "ℤ32" => Prim::Int32,
        "ℤ64" => Prim::Int64,
        "ℕ" => Prim::Nat,
        "ℝ" => Prim::Float,
        _ => Prim::ALL.into_iter().find(|it| it.name() == name)?,
    };
    Some(Ty::Prim(prim))
}

/// Whether a name stands for a type that needs no declaration.
pub(crate) fn is_primitive(name: &str) -> bool {
    primitive(name).is_some()
}

fn without_args(ty: Ty, node: NodeId, name: &str, n_args: usize, out: &mut Findings) -> Ty {
    if n_args == 0 {
        return ty;
    }
    out.diagnostics.push(wrong_count(node, name, 0, n_args));
    Ty::Error
}

fn expand(
    node: NodeId,
    name: &str,
    alias: &Ty,
    params: &[Name],
    args: &[Ty],
    out: &mut Findings,
) -> Ty {
    let expanded = if params.is_empty() { alias.clone() } else { substitute(alias, params, args) };
    if subst::is_reasonable(&expanded) {
        return expanded;
    }
    out.diagnostics.push(
        Diagnostic::new(Code::E2018, node, format!("`{name}` expands to a type that is too large"))
            .help("declare a `rec` or a `sum`, which has a name of its own, instead of an alias")
            .with(Structured::new("infinite_type").member("name", name)),
    );
    Ty::Error
}

/// E2017.
fn wrong_count(node: NodeId, name: &str, expected: usize, actual: usize) -> Diagnostic {
    let takes = match expected {
        0 => "no type arguments".to_owned(),
        1 => "1 type argument".to_owned(),
        n => format!("{n} type arguments"),
    };
    let given = match actual {
        0 => "none is given".to_owned(),
        1 => "1 is given".to_owned(),
        n => format!("{n} are given"),
    };
    Diagnostic::new(Code::E2017, node, format!("`{name}` takes {takes}, but {given}")).with(
        Structured::new("type_param_mismatch")
            .member("name", name)
            .member("expected", expected)
            .member("actual", actual),
    )
}

/// E1005 for an effect where only types stand.
fn misplaced_effect(node: NodeId, name: &str) -> Diagnostic {
    Diagnostic::new(Code::E1005, node, format!("`{name}` is an effect, not a type"))
        .help("effects are only allowed in the result of a function: `fn f() -> IO + Int`")
        .with(unresolved_effect(name))
}

/// E1005 for a name before `+` that is not an effect.
fn unknown_effect(node: NodeId, name: &str) -> Diagnostic {
    Diagnostic::new(Code::E1005, node, format!("cannot find effect `{name}`"))
        .help("the effects are `IO`, `Err`, `Async` and `Mut`")
        .with(unresolved_effect(name))
}

fn unresolved_effect(name: &str) -> Structured {
    Structured::new("unresolved_type")
        .member("name", name)
        .member("available_types", Json::Array(Vec::new()))
        .member("similar_types", Json::Array(Vec::new()))
}

/// A node printed on one line.
pub fn one_line(ast: &Ast, node: impl Into<NodeId>) -> String {
    clank_syntax::print_node(ast, node)
}
