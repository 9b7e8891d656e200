//! Repairs: for every mistake, unproved goal and hole, the changes that would make it go away, tried before they are
//! offered.
//!
//! One way: [`propose`] makes candidates from the tree, [`verify`] applies each to the tree and checks the program again,
//! [`rank`] puts them in the order of preference, [`relate`] says which exclude or go with one another.

mod class;
mod findings;
mod footprint;
mod on_text;
mod order;
mod prefer;
mod progress;
pub(crate) mod propose;
mod rank;
mod relate;
mod rename;
mod verify;

pub use rename::{RenameError, expand};

use std::collections::BTreeSet;
use std::sync::OnceLock;

use check::{Confidence, RepairClass, RepairKind, Safety, Scope};
use clank_syntax::ast::{Ast, DeclId, Name, NodeId};
use clank_syntax::patch::PatchOp;
use rustc_hash::FxHashMap;

pub use self::order::{in_order, with_required};
pub use self::progress::{Progress, progress};

use self::findings::{Class, class_of};
use self::propose::{Candidate, Scene, propose};
use self::verify::Verdict;
use crate::body::GoalKind;
use crate::code::Code;
use crate::driver::{Checked, CheckedModule};
use crate::program::Program;
use crate::proof::Proof;

/// What a repair is about: a place in the list of the module's diagnostics, goals or holes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// `CheckedModule::diagnostics[i]`
    Diagnostic(usize),
    /// The i-th of `CheckedModule::goals()`.
    Goal(usize),
    /// The i-th of `CheckedModule::holes()`.
    Hole(usize),
}

/// A change that would make something go away.
#[derive(Clone, PartialEq, Debug)]
pub struct Repair {
    /// A short label: "rename `hh` to `h`".
    pub title: String,
    /// Why this is the repair.
    pub rationale: String,
    /// How sure it is. At most medium if it was not verified.
    pub confidence: Confidence,
    /// What it may do to the meaning.
    pub safety: Safety,
    /// What kind of change it is.
    pub kind: RepairKind,
    /// What it does about the cause, read off the operations.
    pub class: RepairClass,
    /// How much it touches, computed from the operations.
    pub scope: Scope,
    /// The nodes of the module that it touches.
    pub nodes: Vec<NodeId>,
    /// The codes of the mistakes that it resolves.
    pub codes: Vec<Code>,
    /// What to do, by file; the module's own file first. All or nothing.
    pub edits: Vec<(Name, Vec<PatchOp>)>,
    /// What will be gone, the one that it was made for first.
    pub resolves: Vec<Target>,
    /// The mistakes that can be seen when it is applied, in a text that could not be read before. They are not new.
    pub reveals: Vec<Code>,
    /// Whether it was applied and the program checked again: what it claims came true and nothing new came up.
    pub is_verified: bool,
    /// What it can be combined with, as places in the list of repairs.
    pub compatibility: Compatibility,
}

/// What a repair can be combined with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compatibility {
    /// Repairs that it excludes, in either direction (RS-48, RS-51, RS-52, RS-53).
    pub conflicts_with: Vec<usize>,
    /// Repairs that come before it (RS-49, RS-55).
    pub requires: Vec<usize>,
    /// Repairs with the same key commute (RS-50, RS-54).
    pub batch_key: Option<String>,
}

/// The repairs of one module.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Repairs {
    /// In the order of preference; the first is the best (row 35).
    pub list: Vec<Repair>,
    /// What nothing is offered for, and why (row 55).
    pub without: Vec<(Target, String)>,
    /// How often the program was checked again to try them.
    pub n_checks: usize,
}

/// How much is tried. Counts, so that the same program always gets the same repairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// How many candidates are tried.
    pub candidates: usize,
    /// How many nodes are checked again: those of the declarations that a change concerns, what their proofs took, and a
    /// part of the others, which are taken over from before. Many mistakes in many functions take a few checks, many in one function whose goals
    /// depend on one another take one for each candidate.
    pub nodes: usize,
    /// How many candidates there are for one mistake, the likeliest first.
    pub per_target: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { candidates: 5_000, nodes: 3_000_000, per_target: 8 }
    }
}

