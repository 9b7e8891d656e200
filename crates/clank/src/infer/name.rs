//! What names mean, and which ones were probably meant.

use std::sync::Arc;

use clank_syntax::ast::{ExprId, Name, NodeId};

use super::report::names_json;
use super::{FrameKind, Infer};
use crate::body::Resolution;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::env::{TypeBody, TypeDef, Value};
use crate::resolve::substitute;
use crate::similar::{ByLength, MisspeltName, similar};
use crate::ty::{Effects, FnTy, Ty};
use spelling::Rows;

/// The locals in scope by the lengths of their names, as far as somebody looked for one.
#[derive(Default)]
pub(super) struct NearLocals {
    /// The outermost first.
    indexed: Vec<IndexedLocal>,
    by_length: ByLength<u32>,
}

struct IndexedLocal {
    /// Its place among those in scope.
    place: usize,
    local: u32,
}

impl<'a> Infer<'a> {
    /// A name as an expression: its type, and the global value that it means if it means one. `n_args` is how many
    /// arguments it is called with.
    pub(super) fn name(
        &mut self,
        expr: ExprId,
        name: &Name,
        hint: Option<&Ty>,
        n_args: Option<usize>,
    ) -> (Ty, Option<&'a Value>) {
        if let Some(index) = self.local(name) {
            let local = &self.locals[index as usize];
            let (node, ty) = (local.node, local.ty.clone());
            let meaning = Resolution::Local(self.relative(node));
            self.resolve(expr.node(), meaning);
            return (ty, None);
        }
        self.findings.uses.value(name);
        match self.env.values.get(name) {
            Some(value) => {
                let ty = self.value(expr.node(), value);
                let ty = match n_args {
                    Some(_) => ty,
                    None => {
                        self.asks_at_once(expr, value);
                        self.conversion_value(value, super::call::uncalled(value, ty), hint)
                    }
                };
                (ty, Some(value))
            }
            None => {
                self.report_unknown_name(expr.node(), name, hint, n_args);
                (Ty::Error, None)
            }
        }
    }

    /// A conversion that is not called takes the integers that are expected, or else `Int`: only a call sees to it that
    /// its argument is an integer (row 51).
    fn conversion_value(&mut self, value: &Value, ty: Ty, hint: Option<&Ty>) -> Ty {
        let (Value::Builtin { name, .. }, Ty::Fn(function)) = (value, &ty) else { return ty };
        if !matches!(name.as_str(), "to_int" | "to_int32" | "to_int64") {
            return ty;
        }
        let expected = match hint.map(|it| self.table.base(it)) {
            Some(Ty::Fn(it)) => it.params.first().map(|it| self.table.base(it)),
            _ => None,
        };
        let param = match expected {
            Some(Ty::Prim(prim)) if prim.is_integer() => Ty::Prim(prim),
            _ => Ty::INT,
        };
        Ty::Fn(Arc::new(FnTy { params: vec![param], ..FnTy::clone(function) }))
    }

    /// The type of a global value, with fresh variables for its type parameters.
    pub(super) fn value(&mut self, node: NodeId, value: &'a Value) -> Ty {
        let ty = self.instance(node, value);
        if let Value::External { signature, .. } = value {
            self.host_is_used(node, signature, &ty);
        }
        ty
    }

    fn instance(&mut self, node: NodeId, value: &Value) -> Ty {
        if let Some(meaning) = meaning(value) {
            self.resolve(node, meaning);
        }
        match value {
            Value::Fn { signature, .. }
            | Value::External { signature, .. }
            | Value::Builtin { signature, .. } => {
                let vars = self.fresh_all(signature.type_params.len());
                let inst = |ty: &Ty| match vars.is_empty() {
                    true => ty.clone(),
                    false => substitute(ty, &signature.type_params, &vars),
                };
                Ty::Fn(Arc::new(FnTy {
                    params: signature.params.iter().map(|it| inst(&it.1)).collect(),
                    result: inst(&signature.result),
                    effects: signature.effects,
                    any_effects: false,
                }))
            }
            Value::Variant { def, variant } => self.variant_value(def, *variant),
            Value::Record { def } => {
                let TypeBody::Record(fields) = &def.shape else { return Ty::Error };
                let fields: Vec<&Ty> = fields.iter().map(|it| &it.1).collect();
                self.constructor(def, &fields)
            }
            Value::Module { .. } | Value::HostModule { .. } => {
                self.report(
                    Diagnostic::new(Code::E2001, node, "a module is not a value")
                        .help("write `module.name`")
                        .with(
                            Structured::new("type_mismatch")
                                .member("expected", "value")
                                .member("actual", "module"),
                        ),
                );
                Ty::Error
            }
            Value::Unknown => Ty::Error,
        }
    }

