//! `WorkspaceEdit` of the language server protocol, alone or in code actions.
//!
//! Lines and characters count from 0, characters in UTF-16 units unless another encoding was agreed on. Edits of one file
//! that touch at a point keep their order. `documentChanges` may create, rename and delete files; the changes are made in
//! their order, and one that edits a file twice is refused, because the second time is about a text that nobody has.

use std::collections::BTreeSet;

use check::{Safety, Severity};
use edit::Text;
use serde_json::Value;
use snapshot::RelPath;

use super::Options;
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json::{self, Members};
use crate::positions::{
    LineEnds, PositionDialect, PositionIndex, PositionUnit, Span, ToolPosition,
};
use crate::report::{FileOp, Garbled, ToolReport};

pub(super) fn read(
    bytes: &[u8],
    texts: &Texts<'_>,
    options: &Options,
) -> Result<ToolReport, Garbled> {
    let value = json::whole(bytes)?;
    let unit = options.unit.unwrap_or(PositionUnit::Utf16);
    let dialect = PositionDialect::columns(unit).without_bom().lines(LineEnds::Cr).from(0, 0);
    let mut collector = Collector::new(texts, dialect);
    match &value {
        Value::Array(actions) => {
            // Actions for one finding are alternatives, and the preferred one is the first.
            let mut actions: Vec<&Value> = actions.iter().collect();
            actions.sort_by_key(|it| it.get("isPreferred").and_then(Value::as_bool) != Some(true));
            for action in actions {
                add_action(action, texts, options, &dialect, &mut collector);
            }
        }
        action if action.get("edit").is_some() => {
            add_action(action, texts, options, &dialect, &mut collector)
        }
        edit if edit.get("changes").is_some() || edit.get("documentChanges").is_some() => {
            let fix = raw_fix("Make the edits", options.safety(), edit, texts, &dialect);
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
    dialect: &PositionDialect,
    collector: &mut Collector<'_, '_>,
) {
    let title = action.str("title").unwrap_or("Make the edits");
    let Some(edit) = action.get("edit").filter(|it| it.is_object()) else {
        collector.note(&format!("`{title}` has no edit"));
        return;
    };
    let mut fix = raw_fix(title, options.safety(), edit, texts, dialect);
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
    let file = file.or_else(|| fix.files.first().map(|it| it.path().clone()));
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

fn raw_fix(
    title: &str,
    safety: Safety,
    edit: &Value,
    texts: &Texts<'_>,
    dialect: &PositionDialect,
) -> RawFix {
    let mut tree = EditedTree {
        texts,
        dialect,
        edits: Vec::new(),
        files: Vec::new(),
        edited: BTreeSet::new(),
    };
    // Every change is looked at, so that a finding knows its file; the first problem is the reason.
    let mut problems = Vec::new();
    if let Some(changes) = edit.get("documentChanges").and_then(Value::as_array) {
        problems.extend(changes.iter().filter_map(|it| tree.change(it).err()));
    } else if let Some(changes) = edit.get("changes").and_then(Value::as_object) {
        problems.extend(changes.iter().filter_map(|(uri, it)| {
            tree.edit(uri, it.as_array().map_or(&[], Vec::as_slice)).err()
        }));
    }
    let mut fix = RawFix::new(title, safety, tree.edits);
    fix.files = tree.files;
    fix.refused = problems.into_iter().next();
    fix
}

/// The changes of one edit so far, which are made in their order.
struct EditedTree<'t, 'a> {
    texts: &'t Texts<'a>,
    dialect: &'t PositionDialect,
    edits: Vec<RawEdit>,
    files: Vec<FileOp>,
    /// The paths, as they are named at that time, whose texts are not those of the tree any more.
    edited: BTreeSet<RelPath>,
}

impl EditedTree<'_, '_> {
    fn change(&mut self, change: &Value) -> Result<(), String> {
        let Some(kind) = change.str("kind") else {
            let uri = change.get("textDocument").and_then(|it| it.str("uri"));
            return self.edit(uri.unwrap_or_default(), change.list("edits"));
        };
        let option = |name: &str| {
            change.get("options").and_then(|it| it.get(name)).and_then(Value::as_bool) == Some(true)
        };
        match kind {
            "create" => {
                let path = self.path(change.str("uri"))?;
                let is_there = self.texts.snapshot().get(&path).is_some();
                match is_there {
                    true if option("ignoreIfExists") && !option("overwrite") => {}
                    true => return Err(format!("{path} already exists")),
                    false => self.files.push(FileOp::Add { path, text: String::new() }),
                }
            }
            "rename" => {
                let (path, to) =
                    (self.path(change.str("oldUri"))?, self.path(change.str("newUri"))?);
                let base = self.text(&path)?.hash();
                if self.files.iter().any(|it| *it.path() == path) {
                    return Err(format!("{path} is changed twice"));
                }
                self.files.push(FileOp::Rename { path, to, base });
            }
            "delete" => {
                let path = self.path(change.str("uri"))?;
                let base = self.text(&path)?.hash();
                if self.edited.contains(&path) || self.files.iter().any(|it| *it.path() == path) {
                    return Err(format!("{path} is changed twice"));
                }
                self.files.push(FileOp::Delete { path, base });
            }
            other => return Err(format!("`{other}` is not a change of files that is known")),
        }
        Ok(())
    }

    fn edit(&mut self, uri: &str, edits: &[Value]) -> Result<(), String> {
        let named = self.path(Some(uri))?;
        if !self.edited.insert(named.clone()) {
            return Err(format!("{named} is edited twice"));
        }
        let mut made = Vec::new();
        for edit in edits {
            // A snippet has places for a person to fill in, and no `newText`.
            let (span, text) =
                span(edit).zip(edit.str("newText")).ok_or("the edits cannot be read")?;
            made.push((span, text));
        }
        let is_added = |it: &&mut FileOp| matches!(it, FileOp::Add { path, .. } if *path == named);
        if let Some(FileOp::Add { text, .. }) = self.files.iter_mut().find(is_added) {
            // The new file is empty, so that everything is put at its start.
            for (span, new) in made {
                let places = PositionIndex::new(Text::default()).ok_or("the file is too large")?;
                places.bytes(span, self.dialect).map_err(|it| it.to_string())?;
                text.push_str(new);
            }
            return Ok(());
        }
        let renamed = self.files.iter().find_map(|it| match it {
            FileOp::Rename { path, to, .. } if *to == named => Some(path.clone()),
            _ => None,
        });
        let file = renamed.unwrap_or(named);
        self.edits.extend(made.into_iter().map(|(span, text)| RawEdit {
            file: Some(Ok(file.clone())),
            span,
            text: text.to_owned(),
            replaced: None,
        }));
        Ok(())
    }

    fn path(&self, uri: Option<&str>) -> Result<RelPath, String> {
        let uri = uri.unwrap_or_default();
        self.texts.resolve(uri).ok_or_else(|| format!("`{uri}` is not inside the root"))
    }

    fn text(&self, path: &RelPath) -> Result<Text, String> {
        self.texts.text(path).ok_or_else(|| format!("{path} is not a file of the tree"))
    }
}

fn span(value: &Value) -> Option<Span> {
    let range = value.get("range")?;
    let at = |name: &str| {
        let at = range.get(name)?;
        Some(ToolPosition::Column { line: at.num("line")?, column: at.num("character")? })
    };
    Some(Span::Between(at("start")?, at("end")?))
}
