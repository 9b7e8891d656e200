//! Tuples, parts of arrays and guards, as other languages write them.

use clank_syntax::TokenKind as T;

use super::lambdas::{in_arm, is_fat};
use super::pieces::{PieceEdit, Pieces};
use super::table::IdiomContext;

/// `let a, b = e`, `let [a, b] = e`, `return a, b`, `match a, b {`, `P, Q -> e` and `[P, Q] -> e`.
pub(super) fn bare(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let found = match it.kind(at) {
            T::Let => pattern(it, if it.kind(at + 1) == T::Mut { at + 2 } else { at + 1 }),
            T::Ident if matches!(it.word(at), "const" | "var" | "val") => pattern(it, at + 1),
            T::Return => listed(it, at + 1, it.expr_end(at + 1)),
            T::Match => listed(it, at + 1, it.expr_end(at + 1)),
            T::Arrow => arm(it, at),
            T::Eq if is_fat(it, at) => arm(it, at),
            _ => None,
        };
        edits.extend(found.into_iter().flatten());
    }
    edits.extend(result(it).into_iter().flatten());
    edits
}

/// `a, b` as the value of a function whose result is a tuple.
fn result(it: &Pieces<'_>) -> Option<[PieceEdit; 2]> {
    let params = super::declarations::params_end(it)?;
    let open = (params..it.len())
        .find(|at| it.kind(*at) == T::LBrace && it.parent(*at).is_none() && *at > params)?;
    let close = it.partner(open)?;
    (it.kind(params + 1) == T::Arrow && it.kind(open - 1) == T::RParen).then_some(())?;
    let start = (open + 1..close).rev().find(|at| it.is_first(*at) || *at == open + 1)?;
    let is_list = it.expr_end(start) > start && it.kind(it.expr_end(start)) == T::Comma;
    let is_own = it.parent(start) == Some(open) && it.parent(it.expr_end(start)) == Some(open);
    (is_list && is_own).then(|| around(it, start, close))?
}

/// The pattern of a `let`.
fn pattern(it: &Pieces<'_>, start: usize) -> Option<[PieceEdit; 2]> {
    if it.kind(start) == T::LBracket {
        let close = it.partner(start)?;
        return (matches!(it.kind(close + 1), T::Eq | T::Colon) && !it.is_first(start))
            .then(|| Some([it.put(start..start + 1, "(")?, it.put(close..close + 1, ")")?]))?;
    }
    let mut end = start;
    while matches!(it.kind(end), T::Ident | T::Underscore) && it.kind(end + 1) == T::Comma {
        end += 2;
    }
    let is_list = end > start
        && matches!(it.kind(end), T::Ident | T::Underscore)
        && it.kind(end + 1) == T::Eq
        && !it.is_first(start);
    is_list.then(|| around(it, start, end + 1))?
}

/// Values with commas between them, up to the end of the line or a brace.
fn listed(it: &Pieces<'_>, start: usize, first_end: usize) -> Option<[PieceEdit; 2]> {
    if it.kind(first_end) != T::Comma || it.is_first(start) || first_end == start {
        return None;
    }
    let is_match = it.kind_before(start) == T::Match;
    let mut end = first_end;
    while it.kind(end) == T::Comma && !it.is_first(end + 1) {
        end = if is_match { head_end(it, end + 1) } else { it.expr_end(end + 1) };
    }
    let ends = match is_match {
        true => it.kind(end) == T::LBrace,
        // In an arm, what follows the comma is the next one.
        false => {
            it.is_first(end) || matches!(it.kind(end), T::Semi) || {
                it.kind(end) == T::RBrace && !in_arms(it, end)
            }
        }
    };
    ends.then(|| around(it, start, end))?
}

fn in_arms(it: &Pieces<'_>, close: usize) -> bool {
    let Some(open) = it.partner(close) else { return true };
    (open..close).any(|at| it.kind(at) == T::Arrow && in_arm(it, at))
}

