//! `undo`: takes a transaction back.

use protocol::v1::{Undo, UndoRefusal, UndoReport};
use snapshot::{RelPath, Snapshot};
use workspace::{CommitError, Meta, Transaction, TransactionId, UndoError, UndoPlan};

use crate::UndoReply;
use crate::commands::log::{files, touched_paths};
use crate::failure::Failure;
use crate::patch_trial::refusals;
use crate::session::Session;
use crate::wire::changes::{FileChange, file_changes};

/// Larger files are undone without showing what changes in them.
const MOST_SHOWN_BYTES: usize = 4 << 20;

/// Whether the text has the form of a transaction's id.
pub fn is_transaction_id(text: &str) -> bool {
    text.parse::<TransactionId>().is_ok()
}

/// Undoes a transaction, or says why not. Nothing to undo is fine.
pub fn undo(session: &Session, request: &Undo) -> Result<UndoReply, Failure> {
    let mut reply = undo_settled(session, request)?;
    reply.report.pending_transaction = session.pending_transaction();
    reply.report.ok &= reply.report.pending_transaction.is_none();
    Ok(reply)
}

/// The objects that an undo would put back into the index of git. Nothing has named them since, so that git may have
/// removed them by now, which only git can tell.
pub fn staged_before(session: &Session, request: &Undo) -> Result<Vec<String>, Failure> {
    let id = request.transaction.as_deref().and_then(|it| it.parse().ok());
    let all = session.workspace.log()?;
    let staged = choose(&all, id).map(|it| it.staged.as_slice()).unwrap_or_default();
    Ok(staged.iter().map(|it| it.before.clone()).collect())
}

fn undo_settled(session: &Session, request: &Undo) -> Result<UndoReply, Failure> {
    let id = match request.transaction.as_deref().map(str::parse::<TransactionId>) {
        None => None,
        Some(Ok(id)) => Some(id),
        Some(Err(error)) => return Ok(refused("bad_id", error.to_string(), None)),
    };
    let all = session.workspace.log()?;
    let Some(transaction) = choose(&all, id) else {
        return Ok(match id {
            Some(id) => refused(
                "unknown",
                format!("{}; `regreen log` lists them", UndoError::Unknown { id }),
                None,
            ),
            None => nothing_to_undo(),
        });
    };
    let touched: Vec<RelPath> = touched_paths(transaction).into_iter().collect();
    let files = files(transaction);
    let before = if request.with_diffs { small_files(session, &touched) } else { None };
    if request.dry_run {
        return match session.workspace.plan_undo(Some(transaction.id)) {
            Ok(Some(plan)) => {
                let changes = before.and_then(|it| planned(&it, &plan)).unwrap_or_default();
                let undone = Some(plan.id.to_string());
                let report = UndoReport {
                    ok: true,
                    undone,
                    transaction: None,
                    files,
                    refused: None,
                    pending_transaction: None,
                };
                Ok(UndoReply { report, changes })
            }
            Ok(None) => Ok(nothing_to_undo()),
            Err(error) => refusal(error),
        };
    }
    let meta = Meta { command: "undo".to_owned(), ..Meta::default() };
    match session.workspace.undo(Some(transaction.id), &meta) {
        Ok(Some((undone, undoing))) => {
            let changes = before.and_then(|it| shown(session, &it, &touched)).unwrap_or_default();
            let (undone, transaction) = (Some(undone.to_string()), Some(undoing.to_string()));
            let report = UndoReport {
                ok: true,
                undone,
                transaction,
                files,
                refused: None,
                pending_transaction: None,
            };
            Ok(UndoReply { report, changes })
        }
        Ok(None) => Ok(nothing_to_undo()),
        Err(error) => refusal(error),
    }
}

/// The one that was named, else the newest that is neither undone nor an undo.
fn choose(all: &[Transaction], id: Option<TransactionId>) -> Option<&Transaction> {
    match id {
        Some(id) => all.iter().find(|it| it.id == id),
        None => all.iter().rev().find(|it| it.undone_by.is_none() && it.undoes.is_none()),
    }
}

/// The files, if they are small enough to be compared with what they become. To show a change is a courtesy: what
/// stands in its way does not stand in the way of the undo.
fn small_files(session: &Session, touched: &[RelPath]) -> Option<Snapshot> {
    let snapshot = session.workspace.load(touched).ok()?.snapshot;
    let n_bytes: usize = snapshot.files().map(|(_, file)| file.text().len()).sum();
    (n_bytes <= MOST_SHOWN_BYTES).then_some(snapshot)
}

/// The change of an undo replaces whole texts; what differs between them is what is shown.
fn planned(before: &Snapshot, plan: &UndoPlan) -> Option<Vec<FileChange>> {
    let after = before.apply(&plan.change).ok()?;
    file_changes(before, &snapshot::diff(before, &after)).ok()
}

fn shown(session: &Session, before: &Snapshot, touched: &[RelPath]) -> Option<Vec<FileChange>> {
    let after = small_files(session, touched)?;
    file_changes(before, &snapshot::diff(before, &after)).ok()
}

fn refusal(error: UndoError) -> Result<UndoReply, Failure> {
    let text = error.to_string();
    match error {
        UndoError::Unknown { .. } => {
            Ok(refused("unknown", format!("{text}; `regreen log` lists them"), None))
        }
        UndoError::UndoneAlready { .. } => Ok(refused("undone_already", text, None)),
        UndoError::Changed { paths, .. } => {
            let help = "undoing would lose what was written to it since; put the file back, or make the change by hand";
            Ok(refused(
                "changed_since",
                format!("{text}; {help}"),
                paths.first().map(ToString::to_string),
            ))
        }
        UndoError::StagedSince { names, .. } => {
            let help = "undoing would lose what was staged since; `git restore --staged` or `git add` puts the index where you want it, \
                        and the files on disk are left as they are";
            Ok(refused("changed_since", format!("{text}; {help}"), names.first().cloned()))
        }
        UndoError::Commit(CommitError::Refused { path, reason }) => {
            let message = format!("{text}; clear that up, then undo again");
            Ok(refused(
                refusals::own_name(&reason).unwrap_or("protected"),
                message,
                Some(path.to_string()),
            ))
        }
        error => Err(error.into()),
    }
}

fn refused(code: &str, message: String, file: Option<String>) -> UndoReply {
    let refused = Some(UndoRefusal { code: code.to_owned(), message, file });
    let report = UndoReport {
        ok: false,
        undone: None,
        transaction: None,
        files: Vec::new(),
        refused,
        pending_transaction: None,
    };
    UndoReply { report, changes: Vec::new() }
}

fn nothing_to_undo() -> UndoReply {
    let report = UndoReport {
        ok: true,
        undone: None,
        transaction: None,
        files: Vec::new(),
        refused: None,
        pending_transaction: None,
    };
    UndoReply { report, changes: Vec::new() }
}
