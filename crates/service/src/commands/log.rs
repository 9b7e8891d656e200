//! `log`: the transactions that are done, newest first.

use std::collections::BTreeSet;

use protocol::v1::{Log, LogEntry, LogReport};
use snapshot::RelPath;
use workspace::{Retention, Touched, Transaction};

use crate::failure::Failure;
use crate::session::Session;

/// Under which name a transaction's title is recorded.
pub(crate) const TITLE: &str = "title";

/// Lists the transactions, and first forgets the oldest if that is asked for.
pub fn log(session: &Session, request: &Log) -> Result<LogReport, Failure> {
    let pruned = match request.prune {
        Some(transactions) => {
            session.workspace.prune(Retention { transactions, bytes: u64::MAX })?
        }
        None => Vec::new(),
    };
    let transactions = session.workspace.log()?;
    Ok(LogReport {
        pending_transaction: session.pending_transaction(),
        transactions: transactions.iter().rev().map(entry).collect(),
        pruned: pruned.iter().map(ToString::to_string).collect(),
    })
}

fn entry(transaction: &Transaction) -> LogEntry {
    LogEntry {
        transaction: transaction.id.to_string(),
        command: transaction.meta.command.clone(),
        title: title(transaction),
        undone_by: transaction.undone_by.map(|it| it.to_string()),
        can_undo: transaction.undone_by.is_none(),
        files: files(transaction),
    }
}

fn title(transaction: &Transaction) -> String {
    match (transaction.undoes, transaction.meta.notes.get(TITLE)) {
        (Some(undone), _) => format!("undo of {undone}"),
        (None, Some(title)) => title.clone(),
        (None, None) => transaction.meta.command.clone(),
    }
}

/// The files that a transaction is about: those that it wrote or removed, or those whose entries in git's index are all that
/// it changed.
pub(crate) fn files(transaction: &Transaction) -> Vec<String> {
    let touched = touched_paths(transaction);
    match touched.is_empty() {
        true => transaction.staged.iter().map(|it| it.name.clone()).collect(),
        false => touched.iter().map(ToString::to_string).collect(),
    }
}

/// Every path of the user's that the transaction wrote or removed, sorted. Our own index is not one of them.
pub(crate) fn touched_paths(transaction: &Transaction) -> BTreeSet<RelPath> {
    let paths = transaction.touched.iter().flat_map(|touched| match touched {
        Touched::Added(path) | Touched::Edited(path) | Touched::Deleted(path) => vec![path],
        Touched::Renamed { from, to } => vec![from, to],
    });
    paths.filter(|it| !it.as_str().starts_with(".regreen/")).cloned().collect()
}
