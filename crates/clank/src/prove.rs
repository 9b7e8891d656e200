//! Proves the goals of declarations from what is known where they must hold.
//!
//! [`walk`] goes through a declaration in the order of evaluation and keeps what is known as facts about values
//! ([`symbols`]); every goal is held against them ([`goal`]) by the solver. Nothing is taken from the text of a goal: it
//! is read from the tree, the types and, for predicates, from where they are written ([`predicate`]).

mod assigned;
mod call;
mod elsewhere;
mod example;
mod goal;
pub(crate) mod implied;
mod loops;
mod operator;
mod pattern;
mod predicate;
mod purity;
mod statement;
mod symbols;
mod walk;

use std::collections::BTreeMap;
use std::sync::Arc;

use clank_syntax::ast::{Ast, Decl, DeclId, ExprId, Name, NodeId, ParamId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::body::{Body, BodyView, Resolution};
use crate::driver::CheckedBody;
use crate::env::{Env, Signature, TypeBody, Value};
use crate::oracle::Oracle;
use crate::proof::{Doubt, Proof};
use crate::resolve::substitute;
use crate::ty::{Adt, Ty, TypeKey};
use predicate::{ParamNodes, Scope};
use purity::Impure;
use walk::{DeclContext, Walk};

/// The program that is being proved, after inference.
pub(crate) struct World<'a> {
    modules: Vec<WorldModule<'a>>,
    by_file: FxHashMap<&'a str, usize>,
    impure: Impure<'a>,
    /// Who is asked what stays open.
    oracle: Option<&'a dyn Oracle>,
}

/// A module and what inference found out about it.
pub(crate) struct WorldModule<'a> {
    pub(crate) file: &'a Name,
    pub(crate) ast: &'a Ast,
    pub(crate) env: &'a Env,
    pub(crate) bodies: &'a BTreeMap<DeclId, CheckedBody>,
}

/// What was found out about the goals of a declaration, and what that rests on besides the declaration itself and the
/// names in it.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Proofs {
    /// In the order of the goals.
    pub(crate) all: Arc<[Proof]>,
    /// How much work they took, in questions of a usual size: the same on every machine.
    pub(crate) work: u64,
    /// Functions by file and name, and whether they were pure.
    asked: Arc<[(Name, Name, bool)]>,
    /// Declarations by file and name whose predicates and conditions were read.
    read: Arc<[(Name, Name)]>,
}

/// The name of a declaration that may hold predicates.
pub(crate) fn declared_name(decl: &Decl) -> Option<&Name> {
    match decl {
        Decl::Fn(it) => Some(&it.name),
        Decl::ExternalFn(it) => Some(&it.name),
        Decl::ExternalMod { name, .. }
        | Decl::TypeAlias { name, .. }
        | Decl::Rec { name, .. }
        | Decl::Sum { name, .. } => Some(name),
        Decl::Mod { .. } | Decl::Use(_) | Decl::Error { .. } => None,
    }
}

/// The body that nothing is known about.
static NO_BODY: Body =
    Body { types: Vec::new(), resolutions: Vec::new(), goals: Vec::new(), holes: Vec::new() };

