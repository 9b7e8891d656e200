//! A pack with rules that concern each other, and the laws of checking on from an earlier report.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, OnceLock};

use insta::assert_snapshot;
use proptest::prelude::*;
use snapshot::RelPath;

use super::*;
use crate::testing::{self, check, files, load, run, shown, snapshot};

/// Modules with a derived uid that other files name, a unique name, imports, a lock file with copies, and a schema.
const PACK: &str = "\
name: app
pack_version: '1'
kinds:
  - {kind: module, files: ['modules/**/*.{yaml,json,toml}'], has: /module, schema: schemas/module.json, uid: /module/uid}
  - {kind: lock, files: lock.yaml}
  - {kind: other, files: 'modules/**'}
rules:
  - id: SEM_NAME_UNIQUE
    rule: unique
    places: {in: module, at: /module/name}
    message: Names are how modules are found.
    about: Names.
  - id: SEM_UID
    rule: derived
    at: {in: module, at: /module/uid}
    template: 'mod_{/module/name|snake}'
    about: Uids.
  - id: SEM_UID_UNIQUE
    rule: unique
    places: {in: module, at: /module/uid}
    about: Uids.
  - id: SEM_LOCKED
    rule: reference
    from: {in: lock, keys: /modules}
    to: {in: module, at: /module/uid}
    about: Locks.
  - id: SEM_IMPORTS
    rule: imports
    from: {in: module, at: /imports/*}
    to: {in: module, at: /module/name}
    about: Imports.
  - id: SEM_VERSION
    rule: same_as
    source: {in: lock, at: /version}
    copies: {in: module, at: /module/version}
    about: Versions.
  - id: POL_TAGS
    rule: ordered
    at: {in: module, at: /tags}
    about: Tags.
  - id: SEM_PORTS
    rule: cel
    at: {in: module, at: /ports/*}
    assert: self > 1024
    about: Ports.
//- schemas/module.json
{\"type\": \"object\", \"properties\": {\"module\": {\"required\": [\"name\"], \"properties\": {\"uid\": {\"maxLength\": 12}}}}}
";

fn app() -> Arc<Pack> {
    static LOADED: LazyLock<Arc<Pack>> = LazyLock::new(|| Arc::new(load(PACK).unwrap()));
    Arc::clone(&LOADED)
}

fn on_threads<T: Send>(n_threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    static ONE: OnceLock<rayon::ThreadPool> = OnceLock::new();
    static FOUR: OnceLock<rayon::ThreadPool> = OnceLock::new();
    if n_threads == 1 {
        ONE.get_or_init(|| pool(1)).install(work)
    } else {
        FOUR.get_or_init(|| pool(4)).install(work)
    }
}

/// RS-12, FA-5: the uid and all that name it change together, or not at all.
#[test]
fn a_derived_value_takes_those_that_name_it_along() {
    let tree = "\
//- modules/a.yaml
module: {name: users, uid: usr}
//- modules/b.toml
imports = ['users']
[module]
name = 'orders'
uid = 'mod_orders'
//- lock.yaml
modules:
  usr: 1 # kept
  mod_orders: 2
";
    assert_snapshot!(check(&app(), tree), @r#"
    error modules/a.yaml:1:28 /module/uid [SEM_UID]
      `usr` should be `mod_users`, the value of `mod_{/module/name|snake}` for this document; change it
      + Change `usr` to `mod_users`, also at the 1 place(s) that name it (behavior_changing, high)
    "#);
    // The new uid would be too long for the schema.
    assert_snapshot!(check(&app(), "//- modules/a.yaml\nmodule: {name: customers, uid: x}\n//- lock.yaml\nmodules: {x: 1}\n"), @r#"
    error modules/a.yaml:1:32 /module/uid [SEM_UID]
      `x` should be `mod_customers`, the value of `mod_{/module/name|snake}` for this document; change it
    "#);
    // The new uid is another module's already.
    assert_snapshot!(check(&app(), "//- modules/a.yaml\nmodule: {name: us, uid: x}\n//- modules/b.yaml\nmodule: {name: Us, uid: mod_us}\n"), @r#"
    error modules/a.yaml:1:25 /module/uid [SEM_UID]
      `x` should be `mod_us`, the value of `mod_{/module/name|snake}` for this document; change it
    "#);
    // Adding the uid would repeat another module's, which is not what it should be either.
    assert_snapshot!(check(&app(), "//- modules/a.yaml\nmodule: {name: us}\n//- modules/b.yaml\nmodule: {name: you, uid: mod_us}\n"), @r#"
    error modules/a.yaml:1:1 /module/uid [SEM_UID]
      `uid` is missing; `mod_{/module/name|snake}` makes it `mod_us`
    error modules/b.yaml:1:26 /module/uid [SEM_UID]
      `mod_us` should be `mod_you`, the value of `mod_{/module/name|snake}` for this document; change it
      + Change `mod_us` to `mod_you` (behavior_changing, high)
    "#);
}

#[test]
fn all_tiers_speak_of_one_tree() {
    let tree = "\
//- modules/a.json
{\"module\": {\"name\": \"a\", \"uid\": \"mod_a\", \"version\": 1}, \"tags\": [\"y\", \"x\"], \"ports\": [80, 8080, \"x\"]}
//- modules/b.yaml
module: {uid: mod_b}
imports: [c]
//- modules/plain.yaml
nothing: here
//- modules/broken.yaml
module: {
//- modules/text.txt
module: {
//- modules/twice.yaml
module: {name: twice, name: again, uid: x}
//- lock.yaml
version: 2
modules: {mod_b: 1}
";
    assert_snapshot!(check(&app(), tree), @r#"
    error modules/a.json:1:53 /module/version [SEM_VERSION]
      `1` should be `2`: `/version` in lock.yaml defines it; make them equal
      see lock.yaml /version: the value is defined here
      + Change `1` to `2` (behavior_changing, high)
    error modules/a.json:1:87 /ports/0 [SEM_PORTS]
      `self > 1024` does not hold; change the value so that it does
    warning modules/a.json:1:97 /ports/2 [SEM_PORTS]
      `self > 1024` could not be decided: found no matching overload for '_>_' applied to '(string, int)'
    warning modules/a.json:1:57 /tags [POL_TAGS]
      the list is not in ascending order: `x` belongs at position 1; sort it
      + Sort the list (likely_preserving, high)
    error modules/b.yaml:1:1 /module/name [SCHEMA_REQUIRED]
      `module` lacks the required key `name`; add it
    error modules/broken.yaml:2:1  [SCHEMA_PARSE]
      cannot be read: expected a key or `}`, found the end of the text; the flow mapping is not closed: it began at line 1, column 9
    error modules/twice.yaml:1:23 /module [SCHEMA_DUPLICATE_KEY]
      key `name` appears more than once in its map; remove one of them first
    error modules/twice.yaml:1:41 /module/uid [SEM_UID]
      `x` should be `mod_twice`, the value of `mod_{/module/name|snake}` for this document; change it
    lock.yaml is blocked from semantic on
    modules/a.json is blocked from semantic on
    modules/b.yaml is blocked from semantic on
    modules/broken.yaml is blocked from schema on
    modules/twice.yaml is blocked from semantic on
    "#);
}

#[test]
fn a_file_is_of_the_first_kind_that_fits() {
    let pack = app();
    let value = testing::yaml("module: {uid: u}");
    assert_eq!(pack.kind_of("modules/x/a.yaml", &value), Some("module"));
    assert_eq!(pack.kind_of("modules/a.yaml", &testing::yaml("x: 1")), Some("other"));
    assert_eq!(pack.kind_of("modules.yaml", &value), None);
    assert_eq!(pack.uid_of("modules/a.yaml", &value).as_deref(), Some("u"));
    assert_eq!(pack.uid_of("lock.yaml", &value), None);
    assert_eq!(pack.rules().len(), 8);
    assert_eq!(pack.rules()[6].tier, Tier::Policy);
}

/// X-121: all documents of a stream are looked at and repaired, and what they define is there for others.
#[test]
fn every_document_of_a_stream_is_looked_at() {
    let tree = "//- modules/a.yaml\nmodule: {name: a, uid: x}\n---\nmodule: {name: b}\n//- lock.yaml\nmodules: {mod_b: 1}\n";
    assert_snapshot!(check(&app(), tree), @r#"
    error lock.yaml:1:11 /modules/mod_b [SEM_LOCKED]
      cannot find `mod_b`: no such value at `/module/uid` in `module` files; define it or name one that exists
    error modules/a.yaml:1:24 /module/uid [SEM_UID]
      `x` should be `mod_a`, the value of `mod_{/module/name|snake}` for this document; change it
      + Change `x` to `mod_a` (behavior_changing, high)
    error modules/a.yaml:3:1 /module/uid [SEM_UID]
      `uid` is missing; `mod_{/module/name|snake}` makes it `mod_b`
      + Add `uid` with `mod_b` (likely_preserving, high)
    "#);
}

/// A file that was too large to read may define what others name.
#[test]
fn what_was_not_read_may_hold_anything() {
    let pack = app();
    let mut entries = snapshot(&files("//- lock.yaml\nmodules: {mod_a: 1}\n")).to_entries();
    assert_eq!(
        run(&pack, &snapshot::Snapshot::new(entries.clone()).unwrap(), None).diagnostics.len(),
        1
    );
    let unread = Entry::Unread { size: 1 << 30, reason: snapshot::UnreadReason::TooLarge };
    entries.insert(RelPath::parse("modules/big.yaml").unwrap(), unread);
    let report = run(&pack, &snapshot::Snapshot::new(entries).unwrap(), None);
    assert!(report.diagnostics.is_empty());
    assert_eq!(report.blocked.values().collect::<Vec<_>>(), ["semantic"]);
}

/// One report in a form that two can be compared in, ids and all.
fn everything(report: &Report) -> (Vec<String>, Vec<String>, BTreeMap<RelPath, String>) {
    let mut diagnostics: Vec<String> =
        report.diagnostics.iter().map(|it| format!("{it:?}")).collect();
    let mut repairs: Vec<String> = report.repairs.iter().map(|it| format!("{it:?}")).collect();
    diagnostics.sort();
    repairs.sort();
    (diagnostics, repairs, report.blocked.clone())
}

fn module_text() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        "[ab]",
        Just("shared".to_owned()),
        Just("Shared".to_owned()),
        Just("sharde".to_owned())
    ];
    let uid = prop_oneof![Just("mod_a".to_owned()), Just("mod_shared".to_owned()), "[uv]"];
    let lines = (name.clone(), uid, proptest::collection::vec(name, 0..3), 0..3u8, 0..6u8);
    lines.prop_map(|(name, uid, imports, version, shape)| {
        let imports = imports.join(", ");
        let blank = "\n".repeat(usize::from(version));
        match shape {
            0 => "module: {".to_owned(),
            1 => format!("other: {name}\n"),
            2 => format!("{blank}module: {{name: {name}, uid: {uid}}}\n"),
            3 => format!("{blank}module: {{name: {name}}}\n"),
            _ => format!("{blank}module: {{name: {name}, uid: {uid}, version: {version}}}\nimports: [{imports}]\ntags: [{imports}]\nports: [{version}000]\n"),
        }
    })
}

fn lock_text() -> impl Strategy<Value = String> {
    let keys = proptest::collection::btree_set(
        prop_oneof![Just("mod_a"), Just("mod_shared"), Just("mod_sharde"), Just("u")],
        0..4,
    );
    (keys, 0..3u8).prop_map(|(keys, version)| {
        let keys: String = keys.iter().map(|it| format!("  {it}: 1\n")).collect();
        if version == 0 {
            format!("modules:\n{keys}  z: 0\n")
        } else {
            format!("version: {version}\nmodules:\n{keys}  z: 0\n")
        }
    })
}

/// A change of the tree: another text for a path, or none.
fn changes() -> impl Strategy<Value = Vec<(String, Option<String>)>> {
    let path = prop_oneof![
        Just("modules/a.yaml"),
        Just("modules/b.yaml"),
        Just("modules/c/d.yaml"),
        Just("modules/e.yaml")
    ];
    let module = (path, proptest::option::weighted(0.85, module_text()))
        .prop_map(|(path, text)| (path.to_owned(), text));
    let lock =
        proptest::option::weighted(0.85, lock_text()).prop_map(|it| ("lock.yaml".to_owned(), it));
    proptest::collection::vec(prop_oneof![4 => module, 1 => lock], 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]
    /// CS-44: checking on from an earlier report says exactly what checking from nothing says; on one thread and on four; and
    /// every repair keeps what it claims.
    #[test]
    fn checking_on_is_checking_anew(rounds in proptest::collection::vec(changes(), 1..6)) {
        let pack = app();
        let mut tree: BTreeMap<String, String> = BTreeMap::new();
        let mut last: Option<Report> = None;
        for round in rounds {
            let mut changed = BTreeSet::new();
            for (path, text) in round {
                changed.insert(RelPath::parse(&path).unwrap());
                match text {
                    Some(text) => tree.insert(path, text),
                    None => tree.remove(&path),
                };
            }
            let now = snapshot(&tree);
            let anew = on_threads(1, || run(&pack, &now, None));
            let parallel = on_threads(4, || run(&pack, &now, None));
            prop_assert_eq!(everything(&anew), everything(&parallel));
            let on = on_threads(4, || run(&pack, &now, last.as_ref().map(|it| (it, &changed))));
            prop_assert_eq!(everything(&on), everything(&anew));
            last = Some(on);
        }
    }

    /// RS-12, RS-43: applied alone, a repair resolves what it claims and nothing new appears that was not hidden before.
    #[test]
    fn every_repair_keeps_its_claim(round in proptest::collection::vec(changes(), 3)) {
        let pack = app();
        let tree: BTreeMap<String, String> =
            round.into_iter().flatten().filter_map(|(path, text)| Some((path, text?))).collect();
        let before = snapshot(&tree);
        let report = run(&pack, &before, None);
        let ids = |report: &Report| -> BTreeSet<String> {
            report.diagnostics.iter().map(|it| it.diagnostic_id.clone()).collect()
        };
        for repair in &report.repairs {
            let after = run(&pack, &testing::repaired(&before, repair), None);
            for id in &repair.resolves {
                prop_assert!(!ids(&after).contains(id), "{} in\n{}", repair.title, shown(&report));
            }
            let new: BTreeSet<String> = ids(&after).difference(&ids(&report)).cloned().collect();
            prop_assert!(new.is_empty(), "{} leads from\n{}to\n{}", repair.title, shown(&report), shown(&after));
        }
    }
}

/// Memory of another pack is not taken for one's own.
#[test]
fn a_report_of_another_pack_is_no_help() {
    let tree = snapshot(&files("//- modules/a.yaml\nmodule: {name: a, uid: x}\n"));
    let first = run(&app(), &tree, None);
    let nothing = BTreeSet::new();
    let another = Arc::new(load(PACK).unwrap());
    let second = run(&another, &tree, Some((&first, &nothing)));
    assert_eq!(everything(&first), everything(&second));
}

/// X-123: each kind says what a merge key is.
#[test]
fn merge_keys_are_resolved_or_refused_as_the_kind_says() {
    let pack = |merge_keys: &str| {
        let manifest = format!(
            "name: p\npack_version: '1'\nkinds:\n- {{kind: a, files: ['*.yaml']{merge_keys}}}\nrules:\n- {{id: SEM_X, rule: together, at: {{in: a, at: /jobs/*}}, keys: [x, y], about: why}}\n"
        );
        Arc::new(load(&manifest).unwrap())
    };
    let tree = "//- a.yaml\nbase: &base {x: 1}\njobs:\n  one: {<<: *base, y: 2}\n  two: {<<: [*base], x: 2}\n";
    let found = |merge_keys: &str| {
        let report = run(&pack(merge_keys), &snapshot(&files(tree)), None);
        let mut found: Vec<String> = report
            .diagnostics
            .iter()
            .map(|it| format!("{} {}", it.rule_id, it.json_pointer.as_deref().unwrap_or("-")))
            .collect();
        found.sort();
        found
    };
    assert_eq!(found(", merge_keys: resolve"), ["SEM_X /jobs/two"]);
    assert_eq!(found(""), ["SEM_X /jobs/one", "SEM_X /jobs/two"]);
    assert_eq!(
        found(", merge_keys: refuse"),
        [
            "SCHEMA_MERGE_KEY /jobs/one/<<",
            "SCHEMA_MERGE_KEY /jobs/two/<<",
            "SEM_X /jobs/one",
            "SEM_X /jobs/two"
        ]
    );
}
