//! What happens to each file, as a short diff with line numbers.
//!
//! The full diff is for programs (`--format diff`); this one shows one line of context and cuts what is long.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;

use service::{FileChange, FileChangeKind, Frames};

use super::style::{ADDED, BOLD, DIM, REMOVED, paint};
use crate::words::{count, printable};

/// How many lines of one file are shown before the rest is only counted.
const MOST_LINES: usize = 40;
/// How many lines of a preview are shown before the rest is only counted.
const MOST_PREVIEW_LINES: usize = 12;
/// How many files are shown before the rest is only counted.
const MOST_FILES: usize = 20;
/// Longer lines are cut: those that replace others around what is different, others at their end.
const MOST_COLUMNS: usize = 160;
/// How much of a long line is shown before what is different.
const COLUMNS_BEFORE: usize = 40;
/// No character has more bytes.
const BYTES_PER_COLUMN: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sign {
    Kept,
    Removed,
    Added,
    /// Lines that are left out.
    Gap,
}

struct Line<'a> {
    sign: Sign,
    number: usize,
    text: Cow<'a, [u8]>,
}

impl Line<'_> {
    const GAP: Line<'static> = Line { sign: Sign::Gap, number: 0, text: Cow::Borrowed(b"") };
}

/// All changes, a paragraph per file. After the first few files the rest is counted.
pub(crate) fn render_changes(changes: &[FileChange], is_verbose: bool) -> String {
    render_changes_beside(changes, &Frames::default(), is_verbose)
}

/// The same beside findings: of a file with values that they hide only the lines that change are shown, without those
/// values.
pub(crate) fn render_changes_beside(
    changes: &[FileChange],
    frames: &Frames,
    is_verbose: bool,
) -> String {
    let n_shown = if is_verbose { changes.len() } else { changes.len().min(MOST_FILES) };
    let mut paragraphs: Vec<String> =
        changes[..n_shown].iter().map(|it| render_change(it, frames, is_verbose)).collect();
    if n_shown < changes.len() {
        let rest = count(changes.len() - n_shown, "file");
        paragraphs.push(format!("{}\n", paint(DIM, &format!("{rest} more; -v shows all"))));
    }
    paragraphs.join("\n")
}

/// What happens to the files as a note under something else: only the lines that change, and the names of the files
/// only where it is not just an edit of `about`.
pub(crate) fn render_preview(changes: &[FileChange], about: &str, is_verbose: bool) -> String {
    let most = if is_verbose { usize::MAX } else { MOST_PREVIEW_LINES };
    let mut out = String::new();
    for change in changes {
        let hunks = parse_hunks(&change.diff);
        if change.kind != FileChangeKind::Edited
            || change.new_file.is_some()
            || change.file != about
        {
            let _ = writeln!(out, "     {}{}", paint(DIM, &change.file), fate(change, hunks.len()));
        }
        out.push_str(&render_lines(&without_context(hunks), most));
    }
    out
}

fn render_change(change: &FileChange, frames: &Frames, is_verbose: bool) -> String {
    let mut out = paint(BOLD, &change.file);
    let hunks = parse_hunks(&change.diff);
    let _ = writeln!(out, "{}", fate(change, hunks.len()));
    let hidden = hidden_texts(&change.file, frames);
    let lines = match change.kind {
        FileChangeKind::Deleted if !is_verbose => Vec::new(),
        _ if !hidden.is_empty() => without_values(without_context(hunks), &hidden),
        FileChangeKind::Added | FileChangeKind::Deleted => hunks,
        FileChangeKind::Edited => with_little_context(hunks),
    };
    out.push_str(&render_lines(&lines, if is_verbose { usize::MAX } else { MOST_LINES }));
    out
}

/// The texts of the values in the file that must not be shown, line by line; the longest first, since one may be part
/// of another.
fn hidden_texts<'a>(file: &str, frames: &'a Frames) -> Vec<&'a [u8]> {
    let (Some(bytes), Some(hidden)) = (frames.sources.get(file), frames.hidden.get(file)) else {
        return Vec::new();
    };
    let texts = hidden.iter().filter_map(|it| bytes.get(it.start as usize..it.end as usize));
    let texts = texts.flat_map(|it| it.split(|byte| *byte == b'\n')).map(<[u8]>::trim_ascii);
    let texts: BTreeSet<&[u8]> = texts.filter(|it| !it.is_empty()).collect();
    let mut texts: Vec<&[u8]> = texts.into_iter().collect();
    texts.sort_by_key(|it| std::cmp::Reverse(it.len()));
    texts
}

