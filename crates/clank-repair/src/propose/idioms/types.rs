//! Types, as other languages write them.

use clank_syntax::TokenKind as T;

use super::declarations::params_end;
use super::pieces::{PieceEdit, Pieces};
use super::table::IdiomContext;

/// What a type that is written small is called.
pub(super) fn primitive(name: &str) -> Option<&'static str> {
    Some(match name {
        "string" | "str" | "char" | "text" => "Str",
        "boolean" | "bool" => "Bool",
        "int" | "integer" | "number" | "i32" | "i64" | "isize" | "long" | "short" | "byte"
        | "bigint" | "int32" | "int64" => "Int",
        "u32" | "u64" | "usize" | "uint" | "nat" => "Nat",
        "float" | "double" | "f32" | "f64" | "real" | "decimal" => "Float",
        "void" | "unit" | "nothing" => "Unit",
        _ => return None,
    })
}

/// What a type of another language is called.
pub(super) fn named(name: &str) -> Option<&'static str> {
    Some(match name {
        "Integer" | "Long" | "BigInt" | "Number" | "I32" | "I64" | "Num" => "Int",
        "Boolean" => "Bool",
        "Double" | "Real" | "Decimal" => "Float",
        "Char" | "Text" | "CharSequence" => "Str",
        "Void" | "None" | "Nothing" => "Unit",
        "Optional" | "Maybe" => "Option",
        "Dict" | "HashMap" | "Dictionary" | "BTreeMap" | "TreeMap" | "Hash" | "Object"
        | "Record" => "Map",
        "HashSet" | "BTreeSet" | "TreeSet" => "Set",
        "Either" => "Result",
        // Near what `Str` is called elsewhere.
        _ if clank::similar::distance(name, "String").is_some() => "Str",
        _ => return None,
    })
}

/// The names of arrays in other languages.
pub(super) const ARRAYS: [&str; 10] = [
    "List",
    "Array",
    "Vec",
    "Vector",
    "ArrayList",
    "Seq",
    "Sequence",
    "Iterable",
    "Slice",
    "Collection",
];

/// By piece, whether it is part of a type.
fn in_types(it: &Pieces<'_>) -> Vec<bool> {
    let mut marks = vec![false; it.len()];
    let mut mark = |from: usize, to: usize| {
        let to = to.min(it.len());
        marks[from.min(to)..to].fill(true);
    };
    match it.kind(0) {
        T::Rec | T::Sum | T::Type => mark(2, it.len()),
        T::Fn | T::External => {
            if let Some(close) = params_end(it) {
                let open = it.partner(close).unwrap_or(0);
                after_colons(it, open + 1, close, &mut mark);
                let body = (close..it.len()).find(|place| {
                    it.kind(*place) == T::LBrace && it.parent(*place).is_none()
                        || it.kind(*place) == T::Pre
                });
                mark(close + 2, body.unwrap_or(it.len()));
            }
        }
        _ => {}
    }
    for at in 0..it.len() {
        if it.kind(at) == T::Let {
            let name = if it.kind(at + 1) == T::Mut { at + 2 } else { at + 1 };
            let colon = it.partner(name).unwrap_or(name) + 1;
            if it.kind(colon) == T::Colon {
                let mut end = colon + 1;
                while end < it.len() && it.kind(end) != T::Eq && !it.is_first(end) {
                    end += 1;
                }
                mark(colon + 1, end);
            }
        }
        if it.kind(at) == T::Lambda
            && it.kind(at + 1) == T::LParen
            && let Some(close) = it.partner(at + 1)
        {
            after_colons(it, at + 2, close, &mut mark);
        }
    }
    marks
}

fn after_colons(it: &Pieces<'_>, from: usize, to: usize, mark: &mut dyn FnMut(usize, usize)) {
    let mut start = None;
    let mut at = from;
    let mut angles = 0_usize;
    while at < to {
        match it.kind(at) {
            T::Colon if start.is_none() => start = Some(at + 1),
            T::Lt => angles += 1,
            T::Gt => angles = angles.saturating_sub(1),
            T::Comma if angles == 0 => {
                if let Some(start) = start.take() {
                    mark(start, at);
                }
            }
            _ => {}
        }
        at = it.partner(at).filter(|it| *it > at).unwrap_or(at) + 1;
    }
    if let Some(start) = start {
        mark(start, to);
    }
}

/// `Map<K, V>` is `Map[K, V]`.
pub(super) fn angles(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let marks = in_types(it);
    let mut edits = Vec::new();
    for (at, is_type) in marks.iter().copied().enumerate().skip(1) {
        if it.kind(at) != T::Lt || !matches!(it.kind(at - 1), T::TypeIdent | T::Ident) {
            continue;
        }
        let Some(close) = angle_end(it, at) else { continue };
        // `x < y` compares; a call or a type says what is meant.
        let is_declared = matches!(it.kind(at.wrapping_sub(2)), T::Fn | T::Rec | T::Sum | T::Type);
        let is_call = it.kind(close + 1) == T::LParen && it.is_glued(at) && !is_declared;
        if !is_type && !is_call {
            continue;
        }
        if !is_type {
            // Type arguments of a call are found out.
            if let Some(bytes) = it.bytes(at..close + 1) {
                edits.push(PieceEdit::new(bytes, ""));
            }
            continue;
        }
        edits.extend(it.put(at..at + 1, "["));
        edits.extend(it.put(close..close + 1, "]"));
    }
    edits
}

