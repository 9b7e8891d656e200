//! Members of flow collections, `[a, b]` and `{a: 1}`, on one line or on many.

use super::anchors;
use super::lower::{MemberChanges, ParentContext, YamlLowering};
use super::scan::{
    has_comment, is_first_on_line, line_start, next_line, same_line, skip_blanks, skip_trivia,
};
use super::style::{self, Style};
use super::tree::{MemberNodes, NONE, NodeKind, YamlTree};
use crate::draft::LiveMember;
use crate::refusal::Refusal;

/// A member with the comma behind it.
#[derive(Clone, Copy)]
struct Item {
    entry: MemberNodes,
    start: u32,
    end: u32,
    comma: Option<u32>,
}

/// Brings a flow collection from its parsed members to those of the draft.
pub(super) fn lower(
    lowering: &mut YamlLowering<'_>,
    id: u32,
    entries: &[MemberNodes],
    members: &[LiveMember<'_>],
) -> Result<(), Refusal> {
    let tree = lowering.tree;
    let node = tree.node(id);
    if node.shape == NodeKind::FlowPair {
        return lower_pair(lowering, id, entries, members);
    }
    let items = items(tree, entries);
    let style = flow_style(tree, &items, style::around(tree, entries, entries.len()));
    let inside = (node.start + 1, node.end - 1);
    if members.is_empty() {
        return empty(lowering, &items, inside);
    }
    if items.is_empty() {
        return fill(lowering, members, &style, inside, node.shape == NodeKind::FlowMapping);
    }
    let changes = MemberChanges::of(items.len(), members);
    let mut behind = changes.behind.iter().peekable();
    if !changes.front.is_empty() {
        insert_front(lowering, &items[0], &changes.front, &style)?;
    }
    let last_kept = changes.kept.iter().rposition(Option::is_some).unwrap_or(0);
    let ends_in_comma = items.last().is_some_and(|item| item.comma.is_some());
    for (position, (item, kept)) in items.iter().zip(&changes.kept).enumerate() {
        let Some(member) = kept else {
            let before = position
                .checked_sub(1)
                .and_then(|it| items.get(it))
                .map_or(inside.0, |it| it.comma.map_or(it.end, |comma| comma + 1));
            remove(lowering, item, before, items.get(position + 1), position < last_kept)?;
            continue;
        };
        if let Some(key) = member.new_key {
            lowering.rename(item.entry, key, &style, true)?;
        }
        lowering.member(item.entry.value, member.node, ParentContext::InFlow, &style)?;
        let group = behind.next_if(|(at, _)| *at == position).map(|(_, group)| group.as_slice());
        let needs_comma = position < last_kept || ends_in_comma;
        join(lowering, item, group.unwrap_or_default(), needs_comma, &style, inside.1)?;
    }
    Ok(())
}

fn items(tree: &YamlTree, entries: &[MemberNodes]) -> Vec<Item> {
    let bytes = tree.bytes();
    let item = |entry: &MemberNodes| {
        let end = tree.entry_end(*entry);
        let next = skip_trivia(bytes, end);
        let comma = (bytes.get(next as usize) == Some(&b',')).then_some(next);
        Item { entry: *entry, start: tree.entry_start(*entry, false), end, comma }
    };
    entries.iter().map(item).collect()
}

/// How the members are separated.
fn flow_style(tree: &YamlTree, items: &[Item], style: Style) -> Style {
    let bytes = tree.bytes();
    let is_blank = |at: u32| matches!(bytes.get(at as usize), Some(b' ' | b'\t' | b'\r' | b'\n'));
    let comma = items.iter().rev().skip(1).find_map(|item| item.comma);
    let colon = items.iter().find_map(|item| {
        let value = tree.node(item.entry.value);
        let is_quoted = item.entry.key.is_some_and(|key| tree.shape(key) == NodeKind::DoubleQuoted);
        (is_quoted && value.indicator != NONE).then_some(value.indicator)
    });
    Style {
        flow_maps: true,
        flow_sequences: true,
        is_tight: colon.is_some_and(|colon| !is_blank(colon + 1)),
        tight_commas: comma.is_some_and(|comma| !is_blank(comma + 1)),
        ..style
    }
}

fn render(
    lowering: &YamlLowering<'_>,
    member: &LiveMember<'_>,
    style: &Style,
) -> Result<String, Refusal> {
    let key = member.new_key.map(str::to_string);
    lowering.renderer.flow_entry(key.as_deref(), member.node, style, 0)
}

fn render_all(
    lowering: &YamlLowering<'_>,
    group: &[LiveMember<'_>],
    style: &Style,
) -> Result<Vec<String>, Refusal> {
    group.iter().map(|member| render(lowering, member, style)).collect()
}

/// New members before the first one.
fn insert_front(
    lowering: &mut YamlLowering<'_>,
    first: &Item,
    group: &[LiveMember<'_>],
    style: &Style,
) -> Result<(), Refusal> {
    let bytes = lowering.tree.bytes();
    let separator = if is_first_on_line(bytes, first.start) {
        let indent = lowering.tree.slice(line_start(bytes, first.start)..first.start);
        format!(",{}{indent}", lowering.renderer.eol)
    } else {
        comma(style).to_string()
    };
    let text: String =
        render_all(lowering, group, style)?.into_iter().map(|it| it + &separator).collect();
    lowering.splices.insert(first.start, text);
    Ok(())
}

fn comma(style: &Style) -> &'static str {
    if style.tight_commas { "," } else { ", " }
}

/// The new members behind a kept one, and the commas of all of them.
fn join(
    lowering: &mut YamlLowering<'_>,
    item: &Item,
    group: &[LiveMember<'_>],
    needs_comma: bool,
    style: &Style,
    close: u32,
) -> Result<(), Refusal> {
    let texts = render_all(lowering, group, style)?;
    let bytes = lowering.tree.bytes();
    // The comma may be on a later line than the member; the new members then still go right behind the member.
    let behind = item
        .comma
        .filter(|&comma| same_line(bytes, item.end, comma))
        .map_or(item.end, |comma| comma + 1);
    let ends_line = {
        let next = skip_blanks(bytes, behind);
        matches!(bytes.get(next as usize), Some(b'\r' | b'\n' | b'#'))
    };
    let comma_is_near = item.comma.is_none_or(|comma| comma < behind);
    if !texts.is_empty()
        && is_first_on_line(bytes, item.start)
        && comma_is_near
        && (ends_line || item.comma.is_none())
    {
        let indent = lowering.tree.slice(line_start(bytes, item.start)..item.start).to_string();
        if item.comma.is_none() {
            let comma = if ends_in_question_mark(bytes, item.end) { " ," } else { "," };
            lowering.splices.insert(item.end, comma);
        }
        let eol = lowering.renderer.eol;
        let mut lines: Vec<String> = texts.iter().map(|text| format!("{indent}{text},")).collect();
        if !needs_comma && let Some(last) = lines.last_mut() {
            last.pop();
        }
        let lines = lines.join(eol);
        if ends_line {
            let at = next_line(bytes, behind);
            lowering.splices.insert(at, format!("{lines}{eol}"));
        } else {
            // The closing bracket is on the member's line.
            lowering.splices.insert(close.min(behind), format!("{eol}{lines}"));
        }
        return Ok(());
    }
    let mut text: String = texts.iter().map(|text| format!("{}{text}", comma(style))).collect();
    if !text.is_empty() && ends_in_question_mark(bytes, item.end) {
        text.insert(0, ' ');
    }
    match item.comma {
        Some(comma) if !needs_comma => {
            lowering.splices.insert(item.end, text);
            lowering.splices.delete(comma, comma + 1);
        }
        Some(_) => lowering.splices.insert(item.end, text),
        None => lowering.splices.insert(item.end, if needs_comma { text + "," } else { text }),
    }
    Ok(())
}

/// Whether a lone `?` stands before `at`, which a comma or colon may not touch.
pub(super) fn ends_in_question_mark(bytes: &[u8], at: u32) -> bool {
    bytes.get(..at as usize).is_some_and(|before| before.ends_with(b"?"))
}

/// Takes a member away. `before` is where the separator before it ends; `is_followed` says that a member behind it
/// stays.
fn remove(
    lowering: &mut YamlLowering<'_>,
    item: &Item,
    before: u32,
    next: Option<&Item>,
    is_followed: bool,
) -> Result<(), Refusal> {
    guard_key(lowering, item.entry)?;
    let bytes = lowering.tree.bytes();
    let near_comma = item.comma.filter(|&comma| !has_comment(bytes, item.end, comma));
    let end = near_comma.map_or(item.end, |comma| comma + 1);
    if let Some(comma) = item.comma.filter(|_| near_comma.is_none()) {
        lowering.splices.delete(comma, comma + 1);
    }
    let rest = skip_blanks(bytes, end);
    let ends_line = matches!(bytes.get(rest as usize), Some(b'\r' | b'\n' | b'#'));
    let is_moved = lowering.moved.contains(&item.entry.value);
    if is_moved && near_comma.is_some() && bytes.get(rest as usize) == Some(&b'#') {
        // A value takes the comment right behind it along, but not one behind its comma.
        lowering.splices.delete(item.start, rest);
    } else if is_first_on_line(bytes, item.start) && ends_line {
        lowering.splices.delete(line_start(bytes, item.start), next_line(bytes, end));
    } else if let Some(next) =
        next.filter(|next| is_followed && same_line(bytes, item.start, next.start))
    {
        lowering.splices.delete(item.start, next.start);
    } else {
        let start =
            if has_comment(bytes, before, item.start) || !same_line(bytes, before, item.start) {
                item.start
            } else {
                before
            };
        lowering.splices.delete(start, end);
    }
    Ok(())
}

fn guard_key(lowering: &YamlLowering<'_>, entry: MemberNodes) -> Result<(), Refusal> {
    match entry.key.and_then(|key| anchors::refuses_removal(lowering.tree, key)) {
        Some(refusal) => Err(refusal),
        None => Ok(()),
    }
}

/// Removes every member; comments stay.
fn empty(
    lowering: &mut YamlLowering<'_>,
    items: &[Item],
    inside: (u32, u32),
) -> Result<(), Refusal> {
    let bytes = lowering.tree.bytes();
    let mut before = inside.0;
    let mut keeps_comment = false;
    for item in items {
        guard_key(lowering, item.entry)?;
        keeps_comment |= has_comment(bytes, before, item.start);
        before = item.end;
    }
    keeps_comment |= has_comment(bytes, before, inside.1);
    if !keeps_comment {
        lowering.splices.delete(inside.0, inside.1);
        return Ok(());
    }
    for item in items {
        remove(lowering, item, item.start, None, false)?;
    }
    Ok(())
}

/// The first members of an empty collection.
fn fill(
    lowering: &mut YamlLowering<'_>,
    members: &[LiveMember<'_>],
    style: &Style,
    inside: (u32, u32),
    is_map: bool,
) -> Result<(), Refusal> {
    let bytes = lowering.tree.bytes();
    let text = render_all(lowering, members, style)?.join(comma(style));
    if has_comment(bytes, inside.0, inside.1) {
        lowering.splices.insert(inside.1, format!(" {text}"));
    } else {
        let pad = if is_map && lowering.renderer.habits.pads_flow_maps { " " } else { "" };
        lowering.splices.replace(inside.0, inside.1, format!("{pad}{text}{pad}"));
    }
    Ok(())
}

/// `[a: b]`: braces come when there is more than the one key, or none.
fn lower_pair(
    lowering: &mut YamlLowering<'_>,
    id: u32,
    entries: &[MemberNodes],
    members: &[LiveMember<'_>],
) -> Result<(), Refusal> {
    let node = lowering.tree.node(id);
    let Some(&entry) = entries.first() else {
        return Ok(());
    };
    let style =
        Style { flow_maps: true, flow_sequences: true, ..style::around(lowering.tree, entries, 1) };
    let Some((first, others)) = members.split_first() else {
        guard_key(lowering, entry)?;
        lowering.splices.replace(node.start, node.end, "{}");
        return Ok(());
    };
    let texts = render_all(lowering, others, &style)?;
    let has_braces = !texts.is_empty();
    if has_braces {
        lowering.splices.insert(node.start, "{");
    }
    if let Some(key) = first.new_key {
        lowering.rename(entry, key, &style, true)?;
    }
    lowering.member(entry.value, first.node, ParentContext::InFlow, &style)?;
    if has_braces {
        let text: String = texts.iter().map(|text| format!(", {text}")).collect();
        lowering.splices.insert(node.end, text + "}");
    }
    Ok(())
}
