//! From Clank's expressions to JavaScript's statements and expressions.
//!
//! An expression is lowered to statements that come first and an expression that is evaluated after them, so that
//! branches, matches, blocks and `?` are real statements wherever they stand. Operands are evaluated from left to right:
//! when a later one needs statements, the earlier ones are kept in constants unless nothing can change them.

mod branch;
mod checks;
mod constant;
mod expr;
mod function;
mod generics;
mod matches;
mod operators;
mod pattern;
mod place;
mod shapes;
mod stmt;

use std::collections::BTreeSet;
use std::rc::Rc;

use clank::body::{BodyView, Goal};
use clank::env::Condition;
use clank::ty::{Predicate, Ty};
use clank_syntax::ast::{Ast, AstKind, Decl, DeclId, Expr as Clank, ExprId, Name, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::context::FileCx;
use super::facts::Facts;
use super::names::Scopes;
use super::tree::{
    ArrayItem, BindingTarget, Expr, ExprKind, JsBlock, NodeOrigin, Stmt, StmtKind, TemplatePart,
};

/// Expressions deeper than this are taken apart, so that neither we nor an engine run out of stack.
const MAX_DEPTH: u32 = 100;

/// Where the value of an expression goes.
#[derive(Clone)]
pub(super) enum Goes {
    /// Nowhere.
    Away,
    /// It is what the function returns; these goals are about it.
    Return(Vec<Goal>),
    /// To a local.
    To(Name),
}

/// The declaration that is being lowered, or the one that a predicate is written in.
#[derive(Clone)]
struct LoweredDecl<'a> {
    module: u32,
    decl: DeclId,
    ast: &'a Ast,
    view: BodyView<'a>,
    facts: Rc<Facts>,
    goals: Rc<FxHashMap<u32, Vec<&'a Goal>>>,
    locals: FxHashMap<NodeId, Expr>,
    /// Names that stand for a value: the variable of a predicate, and `result`. They do not hold for what is bound inside
    /// the nodes beside them.
    values: Vec<(Name, Expr, std::ops::Range<u32>)>,
}

/// What is made out about a declaration before any of it is lowered.
#[derive(Clone)]
pub(super) struct DeclFacts<'a> {
    facts: Rc<Facts>,
    /// By the node that they are about, counted from the first of the declaration.
    goals: Rc<FxHashMap<u32, Vec<&'a Goal>>>,
}

impl<'a> DeclFacts<'a> {
    fn new(ast: &Ast, decl: DeclId, view: BodyView<'a>) -> DeclFacts<'a> {
        let mut goals: FxHashMap<u32, Vec<&'a Goal>> = FxHashMap::default();
        for goal in view.open_goals() {
            goals.entry(goal.node).or_default().push(goal);
        }
        DeclFacts { facts: Rc::new(Facts::new(ast, decl.node(), view)), goals: Rc::new(goals) }
    }
}

/// What `break` and `continue` see.
enum Frame {
    Loop { label: Option<Name>, is_left: bool },
    Switch,
}

/// The function or lambda around.
#[derive(Clone, Default)]
struct Around {
    /// What it returns; nothing for a function without a value.
    result: Option<Ty>,
    postcondition: Option<Condition>,
}

pub(super) struct Lower<'m, 'a> {
    pub(super) cx: &'m mut FileCx<'a>,
    at: LoweredDecl<'a>,
    scopes: Scopes,
    /// Names of locals that are assigned to.
    mutable: FxHashSet<Name>,
    out: Vec<Stmt>,
    /// Whether the end of what was written so far is never reached.
    dead: bool,
    frames: Vec<Frame>,
    around: Around,
    /// The record of which a field is being assigned: the refinement of the field may name others of it.
    owner: Option<Expr>,
    /// What `?` has asked already, by its JavaScript.
    asked: FxHashSet<String>,
}

/// What was written aside.
struct Captured<T> {
    statements: Vec<Stmt>,
    value: T,
    is_dead: bool,
}

impl<'m, 'a> Lower<'m, 'a> {
    pub(super) fn new(cx: &'m mut FileCx<'a>, decl: DeclId) -> Lower<'m, 'a> {
        let at = LoweredDecl::new(cx, cx.index, decl);
        let mut scopes = Scopes::default();
        scopes.enter();
        Lower {
            cx,
            at,
            scopes,
            mutable: FxHashSet::default(),
            out: Vec::new(),
            dead: false,
            frames: Vec::new(),
            around: Around::default(),
            owner: None,
            asked: FxHashSet::default(),
        }
    }

