//! Blocks as other languages write them: patterns in the head of an `if` or `while`, bodies that are only indented, and
//! lists that are made by a loop in brackets; and names that are bound by being assigned.

use clank_syntax::TokenKind as T;

use super::pieces::{PieceEdit, Pieces};
use super::table::IdiomContext;

/// `if let P = e { a } else { b }` and `while let P = e { a }`.
pub(super) fn patterns(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        if matches!(it.word(at), "if" | "while") && it.word(at + 1) == "let" {
            edits.extend(pattern(it, at).into_iter().flatten());
        }
    }
    edits
}

fn pattern(it: &Pieces<'_>, at: usize) -> Option<Vec<PieceEdit>> {
    let beside = |place: &usize| it.parent(*place) == it.parent(at);
    let sign = (at + 2..it.len()).filter(beside).find(|place| it.word(*place) == "=")?;
    let open = (sign + 1..it.len()).filter(beside).find(|place| it.kind(*place) == T::LBrace)?;
    let close = it.partner(open)?;
    let pattern = it.words(at + 2..sign);
    let is_loop = it.word(at) == "while";
    let mut edits = vec![
        it.put(at..sign + 1, if is_loop { "loop { match" } else { "match" })?,
        insert(it.list[open].start, &format!("{{ {pattern} -> ")),
    ];
    let has_else = !is_loop && it.word(close + 1) == "else" && it.kind(close + 2) == T::LBrace;
    let end = it.list[close].end;
    if has_else {
        edits.push(PieceEdit::new(end..it.list[close + 1].end, ", _ ->"));
        edits.push(insert(it.list[it.partner(close + 2)?].end, " }"));
    } else if is_loop {
        edits.push(insert(end, ", _ -> { break } } }"));
    } else {
        edits.push(insert(end, ", _ -> () }"));
    }
    Some(edits)
}

fn insert(at: usize, new: &str) -> PieceEdit {
    PieceEdit::new(at..at, new)
}

/// `for x in xs:` with an indented body.
pub(super) fn colons(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let heads = ["for", "while", "if", "elif", "else", "def", "fn", "match", "case"];
    let column = |at: usize| {
        let start = it.list[at].start;
        start - it.text[..start].rfind('\n').map_or(0, |it| it + 1)
    };
    let firsts: Vec<usize> = (0..it.len()).filter(|at| it.is_first(*at)).collect();
    let mut edits: Vec<PieceEdit> = Vec::new();
    // Inner blocks end first.
    for (place, &at) in firsts.iter().enumerate().rev() {
        let end = firsts.get(place + 1).copied().unwrap_or(it.len());
        let is_head = heads.contains(&it.word(at))
            && end > at + 1
            && it.kind(end - 1) == T::Colon
            && it.parent(end - 1) == it.parent(at);
        if !is_head {
            continue;
        }
        let own = column(at);
        let inside = firsts[place + 1..].iter().take_while(|it| column(**it) > own).count();
        if inside == 0 {
            continue;
        }
        let last = firsts.get(place + 1 + inside).copied().unwrap_or(it.len()) - 1;
        let colon = it.list[end - 1];
        let is_arm = it.word(at) == "case";
        let close = format!("\n{}}}{}", " ".repeat(own), if is_arm { "," } else { "" });
        let after = it.list[last].end;
        // A brace under the head closes the block already.
        let is_closed = firsts
            .get(place + 1 + inside)
            .is_some_and(|next| it.kind(*next) == T::RBrace && column(*next) == own);
        if is_closed && !is_arm {
            edits.push(PieceEdit::new(colon.start..colon.end, " {"));
            continue;
        }
        edits.push(PieceEdit::new(colon.start..colon.end, if is_arm { " -> {" } else { " {" }));
        if is_arm {
            edits.push(PieceEdit::new(it.list[at].start..it.list[at + 1].start, ""));
        }
        match edits.iter_mut().find(|it| it.start == after && it.end == after) {
            Some(same) => same.new.push_str(&close),
            None => edits.push(PieceEdit::new(after..after, close)),
        }
    }
    edits
}

/// `[e for x in xs if c]`
pub(super) fn comprehensions(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    (0..it.len()).filter_map(|at| comprehension(it, at)).collect()
}

fn comprehension(it: &Pieces<'_>, open: usize) -> Option<PieceEdit> {
    if it.kind(open) != T::LBracket {
        return None;
    }
    let close = it.partner(open)?;
    let inside = |word: &'static str, from: usize| {
        let beside = move |place: &usize| it.parent(*place) == Some(open);
        (from..close).filter(beside).find(|place| it.word(*place) == word)
    };
    let each = inside("for", open + 1)?;
    let among = inside("in", each + 1)?;
    let only = inside("if", among + 1);
    let (value, name) = (it.words(open + 1..each), it.words(each + 1..among));
    let name = match name.contains(',') && !name.starts_with('(') {
        true => format!("({name})"),
        false => name.to_owned(),
    };
    let mut from = it.words(among + 1..only.unwrap_or(close)).to_owned();
    if let Some(only) = only {
        from = format!("filter({from}, \\{name} -> {})", it.words(only + 1..close));
    }
    let new = match value == name {
        true => from,
        false => format!("map({from}, \\{name} -> {value})"),
    };
    it.put(open..close + 1, new)
}

