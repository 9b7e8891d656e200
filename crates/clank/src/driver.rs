//! Checks a program: collects every module, looks at every declaration, and puts together what is wrong.
//!
//! Declarations are looked at in parallel and independently of one another, with the signatures of the others: so only
//! those that changed, and those that use what changed, are looked at again. What is said about one is kept with its
//! nodes counted from its first one, and moved when the text around it changes.

mod refuted;
mod reuse;
mod syntax;
#[cfg(test)]
mod tests;
mod unused;

use std::collections::BTreeMap;
use std::sync::Arc;

use check::Stop;
use clank_syntax::ast::{Ast, Decl, DeclId, Name, NodeId};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::body::{Body, BodyView, Goal, Hole};
use crate::collect::{Collected, collect};
use crate::diagnostic::Diagnostic;
use crate::env::Env;
use crate::exhaust::exhaust;
use crate::flow::flow;
use crate::infer::{Inferred, infer};
use crate::oracle::Oracle;
use crate::program::{Module, Program};
use crate::proof::Proof;
use crate::prove::{Proofs, World, WorldModule, declared_name};
use crate::ty::{RefinedTy, TypeKey};
use crate::uses::NameUses;

/// What is known about a program.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The modules; what a module imports comes before it.
    pub modules: Vec<CheckedModule>,
    /// The place among the modules of the file that the program was loaded for.
    pub asked: Option<usize>,
    /// How many declarations were looked at; the others were taken over from before.
    pub n_looked_at: usize,
    /// Who was asked what stayed open, and is asked again when repairs are tried.
    pub oracle: Option<Arc<dyn Oracle>>,
}

/// What is known about one module.
#[derive(Clone, Debug)]
pub struct CheckedModule {
    /// Its path.
    pub file: Name,
    /// What is written in it.
    pub ast: Arc<Ast>,
    /// What its names mean.
    pub env: Arc<Env>,
    /// What is known about its declarations.
    pub bodies: BTreeMap<DeclId, CheckedBody>,
    /// What is wrong, by position and then by code; one for every code and node.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether everything in it could be read.
    pub is_readable: bool,
}

/// What is known about one declaration.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckedBody {
    first: NodeId,
    body: Arc<Body>,
    diagnostics: Vec<Diagnostic>,
    uses: Arc<NameUses>,
    /// The records and sums that occur in its types.
    keys: Arc<[TypeKey]>,
    /// The refined types among its types: their predicates know where they are written.
    refined: Arc<[Arc<RefinedTy>]>,
    /// What was found out about its goals, in their order.
    proofs: Proofs,
}

impl CheckedBody {
    /// The body seen from its module.
    pub fn view(&self) -> BodyView<'_> {
        BodyView { first: self.first, body: &self.body, proofs: &self.proofs.all }
    }

    /// How much work its proofs took, in questions of a usual size.
    pub fn work(&self) -> usize {
        usize::try_from(self.proofs.work).unwrap_or(usize::MAX)
    }

    /// The global names that it looks at.
    pub fn uses(&self) -> &NameUses {
        &self.uses
    }
}

impl Checked {
    /// The module that the program was loaded for.
    pub fn asked(&self) -> Option<&CheckedModule> {
        self.modules.get(self.asked?)
    }

    /// The module in that file.
    pub fn module(&self, file: &str) -> Option<&CheckedModule> {
        self.modules.iter().find(|it| it.file == file)
    }

    /// The same without what was proved: everything is checked when the program runs.
    #[must_use]
    pub fn without_proofs(mut self) -> Checked {
        for body in self.modules.iter_mut().flat_map(|it| it.bodies.values_mut()) {
            body.proofs = Proofs::default();
        }
        self
    }

    /// The same with another tree for each module that there is one for: one with the same nodes, which have other places,
    /// ids or comments. One with other nodes is not taken.
    #[must_use]
    pub fn with_trees(mut self, tree: impl Fn(&CheckedModule) -> Option<Ast>) -> Checked {
        for module in &mut self.modules {
            let is_same = |it: &Ast| it.nodes().len() == module.ast.nodes().len();
            if let Some(ast) = tree(module).filter(is_same) {
                module.ast = Arc::new(ast);
            }
        }
        self
    }

    /// Whether something is wrong that keeps the program from being compiled.
    pub fn has_errors(&self) -> bool {
        self.modules.iter().any(CheckedModule::has_errors)
    }
}

