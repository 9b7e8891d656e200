//! What the document refuses is not proposed, findings and repairs name each other, and every place is where it should be.

use std::collections::BTreeMap;

use check::{Confidence, Parses, Safety};
use document::{Format, Limits, Op};
use edit::Text;
use snapshot::{Entry, File};

use super::*;
use crate::finding::SchemaViolation;

/// Calls `look` with a file of this text.
fn with_file<T>(path: &str, text: &str, look: impl FnOnce(&ReportContext<'_>) -> T) -> T {
    let file = RelPath::parse(path).unwrap();
    let text = Text::new(text);
    let parsed = Parses::new(Limits::DEFAULT).get(&text, Format::of_path(path).unwrap());
    let entries = BTreeMap::from([(file.clone(), Entry::File(File::new(text, 0o644)))]);
    let snapshot = Snapshot::new(entries).unwrap();
    look(&ReportContext {
        source: "test",
        phase: "schema",
        tier: Tier::Schema,
        file: &file,
        parsed: &parsed,
        index: 0,
        snapshot: &snapshot,
    })
}

fn violation(at: &str, proposals: Vec<SchemaRepair>) -> SchemaViolation {
    SchemaViolation {
        rule_id: "SCHEMA_ENUM".into(),
        at: at.parse().unwrap(),
        anchor: MemberPart::Value,
        message: "is wrong".into(),
        is_harmless: false,
        details: BTreeMap::new(),
        proposals,
    }
}

fn set(at: &str, also_resolves: &[usize]) -> SchemaRepair {
    let value = Value::String("new".into());
    SchemaRepair {
        title: format!("Set {at}"),
        rationale: "it is the one".into(),
        safety: Safety::LikelyPreserving,
        confidence: Confidence::High,
        steps: vec![Op::ReplaceValue { at: at.parse().unwrap(), value }.into()],
        also_resolves: also_resolves.to_vec(),
    }
}

fn say(path: &str, text: &str, violations: Vec<SchemaViolation>) -> (Vec<Diagnostic>, Vec<Repair>) {
    with_file(path, text, |it| into_findings(it, &|_| Severity::Warning, violations))
}

/// Every finding in a line: its place, and why it has no repair or which it has.
fn lines(path: &str, text: &str, violations: Vec<SchemaViolation>) -> Vec<String> {
    let (diagnostics, repairs) = say(path, text, violations);
    let title = |id: &String| repairs.iter().find(|it| it.id == *id).map(|it| it.title.clone());
    let line = |it: &Diagnostic| {
        let words = match it.details.get(NOT_REPAIRED) {
            Some(why) => vec![why.as_str().unwrap().to_owned()],
            None => it.repair_refs.iter().filter_map(title).collect(),
        };
        format!("{}: {}", it.json_pointer.as_deref().unwrap_or("-"), words.join(", "))
    };
    diagnostics.iter().map(line).collect()
}

/// FA-5: an edit that the document would refuse is not proposed, and each proposal is tried on the document as it is.
#[test]
fn what_the_document_refuses_is_not_proposed() {
    let text = "a: &x old\nb: *x\nc: {<<: {d: old}}\ne: old\n";
    let places = ["/a", "/b", "/c/d", "/e", "/e/f"];
    let violations = places.iter().map(|it| violation(it, vec![set(it, &[])])).collect();
    insta::assert_snapshot!(lines("a.yaml", text, violations).join("\n"), @r"
    /a: `&x` is used by 1 alias(es), so an edit here would change more than one place
    /b: Set /b
    /c/<</d: Set /c/d
    /e: Set /e
    /e/f: there is nothing at `/e/f`
    ");
    let twice = vec![violation("/a", vec![set("/a", &[])])];
    assert_eq!(
        lines("a.json", r#"{"a": 1, "b": 2, "b": 3}"#, twice),
        ["/a: key `b` appears more than once in its map; remove one of them first"]
    );
}

#[test]
fn of_two_proposals_the_possible_one_is_left() {
    let both = violation("/a", vec![set("/x", &[]), set("/a", &[])]);
    assert_eq!(lines("a.yaml", "a: old\n", vec![both]), ["/a: Set /a"]);
}

/// FA-8, FA-19, AE-55: a repair names the findings that it resolves, its own first, has its own's rule and severity, and
/// each of them names the repair.
#[test]
fn repairs_and_findings_name_each_other() {
    let violations = vec![
        violation("/a", vec![set("/a", &[2, 0])]),
        violation("/b", vec![]),
        violation("/c", vec![set("/c", &[])]),
    ];
    let (found, repairs) = say("a.yaml", "a: 1\nb: 2\nc: 3\n", violations);
    assert_eq!(
        repairs[0].resolves,
        [found[0].diagnostic_id.clone(), found[2].diagnostic_id.clone()]
    );
    assert_eq!(repairs[0].severity, Severity::Warning);
    assert_eq!(repairs[0].rule_id, found[0].rule_id);
    assert_eq!(found[0].repair_refs, [repairs[0].id.clone()]);
    assert!(found[1].repair_refs.is_empty());
    assert_eq!(found[2].repair_refs, [repairs[1].id.clone(), repairs[0].id.clone()]);
}

/// AE-4, FA-16: neither the identity of a finding nor its repair depends on the words.
#[test]
fn other_words_are_the_same_finding_with_the_same_repair() {
    let mut other = violation("/a", vec![set("/a", &[])]);
    other.message = "is not right".into();
    let (found, repairs) = say("a.yaml", "a: 1\n", vec![other]);
    let (same, same_repairs) = say("a.yaml", "a: 1\n", vec![violation("/a", vec![set("/a", &[])])]);
    assert_eq!(found[0].diagnostic_id, same[0].diagnostic_id);
    assert_eq!(repairs, same_repairs);
}

/// FA-18: a title is a label of one line and at most 120 characters.
#[test]
fn titles_are_short() {
    let mut proposal = set("/a", &[]);
    proposal.title = "Ü\n".repeat(100);
    let (_, repairs) = say("a.yaml", "a: 1\n", vec![violation("/a", vec![proposal])]);
    assert_eq!(repairs[0].title.chars().count(), 120);
    assert!(repairs[0].title.ends_with('…') && !repairs[0].title.contains('\n'));
}

/// The key, `line:column` and pointer of every repeated key.
fn duplicates(path: &str, text: &str) -> Vec<String> {
    let found = with_file(path, text, unreadable);
    let line = |it: &Diagnostic| {
        let key = it.details["key"].as_str().unwrap().to_owned();
        let place = it.location.unwrap();
        let pointer = it.json_pointer.clone().unwrap();
        format!("{key} {}:{} {pointer}", place.start_line, place.start_col)
    };
    found.iter().map(line).collect()
}

/// The first one is shown where it stands again, the others where they stand first.
#[test]
fn every_repeated_key_is_named_with_its_object() {
    assert_eq!(
        duplicates("a.yaml", "m:\n  a: 1\n  b: 1\n  a: 2\nl: [{c: 1, c: 2, c: 3}]\n"),
        ["a 4:3 /m", "c 5:6 /l/0"]
    );
    assert_eq!(
        duplicates("a.json", r#"{"a": {"b": 1, "b": 2}, "c": {"a": 1}, "a": 3}"#),
        ["a 1:2 ", "b 1:16 /a"]
    );
    // An alias repeats the place, not the fault.
    assert_eq!(duplicates("a.yaml", "a: &x {k: 1, k: 2}\nb: *x\n"), ["k 1:14 /a"]);
    let many: String = (0..500).map(|it| format!("k{it}: 1\nk{it}: 2\n")).collect();
    assert_eq!(duplicates("a.yaml", &many).len(), MAX_DUPLICATES);
    let found = with_file("a.yaml", "a: 1\na: 2\nb: 1\nb: 2\n", unreadable);
    assert_ne!(found[0].diagnostic_id, found[1].diagnostic_id);
}

#[test]
fn what_cannot_be_read_is_said_where_it_was_noticed() {
    let found = with_file("a.json", "{\"ä\": ]", unreadable);
    let place = found[0].location.unwrap();
    assert_eq!((found[0].rule_id.as_str(), place.start_col), ("SCHEMA_PARSE", 7));
    assert!(with_file("a.json", "{}", unreadable).is_empty());
}

#[test]
fn a_place_that_is_not_there_is_shown_at_what_is_nearest_above() {
    let place = |at: &str, anchor| {
        let at: Pointer = at.parse().unwrap();
        let place = with_file("a.yaml", "a:\n  b: 1\n", |it| location_of(it.parsed, &at, anchor));
        place.map(|it| (it.start_line, it.start_col, it.end_col)).unwrap()
    };
    assert_eq!(place("/a/b", MemberPart::Value), (2, 6, 7));
    assert_eq!(place("/a/b", MemberPart::Key), (2, 3, 4));
    assert_eq!(place("/a/b/c/d", MemberPart::Key), (2, 3, 4));
    assert_eq!(place("/a/x", MemberPart::Key), (1, 1, 2));
}

#[test]
fn an_offset_is_the_character_there_or_the_end() {
    let place = |offset| {
        let found = with_file("a.yaml", "ä: 1\n", |it| at_offset(it.parsed, offset));
        found.map(|it| (it.start_byte, it.end_byte))
    };
    assert_eq!(place(0), Some((0, 2)));
    assert_eq!(place(2), Some((2, 3)));
    assert_eq!(place(99), Some((6, 6)));
    assert_eq!(place(1), None);
}
