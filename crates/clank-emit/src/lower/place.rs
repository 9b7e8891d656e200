//! Assignments. Values are shared and never change under anyone else, so an element or a field is assigned in a copy, unless
//! the local owns its value.

use clank::body::{Goal, Resolution, Site};
use clank::ty::Ty;
use clank_syntax::ast::{Expr as Clank, ExprId, Name, StmtId};

use super::{Goes, Lower};
use crate::facts;
use crate::names;
use crate::tree::{Expr, ExprKind, NodeOrigin, StmtKind};

/// A step from a value to a part of it.
#[derive(Clone)]
enum Accessor {
    Index(ExprId),
    Field(Name),
    Position(usize),
}

impl Lower<'_, '_> {
    pub(super) fn assign(&mut self, id: StmtId, target: ExprId, value: ExprId) {
        let origin = self.origin(id);
        let (root, steps) = self.path(target);
        let Some(Resolution::Local(local)) = self.at.view.resolution(root) else { return };
        let binder = self.at.view.local(*local);
        let local = self.at.facts.local(binder);
        let known = self.at.locals.get(&binder).cloned();
        let name = match known.map(|it| it.kind) {
            Some(ExprKind::Ident(name)) => Some(name),
            _ => None,
        };
        let mut goals = self.checks_at(id.node());
        goals.extend(self.checks_at(target.node()));
        if !steps.is_empty() {
            if let Some(name) = name {
                self.update(&name, &steps, (id, target), value, local.is_owned());
            }
            return;
        }
        let Some(name) = name.filter(|_| local.reads > 0) else {
            let value_given = self.value(value);
            let checked = self.checked(value_given, &goals, value.node());
            return self.give(checked, value, Goes::Away);
        };
        if goals.is_empty() && !local.is_owned() {
            return self.goes(value, Goes::To(name));
        }
        let given = self.value(value);
        let given = self.checked(given, &goals, value.node());
        if self.dead {
            return;
        }
        let given = match local.is_owned() && !facts::is_fresh(self.at.ast, self.at.view, value) {
            true => self.cx.call("copy", vec![given], origin),
            false => given,
        };
        self.push(StmtKind::Assign { target: Expr::ident(name), value: given }, origin);
    }

    /// The local at the root of a place, and the way from there.
    fn path(&self, target: ExprId) -> (ExprId, Vec<Accessor>) {
        let mut steps = Vec::new();
        let mut root = target;
        loop {
            root = match self.at.ast.expr(root) {
                Clank::Index { object, index } => {
                    steps.push(Accessor::Index(*index));
                    *object
                }
                Clank::Field { object, field } => {
                    steps.push(match field.parse() {
                        Ok(position) => Accessor::Position(position),
                        Err(_) => Accessor::Field(names::legal(field)),
                    });
                    *object
                }
                _ => break,
            };
        }
        steps.reverse();
        (root, steps)
    }