    /// What was written.
    pub(super) fn finish(self) -> JsBlock {
        let mut body = JsBlock(self.out);
        super::widen::widen(&mut body);
        body
    }

    fn ty(&self, node: impl Into<NodeId>) -> &'a Ty {
        self.at.view.ty(node)
    }

    fn origin(&self, node: impl Into<NodeId>) -> Option<NodeOrigin> {
        Some(NodeOrigin { module: self.at.module, node: node.into() })
    }

    fn push(&mut self, kind: StmtKind, origin: Option<NodeOrigin>) {
        if !self.dead {
            self.out.push(Stmt { kind, origin });
        }
    }

    /// A statement that does not come back.
    fn leave(&mut self, kind: StmtKind, origin: Option<NodeOrigin>) {
        self.push(kind, origin);
        self.dead = true;
    }

    /// A name that is free here, from now on taken.
    pub(super) fn declare(&mut self, name: &str) -> Name {
        let scopes = &self.scopes;
        let free = self.cx.local(name, |it| scopes.has(it));
        self.scopes.add(free.clone());
        free
    }

    /// Writes aside, in the same JavaScript scope.
    fn capture<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> Captured<T> {
        let before = std::mem::take(&mut self.out);
        let was_dead = std::mem::replace(&mut self.dead, false);
        let value = write(self);
        let statements = std::mem::replace(&mut self.out, before);
        let is_dead = std::mem::replace(&mut self.dead, was_dead);
        Captured { statements, value, is_dead }
    }

    /// Writes a block with names of its own. Says whether its end is never reached.
    fn block(&mut self, write: impl FnOnce(&mut Self)) -> (JsBlock, bool) {
        self.scopes.enter();
        let captured = self.capture(write);
        self.scopes.leave();
        (JsBlock(captured.statements), captured.is_dead)
    }

    /// Keeps a value in a constant.
    fn keep(
        &mut self,
        value: Expr,
        name: &str,
        ty: Option<&Ty>,
        origin: Option<NodeOrigin>,
    ) -> Expr {
        if self.dead {
            return Expr::undefined();
        }
        let name = self.declare(name);
        let ty = ty.map(|it| self.cx.ts(it));
        let target = BindingTarget::Name(name.clone());
        self.push(StmtKind::Const { mutable: false, target, ty, init: value }, origin);
        Expr::ident(name)
    }

    /// Keeps what a function of the host gave.
    pub(super) fn keep_result(&mut self, value: Expr, origin: Option<NodeOrigin>) -> Expr {
        self.keep(value, "result", None, origin)
    }

    /// The value, in a constant if something later could change it or if it must not be evaluated twice.
    fn keep_unless_stable(&mut self, value: Expr, name: &str, origin: Option<NodeOrigin>) -> Expr {
        if self.is_path(&value) { value } else { self.keep(value, name, None, origin) }
    }

    /// Whether it is a name, or a field of one, that keeps its value.
    fn is_path(&self, expr: &Expr) -> bool {
        let mut expr = expr;
        loop {
            match &expr.kind {
                ExprKind::Ident(name) => return !self.mutable.contains(name),
                ExprKind::Member { object, .. } => expr = object,
                ExprKind::Element { object, index } if matches!(index.kind, ExprKind::Float(_)) => {
                    expr = object;
                }
                _ => return false,
            }
        }
    }

