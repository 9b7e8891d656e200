//! The journal: what a transaction is about to do, written down before it does it.
//!
//! ```text
//! STATE/                    the state folder of the root, see `state.rs`
//!   txn/                    0700
//!     t_000042/             one transaction
//!       journal             the intent, then the marks `committed` and `done`, one line each
//!       undo                the bytes of every file before the transaction, one after the other
//! ```
//!
//! A line is `blake3:HEX JSON`, the hash being that of the JSON. The first line is the [`Intent`], format version 2, or 3 if
//! entries of git's index are part of it.
//!
//! # States
//!
//! ```text
//!             begin              mark_committed            publish, mark_done
//!   nothing ─────────► intended ────────────────► committed ────────────────► done
//!      ▲                  │                         │    │                     ▲
//!      │    roll_back     │       not for certain:  │    └───── complete ──────┘
//!      ├──────────────────┤                  abort  │
//!      │                  └──────────┐              │ cannot be completed, or somebody was faster: abort
//!      │    take_back                ▼              │
//!      └───────────────────────── aborted ◄─────────┘
//! ```
//!
//! # Invariants
//!
//! * J1. The intent is on stable storage before the first temporary file or directory is created.
//! * J2. Every temporary file, every new directory and the undo images are on stable storage, with their names,
//!   before the journal is marked committed.
//! * J3. The mark is on stable storage before the first file of the tree is replaced or removed.
//! * J4. All replacements and removals are on stable storage before the journal is marked done.
//! * J5. Only the newest transaction can be unfinished: whoever holds the lock recovers before starting another.
//! * J6. An intended transaction changed no file of the tree, so removing what it names restores the old tree.
//! * J7. A committed transaction has all it needs to be completed or taken back, and each step can be repeated.
//! * J8. A journal is read as a stranger's: an intent names only temporary files of its own pattern beside their targets,
//!   no target in `.git` or `.regreen` but the file index and receipts, every path once, images that tile the undo file, and no
//!   mode that changes whom a program runs as; entries of the index by name, never by where the index is. What breaks this was not written by regreen and is not acted upon.
//! * J9. A journal that was renamed to `aborted` is taken back, whatever marks it has: files that were replaced get
//!   their old contents, from the file that was displaced or from the undo images, before anything else of the
//!   transaction is removed.
//! * J10. The undo images of a transaction are gone from stable storage before its journal is removed, so that a
//!   directory without an intent holds nothing else, whether it is new or about to go.
//! * J11. A file of the tree is displaced, never overwritten: it stands under the temporary name until all are replaced,
//!   is looked at again, and goes only if it holds what the intent says it held. Otherwise the transaction is aborted.
//! * J12. A file whose contents are neither those before nor those after the transaction is somebody else's and stays.
//! * J13. Entries of git's index get their new objects by one rename of the whole index, after all files of the tree are
//!   replaced and before the journal is marked done. The lock of git, with the transaction's name in it, is held from
//!   before the journal is marked committed until then. Where no entry has its old object, that has happened.
//! * J14. An entry whose object is neither the one before nor the one after the transaction is somebody else's and
//!   stays. An alternate index is gone with the process that made the transaction: such a one is never completed by
//!   another, but taken back.
//!
//! # Assumptions about the file system
//!
//! A rename within a directory is atomic, also across a power failure. What was synced stays. What was appended and not
//! synced is, after a power failure, whole, cut short or filled with NUL bytes, and the bytes before it are intact.
//! Names in a directory that was not synced are each there or not, in any combination.

pub(crate) mod v2;

use std::fmt;
use std::io;
use std::str::FromStr;

use edit::ContentHash;
use snapshot::RelPath;

use crate::fs::{EntryKind, Fs};
use v2::{Intent, Record};

/// The number of a transaction, counted up from 1. Written `t_000042`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TransactionId(pub u64);

impl fmt::Display for TransactionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t_{:06}", self.0)
    }
}

/// A string that is not `t_` and a number of at least six digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a transaction id is `t_` and at least six digits")]
pub struct ParseIdError;

impl FromStr for TransactionId {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<TransactionId, ParseIdError> {
        let digits = text.strip_prefix("t_").ok_or(ParseIdError)?;
        let id = TransactionId(digits.parse().map_err(|_| ParseIdError)?);
        if id.to_string() == text { Ok(id) } else { Err(ParseIdError) }
    }
}

/// A journal that is larger is not one of ours; a transaction of a hundred thousand files has less.
pub(crate) const MAX_JOURNAL: u64 = 64 * 1024 * 1024;

/// Why the journal cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// A transaction was written by a later version.
    #[error("{path} has format version {version}, this regreen knows {}", v2::VERSION)]
    Newer {
        /// The journal.
        path: String,
        /// Its format version.
        version: u64,
    },
    /// A journal is not what regreen wrote.
    #[error("{path} is damaged ({reason})")]
    Corrupt {
        /// The journal.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The folder of the transactions is a file or a link.
    #[error("{path} is not a folder of its own")]
    NotADirectory {
        /// What stands there.
        path: String,
    },
    /// The file system reported an error.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The path.
        path: String,
        /// What the file system said.
        source: io::Error,
    },
}

