//! Names that other languages have and this one calls otherwise.

use clank_syntax::TokenKind as T;

use super::pieces::{PieceEdit, Pieces};
use super::table::IdiomContext;

/// What a name is called here.
fn value(name: &str) -> Option<&'static str> {
    Some(match name {
        "null" | "nil" | "undefined" | "Nothing" | "NULL" | "Null" | "Nil" | "nullptr"
        | "nothing" => "None",
        "True" | "TRUE" => "true",
        "False" | "FALSE" => "false",
        "Just" => "Some",
        "Success" | "Right" => "Ok",
        "Failure" | "Left" => "Err",
        _ => return None,
    })
}

/// `null`, `True`, `Just(x)`.
pub(super) fn values(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let name = it.word(at);
        let is_name = matches!(it.kind(at), T::Ident | T::TypeIdent);
        let is_bound = it.kind(at + 1) == T::Colon || it.kind_before(at) == T::Dot;
        if !is_name || is_bound || cx.is_known(name) || cx.is_known_type(name) {
            continue;
        }
        if let Some(new) = value(name) {
            edits.extend(it.put(at..at + 1, new));
        }
    }
    edits
}

/// `print x`, `puts x`, `echo x`, `return(x)` without its brackets.
pub(super) fn commands(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let is_command =
            matches!(it.word(at), "print" | "puts" | "echo" | "println") && it.starts_statement(at);
        let is_value = matches!(it.kind(at + 1), T::Str | T::Template | T::Ident | T::Int)
            && !it.is_first(at + 1);
        if is_command && is_value && !cx.is_known(it.word(at)) {
            let end = it.expr_end(at + 1);
            edits.extend(it.put(at..end, format!("println({})", it.words(at + 1..end))));
        }
    }
    edits
}

/// `pass` does nothing.
pub(super) fn pass(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let is_pass = |at: &usize| {
        it.word(*at) == "pass"
            && it.kind(at + 1) != T::LParen
            && (it.kind_before(*at) == T::Arrow || it.starts_statement(*at))
    };
    match cx.is_known("pass") {
        true => Vec::new(),
        false => (0..it.len()).filter(is_pass).filter_map(|at| it.put(at..at + 1, "()")).collect(),
    }
}
