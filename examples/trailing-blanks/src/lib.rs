//! A sample provider, built by the recipe in CONTRIBUTING.md: it finds blanks at the ends of lines of text files, and
//! offers to remove them.
//!
//! Knows nothing about how findings are shown, which repairs are chosen, or the disk.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use check::{
    Card, Check, Confidence, Cost, Coverage, Diagnostic, Grounds, Input, Interest, Location,
    LookError, Page, Repair, RepairOp, Report, RuleInfo, RuleOrigin, RuleSet, Safety, Severity,
    Tier, Trust, assign_repair_ids, sort_and_assign_ids,
};
use edit::{Edit, EditSet, LineIndex, Text};
use snapshot::{RelPath, Snapshot};

const SOURCE: &str = "blanks";
const PHASE: &str = "lines";
const RULE: &str = "TRAILING_BLANKS";

static CARD: LazyLock<Card> = LazyLock::new(|| Card {
    name: SOURCE.to_owned(),
    phases: vec![PHASE.to_owned()],
    rules: RuleSet::closed([RuleInfo {
        id: RULE.to_owned(),
        tier: Tier::Policy,
        severity: Some(Severity::Warning),
    }]),
    interest: Interest::extensions(&["txt"]),
    cost: Cost::InProcess,
    trust: Trust::Sealed,
    languages: Vec::new(),
});

/// Finds blanks at the ends of lines.
pub struct TrailingBlanks;

impl Check for TrailingBlanks {
    fn card(&self) -> &Card {
        &CARD
    }

    fn check(&self, input: &Input<'_>) -> Result<Report, LookError> {
        let mut report = Report::default();
        for (path, text) in texts(input.snapshot) {
            if input.stop.is_set() {
                return Err(LookError::stopped());
            }
            report.diagnostics.extend(findings(path, &text).into_iter().map(Arc::new));
        }
        Ok(report)
    }

    fn repairs(&self, input: &Input<'_>, report: &mut Report) -> Result<(), LookError> {
        let mut repairs = Vec::new();
        for (path, text) in texts(input.snapshot) {
            let found = findings(path, &text);
            repairs.extend(found.iter().filter_map(|it| repair(path, &text, it)));
        }
        assign_repair_ids(&mut repairs, input.snapshot);
        report.repairs = repairs.into_iter().map(Arc::new).collect();
        Ok(())
    }

    fn coverage(&self, snapshot: &Snapshot, _: &Report) -> Coverage {
        let mut coverage = Coverage::default();
        texts(snapshot).for_each(|(path, _)| coverage.add(path));
        coverage
    }

    fn page(&self, rule_id: &str) -> Option<Page> {
        (rule_id == RULE).then(|| Page {
            title: "Blanks at the end of a line".to_owned(),
            what: "A line ends with blanks or tabs.".to_owned(),
            why: "Nobody sees them, and they make noise in diffs.".to_owned(),
            example: "a line with blanks   \n".to_owned(),
            repair: "Removes them.".to_owned(),
            safety: "`behavior_preserving`: a text file means the same without them.".to_owned(),
        })
    }
}

/// The files that the provider looks at.
fn texts(snapshot: &Snapshot) -> impl Iterator<Item = (&RelPath, Text)> {
    let files = snapshot.files_at(|path| CARD.interest.covers(path.as_str()));
    files.map(|(path, file)| (path, file.text()))
}

fn findings(path: &RelPath, text: &Text) -> Vec<Diagnostic> {
    let lines = LineIndex::new(text.bytes());
    let mut found: Vec<Diagnostic> = blanks(text.bytes())
        .into_iter()
        .map(|span| {
            let rule =
                RuleOrigin { source: SOURCE, phase: PHASE, tier: Tier::Policy, rule_id: RULE };
            Diagnostic::new(rule, Severity::Warning, path.as_str(), "the line ends with blanks")
                .located(Location::new(&lines, span))
        })
        .collect();
    sort_and_assign_ids(&mut found);
    found
}

fn repair(path: &RelPath, text: &Text, finding: &Diagnostic) -> Option<Repair> {
    let location = finding.location?;
    let edit = Edit::replace(location.start_byte, location.end_byte, "");
    let edits = EditSet::new(text, vec![edit]).ok()?;
    let ops = vec![RepairOp::Text { file: path.clone(), edits }];
    let title = "Remove the blanks at the end of the line";
    Some(Repair {
        rationale: "Nothing depends on them.".to_owned(),
        // Nothing is lost with what nobody sees.
        grounds: Grounds { is_redundant: true, ..Grounds::default() },
        ..Repair::resolving(finding, title, Safety::BehaviorPreserving, Confidence::High, ops)
    })
}

/// The blanks at the ends of lines, whatever the line ends are.
fn blanks(bytes: &[u8]) -> Vec<Range<u32>> {
    let mut spans = Vec::new();
    let mut start = 0;
    for line in bytes.split_inclusive(|it| *it == b'\n') {
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        let body = body.strip_suffix(b"\r").unwrap_or(body);
        let kept = body.trim_ascii_end().len();
        if kept < body.len()
            && let (Ok(from), Ok(to)) =
                (u32::try_from(start + kept), u32::try_from(start + body.len()))
        {
            spans.push(from..to);
        }
        start += line.len();
    }
    spans
}
