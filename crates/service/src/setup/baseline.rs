//! The baseline: the findings that were there before, so that only new ones fail. A committed file that names each
//! finding by its id, with enough beside it for people to see what it is.

use std::collections::{BTreeMap, BTreeSet};

use check::Diagnostic;
use document::{Format, Limits, Value};
use edit::Text;
use protocol::v1;
use snapshot::RelPath;
use workspace::Workspace;

use crate::failure::Failure;
use crate::setup::load_text;

/// The findings of a baseline, by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Baseline {
    /// The text it was read from; `None` if there was none.
    pub(crate) text: Option<Text>,
    entries: BTreeMap<String, v1::BaselineEntry>,
    ids: BTreeSet<String>,
}

impl Baseline {
    fn new(text: Option<Text>, entries: Vec<v1::BaselineEntry>) -> Baseline {
        let entries: BTreeMap<_, _> =
            entries.into_iter().map(|it| (it.diagnostic_id.clone(), it)).collect();
        let ids = entries.keys().cloned().collect();
        Baseline { text, entries, ids }
    }

    pub(crate) fn ids(&self) -> &BTreeSet<String> {
        &self.ids
    }

    /// The baseline that has exactly these findings in the part of the tree that was looked at, and what it had
    /// elsewhere.
    pub(crate) fn updated<'a>(
        &self,
        found: impl Iterator<Item = &'a Diagnostic>,
        was_looked_at: impl Fn(&v1::BaselineEntry) -> bool,
    ) -> Baseline {
        let kept = self.entries.values().filter(|it| !was_looked_at(it)).cloned();
        Baseline::new(None, kept.chain(found.map(entry)).collect())
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The canonical text: by file, then rule, then id.
    pub(crate) fn render(&self) -> String {
        let mut entries: Vec<v1::BaselineEntry> = self.entries.values().cloned().collect();
        entries.sort();
        let document = v1::Baseline { regreen_baseline: 1, findings: entries };
        let mut text = serde_json::to_string_pretty(&document)
            .expect("strings and numbers can always be written");
        text.push('\n');
        text
    }
}

fn entry(diagnostic: &Diagnostic) -> v1::BaselineEntry {
    v1::BaselineEntry {
        file: diagnostic.file.clone(),
        rule_id: diagnostic.rule_id.clone(),
        source: diagnostic.source.clone(),
        json_pointer: diagnostic.json_pointer.clone(),
        diagnostic_id: diagnostic.diagnostic_id.clone(),
    }
}

/// Reads the baseline; one that is not there is empty.
pub(crate) fn load(workspace: &Workspace, path: &RelPath) -> Result<Baseline, Failure> {
    let Some(text) = load_text(workspace, path)? else { return Ok(Baseline::default()) };
    let unusable = |reason: String| Failure::Unusable { path: path.to_string(), reason };
    let document = document::parse(&text, Format::Json, &Limits::DEFAULT)
        .map_err(|error| unusable(error.message.clone()))?;
    let value = document.value();
    match value.get("regreen_baseline") {
        Some(Value::Number(number)) if number.as_usize() == Some(1) => {}
        Some(_) => return Err(unusable("it was written by a newer version of regreen".to_owned())),
        None => return Err(unusable("it has no member `regreen_baseline`".to_owned())),
    }
    let Some(Value::Array(findings)) = value.get("findings") else {
        return Err(unusable("it has no list `findings`".to_owned()));
    };
    let entries: Option<Vec<v1::BaselineEntry>> = findings.iter().map(read_entry).collect();
    let entries = entries.ok_or_else(|| {
        unusable("a finding lacks `file`, `rule_id`, `source` or `diagnostic_id`".to_owned())
    })?;
    Ok(Baseline::new(Some(text), entries))
}

fn read_entry(value: &Value) -> Option<v1::BaselineEntry> {
    let member = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
    Some(v1::BaselineEntry {
        file: member("file")?,
        rule_id: member("rule_id")?,
        source: member("source")?,
        json_pointer: member("json_pointer"),
        diagnostic_id: member("diagnostic_id")?,
    })
}
