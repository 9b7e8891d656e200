//! The share of a file's lines that went, and lines that changed in nothing but white space.
//!
//! Only lines that were there and are so no more count: adding is not refactoring. Blank lines do not count, neither do
//! manifests, lock files and files that hold no text.

use std::ops::Range;

use edit::{EditSet, Text};

use super::{MAX_BYTES, Version, is_binary};
use crate::Finding;
use crate::dependencies::is_manifest;

/// Lines of one file beyond which it is not compared.
const MAX_LINES: usize = 200_000;
/// Lines of all files together beyond which no more are compared.
const MAX_TOTAL_LINES: usize = 1_000_000;
/// Shorter files can be rewritten.
const MIN_FILE_LINES: usize = 20;
/// The share of a file's lines that may go, in percent.
const MAX_FILE_PERCENT: usize = 50;
/// Less than this many lines over several files are not refactoring.
const MIN_TOTAL_LINES: usize = 60;
/// The share of the lines of several files that may go, in percent.
const MAX_TOTAL_PERCENT: usize = 30;
/// This many lines of a file that differ only in white space are a reformatting…
const MIN_REFORMATTED_LINES: usize = 20;
/// …if they are also this share of it, in percent.
const MIN_REFORMATTED_PERCENT: usize = 20;

/// The files that were rewritten or reformatted.
pub(super) fn rewritten(versions: &[Version<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (mut n_files, mut all_gone, mut all_lines, mut n_compared) = (0, 0, 0, 0);
    for version in versions.iter().filter(|it| !is_manifest(it.path)) {
        let (Some(old), Some(new)) = (&version.old, &version.new) else { continue };
        let (old, new) = (old.bytes(), new.bytes());
        if is_binary(old) || is_binary(new) {
            continue;
        }
        let path = Some(version.path.clone());
        let n_lines = n_lines_of(old).max(n_lines_of(new));
        n_compared += n_lines;
        let fits = old.len().max(new.len()) <= MAX_BYTES
            && n_lines <= MAX_LINES
            && n_compared <= MAX_TOTAL_LINES;
        let Some(measured) = fits.then(|| measure(old, new)).flatten() else {
            findings.push((
                path,
                "is too large to be compared, so restructuring cannot be judged".to_owned(),
            ));
            continue;
        };
        let Measured { lines, gone, reformatted } = measured;
        (n_files, all_gone, all_lines) = (n_files + 1, all_gone + gone, all_lines + lines);
        if lines >= MIN_FILE_LINES && gone * 100 > lines * MAX_FILE_PERCENT {
            let message =
                format!("{gone} of {lines} lines were changed, more than {MAX_FILE_PERCENT} %");
            findings.push((path.clone(), message));
        }
        if reformatted >= MIN_REFORMATTED_LINES
            && reformatted * 100 >= lines * MIN_REFORMATTED_PERCENT
        {
            let message = format!("{reformatted} of {lines} lines differ only in white space");
            findings.push((path, message));
        }
    }
    if n_files > 1 && all_gone >= MIN_TOTAL_LINES && all_gone * 100 > all_lines * MAX_TOTAL_PERCENT
    {
        let message = format!(
            "{all_gone} of {all_lines} lines in {n_files} files were changed, more than {MAX_TOTAL_PERCENT} %"
        );
        findings.push((None, message));
    }
    findings
}

fn n_lines_of(text: &[u8]) -> usize {
    text.iter().filter(|it| **it == b'\n').count()
}

struct Measured {
    /// Lines of the old text that are not blank.
    lines: usize,
    /// Those of them that an edit touches.
    gone: usize,
    /// Those of them that an edit touches without touching anything but white space.
    reformatted: usize,
}

fn measure(old: &[u8], new: &[u8]) -> Option<Measured> {
    let (old, new) = (Text::new(old), Text::new(new));
    let edits = edit::diff(&old, &new).ok()?;
    let mut starts = vec![0];
    starts.extend(
        old.bytes().iter().enumerate().filter(|(_, it)| **it == b'\n').map(|(at, _)| at + 1),
    );
    let is_text: Vec<bool> =
        old.bytes().split(|it| *it == b'\n').map(|line| !line.trim_ascii().is_empty()).collect();
    let (mut gone, mut reformatted, mut next) = (0, 0, 0);
    for (touched, is_blank) in touched_lines(&old, &edits, &starts) {
        // Two edits may touch one line; it counts once.
        let fresh = touched.start.max(next)..touched.end.max(next);
        next = fresh.end;
        let n_lines = is_text.get(fresh).unwrap_or_default().iter().filter(|it| **it).count();
        gone += n_lines;
        if is_blank {
            reformatted += n_lines;
        }
    }
    Some(Measured { lines: is_text.iter().filter(|it| **it).count(), gone, reformatted })
}

/// The old lines that each edit touches, and whether it changes white space alone.
fn touched_lines(old: &Text, edits: &EditSet, starts: &[usize]) -> Vec<(Range<usize>, bool)> {
    let line_of =
        |offset: usize| starts.partition_point(|start| *start <= offset).saturating_sub(1);
    let touched = edits.edits().iter().map(|edit| {
        let (start, end) = (edit.start as usize, edit.end as usize);
        let removed = old.bytes().get(start..end).unwrap_or_default();
        let first = line_of(start);
        let starts_line = starts.get(first) == Some(&start);
        let is_between =
            removed.is_empty() && (starts_line && edit.text.ends_with(b"\n") || start == old.len());
        let lines_end = if is_between { first } else { line_of(end.max(start + 1) - 1) + 1 };
        (first..lines_end, same_but_blanks(removed, &edit.text))
    });
    touched.collect()
}

fn same_but_blanks(left: &[u8], right: &[u8]) -> bool {
    let visible = |it: &&u8| !it.is_ascii_whitespace();
    left.iter().filter(visible).eq(right.iter().filter(visible))
}
