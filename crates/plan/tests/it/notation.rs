//! Candidates as text, and the plan for them as text. Every case is also held against the laws of a plan.
//!
//! ```text
//! //- a.json
//! {"a": 1}
//! == r1 d1 e2 high preserving local needs=r0 not=r3 after=e3 batch=b
//! a.json replace /a 2
//! a.json 3..4 "text"
//! b.json new "text"
//! c.json gone
//! d.json to e.json
//! ```
//!
//! A finding is known by its id, whose first letter is its class: `e`rror, `o`bligation, `h`ole, `w`arning, `i`nfo;
//! `x` is one that does not exist. It is about the file of the first operation. `.` is the root pointer. A contract
//! states the safety and the confidence of a repair unless it is `unstated`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use check::{
    Compatibility, Concern, Confidence, Diagnostic, Grounds, Parses, Repair, RepairKind, RepairOp,
    Safety, Severity, Tier,
};
use document::{Format, GuardedOp, JsonType, Limits, Op, Pointer, Preconditions, Value};
use edit::{Edit, EditSet, Text};
use plan::{Candidates, Plan, Policy, Rejection, lower, plan, preview};
use snapshot::{Entry, File, NewFile, RelPath, Snapshot};

/// What a case consists of.
pub(crate) struct Case {
    pub(crate) snapshot: Snapshot,
    pub(crate) diagnostics: Vec<Arc<Diagnostic>>,
    pub(crate) repairs: Vec<Arc<Repair>>,
    pub(crate) policy: Policy,
    pub(crate) barred: BTreeMap<String, Rejection>,
    pub(crate) applied: BTreeSet<String>,
    pub(crate) not_editable: BTreeSet<String>,
    pub(crate) parses: Parses,
}

/// The plan for `input` must be `expected`: the candidates in rank order, then the changed files.
#[track_caller]
pub(crate) fn check(input: &str, expected: &str) {
    check_case(&parse(input), expected);
}

/// The same for a case that says more than the notation can.
#[track_caller]
pub(crate) fn check_case(case: &Case, expected: &str) {
    let plan = case.plan();
    assert_eq!(render(case, &plan).trim(), trim_lines(expected).trim());
    assert_laws(case, &plan);
}

impl Case {
    pub(crate) fn plan(&self) -> Plan {
        self.plan_of(&self.repairs)
    }

    pub(crate) fn plan_of(&self, repairs: &[Arc<Repair>]) -> Plan {
        plan(&Candidates {
            snapshot: &self.snapshot,
            diagnostics: &self.diagnostics,
            repairs,
            parses: &self.parses,
            policy: &self.policy,
            is_editable: &|path| !self.not_editable.contains(path.as_str()),
            barred: &self.barred,
            applied: &self.applied,
        })
    }
}

/// The accepted repairs of a plan, in rank order.
pub(crate) fn accepted(plan: &Plan) -> Vec<Arc<Repair>> {
    let accepted = plan.ranked.iter().filter(|it| it.rejection.is_none());
    accepted.map(|it| Arc::clone(&it.repair)).collect()
}

