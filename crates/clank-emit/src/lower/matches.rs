//! Matches: a `switch` where the patterns are flat, otherwise a chain of tests.

use clank::ty::{Prim, Ty};
use clank_syntax::ast::{ArmId, Expr as Clank, ExprId, Name, NodeId, Pattern};
use rustc_hash::FxHashSet;

use super::expr::literal;
use super::operators::is_literal;
use super::pattern::Scrutinee;
use super::{Frame, Goes, Lower};
use crate::facts;
use crate::tree::{Expr, JsBlock, Stmt, StmtKind, SwitchCase};

/// An arm as a test, what its guard needs first, and its body.
struct Tested {
    condition: Option<Expr>,
    body: JsBlock,
    is_dead: bool,
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn match_arms(&mut self, id: ExprId, scrutinee: ExprId, arms: &[ArmId], to: Goes) {
        if let [only] = self.reachable(arms)[..]
            && !self.is_looked_at(only)
        {
            self.goes(scrutinee, Goes::Away);
            return self.goes(self.at.ast.arm(only).body, to);
        }
        let subject = self.subject(scrutinee, arms);
        if self.dead {
            return;
        }
        let arms = &self.reachable(arms)[..];
        if arms.is_empty() {
            self.unreachable(id.node());
            return;
        }
        match &subject {
            Scrutinee::One(value) if arms.len() > 2 && self.is_switch(scrutinee, arms) => {
                self.switch(id, value.clone(), arms, to);
            }
            _ if self.has_large_guard(arms) => self.fall_through(id, &subject, arms, to),
            _ => self.chain(id, &subject, arms, to),
        }
    }

    /// The arms that some value reaches: TypeScript refuses tests that cannot hold.
    fn reachable(&self, arms: &[ArmId]) -> Vec<ArmId> {
        let ast = self.at.ast;
        let redundant = &self.cx.program.list[self.at.module as usize].redundant;
        let mut whole: FxHashSet<&Name> = FxHashSet::default();
        let mut reachable = Vec::new();
        for id in arms {
            let arm = ast.arm(*id);
            let pattern = ast.pattern(arm.pattern);
            let is_covered = match pattern {
                Pattern::Variant { name, .. } => whole.contains(name),
                _ => false,
            };
            let is_shut = arm.guard.is_some_and(|it| self.constant(it) == Some(false));
            if is_covered || is_shut || redundant.contains(&arm.pattern.node()) {
                continue;
            }
            reachable.push(*id);
            let is_sure = self.guard_of(*id).is_none();
            match pattern {
                Pattern::Variant { name, payload }
                    if is_sure && payload.iter().all(|it| self.always_matches(*it)) =>
                {
                    whole.insert(name);
                }
                _ if is_sure && self.always_matches(arm.pattern) => break,
                _ => {}
            }
        }
        reachable
    }

    /// Whether an arm depends on what is matched.
    fn is_looked_at(&self, arm: ArmId) -> bool {
        let pattern = self.at.ast.arm(arm).pattern;
        let is_ignored = match self.at.ast.pattern(pattern) {
            Pattern::Wildcard => true,
            Pattern::Ident { .. } => self.at.facts.local(pattern.node()).reads == 0,
            _ => false,
        };
        !is_ignored || self.guard_of(arm).is_some()
    }

    /// The guard of an arm, unless it always holds.
    fn guard_of(&self, arm: ArmId) -> Option<ExprId> {
        self.at.ast.arm(arm).guard.filter(|it| self.constant(*it) != Some(true))
    }

    fn unreachable(&mut self, node: NodeId) {
        let origin = self.origin(node);
        let call = self.cx.call("unreachable", Vec::new(), origin);
        self.leave(StmtKind::Expr(call), origin);
    }

    fn subject(&mut self, scrutinee: ExprId, arms: &[ArmId]) -> Scrutinee {
        let ast = self.at.ast;
        let is_taken_apart = arms.iter().all(|it| {
            let pattern = ast.pattern(ast.arm(*it).pattern);
            matches!(pattern, Pattern::Tuple { .. } | Pattern::Wildcard)
        });
        if let Clank::Tuple { elements } = ast.expr(scrutinee)
            && is_taken_apart
            && self.checks_at(scrutinee.node()).is_empty()
        {
            let values = self.operands(elements);
            let parts = values
                .into_iter()
                .zip(elements)
                .map(|(value, id)| Scrutinee::One(self.fixed(value, *id)));
            return Scrutinee::Parts(parts.collect());
        }
        let value = self.value(scrutinee);
        Scrutinee::One(self.fixed(value, scrutinee))
    }

