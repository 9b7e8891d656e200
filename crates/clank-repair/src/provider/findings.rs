//! What the compiler says, as findings with places in the text and identities.

use std::collections::BTreeMap;

use check::{
    Compatibility, Concern, Confidence, Diagnostic, Grounds, Location, Related, Repair, RepairKind,
    RepairOp, Safety, Severity, Tier, assign_ids, assign_repair_ids,
};
use clank::CheckedModule;
use clank::body::{Goal, GoalKind, Hole};
use clank::code::Code;
use clank::proof::{Doubt, Proof};
use clank_syntax::Span;
use clank_syntax::ast::{Ast, NodeId};
use document::{Number, Value};
use edit::LineIndex;
use snapshot::{RelPath, Snapshot};

use super::file::FileState;
use super::repairs::FileRepairs;
use crate::FindingId;

/// The rule that a text is laid out as the formatter does it.
const FORMAT: &str = "CLANK_FORMAT";
/// The rule that nothing is left to be written.
const HOLE: &str = "CLANK_HOLE";
/// How much of the text a finding stands on goes into its identity.
const MAX_ANCHOR: usize = 200;

/// What is known about one file.
pub(super) struct OfFile<'a> {
    pub(super) path: &'a RelPath,
    pub(super) look: &'a FileState,
    pub(super) module: Option<&'a CheckedModule>,
    pub(super) repairs: Option<&'a FileRepairs>,
    /// Whether some repair is about to change it.
    pub(super) is_pending: bool,
}

impl OfFile<'_> {
    /// Everything that is to be said about the file, with ids.
    pub(super) fn findings(&self, snapshot: &Snapshot) -> (Vec<Diagnostic>, Vec<Repair>) {
        let OfFile { path, look, .. } = *self;
        let text = snapshot.file(path).map(|it| it.text()).unwrap_or_default();
        let bytes = text.bytes();
        // What repairs are made for, in the order of the diagnostics.
        let mut targets: Vec<Vec<FindingId>> = Vec::new();
        let mut diagnostics = Vec::new();
        if let Some((message, offset)) = look.problem() {
            diagnostics.push(unreadable(path, bytes, message, offset));
            targets.push(Vec::new());
        }
        if let Some(module) = self.module {
            let voice = FileReporter { path, ast: &module.ast, lines: LineIndex::new(bytes) };
            diagnostics.extend(module.diagnostics.iter().map(|it| voice.diagnostic(it)));
            targets.extend((0..module.diagnostics.len()).map(|it| vec![FindingId::Diagnostic(it)]));
            for (goals, diagnostic) in voice.obligations(module) {
                diagnostics.push(diagnostic);
                targets.push(goals);
            }
            diagnostics.extend(module.holes().map(|(node, it)| voice.hole(node, it)));
            targets.extend((0..module.holes().count()).map(|it| vec![FindingId::Hole(it)]));
        }
        if look.layout().is_some() {
            diagnostics.push(not_canonical(path));
        }
        assign_ids(&mut diagnostics);
        let known = self.repairs.into_iter().flat_map(FileRepairs::iter);
        let mut repairs: Vec<Repair> =
            known.map(|(it, ops)| text_repair(it, ops, &targets, &diagnostics)).collect();
        if let (Some(edits), Some(finding), false) =
            (look.layout(), diagnostics.last(), self.is_pending)
        {
            repairs.push(layout_repair(path, edits, finding));
        }
        assign_repair_ids(&mut repairs, snapshot);
        if let Some(known) = self.repairs {
            relate(&mut repairs, known);
        }
        (diagnostics, repairs)
    }
}

/// The table of repairs states the safety and the confidence of each (RS-58).
const STATED: Grounds = Grounds {
    is_stated: true,
    is_redundant: false,
    at_least: None,
    is_layout: false,
    is_step: false,
};

/// A repair of the compiler. A finding is resolved if everything that it stands for is.
fn text_repair(
    repair: &crate::Repair,
    ops: &[RepairOp],
    targets: &[Vec<FindingId>],
    diagnostics: &[Diagnostic],
) -> Repair {
    let is_resolved =
        |it: &Vec<FindingId>| !it.is_empty() && it.iter().all(|it| repair.resolves.contains(it));
    let mut resolved: Vec<(bool, &Diagnostic)> = targets
        .iter()
        .zip(diagnostics)
        .filter(|it| is_resolved(it.0))
        .map(|(targets, it)| (!repair.resolves.first().is_some_and(|it| targets.contains(it)), it))
        .collect();
    // The one that it was made for comes first.
    resolved.sort_by_key(|it| it.0);
    let first = resolved.first().map(|it| it.1);
    Repair {
        id: String::new(),
        title: repair.title.clone(),
        rationale: repair.rationale.clone(),
        source: "clank".to_owned(),
        phase: first.map_or("types", |it| it.phase.as_str()).to_owned(),
        rule_id: first.map_or(Code::E3001.name(), |it| it.rule_id.as_str()).to_owned(),
        severity: first.map_or(Severity::Warning, |it| it.severity),
        confidence: repair.confidence,
        safety: repair.safety,
        kind: repair.kind,
        ops: ops.to_vec(),
        resolves: resolved.iter().map(|it| it.1.diagnostic_id.clone()).collect(),
        reveals: repair.reveals.iter().map(|it| it.name().to_owned()).collect(),
        compatibility: Compatibility::default(),
        grounds: Grounds { at_least: Some(repair.class), ..STATED },
    }
}

