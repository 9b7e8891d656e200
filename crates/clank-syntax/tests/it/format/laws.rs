//! Laws on programs that nobody wrote: good ones with other blanks and comments in them, and damaged ones.

use clank_syntax::{TokenKind, format, lex, parse, print};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::{check, inputs, programs};
use crate::generate::trees;

fn config() -> ProptestConfig {
    ProptestConfig {
        rng_seed: RngSeed::Fixed(4),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// A program of the cases, or a declaration of a real one.
fn program() -> impl Strategy<Value = String> {
    let mut found = inputs();
    for (_, text) in programs() {
        let parsed = parse("a.clank", &text);
        found.extend(parsed.ast.declarations().iter().map(|&it| parsed.ast.text(it).to_owned()));
    }
    prop::sample::select(found)
}

/// What may be between any two tokens.
fn filling() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        " ",
        " ",
        " ",
        "  ",
        "\t",
        "\n",
        "\n",
        "\n\n",
        "\n\n\n",
        "\r\n",
        " \n ",
        " // c\n",
        "// c \n\n",
        "\n// c\n",
        "\n\n// c\n\n",
        "/* c */",
        " /* c */ ",
        "\n/* c */\n",
        "/* c */\n",
        "\n /* c */",
        "\n/* a\n b */\n",
        " // a\n // b\n",
        "/* a *//* b */",
        "\n// a\r\n",
    ])
}

/// The program with other runs between its tokens, and its own comments left out.
fn refilled(text: &str, fillings: &[&str]) -> String {
    let (tokens, _) = lex(text);
    let mut fillings = fillings.iter().cycle();
    let mut out = String::new();
    let mut is_apart = true;
    for (kind, text) in tokens.iter() {
        if kind.is_trivia() {
            is_apart = true;
            continue;
        }
        let filling = fillings.next().expect("a cycle has no end");
        // Where there was nothing there is nothing most of the time.
        let skips = !is_apart && filling.len() < 3;
        if !skips {
            if out.ends_with('/') {
                // A division before a comment is not to begin one.
                out.push(' ');
            }
            out.push_str(filling);
        }
        out.push_str(text);
        is_apart = false;
    }
    out
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_blanks_and_comments_keep_the_laws(
        text in program(),
        fillings in prop::collection::vec(filling(), 1..60),
    ) {
        check(&refilled(&text, &fillings));
    }

    /// What the printer makes of a tree, then laid out, is the canonical text of that tree.
    #[test]
    fn printed_trees_keep_the_laws(ast in trees()) {
        check(&print(&ast));
    }

    #[test]
    fn printed_trees_with_other_blanks_and_comments_keep_the_laws(
        ast in trees(),
        fillings in prop::collection::vec(filling(), 1..60),
    ) {
        check(&refilled(&print(&ast), &fillings));
    }

    /// Blanks within lines say nothing: the layout is a function of the rest.
    #[test]
    fn blanks_within_lines_do_not_matter(
        text in program(),
        blanks in prop::collection::vec(1_usize..5, 1..20),
    ) {
        let mut blanks = blanks.iter().cycle();
        let mut spread = String::new();
        for (kind, text) in lex(&text).0.iter() {
            if kind == TokenKind::Whitespace {
                let n_blanks = *blanks.next().expect("a cycle has no end");
                let n_lines = text.matches('\n').count();
                spread.push_str(&"\n".repeat(n_lines));
                spread.push_str(&" ".repeat(n_blanks));
            } else {
                spread.push_str(text);
            }
        }
        let text = text.replace('\r', "");
        prop_assert_eq!(check(&spread.replace('\r', "")), check(&text));
    }

    #[test]
    fn damaged_programs_do_no_harm(
        text in program(),
        at in any::<prop::sample::Index>(),
        other in any::<prop::sample::Index>(),
        drops in any::<bool>(),
    ) {
        let pieces: Vec<String> = lex(&text).0.iter().map(|(_, it)| it.to_owned()).collect();
        let mut damaged = pieces.clone();
        let at = at.index(pieces.len().max(1));
        if drops && at < damaged.len() {
            damaged.remove(at);
        } else if !pieces.is_empty() {
            damaged.insert(at, pieces[other.index(pieces.len())].clone());
        }
        let damaged = damaged.concat();
        let parsed = parse("a.clank", &damaged);
        if parsed.errors.is_empty() {
            check(&damaged);
        } else {
            prop_assert!(format(&parsed).is_none());
        }
    }
}
