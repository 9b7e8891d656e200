//! How long a plan takes for many candidates, by hand: `cargo run --release -p regreen-plan --example many -- 100000`. A second
//! argument chooses the cases by a part of their names.
#![expect(clippy::print_stdout, reason = "the numbers are what it is for")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

use check::{
    Compatibility, Concern, Confidence, Diagnostic, Grounds, Parses, Repair, RepairKind, RepairOp,
    Safety, Severity, Tier,
};
use document::{Format, GuardedOp, Limits, Op, Pointer, Value};
use edit::{Edit, EditSet, Text};
use plan::{Candidates, Policy, plan};
use snapshot::{Entry, File, RelPath, Snapshot};

type Files = BTreeMap<RelPath, Entry>;
type Ops = Vec<Vec<RepairOp>>;

/// A name, and what makes the files and the operations of that many repairs.
type Case = (&'static str, fn(usize) -> (Files, Ops));

const CASES: [Case; 9] = [
    ("keys of one JSON object", |n| one_object(n, "a.json")),
    ("keys of one YAML map", |n| one_object(n, "a.yaml")),
    ("items of one array", |n| {
        one_array(n, |at, index, value| Op::ReplaceItem { at, index, value })
    }),
    ("new keys of one object", new_keys),
    ("100 in each file", many_files),
    ("text edits of one file", |n| text_edits(n, false)),
    ("text edits, all in conflict", |n| text_edits(n, true)),
    ("one place, all in conflict", one_place),
    ("deleted items of one array", |n| one_array(n, |at, index, _| Op::DeleteItem { at, index })),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let n = arguments.next().and_then(|it| it.parse().ok()).unwrap_or(10_000);
    let wanted = arguments.next().unwrap_or_default();
    println!("{n} candidates");
    for (name, make) in CASES.into_iter().filter(|(name, _)| name.contains(&wanted)) {
        run(name, make(n));
    }
}

fn run(name: &str, (files, all_ops): (Files, Ops)) {
    let snapshot = Snapshot::new(files).expect("the files have different names");
    let mut diagnostics = Vec::new();
    let mut repairs = Vec::new();
    for (number, ops) in all_ops.into_iter().enumerate() {
        let finding = format!("d_{number:012x}");
        diagnostics.push(Arc::new(diagnostic(&finding, ops[0].file().as_str())));
        repairs.push(Arc::new(repair(format!("r_{number:012x}"), finding, ops)));
    }
    let parses = Parses::new(Limits::DEFAULT);
    for (path, file) in snapshot.files() {
        if let Some(format) = Format::of_path(path.as_str()) {
            parses.get(&file.text(), format);
        }
    }
    let policy = Policy { safety: Safety::LikelyPreserving, allow: BTreeSet::new() };
    let start = Instant::now();
    let plan = plan(&Candidates {
        snapshot: &snapshot,
        diagnostics: &diagnostics,
        repairs: &repairs,
        parses: &parses,
        policy: &policy,
        is_editable: &|_| true,
        barred: &BTreeMap::new(),
        applied: &BTreeSet::new(),
    });
    let took = start.elapsed();
    let n_accepted = plan.ranked.iter().filter(|it| it.rejection.is_none()).count();
    println!("{name:30} {:>9.1} ms, {n_accepted} accepted", took.as_secs_f64() * 1e3);
}

fn path(name: &str) -> RelPath {
    RelPath::parse(name).expect("a plain name")
}

fn entry(text: String) -> Entry {
    Entry::File(File::new(Text::new(text), 0o644))
}

fn document_op(file: &RelPath, op: Op) -> Vec<RepairOp> {
    vec![RepairOp::Document { file: file.clone(), step: GuardedOp::from(op) }]
}

fn object_text(n: usize) -> String {
    let mut text = "{\n".to_owned();
    for key in 0..n {
        let comma = if key + 1 == n { "" } else { "," };
        writeln!(text, "  \"key{key}\": {{\"port\": \"80\"}}{comma}").expect("a string takes all");
    }
    text + "}\n"
}

fn one_object(n: usize, name: &str) -> (Files, Ops) {
    let file = path(name);
    let text = if name.ends_with("yaml") {
        (0..n).map(|key| format!("key{key}:\n  port: \"80\" # why\n")).collect()
    } else {
        object_text(n)
    };
    let op = |key| {
        let at = Pointer::root().join(format!("key{key}")).join("port");
        document_op(&file, Op::ReplaceValue { at, value: Value::Bool(true) })
    };
    (Files::from([(file.clone(), entry(text))]), (0..n).map(op).collect())
}

fn one_array(n: usize, op: fn(Pointer, usize, Value) -> Op) -> (Files, Ops) {
    let file = path("a.json");
    let items: Vec<String> = (0..n).map(|item| item.to_string()).collect();
    let text = format!("[{}]\n", items.join(",\n"));
    let ops = (0..n).map(|index| document_op(&file, op(Pointer::root(), index, Value::Bool(true))));
    let ops = ops.collect();
    (Files::from([(file, entry(text))]), ops)
}

fn new_keys(n: usize) -> (Files, Ops) {
    let file = path("a.json");
    let op = |key| {
        let (at, key) = (Pointer::root(), format!("new{key}"));
        document_op(&file, Op::AddKey { at, key, value: Value::Null })
    };
    let ops = (0..n).map(op).collect();
    (Files::from([(file, entry("{\n  \"a\": 1\n}\n".to_owned()))]), ops)
}

fn many_files(n: usize) -> (Files, Ops) {
    let (mut files, mut all) = (Files::new(), Ops::new());
    for number in 0..n.div_ceil(100) {
        let name = format!("dir/{number}.json");
        let (more, ops) = one_object(100, &name);
        files.extend(more);
        all.extend(ops);
    }
    (files, all)
}

fn text_edits(n: usize, do_all_conflict: bool) -> (Files, Ops) {
    let file = path("a.txt");
    let text = "0123456789\n".repeat(n);
    let whole = Text::new(text.clone());
    let op = |number: usize| {
        let start = if do_all_conflict { 0 } else { u32::try_from(number * 11).expect("small") };
        let new = format!("{number}");
        let edits = EditSet::new(&whole, vec![Edit::replace(start, start + 3, new)]);
        vec![RepairOp::Text { file: file.clone(), edits: edits.expect("it lies in the text") }]
    };
    (Files::from([(file.clone(), entry(text))]), (0..n).map(op).collect())
}

fn one_place(n: usize) -> (Files, Ops) {
    let file = path("a.json");
    let op = |number: usize| {
        let value = Value::String(number.to_string());
        document_op(&file, Op::ReplaceValue { at: Pointer::root().join("key0"), value })
    };
    (Files::from([(file.clone(), entry(object_text(n)))]), (0..n).map(op).collect())
}

fn diagnostic(id: &str, file: &str) -> Diagnostic {
    Diagnostic {
        diagnostic_id: id.to_owned(),
        rule_id: "RULE".to_owned(),
        source: "example".to_owned(),
        phase: "semantic".to_owned(),
        tier: Tier::Semantic,
        concern: Concern::Problem,
        severity: Severity::Error,
        message: String::new(),
        file: file.to_owned(),
        json_pointer: None,
        location: None,
        anchor: None,
        related: Vec::new(),
        details: BTreeMap::new(),
        repair_refs: Vec::new(),
    }
}

fn repair(id: String, finding: String, ops: Vec<RepairOp>) -> Repair {
    Repair {
        id,
        title: "title".to_owned(),
        rationale: String::new(),
        source: "example".to_owned(),
        phase: "semantic".to_owned(),
        rule_id: "RULE".to_owned(),
        severity: Severity::Error,
        confidence: Confidence::High,
        safety: Safety::BehaviorPreserving,
        kind: RepairKind::LocalFix,
        ops,
        resolves: vec![finding],
        reveals: Vec::new(),
        compatibility: Compatibility::default(),
        grounds: Grounds::default(),
    }
}
