//! What can only be said once all types are known: goals, nested refinements and effects of function values.
//!
//! A value that goes where a narrower type is needed gives a goal, which is checked at run time until it is proved. Only
//! the value itself can be checked there: what is inside it (elements, type arguments) or behind it (functions) must have
//! the predicate already, else it is E3001 (row 40).

use std::sync::Arc;

use clank_syntax::ast::{AstKind, BinaryOp, Expr, ExprId, Name, NodeId};
use clank_syntax::with_stack;
use rustc_hash::{FxHashMap, FxHashSet};

use super::given::refuted;
use super::table::is_shared;
use super::wording::{
    expr_text, goal_text, has_predicate, operand_text, other_names, says_same, simplified,
};
use super::{FrameKind, Infer};
use crate::body::{Binding, Goal, GoalKind, Site};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::env::Value;
use crate::ty::{Effects, Predicate, Prim, Ty};

/// How many names in scope a goal or hole lists, the innermost first.
const MAX_CONTEXT: usize = 50;

/// A value that goes where a type is needed.
#[derive(Debug)]
pub(super) struct Flow {
    node: NodeId,
    actual: Ty,
    expected: Ty,
    site: Site,
    scope: Option<u32>,
}

/// A goal whose types are not solved yet.
#[derive(Debug)]
pub(super) struct PendingGoal {
    pub(super) kind: GoalKind,
    pub(super) node: NodeId,
    pub(super) site: Site,
    pub(super) expected: Option<Ty>,
    pub(super) text: String,
    pub(super) scope: Option<u32>,
}

/// An operation on numbers whose goals, or whose very sense, depend on the type of its operands.
#[derive(Debug)]
pub(super) struct Arithmetic {
    pub(super) node: ExprId,
    /// `None` for the minus before an operand.
    pub(super) op: Option<BinaryOp>,
    pub(super) left: ExprId,
    pub(super) right: ExprId,
    pub(super) ty: Ty,
    pub(super) scope: Option<u32>,
}

/// What is to be said about one flow.
#[derive(Default)]
struct Verdict {
    /// Whether the value is made where it is needed, part by part, rather than computed somewhere.
    is_made_here: bool,
    /// The value must be at least 0.
    nat: bool,
    /// The value must satisfy these.
    predicates: Vec<Predicate>,
    /// Something inside would have to satisfy this.
    nested: Option<String>,
    /// A function has these effects, which are not expected.
    effects: Effects,
    /// A function may have any effects, which is not expected.
    any_effects: bool,
}

impl Verdict {
    fn has_effects(&self) -> bool {
        self.any_effects || !self.effects.is_pure()
    }
}

