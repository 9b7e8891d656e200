//! A tool of the workspace's own, `[[source]]`: what it prints is read in a format of exchange, or what it rewrites is
//! compared.

use check::{Card, Cost, Interest, RuleSet, Safety, Severity, Trust};
use linters::formats::{self, Exchange, Options};
use linters::{Finding, Garbled, Invocation, Output, Texts, ToolReport};
use serde_json::Value;
use snapshot::RelPath;

use crate::config::{OwnFormat, OwnSource};

/// Findings of one tool that are read from our own format.
const MOST_FINDINGS: usize = 100_000;

pub(super) fn card(own: &OwnSource) -> Card {
    let files = own.files.clone();
    let is_about = move |path: &str| {
        files.is_empty() || RelPath::parse(path).is_ok_and(|path| files.matches(&path))
    };
    Card {
        name: own.name.clone(),
        phases: vec!["tool".to_owned()],
        rules: RuleSet::Open,
        // It may read any file to say something about these.
        interest: Interest::matching(is_about).depending_on(|_| true),
        cost: Cost::Process,
        trust: Trust::RunsRepositoryCode { what: format!("it runs `{}`", own.command.join(" ")) },
        languages: Vec::new(),
    }
}

pub(super) fn invocation(own: &OwnSource) -> Invocation {
    Invocation {
        program: own.command.first().cloned().unwrap_or_default(),
        args: Vec::new(),
        env: std::collections::BTreeMap::new(),
        stdin: None,
        success: Vec::new(),
        writes: own.format == OwnFormat::Rewrites,
        answer: None,
    }
}

/// What the tool said. Tools end with all kinds of statuses when they find something, so that only what they print counts;
/// one that prints nothing and fails has failed.
pub(super) fn read(
    own: &OwnSource,
    output: &Output,
    texts: &Texts<'_>,
) -> Result<ToolReport, Garbled> {
    let has_failed = output.status != Some(0);
    let is_silent = output.stdout.trim_ascii().is_empty();
    if output.status.is_none() || (has_failed && is_silent) {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let said = said.lines().rev().find(|it| !it.trim().is_empty()).unwrap_or("nothing said");
        let said = said.trim().to_owned();
        return Err(Garbled::Failed { status: output.status.unwrap_or(-1), said });
    }
    let format = match own.format {
        OwnFormat::Sarif => Exchange::Sarif,
        OwnFormat::Rdjson => Exchange::Rdjson,
        OwnFormat::Diff => Exchange::UnifiedDiff,
        OwnFormat::Regreen => return read_report(&output.stdout, texts),
        OwnFormat::Rewrites => {
            let safety = own.safety.unwrap_or(Safety::BehaviorChanging);
            return Ok(linters::rewrites(&own.name, output, texts, safety));
        }
    };
    if is_silent && own.format != OwnFormat::Sarif {
        return Ok(ToolReport::default());
    }
    formats::read(format, &output.stdout, texts, &Options { safety: own.safety, unit: None })
}

/// The findings of a report of `regreen check --format json`: places are bytes.
fn read_report(bytes: &[u8], texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    let wrong =
        |expected: &str, found: String| Garbled::Format { expected: expected.to_owned(), found };
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| wrong("a report of `regreen check`", error.to_string()))?;
    let list = value.get("diagnostics").and_then(Value::as_array);
    let list = list.ok_or_else(|| wrong("a list of `diagnostics`", "none".to_owned()))?;
    let mut report = ToolReport::default();
    for item in list.iter().take(MOST_FINDINGS) {
        let text = |name: &str| item.get(name).and_then(Value::as_str);
        let file = text("file").and_then(|it| texts.resolve(it));
        let Some((file, content)) = file.and_then(|it| Some((it.clone(), texts.text(&it)?))) else {
            report.n_elsewhere += 1;
            continue;
        };
        let at = |name: &str| {
            let place = item.get("location")?.get(name)?.as_u64()?;
            u32::try_from(place).ok().filter(|it| *it as usize <= content.len())
        };
        let range = at("start_byte").zip(at("end_byte")).filter(|it| it.0 <= it.1);
        let text_of = std::str::from_utf8(content.bytes()).unwrap_or_default();
        let is_boundary = |it: u32| text_of.is_char_boundary(it as usize);
        let range = range.filter(|it| is_boundary(it.0) && is_boundary(it.1));
        if range.is_none() && item.get("location").is_some_and(|it| !it.is_null()) {
            report.n_misplaced += 1;
        }
        report.findings.push(Finding {
            rule: text("rule_id").unwrap_or("unnamed").chars().take(200).collect(),
            severity: text("severity").and_then(Severity::from_name).unwrap_or(Severity::Warning),
            message: text("message").unwrap_or_default().chars().take(2_000).collect(),
            file,
            range: range.map(|it| it.0..it.1),
            url: None,
            fixes: Vec::new(),
        });
    }
    report.n_more = list.len().saturating_sub(MOST_FINDINGS);
    Ok(report)
}