    /// The value in a name, unless it is in one already.
    fn fixed(&mut self, value: Expr, id: ExprId) -> Expr {
        if self.is_path(&value) || self.dead {
            return value;
        }
        let name = match self.ty(id).base() {
            Ty::Adt(adt) => lower_first(&adt.key.name),
            _ => "value".into(),
        };
        let ty = if is_literal(&value) { Some(self.ty(id)) } else { self.annotation(id) };
        self.keep(value, &name, ty, self.origin(id))
    }

    /// Whether every arm is about one variant or one literal, without guards, except for a last one that takes all.
    fn is_switch(&self, scrutinee: ExprId, arms: &[ArmId]) -> bool {
        let ast = self.at.ast;
        let is_sum = match self.ty(scrutinee).base() {
            Ty::Adt(_) => true,
            Ty::Prim(Prim::Bool | Prim::Unit) => return false,
            Ty::Prim(_) => false,
            _ => return false,
        };
        arms.iter().enumerate().all(|(index, it)| {
            let arm = ast.arm(*it);
            let is_last = index + 1 == arms.len();
            self.guard_of(*it).is_none()
                && match ast.pattern(arm.pattern) {
                    Pattern::Variant { payload, .. } => {
                        is_sum && payload.iter().all(|it| self.always_matches(*it))
                    }
                    Pattern::Literal(_) => !is_sum && !is_last,
                    Pattern::Wildcard | Pattern::Ident { .. } => is_last,
                    _ => false,
                }
        })
    }

    fn switch(&mut self, id: ExprId, value: Expr, arms: &[ArmId], to: Goes) {
        let ast = self.at.ast;
        let mut cases: Vec<SwitchCase> = Vec::new();
        let mut all_dead = true;
        let mut is_sum = false;
        self.frames.push(Frame::Switch);
        for arm in arms {
            let arm = ast.arm(*arm);
            let test = match ast.pattern(arm.pattern) {
                Pattern::Variant { name, .. } => {
                    is_sum = true;
                    Some(Expr::str(name.rsplit('.').next().unwrap_or(name)))
                }
                Pattern::Literal(it) => Some(literal(it)),
                _ => None,
            };
            let (mut body, is_dead) = self.block(|this| {
                this.bind(arm.pattern, &Scrutinee::One(value.clone()), true);
                this.goes(arm.body, to.clone());
            });
            all_dead &= is_dead;
            if !is_dead {
                body.0.push(Stmt { kind: StmtKind::Break(None), origin: None });
            }
            cases.push(SwitchCase { tests: test.into_iter().collect(), body });
        }
        self.frames.pop();
        let has_default = cases.iter().any(|it| it.tests.is_empty());
        let is_complete =
            arms.first().is_some_and(|it| self.count_variants(ast.arm(*it).pattern) == arms.len());
        if is_sum && !has_default && !is_complete {
            // What is left are variants that no value can be of.
            let (body, _) = self.block(|this| this.unreachable(id.node()));
            cases.push(SwitchCase { tests: Vec::new(), body });
        }
        let subject = if is_sum { value.member("tag") } else { value };
        self.push(StmtKind::Switch { subject, cases }, self.origin(id));
        self.dead |= all_dead;
    }

    fn has_large_guard(&self, arms: &[ArmId]) -> bool {
        arms.iter().filter_map(|it| self.guard_of(*it)).any(|guard| {
            self.at.facts.needs_statements(guard) || !facts::is_small(self.at.ast, guard)
        })
    }

    /// `if … else if … else …`
    fn chain(&mut self, id: ExprId, subject: &Scrutinee, arms: &[ArmId], to: Goes) {
        let ast = self.at.ast;
        let mut branches: Vec<(Expr, JsBlock)> = Vec::new();
        let mut otherwise = None;
        let mut all_dead = true;
        for (index, arm_id) in arms.iter().enumerate() {
            let arm = ast.arm(*arm_id);
            let is_last = index + 1 == arms.len();
            let arm_guard = self.guard_of(*arm_id);
            let test = match is_last && arm_guard.is_none() && self.needs_no_test(subject, arms) {
                true => None,
                false => self.test(arm.pattern, subject),
            };
            let guard = arm_guard.map(|guard| {
                self.bind(arm.pattern, subject, false);
                let captured = self.capture(|this| this.value(guard));
                self.out.extend(captured.statements);
                captured.value
            });
            let condition = Expr::and(test, guard);
            let write = |this: &mut Self| {
                this.bind(arm.pattern, subject, true);
                this.goes(arm.body, to.clone());
            };
            match condition {
                // What follows no branch stands in the block around, with its names.
                None if branches.is_empty() => return write(self),
                None => {
                    let (body, is_dead) = self.block(write);
                    all_dead &= is_dead;
                    otherwise = Some(body);
                    break;
                }
                Some(condition) => {
                    let (body, is_dead) = self.block(write);
                    all_dead &= is_dead;
                    if self.returns_value(&to) && is_dead {
                        let branches = vec![(condition, body)];
                        let kind = StmtKind::If { branches, otherwise: None };
                        self.push(kind, self.origin(*arm_id));
                    } else {
                        branches.push((condition, body));
                    }
                }
            }
        }
        if otherwise.is_none() {
            let (body, _) = self.block(|this| this.unreachable(id.node()));
            if branches.is_empty() {
                self.out.extend(std::mem::take(&mut { body }.0));
                self.dead = true;
                return;
            }
            otherwise = Some(body);
        }
        let otherwise = otherwise.filter(|it| !it.0.is_empty());
        match branches.is_empty() {
            true => {
                self.out.extend(otherwise.into_iter().flat_map(|mut it| std::mem::take(&mut it.0)))
            }
            false => self.push(StmtKind::If { branches, otherwise }, self.origin(id)),
        }
        self.dead |= all_dead;
    }

