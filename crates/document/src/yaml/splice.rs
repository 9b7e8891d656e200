//! Changes to the text as lowering finds them, and the edits that they become.

use edit::Edit;

use super::scan::{bom_len, offset};

/// Collects changes. Insertions at one point land in the order they were added.
pub(super) struct Splices<'a> {
    bytes: &'a [u8],
    pub(super) eol: &'static str,
    list: Vec<Splice>,
}

struct Splice {
    start: u32,
    end: u32,
    text: String,
    /// Whether the text is whole lines and must start on a line of its own.
    is_lines: bool,
}

impl<'a> Splices<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Splices<'a> {
        let eol = match memchr::memchr(b'\n', bytes) {
            Some(at) if at > 0 && bytes[at - 1] == b'\r' => "\r\n",
            _ => "\n",
        };
        Splices { bytes, eol, list: Vec::new() }
    }

    pub(super) fn replace(&mut self, start: u32, end: u32, text: impl Into<String>) {
        self.push(start, end, text.into(), false);
    }

    pub(super) fn insert(&mut self, at: u32, text: impl Into<String>) {
        self.push(at, at, text.into(), false);
    }

    pub(super) fn delete(&mut self, start: u32, end: u32) {
        self.push(start, end, String::new(), false);
    }

    /// Replaces whole lines by whole lines; each line of `text` has its line break.
    pub(super) fn replace_lines(&mut self, start: u32, end: u32, text: impl Into<String>) {
        self.push(start, end, text.into(), true);
    }

    /// Whether lines are added at the end of the text, while the byte at `at` stays.
    pub(super) fn appends_lines_behind(&self, at: u32) -> bool {
        let len = offset(self.bytes.len());
        let appends = |it: &Splice| it.is_lines && it.start == len && !it.text.is_empty();
        let goes = |it: &Splice| (it.start..it.end).contains(&at);
        self.list.iter().any(appends) && !self.list.iter().any(goes)
    }

    fn push(&mut self, start: u32, end: u32, text: String, is_lines: bool) {
        if start < end || !text.is_empty() {
            self.list.push(Splice { start, end, text, is_lines });
        }
    }

    /// The edits, with the end of the text as it was: with a final line break or without. Also where the text that
    /// stays ends, if it lost its line break to that.
    pub(super) fn finish(mut self) -> (Vec<Edit>, Option<u32>) {
        let len = offset(self.bytes.len());
        let ends_in_break = self.bytes.ends_with(b"\n");
        let is_empty = len == bom_len(self.bytes);
        self.list.sort_by_key(|splice| (splice.start, splice.end));
        let mut merged: Vec<Splice> = Vec::with_capacity(self.list.len());
        for mut splice in self.list {
            // A deletion can take blank lines with it that a new member stands before.
            if let Some(last) = merged.last()
                && splice.is_lines
                && splice.start == splice.end
                && splice.start < last.end
            {
                (splice.start, splice.end) = (last.end, last.end);
            }
            let last = merged.last_mut().filter(|last| last.end == splice.start);
            if splice.is_lines && splice.start == len && !ends_in_break && !is_empty {
                let is_at_line_start = last.as_ref().is_some_and(|last| match last.text.as_str() {
                    "" => self.bytes[..last.start as usize].ends_with(b"\n"),
                    text => text.ends_with('\n'),
                });
                if !is_at_line_start {
                    splice.text.insert_str(0, self.eol);
                }
            }
            match last {
                Some(last) => {
                    last.end = splice.end;
                    last.text.push_str(&splice.text);
                }
                None => merged.push(splice),
            }
        }
        let mut trimmed_at = None;
        if !is_empty {
            trimmed_at = keep_final_break(self.bytes, self.eol, ends_in_break, &mut merged);
        }
        let edits = merged.into_iter().map(|it| Edit::replace(it.start, it.end, it.text));
        (edits.collect(), trimmed_at)
    }
}

fn keep_final_break(
    bytes: &[u8],
    eol: &str,
    ends_in_break: bool,
    merged: &mut Vec<Splice>,
) -> Option<u32> {
    let len = offset(bytes.len());
    let last = merged.last_mut().filter(|last| last.end == len)?;
    if ends_in_break {
        let before = bytes.get(..last.start as usize).unwrap_or_default();
        let is_at_line_start =
            last.text.is_empty() && (before.is_empty() || before.ends_with(b"\n"));
        if !is_at_line_start && !last.text.ends_with('\n') {
            last.text.push_str(eol);
        }
        return None;
    }
    while last.text.ends_with('\n') {
        trim_break(&mut last.text);
    }
    let mut last = merged.pop()?;
    let floor = merged.last().map_or(0, |before| before.end);
    let start = last.start;
    while last.text.is_empty()
        && last.start > floor
        && let Some(before) = bytes[..last.start as usize].strip_suffix(b"\n")
    {
        last.start = offset(before.strip_suffix(b"\r").unwrap_or(before).len()).max(floor);
    }
    let trimmed_at = (last.start < start).then_some(last.start);
    if last.text.is_empty()
        && let Some(before) = merged.last_mut().filter(|before| before.end == last.start)
    {
        before.end = last.end;
        return keep_final_break(bytes, eol, ends_in_break, merged).or(trimmed_at);
    }
    merged.push(last);
    trimmed_at
}

fn trim_break(text: &mut String) {
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
}
