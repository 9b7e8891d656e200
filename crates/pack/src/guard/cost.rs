//! An upper bound of what an evaluation costs, from the expression and the very values it would look at.
//!
//! The interpreter has no budget, so the work is bounded beforehand. Every sub-expression gets a shape: the set of
//! values of the document that it can be, or, for what is computed, how many items and how much data it can have. A
//! comprehension costs the longest range it can get times what one round costs; a call costs the data it is given.

use std::collections::BTreeMap;

use cel::IdedExpr;
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, operators};
use document::Value;

/// A regular expression is compiled again by every call.
const REGEX_COST: u64 = 500;

/// What an expression does with maps, whose members the interpreter visits in an order that nobody knows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Maps {
    /// Nothing that the order matters for.
    Left,
    /// It asks something of all of them: only which error comes first depends on the order.
    Walked,
    /// It makes a list of them.
    Listed,
}

/// An upper bound of the cost; anything above `limit` only says that it is more. And what happens to maps.
pub(super) fn of(
    expression: &IdedExpr,
    self_value: &Value,
    doc: &Value,
    limit: u64,
) -> (u64, Maps) {
    let mut ctx = Ctx { limit, spent: 0, bound: BTreeMap::new(), maps: Maps::Left };
    ctx.bound.insert("self", AbstractValue::Values(vec![self_value]));
    ctx.bound.insert("doc", AbstractValue::Values(vec![doc]));
    let (cost, _) = ctx.look(expression);
    let cost = if ctx.spent > limit { u64::MAX } else { cost.saturating_add(ctx.spent / 8) };
    (cost, ctx.maps)
}

