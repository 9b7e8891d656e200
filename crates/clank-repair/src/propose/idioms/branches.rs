//! Choices, as other languages write them.

use clank_syntax::TokenKind as T;

use super::lambdas::is_fat;
use super::pieces::{PieceEdit, Pieces};
use super::table::IdiomContext;

/// `c ? a : b` is `if c { a } else { b }`. The last one first, so that those inside others come first.
pub(super) fn ternary(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    for at in (1..it.len()).rev() {
        if it.kind(at) != T::Question || it.kind(at + 1) == T::Question {
            continue;
        }
        let middle = it.expr_end(at + 1);
        if it.kind(middle) != T::Colon || middle == at + 1 {
            continue;
        }
        let end = it.expr_end(middle + 1);
        let start = it.expr_start(at);
        if start >= at || end == middle + 1 {
            continue;
        }
        let (condition, yes, no) =
            (it.words(start..at), it.words(at + 1..middle), it.words(middle + 1..end));
        let new = format!("if {condition} {{ {yes} }} else {{ {no} }}");
        return it.put(start..end, new).into_iter().collect();
    }
    Vec::new()
}

/// `a if c else b`, as a value.
pub(super) fn trailing_if(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    for at in (1..it.len()).rev() {
        let is_behind = matches!(
            it.kind_before(at),
            T::Ident
                | T::TypeIdent
                | T::Int
                | T::Float
                | T::Str
                | T::Template
                | T::RParen
                | T::RBracket
                | T::True
                | T::False
        );
        if it.kind(at) != T::If || !is_behind || it.is_first(at) {
            continue;
        }
        let middle = it.expr_end(at + 1);
        if it.kind(middle) != T::Else || it.kind(middle + 1) == T::LBrace {
            continue;
        }
        let (start, end) = (it.expr_start(at), it.expr_end(middle + 1));
        if in_arms_pattern(it, start, at) {
            continue;
        }
        let (yes, condition, no) =
            (it.words(start..at), it.words(at + 1..middle), it.words(middle + 1..end));
        let new = format!("if {condition} {{ {yes} }} else {{ {no} }}");
        return it.put(start..end, new).into_iter().collect();
    }
    Vec::new()
}

/// Whether an `if` is the guard of an arm.
fn in_arms_pattern(it: &Pieces<'_>, start: usize, at: usize) -> bool {
    let end = it.expr_end(at + 1);
    it.kind(end) == T::Arrow
        || matches!(it.kind_before(start), T::Comma | T::LBrace) && it.kind(end) == T::Eq
}

/// `if c then a else b`.
pub(super) fn then(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    for at in (1..it.len()).rev() {
        if it.word(at) != "then" || it.kind(at + 1) == T::LBrace || cx.is_known("then") {
            continue;
        }
        let middle = it.expr_end(at + 1);
        let Some(bytes) = it.bytes(at..middle) else { continue };
        let mut edits =
            vec![PieceEdit::new(bytes.clone(), format!("{{ {} }}", it.words(at + 1..middle)))];
        if it.kind(middle) == T::Else && !matches!(it.kind(middle + 1), T::LBrace | T::If) {
            let end = it.expr_end(middle + 1);
            edits.extend(it.put(middle + 1..end, format!("{{ {} }}", it.words(middle + 1..end))));
        }
        return edits;
    }
    Vec::new()
}

/// `elif`, `elsif`, `elseif`, and `else x == y {`.
pub(super) fn else_if(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        if matches!(it.word(at), "elif" | "elsif" | "elseif" | "elsewhen")
            && it.kind_before(at) == T::RBrace
        {
            edits.extend(it.put(at..at + 1, "else if"));
            continue;
        }
        let is_bare = it.kind(at) == T::Else
            && !matches!(it.kind(at + 1), T::LBrace | T::If | T::Arrow | T::Colon);
        if !is_bare || it.kind_before(at) != T::RBrace || is_fat(it, at + 1) {
            continue;
        }
        // A block must follow on the same line.
        let mut end = at + 1;
        while end < it.len() && it.kind(end) != T::LBrace && !it.is_first(end) {
            end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
        }
        if it.kind(end) == T::LBrace {
            edits.extend(it.put(at..at + 1, "else if"));
        }
    }
    edits
}

