//! Biome: its linter and its assists as a rewriter, and its formatter. Reports of the former have edits without saying which
//! are safe, and `--write` makes the safe ones: findings come from a run without `--write`, hunks from a run with it.
//!
//! Sealed unless its settings name plugins. Columns count code points, and a byte order mark is one, although the format
//! says bytes.

use check::{Severity, Trust};

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, ToolOutput,
};
use crate::collect::{Collector, RawFinding, Texts};
use crate::hunks;
use crate::json::{self, Members};
use crate::positions::{LineEnds, PositionDialect, PositionUnit, Span, ToolPosition};
use crate::report::{Garbled, ToolReport};
use crate::uses::{Signs, ToolUses};
use crate::version::{Version, Versions};

const DIALECT: PositionDialect =
    PositionDialect::columns(PositionUnit::CodePoint).lines(LineEnds::Lf);

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "biome",
    kind: ToolKind::Rewriter,
    files: Files::extensions(&[
        "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "json", "jsonc", "css", "graphql",
        "gql",
    ]),
    signs: Signs {
        files: &["biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc"],
        sections: &[],
        packages: &["@biomejs/biome"],
        hooks: &["biome-check", "biome-lint", "biome-ci"],
        commands: &["biome lint", "biome check", "biome ci"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "biome",
    local: LocalPrograms::Node,
    versions: Versions::between(Version::new(2, 4, 0), Version::new(3, 0, 0)),
    trust,
    scope: Scope::Project,
    limit: TimeClass::Quick,
    toolchain: None,
    climbs: true,
    install: "npm install --save-dev @biomejs/biome",
    invocation,
    parse,
    page: |rule| {
        let name = rule.rsplit('/').next()?;
        let mut slug = String::new();
        for character in name.chars() {
            if character.is_ascii_uppercase() {
                slug.push('-');
            }
            slug.push(character.to_ascii_lowercase());
        }
        Some(match rule.starts_with("lint/") {
            true => format!("https://biomejs.dev/linter/rules/{slug}"),
            false => "https://biomejs.dev/linter/".to_owned(),
        })
    },
    review: None,
    probe: None,
};

/// `biome format`. It takes part where the settings speak of formatting, although it would format without them.
pub(crate) static FORMAT: Adapter = Adapter {
    name: "biome-format",
    kind: ToolKind::Formatter,
    signs: Signs {
        files: &[],
        sections: &[
            ("biome.json", "formatter"),
            ("biome.jsonc", "formatter"),
            (".biome.json", "formatter"),
            (".biome.jsonc", "formatter"),
            ("biome.json", "javascript.formatter"),
            ("biome.jsonc", "javascript.formatter"),
        ],
        packages: &[],
        hooks: &["biome-check", "biome-format", "biome-ci"],
        commands: &["biome format", "biome check", "biome ci"],
    },
    scope: Scope::File,
    invocation: format_invocation,
    parse: |output, texts| {
        // 1: some files could not be parsed; the others were written.
        output.succeeded(if texts.input().is_some() { &[0] } else { &[0, 1] })?;
        hunks::formatter_output("biome-format", output, texts)
    },
    page: |_| Some("https://biomejs.dev/formatter/".to_owned()),
    ..ADAPTER
};

fn trust(uses: &ToolUses<'_>) -> Trust {
    let runs = |what: String| Trust::RunsRepositoryCode { what };
    for path in uses.named(ADAPTER.signs.files) {
        let is_data = uses.is_data_without(path, &["plugins", "extends"]);
        if !is_data {
            return runs(format!("{path} may name plugins"));
        }
    }
    if let Some(path) = uses.unlisted(&ADAPTER.signs) {
        return runs(format!("{path} is ignored, and may name code"));
    }
    Trust::Sealed
}

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    let check = |args: &[&str]| {
        let check = Invocation::new("biome", &["check", "--formatter-enabled=false"]);
        check.args(args.iter().chain(TERSE).copied())
    };
    match job {
        ToolJob::Version => Some(Invocation::new("biome", &["--version"])),
        ToolJob::Check { files } => Some(
            check(&["--reporter=rdjson", "--max-diagnostics=none"]).files(files).success(&[0, 1]),
        ),
        ToolJob::Rewrite { files } => {
            Some(check(&["--write"]).files(files).success(&[0, 1]).writing())
        }
        _ => None,
    }
}

fn format_invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    let format = |args: &[&str]| Invocation::new("biome", &["format"]).args(args.iter().copied());
    match job {
        ToolJob::Version => Some(Invocation::new("biome", &["--version"])),
        ToolJob::Check { .. } | ToolJob::CheckByPresence { .. } => None,
        ToolJob::Rewrite { files } => Some(
            format(&["--write"])
                .args(TERSE.iter().copied())
                .files(files)
                .success(&[0, 1])
                .writing(),
        ),
        ToolJob::Format { file, text } => {
            Some(format(&["--colors=off", &format!("--stdin-file-path={file}")]).stdin(text))
        }
    }
}

/// Files that it does not know or is told to ignore are no errors.
const TERSE: &[&str] = &["--colors=off", "--no-errors-on-unmatched", "--files-ignore-unknown=true"];

fn parse(output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    output.succeeded(&[0, 1])?;
    let all = json::whole(&output.stdout)?;
    let mut collector = Collector::new(texts, DIALECT);
    for item in all.required_list("diagnostics")? {
        let place = item.get("location");
        let range = place.and_then(|it| it.get("range"));
        let at = |name: &str| {
            let at = range?.get(name)?;
            Some(ToolPosition::Column { line: at.num("line")?, column: at.num("column")? })
        };
        let code = item.get("code");
        let rule = code.and_then(|it| it.str("value")).unwrap_or("biome");
        let named = place.and_then(|it| it.str("path"));
        collector.add(RawFinding {
            rule: rule.to_owned(),
            severity: match item.str("severity") {
                Some("ERROR") => Severity::Error,
                Some("WARNING") => Severity::Warning,
                _ => Severity::Info,
            },
            message: item.str("message").unwrap_or_default().to_owned(),
            file: named.and_then(|it| texts.resolve(it)),
            span: at("start").zip(at("end")).map(|(start, end)| Span::Between(start, end)),
            snippet: None,
            url: code.and_then(|it| it.str("url")).map(str::to_owned),
            fixes: Vec::new(),
        });
    }
    Ok(collector.finish())
}
