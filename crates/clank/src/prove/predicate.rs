//! Predicates and conditions, read where they are written and about the values of where they must hold.

use clank_syntax::ast::{
    Ast, AstKind, Decl, DeclId, Expr, ExprId, Name, NodeId, ParamId, Stmt, StmtId, VariantFieldId,
};
use rustc_hash::FxHashMap;
use solver::Term;

use super::call::predicates;
use super::symbols::sort;
use super::walk::{DeclContext, Walk, Why};
use crate::body::{Goal, GoalKind, Resolution, Site};
use crate::ty::{GivenValue, Predicate, Ty};

/// The largest predicate that is read again for every value, in nodes.
const MAX_PREDICATE: usize = 40_000;

/// What the names in a predicate mean, besides the one that stands for the value.
#[derive(Clone, Copy)]
pub(super) enum Scope<'m> {
    /// What they mean where the walk is.
    Own,
    /// The arguments of a call.
    Params(&'m Params),
    /// There are none.
    Closed,
}

/// The parameters of something that is called: where it is, their nodes and their types as declared.
pub(super) struct ParamNodes<'a> {
    pub(super) name: Name,
    pub(super) place: DeclContext<'a>,
    pub(super) nodes: Vec<NodeId>,
    pub(super) types: Vec<Ty>,
}

/// What parameters mean in one call.
pub(super) struct Params {
    values: FxHashMap<NodeId, Term>,
}

impl Params {
    pub(super) fn new(params: &ParamNodes<'_>, args: impl Iterator<Item = Option<Term>>) -> Params {
        let pairs = params.nodes.iter().copied().zip(args);
        Params { values: pairs.filter_map(|(node, arg)| Some((node, arg?))).collect() }
    }
}

/// The fields of a record: as they are declared, and their values.
struct Fields {
    declared: Vec<(Name, Ty)>,
    terms: Vec<Term>,
    params: Params,
}

impl Fields {
    fn value(&self, field: &Name) -> Option<Term> {
        let place = self.declared.iter().position(|it| it.0 == *field)?;
        self.terms.get(place).copied()
    }
}

/// A value in which a part was assigned, before and afterwards.
pub(super) struct Changed<'a> {
    pub(super) old: Term,
    pub(super) new: Term,
    pub(super) ty: &'a Ty,
}

impl<'a> Walk<'a> {
    /// A predicate about a value, as the parts that all must hold; `None` if it cannot be told what it means.
    pub(super) fn predicate(
        &mut self,
        predicate: &Predicate,
        value: Term,
        scope: Scope<'_>,
    ) -> Option<Vec<Term>> {
        let place = self.world.home_of(&predicate.module, predicate.expr)?;
        self.read.insert((place.module, place.decl));
        let variable = predicate.written_variable().clone();
        self.condition(place, predicate.expr, Some((variable, value)), scope)
    }

    /// A condition, in which a name may stand for a value.
    pub(super) fn condition(
        &mut self,
        place: DeclContext<'a>,
        expr: ExprId,
        variable: Option<(Name, Term)>,
        scope: Scope<'_>,
    ) -> Option<Vec<Term>> {
        let name = variable.as_ref().map(|it| &it.0);
        let is_here = (place.module, place.decl) == (self.home.module, self.home.decl);
        let is_known = |local: NodeId| match scope {
            Scope::Own => is_here,
            Scope::Params(params) => params.values.contains_key(&local),
            Scope::Closed => false,
        };
        if !can_be_read(place, expr, name, &is_known) {
            return None;
        }
        let inside = place.ast.subtree(expr);
        let values = variable.into_iter().map(|(name, value)| (name, value, inside.clone()));
        let values = std::mem::replace(&mut self.values, values.collect());
        let at = std::mem::replace(&mut self.at, place);
        let locals = match scope {
            Scope::Own => None,
            Scope::Params(params) => Some(params.values.clone()),
            Scope::Closed => Some(FxHashMap::default()),
        };
        let outer = locals
            .map(|it| (std::mem::replace(&mut self.fixed, it), std::mem::take(&mut self.vars)));
        let (mark, is_dead) = (self.facts.len(), std::mem::take(&mut self.is_dead));
        self.quiet += 1;
        let holds = self.expr(expr);
        let parts = self.parts_of_condition(expr, holds);
        self.quiet -= 1;
        self.facts.truncate(mark);
        let is_left = std::mem::replace(&mut self.is_dead, is_dead);
        if let Some((fixed, vars)) = outer {
            self.fixed = fixed;
            self.vars = vars;
        }
        self.at = at;
        self.values = values;
        (!is_left && !self.is_exhausted()).then_some(parts)
    }

