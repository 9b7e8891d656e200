//! One array as one repair sees it: the items that were there, without those it removed, with those it inserted.
//!
//! Every item has a place in the array as it was checked: an old item its index, a new one its *gap*. Gap `g` lies
//! before the item `g`, and the last gap behind the last item. A repair has few operations on one array, so the items
//! are kept as runs.

/// Which item of an array is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    /// An item as it was checked.
    Original(usize),
    /// The repair's own new item, behind `offset` others of its own in the same gap.
    Inserted { gap: usize, offset: usize },
}

/// Where a repair inserts, and the gaps in which nobody else may: all those between its neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Insertion {
    pub(crate) gap: usize,
    pub(crate) offset: usize,
    pub(crate) last_gap: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Run {
    Original { start: usize, end: usize },
    Inserted { gap: usize, count: usize },
}

impl Run {
    fn len(self) -> usize {
        match self {
            Run::Original { start, end } => end - start,
            Run::Inserted { count, .. } => count,
        }
    }

    /// The first `at` items and the others.
    fn split(self, at: usize) -> (Run, Run) {
        match self {
            Run::Original { start, end } => {
                (Run::Original { start, end: start + at }, Run::Original { start: start + at, end })
            }
            Run::Inserted { gap, count } => {
                (Run::Inserted { gap, count: at }, Run::Inserted { gap, count: count - at })
            }
        }
    }
}

/// The items, in order. No run is empty, and the items of one gap are one run.
pub(crate) struct Runs {
    original_len: usize,
    runs: Vec<Run>,
}

impl Runs {
    pub(crate) fn new(len: usize) -> Runs {
        let all = Run::Original { start: 0, end: len };
        Runs { original_len: len, runs: if len == 0 { Vec::new() } else { vec![all] } }
    }

    pub(crate) fn len(&self) -> usize {
        self.runs.iter().map(|run| run.len()).sum()
    }

    /// The item that the repair knows by `index`.
    pub(crate) fn item(&self, index: usize) -> Option<Item> {
        let (run, offset) = self.find(index)?;
        Some(match self.runs[run] {
            Run::Original { start, .. } => Item::Original(start + offset),
            Run::Inserted { gap, .. } => Item::Inserted { gap, offset },
        })
    }

    /// Takes out the item that the repair knows by `index`.
    pub(crate) fn remove(&mut self, index: usize) {
        let Some((run, offset)) = self.find(index) else { return };
        let rest = match self.runs[run] {
            Run::Original { .. } => {
                let (before, rest) = self.runs[run].split(offset);
                vec![before, rest.split(1).1]
            }
            Run::Inserted { gap, count } => vec![Run::Inserted { gap, count: count - 1 }],
        };
        self.runs.splice(run..=run, rest.into_iter().filter(|it| it.len() > 0));
    }

    /// Where an item would stand that the repair inserts at `index`; `None` beyond the end.
    pub(crate) fn insertion(&self, index: usize) -> Option<Insertion> {
        let before = match index.checked_sub(1) {
            Some(before) => Some(self.item(before)?),
            None => None,
        };
        let (gap, offset) = match before {
            None => (0, 0),
            Some(Item::Original(before)) => (before + 1, 0),
            Some(Item::Inserted { gap, offset }) => (gap, offset + 1),
        };
        let last_gap = match self.item(index) {
            None => self.original_len,
            Some(Item::Original(behind)) => behind,
            Some(Item::Inserted { gap, .. }) => gap,
        };
        Some(Insertion { gap, offset, last_gap })
    }

    /// Puts in an item at `index`, where [`Runs::insertion`] said.
    pub(crate) fn insert(&mut self, index: usize, insertion: Insertion) {
        let at = self.find(index);
        let is_same_gap =
            |run: &Run| matches!(run, Run::Inserted { gap, .. } if *gap == insertion.gap);
        let behind = at.map_or(self.runs.len(), |(run, _)| run);
        let candidates = behind.saturating_sub(1)..(behind + 1).min(self.runs.len());
        if let Some(run) = self.runs[candidates].iter_mut().find(|run| is_same_gap(run)) {
            if let Run::Inserted { count, .. } = run {
                *count += 1;
            }
            return;
        }
        let new = Run::Inserted { gap: insertion.gap, count: 1 };
        match at {
            None => self.runs.push(new),
            Some((run, offset)) => {
                let (before, rest) = self.runs[run].split(offset);
                let parts = [before, new, rest].into_iter().filter(|it| it.len() > 0);
                self.runs.splice(run..=run, parts);
            }
        }
    }

    /// The run of an index, and the index inside it.
    fn find(&self, index: usize) -> Option<(usize, usize)> {
        let mut offset = index;
        for (at, run) in self.runs.iter().enumerate() {
            if offset < run.len() {
                return Some((at, offset));
            }
            offset -= run.len();
        }
        None
    }
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
        /// The runs against a plain list of items, each with its gap.
        #[test]
        fn runs_are_a_list_of_items(len in 0_usize..5, steps in proptest::collection::vec((0_usize..8, any::<bool>()), 0..12)) {
            let mut runs = Runs::new(len);
            // An old item is (2 * index + 1), a new one in gap `g` is (2 * g): ascending, as the runs are.
            let mut list: Vec<usize> = (0..len).map(|index| 2 * index + 1).collect();
            for (index, is_insert) in steps {
                if is_insert {
                    let insertion = runs.insertion(index);
                    prop_assert_eq!(insertion.is_some(), index <= list.len());
                    if let Some(insertion) = insertion {
                        runs.insert(index, insertion);
                        list.insert(index, 2 * insertion.gap);
                        prop_assert!(insertion.gap <= insertion.last_gap);
                        prop_assert!(insertion.last_gap <= len);
                    }
                } else {
                    runs.remove(index);
                    if index < list.len() {
                        list.remove(index);
                    }
                }
                prop_assert!(list.is_sorted());
                prop_assert_eq!(runs.len(), list.len());
                for (index, key) in list.iter().enumerate() {
                    let expected = if key % 2 == 1 {
                        Item::Original(key / 2)
                    } else {
                        let offset = list[..index].iter().filter(|it| *it == key).count();
                        Item::Inserted { gap: key / 2, offset }
                    };
                    prop_assert_eq!(runs.item(index), Some(expected));
                }
                prop_assert_eq!(runs.item(list.len()), None);
            }
        }
    }
}
