//! What was found out about single files, kept from one process to the next.
//!
//! Only looks that have nothing to say are kept: a file of no kind, or one of a kind with nothing wrong in it and its
//! facts. A look depends on the pack, the limits of parsing, the path and the bytes, and the key is made of all of them,
//! so that a look that is found again is the look that would be made.

mod code;

use std::collections::BTreeMap;

use check::{Cache, CacheKey};
use document::Limits;
use edit::Text;
use snapshot::{Entry, RelPath};

use crate::pack::Pack;
use crate::tree::FileLook;

/// The file that is looked at.
pub(crate) struct Subject<'a> {
    pub(crate) pack: &'a Pack,
    pub(crate) limits: &'a Limits,
    pub(crate) path: &'a RelPath,
    pub(crate) entry: &'a Entry,
    /// The kinds that the path may be of.
    pub(crate) kinds: &'a [usize],
}

impl Subject<'_> {
    /// What an earlier look said, else what this one says. `None` is a file of no kind.
    pub(crate) fn look(
        &self,
        cache: Option<&dyn Cache>,
        look: impl FnOnce() -> Option<FileLook>,
    ) -> Option<FileLook> {
        let (Some(cache), Some(key)) = (cache, self.key()) else { return look() };
        let known = cache.get(&key);
        if let Some(known) = known.and_then(|it| code::decode(self.pack, self.kinds, &it)) {
            return known;
        }
        let found = look();
        if let Some(bytes) = code::encode(found.as_ref()) {
            cache.put(key, bytes);
        }
        found
    }

    /// `None` for what is not a file that was read.
    fn key(&self) -> Option<CacheKey> {
        let Entry::File(file) = self.entry else { return None };
        let Limits { max_bytes, max_depth, max_expanded_nodes } = *self.limits;
        let mut hasher = blake3::Hasher::new_derive_key("regreen pack look v2");
        hasher.update(self.pack.fingerprint());
        for limit in [max_bytes, max_depth, max_expanded_nodes] {
            hasher.update(&(limit as u64).to_le_bytes());
        }
        hasher.update(file.hash().as_bytes());
        // Last, as it is the only part without a length of its own.
        hasher.update(self.path.as_str().as_bytes());
        Some(*hasher.finalize().as_bytes())
    }
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
