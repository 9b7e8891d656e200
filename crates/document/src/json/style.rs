//! How a text is written, read from its first lines, so that new text looks like it.

use crate::json::JsonTree;
use crate::json::gap::{Entries, first_line_break};
use crate::source::{NodeId, SyntaxKind, SyntaxTree};

/// How many nodes are looked at: enough to have seen every habit, little enough for a large file.
const SAMPLED_NODES: usize = 2_000;

/// How many scalars an array may hold to be written on one line where others are.
pub(super) const SHORT_ARRAY: usize = 8;

/// How far back a line's start is looked for; a longer line has no indentation worth following.
const MAX_LINE: usize = 4_096;

/// The habits of a whole text.
pub(super) struct Style {
    /// What one level of nesting adds to a line's indentation.
    pub(super) unit: String,
    pub(super) line_break: &'static str,
    /// From the end of a key to its value, with the colon.
    pub(super) colon: String,
    /// What follows a comma on one line.
    pub(super) space: String,
    /// What stands inside the brackets of an object on one line.
    pub(super) object_pad: String,
    /// What stands inside the brackets of an array on one line.
    pub(super) array_pad: String,
    /// Whether an array of scalars stands on one line inside a container that does not.
    pub(super) short_arrays_on_line: bool,
}

impl Style {
    pub(super) fn of(tree: &JsonTree) -> Style {
        let count = u32::try_from(tree.nodes.len().min(SAMPLED_NODES)).unwrap_or(u32::MAX);
        let nodes = || (0..count).map(NodeId);
        let containers = |kind| nodes().filter(move |node| tree.kind(*node) == kind);
        let colon = nodes().find_map(|node| colon_of(tree, node)).unwrap_or_else(|| ": ".into());
        let space = nodes().find_map(|node| space_of(tree, node));
        let default_space = if colon.ends_with(':') { "" } else { " " };
        Style {
            unit: nodes().find_map(|node| unit_of(tree, node)).unwrap_or_else(|| "  ".into()),
            line_break: first_line_break(tree.bytes()).unwrap_or("\n"),
            space: space.unwrap_or_else(|| default_space.into()),
            object_pad: containers(SyntaxKind::Object)
                .find_map(|it| pad_of(tree, it))
                .unwrap_or_default(),
            array_pad: containers(SyntaxKind::Array)
                .find_map(|it| pad_of(tree, it))
                .unwrap_or_default(),
            short_arrays_on_line: containers(SyntaxKind::Array)
                .find_map(|it| is_short_array_on_line(tree, it))
                .unwrap_or(false),
            colon,
        }
    }
}

/// Whether an array of a few scalars that starts a line stands on one; `None` for every other value.
fn is_short_array_on_line(tree: &JsonTree, array: NodeId) -> Option<bool> {
    let mut items = tree.child_ids(array).take(SHORT_ARRAY + 1).peekable();
    items.peek()?;
    let is_short = items.try_fold(0, |count, it| {
        (tree.kind(it) == SyntaxKind::Scalar && count < SHORT_ARRAY).then_some(count + 1)
    });
    let before = tree.bytes().get(..tree.member_start(array))?;
    let blanks = before.iter().rev().take_while(|it| matches!(it, b' ' | b'\t')).count();
    let starts_line = before[..before.len() - blanks].last() == Some(&b'\n');
    let span = tree.span(array);
    let is_on_line = !tree.slice(span.start as usize, span.end as usize).contains('\n');
    (is_short.is_some() && starts_line).then_some(is_on_line)
}

/// What stands between a member's key and its value, if it is a colon and blanks.
pub(super) fn colon_of(tree: &JsonTree, node: NodeId) -> Option<String> {
    let span = tree.at(node);
    let colon = tree.slice(tree.key_end(span.key?), span.start as usize);
    colon.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b':')).then(|| colon.to_string())
}

fn space_of(tree: &JsonTree, node: NodeId) -> Option<String> {
    if tree.kind(node) == SyntaxKind::Scalar || tree.child_ids(node).nth(1).is_none() {
        return None;
    }
    Entries::of(tree, node).gap(1).space_after_comma().map(str::to_string)
}

fn unit_of(tree: &JsonTree, node: NodeId) -> Option<String> {
    if tree.kind(node) == SyntaxKind::Scalar {
        return None;
    }
    tree.child_ids(node).next()?;
    let entries = Entries::of(tree, node);
    let gap = entries.gap(0);
    let inner = tree.slice(gap.line_start(gap.lead)?, gap.lead);
    inner.strip_prefix(line_indent(tree, entries.open)).map(str::to_string)
}

/// The blanks inside the brackets of a container that is not empty and on one line.
fn pad_of(tree: &JsonTree, node: NodeId) -> Option<String> {
    let first = tree.child_ids(node).next()?;
    let span = tree.at(node);
    if memchr::memchr2(b'\n', b'\r', tree.slice(span.start as usize, span.end as usize).as_bytes())
        .is_some()
    {
        return None;
    }
    let pad = tree.slice(span.start as usize + 1, tree.member_start(first));
    pad.bytes().all(|byte| byte == b' ').then(|| pad.to_string())
}

/// The whitespace at the start of the line that `at` stands on.
pub(super) fn line_indent(tree: &JsonTree, at: usize) -> &str {
    let bytes = tree.bytes();
    let floor = at.saturating_sub(MAX_LINE);
    let start = match memchr::memrchr2(b'\n', b'\r', &bytes[floor..at]) {
        Some(found) => floor + found + 1,
        None if floor == 0 => 0,
        None => return "",
    };
    let blanks = bytes[start..at].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    tree.slice(start, start + blanks)
}

/// Whether the text avoids everything but ASCII by writing escapes instead.
pub(super) fn escapes_non_ascii(tree: &JsonTree) -> bool {
    let bytes = tree.bytes();
    let is_far = |at: usize| {
        let digits = bytes.get(at + 2..at + 6).unwrap_or_default();
        let unit = std::str::from_utf8(digits).ok().and_then(|it| u32::from_str_radix(it, 16).ok());
        unit.is_some_and(|unit| unit >= 0x80)
    };
    bytes.is_ascii() && memchr::memmem::find_iter(bytes, b"\\u").any(is_far)
}
