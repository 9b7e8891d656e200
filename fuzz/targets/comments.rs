//! Any bytes in every language of the table: comments are in order, do not overlap and cut no character.
#![no_main]

use check::Syntax;
use edit::Text;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = Text::new(data);
    let content = std::str::from_utf8(data).ok();
    for syntax in Syntax::all() {
        let mut end = 0;
        for comment in syntax.comments(&text) {
            assert!(end <= comment.start && comment.start < comment.end, "{}", syntax.name);
            end = comment.end;
            let is_boundary = |at: u32| content.is_none_or(|it| it.is_char_boundary(at as usize));
            assert!(is_boundary(comment.start) && is_boundary(comment.end), "{}", syntax.name);
        }
        assert!(end as usize <= data.len());
    }
});
