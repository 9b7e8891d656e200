//! ruff: `check` as a linter, `format` as a formatter.
//!
//! Sealed: its settings (`ruff.toml`, `[tool.ruff]`) name rules, paths and other settings files, and no code; it has no
//! plugins. Caches are off. Rows count LF, CRLF and CR alone; columns count code points and start after a byte order
//! mark. A notebook's rows count from the start of a cell, so what it says about notebooks has no place.

use check::{Safety, Severity};
use serde_json::Value;

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, ToolOutput,
    sealed,
};
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::hunks;
use crate::imported_names;
use crate::json::{self, Members};
use crate::positions::{LineEnds, PositionDialect, PositionUnit, Span, ToolPosition};
use crate::probe::{Landmark, Probe};
use crate::report::{Garbled, ToolReport};
use crate::uses::Signs;
use crate::version::{Version, Versions};

const DIALECT: PositionDialect =
    PositionDialect::columns(PositionUnit::CodePoint).without_bom().lines(LineEnds::Cr);
const FILES: Files = Files::extensions(&["py", "pyi"]);
const VERSIONS: Versions = Versions::between(Version::new(0, 5, 0), Version::new(1, 0, 0));

/// The rule of imports that the file does not use; others may.
const UNUSED_IMPORT: &str = "F401";

/// `ruff check`.
pub(crate) static CHECK: Adapter = Adapter {
    name: "ruff",
    kind: ToolKind::Linter,
    files: FILES,
    signs: Signs {
        files: &["ruff.toml", ".ruff.toml"],
        sections: &[("pyproject.toml", "tool.ruff")],
        packages: &["ruff"],
        hooks: &["ruff", "ruff-check"],
        commands: &["ruff check", "ruff"],
    },
    joins_on_presence: true,
    supersedes: &[],
    program: "ruff",
    local: LocalPrograms::Venv,
    versions: VERSIONS,
    trust: sealed,
    scope: Scope::File,
    limit: TimeClass::Quick,
    toolchain: None,
    climbs: true,
    install: "pip install ruff",
    invocation,
    parse,
    page: |_| Some("https://docs.astral.sh/ruff/rules/".to_owned()),
    review: Some(|report, snapshot| {
        imported_names::hold_back_removals(report, UNUSED_IMPORT, snapshot)
    }),
    probe: Some(Probe {
        files: &[("probe.py", PROBE)],
        landmarks: &[Landmark {
            rule: "F541",
            text: "f\"plain\"",
            start: 43,
            fixed: Some("\u{feff}e = \"é😀\"\r\nif e:\r\n\te = \"é😀\"; e = \"plain\"\r\n"),
        }],
    }),
};

const PROBE: &str = "\u{feff}e = \"é😀\"\r\nif e:\r\n\te = \"é😀\"; e = f\"plain\"\r\n";

/// `ruff format`.
pub(crate) static FORMAT: Adapter = Adapter {
    name: "ruff-format",
    kind: ToolKind::Formatter,
    signs: Signs {
        files: &[],
        sections: &[
            ("pyproject.toml", "tool.ruff.format"),
            ("ruff.toml", "format"),
            (".ruff.toml", "format"),
        ],
        packages: &[],
        hooks: &["ruff-format"],
        commands: &["ruff format"],
    },
    joins_on_presence: false,
    invocation: format_invocation,
    parse: |output, texts| {
        output.succeeded(&[0])?;
        hunks::formatter_output("ruff-format", output, texts)
    },
    page: |_| Some("https://docs.astral.sh/ruff/formatter/".to_owned()),
    review: None,
    probe: None,
    ..CHECK
};

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    let check = Invocation::new(
        "ruff",
        &["check", "--no-cache", "--force-exclude", "--no-fix", "--output-format=json"],
    );
    let check = check.success(&[0, 1]);
    match job {
        ToolJob::Version => Some(Invocation::new("ruff", &["--version"])),
        ToolJob::Check { files } => Some(check.args(["--"]).files(files)),
        // Whoever does not use ruff hears of errors and of names that are not used, and not of taste.
        ToolJob::CheckByPresence { files } => {
            Some(check.args(["--isolated", "--select=F,E9", "--"]).files(files))
        }
        ToolJob::Rewrite { .. } | ToolJob::Format { .. } => None,
    }
}

fn format_invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    let format = Invocation::new("ruff", &["format", "--no-cache", "--force-exclude", "--quiet"]);
    match job {
        ToolJob::Version => Some(Invocation::new("ruff", &["--version"])),
        ToolJob::Check { .. } | ToolJob::CheckByPresence { .. } => None,
        ToolJob::Rewrite { files } => Some(format.args(["--"]).files(files).writing()),
        ToolJob::Format { file, text } => {
            Some(format.args([format!("--stdin-filename={file}").as_str(), "-"]).stdin(text))
        }
    }
}

fn parse(output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    output.succeeded(&[0, 1])?;
    let all = json::whole(&output.stdout)?;
    let mut collector = Collector::new(texts, DIALECT);
    for item in json::array(&all)? {
        let is_in_cell = item.get("cell").is_some_and(|it| !it.is_null());
        let fix = item.get("fix").filter(|it| it.is_object() && !is_in_cell);
        // An old version has no code for what does not parse, a new one has `invalid-syntax`.
        let rule = item.str("code").unwrap_or("invalid-syntax");
        // What cannot run: syntax, names that are not there, statements where they must not be.
        let is_error =
            rule == "invalid-syntax" || ["E9", "F7", "F82"].iter().any(|it| rule.starts_with(it));
        collector.add(RawFinding {
            rule: rule.to_owned(),
            severity: if is_error { Severity::Error } else { Severity::Warning },
            message: item.str("message").unwrap_or_default().to_owned(),
            file: item.str("filename").and_then(|it| texts.resolve(it)),
            span: span(item).filter(|_| !is_in_cell),
            snippet: None,
            url: item.str("url").map(str::to_owned),
            fixes: fix.and_then(raw_fix).into_iter().collect(),
        });
    }
    Ok(collector.finish())
}

fn raw_fix(fix: &Value) -> Option<RawFix> {
    let safety = match fix.str("applicability")? {
        "safe" => Safety::LikelyPreserving,
        "unsafe" => Safety::BehaviorChanging,
        // Not meant to be applied.
        _ => return None,
    };
    let edits = fix
        .list("edits")
        .iter()
        .map(|edit| Some(RawEdit::new(span(edit)?, edit.str("content").unwrap_or_default())));
    let edits: Option<Vec<RawEdit>> = edits.collect();
    Some(RawFix::of(fix.str("message").unwrap_or("Apply the fix"), safety, edits))
}

fn span(value: &Value) -> Option<Span> {
    let place = |name: &str| {
        let at = value.get(name)?;
        Some(ToolPosition::Column { line: at.num("row")?, column: at.num("column")? })
    };
    Some(Span::Between(place("location")?, place("end_location")?))
}