/// The `>` that belongs to a `<` around types.
fn angle_end(it: &Pieces<'_>, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for at in open..it.len().min(open + 60) {
        match it.kind(at) {
            T::Lt => depth += 1,
            T::Gt => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            T::TypeIdent
            | T::Ident
            | T::Comma
            | T::LBracket
            | T::RBracket
            | T::LParen
            | T::RParen
            | T::Arrow
            | T::Question => {}
            _ => return None,
        }
    }
    None
}

/// `string`, `boolean`, `number`, where a type is written.
pub(super) fn small(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let marks = in_types(it);
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let is_field = it.kind(at + 1) == T::Colon;
        if !marks[at] || it.kind(at) != T::Ident || is_field || in_predicate(it, &marks, at) {
            continue;
        }
        let new = match it.word(at) {
            "list" | "array" | "vec" if matches!(it.kind(at + 1), T::LBracket | T::Lt) => {
                Some("List")
            }
            "map" | "dict" | "hashmap" if matches!(it.kind(at + 1), T::LBracket | T::Lt) => {
                Some("Map")
            }
            "set" if matches!(it.kind(at + 1), T::LBracket | T::Lt) => Some("Set"),
            "option" | "optional" | "maybe" => Some("Option"),
            "result" => Some("Result"),
            "number" => None,
            word => primitive(word),
        };
        if let Some(new) = new {
            edits.extend(it.put(at..at + 1, new));
        }
    }
    edits
}

/// `number`, which is an `Int` or a `Float`.
pub(super) fn number(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let marks = in_types(it);
    let is_number = |at: &usize| {
        marks[*at]
            && it.word(*at) == "number"
            && it.kind(at + 1) != T::Colon
            && !in_predicate(it, &marks, *at)
    };
    (0..it.len()).filter(is_number).filter_map(|at| it.put(at..at + 1, "Int")).collect()
}

/// Whether a piece is in the braces of a refinement.
fn in_predicate(it: &Pieces<'_>, marks: &[bool], mut at: usize) -> bool {
    while let Some(open) = it.parent(at) {
        let is_own = it.kind(open) == T::LBrace && it.parent(open).is_none() && it.kind(0) != T::Fn;
        if it.kind(open) == T::LBrace && marks[open] && !is_own {
            return true;
        }
        at = open;
    }
    false
}

/// `T[]`, `List[T]`, `Tuple[A, B]`, `T | null`.
pub(super) fn arrays(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let marks = in_types(it);
    let mut edits = Vec::new();
    for at in 0..it.len() {
        if !marks[at] {
            continue;
        }
        // `[string, number]` is a tuple.
        let has_commas = |close: usize| {
            (at..close).any(|place| it.kind(place) == T::Comma && it.parent(place) == Some(at))
        };
        if it.kind(at) == T::LBracket
            && !matches!(it.kind_before(at), T::TypeIdent | T::Ident)
            && !in_predicate(it, &marks, at)
            && let Some(close) = it.partner(at).filter(|close| has_commas(*close))
        {
            edits.extend(it.put(at..at + 1, "("));
            edits.extend(it.put(close..close + 1, ")"));
            continue;
        }
        let is_empty =
            it.kind(at) == T::LBracket && it.kind(at + 1) == T::RBracket && it.is_glued(at);
        // `[]T`
        let is_before = it.kind(at) == T::LBracket
            && it.kind(at + 1) == T::RBracket
            && !matches!(it.kind_before(at), T::TypeIdent | T::RBracket | T::RParen)
            && it.is_glued(at + 2);
        if is_before {
            let end = match it.kind(at + 3) {
                T::LBracket => it.partner(at + 3).map_or(at + 3, |close| close + 1),
                _ => at + 3,
            };
            if matches!(it.kind(at + 2), T::TypeIdent | T::Ident) {
                edits.extend(it.put(at..end, format!("[{}]", it.words(at + 2..end))));
                continue;
            }
        }
        if is_empty && at > 0 {
            // The type before it.
            let start = match it.kind(at - 1) {
                T::TypeIdent | T::Ident => at - 1,
                T::RBracket | T::RParen => match it.partner(at - 1) {
                    Some(open) if it.kind_before(open) == T::TypeIdent => open - 1,
                    Some(open) => open,
                    None => continue,
                },
                _ => continue,
            };
            let element = it.words(start..at);
            edits.extend(it.put(start..at + 2, format!("[{element}]")));
            continue;
        }
        let name = it.word(at);
        if it.kind(at + 1) == T::LBracket && ARRAYS.contains(&name) && it.partner(at + 1).is_some()
        {
            edits.extend(it.put(at..at + 1, ""));
        }
        if it.kind(at + 1) == T::LBracket
            && matches!(name, "Tuple" | "Pair" | "tuple")
            && let Some(close) = it.partner(at + 1)
        {
            edits.extend(it.put(at..at + 2, "("));
            edits.extend(it.put(close..close + 1, ")"));
        }
        if it.kind(at) == T::Pipe
            && matches!(it.word(at + 1), "null" | "undefined" | "None" | "nil")
            && at > 0
            && !in_predicate(it, &marks, at)
        {
            let start = match it.kind(at - 1) {
                T::RBracket | T::RParen => it
                    .partner(at - 1)
                    .map(|open| if it.kind_before(open) == T::TypeIdent { open - 1 } else { open }),
                _ => Some(at - 1),
            };
            let Some(start) = start else { continue };
            let inner = it.words(start..at);
            edits.extend(it.put(start..at + 2, format!("Option[{inner}]")));
        }
    }
    edits
}

