//! E5001, E5002, E5003: a linear value is used exactly once on every path, an affine one at most once (row 26).
//!
//! Naming a value uses it. What holds a linear value is linear itself. The body is walked once in the order in which it
//! runs, with a status for every such variable; branches are walked from the same status and joined. Decisions:
//! - A path that panics or never ends need not use anything: nothing comes after it.
//! - A call that may raise is a path on which every linear value that is alive there is lost, those among the operands
//!   that were made before it included.
//! - A use in a loop of a value from outside is fine only if no path goes round the loop after it.
//! - A lambda may run any number of times, so it may not use what it captures.
//! - Looking at a part that is not linear itself (`account.name`) is not a use; taking out one part while another linear
//!   one is lost is E5001.
//! - A value that a type parameter stands for counts as plain in the generic function, so no linear one may be passed
//!   for it. Functions of the prelude that use what they are given once may take one.

mod generic;
#[cfg(test)]
mod laws;
mod raise;
mod report;
mod state;

use clank_syntax::ast::{
    Ast, AstKind, BinaryOp, Expr, ExprId, FieldPatternId, FnDecl, Name, NodeId, Pattern, PatternId,
    Stmt, StmtId,
};
use clank_syntax::with_stack;
use rustc_hash::FxHashSet;

use self::state::{Branch, LinearState, LinearStatus, Var};
use super::mode::{Mode, Modes};
use super::{Doubts, unused};
use crate::body::{BodyView, Resolution};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::env::Env;
use crate::exhaust::{fields_of, fields_of_variant};
use crate::ty::Ty;

/// What is wrong with the uses of linear and affine values.
pub(super) fn linear<'a>(
    ast: &'a Ast,
    function: &FnDecl,
    env: &'a Env,
    view: BodyView<'a>,
    doubts: &'a Doubts<'a>,
    mut modes: Modes<'a>,
) -> Vec<Diagnostic> {
    if view.body.types.iter().flatten().all(|it| modes.of(it) == Mode::Plain) {
        return Vec::new();
    }
    let mut walk = Walk {
        ast,
        env,
        view,
        doubts,
        modes,
        state: LinearState::default(),
        loops: Vec::new(),
        own: 0,
        made: Vec::new(),
        own_made: 0,
        captured: Vec::new(),
        wrong: FxHashSet::default(),
        repeated: FxHashSet::default(),
        found: Vec::new(),
    };
    for param in &function.params {
        walk.declare(param.node(), &ast.param(*param).name, view.ty(*param));
    }
    walk.expr(function.body);
    walk.end_scope(0);
    walk.found
}

/// A loop that is being walked.
struct Loop {
    /// How many variables there are outside it; `break` leaves the others.
    outside: usize,
    /// How many there are outside its body; `continue` leaves the others.
    outside_body: usize,
    /// How many operands were made outside it.
    made: usize,
    /// Where the changes since it was entered start.
    mark: usize,
    /// What is so after each `break`.
    breaks: Vec<Branch>,
    /// What is so after each `continue`.
    continues: Vec<Branch>,
}

struct Walk<'a> {
    ast: &'a Ast,
    env: &'a Env,
    view: BodyView<'a>,
    doubts: &'a Doubts<'a>,
    modes: Modes<'a>,
    state: LinearState,
    loops: Vec<Loop>,
    /// The variables before this one are outside the lambda that is being walked.
    own: usize,
    /// The linear operands that were made for what is being walked and have not been used yet.
    made: Vec<NodeId>,
    /// Those before this one are outside the lambda that is being walked.
    own_made: usize,
    /// What the lambda that is being walked captures.
    captured: Vec<NodeId>,
    /// The variables that something was said about: what follows from it is not said again.
    wrong: FxHashSet<NodeId>,
    /// The uses that may happen more than once.
    repeated: FxHashSet<NodeId>,
    found: Vec<Diagnostic>,
}

