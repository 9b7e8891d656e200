//! One value in the place of another.
//!
//! A value in a block context is a *head*, what stands on the line of its indicator, and a *body*, the whole lines
//! below. Both are exchanged for those of the new value; comments behind the head and above the body stay.

use super::flow;
use super::lower::{ParentContext, YamlLowering};
use super::render::{BlockSlot, BlockStart, OldBlock, Rendered};
use super::scalar::{QuoteStyle, not_expressible};
use super::scan::{
    before_break, has_comment, is_first_on_line, line_after, line_content_end, line_start,
    next_line, skip_blanks, skip_blanks_back,
};
use super::style::{BlockScalars, Style};
use super::tree::{NONE, NodeKind, TagKind};
use crate::draft::Node;
use crate::refusal::Refusal;
use crate::source::SyntaxKind;
use crate::value::Value;

/// The text of a value that goes.
struct Old {
    head: std::ops::Range<u32>,
    body: std::ops::Range<u32>,
    /// Whether the head is the first thing on its line, below the indicator.
    is_below: bool,
    /// Whether there is no head and a blank must separate a new one from what is before it.
    needs_blank: bool,
}

/// Puts `node` in the place of the parsed node `id`.
pub(super) fn replace(
    lowering: &mut YamlLowering<'_>,
    id: u32,
    node: Node,
    place: ParentContext,
    style: &Style,
) -> Result<(), Refusal> {
    keep_or_drop_tag(lowering, id, node)?;
    if lowering.tree.shape(id) == NodeKind::Empty
        && lowering.tree.node(id).indicator == NONE
        && lowering.tree.props(id).is_none()
    {
        return fill_nothing(lowering, id, node, place, style);
    }
    if place == ParentContext::InFlow {
        return replace_in_flow(lowering, id, node, style);
    }
    let mut old = old_text(lowering, id, place);
    if takes_comment(lowering, id, node, &old) {
        old.head.end = line_content_end(lowering.tree.bytes(), old.head.end);
    }
    let new = render(lowering, id, node, place, style, &old)?;
    put(lowering, id, place, &old, new);
    Ok(())
}

/// Whether the comment behind the old value goes along with the new one, because that was the end of the old one.
fn takes_comment(lowering: &YamlLowering<'_>, id: u32, node: Node, old: &Old) -> bool {
    let Node::Base(moved) = node else { return false };
    let tree = lowering.tree;
    let data = tree.node(moved.0);
    let is_inside = moved.0 > id && moved.0 < tree.node(id).skip;
    is_inside
        && !data.shape.is_block_scalar()
        && before_break(tree.bytes(), data.start, data.end) == old.head.end
}

fn replace_in_flow(
    lowering: &mut YamlLowering<'_>,
    id: u32,
    node: Node,
    style: &Style,
) -> Result<(), Refusal> {
    let old = lowering.tree.node(id);
    let mut style = *style;
    style.quote = QuoteStyle::of(old.shape).unwrap_or(style.quote);
    let text = lowering.renderer.flow(node, &style, 0)?;
    if old.shape == NodeKind::Empty {
        lowering.splices.insert(old.start, format!(" {text}"));
    } else {
        lowering.splices.replace(old.start, old.end, text);
    }
    Ok(())
}

/// A value where nothing is written, not even an indicator: the root of a file without a document, or the value of
/// a key that has no `:`.
fn fill_nothing(
    lowering: &mut YamlLowering<'_>,
    id: u32,
    node: Node,
    place: ParentContext,
    style: &Style,
) -> Result<(), Refusal> {
    let renderer = &lowering.renderer;
    let at = lowering.tree.node(id).start;
    let eol = renderer.eol;
    match place {
        ParentContext::InFlow => {
            let text = renderer.flow(node, style, 0)?;
            let is_bare = flow::ends_in_question_mark(lowering.tree.bytes(), at);
            lowering.splices.insert(at, format!("{}: {text}", if is_bare { " " } else { "" }));
        }
        ParentContext::Root if lowering.tree.marker_end(id).is_some() => {
            let slot = BlockSlot {
                parent: None,
                collection: BlockStart::Below { map: 0, sequence: 0 },
                depth: 0,
            };
            let new = renderer.value(node, style, slot)?;
            let old = Old { head: at..at, body: at..at, is_below: false, needs_blank: true };
            let below = next_line(lowering.tree.bytes(), at);
            put(lowering, id, place, &Old { body: below..below, ..old }, new);
        }
        ParentContext::Root => {
            let slot = BlockSlot { parent: None, collection: BlockStart::Here(0), depth: 0 };
            let new = renderer.value(node, style, slot)?;
            lowering.splices.replace_lines(at, at, new.into_lines(0, eol));
        }
        ParentContext::UnderKey(column) | ParentContext::Item(column) => {
            let slot = BlockSlot::under_key(&renderer.habits, column, 0);
            let mut new = renderer.value(node, style, slot)?;
            let blank = if new.first.is_empty() { "" } else { " " };
            new.first = format!(":{blank}{}", new.first);
            let key = lowering.tree.node(lowering.tree.key_of(id).unwrap_or(id));
            let below = line_after(lowering.tree.bytes(), key.start, key.end.max(at));
            lowering.splices.replace_lines(below, below, new.into_lines(column, eol));
        }
    }
    Ok(())
}