    fn variant_value(&mut self, def: &Arc<TypeDef>, variant: u32) -> Ty {
        let TypeBody::Sum(variants) = &def.shape else { return Ty::Error };
        let Some(variant) = variants.get(variant as usize) else { return Ty::Error };
        let fields: Vec<&Ty> = variant.fields.iter().map(|it| &it.1).collect();
        if fields.is_empty() {
            let vars = self.fresh_all(def.params.len());
            return Ty::adt(def.key.clone(), vars);
        }
        self.constructor(def, &fields)
    }

    fn constructor(&mut self, def: &TypeDef, fields: &[&Ty]) -> Ty {
        let vars = self.fresh_all(def.params.len());
        Ty::Fn(Arc::new(FnTy {
            params: fields.iter().map(|it| substitute(it, &def.params, &vars)).collect(),
            result: Ty::adt(def.key.clone(), vars),
            effects: Effects::PURE,
            any_effects: false,
        }))
    }

    pub(super) fn fresh_all(&mut self, count: usize) -> Vec<Ty> {
        (0..count).map(|_| self.table.fresh()).collect()
    }

    /// A call with effects, at the function or lambda around it.
    pub(super) fn charge(&mut self, node: NodeId, effects: Effects, any_effects: bool) {
        let Some(frame) = self.frames.last_mut() else { return };
        match frame.kind {
            FrameKind::Lambda => {
                frame.effects = frame.effects.and(effects);
                frame.any_effects |= any_effects;
            }
            FrameKind::Function => {
                let missing = effects.without(frame.allowed);
                if !missing.is_pure() {
                    self.report_effects(node, missing);
                }
            }
            FrameKind::Predicate => {
                if !effects.is_pure() {
                    self.report_effects(node, effects);
                } else if any_effects {
                    self.report_function_value(node);
                }
            }
        }
    }

    /// A predicate may be evaluated at any time: nothing is known about what a function value does (row 52).
    pub(super) fn report_function_value(&mut self, node: NodeId) {
        self.report(
            Diagnostic::new(
                Code::E3005,
                node,
                "a predicate cannot call a function that is a value",
            )
            .help("call a declared function")
            .with(Structured::new("invalid_refinement")),
        );
    }

    fn report_unknown_name(
        &mut self,
        node: NodeId,
        name: &Name,
        hint: Option<&Ty>,
        n_args: Option<usize>,
    ) {
        let near = self.suggest(name, hint, n_args);
        let diagnostic = Diagnostic::new(Code::E1001, node, format!("cannot find `{name}`")).with(
            Structured::new("unresolved_name")
                .member("name", name.as_str())
                .member("similar_names", names_json(&near)),
        );
        self.report(match near.first() {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        });
    }

    /// The names in scope that are near; those that fit come first, and names of the prelude only if they fit (row 25).
    fn suggest(&mut self, name: &Name, hint: Option<&Ty>, n_args: Option<usize>) -> Vec<Name> {
        self.findings.uses.everything();
        let scope = self.scope().map_or(0, |it| it as usize + 1);
        if let Some(known) = self.suggestions.get(&(name.clone(), scope)) {
            return known.clone();
        }
        let hint = hint.map(|it| self.show(it));
        let env = self.env;
        let mut candidates: Vec<(Name, bool)> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let (wanted, mut rows) = (MisspeltName::new(name), Rows::default());
        for index in self.locals_around(name) {
            let local = &self.locals[index as usize];
            if !wanted.is_near(&local.name, &mut rows) || !seen.insert(local.name.clone()) {
                continue;
            }
            let (name, ty) = (local.name.clone(), local.ty.clone());
            let ty = self.show(&ty);
            candidates.push((name, may_fit(&ty, hint.as_ref(), n_args)));
        }
        for (candidate, value) in env.values_around(name) {
            if !wanted.is_near(candidate, &mut rows) || seen.contains(candidate) {
                continue;
            }
            let fits = value_fits(value, hint.as_ref(), n_args);
            if fits || !is_prelude(value) {
                candidates.push((candidate.clone(), fits));
            }
        }
        let near = similar(name, candidates.iter().map(|it| (it.0.as_str(), it.1)));
        self.suggestions.insert((name.clone(), scope), near.clone());
        near
    }

