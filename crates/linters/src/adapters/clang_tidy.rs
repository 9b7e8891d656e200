//! clang-tidy, as a linter, by the YAML of `--export-fixes`. It states no safety, so that every fix may change
//! behaviour.
//!
//! Not sealed: a compilation database and `ExtraArgs` can name plugins of the compiler. Offsets are bytes of the file as
//! it lies on disk. A fix may touch several files, and the same fix of a header comes from every file that includes it.

use check::{Safety, Severity, Trust};
use document::{Format, Limits, Value};
use edit::Text;
use snapshot::RelPath;

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, ToolOutput,
};
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::limits::MAX_OUTPUT;
use crate::positions::{PositionDialect, PositionUnit, Span, ToolPosition};
use crate::report::{Garbled, ToolReport};
use crate::uses::{Signs, items};
use crate::version::{Version, Versions};

const DIALECT: PositionDialect = PositionDialect::offsets(PositionUnit::Byte);
const ANSWER: &str = ".regreen-clang-tidy.yaml";

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "clang-tidy",
    kind: ToolKind::Linter,
    files: Files::extensions(&["c", "cc", "cpp", "cxx", "c++", "m", "mm"]),
    signs: Signs {
        files: &[".clang-tidy"],
        sections: &[],
        packages: &["clang-tidy"],
        hooks: &["clang-tidy"],
        commands: &["clang-tidy"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "clang-tidy",
    local: LocalPrograms::Venv,
    versions: Versions::between(Version::new(10, 0, 0), Version::new(30, 0, 0)),
    trust: |_| Trust::RunsRepositoryCode {
        what: "a compilation database and ExtraArgs can name plugins of the compiler".to_owned(),
    },
    scope: Scope::Project,
    limit: TimeClass::Build,
    toolchain: None,
    climbs: true,
    install: "pip install clang-tidy",
    invocation,
    parse,
    page: |rule| {
        let (group, check) = rule.split_once('-')?;
        Some(format!("https://clang.llvm.org/extra/clang-tidy/checks/{group}/{check}.html"))
    },
    review: None,
    probe: None,
};

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new("clang-tidy", &["--version"])),
        ToolJob::Check { files } => {
            let export = format!("--export-fixes={ANSWER}");
            let mut invocation = Invocation::new("clang-tidy", &["--quiet", &export])
                .files(files)
                .success(&[0, 1])
                .writing();
            invocation.answer = RelPath::parse(ANSWER).ok();
            Some(invocation)
        }
        _ => None,
    }
}

fn parse(output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    output.succeeded(&[0, 1])?;
    let answer =
        RelPath::parse(ANSWER).ok().and_then(|it| output.changed.get(&it).cloned().flatten());
    match answer {
        Some(yaml) => read(&yaml, texts),
        // Nothing is written if nothing was found.
        None if output.status == Some(0) => Ok(ToolReport::default()),
        None => Err(Garbled::Failed { status: 1, said: output.last_words() }),
    }
}

/// What an exported file says.
pub(crate) fn read(yaml: &Text, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    let limits = Limits { max_bytes: MAX_OUTPUT, ..Limits::DEFAULT };
    let parsed = document::parse(yaml, Format::Yaml, &limits);
    let value = parsed.map_err(|error| Garbled::format("YAML", error.message))?.value();
    let Some(Value::Array(diagnostics)) = value.get("Diagnostics") else {
        return Err(Garbled::format("a list `Diagnostics`", "none"));
    };
    let mut collector = Collector::new(texts, DIALECT);
    for item in diagnostics {
        let Some(message) = item.get("DiagnosticMessage") else { continue };
        let folder = text(item, "BuildDirectory");
        let named = text(message, "FilePath");
        let edits: Option<Vec<RawEdit>> = items(message.get("Replacements"))
            .iter()
            .map(|it| replacement(it, |named| texts.resolve_in(folder, named)))
            .collect();
        let mut fixes = Vec::new();
        if edits.as_ref().is_none_or(|it| !it.is_empty()) {
            fixes.push(RawFix::of("Apply the fix", Safety::BehaviorChanging, edits));
        }
        let rule = text(item, "DiagnosticName");
        collector.add(RawFinding {
            rule: rule.to_owned(),
            severity: match text(item, "Level") {
                "Error" => Severity::Error,
                "Remark" => Severity::Info,
                _ => Severity::Warning,
            },
            message: text(message, "Message").to_owned(),
            file: texts.resolve_in(folder, named),
            span: number(message, "FileOffset").map(|it| Span::Word(ToolPosition::Offset(it))),
            snippet: None,
            url: (ADAPTER.page)(rule),
            fixes,
        });
    }
    Ok(collector.finish())
}

/// One entry of `Replacements`.
pub(crate) fn replacement(
    item: &Value,
    resolve: impl Fn(&str) -> Option<RelPath>,
) -> Option<RawEdit> {
    let (offset, length) = (number(item, "Offset")?, number(item, "Length")?);
    let named = text(item, "FilePath");
    let span = Span::Between(
        ToolPosition::Offset(offset),
        ToolPosition::Offset(offset.checked_add(length)?),
    );
    let file = Some(resolve(named).ok_or_else(|| named.to_owned()));
    Some(RawEdit { file, span, text: text(item, "ReplacementText").to_owned(), replaced: None })
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, name: &str) -> Option<i64> {
    match value.get(name)? {
        Value::Number(number) => number.text().parse().ok(),
        _ => None,
    }
}