fn old_text(lowering: &YamlLowering<'_>, id: u32, place: ParentContext) -> Old {
    let tree = lowering.tree;
    let bytes = tree.bytes();
    let node = tree.node(id);
    let behind = lowering.behind_indicator(id, place);
    let has_own_line = is_first_on_line(bytes, node.start);
    if node.shape.is_block_collection() && has_own_line && place != ParentContext::Root {
        let body = line_start(bytes, node.start)..line_after(bytes, node.start, node.end);
        return Old { head: behind..behind, body, is_below: false, needs_blank: true };
    }
    if node.shape.is_block_scalar() {
        let line_end = line_content_end(bytes, node.start);
        let word = bytes[node.start as usize..line_end as usize]
            .iter()
            .take_while(|byte| !matches!(byte, b' ' | b'\t'))
            .count();
        let head = node.start..node.start + u32::try_from(word).unwrap_or(0);
        let below = next_line(bytes, node.start);
        let is_below = has_own_line && node.start > behind;
        return Old { head, body: below..node.end.max(below), is_below, needs_blank: false };
    }
    if node.shape == NodeKind::Empty {
        let below = next_line(bytes, behind);
        return Old {
            head: behind..behind,
            body: below..below,
            is_below: false,
            needs_blank: true,
        };
    }
    let end = before_break(bytes, node.start, node.end);
    let below = next_line(bytes, end);
    let is_below = has_own_line && tree.props(id).is_none_or(|it| it.end() != node.start);
    Old { head: node.start..end, body: below..below, is_below, needs_blank: false }
}

fn render(
    lowering: &YamlLowering<'_>,
    id: u32,
    node: Node,
    place: ParentContext,
    style: &Style,
    old: &Old,
) -> Result<Rendered, Refusal> {
    let (tree, renderer) = (lowering.tree, &lowering.renderer);
    let data = tree.node(id);
    let mut style = *style;
    style.quote = QuoteStyle::of(data.shape).unwrap_or(style.quote);
    let is_full = data.skip > id + 1;
    if data.shape.is_flow_collection() && is_full {
        (style.flow_maps, style.flow_sequences) = (true, true);
    } else if data.shape.is_block_collection() {
        (style.flow_maps, style.flow_sequences) = (false, false);
    }
    style.block_scalars = block_scalars(lowering, place, old);
    let slot = BlockSlot {
        parent: place.parent_column(),
        collection: block_start(lowering, id, place, old),
        depth: 0,
    };
    if let Some(value) = lowering.draft.new_scalar(node) {
        let old_block = data.shape.is_block_scalar().then(|| OldBlock {
            folded: data.shape == NodeKind::Folded,
            deeper: indentation(tree.bytes(), &old.body)
                .and_then(|it| it.checked_sub(slot.parent.unwrap_or(0)))
                .filter(|it| (1..=9).contains(it)),
        });
        let scalar_style = style.value(&renderer.habits, false);
        return renderer.scalar(value, scalar_style, old_block, style.block_scalars, slot);
    }
    renderer.value(node, &style, slot)
}

/// The indentation of the first line of a block scalar that is not empty.
fn indentation(bytes: &[u8], body: &std::ops::Range<u32>) -> Option<usize> {
    let mut line = body.start;
    while line < body.end {
        let token = skip_blanks(bytes, line);
        if token < line_content_end(bytes, line) {
            return Some((token - line) as usize);
        }
        line = next_line(bytes, line);
    }
    None
}

/// Where a block collection starts that replaces another value.
fn block_start(
    lowering: &YamlLowering<'_>,
    id: u32,
    place: ParentContext,
    old: &Old,
) -> BlockStart {
    let tree = lowering.tree;
    let data = tree.node(id);
    let habits = &lowering.renderer.habits;
    let has_props = tree.props(id).is_some();
    let old_column = lowering.column_of(data.start);
    let is_body = data.shape.is_block_collection() && old.needs_blank;
    match place {
        ParentContext::Root if old.is_below && !has_props => BlockStart::Here(old_column),
        ParentContext::Root if data.shape.is_block_collection() && old.is_below => {
            BlockStart::Here(old_column)
        }
        ParentContext::UnderKey(column) | ParentContext::Item(column) if is_body => {
            let map = if old_column > column { old_column } else { column + habits.unit };
            BlockStart::Below { map, sequence: old_column }
        }
        ParentContext::UnderKey(column) if old.is_below && old_column > column && !has_props => {
            BlockStart::Here(old_column)
        }
        ParentContext::Item(column) if !has_props && !has_tab(lowering, id) => {
            let is_empty = data.shape == NodeKind::Empty;
            BlockStart::Here(if is_empty { column + 2 } else { old_column })
        }
        ParentContext::UnderKey(column) => BlockStart::Below {
            map: column + habits.unit,
            sequence: column + habits.sequence_offset,
        },
        ParentContext::Item(column) => BlockStart::Below { map: column + 2, sequence: column + 2 },
        ParentContext::Root | ParentContext::InFlow => BlockStart::Below { map: 0, sequence: 0 },
    }
}