/// Says by id what goes together; the compiler's repairs are the first of the list.
fn relate(repairs: &mut [Repair], known: &FileRepairs) {
    let ids: BTreeMap<usize, String> =
        known.texts.iter().zip(&*repairs).map(|(text, it)| (text.place, it.id.clone())).collect();
    let named = |places: &[usize]| places.iter().filter_map(|it| ids.get(it).cloned()).collect();
    for (repair, (known, _)) in repairs.iter_mut().zip(known.iter()) {
        let known = &known.compatibility;
        repair.compatibility = Compatibility {
            conflicts_with: named(&known.conflicts_with),
            requires: named(&known.requires),
            batch_key: known.batch_key.clone(),
            ..Compatibility::default()
        };
    }
}

fn finding(path: &RelPath, rule_id: &str, message: String) -> Diagnostic {
    Diagnostic {
        diagnostic_id: String::new(),
        rule_id: rule_id.to_owned(),
        source: "clank".to_owned(),
        phase: "types".to_owned(),
        tier: Tier::Semantic,
        concern: Concern::Problem,
        severity: Severity::Error,
        message,
        file: path.as_str().to_owned(),
        json_pointer: None,
        location: None,
        anchor: None,
        related: Vec::new(),
        details: BTreeMap::new(),
        repair_refs: Vec::new(),
    }
}

/// E0001 for a file that is not text.
fn unreadable(path: &RelPath, bytes: &[u8], message: &str, offset: Option<u32>) -> Diagnostic {
    let lines = LineIndex::new(bytes);
    Diagnostic {
        phase: "syntax".to_owned(),
        tier: Tier::Schema,
        location: offset.and_then(|it| Location::new(&lines, it..it)),
        ..finding(path, Code::E0001.name(), message.to_owned())
    }
}

fn not_canonical(path: &RelPath) -> Diagnostic {
    let message = "the layout is not canonical; `regreen fix` changes blanks and line breaks only";
    Diagnostic {
        phase: "style".to_owned(),
        tier: Tier::Policy,
        severity: Severity::Info,
        ..finding(path, FORMAT, message.to_owned())
    }
}

fn layout_repair(path: &RelPath, edits: &edit::EditSet, finding: &Diagnostic) -> Repair {
    Repair {
        id: String::new(),
        title: format!("Format {path}"),
        rationale:
            "Only blanks and line breaks between tokens change, so the program stays what it is."
                .to_owned(),
        source: "clank".to_owned(),
        phase: "style".to_owned(),
        rule_id: FORMAT.to_owned(),
        severity: Severity::Info,
        confidence: Confidence::High,
        safety: Safety::BehaviorPreserving,
        kind: RepairKind::Refactor,
        ops: vec![RepairOp::Text { file: path.clone(), edits: edits.clone() }],
        resolves: vec![finding.diagnostic_id.clone()],
        reveals: Vec::new(),
        compatibility: Compatibility::default(),
        grounds: STATED,
    }
}

/// Speaks about one file.
struct FileReporter<'a> {
    path: &'a RelPath,
    ast: &'a Ast,
    lines: LineIndex,
}

