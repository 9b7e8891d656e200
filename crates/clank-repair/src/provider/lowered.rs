//! Repairs as edits to texts.
//!
//! A repair is lowered by a look at the declarations that it is about, which costs as much as they are long. Where that is
//! not enough the whole text is read again. Both are bounded by bytes, so that the same tree always gets the same repairs;
//! what is the best for something comes first.

use std::collections::{BTreeMap, BTreeSet};

use check::RepairOp;
use clank_syntax::Parsed;
use clank_syntax::ast::Name;
use clank_syntax::patch::{PatchOp, Patchable};
use edit::EditSet;
use rayon::prelude::*;
use snapshot::{RelPath, Snapshot};

use super::repairs::TextRepair;
use crate::Repair;

/// How many bytes are read again to offer the repairs of one file, where only what they are about is read.
const MAX_NEARBY: usize = 64 << 20;

/// How many bytes are read again for the repairs of one file that need whole texts.
const MAX_WHOLE: usize = 16 << 20;

/// The texts that repairs change, by file.
type Texts<'a> = BTreeMap<&'a Name, (RelPath, Patchable<'a>)>;

/// The repairs that edits to texts can make, with these.
pub(super) fn as_text(found: &[Repair], snapshot: &Snapshot) -> Vec<TextRepair> {
    let edits = found.iter().flat_map(|it| &it.edits);
    let files: BTreeSet<&Name> = edits.filter(|it| !it.1.is_empty()).map(|it| &it.0).collect();
    let read: Vec<(&Name, RelPath, Parsed)> =
        files.into_iter().filter_map(|it| read(it, snapshot)).collect();
    let texts: Texts<'_> =
        read.iter().map(|(file, path, it)| (*file, (path.clone(), Patchable::new(it)))).collect();
    let lowered = lowered(found, &texts).into_iter().enumerate();
    lowered.filter_map(|(place, ops)| Some(TextRepair { place, ops: ops? })).collect()
}

fn read<'n>(file: &'n Name, snapshot: &Snapshot) -> Option<(&'n Name, RelPath, Parsed)> {
    let path = RelPath::parse(file).ok()?;
    let text = snapshot.file(&path)?.text();
    let source = std::str::from_utf8(text.bytes()).ok()?;
    let parsed = clank_syntax::parse(path.as_str(), source);
    Some((file, path, parsed))
}

/// How much of a text is read again.
#[derive(Clone, Copy)]
enum Reread {
    Nearby,
    Whole,
}

impl Reread {
    /// How many bytes; nothing if that is not enough.
    fn n_bytes(self, text: &Patchable<'_>, ops: &[PatchOp]) -> Option<usize> {
        match self {
            Reread::Nearby => text.n_bytes_nearby(ops),
            Reread::Whole => Some(text.n_bytes()),
        }
    }

    fn edits(self, text: &Patchable<'_>, ops: &[PatchOp]) -> Option<EditSet> {
        match self {
            Reread::Nearby => text.edits_nearby(ops),
            Reread::Whole => text.edits(ops).ok(),
        }
    }
}

/// What each repair does to texts; nothing for one that cannot be made, or that there is no work left for.
fn lowered(found: &[Repair], texts: &Texts<'_>) -> Vec<Option<Vec<RepairOp>>> {
    let mut lowered: Vec<Option<Vec<RepairOp>>> = vec![None; found.len()];
    let mut left = best_first(found);
    for (how, max_bytes) in [(Reread::Nearby, MAX_NEARBY), (Reread::Whole, MAX_WHOLE)] {
        let mut n_bytes = 0_usize;
        let mut chosen = Vec::new();
        for &place in &left {
            let Some(more) = n_bytes_of(&found[place], texts, how) else { continue };
            n_bytes = n_bytes.saturating_add(more);
            if n_bytes > max_bytes {
                break;
            }
            chosen.push(place);
        }
        let ops: Vec<_> = chosen.par_iter().map(|it| text_ops(&found[*it], texts, how)).collect();
        for (place, ops) in chosen.into_iter().zip(ops) {
            lowered[place] = ops;
        }
        left.retain(|it| lowered[*it].is_none());
    }
    lowered
}

/// The places of repairs: in order, but those first that are the best for something.
fn best_first(found: &[Repair]) -> Vec<usize> {
    let mut resolved = BTreeSet::new();
    let (best, others): (Vec<usize>, Vec<usize>) = (0..found.len()).partition(|it| {
        let n_before = resolved.len();
        resolved.extend(found[*it].resolves.iter().copied());
        resolved.len() > n_before
    });
    [best, others].concat()
}

/// What a repair does to each file that it changes.
fn changed(repair: &Repair) -> impl Iterator<Item = (&Name, &[PatchOp])> {
    let all = repair.edits.iter().map(|(file, ops)| (file, ops.as_slice()));
    all.filter(|it| !it.1.is_empty())
}

fn n_bytes_of(repair: &Repair, texts: &Texts<'_>, how: Reread) -> Option<usize> {
    changed(repair).map(|(file, ops)| how.n_bytes(&texts.get(file)?.1, ops)).sum()
}

fn text_ops(repair: &Repair, texts: &Texts<'_>, how: Reread) -> Option<Vec<RepairOp>> {
    let ops = changed(repair).map(|(file, ops)| {
        let (path, text) = texts.get(file)?;
        let edits = how.edits(text, ops).filter(|it| !it.is_empty())?;
        Some(RepairOp::Text { file: path.clone(), edits })
    });
    ops.collect::<Option<Vec<_>>>().filter(|it| !it.is_empty())
}
