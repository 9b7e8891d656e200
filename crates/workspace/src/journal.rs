//! The journal: what a transaction is about to do, written down before it does it.
//!
//! ```text
//! .regreen/                 0755
//!   .gitignore              keeps all but files.json and approvals/ out of git
//!   lock                    held from before the first step to after the last
//!   files.json              the file index, changed only by transactions
//!   cache/                  0700, what can be found out again, see `cache.rs`
//!   txn/                    0700
//!     t_000042/             one transaction
//!       journal             the intent, then the marks `committed` and `done`, one line each
//!       undo                the bytes of every file before the transaction, one after the other
//! ```
//!
//! A line is `blake3:HEX JSON`, the hash being that of the JSON. The first line is the [`Intent`], format version 1.
//!
//! # States
//!
//! ```text
//!             begin              mark_committed            publish, mark_done
//!   nothing ─────────► intended ────────────────► committed ────────────────► done
//!      ▲                  │                         │    │                     ▲
//!      │    roll_back     │       not for certain:  │    └───── complete ──────┘
//!      ├──────────────────┤                  abort  │
//!      │                  └──────────┐              │ cannot be completed: abort
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
//! * J8. An intent names only temporary files of its own pattern beside their targets, and no target in `.git` or
//!   `.regreen` but the file index. What breaks this was not written by regreen and is not acted upon.
//! * J9. A journal that was renamed to `aborted` is taken back, whatever marks it has: files that were replaced get
//!   their old contents from the undo images before anything else of the transaction is removed.
//! * J10. The undo images of a transaction are gone from stable storage before its journal is removed, so that a
//!   directory without an intent holds nothing else, whether it is new or about to go.
//!
//! # Assumptions about the file system
//!
//! A rename within a directory is atomic, also across a power failure. What was synced stays. What was appended and not
//! synced is, after a power failure, whole, cut short or filled with NUL bytes, and the bytes before it are intact.
//! Names in a directory that was not synced are each there or not, in any combination.

pub(crate) mod v1;

use std::fmt;
use std::io;
use std::str::FromStr;

use edit::ContentHash;
use snapshot::RelPath;

use crate::fs::{Fs, Kind};
use v1::{Intent, Record};

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

/// Why the journal cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// A transaction was written by a later version.
    #[error(
        "{path} has format version {version}, this regreen knows {}; use the newer one, or move `.regreen/txn` aside",
        v1::VERSION
    )]
    Newer {
        /// The journal.
        path: RelPath,
        /// Its format version.
        version: u64,
    },
    /// A journal is not what regreen wrote.
    #[error(
        "{path} is damaged ({reason}); look at `git status`, then move `.regreen/txn` aside to go on without its undo"
    )]
    Corrupt {
        /// The journal.
        path: RelPath,
        /// What is wrong with it.
        reason: String,
    },
    /// The store is a file or a link.
    #[error(
        "`{path}` is not a folder of its own, which regreen needs to keep its journal in; move it aside"
    )]
    NotADirectory {
        /// The store.
        path: RelPath,
    },
    /// The file system reported an error.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The path.
        path: RelPath,
        /// What the file system said.
        source: io::Error,
    },
}

