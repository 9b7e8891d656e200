//! Edits widened to whole lines.

use crate::edit_set::{EditError, EditSet};
use crate::text::Text;

/// Whole lines of a text that become other whole lines.
pub(super) struct LineChange {
    /// The index of the first old line, from 0.
    pub(super) line: usize,
    /// The bytes of the old lines.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The new lines. Only the last line of the whole result may lack its `\n`.
    pub(super) new: Vec<u8>,
}

/// The changed lines, in order and disjoint, without the equal lines at the ends of each change.
pub(super) fn changed_lines(text: &Text, edits: &EditSet) -> Result<Vec<LineChange>, EditError> {
    edits.check_base(text)?;
    let old = text.bytes();
    let mut changes = Vec::new();
    let mut edits = edits.edits().iter().peekable();
    let (mut line, mut counted) = (0, 0);
    while let Some(first) = edits.next() {
        let start = line_start(old, first.start as usize);
        line += count_lines(&old[counted..start]);
        counted = start;
        let mut new = old[start..first.start as usize].to_vec();
        new.extend_from_slice(&first.text);
        let mut end = first.end as usize;
        // Found once for each line, so that many edits to a long line do not search it again and again.
        let mut next_line = start;
        loop {
            let is_whole = ends_line(old, end) && new.ends_with(b"\n");
            if !is_whole && next_line <= end {
                next_line = line_end(old, end);
            }
            let stop = if is_whole { end } else { next_line };
            // An edit that only touches joins too: at the end of a text without final newline it continues
            // the last line.
            let Some(next) = edits.next_if(|next| next.start as usize <= stop) else {
                new.extend_from_slice(&old[end..stop]);
                end = stop;
                break;
            };
            new.extend_from_slice(&old[end..next.start as usize]);
            new.extend_from_slice(&next.text);
            end = next.end as usize;
        }
        changes.extend(trimmed(old, LineChange { line, start, end, new }));
    }
    Ok(changes)
}

/// Every line of `bytes` with its `\n`; the last may have none.
pub(super) fn lines(bytes: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    bytes.split_inclusive(|&byte| byte == b'\n')
}

pub(super) fn count_lines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count() + usize::from(!ends_line(bytes, bytes.len()))
}

fn trimmed(old: &[u8], mut change: LineChange) -> Option<LineChange> {
    let equal = |(a, b): &(&[u8], &[u8])| a == b;
    let old_lines = &old[change.start..change.end];
    let prefix: Vec<usize> = lines(old_lines)
        .zip(lines(&change.new))
        .take_while(equal)
        .map(|(line, _)| line.len())
        .collect();
    let prefix_len: usize = prefix.iter().sum();
    let (old_rest, new_rest) = (&old_lines[prefix_len..], &change.new[prefix_len..]);
    let suffix_len: usize = lines(old_rest)
        .rev()
        .zip(lines(new_rest).rev())
        .take_while(equal)
        .map(|(line, _)| line.len())
        .sum();
    change.line += prefix.len();
    change.start += prefix_len;
    change.end -= suffix_len;
    change.new.truncate(change.new.len() - suffix_len);
    change.new.drain(..prefix_len);
    (change.start < change.end || !change.new.is_empty()).then_some(change)
}

fn line_start(bytes: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1)
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |newline| at + newline + 1)
}

/// Whether a line ends at `at`, or there is none before it.
fn ends_line(bytes: &[u8], at: usize) -> bool {
    at == 0 || bytes[at - 1] == b'\n'
}
