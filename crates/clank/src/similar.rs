//! Names that were probably meant (row 25).
//!
//! How far a name may be from what was written grows with its length, so that short names do not match everything. What
//! fits (the right type, the right number of parameters) comes first; whether a candidate fits, and whether one that
//! does not is worth naming at all, is for the caller to say.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use clank_syntax::ast::Name;
use spelling::{Rows, distance_within};

/// How many names are suggested.
const MAX_SUGGESTIONS: usize = 3;

/// How far away the longest names may be.
const MAX_LIMIT: usize = 3;

/// A slip changes at most four bytes, and one between ASCII characters at most one.
const BYTES_PER_SLIP: usize = 4;

/// The names among `candidates` that are near `name`, the best first, at most three. A candidate says whether it fits
/// the place: those that do come first, then the nearer ones, then those with more of the start in common, then by
/// name. The name itself is never among them.
pub fn similar<'a>(name: &str, candidates: impl Iterator<Item = (&'a str, bool)>) -> Vec<Name> {
    let wanted = MisspeltName::new(name);
    let mut rows = Rows::default();
    let mut best: Vec<(Rank, &'a str)> = Vec::with_capacity(MAX_SUGGESTIONS + 1);
    for (candidate, fits) in candidates {
        let worst = best.get(MAX_SUGGESTIONS - 1).map(|it| it.0);
        // What is farther away than the last one that is kept is not worth a closer look.
        let limit = match worst {
            Some((true, ..)) if fits => wanted.limit,
            Some((false, ..)) if !fits => continue,
            Some((_, distance, _)) => distance,
            None => wanted.limit,
        };
        let Some(distance) = wanted.distance(candidate, limit, &mut rows) else { continue };
        let common = common_prefix(name, candidate);
        let found = ((!fits, distance, Reverse(common)), candidate);
        if let Some(known) = best.iter().position(|it| it.1 == candidate) {
            if best[known] <= found {
                continue;
            }
            best.remove(known);
        }
        let place = best.partition_point(|it| *it < found);
        best.insert(place, found);
        best.truncate(MAX_SUGGESTIONS);
    }
    best.into_iter().map(|it| Name::new(it.1)).collect()
}

/// How many slips `candidate` is away from what was written, if it may have been meant.
pub fn distance(written: &str, candidate: &str) -> Option<usize> {
    let wanted = MisspeltName::new(written);
    wanted.distance(candidate, wanted.limit, &mut Rows::default())
}

/// Less is better: whether it does not fit, the distance, the length of the common start.
type Rank = (bool, usize, Reverse<usize>);

/// A name that was written, prepared for many comparisons.
pub struct MisspeltName<'n> {
    name: &'n str,
    is_ascii: bool,
    letters: u64,
    /// How far away a name may be.
    limit: usize,
}

impl<'n> MisspeltName<'n> {
    /// Prepares a name.
    pub fn new(name: &'n str) -> MisspeltName<'n> {
        let limit = match name.chars().count() {
            0..=3 => 1,
            4..=6 => 2,
            _ => MAX_LIMIT,
        };
        MisspeltName { name, is_ascii: name.is_ascii(), letters: letters(name), limit }
    }

    /// The name itself.
    pub(crate) fn name(&self) -> &'n str {
        self.name
    }

    /// Whether it may have been written for the candidate.
    pub(crate) fn is_near(&self, candidate: &str, rows: &mut Rows) -> bool {
        self.slips(candidate, rows).is_some()
    }

    /// How many slips the candidate is away, if it may have been meant.
    pub fn slips(&self, candidate: &str, rows: &mut Rows) -> Option<usize> {
        self.distance(candidate, self.limit, rows)
    }

