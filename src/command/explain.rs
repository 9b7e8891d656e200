//! `regreen explain`: what a rule means, and why its repair is as safe as it is.

use std::fmt::Write;

use clap::Args;
use protocol::v1::{Explain, ExplainReport, RulesReport, Severity};

use super::{CommandResult, Ctx};
use crate::cli::ReportFormat;
use crate::exit::ExitStatus;
use crate::output::CommandOutput;
use crate::policy::Wants;
use crate::render::style::{BOLD, COMMAND, DIM, paint};
use crate::words::{printable, rule_name};

/// Say what a rule means, with an example, its repair, and why that repair is as safe as it is
///
/// Without a rule, list all that are known in this workspace.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen explain                            list the rules
  regreen explain SCHEMA_ENUM                the page of one")]
pub(crate) struct Arguments {
    /// The rule, as findings name it
    #[arg(value_name = "RULE")]
    pub(crate) rule: Option<String>,
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    let session = ctx.open(Wants::Look)?;
    let said = match (&arguments.rule, arguments.format) {
        (Some(rule), format) => {
            let report = service::explain(&session, &Explain { rule: rule.clone() })?.report;
            match format {
                ReportFormat::Json => CommandOutput::json(&report)?,
                ReportFormat::Text => CommandOutput::Text(render_page(&report)),
            }
        }
        (None, ReportFormat::Json) => CommandOutput::json(&service::rules(&session)?)?,
        (None, ReportFormat::Text) => {
            let list = render_list(&service::rules(&session)?);
            if ctx.common.quiet {
                return Ok((CommandOutput::Text(list), ExitStatus::Clean));
            }
            let page = ctx.common.command_line(&["explain", "RULE"]);
            let hint = format!("{} {}\n", paint(DIM, "The page of one:"), paint(COMMAND, &page));
            CommandOutput::Text(format!("{list}\n{hint}"))
        }
    };
    Ok((said, ExitStatus::Clean))
}

fn severity_word(severity: Option<Severity>) -> &'static str {
    match severity {
        Some(Severity::Error) => "error",
        Some(Severity::Warning) => "warning",
        Some(Severity::Info) => "info",
        None => "-",
    }
}

fn render_list(report: &RulesReport) -> String {
    let name = |it: &protocol::v1::RuleLine| {
        rule_name(it.source.as_deref().unwrap_or_default(), &it.rule_id)
    };
    let names: Vec<String> = report.rules.iter().map(name).collect();
    let width = names.iter().map(|it| it.chars().count()).max().unwrap_or_default();
    let line = |(it, name): (&protocol::v1::RuleLine, &String)| {
        let room = width - name.chars().count();
        let severity = severity_word(it.severity);
        let id = paint(BOLD, name);
        format!("{id}{:room$}  {severity:<7}  {}\n", "", printable(&it.title))
    };
    report.rules.iter().zip(&names).map(line).collect()
}

fn render_page(report: &ExplainReport) -> String {
    let name = rule_name(report.source.as_deref().unwrap_or_default(), &report.rule_id);
    let mut out = paint(BOLD, &name);
    if report.title != report.rule_id && !report.title.is_empty() {
        let _ = write!(out, ": {}", printable(&report.title));
    }
    out.push('\n');
    let mut facts = Vec::new();
    if let Some(source) = &report.source {
        facts.push(format!("found by {}", printable(source)));
    }
    facts.push(match report.severity {
        Some(_) => format!("severity here: {}", severity_word(report.severity)),
        None => "off, or as bad as each finding says".to_owned(),
    });
    let _ = writeln!(out, "{}", paint(DIM, &facts.join("; ")));
    let parts = [
        ("What", &report.what),
        ("Why", &report.why),
        ("Example", &report.example),
        ("Repair", &report.repair),
        ("Safety", &report.safety),
    ];
    for (title, text) in parts.into_iter().filter(|it| !it.1.trim().is_empty()) {
        let _ = writeln!(out, "\n{}", paint(BOLD, title));
        for line in text.trim_end().lines() {
            let line = printable(line);
            let _ = if line.is_empty() { writeln!(out) } else { writeln!(out, "  {line}") };
        }
    }
    out
}
