//! codespell, as a linter of spelling. It names lines and words, so that the place of a word is looked for in its line;
//! one correction in a comment or in prose is safe, as with typos.
//!
//! Sealed: its settings name words and dictionaries, which are data.

use std::collections::BTreeMap;

use check::{Safety, Severity};
use snapshot::RelPath;

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, ToolOutput,
    sealed,
};
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json;
use crate::limits::MAX_SCANNED;
use crate::positions::{PositionDialect, PositionUnit, Span, ToolPosition};
use crate::report::{Garbled, ToolReport};
use crate::uses::Signs;
use crate::version::{Version, Versions};

use super::typos::is_prose;

const DIALECT: PositionDialect = PositionDialect::offsets(PositionUnit::Byte);

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "codespell",
    kind: ToolKind::Linter,
    files: Files::EVERY,
    signs: Signs {
        files: &[".codespellrc"],
        sections: &[
            ("pyproject.toml", "tool.codespell"),
            ("setup.cfg", "codespell"),
            ("tox.ini", "codespell"),
        ],
        packages: &["codespell"],
        hooks: &["codespell"],
        commands: &["codespell"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "codespell",
    local: LocalPrograms::Venv,
    versions: Versions::between(Version::new(2, 0, 0), Version::new(3, 0, 0)),
    trust: sealed,
    scope: Scope::File,
    limit: TimeClass::Quick,
    toolchain: None,
    climbs: false,
    install: "pip install codespell",
    invocation,
    parse,
    page: |_| Some("https://github.com/codespell-project/codespell".to_owned()),
    review: None,
    probe: None,
};

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new("codespell", &["--version"])),
        ToolJob::Check { files } => Some(
            Invocation::new("codespell", &["--disable-colors", "--"])
                .files(files)
                .success(&[0, 65])
                .env("PYTHONIOENCODING", "utf-8"),
        ),
        _ => None,
    }
}

/// Lines like `a.py:2: teh ==> the, tech | a reason`.
fn parse(output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    output.succeeded(&[0, 65])?;
    let mut collector = Collector::new(texts, DIALECT);
    // How often a word of a line was named: the next time its next occurrence is meant.
    let mut seen: BTreeMap<(RelPath, u64, String), usize> = BTreeMap::new();
    for line in json::text(&output.stdout)?.lines() {
        let Some((place, corrections)) = line.split_once(" ==> ") else { continue };
        let Some((place, word)) = place.rsplit_once(": ") else { continue };
        let Some((named, number)) = place.rsplit_once(':') else { continue };
        let (Ok(number), word) = (number.parse::<u64>(), word.trim()) else { continue };
        let corrections = corrections.split(" | ").next().unwrap_or(corrections);
        let corrections: Vec<&str> =
            corrections.split(',').map(str::trim).filter(|it| !it.is_empty()).collect();
        let file = texts.resolve(named.trim());
        let nth = file.clone().map_or(0, |file| {
            let count = seen.entry((file, number, word.to_owned())).or_insert(0);
            *count += 1;
            *count - 1
        });
        let start = file.as_ref().and_then(|file| find(texts, file, number, word, nth));
        let span = start.map(|it| {
            let at = |it: u32| ToolPosition::Offset(i64::from(it));
            Span::Between(at(it), at(it.saturating_add(u32::try_from(word.len()).unwrap_or(0))))
        });
        let is_safe = corrections.len() == 1
            && file.as_ref().zip(start).is_some_and(|(file, start)| is_prose(texts, file, start));
        let safety = if is_safe { Safety::LikelyPreserving } else { Safety::BehaviorChanging };
        let fixes = span.into_iter().flat_map(|span| {
            corrections.iter().map(move |it| {
                let mut edit = RawEdit::new(span, *it);
                edit.replaced = Some(word.to_owned());
                RawFix::new(&format!("Write `{it}`"), safety, vec![edit])
            })
        });
        collector.add(RawFinding {
            rule: "misspelling".to_owned(),
            severity: Severity::Warning,
            message: format!("`{word}` should be `{}`", corrections.join("`, `")),
            file,
            span: span.or(Some(Span::Line(number))),
            snippet: span.map(|_| word.to_owned()),
            url: None,
            fixes: fixes.collect(),
        });
    }
    Ok(collector.finish())
}

/// The byte at which a word stands in a line for the n-th time, as a word of its own.
fn find(texts: &Texts<'_>, file: &RelPath, line: u64, word: &str, nth: usize) -> Option<u32> {
    let places = texts.places(file)?;
    let range = places.line(line, &DIALECT).ok()?;
    let bytes = places.text().bytes();
    if range.len() > MAX_SCANNED {
        return None;
    }
    let content = std::str::from_utf8(&bytes[range.start as usize..range.end as usize]).ok()?;
    let is_word = |it: char| it.is_alphanumeric() || it == '_' || it == '\'';
    let is_whole = |at: &(usize, &str)| {
        !content[..at.0].ends_with(is_word) && !content[at.0 + word.len()..].starts_with(is_word)
    };
    let found = content.match_indices(word).filter(is_whole).nth(nth)?.0;
    Some(range.start + u32::try_from(found).ok()?)
}
