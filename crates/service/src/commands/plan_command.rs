//! `plan`: every repair in rank order, and what would become of each in the first round of `fix`. Writes nothing.

use std::collections::BTreeSet;

use ::plan::Ranked;
use protocol::v1;

use crate::VERSION;
use crate::assess::look_at;
use crate::assess::previews::Previews;
use crate::assess::verdict::CheckState;
use crate::assess::view::{self, AssessmentView, Counts};
use crate::failure::Failure;
use crate::reply::{OnProgress, PlanReply};
use crate::session::Session;
use crate::session::pool;
use crate::session::steady::{ScanAttempt, steadily};
use crate::wire;
use crate::wire::changes::file_changes;

/// Looks at the tree, ranks and chooses.
pub fn plan(
    session: &Session,
    request: &v1::Plan,
    progress: OnProgress<'_>,
) -> Result<PlanReply, Failure> {
    let work = |attempt: &mut ScanAttempt| {
        let no_baseline = request.look.no_baseline;
        let looked = look_at(session, &request.look, no_baseline, attempt, progress)?;
        let (setup, assessment) = (&looked.setup, &looked.assessment);
        let view = AssessmentView::new(setup, &looked.look, assessment, &looked.own);
        let plan = view::choose(setup, &looked.look, assessment, &view.repairs);
        let by_id = view::by_id(&view.diagnostics);
        let most = request.look.max_findings.unwrap_or(usize::MAX);
        let listed = &plan.ranked[..plan.ranked.len().min(most)];
        let accepted = plan.ranked.iter().filter(|it| it.rejection.is_none());
        let n_accepted = accepted.clone().count();
        let planned = |(idx, it): (usize, &Ranked)| v1::PlannedRepair {
            rank: idx + 1,
            decision: match it.rejection {
                None => v1::Decision::Accepted,
                Some(_) => v1::Decision::Rejected,
            },
            reason: it.rejection.as_ref().map(|it| it.reason.name().to_owned()),
            with: it.rejection.as_ref().and_then(|it| it.with.clone()),
            detail: it.rejection.as_ref().map(|it| it.detail.clone()),
            repair: wire::repair(it, &by_id),
        };
        let standing = looked.standing(assessment);
        // What is wrong does not fail a plan.
        let verdict = standing.verdict(&request.look, Counts::default(), None);
        let CheckState { files, failures, .. } = standing;
        let report = v1::PlanReport {
            ok: verdict.is_ok(),
            validator_version: VERSION.to_owned(),
            pack_version: setup.pack_version(),
            repairs: listed.iter().enumerate().map(planned).collect(),
            failures,
            pending_transaction: session.pending_transaction(),
            summary: v1::PlanSummary {
                accepted: n_accepted,
                classes: wire::classes(accepted.map(|it| it.class)),
                rejected: plan.ranked.len() - n_accepted,
                unfixable: view.diagnostics.len() - view.n_fixable(),
                not_shown: plan.ranked.len() - listed.len(),
                files,
            },
        };
        let targets: BTreeSet<&str> =
            listed.iter().flat_map(|it| &it.repair.resolves).map(String::as_str).collect();
        let is_target = |it: &&_| is_in(&targets, it);
        let shown = || listed.iter().map(|it| &it.repair);
        let findings = view.diagnostics.iter().filter(is_target);
        Ok(PlanReply {
            diagnostics: findings.clone().map(|it| wire::diagnostic(it)).collect(),
            frames: view::frames(&assessment.snapshot, findings, shown()),
            previews: Previews::new(&assessment.snapshot, shown()),
            changes: match request.with_diffs {
                true => file_changes(&assessment.snapshot, &plan.change)?,
                false => Vec::new(),
            },
            report,
            verdict,
        })
    };
    pool::work(request.look.jobs, || steadily(work))
}

fn is_in(ids: &BTreeSet<&str>, diagnostic: &std::sync::Arc<check::Diagnostic>) -> bool {
    ids.contains(diagnostic.diagnostic_id.as_str())
}
