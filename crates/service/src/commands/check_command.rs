//! `check`: what is wrong, and what would repair it. Writes nothing but the baseline, and that only if it is asked to
//! (AE-25, AE-26).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ::plan::{Ranked, Reason};
use check::Repair;
use engine::Fixed;
use protocol::v1;
use snapshot::{NewFile, TreeChange};
use workspace::Meta;

use crate::VERSION;
use crate::assess::previews::Previews;
use crate::assess::verdict::CheckState;
use crate::assess::view::{self, AssessmentView};
use crate::assess::{AssessedTree, look_at, look_at_asked, repair};
use crate::commands::fix::emit;
use crate::commands::log::TITLE;
use crate::failure::Failure;
use crate::reply::{CheckReply, OnProgress, WrittenBaseline};
use crate::session::Session;
use crate::session::pool;
use crate::session::steady::{ScanAttempt, steadily};
use crate::toolbox;
use crate::wire;
use crate::wire::changes::file_changes;

/// Looks at the tree and reports.
pub fn check(
    session: &Session,
    request: &v1::Check,
    progress: OnProgress<'_>,
) -> Result<CheckReply, Failure> {
    let work = |attempt: &mut ScanAttempt| {
        let no_baseline = request.look.no_baseline || request.write_baseline;
        // Repairs are judged by all that they may break, and a baseline knows everything.
        let needs_tree = needs_fix(request) || request.write_baseline;
        let look = if needs_tree { look_at } else { look_at_asked };
        let mut looked = look(session, &request.look, no_baseline, attempt, progress)?;
        let mut baseline = None;
        // What could not be looked at would be missing in it, and nobody would know.
        let has_failed = || looked.standing(&looked.assessment).has_failed();
        if request.write_baseline && !has_failed() && attempt.moved().is_none() {
            let (written, known) = write_baseline(session, &looked)?;
            looked.setup.sieve.baseline = known;
            baseline = Some(written);
        }
        let mut reply = reply(session, &looked, request, progress)?;
        reply.is_baseline_missing = request.write_baseline && baseline.is_none();
        reply.baseline = baseline;
        pool::discard(looked.assessment);
        Ok(reply)
    };
    pool::work(request.look.jobs, || steadily(work))
}

/// The reply to a look at the tree.
pub(super) fn reply(
    session: &Session,
    looked: &AssessedTree,
    request: &v1::Check,
    progress: OnProgress<'_>,
) -> Result<CheckReply, Failure> {
    let AssessedTree { setup, look, own, passed_over, assessment, .. } = looked;
    let snapshot = &assessment.snapshot;
    let view = AssessmentView::new(setup, look, assessment, own);
    let plan = view::choose(setup, look, assessment, &view.repairs);
    let would = would_fix(session, looked, request, progress)?;
    let (listed, n_not_shown) = view.listed(request.look.max_findings);
    let ids: BTreeSet<&str> = listed.iter().map(|it| it.diagnostic_id.as_str()).collect();
    let is_listed = |it: &&Ranked| it.repair.resolves.iter().any(|id| ids.contains(id.as_str()));
    let ranked: Vec<&Ranked> = plan.ranked.iter().filter(is_listed).collect();
    let by_id = view::by_id(&view.diagnostics);
    let counts = view.counts();
    let standing = looked.standing(assessment);
    let would_change = would.as_ref().filter(|_| request.strict);
    let would_change = would_change.map(|it| view::files(&it.change));
    let verdict = standing.verdict(&request.look, counts, would_change.as_deref());
    let CheckState { files, failures, .. } = standing;
    let (tools, tool_times) = match &would {
        Some(fixed) => toolbox::of_fix(setup, look, assessment, fixed),
        None => toolbox::of_check(setup, look, assessment),
    };
    let report = v1::CheckReport {
        ok: verdict.is_ok(),
        validator_version: VERSION.to_owned(),
        pack_version: setup.pack_version(),
        diagnostics: listed.iter().map(|it| wire::diagnostic(it)).collect(),
        repairs: ranked.iter().map(|it| wire::repair(it, &by_id)).collect(),
        would_change,
        failures,
        tools,
        pending_transaction: session.pending_transaction(),
        summary: v1::CheckSummary {
            error: counts.error,
            warning: counts.warning,
            info: counts.info,
            fixable: view.n_fixable(),
            pending: plan.ranked.iter().filter(|it| it.rejection.is_none()).count(),
            classes: wire::classes(plan.ranked.iter().map(|it| it.class)),
            baselined: view.n_baselined,
            ignored: assessment.n_ignored(&|file| look.covers(file)),
            not_shown: n_not_shown,
            checked: files.checked,
            files,
        },
    };
    let shown = || ranked.iter().map(|it| &it.repair);
    Ok(CheckReply {
        report,
        verdict,
        frames: view::frames(snapshot, listed.iter(), shown()),
        previews: Previews::new(snapshot, shown()),
        waits: ranked.iter().filter_map(|it| waits(it)).collect(),
        changes: match would.as_ref().filter(|_| request.with_diffs) {
            Some(fixed) => file_changes(snapshot, &fixed.change)?,
            None => Vec::new(),
        },
        edits: match would.as_ref().filter(|_| request.with_edits) {
            Some(fixed) => Some(edits(&fixed.change)?),
            None => None,
        },
        fix_actions: would
            .as_ref()
            .filter(|_| request.with_fix_actions)
            .map(|fixed| emit::fix_actions(setup.pack_version(), snapshot, &by_id, &fixed.applied)),
        baseline: None,
        passed_over: passed_over.iter().map(|(it, why)| (it.to_string(), why.clone())).collect(),
        is_baseline_missing: false,
        tool_times,
    })
}

