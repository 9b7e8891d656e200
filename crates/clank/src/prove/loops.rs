//! Loops (row 53).
//!
//! What a loop assigns has any value at its head, except for what is found to hold there: bounds that hold when the loop
//! is entered and that the body keeps. Candidates come from start values, conditions, indices and how pairs of counters
//! go together. All that hold at entry are taken to hold at the head, the body is walked, and what does not hold at its
//! end is dropped; that is repeated until nothing is dropped.
//!
//! That costs far more than all the rest, and most goals do without: bounds are looked for in a second walk over the
//! declaration, only if the first left a goal open.

use std::rc::Rc;

use clank_syntax::ast::{AstKind, BinaryOp, Expr, ExprId, NodeId, PatternId, StmtId};
use rustc_hash::{FxHashMap, FxHashSet};
use solver::{Sort, Term};

use super::symbols::sort;
use super::walk::{Loop, Path, Walk, Why};
use crate::body::Resolution;
use crate::ty::Ty;

/// How many candidates are tried at one loop.
const MAX_CANDIDATES: usize = 72;
/// How often the body is walked to find out which of them it keeps.
const MAX_ROUNDS: u32 = 6;
/// How many loops inside each other look for bounds.
const MAX_LOOPS: u32 = 2;
/// How many counters are compared with each other.
const MAX_COUNTERS: usize = 5;

/// So many nodes that are walked take the time of a question.
const NODES_OF_A_QUESTION: u64 = 16;

/// What a loop goes over: the array, and the pattern of its elements.
#[derive(Clone, Copy)]
struct Over {
    array: Term,
    pattern: PatternId,
}

/// A loop and the unknowns that stand for what it assigns.
struct Head {
    condition: Option<ExprId>,
    body: ExprId,
    over: Option<Over>,
    /// The locals, what they held before, and what stands for them at the head.
    locals: Vec<(NodeId, Term, Term)>,
    /// How many elements were gone over; stands for itself.
    count: Option<Term>,
}

