//! What single files were found to be, kept in the user's cache folder for the next process that looks at the tree.
//!
//! The file is a mark, a seal and the entries in the order of their keys. The seal is a hash of the entries that is keyed
//! with the very program that made them: what another build wrote, or somebody who does not know this program's file, is
//! not believed. Losing the file, or not being able to write it, costs time and nothing else.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pack::{Cache, CacheKey};
use workspace::{Identity, MAX_CACHE_BYTES, Workspace};

use crate::VERSION;

const NAME: &str = "checks-v1";
const MARK: &[u8; 16] = b"regreen checks 1";
const SEAL_BYTES: usize = 32;

type Entries = BTreeMap<CacheKey, Arc<[u8]>>;

/// Looks at files that were kept, and those to keep. Closed at first: it then has nothing and takes nothing.
#[derive(Default)]
pub(crate) struct Store {
    opened: Mutex<Option<Opened>>,
}

struct Opened {
    seal_key: [u8; 32],
    /// What the file holds.
    known: Entries,
    /// What was asked for or made since: what the file should hold.
    used: Entries,
    n_bytes: u64,
    has_new: bool,
}

impl Store {
    /// Reads what an earlier process kept, and starts to collect.
    pub(crate) fn open(&self, workspace: &Workspace) {
        let Some(seal_key) = workspace::program_identity().map(|it| seal_key(&it)) else { return };
        let bytes = workspace.read_cache(NAME);
        let known = bytes.and_then(|it| unseal(&seal_key, &it)).unwrap_or_default();
        let (used, n_bytes) = (Entries::new(), (MARK.len() + SEAL_BYTES) as u64);
        *self.lock() = Some(Opened { seal_key, known, used, n_bytes, has_new: false });
    }

    /// Stops collecting. Writes down what was collected if that is asked for and it is not what the file holds.
    pub(crate) fn close(&self, workspace: &Workspace, may_write: bool) {
        let Some(opened) = self.lock().take() else { return };
        let is_same = !opened.has_new && opened.used.len() == opened.known.len();
        if may_write && !is_same {
            // A cache that cannot be written is no reason to fail, or to say anything.
            let _ = workspace.write_cache(NAME, &seal(&opened.seal_key, &opened.used));
        }
    }

    /// Nobody panics while holding the lock, and if so, entries are whole.
    fn lock(&self) -> MutexGuard<'_, Option<Opened>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache for Store {
    fn get(&self, key: &CacheKey) -> Option<Arc<[u8]>> {
        let mut opened = self.lock();
        let opened = opened.as_mut()?;
        let bytes = Arc::clone(opened.known.get(key)?);
        opened.keep(*key, Arc::clone(&bytes));
        Some(bytes)
    }

    fn put(&self, key: CacheKey, bytes: Vec<u8>) {
        if let Some(opened) = self.lock().as_mut() {
            opened.has_new |= opened.keep(key, bytes.into());
        }
    }
}

impl Opened {
    /// Whether there is room for the entry.
    fn keep(&mut self, key: CacheKey, bytes: Arc<[u8]>) -> bool {
        let size = |bytes: &[u8]| (key.len() + size_of::<u32>() + bytes.len()) as u64;
        let n_freed = self.used.remove(&key).map_or(0, |it| size(&it));
        let n_bytes = self.n_bytes - n_freed;
        let n_with = n_bytes + size(&bytes);
        let has_room = n_with <= MAX_CACHE_BYTES;
        if has_room {
            self.used.insert(key, bytes);
        }
        self.n_bytes = if has_room { n_with } else { n_bytes };
        has_room
    }
}

/// The key of the seals that this program makes and believes.
fn seal_key(program: &Identity) -> [u8; 32] {
    let Identity { device, inode, size, modified, changed } = *program;
    let mut hasher = blake3::Hasher::new_derive_key("regreen check cache seal v1");
    for number in [device, inode, size] {
        hasher.update(&number.to_le_bytes());
    }
    for time in [modified, changed] {
        hasher.update(&time.to_le_bytes());
    }
    hasher.update(VERSION.as_bytes());
    *hasher.finalize().as_bytes()
}

