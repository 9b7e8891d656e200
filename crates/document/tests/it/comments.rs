//! Where comments stand. The laws: what is called a comment can be blanked or rewritten and nothing else changes;
//! what is left without them has no comment. For YAML the parser's own comment events are a second judge.

use document::{Document, Format, Limits, parse};
use edit::Text;
use proptest::prelude::*;
use std::sync::Arc;

fn read(format: Format, text: &[u8]) -> Option<Arc<Document>> {
    parse(&Text::new(text), format, &Limits::DEFAULT).ok()
}

fn comment_texts(document: &Document) -> Vec<String> {
    let bytes = document.text().bytes();
    let text = |it: std::ops::Range<u32>| bytes[it.start as usize..it.end as usize].to_vec();
    document.comments().into_iter().map(|it| String::from_utf8(text(it)).unwrap()).collect()
}

#[track_caller]
fn check(format: Format, text: &str, expected: &[&str]) {
    let document = read(format, text.as_bytes()).unwrap();
    assert_eq!(comment_texts(&document), expected, "{text}");
    check_laws(text, format, text.as_bytes());
}

/// The text with what every comment says turned into `filler`, also its marks unless they are kept.
fn with_comments_as(document: &Document, filler: u8, keeps_marks: bool) -> Vec<u8> {
    let mut bytes = document.text().bytes().to_vec();
    for comment in document.comments() {
        let comment = &mut bytes[comment.start as usize..comment.end as usize];
        let (head, tail) = match comment {
            _ if !keeps_marks => (0, 0),
            [b'/', b'*', ..] => (2, 2),
            [b'/', ..] => (2, 0),
            _ => (1, 0),
        };
        let end = comment.len() - tail;
        for byte in comment.iter_mut().take(end).skip(head) {
            if !matches!(*byte, b'\r' | b'\n') {
                *byte = filler;
            }
        }
    }
    bytes
}

fn without_comments(document: &Document) -> Vec<u8> {
    let delete = |it: std::ops::Range<u32>| edit::Edit::delete(it.start, it.end);
    let edits = document.comments().into_iter().map(delete).collect();
    let edits = edit::EditSet::new(document.text(), edits).unwrap();
    edits.apply(document.text()).unwrap().bytes().to_vec()
}

/// Blank lines below a scalar that keeps them are part of it, so that a blanked comment would become content.
fn keeps_blank_lines(text: &[u8]) -> bool {
    text.windows(2).any(|it| matches!(it, b"|+" | b">+"))
        || text.windows(3).any(|it| matches!(it, [b'|' | b'>', b'1'..=b'9', b'+']))
}

/// Without its comments the text says the same and has none.
#[track_caller]
fn check_without(name: &str, document: &Document) {
    let format = document.format();
    // In YAML, spaces below a block scalar can be content.
    let blanked = match format {
        Format::Yaml if keeps_blank_lines(document.text().bytes()) => return,
        Format::Yaml => without_comments(document),
        _ => with_comments_as(document, b' ', false),
    };
    let reread = read(format, &blanked).unwrap_or_else(|| panic!("{name}: {blanked:?}"));
    assert!(reread.value().equals(&document.value()), "{name}");
    assert_eq!(reread.comments(), [], "{name}");
}

/// Whatever the comments say, they are the comments.
#[track_caller]
fn check_rewritten(name: &str, document: &Document) {
    let rewritten = with_comments_as(document, b'x', true);
    let reread =
        read(document.format(), &rewritten).unwrap_or_else(|| panic!("{name}: {rewritten:?}"));
    assert!(reread.value().equals(&document.value()), "{name}");
    assert_eq!(reread.comments(), document.comments(), "{name}");
}

#[track_caller]
fn check_laws(name: &str, format: Format, text: &[u8]) -> usize {
    let Some(document) = read(format, text) else { return 0 };
    let comments = document.comments();
    assert!(comments.is_sorted_by(|left, right| left.end <= right.start), "{name}");
    check_rewritten(name, &document);
    check_without(name, &document);
    comments.len()
}

#[test]
fn json_comments_are_found_outside_strings() {
    check(
        Format::Json,
        "// a\n{\"//\": \"/* no */\", /* b */ \"c\\\"//\": 1} // d",
        &["// a", "/* b */", "// d"],
    );
    check(
        Format::Json,
        "\u{FEFF}// a\r\n[1, 2 // b\r\n/* c\r\n * d */, 3]\r\n//",
        &["// a", "// b", "/* c\r\n * d */", "//"],
    );
    check(Format::Json, "[\"http://x/\"]", &[]);
    check(Format::Json, "[1/**//**/]", &["/**/", "/**/"]);
}

#[test]
fn toml_comments_are_found_outside_strings() {
    check(
        Format::Toml,
        "# a\nk = \"# no\" # b\n'#' = '#' # c\r\n[t] # d",
        &["# a", "# b", "# c", "# d"],
    );
    check(
        Format::Toml,
        "a = \"\"\"# no \\\"\"\" # no\"\"\"\"\" # a\nb = '''#''''' # b\n",
        &["# a", "# b"],
    );
    check(
        Format::Toml,
        "a = \"\" # a\nb = '' # b\nc = \"\\\"#\" # c\nd = '\\' # d\n",
        &["# a", "# b", "# c", "# d"],
    );
    check(Format::Toml, "a = [ # a\n  1, # b\n  # c\n]#d", &["# a", "# b", "# c", "#d"]);
    check(Format::Toml, "a = \"\"\"\"\"\" # a\n", &["# a"]);
}

