//! E0001 to E0009: what could not be read, where one token makes it readable.
//!
//! A tree has nothing to say about such a text, so the token is tried in the text of what could not be read; only what
//! can be read then is offered. Where several mistakes are in one such text, a token for each is tried, one after the other.

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

/// How many mistakes in one text are mended by one repair.
const MAX_CHANGES: usize = 4;

/// How many texts that are not readable yet are tried further, those first that are readable the furthest.
const MAX_OPEN: usize = 3;

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
        let found = readable(text, at, as_what);
        let confidence = match found.as_slice() {
            [only] if only.titles.len() == 1 => Confidence::High,
            _ => Confidence::Medium,
        };
        let make = |way: Way| {
            Candidate::new(scene, target, way.titles.join(", "))
                .confidence(confidence)
                .because(it.message.clone())
                .op(scene.replace(node, source(&way.text)))
        };
        if !found.is_empty() {
            return found.into_iter().map(make).collect();
        }
    }
    Vec::new()
}

/// A text with some changes.
struct Way {
    text: String,
    titles: Vec<String>,
}

/// The texts that can be read after the fewest changes, the likeliest first. `at` is where the first mistake is.
fn readable(text: &str, at: (usize, usize), as_what: Fragment) -> Vec<Way> {
    let mut open = vec![(Way { text: text.to_owned(), titles: Vec::new() }, at)];
    for _ in 0..MAX_CHANGES {
        let mut found = Vec::new();
        let mut further: Vec<(Way, (usize, usize))> = Vec::new();
        for (way, at) in &open {
            for change in changes(&way.text, *at) {
                let Some(next) = changed(way, &change) else { continue };
                match first_mistake(&next.text, as_what) {
                    None => found.push(next),
                    // It must be another mistake, behind the one that the change is for.
                    Some(mistake) if mistake.0 > at.1.max(change.start + change.new.len()) => {
                        further.push((next, mistake));
                    }
                    Some(_) => {}
                }
                if found.len() == MAX_WAYS {
                    return found;
                }
            }
        }
        if !found.is_empty() || further.is_empty() {
            return found;
        }
        // The sort is stable: of those that are readable as far, the likeliest stay first.
        further.sort_by_key(|(way, at)| way.text.len().saturating_sub(at.0));
        further.truncate(MAX_OPEN);
        open = further;
    }
    Vec::new()
}

fn changed(way: &Way, change: &Change) -> Option<Way> {
    let (before, after) = (way.text.get(..change.start)?, way.text.get(change.end..)?);
    let mut titles = way.titles.clone();
    titles.push(title(&way.text, change));
    Some(Way { text: format!("{before}{}{after}", change.new), titles })
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

/// Where a text cannot be read; `None` if it can.
fn first_mistake(text: &str, as_what: Fragment) -> Option<(usize, usize)> {
    let mut builder = Builder::new(Source { file: String::new(), text: String::new() });
    let mistakes = parse_fragment(&mut builder, "", text, as_what).err()?;
    let span = mistakes.first().map(|it| (it.span.start as usize, it.span.end as usize));
    Some(span.unwrap_or_default())
}

fn title(text: &str, change: &Change) -> String {
    let old = text.get(change.start..change.end).unwrap_or_default();
    match (old.is_empty(), change.new.is_empty()) {
        (true, _) => format!("add `{}`", change.new),
        (false, true) => format!("remove `{old}`"),
        (false, false) => format!("write `{}` for `{old}`", change.new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let at = first_mistake(text, Fragment::Decl).expect("it cannot be read");
        let found: Vec<String> = readable(text, at, Fragment::Decl)
            .into_iter()
            .map(|it| format!("{}: {}", it.titles.join(", "), it.text))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn several_mistakes_in_one_text_are_mended_one_after_the_other() {
        check(
            "fn f(n: Int) -> Int { if n = 1 { 2 } else { match n { 1 => 2, _ -> 3 } } }",
            &["write `==` for `=`, write `->` for `=>`: \
               fn f(n: Int) -> Int { if n == 1 { 2 } else { match n { 1 -> 2, _ -> 3 } } }"],
        );
        check(
            "fn f(n: Int) -> Int { if n = 1 { g(2 + 3 } else { 4 } }",
            &[
                "write `==` for `=`, add `)`: fn f(n: Int) -> Int { if n == 1 { g(2 + 3) } else { 4 } }",
            ],
        );
    }
}
