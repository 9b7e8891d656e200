//! From accepted repairs to the edits of each file, and which repairs are to blame if a document refuses them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use check::Parses;
use document::{Document, Format};
use edit::{EditSet, Merge};
use snapshot::{Rename, TreeChange};

use crate::Rejection;
use crate::analyse::{Analysed, FileSpace, Part};
use crate::blame::{Culprit, find_culprits};
use crate::steps::DocumentPart;
use crate::together::lower_together;

/// How many times a small document is lowered to find out who is to blame. Beyond that, all that is left is refused.
const MAX_TRIES: usize = 512;

/// How many times a large one is lowered at least: enough to find one or two among 100,000.
const MIN_TRIES: usize = 40;

/// How many bytes are lowered and parsed again between those bounds.
const MAX_REWORK: usize = 256 << 20;

/// The edits of all files, made by some of the repairs.
pub(crate) struct Lowering<'s, 'a> {
    files: &'s [FileSpace<'a>],
    repairs: &'s [Analysed<'a>],
    parses: &'s Parses,
    /// What is known, by file: the repairs and their edits.
    done: HashMap<usize, (Vec<usize>, EditSet)>,
}

/// The repairs that cannot be made after all, with the reason.
pub(crate) type Offenders = BTreeMap<usize, Rejection>;

impl<'s, 'a> Lowering<'s, 'a> {
    pub(crate) fn new(
        files: &'s [FileSpace<'a>],
        repairs: &'s [Analysed<'a>],
        parses: &'s Parses,
    ) -> Lowering<'s, 'a> {
        Lowering { files, repairs, parses, done: HashMap::new() }
    }

    /// The change that these repairs make together, the first one first; or those that cannot be part of it.
    pub(crate) fn run(&mut self, accepted: &[usize]) -> Result<TreeChange, Offenders> {
        let mut by_file: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let (mut adds, mut deletes, mut renames) =
            (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for &idx in accepted {
            for (file, part) in &self.repairs[idx].parts {
                let path = self.files[*file].path;
                if let Part::File(part) = part {
                    adds.extend(part.add.map(|it| (path.clone(), it.clone())));
                    deletes.extend(part.delete.map(|base| (path.clone(), base)));
                    let rename = part.rename.map(|(to, base)| Rename { to: to.clone(), base });
                    renames.extend(rename.map(|it| (path.clone(), it)));
                }
                if self.part(idx, *file).is_some() {
                    by_file.entry(*file).or_default().push(idx);
                }
            }
        }
        let mut offenders = Offenders::new();
        let mut edits = BTreeMap::new();
        for (file, members) in by_file {
            match self.file(file, &members) {
                Ok(set) => {
                    edits.insert(self.files[file].path.clone(), set);
                }
                Err(found) => {
                    for (idx, rejection) in found {
                        offenders.entry(idx).or_insert(rejection);
                    }
                }
            }
        }
        if !offenders.is_empty() {
            return Err(offenders);
        }
        TreeChange::new(edits, adds, deletes, renames).map_err(|error| {
            // What repairs do to paths was compared when they were chosen, so this is for what nobody thought of.
            let is_moving = |idx: &&usize| self.repairs[**idx].repair.has_file_operation();
            let moving = accepted.iter().filter(is_moving);
            moving.map(|idx| (*idx, Rejection::invalid(error.to_string()))).collect()
        })
    }

    fn file(&mut self, file: usize, members: &[usize]) -> Result<EditSet, Offenders> {
        if let Some((known, edits)) = self.done.get(&file)
            && known == members
        {
            return Ok(edits.clone());
        }
        let parts: Vec<(usize, &'s Part<'a>)> =
            members.iter().filter_map(|idx| Some((*idx, self.part(*idx, file)?))).collect();
        let edits = match parts.first() {
            Some((_, Part::Document(_))) => self.document(file, &parts)?,
            _ => self.text(file, &parts)?,
        };
        self.done.insert(file, (members.to_vec(), edits.clone()));
        Ok(edits)
    }

    /// The edits that a repair makes to a file.
    fn part(&self, idx: usize, file: usize) -> Option<&'s Part<'a>> {
        let parts = &self.repairs[idx].parts;
        let at = parts.binary_search_by_key(&file, |(file, _)| *file).ok()?;
        match &parts[at].1 {
            Part::File(part) => part.edits.as_deref(),
            part => Some(part),
        }
    }

    fn text(&self, file: usize, parts: &[(usize, &Part<'a>)]) -> Result<EditSet, Offenders> {
        let space = &self.files[file];
        let Some(text) = &space.text else {
            return Err(blame_all(parts, &format!("{} does not exist", space.path)));
        };
        let mut merge = Merge::new(text);
        let mut offenders = Offenders::new();
        for (idx, part) in parts {
            let Part::Text(edits) = part else { continue };
            if let Err(refusal) = merge.accept(*idx, edits) {
                offenders.insert(*idx, Rejection::invalid(format!("{}: {refusal}", space.path)));
            }
        }
        if offenders.is_empty() { Ok(merge.finish()) } else { Err(offenders) }
    }

    fn document(&self, file: usize, parts: &[(usize, &Part<'a>)]) -> Result<EditSet, Offenders> {
        let space = &self.files[file];
        let path = space.path;
        let (Some(text), Some(places), Some(format)) =
            (&space.text, &space.places, Format::of_path(path.as_str()))
        else {
            return Err(blame_all(parts, &format!("{path} is not a document")));
        };
        let parsed = self.parses.get(text, format);
        let document: &Arc<Document> = match parsed.document() {
            Ok(document) => document,
            Err(error) => return Err(blame_all(parts, &format!("{path}: {error}"))),
        };
        let parts: Vec<(usize, &DocumentPart<'_>)> = parts
            .iter()
            .filter_map(|(idx, part)| match part {
                Part::Document(part) => Some((*idx, part)),
                Part::Text(_) | Part::File(_) => None,
            })
            .collect();
        let lower = |some: &[usize]| {
            let some: Vec<&DocumentPart<'_>> = some.iter().map(|at| parts[*at].1).collect();
            lower_together(document, places, &some).map_err(|refused| refused.words)
        };
        let all: Vec<usize> = (0..parts.len()).collect();
        let words = match lower(&all) {
            Ok(edits) => return Ok(edits),
            Err(words) => words,
        };
        let max_tries = (MAX_REWORK / text.len().max(1)).clamp(MIN_TRIES, MAX_TRIES);
        let culprits =
            find_culprits(parts.len(), words, max_tries, &mut |some| lower(some).map(|_| ()));
        let rejected = culprits.into_iter().map(|Culprit { it, beside, words }| {
            let rejection = match beside {
                None => Rejection::invalid(format!("{path}: {words}")),
                Some(beside) => Rejection::conflict(
                    &self.repairs[parts[beside].0].repair.id,
                    format!("{path}: it cannot be written beside the ones before it: {words}"),
                ),
            };
            (parts[it].0, rejection)
        });
        Err(rejected.collect())
    }
}

fn blame_all(parts: &[(usize, &Part<'_>)], detail: &str) -> Offenders {
    parts.iter().map(|(idx, _)| (*idx, Rejection::invalid(detail))).collect()
}
