//! Unified diffs: each hunk is a fix. Its context must stand at its line, byte for byte: a hunk is not moved to a place
//! where it would fit.

use check::Severity;
use snapshot::RelPath;

use super::Options;
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json;
use crate::positions::{Dialect, Place, Span, Unit};
use crate::report::{Garbled, ToolReport};

/// Hunks that are read.
const MAX_HUNKS: usize = 50_000;

pub(super) fn read(
    bytes: &[u8],
    texts: &Texts<'_>,
    options: &Options,
) -> Result<ToolReport, Garbled> {
    json::check_size(bytes)?;
    let mut collector = Collector::new(texts, Dialect::offsets(Unit::Byte));
    let lines: Vec<&[u8]> = bytes.split_inclusive(|it| *it == b'\n').collect();
    let mut old: Option<Option<String>> = None;
    let mut new: Option<Option<String>> = None;
    let (mut at, mut n_hunks) = (0, 0);
    while at < lines.len() {
        let line = lines[at];
        let next_is_new = lines.get(at + 1).is_some_and(|it| it.starts_with(b"+++ "));
        if line.starts_with(b"--- ") && next_is_new {
            old = Some(header_path(&line[4..], "a/"));
            new = Some(header_path(&lines[at + 1][4..], "b/"));
            at += 2;
        } else if line.starts_with(b"rename from ") || line.starts_with(b"GIT binary patch") {
            collector.note("renames and binary changes are not read");
            at += 1;
        } else if line.starts_with(b"@@ -") {
            n_hunks += 1;
            if n_hunks > MAX_HUNKS {
                return Err(Garbled::format("at most 50,000 hunks", "more"));
            }
            let (hunk, next) = read_hunk(&lines, at)?;
            add_hunk(&hunk, (&old, &new), texts, options, &mut collector)?;
            at = next;
        } else {
            at += 1;
        }
    }
    if n_hunks == 0 && !bytes.trim_ascii().is_empty() {
        return Err(Garbled::format("a unified diff", "no hunk"));
    }
    Ok(collector.finish())
}

struct Hunk<'d> {
    /// The line of the old text, from 1.
    line: u64,
    n_old: usize,
    /// Lines with their line ends, and whether each is kept, removed or added.
    parts: Vec<(u8, Vec<u8>)>,
    header: &'d [u8],
}

fn read_hunk<'d>(lines: &[&'d [u8]], at: usize) -> Result<(Hunk<'d>, usize), Garbled> {
    let header = lines[at];
    let broken =
        || Garbled::format("a whole hunk", String::from_utf8_lossy(header).trim_end().to_owned());
    let text = std::str::from_utf8(header).map_err(|_| broken())?;
    let mut words = text.split(' ');
    let mut range = |mark: char| {
        let word = words.find(|it| it.starts_with(mark))?;
        let (start, count) = word[1..].split_once(',').unwrap_or((&word[1..], "1"));
        Some((start.parse::<u64>().ok()?, count.trim_end().parse::<usize>().ok()?))
    };
    let (line, n_old) = range('-').ok_or_else(broken)?;
    let (_, n_new) = range('+').ok_or_else(broken)?;
    let (mut left_old, mut left_new) = (n_old, n_new);
    let mut parts: Vec<(u8, Vec<u8>)> = Vec::new();
    let mut next = at + 1;
    while left_old > 0 || left_new > 0 {
        let line = lines.get(next).ok_or_else(broken)?;
        let (mark, body) = match line.split_first() {
            // Some tools write an empty line of context without its blank.
            Some((b'\n', _)) => (b' ', &line[..]),
            Some((mark @ (b' ' | b'-' | b'+'), body)) => (*mark, body),
            Some((b'\\', _)) => {
                strip_line_end(&mut parts);
                next += 1;
                continue;
            }
            _ => return Err(broken()),
        };
        if mark != b'+' {
            left_old = left_old.checked_sub(1).ok_or_else(broken)?;
        }
        if mark != b'-' {
            left_new = left_new.checked_sub(1).ok_or_else(broken)?;
        }
        parts.push((mark, body.to_vec()));
        next += 1;
    }
    if lines.get(next).is_some_and(|it| it.starts_with(b"\\")) {
        strip_line_end(&mut parts);
        next += 1;
    }
    Ok((Hunk { line, n_old, parts, header }, next))
}

/// `\ No newline at end of file` is about the line before it.
fn strip_line_end(parts: &mut [(u8, Vec<u8>)]) {
    if let Some((_, last)) = parts.last_mut()
        && last.last() == Some(&b'\n')
    {
        last.pop();
    }
}

type Named = Option<Option<String>>;

