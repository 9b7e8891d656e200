//! Records, as other languages write them.

use clank_syntax::TokenKind as T;

use super::pieces::{PieceEdit, Pieces};
use super::table::IdiomContext;

/// `{ ...r, a: 1 }`, `P { ...r, a: 1 }`, `P { a: 1, ..r }`, `{ r | a = 1 }`, `{ r with a: 1 }`, `r with { a: 1 }`: all fields are written.
pub(super) fn updates(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for open in 0..it.len() {
        if it.kind(open) != T::LBrace {
            continue;
        }
        let Some(close) = it.partner(open) else { continue };
        let behind_with = match it.kind_before(open) {
            T::Ident if it.word(open - 1) == "with" => it.operand_start(open - 1),
            _ => None,
        };
        let before = behind_with.map(|start| it.words(start..open - 1));
        let Some((base, inits)) = spread(it, before, open, close) else { continue };
        let name = (it.kind_before(open) == T::TypeIdent).then(|| it.word(open - 1));
        let names: Vec<&str> = inits.iter().map(|it| it.0).collect();
        let stated = name.or_else(|| stated_type(it, base));
        let record = cx.records.iter().find(|(record, fields)| match stated {
            Some(stated) => record.as_str() == stated,
            None => names.iter().all(|it| fields.iter().any(|field| field.as_str() == *it)),
        });
        let Some((record, fields)) = record else { continue };
        // A field that the record does not have would be lost.
        if names.iter().any(|it| fields.iter().all(|field| field.as_str() != *it)) {
            continue;
        }
        let field = |field: &str| match inits.iter().find(|it| it.0 == field) {
            Some((_, value)) => format!("{field}: {value}"),
            None => format!("{field}: {base}.{field}"),
        };
        let fields: Vec<String> = fields.iter().map(|it| field(it)).collect();
        let start = behind_with.unwrap_or(if name.is_some() { open - 1 } else { open });
        edits.extend(it.put(start..close + 1, format!("{record} {{ {} }}", fields.join(", "))));
    }
    edits
}

/// `p.copy(x = 1)` is an update.
pub(super) fn copies(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        let is_copy = matches!(it.word(at), "copy" | "copyWith" | "with" | "_replace" | "replace")
            && it.kind_before(at) == T::Dot
            && it.kind(at + 1) == T::LParen
            && it.kind(at + 2) == T::Ident
            && matches!(it.kind(at + 3), T::Eq | T::Colon);
        let (Some(start), Some(close)) =
            (it.operand_start(at - 1).filter(|_| is_copy), it.partner(at + 1))
        else {
            continue;
        };
        let base = it.words(start..at - 1);
        let inits = it.words(at + 2..close);
        edits.extend(it.put(start..close + 1, format!("{{ ...{base}, {inits} }}")));
    }
    edits
}

/// `{ "a": 1, "b": 2 }`: a map is made of an array of pairs.
pub(super) fn map_literals(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for open in 1..it.len() {
        let is_map = it.kind(open) == T::LBrace
            && matches!(it.kind(open + 1), T::Str | T::Int)
            && it.kind(open + 2) == T::Colon
            && matches!(
                it.kind_before(open),
                T::Eq | T::LParen | T::Comma | T::LBracket | T::Return | T::Colon | T::Arrow
            );
        let Some(close) = it.partner(open).filter(|_| is_map) else { continue };
        let mut pairs = Vec::new();
        let mut at = open + 1;
        while at < close {
            let mut end = at;
            while end < close && it.kind(end) != T::Comma {
                end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
            }
            let colon = (at..end)
                .find(|place| it.kind(*place) == T::Colon && it.parent(*place) == Some(open));
            let Some(colon) = colon else { break };
            pairs.push(format!("({}, {})", it.words(at..colon), it.words(colon + 1..end)));
            at = end + 1;
        }
        if at >= close {
            edits.extend(it.put(open..close + 1, format!("map_from([{}])", pairs.join(", "))));
        }
    }
    edits
}

