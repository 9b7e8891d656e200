//! The document operations of one repair on one file: whether they can be done to the document as it was checked, where
//! they stand in it, and what they claim.

use std::sync::Arc;

use document::{Document, Draft, GuardedOp, Op, OpError, Pointer};

use crate::claims::{self, Claim};
use crate::place::{DraftView, LocateError, Located, PlaceId, PlaceIndex};
use crate::runs::{Item, Runs};

/// What a repair does to one document.
pub(crate) struct DocumentPart<'a> {
    pub(crate) steps: Vec<LocatedStep<'a>>,
    pub(crate) claims: Vec<Claim<'a>>,
    /// How many places are written.
    pub(crate) n_writes: usize,
}

/// An operation and what its pointers mean in the document as it was checked.
pub(crate) struct LocatedStep<'a> {
    pub(crate) step: &'a GuardedOp,
    pub(crate) at: Located,
    /// The second pointer of a move.
    pub(crate) to: Option<Located>,
    pub(crate) shift: Option<Shift>,
}

/// An item that comes to an array or leaves it, so that those behind it get other indexes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shift {
    pub(crate) array: PlaceId,
    pub(crate) item: Item,
    pub(crate) is_insert: bool,
}

/// Why the operations cannot be done, even if nobody else does anything.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StepFault {
    #[error(transparent)]
    Locate(#[from] LocateError),
    #[error(transparent)]
    Op(#[from] OpError),
    #[error("its operations change nothing")]
    NoEffect,
}

/// One document, for trying repairs on it one after the other. Each sees it as it was checked.
pub(crate) struct Trial {
    pub(crate) places: PlaceIndex,
    /// Never changed.
    checked: Draft,
    draft: Draft,
}

impl Trial {
    pub(crate) fn new(document: &Arc<Document>) -> Trial {
        let checked = document.draft();
        Trial { places: PlaceIndex::new(&checked), checked, draft: document.draft() }
    }

    /// Tries the operations of one repair.
    pub(crate) fn run<'a>(
        &mut self,
        steps: impl Iterator<Item = &'a GuardedOp>,
    ) -> Result<DocumentPart<'a>, StepFault> {
        let savepoint = self.draft.savepoint();
        let result = self.run_all(steps);
        let has_effect = self.draft.savepoint() != savepoint;
        self.draft.roll_back(savepoint);
        match result {
            Ok(_) if !has_effect => Err(StepFault::NoEffect),
            result => result,
        }
    }

    fn run_all<'a>(
        &mut self,
        steps: impl Iterator<Item = &'a GuardedOp>,
    ) -> Result<DocumentPart<'a>, StepFault> {
        let mut walk = Walk {
            trial: self,
            document: 0,
            view: DraftView::default(),
            claims: Vec::new(),
            n_inserts: 0,
        };
        let mut located = Vec::with_capacity(steps.size_hint().0);
        for step in steps {
            located.push(walk.step(step)?);
            walk.trial.draft.apply(step)?;
        }
        let n_inserts = walk.n_inserts;
        let claims = claims::normalised(walk.claims);
        let n_wholes = claims.iter().filter(|it| matches!(it, Claim::Whole(_))).count();
        Ok(DocumentPart { steps: located, claims, n_writes: n_wholes + n_inserts })
    }
}

/// The way of one repair through its operations.
struct Walk<'t, 'a> {
    trial: &'t mut Trial,
    /// The document that the running operation is about.
    document: usize,
    view: DraftView,
    claims: Vec<Claim<'a>>,
    n_inserts: usize,
}

