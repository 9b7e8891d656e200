//! reviewdog's format: `{source, severity, diagnostics: […]}`, or one diagnostic per line.
//!
//! Lines and columns count from 1, columns in bytes by the specification. Biome writes code points there.

use check::Severity;
use serde_json::Value;

use super::Options;
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json::{self, Members};
use crate::positions::{PositionDialect, PositionUnit, Span, ToolPosition};
use crate::report::{Garbled, ToolReport};

pub(super) fn read(
    bytes: &[u8],
    texts: &Texts<'_>,
    options: &Options,
) -> Result<ToolReport, Garbled> {
    let (whole, items) = match json::whole(bytes) {
        Ok(value) if value.get("diagnostics").is_some() => {
            let items = value.required_list("diagnostics")?.to_vec();
            (value, items)
        }
        Ok(value) if value.get("location").is_some() => (Value::Null, vec![value]),
        Ok(value) => {
            return Err(Garbled::format("an array `diagnostics`", json::kind_of(Some(&value))));
        }
        Err(_) => (Value::Null, json::lines(bytes)?),
    };
    let source =
        |value: &Value| value.get("source").and_then(|it| it.str("name")).map(str::to_owned);
    let writes_code_points = source(&whole).is_some_and(|it| it.eq_ignore_ascii_case("biome"));
    let unit = options.unit.unwrap_or(if writes_code_points {
        PositionUnit::CodePoint
    } else {
        PositionUnit::Byte
    });
    let mut collector = Collector::new(texts, PositionDialect::columns(unit));
    for item in &items {
        let place = item.get("location");
        let file = place.and_then(|it| it.str("path")).and_then(|it| texts.resolve(it));
        let code = item.get("code").and_then(|it| it.str("value"));
        let severity = item.str("severity").or_else(|| whole.str("severity"));
        let fixes = item.list("suggestions").iter().map(|it| {
            let span = it.get("range").and_then(span);
            let edit = span.zip(it.str("text")).map(|(span, text)| vec![RawEdit::new(span, text)]);
            RawFix::of("Apply the suggestion", options.safety(), edit)
        });
        let own_source = source(item).or_else(|| source(&whole));
        collector.add(RawFinding {
            rule: code.map(str::to_owned).or(own_source).unwrap_or_else(|| "rdjson".to_owned()),
            severity: match severity {
                Some("ERROR") => Severity::Error,
                Some("INFO") => Severity::Info,
                _ => Severity::Warning,
            },
            message: item.str("message").unwrap_or_default().to_owned(),
            file,
            span: place.and_then(|it| it.get("range")).and_then(span),
            snippet: None,
            url: item.get("code").and_then(|it| it.str("url")).map(str::to_owned),
            fixes: fixes.collect(),
        });
    }
    Ok(collector.finish())
}

fn span(range: &Value) -> Option<Span> {
    let start = range.get("start")?;
    let line = start.num("line")?;
    let Some(column) = start.num("column") else { return Some(Span::Line(line)) };
    let start = ToolPosition::Column { line, column };
    let end = range.get("end").and_then(|it| Some((it.num("line")?, it.num("column")?)));
    Some(match end {
        Some((line, column)) => Span::Between(start, ToolPosition::Column { line, column }),
        None => Span::Word(start),
    })
}
