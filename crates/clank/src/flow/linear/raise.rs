//! Calls that may raise: a path out of the function on which what is alive there is lost. A panic is none.

use clank_syntax::ast::{BinaryOp, Expr, ExprId, NodeId};

use super::state::LinearStatus;
use super::{NOT_USED, Walk};
use crate::body::Resolution;
use crate::diagnostic::{Diagnostic, Structured};
use crate::flow::mode::Mode;
use crate::ty::{Effects, Ty};

impl Walk<'_> {
    /// Looks at what is lost if this is a call and raises. Its arguments are no longer there: they are the callee's.
    pub(super) fn may_raise(&mut self, id: ExprId) {
        let raises = match self.ast.expr(id) {
            Expr::Call { callee, args } => self.raises(*callee, args),
            Expr::Binary { op: BinaryOp::Pipe, left, right } => self.raises(*right, &[*left]),
            _ => false,
        };
        if !raises || !self.state.is_reached {
            return;
        }
        self.lose_made(self.own_made, "a call that comes after it may raise");
        let lost = self.state.live[self.own..].iter().copied();
        let lost: Vec<NodeId> = lost.filter(|it| self.is_lost(*it)).collect();
        let Some(first) = lost.first() else { return };
        let var = self.state.var(*first);
        let mut structured = Structured::new("linear_not_used");
        if !var.name.is_empty() {
            structured = structured.member("name", var.name.as_str());
        }
        let structured = structured.member("type", var.ty.as_str()).member("mode", "linear");
        let names: Vec<String> = lost.iter().map(|it| self.name_of(*it)).collect();
        let (are, them) = match names.len() {
            1 => ("is", "it"),
            _ => ("are", "them"),
        };
        let message = format!(
            "{} {are} linear, but this call may raise and lose {them}",
            names.join(" and ")
        );
        let help = format!("use {them} before the call, or catch what it raises with `try`");
        let mut diagnostic = Diagnostic::new(NOT_USED, id, message).help(help).with(structured);
        for local in lost {
            diagnostic = diagnostic.related(local, "it must be used from here on");
            self.wrong.insert(local);
        }
        self.found.push(diagnostic);
    }

    /// Whether a call may raise: the callee, or a function that it is given and may call.
    fn raises(&self, callee: ExprId, args: &[ExprId]) -> bool {
        if matches!(self.view.resolution(callee), Some(Resolution::Builtin(it)) if it == "try") {
            return false;
        }
        let may = |effects: Effects, any: bool| any || effects != effects.without(Effects::ERR);
        let Ty::Fn(function) = self.view.ty(callee).base() else { return false };
        let given = function.params.iter().zip(args).any(|(param, arg)| {
            matches!(param.base(), Ty::Fn(it) if it.any_effects)
                && matches!(self.view.ty(*arg).base(), Ty::Fn(it) if may(it.effects, it.any_effects))
        });
        given || may(function.effects, function.any_effects)
    }

    fn is_lost(&self, local: NodeId) -> bool {
        self.state.var(local).mode == Mode::Linear
            && !matches!(self.state.status(local), LinearStatus::Used(_))
            && !self.is_settled(local)
    }

    fn name_of(&self, local: NodeId) -> String {
        match self.state.var(local).name.as_str() {
            "" => "the elements that the loop has not reached".to_owned(),
            name => format!("`{name}`"),
        }
    }

    /// The operands from `outside` on that were made are left behind.
    pub(super) fn lose_made(&mut self, outside: usize, why: &str) {
        for node in self.made.get(outside..).unwrap_or_default().to_vec() {
            self.drops(node, why, self.view.ty(node));
        }
    }
}
