//! The choice: one repair after the other is taken if it goes with those that were taken before.
//!
//! What a provider says about batches is not looked at: whether repairs can be made together is decided by what they
//! touch (RS-50, RS-57).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use edit::{Edit, Merge, MergeError};
use snapshot::RelPath;

use crate::analyse::{Analysed, FileSpace, Part};
use crate::claims::Ledger;
use crate::ranking::Ranking;
use crate::{Reason, Rejection};

/// Chooses; the result has an entry for each candidate, `None` if it is accepted. `dropped` are candidates that were
/// found out not to be possible after all.
pub(crate) fn choose(
    ranking: &Ranking<'_>,
    applied: &BTreeSet<String>,
    dropped: &BTreeMap<usize, Rejection>,
) -> Vec<Option<Rejection>> {
    let mut choice = Choice {
        ranking,
        applied,
        dropped,
        verdicts: vec![None; ranking.ranked.len()],
        resolved: HashMap::new(),
        excluded: HashMap::new(),
        taken: ClaimedEdits::new(&ranking.files),
    };
    for &idx in &ranking.order {
        choice.visit(idx);
    }
    let decided = choice.verdicts.into_iter();
    decided.map(|it| it.expect("every candidate was visited").err()).collect()
}

struct Choice<'s, 'a> {
    ranking: &'s Ranking<'a>,
    applied: &'s BTreeSet<String>,
    dropped: &'s BTreeMap<usize, Rejection>,
    verdicts: Vec<Option<Result<(), Rejection>>>,
    /// Which accepted repair resolves a finding.
    resolved: HashMap<&'s str, usize>,
    /// Which accepted repair says that it cannot be combined with this one.
    excluded: HashMap<&'s str, usize>,
    taken: ClaimedEdits<'s>,
}

impl<'s, 'a> Choice<'s, 'a> {
    /// Decides about a candidate, after those that it requires. They do not require each other in a circle.
    fn visit(&mut self, idx: usize) {
        let mut path = vec![(idx, 0)];
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if self.verdicts[node].is_none()
                && let Some(rejection) = self.barrier(node)
            {
                self.verdicts[node] = Some(Err(rejection));
            }
            match self.ranking.requires[node].get(*next) {
                Some(required) if self.verdicts[node].is_none() => {
                    *next += 1;
                    path.push((*required, 0));
                }
                _ => {
                    if self.verdicts[node].is_none() {
                        self.verdicts[node] = Some(self.decide(node));
                    }
                    path.pop();
                }
            }
        }
    }

    fn barrier(&self, idx: usize) -> Option<Rejection> {
        let ranking = self.ranking;
        let barrier = ranking.barriers[idx].as_ref().or_else(|| self.dropped.get(&idx));
        let is_possible = barrier.is_none_or(|it| is_of_policy(it.reason));
        let wait = is_possible
            .then(|| ranking.waits.rejection(idx, &ranking.ranked, &|other| self.is_open(other)));
        wait.flatten().or_else(|| barrier.cloned())
    }

    /// Whether a candidate may be made once others are out of its way or somebody says so.
    fn is_open(&self, idx: usize) -> bool {
        let is_open = |idx: usize| {
            let barrier = self.ranking.barriers[idx].as_ref();
            let dropped = self.dropped.get(&idx).is_none_or(|it| it.reason == Reason::Conflict);
            dropped && barrier.is_none_or(|it| is_of_policy(it.reason))
        };
        is_open(idx) && self.ranking.requires[idx].iter().all(|it| is_open(*it))
    }

    fn decide(&mut self, idx: usize) -> Result<(), Rejection> {
        let ranking = self.ranking;
        let it: &'s Analysed<'a> = &ranking.ranked[idx];
        let is_refused = |it: &&usize| !matches!(self.verdicts[**it], Some(Ok(())));
        if let Some(required) = ranking.requires[idx].iter().find(is_refused) {
            let id = &ranking.ranked[*required].repair.id;
            return Err(Rejection {
                reason: Reason::PreconditionFailed,
                with: Some(id.clone()),
                detail: format!("it requires {id}, which is not applied"),
            });
        }
        if let Some((holder, path)) = self.taken.before_layout(&ranking.files, it) {
            // What a text looks like in the end is not known before.
            return Err(Rejection {
                reason: Reason::Waits,
                with: Some(self.id(holder).to_owned()),
                detail: format!(
                    "{path} is edited in this pass, so it is formatted in the next one"
                ),
            });
        }
        let conflict = self.declared_conflict(it).or_else(|| {
            let (holder, detail) = self.taken.conflict(&ranking.files, it)?;
            Some((self.id(holder), detail))
        });
        if let Some((id, detail)) = conflict {
            return Err(Rejection::conflict(id, detail));
        }
        self.taken.accept(&ranking.files, idx, it)?;
        for id in &it.repair.resolves {
            self.resolved.entry(id).or_insert(idx);
        }
        for id in &it.repair.compatibility.conflicts_with {
            self.excluded.entry(id).or_insert(idx);
        }
        Ok(())
    }

    /// RS-48, RS-51: alternatives, and what somebody says cannot be combined, in either direction.
    fn declared_conflict(&self, it: &'s Analysed<'a>) -> Option<(&'s str, String)> {
        let mut resolves = it.repair.resolves.iter();
        let taken = resolves.find_map(|id| Some((id, *self.resolved.get(id.as_str())?)));
        if let Some((id, holder)) = taken {
            return Some((self.id(holder), format!("both resolve {id}")));
        }
        let declared = "they are declared to be incompatible".to_owned();
        if let Some(holder) = self.excluded.get(it.repair.id.as_str()) {
            return Some((self.id(*holder), declared));
        }
        let holder = it.repair.compatibility.conflicts_with.iter().find(|id| {
            let idx = self.ranking.by_id.get(id.as_str());
            let is_accepted = idx.is_some_and(|idx| matches!(self.verdicts[*idx], Some(Ok(()))));
            is_accepted || self.applied.contains(*id)
        })?;
        Some((holder, declared))
    }

    fn id(&self, idx: usize) -> &'s str {
        &self.ranking.ranked[idx].repair.id
    }
}

