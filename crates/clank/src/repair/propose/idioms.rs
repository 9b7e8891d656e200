//! Habits of other languages: what a text says there, written as it is written here.
//!
//! A table ([`table`]) with one row for every habit. A row looks at the tokens of a declaration that something is wrong
//! with and says what to write instead. All habits of a declaration are mended together, in one candidate for what
//! cannot be read and another one for names too. As all others, a candidate is tried before it is offered.

mod blocks;
mod braces;
mod branches;
mod declarations;
mod lambdas;
mod loops;
mod methods;
mod missing;
mod operators;
mod pieces;
mod records;
mod table;
#[cfg(test)]
mod tests;
mod texts;
pub(super) mod typed;
mod types;
mod words;

use check::{Confidence, Safety};
use clank_syntax::ast::{Builder, Decl, DeclId, Source};
use clank_syntax::{Fragment, SyntaxCode, SyntaxError, TokenKind, parse_fragment};

use self::pieces::{Edit, Pieces, applied};
use self::table::{Context, Layer, ROWS, Row};
use super::make::source;
use super::{Candidate, Scene};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::env::Value;
use crate::repair::Target;
use crate::repair::findings::is_syntax;

/// The longest declaration that is looked at.
const MAX_TEXT: usize = 40_000;

/// How many declarations of a module are known to the rows: this is done for every declaration that something is wrong with.
const MAX_DECLARED: usize = 500;

/// How often one row may change a text, one place after the other.
const MAX_TURNS: usize = 24;

/// What counts for the mistakes that cannot be seen behind others.
const HIDDEN: usize = 1_000;

/// How many habits a title names.
const MAX_NAMED: usize = 3;

/// The names by which the habits show that can be read, but mean nothing.
const NAMES: &[&str] = &[
    "var",
    "const",
    "val",
    "auto",
    "final",
    "local",
    "my",
    "dim",
    "and",
    "or",
    "not",
    "is",
    "null",
    "nil",
    "undefined",
    "Nothing",
    "NULL",
    "Null",
    "Nil",
    "nullptr",
    "nothing",
    "True",
    "TRUE",
    "False",
    "FALSE",
    "Just",
    "Success",
    "Right",
    "Failure",
    "Left",
    "throw",
    "raise",
    "catch",
    "except",
    "rescue",
    "new",
    "await",
    "lambda",
    "puts",
    "echo",
    "print",
    "println",
    "format",
    "sprintf",
    "string",
    "str",
    "int",
    "bool",
    "boolean",
    "number",
    "float",
    "double",
    "elif",
    "elsif",
    "elseif",
    "switch",
    "when",
    "then",
    "foreach",
    "do",
    "repeat",
    "until",
    "f",
    "s",
    "function",
    "func",
    "fun",
    "default",
    "case",
];

/// The text of a declaration without its habits.
struct Mended {
    text: String,
    rows: Vec<&'static Row>,
    titles: Vec<String>,
}

/// The candidates for a declaration in which something cannot be read.
pub(super) fn of_unread(scene: Scene<'_>, it: &Diagnostic, target: Target) -> Vec<Candidate> {
    let opened = || it.related.first().and_then(|it| scene.declaration(it.node));
    let Some(decl) = scene.declaration(it.node).or_else(opened) else { return Vec::new() };
    let is_bracket = it.code == Code::E0004;
    let decl = if is_bracket { opened().unwrap_or(decl) } else { decl };
    let text = scene.ast().text(decl.node());
    if text.is_empty() || text.len() > MAX_TEXT || !is_bracket && !is_first(scene, decl, it) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if is_bracket {
        found.extend(braces(scene, decl, it, target));
    }
    found.extend(with_context(scene, |cx| {
        let syntax = mended(text, cx, |it| it.layer == Layer::Syntax);
        let all = mended(text, cx, |_| true);
        let mut found = Vec::new();
        let is_read = |it: &Mended| n_mistakes(&it.text) == 0;
        if !syntax.rows.is_empty() && is_read(&syntax) {
            found.push(candidate(scene, decl, target, &syntax, Safety::LikelyPreserving));
        }
        if all.text != syntax.text && is_read(&all) {
            found.push(candidate(scene, decl, target, &all, Safety::BehaviorChanging));
        }
        if !found.is_empty() {
            return found;
        }
        if let Some((new, titles)) = missing::stated(scene, decl, &all.text) {
            let titles = all.titles.iter().cloned().chain(titles).collect();
            let more = Mended { text: new, rows: all.rows.clone(), titles };
            if is_read(&more) {
                let candidate = candidate(scene, decl, target, &more, Safety::BehaviorChanging);
                found.push(candidate.because("the body and the calls tell the types"));
                return found;
            }
        }
        if !all.rows.is_empty() {
            for (new, titles) in super::syntax::ways(&all.text) {
                let more = Mended {
                    text: new,
                    rows: all.rows.clone(),
                    titles: all.titles.iter().cloned().chain(titles).collect(),
                };
                let candidate = candidate(scene, decl, target, &more, Safety::BehaviorChanging);
                let candidate = Candidate { is_idiom: false, ..candidate };
                found.push(candidate.confidence(Confidence::Medium));
            }
        }
        found
    }));
    found
}

