//! Patterns of branches, tags and paths.

use check::Severity;

use super::node::Node;
use super::problem::WorkflowProblems;

const RULE: &str = "SEM_GLOB";

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GlobKind {
    /// Branches and tags.
    Ref,
    Path,
}

pub(super) fn check(node: &Node<'_>, syntax: GlobKind, problems: &mut WorkflowProblems) {
    let Some(text) = node.text().filter(|_| !node.is_dynamic()) else { return };
    let mut report = |severity, at: usize, length: usize, message: &str| {
        let range = at..(at + length).min(text.len());
        problems.part(RULE, severity, node, range, message.to_owned());
    };
    let pattern = text.strip_prefix('!').unwrap_or(text);
    let offset = text.len() - pattern.len();
    if pattern.is_empty() {
        problems.value(RULE, Severity::Error, node, "expected a pattern, found an empty string");
        return;
    }
    match syntax {
        GlobKind::Path => {
            if text.trim() != text {
                report(Severity::Warning, 0, text.len(), "the pattern starts or ends with a blank");
            }
            if pattern == "."
                || pattern == ".."
                || pattern.starts_with("./")
                || pattern.starts_with("../")
            {
                let message = "paths are relative to the root of the repository; `./` and `../` match nothing";
                report(Severity::Error, offset, pattern.len(), message);
            }
        }
        GlobKind::Ref => {
            if pattern.starts_with("refs/heads/") || pattern.starts_with("refs/tags/") {
                let message = "patterns are names of branches and tags without `refs/heads/` or `refs/tags/`; this one matches nothing";
                report(Severity::Warning, offset, pattern.len(), message);
            }
            if pattern.starts_with('/') || pattern.ends_with('/') || pattern.contains("//") {
                report(
                    Severity::Error,
                    offset,
                    pattern.len(),
                    "no branch or tag starts or ends with `/` or has `//`; this pattern matches nothing",
                );
            }
            if pattern.ends_with('.') || pattern.contains("..") || pattern.contains("@{") {
                report(
                    Severity::Error,
                    offset,
                    pattern.len(),
                    "no branch or tag ends with `.` or has `..` or `@{`; this pattern matches nothing",
                );
            }
        }
    }
    characters(pattern, offset, syntax, &mut report);
}

/// The special characters of a pattern, one after another.
fn characters(
    pattern: &str,
    offset: usize,
    syntax: GlobKind,
    report: &mut dyn FnMut(Severity, usize, usize, &str),
) {
    let mut before = None;
    let mut chars = pattern.char_indices();
    while let Some((at, it)) = chars.next() {
        match it {
            '\\' => match chars.next().map(|it| it.1) {
                Some('[' | ']' | '?' | '*' | '+' | '!' | '\\') => {}
                _ if syntax == GlobKind::Ref => report(
                    Severity::Error,
                    offset + at,
                    1,
                    "only `[`, `]`, `?`, `*`, `+`, `!` and `\\` can be escaped with `\\`",
                ),
                _ => {}
            },
            '?' | '+' if matches!(before, None | Some('?' | '+' | '*')) => {
                let message = "`?` and `+` repeat the character before them, and there is none";
                report(Severity::Error, offset + at, 1, message);
            }
            '[' => {
                let Some(length) = class(&pattern[at + 1..]) else {
                    report(Severity::Error, offset + at, 1, "expected `]` to end `[`");
                    return;
                };
                let inside = &pattern[at + 1..at + 1 + length];
                if inside.is_empty() {
                    report(
                        Severity::Error,
                        offset + at,
                        2,
                        "expected characters between `[` and `]`",
                    );
                } else if let Some(why) = bad_class(inside) {
                    report(Severity::Error, offset + at, length + 2, why);
                }
                while chars.as_str().len() > pattern.len() - at - length - 2 {
                    chars.next();
                }
            }
            ' ' | '~' | '^' | ':' if syntax == GlobKind::Ref => {
                let message =
                    "no branch or tag has a blank, `~`, `^` or `:`; this pattern matches nothing";
                report(Severity::Error, offset + at, 1, message);
            }
            it if it.is_control() => {
                report(
                    Severity::Error,
                    offset + at,
                    it.len_utf8(),
                    "control characters match nothing",
                );
            }
            _ => {}
        }
        before = Some(it);
    }
}

/// How long the inside of a class is.
fn class(rest: &str) -> Option<usize> {
    rest.find(']')
}

fn bad_class(inside: &str) -> Option<&'static str> {
    let chars: Vec<char> = inside.chars().collect();
    for window in chars.windows(3) {
        if let [first, '-', last] = window
            && first > last
        {
            return Some("the range between `[` and `]` ends before it starts");
        }
    }
    None
}
