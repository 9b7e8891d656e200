//! Members of block collections: one or more whole lines each, but for a first one that shares its line with the
//! indicator of the collection (`- key: value`).
//!
//! Blank lines: where they stand between all neighbours, a new member gets one too. A removed member takes those
//! above it along if blank lines, the end of the collection or the end of the text follow it; a first one takes
//! those below it.
//!
//! Comments: those right above the first item, with no blank line between, are about that item, so a new first
//! item goes above them; at the top of the file they are about the file. A new member that comes where another
//! one went takes its place, below the comments that stood above it. Comments that end a member, further right than
//! it starts, go with it.

use super::anchors;
use super::lower::{MemberChanges, ParentContext, YamlLowering};
use super::render::Renderer;
use super::scan::{
    before_break, bom_len, column, is_first_on_line, line_after, line_content_end, line_start,
    next_line, skip_blanks,
};
use super::style::{self, BlockScalars, Style};
use super::tree::{MemberNodes, NodeKind, YamlTree};
use crate::draft::LiveMember;
use crate::refusal::Refusal;

/// Brings a block collection from its parsed members to those of the draft.
pub(super) fn lower(
    lowering: &mut YamlLowering<'_>,
    id: u32,
    entries: &[MemberNodes],
    members: &[LiveMember<'_>],
    place: ParentContext,
) -> Result<(), Refusal> {
    let Some(&first) = entries.first() else {
        return Ok(());
    };
    if members.is_empty() {
        return empty(lowering, id, entries, place);
    }
    let column = lowering.column_of(lowering.tree.node(id).start);
    let inner = match lowering.tree.shape(id) {
        NodeKind::BlockSequence => ParentContext::Item(column),
        _ => ParentContext::UnderKey(column),
    };
    let changes = MemberChanges::of(entries.len(), members);
    let mut behind = changes.behind.iter().peekable();
    if !changes.front.is_empty() {
        insert_front(lowering, entries, first, &changes.front, column)?;
    }
    let bytes = lowering.tree.bytes();
    let mut shares_line = !is_first_on_line(bytes, lowering.tree.entry_start(first, true));
    let mut last_kept = None;
    let mut taken_over = None;
    let last_live = changes.kept.iter().rposition(Option::is_some);
    for (position, (entry, kept)) in entries.iter().zip(&changes.kept).enumerate() {
        let Some(member) = kept else {
            if last_kept.is_none() && !shares_line && last_live > Some(position) {
                remove_blank_lines_below(lowering, *entry);
            } else if last_kept.is_some() && taken_over != Some(position) {
                remove_blank_lines_above(lowering, *entry, last_live < Some(position));
            }
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
            let next = position + 1;
            let takes_over = changes.kept.get(next).is_some_and(Option::is_none);
            if takes_over {
                taken_over = Some(next);
            }
            let at = if takes_over { next } else { position };
            insert_behind(lowering, entries, at, group, column, takes_over)?;
        }
    }
    Ok(())
}

/// New members before the first one.
fn insert_front(
    lowering: &mut YamlLowering<'_>,
    entries: &[MemberNodes],
    first: MemberNodes,
    group: &[LiveMember<'_>],
    column: usize,
) -> Result<(), Refusal> {
    let mut style = style::around(lowering.tree, entries, 0);
    let gap = gap(lowering, first);
    let eol = lowering.renderer.eol;
    let start = lowering.tree.entry_start(first, true);
    let own_comments = own_comments(lowering.tree.bytes(), start);
    let blank_line = if is_spaced(lowering, entries, 0) { eol } else { "" };
    if let Some(at) = own_comments {
        style.block_scalars = BlockScalars::before(lowering.tree.bytes(), at, Some(column));
    }
    if !blank_line.is_empty() && style.block_scalars == BlockScalars::Any {
        style.block_scalars = BlockScalars::NoBlankEnd;
    }
    let renderer = lowering.renderer.near(entries, 0);
    let mut text = String::new();
    for member in group {
        let entry = render(&renderer, member, &style, column, gap)?;
        match own_comments {
            Some(_) => text.push_str(&entry.into_lines(column, eol)),
            None => text.push_str(&format!("{}{eol}{}", entry.first, entry.rest)),
        }
        text.push_str(blank_line);
        if own_comments.is_none() {
            text.extend(std::iter::repeat_n(' ', column));
        }
    }
    match own_comments {
        Some(at) => lowering.splices.replace_lines(at, at, text),
        None => lowering.splices.insert(start, text),
    }
    Ok(())
}

/// Where the comments start that stand right above the member at `start` and are about it. `None` if there are
/// none, or if nothing but they stands above.
fn own_comments(bytes: &[u8], start: u32) -> Option<u32> {
    if !is_first_on_line(bytes, start) {
        return None;
    }
    let mut at = line_start(bytes, start);
    let mut found = None;
    while at > bom_len(bytes) {
        let line = line_start(bytes, at - 1);
        let token = skip_blanks(bytes, line);
        if bytes.get(token as usize) != Some(&b'#') {
            let is_marker = bytes[line as usize..].starts_with(b"---");
            return found.filter(|_| !is_marker);
        }
        found = Some(line);
        at = line;
    }
    None
}

/// Whether blank lines stand between all members near a position.
fn is_spaced(lowering: &YamlLowering<'_>, entries: &[MemberNodes], position: usize) -> bool {
    let bytes = lowering.tree.bytes();
    let near = &entries[position.saturating_sub(style::NEIGHBOURS)..];
    let near = &near[..near.len().min(2 * style::NEIGHBOURS)];
    let has_blank_line = |pair: &[MemberNodes]| {
        let start = lowering.tree.entry_start(pair[0], true);
        let mut line = line_after(bytes, start, lowering.tree.entry_end(pair[0]));
        let end = lowering.tree.entry_start(pair[1], true);
        while line < end && !is_blank_line(bytes, line) {
            line = next_line(bytes, line);
        }
        line < end
    };
    near.len() > 1 && near.windows(2).all(has_blank_line)
}

fn is_blank_line(bytes: &[u8], line: u32) -> bool {
    (line as usize) < bytes.len() && skip_blanks(bytes, line) == line_content_end(bytes, line)
}

/// The blank lines below a first member that goes, unless they keep a comment above it apart from what follows.
fn remove_blank_lines_below(lowering: &mut YamlLowering<'_>, entry: MemberNodes) {
    let bytes = lowering.tree.bytes();
    let start = lowering.tree.entry_start(entry, true);
    let line = line_start(bytes, start);
    let above = line_start(bytes, line.saturating_sub(1));
    if bytes.get(skip_blanks(bytes, above) as usize) == Some(&b'#') {
        return;
    }
    let below = line_behind(lowering, entry);
    let mut end = below;
    while is_blank_line(bytes, end) {
        end = next_line(bytes, end);
    }
    lowering.splices.delete(below, end);
    lowering.removed_to = end;
}

/// The blank lines above a member that goes, if they would be left without a purpose.
fn remove_blank_lines_above(lowering: &mut YamlLowering<'_>, entry: MemberNodes, is_last: bool) {
    let bytes = lowering.tree.bytes();
    let start = lowering.tree.entry_start(entry, true);
    let below = line_behind(lowering, entry);
    let is_at_end = is_last || below as usize >= bytes.len();
    let first = entry.key.unwrap_or(entry.value);
    // They may be part of a scalar above.
    let is_content = lowering.tree.keeps_blank_lines(first - 1);
    if is_content || !(is_at_end || is_blank_line(bytes, below)) {
        return;
    }
    let line = line_start(bytes, start);
    let mut at = line;
    while at > lowering.removed_to && is_blank_line(bytes, line_start(bytes, at - 1)) {
        at = line_start(bytes, at - 1);
    }
    lowering.splices.delete(at, line);
}

/// New members on the lines behind a kept one, or behind one that goes and whose place the first of them takes.
fn insert_behind(
    lowering: &mut YamlLowering<'_>,
    entries: &[MemberNodes],
    position: usize,
    group: &[LiveMember<'_>],
    column: usize,
    takes_over: bool,
) -> Result<(), Refusal> {
    let bytes = lowering.tree.bytes();
    let entry = entries[position];
    let start = lowering.tree.entry_start(entry, true);
    let at = line_after(bytes, start, lowering.tree.entry_end(entry));
    let mut style = style::around(lowering.tree, entries, position + 1);
    style.block_scalars = BlockScalars::before(bytes, at, Some(column));
    let is_spaced = is_spaced(lowering, entries, position)
        && !lowering.tree.keeps_blank_lines(lowering.tree.node(entry.value).skip - 1);
    if is_spaced && style.block_scalars == BlockScalars::Any {
        style.block_scalars = BlockScalars::NoBlankEnd;
    }
    let gap = gap(lowering, entry);
    let renderer = lowering.renderer.near(entries, position + 1);
    let eol = renderer.eol;
    let mut lines = String::new();
    for (nth, member) in group.iter().enumerate() {
        if is_spaced && (nth > 0 || !takes_over) {
            lines.push_str(eol);
        }
        let entry = render(&renderer, member, &style, column, gap)?;
        lines.push_str(&entry.into_lines(column, eol));
    }
    lowering.splices.replace_lines(at, at, lines);
    Ok(())
}

fn render(
    renderer: &Renderer<'_>,
    member: &LiveMember<'_>,
    style: &Style,
    column: usize,
    gap: usize,
) -> Result<super::render::Rendered, Refusal> {
    let key = member.new_key.map(str::to_string);
    renderer.entry(key.as_deref(), member.node, style, column, gap, 0)
}

/// The blanks between the `-` of an item and its value.
fn gap(lowering: &YamlLowering<'_>, entry: MemberNodes) -> usize {
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

/// The line behind a member that goes, with the comments that end it: those further right than it.
fn line_behind(lowering: &YamlLowering<'_>, entry: MemberNodes) -> u32 {
    let bytes = lowering.tree.bytes();
    let start = lowering.tree.entry_start(entry, true);
    let mut end = line_after(bytes, start, lowering.tree.entry_end(entry));
    if lowering.moved.contains(&entry.value) || !is_first_on_line(bytes, start) {
        return end;
    }
    let indentation = start - line_start(bytes, start);
    loop {
        let token = skip_blanks(bytes, end);
        if bytes.get(token as usize) != Some(&b'#') || token - end <= indentation {
            return end;
        }
        end = next_line(bytes, end);
    }
}

/// The end of an item, with the comments below that are further right than it; without the line break.
pub(super) fn end_with_comments(tree: &YamlTree, start: u32, end: u32) -> u32 {
    let bytes = tree.bytes();
    let column = column(bytes, start);
    let mut line = line_after(bytes, start, end);
    let mut end = before_break(bytes, start, end);
    loop {
        let token = skip_blanks(bytes, line);
        if bytes.get(token as usize) != Some(&b'#') || (token - line) as usize <= column {
            return end;
        }
        end = line_content_end(bytes, token);
        line = next_line(bytes, token);
    }
}

/// Takes a member away. Says whether the next member comes to share the line of the indicator.
fn remove(
    lowering: &mut YamlLowering<'_>,
    entry: MemberNodes,
    shares_line: bool,
    last_kept: Option<u32>,
) -> Result<bool, Refusal> {
    if let Some(refusal) = entry.key.and_then(|key| anchors::refuses_removal(lowering.tree, key)) {
        return Err(refusal);
    }
    let bytes = lowering.tree.bytes();
    let start = lowering.tree.entry_start(entry, true);
    let below = line_behind(lowering, entry);
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
        lowering.removed_to = end;
        return Ok(false);
    }
    let mut line = below;
    while (line as usize) < bytes.len() && skip_blanks(bytes, line) == line_content_end(bytes, line)
    {
        line = next_line(bytes, line);
    }
    let next = skip_blanks(bytes, line);
    lowering.splices.delete(start, next);
    lowering.removed_to = next;
    Ok(bytes.get(next as usize) != Some(&b'#'))
}

/// Removes every member: the collection becomes `{}` or `[]`.
fn empty(
    lowering: &mut YamlLowering<'_>,
    id: u32,
    entries: &[MemberNodes],
    place: ParentContext,
) -> Result<(), Refusal> {
    let bytes = lowering.tree.bytes();
    let brackets = if lowering.tree.shape(id).is_mapping() { "{}" } else { "[]" };
    let start = lowering.tree.node(id).start;
    let stays_here = place == ParentContext::Root || !is_first_on_line(bytes, start);
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