impl Walk<'_> {
    pub(super) fn while_loop(&mut self, id: StmtId, condition: Option<ExprId>, body: ExprId) {
        self.run_loop(id, condition, body, None);
    }

    pub(super) fn for_loop(
        &mut self,
        id: StmtId,
        pattern: PatternId,
        iterable: ExprId,
        body: ExprId,
    ) {
        let array = self.expr(iterable);
        if self.is_dead {
            return self.skip(id);
        }
        self.run_loop(id, None, body, Some(Over { array, pattern }));
    }

    fn run_loop(
        &mut self,
        id: StmtId,
        condition: Option<ExprId>,
        body: ExprId,
        over: Option<Over>,
    ) {
        let assigned = Rc::clone(&self.assigned);
        let changed = assigned.within(self.at.ast.subtree(id));
        let locals: Vec<(NodeId, Term, Term)> = changed
            .into_iter()
            .filter_map(|local| {
                let before = *self.vars.get(&local)?;
                let sort = self.symbols.terms.sort(before);
                Some((local, before, self.symbols.unknown(sort)))
            })
            .collect();
        let count = over.map(|_| self.symbols.unknown(Sort::Int));
        let head = Head { condition, body, over, locals, count };
        let invariants = self.invariants(&head);
        let mark = self.facts.len();
        let exits = self.walk_head(&head, &invariants, mark);
        self.facts.truncate(mark);
        self.go_on_after(exits);
    }

    /// The state at the head: what is assigned is unknown but for what is known to hold.
    fn enter_head(&mut self, head: &Head, invariants: &[Term]) {
        for (local, _, stands) in &head.locals {
            self.vars.insert(*local, *stands);
            self.assume_type(*stands, self.ty(*local));
        }
        if let (Some(count), Some(over)) = (head.count, head.over) {
            let zero = self.symbols.int(0);
            let length = self.symbols.len(over.array);
            let at_least = self.symbols.terms.ge(count, zero);
            let at_most = self.symbols.terms.le(count, length);
            self.assume(at_least, Why::Implied);
            self.assume(at_most, Why::Implied);
        }
        for invariant in invariants {
            self.assume(*invariant, Why::Implied);
        }
    }

    /// Evaluates what decides whether the body runs; says what holds if it does.
    fn test(&mut self, head: &Head) -> Term {
        match (head.condition, head.over, head.count) {
            (Some(condition), ..) => self.expr(condition),
            (None, Some(over), Some(count)) => {
                let length = self.symbols.len(over.array);
                self.symbols.terms.lt(count, length)
            }
            _ => self.symbols.terms.bool(true),
        }
    }

    fn enter_body(&mut self, head: &Head, runs: Term) {
        let why = match head.condition {
            Some(condition) => Why::Condition(condition, true),
            None => Why::Implied,
        };
        self.assume(runs, why);
        if let (Some(over), Some(count)) = (head.over, head.count)
            && !self.is_dead
        {
            let ty = self.ty(over.pattern);
            let element = self.symbols.index(over.array, count, sort(ty));
            self.assume_type(element, ty);
            self.bind_pattern(over.pattern, element, ty);
        }
    }

    /// Walks head and body once. Gives the paths that leave the loop, their facts counted from `mark`.
    fn walk_head(&mut self, head: &Head, invariants: &[Term], mark: usize) -> Vec<Path> {
        self.enter_head(head, invariants);
        let runs = self.test(head);
        if self.is_dead {
            self.skip(head.body);
            return Vec::new();
        }
        let (_, done) = self.branch(|this| {
            let why = match head.condition {
                Some(condition) => Why::Condition(condition, false),
                None => Why::Implied,
            };
            this.assume_not(runs, why);
        });
        let facts_at_head = self.facts[mark.min(self.facts.len())..].to_vec();
        self.loops.push(Loop { mark, ..Loop::default() });
        self.branch(|this| {
            this.enter_body(head, runs);
            this.expr(head.body);
        });
        let left = self.loops.pop().unwrap_or_default();
        let facts = facts_at_head.into_iter().chain(done.facts).collect();
        let mut exits = vec![Path { vars: done.vars, facts, is_dead: done.is_dead }];
        exits.extend(left.breaks);
        exits.retain(|it| !it.is_dead);
        exits
    }

    /// Goes on after one of several paths; only a run decides which.
    fn go_on_after(&mut self, exits: Vec<Path>) {
        let mut exits = exits.into_iter();
        let Some(mut joined) = exits.next() else {
            self.is_dead = true;
            return;
        };
        for other in exits {
            let chosen = self.symbols.unknown(Sort::Bool);
            let mark = self.facts.len();
            let vars = std::mem::replace(&mut self.vars, joined.vars.clone());
            self.join(chosen, other, joined);
            joined = Path {
                vars: std::mem::replace(&mut self.vars, vars),
                facts: self.facts.split_off(mark),
                is_dead: false,
            };
        }
        self.is_dead = joined.is_dead;
        self.vars = joined.vars;
        self.facts.extend(joined.facts);
    }

    // Bounds

    /// What holds at the head each time.
    fn invariants(&mut self, head: &Head) -> Vec<Term> {
        if self.dry >= MAX_LOOPS || head.locals.is_empty() || !self.may_try() {
            return Vec::new();
        }
        if self.proved.is_none() {
            self.has_left_out_bounds = true;
            return Vec::new();
        }
        let candidates = self.candidates(head);
        let mut before: FxHashMap<Term, Term> =
            head.locals.iter().map(|(_, before, stands)| (*stands, *before)).collect();
        if let Some(count) = head.count {
            let zero = self.symbols.int(0);
            before.insert(count, zero);
        }
        let mut kept = Vec::new();
        for candidate in candidates {
            let at_entry = self.symbols.replaced(candidate, &before);
            if self.follows(at_entry) {
                kept.push(candidate);
            }
        }
        self.dry += 1;
        for round in 0.. {
            let n_kept = kept.len();
            // Loops in loops are walked again for each round of those around them: that is work, too.
            self.trials += 1 + self.at.ast.subtree(head.body).len() as u64 / NODES_OF_A_QUESTION;
            if n_kept == 0 || round == MAX_ROUNDS || !self.may_try() {
                kept.clear();
                break;
            }
            self.drop_broken(head, &mut kept);
            if kept.len() == n_kept {
                break;
            }
        }
        self.dry -= 1;
        kept
    }

    /// Walks the body once and drops what does not hold at one of its ends.
    fn drop_broken(&mut self, head: &Head, kept: &mut Vec<Term>) {
        let mark = self.facts.len();
        let invariants = kept.clone();
        self.branch(|this| {
            this.enter_head(head, &invariants);
            let runs = this.test(head);
            this.loops.push(Loop { mark, ..Loop::default() });
            this.enter_body(head, runs);
            if !this.is_dead {
                this.expr(head.body);
            }
            if !this.is_dead {
                this.leave_at_end();
            }
            let ends = this.loops.pop().unwrap_or_default().continues;
            for end in ends {
                this.facts.truncate(mark);
                this.facts.extend(end.facts);
                this.is_dead = false;
                let mut after: FxHashMap<Term, Term> = head
                    .locals
                    .iter()
                    .filter_map(|(local, _, stands)| Some((*stands, *end.vars.get(local)?)))
                    .collect();
                if let Some(count) = head.count {
                    let one = this.symbols.int(1);
                    let next = this.symbols.terms.add(count, one);
                    after.insert(count, next);
                }
                kept.retain(|candidate| {
                    let again = this.symbols.replaced(*candidate, &after);
                    this.follows(again)
                });
            }
        });
    }

    fn leave_at_end(&mut self) {
        let Some(around) = self.loops.last_mut() else { return };
        let facts = self.facts[around.mark.min(self.facts.len())..].to_vec();
        around.continues.push(Path { vars: self.vars.clone(), facts, is_dead: false });
    }

    /// What may hold at the head each time, about the unknowns that stand for what is assigned.
    fn candidates(&mut self, head: &Head) -> Vec<Term> {
        let mut found = Candidates::default();
        let (mut counters, mut arrays) = (Vec::new(), Vec::new());
        for (local, before, stands) in &head.locals {
            match (self.symbols.terms.sort(*before), self.ty(*local).base()) {
                (Sort::Int, _) => counters.push((*before, *stands)),
                (_, Ty::Array(_)) => {
                    let before = self.symbols.len(*before);
                    let stands = self.symbols.len(*stands);
                    arrays.push((before, stands));
                }
                _ => {}
            }
        }
        let zero = self.symbols.int(0);
        for (before, stands) in counters.iter().chain(&arrays) {
            found.order(self, *stands, *before);
            found.order(self, *stands, zero);
        }
        counters.truncate(MAX_COUNTERS);
        arrays.truncate(MAX_COUNTERS);
        counters.extend(head.count.map(|it| (zero, it)));
        counters.extend(arrays);
        for (index, one) in counters.iter().enumerate() {
            for other in &counters[..index] {
                found.pair(self, *one, *other);
            }
        }
        let (_, path) = self.branch(|this| {
            for (local, _, stands) in &head.locals {
                this.vars.insert(*local, *stands);
            }
            this.written_candidates(head, &mut found);
        });
        drop(path);
        found.all
    }

    /// What conditions and indices in the loop suggest.
    fn written_candidates(&mut self, head: &Head, found: &mut Candidates) {
        let ast = self.at.ast;
        let inside = ast.subtree(head.body);
        let condition = head.condition.map(|it| ast.subtree(it)).unwrap_or_default();
        for node in condition.chain(inside.clone()) {
            if found.all.len() >= MAX_CANDIDATES {
                return;
            }
            let AstKind::Expr(expr) = &ast.node(NodeId(node)).kind else { continue };
            let (left, right) = match expr {
                Expr::Binary { op, left, right } if is_comparison(*op) => (*left, *right),
                Expr::Index { object, index } => {
                    let Some(array) = self.simple(*object, &inside) else { continue };
                    let Some(index) = self.simple(*index, &inside) else { continue };
                    let length = self.symbols.len(array);
                    found.order(self, index, length);
                    let zero = self.symbols.int(0);
                    found.order(self, index, zero);
                    continue;
                }
                _ => continue,
            };
            let (Some(left), Some(right)) =
                (self.simple(left, &inside), self.simple(right, &inside))
            else {
                continue;
            };
            found.order(self, left, right);
        }
    }

    /// The value of a simple expression over names from outside the loop.
    fn simple(&mut self, expr: ExprId, inside: &std::ops::Range<u32>) -> Option<Term> {
        let ast = self.at.ast;
        match ast.expr(expr) {
            Expr::Literal(literal) => Some(self.literal(literal)),
            Expr::Ident { .. } => match self.at.view.resolution(expr)? {
                Resolution::Local(local) => {
                    let local = self.at.view.local(*local);
                    let is_known = !inside.contains(&local.0) && !self.assigned.is_shared(local);
                    let known = self.fixed.get(&local).or_else(|| self.vars.get(&local)).copied();
                    known.filter(|_| is_known)
                }
                _ => None,
            },
            Expr::Field { object, field } if self.at.view.resolution(expr).is_none() => {
                let record = self.simple(*object, inside)?;
                Some(self.symbols.field(record, field, sort(self.ty(expr))))
            }
            Expr::Call { callee, args } => {
                let Some(Resolution::Builtin(name)) = self.at.view.resolution(*callee) else {
                    return None;
                };
                let [arg] = &args[..] else { return None };
                if name != "len" {
                    return None;
                }
                let array = self.simple(*arg, inside)?;
                Some(self.symbols.len(array))
            }
            Expr::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), left, right } => {
                let left = clank_syntax::with_stack(|| self.simple(*left, inside))?;
                let right = self.simple(*right, inside)?;
                let terms = &mut self.symbols.terms;
                let both = terms.sort(left) == Sort::Int && terms.sort(right) == Sort::Int;
                both.then(|| match op {
                    BinaryOp::Add => terms.add(left, right),
                    _ => terms.sub(left, right),
                })
            }
            _ => None,
        }
    }
}

