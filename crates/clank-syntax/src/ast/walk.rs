//! The children of a node, in the order in which they are written.

use super::{Ast, AstKind, Decl, Expr, NodeId, Pattern, Stmt, TemplatePart, Type};

impl Ast {
    /// Calls `visit` with every child of a node, in the order in which they are written.
    pub fn for_each_child(&self, id: NodeId, visit: &mut dyn FnMut(NodeId)) {
        for_each_child(&self.node(id).kind, visit);
    }

    /// The children of a node, in the order in which they are written.
    pub fn children(&self, id: impl Into<NodeId>) -> Vec<NodeId> {
        let mut children = Vec::new();
        self.for_each_child(id.into(), &mut |it| children.push(it));
        children
    }

    /// The parent of every node, by node; the program and what is not in its tree have none.
    pub fn parents(&self) -> Vec<Option<NodeId>> {
        let mut parents = vec![None; self.nodes().len()];
        for index in 0..self.nodes().len() {
            let parent = NodeId(index as u32);
            self.for_each_child(parent, &mut |child| parents[child.index()] = Some(parent));
        }
        parents
    }
}

/// Calls `visit` with every child that a node has.
pub(crate) fn for_each_child(kind: &AstKind, visit: &mut dyn FnMut(NodeId)) {
    match kind {
        AstKind::Program(it) => each(&it.declarations, visit),
        AstKind::Decl(it) => decl(it, visit),
        AstKind::Stmt(it) => stmt(it, visit),
        AstKind::Expr(it) => expr(it, visit),
        AstKind::Type(it) => ty(it, visit),
        AstKind::Pattern(it) => pattern(it, visit),
        AstKind::Param(it) => visit(it.ty.into()),
        AstKind::LambdaParam(it) => each(&it.ty, visit),
        AstKind::TypeParam(it) => each(&it.constraint, visit),
        AstKind::Field(it) => visit(it.ty.into()),
        AstKind::Variant(it) => each(&it.fields, visit),
        AstKind::VariantField(it) => visit(it.ty.into()),
        AstKind::Arm(it) => {
            visit(it.pattern.into());
            each(&it.guard, visit);
            visit(it.body.into());
        }
        AstKind::FieldInit(it) => visit(it.value.into()),
        AstKind::FieldPattern(it) => each(&it.pattern, visit),
    }
}

fn each<'a, T: Copy + Into<NodeId> + 'a>(
    children: impl IntoIterator<Item = &'a T>,
    visit: &mut dyn FnMut(NodeId),
) {
    for child in children {
        visit((*child).into());
    }
}

fn decl(it: &Decl, visit: &mut dyn FnMut(NodeId)) {
    match it {
        Decl::Fn(it) => {
            each(&it.type_params, visit);
            each(&it.params, visit);
            visit(it.return_type.into());
            each(&it.precondition, visit);
            each(&it.postcondition, visit);
            visit(it.body.into());
        }
        Decl::ExternalFn(it) => {
            each(&it.type_params, visit);
            each(&it.params, visit);
            visit(it.return_type.into());
        }
        Decl::ExternalMod { functions, .. } => each(functions, visit),
        Decl::TypeAlias { type_params, ty, .. } => {
            each(type_params, visit);
            visit((*ty).into());
        }
        Decl::Rec { type_params, fields, .. } => {
            each(type_params, visit);
            each(fields, visit);
        }
        Decl::Sum { type_params, variants, .. } => {
            each(type_params, visit);
            each(variants, visit);
        }
        Decl::Mod { .. } | Decl::Use(_) | Decl::Error { .. } => {}
    }
}

fn stmt(it: &Stmt, visit: &mut dyn FnMut(NodeId)) {
    match it {
        Stmt::Let { pattern, ty, init, mutable: _ } => {
            visit((*pattern).into());
            each(ty, visit);
            visit((*init).into());
        }
        Stmt::Assign { target, value } => {
            visit((*target).into());
            visit((*value).into());
        }
        Stmt::Expr { expr } => visit((*expr).into()),
        Stmt::For { pattern, iterable, body } => {
            visit((*pattern).into());
            visit((*iterable).into());
            visit((*body).into());
        }
        Stmt::While { condition, body } => {
            visit((*condition).into());
            visit((*body).into());
        }
        Stmt::Loop { body } => visit((*body).into()),
        Stmt::Return { value } => each(value, visit),
        Stmt::Break | Stmt::Continue => {}
        Stmt::Assert { condition, message: _ } => visit((*condition).into()),
    }
}

fn expr(it: &Expr, visit: &mut dyn FnMut(NodeId)) {
    match it {
        Expr::Literal(_) | Expr::Ident { .. } | Expr::Hole { .. } | Expr::Error { .. } => {}
        Expr::Template { parts } => {
            for part in parts {
                if let TemplatePart::Expr(expr) = part {
                    visit((*expr).into());
                }
            }
        }
        Expr::Unary { operand, .. } => visit((*operand).into()),
        Expr::Binary { left, right, .. } => {
            visit((*left).into());
            visit((*right).into());
        }
        Expr::Call { callee, args } => {
            visit((*callee).into());
            each(args, visit);
        }
        Expr::Index { object, index } => {
            visit((*object).into());
            visit((*index).into());
        }
        Expr::Field { object, .. } => visit((*object).into()),
        Expr::Lambda { params, body } => {
            each(params, visit);
            visit((*body).into());
        }
        Expr::If { condition, then_branch, else_branch } => {
            visit((*condition).into());
            visit((*then_branch).into());
            each(else_branch, visit);
        }
        Expr::Match { scrutinee, arms } => {
            visit((*scrutinee).into());
            each(arms, visit);
        }
        Expr::Block { statements, expr } => {
            each(statements, visit);
            each(expr, visit);
        }
        Expr::Array { elements } | Expr::Tuple { elements } => each(elements, visit),
        Expr::Record { fields } | Expr::RecordLit { fields, .. } => each(fields, visit),
        Expr::Range { start, end, .. } => {
            visit((*start).into());
            visit((*end).into());
        }
        Expr::Propagate { expr } => visit((*expr).into()),
    }
}

fn ty(it: &Type, visit: &mut dyn FnMut(NodeId)) {
    match it {
        Type::Named { args, .. } => each(args, visit),
        Type::Array { element } => visit((*element).into()),
        Type::Tuple { elements } => each(elements, visit),
        Type::Function { params, result } => {
            each(params, visit);
            visit((*result).into());
        }
        Type::Refined { base, predicate, .. } => {
            visit((*base).into());
            visit((*predicate).into());
        }
        Type::Effect { effects, result } => {
            each(effects, visit);
            visit((*result).into());
        }
        Type::Record { fields, .. } => each(fields, visit),
        Type::Error { .. } => {}
    }
}

fn pattern(it: &Pattern, visit: &mut dyn FnMut(NodeId)) {
    match it {
        Pattern::Wildcard | Pattern::Ident { .. } | Pattern::Literal(_) | Pattern::Error { .. } => {
        }
        Pattern::Tuple { elements } => each(elements, visit),
        Pattern::Record { fields } => each(fields, visit),
        Pattern::Variant { payload, .. } => each(payload, visit),
    }
}