    /// The locals in scope whose names may be near a name, and some others; the innermost first.
    fn locals_around(&mut self, name: &str) -> Vec<u32> {
        let NearLocals { indexed, by_length } = &mut self.near_locals;
        // A local that went out of scope never comes back: what is the same in both is at the start.
        while let Some(last) = indexed.pop_if(|it| self.active.get(it.place) != Some(&it.local)) {
            by_length.pop(&self.locals[last.local as usize].name);
        }
        for (place, local) in self.active.iter().copied().enumerate().skip(indexed.len()) {
            by_length.push(&self.locals[local as usize].name, local);
            indexed.push(IndexedLocal { place, local });
        }
        let mut found: Vec<u32> = by_length.around(name).copied().collect();
        found.sort_unstable_by(|one, other| other.cmp(one));
        found
    }
}

/// What a global value is for those who read the tree.
pub(super) fn meaning(value: &Value) -> Option<Resolution> {
    Some(match value {
        Value::Fn { module, name, .. } => {
            Resolution::Fn { module: module.clone(), name: name.clone() }
        }
        Value::External { module, namespace, name, .. } => Resolution::External {
            module: module.clone(),
            namespace: namespace.clone(),
            name: name.clone(),
        },
        Value::Builtin { name, .. } => Resolution::Builtin(name.clone()),
        Value::Variant { def, variant } => {
            Resolution::Variant { ty: def.key.clone(), variant: *variant }
        }
        Value::Record { def } => Resolution::Record { ty: def.key.clone() },
        Value::Module { file } => Resolution::Module(file.clone()),
        Value::HostModule { name } => Resolution::HostModule(name.clone()),
        Value::Unknown => return None,
    })
}

fn is_prelude(value: &Value) -> bool {
    match value {
        Value::Builtin { .. } => true,
        Value::Variant { def, .. } => def.key.module.is_empty(),
        _ => false,
    }
}

/// Whether a value may be what is needed, judged by its outermost type.
fn value_fits(value: &Value, hint: Option<&Ty>, n_args: Option<usize>) -> bool {
    let (n_params, result) = match value {
        Value::Fn { signature, .. }
        | Value::External { signature, .. }
        | Value::Builtin { signature, .. } => (signature.params.len(), signature.result.clone()),
        Value::Variant { def, variant } => match &def.shape {
            TypeBody::Sum(variants) => {
                let n_fields = variants.get(*variant as usize).map_or(0, |it| it.fields.len());
                let result = Ty::adt(def.key.clone(), vec![Ty::Error; def.params.len()]);
                if n_fields == 0 {
                    return n_args.is_none() && hint.is_none_or(|hint| same_kind(&result, hint));
                }
                (n_fields, result)
            }
            _ => return false,
        },
        Value::Record { def } => match &def.shape {
            TypeBody::Record(fields) => {
                (fields.len(), Ty::adt(def.key.clone(), vec![Ty::Error; def.params.len()]))
            }
            _ => return false,
        },
        Value::Module { .. } | Value::HostModule { .. } | Value::Unknown => return false,
    };
    match n_args {
        Some(n_args) => n_args == n_params && hint.is_none_or(|hint| same_kind(&result, hint)),
        None => matches!(hint.map(Ty::base), Some(Ty::Fn(it)) if it.params.len() == n_params),
    }
}

fn may_fit(ty: &Ty, hint: Option<&Ty>, n_args: Option<usize>) -> bool {
    match n_args {
        Some(n_args) => matches!(ty.base(), Ty::Fn(it) if it.params.len() == n_args),
        None => hint.is_none_or(|hint| same_kind(ty, hint)),
    }
}

fn same_kind(actual: &Ty, expected: &Ty) -> bool {
    match (actual.base(), expected.base()) {
        (Ty::Error | Ty::Never | Ty::Param(_), _) | (_, Ty::Error) => true,
        (Ty::Prim(a), Ty::Prim(e)) => a == e || a.is_integer() && e.is_integer(),
        (Ty::Adt(a), Ty::Adt(e)) => a.key == e.key,
        (Ty::Tuple(a), Ty::Tuple(e)) => a.len() == e.len(),
        (a, e) => std::mem::discriminant(a) == std::mem::discriminant(e),
    }
}