/// Where a value in the head of a `match` ends.
fn head_end(it: &Pieces<'_>, start: usize) -> usize {
    let mut at = start;
    while at < it.len() && !matches!(it.kind(at), T::LBrace | T::Comma) && !it.is_first(at) {
        at = it.partner(at).filter(|it| *it > at).unwrap_or(at) + 1;
    }
    at
}

/// The patterns of an arm.
fn arm(it: &Pieces<'_>, arrow: usize) -> Option<[PieceEdit; 2]> {
    let open = it.parent(arrow).filter(|open| it.kind(*open) == T::LBrace)?;
    let mut start = arrow;
    while start > open + 1 && !it.is_first(start) {
        start -= 1;
        if let Some(partner) = it.partner(start).filter(|it| *it < start) {
            start = partner;
        }
    }
    if it.kind(start) == T::LBracket {
        let close = it.partner(start)?;
        let has_commas =
            (start..close).any(|at| it.kind(at) == T::Comma && it.parent(at) == Some(start));
        return (has_commas && (close + 1 == arrow || it.kind(close + 1) == T::If))
            .then(|| Some([it.put(start..start + 1, "(")?, it.put(close..close + 1, ")")?]))?;
    }
    let end = (start..arrow)
        .find(|at| it.kind(*at) == T::If && it.parent(*at) == Some(open))
        .unwrap_or(arrow);
    let mut is_pattern = true;
    let mut n_commas = 0;
    let mut at = start;
    while at < end {
        n_commas += usize::from(it.kind(at) == T::Comma);
        is_pattern &= matches!(
            it.kind(at),
            T::TypeIdent
                | T::Ident
                | T::Underscore
                | T::Comma
                | T::LParen
                | T::Int
                | T::Str
                | T::True
                | T::False
        );
        at = it.partner(at).filter(|it| *it > at).unwrap_or(at) + 1;
    }
    (it.is_first(start) && is_pattern && n_commas > 0).then(|| around(it, start, end))?
}

fn around(it: &Pieces<'_>, start: usize, end: usize) -> Option<[PieceEdit; 2]> {
    let bytes = it.bytes(start..end)?;
    Some([PieceEdit::new(bytes.start..bytes.start, "("), PieceEdit::new(bytes.end..bytes.end, ")")])
}

/// `P when c -> e`, `P where c -> e`, `P && c -> e`: the condition of an arm stands behind `if`.
pub(super) fn guards(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        let is_word = matches!(it.word(at), "when" | "where" | "unless") && it.kind(at) == T::Ident;
        // `P | n > 0 -> e`: what is behind the bar compares, and is no pattern.
        let is_bar = it.kind(at) == T::Pipe
            && (at + 1..it.len())
                .take_while(|place| {
                    !matches!(it.kind(*place), T::Arrow | T::Comma | T::LBrace | T::RBrace)
                })
                .any(|place| {
                    matches!(
                        it.kind(place),
                        T::EqEq | T::NotEq | T::Lt | T::Gt | T::LtEq | T::GtEq | T::And | T::Or
                    )
                });
        if !is_word && !is_bar && it.kind(at) != T::And || it.is_first(at) {
            continue;
        }
        let is_behind_pattern = match it.kind_before(at) {
            T::RParen => it
                .partner(at - 1)
                .is_some_and(|open| it.kind_before(open) == T::TypeIdent || is_word),
            T::TypeIdent => true,
            T::Ident | T::Underscore | T::Int | T::Str => is_word || is_bar,
            _ => false,
        };
        let arrow = (at..it.len()).find(|place| {
            it.parent(*place) == it.parent(at)
                && (it.kind(*place) == T::Arrow || is_fat(it, *place))
        });
        let Some(arrow) = arrow.filter(|_| is_behind_pattern) else { continue };
        let is_near = (at + 1..arrow).all(|place| {
            let ends = it.parent(place) == it.parent(at)
                && matches!(it.kind(place), T::Comma | T::LBrace | T::Semi);
            !ends && !it.is_first(place)
        });
        // Only what is before the first such word of an arm is a pattern.
        let mut start = at;
        while start > 0 && !it.is_first(start) && it.kind(start) != T::LBrace {
            start -= 1;
        }
        let is_guarded = (start..at).any(|place| matches!(it.kind(place), T::If | T::And));
        if is_near && !is_guarded {
            edits.extend(it.put(at..at + 1, "if"));
        }
    }
    edits
}