/// `if (c) return x;`: a block is in braces.
pub(super) fn unbraced(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let body = match it.kind(at) {
            T::If | T::While => match (it.kind(at + 1), it.partner(at + 1)) {
                (T::LParen, Some(close)) => close + 1,
                _ => match bare_head_end(it, at + 1) {
                    Some(end) => end,
                    None => continue,
                },
            },
            T::Else => at + 1,
            _ => continue,
        };
        let starts =
            matches!(it.kind(body), T::Return | T::Break | T::Continue | T::Let | T::Assert)
                || matches!(it.kind(body), T::Ident | T::Int | T::Str | T::Template | T::Float)
                    && !matches!(it.word(body), "then" | "do" | "and" | "or" | "is" | "in" | "not");
        if !starts
            || it.kind(at) == T::If && it.kind(at + 1) != T::LParen && it.kind(body) == T::Ident
        {
            continue;
        }
        let end = statement_end(it, body);
        // The head goes on, or a block follows.
        if matches!(it.kind(end), T::LBrace)
            || (body..end)
                .any(|place| it.kind(place) == T::LBrace && it.parent(place) == it.parent(at))
        {
            continue;
        }
        edits.extend(it.put(body..end, format!("{{ {} }}", it.words(body..end))));
    }
    edits
}

/// Where the head of an `if` without parentheses ends because a statement begins.
fn bare_head_end(it: &Pieces<'_>, start: usize) -> Option<usize> {
    let mut at = start;
    while at < it.len() {
        match it.kind(at) {
            T::Return | T::Break | T::Continue if at > start => return Some(at),
            T::LBrace | T::Semi | T::RBrace | T::Else => return None,
            _ if at > start && it.is_first(at) => return None,
            _ => at = it.partner(at).filter(|it| *it > at).unwrap_or(at) + 1,
        }
    }
    None
}

/// Where a statement ends, with its `;`.
fn statement_end(it: &Pieces<'_>, start: usize) -> usize {
    let mut at = start;
    while at < it.len() {
        if matches!(it.kind(at), T::RBrace | T::RParen | T::RBracket | T::Else | T::Comma) {
            return at;
        }
        if it.kind(at) == T::Semi {
            return at + 1;
        }
        if at > start
            && it.is_first(at)
            && !super::pieces::is_operator(it.kind(at))
            && it.kind(at) != T::Dot
        {
            return at;
        }
        at = it.partner(at).filter(|it| *it > at).unwrap_or(at) + 1;
    }
    at
}

/// `switch`, `when` and `case … of` are `match`; `case P:` and `default:` are its arms.
pub(super) fn switch(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let is_case = it.word(at) == "case"
            && (at + 2..it.len().min(at + 12))
                .find(|place| it.kind(*place) == T::LBrace || it.is_first(*place))
                .is_some_and(|open| it.kind(open) == T::LBrace && it.word(open - 1) == "of");
        let is_switch =
            (matches!(it.word(at), "switch" | "when") || is_case) && !cx.is_known(it.word(at));
        if !is_switch && it.kind(at) != T::Match {
            continue;
        }
        let mut open = at + 1;
        while open < it.len() && it.kind(open) != T::LBrace && !(open > at + 1 && it.is_first(open))
        {
            open = it.partner(open).filter(|it| *it > open).unwrap_or(open) + 1;
        }
        let Some(close) = it.partner(open).filter(|_| it.kind(open) == T::LBrace) else { continue };
        if is_switch {
            let value = it.words(at + 1..if is_case { open - 1 } else { open });
            edits.extend(it.put(at..open, format!("match {value} ")));
        }
        arms(it, open, close, &mut edits);
    }
    edits
}

