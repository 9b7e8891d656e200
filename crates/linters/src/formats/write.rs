//! A change of a tree in formats that other tools read: SARIF, reviewdog's format, annotations and suggestion blocks.
//!
//! None of them can say that a file comes, goes or gets another path, nor edit bytes that are not text. What cannot be
//! said is refused, all of it at once. Edits that touch are written as one, so that nobody has to know their order.

use std::fmt::Write;

use edit::{Edit, EditSet, LineIndex, Position, Text, Unit};
use serde_json::{Value, json};
use snapshot::{RelPath, Snapshot, TreeChange};

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// A format that is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Written {
    /// SARIF 2.1.0: one result with one fix.
    Sarif,
    /// reviewdog's format: a diagnostic with one suggestion for every place.
    Rdjson,
    /// Annotations of GitHub Actions: a notice for every place.
    Github,
    /// Markdown with a suggestion block for every place, as a review on GitHub takes them.
    Suggestions,
}

/// The change in a format, or everything that it cannot say. `version` is that of the program that writes.
pub fn write(
    format: Written,
    change: &TreeChange,
    before: &Snapshot,
    version: &str,
) -> Result<String, Vec<String>> {
    let mut refused = Vec::new();
    let moves = change.adds().keys().map(|it| (it, "added"));
    let moves = moves.chain(change.deletes().keys().map(|it| (it, "deleted")));
    let moves = moves.chain(change.renames().keys().map(|it| (it, "renamed")));
    for (path, what) in moves {
        refused.push(format!("{path} is {what}, which this format cannot express"));
    }
    let mut files = Vec::new();
    for (path, set) in change.edits() {
        match FilePlaces::new(path, set, before) {
            Ok(file) => files.push(file),
            Err(reason) => refused.push(reason),
        }
    }
    if format == Written::Sarif {
        let lone_bom = files.iter().filter(|it| it.touches_bom());
        refused.extend(lone_bom.map(|it| {
            format!("{} is edited at its byte order mark, which SARIF does not count", it.path)
        }));
    }
    if !refused.is_empty() {
        return Err(refused);
    }
    Ok(match format {
        Written::Sarif => pretty(&sarif(&files, version)),
        Written::Rdjson => pretty(&rdjson(&files)),
        Written::Github => {
            files.iter().flat_map(FilePlaces::places).map(|it| it.notice()).collect()
        }
        Written::Suggestions => {
            let blocks = files.iter().flat_map(|it| it.blocks());
            blocks.collect::<Vec<String>>().join("\n")
        }
    })
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// One file and its edits, of which no two touch.
struct FilePlaces<'a> {
    path: &'a RelPath,
    text: Text,
    lines: LineIndex,
    edits: Vec<(u32, u32, String)>,
}

/// One place of a file.
struct EditPlace<'f, 'a> {
    file: &'f FilePlaces<'a>,
    edit: &'f (u32, u32, String),
}

