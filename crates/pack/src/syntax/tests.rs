//! What is said of single files, and what is offered.

use std::collections::BTreeMap;
use std::sync::Mutex;

use check::{Parses, RepairOp, Stop};
use insta::assert_snapshot;
use proptest::prelude::*;
use snapshot::Entry;

use super::*;

fn snapshot_of(files: &[(&str, &[u8])]) -> Snapshot {
    let entries = files.iter().map(|(path, bytes)| {
        let file = File::new(Text::new(bytes.to_vec()), 0o644);
        (RelPath::parse(path).unwrap(), Entry::File(file))
    });
    Snapshot::new(entries.collect()).unwrap()
}

fn report_of(check: &SyntaxCheck, snapshot: &Snapshot) -> Report {
    let parses = Parses::new(Limits::DEFAULT);
    let stop = Stop::new();
    let input = Input { snapshot, since: None, parses: &parses, stop: &stop, only: None };
    check.report(&input).unwrap()
}

/// Every finding with its place, and every repair with the text that it makes.
fn shown(path: &str, bytes: &[u8]) -> String {
    let snapshot = snapshot_of(&[(path, bytes)]);
    let check = SyntaxCheck::default();
    let report = report_of(&check, &snapshot);
    let mut out = String::new();
    for it in &report.diagnostics {
        let place = it.location.map(|it| format!("{}:{}", it.start_line, it.start_col));
        let place = place.unwrap_or_default();
        out += &format!("{} {} {place}: {}\n", it.severity.name(), it.rule_id, it.message);
    }
    for it in &report.repairs {
        let RepairOp::Text { edits, .. } = &it.ops[0] else { panic!("not a text edit") };
        let after = edits.apply(&Text::new(bytes.to_vec())).unwrap();
        let after = String::from_utf8_lossy(after.bytes()).into_owned();
        out += &format!("  {} ({}): {after:?}\n", it.title, it.safety.name());
    }
    for (_, reasons) in check.coverage(&snapshot, &report).iter() {
        reasons.iter().for_each(|it| out += &format!("  unchecked: {it:?}\n"));
    }
    out
}

fn all(cases: &[(&str, &str)]) -> String {
    let one =
        |(path, text): &(&str, &str)| format!("{path} {text:?}\n{}", shown(path, text.as_bytes()));
    cases.iter().map(one).collect()
}

#[test]
fn json() {
    assert_snapshot!(all(&[
        ("a.json", "{ \"$schema\": \"./s.json\", \"a\": \"x\""),
        ("a.json", "{\n  \"a\": {\n    \"b\": 1\n  }\n"),
        ("a.json", "{\"a\": {\"b\": 1, \"c\": 2}"),
        ("a.json", "{\"a\": \"x\" \"b\": 1}"),
        ("a.json", "[1, 2 3]"),
        ("a.json", "{\"a\": 1,, \"b\": 2}"),
        ("a.json", "{\"a\" 1}"),
        ("a.json", "{\"a\": \"x,\n \"b\": 1}"),
        ("a.json", "{\"a: 1}"),
        ("a.json", "{a: 1}"),
        ("a.json", "{'a': 1}"),
        ("a.json", "{\"a\": 1}}"),
        ("a.json", "{\"a\": [1, 2}"),
        ("a.json", ""),
        ("a.json", "{\"a\": 1, \"a\": 2}"),
        ("a.json", "{\"a\": \"\\ud800\"}"),
        ("a.json", "// c\n[1, 2,]\n"),
        ("package.json", "{\"a\": 1,}\n"),
        ("tsconfig.json", "// c\n{\"a\": 1,}\n"),
        ("fixtures/a.json", "{\"a\" }"),
        ("a.json", "{\"a\": {{ x }}}"),
        ("a.json", "<<<<<<< HEAD\n{}\n=======\n[]\n>>>>>>> x\n"),
    ]));
}

#[test]
fn yaml() {
    assert_snapshot!(all(&[
        ("a.yaml", "a:\n\tb: 1\n"),
        ("a.yaml", "a:\n  b:1\n  c: 2\n"),
        ("a.yaml", "a: [1, 2\nb: 3\n"),
        ("a.yaml", "a: \"x\nb: 1\n"),
        ("a.yaml", "a: [1,, 2]\n"),
        ("a.yaml", "a: {b: 1 c: 2}\n"),
        ("a.yaml", "a: b: c\n"),
        ("a.yaml", "a: 1\na: 2\n1: x\n\"1\": y\n"),
        ("a.yaml", "a: 1\n---\nb: 1\nb: 2\n"),
        ("a.yaml", "<<: {a: 1}\n<<: {b: 1}\n"),
        ("a.yaml", "{{- if .Values.x }}\na: 1\n{{- end }}\n"),
        ("a.yaml", "a: ${{ x }}\n b: 1\n"),
        ("testdata/a.yaml", "a: [\n"),
        (".cirrus.yml", "task: {a: 1}\ntask: {b: 1}\n"),
        ("a.yaml", ""),
    ]));
}

