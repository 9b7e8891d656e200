//! The last word on every repair that was not applied, in the order of rank.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use check::{Class, Confidence, Diagnostic, Repair, RepairClass, RepairKind, Safety, Scope};
use plan::{Plan, Ranked, Reason, Rejection};

use crate::outcome::RejectedRepair;

/// What was said of repairs, by their ids. A later word replaces an earlier one.
#[derive(Default)]
pub(crate) struct RepairNotes {
    seen: BTreeMap<String, (RankKey, Arc<Repair>, RepairClass)>,
    rejections: BTreeMap<String, Rejection>,
}

/// The rank of a repair, for repairs that were never candidates together. The tuple is the order of the plan, apart
/// from the position of the finding, which is not the same thing in two versions of a tree.
type RankKey = (
    (bool, Class, Safety, Confidence, RepairKind),
    (RepairClass, Scope, Reverse<usize>),
    (String, String, String, String),
);

impl RepairNotes {
    /// Writes down who was a candidate, and the plan's word on those that it rejects.
    pub(crate) fn record(&mut self, plan: &Plan, diagnostics: &[Arc<Diagnostic>]) {
        // Who waited and is not a candidate any more has nothing to wait for.
        self.rejections.retain(|_, it| it.reason != Reason::Waits);
        let classes: HashMap<&str, Class> =
            diagnostics.iter().map(|it| (it.diagnostic_id.as_str(), it.class())).collect();
        for ranked in &plan.ranked {
            let repair = &ranked.repair;
            let resolved = repair.resolves.iter().filter_map(|id| classes.get(id.as_str()));
            let class = resolved.min().copied().unwrap_or(Class::Info);
            let seen = (standing(ranked, class), Arc::clone(repair), ranked.class);
            self.seen.insert(repair.id.clone(), seen);
            if let Some(rejection) = &ranked.rejection {
                self.add(&repair.id, rejection.clone());
            }
        }
    }

    /// What a repair that was a candidate does about the cause.
    pub(crate) fn class(&self, id: &str) -> RepairClass {
        self.seen.get(id).map_or(RepairClass::Repair, |it| it.2)
    }

    /// A word on a repair that was a candidate.
    pub(crate) fn add(&mut self, id: &str, rejection: Rejection) {
        self.rejections.insert(id.to_owned(), rejection);
    }

    /// The repairs that were rejected and are not among the `applied` ones, the best ranked first.
    pub(crate) fn into_rejected(mut self, applied: &BTreeSet<&str>) -> Vec<RejectedRepair> {
        let mut rejected: Vec<(RankKey, RejectedRepair)> = Vec::new();
        for (id, rejection) in self.rejections {
            let Some((standing, repair, class)) = self.seen.remove(&id) else { continue };
            if !applied.contains(id.as_str()) {
                rejected.push((standing, RejectedRepair { repair, class, rejection }));
            }
        }
        rejected.sort_by(|left, right| left.0.cmp(&right.0));
        rejected.into_iter().map(|(_, it)| it).collect()
    }
}

fn standing(ranked: &Ranked, class: Class) -> RankKey {
    let Ranked { repair, class: own_class, scope, .. } = ranked;
    let file = repair.ops.first().map(|op| op.file().to_string()).unwrap_or_default();
    (
        (*own_class == RepairClass::Suppress, class, repair.safety, repair.confidence, repair.kind),
        (*own_class, *scope, Reverse(repair.resolves.len())),
        (file, repair.rule_id.clone(), repair.title.clone(), repair.id.clone()),
    )
}
