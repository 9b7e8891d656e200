//! Hunks, and how they find their findings.

use std::collections::BTreeMap;

use proptest::prelude::*;
use snapshot::{Entry, File, Snapshot};

use super::*;

fn tree(text: &str) -> (Snapshot, RelPath) {
    let file = RelPath::parse("a.js").unwrap();
    let entry = Entry::File(File::new(Text::new(text), 0o644));
    (Snapshot::new(BTreeMap::from([(file.clone(), entry)])).unwrap(), file)
}

fn finding(file: &RelPath, rule: &str, range: Option<Range<u32>>) -> Finding {
    Finding {
        rule: rule.to_owned(),
        severity: Severity::Warning,
        message: rule.to_owned(),
        file: file.clone(),
        range,
        url: None,
        fixes: Vec::new(),
    }
}

/// The rules of the findings with what their fixes replace, after a rewrite.
fn attached(before: &str, after: &str, found: &[(&str, Range<u32>)]) -> Vec<String> {
    let (snapshot, file) = tree(before);
    let texts = Texts::new(&snapshot, "/w");
    let mut report = ToolReport {
        findings: found.iter().map(|it| finding(&file, it.0, Some(it.1.clone()))).collect(),
        ..ToolReport::default()
    };
    let mut output = ToolOutput::printed(0, "");
    output.changed.insert(file, Some(Text::new(after)));
    attach("tool", &output, &texts, Safety::LikelyPreserving, &mut report);
    let shown = |it: &Finding| {
        let edits = it.fixes.iter().flat_map(|it| it.edits.values()).flat_map(EditSet::edits);
        let edits: Vec<String> = edits
            .map(|it| format!("{}{:?}", it.start, String::from_utf8_lossy(&it.text)))
            .collect();
        format!("{} {}", it.rule, edits.join(" "))
    };
    report.findings.iter().map(shown).collect()
}

#[test]
fn a_finding_gets_the_hunk_that_touches_it_and_no_other() {
    let (before, after) =
        ("var q = \"\\d\"; f([...[e]]);\n\n\nvar z;\n", "let q = \"\\d\"; f([e]);\n\n\nlet z;\n");
    let found = [("no-var", 0..3), ("escape", 9..11), ("spread", 17..20)];
    assert_eq!(
        attached(before, after, &found),
        [
            "no-var 0\"let\" 17\"\" 22\"\"",
            "escape ",
            "spread 0\"let\" 17\"\" 22\"\"",
            "rewrite 29\"let\""
        ]
    );
}

#[test]
fn hunks_that_share_a_finding_are_one_fix() {
    let (before, after) = ("a\nb\nc\nd\ne\nf\ng\n", "A\nb\nc\nD\ne\nf\nG\n");
    assert_eq!(
        attached(before, after, &[("long", 0..7)]),
        ["long 0\"A\" 6\"D\"", "rewrite 12\"G\""]
    );
}

#[test]
fn a_file_that_is_gone_or_emptied_is_not_a_fix() {
    let (snapshot, file) = tree("x\n");
    let texts = Texts::new(&snapshot, "/w");
    let mut output = ToolOutput::printed(0, "");
    output.changed.insert(file.clone(), None);
    output.changed.insert(RelPath::parse("new.js").unwrap(), Some(Text::new("y")));
    let mut report = ToolReport::default();
    attach("tool", &output, &texts, Safety::LikelyPreserving, &mut report);
    assert!(report.findings.is_empty());
    assert_eq!(report.dropped[0].reason, "the tool removed the file");
    output.changed.insert(file.clone(), Some(Text::new("")));
    let report = formatter_output("tool", &output, &texts).unwrap();
    assert!(report.findings[0].fixes.is_empty());
    assert_eq!(report.dropped[0].reason, "nothing would be left of the file");
    let texts = texts.with_input(&file);
    assert!(formatter_output("tool", &ToolOutput::printed(0, ""), &texts).is_err());
}

#[test]
fn a_text_that_is_formatted_has_no_finding() {
    let (snapshot, file) = tree("x\n");
    let texts = Texts::new(&snapshot, "/w").with_input(&file);
    assert_eq!(
        formatter_output("tool", &ToolOutput::printed(0, "x\n"), &texts).unwrap(),
        ToolReport::default()
    );
}

/// What stands beside the word that differs keeps its place, however many lines there are.
#[test]
fn many_lines_in_which_a_word_differs_are_many_edits() {
    let before = Text::new("say teh word\n".repeat(2_000));
    let after = Text::new("say the word\n".repeat(2_000));
    let all = hunks(&before, &after).unwrap();
    let edits: Vec<_> = all.iter().flat_map(|it| it.edits()).collect();
    assert_eq!(edits.len(), 2_000);
    assert_eq!(*edits[1], Edit::replace(13 + 4, 13 + 7, "the"));
}

proptest! {
    /// All hunks together are the difference, whatever the texts are.
    #[test]
    fn hunks_make_the_new_text(before in "[ab é😀\r\n]{0,60}", after in "[ab é😀\r\n]{0,60}") {
        let (before, after) = (Text::new(before), Text::new(after));
        let all = hunks(&before, &after).unwrap();
        let edits = all.iter().flat_map(|it| it.edits().to_vec()).collect();
        prop_assert_eq!(EditSet::new(&before, edits).unwrap().apply(&before).unwrap(), after);
    }
}