impl<'a> Walk<'_, 'a> {
    /// Leads the pointers of an operation back and notes what it does. Whether it can be done is another question.
    fn step(&mut self, step: &'a GuardedOp) -> Result<LocatedStep<'a>, StepFault> {
        let (mut to, mut shift) = (None, None);
        self.document = step.document;
        let at = match &step.op {
            Op::ReplaceValue { at, .. } | Op::SetValue { at, .. } => self.locate_whole(at)?,
            Op::AddKey { at, key, .. } | Op::RemoveKey { at, key } => {
                let object = self.locate(at)?;
                self.claim_key(&object, key);
                object
            }
            Op::RenameKey { at, from, to } => {
                let object = self.locate(at)?;
                // The value under a renamed key is judged by other rules, so nobody else may touch it meanwhile.
                self.claim_key(&object, from);
                self.claim_key(&object, to);
                object
            }
            Op::InsertItem { at, index, value } => {
                let array = self.locate(at)?;
                shift = self.insert(&array, *index, value);
                array
            }
            Op::ReplaceItem { at, index, .. } => self.locate_whole(&at.join(index.to_string()))?,
            Op::DeleteItem { at, index } => {
                let item = self.locate_whole(&at.join(index.to_string()))?;
                shift = self.remove(&item, at.segments().len(), *index);
                item
            }
            Op::DeleteValue { at } => {
                let place = self.locate_whole(at)?;
                shift = self.remove_at(&place, at);
                place
            }
            Op::MoveValue { from, to: target, keep_position } => {
                let place = self.locate_whole(from)?;
                if !keep_position && from != target {
                    shift = self.remove_at(&place, from);
                }
                to = Some(self.locate_whole(target)?);
                place
            }
        };
        Ok(LocatedStep { step, at, to, shift })
    }

    fn locate(&mut self, pointer: &Pointer) -> Result<Located, LocateError> {
        self.trial.places.locate(&mut self.trial.checked, &self.view, self.document, pointer)
    }

    fn locate_whole(&mut self, pointer: &Pointer) -> Result<Located, LocateError> {
        let located = self.locate(pointer)?;
        if !located.is_own {
            self.claim(located.place);
        }
        Ok(located)
    }

    fn claim_key(&mut self, object: &Located, key: &str) {
        if !object.is_own {
            let place = self.trial.places.child(object.place, key);
            self.claim(place);
        }
    }

    fn claim(&mut self, place: PlaceId) {
        self.claims.push(Claim::Whole(place));
        self.view.own.insert(place);
    }

    fn remove_at(&mut self, located: &Located, pointer: &Pointer) -> Option<Shift> {
        let last = pointer.segments().len().checked_sub(1)?;
        let index = pointer.segments()[last].parse().ok()?;
        self.remove(located, last, index)
    }

    /// Takes an item out of the array that the repair sees, if segment number `segment` named one.
    fn remove(&mut self, located: &Located, segment: usize, index: usize) -> Option<Shift> {
        let hit = located.hits.last().filter(|hit| hit.segment == segment)?;
        self.runs(hit.array)?.remove(index);
        Some(Shift { array: hit.array, item: hit.item, is_insert: false })
    }

    fn insert(
        &mut self,
        located: &Located,
        index: Option<usize>,
        value: &'a document::Value,
    ) -> Option<Shift> {
        if located.is_own {
            return None;
        }
        let array = located.place;
        let runs = self.runs(array)?;
        let at = index.unwrap_or(runs.len());
        let insertion = runs.insertion(at)?;
        runs.insert(at, insertion);
        self.n_inserts += 1;
        let (gap, offset) = (insertion.gap, insertion.offset);
        let is_append = index.is_none() && gap == self.trial.places.array_len(array);
        self.claims.push(if is_append {
            Claim::Append { array, value }
        } else {
            Claim::Gaps { array, first: gap, last: insertion.last_gap }
        });
        Some(Shift { array, item: Item::Inserted { gap, offset }, is_insert: true })
    }

    fn runs(&mut self, array: PlaceId) -> Option<&mut Runs> {
        let len = self.trial.places.find_array_len(&mut self.trial.checked, array)?;
        Some(self.view.arrays.entry(array).or_insert_with(|| Runs::new(len)))
    }
}