/// Bounds to try, each once.
#[derive(Default)]
struct Candidates {
    all: Vec<Term>,
    seen: FxHashSet<Term>,
}

impl Candidates {
    fn add(&mut self, walk: &Walk<'_>, term: Term) {
        let is_constant = matches!(walk.symbols.terms.kind(term), solver::TermKind::Bool(_));
        if !is_constant && self.all.len() < MAX_CANDIDATES && self.seen.insert(term) {
            self.all.push(term);
        }
    }

    /// One number against another: the bounds that a loop with such a condition may keep.
    fn order(&mut self, walk: &mut Walk<'_>, a: Term, b: Term) {
        let terms = &mut walk.symbols.terms;
        if terms.sort(a) != Sort::Int || terms.sort(b) != Sort::Int {
            return;
        }
        let one = terms.int(1);
        let (more, less) = (terms.add(b, one), terms.sub(b, one));
        let all = [
            terms.le(a, b),
            terms.ge(a, b),
            terms.lt(a, b),
            terms.gt(a, b),
            terms.le(a, more),
            terms.ge(a, less),
        ];
        for term in all {
            self.add(walk, term);
        }
    }

    /// Two numbers that change, each with its start: they may keep their order, distance or sum.
    fn pair(&mut self, walk: &mut Walk<'_>, a: (Term, Term), b: (Term, Term)) {
        let terms = &mut walk.symbols.terms;
        let (distance, start) = (terms.sub(a.1, b.1), terms.sub(a.0, b.0));
        let (sum, total) = (terms.add(a.1, b.1), terms.add(a.0, b.0));
        let all = [
            terms.eq(distance, start),
            terms.le(distance, start),
            terms.ge(distance, start),
            terms.eq(sum, total),
            terms.le(a.1, b.1),
            terms.ge(a.1, b.1),
            terms.lt(a.1, b.1),
            terms.gt(a.1, b.1),
        ];
        for term in all {
            self.add(walk, term);
        }
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Lt | Le | Gt | Ge | Eq | Ne)
}