/// `all(e for x in xs)`, `join(e for x in xs)`: the values are made by a loop in the parentheses of a call.
pub(super) fn generators(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    (1..it.len()).filter_map(|at| generator(it, at)).collect()
}

fn generator(it: &Pieces<'_>, open: usize) -> Option<PieceEdit> {
    let is_call = it.kind(open) == T::LParen
        && (it.kind_before(open) == T::Ident || it.word(open - 1) == "sum");
    let close = it.partner(open).filter(|_| is_call)?;
    let beside = |place: &usize| it.parent(*place) == Some(open);
    let each = (open + 1..close).filter(beside).find(|place| it.kind(*place) == T::For)?;
    let among = (each + 1..close).filter(beside).find(|place| it.kind(*place) == T::In)?;
    let only = (among + 1..close).filter(beside).find(|place| it.kind(*place) == T::If);
    let has_commas = (open + 1..each).filter(beside).any(|place| it.kind(place) == T::Comma);
    if has_commas {
        return None;
    }
    let name = it.words(each + 1..among);
    let value = it.words(open + 1..each);
    if matches!(it.word(open - 1), "all" | "any") && only.is_none() {
        let from = it.words(among + 1..close);
        return it.put(open + 1..close, format!("{from}, \\{name} -> {value}"));
    }
    it.put(open + 1..close, format!("[{}]", it.words(open + 1..close)))
}

/// `total = 0` at the start of a function of Python: the first assignment binds.
pub(super) fn bare_bindings(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    if it.word(0) != "def" {
        return edits;
    }
    let mut bound: Vec<&str> = Vec::new();
    for at in 1..it.len() {
        let is_name = it.kind(at) == T::Ident;
        // Parameters, and the names of loops.
        let is_param = it.parent(at).is_some_and(|open| open <= 2);
        if is_name && (is_param || matches!(it.word(at - 1), "for" | "let" | "mut")) {
            bound.push(it.word(at));
        }
        let is_binding = is_name
            && it.is_first(at)
            && it.parent(at).is_none_or(|open| it.kind(open) == T::LBrace)
            && it.kind(at + 1) == T::Eq
            && !bound.contains(&it.word(at))
            && !cx.is_known(it.word(at));
        if is_binding {
            let name = it.word(at);
            bound.push(name);
            let is_changed = (at + 1..it.len()).any(|later| {
                it.word(later) == name && it.is_first(later) && it.kind(later + 1) != T::Dot
            });
            let start = it.list[at].start;
            edits.push(insert(start, if is_changed { "let mut " } else { "let " }));
        }
    }
    edits
}

/// `for _, x := range xs` and `for i := range n`.
pub(super) fn ranges(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    (0..it.len()).filter_map(|at| range(it, at)).collect()
}

fn range(it: &Pieces<'_>, at: usize) -> Option<PieceEdit> {
    if it.word(at) != "for" {
        return None;
    }
    let word = (at + 2..it.len().min(at + 8)).find(|place| it.word(*place) == "range")?;
    let open = (word..it.len())
        .find(|place| it.kind(*place) == T::LBrace && it.parent(*place) == it.parent(at))?;
    let is_bound = it.words(at + 1..word).trim_end().ends_with(":=")
        || it.words(at + 1..word).replace(' ', "").ends_with(":=");
    let over = it.words(word + 1..open);
    let (first, second) = (it.word(at + 1), it.word(at + 3));
    let new = match (is_bound, it.kind(at + 2)) {
        (true, T::Comma) if first == "_" => format!("for {second} in {over}"),
        (true, T::Comma) => {
            format!("for ({first}, {second}) in zip(range(0, len({over})), {over})")
        }
        (true, _) => format!("for {first} in range(0, len({over}))"),
        _ => return None,
    };
    it.put(at..open, format!("{new} "))
}

/// `func f(xs []T, n int) int`: types stand behind names without a colon.
pub(super) fn bare_parameters(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    if it.word(0) != "func" || it.kind(2) != T::LParen {
        return edits;
    }
    let Some(close) = it.partner(2) else { return edits };
    let mut at = 3;
    while at < close {
        let mut end = at;
        while end < close && it.kind(end) != T::Comma {
            end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
        }
        let has_type = end > at + 1 && it.kind(at + 1) != T::Colon;
        if it.kind(at) == T::Ident && has_type {
            let is_array = it.kind(at + 1) == T::LBracket && it.kind(at + 2) == T::RBracket;
            let new = match is_array {
                true => format!("{}: [{}]", it.word(at), it.words(at + 3..end)),
                false => format!("{}: {}", it.word(at), it.words(at + 1..end)),
            };
            edits.extend(it.put(at..end, new));
        }
        at = end + 1;
    }
    edits
}
