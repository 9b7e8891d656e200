//! Patch documents: any bytes as JSON or YAML, simulated against a small tree. What comes out applies to that tree.
#![no_main]

use std::collections::BTreeMap;

use document::{Format, Limits};
use edit::Text;
use patch::Options;
use snapshot::{Entry, File, FileIndex, RelPath, Snapshot};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = Text::new(data);
    let format = if data.first() == Some(&b'{') { Format::Json } else { Format::Yaml };
    let Ok(patch) = patch::read("patch", &text, format, None, &Limits::DEFAULT) else { return };
    let index = FileIndex::default();
    let snapshot = tree();
    patch::needs(&patch, &index);
    let simulation = patch::simulate(&patch, &snapshot, &index, &Options::DEFAULT);
    let after = snapshot.apply(&simulation.change).expect("a simulated change applies");
    let back = simulation.change.invert(&snapshot).expect("a change that applied can be inverted");
    assert_eq!(after.apply(&back).expect("the inverse applies").hash(), snapshot.hash());
});

fn tree() -> Snapshot {
    let files = [
        ("a.yaml", "# top\na: 1 # one\nlist:\n  - x\n  - {k: v}\n"),
        ("b.json", "{\n  \"a\": [1, 2], // c\n  \"b\": {}\n}\n"),
        ("c.toml", "a = 1\n[t]\nk = \"v\"\n"),
    ];
    let file = |text: &str| Entry::File(File { text: Text::new(text), mode: 0o644 });
    let entries: BTreeMap<RelPath, Entry> = files
        .iter()
        .map(|(path, text)| (RelPath::parse(path).expect("a plain name"), file(text)))
        .collect();
    Snapshot::new(entries).expect("no file is a folder")
}
