//! semgrep, as a linter with the rules of the repository, by its JSON: the fixes of its SARIF replace a match by whole
//! lines and are wrong.
//!
//! Not sealed: its rules can name validators and modes that are not argued to be harmless. Offsets are bytes.

use check::{Safety, Severity, Trust};

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, ToolOutput,
};
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json::{self, Members};
use crate::positions::{PositionDialect, PositionUnit, Span, ToolPosition};
use crate::report::{Garbled, ToolReport};
use crate::uses::Signs;
use crate::version::{Version, Versions};

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "semgrep",
    kind: ToolKind::Linter,
    files: Files::extensions(&[
        "py", "js", "mjs", "cjs", "jsx", "ts", "tsx", "go", "java", "rb", "php", "c", "h", "cpp",
        "cs", "kt", "rs", "scala", "swift", "tf", "yaml", "yml", "json", "sh", "bash", "html",
    ]),
    signs: Signs {
        files: &[".semgrep.yml", ".semgrep.yaml"],
        sections: &[],
        packages: &["semgrep"],
        hooks: &["semgrep"],
        commands: &["semgrep"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "semgrep",
    local: LocalPrograms::Venv,
    versions: Versions::between(Version::new(1, 0, 0), Version::new(2, 0, 0)),
    trust: |_| Trust::RunsRepositoryCode { what: "its rules are not argued to be data".to_owned() },
    scope: Scope::File,
    limit: TimeClass::Slow,
    toolchain: None,
    climbs: false,
    install: "pip install semgrep",
    invocation,
    parse,
    page: |_| Some("https://semgrep.dev/docs/writing-rules/overview".to_owned()),
    review: None,
    probe: None,
};

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new("semgrep", &["--version"])),
        ToolJob::Check { files } => Some(
            Invocation::new(
                "semgrep",
                &[
                    "scan",
                    "--json",
                    "--quiet",
                    "--metrics=off",
                    "--disable-version-check",
                    "--config=.semgrep.yml",
                    "--",
                ],
            )
            .files(files),
        ),
        _ => None,
    }
}

fn parse(output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    output.succeeded(&[0])?;
    let all = json::whole(&output.stdout)?;
    let mut collector = Collector::new(texts, PositionDialect::offsets(PositionUnit::Byte));
    for item in all.required_list("results")? {
        let at = |name: &str| {
            Some(ToolPosition::Offset(i64::try_from(item.get(name)?.num("offset")?).ok()?))
        };
        let span = at("start").zip(at("end")).map(|(start, end)| Span::Between(start, end));
        let extra = item.get("extra");
        let fix = extra.and_then(|it| it.str("fix")).zip(span).map(|(text, span)| {
            let edits = vec![RawEdit::new(span, text)];
            RawFix::new("Apply the fix of the rule", Safety::BehaviorChanging, edits)
        });
        collector.add(RawFinding {
            rule: item.str("check_id").unwrap_or("semgrep").to_owned(),
            severity: match extra.and_then(|it| it.str("severity")) {
                Some("ERROR" | "CRITICAL" | "HIGH") => Severity::Error,
                Some("INFO" | "LOW") => Severity::Info,
                _ => Severity::Warning,
            },
            message: extra.and_then(|it| it.str("message")).unwrap_or_default().to_owned(),
            file: item.str("path").and_then(|it| texts.resolve(it)),
            span,
            snippet: None,
            url: None,
            fixes: fix.into_iter().collect(),
        });
    }
    for error in all.list("errors") {
        collector.note(error.str("message").unwrap_or_default());
    }
    Ok(collector.finish())
}