#[test]
fn slips() {
    assert_snapshot!(all(&[
        ("a.json", "{\"a\": True}"),
        ("a.json", "{\"a\": None}"),
        ("a.json", "{\"a\" = 1}"),
        ("a.json", "{\"a\": \"x\ty\"}"),
        ("a.json", "{\"a\": \"C:\\Users\"}"),
        ("a.json", "{\"a\": \"say \"hi\" now\"\n}"),
        ("a.json", "{\"a\": {\"x\": 1], \"b\": 2}"),
        ("a.json", "{\n  \"a\": {\n    \"b\": [1, 2"),
        ("a.json", "{\n  \"a\": {\n    \"b\": 1,\n  \"c\": 2\n}\n"),
        ("a.json", "{'a': 'x', b: 1}"),
        ("a.json", "{\u{201c}a\u{201d}: 1}"),
        ("a.json", "{\"a\": 'x\", \"b': 1}"),
        ("a.json", "{'a\": 1}"),
        ("a.yaml", "a: [x, \"y, z, {b: c}]\n"),
        ("a.yaml", "a: {b: \"c\", d [1, 2]}\n"),
        ("a.yaml", "a: \"x\"#c\nb: 1\n"),
        ("a.yaml", "a:\n  - x\n  -y\n"),
        ("a.yaml", "a: 'don't'\nb: 1\n"),
        ("a.yaml", "a: \"say \"hi\" now\"\n"),
        ("a.yaml", "a: \"x\" y\nb: 1\n"),
        ("a.yaml", "a: \"C:\\Users\"\n"),
        ("a.yaml", "a:\n  b: 1\n   c: 2\n"),
        ("a.yaml", "a:\n    b: 1\n  c: 2\n"),
        ("a.yaml", "a:\n  b\n    c: 1\nd: 2\n"),
        ("a.yaml", "a: &x 1\nb: *y\n"),
        ("a.yaml", "a: *.py\n"),
        ("a.toml", "a = True\n"),
        ("a.toml", "a = null\n"),
        ("a.toml", "a = 01\n"),
        ("a.toml", "a = 1.2.3\n"),
        ("a.toml", "a = 1 b = 2\n"),
        ("a.toml", "[t]\na: 1\n"),
        ("a.toml", "; c\na = 1\n"),
        ("a.toml", "// c\na = 1\n"),
        ("a.toml", "a = \"say \"hi\"\"\n"),
        ("a.toml", "a = \"C:\\Users\"\n"),
    ]));
}

#[test]
fn toml() {
    assert_snapshot!(all(&[
        ("a.toml", "a = \"x\nb = 1\n"),
        ("a.toml", "[a\nb = 1\n"),
        ("a.toml", "a = [1, 2\nb = 1\n"),
        ("a.toml", "a = [1 2]\n"),
        ("a.toml", "a = [1,, 2]\n"),
        ("a.toml", "a = x\n"),
        ("a.toml", "a = 1\na = 2\n"),
        ("regreen.toml", "a = \n"),
    ]));
}

