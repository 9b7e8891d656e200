//! What the provider says of trees.

use std::collections::{BTreeMap, BTreeSet};

use check::{Check as _, Input, Parses, Report, Since, Stop};
use document::Limits;
use edit::Text;
use snapshot::{Entry, File, RelPath, Snapshot};

use super::ClankCheck;

fn snapshot(files: &[(&str, &[u8])]) -> Snapshot {
    let entry = |bytes: &[u8]| Entry::File(File::new(Text::new(bytes), 0o644));
    let path = |it: &str| RelPath::parse(it).expect("a legal path");
    let entries = files.iter().map(|(name, bytes)| (path(name), entry(bytes))).collect();
    Snapshot::new(entries).expect("no file lies beneath another")
}

fn look(snapshot: &Snapshot, roots: &[&str], since: Option<&Report>) -> Report {
    let changed = BTreeSet::new();
    let parses = Parses::new(Limits::DEFAULT);
    let since = since.map(|report| Since { report, changed: &changed });
    let clank = ClankCheck::new(roots.iter().map(|it| (*it).to_owned()).collect());
    clank
        .report(&Input { snapshot, since, parses: &parses, stop: &Stop::new(), only: None })
        .expect("it needs nothing that can fail")
}

/// The findings as lines: `file:line:col rule tier severity concern message`.
fn shown(report: &Report) -> Vec<String> {
    let mut lines: Vec<String> = report
        .diagnostics
        .iter()
        .map(|it| {
            let place = it.location.map(|it| format!(":{}:{}", it.start_line, it.start_col));
            format!(
                "{}{} {} {} {} {:?} {}",
                it.file,
                place.unwrap_or_default(),
                it.rule_id,
                it.tier.name(),
                it.severity.name(),
                it.concern,
                it.message
            )
        })
        .collect();
    lines.sort();
    lines
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) -> Report {
    let files: Vec<(&str, &[u8])> = files.iter().map(|it| (it.0, it.1.as_bytes())).collect();
    let report = look(&snapshot(&files), &[], None);
    let shown = shown(&report);
    let matches = shown.len() == expected.len()
        && shown.iter().zip(expected).all(|(line, start)| line.starts_with(start));
    assert!(matches, "{shown:#?}\n{expected:#?}");
    report
}

#[test]
fn every_file_is_checked_with_what_it_imports() {
    check(
        &[
            ("app/main.clank", "use lib.math\n\nfn main() -> Int { math.one() }\n"),
            ("lib/math.clank", "fn one() -> Int { 1 }\n"),
            ("lib/other.clank", "use maths\n"),
            ("readme.md", "not Clank\n"),
        ],
        &[
            "lib/other.clank:1:1 E1004 semantic error Problem cannot find module `maths`; did you mean `math`?",
        ],
    );
}

#[test]
fn roots_say_where_modules_are() {
    let files: [(&str, &[u8]); 2] = [
        ("src/a.clank", b"fn f() -> Int { 1 }\n"),
        ("test/b.clank", b"use a.{f}\n\nfn g() -> Int { f() }\n"),
    ];
    assert_eq!(shown(&look(&snapshot(&files), &["src"], None)), [""; 0]);
    assert_eq!(shown(&look(&snapshot(&files), &[], None)).len(), 1);
}

/// AE-20, X-40: the formatter's repair preserves behaviour, and its finding is only worth knowing.
#[test]
fn a_layout_that_is_not_canonical_has_a_repair() {
    let source = "fn   f( ) -> Int {1}\n";
    let report = check(
        &[("a.clank", source)],
        &["a.clank CLANK_FORMAT policy info Problem the layout is not canonical"],
    );
    let [repair] = report.repairs.as_slice() else { panic!("{:?}", report.repairs) };
    assert_eq!(repair.safety, check::Safety::BehaviorPreserving);
    assert_eq!(repair.resolves, [report.diagnostics[0].diagnostic_id.clone()]);
    let check::RepairOp::Text { edits, .. } = &repair.ops[0] else { panic!("{repair:?}") };
    let formatted = edits.apply(&Text::new(source)).expect("the edits fit the text");
    let files: [(&str, &[u8]); 1] = [("a.clank", formatted.bytes())];
    assert_eq!(shown(&look(&snapshot(&files), &[], None)), [""; 0]);
}

