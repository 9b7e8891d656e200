//! Tables of schemas, documents and what is said of them. On every case the law of proposals is checked on the real
//! text: applied alone, what a proposal claims to resolve is gone, and nothing else has come.

mod drafts;
mod groups;
mod hostile;
mod laws;
mod repairs;
mod rules;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use document::{Document, Format, Limits};
use edit::Text;

use super::{CompiledSchema, SchemaError, SchemaLibrary, json};
use crate::finding::{SchemaRepair, SchemaViolation};

/// What is said of a document: a line per violation, and one per proposal with the text it leads to.
#[track_caller]
fn check(schema: &str, format: Format, text: &str) -> String {
    let schema = compile(&[("schema.json", schema)]).unwrap();
    report(&schema, format, text)
}

#[track_caller]
fn report(schema: &CompiledSchema, format: Format, text: &str) -> String {
    let document = parse(format, text);
    let violations = schema.check(&document.value(), &document);
    assert_judged_alike(schema, &document, &violations);
    let mut report = String::new();
    for violation in &violations {
        writeln!(report, "{} {}: {}", violation.rule_id, violation.at, violation.message).unwrap();
        for proposal in &violation.proposals {
            let after = apply(&document, proposal);
            assert_claim(schema, &violations, violation, proposal, &parse(format, &after));
            let also = proposal.also_resolves.len();
            let also = if also > 0 { format!(" (+{also})") } else { String::new() };
            let (safety, confidence) = (proposal.safety.name(), proposal.confidence.name());
            writeln!(report, "  {} [{safety}, {confidence}]{also}", proposal.title).unwrap();
            writeln!(report, "  => {}", after.trim_end().replace('\n', "⏎")).unwrap();
        }
    }
    report
}

/// whether a document is valid is the same question asked of the value and of its copy as JSON.
#[track_caller]
fn assert_judged_alike(
    schema: &CompiledSchema,
    document: &Document,
    violations: &[SchemaViolation],
) {
    if document.blocked().is_none() && !schema.has_deprecations && !schema.is_open {
        let is_valid = schema.is_surely_valid(document);
        assert_eq!(is_valid, violations.is_empty(), "{violations:?}");
    }
}

/// Counts by rule: places move when keys are renamed.
#[track_caller]
fn assert_claim(
    schema: &CompiledSchema,
    before: &[SchemaViolation],
    violation: &SchemaViolation,
    proposal: &SchemaRepair,
    after: &Document,
) {
    let mut expected: BTreeMap<&str, usize> = BTreeMap::new();
    for (idx, it) in before.iter().enumerate() {
        let is_resolved = std::ptr::eq(it, violation) || proposal.also_resolves.contains(&idx);
        *expected.entry(&it.rule_id).or_default() += usize::from(!is_resolved);
    }
    expected.retain(|_, n| *n > 0);
    let document = after;
    let after = schema.check(&document.value(), document);
    assert_judged_alike(schema, document, &after);
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for it in &after {
        *found.entry(&it.rule_id).or_default() += 1;
    }
    assert_eq!(found, expected, "{}", proposal.title);
}

fn apply(document: &Arc<Document>, proposal: &SchemaRepair) -> String {
    let mut draft = document.draft();
    for step in &proposal.steps {
        draft.apply(step).unwrap();
    }
    let edits = draft.lower().unwrap();
    String::from_utf8(edits.apply(document.text()).unwrap().bytes().to_vec()).unwrap()
}

#[track_caller]
fn compile(files: &[(&str, &str)]) -> Result<CompiledSchema, SchemaError> {
    let documents = files.iter().map(|(path, text)| {
        let format = Format::of_path(path).unwrap();
        (path.to_string(), json::to_json(&parse(format, text).value()))
    });
    CompiledSchema::compile(&Arc::new(SchemaLibrary::new(documents.collect())?), files[0].0)
}

#[track_caller]
fn parse(format: Format, text: &str) -> Arc<Document> {
    document::parse(&Text::new(text), format, &Limits::DEFAULT).unwrap()
}
