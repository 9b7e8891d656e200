//! ast-grep, as a linter with the rules of the repository. A rule states a rewrite and no safety.
//!
//! Sealed unless `sgconfig.yml` names languages of its own: those are libraries that it loads. Offsets are bytes, and the
//! text that was matched comes with them.

use check::{Safety, Severity, Trust};

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, ToolOutput,
};
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json::{self, Members};
use crate::positions::{PositionDialect, PositionUnit, Span, ToolPosition};
use crate::report::{Garbled, ToolReport};
use crate::uses::{Signs, ToolUses};
use crate::version::{Version, Versions};

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "ast-grep",
    kind: ToolKind::Linter,
    files: Files::extensions(&[
        "py", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "rs", "go", "java", "c", "h",
        "cpp", "cc", "hpp", "cs", "kt", "swift", "rb", "php", "lua", "scala", "sh", "bash", "html",
        "css", "json", "yaml", "yml", "ex", "exs", "hs", "nix", "sol",
    ]),
    signs: Signs {
        files: &["sgconfig.yml", "sgconfig.yaml"],
        sections: &[],
        packages: &["ast-grep-cli", "@ast-grep/cli"],
        hooks: &["ast-grep"],
        commands: &["ast-grep", "sg scan"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "ast-grep",
    local: LocalPrograms::Venv,
    versions: Versions::between(Version::new(0, 20, 0), Version::new(1, 0, 0)),
    trust,
    scope: Scope::Project,
    limit: TimeClass::Quick,
    toolchain: None,
    climbs: true,
    install: "pip install ast-grep-cli",
    invocation,
    parse,
    page: |_| Some("https://ast-grep.github.io/guide/project/lint-rule.html".to_owned()),
    review: None,
    probe: None,
};

fn trust(uses: &ToolUses<'_>) -> Trust {
    let runs = |what: String| Trust::RunsRepositoryCode { what };
    for path in uses.named(ADAPTER.signs.files) {
        let is_data = uses.is_data_without(path, &["customLanguages", "libraryPath"]);
        if !is_data {
            return runs(format!("{path} may name libraries"));
        }
    }
    if let Some(path) = uses.unlisted(&ADAPTER.signs) {
        return runs(format!("{path} is ignored, and may name code"));
    }
    Trust::Sealed
}

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new("ast-grep", &["--version"])),
        ToolJob::Check { files } => Some(
            Invocation::new("ast-grep", &["scan", "--json=stream", "--color=never"])
                .files(files)
                .success(&[0, 1]),
        ),
        _ => None,
    }
}

fn parse(output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    output.succeeded(&[0, 1])?;
    let mut collector = Collector::new(texts, PositionDialect::offsets(PositionUnit::Byte));
    for item in json::lines(&output.stdout)? {
        let span = |value: Option<&serde_json::Value>| {
            let at =
                |name: &str| Some(ToolPosition::Offset(i64::try_from(value?.num(name)?).ok()?));
            Some(Span::Between(at("start")?, at("end")?))
        };
        let range = item.get("range").and_then(|it| it.get("byteOffset"));
        let place = span(range);
        let matched = item.str("text");
        let fix =
            item.str("replacement").zip(span(item.get("replacementOffsets"))).map(|(text, at)| {
                let mut edit = RawEdit::new(at, text);
                edit.replaced = matched.filter(|_| Some(at) == place).map(str::to_owned);
                RawFix::new("Apply the rewrite of the rule", Safety::BehaviorChanging, vec![edit])
            });
        collector.add(RawFinding {
            rule: item.str("ruleId").unwrap_or("ast-grep").to_owned(),
            severity: match item.str("severity") {
                Some("error") => Severity::Error,
                Some("warning") => Severity::Warning,
                _ => Severity::Info,
            },
            message: item.str("message").unwrap_or_default().to_owned(),
            file: item.str("file").and_then(|it| texts.resolve(it)),
            span: place,
            snippet: matched.map(str::to_owned),
            url: None,
            fixes: fix.into_iter().collect(),
        });
    }
    Ok(collector.finish())
}
