//! Matches and patterns: a `switch` where the patterns are flat, otherwise a chain of tests.

use clank_syntax::ast::{ArmId, Expr as Clank, ExprId, Literal, Name, NodeId, Pattern, PatternId};
use clank_syntax::with_stack;
use rustc_hash::FxHashSet;

use super::expr::literal;
use super::operators::is_literal;
use super::{Frame, Goes, Lower};
use crate::body::Resolution;
use crate::emit::facts;
use crate::emit::names;
use crate::emit::tree::{Block, Case, Expr, ExprKind, Stmt, StmtKind, Target};
use crate::env::{Shape, VariantDef};
use crate::ty::{Prim, Ty};

/// What is matched: a value that stays the same, or a tuple that need not be made.
#[derive(Clone)]
enum Subject {
    One(Expr),
    Parts(Vec<Subject>),
}

/// An arm as a test, what its guard needs first, and its body.
struct Tested {
    condition: Option<Expr>,
    body: Block,
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
            Subject::One(value) if arms.len() > 2 && self.is_switch(scrutinee, arms) => {
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
            if is_covered || redundant.contains(&arm.pattern.node()) {
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

    /// The guard of an arm, unless it is `true`.
    fn guard_of(&self, arm: ArmId) -> Option<ExprId> {
        let is_true =
            |it: &ExprId| matches!(self.at.ast.expr(*it), Clank::Literal(Literal::Bool(true)));
        self.at.ast.arm(arm).guard.filter(|it| !is_true(it))
    }

    /// How many variants the sum has that a pattern is of.
    fn count_variants(&self, pattern: PatternId) -> usize {
        self.variant_of(pattern).map_or(0, |it| it.1)
    }

    fn unreachable(&mut self, node: NodeId) {
        let origin = self.origin(node);
        let call = self.cx.call("unreachable", Vec::new(), origin);
        self.leave(StmtKind::Expr(call), origin);
    }

    fn subject(&mut self, scrutinee: ExprId, arms: &[ArmId]) -> Subject {
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
                .map(|(value, id)| Subject::One(self.fixed(value, *id)));
            return Subject::Parts(parts.collect());
        }
        let value = self.value(scrutinee);
        Subject::One(self.fixed(value, scrutinee))
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

    fn always_matches(&self, pattern: PatternId) -> bool {
        let ast = self.at.ast;
        with_stack(|| match ast.pattern(pattern) {
            Pattern::Wildcard | Pattern::Ident { .. } | Pattern::Literal(Literal::Unit) => true,
            Pattern::Tuple { elements } => elements.iter().all(|it| self.always_matches(*it)),
            Pattern::Record { fields } => fields
                .iter()
                .all(|it| ast.field_pattern(*it).pattern.is_none_or(|it| self.always_matches(it))),
            Pattern::Variant { payload, .. } => match self.variant_of(pattern) {
                Some((_, 1)) => payload.iter().all(|it| self.always_matches(*it)),
                _ => false,
            },
            Pattern::Literal(_) | Pattern::Error { .. } => false,
        })
    }

    /// The variant that a pattern means, and how many its sum has.
    fn variant_of(&self, pattern: PatternId) -> Option<(&'a VariantDef, usize)> {
        let def = match (self.at.view.resolution(pattern), self.ty(pattern).base()) {
            (Some(Resolution::Variant { ty, .. }), _) => self.cx.def(ty)?,
            (_, Ty::Adt(adt)) => self.cx.def(&adt.key)?,
            _ => return None,
        };
        let Shape::Sum(variants) = &def.shape else { return None };
        let Pattern::Variant { name, .. } = self.at.ast.pattern(pattern) else { return None };
        let own = name.rsplit('.').next().unwrap_or(name);
        Some((variants.iter().find(|it| it.name == own)?, variants.len()))
    }

    fn switch(&mut self, id: ExprId, value: Expr, arms: &[ArmId], to: Goes) {
        let ast = self.at.ast;
        let mut cases: Vec<Case> = Vec::new();
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
                this.bind(arm.pattern, &Subject::One(value.clone()), true);
                this.goes(arm.body, to.clone());
            });
            all_dead &= is_dead;
            if !is_dead {
                body.0.push(Stmt { kind: StmtKind::Break(None), origin: None });
            }
            cases.push(Case { tests: test.into_iter().collect(), body });
        }
        self.frames.pop();
        let has_default = cases.iter().any(|it| it.tests.is_empty());
        let is_complete =
            arms.first().is_some_and(|it| self.count_variants(ast.arm(*it).pattern) == arms.len());
        if is_sum && !has_default && !is_complete {
            // What is left are variants that no value can be of.
            let (body, _) = self.block(|this| this.unreachable(id.node()));
            cases.push(Case { tests: Vec::new(), body });
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
    fn chain(&mut self, id: ExprId, subject: &Subject, arms: &[ArmId], to: Goes) {
        let ast = self.at.ast;
        let mut branches: Vec<(Expr, Block)> = Vec::new();
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
    fn needs_no_test(&self, subject: &Subject, arms: &[ArmId]) -> bool {
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
        matches!(subject, Subject::One(_)) && is_whole && is_complete && others.iter().all(is_flat)
    }

    /// Whether a pattern binds something inside a variant, for which TypeScript must know the variant.
    fn takes_out(&self, pattern: PatternId, is_inside: bool) -> bool {
        let ast = self.at.ast;
        with_stack(|| match ast.pattern(pattern) {
            Pattern::Ident { .. } => is_inside && self.at.facts.local(pattern.node()).reads > 0,
            Pattern::Tuple { elements } => elements.iter().any(|it| self.takes_out(*it, is_inside)),
            Pattern::Record { fields } => {
                fields.iter().any(|it| match ast.field_pattern(*it).pattern {
                    Some(pattern) => self.takes_out(pattern, is_inside),
                    None => is_inside && self.at.facts.local(it.node()).reads > 0,
                })
            }
            Pattern::Variant { payload, .. } => payload.iter().any(|it| self.takes_out(*it, true)),
            Pattern::Wildcard | Pattern::Literal(_) | Pattern::Error { .. } => false,
        })
    }

    /// Arms whose guards need statements: each falls through to the next.
    fn fall_through(&mut self, id: ExprId, subject: &Subject, arms: &[ArmId], to: Goes) {
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
        subject: &Subject,
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

    /// The test that a pattern matches; nothing if it always does.
    fn test(&self, pattern: PatternId, subject: &Subject) -> Option<Expr> {
        let ast = self.at.ast;
        with_stack(|| match (ast.pattern(pattern), subject) {
            (Pattern::Wildcard | Pattern::Ident { .. } | Pattern::Error { .. }, _) => None,
            (Pattern::Literal(Literal::Unit), _) => None,
            (Pattern::Literal(Literal::Bool(value)), Subject::One(it)) => {
                Some(if *value { it.clone() } else { it.clone().negated() })
            }
            (Pattern::Literal(value), Subject::One(it)) => {
                Some(Expr::binary("===", it.clone(), literal(value)))
            }
            (Pattern::Tuple { elements }, subject) => elements
                .iter()
                .enumerate()
                .map(|(index, it)| self.test(*it, &part(subject, index)))
                .fold(None, Expr::and),
            (Pattern::Record { fields }, Subject::One(object)) => fields
                .iter()
                .filter_map(|it| {
                    let field = ast.field_pattern(*it);
                    let value = object.clone().member(names::legal(&field.name));
                    self.test(field.pattern?, &Subject::One(value))
                })
                .fold(None, |all, it| Expr::and(all, Some(it))),
            (Pattern::Variant { payload, .. }, Subject::One(object)) => {
                let (variant, count) = self.variant_of(pattern)?;
                let tag = object.clone().member("tag");
                let own =
                    (count > 1).then(|| Expr::binary("===", tag, Expr::str(variant.name.as_str())));
                payload
                    .iter()
                    .enumerate()
                    .map(|(index, it)| self.test(*it, &payload_part(object, variant, index)))
                    .fold(own, Expr::and)
            }
            (_, Subject::Parts(_)) => None,
        })
    }

    /// Binds the names of a pattern to parts of what it matches. For a guard they stand for those parts; in a body a part
    /// that is used more than once gets a constant.
    fn bind(&mut self, pattern: PatternId, subject: &Subject, in_body: bool) {
        let ast = self.at.ast;
        with_stack(|| match (ast.pattern(pattern), subject) {
            (Pattern::Ident { name }, Subject::One(value)) => {
                self.bind_name(pattern.node(), name, value, in_body);
            }
            (Pattern::Tuple { elements }, subject) => {
                for (index, it) in elements.iter().enumerate() {
                    self.bind(*it, &part(subject, index), in_body);
                }
            }
            (Pattern::Record { fields }, Subject::One(object)) => {
                for it in fields {
                    let field = ast.field_pattern(*it);
                    let value = object.clone().member(names::legal(&field.name));
                    match field.pattern {
                        Some(pattern) => self.bind(pattern, &Subject::One(value), in_body),
                        None => self.bind_name(it.node(), &field.name, &value, in_body),
                    }
                }
            }
            (Pattern::Variant { payload, .. }, Subject::One(object)) => {
                let Some((variant, _)) = self.variant_of(pattern) else { return };
                for (index, it) in payload.iter().enumerate() {
                    self.bind(*it, &payload_part(object, variant, index), in_body);
                }
            }
            _ => {}
        });
    }

    fn bind_name(&mut self, binder: NodeId, name: &str, value: &Expr, in_body: bool) {
        let local = self.at.facts.local(binder);
        let is_plain = matches!(value.kind, ExprKind::Ident(_));
        let stands_for_part = !in_body || is_plain || (local.reads <= 1 && !local.captured);
        let bound = match stands_for_part && self.is_path(value) {
            true => value.clone(),
            false => self.keep(value.clone(), name, None, self.origin(binder)),
        };
        self.at.locals.insert(binder, bound);
    }

    /// What a `let` or `for` binds, if JavaScript can take the value apart itself; nothing if no name is used.
    pub(super) fn target(&mut self, pattern: PatternId) -> Option<Target> {
        let ast = self.at.ast;
        with_stack(|| match ast.pattern(pattern) {
            Pattern::Ident { name } => self.target_name(pattern.node(), name),
            Pattern::Tuple { elements } => {
                let mut parts: Vec<_> = elements.iter().map(|it| self.target(*it)).collect();
                while parts.last().is_some_and(Option::is_none) {
                    parts.pop();
                }
                (!parts.is_empty()).then_some(Target::Array(parts))
            }
            Pattern::Record { fields } => {
                let fields = fields.iter().filter_map(|it| {
                    let field = ast.field_pattern(*it);
                    let target = match field.pattern {
                        Some(pattern) => self.target(pattern),
                        None => self.target_name(it.node(), &field.name),
                    };
                    Some((names::legal(&field.name), target?))
                });
                let fields: Vec<_> = fields.collect();
                (!fields.is_empty()).then_some(Target::Object(fields))
            }
            Pattern::Wildcard
            | Pattern::Literal(_)
            | Pattern::Variant { .. }
            | Pattern::Error { .. } => None,
        })
    }

    fn target_name(&mut self, binder: NodeId, name: &str) -> Option<Target> {
        let local = self.at.facts.local(binder);
        if local.reads == 0 {
            return None;
        }
        let name = self.declare(name);
        if local.assigned {
            self.mutable.insert(name.clone());
        }
        self.at.locals.insert(binder, Expr::ident(name.clone()));
        Some(Target::Name(name))
    }

    /// Whether JavaScript can take a value apart by this pattern.
    pub(super) fn is_target(&self, pattern: PatternId) -> bool {
        let ast = self.at.ast;
        with_stack(|| match ast.pattern(pattern) {
            Pattern::Wildcard | Pattern::Ident { .. } | Pattern::Literal(Literal::Unit) => true,
            Pattern::Tuple { elements } => elements.iter().all(|it| self.is_target(*it)),
            Pattern::Record { fields } => fields
                .iter()
                .all(|it| ast.field_pattern(*it).pattern.is_none_or(|it| self.is_target(it))),
            Pattern::Variant { .. } | Pattern::Literal(_) | Pattern::Error { .. } => false,
        })
    }

    /// Binds the names of a pattern that JavaScript cannot take apart.
    pub(super) fn bind_parts(&mut self, pattern: PatternId, value: Expr) {
        self.bind(pattern, &Subject::One(value), true);
    }
}

fn part(subject: &Subject, index: usize) -> Subject {
    match subject {
        Subject::One(tuple) => Subject::One(tuple.clone().position(index)),
        Subject::Parts(parts) => {
            parts.get(index).cloned().unwrap_or_else(|| Subject::One(Expr::undefined()))
        }
    }
}

fn payload_part(object: &Expr, variant: &VariantDef, index: usize) -> Subject {
    let name = variant.fields.get(index).and_then(|it| it.0.as_deref());
    Subject::One(object.clone().member(names::variant_field(name, index)))
}

/// The name of a type as the name of a value.
fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}
