//! What `fix` may not do by itself, each tried alone: the change that it would make, if it then did what it claims.

use std::sync::Arc;

use check::{Repair, RepairClass};
use engine::Assessment;
use plan::Reason;
use snapshot::{Snapshot, TreeChange};

use crate::assess::view::{self, AssessmentView};
use crate::assess::{AssessedTree, repair};
use crate::failure::Failure;
use crate::reply::OnProgress;
use crate::session::Session;

/// How many repairs are tried at most; each is a look at what it changes.
const MOST_OFFERS: usize = 100;

/// A repair that waits for a person's word.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub(crate) repair: Arc<Repair>,
    /// What it does about the cause.
    pub(crate) class: RepairClass,
    /// The tree that it was tried on.
    pub(crate) before: Snapshot,
    /// What it changes.
    pub(crate) change: TreeChange,
}

/// The repairs that wait for a person's word, for [`crate::commands::dds::ProposalRegistry::propose`].
#[derive(Clone, Debug, Default)]
pub struct Offers {
    /// Those that did what they claim, in rank order.
    pub(crate) offers: Vec<Offer>,
    /// Titles of those that did not, or that were not tried, with the reason.
    pub(crate) left_out: Vec<(String, String)>,
}

/// Tries every repair that only a person's word lets `fix` make in a tree that was looked at.
pub(super) fn offers(
    session: &Session,
    looked: &mut AssessedTree,
    tree: &Assessment,
    progress: OnProgress<'_>,
) -> Result<Offers, Failure> {
    let view = AssessmentView::new(&looked.setup, &looked.look, tree, &looked.own);
    let plan = view::choose(&looked.setup, &looked.look, tree, &view.repairs);
    let waits = |it: &plan::Ranked| {
        let reason = it.rejection.as_ref().map(|it| it.reason);
        matches!(reason, Some(Reason::NeedsApproval | Reason::LowConfidence))
    };
    let waiting = plan.ranked.into_iter().filter(waits).map(|it| (it.repair, it.class));
    let mut found = Offers::default();
    for (idx, (waiting, class)) in waiting.enumerate() {
        if idx >= MOST_OFFERS {
            let reason = format!("{MOST_OFFERS} were tried, which is enough at a time");
            found.left_out.push((waiting.title.clone(), reason));
            continue;
        }
        looked.look.policy.allow.insert(waiting.id.clone());
        let wants = |it: &Repair| it.id == waiting.id;
        let (setup, look) = (&looked.setup, &looked.look);
        let mended = repair(session, setup, look, tree, (&wants, 1), progress)?;
        looked.look.policy.allow.remove(&waiting.id);
        let is_kept =
            mended.fixed.applied.iter().any(|it| it.repair.id == waiting.id && it.verified);
        if is_kept {
            let before = tree.snapshot.clone();
            let change = mended.fixed.change;
            found.offers.push(Offer { repair: waiting, class, before, change });
        } else {
            let why = mended.fixed.rejected.iter().find(|it| it.repair.id == waiting.id);
            let why = why.map_or("it did not do what it claims", |it| it.rejection.detail.as_str());
            found.left_out.push((waiting.title.clone(), why.to_owned()));
        }
    }
    Ok(found)
}