/// what cannot be read is a matter of shape, in the tier `schema`.
#[test]
fn files_that_cannot_be_read_block_themselves_and_their_importers() {
    let files: [(&str, &[u8]); 5] = [
        ("bad.clank", b"fn f() -> Int { 1 + }\n"),
        ("bytes.clank", b"fn f()\xff"),
        ("uses_bad.clank", b"use bad.{f}\n\nfn g() -> Int { f() }\n"),
        ("uses_bytes.clank", b"use bytes.{f}\n\nfn g() -> Int { f() }\n"),
        ("good.clank", b"fn g() -> Int { 1 }\n"),
    ];
    let report = look(&snapshot(&files), &[], None);
    let found = shown(&report);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].starts_with("bad.clank:1:21 E0005 schema error Problem "), "{found:#?}");
    assert!(found[1].starts_with("bytes.clank:1:7 E0001 schema error Problem "), "{found:#?}");
    let blocked: Vec<&str> = report.blocked.keys().map(RelPath::as_str).collect();
    assert_eq!(blocked, ["bad.clank", "bytes.clank", "uses_bad.clank", "uses_bytes.clank"]);
}

/// Row 58: what is not proved is a warning, and so is what is not written.
#[test]
fn obligations_and_holes_are_warnings() {
    let report = check(
        &[("a.clank", "fn third(xs: [Int]) -> Int { xs[2] }\n\nfn later() -> Int { _ }\n")],
        &[
            "a.clank:1:30 E3001 semantic warning Obligation not proved: `",
            "a.clank:3:21 CLANK_HOLE semantic warning Hole expected a value of type `Int`",
        ],
    );
    assert!(report.diagnostics.iter().all(|it| !it.diagnostic_id.is_empty()));
}

#[test]
fn what_is_remembered_does_not_show() {
    let versions: [&[(&str, &[u8])]; 4] = [
        &[
            ("a.clank", b"fn f() -> Int { 1 }\n"),
            ("b.clank", b"use a\n\nfn g() -> Int { a.f() }\n"),
        ],
        &[
            ("a.clank", b"fn f() -> Str { \"\" }\n"),
            ("b.clank", b"use a\n\nfn g() -> Int { a.f() }\n"),
        ],
        &[("b.clank", b"use a\n\nfn g() -> Int { a.f() }\n")],
        &[("a.clank", b"fn f( -> Int {\n"), ("b.clank", b"use a\n\nfn g() -> Int { a.f() }\n")],
    ];
    let ids = |it: &Report| -> BTreeMap<String, String> {
        it.diagnostics.iter().map(|it| (it.diagnostic_id.clone(), it.message.clone())).collect()
    };
    for before in versions {
        let before = look(&snapshot(before), &[], None);
        for after in versions {
            let fresh = look(&snapshot(after), &[], None);
            let again = look(&snapshot(after), &[], Some(&before));
            assert_eq!((shown(&again), ids(&again)), (shown(&fresh), ids(&fresh)));
            assert_eq!(again.blocked, fresh.blocked);
        }
    }
}

/// The text of a file after one repair.
fn repaired(snapshot: &Snapshot, repair: &check::Repair, file: &str) -> String {
    let path = RelPath::parse(file).expect("a legal path");
    let text = &snapshot.file(&path).expect("the file is there").text();
    let edits = repair.ops.iter().find_map(|it| match it {
        check::RepairOp::Text { file, edits } if *file == path => Some(edits),
        _ => None,
    });
    let after = edits.expect("the repair changes the file").apply(text).expect("the edits fit");
    String::from_utf8(after.bytes().to_vec()).expect("it is still text")
}

