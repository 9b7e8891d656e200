//! Edits in the order of their places.
//!
//! A comparison sort moves every edit some twenty times when there are a million of them, and waits for memory each time.
//! Here they are dealt by the first digit of their start into stretches that fit the processor's cache, and each stretch
//! by the next digit (a radix sort from the first digit: Knuth, The Art of Computer Programming, volume 3, 5.2.5). The two
//! digits have about as many values as there are edits, and the standard sort tells apart what they do not. What is sorted
//! already, or short, is left to it from the start.

use crate::edit_set::Edit;

/// Fewer edits than this are sorted by comparing.
const FEW: usize = 4096;

/// The edits by start and end; those that are alike in both keep their order.
pub(crate) fn sorted(mut edits: Vec<Edit>) -> Vec<Edit> {
    if edits.len() < FEW || edits.is_sorted_by_key(place) {
        edits.sort_by_key(place);
        return edits;
    }
    let greatest = edits.iter().map(|it| it.start).max().unwrap_or(0);
    let n_bits = edits.len().ilog2();
    let above_first = u32::BITS - greatest.leading_zeros();
    let first = above_first.saturating_sub(n_bits / 2);
    let second = above_first.saturating_sub(n_bits);
    let first_digit = |it: &Edit| (it.start >> first) as usize;
    let second_digit = |it: &Edit| (it.start >> second) as usize & ((1 << (first - second)) - 1);
    let mut counts = vec![0; 1 << n_bits.div_ceil(2)];
    let mut sorted = Vec::new();
    sorted.resize_with(edits.len(), || Edit::delete(0, 0));
    deal(&mut edits, &mut sorted, &mut counts, first_digit);
    for stretch in sorted.chunk_by_mut(|left, right| first_digit(left) == first_digit(right)) {
        let spare = &mut edits[..stretch.len()];
        stretch.swap_with_slice(spare);
        deal(spare, stretch, &mut counts, second_digit);
        for alike in stretch.chunk_by_mut(|left, right| second_digit(left) == second_digit(right)) {
            alike.sort_by_key(place);
        }
    }
    sorted
}

fn place(edit: &Edit) -> (u32, u32) {
    (edit.start, edit.end)
}

/// Exchanges edits for the empty ones of `to`, by digit and then in the order in which they come. There is a count for every
/// digit.
fn deal(from: &mut [Edit], to: &mut [Edit], counts: &mut [usize], digit: impl Fn(&Edit) -> usize) {
    counts.fill(0);
    for edit in &*from {
        counts[digit(edit)] += 1;
    }
    let mut n_before = 0;
    for count in &mut *counts {
        n_before += std::mem::replace(count, n_before);
    }
    for edit in from {
        let next = &mut counts[digit(edit)];
        std::mem::swap(&mut to[*next], edit);
        *next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stable comparison sort says the same, whatever the places.
    #[test]
    fn many_edits_are_sorted_as_few_are() {
        let mut state = 1_u64;
        for (n_edits, places) in [(5000, 300), (5000, 5000), (20_000, u32::MAX)] {
            let edits: Vec<Edit> = (0..n_edits)
                .map(|index: u32| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let start = ((state >> 33) as u32) % places;
                    Edit::replace(start, start.saturating_add(index % 3), index.to_string())
                })
                .collect();
            let mut expected = edits.clone();
            expected.sort_by_key(|edit| (edit.start, edit.end));
            assert!(sorted(edits) == expected, "{n_edits} {places}");
        }
    }
}
