//! Trying what others wait for.
//!
//! The plan lets a symptom wait for a cure that needs somebody's word, and takes for granted that the cure works. Here it
//! is tried in memory, with the other cures that symptoms wait for, and nothing of it is kept. One that does not do what
//! it claims is put aside, so that what waited for it gets its turn. This is only done when nothing else is left to do,
//! so a cure is tried at most once in each tree that was kept.

use std::collections::BTreeSet;
use std::sync::Arc;

use check::Repair;
use plan::{Plan, Reason, Rejection};

/// The ids of the cures that somebody waits for, that only somebody's word keeps from being made, and that are not among
/// those that are `known` to work.
pub(crate) fn untried(plan: &Plan, known: &BTreeSet<String>) -> BTreeSet<String> {
    let is_waiting = |it: &&Rejection| it.reason == Reason::Waits;
    let waits = plan.ranked.iter().filter_map(|it| it.rejection.as_ref()).filter(is_waiting);
    let awaited: BTreeSet<&str> = waits.filter_map(|it| it.with.as_deref()).collect();
    let is_pending = |it: &&plan::Ranked| {
        let reason = it.rejection.as_ref().map(|it| it.reason);
        let id = it.repair.id.as_str();
        matches!(reason, Some(Reason::NeedsApproval | Reason::LowConfidence))
            && awaited.contains(id)
            && !known.contains(id)
    };
    plan.ranked.iter().filter(is_pending).map(|it| it.repair.id.clone()).collect()
}

/// The repairs with these ids and all that they require.
pub(crate) fn with_required(repairs: &[Arc<Repair>], ids: &BTreeSet<String>) -> Vec<Arc<Repair>> {
    let mut wanted: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    loop {
        let is_wanted = |it: &&Arc<Repair>| wanted.contains(it.id.as_str());
        let required = repairs.iter().filter(is_wanted).flat_map(|it| &it.compatibility.requires);
        let more: Vec<&str> =
            required.map(String::as_str).filter(|it| !wanted.contains(it)).collect();
        if more.is_empty() {
            return repairs.iter().filter(is_wanted).cloned().collect();
        }
        wanted.extend(more);
    }
}
