//! Where the comments of a TOML text stand.

use std::ops::Range;

/// The comments of a text that the parser has accepted, in order and without their line ends.
pub(super) fn comments(bytes: &[u8]) -> Vec<Range<u32>> {
    let mut found = Vec::new();
    if memchr::memchr(b'#', bytes).is_none() {
        return found;
    }
    let mut at = 0;
    while let Some(token) = memchr::memchr3(b'#', b'"', b'\'', &bytes[at..]) {
        let start = at + token;
        if bytes[start] != b'#' {
            at = end_of_string(bytes, start);
            continue;
        }
        // A carriage return alone is not allowed in a comment.
        at = memchr::memchr2(b'\r', b'\n', &bytes[start..]).map_or(bytes.len(), |it| start + it);
        found.push(start as u32..at as u32);
    }
    found
}

/// The offset after the string that starts at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let is_multiline = bytes[start..].starts_with(&[quote; 3]);
    let mut at = start + if is_multiline { 3 } else { 1 };
    while let Some(byte) = bytes.get(at) {
        if *byte == quote {
            // Up to two quotes may stand before the closing three.
            let run = bytes[at..].iter().take(5).take_while(|it| **it == quote).count();
            if !is_multiline {
                return at + 1;
            }
            at += run;
            if run >= 3 {
                return at;
            }
        } else if *byte == b'\\' && quote == b'"' {
            at += 2;
        } else {
            at += 1;
        }
    }
    bytes.len()
}
