//! SARIF 2.1.0: results, and `fixes` as alternatives. Each fix may touch several files.
//!
//! A run must say what its columns count (`columnKind`), and many do not. Where it is not said, a place counts only if
//! UTF-16 units and code points name the same byte: else nobody knows which was meant. Text regions start after a byte
//! order mark, byte regions count it. Where a region has a `snippet`, that must stand there.
//!
//! semgrep replaces the region of a match by the whole fixed lines; content that repeats what stands before and after
//! its region is refused, whoever writes it.

use std::collections::BTreeMap;
use std::ops::Range;

use check::Severity;
use serde_json::Value;
use snapshot::RelPath;

use super::Options;
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json::{self, Members};
use crate::limits::MAX_SCANNED;
use crate::paths::percent_decoded;
use crate::positions::{
    LineEnds, Misfit, PositionDialect, PositionIndex, PositionUnit, Span, ToolPosition,
};
use crate::report::{Garbled, ToolReport};

pub(super) fn read(
    bytes: &[u8],
    texts: &Texts<'_>,
    options: &Options,
) -> Result<ToolReport, Garbled> {
    let log = json::whole(bytes)?;
    let mut collector = Collector::new(texts, PositionDialect::offsets(PositionUnit::Byte));
    for run in log.required_list("runs")? {
        let reader = Reader::new(run, texts, options);
        for result in run.list("results") {
            reader.add(result, &mut collector);
        }
    }
    Ok(collector.finish())
}

struct Reader<'r, 't, 'a> {
    run: &'r Value,
    texts: &'t Texts<'a>,
    options: &'r Options,
    /// What columns may count: one unit if it is known.
    units: Vec<PositionUnit>,
    bases: BTreeMap<String, String>,
    rules: BTreeMap<&'r str, &'r Value>,
}

