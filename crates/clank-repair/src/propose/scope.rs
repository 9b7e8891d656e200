//! The names that can be used at a place.

use clank::body::Resolution;
use clank::ty::Ty;
use clank_syntax::ast::{
    Arm, AstKind, Decl, DeclId, Expr, ExprId, Name, NodeId, ParamId, Pattern, PatternId, Stmt,
    StmtId,
};
use clank_syntax::with_stack;

use super::RepairContext;

/// A local name.
#[derive(Clone, Debug)]
pub(super) struct LocalBinding {
    pub(super) name: Name,
    /// The pattern, parameter, lambda parameter or field pattern that binds it.
    pub(super) node: NodeId,
    pub(super) ty: Ty,
}

/// The locals that can be used at a node, the innermost first. Those that another one hides are left out.
pub(super) fn locals(scene: RepairContext<'_>, node: NodeId) -> Vec<LocalBinding> {
    let local = |(name, node)| LocalBinding { name, node, ty: type_of(scene, node) };
    names_of_locals(scene, node).into_iter().map(local).collect()
}

/// The same without types: the names, and the nodes that bind them.
pub(super) fn names_of_locals(scene: RepairContext<'_>, node: NodeId) -> Vec<(Name, NodeId)> {
    let mut binders = Vec::new();
    let mut child = node;
    while let Some(parent) = scene.parent(child) {
        bound_between(scene, parent, child, &mut binders);
        child = parent;
    }
    let mut seen = rustc_hash::FxHashSet::default();
    let mut found = Vec::new();
    for binder in binders {
        let Some(name) = name_of(scene, binder) else { continue };
        if seen.insert(name.clone()) {
            found.push((name, binder));
        }
    }
    found
}

/// The name that a node binds.
pub(super) fn name_of(scene: RepairContext<'_>, binder: NodeId) -> Option<Name> {
    let ast = scene.ast();
    match &ast.node(binder).kind {
        AstKind::Pattern(Pattern::Ident { name }) => Some(name.clone()),
        AstKind::Param(it) => Some(it.name.clone()),
        AstKind::LambdaParam(it) if it.name != "_" => Some(it.name.clone()),
        AstKind::FieldPattern(it) if it.pattern.is_none() => Some(it.name.clone()),
        _ => None,
    }
}

/// How often the local that a node binds is used.
pub(super) fn n_uses(scene: RepairContext<'_>, binder: NodeId) -> usize {
    let Some(view) = scene.view(binder) else { return 0 };
    let is_it = |it: &&(u32, Resolution)| matches!(it.1, Resolution::Local(local) if view.local(local) == binder);
    view.body.resolutions.iter().filter(is_it).count()
}

/// The binder of the local that an expression is.
pub(super) fn binder_of(scene: RepairContext<'_>, expr: ExprId) -> Option<NodeId> {
    let view = scene.view(expr)?;
    match view.resolution(expr)? {
        Resolution::Local(local) => Some(view.local(*local)),
        _ => None,
    }
}

/// The `let` whose pattern is this binder and nothing else.
pub(super) fn let_of(scene: RepairContext<'_>, binder: NodeId) -> Option<StmtId> {
    let pattern = PatternId::of(scene.ast(), binder)?;
    let statement = StmtId::of(scene.ast(), scene.parent(pattern)?)?;
    matches!(scene.ast().stmt(statement), Stmt::Let { pattern: it, .. } if *it == pattern)
        .then_some(statement)
}

fn type_of(scene: RepairContext<'_>, binder: NodeId) -> Ty {
    if ParamId::of(scene.ast(), binder).is_some() {
        return parameter_type(scene, binder).unwrap_or(Ty::Error);
    }
    scene.view(binder).map_or(Ty::Error, |it| it.ty(binder).clone())
}

fn parameter_type(scene: RepairContext<'_>, param: NodeId) -> Option<Ty> {
    let ast = scene.ast();
    let decl = DeclId::of(ast, scene.parent(param)?)?;
    let Decl::Fn(it) = ast.decl(decl) else { return None };
    let index = it.params.iter().position(|it| it.node() == param)?;
    let signature = scene.module.env.signature(decl)?;
    signature.params.get(index).map(|it| it.1.clone())
}

/// What a node binds for one of its children, the last one first.
fn bound_between(scene: RepairContext<'_>, parent: NodeId, child: NodeId, out: &mut Vec<NodeId>) {
    let ast = scene.ast();
    match &ast.node(parent).kind {
        AstKind::Expr(Expr::Block { statements, .. }) => {
            let before = statements.partition_point(|it| it.node() < child);
            for statement in statements[..before].iter().rev() {
                if let Stmt::Let { pattern, .. } = ast.stmt(*statement) {
                    bound_by(scene, *pattern, out);
                }
            }
        }
        AstKind::Stmt(Stmt::For { pattern, body, .. }) if body.node() == child => {
            bound_by(scene, *pattern, out);
        }
        AstKind::Arm(Arm { pattern, .. }) if pattern.node() != child => {
            bound_by(scene, *pattern, out);
        }
        AstKind::Expr(Expr::Lambda { params, body }) if body.node() == child => {
            out.extend(params.iter().rev().map(|it| it.node()));
        }
        AstKind::Decl(it) => {
            if let Decl::Fn(it) = &**it {
                out.extend(it.params.iter().rev().map(|it| it.node()));
            }
        }
        _ => {}
    }
}

/// The nodes in a pattern that bind names.
pub(super) fn bound_by(scene: RepairContext<'_>, pattern: PatternId, out: &mut Vec<NodeId>) {
    let ast = scene.ast();
    with_stack(|| match ast.pattern(pattern) {
        Pattern::Ident { .. } => out.push(pattern.node()),
        Pattern::Tuple { elements: parts } | Pattern::Variant { payload: parts, .. } => {
            parts.iter().for_each(|it| bound_by(scene, *it, out));
        }
        Pattern::Record { fields } => {
            for id in fields {
                match ast.field_pattern(*id).pattern {
                    Some(inner) => bound_by(scene, inner, out),
                    None => out.push(id.node()),
                }
            }
        }
        Pattern::Wildcard | Pattern::Literal(_) | Pattern::Error { .. } => {}
    });
}