/// What could be done about everything that is wrong, unproved or not written in a module. `checked` is what is known
/// about `program`, and `module` the place of the module in both. A candidate that does not do what it is for, or that
/// makes something else go wrong, is not offered.
pub fn repairs(program: &Program, checked: &Checked, module: usize, budget: &Budget) -> Repairs {
    let Some(in_module) = checked.modules.get(module) else { return Repairs::default() };
    let parents = in_module.ast.parents();
    let (users, names) = (OnceLock::new(), OnceLock::new());
    let scene = Scene {
        program,
        checked,
        module: in_module,
        parents: &parents,
        users: &users,
        names: &names,
    };
    let targets = targets(in_module);
    let candidates = candidates(scene, &targets, budget);
    let tried = verify::verify(program, checked, module, &candidates, budget);
    let mut list: Vec<Repair> = Vec::new();
    let mut failed: FxHashMap<Target, &str> = FxHashMap::default();
    // By candidate, its place in the list.
    let mut places: FxHashMap<usize, usize> = FxHashMap::default();
    // By place in the list, how many of the things that it resolves it was made for.
    let mut n_own: Vec<usize> = Vec::new();
    for (index, (candidate, verdict)) in candidates.into_iter().zip(tried.verdicts).enumerate() {
        places.insert(index, list.len());
        let n_targets = candidate.targets.len();
        match verdict {
            Verdict::Failed(reason) => {
                for target in candidate.targets {
                    failed.entry(target).or_insert(reason);
                }
            }
            Verdict::Kept { resolves, costs_obligations, reveals } => {
                let has_cost = costs_obligations || !reveals.is_empty();
                let mut it = repair(in_module, candidate, resolves, true, has_cost);
                it.rationale.push_str(&what_it_reveals(&reveals));
                it.reveals = reveals;
                list.push(it);
            }
            Verdict::KeptAfter { first, resolves } => {
                let mut it = repair(in_module, candidate, resolves, true, true);
                it.compatibility.requires = vec![first];
                list.push(it);
            }
            Verdict::Untried => {
                let resolves = candidate.targets.clone();
                list.push(repair(in_module, candidate, resolves, false, false));
            }
        }
        n_own.resize(list.len(), n_targets);
    }
    let mut n_checks = tried.n_checks;
    if !in_module.is_readable {
        n_checks += on_text::try_on_text(program, checked, module, &mut list);
    }
    prefer::proofs(&mut list);
    prefer::causes(&mut list, &n_own);
    let moved = rank::rank(in_module, &mut list);
    for required in list.iter_mut().flat_map(|it| &mut it.compatibility.requires) {
        *required = moved[places[required]];
    }
    relate::relate(scene, &mut list);
    let offered: BTreeSet<Target> = list.iter().flat_map(|it| it.resolves.clone()).collect();
    let without = targets
        .into_iter()
        .filter(|it| !offered.contains(it))
        .map(|it| (it, reason_for_none(in_module, it, failed.get(&it).copied())))
        .collect();
    Repairs { list, without, n_checks }
}

/// What repairs are looked for: every mistake, every goal that is neither proved nor refuted (a refuted one is a mistake
/// too), every hole. An assertion is a check that its author asked for (row 10).
fn targets(module: &CheckedModule) -> Vec<Target> {
    let diagnostics = (0..module.diagnostics.len()).map(Target::Diagnostic);
    let open_goals = module.goals().enumerate().filter(|(_, (_, goal, proof))| {
        goal.kind != GoalKind::Assertion && matches!(proof, Proof::Unknown(_))
    });
    let goals = open_goals.map(|it| Target::Goal(it.0));
    let holes = (0..module.holes().count()).map(Target::Hole);
    diagnostics.chain(goals).chain(holes).collect()
}

/// The candidates for all targets. Those that do the same are one, for all that they were made for.
fn candidates(scene: Scene<'_>, targets: &[Target], budget: &Budget) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = Vec::new();
    let mut by_edits: FxHashMap<String, usize> = FxHashMap::default();
    for &target in targets {
        for candidate in propose(scene, target).into_iter().take(budget.per_target) {
            if candidate.edits.iter().all(|it| it.1.is_empty()) {
                continue;
            }
            let place = *by_edits.entry(edits_key(&candidate)).or_insert(all.len());
            match all.get_mut(place) {
                None => all.push(candidate),
                Some(same) => {
                    for target in candidate.targets {
                        if !same.targets.contains(&target) {
                            same.targets.push(target);
                        }
                    }
                }
            }
        }
    }
    all
}

