//! The scanner beside real lexers, on real files.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use check::Syntax;
use edit::Text;
use proc_macro2::{TokenStream, TokenTree};

use super::laws::check_laws;

/// The files with this extension below a folder, in order.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == extension) && path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The bytes of a text that are in one of the ranges, blanks aside: what is between two comments is not compared.
fn places(text: &[u8], ranges: impl Iterator<Item = Range<usize>>) -> Vec<bool> {
    let mut places = vec![false; text.len()];
    ranges.for_each(|it| places[it].fill(true));
    places.iter().zip(text).map(|(is_in, byte)| *is_in && !byte.is_ascii_whitespace()).collect()
}

/// Compares with what a real lexer says, at every byte.
#[track_caller]
fn compare(path: &Path, text: &[u8], expected: &[bool]) {
    let syntax = Syntax::of(&path.to_string_lossy(), text).unwrap();
    let comments = syntax.comments(&Text::new(text));
    let found = comments.iter().map(|it| it.start as usize..it.end as usize);
    let found = places(text, found);
    if let Some(at) = found.iter().zip(expected).position(|(found, expected)| found != expected) {
        let from = at.saturating_sub(80);
        let excerpt = String::from_utf8_lossy(&text[from..(at + 40).min(text.len())]).into_owned();
        panic!("{}: byte {at}: a comment: {}\n{excerpt}", path.display(), expected[at]);
    }
}

/// Where the comments of a Rust file are, by the tokens of the language: all that is not a token is blank or comment, and
/// documentation is a token that is spelt as a comment.
fn rust_comments(text: &str) -> Option<Vec<bool>> {
    let stream: TokenStream = text.parse().ok()?;
    let mut spans = Vec::new();
    let mut open = vec![stream];
    while let Some(stream) = open.pop() {
        for tree in stream {
            match tree {
                TokenTree::Group(group) => {
                    spans.push(group.span_open().byte_range());
                    spans.push(group.span_close().byte_range());
                    open.push(group.stream());
                }
                other => spans.push(other.span().byte_range()),
            }
        }
    }
    proc_macro2::extra::invalidate_current_thread_spans();
    // Spans count from the first file of the thread on, and there is none before this one.
    let is_comment = |it: &Range<usize>| {
        let token = text.get(it.clone()).unwrap_or_default();
        token.starts_with("//") || token.starts_with("/*")
    };
    let whole = places(text.as_bytes(), std::iter::once(0..text.len()));
    let mut places = whole.clone();
    spans.iter().for_each(|it| places[it.clone()].fill(false));
    // The brackets of documentation lie in the comment that it is written as.
    for span in spans.into_iter().filter(is_comment) {
        places[span.clone()].copy_from_slice(&whole[span]);
    }
    Some(places)
}

/// Compares every nth file, and says how many.
fn check_rust(folder: &Path, nth: usize) -> usize {
    let mut n_compared = 0;
    for path in files(folder, "rs").iter().step_by(nth) {
        let Ok(text) = fs::read_to_string(path) else { continue };
        // A first line that names a program is not a token, and a byte order mark neither.
        if text.starts_with("#!/") || text.starts_with('\u{feff}') {
            continue;
        }
        let Some(expected) = rust_comments(&text) else { continue };
        compare(path, text.as_bytes(), &expected);
        n_compared += 1;
    }
    n_compared
}

#[test]
fn the_sources_of_this_project_read_as_a_compiler_reads_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let n_compared =
        ["crates", "xtask", "fuzz"].iter().map(|it| check_rust(&root.join(it), 1)).sum::<usize>();
    assert!(n_compared > 400, "{n_compared} files");
    for path in files(&root.join("docs"), "md") {
        let text = fs::read(path).unwrap();
        check_laws(Syntax::of("a.md", b"").unwrap(), &text);
    }
}

/// Some of the sources of every package that is built here.
#[cfg(feature = "live")]
#[test]
fn the_sources_of_other_packages_read_as_a_compiler_reads_them() {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from).unwrap_or_else(|| {
        Path::new(&std::env::var_os("HOME").expect("cargo has a home")).join(".cargo")
    });
    let n_compared = check_rust(&home.join("registry/src"), 8);
    assert!(n_compared > 500, "{n_compared} files");
}

/// The sources of Python's own library, by its own tokenizer.
#[cfg(feature = "live")]
#[test]
fn pythons_own_library_reads_as_python_reads_it() {
    const PROGRAM: &str = r#"
import sys, sysconfig, pathlib, tokenize
for path in sorted(pathlib.Path(sysconfig.get_path("stdlib")).rglob("*.py"))[::4]:
    try:
        text = path.read_bytes().decode("utf-8")
        lines = text.split("\n")
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line.encode("utf-8")) + 1)
        with open(path, encoding="utf-8", newline="") as file:
            found = []
            for token in tokenize.generate_tokens(file.readline):
                if token.type == tokenize.COMMENT:
                    line = lines[token.start[0] - 1]
                    start = starts[token.start[0] - 1] + len(line[:token.start[1]].encode("utf-8"))
                    found.append(f"{start}-{start + len(token.string.encode('utf-8'))}")
        print(path, *found)
    except (UnicodeDecodeError, SyntaxError, tokenize.TokenError):
        pass
"#;
    let output = std::process::Command::new("python3").args(["-c", PROGRAM]).output().unwrap();
    let n_compared = compare_all(&output);
    assert!(n_compared > 100, "{n_compared} files");
}

/// What TypeScript comes with, by its own parser. `CHECK_NODE_MODULES` says where it is installed.
#[cfg(feature = "live")]
#[test]
fn typescripts_own_files_read_as_typescript_reads_them() {
    let modules = std::env::var_os("CHECK_NODE_MODULES").expect("cargo xtask live sets it");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typescript.js");
    let mut node = std::process::Command::new("node");
    let output = node.arg(script).arg(&modules).env("NODE_PATH", &modules).output().unwrap();
    let n_compared = compare_all(&output);
    assert!(n_compared > 100, "{n_compared} files");
}

/// Compares with what a program printed, a line for each file, and says how many there were.
#[cfg(feature = "live")]
fn compare_all(output: &std::process::Output) -> usize {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = std::str::from_utf8(&output.stdout).unwrap();
    for line in printed.lines() {
        let mut words = line.split(' ');
        let path = PathBuf::from(words.next().unwrap());
        let text = fs::read(&path).unwrap();
        let range = |it: &str| {
            let (start, end) = it.split_once('-').unwrap();
            start.parse().unwrap()..end.parse().unwrap()
        };
        compare(&path, &text, &places(&text, words.map(range)));
    }
    printed.lines().count()
}
