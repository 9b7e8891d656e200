//! What signatures promise, and names that are words of the language.

use clank_syntax::TokenKind as T;

use super::declarations::params_end;
use super::pieces::{PieceEdit, Pieces};
use super::table::IdiomContext;

/// `n: Int where n > 0`, `requires n > 0`, `ensures result > 0`.
pub(super) fn conditions(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    let Some(close) = params_end(it) else { return edits };
    let Some(open) = it.partner(close) else { return edits };
    let mut at = open + 1;
    while at < close {
        let mut end = at;
        while end < close && it.kind(end) != T::Comma {
            end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
        }
        let word = (at..end).find(|place| matches!(it.word(*place), "where" | "when"));
        if let Some(word) = word.filter(|word| *word > at && word + 1 < end) {
            let predicate = it.words(word + 1..end);
            let start = it.list[word - 1].end;
            edits.push(PieceEdit::new(start..it.list[end - 1].end, format!("{{{predicate}}}")));
        }
        at = end + 1;
    }
    for at in close + 1..it.len() {
        if it.kind(at) == T::LBrace && it.parent(at).is_none() {
            break;
        }
        let new = match it.word(at) {
            "requires" | "where" | "require" => "pre",
            "ensures" | "ensure" => "post",
            _ => continue,
        };
        edits.extend(it.put(at..at + 1, new));
    }
    edits
}

/// `-> IO Unit` and `-> IO, Err Int`: effects are added with `+`.
pub(super) fn effects(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let Some(close) = params_end(it).filter(|close| it.kind(close + 1) == T::Arrow) else {
        return Vec::new();
    };
    let mut edits = Vec::new();
    for at in close + 2..it.len() {
        if it.kind(at) == T::LBrace {
            break;
        }
        let is_effect = matches!(it.word(at), "IO" | "Err" | "Async" | "Mut");
        let is_type = match it.kind(at + 1) {
            T::TypeIdent | T::LParen => true,
            T::LBracket => !it.is_glued(at + 1),
            _ => false,
        };
        if is_effect && is_type {
            let end = it.list[at].end;
            edits.push(PieceEdit::new(end..end, " +"));
        }
        if is_effect
            && matches!(it.kind(at + 1), T::Comma | T::Pipe | T::And)
            && it.parent(at).is_none()
        {
            edits.extend(it.put(at + 1..at + 2, " +"));
        }
    }
    edits
}

/// `sum`, `type`, `mod`, `pre`, `post`, `use`, `rec`, `js` as a name: it gets another one.
pub(super) fn reserved(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    if it.kind(0) != T::Fn {
        return Vec::new();
    }
    let body = (0..it.len()).find(|at| it.kind(*at) == T::LBrace && it.parent(*at).is_none());
    let Some(body) = body else { return Vec::new() };
    let is_word = |at: usize| {
        matches!(it.word(at), "sum" | "type" | "mod" | "pre" | "post" | "use" | "rec" | "js")
            && it.kind(at) != T::Ident
            && (at > body || it.parent(at).is_some())
    };
    // A binding, an assignment or a parameter says that it is a name.
    let is_bound = |at: usize| {
        matches!(it.kind_before(at), T::Let | T::Mut | T::For | T::Lambda)
            || at < body && it.kind(at + 1) == T::Colon
            || it.kind(at + 1) == T::Eq && it.kind(at + 2) != T::Eq && it.starts_statement(at)
            || it.parent(at).is_some_and(|open| {
                it.kind(open) == T::LParen
                    && matches!(it.kind_before(open), T::Lambda | T::For | T::TypeIdent)
            })
    };
    let names: Vec<&str> =
        (2..it.len()).filter(|at| is_word(*at) && is_bound(*at)).map(|at| it.word(at)).collect();
    (2..it.len())
        .filter(|at| is_word(*at) && names.contains(&it.word(*at)))
        .filter(|at| it.kind_before(*at) != T::Dot)
        .filter_map(|at| it.put(at..at + 1, format!("{}_", it.word(at))))
        .collect()
}
