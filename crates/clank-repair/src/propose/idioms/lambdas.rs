//! Functions without a name, as other languages write them.

use clank_syntax::TokenKind as T;

use super::pieces::{PieceEdit, Pieces};
use super::table::IdiomContext;

/// `|x| e`, `|a, b| e`, `|| e`.
pub(super) fn bars(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        if !starts_value(it, at) {
            continue;
        }
        if it.kind(at) == T::Or {
            edits.extend(it.put(at..at + 1, "\\() ->"));
            continue;
        }
        if it.kind(at) != T::Pipe {
            continue;
        }
        let close = (at + 1..it.len().min(at + 40)).find(|place| it.kind(*place) == T::Pipe);
        let Some(close) = close else { continue };
        let params = it.words(at + 1..close);
        let params = params.replace('&', "");
        let skipped = if it.kind(close + 1) == T::Arrow {
            // `|x| -> Int { … }`: the type of the result follows.
            (close + 1..it.len()).find(|place| it.kind(*place) == T::LBrace).unwrap_or(close + 1)
        } else {
            close + 1
        };
        edits.extend(it.put(at..skipped, written(&params)));
    }
    edits
}

/// The parameters as a lambda has them.
fn written(params: &str) -> String {
    let params = params.trim();
    // A pattern is taken apart by its parts: where one tuple is given, that comes to light.
    let inner = params.strip_prefix(['(', '[']).and_then(|it| it.strip_suffix([')', ']']));
    let params = inner.filter(|it| !it.contains(['(', '['])).unwrap_or(params);
    match params.contains([',', ':']) || params.is_empty() {
        true => format!("\\({params}) ->"),
        false => format!("\\{params} ->"),
    }
}

/// Whether a value can start here, and no operand ends.
fn starts_value(it: &Pieces<'_>, at: usize) -> bool {
    matches!(
        it.kind_before(at),
        T::LParen
            | T::Comma
            | T::Eq
            | T::Return
            | T::LBracket
            | T::LBrace
            | T::Semi
            | T::Colon
            | T::PipeGt
            | T::Arrow
    )
}

/// `x => e`, `(x, y) => e`, `x -> e`, `(x, y) -> e`, `\x => e`; and `=>` in an arm.
pub(super) fn arrows(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        let is_fat = is_fat(it, at);
        if !is_fat && it.kind(at) != T::Arrow {
            continue;
        }
        let width = if is_fat { 2 } else { 1 };
        if in_arm(it, at) {
            if is_fat {
                edits.extend(it.put(at..at + width, "->"));
            }
            continue;
        }
        let last = at - 1;
        let start = match it.kind(last) {
            T::Ident | T::Underscore => last,
            T::TypeIdent if is_fat && it.kind_before(last) == T::Colon => last,
            T::RParen => match it.partner(last) {
                Some(open) => open,
                None => continue,
            },
            _ => continue,
        };
        // `(x: T): R => e`: the type of the result is found out.
        let (start, last) =
            match (it.kind(start.wrapping_sub(1)), it.partner(start.wrapping_sub(2))) {
                (T::Colon, Some(open))
                    if is_fat && it.kind(start.wrapping_sub(2)) == T::RParen && start == last =>
                {
                    (open, start - 2)
                }
                _ => (start, last),
            };
        if it.kind_before(start) == T::Lambda {
            if is_fat {
                edits.extend(it.put(at..at + width, "->"));
            }
            continue;
        }
        let is_function =
            matches!(it.word(start.wrapping_sub(1)), "fn" | "fun" | "function" | "func");
        let from = if is_function { start - 1 } else { start };
        if !starts_value(it, from) || !are_params(it, start, last) {
            continue;
        }
        let params = it.words(start..last + 1);
        let params = params.strip_prefix('(').and_then(|it| it.strip_suffix(')')).unwrap_or(params);
        edits.extend(it.put(from..at + width, written(params)));
    }
    edits
}

/// Whether `=>` stands here.
pub(super) fn is_fat(it: &Pieces<'_>, at: usize) -> bool {
    it.kind(at) == T::Eq && it.kind(at + 1) == T::Gt && it.is_glued(at + 1)
}

/// Whether these are names, with or without types: then they are parameters and no type.
fn are_params(it: &Pieces<'_>, start: usize, last: usize) -> bool {
    if start == last {
        return true;
    }
    let mut at = start + 1;
    if it.kind(at) == T::LBracket && it.partner(at) == Some(last.wrapping_sub(1)) {
        return (at + 1..last - 1)
            .all(|place| matches!(it.kind(place), T::Ident | T::Underscore | T::Comma));
    }
    while at < last {
        if !matches!(it.kind(at), T::Ident | T::Underscore) {
            return false;
        }
        match it.kind(at + 1) {
            T::Comma => at += 2,
            T::Colon => {
                at += 2;
                while at < last && it.kind(at) != T::Comma {
                    at = it.partner(at).filter(|it| *it > at).unwrap_or(at) + 1;
                }
                at += 1;
            }
            _ if at + 1 == last => return true,
            _ => return false,
        }
    }
    true
}

/// Whether an arrow belongs to an arm: the braces around it are those of a `match`.
pub(super) fn in_arm(it: &Pieces<'_>, at: usize) -> bool {
    let Some(open) = it.parent(at).filter(|open| it.kind(*open) == T::LBrace) else { return false };
    let mut back = open;
    while back > 0 {
        back -= 1;
        match it.kind(back) {
            T::Match => return arm_start(it, open, at),
            T::Ident if matches!(it.word(back), "switch" | "when" | "case") => {
                return arm_start(it, open, at);
            }
            T::LBrace
            | T::Semi
            | T::RBrace
            | T::Eq
            | T::Arrow
            | T::If
            | T::While
            | T::For
            | T::Else => {
                return false;
            }
            T::RParen | T::RBracket => match it.partner(back) {
                Some(open) => back = open,
                None => return false,
            },
            _ => {}
        }
    }
    false
}