/// The arms between braces, where they start with `case` or `default`.
fn arms(it: &Pieces<'_>, open: usize, close: usize, edits: &mut Vec<PieceEdit>) {
    let mut starts = Vec::new();
    let mut at = open + 1;
    while at < close {
        let begins = it.kind_before(at) == T::LBrace
            || it.is_first(at)
            || matches!(it.kind_before(at), T::Comma | T::Semi | T::RBrace);
        if begins && (matches!(it.word(at), "case" | "default") || it.kind(at) == T::Else) {
            starts.push(at);
        }
        at = it.partner(at).filter(|it| *it > at).unwrap_or(at) + 1;
    }
    for (place, &start) in starts.iter().enumerate() {
        let end = starts.get(place + 1).copied().unwrap_or(close);
        let mut mark = start + 1;
        while mark < end
            && it.kind(mark) != T::Colon
            && it.kind(mark) != T::Arrow
            && !is_fat(it, mark)
        {
            mark = it.partner(mark).filter(|it| *it > mark).unwrap_or(mark) + 1;
        }
        if mark >= end {
            continue;
        }
        let pattern = match it.word(start) {
            "case" => it.words(start + 1..mark).to_owned(),
            _ => "_".to_owned(),
        };
        let body = if is_fat(it, mark) { mark + 2 } else { mark + 1 };
        let mut last = end;
        while last > body && matches!(it.kind(last - 1), T::Semi | T::Comma) {
            last -= 1;
        }
        if last > body && it.kind(last - 1) == T::Break {
            last -= 1;
            while last > body && it.kind(last - 1) == T::Semi {
                last -= 1;
            }
        }
        let text = it.words(body..last);
        let is_block = it.kind(body) == T::LBrace && it.partner(body) == Some(last - 1);
        let is_statement = (body..last).any(|at| {
            it.parent(at) == Some(open)
                && (matches!(it.kind(at), T::Semi | T::Return | T::Let | T::For | T::While)
                    || it.kind(at) == T::Eq
                    || at > body
                        && it.is_first(at)
                        && it.kind_before(at) != T::Comma
                        && !super::pieces::is_operator(it.kind(at)))
        });
        let text = match is_statement && !is_block {
            true => format!("{{ {text} }}"),
            false => text.to_owned(),
        };
        let patterns: Vec<&str> = pattern.split(" | ").collect();
        let new: Vec<String> =
            patterns.iter().map(|it| format!("{} -> {text}", it.trim())).collect();
        edits.extend(it.put(start..end, format!("{},\n", new.join(", "))));
    }
}

/// `P -> x = e`: an arm that assigns is a block.
pub(super) fn arm_assignments(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        if it.kind(at) != T::Arrow || !super::lambdas::in_arm(it, at) {
            continue;
        }
        let eq = it.expr_end(at + 1);
        let is_place = it.operand_start(eq) == Some(at + 1);
        if it.kind(eq) == T::Eq && is_place && it.kind(eq + 1) != T::Eq && !is_fat(it, eq) {
            let end = it.expr_end(eq + 1);
            edits.extend(it.put(at + 1..end, format!("{{ {} }}", it.words(at + 1..end))));
        }
    }
    edits
}

/// `A | B -> e` in a `match`: one arm for each; `| A -> e` starts with no bar.
pub(super) fn alternatives(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        if it.kind(at) != T::Arrow || !super::lambdas::in_arm(it, at) {
            continue;
        }
        let start = it.expr_start(at);
        let bars: Vec<usize> = (start..at)
            .filter(|place| it.kind(*place) == T::Pipe && it.parent(*place) == it.parent(at))
            .collect();
        if bars.is_empty() {
            continue;
        }
        let mut body_end = at + 1;
        while body_end < it.len() && !matches!(it.kind(body_end), T::Comma | T::RBrace) {
            body_end = it.partner(body_end).filter(|it| *it > body_end).unwrap_or(body_end) + 1;
            if it.kind(body_end) == T::Pipe && it.is_first(body_end) {
                break;
            }
        }
        let body = it.words(at + 1..body_end);
        let pattern = it.words(start..at);
        let arms: Vec<String> = pattern
            .split('|')
            .map(str::trim)
            .filter(|it| !it.is_empty())
            .map(|it| format!("{it} -> {body}"))
            .collect();
        let comma = if it.kind(body_end) == T::Pipe { "," } else { "" };
        edits.extend(it.put(start..body_end, format!("{}{comma}", arms.join(", "))));
    }
    edits
}

