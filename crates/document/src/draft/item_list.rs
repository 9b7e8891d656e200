//! The slots of an opened container: a list that stays quick while items come and go anywhere in it.
//!
//! Almost every container is opened for a few changes, so a list is one vector for as long as that is cheap: while
//! it is short, or changes at its end only, as objects do. The first change deep inside a long one cuts it into
//! *chunks* of bounded length. Counts of chunks, summed in the manner of a Fenwick tree, lead from a position to its
//! chunk in logarithmic time. A chunk that becomes too long is halved, which has the counts made anew; one that
//! becomes empty stays, because whoever empties a list may undo that.

use std::ops::{Index, IndexMut};

use super::Slot;

/// The most slots in a chunk. Half as many stand in each when a list is cut, so that there is room for more.
const CHUNK: usize = 512;

/// Slots by position.
pub(super) struct ItemList {
    /// One chunk of any length, or several of at most [`CHUNK`] slots each.
    layout: Layout,
}

enum Layout {
    Whole(Vec<Slot>),
    Cut(Chunks),
}

struct Chunks {
    len: usize,
    slots: Vec<Vec<Slot>>,
    /// A Fenwick tree: at `i` the number of slots in the chunks from `i + 1 - lowest_bit(i + 1)` to `i`.
    counts: Vec<usize>,
}

impl ItemList {
    pub(super) fn with_capacity(capacity: usize) -> ItemList {
        ItemList { layout: Layout::Whole(Vec::with_capacity(capacity)) }
    }

    pub(super) fn len(&self) -> usize {
        match &self.layout {
            Layout::Whole(slots) => slots.len(),
            Layout::Cut(chunks) => chunks.len,
        }
    }

    pub(super) fn push(&mut self, slot: Slot) {
        match &mut self.layout {
            Layout::Whole(slots) => slots.push(slot),
            Layout::Cut(chunks) => chunks.insert(chunks.len, slot),
        }
    }

    /// Puts a slot before the one at `at`, or at the end.
    ///
    /// # Panics
    /// If `at` is beyond the end.
    pub(super) fn insert(&mut self, at: usize, slot: Slot) {
        self.cut_for_change_at(at);
        match &mut self.layout {
            Layout::Whole(slots) => slots.insert(at, slot),
            Layout::Cut(chunks) => chunks.insert(at, slot),
        }
    }

