//! Identities that survive unrelated edits: no message text and no position goes into them.

use std::collections::HashMap;

use document::{GuardedOp, Op, Preconditions};
use snapshot::Snapshot;

use crate::diagnostic::Diagnostic;
use crate::repair::{Repair, RepairOp};

/// Sorts by the total order and gives every diagnostic its id.
pub fn sort_and_assign_ids(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(Diagnostic::total_cmp);
    assign_ids(diagnostics);
}

/// Gives every diagnostic its id and leaves the order alone. Findings that are alike in all that goes into an id
/// are counted in the total order, so that the order of the list does not matter.
pub fn assign_ids(diagnostics: &mut [Diagnostic]) {
    let mut in_order: Vec<usize> = (0..diagnostics.len()).collect();
    in_order.sort_by(|&left, &right| diagnostics[left].total_cmp(&diagnostics[right]));
    let mut seen: HashMap<blake3::Hash, u64> = HashMap::new();
    for idx in in_order {
        let diagnostic = &mut diagnostics[idx];
        let kin = kinship(diagnostic);
        let ordinal = seen.entry(kin).or_default();
        let mut hasher = blake3::Hasher::new_derive_key("regreen diagnostic id v1");
        hasher.update(kin.as_bytes()).update(&ordinal.to_be_bytes());
        *ordinal += 1;
        diagnostic.diagnostic_id = format!("d_{}", &hasher.finalize().to_hex()[..12]);
    }
}

/// A hash of all that an id is made of, but for the ordinal.
fn kinship(diagnostic: &Diagnostic) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_derive_key("regreen diagnostic kinship v1");
    let mut put = |tag: u8, text: &str| {
        hasher.update(&[tag]).update(&(text.len() as u64).to_be_bytes()).update(text.as_bytes());
    };
    put(b's', &diagnostic.source);
    put(b'r', &diagnostic.rule_id);
    put(b'f', &diagnostic.file);
    // The same pointer in another document of the text is another place.
    if let Some(index) = diagnostic.location.and_then(|it| it.document).filter(|it| *it > 0) {
        put(b'd', &index.to_string());
    }
    match (&diagnostic.json_pointer, &diagnostic.anchor) {
        (Some(pointer), _) => put(b'p', pointer),
        (None, Some(anchor)) => put(b'a', anchor),
        (None, None) => put(b'n', ""),
    }
    hasher.finalize()
}

/// Gives every repair its id, from its source, its rule, its files and what it does: the symbolic operations, or the
/// deleted and the new text. No offset is part of it, so that a repair is the same one after an edit elsewhere.
/// Repairs that are alike in all that are counted in the order of the list, which must not be one of discovery.
pub fn assign_repair_ids(repairs: &mut [Repair], snapshot: &Snapshot) {
    let mut seen: HashMap<blake3::Hash, u64> = HashMap::new();
    for repair in repairs {
        let mut bytes = Bytes(Vec::new());
        bytes.put(&repair.source);
        bytes.put(&repair.rule_id);
        for op in &repair.ops {
            bytes.put(op.file().as_str());
            match op {
                RepairOp::Document { step, .. } => bytes.put_step(step),
                RepairOp::Text { file, edits } => {
                    let text = snapshot.file(file).map(|it| it.text()).unwrap_or_default();
                    for edit in edits.edits() {
                        let deleted = text.bytes().get(edit.start as usize..edit.end as usize);
                        bytes.put_bytes(deleted.unwrap_or_default());
                        bytes.put_bytes(&edit.text);
                    }
                }
                RepairOp::AddFile { new, .. } => {
                    bytes.put("add_file");
                    bytes.put_bytes(new.text.hash().as_bytes());
                    bytes.put(&new.mode.to_string());
                }
                RepairOp::DeleteFile { base, .. } => {
                    bytes.put("delete_file");
                    bytes.put_bytes(base.as_bytes());
                }
                RepairOp::RenameFile { to, .. } => {
                    bytes.put("rename_file");
                    bytes.put(to.as_str());
                }
            }
        }
        let kin =
            blake3::Hasher::new_derive_key("regreen repair kinship v1").update(&bytes.0).finalize();
        let ordinal = seen.entry(kin).or_default();
        let mut hasher = blake3::Hasher::new_derive_key("regreen repair id v1");
        hasher.update(kin.as_bytes()).update(&ordinal.to_be_bytes());
        *ordinal += 1;
        repair.id = format!("r_{}", &hasher.finalize().to_hex()[..12]);
    }
}

