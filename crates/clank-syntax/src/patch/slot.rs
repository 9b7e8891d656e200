//! What a node is, and what may stand in its place.

use crate::ast::{AstDraft, AstKind, Decl, Expr, NodeId, Stmt};
use crate::json::NodeRole;

/// What a node is, for messages.
pub(super) fn category(kind: &AstKind) -> &'static str {
    match kind {
        AstKind::Program(_) => "the program",
        AstKind::Decl(_) => "a declaration",
        AstKind::Stmt(_) => "a statement",
        AstKind::Expr(_) => "an expression",
        AstKind::Type(_) => "a type",
        AstKind::Pattern(_) => "a pattern",
        AstKind::Param(_) => "a parameter",
        AstKind::LambdaParam(_) => "a parameter of a lambda",
        AstKind::TypeParam(_) => "a type parameter",
        AstKind::Field(_) => "a field",
        AstKind::Variant(_) => "a variant",
        AstKind::VariantField(_) => "a field of a variant",
        AstKind::Arm(_) => "an arm",
        AstKind::FieldInit(_) => "a field of a record literal",
        AstKind::FieldPattern(_) => "a field of a record pattern",
    }
}

/// What may stand in the place of a node; nothing may for the program.
pub(super) fn part_at(draft: &AstDraft<'_>, at: NodeId) -> Option<NodeRole> {
    Some(match draft.kind(at) {
        AstKind::Program(_) => return None,
        AstKind::Decl(_) => match draft.parent(at).map(|it| draft.kind(it)) {
            Some(AstKind::Decl(_)) => NodeRole::ModuleFunction,
            _ => NodeRole::Decl,
        },
        AstKind::Stmt(_) => NodeRole::Stmt,
        AstKind::Expr(_) if is_body(draft, at) => NodeRole::Block,
        AstKind::Expr(_) => NodeRole::Expr,
        AstKind::Type(_) => NodeRole::Type,
        AstKind::Pattern(_) => NodeRole::Pattern,
        AstKind::Param(_) => NodeRole::Param,
        AstKind::LambdaParam(_) => NodeRole::LambdaParam,
        AstKind::TypeParam(_) => NodeRole::TypeParam,
        AstKind::Field(_) => NodeRole::Field,
        AstKind::Variant(_) => NodeRole::Variant,
        AstKind::VariantField(_) => NodeRole::VariantField,
        AstKind::Arm(_) => NodeRole::Arm,
        AstKind::FieldInit(_) => NodeRole::FieldInit,
        AstKind::FieldPattern(_) => NodeRole::FieldPattern,
    })
}

/// Whether only a block, or an `if` after `else`, may stand there.
fn is_body(draft: &AstDraft<'_>, at: NodeId) -> bool {
    match draft.parent(at).map(|it| draft.kind(it)) {
        Some(AstKind::Decl(it)) => matches!(&**it, Decl::Fn(it) if it.body.node() == at),
        Some(AstKind::Stmt(
            Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Loop { body },
        )) => body.node() == at,
        Some(AstKind::Expr(Expr::If { then_branch, else_branch, .. })) => {
            then_branch.node() == at || else_branch.is_some_and(|it| it.node() == at)
        }
        _ => false,
    }
}

/// Whether it is the branch after `else`.
pub(super) fn is_else(draft: &AstDraft<'_>, at: NodeId) -> bool {
    match draft.parent(at).map(|it| draft.kind(it)) {
        Some(AstKind::Expr(Expr::If { else_branch: Some(branch), .. })) => branch.node() == at,
        _ => false,
    }
}
