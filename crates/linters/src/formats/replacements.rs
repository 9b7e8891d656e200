//! clang's YAML: `Diagnostics` as clang-tidy exports them, or plain `Replacements` of a refactoring.
//!
//! Equal insertions of one refactoring are one, as everywhere: `clang-apply-replacements` makes them twice.

use check::Severity;
use document::{Format, Limits, Value};
use edit::Text;

use super::Options;
use crate::adapters::clang_tidy;
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json;
use crate::limits::MAX_OUTPUT;
use crate::positions::{PositionDialect, PositionUnit};
use crate::report::{Garbled, ToolReport};
use crate::uses::items;

pub(super) fn read(
    bytes: &[u8],
    texts: &Texts<'_>,
    options: &Options,
) -> Result<ToolReport, Garbled> {
    json::check_size(bytes)?;
    let text = Text::new(bytes);
    let limits = Limits { max_bytes: MAX_OUTPUT, ..Limits::DEFAULT };
    let parsed = document::parse(&text, Format::Yaml, &limits);
    let value = parsed.map_err(|error| Garbled::format("YAML", error.message))?.value();
    if value.get("Diagnostics").is_some() {
        let mut report = clang_tidy::read(&text, texts)?;
        for fix in report.findings.iter_mut().flat_map(|it| &mut it.fixes) {
            fix.safety = options.safety();
        }
        return Ok(report);
    }
    let Some(Value::Array(_)) = value.get("Replacements") else {
        return Err(Garbled::format("a list `Replacements` or `Diagnostics`", "neither"));
    };
    let list = items(value.get("Replacements"));
    let edits: Option<Vec<RawEdit>> =
        list.iter().map(|it| clang_tidy::replacement(it, |named| texts.resolve(named))).collect();
    let mut collector = Collector::new(texts, PositionDialect::offsets(PositionUnit::Byte));
    let first = edits.as_ref().and_then(|it| it.iter().find_map(|it| it.file.clone()?.ok()));
    collector.add(RawFinding {
        rule: "replacements".to_owned(),
        severity: Severity::Info,
        message: format!("{} replacements", list.len()),
        file: first,
        span: None,
        snippet: None,
        url: None,
        fixes: vec![RawFix::of("Make the replacements", options.safety(), edits)],
    });
    Ok(collector.finish())
}
