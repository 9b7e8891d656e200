//! What a tool changed, when only the texts before and after are known.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use check::{Safety, Severity};
use edit::{Edit, EditSet, Text};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use snapshot::RelPath;

use crate::adapter::ToolOutput;
use crate::collect::Texts;
use crate::report::{Dropped, Finding, Fix, Garbled, ToolReport};

/// Hunks of one file beyond which they are one.
const MAX_HUNKS: usize = 2_000;
/// Tokens of one edit beyond which it is not taken apart.
const MAX_TOKENS: usize = 1_000;

/// The difference of two texts, as edits that can be made one without the other: each hunk is about lines that do not
/// touch those of another. Inside a hunk only the words that differ are edited. `None` if a text is too large.
///
/// ```
/// let (before, after) = ("var a = 1;\nb();\nc();\nvar d;\n", "let a = 1;\nb();\nc();\nlet d;\n");
/// let hunks = linters::hunks(&edit::Text::new(before), &edit::Text::new(after)).unwrap();
/// assert_eq!(hunks.len(), 2);
/// assert_eq!(hunks[0].edits(), [edit::Edit::replace(0, 3, "let")]);
/// ```
pub fn hunks(before: &Text, after: &Text) -> Option<Vec<EditSet>> {
    let all = edit::diff(before, after).ok()?;
    let mut groups: Vec<Vec<Edit>> = Vec::new();
    let bytes = before.bytes();
    for edit in all.edits().iter().flat_map(|it| refined(bytes, it)) {
        let joins = groups.last().and_then(|it| it.last()).is_some_and(|last| {
            // On the same line, or on the next one.
            let between = &bytes[last.end as usize..edit.start as usize];
            between.iter().filter(|it| **it == b'\n').count() <= 1
        });
        match groups.last_mut() {
            Some(group) if joins => group.push(edit),
            _ => groups.push(vec![edit]),
        }
    }
    if groups.len() > MAX_HUNKS {
        return Some(vec![all]);
    }
    groups.into_iter().map(|it| EditSet::new(before, it).ok()).collect()
}

/// The words in which an edit differs from what it replaces.
fn refined(bytes: &[u8], edit: &Edit) -> Vec<Edit> {
    let old = &bytes[edit.start as usize..edit.end as usize];
    let (old, new) = (tokens(old), tokens(&edit.text));
    if old.len() > MAX_TOKENS || new.len() > MAX_TOKENS {
        return refined_by_line(bytes, edit).unwrap_or_else(|| vec![edit.clone()]);
    }
    let place =
        |tokens: &[&[u8]], nth: usize| tokens[..nth].iter().map(|it| it.len()).sum::<usize>();
    let mut edits = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (olds, news) = (op.old_range(), op.new_range());
        let start = edit.start as usize + place(&old, olds.start);
        let end = edit.start as usize + place(&old, olds.end);
        // They lie inside the edit, which fits.
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else {
            return vec![edit.clone()];
        };
        edits.push(Edit::replace(start, end, new[news].concat()));
    }
    edits
}

/// The same line by line, if an edit of many lines leaves their number as it is.
fn refined_by_line(bytes: &[u8], edit: &Edit) -> Option<Vec<Edit>> {
    let old: Vec<&[u8]> =
        bytes[edit.start as usize..edit.end as usize].split_inclusive(|it| *it == b'\n').collect();
    let new: Vec<&[u8]> = edit.text.split_inclusive(|it| *it == b'\n').collect();
    if old.len() != new.len() || old.len() < 2 {
        return None;
    }
    let mut edits = Vec::new();
    let mut start = edit.start;
    for (old, new) in old.into_iter().zip(new) {
        let end = start + u32::try_from(old.len()).ok()?;
        if old != new {
            edits.extend(refined(bytes, &Edit::replace(start, end, new)));
        }
        start = end;
    }
    Some(edits)
}

/// Words, runs of blanks, line ends and single marks. A character that is not ASCII is part of a word.
fn tokens(bytes: &[u8]) -> Vec<&[u8]> {
    let kind = |byte: u8| match byte {
        b' ' | b'\t' => 1,
        it if it.is_ascii_alphanumeric() || it == b'_' || !it.is_ascii() => 2,
        _ => 0,
    };
    bytes.chunk_by(|left, right| kind(*left) != 0 && kind(*left) == kind(*right)).collect()
}

const NOTHING_LEFT: &str = "nothing would be left of the file";

/// Whether a tool left nothing of a file: it died while it wrote, most likely.
fn is_emptied(before: &Text, after: &Text) -> bool {
    after.bytes().trim_ascii().is_empty() && !before.bytes().trim_ascii().is_empty()
}

/// The finding and the repair of a file that a formatter would write otherwise.
pub(crate) fn formatted(
    name: &str,
    file: &RelPath,
    before: &Text,
    after: &Text,
    report: &mut ToolReport,
) {
    if before == after {
        return;
    }
    let edits = edit::diff(before, after).ok().filter(|it| !it.is_empty());
    let is_emptied = is_emptied(before, after);
    let mut fixes = Vec::new();
    match edits {
        Some(edits) if !is_emptied => fixes.push(Fix {
            title: format!("Format with {name}"),
            safety: Safety::LikelyPreserving,
            edits: [(file.clone(), edits)].into(),
            files: Vec::new(),
            is_layout: true,
        }),
        _ => report.dropped.push(Dropped {
            rule: "format".to_owned(),
            file: file.clone(),
            reason: if is_emptied { NOTHING_LEFT } else { "the file is too large" }.to_owned(),
        }),
    }
    report.findings.push(Finding {
        rule: "format".to_owned(),
        severity: Severity::Info,
        message: format!("the file is not as {name} formats it"),
        file: file.clone(),
        range: None,
        url: None,
        fixes,
    });
}

