//! TypeScript follows comparisons: where `n` was found to be `1n` it refuses `n === 2n`. Such comparisons are written of
//! the wider type. What is known where is made out as TypeScript does, or more; too much of it only costs an `as`.

use clank_syntax::ast::Name;
use clank_syntax::with_stack;

use super::tree::{ArrowBody, Expr, ExprKind, JsBlock, StmtKind, TemplatePart};

/// Widens the comparisons of a function's body.
pub(crate) fn widen(body: &mut JsBlock) {
    Widening { known: Vec::new() }.block(body);
}

/// A name, or a field of one, whose value TypeScript knows.
#[derive(Clone)]
struct NarrowedPath {
    root: Name,
    path: String,
}

/// What is known at a place, the innermost last.
struct Widening {
    known: Vec<Option<NarrowedPath>>,
}

impl Widening {
    fn block(&mut self, block: &mut JsBlock) {
        let before = self.known.len();
        with_stack(|| {
            for stmt in &mut block.0 {
                self.stmt(&mut stmt.kind);
            }
        });
        self.known.truncate(before);
    }

    /// A block in which more is known.
    fn block_knowing(&mut self, block: &mut JsBlock, known: Vec<NarrowedPath>) {
        let before = self.known.len();
        self.known.extend(known.into_iter().map(Some));
        self.block(block);
        self.known.truncate(before);
    }

    fn stmt(&mut self, stmt: &mut StmtKind) {
        match stmt {
            StmtKind::Const { init, .. } => self.expr(init),
            StmtKind::Let { init, .. } => init.iter_mut().for_each(|it| self.expr(it)),
            StmtKind::Assign { target, value } => {
                self.expr(target);
                self.expr(value);
                if let Some(it) = path_of(target) {
                    self.forget(&it.root);
                }
            }
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::Return(value) => value.iter_mut().for_each(|it| self.expr(it)),
            StmtKind::If { branches, otherwise } => self.branches(branches, otherwise),
            StmtKind::Switch { subject, cases } => {
                self.expr(subject);
                for test in cases.iter().flat_map(|it| &it.tests).take(1) {
                    self.compare(subject, test);
                }
                let known: Vec<NarrowedPath> = path_of(subject).into_iter().collect();
                for case in cases {
                    self.block_knowing(&mut case.body, known.clone());
                }
            }
            StmtKind::While { condition, body, .. } => {
                // `while (true)` says that what follows is never reached, and nothing does.
                match condition.kind {
                    ExprKind::Bool(_) => {}
                    _ => self.condition(condition),
                }
                self.block_knowing(body, facts(condition, true));
                self.known.extend(facts(condition, false).into_iter().map(Some));
            }
            StmtKind::ForOf { iterable, body, .. } => {
                self.expr(iterable);
                self.block(body);
            }
            StmtKind::Count { start, end, body, .. } => {
                self.expr(start);
                self.expr(end);
                self.block(body);
            }
            StmtKind::Labelled { body, .. } | StmtKind::Scope(body) => self.block(body),
            StmtKind::TypedComment(_) | StmtKind::Break(_) | StmtKind::Continue(_) => {}
        }
    }

    fn branches(&mut self, branches: &mut [(Expr, JsBlock)], otherwise: &mut Option<JsBlock>) {
        let before = self.known.len();
        let mut all_leave = true;
        for (condition, block) in branches.iter_mut() {
            self.condition(condition);
            self.block_knowing(block, facts(condition, true));
            self.known.extend(facts(condition, false).into_iter().map(Some));
            all_leave &= leaves(block);
        }
        match (otherwise, branches) {
            (None, _) if all_leave => {}
            (Some(otherwise), [(condition, _)]) if leaves(otherwise) => {
                self.block(otherwise);
                self.known.truncate(before);
                self.known.extend(facts(condition, true).into_iter().map(Some));
            }
            (otherwise, _) => {
                otherwise.iter_mut().for_each(|it| self.block(it));
                self.known.truncate(before);
            }
        }
    }

    fn forget(&mut self, root: &Name) {
        for known in &mut self.known {
            if known.as_ref().is_some_and(|it| it.root == *root) {
                *known = None;
            }
        }
    }

    fn is_known(&self, path: &str) -> bool {
        self.known.iter().flatten().any(|it| it.path == path)
    }

    /// A condition, in which `false` and `true` must not say that something is never reached.
    fn condition(&mut self, condition: &mut Expr) {
        self.expr(condition);
        hide(condition);
    }

