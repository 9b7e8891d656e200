//! The grammar on long, deep and random texts.

use proptest::prelude::*;

use super::*;

fn shown(text: &str) -> String {
    match bare(text) {
        Ok(expr) => format!("{:?}", expr.range),
        Err(error) => format!("{:?} {}", error.range, error.message),
    }
}

#[test]
fn long_chains_and_deep_nests_are_bounded() {
    let chain = vec!["a.b"; 20_000].join(" || ");
    assert_eq!(shown(&chain), format!("0..{}", chain.len()));
    for deep in ["(", "!", "a[", "f("] {
        assert!(shown(&deep.repeat(20_000)).contains("nested more than"), "{deep}");
    }
    for long in [".b", "['b']", "[0]", " == 1"] {
        let text = format!("a{}", long.repeat(20_000));
        assert!(shown(&text).contains("nested more than"), "{long}");
    }
}

#[test]
fn a_placeholder_ends_where_its_strings_are_over() {
    let text = "a ${{ '}}' }} b ${{ format('''{0}''', x) }}${{ y";
    let found = placeholders(text);
    let parts: Vec<(&str, bool)> =
        found.iter().map(|it| (&text[it.range.clone()], it.parsed.is_ok())).collect();
    let wanted = [("${{ '}}' }}", true), ("${{ format('''{0}''', x) }}", true), ("${{ y", false)];
    assert_eq!(parts, wanted);
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]
    /// Every text is read or refused, at places inside of it.
    #[test]
    fn every_text_is_read_or_refused(
        text in r#"(\$\{\{|\}\}|[a-z.'"()\[\]*!=<>&|,0-9 {}ü\n-]){0,40}"#,
    ) {
        for it in placeholders(&text) {
            prop_assert!(text.get(it.range).is_some());
            if let Err(error) = it.parsed {
                prop_assert!(text.get(error.range).is_some());
            }
        }
        if let Err(error) = bare(&text) {
            prop_assert!(text.get(error.range).is_some());
        }
    }
}
