//! With a cache, cold or warm, whole or damaged, a pack says what it says without one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use check::{Check as _, Input, Parses, Report, Since, Stop};
use document::{Limits, Number, Value};
use proptest::prelude::*;
use snapshot::{RelPath, Snapshot};

use super::*;
use crate::provider::PackCheck;
use crate::selector::Occurrence;
use crate::testing::{MemoryCache, files, load, run, snapshot};
use crate::tree::OccurrenceList;

const PACK: &str = "\
name: app
pack_version: '1'
kinds:
  - {kind: module, files: ['modules/**'], has: /module, schema: schemas/module.json}
  - {kind: lock, files: 'lock.*'}
rules:
  - {id: SEM_NAME, rule: unique, places: {in: module, at: /module/name}, about: Names.}
  - {id: SEM_UID, rule: derived, at: {in: module, at: /module/uid}, template: 'mod_{/module/name}', about: Uids.}
  - {id: SEM_UID_UNIQUE, rule: unique, places: {in: module, at: /module/uid}, about: Uids.}
  - {id: SEM_LOCKED, rule: reference, from: {in: lock, keys: /modules}, to: {in: module, at: /module/uid}, about: Locks.}
  - {id: SEM_IMPORTS, rule: imports, from: {in: module, at: /imports/*}, to: {in: module, at: /module/name}, about: Imports.}
  - {id: SEM_SAME, rule: same_as, source: {in: lock, at: /same}, copies: {in: module, at: /same}, about: Same.}
  - {id: POL_TAGS, rule: ordered, at: {in: module, at: /tags}, about: Tags.}
//- schemas/module.json
{\"properties\": {\"module\": {\"required\": [\"name\"]}}}
";

fn app() -> Arc<Pack> {
    static LOADED: LazyLock<Arc<Pack>> = LazyLock::new(|| Arc::new(load(PACK).unwrap()));
    Arc::clone(&LOADED)
}

fn run_with(
    pack: &Arc<Pack>,
    cache: &Arc<MemoryCache>,
    snapshot: &Snapshot,
    since: Option<(&Report, &BTreeSet<RelPath>)>,
) -> Report {
    let since = since.map(|(report, changed)| Since { report, changed });
    let parses = Parses::new(Limits::DEFAULT);
    PackCheck::with_cache(Arc::clone(pack), Arc::<MemoryCache>::clone(cache))
        .report(&Input { snapshot, since, parses: &parses, stop: &Stop::new(), only: None })
        .unwrap()
}

/// All that a report says, in its order.
fn said(report: &Report) -> String {
    format!("{:#?} {:#?} {:#?}", report.diagnostics, report.repairs, report.blocked)
}

const TREE: &str = "\
//- modules/a.yaml
module: {name: a, uid: mod_a}
same: {x: [1, 1.50, true, null, .inf, 2020-01-01], y: {}}
//- modules/b.toml
same = 2020-01-01
[module]
name = 'b'
uid = 'not this'
//- modules/c.json
{\"module\": {}}
//- modules/broken.yaml
module: {
//- modules/plain.yaml
nothing: here
//- lock.yaml
modules: {mod_a: 1, mod_z: 1}
";

#[test]
fn only_looks_with_nothing_to_say_are_kept_and_found_again() {
    let (pack, cache) = (app(), Arc::new(MemoryCache::default()));
    let tree = snapshot(&files(TREE));
    let without = said(&run(&pack, &tree, None));
    assert_eq!(said(&run_with(&pack, &cache, &tree, None)), without);
    // Not `c.json`, which lacks a name, nor `broken.yaml`; nor `plain.yaml`, which is of no kind, in a tree as small as this.
    assert_eq!(cache.counts(), (0, 3));
    assert_eq!(said(&run_with(&pack, &cache, &tree, None)), without);
    assert_eq!(cache.counts(), (3, 0));
    let plain = |nth| format!("//- modules/plain-{nth}.yaml\nnothing: here\n");
    let many: String = (0..super::WORTH_KEEPING).map(plain).collect();
    run_with(&pack, &cache, &snapshot(&files(&many)), None);
    assert_eq!(
        cache.counts(),
        (0, super::WORTH_KEEPING),
        "of many it is kept that they are of no kind"
    );
}

#[test]
fn another_pack_path_limit_or_text_is_another_key() {
    let (pack, cache) = (app(), Arc::new(MemoryCache::default()));
    let one = |path: &str, text: &str| snapshot(&files(&format!("//- {path}\n{text}\n")));
    let tree = one("lock.yaml", "same: 1");
    run_with(&pack, &cache, &tree, None);
    assert_eq!(cache.counts(), (0, 1));
    run_with(&pack, &cache, &one("lock.yaml", "same: 2"), None);
    run_with(&pack, &cache, &one("lock.yml", "same: 1"), None);
    let schema = Arc::new(load(&PACK.replace("\"name\"]", "\"uid\"]")).unwrap());
    assert_ne!(pack.fingerprint(), schema.fingerprint());
    run_with(&schema, &cache, &tree, None);
    let parses = Parses::new(Limits { max_depth: 99, ..Limits::DEFAULT });
    let check = PackCheck::with_cache(Arc::clone(&pack), Arc::<MemoryCache>::clone(&cache));
    check
        .check(&Input {
            snapshot: &tree,
            since: None,
            parses: &parses,
            stop: &Stop::new(),
            only: None,
        })
        .unwrap();
    assert_eq!(cache.counts(), (0, 4));
    run_with(&Arc::new(load(PACK).unwrap()), &cache, &tree, None);
    assert_eq!(cache.counts(), (1, 0), "the same pack, loaded again");
}

/// Damaged bytes are a miss, or at worst what a file could have been; never a panic.
#[test]
fn damaged_bytes_are_never_a_panic() {
    let (pack, cache) = (app(), Arc::new(MemoryCache::default()));
    let tree = snapshot(&files(TREE));
    run_with(&pack, &cache, &tree, None);
    let without = said(&run(&pack, &tree, None));
    let whole = cache.entries.lock().unwrap().clone();
    for (key, bytes) in &whole {
        for at in 0..bytes.len() {
            assert!(code::decode(&pack, &[0, 1], &bytes[..at]).is_none(), "cut at {at}");
            for bit in [1, 4, 128, 255] {
                let mut damaged = bytes.to_vec();
                damaged[at] ^= bit;
                if code::decode(&pack, &[0, 1], &damaged).is_some() {
                    let cache = Arc::new(MemoryCache::default());
                    *cache.entries.lock().unwrap() = whole.clone();
                    cache.put(*key, damaged);
                    run_with(&pack, &cache, &tree, None);
                }
            }
        }
        let longer = [&**bytes, b"x"].concat();
        assert!(code::decode(&pack, &[0, 1], &longer).is_none());
        cache.put(*key, longer);
    }
    cache.counts();
    assert_eq!(said(&run_with(&pack, &cache, &tree, None)), without);
    assert_eq!(cache.counts(), (3, 3), "what cannot be read is looked at and kept again");
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
}

fn look_with(value: Value) -> FileAnalysis {
    let at = "/same".parse().unwrap();
    let occurrences =
        vec![OccurrenceList { rule: 5, role: 1, occurrences: vec![Occurrence::new(&at, &value)] }];
    FileAnalysis { kinds: vec![Some(0)], occurrences, ..FileAnalysis::default() }
}

#[test]
fn values_that_are_nested_too_deeply_are_not_kept() {
    assert!(code::encode(Some(&look_with(nested(255)))).is_some());
    assert!(code::encode(Some(&look_with(nested(256)))).is_none());
    let mut bytes = code::encode(Some(&look_with(Value::Null))).unwrap();
    // A deep value after the text and the flag of the only occurrence, instead of its null.
    bytes.truncate(bytes.len() - 2);
    bytes.extend([6, 1, 0, 0, 0].repeat(1_000_000));
    assert!(code::decode(&app(), &[0], &bytes).is_none());
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,5})?"
            .prop_map(|it| Value::Number(Number::parse(&it).unwrap())),
        prop_oneof![Just(Number::nan()), any::<bool>().prop_map(Number::infinity),]
            .prop_map(Value::Number),
        ".{0,8}".prop_map(Value::String),
        Just(Value::Datetime("2020-01-01T00:00:00Z".to_owned())),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        let members = proptest::collection::btree_map(".{0,4}", inner.clone(), 0..4);
        prop_oneof![
            proptest::collection::vec(inner, 0..4).prop_map(Value::Array),
            members.prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    })
}

/// Another text for a path, or none.
fn change() -> impl Strategy<Value = (&'static str, Option<String>)> {
    let paths =
        ["modules/a.yaml", "modules/b.yaml", "modules/c/d.json", "modules/e.yaml", "lock.yaml"];
    let path = proptest::sample::select(paths.to_vec());
    let text = ("[abc]", "[abc]", 0..8u8).prop_map(|(name, other, shape)| match shape {
        0 => "module: {".to_owned(),
        1 => format!("other: {name}\n"),
        2 => format!("{{\"module\": {{\"uid\": \"{name}\"}}}}"),
        3 => format!("{{\"modules\": {{\"mod_{name}\": 1, \"mod_{other}x\": 1}}, \"same\": 1}}"),
        4 => format!("{{\"module\": {{\"name\": \"{name}\", \"uid\": \"mod_{name}\"}}, \"same\": 1.0, \"tags\": [\"b\", \"{name}\"]}}"),
        _ => format!("{{\"module\": {{\"name\": \"{name}\", \"uid\": \"mod_{other}\"}}, \"imports\": [\"{other}\"], \"same\": {{\"{name}\": [{shape}]}}}}"),
    });
    (path, proptest::option::weighted(0.85, text))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    /// same findings, ids, bytes and order, whatever the cache holds from earlier trees.
    #[test]
    fn a_warm_cache_changes_nothing(rounds in proptest::collection::vec(proptest::collection::vec(change(), 1..5), 1..8)) {
        let (pack, cache) = (app(), Arc::new(MemoryCache::default()));
        let mut tree: BTreeMap<String, String> = BTreeMap::new();
        let mut last: Option<Report> = None;
        for round in rounds {
            let mut changed = BTreeSet::new();
            for (path, text) in round {
                changed.insert(RelPath::parse(path).unwrap());
                match text {
                    Some(text) => tree.insert(path.to_owned(), text),
                    None => tree.remove(path),
                };
            }
            let now = snapshot(&tree);
            let without = run(&pack, &now, None);
            let with = run_with(&pack, &cache, &now, None);
            prop_assert_eq!(said(&with), said(&without));
            let on = run_with(&pack, &cache, &now, last.as_ref().map(|it| (it, &changed)));
            prop_assert_eq!(said(&on), said(&without));
            let bare = run(&pack, &now, last.as_ref().map(|it| (it, &changed)));
            prop_assert_eq!(said(&bare), said(&without));
            last = Some(with);
        }
    }

    #[test]
    fn what_was_encoded_is_decoded(value in value()) {
        let look = look_with(value);
        let bytes = code::encode(Some(&look)).unwrap();
        let decoded = code::decode(&app(), &[0, 1], &bytes).unwrap().unwrap();
        prop_assert_eq!(format!("{look:?}"), format!("{decoded:?}"));
        prop_assert!(code::decode(&app(), &[1], &bytes).is_none(), "a kind that the path is not of");
    }

    #[test]
    fn bytes_of_any_kind_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64), head in 0..3u8) {
        let mut bytes = bytes;
        if let (1.., Some(first)) = (head, bytes.first_mut()) {
            *first = 1;
        }
        let _ = code::decode(&app(), &[0, 1], &bytes);
    }
}
