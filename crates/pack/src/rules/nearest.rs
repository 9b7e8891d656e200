//! The one name that another was meant to be, among many.
//!
//! A few names are compared one by one. Many are indexed by their *deletion neighbourhood* (Mor and Fraenkel 1982; known
//! from SymSpell): every name is filed under what is left of it without one of its characters, and two names that are one
//! slip apart always share such a remainder. `port` and `prot` share `prt` and `pot`.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use crate::typo::{self, Nearness};

/// Up to so many comparisons, looking at every pair is cheaper than an index.
const MAX_PAIRS: usize = 200_000;

/// Longer texts are not names.
const MAX_LENGTH: usize = 256;

/// Finds near names among others. A name that is there twice counts once.
pub(super) struct Names<'a> {
    names: Vec<&'a str>,
    by_remainder: HashMap<u64, Vec<&'a str>>,
}

impl<'a> Names<'a> {
    /// Takes the names. `n_asked` is how many questions are to come.
    pub(super) fn new(names: impl Iterator<Item = &'a str>, n_asked: usize) -> Names<'a> {
        let mut names: Vec<&str> = names.filter(|it| it.len() <= MAX_LENGTH).collect();
        let mut by_remainder: HashMap<u64, Vec<&str>> = HashMap::new();
        if names.len().saturating_mul(n_asked) > MAX_PAIRS {
            names.sort_unstable();
            names.dedup();
            for name in &names {
                for remainder in remainders(name) {
                    by_remainder.entry(remainder).or_default().push(name);
                }
            }
        }
        Names { names, by_remainder }
    }

    /// The one name that `text` was meant to be.
    pub(super) fn nearest(&self, text: &str) -> Option<(&'a str, Nearness)> {
        if self.by_remainder.is_empty() {
            return typo::nearest(text, self.names.iter().copied());
        }
        if text.len() > MAX_LENGTH {
            return None;
        }
        let mut candidates: Vec<&str> = remainders(text)
            .into_iter()
            .filter_map(|it| self.by_remainder.get(&it))
            .flatten()
            .copied()
            .collect();
        candidates.sort_unstable();
        candidates.dedup();
        typo::nearest(text, candidates)
    }
}

/// Hashes of the text without each of its characters, of the text itself, and of its folded form.
fn remainders(text: &str) -> Vec<u64> {
    let without = text
        .char_indices()
        .map(|(at, character)| hash(&text[..at], &text[at + character.len_utf8()..]));
    without.chain([hash(text, ""), !hash(&typo::fold(text), "")]).collect()
}

/// A hash of two texts that are read as one.
fn hash(before: &str, after: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    before.bytes().chain(after.bytes()).for_each(|it| it.hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            rng_seed: proptest::test_runner::RngSeed::Fixed(1),
            ..ProptestConfig::default()
        })]
        /// The index and the comparison of all pairs agree.
        #[test]
        fn the_index_finds_what_comparing_finds(
            names in proptest::collection::btree_set("[abA_ü]{1,6}", 0..12),
            text in "[abA_ü]{1,6}",
        ) {
            let few = Names::new(names.iter().map(String::as_str), 0);
            let many = Names::new(names.iter().map(String::as_str), usize::MAX);
            prop_assert_eq!(few.nearest(&text), many.nearest(&text));
        }
    }
}