/// What a tool wrote that says nothing about it: each hunk is a finding with a fix of this safety.
pub fn rewrites(name: &str, output: &ToolOutput, texts: &Texts<'_>, safety: Safety) -> ToolReport {
    let mut report = ToolReport::default();
    attach(name, output, texts, safety, &mut report);
    report
}

/// What a formatter made of a text that it read from its standard input, or of files that it rewrote.
pub(crate) fn formatter_output(
    name: &str,
    output: &ToolOutput,
    texts: &Texts<'_>,
) -> Result<ToolReport, Garbled> {
    let mut report = ToolReport::default();
    if let Some(file) = texts.input() {
        crate::json::check_size(&output.stdout)?;
        let before = texts.text(file).unwrap_or_default();
        if output.stdout.is_empty() && !before.is_empty() && !before.bytes().trim_ascii().is_empty()
        {
            return Err(Garbled::format("the formatted text", "nothing"));
        }
        let after = Text::new(output.stdout.clone());
        formatted(name, file, &before, &after, &mut report);
        return Ok(report);
    }
    for (file, before, after) in rewritten(output, texts, &mut report) {
        formatted(name, &file, &before, &after, &mut report);
    }
    Ok(report)
}

/// The files of the tree that a tool rewrote. What it removed, and what it put where nothing was, is not taken.
fn rewritten(
    output: &ToolOutput,
    texts: &Texts<'_>,
    report: &mut ToolReport,
) -> Vec<(RelPath, Text, Text)> {
    let mut found = Vec::new();
    for (file, after) in &output.changed {
        let before = texts.text(file);
        match (before, after) {
            (Some(before), Some(after)) => found.push((file.clone(), before, after.clone())),
            (Some(_), None) => report.dropped.push(Dropped {
                rule: "rewrite".to_owned(),
                file: file.clone(),
                reason: "the tool removed the file".to_owned(),
            }),
            (None, _) => {}
        }
    }
    found
}

/// Gives the hunks of what a tool rewrote to its findings: each hunk to the findings that it touches, the rest to
/// findings of their own. Hunks that touch the same finding are one fix.
pub(crate) fn attach(
    name: &str,
    output: &ToolOutput,
    texts: &Texts<'_>,
    safety: Safety,
    report: &mut ToolReport,
) {
    for (file, before, after) in rewritten(output, texts, report) {
        let is_emptied = is_emptied(&before, &after);
        let Some(hunks) = hunks(&before, &after).filter(|_| !is_emptied) else {
            report.dropped.push(Dropped {
                rule: "rewrite".to_owned(),
                file,
                reason: if is_emptied { NOTHING_LEFT } else { "the file is too large" }.to_owned(),
            });
            continue;
        };
        // Every edit with the hunk that it is part of, in order. A finding can be long: the group of a hunk is the first
        // one with which it shares a finding, directly or through others.
        let edits: Vec<(Range<u32>, usize)> = hunks
            .iter()
            .enumerate()
            .flat_map(|(nth, hunk)| hunk.edits().iter().map(move |it| (it.start..it.end, nth)))
            .collect();
        let mut group: Vec<usize> = (0..hunks.len()).collect();
        let mut of_finding: Vec<(usize, usize)> = Vec::new();
        for (nth, finding) in report.findings.iter().enumerate().filter(|it| it.1.file == file) {
            let Some(range) = &finding.range else { continue };
            let first = edits.partition_point(|it| it.0.end < range.start);
            let touching = edits[first..].iter().take_while(|it| it.0.start <= range.end);
            let touched: BTreeSet<usize> = touching.map(|it| it.1).collect();
            let Some(&leader) = touched.first() else { continue };
            for hunk in touched {
                let (one, other) = (group[hunk], group[leader]);
                let (from, to) = (one.max(other), one.min(other));
                if from != to {
                    group.iter_mut().filter(|it| **it == from).for_each(|it| *it = to);
                }
            }
            of_finding.push((nth, leader));
        }
        let mut fixes: BTreeMap<usize, Fix> = BTreeMap::new();
        for leader in group.iter().copied().collect::<BTreeSet<usize>>() {
            let members = group.iter().zip(&hunks).filter(|it| *it.0 == leader);
            let edits = members.flat_map(|it| it.1.edits().iter().cloned()).collect();
            let Ok(edits) = EditSet::new(&before, edits) else { continue };
            let title = format!("Rewrite as {name} does");
            fixes.insert(
                leader,
                Fix {
                    title,
                    safety,
                    edits: [(file.clone(), edits)].into(),
                    files: Vec::new(),
                    is_layout: false,
                },
            );
        }
        let mut taken = BTreeSet::new();
        for (nth, hunk) in of_finding {
            if let Some(fix) = fixes.get(&group[hunk]) {
                report.findings[nth].fixes.push(fix.clone());
                taken.insert(group[hunk]);
            }
        }
        for (leader, fix) in fixes.into_iter().filter(|it| !taken.contains(&it.0)) {
            report.findings.push(Finding {
                rule: "rewrite".to_owned(),
                severity: Severity::Info,
                message: format!("{name} would rewrite this"),
                file: file.clone(),
                range: touched(&hunks[leader]),
                url: None,
                fixes: vec![fix],
            });
        }
    }
}

/// The bytes from the first edit to the last one.
fn touched(edits: &EditSet) -> Option<Range<u32>> {
    let (first, last) = (edits.edits().first()?, edits.edits().last()?);
    Some(first.start..last.end)
}

#[cfg(test)]
mod tests;