#[test]
fn yaml_comments_are_found_outside_scalars() {
    check(Format::Yaml, "\u{FEFF}# a\nk: v#no # b\n# c\n", &["# a", "# b", "# c"]);
    check(
        Format::Yaml,
        "%YAML 1.2 # a\n--- # b\nk: 1\n... # c\n# d",
        &["# a", "# b", "# c", "# d"],
    );
    check(
        Format::Yaml,
        "k: | # a\n  # no\n  x # no\n\n  # no\n # b\n# c\nl: >-\n\n  # no\n",
        &["# a", "# b", "# c"],
    );
    check(Format::Yaml, "a: 'x # no\n  # no'\nb: \"# no\\\"\n  # no\" # b\n", &["# b"]);
    check(Format::Yaml, "a: &x#no !t#no 1 # a\nb: *x#no # b\n", &["# a", "# b"]);
    check(
        Format::Yaml,
        "[ # a\n  a, #b\n  {k: v}, # c\n  # d\n] # e\r\n",
        &["# a", "#b", "# c", "# d", "# e"],
    );
}

#[test]
fn yaml_comments_of_every_document_and_line_end_are_found() {
    check(
        Format::Yaml,
        "a: 1 # a\n---\n# b\nb: | # c\n  # no\n# d\n--- !t#no\n'# no' # e\n",
        &["# a", "# b", "# c", "# d", "# e"],
    );
    check(Format::Yaml, "a: 1 # a\rb: | # b\r  # no\r# c\rb: 2\r", &["# a", "# b", "# c"]);
}

/// `None` where granit-parser refuses what the reader takes.
fn granit_comments(text: &str) -> Option<Vec<std::ops::Range<u32>>> {
    let options = granit_parser::options! {
        strict_indentation: false,
        emit_comments: true,
        max_buffered_comment_events: usize::MAX,
    };
    let byte = |marker: granit_parser::Marker| marker.byte_offset().unwrap() as u32;
    let events: Result<Vec<_>, _> =
        granit_parser::Parser::new_from_str_with_options(text, options).collect();
    let mut found: Vec<_> = events
        .ok()?
        .into_iter()
        .filter(|(event, _)| matches!(event, granit_parser::Event::Comment(..)))
        .map(|(_, span)| byte(span.start)..byte(span.end))
        .collect();
    found.sort_by_key(|it| it.start);
    Some(found)
}

#[test]
fn yaml_comments_are_those_of_the_parser() {
    let mut texts = fixture::corpus::shipped("yaml");
    let mut least = 20;
    if let Some(cases) = fixture::yaml_suite::cases() {
        let valid = cases.into_iter().filter(|it| !it.is_invalid);
        texts.extend(valid.map(|it| (it.name, it.yaml)));
        least = 100;
    }
    let mut count = 0;
    for (name, text) in texts {
        for text in [text.clone(), text.replace("\r\n", "\n").replace('\n', "\r\n")] {
            let Some(document) = read(Format::Yaml, text.as_bytes()) else { continue };
            if let Some(expected) = granit_comments(&text) {
                assert_eq!(document.comments(), expected, "{name}\n{text}");
            }
            count += check_laws(&name, Format::Yaml, text.as_bytes());
        }
    }
    assert!(count > least, "{count}");
}

#[test]
fn the_laws_of_comments_hold_on_the_corpora() {
    let mut count = 0;
    for (folder, format) in [("json", Format::Json), ("toml", Format::Toml)] {
        for (name, text) in fixture::corpus::shipped(folder) {
            count += check_laws(&name, format, text.as_bytes());
        }
    }
    for case in fixture::toml_suite::cases("1.1.0").unwrap_or_default() {
        count += check_laws(&case.name, Format::Toml, &case.text);
    }
    assert!(count > 20, "{count}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, rng_seed: prop::test_runner::RngSeed::Fixed(5), failure_persistence: None, ..ProptestConfig::default() })]

    /// Texts that nobody wrote: what is found is what the parser finds, and nothing panics.
    #[test]
    fn comments_of_odd_texts_are_those_of_the_parser(text in "[-?:,\\[\\]{}#&*!|>'\"%@ \\t\\n\\ra0~.+é]{0,40}") {
        if let Some(document) = read(Format::Yaml, text.as_bytes()) {
            if let Some(expected) = granit_comments(&text) {
                prop_assert_eq!(document.comments(), expected, "{:?}", text);
            }
            check_rewritten(&text, &document);
        }
    }

    #[test]
    fn odd_texts_of_other_formats_obey_the_laws(parts in prop::collection::vec(0_usize..16, 0..12)) {
        let json = ["[", "]", ",", "1", "\"a//b\"", "\"\\\"/*\"", "// é\n", "/* * \n / */", " ", "\n", "{", "}", "\"k\":", "//\r", "/**/", "\"\""];
        let toml = ["a=", "b=", "1", "'#'", "\"#\"", "\"\\\"#\"", "'''\n#'''", "\"\"\"#\\\"\"\"\"\"", "# é", "#", "\n", "\r\n", "[", "]", ",", " "];
        let join = |words: [&str; 16]| parts.iter().map(|it| words[*it]).collect::<String>();
        check_laws("JSON", Format::Json, format!("[{}]", join(json)).as_bytes());
        check_laws("TOML", Format::Toml, format!("a = [{}] # c", join(toml)).as_bytes());
        check_laws("TOML", Format::Toml, join(toml).as_bytes());
    }
}
