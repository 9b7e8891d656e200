//! Operators that other languages have.

use clank_syntax::TokenKind as T;

use super::pieces::{PieceEdit, Pieces, is_operator};
use super::table::IdiomContext;

/// `b += 2` is `b = b + 2`. Texts and arrays are joined with `++`.
pub(super) fn compound(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        let is_compound = it.kind(at) == T::Eq && it.is_glued(at) && {
            let op = it.kind(at - 1);
            matches!(
                op,
                T::Plus | T::Minus | T::Star | T::Slash | T::Percent | T::Caret | T::PlusPlus
            )
        };
        if !is_compound || it.kind(at + 1) == T::Eq && it.is_glued(at + 1) {
            continue;
        }
        let is_power =
            it.kind(at - 1) == T::Star && it.kind(at - 2) == T::Star && it.is_glued(at - 1);
        let op_start = if is_power { at - 2 } else { at - 1 };
        let Some(start) = it.operand_start(op_start) else { continue };
        let is_arm =
            it.kind_before(start) == T::Arrow && super::lambdas::in_arm(it, start.wrapping_sub(1));
        if !is_arm && !it.starts_statement(start) {
            continue;
        }
        let target = it.words(start..op_start);
        let end = it.expr_end(at + 1);
        let value = it.words(at + 1..end);
        let op = match it.word(at - 1) {
            _ if is_power => "^",
            "+" if is_joined(it, start, at + 1..end) => "++",
            op => op,
        };
        let needs_brackets = match op {
            "+" | "++" => false,
            _ => (at + 2..end)
                .any(|place| it.parent(place) == it.parent(at) && is_operator(it.kind(place))),
        };
        let value = if needs_brackets { format!("({value})") } else { value.to_owned() };
        let new = format!("{target} = {target} {op} {value}");
        let new = if is_arm { format!("{{ {new} }}") } else { new };
        edits.extend(it.put(start..end, new));
    }
    edits
}

/// Whether what is added is a text or an array, or is added to one.
fn is_joined(it: &Pieces<'_>, target: usize, value: std::ops::Range<usize>) -> bool {
    let is_text = |at: usize| {
        matches!(it.kind(at), T::Str | T::Template | T::MultilineStr | T::PlusPlus)
            || matches!(it.word(at), "to_string" | "join" | "slice" | "to_upper" | "to_lower")
    };
    let first = it.kind(value.start);
    if first == T::LBracket
        || value.clone().any(|at| is_text(at) && it.parent(at) == it.parent(target))
    {
        return true;
    }
    // What it was bound to, or said to be.
    let name = it.word(target);
    if it.kind(target + 1) != T::Plus {
        return false;
    }
    (1..target).rev().any(|at| {
        let is_bound = it.word(at) == name && matches!(it.kind(at - 1), T::Let | T::Mut);
        is_bound && {
            let stated = it.kind(at + 1) == T::Colon
                && (it.word(at + 2) == "Str" || it.kind(at + 2) == T::LBracket);
            let given = it.kind(at + 1) == T::Eq
                && matches!(it.kind(at + 2), T::Str | T::Template | T::LBracket);
            stated || given
        }
    })
}

/// `a // b`, which reads as a comment: it is a division where fewer mistakes are left without the comment.
pub(super) fn floor(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    let mut at = 0;
    let mut is_behind_operand = false;
    for (kind, token) in clank_syntax::lex(it.text).0.iter() {
        let start = at;
        at += token.len();
        if kind == T::LineComment && is_behind_operand && !token.starts_with("///") {
            let edit = PieceEdit::new(start..start + 2, "/");
            let text = super::pieces::applied(it.text, vec![edit.clone()]);
            if super::n_mistakes(&text) < super::n_mistakes(it.text) {
                edits.push(edit);
            }
        }
        is_behind_operand = match kind {
            T::Ident | T::Int | T::Float | T::RParen | T::RBracket => true,
            _ => kind.is_trivia() && is_behind_operand && !token.contains('\n'),
        };
    }
    edits
}