fn without_values<'a>(mut lines: Vec<Line<'a>>, hidden: &[&[u8]]) -> Vec<Line<'a>> {
    for line in &mut lines {
        for text in hidden {
            if memchr::memmem::find(&line.text, text).is_some() {
                line.text = Cow::Owned(replaced(&line.text, text, "…".as_bytes()));
            }
        }
    }
    lines
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut end = 0;
    for at in memchr::memmem::find_iter(bytes, from) {
        out.extend_from_slice(&bytes[end..at]);
        out.extend_from_slice(to);
        end = at + from.len();
    }
    out.extend_from_slice(&bytes[end..]);
    out
}

/// What becomes of a file beside its lines.
fn fate(change: &FileChange, n_lines: usize) -> String {
    match (&change.kind, &change.new_file) {
        (_, Some(new_file)) => format!(" renamed to {}", paint(BOLD, new_file)),
        (FileChangeKind::Added, None) => format!(" added, {}", count(n_lines, "line")),
        (FileChangeKind::Deleted, None) => format!(" deleted, {}", count(n_lines, "line")),
        (FileChangeKind::Edited, None) => String::new(),
    }
}

fn render_lines(lines: &[Line<'_>], most: usize) -> String {
    let mut out = String::new();
    let n_shown = lines.len().min(most);
    let width = lines.iter().map(|it| it.number.to_string().len()).max().unwrap_or(1).max(4);
    let starts = starts(&lines[..n_shown]);
    for (line, start) in lines[..n_shown].iter().zip(starts) {
        out.push_str(&render_line(line, start, width));
    }
    if n_shown < lines.len() {
        let rest = lines[n_shown..].iter().filter(|it| it.sign != Sign::Gap).count();
        let _ = writeln!(
            out,
            "{:width$}   {}",
            "",
            paint(DIM, &format!("{} more; -v shows all", count(rest, "line")))
        );
    }
    out
}

/// Where the shown part of each line starts. A long line that replaces another is shown from a little before the first
/// byte in which they differ.
fn starts(lines: &[Line<'_>]) -> Vec<usize> {
    let mut starts = vec![0; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        let n_removed = lines[at..].iter().take_while(|it| it.sign == Sign::Removed).count();
        let added = at + n_removed;
        let n_added = lines[added..].iter().take_while(|it| it.sign == Sign::Added).count();
        for idx in 0..n_removed.min(n_added) {
            let (old, new) = (&*lines[at + idx].text, &*lines[added + idx].text);
            if old.len().max(new.len()) > MOST_COLUMNS {
                let n_same = old.iter().zip(new).take_while(|(old, new)| old == new).count();
                let start = n_same.saturating_sub(COLUMNS_BEFORE);
                (starts[at + idx], starts[added + idx]) =
                    (character_start(old, start), character_start(new, start));
            }
        }
        at = (added + n_added).max(at + 1);
    }
    starts
}

/// The start of the character that the byte is in.
fn character_start(text: &[u8], at: usize) -> usize {
    let is_inside = |it: usize| text.get(it).is_some_and(|byte| byte & 0xC0 == 0x80);
    (0..4).filter_map(|back| at.checked_sub(back)).find(|it| !is_inside(*it)).unwrap_or(at)
}

fn render_line(line: &Line<'_>, start: usize, width: usize) -> String {
    let (sign, style) = match line.sign {
        Sign::Kept => (' ', None),
        Sign::Removed => ('-', Some(REMOVED)),
        Sign::Added => ('+', Some(ADDED)),
        Sign::Gap => return format!("{}\n", paint(DIM, &format!("{:>width$}", "..."))),
    };
    let text = line.text.trim_ascii_end();
    let text = text.get(start..).unwrap_or_default();
    // No more than can be shown is looked at, and a character more to know that there is more.
    let near = &text[..text.len().min((MOST_COLUMNS + 1) * BYTES_PER_COLUMN)];
    let mut text = printable(&String::from_utf8_lossy(near));
    if start > 0 {
        text.insert_str(0, "...");
    }
    let cut = text.char_indices().nth(MOST_COLUMNS).map_or(text.len(), |it| it.0);
    let rest = if cut < text.len() { "..." } else { "" };
    // Numbers are those of the new file, so that they rise from line to line.
    let number = if line.sign == Sign::Removed { String::new() } else { line.number.to_string() };
    let number = paint(DIM, &format!("{number:>width$}"));
    match style {
        Some(style) if text.is_empty() => format!("{number} {style}{sign}{style:#}\n"),
        Some(style) => format!("{number} {style}{sign} {}{rest}{style:#}\n", &text[..cut]),
        None if text.is_empty() => format!("{number}\n"),
        None => format!("{number} {sign} {}{rest}\n", &text[..cut]),
    }
}

/// The lines of the hunks of a unified diff, with their numbers in the new file; a removed line has the number of the
/// line that it stands before.
fn parse_hunks(diff: &[u8]) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut new = 0;
    // Lines that the present hunk still has on either side; a header can only stand where both are zero.
    let (mut n_old, mut n_new) = (0_usize, 0_usize);
    for text in diff.split_inclusive(|it| *it == b'\n') {
        if n_old == 0 && n_new == 0 {
            if let Some(hunk) = parse_header(text) {
                if !lines.is_empty() {
                    lines.push(Line::GAP);
                }
                (n_old, new, n_new) = hunk;
            }
            continue;
        }
        let rest = Cow::Borrowed(text.get(1..).unwrap_or_default());
        match text.first() {
            Some(b'-') => {
                lines.push(Line { sign: Sign::Removed, number: new, text: rest });
                n_old = n_old.saturating_sub(1);
            }
            Some(b'+') => {
                lines.push(Line { sign: Sign::Added, number: new, text: rest });
                (new, n_new) = (new + 1, n_new.saturating_sub(1));
            }
            Some(b'\\') => {}
            _ => {
                lines.push(Line { sign: Sign::Kept, number: new, text: rest });
                n_old = n_old.saturating_sub(1);
                (new, n_new) = (new + 1, n_new.saturating_sub(1));
            }
        }
    }
    lines
}

/// `@@ -OLD[,COUNT] +NEW[,COUNT] @@`: the count of old lines, then the first new line and the count of new lines.
fn parse_header(line: &[u8]) -> Option<(usize, usize, usize)> {
    let line = std::str::from_utf8(line).ok()?.strip_prefix("@@ -")?;
    let (old, rest) = line.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let side = |text: &str| {
        let (start, n) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse::<usize>().ok()?, n.parse::<usize>().ok()?))
    };
    let ((_, n_old), (new, n_new)) = (side(old)?, side(new)?);
    Some((n_old, new, n_new))
}

