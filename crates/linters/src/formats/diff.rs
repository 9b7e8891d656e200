//! Unified diffs: each hunk is a fix, and so is a file that comes, goes or gets another path. The context of a hunk must
//! stand at its line, byte for byte: a hunk is not moved to a place where it would fit. Links, copies, binary changes and
//! changes of mode are refused.

use check::Severity;
use snapshot::RelPath;

use super::Options;
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json;
use crate::positions::{PositionDialect, PositionUnit, Span, ToolPosition};
use crate::report::{FileOp, Garbled, ToolReport};

/// Hunks that are read.
const MAX_HUNKS: usize = 50_000;

pub(super) fn read(
    bytes: &[u8],
    texts: &Texts<'_>,
    options: &Options,
) -> Result<ToolReport, Garbled> {
    json::check_size(bytes)?;
    let mut collector = Collector::new(texts, PositionDialect::offsets(PositionUnit::Byte));
    let lines: Vec<&[u8]> = bytes.split_inclusive(|it| *it == b'\n').collect();
    let mut section = Section::default();
    let (mut at, mut n_hunks, mut n_sections) = (0, 0, 0);
    while at < lines.len() {
        let line = lines[at];
        let next_is_new = lines.get(at + 1).is_some_and(|it| it.starts_with(b"+++ "));
        if let Some(names) = line.strip_prefix(b"diff --git ") {
            section.close(texts, options, &mut collector);
            section = Section { git: same_name(names), ..Section::default() };
            n_sections += 1;
        } else if line.starts_with(b"--- ") && next_is_new {
            if section.names.is_some() {
                section.close(texts, options, &mut collector);
                section = Section::default();
            }
            let old = header_path(&line[4..], "a/");
            section.names = Some((old, header_path(&lines[at + 1][4..], "b/")));
            at += 1;
        } else if line.starts_with(b"@@ -") {
            n_hunks += 1;
            if n_hunks > MAX_HUNKS {
                return Err(Garbled::format("at most 50,000 hunks", "more"));
            }
            let (hunk, next) = read_hunk(&lines, at)?;
            section.add(hunk, texts, options, &mut collector)?;
            at = next;
            continue;
        } else {
            section.header(line);
        }
        at += 1;
    }
    section.close(texts, options, &mut collector);
    if n_hunks + n_sections == 0 && !bytes.trim_ascii().is_empty() {
        return Err(Garbled::format("a unified diff", "no hunk"));
    }
    Ok(collector.finish())
}

/// What a diff says about one file.
#[derive(Default)]
struct Section {
    /// The name in `diff --git`, if both are the same: all there is of an empty file.
    git: Option<String>,
    /// The names of `---` and `+++`; `None` is not a file.
    names: Option<(Option<Named>, Option<Named>)>,
    is_new: bool,
    is_deleted: bool,
    renamed: (Option<String>, Option<String>),
    refused: Option<&'static str>,
    /// The text of a file that comes, or of one that goes.
    whole: Option<Vec<u8>>,
}

impl Section {
    /// A line of git's header.
    fn header(&mut self, line: &[u8]) {
        if line.starts_with(b"new file mode 120000")
            || line.starts_with(b"deleted file mode 120000")
        {
            self.refused = Some("links are not read");
        } else if line.starts_with(b"new file mode ") {
            self.is_new = true;
        } else if line.starts_with(b"deleted file mode ") {
            self.is_deleted = true;
        } else if let Some(path) = line.strip_prefix(b"rename from ") {
            self.renamed.0 = Some(plain_path(path));
        } else if let Some(path) = line.strip_prefix(b"rename to ") {
            self.renamed.1 = Some(plain_path(path));
        } else if line.starts_with(b"copy from ") {
            self.refused = Some("copies are not read");
        } else if line.starts_with(b"GIT binary patch") || line.starts_with(b"Binary files ") {
            self.refused = Some("binary changes are not read");
        } else if line.starts_with(b"new mode ") {
            self.refused = Some("changes of mode are not read");
        }
    }

    fn add(
        &mut self,
        hunk: Hunk<'_>,
        texts: &Texts<'_>,
        options: &Options,
        collector: &mut Collector<'_, '_>,
    ) -> Result<(), Garbled> {
        let Some((old, new)) = &self.names else {
            return Err(Garbled::format("`---` and `+++` before a hunk", "neither"));
        };
        if old.is_none() || new.is_none() {
            (self.is_new, self.is_deleted) = (old.is_none(), new.is_none());
            if self.whole.is_some() || (old.is_none() && hunk.n_old > 0) {
                return Err(Garbled::format("one hunk for a file that comes or goes", "more"));
            }
            self.whole = Some(hunk.parts.into_iter().flat_map(|it| it.1).collect());
            return Ok(());
        }
        // A diff may be between folders with other names; the file is the one that is there.
        let has_text = |it: &RelPath| texts.text(it).is_some();
        let names = [self.renamed.0.as_ref(), new.as_ref().map(|it| &it.plain)].into_iter();
        let names = names.chain([old.as_ref().map(|it| &it.plain)]);
        let names = names.chain([new.as_ref().map(|it| &it.full), old.as_ref().map(|it| &it.full)]);
        let found: Vec<RelPath> = names.flatten().filter_map(|it| texts.resolve(it)).collect();
        let named = new.as_ref().map_or("", |it| it.plain.as_str());
        let Some(file) = found.into_iter().find(has_text) else {
            collector.lose("hunk", &format!("`{named}` is not a file of the tree"));
            return Ok(());
        };
        let mut fix = RawFix::new("Apply the hunk", options.safety(), Vec::new());
        let mut span = None;
        match edits(&hunk, texts, &file) {
            Ok((edits, place)) => (fix.edits, span) = (edits, Some(place)),
            Err(reason) => fix.refused = Some(reason),
        }
        let header = String::from_utf8_lossy(hunk.header).into_owned();
        collector.add(finding(header, Some(file), span, fix));
        Ok(())
    }

