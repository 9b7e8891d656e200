//! The report of `regreen check --format json`, for a tool that prints what we print: places and edits are bytes.
//!
//! A repair belongs to the findings that it says it resolves, or that refer to it. Its edits replace text and bring files
//! in or take them away; operations on documents are not read. What it states about safety counts if it is stricter than
//! what whoever configured the tool says, and nothing that another tool states is beyond doubt.

use std::collections::{BTreeMap, BTreeSet};

use check::{Safety, Severity};
use edit::ContentHash;
use serde_json::Value;

use super::Options;
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json::{self, Members};
use crate::positions::{PositionDialect, PositionUnit, Span, ToolPosition};
use crate::report::{FileOp, Garbled, ToolReport};

/// Reads a report of our own.
pub fn read_own(bytes: &[u8], texts: &Texts<'_>, options: &Options) -> Result<ToolReport, Garbled> {
    let value = json::whole(bytes)?;
    let diagnostics = value.required_list("diagnostics")?;
    let repairs = value.list("repairs");
    let mut by_id: BTreeMap<&str, &Value> = BTreeMap::new();
    let mut by_finding: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for repair in repairs {
        let Some(id) = repair.str("id") else { continue };
        by_id.insert(id, repair);
        let delta = repair.get("expected_delta");
        let resolved = delta.map(|it| it.list("diagnostics_resolved")).unwrap_or_default();
        for finding in resolved.iter().filter_map(Value::as_str) {
            by_finding.entry(finding).or_default().push(id);
        }
    }
    let mut collector = Collector::new(texts, PositionDialect::offsets(PositionUnit::Byte));
    for item in diagnostics {
        let named = item.str("diagnostic_id").and_then(|it| by_finding.get(it));
        let referred = item.list("repair_refs").iter().filter_map(Value::as_str);
        let mut seen = BTreeSet::new();
        let ids = referred.chain(named.into_iter().flatten().copied());
        let own = ids.filter(|it| seen.insert(*it)).filter_map(|it| by_id.get(it));
        let fixes = own.map(|it| fix(it, texts, options)).collect();
        collector.add(RawFinding {
            rule: item.str("rule_id").unwrap_or("unnamed").to_owned(),
            severity: item
                .str("severity")
                .and_then(Severity::from_name)
                .unwrap_or(Severity::Warning),
            message: item.str("message").unwrap_or_default().to_owned(),
            file: item.str("file").and_then(|it| texts.resolve(it)),
            span: item.get("location").and_then(|it| span(it, "start_byte", "end_byte")),
            snippet: None,
            url: item.get("details").and_then(|it| it.str("url")).map(str::to_owned),
            fixes,
        });
    }
    Ok(collector.finish())
}

fn span(value: &Value, start: &str, end: &str) -> Option<Span> {
    let at = |name: &str| Some(ToolPosition::Offset(i64::try_from(value.num(name)?).ok()?));
    Some(Span::Between(at(start)?, at(end)?))
}

fn fix(repair: &Value, texts: &Texts<'_>, options: &Options) -> RawFix {
    let title = repair.str("title").unwrap_or("Apply the repair");
    let stated = repair.str("safety").and_then(Safety::from_name);
    let safety = match (stated, options.safety) {
        (Some(stated), Some(configured)) => stated.max(configured),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => Safety::BehaviorChanging,
    };
    let mut fix = RawFix::new(title, safety.max(Safety::LikelyPreserving), Vec::new());
    for item in repair.list("edits") {
        if let Err(reason) = add(&mut fix, item, texts) {
            fix.refused = Some(reason);
            break;
        }
    }
    if fix.edits.is_empty() && fix.files.is_empty() && fix.refused.is_none() {
        fix.refused = Some("it has no edits".to_owned());
    }
    fix
}