    /// Assigns a part: the indices are evaluated first, then the value, then every value on the way is copied.
    fn update(
        &mut self,
        name: &Name,
        steps: &[Accessor],
        (id, target): (StmtId, ExprId),
        value: ExprId,
        is_owned: bool,
    ) {
        let origin = self.origin(id);
        let indices = steps.iter().filter_map(|it| match it {
            Accessor::Index(index) => Some(*index),
            _ => None,
        });
        let ids: Vec<ExprId> = indices.collect();
        let goals = self.checks_at(target.node());
        let ids: Vec<ExprId> = ids.into_iter().chain([value]).collect();
        let mut operands = self.operands(&ids);
        let given = operands.pop().unwrap_or_else(Expr::undefined);
        let given = self.checked(given, &goals, value.node());
        if self.dead {
            return;
        }
        let around = self.checks_at(id.node());
        if !around.is_empty() {
            let stable =
                operands.into_iter().map(|it| self.keep_unless_stable(it, "index", origin));
            operands = stable.collect();
        }
        let indices = operands.clone();
        // Every part of the way is read and written, and the value must be there before the first of them is checked.
        let is_deep = steps.len() > 1 || !is_owned;
        let (operands, given) = match is_deep || !given.is_pure() {
            true => {
                let kept = operands.into_iter().map(|it| match it.kind {
                    ExprKind::Ident(_) if given.is_pure() => it,
                    _ if self.is_stable(&it) => it,
                    _ => self.keep(it, "index", None, origin),
                });
                let kept = kept.collect();
                let given = match given.is_pure() {
                    true => given,
                    false => self.keep(given, "value", self.annotation(value), origin),
                };
                (kept, given)
            }
            false => (operands, given),
        };
        let mut operands: std::vec::IntoIter<Expr> = operands.into_iter();
        let mut object = Expr::ident(name.clone());
        if !is_owned {
            let copy = self.cx.call("copy", vec![object.clone()], origin);
            self.push(StmtKind::Assign { target: object.clone(), value: copy }, origin);
        }
        for (index, step) in steps.iter().enumerate() {
            let operand = match step {
                Accessor::Index(_) => operands.next(),
                Accessor::Field(_) | Accessor::Position(_) => None,
            };
            if index + 1 == steps.len() {
                let target = self.step(&object, step, operand, "place", origin);
                self.push(StmtKind::Assign { target, value: given }, origin);
                break;
            }
            let read = self.step(&object, step, operand.clone(), "at", origin);
            let copy = self.cx.call("copy", vec![read], origin);
            let part = self.keep(copy, "part", None, origin);
            let target = self.step(&object, step, operand, "place", origin);
            self.push(StmtKind::Assign { target, value: part.clone() }, origin);
            object = part;
        }
        for goal in &around {
            self.check_around(goal, name, steps, &indices, origin);
        }
    }

    /// Checks a value in which a part was assigned, or one of its fields.
    fn check_around(
        &mut self,
        goal: &Goal,
        name: &Name,
        steps: &[Accessor],
        indices: &[Expr],
        origin: Option<NodeOrigin>,
    ) {
        let (Site::Around { depth, field }, Some(expected)) = (&goal.site, &goal.expected) else {
            return;
        };
        let steps = &steps[..steps.len().saturating_sub(*depth as usize)];
        let owner = self.at_path(name, steps, indices, origin);
        let Ty::Refined(refined) = expected else { return };
        for predicate in &refined.predicates {
            let text = (refined.predicates.len() == 1).then_some(goal.text.as_str());
            let value = match field {
                None => owner.clone(),
                Some(field) => owner.clone().member(names::legal(field)),
            };
            self.owner = field.as_ref().map(|_| owner.clone());
            self.check_predicate(&value, predicate, text, origin);
            self.owner = None;
        }
    }

    /// What is at the end of a path.
    fn at_path(
        &mut self,
        name: &Name,
        steps: &[Accessor],
        indices: &[Expr],
        origin: Option<NodeOrigin>,
    ) -> Expr {
        let mut indices = indices.iter().cloned();
        let mut owner = Expr::ident(name.clone());
        for step in steps {
            owner = match step {
                Accessor::Index(_) => {
                    let index = indices.next().unwrap_or_else(Expr::undefined);
                    self.cx.call("at", vec![owner, index], origin)
                }
                Accessor::Field(field) => owner.member(field.clone()),
                Accessor::Position(position) => owner.position(*position),
            };
        }
        owner
    }

    /// A part of an object: as a value with the helper `at`, as a place to assign to with `place`.
    fn step(
        &mut self,
        object: &Expr,
        step: &Accessor,
        index: Option<Expr>,
        helper: &'static str,
        origin: Option<NodeOrigin>,
    ) -> Expr {
        match step {
            Accessor::Index(_) => {
                let index = index.unwrap_or_else(Expr::undefined);
                let call = self.cx.call(helper, vec![object.clone(), index], origin);
                if helper == "at" { call } else { object.clone().element(call) }
            }
            Accessor::Field(name) => object.clone().member(name.clone()),
            Accessor::Position(position) => object.clone().position(*position),
        }
    }
}
