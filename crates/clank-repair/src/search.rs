//! The search for repairs: candidates are made, tried, put in order and related to one another.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use check::{Class, Confidence};
use clank::body::GoalKind;
use clank::code::Code;
use clank::program::Program;
use clank::proof::Proof;
use clank::{Checked, CheckedModule};
use rustc_hash::FxHashMap;

use crate::extent::{nodes, scope};
use crate::findings::class_of;
use crate::propose::{Candidate, RepairContext, propose};
use crate::repair::{Budget, FindingId, ModuleRepairs, Repair, RepairRelations};
use crate::verify::CandidateVerdict;
use crate::{class, on_text, prefer, propose, rank, relate, verify};

/// What could be done about everything that is wrong, unproved or not written in a module. `checked` is what is known
/// about `program`, and `module` the place of the module in both. A candidate that does not do what it is for, or that
/// makes something else go wrong, is not offered.
pub fn repairs(
    program: &Program,
    checked: &Checked,
    module: usize,
    budget: &Budget,
) -> ModuleRepairs {
    let Some(in_module) = checked.modules.get(module) else { return ModuleRepairs::default() };
    let parents = in_module.ast.parents();
    let (users, names) = (OnceLock::new(), OnceLock::new());
    let scene = RepairContext {
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
    let mut failed: FxHashMap<FindingId, &str> = FxHashMap::default();
    // By candidate, its place in the list.
    let mut places: FxHashMap<usize, usize> = FxHashMap::default();
    // By place in the list, how many of the things that it resolves it was made for.
    let mut n_own: Vec<usize> = Vec::new();
    // By place in the list, whether nobody can be sure of it.
    let mut guesses: Vec<bool> = Vec::new();
    for (index, (candidate, verdict)) in candidates.into_iter().zip(tried.verdicts).enumerate() {
        places.insert(index, list.len());
        let n_targets = candidate.targets.len();
        let is_guess = candidate.is_guess;
        match verdict {
            CandidateVerdict::Failed(reason) => {
                for target in candidate.targets {
                    failed.entry(target).or_insert(reason);
                }
            }
            CandidateVerdict::Kept { resolves, costs_obligations, reveals } => {
                let has_cost = costs_obligations || !reveals.is_empty();
                let mut it = repair(in_module, candidate, resolves, true, has_cost);
                it.rationale.push_str(&what_it_reveals(&reveals));
                it.reveals = reveals;
                list.push(it);
            }
            CandidateVerdict::KeptAfter { first, resolves } => {
                let mut it = repair(in_module, candidate, resolves, true, true);
                it.compatibility.requires = vec![first];
                list.push(it);
            }
            CandidateVerdict::Untried => {
                let resolves = candidate.targets.clone();
                list.push(repair(in_module, candidate, resolves, false, false));
            }
        }
        n_own.resize(list.len(), n_targets);
        guesses.resize(list.len(), is_guess);
    }
    let mut n_checks = tried.n_checks;
    if !in_module.is_readable {
        n_checks += on_text::try_on_text(program, checked, module, &mut list);
    }
    prefer::proofs(&mut list);
    prefer::causes(&mut list, &n_own);
    for (it, is_guess) in list.iter_mut().zip(&guesses) {
        if *is_guess && it.confidence == Confidence::High {
            it.confidence = Confidence::Medium;
        }
    }
    let moved = rank::rank(in_module, &mut list);
    for required in list.iter_mut().flat_map(|it| &mut it.compatibility.requires) {
        *required = moved[places[required]];
    }
    relate::relate(scene, &mut list);
    let offered: BTreeSet<FindingId> = list.iter().flat_map(|it| it.resolves.clone()).collect();
    let without = targets
        .into_iter()
        .filter(|it| !offered.contains(it))
        .map(|it| (it, reason_for_none(in_module, it, failed.get(&it).copied())))
        .collect();
    ModuleRepairs { list, without, n_checks }
}

/// What repairs are looked for: every mistake, every goal that is neither proved nor refuted (a refuted one is a mistake
/// too), every hole. An assertion is a check that its author asked for (row 10).
pub(crate) fn targets(module: &CheckedModule) -> Vec<FindingId> {
    let diagnostics = (0..module.diagnostics.len()).map(FindingId::Diagnostic);
    let open_goals = module.goals().enumerate().filter(|(_, (_, goal, proof))| {
        goal.kind != GoalKind::Assertion && matches!(proof, Proof::Unknown(_))
    });
    let goals = open_goals.map(|it| FindingId::Goal(it.0));
    let holes = (0..module.holes().count()).map(FindingId::Hole);
    diagnostics.chain(goals).chain(holes).collect()
}

/// The candidates for all targets. Those that do the same are one, for all that they were made for.
pub(crate) fn candidates(
    scene: RepairContext<'_>,
    targets: &[FindingId],
    budget: &Budget,
) -> Vec<Candidate> {
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

pub(crate) fn edits_key(candidate: &Candidate) -> String {
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
    resolves: Vec<FindingId>,
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
        compatibility: RepairRelations::default(),
    }
}

/// What is said about mistakes that come to light.
fn what_it_reveals(reveals: &[Code]) -> String {
    let codes: BTreeSet<&str> = reveals.iter().map(|it| it.name()).collect();
    let codes: Vec<&str> = codes.into_iter().collect();
    match reveals.len() {
        0 => String::new(),
        1 => format!("; reveals {}, which could not be seen before", codes.join(", ")),
        n => format!("; reveals {n} mistakes that could not be seen before: {}", codes.join(", ")),
    }
}

fn code(module: &CheckedModule, target: FindingId) -> Option<Code> {
    match target {
        FindingId::Diagnostic(index) => module.diagnostics.get(index).map(|it| it.code),
        FindingId::Goal(_) | FindingId::Hole(_) => None,
    }
}

fn reason_for_none(module: &CheckedModule, target: FindingId, failed: Option<&str>) -> String {
    let of_code = || code(module, target).and_then(propose::why_none);
    let of_class = || match class_of(module, target) {
        Class::Error | Class::Warning | Class::Info => "no single change is known to fix it",
        Class::Obligation => "no check could be written for it",
        Class::Hole => "nothing in scope fits",
    };
    failed.or_else(of_code).unwrap_or_else(of_class).to_owned()
}
