//! Which files a provider looked at, and why it did not look at the others: what a finding cannot say.
//!
//! A file that is not in the list is not the business of the provider. That nothing was found in a file means something only
//! if the file was looked at completely.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use snapshot::RelPath;

/// Why a file was not looked at completely, although it is there and may be read. A closed list: its names are part of
/// the reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unchecked {
    /// It is a template: it does not parse, and what is made of it may.
    Template,
    /// It does not parse, so that nothing but its syntax was looked at.
    SyntaxError,
    /// It is larger than what is read.
    TooLarge,
    /// It is nested too deeply, has too many values, or its schema takes too many steps.
    TooComplex,
    /// It is not a regular file: a pipe, a socket, a device.
    NotAFile,
    /// It is a link, and links are not followed.
    Link,
    /// Its schema, or a part of it, is remote, and nothing is fetched.
    RemoteSchema,
    /// Its schema is not there, is invalid or is written in a draft that is not supported.
    UnusableSchema,
    /// Its schema is locked, and its bytes are not on this machine.
    AbsentSchema,
    /// A map has a key twice, and only the last value was looked at.
    DuplicateKey,
    /// A rule could not be decided for it.
    UndecidedRule,
    /// Another file that it depends on could not be looked at.
    Blocked,
}

impl Unchecked {
    /// All of them, in order.
    pub const ALL: [Unchecked; 12] = [
        Unchecked::Template,
        Unchecked::SyntaxError,
        Unchecked::TooLarge,
        Unchecked::TooComplex,
        Unchecked::NotAFile,
        Unchecked::Link,
        Unchecked::RemoteSchema,
        Unchecked::UnusableSchema,
        Unchecked::AbsentSchema,
        Unchecked::DuplicateKey,
        Unchecked::UndecidedRule,
        Unchecked::Blocked,
    ];
}

/// The files that a provider is about, each with what kept it from being looked at completely.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    files: BTreeMap<RelPath, Extent>,
}

/// How far one file was looked at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Extent {
    /// Whether it was parsed and nobody knows more of it.
    is_only_parsed: bool,
    reasons: BTreeSet<Unchecked>,
}

impl Coverage {
    /// Files that were parsed, and that is all, in any order: each a complete look unless there is a reason why not.
    pub fn of_parsed(files: impl IntoIterator<Item = (RelPath, Option<Unchecked>)>) -> Coverage {
        let extent = |reason: Option<Unchecked>| Extent {
            is_only_parsed: reason.is_none(),
            reasons: reason.into_iter().collect(),
        };
        Coverage { files: files.into_iter().map(|(path, why)| (path, extent(why))).collect() }
    }

    /// Files that were looked at, completely unless a reason is added.
    pub fn of_files<'a>(files: impl IntoIterator<Item = &'a RelPath>) -> Coverage {
        Coverage { files: files.into_iter().map(|it| (it.clone(), Extent::default())).collect() }
    }

    /// The file was looked at, completely unless a reason is added.
    pub fn add(&mut self, path: &RelPath) {
        if !self.files.contains_key(path) {
            self.files.insert(path.clone(), Extent::default());
        }
    }

    /// The file was not looked at completely.
    pub fn add_unchecked(&mut self, path: &RelPath, why: Unchecked) {
        let extent = self.files.entry(path.clone()).or_default();
        extent.is_only_parsed = false;
        extent.reasons.insert(why);
    }

    /// The files in order, each with the reasons; no reason is a complete look.
    pub fn iter(&self) -> impl Iterator<Item = (&RelPath, &BTreeSet<Unchecked>)> {
        self.files.iter().map(|(path, it)| (path, &it.reasons))
    }

    /// The files that were parsed and that nobody knows more of, in order.
    pub fn only_parsed(&self) -> impl Iterator<Item = &RelPath> {
        self.files.iter().filter(|it| it.1.is_only_parsed).map(|it| it.0)
    }

    /// Takes in what another provider looked at. One complete look is enough for a file, if it is more than a parse.
    pub fn merge(&mut self, mut other: Coverage) {
        // It is the same in both directions, and the shorter list is the shorter way.
        if self.files.len() < other.files.len() {
            std::mem::swap(self, &mut other);
        }
        if other.files.len() < self.files.len() / 16 {
            for (path, extent) in other.files {
                match self.files.entry(path) {
                    Entry::Vacant(entry) => drop(entry.insert(extent)),
                    Entry::Occupied(mut known) => known.get_mut().merge(extent),
                }
            }
            return;
        }
        // Both are in order: one pass, and a map is built of what is in order without a search.
        let mut files: Vec<(RelPath, Extent)> = Vec::with_capacity(self.files.len());
        let mut others = other.files.into_iter().peekable();
        for (path, mut extent) in std::mem::take(&mut self.files) {
            while let Some(it) = others.next_if(|it| it.0 < path) {
                files.push(it);
            }
            if let Some((_, other)) = others.next_if(|it| it.0 == path) {
                extent.merge(other);
            }
            files.push((path, extent));
        }
        files.extend(others);
        self.files = files.into_iter().collect();
    }
}

