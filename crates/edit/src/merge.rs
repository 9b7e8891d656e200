//! Which proposals for one text can be made together.
//!
//! A proposal is atomic: all its edits are taken or none. Between two proposals these edits clash: real
//! overlap, an insertion inside a replaced range, different insertions at one point, and an insertion at
//! either end of a replacement, because nobody said which comes first. Replacements that only touch are
//! fine, and identical edits collapse into one.
//!
//! Inside a proposal its author's order decides, so an insertion and the edits it touches are one *unit*.
//! Units collapse when they are equal and clash as a whole when they are not.

use std::collections::BTreeMap;

use crate::edit_set::{Edit, EditError, EditSet};
use crate::text::{ContentHash, Text};

/// Edits to one text that somebody wants made together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EditProposal {
    /// The caller's name for it. It has no influence on the edits that [`merge`] accepts.
    pub id: usize,
    /// The lowest goes first. Equals go in the order of their edits.
    pub priority: u64,
    /// The edits.
    pub edits: EditSet,
}

/// What became of proposals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merged {
    /// All accepted edits.
    pub edits: EditSet,
    /// The ids of the accepted proposals, in the order in which they were accepted.
    pub accepted: Vec<usize>,
    /// The other proposals, in the order in which they were refused.
    pub rejected: Vec<RejectedProposal>,
}

/// A proposal that was not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RejectedProposal {
    /// The id of the proposal.
    pub id: usize,
    /// Why.
    pub reason: MergeError,
}

/// Why a proposal is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// It clashes with a proposal that was accepted before.
    #[error(transparent)]
    Clash(Box<Clash>),
    /// It was made for another text, or the text would grow too large.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// Two edits of different proposals that cannot both be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "{kind}: {}..{} against {}..{} of proposal {with}",
    .refused.start, .refused.end, .accepted.start, .accepted.end
)]
pub struct Clash {
    /// The id of the accepted proposal, the first if several share the edit.
    pub with: usize,
    /// What is wrong.
    pub kind: ClashKind,
    /// The edit of the accepted proposal.
    pub accepted: Edit,
    /// The edit of the refused proposal.
    pub refused: Edit,
}

/// How two edits of different proposals clash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClashKind {
    /// Both replace the same byte.
    #[error("the edits overlap")]
    Overlap,
    /// One inserts strictly inside what the other replaces.
    #[error("an insertion lies inside a replaced range")]
    InsertInside,
    /// Both insert at one point, and not the same.
    #[error("two insertions at the same point")]
    InsertsAtOnePoint,
    /// One inserts where the other's replacement starts or ends.
    #[error("an insertion lies at the edge of a replaced range")]
    InsertAtEdge,
}

/// Accepts what can be accepted, by priority. The result is the same whatever order the proposals are in.
pub fn merge(text: &Text, mut proposals: Vec<EditProposal>) -> Merged {
    proposals.sort_by(|a, b| canonical_order(a).cmp(&canonical_order(b)));
    let mut merge = Merge::new(text);
    let (mut accepted, mut rejected) = (Vec::new(), Vec::new());
    for EditProposal { id, edits, .. } in proposals {
        match merge.accept(id, &edits) {
            Ok(()) => accepted.push(id),
            Err(reason) => rejected.push(RejectedProposal { id, reason }),
        }
    }
    Merged { edits: merge.finish(), accepted, rejected }
}

/// The id comes last: it only decides which of two equal proposals a clash names.
fn canonical_order(proposal: &EditProposal) -> (u64, &[Edit], ContentHash, usize) {
    (proposal.priority, proposal.edits.edits(), proposal.edits.base(), proposal.id)
}

/// Accepted edits to one text, to which further proposals are added one by one.
///
/// For a proposal over several files: [`check`](Merge::check) it in each, then accept it in all.
#[derive(Clone, Debug)]
pub struct Merge {
    base: ContentHash,
    /// The length of the text with the accepted edits.
    len: usize,
    /// Units by their start. They do not clash with one another, so no two start at one place.
    accepted: BTreeMap<u32, Accepted>,
}

#[derive(Clone, Debug)]
struct Accepted {
    id: usize,
    unit: Box<[Edit]>,
}

impl Merge {
    /// Nothing accepted yet.
    pub fn new(text: &Text) -> Merge {
        Merge { base: text.hash(), len: text.len(), accepted: BTreeMap::new() }
    }

    /// Whether [`accept`](Merge::accept) would succeed.
    pub fn check(&self, edits: &EditSet) -> Result<(), MergeError> {
        self.len_with(edits).map(|_| ())
    }

