//! Edits that hide a message instead of removing its cause.
//!
//! The class of a repair is computed by who chooses among them; what is known here are the words by which the tools of
//! this crate are told to look away. An edit after which there are more of them than before silences.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use edit::{Edit, Text};

/// What tells a tool to look away, in lower case and without blanks, and the languages in which it is a comment or an
/// attribute; none for any.
const WORDS: &[(&str, &[&str])] = &[
    // Python
    ("#noqa", &["py", "pyi", "ipynb"]),
    ("#ruff:noqa", &["py", "pyi"]),
    ("#ruff:ignore", &["py", "pyi"]),
    ("#ruff:disable", &["py", "pyi"]),
    ("#flake8:noqa", &["py", "pyi"]),
    ("#type:ignore", &["py", "pyi"]),
    ("#ty:ignore", &["py", "pyi"]),
    ("#pyright:ignore", &["py", "pyi"]),
    ("#pyright:basic", &["py", "pyi"]),
    ("#pyrefly:ignore", &["py", "pyi"]),
    ("#mypy:ignore-errors", &["py", "pyi"]),
    ("#mypy:disable-error-code", &["py", "pyi"]),
    ("#pylint:disable", &["py", "pyi"]),
    ("#pylint:skip-file", &["py", "pyi"]),
    ("#nosec", &["py", "pyi", "go"]),
    ("#fmt:off", &["py", "pyi"]),
    ("#fmt:skip", &["py", "pyi"]),
    ("#isort:skip", &["py", "pyi"]),
    // JavaScript, TypeScript, CSS
    ("eslint-disable", &[]),
    ("oxlint-disable", &[]),
    ("oxfmt-ignore", &[]),
    ("biome-ignore", &[]),
    ("prettier-ignore", &[]),
    ("stylelint-disable", &[]),
    ("@ts-ignore", &[]),
    ("@ts-expect-error", &[]),
    ("@ts-nocheck", &[]),
    // Rust
    ("#[allow(", &["rs"]),
    ("#![allow(", &["rs"]),
    ("#[expect(", &["rs"]),
    ("#![expect(", &["rs"]),
    ("#[rustfmt::skip]", &["rs"]),
    ("#![rustfmt::skip]", &["rs"]),
    // C and C++
    ("//nolint", &["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "go"]),
    ("/*nolint", &["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm"]),
    ("//clang-formatoff", &[]),
    ("/*clang-formatoff", &[]),
    ("#pragmaclangdiagnosticignored", &[]),
    ("#pragmagccdiagnosticignored", &[]),
    // Shell, Docker, YAML
    ("#shellcheckdisable", &[]),
    ("#hadolintignore", &[]),
    ("#hadolintglobalignore", &[]),
    ("#yamllintdisable", &[]),
    // Go
    ("//lint:ignore", &["go"]),
    ("//lint:file-ignore", &["go"]),
    // Markdown and prose
    ("markdownlint-disable", &[]),
    ("rumdl-disable", &[]),
    ("codespell:ignore", &[]),
    ("typos:ignore", &[]),
    ("spellchecker:disable", &[]),
    // Others
    ("ast-grep-ignore", &[]),
    ("nosemgrep", &[]),
    ("--noqa", &["sql"]),
    ("zizmor:ignore", &[]),
];

/// Bytes before and after an edit that are looked at.
const MAX_AROUND: usize = 200;
/// Bytes of an edit beyond which it is not looked at: nobody hides a message with so much.
const MAX_EDIT: usize = 256 << 10;

/// Whether edits bring in more of the words that tell a tool to look away than they take out.
pub fn silences(path: &str, text: &Text, edits: &[Edit]) -> bool {
    let extension =
        path.rsplit('/').next().and_then(|it| it.rsplit_once('.')).map_or("", |it| it.1);
    let bytes = text.bytes();
    let (mut before, mut after) = (0, 0);
    // What stands around an edit on its lines: a comment that grows is made of old and new text.
    for edit in edits {
        let (start, end) = (edit.start as usize, edit.end as usize);
        let Some(old) = bytes.get(start..end) else { continue };
        if old.len() + edit.text.len() > MAX_EDIT {
            continue;
        }
        let head = &bytes[start.saturating_sub(MAX_AROUND)..start];
        let head = &head[head.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1)..];
        let tail = &bytes[end..bytes.len().min(end + MAX_AROUND)];
        let tail = &tail[..tail.iter().position(|it| *it == b'\n').unwrap_or(tail.len())];
        before += count(&[head, old, tail], extension);
        after += count(&[head, &edit.text, tail], extension);
    }
    after > before
}

fn count(parts: &[&[u8]], extension: &str) -> usize {
    // One walk over the text, however many words there are.
    static SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let words = WORDS.iter().map(|it| it.0);
        AhoCorasick::new(words).expect("a few short words are no large automaton")
    });
    let bytes: Vec<u8> = parts.concat();
    let squeezed: String = String::from_utf8_lossy(&bytes)
        .chars()
        .filter(|it| !it.is_whitespace())
        .map(|it| it.to_ascii_lowercase())
        .collect();
    let is_of = |languages: &[&str]| languages.is_empty() || languages.contains(&extension);
    let matches = SEARCH.find_overlapping_iter(&squeezed);
    matches.filter(|it| is_of(WORDS[it.pattern().as_usize()].1)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_hide_a_message_are_counted() {
        let check = |path: &str, before: &str, after: &str, expected: bool| {
            let (before, after) = (Text::new(before), Text::new(after));
            let edits = edit::diff(&before, &after).unwrap();
            assert_eq!(silences(path, &before, edits.edits()), expected, "{path} {after:?}");
        };
        check("a.py", "import os\n", "import os  # noqa: F401\n", true);
        check("a.py", "import os  # noqa: F401\n", "import os  # noqa: F401, E501\n", false);
        check("a.py", "import os  # noqa: F401\n", "import os\n", false);
        check("a.py", "x = f()\n", "x = f()  # type: ignore[attr]\n", true);
        check("a.py", "x\n", "noqa = x\n", false);
        check("a.js", "f();\n", "// eslint-disable-next-line no-undef\nf();\n", true);
        check("a.js", "f();\n", "g();\n", false);
        check("a.rs", "fn f() {}\n", "#[allow(dead_code)]\nfn f() {}\n", true);
        check("a.rs", "#[allow(dead_code)]\nfn f() {}\n", "fn f() {}\n", false);
        check("a.sh", "echo $x\n", "# shellcheck disable=SC2086\necho $x\n", true);
        check("a.c", "int x;\n", "int x; // NOLINT\n", true);
        check("a.go", "x()\n", "x() //nolint:errcheck\n", true);
        check("a.sql", "SELECT 1\n", "SELECT 1 -- noqa\n", true);
        check("a.md", "x\n", "<!-- markdownlint-disable MD001 -->\nx\n", true);
    }
}
