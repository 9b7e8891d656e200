//! What a tool said about a tree, file by file, and how that is kept for the next process.

use std::collections::BTreeMap;
use std::sync::Arc;

use check::{LookError, Repair, Safety, Severity};
use edit::{Edit, EditSet, Text};
use linters::{Dropped, Finding, Fix, ToolReport};
use serde_json::{Value, json};
use snapshot::{RelPath, Snapshot};

/// Notes of one tool that are kept.
const MOST_NOTES: usize = 20;
/// How far into a file it is looked for a mark that says that a program made it.
const HEAD: usize = 2_000;

/// What a tool said about a tree.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolAnswers {
    /// By file: every file that was looked at, and those that something was found in.
    pub(super) files: BTreeMap<RelPath, Arc<FileAnswer>>,
    /// What would repair what was found.
    pub(super) repairs: Vec<Arc<Repair>>,
    /// The version of the tool, if it was asked.
    pub(super) version: Option<String>,
    /// Whether places can be relied on.
    pub(super) fits: bool,
    /// What is worth knowing, a line each.
    pub(super) notes: Vec<String>,
}

/// What a tool said about one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FileAnswer {
    pub(super) findings: Vec<Finding>,
    /// Fixes that cannot be used, and why.
    pub(super) dropped: Vec<Dropped>,
    /// Whether the tool could not look at all of it.
    pub(super) is_blocked: bool,
    /// Whether more is found in it than is taken.
    pub(super) is_cut: bool,
    /// Whether the tool failed on it. It may not do so the next time.
    pub(super) has_failed: bool,
}

/// Rules that say that a file does not parse, so that nothing else is said about it.
const SYNTAX: [&str; 9] =
    ["invalid-syntax", "E999", "parse", "syntax", "SC1072", "SC1073", "SC1088", "SC1089", "PRS"];

impl ToolAnswers {
    pub(super) fn note(&mut self, note: String) {
        if self.notes.len() < MOST_NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Takes in what was said about files that were asked about.
    pub(super) fn add(&mut self, asked: &[RelPath], report: ToolReport, snapshot: &Snapshot) {
        let mut files: BTreeMap<RelPath, FileAnswer> =
            asked.iter().map(|it| (it.clone(), FileAnswer::default())).collect();
        for finding in report.findings {
            let known = files.entry(finding.file.clone()).or_default();
            known.is_blocked |= SYNTAX.contains(&finding.rule.as_str());
            known.findings.push(finding);
        }
        for dropped in report.dropped {
            files.entry(dropped.file.clone()).or_default().dropped.push(dropped);
        }
        for (file, mut known) in files {
            // What is found there after a change may have been there before.
            if report.cut.contains(&file) {
                (known.is_blocked, known.is_cut) = (true, true);
                known.drop_fixes("the file has more findings than the limit");
            }
            if is_generated(snapshot, &file) {
                known.drop_fixes("the file says that it is generated");
            }
            self.files.insert(file, Arc::new(known));
        }
        report.notes.into_iter().for_each(|it| self.note(it));
        if report.n_misplaced > 0 {
            self.note(format!(
                "{} findings have a position outside their file",
                report.n_misplaced
            ));
        }
        if report.n_more > 0 {
            self.note(format!("{} more findings are left out", report.n_more));
        }
        if let Some(lost) = report.lost.first() {
            self.note(format!("{} is not used: {}", lost.rule, lost.reason));
        }
    }

    /// Notes a file that the tool fails on.
    pub(super) fn blame(&mut self, file: RelPath, error: &LookError) {
        self.note(format!("fails on {file}: {error}"));
        let failed = FileAnswer { is_blocked: true, has_failed: true, ..FileAnswer::default() };
        self.files.insert(file, Arc::new(failed));
    }

    /// All that was found, with the least that fixes may do to the meaning.
    pub(super) fn report(&self, safety: &BTreeMap<String, Safety>) -> ToolReport {
        let mut report = ToolReport::default();
        for known in self.files.values() {
            report.findings.extend(known.findings.iter().cloned());
        }
        for finding in &mut report.findings {
            let least = safety.get(&finding.rule).or_else(|| safety.get("*"));
            if let Some(least) = least {
                finding.fixes.iter_mut().for_each(|it| it.safety = it.safety.max(*least));
            }
            if !self.fits {
                finding.range = None;
                finding.fixes.clear();
            }
        }
        report
    }
}

impl FileAnswer {
    fn drop_fixes(&mut self, reason: &str) {
        for finding in self.findings.iter_mut().filter(|it| !it.fixes.is_empty()) {
            finding.fixes.clear();
            let (rule, file) = (finding.rule.clone(), finding.file.clone());
            self.dropped.push(Dropped { rule, file, reason: reason.to_owned() });
        }
    }

