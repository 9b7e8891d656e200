//! What of each line of a text is neither blank nor comment.

use std::ops::Range;

use edit::LineIndex;

/// For every line, from its first byte of code to its last; `None` if there is none. The brackets in `wrap` are not code
/// where all that they hold is a comment.
pub(crate) fn code_by_line(
    text: &[u8],
    lines: &LineIndex,
    comments: &[Range<u32>],
    wrap: Option<(u8, u8)>,
) -> Vec<Option<Range<u32>>> {
    let mut rest = comments.iter().peekable();
    let mut code = Vec::new();
    let n_bom = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    for range in (0..lines.line_count()).filter_map(|line| lines.line_range(line)) {
        let mut at = range.start.max(n_bom);
        let mut found: Option<Range<u32>> = None;
        while at < range.end {
            while rest.next_if(|comment| comment.end <= at).is_some() {}
            match rest.peek() {
                Some(comment) if comment.start <= at => at = comment.end,
                next => {
                    let byte = text.get(at as usize).copied().unwrap_or(b' ');
                    let is_room = wrap.is_some_and(|(open, close)| {
                        let after = next.filter(|_| byte == open);
                        after.is_some_and(|it| is_wrapped(text, at + 1, it, close))
                            || byte == close && closes_room(text, comments, at, open)
                    });
                    if !byte.is_ascii_whitespace() && !is_room {
                        found = Some(found.map_or(at, |it| it.start)..at + 1);
                    }
                    at += 1;
                }
            }
        }
        code.push(found);
    }
    code
}

/// Whether from a place on there is only the comment, and then the bracket.
fn is_wrapped(text: &[u8], from: u32, comment: &Range<u32>, close: u8) -> bool {
    let between = text.get(from as usize..comment.start as usize);
    let after = text.get(comment.end as usize..).unwrap_or_default().trim_ascii_start();
    between.is_some_and(|it| it.trim_ascii().is_empty()) && after.first() == Some(&close)
}

/// Whether the bracket at a place closes one that holds a comment alone.
fn closes_room(text: &[u8], comments: &[Range<u32>], at: u32, open: u8) -> bool {
    let idx = comments.partition_point(|it| it.end <= at);
    let Some(comment) = idx.checked_sub(1).and_then(|it| comments.get(it)) else { return false };
    let after = text.get(comment.end as usize..at as usize);
    let before = text.get(..comment.start as usize).unwrap_or_default().trim_ascii_end();
    after.is_some_and(|it| it.trim_ascii().is_empty()) && before.last() == Some(&open)
}