impl Infer<'_> {
    /// Remembers a flow whose shapes go together, if there may be more to say about it.
    pub(super) fn note_flow(&mut self, node: NodeId, actual: &Ty, expected: &Ty, site: &Site) {
        if *site == Site::Return {
            self.postcondition(node, actual);
        }
        if matches!(actual, Ty::Error | Ty::Never) || !is_demanding(expected) {
            return;
        }
        if actual == expected && matches!(actual, Ty::Prim(_)) {
            return;
        }
        let (actual, expected) = (actual.clone(), expected.clone());
        let scope = self.scope();
        self.flows.push(Flow { node, actual, expected, site: site.clone(), scope });
    }

    fn postcondition(&mut self, node: NodeId, actual: &Ty) {
        let Some(frame) = self.frames.last() else { return };
        let Some(condition) = frame.postcondition.clone() else { return };
        if frame.kind != FrameKind::Function || matches!(actual, Ty::Never) {
            return;
        }
        let predicate = Predicate {
            variable: Name::new("result"),
            text: condition.text,
            module: self.env.module.clone(),
            expr: condition.expr,
            names: Arc::default(),
            given: None,
        };
        // The names in it are those of the parameters.
        let is_hidden = other_names(&predicate).any(|name| {
            let local = self.local(&name).map(|it| &self.locals[it as usize]);
            local.is_some_and(|it| !matches!(self.ast.node(it.node).kind, AstKind::Param(_)))
        });
        let operand = if is_hidden { None } else { self.node_text(node) };
        let text = goal_text(&predicate, operand);
        self.goal(GoalKind::Postcondition, node, Site::Return, None, text);
    }

    /// What is written at a node, as an operand.
    fn node_text(&self, node: NodeId) -> Option<String> {
        match ExprId::of(self.ast, node) {
            Some(expr) => match self.ast.expr(expr) {
                Expr::Block { expr: None, .. } => Some("()".to_owned()),
                Expr::Block { .. } | Expr::If { .. } | Expr::Match { .. } => None,
                _ => operand_text(self.ast, expr),
            },
            None => Some("()".to_owned()),
        }
    }

    /// Something that must hold.
    pub(super) fn goal(
        &mut self,
        kind: GoalKind,
        node: impl Into<NodeId>,
        site: Site,
        expected: Option<Ty>,
        text: String,
    ) {
        let scope = self.scope();
        self.goals.push(PendingGoal { kind, node: node.into(), site, expected, text, scope });
    }

    /// The types of all nodes with nothing left open. E2007 at the first one whose type is too large for that.
    pub(super) fn settle_types(&mut self) -> Vec<Option<Ty>> {
        // A type may have been cut off in a message or a list of names, too; it is the type of some node.
        self.table.take_cut();
        let mut types = std::mem::take(&mut self.types);
        let mut is_refused = false;
        for (index, ty) in types.iter_mut().enumerate() {
            let Some(ty) = ty else { continue };
            *ty = self.table.solve(ty, &Ty::UNIT);
            if self.table.take_cut() && !is_refused {
                is_refused = true;
                self.report_too_large(NodeId(self.first + index as u32));
            }
        }
        types
    }

    pub(super) fn settle_flows(&mut self) {
        for flow in std::mem::take(&mut self.flows) {
            let actual = self.table.solve(&flow.actual, &Ty::UNIT);
            let expected = self.table.solve(&flow.expected, &Ty::UNIT);
            if actual == expected && !has_predicate(&expected) {
                continue;
            }
            let is_made_here = self.is_literal(flow.node);
            let mut verdict = Verdict { is_made_here, ..Verdict::default() };
            compare(&actual, &expected, &mut verdict);
            if verdict.has_effects() {
                let more = (!verdict.any_effects).then_some(verdict.effects);
                self.report_effect_mismatch(flow.node, &expected, &actual, more);
            } else if let Some(predicate) = &verdict.nested {
                self.report_nested(flow.node, predicate, &expected, &actual);
            } else if verdict.nat || !verdict.predicates.is_empty() {
                let asked = &verdict.predicates;
                let Some(needless) = self.needless(&flow, &actual, asked) else { continue };
                let expected = match needless.is_empty() {
                    true => expected,
                    false => without(&expected, &needless),
                };
                verdict.predicates.retain(|it| !needless.contains(&it.expr));
                if !verdict.nat && verdict.predicates.is_empty() {
                    continue;
                }
                let mut asked = verdict.predicates.iter();
                let operand = match asked.any(|it| self.is_hidden(it, flow.scope)) {
                    true => None,
                    false => self.node_text(flow.node),
                };
                let text = refinement_text(operand.as_deref(), &verdict);
                self.goals.push(PendingGoal {
                    kind: GoalKind::Refinement,
                    node: flow.node,
                    site: flow.site,
                    expected: Some(expected),
                    text,
                    scope: flow.scope,
                });
            }
        }
    }

    /// The predicates that cannot be asked where a value goes, but need not be: its type says them. `None` if there is one
    /// that its type does not say, which is reported.
    fn needless(&mut self, flow: &Flow, actual: &Ty, asked: &[Predicate]) -> Option<Vec<ExprId>> {
        let mut needless = Vec::new();
        for predicate in asked {
            match self.unasked(predicate, &flow.site, flow.scope) {
                None => {}
                Some(_) if predicates(actual).iter().any(|it| says_same(it, predicate, false)) => {
                    needless.push(predicate.expr);
                }
                Some(why) => {
                    self.report_unasked(flow.node, predicate, &why);
                    return None;
                }
            }
        }
        Some(needless)
    }

    /// Of the goals about values in which a part was assigned, those that cannot be asked are errors.
    pub(super) fn settle_around(&mut self) {
        let mut goals = std::mem::take(&mut self.goals);
        goals.retain_mut(|goal| {
            let (Site::Around { field: None, .. }, Some(Ty::Refined(expected))) =
                (&goal.site, &goal.expected)
            else {
                return true;
            };
            let asked = &expected.predicates;
            let why = |it| Some((it, self.unasked(it, &goal.site, goal.scope)?));
            if let Some((predicate, why)) = asked.iter().find_map(why) {
                self.report_unasked(goal.node, predicate, &why);
                return false;
            }
            if asked.iter().any(|it| self.is_hidden(it, goal.scope)) {
                let texts: Vec<String> = asked.iter().map(|it| goal_text(it, None)).collect();
                goal.text = together(&texts);
            }
            true
        });
        self.goals = goals;
    }

    /// Whether a value is written part by part, all of which were looked at.
    fn is_literal(&self, node: NodeId) -> bool {
        let Some(expr) = ExprId::of(self.ast, node) else { return false };
        match self.ast.expr(expr) {
            Expr::Array { .. }
            | Expr::Tuple { .. }
            | Expr::Record { .. }
            | Expr::RecordLit { .. } => true,
            Expr::Call { callee, .. } => match self.ast.expr(*callee) {
                Expr::Ident { name } => matches!(
                    self.env.values.get(name),
                    Some(Value::Variant { .. } | Value::Record { .. })
                ),
                _ => false,
            },
            _ => false,
        }
    }

    fn report_nested(&mut self, node: NodeId, predicate: &str, expected: &Ty, actual: &Ty) {
        let message = format!(
            "expected `{}`, but the values in `{}` are not known to satisfy `{predicate}`",
            super::report::short(expected),
            super::report::short(actual)
        );
        let help = match actual.base() {
            Ty::Fn(_) => "write a lambda that calls it: then every call is checked",
            _ => "only the value itself is checked at run time: convert the parts one by one",
        };
        self.report(
            Diagnostic::new(Code::E3001, node, message).help(help).with(refuted(predicate)),
        );
    }

    /// The goals of operations on numbers, and those whose operands turned out to be none.
    pub(super) fn settle_arithmetic(&mut self) {
        for it in std::mem::take(&mut self.arithmetic) {
            if let Ty::Var(_) = self.table.shallow(&it.ty) {
                // Nothing can go wrong: the variable is open.
                let _ = self.table.relate(&Ty::INT, &it.ty);
            }
            let prim = match self.table.base(&it.ty) {
                Ty::Prim(prim) if prim.is_integer() => prim,
                Ty::Prim(Prim::Float) | Ty::Error | Ty::Never => continue,
                other => {
                    let op = it.op.map_or("-", BinaryOp::text);
                    let shown = self.show(&other);
                    let message = format!("`{op}` takes numbers, found `{shown}`");
                    self.report_operand(it.left, "numeric", &other, message);
                    continue;
                }
            };
            self.arithmetic_goals(&it, prim);
        }
    }

    fn arithmetic_goals(&mut self, it: &Arithmetic, prim: Prim) {
        let right = operand_text(self.ast, it.right);
        let mut push = |kind, expected, text| {
            let (node, scope) = (it.node.node(), it.scope);
            let site = Site::Operation;
            self.goals.push(PendingGoal { kind, node, site, expected, text, scope });
        };
        let about_right = |condition: &str| match &right {
            Some(right) => simplified(&format!("{right} {condition}")),
            None => format!("value | value {condition}"),
        };
        let is_literal = super::operator::literal(self.ast, it.right);
        match it.op {
            Some(BinaryOp::Div | BinaryOp::Rem)
                if is_literal.is_none_or(|it| it.sign() == num_bigint::Sign::NoSign) =>
            {
                push(GoalKind::Division, None, about_right("!= 0"));
            }
            Some(BinaryOp::Pow) if is_literal.is_none() && prim != Prim::Nat => {
                push(GoalKind::Exponent, None, about_right(">= 0"));
            }
            _ => {}
        }
        let (least, greatest) = match prim {
            Prim::Int32 => ("-2147483648", "2147483647"),
            Prim::Int64 => ("-9223372036854775808", "9223372036854775807"),
            _ => return,
        };
        if matches!(it.op, Some(op) if op.precedence() <= BinaryOp::Concat.precedence())
            || it.op == Some(BinaryOp::Rem)
        {
            return;
        }
        let text = match expr_text(self.ast, it.node) {
            Some(text) => format!("({text} >= {least} && {text} <= {greatest})"),
            None => format!("value | value >= {least} && value <= {greatest}"),
        };
        push(GoalKind::Overflow, Some(Ty::Prim(prim)), text);
    }

    pub(super) fn finish_goals(&mut self) -> Vec<Goal> {
        let mut pending = std::mem::take(&mut self.goals);
        pending.sort_by(|a, b| (a.node, a.kind, &a.text).cmp(&(b.node, b.kind, &b.text)));
        pending.dedup_by(|a, b| {
            (a.node, a.kind, &a.text, &a.site) == (b.node, b.kind, &b.text, &b.site)
        });
        let mut contexts: FxHashMap<Option<u32>, Arc<[Binding]>> = FxHashMap::default();
        pending
            .into_iter()
            .map(|it| Goal {
                kind: it.kind,
                node: self.relative(it.node),
                site: it.site,
                expected: it.expected.map(|ty| self.table.solve(&ty, &Ty::UNIT)),
                text: it.text,
                context: Arc::clone(
                    contexts.entry(it.scope).or_insert_with(|| self.context(it.scope).into()),
                ),
            })
            .collect()
    }

    /// The names in scope, the innermost first.
    pub(super) fn context(&mut self, scope: Option<u32>) -> Vec<Binding> {
        let mut seen = FxHashSet::default();
        let mut bindings = Vec::new();
        let mut next = scope;
        while let Some(index) = next
            && bindings.len() < MAX_CONTEXT
        {
            let local = self.locals[index as usize].clone();
            next = local.outer;
            if seen.insert(local.name.clone()) {
                let ty = self.table.solve(&local.ty, &Ty::UNIT);
                let super::Local { name, mutable, source, .. } = local;
                bindings.push(Binding { name, ty, mutable, source });
            }
        }
        bindings
    }
}

