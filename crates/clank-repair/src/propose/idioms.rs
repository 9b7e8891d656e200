//! Habits of other languages: what a text says there, written as it is written here.
//!
//! A table ([`table`]) with one row for every habit. A row looks at the tokens of a declaration that something is wrong
//! with and says what to write instead. All habits of a declaration are mended together, in one candidate for what
//! cannot be read and another one for names too. As all others, a candidate is tried before it is offered.

mod blocks;
mod braces;
mod branches;
mod calls;
mod contracts;
mod declarations;
mod fitted;
mod lambdas;
mod lines;
mod loops;
mod methods;
mod missing;
mod operators;
mod pieces;
mod records;
mod shapes;
mod table;
#[cfg(test)]
mod tests;
mod texts;
mod tuples;
pub(super) mod typed;
mod types;
mod words;
mod wrapped;

use check::{Confidence, Safety};
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank::env::{TypeBody, TypeEntry, Value};
use clank_syntax::ast::{Builder, Decl, DeclId, Expr, Source, UnaryOp};
use clank_syntax::{Fragment, SyntaxCode, SyntaxError, TokenKind, parse_fragment};

use self::pieces::{PieceEdit, Pieces, applied};
use self::table::{IdiomContext, IdiomLayer, ROWS, Row};
use super::make::source;
use super::{Candidate, RepairContext};
use crate::FindingId;
use crate::findings::is_syntax;

/// The longest declaration that is looked at.
const MAX_TEXT: usize = 40_000;

/// How many declarations of a module are known to the rows: this is done for every declaration that something is wrong with.
const MAX_DECLARED: usize = 500;

/// How often one row may change a text, one place after the other.
const MAX_TURNS: usize = 24;

/// What counts for the mistakes that cannot be seen behind others.
const HIDDEN: usize = 1_000;

/// Where so many kinds of habits are mended at once, hardly all of them are meant as they are read.
const MANY: usize = 4;

/// The row whose blocks end where the lines say, which may be indented wrongly.
const BY_LAYOUT: &str = "indented-blocks";

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
    "as",
    "with",
    "matches",
    "pass",
];

/// A declaration, and what was left over behind it because it could not be read: `type Book = Map` and `<Int, Account>`.
struct Unit<'a> {
    first: DeclId,
    rest: &'a [DeclId],
    text: &'a str,
}

