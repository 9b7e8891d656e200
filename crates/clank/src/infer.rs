//! Types, effects, goals and holes of one declaration.
//!
//! One pass over the tree: what is expected flows down, what is found flows up, and every expression is looked at once.
//! Shapes are compared on the way ([`table`]); what depends on whole types (predicates, `Nat`, effects of function
//! values) is looked at when all variables are known ([`settle`]). A type variable that nothing decides becomes `Unit`,
//! one that is only computed with `Int`: an empty array that nobody reads needs no annotation. Where the type itself is
//! needed (`x.f` on an unknown `x`) it is E2007.
//!
//! A literal that is not negative is a `Nat` where one is expected, and next to one in arithmetic. A divisor or exponent
//! that is such a literal (and not 0 for a divisor) needs no goal.

mod assign;
mod call;
mod expr;
mod given;
mod hole;
mod host;
mod name;
mod operator;
mod pattern;
mod predicate;
mod propagate;
mod record;
mod report;
mod settle;
mod statement;
mod table;
mod wording;

use std::sync::Arc;

use clank_syntax::ast::{
    Ast, AstKind, Decl, DeclId, ExprId, FnDecl, Name, NodeId, TypeId, TypeParamId,
};
use rustc_hash::FxHashMap;

use self::host::Hosts;
use crate::body::{Body, Resolution, Site};
use crate::diagnostic::Diagnostic;
use crate::env::{Condition, Env, Signature};
use crate::resolve::{Binder, Findings, TypePosition, TypeScope};
use crate::ty::{Effects, Meaning, Ty, TypeKey};
use crate::uses::NameUses;

use hole::PendingHole;
use settle::{Arithmetic, Flow, PendingGoal};
use table::Table;

/// What was found out about one declaration.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Inferred {
    /// Types, meanings, goals and holes.
    pub(crate) body: Body,
    /// What is wrong, at nodes of the module's tree.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The global names that were looked up.
    pub(crate) uses: NameUses,
}

/// Infers the types of everything in a declaration: a function's body and conditions, and the predicates in the types of
/// any declaration.
pub(crate) fn infer(ast: &Ast, decl: DeclId, env: &Env) -> Inferred {
    let mut cx = Infer::new(ast, decl, env);
    cx.declaration(decl);
    cx.finish()
}

/// What is expected of an expression.
#[derive(Clone, Copy)]
enum Want<'t> {
    /// Nothing.
    Any,
    /// This type is probable.
    Hint(&'t Ty),
    /// The value goes where this type is needed.
    Must(&'t Ty, &'t Site),
}

impl<'t> Want<'t> {
    fn hint(self) -> Option<&'t Ty> {
        match self {
            Want::Any => None,
            Want::Hint(ty) | Want::Must(ty, _) => Some(ty),
        }
    }
}

/// A name that is bound in the declaration.
#[derive(Clone, Debug)]
struct Local {
    name: Name,
    node: NodeId,
    ty: Ty,
    mutable: bool,
    /// Whether it has one value in the whole body: parameters, and what is bound outside loops and lambdas.
    is_fixed: bool,
    /// `parameter`, `let`, `for` or `match`.
    source: &'static str,
    /// The one that was bound before it and is still in scope.
    outer: Option<u32>,
    /// The one of the same name that it hides.
    hidden: Option<u32>,
}

