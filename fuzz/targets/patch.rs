//! Patch documents: any bytes as JSON or YAML, simulated against a small tree. What comes out applies to that tree.
#![no_main]

use document::{Format, Limits};
use edit::Text;
use patch::Options;
use snapshot::FileIndex;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = Text::new(data);
    let format = if data.first() == Some(&b'{') { Format::Json } else { Format::Yaml };
    let Ok(patch) = patch::read("patch", &text, format, None, &Limits::DEFAULT) else { return };
    let index = FileIndex::default();
    let snapshot = regreen_fuzz::tree(&[
        ("a.yaml", b"# top\na: 1 # one\nlist:\n  - x\n  - {k: v}\n"),
        ("b.json", b"{\n  \"a\": [1, 2], // c\n  \"b\": {}\n}\n"),
        ("c.toml", b"a = 1\n[t]\nk = \"v\"\n"),
    ]);
    patch::needs(&patch, &index);
    let simulation = patch::simulate(&patch, &snapshot, &index, &Options::DEFAULT);
    let after = snapshot.apply(&simulation.change).expect("a simulated change applies");
    let back = simulation.change.invert(&snapshot).expect("a change that applied can be inverted");
    assert_eq!(after.apply(&back).expect("the inverse applies").hash(), snapshot.hash());
});
