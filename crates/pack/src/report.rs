//! From what rules say of one document to diagnostics and repairs with identities and places in the text.

pub(crate) mod rules;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use check::{
    Diagnostic, Location, Parsed, Repair, RepairOp, RuleOrigin, Severity, Tier, Unchecked,
    assign_ids, assign_repair_ids,
};
use document::{
    Document, Format, GuardedOp, Op, ParseErrorKind, Pointer, Refusal, RefusalReason, Value,
    ValueSpans,
};
use edit::EditSet;
use snapshot::{RelPath, Snapshot};

use crate::finding::{MemberPart, SchemaRepair, SchemaViolation};
use crate::schema::cut;

/// The detail that says why a finding has no repair though what would mend it is known.
pub(crate) const NOT_REPAIRED: &str = "not_repaired_because";

/// How many repeated keys of one file are named.
const MAX_DUPLICATES: usize = 100;

const MAX_TITLE: usize = 120;

const PARSE_RULE: &str = "SCHEMA_PARSE";

/// The file that violations are about, and who speaks.
pub(crate) struct ReportContext<'a> {
    /// The provider's plain name.
    pub(crate) source: &'a str,
    pub(crate) phase: &'static str,
    pub(crate) tier: Tier,
    pub(crate) file: &'a RelPath,
    pub(crate) parsed: &'a Parsed,
    /// Which document of the text.
    pub(crate) index: usize,
    pub(crate) snapshot: &'a Snapshot,
}

impl ReportContext<'_> {
    /// The document, if the text could be read.
    fn document(&self) -> Option<Arc<Document>> {
        self.parsed.document().ok()?.nth(self.index)
    }
}

/// The findings, in the order of the violations, and their repairs; all with ids. Ids count what is alike, so all that
/// one source says of one file by one rule belongs into one call. What the document would refuse is not proposed: the
/// finding says why in `not_repaired_because`.
pub(crate) fn into_findings(
    subject: &ReportContext<'_>,
    severity: &dyn Fn(&SchemaViolation) -> Severity,
    mut violations: Vec<SchemaViolation>,
) -> (Vec<Diagnostic>, Vec<Repair>) {
    let at_anchors = join_aliases(subject, &mut violations);
    drop_refused(subject, &at_anchors, &mut violations);
    let locations = locations(subject, &violations);
    let mut diagnostics: Vec<Diagnostic> = violations
        .iter_mut()
        .zip(locations)
        .map(|(violation, location)| Diagnostic {
            json_pointer: Some(violation.at.to_string()),
            location,
            details: std::mem::take(&mut violation.details),
            ..finding(subject, &violation.rule_id, severity(violation), &violation.message)
        })
        .collect();
    assign_ids(&mut diagnostics);
    let mut repairs = Vec::new();
    for (idx, violation) in violations.into_iter().enumerate() {
        for proposal in violation.proposals {
            let steps = at_anchors.contains(&idx).then(|| proposal.steps.clone());
            let mut repair = repair(subject, &diagnostics, idx, proposal);
            if let Some(steps) = steps {
                let Some(edits) = lowered_at_anchor(subject, &steps) else { continue };
                repair.ops = vec![RepairOp::Text { file: subject.file.clone(), edits }];
            }
            repairs.push(repair);
        }
    }
    assign_repair_ids(&mut repairs, subject.snapshot);
    refer(&mut diagnostics, &repairs);
    (diagnostics, repairs)
}