    /// Takes all the edits, or none and says why. `id` names the proposal in later clashes.
    pub fn accept(&mut self, id: usize, edits: &EditSet) -> Result<(), MergeError> {
        self.len = self.len_with(edits)?;
        for unit in units(edits) {
            self.accepted.entry(span(unit).0).or_insert_with(|| Accepted { id, unit: unit.into() });
        }
        Ok(())
    }

    /// All accepted edits as one set.
    pub fn finish(self) -> EditSet {
        let edits = self.accepted.into_values().flat_map(|accepted| accepted.unit).collect();
        EditSet::from_checked(self.base, edits)
    }

    fn len_with(&self, edits: &EditSet) -> Result<usize, MergeError> {
        if edits.base() != self.base {
            return Err(EditError::Stale { expected: edits.base(), found: self.base }.into());
        }
        let (mut added, mut removed) = (0, 0);
        for unit in units(edits) {
            match self.neighbours(unit).find(|it| *it.unit != *unit && units_clash(&it.unit, unit))
            {
                Some(accepted) => {
                    return Err(MergeError::Clash(Box::new(describe(accepted, unit))));
                }
                None if self.contains(unit) => {}
                None => {
                    added += unit.iter().map(|edit| edit.text.len()).sum::<usize>();
                    removed += (span(unit).1 - span(unit).0) as usize;
                }
            }
        }
        // Accepted edits replace other bytes, so the ones removed here are still part of `self.len`.
        let len = self.len + added - removed;
        if u32::try_from(len).is_err() {
            return Err(EditError::TooLarge { len }.into());
        }
        Ok(len)
    }

    fn contains(&self, unit: &[Edit]) -> bool {
        self.accepted.get(&span(unit).0).is_some_and(|it| *it.unit == *unit)
    }

    /// The accepted units that touch `unit`. At most two of them neither clash with it nor equal it.
    fn neighbours(&self, unit: &[Edit]) -> impl Iterator<Item = &Accepted> {
        let (start, end) = span(unit);
        let before =
            self.accepted.range(..start).next_back().filter(|(_, it)| span(&it.unit).1 >= start);
        before.into_iter().chain(self.accepted.range(start..=end)).map(|(_, it)| it)
    }
}

/// The runs of edits that an insertion holds together, each without gaps.
fn units(edits: &EditSet) -> impl Iterator<Item = &[Edit]> {
    edits.edits().chunk_by(|a, b| a.end == b.start && (is_insertion(a) || is_insertion(b)))
}

fn span(unit: &[Edit]) -> (u32, u32) {
    let [first, .., last] = unit else {
        return unit.first().map_or((0, 0), |only| (only.start, only.end));
    };
    (first.start, last.end)
}

fn is_insertion(edit: &Edit) -> bool {
    edit.start == edit.end
}

/// Whether two units that are not equal exclude each other. Inside a unit there is no gap, so that its span
/// and what is at its two ends decide.
fn units_clash(a: &[Edit], b: &[Edit]) -> bool {
    let ((a_start, a_end), (b_start, b_end)) = (span(a), span(b));
    let starts_or_ends_with_insertion = |unit: &[Edit]| {
        (unit.first().is_some_and(is_insertion), unit.last().is_some_and(is_insertion))
    };
    let ((a_first, a_last), (b_first, b_last)) =
        (starts_or_ends_with_insertion(a), starts_or_ends_with_insertion(b));
    a_start < b_end && b_start < a_end
        || a_end == b_start && (a_last || b_first)
        || b_end == a_start && (b_last || a_first)
}

/// The first two edits that make the units clash.
fn describe(accepted: &Accepted, unit: &[Edit]) -> Clash {
    let (theirs, ours, kind) = unit
        .iter()
        .flat_map(|ours| {
            let from = accepted.unit.partition_point(|theirs| theirs.end < ours.start);
            let touching =
                accepted.unit[from..].iter().take_while(|theirs| theirs.start <= ours.end);
            touching.filter_map(move |theirs| Some((theirs, ours, clash_kind(theirs, ours)?)))
        })
        .next()
        .expect("units that clash and are not equal differ beside an edit that both reach");
    Clash { with: accepted.id, kind, accepted: theirs.clone(), refused: ours.clone() }
}

fn clash_kind(a: &Edit, b: &Edit) -> Option<ClashKind> {
    if a == b || a.end < b.start || b.end < a.start {
        return None;
    }
    match (is_insertion(a), is_insertion(b)) {
        (true, true) => Some(ClashKind::InsertsAtOnePoint),
        (false, false) => (a.start < b.end && b.start < a.end).then_some(ClashKind::Overlap),
        (true, false) | (false, true) => {
            let at_edge = a.start == b.end || a.end == b.start;
            Some(if at_edge { ClashKind::InsertAtEdge } else { ClashKind::InsertInside })
        }
    }
}

#[cfg(test)]
mod tests;
