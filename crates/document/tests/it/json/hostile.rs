//! Inputs that are wrong, or made to cost much: an error with its place, in bounded time, and never a panic.

use document::{Format, Limits, ParseErrorKind, RefusalReason, parse};
use edit::Text;

fn error(text: impl Into<Vec<u8>>) -> (ParseErrorKind, u32, String) {
    let error = parse(&Text::new(text), Format::Json, &Limits::DEFAULT).unwrap_err();
    (error.kind, error.offset, error.message)
}

#[track_caller]
fn check(text: &str, offset: u32, message: &str) {
    assert_eq!(error(text), (ParseErrorKind::Syntax, offset, message.to_string()), "{text:?}");
}

#[test]
fn wrong_text_is_an_error_with_its_place() {
    for (text, offset, message) in [
        ("", 0, "the document is empty"),
        (" \n// only a comment\n", 20, "the document is empty"),
        ("\u{feff}", 3, "the document is empty"),
        ("\u{feff}\u{feff}1", 3, "expected a value, found `\\u{feff}`"),
        ("[\u{feff}1]", 1, "expected a value, found `\\u{feff}`"),
        ("1 2", 2, "expected the end of the document, found `2`"),
        ("{} // x\n}", 8, "expected the end of the document, found `}`"),
        ("[1 2]", 3, "expected `,` or `]`, found `2`"),
        ("[1,,2]", 3, "expected a value, found `,`"),
        ("[,]", 1, "expected a value, found `,`"),
        ("{,}", 1, "expected a key in double quotes or `}`, found `,`"),
        ("{a: 1}", 1, "expected a key in double quotes or `}`, found `a`"),
        ("{'a': 1}", 1, "expected a key in double quotes or `}`, found `'`"),
        ("{\"a\" 1}", 5, "expected `:` after the key, found `1`"),
        ("{\"a\":}", 5, "expected a value, found `}`"),
        ("{\"a\": 1", 7, "expected `,` or `}`, found the end of the file"),
        ("[1}", 2, "expected `,` or `]`, found `}`"),
        ("[", 1, "expected a value, found the end of the file"),
        ("]", 0, "expected a value, found `]`"),
        ("01", 1, "a number must not have leading zeros"),
        ("-", 1, "expected a digit, found the end of the file"),
        ("+1", 0, "expected a value, found `+`"),
        ("1.", 2, "expected a digit, found the end of the file"),
        ("[.5]", 1, "expected a value, found `.`"),
        ("[1e+]", 4, "expected a digit, found `]`"),
        ("0x1F", 1, "expected the end of the document, found `x`"),
        ("NaN", 0, "expected a value, found `N`"),
        ("tru", 0, "expected a value, found `t`"),
        ("nullx", 4, "expected the end of the document, found `x`"),
        ("\"a", 2, "a string is not closed"),
        ("\"a\nb\"", 2, "unescaped control character in a string"),
        ("\"\0\"", 1, "unescaped control character in a string"),
        ("\"\\x\"", 1, "unknown escape in a string"),
        ("[\"\\ud800\"]", 2, "unpaired surrogate in an escape"),
        ("\0", 0, "expected a value, found `\\0`"),
        ("[1]\0", 3, "expected the end of the document, found `\\0`"),
        ("[1, /* x", 4, "a comment is not closed"),
        ("[1, / 2]", 4, "expected `//` or `/*`, found `/`"),
        ("[1] // \u{1}", 7, "a control character in a comment"),
        ("[1\u{a0}]", 2, "expected `,` or `]`, found `\\u{a0}`"),
        ("[\u{2028}1]", 1, "expected a value, found `\\u{2028}`"),
    ] {
        check(text, offset, message);
    }
    assert_eq!(error(b"[\"\xff\"]".to_vec()).0, ParseErrorKind::NotUtf8);
}

#[test]
fn nesting_is_bounded_without_recursion() {
    for (open, close, place) in [("[", "]", 256), ("{\"a\":", "}", 5 * 256)] {
        let nested = |depth: usize| format!("{}{}{}", open.repeat(depth), "1", close.repeat(depth));
        assert!(parse(&Text::new(nested(256)), Format::Json, &Limits::DEFAULT).is_ok());
        for depth in [257, 100_000] {
            let (kind, offset, message) = error(nested(depth));
            assert_eq!((kind, offset), (ParseErrorKind::TooLarge, place), "{message}");
            assert_eq!(message, "nested deeper than 256 levels");
        }
    }
    assert_eq!(error("[".repeat(1_000_000)).0, ParseErrorKind::TooLarge);
}

#[test]
fn a_text_beyond_the_size_limit_is_not_parsed() {
    let limits = Limits { max_bytes: 4, ..Limits::DEFAULT };
    let error = parse(&Text::new("[1, 2]"), Format::Json, &limits).unwrap_err();
    assert_eq!(error.kind, ParseErrorKind::TooLarge);
}

/// The second of two equal keys is named, however it is written and however large the object is.
#[test]
fn a_repeated_key_blocks_edits() {
    let many: Vec<String> = (0..5_000).map(|nth| format!("\"k{nth}\": {nth}")).collect();
    let many = many.join(",");
    let repeating = format!("{{\"k4999\": 1,{many}, \"k1\": 2}}");
    let second = repeating.rfind("\"k4999\"").and_then(|at| u32::try_from(at).ok()).unwrap();
    let cases = [
        ("{\"a\": 1, \"a\": 2}".to_string(), Some(("a", 9))),
        ("{\"a\": 1, \"\\u0061\": 2}".to_string(), Some(("a", 9))),
        ("[{\"x\": {\"b\": 1, \"b\": 2}, \"x\": 1}]".to_string(), Some(("b", 16))),
        ("{\"a\": {\"a\": 1}, \"b\": {\"a\": 1}}".to_string(), None),
        ("{\"\": 1, \"\": 2}".to_string(), Some(("", 8))),
        (format!("{{{many}}}"), None),
        (repeating, Some(("k4999", second))),
    ];
    for (text, expected) in cases {
        let document = parse(&Text::new(text), Format::Json, &Limits::DEFAULT).unwrap();
        let blocked = document.blocked();
        let found = blocked.as_ref().map(|refusal| match &refusal.reason {
            RefusalReason::DuplicateKey { key } => (key.as_str(), refusal.offset),
            other => panic!("{other}"),
        });
        assert_eq!(found, expected);
    }
}

#[test]
fn a_huge_number_keeps_its_digits() {
    let digits = "9".repeat(1_000_000);
    let document = parse(&Text::new(digits.clone()), Format::Json, &Limits::DEFAULT).unwrap();
    let document::Value::Number(number) = document.value() else { panic!("not a number") };
    assert_eq!(number.text(), digits);
}