/// RS-12, RS-48, RS-51: repairs are edits to texts that name findings and one another by id.
#[test]
fn repairs_of_the_compiler_are_offered_by_id() {
    let source = "fn area(w: Int, height: Int) -> Int {\n  // what it covers\n  w * heigth\n}\n";
    let tree = snapshot(&[("a.clank", source.as_bytes())]);
    let report = look(&tree, &[], None);
    let [finding] = report.diagnostics.as_slice() else { panic!("{:?}", shown(&report)) };
    let ids: Vec<&str> = report.repairs.iter().map(|it| it.id.as_str()).collect();
    let own = |it: &std::sync::Arc<check::Repair>| it.resolves[0] == finding.diagnostic_id;
    assert!(report.repairs.iter().all(own));
    assert!(ids.len() > 1, "{ids:?}");
    let best = &report.repairs[0];
    assert_eq!((best.rule_id.as_str(), best.safety), ("E1001", check::Safety::BehaviorChanging));
    assert_eq!(best.resolves, std::slice::from_ref(&finding.diagnostic_id));
    assert_eq!(best.compatibility.conflicts_with, ids[1..]);
    assert_eq!(repaired(&tree, best, "a.clank"), source.replace("heigth", "height"));
}

/// RS-16: what is not proved has a repair that is applied without being asked for, and says for which values it fails.
#[test]
fn an_obligation_has_a_counterexample_and_a_repair() {
    let tree = snapshot(&[("a.clank", b"fn half(a: Int, b: Int) -> Int { a / b }\n")]);
    let report = look(&tree, &[], None);
    let [finding] = report.diagnostics.as_slice() else { panic!("{:?}", shown(&report)) };
    let example = finding.details.get("counterexample").map(document::Value::to_json);
    assert_eq!(example.as_deref(), Some("{\"b\":\"0\"}"));
    let best = &report.repairs[0];
    assert_eq!(best.safety, check::Safety::LikelyPreserving);
    let after = repaired(&tree, best, "a.clank");
    assert_eq!(after, "fn half(a: Int, b: Int{b != 0}) -> Int { a / b }\n");
}

/// A repair costs as much as the declarations are long that it is about, so that in a long file none is left out.
#[test]
fn every_mistake_in_a_long_file_has_its_repairs() {
    let remark = format!("// {}\n", "why it is as it is".repeat(5)).repeat(25);
    let function =
        |it: usize| format!("{remark}fn f{it}(height: Int) -> Int {{\n  heigth + {it}\n}}\n");
    let source = (0..200).map(function).collect::<Vec<_>>().join("\n");
    assert!(source.len() > 400_000);
    let tree = snapshot(&[("a.clank", source.as_bytes())]);
    let report = look(&tree, &[], None);
    assert_eq!(report.diagnostics.len(), 200);
    let mut n_repairs: BTreeMap<&str, usize> = BTreeMap::new();
    for id in report.repairs.iter().flat_map(|it| &it.resolves) {
        *n_repairs.entry(id).or_default() += 1;
    }
    assert_eq!(n_repairs.len(), 200);
    assert!(n_repairs.values().all(|n| *n > 1), "{n_repairs:?}");
    let of_one = |it: &&std::sync::Arc<check::Repair>| it.resolves.len() == 1;
    for repair in report.repairs.iter().filter(of_one).step_by(50) {
        let after = repaired(&tree, repair, "a.clank");
        assert_eq!(after.matches("heigth + ").count(), 199, "{}", repair.title);
    }
}