impl Local {
    /// What its name means in a predicate.
    fn meaning(&self, module: &Name) -> Meaning {
        match self.is_fixed {
            true => Meaning::Fixed(module.clone(), self.node),
            false => Meaning::Local,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FrameKind {
    Function,
    Lambda,
    Predicate,
}

/// What `return`, `?` and calls refer to: the function, lambda or predicate around them.
#[derive(Debug)]
struct Frame {
    kind: FrameKind,
    /// What is returned.
    result: Ty,
    /// What calls may do. A lambda may do anything: it is part of its type.
    allowed: Effects,
    /// What calls do.
    effects: Effects,
    /// Whether it calls a function that may do anything.
    any_effects: bool,
    /// Whether `?` may raise.
    raises: bool,
    raised: Option<Ty>,
    postcondition: Option<Condition>,
    /// For every loop around: whether it has a `break`.
    loops: Vec<bool>,
}

/// The state of one inference.
struct Infer<'a> {
    ast: &'a Ast,
    env: &'a Env,
    /// The first node of the declaration, and one after its last.
    first: u32,
    end: u32,
    /// The name of the declaration, for messages.
    name: Name,
    type_params: Vec<Name>,
    table: Table,
    types: Vec<Option<Ty>>,
    /// The last one for a node counts.
    resolutions: Vec<(u32, Resolution)>,
    findings: Findings,
    locals: Vec<Local>,
    /// Those in scope, the innermost last.
    active: Vec<u32>,
    /// The one in scope that a name means.
    by_name: FxHashMap<Name, u32>,
    /// How many loops are around, their conditions included.
    n_loops: u32,
    frames: Vec<Frame>,
    flows: Vec<Flow>,
    hosts: Hosts<'a>,
    goals: Vec<PendingGoal>,
    arithmetic: Vec<Arithmetic>,
    holes: Vec<PendingHole>,
    /// Where the locals are bound that names mean, once all are known.
    binders: FxHashMap<u32, u32>,
    /// Whether some lambda assigns something.
    lambdas_assign: std::cell::OnceCell<bool>,
    /// What was suggested for unknown names: a typo is often repeated.
    suggestions: FxHashMap<(Name, usize), Vec<Name>>,
    near_locals: name::NearLocals,
    /// The places of the fields or variants of types that have many.
    member_places: FxHashMap<TypeKey, FxHashMap<Name, usize>>,
}

impl<'a> Infer<'a> {
    fn new(ast: &'a Ast, decl: DeclId, env: &'a Env) -> Infer<'a> {
        let nodes = ast.subtree(decl);
        let n_nodes = nodes.len();
        Infer {
            ast,
            env,
            first: nodes.start,
            end: nodes.end,
            name: Name::default(),
            type_params: Vec::new(),
            table: Table::default(),
            types: vec![None; n_nodes],
            resolutions: Vec::new(),
            findings: Findings::default(),
            locals: Vec::new(),
            active: Vec::new(),
            by_name: FxHashMap::default(),
            n_loops: 0,
            frames: Vec::new(),
            flows: Vec::new(),
            hosts: Hosts::default(),
            goals: Vec::new(),
            arithmetic: Vec::new(),
            holes: Vec::new(),
            binders: FxHashMap::default(),
            lambdas_assign: std::cell::OnceCell::new(),
            suggestions: FxHashMap::default(),
            near_locals: name::NearLocals::default(),
            member_places: FxHashMap::default(),
        }
    }

    fn declaration(&mut self, decl: DeclId) {
        match self.ast.decl(decl) {
            Decl::Fn(it) => self.function(decl, it),
            Decl::ExternalFn(it) => {
                self.name = it.name.clone();
                self.type_params = self.param_names(&it.type_params);
                let mark = self.enter();
                if let Some(signature) = self.env.signature(decl).cloned() {
                    self.bind_params(&it.params, &signature);
                    self.type_predicates(&signature.result);
                }
                self.leave(mark);
            }
            Decl::ExternalMod { functions, .. } => {
                for function in functions {
                    self.declaration(*function);
                }
            }
            Decl::TypeAlias { name, type_params, ty } => {
                self.start_type(name, type_params);
                let resolved = self.declared_type(*ty, None);
                self.type_predicates(&resolved);
            }
            Decl::Rec { name, type_params, fields } => {
                self.start_type(name, type_params);
                let fields: Vec<_> =
                    fields.iter().map(|it| (it.node(), self.ast.field(*it))).collect();
                let fields: Vec<_> =
                    fields.iter().map(|(node, it)| (*node, Some(&it.name), it.ty)).collect();
                self.fields(&fields);
            }
            Decl::Sum { name, type_params, variants } => {
                self.start_type(name, type_params);
                for variant in variants {
                    let fields = self.ast.variant(*variant).fields.iter();
                    let fields: Vec<_> = fields
                        .map(|it| {
                            let field = self.ast.variant_field(*it);
                            (it.node(), field.name.as_ref(), field.ty)
                        })
                        .collect();
                    self.fields(&fields);
                }
            }
            Decl::Mod { .. } | Decl::Use(_) | Decl::Error { .. } => {}
        }
    }

    fn start_type(&mut self, name: &Name, type_params: &[TypeParamId]) {
        self.name = name.clone();
        self.type_params = self.param_names(type_params);
    }

    fn param_names(&self, params: &[TypeParamId]) -> Vec<Name> {
        params.iter().map(|it| self.ast.type_param(*it).name.clone()).collect()
    }

    /// The fields of a record or variant: each may be mentioned in the predicates of the others.
    fn fields(&mut self, fields: &[(NodeId, Option<&Name>, TypeId)]) {
        let mark = self.enter();
        let mut local = self.locals.len();
        for (node, name, _) in fields {
            if let Some(name) = name {
                self.bind(name, *node, Ty::Error, false, "parameter");
            }
        }
        for (node, name, ty) in fields {
            let resolved = self.declared_type(*ty, *name);
            self.set_type(*node, &resolved);
            if name.is_some() {
                self.locals[local].ty = resolved;
                local += 1;
            }
        }
        for (node, ..) in fields {
            let ty = self.types[(node.0 - self.first) as usize].clone();
            self.type_predicates(&ty.unwrap_or(Ty::Error));
        }
        self.leave(mark);
    }

    /// A type in the head of a declaration: what is wrong with it was said when it was collected.
    fn declared_type(&mut self, ty: TypeId, name: Option<&Name>) -> Ty {
        let n_known = self.findings.diagnostics.len();
        let resolved = self.written_type(ty, name, TypePosition::Other);
        self.findings.diagnostics.truncate(n_known);
        resolved
    }

    /// A type that is written in a body.
    fn written_type(&mut self, ty: TypeId, name: Option<&Name>, position: TypePosition) -> Ty {
        let scope = TypeScope { ast: self.ast, env: self.env, type_params: &self.type_params };
        let (locals, by_name) = (&self.locals, &self.by_name);
        let own = name.cloned();
        let in_scope = |it: &str| match by_name.get(it) {
            _ if own.as_ref().is_some_and(|own| own == it) => Some(Meaning::Local),
            local => local.map(|it| locals[*it as usize].meaning(&scope.env.module)),
        };
        let binder = Binder { name: name.map(|it| it.as_str()), position, in_scope: &in_scope };
        scope.resolve(ty, binder, &mut self.findings)
    }

    fn function(&mut self, decl: DeclId, it: &'a FnDecl) {
        self.name = it.name.clone();
        self.type_params = self.param_names(&it.type_params);
        let Some(signature) = self.env.signature(decl).cloned() else { return };
        let mark = self.enter();
        self.bind_params(&it.params, &signature);
        self.type_predicates(&signature.result);
        if let Some(condition) = it.precondition {
            self.condition(condition);
        }
        if let Some(condition) = it.postcondition {
            let inner = self.enter();
            self.bind(
                &Name::new("result"),
                decl.node(),
                signature.result.clone(),
                false,
                "parameter",
            );
            self.condition(condition);
            self.leave(inner);
        }
        self.frames.push(Frame {
            kind: FrameKind::Function,
            result: signature.result.clone(),
            allowed: signature.effects,
            effects: Effects::PURE,
            any_effects: false,
            raises: signature.effects.has(Effects::ERR),
            raised: signature.raises.clone(),
            postcondition: signature.postcondition.clone(),
            loops: Vec::new(),
        });
        self.expr(it.body, Want::Must(&signature.result, &Site::Return));
        self.frames.pop();
        self.leave(mark);
    }

    fn bind_params(&mut self, params: &[clank_syntax::ast::ParamId], signature: &Arc<Signature>) {
        for (param, (name, ty)) in params.iter().zip(&signature.params) {
            self.bind(name, param.node(), ty.clone(), false, "parameter");
            self.set_type(param.node(), ty);
        }
        for (_, ty) in &signature.params {
            self.type_predicates(ty);
        }
    }

    // Scopes

    fn enter(&self) -> usize {
        self.active.len()
    }

    fn leave(&mut self, mark: usize) {
        for local in self.active.drain(mark..).rev() {
            let Local { name, hidden, .. } = &self.locals[local as usize];
            match hidden {
                Some(hidden) => self.by_name.insert(name.clone(), *hidden),
                None => self.by_name.remove(name),
            };
        }
    }

    fn bind(&mut self, name: &Name, node: NodeId, ty: Ty, mutable: bool, source: &'static str) {
        let index = self.locals.len() as u32;
        let outer = self.active.last().copied();
        let hidden = self.by_name.insert(name.clone(), index);
        let is_param = matches!(self.ast.node(node).kind, AstKind::Param(_));
        let is_fixed = is_param || !mutable && self.n_loops == 0 && self.frames.len() == 1;
        let name = name.clone();
        self.locals.push(Local { name, node, ty, mutable, is_fixed, source, outer, hidden });
        self.active.push(index);
    }

    /// The local that a name means, if it means one.
    fn local(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// What is in scope: the innermost local.
    fn scope(&self) -> Option<u32> {
        self.active.last().copied()
    }

    // Results

    fn relative(&self, node: NodeId) -> u32 {
        node.0.saturating_sub(self.first)
    }

    /// Records the type of a node; what is too large is refused.
    fn set_type(&mut self, node: NodeId, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        if !self.table.is_reasonable(&ty) {
            self.report_too_large(node);
            ty = Ty::Error;
        }
        let index = self.relative(node) as usize;
        if let Some(slot) = self.types.get_mut(index) {
            *slot = Some(ty.clone());
        }
        ty
    }

    fn resolve(&mut self, node: NodeId, meaning: Resolution) {
        if (self.first..self.end).contains(&node.0) {
            self.resolutions.push((self.relative(node), meaning));
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.findings.diagnostics.push(diagnostic);
    }

    /// A value goes where a type is needed. Says whether the shapes go together; the rest is looked at later.
    fn flow(&mut self, node: impl Into<NodeId>, actual: &Ty, expected: &Ty, site: &Site) -> bool {
        let node = node.into();
        match self.table.relate(actual, expected) {
            Ok(()) => {
                self.note_flow(node, actual, expected, site);
                true
            }
            Err(clash) => {
                self.report_clash(clash, node, expected, actual);
                false
            }
        }
    }

    /// The expression whose value an expression has: the last one of a block.
    fn tail(&self, expr: ExprId) -> ExprId {
        let mut at = expr;
        while let clank_syntax::ast::Expr::Block { expr: Some(last), .. } = self.ast.expr(at) {
            at = *last;
        }
        at
    }

    fn frame(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    fn finish(mut self) -> Inferred {
        self.settle_arithmetic();
        self.settle_flows();
        self.settle_around();
        self.settle_hosts();
        let goals = self.finish_goals();
        let holes = self.finish_holes();
        let types = self.settle_types();
        let mut resolutions = self.resolutions;
        resolutions.sort_by_key(|it| it.0);
        resolutions.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        let body = Body { types, resolutions, goals, holes };
        Inferred { body, diagnostics: self.findings.diagnostics, uses: self.findings.uses }
    }
}
