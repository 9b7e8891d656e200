//! The places in a node that hold its children, to put others there.

use super::{AstKind, Decl, Expr, NodeId, Pattern, Stmt, TemplatePart, Type};

/// Calls `visit` with every place that holds a child, in the order in which they are written. What is put there must be
/// of the category of what was there.
pub(crate) fn for_each_slot(kind: &mut AstKind, visit: &mut dyn FnMut(&mut NodeId)) {
    match kind {
        AstKind::Program(it) => it.declarations.iter_mut().for_each(|it| visit(&mut it.0)),
        AstKind::Decl(it) => decl(it, visit),
        AstKind::Stmt(it) => stmt(it, visit),
        AstKind::Expr(it) => expr(it, visit),
        AstKind::Type(it) => ty(it, visit),
        AstKind::Pattern(it) => pattern(it, visit),
        AstKind::Param(it) => visit(&mut it.ty.0),
        AstKind::LambdaParam(it) => it.ty.iter_mut().for_each(|it| visit(&mut it.0)),
        AstKind::TypeParam(it) => it.constraint.iter_mut().for_each(|it| visit(&mut it.0)),
        AstKind::Field(it) => visit(&mut it.ty.0),
        AstKind::Variant(it) => it.fields.iter_mut().for_each(|it| visit(&mut it.0)),
        AstKind::VariantField(it) => visit(&mut it.ty.0),
        AstKind::Arm(it) => {
            visit(&mut it.pattern.0);
            it.guard.iter_mut().for_each(|it| visit(&mut it.0));
            visit(&mut it.body.0);
        }
        AstKind::FieldInit(it) => visit(&mut it.value.0),
        AstKind::FieldPattern(it) => it.pattern.iter_mut().for_each(|it| visit(&mut it.0)),
    }
}

fn decl(it: &mut Decl, visit: &mut dyn FnMut(&mut NodeId)) {
    match it {
        Decl::Fn(it) => {
            it.type_params.iter_mut().for_each(|it| visit(&mut it.0));
            it.params.iter_mut().for_each(|it| visit(&mut it.0));
            visit(&mut it.return_type.0);
            it.precondition.iter_mut().for_each(|it| visit(&mut it.0));
            it.postcondition.iter_mut().for_each(|it| visit(&mut it.0));
            visit(&mut it.body.0);
        }
        Decl::ExternalFn(it) => {
            it.type_params.iter_mut().for_each(|it| visit(&mut it.0));
            it.params.iter_mut().for_each(|it| visit(&mut it.0));
            visit(&mut it.return_type.0);
        }
        Decl::ExternalMod { functions, .. } => {
            functions.iter_mut().for_each(|it| visit(&mut it.0));
        }
        Decl::TypeAlias { type_params, ty, .. } => {
            type_params.iter_mut().for_each(|it| visit(&mut it.0));
            visit(&mut ty.0);
        }
        Decl::Rec { type_params, fields, .. } => {
            type_params.iter_mut().for_each(|it| visit(&mut it.0));
            fields.iter_mut().for_each(|it| visit(&mut it.0));
        }
        Decl::Sum { type_params, variants, .. } => {
            type_params.iter_mut().for_each(|it| visit(&mut it.0));
            variants.iter_mut().for_each(|it| visit(&mut it.0));
        }
        Decl::Mod { .. } | Decl::Use(_) | Decl::Error { .. } => {}
    }
}

fn stmt(it: &mut Stmt, visit: &mut dyn FnMut(&mut NodeId)) {
    match it {
        Stmt::Let { pattern, ty, init, mutable: _ } => {
            visit(&mut pattern.0);
            ty.iter_mut().for_each(|it| visit(&mut it.0));
            visit(&mut init.0);
        }
        Stmt::Assign { target, value } => {
            visit(&mut target.0);
            visit(&mut value.0);
        }
        Stmt::Expr { expr } => visit(&mut expr.0),
        Stmt::For { pattern, iterable, body } => {
            visit(&mut pattern.0);
            visit(&mut iterable.0);
            visit(&mut body.0);
        }
        Stmt::While { condition, body } => {
            visit(&mut condition.0);
            visit(&mut body.0);
        }
        Stmt::Loop { body } => visit(&mut body.0),
        Stmt::Return { value } => value.iter_mut().for_each(|it| visit(&mut it.0)),
        Stmt::Break | Stmt::Continue => {}
        Stmt::Assert { condition, message: _ } => visit(&mut condition.0),
    }
}

