//! Lambdas, the checks where a function is entered, and `?`, which leaves one.

use clank::ty::Ty;
use clank_syntax::ast::{ExprId, LambdaParamId, NodeId};

use super::{Around, Goes, Lower};
use crate::tree::{Arrow, ArrowBody, Expr, JsBlock, Stmt, StmtKind};

impl Lower<'_, '_> {
    pub(super) fn lambda(&mut self, id: ExprId, params: &[LambdaParamId], body: ExprId) -> Expr {
        let Ty::Fn(ty) = self.ty(id).base() else { return Expr::undefined() };
        let result = (ty.result.base() != &Ty::UNIT).then(|| ty.result.clone());
        let around = Around { result, postcondition: None };
        let around = std::mem::replace(&mut self.around, around);
        let frames = std::mem::take(&mut self.frames);
        self.scopes.enter();
        let ast = self.at.ast;
        let mut names = Vec::new();
        let mut checks = Vec::new();
        for (index, param) in params.iter().enumerate() {
            let written = ast.lambda_param(*param);
            let name = if written.name == "_" { "_unused" } else { written.name.as_str() };
            let name = self.declare(name);
            self.at.locals.insert(param.node(), Expr::ident(name.clone()));
            let ty = ty.params.get(index).unwrap_or(&Ty::Error);
            checks.push((name.clone(), ty, param.node()));
            names.push((name, Some(self.cx.ts(ty))));
        }
        let is_simple = !self.at.facts.needs_statements(body);
        let captured = self.capture(|this| {
            for (name, ty, node) in checks {
                this.check_param(&name, ty, node);
            }
            match is_simple && this.out.is_empty() {
                true => Some(this.value(body)),
                false => {
                    this.goes(body, Goes::Return(Vec::new()));
                    None
                }
            }
        });
        self.scopes.leave();
        self.around = around;
        self.frames = frames;
        let result = match ty.result.base() {
            Ty::Prim(_) | Ty::Param(_) | Ty::Never | Ty::Var(_) | Ty::Error => None,
            _ => Some(self.cx.ts(&ty.result)),
        };
        let body = match captured.value {
            Some(value) if captured.statements.is_empty() => ArrowBody::Expr(value),
            Some(value) => {
                let mut statements = captured.statements;
                if !captured.is_dead {
                    let kind = StmtKind::Return(Some(value));
                    statements.push(Stmt { kind, origin: None });
                }
                ArrowBody::Block(JsBlock(statements))
            }
            None => {
                let mut block = JsBlock(captured.statements);
                if ty.result.base() == &Ty::UNIT {
                    super::stmt::strip_returns(&mut block.0);
                }
                ArrowBody::Block(block)
            }
        };
        Expr::arrow(Arrow { params: names, result, body })
    }

    /// Checks what the type of a parameter asks for. A type of fixed width asks for nothing: no value becomes one without a
    /// check.
    pub(crate) fn check_param(&mut self, name: &str, ty: &Ty, node: NodeId) {
        let origin = self.origin(node);
        let value = Expr::ident(name);
        if ty.base() == &Ty::NAT {
            let call = self.cx.call("nat", vec![value.clone()], origin);
            self.push(StmtKind::Expr(call), origin);
        }
        if let Ty::Refined(refined) = ty {
            for predicate in &refined.predicates {
                self.check_predicate(&value, predicate, None, origin);
            }
        }
    }

    /// `e?`: the failing value is returned or raised.
    pub(super) fn propagate(&mut self, id: ExprId, operand: ExprId) -> Expr {
        let ty = self.ty(operand);
        let is_option = matches!(ty.base(), Ty::Adt(adt) if adt.key.is_prelude("Option"));
        let origin = self.origin(id);
        let value = self.value(operand);
        let name = if is_option { "option" } else { "result" };
        let value = self.keep_unless_stable(value, name, origin);
        let tag = if is_option { "None" } else { "Err" };
        // TypeScript refuses to ask again what it knows from the first time.
        let is_asked = !self.asked.insert(format!("{:?}", value.kind));
        let fails = match (is_asked, is_option) {
            (false, _) => Expr::binary("===", value.clone().member("tag"), Expr::str(tag)),
            (true, true) => self.cx.call("isNone", vec![value.clone()], None),
            (true, false) => self.cx.call("isErr", vec![value.clone()], None),
        };
        let leave = match is_option {
            _ if self.returns_failure(ty) => StmtKind::Return(Some(value.clone())),
            true => StmtKind::Expr(self.cx.call("raise", vec![Expr::str("None")], origin)),
            false => {
                let mut args = vec![value.clone().member("error")];
                if let Ty::Adt(adt) = ty.base()
                    && let Some(error) = adt.args.get(1)
                {
                    if is_asked {
                        let failed = format!("{{ error: {} }}", self.cx.ts(error));
                        args = vec![value.clone().typed(failed).member("error")];
                    }
                    args.extend(self.cx.show_shape(error));
                }
                StmtKind::Expr(self.cx.call("raise", args, origin))
            }
        };
        let leave = Stmt { kind: leave, origin };
        let branches = vec![(fails, JsBlock(vec![leave]))];
        self.push(StmtKind::If { branches, otherwise: None }, origin);
        value.member("value")
    }

    /// Whether the function around returns an Option or a Result like the operand of `?`, which then returns.
    fn returns_failure(&self, operand: &Ty) -> bool {
        match (self.around.result.as_ref().map(Ty::base), operand.base()) {
            (Some(Ty::Adt(result)), Ty::Adt(operand)) => result.key == operand.key,
            _ => false,
        }
    }
}
