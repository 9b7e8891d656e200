//! Assignments: to a `mut` local, or to an element or field of one (row 38).

use clank_syntax::ast::{Expr, ExprId, StmtId};

use super::{Infer, Want};
use crate::body::Site;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Hint, Structured};

impl Infer<'_> {
    /// Says whether it never comes back.
    pub(super) fn assign(&mut self, statement: StmtId, target: ExprId, value: ExprId) -> bool {
        let ty = self.expr(target, Want::Any);
        let found = self.expr(value, Want::Must(&ty, &Site::Assign));
        self.check_place(statement, target);
        matches!(self.table.shallow(&found), crate::ty::Ty::Never)
    }

    fn check_place(&mut self, statement: StmtId, target: ExprId) {
        let root = self.place_root(target);
        let name = root.and_then(|it| match self.ast.expr(it) {
            Expr::Ident { name } => Some(name.clone()),
            _ => None,
        });
        let Some(name) = name else {
            if matches!(self.ast.expr(target), Expr::Error { .. } | Expr::Hole { .. }) {
                return;
            }
            self.report(
                Diagnostic::new(Code::E2013, statement, "this is no place that can be assigned to")
                    .help("assign to a `let mut` local, or to an element or field of one")
                    .with(Structured::new("immutable_assign").member("name", "")),
            );
            return;
        };
        let structured = Structured::new("immutable_assign").member("name", name.as_str());
        let Some(local) = self.local(&name).map(|it| self.locals[it as usize].clone()) else {
            // A name that nothing has was reported already.
            if self.env.values.contains_key(&name) {
                let message = format!("`{name}` is not a local and cannot be assigned to");
                self.report(Diagnostic::new(Code::E2013, statement, message).with(structured));
            }
            return;
        };
        if local.mutable {
            return;
        }
        let what = match local.source {
            "let" => "was bound without `mut`",
            "parameter" => "is a parameter",
            _ => "was bound by a pattern",
        };
        let mut diagnostic = Diagnostic::new(
            Code::E2013,
            statement,
            format!("`{name}` {what}, so it cannot be assigned to"),
        )
        .with(structured)
        .related(local.node, format!("`{name}` is bound here"));
        if local.source == "let" {
            diagnostic = diagnostic.help(format!("write `let mut {name}`"));
            diagnostic.hints.push(Hint {
                strategy: "add_mut",
                description: format!("make `{name}` mutable"),
                template: Some(format!("let mut {name}")),
                confidence: check::Confidence::High,
            });
        } else {
            diagnostic = diagnostic.help(format!("copy it first: `let mut copy = {name}`"));
        }
        self.report(diagnostic);
    }
}
