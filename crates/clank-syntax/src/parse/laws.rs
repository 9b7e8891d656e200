//! Laws that hold for the tokens and the tree of any text.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::ast::{Ast, Decl, NodeId};
use crate::{Parsed, Span, lex, parse};

/// A program with every construct.
pub(super) const PROGRAM: &str = r#"mod shop
use data.list
use data.list.{first, Pair, rest}
use data.table as table
use external "node:fs" as fs
use external "node:os" as _

external fn clock[T](scale: T, unit: Str) -> IO + Int = "Date.now"
external mod paths = "node:path" {
  fn join(a: Str, b: Str) -> Str
  fn parts[T](a: T) -> [Str]
}

type Id = Int{v | v > 0 && v < 1_000_000}
type Handler[T: Show, E] = (T, [E]) -> IO + Err[E] + (T, E)
type Shape = { x: Int, y: Float?, .. }

rec Point[T] {
  x: T,
  y: T{x > 0},
}

sum Light { Red, Amber(secs: Int, Str), Green() }

/* The area of
   a rectangle. */
fn area(w: Int, h: ℤ32) -> (Int{result >= 0}) pre w > 0 && h > 0 post result >= w {
  w * h // no overflow
}

fn curry(f: (Int, Int) -> Int) -> (Int) -> (Int) -> Int {
  \x -> \(y: Int) -> f(x, y)
}

fn find[T](items: [T], wanted: (T) -> Bool) -> Option[T] {
  let mut index = 0;
  let n: Nat = len(items);
  while index < n {
    if wanted(items[index]) {
      return Some(items[index]);
    } else if index % 2 == 0 {
      index = index + 1;
      continue;
    } else {
      index = index + 2
    }
  }
  for (a, _) in pairs(items)? {
    assert a != wanted : "not the same";
    break
  }
  loop { return }
  None
}

fn main() -> IO + Unit {
  let p = Point { x: 1, y: -2 };
  let q = { left: p.x, right: (1, "two", 3.0).1, more: [1, 2, 3] };
  let text = `at ${p.x + 1} and ${show(`(${q.left})`)}`;
  let { left, right: r } = q;
  items[0].name = """
a "raw" text
""";
  match light {
    Red -> println("stop"),
    Amber(s, "x") if s > 0 && !done -> {
      println(text ++ to_string(s));
    },
    shop.Green -> (),
    -1 -> todo(?reason),
    (a, (b), true) -> a |> f |> g(_),
  }
  for i in 0..=10 {
    println(to_string(2 ^ i - -1))
  }
  let done = ¬(a ≤ b ∨ c ≠ d) ∧ e >= f || g == 0x1F;
  println(text)
}
"#;

