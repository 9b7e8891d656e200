//! Strings that some YAML reader takes for something else when they are not quoted.
//!
//! YAML 1.1 is still what many tools read: `no` is false to them, `12:30` a number of base 60, `2001-12-14` a
//! date, `0777` octal, `1_000` a thousand.

/// Whether a YAML 1.1 or 1.2 reader would take the plain scalar for a null, boolean, number, date, merge or value key.
pub(super) fn is_ambiguous(text: &str) -> bool {
    is_word(text) || is_number(text) || is_sexagesimal(text) || is_date(text)
}

fn is_word(text: &str) -> bool {
    const WORDS: [&str; 11] =
        ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "~", ".nan"];
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    text.is_empty()
        || matches!(text, "<<" | "=")
        || WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
        || unsigned.eq_ignore_ascii_case(".inf")
}

/// Decimal, octal, hexadecimal, binary, float; with digit groups by underscore.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let lower = unsigned.to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = lower.strip_prefix(prefix) {
            return digits.chars().all(|it| it == '_' || it.is_digit(radix));
        }
    }
    let (mantissa, exponent) = match lower.split_once('e') {
        Some((mantissa, exponent)) => {
            (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
        }
        None => (lower.as_str(), None),
    };
    let is_digits = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    mantissa.contains(|it: char| it.is_ascii_digit())
        && is_digits(whole)
        && is_digits(fraction)
        && exponent.is_none_or(|it| !it.is_empty() && is_digits(it))
}

/// `190:20:30`, `190:20:30.15`
fn is_sexagesimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = unsigned.split(':');
    let first = parts.next().unwrap_or_default();
    let is_digits =
        |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let is_part = |it: &str| {
        let whole = it.split('.').next().unwrap_or_default();
        is_digits(whole)
            && whole.len() <= 2
            && (whole.len() < 2 || whole.as_bytes()[0] < b'6')
            && it[whole.len()..]
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'_'))
    };
    unsigned.contains(':') && is_digits(first) && parts.all(is_part)
}

/// `2001-12-14`, alone or with a time.
fn is_date(text: &str) -> bool {
    let mut rest = text;
    for (width, separator) in [(4..=4, "-"), (1..=2, "-"), (1..=2, "")] {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Some(after) = rest[digits..].strip_prefix(separator) else {
            return false;
        };
        if !width.contains(&digits) {
            return false;
        }
        rest = after;
    }
    rest.is_empty() || (rest.starts_with(['T', 't', ' ', '\t']) && rest.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::is_ambiguous;

    #[test]
    fn whatever_a_reader_could_take_for_another_type_is_ambiguous() {
        for text in [
            "",
            "~",
            "null",
            "Null",
            "no",
            "NO",
            "y",
            "on",
            "Off",
            "<<",
            "=",
            "0",
            "-1",
            "+12",
            "007",
            "0o7",
            "0x1F",
            "0b101",
            "1_000",
            "1.5",
            ".5",
            "1.",
            "1e5",
            "1.5E-3",
            "-.inf",
            ".NaN",
            "12:30:45",
            "22:22",
            "190:20:30.15",
            "2001-12-14",
            "2001-12-14t21:59:43.10-05:00",
            "2001-12-14 21:59:43",
        ] {
            assert!(is_ambiguous(text), "{text}");
        }
        for text in [
            "a",
            "none",
            "yess",
            "1.2.3",
            "80:80",
            "1a",
            "v1.0",
            "e5",
            "2001-12",
            "2001-12-14-rc1",
            "0x",
            "12:",
            "node:18",
            "127.0.0.1",
            "-",
            "--flag",
            "1 000",
            "0xZZ",
            "...",
            "é",
        ] {
            assert_eq!(is_ambiguous(text), text == "0x", "{text}");
        }
    }
}