/// The layout waits for the repairs that `fix` applies by itself, and for no other.
#[test]
fn the_layout_is_offered_where_nothing_else_is_about_to_change_the_file() {
    let offers = |source: &str| {
        let report = look(&snapshot(&[("a.clank", source.as_bytes())]), &[], None);
        report.repairs.iter().any(|it| it.rule_id == "CLANK_FORMAT")
    };
    assert!(!offers("fn  f() -> Int { let n = 1\n n = 2\n n }\n"));
    assert!(offers("fn  f(height: Int) -> Int { heigth }\n"));
    assert!(offers("fn  f(height: Int) -> Int { height }\n"));
}

/// Row 48: a repair changes every file that it has to, and what is remembered does not show in it.
#[test]
fn a_repair_of_one_file_may_change_those_that_import_it() {
    let lib: &[u8] = b"fn show(n: Int) -> Unit { println(to_string(n)) }\n";
    let main: &[u8] = b"use lib\n\nfn main() -> Unit { lib.show(1) }\n";
    let other: &[u8] = b"fn f(height: Int) -> Int { heigth }\n";
    let tree = snapshot(&[("lib.clank", lib), ("main.clank", main), ("other.clank", other)]);
    let report = look(&tree, &[], None);
    let best = report.repairs.iter().find(|it| it.rule_id == "E4001").expect("there is a repair");
    assert_eq!(best.ops.len(), 2, "{best:?}");
    assert!(repaired(&tree, best, "lib.clank").contains("-> IO + Unit"));
    assert!(repaired(&tree, best, "main.clank").contains("-> IO + Unit"));
    let again = look(&tree, &[], Some(&report));
    assert_eq!(again.repairs, report.repairs);
    let changed = snapshot(&[("lib.clank", b"fn show(n: Int) -> Unit {}\n"), ("main.clank", main)]);
    let fresh = look(&changed, &[], None);
    assert_eq!(look(&changed, &[], Some(&report)).repairs, fresh.repairs);
}

/// Who compiles what is written wants the canonical layout and nothing else.
#[test]
fn without_repairs_only_the_layout_is_offered() {
    let tree = snapshot(&[("a.clank", b"fn  f() -> Int { let n = 1\n n = 2\n n }\n")]);
    let parses = Parses::new(Limits::DEFAULT);
    let stop = Stop::new();
    let input = Input { snapshot: &tree, since: None, parses: &parses, stop: &stop, only: None };
    let report = ClankCheck::without_repairs(Vec::new()).report(&input).expect("it cannot fail");
    let rules: Vec<&str> = report.repairs.iter().map(|it| it.rule_id.as_str()).collect();
    assert_eq!(rules, ["CLANK_FORMAT"]);
}

/// who asks about some files is told about these with what they import, and nothing else is read.
#[test]
fn files_that_are_asked_about_are_read_with_what_they_import() {
    let snapshot = snapshot(&[
        ("a/main.clank", b"use lib.{one}\nfn main() -> Int { one() }\n"),
        ("a/lib.clank", b"use deep.{two}\nfn one() -> Int { two() }\n"),
        ("deep.clank", b"fn two() -> Int { 2 }\n"),
        ("a/other.clank", b"fn broken( -> Int { }\n"),
    ]);
    let only = BTreeSet::from([RelPath::parse("a/main.clank").expect("a legal path")]);
    let parses = Parses::new(Limits::DEFAULT);
    let stop = Stop::new();
    let input =
        Input { snapshot: &snapshot, since: None, parses: &parses, stop: &stop, only: Some(&only) };
    let clank = ClankCheck::new(Vec::new());
    let check::Reach::Files(files) = clank.reach(&input) else { panic!("not all of it") };
    let files: Vec<&str> = files.iter().map(RelPath::as_str).collect();
    assert_eq!(
        files,
        ["a/deep.clank", "a/lib.clank", "a/main.clank", "deep.clank", "lib.clank"],
        "with the places where an import could be"
    );
    let report = clank.report(&input).expect("it needs nothing that can fail");
    assert_eq!(shown(&report), [""; 0]);
}