    /// Takes the slot at `at` out.
    ///
    /// # Panics
    /// If there is none.
    pub(super) fn remove(&mut self, at: usize) -> Slot {
        self.cut_for_change_at(at);
        match &mut self.layout {
            Layout::Whole(slots) => slots.remove(at),
            Layout::Cut(chunks) => chunks.remove(at),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Slot> {
        let chunks = match &self.layout {
            Layout::Whole(slots) => std::slice::from_ref(slots),
            Layout::Cut(chunks) => &chunks.slots,
        };
        chunks.iter().flatten()
    }

    /// Cuts a list in which a change at `at` would move many slots.
    fn cut_for_change_at(&mut self, at: usize) {
        if let Layout::Whole(slots) = &mut self.layout
            && slots.len().saturating_sub(at) > CHUNK
        {
            self.layout = Layout::Cut(Chunks::of(std::mem::take(slots)));
        }
    }
}

impl Index<usize> for ItemList {
    type Output = Slot;

    fn index(&self, at: usize) -> &Slot {
        match &self.layout {
            Layout::Whole(slots) => &slots[at],
            Layout::Cut(chunks) => {
                let (chunk, within) = chunks.find(at);
                &chunks.slots[chunk][within]
            }
        }
    }
}

impl IndexMut<usize> for ItemList {
    fn index_mut(&mut self, at: usize) -> &mut Slot {
        match &mut self.layout {
            Layout::Whole(slots) => &mut slots[at],
            Layout::Cut(chunks) => {
                let (chunk, within) = chunks.find(at);
                &mut chunks.slots[chunk][within]
            }
        }
    }
}

impl Chunks {
    fn of(slots: Vec<Slot>) -> Chunks {
        let len = slots.len();
        let mut chunks = Vec::with_capacity(len.div_ceil(CHUNK / 2));
        let mut slots = slots.into_iter();
        while slots.len() > 0 {
            chunks.push(slots.by_ref().take(CHUNK / 2).collect());
        }
        let counts = counts_of(&chunks);
        Chunks { len, slots: chunks, counts }
    }

    /// The chunk in which the slot at `at` stands, and where in it. The end of the list is the end of its last chunk.
    fn find(&self, at: usize) -> (usize, usize) {
        let (mut chunk, mut rest) = (0, at);
        let mut step = (self.counts.len() + 1).next_power_of_two() / 2;
        while step > 0 {
            if let Some(&count) = self.counts.get(chunk + step - 1)
                && count <= rest
            {
                chunk += step;
                rest -= count;
            }
            step /= 2;
        }
        match self.slots.len() - 1 {
            last if chunk > last => (last, self.slots[last].len() + rest),
            _ => (chunk, rest),
        }
    }

    fn insert(&mut self, at: usize, slot: Slot) {
        let (mut chunk, mut within) = self.find(at);
        if self.slots[chunk].len() >= CHUNK {
            let behind = self.slots[chunk].split_off(CHUNK / 2);
            self.slots.insert(chunk + 1, behind);
            self.counts = counts_of(&self.slots);
            if within > CHUNK / 2 {
                (chunk, within) = (chunk + 1, within - CHUNK / 2);
            }
        }
        self.slots[chunk].insert(within, slot);
        self.len += 1;
        self.count(chunk, |count| count + 1);
    }

    fn remove(&mut self, at: usize) -> Slot {
        let (chunk, within) = self.find(at);
        let slot = self.slots[chunk].remove(within);
        self.len -= 1;
        self.count(chunk, |count| count - 1);
        slot
    }

    /// Changes the count of one chunk in all the sums it is part of.
    fn count(&mut self, chunk: usize, change: fn(usize) -> usize) {
        let mut at = chunk + 1;
        while let Some(count) = self.counts.get_mut(at - 1) {
            *count = change(*count);
            at += lowest_bit(at);
        }
    }
}

fn counts_of(chunks: &[Vec<Slot>]) -> Vec<usize> {
    let mut counts: Vec<usize> = chunks.iter().map(Vec::len).collect();
    for at in 1..=counts.len() {
        let next = at + lowest_bit(at);
        if next <= counts.len() {
            counts[next - 1] += counts[at - 1];
        }
    }
    counts
}

fn lowest_bit(at: usize) -> usize {
    at & at.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngSeed};

    use super::super::{Node, SlotId};
    use super::*;
    use crate::source::NodeId;

    fn slot(id: u32) -> Slot {
        let node = Node::Base(NodeId(id));
        Slot { id: SlotId(id), origin: None, new_key: None, node, is_removed: false }
    }

    fn list(len: u32) -> ItemList {
        let mut list = ItemList::with_capacity(0);
        (0..len).for_each(|id| list.push(slot(id)));
        list
    }

    /// Every way to look at the list shows the slots with these ids.
    #[track_caller]
    fn check(list: &mut ItemList, ids: &[u32]) {
        assert_eq!(list.len(), ids.len());
        assert_eq!(list.iter().map(|slot| slot.id.0).collect::<Vec<_>>(), ids);
        for (at, id) in ids.iter().enumerate() {
            assert_eq!((list[at].id.0, list.index_mut(at).id.0), (*id, *id), "at {at}");
        }
        if let Layout::Cut(chunks) = &list.layout {
            assert!(chunks.slots.iter().all(|chunk| chunk.len() <= CHUNK));
        }
    }

    fn is_cut(list: &ItemList) -> bool {
        matches!(list.layout, Layout::Cut(_))
    }

    #[test]
    fn a_list_that_changes_at_its_end_stays_whole() {
        let mut list = list(10_000);
        list.push(slot(10_000));
        assert_eq!(list.remove(10_000).id.0, 10_000);
        list.insert(9_900, slot(7));
        assert_eq!(list.remove(9_900).id.0, 7);
        assert!(!is_cut(&list));
        check(&mut list, &(0..10_000).collect::<Vec<_>>());
    }

    #[test]
    fn a_list_that_was_emptied_from_the_front_fills_again() {
        let mut list = list(2_000);
        for id in 0..2_000 {
            assert_eq!(list.remove(0).id.0, id);
        }
        check(&mut list, &[]);
        assert!(is_cut(&list));
        for id in 0..1_000 {
            list.insert(0, slot(id));
            list.push(slot(id));
        }
        check(&mut list, &(0..1_000).rev().chain(0..1_000).collect::<Vec<_>>());
    }

    #[test]
    fn items_that_all_come_at_one_place_cut_chunks_in_half() {
        let mut list = list(1_000);
        let mut ids: Vec<u32> = (0..1_000).collect();
        for id in 1_000..5_000 {
            list.insert(300, slot(id));
            ids.insert(300, id);
        }
        check(&mut list, &ids);
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn a_position_behind_the_last_chunk_is_no_slot() {
        let mut list = list(1_000);
        list.remove(0);
        let _ = &list[999];
    }

    #[derive(Clone, Debug)]
    enum ListChange {
        Insert(prop::sample::Index),
        Remove(prop::sample::Index),
        /// Many at one place, so that chunks are halved and emptied.
        InsertRun(prop::sample::Index, u32),
        RemoveRun(prop::sample::Index, u32),
    }

    fn change() -> impl Strategy<Value = ListChange> {
        let at = any::<prop::sample::Index>;
        prop_oneof![
            at().prop_map(ListChange::Insert),
            at().prop_map(ListChange::Remove),
            (at(), 1..700u32).prop_map(|(at, run)| ListChange::InsertRun(at, run)),
            (at(), 1..700u32).prop_map(|(at, run)| ListChange::RemoveRun(at, run)),
        ]
    }

    proptest! {
        #![proptest_config(Config {
            cases: 64,
            failure_persistence: None,
            rng_seed: RngSeed::Fixed(1),
            ..Config::default()
        })]

        #[test]
        fn a_list_is_a_vector(len in 0..3_000u32, changes in prop::collection::vec(change(), 0..24)) {
            let (mut list, mut model) = (list(len), (0..len).collect::<Vec<u32>>());
            let mut next = len;
            for change in changes {
                let (at, run, is_insert) = match change {
                    ListChange::Insert(at) => (at, 1, true),
                    ListChange::Remove(at) => (at, 1, false),
                    ListChange::InsertRun(at, run) => (at, run, true),
                    ListChange::RemoveRun(at, run) => (at, run, false),
                };
                let at = at.index(model.len() + 1);
                for _ in 0..run {
                    if is_insert {
                        list.insert(at, slot(next));
                        model.insert(at, next);
                        next += 1;
                    } else if at < model.len() {
                        prop_assert_eq!(list.remove(at).id.0, model.remove(at));
                    }
                }
            }
            check(&mut list, &model);
        }
    }
}
