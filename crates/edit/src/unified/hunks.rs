//! Changed lines with their context, as hunks.

use super::changes::{LineChange, count_lines, lines};

const CONTEXT: usize = 3;

/// Writes all hunks. Changes whose contexts would meet share a hunk.
pub(super) fn write(out: &mut Vec<u8>, old: &[u8], changes: &[LineChange]) {
    let mut gained = 0;
    let is_near = |a: &LineChange, b: &LineChange| {
        b.line - (a.line + count_lines(&old[a.start..a.end])) <= 2 * CONTEXT
    };
    for hunk in changes.chunk_by(is_near) {
        gained += write_hunk(out, old, hunk, gained);
    }
}

/// Returns how many lines the text gains by this hunk.
fn write_hunk(out: &mut Vec<u8>, old: &[u8], hunk: &[LineChange], gained: isize) -> isize {
    let [first, ..] = hunk else { return 0 };
    let mut body = Vec::new();
    let (mut n_old, mut n_new) = (0, 0);
    let lead = context_before(old, first.start);
    let start = first.line - count_lines(&old[lead..first.start]);
    let mut copied = lead;
    for change in hunk {
        let n_context = write_lines(&mut body, b' ', &old[copied..change.start]);
        n_old += n_context + write_lines(&mut body, b'-', &old[change.start..change.end]);
        n_new += n_context + write_lines(&mut body, b'+', &change.new);
        copied = change.end;
    }
    let n_context = write_lines(&mut body, b' ', &old[copied..context_after(old, copied)]);
    n_old += n_context;
    n_new += n_context;
    let new_start = start.saturating_add_signed(gained);
    out.extend_from_slice(
        format!("@@ -{} +{} @@\n", range(start, n_old), range(new_start, n_new)).as_bytes(),
    );
    out.extend_from_slice(&body);
    n_new as isize - n_old as isize
}

/// Lines count from 1; an empty range names the line before it.
fn range(start: usize, count: usize) -> String {
    match count {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        _ => format!("{},{count}", start + 1),
    }
}

fn write_lines(out: &mut Vec<u8>, sign: u8, bytes: &[u8]) -> usize {
    let mut count = 0;
    for line in lines(bytes) {
        count += 1;
        out.push(sign);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
    count
}

fn context_before(old: &[u8], at: usize) -> usize {
    lines(&old[..at]).rev().take(CONTEXT).fold(at, |start, line| start - line.len())
}

fn context_after(old: &[u8], at: usize) -> usize {
    lines(&old[at..]).take(CONTEXT).fold(at, |end, line| end + line.len())
}