/// How far a transaction got.
#[derive(Debug)]
pub(crate) enum State {
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

pub(crate) fn store_path() -> RelPath {
    fixed(".regreen")
}

pub(crate) fn ignore_path() -> RelPath {
    fixed(".regreen/.gitignore")
}

pub(crate) fn lock_path() -> RelPath {
    fixed(".regreen/lock")
}

pub(crate) fn index_path() -> RelPath {
    fixed(".regreen/files.json")
}

pub(crate) fn transactions_path() -> RelPath {
    fixed(".regreen/txn")
}

pub(crate) fn directory_of(id: TransactionId) -> RelPath {
    fixed(&format!(".regreen/txn/{id}"))
}

pub(crate) fn journal_of(id: TransactionId) -> RelPath {
    fixed(&format!(".regreen/txn/{id}/journal"))
}

pub(crate) fn aborted_of(id: TransactionId) -> RelPath {
    fixed(&format!(".regreen/txn/{id}/aborted"))
}

pub(crate) fn undo_of(id: TransactionId) -> RelPath {
    fixed(&format!(".regreen/txn/{id}/undo"))
}

/// The name of the `n`th temporary file of a transaction.
pub(crate) fn temp_name(id: TransactionId, n: usize) -> String {
    format!(".regreen-{id}-{n}")
}

/// Whether a file name is that of a temporary file of this transaction.
pub(crate) fn is_temp_name_of(name: &str, id: TransactionId) -> bool {
    is_temp_name(name) && name.starts_with(&format!(".regreen-{id}-"))
}

/// Whether a file name is that of a temporary file of some transaction.
pub(crate) fn is_temp_name(name: &str) -> bool {
    let parts = name.strip_prefix(".regreen-").and_then(|rest| rest.rsplit_once('-'));
    parts.is_some_and(|(id, n)| {
        id.parse::<TransactionId>().is_ok()
            && !n.is_empty()
            && n.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The transactions that have a directory, oldest first.
pub(crate) fn list(fs: &dyn Fs) -> Result<Vec<TransactionId>, JournalError> {
    let path = transactions_path();
    let io = |source| JournalError::Io { path: path.clone(), source };
    let store = store_path();
    match fs.stat(&store).map_err(io)?.map(|stat| stat.kind) {
        None => return Ok(Vec::new()),
        Some(Kind::Directory) => {}
        Some(_) => return Err(JournalError::NotADirectory { path: store }),
    }
    if fs.stat(&path).map_err(io)?.is_none() {
        return Ok(Vec::new());
    }
    let mut ids: Vec<TransactionId> = fs
        .list(Some(&path))
        .map_err(io)?
        .iter()
        .filter_map(|(name, _)| name.parse().ok())
        .collect();
    ids.sort();
    Ok(ids)
}

/// How far a transaction got, and what it is about.
pub(crate) fn read_state(fs: &dyn Fs, id: TransactionId) -> Result<State, JournalError> {
    match look_at(fs, id) {
        // A reader holds no lock: what looks damaged may be a transaction that went on between two of its steps.
        Err(JournalError::Corrupt { .. }) => look_at(fs, id),
        state => state,
    }
}

fn look_at(fs: &dyn Fs, id: TransactionId) -> Result<State, JournalError> {
    let (path, aborted) = (journal_of(id), aborted_of(id));
    if let Some(bytes) = read_if_present(fs, &path)? {
        let state = parse(&bytes, id, &path)?;
        return if let State::Nothing = state { nothing(fs, id, &path) } else { Ok(state) };
    }
    let Some(bytes) = read_if_present(fs, &aborted)? else { return nothing(fs, id, &path) };
    match parse(&bytes, id, &aborted)? {
        // Only a journal with its intent is ever renamed (J9).
        State::Nothing => {
            Err(JournalError::Corrupt { path: aborted, reason: "it has no intent".to_owned() })
        }
        State::Intended(intent)
        | State::Aborted(intent)
        | State::Committed(intent)
        | State::Done(intent) => Ok(State::Aborted(intent)),
    }
}

/// J1, J10: where there is no intent, there is nothing else. Anything else means that the intent was there and is lost,
/// and with it what the transaction did.
fn nothing(fs: &dyn Fs, id: TransactionId, journal: &RelPath) -> Result<State, JournalError> {
    let directory = directory_of(id);
    let names = match fs.list(Some(&directory)) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::Nothing),
        Err(source) => return Err(JournalError::Io { path: directory, source }),
    };
    match names.iter().find(|(name, _)| name != "journal") {
        None => Ok(State::Nothing),
        Some((name, _)) => Err(lost_intent(journal.clone(), &format!("`{name}` is beside it"))),
    }
}

/// There is something that only comes after an intent, and no intent.
pub(crate) fn lost_intent(journal: RelPath, evidence: &str) -> JournalError {
    let reason = format!("its first record is lost, though {evidence}");
    JournalError::Corrupt { path: journal, reason }
}

fn read_if_present(fs: &dyn Fs, path: &RelPath) -> Result<Option<Vec<u8>>, JournalError> {
    let io = |source| JournalError::Io { path: path.clone(), source };
    match fs.stat(path).map_err(io)? {
        Some(_) => match fs.read(path, u64::MAX) {
            Ok((bytes, _)) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
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

fn parse(bytes: &[u8], id: TransactionId, path: &RelPath) -> Result<State, JournalError> {
    let corrupt =
        |reason: &str| JournalError::Corrupt { path: path.clone(), reason: reason.to_owned() };
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let (first, rest) = end.map_or((bytes, None), |end| (&bytes[..end], Some(&bytes[end + 1..])));
    // An intent that was cut short was never synced (J1).
    let Some(rest) = rest else { return Ok(State::Nothing) };
    if first.contains(&0) {
        let is_last = rest.is_empty();
        return is_last
            .then_some(State::Nothing)
            .ok_or_else(|| lost_intent(path.clone(), "marks follow it"));
    }
    let json = checked(first).ok_or_else(|| corrupt("the checksum of its intent is wrong"))?;
    let version = serde_json::from_slice::<serde_json::Value>(json)
        .map_err(|_| corrupt("its intent is not JSON"))?
        .pointer("/version")
        .and_then(serde_json::Value::as_u64);
    match version {
        Some(version) if version > u64::from(v1::VERSION) => {
            return Err(JournalError::Newer { path: path.clone(), version });
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
        (_, true) => State::Done(intent),
        (true, false) => State::Committed(intent),
        (false, false) => State::Intended(intent),
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
