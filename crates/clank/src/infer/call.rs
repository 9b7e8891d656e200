//! Calls and pipes: arguments, effects, preconditions.

use std::borrow::Cow;
use std::sync::Arc;

use clank_syntax::ast::{Expr, ExprId, Name, NodeId};

use super::report::counted;
use super::wording::{
    Substitution, has_predicate, operand_text, replace, replace_in_result, replace_in_type,
    simplified,
};
use super::{FrameKind, Infer, Want};
use crate::body::{GoalKind, Resolution, Site};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::env::{Condition, TypeBody, TypeDef, Value};
use crate::resolve::refined;
use crate::ty::{Effects, FnTy, Meaning, Prim, Ty, TypeKey};

/// An argument; what is piped was looked at before.
#[derive(Clone)]
enum Arg {
    Written(ExprId),
    Piped(ExprId, Ty),
}

impl Arg {
    fn expr(&self) -> ExprId {
        match self {
            Arg::Written(expr) | Arg::Piped(expr, _) => *expr,
        }
    }
}

/// What is known about a callee besides its type.
#[derive(Default)]
struct Callee<'a> {
    resolution: Option<Resolution>,
    /// Names and types of the parameters as they are declared.
    params: Cow<'a, [(Name, Ty)]>,
    precondition: Option<&'a Condition>,
}

impl<'a> Infer<'a> {
    pub(super) fn call(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        args: &[ExprId],
        hint: Option<&Ty>,
    ) -> Ty {
        let mark = self.table.mark();
        let (ty, value) = self.callee(callee, args.len(), hint);
        let args: Vec<Arg> = match (value, args) {
            // What it takes depends on what it is given.
            (Some(Value::Builtin { name, .. }), [arg]) if name == "consume" => {
                vec![Arg::Piped(*arg, self.expr(*arg, Want::Any))]
            }
            _ => args.iter().map(|it| Arg::Written(*it)).collect(),
        };
        self.apply(expr, callee, (ty, value), args, hint, mark)
    }

    /// `x |> f` is `f(x)`.
    pub(super) fn pipe(&mut self, expr: ExprId, piped: (ExprId, &Ty), callee: ExprId) -> Ty {
        let mark = self.table.mark();
        let (ty, value) = match self.ast.expr(callee) {
            Expr::Lambda { .. } => {
                let result = self.table.fresh();
                let params = vec![piped.1.clone()];
                let expected = Ty::Fn(Arc::new(FnTy {
                    params,
                    result,
                    effects: Effects::PURE,
                    any_effects: true,
                }));
                (self.expr(callee, Want::Hint(&expected)), None)
            }
            _ => self.callee(callee, 1, None),
        };
        // `x |> f(y)` with an argument too few for `f`: what it would give says nothing about what was meant.
        let is_short = |it: &Diagnostic| it.code == Code::E2002 && it.node == callee.node();
        let ty = match self.findings.diagnostics.last() {
            Some(last) if is_short(last) => Ty::Error,
            _ => ty,
        };
        let args = vec![Arg::Piped(piped.0, piped.1.clone())];
        self.apply(expr, callee, (ty, value), args, None, mark)
    }

    fn callee(
        &mut self,
        callee: ExprId,
        n_args: usize,
        hint: Option<&Ty>,
    ) -> (Ty, Option<&'a Value>) {
        let (ty, value) = match self.ast.expr(callee) {
            Expr::Ident { name } => self.name(callee, name, hint, Some(n_args)),
            Expr::Field { object, field } => self.field(callee, *object, field, Some(n_args)),
            Expr::Hole { .. } => {
                let ty = self.expr(callee, Want::Any);
                self.hole_is_called();
                return (ty, None);
            }
            _ => return (self.expr(callee, Want::Any), None),
        };
        (self.set_type(callee.node(), &ty), value)
    }

