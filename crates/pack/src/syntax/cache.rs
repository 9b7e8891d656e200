//! Files in which nothing was found, kept from one process to the next.
//!
//! What there is to say of a file depends on its bytes, the limits of parsing, its format and how strictly its name says
//! it is read; only that there is nothing to say is kept.

use check::Cache;
use document::{Format, Limits};
use snapshot::{File, RelPath};

use super::SyntaxReport;
use super::names::{self, JsonDialect};
use crate::cache::{FileCache, WORTH_KEEPING};

const SILENT: &[u8] = &[1];

/// The files that are known to be clean.
pub(super) struct CleanFiles<'a>(FileCache<'a>);

impl<'a> CleanFiles<'a> {
    pub(super) fn new(cache: Option<&'a dyn Cache>, limits: &Limits) -> CleanFiles<'a> {
        CleanFiles(FileCache::new(cache, "regreen syntax look v2", None, limits))
    }

    /// What a look says of a file, which is not made if it is known to say nothing.
    pub(super) fn look(
        &self,
        path: &RelPath,
        file: &File,
        look: impl FnOnce() -> Option<SyntaxReport>,
    ) -> Option<SyntaxReport> {
        let reading = reading(path.as_str());
        let Some(key) = reading.and_then(|it| self.0.key(file.hash(), &it)) else { return look() };
        if self.0.get(&key).as_deref() == Some(SILENT) {
            return None;
        }
        let looked = look();
        if looked.is_none() {
            self.0.add(key, SILENT.to_vec());
        }
        looked
    }

    /// Writes what was found out.
    pub(super) fn write(&self) {
        self.0.write(WORTH_KEEPING);
    }
}

/// What the name of a file says about how it is read.
fn reading(path: &str) -> Option<[u8; 3]> {
    let is_extended = JsonDialect::of(path) == JsonDialect::Extended;
    Some([
        Format::of_path(path)? as u8,
        u8::from(is_extended),
        u8::from(names::may_repeat_keys(path)),
    ])
}
