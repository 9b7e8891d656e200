//! Declarations and bindings, as other languages write them.

use clank_syntax::TokenKind as T;

use super::pieces::{PieceEdit, Pieces};
use super::table::IdiomContext;

/// `func f(`, `def f(`, `function f(`: `fn f(`. `struct`, `class`, `record` are `rec`, `enum` is `sum`.
pub(super) fn words(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
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
        "data" if next == T::TypeIdent && it.kind(at + 2) == T::Eq => "sum",
        "struct" | "class" | "record" | "data" | "interface" if next == T::TypeIdent => "rec",
        "enum" | "variant" | "union" if next == T::TypeIdent => "sum",
        "import" | "require" | "include" if next == T::Ident => "use",
        "fn" if at > 0 => "fn",
        "rec" | "struct" if at > 0 => "rec",
        _ => return Vec::new(),
    };
    it.put(0..at + 1, new).into_iter().collect()
}

/// `fn f(a: Int): Int {` and `fn f(a: Int) => Int {`: an arrow stands before the result.
pub(super) fn result_arrow(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
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
pub(super) fn type_first(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
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
pub(super) fn bindings(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
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
pub(super) fn type_params(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
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
pub(super) fn imports(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    if it.word(0) == "from" {
        let import = (1..it.len()).find(|place| it.word(*place) == "import");
        if let Some(import) = import {
            let new = format!("use {}.{{{}}}", it.words(1..import), it.words(import + 1..it.len()));
            edits.extend(it.put(0..it.len(), new));
        }
        return edits;
    }
    // `import { a, b } from "./x/y"`
    if it.word(0) == "import"
        && it.kind(1) == T::LBrace
        && let Some(close) = it.partner(1)
        && it.word(close + 1) == "from"
        && it.kind(close + 2) == T::Str
    {
        let path = it.word(close + 2).trim_matches('"');
        let path = path.trim_start_matches("./").trim_end_matches(".clank").replace('/', ".");
        if !path.is_empty() && !path.contains("..") {
            let new = format!("use {path}.{{{}}}", it.words(2..close).trim_end_matches(','));
            edits.extend(it.put(0..it.len(), new));
        }
        return edits;
    }
    if it.kind(0) == T::Use {
        let last = it.len() - 1;
        if it.kind(last) == T::Semi {
            edits.extend(it.put(last..last + 1, ""));
        }
        if last > 1 && it.kind(last) == T::Star && it.kind(last - 1) == T::Dot {
            edits.extend(it.put(last - 1..last + 1, ""));
        }
        if let Some(open) = it.partner(last)
            && it.kind(open) == T::LParen
        {
            edits.extend(it.put(open..open + 1, "{"));
            edits.extend(it.put(last..last + 1, "}"));
        }
        for at in 1..it.len() {
            if matches!(it.kind(at), T::ColonColon | T::Slash) {
                edits.extend(it.put(at..at + 1, "."));
            }
        }
    }
    edits
}

/// Fields and variants between `;` or on lines of their own.
pub(super) fn members(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    let last = it.len().saturating_sub(1);
    if it.kind(0) == T::Type && it.kind(last) == T::Semi {
        edits.extend(it.put(last..last + 1, ""));
    }
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
        // `name type` without a colon.
        let is_bare = it.kind(0) == T::Rec
            && it.is_first(at)
            && it.kind(at) == T::Ident
            && matches!(it.kind(at + 1), T::Ident | T::TypeIdent | T::LBracket)
            && !it.is_first(at + 1);
        if is_bare {
            let end = it.list[at].end;
            edits.push(PieceEdit::new(end..end, ":"));
        }
        let next = it.partner(at).filter(|it| *it > at).unwrap_or(at) + 1;
        let starts = match it.kind(0) {
            T::Rec => {
                it.kind(next) == T::Ident
                    && (it.kind(next + 1) == T::Colon || !it.is_first(next + 1))
                    && !is_bare
            }
            _ => it.kind(next) == T::TypeIdent,
        };
        if next < close
            && it.is_first(next)
            && starts
            && !matches!(it.kind(next - 1), T::Comma | T::Semi | T::Pipe)
        {
            let end = it.list[next - 1].end;
            edits.push(PieceEdit::new(end..end, ","));
        }
        at = next;
    }
    edits
}

/// `sum Shape = Circle(Int) | Square(Int)` and `type Shape = Circle(Int) | Square(Int)`.
pub(super) fn bar_sums(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
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
    let variants: Vec<String> = variants.split('|').map(|it| with_parts(it.trim())).collect();
    let new = format!("sum {} {{ {} }}", it.words(1..eq), variants.join(", "));
    it.put(0..it.len(), new).into_iter().collect()
}

/// A missing arrow before the result: `fn f(a: Int) Int {`.
pub(super) fn missing_arrow(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let Some(close) = params_end(it) else { return Vec::new() };
    let is_small = it.kind(close + 1) == T::Ident
        && super::types::primitive(it.word(close + 1)).is_some()
        && it.kind(close + 2) == T::LBrace;
    let is_type = matches!(it.kind(close + 1), T::TypeIdent | T::LBracket) || is_small;
    let at = it.list[close].end;
    is_type.then(|| PieceEdit::new(at..at, " ->")).into_iter().collect()
}

/// `Num of int * string`: the parts of a variant are in parentheses.
fn with_parts(variant: &str) -> String {
    match variant.split_once(" of ") {
        Some((name, parts)) => {
            let types: Vec<String> = parts
                .split('*')
                .map(|it| super::types::primitive(it.trim()).unwrap_or(it.trim()).to_owned())
                .collect();
            format!("{name}({})", types.join(", "))
        }
        None => variant.to_owned(),
    }
}

/// `sum S { A { x: Int }, B }`: the parts of a variant are in parentheses.
pub(super) fn variant_fields(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    if it.kind(0) != T::Sum {
        return edits;
    }
    for at in 3..it.len() {
        let is_inner = it.kind(at) == T::LBrace
            && it.kind(at - 1) == T::TypeIdent
            && it.parent(at).is_some_and(|open| it.kind(open) == T::LBrace);
        if let Some(close) = it.partner(at).filter(|_| is_inner) {
            edits.push(PieceEdit::new(it.list[at - 1].end..it.list[at].end, "("));
            edits.extend(it.put(close..close + 1, ")"));
        }
    }
    edits
}

/// `record P(x: Int)`, `type P struct { … }`, `type P { … }`: `rec P { … }`.
pub(super) fn records(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let is_record =
        matches!(it.word(0), "record" | "class" | "struct" | "data") || it.kind(0) == T::Rec;
    let mut edits = Vec::new();
    let open = match it.word(0) {
        "data" if it.word(1) == "class" => 3,
        _ => 2,
    };
    if is_record
        && it.kind(open - 1) == T::TypeIdent
        && it.kind(open) == T::LParen
        && let Some(close) = it.partner(open)
        && close + 1 >= it.len()
    {
        let fields = it.words(open + 1..close);
        let fields = fields.replace("val ", "").replace("var ", "");
        let new = format!("rec {} {{ {fields} }}", it.word(open - 1));
        edits.extend(it.put(0..close + 1, new));
    }
    if it.kind(0) == T::Type && it.kind(1) == T::TypeIdent {
        let is_struct = matches!(it.word(2), "struct" | "record" | "interface" | "object");
        if is_struct && it.kind(3) == T::LBrace {
            edits.extend(it.put(0..4, format!("rec {} {{", it.word(1))));
            for at in 4..it.len() {
                if it.is_first(at) && it.kind(at) == T::Ident && it.kind(at + 1) != T::Colon {
                    let end = it.list[at].end;
                    edits.push(PieceEdit::new(end..end, ":"));
                    let next = (at + 1..it.len()).find(|place| it.is_first(*place));
                    if let Some(next) = next.filter(|next| it.kind(*next) == T::Ident) {
                        let end = it.list[next - 1].end;
                        edits.push(PieceEdit::new(end..end, ","));
                    }
                }
            }
        } else if it.kind(2) == T::LBrace {
            edits.extend(it.put(0..1, "rec"));
        }
    }
    edits
}

/// `const f = (a: T): R => { … }`, which is a function with a name.
pub(super) fn arrow_functions(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut start = 0;
    while it.word(start) == "export" {
        start += 1;
    }
    let is_bound = (matches!(it.word(start), "const" | "var" | "val") || it.kind(start) == T::Let)
        && it.kind(start + 1) == T::Ident
        && it.kind(start + 2) == T::Eq
        && it.kind(start + 3) == T::LParen;
    let Some(close) = it.partner(start + 3).filter(|_| is_bound) else { return Vec::new() };
    let fat = (close + 1..it.len()).find(|at| super::lambdas::is_fat(it, *at));
    let Some(fat) = fat else { return Vec::new() };
    let params = it.words(start + 4..close);
    let result = match it.kind(close + 1) {
        T::Colon => format!(" -> {}", it.words(close + 2..fat)),
        _ => String::new(),
    };
    let name = it.word(start + 1);
    let body = match it.kind(fat + 2) {
        T::LBrace => it.words(fat + 2..it.len()).trim_end_matches(';').to_owned(),
        _ => format!("{{ {} }}", it.words(fat + 2..it.len()).trim_end_matches(';')),
    };
    it.put(0..it.len(), format!("fn {name}({params}){result} {body}")).into_iter().collect()
}

/// `int f(int a) { … }`: the type of the result stands behind the parameters.
pub(super) fn typed_functions(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut start = 0;
    while super::MODIFIERS.contains(&it.word(start)) || it.word(start) == "final" {
        start += 1;
    }
    let result = match it.kind(start) {
        T::Ident => super::types::primitive(it.word(start)),
        T::TypeIdent => Some(it.word(start)),
        _ => None,
    };
    let is_function = it.kind(start + 1) == T::Ident
        && it.kind(start + 2) == T::LParen
        && !it.is_first(start + 1);
    let (Some(result), Some(close)) = (result, it.partner(start + 2).filter(|_| is_function))
    else {
        return Vec::new();
    };
    if it.kind(close + 1) != T::LBrace {
        return Vec::new();
    }
    let end = it.list[close].end;
    [it.put(0..start + 1, "fn"), Some(PieceEdit::new(end..end, format!(" -> {result}")))]
        .into_iter()
        .flatten()
        .collect()
}

/// `name?: T`, of a field or a parameter: what may be missing is an `Option`.
pub(super) fn optional_members(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        let is_optional = it.kind(at) == T::Question
            && it.kind(at + 1) == T::Colon
            && it.kind_before(at) == T::Ident
            && matches!(it.kind_before(at - 1), T::LBrace | T::LParen | T::Comma | T::Semi);
        if !is_optional {
            continue;
        }
        let start = at + 2;
        let mut end = start;
        while end < it.len()
            && !matches!(it.kind(end), T::Comma | T::Semi | T::RBrace | T::RParen)
            && (end == start || !it.is_first(end))
        {
            end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
        }
        edits.extend(it.put(at..at + 1, ""));
        edits.extend(it.put(start..end, format!("Option[{}]", it.words(start..end))));
    }
    edits
}

/// `let mut xs: [Int]` without a value: it starts as the plainest value of its type.
pub(super) fn without_value(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        if it.kind(at) != T::Let {
            continue;
        }
        let name = if it.kind(at + 1) == T::Mut { at + 2 } else { at + 1 };
        if it.kind(name) != T::Ident || it.kind(name + 1) != T::Colon {
            continue;
        }
        let mut end = name + 2;
        while end < it.len()
            && !it.is_first(end)
            && !matches!(it.kind(end), T::Eq | T::Semi | T::RBrace)
        {
            end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
        }
        if it.kind(end) == T::Eq {
            continue;
        }
        let value = match (it.kind(name + 2), it.word(name + 2)) {
            (T::LBracket, _) => "[]",
            (_, "Int" | "Nat") => "0",
            (_, "Float") => "0.0",
            (_, "Str") => "\"\"",
            (_, "Bool") => "false",
            (_, "Option") => "None",
            (_, "Map") => "map_new()",
            (_, "Set") => "set_new()",
            _ => continue,
        };
        let at = it.list[end - 1].end;
        edits.push(PieceEdit::new(at..at, format!(" = {value}")));
    }
    edits
}
