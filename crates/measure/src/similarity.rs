//! How alike two texts are, by the lines or tokens that they share whatever their order: linear, so that it can be
//! asked of anything within a stated size.

use std::collections::HashMap;

/// Numbers for pieces of bytes: equal pieces have equal numbers. Exact, so no collision can be made on purpose.
#[derive(Default)]
pub(crate) struct Interner<'a> {
    ids: HashMap<&'a [u8], u32>,
}

impl<'a> Interner<'a> {
    /// The number of the piece.
    pub(crate) fn id(&mut self, piece: &'a [u8]) -> u32 {
        let next = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
        *self.ids.entry(piece).or_insert(next)
    }

    /// The lines of a text that are not blank, without the white space around them, as a sorted bag.
    pub(crate) fn lines(&mut self, text: &'a [u8]) -> Vec<u32> {
        let lines = text.split(|it| *it == b'\n').map(<[u8]>::trim_ascii);
        let mut bag: Vec<u32> = lines.filter(|it| !it.is_empty()).map(|it| self.id(it)).collect();
        bag.sort_unstable();
        bag
    }
}

/// How many pieces two sorted bags share.
pub(crate) fn shared(left: &[u32], right: &[u32]) -> usize {
    let (mut i, mut j, mut n_shared) = (0, 0, 0);
    while let (Some(a), Some(b)) = (left.get(i), right.get(j)) {
        match a.cmp(b) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                (i, j, n_shared) = (i + 1, j + 1, n_shared + 1);
            }
        }
    }
    n_shared
}

/// The share of the larger bag that is in the smaller too, in percent. Two empty bags are not evidence: 0.
pub(crate) fn percent(left: &[u32], right: &[u32]) -> usize {
    let larger = left.len().max(right.len());
    (shared(left, right) * 100).checked_div(larger).unwrap_or(0)
}

/// Whether two bags of these sizes can be alike by that many percent at all.
pub(crate) fn can_reach(left: usize, right: usize, percent: usize) -> bool {
    left.min(right) * 100 >= left.max(right) * percent
}

/// The length of the longest rising run that can be picked from distinct numbers, in order.
pub(crate) fn longest_rising(numbers: &[usize]) -> usize {
    let mut ends: Vec<usize> = Vec::new();
    for number in numbers {
        let at = ends.partition_point(|it| it < number);
        match ends.get_mut(at) {
            Some(end) => *end = *number,
            None => ends.push(*number),
        }
    }
    ends.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bags_share_what_both_have_as_often_as_both_have_it() {
        let mut interner = Interner::default();
        let left = interner.lines(b"a\n  b\nb\n\nc\n");
        let right = interner.lines(b"b\nx\nb\nb\n");
        assert_eq!((left.len(), right.len()), (4, 4));
        assert_eq!(shared(&left, &right), 2);
        assert_eq!(percent(&left, &right), 50);
        assert_eq!(percent(&[], &[]), 0);
        assert!(can_reach(3, 5, 60) && !can_reach(2, 5, 60));
    }

    #[test]
    fn the_longest_rising_run_leaves_out_as_little_as_possible() {
        assert_eq!(longest_rising(&[]), 0);
        assert_eq!(longest_rising(&[0, 1, 2]), 3);
        assert_eq!(longest_rising(&[3, 0, 1, 2]), 3);
        assert_eq!(longest_rising(&[2, 1, 0]), 1);
    }
}