/// What a record is made from, and the fields that differ.
fn spread<'t>(
    it: &Pieces<'t>,
    mut base: Option<&'t str>,
    open: usize,
    close: usize,
) -> Option<(&'t str, Vec<(&'t str, &'t str)>)> {
    let mut inits = Vec::new();
    let mut at = open + 1;
    // `{ r | a = 1 }`, `{ r with a = 1 }`
    if it.kind(at) == T::Ident && (it.kind(at + 1) == T::Pipe || it.word(at + 1) == "with") {
        base = Some(it.word(at));
        at += 2;
    }
    while at < close {
        let mut end = at;
        while end < close && it.kind(end) != T::Comma {
            end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
        }
        let mut start = at;
        while matches!(it.kind(start), T::DotDot | T::Dot) {
            start += 1;
        }
        if start > at {
            base = Some(it.words(start..end));
        } else if matches!(it.kind(at + 1), T::Colon | T::Eq) && it.kind(at) == T::Ident {
            inits.push((it.word(at), it.words(at + 2..end)));
        } else if end == at + 1 && it.kind(at) == T::Ident {
            inits.push((it.word(at), it.word(at)));
        } else {
            return None;
        }
        at = end + 1;
    }
    Some((base?, inits))
}

/// The type that a name is said to have.
fn stated_type<'t>(it: &Pieces<'t>, name: &str) -> Option<&'t str> {
    let place = (0..it.len()).find(|at| {
        it.word(*at) == name && it.kind(at + 1) == T::Colon && it.kind(at + 2) == T::TypeIdent
    })?;
    Some(it.word(place + 2))
}

/// `P { a = 1 }` and `P(a: 1)`: `P { a: 1 }`; `f(a: 1)` and `f(a = 1)`: `f(1)`.
pub(super) fn named_arguments(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for open in 1..it.len() {
        let Some(close) = it.partner(open).filter(|close| *close > open) else { continue };
        let callee = it.word(open - 1);
        let is_record = cx.records.iter().any(|it| it.0.as_str() == callee);
        if it.kind(open) == T::LBrace && is_record {
            let mut at = open + 1;
            while at < close {
                if it.kind(at) == T::Ident
                    && it.kind(at + 1) == T::Eq
                    && matches!(it.kind_before(at), T::LBrace | T::Comma)
                {
                    let end = it.list[at].end;
                    edits.push(PieceEdit::new(end..it.list[at + 1].end, ":"));
                }
                at = it.partner(at).filter(|it| *it > at).unwrap_or(at) + 1;
            }
            continue;
        }
        if it.kind(open) != T::LParen
            || it.is_first(open)
            || !matches!(it.kind(open - 1), T::Ident | T::TypeIdent)
        {
            continue;
        }
        if matches!(it.kind_before(open - 1), T::Fn) || it.kind(0) == T::Sum {
            continue;
        }
        let mut args: Vec<(Option<&str>, &str)> = Vec::new();
        let mut at = open + 1;
        while at < close {
            let mut end = at;
            while end < close && it.kind(end) != T::Comma {
                end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
            }
            let is_named = it.kind(at) == T::Ident
                && matches!(it.kind(at + 1), T::Colon | T::Eq)
                && end > at + 2;
            args.push(match is_named {
                true => (Some(it.word(at)), it.words(at + 2..end)),
                false => (None, it.words(at..end)),
            });
            at = end + 1;
        }
        if args.is_empty() || !args.iter().any(|it| it.0.is_some()) {
            continue;
        }
        let new = if is_record && args.iter().all(|it| it.0.is_some()) {
            let fields: Vec<String> = args
                .iter()
                .map(|(name, value)| format!("{}: {value}", name.unwrap_or_default()))
                .collect();
            format!("{callee} {{ {} }}", fields.join(", "))
        } else {
            let params =
                cx.functions.iter().find(|it| it.0.as_str() == callee).map(|it| it.1.as_slice());
            let place = |name: Option<&str>, index: usize| {
                let params = params.unwrap_or_default();
                name.and_then(|name| params.iter().position(|it| it.as_str() == name))
                    .unwrap_or(index)
            };
            let mut placed: Vec<(usize, &str)> =
                args.iter().enumerate().map(|(index, it)| (place(it.0, index), it.1)).collect();
            placed.sort_by_key(|it| it.0);
            let values: Vec<&str> = placed.into_iter().map(|it| it.1).collect();
            format!("{callee}({})", values.join(", "))
        };
        edits.extend(it.put(open - 1..close + 1, new));
    }
    edits
}