    /// What every value of a type satisfies because of its own predicates, if these say the same all the time.
    pub(super) fn assume_lasting(&mut self, value: Term, ty: &Ty) {
        if self.quiet > 0 {
            return;
        }
        for predicate in predicates(ty).iter().filter(|it| it.is_lasting()) {
            let parts = match predicate.is_closed() {
                true => self.closed_predicate(predicate, value),
                false => self.predicate_here(predicate, value),
            };
            for part in parts.unwrap_or_default() {
                self.assume(part, Why::Implied);
            }
        }
    }

    /// A predicate that says the same of a value wherever it is asked.
    fn closed_predicate(&mut self, predicate: &Predicate, value: Term) -> Option<Vec<Term>> {
        let key = (value, predicate.module.clone(), predicate.expr);
        if let Some(known) = self.closed.get(&key) {
            return known.clone();
        }
        let parts = self.predicate(predicate, value, Scope::Closed);
        self.closed.insert(key, parts.clone());
        parts
    }

    /// What the type that a goal expects asks of a value; `scope_of` gives every predicate as it is declared, and says what
    /// the names in it mean.
    pub(super) fn expected_parts<'m>(
        &mut self,
        index: usize,
        value: Term,
        scope_of: &dyn Fn(&'m Predicate) -> (&'m Predicate, Scope<'m>),
    ) -> Option<Vec<Term>>
    where
        'a: 'm,
    {
        let expected = self.goal(index).expected.as_ref()?;
        let mut parts: Vec<Term> = self.in_range(value, expected).into_iter().collect();
        for predicate in predicates(expected) {
            let (predicate, scope) = scope_of(predicate);
            parts.extend(self.predicate(predicate, value, scope)?);
        }
        Some(parts)
    }

    /// What a goal asks of a value, where its own predicates speak of what is in scope and others of nothing else.
    fn parts_of_value(&mut self, index: usize, value: Term) -> Option<Vec<Term>> {
        let expected = self.goal(index).expected.as_ref()?;
        let mut parts: Vec<Term> = self.in_range(value, expected).into_iter().collect();
        for predicate in predicates(expected) {
            parts.extend(self.predicate_here(predicate, value)?);
        }
        Some(parts)
    }

    /// A predicate of a type that is used where the walk is.
    fn predicate_here(&mut self, predicate: &Predicate, value: Term) -> Option<Vec<Term>> {
        let given = self.given_params(predicate);
        let scope = match &given {
            Some(given) => Scope::Params(given),
            None if self.is_own(predicate) => Scope::Own,
            None => Scope::Closed,
        };
        self.predicate(predicate, value, scope)
    }

    /// What stands for the names of a predicate that is written elsewhere, evaluated where the walk is.
    fn given_params(&mut self, predicate: &Predicate) -> Option<Params> {
        let given = predicate.given.as_ref()?;
        let home = self.world.home_of(&predicate.module, predicate.expr)?;
        let mut values = FxHashMap::default();
        for (name, value) in &given.values {
            let (node, value) =
                (binder(home.ast, home.decl, predicate.expr, name)?, value.as_ref()?);
            values.insert(node, self.again(value));
        }
        Some(Params { values })
    }

    /// An expression that was walked or will be, without asking for anything.
    fn again(&mut self, value: &GivenValue) -> Term {
        let (mark, is_dead) = (self.facts.len(), self.is_dead);
        self.quiet += 1;
        let term = self.expr(value.expr);
        self.quiet -= 1;
        self.facts.truncate(mark);
        self.is_dead = is_dead;
        match &value.field {
            Some(field) => {
                let fields = self.fields_of(term, self.ty(value.expr));
                let known = fields.and_then(|it| it.value(field));
                known.unwrap_or_else(|| self.symbols.unknown(solver::Sort::Other))
            }
            None => term,
        }
    }

    /// A goal about a value that was computed.
    pub(super) fn value_goal(&mut self, index: usize, value: Term) {
        let goal = self.goal(index);
        let parts = match goal.kind {
            GoalKind::Postcondition => {
                let signature = self.home.env.signature(self.home.decl);
                let condition = signature.and_then(|it| it.postcondition.as_ref());
                let result = Some((Name::new("result"), value));
                condition.and_then(|it| self.condition(self.home, it.expr, result, Scope::Own))
            }
            GoalKind::Refinement if self.is_ambiguous(goal) => None,
            GoalKind::Refinement => {
                if matches!(goal.site, Site::Argument { .. } | Site::Around { .. }) {
                    return;
                }
                self.parts_of_value(index, value)
            }
            _ => return,
        };
        match parts {
            Some(parts) => self.judge(index, &parts),
            None => self.give_up(index),
        }
    }

