//! A tool of the workspace's own, `[[source]]`: what it prints is read in a format of exchange, or what it rewrites is
//! compared.

use check::{Card, Cost, Interest, RuleSet, Safety, Trust};
use linters::formats::{self, Exchange, Options};
use linters::{Garbled, Invocation, Texts, ToolOutput, ToolReport};
use snapshot::RelPath;

use crate::config::{OwnFormat, OwnSource};

pub(super) fn card(own: &OwnSource) -> Card {
    let files = own.files.clone();
    let is_about = move |path: &str| {
        files.is_empty() || RelPath::parse(path).is_ok_and(|path| files.matches(&path))
    };
    Card {
        name: own.name.clone(),
        phases: vec!["tool".to_owned()],
        rules: RuleSet::Open,
        // It may read any file to say something about these.
        interest: Interest::matching(is_about).depending_on(|_| true),
        cost: Cost::Process,
        trust: Trust::RunsRepositoryCode { what: format!("it runs `{}`", own.command.join(" ")) },
        languages: Vec::new(),
    }
}

pub(super) fn invocation(own: &OwnSource) -> Invocation {
    Invocation {
        program: own.command.first().cloned().unwrap_or_default(),
        args: Vec::new(),
        env: std::collections::BTreeMap::new(),
        stdin: None,
        success: Vec::new(),
        writes: own.format == OwnFormat::Rewrites,
        answer: None,
    }
}

/// What the tool said. Tools end with all kinds of statuses when they find something, so that only what they print counts;
/// one that prints nothing and fails has failed.
pub(super) fn read(
    own: &OwnSource,
    output: &ToolOutput,
    texts: &Texts<'_>,
) -> Result<ToolReport, Garbled> {
    let has_failed = output.status != Some(0);
    let is_silent = output.stdout.trim_ascii().is_empty();
    if output.status.is_none() || (has_failed && is_silent) {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let said = said.lines().rev().find(|it| !it.trim().is_empty()).unwrap_or("no output");
        let said = said.trim().to_owned();
        return Err(Garbled::Failed { status: output.status.unwrap_or(-1), said });
    }
    let options = Options { safety: own.safety, unit: None };
    let format = match own.format {
        OwnFormat::Sarif => Exchange::Sarif,
        OwnFormat::Rdjson => Exchange::Rdjson,
        OwnFormat::Diff => Exchange::UnifiedDiff,
        OwnFormat::Regreen => return formats::read_own(&output.stdout, texts, &options),
        OwnFormat::Rewrites => {
            let safety = own.safety.unwrap_or(Safety::BehaviorChanging);
            return Ok(linters::rewrites(&own.name, output, texts, safety));
        }
    };
    if is_silent && own.format != OwnFormat::Sarif {
        return Ok(ToolReport::default());
    }
    formats::read(format, &output.stdout, texts, &options)
}
