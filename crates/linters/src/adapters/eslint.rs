//! ESLint, as a linter: `fix` is applied as its own `--fix` does, suggestions are alternatives that change behaviour.
//!
//! Runs repository code: its configuration is a program, and plugins are loaded from `node_modules`. Offsets count
//! UTF-16 units and start after a byte order mark; `[-1, 0]` removes the mark. The JSON has the text that was looked
//! at, and it must be the one we have.

use check::{Safety, Severity, Trust};
use serde_json::Value;

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, ToolOutput,
};
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json::{self, Members};
use crate::limits::tidy_message;
use crate::positions::{LineEnds, PositionDialect, PositionUnit, Span, ToolPosition};
use crate::probe::{Landmark, Probe};
use crate::report::{Garbled, ToolReport};
use crate::uses::Signs;
use crate::version::{Version, Versions};

const DIALECT: PositionDialect =
    PositionDialect::columns(PositionUnit::Utf16).without_bom().lines(LineEnds::Ecma);

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "eslint",
    kind: ToolKind::Linter,
    files: Files::extensions(&[
        "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte",
    ]),
    signs: Signs {
        files: &["eslint.config.*", ".eslintrc", ".eslintrc.*"],
        sections: &[("package.json", "eslintConfig")],
        packages: &["eslint"],
        hooks: &["eslint"],
        commands: &["eslint"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "eslint",
    local: LocalPrograms::Node,
    versions: Versions::between(Version::new(8, 0, 0), Version::new(12, 0, 0)),
    trust: |_| Trust::RunsRepositoryCode {
        what: "its configuration and plugins are programs".to_owned(),
    },
    // Rules with types look at other files.
    scope: Scope::Project,
    limit: TimeClass::Slow,
    toolchain: None,
    climbs: true,
    install: "npm install --save-dev eslint",
    invocation,
    parse,
    page,
    review: None,
    probe: Some(Probe {
        files: &[
            ("probe.js", PROBE),
            (
                "eslint.config.mjs",
                "export default [{ rules: { \"no-extra-boolean-cast\": \"error\" } }];\n",
            ),
        ],
        landmarks: &[Landmark {
            rule: "no-extra-boolean-cast",
            text: "!!e",
            start: 49,
            fixed: Some("\u{feff}const e = \"é😀\";\r\n\tconst f = \"é😀\"; if (e) { f; }\r\n"),
        }],
    }),
};

const PROBE: &str = "\u{feff}const e = \"é😀\";\r\n\tconst f = \"é😀\"; if (!!e) { f; }\r\n";

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new("eslint", &["--version"])),
        ToolJob::Check { files } => Some(
            Invocation::new("eslint", &["--format=json", "--no-color", "--no-warn-ignored", "--"])
                .files(files)
                .success(&[0, 1]),
        ),
        _ => None,
    }
}

fn page(rule: &str) -> Option<String> {
    let is_core =
        !rule.contains('/') && rule.chars().all(|it| it.is_ascii_lowercase() || it == '-');
    Some(match is_core {
        true => format!("https://eslint.org/docs/latest/rules/{rule}"),
        false => "https://eslint.org/docs/latest/rules/".to_owned(),
    })
}

fn parse(output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    output.succeeded(&[0, 1]).map_err(|it| without_greeting(it, output))?;
    let all = json::whole(&output.stdout)?;
    let mut collector = Collector::new(texts, DIALECT);
    for result in json::array(&all)? {
        let file = result.str("filePath").and_then(|it| texts.resolve(it));
        // Processors (Vue, Markdown) and other tools may have looked at another text than the file.
        let ours = file.as_ref().and_then(|it| texts.text(it));
        let is_other_text = match (result.str("source"), &ours) {
            (Some(source), Some(ours)) => {
                let bytes = ours.bytes().strip_prefix(b"\xEF\xBB\xBF").unwrap_or(ours.bytes());
                let source = source.strip_prefix('\u{feff}').unwrap_or(source);
                source.as_bytes() != bytes
            }
            _ => false,
        };
        for message in result.list("messages") {
            let mut fixes: Vec<RawFix> = Vec::new();
            let direct = message.get("fix").filter(|it| it.is_object());
            fixes.extend(direct.map(|it| raw_fix("Apply the fix", Safety::LikelyPreserving, it)));
            for suggestion in message.list("suggestions") {
                let fix = suggestion.get("fix").filter(|it| it.is_object());
                let title = suggestion.str("desc").unwrap_or("Apply the suggestion");
                fixes.extend(fix.map(|it| raw_fix(title, Safety::BehaviorChanging, it)));
            }
            if is_other_text {
                let reason = "the file is not the text that was looked at".to_owned();
                fixes.iter_mut().for_each(|it| it.refused = Some(reason.clone()));
            }
            let is_fatal = message.get("fatal").and_then(Value::as_bool).unwrap_or(false);
            let rule = message.str("ruleId");
            if rule.is_none() && !is_fatal && message.num("line").unwrap_or(0) == 0 {
                // "File ignored because …" is not a finding.
                collector.note(message.str("message").unwrap_or_default());
                continue;
            }
            let is_error = is_fatal || message.num("severity") == Some(2);
            collector.add(RawFinding {
                rule: rule.unwrap_or(if is_fatal { "parse" } else { "eslint" }).to_owned(),
                severity: if is_error { Severity::Error } else { Severity::Warning },
                message: message.str("message").unwrap_or_default().to_owned(),
                file: file.clone(),
                span: if is_other_text { None } else { span(message) },
                snippet: None,
                url: rule.filter(|it| !it.contains('/')).and_then(page),
                fixes,
            });
        }
    }
    Ok(collector.finish())
}

/// What ESLint says after it has greeted and named its version, if that is not an error of Node.
fn without_greeting(error: Garbled, output: &ToolOutput) -> Garbled {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let after = text.lines().skip_while(|it| !it.starts_with("ESLint: ")).skip(1);
    let mut after = after.map(str::trim).filter(|it| !it.is_empty());
    match (error, after.next()) {
        (Garbled::Failed { status, .. }, Some(line)) => {
            Garbled::Failed { status, said: tidy_message(line) }
        }
        (error, _) => error,
    }
}

fn span(message: &Value) -> Option<Span> {
    let start = ToolPosition::Column { line: message.num("line")?, column: message.num("column")? };
    let end = message.num("endLine").zip(message.num("endColumn"));
    Some(match end {
        Some((line, column)) => Span::Between(start, ToolPosition::Column { line, column }),
        None => Span::Word(start),
    })
}

fn raw_fix(title: &str, safety: Safety, fix: &Value) -> RawFix {
    let range = fix.list("range");
    let at = |nth: usize| range.get(nth).and_then(Value::as_i64).map(ToolPosition::Offset);
    let text = fix.str("text").unwrap_or_default();
    let span = at(0).zip(at(1)).map(|(start, end)| Span::Between(start, end));
    RawFix::of(title, safety, span.map(|it| vec![RawEdit::new(it, text)]))
}
