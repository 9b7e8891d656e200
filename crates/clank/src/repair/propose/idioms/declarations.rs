//! Declarations and bindings, as other languages write them.

use clank_syntax::TokenKind as T;

use super::pieces::{Edit, Pieces};
use super::table::Context;

/// `func f(`, `def f(`, `function f(`: `fn f(`. `struct`, `class`, `record` are `rec`, `enum` is `sum`.
pub(super) fn words(it: &Pieces<'_>, _: &Context<'_>) -> Vec<Edit> {
    let mut at = 0;
    while matches!(
        it.word(at),
        "pub" | "public" | "export" | "static" | "async" | "private" | "default"
    ) {
        at += 1;
    }
    let next = it.kind(at + 1);
    let new = match it.word(at) {
        "func" | "def" | "function" | "fun" | "proc" | "defn" | "method" if next == T::Ident => {
            "fn"
        }
        "struct" | "class" | "record" | "data" if next == T::TypeIdent => "rec",
        "enum" | "variant" | "union" if next == T::TypeIdent => "sum",
        "import" | "require" | "include" if next == T::Ident => "use",
        "fn" if at > 0 => "fn",
        "rec" | "struct" if at > 0 => "rec",
        _ => return Vec::new(),
    };
    it.put(0..at + 1, new).into_iter().collect()
}

/// `fn f(a: Int): Int {` and `fn f(a: Int) => Int {`: an arrow stands before the result.
pub(super) fn result_arrow(it: &Pieces<'_>, _: &Context<'_>) -> Vec<Edit> {
    let Some(close) = params_end(it) else { return Vec::new() };
    let (at, width) = match it.kind(close + 1) {
        T::Colon => (close + 1, 1),
        T::Eq if super::lambdas::is_fat(it, close + 1) => (close + 1, 2),
        _ => return Vec::new(),
    };
    it.put(at..at + width, " ->").into_iter().collect()
}

/// The `)` behind the parameters, if the text is a function.
pub(super) fn params_end(it: &Pieces<'_>) -> Option<usize> {
    let start = usize::from(it.kind(0) == T::External);
    if it.kind(start) != T::Fn {
        return None;
    }
    let mut at = start + 2;
    // Type parameters.
    if it.kind(at) == T::LBracket {
        at = it.partner(at)? + 1;
    }
    if it.kind(at) == T::Lt {
        at = (at..it.len().min(at + 20)).find(|place| it.kind(*place) == T::LParen)?;
    }
    (it.kind(at) == T::LParen).then(|| it.partner(at))?
}

/// `fn f(Int a, Int b)`: the name comes first, then its type.
pub(super) fn type_first(it: &Pieces<'_>, _: &Context<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    let Some(close) = params_end(it) else { return edits };
    let Some(open) = it.partner(close) else { return edits };
    let mut at = open + 1;
    while at < close {
        let mut end = at;
        while end < close && it.kind(end) != T::Comma {
            end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
        }
        let last = end - 1;
        let has_colon = (at..end).any(|place| it.kind(place) == T::Colon);
        let is_type = matches!(it.kind(at), T::TypeIdent | T::LBracket)
            || super::types::primitive(it.word(at)).is_some();
        if !has_colon && last > at && it.kind(last) == T::Ident && is_type {
            edits.extend(it.put(at..end, format!("{}: {}", it.word(last), it.words(at..last))));
        }
        at = end + 1;
    }
    edits
}

/// `var x = 1`, `const x = 1`, `val x = 1`, `Int x = 1`: a `let`, with `mut` if it is changed later.
pub(super) fn bindings(it: &Pieces<'_>, cx: &Context<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        if !it.starts_statement(at) && it.kind_before(at) != T::RBrace {
            continue;
        }
        let word = it.word(at);
        if it.kind(at) == T::Let
            && matches!(it.word(at + 1), "const" | "var" | "mutable")
            && it.kind(at + 2) == T::Ident
        {
            edits.extend(it.put(at + 1..at + 2, "mut"));
            continue;
        }
        let is_word = matches!(
            word,
            "var" | "const" | "val" | "auto" | "final" | "local" | "my" | "dim" | "mut"
        ) && !cx.is_known(word);
        let mut name = at + 1;
        if is_word && it.kind(name) == T::Mut {
            name += 1;
        }
        let binds = |name: usize| {
            matches!(it.kind(name), T::Ident | T::LParen)
                && !it.is_first(name)
                && matches!(it.kind(name + 1), T::Eq | T::Colon | T::Ident | T::Comma)
        };
        let is_binding = is_word
            && (binds(name)
                || it.kind(name) == T::LParen
                    && it.partner(name).is_some_and(|it_| it.kind(it_ + 1) == T::Eq));
        if is_binding {
            let is_changed = it.is_assigned(it.word(name)) || word == "mut";
            let new = if is_changed { "let mut" } else { "let" };
            edits.extend(it.put(at..name, new));
            continue;
        }
        // `Int x = 1`
        let ty = match it.kind(at) {
            T::TypeIdent => Some(word.to_owned()),
            T::Ident => super::types::primitive(word).map(str::to_owned),
            _ => None,
        };
        let is_typed = it.kind(at + 1) == T::Ident
            && !it.is_first(at + 1)
            && it.kind(at + 2) == T::Eq
            && it.kind(at + 3) != T::Gt;
        if let (Some(ty), true) = (ty, is_typed) {
            let name = it.word(at + 1);
            let new = if it.is_assigned(name) { "let mut" } else { "let" };
            edits.extend(it.put(at..at + 2, format!("{new} {name}: {ty}")));
        }
    }
    edits
}

