//! From what a tool said to diagnostics and repairs.

use std::collections::BTreeMap;

use check::{
    Compatibility, Confidence, Diagnostic, Grounds, Location, Repair, RepairClass, RepairKind,
    RepairOp, RuleOrigin, Safety, Tier, assign_ids, assign_repair_ids,
};
use document::Value;
use edit::{EditSet, LineIndex, Text};
use snapshot::{NewFile, RelPath, Snapshot};

use crate::adapter::PHASE;
use crate::report::{FileOp, Finding, Fix, ToolReport};
use crate::silence::silences;

impl ToolReport {
    /// The findings as diagnostics of `source`, and the fixes as repairs of them. Fixes with the same edits are one
    /// repair that resolves all their findings; alternatives of one finding exclude each other. A finding about a file
    /// that is not there yet has no place, and is left out.
    pub fn to_check(&self, source: &str, snapshot: &Snapshot) -> (Vec<Diagnostic>, Vec<Repair>) {
        let mut lines: BTreeMap<&RelPath, LineIndex> = BTreeMap::new();
        let mut findings = Vec::with_capacity(self.findings.len());
        let mut diagnostics = Vec::with_capacity(self.findings.len());
        for finding in &self.findings {
            let Some(file) = snapshot.file(&finding.file) else { continue };
            let text = file.text();
            let index = lines.entry(&finding.file).or_insert_with(|| LineIndex::new(text.bytes()));
            let location = finding.range.clone().and_then(|it| Location::new(index, it));
            diagnostics.push(diagnostic(source, finding, location, text.bytes()));
            findings.push(finding);
        }
        assign_ids(&mut diagnostics);
        let mut repairs: Vec<Repair> = Vec::new();
        let mut known: BTreeMap<(Vec<EditKey>, Vec<FileOp>), usize> = BTreeMap::new();
        let mut rivals: Vec<Vec<usize>> = Vec::new();
        for (finding, diagnostic) in findings.iter().zip(&diagnostics) {
            let mut own = Vec::new();
            for (rank, fix) in finding.fixes.iter().enumerate() {
                let at = *known.entry(key_of(fix)).or_insert_with(|| {
                    repairs.push(repair(source, snapshot, finding, fix, rank));
                    repairs.len() - 1
                });
                // Fixes of one finding come one after the other.
                if repairs[at].resolves.last() != Some(&diagnostic.diagnostic_id) {
                    repairs[at].resolves.push(diagnostic.diagnostic_id.clone());
                }
                repairs[at].safety = repairs[at].safety.max(fix.safety);
                own.push(at);
            }
            if own.len() > 1 {
                rivals.push(own);
            }
        }
        assign_repair_ids(&mut repairs, snapshot);
        for group in &rivals {
            for one in group {
                for other in group.iter().filter(|it| *it != one) {
                    let id = repairs[*other].id.clone();
                    repairs[*one].compatibility.conflicts_with.push(id);
                }
            }
        }
        for repair in &mut repairs {
            repair.compatibility.conflicts_with.sort();
            repair.compatibility.conflicts_with.dedup();
        }
        (diagnostics, repairs)
    }
}

type EditKey = (String, u32, u32, Vec<u8>);

fn key_of(fix: &Fix) -> (Vec<EditKey>, Vec<FileOp>) {
    let of_file = |(file, set): (&RelPath, &EditSet)| {
        let file = file.as_str().to_owned();
        let edits = set.edits().to_vec();
        edits.into_iter().map(move |it| (file.clone(), it.start, it.end, it.text.to_vec()))
    };
    (fix.edits.iter().flat_map(of_file).collect(), fix.files.clone())
}

fn diagnostic(
    source: &str,
    finding: &Finding,
    location: Option<Location>,
    bytes: &[u8],
) -> Diagnostic {
    let anchor = finding.range.as_ref().map(|it| {
        let end = it.end.min(it.start.saturating_add(200));
        String::from_utf8_lossy(&bytes[it.start as usize..end as usize]).into_owned()
    });
    let url = finding.url.iter().map(|it| ("url".to_owned(), Value::String(it.clone())));
    let rule = RuleOrigin { source, phase: PHASE, tier: Tier::Semantic, rule_id: &finding.rule };
    let (file, message) = (finding.file.as_str(), finding.message.as_str());
    Diagnostic {
        anchor,
        details: url.collect(),
        ..Diagnostic::new(rule, finding.severity, file, message).located(location)
    }
}

fn repair(source: &str, snapshot: &Snapshot, finding: &Finding, fix: &Fix, rank: usize) -> Repair {
    let is_silencing = fix.edits.iter().any(|(file, set)| {
        let text = snapshot.file(file).map(|it| it.text()).unwrap_or_default();
        silences(file.as_str(), &text, set.edits())
    });
    let is_safe = fix.safety < Safety::BehaviorChanging;
    let ops = fix
        .edits
        .iter()
        .map(|(file, edits)| RepairOp::Text { file: file.clone(), edits: edits.clone() })
        .chain(fix.files.iter().map(file_operation));
    Repair {
        id: String::new(),
        title: match fix.title.lines().next() {
            Some(title) if !title.is_empty() => title.to_owned(),
            _ => format!("Fix {}", finding.rule),
        },
        rationale: format!("{source} offers it for `{}`: {}", finding.rule, finding.message),
        source: source.to_owned(),
        phase: PHASE.to_owned(),
        rule_id: finding.rule.clone(),
        severity: finding.severity,
        confidence: match (is_safe, rank) {
            (true, 0) => Confidence::High,
            (_, 0) => Confidence::Medium,
            _ => Confidence::Low,
        },
        safety: fix.safety,
        kind: if is_safe { RepairKind::LocalFix } else { RepairKind::SemanticsChange },
        ops: ops.collect(),
        resolves: Vec::new(),
        reveals: Vec::new(),
        compatibility: Compatibility::default(),
        grounds: Grounds {
            // A safe fix that removes something removes what the tool found to be unused.
            is_redundant: is_safe,
            at_least: is_silencing.then_some(RepairClass::Suppress),
            is_layout: fix.is_layout,
            // `var` becomes `let` by one rule and `const` by the next.
            is_step: is_safe,
            ..Grounds::default()
        },
    }
}

fn file_operation(op: &FileOp) -> RepairOp {
    match op {
        FileOp::Add { path, text } => RepairOp::AddFile {
            file: path.clone(),
            new: NewFile { text: Text::new(text.as_bytes()), mode: 0o644 },
        },
        FileOp::Delete { path, base } => RepairOp::DeleteFile { file: path.clone(), base: *base },
        FileOp::Rename { path, to, base } => {
            RepairOp::RenameFile { file: path.clone(), to: to.clone(), base: *base }
        }
    }
}

#[cfg(test)]
mod tests;
