//! The text of a parsed node in another place: its own bytes where they mean the same there, with the
//! indentation of the new place.

use super::render::{BlockSlot, BlockStart, OldBlock, Rendered, Renderer};
use super::scalar::{self, not_expressible};
use super::scan::{
    before_break, column, has_comment as comment_between, line_content_end, line_start, same_line,
    skip_blanks,
};
use super::style::Style;
use super::tree::{NONE, NodeKind, YamlTree};
use crate::draft::Node;
use crate::refusal::Refusal;
use crate::source::{NodeId, SyntaxTree};

/// A node as it was parsed, in a block context.
pub(super) fn block(
    renderer: &Renderer<'_>,
    id: u32,
    style: &Style,
    slot: BlockSlot,
) -> Result<Rendered, Refusal> {
    let tree = renderer.tree;
    let node = tree.node(id);
    let outer = tree.outer_start(id);
    if node.shape.is_block_collection() {
        let last = node.skip - 1;
        if tree.shape(last).is_block_scalar() && !style.block_scalars.allow_as_written(tree, last) {
            return Err(not_expressible("a block scalar right before what follows here"));
        }
        return Ok(collection(renderer, id, slot));
    }
    if node.shape == NodeKind::FlowPair {
        let text = tree.slice(node.start..node.end);
        if !same_line(tree.bytes(), outer, node.end) {
            return Err(not_expressible("a pair of several lines in another place"));
        }
        return Ok(Rendered::inline(format!("{{{text}}}")));
    }
    if node.shape.is_block_scalar() && !style.block_scalars.allow_as_written(tree, id) {
        let scalar_style = style.value(&renderer.habits, false);
        let old_block = Some(OldBlock { folded: node.shape == NodeKind::Folded, deeper: None });
        let value = tree.scalar(NodeId(id));
        let mut rendered =
            renderer.scalar(&value, scalar_style, old_block, style.block_scalars, slot)?;
        if let Some(props) = tree.props(id) {
            let props = tree.slice(props.start()..props.end());
            rendered.first = format!("{props} {}", rendered.first);
        }
        return Ok(rendered);
    }
    if node.indicator != NONE && comment_between(tree.bytes(), node.indicator + 1, outer) {
        return Err(not_expressible("a value in another place without the comment above it"));
    }
    let end = before_break(tree.bytes(), node.start, node.end);
    let from = parent_column(tree, id).unwrap_or(0);
    let to = slot.parent.unwrap_or(0);
    let text = tree.slice(outer..end);
    // Lines below the first one must stand further right than the container they belong to.
    let least = slot.parent.map_or(0, |column| column + 1);
    let mut rendered = shifted(text, from, to, least, renderer.eol);
    if !node.shape.is_block_scalar() {
        append_comment(tree, end, &mut rendered);
    }
    Ok(rendered)
}

/// A node as it was parsed, in a flow context.
pub(super) fn flow(
    renderer: &Renderer<'_>,
    id: u32,
    style: &Style,
    depth: usize,
) -> Result<String, Refusal> {
    let tree = renderer.tree;
    let node = tree.node(id);
    let outer = tree.outer_start(id);
    let is_one_line = same_line(tree.bytes(), outer, node.end);
    let next = skip_blanks(tree.bytes(), before_break(tree.bytes(), node.start, node.end));
    if tree.bytes().get(next as usize) == Some(&b'#') {
        return Err(not_expressible("a value with a comment behind it inside a flow collection"));
    }
    match node.shape {
        NodeKind::Empty if outer == node.start => return Ok("null".to_string()),
        NodeKind::Plain if is_one_line => {
            let text = tree.slice(outer..node.end);
            if !text.contains([',', '[', ']', '{', '}']) {
                return Ok(text.to_string());
            }
        }
        NodeKind::FlowPair if is_one_line => {
            return Ok(format!("{{{}}}", tree.slice(node.start..node.end)));
        }
        shape if is_one_line && !shape.is_block_collection() && !shape.is_block_scalar() => {
            return Ok(tree.slice(outer..node.end).to_string());
        }
        _ => {}
    }
    if has_comment_from_indicator(tree, id) {
        return Err(not_expressible("a value with comments inside a flow collection"));
    }
    if tree.props(id).is_some() {
        return Err(not_expressible("an anchor or tag on a value that has to be written anew"));
    }
    if node.shape.is_scalar() {
        return scalar::inline(&tree.scalar(NodeId(id)), style.value(&renderer.habits, true));
    }
    let entries = tree.entries(id).into_iter().map(|entry| {
        let key = entry.key.map(|key| tree.key_text(key).to_string());
        renderer.flow_entry(key.as_deref(), Node::Base(NodeId(entry.value)), style, depth + 1)
    });
    let entries = entries.collect::<Result<Vec<String>, Refusal>>()?;
    Ok(renderer.flow_collection(node.shape.is_mapping(), &entries, style))
}

