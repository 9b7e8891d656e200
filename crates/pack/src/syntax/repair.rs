//! Repairs of texts that do not parse, or that only some readers take. Each is tried before it is offered.

use std::sync::Arc;

use check::{
    Confidence, Diagnostic, Location, Repair, RepairKind, RepairOp, Safety, Severity, assign_ids,
    assign_repair_ids,
};
use document::{Document, Format, Limits, ParseError, Value};
use edit::{Edit, EditSet, Text};

use super::candidates::{TextCandidate, candidates};
use super::{CONTENT, DIALECT_RULE, ErrorSite, PARSE, PARSE_RULE, SyntaxReport, json, parse};
use crate::finding::Suggestion;
use crate::report::{self, ReportContext};

/// For a larger text no repair is looked for: what separates its values would take many times its size.
const MAX_REPAIRED_BYTES: usize = 1 << 20;

/// How many bytes are parsed to try candidates for one file.
const MAX_TRIED_BYTES: usize = 32 << 20;

/// How many repairs are offered where several edits make a text parse.
const MAX_OFFERS: usize = 3;

/// Adds to the finding about a text that does not parse the edits that make it parse.
pub(super) fn syntax(
    subject: &ReportContext<'_>,
    format: Format,
    error: &ParseError,
    limits: &Limits,
    looked: &mut SyntaxReport,
) {
    let text = subject.parsed.text();
    if text.len() > MAX_REPAIRED_BYTES || std::str::from_utf8(text.bytes()).is_err() {
        return;
    }
    let fault = ErrorSite::new(subject.parsed, error);
    let n_tries = MAX_TRIED_BYTES / text.len().max(1);
    let candidates = candidates(&fault, format);
    let is_all = candidates.len() <= n_tries;
    // What each comes to: edits that give the same value are one repair.
    let mut found: Vec<(TextCandidate, EditSet, Value)> = Vec::new();
    for candidate in candidates.into_iter().take(n_tries) {
        if candidate.edits.is_empty() {
            continue;
        }
        let Some((edits, value)) = tried(text, format, limits, &candidate.edits) else { continue };
        if !found.iter().any(|it| it.2 == value) {
            found.push((candidate, edits, value));
        }
    }
    let is_only = found.len() == 1 && is_all;
    // A guess about a value is offered only where nothing else helps.
    if found.iter().any(|it| !it.0.is_guess) {
        found.retain(|it| !it.0.is_guess);
    }
    let Some(diagnostic) = looked.diagnostics.first_mut().map(Arc::make_mut) else { return };
    let mut repairs: Vec<Repair> = Vec::new();
    for (candidate, edits, _) in found.into_iter().take(MAX_OFFERS) {
        let is_sure = is_only && !candidate.is_guess;
        let (safety, confidence) = match is_sure {
            true => (Safety::LikelyPreserving, Confidence::High),
            false => (Safety::BehaviorChanging, Confidence::Medium),
        };
        let rationale = match is_sure {
            true => {
                "It is the only small edit that makes the file parse, and it keeps every value."
            }
            false => "The file parses with it; other small edits would do as well.",
        };
        let ops = vec![RepairOp::Text { file: subject.file.clone(), edits }];
        repairs.push(Repair {
            safety,
            confidence,
            ..repair((PARSE, PARSE_RULE), diagnostic, &candidate.title, rationale, ops)
        });
    }
    assign_repair_ids(&mut repairs, subject.snapshot);
    diagnostic.repair_refs = repairs.iter().map(|it| it.id.clone()).collect();
    looked.repairs.extend(repairs.into_iter().map(Arc::new));
}

/// The edits and what the text says with them, if it parses.
fn tried(text: &Text, format: Format, limits: &Limits, edits: &[Edit]) -> Option<(EditSet, Value)> {
    let edits = EditSet::new(text, edits.to_vec()).ok()?;
    let after = edits.apply(text).ok()?;
    let document = parse(&after, format, limits)?;
    Some((edits, document.value()))
}

/// Says that a text has comments or trailing commas, which JSON has not.
pub(super) fn json_dialect(
    subject: &ReportContext<'_>,
    document: &Document,
    severity: Severity,
    looked: &mut SyntaxReport,
) {
    let text = document.text();
    let comments = document.comments();
    let commas = json::trailing_commas(text.bytes());
    let lines = subject.parsed.lines();
    let counted = |n: usize, message: &str| {
        let mut finding = report::finding(subject, DIALECT_RULE, severity, message);
        let count = document::Number::parse(&n.to_string());
        finding.details.extend(count.map(|it| ("count".to_owned(), Value::Number(it))));
        finding
    };
    let mut diagnostics = Vec::new();
    if let Some(first) = comments.first() {
        let message = "JSON has no comments, and many readers refuse a file that has one";
        diagnostics.push(Diagnostic {
            location: Location::new(lines, first.clone()),
            json_pointer: Some(String::new()),
            ..counted(comments.len(), message)
        });
    }
    let places: Vec<u32> = commas.iter().filter_map(|it| u32::try_from(*it).ok()).collect();
    let mut edits = None;
    if let Some(first) = places.first() {
        let message =
            "JSON has no comma before a closing bracket, and many readers refuse the file";
        diagnostics.push(Diagnostic {
            location: Location::new(lines, *first..*first + 1),
            json_pointer: Some(String::new()),
            ..counted(places.len(), message)
        });
        let deletions = places.iter().map(|it| Edit::delete(*it, *it + 1)).collect();
        edits = EditSet::new(text, deletions).ok();
    }
    assign_ids(&mut diagnostics);
    if let (Some(edits), Some(diagnostic)) = (edits, diagnostics.last_mut()) {
        let ops = vec![RepairOp::Text { file: subject.file.clone(), edits }];
        let title = match places.len() {
            1 => "remove the trailing comma".to_owned(),
            n => format!("remove {n} trailing commas"),
        };
        let rationale =
            "Every reader gets the same values from the file as before, or gets them at all.";
        let mut repairs = [repair((CONTENT, DIALECT_RULE), diagnostic, &title, rationale, ops)];
        assign_repair_ids(&mut repairs, subject.snapshot);
        diagnostic.repair_refs = repairs.iter().map(|it| it.id.clone()).collect();
        looked.repairs.extend(repairs.into_iter().map(Arc::new));
    }
    looked.diagnostics.extend(diagnostics.into_iter().map(Arc::new));
}

fn repair(
    (phase, rule_id): (&str, &str),
    diagnostic: &Diagnostic,
    title: &str,
    rationale: &str,
    ops: Vec<RepairOp>,
) -> Repair {
    let suggestion = Suggestion {
        title: title.to_owned(),
        rationale: rationale.to_owned(),
        safety: Safety::LikelyPreserving,
        confidence: Confidence::High,
        kind: RepairKind::LocalFix,
        ops,
    };
    Repair {
        phase: phase.to_owned(),
        rule_id: rule_id.to_owned(),
        ..suggestion.into_repair(diagnostic)
    }
}