    /// How many slips `candidate` is away: characters added, left out or replaced, neighbours swapped. `None` if they
    /// are more than `limit`, if nothing is left in common, or if it is the name itself. A difference in case alone is
    /// one slip.
    fn distance(&self, candidate: &str, limit: usize, rows: &mut Rows) -> Option<usize> {
        if candidate.len().abs_diff(self.name.len()) > BYTES_PER_SLIP * limit {
            return None;
        }
        let is_ascii = self.is_ascii && candidate.is_ascii();
        if is_equal_but_for_case(self.name, candidate, is_ascii) {
            return (candidate != self.name).then_some(1);
        }
        if is_ascii && candidate.len().abs_diff(self.name.len()) > limit {
            return None;
        }
        if !is_within_slips(letters(candidate), self.letters, limit) {
            return None;
        }
        let (distance, length) = if is_ascii {
            let (name, candidate) = (self.name.as_bytes(), candidate.as_bytes());
            let distance = distance_within(name, candidate, limit, rows)?;
            (distance, name.len().max(candidate.len()))
        } else {
            let name: Vec<char> = self.name.chars().collect();
            let candidate: Vec<char> = candidate.chars().collect();
            let distance = distance_within(&name, &candidate, limit, rows)?;
            (distance, name.len().max(candidate.len()))
        };
        (distance < length).then_some(distance)
    }
}

/// Things by the lengths of their names: those that may be near a name are found without a closer look at the others.
#[derive(Clone, Debug)]
pub(crate) struct ByLength<T> {
    /// Those with names of ASCII characters, by number of bytes, in the order in which they came.
    ascii: BTreeMap<usize, SameLength<T>>,
    others: BTreeMap<usize, SameLength<T>>,
}

/// Things whose names are equally long, and beside each the letters of its name in either case, so that a search runs over
/// numbers.
#[derive(Clone, Debug)]
struct SameLength<T> {
    letters: Vec<u64>,
    things: Vec<T>,
}

impl<T> Default for ByLength<T> {
    fn default() -> ByLength<T> {
        ByLength { ascii: BTreeMap::new(), others: BTreeMap::new() }
    }
}

impl<T> Default for SameLength<T> {
    fn default() -> SameLength<T> {
        SameLength { letters: Vec::new(), things: Vec::new() }
    }
}

impl<T> ByLength<T> {
    fn same_length(&mut self, name: &str) -> &mut SameLength<T> {
        let all = if name.is_ascii() { &mut self.ascii } else { &mut self.others };
        all.entry(name.len()).or_default()
    }

    /// Adds a thing with that name.
    pub(crate) fn push(&mut self, name: &str, thing: T) {
        let same_length = self.same_length(name);
        same_length.letters.push(letters_in_either_case(name));
        same_length.things.push(thing);
    }

    /// Takes away the thing with that name, which must be the last one that came of all that are left.
    pub(crate) fn pop(&mut self, name: &str) {
        let same_length = self.same_length(name);
        same_length.letters.pop();
        same_length.things.pop();
    }

    /// All that may be near a name: of those that are left out, none is near it, nor it near any of them.
    pub(crate) fn around(&self, name: &str) -> impl Iterator<Item = &T> {
        let within = |n_bytes: usize| {
            name.len().saturating_sub(n_bytes)..=name.len().saturating_add(n_bytes)
        };
        let far = BYTES_PER_SLIP * MAX_LIMIT;
        let ascii = self.ascii.range(within(if name.is_ascii() { MAX_LIMIT } else { far }));
        // Other characters than those of ASCII may have a lower case in it.
        let wanted = name.is_ascii().then(|| letters_in_either_case(name));
        let is_near =
            move |it: u64| wanted.is_none_or(|wanted| is_within_slips(it, wanted, MAX_LIMIT));
        let ascii = ascii.flat_map(move |(_, it)| {
            let near = it.letters.iter().zip(&it.things).filter(move |at| is_near(*at.0));
            near.map(|at| at.1)
        });
        ascii.chain(self.others.range(within(far)).flat_map(|it| &it.1.things))
    }
}

/// Whether names with these letters can be so few slips apart. A slip takes away at most one letter and adds at most one.
fn is_within_slips(letters: u64, others: u64, n_slips: usize) -> bool {
    (letters ^ others).count_ones() as usize <= 2 * n_slips
}