impl Extent {
    fn merge(&mut self, other: Extent) {
        if other.is_only_parsed {
            return;
        }
        if self.is_only_parsed {
            *self = other;
        } else if self.reasons.is_empty() || other.reasons.is_empty() {
            self.reasons.clear();
        } else {
            self.reasons.extend(other.reasons);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In any order of the providers.
    #[test]
    fn one_complete_look_is_enough_and_no_complete_look_keeps_all_reasons() {
        let path = RelPath::parse("a.yaml").unwrap();
        let complete = || {
            let mut coverage = Coverage::default();
            coverage.add(&path);
            coverage
        };
        let partial = |why| {
            let mut coverage = complete();
            coverage.add_unchecked(&path, why);
            coverage.add(&path);
            coverage
        };
        let merged = |parts: [Coverage; 2]| {
            let mut all = Coverage::default();
            parts.into_iter().for_each(|it| all.merge(it));
            all.files[&path].reasons.iter().copied().collect::<Vec<_>>()
        };
        let remote = || partial(Unchecked::RemoteSchema);
        assert_eq!(merged([complete(), remote()]), []);
        assert_eq!(merged([remote(), complete()]), []);
        let both = [Unchecked::RemoteSchema, Unchecked::UnusableSchema];
        assert_eq!(merged([remote(), partial(Unchecked::UnusableSchema)]), both);
        assert_eq!(merged([partial(Unchecked::UnusableSchema), remote()]), both);
    }

    #[test]
    fn who_only_parsed_a_file_does_not_outweigh_who_knows_more() {
        let path = RelPath::parse("a.yaml").unwrap();
        let parsed = || Coverage::of_parsed([(path.clone(), None)]);
        let mut remote = Coverage::default();
        remote.add_unchecked(&path, Unchecked::RemoteSchema);
        let mut complete = Coverage::default();
        complete.add(&path);
        for other in [remote, complete, parsed()] {
            let mut before = parsed();
            before.merge(other.clone());
            assert_eq!(before, other);
            let mut after = other.clone();
            after.merge(parsed());
            assert_eq!(after, other);
        }
        let mut broken = parsed();
        broken.add_unchecked(&path, Unchecked::SyntaxError);
        let mut other = Coverage::default();
        other.add_unchecked(&path, Unchecked::Template);
        other.merge(broken);
        assert_eq!(other.files[&path].reasons.len(), 2);
    }

    #[test]
    fn the_list_of_reasons_is_complete_and_in_order() {
        assert!(Unchecked::ALL.is_sorted());
        assert_eq!(Unchecked::ALL.last().map(|it| *it as usize), Some(Unchecked::ALL.len() - 1));
    }
}
