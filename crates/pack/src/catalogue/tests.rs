//! Locks, catalogues, and whole trees whose files have schemas by their names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use check::{Check as _, Diagnostic, Input, Parses, Report, Since, Stop};
use document::{Format, Limits};
use edit::Text;
use insta::assert_snapshot;
use snapshot::{Entry, File, RelPath, Snapshot};

use super::*;
use crate::LocalSchema;
use crate::testing::MemoryCache;

/// Bytes by their hashes.
#[derive(Default)]
struct Bytes(BTreeMap<String, Vec<u8>>);

impl SchemaBytes for Bytes {
    fn read(&self, hash: &str) -> Option<Vec<u8>> {
        self.0.get(hash).cloned()
    }

    fn has(&self, hash: &str) -> bool {
        self.0.contains_key(hash)
    }
}

const PORT: &str = r#"{"properties": {"port": {"type": "integer"}}}"#;

/// What is locked: addresses, patterns of files, and texts. A text after `absent ` is not there, one after `file ` is the
/// file `vendor.json`.
fn catalogue(schemas: &[(&str, &[&str], &str)], mappings: Vec<Mapping>) -> Catalogue {
    let mut bytes = Bytes::default();
    let locked = schemas.iter().map(|(url, files, text)| {
        let (text, path) = match text.strip_prefix("file ") {
            Some(text) => (text, RelPath::parse("vendor.json").ok()),
            None => (*text, None),
        };
        let (text, is_absent) = match text.strip_prefix("absent ") {
            Some(text) => (text, true),
            None => (text, path.is_some()),
        };
        let hash = content_hash(text.as_bytes());
        if !is_absent {
            bytes.0.insert(hash.clone(), text.as_bytes().to_vec());
        }
        let files = files.iter().map(|it| (*it).to_owned()).collect();
        let (url, name) = ((*url).to_owned(), (*url).to_owned());
        LockedSchema { url, hash, name, files, licence: None, path }
    });
    let lock = SchemaLock::new(None, locked.collect());
    Catalogue::new(mappings, lock, Arc::new(bytes))
}

fn mapping(globs: &[&str], conditions: &str, schema: MappedSchema) -> Mapping {
    let mut files = FileGlobs::default();
    globs.iter().for_each(|it| files.add(it).unwrap());
    let conditions = match conditions {
        "" => Conditions::default(),
        text => {
            let parsed = document::parse(&Text::new(text), Format::Json, &Limits::DEFAULT);
            Conditions::read(&parsed.unwrap().value()).unwrap()
        }
    };
    Mapping { files, conditions, schema }
}

fn tree(files: &[(&str, &str)]) -> Snapshot {
    let entries = files.iter().map(|(path, text)| {
        (RelPath::parse(path).unwrap(), Entry::File(File::new(Text::new(*text), 0o644)))
    });
    Snapshot::new(entries.collect()).unwrap()
}

fn look(check: &LocalSchema, snapshot: &Snapshot, since: Option<Since<'_>>) -> Report {
    let parses = Parses::new(Limits::DEFAULT);
    let stop = Stop::new();
    check.report(&Input { snapshot, since, parses: &parses, stop: &stop, only: None }).unwrap()
}

fn show(check: &LocalSchema, snapshot: &Snapshot, report: &Report) -> String {
    let mut found: Vec<&Diagnostic> = report.diagnostics.iter().map(|it| &**it).collect();
    found.sort_by(|left, right| left.total_cmp(right));
    let mut text = String::new();
    for it in found {
        let line = it.location.map_or(0, |it| it.start_line);
        let severity = it.severity.name();
        writeln!(text, "{}:{line} {severity} {}: {}", it.file, it.rule_id, it.message).unwrap();
    }
    for (path, reasons) in check.coverage(snapshot, report).iter().filter(|it| !it.1.is_empty()) {
        writeln!(text, "{path} unchecked: {reasons:?}").unwrap();
    }
    text
}