    fn apply(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        (ty, value): (Ty, Option<&'a Value>),
        args: Vec<Arg>,
        hint: Option<&Ty>,
        mark: u32,
    ) -> Ty {
        let function = match self.table.base(&ty) {
            Ty::Fn(it) => it,
            Ty::Var(_) => {
                let params: Vec<Ty> = self.fresh_all(args.len());
                let result = self.table.fresh();
                let (effects, any_effects) = (Effects::PURE, false);
                let it = Arc::new(FnTy { params, result, effects, any_effects });
                self.flow(callee, &ty, &Ty::Fn(it.clone()), &Site::Other);
                it
            }
            other => {
                self.just_look(&args);
                if !matches!(other, Ty::Error | Ty::Never) {
                    self.report_not_callable(expr, callee, &other);
                }
                return if other == Ty::Never { Ty::Never } else { Ty::Error };
            }
        };
        if function.params.len() != args.len() {
            self.just_look(&args);
            self.report_arity(expr, callee, &function, &target(value), args.len());
            return self.table.close(&function.result, mark);
        }
        let function = self.adapted(value, function, &args);
        let target = target(value);
        if let Some(hint) = hint {
            self.table.push_expected(&function.result, hint);
        }
        let replacements = self.replacements(&target, &function, &args);
        let types = self.arguments(&function, &target, &args, &replacements);
        self.charge_call(expr.node(), &function, &types, value);
        self.special(expr, value, &args, &types);
        if let Some(condition) = target.precondition {
            let text = match &replacements {
                Some(all) => replace(&condition.text, all).map(|it| simplified(&it)),
                None => Some(condition.text.clone()),
            };
            let text = text.unwrap_or_else(|| condition.text.clone());
            self.goal(GoalKind::Precondition, expr, Site::Other, None, text);
        }
        if types.iter().any(|it| matches!(it, Ty::Never)) {
            return Ty::Never;
        }
        let result = match &replacements {
            Some(all) => replace_in_result(&function.result, all),
            None => function.result.clone(),
        };
        if let Some(Value::External { .. }) = value {
            self.host_gives(expr, &result);
        }
        self.table.close(&result, mark)
    }

    /// A function without parameters that is not called: what its `pre` asks, it asks here.
    pub(super) fn asks_at_once(&mut self, expr: ExprId, value: &Value) {
        if let Value::Fn { signature, .. } = value
            && signature.params.is_empty()
            && let Some(condition) = &signature.precondition
        {
            let text = condition.text.clone();
            self.goal(GoalKind::Precondition, expr, Site::Other, None, text);
        }
    }

    /// Arguments of a call that cannot be made sense of.
    fn just_look(&mut self, args: &[Arg]) {
        for arg in args {
            if let Arg::Written(expr) = arg {
                self.expr(*expr, Want::Any);
            }
        }
    }

    /// Builtins whose type says less than is known: `try` takes a function with any effects, `consume` takes an affine
    /// value too.
    fn adapted(&mut self, value: Option<&Value>, function: Arc<FnTy>, args: &[Arg]) -> Arc<FnTy> {
        let Some(Value::Builtin { name, .. }) = value else { return function };
        match (name.as_str(), &function.params[..], args) {
            ("try", [Ty::Fn(body)], _) => {
                let body = FnTy { any_effects: true, ..FnTy::clone(body) };
                let params = vec![Ty::Fn(Arc::new(body))];
                Arc::new(FnTy { params, ..FnTy::clone(&function) })
            }
            ("consume", [Ty::Adt(linear)], [arg]) => {
                let Arg::Piped(_, found) = arg else { return function };
                let found = self.table.base(found);
                let is_affine = matches!(found, Ty::Adt(it) if it.key.is_prelude("Affine"));
                if !is_affine {
                    return function;
                }
                let params = vec![Ty::adt(TypeKey::prelude("Affine"), linear.args.clone())];
                Arc::new(FnTy { params, ..FnTy::clone(&function) })
            }
            _ => function,
        }
    }

    /// What stands for the parameters in predicates and conditions: the arguments as they are written (row 9). `None`
    /// if there is nothing to replace.
    fn replacements(
        &self,
        target: &Callee<'_>,
        function: &FnTy,
        args: &[Arg],
    ) -> Option<Vec<Substitution>> {
        let is_needed = target.precondition.is_some()
            || function.params.iter().any(has_predicate)
            || has_predicate(&function.result);
        if !is_needed {
            return None;
        }
        let names = target.params.iter().map(|it| &it.0);
        Some(self.replacements_by(names.zip(args.iter().map(Arg::expr))))
    }

    /// Lambdas come last, so that the other arguments decide the types of their parameters.
    fn arguments(
        &mut self,
        function: &FnTy,
        target: &Callee<'_>,
        args: &[Arg],
        replacements: &Option<Vec<Substitution>>,
    ) -> Vec<Ty> {
        let mut types = vec![Ty::Error; args.len()];
        for lambdas in [false, true] {
            for (index, arg) in args.iter().enumerate() {
                let is_lambda = matches!(arg, Arg::Written(it) if matches!(self.ast.expr(*it), Expr::Lambda { .. }));
                if is_lambda != lambdas {
                    continue;
                }
                let expected = match replacements {
                    Some(all) => replace_in_type(&function.params[index], all),
                    None => function.params[index].clone(),
                };
                let site = argument_site(target, index);
                types[index] = match arg {
                    Arg::Written(expr) => self.expr(*expr, Want::Must(&expected, &site)),
                    Arg::Piped(expr, ty) => {
                        let tail = self.tail(*expr);
                        self.flow(tail, ty, &expected, &site);
                        ty.clone()
                    }
                };
            }
        }
        types
    }

    /// The effects of the call: the function's own, and those of functions that are passed to parameters that accept any
    /// (row 39).
    fn charge_call(&mut self, node: NodeId, function: &FnTy, types: &[Ty], value: Option<&Value>) {
        let mut effects = function.effects;
        let mut any_effects = function.any_effects;
        for (param, ty) in function.params.iter().zip(types) {
            if !matches!(param.base(), Ty::Fn(it) if it.any_effects) {
                continue;
            }
            if let Ty::Fn(it) = self.table.base(ty) {
                effects = effects.and(it.effects);
                any_effects |= it.any_effects;
            }
        }
        if matches!(value, Some(Value::Builtin { name, .. }) if name == "try") {
            effects = effects.without(Effects::ERR);
        }
        let in_predicate = self.frames.last().is_some_and(|it| it.kind == FrameKind::Predicate);
        if in_predicate && value.is_none() && effects.is_pure() {
            self.report_function_value(node);
            return;
        }
        self.charge(node, effects, any_effects);
    }

    /// Conversions take any integer, and the result must fit (row 51).
    fn special(&mut self, expr: ExprId, value: Option<&Value>, args: &[Arg], types: &[Ty]) {
        let Some(Value::Builtin { name, .. }) = value else { return };
        let (target, range) = match name.as_str() {
            "to_int" => (Prim::Int, None),
            "to_int32" => (Prim::Int32, Some(("-2147483648", "2147483647"))),
            "to_int64" => (Prim::Int64, Some(("-9223372036854775808", "9223372036854775807"))),
            _ => return,
        };
        let ([arg], [ty]) = (args, types) else { return };
        let found = match self.table.base(ty) {
            Ty::Prim(prim) if prim.is_integer() => prim,
            Ty::Error | Ty::Never => return,
            Ty::Var(_) => {
                self.flow(arg.expr(), ty, &Ty::INT, &Site::Other);
                Prim::Int
            }
            other => {
                let node = self.tail(arg.expr()).node();
                self.report_mismatch(node, &Ty::INT, &other);
                return;
            }
        };
        let is_wider = found != target && !(found == Prim::Int32 && target == Prim::Int64);
        if let Some((least, greatest)) = range
            && is_wider
        {
            let text = match operand_text(self.ast, arg.expr()) {
                Some(it) => format!("({it} >= {least} && {it} <= {greatest})"),
                None => format!("value | value >= {least} && value <= {greatest}"),
            };
            self.goal(GoalKind::Overflow, expr, Site::Operation, Some(Ty::Prim(target)), text);
        }
    }

    fn report_not_callable(&mut self, expr: ExprId, callee: ExprId, ty: &Ty) {
        let shown = self.show(ty);
        let what = super::wording::expr_text(self.ast, callee).unwrap_or_else(|| "this".to_owned());
        let message =
            format!("`{what}` is not a function: its type is `{}`", super::report::short(&shown));
        self.report(
            Diagnostic::new(Code::E2005, expr, message)
                .with(Structured::new("not_callable").member("actualType", shown.to_string())),
        );
    }

    fn report_arity(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        function: &FnTy,
        target: &Callee<'_>,
        n_args: usize,
    ) {
        let n_params = function.params.len();
        let what = super::wording::expr_text(self.ast, callee).unwrap_or_else(|| "this".to_owned());
        let given = if n_args == 1 { "1 is".to_owned() } else { format!("{n_args} are") };
        let message =
            format!("`{what}` takes {}, but {given} given", counted(n_params, "argument"));
        let is_pipe = matches!(self.ast.expr(expr), Expr::Binary { .. });
        let types: Vec<String> = match &*target.params {
            [] => function.params.iter().map(|it| self.show(it).to_string()).collect(),
            declared => declared.iter().map(|it| it.1.to_string()).collect(),
        };
        let mut structured = Structured::new("arity_mismatch")
            .member("expected", n_params.to_string())
            .member("actual", n_args.to_string());
        if !is_pipe {
            structured = structured.member("param_types", types.clone());
        }
        let diagnostic = Diagnostic::new(Code::E2002, expr, message).with(structured);
        self.report(diagnostic.help(format!("it is `({}) -> …`", types.join(", "))));
    }
}

fn target(value: Option<&Value>) -> Callee<'_> {
    let Some(value) = value else { return Callee::default() };
    let resolution = super::name::meaning(value);
    let (params, precondition) = match value {
        Value::Fn { signature, .. } => (&signature.params[..], signature.precondition.as_ref()),
        Value::External { signature, .. } | Value::Builtin { signature, .. } => {
            (&signature.params[..], None)
        }
        Value::Record { def } => match &def.shape {
            TypeBody::Record(fields) => (&fields[..], None),
            _ => (&[][..], None),
        },
        Value::Variant { def, variant } => {
            let params = Cow::Owned(variant_params(def, *variant));
            return Callee { resolution, params, precondition: None };
        }
        Value::Module { .. } | Value::HostModule { .. } | Value::Unknown => (&[][..], None),
    };
    Callee { resolution, params: Cow::Borrowed(params), precondition }
}

