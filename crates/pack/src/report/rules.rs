//! From what semantic and policy rules have found to diagnostics and repairs with identities and places in the text.
//!
//! A repair is tried before it is offered: its operations must be possible on the documents as they are, and afterwards
//! neither the schema of a changed file nor a rule about that file alone may find more than before.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use check::{
    Diagnostic, Location, Parsed, Parses, Related, Repair, RepairOp, RuleOrigin, Tier, assign_ids,
    assign_repair_ids,
};
use document::{Format, Pointer, Value};
use snapshot::{RelPath, Snapshot};

use crate::finding::{MemberPart, RuleFinding, Suggestion};
use crate::load::KindSchema;
use crate::pack::Pack;
use crate::report::{NOT_REPAIRED, location, spans};
use crate::rules::{FileView, PackRule};

/// What findings are made with.
pub(crate) struct RuleReporter<'a> {
    pub(crate) pack: &'a Pack,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) parses: &'a Parses,
}

impl RuleReporter<'_> {
    /// The diagnostics, in the order of what was found, and their repairs; all with ids. Ids count what is alike, so all
    /// that one rule says of one file belongs into one call. To be called on a deep stack if the pack has guards.
    pub(crate) fn report(
        &self,
        rule: &PackRule,
        found: &[RuleFinding],
    ) -> (Vec<Diagnostic>, Vec<Repair>) {
        let places = self.places(found);
        let mut diagnostics: Vec<Diagnostic> =
            found.iter().map(|it| self.diagnostic(rule, it, &places)).collect();
        assign_ids(&mut diagnostics);
        let mut repairs = Vec::new();
        let mut owners = Vec::new();
        let mut trials =
            Trials { reporter: self, counts: BTreeMap::new(), n_left: MAX_TRIED_NODES };
        let is_tried = trials.are_possible_together(found);
        for (idx, it) in found.iter().enumerate() {
            let Some(suggestion) = &it.suggestion else { continue };
            match if is_tried { Trial::Possible } else { trials.is_possible(suggestion) } {
                Trial::Possible => {
                    repairs.push(suggestion.clone().into_repair(&diagnostics[idx]));
                    owners.push(idx);
                }
                Trial::Impossible(why) => {
                    let details = &mut diagnostics[idx].details;
                    details.insert(NOT_REPAIRED.to_owned(), Value::String(why));
                }
                Trial::NotTried => {
                    diagnostics[idx]
                        .details
                        .insert("proposals_capped".to_owned(), Value::Bool(true));
                }
            }
        }
        assign_repair_ids(&mut repairs, self.snapshot);
        for (repair, owner) in repairs.iter().zip(owners) {
            diagnostics[owner].repair_refs.push(repair.id.clone());
        }
        (diagnostics, repairs)
    }

    fn diagnostic(
        &self,
        rule: &PackRule,
        found: &RuleFinding,
        places: &LocationIndex<'_>,
    ) -> Diagnostic {
        let related = found.related.iter().map(|it| Related {
            file: it.file.as_str().to_owned(),
            json_pointer: Some(it.at.to_string()),
            location: places
                .get(&(&it.file, it.document, &it.at, it.anchor == MemberPart::Key))
                .copied(),
            message: it.message.clone(),
        });
        let origin = RuleOrigin {
            source: self.pack.name(),
            phase: rule.phase(),
            tier: rule.tier,
            rule_id: &rule.id,
        };
        let severity = found.severity.unwrap_or(rule.severity);
        let location = self.part(found).or_else(|| {
            let is_key = found.anchor == MemberPart::Key;
            places.get(&(&found.file, found.document, &found.at, is_key)).copied()
        });
        Diagnostic {
            related: related.collect(),
            details: found.details.clone(),
            ..Diagnostic::new(origin, severity, found.file.as_str(), rule.message(found))
                .at(&found.at)
                .located(location)
        }
    }

    /// The place of a finding that is about a part of a value.
    fn part(&self, found: &RuleFinding) -> Option<Location> {
        let range = found.range.clone()?;
        Location::new(self.parsed(&found.file)?.lines(), range)
    }

    /// Where everything that is spoken of stands, found file by file, because a file may be spoken of very often.
    fn places<'f>(&self, found: &'f [RuleFinding]) -> LocationIndex<'f> {
        let own = found.iter().map(|it| (&it.file, it.document, &it.at, it.anchor));
        let related = found.iter().flat_map(|it| &it.related);
        let related = related.map(|it| (&it.file, it.document, &it.at, it.anchor));
        let mut by_document: BTreeMap<(&RelPath, usize), Vec<(&Pointer, MemberPart)>> =
            BTreeMap::new();
        for (file, document, at, anchor) in own.chain(related) {
            by_document.entry((file, document)).or_default().push((at, anchor));
        }
        let mut places = LocationIndex::new();
        for ((file, index), spots) in by_document {
            let Some(parsed) = self.parsed(file) else { continue };
            let document = parsed.document().ok().and_then(|it| it.nth(index));
            let Some(document) = document else { continue };
            let pointers: Vec<Pointer> = spots.iter().map(|it| it.0.clone()).collect();
            for ((at, anchor), span) in spots.into_iter().zip(spans(&document, pointers)) {
                let Some(span) = span else { continue };
                let location = location(&parsed, &document, span, anchor);
                places
                    .extend(location.map(|it| ((file, index, at, anchor == MemberPart::Key), it)));
            }
        }
        places
    }

    fn parsed(&self, file: &RelPath) -> Option<Arc<Parsed>> {
        let format = Format::of_path(file.as_str())?;
        Some(self.parses.get(&self.snapshot.file(file)?.text(), format))
    }
}