/// How much data a value is, counted up to a little more than `limit`.
pub(super) fn weight(value: &Value, limit: u64) -> u64 {
    let mut total: u64 = 0;
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        total = total.saturating_add(1);
        match value {
            Value::String(text) | Value::Datetime(text) => total += text.len() as u64 / 8,
            Value::Array(items) => todo.extend(items),
            Value::Object(members) => {
                for (key, value) in members {
                    total += 1 + key.len() as u64 / 8;
                    todo.push(value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        if total > limit {
            break;
        }
    }
    total
}

/// What an expression can be.
#[derive(Clone)]
enum AbstractValue<'a> {
    /// One of these values of the document.
    Values(Vec<&'a Value>),
    /// Something computed with at most so many items and so much data.
    Size { items: u64, weight: u64, may_be_map: bool },
}

impl AbstractValue<'_> {
    const SCALAR: AbstractValue<'static> =
        AbstractValue::Size { items: 1, weight: 1, may_be_map: false };
}

struct Ctx<'a> {
    limit: u64,
    /// What finding the bound has cost so far: it must not cost more than what it bounds.
    spent: u64,
    bound: BTreeMap<&'a str, AbstractValue<'a>>,
    maps: Maps,
}

impl<'a> Ctx<'a> {
    /// The cost of the expression and what it can be. The depth is that of an accepted expression.
    fn look(&mut self, node: &'a IdedExpr) -> (u64, AbstractValue<'a>) {
        self.spent += 1;
        if self.spent > self.limit {
            return (u64::MAX, AbstractValue::SCALAR);
        }
        match &node.expr {
            Expr::Ident(name) => {
                let shape = self.bound.get(name.as_str()).cloned().unwrap_or(AbstractValue::SCALAR);
                if let AbstractValue::Values(values) = &shape {
                    self.spent = self.spent.saturating_add(values.len() as u64);
                }
                (1, shape)
            }
            Expr::Literal(LiteralValue::String(text)) => {
                let weight = 1 + text.inner().len() as u64 / 8;
                (1, AbstractValue::Size { items: 1, weight, may_be_map: false })
            }
            Expr::Literal(_) | Expr::Unspecified => (1, AbstractValue::SCALAR),
            Expr::Select(select) => {
                let (cost, shape) = self.look(&select.operand);
                let shape = if select.test {
                    AbstractValue::SCALAR
                } else {
                    self.member(shape, Some(&select.field))
                };
                (cost.saturating_add(1), shape)
            }
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(it) => self.comprehension(it),
            Expr::List(list) => self.all(list.elements.iter(), false),
            Expr::Map(map) => {
                self.all(map.entries.iter().flat_map(|it| super::entry(&it.expr)), true)
            }
            Expr::Struct(it) => self.all(
                it.entries.iter().map(|it| match &it.expr {
                    EntryExpr::StructField(field) => &field.value,
                    EntryExpr::MapEntry(entry) => &entry.value,
                }),
                true,
            ),
        }
    }

    /// A literal collection of these.
    fn all(
        &mut self,
        parts: impl Iterator<Item = &'a IdedExpr>,
        may_be_map: bool,
    ) -> (u64, AbstractValue<'a>) {
        let (mut cost, mut items, mut total): (u64, u64, u64) = (1, 0, 1);
        for part in parts {
            let (part_cost, shape) = self.look(part);
            cost = cost.saturating_add(part_cost);
            items += 1;
            total = total.saturating_add(self.weight(&shape));
        }
        (cost, AbstractValue::Size { items, weight: total, may_be_map })
    }

    fn call(&mut self, call: &'a CallExpr) -> (u64, AbstractValue<'a>) {
        let mut cost: u64 = 1;
        let mut shapes = Vec::new();
        for part in call.target.as_deref().into_iter().chain(&call.args) {
            let (part_cost, shape) = self.look(part);
            cost = cost.saturating_add(part_cost);
            shapes.push(shape);
        }
        match call.func_name.as_str() {
            operators::LOGICAL_AND
            | operators::LOGICAL_OR
            | operators::LOGICAL_NOT
            | operators::NOT_STRICTLY_FALSE => (cost, AbstractValue::SCALAR),
            operators::INDEX => {
                let key = match call.args.last().map(|it| &it.expr) {
                    Some(Expr::Literal(LiteralValue::String(key))) => Some(key.inner()),
                    _ => None,
                };
                let container = shapes.into_iter().next().unwrap_or(AbstractValue::SCALAR);
                (cost, self.member(container, key))
            }
            operators::CONDITIONAL => {
                let arms: Vec<(u64, u64)> =
                    shapes.iter().skip(1).map(|it| (self.items(it), self.weight(it))).collect();
                let items = arms.iter().map(|it| it.0).max().unwrap_or(1);
                let weight = arms.iter().map(|it| it.1).max().unwrap_or(1);
                let may_be_map = shapes.iter().skip(1).any(may_be_map);
                (cost, AbstractValue::Size { items, weight, may_be_map })
            }
            name => {
                let items =
                    shapes.iter().fold(0, |acc: u64, it| acc.saturating_add(self.items(it)));
                let weights: Vec<u64> = shapes.iter().map(|it| self.weight(it)).collect();
                let weight = weights.iter().fold(0, |acc: u64, it| acc.saturating_add(*it));
                let extra = if name == "matches" { REGEX_COST } else { 0 };
                (
                    cost.saturating_add(weight).saturating_add(extra),
                    AbstractValue::Size { items, weight, may_be_map: name == "dyn" },
                )
            }
        }
    }

    fn comprehension(&mut self, it: &'a ComprehensionExpr) -> (u64, AbstractValue<'a>) {
        let (range_cost, range) = self.look(&it.iter_range);
        let (init_cost, init) = self.look(&it.accu_init);
        let n_rounds = self.items(&range);
        if may_be_map(&range) {
            let is_list = matches!(it.accu_init.expr, Expr::List(_));
            self.maps = self.maps.max(if is_list { Maps::Listed } else { Maps::Walked });
        }
        let (first, second) = self.rounds(range);
        let names =
            [Some(it.iter_var.as_str()), it.iter_var2.as_deref(), Some(it.accu_var.as_str())];
        let before: Vec<_> =
            names.iter().flatten().map(|name| (*name, self.bound.remove(*name))).collect();
        match it.iter_var2.as_deref() {
            Some(name) => {
                self.bound.insert(&it.iter_var, AbstractValue::SCALAR);
                self.bound.insert(name, second);
            }
            None => {
                self.bound.insert(&it.iter_var, first);
            }
        }
        // The accumulator grows by what one round adds to an empty one: the macros use it once per round.
        self.bound
            .insert(&it.accu_var, AbstractValue::Size { items: 0, weight: 0, may_be_map: false });
        let (cond_cost, _) = self.look(&it.loop_cond);
        let (step_cost, step) = self.look(&it.loop_step);
        let items = self.items(&init).saturating_add(n_rounds.saturating_mul(self.items(&step)));
        let weight = self.weight(&init).saturating_add(n_rounds.saturating_mul(self.weight(&step)));
        self.bound.insert(&it.accu_var, AbstractValue::Size { items, weight, may_be_map: false });
        let (result_cost, result) = self.look(&it.result);
        for (name, shape) in before {
            match shape {
                Some(shape) => self.bound.insert(name, shape),
                None => self.bound.remove(name),
            };
        }
        let round = cond_cost.saturating_add(step_cost).saturating_add(1);
        let cost = range_cost.saturating_add(init_cost).saturating_add(result_cost);
        (cost.saturating_add(n_rounds.saturating_mul(round)), result)
    }

    /// What one round over a range gets: an item or a key, and the value of a key.
    fn rounds(&mut self, range: AbstractValue<'a>) -> (AbstractValue<'a>, AbstractValue<'a>) {
        match range {
            AbstractValue::Size { weight, .. } => {
                let part = AbstractValue::Size { items: weight, weight, may_be_map: true };
                (part.clone(), part)
            }
            AbstractValue::Values(values) => {
                let has_object = values.iter().any(|it| matches!(it, Value::Object(_)));
                let keys = values.iter().map(|it| longest_key(it)).max().unwrap_or_default();
                let members = self.member(AbstractValue::Values(values), None);
                let first = if has_object {
                    let weight = self.weight(&members).max(1 + keys / 8);
                    AbstractValue::Size { items: weight, weight, may_be_map: true }
                } else {
                    members.clone()
                };
                (first, members)
            }
        }
    }

    fn member(&mut self, shape: AbstractValue<'a>, key: Option<&str>) -> AbstractValue<'a> {
        let values = match shape {
            AbstractValue::Size { weight, .. } => {
                return AbstractValue::Size { items: weight, weight, may_be_map: true };
            }
            AbstractValue::Values(values) => values,
        };
        let mut found: Vec<&'a Value> = Vec::new();
        for value in values {
            match (value, key) {
                (object, Some(key)) => found.extend(object.get(key)),
                (Value::Object(members), None) => found.extend(members.iter().map(|it| &it.1)),
                (Value::Array(items), None) => found.extend(items),
                _ => {}
            }
            self.spent = self.spent.saturating_add(1);
        }
        self.spent = self.spent.saturating_add(found.len() as u64);
        AbstractValue::Values(found)
    }

    fn items(&self, shape: &AbstractValue<'_>) -> u64 {
        match shape {
            AbstractValue::Size { items, .. } => *items,
            AbstractValue::Values(values) => {
                values.iter().map(|it| n_members(it)).max().unwrap_or_default()
            }
        }
    }

    fn weight(&mut self, shape: &AbstractValue<'_>) -> u64 {
        match shape {
            AbstractValue::Size { weight, .. } => *weight,
            AbstractValue::Values(values) => {
                let mut most = 0;
                for value in values {
                    if self.spent > self.limit {
                        return u64::MAX;
                    }
                    let weight = weight(value, self.limit);
                    // Scalars are what most values are, and cost nothing to weigh.
                    self.spent = self.spent.saturating_add(weight);
                    most = most.max(weight);
                }
                most
            }
        }
    }
}

fn may_be_map(shape: &AbstractValue<'_>) -> bool {
    match shape {
        AbstractValue::Size { may_be_map, .. } => *may_be_map,
        AbstractValue::Values(values) => values.iter().any(|it| matches!(it, Value::Object(_))),
    }
}

fn n_members(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.len() as u64,
        Value::Object(members) => members.len() as u64,
        _ => 1,
    }
}

fn longest_key(value: &Value) -> u64 {
    match value {
        Value::Object(members) => {
            members.iter().map(|it| it.0.len() as u64).max().unwrap_or_default()
        }
        _ => 0,
    }
}
