//! E0001 to E0009: what could not be read, where one token makes it readable.
//!
//! A tree has nothing to say about such a text, so the token is tried in the text of what could not be read; only what
//! can be read then is offered.

use check::Confidence;
use clank_syntax::ast::{Builder, Kind, NodeId, Source, SourceId};
use clank_syntax::{Fragment, parse_fragment};

use super::make::source;
use super::{Candidate, Scene};
use crate::diagnostic::Diagnostic;
use crate::repair::Target;

/// The longest text that tokens are tried in.
const MAX_TEXT: usize = 20_000;

/// How many ways are offered.
const MAX_WAYS: usize = 3;

/// What may be missing.
const MISSING: [&str; 11] = [")", "]", "}", ",", "->", "=", ":", "(", "{", "\"", "*/"];

/// What is written for something else.
const MISTAKEN: [(&str, &str); 8] = [
    ("=", "=="),
    ("=>", "->"),
    ("&", "&&"),
    ("|", "||"),
    (":=", "="),
    ("===", "=="),
    (";", ","),
    (",", ";"),
];

/// A change of a text in one place.
struct Change {
    start: usize,
    end: usize,
    new: &'static str,
}

pub(super) fn propose(scene: Scene<'_>, it: &Diagnostic, target: Target) -> Vec<Candidate> {
    for (node, as_what) in unread(scene, it) {
        let text = scene.ast().text(node);
        let start = scene.ast().span(node).start;
        let Some(span) = it.span else { return Vec::new() };
        let at =
            (span.start.saturating_sub(start) as usize, span.end.saturating_sub(start) as usize);
        if text.is_empty() || text.len() > MAX_TEXT || !is_first(scene, it, node) {
            continue;
        }
        let found: Vec<(Change, String)> = changes(text, at)
            .into_iter()
            .filter_map(|change| {
                let before = text.get(..change.start)?;
                let fixed = format!("{before}{}{}", change.new, text.get(change.end..)?);
                is_readable(&fixed, as_what).then_some((change, fixed))
            })
            .take(MAX_WAYS)
            .collect();
        let confidence = if found.len() == 1 { Confidence::High } else { Confidence::Medium };
        let make = |(change, fixed): (Change, String)| {
            Candidate::new(scene, target, title(text, &change))
                .confidence(confidence)
                .because(it.message.clone())
                .op(scene.replace(node, source(&fixed)))
        };
        if !found.is_empty() {
            return found.into_iter().map(make).collect();
        }
    }
    Vec::new()
}

/// The nodes whose text could not be read because of it, the innermost first, and what they should be.
fn unread(scene: Scene<'_>, it: &Diagnostic) -> Vec<(NodeId, Fragment)> {
    let ast = scene.ast();
    let mut found = Vec::new();
    let mut at = Some(it.node);
    while let Some(node) = at {
        let is_own = ast.node(node).source == SourceId(0);
        let as_what = match &ast.node(node).kind {
            kind if !is_own || !kind.is_error() && !matches!(kind, Kind::Decl(_)) => None,
            Kind::Decl(_) => Some(Fragment::Decl),
            Kind::Expr(_) => Some(Fragment::Expr),
            Kind::Type(_) => Some(Fragment::Type),
            Kind::Pattern(_) => Some(Fragment::Pattern),
            _ => None,
        };
        found.extend(as_what.map(|it| (node, it)));
        at = scene.parent(node);
    }
    found
}

/// Whether it is the first mistake in the text of a node: the others often follow from it.
fn is_first(scene: Scene<'_>, it: &Diagnostic, node: NodeId) -> bool {
    let all = scene.ast().span(node);
    let in_it = scene
        .module
        .diagnostics
        .iter()
        .filter(|it| it.structured.kind == "syntax_error")
        .find(|it| it.span.is_some_and(|it| all.holds(it)));
    in_it.is_some_and(|first| std::ptr::eq(first, it))
}

/// The changes of one token that are worth trying, the likeliest first.
fn changes(text: &str, (start, end): (usize, usize)) -> Vec<Change> {
    let mut found = Vec::new();
    let written = text.get(start..end).unwrap_or_default();
    for (old, new) in MISTAKEN {
        let is_it = written == old
            || old.len() > 1 && text.get(start..).is_some_and(|it| it.starts_with(old));
        if is_it {
            found.push(Change { start, end: start + old.len(), new });
        }
    }
    let before = text.get(..start).map_or(0, |it| it.trim_end().len());
    for new in MISSING {
        found.push(Change { start: before, end: before, new });
    }
    if !written.is_empty() {
        found.push(Change { start, end, new: "" });
    }
    let line_end =
        text.get(start..).and_then(|it| it.find('\n')).map_or(text.len(), |it| start + it);
    let line_end = text.get(..line_end).map_or(0, |it| it.trim_end().len());
    for new in MISSING {
        found.push(Change { start: line_end, end: line_end, new });
        found.push(Change { start: text.len(), end: text.len(), new });
    }
    found
}

fn is_readable(text: &str, as_what: Fragment) -> bool {
    let mut builder = Builder::new(Source { file: String::new(), text: String::new() });
    parse_fragment(&mut builder, "", text, as_what).is_ok()
}

fn title(text: &str, change: &Change) -> String {
    let old = text.get(change.start..change.end).unwrap_or_default();
    match (old.is_empty(), change.new.is_empty()) {
        (true, _) => format!("add `{}`", change.new),
        (false, true) => format!("remove `{old}`"),
        (false, false) => format!("write `{}` for `{old}`", change.new),
    }
}
