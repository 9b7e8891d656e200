//! The walk over a declaration: what every expression is worth, and what is known where it is evaluated.
//!
//! It goes forward, once, in the order of evaluation. A local is known by the node that binds it, a value by its term.
//! What is known are facts about values, and values never change: an assignment gives the local another value. So facts
//! stay true for good, and only the paths that they were learnt on end.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use clank_syntax::ast::{Ast, DeclId, Expr, ExprId, Literal, Name, NodeId};
use clank_syntax::ast::{FieldInitId, StmtId, TemplatePart, UnaryOp};
use clank_syntax::with_stack;
use rustc_hash::FxHashMap;
use solver::{Sort, Term, TermKind};

use super::World;
use super::assigned::Assigned;
use super::symbols::{FunctionSymbol, Symbols, sort};
use crate::body::{BodyView, Goal, Resolution};
use crate::env::{Env, TypeBody};
use crate::proof::Proof;
use crate::ty::{Prim, Ty};

/// How many nodes are looked at for one declaration, counted each time.
pub(super) const MAX_NODES: u64 = 3_000_000;
/// How many facts of a branch are kept after it.
const MAX_KEPT: usize = 10;

/// The declaration whose nodes are being looked at.
#[derive(Clone, Copy)]
pub(super) struct DeclContext<'a> {
    pub(super) module: usize,
    pub(super) decl: DeclId,
    pub(super) ast: &'a Ast,
    pub(super) env: &'a Env,
    pub(super) view: BodyView<'a>,
}

/// Something that is known, and why.
#[derive(Clone, Debug)]
pub(super) struct Hypothesis {
    pub(super) term: Term,
    pub(super) why: Why,
}

impl Hypothesis {
    /// Whether it is worth keeping after the branch that it was learnt in.
    fn is_kept(&self, guard: Term) -> bool {
        self.term != guard && !matches!(self.why, Why::Checked(_))
    }
}

/// Why something is known.
#[derive(Clone, Debug)]
pub(super) enum Why {
    /// A condition of the program holds, or does not.
    Condition(ExprId, bool),
    /// What was asserted.
    Assert(ExprId),
    /// A goal before: it was checked if it was not proved.
    Checked(usize),
    /// In words.
    Said(Rc<str>, Rc<str>),
    /// What nobody wrote.
    Implied,
}

/// What a path leaves behind.
pub(super) struct Path {
    pub(super) vars: BTreeMap<NodeId, Term>,
    pub(super) facts: Vec<Hypothesis>,
    pub(super) is_dead: bool,
}

/// A loop that is being walked: the paths that leave its body.
#[derive(Default)]
pub(super) struct Loop {
    pub(super) mark: usize,
    pub(super) breaks: Vec<Path>,
    pub(super) continues: Vec<Path>,
}

