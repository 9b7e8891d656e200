//! What a run left behind: one entry of `reports.json`. A record has at most one, because it runs at most once.

use measure::{ChangeKind, PathChange};
use serde_json::{Map, Value, json};

use crate::id::Id;
use crate::lifecycle::ExecutionOutcome;
use crate::time::Moment;

/// The report of one run.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The record that ran.
    pub dds: Id,
    /// How it ended.
    pub outcome: ExecutionOutcome,
    /// When the run was claimed.
    pub started_at: Moment,
    /// When it ended.
    pub finished_at: Moment,
    /// The tool, by its name in the configuration.
    pub tool: String,
    /// What held the tool in its scope: `bubblewrap`, `landlock`, `none`; absent where no tool was started.
    pub sandbox: Option<String>,
    /// The tool's exit code, where it ended by itself.
    pub exit_code: Option<i32>,
    /// Why it was not a success, sanitised; empty for a success.
    pub error: String,
    /// Everything that the tool changed, in the order of paths, whether it was kept or not.
    pub changes: Vec<ReportedChange>,
    /// The transaction in the workspace, if the change was kept.
    pub transaction: Option<String>,
}

/// One path that a run changed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ReportedChange {
    /// The path, as far as it can be written as text.
    pub path: String,
    /// `create`, `modify`, `delete`, `rename`, `mode`, `link` or `special`.
    pub kind: String,
    /// Where a renamed file came from.
    pub from: Option<String>,
}

impl ReportedChange {
    /// A change that was measured, as reports have it.
    pub(crate) fn of(change: &PathChange) -> ReportedChange {
        let from = match &change.kind {
            ChangeKind::Rename { from } => Some(from.to_string()),
            _ => None,
        };
        ReportedChange { path: change.path.to_string(), kind: change.kind.name().to_owned(), from }
    }
}

impl Report {
    /// The entry as JSON.
    pub fn to_json(&self) -> Value {
        let mut members = Map::new();
        let mut put = |name: &str, value: Value| {
            members.insert(name.to_owned(), value);
        };
        put("dds_id", json!(self.dds.as_str()));
        put("status", json!(self.outcome.name()));
        put("started_at", json!(self.started_at.to_string()));
        put("finished_at", json!(self.finished_at.to_string()));
        put("tool", json!(self.tool));
        put("sandbox", json!(self.sandbox));
        put("exit_code", json!(self.exit_code));
        put("error_message", json!(self.error));
        let changes = self.changes.iter().map(|it| match &it.from {
            None => json!({ "path": it.path, "change": it.kind }),
            Some(from) => json!({ "path": it.path, "change": it.kind, "from": from }),
        });
        put("files_changed", changes.collect());
        put("transaction", json!(self.transaction));
        Value::Object(members)
    }

    /// Reads an entry that [`Report::to_json`] wrote; `None` if it has another form.
    pub fn from_json(value: &Value) -> Option<Report> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let optional = |name: &str| match value.get(name)? {
            Value::Null => Some(None),
            Value::String(text) => Some(Some(text.clone())),
            _ => None,
        };
        let changes = value.get("files_changed")?.as_array()?.iter().map(|it| {
            let member = |name: &str| it.get(name).and_then(Value::as_str).map(str::to_owned);
            Some(ReportedChange {
                path: member("path")?,
                kind: member("change")?,
                from: member("from"),
            })
        });
        Some(Report {
            dds: Id::parse(text("dds_id")?).ok()?,
            outcome: ExecutionOutcome::named(text("status")?)?,
            started_at: Moment::parse(text("started_at")?).ok()?,
            finished_at: Moment::parse(text("finished_at")?).ok()?,
            tool: text("tool")?.to_owned(),
            sandbox: optional("sandbox")?,
            exit_code: match value.get("exit_code")? {
                Value::Null => None,
                code => Some(i32::try_from(code.as_i64()?).ok()?),
            },
            error: text("error_message")?.to_owned(),
            changes: changes.collect::<Option<Vec<_>>>()?,
            transaction: optional("transaction")?,
        })
    }
}