/// What holds of every plan: the order of the candidates does not show, the change is what lowering the accepted
/// repairs gives, each of them is possible alone, no two exclude each other, and batch keys mean nothing.
#[track_caller]
pub(crate) fn assert_laws(case: &Case, plan: &Plan) {
    let text = render(case, plan);
    let mut reversed = case.repairs.clone();
    reversed.reverse();
    let mut rotated = case.repairs.clone();
    rotated.rotate_left(case.repairs.len() / 2);
    for shuffled in [reversed, rotated] {
        let again = case.plan_of(&shuffled);
        assert_eq!(render(case, &again), text, "the order of the candidates shows");
        assert_eq!(again.change, plan.change);
    }
    assert_eq!(plan.ranked.len(), case.repairs.len());
    let accepted = accepted(plan);
    let lowered = lower(&case.snapshot, &case.parses, &accepted);
    assert_eq!(lowered.as_ref(), Ok(&plan.change), "lowering the accepted repairs");
    case.snapshot.apply(&plan.change).expect("the change is for this tree");
    for repair in &accepted {
        assert!(preview(&case.snapshot, &case.parses, repair).is_ok(), "{} alone", repair.id);
    }
    for pair in accepted.windows(2) {
        assert!(lower(&case.snapshot, &case.parses, pair).is_ok(), "two accepted repairs");
    }
    let keyed = |key: &str| -> Vec<Arc<Repair>> {
        let with_key = |it: &Arc<Repair>| {
            let mut repair = (**it).clone();
            repair.compatibility.batch_key = Some(key.to_owned());
            Arc::new(repair)
        };
        case.repairs.iter().map(with_key).collect()
    };
    assert_eq!(render(case, &case.plan_of(&keyed("one for all"))), text, "a batch key shows");
}

pub(crate) fn render(case: &Case, plan: &Plan) -> String {
    let mut lines = Vec::new();
    for it in &plan.ranked {
        let id = &it.repair.id;
        lines.push(match &it.rejection {
            None => format!("{id} {}/{}", it.scope.files, it.scope.node_count),
            Some(Rejection { reason, with, detail }) => {
                let with = with.as_ref().map(|it| format!(" {it}")).unwrap_or_default();
                format!("{id} {}{with}: {detail}", reason.name())
            }
        });
    }
    for (path, edits) in plan.change.edits() {
        let before = &case.snapshot.file(path).expect("an edited file is there").text();
        let after = edits.apply(before).expect("the edits are for this text");
        lines.push(format!("//- {path}"));
        lines.push(String::from_utf8_lossy(after.bytes()).trim_end().to_owned());
    }
    for (path, new) in plan.change.adds() {
        let text = String::from_utf8_lossy(new.text.bytes()).into_owned();
        lines.push(format!("//- {path} {:o}\n{}", new.mode, text.trim_end()));
    }
    lines.extend(plan.change.deletes().keys().map(|path| format!("{path} gone")));
    lines.extend(plan.change.renames().iter().map(|(path, it)| format!("{path} to {}", it.to)));
    trim_lines(&lines.join("\n"))
}

/// Without the indentation of the test, but for what is in files: those have none at their first line.
fn trim_lines(text: &str) -> String {
    let text = text.trim_matches('\n');
    let indent = text.len() - text.trim_start_matches(' ').len();
    let lines = text.lines().map(|line| {
        let n_spaces = line.len() - line.trim_start_matches(' ').len();
        line[n_spaces.min(indent)..].trim_end()
    });
    lines.collect::<Vec<_>>().join("\n")
}

pub(crate) fn parse(input: &str) -> Case {
    let mut entries: BTreeMap<RelPath, Entry> = BTreeMap::new();
    let mut file: Option<(RelPath, String)> = None;
    let mut heads: Vec<(String, Vec<String>)> = Vec::new();
    for line in trim_lines(input).lines() {
        if let Some(head) = line.strip_prefix("== ") {
            heads.push((head.to_owned(), Vec::new()));
        } else if let Some((_, ops)) = heads.last_mut() {
            ops.extend((!line.is_empty()).then(|| line.to_owned()));
        } else if let Some(path) = line.strip_prefix("//- ") {
            entries.extend(file.take().map(|(path, text)| (path, entry(&text))));
            file = Some((RelPath::parse(path).unwrap(), String::new()));
        } else if let Some((_, text)) = &mut file {
            text.push_str(line);
            text.push('\n');
        }
    }
    entries.extend(file.map(|(path, text)| (path, entry(&text))));
    let snapshot = Snapshot::new(entries).unwrap();
    let mut diagnostics: BTreeMap<String, Arc<Diagnostic>> = BTreeMap::new();
    let mut repairs = Vec::new();
    for (head, ops) in heads {
        let repair = parse_repair(&snapshot, &head, &ops);
        let file = repair.ops.first().map_or("none", |op| op.file().as_str());
        for id in repair.resolves.iter().filter(|id| !id.starts_with('x')) {
            let new = || Arc::new(diagnostic(id, file));
            diagnostics.entry(id.clone()).or_insert_with(new);
        }
        repairs.push(Arc::new(repair));
    }
    Case {
        snapshot,
        diagnostics: diagnostics.into_values().collect(),
        repairs,
        policy: Policy { safety: Safety::LikelyPreserving, allow: BTreeSet::new() },
        barred: BTreeMap::new(),
        applied: BTreeSet::new(),
        not_editable: BTreeSet::new(),
        parses: Parses::new(Limits::DEFAULT),
    }
}

