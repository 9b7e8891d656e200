//! The canonical formatter: what it makes of programs, and the laws that hold for every program (row 57;
//! AE-22, AE-50).
//!
//! `tests/format/*.txt` are programs by topic; one that is not listed under `after` must stay as it is.
//! `REGREEN_BLESS=1` writes what is expected from what is found; read what it wrote.
#![expect(clippy::disallowed_methods, reason = "tests read files")]

use std::path::{Path, PathBuf};

use clank_syntax::{TokenKind, format, format_edits, is_formatted, parse, same};
use edit::Text;
use fixture::case::Case;
use fixture::corpus::texts_under;

#[path = "format/hostile.rs"]
mod hostile;
#[path = "format/laws.rs"]
mod laws;

/// The canonical layout, with every law checked on the way.
#[track_caller]
fn check(text: &str) -> String {
    let parsed = parse("a.clank", text);
    assert!(parsed.errors.is_empty(), "{:?}\n{text}", parsed.errors);
    let formatted = format(&parsed).expect("it has no errors");
    let again = parse("a.clank", &formatted);
    assert!(again.errors.is_empty(), "{:?}\n{formatted}", again.errors);
    assert_eq!(pieces(text), pieces(&formatted), "a token or comment changed\n{text}\n{formatted}");
    assert!(same(&parsed.ast, &again.ast), "the tree changed\n{text}\n{formatted}");
    let twice = format(&again).expect("it has no errors");
    assert_eq!(formatted, twice, "the second time is different\n{text}");
    check_edits(text, &formatted);
    check_lines(&formatted);
    formatted
}

/// Tokens and comments without the blanks between them.
fn pieces(text: &str) -> Vec<String> {
    let (tokens, _) = clank_syntax::lex(text);
    tokens
        .iter()
        .filter(|(kind, _)| *kind != TokenKind::Whitespace)
        .map(|(kind, text)| match kind {
            TokenKind::LineComment => text.trim_end().to_owned(),
            _ => text.to_owned(),
        })
        .collect()
}

#[track_caller]
fn check_edits(text: &str, formatted: &str) {
    let parsed = parse("a.clank", text);
    let before = Text::new(text);
    let edits = format_edits(&before, &parsed).expect("it has no errors");
    let after = edits.apply(&before).expect("the edits fit the text");
    assert_eq!(after.bytes(), formatted.as_bytes(), "the edits make another text");
    assert_eq!(is_formatted(&parsed), Some(edits.is_empty()));
    let is_blank = |it: &[u8]| it.iter().all(u8::is_ascii_whitespace);
    for edit in edits.edits() {
        assert!(is_blank(&text.as_bytes()[edit.start as usize..edit.end as usize]));
        assert!(is_blank(&edit.text));
    }
}

