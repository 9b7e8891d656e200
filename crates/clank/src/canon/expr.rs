//! Expressions, where the sugar is.

use clank_syntax::ast::{
    Arm, ArmId, BinaryOp, Expr, ExprId, FieldInit, FieldInitId, LambdaParamId, Literal, Name,
    NodeId, TemplatePart,
};
use clank_syntax::with_stack;

use super::Canon;

impl Canon<'_> {
    pub(super) fn expr(&mut self, id: ExprId) -> ExprId {
        with_stack(|| {
            let new = self.desugared(id);
            let span = self.place(id.into());
            let new = self.builder.expr(new, span);
            self.keep(id.into(), new.into());
            new
        })
    }

    fn desugared(&mut self, id: ExprId) -> Expr {
        match self.ast.expr(id) {
            Expr::Binary { op: BinaryOp::Pipe, left, right } => {
                let callee = self.expr(*right);
                Expr::Call { callee, args: Box::new([self.expr(*left)]) }
            }
            Expr::RecordLit { name, fields } => match self.constructor_args(name, fields) {
                Some(args) => {
                    let callee = self.path(name, id.into());
                    let args = self.exprs(&args);
                    Expr::Call { callee, args }
                }
                None => Expr::RecordLit { name: name.clone(), fields: self.fields(fields) },
            },
            Expr::If { condition, then_branch, else_branch } => {
                let condition = self.expr(*condition);
                let then_branch = self.expr(*then_branch);
                let else_branch = match else_branch {
                    Some(it) => self.expr(*it),
                    None => {
                        let unit = self.unit(id.into());
                        let span = self.place(id.into());
                        let block = Expr::Block { statements: Box::new([]), expr: Some(unit) };
                        self.builder.expr(block, span)
                    }
                };
                Expr::If { condition, then_branch, else_branch: Some(else_branch) }
            }
            Expr::Block { statements, expr } => {
                let is_empty = statements.is_empty() && expr.is_none();
                let statements = statements.iter().map(|it| self.stmt(*it)).collect();
                let expr = match expr {
                    Some(it) => Some(self.expr(*it)),
                    None => is_empty.then(|| self.unit(id.into())),
                };
                Expr::Block { statements, expr }
            }
            other => self.copied(other),
        }
    }

    /// An expression that is not sugar itself, with its parts desugared.
    fn copied(&mut self, expr: &Expr) -> Expr {
        match expr {
            Expr::Template { parts } => {
                let parts = parts.iter().map(|it| match it {
                    TemplatePart::Text(text) => TemplatePart::Text(text.clone()),
                    TemplatePart::Expr(expr) => TemplatePart::Expr(self.expr(*expr)),
                });
                Expr::Template { parts: parts.collect() }
            }
            Expr::Unary { op, operand } => Expr::Unary { op: *op, operand: self.expr(*operand) },
            Expr::Binary { op, left, right } => {
                let left = self.expr(*left);
                Expr::Binary { op: *op, left, right: self.expr(*right) }
            }
            Expr::Call { callee, args } => {
                let callee = self.expr(*callee);
                Expr::Call { callee, args: self.exprs(args) }
            }
            Expr::Index { object, index } => {
                let object = self.expr(*object);
                Expr::Index { object, index: self.expr(*index) }
            }
            Expr::Field { object, field } => {
                Expr::Field { object: self.expr(*object), field: field.clone() }
            }
            Expr::Lambda { params, body } => {
                let params = params.iter().map(|it| self.lambda_param(*it)).collect();
                Expr::Lambda { params, body: self.expr(*body) }
            }
            Expr::Match { scrutinee, arms } => {
                let scrutinee = self.expr(*scrutinee);
                let arms = arms.iter().map(|it| self.arm(*it)).collect();
                Expr::Match { scrutinee, arms }
            }
            Expr::Array { elements } => Expr::Array { elements: self.exprs(elements) },
            Expr::Tuple { elements } => Expr::Tuple { elements: self.exprs(elements) },
            Expr::Record { fields } => Expr::Record { fields: self.fields(fields) },
            Expr::Range { start, end, inclusive } => {
                let start = self.expr(*start);
                Expr::Range { start, end: self.expr(*end), inclusive: *inclusive }
            }
            Expr::Propagate { expr } => Expr::Propagate { expr: self.expr(*expr) },
            leaf => leaf.clone(),
        }
    }

    fn unit(&mut self, at: NodeId) -> ExprId {
        let span = self.place(at);
        self.builder.expr(Expr::Literal(Literal::Unit), span)
    }

    /// A name, or a name of a module.
    fn path(&mut self, name: &Name, at: NodeId) -> ExprId {
        let span = self.place(at);
        match name.rsplit_once('.') {
            None => self.builder.expr(Expr::Ident { name: name.clone() }, span),
            Some((module, field)) => {
                let object = self.path(&Name::new(module), at);
                self.builder.expr(Expr::Field { object, field: Name::new(field) }, span)
            }
        }
    }

    /// The arguments of the constructor for a literal that has every field once, if evaluating them in the constructor's
    /// order is not a change.
    fn constructor_args(&self, name: &str, fields: &[FieldInitId]) -> Option<Vec<ExprId>> {
        let declared = self.record_fields(name)?;
        if declared.len() != fields.len() {
            return None;
        }
        let args = declared.iter().map(|name| {
            let mut named = fields.iter().filter(|it| self.ast.field_init(**it).name == *name);
            match (named.next(), named.next()) {
                (Some(only), None) => Some(self.ast.field_init(*only).value),
                _ => None,
            }
        });
        let args: Vec<ExprId> = args.collect::<Option<_>>()?;
        let is_ordered = args.is_sorted();
        let is_simple = |it: &ExprId| {
            matches!(
                self.ast.expr(*it),
                Expr::Literal(_) | Expr::Ident { .. } | Expr::Lambda { .. }
            )
        };
        (is_ordered || args.iter().all(is_simple)).then_some(args)
    }

    fn fields(&mut self, ids: &[FieldInitId]) -> Box<[FieldInitId]> {
        let copy = |it: &FieldInitId| {
            let field = self.ast.field_init(*it);
            let field = FieldInit { name: field.name.clone(), value: self.expr(field.value) };
            let span = self.place((*it).into());
            let new = self.builder.field_init(field, span);
            self.keep((*it).into(), new.into());
            new
        };
        ids.iter().map(copy).collect()
    }

    fn lambda_param(&mut self, id: LambdaParamId) -> LambdaParamId {
        let mut param = self.ast.lambda_param(id).clone();
        param.ty = param.ty.map(|it| self.ty(it));
        let span = self.place(id.into());
        let new = self.builder.lambda_param(param, span);
        self.keep(id.into(), new.into());
        new
    }

    fn arm(&mut self, id: ArmId) -> ArmId {
        let arm = self.ast.arm(id);
        let pattern = self.pattern(arm.pattern);
        let guard = arm.guard.map(|it| self.expr(it));
        let body = self.expr(arm.body);
        let span = self.place(id.into());
        let new = self.builder.arm(Arm { pattern, guard, body }, span);
        self.keep(id.into(), new.into());
        new
    }
}