/// Keeps what changed, and marks what it leaves out between.
fn without_context(lines: Vec<Line<'_>>) -> Vec<Line<'_>> {
    let mut kept: Vec<Line<'_>> = Vec::new();
    let mut has_gap = false;
    for line in lines {
        match line.sign {
            Sign::Kept | Sign::Gap => has_gap = !kept.is_empty(),
            Sign::Removed | Sign::Added => {
                if has_gap {
                    kept.push(Line::GAP);
                }
                has_gap = false;
                kept.push(line);
            }
        }
    }
    kept
}

/// Keeps one line before and after what changed, and marks what it leaves out between.
fn with_little_context(lines: Vec<Line<'_>>) -> Vec<Line<'_>> {
    let is_change = |idx: Option<usize>| {
        let sign = idx.and_then(|it| lines.get(it)).map(|it| it.sign);
        matches!(sign, Some(Sign::Removed | Sign::Added))
    };
    let is_shown: Vec<bool> = (0..lines.len())
        .map(|idx| {
            is_change(Some(idx)) || is_change(idx.checked_sub(1)) || is_change(Some(idx + 1))
        })
        .collect();
    let mut kept: Vec<Line<'_>> = Vec::new();
    let mut has_gap = false;
    for (line, is_shown) in lines.into_iter().zip(is_shown) {
        if !is_shown || line.sign == Sign::Gap {
            has_gap = true;
            continue;
        }
        if has_gap && !kept.is_empty() {
            kept.push(Line::GAP);
        }
        has_gap = false;
        kept.push(line);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(kind: FileChangeKind, new_file: Option<&str>, diff: &str) -> String {
        let change = FileChange {
            kind,
            file: "a.yaml".into(),
            new_file: new_file.map(Into::into),
            diff: diff.into(),
        };
        anstream::adapter::strip_str(&render_changes(&[change], false)).to_string()
    }

    #[test]
    fn an_edit_shows_one_line_around_it_and_its_numbers() {
        let diff = "--- a/a.yaml\n+++ b/a.yaml\n@@ -8,5 +8,6 @@\n a: 1\n b: 2\n-c: 3\n+c: 4\n+d: 5\n e: 6\n f: 7\n\
                    @@ -30,2 +31,1 @@\n x: 1\n-y: 2\n";
        insta::assert_snapshot!(show(FileChangeKind::Edited, None, diff), @r"
        a.yaml
           9   b: 2
             - c: 3
          10 + c: 4
          11 + d: 5
          12   e: 6
         ...
          31   x: 1
             - y: 2
        ");
    }

    #[test]
    fn a_removed_line_that_looks_like_a_header_is_a_line() {
        let diff =
            "@@ -1,2 +1,1 @@\n--- b\n-@@ -1,1 +1,1 @@\n+++ c\n\\ No newline at end of file\n";
        insta::assert_snapshot!(show(FileChangeKind::Edited, None, diff), @r"
        a.yaml
             - -- b
             - @@ -1,1 +1,1 @@
           1 + ++ c
        ");
    }

    #[test]
    fn added_deleted_and_renamed_files_say_so() {
        let added = show(FileChangeKind::Added, None, "@@ -0,0 +1,2 @@\n+a: 1\n+b: 2\n");
        let deleted = show(FileChangeKind::Deleted, None, "@@ -1,1 +0,0 @@\n-a: 1\n");
        let renamed =
            show(FileChangeKind::Edited, Some("b.yaml"), "rename from a.yaml\nrename to b.yaml\n");
        insta::assert_snapshot!(format!("{added}{deleted}{renamed}"), @r"
        a.yaml added, 2 lines
           1 + a: 1
           2 + b: 2
        a.yaml deleted, 1 line
        a.yaml renamed to b.yaml
        ");
    }

    #[test]
    fn long_changes_are_cut_and_what_is_left_out_is_counted() {
        let mut diff = "@@ -0,0 +1,100 @@\n".to_owned();
        for n in 0..100 {
            let _ = writeln!(diff, "+{n}: {}", "x".repeat(300));
        }
        let shown = show(FileChangeKind::Added, None, &diff);
        assert_eq!(shown.lines().count(), MOST_LINES + 2);
        assert!(shown.ends_with("60 lines more; -v shows all\n"), "{shown}");
        assert!(shown.lines().all(|it| it.chars().count() < MOST_COLUMNS + 20));
    }

    #[test]
    fn a_preview_shows_what_changes_and_names_other_files() {
        let change = |file: &str, diff: &str| FileChange {
            kind: FileChangeKind::Edited,
            file: file.into(),
            new_file: None,
            diff: diff.into(),
        };
        let changes = [
            change("a.yaml", "@@ -1,5 +1,5 @@\n-a: 1\n+a: 2\n b: 1\n c: 1\n-d: 1\n+d: 2\n e: 1\n"),
            change("b.yaml", "@@ -7,1 +7,1 @@\n-x: 1\n+x: 2\n"),
        ];
        let shown = render_preview(&changes, "a.yaml", false);
        insta::assert_snapshot!(anstream::adapter::strip_str(&shown).to_string(), @r"
             - a: 1
           1 + a: 2
         ...
             - d: 1
           4 + d: 2
             b.yaml
             - x: 1
           7 + x: 2
        ");
    }

    #[test]
    fn no_file_content_reaches_the_terminal_as_an_escape() {
        let shown = show(FileChangeKind::Added, None, "@@ -0,0 +1,1 @@\n+\u{1b}]0;x\u{7}\n");
        assert!(shown.contains("␛]0;x␇"), "{shown}");
    }
}