impl<'a> FilePlaces<'a> {
    fn new(path: &'a RelPath, set: &EditSet, before: &Snapshot) -> Result<FilePlaces<'a>, String> {
        let file = before.file(path).ok_or_else(|| format!("{path} does not exist"))?;
        let text = file.text();
        if std::str::from_utf8(text.bytes()).is_err() {
            return Err(format!("{path} is not UTF-8 text"));
        }
        let mut edits: Vec<(u32, u32, Vec<u8>)> = Vec::new();
        for Edit { start, end, text } in set.edits() {
            match edits.last_mut() {
                Some(last) if last.1 == *start => {
                    last.1 = *end;
                    last.2.extend_from_slice(text);
                }
                _ => edits.push((*start, *end, text.to_vec())),
            }
        }
        let mut texts = Vec::with_capacity(edits.len());
        for (start, end, new) in edits {
            let new = String::from_utf8(new);
            texts.push((
                start,
                end,
                new.map_err(|_| format!("the new text of {path} is not UTF-8"))?,
            ));
        }
        let lines = LineIndex::new(text.bytes());
        Ok(FilePlaces { path, text, lines, edits: texts })
    }

    fn touches_bom(&self) -> bool {
        self.text.bytes().starts_with(BOM) && self.edits.first().is_some_and(|it| it.0 < 3)
    }

    fn places(&self) -> impl Iterator<Item = EditPlace<'_, 'a>> {
        self.edits.iter().map(|edit| EditPlace { file: self, edit })
    }

    fn old(&self, start: u32, end: u32) -> &str {
        let bytes = &self.text.bytes()[start as usize..end as usize];
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// Line and column from 1.
    fn position(&self, offset: u32, unit: Unit) -> (u32, u32) {
        let at = self.lines.position(offset, unit).unwrap_or(Position { line: 0, column: 0 });
        (at.line + 1, at.column + 1)
    }

    /// Whole lines that are replaced: their bytes, and what stands there afterwards. Edits that share a line are one.
    fn line_changes(&self) -> Vec<(u32, u32, String)> {
        let len = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        let start_of = |offset: u32| {
            let line = self.position(offset, Unit::Byte).0 - 1;
            self.lines.line_range(line).map_or(offset, |it| it.start)
        };
        // The line end belongs to the line, so that the text after it starts a line.
        let end_of = |offset: u32| match offset == start_of(offset) {
            true => offset,
            false => start_of_next(self.text.bytes(), offset),
        };
        let mut found: Vec<(u32, u32, String)> = Vec::new();
        for (start, end, new) in &self.edits {
            let from = start_of(*start);
            let until = end_of(*end).max(if start == end {
                start_of_next(self.text.bytes(), *start)
            } else {
                0
            });
            let until = until.min(len);
            match found.last_mut() {
                Some(last) if from < last.1 => {
                    // The line is already part of the last change; its rest was put behind that.
                    let kept = (last.1 - start) as usize;
                    last.2.truncate(last.2.len() - kept);
                    last.2.push_str(new);
                    last.1 = last.1.max(until);
                    last.2.push_str(self.old(*end, last.1));
                }
                _ => {
                    let text = format!("{}{new}{}", self.old(from, *start), self.old(*end, until));
                    found.push((from, until, text));
                }
            }
        }
        found
    }

    /// The suggestion blocks, each with the lines that it is for.
    fn blocks(&self) -> Vec<String> {
        let block = |(start, end, new): (u32, u32, String)| {
            let first = self.position(start, Unit::Byte).0;
            let is_nothing = start == end;
            let last_byte = if is_nothing { start } else { end - 1 };
            let last = self.position(last_byte, Unit::Byte).0;
            let lines = if first == last {
                format!("line {first}")
            } else {
                format!("lines {first}-{last}")
            };
            let mut content = new;
            if !content.is_empty() && !content.ends_with('\n') {
                content.push('\n');
            }
            let fence = fence_for(&content);
            format!(
                "`{}` {lines}:\n\n{fence}suggestion\n{content}{fence}\n",
                code(self.path.as_str())
            )
        };
        self.line_changes().into_iter().map(block).collect()
    }
}

/// Where the next line starts; the end of the text if there is none.
fn start_of_next(bytes: &[u8], offset: u32) -> u32 {
    let rest = &bytes[offset as usize..];
    let width = rest.iter().position(|it| *it == b'\n').map_or(rest.len(), |it| it + 1);
    offset.saturating_add(u32::try_from(width).unwrap_or(u32::MAX))
}

/// A fence that is longer than every run of backticks in the text.
fn fence_for(text: &str) -> String {
    let longest = text.split(|it| it != '`').map(str::len).max().unwrap_or(0);
    "`".repeat((longest + 1).max(3))
}

/// A path in a code span; a backtick cannot be escaped there.
fn code(path: &str) -> String {
    path.chars().map(|it| if it == '`' || it.is_control() { '?' } else { it }).collect()
}

impl EditPlace<'_, '_> {
    /// What is done, in words.
    fn message(&self) -> String {
        let (start, end, new) = self.edit;
        let old = self.file.old(*start, *end);
        match (old.is_empty(), new.is_empty()) {
            (true, _) => format!("insert `{}`", short(new)),
            (false, true) => format!("delete `{}`", short(old)),
            (false, false) => format!("replace `{}` with `{}`", short(old), short(new)),
        }
    }

    fn notice(&self) -> String {
        let (start, end, _) = self.edit;
        let (line, column) = self.file.position(*start, Unit::CodePoint);
        let (end_line, end_column) = self.file.position(*end, Unit::CodePoint);
        let file = property(self.file.path.as_str());
        format!(
            "::notice file={file},line={line},col={column},endLine={end_line},endColumn={end_column},title=regreen::{}\n",
            data(&self.message())
        )
    }
}

fn short(text: &str) -> String {
    let mut cut: String = text.chars().take(60).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

/// A command is one line, and `%` starts an escape; other control characters are not for terminals.
fn data(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '%' => out.push_str("%25"),
            '\r' => out.push_str("%0D"),
            '\n' => out.push_str("%0A"),
            '\t' => out.push(' '),
            it if it.is_control() => out.push('\u{fffd}'),
            it => out.push(it),
        }
    }
    out
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

fn sarif(files: &[FilePlaces<'_>], version: &str) -> Value {
    let region = |it: &EditPlace<'_, '_>| {
        let (start, end, _) = it.edit;
        let (line, column) = sarif_position(it.file, *start);
        let (end_line, end_column) = sarif_position(it.file, *end);
        json!({
            "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column,
            "snippet": {"text": it.file.old(*start, *end)},
        })
    };
    let place = |path: &RelPath| json!({"uri": uri(path.as_str()), "uriBaseId": "%SRCROOT%"});
    let changes = files.iter().map(|file| {
        let replacements = file.places().map(
            |it| json!({"deletedRegion": region(&it), "insertedContent": {"text": it.edit.2}}),
        );
        let replacements: Vec<Value> = replacements.collect();
        json!({"artifactLocation": place(file.path), "replacements": replacements})
    });
    let first = files.iter().find_map(|it| it.places().next());
    let locations: Vec<Value> = first
        .map(|it| {
            let mut region = region(&it);
            region.as_object_mut().map(|it| it.remove("snippet"));
            json!({"physicalLocation": {"artifactLocation": place(it.file.path), "region": region}})
        })
        .into_iter()
        .collect();
    let changes: Vec<Value> = changes.collect();
    let results: Vec<Value> = (!changes.is_empty())
        .then(|| {
            json!({
                "ruleId": "regreen/edits",
                "level": "note",
                "message": {"text": "edits that belong together"},
                "locations": locations,
                "fixes": [{"description": {"text": "Make the edits"}, "artifactChanges": changes}],
            })
        })
        .into_iter()
        .collect();
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "regreen", "semanticVersion": version, "rules": [{"id": "regreen/edits"}]}},
            "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "the root of the workspace"}}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// Text regions start after a byte order mark.
fn sarif_position(file: &FilePlaces<'_>, offset: u32) -> (u32, u32) {
    let (line, column) = file.position(offset, Unit::CodePoint);
    let has_bom = line == 1 && file.text.bytes().starts_with(BOM);
    (line, column - u32::from(has_bom && column > 1))
}

/// The path as a relative reference: everything but the plain characters is escaped.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

fn rdjson(files: &[FilePlaces<'_>]) -> Value {
    let diagnostic = |it: EditPlace<'_, '_>| {
        let (start, end, new) = it.edit;
        let at = |offset: u32| {
            let (line, column) = it.file.position(offset, Unit::Byte);
            json!({"line": line, "column": column})
        };
        let range = json!({"start": at(*start), "end": at(*end)});
        json!({
            "message": it.message(),
            "severity": "INFO",
            "code": {"value": "edit"},
            "location": {"path": it.file.path.as_str(), "range": range},
            "suggestions": [{"range": range, "text": new}],
        })
    };
    let diagnostics: Vec<Value> =
        files.iter().flat_map(FilePlaces::places).map(diagnostic).collect();
    json!({"source": {"name": "regreen"}, "diagnostics": diagnostics})
}