/// `fn f<T>(…)`: parameters for types are in `[…]`.
pub(super) fn type_params(it: &Pieces<'_>, _: &Context<'_>) -> Vec<Edit> {
    let at = match it.kind(0) {
        T::Fn | T::Rec | T::Sum | T::Type => 2,
        T::External if it.kind(1) == T::Fn => 3,
        _ => return Vec::new(),
    };
    if it.kind(at) != T::Lt {
        return Vec::new();
    }
    let Some(close) = (at..it.len().min(at + 24)).find(|place| it.kind(*place) == T::Gt) else {
        return Vec::new();
    };
    [it.put(at..at + 1, "["), it.put(close..close + 1, "]")].into_iter().flatten().collect()
}

/// `use a::b::{c}`, `from a import b`, `use a/b`.
pub(super) fn imports(it: &Pieces<'_>, _: &Context<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    if it.word(0) == "from" {
        let import = (1..it.len()).find(|place| it.word(*place) == "import");
        if let Some(import) = import {
            let new = format!("use {}.{{{}}}", it.words(1..import), it.words(import + 1..it.len()));
            edits.extend(it.put(0..it.len(), new));
        }
        return edits;
    }
    if it.kind(0) == T::Use {
        for at in 1..it.len() {
            if matches!(it.kind(at), T::ColonColon | T::Slash) {
                edits.extend(it.put(at..at + 1, "."));
            }
        }
    }
    edits
}

/// Fields and variants between `;` or on lines of their own.
pub(super) fn members(it: &Pieces<'_>, _: &Context<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    if !matches!(it.kind(0), T::Rec | T::Sum) {
        return edits;
    }
    let Some(open) = (0..it.len()).find(|place| it.kind(*place) == T::LBrace) else { return edits };
    let close = it.partner(open).unwrap_or(it.len());
    let mut at = open + 1;
    while at < close {
        if it.kind(at) == T::Semi {
            edits.extend(it.put(at..at + 1, ","));
        }
        let next = it.partner(at).filter(|it| *it > at).unwrap_or(at) + 1;
        let starts = match it.kind(0) {
            T::Rec => it.kind(next) == T::Ident && it.kind(next + 1) == T::Colon,
            _ => it.kind(next) == T::TypeIdent,
        };
        if next < close
            && it.is_first(next)
            && starts
            && !matches!(it.kind(next - 1), T::Comma | T::Semi | T::Pipe)
        {
            let end = it.list[next - 1].end;
            edits.push(Edit::new(end..end, ","));
        }
        at = next;
    }
    edits
}

/// `sum Shape = Circle(Int) | Square(Int)` and `type Shape = Circle(Int) | Square(Int)`.
pub(super) fn bar_sums(it: &Pieces<'_>, _: &Context<'_>) -> Vec<Edit> {
    let is_sum =
        matches!(it.kind(0), T::Sum | T::Type) || it.word(0) == "data" || it.word(0) == "enum";
    let eq = (0..it.len()).find(|place| it.kind(*place) == T::Eq);
    let Some(eq) = eq.filter(|_| is_sum) else { return Vec::new() };
    let has_bar =
        (eq..it.len()).any(|place| it.kind(place) == T::Pipe && it.parent(place).is_none());
    let variants = it.words(eq + 1..it.len()).trim_start_matches('|');
    if !has_bar || variants.contains('{') {
        return Vec::new();
    }
    let variants: Vec<&str> = variants.split('|').map(str::trim).collect();
    let new = format!("sum {} {{ {} }}", it.words(1..eq), variants.join(", "));
    it.put(0..it.len(), new).into_iter().collect()
}

/// A missing arrow before the result: `fn f(a: Int) Int {`.
pub(super) fn missing_arrow(it: &Pieces<'_>, _: &Context<'_>) -> Vec<Edit> {
    let Some(close) = params_end(it) else { return Vec::new() };
    let is_type = matches!(it.kind(close + 1), T::TypeIdent | T::LBracket);
    let at = it.list[close].end;
    is_type.then(|| Edit::new(at..at, " ->")).into_iter().collect()
}