/// Whether the first arrow behind the last comma is this one.
fn arm_start(it: &Pieces<'_>, open: usize, at: usize) -> bool {
    let mut back = at;
    while back > open + 1 {
        back -= 1;
        match it.kind(back) {
            T::RParen | T::RBracket | T::RBrace => {
                if it.kind(back) == T::RBrace && back + 1 < at && it.is_first(back + 1) {
                    return true;
                }
                match it.partner(back) {
                    Some(open) => back = open,
                    None => return true,
                }
            }
            T::Comma => return true,
            T::Arrow => {
                return it.is_first(back + 1) || (back + 1..at).any(|place| it.is_first(place));
            }
            T::Eq if is_fat(it, back) => return (back + 1..at).any(|place| it.is_first(place)),
            T::Lambda => return false,
            _ => {}
        }
    }
    true
}

/// `lambda x, y: e`.
pub(super) fn python(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        if it.word(at) != "lambda" || it.kind(at) != T::Ident || cx.is_known("lambda") {
            continue;
        }
        let mut end = at + 1;
        while matches!(it.kind(end), T::Ident | T::Underscore | T::Comma) {
            end += 1;
        }
        match it.kind(end) {
            T::Colon | T::Arrow => {
                edits.extend(it.put(at..end + 1, written(it.words(at + 1..end))));
            }
            _ => {}
        }
    }
    edits
}

/// `fn(x) { … }`, `function (x) { … }`, `{ x -> … }`, `func(x: Int) -> Int { … }` as a value.
pub(super) fn functions(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        edits.extend(braced(it, at).into_iter().flatten());
        let is_word =
            matches!(it.word(at), "fn" | "fun" | "function" | "func") && starts_value(it, at);
        if !is_word || it.kind(at + 1) != T::LParen {
            continue;
        }
        let Some(close) = it.partner(at + 1) else { continue };
        if !are_params(it, at + 1, close) && close > at + 2 {
            continue;
        }
        let mut end = close + 1;
        if matches!(it.kind(end), T::Arrow | T::Colon) {
            let brace = (end..it.len().min(end + 12)).find(|place| it.kind(*place) == T::LBrace);
            end = brace.unwrap_or(end + 1);
        }
        let params = it.words(at + 2..close);
        edits.extend(it.put(at..end, written(params)));
    }
    edits
}

/// `{ a, b -> e }` as an argument.
fn braced(it: &Pieces<'_>, open: usize) -> Option<Vec<PieceEdit>> {
    let is_argument = it.kind(open) == T::LBrace
        && matches!(it.kind_before(open), T::LParen | T::Comma | T::Eq)
        && it.kind(open + 1) == T::Ident;
    let close = it.partner(open).filter(|_| is_argument)?;
    let mut end = open + 1;
    while matches!(it.kind(end), T::Ident | T::Underscore | T::Comma) {
        end += 1;
    }
    let has_more_arrows =
        (end + 1..close).any(|at| it.kind(at) == T::Arrow && it.parent(at) == Some(open));
    if it.kind(end) != T::Arrow || has_more_arrows {
        return None;
    }
    let params = it.words(open + 1..end);
    let text = it.words(end + 1..close);
    let is_one = (end + 1..close).all(|at| at == end + 1 || !it.is_first(at));
    let body = if is_one { text.to_owned() } else { format!("{{ {text} }}") };
    Some(it.put(open..close + 1, format!("{} {body}", written(params))).into_iter().collect())
}

/// `\a, b -> e` and `\a b -> e`: several parameters are in parentheses.
pub(super) fn parameters(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        if it.kind(at) != T::Lambda || it.kind(at + 1) == T::LParen {
            continue;
        }
        let mut end = at + 1;
        let mut names = Vec::new();
        while matches!(it.kind(end), T::Ident | T::Underscore | T::Comma) {
            if it.kind(end) != T::Comma {
                names.push(it.word(end));
            }
            end += 1;
        }
        if names.len() > 1 && it.kind(end) == T::Arrow {
            edits.extend(it.put(at + 1..end, format!("({}) ", names.join(", "))));
        }
    }
    edits
}

/// `\(total, (a, b)) -> e`: no pattern can be a parameter, so the tuple is taken apart in the function.
pub(super) fn patterns(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        if it.kind(at) != T::Lambda || it.kind(at + 1) != T::LParen {
            continue;
        }
        let Some(close) = it.partner(at + 1) else { continue };
        let open = (at + 2..close).find(|place| {
            matches!(it.kind(*place), T::LParen | T::LBracket)
                && matches!(it.kind_before(*place), T::LParen | T::Comma)
        });
        let Some((open, end)) = open.and_then(|open| Some((open, it.partner(open)?))) else {
            continue;
        };
        let are_names = (open + 1..end)
            .all(|place| matches!(it.kind(place), T::Ident | T::Underscore | T::Comma));
        if !are_names || it.kind(close + 1) != T::Arrow || close + 2 >= it.len() {
            continue;
        }
        let name = ["pair", "parts", "entry"].into_iter().find(|name| !it.has(name));
        let Some(name) = name else { continue };
        let body_end = it.expr_end(close + 2);
        let (pattern, body) = (it.words(open + 1..end), it.words(close + 2..body_end));
        edits.extend(it.put(open..end + 1, name));
        let block = format!("{{ let ({pattern}) = {name}; {body} }}");
        edits.extend(it.put(close + 2..body_end, block));
    }
    edits
}
