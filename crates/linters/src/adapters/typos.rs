//! typos, as a linter of spelling. A typo in a comment or in prose is corrected safely; one in a name or a string
//! changes behaviour. Several corrections are alternatives, none of which is the one.
//!
//! Sealed: its settings name words, patterns and files. A place is a line and the byte in it, and the JSON has the word
//! that stands there.

use check::{Safety, Severity};
use snapshot::RelPath;

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, ToolOutput,
    sealed,
};
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json::{self, Members};
use crate::positions::{PositionDialect, PositionUnit, Span, ToolPosition};
use crate::probe::{Landmark, Probe};
use crate::report::{Garbled, ToolReport};
use crate::uses::Signs;
use crate::version::{Version, Versions};

const DIALECT: PositionDialect = PositionDialect::columns(PositionUnit::Byte).from(1, 0);

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "typos",
    kind: ToolKind::Linter,
    files: Files::EVERY,
    signs: Signs {
        files: &["typos.toml", "_typos.toml", ".typos.toml"],
        sections: &[
            ("pyproject.toml", "tool.typos"),
            ("Cargo.toml", "workspace.metadata.typos"),
            ("Cargo.toml", "package.metadata.typos"),
        ],
        packages: &["typos", "typos-cli"],
        hooks: &["typos"],
        commands: &["typos"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "typos",
    local: LocalPrograms::Venv,
    versions: Versions::between(Version::new(1, 16, 0), Version::new(2, 0, 0)),
    trust: sealed,
    scope: Scope::File,
    limit: TimeClass::Quick,
    toolchain: None,
    climbs: true,
    install: "pip install typos",
    invocation,
    parse,
    page: |_| Some("https://github.com/crate-ci/typos".to_owned()),
    review: None,
    probe: Some(Probe {
        files: &[("probe.md", "\u{feff}é😀\r\n\té😀 recieve\r\n")],
        landmarks: &[Landmark {
            rule: "typo",
            text: "recieve",
            start: 19,
            fixed: Some("\u{feff}é😀\r\n\té😀 receive\r\n"),
        }],
    }),
};

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new("typos", &["--version"])),
        ToolJob::Check { files } => Some(
            Invocation::new("typos", &["--format=json", "--color=never", "--force-exclude", "--"])
                .files(files)
                .success(&[0, 2]),
        ),
        _ => None,
    }
}

fn parse(output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    output.succeeded(&[0, 2])?;
    let mut collector = Collector::new(texts, DIALECT);
    for item in json::lines(&output.stdout)? {
        match item.str("type") {
            Some("typo") => {}
            Some("error") => {
                collector.note(item.str("msg").unwrap_or_default());
                continue;
            }
            _ => continue,
        }
        // Names of files are checked too; those have no line.
        let Some(line) = item.num("line_num") else { continue };
        let file = item.str("path").and_then(|it| texts.resolve(it));
        let word = item.str("typo").unwrap_or_default();
        let start = item.num("byte_offset").unwrap_or(u64::MAX);
        let place = |column: u64| ToolPosition::Column { line, column };
        let span = Span::Between(place(start), place(start.saturating_add(word.len() as u64)));
        let corrections: Vec<&str> =
            item.list("corrections").iter().filter_map(serde_json::Value::as_str).collect();
        let is_prose = file.as_ref().is_some_and(|file| {
            let range = texts.places(file).and_then(|it| it.bytes(span, &DIALECT).ok());
            range.is_some_and(|it| is_prose(texts, file, it.start))
        });
        let safety = match (is_prose, corrections.len()) {
            (true, 1) => Safety::LikelyPreserving,
            _ => Safety::BehaviorChanging,
        };
        let fixes = corrections.iter().map(|correction| {
            let mut edit = RawEdit::new(span, *correction);
            edit.replaced = Some(word.to_owned());
            RawFix::new(&format!("Write `{correction}`"), safety, vec![edit])
        });
        let message = match corrections.is_empty() {
            true => format!("`{word}` is not allowed"),
            false => format!("`{word}` should be `{}`", corrections.join("`, `")),
        };
        collector.add(RawFinding {
            rule: "typo".to_owned(),
            severity: Severity::Warning,
            message,
            file,
            span: Some(span),
            snippet: Some(word.to_owned()),
            url: None,
            fixes: fixes.collect(),
        });
    }
    Ok(collector.finish())
}

/// Files that are prose and no program.
const PROSE: &[&str] = &["md", "markdown", "txt", "rst", "adoc", "asciidoc", "org", "text"];

/// Whether a byte of a file is part of prose or of a comment.
pub(crate) fn is_prose(texts: &Texts<'_>, file: &RelPath, byte: u32) -> bool {
    let name = file.file_name();
    let extension = name.rsplit_once('.').map_or("", |it| it.1).to_ascii_lowercase();
    let is_plain = matches!(name, "README" | "LICENSE" | "AUTHORS" | "CHANGELOG" | "NEWS");
    // Lists that programs read.
    let is_list = matches!(name, "CMakeLists.txt" | "robots.txt") || name.contains("requirements");
    if is_plain || (PROSE.contains(&extension.as_str()) && !is_list) {
        return true;
    }
    let comments = texts.comments(file);
    let at = comments.partition_point(|it| it.end <= byte);
    comments.get(at).is_some_and(|it| it.start <= byte)
}