fn refinement_text(operand: Option<&str>, verdict: &Verdict) -> String {
    let mut all = Vec::new();
    if verdict.nat {
        all.push(match operand {
            Some(operand) => simplified(&format!("{operand} >= 0")),
            None => "value | value >= 0".to_owned(),
        });
    }
    all.extend(verdict.predicates.iter().map(|it| goal_text(it, operand.map(str::to_owned))));
    together(&all)
}

/// What must hold if all of these must.
pub(super) fn together(texts: &[String]) -> String {
    match texts {
        [one] => one.clone(),
        _ => format!("({})", texts.join(" && ")),
    }
}

/// Whether a value could fail to satisfy a type although the shapes go together.
fn is_demanding(expected: &Ty) -> bool {
    match expected {
        Ty::Prim(prim) => *prim == Prim::Nat,
        Ty::Param(_) | Ty::Never | Ty::Error => false,
        Ty::Adt(it) => !it.args.is_empty(),
        _ => true,
    }
}

/// Whether a value of one type fits another without anything to check.
pub(super) fn fits_freely(actual: &Ty, expected: &Ty) -> bool {
    let mut verdict = Verdict::default();
    compare(actual, expected, &mut verdict);
    !verdict.nat
        && verdict.predicates.is_empty()
        && verdict.nested.is_none()
        && !verdict.has_effects()
}