impl<'r, 't, 'a> Reader<'r, 't, 'a> {
    fn new(run: &'r Value, texts: &'t Texts<'a>, options: &'r Options) -> Reader<'r, 't, 'a> {
        let stated = match run.str("columnKind") {
            Some("utf16CodeUnits") => Some(PositionUnit::Utf16),
            Some("unicodeCodePoints") => Some(PositionUnit::CodePoint),
            _ => None,
        };
        let driver = run.get("tool").and_then(|it| it.get("driver")).and_then(|it| it.str("name"));
        // Tools that do not say it and were looked at.
        let known = match driver {
            Some("ruff" | "Biome") => Some(PositionUnit::CodePoint),
            Some(name) if name.starts_with("Semgrep") => Some(PositionUnit::Byte),
            _ => None,
        };
        let unit = options.unit.or(stated).or(known);
        let units = unit.map_or(vec![PositionUnit::Utf16, PositionUnit::CodePoint], |it| vec![it]);
        let bases = run.get("originalUriBaseIds").and_then(Value::as_object);
        let bases = bases
            .into_iter()
            .flatten()
            .filter_map(|(name, it)| Some((name.clone(), it.str("uri")?.to_owned())));
        let rules =
            run.get("tool").and_then(|it| it.get("driver")).map_or(&[][..], |it| it.list("rules"));
        let rules = rules.iter().filter_map(|it| Some((it.str("id")?, it)));
        Reader { run, texts, options, units, bases: bases.collect(), rules: rules.collect() }
    }

    fn add(&self, result: &Value, collector: &mut Collector<'_, '_>) {
        // What was suppressed, and what is as it should be.
        let is_suppressed = !result.list("suppressions").is_empty();
        if is_suppressed || !matches!(result.str("kind"), None | Some("fail" | "review" | "open")) {
            return;
        }
        let place = result.list("locations").first().and_then(|it| it.get("physicalLocation"));
        let file = place.and_then(|it| self.file(it).ok());
        let rule = self.rule(result);
        let region = place.and_then(|it| it.get("region"));
        let message = result.get("message");
        let message = message.and_then(|it| it.str("text").or_else(|| it.str("markdown")));
        let fixes = result.list("fixes").iter().map(|it| self.fix(it));
        let raw = RawFinding {
            severity: match result.str("level").or_else(|| self.default_level(&rule)) {
                Some("error") => Severity::Error,
                Some("note" | "none") => Severity::Info,
                _ => Severity::Warning,
            },
            message: message.unwrap_or(&rule).to_owned(),
            file,
            span: None,
            snippet: None,
            url: self.descriptor(&rule).and_then(|it| it.str("helpUri")).map(str::to_owned),
            fixes: fixes.collect(),
            rule,
        };
        collector.add_placed(raw, |places, _| region.map(|it| self.range(it, places)).transpose());
    }

    fn descriptor(&self, rule: &str) -> Option<&'r Value> {
        self.rules.get(rule).copied()
    }

    fn default_level(&self, rule: &str) -> Option<&'r str> {
        self.descriptor(rule)?.get("defaultConfiguration")?.str("level")
    }

    fn rule(&self, result: &Value) -> String {
        let named = result.str("ruleId").or_else(|| result.get("rule").and_then(|it| it.str("id")));
        if let Some(named) = named {
            return named.to_owned();
        }
        let driver = self.run.get("tool").and_then(|it| it.get("driver"));
        let nth = result.num("ruleIndex").and_then(|it| usize::try_from(it).ok());
        let found =
            driver.zip(nth).and_then(|(driver, nth)| driver.list("rules").get(nth)?.str("id"));
        found.unwrap_or("sarif").to_owned()
    }

    /// The file of something with an `artifactLocation`; its name if it is not inside the root.
    fn file(&self, value: &Value) -> Result<RelPath, String> {
        let place = value.get("artifactLocation");
        let uri = place.and_then(|it| it.str("uri")).unwrap_or_default();
        let base = place.and_then(|it| it.str("uriBaseId")).and_then(|it| self.bases.get(it));
        let refused = || uri.to_owned();
        if uri.starts_with("file:") {
            return self.texts.resolve(uri).ok_or_else(refused);
        }
        if uri.contains("://") {
            return Err(refused());
        }
        let path = percent_decoded(uri).ok_or_else(refused)?;
        match base.map(String::as_str) {
            Some(base) if base.starts_with("file:") => self
                .texts
                .resolve(&format!("{}/{uri}", base.trim_end_matches('/')))
                .ok_or_else(refused),
            _ => self.texts.resolve(&path).ok_or_else(refused),
        }
    }

    fn fix(&self, fix: &Value) -> RawFix {
        let title = fix.get("description").and_then(|it| it.str("text")).unwrap_or("Apply the fix");
        let mut raw = RawFix::new(title, self.options.safety(), Vec::new());
        for change in fix.list("artifactChanges") {
            let file = match self.file(change) {
                Ok(file) => file,
                Err(named) => {
                    raw.refused = Some(format!("`{named}` is not inside the root"));
                    continue;
                }
            };
            let Some(places) = self.texts.places(&file) else {
                raw.refused = Some(format!("{file} is not a file of the tree"));
                continue;
            };
            for item in change.list("replacements") {
                match self.edit(item, &file, &places) {
                    Ok(edit) => raw.edits.push(edit),
                    Err(reason) => raw.refused = Some(reason),
                }
            }
        }
        raw
    }

    fn edit(
        &self,
        item: &Value,
        file: &RelPath,
        places: &PositionIndex,
    ) -> Result<RawEdit, String> {
        let region = item.get("deletedRegion").ok_or("a replacement has no region")?;
        let range = self.range(region, places).map_err(|it| it.to_string())?;
        let content = item.get("insertedContent");
        if content.is_some_and(|it| it.get("binary").is_some() && it.get("text").is_none()) {
            return Err("the content is binary".to_owned());
        }
        let text = content.and_then(|it| it.str("text")).unwrap_or_default();
        // Who says what stands in the region knows the region.
        let is_sure = region.get("snippet").is_some();
        if !is_sure && repeats_its_surroundings(text, &range, places) {
            return Err("the content repeats what surrounds its region".to_owned());
        }
        let at = |it: u32| ToolPosition::Offset(i64::from(it));
        let span = Span::Between(at(range.start), at(range.end));
        Ok(RawEdit { file: Some(Ok(file.clone())), span, text: text.to_owned(), replaced: None })
    }

    fn range(&self, region: &Value, places: &PositionIndex) -> Result<Range<u32>, Misfit> {
        let found = match region_span(region) {
            Region::Bytes(span) => {
                places.bytes(span, &PositionDialect::offsets(PositionUnit::Byte))?
            }
            Region::Text(span) => {
                let of = |unit: &PositionUnit| places.bytes(span, &text_dialect(*unit));
                let mut ranges = self.units.iter().map(of);
                let first = ranges.next().unwrap_or(Err(Misfit::InsideCharacter))?;
                // Nobody says what is counted: both readings must be the same.
                for other in ranges {
                    if other? != first {
                        return Err(Misfit::UnknownUnit);
                    }
                }
                first
            }
            Region::Unreadable => return Err(Misfit::Inverted),
        };
        let snippet = region.get("snippet").and_then(|it| it.str("text"));
        if let Some(snippet) = snippet {
            let bytes = &places.text().bytes()[found.start as usize..found.end as usize];
            let here = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
            if here.trim_end_matches('\n') != snippet.replace("\r\n", "\n").trim_end_matches('\n') {
                places.expect(found.clone(), snippet)?;
            }
        }
        Ok(found)
    }
}

