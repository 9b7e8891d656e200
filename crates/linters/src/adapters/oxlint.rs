//! oxlint, as a rewriter: its JSON has no edits, and `--fix` makes the safe ones.
//!
//! Sealed unless its settings name plugins in JavaScript or other settings, or are a program. Offsets are bytes of the file as it lies on
//! disk.

use check::{Severity, Trust};

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, ToolOutput,
};
use crate::collect::{Collector, RawFinding, Texts};
use crate::json::{self, Members};
use crate::positions::{PositionDialect, PositionUnit, Span, ToolPosition};
use crate::report::{Garbled, ToolReport};
use crate::uses::{Signs, ToolUses};
use crate::version::{Version, Versions};

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "oxlint",
    kind: ToolKind::Rewriter,
    files: Files::extensions(&[
        "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte", "astro",
    ]),
    signs: Signs {
        files: &[".oxlintrc.json", "oxlintrc.json", "oxlint.config.*"],
        sections: &[],
        packages: &["oxlint"],
        hooks: &["oxlint"],
        commands: &["oxlint"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "oxlint",
    local: LocalPrograms::Node,
    versions: Versions::between(Version::new(1, 0, 0), Version::new(2, 0, 0)),
    trust,
    scope: Scope::Project,
    limit: TimeClass::Quick,
    toolchain: None,
    climbs: true,
    install: "npm install --save-dev oxlint",
    invocation,
    parse,
    page: |_| Some("https://oxc.rs/docs/guide/usage/linter/rules.html".to_owned()),
    review: None,
    probe: None,
};

fn trust(uses: &ToolUses<'_>) -> Trust {
    let runs = |what: String| Trust::RunsRepositoryCode { what };
    for path in uses.named(ADAPTER.signs.files) {
        let is_data = path.file_name().ends_with(".json")
            && uses.is_data_without(path, &["jsPlugins", "extends"]);
        if !is_data {
            return runs(format!("{path} may name programs"));
        }
    }
    if let Some(path) = uses.unlisted(&ADAPTER.signs) {
        return runs(format!("{path} is ignored, and may name code"));
    }
    Trust::Sealed
}

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new("oxlint", &["--version"])),
        ToolJob::Check { files } => Some(
            Invocation::new("oxlint", &["--format=json", "--no-error-on-unmatched-pattern", "--"])
                .files(files)
                .success(&[0, 1]),
        ),
        ToolJob::Rewrite { files } => Some(
            Invocation::new(
                "oxlint",
                &["--fix", "--silent", "--no-error-on-unmatched-pattern", "--"],
            )
            .files(files)
            .success(&[0, 1])
            .writing(),
        ),
        _ => None,
    }
}

fn parse(output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    output.succeeded(&[0, 1])?;
    let all = json::whole(&output.stdout)?;
    let mut collector = Collector::new(texts, PositionDialect::offsets(PositionUnit::Byte));
    for item in all.required_list("diagnostics")? {
        let span = item.list("labels").first().and_then(|it| it.get("span"));
        let span = span.and_then(|it| {
            let start = i64::try_from(it.num("offset")?).ok()?;
            let end = start.checked_add(i64::try_from(it.num("length")?).ok()?)?;
            Some(Span::Between(ToolPosition::Offset(start), ToolPosition::Offset(end)))
        });
        let rule = item.str("code").unwrap_or("parse");
        // `eslint(no-debugger)` as it is written in settings.
        let rule = rule.replace('(', "/").replace(')', "");
        collector.add(RawFinding {
            rule,
            severity: match item.str("severity") {
                Some("error") => Severity::Error,
                Some("warning") => Severity::Warning,
                _ => Severity::Info,
            },
            message: item.str("message").unwrap_or_default().to_owned(),
            file: item.str("filename").and_then(|it| texts.resolve(it)),
            span,
            snippet: None,
            url: item.str("url").map(str::to_owned),
            fixes: Vec::new(),
        });
    }
    Ok(collector.finish())
}
