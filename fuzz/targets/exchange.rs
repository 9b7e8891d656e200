//! Documents that tools exchange: any bytes, in every format, against a small tree. What is offered applies to that tree.
#![no_main]

use linters::Texts;
use linters::formats::{self, Exchange, Options};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let snapshot = regreen_fuzz::tree(&[
        ("a.txt", "\u{feff}h\u{e9}\u{1f600} x\r\ny\n".as_bytes()),
        ("b.txt", b"one\ntwo\nthree"),
    ]);
    let texts = Texts::new(&snapshot, "/ws");
    formats::recognise(data);
    for format in Exchange::ALL {
        let Ok(report) = formats::read(format, data, &texts, &Options::default()) else { continue };
        for fix in report.findings.iter().flat_map(|it| &it.fixes) {
            assert!(!fix.edits.is_empty() || !fix.files.is_empty());
            for (file, set) in &fix.edits {
                let text = snapshot.file(file).expect("edits are about files of the tree").text();
                set.apply(&text).expect("made for this text");
            }
        }
    }
});