fn expr(it: &mut Expr, visit: &mut dyn FnMut(&mut NodeId)) {
    match it {
        Expr::Literal(_) | Expr::Ident { .. } | Expr::Hole { .. } | Expr::Error { .. } => {}
        Expr::Template { parts } => {
            for part in parts {
                if let TemplatePart::Expr(expr) = part {
                    visit(&mut expr.0);
                }
            }
        }
        Expr::Unary { operand, .. } => visit(&mut operand.0),
        Expr::Binary { left, right, .. } => {
            visit(&mut left.0);
            visit(&mut right.0);
        }
        Expr::Call { callee, args } => {
            visit(&mut callee.0);
            args.iter_mut().for_each(|it| visit(&mut it.0));
        }
        Expr::Index { object, index } => {
            visit(&mut object.0);
            visit(&mut index.0);
        }
        Expr::Field { object, .. } => visit(&mut object.0),
        Expr::Lambda { params, body } => {
            params.iter_mut().for_each(|it| visit(&mut it.0));
            visit(&mut body.0);
        }
        Expr::If { condition, then_branch, else_branch } => {
            visit(&mut condition.0);
            visit(&mut then_branch.0);
            else_branch.iter_mut().for_each(|it| visit(&mut it.0));
        }
        Expr::Match { scrutinee, arms } => {
            visit(&mut scrutinee.0);
            arms.iter_mut().for_each(|it| visit(&mut it.0));
        }
        Expr::Block { statements, expr } => {
            statements.iter_mut().for_each(|it| visit(&mut it.0));
            expr.iter_mut().for_each(|it| visit(&mut it.0));
        }
        Expr::Array { elements } | Expr::Tuple { elements } => {
            elements.iter_mut().for_each(|it| visit(&mut it.0));
        }
        Expr::Record { fields } | Expr::RecordLit { fields, .. } => {
            fields.iter_mut().for_each(|it| visit(&mut it.0));
        }
        Expr::Range { start, end, .. } => {
            visit(&mut start.0);
            visit(&mut end.0);
        }
        Expr::Propagate { expr } => visit(&mut expr.0),
    }
}

fn ty(it: &mut Type, visit: &mut dyn FnMut(&mut NodeId)) {
    match it {
        Type::Named { args, .. } => args.iter_mut().for_each(|it| visit(&mut it.0)),
        Type::Array { element } => visit(&mut element.0),
        Type::Tuple { elements } => elements.iter_mut().for_each(|it| visit(&mut it.0)),
        Type::Function { params, result } => {
            params.iter_mut().for_each(|it| visit(&mut it.0));
            visit(&mut result.0);
        }
        Type::Refined { base, predicate, .. } => {
            visit(&mut base.0);
            visit(&mut predicate.0);
        }
        Type::Effect { effects, result } => {
            effects.iter_mut().for_each(|it| visit(&mut it.0));
            visit(&mut result.0);
        }
        Type::Record { fields, .. } => fields.iter_mut().for_each(|it| visit(&mut it.0)),
        Type::Error { .. } => {}
    }
}

fn pattern(it: &mut Pattern, visit: &mut dyn FnMut(&mut NodeId)) {
    match it {
        Pattern::Wildcard | Pattern::Ident { .. } | Pattern::Literal(_) | Pattern::Error { .. } => {
        }
        Pattern::Tuple { elements } => elements.iter_mut().for_each(|it| visit(&mut it.0)),
        Pattern::Record { fields } => fields.iter_mut().for_each(|it| visit(&mut it.0)),
        Pattern::Variant { payload, .. } => payload.iter_mut().for_each(|it| visit(&mut it.0)),
    }
}
