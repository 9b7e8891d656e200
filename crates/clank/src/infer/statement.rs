//! Blocks and statements. A statement that never comes back makes its block one of type `never`.

use clank_syntax::ast::{Expr, ExprId, Pattern, PatternId, Stmt, StmtId};

use super::{Infer, Want};
use crate::body::{GoalKind, Site};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::resolve::TypePosition;
use crate::ty::Ty;

impl Infer<'_> {
    pub(super) fn block(
        &mut self,
        block: ExprId,
        statements: &[StmtId],
        last: Option<ExprId>,
        want: Want<'_>,
    ) -> Ty {
        let mark = self.enter();
        let mut leaves = false;
        for statement in statements {
            leaves |= self.statement(*statement);
        }
        let ty = match (last, want) {
            (Some(last), _) => self.expr(last, want),
            (None, Want::Must(expected, site)) if !leaves => {
                self.no_value(block, statements, expected, site);
                Ty::UNIT
            }
            (None, _) => Ty::UNIT,
        };
        self.leave(mark);
        if leaves { Ty::Never } else { ty }
    }

    /// A block that ends without a value has the value `()` (row 14).
    fn no_value(&mut self, block: ExprId, statements: &[StmtId], expected: &Ty, site: &Site) {
        if self.table.relate(&Ty::UNIT, expected).is_ok() {
            self.note_flow(block.node(), &Ty::UNIT, expected, site);
            return;
        }
        let shown = self.show(expected);
        let message =
            format!("expected `{}`, but this block has no value", super::report::short(&shown));
        let diagnostic = Diagnostic::new(Code::E2001, block, message).with(
            Structured::new("type_mismatch")
                .member("expected", shown.to_string())
                .member("actual", "Unit"),
        );
        let last = statements.last().map(|it| self.ast.stmt(*it));
        let help = match last {
            Some(Stmt::Expr { expr }) => {
                let index = self.relative(expr.node()) as usize;
                let ty = self.types.get(index).cloned().flatten().unwrap_or(Ty::Error);
                let fits = !matches!(ty, Ty::Error) && self.table.join(&ty, expected).is_ok();
                if fits { "remove the last `;`" } else { "end it with an expression" }
            }
            _ => "end it with an expression",
        };
        self.report(diagnostic.help(help));
    }

    /// Says whether it never comes back.
    fn statement(&mut self, statement: StmtId) -> bool {
        match self.ast.stmt(statement) {
            Stmt::Let { pattern, ty, init, mutable } => {
                let ty = match ty {
                    Some(written) => {
                        let name = self.bound_name(*pattern);
                        let ty = self.written_type(*written, name.as_ref(), TypePosition::Other);
                        self.type_predicates(&ty);
                        let found = self.expr(*init, Want::Must(&ty, &Site::Let));
                        self.pattern(*pattern, &ty, *mutable, "let");
                        return self.never(&found);
                    }
                    None => {
                        let mark = self.table.mark();
                        let ty = self.expr(*init, Want::Any);
                        self.table.close(&ty, mark)
                    }
                };
                // What is assigned later need not satisfy what the first value does.
                let bound = match &ty {
                    Ty::Refined(it) if *mutable => it.base.clone(),
                    _ => ty.clone(),
                };
                self.pattern(*pattern, &bound, *mutable, "let");
                self.never(&ty)
            }
            Stmt::Assign { target, value } => self.assign(statement, *target, *value),
            Stmt::Expr { expr } => {
                let ty = self.expr(*expr, Want::Any);
                self.never(&ty)
            }
            Stmt::For { pattern, iterable, body } => {
                self.for_loop(statement, *pattern, *iterable, *body)
            }
            Stmt::While { condition, body } => {
                self.n_loops += 1;
                let ty = self.expr(*condition, Want::Must(&Ty::BOOL, &Site::Other));
                self.n_loops -= 1;
                self.loop_body(*body);
                self.never(&ty)
            }
            Stmt::Loop { body } => !self.loop_body(*body),
            Stmt::Return { value } => {
                let result = self.frames.last().map_or(Ty::Error, |it| it.result.clone());
                match value {
                    Some(value) => {
                        self.expr(*value, Want::Must(&result, &Site::Return));
                    }
                    None => {
                        self.flow(statement, &Ty::UNIT, &result, &Site::Return);
                    }
                }
                true
            }
            Stmt::Break => {
                if let Some(has_break) = self.frame().and_then(|it| it.loops.last_mut()) {
                    *has_break = true;
                }
                true
            }
            Stmt::Continue => true,
            Stmt::Assert { condition, .. } => {
                let ty = self.expr(*condition, Want::Must(&Ty::BOOL, &Site::Other));
                let text = super::wording::expr_text(self.ast, *condition)
                    .unwrap_or_else(|| "the asserted condition".to_owned());
                self.goal(GoalKind::Assertion, statement, Site::Other, None, text);
                self.never(&ty)
            }
        }
    }

    fn never(&mut self, ty: &Ty) -> bool {
        matches!(self.table.shallow(ty), Ty::Never)
    }

    fn bound_name(&self, pattern: PatternId) -> Option<clank_syntax::ast::Name> {
        match self.ast.pattern(pattern) {
            Pattern::Ident { name } => Some(name.clone()),
            _ => None,
        }
    }

    fn for_loop(
        &mut self,
        statement: StmtId,
        pattern: PatternId,
        iterable: ExprId,
        body: ExprId,
    ) -> bool {
        let ty = self.expr(iterable, Want::Any);
        let element = match self.table.base(&ty) {
            Ty::Array(element) => Ty::clone(&element),
            Ty::Error | Ty::Never => Ty::Error,
            Ty::Var(_) => {
                let element = self.table.fresh();
                self.flow(iterable, &ty, &Ty::array(element.clone()), &Site::Other);
                element
            }
            other => {
                let shown = self.show(&other);
                let diagnostic = Diagnostic::new(
                    Code::E2010,
                    statement,
                    format!("`for` expects an array, found `{}`", super::report::short(&shown)),
                )
                .with(Structured::new("not_iterable"));
                self.report(match other {
                    Ty::Prim(crate::ty::Prim::Str) => diagnostic.help("iterate over `chars(…)`"),
                    Ty::Prim(it) if it.is_integer() => diagnostic.help("iterate over `0..n`"),
                    _ => diagnostic,
                });
                Ty::Error
            }
        };
        let mark = self.enter();
        self.n_loops += 1;
        self.pattern(pattern, &element, false, "for");
        self.n_loops -= 1;
        self.loop_body(body);
        self.leave(mark);
        self.never(&ty)
    }

    /// The body of a loop. Says whether there is a `break` in it.
    fn loop_body(&mut self, body: ExprId) -> bool {
        if let Some(frame) = self.frame() {
            frame.loops.push(false);
        }
        self.n_loops += 1;
        self.expr(body, Want::Any);
        self.n_loops -= 1;
        self.frame().and_then(|it| it.loops.pop()).unwrap_or_default()
    }

    /// The name and the node of the local that an assignment changes a part of.
    pub(super) fn place_root(&self, target: ExprId) -> Option<ExprId> {
        let mut at = target;
        loop {
            match self.ast.expr(at) {
                Expr::Ident { .. } => return Some(at),
                Expr::Index { object, .. } | Expr::Field { object, .. } => at = *object,
                _ => return None,
            }
        }
    }
}
