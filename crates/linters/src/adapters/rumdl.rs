//! rumdl, as a linter of Markdown. Its fixes are bytes of the file as it lies on disk.
//!
//! Sealed: its settings (`.rumdl.toml`, `[tool.rumdl]`, markdownlint's data) name rules and files, and no code.

use check::{Safety, Severity};

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, ToolOutput,
    sealed,
};
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json::{self, Members};
use crate::positions::{PositionDialect, PositionUnit, Span, ToolPosition};
use crate::report::{Garbled, ToolReport};
use crate::uses::Signs;
use crate::version::{Version, Versions};

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "rumdl",
    kind: ToolKind::Linter,
    files: Files::extensions(&["md", "markdown", "mdx"]),
    signs: Signs {
        files: &[".rumdl.toml", "rumdl.toml"],
        sections: &[("pyproject.toml", "tool.rumdl")],
        packages: &["rumdl"],
        hooks: &["rumdl", "rumdl-fmt"],
        commands: &["rumdl"],
    },
    joins_on_presence: false,
    supersedes: &["markdownlint"],
    program: "rumdl",
    local: LocalPrograms::Venv,
    versions: Versions::between(Version::new(0, 1, 0), Version::new(1, 0, 0)),
    trust: sealed,
    scope: Scope::File,
    limit: TimeClass::Quick,
    toolchain: None,
    climbs: true,
    install: "pip install rumdl",
    invocation,
    parse,
    page: |rule| Some(format!("https://rumdl.dev/{}/", rule.to_ascii_lowercase())),
    review: None,
    probe: None,
};

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new("rumdl", &["--version"])),
        ToolJob::Check { files } => Some(
            Invocation::new(
                "rumdl",
                &["check", "--no-cache", "--output-format=json", "--color=never", "--"],
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
    let columns = PositionDialect::columns(PositionUnit::CodePoint).without_bom();
    let mut collector =
        Collector::new(texts, columns).edits_in(PositionDialect::offsets(PositionUnit::Byte));
    for item in json::array(&all)? {
        let fix = item.get("fix").filter(|it| it.is_object()).map(|it| {
            let at = |name: &str| {
                Some(ToolPosition::Offset(i64::try_from(it.get("range")?.num(name)?).ok()?))
            };
            let span = at("start").zip(at("end")).map(|(start, end)| Span::Between(start, end));
            let edit = span.zip(it.str("replacement")).map(|(span, text)| RawEdit::new(span, text));
            RawFix::of("Apply the fix", Safety::LikelyPreserving, edit.map(|it| vec![it]))
        });
        let place = item.num("line").zip(item.num("column"));
        collector.add(RawFinding {
            rule: item.str("rule").unwrap_or("rumdl").to_owned(),
            severity: match item.str("severity") {
                Some("error") => Severity::Error,
                Some("info") => Severity::Info,
                _ => Severity::Warning,
            },
            message: item.str("message").unwrap_or_default().to_owned(),
            file: item.str("file").and_then(|it| texts.resolve(it)),
            // What a column counts is not stated, and it is not where the fix starts.
            span: place.map(|(line, _)| Span::Line(line)),
            snippet: None,
            url: None,
            fixes: fix.into_iter().collect(),
        });
    }
    Ok(collector.finish())
}
