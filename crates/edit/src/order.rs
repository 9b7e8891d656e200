//! Edits in the order of their places.
//!
//! A comparison sort moves every edit some twenty times when there are a million of them. Here offsets alone are sorted,
//! digit by digit from the last (a radix sort: Knuth, The Art of Computer Programming, volume 3, 5.2.5), and every edit
//! is moved once. What is sorted already, or short, is left to the standard sort.

use crate::edit_set::Edit;

/// Fewer edits than this are sorted by comparing.
const FEW: usize = 4096;

const DIGIT_BITS: u32 = 11;
const N_DIGITS: usize = 1 << DIGIT_BITS;

/// The edits by start and end; those that are alike in both keep their order.
pub(crate) fn sorted(mut edits: Vec<Edit>) -> Vec<Edit> {
    let place = |edit: &Edit| (edit.start, edit.end);
    if edits.len() < FEW || edits.is_sorted_by_key(place) {
        edits.sort_by_key(place);
        return edits;
    }
    let order = by_start(&edits);
    let mut edits: Vec<Option<Edit>> = edits.into_iter().map(Some).collect();
    let mut sorted: Vec<Edit> =
        order.into_iter().filter_map(|(_, index)| edits[index as usize].take()).collect();
    // Few edits start at one place.
    for same_start in sorted.chunk_by_mut(|left, right| left.start == right.start) {
        same_start.sort_by_key(|edit| edit.end);
    }
    sorted
}

/// (start, index) of every edit, by start and then by index.
fn by_start(edits: &[Edit]) -> Vec<(u32, u32)> {
    let mut from: Vec<(u32, u32)> = (0..).zip(edits).map(|(index, it)| (it.start, index)).collect();
    let mut to = vec![(0, 0); from.len()];
    let greatest = from.iter().map(|it| it.0).max().unwrap_or(0);
    let mut shift = 0;
    while shift < u32::BITS && greatest >> shift > 0 {
        let digit = |start: u32| (start >> shift) as usize & (N_DIGITS - 1);
        let mut next = [0_usize; N_DIGITS];
        for (start, _) in &from {
            next[digit(*start)] += 1;
        }
        let mut n_before = 0;
        for count in &mut next {
            n_before += std::mem::replace(count, n_before);
        }
        for it in &from {
            let place = &mut next[digit(it.0)];
            to[*place] = *it;
            *place += 1;
        }
        std::mem::swap(&mut from, &mut to);
        shift += DIGIT_BITS;
    }
    from
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
