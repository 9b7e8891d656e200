//! Counterexamples and facts, in the program's own words.

use clank_syntax::ast::{AstKind, Expr, ExprId, NodeId, Pattern, UnaryOp};
use rustc_hash::FxHashSet;
use solver::{Model, Term, Value, evaluate};

use super::goal::Hypotheses;
use super::symbols::sort;
use super::walk::{Walk, Why};
use crate::proof::{Counterexample, Fact};
use crate::ty::{Prim, Ty};

/// How many names a counterexample gives values for.
const MAX_NAMES: usize = 12;
/// The longest array that is written out.
const MAX_LENGTH: i64 = 8;
/// How many facts are told.
const MAX_FACTS: usize = 12;
/// The longest text of a fact.
const MAX_TEXT: usize = 160;

impl Walk<'_> {
    /// The values of a model for the names that a goal has to do with, in the order in which the program binds them.
    pub(super) fn example(
        &mut self,
        index: usize,
        goal: Term,
        known: &Hypotheses,
        model: &Model,
    ) -> Option<Counterexample> {
        let mut things: FxHashSet<Term> = self.about(goal).iter().copied().collect();
        for fact in &known.facts {
            things.extend(self.about(*fact).iter());
        }
        let is_open = things.iter().any(|it| self.symbols.is_open(*it));
        let mut values = Vec::new();
        for (node, name) in self.names_in_scope(index) {
            if values.len() == MAX_NAMES {
                break;
            }
            let known = self.fixed.get(&node).or_else(|| self.vars.get(&node)).copied();
            let Some(value) = known.filter(|_| !self.assigned.is_shared(node)) else { continue };
            let about = self.about(value);
            if !about.iter().any(|it| things.contains(it)) {
                continue;
            }
            if let Some(shown) = self.shown(value, self.home.view.ty(node), model, 0) {
                values.push((name, shown));
            }
        }
        let is_candidate = is_open || !known.is_all;
        (!values.is_empty() || !is_candidate).then_some(Counterexample { values, is_candidate })
    }

    /// The names that the goal may mention, the outermost first, with the nodes that bind them.
    fn names_in_scope(&self, index: usize) -> Vec<(NodeId, String)> {
        let goal = self.goal(index);
        let ast = self.home.ast;
        let mut nodes: Vec<(NodeId, String)> = Vec::new();
        let mut bound: Vec<NodeId> = self.fixed.keys().chain(self.vars.keys()).copied().collect();
        bound.sort_unstable();
        for node in bound {
            let name = match &ast.node(node).kind {
                AstKind::Param(it) => &it.name,
                AstKind::LambdaParam(it) => &it.name,
                AstKind::FieldPattern(it) => &it.name,
                AstKind::Field(it) => &it.name,
                AstKind::Pattern(Pattern::Ident { name }) => name,
                _ => continue,
            };
            if goal.context.iter().any(|it| it.name == *name) {
                nodes.retain(|it| it.1 != name.as_str());
                nodes.push((node, name.to_string()));
            }
        }
        nodes
    }

    /// A value of a model as it is written in a program.
    fn shown(&mut self, value: Term, ty: &Ty, model: &Model, depth: u32) -> Option<String> {
        if depth > 3 {
            return None;
        }
        match ty.base() {
            Ty::Prim(prim) if prim.is_integer() || *prim == Prim::Bool => {
                match evaluate(&self.symbols.terms, value, model)? {
                    Value::Int(it) => Some(it.to_string()),
                    Value::Bool(it) => Some(it.to_string()),
                    Value::Other(_) => None,
                }
            }
            Ty::Array(element) => {
                let length = self.symbols.len(value);
                let Value::Int(length) = evaluate(&self.symbols.terms, length, model)? else {
                    return None;
                };
                let length =
                    i64::try_from(length).ok().filter(|it| (0..=MAX_LENGTH).contains(it))?;
                let mut elements = Vec::new();
                for place in 0..length {
                    let place = self.symbols.int(place);
                    let part = self.symbols.index(value, place, sort(element));
                    elements.push(self.shown(part, element, model, depth + 1)?);
                }
                Some(format!("[{}]", elements.join(", ")))
            }
            Ty::Tuple(types) => {
                let mut parts = Vec::new();
                for (place, ty) in types.iter().enumerate() {
                    let name = clank_syntax::ast::Name::from(place.to_string());
                    let part = self.symbols.field(value, &name, sort(ty));
                    parts.push(self.shown(part, ty, model, depth + 1)?);
                }
                let comma = if parts.len() == 1 { "," } else { "" };
                Some(format!("({}{comma})", parts.join(", ")))
            }
            Ty::Adt(adt) => {
                let fields = self.world.record_fields(self.at.env, adt);
                if fields.is_empty() {
                    return None;
                }
                let mut parts = Vec::new();
                for (name, ty) in fields {
                    let part = self.symbols.field(value, &name, sort(&ty));
                    parts.push(format!("{name}: {}", self.shown(part, &ty, model, depth + 1)?));
                }
                Some(format!("{} {{ {} }}", adt.key.name, parts.join(", ")))
            }
            Ty::Prim(Prim::Str) => Some("\"\"".to_owned()).filter(|_| depth > 0),
            _ => None,
        }
    }

    /// What is known that has to do with a goal, the nearest first.
    pub(super) fn facts_in_words(&self, known: Option<&Hypotheses>) -> Vec<Fact> {
        let wanted: Option<FxHashSet<Term>> = known.map(|it| it.facts.iter().copied().collect());
        let mut facts: Vec<Fact> = Vec::new();
        for fact in self.facts.iter().rev() {
            if facts.len() == MAX_FACTS {
                break;
            }
            if wanted.as_ref().is_some_and(|it| !it.contains(&fact.term)) {
                continue;
            }
            if let Some(fact) = self.fact_in_words(&fact.why)
                && !facts.contains(&fact)
            {
                facts.push(fact);
            }
        }
        facts
    }

    fn fact_in_words(&self, why: &Why) -> Option<Fact> {
        let (proposition, source) = match why {
            Why::Implied => return None,
            Why::Checked(index) => (self.goal(*index).text.clone(), "checked before".to_owned()),
            Why::Said(text, source) => (text.to_string(), source.to_string()),
            Why::Assert(expr) => (self.expr_text(*expr), "assert".to_owned()),
            Why::Condition(expr, true) => (self.expr_text(*expr), "condition".to_owned()),
            Why::Condition(expr, false) => (self.opposite_text(*expr), "condition".to_owned()),
        };
        let fits = proposition.len() <= MAX_TEXT && !proposition.contains('\n');
        fits.then_some(Fact { proposition, source })
    }

    fn expr_text(&self, expr: ExprId) -> String {
        match self.home.ast.subtree(expr).len() <= 60 {
            true => clank_syntax::print_expr(self.home.ast, expr),
            false => "\n".to_owned(),
        }
    }

    fn opposite_text(&self, expr: ExprId) -> String {
        use clank_syntax::ast::BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let ast = self.home.ast;
        match ast.expr(expr) {
            Expr::Unary { op: UnaryOp::Not, operand } => self.expr_text(*operand),
            Expr::Binary { op, left, right } => {
                let opposite = match op {
                    Eq => Ne,
                    Ne => Eq,
                    Lt => Ge,
                    Ge => Lt,
                    Gt => Le,
                    Le => Gt,
                    _ => return format!("!({})", self.expr_text(expr)),
                };
                let (left, right) = (self.expr_text(*left), self.expr_text(*right));
                format!("{left} {} {right}", opposite.text())
            }
            Expr::Ident { .. } | Expr::Call { .. } => format!("!{}", self.expr_text(expr)),
            _ => format!("!({})", self.expr_text(expr)),
        }
    }
}
