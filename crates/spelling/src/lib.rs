//! How near two names are, for "did you mean" and for repairs of slips.
//!
//! The measure is the *Damerau-Levenshtein distance* (Damerau 1964, Levenshtein 1966), in the restricted form that is
//! also called *optimal string alignment*: the least number of characters that must be inserted, deleted, replaced or
//! swapped with their neighbour, where no part is changed twice.
//!
//! ```
//! assert_eq!(spelling::distance("prot", "port"), 1);
//! assert_eq!(spelling::distance("kitten", "sitting"), 3);
//! assert!(spelling::is_one_slip("inclde", "include"));
//! ```
//!
//! How far a name may be away to be worth naming is for the caller to say: a message can suggest what a repair must not
//! change. Callers with many candidates give a limit, and reuse the rows of the table:
//!
//! ```
//! let mut rows = spelling::Rows::default();
//! let names = ["include", "exclude", "max_file_size"];
//! let near = names.iter().find(|it| {
//!     spelling::distance_within(b"inclued", it.as_bytes(), 2, &mut rows).is_some()
//! });
//! assert_eq!(near, Some(&"include"));
//! ```
//!
//! Knows nothing about languages, files or what a name stands for.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.

/// The distance between two texts, in characters.
pub fn distance(from: &str, to: &str) -> usize {
    let mut rows = Rows::default();
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let longest = from.len().max(to.len());
    // No distance is larger than the longer text.
    distance_within(&from, &to, longest, &mut rows).unwrap_or(longest)
}

/// Room for three rows of the table: the one before the last, the last, and the one that is being filled.
#[derive(Clone, Default, Debug)]
pub struct Rows([Vec<usize>; 3]);

/// The distance between two names if it is at most `limit`.
///
/// What they start and end with in common costs nothing, and only cells near the diagonal can be within the limit
/// (Ukkonen 1985), so the work is at most `limit` times the shorter name. For `ab` and `ba`:
///
/// ```text
///       a  b
///    0  1  2
/// b  1  1  1
/// a  2  1  1    the swap reaches back over two rows and two columns
/// ```
pub fn distance_within<T: Copy + PartialEq>(
    from: &[T],
    to: &[T],
    limit: usize,
    rows: &mut Rows,
) -> Option<usize> {
    let start = from.iter().zip(to).take_while(|it| it.0 == it.1).count();
    let (from, to) = (&from[start..], &to[start..]);
    let end = from.iter().rev().zip(to.iter().rev()).take_while(|it| it.0 == it.1).count();
    let (from, to) = (&from[..from.len() - end], &to[..to.len() - end]);
    if from.len().abs_diff(to.len()) > limit {
        return None;
    }
    let beyond = limit + 1;
    let [before_last, last, current] = &mut rows.0;
    for row in [&mut *before_last, &mut *last, &mut *current] {
        row.clear();
        row.resize(from.len() + 1, beyond);
    }
    last.iter_mut().enumerate().for_each(|(index, it)| *it = index.min(beyond));
    let mut nearest_before = 0;
    for (row, character) in to.iter().enumerate() {
        current.fill(beyond);
        current[0] = (row + 1).min(beyond);
        let mut nearest = current[0];
        for column in row.saturating_sub(limit)..from.len().min(row + limit + 1) {
            let replaced = last[column] + usize::from(from[column] != *character);
            let mut least = replaced.min(last[column + 1] + 1).min(current[column] + 1);
            let is_swapped = column > 0
                && row > 0
                && from[column] == to[row - 1]
                && from[column - 1] == *character;
            if is_swapped {
                least = least.min(before_last[column - 1] + 1);
            }
            current[column + 1] = least.min(beyond);
            nearest = nearest.min(least);
        }
        // A swap reaches back two rows, so it takes two rows beyond the limit to be sure.
        if nearest > limit && nearest_before > limit {
            return None;
        }
        nearest_before = nearest;
        std::mem::swap(before_last, last);
        std::mem::swap(last, current);
    }
    last.last().copied().filter(|it| *it <= limit)
}

/// Whether the distance is one: a single character too many, too few or wrong, or two neighbours swapped. Allocates
/// nothing, for callers that compare with thousands of names.
pub fn is_one_slip(left: &str, right: &str) -> bool {
    let pairs = left.char_indices().zip(right.chars());
    let n_same = pairs.map(|((at, a), b)| (at, a == b)).find(|it| !it.1).map(|it| it.0);
    let n_same = n_same.unwrap_or(left.len().min(right.len()));
    let (left, right) = (&left[n_same..], &right[n_same..]);
    let (mut left_rest, mut right_rest) = (left.chars(), right.chars());
    match (left_rest.next(), right_rest.next()) {
        (None, None) => false,
        (Some(_), None) => left_rest.as_str().is_empty(),
        (None, Some(_)) => right_rest.as_str().is_empty(),
        (Some(a), Some(b)) => {
            let (one, other) = (left_rest.as_str(), right_rest.as_str());
            let is_swap = left_rest.next() == Some(b) && right_rest.next() == Some(a);
            one == other
                || one == right
                || left == other
                || is_swap && left_rest.as_str() == right_rest.as_str()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 1000,
            failure_persistence: None,
            rng_seed: RngSeed::Fixed(25),
            ..ProptestConfig::default()
        })]

        /// The distance is that of the textbook, and the bounded one is it up to the limit.
        #[test]
        fn the_distance_is_that_of_the_textbook(from in "[abé]{0,9}", to in "[abé]{0,9}") {
            let full = strsim::osa_distance(&from, &to);
            prop_assert_eq!(distance(&from, &to), full);
            let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
            for limit in 0..=4 {
                let expected = (full <= limit).then_some(full);
                prop_assert_eq!(distance_within(&from, &to, limit, &mut Rows::default()), expected);
            }
        }

        /// It is nothing exactly for equal texts, and the same both ways.
        #[test]
        fn it_is_symmetric_and_tells_apart(left in "[abü]{0,6}", right in "[abü]{0,6}") {
            prop_assert_eq!(distance(&left, &right) == 0, left == right);
            prop_assert_eq!(distance(&left, &right), distance(&right, &left));
        }

        #[test]
        fn a_slip_is_a_distance_of_one(left in "[abü]{0,6}", right in "[abü]{0,6}") {
            prop_assert_eq!(is_one_slip(&left, &right), distance(&left, &right) == 1);
        }

        /// Rows that served other names before change nothing.
        #[test]
        fn rows_can_be_used_again(names in proptest::collection::vec("[ab]{0,9}", 2..8)) {
            let mut rows = Rows::default();
            for pair in names.windows(2) {
                let (from, to) = (pair[0].as_bytes(), pair[1].as_bytes());
                prop_assert_eq!(
                    distance_within(from, to, 3, &mut rows),
                    distance_within(from, to, 3, &mut Rows::default())
                );
            }
        }
    }
}