/// `P: e` in a `match`, with a colon for the arrow.
pub(super) fn colon_arms(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        if it.kind(at) != T::Match {
            continue;
        }
        let mut open = at + 1;
        while open < it.len() && it.kind(open) != T::LBrace {
            open = it.partner(open).filter(|it| *it > open).unwrap_or(open) + 1;
        }
        let Some(close) = it.partner(open) else { continue };
        let mut place = open + 1;
        let mut is_pattern = true;
        while place < close {
            match it.kind(place) {
                T::Colon if is_pattern => {
                    edits.extend(it.put(place..place + 1, " ->"));
                    is_pattern = false;
                }
                T::Arrow => is_pattern = false,
                T::Comma => is_pattern = true,
                _ => {}
            }
            place = it.partner(place).filter(|it| *it > place).unwrap_or(place) + 1;
        }
    }
    edits
}

/// `try { a } catch (e) { b }` asks `try` what became of `a`.
pub(super) fn catch(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let is_try = it.word(at) == "try" && it.kind(at + 1) == T::LBrace;
        let Some(close) = it.partner(at + 1).filter(|_| is_try) else { continue };
        if !matches!(it.word(close + 1), "catch" | "except" | "rescue") {
            continue;
        }
        let (name, open) = match it.kind(close + 2) {
            T::LParen => {
                let Some(end) = it.partner(close + 2) else { continue };
                let name = (close + 3..end).find(|place| it.kind(*place) == T::Ident);
                (name.map_or("_error", |place| it.word(place)), end + 1)
            }
            T::LBrace => ("_error", close + 2),
            _ => {
                let open = (close + 2..it.len()).find(|place| it.kind(*place) == T::LBrace);
                let Some(open) = open else { continue };
                let name = if it.kind(open - 1) == T::Ident { it.word(open - 1) } else { "_error" };
                (name, open)
            }
        };
        let Some(end) = it.partner(open).filter(|_| it.kind(open) == T::LBrace) else { continue };
        let (body, handler) = (it.words(at + 1..close + 1), it.words(open..end + 1));
        let new =
            format!("match try(\\() -> {body}) {{ Ok(value) -> value, Err({name}) -> {handler} }}");
        edits.extend(it.put(at..end + 1, new));
    }
    edits
}

/// `throw x` and `raise x` leave with a mistake: as the function says that it may, or by a panic.
pub(super) fn throw(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    // The braces of predicates are not those of the body.
    let close = super::declarations::params_end(it).unwrap_or(0);
    let is_body = |place: &usize| it.kind(*place) == T::LBrace && it.parent(*place).is_none();
    let header = (close..it.len()).find(is_body).unwrap_or(close);
    let result = (close..header).find(|place| it.kind(*place) == T::Arrow).unwrap_or(header);
    let returns = |word: &str| (result..header).any(|place| it.word(place) == word);
    for at in 0..it.len() {
        if !matches!(it.word(at), "throw" | "raise")
            || it.kind(at) != T::Ident
            || it.is_first(at + 1)
        {
            continue;
        }
        let mut value = at + 1;
        if it.word(value) == "new" {
            value += 1;
        }
        let end = it.expr_end(value);
        // `Error("m")` and its kin say `"m"`.
        let is_error = it.kind(value) == T::TypeIdent
            && it.kind(value + 1) == T::LParen
            && it.partner(value + 1) == Some(end - 1)
            && (it.word(value).ends_with("Error")
                || it.word(value).ends_with("Exception")
                || it.word(value) == "Err");
        let message = match is_error {
            true => it.words(value + 2..end - 1),
            false => it.words(value..end),
        };
        let message = if message.is_empty() { "\"failed\"" } else { message };
        let is_bracketed = it.kind(value) == T::LParen && it.partner(value) == Some(end - 1);
        let message = match is_bracketed && message.len() > 2 {
            true => &message[1..message.len() - 1],
            false => message,
        };
        // The body of an arm is an expression.
        let is_arm = it.kind_before(at) == T::Arrow;
        let new = if returns("Result") {
            let new = format!("return Err({message})");
            if is_arm { format!("{{ {new} }}") } else { new }
        } else if returns("Err") {
            let new = format!("Err({message})?");
            if is_arm { new } else { format!("return {new}") }
        } else {
            format!("panic({message})")
        };
        edits.extend(it.put(at..end, new));
    }
    edits
}