fn compare(actual: &Ty, expected: &Ty, verdict: &mut Verdict) {
    match (actual, expected) {
        (Ty::Error | Ty::Never, _) | (_, Ty::Error) => {}
        (_, Ty::Refined(wanted)) => {
            let known = predicates(actual);
            for predicate in &wanted.predicates {
                // What is said about other names is asked again, where they are known.
                let holds =
                    predicate.is_closed() && known.iter().any(|it| says_same(it, predicate, false));
                if !holds {
                    verdict.predicates.push(predicate.clone());
                }
            }
            compare(actual, &wanted.base, verdict);
        }
        (_, Ty::Prim(Prim::Nat)) => verdict.nat |= *actual.base() == Ty::INT,
        _ => compare_nested(actual.base(), expected, verdict),
    }
}

fn compare_nested(actual: &Ty, expected: &Ty, verdict: &mut Verdict) {
    with_stack(|| match (actual, expected) {
        (Ty::Error | Ty::Never, _) | (_, Ty::Error) => {}
        (_, Ty::Refined(wanted)) => {
            let known = predicates(actual);
            let is_made_here = verdict.is_made_here;
            let missing = wanted.predicates.iter();
            let mut missing = missing.filter(|wanted| {
                !known.iter().any(|it| says_same(it, wanted, is_made_here))
                    && !crate::prove::implied::follows(actual.base(), known, Some(wanted))
            });
            if let Some(predicate) = missing.next() {
                verdict.nested.get_or_insert_with(|| predicate.text.clone());
            }
            compare_nested(actual.base(), &wanted.base, verdict);
        }
        (Ty::Refined(known), Ty::Prim(Prim::Nat))
            if crate::prove::implied::follows(&known.base, &known.predicates, None) => {}
        (Ty::Refined(known), _) => compare_nested(&known.base, expected, verdict),
        (Ty::Prim(Prim::Int), Ty::Prim(Prim::Nat)) => {
            verdict.nested.get_or_insert_with(|| "value >= 0".to_owned());
        }
        (Ty::Fn(a), Ty::Fn(e)) => {
            if !e.any_effects {
                verdict.effects = verdict.effects.and(a.effects.without(e.effects));
                verdict.any_effects |= a.any_effects;
            }
            for (a, e) in a.params.iter().zip(&e.params) {
                compare_nested(e, a, verdict);
            }
            compare_nested(&a.result, &e.result, verdict);
        }
        (Ty::Record(a), Ty::Record(e)) => {
            for (name, expected) in &e.fields {
                if let Some((_, actual)) = a.fields.iter().find(|it| it.0 == *name) {
                    compare_nested(actual, expected, verdict);
                }
            }
        }
        _ if is_shared(actual, expected) => {}
        _ => {
            for (a, e) in actual.parts().zip(expected.parts()) {
                compare_nested(a, e, verdict);
            }
        }
    });
}

/// The type without these predicates of its own.
fn without(ty: &Ty, left_out: &[ExprId]) -> Ty {
    let Ty::Refined(it) = ty else { return ty.clone() };
    let kept = it.predicates.iter().filter(|it| !left_out.contains(&it.expr));
    crate::resolve::refined(it.base.clone(), kept.cloned().collect())
}

fn predicates(ty: &Ty) -> &[Predicate] {
    match ty {
        Ty::Refined(it) => &it.predicates,
        _ => &[],
    }
}
