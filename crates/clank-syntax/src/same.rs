//! Whether two trees say the same, wherever and however they were written.

use crate::ast::{
    Ast, AstKind, Decl, Expr, ExternalFn, FnDecl, Literal, NodeId, Pattern, Stmt, TemplatePart,
    Type,
};

/// Whether two programs are equal up to ids, spans, sources and comments. Floats are compared by their bits.
///
/// ```
/// use clank_syntax::{parse, same};
///
/// let tree = |text| parse("a.clank", text).ast;
/// assert!(same(&tree("fn a() -> Int { 1 }"), &tree("fn a()\n  -> Int { 1 } // one")));
/// assert!(!same(&tree("fn a() -> Int { 1 }"), &tree("fn a() -> Int { 2 }")));
/// ```
pub fn same(a: &Ast, b: &Ast) -> bool {
    same_subtrees(a, a.root().node(), b, b.root().node())
}

/// Whether two nodes, of one tree or of two, are equal with all that is below them.
pub fn same_subtrees(a: &Ast, a_root: NodeId, b: &Ast, b_root: NodeId) -> bool {
    let mut pairs = vec![(a_root, b_root)];
    let (mut a_children, mut b_children) = (Vec::new(), Vec::new());
    while let Some((a_id, b_id)) = pairs.pop() {
        if !same_shape(&a.node(a_id).kind, &b.node(b_id).kind) {
            return false;
        }
        a_children.clear();
        b_children.clear();
        a.for_each_child(a_id, &mut |it| a_children.push(it));
        b.for_each_child(b_id, &mut |it| b_children.push(it));
        if a_children.len() != b_children.len() {
            return false;
        }
        pairs.extend(a_children.iter().copied().zip(b_children.iter().copied()));
    }
    true
}

/// Whether two nodes agree in everything but what their children are. With the children's number it is also told which
/// of the optional ones there are; where that is not enough, it is compared here.
pub(crate) fn same_shape(a: &AstKind, b: &AstKind) -> bool {
    match (a, b) {
        (AstKind::Program(_), AstKind::Program(_)) | (AstKind::Arm(_), AstKind::Arm(_)) => true,
        (AstKind::Decl(a), AstKind::Decl(b)) => same_decl(a, b),
        (AstKind::Stmt(a), AstKind::Stmt(b)) => same_stmt(a, b),
        (AstKind::Expr(a), AstKind::Expr(b)) => same_expr(a, b),
        (AstKind::Type(a), AstKind::Type(b)) => same_type(a, b),
        (AstKind::Pattern(a), AstKind::Pattern(b)) => same_pattern(a, b),
        (AstKind::Param(a), AstKind::Param(b)) => a.name == b.name,
        (AstKind::LambdaParam(a), AstKind::LambdaParam(b)) => a.name == b.name,
        (AstKind::TypeParam(a), AstKind::TypeParam(b)) => a.name == b.name,
        (AstKind::Field(a), AstKind::Field(b)) => a.name == b.name,
        (AstKind::Variant(a), AstKind::Variant(b)) => a.name == b.name,
        (AstKind::VariantField(a), AstKind::VariantField(b)) => a.name == b.name,
        (AstKind::FieldInit(a), AstKind::FieldInit(b)) => a.name == b.name,
        (AstKind::FieldPattern(a), AstKind::FieldPattern(b)) => a.name == b.name,
        _ => false,
    }
}

