//! Loops, as other languages write them.

use clank_syntax::TokenKind as T;

use super::pieces::{PieceEdit, Pieces};
use super::table::IdiomContext;

/// `for (x of xs) {`, `for (const x of xs) {`, `for x of xs {`, `foreach (x in xs) {`, `for k, v in m {`.
pub(super) fn each(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let is_for = it.kind(at) == T::For || it.word(at) == "foreach" && it.starts_statement(at);
        if !is_for {
            continue;
        }
        let (start, end, brace) = match it.kind(at + 1) {
            T::LParen => {
                let Some(close) = it.partner(at + 1) else { continue };
                (at + 2, close, close + 1)
            }
            _ => {
                let brace = (at + 1..it.len()).find(|place| {
                    it.kind(*place) == T::LBrace && it.parent(*place) == it.parent(at)
                });
                let Some(brace) = brace else { continue };
                (at + 1, brace, brace)
            }
        };
        let first = match it.word(start) {
            "let" | "const" | "var" | "auto" | "val" if it.kind(start + 1) != T::In => start + 1,
            _ => start,
        };
        let link = (first..end).find(|place| {
            it.parent(*place) == it.parent(first)
                && (it.kind(*place) == T::In
                    || it.word(*place) == "of"
                    || it.kind(*place) == T::Colon && it.kind(at + 1) == T::LParen)
        });
        let Some(link) = link.filter(|link| *link > first) else { continue };
        let is_plain =
            start == at + 1 && first == start && it.kind(link) == T::In && it.kind(at) == T::For;
        let pattern = it.words(first..link);
        // `for (a, b) in pairs` is what it should be.
        if it.kind(at + 1) == T::LParen && it.kind(brace) == T::In {
            continue;
        }
        let has_comma = (first..link)
            .any(|place| it.kind(place) == T::Comma && it.parent(place) == it.parent(first));
        if is_plain && !has_comma {
            continue;
        }
        let pattern = if has_comma { format!("({pattern})") } else { js_pattern(pattern) };
        let items = it.words(link + 1..end);
        edits.extend(it.put(at..brace, format!("for {pattern} in {items} ")));
    }
    edits
}

/// `[a, b]` is a tuple in other languages.
fn js_pattern(pattern: &str) -> String {
    match pattern.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
        Some(inner) => format!("({inner})"),
        None => pattern.to_owned(),
    }
}

/// `for (let i = 0; i < n; i++) {` is `for i in 0..n {`, or a `while` if it counts otherwise.
pub(super) fn counted(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        if it.kind(at) != T::For {
            continue;
        }
        let (start, end) = match (it.kind(at + 1), it.partner(at + 1)) {
            (T::LParen, Some(close)) => (at + 2, close),
            _ => {
                let brace = (at + 1..it.len()).find(|place| it.kind(*place) == T::LBrace);
                (at + 1, brace.unwrap_or(it.len()))
            }
        };
        let semis: Vec<usize> = (start..end)
            .filter(|place| it.kind(*place) == T::Semi && it.parent(*place) == it.parent(start))
            .collect();
        let [one, two] = semis.as_slice() else { continue };
        let brace = (end..it.len()).find(|place| it.kind(*place) == T::LBrace);
        let Some((open, close)) = brace.and_then(|open| Some((open, it.partner(open)?))) else {
            continue;
        };
        let Some(eq) = (start..*one).find(|place| it.kind(*place) == T::Eq) else { continue };
        let name_at = if it.kind(eq - 1) == T::Colon { eq - 2 } else { eq - 1 };
        let name = it.word(name_at);
        let name = if it.kind(name_at) == T::TypeIdent {
            it.word(name_at.saturating_sub(2))
        } else {
            name
        };
        let first = it.words(eq + 1..*one);
        let condition = it.words(one + 1..*two);
        let step = it.words(two + 1..end);
        let counts_up = is_step(step, name);
        let bound = (it.word(one + 1) == name)
            .then(|| (it.kind(one + 2), it.words(one + 3..*two)))
            .filter(|it| matches!(it.0, T::Lt | T::LtEq));
        let inner = Pieces::new(it.words(open..close + 1));
        match bound {
            Some((op, bound)) if counts_up && !inner.is_assigned(name) => {
                let dots = if op == T::Lt { ".." } else { "..=" };
                edits.extend(it.put(at..open, format!("for {name} in {first}{dots}{bound} ")));
            }
            _ if inner.has("continue") => {}
            _ => {
                edits.extend(
                    it.put(at..open, format!("let mut {name} = {first}\n  while {condition} ")),
                );
                let end = it.list[close].start;
                edits.push(PieceEdit::new(end..end, format!("\n  {step}\n  ")));
            }
        }
    }
    edits
}

