//! From the words of the core to the words of the wire. Nothing is decided here.

pub(crate) mod changes;
mod repair;

use check::{Diagnostic, Location, Related, Safety, Severity, Tier};
use document::Value;
use patch::{AppliedOp, FailedOp, PatchKind};
use protocol::v1;

pub(crate) use repair::{class, classes, confidence, repair, repair_kind};

pub(crate) fn kind(kind: PatchKind) -> v1::PatchKind {
    match kind {
        PatchKind::FixActions => v1::PatchKind::FixActions,
        PatchKind::Changeset => v1::PatchKind::Changeset,
        PatchKind::Edits => v1::PatchKind::Edits,
        PatchKind::Repairs => v1::PatchKind::Repairs,
        PatchKind::JsonPatch => v1::PatchKind::JsonPatch,
        PatchKind::Sarif => v1::PatchKind::Sarif,
        PatchKind::Rdjson => v1::PatchKind::Rdjson,
        PatchKind::WorkspaceEdit => v1::PatchKind::WorkspaceEdit,
        PatchKind::ClangReplacements => v1::PatchKind::ClangReplacements,
        PatchKind::Diff => v1::PatchKind::Diff,
    }
}

pub(crate) fn kind_from_wire(kind: v1::PatchKind) -> PatchKind {
    match kind {
        v1::PatchKind::FixActions => PatchKind::FixActions,
        v1::PatchKind::Changeset => PatchKind::Changeset,
        v1::PatchKind::Edits => PatchKind::Edits,
        v1::PatchKind::Repairs => PatchKind::Repairs,
        v1::PatchKind::JsonPatch => PatchKind::JsonPatch,
        v1::PatchKind::Sarif => PatchKind::Sarif,
        v1::PatchKind::Rdjson => PatchKind::Rdjson,
        v1::PatchKind::WorkspaceEdit => PatchKind::WorkspaceEdit,
        v1::PatchKind::ClangReplacements => PatchKind::ClangReplacements,
        v1::PatchKind::Diff => PatchKind::Diff,
    }
}

pub(crate) fn applied(op: &AppliedOp) -> v1::AppliedOp {
    v1::AppliedOp {
        action_id: op.action_id.clone(),
        op_index: op.op_index,
        op: op.op.to_owned(),
        file: op.file.clone(),
        json_pointer: op.json_pointer.clone(),
    }
}

pub(crate) fn failed(op: &FailedOp) -> v1::FailedOp {
    v1::FailedOp {
        action_id: op.action_id.clone(),
        op_index: op.op_index,
        code: op.code.name().to_owned(),
        file: op.file.clone(),
        json_pointer: op.json_pointer.clone(),
        expected: op.expected.clone(),
        found: op.found.clone(),
    }
}

pub(crate) fn diagnostic(diagnostic: &Diagnostic) -> v1::Diagnostic {
    v1::Diagnostic {
        diagnostic_id: diagnostic.diagnostic_id.clone(),
        rule_id: diagnostic.rule_id.clone(),
        source: diagnostic.source.clone(),
        phase: diagnostic.phase.clone(),
        tier: tier(diagnostic.tier),
        severity: severity(diagnostic.severity),
        message: diagnostic.message.clone(),
        file: diagnostic.file.clone(),
        json_pointer: diagnostic.json_pointer.clone(),
        location: diagnostic.location.as_ref().map(location),
        related: diagnostic.related.iter().map(related).collect(),
        details: diagnostic
            .details
            .iter()
            .map(|(name, value)| (name.clone(), json(value)))
            .collect(),
        repair_refs: diagnostic.repair_refs.clone(),
    }
}

pub(crate) fn tier(tier: Tier) -> v1::Tier {
    match tier {
        Tier::Schema => v1::Tier::Schema,
        Tier::Semantic => v1::Tier::Semantic,
        Tier::Policy => v1::Tier::Policy,
    }
}

pub(crate) fn tier_from_wire(tier: v1::Tier) -> Tier {
    match tier {
        v1::Tier::Schema => Tier::Schema,
        v1::Tier::Semantic => Tier::Semantic,
        v1::Tier::Policy => Tier::Policy,
    }
}

pub(crate) fn severity(severity: Severity) -> v1::Severity {
    match severity {
        Severity::Error => v1::Severity::Error,
        Severity::Warning => v1::Severity::Warning,
        Severity::Info => v1::Severity::Info,
    }
}

pub(crate) fn safety(safety: Safety) -> v1::Safety {
    match safety {
        Safety::BehaviorPreserving => v1::Safety::BehaviorPreserving,
        Safety::LikelyPreserving => v1::Safety::LikelyPreserving,
        Safety::BehaviorChanging => v1::Safety::BehaviorChanging,
    }
}

pub(crate) fn safety_from_wire(safety: v1::Safety) -> Safety {
    match safety {
        v1::Safety::BehaviorPreserving => Safety::BehaviorPreserving,
        v1::Safety::LikelyPreserving => Safety::LikelyPreserving,
        v1::Safety::BehaviorChanging => Safety::BehaviorChanging,
    }
}

fn related(related: &Related) -> v1::Related {
    v1::Related {
        file: related.file.clone(),
        json_pointer: related.json_pointer.clone(),
        location: related.location.as_ref().map(location),
        message: related.message.clone(),
    }
}

fn location(location: &Location) -> v1::Location {
    v1::Location {
        start_byte: location.start_byte,
        end_byte: location.end_byte,
        start_line: location.start_line,
        start_col: location.start_col,
        end_line: location.end_line,
        end_col: location.end_col,
        document: location.document,
    }
}

/// Details are short. What JSON cannot hold, such as a number beyond its range, goes as its text.
fn json(value: &Value) -> serde_json::Value {
    let text = value.to_json();
    serde_json::from_str(&text).unwrap_or(serde_json::Value::String(text))
}
