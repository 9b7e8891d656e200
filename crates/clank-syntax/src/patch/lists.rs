//! Nodes that come into lists and go out of them.

use crate::ast::{
    ArmId, AstDraft, AstKind, Decl, DeclId, Expr, ExprId, FieldId, FieldInitId, FieldPatternId,
    LambdaParamId, NodeId, ParamId, Pattern, Stmt, StmtId, Type, TypeParamId, VariantFieldId,
    VariantId,
};

/// Takes a node out of its parent, if the parent can be without it. Says why not.
pub(super) fn delete(draft: &mut AstDraft<'_>, at: NodeId) -> Result<(), &'static str> {
    let Some(parent) = draft.parent(at) else { return Err("is the program") };
    if matches!(draft.kind(parent), AstKind::Stmt(Stmt::Expr { .. })) {
        return delete(draft, parent);
    }
    match draft.kind_mut(parent) {
        AstKind::Program(it) => remove(&mut it.declarations, at, 0),
        AstKind::Decl(it) => delete_in_decl(it, at),
        AstKind::Stmt(Stmt::Let { ty, .. }) => clear(ty, at),
        AstKind::Stmt(Stmt::Return { value }) => clear(value, at),
        AstKind::Expr(it) => delete_in_expr(it, at),
        AstKind::Type(it) => match it {
            Type::Named { args, .. } => remove(args, at, 0),
            Type::Tuple { elements } => remove(elements, at, 1),
            Type::Function { params, .. } => remove(params, at, 0),
            Type::Effect { effects, .. } => remove(effects, at, 1),
            Type::Record { fields, .. } => remove(fields, at, 0),
            _ => Err(NEEDED),
        },
        AstKind::Pattern(it) => match it {
            Pattern::Tuple { elements } => remove(elements, at, 1),
            Pattern::Record { fields } => remove(fields, at, 0),
            Pattern::Variant { payload, .. } => remove(payload, at, 0),
            _ => Err(NEEDED),
        },
        AstKind::LambdaParam(it) => clear(&mut it.ty, at),
        AstKind::TypeParam(it) => clear(&mut it.constraint, at),
        AstKind::Variant(it) => remove(&mut it.fields, at, 0),
        AstKind::Arm(it) => clear(&mut it.guard, at),
        AstKind::FieldPattern(it) => clear(&mut it.pattern, at),
        _ => Err(NEEDED),
    }
}

const NEEDED: &str = "is a part that its parent cannot be without; it can only be replaced";
const LAST: &str = "is the only element of a list that cannot be empty; it can only be replaced";

fn delete_in_decl(it: &mut Decl, at: NodeId) -> Result<(), &'static str> {
    let type_params = match it {
        Decl::Fn(it) => &mut it.type_params,
        Decl::ExternalFn(it) => &mut it.type_params,
        Decl::TypeAlias { type_params, .. }
        | Decl::Rec { type_params, .. }
        | Decl::Sum { type_params, .. } => type_params,
        Decl::ExternalMod { functions, .. } => return remove(functions, at, 0),
        Decl::Mod { .. } | Decl::Use(_) | Decl::Error { .. } => return Err(NEEDED),
    };
    if remove(type_params, at, 0).is_ok() {
        return Ok(());
    }
    match it {
        Decl::Fn(it) => remove(&mut it.params, at, 0)
            .or_else(|_| clear(&mut it.precondition, at))
            .or_else(|_| clear(&mut it.postcondition, at)),
        Decl::ExternalFn(it) => remove(&mut it.params, at, 0),
        Decl::Rec { fields, .. } => remove(fields, at, 0),
        Decl::Sum { variants, .. } => remove(variants, at, 0),
        _ => Err(NEEDED),
    }
}

fn delete_in_expr(it: &mut Expr, at: NodeId) -> Result<(), &'static str> {
    match it {
        Expr::Call { args, .. } => remove(args, at, 0),
        Expr::Lambda { params, .. } => remove(params, at, 0),
        Expr::If { else_branch, .. } => clear(else_branch, at),
        Expr::Match { arms, .. } => remove(arms, at, 0),
        Expr::Block { statements, expr } => remove(statements, at, 0).or_else(|_| clear(expr, at)),
        Expr::Array { elements } => remove(elements, at, 0),
        Expr::Tuple { elements } => remove(elements, at, 1),
        Expr::Record { fields } => remove(fields, at, 1),
        Expr::RecordLit { fields, .. } => remove(fields, at, 0),
        _ => Err(NEEDED),
    }
}

fn remove<T: Copy + Into<NodeId>>(
    list: &mut Box<[T]>,
    at: NodeId,
    n_least: usize,
) -> Result<(), &'static str> {
    if !list.iter().any(|it| (*it).into() == at) {
        return Err(NEEDED);
    }
    if list.len() <= n_least {
        return Err(LAST);
    }
    *list = list.iter().copied().filter(|it| (*it).into() != at).collect();
    Ok(())
}

fn clear<T: Copy + Into<NodeId>>(slot: &mut Option<T>, at: NodeId) -> Result<(), &'static str> {
    match slot {
        Some(it) if (*it).into() == at => {
            *slot = None;
            Ok(())
        }
        _ => Err(NEEDED),
    }
}