impl<'a> World<'a> {
    pub(crate) fn new(modules: Vec<WorldModule<'a>>, oracle: Option<&'a dyn Oracle>) -> World<'a> {
        let by_file =
            modules.iter().enumerate().map(|(index, it)| (it.file.as_str(), index)).collect();
        let impure = Impure::new(&modules);
        World { modules, by_file, impure, oracle }
    }

    /// What was found out about every goal of a declaration, in the order of the goals.
    pub(crate) fn prove(&self, module: usize, decl: DeclId) -> Proofs {
        let Some(place) = self.place(module, decl) else { return Proofs::default() };
        let mut walk = Walk::new(self, place, None);
        walk.declaration(decl);
        let mut work = 0;
        if walk.has_left_out_bounds && !walk.proved_goals().iter().all(|it| *it) {
            let first = walk;
            walk = Walk::new(self, place, Some(first.proved_goals()));
            walk.declaration(decl);
            // What was proved in the first walk rests on what was looked at there.
            work = first.work + first.trials;
            walk.asked.extend(first.asked);
            walk.read.extend(first.read);
        }
        let unknown = || Proof::Unknown(Doubt::default());
        let read = walk.read.iter().filter_map(|(module, decl)| {
            let source = &self.modules[*module];
            Some((source.file.clone(), declared_name(source.ast.decl(*decl))?.clone()))
        });
        Proofs {
            work: work + walk.work + walk.trials,
            read: read.collect(),
            asked: walk.asked.into_iter().collect(),
            all: walk.verdicts.into_iter().map(|it| it.unwrap_or_else(unknown)).collect(),
        }
    }

    /// Whether proofs that were made for another version of the program are what would be found out again about a
    /// declaration that was taken over. `is_new` says which declarations were not.
    pub(crate) fn still_holds(&self, proofs: &Proofs, is_new: &FxHashSet<(&str, &str)>) -> bool {
        proofs.asked.iter().all(|(module, name, is_pure)| self.is_pure(module, name) == *is_pure)
            && !proofs
                .read
                .iter()
                .any(|(file, name)| is_new.contains(&(file.as_str(), name.as_str())))
    }

    fn place(&self, module: usize, decl: DeclId) -> Option<DeclContext<'_>> {
        let source = self.modules.get(module)?;
        let view = match source.bodies.get(&decl) {
            Some(body) => body.view(),
            None => {
                let first = NodeId(source.ast.subtree(decl).start);
                BodyView { first, body: &NO_BODY, proofs: &[] }
            }
        };
        Some(DeclContext { module, decl, ast: source.ast, env: source.env, view })
    }

    /// The declaration that a predicate is written in.
    fn home_of(&self, module: &Name, expr: ExprId) -> Option<DeclContext<'_>> {
        let index = *self.by_file.get(module.as_str())?;
        let ast = self.modules[index].ast;
        if expr.node().index() >= ast.nodes().len() {
            return None;
        }
        self.place(index, predicate::decl_of(ast, expr.node())?)
    }

    /// Whether calls of a function give the same for the same.
    fn is_pure(&self, module: &Name, name: &Name) -> bool {
        self.impure.is_pure(module, name)
    }

    /// What a record or sum is made of.
    fn shape<'e>(&'e self, env: &'e Env, key: &TypeKey) -> Option<&'e TypeBody> {
        let home = || Some(self.modules[*self.by_file.get(key.module.as_str())?].env);
        let def = env.def(key).or_else(|| home()?.def(key));
        let def = def.or_else(|| crate::prelude::prelude().def(key));
        def.map(|it| &it.shape)
    }

    /// The fields of a record with its type arguments put in; none if it is not a record.
    fn record_fields(&self, env: &Env, adt: &Adt) -> Vec<(Name, Ty)> {
        let Some(def) = env.def(&adt.key) else { return Vec::new() };
        let TypeBody::Record(fields) = &def.shape else { return Vec::new() };
        let field =
            |(name, ty): &(Name, Ty)| (name.clone(), substitute(ty, &def.params, &adt.args));
        fields.iter().map(field).collect()
    }

    /// The types of the fields of a variant with the type arguments put in.
    fn variant_fields(&self, env: &Env, adt: &Adt, variant: u32) -> Vec<Ty> {
        let Some(def) = env.def(&adt.key) else { return Vec::new() };
        let TypeBody::Sum(variants) = &def.shape else { return Vec::new() };
        let Some(variant) = variants.get(variant as usize) else { return Vec::new() };
        variant.fields.iter().map(|it| substitute(&it.1, &def.params, &adt.args)).collect()
    }

    /// The signature and the parameters of a function, external or not.
    fn callee(&self, resolution: &Resolution) -> Option<(&Signature, ParamNodes<'_>)> {
        let (module, value) = match resolution {
            Resolution::Fn { module, name } => {
                let index = *self.by_file.get(module.as_str())?;
                (index, self.modules[index].env.values.get(name)?)
            }
            Resolution::External { module, namespace, name } => {
                let index = *self.by_file.get(module.as_str())?;
                let env = self.modules[index].env;
                let value = match namespace {
                    Some(namespace) => env.host.get(&(namespace.clone(), name.clone()))?,
                    None => env.values.get(name)?,
                };
                (index, value)
            }
            _ => return None,
        };
        let (Value::Fn { module: home, node, signature, name }
        | Value::External { module: home, node, signature, name, .. }) = value
        else {
            return None;
        };
        let ast = self.modules[module].ast;
        if home != self.modules[module].file || node.index() >= ast.nodes().len() {
            return None;
        }
        let params: &[ParamId] = match ast.decl(DeclId::of(ast, *node)?) {
            Decl::Fn(it) => &it.params,
            Decl::ExternalFn(it) => &it.params,
            _ => return None,
        };
        let nodes = ParamNodes {
            name: name.clone(),
            place: self.place(module, predicate::decl_of(ast, *node)?)?,
            nodes: params.iter().map(|it| it.node()).collect(),
            types: signature.params.iter().map(|it| it.1.clone()).collect(),
        };
        Some((&**signature, nodes))
    }

    /// The parameters of what is called: a function, or a constructor, whose parameters are its fields.
    fn params(&self, env: &Env, resolution: &Resolution) -> Option<ParamNodes<'_>> {
        let (key, variant) = match resolution {
            Resolution::Variant { ty, variant } => (ty, Some(*variant)),
            Resolution::Record { ty } => (ty, None),
            _ => return self.callee(resolution).map(|it| it.1),
        };
        let index = *self.by_file.get(key.module.as_str())?;
        let ast = self.modules[index].ast;
        let def = env.def(key)?;
        let decl = DeclId::of(ast, def.node?)?;
        let (nodes, types): (Vec<NodeId>, Vec<Ty>) = match (ast.decl(decl), &def.shape, variant) {
            (Decl::Rec { fields, .. }, TypeBody::Record(types), None) => {
                let nodes = fields.iter().map(|it| it.node());
                (nodes.collect(), types.iter().map(|it| it.1.clone()).collect())
            }
            (Decl::Sum { variants, .. }, TypeBody::Sum(types), Some(variant)) => {
                let written = ast.variant(*variants.get(variant as usize)?);
                let types = &types.get(variant as usize)?.fields;
                let nodes = written.fields.iter().map(|it| it.node());
                (nodes.collect(), types.iter().map(|it| it.1.clone()).collect())
            }
            _ => return None,
        };
        Some(ParamNodes { name: key.name.clone(), place: self.place(index, decl)?, nodes, types })
    }
}

