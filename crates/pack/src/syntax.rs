//! The provider `syntax`: every JSON, YAML and TOML file is parsed, whether or not a rule is about it.
//!
//! A file that does not parse is an error, or a warning where tests keep what is meant to be wrong; so is a key that its
//! object has twice. A file that does not parse and has the marker of a template before the place is not a finding: it is
//! counted as not checked. Where one small edit makes a file parse and keeps every value, it is offered. No tree is kept;
//! files that nothing was found in are known by their bytes in the next process and are not read again.

mod cache;
mod candidates;
mod json;
mod lines;
mod names;
mod repair;
mod slips;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use check::{
    Cache, Card, Check, Cost, Coverage, Diagnostic, Input, Interest, Location, LookError, Page,
    Parsed, Reach, Repair, Report, RuleInfo, RuleSet, Severity, Tier, Trust, Unchecked, assign_ids,
};
use document::{
    Document, Format, Limits, ParseError, ParseErrorKind, RefusalReason, RepeatedKey, Value,
};
use edit::Text;
use rayon::prelude::*;
use snapshot::{Entry, File, RelPath, Snapshot};

use crate::provider::{is_document, never_read};
use crate::report::{self, ReportContext, at_offset};
use crate::schema::cut;
use names::JsonDialect;

const SOURCE: &str = "syntax";
const PARSE: &str = "parse";
const CONTENT: &str = "schema";

const PARSE_RULE: &str = "SCHEMA_PARSE";
const DUPLICATE_RULE: &str = "SCHEMA_DUPLICATE_KEY";
const CONFLICT_RULE: &str = "SCHEMA_MERGE_CONFLICT";
const DIALECT_RULE: &str = "SCHEMA_JSON_DIALECT";

/// The rules that no other source has.
pub(crate) const OWN_RULES: [&str; 2] = [CONFLICT_RULE, DIALECT_RULE];

/// How many repeated keys of one file are named.
const MAX_DUPLICATES: usize = 100;

/// Parses every document of the workspace.
#[derive(Clone, Default)]
pub struct SyntaxCheck {
    cache: Option<Arc<dyn Cache>>,
}

impl SyntaxCheck {
    /// The name of the source.
    pub const SOURCE: &'static str = SOURCE;

    /// The same, keeping from one process to the next in which files nothing was found.
    pub fn with_cache(cache: Arc<dyn Cache>) -> SyntaxCheck {
        SyntaxCheck { cache: Some(cache) }
    }
}

static CARD: LazyLock<Card> = LazyLock::new(|| {
    let rule = |(id, severity): (&str, Severity)| RuleInfo {
        id: id.to_owned(),
        tier: Tier::Schema,
        severity: Some(severity),
    };
    let rules = [
        (PARSE_RULE, Severity::Error),
        (DUPLICATE_RULE, Severity::Error),
        (CONFLICT_RULE, Severity::Error),
        (DIALECT_RULE, Severity::Warning),
    ];
    Card {
        name: SOURCE.to_owned(),
        phases: vec![PARSE.to_owned(), CONTENT.to_owned()],
        rules: RuleSet::closed(rules.map(rule)),
        interest: Interest::matching(|path| {
            Format::of_path(path).is_some() && !names::is_own(path)
        }),
        cost: Cost::InProcess,
        trust: Trust::Sealed,
        languages: Vec::new(),
    }
});

impl Check for SyntaxCheck {
    fn card(&self) -> &Card {
        &CARD
    }

    fn page(&self, rule_id: &str) -> Option<Page> {
        crate::page(rule_id, &[])
    }

    /// Every file is judged by itself.
    fn reach(&self, input: &Input<'_>) -> Reach {
        match input.only {
            Some(_) => Reach::Files(BTreeSet::new()),
            None => Reach::Tree,
        }
    }