/// Whether a comment stands inside a node, or between its indicator and its first byte.
pub(super) fn has_comment_from_indicator(tree: &YamlTree, id: u32) -> bool {
    comment_between(tree.bytes(), behind_indicator(tree, id), tree.node(id).start)
        || has_comment(tree, id)
}

/// Whether a comment stands inside a node.
pub(super) fn has_comment(tree: &YamlTree, id: u32) -> bool {
    let bytes = tree.bytes();
    let node = tree.node(id);
    let mut cursor = node.start;
    for inner in id..node.skip {
        let data = tree.node(inner);
        if !data.shape.is_scalar() && data.shape != NodeKind::Alias {
            continue;
        }
        if comment_between(bytes, cursor, tree.outer_start(inner))
            || tree
                .props(inner)
                .is_some_and(|props| comment_between(bytes, props.end(), data.start))
        {
            return true;
        }
        cursor = cursor.max(data.end);
        if data.shape.is_block_scalar() {
            let header = line_content_end(bytes, data.start);
            if comment_between(bytes, data.start, header) {
                return true;
            }
        }
    }
    comment_between(bytes, cursor, node.end)
}

/// The column of the container that a node is a member of.
fn parent_column(tree: &YamlTree, id: u32) -> Option<usize> {
    let node = tree.node(id);
    let bytes = tree.bytes();
    match tree.key_of(id) {
        Some(key) if tree.node(key).indicator != NONE => {
            Some(column(bytes, tree.node(key).indicator))
        }
        Some(key) => Some(column(bytes, tree.outer_start(key))),
        None if node.indicator != NONE => Some(column(bytes, node.indicator)),
        None => None,
    }
}

fn collection(renderer: &Renderer<'_>, id: u32, slot: BlockSlot) -> Rendered {
    let tree = renderer.tree;
    let node = tree.node(id);
    let bytes = tree.bytes();
    let from = column(bytes, node.start);
    let has_props = tree.props(id).is_some();
    let (to, is_below) = match slot.collection {
        BlockStart::Here(column) => (column, has_props),
        BlockStart::Below { map, .. } if node.shape == NodeKind::BlockMapping => (map, true),
        BlockStart::Below { sequence, .. } => (sequence, true),
    };
    let end = before_break(bytes, node.start, node.end);
    let mut rendered = shifted(tree.slice(node.start..end), from, to, 0, renderer.eol);
    if end == node.end {
        append_comment(tree, end, &mut rendered);
    }
    let behind = behind_indicator(tree, id);
    let has_comment_above = comment_between(bytes, behind, node.start);
    if !is_below && !has_comment_above {
        return rendered;
    }
    rendered = Rendered { first: String::new(), rest: rendered.into_lines(to, renderer.eol) };
    if has_comment_above {
        // The comments between the indicator and the first member stand above the first member there, too.
        let above = tree.slice(behind..line_start(bytes, node.start));
        let above = shifted(above.trim_end_matches(['\r', '\n']), from, to, 0, renderer.eol);
        rendered = Rendered {
            first: above.first.trim_start().to_string(),
            rest: above.rest + &rendered.rest,
        };
    }
    if let Some(props) = tree.props(id) {
        let blank = if rendered.first.is_empty() { "" } else { " " };
        rendered.first =
            format!("{}{blank}{}", tree.slice(props.start()..props.end()), rendered.first);
    }
    rendered
}

/// The byte behind the `-` or `:` of a node, its anchor and its tag.
fn behind_indicator(tree: &YamlTree, id: u32) -> u32 {
    let node = tree.node(id);
    let indicator = if node.indicator == NONE { node.start } else { node.indicator + 1 };
    tree.props(id).map_or(indicator, |props| props.end().max(indicator))
}

/// Moves the lines below the first one from one column to another.
fn shifted(text: &str, from: usize, to: usize, least: usize, eol: &str) -> Rendered {
    let mut lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    let mut rendered = Rendered::inline(lines.next().unwrap_or_default().to_string());
    for line in lines {
        let content = line.trim_start_matches(' ');
        if !line.is_empty() {
            let indent = (line.len() - content.len() + to).saturating_sub(from);
            let indent = if content.is_empty() { indent } else { indent.max(least) };
            rendered.rest.extend(std::iter::repeat_n(' ', indent));
            rendered.rest.push_str(content);
        }
        rendered.rest.push_str(eol);
    }
    rendered
}

/// The comment behind a node, on the line where it ends, goes with it.
fn append_comment(tree: &YamlTree, end: u32, rendered: &mut Rendered) {
    let bytes = tree.bytes();
    if bytes.get(skip_blanks(bytes, end) as usize) != Some(&b'#') {
        return;
    }
    let comment = tree.slice(end..line_content_end(bytes, end));
    if rendered.rest.is_empty() {
        rendered.first.push_str(comment);
    } else {
        let break_len = if rendered.rest.ends_with("\r\n") { 2 } else { 1 };
        rendered.rest.insert_str(rendered.rest.len() - break_len, comment);
    }
}
