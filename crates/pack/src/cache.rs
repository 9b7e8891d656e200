//! What was found out about single files, kept from one process to the next.
//!
//! All checks of this crate keep what they find by [`FileCache`]. An answer depends on the limits of parsing, the bytes and
//! what the check adds (the path, the pack, how strictly a name is read), and the key is made of all of them, so that an
//! answer that is found again is the answer that would be given. Only answers that have nothing to say are kept.

mod code;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use check::{Cache, CacheKey, CacheKeys};
use document::Limits;
use edit::{ContentHash, Text};
use snapshot::{Entry, RelPath};

use crate::pack::Pack;
use crate::tree::FileAnalysis;

/// The cache of one check within one run.
pub(crate) struct FileCache<'a> {
    store: Option<&'a dyn Cache>,
    keys: CacheKeys,
    /// What becomes known, until it is written.
    added: Mutex<Vec<(CacheKey, Vec<u8>)>>,
}

impl<'a> FileCache<'a> {
    /// A cache of answers for one usage, which are given within these limits.
    pub(crate) fn new(
        store: Option<&'a dyn Cache>,
        usage: &str,
        fingerprint: Option<&[u8; 32]>,
        limits: &Limits,
    ) -> FileCache<'a> {
        let Limits { max_bytes, max_depth, max_expanded_nodes } = *limits;
        let limits = [max_bytes, max_depth, max_expanded_nodes].map(|it| (it as u64).to_le_bytes());
        let parts = limits.iter().map(<[u8; 8]>::as_slice);
        let parts = parts.chain(fingerprint.map(<[u8; 32]>::as_slice));
        FileCache { store, keys: CacheKeys::new(usage, parts), added: Mutex::default() }
    }

    /// The key of a text and of what else the answer depends on; `None` if nothing is kept.
    pub(crate) fn key(&self, text: ContentHash, detail: &[u8]) -> Option<CacheKey> {
        self.store.map(|_| self.keys.of(text, detail))
    }

    /// What an earlier process kept.
    pub(crate) fn get(&self, key: &CacheKey) -> Option<Arc<[u8]>> {
        self.store?.get(key)
    }

    /// Writes an answer at once.
    pub(crate) fn put(&self, key: CacheKey, bytes: Vec<u8>) {
        if let Some(store) = self.store {
            store.put(key, bytes);
        }
    }

    /// Holds an answer back until [`FileCache::write`].
    pub(crate) fn add(&self, key: CacheKey, bytes: Vec<u8>) {
        self.added.lock().unwrap_or_else(PoisonError::into_inner).push((key, bytes));
    }

    /// Writes what was added, if there are at least so many answers.
    pub(crate) fn write(&self, least: usize) {
        let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        if added.len() >= least {
            added.drain(..).for_each(|(key, bytes)| self.put(key, bytes));
        }
    }
}

/// The file that is looked at.
pub(crate) struct CachedFile<'a> {
    pub(crate) pack: &'a Pack,
    pub(crate) cache: &'a FileCache<'a>,
    pub(crate) path: &'a RelPath,
    pub(crate) entry: &'a Entry,
    /// The kinds that the path may be of.
    pub(crate) kinds: &'a [usize],
    /// Whether it is kept that the file is of no kind. To find that out again for a few files costs less than a file of
    /// the cache.
    pub(crate) keeps_strangers: bool,
}

/// To look at fewer files again costs less than to keep what they are.
pub(crate) const WORTH_KEEPING: usize = 64;

impl CachedFile<'_> {
    /// What an earlier look said: `Some(None)` is a file of no kind, `None` a file that nothing is known of.
    pub(crate) fn known(&self) -> Option<Option<FileAnalysis>> {
        let known = self.cache.get(&self.key()?)?;
        code::decode(self.pack, self.kinds, &known)
    }

    /// Keeps what a look said.
    pub(crate) fn keep(&self, found: Option<&FileAnalysis>) {
        let Some(key) = self.key() else { return };
        let is_kept = found.is_some() || self.keeps_strangers;
        if let Some(bytes) = code::encode(found).filter(|_| is_kept) {
            self.cache.put(key, bytes);
        }
    }

    /// `None` for what is not a file that was read.
    fn key(&self) -> Option<CacheKey> {
        let Entry::File(file) = self.entry else { return None };
        self.cache.key(file.hash(), self.path.as_str().as_bytes())
    }
}

/// The answers of a pack within these limits.
pub(crate) fn of_pack<'a>(
    store: Option<&'a dyn Cache>,
    pack: &Pack,
    limits: &Limits,
) -> FileCache<'a> {
    FileCache::new(store, "regreen pack look v4", Some(pack.fingerprint()), limits)
}

/// Stands for all files of a pack.
pub(crate) fn fingerprint(files: &BTreeMap<String, Text>) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("regreen pack fingerprint v1");
    for (path, text) in files {
        hasher.update(&(path.len() as u64).to_le_bytes());
        hasher.update(path.as_bytes());
        hasher.update(text.hash().as_bytes());
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests;
