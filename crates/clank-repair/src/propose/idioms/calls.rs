//! Expressions that other languages have a word for, and that are calls or a `match` here.

use clank_syntax::TokenKind as T;

use super::pieces::{PieceEdit, Pieces};
use super::table::IdiomContext;

/// `x as Float`.
pub(super) fn casts(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        if it.word(at) != "as" || it.is_first(at) {
            continue;
        }
        let function = match it.word(at + 1) {
            "Float" | "f64" | "f32" | "float" | "double" => "int_to_float",
            "Int" | "i64" | "i32" | "u64" | "u32" | "usize" | "int" => "to_int",
            "Str" | "String" | "string" | "str" => "to_string",
            _ => continue,
        };
        let Some(start) = it.operand_start(at) else { continue };
        let value = it.words(start..at);
        edits.extend(it.put(start..at + 2, format!("{function}({value})")));
    }
    edits
}

/// `sum(xs)`: the name is a word of the language.
pub(super) fn sums(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        let is_name = matches!(it.kind_before(at), T::Fn | T::Let | T::Mut | T::Dot);
        if it.word(at) != "sum" || it.kind(at + 1) != T::LParen || is_name {
            continue;
        }
        let Some(close) = it.partner(at + 1).filter(|close| *close > at + 2) else { continue };
        let is_one = (at + 2..close)
            .all(|place| it.kind(place) != T::Comma || it.parent(place) != Some(at + 1));
        if is_one {
            let values = it.words(at + 2..close);
            edits.extend(it.put(at..close + 1, format!("fold({values}, 0, \\(a, b) -> a + b)")));
        }
    }
    edits
}

/// `matches(value, Pattern(_))`.
pub(super) fn matches(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        if it.word(at) != "matches" || it.kind(at + 1) != T::LParen || cx.is_known("matches") {
            continue;
        }
        let Some(close) = it.partner(at + 1) else { continue };
        let comma = (at + 2..close)
            .find(|place| it.kind(*place) == T::Comma && it.parent(*place) == Some(at + 1));
        let Some(comma) = comma.filter(|comma| comma + 1 < close) else { continue };
        let (value, pattern) = (it.words(at + 2..comma), it.words(comma + 1..close));
        let new = format!("(match {value} {{ {pattern} -> true, _ -> false }})");
        edits.extend(it.put(at..close + 1, new));
    }
    edits
}
