//! E0001 to E0009: what could not be read, where one token makes it readable.
//!
//! A tree has nothing to say about such a text, so the token is tried in the text of what could not be read; only what
//! can be read then is offered. Where several mistakes are in one such text, a token for each is tried, one after the other.

mod changes;

use std::hash::{Hash, Hasher};

use check::Confidence;
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank_syntax::ast::{AstKind, Builder, NodeId, Source, SourceId};
use clank_syntax::{Fragment, SyntaxCode, TokenKind, parse_fragment};
use rustc_hash::{FxHashSet, FxHasher};

use self::changes::{Mistake, Replacement, changes};
use super::make::source;
use super::{Candidate, RepairContext};
use crate::FindingId;

/// The longest text that tokens are tried in.
const MAX_TEXT: usize = 20_000;

/// How many ways are offered.
const MAX_WAYS: usize = 3;

/// How many mistakes in one text are mended by one repair.
const MAX_CHANGES: usize = 4;

/// How many texts that are not readable yet are tried further, those first that have the fewest mistakes left.
const MAX_OPEN: usize = 6;

/// In longer texts fewer are tried further.
const LONG_TEXT: usize = 4_000;

pub(super) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    for (node, as_what) in unread(scene, it) {
        let text = scene.ast().text(node);
        let start = scene.ast().span(node).start;
        let Some(span) = it.span else { return Vec::new() };
        let at =
            (span.start.saturating_sub(start) as usize, span.end.saturating_sub(start) as usize);
        // The end of a string is looked for before the brackets that it swallowed.
        if as_what == Fragment::Expr && it.code == Code::E0002 && text.ends_with([')', ']', '}']) {
            continue;
        }
        if text.is_empty() || text.len() > MAX_TEXT || !is_first(scene, it, node) {
            continue;
        }
        // What it stands in may be a statement, which is not an expression.
        let is_stray = is_stray(it, text.get(at.0..at.1).unwrap_or_default());
        if is_stray && as_what == Fragment::Expr {
            continue;
        }
        let found = readable(text, at, as_what);
        let is_only = matches!(found.as_slice(), [only] if only.titles.len() == 1);
        let make = |way: TextVariant| {
            // What somebody wrote is not just taken out.
            let confidence = match is_only {
                // A bracket that closes nothing means nothing.
                _ if is_stray && way.titles.len() == 1 && way.titles[0].starts_with("remove") => {
                    Confidence::High
                }
                _ if is_stray || way.only_removes => Confidence::Low,
                true => Confidence::High,
                false => Confidence::Medium,
            };
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

/// Whether a mistake is a bracket that closes nothing. Where a brace belongs is said by the lines around it.
fn is_stray(it: &Diagnostic, written: &str) -> bool {
    it.code == Code::E0004 && it.related.is_empty() && matches!(written, ")" | "]")
}

/// The texts of a declaration that can be read after a few changes, with what was changed.
pub(super) fn ways(text: &str) -> Vec<(String, Vec<String>)> {
    if text.len() > MAX_TEXT {
        return Vec::new();
    }
    let Some(first) = mistakes(text, Fragment::Decl) else { return Vec::new() };
    let found = readable(text, first.first.at, Fragment::Decl);
    found.into_iter().map(|it| (it.text, it.titles)).collect()
}

/// A text with some changes.
struct TextVariant {
    text: String,
    titles: Vec<String>,
    /// Whether something was taken out that does not stand there twice, and nothing else was done.
    only_removes: bool,
}

/// The texts that can be read after the fewest changes, the likeliest first. `at` is where the first mistake is.
fn readable(text: &str, at: (usize, usize), as_what: Fragment) -> Vec<TextVariant> {
    // What is wrong may show only in what is around it.
    let first = mistakes(text, as_what).unwrap_or_default();
    let first = Mistakes { first: Mistake { at, ..first.first }, ..first };
    let mut open = vec![(
        TextVariant { text: text.to_owned(), titles: Vec::new(), only_removes: true },
        first,
    )];
    let mut known: FxHashSet<u64> = FxHashSet::default();
    for _ in 0..MAX_CHANGES {
        let mut found = Vec::new();
        let mut further: Vec<(TextVariant, Mistakes)> = Vec::new();
        for (way, before) in &open {
            for change in changes(&way.text, &before.first) {
                let Some(next) = changed(way, &change) else { continue };
                if !known.insert(tokens_key(&next.text)) {
                    continue;
                }
                match mistakes(&next.text, as_what) {
                    None => found.push(next),
                    Some(left) if left.is_another(before, &change) => {
                        let is_uncovered = before.first.is_bracket && !left.first.is_bracket;
                        further.push((next, Mistakes { is_uncovered, ..left }));
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
        // The sort is stable: of those that are as good, the likeliest stay first.
        further.sort_by_key(|(way, left)| (left.obscures, left.count, left.rest(&way.text)));
        further.truncate(if text.len() > LONG_TEXT { MAX_OPEN / 2 } else { MAX_OPEN });
        open = further;
    }
    Vec::new()
}

/// What is wrong with a text.
#[derive(Default)]
struct Mistakes {
    first: Mistake,
    count: usize,
    /// Whether the first one is about a bracket, a text or a comment without its end: what is behind it was not looked at, so
    /// that few mistakes say little.
    obscures: bool,
    /// Whether the first one could not be seen before the brackets were right.
    is_uncovered: bool,
}

impl Mistakes {
    /// How much of a text is still to be read.
    fn rest(&self, text: &str) -> usize {
        if self.is_uncovered { 0 } else { text.len().saturating_sub(self.first.at.0) }
    }

    /// Whether the first mistake is another one than that which a change was for: there are fewer, it is behind that one, is
    /// about another bracket, or could not be seen before the brackets were right.
    fn is_another(&self, before: &Mistakes, change: &Replacement) -> bool {
        let is_behind = self.first.at.0 > before.first.at.1.max(change.start + change.new.len());
        let is_uncovered = before.first.is_bracket && !self.first.is_bracket;
        // The bracket was closed, and there is another one that is not.
        let is_closed = match (before.first.unclosed, self.first.unclosed) {
            (Some((before, _)), Some((now, _))) => now != before && change.start > before,
            _ => false,
        };
        is_behind || is_uncovered || is_closed || self.count < before.count
    }
}

/// The same for texts that differ in nothing but blanks.
fn tokens_key(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    let tokens = clank_syntax::lex(text).0;
    tokens.iter().filter(|it| it.0 != TokenKind::Whitespace).for_each(|it| it.1.hash(&mut hasher));
    hasher.finish()
}

fn changed(way: &TextVariant, change: &Replacement) -> Option<TextVariant> {
    let (before, after) = (way.text.get(..change.start)?, way.text.get(change.end..)?);
    let mut titles = way.titles.clone();
    titles.push(change.title(&way.text));
    let old = way.text.get(change.start..change.end)?.trim();
    let is_doubled = before.trim_end().ends_with(old) || after.trim_start().starts_with(old);
    let only_removes = way.only_removes && change.new.is_empty() && !is_doubled;
    Some(TextVariant { text: format!("{before}{}{after}", change.new), titles, only_removes })
}

/// The nodes whose text could not be read because of it, the innermost first, and what they should be.
fn unread(scene: RepairContext<'_>, it: &Diagnostic) -> Vec<(NodeId, Fragment)> {
    let ast = scene.ast();
    let mut found = Vec::new();
    let mut at = Some(it.node);
    while let Some(node) = at {
        let is_own = ast.node(node).source == SourceId(0);
        let as_what = match &ast.node(node).kind {
            kind if !is_own || !kind.is_error() && !matches!(kind, AstKind::Decl(_)) => None,
            AstKind::Decl(_) => Some(Fragment::Decl),
            AstKind::Expr(_) => Some(Fragment::Expr),
            AstKind::Type(_) => Some(Fragment::Type),
            AstKind::Pattern(_) => Some(Fragment::Pattern),
            _ => None,
        };
        found.extend(as_what.map(|it| (node, it)));
        at = scene.parent(node);
    }
    found
}

/// Whether it is the first mistake in the text of a node: the others often follow from it.
fn is_first(scene: RepairContext<'_>, it: &Diagnostic, node: NodeId) -> bool {
    let all = scene.ast().span(node);
    let in_it = scene
        .module
        .diagnostics
        .iter()
        .filter(|it| it.structured.kind == "syntax_error")
        .find(|it| it.span.is_some_and(|it| all.holds(it)));
    in_it.is_some_and(|first| std::ptr::eq(first, it))
}

/// What is wrong with a text; `None` if it can be read.
fn mistakes(text: &str, as_what: Fragment) -> Option<Mistakes> {
    let mut builder = Builder::new(Source { file: String::new(), text: String::new() });
    let all = parse_fragment(&mut builder, "", text, as_what).err()?;
    let first = all.first();
    let at = first.map(|it| (it.span.start as usize, it.span.end as usize)).unwrap_or_default();
    let is_bracket = first.is_some_and(|it| it.code == SyntaxCode::E0004);
    let unclosed = all.iter().filter(|it| it.code == SyntaxCode::E0004).find_map(|it| {
        let (opened, _) = it.related.as_ref()?;
        Some((opened.start as usize, it.span.start as usize))
    });
    let obscures = first.is_some_and(|it| matches!(it.code, SyntaxCode::E0002 | SyntaxCode::E0004));
    Some(Mistakes {
        first: Mistake { at, is_bracket, unclosed },
        obscures,
        count: all.len(),
        is_uncovered: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let at = mistakes(text, Fragment::Decl).expect("it cannot be read").first.at;
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
        // A comma is missing and another one is too much.
        check(
            "fn f(n: Int) -> Int { g(n 1, max(n, 2 ), , 4) }",
            &[
                "add `,`, remove `,`: fn f(n: Int) -> Int { g(n, 1, max(n, 2 ),  4) }",
                "remove `1`, remove `,`: fn f(n: Int) -> Int { g(n , max(n, 2 ),  4) }",
            ],
        );
        // A stray character, a bracket and a comma: what is between brackets is looked at when these are right.
        check(
            "fn f(n: Int) -> Int { g(max(n, 1, n 2 # ) }",
            &[
                "remove `#`, add `)`, add `,`: fn f(n: Int) -> Int { g(max(n, 1, n, 2  )) }",
                "remove `#`, add `)`, remove `2`: fn f(n: Int) -> Int { g(max(n, 1, n   )) }",
            ],
        );
        // A bracket too many, then a comma that is missing, then an operator with nothing behind it.
        check(
            "fn f(n: Int) -> Int { g((n + 1, max(n 2) + ) }",
            &[
                "remove `(`, add `,`, remove `+`: fn f(n: Int) -> Int { g(n + 1, max(n, 2)  ) }",
                "remove `(`, remove `2`, remove `+`: fn f(n: Int) -> Int { g(n + 1, max(n )  ) }",
                "add `)`, add `,`, remove `+`: fn f(n: Int) -> Int { g((n + 1, max(n, 2)  )) }",
            ],
        );
        // A bracket is closed where the lines behind it are no further in.
        check(
            "fn f(n: Int) -> Int {\n  let a = [\n    n,\n    2\n  g(a)\n}",
            &["add `]`: fn f(n: Int) -> Int {\n  let a = [\n    n,\n    2]\n  g(a)\n}"],
        );
        // A string ends before the brackets at the end of its line.
        check(
            "fn f(n: Int) -> Int { g(\"a, n) }",
            &["add `\"`: fn f(n: Int) -> Int { g(\"a, n\") }"],
        );
        // Nothing comes after an operator.
        check("fn f(n: Int) -> Int { g(n + ) }", &["remove `+`: fn f(n: Int) -> Int { g(n  ) }"]);
    }
}
