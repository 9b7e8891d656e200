//! Where the comments of a JSON text stand.

use std::ops::Range;

use super::parse::end_of_comment;
use super::string::end_of_string;

/// The comments of a text that the parser has accepted, in order: outside strings, `/` starts nothing else.
pub(super) fn comments(bytes: &[u8]) -> Vec<Range<u32>> {
    let mut found = Vec::new();
    if memchr::memchr(b'/', bytes).is_none() {
        return found;
    }
    let mut at = 0;
    while let Some(token) = memchr::memchr2(b'/', b'"', &bytes[at..]) {
        let start = at + token;
        let end = if bytes[start] == b'"' {
            end_of_string(bytes, start + 1).ok().map(|string| string.end)
        } else {
            end_of_comment(bytes, start)
        };
        at = end.expect("the parser has read every string and comment to its end");
        if bytes[start] == b'/' {
            found.push(start as u32..at as u32);
        }
    }
    found
}
