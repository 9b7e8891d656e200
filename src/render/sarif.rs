//! Findings as SARIF 2.1.0, with the repairs as `fixes`.
//!
//! Columns count code points and say so. Paths are relative to the root, which is `%SRCROOT%`; where that lies is for
//! the reader to know. A fix holds the bytes that the repair would write if it were made alone.

use std::collections::BTreeMap;

use protocol::v1::{
    CheckReport, Diagnostic, ExplainReport, Location, Repair, RepairEdit, Severity,
};
use serde_json::{Map, Value, json};
use service::{CheckReply, Frames, LineIndex, PreviewBudget, PreviewEdit, Unit, Verdict};

use super::repair::safety_name;
use crate::words::{count, count_fixes, rule_name};

const ROOT: &str = "%SRCROOT%";
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The log. `rules` are the pages of the rules that findings name, where there are any.
pub(crate) fn sarif(reply: &CheckReply, rules: &BTreeMap<String, ExplainReport>) -> Value {
    let report = &reply.report;
    let ids: BTreeMap<String, usize> = {
        let diagnostics = report.diagnostics.iter();
        let mut ids: Vec<String> =
            diagnostics.map(|it| rule_name(&it.source, &it.rule_id)).collect();
        ids.sort_unstable();
        ids.dedup();
        ids.into_iter().enumerate().map(|(idx, id)| (id, idx)).collect()
    };
    let texts = Texts::new(&reply.frames);
    let mut budget = PreviewBudget::default();
    let repairs: BTreeMap<&str, &Repair> =
        report.repairs.iter().map(|it| (it.id.as_str(), it)).collect();
    let results: Vec<Value> = report
        .diagnostics
        .iter()
        .map(|it| {
            let rule_id = rule_name(&it.source, &it.rule_id);
            let rule_index = ids.get(&rule_id).copied().unwrap_or_default();
            let fixes: Vec<Value> = it
                .repair_refs
                .iter()
                .filter_map(|id| {
                    let edits = reply.previews.edits(id, &mut budget)?;
                    fix(repairs.get(id.as_str())?, &edits, &texts)
                })
                .collect();
            result(it, (rule_id, rule_index), fixes)
        })
        .collect();
    let rules: Vec<Value> = ids.keys().map(|id| rule(id, rules.get(id))).collect();
    let n_left_out = budget.n_left_out();
    let left_out = (n_left_out > 0).then(|| {
        let text = format!("{} left out; `regreen fix --diff` shows all", count_fixes(n_left_out));
        json!({"level": "note", "message": {"text": text}})
    });
    let mut notifications = notifications(report);
    notifications.extend(left_out);
    let n_moving = report.repairs.iter().filter(|it| has_file_operation(it)).count();
    notifications.extend((n_moving > 0).then(|| {
        let text = format!("{} that add, delete or rename files left out", count_fixes(n_moving));
        json!({"level": "note", "message": {"text": text}})
    }));
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "regreen",
                "semanticVersion": report.validator_version,
                "rules": rules,
            }},
            "invocations": [{
                "executionSuccessful": reply.verdict != Verdict::Failed,
                "toolExecutionNotifications": notifications,
            }],
            "originalUriBaseIds": {
                ROOT: {"description": {"text": "the root of the workspace"}},
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// Whether the repair does more than SARIF can say: a fix is made of replacements in files that are there.
fn has_file_operation(repair: &Repair) -> bool {
    let is_moving = |it: &RepairEdit| {
        matches!(
            it,
            RepairEdit::AddFile { .. }
                | RepairEdit::DeleteFile { .. }
                | RepairEdit::RenameFile { .. }
        )
    };
    repair.edits.iter().any(is_moving)
}

/// What could not be done and what was not checked.
fn notifications(report: &CheckReport) -> Vec<Value> {
    let place = |file: &String| location(file, None, None);
    let failures = report.failures.iter().map(|it| {
        let text = match &it.file {
            Some(_) => it.message.clone(),
            None => format!("{}: {}", it.source, it.message),
        };
        let level = if it.tolerated { "warning" } else { "error" };
        let places: Vec<Value> = it.file.iter().map(place).collect();
        notification(level, it.code.name(), &text, places)
    });
    let unchecked = report.summary.files.unchecked.iter().map(|it| {
        let text = format!("{} not checked: {}", count(it.count, "file"), it.reason.name());
        notification("warning", it.reason.name(), &text, it.places.iter().map(place).collect())
    });
    failures.chain(unchecked).collect()
}

fn notification(level: &str, id: &str, text: &str, places: Vec<Value>) -> Value {
    let mut notification =
        json!({"level": level, "descriptor": {"id": id}, "message": {"text": text}});
    if !places.is_empty() {
        notification["locations"] = places.into();
    }
    notification
}

fn rule(id: &str, page: Option<&ExplainReport>) -> Value {
    let mut rule = json!({"id": id});
    if let Some(page) = page {
        let text = format!(
            "{}\n\nWhy: {}\n\nExample:\n{}\n\nRepair: {}\n\nSafety: {}",
            page.what, page.why, page.example, page.repair, page.safety
        );
        rule["shortDescription"] = json!({"text": page.title});
        rule["fullDescription"] = json!({"text": page.what});
        rule["help"] = json!({"text": text});
        if let Some(severity) = page.severity {
            rule["defaultConfiguration"] = json!({"level": level(severity)});
        }
    }
    rule
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn result(
    diagnostic: &Diagnostic,
    (rule_id, rule_index): (String, usize),
    fixes: Vec<Value>,
) -> Value {
    let related: Vec<Value> = diagnostic
        .related
        .iter()
        .map(|it| {
            let mut place = location(&it.file, it.location.as_ref(), it.json_pointer.as_deref());
            place["message"] = json!({"text": it.message});
            place
        })
        .collect();
    let place = location(
        &diagnostic.file,
        diagnostic.location.as_ref(),
        diagnostic.json_pointer.as_deref(),
    );
    let mut result = json!({
        "ruleId": rule_id,
        "ruleIndex": rule_index,
        "level": level(diagnostic.severity),
        "message": {"text": diagnostic.message},
        "locations": [place],
        "partialFingerprints": {"regreenDiagnosticId/v1": diagnostic.diagnostic_id},
        "properties": {
            "source": diagnostic.source,
            "phase": diagnostic.phase,
            "tier": diagnostic.tier,
        },
    });
    if !related.is_empty() {
        result["relatedLocations"] = related.into();
    }
    if !fixes.is_empty() {
        result["fixes"] = fixes.into();
    }
    result
}

fn location(file: &str, location: Option<&Location>, pointer: Option<&str>) -> Value {
    let mut physical = Map::new();
    physical.insert("artifactLocation".to_owned(), artifact(file));
    if let Some(it) = location {
        let region = json!({
            "startLine": it.start_line,
            "startColumn": it.start_col,
            "endLine": it.end_line,
            "endColumn": it.end_col,
            "byteOffset": it.start_byte,
            "byteLength": it.end_byte.saturating_sub(it.start_byte),
        });
        physical.insert("region".to_owned(), region);
    }
    let mut location = json!({"physicalLocation": physical});
    if let Some(pointer) = pointer.filter(|it| !it.is_empty()) {
        location["logicalLocations"] = json!([{"fullyQualifiedName": pointer}]);
    }
    location
}

fn artifact(file: &str) -> Value {
    json!({"uri": uri(file), "uriBaseId": ROOT})
}

/// The path as a relative reference: everything but the plain characters is escaped.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// The repair, which edits files and neither adds nor removes any; nothing if one of its texts cannot be said in SARIF.
fn fix(
    repair: &Repair,
    edits: &BTreeMap<String, Vec<PreviewEdit>>,
    texts: &Texts<'_>,
) -> Option<Value> {
    let mut changes = Vec::new();
    for (file, edits) in edits {
        let replacements: Option<Vec<Value>> =
            edits.iter().map(|it| replacement(texts, file, it)).collect();
        changes.push(json!({"artifactLocation": artifact(file), "replacements": replacements?}));
    }
    if changes.is_empty() {
        return None;
    }
    Some(json!({
        "description": {"text": repair.title},
        "artifactChanges": changes,
        "properties": {"regreenRepairId": repair.id, "safety": safety_name(repair.safety), "class": repair.class.name()},
    }))
}

fn replacement(texts: &Texts<'_>, file: &str, edit: &PreviewEdit) -> Option<Value> {
    let (start_line, start_column) = texts.position(file, edit.start)?;
    let (end_line, end_column) = texts.position(file, edit.end)?;
    let mut replacement = json!({"deletedRegion": {
        "startLine": start_line,
        "startColumn": start_column,
        "endLine": end_line,
        "endColumn": end_column,
    }});
    if !edit.text.is_empty() {
        let text = std::str::from_utf8(&edit.text).ok()?;
        replacement["insertedContent"] = json!({"text": text});
    }
    Some(replacement)
}

/// Where the lines of the files start.
struct Texts<'a> {
    files: BTreeMap<&'a str, LineIndex>,
}

impl Texts<'_> {
    fn new(frames: &Frames) -> Texts<'_> {
        let files = frames.sources.iter().filter_map(|(name, bytes)| {
            // SARIF is about text: code points are all it can count.
            std::str::from_utf8(bytes).ok()?;
            Some((name.as_str(), LineIndex::new(bytes)))
        });
        Texts { files: files.collect() }
    }

    /// Line and column from 1, in code points.
    fn position(&self, file: &str, offset: u32) -> Option<(u32, u32)> {
        let at = self.files.get(file)?.position(offset, Unit::CodePoint)?;
        Some((at.line + 1, at.column + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_code_points_from_one() {
        let sources = BTreeMap::from([("a".to_owned(), "ü: 1\nb: 😀x\n".as_bytes().to_vec())]);
        let frames = Frames { sources, ..Frames::default() };
        let texts = Texts::new(&frames);
        let at = |offset| texts.position("a", offset);
        assert_eq!([at(0), at(2), at(5)], [Some((1, 1)), Some((1, 2)), Some((1, 5))]);
        assert_eq!([at(6), at(13), at(15)], [Some((2, 1)), Some((2, 5)), Some((3, 1))]);
        // Inside a character, behind the end, and in a file that nobody knows.
        assert_eq!([at(1), at(99), texts.position("b", 0)], [None, None, None]);
    }

    #[test]
    fn paths_are_relative_references() {
        assert_eq!(uri("a b/ü:c%.yaml"), "a%20b/%C3%BC%3Ac%25.yaml");
    }
}