impl CheckedModule {
    /// What is known about a declaration. Those that have no body (`use`, `mod`) have none.
    pub fn view(&self, decl: DeclId) -> Option<BodyView<'_>> {
        self.bodies.get(&decl).map(CheckedBody::view)
    }

    /// What must hold at run time, in the order of the declarations, each with the node that it is about and what was
    /// found out about it.
    pub fn goals(&self) -> impl Iterator<Item = (NodeId, &Goal, &Proof)> {
        self.bodies.values().flat_map(|it| {
            let view = it.view();
            let goals = view.body.goals.iter().zip(it.proofs.all.iter());
            goals.map(move |(goal, proof)| (view.local(goal.node), goal, proof))
        })
    }

    /// The goal at a place among all.
    pub fn goal(&self, index: usize) -> Option<(NodeId, &Goal, &Proof)> {
        let mut left = index;
        for body in self.bodies.values() {
            let view = body.view();
            if let (Some(goal), Some(proof)) =
                (view.body.goals.get(left), body.proofs.all.get(left))
            {
                return Some((view.local(goal.node), goal, proof));
            }
            left -= view.body.goals.len().min(body.proofs.all.len());
        }
        None
    }

    /// What is not written yet, in the order of the declarations, each with its node.
    pub fn holes(&self) -> impl Iterator<Item = (NodeId, &Hole)> {
        let views = self.bodies.values().map(CheckedBody::view);
        views.flat_map(|view| view.body.holes.iter().map(move |it| (view.local(it.node), it)))
    }

    /// Whether something is wrong that keeps the program from being compiled.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|it| it.code.is_error())
    }
}

/// Checks a program. What was known about another version of it saves work and changes nothing else.
pub fn check(program: &Program, before: Option<&Checked>) -> Checked {
    check_with(program, before, None)
}

/// Checks a program and asks somebody else about the goals that stay open. `before` must have been made with the same one.
pub fn check_with(
    program: &Program,
    before: Option<&Checked>,
    oracle: Option<Arc<dyn Oracle>>,
) -> Checked {
    check_until(program, before, oracle, &Stop::new())
}

/// The same, until somebody wants to stop: what is said after that is worth nothing.
pub fn check_until(
    program: &Program,
    before: Option<&Checked>,
    oracle: Option<Arc<dyn Oracle>>,
    stop: &Stop,
) -> Checked {
    let collected = collect_all(program);
    let known = before.map(|before| reuse::PriorCheck::new(program, &collected, before));
    let tasks: Vec<(usize, DeclId)> = program
        .modules()
        .iter()
        .enumerate()
        .flat_map(|(index, it)| it.ast.declarations().iter().map(move |decl| (index, *decl)))
        .filter(|(index, decl)| has_body(&program.modules()[*index], &collected[*index], *decl))
        .collect();
    let is_large = is_large(program);
    let looked_at: Vec<(CheckedBody, bool)> = each(is_large, &tasks, |&(index, decl)| {
        let taken_over = known.as_ref().and_then(|it| it.take_over(index, decl));
        let is_new = taken_over.is_none();
        let body = taken_over
            .unwrap_or_else(|| look_at(&program.modules()[index].ast, decl, &collected[index].env));
        (body, is_new)
    });
    let n_looked_at = looked_at.iter().filter(|it| it.1).count();
    let mut bodies = vec![BTreeMap::new(); program.modules().len()];
    let mut new = Vec::new();
    for ((index, decl), (body, is_new)) in tasks.into_iter().zip(looked_at) {
        bodies[index].insert(decl, body);
        if is_new {
            new.push((index, decl));
        }
    }
    let until = oracle.as_deref().map(|asked| UntilStop { asked, stop });
    let asked = until.as_ref().map(|it| it as &dyn Oracle);
    prove_all(program, &collected, &mut bodies, &new, (asked, stop));
    let parts = program.modules().iter().zip(collected).zip(bodies);
    let together = |((module, collected), bodies)| put_together(module, collected, bodies);
    let modules = match is_large {
        true => parts.collect::<Vec<_>>().into_par_iter().map(together).collect(),
        false => parts.map(together).collect(),
    };
    Checked { modules, asked: program.asked(), n_looked_at, oracle }
}

/// Below so many nodes, starting threads takes longer than they save.
const MIN_NODES: usize = 4_000;

fn is_large(program: &Program) -> bool {
    program.modules().iter().map(|it| it.ast.nodes().len()).sum::<usize>() >= MIN_NODES
}

/// Does work for each task, in parallel where that pays.
fn each<T: Sync, R: Send>(
    is_large: bool,
    tasks: &[T],
    work: impl Fn(&T) -> R + Sync + Send,
) -> Vec<R> {
    match is_large {
        true => tasks.par_iter().with_min_len(16).map(work).collect(),
        false => tasks.iter().map(work).collect(),
    }
}

/// Somebody who is asked nothing any more once the answer is not wanted.
#[derive(Debug)]
struct UntilStop<'a> {
    asked: &'a dyn Oracle,
    stop: &'a Stop,
}

impl Oracle for UntilStop<'_> {
    fn ask(&self, script: &str) -> Option<String> {
        self.asked.ask_until(script, self.stop)
    }
}

