//! The ten rules that a new record meets before it is stored (DF-22..DF-32). All that are broken are reported together.

use serde_json::Value;

use crate::id::Id;
use crate::record::{MAX_FIX_FILES, Record, RecordKind, Status};
use crate::shape::{self, RecordFault, Rule};
use measure::Constraints;

/// What the registry knows that bears on a new record. It is read in the transaction that stores the record.
#[derive(Clone, Copy, Default, Debug)]
pub struct Surroundings<'a> {
    /// Whether a record of the new one's id is stored already, with whatever bytes.
    pub id_is_taken: bool,
    /// The record that the new one corrects.
    pub source: Option<&'a Record>,
    /// A correction of the same source that is stored already, in whatever status.
    pub sibling: Option<&'a Id>,
}

/// The record, if all rules are kept; else every fault, in the order of the rules.
pub fn accept(value: &Value, around: Surroundings<'_>) -> Result<Record, Vec<RecordFault>> {
    let shape::ReadRecord { record, mut faults } = shape::read(value);
    if around.id_is_taken {
        let id = value.get("id").and_then(Value::as_str).unwrap_or_default();
        fault(&mut faults, Rule::Duplicate, "/id", format!("a record {id} is stored already"));
    }
    let status = value.get("status").and_then(Value::as_str).and_then(Status::named);
    if let Some(status) = status.filter(|it| *it != Status::Proposed) {
        let message = format!("a new record must be \"proposed\", not \"{status}\"");
        fault(&mut faults, Rule::Status, "/status", message);
    }
    if value.get("type").and_then(Value::as_str) == Some("code_fix") {
        correction(value, around, &mut faults);
    }
    faults.sort_by_key(|it| it.rule);
    // What has no good form needs no second word on how it differs from the source's.
    faults.dedup_by(|later, first| later.rule == first.rule && later.pointer == first.pointer);
    match record {
        Some(record) if faults.is_empty() => Ok(record),
        _ => Err(faults),
    }
}

fn fault(faults: &mut Vec<RecordFault>, rule: Rule, pointer: &str, message: String) {
    faults.push(RecordFault { rule, pointer: pointer.to_owned(), message });
}

/// The rules that compare a correction with its source. They look at the JSON, not at the record: a fault elsewhere in
/// the form does not hide them.
fn correction(value: &Value, around: Surroundings<'_>, faults: &mut Vec<RecordFault>) {
    if let Some(sibling) = around.sibling {
        let message =
            format!("{sibling} corrects the same source; a source can have only one correction");
        fault(faults, Rule::Duplicate, "/source_dds", message);
    }
    own_limits(value, faults);
    let Some(name) = value.get("source_dds").and_then(Value::as_str) else {
        return; // The form says that it is missing.
    };
    let Some(source) = around.source else {
        fault(faults, Rule::Source, "/source_dds", format!("there is no record {name}"));
        return;
    };
    if matches!(source.kind, RecordKind::CodeFix { .. }) {
        let message = format!("{name} is itself a correction; a person has to look at its failure");
        fault(faults, Rule::Source, "/source_dds", message);
    }
    if source.status != Status::Failed {
        let message = format!("{name} has not failed, it is {}", source.status);
        fault(faults, Rule::Source, "/source_dds", message);
    }
    inherited(value, source, faults);
    paths(value, source, faults);
    looser(value, &source.constraints, faults);
}

/// What is forbidden to every correction, whatever its source allows (DF-49).
fn own_limits(value: &Value, faults: &mut Vec<RecordFault>) {
    let Some(given) = value.get("constraints") else { return };
    if let Some(n) = given.get("max_files_changed").and_then(Value::as_u64)
        && n > u64::from(MAX_FIX_FILES)
    {
        let message = format!("a code_fix may change at most {MAX_FIX_FILES} files");
        fault(faults, Rule::Constraints, "/constraints/max_files_changed", message);
    }
    for name in ["no_new_dependencies", "no_refactor"] {
        if given.get(name) == Some(&Value::Bool(false)) {
            let pointer = format!("/constraints/{name}");
            fault(
                faults,
                Rule::Constraints,
                &pointer,
                format!("{name} must be true in a code_fix"),
            );
        }
    }
}

/// What a correction takes over as it is: project and tool, and the name of its source in the goal (DF-4, DF-5, DF-8).
fn inherited(value: &Value, source: &Record, faults: &mut Vec<RecordFault>) {
    for (name, wanted) in [("project", &source.project), ("tool", &source.tool)] {
        let given = value.get(name).and_then(Value::as_str);
        if given.is_some_and(|it| it != wanted) {
            let message = format!("{name} must be that of the source, {wanted:?}");
            fault(faults, Rule::Form, &format!("/{name}"), message);
        }
    }
    let goal = value.get("goal").and_then(Value::as_str);
    if goal.is_some_and(|it| !mentions(it, source.id.as_str())) {
        let message = format!("the goal of a code_fix must name its source, {}", source.id);
        fault(faults, Rule::Form, "/goal", message);
    }
}

/// Whether a text names an id as a whole word: `DDS-20260202-CODE-001` is not named by `…-CODE-0011`.
fn mentions(text: &str, id: &str) -> bool {
    text.match_indices(id).any(|(start, _)| {
        let is_part = |it: char| it.is_alphanumeric() || it == '-' || it == '_';
        let before = text[..start].chars().next_back();
        let after = text[start + id.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

fn paths(value: &Value, source: &Record, faults: &mut Vec<RecordFault>) {
    let Some(items) = value.get("allowed_paths").and_then(Value::as_array) else { return };
    for (idx, item) in items.iter().enumerate() {
        let Some(entry) = item.as_str().and_then(|it| measure::ScopeEntry::parse(it).ok()) else {
            continue; // The form says why it is no path.
        };
        if !source.allowed_paths.iter().any(|it| entry.is_within(it)) {
            let message = format!("{entry} is not in the scope of {}", source.id);
            fault(faults, Rule::AllowedPaths, &format!("/allowed_paths/{idx}"), message);
        }
    }
}

fn looser(value: &Value, source: &Constraints, faults: &mut Vec<RecordFault>) {
    let given = value.get("constraints").and_then(|it| it.get("max_files_changed"));
    if let (Some(n), Some(limit)) = (given.and_then(Value::as_u64), source.max_files_changed)
        && n > u64::from(limit)
        && n <= u64::from(MAX_FIX_FILES)
    {
        let message = format!("the source allows {limit} files, and a code_fix may not allow more");
        fault(faults, Rule::Constraints, "/constraints/max_files_changed", message);
    }
}

#[cfg(test)]
mod tests;
