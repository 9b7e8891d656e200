//! Any bytes as a pack: it loads, or every problem has a place. A pack that loads can look at a document.
#![no_main]

use std::collections::BTreeMap;
use std::sync::Arc;

use check::{Check, Input, Parses, Stop};
use document::Limits;
use edit::Text;
use libfuzzer_sys::fuzz_target;
use pack::{Pack, PackCheck};

const SCHEMA: &str = r#"{"type": "object", "properties": {"a": {"enum": ["on", "off"]}}}"#;
const DOCUMENT: &str = "a: On\nb: [2, 1, 1]\nname: x\n";

fuzz_target!(|bytes: &[u8]| {
    let files: BTreeMap<String, Text> = BTreeMap::from([
        ("pack.yaml".to_owned(), Text::new(bytes)),
        ("schemas/a.json".to_owned(), Text::new(SCHEMA)),
    ]);
    let Ok(pack) = Pack::load(&files) else { return };
    let snapshot = regreen_fuzz::tree(&[("a.yaml", DOCUMENT.as_bytes()), ("b/c.json", b"{\"a\": 1}")]);
    let provider = PackCheck::new(Arc::new(pack));
    let parses = Parses::new(Limits::DEFAULT);
    let stop = Stop::new();
    let input =
        Input { snapshot: &snapshot, since: None, parses: &parses, stop: &stop, only: None };
    let report = provider.report(&input);
    let report = report.expect("a pack can always look");
    assert!(report.diagnostics.iter().all(|it| it.diagnostic_id.len() == 14));
});
