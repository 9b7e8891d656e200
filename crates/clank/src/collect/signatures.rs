//! The third pass: the signatures of functions.

use std::sync::Arc;

use clank_syntax::ast::{
    Ast, BinaryOp, Decl, Expr, ExprId, ExternalFn, FnDecl, Name, NodeId, ParamId, TypeId,
    TypeParamId,
};

use super::Collector;
use super::kept::kept_params;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::env::{Condition, Env, Signature, Value};
use crate::resolve::{Binder, Findings, TypePosition, TypeScope, one_line};
use crate::ty::{FnTy, Meaning, Predicate, Ty};

impl Collector<'_> {
    pub(super) fn declare_signatures(&mut self) {
        let ast = self.ast;
        for decl in ast.declarations() {
            match ast.decl(*decl) {
                Decl::Fn(it) => self.declare_fn(decl.node(), it),
                Decl::ExternalFn(it) => {
                    let value = self.external(decl.node(), it, None);
                    self.bind_value(&it.name, decl.node(), value);
                }
                Decl::ExternalMod { name, functions, .. } => {
                    let functions = functions.iter().filter_map(|it| match ast.decl(*it) {
                        Decl::ExternalFn(function) => Some((it.node(), function)),
                        _ => None,
                    });
                    self.distinct(
                        functions.clone().map(|(node, it)| (&it.name, node)),
                        "the function",
                    );
                    let is_meant = self.is_value(name, decl.node());
                    for (node, function) in functions {
                        let value = self.external(node, function, Some(name));
                        if is_meant {
                            let key = (name.clone(), function.name.clone());
                            self.env.host.entry(key).or_insert(value);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn declare_fn(&mut self, node: NodeId, it: &FnDecl) {
        self.check_params(&it.type_params, &it.params);
        let signature = Arc::new(function_signature(self.ast, &self.env, it, &mut self.findings));
        self.env.signatures.insert(node, Arc::clone(&signature));
        let value =
            Value::Fn { module: self.env.module.clone(), name: it.name.clone(), node, signature };
        self.bind_value(&it.name, node, value);
    }

    /// Row 34: an external function has exactly the effects that it declares.
    fn external(&mut self, node: NodeId, it: &ExternalFn, namespace: Option<&Name>) -> Value {
        self.check_params(&it.type_params, &it.params);
        self.check_host_text(node, it, namespace.is_some());
        let head = Head {
            type_params: &it.type_params,
            params: &it.params,
            return_type: it.return_type,
            precondition: None,
            postcondition: None,
        };
        let signature = Arc::new(signature(self.ast, &self.env, &head, &mut self.findings));
        self.env.signatures.insert(node, Arc::clone(&signature));
        Value::External {
            module: self.env.module.clone(),
            namespace: namespace.cloned(),
            name: it.name.clone(),
            node,
            signature,
        }
    }

    /// Row 44: an external is one expression of the host, or the name of a function of its module.
    fn check_host_text(&mut self, node: NodeId, it: &ExternalFn, is_member: bool) {
        let message = if is_member {
            if crate::host::is_name(&it.js_name) {
                return;
            }
            format!("`{}` does not name a host function", it.js_name)
        } else {
            let Some(fault) = crate::host::fault(&it.js_name) else { return };
            format!("the external `{}` is not one JavaScript expression: {fault}", it.name)
        };
        let diagnostic = Diagnostic::new(Code::E0001, node, message);
        self.findings.diagnostics.push(diagnostic.with(Structured::new("syntax_error")));
    }

    fn check_params(&mut self, type_params: &[TypeParamId], params: &[ParamId]) {
        let ast = self.ast;
        self.constrained_type_params(type_params);
        self.distinct(params.iter().map(|it| (&ast.param(*it).name, it.node())), "the parameter");
    }
}

/// The parts of a declaration that make its signature.
struct Head<'a> {
    type_params: &'a [TypeParamId],
    params: &'a [ParamId],
    return_type: TypeId,
    precondition: Option<ExprId>,
    postcondition: Option<ExprId>,
}

/// The signature of a function that is declared with a body.
pub(crate) fn function_signature(
    ast: &Ast,
    env: &Env,
    it: &FnDecl,
    out: &mut Findings,
) -> Signature {
    let head = Head {
        type_params: &it.type_params,
        params: &it.params,
        return_type: it.return_type,
        precondition: it.precondition,
        postcondition: it.postcondition,
    };
    let mut signature = signature(ast, env, &head, out);
    keep_pure(ast, it.body, &mut signature);
    signature
}

/// A function that is stored or returned must be pure (row 39).
fn keep_pure(ast: &Ast, body: ExprId, signature: &mut Signature) {
    let accepts_any = |ty: &Ty| matches!(ty, Ty::Fn(it) if it.any_effects);
    let params = signature.params.iter().filter(|it| accepts_any(&it.1));
    let params: Vec<Name> = params.map(|it| it.0.clone()).collect();
    if params.is_empty() {
        return;
    }
    let kept = kept_params(ast, body, &params);
    for (name, ty) in &mut signature.params {
        if let Ty::Fn(it) = ty
            && kept.contains(name)
        {
            *ty = Ty::Fn(Arc::new(FnTy { any_effects: false, ..FnTy::clone(it) }));
        }
    }
}

/// Predicates may mention every parameter, whatever the order.
fn signature(ast: &Ast, env: &Env, head: &Head<'_>, out: &mut Findings) -> Signature {
    let type_params: Vec<Name> =
        head.type_params.iter().map(|it| ast.type_param(*it).name.clone()).collect();
    let scope = TypeScope { ast, env, type_params: &type_params };
    let in_scope = |name: &str| {
        let param = head.params.iter().find(|it| ast.param(**it).name == name)?;
        Some(Meaning::Fixed(env.module.clone(), param.node()))
    };
    let params = head
        .params
        .iter()
        .map(|it| {
            let param = ast.param(*it);
            let binder = Binder {
                name: Some(&param.name),
                position: TypePosition::Parameter,
                in_scope: &in_scope,
            };
            (param.name.clone(), scope.resolve(param.ty, binder, out))
        })
        .collect();
    let (result, effects, raises) = scope.resolve_result(head.return_type, &in_scope, out);
    let asked = |expr| asked_by(&scope, head.params, expr, &in_scope).into();
    let condition = |expr: ExprId, asked| Condition { text: one_line(ast, expr), expr, asked };
    let precondition = head.precondition.map(|it| condition(it, asked(it)));
    let postcondition = head.postcondition.map(|it| condition(it, Arc::default()));
    Signature { params, result, effects, raises, precondition, postcondition, type_params }
}

/// What `pre` asks of each parameter, by its place.
fn asked_by(
    scope: &TypeScope<'_>,
    params: &[ParamId],
    condition: ExprId,
    in_scope: &dyn Fn(&str) -> Option<Meaning>,
) -> Vec<(usize, Predicate)> {
    let Some(last) = params.len().checked_sub(1) else { return Vec::new() };
    let mut parts = Vec::new();
    let mut waiting = vec![condition];
    while let Some(expr) = waiting.pop() {
        if let Expr::Binary { op: BinaryOp::And, left, right } = scope.ast.expr(expr) {
            waiting.extend([*right, *left]);
            continue;
        }
        let named = scope.meanings(expr, &Name::default(), in_scope);
        let is_named = |it: &ParamId| named.iter().any(|name| name.0 == scope.ast.param(*it).name);
        let place = params.iter().rposition(is_named).unwrap_or(last);
        let variable = scope.ast.param(params[place]).name.clone();
        let predicate = Predicate {
            text: one_line(scope.ast, expr),
            module: scope.env.module.clone(),
            expr,
            names: scope.meanings(expr, &variable, in_scope),
            given: None,
            variable,
        };
        parts.push((place, predicate));
    }
    parts
}
