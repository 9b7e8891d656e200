//! The YAML reader on any text: no panic, bounded time, places that lie in the text, and the same content in both modes.
#![no_main]

use yaml::{Options, Tree};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let strict = yaml::parse(text, &Options::STRICT);
    let lenient = yaml::parse(text, &Options::LENIENT);
    for tree in [&strict, &lenient].into_iter().flatten() {
        read(tree, text);
    }
    if let Ok(strict) = &strict {
        // What is right by the letter is right in the lenient mode, and means the same.
        let lenient = lenient.expect("the lenient mode takes more");
        assert!(strict.events(text).eq(lenient.events(text)));
    }
});

fn read(tree: &Tree, text: &str) {
    for (id, node) in tree.nodes().iter().enumerate() {
        let id = id as u32;
        assert!(text.get(node.span().range()).is_some());
        assert!(tree.skip(id) > id && tree.skip(id) as usize <= tree.nodes().len());
        assert!(tree.target(id).is_none_or(|target| target < id));
        assert!(tree.indicator(id).is_none_or(|at| at < node.span().start));
        let _ = node.value(text);
    }
    let mut end = 0;
    for comment in tree.comments() {
        assert!(end <= comment.start && text[comment.range()].starts_with('#'));
        end = comment.end;
    }
}
