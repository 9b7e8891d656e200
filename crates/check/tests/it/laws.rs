//! What holds of the comments of any bytes in any language.

use check::Syntax;
use edit::Text;
use proptest::prelude::*;

/// Comments are in order, do not touch the same byte, are not empty and cut no character; a second look finds the same.
#[track_caller]
pub(super) fn check_laws(syntax: &Syntax, bytes: &[u8]) {
    let text = Text::new(bytes);
    let comments = syntax.comments(&text);
    let mut end = 0;
    for range in &comments {
        assert!(end <= range.start && range.start < range.end, "{}: {comments:?}", syntax.name);
        end = range.end;
    }
    assert!(end as usize <= bytes.len());
    if let Ok(text) = std::str::from_utf8(bytes) {
        let is_boundary = |it: u32| text.is_char_boundary(it as usize);
        assert!(comments.iter().all(|it| is_boundary(it.start) && is_boundary(it.end)));
    }
    assert_eq!(syntax.comments(&text), comments);
}

/// Pieces that languages are made of, so that random texts have strings, comments and code in them.
const PIECES: &[&str] = &[
    "\"",
    "'",
    "`",
    "\"\"\"",
    "'''",
    "//",
    "/*",
    "*/",
    "#",
    "--",
    "--[[",
    "]]",
    "[=[",
    "]=]",
    "{-",
    "-}",
    "<!--",
    "-->",
    "${",
    "}",
    "{",
    "$(",
    ")",
    "(",
    "#{",
    "\\",
    "\\(",
    "\n",
    "\r\n",
    "\r",
    " ",
    "a",
    "r",
    "R",
    "f",
    "1",
    "/",
    "[",
    "]",
    "<",
    ">",
    "=",
    "r#\"",
    "\"#",
    "R\"x(",
    ")x\"",
    "<<EOF",
    "EOF",
    "<<~EOF",
    "<<<EOF",
    "$$",
    "$a$",
    "@\"",
    "$\"",
    "%w[",
    "~r/",
    "=begin",
    "\n=end",
    "=pod",
    "\n=cut",
    "__END__",
    "<script>",
    "</script>",
    "<style>",
    "<?php",
    "?>",
    "<p a='",
    "```",
    "~~~",
    "---\n",
    "é",
    "😀",
    "\0",
    "q(",
    "s{",
    "qw/",
    "return",
    "?",
    ";",
    "%",
    "rem ",
    "url(",
    "|||",
    "\u{feff}",
    "#!",
    "#[",
    "(*",
    "*)",
    "regreen: ignore R",
];

fn texts() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES);
    prop::collection::vec(piece, 0..60).prop_map(|it| it.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_have_comments_in_order(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        Syntax::all().iter().for_each(|it| check_laws(it, &bytes));
    }

    #[test]
    fn any_pieces_have_comments_in_order(text in texts()) {
        Syntax::all().iter().for_each(|it| check_laws(it, text.as_bytes()));
    }

    /// What follows a comment to the end of the line cannot change what comes before it.
    #[test]
    fn what_comes_later_does_not_change_a_line_comment(text in texts()) {
        let go = Syntax::of("a.go", b"").unwrap();
        let first = "x := \"// no\" // yes";
        let text = Text::new(format!("{first}\n{text}"));
        prop_assert_eq!(go.comments(&text).first().cloned(), Some(13..19));
    }
}

/// Texts made of what never ends, in every language: quadratic work would be felt by whoever runs the tests.
#[test]
fn hostile_texts_are_read_to_their_end() {
    let pairs = [
        r#"\""#,
        r#"<?= \" ?>"#,
        "<?= ' ?>\n",
        "<<A ",
        "<<A\n",
        r##"r#"#"##,
        "$a$b",
        "`${",
        r##""#{"##,
        r#"f"{"#,
        "<a '",
        "/[",
        "~r(",
        "q( ",
        "`` ` ",
        "/* /* */ ",
        "\u{27}\u{27}\u{27} ",
        "= /",
    ];
    for pair in pairs {
        let text = Text::new(pair.repeat(20_000 / pair.len()));
        for syntax in Syntax::all() {
            check_laws(syntax, text.bytes());
        }
    }
}
