//! Fixtures and trees for tests.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use check::Safety;
use edit::{EditSet, Text};
use linters::{Adapter, Texts, ToolOutput, ToolReport};
use serde_json::Value;
use snapshot::{Entry, File, RelPath, Snapshot};

/// A tree of texts.
pub(crate) fn tree(files: &[(&str, &str)]) -> Snapshot {
    let entries = files.iter().map(|(path, text)| {
        (RelPath::parse(path).unwrap(), Entry::File(File::new(Text::new(*text), 0o644)))
    });
    Snapshot::new(entries.collect::<BTreeMap<_, _>>()).unwrap()
}

pub(crate) fn path(path: &str) -> RelPath {
    RelPath::parse(path).unwrap()
}

/// What a tool said about one text in several shapes.
pub(crate) struct Recorded {
    pub(crate) adapter: &'static Adapter,
    pub(crate) version: String,
    pub(crate) file: RelPath,
    pub(crate) command: Vec<String>,
    pub(crate) is_stdin: bool,
    pub(crate) shapes: Vec<Shape>,
}

/// One shape of the text: as it is, with CRLF, with a byte order mark, with both.
pub(crate) struct Shape {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) output: ToolOutput,
    /// The command that rewrites, and what it did.
    pub(crate) rewritten: Option<(Vec<String>, ToolOutput)>,
    pub(crate) fixed: Option<String>,
    pub(crate) fixed_all: Option<String>,
}

pub(crate) fn recorded(name: &str) -> Recorded {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");
    let bytes = std::fs::read(format!("{folder}/{name}.json"));
    let bytes = bytes.unwrap_or_else(|error| panic!("{name}: {error}"));
    let all: Value = serde_json::from_slice(&bytes).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let file = path(all["file"].as_str().unwrap());
    let shapes = all["shapes"].as_array().unwrap();
    assert!(!shapes.is_empty(), "{name}");
    let shapes = shapes.iter().map(|it| {
        let mut output = ToolOutput::printed(
            i32::try_from(it["status"].as_i64().unwrap()).unwrap(),
            text(&it["stdout"]).into_bytes(),
        );
        output.stderr = text(&it["stderr"]).into_bytes();
        let command = all["rewrite"].as_array();
        let rewritten = command.zip(it["changed"].as_str()).map(|(command, changed)| {
            let mut output = ToolOutput::printed(0, "");
            if changed != it["text"].as_str().unwrap() {
                output.changed.insert(file.clone(), Some(Text::new(changed)));
            }
            (command.iter().map(text).collect(), output)
        });
        if let (Some(name), Some(answer)) = (all["answer"].as_str(), it["answer"].as_str()) {
            output.changed.insert(path(name), Some(Text::new(answer)));
        }
        Shape {
            name: text(&it["shape"]),
            text: text(&it["text"]),
            output,
            rewritten,
            fixed: it["fixed"].as_str().map(str::to_owned),
            fixed_all: it["fixed_all"].as_str().map(str::to_owned),
        }
    });
    let adapter = all["adapter"].as_str().unwrap();
    Recorded {
        adapter: linters::adapter(adapter).unwrap_or_else(|| panic!("no adapter {adapter}")),
        version: text(&all["version"]),
        command: all["command"].as_array().unwrap().iter().map(text).collect(),
        is_stdin: all["stdin"].as_bool().unwrap_or(false),
        shapes: shapes.collect(),
        file,
    }
}

/// A report in words: each finding with what stands at its place and what its fixes do.
pub(crate) fn shown(report: &ToolReport, snapshot: &Snapshot) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        let text = snapshot.file(&finding.file).unwrap().text();
        let at = finding.range.clone().map_or("file".to_owned(), |it| {
            let under = &text.bytes()[it.start as usize..it.end as usize];
            format!("{}..{} {:?}", it.start, it.end, String::from_utf8_lossy(under))
        });
        let first_line = finding.message.lines().next().unwrap_or_default();
        writeln!(out, "{} {} {at}: {first_line}", finding.rule, finding.severity.name()).unwrap();
        for fix in &finding.fixes {
            writeln!(out, "  {}: {}", fix.safety.name(), fix.title).unwrap();
            for (file, set) in &fix.edits {
                let text = snapshot.file(file).unwrap().text();
                for edit in set.edits() {
                    let old = &text.bytes()[edit.start as usize..edit.end as usize];
                    let (old, new) =
                        (String::from_utf8_lossy(old), String::from_utf8_lossy(&edit.text));
                    writeln!(out, "    {}: {old:?} -> {new:?}", edit.start).unwrap();
                }
            }
        }
    }
    for dropped in &report.dropped {
        writeln!(out, "dropped {}: {}", dropped.rule, dropped.reason).unwrap();
    }
    for note in &report.notes {
        writeln!(out, "note: {note}").unwrap();
    }
    if report.n_elsewhere + report.n_misplaced + report.n_more > 0 {
        let (elsewhere, misplaced) = (report.n_elsewhere, report.n_misplaced);
        writeln!(out, "elsewhere {elsewhere}, misplaced {misplaced}, more {}", report.n_more)
            .unwrap();
    }
    out
}

/// The text after the first fix of every finding that is safe enough, one that overlaps an earlier one left out.
pub(crate) fn fixed(report: &ToolReport, text: &str, file: &RelPath, limit: Safety) -> String {
    let text = Text::new(text);
    let mut taken = EditSet::new(&text, Vec::new()).unwrap();
    for finding in &report.findings {
        let Some(fix) = finding.fixes.first().filter(|it| it.safety <= limit) else { continue };
        let Some(set) = fix.edits.get(file) else { continue };
        let both = taken.edits().iter().chain(set.edits()).cloned().collect();
        if let Ok(both) = EditSet::new(&text, both) {
            taken = both;
        }
    }
    String::from_utf8(taken.apply(&text).unwrap().bytes().to_vec()).unwrap()
}

pub(crate) fn read(
    fixture: &Recorded,
    shape: &Shape,
    snapshot: &Snapshot,
) -> Result<ToolReport, linters::Garbled> {
    let texts = Texts::new(snapshot, "/workspace");
    let texts = if fixture.is_stdin { texts.with_input(&fixture.file) } else { texts };
    fixture.adapter.parse(&shape.output, &texts)
}
