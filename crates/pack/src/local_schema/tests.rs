//! Whole trees against their own schemas. On every tree: an incremental look says the same as a fresh one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use check::{Check as _, Diagnostic, Input, Parses, Report, Since, Stop};
use document::Limits;
use edit::Text;
use insta::assert_snapshot;
use snapshot::{Entry, File, RelPath, Snapshot};

use super::LocalSchema;
use crate::testing::MemoryCache;

fn tree(files: &[(&str, &str)]) -> Snapshot {
    let entries = files.iter().map(|(path, text)| {
        (RelPath::parse(path).unwrap(), Entry::File(File::new(Text::new(*text), 0o644)))
    });
    Snapshot::new(entries.collect()).unwrap()
}

fn look(snapshot: &Snapshot, since: Option<Since<'_>>) -> Report {
    look_with(&LocalSchema::default(), snapshot, since)
}

fn look_with(check: &LocalSchema, snapshot: &Snapshot, since: Option<Since<'_>>) -> Report {
    let parses = Parses::new(Limits::DEFAULT);
    check
        .report(&Input { snapshot, since, parses: &parses, stop: &Stop::new(), only: None })
        .unwrap()
}

fn show(report: &Report) -> String {
    let mut diagnostics: Vec<&Diagnostic> = report.diagnostics.iter().map(|it| &**it).collect();
    diagnostics.sort_by(|left, right| left.total_cmp(right));
    let mut text = String::new();
    for it in diagnostics {
        let place =
            it.location.map(|it| format!("{}:{}", it.start_line, it.start_col)).unwrap_or_default();
        let (severity, n_repairs) = (it.severity.name(), it.repair_refs.len());
        let pointer = it.json_pointer.as_deref().unwrap_or("-");
        writeln!(
            text,
            "{} {place} {pointer} {severity} {} ({n_repairs}): {}",
            it.file, it.rule_id, it.message
        )
        .unwrap();
    }
    for (path, phase) in &report.blocked {
        writeln!(text, "{path} blocked before {phase}").unwrap();
    }
    text
}

fn check(files: &[(&str, &str)]) -> String {
    show(&look(&tree(files), None))
}

const PORT: &str = r#"{"properties": {"port": {"type": "integer"}}}"#;

