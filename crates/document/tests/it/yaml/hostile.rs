//! Input that is made to hurt: an error with a place, in bounded time, never a panic.

use document::{Limits, ParseErrorKind, RefusalReason, parse};
use edit::Text;
use proptest::prelude::*;

use super::FORMAT;

fn error(text: &str) -> String {
    match parse(&Text::new(text), FORMAT, &Limits::DEFAULT) {
        Ok(_) => "parsed".to_string(),
        Err(error) => format!("{:?} at {}: {}", error.kind, error.offset, error.message),
    }
}

fn kind(text: &str, limits: &Limits) -> Option<ParseErrorKind> {
    parse(&Text::new(text), FORMAT, limits).err().map(|error| error.kind)
}

#[test]
fn errors_say_what_and_where() {
    let deep = "- ".repeat(300);
    let cases = [
        (
            "a: [1\nb: 2\n",
            "Syntax at 7: expected `,` or `]`, found `:` on a later line than its key; the flow sequence began at line 1, column 4",
        ),
        ("a: 1\n\tb: 2\n", "Syntax at 5: expected spaces as indentation, found a tab"),
        (
            "a: \"x\n",
            "Syntax at 6: expected a closing `\"`, found the end of the text; the quoted scalar began at line 1, column 4",
        ),
        ("a: *nowhere\n", "Syntax at 3: cannot find the anchor `nowhere` in this document"),
        ("a: &x [*x]\n", "TooLarge at 7: the alias is inside the node that it refers to"),
        ("a: \0\n", "Syntax at 3: the control character U+0000 is not allowed"),
        ("a: \u{1}\n", "Syntax at 3: the control character U+0001 is not allowed"),
        (
            "a: 1\n\u{feff}b: 2\n",
            "Syntax at 5: the character U+FEFF is not allowed outside of quotes",
        ),
        (
            "a: 1\na b\n",
            "Syntax at 8: expected `:` after the key, found the end of the line; the key began at line 2, column 1",
        ),
        (deep.as_str(), "TooLarge at 512: collections are nested more than 256 levels deep"),
    ];
    let found: Vec<String> = cases.iter().map(|(text, _)| error(text)).collect();
    let expected: Vec<&str> = cases.iter().map(|(_, expected)| *expected).collect();
    assert_eq!(found, expected);
}

#[test]
fn depth_is_limited() {
    let at_limit =
        |open: &str, close: &str, depth| format!("{}1{}", open.repeat(depth), close.repeat(depth));
    assert_eq!(kind(&at_limit("[", "]", 256), &Limits::DEFAULT), None);
    for (open, close) in
        [("[", "]"), ("{a: ", "}"), ("- ", ""), ("? ", ""), ("[- ", "]"), ("a: [", "]")]
    {
        for depth in [300, 100_000] {
            let text = at_limit(open, close, depth);
            assert!(kind(&text, &Limits::DEFAULT).is_some(), "{open} {depth}");
        }
    }
    let maps: String = (0..2_000).map(|depth| format!("{:depth$}a:\n", "")).collect();
    assert_eq!(kind(&maps, &Limits::DEFAULT), Some(ParseErrorKind::TooLarge));
    // 200 of each kind: neither alone passes the limit.
    let mixed = format!("{}{}1{}", "- ".repeat(200), "[".repeat(200), "]".repeat(200));
    assert_eq!(kind(&mixed, &Limits::DEFAULT), Some(ParseErrorKind::TooLarge));
}

#[test]
fn aliases_may_not_expand_without_bound() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_string();
    for level in 1..12 {
        let items = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{items}]\n"));
    }
    assert_eq!(kind(&bomb, &Limits::DEFAULT), Some(ParseErrorKind::TooLarge));

    let mut chain = "a0: &a0 x\n".to_string();
    for level in 1..300 {
        chain.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
    }
    assert_eq!(kind(&chain, &Limits::DEFAULT), Some(ParseErrorKind::TooLarge));

    let few = Limits { max_expanded_nodes: 18, ..Limits::DEFAULT };
    assert_eq!(kind("a: &a [1, 2, 3]\nb: [*a, *a]\n", &few), None);
    assert_eq!(kind("a: &a [1, 2, 3]\nb: [*a, *a, *a]\n", &few), Some(ParseErrorKind::TooLarge));
}

/// What cannot be edited without risk is said once, with the place.
#[test]
fn files_that_may_not_be_edited_say_why() {
    let blocked = |text: &str| {
        let document = parse(&Text::new(text), FORMAT, &Limits::DEFAULT).unwrap();
        document.blocked().map(|refusal| (refusal.reason, refusal.offset))
    };
    let duplicate = |key: &str| RefusalReason::DuplicateKey { key: key.to_string() };
    assert_eq!(blocked("a: 1\nb: 2\n"), None);
    assert_eq!(blocked("a: 1\nb: 2\n'a': 3\n"), Some((duplicate("a"), 10)));
    assert_eq!(blocked("x: {1: a, \"1\": b}\n"), Some((duplicate("1"), 10)));
    assert_eq!(blocked("a: 1\n---\nb: 2\nb: 3\n"), None);
    assert_eq!(blocked("a: 1\n...\n"), None);
    let many: String = (0..50).map(|key| format!("k{key}: 1\n")).collect();
    assert_eq!(blocked(&many), None);
    assert_eq!(blocked(&format!("{many}k7: 2\n")), Some((duplicate("k7"), 340)));
}

#[test]
fn large_flat_documents_parse() {
    let text = "- &a x\n".repeat(50_000) + &"- *a\n".repeat(50_000);
    assert_eq!(kind(&text, &Limits::DEFAULT), None);
    let text = "- a\n".repeat(200_000);
    let few = Limits { max_expanded_nodes: 10, ..Limits::DEFAULT };
    assert_eq!(kind(&text, &few), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_parser_panic(text in "[-?:,\\[\\]{}#&*!|>'\"%@ \\t\\n\\ra0~.<é]{0,60}") {
        if let Ok(document) = parse(&Text::new(text.as_str()), FORMAT, &Limits::DEFAULT) {
            let _ = document.value();
            super::super::laws::check_every_op("random", FORMAT, &text, &|_| None, &mut Default::default());
        }
    }
}
