//! All candidates in rank order, and what keeps some of them from being chosen whatever the others do.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use check::{Confidence, Repair, RepairClass, RepairOp};

use crate::analyse::{Analysed, FileSpace, analyse};
use crate::rank::{self, ById, Rank};
use crate::requires::circles;
use crate::waits::Waits;
use crate::{Candidates, Reason, Rejection};

/// How many repairs of a circle are named.
const MAX_NAMED: usize = 8;

/// The candidates in rank order, with everything that is known before the choice.
pub(crate) struct Ranking<'a> {
    pub(crate) files: Vec<FileSpace<'a>>,
    /// The candidates, the best first. They are known by their numbers in this list.
    pub(crate) ranked: Vec<Analysed<'a>>,
    pub(crate) classes: Vec<RepairClass>,
    /// The candidates that each one requires and that have not been applied yet.
    pub(crate) requires: Vec<Vec<usize>>,
    /// Why a candidate is out of the question.
    pub(crate) barriers: Vec<Option<Rejection>>,
    /// What each candidate waits for.
    pub(crate) waits: Waits,
    /// The candidates in the order of choice: those that are named first, then by rank.
    pub(crate) order: Vec<usize>,
    pub(crate) by_id: HashMap<&'a str, usize>,
}

/// Looks at every candidate by itself, ranks them, and finds out which may not be chosen. `classes` are those of the
/// candidates, in their order.
pub(crate) fn rank_all<'a>(candidates: &Candidates<'a>, classes: &[RepairClass]) -> Ranking<'a> {
    let diagnostics = rank::by_id(candidates.diagnostics);
    let analysis = analyse(candidates.snapshot, candidates.parses, candidates.repairs);
    let mut keyed: Vec<(Rank<'_>, Analysed<'a>)> = analysis
        .repairs
        .into_iter()
        .zip(classes)
        .map(|(it, class)| (Rank::new(it.repair, *class, it.scope, &diagnostics), it))
        .collect();
    keyed
        .sort_by(|left, right| rank::compare((&left.0, left.1.repair), (&right.0, right.1.repair)));
    let classes: Vec<RepairClass> = keyed.iter().map(|(rank, _)| rank.class).collect();
    let ranked: Vec<Analysed<'a>> = keyed.into_iter().map(|(_, it)| it).collect();
    let mut by_id: HashMap<&'a str, usize> = HashMap::with_capacity(ranked.len());
    for (idx, it) in ranked.iter().enumerate() {
        by_id.entry(it.repair.id.as_str()).or_insert(idx);
    }
    let requires: Vec<Vec<usize>> =
        ranked.iter().map(|it| required(candidates, &by_id, it.repair)).collect();
    let twins = repeated_ids(&ranked);
    let mut barriers: Vec<Option<Rejection>> = Vec::with_capacity(ranked.len());
    for (idx, it) in ranked.iter().enumerate() {
        let awaited = requires[idx].first().map(|it| ranked[*it].repair.id.as_str());
        let barred = candidates.barred.get(&it.repair.id);
        let barrier = barred
            .or_else(|| twins.get(&idx))
            .cloned()
            .or_else(|| fault(&diagnostics, it, awaited))
            .or_else(|| not_editable(candidates, it.repair))
            .or_else(|| against_policy(candidates, it.repair, classes[idx]))
            .or_else(|| unknown_requirement(candidates, &by_id, it.repair));
        barriers.push(barrier);
    }
    bar_circles(&ranked, &requires, &mut barriers);
    let waits = Waits::new(candidates, &diagnostics, &ranked, &classes);
    let is_named = |idx: &usize| candidates.policy.allow.contains(&ranked[*idx].repair.id);
    let (named, others): (Vec<usize>, Vec<usize>) = (0..ranked.len()).partition(is_named);
    let order = named.into_iter().chain(others).collect();
    Ranking { files: analysis.files, ranked, classes, requires, barriers, waits, order, by_id }
}

fn required(
    candidates: &Candidates<'_>,
    by_id: &HashMap<&str, usize>,
    repair: &Repair,
) -> Vec<usize> {
    let waiting =
        repair.compatibility.requires.iter().filter(|id| !candidates.applied.contains(*id));
    waiting.filter_map(|id| by_id.get(id.as_str()).copied()).collect()
}

