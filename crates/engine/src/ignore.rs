//! Comments that say which findings are meant to stay, in documents and in every language whose comments are known.
//!
//! `regreen: ignore RULE[, RULE…] [-- reason]` at the end of a line covers what starts on that line; on a line of its
//! own it covers the next line that is not blank or comment. `regreen: ignore-file RULE…` covers the whole file. In a
//! comment of several lines each line may say so, and covers what the whole comment would. One that names no rule, or
//! ignores nothing, is itself a finding: [`IGNORE_WITHOUT_RULE`], [`UNUSED_IGNORE`].

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use check::{Diagnostic, Location, Parses, RuleName, RuleOrigin, Severity, Sign, Tier, assign_ids};
use document::Format;
use edit::{LineIndex, Text};
use snapshot::{File, RelPath, Snapshot};

use crate::lines::code_by_line;

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
    /// As they are written.
    rules: BTreeSet<String>,
    location: Option<Location>,
    /// What it is read from.
    text: String,
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

/// The ignores of the files that are read; with those of an earlier tree only the changed files are looked at.
pub(crate) fn update(
    parses: &Parses,
    snapshot: &Snapshot,
    before: Option<(&Ignores, &BTreeSet<RelPath>)>,
    is_read: &dyn Fn(&RelPath) -> bool,
) -> Ignores {
    let read = |path: &RelPath, file: &File| {
        let ignores = read_file(parses, path, file)?;
        Some((path.clone(), Arc::new(ignores)))
    };
    let Some((before, changed)) = before else {
        let files = snapshot.files_at(is_read);
        return files.filter_map(|(path, file)| read(path, file)).collect();
    };
    let mut ignores = before.clone();
    for path in changed {
        ignores.remove(path);
        if is_read(path) {
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
            read_directives(parsed.text(), parsed.lines(), &comments, None)
        }
        None => {
            let text = file.text();
            let code = parses.code(path, &text)?;
            let comments = code.comments(&text);
            read_directives(&text, &LineIndex::new(text.bytes()), &comments, code.wrap())
        }
    };
    (!directives.is_empty()).then_some(FileIgnores { directives })
}

/// How many rules the comments of a text ignore, counted once per line of a comment.
pub(crate) fn n_ignored_rules(text: &Text, comments: impl FnOnce() -> Vec<Range<u32>>) -> usize {
    let text = text.bytes();
    if memchr::memmem::find(text, MARK.as_bytes()).is_none() {
        return 0;
    }
    let orders = comments().into_iter().flat_map(|range| orders_in(text, &range));
    orders.map(|it| it.rules.len()).sum()
}

fn read_directives(
    text: &Text,
    lines: &LineIndex,
    comments: &[Range<u32>],
    wrap: Option<(u8, u8)>,
) -> Vec<Directive> {
    let text = text.bytes();
    let mut code = None;
    let mut directives = Vec::new();
    for comment in comments {
        for order in orders_in(text, comment) {
            let covers = match Location::new(lines, comment.clone()) {
                _ if order.covers_file => Covers::File,
                None => Covers::Nothing,
                Some(comment) => {
                    let code =
                        code.get_or_insert_with(|| code_by_line(text, lines, comments, wrap));
                    covered_line(code, comment)
                }
            };
            let location = Location::new(lines, order.range.clone());
            let bytes = text.get(order.range.start as usize..order.range.end as usize);
            let text = String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
            directives.push(Directive { covers, rules: order.rules, location, text });
        }
    }
    directives
}

/// What one line of a comment says.
struct Order {
    covers_file: bool,
    rules: BTreeSet<String>,
    /// The comment if it has one line, else the line.
    range: Range<u32>,
}

/// What the lines of a comment order. Most comments order nothing.
fn orders_in(text: &[u8], comment: &Range<u32>) -> Vec<Order> {
    let bytes = text.get(comment.start as usize..comment.end as usize).unwrap_or_default();
    let mut orders = Vec::new();
    if memchr::memmem::find(bytes, MARK.as_bytes()).is_none() {
        return orders;
    }
    let mut at = comment.start;
    for line in bytes.split_inclusive(|it| matches!(it, b'\n' | b'\r')) {
        let start = at;
        at += u32::try_from(line.len()).unwrap_or(0);
        let is_last = at == comment.end;
        let Some((covers_file, rules)) =
            parse_line(&String::from_utf8_lossy(line), start == comment.start, is_last)
        else {
            continue;
        };
        let is_whole = start == comment.start && is_last;
        let indent = u32::try_from(line.len() - line.trim_ascii_start().len()).unwrap_or(0);
        let len = u32::try_from(line.trim_ascii().len()).unwrap_or(0);
        let range = if is_whole { comment.clone() } else { start + indent..start + indent + len };
        orders.push(Order { covers_file, rules, range });
    }
    orders
}

/// The marks that comments end with. Those that a shorter one ends come first.
const CLOSERS: &[&str] = &[
    "*/}", "--}}", "--%>", "*/", "-->", "]]", "#}", "}}", "%>", "-}", "*)", "|#", "=#", "]#", "#>",
    "+/", "}",
];

