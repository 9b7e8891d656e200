//! Repairs of a program: how they are told, and how those that are named are applied.
//!
//! A program that was given as text is changed as text, one that was given as AST JSON as a tree: either way the result is
//! bytes that are compiled like any others.

use std::collections::BTreeSet;

use clank::CheckedModule;
use clank_repair::{FindingId, ModuleRepairs, Repair, in_order};
use clank_syntax::patch::{self, PatchError, PatchOp};
use edit::{ContentHash, Text};
use protocol::v1;

use crate::commands::compile::fix::told;
use crate::commands::compile::{CompileReply, Failure, Given, Round, Setting, ast_text, round};
use crate::wire;

/// The repairs on the wire, and what they belong to.
pub(super) struct ListedRepairs {
    pub(super) list: Vec<v1::CompileRepair>,
    refs: Vec<(FindingId, Vec<String>)>,
    reasons: Vec<(FindingId, String)>,
}

impl ListedRepairs {
    /// The ids of the repairs that claim to resolve this.
    pub(super) fn refs(&self, target: FindingId) -> Vec<String> {
        let place = self.refs.binary_search_by_key(&target, |it| it.0);
        place.map(|it| self.refs[it].1.clone()).unwrap_or_default()
    }

    /// Why nothing is offered.
    pub(super) fn reason(&self, target: FindingId) -> Option<String> {
        self.reasons.iter().find(|it| it.0 == target).map(|it| it.1.clone())
    }
}

/// What programs read about repairs. Those that change other files than the program are not for them.
pub(super) fn tell(
    repairs: &ModuleRepairs,
    module: &CheckedModule,
    hash: &str,
    shift: usize,
) -> ListedRepairs {
    let id = |place: usize| format!("rc{}", place + 1);
    let mut refs: std::collections::BTreeMap<FindingId, Vec<String>> = Default::default();
    let mut list = Vec::new();
    for (place, repair) in repairs.list.iter().enumerate() {
        for target in &repair.resolves {
            refs.entry(*target).or_default().push(id(place));
        }
        list.push(one(repair, id(place), module, hash, shift));
    }
    ListedRepairs { list, refs: refs.into_iter().collect(), reasons: repairs.without.clone() }
}

/// `shift` is how many diagnostics come before those of the module.
fn one(
    repair: &Repair,
    id: String,
    module: &CheckedModule,
    hash: &str,
    shift: usize,
) -> v1::CompileRepair {
    let places = |places: &[usize]| places.iter().map(|it| format!("rc{}", it + 1)).collect();
    let mut delta = v1::ExpectedDelta {
        diagnostics_resolved: Vec::new(),
        obligations_discharged: Vec::new(),
        holes_filled: Vec::new(),
    };
    for target in &repair.resolves {
        match target {
            FindingId::Diagnostic(it) => {
                delta.diagnostics_resolved.push(format!("d{}", it + 1 + shift));
            }
            FindingId::Goal(it) => delta.obligations_discharged.push(format!("OBL{}", it + 1)),
            FindingId::Hole(it) => delta.holes_filled.push(format!("h{}", it + 1)),
        }
    }
    let compatibility = &repair.compatibility;
    let is_alone = compatibility.conflicts_with.is_empty()
        && compatibility.requires.is_empty()
        && compatibility.batch_key.is_none();
    let ids = module.ast.ids();
    v1::CompileRepair {
        id,
        title: repair.title.clone(),
        confidence: wire::confidence(repair.confidence),
        safety: wire::safety(repair.safety),
        kind: wire::repair_kind(repair.kind),
        class: wire::class(repair.class),
        scope: v1::NodeScope {
            node_count: repair.scope.node_count,
            crosses_function: repair.scope.crosses_function,
        },
        targets: v1::CompileTargets {
            node_ids: repair.nodes.iter().map(|it| ids.id(*it).to_string()).collect(),
            diagnostic_codes: repair.codes.iter().map(|it| it.name().to_owned()).collect(),
            obligation_ids: delta.obligations_discharged.clone(),
            hole_ids: delta.holes_filled.clone(),
        },
        edits: ops_of(repair, module).iter().map(PatchOp::to_json).collect(),
        expected_delta: delta,
        reveals: repair.reveals.iter().map(|it| it.name().to_owned()).collect(),
        rationale: repair.rationale.clone(),
        verified: repair.is_verified,
        program_hash: hash.to_owned(),
        compatibility: (!is_alone).then(|| v1::Compatibility {
            conflicts_with: places(&compatibility.conflicts_with),
            requires: places(&compatibility.requires),
            batch_key: compatibility.batch_key.clone(),
        }),
    }
}