/// `i++;` and `--i;` are `i = i + 1` and `i = i - 1`.
pub(super) fn increments(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let Some((op, width)) = doubled(it, at) else { continue };
        let ends = |next: usize| {
            it.is_first(next) || matches!(it.kind(next), T::Semi | T::RBrace | T::End | T::RParen)
        };
        if ends(at + width) || matches!(it.kind(at + width), T::Comma | T::RBracket) {
            let start = it.operand_start(at).filter(|start| it.starts_statement(*start));
            let Some(start) = start else { continue };
            let target = it.words(start..at);
            edits.extend(it.put(start..at + width, format!("{target} = {target} {op} 1")));
        } else if it.starts_statement(at)
            && it.kind(at + width) == T::Ident
            && !it.is_first(at + width)
        {
            let end = it.expr_end(at + width);
            let target = it.words(at + width..end);
            if ends(end) && it.operand_start(end) == Some(at + width) {
                edits.extend(it.put(at..end, format!("{target} = {target} {op} 1")));
            }
        }
    }
    edits
}

/// Whether `++` or `--` stands here, and how many tokens it is.
fn doubled(it: &Pieces<'_>, at: usize) -> Option<(&'static str, usize)> {
    match it.kind(at) {
        T::PlusPlus => Some(("+", 1)),
        T::Minus if it.kind(at + 1) == T::Minus && it.is_glued(at + 1) => Some(("-", 2)),
        _ => None,
    }
}

/// `**`, `===`, `!==`, `<>`, `=/=`, `..<`, `&`, `:=`: the same by another sign.
pub(super) fn signs(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    let mut at = 0;
    while at < it.len() {
        let glued = |n: usize| (1..=n).all(|k| it.is_glued(at + k));
        let (kind, next, third) = (it.kind(at), it.kind(at + 1), it.kind(at + 2));
        let new = match (kind, next) {
            (T::Star, T::Star) if glued(1) && third != T::Eq => Some((2, "^")),
            (T::EqEq, T::Eq) if glued(1) => Some((2, "==")),
            (T::NotEq, T::Eq) if glued(1) => Some((2, "!=")),
            (T::Lt, T::Gt) if glued(1) => Some((2, "!=")),
            (T::Eq, T::Slash) if glued(2) && third == T::Eq => Some((3, "!=")),
            (T::Slash, T::Eq) if glued(1) && is_asked(it, at) => Some((2, "!=")),
            (T::DotDot, T::Lt) if glued(1) => Some((2, "..")),
            (T::Eq, T::Lt) if glued(1) => Some((2, "<=")),
            (T::Error, _) if it.word(at) == "&" => Some((1, "&&")),
            _ => None,
        };
        match new {
            Some((width, new)) => {
                edits.extend(it.put(at..at + width, new));
                at += width;
            }
            None => at += 1,
        }
    }
    edits
}

/// Whether the operand before a sign does not start a statement, so that nothing is assigned there.
fn is_asked(it: &Pieces<'_>, sign: usize) -> bool {
    it.operand_start(sign).is_some_and(|start| {
        let is_arm =
            it.kind_before(start) == T::Arrow && super::lambdas::in_arm(it, start.wrapping_sub(1));
        !it.starts_statement(start) && !is_arm
    })
}

fn is_operand(kind: T) -> bool {
    matches!(kind, T::Ident | T::Int | T::RParen | T::RBracket)
}

/// `x := 1` binds a name, or changes one that is bound.
pub(super) fn walrus(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        if it.kind(at) != T::Colon || it.kind(at + 1) != T::Eq || !it.is_glued(at + 1) {
            continue;
        }
        let name = at - 1;
        if it.kind(name) != T::Ident || !it.starts_statement(name) {
            if it.kind_before(name) == T::Let || it.kind_before(name) == T::Mut {
                edits.extend(it.put(at..at + 2, "="));
            }
            continue;
        }
        let is_bound = (1..name).any(|place| {
            it.word(place) == it.word(name)
                && (matches!(it.kind(place - 1), T::Let | T::Mut) || it.kind(place + 1) == T::Colon)
        });
        let is_changed = it.is_assigned(it.word(name));
        let new = match (is_bound, is_changed) {
            (true, _) => "",
            (false, true) => "let mut ",
            (false, false) => "let ",
        };
        edits.extend(it.put(name..at + 2, format!("{new}{} =", it.word(name))));
    }
    edits
}

