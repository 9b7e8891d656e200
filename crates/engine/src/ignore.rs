//! Comments that say which findings are meant to stay.
//!
//! `regreen: ignore RULE[, RULE…] [-- reason]` at the end of a line covers what starts on that line; on a line of its
//! own it covers the next line that is not blank or comment. `regreen: ignore-file RULE…` covers the whole file. One
//! that names no rule, or ignores nothing, is itself a finding: [`IGNORE_WITHOUT_RULE`], [`UNUSED_IGNORE`].

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use check::{Concern, Diagnostic, Location, Parses, Severity, Sign, Tier, assign_ids};
use document::Format;
use edit::{LineIndex, Text};
use snapshot::{File, RelPath, Snapshot};

/// The source of what the engine itself finds.
pub const OWN_SOURCE: &str = "regreen";
/// The rule that a comment which ignores names what it ignores.
pub const IGNORE_WITHOUT_RULE: &str = "SEM_IGNORE_WITHOUT_RULE";
/// The rule that a comment which ignores has something to ignore.
pub const UNUSED_IGNORE: &str = "SEM_UNUSED_IGNORE";

const PHASE: &str = "ignore";
const MARK: &str = "regreen:";

/// What every file shows that has a comment which ignores.
pub const IGNORE_SIGN: Sign =
    Sign { name: MARK, is_in: |bytes| memchr::memmem::find(bytes, MARK.as_bytes()).is_some() };

/// What the comments of one file ignore.
#[derive(Debug)]
pub(crate) struct FileIgnores {
    directives: Vec<Directive>,
}