#[test]
fn a_file_is_checked_against_the_schema_it_names() {
    assert_snapshot!(check(&[
        ("s/port.json", PORT),
        ("a/key.json", "{\n  \"$schema\": \"../s/port.json\",\n  \"port\": \"1\"\n}\n"),
        ("a/key.yaml", "$schema: ../s/port.json\nport: x\n"),
        ("a/key.toml", "\"$schema\" = \"../s/port.json\"\nport = true\n"),
        ("a/line.yaml", "# yaml-language-server: $schema=../s/port.json\nport: '2'\n"),
        ("a/line.toml", "#:schema file:../s/port.json\nport = '3'\n"),
        ("a/good.yaml", "# yaml-language-server: $schema=../s/port.json\nport: 2\n"),
        ("a/none.yaml", "port: x\n"),
        ("a/none.txt", "$schema: ../s/port.json\n"),
    ]), @r#"
    a/key.json 3:11 /port error SCHEMA_TYPE (1): `port` must be an integer, but is the string "1"
    a/key.toml 2:8 /port error SCHEMA_TYPE (0): `port` must be an integer, but is the boolean true
    a/key.yaml 2:7 /port error SCHEMA_TYPE (0): `port` must be an integer, but is the string "x"
    a/line.toml 2:8 /port error SCHEMA_TYPE (1): `port` must be an integer, but is the string "3"
    a/line.yaml 2:7 /port error SCHEMA_TYPE (1): `port` must be an integer, but is the string "2"
    "#);
}

/// The design: never fetched, an info; what is not usable is a warning where it is named.
#[test]
fn what_cannot_be_used_is_said_at_the_reference() {
    assert_snapshot!(check(&[
        ("bad.json", "{"),
        ("invalid.json", r#"{"type": "strin"}"#),
        ("refers.json", r#"{"$ref": "gone.json"}"#),
        ("partly.json", r#"{"properties": {"a": {"$ref": "https://example.org/a.json"}, "b": {"type": "string"}}}"#),
        ("1.yaml", "# yaml-language-server: $schema=https://example.org/x.json\na: 1\n"),
        ("2.json", r#"{"$schema": "https://example.org/x.json"}"#),
        ("3.yaml", "$schema: gone.json\n"),
        ("4.yaml", "$schema: bad.json\n"),
        ("5.yaml", "$schema: invalid.json\n"),
        ("6.yaml", "$schema: refers.json\n"),
        ("7.yaml", "$schema: ../out.json\n"),
        ("8.yaml", "$schema: partly.json\nb: 1\n"),
        ("9.json", r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": 7}"#),
    ]), @r#"
    1.yaml 1:33 - info SCHEMA_REMOTE (0): the schema `https://example.org/x.json` is remote and was not fetched
    2.json 1:13 /$schema info SCHEMA_REMOTE (0): the schema `https://example.org/x.json` is remote and was not fetched
    3.yaml 1:10 /$schema warning SCHEMA_INVALID (0): the schema `gone.json` cannot be used: cannot find file `gone.json`
    4.yaml 1:10 /$schema warning SCHEMA_INVALID (0): the schema `bad.json` cannot be used: `bad.json` cannot be read: expected a key in double quotes or `}`, found the end of the file
    5.yaml 1:10 /$schema warning SCHEMA_INVALID (0): the schema `invalid.json` cannot be used: `invalid.json` is not a valid schema, at `/type`: "strin" is not allowed there
    6.yaml 1:10 /$schema warning SCHEMA_INVALID (0): the schema `refers.json` cannot be used: `refers.json` refers to `gone.json`, which does not exist
    7.yaml 1:10 /$schema warning SCHEMA_INVALID (0): the schema `../out.json` cannot be used: it leads out of the workspace
    8.yaml 1:10 /$schema info SCHEMA_REMOTE (0): what the schema says at `https://example.org/a.json` is remote and was not fetched
    8.yaml 2:4 /b error SCHEMA_TYPE (1): `b` must be a string, but is the number 1
    bad.json 1:2 - error SCHEMA_PARSE (0): cannot be read: expected a key in double quotes or `}`, found the end of the file
    bad.json blocked before schema
    "#);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_if_it_names_a_schema() {
    assert_snapshot!(check(&[
        ("port.json", PORT),
        ("a.yaml", "# yaml-language-server: $schema=port.json\na: [\n"),
        ("b.json", "{\"$schema\": \"port.json\", "),
        ("c.yaml", "a: [\n"),
        ("d.yaml", "# yaml-language-server: $schema=port.json\na: 1\na: 2\nport: '1'\n"),
    ]), @r#"
    a.yaml 3:1 - error SCHEMA_PARSE (0): cannot be read: expected a node or `]`, found the end of the text; the flow sequence is not closed: it began at line 2, column 4
    b.json 1:26 - error SCHEMA_PARSE (0): cannot be read: expected a key in double quotes or `}`, found the end of the file
    d.yaml 3:1  error SCHEMA_DUPLICATE_KEY (0): key `a` appears more than once in its map; remove one of them first
    d.yaml 4:7 /port error SCHEMA_TYPE (0): `port` must be an integer, but is the string "1"
    a.yaml blocked before schema
    b.json blocked before schema
    "#);
}

/// Work follows what changed, and the answer is that of a fresh look.
#[test]
fn a_later_look_says_what_a_fresh_one_would() {
    let base: BTreeMap<&str, &str> = BTreeMap::from([
        ("s.json", r#"{"$ref": "t.json"}"#),
        ("t.json", PORT),
        ("a.yaml", "$schema: s.json\nport: x\n"),
        ("b.yaml", "$schema: u.json\nport: x\n"),
        ("c.yaml", "port: x\n"),
        ("d.yaml", "$schema: https://example.org/x.json\n"),
    ]);
    let changes: [(&str, Option<&str>); 11] = [
        ("a.yaml", Some("$schema: s.json\nport: 1\n")),
        ("a.yaml", None),
        ("t.json", Some(r#"{"properties": {"port": {"type": "string"}}}"#)),
        ("t.json", None),
        ("s.json", Some("{")),
        ("t.json", Some("{\"$schema\": \"s.json\", ")),
        ("a.yaml", Some("$schema: s.json\nport: [\n")),
        ("u.json", Some(PORT)),
        ("c.yaml", Some("$schema: t.json\nport: x\n")),
        ("d.yaml", Some("a: 1\n")),
        ("z.txt", Some("nothing")),
    ];
    let files = |map: &BTreeMap<&str, &str>| {
        tree(&map.iter().map(|(path, it)| (*path, *it)).collect::<Vec<_>>())
    };
    let before = look(&files(&base), None);
    let kept = Arc::new(MemoryCache::default());
    let with_cache = LocalSchema {
        cache: Some(Arc::<MemoryCache>::clone(&kept)),
        least: 1,
        ..LocalSchema::default()
    };
    for (path, text) in changes {
        let mut map = base.clone();
        map.remove(path);
        map.extend(text.map(|it| (path, it)));
        let changed = BTreeSet::from([RelPath::parse(path).unwrap()]);
        let after = files(&map);
        let later = look(&after, Some(Since { report: &before, changed: &changed }));
        let fresh = look(&after, None);
        assert_eq!(show(&later), show(&fresh), "{path} {text:?}");
        let covered = |report: &Report| LocalSchema::default().coverage(&after, report);
        assert_eq!(covered(&later), covered(&fresh), "{path} {text:?}");
        let cached = look_with(&with_cache, &files(&base), None);
        assert_eq!(show(&cached), show(&before), "{path} {text:?} with a cache");
        let since = Since { report: &cached, changed: &changed };
        for cached in
            [look_with(&with_cache, &after, Some(since)), look_with(&with_cache, &after, None)]
        {
            assert_eq!(show(&cached), show(&fresh), "{path} {text:?} with a cache");
            assert_eq!(covered(&cached), covered(&fresh), "{path} {text:?} with a cache");
        }
        let back = look(&files(&base), Some(Since { report: &later, changed: &changed }));
        assert_eq!(show(&back), show(&before), "{path} and back");
    }
}

/// What was found out is not found out again, whatever the order of processes; what cannot be read is as good as not there.
#[test]
fn a_sound_file_is_looked_at_once() {
    let sound = tree(&[("a.yaml", "$schema: s.json\nport: 80\n"), ("s.json", PORT)]);
    let wrong = tree(&[("a.yaml", "$schema: s.json\nport: x\n"), ("s.json", PORT)]);
    let other = r#"{"properties": {"port": {"type": "string"}}}"#;
    let other = tree(&[("a.yaml", "$schema: s.json\nport: 80\n"), ("s.json", other)]);
    let kept = Arc::new(MemoryCache::default());
    let with_cache = LocalSchema {
        cache: Some(Arc::<MemoryCache>::clone(&kept)),
        least: 1,
        ..LocalSchema::default()
    };
    let check = |snapshot: &Snapshot, expected: (usize, usize)| {
        let found = look_with(&with_cache, snapshot, None);
        assert_eq!(show(&found), show(&look(snapshot, None)));
        assert_eq!(kept.counts(), expected);
    };
    check(&sound, (0, 1));
    check(&sound, (1, 0));
    check(&wrong, (0, 0));
    // The entry is found and not believed.
    check(&other, (1, 0));
    let whole = kept.entries.lock().unwrap().clone();
    for (key, bytes) in &whole {
        for cut in 0..bytes.len() {
            kept.entries.lock().unwrap().insert(*key, bytes[..cut].into());
            check(&sound, (1, 1));
        }
    }
}

#[test]
fn the_number_of_threads_does_not_show() {
    let files: Vec<(String, String)> = (0..40)
        .map(|it| (format!("{it}.yaml"), format!("$schema: s{}.json\nport: 'x{it}'\n", it % 3)))
        .collect();
    let mut files: Vec<(&str, &str)> =
        files.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect();
    files.extend([("s0.json", PORT), ("s1.json", PORT)]);
    let with = |n_threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| format!("{:?}", look(&tree(&files), None)))
    };
    assert_eq!(with(1), with(4));
}

/// X-123: what is wrong in an anchor is one finding, and its repair mends every alias.
#[test]
fn what_is_wrong_in_an_anchor_is_one_finding() {
    let schema = r#"{"additionalProperties": {"properties": {"port": {"type": "integer"}}}}"#;
    let text = "# yaml-language-server: $schema=s.json\na: &x\n  port: '80' # web\nb: *x\nc: *x\n";
    let snapshot = tree(&[("s.json", schema), ("a.yaml", text)]);
    let report = look(&snapshot, None);
    let found = "a.yaml 3:9 /a/port error SCHEMA_TYPE (1): `port` must be an integer, but is the string \"80\"\n";
    assert_eq!(show(&report), found);
    let after = crate::testing::repaired(&snapshot, &report.repairs[0]);
    let path = RelPath::parse("a.yaml").unwrap();
    let expected = text.replace("'80'", "80");
    assert_eq!(after.file(&path).unwrap().text().as_str(), Some(&*expected));
    assert_eq!(show(&look(&after, None)), "");
}
