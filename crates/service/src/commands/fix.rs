//! `fix`: makes the repairs that are safe, keeps those that did what they claimed, and writes the result as one
//! transaction (AE-28..AE-30).

mod ask;
pub(crate) mod emit;
mod offers;
pub(crate) mod staged;

use std::collections::{BTreeMap, BTreeSet};

use check::{Repair, RepairClass};
use engine::{Applied, Assessment, Ending, Fixed, RejectedRepair};
use protocol::v1;
use snapshot::{RelPath, TreeChange};
use workspace::{
    CommitError, IndexLoadError, IndexUpdate, LoadedIndex, Meta, TransactionId, Workspace,
};

use crate::VERSION;
use crate::assess::previews::Previews;
use crate::assess::request_scope::RequestScope;
use crate::assess::verdict::CheckState;
use crate::assess::view::{self, AssessmentView};
use crate::assess::{AssessedTree, Mended, Protected, look_at, repair};
use crate::commands::apply::stale_path;
use crate::commands::log::TITLE;
use crate::failure::Failure;
use crate::reply::{CommandProgress, Decide, FixReply, OnProgress};
use crate::session::Session;
use crate::session::pool;
use crate::session::steady::ScanAttempt;
use crate::toolbox;
use crate::wire;
use crate::wire::changes::{file_changes, list_changes};
use ask::Answers;
pub(crate) use offers::Offer;
pub use offers::Offers;

/// How many titles of repairs the log keeps of one transaction.
const MOST_LOGGED: usize = 20;

/// Repairs the tree. With `decide`, a person is asked about every repair. If a file changed on disk in between,
/// everything is done once more on the new contents.
pub fn fix(
    session: &Session,
    request: &v1::Fix,
    progress: OnProgress<'_>,
    mut decide: Option<Decide<'_>>,
) -> Result<FixReply, Failure> {
    pool::work(request.look.jobs, || {
        let mut answers = decide.is_some().then(Answers::default);
        let (mut retried, mut has_lost) = (None, false);
        let mut attempt = ScanAttempt::default();
        loop {
            // Who lost to another regreen once gets the next turn to himself; a person may take his time.
            let _hold = match (has_lost, &decide) {
                (true, None) => Some(session.workspace.hold()?),
                _ => None,
            };
            let tried =
                try_once(session, request, &mut attempt, answers.as_mut(), &mut decide, progress);
            // Whatever came of it, what it was made of is not what is there.
            if let Some(path) = attempt.moved() {
                attempt = attempt.again(path.as_str())?;
                retried = Some(path.to_string());
                continue;
            }
            let (mut looked, mended, mut reply) = tried?;
            reply.report.pending_transaction = session.pending_transaction();
            reply.retried.clone_from(&retried);
            let change = &mended.fixed.change;
            if request.dry_run || looked.look.has_overlay() {
                // What would have to be written first is not there to be proposed for.
                let start = looked.assessment.clone();
                reply.offers = offered(session, &mut looked, &start, request, progress)?;
                return Ok(reply);
            }
            if change.is_empty() {
                reply.offers = offered(session, &mut looked, &mended.fixed.end, request, progress)?;
                return Ok(reply);
            }
            progress(CommandProgress::Writing { n_files: change.paths().len() });
            let index = moved_index(looked.setup.workspace(session), change)?;
            let made = (&mended.fixed, index.as_ref());
            match commit(session, &looked, made, answers.as_ref(), request) {
                Ok(id) => {
                    reply.report.transaction = id.map(|it| it.to_string());
                    let end = &mended.fixed.end;
                    reply.offers = offered(session, &mut looked, end, request, progress)?;
                    return Ok(reply);
                }
                Err(error) => match stale_path(&error) {
                    Some(path) => {
                        attempt = attempt.again(&path)?;
                        retried = Some(path);
                        has_lost = true;
                    }
                    None => return Err(error.into()),
                },
            }
        }
    })
}

/// Looks at the tree, repairs it in memory and says what came of it.
fn try_once(
    session: &Session,
    request: &v1::Fix,
    attempt: &mut ScanAttempt,
    mut answers: Option<&mut Answers>,
    decide: &mut Option<Decide<'_>>,
    progress: OnProgress<'_>,
) -> Result<(AssessedTree, Mended, FixReply), Failure> {
    let no_baseline = request.look.no_baseline;
    let mut looked = look_at(session, &request.look, no_baseline, attempt, progress)?;
    let mended = match (&mut answers, decide) {
        (Some(answers), Some(decide)) => {
            ask::mend(session, &mut looked, answers, &mut **decide, progress)?
        }
        _ => mend(session, &looked, progress)?,
    };
    let reply = reply(&looked, &mended, answers.as_deref(), request)?;
    Ok((looked, mended, reply))
}

