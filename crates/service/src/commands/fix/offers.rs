//! What `fix` may not do by itself, each tried alone: the change that it would make, if it then did what it claims.

use std::sync::Arc;

use ::check::{Repair, RepairClass};
use plan::Reason;
use protocol::v1;
use snapshot::{Snapshot, TreeChange};

use super::super::{look_at, repair};
use super::mend;
use crate::failure::Failure;
use crate::pool;
use crate::reply::OnProgress;
use crate::session::Session;

/// How many repairs are tried at most; each is a look at what it changes.
const MOST_OFFERS: usize = 100;

/// A repair that waits for a person's word.
pub(crate) struct Offer {
    pub(crate) repair: Arc<Repair>,
    /// What it does about the cause.
    pub(crate) class: RepairClass,
    /// The tree that it was tried on.
    pub(crate) before: Snapshot,
    /// What it changes.
    pub(crate) change: TreeChange,
}

/// What came of trying them.
#[derive(Default)]
pub(crate) struct Offers {
    /// Those that did what they claim, in rank order.
    pub(crate) offers: Vec<Offer>,
    /// Titles of those that did not, or that were not tried, with the reason.
    pub(crate) left_out: Vec<(String, String)>,
}

/// Looks at the tree as it is, and tries every repair that only a person's word lets `fix` make.
pub(crate) fn offers(
    session: &Session,
    request: &v1::Look,
    progress: OnProgress<'_>,
) -> Result<Offers, Failure> {
    pool::work(request.jobs, || {
        let mut looked = look_at(session, request, request.no_baseline, progress)?;
        let waiting: Vec<(Arc<Repair>, RepairClass)> = mend(session, &looked, progress)?
            .fixed
            .rejected
            .iter()
            .filter(|it| {
                matches!(it.rejection.reason, Reason::NeedsApproval | Reason::LowConfidence)
            })
            .map(|it| (it.repair.clone(), it.class))
            .collect();
        let mut found = Offers::default();
        for (idx, (waiting, class)) in waiting.into_iter().enumerate() {
            if idx >= MOST_OFFERS {
                let reason = format!("{MOST_OFFERS} were tried, which is enough at a time");
                found.left_out.push((waiting.title.clone(), reason));
                continue;
            }
            looked.look.policy.allow.insert(waiting.id.clone());
            let wants = |it: &Repair| it.id == waiting.id;
            let (setup, look) = (&looked.setup, &looked.look);
            let mended = repair(session, setup, look, &looked.assessment, (&wants, 1), progress)?;
            looked.look.policy.allow.remove(&waiting.id);
            let is_kept =
                mended.fixed.applied.iter().any(|it| it.repair.id == waiting.id && it.verified);
            if is_kept {
                let before = looked.assessment.snapshot.clone();
                let change = mended.fixed.change;
                found.offers.push(Offer { repair: waiting, class, before, change });
            } else {
                let why = mended.fixed.rejected.iter().find(|it| it.repair.id == waiting.id);
                let why =
                    why.map_or("it did not do what it claims", |it| it.rejection.detail.as_str());
                found.left_out.push((waiting.title.clone(), why.to_owned()));
            }
        }
        Ok(found)
    })
}
