//! Which files a provider looked at, and why it did not look at the others: what a finding cannot say.
//!
//! A file that is not in the list is no business of the provider. That nothing was found in a file means something only
//! if the file was looked at completely.

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
    /// It holds several YAML documents, and only the first one was looked at.
    SeveralDocuments,
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
        Unchecked::SeveralDocuments,
        Unchecked::DuplicateKey,
        Unchecked::UndecidedRule,
        Unchecked::Blocked,
    ];
}

/// The files that a provider is about, each with what kept it from being looked at completely.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    files: BTreeMap<RelPath, BTreeSet<Unchecked>>,
    /// Those that were only parsed.
    parsed: BTreeSet<RelPath>,
}

impl Coverage {
    /// The file was looked at, completely unless a reason is added.
    pub fn add(&mut self, path: &RelPath) {
        if !self.files.contains_key(path) {
            self.files.insert(path.clone(), BTreeSet::new());
        }
    }

    /// The file was parsed, and that is all. It is a complete look unless somebody who knows more of the file says
    /// otherwise.
    pub fn add_parsed(&mut self, path: &RelPath) {
        if !self.files.contains_key(path) {
            self.add(path);
            self.parsed.insert(path.clone());
        }
    }

    /// The file was not looked at completely.
    pub fn add_unchecked(&mut self, path: &RelPath, why: Unchecked) {
        self.parsed.remove(path);
        self.files.entry(path.clone()).or_default().insert(why);
    }

    /// Whether the file was parsed and nobody knows more of it.
    pub fn is_only_parsed(&self, path: &RelPath) -> bool {
        self.parsed.contains(path)
    }

    /// The files in order, each with the reasons; no reason is a complete look.
    pub fn iter(&self) -> impl Iterator<Item = (&RelPath, &BTreeSet<Unchecked>)> {
        self.files.iter()
    }

    /// Takes in what another provider looked at. One complete look is enough for a file, if it is more than a parse.
    pub fn merge(&mut self, other: Coverage) {
        for (path, reasons) in other.files {
            let is_only_parsed = other.parsed.contains(&path);
            match self.files.get_mut(&path) {
                None => {
                    if is_only_parsed {
                        self.parsed.insert(path.clone());
                    }
                    self.files.insert(path, reasons);
                }
                Some(_) if is_only_parsed => {}
                Some(known) if self.parsed.remove(&path) => *known = reasons,
                Some(known) if known.is_empty() || reasons.is_empty() => known.clear(),
                Some(known) => known.extend(reasons),
            }
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
            all.files[&path].iter().copied().collect::<Vec<_>>()
        };
        let remote = || partial(Unchecked::RemoteSchema);
        assert_eq!(merged([complete(), remote()]), []);
        assert_eq!(merged([remote(), complete()]), []);
        let both = [Unchecked::RemoteSchema, Unchecked::SeveralDocuments];
        assert_eq!(merged([remote(), partial(Unchecked::SeveralDocuments)]), both);
        assert_eq!(merged([partial(Unchecked::SeveralDocuments), remote()]), both);
    }

    #[test]
    fn who_only_parsed_a_file_does_not_outweigh_who_knows_more() {
        let path = RelPath::parse("a.yaml").unwrap();
        let parsed = || {
            let mut coverage = Coverage::default();
            coverage.add_parsed(&path);
            coverage
        };
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
        assert_eq!(other.files[&path].len(), 2);
    }

    #[test]
    fn the_list_of_reasons_is_complete_and_in_order() {
        assert!(Unchecked::ALL.is_sorted());
        assert_eq!(Unchecked::ALL.last().map(|it| *it as usize), Some(Unchecked::ALL.len() - 1));
    }
}
