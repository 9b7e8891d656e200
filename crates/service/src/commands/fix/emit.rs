//! The fix-action document that says what `fix` would do for appliers that know nothing of rules.
//!
//! Only repairs that `fix` would make and keep are in it (FA-5): no guess at what was meant, nothing that did not do
//! what it claimed, and of alternatives one. The document applies, action by action, to the tree it was made for.

use std::collections::{BTreeSet, HashMap};

use check::{Diagnostic, RepairOp};
use document::{GuardedOp, Number, Op, Pointer, Preconditions, Value};
use engine::Applied;
use patch::Patch;
use patch::v1::{DiagnosticTarget, FixAction, FixActions, FixOp, FixOpKind};
use snapshot::{FileIndex, RelPath, Snapshot};

use crate::VERSION;
use crate::reply::FixActionsOutput;

/// The longest title that the contract takes (FA-18).
const MOST_TITLE_CHARS: usize = 120;

/// The document with the repairs that can be said in it, in the canonical order. What was kept in a later round was
/// made for a tree that is not there yet.
pub(crate) fn fix_actions(
    pack_version: Option<String>,
    snapshot: &Snapshot,
    diagnostics: &HashMap<&str, &Diagnostic>,
    applied: &[Applied],
) -> FixActionsOutput {
    let (mut fix_actions, mut n_left_out) = (Vec::new(), 0);
    for it in applied {
        match action(it, diagnostics).filter(|_| it.pass == 1) {
            Some(action) => fix_actions.push(action),
            None => n_left_out += 1,
        }
    }
    let n_moving = applied.iter().filter(|it| it.repair.has_file_operation()).count();
    let mut document = FixActions {
        pack_version: pack_version.unwrap_or_else(|| format!("regreen@{VERSION}")),
        workspace_root: None,
        fix_actions,
        extra: moving(n_moving),
    };
    document.sort();
    n_left_out += without_failing(&mut document, snapshot);
    FixActionsOutput { text: document.render(), n_left_out }
}

/// How many repairs are left out because they add, delete or rename a file, which the contract has no operation for
/// (FA-25, X-47). They are left out as a whole (AE-18).
fn moving(n_repairs: usize) -> Vec<(String, Value)> {
    let count = || Value::Number(Number::from_integer(n_repairs as i128));
    let member = (n_repairs > 0).then(|| ("x_left_out_file_operations".to_owned(), count()));
    member.into_iter().collect()
}

/// Takes out the actions that do not apply in this order, and says how many. They are in the document that is made
/// after this one was applied. What one action writes may be what the next one needs, so that it is tried again.
fn without_failing(document: &mut FixActions, snapshot: &Snapshot) -> usize {
    let n_before = document.fix_actions.len();
    while !document.fix_actions.is_empty() {
        let patch = Patch::FixActions(document.clone());
        let simulation =
            patch::simulate(&patch, snapshot, &FileIndex::default(), &patch::Options::DEFAULT);
        let failed: BTreeSet<&str> =
            simulation.failed.iter().filter_map(|it| it.action_id.as_deref()).collect();
        if failed.is_empty() && !simulation.ok {
            document.fix_actions.clear();
        }
        if failed.is_empty() {
            break;
        }
        document.fix_actions.retain(|it| !failed.contains(it.id.as_str()));
    }
    n_before - document.fix_actions.len()
}

fn action(applied: &Applied, diagnostics: &HashMap<&str, &Diagnostic>) -> Option<FixAction> {
    let repair = &applied.repair;
    let ops: Option<Vec<FixOp>> = repair.ops.iter().map(fix_op).collect();
    let targets: Vec<DiagnosticTarget> = repair
        .resolves
        .iter()
        .filter_map(|it| diagnostics.get(it.as_str()))
        .map(|it| target(it))
        .collect();
    let ops = ops.filter(|it| !it.is_empty() && !targets.is_empty())?;
    let note = |name: &str, text: &str| (name.to_owned(), Value::String(text.to_owned()));
    Some(FixAction {
        id: repair.id.clone(),
        title: label(&repair.title),
        severity: repair.severity,
        targets,
        ops,
        notes: Some(repair.rationale.clone()).filter(|it| !it.is_empty()),
        confidence: Some(repair.confidence),
        extra: vec![
            note("x_source", &repair.source),
            note("x_phase", &repair.phase),
            note("x_safety", repair.safety.name()),
            note("x_class", applied.class.name()),
        ],
    })
}

/// One line of at most 120 characters.
fn label(title: &str) -> String {
    let line: String = title.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
    match line.char_indices().nth(MOST_TITLE_CHARS - 1) {
        Some((end, last)) if end + last.len_utf8() < line.len() => format!("{}…", &line[..end]),
        _ if line.is_empty() => "repair".to_owned(),
        _ => line,
    }
}

fn target(diagnostic: &Diagnostic) -> DiagnosticTarget {
    DiagnosticTarget {
        file: RelPath::parse(&diagnostic.file).ok(),
        json_pointer: diagnostic.json_pointer.as_deref().and_then(|it| it.parse::<Pointer>().ok()),
        rule_id: Some(diagnostic.rule_id.clone()),
        diagnostic_id: Some(diagnostic.diagnostic_id.clone()),
        extra: Vec::new(),
    }
}

/// The operation in the words of the contract, if it has words for it.
fn fix_op(op: &RepairOp) -> Option<FixOp> {
    let RepairOp::Document { file, step } = op else { return None };
    let GuardedOp { op, document, expects, expects_parent: None } = step else { return None };
    let (json_pointer, kind) = match op.clone() {
        Op::ReplaceValue { at, value } => (at, FixOpKind::ReplaceValue { value }),
        Op::AddKey { at, key, value } => (at, FixOpKind::AddValue { key, value }),
        Op::RemoveKey { at, key } => (at, FixOpKind::RemoveKey { key }),
        Op::InsertItem { at, index, value } => (at, FixOpKind::InsertArrayItem { index, value }),
        Op::ReplaceItem { at, index, value } => (at, FixOpKind::ReplaceArrayItem { index, value }),
        Op::RenameKey { at, from, to } => (at, FixOpKind::RenameKey { from, to }),
        Op::DeleteItem { .. }
        | Op::SetValue { .. }
        | Op::DeleteValue { .. }
        | Op::MoveValue { .. } => return None,
    };
    let Preconditions { json_type, equals, exists, length: None } = expects.clone() else {
        return None;
    };
    let expects = patch::v1::Expects { json_type, equals, exists, length: None, extra: Vec::new() };
    let expects = Some(expects).filter(|it| !it.is_empty());
    let (file, document) = (file.clone(), *document);
    Some(FixOp { file, json_pointer, document, kind, expects, extra: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FA-18: expected a title on one line, of 1 to 120 characters.
    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(label("set `port`\nto 8080"), "set `port` to 8080");
        assert_eq!(label(""), "repair");
        let exact = "ä".repeat(120);
        assert_eq!(label(&exact), exact);
        assert_eq!(label(&"ä".repeat(121)), format!("{}…", "ä".repeat(119)));
    }
}
