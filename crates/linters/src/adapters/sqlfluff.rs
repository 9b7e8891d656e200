//! sqlfluff, as a linter of SQL. Fixes of the layout keep the meaning; its JSON does not say which of the others do.
//!
//! Not sealed: `library_path` imports Python, and templaters run it. Lines and columns count code points; line ends are
//! counted as one character, so that offsets are of no use in a file with CRLF.

use check::{Safety, Severity, Trust};
use serde_json::Value;

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, ToolOutput,
};
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json::{self, Members};
use crate::positions::{PositionDialect, PositionUnit, Span, ToolPosition};
use crate::report::{Garbled, ToolReport};
use crate::uses::Signs;
use crate::version::{Version, Versions};

use super::clippy::with_line_ends_of;

const DIALECT: PositionDialect = PositionDialect::columns(PositionUnit::CodePoint).without_bom();

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "sqlfluff",
    kind: ToolKind::Linter,
    files: Files::extensions(&["sql"]),
    signs: Signs {
        files: &[".sqlfluff"],
        sections: &[
            ("pyproject.toml", "tool.sqlfluff"),
            ("setup.cfg", "sqlfluff"),
            ("tox.ini", "sqlfluff"),
        ],
        packages: &["sqlfluff"],
        hooks: &["sqlfluff-lint", "sqlfluff-fix"],
        commands: &["sqlfluff"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "sqlfluff",
    local: LocalPrograms::Venv,
    versions: Versions::between(Version::new(3, 0, 0), Version::new(5, 0, 0)),
    trust: |_| Trust::RunsRepositoryCode {
        what: "library_path and templaters run Python".to_owned(),
    },
    scope: Scope::File,
    limit: TimeClass::Slow,
    toolchain: None,
    climbs: true,
    install: "pip install sqlfluff",
    invocation,
    parse,
    page: |_| Some("https://docs.sqlfluff.com/en/stable/reference/rules.html".to_owned()),
    review: None,
    probe: None,
};

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new("sqlfluff", &["--version"])),
        ToolJob::Check { files } => Some(
            Invocation::new(
                "sqlfluff",
                &["lint", "--format=json", "--nocolor", "--disable-progress-bar"],
            )
            .files(files)
            .success(&[0, 1]),
        ),
        _ => None,
    }
}

fn parse(output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    output.succeeded(&[0, 1])?;
    let all = json::whole(&output.stdout)?;
    let mut collector = Collector::new(texts, DIALECT);
    for result in json::array(&all)? {
        let file = result.str("filepath").and_then(|it| texts.resolve(it));
        for item in result.list("violations") {
            let rule = item.str("code").unwrap_or("sqlfluff");
            let is_layout = rule.starts_with("LT");
            let safety =
                if is_layout { Safety::LikelyPreserving } else { Safety::BehaviorChanging };
            let edits: Option<Vec<RawEdit>> = item.list("fixes").iter().map(raw_edit).collect();
            let mut fix = RawFix::of("Apply the fix", safety, edits);
            for edit in &mut fix.edits {
                if let Some(file) = &file {
                    edit.text = with_line_ends_of(texts, file, &edit.text);
                }
            }
            let fix = (!item.list("fixes").is_empty()).then_some(fix);
            let is_warning = item.get("warning").and_then(Value::as_bool).unwrap_or(false);
            let is_error = matches!(rule, "PRS" | "TMP" | "LXR");
            collector.add(RawFinding {
                rule: rule.to_owned(),
                severity: match (is_error, is_warning) {
                    (true, _) => Severity::Error,
                    (_, true) => Severity::Info,
                    _ => Severity::Warning,
                },
                message: item.str("description").unwrap_or_default().to_owned(),
                file: file.clone(),
                span: span(item),
                snippet: None,
                url: None,
                fixes: fix.into_iter().collect(),
            });
        }
    }
    Ok(collector.finish())
}

fn span(item: &Value) -> Option<Span> {
    let start = ToolPosition::Column {
        line: item.num("start_line_no")?,
        column: item.num("start_line_pos")?,
    };
    Some(match item.num("end_line_no").zip(item.num("end_line_pos")) {
        Some((line, column)) => Span::Between(start, ToolPosition::Column { line, column }),
        None => Span::Word(start),
    })
}

fn raw_edit(item: &Value) -> Option<RawEdit> {
    let whole = span(item)?;
    let span = match (item.str("type")?, whole) {
        ("replace" | "delete", span) => span,
        ("create_before", Span::Between(start, _)) => Span::Between(start, start),
        ("create_after", Span::Between(_, end)) => Span::Between(end, end),
        _ => return None,
    };
    Some(RawEdit::new(span, item.str("edit").unwrap_or_default()))
}