    fn check(&self, input: &Input<'_>) -> Result<Report, LookError> {
        let since = input.earlier::<Remembered>();
        let mut remembered = since.map_or_else(Remembered::default, |(old, changed)| {
            let files = old.files.iter().filter(|it| !changed.contains(it.0));
            let files = files.map(|(path, it)| (path.clone(), Arc::clone(it))).collect();
            let part = old.part.as_ref().map(|it| it.union(changed).cloned().collect());
            Remembered { files, part }
        });
        let named = match since {
            Some((_, changed)) => Some(changed),
            None => {
                remembered.part = input.only.cloned();
                input.only
            }
        };
        let todo: Vec<(&RelPath, &File)> = match named {
            Some(paths) => {
                let ours = paths.iter().filter(|it| is_ours(it));
                ours.filter_map(|it| Some((it, input.snapshot.file(it)?))).collect()
            }
            None => input.snapshot.files_at(is_ours).collect(),
        };
        let known = cache::CleanFiles::new(self.cache.as_deref(), input.parses.limits());
        let looked: Vec<(RelPath, SyntaxReport)> = todo
            .par_iter()
            .filter(|_| !input.stop.is_set())
            .filter_map(|(path, file)| {
                let looked = known.look(path, file, || look(input, path, file))?;
                Some(((*path).clone(), looked))
            })
            .collect();
        if input.stop.is_set() {
            return Err(LookError::stopped());
        }
        known.write();
        remembered.files.extend(looked.into_iter().map(|(path, it)| (path, Arc::new(it))));
        Ok(remembered.into_report())
    }

    /// They were tried when the findings were made, and are only left out until somebody asks.
    fn repairs(&self, _: &Input<'_>, report: &mut Report) -> Result<(), LookError> {
        let files = report.remembered::<Remembered>().into_iter().flat_map(|it| it.files.values());
        let repairs: Vec<Arc<Repair>> = files.flat_map(|it| &it.repairs).cloned().collect();
        report.repairs.extend(repairs);
        Ok(())
    }

    fn coverage(&self, snapshot: &Snapshot, report: &Report) -> Coverage {
        let memory = report.remembered::<Remembered>();
        let Some(memory) = memory else { return Coverage::default() };
        let is_asked = |path: &RelPath| memory.part.as_ref().is_none_or(|it| it.contains(path));
        let ours = snapshot.iter_at(|path| is_ours(path) && is_asked(path));
        Coverage::of_parsed(ours.filter_map(|(path, entry)| {
            let known = memory.files.get(path).and_then(|it| it.unchecked);
            let why = known.or_else(|| never_read(entry).filter(|it| *it == Unchecked::TooLarge));
            let is_file = matches!(entry, Entry::File(_));
            (is_file || why.is_some()).then(|| (path.clone(), why))
        }))
    }
}

/// Whether the file is a document by its name, and not one that regreen itself reads and answers for.
fn is_ours(path: &RelPath) -> bool {
    is_document(path) && !names::is_own(path.as_str())
}

/// What was found out about a tree.
#[derive(Default)]
struct Remembered {
    /// The files that there is something to say of.
    files: BTreeMap<RelPath, Arc<SyntaxReport>>,
    /// The files that were looked at, if not all.
    part: Option<BTreeSet<RelPath>>,
}

impl Remembered {
    fn into_report(self) -> Report {
        let is_broken = |it: &SyntaxReport| it.unchecked.is_some();
        let broken = self.files.iter().filter(|it| is_broken(it.1)).map(|it| it.0);
        Report {
            diagnostics: self.files.values().flat_map(|it| &it.diagnostics).cloned().collect(),
            blocked: broken.map(|it| (it.clone(), CONTENT.to_owned())).collect(),
            memory: Some(Arc::new(self)),
            ..Report::default()
        }
    }
}

/// What there is to say of one file.
#[derive(Default)]
struct SyntaxReport {
    diagnostics: Vec<Arc<Diagnostic>>,
    repairs: Vec<Arc<Repair>>,
    unchecked: Option<Unchecked>,
}

