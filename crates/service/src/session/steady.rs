//! A tree that holds still while it is looked at.
//!
//! Files are read when somebody asks for them, some of them more than once. What was first read of a file is what counts:
//! if it reads differently later, or cannot be read any more, nothing that was made of it can be used. Then everything is
//! done once more, and the files that moved are read first.

use std::collections::BTreeSet;
use std::sync::Arc;

use snapshot::RelPath;
use workspace::Reader;

use crate::failure::Failure;

/// One try to look at a tree.
#[derive(Default)]
pub(crate) struct ScanAttempt {
    /// The files that did not hold still in the first try.
    suspects: BTreeSet<RelPath>,
    is_second: bool,
    readers: Vec<Arc<Reader>>,
}

impl ScanAttempt {
    /// The files that are to be read first.
    pub(crate) fn suspects(&self) -> &BTreeSet<RelPath> {
        &self.suspects
    }

    /// Notes who reads the files.
    pub(crate) fn watch(&mut self, reader: &Arc<Reader>) {
        self.readers.push(Arc::clone(reader));
    }

    /// A file that did not hold still so far.
    pub(crate) fn moved(&self) -> Option<RelPath> {
        self.readers.iter().find_map(|it| it.moved().into_keys().next())
    }

    /// The next try, because a file moved or something else asks for one; an error if this was the last.
    pub(crate) fn again(&self, path: &str) -> Result<ScanAttempt, Failure> {
        if self.is_second {
            return Err(Failure::KeepsChanging { path: path.to_owned() });
        }
        let suspects = self.readers.iter().flat_map(|it| it.moved().into_keys()).collect();
        Ok(ScanAttempt { suspects, is_second: true, readers: Vec::new() })
    }
}

/// Does the work; once more if a file did not hold still meanwhile. Whatever came of it then, an error too, may be the
/// work of what was read.
pub(crate) fn steadily<T>(
    mut work: impl FnMut(&mut ScanAttempt) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut attempt = ScanAttempt::default();
    loop {
        let done = work(&mut attempt);
        match attempt.moved() {
            None => return done,
            Some(path) => attempt = attempt.again(path.as_str())?,
        }
    }
}