/// What waits for a person's word in a tree, if that was asked for.
fn offered(
    session: &Session,
    looked: &mut AssessedTree,
    tree: &Assessment,
    request: &v1::Fix,
    progress: OnProgress<'_>,
) -> Result<Offers, Failure> {
    match request.with_offers {
        true => offers::offers(session, looked, tree, progress),
        false => Ok(Offers::default()),
    }
}

fn mend(
    session: &Session,
    looked: &AssessedTree,
    progress: OnProgress<'_>,
) -> Result<Mended, Failure> {
    let AssessedTree { setup, look, assessment, .. } = looked;
    let wants = |it: &Repair| look.wants(it, setup);
    repair(session, setup, look, assessment, (&wants, setup.config.max_passes), progress)
}

fn commit(
    session: &Session,
    looked: &AssessedTree,
    (fixed, index): (&Fixed, Option<&IndexUpdate>),
    answers: Option<&Answers>,
    request: &v1::Fix,
) -> Result<Option<TransactionId>, CommitError> {
    let mut notes = titles(fixed.applied.iter().map(|it| (&*it.repair.id, &*it.repair.title)));
    for (name, note) in RequestScope::typed(&request.look) {
        notes.insert(name.to_owned(), note);
    }
    if let Some(answers) = answers {
        notes.insert(
            "agreed".to_owned(),
            answers.agreed().into_iter().collect::<Vec<_>>().join(" "),
        );
    }
    let meta = Meta { command: "fix".to_owned(), time: None, notes };
    looked.setup.workspace(session).commit(&fixed.change, index, &meta)
}

/// What the log keeps of repairs with these ids and titles.
pub(crate) fn titles<'a>(
    applied: impl Iterator<Item = (&'a str, &'a str)>,
) -> BTreeMap<String, String> {
    let applied: Vec<(&str, &str)> = applied.collect();
    let title = match applied.as_slice() {
        [(_, only)] => (*only).to_owned(),
        _ => format!("{} repairs", applied.len()),
    };
    let repairs = applied.iter().take(MOST_LOGGED);
    let mut repairs: Vec<String> = repairs.map(|(id, title)| format!("{id} {title}")).collect();
    if applied.len() > MOST_LOGGED {
        repairs.push(format!("and {} more", applied.len() - MOST_LOGGED));
    }
    BTreeMap::from([(TITLE.to_owned(), title), ("repairs".to_owned(), repairs.join("\n"))])
}

/// The index that says which file is which, after files went away or got other paths, if it is another then.
fn moved_index(workspace: &Workspace, change: &TreeChange) -> Result<Option<IndexUpdate>, Failure> {
    if change.renames().is_empty() && change.deletes().is_empty() {
        return Ok(None);
    }
    let LoadedIndex { base, index: before } = workspace.load_index()?;
    let mut index = before.clone();
    let leaving = change.renames().keys().chain(change.deletes().keys());
    leaving.for_each(|path| index.remove(path));
    for (path, rename) in change.renames() {
        if let Some(uid) = before.indexed_uid(path) {
            index.insert(uid, &rename.to).map_err(IndexLoadError::from)?;
        }
    }
    Ok((index != before).then_some(IndexUpdate { base, index }))
}

fn reply(
    looked: &AssessedTree,
    mended: &Mended,
    answers: Option<&Answers>,
    request: &v1::Fix,
) -> Result<FixReply, Failure> {
    let AssessedTree { setup, look, own, assessment: start, .. } = looked;
    let fixed = &mended.fixed;
    let end = &fixed.end;
    let view = AssessmentView::new(setup, look, end, own);
    let (listed, n_not_shown) = view.listed(request.look.max_findings);
    let counts = view.counts();
    let standing = looked.standing(end);
    let verdict = standing.verdict(&request.look, counts, None);
    let CheckState { files, failures, .. } = standing;
    let (tools, tool_times) = toolbox::of_fix(setup, look, start, fixed);
    let mut rejected: Vec<v1::RejectedRepair> =
        fixed.rejected.iter().map(|it| rejected_repair(it, &mended.protected)).collect();
    rejected.extend(answers.into_iter().flat_map(Answers::declined));
    let report = v1::FixReport {
        ok: verdict.is_ok(),
        validator_version: VERSION.to_owned(),
        transaction: None,
        passes: fixed.passes,
        stop: ending_name(&fixed.ending).to_owned(),
        applied: fixed.applied.iter().map(applied_repair).collect(),
        remaining: listed.iter().map(|it| wire::diagnostic(it)).collect(),
        failures,
        notes: fixed.notes.iter().cloned().chain(unknown_ids(looked, fixed, request)).collect(),
        summary: v1::FixSummary {
            applied: fixed.applied.len(),
            classes: wire::classes(fixed.applied.iter().map(|it| it.class)),
            rejected: rejected.len(),
            error: counts.error,
            warning: counts.warning,
            info: counts.info,
            baselined: view.n_baselined,
            not_shown: n_not_shown,
            files,
        },
        rejected,
        tools,
        pending_transaction: None,
    };
    let shown: BTreeSet<&str> = listed.iter().map(|it| it.diagnostic_id.as_str()).collect();
    let is_shown = |it: &Repair| it.resolves.iter().any(|id| shown.contains(id.as_str()));
    let proposed = || view.repairs.iter().filter(|it| is_shown(it));
    Ok(FixReply {
        report,
        verdict,
        changes: match request.with_diffs {
            true => file_changes(&start.snapshot, &fixed.change)?,
            false => list_changes(&fixed.change),
        },
        frames: view::frames(&end.snapshot, listed.iter(), proposed()),
        previews: Previews::new(&end.snapshot, proposed()),
        outputs: outputs(looked, fixed),
        offers: Offers::default(),
        retried: None,
        tool_times,
    })
}