/// Whether it only takes somebody's word.
fn is_of_policy(reason: Reason) -> bool {
    matches!(reason, Reason::NeedsApproval | Reason::LowConfidence)
}

/// What accepted repairs have taken of all files.
pub(crate) struct ClaimedEdits<'s> {
    files: Vec<FileTaken>,
    /// The edits of repairs that have nothing but text edits.
    texts: HashMap<Vec<(usize, &'s [Edit])>, usize>,
    /// The paths at which new files will stand, without regard to case.
    targets: BTreeMap<String, usize>,
}

/// What was taken of one file. The best repair decides whether it is edited as text or as a document.
enum FileTaken {
    Nothing,
    Text {
        first: usize,
        merge: Merge,
    },
    Document {
        first: usize,
        ledger: Ledger,
    },
    /// A file comes, goes or gets another path.
    Whole {
        first: usize,
    },
}

impl<'s> ClaimedEdits<'s> {
    pub(crate) fn new(files: &[FileSpace<'_>]) -> ClaimedEdits<'s> {
        let files = files.iter().map(|_| FileTaken::Nothing).collect();
        ClaimedEdits { files, texts: HashMap::new(), targets: BTreeMap::new() }
    }

    /// The accepted repair that this one cannot be combined with, and why.
    pub(crate) fn conflict(
        &self,
        files: &[FileSpace<'_>],
        it: &'s Analysed<'_>,
    ) -> Option<(usize, String)> {
        if let Some(holder) = text_edits(it).and_then(|edits| self.texts.get(&edits)) {
            return Some((*holder, "both make the same edits".to_owned()));
        }
        let of_file =
            |(file, part): &(usize, Part<'_>)| self.files[*file].conflict(&files[*file], part);
        it.parts.iter().find_map(of_file).or_else(|| {
            let mut targets = targets(files, it);
            targets.find_map(|path| {
                let detail = format!("{path} conflicts with the other files that are added");
                Some((self.beside(path)?, detail))
            })
        })
    }

    /// The accepted repair of a file that this one lays out.
    fn before_layout<'f>(
        &self,
        files: &'f [FileSpace<'_>],
        it: &Analysed<'_>,
    ) -> Option<(usize, &'f RelPath)> {
        let mut parts = it.parts.iter().filter(|_| it.repair.grounds.is_layout);
        parts.find_map(|(file, _)| Some((self.files[*file].first()?, files[*file].path)))
    }

    /// The accepted repair that puts a file at the path, above it or beneath it.
    fn beside(&self, path: &RelPath) -> Option<usize> {
        let folded = path.case_folded();
        let above = path.ancestors().find_map(|it| self.targets.get(&it.case_folded()));
        let from = format!("{folded}/");
        let beneath = self.targets.range(from.clone()..).next();
        let beneath = beneath.filter(|it| it.0.starts_with(&from)).map(|it| it.1);
        self.targets.get(&folded).or(above).or(beneath).copied()
    }

    /// Takes what a repair wants, in all its files or in none. It has no conflict.
    pub(crate) fn accept(
        &mut self,
        files: &[FileSpace<'_>],
        idx: usize,
        it: &'s Analysed<'_>,
    ) -> Result<(), Rejection> {
        for (file, part) in &it.parts {
            if let (Part::Text(edits), FileTaken::Text { merge, .. }) = (part, &self.files[*file])
                && let Err(refusal) = merge.check(edits)
            {
                return Err(Rejection::invalid(format!("{}: {refusal}", files[*file].path)));
            }
        }
        for (file, part) in &it.parts {
            self.files[*file].accept(&files[*file], idx, part);
        }
        self.targets.extend(targets(files, it).map(|path| (path.case_folded(), idx)));
        if let Some(edits) = text_edits(it) {
            self.texts.entry(edits).or_insert(idx);
        }
        Ok(())
    }
}

/// The paths at which a repair puts new files.
fn targets<'f>(
    files: &'f [FileSpace<'_>],
    it: &'f Analysed<'_>,
) -> impl Iterator<Item = &'f RelPath> {
    let is_target = |it: &&(usize, Part<'_>)| matches!(&it.1, Part::File(it) if it.is_target());
    it.parts.iter().filter(is_target).map(|(file, _)| files[*file].path)
}

fn text_edits<'s>(it: &'s Analysed<'_>) -> Option<Vec<(usize, &'s [Edit])>> {
    let edits = it.parts.iter().map(|(file, part)| match part {
        Part::Text(edits) => Some((*file, edits.edits())),
        Part::Document(_) | Part::File(_) => None,
    });
    edits.collect()
}