impl Walk<'_> {
    /// Which goals hold, by their places.
    fn proved_goals(&self) -> Vec<bool> {
        self.verdicts.iter().map(|it| matches!(it, Some(Proof::Discharged))).collect()
    }

    fn declaration(&mut self, decl: DeclId) {
        let ast = self.at.ast;
        match ast.decl(decl) {
            Decl::Fn(function) => {
                let signature = self.at.env.signature(decl).cloned();
                let Some(signature) = signature else { return };
                self.bind_params(&function.params, &signature);
                // The predicates of the result are read with a result that nothing is known about.
                if let Some(condition) = function.precondition {
                    self.branch(|this| this.expr(condition));
                    let text = signature.precondition.as_ref().map_or("", |it| &it.text);
                    let parts = self.condition(self.home, condition, None, Scope::Own);
                    self.assume_all(parts, text, "precondition");
                }
                self.branch(|this| {
                    let result = this.unknown(signature.result.base());
                    this.own_predicates_of(&signature.result, result);
                    this.assume_type(result, &signature.result);
                    if let Some(condition) = function.postcondition {
                        this.with_value("result", result, condition);
                    }
                });
                self.expr(function.body);
            }
            Decl::ExternalFn(function) => self.external(decl, &function.params),
            Decl::ExternalMod { functions, .. } => {
                for function in functions {
                    self.branch(|this| {
                        if let Decl::ExternalFn(it) = ast.decl(*function) {
                            this.external(*function, &it.params);
                        }
                    });
                }
            }
            Decl::Rec { fields, .. } => {
                let nodes: Vec<NodeId> = fields.iter().map(|it| it.node()).collect();
                self.type_fields(&nodes);
            }
            Decl::Sum { variants, .. } => {
                for variant in variants {
                    let fields = &ast.variant(*variant).fields;
                    let nodes: Vec<NodeId> = fields.iter().map(|it| it.node()).collect();
                    self.branch(|this| this.type_fields(&nodes));
                }
            }
            Decl::TypeAlias { .. } | Decl::Mod { .. } | Decl::Use(_) | Decl::Error { .. } => {}
        }
    }

    fn external(&mut self, decl: DeclId, params: &[ParamId]) {
        let Some(signature) = self.at.env.signature(decl).cloned() else { return };
        self.bind_params(params, &signature);
        let result = self.unknown(signature.result.base());
        self.own_predicates_of(&signature.result, result);
    }

    /// Parameters may have any value that their types allow. Predicates may mention every parameter; what they ask of the
    /// ones before is known when they are evaluated.
    fn bind_params(&mut self, params: &[ParamId], signature: &Signature) {
        for (param, (_, ty)) in params.iter().zip(&signature.params) {
            let value = self.symbols.given(symbols::sort(ty));
            self.fixed.insert(param.node(), value);
            if let Some(range) = self.in_range(value, ty) {
                self.assume(range, walk::Why::Implied);
            }
        }
        for (param, (name, ty)) in params.iter().zip(&signature.params) {
            let value = self.fixed[&param.node()];
            self.own_predicates_of(ty, value);
            for predicate in call::predicates(ty) {
                let is_here = predicate.module == *self.world.modules[self.home.module].file
                    && self.at.ast.subtree(self.home.decl).contains(&predicate.expr.node().0);
                let scope = if is_here { Scope::Own } else { Scope::Closed };
                let holds = self.predicate(predicate, value, scope);
                self.assume_all(holds, &predicate.text, &format!("parameter {name}"));
            }
        }
    }

    fn type_fields(&mut self, nodes: &[NodeId]) {
        for node in nodes {
            let value = self.symbols.given(symbols::sort(self.ty(*node)));
            self.fixed.insert(*node, value);
            if let Some(range) = self.in_range(value, self.ty(*node)) {
                self.assume(range, walk::Why::Implied);
            }
        }
        for node in nodes {
            let ty = self.ty(*node);
            let value = self.fixed[node];
            self.own_predicates_of(ty, value);
        }
    }

    /// Walks the predicates of a type that are written in this declaration, for the goals in them.
    fn own_predicates_of(&mut self, ty: &Ty, value: solver::Term) {
        for predicate in call::predicates(ty) {
            let nodes = self.at.ast.subtree(self.home.decl);
            let is_here = predicate.module == *self.world.modules[self.home.module].file
                && nodes.contains(&predicate.expr.node().0);
            if is_here {
                self.with_value(&predicate.variable, value, predicate.expr);
            }
        }
    }

    /// Walks a condition in which a name stands for a value.
    fn with_value(&mut self, name: &str, value: solver::Term, condition: ExprId) {
        let inside = self.at.ast.subtree(condition);
        self.values.push((Name::new(name), value, inside));
        self.branch(|this| this.expr(condition));
        self.values.pop();
    }
}