    /// As bytes for the cache; `None` if it is not about this file alone or cannot be written.
    pub(super) fn to_value(&self, file: &RelPath) -> Option<Value> {
        if self.has_failed {
            return None;
        }
        let findings: Option<Vec<Value>> =
            self.findings.iter().map(|it| finding_to_value(it, file)).collect();
        let dropped: Vec<Value> =
            self.dropped.iter().map(|it| json!({ "rule": it.rule, "reason": it.reason })).collect();
        Some(
            json!({ "findings": findings?, "dropped": dropped, "blocked": self.is_blocked, "cut": self.is_cut }),
        )
    }

    /// What [`FileAnswer::to_value`] wrote about this text.
    pub(super) fn from_value(value: &Value, file: &RelPath, text: &Text) -> Option<FileAnswer> {
        let findings: Option<Vec<Finding>> = value
            .get("findings")?
            .as_array()?
            .iter()
            .map(|it| finding_from_value(it, file, text))
            .collect();
        let dropped: Option<Vec<Dropped>> = value
            .get("dropped")?
            .as_array()?
            .iter()
            .map(|it| {
                let (rule, reason) = (string(it, "rule")?, string(it, "reason")?);
                Some(Dropped { rule, file: file.clone(), reason })
            })
            .collect();
        let is_blocked = value.get("blocked")?.as_bool()?;
        let is_cut = value.get("cut")?.as_bool()?;
        let (findings, dropped) = (findings?, dropped?);
        Some(FileAnswer { findings, dropped, is_blocked, is_cut, has_failed: false })
    }
}

fn string(value: &Value, name: &str) -> Option<String> {
    Some(value.get(name)?.as_str()?.to_owned())
}

fn finding_to_value(finding: &Finding, file: &RelPath) -> Option<Value> {
    if finding.file != *file {
        return None;
    }
    let fixes: Option<Vec<Value>> = finding.fixes.iter().map(|it| fix_to_value(it, file)).collect();
    Some(json!({
        "rule": finding.rule,
        "severity": finding.severity.name(),
        "message": finding.message,
        "range": finding.range.as_ref().map(|it| [it.start, it.end]),
        "url": finding.url,
        "fixes": fixes?,
    }))
}

fn fix_to_value(fix: &Fix, file: &RelPath) -> Option<Value> {
    if !fix.files.is_empty() || fix.edits.keys().any(|it| it != file) {
        return None;
    }
    let edits = fix.edits.values().flat_map(|it| it.edits());
    let edits: Option<Vec<Value>> = edits
        .map(|it| Some(json!([it.start, it.end, std::str::from_utf8(&it.text).ok()?])))
        .collect();
    Some(json!({
        "title": fix.title,
        "safety": fix.safety.name(),
        "layout": fix.is_layout,
        "edits": edits?,
    }))
}

fn finding_from_value(value: &Value, file: &RelPath, text: &Text) -> Option<Finding> {
    let range = match value.get("range")? {
        Value::Null => None,
        range => Some(number(range.get(0)?)?..number(range.get(1)?)?),
    };
    let is_inside =
        range.as_ref().is_none_or(|it| it.start <= it.end && it.end as usize <= text.len());
    let fixes: Option<Vec<Fix>> =
        value.get("fixes")?.as_array()?.iter().map(|it| fix_from_value(it, file, text)).collect();
    is_inside.then_some(Finding {
        rule: string(value, "rule")?,
        severity: Severity::from_name(value.get("severity")?.as_str()?)?,
        message: string(value, "message")?,
        file: file.clone(),
        range,
        url: string(value, "url"),
        fixes: fixes?,
    })
}

fn fix_from_value(value: &Value, file: &RelPath, text: &Text) -> Option<Fix> {
    let edits: Option<Vec<Edit>> = value
        .get("edits")?
        .as_array()?
        .iter()
        .map(|it| {
            let new = it.get(2)?.as_str()?.to_owned();
            Some(Edit::replace(number(it.get(0)?)?, number(it.get(1)?)?, new))
        })
        .collect();
    let edits = EditSet::new(text, edits?).ok()?;
    Some(Fix {
        title: string(value, "title")?,
        safety: Safety::from_name(value.get("safety")?.as_str()?)?,
        edits: [(file.clone(), edits)].into(),
        files: Vec::new(),
        is_layout: value.get("layout")?.as_bool()?,
    })
}

fn number(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}

/// Whether the head of a file says that a program made it: what is changed there is lost when it is made again.
fn is_generated(snapshot: &Snapshot, file: &RelPath) -> bool {
    let Some(text) = snapshot.file(file).map(|it| it.text()) else { return false };
    let head = &text.bytes()[..text.len().min(HEAD)];
    let has = |mark: &str| memchr::memmem::find(head, mark.as_bytes()).is_some();
    // The word alone stands in programs that look for it.
    has(concat!("@", "generated")) || (has("Code generated") && has("DO NOT EDIT"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use snapshot::{Entry, File};

    fn path(it: &str) -> RelPath {
        RelPath::parse(it).unwrap()
    }

    fn tree(text: &str) -> Snapshot {
        let entry = Entry::File(File::new(Text::new(text), 0o644));
        Snapshot::new(BTreeMap::from([(path("a.py"), entry)])).unwrap()
    }

    fn finding(text: &str) -> Finding {
        let edits = EditSet::new(&Text::new(text), vec![Edit::replace(0, 1, "é")]).unwrap();
        Finding {
            rule: "R1".to_owned(),
            severity: Severity::Warning,
            message: "m".to_owned(),
            file: path("a.py"),
            range: Some(0..1),
            url: None,
            fixes: vec![Fix {
                title: "t".to_owned(),
                safety: Safety::LikelyPreserving,
                edits: [(path("a.py"), edits)].into(),
                files: Vec::new(),
                is_layout: true,
            }],
        }
    }

    #[test]
    fn what_is_kept_is_what_was_said_and_fits_its_text_or_is_nothing() {
        let known = FileAnswer { findings: vec![finding("x = 1\n")], ..FileAnswer::default() };
        let value = known.to_value(&path("a.py")).unwrap();
        let again = FileAnswer::from_value(&value, &path("a.py"), &Text::new("x = 1\n"));
        assert_eq!(again.as_ref(), Some(&known));
        assert_eq!(FileAnswer::from_value(&value, &path("a.py"), &Text::new("")), None);
        assert_eq!(known.to_value(&path("b.py")), None);
        for broken in ["null", "{}", "{\"findings\": 3, \"dropped\": [], \"blocked\": false}"] {
            let value: Value = serde_json::from_str(broken).unwrap();
            assert_eq!(FileAnswer::from_value(&value, &path("a.py"), &Text::new("")), None);
        }
    }

    ///
    #[test]
    fn a_file_that_a_program_made_is_not_fixed() {
        let check = |text: &str, n_fixes: usize| {
            let mut known = ToolAnswers::default();
            let report = ToolReport { findings: vec![finding(text)], ..ToolReport::default() };
            known.add(&[path("a.py")], report, &tree(text));
            let of_file = &known.files[&path("a.py")];
            assert_eq!(of_file.findings[0].fixes.len(), n_fixes, "{text}");
            assert_eq!(of_file.dropped.len(), 1 - n_fixes, "{text}");
        };
        check("x = 1\n", 1);
        check(concat!("# @", "generated by a program\nx = 1\n"), 0);
        check("# Code generated by protoc. DO NOT EDIT.\nx = 1\n", 0);
    }
}