fn seal(seal_key: &[u8; 32], entries: &Entries) -> Vec<u8> {
    let mut body = Vec::new();
    for (key, bytes) in entries {
        // An entry that is too long for its length is also too long for the file.
        let Ok(n_bytes) = u32::try_from(bytes.len()) else { continue };
        body.extend(key);
        body.extend(n_bytes.to_le_bytes());
        body.extend(&**bytes);
    }
    let seal = blake3::keyed_hash(seal_key, &body);
    [MARK.as_slice(), seal.as_bytes(), &body].concat()
}

/// The entries, if all of the file is what this program wrote.
fn unseal(seal_key: &[u8; 32], bytes: &[u8]) -> Option<Entries> {
    let bytes = bytes.strip_prefix(MARK)?;
    let (seal, mut rest) = bytes.split_first_chunk::<SEAL_BYTES>()?;
    if blake3::keyed_hash(seal_key, rest) != *seal {
        return None;
    }
    let mut entries = Entries::new();
    while !rest.is_empty() {
        let (key, after) = rest.split_first_chunk::<32>()?;
        let (n_bytes, after) = after.split_first_chunk::<4>()?;
        let n_bytes = usize::try_from(u32::from_le_bytes(*n_bytes)).ok()?;
        let (bytes, after) = after.split_at_checked(n_bytes)?;
        entries.insert(*key, bytes.into());
        rest = after;
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];

    fn entries() -> Entries {
        let bytes = |n: u8| -> Arc<[u8]> { (0..n).collect::<Vec<_>>().into() };
        (0..5).map(|n| ([n; 32], bytes(n * 3))).collect()
    }

    #[test]
    fn what_was_sealed_is_read_back() {
        assert_eq!(unseal(&KEY, &seal(&KEY, &entries())), Some(entries()));
        assert_eq!(unseal(&KEY, &seal(&KEY, &Entries::new())), Some(Entries::new()));
    }

    #[test]
    fn a_changed_byte_a_missing_end_or_another_program_is_an_empty_cache() {
        let sealed = seal(&KEY, &entries());
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(unseal(&KEY, &changed), None, "byte {at}");
            assert_eq!(unseal(&KEY, &sealed[..at]), None, "cut at {at}");
        }
        assert_eq!(unseal(&KEY, &[sealed.as_slice(), b"x"].concat()), None);
        let program = |changed| seal_key(&Identity { changed, ..Identity::default() });
        assert_eq!(unseal(&program(1), &seal(&program(2), &entries())), None);
    }

    /// Entries of the wrong shape under a right seal are a fault of ours, and still no panic.
    #[test]
    fn a_body_that_is_no_list_of_entries_is_an_empty_cache() {
        for n in 1..60 {
            let body = vec![255; n];
            let seal = blake3::keyed_hash(&KEY, &body);
            assert_eq!(unseal(&KEY, &[MARK.as_slice(), seal.as_bytes(), &body].concat()), None);
        }
    }

    #[test]
    fn a_closed_store_has_and_takes_nothing() {
        let store = Store::default();
        store.put([1; 32], vec![1]);
        assert_eq!(store.get(&[1; 32]), None);
        assert!(store.lock().is_none());
    }

    #[test]
    fn what_has_no_room_is_not_kept() {
        let mut opened = Opened {
            seal_key: KEY,
            known: Entries::new(),
            used: Entries::new(),
            n_bytes: MAX_CACHE_BYTES - 40,
            has_new: false,
        };
        assert!(!opened.keep([1; 32], vec![0; 5].into()));
        assert!(opened.keep([1; 32], vec![0; 4].into()));
        assert!(opened.keep([1; 32], vec![0; 4].into()), "it takes its own place");
        assert!(!opened.keep([2; 32], vec![].into()));
        assert_eq!(opened.used.len(), 1);
    }
}
