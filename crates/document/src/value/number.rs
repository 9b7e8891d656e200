//! Numbers by their decimal digits: no float is ever made, so no digit is ever lost.

use std::cmp::Ordering;

/// A decimal number as text: JSON's grammar, or one of `.inf`, `-.inf`, `.nan`.
#[derive(Clone, Debug)]
pub struct Number {
    text: Box<str>,
}

impl Number {
    /// The number that `text` writes, if it follows JSON's grammar.
    pub fn parse(text: &str) -> Option<Number> {
        is_json_number(text.as_bytes()).then(|| Number { text: text.into() })
    }

    /// An integer.
    pub fn from_integer(value: i128) -> Number {
        Number { text: value.to_string().into() }
    }

    /// Infinity, which JSON has no text for.
    pub fn infinity(negative: bool) -> Number {
        Number { text: if negative { "-.inf" } else { ".inf" }.into() }
    }

    /// Not a number, which JSON has no text for.
    pub fn nan() -> Number {
        Number { text: ".nan".into() }
    }

    /// The digits as they were written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether JSON can write it.
    pub fn is_finite(&self) -> bool {
        !self.text.ends_with(['f', 'n'])
    }

    /// Whether it is written as an integer: no fraction and no exponent.
    pub fn is_integer_literal(&self) -> bool {
        self.is_finite() && !self.text.contains(['.', 'e', 'E'])
    }

    /// Whether its value has no fraction: `1`, `1.0`, `1e3`.
    pub fn is_integral(&self) -> bool {
        self.is_finite() && self.decimal().is_none_or(|decimal| decimal.exponent >= 0)
    }

    /// The value as an index.
    pub fn as_usize(&self) -> Option<usize> {
        self.is_integer_literal().then(|| self.text.parse().ok()).flatten()
    }

    /// Equality by value: `1` equals `1.0` and `10e-1`.
    pub fn equals(&self, other: &Number) -> bool {
        if self.text == other.text {
            return true;
        }
        match (self.is_finite() && other.is_finite(), self.decimal(), other.decimal()) {
            (true, Some(left), Some(right)) => left == right,
            _ => false,
        }
    }

    /// Equality by value and by being written as an integer or not.
    pub fn is_same(&self, other: &Number) -> bool {
        self.is_integer_literal() == other.is_integer_literal() && self.equals(other)
    }

    /// Sign, digits and exponent without superfluous zeros; `None` if the exponent is beyond 64 bits.
    fn decimal(&self) -> Option<Decimal> {
        let (negative, rest) = match self.text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, &*self.text),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()),
            None => (rest, Some(0)),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = [whole, fraction].concat();
        let trimmed = digits.trim_end_matches('0');
        let significant = trimmed.trim_start_matches('0');
        if significant.is_empty() {
            return Some(Decimal { negative: false, digits: String::new(), exponent: 0 });
        }
        let trailing_zeros = i64::try_from(digits.len() - trimmed.len()).ok()?;
        let places = i64::try_from(fraction.len()).ok()?;
        let exponent = exponent?.checked_sub(places)?.checked_add(trailing_zeros)?;
        Some(Decimal { negative, digits: significant.to_string(), exponent })
    }
}

#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

/// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
fn is_json_number(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(text);
    if whole == 0 || (whole > 1 && text[0] == b'0') {
        return false;
    }
    let mut rest = &text[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = match exponent {
            [b'+' | b'-', digits @ ..] => digits,
            digits => digits,
        };
        let count = digits(exponent);
        return count > 0 && count == exponent.len();
    }
    rest.is_empty()
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.text.cmp(&other.text) == Ordering::Equal || self.is_same(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FA-38, X-15: numbers compare by value and exactly, not as doubles.
    #[test]
    fn numbers_compare_by_value_without_losing_digits() {
        let number = |text| Number::parse(text).unwrap();
        for (left, right) in
            [("1", "1.0"), ("10", "1e1"), ("-0", "0.0"), ("0.10", "1E-1"), ("100", "1e+2")]
        {
            assert!(number(left).equals(&number(right)), "{left} {right}");
        }
        for (left, right) in
            [("9007199254740993", "9007199254740992"), ("1", "-1"), ("1", "1.0000000000000000001")]
        {
            assert!(!number(left).equals(&number(right)), "{left} {right}");
        }
        assert!(!number("1").is_same(&number("1.0")));
        assert!(number("1e99999999999999999999").equals(&number("1e99999999999999999999")));
        assert!(number("12.0").is_integral() && !number("12.5").is_integral());
    }

    #[test]
    fn only_the_json_grammar_is_a_number() {
        for text in ["0", "-1", "10", "1.5", "1e5", "1E+5", "0.0e-0"] {
            assert!(Number::parse(text).is_some(), "{text}");
        }
        for text in ["", "-", "01", "1.", ".5", "+1", "1e", "1e+", "0x1", "1_0", "inf", " 1", "1 "]
        {
            assert!(Number::parse(text).is_none(), "{text}");
        }
    }
}
