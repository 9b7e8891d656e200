//! What repairs would do, each made when somebody wants to show it.
//!
//! To lower one repair of a document is to parse the edited document again, so the previews of n repairs of one file
//! cost n times the file. Three things keep that away:
//!
//! - Front ends ask for what they show and nothing else.
//! - Repairs that give a value another text are lowered together, once for each file: every edit of the result lies in
//!   the value of one repair, and is what that repair does alone. If one edit does not, none of them is believed.
//! - A [`PreviewBudget`] bounds the bytes that are worked through for all others: what is beyond it is left out and
//!   counted, the same for the same input.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use check::{Parses, Repair, RepairOp};
use document::{Format, Limits, Op, Pointer};
use edit::{Edit, EditSet};
use snapshot::{RelPath, Snapshot, TreeChange};

use crate::failure::Failure;
use crate::reply::{Preview, PreviewEdit};
use crate::wire::changes::file_changes;

/// How many bytes of documents are lowered and parsed again for one output.
const MOST_BYTES: usize = 16 << 20;
/// How many repairs that cannot be made are taken out of a file's before all are lowered one by one.
const MOST_FAULTS: usize = 8;
/// Edits that are known are not parsed again: so many bytes of text cost as much as one of a document.
const TEXT_DISCOUNT: usize = 16;

/// What may still be spent on previews, and how many were left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreviewBudget {
    n_bytes: usize,
    n_left_out: usize,
}

impl Default for PreviewBudget {
    fn default() -> PreviewBudget {
        PreviewBudget { n_bytes: MOST_BYTES, n_left_out: 0 }
    }
}

impl PreviewBudget {
    /// How many previews were not made because nothing was left.
    pub fn n_left_out(&self) -> usize {
        self.n_left_out
    }

    fn spend(&mut self, n_bytes: usize) -> bool {
        match self.n_bytes.checked_sub(n_bytes) {
            Some(left) => {
                self.n_bytes = left;
                true
            }
            None => {
                self.n_left_out += 1;
                false
            }
        }
    }
}

/// The repairs of a reply on the tree that they were made for.
#[derive(Clone, Debug)]
pub struct Previews(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    snapshot: Snapshot,
    parses: Parses,
    repairs: BTreeMap<String, Arc<Repair>>,
    /// The edits of the repairs that could be lowered together, by id; for lookup only.
    together: OnceLock<HashMap<String, (RelPath, EditSet)>>,
}

impl Previews {
    pub(crate) fn new<'a>(
        snapshot: &Snapshot,
        repairs: impl Iterator<Item = &'a Arc<Repair>>,
    ) -> Previews {
        Previews(Arc::new(Inner {
            snapshot: snapshot.clone(),
            parses: Parses::new(Limits::DEFAULT),
            repairs: repairs.map(|it| (it.id.clone(), Arc::clone(it))).collect(),
            together: OnceLock::new(),
        }))
    }

    /// What the repair would do alone. `None` for a repair that cannot be made or that the reply does not list, and
    /// where the budget is spent.
    pub fn get(&self, id: &str, budget: &mut PreviewBudget) -> Option<Preview> {
        let (repair, known) = self.0.find(id)?;
        let n_bytes = cost(&self.0.snapshot, repair, known.is_some());
        if !budget.spend(n_bytes) {
            return None;
        }
        let change = self.0.change(repair, known)?;
        described(&self.0.snapshot, &change).ok()
    }

    /// The bytes that the repair alone would write, by file: a preview without its diff. `None` where [`Previews::get`]
    /// gives none, and for a repair that adds, deletes or renames a file, since that is not all that it does.
    pub fn edits(
        &self,
        id: &str,
        budget: &mut PreviewBudget,
    ) -> Option<BTreeMap<String, Vec<PreviewEdit>>> {
        let (repair, known) = self.0.find(id).filter(|it| !it.0.has_file_operation())?;
        if known.is_none() && !budget.spend(cost(&self.0.snapshot, repair, false)) {
            return None;
        }
        self.0.change(repair, known).map(|it| text_edits(&it))
    }
}

type FileEdits<'a> = Option<&'a (RelPath, EditSet)>;

impl Inner {
    fn find(&self, id: &str) -> Option<(&Arc<Repair>, FileEdits<'_>)> {
        let repair = self.repairs.get(id)?;
        let together = self
            .together
            .get_or_init(|| lower_together(&self.snapshot, &self.parses, &self.repairs));
        Some((repair, together.get(id)))
    }

