//! Where the items of one array stand after several repairs have removed and inserted some.
//!
//! The array as it was checked is a row of gaps and items: gap 0, item 0, gap 1, … A tree of sums over that row says
//! in logarithmic time how far an item has moved.

use std::collections::HashMap;

use crate::runs::Item;

/// The items and gaps of one array, and what came and went there.
pub(crate) struct Shifts {
    /// Sums over the row (a binary indexed tree).
    sums: Vec<i64>,
    /// How many items were inserted into each gap.
    inserted: HashMap<usize, usize>,
    /// How many of them were there when the running repair first came to the gap: its own follow behind them.
    before_repair: HashMap<usize, usize>,
}

impl Shifts {
    /// An array of `len` items in which nothing has moved.
    pub(crate) fn new(len: usize) -> Shifts {
        let sums = vec![0; len.saturating_mul(2).saturating_add(2)];
        Shifts { sums, inserted: HashMap::new(), before_repair: HashMap::new() }
    }

    /// The next repair begins.
    pub(crate) fn begin_repair(&mut self) {
        self.before_repair.clear();
    }

    /// The index that an item has, or that an item to be inserted there gets.
    pub(crate) fn index(&mut self, item: Item) -> usize {
        match item {
            Item::Original(index) => moved(index, self.sum_before(item_position(index))),
            Item::Inserted { gap, offset } => {
                let others = self.others_in(gap);
                moved(gap, self.sum_before(gap_position(gap))) + others + offset
            }
        }
    }

    /// An item comes into a gap.
    pub(crate) fn insert(&mut self, gap: usize) {
        self.others_in(gap);
        *self.inserted.entry(gap).or_default() += 1;
        self.add(gap_position(gap), 1);
    }

    /// An item goes away.
    pub(crate) fn remove(&mut self, item: Item) {
        match item {
            Item::Original(index) => self.add(item_position(index), -1),
            Item::Inserted { gap, .. } => {
                self.others_in(gap);
                let count = self.inserted.entry(gap).or_default();
                *count = count.saturating_sub(1);
                self.add(gap_position(gap), -1);
            }
        }
    }

    /// How many items stood in the gap before this repair.
    fn others_in(&mut self, gap: usize) -> usize {
        let now = self.inserted.get(&gap).copied().unwrap_or(0);
        *self.before_repair.entry(gap).or_insert(now)
    }

    fn add(&mut self, position: usize, change: i64) {
        let mut at = position + 1;
        while let Some(sum) = self.sums.get_mut(at) {
            *sum += change;
            at += at & at.wrapping_neg();
        }
    }

    /// The sum over all positions below this one.
    fn sum_before(&self, position: usize) -> i64 {
        let (mut at, mut sum) = (position, 0);
        while at > 0 {
            sum += self.sums.get(at).copied().unwrap_or(0);
            at -= at & at.wrapping_neg();
        }
        sum
    }
}

fn gap_position(gap: usize) -> usize {
    gap.saturating_mul(2)
}

fn item_position(index: usize) -> usize {
    index.saturating_mul(2).saturating_add(1)
}

fn moved(index: usize, by: i64) -> usize {
    let by_abs = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
    if by < 0 { index.saturating_sub(by_abs) } else { index.saturating_add(by_abs) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_move_with_what_comes_and_goes_before_them() {
        let mut shifts = Shifts::new(4);
        shifts.remove(Item::Original(1));
        shifts.insert(3);
        let indexes: Vec<usize> =
            [0, 2, 3].into_iter().map(|it| shifts.index(Item::Original(it))).collect();
        assert_eq!(indexes, [0, 1, 3]);
        assert_eq!(shifts.index(Item::Inserted { gap: 3, offset: 0 }), 2);
        assert_eq!(shifts.index(Item::Inserted { gap: 4, offset: 0 }), 4);
    }

    /// What two repairs append stands in the order of the repairs, and each finds its own again.
    #[test]
    fn a_repair_appends_behind_those_before_it() {
        let mut shifts = Shifts::new(1);
        shifts.insert(1);
        shifts.insert(1);
        shifts.begin_repair();
        assert_eq!(shifts.index(Item::Inserted { gap: 1, offset: 0 }), 3);
        shifts.insert(1);
        assert_eq!(shifts.index(Item::Inserted { gap: 1, offset: 0 }), 3);
        assert_eq!(shifts.index(Item::Inserted { gap: 1, offset: 1 }), 4);
        shifts.remove(Item::Inserted { gap: 1, offset: 0 });
        assert_eq!(shifts.index(Item::Inserted { gap: 1, offset: 0 }), 3);
    }
}