fn is_equal_but_for_case(name: &str, candidate: &str, is_ascii: bool) -> bool {
    if is_ascii {
        return name.eq_ignore_ascii_case(candidate);
    }
    let lower = |it: char| it.to_lowercase();
    candidate.chars().flat_map(lower).eq(name.chars().flat_map(lower))
}

fn common_prefix(name: &str, candidate: &str) -> usize {
    name.chars().zip(candidate.chars()).take_while(|it| it.0 == it.1).count()
}

/// The characters that a name has, as a set of 64: different names may share one, equal ones always do.
fn letters(name: &str) -> u64 {
    name.bytes().filter(u8::is_ascii).fold(0, |acc, it| acc | 1 << (it & 63))
}

/// The letters of a name, those that differ only in case as one.
fn letters_in_either_case(name: &str) -> u64 {
    const LOWER: u8 = 0x20;
    name.bytes().fold(0, |acc, it| acc | 1 << ((it | LOWER) & 63))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    #[track_caller]
    fn check(name: &str, candidates: &[&str], expected: &[&str]) {
        let candidates = candidates.iter().map(|it| match it.strip_suffix('!') {
            Some(fitting) => (fitting, true),
            None => (*it, false),
        });
        assert_eq!(similar(name, candidates), expected);
    }

    #[test]
    fn row_25_the_limit_grows_with_the_length() {
        check("hh", &["h", "width", "Ok", "hhh"], &["hhh", "h"]);
        check("gg", &["Ok", "f", "len"], &[]);
        check("cout", &["count", "cat", "const"], &["count", "const", "cat"]);
        check("abc", &["abd", "ade"], &["abd"]);
        check("abcdefg", &["abcxyz0", "abcdxyz", "abcwxyz"], &["abcdxyz"]);
    }

    #[test]
    fn row_25_what_fits_comes_first_then_distance_then_the_start_then_the_name() {
        check("total", &["totals", "tota!", "xotal"], &["tota", "totals", "xotal"]);
        check("value", &["valve", "values", "xalue", "balue"], &["values", "valve", "balue"]);
    }

    #[test]
    fn swapped_neighbours_are_one_slip_and_case_alone_is_one() {
        check("wdith", &["width"], &["width"]);
        check("ab", &["ba", "bb"], &["ba", "bb"]);
        check("RED", &["red", "Red"], &["Red", "red"]);
        check("x", &["X", "y", "xy"], &["xy", "X"]);
    }

    #[test]
    fn the_name_itself_and_repetitions_are_left_out() {
        check("len", &["len", "lem", "lem!", "lem"], &["lem"]);
        check("", &["a", ""], &[]);
    }

    #[test]
    fn names_that_are_far_away_are_never_compared_letter_by_letter() {
        let names: Vec<String> = (0..50_000).map(|it| format!("compute_{it}")).collect();
        let candidates = || names.iter().map(|it| (it.as_str(), false));
        // The bound is on work: what is too long or has other letters never reaches the table.
        let wanted = MisspeltName::new("parse_header_line");
        assert!(candidates().all(|it| wanted.distance(it.0, 3, &mut Rows::default()).is_none()));
        assert_eq!(similar("compute_4999x", candidates())[0], "compute_4999");
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 500,
            rng_seed: RngSeed::Fixed(25),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn nothing_near_is_left_out_by_length(
            name in "[aAbé]{0,9}", others in proptest::collection::vec("[aAbéİ]{0,14}", 0..20),
        ) {
            let mut by_length = ByLength::default();
            others.iter().for_each(|it| by_length.push(it, it.as_str()));
            let found: Vec<&str> = by_length.around(&name).copied().collect();
            let mut rows = Rows::default();
            for other in others.iter().map(String::as_str).filter(|it| !found.contains(it)) {
                prop_assert!(other != name);
                prop_assert!(!MisspeltName::new(&name).is_near(other, &mut rows), "{} {}", name, other);
                prop_assert!(!MisspeltName::new(other).is_near(&name, &mut rows), "{} {}", other, name);
            }
        }
    }
}
