//! Identities that survive unrelated edits: no message text and no position goes into them.

use std::collections::HashMap;

use crate::diagnostic::Diagnostic;

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
    match (&diagnostic.json_pointer, &diagnostic.anchor) {
        (Some(pointer), _) => put(b'p', pointer),
        (None, Some(anchor)) => put(b'a', anchor),
        (None, None) => put(b'n', ""),
    }
    hasher.finalize()
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