fn same_decl(a: &Decl, b: &Decl) -> bool {
    match (a, b) {
        (Decl::Fn(a), Decl::Fn(b)) => fn_shape(a) == fn_shape(b),
        (Decl::ExternalFn(a), Decl::ExternalFn(b)) => external_shape(a) == external_shape(b),
        (
            Decl::ExternalMod { name: a, js_module: a_module, .. },
            Decl::ExternalMod { name: b, js_module: b_module, .. },
        ) => (a, a_module) == (b, b_module),
        (
            Decl::TypeAlias { name: a, type_params: a_params, .. },
            Decl::TypeAlias { name: b, type_params: b_params, .. },
        )
        | (
            Decl::Rec { name: a, type_params: a_params, .. },
            Decl::Rec { name: b, type_params: b_params, .. },
        )
        | (
            Decl::Sum { name: a, type_params: a_params, .. },
            Decl::Sum { name: b, type_params: b_params, .. },
        ) => (a, a_params.len()) == (b, b_params.len()),
        (Decl::Mod { name: a }, Decl::Mod { name: b }) => a == b,
        (Decl::Use(a), Decl::Use(b)) => a == b,
        (Decl::Error { source: a }, Decl::Error { source: b }) => a == b,
        _ => false,
    }
}

fn fn_shape(it: &FnDecl) -> (&str, usize, usize, bool, bool) {
    let FnDecl { name, type_params, params, precondition, postcondition, .. } = it;
    (name, type_params.len(), params.len(), precondition.is_some(), postcondition.is_some())
}

fn external_shape(it: &ExternalFn) -> (&str, usize, usize, &str) {
    (&it.name, it.type_params.len(), it.params.len(), &it.js_name)
}

fn same_stmt(a: &Stmt, b: &Stmt) -> bool {
    match (a, b) {
        (Stmt::Let { mutable: a, .. }, Stmt::Let { mutable: b, .. }) => a == b,
        (Stmt::Assert { message: a, .. }, Stmt::Assert { message: b, .. }) => a == b,
        _ => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

fn same_expr(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Literal(a), Expr::Literal(b)) => same_literal(a, b),
        (Expr::Template { parts: a }, Expr::Template { parts: b }) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_part(a, b))
        }
        (Expr::Ident { name: a }, Expr::Ident { name: b })
        | (Expr::Field { field: a, .. }, Expr::Field { field: b, .. })
        | (Expr::RecordLit { name: a, .. }, Expr::RecordLit { name: b, .. }) => a == b,
        (Expr::Unary { op: a, .. }, Expr::Unary { op: b, .. }) => a == b,
        (Expr::Binary { op: a, .. }, Expr::Binary { op: b, .. }) => a == b,
        (
            Expr::Block { statements: a, expr: a_expr },
            Expr::Block { statements: b, expr: b_expr },
        ) => (a.len(), a_expr.is_some()) == (b.len(), b_expr.is_some()),
        (Expr::Range { inclusive: a, .. }, Expr::Range { inclusive: b, .. }) => a == b,
        (Expr::Hole { name: a }, Expr::Hole { name: b }) => a == b,
        (Expr::Error { source: a }, Expr::Error { source: b }) => a == b,
        _ => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

fn same_part(a: &TemplatePart, b: &TemplatePart) -> bool {
    match (a, b) {
        (TemplatePart::Text(a), TemplatePart::Text(b)) => a == b,
        (TemplatePart::Expr(_), TemplatePart::Expr(_)) => true,
        _ => false,
    }
}

fn same_literal(a: &Literal, b: &Literal) -> bool {
    match (a, b) {
        (Literal::Float(a), Literal::Float(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

fn same_type(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Named { name: a, .. }, Type::Named { name: b, .. }) => a == b,
        (Type::Refined { variable: a, .. }, Type::Refined { variable: b, .. }) => a == b,
        (Type::Record { open: a, .. }, Type::Record { open: b, .. }) => a == b,
        (Type::Error { source: a }, Type::Error { source: b }) => a == b,
        _ => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

fn same_pattern(a: &Pattern, b: &Pattern) -> bool {
    match (a, b) {
        (Pattern::Ident { name: a }, Pattern::Ident { name: b })
        | (Pattern::Variant { name: a, .. }, Pattern::Variant { name: b, .. }) => a == b,
        (Pattern::Literal(a), Pattern::Literal(b)) => same_literal(a, b),
        (Pattern::Error { source: a }, Pattern::Error { source: b }) => a == b,
        _ => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}