/// `[...xs, x]` and `[*xs, x]`: `push(xs, x)`, and with more parts these are joined.
pub(super) fn spreads(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    (0..it.len()).filter_map(|open| spread(it, open)).collect()
}

fn spread(it: &Pieces<'_>, open: usize) -> Option<PieceEdit> {
    if it.kind(open) != T::LBracket {
        return None;
    }
    let close = it.partner(open)?;
    let mut parts: Vec<(bool, &str)> = Vec::new();
    let mut at = open + 1;
    while at < close {
        let mut end = at;
        while end < close && it.kind(end) != T::Comma {
            end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
        }
        let mut start = at;
        while matches!(it.kind(start), T::DotDot | T::Dot) || start == at && it.kind(at) == T::Star
        {
            start += 1;
        }
        parts.push((start > at, it.words(start..end)));
        at = end + 1;
    }
    parts.iter().any(|it| it.0).then_some(())?;
    let new = match parts.as_slice() {
        [(true, all), (false, one)] => format!("push({all}, {one})"),
        _ => {
            let mut joined: Vec<String> = Vec::new();
            let mut plain: Vec<&str> = Vec::new();
            for (is_spread, text) in parts {
                if !is_spread {
                    plain.push(text);
                    continue;
                }
                if !plain.is_empty() {
                    joined.push(format!("[{}]", std::mem::take(&mut plain).join(", ")));
                }
                joined.push(text.to_owned());
            }
            if !plain.is_empty() {
                joined.push(format!("[{}]", plain.join(", ")));
            }
            joined.join(" ++ ")
        }
    };
    it.put(open..close + 1, new)
}

/// `xs[a:b]`, `xs[a:]`, `xs[:b]`, `xs[::-1]`: parts of a text or an array.
pub(super) fn slices(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    (1..it.len()).filter_map(|open| slice(it, open)).collect()
}

fn slice(it: &Pieces<'_>, open: usize) -> Option<PieceEdit> {
    if it.kind(open) != T::LBracket || !it.is_glued(open) {
        return None;
    }
    let close = it.partner(open)?;
    let start = it.operand_start(open)?;
    let whole = it.words(start..open);
    if it.kind(open + 1) == T::ColonColon && it.words(open + 2..close).trim() == "-1" {
        return it.put(start..close + 1, format!("reverse({whole})"));
    }
    let colon =
        (open + 1..close).find(|at| it.kind(*at) == T::Colon && it.parent(*at) == Some(open))?;
    let (from, to) = (it.words(open + 1..colon), it.words(colon + 1..close));
    let new = match (from.is_empty(), to.is_empty()) {
        (true, true) => whole.to_owned(),
        (false, true) => format!("drop({whole}, {from})"),
        (true, false) => format!("take({whole}, {to})"),
        (false, false) => format!("slice({whole}, {from}, {to})"),
    };
    it.put(start..close + 1, new)
}

/// `Node(..)` and `Node(left, ..)`: each part of a variant has a pattern.
pub(super) fn rests(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 2..it.len() {
        let Some(open) = it.parent(at).filter(|open| it.kind(*open) == T::LParen && *open > 0)
        else {
            continue;
        };
        let is_last = it.kind(at) == T::DotDot && it.partner(open) == Some(at + 1);
        if !is_last || it.kind_before(open) != T::TypeIdent {
            continue;
        }
        let Some(parts) = (cx.variants)(it.word(open - 1)) else { continue };
        let commas = (open..at)
            .filter(|place| it.kind(*place) == T::Comma && it.parent(*place) == Some(open));
        let n_left = parts.len().saturating_sub(commas.count());
        if n_left > 0 {
            edits.extend(it.put(at..at + 1, vec!["_"; n_left].join(", ")));
        }
    }
    edits
}
