//! markdownlint-cli2, as a rewriter: what it prints has no edits, and `--fix` rewrites files.
//!
//! Runs repository code: its settings can be programs, and data among them can name rules, plugins and formatters that
//! are. Columns count UTF-16 units and start after a byte order mark.

use check::{Severity, Trust};

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, ToolOutput,
};
use crate::collect::{Collector, RawFinding, Texts};
use crate::json;
use crate::positions::{LineEnds, PositionDialect, PositionUnit, Span, ToolPosition};
use crate::report::{Garbled, ToolReport};
use crate::uses::Signs;
use crate::version::{Version, Versions};

const DIALECT: PositionDialect =
    PositionDialect::columns(PositionUnit::Utf16).without_bom().lines(LineEnds::Cr);

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "markdownlint",
    kind: ToolKind::Rewriter,
    files: Files::extensions(&["md", "markdown"]),
    signs: Signs {
        files: &[".markdownlint.*", ".markdownlint-cli2.*", ".markdownlintrc"],
        sections: &[("package.json", "markdownlint-cli2")],
        packages: &["markdownlint-cli2", "markdownlint-cli", "markdownlint"],
        hooks: &["markdownlint", "markdownlint-cli2"],
        commands: &["markdownlint-cli2", "markdownlint"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "markdownlint-cli2",
    local: LocalPrograms::Node,
    versions: Versions::between(Version::new(0, 10, 0), Version::new(1, 0, 0)),
    trust: |_| Trust::RunsRepositoryCode {
        what: "its settings are programs or name rules that are".to_owned(),
    },
    scope: Scope::File,
    limit: TimeClass::Slow,
    toolchain: None,
    climbs: true,
    install: "npm install --save-dev markdownlint-cli2",
    invocation,
    parse,
    page,
    review: None,
    probe: None,
};

fn page(rule: &str) -> Option<String> {
    let number = rule.split('/').next().unwrap_or(rule).to_ascii_lowercase();
    let is_number = number.starts_with("md") && number[2..].bytes().all(|it| it.is_ascii_digit());
    is_number
        .then(|| format!("https://github.com/DavidAnson/markdownlint/blob/main/doc/{number}.md"))
}

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    // A name is taken as it is, and not as a pattern, after a colon.
    let literal = |files: &[snapshot::RelPath]| -> Vec<String> {
        files.iter().map(|it| format!(":{it}")).collect()
    };
    let lint = |args: &[&str], files: &[snapshot::RelPath]| {
        let lint = Invocation::new("markdownlint-cli2", args).args(["--no-globs"]);
        lint.args(literal(files).iter().map(String::as_str)).success(&[0, 1])
    };
    match job {
        ToolJob::Version => Some(Invocation::new("markdownlint-cli2", &["--version"])),
        ToolJob::Check { files } => Some(lint(&[], files)),
        ToolJob::Rewrite { files } => Some(lint(&["--fix"], files).writing()),
        _ => None,
    }
}

/// Lines like `a.md:6:7 error MD009/no-trailing-spaces Trailing spaces [Expected: 0 or 2; Actual: 1]`.
fn parse(output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    output.succeeded(&[0, 1])?;
    let mut collector = Collector::new(texts, DIALECT);
    let mut n_read = 0;
    for line in json::text(&output.stderr)?.lines() {
        let Some((place, rest)) = line.split_once(" MD").or_else(|| line.split_once(" error "))
        else {
            continue;
        };
        let rest = if line.contains(" MD") { format!("MD{rest}") } else { rest.to_owned() };
        let (place, level) = match place.rsplit_once(' ') {
            Some((place, level @ ("error" | "warning"))) => (place, level),
            _ => (place, "error"),
        };
        let (rule, message) = rest.split_once(' ').unwrap_or((&rest, ""));
        let Some((file, line, column)) = split_place(place) else { continue };
        n_read += 1;
        let rule = rule.split('/').next().unwrap_or(rule);
        let at = |column: u64| ToolPosition::Column { line, column };
        collector.add(RawFinding {
            rule: rule.to_owned(),
            severity: if level == "warning" { Severity::Warning } else { Severity::Error },
            message: message.to_owned(),
            file: texts.resolve(file),
            // Where it ends is not said.
            span: Some(column.map_or(Span::Line(line), |it| Span::ToLineEnd(at(it), line))),
            snippet: None,
            url: page(rule),
            fixes: Vec::new(),
        });
    }
    if output.status == Some(1) && n_read == 0 {
        return Err(Garbled::Failed { status: 1, said: output.last_words() });
    }
    Ok(collector.finish())
}

/// `path:line` or `path:line:column`.
pub(crate) fn split_place(place: &str) -> Option<(&str, u64, Option<u64>)> {
    let (rest, last) = place.rsplit_once(':')?;
    let last: u64 = last.parse().ok()?;
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<u64>().ok()?))) {
        Some((file, line)) => Some((file, line, Some(last))),
        None => Some((rest, last, None)),
    }
}
