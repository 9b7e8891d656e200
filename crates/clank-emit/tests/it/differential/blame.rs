//! Which goal a failed check belongs to, and whether it was said to be proved.

use clank::body::{Goal, GoalKind, Site};
use clank::proof::Proof;
use clank_syntax::ast::{BinaryOp, DeclId, Expr, ExprId, Name, NodeId};

use super::interpreter::Interpreter;

/// What is known about the first check that failed.
#[derive(Default)]
pub(super) struct Blame {
    is_settled: bool,
    /// A goal that was proved and does not hold.
    pub(super) fault: Option<String>,
    /// Whose arguments are being checked, and which of them.
    pub(super) entered: Option<(Name, usize)>,
}

impl Blame {
    /// This goal does not hold.
    pub(super) fn found(&mut self, goal: &Goal, proof: &Proof) {
        if !self.is_settled && proof.is_discharged() {
            self.fault = Some(format!("{:?} `{}` does not hold", goal.kind, goal.text));
        }
        self.is_settled = true;
    }

    /// A function was given something whose parts are not what they should be.
    pub(super) fn broken(&mut self, function: &str, what: String) {
        if !self.is_settled {
            self.fault = Some(format!("{function} was given what it must not be: {what}"));
        }
        self.is_settled = true;
    }
}

impl Interpreter<'_> {
    /// One of the goals of that kind at these nodes does not hold. If all were proved, one was proved that is not true.
    pub(super) fn blame_all(&mut self, nodes: &[NodeId], kind: GoalKind) {
        self.blame_where(nodes, |goal| goal.kind == kind);
    }

    fn blame_where(&mut self, nodes: &[NodeId], is_meant: impl Fn(&Goal) -> bool) {
        let goals = nodes.iter().filter_map(|it| self.goals.get(it)).flatten();
        let meant: Vec<_> = goals.copied().filter(|it| is_meant(it.0)).collect();
        if let Some((goal, proof)) = meant.first()
            && meant.iter().all(|it| it.1.is_discharged())
        {
            self.blame.found(goal, proof);
        }
        self.blame.is_settled = true;
    }

    /// The postcondition of a function does not hold.
    pub(super) fn blame_postcondition(&mut self, function: NodeId) {
        if !self.blame.is_settled && DeclId::of(self.ast, function).is_some() {
            let nodes: Vec<NodeId> = self.ast.subtree(function).map(NodeId).collect();
            self.blame_all(&nodes, GoalKind::Postcondition);
        }
    }

    /// The innermost expression that has no value because a check failed.
    pub(super) fn blame_expr(&mut self, expr: ExprId, message: &str) {
        if self.blame.is_settled {
            return;
        }
        let node = expr.node();
        if message == "division by zero" {
            self.blame_all(&[node], GoalKind::Division);
        } else if message.contains("is out of bounds") {
            self.blame_all(&[node], GoalKind::Bounds);
        } else if message.ends_with("is a negative exponent") {
            self.blame_all(&[node], GoalKind::Exponent);
        } else if message.starts_with("the precondition") {
            self.blame_all(&[node], GoalKind::Precondition);
        } else if let Some((callee, index)) = self.blame.entered.take() {
            let args: Vec<NodeId> = match self.ast.expr(expr) {
                Expr::Call { callee: written, args } if self.is_name(*written, &callee) => {
                    args.iter().map(|it| it.node()).collect()
                }
                Expr::Binary { op: BinaryOp::Pipe, left, right }
                    if self.is_name(*right, &callee) =>
                {
                    vec![left.node()]
                }
                Expr::RecordLit { fields, .. } => {
                    fields.iter().map(|it| self.ast.field_init(*it).value.node()).collect()
                }
                _ => Vec::new(),
            };
            self.blame_where(&args, |goal| match goal.site {
                Site::Argument { index: of, .. } => of as usize == index,
                _ => false,
            });
        }
        self.blame.is_settled = true;
    }

    fn is_name(&self, expr: ExprId, wanted: &str) -> bool {
        matches!(self.ast.expr(expr), Expr::Ident { name } if name == wanted)
    }
}
