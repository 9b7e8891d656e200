//! Workflow commands that a script prints and GitHub no longer wants: `set-output`, `save-state`, `set-env`, `add-path`.
//!
//! A line that does nothing but print one command is rewritten to append to the file that replaces it:
//! `echo "::set-output name=a::b"` becomes `echo "a=b" >> "$GITHUB_OUTPUT"`. What the shell makes of the value stays as
//! it is, because the value keeps its quotes. Only a value that may have more than one line reads differently, so one
//! that comes out of a command is for a person to decide.

use std::ops::Range;

use check::{Confidence, Safety, Severity};

use super::labels::System;
use super::node::Node;
use super::problem::{FixChange, ProblemFix, WorkflowProblems};

const RULE: &str = "SEM_DEPRECATED_COMMAND";

struct Command {
    name: &'static str,
    /// The variable with the file that replaces it.
    file: &'static str,
    /// Whether it has `name=…`.
    has_name: bool,
    /// Whether runners refuse it.
    is_refused: bool,
}

const COMMANDS: [Command; 4] = [
    Command { name: "set-output", file: "GITHUB_OUTPUT", has_name: true, is_refused: false },
    Command { name: "save-state", file: "GITHUB_STATE", has_name: true, is_refused: false },
    Command { name: "set-env", file: "GITHUB_ENV", has_name: true, is_refused: true },
    Command { name: "add-path", file: "GITHUB_PATH", has_name: false, is_refused: true },
];

pub(super) fn check(
    run: &Node<'_>,
    shell: Option<&str>,
    system: Option<System>,
    problems: &mut WorkflowProblems,
) {
    let Some(script) = run.text().filter(|it| it.contains("::")) else { return };
    let mut start = 0;
    for line in script.split_inclusive('\n') {
        for command in &COMMANDS {
            if let Some(range) = find(line, command) {
                let range = start + range.start..start + range.end;
                report(run, command, line, start, range, (shell, system), problems);
            }
        }
        start += line.len();
    }
}

/// Where the command stands in a line: `::set-output name=`, `::add-path::`.
fn find(line: &str, command: &Command) -> Option<Range<usize>> {
    let needle = format!("::{}", command.name);
    let at = line.find(&needle)?;
    let rest = &line[at + needle.len()..];
    let is_command = match command.has_name {
        true => rest.starts_with(' ') && rest.trim_start().starts_with("name="),
        false => rest.starts_with("::"),
    };
    is_command.then_some(at..at + needle.len())
}

fn report(
    run: &Node<'_>,
    command: &Command,
    line: &str,
    start: usize,
    range: Range<usize>,
    (shell, system): (Option<&str>, Option<System>),
    problems: &mut WorkflowProblems,
) {
    let Command { name, file, is_refused, .. } = command;
    let severity = if *is_refused { Severity::Error } else { Severity::Warning };
    let state = if *is_refused { "is disabled" } else { "is deprecated" };
    let message = format!("command `{name}` {state}; write to the file `${file}` instead");
    let is_posix = match shell.map(str::to_ascii_lowercase) {
        Some(shell) => {
            let program = shell.split_whitespace().next().unwrap_or_default();
            matches!(program, "bash" | "sh")
        }
        None => matches!(system, Some(System::Linux | System::Mac)),
    };
    let problem = problems.part(RULE, severity, run, range, message);
    let Some(rewritten) = rewrite(line, command).filter(|_| is_posix) else { return };
    let body = line.trim_end_matches(['\n', '\r']);
    let at = start..start + body.len();
    let runs_command = rewritten.contains("$(") || rewritten.contains('`');
    let safety = if runs_command { Safety::BehaviorChanging } else { Safety::LikelyPreserving };
    problem.with(Some(ProblemFix {
        title: format!("Write to `${file}` instead of printing `{name}`"),
        safety,
        confidence: Confidence::High,
        change: FixChange::Texts(vec![(at, rewritten)]),
    }));
}

/// The line that appends to the file, if the line only prints the command.
fn rewrite(line: &str, command: &Command) -> Option<String> {
    let line = line.trim_end();
    let indent = &line[..line.len() - line.trim_start().len()];
    let printed = line.trim_start().strip_prefix("echo ")?.trim_start();
    let (quote, inside) = match printed.chars().next()? {
        quote @ ('"' | '\'') => {
            let inside = printed[1..].strip_suffix(quote)?;
            (quote.to_string(), inside)
        }
        // Without quotes the shell must take it as one word.
        _ => ("\"".to_owned(), printed),
    };
    let is_quoted = printed.starts_with(['"', '\'']);
    let rest = inside.strip_prefix(&format!("::{}", command.name))?;
    let content = if command.has_name {
        let (name, value) = rest.trim_start().strip_prefix("name=")?.split_once("::")?;
        let is_name = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '.');
        if name.is_empty() || !name.chars().all(is_name) {
            return None;
        }
        format!("{name}={value}")
    } else {
        rest.strip_prefix("::")?.to_owned()
    };
    let value_of_one_word = |it: char| it.is_alphanumeric() || "_-./:=@%+,".contains(it);
    let is_one_word = match is_quoted {
        true => !has_end_of_quote(&content, &quote),
        false => is_plain_word(&content, value_of_one_word),
    };
    // `%0A` is how a line break was written before.
    let is_escaped = ["%0A", "%0D", "%25"].iter().any(|it| content.contains(it));
    if !is_one_word || is_escaped || content.contains('\n') {
        return None;
    }
    Some(format!("{indent}echo {quote}{content}{quote} >> \"${}\"", command.file))
}

/// Whether the quotes end somewhere inside. Quotes inside `$(…)` are ones of their own, and not looked into.
fn has_end_of_quote(content: &str, quote: &str) -> bool {
    let mut is_escaped = false;
    let mut depth = 0usize;
    let mut chars = content.chars().peekable();
    while let Some(it) = chars.next() {
        match it {
            _ if is_escaped => is_escaped = false,
            '\\' if quote == "\"" => is_escaped = true,
            '$' if quote == "\"" && chars.peek() == Some(&'(') => {
                chars.next();
                depth += 1;
            }
            '(' if depth > 0 => depth += 1,
            ')' if depth > 0 => depth -= 1,
            _ if depth == 0 && quote.contains(it) => return true,
            _ => {}
        }
    }
    depth > 0 || is_escaped
}

/// Letters, digits and a few signs, variables, and placeholders of expressions.
fn is_plain_word(content: &str, is_allowed: impl Fn(char) -> bool) -> bool {
    let mut rest = content;
    while let Some(at) = rest.find("${{") {
        let Some(end) = rest[at..].find("}}") else { return false };
        if !rest[..at].chars().all(&is_allowed) {
            return false;
        }
        rest = &rest[at + end + 2..];
    }
    let mut chars = rest.chars().peekable();
    while let Some(it) = chars.next() {
        let is_variable = it == '$'
            && chars.peek().is_some_and(|it| it.is_alphabetic() || matches!(it, '_' | '{'));
        if !is_variable && !is_allowed(it) && !matches!(it, '{' | '}') {
            return false;
        }
    }
    true
}