/// The change as an edits document.
fn edits(change: &TreeChange) -> Result<String, Failure> {
    let document = patch::edits::EditsDocument::from_change(change);
    let document = document.map_err(|error| Failure::Unreadable { message: error.to_string() })?;
    Ok(document.render())
}

/// Whether the reply says what `fix` would do.
fn needs_fix(request: &v1::Check) -> bool {
    request.strict || request.with_diffs || request.with_edits || request.with_fix_actions
}

/// What a repair waits for, if it does.
fn waits(ranked: &Ranked) -> Option<(String, (Option<String>, String))> {
    let rejection = ranked.rejection.as_ref().filter(|it| it.reason == Reason::Waits)?;
    Some((ranked.repair.id.clone(), (rejection.with.clone(), rejection.detail.clone())))
}

/// What `fix` would do, in memory, if the request needs to know.
fn would_fix(
    session: &Session,
    looked: &AssessedTree,
    request: &v1::Check,
    progress: OnProgress<'_>,
) -> Result<Option<Fixed>, Failure> {
    if !needs_fix(request) {
        return Ok(None);
    }
    let AssessedTree { setup, look, assessment, .. } = looked;
    let wants = |it: &Repair| look.wants(it, setup);
    let wants = (&wants as &dyn Fn(&Repair) -> bool, setup.config.max_passes);
    Ok(Some(repair(session, setup, look, assessment, wants, progress)?.fixed))
}

/// Makes what is found the baseline, and gives the ids in it. What it has about what was not looked at stays.
fn write_baseline(
    session: &Session,
    looked: &AssessedTree,
) -> Result<(WrittenBaseline, BTreeSet<String>), Failure> {
    let AssessedTree { setup, look, own, assessment, .. } = looked;
    let view = AssessmentView::new(setup, look, assessment, own);
    let path = setup.config.baseline.clone();
    let found = view.diagnostics.iter().map(Arc::as_ref);
    let updated = setup.baseline.updated(found, |it| look.covers_entry(it, &setup.registry));
    let text = edit::Text::new(updated.render());
    let n_findings = updated.len();
    let mut change = TreeChange::default();
    if setup.baseline.text.as_ref().is_none_or(|it| it.hash() != text.hash()) {
        change = match &setup.baseline.text {
            Some(before) => {
                let edits = edit::diff(before, &text)
                    .map_err(|source| Failure::Diff { path: path.to_string(), source })?;
                let edits = BTreeMap::from([(path.clone(), edits)]);
                TreeChange::new(edits, BTreeMap::new(), BTreeMap::new(), BTreeMap::new())?
            }
            None => {
                let adds = BTreeMap::from([(path.clone(), NewFile { text, mode: 0o644 })]);
                TreeChange::new(BTreeMap::new(), adds, BTreeMap::new(), BTreeMap::new())?
            }
        };
    }
    let notes = BTreeMap::from([(TITLE.to_owned(), format!("baseline of {n_findings} findings"))]);
    let meta = Meta { command: "check".to_owned(), time: None, notes };
    let transaction = setup.workspace(session).commit(&change, None, &meta)?;
    let transaction = transaction.map(|it| it.to_string());
    let written = WrittenBaseline { file: path.to_string(), n_findings, transaction };
    Ok((written, updated.ids().clone()))
}