/// What is wrong at the places of several aliases is one finding, where it is written. Says which of the violations
/// that are left stand for more than one place.
fn join_aliases(
    subject: &ReportContext<'_>,
    violations: &mut Vec<SchemaViolation>,
) -> BTreeSet<usize> {
    let Some(document) = subject.document() else { return BTreeSet::new() };
    let has_aliases = memchr::memchr(b'*', subject.parsed.text().bytes()).is_some();
    if document.format() != Format::Yaml || !has_aliases || violations.is_empty() {
        return BTreeSet::new();
    }
    let found =
        document.locate_many(&violations.iter().map(|it| it.at.clone()).collect::<Vec<_>>());
    let mut groups: BTreeMap<(String, u32, u32), Vec<usize>> = BTreeMap::new();
    for (idx, (violation, found)) in violations.iter().zip(&found).enumerate() {
        if let Some(found) = found {
            let place = (violation.rule_id.clone(), found.span.start, found.span.end);
            groups.entry(place).or_default().push(idx);
        }
    }
    let mut is_left = vec![true; violations.len()];
    let mut stands_for_more = vec![false; violations.len()];
    let is_direct: Vec<bool> = violations.iter().map(|it| document.is_direct(&it.at)).collect();
    let indirect: Vec<usize> = (0..violations.len()).filter(|it| !is_direct[*it]).collect();
    let pointers: Vec<Pointer> = indirect.iter().map(|it| violations[*it].at.clone()).collect();
    let mut written: BTreeMap<usize, Pointer> = indirect
        .into_iter()
        .zip(document.written_at(&pointers))
        .filter_map(|(idx, place)| Some((idx, place?)))
        .collect();
    for group in groups.into_values() {
        let direct: Vec<usize> = group.iter().copied().filter(|it| is_direct[*it]).collect();
        let owner = match direct[..] {
            [owner] => owner,
            // Nothing is said of the place itself: what is wrong is how others use it.
            [] => match written.remove(&group[0]) {
                Some(place) => {
                    stands_for_more[group[0]] = move_to(&mut violations[group[0]], place);
                    group[0]
                }
                None => continue,
            },
            // Two findings of one rule at one place, both written there, are two.
            _ => continue,
        };
        for other in group.into_iter().filter(|it| *it != owner) {
            is_left[other] = false;
            stands_for_more[owner] = true;
        }
    }
    let mut n_left = 0;
    let mut new_index = vec![0; violations.len()];
    for (idx, is_left) in is_left.iter().enumerate() {
        new_index[idx] = n_left;
        n_left += usize::from(*is_left);
    }
    let mut position = 0;
    violations.retain(|_| {
        position += 1;
        is_left[position - 1]
    });
    for proposal in violations.iter_mut().flat_map(|it| &mut it.proposals) {
        proposal.also_resolves.retain(|it| is_left[*it]);
        proposal.also_resolves.iter_mut().for_each(|it| *it = new_index[*it]);
    }
    let more = (0..new_index.len()).filter(|it| stands_for_more[*it]);
    more.map(|it| new_index[it]).collect()
}

/// Lets a finding, and the repairs of it that change nothing else, be about the place where the value is written.
/// Whether there is such a repair.
fn move_to(violation: &mut SchemaViolation, place: Pointer) -> bool {
    let from = std::mem::replace(&mut violation.at, place);
    let (Some((from_object, from_key)), Some((object, key))) =
        (from.split_last(), violation.at.split_last())
    else {
        violation.proposals.clear();
        return false;
    };
    violation.proposals.retain_mut(|proposal| {
        proposal.steps.iter_mut().all(|step| match &mut step.op {
            Op::ReplaceValue { at, .. } if *at == from => {
                *at = violation.at.clone();
                true
            }
            Op::RenameKey { at, from, .. }
                if *at == from_object && *from == from_key && from_key == key =>
            {
                *at = object.clone();
                true
            }
            _ => false,
        })
    });
    !violation.proposals.is_empty()
}

/// The edits of a repair that changes what aliases stand for, at all their places.
fn lowered_at_anchor(subject: &ReportContext<'_>, steps: &[GuardedOp]) -> Option<EditSet> {
    let mut draft = subject.document()?.draft();
    draft.edit_anchors();
    steps.iter().try_for_each(|it| draft.apply(it).map(|_| ())).ok()?;
    draft.lower().ok()
}

/// Tries every proposal alone on one draft of the document.
fn drop_refused(
    subject: &ReportContext<'_>,
    at_anchors: &BTreeSet<usize>,
    violations: &mut [SchemaViolation],
) {
    let Some(document) = subject.document() else { return };
    for step in violations.iter_mut().flat_map(|it| &mut it.proposals).flat_map(|it| &mut it.steps)
    {
        step.document = subject.index;
    }
    if violations.iter().all(|it| it.proposals.is_empty()) {
        return;
    }
    let mut draft = document.draft();
    let mut anchors = document.draft();
    anchors.edit_anchors();
    for (idx, violation) in violations.iter_mut().enumerate() {
        let draft = if at_anchors.contains(&idx) { &mut anchors } else { &mut draft };
        let mut refusal = None;
        violation.proposals.retain(|proposal| {
            let savepoint = draft.savepoint();
            let tried = proposal.steps.iter().try_for_each(|it| draft.apply(it).map(|_| ()));
            draft.roll_back(savepoint);
            let is_possible = tried.is_ok();
            refusal = refusal.take().or(tried.err());
            is_possible
        });
        if let Some(refusal) = refusal.filter(|_| violation.proposals.is_empty()) {
            violation.details.insert(NOT_REPAIRED.into(), Value::String(refusal.to_string()));
        }
    }
}