enum Region {
    Bytes(Span),
    Text(Span),
    Unreadable,
}

fn text_dialect(unit: PositionUnit) -> PositionDialect {
    PositionDialect::columns(unit).without_bom().lines(LineEnds::Cr)
}

fn region_span(region: &Value) -> Region {
    let offsets = |offset: &str, length: &str| {
        let start = i64::try_from(region.num(offset)?).ok()?;
        let end = start.checked_add(i64::try_from(region.num(length).unwrap_or(0)).ok()?)?;
        Some(Span::Between(ToolPosition::Offset(start), ToolPosition::Offset(end)))
    };
    if let Some(line) = region.num("startLine") {
        let column = region.num("startColumn");
        let end_line = region.num("endLine").unwrap_or(line);
        let start = ToolPosition::Column { line, column: column.unwrap_or(1) };
        return match region.num("endColumn") {
            Some(column) => {
                Region::Text(Span::Between(start, ToolPosition::Column { line: end_line, column }))
            }
            None if column.is_none() && end_line == line => Region::Text(Span::Line(line)),
            // To the end of the last line.
            None => Region::Text(Span::ToLineEnd(start, end_line)),
        };
    }
    if let Some(span) = offsets("charOffset", "charLength") {
        return Region::Text(span);
    }
    offsets("byteOffset", "byteLength").map_or(Region::Unreadable, Region::Bytes)
}

/// Whether a content has again what stands before its region on the line, and what stands after it.
fn repeats_its_surroundings(text: &str, range: &Range<u32>, places: &PositionIndex) -> bool {
    let bytes = places.text().bytes();
    let (start, end) = (range.start as usize, range.end as usize);
    let before = &bytes[start.saturating_sub(MAX_SCANNED)..start];
    let before = &before[before.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1)..];
    let after = &bytes[end..bytes.len().min(end + MAX_SCANNED)];
    let after = &after[..after.iter().position(|it| *it == b'\n').unwrap_or(after.len())];
    let content = text.trim_end_matches(['\r', '\n']).as_bytes();
    let after = after.trim_ascii_end();
    let is_word = |it: &[u8]| it.trim_ascii().len() >= 3;
    is_word(before)
        && content.starts_with(before)
        && content.ends_with(after)
        && content.len() > before.len() + after.len()
}