fn edits_key(candidate: &Candidate) -> String {
    let mut key = String::new();
    for (file, ops) in &candidate.edits {
        key.push_str(file);
        for op in ops {
            key.push('\n');
            key.push_str(&op.to_json().to_string());
        }
    }
    key
}

fn repair(
    module: &CheckedModule,
    candidate: Candidate,
    resolves: Vec<Target>,
    is_verified: bool,
    has_cost: bool,
) -> Repair {
    let is_sure = is_verified && !has_cost;
    let confidence = match candidate.confidence {
        Confidence::High if !is_sure => Confidence::Medium,
        other => other,
    };
    let codes: BTreeSet<Code> = resolves.iter().filter_map(|it| code(module, *it)).collect();
    let nodes = nodes(&module.ast, &candidate.edits, &module.file);
    Repair {
        title: candidate.title,
        rationale: candidate.rationale,
        confidence,
        safety: candidate.safety,
        kind: candidate.kind,
        class: class::of_operations(candidate.edits.iter().flat_map(|it| &it.1), &module.ast),
        scope: scope(module, &candidate.edits, &nodes),
        nodes,
        codes: codes.into_iter().collect(),
        edits: candidate.edits,
        resolves,
        reveals: Vec::new(),
        is_verified,
        compatibility: Compatibility::default(),
    }
}

/// What is said about mistakes that come to light.
fn what_it_reveals(reveals: &[Code]) -> String {
    let codes: BTreeSet<&str> = reveals.iter().map(|it| it.name()).collect();
    let codes: Vec<&str> = codes.into_iter().collect();
    match reveals.len() {
        0 => String::new(),
        1 => format!("; {} comes to light, which could not be seen before", codes.join(", ")),
        n => format!(
            "; {n} mistakes come to light that could not be seen before: {}",
            codes.join(", ")
        ),
    }
}

fn code(module: &CheckedModule, target: Target) -> Option<Code> {
    match target {
        Target::Diagnostic(index) => module.diagnostics.get(index).map(|it| it.code),
        Target::Goal(_) | Target::Hole(_) => None,
    }
}

/// The nodes of the module that operations are about or move, each once, in order.
fn nodes(ast: &Ast, edits: &[(Name, Vec<PatchOp>)], file: &Name) -> Vec<NodeId> {
    let own = edits.iter().filter(|it| it.0 == *file).flat_map(|it| &it.1);
    let nodes: BTreeSet<NodeId> =
        own.flat_map(PatchOp::node_ids).filter_map(|it| ast.ids().node(&it)).collect();
    nodes.into_iter().collect()
}

/// How much operations touch (RS-8): every node that one is about is a place.
fn scope(module: &CheckedModule, edits: &[(Name, Vec<PatchOp>)], nodes: &[NodeId]) -> Scope {
    let places: BTreeSet<(&Name, &Name)> = edits
        .iter()
        .flat_map(|(file, ops)| ops.iter().map(move |it| (file, it.target())))
        .collect();
    let files = edits.iter().filter(|it| !it.1.is_empty()).count();
    let declarations: BTreeSet<Option<DeclId>> =
        nodes.iter().map(|it| declaration(&module.ast, *it)).collect();
    Scope {
        crosses_function: files > 1 || declarations.len() > 1,
        files: files as u32,
        node_count: places.len() as u32,
    }
}

/// The declaration that a node is in; the program itself is in none.
fn declaration(ast: &Ast, node: NodeId) -> Option<DeclId> {
    let declarations = ast.declarations();
    let place = declarations.partition_point(|it| it.node() < node);
    declarations.get(place).copied()
}

fn reason_for_none(module: &CheckedModule, target: Target, failed: Option<&str>) -> String {
    let of_code = || code(module, target).and_then(propose::why_none);
    let of_class = || match class_of(module, target) {
        Class::Error | Class::Warning => "no single change is known to fix it",
        Class::Obligation => "no check could be written for it",
        Class::Hole => "nothing in scope fits",
    };
    failed.or_else(of_code).unwrap_or_else(of_class).to_owned()
}
