//! Numbers, booleans and date-times: everything that is written without quotes or brackets.

use super::error;
use super::lex::Lexer;
use crate::refusal::{ParseError, ParseErrorKind};
use crate::toml::scalar;
use crate::toml::tree::NodeForm;

/// Reads one unquoted scalar.
pub(super) fn read(lexer: &mut Lexer<'_>) -> Result<NodeForm, ParseError> {
    let start = lexer.pos();
    let rest = lexer.rest();
    let mut len = token_len(rest);
    if len == 0 {
        return Err(lexer.unexpected("a value"));
    }
    // A date may be followed by one blank and a time.
    if len == 10 && is_date(&rest.as_bytes()[..len]) {
        let after = &rest.as_bytes()[len..];
        if after.first() == Some(&b' ') && after.get(1).is_some_and(u8::is_ascii_digit) {
            len += 1 + token_len(&rest[len + 1..]);
        }
    }
    let token = &rest[..len];
    let form = classify(token).map_err(|message| error(ParseErrorKind::Syntax, start, message))?;
    lexer.advance(len);
    Ok(form)
}

/// Whether `text` is a date, a time or both.
pub(in crate::toml) fn is_datetime(text: &str) -> bool {
    let bytes = text.as_bytes();
    let after_date = bytes.split_at_checked(10).filter(|(date, _)| is_date(date));
    let Some((_, rest)) = after_date else {
        return time_len(bytes) == Some(bytes.len());
    };
    let [b'T' | b't' | b' ', time @ ..] = rest else { return rest.is_empty() };
    let Some(len) = time_len(time) else { return false };
    match &time[len..] {
        [] | [b'Z' | b'z'] => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => {
            number(&[*h1, *h2]).is_some_and(|it| it < 24)
                && number(&[*m1, *m2]).is_some_and(|it| it < 60)
        }
        _ => false,
    }
}

fn token_len(text: &str) -> usize {
    let is_part = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-' | b'.' | b':')
    };
    text.as_bytes().iter().take_while(|byte| is_part(byte)).count()
}

fn classify(token: &str) -> Result<NodeForm, &'static str> {
    if token == "true" || token == "false" {
        return Ok(NodeForm::Bool);
    }
    let unsigned = token.strip_prefix(['+', '-']).unwrap_or(token);
    if unsigned == "inf" || unsigned == "nan" {
        return Ok(NodeForm::Float);
    }
    let bytes = token.as_bytes();
    if bytes.get(4) == Some(&b'-') && bytes[..4].iter().all(u8::is_ascii_digit)
        || bytes.get(2) == Some(&b':')
    {
        return if is_datetime(token) {
            Ok(NodeForm::Datetime)
        } else {
            Err("invalid date or time")
        };
    }
    let is_integer = match bytes {
        [b'0', b'x', digits @ ..] => is_digits(digits, u8::is_ascii_hexdigit),
        [b'0', b'o', digits @ ..] => is_digits(digits, |it| (b'0'..=b'7').contains(it)),
        [b'0', b'b', digits @ ..] => is_digits(digits, |it| matches!(it, b'0' | b'1')),
        _ => is_decimal(unsigned.as_bytes()),
    };
    if is_integer {
        return match scalar::integer(token) {
            Some(_) => Ok(NodeForm::Integer),
            None => Err("an integer beyond 64 bits"),
        };
    }
    if is_float(unsigned) { Ok(NodeForm::Float) } else { Err("invalid value") }
}

/// Digits with single underscores between them.
fn is_digits(bytes: &[u8], is_digit: impl Fn(&u8) -> bool) -> bool {
    let is_edge = |byte: Option<&u8>| byte.is_some_and(&is_digit);
    is_edge(bytes.first())
        && is_edge(bytes.last())
        && bytes.iter().all(|byte| *byte == b'_' || is_digit(byte))
        && !bytes.windows(2).any(|pair| pair == b"__")
}

/// Decimal digits without a leading zero.
fn is_decimal(bytes: &[u8]) -> bool {
    is_digits(bytes, u8::is_ascii_digit) && (bytes.len() == 1 || bytes[0] != b'0')
}

fn is_float(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| is_digits(text.as_bytes(), u8::is_ascii_digit);
    (fraction.is_some() || exponent.is_some())
        && is_decimal(whole.as_bytes())
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|it| digits(it.strip_prefix(['+', '-']).unwrap_or(it)))
}

fn is_date(bytes: &[u8]) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = bytes else { return false };
    let (Some(year), Some(month), Some(day)) =
        (number(&[*y1, *y2, *y3, *y4]), number(&[*m1, *m2]), number(&[*d1, *d2]))
    else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// How many bytes of a time there are: `hh:mm`, then perhaps `:ss`, then perhaps a fraction.
fn time_len(bytes: &[u8]) -> Option<usize> {
    let [h1, h2, b':', m1, m2, rest @ ..] = bytes else { return None };
    if number(&[*h1, *h2])? > 23 || number(&[*m1, *m2])? > 59 {
        return None;
    }
    let [b':', s1, s2, rest @ ..] = rest else { return Some(5) };
    // 60 is a leap second.
    if number(&[*s1, *s2])? > 60 {
        return None;
    }
    let [b'.', fraction @ ..] = rest else { return Some(8) };
    let digits = fraction.iter().take_while(|it| it.is_ascii_digit()).count();
    (digits > 0).then_some(9 + digits)
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |value: u32, digit| {
        digit.is_ascii_digit().then(|| value * 10 + u32::from(digit - b'0'))
    })
}