/// The type of a function or constructor that is not called here: what its parameters will be is not known.
pub(super) fn uncalled(value: &Value, ty: Ty) -> Ty {
    let ty = match (target(Some(value)).precondition, ty) {
        (Some(condition), Ty::Fn(it)) => asking(&it, condition),
        (_, ty) => ty,
    };
    if !has_predicate(&ty) {
        return ty;
    }
    let unknown = |(name, _): &(Name, Ty)| Substitution {
        names: vec![(name.clone(), Meaning::Unclear)],
        ..Substitution::renaming(name, name)
    };
    let unknown: Vec<Substitution> = target(Some(value)).params.iter().map(unknown).collect();
    replace_in_type(&ty, &unknown)
}

/// The type of a function that asks of its arguments what its `pre` does.
fn asking(function: &FnTy, condition: &Condition) -> Ty {
    let mut params = function.params.clone();
    for (place, predicate) in condition.asked.iter() {
        if let Some(param) = params.get_mut(*place) {
            *param = refined(param.clone(), vec![predicate.clone()]);
        }
    }
    Ty::Fn(Arc::new(FnTy { params, ..function.clone() }))
}

/// The fields of a variant; those without a name are called by their position.
fn variant_params(def: &TypeDef, variant: u32) -> Vec<(Name, Ty)> {
    let TypeBody::Sum(variants) = &def.shape else { return Vec::new() };
    let fields = variants.get(variant as usize).map(|it| &it.fields[..]).unwrap_or_default();
    let fields = fields.iter().enumerate();
    fields
        .map(|(index, (name, ty))| {
            (name.clone().unwrap_or_else(|| Name::from(format!("_{index}"))), ty.clone())
        })
        .collect()
}

/// An argument is checked by the callee if the callee says what it must satisfy; if only this call's type arguments say
/// so, it must be checked here.
fn argument_site(target: &Callee<'_>, index: usize) -> Site {
    let is_declared = target.params.get(index).is_some_and(|it| match &it.1 {
        Ty::Refined(it) => !matches!(it.base, Ty::Param(_)),
        ty => *ty == Ty::NAT,
    });
    match &target.resolution {
        Some(resolution) if is_declared => {
            Site::Argument { callee: Some(resolution.clone()), index: index as u32 }
        }
        _ => Site::Other,
    }
}