impl<'a> Unit<'a> {
    fn new(scene: RepairContext<'a>, decl: DeclId) -> Unit<'a> {
        let ast = scene.ast();
        let all = ast.declarations();
        let alone = Unit { first: decl, rest: &[], text: ast.text(decl.node()) };
        let Some(place) = all.iter().position(|it| *it == decl) else { return alone };
        let Some(source) = ast.sources().first().filter(|it| !it.text.is_empty()) else {
            return alone;
        };
        // What starts a line is a declaration of its own.
        let is_rest = |it: &DeclId| {
            let start = ast.span(it.node()).start as usize;
            let is_leftmost = source.text[..start].ends_with('\n') || start == 0;
            let is_end = source.text[start..].starts_with('}');
            matches!(ast.decl(*it), Decl::Error { .. }) && (!is_leftmost || is_end)
        };
        let mut first = place;
        while first > 0 && is_rest(&all[first]) {
            first -= 1;
        }
        let mut last = place;
        while last + 1 < all.len() && is_rest(&all[last + 1]) {
            last += 1;
        }
        let (start, mut end) = (ast.span(all[first].node()).start, ast.span(all[last].node()).end);
        // A brace without a partner is part of no declaration.
        let behind = source.text.get(end as usize..).unwrap_or_default();
        let blank = behind.len() - behind.trim_start().len();
        let has_brace = behind[blank..].starts_with('}');
        if has_brace {
            end += blank as u32 + 1;
        }
        match source.text.get(start as usize..end as usize) {
            Some(text) if last > first || has_brace => {
                Unit { first: all[first], rest: &all[first + 1..=last], text }
            }
            _ => alone,
        }
    }
}

/// The words that say before a declaration who sees it or how it runs.
const MODIFIERS: [&str; 9] =
    ["pub", "public", "export", "private", "async", "static", "inline", "protected", "internal"];

/// `pub fn f() …`: the word before a declaration that can be read is left out.
fn modifier(scene: RepairContext<'_>, decl: DeclId, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let Decl::Error { source } = ast.decl(decl) else { return None };
    let place = ast.declarations().iter().position(|it| *it == decl)?;
    let is_followed = ast
        .declarations()
        .get(place + 1)
        .is_some_and(|it| !matches!(ast.decl(*it), Decl::Error { .. }));
    let are_modifiers =
        source.split_whitespace().all(|it| MODIFIERS.contains(&it)) && !source.trim().is_empty();
    (is_followed && are_modifiers).then(|| {
        Candidate::new(scene, target, format!("remove `{}`", source.trim()))
            .because("modules that import this one see every declaration")
            .confidence(Confidence::High)
            .safety(Safety::LikelyPreserving)
            .op(scene.delete(decl))
            .idiom()
    })
}

/// The text of a declaration without its habits.
struct Mended {
    text: String,
    rows: Vec<&'static Row>,
    titles: Vec<String>,
}

/// The candidates for a declaration in which something cannot be read.
pub(super) fn of_unread(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let opened = || it.related.first().and_then(|it| scene.declaration(it.node));
    let Some(decl) = scene.declaration(it.node).or_else(opened) else { return Vec::new() };
    let is_bracket = it.code == Code::E0004;
    let decl = if is_bracket { opened().unwrap_or(decl) } else { decl };
    if let Some(modifier) = modifier(scene, decl, target) {
        return vec![modifier];
    }
    let unit = Unit::new(scene, decl);
    let text = unit.text;
    if text.is_empty() || text.len() > MAX_TEXT || !is_bracket && !is_first(scene, decl, it) {
        return Vec::new();
    }
    let decl = &unit;
    let mut found = Vec::new();
    if is_bracket {
        found.extend(braces(scene, decl.first, it, target));
    }
    found.extend(with_context(scene, |cx| {
        let syntax = mended(text, cx, |it| it.layer == IdiomLayer::Syntax);
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
        if let Some(stated) = missing::stated(scene, decl.first, &all.text) {
            let titles = all.titles.iter().cloned().chain(stated.titles).collect();
            let more = Mended { text: stated.text, rows: all.rows.clone(), titles };
            if is_read(&more) {
                let mut candidate = candidate(scene, decl, target, &more, Safety::BehaviorChanging)
                    .because("the body and the calls determine the types");
                if !stated.users.is_empty() {
                    let mut with_users = candidate.clone();
                    for (file, op) in stated.users {
                        match with_users.edits.iter_mut().find(|it| it.0 == file) {
                            Some((_, ops)) => ops.push(op),
                            None => with_users.edits.push((file, vec![op])),
                        }
                    }
                    found.push(with_users);
                    candidate.confidence = Confidence::Medium;
                }
                found.push(candidate);
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
fn braces(
    scene: RepairContext<'_>,
    decl: DeclId,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
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
    let mut new = if is_plain { new } else { mended.text };
    if n_mistakes(&new) > 0 {
        new = super::syntax::ways(&new).into_iter().next()?.0;
    }
    let confidence = if count == 1 && is_plain { Confidence::High } else { Confidence::Medium };
    let title = if is_extra { "remove a brace" } else { "add a brace" };
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
pub(super) fn of_name(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let name = super::text_fact(it, "name").unwrap_or_default();
    let is_habit =
        NAMES.contains(&name) || types::named(name).is_some() || types::ARRAYS.contains(&name);
    // `f<Int>(x)` reads as comparisons.
    let is_argument = it.code == Code::E1001 && matches!(name, "Int" | "Str" | "Bool" | "Float");
    let is_habit = is_habit || is_argument;
    if let Some(found) = type_parameter(scene, it, target, name) {
        return vec![found];
    }
    let Some(decl) = scene.declaration(it.node).filter(|_| is_habit) else { return Vec::new() };
    let text = scene.ast().text(decl.node());
    // What could not be read behind it belongs to it: `Record<string, number>`.
    let is_cut = !Unit::new(scene, decl).rest.is_empty();
    if text.is_empty() || text.len() > MAX_TEXT || is_cut || n_mistakes(text) > 0 {
        return Vec::new();
    }
    let unit = Unit { first: decl, rest: &[], text };
    with_context(scene, |cx| {
        let all = mended(text, cx, |_| true);
        let is_changed = !all.rows.is_empty() && n_mistakes(&all.text) == 0;
        let make = || candidate(scene, &unit, target, &all, Safety::BehaviorChanging);
        is_changed.then(make).into_iter().collect()
    })
}

/// `fn f(x: T)` where there is no type `T`: it is a parameter of the function.
fn type_parameter(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
    name: &str,
) -> Option<Candidate> {
    let ast = scene.ast();
    let decl = scene.declaration(it.node)?;
    let Decl::Fn(function) = ast.decl(decl) else { return None };
    let is_parameter = it.code == Code::E1005
        && name.len() == 1
        && name.starts_with(|it: char| it.is_ascii_uppercase())
        && function.type_params.is_empty();
    is_parameter.then_some(())?;
    let text = ast.text(decl.node());
    let pieces = Pieces::new(text);
    (pieces.kind(0) == TokenKind::Fn && pieces.kind(2) == TokenKind::LParen).then_some(())?;
    let at = pieces.list.get(1)?.end;
    let new = format!("{}[{name}]{}", &text[..at], &text[at..]);
    let all = scene.module.diagnostics.iter().enumerate().filter(|(_, other)| {
        other.code == Code::E1005
            && super::text_fact(other, "name") == Some(name)
            && scene.declaration(other.node) == Some(decl)
    });
    let all: Vec<FindingId> = all.map(|it| FindingId::Diagnostic(it.0)).collect();
    (all.first() == Some(&target)).then(|| {
        Candidate::new(scene, target, format!("declare the type parameter: `[{name}]`"))
            .because(format!("`{name}` stands for any type"))
            .confidence(Confidence::High)
            .also_for(all)
            .op(scene.replace(decl, source(&new)))
            .idiom()
    })
}

/// The candidates for `println!(…)`, which reads as a name and a negation.
pub(super) fn of_macro(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let ast = scene.ast();
    let found = || {
        let parent = scene.expr(scene.parent(it.node)?)?;
        matches!(ast.expr(parent), Expr::Unary { op: UnaryOp::Not, .. }).then_some(())?;
        let start = ast.span(parent.node()).start as usize;
        let before = ast.sources().first()?.text.get(..start)?;
        before.ends_with(|it: char| it.is_alphanumeric()).then_some(())?;
        let decl = scene.declaration(it.node)?;
        let text = ast.text(decl.node());
        let unit = Unit { first: decl, rest: &[], text };
        (text.len() <= MAX_TEXT).then_some(())?;
        with_context(scene, |cx| {
            let all = mended(text, cx, |it| it.name == "macros");
            (!all.rows.is_empty())
                .then(|| candidate(scene, &unit, target, &all, Safety::BehaviorChanging))
        })
    };
    found().into_iter().collect()
}

/// The candidates for what can be read, but not by its types, of one habit.
fn of_rows(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
    rows: &[&str],
    is_near: impl Fn(&str) -> bool,
) -> Option<Candidate> {
    let ast = scene.ast();
    let decl = scene.declaration(it.node)?;
    let text = ast.text(decl.node());
    (text.len() <= MAX_TEXT && is_near(text) && n_mistakes(text) == 0).then_some(())?;
    let unit = Unit { first: decl, rest: &[], text };
    with_context(scene, |cx| {
        let all = mended(text, cx, |it| rows.contains(&it.name));
        let is_changed = !all.rows.is_empty() && n_mistakes(&all.text) == 0;
        is_changed.then(|| candidate(scene, &unit, target, &all, Safety::BehaviorChanging))
    })
}

/// The candidates for `try f(x)`, which reads as two statements, and for `"{}".format(x)`.
pub(super) fn of_words(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
    match it.code {
        Code::E2001 | Code::W0007 => of_rows(scene, it, target, &["tried"], |text| {
            ["try ", "await "].iter().any(|it| text.contains(it))
        }),
        Code::E2011 => {
            let near = |text: &str| text.contains("\".format(");
            of_rows(scene, it, target, &["format-calls"], near)
                .or_else(|| of_key_or_else(scene, it, target))
        }
        _ => None,
    }
}

/// The candidate for `m.get(k) ?? d`, where neither of the two is known here.
fn of_key_or_else(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
    let ast = scene.ast();
    let callee = scene.expr(it.node)?;
    let Expr::Field { object, field } = ast.expr(callee) else { return None };
    let whole = scene.expr(scene.parent(callee)?)?;
    let Expr::Call { args, .. } = ast.expr(whole) else { return None };
    let [key] = args.as_ref() else { return None };
    let asks = match methods::On::of(scene.view(callee)?.ty(*object)) {
        methods::On::Map => "map_get",
        methods::On::Array => "get",
        _ => return None,
    };
    let decl = scene.declaration(it.node)?;
    let text = ast.text(decl.node());
    (field == "get" && text.len() <= MAX_TEXT && text.contains("??")).then_some(())?;
    let (own, span) = (ast.span(decl.node()).start, ast.span(whole.node()));
    let (start, end) = ((span.start - own) as usize, (span.end - own) as usize);
    text.get(end..)?.trim_start().starts_with("??").then_some(())?;
    let asked = format!("{asks}({}, {})", ast.text(object.node()), ast.text(key.node()));
    let text = format!("{}{asked}{}", text.get(..start)?, text.get(end..)?);
    let unit = Unit { first: decl, rest: &[], text: "" };
    with_context(scene, |cx| {
        let all = mended(&text, cx, |it| it.name == "coalesce");
        (!all.rows.is_empty() && n_mistakes(&all.text) == 0)
            .then(|| candidate(scene, &unit, target, &all, Safety::BehaviorChanging))
    })
}

/// The candidates for `a ?? b`, which reads as two `?` and a value of its own.
pub(super) fn of_coalesce(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let ast = scene.ast();
    let found = || {
        ast.text(scene.parent(it.node).unwrap_or(it.node)).contains("??").then_some(())?;
        let decl = scene.declaration(it.node)?;
        let text = ast.text(decl.node());
        (text.len() <= MAX_TEXT).then_some(())?;
        let unit = Unit { first: decl, rest: &[], text };
        with_context(scene, |cx| {
            let all = mended(text, cx, |it| it.name == "coalesce");
            (!all.rows.is_empty())
                .then(|| candidate(scene, &unit, target, &all, Safety::BehaviorChanging))
        })
    };
    found().into_iter().collect()
}

fn with_context<T>(scene: RepairContext<'_>, then: impl FnOnce(&IdiomContext<'_>) -> T) -> T {
    let ast = scene.ast();
    let env = &scene.module.env;
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
            Decl::Use(it) => {
                for name in it.items.iter().take(MAX_DECLARED) {
                    if let Some(TypeEntry::Def(def)) = env.types.get(name)
                        && let TypeBody::Record(fields) = &def.shape
                    {
                        records
                            .push((name.clone(), fields.iter().map(|it| it.0.clone()).collect()));
                    }
                    if let Some(Value::Fn { signature, .. }) = env.values.get(name) {
                        let params = signature.params.iter().map(|it| it.0.clone()).collect();
                        functions.push((name.clone(), params));
                    }
                }
            }
            _ => {}
        }
    }
    let variants = |name: &str| match env.values.get(name) {
        Some(Value::Variant { def, variant }) => match &def.shape {
            TypeBody::Sum(all) => {
                let fields = &all.get(*variant as usize)?.fields;
                Some(fields.iter().map(|it| it.0.clone()).collect())
            }
            _ => None,
        },
        _ => None,
    };
    let known_value =
        |name: &str| env.values.get(name).is_some_and(|it| !matches!(it, Value::Builtin { .. }));
    let known_type = |name: &str| env.types.contains_key(name);
    then(&IdiomContext {
        records,
        functions,
        variants: &variants,
        known_value: &known_value,
        known_type: &known_type,
    })
}

/// A text without the habits that some rows are about. A change that makes less of it readable is not made, unless all of
/// it can be read in the end: behind one mistake there may be others that could not be seen.
fn mended(text: &str, cx: &IdiomContext<'_>, is_wanted: impl Fn(&Row) -> bool) -> Mended {
    let careful = mended_by(text, cx, &is_wanted, true);
    if n_mistakes(&careful.text) == 0 {
        return careful;
    }
    let bold = mended_by(text, cx, &is_wanted, false);
    if n_mistakes(&bold.text) == 0 { bold } else { careful }
}

fn mended_by(
    text: &str,
    cx: &IdiomContext<'_>,
    is_wanted: &impl Fn(&Row) -> bool,
    is_careful: bool,
) -> Mended {
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
            if n_then > n_left && is_careful {
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
fn in_templates(pieces: &Pieces<'_>, row: &Row, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for piece in pieces.list.iter().filter(|it| it.kind == TokenKind::Template) {
        let text = &pieces.text[piece.start..piece.end];
        let mut at = 0;
        while let Some(start) = text[at..].find("${").map(|it| at + it + 2) {
            let end = text[start..].find('}').map_or(text.len(), |it| start + it);
            let own = (row.rewrite)(&Pieces::new(&text[start..end]), cx);
            let moved = piece.start + start;
            edits.extend(
                own.into_iter().map(|it| PieceEdit::new(it.start + moved..it.end + moved, it.new)),
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
        (_, true) => format!("remove `{}`", short(old)),
        _ => format!("write `{}` for `{}`", short(new), short(old)),
    }
}

fn candidate(
    scene: RepairContext<'_>,
    decl: &Unit<'_>,
    target: FindingId,
    it: &Mended,
    safety: Safety,
) -> Candidate {
    let is_clear = it.rows.iter().all(|it| it.readings == 1);
    let safety = if is_clear { safety } else { Safety::BehaviorChanging };
    let is_doubtful = |it: &&'static Row| it.readings >= table::DOUBTFUL || it.name == BY_LAYOUT;
    let is_guess = it.rows.len() >= MANY || it.rows.iter().any(is_doubtful);
    let mut titles: Vec<&str> = it.titles.iter().map(String::as_str).take(MAX_NAMED).collect();
    let more = format!("{} more", it.titles.len().saturating_sub(MAX_NAMED));
    if it.titles.len() > MAX_NAMED {
        titles.push(&more);
    }
    let mut reasons: Vec<&str> = it.rows.iter().map(|it| it.doc).collect();
    reasons.dedup();
    let candidate = Candidate::new(scene, target, titles.join(", "))
        .because(reasons.join("; "))
        .confidence(Confidence::High)
        .safety(safety)
        .op(scene.replace(decl.first, source(&it.text)))
        .idiom();
    let candidate = Candidate { is_guess, ..candidate };
    decl.rest.iter().fold(candidate, |candidate, rest| candidate.op(scene.delete(*rest)))
}

/// Whether nothing before it in its declaration could not be read.
fn is_first(scene: RepairContext<'_>, decl: DeclId, it: &Diagnostic) -> bool {
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