    fn change(&self, repair: &Arc<Repair>, known: FileEdits<'_>) -> Option<TreeChange> {
        match known {
            Some((path, edits)) => {
                let edits = BTreeMap::from([(path.clone(), edits.clone())]);
                TreeChange::new(edits, BTreeMap::new(), BTreeMap::new(), BTreeMap::new()).ok()
            }
            None => plan::preview(&self.snapshot, &self.parses, repair).ok(),
        }
    }
}

/// The edits of each repair that gives one value of a document another text, and that shares no byte with another.
fn lower_together(
    snapshot: &Snapshot,
    parses: &Parses,
    repairs: &BTreeMap<String, Arc<Repair>>,
) -> HashMap<String, (RelPath, EditSet)> {
    let mut by_file: BTreeMap<&RelPath, Vec<(&Arc<Repair>, Pointer)>> = BTreeMap::new();
    for repair in repairs.values() {
        if let [RepairOp::Document { file, step }] = repair.ops.as_slice()
            && let Op::ReplaceValue { at, .. } | Op::SetValue { at, .. } = &step.op
        {
            by_file.entry(file).or_default().push((repair, at.clone()));
        }
    }
    let mut known = HashMap::new();
    // One repair alone is lowered alone.
    for (path, wanted) in by_file.into_iter().filter(|it| it.1.len() > 1) {
        for (id, edits) in lower_file(snapshot, parses, path, &wanted).unwrap_or_default() {
            known.insert(id, (path.clone(), edits));
        }
    }
    known
}

fn lower_file(
    snapshot: &Snapshot,
    parses: &Parses,
    path: &RelPath,
    wanted: &[(&Arc<Repair>, Pointer)],
) -> Option<Vec<(String, EditSet)>> {
    let text = &snapshot.file(path)?.text();
    let parsed = parses.get(text, Format::of_path(path.as_str())?);
    let pointers: Vec<Pointer> = wanted.iter().map(|it| it.1.clone()).collect();
    let found = parsed.document().ok()?.locate_many(&pointers);
    let mut placed: Vec<(Range<u32>, &Arc<Repair>)> = found
        .into_iter()
        .zip(wanted)
        .filter_map(|(found, (repair, _))| Some((found?.span, *repair)))
        .filter(|it| !it.0.is_empty())
        .collect();
    placed.sort_by_key(|it| (it.0.start, it.0.end));
    let mut end = 0;
    placed.retain(|(span, _)| {
        let is_apart = span.start >= end;
        end = if is_apart { span.end } else { end };
        is_apart
    });
    let mut change = None;
    for _ in 0..MOST_FAULTS {
        let repairs: Vec<Arc<Repair>> = placed.iter().map(|it| Arc::clone(it.1)).collect();
        match plan::lower(snapshot, parses, &repairs) {
            Ok(lowered) => {
                change = Some(lowered);
                break;
            }
            Err((culprit, _)) => drop(placed.remove(culprit)),
        }
    }
    let change = change?;
    let mut edits = change.edits().get(path)?.edits().iter().peekable();
    let mut known = Vec::with_capacity(placed.len());
    for (span, repair) in placed {
        let is_inside = |it: &&Edit| it.start >= span.start && it.end <= span.end;
        let mut mine = Vec::new();
        while let Some(edit) = edits.next_if(is_inside) {
            mine.push(edit.clone());
        }
        if !mine.is_empty() {
            known.push((repair.id.clone(), EditSet::new(text, mine).ok()?));
        }
    }
    // An edit that is nobody's alone would be missing in somebody's preview.
    edits.next().is_none().then_some(known)
}

/// What it costs to lower the repair, in bytes of documents.
fn cost(snapshot: &Snapshot, repair: &Repair, is_known: bool) -> usize {
    // Several operations on one file are lowered at once.
    let mut by_file = BTreeMap::new();
    for op in &repair.ops {
        let n_bytes = match op {
            RepairOp::AddFile { new, .. } => new.text.len(),
            op => snapshot.file(op.file()).map_or(0, |file| file.text().len()),
        };
        let is_text = is_known || !matches!(op, RepairOp::Document { .. });
        let discount = if is_text { TEXT_DISCOUNT } else { 1 };
        by_file.insert(op.file(), n_bytes / discount + 1);
    }
    by_file.values().sum()
}

/// What the repair would do alone; `None` if it cannot be made.
pub(crate) fn preview(
    snapshot: &Snapshot,
    parses: &Parses,
    repair: &Arc<Repair>,
) -> Result<Option<Preview>, Failure> {
    let Ok(change) = plan::preview(snapshot, parses, repair) else { return Ok(None) };
    described(snapshot, &change).map(Some)
}

fn described(snapshot: &Snapshot, change: &TreeChange) -> Result<Preview, Failure> {
    Ok(Preview { edits: text_edits(change), changes: file_changes(snapshot, change)? })
}

