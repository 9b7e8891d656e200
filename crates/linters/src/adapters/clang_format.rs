//! clang-format, as a formatter whose edits are exact: `--output-replacements-xml` gives byte offsets and lengths.
//!
//! Sealed: `.clang-format` is data. The XML does not name the file, so that a file is given on standard input.

use check::{Safety, Severity};

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, ToolOutput,
    sealed,
};
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::hunks;
use crate::json;
use crate::positions::{PositionDialect, PositionUnit, Span, ToolPosition};
use crate::probe::{Landmark, Probe};
use crate::report::{Garbled, ToolReport};
use crate::uses::Signs;
use crate::version::{Version, Versions};

const DIALECT: PositionDialect = PositionDialect::offsets(PositionUnit::Byte);

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "clang-format",
    kind: ToolKind::Formatter,
    files: Files::extensions(&[
        "c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "h++", "inl", "ipp", "tpp", "m",
        "mm", "cu", "cuh", "proto",
    ]),
    signs: Signs {
        files: &[".clang-format", "_clang-format"],
        sections: &[],
        packages: &["clang-format"],
        hooks: &["clang-format"],
        commands: &["clang-format"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "clang-format",
    local: LocalPrograms::Venv,
    versions: Versions::between(Version::new(10, 0, 0), Version::new(30, 0, 0)),
    trust: sealed,
    scope: Scope::File,
    limit: TimeClass::Quick,
    toolchain: None,
    climbs: true,
    install: "pip install clang-format",
    invocation,
    parse,
    page: |_| Some("https://clang.llvm.org/docs/ClangFormatStyleOptions.html".to_owned()),
    review: None,
    probe: Some(Probe {
        files: &[
            ("probe.c", "// é😀\r\nint x  = 1;\r\n"),
            (".clang-format", "BasedOnStyle: LLVM\n"),
        ],
        landmarks: &[Landmark {
            rule: "format",
            text: "",
            start: 0,
            fixed: Some("// é😀\r\nint x = 1;\r\n"),
        }],
    }),
};

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new("clang-format", &["--version"])),
        ToolJob::Check { .. } | ToolJob::CheckByPresence { .. } => None,
        ToolJob::Rewrite { files } => {
            let args = ["-i", "--style=file", "--fallback-style=none", "--"];
            Some(Invocation::new("clang-format", &args).files(files).writing())
        }
        ToolJob::Format { file, text } => {
            let args = ["--output-replacements-xml", "--style=file", "--fallback-style=none"];
            let name = format!("--assume-filename={file}");
            Some(Invocation::new("clang-format", &args).args([name.as_str()]).stdin(text))
        }
    }
}

fn parse(output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    output.succeeded(&[0])?;
    let Some(file) = texts.input() else {
        return hunks::formatter_output("clang-format", output, texts);
    };
    let mut collector = Collector::new(texts, DIALECT);
    let edits = replacements(json::text(&output.stdout)?)?;
    if !edits.is_empty() {
        let title = "Format with clang-format";
        collector.add(RawFinding {
            rule: "format".to_owned(),
            severity: Severity::Info,
            message: "the file is not as clang-format formats it".to_owned(),
            file: Some(file.clone()),
            span: None,
            snippet: None,
            url: None,
            fixes: vec![RawFix::new(title, Safety::LikelyPreserving, edits)],
        });
    }
    let mut report = collector.finish();
    let fixes = report.findings.iter_mut().flat_map(|it| &mut it.fixes);
    fixes.for_each(|it| it.is_layout = true);
    Ok(report)
}

/// The edits of `<replacements>`.
pub(crate) fn replacements(xml: &str) -> Result<Vec<RawEdit>, Garbled> {
    let start = xml.find("<replacements");
    let body = start.map(|it| &xml[it..]);
    let body = body.filter(|it| it.contains("</replacements>") || it.contains("/>"));
    let body = body.ok_or_else(|| Garbled::format("`<replacements>` to its end", "other text"))?;
    let mut edits = Vec::new();
    let mut rest = body;
    while let Some(at) = rest.find("<replacement ") {
        rest = &rest[at..];
        let broken = || Garbled::format("a whole `<replacement>`", "a part of one");
        let open_end = rest.find('>').ok_or_else(broken)?;
        let tag = &rest[..open_end];
        let number = |name: &str| attribute(tag, name).and_then(|it| it.parse::<i64>().ok());
        let offset = number("offset").ok_or_else(broken)?;
        let length = number("length").filter(|it| *it >= 0).ok_or_else(broken)?;
        let (text, next) = if tag.ends_with('/') {
            (String::new(), open_end + 1)
        } else {
            let close = rest.find("</replacement>").ok_or_else(broken)?;
            let text = rest.get(open_end + 1..close).ok_or_else(broken)?;
            (unescaped(text).ok_or_else(broken)?, close)
        };
        let end = offset.checked_add(length).ok_or_else(broken)?;
        edits.push(RawEdit::new(
            Span::Between(ToolPosition::Offset(offset), ToolPosition::Offset(end)),
            text,
        ));
        rest = &rest[next..];
    }
    Ok(edits)
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let rest = &tag[tag.find(&format!(" {name}="))? + name.len() + 2..];
    let quote = rest.chars().next().filter(|it| matches!(it, '\'' | '"'))?;
    let rest = &rest[1..];
    Some(&rest[..rest.find(quote)?])
}

fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let end = rest[at..].find(';')?;
        let name = &rest[at + 1..at + end];
        out.push(match name {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                let digits = name.strip_prefix('#')?;
                let code = match digits.strip_prefix('x') {
                    Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                    None => digits.parse().ok()?,
                };
                char::from_u32(code)?
            }
        });
        rest = &rest[at + end + 1..];
    }
    out.push_str(rest);
    Some(out)
}