/// What a repair does to the program.
pub(super) fn ops_of(repair: &Repair, module: &CheckedModule) -> Vec<PatchOp> {
    let own = repair.edits.iter().filter(|it| it.0 == module.file);
    own.flat_map(|it| it.1.iter().cloned()).collect()
}

/// The bytes of the program with the operations applied.
pub(super) fn patched(given: &Given, ops: &[PatchOp]) -> Result<Vec<u8>, PatchError> {
    match &given.parsed {
        Some(parsed) => {
            let patched = patch::patch(&parsed.ast, ops)?;
            let edits = patch::edits(parsed, &patched)?;
            let text = Text::new(parsed.tokens.source());
            let after = edits.apply(&text).map_err(|_| PatchError::OtherText)?;
            Ok(after.bytes().to_vec())
        }
        None => Ok(ast_text(&patch::apply(&given.ast, ops)?).into_bytes()),
    }
}

/// `--apply`: these repairs, all or nothing.
pub(super) fn apply(
    setting: Setting<'_>,
    request: &v1::Compile,
    ids: &[String],
) -> Result<CompileReply, Failure> {
    let usage = |message: String| Failure::Usage { message };
    let before = round(setting, request, None)?;
    let places = places_of(ids, &before.repairs).map_err(usage)?;
    let module = before.checked.asked();
    let (Some(given), Some(module)) = (&before.given, module) else {
        return Err(usage(format!(
            "{} is not a program, so there is nothing to apply",
            request.name
        )));
    };
    let list = &before.repairs.list;
    let ops: Vec<PatchOp> = places.iter().flat_map(|it| ops_of(&list[*it], module)).collect();
    let bytes = patched(given, &ops)
        .map_err(|error| usage(format!("the repairs cannot be applied together: {error}")))?;
    let applied = places.iter().map(|it| told(module, &list[*it], *it, 1)).collect();
    let after = round(setting, &v1::Compile { bytes, ..request.clone() }, None)?;
    Ok(with_fixed(request, after, 1, applied))
}

/// The places of the repairs that are named, in the order in which they can be applied.
fn places_of(ids: &[String], repairs: &ModuleRepairs) -> Result<Vec<usize>, String> {
    let mut chosen = BTreeSet::new();
    for id in ids {
        let number = id.strip_prefix("rc").and_then(|it| it.parse::<usize>().ok());
        let place = number.and_then(|it| it.checked_sub(1)).filter(|it| *it < repairs.list.len());
        let Some(place) = place else {
            return Err(match repairs.list.len() {
                0 => format!("there is no repair {id}: none is offered for this program"),
                n => format!("there is no repair {id}: this program has rc1 to rc{n}"),
            });
        };
        chosen.insert(place);
    }
    for &place in &chosen {
        let compatibility = &repairs.list[place].compatibility;
        if let Some(other) = compatibility.conflicts_with.iter().find(|it| chosen.contains(*it)) {
            let (a, b) = (place + 1, other + 1);
            return Err(format!("rc{a} and rc{b} exclude one another; apply one of them"));
        }
        if let Some(missing) = compatibility.requires.iter().find(|it| !chosen.contains(*it)) {
            let (a, b) = (place + 1, missing + 1);
            return Err(format!("rc{a} requires rc{b}; apply both"));
        }
    }
    in_order(&repairs.list, &chosen).ok_or_else(|| "the repairs require one another".to_owned())
}

/// The reply about a program that was changed.
pub(super) fn with_fixed(
    request: &v1::Compile,
    after: Round,
    rounds: usize,
    applied: Vec<v1::CompileApplied>,
) -> CompileReply {
    let source = after.given.as_ref().and_then(|it| it.parsed.as_ref());
    let source = source.map(|it| it.tokens.source().to_owned());
    let mut reply = after.reply;
    reply.result.fixed = Some(v1::CompileFixed {
        from_hash: ContentHash::of(&request.bytes).to_string(),
        rounds,
        classes: v1::ClassCounts::of(applied.iter().map(|it| it.class)),
        applied,
        source,
    });
    reply
}
