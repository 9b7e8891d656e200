//! Texts that are made to be slow: the time grows with their length, and nothing overflows.

use std::time::{Duration, Instant};

use yaml::Options;

/// Reads the text that `make` gives for a size and for eight times that size. Time per byte may not grow by much: what
/// is quadratic takes eight times as long per byte.
#[track_caller]
fn check(name: &str, make: impl Fn(usize) -> String) {
    let options = Options { max_depth: usize::MAX, strict_indentation: true };
    let per_byte = |size: usize| {
        let text = make(size);
        let mut best = Duration::MAX;
        for _ in 0..5 {
            let before = Instant::now();
            let _ = yaml::parse(&text, &options);
            best = best.min(before.elapsed());
        }
        best.as_nanos() as f64 / text.len() as f64
    };
    // A machine that is busy may be slow once; what is quadratic is slow every time.
    let is_linear = (0..8).any(|_| per_byte(160_000) < 4.0 * per_byte(20_000) + 40.0);
    assert!(is_linear, "{name}: the time grows faster than the text");
}

#[test]
fn time_grows_with_the_length_of_the_text() {
    let of = |piece: &'static str| move |size: usize| piece.repeat(size / piece.len());
    for piece in [
        "[",
        "{",
        "[{",
        "{a: ",
        "- ",
        "? ",
        "?\n",
        ": ",
        ":\n",
        "-\n",
        "[a: ",
        "[[a]: ",
        "\"",
        "'",
        "a ",
        "a\n",
        "\n",
        " ",
        "\t",
        "#",
        "# c\n",
        "a: b\n",
        "&a ",
        "&a a\n",
        "*a",
        "!",
        "!!a ",
        "%TAG",
        "---\n",
        "...\n",
        "|\n",
        "- |\n",
        "\\",
        "\"a\\",
        "\r",
        "\u{FEFF}",
        "é",
        ",",
        "[?,",
        "a: [b, c]\n",
        "- &a b\n- *a\n",
        "\"\u{7F}\" ",
    ] {
        check(piece, of(piece));
    }
    check("deep flow", |size| "[".repeat(size / 2) + &"]".repeat(size / 2));
    check("deep pairs", |size| "[".repeat(size / 4) + "a" + &"]: b".repeat(size / 4));
    check("pairs in windows", |size| {
        let one = format!("- {}a{}\n", "[".repeat(150), "]: b".repeat(150));
        one.repeat(size / one.len())
    });
    check("steps", |size| {
        let depth = (size as f64).sqrt() as usize;
        (0..depth).map(|it| format!("{}a:\n", " ".repeat(it))).collect()
    });
    check("anchors", |size| (0..size / 16).map(|it| format!("- &a{it} b\n- *a{it}\n")).collect());
    check("anchors in a key", |size| {
        let inner: String = (0..100).map(|it| format!("&a{it} b, ")).collect();
        format!("? x\n: [{inner}]\n[{inner}]: y\n").repeat(size / 2000)
    });
    check("handles", |size| {
        let handles: String = (0..size / 16).map(|it| format!("%TAG !a{it}! b\n")).collect();
        handles + "---\n" + &(0..size / 16).map(|it| format!("- !a{it}!x y\n")).collect::<String>()
    });
    check("blank lines", |size| format!("- a\n{}", "\n".repeat(64)).repeat(size / 68));
    check("odd characters", |size| format!("[{}]", "\"\u{7F}\", ".repeat(size / 6)));
}

/// Every text is read or refused: here are all of up to four pieces.
#[test]
fn short_texts_do_not_panic() {
    const PIECES: [&str; 24] = [
        "a", "- ", "? ", ": ", ":", "\n", "\n ", "[", "]", "{", "}", ",", "\"", "'", "|", ">",
        "&a", "*a", "!", "#", "---", "\t", "\\", "%",
    ];
    let n = PIECES.len();
    for index in 0..n * n * n * n {
        let text: String = (0..4).map(|place| PIECES[index / n.pow(place) % n]).collect();
        for options in [Options::STRICT, Options::LENIENT] {
            if let Ok(tree) = yaml::parse(&text, &options) {
                super::differential::check_laws(&tree, &text);
            }
        }
    }
}
