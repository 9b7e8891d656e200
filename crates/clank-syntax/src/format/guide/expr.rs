//! Gaps in expressions.

use super::{Break, Guiding, Role};
use crate::ast::{BinaryOp, Expr, ExprId, NodeId, Stmt, StmtId};
use crate::format::items::NONE;
use crate::token::TokenKind;

impl Guiding<'_> {
    pub(super) fn expr(&mut self, id: NodeId, expr: &Expr, first: u32, last: u32) {
        match expr {
            Expr::Binary { op, left, right } => {
                self.binary(id, *op, [*left, *right], [first, last])
            }
            Expr::Call { args, .. } => self.call(args, last),
            Expr::If { condition, then_branch, else_branch } => {
                let group = match self.role(id) {
                    Role::Shares(group) => group,
                    _ => self.group(first, last),
                };
                self.branches(group, *condition, *then_branch, *else_branch);
            }
            Expr::Match { scrutinee, .. } => {
                let brace = self.items.items[last as usize].mate;
                if brace != NONE {
                    let group = self.group(first, last);
                    self.after_head(brace, group);
                    self.inside(brace, group, 1);
                    self.commas(brace, last, group);
                    self.keep_lines(brace);
                    self.set_role(scrutinee.node(), Role::Head(brace));
                }
            }
            Expr::Block { statements, expr } => {
                let group = match self.role(id) {
                    Role::Shares(group) => group,
                    _ => self.group(first, last),
                };
                self.block(first, group, statements, *expr);
            }
            Expr::Array { .. } | Expr::Tuple { .. } => self.list(first),
            Expr::Record { .. } | Expr::RecordLit { .. } => self.braces_ending(last),
            Expr::Literal(_)
            | Expr::Template { .. }
            | Expr::Ident { .. }
            | Expr::Unary { .. }
            | Expr::Index { .. }
            | Expr::Field { .. }
            | Expr::Lambda { .. }
            | Expr::Range { .. }
            | Expr::Propagate { .. }
            | Expr::Hole { .. }
            | Expr::Error { .. } => {}
        }
    }

    /// Operators of one precedence without parentheses between them are one chain, which breaks before each of them.
    fn binary(
        &mut self,
        id: NodeId,
        op: BinaryOp,
        [left, right]: [ExprId; 2],
        [first, last]: [u32; 2],
    ) {
        let group = match self.role(id) {
            Role::Shares(group) => group,
            role => {
                let group = self.group(first, last);
                if role == Role::Head(last + 1) {
                    self.after_head(last + 1, group);
                    self.guide.gaps[last as usize + 1].when = Break::AfterGroup;
                }
                group
            }
        };
        if let Some(operator) = self.before(right.into()) {
            self.break_with(operator, group, 1);
        }
        if self.is_chained(left, op) && self.first(left.into()) == Some(first) {
            self.set_role(left.into(), Role::Shares(group));
        }
        let is_last = self.range(right.into()).is_some_and(|it| it.1 == last);
        if op.is_right_associative() && self.is_chained(right, op) && is_last {
            self.set_role(right.into(), Role::Shares(group));
        }
    }

    fn is_chained(&self, operand: ExprId, outer: BinaryOp) -> bool {
        match self.ast.expr(operand) {
            Expr::Binary { op, .. } => op.precedence() == outer.precedence(),
            _ => false,
        }
    }

    fn call(&mut self, args: &[ExprId], last: u32) {
        let close = self.items.items[last as usize];
        if close.kind != TokenKind::RParen || close.mate == NONE {
            return;
        }
        let group = self.guide.groups.len();
        self.list(close.mate);
        let Some(&argument) = args.last() else { return };
        let hug = self.hug(argument, args.len() == 1, last);
        if let Some(group) = self.guide.groups.get_mut(group) {
            group.hug = hug;
        }
    }

    /// The bracket of the last argument that may stay on the call's line, and where its group starts. Among several
    /// arguments only code is treated so.
    fn hug(&self, argument: ExprId, is_only: bool, close: u32) -> Option<(u32, u32)> {
        let (_, last) = self.range(argument.into())?;
        if last + 1 != close {
            return None;
        }
        let mut argument = argument;
        let mut is_only = is_only;
        while let Expr::Lambda { body, .. } = self.ast.expr(argument) {
            argument = *body;
            is_only = false;
        }
        let (first, inner_last) = self.range(argument.into())?;
        if inner_last != last {
            return None;
        }
        let mate = self.items.items[last as usize].mate;
        match self.ast.expr(argument) {
            Expr::Block { .. } => Some((first, first)),
            Expr::Match { .. } => Some((mate, first)),
            Expr::Array { .. } | Expr::Tuple { .. } if is_only => Some((first, first)),
            Expr::Call { .. } | Expr::Record { .. } | Expr::RecordLit { .. } if is_only => {
                Some((mate, mate))
            }
            _ => None,
        }
        .filter(|&(bracket, _)| bracket != NONE)
    }

    /// An `if` and its branches, which break together, also through `else if`.
    fn branches(&mut self, group: u32, condition: ExprId, then: ExprId, otherwise: Option<ExprId>) {
        let Some((brace, then_last)) = self.range(then.into()) else { return };
        self.after_head(brace, group);
        self.set_role(condition.into(), Role::Head(brace));
        self.set_role(then.into(), Role::Shares(group));
        if let Some(otherwise) = otherwise {
            self.after_head(then_last + 1, group);
            if let Some(first) = self.first(otherwise.into()) {
                self.after_head(first, group);
            }
            self.set_role(otherwise.into(), Role::Shares(group));
        }
    }

    /// At most one statement or expression may be on the line of the braces, and none that has braces itself.
    fn block(&mut self, open: u32, group: u32, statements: &[StmtId], expr: Option<ExprId>) {
        self.inside(open, group, 1);
        let nodes = statements.iter().map(|&it| it.into()).chain(expr.map(NodeId::from));
        for (index, node) in nodes.enumerate() {
            let Some(before) = self.before(node) else { continue };
            if index > 0 {
                self.separate(before + 1, group);
                self.force(before + 1);
            }
        }
        let has_braces = match (statements, expr) {
            ([statement], None) => self.is_compound(*statement),
            ([], Some(expr)) => self.has_braces(expr),
            _ => false,
        };
        if has_braces {
            self.force(open + 1);
        } else {
            self.keep_lines(open);
        }
    }

    fn is_compound(&self, statement: StmtId) -> bool {
        match self.ast.stmt(statement) {
            Stmt::For { .. } | Stmt::While { .. } | Stmt::Loop { .. } => true,
            Stmt::Expr { expr } => self.has_braces(*expr),
            _ => false,
        }
    }

    fn has_braces(&self, expr: ExprId) -> bool {
        matches!(self.ast.expr(expr), Expr::If { .. } | Expr::Match { .. } | Expr::Block { .. })
    }
}