/// What keeps the document from being looked at as a whole, if there is something.
pub(crate) fn not_whole(parsed: &Parsed) -> Option<Unchecked> {
    match parsed.document() {
        Err(error) if error.kind == ParseErrorKind::TooLarge => Some(Unchecked::TooComplex),
        Err(_) => Some(Unchecked::SyntaxError),
        Ok(document) => document.all().find_map(|it| match it.blocked()?.reason {
            RefusalReason::DuplicateKey { .. } => Some(Unchecked::DuplicateKey),
            _ => None,
        }),
    }
}

/// What keeps the document from being read or addressed: `SCHEMA_PARSE`, or a `SCHEMA_DUPLICATE_KEY` for every key that
/// its object has twice; with ids. That a document goes beyond what is parsed does not mean that it is wrong.
pub(crate) fn unreadable(subject: &ReportContext<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = match subject.parsed.document() {
        Err(error) => {
            let (severity, what) = match error.kind {
                ParseErrorKind::TooLarge => (Severity::Warning, "not checked"),
                _ => (Severity::Error, "cannot be read"),
            };
            vec![Diagnostic {
                location: at_offset(subject.parsed, error.offset),
                ..finding(subject, PARSE_RULE, severity, &format!("{what}: {error}"))
            }]
        }
        Ok(document) => document
            .all()
            .flat_map(|it| match it.blocked() {
                Some(Refusal { reason: RefusalReason::DuplicateKey { key }, offset }) => {
                    duplicate_keys(subject, &it, &key, offset)
                }
                _ => Vec::new(),
            })
            .collect(),
    };
    assign_ids(&mut diagnostics);
    diagnostics
}

/// One finding for every key that its object has twice. The document says of one of them where it stands again; of the
/// others, where it stands first.
fn duplicate_keys(
    subject: &ReportContext<'_>,
    document: &Document,
    known_key: &str,
    known_offset: u32,
) -> Vec<Diagnostic> {
    let mut repeated = Vec::new();
    repeated_keys(&document.value(), &mut Vec::new(), &mut repeated);
    let objects: Vec<Pointer> = repeated.iter().map(|it| it.0.clone()).collect();
    let members: Vec<Pointer> = repeated.iter().map(|(at, key)| at.join(key.as_str())).collect();
    let objects = document.locate_many(&objects);
    let members = document.locate_many(&members);
    // Of the objects around the known place, the innermost is the last.
    let known = (0..repeated.len()).rev().find(|idx| {
        let is_around = objects[*idx].as_ref().is_some_and(|it| it.span.contains(&known_offset));
        repeated[*idx].1 == known_key && is_around
    });
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for (idx, ((at, key), member)) in repeated.iter().zip(&members).enumerate() {
        let span = member.as_ref().map(|it| it.key_span.clone().unwrap_or(it.span.clone()));
        // What an alias repeats is the same place of the text.
        if span.as_ref().is_some_and(|it| !seen.insert(it.start)) {
            continue;
        }
        let location = match (known == Some(idx), span) {
            (false, Some(span)) => Location::new(subject.parsed.lines(), span),
            _ => at_offset(subject.parsed, known_offset),
        };
        let location = location.map(|it| it.in_document(document));
        found.push(duplicate_key(subject, at.to_string(), key, location));
    }
    if known.is_none() {
        let location = at_offset(subject.parsed, known_offset);
        let location = location.map(|it| it.in_document(document));
        found.push(duplicate_key(subject, String::new(), known_key, location));
    }
    found
}

fn duplicate_key(
    subject: &ReportContext<'_>,
    object: String,
    key: &str,
    location: Option<Location>,
) -> Diagnostic {
    let reason = RefusalReason::DuplicateKey { key: cut(key) };
    Diagnostic {
        json_pointer: Some(object),
        location,
        details: BTreeMap::from([("key".to_owned(), Value::String(cut(key)))]),
        ..finding(subject, "SCHEMA_DUPLICATE_KEY", Severity::Error, &reason.to_string())
    }
}

