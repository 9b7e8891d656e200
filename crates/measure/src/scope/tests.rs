//! Hostile entries and paths, each with the one right answer (X-11, DF-7, DF-27, DF-36).

use super::*;

/// Entries that are refused, whatever they are compared with.
const REFUSED: &[&str] = &[
    "",
    " ",
    "/",
    "//",
    ".",
    "./",
    "..",
    "../",
    "./src",
    "src/.",
    "src/./a",
    "../src",
    "src/..",
    "src/../etc",
    "a/../b",
    "a/b/../../..",
    "/etc/passwd",
    "/src",
    "//server/share",
    "src//a",
    "src//",
    "C:",
    "C:/src",
    "c:src",
    "C:\\src",
    "\\\\server\\share",
    "\\src",
    "src\\a",
    "src\\..\\..",
    "src/a\\b",
    "src/\0",
    "\0",
    "src/a\nb",
    "src/a\r",
    "src/\t",
    "src/\u{7f}",
    "src/\u{85}",
    "src/\u{1b}[31m",
    "-rf",
    "--force",
    "src/-x",
    "-/a",
    "*",
    "**",
    "src/*",
    "src/*.rs",
    "src/?",
    "src/a ",
    " src",
    "src /a",
    "src/ a",
    "src/\u{a0}",
    "src/\u{202e}sr.a",
    "src/\u{200b}a",
    "src/a\u{200d}",
    "\u{feff}src",
    "src/\u{2066}a",
    "src/\u{ad}a",
    "src/a\u{fe0f}",
    "src/\u{e0041}",
    "src/\u{2028}",
    "src/\u{3000}",
];

/// Two good entries, and whether the left one stays within the right one.
const WITHIN: &[(&str, &str, bool)] = &[
    ("src", "src", true),
    ("src/", "src/", true),
    ("src/", "src", true),
    // A file named `src` is not beneath a directory of that name.
    ("src", "src/", false),
    ("src/a", "src/", true),
    ("src/a", "src", true),
    ("src/a/", "src/", true),
    ("src/a/b.py", "src/a/", true),
    // Siblings whose names only start alike.
    ("src2", "src", false),
    ("src2/", "src/", false),
    ("src2/x", "src", false),
    ("src.bak", "src", false),
    ("src-old/a", "src/", false),
    ("srcs/a", "src/", false),
    ("src/ab", "src/a", false),
    // Wider.
    ("src/", "src/a", false),
    ("src", "src/a", false),
    ("src/a/", "src/a/b/", false),
    ("tests", "src", false),
    // Two dots in a name are not traversal.
    ("src/a..b", "src/", true),
    ("src/...", "src/", true),
    ("src/..a", "src/", true),
    ("src/a..", "src/", true),
    // Other letters are other names: case, composed and decomposed, look-alikes, wide forms.
    ("SRC/a", "src/", false),
    ("Src", "src", false),
    ("src/\u{e9}", "src/\u{e9}", true),
    ("src/e\u{301}", "src/\u{e9}", false),
    ("ѕrc/a", "src/", false),
    ("ｓrc/a", "src/", false),
    ("ſrc/a", "src/", false),
    // Separators that only look like one.
    ("src∕a", "src/", false),
    ("src／a", "src/", false),
    ("src⧸a", "src/", false),
    // Odd but good names.
    ("src/~", "src/", true),
    ("~/a", "src/", false),
    ("src/$HOME", "src/", true),
    ("src/%2e%2e", "src/", true),
    ("%2e%2e/a", "src/", false),
    ("src/[id].tsx", "src/", true),
    ("src/a:b", "src/", true),
    ("src/.hidden", "src/", true),
    (".github/workflows", ".github/", true),
    ("src/con", "src/", true),
];

/// DF-36, X-11.
#[test]
fn hostile_entries_are_refused_with_a_reason() {
    assert!(REFUSED.len() + WITHIN.len() >= 80);
    for entry in REFUSED {
        assert!(ScopeEntry::parse(entry).is_err(), "{entry:?} was taken");
    }
}

/// DF-7, DF-27.
#[test]
fn within_is_by_segments_never_by_prefix() {
    for (narrow, wide, expected) in WITHIN {
        let parse =
            |it: &str| ScopeEntry::parse(it).unwrap_or_else(|error| panic!("{it:?}: {error}"));
        assert_eq!(parse(narrow).is_within(&parse(wide)), *expected, "{narrow:?} in {wide:?}");
    }
}

#[test]
fn what_is_within_admits_no_more_than_the_wider_one() {
    let paths =
        ["src", "src/a", "src/a/b.py", "src2", "src2/x", "tests", "src/ab", "src/a/b", "src.bak"];
    let entries = WITHIN.iter().flat_map(|it| [it.0, it.1]);
    let entries: Vec<ScopeEntry> = entries.map(|it| ScopeEntry::parse(it).unwrap()).collect();
    for narrow in &entries {
        for wide in entries.iter().filter(|wide| narrow.is_within(wide)) {
            for path in paths.iter().map(|it| RelPath::parse(it).unwrap()) {
                // All names are directories, which is what an entry beneath one takes it for.
                let admitted = narrow.admits(&path, |_| true);
                assert!(!admitted || wide.admits(&path, |_| true), "{path}: {narrow} in {wide}");
            }
        }
    }
}

/// X-11.
#[test]
fn an_entry_without_a_slash_is_a_file_or_a_directory_that_exists() {
    let admits = |entry: &str, path: &str, directory: bool| {
        let path = RelPath::parse(path).unwrap();
        ScopeEntry::parse(entry).unwrap().admits(&path, |_| directory)
    };
    assert!(admits("src", "src", false));
    assert!(!admits("src", "src/a", false));
    assert!(admits("src", "src/a", true));
    assert!(admits("src/", "src/a", false));
    assert!(!admits("src/", "src", true));
    assert!(!admits("src/", "src2/a", true));
}
