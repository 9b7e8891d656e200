//! Every message that a user can see, in one list: `cargo xtask messages`. Somebody who has not seen the code reads it from
//! top to bottom before a release.
//!
//! A message is a string literal of two words or more outside of tests, assertions and `expect`; the help of the command
//! line is the documentation of its arguments. The list is made from tokens, so it holds what no test reaches.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::report;
use crate::tidy::source_files;

/// Folders of programs and libraries that users meet.
const FOLDERS: &[&str] = &["crates/", "src/"];
/// What only developers meet.
const LEFT_OUT: &[&str] = &[
    "crates/bench/",
    "crates/fixture/",
    "/tests/",
    "/tests.rs",
    "/benches/",
    "/testing",
    "/laws.rs",
    "/examples/",
];

/// Prints the list.
pub(crate) fn run(root: &Path) -> Result<()> {
    let mut sources = Vec::new();
    for path in source_files(root)? {
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let is_met = FOLDERS.iter().any(|it| name.starts_with(it));
        if is_met && !LEFT_OUT.iter().any(|it| name.contains(it)) {
            let text = fs::read_to_string(&path).with_context(|| name.clone())?;
            sources.push((name, text));
        }
    }
    let tests: Vec<String> = sources.iter().flat_map(|it| test_modules(&it.0, &it.1)).collect();
    let is_test = |name: &str| {
        tests.iter().any(|it| name.strip_prefix(it).is_some_and(|it| it.starts_with(['.', '/'])))
    };
    let mut lines = Vec::new();
    for (name, text) in sources.into_iter().filter(|it| !is_test(&it.0)) {
        let help = if name.starts_with("src/") { help(&text) } else { Vec::new() };
        let found = literals(&text).into_iter().chain(help);
        lines.extend(found.map(|(line, message)| format!("{name}:{line}: {message}")));
    }
    report(&lines.join("\n"));
    report(&format!("\n{} messages", lines.len()));
    Ok(())
}

/// The modules of tests that a source declares, as paths without the ending.
fn test_modules(name: &str, text: &str) -> Vec<String> {
    let folder = match name.rsplit_once('/') {
        Some((folder, "lib.rs" | "main.rs")) => folder,
        _ => name.trim_end_matches(".rs"),
    };
    let declared = text.split("#[cfg(test)]\nmod ").skip(1).filter_map(|it| it.split_once(';'));
    let modules =
        declared.map(|it| it.0).filter(|it| it.chars().all(|it| it.is_alphanumeric() || it == '_'));
    modules.map(|it| format!("{folder}/{it}")).collect()
}

/// The documentation of arguments, which is their help.
fn help(text: &str) -> Vec<(usize, String)> {
    if !text.contains("clap::") && !text.contains("derive(Args") {
        return Vec::new();
    }
    let lines = text.lines().zip(1..);
    let docs = lines.filter_map(|(line, nth)| Some((nth, line.trim().strip_prefix("/// ")?)));
    docs.map(|(nth, line)| (nth, line.to_owned())).collect()
}

/// String literals of two words or more that are not in a test and not an argument of `expect` or `assert`, by line.
fn literals(text: &str) -> Vec<(usize, String)> {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let bytes = &text.as_bytes()[..end];
    let (mut at, mut line) = (0, 1);
    let mut found = Vec::new();
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let length = match byte {
            b'/' if rest.starts_with(b"//") => {
                rest.iter().position(|it| *it == b'\n').unwrap_or(rest.len())
            }
            b'/' if rest.starts_with(b"/*") => find(rest, b"*/").map_or(rest.len(), |it| it + 2),
            b'\'' => character(rest),
            b'r' if !is_name_before(bytes, at) => raw_string(rest).unwrap_or(1),
            b'"' => string(rest),
            _ => 1,
        };
        let piece = &text[at..at + length];
        if length > 1
            && matches!(byte, b'"' | b'r')
            && is_message(piece)
            && !is_internal(&text[..at])
        {
            found.push((line, piece.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
        line += piece.bytes().filter(|it| *it == b'\n').count();
        at += length;
    }
    found
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|it| it == needle)
}

fn is_name_before(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

/// The length of a character literal, or one for the tick of a lifetime.
fn character(bytes: &[u8]) -> usize {
    match bytes {
        [_, b'\\', _, rest @ ..] => {
            3 + rest.iter().position(|it| *it == b'\'').map_or(0, |it| it + 1)
        }
        _ => match bytes[1..].iter().take(5).position(|it| *it == b'\'') {
            Some(length @ 1..) => length + 2,
            _ => 1,
        },
    }
}

fn string(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn raw_string(bytes: &[u8]) -> Option<usize> {
    let n_hashes = bytes[1..].iter().take_while(|it| **it == b'#').count();
    let start = 1 + n_hashes + 1;
    (bytes.get(start - 1) == Some(&b'"')).then_some(())?;
    let close = [b"\"".as_slice(), &b"#".repeat(n_hashes)].concat();
    Some(find(&bytes[start..], &close).map_or(bytes.len(), |it| start + it + close.len()))
}

/// Whether it reads like words: a space between two letters, and more letters than anything else.
fn is_message(literal: &str) -> bool {
    let n_letters = literal.chars().filter(|it| it.is_alphabetic() || *it == ' ').count();
    let bytes = literal.as_bytes();
    let has_words = bytes.windows(3).any(|it| {
        it[1] == b' '
            && it[0].is_ascii_lowercase()
            && (it[2].is_ascii_alphabetic() || it[2] == b'`' || it[2] == b'{')
    });
    has_words && 2 * n_letters > literal.chars().count() && !is_sql(literal)
}

/// Whether it is a statement to a database.
fn is_sql(literal: &str) -> bool {
    let verbs = ["ALTER ", "CREATE ", "DELETE ", "INSERT ", "SELECT ", "UPDATE "];
    verbs.iter().any(|it| literal.trim_start_matches(['r', '#', '"']).starts_with(it))
}

/// Whether what comes before makes it a message to developers.
fn is_internal(before: &str) -> bool {
    let before = before.trim_end();
    [
        ".expect(",
        "reason =",
        "expect(clippy::disallowed_methods, reason =",
        "unreachable!(",
        "new_derive_key(",
    ]
    .iter()
    .any(|it| before.ends_with(it))
}

#[cfg(test)]
mod tests {
    use super::{literals, test_modules};

    #[test]
    fn modules_of_tests_are_known_by_their_declaration() {
        let text = "mod a;\n#[cfg(test)]\nmod mistakes;\n#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(test_modules("crates/x/src/parse.rs", text), ["crates/x/src/parse/mistakes"]);
        assert_eq!(test_modules("crates/x/src/lib.rs", text), ["crates/x/src/mistakes"]);
    }

    #[test]
    fn messages_are_found_and_nothing_else() {
        let text = "fn f<'a>(it: &'a str) { // \"not a message\"\n  g('\"', '\\'');\n  say(\"cannot read {it}\");\n  \
                    x.expect(\"it is there\"); let y = r#\"there is a \"raw\" message\"#; z(\"key\"); }\n\
                    #[cfg(test)]\nmod tests { \"of a test\" }";
        let found = literals(text);
        assert_eq!(
            found,
            [
                (3, "\"cannot read {it}\"".to_owned()),
                (4, "r#\"there is a \"raw\" message\"#".to_owned()),
            ]
        );
    }
}
