//! What people read when a text is not YAML: what was expected, what was found, and where the construct began.

use std::fmt::Write as _;

use yaml::{ErrorKind, Options};

/// The texts with their errors.
fn render(texts: &[&str]) -> String {
    let mut out = String::new();
    for text in texts {
        let error = yaml::parse(text, &Options::STRICT).expect_err(text);
        assert!(text.is_char_boundary(error.offset as usize), "{text:?}");
        let _ = writeln!(out, "{text:?}\n  {error}");
    }
    out
}

#[test]
fn an_error_says_what_was_expected_and_where_the_construct_began() {
    insta::assert_snapshot!(render(CASES));
}

const CASES: &[&str] = &[
    "a: 1\nb:\n  - [1, 2\n",
    "a: {x: 1\n---\n",
    "a: [1, 2}\n",
    "a: [1 , , 2]\n",
    "a: \"text\n",
    "a: 'text\n  more\n",
    "a: \"\\q\"\n",
    "a: b: c\n",
    "a: 1\n  b: 2\n",
    "a:\n    b: 1\n  c: 2\n",
    "- a\nb: 1\n",
    "a: 1\n- b\n",
    "a: 1\nb\n",
    "a:\n\tb: 1\n",
    "a\nb: 1\n",
    "a: *b\n",
    "&a &b c\n",
    "&a *a\n",
    "!e!x y\n",
    "a: @b\n",
    "a: |x\n  b\n",
    "%YAML 1.2\na\n",
    "--- a: 1\n",
    "a\n... b\n",
    "a: b#\nc: [d]#\n",
    "é: \u{1}\n",
    "a: \u{7F}\n",
];

#[test]
fn collections_are_nested_as_deep_as_the_limit() {
    let options = Options { max_depth: 3, ..Options::STRICT };
    for (fits, deeper) in [
        ("[[[1]]]", "[[[[1]]]]"),
        ("- - - a", "- - - - a"),
        ("[[a]: b]", "[[[a]]: b]"),
        ("[a]: b", "[[[a]]]: b"),
        ("[[a: b]]", "[[[a: b]]]"),
        ("[a: [b]]", "[[[a]: b]: c]"),
    ] {
        assert!(yaml::parse(fits, &options).is_ok(), "{fits}");
        let error = yaml::parse(deeper, &options).map(|_| ()).map_err(|it| it.kind);
        assert_eq!(error, Err(ErrorKind::TooDeep), "{deeper}");
    }
}
