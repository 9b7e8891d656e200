//! Removing a run of members that stand next to each other: which commas go, which comments stay.
//!
//! Members with lines of their own take the blank lines above along if blank lines or the bracket follow; the
//! first ones take those below.

use std::ops::Range;

use edit::Edit;

use crate::json::gap::{Entries, Gap};

/// The deletions that remove the members `run`. Those before and after it stay.
pub(super) fn remove(entries: &Entries<'_>, run: Range<usize>, out: &mut Vec<Edit>) {
    let gaps: Vec<Gap<'_>> = (run.start..=run.end).map(|index| entries.gap(index)).collect();
    let (first, last) = (&gaps[0], &gaps[run.len()]);
    let (has_before, has_after) = (run.start > 0, run.end < entries.len());
    let kept_comma = match (has_before, has_after) {
        (true, true) if first.is_comma_leading() && last.is_comma_leading() => last.comma,
        (true, true) => first.comma,
        (true, false) if last.comma.is_some() => first.comma,
        _ => None,
    };
    let mut ranges = Vec::new();
    for (before, after) in gaps.iter().zip(&gaps[1..]) {
        ranges.push(member_range(before, after, kept_comma, has_after));
    }
    for gap in &gaps {
        if let Some(comma) = gap.comma.filter(|comma| Some(*comma) != kept_comma) {
            let end = if gap.is_comma_leading() { gap.lead } else { comma + 1 };
            ranges.push(blanks_before(entries, gap, comma)..end);
        }
    }
    let bounds = first.from..last.to;
    let ranges: Vec<Range<usize>> = union(ranges)
        .into_iter()
        .map(|range| whole_line(entries, range, &bounds))
        .map(|range| with_blank_lines(entries, range, &bounds, (has_before, has_after)))
        .collect();
    let ranges = union(ranges);
    // Sorted and apart, so the range that could hold an offset is the first that ends after it.
    let is_covered = |start: usize| {
        let nth = ranges.partition_point(|range| range.end <= start);
        ranges.get(nth).is_some_and(|range| range.start <= start)
    };
    let is_bare = || gaps.iter().all(|gap| gap.comments.iter().all(|it| is_covered(it.start)));
    if !has_before && !has_after && is_bare() {
        out.push(delete(entries.open + 1..entries.close));
    } else {
        out.extend(ranges.into_iter().map(delete));
    }
}

/// The bytes of one member with its lead and its own comments, and the line if nothing else is on it.
fn member_range(
    before: &Gap<'_>,
    after: &Gap<'_>,
    kept_comma: Option<usize>,
    has_after: bool,
) -> Range<usize> {
    let start = match before.comma {
        Some(comma) if before.is_comma_leading() && before.comma != kept_comma => comma,
        _ => before.lead,
    };
    let own_end = match kept_comma {
        // The comma stays though its member goes; then so do the comments around it.
        Some(comma) if after.comma == kept_comma && comma < after.own_end => after.from,
        _ => after.own_end,
    };
    let line_start = before.line_start(start);
    if let (Some(line_start), Some(next_line)) = (line_start, after.next_line())
        && own_end == after.own_end
    {
        return line_start..next_line;
    }
    let goes_with_comma = after.comma.is_some_and(|comma| comma < own_end) && !after.is_last;
    let is_next_near = !after.breaks(after.own_end, after.lead);
    // The first member stands on the line of the bracket: the next one takes its place.
    let next_moves_up = before.comma.is_none()
        && line_start.is_none()
        && after.comments.iter().all(|it| it.end <= after.own_end);
    let token_end = before.last_token_end(start);
    let is_after_line_comment = before.comments.iter().any(|it| it.is_line && it.end == token_end);
    let from = match line_start {
        Some(line_start) if is_after_line_comment => line_start,
        None if before.comma.is_none() => start,
        _ => token_end,
    };
    if goes_with_comma && (is_next_near || next_moves_up) {
        return if has_after { start } else { from }..after.lead;
    }
    from..own_end
}

/// A range that leaves nothing but blanks of its line takes the line.
fn whole_line(entries: &Entries<'_>, range: Range<usize>, bounds: &Range<usize>) -> Range<usize> {
    let bytes = entries.tree.bytes();
    if range.end > range.start && matches!(bytes[range.end - 1], b'\n' | b'\r') {
        return range;
    }
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let before = &bytes[bounds.start..range.start];
    let start = range.start - before.iter().rev().take_while(|byte| is_blank(byte)).count();
    let after = &bytes[range.end..bounds.end];
    let end = range.end + after.iter().take_while(|byte| is_blank(byte)).count();
    let is_line_start = start > bounds.start && matches!(bytes[start - 1], b'\n' | b'\r');
    match &bytes[end..bounds.end] {
        [b'\r', b'\n', ..] if is_line_start => start..end + 2,
        [b'\r' | b'\n', ..] if is_line_start => start..end + 1,
        _ => range,
    }
}

/// Whole lines with the blank lines that would be left without a purpose.
fn with_blank_lines(
    entries: &Entries<'_>,
    range: Range<usize>,
    bounds: &Range<usize>,
    (has_before, has_after): (bool, bool),
) -> Range<usize> {
    let bytes = entries.tree.bytes();
    let (before, after) = (&bytes[bounds.start..range.start], &bytes[range.end..bounds.end]);
    if range.is_empty() || !before.ends_with(b"\n") || !bytes[range.clone()].ends_with(b"\n") {
        return range;
    }
    let is_blank = |line: &&[u8]| line.ends_with(b"\n") && line.trim_ascii().is_empty();
    let below: usize =
        after.split_inclusive(|byte| *byte == b'\n').take_while(is_blank).map(<[u8]>::len).sum();
    // A run can have a range for each of its members, so each may look at the lines next to it only.
    if !has_before && has_after && before.trim_ascii_end().is_empty() {
        return range.start..range.end + below;
    }
    let is_last = !has_after && after.trim_ascii_start().is_empty();
    if !has_before || !(below > 0 || is_last) {
        return range;
    }
    let first_line = memchr::memchr(b'\n', before).map_or(0, |at| at + 1);
    let lines = before[first_line..].split_inclusive(|byte| *byte == b'\n').rev();
    let above: usize = lines.take_while(is_blank).map(<[u8]>::len).sum();
    range.start - above..range.end
}

/// Where the blanks before a comma start, as far back as the member it follows.
fn blanks_before(entries: &Entries<'_>, gap: &Gap<'_>, comma: usize) -> usize {
    let before = &entries.tree.bytes()[gap.from..comma];
    let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if blanks == before.len() { gap.from } else { comma }
}

fn union(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

fn delete(range: Range<usize>) -> Edit {
    Edit::delete(range.start as u32, range.end as u32)
}