/// `Integer`, `HashMap`, `Optional`: types by the names of other languages.
pub(super) fn foreign(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let marks = in_types(it);
    let mut edits = Vec::new();
    for (at, is_type) in marks.iter().copied().enumerate() {
        let name = it.word(at);
        if !is_type || it.kind(at) != T::TypeIdent || cx.is_known_type(name) {
            continue;
        }
        if it.kind(0) == T::Sum && it.parent(at).is_some_and(|open| it.kind(open) == T::LBrace) {
            continue;
        }
        if let Some(new) = named(name) {
            edits.extend(it.put(at..at + 1, new));
        }
    }
    edits
}

/// `f: fn(A) -> B`, `f: (a: A) => B`: the type of a function.
pub(super) fn functions(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    let Some(params_close) = params_end(it) else { return edits };
    let Some(params_open) = it.partner(params_close) else { return edits };
    for at in params_open + 1..params_close {
        if it.kind_before(at) != T::Colon {
            continue;
        }
        let open = match it.word(at) {
            "fn" | "func" | "fun" | "Fn" | "function" => at + 1,
            _ => at,
        };
        let Some(close) = it.partner(open).filter(|_| it.kind(open) == T::LParen) else { continue };
        let is_fat = super::lambdas::is_fat(it, close + 1);
        if it.kind(close + 1) != T::Arrow && !is_fat {
            continue;
        }
        // The names of its parameters are left out.
        let mut types = String::new();
        for place in open + 1..close {
            let is_own = it.parent(place) == Some(open);
            let is_name = it.kind(place) == T::Ident && it.kind(place + 1) == T::Colon;
            if is_own && (is_name || it.kind(place) == T::Colon) {
                continue;
            }
            types.push_str(it.word(place));
            if it.kind(place) == T::Comma {
                types.push(' ');
            }
        }
        let is_plain = open == at && !is_fat && types == it.words(open + 1..close);
        let end = if is_fat { close + 3 } else { close + 2 };
        if !is_plain && !(open + 1..close).any(|place| it.kind(place) == T::Arrow) {
            edits.extend(it.put(at..end, format!("({types}) ->")));
        }
    }
    edits
}

/// `Fn(A) -> B` and `A -> B`: what a function takes is in parentheses, and no word stands before it.
pub(super) fn bare_functions(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let marks = in_types(it);
    let mut edits = Vec::new();
    for (at, is_type) in marks.iter().copied().enumerate() {
        if !is_type || in_predicate(it, &marks, at) {
            continue;
        }
        let is_word = matches!(it.word(at), "Fn" | "FnMut" | "FnOnce" | "Func" | "func" | "fun");
        if (is_word || it.kind(at) == T::Fn) && it.kind(at + 1) == T::LParen {
            if let Some(next) = it.list.get(at + 1) {
                edits.push(PieceEdit::new(it.list[at].start..next.start, ""));
            }
            continue;
        }
        // One type, with its arguments, before an arrow.
        let starts =
            matches!(it.kind_before(at), T::Colon | T::Arrow | T::Comma | T::LBracket | T::LParen);
        let is_one = matches!(it.kind(at), T::TypeIdent | T::LBracket)
            || matches!(it.word(at), "Int" | "Str" | "Bool" | "Float" | "Nat" | "Unit");
        let end = match it.kind(at) {
            T::LBracket => it.partner(at).map(|close| close + 1),
            _ if it.kind(at + 1) == T::LBracket => it.partner(at + 1).map(|close| close + 1),
            _ => Some(at + 1),
        };
        let Some(end) = end.filter(|end| starts && is_one && it.kind(*end) == T::Arrow) else {
            continue;
        };
        edits.extend(it.put(at..end, format!("({})", it.words(at..end))));
    }
    edits
}