impl FileReporter<'_> {
    fn location(&self, span: Span) -> Option<Location> {
        Location::new(&self.lines, span.start..span.end)
    }

    fn anchor(&self, span: Span) -> Option<String> {
        let text = &self.ast.sources().first()?.text;
        let text = text.get(span.start as usize..span.end as usize)?;
        Some(text.chars().take(MAX_ANCHOR).collect())
    }

    fn diagnostic(&self, it: &clank::diagnostic::Diagnostic) -> Diagnostic {
        let is_syntax = it.code <= Code::E0009;
        let span = it.span.unwrap_or_else(|| self.ast.span(it.node));
        let message = match &it.help {
            Some(help) => format!("{}; {help}", it.message),
            None => it.message.clone(),
        };
        let related = it.related.iter().map(|it| Related {
            file: self.path.as_str().to_owned(),
            json_pointer: None,
            location: self.location(self.ast.span(it.node)),
            message: it.message.clone(),
        });
        let structured = &it.structured;
        let mut details: BTreeMap<String, Value> = structured
            .members
            .iter()
            .map(|(name, value)| ((*name).to_owned(), to_value(value)))
            .collect();
        details.insert("kind".to_owned(), Value::String(structured.kind.to_owned()));
        Diagnostic {
            phase: if is_syntax { "syntax" } else { "types" }.to_owned(),
            tier: if is_syntax { Tier::Schema } else { Tier::Semantic },
            severity: if it.code.is_error() { Severity::Error } else { Severity::Warning },
            location: self.location(span),
            anchor: self.anchor(span),
            related: related.collect(),
            details,
            ..finding(self.path, it.code.name(), message)
        }
    }

    /// Row 58: what is not proved is a warning, told once with all goals that it is. Assertions are checks that their
    /// author asked for (row 10).
    fn obligations(&self, module: &CheckedModule) -> Vec<(Vec<FindingId>, Diagnostic)> {
        let mut seen = BTreeMap::new();
        let mut all: Vec<(Vec<FindingId>, Diagnostic)> = Vec::new();
        for (index, (node, goal, proof)) in module.goals().enumerate() {
            let Proof::Unknown(doubt) = proof else { continue };
            if goal.kind == GoalKind::Assertion {
                continue;
            }
            let place = *seen.entry((node, goal.kind, goal.text.as_str())).or_insert(all.len());
            match all.get_mut(place) {
                Some(same) => same.0.push(FindingId::Goal(index)),
                None => {
                    all.push((vec![FindingId::Goal(index)], self.obligation(node, goal, doubt)));
                }
            }
        }
        all
    }

    fn obligation(&self, node: NodeId, it: &Goal, doubt: &Doubt) -> Diagnostic {
        let (rule, kind) = match it.kind {
            GoalKind::Refinement => (Code::E3001, "refinement"),
            GoalKind::Bounds => (Code::E3001, "bounds"),
            GoalKind::Division => (Code::E3001, "division"),
            GoalKind::Exponent => (Code::E3001, "exponent"),
            GoalKind::Overflow => (Code::E3001, "overflow"),
            GoalKind::Precondition => (Code::E3002, "precondition"),
            GoalKind::Postcondition => (Code::E3003, "postcondition"),
            GoalKind::Assertion => (Code::E3004, "assertion"),
        };
        let text = |it: &str| Value::String(it.to_owned());
        let mut details =
            BTreeMap::from([("kind".to_owned(), text(kind)), ("goal".to_owned(), text(&it.text))]);
        if !doubt.reason.is_empty() {
            details.insert("reason".to_owned(), text(&doubt.reason));
        }
        if let Some(example) = &doubt.counterexample {
            let members = example.values.iter().map(|(name, value)| (name.clone(), text(value)));
            details.insert("counterexample".to_owned(), Value::Object(members.collect()));
            details.insert("candidate".to_owned(), Value::Bool(example.is_candidate));
        }
        let message = format!("not proved: `{}`; it is checked when the program runs", it.text);
        let span = self.ast.span(node);
        Diagnostic {
            concern: Concern::Obligation,
            severity: Severity::Warning,
            location: self.location(span),
            anchor: self.anchor(span),
            details,
            ..finding(self.path, rule.name(), message)
        }
    }

    fn hole(&self, node: NodeId, it: &Hole) -> Diagnostic {
        let candidates = it.candidates.iter().map(|it| Value::String(it.text.clone()));
        let message = match it.candidates.first() {
            Some(best) => {
                format!("expected a value of type `{}`; `{}` would fit", it.expected, best.text)
            }
            None => format!("expected a value of type `{}`", it.expected),
        };
        let span = self.ast.span(node);
        Diagnostic {
            concern: Concern::Hole,
            severity: Severity::Warning,
            location: self.location(span),
            anchor: self.anchor(span),
            details: BTreeMap::from([
                ("expected".to_owned(), Value::String(it.expected.to_string())),
                ("candidates".to_owned(), Value::Array(candidates.collect())),
            ]),
            ..finding(self.path, HOLE, message)
        }
    }
}

fn to_value(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(it) => Value::Bool(*it),
        serde_json::Value::Number(it) => {
            Number::parse(&it.to_string()).map_or(Value::Null, Value::Number)
        }
        serde_json::Value::String(it) => Value::String(it.clone()),
        serde_json::Value::Array(items) => Value::Array(items.iter().map(to_value).collect()),
        serde_json::Value::Object(members) => {
            Value::Object(members.iter().map(|(name, it)| (name.clone(), to_value(it))).collect())
        }
    }
}
