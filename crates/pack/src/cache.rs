//! What was found out about single files, kept from one process to the next.
//!
//! Only looks that have nothing to say are kept: a file of no kind, or one of a kind with nothing wrong in it and its
//! occurrences. A look depends on the pack, the limits of parsing, the path and the bytes, and the key is made of all of them,
//! so that a look that is found again is the look that would be made.

mod code;

use std::collections::BTreeMap;

use check::{Cache, CacheKey, CacheKeys};
use document::Limits;
use edit::Text;
use snapshot::{Entry, RelPath};

use crate::pack::Pack;
use crate::tree::FileAnalysis;

/// The file that is looked at.
pub(crate) struct CachedFile<'a> {
    pub(crate) pack: &'a Pack,
    pub(crate) keys: &'a CacheKeys,
    pub(crate) path: &'a RelPath,
    pub(crate) entry: &'a Entry,
    /// The kinds that the path may be of.
    pub(crate) kinds: &'a [usize],
    /// Whether it is kept that the file is of no kind. To find that out again for a few files costs less than a file of
    /// the cache.
    pub(crate) keeps_strangers: bool,
}

/// Of at least so many files it is kept which are of no kind.
pub(crate) const WORTH_KEEPING: usize = 64;

impl CachedFile<'_> {
    /// What an earlier look said: `Some(None)` is a file of no kind, `None` a file that nothing is known of.
    pub(crate) fn known(&self, cache: Option<&dyn Cache>) -> Option<Option<FileAnalysis>> {
        let known = cache?.get(&self.key()?)?;
        code::decode(self.pack, self.kinds, &known)
    }

    /// Keeps what a look said.
    pub(crate) fn keep(&self, cache: Option<&dyn Cache>, found: Option<&FileAnalysis>) {
        let (Some(cache), Some(key)) = (cache, self.key()) else { return };
        let is_kept = found.is_some() || self.keeps_strangers;
        if let Some(bytes) = code::encode(found).filter(|_| is_kept) {
            cache.put(key, bytes);
        }
    }

    /// `None` for what is not a file that was read.
    fn key(&self) -> Option<CacheKey> {
        let Entry::File(file) = self.entry else { return None };
        Some(self.keys.of(file.hash(), self.path.as_str().as_bytes()))
    }
}

/// The keys of looks that a pack takes within these limits.
pub(crate) fn keys(pack: &Pack, limits: &Limits) -> CacheKeys {
    keys_of(Some(pack.fingerprint()), "regreen pack look v4", limits)
}

/// The keys of looks of one kind that are taken within these limits.
pub(crate) fn keys_within(usage: &str, limits: &Limits) -> CacheKeys {
    keys_of(None, usage, limits)
}

fn keys_of(fingerprint: Option<&[u8; 32]>, usage: &str, limits: &Limits) -> CacheKeys {
    let Limits { max_bytes, max_depth, max_expanded_nodes } = *limits;
    let limits = [max_bytes, max_depth, max_expanded_nodes].map(|it| (it as u64).to_le_bytes());
    let parts = limits.iter().map(<[u8; 8]>::as_slice);
    CacheKeys::new(usage, parts.chain(fingerprint.map(<[u8; 32]>::as_slice)))
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