/// `a and b`, `a or b`, `not a`: `&&`, `||`, `!`.
pub(super) fn words(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let is_name = it.kind(at) == T::Ident || it.word(at) == "mod" && at > 0;
        if !is_name || cx.is_known(it.word(at)) {
            continue;
        }
        let is_before_operand = !it.is_first(at + 1)
            && (is_operand(it.kind(at + 1))
                || matches!(
                    it.kind(at + 1),
                    T::LParen | T::Not | T::True | T::False | T::TypeIdent | T::Str
                ));
        let is_behind_operand = is_operand(it.kind_before(at))
            || matches!(it.kind_before(at), T::True | T::False | T::TypeIdent | T::Str);
        match it.word(at) {
            "and" if is_behind_operand => edits.extend(it.put(at..at + 1, "&&")),
            "or" if is_behind_operand => edits.extend(it.put(at..at + 1, "||")),
            "div" if is_behind_operand && is_before_operand => {
                edits.extend(it.put(at..at + 1, "/"));
            }
            "mod" | "rem" if is_behind_operand && is_before_operand => {
                edits.extend(it.put(at..at + 1, "%"));
            }
            "not" if it.kind(at + 1) == T::In && is_behind_operand => {}
            "not" if is_before_operand => {
                // `not a == b` denies the comparison.
                let end = not_end(it, at + 1);
                let is_comparison = (at + 1..end).any(|place| {
                    it.parent(place) == it.parent(at)
                        && matches!(
                            it.kind(place),
                            T::EqEq | T::NotEq | T::Lt | T::Gt | T::LtEq | T::GtEq
                        )
                });
                if let (true, Some(bytes)) = (is_comparison, it.bytes(at + 1..end)) {
                    edits.extend(it.put(at..at + 1, "!("));
                    let start = it.list[at].end;
                    edits.push(PieceEdit::new(start..bytes.start, ""));
                    edits.push(PieceEdit::new(bytes.end..bytes.end, ")"));
                } else if let Some(bytes) = it.bytes(at..at + 2) {
                    edits.push(PieceEdit::new(bytes.start..it.list[at + 1].start, "!"));
                }
            }
            _ => {}
        }
    }
    edits
}

/// Where what `not` denies ends.
fn not_end(it: &Pieces<'_>, start: usize) -> usize {
    let end = it.expr_end(start);
    let mut at = start;
    while at < end {
        let is_end = matches!(it.kind(at), T::And | T::Or | T::LBrace | T::PipeGt | T::Question)
            || matches!(it.word(at), "and" | "or");
        if is_end {
            return at;
        }
        at = match it.partner(at) {
            Some(close) if close > at => close + 1,
            _ => at + 1,
        };
    }
    end
}

/// `x in xs`, `x not in xs`, `x is None`, `x is not None`.
pub(super) fn membership(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        if it.word(at) == "is" && it.kind(at) == T::Ident && !cx.is_known("is") {
            let is_not = it.word(at + 1) == "not";
            let is_behind = matches!(it.kind_before(at), T::Ident | T::RParen | T::RBracket);
            if is_behind && !it.is_first(at) {
                let (end, new) = if is_not { (at + 2, "!=") } else { (at + 1, "==") };
                edits.extend(it.put(at..end, new));
            }
            continue;
        }
        if it.kind(at) != T::In || is_for(it, at) {
            continue;
        }
        let is_not = it.word(at - 1) == "not";
        let left_end = if is_not { at - 1 } else { at };
        let Some(left) = it.operand_start(left_end) else { continue };
        let mut end = at + 1;
        while it.kind(end) == T::Dot
            || end == at + 1
            || matches!(it.kind(end), T::LParen | T::LBracket)
        {
            end = match it.partner(end) {
                Some(close) if close > end => close + 1,
                _ if it.kind(end) == T::Dot => end + 2,
                _ => end + 1,
            };
        }
        let not = if is_not { "!" } else { "" };
        let (x, xs) = (it.words(left..left_end), it.words(at + 1..end));
        edits.extend(it.put(left..end, format!("{not}contains({xs}, {x})")));
    }
    edits
}

