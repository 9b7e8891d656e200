//! `go vet` for findings, and `go fix` for what the modernisers would change.
//!
//! Sealed with these settings: no C compiler (`CGO_ENABLED=0`), the toolchain that is there (`GOTOOLCHAIN=local`), no
//! network (`GOPROXY=off`), no version control (`-buildvcs=false`), modules as they are written (`-mod=readonly`).
//! Nothing in a module can name a program then; `go:generate` is not run. Offsets are bytes, paths are absolute.
//! The output is one JSON value per package, with lines that start with `#` between them.

use check::{Safety, Severity};
use serde_json::Value;

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, ToolOutput,
    Toolchain, sealed,
};
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json::{self, Members};
use crate::positions::{PositionDialect, PositionUnit, Span, ToolPosition};
use crate::report::{Garbled, ToolReport};
use crate::uses::Signs;
use crate::version::{Version, Versions};

use super::markdownlint::split_place;

/// `go vet`.
pub(crate) static VET: Adapter = Adapter {
    name: "go-vet",
    kind: ToolKind::Linter,
    files: Files { extensions: &["go"], names: &["go.mod", "go.sum", "go.work"], programs: &[] },
    signs: Signs {
        files: &["go.mod", "go.work"],
        sections: &[],
        packages: &[],
        hooks: &["go-vet", "govet", "go-vet-mod"],
        commands: &["go vet"],
    },
    joins_on_presence: true,
    supersedes: &[],
    program: "go",
    local: LocalPrograms::Nowhere,
    versions: Versions::between(Version::new(1, 21, 0), Version::new(2, 0, 0)),
    trust: sealed,
    scope: Scope::Project,
    limit: TimeClass::Build,
    toolchain: Some(Toolchain::Go),
    climbs: true,
    install: "see https://go.dev/doc/install",
    invocation: |job| invocation(job, "vet"),
    parse,
    page: |rule| Some(format!("https://pkg.go.dev/golang.org/x/tools/go/analysis/passes/{rule}")),
    review: None,
    probe: None,
};

/// `go fix`.
pub(crate) static FIX: Adapter = Adapter {
    name: "go-fix",
    signs: Signs { files: &[], hooks: &["go-fix"], commands: &["go fix"], ..VET.signs },
    joins_on_presence: false,
    versions: Versions::between(Version::new(1, 26, 0), Version::new(2, 0, 0)),
    invocation: |job| invocation(job, "fix"),
    page: |_| Some("https://pkg.go.dev/golang.org/x/tools/go/analysis/passes/modernize".to_owned()),
    ..VET
};

fn invocation(job: &ToolJob<'_>, command: &str) -> Option<Invocation> {
    let invocation = match job {
        ToolJob::Version => return Some(Invocation::new("go", &["version"])),
        ToolJob::Check { .. } | ToolJob::CheckByPresence { .. } => {
            Invocation::new("go", &[command, "-json", "./..."]).success(&[0, 1])
        }
        _ => return None,
    };
    Some(
        invocation
            .env("CGO_ENABLED", "0")
            .env("GOTOOLCHAIN", "local")
            .env("GOPROXY", "off")
            .env("GOFLAGS", "-buildvcs=false -mod=readonly")
            .env("GOENV", "off"),
    )
}

fn parse(output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    // 1: packages could not be loaded or do not compile.
    output.succeeded(&[0, 1])?;
    let mut collector = Collector::new(texts, PositionDialect::columns(PositionUnit::Byte));
    let mut n_values = 0;
    for stream in [&output.stdout, &output.stderr] {
        let text = without_comments(json::text(stream)?);
        for value in serde_json::Deserializer::from_str(&text).into_iter::<Value>() {
            let value = match value {
                Ok(value) => value,
                Err(_) if output.status == Some(1) => break,
                Err(error) => return Err(Garbled::format("JSON", error.to_string())),
            };
            n_values += 1;
            add_packages(&value, texts, &mut collector);
        }
    }
    if output.status == Some(1) {
        if n_values == 0 {
            add_compile_errors(json::text(&output.stderr)?, texts, &mut collector);
        }
        collector.note(&output.last_words());
    }
    Ok(collector.finish())
}

fn without_comments(text: &str) -> String {
    let lines = text.lines().filter(|it| !it.starts_with('#') && !it.starts_with("exit status"));
    lines.flat_map(|it| [it, "\n"]).collect()
}

/// `{package: {analyzer: [{posn, end, message, suggested_fixes}]}}`.
fn add_packages(value: &Value, texts: &Texts<'_>, collector: &mut Collector<'_, '_>) {
    let Some(packages) = value.as_object() else { return };
    for analyzers in packages.values().filter_map(Value::as_object) {
        for (analyzer, found) in analyzers {
            // An analyzer that failed has an object with `error`.
            for item in found.as_array().into_iter().flatten() {
                let Some((file, line, column)) = item.str("posn").and_then(split_place) else {
                    continue;
                };
                let start = ToolPosition::Column { line, column: column.unwrap_or(1) };
                let end = item.str("end").and_then(split_place);
                let end = end.filter(|it| it.0 == file).and_then(|it| Some((it.1, it.2?)));
                // Some analyzers say only where something starts.
                let end = end.map(|(line, column)| ToolPosition::Column { line, column });
                let span = match end {
                    Some(end) if end != start => Span::Between(start, end),
                    _ => Span::Word(start),
                };
                collector.add(RawFinding {
                    rule: analyzer.clone(),
                    severity: Severity::Warning,
                    message: item.str("message").unwrap_or_default().to_owned(),
                    file: texts.resolve(file),
                    span: Some(span),
                    snippet: None,
                    url: None,
                    fixes: item
                        .list("suggested_fixes")
                        .iter()
                        .map(|it| raw_fix(it, texts))
                        .collect(),
                });
            }
        }
    }
}

fn raw_fix(fix: &Value, texts: &Texts<'_>) -> RawFix {
    let edits: Option<Vec<RawEdit>> = fix
        .list("edits")
        .iter()
        .map(|edit| {
            let at = |name: &str| Some(ToolPosition::Offset(i64::try_from(edit.num(name)?).ok()?));
            let named = edit.str("filename")?;
            Some(RawEdit {
                file: Some(texts.resolve(named).ok_or_else(|| named.to_owned())),
                span: Span::Between(at("start")?, at("end")?),
                text: edit.str("new").unwrap_or_default().to_owned(),
                replaced: None,
            })
        })
        .collect();
    // The framework asks for fixes that keep behaviour, and does not say how sure each is.
    RawFix::of(fix.str("message").unwrap_or("Apply the fix"), Safety::BehaviorChanging, edits)
}

/// Lines like `./a.go:3:5: undefined: x`, or with `vet: ` before them.
fn add_compile_errors(text: &str, texts: &Texts<'_>, collector: &mut Collector<'_, '_>) {
    for line in text.lines() {
        let line = line.strip_prefix("vet: ").unwrap_or(line);
        let Some((place, message)) = line.split_once(": ") else { continue };
        let Some((file, line, Some(column))) = split_place(place) else { continue };
        collector.add(RawFinding {
            rule: "compile".to_owned(),
            severity: Severity::Error,
            message: message.to_owned(),
            file: texts.resolve(file),
            span: Some(Span::Word(ToolPosition::Column { line, column })),
            snippet: None,
            url: None,
            fixes: Vec::new(),
        });
    }
}