fn fault(diagnostics: &ById<'_>, it: &Analysed<'_>, awaited: Option<&str>) -> Option<Rejection> {
    let resolves = &it.repair.resolves;
    if let Some(id) = resolves.iter().find(|id| !diagnostics.contains_key(id.as_str())) {
        return Some(Rejection::invalid(format!("it resolves {id:?}, which does not exist")));
    }
    let fault = it.fault.as_ref()?;
    Some(match awaited {
        Some(awaited) if fault.may_pass => Rejection {
            reason: Reason::PreconditionFailed,
            with: Some(awaited.to_owned()),
            detail: format!("it requires {awaited}, and until then: {}", fault.rejection.detail),
        },
        _ => fault.rejection.clone(),
    })
}

fn not_editable(candidates: &Candidates<'_>, repair: &Repair) -> Option<Rejection> {
    let mut files = repair.ops.iter().flat_map(RepairOp::files);
    let file = files.find(|file| !(candidates.is_editable)(file))?;
    let detail = format!("{file} is not among the paths that may be edited");
    Some(Rejection { reason: Reason::OutsideRoot, with: None, detail })
}

fn against_policy(
    candidates: &Candidates<'_>,
    repair: &Repair,
    class: RepairClass,
) -> Option<Rejection> {
    let policy = candidates.policy;
    if policy.allow.contains(&repair.id) {
        return None;
    }
    let (reason, detail) = if class == RepairClass::Suppress {
        (Reason::Suppression, "it suppresses the finding, so it must be named".to_owned())
    } else if repair.safety > policy.safety {
        let (safety, limit) = (repair.safety.name(), policy.safety.name());
        let detail =
            format!("it is {safety}, and only up to {limit} is applied without being named");
        (Reason::NeedsApproval, detail)
    } else if repair.confidence == Confidence::Low {
        (Reason::LowConfidence, "its confidence is low, so it must be named".to_owned())
    } else {
        return None;
    };
    Some(Rejection { reason, with: None, detail })
}

fn unknown_requirement(
    candidates: &Candidates<'_>,
    by_id: &HashMap<&str, usize>,
    repair: &Repair,
) -> Option<Rejection> {
    let is_known =
        |id: &&String| candidates.applied.contains(*id) || by_id.contains_key(id.as_str());
    let unknown = repair.compatibility.requires.iter().find(|id| !is_known(id))?;
    Some(Rejection::invalid(format!("it requires {unknown:?}, which does not exist")))
}

/// Repairs with one id cannot be told apart by anybody who names them. If they are equal, one is enough.
fn repeated_ids(ranked: &[Analysed<'_>]) -> HashMap<usize, Rejection> {
    let mut by_id: HashMap<&str, Vec<usize>> = HashMap::with_capacity(ranked.len());
    for (idx, it) in ranked.iter().enumerate() {
        by_id.entry(&it.repair.id).or_default().push(idx);
    }
    let mut rejections = HashMap::new();
    for it in ranked {
        let id = it.repair.id.as_str();
        let Some(twins) = by_id.remove(id).filter(|twins| twins.len() > 1) else { continue };
        // Values ignore the order of their keys when they are compared, and that order would show.
        let texts: HashSet<String> =
            twins.iter().map(|it| format!("{:?}", ranked[*it].repair)).collect();
        if texts.len() == 1 {
            let rejection = Rejection::conflict(id, "the same repair is listed twice");
            rejections.extend(twins.into_iter().skip(1).map(|it| (it, rejection.clone())));
        } else {
            let detail = format!("{} different repairs have the id {id:?}", twins.len());
            rejections.extend(twins.into_iter().map(|it| (it, Rejection::invalid(detail.clone()))));
        }
    }
    rejections
}

fn bar_circles(
    ranked: &[Analysed<'_>],
    requires: &[Vec<usize>],
    barriers: &mut [Option<Rejection>],
) {
    let circles = circles(requires);
    for members in &circles.members {
        let mut detail = "repairs require each other in a cycle:".to_owned();
        for (n_named, it) in members.iter().take(MAX_NAMED).enumerate() {
            let comma = if n_named == 0 { "" } else { "," };
            // Writing to a string cannot fail.
            let _ = write!(detail, "{comma} {}", ranked[*it].repair.id);
        }
        if let Some(n_more) = members.len().checked_sub(MAX_NAMED).filter(|it| *it > 0) {
            let _ = write!(detail, " and {n_more} more");
        }
        for it in members {
            barriers[*it].get_or_insert_with(|| Rejection::invalid(detail.clone()));
        }
    }
}