/// Whether an `in` belongs to a `for`.
fn is_for(it: &Pieces<'_>, at: usize) -> bool {
    let from = it.parent(at).map_or(0, |it| it + 1);
    let mut back = at;
    while back > from {
        back -= 1;
        match it.kind(back) {
            T::For => return true,
            T::RBrace | T::LBrace | T::Semi | T::If | T::While | T::Let | T::Return | T::Eq => {
                return false;
            }
            T::RParen | T::RBracket => match it.partner(back) {
                Some(open) => back = open,
                None => return false,
            },
            _ => {}
        }
    }
    // `for (x in xs)`
    it.parent(at).is_some_and(|open| {
        it.kind_before(open) == T::For
            || matches!(it.word(open.wrapping_sub(1)), "foreach" | "each")
    })
}

/// `a ?? b` is the value of `a`, or `b` if there is none.
pub(super) fn coalesce(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        let is_it =
            it.kind(at) == T::Question && it.kind(at + 1) == T::Question && it.is_glued(at + 1);
        let Some(start) = it.operand_start(at).filter(|_| is_it) else { continue };
        let end = it.expr_end(at + 2);
        let (value, other) = (it.words(start..at), it.words(at + 2..end));
        let name = if it.has("value") { "found" } else { "value" };
        let new = format!("match {value} {{ Some({name}) -> {name}, None -> {other} }}");
        edits.extend(it.put(start..end, new));
    }
    edits
}

/// `=>` in the head of an `if` or a `while`, which is `>=`.
pub(super) fn turned(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        if !super::lambdas::is_fat(it, at) || !is_operand(it.kind_before(at)) {
            continue;
        }
        let mut head = at;
        while head > 0
            && !it.is_first(head)
            && !matches!(it.kind(head), T::If | T::While | T::LBrace | T::Comma | T::Lambda)
        {
            head -= 1;
        }
        if matches!(it.kind(head), T::If | T::While) && !super::lambdas::in_arm(it, head) {
            edits.extend(it.put(at..at + 2, ">="));
        }
    }
    edits
}

/// `a...b` and `a to b`, with the end or without it.
pub(super) fn ranges(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        if it.kind(at) == T::DotDot
            && it.kind(at + 1) == T::Dot
            && it.is_glued(at + 1)
            && is_operand(it.kind_before(at))
        {
            edits.extend(it.put(at..at + 2, "..="));
        }
        let is_word = it.word(at) == "to" && it.kind(at) == T::Ident && !cx.is_known("to");
        let has_in = (at.saturating_sub(12)..at).any(|place| it.kind(place) == T::In);
        if is_word && has_in && is_operand(it.kind_before(at)) && !it.is_first(at) {
            let (before, after) = (it.list[at - 1].end, it.list.get(at + 1));
            if let Some(after) = after {
                edits.push(PieceEdit::new(before..after.start, "..="));
            }
        }
    }
    edits
}

/// `f(i++)`, `{ count: c.count++ }`: the value is one more.
pub(super) fn increased(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        let Some((op, width)) = doubled(it, at) else { continue };
        let ends = matches!(it.kind(at + width), T::Comma | T::RParen | T::RBrace | T::RBracket);
        let is_value = it.is_glued(at)
            && it.operand_start(at).is_some_and(|start| !it.starts_statement(start));
        if ends && is_value {
            edits.extend(it.put(at..at + width, format!(" {op} 1")));
        }
    }
    edits
}