fn entry(text: &str) -> Entry {
    match text.trim_end().strip_prefix("-> ") {
        Some(target) => Entry::Link { target: target.to_owned() },
        None => Entry::File(File::new(Text::new(text), 0o644)),
    }
}

pub(crate) fn diagnostic(id: &str, file: &str) -> Diagnostic {
    let (severity, concern) = match id.chars().next() {
        Some('w') => (Severity::Warning, Concern::Problem),
        Some('i') => (Severity::Info, Concern::Problem),
        Some('o') => (Severity::Error, Concern::Obligation),
        Some('h') => (Severity::Error, Concern::Hole),
        _ => (Severity::Error, Concern::Problem),
    };
    Diagnostic {
        diagnostic_id: id.to_owned(),
        rule_id: "RULE".to_owned(),
        source: "test".to_owned(),
        phase: "semantic".to_owned(),
        tier: Tier::Semantic,
        concern,
        severity,
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

pub(crate) fn repair(id: &str, resolves: &[&str], ops: Vec<RepairOp>) -> Repair {
    Repair {
        id: id.to_owned(),
        title: "title".to_owned(),
        rationale: String::new(),
        source: "test".to_owned(),
        phase: "semantic".to_owned(),
        rule_id: "RULE".to_owned(),
        severity: Severity::Error,
        confidence: Confidence::High,
        safety: Safety::BehaviorPreserving,
        kind: RepairKind::LocalFix,
        ops,
        resolves: resolves.iter().map(|it| (*it).to_owned()).collect(),
        reveals: Vec::new(),
        compatibility: Compatibility::default(),
        // Most cases are about other things than classes.
        grounds: Grounds { is_stated: true, ..Grounds::default() },
    }
}

fn parse_repair(snapshot: &Snapshot, head: &str, ops: &[String]) -> Repair {
    let mut words = head.split(' ');
    let id = words.next().unwrap();
    let ops = ops.iter().map(|op| parse_op(snapshot, op)).collect();
    let mut repair = repair(id, &[], ops);
    for word in words {
        match word.split_once('=') {
            Some(("needs", id)) => repair.compatibility.requires.push(id.to_owned()),
            Some(("not", id)) => repair.compatibility.conflicts_with.push(id.to_owned()),
            Some(("after", id)) => repair.compatibility.waits_for = Arc::new([id.to_owned()]),
            Some(("batch", key)) => repair.compatibility.batch_key = Some(key.to_owned()),
            Some(("title", title)) => repair.title = title.to_owned(),
            Some(("rule", rule)) => repair.rule_id = rule.to_owned(),
            Some(_) => panic!("unknown word {word}"),
            None => match word {
                "high" => repair.confidence = Confidence::High,
                "medium" => repair.confidence = Confidence::Medium,
                "low" => repair.confidence = Confidence::Low,
                "preserving" => repair.safety = Safety::BehaviorPreserving,
                "likely" => repair.safety = Safety::LikelyPreserving,
                "changing" => repair.safety = Safety::BehaviorChanging,
                "local" => repair.kind = RepairKind::LocalFix,
                "boundary" => repair.kind = RepairKind::BoundaryValidation,
                "refactor" => repair.kind = RepairKind::Refactor,
                "semantics" => repair.kind = RepairKind::SemanticsChange,
                "layout" => repair.grounds.is_layout = true,
                "unstated" => repair.grounds.is_stated = false,
                "redundant" => repair.grounds.is_redundant = true,
                id => repair.resolves.push(id.to_owned()),
            },
        }
    }
    repair
}

fn parse_op(snapshot: &Snapshot, line: &str) -> RepairOp {
    let (line, condition) = match line.split_once(" if ") {
        Some((line, condition)) => (line, Some(condition)),
        None => (line, None),
    };
    let (file, rest) = line.split_once(' ').unwrap();
    let file = RelPath::parse(file).unwrap();
    let words: Vec<&str> = rest.splitn(4, ' ').collect();
    if let Some((start, end)) = words[0].split_once("..") {
        let (_, new) = rest.split_once(' ').unwrap();
        let new = value(new).as_str().unwrap().to_owned();
        let edit = Edit::replace(start.parse().unwrap(), end.parse().unwrap(), new);
        let text = snapshot.file(&file).map_or_else(|| Text::new("gone"), |it| it.text());
        return RepairOp::Text { edits: EditSet::new(&text, vec![edit]).unwrap(), file };
    }
    let base = snapshot.file(&file).map_or(Text::new("gone").hash(), |it| it.text().hash());
    match words[0] {
        "new" => {
            let text = Text::new(value(words[1]).as_str().unwrap());
            return RepairOp::AddFile { file, new: NewFile { text, mode: 0o644 } };
        }
        "gone" => return RepairOp::DeleteFile { file, base },
        "outdated" => return RepairOp::DeleteFile { file, base: Text::new("older").hash() },
        "to" => {
            let to = RelPath::parse(words[1]).unwrap();
            return RepairOp::RenameFile { file, to, base };
        }
        _ => {}
    }
    let at = pointer(words[1]);
    let json = |from: usize| value(rest.splitn(from + 1, ' ').collect::<Vec<_>>()[from]);
    let op = match words[0] {
        "replace" => Op::ReplaceValue { at, value: json(2) },
        "set" => Op::SetValue { at, value: json(2) },
        "add" => Op::AddKey { at, key: words[2].to_owned(), value: json(3) },
        "remove" => Op::RemoveKey { at, key: words[2].to_owned() },
        "rename" => Op::RenameKey { at, from: words[2].to_owned(), to: words[3].to_owned() },
        "insert" => Op::InsertItem { at, index: words[2].parse().ok(), value: json(3) },
        "item" => Op::ReplaceItem { at, index: words[2].parse().unwrap(), value: json(3) },
        "drop" => Op::DeleteItem { at, index: words[2].parse().unwrap() },
        "delete" => Op::DeleteValue { at },
        "move" => Op::MoveValue { from: at, to: pointer(words[2]), keep_position: false },
        other => panic!("unknown operation {other}"),
    };
    let mut step = GuardedOp::from(op);
    if let Some(condition) = condition {
        let (name, expected) = condition.split_once('=').unwrap();
        step.expects = match name {
            "equals" => Preconditions { equals: Some(value(expected)), ..Preconditions::default() },
            "length" => Preconditions { length: expected.parse().ok(), ..Preconditions::default() },
            "type" => Preconditions {
                json_type: JsonType::from_name(expected),
                ..Preconditions::default()
            },
            other => panic!("unknown condition {other}"),
        };
    }
    RepairOp::Document { file, step }
}

fn pointer(text: &str) -> Pointer {
    if text == "." { Pointer::root() } else { text.parse().unwrap() }
}

pub(crate) fn value(json: &str) -> Value {
    document::parse(&Text::new(json), Format::Json, &Limits::DEFAULT).expect(json).value()
}