/// Looks at the goals of every declaration, which takes the bodies of all. What was proved before is kept if nothing that
/// it rests on is new.
fn prove_all(
    program: &Program,
    collected: &[Collected],
    bodies: &mut [BTreeMap<DeclId, CheckedBody>],
    new: &[(usize, DeclId)],
    (oracle, stop): (Option<&dyn Oracle>, &Stop),
) {
    let names = new.iter().filter_map(|(index, decl)| {
        let module = &program.modules()[*index];
        Some((module.file.as_str(), declared_name(module.ast.decl(*decl))?.as_str()))
    });
    let new_names: FxHashSet<(&str, &str)> = names.collect();
    let modules = program.modules().iter().zip(collected).zip(&*bodies).map(
        |((module, collected), bodies)| WorldModule {
            file: &module.file,
            ast: &module.ast,
            env: &collected.env,
            bodies,
        },
    );
    let world = World::new(modules.collect(), oracle);
    let tasks: Vec<(usize, DeclId)> = bodies
        .iter()
        .enumerate()
        .flat_map(|(index, bodies)| {
            let world = &world;
            let new_names = &new_names;
            let open = bodies.iter().filter(|(_, body)| {
                let n_goals = body.body.goals.len();
                let is_done = body.proofs.all.len() == n_goals;
                n_goals > 0 && !(is_done && world.still_holds(&body.proofs, new_names))
            });
            open.map(move |it| (index, *it.0))
        })
        .collect();
    let prove = |it: &(usize, DeclId)| match stop.is_set() {
        true => Proofs::default(),
        false => world.prove(it.0, it.1),
    };
    let proofs: Vec<Proofs> = match is_large(program) {
        true => tasks.par_iter().map(prove).collect(),
        false => tasks.iter().map(prove).collect(),
    };
    for ((module, decl), proofs) in tasks.into_iter().zip(proofs) {
        if let Some(body) = bodies[module].get_mut(&decl) {
            body.proofs = proofs;
        }
    }
}

fn collect_all(program: &Program) -> Vec<Collected> {
    let mut all: Vec<Collected> = Vec::with_capacity(program.modules().len());
    let mut by_file: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, module) in program.modules().iter().enumerate() {
        let collected =
            collect(module, program.targets(index), |file| Some(&all[*by_file.get(file)?]));
        by_file.insert(&module.file, index);
        all.push(collected);
    }
    all
}

/// Whether a declaration is looked at on its own. A type whose name means another one is not.
fn has_body(module: &Module, collected: &Collected, decl: DeclId) -> bool {
    match module.ast.decl(decl) {
        Decl::Fn(_) | Decl::ExternalFn(_) | Decl::ExternalMod { .. } => true,
        Decl::TypeAlias { .. } | Decl::Rec { .. } | Decl::Sum { .. } => {
            !collected.hidden_types.contains(&decl.node())
        }
        Decl::Mod { .. } | Decl::Use(_) | Decl::Error { .. } => false,
    }
}

/// Everything that is found out about one declaration.
fn look_at(ast: &Ast, decl: DeclId, env: &Env) -> CheckedBody {
    let first = NodeId(ast.subtree(decl).start);
    let Inferred { body, mut diagnostics, uses } = infer(ast, decl, env);
    let view = BodyView { first, body: &body, proofs: &[] };
    diagnostics.extend(exhaust(ast, decl, env, view));
    diagnostics.extend(flow(ast, decl, env, view));
    reuse::checked_body(first, body, diagnostics, uses, env.signature(decl).map(|it| &**it))
}

/// One module's diagnostics: one for every code and node (row 17), by position and then by code.
fn put_together(
    module: &Module,
    collected: Collected,
    bodies: BTreeMap<DeclId, CheckedBody>,
) -> CheckedModule {
    let ast = &module.ast;
    let mut diagnostics = syntax::diagnostics(ast, &module.syntax);
    let is_readable = diagnostics.is_empty();
    diagnostics.extend(collected.findings.diagnostics.iter().cloned());
    if is_readable {
        diagnostics.extend(unused::unused_imports(&collected, bodies.values().map(|it| &*it.uses)));
    }
    for body in bodies.values() {
        diagnostics.extend(body.diagnostics.iter().cloned());
        diagnostics.extend(refuted::diagnostics(body.view(), &body.proofs.all));
    }
    let mut seen = FxHashSet::default();
    diagnostics.retain(|it| seen.insert((it.code, it.node)));
    let is_text = ast.sources().first().is_some_and(|it| !it.text.is_empty());
    diagnostics.sort_by_cached_key(|it| {
        let start = it.span.unwrap_or_else(|| ast.span(it.node)).start;
        let place = if is_text { (ast.node(it.node).source, start) } else { Default::default() };
        (place, if is_text { None } else { Some(it.node) }, it.code, it.node)
    });
    CheckedModule {
        file: module.file.clone(),
        ast: Arc::clone(ast),
        env: collected.env,
        bodies,
        diagnostics,
        is_readable,
    }
}