/// Words about the ids that were allowed and that no repair has.
fn unknown_ids(looked: &AssessedTree, fixed: &Fixed, request: &v1::Fix) -> Vec<String> {
    let of_start = looked.assessment.repairs.iter();
    let of_rest = fixed.applied.iter().map(|it| &it.repair);
    let of_rest = of_rest.chain(fixed.rejected.iter().map(|it| &it.repair));
    let known: BTreeSet<&str> = of_start.chain(of_rest).map(|it| it.id.as_str()).collect();
    let unknown = request.look.allow.iter().filter(|it| !known.contains(it.as_str()));
    unknown.map(|it| format!("{it} was allowed, but no repair has this id")).collect()
}

/// The new contents of the files that stood in for those on disk.
fn outputs(looked: &AssessedTree, fixed: &Fixed) -> BTreeMap<String, Vec<u8>> {
    if !looked.look.has_overlay() {
        return BTreeMap::new();
    }
    let paths = fixed.change.paths();
    let bytes = |path: &RelPath| {
        let file = fixed.end.snapshot.file(path)?;
        Some((path.to_string(), file.text().bytes().to_vec()))
    };
    paths.iter().filter_map(bytes).collect()
}

fn ending_name(ending: &Ending) -> &'static str {
    match ending {
        Ending::Settled => "settled",
        Ending::Cycle { .. } => "cycle",
        Ending::PassBudget => "pass_budget",
        Ending::RecheckBudget => "recheck_budget",
        Ending::TimeBudget => "time_budget",
        Ending::Cancelled => "cancelled",
    }
}

fn applied_repair(applied: &Applied) -> v1::AppliedRepair {
    let repair = &applied.repair;
    v1::AppliedRepair {
        id: repair.id.clone(),
        title: repair.title.clone(),
        rule_id: repair.rule_id.clone(),
        source: repair.source.clone(),
        phase: repair.phase.clone(),
        safety: wire::safety(repair.safety),
        confidence: wire::confidence(repair.confidence),
        class: wire::class(applied.class),
        files: applied.files.iter().map(ToString::to_string).collect(),
        verified: applied.verified,
        pass: applied.pass,
    }
}

fn rejected_repair(
    rejected: &RejectedRepair,
    protected: &BTreeMap<RelPath, Protected>,
) -> v1::RejectedRepair {
    let (repair, rejection) = (&rejected.repair, &rejected.rejection);
    // Who only knows that the file may not be edited cannot say why.
    let protected = repair.files().into_iter().find_map(|it| protected.get_key_value(it));
    let detail = match protected {
        Some((path, it)) => format!("{path} cannot be changed: {}", it.reason),
        None => rejection.detail.clone(),
    };
    let name = protected.and_then(|(_, it)| it.name).unwrap_or(rejection.reason.name());
    described((repair, rejected.class), name, rejection.with.clone(), detail)
}

/// The repair as one that was not done.
fn described(
    (repair, class): (&Repair, RepairClass),
    reason: &str,
    with: Option<String>,
    detail: String,
) -> v1::RejectedRepair {
    let files = repair.files();
    v1::RejectedRepair {
        id: repair.id.clone(),
        title: repair.title.clone(),
        rule_id: repair.rule_id.clone(),
        source: repair.source.clone(),
        phase: repair.phase.clone(),
        safety: wire::safety(repair.safety),
        class: wire::class(class),
        files: files.into_iter().map(ToString::to_string).collect(),
        reason: reason.to_owned(),
        with,
        detail,
    }
}

#[cfg(test)]
mod tests;