/// Looks at one file; `None` if nothing is to be said of it.
fn look(input: &Input<'_>, path: &RelPath, file: &File) -> Option<SyntaxReport> {
    let format = Format::of_path(path.as_str())?;
    let parsed = input.parses.once(file, format);
    let subject = ReportContext {
        source: SOURCE,
        phase: PARSE,
        tier: Tier::Schema,
        file: path,
        parsed: &parsed,
        index: 0,
        snapshot: input.snapshot,
    };
    let looked = match parsed.document() {
        Ok(document) => sound(&subject, document),
        Err(error) => broken(&subject, format, error, input.parses.limits()),
    };
    let is_silent = looked.diagnostics.is_empty() && looked.unchecked.is_none();
    (!is_silent).then_some(looked)
}

/// What is wrong with a text that parses: keys that stand twice, and what only some readers take.
fn sound(subject: &ReportContext<'_>, document: &Arc<Document>) -> SyntaxReport {
    let subject = ReportContext { phase: CONTENT, ..*subject };
    let mut diagnostics: Vec<Diagnostic> = duplicates(subject.file, document)
        .iter()
        .map(|(document, it)| duplicate_key(&subject, document, it))
        .collect();
    assign_ids(&mut diagnostics);
    let mut looked = SyntaxReport {
        diagnostics: diagnostics.into_iter().map(Arc::new).collect(),
        ..SyntaxReport::default()
    };
    let dialect = JsonDialect::of(subject.file.as_str());
    if document.format() == Format::Json
        && let Some(severity) = dialect.severity()
    {
        repair::json_dialect(&subject, document, severity, &mut looked);
    }
    looked
}

/// The keys that their objects have already, in every document of a stream.
fn duplicates(path: &RelPath, document: &Arc<Document>) -> Vec<(Arc<Document>, RepeatedKey)> {
    if names::may_repeat_keys(path.as_str()) {
        return Vec::new();
    }
    let is_repeated = |it: &Arc<Document>| {
        matches!(it.blocked().map(|it| it.reason), Some(RefusalReason::DuplicateKey { .. }))
    };
    let mut found = Vec::new();
    for document in document.all().filter(is_repeated) {
        let n_left = MAX_DUPLICATES.saturating_sub(found.len());
        let repeated = document.repeated_keys(n_left);
        found.extend(repeated.into_iter().map(|it| (Arc::clone(&document), it)));
    }
    found
}

fn duplicate_key(
    subject: &ReportContext<'_>,
    document: &Document,
    found: &RepeatedKey,
) -> Diagnostic {
    let severity = match document.format() {
        Format::Json => Severity::Warning,
        Format::Yaml | Format::Toml => names::severity(subject.file.as_str()),
    };
    let reason = RefusalReason::DuplicateKey { key: cut(&found.key) };
    let lines = subject.parsed.lines();
    let first = check::Related {
        file: subject.file.as_str().to_owned(),
        json_pointer: None,
        location: Location::new(lines, found.first.clone()),
        message: "first defined here".to_owned(),
    };
    Diagnostic {
        json_pointer: Some(found.object.to_string()),
        location: Location::new(lines, found.again.clone()).map(|it| it.in_document(document)),
        related: vec![first],
        details: BTreeMap::from([("key".to_owned(), Value::String(cut(&found.key)))]),
        ..report::finding(subject, DUPLICATE_RULE, severity, &reason.to_string())
    }
}

