//! Two operations of a changeset that write to one place (CS-47, CS-48, X-33).
//!
//! A place is a slot of a draft, not a pointer: deleting the first item twice writes to two slots, and a slot keeps
//! its identity while indexes shift. Slots do not outlive a draft; when a file had to be parsed again, the places
//! written before are carried on as pointers that move with the indexes.

use std::collections::{BTreeMap, HashMap};

use document::{Effect, Pointer, SlotId, WriteKind};

use super::tree::FileId;

/// Beyond this many writes before a file was parsed again, places are not carried on.
const MAX_CARRIED: usize = 10_000;

/// An operation that wrote to a place that an earlier one wrote to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct WriteConflict {
    pub(crate) first: usize,
    pub(crate) second: usize,
    pub(crate) pointer: Option<Pointer>,
    pub(crate) file: String,
}

#[derive(Default)]
pub(crate) struct Writes {
    /// By document. What is done to a file as a whole stands with its first.
    files: BTreeMap<(FileId, usize), FileWrites>,
}

#[derive(Default)]
struct FileWrites {
    /// The operation that last decided where the file is, or that it is.
    path_op: Option<usize>,
    first_op: Option<usize>,
    generation: u32,
    slots: HashMap<SlotId, (usize, WriteKind)>,
    /// Slots with a written slot beneath them, and the first operation that wrote there.
    inside: HashMap<SlotId, usize>,
    /// What was written in this generation, in order.
    log: Vec<WriteLocation>,
    /// What was written in generations before.
    carried: Vec<WriteLocation>,
}

/// A written place, by the pointer that it has now.
#[derive(Clone, Debug)]
pub(crate) struct WriteLocation {
    pub(crate) pointer: Pointer,
    /// Whether it is an item of an array, whose removal or arrival shifts its neighbours.
    pub(crate) is_item: bool,
    op: usize,
    kind: WriteKind,
}

impl WriteLocation {
    pub(crate) fn new(pointer: Pointer, is_item: bool) -> WriteLocation {
        WriteLocation { pointer, is_item, op: 0, kind: WriteKind::Replace }
    }
}

impl Writes {
    /// An operation decides where a file is. Returns the operation that did so before.
    pub(crate) fn file_moved(&mut self, id: FileId, op: usize) -> Option<usize> {
        self.files.entry((id, 0)).or_default().path_op.replace(op)
    }

    /// An operation deletes a file. Returns an operation that wrote to the file before.
    pub(crate) fn file_deleted(&mut self, id: FileId, op: usize) -> Option<usize> {
        let file = self.files.entry((id, 0)).or_default();
        let earlier = file.path_op.into_iter().chain(file.first_op).min();
        file.path_op = Some(op);
        earlier
    }

    /// An operation wrote inside a file; `places` are the effect's writes in order. Returns the operation that wrote to
    /// one of the places before, with the place, or an error if there were too many to say.
    pub(crate) fn record(
        &mut self,
        document: (FileId, usize),
        op: usize,
        effect: &Effect,
        generation: u32,
        places: Vec<WriteLocation>,
    ) -> Result<Option<(usize, Pointer)>, TooMany> {
        self.files.entry((document.0, 0)).or_default().first_op.get_or_insert(op);
        let file = self.files.entry(document).or_default();
        if generation != file.generation {
            file.carry_over()?;
            file.generation = generation;
        }
        let mut found = None;
        for (write, mut place) in effect.writes.iter().zip(places) {
            (place.op, place.kind) = (op, write.kind);
            let clash = file.slot_clash(op, &write.path).or_else(|| file.carried_clash(&place));
            found = found.or(clash.map(|first| (first, place.pointer.clone())));
            file.note(op, &write.path, write.kind);
            file.shift_carried(&place);
            file.log.push(place);
        }
        Ok(found)
    }
}

/// Too many writes to compare them one by one.
pub(crate) struct TooMany;

impl FileWrites {
    fn slot_clash(&self, op: usize, path: &[SlotId]) -> Option<usize> {
        let (last, above) = path.split_last()?;
        let written = |slot: &SlotId| self.slots.get(slot).filter(|(first, _)| *first != op);
        let same = written(last).map(|(first, _)| *first);
        let ancestor = above
            .iter()
            .find_map(|slot| written(slot).filter(|(_, kind)| *kind != WriteKind::Create))
            .map(|(first, _)| *first);
        let descendant = self.inside.get(last).copied().filter(|first| *first != op);
        same.or(ancestor).or(descendant)
    }

    fn note(&mut self, op: usize, path: &[SlotId], kind: WriteKind) {
        if let Some((last, above)) = path.split_last() {
            self.slots.insert(*last, (op, kind));
            for slot in above {
                self.inside.entry(*slot).or_insert(op);
            }
        }
    }

    fn carried_clash(&self, place: &WriteLocation) -> Option<usize> {
        // A new item is a new slot: it has no past of its own, but its array may have one.
        let is_new_item = place.is_item && place.kind == WriteKind::Create;
        let clashes = |earlier: &&WriteLocation| {
            if earlier.op == place.op {
                return false;
            }
            let (old, new) = (&earlier.pointer, &place.pointer);
            if old.segments().len() < new.segments().len() {
                return old.is_prefix_of(new) && earlier.kind != WriteKind::Create;
            }
            !is_new_item && new.is_prefix_of(old)
        };
        self.carried.iter().find(clashes).map(|earlier| earlier.op)
    }

    fn carry_over(&mut self) -> Result<(), TooMany> {
        if self.log.len() + self.carried.len() > MAX_CARRIED {
            return Err(TooMany);
        }
        // `carried` has followed every write of the log; the log itself still has the pointers of its time.
        let log = std::mem::take(&mut self.log);
        let mut moved: Vec<WriteLocation> = Vec::new();
        for place in log {
            shift_all(&mut moved, &place);
            if !(place.is_item && place.kind == WriteKind::Remove) {
                moved.push(place);
            }
        }
        self.carried.extend(moved);
        self.slots.clear();
        self.inside.clear();
        Ok(())
    }

    fn shift_carried(&mut self, place: &WriteLocation) {
        shift_all(&mut self.carried, place);
    }
}

/// Moves the places with the indexes when an item comes or goes; a place inside a removed item is gone.
fn shift_all(places: &mut Vec<WriteLocation>, by: &WriteLocation) {
    if !by.is_item || by.kind == WriteKind::Replace {
        return;
    }
    let Some((array, index)) = by.pointer.split_last() else { return };
    let Ok(index) = index.parse::<usize>() else { return };
    let depth = array.segments().len();
    places.retain_mut(|place| {
        let segments = place.pointer.segments();
        if segments.len() <= depth || !array.is_prefix_of(&place.pointer) {
            return true;
        }
        let Ok(at) = segments[depth].parse::<usize>() else { return true };
        let moved = match by.kind {
            WriteKind::Create if at >= index => at.saturating_add(1),
            WriteKind::Remove if at == index => return false,
            WriteKind::Remove if at > index => at - 1,
            _ => return true,
        };
        let mut segments = segments.to_vec();
        segments[depth] = moved.to_string();
        place.pointer = Pointer::from_segments(segments);
        true
    });
}