/// Puts a node into the list that `next_to` is in. False if that is in none.
pub(super) fn insert(draft: &mut AstDraft<'_>, next_to: NodeId, new: NodeId, after: bool) -> bool {
    let Some(parent) = draft.parent(next_to) else { return false };
    // Which list it is is told by the categories of both nodes, which are the same.
    let is_in = match draft.kind_mut(parent) {
        AstKind::Program(it) => put(&mut it.declarations, next_to, new, after, DeclId::assume),
        AstKind::Decl(it) => match &mut **it {
            Decl::Fn(it) => {
                put(&mut it.params, next_to, new, after, ParamId::assume)
                    || put(&mut it.type_params, next_to, new, after, TypeParamId::assume)
            }
            Decl::ExternalFn(it) => {
                put(&mut it.params, next_to, new, after, ParamId::assume)
                    || put(&mut it.type_params, next_to, new, after, TypeParamId::assume)
            }
            Decl::ExternalMod { functions, .. } => {
                put(functions, next_to, new, after, DeclId::assume)
            }
            Decl::Rec { fields, .. } => put(fields, next_to, new, after, FieldId::assume),
            Decl::Sum { variants, .. } => put(variants, next_to, new, after, VariantId::assume),
            _ => false,
        },
        AstKind::Expr(it) => match it {
            Expr::Block { statements, .. } => put(statements, next_to, new, after, StmtId::assume),
            Expr::Match { arms, .. } => put(arms, next_to, new, after, ArmId::assume),
            Expr::Lambda { params, .. } => put(params, next_to, new, after, LambdaParamId::assume),
            Expr::Record { fields } | Expr::RecordLit { fields, .. } => {
                put(fields, next_to, new, after, FieldInitId::assume)
            }
            _ => false,
        },
        AstKind::Type(Type::Record { fields, .. }) => {
            put(fields, next_to, new, after, FieldId::assume)
        }
        AstKind::Pattern(Pattern::Record { fields }) => {
            put(fields, next_to, new, after, FieldPatternId::assume)
        }
        AstKind::Variant(it) => put(&mut it.fields, next_to, new, after, VariantFieldId::assume),
        _ => false,
    };
    draft.adopt(parent);
    is_in
}

fn put<T: Copy + Into<NodeId>>(
    list: &mut Box<[T]>,
    next_to: NodeId,
    new: NodeId,
    after: bool,
    typed: fn(NodeId) -> T,
) -> bool {
    let Some(index) = list.iter().position(|it| (*it).into() == next_to) else { return false };
    insert_at(list, index + usize::from(after), typed(new));
    true
}

/// Puts an element into a list that is long enough.
pub(super) fn insert_at<T: Copy>(list: &mut Box<[T]>, index: usize, new: T) {
    let mut all = list.to_vec();
    all.insert(index, new);
    *list = all.into();
}

/// Where a statement can be put so that it is next to an expression or statement.
pub(super) enum InsertionPoint {
    /// Next to a statement of a block.
    Beside(NodeId),
    /// Before, or after, the value of a block.
    Value { block: NodeId, value: NodeId },
    /// Into a block that is made around the body of an arm or lambda.
    Around(NodeId),
}

/// Where a statement can be put; nothing if the node is in no function's body.
pub(super) fn spot(draft: &AstDraft<'_>, mut at: NodeId) -> Option<InsertionPoint> {
    loop {
        let parent = draft.parent(at)?;
        match draft.kind(parent) {
            AstKind::Expr(Expr::Block { expr, .. }) => {
                return Some(match expr {
                    Some(value) if value.node() == at => {
                        InsertionPoint::Value { block: parent, value: at }
                    }
                    _ => InsertionPoint::Beside(at),
                });
            }
            AstKind::Expr(Expr::Lambda { body, .. }) if body.node() == at => {
                return Some(InsertionPoint::Around(at));
            }
            AstKind::Arm(it) if it.body.node() == at => return Some(InsertionPoint::Around(at)),
            AstKind::Decl(_) | AstKind::Program(_) => return None,
            _ => at = parent,
        }
    }
}

/// Adds a statement before or after the value of a block. False if the value would no longer be the block's.
pub(super) fn insert_at_value(
    draft: &mut AstDraft<'_>,
    block: NodeId,
    value: NodeId,
    new: NodeId,
    after: bool,
) -> bool {
    if after && !is_unit(draft.kind(value)) {
        return false;
    }
    let as_statement =
        after.then(|| draft.add(AstKind::Stmt(Stmt::Expr { expr: ExprId::assume(value) })));
    if let AstKind::Expr(Expr::Block { statements, expr }) = draft.kind_mut(block) {
        let mut all = statements.to_vec();
        if let Some(statement) = as_statement {
            all.push(StmtId::assume(statement));
            *expr = None;
        }
        all.push(StmtId::assume(new));
        *statements = all.into();
    }
    draft.adopt(block);
    true
}

/// Whether an expression is seen to have no value of interest.
fn is_unit(kind: &AstKind) -> bool {
    match kind {
        AstKind::Expr(Expr::Literal(literal)) => *literal == crate::ast::Literal::Unit,
        AstKind::Expr(Expr::If { else_branch, .. }) => else_branch.is_none(),
        AstKind::Expr(Expr::Block { expr, .. }) => expr.is_none(),
        _ => false,
    }
}