/// The objects with the keys that they have twice, an object before those inside it.
fn repeated_keys(value: &Value, at: &mut Vec<String>, found: &mut Vec<(Pointer, String)>) {
    if let Value::Object(members) = value {
        let mut n_seen: HashMap<&str, usize> = HashMap::with_capacity(members.len());
        for (key, _) in members {
            let n = n_seen.entry(key).or_default();
            *n += 1;
            if *n == 2 && found.len() < MAX_DUPLICATES {
                found.push((Pointer::from_segments(at.clone()), key.clone()));
            }
        }
    }
    let mut enter = |segment: String, value: &Value| {
        at.push(segment);
        repeated_keys(value, at, found);
        at.pop();
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(key, it)| enter(key.clone(), it)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(idx, it)| enter(idx.to_string(), it));
        }
        _ => {}
    }
}

/// A finding about the file as a whole, without its id.
pub(crate) fn finding(
    subject: &ReportContext<'_>,
    rule_id: &str,
    severity: Severity,
    message: &str,
) -> Diagnostic {
    let ReportContext { source, phase, tier, .. } = *subject;
    let rule = RuleOrigin { source, phase, tier, rule_id };
    Diagnostic::new(rule, severity, subject.file.as_str(), message)
}

/// Where a pointer stands in the text; for one that leads nowhere, what is nearest to it.
pub(crate) fn location_of(parsed: &Parsed, at: &Pointer, anchor: MemberPart) -> Option<Location> {
    let document = parsed.document().ok()?;
    let found = spans(document, vec![at.clone()]).pop()??;
    location(parsed, document, found, anchor)
}

fn locations(subject: &ReportContext<'_>, violations: &[SchemaViolation]) -> Vec<Option<Location>> {
    let Some(document) = subject.document() else { return vec![None; violations.len()] };
    let found = spans(&document, violations.iter().map(|it| it.at.clone()).collect());
    let found = violations.iter().zip(found);
    let place = |(violation, found): (&SchemaViolation, Option<ValueSpans>)| {
        location(subject.parsed, &document, found?, violation.anchor)
    };
    found.map(place).collect()
}

/// The place in the text of something that was found in one of its documents.
pub(crate) fn location(
    parsed: &Parsed,
    document: &Document,
    found: ValueSpans,
    anchor: MemberPart,
) -> Option<Location> {
    let span = match anchor {
        MemberPart::Key => found.key_span.unwrap_or(found.span),
        MemberPart::Value => found.span,
    };
    Location::new(parsed.lines(), span).map(|it| it.in_document(document))
}

/// Where pointers stand; for one that leads nowhere, what is nearest above it.
pub(crate) fn spans(document: &Document, mut pointers: Vec<Pointer>) -> Vec<Option<ValueSpans>> {
    let mut spans = document.locate_many(&pointers);
    loop {
        let lost: Vec<usize> = (0..spans.len())
            .filter(|it| spans[*it].is_none() && !pointers[*it].is_root())
            .collect();
        if lost.is_empty() {
            return spans;
        }
        for idx in &lost {
            let n_segments = pointers[*idx].segments().len();
            pointers[*idx] = pointers[*idx].prefix(n_segments - 1);
        }
        let shorter: Vec<Pointer> = lost.iter().map(|it| pointers[*it].clone()).collect();
        for (idx, span) in lost.into_iter().zip(document.locate_many(&shorter)) {
            spans[idx] = span;
        }
    }
}

/// The place of one character of the text.
pub(crate) fn at_offset(parsed: &Parsed, offset: u32) -> Option<Location> {
    let n_bytes = u32::try_from(parsed.text().len()).ok()?;
    let offset = offset.min(n_bytes);
    let ends = (offset.saturating_add(1)..=offset.saturating_add(4)).filter(|it| *it <= n_bytes);
    ends.chain([offset]).find_map(|end| Location::new(parsed.lines(), offset..end))
}

fn repair(
    subject: &ReportContext<'_>,
    diagnostics: &[Diagnostic],
    idx: usize,
    proposal: SchemaRepair,
) -> Repair {
    let others = proposal.also_resolves.iter().copied().filter(|it| *it != idx);
    let others = others.filter_map(|it| diagnostics.get(it));
    let others: Vec<String> = others.map(|it| it.diagnostic_id.clone()).collect();
    let mut repair = proposal.in_file(subject.file).into_repair(&diagnostics[idx]);
    repair.resolves.extend(others);
    repair
}

/// A title: one line of at most [`MAX_TITLE`] characters (FA-18).
pub(crate) fn label(title: &str) -> String {
    let mut line: String = title.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
    if let Some((end, _)) = line.char_indices().nth(MAX_TITLE - 1)
        && line[end..].chars().nth(1).is_some()
    {
        line.truncate(end);
        line.push('…');
    }
    line
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

#[cfg(test)]
mod tests;