    /// The goals of values in which a part was assigned, the innermost first.
    pub(super) fn around_goals(&mut self, id: StmtId, around: &[Changed<'_>]) {
        for index in self.goals_at(id) {
            let Site::Around { depth, field } = &self.goal(index).site else { continue };
            let place = (*depth as usize).checked_sub(1).and_then(|it| around.get(it));
            let parts = place.and_then(|place| match field {
                None => self.parts_of_value(index, place.new),
                Some(field) => {
                    self.assume_fields(place.old, place.ty);
                    let fields = self.fields_of(place.new, place.ty)?;
                    let value = fields.value(field)?;
                    let scope = Scope::Params(&fields.params);
                    self.expected_parts(index, value, &|it| (it, scope))
                }
            });
            match parts {
                Some(parts) => self.judge(index, &parts),
                None => self.give_up(index),
            }
        }
    }

    /// What the fields of a record say about one another: it was asked when the record was made, and whenever a field was
    /// assigned.
    pub(super) fn assume_fields(&mut self, record: Term, ty: &Ty) {
        if self.quiet > 0 {
            return;
        }
        let Some(fields) = self.fields_of(record, ty) else { return };
        for (name, ty) in &fields.declared {
            let Some(value) = fields.value(name) else { continue };
            for predicate in predicates(ty).iter().filter(|it| !it.is_closed()) {
                let parts = self.predicate(predicate, value, Scope::Params(&fields.params));
                for part in parts.unwrap_or_default() {
                    self.assume(part, Why::Implied);
                }
            }
        }
    }

    fn fields_of(&mut self, record: Term, ty: &Ty) -> Option<Fields> {
        let Ty::Adt(adt) = ty.base() else { return None };
        let resolution = Resolution::Record { ty: adt.key.clone() };
        let (world, env) = (self.world, self.at.env);
        let nodes = world.params(env, &resolution)?;
        let declared = world.record_fields(env, adt);
        let field = |(name, ty): &(Name, Ty)| self.symbols.field(record, name, sort(ty));
        let terms: Vec<Term> = declared.iter().map(field).collect();
        let params = Params::new(&nodes, terms.iter().copied().map(Some));
        Some(Fields { declared, terms, params })
    }

    /// Whether it cannot be told which value a goal is about: at `e?` it may be the one that leaves.
    fn is_ambiguous(&self, goal: &Goal) -> bool {
        let node = self.home.view.local(goal.node);
        goal.expected.is_none()
            || goal.site == Site::Other
                && matches!(self.home.ast.node(node).kind, AstKind::Expr(Expr::Propagate { .. }))
    }

    /// Whether the names of a predicate mean what they mean where the walk is: this declaration writes it.
    fn is_own(&self, predicate: &Predicate) -> bool {
        predicate.given.is_none()
            && predicate.module == *self.world.modules[self.home.module].file
            && self.home.ast.subtree(self.home.decl).contains(&predicate.expr.node().0)
    }
}

/// What a name means that a declaration binds for its own types: a parameter or field.
fn binder(ast: &Ast, decl: DeclId, predicate: ExprId, name: &Name) -> Option<NodeId> {
    let param = |params: &[ParamId]| {
        params.iter().find(|it| ast.param(**it).name == *name).map(|it| it.node())
    };
    match ast.decl(decl) {
        Decl::Fn(it) => param(&it.params),
        Decl::ExternalFn(it) => param(&it.params),
        Decl::Rec { fields, .. } => {
            fields.iter().find(|it| ast.field(**it).name == *name).map(|it| it.node())
        }
        Decl::Sum { variants, .. } => {
            let place = predicate.node().0;
            let variant = variants.iter().find(|it| ast.subtree(**it).contains(&place))?;
            let mut fields = ast.variant(*variant).fields.iter();
            let is_named =
                |it: &&VariantFieldId| ast.variant_field(**it).name.as_ref() == Some(name);
            fields.find(is_named).map(|it| it.node())
        }
        _ => None,
    }
}

/// Whether every name in a condition is known, and there is nothing in it that would have to be run.
fn can_be_read(
    place: DeclContext<'_>,
    expr: ExprId,
    variable: Option<&Name>,
    is_known: &dyn Fn(NodeId) -> bool,
) -> bool {
    let inside = place.ast.subtree(expr);
    if inside.len() > MAX_PREDICATE {
        return false;
    }
    inside.clone().all(|node| match &place.ast.node(NodeId(node)).kind {
        AstKind::Expr(Expr::Ident { name }) => match place.view.resolution(NodeId(node)) {
            Some(Resolution::Local(local)) => {
                let local = place.view.local(*local);
                inside.contains(&local.0) || variable == Some(name) || is_known(local)
            }
            _ => true,
        },
        AstKind::Stmt(stmt) => matches!(stmt, Stmt::Let { .. } | Stmt::Expr { .. }),
        AstKind::Expr(Expr::Propagate { .. } | Expr::Hole { .. } | Expr::Error { .. }) => false,
        _ => true,
    })
}

/// The node of the innermost declaration around a node.
pub(super) fn decl_of(ast: &Ast, node: NodeId) -> Option<DeclId> {
    let decls = ast.declarations();
    decls.get(decls.partition_point(|it| it.node() < node)).copied()
}