fn add(fix: &mut RawFix, item: &Value, texts: &Texts<'_>) -> Result<(), String> {
    let unreadable = || "the edits cannot be read".to_owned();
    let named = item.str("file").ok_or_else(unreadable)?;
    let inside =
        |named: &str| texts.resolve(named).ok_or_else(|| format!("{named} is not inside the root"));
    let path = inside(named)?;
    // An edit that says for which bytes it was made is for no others.
    let base = || -> Result<ContentHash, String> {
        let text = texts.text(&path).ok_or_else(|| format!("{path} is not a file of the tree"))?;
        let stated = item.str("base").map(str::parse::<ContentHash>);
        match stated {
            Some(Ok(stated)) if stated != text.hash() => {
                Err(format!("it was made for other bytes of {path}"))
            }
            Some(Err(_)) => Err(unreadable()),
            _ => Ok(text.hash()),
        }
    };
    match item.str("op").unwrap_or_default() {
        "replace_text" => {
            base()?;
            let span = span(item, "start", "end").ok_or_else(unreadable)?;
            let text = item.str("text").ok_or_else(unreadable)?;
            let file = Some(Ok(path));
            fix.edits.push(RawEdit { file, ..RawEdit::new(span, text) });
        }
        "add_file" => {
            let text = item.str("text").ok_or_else(unreadable)?.to_owned();
            fix.files.push(FileOp::Add { path, text });
        }
        "delete_file" => {
            let base = base()?;
            fix.files.push(FileOp::Delete { path, base });
        }
        "rename_file" => {
            let (base, to) = (base()?, inside(item.str("to").ok_or_else(unreadable)?)?);
            fix.files.push(FileOp::Rename { path, to, base });
        }
        other => return Err(format!("operations such as {other:?} are not read from a tool")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use edit::Text;
    use snapshot::{Entry, File, RelPath, Snapshot};

    /// X-87. What is made of one edit of a repair for the text `né\n`.
    #[track_caller]
    fn check(edit: &str, safety: (&str, Option<Safety>), expected: Result<(u32, Safety), &str>) {
        let text = Text::new("né\n");
        let edit = edit.replace("HASH", &text.hash().to_string());
        let report = format!(
            r#"{{"diagnostics":[{{"diagnostic_id":"d","rule_id":"H1","severity":"error","file":"a.txt",
            "location":{{"start_byte":0,"end_byte":3}}}}],
            "repairs":[{{"id":"r","title":"t"{},"edits":[{edit}],"expected_delta":{{"diagnostics_resolved":["d"]}}}}]}}"#,
            safety.0
        );
        let path = RelPath::parse("a.txt").unwrap();
        let snapshot = Snapshot::new([(path, Entry::File(File::new(text, 0o644)))].into()).unwrap();
        let texts = Texts::new(&snapshot, "/ws");
        let options = Options { safety: safety.1, unit: None };
        let read = read_own(report.as_bytes(), &texts, &options).unwrap();
        assert_eq!(read.findings.len(), 1, "{report}");
        let found = match read.findings[0].fixes.first() {
            Some(fix) => {
                let set = fix.edits.values().next().map(|it| it.edits()[0].end);
                Ok((set.unwrap_or_default(), fix.safety))
            }
            None => Err(read.dropped[0].reason.as_str()),
        };
        match (found, expected) {
            (Err(found), Err(expected)) => assert!(found.contains(expected), "{report}: {found}"),
            (found, expected) => assert_eq!(found, expected, "{report}"),
        }
    }

    #[test]
    fn our_own_report_gives_repairs_that_fit() {
        use Safety::{BehaviorChanging, LikelyPreserving};
        let whole =
            r#"{"op":"replace_text","file":"a.txt","base":"HASH","start":0,"end":3,"text":"y"}"#;
        let likely = r#","safety":"likely_preserving""#;
        check(whole, ("", None), Ok((3, BehaviorChanging)));
        check(whole, ("", Some(LikelyPreserving)), Ok((3, LikelyPreserving)));
        check(whole, (likely, None), Ok((3, LikelyPreserving)));
        check(whole, (likely, Some(BehaviorChanging)), Ok((3, BehaviorChanging)));
        let sure = r#","safety":"behavior_preserving""#;
        check(whole, (sure, None), Ok((3, LikelyPreserving)));
        // Inside of a character, beyond the end, for other bytes, elsewhere, or in no way that is read.
        let with = |from: &str, to: &str| whole.replace(from, to);
        check(&with("\"end\":3", "\"end\":2"), ("", None), Err("character"));
        check(&with("\"end\":3", "\"end\":30"), ("", None), Err("is not in the file"));
        let other = Text::new("x").hash().to_string();
        check(&with("HASH", &other), ("", None), Err("it was made for other bytes of a.txt"));
        check(&with("HASH", "x"), ("", None), Err("the edits cannot be read"));
        check(&with("a.txt", "../a.txt"), ("", None), Err("../a.txt is not inside the root"));
        check(&with("a.txt", "b.txt"), ("", None), Err("b.txt is not a file of the tree"));
        let set = r#"{"op":"set_value","file":"a.txt","json_pointer":"/a","value":1}"#;
        check(set, ("", None), Err(r#"operations such as "set_value" are not read from a tool"#));
        let add = r#"{"op":"add_file","file":"b.txt","text":"b\n"}"#;
        check(add, ("", None), Ok((0, BehaviorChanging)));
    }
}
