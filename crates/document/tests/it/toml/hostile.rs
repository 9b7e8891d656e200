//! Texts that are meant to hurt: an error with a place, in bounded time and memory, or a document.

use document::{Format, Limits, ParseErrorKind, parse};
use edit::Text;

use super::read;

#[track_caller]
fn check(text: impl Into<Vec<u8>>, kind: ParseErrorKind, offset: u32, message: &str) {
    let error = read(text).expect_err("must not parse");
    assert_eq!((error.kind, error.offset, error.message.as_str()), (kind, offset, message));
}

#[test]
fn nesting_is_bounded_however_it_is_written() {
    let deep = "nested deeper than 256 levels";
    let n = 100_000;
    check(format!("a = {}", "[".repeat(n)), ParseErrorKind::TooLarge, 259, deep);
    check(format!("a = {}", "{a=".repeat(n)), ParseErrorKind::TooLarge, 769, deep);
    check(format!("a{} = 1", ".a".repeat(n)), ParseErrorKind::TooLarge, 510, deep);
    check(format!("[a{}]", ".a".repeat(n)), ParseErrorKind::TooLarge, 511, deep);
    check(format!("[[a{}]]", ".a".repeat(n)), ParseErrorKind::TooLarge, 512, deep);
    check("[".repeat(n), ParseErrorKind::Syntax, 2, "expected a key, found `[`");
    let arrays: String = (1..300).map(|n| format!("[[a{}]]\n", ".a".repeat(n))).collect();
    assert_eq!(read(arrays).unwrap_err().kind, ParseErrorKind::TooLarge);
}

#[test]
fn the_deepest_document_that_is_allowed_can_be_read_and_edited() {
    let n = Limits::DEFAULT.max_depth - 1;
    let arrays = format!("a = {}{}\n", "[".repeat(n), "]".repeat(n));
    let keys = format!("a{} = 1\n", ".a".repeat(n));
    let headers = format!("[a{}]\nb = 1\n", ".a".repeat(n - 1));
    for text in [arrays, keys, headers] {
        let value = read(text.clone()).unwrap();
        let ops =
            super::generate::ops(&mut super::generate::Dice::new(&[7, 11, 13]), value, |_| true);
        crate::it::laws::check_sequence("deep", Format::Toml, &text, &ops);
    }
}

#[test]
fn errors_name_the_place_and_echo_little() {
    use ParseErrorKind::{NotUtf8, Syntax};
    check("a = \0", Syntax, 4, "expected a value, found `\\0`");
    check("a = \"\0\"", Syntax, 5, "control character U+0000 must be escaped");
    check("# \u{7f}\n", Syntax, 2, "control character U+007F must be escaped");
    check("a = 1\n\u{feff}b = 2\n", Syntax, 6, "expected a key, found `\\u{feff}`");
    check("a = 1\rb = 2\n", Syntax, 5, "expected the end of the line, found the end of the line");
    check(b"a = \"\xff\"".to_vec(), NotUtf8, 5, "byte 5 is not valid UTF-8");
    check("a = 99999999999999999999", Syntax, 4, "an integer beyond 64 bits");
    check("a = \"x\n", Syntax, 4, "unterminated string");
    check("a = '''x", Syntax, 4, "unterminated string");
    check("a = \"\\q\"", Syntax, 5, "unknown escape sequence");
    check("a = 2024-02-30", Syntax, 4, "invalid date or time");
    check("a = 1 b = 2", Syntax, 6, "expected the end of the line, found `b`");
    check("a = [1 2]", Syntax, 7, "expected `,` or `]`, found `2`");
    check("a = {b = 1", Syntax, 10, "expected `,` or `}`, found the end of the file");
    check("[a", Syntax, 2, "expected `]`, found the end of the file");
    check("a\n", Syntax, 1, "expected `=`, found the end of the line");
}

/// A key that is defined twice breaks TOML itself, so it is an error of the text.
#[test]
fn keys_and_tables_are_defined_once() {
    for (text, offset) in [
        ("a = 1\na = 2\n", 6),
        ("a = 1\n\"a\" = 2\n", 6),
        ("[a]\n[a]\n", 5),
        ("a.b = 1\n[a]\n", 9),
        ("[a.b]\n[a]\nb.c = 1\n", 10),
        ("a = {}\n[a.b]\n", 8),
        ("a = []\n[[a]]\n", 9),
        ("[[a]]\n[a]\n", 7),
        ("a = { b = 1, b.c = 2 }\n", 13),
    ] {
        let error = read(text).expect_err(text);
        assert_eq!(error.offset, offset, "{text}: {error}");
        assert!(error.message.ends_with("is already defined"), "{text}: {error}");
    }
    let long = format!("{0} = 1\n{0} = 2\n", "k".repeat(10_000));
    assert!(read(long).unwrap_err().message.len() < 100);
}

/// Work grows with the text: none of these may be quadratic. The size makes that a matter of minutes.
#[test]
fn large_texts_of_one_shape_are_read_in_linear_time() {
    let n = 60_000;
    let texts = [
        (0..n).map(|n| format!("k{n} = {n}\n")).collect::<String>(),
        (0..n).map(|n| format!("[t{n}]\n")).collect(),
        "[[a]]\n".repeat(n),
        (0..n).map(|n| format!("a.b.k{n} = 1\n")).collect(),
        format!("a = [{}]\n", "1, ".repeat(n)),
        format!("a = [{}]\n", "# c\n".repeat(n)),
        "\n".repeat(n),
        format!("a = '{}'\n", "\"".repeat(n)),
        format!("a = \"\"\"{}\"\"\"\n", "\\\n".repeat(n)),
    ];
    for text in texts {
        let document = parse(&Text::new(text), Format::Toml, &Limits::DEFAULT).unwrap();
        assert!(document.value().get("a").is_none_or(|it| !matches!(it, document::Value::Null)));
    }
}

/// FA-26 and the pointer rules: where a value stands.
#[test]
fn values_are_located_by_pointer() {
    let text = "a.b = 1\n\n[t.u]\nk = [10, { x = 'y' }]\n\n[[v]]\n";
    let document = parse(&Text::new(text), Format::Toml, &Limits::DEFAULT).unwrap();
    for (pointer, value, key) in [
        ("/a", "a", Some("a")),
        ("/a/b", "1", Some("b")),
        ("/t/u", "[t.u]", Some("u")),
        ("/t/u/k/0", "10", None),
        ("/t/u/k/1/x", "'y'", Some("x")),
        ("/v/0", "[[v]]", None),
    ] {
        let found = document.locate(&pointer.parse().unwrap()).unwrap();
        let slice = |span: std::ops::Range<u32>| &text[span.start as usize..span.end as usize];
        assert_eq!((slice(found.span), found.key_span.map(slice)), (value, key), "{pointer}");
    }
}