impl Walk<'_> {
    /// Walks an expression whose value is used. Nothing is looked at where nothing is reached.
    fn expr(&mut self, id: ExprId) {
        if !self.state.is_reached {
            return;
        }
        with_stack(|| match self.ast.expr(id) {
            Expr::Ident { .. } => match self.view.resolution(id) {
                Some(Resolution::Local(_)) => {
                    if let Some(local) = self.local(id) {
                        self.use_at(local, id.node());
                    }
                }
                _ => self.instance(id),
            },
            Expr::Block { statements, expr } => {
                let outside = self.state.live.len();
                statements.iter().for_each(|it| self.stmt(*it));
                expr.iter().for_each(|it| self.expr(*it));
                self.end_scope(outside);
            }
            Expr::If { condition, then_branch, else_branch } => {
                self.expr(*condition);
                let then = self.branch(then_branch.node(), "in this branch", |it| {
                    it.expr(*then_branch);
                });
                let other = match else_branch {
                    Some(other) => {
                        self.branch(other.node(), "in this branch", |it| it.expr(*other))
                    }
                    None => self.branch(id.node(), "if the condition is false", |_| {}),
                };
                self.state.join(vec![then, other]);
            }
            Expr::Match { scrutinee, .. } => {
                self.expr(*scrutinee);
                self.arms(id, *scrutinee);
            }
            Expr::Lambda { .. } => self.lambda(id),
            Expr::Binary { op: BinaryOp::And | BinaryOp::Or, left, right } => {
                self.expr(*left);
                let run = self.branch(right.node(), "in the right operand", |it| it.expr(*right));
                let not = self.branch(id.node(), "if the right operand is not evaluated", |_| {});
                self.state.join(vec![run, not]);
            }
            Expr::Field { object, field } => self.field(id, *object, field),
            Expr::Index { object, .. } => {
                self.children(id.node());
                self.drops(id.node(), "taking one element loses the others", self.view.ty(*object));
            }
            Expr::Propagate { expr } => {
                self.expr(*expr);
                self.leave(self.own, id.node(), "`?` may leave without using it");
                self.lose_made(self.own_made, "`?` may leave before it is used");
            }
            _ => {
                self.children(id.node());
                self.may_raise(id);
            }
        });
        if matches!(self.view.ty(id), Ty::Never) {
            self.state.is_reached = false;
        }
    }

    fn children(&mut self, node: NodeId) {
        let before = self.made.len();
        self.ast.for_each_child(node, &mut |child| match &self.ast.node(child).kind {
            AstKind::Expr(_) => {
                ExprId::of(self.ast, child).into_iter().for_each(|it| self.operand(it));
            }
            AstKind::FieldInit(it) => self.operand(it.value),
            _ => {}
        });
        self.made.truncate(before);
    }

    /// An operand, which is there until what it is for is made.
    fn operand(&mut self, id: ExprId) {
        self.expr(id);
        if self.state.is_reached && self.modes.of(self.view.ty(id)) == Mode::Linear {
            self.made.push(id.node());
        }
    }

    fn stmt(&mut self, id: StmtId) {
        if !self.state.is_reached {
            return;
        }
        match self.ast.stmt(id) {
            Stmt::Let { pattern, init, .. } => {
                self.expr(*init);
                let ty = match self.view.ty(*pattern) {
                    Ty::Error => self.view.ty(*init),
                    ty => ty,
                };
                self.bind(*pattern, ty);
            }
            Stmt::Assign { target, value } => self.assign(*target, *value),
            Stmt::Expr { expr } => {
                self.expr(*expr);
                self.drops(expr.node(), "its value is lost", self.view.ty(*expr));
            }
            Stmt::Return { value } => {
                value.iter().for_each(|it| self.expr(*it));
                self.leave(self.own, id.node(), "this returns without using it");
                self.lose_made(self.own_made, "a `return` leaves before it is used");
                self.state.is_reached = false;
            }
            Stmt::Break | Stmt::Continue => self.leave_loop(id),
            Stmt::Assert { condition, .. } => self.expr(*condition),
            Stmt::While { condition, body } => self.while_(id, *condition, *body),
            Stmt::Loop { body } => {
                self.run_loop(id, self.state.live.len(), |it| it.loop_body(*body), false);
            }
            Stmt::For { pattern, iterable, body } => self.for_(id, *pattern, *iterable, *body),
        }
    }

    /// `x = e` brings `x` to life again; what it held must have been used.
    fn assign(&mut self, target: ExprId, value: ExprId) {
        self.expr(value);
        if !self.state.is_reached {
            return;
        }
        match self.ast.expr(target) {
            Expr::Ident { .. } => {
                let Some(local) = self.local(target) else { return };
                let is_lost = self.state.var(local).mode == Mode::Linear
                    && !matches!(self.state.status(local), LinearStatus::Used(_));
                if is_lost {
                    self.not_used(local, target.node(), "the assignment overwrites it");
                }
                self.state.set(local, LinearStatus::Unused);
            }
            _ => {
                self.place(target);
                self.drops(target.node(), "the assignment overwrites it", self.view.ty(target));
            }
        }
    }

    /// Walks what stands in a place besides its root: the indices.
    fn place(&mut self, place: ExprId) {
        with_stack(|| match self.ast.expr(place) {
            Expr::Ident { .. } => {}
            Expr::Field { object, .. } => self.place(*object),
            Expr::Index { object, index } => {
                self.place(*object);
                self.expr(*index);
            }
            _ => self.expr(place),
        });
    }

    fn field(&mut self, id: ExprId, object: ExprId, field: &Name) {
        if self.view.resolution(id).is_some() {
            return self.instance(id); // A name of a module.
        }
        let whole = self.view.ty(object);
        if self.modes.of(whole) == Mode::Plain {
            return self.expr(object);
        }
        let is_plain = self.modes.of(self.view.ty(id)) == Mode::Plain;
        let root = unused::root(self.ast, object).and_then(|it| ExprId::of(self.ast, it));
        if let (true, Some(root)) = (is_plain, root) {
            if let Some(local) = self.local(root) {
                self.look_at(local, root.node());
            }
            return self.place(object);
        }
        self.expr(object);
        let fields = fields_of(whole, self.env).into_iter().enumerate();
        let others = fields.filter(|(index, it)| match &it.0 {
            Some(name) => name != field,
            None => index.to_string() != field.as_str(),
        });
        let other = others.map(|it| it.1.1).find(|it| self.modes.of(it) == Mode::Linear);
        if let Some(other) = other {
            self.drops(id.node(), "taking this part loses another one", &other);
        }
    }

    fn arms(&mut self, id: ExprId, scrutinee: ExprId) {
        let Expr::Match { arms, .. } = self.ast.expr(id) else { return };
        let ty = self.view.ty(scrutinee);
        let mut branches = Vec::new();
        for arm in arms {
            let arm = self.ast.arm(*arm);
            let outside = self.state.live.len();
            let was_reached = self.state.is_reached;
            self.bind(arm.pattern, ty);
            arm.guard.iter().for_each(|it| self.guard(*it));
            branches.push(self.branch(arm.body.node(), "in this arm", |it| {
                it.expr(arm.body);
                it.check_scope(outside);
            }));
            self.state.end_scope(outside);
            self.state.is_reached = was_reached;
        }
        self.state.join(branches);
    }

    /// Whether a guard runs depends on the arms above, and one that says no leaves everything to the arms below: it may
    /// use nothing up.
    fn guard(&mut self, guard: ExprId) {
        let mark = self.state.mark();
        self.expr(guard);
        for (local, status) in self.state.changes_since(mark, usize::MAX) {
            if let LinearStatus::Used(at) | LinearStatus::Maybe { used: at, .. } = status {
                self.used_twice(local, at, "the arms below may use it if the guard is false", None);
            }
        }
    }

    fn lambda(&mut self, id: ExprId) {
        let Expr::Lambda { params, body } = self.ast.expr(id) else { return };
        let outside = self.state.live.len();
        let own = std::mem::replace(&mut self.own, outside);
        let own_made = std::mem::replace(&mut self.own_made, self.made.len());
        let loops = std::mem::take(&mut self.loops);
        let captured = std::mem::take(&mut self.captured);
        // What happens in the lambda happens when it is called.
        self.branch(id.node(), "in this lambda", |it| {
            for param in params {
                let name = &it.ast.lambda_param(*param).name;
                it.declare(param.node(), name, it.view.ty(*param));
            }
            it.expr(*body);
            it.end_scope(outside);
        });
        self.own = own;
        self.own_made = own_made;
        self.loops = loops;
        for local in std::mem::replace(&mut self.captured, captured) {
            if self.state.index(local) < self.own {
                self.captured.push(local);
            } else {
                self.state.set(local, LinearStatus::Used(id.node()));
            }
        }
    }

    /// The condition runs once more than the body, so what it uses it may use twice.
    fn while_(&mut self, id: StmtId, condition: ExprId, body: ExprId) {
        let mark = self.state.mark();
        self.expr(condition);
        for (local, status) in self.state.changes_since(mark, self.state.live.len()) {
            if let LinearStatus::Used(at) | LinearStatus::Maybe { used: at, .. } = status {
                self.used_twice(local, at, "the condition of a loop may run more than once", None);
            }
        }
        self.run_loop(id, self.state.live.len(), |it| it.loop_body(body), true);
    }

    fn for_(&mut self, id: StmtId, pattern: PatternId, iterable: ExprId, body: ExprId) {
        self.expr(iterable);
        if !self.state.is_reached {
            return;
        }
        let outside = self.state.live.len();
        let ty = self.view.ty(iterable);
        // The elements that are still to come: leaving the loop early loses them.
        if self.modes.of(ty) == Mode::Linear {
            self.declare(iterable.node(), &Name::default(), ty);
        }
        let element = match ty.base() {
            Ty::Array(it) => it,
            _ => self.view.ty(pattern),
        };
        let run = |it: &mut Self| {
            it.bind(pattern, element);
            it.loop_body(body);
        };
        self.run_loop(id, outside, run, true);
        if self.state.live.len() > outside && self.state.is_reached {
            self.state.set(iterable.node(), LinearStatus::Used(id.node()));
        }
        self.end_scope(outside);
    }

    fn loop_body(&mut self, body: ExprId) {
        self.expr(body);
        self.drops(body.node(), "the value of the loop's body is lost", self.view.ty(body));
    }

    /// Walks the body of a loop and joins the ways out of it. `may_skip` says that the loop can end without `break`.
    fn run_loop(
        &mut self,
        id: StmtId,
        outside: usize,
        body: impl FnOnce(&mut Self),
        may_skip: bool,
    ) {
        if !self.state.is_reached {
            return;
        }
        let outside_body = self.state.live.len();
        let mark = self.state.mark();
        let (breaks, continues) = (Vec::new(), Vec::new());
        let made = self.made.len();
        self.loops.push(Loop { outside, outside_body, made, mark, breaks, continues });
        let end = self.branch(id.node(), "if the loop ends", |it| {
            body(it);
            it.end_scope(outside_body);
        });
        let Some(done) = self.loops.pop() else { return };
        let mut rounds = done.continues;
        rounds.push(end);
        for round in rounds.iter().filter(|it| it.is_reached) {
            self.goes_round(round, id);
        }
        let mut ways_out = done.breaks;
        if may_skip {
            ways_out.push(self.branch(id.node(), "if the loop does not run", |_| {}));
            ways_out.extend(rounds);
        }
        self.state.join(ways_out);
    }

    /// What is used before the loop goes round is used again in the next round.
    fn goes_round(&mut self, round: &Branch, id: StmtId) {
        for &(local, status) in &round.changes {
            match (self.state.status(local), status) {
                (
                    LinearStatus::Unused,
                    LinearStatus::Used(at) | LinearStatus::Maybe { used: at, .. },
                ) => {
                    self.used_twice(
                        local,
                        at,
                        "the loop may use it in every iteration",
                        Some(id.node()),
                    );
                }
                (LinearStatus::Used(_), LinearStatus::Unused | LinearStatus::Maybe { .. })
                    if self.state.var(local).mode == Mode::Linear =>
                {
                    self.not_used(local, id.node(), "the next iteration loses it");
                }
                _ => {}
            }
        }
    }

    fn leave_loop(&mut self, id: StmtId) {
        let Some(around) = self.loops.last() else {
            self.state.is_reached = false;
            return;
        };
        let is_break = matches!(self.ast.stmt(id), Stmt::Break);
        let (outside, mark, made) = (around.outside, around.mark, around.made);
        let lost = if is_break { outside } else { around.outside_body };
        self.leave(lost, id.node(), "this ends the iteration without using it");
        self.lose_made(made, "the iteration ends before it is used");
        let changes = self.state.changes_since(mark, outside);
        let branch =
            Branch { at: id.node(), why: "on the path that ends here", changes, is_reached: true };
        if let Some(around) = self.loops.last_mut() {
            if is_break { &mut around.breaks } else { &mut around.continues }.push(branch);
        }
        self.state.is_reached = false;
    }

    fn branch(&mut self, at: NodeId, why: &'static str, run: impl FnOnce(&mut Self)) -> Branch {
        let was_reached = self.state.is_reached;
        let mark = self.state.mark();
        run(self);
        let is_reached = std::mem::replace(&mut self.state.is_reached, was_reached);
        let changes = self.state.undo(mark);
        Branch { at, why, changes, is_reached }
    }

    /// The variable that a name means, if it is one that is looked after.
    fn local(&self, id: ExprId) -> Option<NodeId> {
        match self.view.resolution(id)? {
            Resolution::Local(local) => {
                Some(self.view.local(*local)).filter(|it| self.state.is_live(*it))
            }
            _ => None,
        }
    }

    /// Binds the names of a pattern; what it passes over is lost.
    fn bind(&mut self, id: PatternId, ty: &Ty) {
        if !self.state.is_reached || self.modes.of(ty) == Mode::Plain {
            return;
        }
        with_stack(|| match self.ast.pattern(id) {
            Pattern::Ident { name } => self.declare(id.node(), name, ty),
            Pattern::Wildcard => self.drops(id.node(), "`_` discards it", ty),
            Pattern::Tuple { elements: parts } => self.bind_parts(parts, &fields_of(ty, self.env)),
            Pattern::Variant { payload: parts, .. } => {
                let fields = match self.view.resolution(id) {
                    Some(Resolution::Variant { variant, .. }) => {
                        fields_of_variant(ty, *variant, self.env)
                    }
                    _ => fields_of(ty, self.env),
                };
                self.bind_parts(parts, &fields);
            }
            Pattern::Record { fields } => self.bind_fields(id, fields, ty),
            Pattern::Literal(_) | Pattern::Error { .. } => {}
        });
    }

    fn bind_parts(&mut self, parts: &[PatternId], fields: &[(Option<Name>, Ty)]) {
        for (part, field) in parts.iter().zip(fields) {
            self.bind(*part, &field.1);
        }
    }

    fn bind_fields(&mut self, id: PatternId, patterns: &[FieldPatternId], ty: &Ty) {
        for (name, ty) in fields_of(ty, self.env) {
            let Some(name) = name else { continue };
            let of_field = |it: &&FieldPatternId| self.ast.field_pattern(**it).name == name;
            match patterns.iter().find(of_field) {
                Some(found) => match self.ast.field_pattern(*found).pattern {
                    Some(inner) => self.bind(inner, &ty),
                    None => self.declare(found.node(), &name, &ty),
                },
                None => {
                    let why = format!("the pattern leaves out the field `{name}`");
                    self.drops(id.node(), &why, &ty);
                }
            }
        }
    }

    fn declare(&mut self, node: NodeId, name: &Name, ty: &Ty) {
        let mode = self.modes.of(ty);
        if mode != Mode::Plain {
            self.state.declare(node, Var { name: name.clone(), mode, ty: ty.to_string() });
        }
    }

    fn use_at(&mut self, local: NodeId, node: NodeId) {
        if self.state.index(local) < self.own {
            return self.captures(local, node);
        }
        match self.state.status(local) {
            LinearStatus::Unused => self.state.set(local, LinearStatus::Used(node)),
            LinearStatus::Used(first) | LinearStatus::Maybe { used: first, .. } => {
                self.used_again(local, node, first);
                self.state.set(local, LinearStatus::Used(first));
            }
        }
    }

    /// Looking at a plain part is not a use, but there must be something to look at.
    fn look_at(&mut self, local: NodeId, node: NodeId) {
        if self.state.index(local) < self.own {
            return self.captures(local, node);
        }
        if let LinearStatus::Used(first) | LinearStatus::Maybe { used: first, .. } =
            self.state.status(local)
        {
            self.used_again(local, node, first);
        }
    }

    fn captures(&mut self, local: NodeId, node: NodeId) {
        if !self.captured.contains(&local) {
            self.captured.push(local);
            self.captured_at(local, node);
        }
    }

    /// The variables from `outside` on go out of scope here.
    fn end_scope(&mut self, outside: usize) {
        self.check_scope(outside);
        self.state.end_scope(outside);
    }

    /// The variables from `outside` on must have been used.
    fn check_scope(&mut self, outside: usize) {
        if self.state.is_reached {
            for index in outside..self.state.live.len() {
                let local = self.state.live[index];
                self.must_be_used(local);
            }
        }
    }

    /// The variables from `outside` on are left behind at `node`.
    fn leave(&mut self, outside: usize, node: NodeId, why: &str) {
        for index in outside..self.state.live.len() {
            let local = self.state.live[index];
            let is_open = !matches!(self.state.status(local), LinearStatus::Used(_));
            if self.state.is_reached && is_open && self.state.var(local).mode == Mode::Linear {
                self.not_used(local, node, why);
            }
        }
    }

    /// A value without a name that nothing uses.
    fn drops(&mut self, node: NodeId, why: &str, ty: &Ty) {
        if self.state.is_reached && self.modes.of(ty) == Mode::Linear {
            self.value_lost(node, why, ty);
        }
    }
}

/// The codes, for the reports.
const NOT_USED: Code = Code::E5001;
const USED_TWICE: Code = Code::E5002;
const CAPTURED: Code = Code::E5003;
