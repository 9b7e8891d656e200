//! The words of an expression.

use std::ops::Range;

use super::SyntaxError;

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    Name,
    Text(String),
    Number,
    Dot,
    Comma,
    Star,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Not,
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// A token, the bytes it stands on, and these bytes.
#[derive(Clone, Debug)]
pub(super) struct LexedToken<'a> {
    pub(super) token: Token,
    pub(super) range: Range<usize>,
    pub(super) text: &'a str,
}

/// The tokens from a position on, and the position behind them: behind `}}` if that ends the expression, else the end of
/// the text.
pub(super) fn tokens(
    text: &str,
    start: usize,
    ends_with_braces: bool,
) -> Result<(Vec<LexedToken<'_>>, usize), SyntaxError> {
    let mut words = Vec::new();
    let mut at = start;
    loop {
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else {
            if ends_with_braces {
                let message = "expected `}}` to end the expression, found the end of the string";
                return Err(error(start - 3..text.len(), message));
            }
            return Ok((words, at));
        };
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if ends_with_braces && rest.starts_with("}}") {
            return Ok((words, at + 2));
        }
        let (token, length) = token(rest, at, ends_with_braces)?;
        words.push(LexedToken { token, range: at..at + length, text: &rest[..length] });
        at += length;
    }
}

fn error(range: Range<usize>, message: impl Into<String>) -> SyntaxError {
    SyntaxError { range, message: message.into(), instead: None }
}

fn token(rest: &str, at: usize, has_braces: bool) -> Result<(Token, usize), SyntaxError> {
    let two = |token| Ok((token, 2));
    let one = |token| Ok((token, 1));
    let bytes = rest.as_bytes();
    let slip = |right: &str| {
        let message = format!("expected `{right}`, found `{}`", &rest[..1]);
        Err(SyntaxError { instead: Some(right.to_owned()), ..error(at..at + 1, message) })
    };
    match bytes {
        [b'&', b'&', ..] => two(Token::And),
        [b'|', b'|', ..] => two(Token::Or),
        [b'=', b'=', ..] => two(Token::Equal),
        [b'!', b'=', ..] => two(Token::NotEqual),
        [b'<', b'=', ..] => two(Token::LessEqual),
        [b'>', b'=', ..] => two(Token::GreaterEqual),
        [b'<', ..] => one(Token::Less),
        [b'>', ..] => one(Token::Greater),
        [b'!', ..] => one(Token::Not),
        [b'.', next, ..] if next.is_ascii_digit() => number(rest, at, has_braces),
        [b'.', ..] => one(Token::Dot),
        [b',', ..] => one(Token::Comma),
        [b'*', ..] => one(Token::Star),
        [b'(', ..] => one(Token::Open),
        [b')', ..] => one(Token::Close),
        [b'[', ..] => one(Token::OpenBracket),
        [b']', ..] => one(Token::CloseBracket),
        [b'\'', ..] => quoted(rest, at),
        [b'"', ..] => Err(double_quoted(rest, at)),
        [b'=', ..] => slip("=="),
        [b'&', ..] => slip("&&"),
        [b'|', ..] => slip("||"),
        [b'0'..=b'9' | b'-' | b'+', ..] => number(rest, at, has_braces),
        [first, ..] if first.is_ascii_alphabetic() || *first == b'_' => {
            let is_part = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-');
            Ok((Token::Name, bytes.iter().take_while(|it| is_part(it)).count()))
        }
        _ => {
            let first = rest.chars().next().unwrap_or_default();
            let range = at..at + first.len_utf8();
            let hint = match first {
                '$' => "; shell variables cannot be used in an expression",
                '+' | '/' | '%' => "; there are no arithmetic operators",
                _ => "",
            };
            Err(error(range, format!("unexpected character `{}`{hint}", first.escape_debug())))
        }
    }
}

fn quoted(rest: &str, at: usize) -> Result<(Token, usize), SyntaxError> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((idx, it)) = chars.next() {
        if it != '\'' {
            text.push(it);
        } else if chars.next_if(|it| it.1 == '\'').is_some() {
            text.push('\'');
        } else {
            return Ok((Token::Text(text), idx + 1));
        }
    }
    Err(error(at..at + rest.len(), "unterminated string; expected `'`"))
}

fn double_quoted(rest: &str, at: usize) -> SyntaxError {
    let end =
        rest[1..].find(['"', '\n']).map(|it| it + 1).filter(|it| rest[*it..].starts_with('"'));
    let length = end.map_or(1, |it| it + 1);
    let instead = end.map(|it| format!("'{}'", rest[1..it].replace('\'', "''")));
    let message = "expected `'` around a string, found `\"`";
    SyntaxError { instead, ..error(at..at + length, message) }
}

fn number(rest: &str, at: usize, has_braces: bool) -> Result<(Token, usize), SyntaxError> {
    let is_end = |it: char| {
        it.is_whitespace()
            || matches!(it, ',' | ')' | ']' | '(' | '[' | '=' | '!' | '<' | '>' | '&' | '|')
            || has_braces && it == '}'
    };
    let length = rest.find(is_end).unwrap_or(rest.len());
    let text = &rest[..length];
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_of = |prefix: &str, radix: u32| {
        let digits = digits.strip_prefix(prefix);
        digits.is_some_and(|it| !it.is_empty() && it.chars().all(|it| it.is_digit(radix)))
    };
    let is_decimal = digits.starts_with(|it: char| it.is_ascii_digit() || it == '.')
        && digits.parse::<f64>().is_ok();
    let is_infinite = digits == "Infinity";
    if is_decimal || is_of("0x", 16) || is_of("0o", 8) || is_infinite {
        return Ok((Token::Number, length));
    }
    let length = length.max(1);
    let hint = match rest.as_bytes()[0] {
        b'+' | b'-' => "; there are no arithmetic operators",
        _ => "",
    };
    let shown = crate::schema::cut(&rest[..length.min(rest.len())]);
    Err(error(at..at + length, format!("expected a number, found `{shown}`{hint}")))
}
