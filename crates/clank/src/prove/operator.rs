//! Operators: chains of them, what they give, and what must hold for them.

use clank_syntax::ast::{BinaryOp, Expr, ExprId};
use num_traits::ToPrimitive;
use solver::{Sort, Term, TermKind};

use super::symbols::{FunctionSymbol, sort};
use super::walk::{Walk, Why};
use crate::body::GoalKind;
use crate::env::TypeBody;
use crate::ty::{Prim, Ty};

/// How deep two composed values are compared part by part.
const MAX_COMPARED: u32 = 6;

/// A run of `&&`s, or of `||`s: what is on the right is only looked at if the left does not decide.
struct Run {
    op: BinaryOp,
    mark: usize,
    parts: Vec<Term>,
    /// How many operands were reached before one did not come back.
    alive: Option<usize>,
    vars: std::collections::BTreeMap<clank_syntax::ast::NodeId, Term>,
}

impl Walk<'_> {
    /// A chain of operators to the left is as deep as it is long: it is walked from its innermost operand outwards.
    pub(super) fn binary_chain(&mut self, id: ExprId) -> Term {
        let ast = self.at.ast;
        let mut chain = Vec::new();
        let mut at = id;
        while let Expr::Binary { op, left, right } = ast.expr(at) {
            chain.push((at, *op, *left, *right));
            at = *left;
        }
        let mut value = self.expr(at);
        let mut run: Option<Run> = None;
        self.conjuncts.clear();
        while let Some((node, op, left, right)) = chain.pop() {
            self.n_nodes += 1;
            if let Some(open) = run.take_if(|it| it.op != op) {
                value = self.end_run(open);
            }
            match op {
                BinaryOp::And | BinaryOp::Or => {
                    let open = run.get_or_insert_with(|| self.start_run(op, value));
                    self.next_operand(open, (node, left), right);
                }
                BinaryOp::Pipe => value = self.pipe(node, left, value, right),
                _ => {
                    let other = self.expr(right);
                    if !self.is_dead {
                        value = self.operation(node, op, left, value, other);
                    }
                }
            }
            if node != id && run.is_none() {
                self.after(node.node(), value);
            }
        }
        match run {
            Some(open) => self.end_run(open),
            None => value,
        }
    }

    fn start_run(&mut self, op: BinaryOp, first: Term) -> Run {
        let mark = self.facts.len();
        Run { op, mark, parts: vec![first], alive: None, vars: self.vars.clone() }
    }

    fn next_operand(&mut self, run: &mut Run, (_, left): (ExprId, ExprId), right: ExprId) {
        if self.is_dead && run.alive.is_none() && run.parts.len() == 1 {
            self.skip(right);
            return;
        }
        let last = *run.parts.last().expect("a run starts with an operand");
        let is_and = run.op == BinaryOp::And;
        let why = if run.parts.len() == 1 { Why::Condition(left, is_and) } else { Why::Implied };
        match is_and {
            true => self.assume(last, why),
            false => self.assume_not(last, why),
        }
        let value = self.expr(right);
        if self.is_dead && run.alive.is_none() {
            run.alive = Some(run.parts.len());
        }
        run.parts.push(value);
    }

    fn end_run(&mut self, run: Run) -> Term {
        let is_and = run.op == BinaryOp::And;
        self.facts.truncate(run.mark);
        if run.parts.len() == 1 {
            return run.parts[0];
        }
        let changed = self.vars.iter().filter(|it| run.vars.get(it.0) != Some(it.1));
        let changed: Vec<_> = changed.map(|it| *it.0).collect();
        for local in changed {
            let value = self.unknown(self.ty(local));
            self.vars.insert(local, value);
        }
        let Some(alive) = run.alive else {
            if is_and {
                self.conjuncts = run.parts.clone();
            }
            return match is_and {
                true => self.symbols.terms.and(&run.parts),
                false => self.symbols.terms.or(&run.parts),
            };
        };
        // Whoever gets here was decided by the operands before the one that does not come back.
        self.is_dead = false;
        let reached = &run.parts[..alive];
        match is_and {
            true => {
                let all = self.symbols.terms.and(reached);
                self.assume_not(all, Why::Implied);
            }
            false => {
                let any = self.symbols.terms.or(reached);
                self.assume(any, Why::Implied);
            }
        }
        self.symbols.terms.bool(!is_and)
    }

    fn operation(&mut self, node: ExprId, op: BinaryOp, left: ExprId, a: Term, b: Term) -> Term {
        let terms = &mut self.symbols.terms;
        let is_integer = terms.sort(a) == Sort::Int && terms.sort(b) == Sort::Int;
        match op {
            BinaryOp::Eq => return self.equal(a, b, self.ty(left), 0),
            BinaryOp::Ne => {
                let equal = self.equal(a, b, self.ty(left), 0);
                return self.symbols.terms.not(equal);
            }
            BinaryOp::Concat => return self.concat(a, b, self.ty(node)),
            _ if !is_integer => {
                let result = sort(self.ty(node));
                return self.symbols.apply(FunctionSymbol::Operation(op.text()), &[a, b], result);
            }
            BinaryOp::Lt => return terms.lt(a, b),
            BinaryOp::Le => return terms.le(a, b),
            BinaryOp::Gt => return terms.gt(a, b),
            BinaryOp::Ge => return terms.ge(a, b),
            _ => {}
        }
        self.arithmetic(node, op, a, b)
    }

    fn arithmetic(&mut self, node: ExprId, op: BinaryOp, a: Term, b: Term) -> Term {
        self.operand_goals(node, b);
        let terms = &mut self.symbols.terms;
        let value = match op {
            BinaryOp::Add => terms.add(a, b),
            BinaryOp::Sub => terms.sub(a, b),
            BinaryOp::Mul => self.product(a, b),
            BinaryOp::Div => terms.div(a, b),
            BinaryOp::Rem => terms.rem(a, b),
            _ => self.power(a, b),
        };
        self.overflow(node, value);
        if matches!(op, BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow)
            && matches!(self.ty(node), Ty::Prim(Prim::Nat))
        {
            self.assume_type(value, self.ty(node));
        }
        value
    }

    fn product(&mut self, a: Term, b: Term) -> Term {
        let value = self.symbols.terms.mul(a, b);
        if a == b && !matches!(self.symbols.terms.kind(a), TermKind::Int(_)) {
            let zero = self.symbols.int(0);
            let holds = self.symbols.terms.ge(value, zero);
            self.assume(holds, Why::Implied);
        }
        value
    }

    fn power(&mut self, a: Term, b: Term) -> Term {
        let exponent = match self.symbols.terms.kind(b) {
            TermKind::Int(exponent) => exponent.to_u32(),
            _ => None,
        };
        match exponent {
            Some(0) => self.symbols.int(1),
            Some(exponent @ 1..=64) => {
                let is_number = matches!(self.symbols.terms.kind(a), TermKind::Int(_));
                if !is_number && exponent > 3 {
                    return self.symbols.apply(FunctionSymbol::Operation("^"), &[a, b], Sort::Int);
                }
                (1..exponent).fold(a, |value, _| self.product(value, a))
            }
            _ => {
                let value = self.symbols.apply(FunctionSymbol::Operation("^"), &[a, b], Sort::Int);
                let is_positive = matches!(
                    self.symbols.terms.kind(a),
                    TermKind::Int(base) if base.sign() == num_bigint::Sign::Plus
                );
                if is_positive {
                    let one = self.symbols.int(1);
                    let holds = self.symbols.terms.ge(value, one);
                    self.assume(holds, Why::Implied);
                }
                value
            }
        }
    }

    /// What must hold of the right operand.
    fn operand_goals(&mut self, node: ExprId, right: Term) {
        for index in self.goals_at(node) {
            let zero = self.symbols.int(0);
            let holds = match self.goal(index).kind {
                GoalKind::Division => self.symbols.terms.ne(right, zero),
                GoalKind::Exponent => self.symbols.terms.ge(right, zero),
                _ => continue,
            };
            self.judge(index, &[holds]);
        }
    }

    /// The result of arithmetic must fit a type of fixed width.
    pub(super) fn overflow(&mut self, node: ExprId, value: Term) {
        for index in self.goals_at(node) {
            let goal = self.goal(index);
            let (GoalKind::Overflow, Some(expected)) = (goal.kind, &goal.expected) else {
                continue;
            };
            match self.in_range(value, expected) {
                Some(holds) => self.judge(index, &[holds]),
                None => self.give_up(index),
            }
        }
    }

    /// `0 <= index < len(array)`
    pub(super) fn bounds(&mut self, node: ExprId, array: Term, index: Term) {
        for goal in self.goals_at(node) {
            if self.goal(goal).kind != GoalKind::Bounds {
                continue;
            }
            let zero = self.symbols.int(0);
            let length = self.symbols.len(array);
            let at_least = self.symbols.terms.ge(index, zero);
            let below = self.symbols.terms.lt(index, length);
            self.judge(goal, &[at_least, below]);
        }
    }

    fn concat(&mut self, a: Term, b: Term, ty: &Ty) -> Term {
        let value = self.symbols.apply(FunctionSymbol::Operation("++"), &[a, b], Sort::Other);
        if matches!(ty.base(), Ty::Array(_)) {
            let (one, other) = (self.symbols.len(a), self.symbols.len(b));
            let length = self.symbols.terms.add(one, other);
            self.symbols.set_len(value, length);
        }
        value
    }

    // Equality

    /// Whether two values are the same by structure (row 13). Of floats, and of what may hold one, nothing is known but
    /// that the answer is always the same: one of them is not even equal to itself.
    pub(super) fn equal(&mut self, a: Term, b: Term, ty: &Ty, depth: u32) -> Term {
        let terms = &mut self.symbols.terms;
        match (terms.sort(a), terms.sort(b)) {
            (Sort::Int, Sort::Int) | (Sort::Bool, Sort::Bool) => return terms.eq(a, b),
            (Sort::Other, Sort::Other) => {}
            _ => return self.symbols.unknown(Sort::Bool),
        }
        if !self.is_comparable(ty, 0) {
            let (first, second) = if a <= b { (a, b) } else { (b, a) };
            return self.symbols.apply(
                FunctionSymbol::Operation("=="),
                &[first, second],
                Sort::Bool,
            );
        }
        if a == b || depth > MAX_COMPARED {
            return self.symbols.terms.eq(a, b);
        }
        let known = self.symbols.known_parts(a).or_else(|| self.symbols.known_parts(b));
        match (ty.base(), known) {
            (Ty::Tuple(types), Some(_)) => {
                let parts: Vec<Term> = types
                    .iter()
                    .enumerate()
                    .map(|(index, ty)| {
                        let name = clank_syntax::ast::Name::from(index.to_string());
                        let one = self.symbols.field(a, &name, sort(ty));
                        let other = self.symbols.field(b, &name, sort(ty));
                        self.equal(one, other, ty, depth + 1)
                    })
                    .collect();
                self.symbols.terms.and(&parts)
            }
            (Ty::Array(element), Some((_, elements))) => {
                let (one, other) = (self.symbols.len(a), self.symbols.len(b));
                let mut parts = vec![self.symbols.terms.eq(one, other)];
                for index in 0..elements.len() {
                    let index = self.symbols.int(index);
                    let one = self.symbols.index(a, index, sort(element));
                    let other = self.symbols.index(b, index, sort(element));
                    parts.push(self.equal(one, other, element, depth + 1));
                }
                self.symbols.terms.and(&parts)
            }
            (Ty::Adt(adt), Some((Some(variant), _))) => {
                let Some(TypeBody::Sum(variants)) = self.world.shape(self.at.env, &adt.key) else {
                    return self.symbols.terms.eq(a, b);
                };
                let n_variants = variants.len();
                let (one, other) =
                    (self.symbols.tag(a, n_variants), self.symbols.tag(b, n_variants));
                let mut parts = vec![self.symbols.terms.eq(one, other)];
                let fields = self.world.variant_fields(self.at.env, adt, variant);
                for (index, ty) in fields.iter().enumerate() {
                    let one = self.symbols.payload(a, variant, index as u32, sort(ty));
                    let other = self.symbols.payload(b, variant, index as u32, sort(ty));
                    parts.push(self.equal(one, other, ty, depth + 1));
                }
                self.symbols.terms.and(&parts)
            }
            _ => self.symbols.terms.eq(a, b),
        }
    }

    /// Whether equal values of the type are the same value: no floats, no parameters that may stand for them.
    fn is_comparable(&self, ty: &Ty, depth: u32) -> bool {
        if depth > MAX_COMPARED {
            return false;
        }
        match ty.base() {
            Ty::Prim(Prim::Float) => false,
            Ty::Prim(_) | Ty::Never => true,
            Ty::Tuple(parts) => parts.iter().all(|it| self.is_comparable(it, depth + 1)),
            Ty::Array(element) => self.is_comparable(element, depth + 1),
            Ty::Record(it) => {
                !it.open && it.fields.iter().all(|it| self.is_comparable(&it.1, depth + 1))
            }
            Ty::Adt(adt) => match self.world.shape(self.at.env, &adt.key) {
                Some(TypeBody::Record(fields)) => {
                    adt.args.is_empty()
                        && fields.iter().all(|it| self.is_comparable(&it.1, depth + 1))
                }
                Some(TypeBody::Sum(variants)) => {
                    let mut fields = variants.iter().flat_map(|it| &it.fields);
                    let args_fit = adt.args.iter().all(|it| self.is_comparable(it, depth + 1));
                    args_fit
                        && fields.all(|(_, ty)| {
                            matches!(ty, Ty::Param(_)) || self.is_comparable(ty, depth + 1)
                        })
                }
                _ => false,
            },
            _ => false,
        }
    }
}