/// The path with that of the state folder before it, for people.
pub(crate) fn shown(state: &dyn Fs, path: &RelPath) -> String {
    match state.absolute_root() {
        Some(root) => format!("{root}/{path}"),
        None => path.to_string(),
    }
}

/// How far a transaction got.
#[derive(Debug)]
pub(crate) enum JournalState {
    /// The intent never reached the disk, so nothing else did (J1).
    Nothing,
    Intended(Intent),
    Aborted(Intent),
    Committed(Intent),
    Done(Intent),
}

fn fixed(path: &str) -> RelPath {
    RelPath::parse(path).expect("the path is a constant of this module")
}

/// The folder in the tree for what is meant to be committed.
pub(crate) fn shared_folder() -> RelPath {
    fixed(".regreen")
}

/// Where receipts are: what became of a proposal, written with its change.
pub(crate) fn receipts_folder() -> RelPath {
    fixed(".regreen/receipts")
}

/// Whether the path is one that only regreen itself writes in a transaction: the file index, or a receipt.
pub(crate) fn is_own_target(path: &RelPath) -> bool {
    *path == index_path() || path.parent() == Some(receipts_folder())
}

/// The file index, in the tree.
pub(crate) fn index_path() -> RelPath {
    fixed(".regreen/files.json")
}

pub(crate) fn transactions_path() -> RelPath {
    fixed("txn")
}

pub(crate) fn directory_of(id: TransactionId) -> RelPath {
    fixed(&format!("txn/{id}"))
}

pub(crate) fn journal_of(id: TransactionId) -> RelPath {
    fixed(&format!("txn/{id}/journal"))
}

pub(crate) fn aborted_of(id: TransactionId) -> RelPath {
    fixed(&format!("txn/{id}/aborted"))
}

pub(crate) fn undo_of(id: TransactionId) -> RelPath {
    fixed(&format!("txn/{id}/undo"))
}

/// The name of the `n`th temporary file of a transaction. The nonce keeps it apart from what lies there already, and
/// from those of other users and roots.
pub(crate) fn temp_name(id: TransactionId, nonce: u64, n: usize) -> String {
    format!(".regreen-{id}-{nonce:016x}-{n}")
}

/// Whether a file name is that of a temporary file of some transaction.
pub(crate) fn is_temp_name(name: &str) -> bool {
    let parts: Option<Vec<&str>> = name.strip_prefix(".regreen-").map(|it| it.split('-').collect());
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    match parts.as_deref() {
        Some([id, nonce, n]) => {
            id.parse::<TransactionId>().is_ok()
                && nonce.len() == 16
                && nonce.bytes().all(|byte| byte.is_ascii_hexdigit())
                && is_number(n)
        }
        _ => false,
    }
}

/// The transactions that have a directory in the state folder, oldest first.
pub(crate) fn list(state: &dyn Fs) -> Result<Vec<TransactionId>, JournalError> {
    let path = transactions_path();
    let io = |source| JournalError::Io { path: shown(state, &path), source };
    match state.stat(&path).map_err(io)?.map(|stat| stat.kind) {
        None => return Ok(Vec::new()),
        Some(EntryKind::Directory) => {}
        Some(_) => return Err(JournalError::NotADirectory { path: shown(state, &path) }),
    }
    let mut ids: Vec<TransactionId> = state
        .list(Some(&path))
        .map_err(io)?
        .iter()
        .filter_map(|(name, _)| name.parse().ok())
        .collect();
    ids.sort();
    Ok(ids)
}

/// How far a transaction got, and what it is about.
pub(crate) fn read_state(fs: &dyn Fs, id: TransactionId) -> Result<JournalState, JournalError> {
    match look_at(fs, id) {
        // A reader holds no lock: what looks damaged may be a transaction that went on between two of its steps.
        Err(JournalError::Corrupt { .. }) => look_at(fs, id),
        state => state,
    }
}

fn look_at(fs: &dyn Fs, id: TransactionId) -> Result<JournalState, JournalError> {
    let (path, aborted) = (journal_of(id), aborted_of(id));
    if let Some(bytes) = read_if_present(fs, &path)? {
        let state = parse(&bytes, id, &shown(fs, &path))?;
        return if let JournalState::Nothing = state { nothing(fs, id, &path) } else { Ok(state) };
    }
    let Some(bytes) = read_if_present(fs, &aborted)? else { return nothing(fs, id, &path) };
    let aborted = shown(fs, &aborted);
    match parse(&bytes, id, &aborted)? {
        // Only a journal with its intent is ever renamed (J9).
        JournalState::Nothing => {
            Err(JournalError::Corrupt { path: aborted, reason: "it has no intent".to_owned() })
        }
        JournalState::Intended(intent)
        | JournalState::Aborted(intent)
        | JournalState::Committed(intent)
        | JournalState::Done(intent) => Ok(JournalState::Aborted(intent)),
    }
}

