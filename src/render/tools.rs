//! What the tools of a workspace did, a line each.

use std::fmt::Write;
use std::time::Duration;

use protocol::v1::{OtherTool, ToolState, ToolSummary};

use super::style::{BAD, BOLD, DIM, WARN, paint};
use crate::words::{count, printable};

/// How many notes of a tool are shown before the rest is counted.
const MOST_NOTES: usize = 3;

/// A line for every tool: what it found and what became of that, or why it did nothing. With times if there are any.
pub(crate) fn render_tools(
    tools: &[ToolSummary],
    times: &[(String, Duration)],
    is_verbose: bool,
) -> Option<String> {
    let mut text = format!("{}\n", paint(BOLD, "Tools:"));
    let width = tools.iter().map(|it| name(it).chars().count()).max().unwrap_or_default();
    for tool in tools {
        let name = name(tool);
        let room = width - name.chars().count();
        let _ = write!(text, "  {}{:room$}  {}", paint(BOLD, &name), "", did(tool));
        if is_verbose {
            let _ = write!(text, "{}", paint(DIM, &format!("; {}", printable(&tool.reason))));
            if let Some((_, time)) = times.iter().find(|it| it.0 == tool.name) {
                let _ = write!(text, "{}", paint(DIM, &format!("; {:.2} s", time.as_secs_f64())));
            }
        }
        text.push('\n');
        let n_shown = if is_verbose { tool.notes.len() } else { tool.notes.len().min(MOST_NOTES) };
        for note in &tool.notes[..n_shown] {
            let _ = writeln!(text, "    {}", paint(DIM, &format!("note: {}", printable(note))));
        }
        if n_shown < tool.notes.len() {
            let more = format!("{}; -v shows all", count(tool.notes.len() - n_shown, "more note"));
            let _ = writeln!(text, "    {}", paint(DIM, &more));
        }
    }
    (!tools.is_empty()).then_some(text)
}

fn name(tool: &ToolSummary) -> String {
    match &tool.version {
        Some(version) => format!("{} {}", printable(&tool.name), printable(version)),
        None => printable(&tool.name),
    }
}

fn did(tool: &ToolSummary) -> String {
    let message = tool.message.as_deref().map(printable).unwrap_or_default();
    match tool.state {
        ToolState::Missing | ToolState::Untrusted => paint(WARN, &message),
        ToolState::Unchecked => paint(DIM, &format!("unchecked: {message}")),
        ToolState::Failed => format!("{} {message}", paint(BAD, "failed:")),
        ToolState::Ran => {
            let files = count(tool.files, "file");
            let mut parts = vec![match tool.findings {
                0 => format!("nothing found in {files}"),
                n => format!("{} in {files}", count(n, "finding")),
            }];
            let others = [
                (tool.fixed, "fixed"),
                (tool.conflicts, "in conflict"),
                (tool.refused, "refused"),
                (tool.unverified, "unverified"),
                (tool.silencing, "would only silence"),
            ];
            let others = others.into_iter().filter(|it| it.0 > 0);
            parts.extend(others.map(|(n, what)| format!("{n} {what}")));
            parts.join(", ")
        }
    }
}

/// For `init`: which tools take part, which are missing or wait, and which others there are files for.
pub(crate) fn render_overview(tools: &[ToolSummary], others: &[OtherTool]) -> String {
    let mut text = String::new();
    if !tools.is_empty() {
        text.push_str("Tools that take part:\n");
    }
    let width = tools.iter().map(|it| it.name.chars().count()).max().unwrap_or_default();
    for tool in tools {
        let room = width - tool.name.chars().count();
        let what = match tool.state {
            ToolState::Ran => count(tool.files, "file"),
            _ => did(tool),
        };
        let why = paint(DIM, &format!("({})", printable(&tool.reason)));
        let _ = writeln!(text, "  {}{:room$}  {what} {why}", paint(BOLD, &tool.name), "");
    }
    if !others.is_empty() {
        text.push_str("Tools that know files here and that nothing shows to be used:\n");
    }
    let width = others.iter().map(|it| it.name.chars().count()).max().unwrap_or_default();
    for tool in others {
        let room = width - tool.name.chars().count();
        let how = match &tool.install {
            Some(install) => format!("{install}, then [linters.{}] in regreen.toml", tool.name),
            None => format!("[linters.{}] in regreen.toml lets it take part", tool.name),
        };
        let files = count(tool.files, "file");
        let _ = writeln!(text, "  {}{:room$}  {files}; {}", tool.name, "", paint(DIM, &how));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, state: ToolState, message: Option<&str>) -> ToolSummary {
        ToolSummary {
            name: name.to_owned(),
            version: (state == ToolState::Ran).then(|| "1.2.3".to_owned()),
            state,
            reason: "it is named".to_owned(),
            message: message.map(str::to_owned),
            files: 3,
            findings: 2,
            fixed: 1,
            conflicts: 0,
            refused: 1,
            unverified: 0,
            silencing: 0,
            notes: Vec::new(),
        }
    }

    #[test]
    fn every_tool_has_a_line() {
        let tools = [
            tool("ruff", ToolState::Ran, None),
            tool(
                "eslint",
                ToolState::Untrusted,
                Some("waits for `regreen trust`: it is a program"),
            ),
            tool("typos", ToolState::Missing, Some("is not installed: pip install typos")),
        ];
        let times = [("ruff".to_owned(), Duration::from_millis(1500))];
        let text =
            anstream::adapter::strip_str(&render_tools(&tools, &times, true).unwrap()).to_string();
        assert_eq!(
            text,
            "Tools:\n\
             \u{20} ruff 1.2.3  2 findings in 3 files, 1 fixed, 1 refused; it is named; 1.50 s\n\
             \u{20} eslint      waits for `regreen trust`: it is a program; it is named\n\
             \u{20} typos       is not installed: pip install typos; it is named\n"
        );
        assert_eq!(render_tools(&[], &[], false), None);
    }
}