    /// What the section says about the file as a whole.
    fn close(&self, texts: &Texts<'_>, options: &Options, collector: &mut Collector<'_, '_>) {
        let name = |it: &Option<Named>| it.as_ref().map(|it| it.plain.clone());
        let named = match &self.names {
            Some((old, new)) => name(new).or_else(|| name(old)),
            None => self.git.clone(),
        };
        let named = named.unwrap_or_default();
        if let Some(reason) = self.refused {
            collector.lose("file", &format!("`{named}`: {reason}"));
            return;
        }
        let op = match &self.renamed {
            (Some(from), Some(to)) => rename(from, to, texts),
            (None, None) if self.is_new => self.added(&named, texts),
            (None, None) if self.is_deleted => self.deleted(&named, texts),
            (None, None) => return,
            _ => Err("a rename names one of its paths only".to_owned()),
        };
        let mut fix = RawFix::new("Apply the change", options.safety(), Vec::new());
        let file = match op {
            Ok(op) => {
                fix.files.push(op);
                fix.files.first().map(|it| it.path().clone())
            }
            Err(reason) => {
                fix.refused = Some(reason);
                texts.resolve(&named)
            }
        };
        collector.add(finding(format!("the file {named}"), file, None, fix));
    }

    fn added(&self, named: &str, texts: &Texts<'_>) -> Result<FileOp, String> {
        let path = texts.resolve(named).ok_or_else(|| outside(named))?;
        if texts.snapshot().get(&path).is_some() {
            return Err(format!("{path} already exists"));
        }
        let text = String::from_utf8(self.whole.clone().unwrap_or_default());
        Ok(FileOp::Add { path, text: text.map_err(|_| "the new text is not UTF-8")? })
    }

    fn deleted(&self, named: &str, texts: &Texts<'_>) -> Result<FileOp, String> {
        let path = texts.resolve(named).ok_or_else(|| outside(named))?;
        let text = texts.text(&path).ok_or_else(|| missing(&path))?;
        if text.bytes() != self.whole.as_deref().unwrap_or_default() {
            return Err(format!("{path} does not hold what the diff deletes"));
        }
        Ok(FileOp::Delete { path, base: text.hash() })
    }
}

fn rename(from: &str, to: &str, texts: &Texts<'_>) -> Result<FileOp, String> {
    let path = texts.resolve(from).ok_or_else(|| outside(from))?;
    let to = texts.resolve(to).ok_or_else(|| outside(to))?;
    let base = texts.text(&path).ok_or_else(|| missing(&path))?.hash();
    Ok(FileOp::Rename { path, to, base })
}

fn outside(named: &str) -> String {
    format!("`{named}` is not inside the root")
}

fn missing(path: &RelPath) -> String {
    format!("{path} is not a file of the tree")
}

fn finding(message: String, file: Option<RelPath>, span: Option<Span>, fix: RawFix) -> RawFinding {
    RawFinding {
        rule: if fix.files.is_empty() { "hunk" } else { "file" }.to_owned(),
        severity: Severity::Info,
        message,
        file,
        span,
        snippet: None,
        url: None,
        fixes: vec![fix],
    }
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

fn edits(
    hunk: &Hunk<'_>,
    texts: &Texts<'_>,
    file: &RelPath,
) -> Result<(Vec<RawEdit>, Span), String> {
    let places = texts.places(file).ok_or("the file is too large")?;
    let dialect = PositionDialect::columns(PositionUnit::Byte);
    // Without old lines, the number is that of the line before.
    let line = if hunk.n_old == 0 { hunk.line + 1 } else { hunk.line };
    let start = places.byte(ToolPosition::Column { line, column: 1 }, &dialect);
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
    let place = |it: usize| ToolPosition::Offset(i64::try_from(it).unwrap_or(i64::MAX));
    let mut edits = Vec::new();
    for (from, to, text) in made {
        let text = String::from_utf8(text).map_err(|_| "the new text is not UTF-8")?;
        edits.push(RawEdit::new(Span::Between(place(from), place(to)), text));
    }
    Ok((edits, Span::Between(place(start), place(at))))
}

/// A path of a header: as it is, and without the letter that git puts before it.
struct Named {
    plain: String,
    full: String,
}

/// The path of a `---` or `+++` line, without a time stamp. `None` for no file.
fn header_path(header: &[u8], prefix: &str) -> Option<Named> {
    let full = plain_path(header);
    if full == "/dev/null" {
        return None;
    }
    let plain = full.strip_prefix(prefix).unwrap_or(&full).to_owned();
    Some(Named { plain, full })
}

fn plain_path(header: &[u8]) -> String {
    let text = String::from_utf8_lossy(header);
    let text = text.trim_end_matches(['\r', '\n']);
    match text.strip_prefix('"') {
        Some(quoted) => unquoted(quoted),
        None => text.split('\t').next().unwrap_or(text).to_owned(),
    }
}

/// The path in `a/PATH b/PATH`, if both are the same.
fn same_name(names: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(names);
    let text = text.trim_end_matches(['\r', '\n']);
    if text.starts_with('"') {
        let (_, second) = text.split_once(" \"b/")?;
        return Some(unquoted(second));
    }
    let middle = text.len() / 2;
    let (old, new) = (text.get(..middle)?, text.get(middle + 1..)?);
    let (old, new) = (old.strip_prefix("a/")?, new.strip_prefix("b/")?);
    (old == new).then(|| new.to_owned())
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