/// J1, J10: where there is no intent, there is nothing else. Anything else means that the intent was there and is lost,
/// and with it what the transaction did.
fn nothing(
    fs: &dyn Fs,
    id: TransactionId,
    journal: &RelPath,
) -> Result<JournalState, JournalError> {
    let directory = directory_of(id);
    let names = match fs.list(Some(&directory)) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(JournalState::Nothing),
        Err(source) => {
            return Err(JournalError::Io { path: shown(fs, &directory), source });
        }
    };
    match names.iter().find(|(name, _)| name != "journal") {
        None => Ok(JournalState::Nothing),
        Some((name, _)) => Err(lost_intent(shown(fs, journal), &format!("`{name}` is beside it"))),
    }
}

/// There is something that only comes after an intent, and no intent.
fn lost_intent(journal: String, evidence: &str) -> JournalError {
    let reason = format!("its first record is lost, though {evidence}");
    JournalError::Corrupt { path: journal, reason }
}

fn read_if_present(fs: &dyn Fs, path: &RelPath) -> Result<Option<Vec<u8>>, JournalError> {
    let io = |source| JournalError::Io { path: shown(fs, path), source };
    match fs.stat(path).map_err(io)? {
        Some(_) => match fs.read(path, MAX_JOURNAL) {
            Ok((bytes, _)) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                let reason = format!("it has more than {MAX_JOURNAL} bytes");
                Err(JournalError::Corrupt { path: shown(fs, path), reason })
            }
            Err(error) => Err(io(error)),
        },
        None => Ok(None),
    }
}

pub(crate) fn intent_line(intent: &Intent) -> Vec<u8> {
    line(&Record::Intent(Box::new(intent.clone())))
}

/// Starts with a line break, so that a mark written after one that was cut short stands on a line of its own.
pub(crate) fn committed_line() -> Vec<u8> {
    [b"\n".to_vec(), line(&Record::Committed {})].concat()
}

pub(crate) fn done_line() -> Vec<u8> {
    [b"\n".to_vec(), line(&Record::Done {})].concat()
}

fn line(record: &Record) -> Vec<u8> {
    let json =
        serde_json::to_string(record).expect("records have string keys and no foreign types");
    format!("{} {json}\n", ContentHash::of(json.as_bytes())).into_bytes()
}

fn parse(bytes: &[u8], id: TransactionId, path: &str) -> Result<JournalState, JournalError> {
    let corrupt =
        |reason: &str| JournalError::Corrupt { path: path.to_owned(), reason: reason.to_owned() };
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let (first, rest) = end.map_or((bytes, None), |end| (&bytes[..end], Some(&bytes[end + 1..])));
    // An intent that was cut short was never synced (J1).
    let Some(rest) = rest else { return Ok(JournalState::Nothing) };
    if first.contains(&0) {
        let is_last = rest.is_empty();
        return is_last
            .then_some(JournalState::Nothing)
            .ok_or_else(|| lost_intent(path.to_owned(), "marks follow it"));
    }
    let json = checked(first).ok_or_else(|| corrupt("the checksum of its intent is wrong"))?;
    let version = serde_json::from_slice::<serde_json::Value>(json)
        .map_err(|_| corrupt("its intent is not JSON"))?
        .pointer("/version")
        .and_then(serde_json::Value::as_u64);
    match version {
        Some(version) if version > u64::from(v2::VERSION) => {
            return Err(JournalError::Newer { path: path.to_owned(), version });
        }
        _ => {}
    }
    let intent = match serde_json::from_slice(json) {
        Ok(Record::Intent(intent)) => *intent,
        Ok(_) => return Err(corrupt("it does not start with an intent")),
        Err(error) => return Err(corrupt(&error.to_string())),
    };
    intent.check(id).map_err(|reason| corrupt(&reason))?;
    let (mut committed, mut done) = (false, false);
    for mark in rest.split(|byte| *byte == b'\n').filter(|mark| !mark.is_empty()) {
        match checked(mark).and_then(|json| serde_json::from_slice(json).ok()) {
            Some(Record::Committed {}) => committed = true,
            Some(Record::Done {}) if committed => done = true,
            Some(_) => return Err(corrupt("its marks are out of order")),
            None if is_torn_mark(mark) => {}
            None => return Err(corrupt("the checksum of a mark is wrong")),
        }
    }
    Ok(match (committed, done) {
        (_, true) => JournalState::Done(intent),
        (true, false) => JournalState::Committed(intent),
        (false, false) => JournalState::Intended(intent),
    })
}

/// The JSON of a line, if its checksum is right.
fn checked(line: &[u8]) -> Option<&[u8]> {
    let (hash, json) = line.split_at_checked("blake3:".len() + 64)?;
    let hash: ContentHash = std::str::from_utf8(hash).ok()?.parse().ok()?;
    let json = json.strip_prefix(b" ")?;
    (ContentHash::of(json) == hash).then_some(json)
}

/// Whether this is what a power failure can leave of a mark.
fn is_torn_mark(found: &[u8]) -> bool {
    let kept = found.split(|byte| *byte == 0).next().unwrap_or_default();
    let rest_is_nul = found[kept.len()..].iter().all(|byte| *byte == 0);
    rest_is_nul && [committed_line(), done_line()].iter().any(|mark| mark[1..].starts_with(kept))
}