fn add_hunk(
    hunk: &Hunk<'_>,
    (old, new): (&Named, &Named),
    texts: &Texts<'_>,
    options: &Options,
    collector: &mut Collector<'_, '_>,
) -> Result<(), Garbled> {
    let (Some(old), Some(new)) = (old, new) else {
        return Err(Garbled::format("`---` and `+++` before a hunk", "neither"));
    };
    let (Some(old), Some(new)) = (old, new) else {
        collector.note("files that come or go are not read");
        return Ok(());
    };
    // A diff may be between folders with other names; the file is the one that is there.
    let has_text = |it: &RelPath| texts.text(it).is_some();
    let file = [new, old].into_iter().find_map(|it| texts.resolve(it).filter(has_text));
    let Some(file) = file else {
        collector.note(&format!("`{new}` is not a file of the tree"));
        return Ok(());
    };
    let mut fix = RawFix::new("Apply the hunk", options.safety(), Vec::new());
    let mut span = None;
    match edits(hunk, texts, &file) {
        Ok((edits, place)) => (fix.edits, span) = (edits, Some(place)),
        Err(reason) => fix.refused = Some(reason),
    }
    let header = String::from_utf8_lossy(hunk.header).into_owned();
    collector.add(RawFinding {
        rule: "hunk".to_owned(),
        severity: Severity::Info,
        message: header,
        file: Some(file),
        span,
        snippet: None,
        url: None,
        fixes: vec![fix],
    });
    Ok(())
}

fn edits(
    hunk: &Hunk<'_>,
    texts: &Texts<'_>,
    file: &RelPath,
) -> Result<(Vec<RawEdit>, Span), String> {
    let places = texts.places(file).ok_or("the file is too large")?;
    let dialect = Dialect::columns(Unit::Byte);
    // Without old lines, the number is that of the line before.
    let line = if hunk.n_old == 0 { hunk.line + 1 } else { hunk.line };
    let start = places.byte(Place::Column { line, column: 1 }, &dialect);
    let bytes = places.text().bytes();
    let start = match start {
        Ok(start) => start as usize,
        Err(_) if hunk.n_old == 0 && hunk.line == 0 => 0,
        Err(misfit) => return Err(misfit.to_string()),
    };
    let mut at = start;
    let mut made: Vec<(usize, usize, Vec<u8>)> = Vec::new();
    for (mark, body) in &hunk.parts {
        if *mark != b'+' && !bytes[at..].starts_with(body) {
            let found = bytes[at..].split_inclusive(|it| *it == b'\n').next().unwrap_or_default();
            let show = |it: &[u8]| {
                String::from_utf8_lossy(it).trim_end().chars().take(40).collect::<String>()
            };
            return Err(format!("expected `{}`, found `{}`", show(body), show(found)));
        }
        let is_next = made.last().is_some_and(|it| it.1 == at);
        match mark {
            b' ' => at += body.len(),
            b'-' => {
                match made.last_mut() {
                    Some(last) if is_next => last.1 += body.len(),
                    _ => made.push((at, at + body.len(), Vec::new())),
                }
                at += body.len();
            }
            _ => match made.last_mut() {
                Some(last) if is_next => last.2.extend_from_slice(body),
                _ => made.push((at, at, body.clone())),
            },
        }
    }
    let place = |it: usize| Place::Offset(i64::try_from(it).unwrap_or(i64::MAX));
    let mut edits = Vec::new();
    for (from, to, text) in made {
        let text = String::from_utf8(text).map_err(|_| "the new text is not UTF-8")?;
        edits.push(RawEdit::new(Span::Between(place(from), place(to)), text));
    }
    Ok((edits, Span::Between(place(start), place(at))))
}

/// The path of a header: without the letter that git puts before it, without a time stamp. `None` for no file.
fn header_path(header: &[u8], prefix: &str) -> Option<String> {
    let text = String::from_utf8_lossy(header);
    let text = text.trim_end_matches(['\r', '\n']);
    let path = match text.strip_prefix('"') {
        Some(quoted) => unquoted(quoted),
        None => text.split('\t').next().unwrap_or(text).to_owned(),
    };
    if path == "/dev/null" {
        return None;
    }
    Some(path.strip_prefix(prefix).unwrap_or(&path).to_owned())
}

/// A path in quotes, with C's escapes.
fn unquoted(text: &str) -> String {
    let mut out = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => break,
            b'\\' => match rest.next() {
                Some(b'n') => out.push(b'\n'),
                Some(b't') => out.push(b'\t'),
                Some(b'r') => out.push(b'\r'),
                Some(digit @ b'0'..=b'3') => {
                    let mut code = u32::from(digit - b'0');
                    for _ in 0..2 {
                        let next = rest.next().unwrap_or(b'0');
                        code = code * 8 + u32::from(next.wrapping_sub(b'0') & 7);
                    }
                    out.push(u8::try_from(code).unwrap_or(b'?'));
                }
                Some(other) => out.push(other),
                None => {}
            },
            other => out.push(other),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
