//! One small file per language, with the things that are easy to take for comments.
//!
//! A sample says of itself what is expected: what has `YES` in it is a comment, what has `NO` in it is none. Where each
//! comment starts and ends is in `expected.txt`; `REGREEN_BLESS=1` writes it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use check::Syntax;
use edit::{LineIndex, Text, Unit};

use super::laws::check_laws;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/samples"))
}

/// Every sample with its name, in order.
pub(super) fn all() -> Vec<(String, Text)> {
    let files = fs::read_dir(folder()).unwrap().map(|it| it.unwrap().path());
    let mut files: Vec<_> = files.filter(|it| !it.ends_with("expected.txt")).collect();
    files.sort();
    let name = |it: &Path| it.file_name().unwrap().to_str().unwrap().to_owned();
    files.iter().map(|it| (name(it), Text::new(fs::read(it).unwrap()))).collect()
}

#[test]
fn what_says_yes_is_a_comment_and_what_says_no_is_none() {
    for (name, text) in all() {
        let syntax = Syntax::of(&name, text.bytes()).expect("a sample of a known language");
        let comments = syntax.comments(&text);
        let text = std::str::from_utf8(text.bytes()).unwrap();
        let mut rest = String::new();
        let mut at = 0;
        for range in comments {
            let comment = &text[range.start as usize..range.end as usize];
            assert!(comment.contains("YES") || comment == "/**/", "{name}: `{comment}`");
            assert!(!comment.contains("NO"), "{name}: `{comment}`");
            rest += &text[at..range.start as usize];
            at = range.end as usize;
        }
        rest += &text[at..];
        let lost = rest.lines().find(|it| it.contains("YES"));
        assert_eq!(lost, None, "{name}: not seen");
    }
}

#[test]
fn comments_start_and_end_where_they_should() {
    let mut found = String::new();
    for (name, text) in all() {
        let syntax = Syntax::of(&name, text.bytes()).expect("a sample of a known language");
        writeln!(found, "{name}: {}", syntax.name).unwrap();
        let lines = LineIndex::new(text.bytes());
        for range in syntax.comments(&text) {
            let place = |at: u32| {
                let it = lines.position(at, Unit::Byte).unwrap();
                format!("{}:{}", it.line + 1, it.column + 1)
            };
            let bytes = &text.bytes()[range.start as usize..range.end as usize];
            let comment = std::str::from_utf8(bytes).unwrap();
            writeln!(found, "  {}-{} {comment:?}", place(range.start), place(range.end)).unwrap();
        }
    }
    let expected = folder().join("expected.txt");
    if std::env::var_os("REGREEN_BLESS").is_some() {
        fs::write(&expected, &found).unwrap();
    }
    let expected = fs::read_to_string(expected).unwrap();
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
}

/// A text in a language is cut off at every place, and has its line ends changed.
#[test]
fn the_laws_hold_of_every_part_of_every_sample() {
    for (name, text) in all() {
        let syntax = Syntax::of(&name, text.bytes()).unwrap();
        for end in 0..=text.len() {
            check_laws(syntax, &text.bytes()[..end]);
        }
        let content = std::str::from_utf8(text.bytes()).unwrap();
        let shown = |content: &str| -> Vec<String> {
            let text = Text::new(content);
            let of =
                |it: &std::ops::Range<u32>| content[it.start as usize..it.end as usize].to_owned();
            syntax.comments(&text).iter().map(of).collect()
        };
        let expected: Vec<String> =
            shown(content).iter().map(|it| it.replace('\n', "\r\n")).collect();
        assert_eq!(shown(&content.replace('\n', "\r\n")), expected, "{name} with CRLF");
        let marked = Text::new(format!("\u{feff}{content}"));
        // A first line that names a program is only one at the very start.
        if !content.starts_with("#!") {
            assert_eq!(
                syntax.comments(&marked).len(),
                expected.len(),
                "{name} with a byte order mark"
            );
        }
    }
}

/// The languages that linters cover are in the table, and every one of them has a sample or shares its row with one.
#[test]
fn a_language_is_known_by_extension_name_and_program() {
    let cases: &[(&str, &str, &str)] = &[
        ("a.py", "", "Python"),
        ("A.PY", "", "Python"),
        ("src/a.d.ts", "", "TypeScript"),
        ("a.tsx", "", "TypeScript"),
        ("a.mjs", "", "JavaScript"),
        ("a.hpp", "", "C++"),
        ("deploy/Dockerfile", "", "Dockerfile"),
        ("Dockerfile.dev", "", "Dockerfile"),
        ("api.dockerfile", "", "Dockerfile"),
        ("Makefile", "", "Makefile"),
        ("Makefile.PL", "", "Perl"),
        ("Makefile.am", "", "Makefile"),
        ("CMakeLists.txt", "", "CMake"),
        (".env", "", "Environment file"),
        (".env.production", "", "Environment file"),
        (".gitignore", "", "Lists of paths and patterns"),
        ("Cargo.lock", "", "TOML by another name"),
        ("Gemfile", "", "Ruby"),
        ("Jenkinsfile", "", "Groovy"),
        ("run", "#!/bin/bash -e\n", "Shell"),
        ("run", "#!/usr/bin/env python3.11\n", "Python"),
        ("run", "#!/usr/bin/env -S node --flag\n", "JavaScript"),
        ("run", "#!/usr/bin/env A=b perl\n", "Perl"),
        ("run", "#!/usr/bin/ruby\r\n", "Ruby"),
    ];
    for (path, text, name) in cases {
        let found = Syntax::of(path, text.as_bytes()).map(|it| it.name);
        assert_eq!(found, Some(*name), "{path} {text:?}");
    }
    for (path, text) in [
        ("run", ""),
        ("run", "#!"),
        ("run", "#!/usr/bin/env\n"),
        ("a.unknown", "x"),
        ("py", ""),
        ("", ""),
    ] {
        assert!(Syntax::of(path, text.as_bytes()).is_none(), "{path} {text:?}");
    }
}

/// No extension, name or program is claimed twice, and none by what is a document.
#[test]
fn no_two_languages_claim_the_same_file() {
    let mut seen = BTreeSet::new();
    for syntax in Syntax::all() {
        for extension in syntax.extensions {
            assert_eq!(*extension, extension.to_ascii_lowercase());
            assert!(seen.insert(format!("*.{extension}")), "{extension} ({})", syntax.name);
            assert_eq!(document::Format::of_path(&format!("a.{extension}")), None, "{extension}");
        }
        for name in syntax.file_names.iter().chain(syntax.programs) {
            assert!(seen.insert((*name).to_owned()), "{name} ({})", syntax.name);
        }
        assert!(!syntax.comment_forms().is_empty(), "{}", syntax.name);
    }
}
