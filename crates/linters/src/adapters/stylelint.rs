//! stylelint, as a linter: `--compute-edit-info` gives an edit for every fix.
//!
//! Runs repository code: its settings can be a program, and `extends`, `plugins`, `customSyntax` and `processors` name
//! modules. Offsets count UTF-16 units and start after a byte order mark.

use check::{Safety, Severity, Trust};
use serde_json::Value;

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, ToolOutput,
};
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json::{self, Members};
use crate::positions::{PositionDialect, PositionUnit, Span, ToolPosition};
use crate::probe::{Landmark, Probe};
use crate::report::{Garbled, ToolReport};
use crate::uses::Signs;
use crate::version::{Version, Versions};

const DIALECT: PositionDialect = PositionDialect::columns(PositionUnit::Utf16).without_bom();

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "stylelint",
    kind: ToolKind::Linter,
    files: Files::extensions(&["css", "scss", "sass", "less", "pcss", "postcss"]),
    signs: Signs {
        files: &[".stylelintrc", ".stylelintrc.*", "stylelint.config.*"],
        sections: &[("package.json", "stylelint")],
        packages: &["stylelint"],
        hooks: &["stylelint"],
        commands: &["stylelint"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "stylelint",
    local: LocalPrograms::Node,
    versions: Versions::between(Version::new(16, 13, 0), Version::new(19, 0, 0)),
    trust: |_| Trust::RunsRepositoryCode {
        what: "its settings name plugins and shared settings, which are programs".to_owned(),
    },
    scope: Scope::File,
    limit: TimeClass::Slow,
    toolchain: None,
    climbs: true,
    install: "npm install --save-dev stylelint",
    invocation,
    parse,
    page,
    review: None,
    probe: Some(Probe {
        files: &[
            ("probe.css", "\u{feff}/* é😀 */\r\n\ta { content: \"é😀\"; top: 0px; }\r\n"),
            (".stylelintrc.json", "{\"rules\": {\"length-zero-no-unit\": true}}\n"),
        ],
        landmarks: &[Landmark {
            rule: "length-zero-no-unit",
            text: "px",
            start: 47,
            fixed: Some("\u{feff}/* é😀 */\r\n\ta { content: \"é😀\"; top: 0; }\r\n"),
        }],
    }),
};

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new("stylelint", &["--version"])),
        ToolJob::Check { files } => Some(
            Invocation::new(
                "stylelint",
                &[
                    "--formatter=json",
                    "--compute-edit-info",
                    "--no-color",
                    "--allow-empty-input",
                    "--",
                ],
            )
            .files(files)
            .success(&[0, 2]),
        ),
        _ => None,
    }
}

fn page(rule: &str) -> Option<String> {
    let is_core =
        !rule.contains('/') && rule.chars().all(|it| it.is_ascii_lowercase() || it == '-');
    Some(match is_core {
        true => format!("https://stylelint.io/user-guide/rules/{rule}"),
        false => "https://stylelint.io/user-guide/rules".to_owned(),
    })
}

fn parse(output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    output.succeeded(&[0, 2])?;
    // Since version 16 the report is written to standard error.
    let is_blank = output.stdout.trim_ascii().is_empty();
    let all = json::whole(if is_blank { &output.stderr } else { &output.stdout })?;
    let mut collector = Collector::new(texts, DIALECT);
    for result in json::array(&all)? {
        let file = result.str("source").and_then(|it| texts.resolve(it));
        for item in result.list("warnings") {
            let fix = item.get("fix").filter(|it| it.is_object()).map(raw_fix);
            let rule = item.str("rule").unwrap_or("stylelint");
            let is_error = item.str("severity") != Some("warning");
            // The message ends with the name of the rule.
            let message = item.str("text").unwrap_or_default();
            let message = message.strip_suffix(&format!(" ({rule})")).unwrap_or(message);
            collector.add(RawFinding {
                rule: rule.to_owned(),
                severity: if is_error { Severity::Error } else { Severity::Warning },
                message: message.to_owned(),
                file: file.clone(),
                span: span(item),
                snippet: None,
                url: page(rule),
                fixes: fix.into_iter().collect(),
            });
        }
        for item in result.list("invalidOptionWarnings") {
            collector.note(item.str("text").unwrap_or_default());
        }
    }
    Ok(collector.finish())
}

fn span(item: &Value) -> Option<Span> {
    let start = ToolPosition::Column { line: item.num("line")?, column: item.num("column")? };
    Some(match item.num("endLine").zip(item.num("endColumn")) {
        Some((line, column)) => Span::Between(start, ToolPosition::Column { line, column }),
        None => Span::Word(start),
    })
}

fn raw_fix(fix: &Value) -> RawFix {
    let range = fix.list("range");
    let at = |nth: usize| range.get(nth).and_then(Value::as_i64).map(ToolPosition::Offset);
    let text = fix.str("text").unwrap_or_default();
    let span = at(0).zip(at(1)).map(|(start, end)| Span::Between(start, end));
    RawFix::of(
        "Apply the fix",
        Safety::LikelyPreserving,
        span.map(|it| vec![RawEdit::new(it, text)]),
    )
}
