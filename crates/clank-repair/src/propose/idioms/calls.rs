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

/// `Box::new(x)`, `Vec::new()`, `String::from(x)`: values have no makers of their own.
pub(super) fn makers(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let is_path = matches!(it.kind(at + 1), T::ColonColon | T::Dot)
            && it.kind(at + 3) == T::LParen
            && !cx.is_known_type(it.word(at));
        let Some(close) = it.partner(at + 3).filter(|_| is_path) else { continue };
        let held = it.words(at + 4..close);
        let new = match (it.word(at), it.word(at + 2), held.is_empty()) {
            ("Box" | "Rc" | "Arc" | "Cell" | "RefCell", "new", false) => held.to_owned(),
            ("Vec" | "List" | "ArrayList", "new" | "empty" | "of", true) => "[]".to_owned(),
            ("Vec" | "List", "from", false) => held.to_owned(),
            ("List", "of", false) => format!("[{held}]"),
            ("String", "new", true) => "\"\"".to_owned(),
            ("String", "from", false) => held.to_owned(),
            ("HashMap" | "BTreeMap" | "Map", "new" | "empty", true) => "map_new()".to_owned(),
            ("HashSet" | "BTreeSet" | "Set", "new" | "empty", true) => "set_new()".to_owned(),
            _ => continue,
        };
        edits.extend(it.put(at..close + 1, new));
    }
    edits
}

/// `xs.sum()`: the name is a word of the language.
pub(super) fn sum_methods(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        let is_sum = it.kind(at) == T::Dot
            && it.word(at + 1) == "sum"
            && it.kind(at + 2) == T::LParen
            && it.kind(at + 3) == T::RParen;
        let Some(start) = it.operand_start(at).filter(|_| is_sum) else { continue };
        let values = it.words(start..at);
        edits.extend(it.put(start..at + 4, format!("fold({values}, 0, \\(a, b) -> a + b)")));
    }
    edits
}

/// `try f(x)` and `await f(x)`: a failure is passed on by `?` behind the call, and nothing is waited for.
pub(super) fn tried(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let word = it.word(at);
        let is_word =
            matches!(word, "try" | "await") && it.kind(at) == T::Ident && !cx.is_known(word);
        if !is_word || it.kind(at + 1) != T::Ident || it.is_first(at + 1) {
            continue;
        }
        let mut end = at + 2;
        while matches!(it.kind(end), T::LParen | T::Dot | T::LBracket) && !it.is_first(end) {
            end = it.partner(end).filter(|it| *it > end).unwrap_or(end + 1) + 1;
        }
        let sign = if word == "try" { "?" } else { "" };
        edits.extend(it.put(at..end, format!("{}{sign}", it.words(at + 1..end))));
    }
    edits
}
