//! Many faults in one file, and rules that would undo each other.

use std::fmt::Write as _;
use std::sync::Arc;

use check::Safety;
use fixture::case::Files;
use pack::Pack;

use super::trial::{Trial, files_of, load_pack};

fn files(pairs: &[(&str, &str)]) -> Files {
    pairs.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// The text of the file after all repairs that are likely to preserve the meaning, how many were offered, and how many
/// findings are left.
fn fixed(text: &str, packs: Vec<Arc<Pack>>) -> (String, usize, usize) {
    let trial = Trial::new(files(&[("a.yaml", text)]), packs, &|_| false);
    let outcome = trial.run(Safety::LikelyPreserving, false);
    let after = files_of(&outcome.fixed.end.snapshot);
    (after["a.yaml"].clone(), outcome.start.repairs.len(), outcome.fixed.end.diagnostics.len())
}

/// FA-7: however many there are, one run repairs them all.
#[test]
fn three_thousand_faults_in_one_file_are_repaired_at_once() {
    let manifest =
        "name: many\npack_version: '1'\nkinds: [{kind: a, files: a.yaml, schema: s.json}]\n";
    let schema = r#"{"properties": {
        "flat": {"additionalProperties": {"enum": ["on", "off"]}},
        "list": {"items": {"properties": {"level": {"enum": ["debug", "info"]}, "port": {"type": "integer"}}}}
    }}"#;
    let pack = load_pack(&files(&[("pack.yaml", manifest), ("s.json", schema)]));
    let mut text = "flat:\n".to_owned();
    (0..1000).for_each(|it| writeln!(text, "  k{it}: 'ON'").unwrap());
    text += "list:\n";
    (0..1000).for_each(|it| writeln!(text, "- level: DEBUG\n  port: '{it}'").unwrap());
    let (after, n_offered, n_left) = fixed(&text, vec![pack]);
    assert_eq!((n_offered, n_left), (3000, 0));
    assert!(after.contains("  k999: 'on'\n") && after.contains("- level: debug\n  port: 999\n"));
}

/// Each of two packs wants the other's key gone. One may have its way, but a key must stay.
#[test]
fn of_two_keys_that_replace_each_other_one_stays() {
    let pack = |name: &str, key: &str, to: &str| {
        let rule = format!(
            "{{id: SEM_{}, rule: deprecated, at: {{in: a, at: ''}}, key: {key}, replacement: {to}, about: x}}",
            name.to_uppercase()
        );
        let manifest = format!(
            "name: {name}\npack_version: '1'\nkinds: [{{kind: a, files: a.yaml}}]\nrules: [{rule}]\n"
        );
        load_pack(&files(&[("pack.yaml", &manifest)]))
    };
    for value in ["1", "{x: [1, 2]}", "[1, {y: 2}]", "'text'"] {
        let text = format!("a: {value}\nb: {value} # why\n");
        let (after, ..) = fixed(&text, vec![pack("one", "a", "b"), pack("two", "b", "a")]);
        let kept = after.matches(value).count();
        assert!(kept >= 1, "{text}became\n{after}");
        let (after, n_offered, n_left) = fixed(&text, vec![pack("one", "a", "b")]);
        assert_eq!((after, n_offered, n_left), (format!("b: {value} # why\n"), 1, 0));
    }
}
