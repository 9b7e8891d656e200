//! Programs that are very long or very deep are laid out like any other, in time proportional to their length.

use clank_syntax::ast::{MAX_CHAIN, MAX_NESTING};
use clank_syntax::parse;

use super::check;

fn chain(first: &str, rest: &str, n_links: u32) -> String {
    format!("fn f() -> Int {{ {first}{} }}", rest.repeat(n_links as usize))
}

#[test]
fn a_chain_of_the_greatest_length() {
    let formatted = check(&chain("a", " + b", MAX_CHAIN - 10));
    assert!(formatted.len() < 20 * MAX_CHAIN as usize);
}

#[test]
fn long_chains_of_every_kind() {
    for rest in [" |> b", " ^ b", ".b", "()", "[0]", "?"] {
        let formatted = check(&chain("a", rest, 10_000));
        assert!(formatted.len() < 200_000, "{rest}");
    }
}

#[test]
fn an_if_with_many_branches() {
    let formatted = check(&chain("if a { 1 }", " else if b { 2 }", 20_000));
    assert!(formatted.starts_with("fn f() -> Int {\n  if a {\n    1\n  } else if b {\n    2\n"));
}

#[test]
fn comments_in_a_long_chain_do_not_move_it_further_and_further() {
    let formatted = check(&chain("a", " // c\n.b", 20_000));
    assert!(formatted.len() < 400_000);
}

#[test]
fn nesting_of_the_greatest_depth() {
    for (open, middle, close) in [
        ("(", "a", ")"),
        ("[", "a", "]"),
        ("f(", "a", ")"),
        ("{ ", "a", " }"),
        ("if a { ", "b", " }"),
        ("-", "a", ""),
    ] {
        let deepest = (1..=MAX_NESTING as usize).rev().map(|depth| {
            format!("fn f() -> Int {{ {}{middle}{} }}", open.repeat(depth), close.repeat(depth))
        });
        let text = deepest.into_iter().find(|it| parse("a.clank", it).errors.is_empty());
        check(&text.expect("some depth is allowed"));
    }
}

#[test]
fn many_declarations() {
    let text: String =
        (0..5_000).map(|index| format!("fn f{index}() -> Int {{ {index} }}\n")).collect();
    assert_eq!(check(&text), text);
}