#[test]
fn a_text_in_utf_16_is_named_as_such() {
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    assert_snapshot!(shown("a.json", &wide("{\"a\": 1}")), @"
    error SCHEMA_PARSE 1:2: cannot be read: the text is in UTF-16 or UTF-32, not UTF-8
      unchecked: SyntaxError
    ");
    assert_snapshot!(shown("a.yaml", &wide("\u{feff}a: 1\n")), @"
    warning SCHEMA_PARSE 1:1: not checked: the text is in UTF-16 or UTF-32, not UTF-8
      unchecked: TooComplex
    ");
}

/// Texts that are wrong in a million places take no longer than others.
#[test]
#[expect(clippy::disallowed_methods, reason = "the time is what is tested")]
fn hostile_texts_are_bounded() {
    let n = 100_000;
    for text in [
        "[".repeat(n),
        "[]".repeat(n),
        "\"".repeat(n + 1),
        format!("\"{}", ",}]".repeat(n)),
        "\t\n".repeat(n),
        "\ta:\n".repeat(n),
        "a:b\n".repeat(n) + ": [",
        format!("{{{}", "\"a\": 1 ".repeat(n)),
        "'".repeat(n + 1),
    ] {
        for path in ["a.json", "a.yaml", "a.toml"] {
            let start = std::time::Instant::now();
            drop(shown(path, text.as_bytes()));
            let took = start.elapsed();
            assert!(took.as_secs() < 30, "{path} {} took {took:?}", &text[..20]);
        }
    }
}

#[derive(Default)]
struct MemoryCache(Mutex<BTreeMap<[u8; 32], Vec<u8>>>);

impl Cache for MemoryCache {
    fn get(&self, key: &[u8; 32]) -> Option<Arc<[u8]>> {
        self.0.lock().unwrap().get(key).map(|it| it.as_slice().into())
    }

    fn put(&self, key: [u8; 32], bytes: Vec<u8>) {
        self.0.lock().unwrap().insert(key, bytes);
    }
}

/// With an empty cache, a full one and one that holds nonsense.
#[test]
fn what_is_kept_changes_nothing() {
    let texts: Vec<(String, String)> = (0..100)
        .map(|n| (format!("{n}.json"), if n % 9 == 0 { format!("[{n}") } else { n.to_string() }))
        .collect();
    let files: Vec<(&str, &[u8])> =
        texts.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
    let snapshot = snapshot_of(&files);
    let plain = report_of(&SyntaxCheck::default(), &snapshot).diagnostics;
    assert_eq!(plain.len(), 12);
    let kept = Arc::new(MemoryCache::default());
    for round in 0..3 {
        let check = SyntaxCheck::with_cache(Arc::<MemoryCache>::clone(&kept));
        assert_eq!(report_of(&check, &snapshot).diagnostics, plain);
        let mut kept = kept.0.lock().unwrap();
        assert_eq!(kept.len(), 88);
        if round == 1 {
            kept.values_mut().for_each(|it| it.push(7));
        }
    }
}

/// A piece of one of the formats.
fn piece() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "'",
        "a",
        "b: ",
        "a = ",
        "1",
        "\n",
        "\t",
        " ",
        "- ",
        "#",
        "//",
        "/*",
        "\\",
        "\"x\"",
        "{{",
        "<%",
        "ä",
        "---\n",
        "<<: ",
        "<<<<<<< a\n",
        "=======\n",
        ">>>>>>> b\n",
        "|\n",
        "*a",
        "&a ",
        "\u{feff}",
        "\r\n",
    ])
}

proptest! {
    /// Whatever the text is: no panic, and what is offered parses.
    #[test]
    fn what_is_offered_parses(pieces in prop::collection::vec(piece(), 0..24), nth in 0_usize..3) {
        let text = pieces.concat();
        let path = ["a.json", "a.yaml", "a.toml"][nth];
        let snapshot = snapshot_of(&[(path, text.as_bytes())]);
        let report = report_of(&SyntaxCheck::default(), &snapshot);
        for it in &report.repairs {
            let RepairOp::Text { edits, .. } = &it.ops[0] else { panic!("not a text edit") };
            let after = edits.apply(&Text::new(text.as_str())).unwrap();
            let format = Format::of_path(path).unwrap();
            prop_assert!(document::parse(&after, format, &Limits::DEFAULT).is_ok());
        }
    }

    /// One bracket, comma or quote less in JSON is found, and what is offered without a doubt is what was there.
    #[test]
    fn what_is_certain_is_what_was_meant(value in prop::collection::vec((0_u8..50, "[a-z]{1,3}"), 1..6), nth in any::<prop::sample::Index>()) {
        let members: Vec<String> = value.iter().enumerate()
            .map(|(idx, (n, key))| format!("  \"{key}{idx}\": [{n}, \"{key}\"]")).collect();
        let text = format!("{{\n{}\n}}\n", members.join(",\n"));
        let marks: Vec<usize> = text.bytes().enumerate()
            .filter(|it| b"{}[],:\"".contains(&it.1)).map(|it| it.0).collect();
        let at = marks[nth.index(marks.len())];
        let broken = format!("{}{}", &text[..at], &text[at + 1..]);
        let parse = |text: &Text| document::parse(text, Format::Json, &Limits::DEFAULT).map(|it| it.value());
        let meant = parse(&Text::new(text.as_str())).unwrap();
        let snapshot = snapshot_of(&[("a.json", broken.as_bytes())]);
        let report = report_of(&SyntaxCheck::default(), &snapshot);
        prop_assert!(parse(&Text::new(broken.as_str())).is_ok() || report.diagnostics.len() == 1);
        for it in report.repairs.iter().filter(|it| it.rule_id == PARSE_RULE && it.safety != check::Safety::BehaviorChanging) {
            let RepairOp::Text { edits, .. } = &it.ops[0] else { panic!("not a text edit") };
            let after = edits.apply(&Text::new(broken.as_str())).unwrap();
            prop_assert_eq!(parse(&after).unwrap(), meant.clone(), "{}", broken);
        }
    }
}
