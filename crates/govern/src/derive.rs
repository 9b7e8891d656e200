//! From a failure to its proposed correction. Derived from what is stored and nothing else: the same record and report
//! give the same correction. It is proposed, never approved (DF-40, DF-41).

use crate::id::Id;
use crate::record::{ErrorContext, Kind, Record, Status};
use crate::report::Report;
use crate::sanitize::sanitize;
use crate::scope::ScopeEntry;

/// The correction of a record that failed, under a name that was minted for it; `None` for what gets no correction: a
/// record that has not failed, or that is a correction itself (DF-46, X-32).
pub fn correction(failed: &Record, report: &Report, id: Id) -> Option<Record> {
    if failed.status != Status::Failed || matches!(failed.kind, Kind::CodeFix { .. }) {
        return None;
    }
    let message = match sanitize(&report.error) {
        text if text.trim().is_empty() => {
            format!("{} ended as {} and said nothing", report.tool, report.outcome.name())
        }
        text => text,
    };
    let allowed_paths = named_files(&message, &failed.allowed_paths);
    let mut constraints = failed.constraints.inherited();
    let is_concrete =
        allowed_paths.iter().all(|it| !it.is_directory()) && allowed_paths != failed.allowed_paths;
    if is_concrete {
        // a limit beyond the number of files that are named would say nothing.
        let n_files = u32::try_from(allowed_paths.len()).unwrap_or(u32::MAX);
        constraints.max_files_changed = constraints.max_files_changed.map(|it| it.min(n_files));
    }
    let headline: String = message
        .lines()
        .map(str::trim)
        .find(|it| !it.is_empty())
        .unwrap_or_default()
        .chars()
        .take(120)
        .collect();
    Some(Record {
        id,
        kind: Kind::CodeFix {
            source: failed.id.clone(),
            error: ErrorContext {
                message,
                failed_at: report.finished_at,
                failed_at_text: report.finished_at.to_string(),
            },
        },
        project: failed.project.clone(),
        goal: format!("Fix execution failure in {}: {headline}", failed.id),
        instructions: instructions(failed, &allowed_paths, &headline),
        allowed_paths,
        tool: failed.tool.clone(),
        constraints,
        status: Status::Proposed,
        extra: serde_json::Map::new(),
    })
}

/// Conservative, and about the error only (DF-6).
fn instructions(failed: &Record, paths: &[ScopeEntry], headline: &str) -> Vec<String> {
    let places: Vec<String> = paths.iter().map(ToString::to_string).collect();
    vec![
        format!("Find the cause of the error that ended {}: {headline}", failed.id),
        format!("Change only what the error needs, in {}", places.join(", ")),
        "Add no dependency and restructure nothing".to_owned(),
        format!("Check that the goal of {} still holds: {}", failed.id, failed.goal),
    ]
}

/// The files in scope that the message names, so that the correction is narrower than its source where that can be
/// known (DF-47); the source's own scope otherwise.
fn named_files(message: &str, scope: &[ScopeEntry]) -> Vec<ScopeEntry> {
    let is_around = |it: char| it.is_whitespace() || "\"'`()[]{}<>,;:|=".contains(it);
    let mut named: Vec<ScopeEntry> = message
        .split(is_around)
        .map(|word| word.trim_end_matches('.').trim_start_matches("./"))
        .filter(|word| word.contains('.') && !word.ends_with('/'))
        .filter_map(|word| ScopeEntry::parse(word).ok())
        .filter(|entry| scope.iter().any(|it| entry.is_within(it)))
        .collect();
    named.sort();
    named.dedup();
    if named.is_empty() { scope.to_vec() } else { named }
}
