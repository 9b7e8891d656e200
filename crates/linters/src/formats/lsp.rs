//! `WorkspaceEdit` of the language server protocol, alone or in code actions.
//!
//! Lines and characters count from 0, characters in UTF-16 units unless another encoding was agreed on. Edits of one file
//! that touch at a point keep their order. Creating, renaming and deleting files is refused.

use check::{Safety, Severity};
use serde_json::Value;

use super::Options;
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json::{self, Members};
use crate::positions::{Dialect, LineEnds, Place, Span, Unit};
use crate::report::{Garbled, ToolReport};

pub(super) fn read(
    bytes: &[u8],
    texts: &Texts<'_>,
    options: &Options,
) -> Result<ToolReport, Garbled> {
    let value = json::whole(bytes)?;
    let unit = options.unit.unwrap_or(Unit::Utf16);
    let dialect = Dialect::columns(unit).without_bom().lines(LineEnds::Cr).from(0, 0);
    let mut collector = Collector::new(texts, dialect);
    match &value {
        Value::Array(actions) => {
            // Actions for one finding are alternatives, and the preferred one is the first.
            let mut actions: Vec<&Value> = actions.iter().collect();
            actions.sort_by_key(|it| it.get("isPreferred").and_then(Value::as_bool) != Some(true));
            for action in actions {
                add_action(action, texts, options, &mut collector);
            }
        }
        action if action.get("edit").is_some() => {
            add_action(action, texts, options, &mut collector)
        }
        edit if edit.get("changes").is_some() || edit.get("documentChanges").is_some() => {
            let fix = raw_fix("Make the edits", options.safety(), edit, texts);
            add(fix, "edit", "an edit of the workspace", (None, Severity::Info), &mut collector);
        }
        other => {
            return Err(Garbled::format(
                "`changes`, `documentChanges` or code actions",
                json::kind_of(Some(other)),
            ));
        }
    }
    Ok(collector.finish())
}

fn add_action(
    action: &Value,
    texts: &Texts<'_>,
    options: &Options,
    collector: &mut Collector<'_, '_>,
) {
    let title = action.str("title").unwrap_or("Make the edits");
    let Some(edit) = action.get("edit").filter(|it| it.is_object()) else {
        collector.note(&format!("`{title}` has no edit"));
        return;
    };
    let mut fix = raw_fix(title, options.safety(), edit, texts);
    if let Some(reason) = action.get("disabled").and_then(|it| it.str("reason")) {
        fix.refused = Some(reason.to_owned());
    }
    let diagnostic = action.list("diagnostics").first();
    let code = diagnostic.and_then(|it| it.get("code"));
    let code = code.and_then(|it| {
        it.as_str().map(str::to_owned).or_else(|| it.as_u64().map(|it| it.to_string()))
    });
    let message = diagnostic.and_then(|it| it.str("message")).unwrap_or(title);
    let span = diagnostic.and_then(span);
    let severity = match diagnostic.and_then(|it| it.num("severity")) {
        Some(1) => Severity::Error,
        Some(2) => Severity::Warning,
        _ => Severity::Info,
    };
    add(fix, code.as_deref().unwrap_or("action"), message, (span, severity), collector);
}

fn add(
    fix: RawFix,
    rule: &str,
    message: &str,
    (span, severity): (Option<Span>, Severity),
    collector: &mut Collector<'_, '_>,
) {
    let file = fix.edits.iter().find_map(|it| it.file.clone()?.ok());
    collector.add(RawFinding {
        rule: rule.to_owned(),
        severity,
        message: message.to_owned(),
        file,
        span,
        snippet: None,
        url: None,
        fixes: vec![fix],
    });
}

fn raw_fix(title: &str, safety: Safety, edit: &Value, texts: &Texts<'_>) -> RawFix {
    let mut fix = RawFix::new(title, safety, Vec::new());
    let mut take = |uri: &str, edits: &[Value]| {
        let file = texts.resolve(uri).ok_or_else(|| uri.to_owned());
        for edit in edits {
            match (span(edit), edit.str("newText")) {
                (Some(span), Some(text)) => fix.edits.push(RawEdit {
                    file: Some(file.clone()),
                    span,
                    text: text.to_owned(),
                    replaced: None,
                }),
                // A snippet has places for a person to fill in.
                _ => fix.refused = Some("the edits cannot be read".to_owned()),
            }
        }
    };
    let mut has_operation = false;
    if let Some(changes) = edit.get("documentChanges").and_then(Value::as_array) {
        for change in changes {
            has_operation |= change.get("kind").is_some();
            let uri = change.get("textDocument").and_then(|it| it.str("uri"));
            take(uri.unwrap_or_default(), change.list("edits"));
        }
    } else if let Some(changes) = edit.get("changes").and_then(Value::as_object) {
        for (uri, edits) in changes {
            take(uri, edits.as_array().map_or(&[], Vec::as_slice));
        }
    }
    if has_operation {
        fix.refused = Some("the edit creates, renames or deletes files".to_owned());
    }
    fix
}

fn span(value: &Value) -> Option<Span> {
    let range = value.get("range")?;
    let at = |name: &str| {
        let at = range.get(name)?;
        Some(Place::Column { line: at.num("line")?, column: at.num("character")? })
    };
    Some(Span::Between(at("start")?, at("end")?))
}
