//! W0003: code that nothing reaches, because what stands before it never comes back. E2014: `break` and `continue`
//! outside a loop; a lambda in a loop is outside it (row 29).
//!
//! One warning for a region: at the first statement of a block that is not reached.

use clank_syntax::ast::{Ast, AstKind, BinaryOp, Expr, ExprId, FnDecl, NodeId, Stmt, StmtId};
use clank_syntax::with_stack;

use crate::body::BodyView;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::ty::Ty;

/// What is not reached and what is not in a loop, in the order of the text.
pub(super) fn reach(ast: &Ast, function: &FnDecl, view: BodyView<'_>) -> Vec<Diagnostic> {
    let mut walk = Walk {
        ast,
        view,
        loops: Vec::new(),
        n_outside_lambda: 0,
        is_unreached: false,
        found: Vec::new(),
    };
    walk.expr(function.body);
    walk.found
}

struct Walk<'a> {
    ast: &'a Ast,
    view: BodyView<'a>,
    /// The loops around, up to the function or lambda: whether something breaks out of them.
    loops: Vec<bool>,
    /// How many loops there are outside the lambda.
    n_outside_lambda: usize,
    /// In a region that has been reported.
    is_unreached: bool,
    found: Vec<Diagnostic>,
}

impl Walk<'_> {
    /// Walks an expression; `true` if it never gives a value.
    fn expr(&mut self, id: ExprId) -> bool {
        with_stack(|| match self.ast.expr(id) {
            Expr::Block { statements, expr } => self.block(statements, *expr),
            Expr::If { condition, then_branch, else_branch } => {
                let is_gone = self.expr(*condition);
                let then_gone = self.expr(*then_branch);
                let else_gone = else_branch.is_some_and(|it| self.expr(it));
                is_gone || then_gone && else_gone
            }
            Expr::Match { scrutinee, arms } => {
                let is_gone = self.expr(*scrutinee);
                let mut all_gone = !arms.is_empty();
                for arm in arms {
                    let arm = self.ast.arm(*arm);
                    if let Some(guard) = arm.guard {
                        self.expr(guard);
                    }
                    all_gone &= self.expr(arm.body);
                }
                is_gone || all_gone
            }
            Expr::Lambda { body, .. } => {
                let outside = self.n_outside_lambda;
                let loops = std::mem::take(&mut self.loops);
                self.n_outside_lambda += loops.len();
                self.expr(*body);
                self.loops = loops;
                self.n_outside_lambda = outside;
                false
            }
            Expr::Binary { op: BinaryOp::And | BinaryOp::Or, left, right } => {
                let is_gone = self.expr(*left);
                self.expr(*right);
                is_gone
            }
            Expr::Call { .. } | Expr::Binary { op: BinaryOp::Pipe, .. } => {
                self.children(id.node()) || matches!(self.view.ty(id), Ty::Never)
            }
            _ => self.children(id.node()),
        })
    }

    /// Walks what an expression or statement is made of; `true` if any part never gives a value.
    fn children(&mut self, node: NodeId) -> bool {
        let mut is_gone = false;
        self.ast.for_each_child(node, &mut |child| match &self.ast.node(child).kind {
            AstKind::Expr(_) => {
                is_gone |= ExprId::of(self.ast, child).is_some_and(|it| self.expr(it));
            }
            AstKind::FieldInit(it) => is_gone |= self.expr(it.value),
            _ => {}
        });
        is_gone
    }

    fn block(&mut self, statements: &[StmtId], value: Option<ExprId>) -> bool {
        let was_unreached = self.is_unreached;
        let mut leaving = None;
        for statement in statements {
            self.enter(leaving, statement.node());
            if self.stmt(*statement) && leaving.is_none() {
                leaving = Some(statement.node());
            }
        }
        let mut is_gone = leaving.is_some();
        if let Some(value) = value {
            self.enter(leaving, value.node());
            is_gone |= self.expr(value);
        }
        self.is_unreached = was_unreached;
        is_gone
    }

    /// Comes to a part of a block, after one that leaves it if there is one.
    fn enter(&mut self, leaving: Option<NodeId>, node: NodeId) {
        let Some(leaving) = leaving else { return };
        if std::mem::replace(&mut self.is_unreached, true) {
            return;
        }
        let why = match &self.ast.node(leaving).kind {
            AstKind::Stmt(Stmt::Return { .. }) => "the function returns here",
            AstKind::Stmt(Stmt::Break) => "the loop ends here",
            AstKind::Stmt(Stmt::Continue) => "the loop repeats here",
            AstKind::Stmt(Stmt::Loop { .. }) => "nothing breaks out of this loop",
            _ => "this never returns",
        };
        let diagnostic = Diagnostic::new(Code::W0003, node, "this is never reached")
            .help("remove it, or move it up")
            .with(Structured::new("unreachable_code").member("reason", "never_reached"))
            .related(leaving, why);
        self.found.push(diagnostic);
    }

    fn stmt(&mut self, id: StmtId) -> bool {
        match self.ast.stmt(id) {
            Stmt::Return { value } => {
                value.iter().for_each(|it| {
                    self.expr(*it);
                });
                true
            }
            Stmt::Break | Stmt::Continue if self.loops.is_empty() => {
                self.outside_loop(id);
                false // What was meant is not known, so what follows may be reached.
            }
            Stmt::Break => {
                if let (Some(breaks), false) = (self.loops.last_mut(), self.is_unreached) {
                    *breaks = true;
                }
                true
            }
            Stmt::Continue => true,
            Stmt::Loop { body } => {
                self.loops.push(false);
                self.expr(*body);
                self.loops.pop() == Some(false)
            }
            Stmt::While { condition: head, body } | Stmt::For { iterable: head, body, .. } => {
                let is_gone = self.expr(*head);
                self.loops.push(false);
                self.expr(*body);
                self.loops.pop();
                is_gone
            }
            Stmt::Let { .. } | Stmt::Assign { .. } | Stmt::Expr { .. } | Stmt::Assert { .. } => {
                self.children(id.node())
            }
        }
    }

    fn outside_loop(&mut self, id: StmtId) {
        let word = if matches!(self.ast.stmt(id), Stmt::Break) { "break" } else { "continue" };
        let diagnostic = if self.n_outside_lambda > 0 {
            Diagnostic::new(
                Code::E2014,
                id,
                format!("`{word}` cannot leave the lambda that it is in"),
            )
            .help("`return` returns from the lambda; end the loop outside of it")
        } else {
            Diagnostic::new(Code::E2014, id, format!("`{word}` outside a loop"))
                .help("`return` leaves the function")
        };
        let structured = Structured::new("return_outside_function").member("statement", word);
        self.found.push(diagnostic.with(structured));
    }
}