#[track_caller]
fn check_lines(formatted: &str) {
    if formatted.trim_start_matches('\u{FEFF}').is_empty() {
        return;
    }
    assert!(formatted.ends_with('\n') && !formatted.ends_with("\n\n"), "{formatted:?}");
    assert!(!formatted.ends_with("\n\r\n"), "{formatted:?}");
    let (tokens, _) = clank_syntax::lex(formatted);
    for (kind, text) in tokens.iter().filter(|it| it.0 == TokenKind::Whitespace) {
        assert!(!text.contains(" \n") && !text.contains(" \r"), "{kind:?} {text:?} in {formatted}");
        assert!(!text.contains('\t'), "{formatted}");
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Real programs, by name.
pub(crate) fn programs() -> Vec<(String, String)> {
    let found = texts_under(&folder("programs"), ".clank");
    assert!(found.len() >= 8);
    found
}

/// The programs of the cases, before they are laid out.
fn inputs() -> Vec<String> {
    let cases = texts_under(&folder("format"), ".txt");
    let cases = cases.iter().map(|(_, text)| Case::parse(text).expect("a case"));
    cases.flat_map(|case| case.files.into_values()).collect()
}

#[test]
fn cases_are_laid_out_as_expected() {
    let mut wrong = Vec::new();
    for (name, text) in texts_under(&folder("format"), ".txt") {
        let mut case = Case::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        case.after.clear();
        for (path, program) in &case.files {
            let formatted = check(program);
            if formatted != *program {
                case.after.insert(path.clone(), formatted);
            }
        }
        let found = case.render().expect("formatted programs are plain");
        if found != text {
            bless("format", &name, &found);
            wrong.push(format!("{name}\n{}", first_difference(&text, &found)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn first_difference(expected: &str, found: &str) -> String {
    let lines = expected.lines().zip(found.lines());
    match lines.enumerate().find(|(_, (expected, found))| expected != found) {
        Some((line, (expected, found))) => {
            format!("line {}\n  expected {expected:?}\n  found    {found:?}", line + 1)
        }
        None => "one is longer than the other".into(),
    }
}

#[test]
fn real_programs_are_canonical() {
    for (name, text) in programs() {
        let formatted = check(&text);
        if formatted != text {
            bless("programs", &name, &formatted);
            panic!("{name}: {}", first_difference(&text, &formatted));
        }
    }
}

fn bless(folder_name: &str, name: &str, found: &str) {
    if std::env::var_os("REGREEN_BLESS").is_some() {
        std::fs::write(folder(folder_name).join(name), found).expect("the file is writable");
    }
}

#[test]
fn a_text_with_mistakes_has_no_layout() {
    let parsed = parse("a.clank", "fn f( -> Int { 1 }");
    assert!(format(&parsed).is_none());
    assert!(format_edits(&Text::new("fn f( -> Int { 1 }"), &parsed).is_none());
}

#[test]
fn another_text_gets_no_edits() {
    let parsed = parse("a.clank", "use   a");
    assert!(format_edits(&Text::new("use   b"), &parsed).is_none());
}

#[test]
fn edits_are_one_for_each_run_that_changes() {
    let text = "use a\nfn f( ) -> Int { 1  }\nuse  b\n";
    let parsed = parse("a.clank", text);
    let edits = format_edits(&Text::new(text), &parsed).expect("it has no errors");
    let found: Vec<(u32, u32, &[u8])> =
        edits.edits().iter().map(|it| (it.start, it.end, &*it.text)).collect();
    assert_eq!(found, [(11, 12, &b""[..]), (24, 26, b" "), (31, 33, b" ")]);
}

#[test]
fn a_byte_order_mark_stays() {
    assert_eq!(check("\u{FEFF}  use   a"), "\u{FEFF}use a\n");
    assert_eq!(check("\u{FEFF}\n// a"), "\u{FEFF}// a\n");
    assert_eq!(check("\u{FEFF}"), "\u{FEFF}");
}

#[test]
fn line_ends_of_the_majority_stay() {
    assert_eq!(check("use a\r\n\r\n\r\nuse   b\r\n"), "use a\r\n\r\nuse b\r\n");
    assert_eq!(check("use a\r\nuse b\nuse c\r\n"), "use a\r\nuse b\r\nuse c\r\n");
    assert_eq!(check("use a\nuse b\r\nuse c\n"), "use a\nuse b\nuse c\n");
    // What is inside a token has no say and stays.
    let text = "fn f() -> Str { \"\"\"\r\n\r\n\r\n\"\"\" }\n";
    assert_eq!(check(text), text);
}

#[test]
fn carriage_returns_in_comments_stay_but_not_at_their_ends() {
    assert_eq!(check("// a\r b \t\r\nuse a // c\r\n"), "// a\r b\r\nuse a // c\r\n");
    assert_eq!(check("/* a\r\n b */   use a\n"), "/* a\r\n b */ use a\n");
}

#[test]
fn a_text_without_anything_is_empty() {
    assert_eq!(check(""), "");
    assert_eq!(check(" \n\t\r\n"), "");
}

#[test]
fn a_text_without_a_line_end_gets_one() {
    assert_eq!(check("use a"), "use a\n");
    assert_eq!(check("// a"), "// a\n");
    assert_eq!(check("/* a */"), "/* a */\n");
}