/// What is known at a point of a declaration.
pub(super) struct Walk<'a> {
    pub(super) world: &'a World<'a>,
    /// Where nodes are read.
    pub(super) at: DeclContext<'a>,
    /// The declaration whose goals are proved.
    pub(super) home: DeclContext<'a>,
    pub(super) symbols: Symbols,
    pub(super) assigned: Rc<Assigned>,
    /// Locals that are bound once.
    pub(super) fixed: FxHashMap<NodeId, Term>,
    /// Locals that are assigned to.
    pub(super) vars: BTreeMap<NodeId, Term>,
    /// Names that stand for values in a predicate, with the nodes of the predicate.
    pub(super) values: Vec<(Name, Term, Range<u32>)>,
    pub(super) facts: Vec<Hypothesis>,
    pub(super) is_dead: bool,
    /// More than 0 while nothing is judged: goals are only taken to hold.
    pub(super) dry: u32,
    /// More than 0 while predicates are read, whose goals belong elsewhere.
    pub(super) quiet: u32,
    pub(super) loops: Vec<Loop>,
    pub(super) verdicts: Vec<Option<Proof>>,
    /// The goals that a walk before found to hold, by their places; `None` in the first walk, which looks for no bounds
    /// of loops.
    pub(super) proved: Option<Vec<bool>>,
    /// Whether bounds of loops were not looked for that might have helped.
    pub(super) has_left_out_bounds: bool,
    /// The operands of the last `&&`s, in order.
    pub(super) conjuncts: Vec<Term>,
    pub(super) n_nodes: u64,
    /// The work that was done for goals, and for the bounds of loops.
    pub(super) work: u64,
    pub(super) trials: u64,
    /// How many facts were there when they were last found to be possible.
    pub(super) possible: Option<(usize, Option<Term>)>,
    /// Closed predicates of values that were read already.
    pub(super) closed: FxHashMap<(Term, Name, ExprId), Option<Vec<Term>>>,
    /// The functions whose purity was asked for, with the answer.
    pub(super) asked: BTreeSet<(Name, Name, bool)>,
    /// The declarations whose predicates and conditions were read.
    pub(super) read: BTreeSet<(usize, DeclId)>,
    /// What terms are about.
    pub(super) things: FxHashMap<Term, Rc<[Term]>>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        world: &'a World<'a>,
        home: DeclContext<'a>,
        proved: Option<Vec<bool>>,
    ) -> Walk<'a> {
        Walk {
            world,
            at: home,
            home,
            symbols: Symbols::default(),
            assigned: Rc::new(Assigned::new(home.ast, home.decl, home.view)),
            fixed: FxHashMap::default(),
            vars: BTreeMap::new(),
            values: Vec::new(),
            facts: Vec::new(),
            is_dead: false,
            dry: 0,
            quiet: 0,
            loops: Vec::new(),
            verdicts: vec![None; home.view.body.goals.len()],
            proved,
            has_left_out_bounds: false,
            conjuncts: Vec::new(),
            n_nodes: 0,
            work: 0,
            trials: 0,
            possible: None,
            closed: FxHashMap::default(),
            asked: BTreeSet::new(),
            read: BTreeSet::new(),
            things: FxHashMap::default(),
        }
    }

    /// Whether the nodes that are read are those of the declaration whose goals are proved.
    pub(super) fn is_home(&self) -> bool {
        (self.at.module, self.at.decl) == (self.home.module, self.home.decl)
    }

    pub(super) fn ty(&self, node: impl Into<NodeId>) -> &'a Ty {
        self.at.view.ty(node)
    }

    /// The goals about a node, by their places.
    pub(super) fn goals_at(&self, node: impl Into<NodeId>) -> Range<usize> {
        if self.quiet > 0 {
            return 0..0;
        }
        let goals = &self.home.view.body.goals;
        let Some(node) = node.into().0.checked_sub(self.home.view.first.0) else { return 0..0 };
        let start = goals.partition_point(|it| it.node < node);
        let count = goals[start..].iter().take_while(|it| it.node == node).count();
        start..start + count
    }

    pub(super) fn goal(&self, index: usize) -> &'a Goal {
        &self.home.view.body.goals[index]
    }

    /// What is never reached holds.
    pub(super) fn skip(&mut self, node: impl Into<NodeId>) {
        if self.quiet > 0 || self.dry > 0 || self.is_exhausted() {
            return;
        }
        let range = self.at.ast.subtree(node.into());
        let first = self.home.view.first.0;
        let goals = &self.home.view.body.goals;
        let start = goals.partition_point(|it| it.node + first < range.start);
        let end = goals.partition_point(|it| it.node + first < range.end);
        for index in start..end {
            self.verdicts[index].get_or_insert(Proof::Discharged);
        }
    }

    // Facts

    /// From here on this holds.
    pub(super) fn assume(&mut self, term: Term, why: Why) {
        match self.symbols.terms.kind(term) {
            TermKind::Bool(true) => {}
            TermKind::Bool(false) => self.is_dead = true,
            TermKind::And(parts) => {
                let parts: Vec<Term> = parts.into();
                for part in parts {
                    with_stack(|| self.assume(part, why.clone()));
                }
            }
            _ => {
                let recent = self.facts.len().saturating_sub(32);
                if self.facts[recent..].iter().all(|it| it.term != term) {
                    self.facts.push(Hypothesis { term, why });
                }
            }
        }
    }

    pub(super) fn assume_not(&mut self, term: Term, why: Why) {
        let opposite = self.symbols.terms.not(term);
        self.assume(opposite, why);
    }

    /// What every value of a type satisfies.
    pub(super) fn assume_type(&mut self, value: Term, ty: &Ty) {
        let Some(range) = self.in_range(value, ty) else { return self.assume_lasting(value, ty) };
        self.assume(range, Why::Implied);
        self.assume_lasting(value, ty);
    }

    /// Whether a value is within the range of its type, if that has one.
    pub(super) fn in_range(&mut self, value: Term, ty: &Ty) -> Option<Term> {
        if self.symbols.terms.sort(value) != Sort::Int {
            return None;
        }
        let (least, greatest) = match ty.base() {
            Ty::Prim(Prim::Nat) => {
                let zero = self.symbols.int(0);
                return Some(self.symbols.terms.ge(value, zero));
            }
            Ty::Prim(Prim::Int32) => (i64::from(i32::MIN), i64::from(i32::MAX)),
            Ty::Prim(Prim::Int64) => (i64::MIN, i64::MAX),
            _ => return None,
        };
        let (least, greatest) = (self.symbols.int(least), self.symbols.int(greatest));
        let at_least = self.symbols.terms.ge(value, least);
        let at_most = self.symbols.terms.le(value, greatest);
        Some(self.symbols.terms.and(&[at_least, at_most]))
    }

    pub(super) fn unknown(&mut self, ty: &Ty) -> Term {
        let value = self.symbols.unknown(sort(ty));
        self.assume_type(value, ty);
        value
    }

    // Paths

    /// Walks a branch and comes back to where it began.
    pub(super) fn branch<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> (T, Path) {
        let mark = self.facts.len();
        let (vars, is_dead) = (self.vars.clone(), self.is_dead);
        let value = walk(self);
        let path = Path {
            vars: std::mem::replace(&mut self.vars, vars),
            facts: self.facts.split_off(mark.min(self.facts.len())),
            is_dead: std::mem::replace(&mut self.is_dead, is_dead),
        };
        (value, path)
    }

    /// Goes on after two branches, of which the condition chose one.
    pub(super) fn join(&mut self, condition: Term, a: Path, b: Path) {
        if a.is_dead || b.is_dead {
            let (only, other) = if a.is_dead { (b, a) } else { (a, b) };
            self.is_dead |= only.is_dead && other.is_dead;
            self.vars = only.vars;
            self.facts.extend(only.facts);
            return;
        }
        let opposite = self.symbols.terms.not(condition);
        for (node, value) in &mut self.vars {
            let (Some(&a), Some(&b)) = (a.vars.get(node), b.vars.get(node)) else { continue };
            *value = self.symbols.either(condition, a, b);
        }
        for (guard, facts) in [(condition, a.facts), (opposite, b.facts)] {
            for fact in facts.into_iter().filter(|it| it.is_kept(guard)).take(MAX_KEPT) {
                let term = self.symbols.terms.implies(guard, fact.term);
                self.assume(term, Why::Implied);
            }
        }
    }

    /// The locals that nodes assign to have any value.
    pub(super) fn forget(&mut self, nodes: Range<u32>) {
        let assigned = Rc::clone(&self.assigned);
        for local in assigned.within(nodes) {
            if self.vars.contains_key(&local) {
                let ty = self.ty(local);
                let value = self.unknown(ty);
                self.vars.insert(local, value);
            }
        }
    }

    // Expressions

    /// The value of an expression, after its goals.
    pub(super) fn expr(&mut self, id: ExprId) -> Term {
        self.n_nodes += 1;
        if self.is_dead || self.is_exhausted() {
            if self.is_dead {
                self.skip(id);
            }
            return self.symbols.unknown(sort(self.ty(id)));
        }
        with_stack(|| {
            let value = self.plain(id);
            self.after(id.node(), value);
            value
        })
    }

    /// The goals about a value that was computed.
    pub(super) fn after(&mut self, node: NodeId, value: Term) {
        let goals = self.goals_at(node);
        if goals.is_empty() {
            return;
        }
        if self.is_dead {
            if self.dry == 0 && !self.is_exhausted() {
                for index in goals {
                    self.verdicts[index].get_or_insert(Proof::Discharged);
                }
            }
            return;
        }
        for index in goals {
            self.value_goal(index, value);
        }
    }

    pub(super) fn exprs(&mut self, ids: &[ExprId]) -> Vec<Term> {
        ids.iter().map(|it| self.expr(*it)).collect()
    }

    fn plain(&mut self, id: ExprId) -> Term {
        let ast = self.at.ast;
        match ast.expr(id) {
            Expr::Literal(literal) => self.literal(literal),
            Expr::Template { parts } => {
                for part in parts {
                    if let TemplatePart::Expr(part) = part {
                        self.expr(*part);
                    }
                }
                self.symbols.unknown(Sort::Other)
            }
            Expr::Ident { name } => {
                self.ask_uncalled(id);
                self.name(id, name)
            }
            Expr::Unary { op, operand } => self.unary(id, *op, *operand),
            Expr::Binary { .. } => self.binary_chain(id),
            Expr::Call { callee, args } => self.call(id, *callee, args),
            Expr::Index { object, index } => {
                let array = self.expr(*object);
                let index = self.expr(*index);
                self.bounds(id, array, index);
                let value = self.symbols.index(array, index, sort(self.ty(id)));
                self.assume_type(value, self.ty(id));
                value
            }
            Expr::Field { object, field } => {
                self.ask_uncalled(id);
                self.field(id, *object, field)
            }
            Expr::Lambda { params, body } => self.lambda(params, *body),
            Expr::If { condition, then_branch, else_branch } => {
                self.if_expr(*condition, *then_branch, *else_branch)
            }
            Expr::Match { scrutinee, arms } => self.match_expr(id, *scrutinee, arms),
            Expr::Block { statements, expr } => self.block(statements, *expr),
            Expr::Array { elements } => {
                let elements = self.exprs(elements);
                self.symbols.array(&elements)
            }
            Expr::Tuple { elements } => {
                let elements = self.exprs(elements);
                self.symbols.tuple(&elements)
            }
            Expr::Record { fields } => {
                let fields = self.fields(fields);
                self.symbols.record(fields)
            }
            Expr::RecordLit { fields, .. } => self.record_literal(id, fields),
            Expr::Range { start, end, inclusive } => {
                let start = self.expr(*start);
                let mut end = self.expr(*end);
                if *inclusive {
                    let one = self.symbols.int(1);
                    end = self.symbols.terms.add(end, one);
                }
                self.symbols.range(start, end)
            }
            Expr::Propagate { expr } => self.propagate(id, *expr),
            Expr::Hole { .. } | Expr::Error { .. } => self.unknown(self.ty(id)),
        }
    }

    pub(super) fn literal(&mut self, literal: &Literal) -> Term {
        match literal {
            Literal::Int { value, .. } => self.symbols.int(value.clone()),
            Literal::Float(value) => {
                self.symbols.apply(FunctionSymbol::Float(value.to_bits()), &[], Sort::Other)
            }
            Literal::Str(text) => self.symbols.text(text),
            Literal::Bool(value) => self.symbols.terms.bool(*value),
            Literal::Unit => self.symbols.unit(),
        }
    }

    fn name(&mut self, id: ExprId, name: &Name) -> Term {
        let resolution = self.at.view.resolution(id);
        if let Some((_, value, inside)) = self.values.iter().rev().find(|it| it.0 == *name) {
            let is_bound_inside = match resolution {
                Some(Resolution::Local(local)) => inside.contains(&self.at.view.local(*local).0),
                _ => false,
            };
            if !is_bound_inside {
                return *value;
            }
        }
        match resolution {
            Some(Resolution::Local(local)) => self.local(self.at.view.local(*local)),
            Some(Resolution::Variant { ty, variant }) if !matches!(self.ty(id), Ty::Fn(_)) => {
                self.symbols.variant(ty, *variant, &[])
            }
            _ => self.unknown(self.ty(id)),
        }
    }

    /// What a local holds. Nothing is known of one that a lambda assigns (row 52).
    pub(super) fn local(&mut self, node: NodeId) -> Term {
        if self.is_home() && self.assigned.is_shared(node) {
            return self.unknown(self.ty(node));
        }
        let known = self.fixed.get(&node).or_else(|| self.vars.get(&node));
        match known {
            Some(it) => *it,
            None => self.unknown(self.ty(node)),
        }
    }

    /// Binds a local to a value.
    pub(super) fn bind(&mut self, node: NodeId, value: Term) {
        if self.is_home() && self.assigned.is_assigned(node) {
            self.vars.insert(node, value);
        } else {
            self.fixed.insert(node, value);
        }
    }

    fn unary(&mut self, id: ExprId, op: UnaryOp, operand: ExprId) -> Term {
        let value = self.expr(operand);
        match op {
            UnaryOp::Not => self.symbols.terms.not(value),
            UnaryOp::Neg if self.symbols.terms.sort(value) == Sort::Int => {
                let value = self.symbols.terms.neg(value);
                self.overflow(id, value);
                value
            }
            UnaryOp::Neg => {
                self.symbols.apply(FunctionSymbol::Operation("negative"), &[value], Sort::Other)
            }
        }
    }

    fn field(&mut self, id: ExprId, object: ExprId, field: &Name) -> Term {
        match self.at.view.resolution(id) {
            Some(Resolution::Variant { ty, variant }) if !matches!(self.ty(id), Ty::Fn(_)) => {
                return self.symbols.variant(ty, *variant, &[]);
            }
            Some(Resolution::Local(_)) | None => {}
            Some(_) => return self.unknown(self.ty(id)),
        }
        let record = self.expr(object);
        let value = self.symbols.field(record, field, sort(self.ty(id)));
        self.assume_type(value, self.ty(id));
        if super::call::predicates(self.ty(id)).iter().any(|it| !it.is_closed()) {
            self.assume_fields(record, self.ty(object));
        }
        value
    }

    fn fields(&mut self, fields: &[FieldInitId]) -> Vec<(Name, Term)> {
        let ast = self.at.ast;
        let fields = fields.iter().map(|it| ast.field_init(*it));
        fields.map(|it| (it.name.clone(), self.expr(it.value))).collect()
    }

    fn record_literal(&mut self, id: ExprId, fields: &[FieldInitId]) -> Term {
        let ast = self.at.ast;
        let ids: Vec<(Name, ExprId)> = fields
            .iter()
            .map(|it| (ast.field_init(*it).name.clone(), ast.field_init(*it).value))
            .collect();
        let values = self.fields(fields);
        let Some(Resolution::Record { ty }) = self.at.view.resolution(id) else {
            return self.symbols.record(values);
        };
        if let Some(TypeBody::Record(declared)) = self.world.shape(self.at.env, ty) {
            let args: Vec<Option<(ExprId, Term)>> = declared
                .iter()
                .map(|(name, _)| {
                    let place = ids.iter().position(|it| it.0 == *name)?;
                    Some((ids[place].1, values[place].1))
                })
                .collect();
            let resolution = Resolution::Record { ty: ty.clone() };
            self.argument_goals(&resolution, &args);
        }
        self.symbols.record(values)
    }

    fn if_expr(
        &mut self,
        condition: ExprId,
        then_branch: ExprId,
        else_branch: Option<ExprId>,
    ) -> Term {
        let holds = self.expr(condition);
        let (then_value, then_path) = self.branch(|this| {
            this.assume(holds, Why::Condition(condition, true));
            this.expr(then_branch)
        });
        let (else_value, else_path) = self.branch(|this| {
            this.assume_not(holds, Why::Condition(condition, false));
            match else_branch {
                Some(branch) => this.expr(branch),
                None => this.symbols.unit(),
            }
        });
        let value = match (then_path.is_dead, else_path.is_dead) {
            (true, _) => else_value,
            (_, true) => then_value,
            _ if else_branch.is_none() => self.symbols.unit(),
            _ => self.symbols.either(holds, then_value, else_value),
        };
        self.join(holds, then_path, else_path);
        value
    }

    pub(super) fn block(&mut self, statements: &[StmtId], expr: Option<ExprId>) -> Term {
        for statement in statements {
            self.statement(*statement);
        }
        match expr {
            Some(expr) => self.expr(expr),
            None => self.symbols.unit(),
        }
    }

    /// Walks a lambda. It may run at any time later, or never: what is assigned anywhere may have any value then.
    fn lambda(&mut self, params: &[clank_syntax::ast::LambdaParamId], body: ExprId) -> Term {
        if self.quiet == 0 {
            let loops = std::mem::take(&mut self.loops);
            self.branch(|this| {
                let vars: Vec<NodeId> = this.vars.keys().copied().collect();
                for local in vars {
                    let value = this.unknown(this.ty(local));
                    this.vars.insert(local, value);
                }
                for param in params {
                    let value = this.unknown(this.ty(*param));
                    this.bind(param.node(), value);
                }
                this.expr(body);
            });
            self.loops = loops;
        }
        self.symbols.unknown(Sort::Other)
    }

    /// `e?`: on the path that goes on, the value was there.
    fn propagate(&mut self, id: ExprId, operand: ExprId) -> Term {
        let value = self.expr(operand);
        if self.is_dead {
            return self.symbols.unknown(sort(self.ty(id)));
        }
        let tag = self.symbols.tag(value, 2);
        let zero = self.symbols.int(0);
        let is_there = self.symbols.terms.eq(tag, zero);
        self.assume(is_there, Why::Implied);
        let inner = self.symbols.payload(value, 0, 0, sort(self.ty(id)));
        self.assume_type(inner, self.ty(id));
        inner
    }
}