    /// Whether it has the same value whenever it is evaluated, and evaluating it does nothing else.
    fn is_stable(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Ident(name) => !self.mutable.contains(name),
            ExprKind::Generic { .. }
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Bool(_)
            | ExprKind::Undefined => true,
            ExprKind::Template(parts) => parts.iter().all(|it| match it {
                TemplatePart::Text(_) => true,
                TemplatePart::Expr(expr) => self.is_stable(expr),
            }),
            ExprKind::Unary { operand, .. } | ExprKind::As { operand, .. } => {
                self.is_stable(operand)
            }
            ExprKind::Binary { left, right, .. } => self.is_stable(left) && self.is_stable(right),
            ExprKind::Member { object, .. } => self.is_stable(object),
            ExprKind::Element { object, index } => {
                self.is_stable(object) && matches!(index.kind, ExprKind::Float(_))
            }
            ExprKind::Array(items) => items.iter().all(|it: &ArrayItem| self.is_stable(&it.expr)),
            ExprKind::Object(fields) => fields.iter().all(|it| self.is_stable(&it.1)),
            ExprKind::Arrow(_) => true,
            ExprKind::Conditional { .. } | ExprKind::Call { .. } | ExprKind::Host(_) => false,
        }
    }

    /// The values of expressions that are evaluated one after the other.
    fn operands(&mut self, ids: &[ExprId]) -> Vec<Expr> {
        let parts: Vec<_> = ids.iter().map(|it| self.capture(|this| this.value(*it))).collect();
        let types = ids.iter().map(|it| self.annotation(*it)).collect();
        self.in_order(parts, types)
    }

    /// Puts captured values one after the other. Of those that are followed by statements the ones that could change are
    /// kept; once one does not come back, what follows is left out.
    fn in_order(&mut self, parts: Vec<Captured<Expr>>, types: Vec<Option<&Ty>>) -> Vec<Expr> {
        let last = parts.iter().rposition(|it| !it.statements.is_empty()).unwrap_or(0);
        let end = parts.iter().position(|it| it.is_dead);
        let mut values = Vec::with_capacity(parts.len());
        for (index, (part, ty)) in parts.into_iter().zip(types).enumerate() {
            if !self.dead {
                self.out.extend(part.statements);
            }
            let value = match end {
                Some(end) if index < end && !part.value.is_pure() => {
                    self.push(StmtKind::Expr(part.value), None);
                    Expr::undefined()
                }
                None if index < last && !self.is_stable(&part.value) => {
                    self.keep(part.value, "value", ty, None)
                }
                _ => part.value,
            };
            self.dead |= part.is_dead;
            values.push(value);
        }
        values
    }
}

impl<'a> LoweredDecl<'a> {
    fn new(cx: &mut FileCx<'a>, module: usize, decl: DeclId) -> LoweredDecl<'a> {
        let source = &cx.program.list[module];
        let view = source.view(decl);
        let key = (module, decl.node());
        let known = cx.known.get(&key).cloned();
        let known = known.unwrap_or_else(|| DeclFacts::new(source.ast, decl, view));
        // A function is lowered once; other declarations are looked at for every constructor and predicate.
        if !matches!(source.ast.decl(decl), Decl::Fn(_)) {
            cx.known.insert(key, known.clone());
        }
        LoweredDecl {
            module: module as u32,
            decl,
            ast: source.ast,
            view,
            facts: known.facts,
            goals: known.goals,
            locals: FxHashMap::default(),
            values: Vec::new(),
        }
    }

    /// The fields of a record or variant that a predicate of another field of it names.
    fn fields_named(&self, predicate: &Predicate) -> Vec<Name> {
        let ast = self.ast;
        let fields: BTreeSet<&Name> = match ast.decl(self.decl) {
            Decl::Rec { fields, .. } => fields.iter().map(|it| &ast.field(*it).name).collect(),
            Decl::Sum { variants, .. } => {
                let fields = variants.iter().flat_map(|it| &ast.variant(*it).fields);
                fields.filter_map(|it| ast.variant_field(*it).name.as_ref()).collect()
            }
            _ => return Vec::new(),
        };
        let inside = self.ast.subtree(predicate.expr);
        let named = inside.map(NodeId).filter_map(|it| match &self.ast.node(it).kind {
            AstKind::Expr(Clank::Ident { name }) => Some(name),
            _ => None,
        });
        let is_other = |it: &&Name| **it != predicate.variable && fields.contains(it);
        let named: BTreeSet<Name> = named.filter(is_other).cloned().collect();
        named.into_iter().collect()
    }

    fn goals_at(&self, node: NodeId) -> &[&'a Goal] {
        let relative = node.0.checked_sub(self.view.first.0);
        relative.and_then(|it| self.goals.get(&it)).map_or(&[], Vec::as_slice)
    }
}
