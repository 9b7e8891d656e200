//! `plan-candidates`: choosing among many repairs: in one document, over many documents, as text edits, and all of
//! them in conflict with one another. The order of candidates is random; sorting as many keys stands beside it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::Result;
use check::{
    Compatibility, Concern, Confidence, Diagnostic, Grounds, Parses, Repair, RepairKind, RepairOp,
    Safety, Severity, Tier, assign_ids, assign_repair_ids,
};
use document::{Limits, Number, Op, Pointer, Value};
use edit::{Edit, EditSet, Text};
use plan::{Candidates, Policy};
use snapshot::{Entry, File, RelPath, Snapshot};

use crate::Scale;
use crate::measure::{Clock, best_of};
use crate::random::Random;
use crate::table::{Table, count, ratio, time};

/// Runs and prints the benchmark.
pub(crate) fn run(scale: Scale) -> Result<()> {
    let mut table =
        Table::new(&["what", "candidates", "accepted", "plan", "per candidate", "/ sort"]);
    for &n in scale.pick(&[1_000, 10_000, 100_000][..], &[200][..]) {
        for shape in
            [Shape::OneDocument, Shape::ManyDocuments, Shape::TextEdits, Shape::AllInConflict]
        {
            let case = Case::new(shape, n)?;
            let (elapsed, accepted) = best_of(Clock::Processor, 3, || (), |()| case.plan());
            let ids: Vec<String> = case.repairs.iter().map(|it| it.id.clone()).collect();
            let sort = |mut ids: Vec<String>| {
                ids.sort();
                ids
            };
            let (sorted, _) = best_of(Clock::Processor, 3, || ids.clone(), sort);
            table.row(vec![
                shape.name().to_owned(),
                count(n),
                count(accepted),
                time(elapsed),
                time(elapsed / n as u32),
                ratio(elapsed, sorted),
            ]);
        }
    }
    table.print("Ranking, lowering and choosing (processor time; documents are parsed before):");
    Ok(())
}

#[derive(Clone, Copy)]
enum Shape {
    OneDocument,
    ManyDocuments,
    TextEdits,
    AllInConflict,
}

impl Shape {
    fn name(self) -> &'static str {
        match self {
            Shape::OneDocument => "operations on one document",
            Shape::ManyDocuments => "operations, 100 in each document",
            Shape::TextEdits => "text edits of one file",
            Shape::AllInConflict => "operations, all on one place",
        }
    }
}

struct Case {
    snapshot: Snapshot,
    diagnostics: Vec<Arc<Diagnostic>>,
    repairs: Vec<Arc<Repair>>,
    parses: Parses,
}

impl Case {
    fn new(shape: Shape, n: usize) -> Result<Case> {
        let per_file = if matches!(shape, Shape::ManyDocuments) { 100 } else { n };
        let mut entries = BTreeMap::new();
        for start in (0..n).step_by(per_file) {
            let mut text = String::new();
            for index in start..n.min(start + per_file) {
                writeln!(text, "key-{index:06}: wrong  # {index}")?;
            }
            let file = File::new(Text::new(text), 0o644);
            entries.insert(path(start / per_file)?, Entry::File(file));
        }
        let snapshot = Snapshot::new(entries)?;
        let mut diagnostics = Vec::new();
        for index in 0..n {
            diagnostics.push(diagnostic(path(index / per_file)?.as_str(), index));
        }
        assign_ids(&mut diagnostics);
        let mut repairs = Vec::new();
        for (index, diagnostic) in diagnostics.iter().enumerate() {
            let file = path(index / per_file)?;
            let op = match shape {
                Shape::TextEdits => text_op(&snapshot, file, index)?,
                Shape::AllInConflict => document_op(file, 0, index),
                Shape::OneDocument | Shape::ManyDocuments => document_op(file, index, 1),
            };
            repairs.push(repair(diagnostic, op));
        }
        assign_repair_ids(&mut repairs, &snapshot);
        Random::new(3).shuffle(&mut repairs);
        Ok(Case {
            snapshot,
            diagnostics: diagnostics.into_iter().map(Arc::new).collect(),
            repairs: repairs.into_iter().map(Arc::new).collect(),
            parses: Parses::new(Limits::DEFAULT),
        })
    }

    fn plan(&self) -> usize {
        let policy = Policy { safety: Safety::LikelyPreserving, allow: BTreeSet::new() };
        let plan = plan::plan(&Candidates {
            snapshot: &self.snapshot,
            diagnostics: &self.diagnostics,
            repairs: &self.repairs,
            parses: &self.parses,
            policy: &policy,
            is_editable: &|_| true,
            barred: &BTreeMap::new(),
            applied: &BTreeSet::new(),
        });
        plan.ranked.iter().filter(|it| it.rejection.is_none()).count()
    }
}

fn path(index: usize) -> Result<RelPath> {
    Ok(RelPath::parse(&format!("files/{index:05}.yaml"))?)
}

fn key(index: usize) -> String {
    format!("key-{index:06}")
}

fn document_op(file: RelPath, index: usize, value: usize) -> RepairOp {
    let value = Value::Number(Number::from_integer(value as i128));
    let at = Pointer::root().join(key(index));
    RepairOp::Document { file, step: Op::ReplaceValue { at, value }.into() }
}

fn text_op(snapshot: &Snapshot, file: RelPath, index: usize) -> Result<RepairOp> {
    let text = &snapshot.file(&file).expect("the file was made above").text();
    let line = format!("key-{index:06}: wrong  # {index}\n");
    let digits = |it: usize| it.to_string().len();
    let fixed = line.len() - digits(index);
    let before: usize = (0..index).map(|it| fixed + digits(it)).sum::<usize>();
    let start = (before + "key-000000: ".len()) as u32;
    let edits = EditSet::new(text, vec![Edit::replace(start, start + 5, "right")])?;
    Ok(RepairOp::Text { file, edits })
}

fn diagnostic(file: &str, index: usize) -> Diagnostic {
    Diagnostic {
        diagnostic_id: String::new(),
        rule_id: format!("SEM_RULE_{}", index % 7),
        source: "bench".into(),
        phase: "semantic".into(),
        tier: Tier::Semantic,
        concern: Concern::Problem,
        severity: [Severity::Error, Severity::Warning][index % 2],
        message: "wrong".into(),
        file: file.into(),
        json_pointer: Some(format!("/{}", key(index))),
        location: None,
        anchor: None,
        related: Vec::new(),
        details: BTreeMap::new(),
        repair_refs: Vec::new(),
    }
}

fn repair(diagnostic: &Diagnostic, op: RepairOp) -> Repair {
    Repair {
        id: String::new(),
        title: "Mend it".into(),
        rationale: String::new(),
        source: diagnostic.source.clone(),
        phase: diagnostic.phase.clone(),
        rule_id: diagnostic.rule_id.clone(),
        severity: diagnostic.severity,
        confidence: Confidence::High,
        safety: Safety::LikelyPreserving,
        kind: RepairKind::LocalFix,
        ops: vec![op],
        resolves: vec![diagnostic.diagnostic_id.clone()],
        reveals: Vec::new(),
        compatibility: Compatibility::default(),
        grounds: Grounds::default(),
    }
}
