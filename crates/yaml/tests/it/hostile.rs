//! Texts that are made to be slow: reading them takes work in proportion to their length, and nothing overflows.

use yaml::Options;

/// Long enough that a reader whose work grows with the square of the length does not come back.
const LENGTH: usize = 400_000;

/// Reads the text that `make` gives for a length. No clock is asked: what is quadratic would take hours.
/// `cargo xtask instructions` measures the growth.
fn check(make: impl Fn(usize) -> String) {
    let options = Options { max_depth: usize::MAX, ..Options::STRICT };
    let _ = yaml::parse(&make(LENGTH), &options);
}

#[test]
fn long_texts_of_every_kind_are_read_or_refused() {
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
        check(of(piece));
    }
    check(|size| "[".repeat(size / 2) + &"]".repeat(size / 2));
    check(|size| "[".repeat(size / 4) + "a" + &"]: b".repeat(size / 4));
    check(|size| {
        let one = format!("- {}a{}\n", "[".repeat(150), "]: b".repeat(150));
        one.repeat(size / one.len())
    });
    check(|size| {
        let depth = (size as f64).sqrt() as usize;
        (0..depth).map(|it| format!("{}a:\n", " ".repeat(it))).collect()
    });
    check(|size| (0..size / 16).map(|it| format!("- &a{it} b\n- *a{it}\n")).collect());
    check(|size| {
        let inner: String = (0..100).map(|it| format!("&a{it} b, ")).collect();
        format!("? x\n: [{inner}]\n[{inner}]: y\n").repeat(size / 2000)
    });
    check(|size| {
        let handles: String = (0..size / 16).map(|it| format!("%TAG !a{it}! b\n")).collect();
        handles + "---\n" + &(0..size / 16).map(|it| format!("- !a{it}!x y\n")).collect::<String>()
    });
    check(|size| format!("- a\n{}", "\n".repeat(64)).repeat(size / 68));
    check(|size| format!("[{}]", "\"\u{7F}\", ".repeat(size / 6)));
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