/// What is wrong with a text that does not parse.
fn broken(
    subject: &ReportContext<'_>,
    format: Format,
    error: &ParseError,
    limits: &Limits,
) -> SyntaxReport {
    let bytes = subject.parsed.text().bytes();
    let severity = names::severity(subject.file.as_str());
    let one = |diagnostic: Diagnostic, why| {
        let mut diagnostics = [diagnostic];
        assign_ids(&mut diagnostics);
        let [diagnostic] = diagnostics;
        SyntaxReport {
            diagnostics: vec![Arc::new(diagnostic)],
            unchecked: Some(why),
            ..SyntaxReport::default()
        }
    };
    let at = |offset: u32, rule_id: &str, severity, message: &str| Diagnostic {
        location: at_offset(subject.parsed, offset),
        ..report::finding(subject, rule_id, severity, message)
    };
    let not_checked = |why: &str| {
        let message = format!("not checked: {why}");
        one(at(error.offset, PARSE_RULE, Severity::Warning, &message), Unchecked::TooComplex)
    };
    if error.kind == ParseErrorKind::TooLarge {
        return not_checked(&error.to_string());
    }
    if let Some(offset) = lines::merge_conflict(bytes) {
        let message = "unresolved merge conflict: choose what to keep and remove the markers";
        return one(at(offset, CONFLICT_RULE, severity, message), Unchecked::SyntaxError);
    }
    if lines::template_marker(bytes).is_some_and(|it| it <= error.offset as usize) {
        return SyntaxReport { unchecked: Some(Unchecked::Template), ..SyntaxReport::default() };
    }
    let is_wide = is_wide(bytes, format, limits);
    if is_wide && format == Format::Yaml {
        return not_checked(NOT_UTF8);
    }
    if has_lone_surrogates(bytes, format, limits) {
        return not_checked(&error.to_string());
    }
    let message = match is_wide {
        true => format!("cannot be read: {NOT_UTF8}"),
        false => format!("cannot be read: {error}"),
    };
    if error.kind == ParseErrorKind::DuplicateKey {
        return one(at(error.offset, DUPLICATE_RULE, severity, &message), Unchecked::SyntaxError);
    }
    let finding = at(error.offset, PARSE_RULE, severity, &message);
    let mut looked = one(finding, Unchecked::SyntaxError);
    repair::syntax(subject, format, error, limits, &mut looked);
    looked
}

const NOT_UTF8: &str = "the text is in UTF-16 or UTF-32, not UTF-8";

/// Whether the text is in UTF-16 or UTF-32 and sound otherwise. YAML allows that.
fn is_wide(bytes: &[u8], format: Format, limits: &Limits) -> bool {
    let text = lines::wide_to_utf8(bytes);
    text.is_some_and(|it| document::parse(&Text::new(it), format, limits).is_ok())
}

/// Whether the text is JSON but for halves of surrogate pairs, which its grammar allows and no text can hold.
fn has_lone_surrogates(bytes: &[u8], format: Format, limits: &Limits) -> bool {
    let text = json::without_lone_surrogates(bytes).filter(|_| format == Format::Json);
    text.is_some_and(|it| document::parse(&Text::new(it), format, limits).is_ok())
}

/// Leaves out what [`SyntaxCheck`] says of every file: that it does not parse, and which keys stand twice.
pub(crate) fn without_syntax(diagnostics: &mut Vec<Arc<Diagnostic>>) {
    diagnostics.retain(|it| {
        let is_syntax = it.rule_id == PARSE_RULE || it.rule_id == DUPLICATE_RULE;
        !is_syntax || it.severity == Severity::Info
    });
}

/// Parses a text that somebody made of another one.
fn parse(text: &Text, format: Format, limits: &Limits) -> Option<Arc<Document>> {
    let document = document::parse(text, format, limits).ok()?;
    let is_repeated =
        matches!(document.blocked().map(|it| it.reason), Some(RefusalReason::DuplicateKey { .. }));
    (!is_repeated).then_some(document)
}

/// What is at the place of an error: the bytes of a text and where its grammar was broken.
struct ErrorSite<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> ErrorSite<'a> {
    fn new(parsed: &'a Parsed, error: &ParseError) -> ErrorSite<'a> {
        let bytes = parsed.text().bytes();
        ErrorSite { bytes, at: (error.offset as usize).min(bytes.len()) }
    }
}