/// `new P(1)`: a record or a variant is made by its name.
pub(super) fn new(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let is_new = matches!(it.word(at), "new" | "await")
            && it.kind(at) == T::Ident
            && !cx.is_known(it.word(at));
        let is_value = matches!(it.kind_before(at), T::Eq | T::LParen | T::Comma | T::Return);
        let is_there = matches!(it.kind(at + 1), T::TypeIdent | T::Ident);
        if is_new && is_there && (is_value || !it.is_first(at + 1)) {
            edits.push(PieceEdit::new(it.list[at].start..it.list[at + 1].start, ""));
        }
    }
    edits
}

/// `Shape::Circle(1)` is `Circle(1)`, and `module::f` is `module.f`.
pub(super) fn paths(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        if it.kind(at) != T::ColonColon {
            continue;
        }
        match it.kind(at + 1) {
            T::TypeIdent => edits.push(PieceEdit::new(it.list[at - 1].start..it.list[at].end, "")),
            _ => edits.extend(it.put(at..at + 1, ".")),
        }
    }
    // `Shape.Circle(r) ->`: so it is with `.`.
    for at in 1..it.len() {
        if it.kind(at) == T::Dot
            && it.kind(at - 1) == T::TypeIdent
            && it.kind(at + 1) == T::TypeIdent
        {
            edits.push(PieceEdit::new(it.list[at - 1].start..it.list[at].end, ""));
        }
    }
    edits
}

/// `Name { a, b } ->` for a variant.
pub(super) fn variant_patterns(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let is_head = it.kind(at) == T::TypeIdent && it.kind(at + 1) == T::LBrace;
        let is_record = cx.records.iter().any(|record| record.0 == it.word(at));
        let Some(close) = it.partner(at + 1).filter(|_| is_head && !is_record) else { continue };
        if it.kind(close + 1) != T::Arrow {
            continue;
        }
        let mut parts = Vec::new();
        let mut start = at + 2;
        while start < close {
            let mut end = start;
            while end < close && it.kind(end) != T::Comma {
                end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
            }
            let from = if it.kind(start + 1) == T::Colon { start + 2 } else { start };
            parts.push(it.words(from..end));
            start = end + 1;
        }
        edits.extend(it.put(at + 1..close + 1, format!("({})", parts.join(", "))));
    }
    edits
}

/// `P { a, b: 1 }` where `a` is a value: `P { a: a, b: 1 }`.
pub(super) fn shorthand(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for open in 1..it.len() {
        let is_record = it.kind(open) == T::LBrace
            && it.kind(open - 1) == T::TypeIdent
            && cx.records.iter().any(|record| record.0 == it.word(open - 1));
        let Some(close) = it.partner(open).filter(|_| is_record) else { continue };
        let is_pattern = it.kind(close + 1) == T::Arrow
            || it.kind_before(open - 1) == T::Let
            || it.kind(0) == T::Rec;
        if is_pattern {
            continue;
        }
        let mut at = open + 1;
        while at < close {
            let mut end = at;
            while end < close && it.kind(end) != T::Comma {
                end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
            }
            if end == at + 1 && it.kind(at) == T::Ident {
                edits.extend(it.put(at..end, format!("{0}: {0}", it.word(at))));
            }
            at = end + 1;
        }
    }
    edits
}

/// `Node { sign: s, left: l }` as a value, where `Node` is a variant.
pub(super) fn variant_values(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for open in 1..it.len() {
        let is_head = it.kind(open) == T::LBrace && it.kind(open - 1) == T::TypeIdent;
        let Some(close) = it.partner(open).filter(|_| is_head) else { continue };
        let Some(fields) = (cx.variants)(it.word(open - 1)) else { continue };
        let mut parts: Vec<(&str, &str)> = Vec::new();
        let mut at = open + 1;
        while at < close {
            let mut end = at;
            while end < close && it.kind(end) != T::Comma {
                end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
            }
            let from = if matches!(it.kind(at + 1), T::Colon | T::Eq) { at + 2 } else { at };
            parts.push((it.word(at), it.words(from..end)));
            at = end + 1;
        }
        if parts.is_empty() || parts.len() != fields.len() {
            continue;
        }
        let place = |name: &str| {
            fields.iter().position(|it| it.as_ref().is_some_and(|it| it.as_str() == name))
        };
        if parts.iter().all(|it| place(it.0).is_some()) {
            parts.sort_by_key(|it| place(it.0));
        }
        let values: Vec<&str> = parts.into_iter().map(|it| it.1).collect();
        let start = it.list[open - 1].end;
        edits.push(PieceEdit::new(start..it.list[close].end, format!("({})", values.join(", "))));
    }
    edits
}