    /// Whether TypeScript sees without a test that only the last arm is left: every other arm takes all of one variant, or
    /// the last one has nothing to take out.
    fn needs_no_test(&self, subject: &Scrutinee, arms: &[ArmId]) -> bool {
        let ast = self.at.ast;
        let Some((last, others)) = arms.split_last() else { return false };
        let last = ast.arm(*last).pattern;
        if !self.takes_out(last, false) {
            return true;
        }
        let is_flat = |it: &ArmId| {
            let arm = ast.arm(*it);
            self.guard_of(*it).is_none()
                && match ast.pattern(arm.pattern) {
                    Pattern::Variant { payload, .. } => {
                        payload.iter().all(|it| self.always_matches(*it))
                    }
                    _ => false,
                }
        };
        let is_whole = match ast.pattern(last) {
            Pattern::Variant { payload, .. } => payload.iter().all(|it| self.always_matches(*it)),
            _ => false,
        };
        // A variant that no value can be of needs no arm, which TypeScript does not see.
        let is_complete = self.count_variants(last) == arms.len();
        matches!(subject, Scrutinee::One(_))
            && is_whole
            && is_complete
            && others.iter().all(is_flat)
    }

    /// Arms whose guards need statements: each falls through to the next.
    fn fall_through(&mut self, id: ExprId, subject: &Scrutinee, arms: &[ArmId], to: Goes) {
        let label = (!matches!(to, Goes::Return(_))).then(|| self.declare("match"));
        let (body, is_dead) = self.block(|this| {
            let mut ends = true;
            for arm in arms {
                let is_last = arms.last() == Some(arm) && this.guard_of(*arm).is_none();
                let is_sure = is_last && !this.takes_out(this.at.ast.arm(*arm).pattern, false);
                let tested = this.fallible_arm(subject, *arm, &to, label.as_ref(), is_sure);
                ends &= tested.is_dead;
                let Tested { condition, body, .. } = tested;
                match condition {
                    Some(condition) => {
                        let kind =
                            StmtKind::If { branches: vec![(condition, body)], otherwise: None };
                        this.push(kind, this.origin(*arm));
                    }
                    None => {
                        this.push(StmtKind::Scope(body), this.origin(*arm));
                        this.dead = this.guard_of(*arm).is_none();
                    }
                }
            }
            if !this.dead {
                this.unreachable(id.node());
            }
            this.dead = ends;
        });
        match label {
            Some(label) => self.push(StmtKind::Labelled { label, body }, self.origin(id)),
            None => self.out.extend(std::mem::take(&mut { body }.0)),
        }
        self.dead |= is_dead;
    }

    /// One arm of those: bindings, then what the guard needs, then the body if it holds. What comes to the end of the body
    /// leaves the match.
    fn fallible_arm(
        &mut self,
        subject: &Scrutinee,
        arm: ArmId,
        to: &Goes,
        label: Option<&Name>,
        is_sure: bool,
    ) -> Tested {
        let guard = self.guard_of(arm);
        let ast = self.at.ast;
        let arm = ast.arm(arm);
        let condition = if is_sure { None } else { self.test(arm.pattern, subject) };
        let mut ends = true;
        let (body, _) = self.block(|this| {
            this.bind(arm.pattern, subject, true);
            let mut write = |this: &mut Self| {
                this.goes(arm.body, to.clone());
                if !this.dead
                    && let Some(label) = label
                {
                    ends = false;
                    this.leave(StmtKind::Break(Some(label.clone())), None);
                }
            };
            match guard {
                None => write(this),
                Some(guard) => {
                    let guard = this.value(guard);
                    let (body, _) = this.block(write);
                    let branches = vec![(guard, body)];
                    this.push(StmtKind::If { branches, otherwise: None }, None);
                }
            }
        });
        Tested { condition, body, is_dead: ends }
    }
}

/// The name of a type as the name of a value.
fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}