/// Whether it makes a number one greater.
fn is_step(step: &str, name: &str) -> bool {
    let step: String = step.split_whitespace().collect();
    [format!("{name}++"), format!("++{name}"), format!("{name}+=1"), format!("{name}={name}+1")]
        .contains(&step)
}

/// `do { … } while (c);` runs once before it asks.
pub(super) fn repeated(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let is_do = matches!(it.word(at), "do" | "repeat") && it.kind(at + 1) == T::LBrace;
        let Some(close) = it.partner(at + 1).filter(|_| is_do) else { continue };
        let ends = match it.word(close + 1) {
            "while" => true,
            "until" => false,
            _ => continue,
        };
        let end = it.expr_end(close + 2);
        let condition = it.words(close + 2..end);
        let leave = if ends { format!("!({condition})") } else { condition.to_owned() };
        edits.extend(it.put(at..at + 1, "loop"));
        let brace = it.list[close].start;
        edits.push(PieceEdit::new(brace..brace, format!("\n  if {leave} {{ break }}\n  ")));
        if let Some(bytes) = it.bytes(close + 1..end) {
            edits.push(PieceEdit::new(it.list[close].end..bytes.end, ""));
        }
    }
    edits
}

/// `while c do {`, `if c then {`, `until c {`, `while True:`.
pub(super) fn fillers(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        let is_filler = matches!(it.word(at), "do" | "then") && it.kind(at + 1) == T::LBrace
            || it.kind(at) == T::Colon && it.kind(at + 1) == T::LBrace && is_head(it, at);
        if is_filler && !it.starts_statement(at) {
            let from = it.list[at - 1].end;
            edits.push(PieceEdit::new(from..it.list[at].end, ""));
        }
        // `while c do` without a brace: the body ends with one.
        if it.word(at) == "do" && it.is_first(at + 1) && !it.starts_statement(at) {
            edits.extend(it.put(at..at + 1, "{"));
        }
        // `for c {` of Go.
        if it.kind(at) == T::For && it.starts_statement(at) {
            let mut brace = at + 1;
            while brace < it.len() && it.kind(brace) != T::LBrace && !it.is_first(brace) {
                brace = it.partner(brace).filter(|it| *it > brace).unwrap_or(brace) + 1;
            }
            let is_condition = it.kind(brace) == T::LBrace
                && brace > at + 1
                && (at + 1..brace).any(|place| {
                    matches!(it.kind(place), T::Lt | T::Gt | T::LtEq | T::GtEq | T::EqEq | T::NotEq)
                })
                && !(at + 1..brace).any(|place| {
                    matches!(it.kind(place), T::In | T::Semi | T::Eq) || it.word(place) == "of"
                });
            if is_condition {
                edits.extend(it.put(at..at + 1, "while"));
            }
        }
        if it.word(at) == "until" && it.starts_statement(at) {
            let brace = (at..it.len())
                .find(|place| it.kind(*place) == T::LBrace && it.parent(*place) == it.parent(at));
            if let Some(brace) = brace {
                edits.extend(it.put(at..brace, format!("while !({}) ", it.words(at + 1..brace))));
            }
        }
    }
    edits
}

/// Whether what is before belongs to the head of a statement.
fn is_head(it: &Pieces<'_>, at: usize) -> bool {
    let from = it.expr_start(at);
    matches!(it.kind_before(from), T::If | T::While | T::Else | T::In | T::Match)
        || it.kind_before(at) == T::Else
}