impl FileTaken {
    /// The best of the repairs that have taken something of it.
    fn first(&self) -> Option<usize> {
        match self {
            FileTaken::Nothing => None,
            FileTaken::Text { first, .. }
            | FileTaken::Document { first, .. }
            | FileTaken::Whole { first } => Some(*first),
        }
    }

    fn conflict(&self, file: &FileSpace<'_>, part: &Part<'_>) -> Option<(usize, String)> {
        let path = file.path;
        match (self, part) {
            (FileTaken::Nothing, _) => None,
            (FileTaken::Whole { first }, _) => {
                Some((*first, format!("{path} is added, deleted or renamed in this pass")))
            }
            (FileTaken::Text { first, .. } | FileTaken::Document { first, .. }, Part::File(_)) => {
                Some((*first, format!("{path} is edited in this pass")))
            }
            (FileTaken::Text { first, .. }, Part::Document(_)) => {
                Some((*first, format!("{path} is edited as text in this pass")))
            }
            (FileTaken::Document { first, .. }, Part::Text(_)) => {
                Some((*first, format!("{path} is edited as a document in this pass")))
            }
            (FileTaken::Text { merge, .. }, Part::Text(edits)) => match merge.check(edits) {
                Err(MergeError::Clash(clash)) => {
                    let (ours, theirs) = (&clash.refused, &clash.accepted);
                    let at = format!(
                        "bytes {}..{} against {}..{}",
                        ours.start, ours.end, theirs.start, theirs.end
                    );
                    Some((clash.with, format!("{path}: {}, {at}", clash.kind)))
                }
                _ => None,
            },
            (FileTaken::Document { ledger, .. }, Part::Document(part)) => {
                let places = file.places.as_ref()?;
                let (holder, place) = ledger.holder(places, &part.claims)?;
                Some((holder, format!("{path}: both write to `{}`", places.pointer(place))))
            }
        }
    }

    fn accept(&mut self, file: &FileSpace<'_>, idx: usize, part: &Part<'_>) {
        if let FileTaken::Nothing = self {
            *self = match (part, &file.text) {
                (Part::File(_), _) => FileTaken::Whole { first: idx },
                (Part::Text(_), Some(text)) => {
                    FileTaken::Text { first: idx, merge: Merge::new(text) }
                }
                _ => FileTaken::Document { first: idx, ledger: Ledger::default() },
            };
        }
        match (self, part) {
            (FileTaken::Text { merge, .. }, Part::Text(edits)) => {
                merge.accept(idx, edits).expect("it was checked, and belongs to this text");
            }
            (FileTaken::Document { ledger, .. }, Part::Document(part)) => {
                if let Some(places) = &file.places {
                    ledger.accept(places, idx, &part.claims);
                }
            }
            _ => {}
        }
    }
}