/// Places in texts, by file, document, pointer and whether the key is meant.
type LocationIndex<'a> = HashMap<(&'a RelPath, usize, &'a Pointer, bool), Location>;

/// What came of trying a repair.
#[derive(Clone, PartialEq, Eq)]
enum Trial {
    Possible,
    /// Why not.
    Impossible(String),
    /// Too much was tried already.
    NotTried,
}

/// How many values the trials of one rule for one file may look at.
const MAX_TRIED_NODES: usize = 1_000_000;

/// How many values a trial looks at, more or less: few take less than four bytes.
fn cost(parsed: &Parsed) -> usize {
    parsed.text().len() / 4 + 100
}

/// How often each rule that looks at one file at a time finds something.
type Counts<'a> = BTreeMap<&'a str, usize>;

struct Trials<'a> {
    reporter: &'a RuleReporter<'a>,
    /// By file and document, its kind and what is found in it as it is.
    counts: BTreeMap<(RelPath, usize), Option<(usize, Counts<'a>)>>,
    n_left: usize,
}

impl Trials<'_> {
    /// Whether the repairs are too many to be tried one by one, and are possible all at once.
    fn are_possible_together(&mut self, found: &[RuleFinding]) -> bool {
        let ops: Vec<&RepairOp> =
            found.iter().filter_map(|it| it.suggestion.as_ref()).flat_map(|it| &it.ops).collect();
        let Some(file) = ops.first().map(|it| it.file()) else { return false };
        let Some(parsed) = self.reporter.parsed(file) else { return false };
        let is_too_much = cost(&parsed).saturating_mul(ops.len()) > self.n_left;
        let is_one_file = ops.iter().all(|it| it.file() == file);
        is_too_much && is_one_file && self.is_possible_in(file, &ops) == Trial::Possible
    }

    fn is_possible(&mut self, suggestion: &Suggestion) -> Trial {
        let mut by_file: BTreeMap<&RelPath, Vec<&RepairOp>> = BTreeMap::new();
        for op in &suggestion.ops {
            by_file.entry(op.file()).or_default().push(op);
        }
        let mut is_tried = true;
        for (file, ops) in by_file {
            match self.is_possible_in(file, &ops) {
                Trial::Possible => {}
                Trial::NotTried => is_tried = false,
                impossible => return impossible,
            }
        }
        if is_tried { Trial::Possible } else { Trial::NotTried }
    }

    fn is_possible_in(&mut self, file: &RelPath, ops: &[&RepairOp]) -> Trial {
        let parsed = self.reporter.parsed(file);
        let Some((parsed, document)) =
            parsed.as_ref().and_then(|it| Some((it, it.document().ok()?)))
        else {
            return Trial::Impossible(format!("{file} cannot be read"));
        };
        let Some(n_left) = self.n_left.checked_sub(cost(parsed)) else { return Trial::NotTried };
        self.n_left = n_left;
        let mut draft = document.draft();
        for op in ops {
            match op {
                // Made from the document, and read again after it was made.
                RepairOp::Text { .. } => return Trial::Possible,
                RepairOp::Document { step, .. } => {
                    if let Err(error) = draft.apply(step) {
                        return Trial::Impossible(error.to_string());
                    }
                }
                RepairOp::AddFile { .. }
                | RepairOp::DeleteFile { .. }
                | RepairOp::RenameFile { .. } => return Trial::NotTried,
            }
        }
        let steps = ops.iter().filter_map(|op| match op {
            RepairOp::Document { step, .. } => Some(step.document),
            _ => None,
        });
        let changed: BTreeSet<usize> = steps.collect();
        let trials = changed.into_iter().map(|index| {
            let before = document.nth(index).map_or(Value::Null, |it| it.value());
            let after = draft.turn_to(index).map_or(Value::Null, |()| draft.value());
            self.is_no_worse(file, index, &before, &after)
        });
        trials.into_iter().find(|it| *it != Trial::Possible).unwrap_or(Trial::Possible)
    }

    /// Whether a document of a file may become another.
    fn is_no_worse(
        &mut self,
        file: &RelPath,
        document: usize,
        before: &Value,
        after: &Value,
    ) -> Trial {
        let pack = self.reporter.pack;
        let kinds = pack.kinds_of_path(file.as_str());
        let kind = pack.kind_among(&kinds, after);
        let place = (file.clone(), document);
        if !self.counts.contains_key(&place) {
            let known = pack.kind_among(&kinds, before);
            let counts = known.map(|kind| (kind, self.reporter.count(file, kind, before)));
            self.counts.insert(place.clone(), counts);
        }
        let old = self.counts.get(&place).and_then(Option::as_ref);
        let (Some(kind), Some((_, old))) = (kind, old.filter(|it| Some(it.0) == kind)) else {
            return Trial::Impossible(format!(
                "the edit would turn {file} into another kind of file"
            ));
        };
        let new = self.reporter.count(file, kind, after);
        let worse = new.iter().find(|(rule, n)| old.get(*rule).is_none_or(|before| before < n));
        match worse {
            Some((rule, _)) => Trial::Impossible(format!("the edit would break {rule} in {file}")),
            None => Trial::Possible,
        }
    }
}

impl RuleReporter<'_> {
    /// Looks at a value as if it were the file's.
    fn count(&self, file: &RelPath, kind: usize, value: &Value) -> Counts<'_> {
        let mut counts = Counts::new();
        if let Some(Ok(schema)) = self.pack.kinds[kind].schema.as_ref().map(KindSchema::get) {
            for rule_id in schema.broken_rules(value) {
                *counts.entry(rule_id).or_default() += 1;
            }
        }
        let view = FileView::new(file, kind, value, None);
        for rule in &self.pack.file_rules[kind] {
            let rule = &self.pack.rules[*rule];
            // Whether a policy counts is for the workspace to say, and for the engine to compare.
            if rule.tier == Tier::Policy {
                continue;
            }
            let n_found = rule.look_at_file(&view).len();
            if n_found > 0 {
                counts.insert(&rule.id, n_found);
            }
        }
        counts
    }
}