/// The same cases in every run. `PROPTEST_CASES` asks for more of them.
fn config(seed: u64) -> ProptestConfig {
    ProptestConfig {
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

#[track_caller]
pub(super) fn check(text: &str) -> Parsed {
    let (tokens, _) = lex(text);
    let joined: String = tokens.iter().map(|(_, text)| text).collect();
    assert_eq!(joined, text, "tokens are the whole text");
    let parsed = parse("test.clank", text);
    check_tree(&parsed.ast, text);
    for error in &parsed.errors {
        assert!(text.get(range(error.span)).is_some(), "{error:?} in {text:?}");
        assert!(!error.message.is_empty());
        if let Some((related, _)) = &error.related {
            assert!(text.get(range(*related)).is_some(), "{error:?} in {text:?}");
        }
    }
    assert!(parsed.errors.is_sorted_by_key(|it| it.span));
    let has_error_node = parsed.ast.nodes().iter().any(|it| it.kind.is_error());
    assert!(!has_error_node || !parsed.errors.is_empty(), "a silent error node in {text:?}");
    parsed
}

fn range(span: Span) -> std::ops::Range<usize> {
    span.start as usize..span.end as usize
}

/// Children are in their parent and after one another, in the text and in the list of nodes, and no node is lost.
fn check_tree(ast: &Ast, text: &str) {
    let mut firsts = vec![0u32; ast.nodes().len()];
    for index in 0..ast.nodes().len() {
        let id = NodeId(index as u32);
        let span = ast.span(id);
        assert!(text.get(range(span)).is_some(), "{:?} of {text:?}", ast.node(id));
        let mut next_node = None;
        let mut next_byte = span.start;
        for child in ast.children(id) {
            let first = firsts[child.index()];
            assert_eq!(first, next_node.unwrap_or(first), "post-order of {:?}", ast.node(id));
            firsts[index] = if next_node.is_none() { first } else { firsts[index] };
            next_node = Some(child.0 + 1);
            let child_span = ast.span(child);
            assert!(span.holds(child_span), "{:?} in {:?}", ast.node(child), ast.node(id));
            assert!(next_byte <= child_span.start, "{:?} of {text:?}", ast.node(id));
            next_byte = child_span.end;
        }
        match next_node {
            Some(next) => assert_eq!(next, id.0, "{:?} right after its children", ast.node(id)),
            None => firsts[index] = id.0,
        }
    }
    assert_eq!(firsts.last(), Some(&0), "every node is in the tree of {text:?}");
}

#[test]
fn a_good_program_has_no_errors() {
    let parsed = check(PROGRAM);
    assert_eq!(parsed.errors, []);
}

/// One forgotten token is one mistake.
#[test]
fn a_deleted_token_is_one_error() {
    let (tokens, _) = lex(PROGRAM);
    let (mut n_broken, mut n_single, mut n_most) = (0, 0, 1);
    let mut worse = Vec::new();
    for index in (0..tokens.len()).filter(|&it| !tokens.kind(it).is_trivia()) {
        let span = tokens.span(index);
        let mut text = PROGRAM.to_owned();
        text.replace_range(range(span), "");
        let parsed = check(&text);
        n_broken += usize::from(!parsed.errors.is_empty());
        n_single += usize::from(parsed.errors.len() == 1);
        if parsed.errors.len() > 1 {
            n_most = n_most.max(parsed.errors.len());
            let line = PROGRAM[..span.start as usize].lines().count();
            let messages: Vec<_> = parsed.errors.iter().map(|it| it.message.clone()).collect();
            worse.push(format!("{line}: {} {messages:?}", tokens.text(index)));
        }
    }
    let report = worse.join("\n");
    assert!(n_most <= 3, "{report}");
    assert!(n_single * 100 >= n_broken * 98, "{n_single} of {n_broken}\n{report}");
}

/// A mistake in one declaration leaves the others as they are.
#[test]
fn a_deleted_token_leaves_the_other_declarations() {
    let (tokens, _) = lex(PROGRAM);
    let whole = parse("test.clank", PROGRAM);
    for index in (0..tokens.len()).filter(|&it| !tokens.kind(it).is_trivia()) {
        let span = tokens.span(index);
        let mut text = PROGRAM.to_owned();
        text.replace_range(range(span), "");
        let parsed = parse("test.clank", &text);
        for &decl in whole.ast.declarations() {
            let at = whole.ast.span(decl);
            let expected = &PROGRAM[range(at)];
            let is_touched = at.holds(span) || at.start == span.end + 1;
            let is_there = parsed.ast.declarations().iter().any(|&it| {
                parsed.ast.text(it) == expected
                    && !matches!(parsed.ast.decl(it), Decl::Error { .. })
            });
            assert!(is_touched || is_there, "without {}:\n{expected}", tokens.text(index));
        }
    }
}

fn soup() -> impl Strategy<Value = String> {
    let words = vec![
        "fn", "let", "mut", "if", "else", "match", "for", "in", "while", "loop", "return", "break",
        "type", "rec", "sum", "mod", "use", "external", "pre", "post", "assert", "true", "js", "x",
        "f", "T", "Int", "never", "as", "_", "1", "2.5", "0x", "1e", "12ab", "\"s\"", "\"",
        "\"\"\"", "`t`", "`${", "}`", "`", "+", "-", "*", "^", "==", "&&", "&", "|", "||", "!",
        "->", "|>", "++", "?", "=", "(", ")", "[", "]", "{", "}", ",", ":", "::", ";", ".", ".0",
        ".", "t.1", "..", "..=", "\\", "λ", "→", "ℤ32", "€", "\n", "\n", " ", "//", "/*", "*/",
        "\\q", "\u{FEFF}", "\r\n", "é", "Ω",
    ];
    let word = prop::sample::select(words);
    prop::collection::vec((word, prop::bool::ANY), 0..60).prop_map(|words| {
        words
            .iter()
            .map(|(word, blank)| format!("{word}{}", if *blank { " " } else { "" }))
            .collect()
    })
}

proptest! {
    #![proptest_config(config(1))]

    #[test]
    fn any_text_has_tokens_and_a_tree(text in "\\PC*") {
        check(&text);
    }

    #[test]
    fn any_bytes_have_tokens_and_a_tree(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_soup_of_tokens_has_a_tree(text in soup()) {
        check(&text);
    }

    #[test]
    fn soup_in_a_function_has_a_tree(text in soup()) {
        check(&format!("fn f() -> Int {{ {text} }}\nfn g() -> Int {{ 1 }}"));
    }

    #[test]
    fn a_changed_program_has_a_tree(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..6usize, soup()), 1..4)
    ) {
        let mut text = PROGRAM.to_owned();
        for (at, width, new) in changes {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.ceil_char_boundary((start + width).min(text.len()));
            text.replace_range(start..end, &new);
        }
        check(&text);
    }
}
