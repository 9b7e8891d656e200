//! What `compile` says to programs, for people.

use std::collections::BTreeMap;

use protocol::v1;

use crate::Frames;
use crate::compiler::ClankFindings;

/// The findings of a result. `sources` are the texts by the names that the result uses.
pub(crate) fn of_result(
    diagnostics: &[v1::CompileDiagnostic],
    sources: BTreeMap<String, Vec<u8>>,
) -> ClankFindings {
    let mut help = BTreeMap::new();
    for it in diagnostics {
        if let Some(hint) = it.hints.first() {
            help.insert(it.id.clone(), hint.description.clone());
        }
    }
    ClankFindings {
        diagnostics: diagnostics.iter().map(diagnostic).collect(),
        frames: Frames { sources, help, ..Frames::default() },
        not_canonical: Vec::new(),
    }
}

fn diagnostic(it: &v1::CompileDiagnostic) -> v1::Diagnostic {
    let related = |it: &v1::CompileRelated| v1::Related {
        file: it.location.file.clone(),
        json_pointer: None,
        location: Some(location(&it.location)),
        message: it.message.clone(),
    };
    v1::Diagnostic {
        diagnostic_id: it.id.clone(),
        rule_id: it.code.clone(),
        source: clank_repair::ClankCheck::NAME.to_owned(),
        phase: "types".to_owned(),
        tier: v1::Tier::Semantic,
        severity: it.severity,
        message: it.message.clone(),
        file: it.location.file.clone(),
        json_pointer: None,
        location: Some(location(&it.location)),
        related: it.related.iter().map(related).collect(),
        details: it.structured.clone().into_iter().collect(),
        repair_refs: Vec::new(),
    }
}

fn location(span: &v1::CompileSpan) -> v1::Location {
    v1::Location {
        start_byte: span.start.offset,
        end_byte: span.end.offset,
        start_line: span.start.line,
        start_col: span.start.column,
        end_line: span.end.line,
        end_col: span.end.column,
        document: None,
    }
}