/// Whether a tab separates an item from its `-`, which a block collection may not follow.
fn has_tab(lowering: &YamlLowering<'_>, id: u32) -> bool {
    let node = lowering.tree.node(id);
    let blanks = lowering.tree.bytes().get(node.indicator as usize..node.start as usize);
    blanks.is_some_and(|blanks| blanks.contains(&b'\t'))
}

/// The lines of a block scalar must follow its head and may not swallow what comes behind.
fn block_scalars(lowering: &YamlLowering<'_>, place: ParentContext, old: &Old) -> BlockScalars {
    let bytes = lowering.tree.bytes();
    let below = next_line(bytes, old.head.end);
    let is_apart = old.body.start > below && has_comment(bytes, below, old.body.start);
    if is_apart || (old.is_below && place != ParentContext::Root) {
        return BlockScalars::None;
    }
    match BlockScalars::before(bytes, old.body.end.max(below), place.parent_column()) {
        BlockScalars::Any if old.body.start > below => BlockScalars::NoBlankEnd,
        other => other,
    }
}

fn put(lowering: &mut YamlLowering<'_>, id: u32, place: ParentContext, old: &Old, new: Rendered) {
    let bytes = lowering.tree.bytes();
    let behind = lowering.behind_indicator(id, place);
    let splices = &mut lowering.splices;
    let below = next_line(bytes, old.head.end);
    if new.first.is_empty() {
        // `key: old # c` becomes `key: # c`.
        let start = if old.is_below {
            old.head.start
        } else {
            skip_blanks_back(bytes, old.head.start, behind)
        };
        let is_whole_line = old.is_below && old.head.end == line_content_end(bytes, old.head.end);
        if place == ParentContext::Root && is_whole_line && old.body.start == below {
            // Nothing of the line is left.
            splices.replace_lines(line_start(bytes, start), old.body.end, new.rest);
            return;
        }
        splices.delete(start.max(lowering.dropped_to), old.head.end);
        splices.replace_lines(old.body.start, old.body.end, new.rest);
        return;
    }
    if old.needs_blank {
        splices.insert(old.head.start, format!(" {}", new.first));
    } else {
        splices.replace(old.head.start, old.head.end, new.first);
    }
    if old.body.start == below {
        splices.replace_lines(old.body.start, old.body.end, new.rest);
    } else {
        splices.replace_lines(below, below, new.rest);
        splices.delete(old.body.start, old.body.end);
    }
}

/// A tag stays where it fits the new value. One of the core schema that does not is taken away; one of the
/// application cannot be.
fn keep_or_drop_tag(lowering: &mut YamlLowering<'_>, id: u32, node: Node) -> Result<(), Refusal> {
    let Some(props) = lowering.tree.props(id) else {
        return Ok(());
    };
    let brings_props = match node {
        Node::Base(base) if base.0 != id => lowering.tree.props(base.0).is_some(),
        _ => false,
    };
    let kind = lowering.draft.kind(node);
    if brings_props || kind == SyntaxKind::Alias {
        return Err(not_expressible("two anchors or tags on one value, or an alias with one"));
    }
    let Some((range, tag)) = props.tag else {
        return Ok(());
    };
    let old_kind = match lowering.tree.shape(id) {
        shape if shape.is_mapping() => SyntaxKind::Object,
        shape if shape.is_sequence() => SyntaxKind::Array,
        _ => SyntaxKind::Scalar,
    };
    let value = (kind == SyntaxKind::Scalar).then(|| lowering.draft.value_of(node));
    let fits = match (tag, &value) {
        (TagKind::Custom, _) => kind == old_kind,
        (TagKind::Binary, Some(Value::String(text))) => is_base64(text),
        (TagKind::Str, Some(Value::String(_)))
        | (TagKind::Bool, Some(Value::Bool(_)))
        | (TagKind::Null, Some(Value::Null)) => true,
        (TagKind::Int, Some(Value::Number(number))) => number.is_integer_literal(),
        (TagKind::Float, Some(Value::Number(number))) => !number.is_integer_literal(),
        (TagKind::Seq, None) => kind == SyntaxKind::Array,
        (TagKind::Map, None) => kind == SyntaxKind::Object,
        _ => false,
    };
    if fits {
        return Ok(());
    }
    if matches!(tag, TagKind::Custom | TagKind::Binary) {
        let name = lowering.tree.slice(range);
        return Err(not_expressible(format!("a value of another kind under the tag `{name}`")));
    }
    lowering.drop_tag(range);
    Ok(())
}

/// Whether a text could stand under `!!binary`.
fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches(['=', '\n']);
    let is_digit =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'\n' | b' ');
    digits.bytes().all(is_digit)
}