    fn expr(&mut self, expr: &mut Expr) {
        with_stack(|| match &mut expr.kind {
            ExprKind::Binary { op: op @ ("&&" | "||"), left, right } => {
                self.expr(left);
                let before = self.known.len();
                self.known.extend(facts(left, *op == "&&").into_iter().map(Some));
                self.expr(right);
                self.known.truncate(before);
            }
            ExprKind::Binary { op, left, right } => {
                self.expr(left);
                self.expr(right);
                if matches!(*op, "===" | "!==") {
                    self.compare(left, right);
                    self.compare(right, left);
                }
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.condition(condition);
                for (branch, holds) in [(then, true), (otherwise, false)] {
                    let before = self.known.len();
                    self.known.extend(facts(condition, holds).into_iter().map(Some));
                    self.expr(branch);
                    self.known.truncate(before);
                }
            }
            ExprKind::Unary { operand, .. } | ExprKind::As { operand, .. } => self.expr(operand),
            ExprKind::Call { callee, args, .. } => {
                self.expr(callee);
                args.iter_mut().for_each(|it| self.expr(it));
            }
            ExprKind::Member { object, .. } => self.expr(object),
            ExprKind::Element { object, index } => {
                self.expr(object);
                self.expr(index);
            }
            ExprKind::Array(items) => items.iter_mut().for_each(|it| self.expr(&mut it.expr)),
            ExprKind::Object(fields) => fields.iter_mut().for_each(|it| self.expr(&mut it.1)),
            ExprKind::Template(parts) => {
                for part in parts {
                    if let TemplatePart::Expr(expr) = part {
                        self.expr(expr);
                    }
                }
            }
            ExprKind::Arrow(arrow) => match &mut arrow.body {
                ArrowBody::Expr(body) => self.expr(body),
                ArrowBody::Block(body) => self.block(body),
            },
            _ => {}
        });
    }

    /// Widens what is compared with a literal.
    fn compare(&self, left: &mut Expr, right: &Expr) {
        let Some(ty) = literal_type(right) else { return };
        let Some(known) = path_of(left) else { return };
        if self.is_known(&known.path) {
            let narrow = std::mem::replace(left, Expr::undefined());
            *left = narrow.typed(ty.to_owned());
        }
    }
}

/// Widens the constants that a condition is put together of.
fn hide(condition: &mut Expr) {
    with_stack(|| match &mut condition.kind {
        ExprKind::Binary { op: "&&" | "||", left, right } => {
            hide(left);
            hide(right);
        }
        ExprKind::Unary { op: "!", operand } => hide(operand),
        ExprKind::Bool(_) => {
            let constant = std::mem::replace(condition, Expr::undefined());
            *condition = constant.typed("boolean".to_owned());
        }
        _ => {}
    });
}

/// What is known where a condition holds, or where it does not.
fn facts(condition: &Expr, holds: bool) -> Vec<NarrowedPath> {
    let mut known = Vec::new();
    collect(condition, holds, &mut known);
    known
}

fn collect(condition: &Expr, holds: bool, known: &mut Vec<NarrowedPath>) {
    with_stack(|| match &condition.kind {
        ExprKind::Binary { op, left, right } => match (*op, holds) {
            ("&&", true) | ("||", false) => {
                collect(left, holds, known);
                collect(right, holds, known);
            }
            ("===", true) | ("!==", false) => {
                for (one, other) in [(left, right), (right, left)] {
                    if literal_type(other).is_some() {
                        known.extend(path_of(one));
                    }
                }
            }
            _ => {}
        },
        ExprKind::Unary { op: "!", operand } => collect(operand, !holds, known),
        _ => {}
    });
}

/// A name or a field of one; not a variant's tag, whose knowledge is what matches live on.
fn path_of(expr: &Expr) -> Option<NarrowedPath> {
    let mut path = String::new();
    let mut expr = expr;
    if matches!(&expr.kind, ExprKind::Member { name, .. } if name == "tag") {
        return None;
    }
    loop {
        match &expr.kind {
            ExprKind::Ident(root) => {
                return Some(NarrowedPath { root: root.clone(), path: format!("{path}{root}") });
            }
            ExprKind::Member { object, name } => {
                path.push_str(name);
                path.push('.');
                expr = object;
            }
            ExprKind::Element { object, index } => {
                let ExprKind::Float(position) = index.kind else { return None };
                path.push_str(&format!("{position}."));
                expr = object;
            }
            ExprKind::As { operand, .. } => expr = operand,
            _ => return None,
        }
    }
}

/// The type of a literal without its value.
fn literal_type(expr: &Expr) -> Option<&'static str> {
    match &expr.kind {
        ExprKind::Int(_) => Some("bigint"),
        ExprKind::Str(_) => Some("string"),
        ExprKind::Float(_) => Some("number"),
        ExprKind::Unary { op: "-", operand } => literal_type(operand),
        _ => None,
    }
}

/// Whether the end of a block is not reached, as far as can be seen; a call may not come back.
fn leaves(block: &JsBlock) -> bool {
    matches!(
        block.0.last().map(|it| &it.kind),
        Some(StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Expr(_))
    )
}
