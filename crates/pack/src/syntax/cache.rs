//! Files in which nothing was found, kept from one process to the next.
//!
//! What there is to say of a file depends on its bytes, the limits of parsing, its format and how strictly its name says
//! it is read; only that there is nothing to say is kept.

use std::sync::{Mutex, PoisonError};

use check::{Cache, CacheKey, CacheKeys};
use document::{Format, Limits};
use snapshot::{File, RelPath};

use super::SyntaxReport;
use super::names::{self, JsonDialect};
use crate::cache::keys_within;

/// To parse fewer files than that costs less than to keep what they are.
const WORTH_KEEPING: usize = 64;

const SILENT: &[u8] = &[1];

/// What is known of single files, and what becomes known of them.
pub(super) struct CleanFiles<'a> {
    cache: Option<&'a dyn Cache>,
    keys: CacheKeys,
    found: Mutex<Vec<CacheKey>>,
}

impl<'a> CleanFiles<'a> {
    pub(super) fn new(cache: Option<&'a dyn Cache>, limits: &Limits) -> CleanFiles<'a> {
        let keys = keys_within("regreen syntax look v2", limits);
        CleanFiles { cache, keys, found: Mutex::default() }
    }

    /// What a look says of a file, which is not made if it is known to say nothing.
    pub(super) fn look(
        &self,
        path: &RelPath,
        file: &File,
        look: impl FnOnce() -> Option<SyntaxReport>,
    ) -> Option<SyntaxReport> {
        let (Some(cache), Some(key)) = (self.cache, self.key(path, file)) else { return look() };
        if cache.get(&key).as_deref() == Some(SILENT) {
            return None;
        }
        let looked = look();
        if looked.is_none() {
            self.found.lock().unwrap_or_else(PoisonError::into_inner).push(key);
        }
        looked
    }

    /// Puts what was found out into the cache.
    pub(super) fn keep(self) {
        let found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(cache) = self.cache.filter(|_| found.len() >= WORTH_KEEPING) {
            found.into_iter().for_each(|key| cache.put(key, SILENT.to_vec()));
        }
    }

    fn key(&self, path: &RelPath, file: &File) -> Option<CacheKey> {
        let format = Format::of_path(path.as_str())?;
        let is_extended = JsonDialect::of(path.as_str()) == JsonDialect::Extended;
        let may_repeat = names::may_repeat_keys(path.as_str());
        let reading = [format as u8, u8::from(is_extended), u8::from(may_repeat)];
        Some(self.keys.of(file.hash(), &reading))
    }
}