/// The braces as the lines are indented: of a declaration, or of one and what is left over behind it.
fn braces(scene: Scene<'_>, decl: DeclId, it: &Diagnostic, target: Target) -> Option<Candidate> {
    let ast = scene.ast();
    let all = ast.declarations();
    let place = all.iter().position(|it| *it == decl)?;
    let is_rest = |it: &DeclId| matches!(ast.decl(*it), Decl::Error { .. });
    let is_extra = it.related.is_empty();
    // What closes nothing may have been closed too early: what is behind it is left over.
    let mut first = place;
    while is_extra && first > 0 && is_rest(&all[first]) {
        first -= 1;
    }
    let mut last = place;
    while is_extra && last + 1 < all.len() && is_rest(&all[last + 1]) {
        last += 1;
    }
    let source = ast.sources().first().filter(|it| !it.text.is_empty())?;
    let start = ast.span(all[first].node()).start as usize;
    let mut end = ast.span(all[last].node()).end as usize;
    // A bracket without a partner may stand behind the last declaration, and is then no part of it.
    let beyond = it.span.filter(|span| is_extra && span.end as usize > end);
    if let Some(span) = beyond {
        end = span.end as usize;
    }
    let text = source.text.get(start..end)?;
    if text.len() > MAX_TEXT {
        return None;
    }
    let (new, count) = braces::by_indentation(text)?;
    let mended = with_context(scene, |cx| mended(&new, cx, |_| true));
    let is_plain = n_mistakes(&new) == 0;
    let new = if is_plain { new } else { mended.text };
    if n_mistakes(&new) > 0 {
        return None;
    }
    let confidence = if count == 1 && is_plain { Confidence::High } else { Confidence::Medium };
    let title = if is_extra { "leave out a brace" } else { "add a brace" };
    let candidate = Candidate::new(scene, target, format!("{title}, as the lines are indented"))
        .because(it.message.clone())
        .confidence(confidence)
        .op(scene.replace(all[first], source_of(&new)))
        .idiom();
    Some(
        all[first + 1..=last]
            .iter()
            .fold(candidate, |candidate, rest| candidate.op(scene.delete(*rest))),
    )
}

fn source_of(text: &str) -> serde_json::Value {
    source(text)
}

/// The candidates for a name that means nothing here and something in another language.
pub(super) fn of_name(scene: Scene<'_>, it: &Diagnostic, target: Target) -> Vec<Candidate> {
    let name = super::text_fact(it, "name").unwrap_or_default();
    let is_habit = NAMES.contains(&name) || types::named(name).is_some();
    let Some(decl) = scene.declaration(it.node).filter(|_| is_habit) else { return Vec::new() };
    let text = scene.ast().text(decl.node());
    if text.is_empty() || text.len() > MAX_TEXT || n_mistakes(text) > 0 {
        return Vec::new();
    }
    with_context(scene, |cx| {
        let all = mended(text, cx, |_| true);
        let is_changed = !all.rows.is_empty() && n_mistakes(&all.text) == 0;
        let make = || candidate(scene, decl, target, &all, Safety::BehaviorChanging);
        is_changed.then(make).into_iter().collect()
    })
}

fn with_context<T>(scene: Scene<'_>, then: impl FnOnce(&Context<'_>) -> T) -> T {
    let ast = scene.ast();
    let (mut records, mut functions) = (Vec::new(), Vec::new());
    for id in ast.declarations().iter().take(MAX_DECLARED) {
        match ast.decl(*id) {
            Decl::Rec { name, fields, .. } => {
                let fields = fields.iter().map(|it| ast.field(*it).name.clone()).collect();
                records.push((name.clone(), fields));
            }
            Decl::Fn(it) => {
                let params = it.params.iter().map(|it| ast.param(*it).name.clone()).collect();
                functions.push((it.name.clone(), params));
            }
            _ => {}
        }
    }
    let env = &scene.module.env;
    let known_value =
        |name: &str| env.values.get(name).is_some_and(|it| !matches!(it, Value::Builtin { .. }));
    let known_type = |name: &str| env.types.contains_key(name);
    then(&Context { records, functions, known_value: &known_value, known_type: &known_type })
}