/// On every tree: with a cache, and after a change and back, the answer is that of a fresh look.
fn check(catalogue: Catalogue, packs: Vec<Arc<crate::Pack>>, files: &[(&str, &str)]) -> String {
    let catalogue = Arc::new(catalogue);
    let plain = LocalSchema::default().with_catalogue(Arc::clone(&catalogue), packs.clone());
    let kept = LocalSchema::with_cache(Arc::new(MemoryCache::default()));
    let kept = kept.with_catalogue(catalogue, packs);
    let snapshot = tree(files);
    let fresh = look(&plain, &snapshot, None);
    let text = show(&plain, &snapshot, &fresh);
    for _ in 0..2 {
        let cached = look(&kept, &snapshot, None);
        assert_eq!(show(&kept, &snapshot, &cached), text, "with a cache");
    }
    for (path, _) in files {
        let others: Vec<_> = files.iter().filter(|it| it.0 != *path).copied().collect();
        let without = tree(&others);
        let changed = BTreeSet::from([RelPath::parse(path).unwrap()]);
        let later = look(&plain, &without, Some(Since { report: &fresh, changed: &changed }));
        let expected = look(&plain, &without, None);
        let expected = show(&plain, &without, &expected);
        assert_eq!(show(&plain, &without, &later), expected, "without {path}");
        let back = look(&plain, &snapshot, Some(Since { report: &later, changed: &changed }));
        assert_eq!(show(&plain, &snapshot, &back), text, "with {path} again");
    }
    text
}

