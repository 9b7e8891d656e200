//! The comments at the end of a member's line go along when the member moves.

use crate::draft::Node;
use crate::json::JsonTree;
use crate::json::gap::Gap;
use crate::json::parse::end_of_comment;
use crate::source::NodeId;

/// The own comments of a moved member, to be written at the end of its new line; nothing for a new one.
pub(super) fn at_line_end(tree: &JsonTree, node: Node) -> String {
    own_comments(tree, node).into_iter().map(|comment| format!(" {comment}")).collect()
}

/// The own comments of a moved member where more may follow on the line: `// x` becomes `/* x */`.
pub(super) fn inside_line(tree: &JsonTree, node: Node) -> String {
    own_comments(tree, node)
        .into_iter()
        .map(|comment| match comment.strip_prefix("//") {
            Some(body) => format!(" /*{} */", body.trim_end().replace("*/", "* /")),
            None => format!(" {comment}"),
        })
        .collect()
}

fn own_comments(tree: &JsonTree, node: Node) -> Vec<&str> {
    let Node::Base(base) = node else {
        return Vec::new();
    };
    let gap = gap_after(tree, base);
    let own = gap.comments.iter().filter(|it| it.end <= gap.own_end);
    own.map(|it| tree.slice(it.start, it.end)).collect()
}

/// The gap after a member, wherever its container starts.
fn gap_after(tree: &JsonTree, node: NodeId) -> Gap<'_> {
    let bytes = tree.bytes();
    let from = tree.end(node);
    let mut to = from;
    while let Some(byte) = bytes.get(to) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' | b',' => to += 1,
            b'/' => to = end_of_comment(bytes, to).unwrap_or(bytes.len()),
            _ => break,
        }
    }
    Gap::read(bytes, from, to, matches!(bytes.get(to), Some(b'}' | b']') | None))
}
