//! From what rules say of one document to diagnostics and repairs with identities and places in the text.

use std::collections::{BTreeMap, HashMap};

use check::{
    Compatibility, Concern, Diagnostic, Kind, Location, Parsed, Repair, RepairOp, Severity, Tier,
    assign_ids, assign_repair_ids,
};
use document::{Pointer, Reason, Value};
use snapshot::{RelPath, Snapshot};

use crate::finding::{Anchor, Proposal, Violation};

/// The file that violations are about, and who speaks.
pub(crate) struct Subject<'a> {
    /// The provider's plain name.
    pub(crate) source: &'a str,
    pub(crate) phase: &'static str,
    pub(crate) tier: Tier,
    pub(crate) file: &'a RelPath,
    pub(crate) parsed: &'a Parsed,
    pub(crate) snapshot: &'a Snapshot,
}

/// The findings, in the order of the violations, and their repairs; all with ids. Ids count what is alike, so all that
/// one source says of one file by one rule belongs into one call.
pub(crate) fn into_findings(
    subject: &Subject<'_>,
    severity: &dyn Fn(&Violation) -> Severity,
    violations: Vec<Violation>,
) -> (Vec<Diagnostic>, Vec<Repair>) {
    let blocked = subject.parsed.document().ok().and_then(|it| it.blocked());
    let mut diagnostics: Vec<Diagnostic> = violations
        .iter()
        .map(|violation| {
            let mut diagnostic = Diagnostic {
                json_pointer: Some(violation.at.to_string()),
                location: location_of(subject.parsed, &violation.at, violation.anchor),
                details: violation.details.clone(),
                ..finding(subject, &violation.rule_id, severity(violation), &violation.message)
            };
            if let Some(refusal) = blocked.as_ref().filter(|_| !violation.proposals.is_empty()) {
                let reason = Value::String(refusal.to_string());
                diagnostic.details.insert("not_repaired_because".into(), reason);
            }
            diagnostic
        })
        .collect();
    assign_ids(&mut diagnostics);
    if blocked.is_some() {
        return (diagnostics, Vec::new());
    }
    let mut repairs = Vec::new();
    for (idx, violation) in violations.into_iter().enumerate() {
        for proposal in violation.proposals {
            repairs.push(repair(subject, &diagnostics, idx, proposal));
        }
    }
    assign_repair_ids(&mut repairs, subject.snapshot);
    refer(&mut diagnostics, &repairs);
    (diagnostics, repairs)
}

/// What keeps the document from being read or addressed: `SCHEMA_PARSE` or `SCHEMA_DUPLICATE_KEY`, with its id.
pub(crate) fn unreadable(subject: &Subject<'_>) -> Option<Diagnostic> {
    let (rule_id, offset, message, pointer) = match subject.parsed.document() {
        Err(error) => ("SCHEMA_PARSE", error.offset, format!("cannot be read: {error}"), None),
        Ok(document) => {
            let refusal = document.blocked()?;
            let Reason::DuplicateKey { .. } = refusal.reason else { return None };
            ("SCHEMA_DUPLICATE_KEY", refusal.offset, refusal.to_string(), Some(String::new()))
        }
    };
    let mut diagnostics = [Diagnostic {
        json_pointer: pointer,
        location: at_offset(subject.parsed, offset),
        ..finding(subject, rule_id, Severity::Error, &message)
    }];
    assign_ids(&mut diagnostics);
    let [diagnostic] = diagnostics;
    Some(diagnostic)
}

/// A finding about the file as a whole, without its id.
pub(crate) fn finding(
    subject: &Subject<'_>,
    rule_id: &str,
    severity: Severity,
    message: &str,
) -> Diagnostic {
    Diagnostic {
        diagnostic_id: String::new(),
        rule_id: rule_id.to_owned(),
        source: subject.source.to_owned(),
        phase: subject.phase.to_owned(),
        tier: subject.tier,
        concern: Concern::Problem,
        severity,
        message: message.to_owned(),
        file: subject.file.as_str().to_owned(),
        json_pointer: None,
        location: None,
        anchor: None,
        related: Vec::new(),
        details: BTreeMap::new(),
        repair_refs: Vec::new(),
    }
}

/// Where a pointer stands in the text; for one that leads nowhere, what is nearest to it.
pub(crate) fn location_of(parsed: &Parsed, at: &Pointer, anchor: Anchor) -> Option<Location> {
    let document = parsed.document().ok()?;
    let found = (0..=at.segments().len()).rev().find_map(|n| document.locate(&at.prefix(n)))?;
    let span = match anchor {
        Anchor::Key => found.key_span.unwrap_or(found.span),
        Anchor::Value => found.span,
    };
    Location::new(parsed.lines(), span)
}

/// The place of one character of the text.
pub(crate) fn at_offset(parsed: &Parsed, offset: u32) -> Option<Location> {
    let n_bytes = u32::try_from(parsed.text().len()).ok()?;
    let offset = offset.min(n_bytes);
    let ends = (offset.saturating_add(1)..=offset.saturating_add(4)).filter(|it| *it <= n_bytes);
    ends.chain([offset]).find_map(|end| Location::new(parsed.lines(), offset..end))
}

fn repair(
    subject: &Subject<'_>,
    diagnostics: &[Diagnostic],
    idx: usize,
    proposal: Proposal,
) -> Repair {
    let others = proposal.also_resolves.iter().copied().filter(|it| *it != idx);
    let resolves = [idx].into_iter().chain(others).filter_map(|it| diagnostics.get(it));
    let ops = proposal.steps.into_iter();
    Repair {
        id: String::new(),
        title: proposal.title,
        rationale: proposal.rationale,
        source: subject.source.to_owned(),
        phase: subject.phase.to_owned(),
        rule_id: diagnostics[idx].rule_id.clone(),
        severity: diagnostics[idx].severity,
        confidence: proposal.confidence,
        safety: proposal.safety,
        kind: Kind::LocalFix,
        ops: ops.map(|step| RepairOp::Document { file: subject.file.clone(), step }).collect(),
        resolves: resolves.map(|it| it.diagnostic_id.clone()).collect(),
        compatibility: Compatibility::default(),
    }
}

/// Every finding names the repairs that claim to resolve it, those of its own first.
fn refer(diagnostics: &mut [Diagnostic], repairs: &[Repair]) {
    let position: HashMap<String, usize> =
        diagnostics.iter().enumerate().map(|(idx, it)| (it.diagnostic_id.clone(), idx)).collect();
    let own = repairs.iter().flat_map(|it| it.resolves.iter().take(1).map(move |id| (id, it)));
    let others = repairs.iter().flat_map(|it| it.resolves.iter().skip(1).map(move |id| (id, it)));
    for (id, repair) in own.chain(others) {
        if let Some(idx) = position.get(id) {
            diagnostics[*idx].repair_refs.push(repair.id.clone());
        }
    }
}