/// Whether the line of a comment is about the whole file, and the rules that it names; `None` if it does not ignore.
fn parse_line(line: &str, is_first: bool, is_last: bool) -> Option<(bool, BTreeSet<String>)> {
    let mut body = line.trim();
    if is_last {
        let closer = CLOSERS.iter().find_map(|it| body.strip_suffix(it));
        body = closer
            .or_else(|| body.strip_suffix(']')?.trim_end_matches('=').strip_suffix(']'))
            .unwrap_or(body);
    }
    // Comments of Vim start with `"`, those of Visual Basic with `'`; elsewhere a quote is part of what is said.
    if is_first {
        body = body.strip_prefix(['"', '\'']).unwrap_or(body);
    }
    let is_mark = |it: char| it.is_whitespace() || "#/*-;%!<{([|=@:+".contains(it);
    body = body.trim_start_matches(is_mark);
    if let Some((word, rest)) = body.split_once(' ').filter(|_| is_first)
        && word.eq_ignore_ascii_case("rem")
    {
        body = rest.trim_start();
    }
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
    let rules = words.filter(|it| it.contains(|it: char| it.is_alphanumeric()));
    Some((covers_file, rules.map(str::to_owned).collect()))
}

fn covered_line(code: &[Option<Range<u32>>], comment: Location) -> Covers {
    let own = comment.start_line;
    if code.get(own as usize - 1).is_some_and(Option::is_some) {
        return Covers::Line(own);
    }
    let last = comment.end_line as usize;
    let rest = code.get(last - 1..).unwrap_or_default();
    let next = (last..).zip(rest).find(|(_, it)| it.is_some());
    next.and_then(|(line, _)| u32::try_from(line).ok()).map_or(Covers::Nothing, Covers::Line)
}

/// The findings that are left, those that are not, and what is wrong with the ignores themselves.
pub(crate) struct Sifted {
    pub(crate) kept: Vec<Arc<Diagnostic>>,
    /// How many are not, by file.
    pub(crate) ignored: BTreeMap<String, usize>,
    pub(crate) own: Vec<Diagnostic>,
}

/// Takes away what is ignored. The sources come with whether their rules are open. That an ignore has no use is only
/// said of files in which everything could be found that it may be about: by that source, or by all.
pub(crate) fn sift(
    ignores: &Ignores,
    diagnostics: Vec<Arc<Diagnostic>>,
    sources: &BTreeMap<&str, bool>,
    is_whole: &dyn Fn(&RelPath, Option<&str>) -> bool,
) -> Sifted {
    let mut ignored: BTreeMap<String, usize> = BTreeMap::new();
    let is_source = |it: &str| it == OWN_SOURCE || sources.contains_key(it);
    let named: BTreeMap<&str, Vec<Named<'_>>> =
        ignores.iter().map(|(path, file)| (path.as_str(), names_in(file, &is_source))).collect();
    let mut used: BTreeSet<(&str, usize)> = BTreeSet::new();
    let mut unqualified: BTreeMap<(&str, usize), String> = BTreeMap::new();
    let mut kept = diagnostics;
    if !ignores.is_empty() {
        kept.retain(|diagnostic| {
            let Some((path, names)) = named.get_key_value(diagnostic.file.as_str()) else {
                return true;
            };
            let source = diagnostic.source.as_str();
            let is_open = sources.get(source).copied().unwrap_or(false);
            let mut is_kept = true;
            for (idx, it) in names.iter().enumerate().filter(|(_, it)| it.covers(diagnostic)) {
                if it.name.names(source, &diagnostic.rule_id, is_open) {
                    used.insert((*path, idx));
                    is_kept = false;
                } else if it.name.names(source, &diagnostic.rule_id, false) {
                    unqualified.entry((*path, idx)).or_insert_with(|| source.to_owned());
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
        for directive in file.directives.iter().filter(|it| it.rules.is_empty()) {
            let message = "this comment names no rule; name the rules to ignore";
            own.push(finding(IGNORE_WITHOUT_RULE, path, directive, message.to_owned()));
        }
        for (idx, Named { name, directive }) in
            named.get(path.as_str()).into_iter().flatten().enumerate()
        {
            if used.contains(&(path.as_str(), idx)) || !is_whole(path, name.source()) {
                continue;
            }
            let message = match unqualified.get(&(path.as_str(), idx)) {
                Some(source) => {
                    let whole = RuleName::qualified(source, name.rule());
                    format!("{name} alone does not name a rule of {source}; write {whole}")
                }
                None => format!("nothing here breaks {name}, so this comment can go"),
            };
            own.push(finding(UNUSED_IGNORE, path, directive, message));
        }
    }
    assign_ids(&mut own);
    Sifted { ignored, kept, own }
}

/// A rule that a directive names.
struct Named<'a> {
    name: RuleName,
    directive: &'a Directive,
}

impl Named<'_> {
    fn covers(&self, diagnostic: &Diagnostic) -> bool {
        match self.directive.covers {
            Covers::File => true,
            Covers::Line(covered) => diagnostic.location.is_some_and(|it| it.start_line == covered),
            Covers::Nothing => false,
        }
    }
}

fn names_in<'a>(file: &'a FileIgnores, is_source: &dyn Fn(&str) -> bool) -> Vec<Named<'a>> {
    let mut names = Vec::new();
    for directive in &file.directives {
        let rules = directive.rules.iter();
        let read = rules.filter_map(|it| RuleName::parse(it, is_source));
        names.extend(read.map(|name| Named { name, directive }));
    }
    names
}

fn finding(rule: &str, path: &RelPath, directive: &Directive, message: String) -> Diagnostic {
    let rule = RuleOrigin { source: OWN_SOURCE, phase: PHASE, tier: Tier::Semantic, rule_id: rule };
    Diagnostic::new(rule, Severity::Warning, path.as_str(), message)
        .located(directive.location)
        .anchored(directive.text.as_str())
}
