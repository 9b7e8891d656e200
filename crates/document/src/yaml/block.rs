//! Members of block collections: one or more whole lines each, but for a first one that shares its line with the
//! indicator of the collection (`- key: value`).

use super::anchors;
use super::lower::{Changes, Lowering, Place};
use super::scan::{
    before_break, is_first_on_line, line_after, line_content_end, line_start, next_line,
    skip_blanks,
};
use super::style::{self, BlockScalars, Style};
use super::tree::{Entry, Shape};
use crate::draft::Member;
use crate::refusal::Refusal;

/// Brings a block collection from its parsed members to those of the draft.
pub(super) fn lower(
    lowering: &mut Lowering<'_>,
    id: u32,
    entries: &[Entry],
    members: &[Member<'_>],
    place: Place,
) -> Result<(), Refusal> {
    let Some(&first) = entries.first() else {
        return Ok(());
    };
    if members.is_empty() {
        return empty(lowering, id, entries, place);
    }
    let column = lowering.column_of(lowering.tree.node(id).start);
    let inner = match lowering.tree.shape(id) {
        Shape::BlockSequence => Place::Item(column),
        _ => Place::UnderKey(column),
    };
    let changes = Changes::of(entries.len(), members);
    let mut behind = changes.behind.iter().peekable();
    if !changes.front.is_empty() {
        insert_front(lowering, entries, first, &changes.front, column)?;
    }
    let bytes = lowering.tree.bytes();
    let mut shares_line = !is_first_on_line(bytes, lowering.tree.entry_start(first, true));
    let mut last_kept = None;
    for (position, (entry, kept)) in entries.iter().zip(&changes.kept).enumerate() {
        let Some(member) = kept else {
            shares_line = remove(lowering, *entry, shares_line, last_kept)?;
            continue;
        };
        shares_line = false;
        last_kept = Some(entry.value);
        let is_untouched = member.new_key.is_none()
            && member.node == crate::draft::Node::Base(crate::source::NodeId(entry.value))
            && lowering.draft.members(member.node).is_none();
        if !is_untouched {
            let style = style::around(lowering.tree, entries, position);
            if let Some(key) = member.new_key {
                lowering.rename(*entry, key, &style, false)?;
            }
            lowering.member(entry.value, member.node, inner, &style)?;
        }
        if let Some((_, group)) = behind.next_if(|(at, _)| *at == position) {
            insert_behind(lowering, entries, position, group, column)?;
        }
    }
    Ok(())
}

/// New members before the first one.
fn insert_front(
    lowering: &mut Lowering<'_>,
    entries: &[Entry],
    first: Entry,
    group: &[Member<'_>],
    column: usize,
) -> Result<(), Refusal> {
    let style = style::around(lowering.tree, entries, 0);
    let gap = gap(lowering, first);
    let eol = lowering.renderer.eol;
    let mut text = String::new();
    for member in group {
        let entry = render(lowering, member, &style, column, gap)?;
        text.push_str(&format!("{}{eol}{}{:column$}", entry.first, entry.rest, ""));
    }
    lowering.splices.insert(lowering.tree.entry_start(first, true), text);
    Ok(())
}

/// New members on the lines behind a kept one.
fn insert_behind(
    lowering: &mut Lowering<'_>,
    entries: &[Entry],
    position: usize,
    group: &[Member<'_>],
    column: usize,
) -> Result<(), Refusal> {
    let bytes = lowering.tree.bytes();
    let entry = entries[position];
    let start = lowering.tree.entry_start(entry, true);
    let at = line_after(bytes, start, lowering.tree.entry_end(entry));
    let mut style = style::around(lowering.tree, entries, position + 1);
    style.block_scalars = BlockScalars::before(bytes, at, Some(column));
    let gap = gap(lowering, entry);
    let mut lines = String::new();
    for member in group {
        let entry = render(lowering, member, &style, column, gap)?;
        lines.push_str(&entry.into_lines(column, lowering.renderer.eol));
    }
    lowering.splices.replace_lines(at, at, lines);
    Ok(())
}

fn render(
    lowering: &Lowering<'_>,
    member: &Member<'_>,
    style: &Style,
    column: usize,
    gap: usize,
) -> Result<super::render::Rendered, Refusal> {
    let key = member.new_key.map(str::to_string);
    lowering.renderer.entry(key.as_ref(), member.node, style, column, gap, 0)
}

/// The blanks between the `-` of an item and its value.
fn gap(lowering: &Lowering<'_>, entry: Entry) -> usize {
    if entry.key.is_some() {
        return 1;
    }
    let bytes = lowering.tree.bytes();
    let behind = lowering.tree.node(entry.value).indicator + 1;
    let value = skip_blanks(bytes, behind);
    let is_alone = matches!(bytes.get(value as usize), None | Some(b'\r' | b'\n' | b'#'));
    let has_tab = bytes[behind as usize..value as usize].contains(&b'\t');
    if is_alone || has_tab { 1 } else { ((value - behind) as usize).clamp(1, 8) }
}

/// Takes a member away. Says whether the next member comes to share the line of the indicator.
fn remove(
    lowering: &mut Lowering<'_>,
    entry: Entry,
    shares_line: bool,
    last_kept: Option<u32>,
) -> Result<bool, Refusal> {
    if let Some(refusal) = entry.key.and_then(|key| anchors::refuses_removal(lowering.tree, key)) {
        return Err(refusal);
    }
    let bytes = lowering.tree.bytes();
    let start = lowering.tree.entry_start(entry, true);
    let below = line_after(bytes, start, lowering.tree.entry_end(entry));
    if !shares_line {
        let mut end = below;
        // The blank lines below would become part of a scalar above that keeps such lines.
        let is_kept_scalar =
            |id: u32| lowering.tree.keeps_blank_lines(lowering.tree.node(id).skip - 1);
        while last_kept.is_some_and(is_kept_scalar)
            && (end as usize) < bytes.len()
            && skip_blanks(bytes, end) == line_content_end(bytes, end)
        {
            end = next_line(bytes, end);
        }
        lowering.splices.delete(line_start(bytes, start), end);
        return Ok(false);
    }
    let mut line = below;
    while (line as usize) < bytes.len() && skip_blanks(bytes, line) == line_content_end(bytes, line)
    {
        line = next_line(bytes, line);
    }
    let next = skip_blanks(bytes, line);
    lowering.splices.delete(start, next);
    Ok(bytes.get(next as usize) != Some(&b'#'))
}

/// Removes every member: the collection becomes `{}` or `[]`.
fn empty(
    lowering: &mut Lowering<'_>,
    id: u32,
    entries: &[Entry],
    place: Place,
) -> Result<(), Refusal> {
    let bytes = lowering.tree.bytes();
    let brackets = if lowering.tree.shape(id).is_mapping() { "{}" } else { "[]" };
    let start = lowering.tree.node(id).start;
    let stays_here = place == Place::Root || !is_first_on_line(bytes, start);
    if !stays_here {
        let behind = lowering.behind_indicator(id, place);
        lowering.splices.insert(behind, format!(" {brackets}"));
    }
    for (position, entry) in entries.iter().enumerate() {
        if position > 0 || !stays_here {
            remove(lowering, *entry, false, None)?;
            continue;
        }
        if let Some(refusal) =
            entry.key.and_then(|key| anchors::refuses_removal(lowering.tree, key))
        {
            return Err(refusal);
        }
        let end = lowering.tree.entry_end(*entry);
        let content_end = before_break(bytes, start, end);
        let end = if content_end < end { content_end } else { line_content_end(bytes, end) };
        lowering.splices.replace(start, end, brackets);
    }
    Ok(())
}
