//! What a node is, and what may stand in its place.

use crate::ast::{Decl, Draft, Expr, Kind, NodeId, Stmt};
use crate::json::Part;

/// What a node is, for messages.
pub(super) fn category(kind: &Kind) -> &'static str {
    match kind {
        Kind::Program(_) => "the program",
        Kind::Decl(_) => "a declaration",
        Kind::Stmt(_) => "a statement",
        Kind::Expr(_) => "an expression",
        Kind::Type(_) => "a type",
        Kind::Pattern(_) => "a pattern",
        Kind::Param(_) => "a parameter",
        Kind::LambdaParam(_) => "a parameter of a lambda",
        Kind::TypeParam(_) => "a type parameter",
        Kind::Field(_) => "a field",
        Kind::Variant(_) => "a variant",
        Kind::VariantField(_) => "a field of a variant",
        Kind::Arm(_) => "an arm",
        Kind::FieldInit(_) => "a field of a record literal",
        Kind::FieldPattern(_) => "a field of a record pattern",
    }
}

/// What may stand in the place of a node; nothing may for the program.
pub(super) fn part_at(draft: &Draft<'_>, at: NodeId) -> Option<Part> {
    Some(match draft.kind(at) {
        Kind::Program(_) => return None,
        Kind::Decl(_) => match draft.parent(at).map(|it| draft.kind(it)) {
            Some(Kind::Decl(_)) => Part::ModuleFunction,
            _ => Part::Decl,
        },
        Kind::Stmt(_) => Part::Stmt,
        Kind::Expr(_) if is_body(draft, at) => Part::Block,
        Kind::Expr(_) => Part::Expr,
        Kind::Type(_) => Part::Type,
        Kind::Pattern(_) => Part::Pattern,
        Kind::Param(_) => Part::Param,
        Kind::LambdaParam(_) => Part::LambdaParam,
        Kind::TypeParam(_) => Part::TypeParam,
        Kind::Field(_) => Part::Field,
        Kind::Variant(_) => Part::Variant,
        Kind::VariantField(_) => Part::VariantField,
        Kind::Arm(_) => Part::Arm,
        Kind::FieldInit(_) => Part::FieldInit,
        Kind::FieldPattern(_) => Part::FieldPattern,
    })
}

/// Whether only a block, or an `if` after `else`, may stand there.
fn is_body(draft: &Draft<'_>, at: NodeId) -> bool {
    match draft.parent(at).map(|it| draft.kind(it)) {
        Some(Kind::Decl(it)) => matches!(&**it, Decl::Fn(it) if it.body.node() == at),
        Some(Kind::Stmt(
            Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Loop { body },
        )) => body.node() == at,
        Some(Kind::Expr(Expr::If { then_branch, else_branch, .. })) => {
            then_branch.node() == at || else_branch.is_some_and(|it| it.node() == at)
        }
        _ => false,
    }
}

/// Whether it is the branch after `else`.
pub(super) fn is_else(draft: &Draft<'_>, at: NodeId) -> bool {
    match draft.parent(at).map(|it| draft.kind(it)) {
        Some(Kind::Expr(Expr::If { else_branch: Some(branch), .. })) => branch.node() == at,
        _ => false,
    }
}