/// A text without the habits that some rows are about. A change that makes less of it readable is not made.
fn mended(text: &str, cx: &Context<'_>, is_wanted: impl Fn(&Row) -> bool) -> Mended {
    let mut it = Mended { text: text.to_owned(), rows: Vec::new(), titles: Vec::new() };
    let mut n_left = n_mistakes(text);
    for row in ROWS.iter().filter(|row| is_wanted(row)) {
        for _ in 0..MAX_TURNS {
            let pieces = Pieces::new(&it.text);
            let mut edits = (row.rewrite)(&pieces, cx);
            edits.extend(in_templates(&pieces, row, cx));
            edits.retain(|edit| {
                it.text.get(edit.start..edit.end).is_some_and(|old| old != edit.new)
            });
            let Some(first) = edits.iter().find(|it| !it.new.is_empty()).or(edits.first()) else {
                break;
            };
            let title = title(&it.text[first.start..first.end], &first.new);
            let new = applied(&it.text, edits);
            let n_then = n_mistakes(&new);
            if n_then > n_left {
                break;
            }
            (it.text, n_left) = (new, n_then);
            if !it.rows.iter().any(|known| known.name == row.name) {
                it.rows.push(row);
                it.titles.push(title);
            }
        }
    }
    it
}

/// What a row changes in the expressions of templates.
fn in_templates(pieces: &Pieces<'_>, row: &Row, cx: &Context<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for piece in pieces.list.iter().filter(|it| it.kind == TokenKind::Template) {
        let text = &pieces.text[piece.start..piece.end];
        let mut at = 0;
        while let Some(start) = text[at..].find("${").map(|it| at + it + 2) {
            let end = text[start..].find('}').map_or(text.len(), |it| start + it);
            let own = (row.rewrite)(&Pieces::new(&text[start..end]), cx);
            let moved = piece.start + start;
            edits.extend(
                own.into_iter().map(|it| Edit::new(it.start + moved..it.end + moved, it.new)),
            );
            at = end;
        }
    }
    edits
}

fn title(old: &str, new: &str) -> String {
    let short = |text: &str| {
        let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(40) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    };
    match (old.trim().is_empty(), new.trim().is_empty()) {
        (true, _) => format!("add `{}`", short(new)),
        (_, true) => format!("leave out `{}`", short(old)),
        _ => format!("write `{}` for `{}`", short(new), short(old)),
    }
}

fn candidate(
    scene: Scene<'_>,
    decl: DeclId,
    target: Target,
    it: &Mended,
    safety: Safety,
) -> Candidate {
    let is_clear = it.rows.iter().all(|it| it.readings == 1);
    let safety = if is_clear { safety } else { Safety::BehaviorChanging };
    let mut titles: Vec<&str> = it.titles.iter().map(String::as_str).take(MAX_NAMED).collect();
    let more = format!("{} more", it.titles.len().saturating_sub(MAX_NAMED));
    if it.titles.len() > MAX_NAMED {
        titles.push(&more);
    }
    let mut reasons: Vec<&str> = it.rows.iter().map(|it| it.doc).collect();
    reasons.dedup();
    Candidate::new(scene, target, titles.join(", "))
        .because(reasons.join("; "))
        .confidence(Confidence::High)
        .safety(safety)
        .op(scene.replace(decl, source(&it.text)))
        .idiom()
}

/// Whether nothing before it in its declaration could not be read.
fn is_first(scene: Scene<'_>, decl: DeclId, it: &Diagnostic) -> bool {
    let all = &scene.module.diagnostics;
    let own = all.iter().position(|other| std::ptr::eq(other, it)).unwrap_or(0);
    !all[..own]
        .iter()
        .rev()
        .take_while(|other| scene.declaration(other.node) == Some(decl))
        .any(|other| is_syntax(other.code))
}

/// How much of the text of a declaration cannot be read.
fn n_mistakes(text: &str) -> usize {
    let mut builder = Builder::new(Source { file: String::new(), text: String::new() });
    let Err(all) = parse_fragment(&mut builder, "", text, Fragment::Decl) else { return 0 };
    // What is behind some mistakes was not looked at.
    let hides = |it: &SyntaxError| {
        matches!(it.code, SyntaxCode::E0002 | SyntaxCode::E0004 | SyntaxCode::E0008)
    };
    all.len().max(1) + if all.iter().any(hides) { HIDDEN } else { 0 }
}
