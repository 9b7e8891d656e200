//! Several repairs of one document, lowered as one draft.
//!
//! All their pointers mean the document as it was checked, so each index is moved by what the repairs before have
//! inserted and removed. What a repair expects was looked at when it was tried alone; nobody else has touched it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use document::{Document, GuardedOp, Op, Pointer, Preconditions};
use edit::EditSet;

use crate::place::{Located, PlaceId, PlaceIndex};
use crate::runs::Item;
use crate::shifts::Shifts;
use crate::steps::{DocumentPart, LocatedStep};

/// Why repairs cannot be lowered together, in the words of the document.
pub(crate) struct JointRefusal {
    pub(crate) words: String,
}

/// The edits that the repairs make, the first one first. Their claims do not exclude each other.
pub(crate) fn lower_together(
    document: &Arc<Document>,
    places: &PlaceIndex,
    parts: &[&DocumentPart<'_>],
) -> Result<EditSet, JointRefusal> {
    let mut draft = document.draft();
    let mut arrays = Arrays { places, shifts: HashMap::new(), touched: Vec::new() };
    for part in parts {
        for located in &part.steps {
            let step = arrays.translate(located);
            draft.apply(&step).map_err(|error| JointRefusal { words: error.to_string() })?;
        }
        arrays.end_repair();
    }
    draft.lower().map_err(|refusal| JointRefusal { words: refusal.to_string() })
}

/// The arrays in which items have come or gone.
struct Arrays<'a> {
    places: &'a PlaceIndex,
    shifts: HashMap<PlaceId, Shifts>,
    /// Those that the running repair has named.
    touched: Vec<PlaceId>,
}

impl Arrays<'_> {
    fn end_repair(&mut self) {
        for array in self.touched.drain(..) {
            if let Some(shifts) = self.shifts.get_mut(&array) {
                shifts.begin_repair();
            }
        }
    }

    /// The operation as it reads in the draft so far. Notes what it shifts.
    fn translate<'s>(&mut self, located: &LocatedStep<'s>) -> Cow<'s, GuardedOp> {
        let step = located.step;
        let has_indexes = !located.at.hits.is_empty() || located.at.is_root_slash;
        let expects_something =
            step.expects != Preconditions::default() || step.expects_parent.is_some();
        if !has_indexes && !expects_something && located.shift.is_none() && located.to.is_none() {
            return Cow::Borrowed(step);
        }
        let index = |arrays: &mut Self, default: usize, segment: usize| {
            let hit = located.at.hits.last().filter(|hit| hit.segment == segment);
            hit.map_or(default, |hit| arrays.index(hit.array, hit.item))
        };
        let mut op = step.op.clone();
        match &mut op {
            Op::ReplaceValue { at, .. }
            | Op::SetValue { at, .. }
            | Op::AddKey { at, .. }
            | Op::RemoveKey { at, .. }
            | Op::RenameKey { at, .. } => *at = self.pointer(at, &located.at),
            Op::DeleteValue { at } => {
                *at = self.pointer(at, &located.at);
                self.note(located);
            }
            Op::ReplaceItem { at, index: item, .. } => {
                *item = index(self, *item, at.segments().len());
                *at = self.pointer(at, &located.at);
            }
            Op::DeleteItem { at, index: item } => {
                *item = index(self, *item, at.segments().len());
                *at = self.pointer(at, &located.at);
                self.note(located);
            }
            Op::InsertItem { at, index: item, .. } => {
                if let Some(shift) = located.shift {
                    *item = Some(self.index(shift.array, shift.item));
                }
                *at = self.pointer(at, &located.at);
                self.note(located);
            }
            Op::MoveValue { from, to, .. } => {
                *from = self.pointer(from, &located.at);
                // The target is resolved after the deletion.
                self.note(located);
                if let Some(target) = &located.to {
                    *to = self.pointer(to, target);
                }
            }
        }
        Cow::Owned(GuardedOp { document: step.document, ..GuardedOp::from(op) })
    }

    fn pointer(&mut self, pointer: &Pointer, located: &Located) -> Pointer {
        if located.is_root_slash {
            return Pointer::root();
        }
        let mut segments = pointer.segments().to_vec();
        for hit in &located.hits {
            let index = self.index(hit.array, hit.item);
            // The last hit may be the index beside the pointer.
            if let Some(segment) = segments.get_mut(hit.segment) {
                *segment = index.to_string();
            }
        }
        Pointer::from_segments(segments)
    }

    fn index(&mut self, array: PlaceId, item: Item) -> usize {
        match (self.shifts.get_mut(&array), item) {
            (Some(shifts), item) => {
                self.touched.push(array);
                shifts.index(item)
            }
            (None, Item::Original(index)) => index,
            (None, Item::Inserted { gap, offset }) => gap + offset,
        }
    }

    fn note(&mut self, located: &LocatedStep<'_>) {
        let Some(shift) = located.shift else { return };
        let len = self.places.array_len(shift.array);
        let shifts = self.shifts.entry(shift.array).or_insert_with(|| Shifts::new(len));
        self.touched.push(shift.array);
        match shift.item {
            Item::Inserted { gap, .. } if shift.is_insert => shifts.insert(gap),
            item => shifts.remove(item),
        }
    }
}