/// Strings, each preceded by its length, so that different lists never have the same bytes.
struct Bytes(Vec<u8>);

impl Bytes {
    fn put(&mut self, text: &str) {
        self.put_bytes(text.as_bytes());
    }

    fn put_bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
        self.0.extend_from_slice(bytes);
    }

    fn put_step(&mut self, step: &GuardedOp) {
        if step.document > 0 {
            self.put(&step.document.to_string());
        }
        let mut op = |name: &str, parts: &[&str]| {
            self.put(name);
            parts.iter().for_each(|it| self.put(it));
        };
        match &step.op {
            Op::ReplaceValue { at, .. } => op("replace_value", &[&at.to_string()]),
            Op::AddKey { at, key, .. } => op("add_key", &[&at.to_string(), key]),
            Op::RemoveKey { at, key } => op("remove_key", &[&at.to_string(), key]),
            Op::RenameKey { at, from, to } => op("rename_key", &[&at.to_string(), from, to]),
            Op::InsertItem { at, index, .. } => {
                op("insert_item", &[&at.to_string(), &format!("{index:?}")])
            }
            Op::ReplaceItem { at, index, .. } => {
                op("replace_item", &[&at.to_string(), &index.to_string()])
            }
            Op::DeleteItem { at, index } => {
                op("delete_item", &[&at.to_string(), &index.to_string()])
            }
            Op::SetValue { at, .. } => op("set_value", &[&at.to_string()]),
            Op::DeleteValue { at } => op("delete_value", &[&at.to_string()]),
            Op::MoveValue { from, to, keep_position } => {
                op("move_value", &[&from.to_string(), &to.to_string(), &keep_position.to_string()])
            }
        }
        self.put(&step.op.value().map(document::Value::to_json).unwrap_or_default());
        let Preconditions { json_type, equals, exists, length } = &step.expects;
        self.put(&format!("{json_type:?} {exists:?} {length:?} {:?}", step.expects_parent));
        self.put(&equals.as_ref().map(document::Value::to_json).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use edit::LineIndex;
    use proptest::prelude::*;

    use super::*;
    use crate::{Location, Severity, Tier};

    fn diagnostic(rule: &str, file: &str, pointer: Option<&str>, message: &str) -> Diagnostic {
        Diagnostic {
            diagnostic_id: String::new(),
            rule_id: rule.into(),
            source: "pack".into(),
            phase: "semantic".into(),
            tier: Tier::Semantic,
            concern: crate::Concern::Problem,
            severity: Severity::Error,
            message: message.into(),
            file: file.into(),
            json_pointer: pointer.map(Into::into),
            location: None,
            anchor: None,
            related: Vec::new(),
            details: BTreeMap::new(),
            repair_refs: Vec::new(),
        }
    }

    fn id(diagnostic: Diagnostic) -> String {
        let mut list = [diagnostic];
        assign_ids(&mut list);
        list[0].diagnostic_id.clone()
    }

    /// `d_` and 12 hex digits; neither the message nor the position is part of it.
    #[test]
    fn an_id_survives_a_new_wording_and_a_shift_of_lines() {
        let before = diagnostic("R", "a.yaml", Some("/x"), "old words");
        let mut after = diagnostic("R", "a.yaml", Some("/x"), "new words");
        after.location = Location::new(&LineIndex::new(b"a\nb\n"), 2..3);
        assert_eq!(id(before.clone()), id(after));
        assert_eq!(id(before.clone()).len(), 14);
        assert!(id(before.clone()).starts_with("d_"));
        for other in [
            diagnostic("S", "a.yaml", Some("/x"), "old words"),
            diagnostic("R", "b.yaml", Some("/x"), "old words"),
            diagnostic("R", "a.yaml", Some("/y"), "old words"),
            diagnostic("R", "a.yaml", None, "old words"),
        ] {
            assert_ne!(id(before.clone()), id(other));
        }
    }

    /// FA-8, FA-9: one pointer may have two findings of one rule, and both have an id of their own.
    #[test]
    fn equal_findings_are_told_apart_by_their_ordinal() {
        let mut list =
            [diagnostic("R", "a", Some("/x"), "one"), diagnostic("R", "a", Some("/x"), "two")];
        assign_ids(&mut list);
        assert_ne!(list[0].diagnostic_id, list[1].diagnostic_id);
    }

    #[test]
    fn locations_count_code_points_from_one() {
        let text = "ä: 1\nü: 2\n";
        let location = Location::new(&LineIndex::new(text.as_bytes()), 10..11).unwrap();
        assert_eq!((location.start_line, location.start_col, location.end_col), (2, 4, 5));
        assert_eq!(Location::new(&LineIndex::new(text.as_bytes()), 1..2), None);
        assert_eq!(Location::new(&LineIndex::new(text.as_bytes()), 0..99), None);
    }

    fn text_repair(text: &str, start: u32, end: u32, new: &str) -> (Repair, Snapshot) {
        let text = edit::Text::new(text);
        let edits = vec![edit::Edit::replace(start, end, new)];
        let edits = edit::EditSet::new(&text, edits).unwrap();
        let file = snapshot::RelPath::parse("a.txt").unwrap();
        let entry = snapshot::Entry::File(snapshot::File::new(text, 0o644));
        let snapshot = Snapshot::new([(file.clone(), entry)].into()).unwrap();
        (repair(RepairOp::Text { file, edits }), snapshot)
    }

    fn document_repair(op: Op) -> Repair {
        let file = snapshot::RelPath::parse("a.yaml").unwrap();
        repair(RepairOp::Document { file, step: op.into() })
    }

    fn repair(op: RepairOp) -> Repair {
        Repair {
            id: String::new(),
            title: "Mend it".into(),
            rationale: String::new(),
            source: "pack".into(),
            phase: "semantic".into(),
            rule_id: "R".into(),
            severity: Severity::Error,
            confidence: crate::Confidence::High,
            safety: crate::Safety::LikelyPreserving,
            kind: crate::RepairKind::LocalFix,
            ops: vec![op],
            resolves: vec!["d_0".into()],
            reveals: Vec::new(),
            compatibility: crate::Compatibility::default(),
            grounds: crate::Grounds::default(),
        }
    }

    fn repair_ids(mut repairs: Vec<Repair>, snapshot: &Snapshot) -> Vec<String> {
        assign_repair_ids(&mut repairs, snapshot);
        repairs.into_iter().map(|it| it.id).collect()
    }

    /// FA-16, RS-3: an id is made of what a repair does, so that it is the same one after an edit elsewhere, and two
    /// that do the same in one file are still told apart.
    #[test]
    fn a_repair_keeps_its_id_when_its_text_moves() {
        let (before, old) = text_repair("port = 1", 7, 8, "2");
        let (after, new) = text_repair("# words\nport = 1", 15, 16, "2");
        let (other, third) = text_repair("port = 3", 7, 8, "2");
        let id = repair_ids(vec![before.clone()], &old);
        assert!(id[0].starts_with("r_") && id[0].len() == 14);
        assert_eq!(id, repair_ids(vec![after], &new));
        assert_ne!(id, repair_ids(vec![other], &third));
        let twins = repair_ids(vec![before.clone(), before], &old);
        assert_ne!(twins[0], twins[1]);
    }

    /// FA-17: what a repair does to files is part of its id.
    #[test]
    fn operations_on_files_are_part_of_the_id() {
        let path = |text: &str| snapshot::RelPath::parse(text).unwrap();
        let text = |text: &str| edit::Text::new(text);
        let add = |file: &str, new: &str, mode: u32| RepairOp::AddFile {
            file: path(file),
            new: snapshot::NewFile { text: text(new), mode },
        };
        let base = text("x").hash();
        let rename = |to: &str| RepairOp::RenameFile { file: path("a"), to: path(to), base };
        let ops = [
            add("a", "x", 0o644),
            add("a", "y", 0o644),
            add("a", "x", 0o755),
            add("b", "x", 0o644),
            RepairOp::DeleteFile { file: path("a"), base },
            RepairOp::DeleteFile { file: path("a"), base: text("y").hash() },
            rename("b"),
            rename("c"),
        ];
        let ids = repair_ids(ops.into_iter().map(repair).collect(), &Snapshot::default());
        let distinct: std::collections::BTreeSet<&String> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len());
    }

    /// FA-17: all that a document operation says is part of the id, and nothing that only words it.
    #[test]
    fn every_part_of_an_operation_is_part_of_the_id() {
        let at = |text: &str| text.parse::<document::Pointer>().unwrap();
        let value = document::Value::Bool(true);
        let ops = [
            Op::ReplaceValue { at: at("/a"), value: value.clone() },
            Op::ReplaceValue { at: at("/b"), value: value.clone() },
            Op::ReplaceValue { at: at("/a"), value: document::Value::Null },
            Op::SetValue { at: at("/a"), value: value.clone() },
            Op::AddKey { at: at("/a"), key: "k".into(), value: value.clone() },
            Op::AddKey { at: at("/a"), key: "l".into(), value },
            Op::RenameKey { at: at("/a"), from: "k".into(), to: "l".into() },
            Op::RenameKey { at: at("/a"), from: "l".into(), to: "k".into() },
            Op::DeleteItem { at: at("/a"), index: 1 },
            Op::DeleteItem { at: at("/a"), index: 11 },
        ];
        let repairs: Vec<Repair> = ops.iter().cloned().map(document_repair).collect();
        let ids = repair_ids(repairs.clone(), &Snapshot::default());
        let distinct: std::collections::BTreeSet<&String> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len());
        let mut worded = repairs[0].clone();
        worded.title = "Other words".into();
        assert_eq!(repair_ids(vec![worded], &Snapshot::default())[0], ids[0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            rng_seed: proptest::test_runner::RngSeed::Fixed(1),
            ..ProptestConfig::default()
        })]
        /// X-7, CS-44: whatever order findings are discovered in, the report is the same.
        #[test]
        fn the_order_of_discovery_does_not_show(
            parts in proptest::collection::vec(("[RS]", "[ab]", proptest::option::of("/[xy]"), "[mn]"), 0..12),
            rotate in 0_usize..12,
        ) {
            let list: Vec<Diagnostic> = parts
                .iter()
                .map(|(rule, file, pointer, message)| diagnostic(rule, file, pointer.as_deref(), message))
                .collect();
            let (mut left, mut right) = (list.clone(), list);
            let n_rotated = if right.is_empty() { 0 } else { rotate % right.len() };
            right.rotate_left(n_rotated);
            right.reverse();
            let mut unsorted = right.clone();
            sort_and_assign_ids(&mut left);
            sort_and_assign_ids(&mut right);
            prop_assert_eq!(&left, &right);
            assign_ids(&mut unsorted);
            unsorted.sort_by(Diagnostic::total_cmp);
            prop_assert_eq!(&left, &unsorted);
        }
    }
}