/// X-95: names, then patterns by their weight; references among locked schemas lead to each other; an absent one is said.
#[test]
fn files_have_schemas_by_their_names() {
    let catalogue = catalogue(
        &[
            ("https://www.schemastore.org/app.json", &["app.yaml", "!old/app.yaml"], PORT),
            (
                "https://example.org/s/ref.json",
                &["*.ref.json"],
                r#"{"$ref": "other.json", "properties": {"a": {"$ref": "http://json.schemastore.org/app#/properties/port"}}}"#,
            ),
            ("https://example.org/s/other.json", &[], r#"{"required": ["name"]}"#),
            ("https://example.org/absent.json", &["**/conf/*.toml"], "absent {}"),
            ("https://example.org/broken.json", &["broken.json"], r#"{"type": "strin"}"#),
            ("https://example.org/none.json", &["none.json"], "{"),
            ("https://example.org/one.json", &["twice-*.json"], PORT),
            ("https://example.org/two.json", &["twice-*.json"], PORT),
        ],
        Vec::new(),
    );
    assert_snapshot!(check(catalogue, Vec::new(), &[
        ("app.yaml", "port: x\n"),
        ("a/b/app.yaml", "port: y\n"),
        ("old/app.yaml", "port: z\n"),
        ("x.ref.json", r#"{"a": true}"#),
        ("conf/a.toml", "a = 1\n"),
        ("broken.json", "{}"),
        ("none.json", "{}"),
        ("twice-1.json", r#"{"port": "x"}"#),
        ("syntax/app.yaml", "a: [\n"),
        ("own.yaml", "# yaml-language-server: $schema=https://json.schemastore.org/app\nport: x\n"),
        ("remote.yaml", "$schema: https://example.org/unknown.json\n"),
    ]), @r#"
    a/b/app.yaml:1 error SCHEMA_TYPE: `port` must be an integer, but is the string "y"
    app.yaml:1 error SCHEMA_TYPE: `port` must be an integer, but is the string "x"
    broken.json:0 warning SCHEMA_INVALID: the schema `https://example.org/broken.json` cannot be used: `https://example.org/broken.json` is not a valid schema, at `/type`: "strin" is not allowed there
    conf/a.toml:0 info SCHEMA_REMOTE: the schema `https://example.org/absent.json` is locked but not in your cache; run `regreen schemas update --locked`
    none.json:0 warning SCHEMA_INVALID: the schema `https://example.org/none.json` cannot be used: it cannot be read: expected a key in double quotes or `}`, found the end of the file
    own.yaml:2 error SCHEMA_TYPE: `port` must be an integer, but is the string "x"
    remote.yaml:1 info SCHEMA_REMOTE: the schema `https://example.org/unknown.json` is remote and was not fetched
    syntax/app.yaml:2 error SCHEMA_PARSE: cannot be read: expected a node or `]`, found the end of the text; the flow sequence is not closed: it began at line 1, column 4
    x.ref.json:1 error SCHEMA_TYPE: `a` must be an integer, but is the boolean true
    x.ref.json:1 error SCHEMA_REQUIRED: the document lacks the required key `name`; add it
    broken.json unchecked: {UnusableSchema}
    conf/a.toml unchecked: {AbsentSchema}
    none.json unchecked: {UnusableSchema}
    remote.yaml unchecked: {RemoteSchema}
    syntax/app.yaml unchecked: {SyntaxError}
    "#);
}

/// X-95: what the configuration maps wins over the lock, by glob and by content; a file's own schema wins over both.
#[test]
fn the_configuration_maps_by_glob_and_by_content() {
    let file = |path: &str| MappedSchema::File(RelPath::parse(path).unwrap());
    let address = |url: &str| MappedSchema::Address(url.to_owned());
    let mappings = vec![
        mapping(&["conf/*.yaml", "!conf/raw.yaml"], r#"{"/kind": ["A", 1]}"#, file("a.json")),
        mapping(&["conf/*.yaml"], r#"{"/kind": "B"}"#, address("https://example.org/b.json")),
        mapping(&["gone/*.yaml"], "", file("gone.json")),
        mapping(&["away/*.yaml"], "", address("https://example.org/unknown.json")),
    ];
    let catalogue = catalogue(
        &[
            ("https://example.org/b.json", &[], r#"{"required": ["b"]}"#),
            ("https://example.org/c.json", &["*.yaml"], r#"{"required": ["c"]}"#),
            ("https://example.org/v.json", &["vendored.json"], r#"file {"required": ["v"]}"#),
        ],
        mappings,
    );
    assert_snapshot!(check(catalogue, Vec::new(), &[
        ("a.json", r#"{"required": ["a"]}"#),
        ("vendor.json", r#"{"required": ["v"]}"#),
        ("conf/1.yaml", "kind: A\n"),
        ("conf/2.yaml", "kind: 1\n"),
        ("conf/3.yaml", "kind: B\n"),
        ("conf/4.yaml", "kind: C\n"),
        ("conf/raw.yaml", "kind: A\n"),
        ("conf/own.yaml", "$schema: ../a.json\nkind: B\n"),
        ("gone/1.yaml", "x: 1\n"),
        ("away/1.yaml", "x: 1\n"),
        ("vendored.json", "{}"),
    ]), @"
    away/1.yaml:0 info SCHEMA_REMOTE: the schema `https://example.org/unknown.json` is remote and was not fetched
    conf/1.yaml:1 error SCHEMA_REQUIRED: the document lacks the required key `a`; add it
    conf/2.yaml:1 error SCHEMA_REQUIRED: the document lacks the required key `a`; add it
    conf/3.yaml:1 error SCHEMA_REQUIRED: the document lacks the required key `b`; add it
    conf/4.yaml:1 error SCHEMA_REQUIRED: the document lacks the required key `c`; add it
    conf/own.yaml:1 error SCHEMA_REQUIRED: the document lacks the required key `a`; add it
    conf/raw.yaml:1 error SCHEMA_REQUIRED: the document lacks the required key `c`; add it
    gone/1.yaml:0 warning SCHEMA_INVALID: the schema `gone.json` cannot be used: cannot find file `gone.json`
    vendored.json:1 error SCHEMA_REQUIRED: the document lacks the required key `v`; add it
    away/1.yaml unchecked: {RemoteSchema}
    gone/1.yaml unchecked: {UnusableSchema}
    ");
}

/// X-95: what a pack knows is the pack's business, unless somebody mapped it by hand.
#[test]
fn a_file_that_a_pack_knows_is_left_to_it() {
    let files = crate::testing::files(
        "//- pack.yaml\nname: app\npack_version: '1'\nkinds:\n  - {kind: a, files: ['*.yaml'], where: {/kind: A}}\n",
    );
    let texts = files.into_iter().map(|(path, text)| (path, Text::new(text))).collect();
    let pack = Arc::new(crate::Pack::load(&texts).unwrap());
    let url = "https://example.org/c.json";
    let mapped = vec![mapping(&["mapped.yaml"], "", MappedSchema::Address(url.to_owned()))];
    let catalogue = catalogue(&[(url, &["*.yaml"], r#"{"required": ["c"]}"#)], mapped);
    assert_snapshot!(check(catalogue, vec![pack], &[
        ("known.yaml", "kind: A\n"),
        ("mapped.yaml", "kind: A\n"),
        ("other.yaml", "kind: B\n"),
    ]), @"
    mapped.yaml:1 error SCHEMA_REQUIRED: the document lacks the required key `c`; add it
    other.yaml:1 error SCHEMA_REQUIRED: the document lacks the required key `c`; add it
    ");
}

#[test]
fn a_lock_reads_as_it_was_written() {
    let schema = |url: &str| LockedSchema {
        url: url.to_owned(),
        hash: content_hash(url.as_bytes()),
        name: "a \"name\"".to_owned(),
        files: vec!["*.x".to_owned()],
        licence: Some("MIT".to_owned()),
        path: RelPath::parse("a/b.json").ok(),
    };
    let lock = SchemaLock::new(Some("https://c".to_owned()), vec![schema("b"), schema("a")]);
    assert_eq!(SchemaLock::parse(lock.render().as_bytes()), Ok(lock.clone()));
    assert_eq!(lock.schemas[0].url, "a", "sorted");
    assert_eq!(lock.render().lines().count(), 8, "a line for each");
    let empty = SchemaLock::default();
    assert_eq!(SchemaLock::parse(empty.render().as_bytes()), Ok(empty));
    let bad = |text: &str| SchemaLock::parse(text.as_bytes()).unwrap_err();
    assert_snapshot!([
        "", "[]", "{}", r#"{"version": 2}"#, r#"{"version": 1}"#,
        r#"{"version": 1, "schemas": [{}]}"#,
        r#"{"version": 1, "schemas": [{"url": "a", "hash": "md5:1"}]}"#,
    ].map(bad).join("\n"), @"
    it is not JSON: EOF while parsing a value at line 1 column 0
    missing `version`
    missing `version`
    expected version 1, found 2
    missing list `schemas`
    schema 1 of its list: missing `hash`
    schema 1 of its list: its `hash` is not `blake3:` and 64 digits
    ");
    let escape = lock.render().replace("a/b.json", "../b.json");
    assert!(SchemaLock::parse(escape.as_bytes()).unwrap_err().contains("`path`"));
}

#[test]
fn a_catalogue_is_read_entry_by_entry() {
    let text = r#"{"schemas": [
        {"url": "https://b", "name": "B", "fileMatch": ["b.json", 7, "a\u0000"]},
        {"url": "https://a", "name": "A", "versions": {"1": "https://a1", "2": 5}},
        {"url": "https://b", "fileMatch": ["c.json"]},
        {"name": "no address"}, 7, {"url": "https://e\n"}
    ]}"#;
    let entries = read_catalogue(text.as_bytes()).unwrap();
    let lines: Vec<String> =
        entries.iter().map(|it| format!("{} {} {:?}", it.url, it.name, it.files)).collect();
    assert_snapshot!(lines.join("\n"), @r#"
    https://a A []
    https://a1 A 1 []
    https://b B ["b.json", "c.json"]
    "#);
    assert!(read_catalogue(b"{}").unwrap_err().contains("not a catalogue"));
    assert!(read_catalogue(b"{").unwrap_err().contains("not JSON"));
    let many = format!(r#"{{"schemas": [{}]}}"#, vec![r#"{"url": "x"}"#; 6000].join(","));
    assert!(read_catalogue(many.as_bytes()).unwrap_err().contains("more than"));
}