#[derive(Debug)]
struct Directive {
    covers: Covers,
    rules: BTreeSet<String>,
    location: Option<Location>,
    comment: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Covers {
    File,
    /// From 1.
    Line(u32),
    /// There is no line after the comment.
    Nothing,
}

/// By file; files without any ignore are missing.
pub(crate) type Ignores = BTreeMap<RelPath, Arc<FileIgnores>>;

/// The ignores of all files of the tree; with those of an earlier tree only the changed files are read.
pub(crate) fn update(
    parses: &Parses,
    snapshot: &Snapshot,
    before: Option<(&Ignores, &BTreeSet<RelPath>)>,
) -> Ignores {
    let read = |path: &RelPath, file: &File| {
        let ignores = read_file(parses, path, file)?;
        Some((path.clone(), Arc::new(ignores)))
    };
    let has_comments = |path: &RelPath| {
        let language = path.extension().and_then(|it| parses.language(it));
        Format::of_path(path.as_str()).is_some() || language.is_some()
    };
    let Some((before, changed)) = before else {
        let files = snapshot.files_at(has_comments);
        return files.filter_map(|(path, file)| read(path, file)).collect();
    };
    let mut ignores = before.clone();
    for path in changed {
        ignores.remove(path);
        if has_comments(path) {
            ignores.extend(snapshot.file(path).and_then(|file| read(path, file)));
        }
    }
    ignores
}

fn read_file(parses: &Parses, path: &RelPath, file: &File) -> Option<FileIgnores> {
    if !parses.shows(file, &IGNORE_SIGN) {
        return None;
    }
    let directives = match Format::of_path(path.as_str()) {
        Some(format) => {
            let parsed = parses.of(file, format);
            let comments = parsed.document().ok()?.comments();
            read_directives(parsed.text(), parsed.lines(), &comments)
        }
        None => {
            let text = file.text();
            let comments = (parses.language(path.extension()?)?.comments)(&text);
            read_directives(&text, &LineIndex::new(text.bytes()), &comments)
        }
    };
    (!directives.is_empty()).then_some(FileIgnores { directives })
}

/// How many rules the comments of a text ignore, counted once per comment.
pub(crate) fn n_ignored_rules(text: &Text, comments: impl FnOnce() -> Vec<Range<u32>>) -> usize {
    let text = text.bytes();
    if memchr::memmem::find(text, MARK.as_bytes()).is_none() {
        return 0;
    }
    let rules = comments().into_iter().filter_map(|range| {
        let bytes = text.get(range.start as usize..range.end as usize)?;
        Some(parse_comment(&String::from_utf8_lossy(bytes))?.1.len())
    });
    rules.sum()
}

fn read_directives(text: &Text, lines: &LineIndex, comments: &[Range<u32>]) -> Vec<Directive> {
    let text = text.bytes();
    let mut content_lines = None;
    let mut directives = Vec::new();
    for range in comments {
        let bytes = text.get(range.start as usize..range.end as usize).unwrap_or_default();
        let comment = String::from_utf8_lossy(bytes);
        let Some((covers_file, rules)) = parse_comment(&comment) else { continue };
        let location = Location::new(lines, range.clone());
        let covers = match location {
            _ if covers_file => Covers::File,
            None => Covers::Nothing,
            Some(location) => {
                let has_content =
                    content_lines.get_or_insert_with(|| find_content(text, lines, comments));
                covered_line(has_content, location)
            }
        };
        directives.push(Directive { covers, rules, location, comment: comment.into_owned() });
    }
    directives
}

/// Whether the comment is about the whole file, and the rules that it names; `None` if it does not ignore.
fn parse_comment(comment: &str) -> Option<(bool, BTreeSet<String>)> {
    let inner = comment.strip_prefix("/*").map(|it| it.strip_suffix("*/").unwrap_or(it));
    let body = inner.unwrap_or_else(|| comment.trim_start_matches(['#', '/']));
    let body = body.trim_matches(|it: char| it == '*' || it.is_whitespace());
    let order = body.strip_prefix(MARK)?.trim_start();
    let (verb, rest) = order.split_once(char::is_whitespace).unwrap_or((order, ""));
    let covers_file = match verb {
        "ignore" => false,
        "ignore-file" => true,
        _ => return None,
    };
    let words = rest
        .split_whitespace()
        .take_while(|word| !word.starts_with("--"))
        .flat_map(|it| it.split(','));
    Some((covers_file, words.filter(|it| !it.is_empty()).map(str::to_owned).collect()))
}

/// For every line, whether something else than blanks and comments is on it.
fn find_content(text: &[u8], lines: &LineIndex, comments: &[Range<u32>]) -> Vec<bool> {
    let mut rest = comments.iter().peekable();
    let mut has_content = Vec::new();
    let n_bom = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    for range in (0..lines.line_count()).filter_map(|line| lines.line_range(line)) {
        let mut at = range.start.max(n_bom);
        let mut found = false;
        while at < range.end {
            while rest.next_if(|comment| comment.end <= at).is_some() {}
            match rest.peek() {
                Some(comment) if comment.start <= at => at = comment.end,
                _ => {
                    found |= text.get(at as usize).is_some_and(|byte| !byte.is_ascii_whitespace());
                    at += 1;
                }
            }
        }
        has_content.push(found);
    }
    has_content
}

fn covered_line(has_content: &[bool], comment: Location) -> Covers {
    let own = comment.start_line;
    if has_content.get(own as usize - 1) == Some(&true) {
        return Covers::Line(own);
    }
    let last = comment.end_line as usize;
    let next = (last..).zip(has_content.get(last - 1..).unwrap_or_default()).find(|(_, it)| **it);
    next.and_then(|(line, _)| u32::try_from(line).ok()).map_or(Covers::Nothing, Covers::Line)
}

/// The findings that are left, those that are not, and what is wrong with the ignores themselves.
pub(crate) struct Sifted {
    pub(crate) kept: Vec<Arc<Diagnostic>>,
    /// How many are not, by file.
    pub(crate) ignored: BTreeMap<String, usize>,
    pub(crate) own: Vec<Diagnostic>,
}

/// Takes away what is ignored. That an ignore has no use is only said of files in which everything could be found.
pub(crate) fn sift(
    ignores: &Ignores,
    diagnostics: Vec<Arc<Diagnostic>>,
    is_whole: &dyn Fn(&RelPath) -> bool,
) -> Sifted {
    let mut ignored: BTreeMap<String, usize> = BTreeMap::new();
    let mut used: BTreeSet<(&str, usize, &str)> = BTreeSet::new();
    let mut kept = diagnostics;
    if !ignores.is_empty() {
        kept.retain(|diagnostic| {
            let Some((path, file)) = ignores.get_key_value(diagnostic.file.as_str()) else {
                return true;
            };
            let mut is_kept = true;
            for (idx, directive) in file.directives.iter().enumerate() {
                let Some(rule) = directive.rules.get(&diagnostic.rule_id) else { continue };
                let line = diagnostic.location.map(|it| it.start_line);
                let covers = match directive.covers {
                    Covers::File => true,
                    Covers::Line(covered) => line == Some(covered),
                    Covers::Nothing => false,
                };
                if covers {
                    used.insert((path.as_str(), idx, rule.as_str()));
                    is_kept = false;
                }
            }
            if !is_kept {
                *ignored.entry(diagnostic.file.clone()).or_default() += 1;
            }
            is_kept
        });
    }
    let mut own = Vec::new();
    for (path, file) in ignores {
        for (idx, directive) in file.directives.iter().enumerate() {
            if directive.rules.is_empty() {
                let message = "this comment ignores no rule; name the rules that it is about";
                own.push(finding(IGNORE_WITHOUT_RULE, path, directive, message.to_owned()));
            }
            let is_unused = |rule: &&String| !used.contains(&(path.as_str(), idx, rule.as_str()));
            for rule in directive.rules.iter().filter(is_unused).filter(|_| is_whole(path)) {
                let message = format!("nothing here breaks {rule}, so this comment can go");
                own.push(finding(UNUSED_IGNORE, path, directive, message));
            }
        }
    }
    assign_ids(&mut own);
    Sifted { ignored, kept, own }
}

fn finding(rule: &str, path: &RelPath, directive: &Directive, message: String) -> Diagnostic {
    Diagnostic {
        diagnostic_id: String::new(),
        rule_id: rule.to_owned(),
        source: OWN_SOURCE.to_owned(),
        phase: PHASE.to_owned(),
        tier: Tier::Semantic,
        concern: Concern::Problem,
        severity: Severity::Warning,
        message,
        file: path.as_str().to_owned(),
        json_pointer: None,
        location: directive.location,
        anchor: Some(directive.comment.clone()),
        related: Vec::new(),
        details: BTreeMap::new(),
        repair_refs: Vec::new(),
    }
}
