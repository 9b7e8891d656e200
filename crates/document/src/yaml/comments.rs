//! Where the comments of a YAML stream stand.
//!
//! A `#` starts a comment where it follows a blank or starts a line, unless it is part of a scalar, a tag or an
//! anchor. The tree knows those of the first document. A stream of several documents, or one with odd line ends
//! (which the tree does not follow), is read again for them: no one edits it, so that the cost does not matter.

use std::ops::Range;

use granit_parser::{Event, Parser, options};

use super::build::{end_of, lone_carriage_return, start_of};
use super::scan::next_line;
use super::tree::{Shape, YamlTree};
use crate::refusal::Reason;

/// The comments in order, without their line ends.
pub(super) fn comments(tree: &YamlTree) -> Vec<Range<u32>> {
    let bytes = tree.bytes();
    if memchr::memchr(b'#', bytes).is_none() {
        return Vec::new();
    }
    let is_several = matches!(&tree.blocked, Some(it) if it.reason == Reason::SeveralDocuments);
    let is_odd = is_several || lone_carriage_return(bytes).is_some();
    let mut opaque = if is_odd { opaque_of_stream(bytes) } else { opaque_of_tree(tree) };
    opaque.sort_unstable_by_key(|range| (range.start, range.end));
    let mut opaque = opaque.into_iter().peekable();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = memchr::memchr(b'#', &bytes[at..]) {
        let start = (at + token) as u32;
        at += token + 1;
        while opaque.next_if(|range| range.end <= start).is_some() {}
        if let Some(range) = opaque.peek().filter(|range| range.start <= start) {
            at = range.end as usize;
            continue;
        }
        if follows_blank(&bytes[..start as usize]) {
            let rest = &bytes[start as usize..];
            let length = memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
            at = start as usize + length;
            found.push(start..at as u32);
        }
    }
    found
}

fn follows_blank(before: &[u8]) -> bool {
    matches!(before.last(), None | Some(b' ' | b'\t' | b'\r' | b'\n'))
        || before.ends_with(b"\xEF\xBB\xBF")
}

/// The bytes of the tree in which a `#` is content.
fn opaque_of_tree(tree: &YamlTree) -> Vec<Range<u32>> {
    let mut opaque = Vec::new();
    for props in &tree.props {
        opaque.extend(props.anchor.clone());
        opaque.extend(props.tag.as_ref().map(|(range, _)| range.clone()));
    }
    for node in &tree.nodes {
        let start = match node.shape {
            // A comment may follow the `|`.
            shape if shape.is_block_scalar() => next_line(tree.bytes(), node.start),
            shape if shape.is_scalar() || shape == Shape::Alias => node.start,
            _ => continue,
        };
        if start < node.end {
            opaque.push(start..node.end);
        }
    }
    opaque
}

/// The same for every document of the stream.
fn opaque_of_stream(bytes: &[u8]) -> Vec<Range<u32>> {
    let source = std::str::from_utf8(bytes).unwrap_or_default();
    // As the text was parsed, but for the limits: it has kept them.
    let options = options! {
        strict_indentation: false,
        emit_anchor_events: true,
        emit_comments: false,
        flow_nesting_limit: usize::MAX,
        block_nesting_limit: usize::MAX,
    };
    let mut opaque = Vec::new();
    for (event, span) in Parser::new_from_str_with_options(source, options).map_while(Result::ok) {
        opaque.extend(span.tag_span().map(|range| start_of(&range)..end_of(&range)));
        if let Event::Scalar(..) | Event::Alias(..) | Event::Anchor(..) = event {
            opaque.push(start_of(&span)..end_of(&span));
        }
    }
    opaque.retain(|range| range.start < range.end);
    opaque
}