fn text_edits(change: &TreeChange) -> BTreeMap<String, Vec<PreviewEdit>> {
    let edits = change.edits().iter().map(|(path, edits)| {
        let edits = edits.edits().iter().map(|it| PreviewEdit {
            start: it.start,
            end: it.end,
            text: it.text.to_vec(),
        });
        (path.to_string(), edits.collect())
    });
    edits.collect()
}

#[cfg(test)]
mod tests {
    use check::{Compatibility, Confidence, Grounds, RepairKind, Safety, Severity};
    use document::{Number, Value};
    use edit::Text;
    use snapshot::{Entry, File};

    use super::*;

    fn repair(id: usize, path: &str, pointer: &str) -> Arc<Repair> {
        let op = Op::ReplaceValue {
            at: pointer.parse().unwrap(),
            value: Value::Number(Number::from_integer(id as i128)),
        };
        Arc::new(Repair {
            id: format!("r_{id}"),
            title: String::new(),
            rationale: String::new(),
            source: "test".into(),
            phase: "schema".into(),
            rule_id: "R".into(),
            severity: Severity::Error,
            confidence: Confidence::High,
            safety: Safety::LikelyPreserving,
            kind: RepairKind::LocalFix,
            ops: vec![RepairOp::Document { file: RelPath::parse(path).unwrap(), step: op.into() }],
            resolves: vec!["d_0".into()],
            reveals: Vec::new(),
            compatibility: Compatibility::default(),
            grounds: Grounds::default(),
        })
    }

    fn snapshot(path: &str, text: &str) -> Snapshot {
        let file = File::new(Text::new(text), 0o644);
        let entries = BTreeMap::from([(RelPath::parse(path).unwrap(), Entry::File(file))]);
        Snapshot::new(entries).unwrap()
    }

    /// Whatever else is listed beside a repair, its preview is what it does alone.
    #[test]
    fn a_preview_is_the_same_alone_and_beside_others() {
        let pointers = ["/a", "/b", "/b/c", "/b/d", "/b/d/0", "/b/d/1", "/e", "/e", "/f", "/none"];
        for (path, text) in [
            (
                "x.json",
                "{\"a\": \"x\", \"b\": {\"c\": [], \"d\": [1, {\"y\": 2}]}, \"e\": null, \"f\": true}",
            ),
            (
                "x.yaml",
                "a: |\n  text\n  more\nb:\n  c: >-\n    folded\n  d:\n    - one # kept\n    - {y: 2}\ne:\nf: &x 'it''s'\ng: *x\n",
            ),
            (
                "x.toml",
                "a = \"x\"\ne = 1.5\nf = 2020-01-01\n[b]\nc = [ 1,\n 2 ]\nd = [1, {y = 2}]\n",
            ),
        ] {
            let snapshot = snapshot(path, text);
            let all: Vec<_> =
                pointers.iter().enumerate().map(|(id, at)| repair(id, path, at)).collect();
            let together = Previews::new(&snapshot, all.iter());
            for it in &all {
                let alone = Previews::new(&snapshot, std::iter::once(it));
                let (mut one, mut other) = (PreviewBudget::default(), PreviewBudget::default());
                let expected = alone.get(&it.id, &mut one);
                assert_eq!(together.get(&it.id, &mut other), expected, "{path} {:?}", it.ops);
                let edits = together.edits(&it.id, &mut other);
                assert_eq!(edits, expected.map(|it| it.edits), "{path} {:?}", it.ops);
            }
        }
    }

    /// 5,000 previews of a file with 5,000 lines are known after it was lowered once; without that, they stop at the
    /// budget and the rest is counted.
    #[test]
    fn previews_of_many_repairs_of_one_file_are_bounded() {
        let text: String = (0..5_000).map(|it| format!("k{it}: wrong\n")).collect();
        let snapshot = snapshot("x.yaml", &text);
        let all: Vec<_> = (0..5_000).map(|it| repair(it, "x.yaml", &format!("/k{it}"))).collect();
        let previews = Previews::new(&snapshot, all.iter());
        let mut budget = PreviewBudget::default();
        assert!(all.iter().all(|it| previews.edits(&it.id, &mut budget).is_some()));
        assert_eq!(budget, PreviewBudget::default());
        let mut small =
            PreviewBudget { n_bytes: 3 * (text.len() / TEXT_DISCOUNT + 1), n_left_out: 0 };
        let made = all.iter().filter(|it| previews.get(&it.id, &mut small).is_some()).count();
        assert_eq!((made, small.n_left_out()), (3, 4_997));
    }
}
