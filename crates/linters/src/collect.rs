//! From what a tool says to what can be used: positions are converted and every edit is checked, in one place for all
//! tools.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use check::{Safety, Severity, Syntax};
use edit::{Edit, EditSet, Text};
use snapshot::{RelPath, Snapshot};

use crate::limits::{
    MAX_DROPPED, MAX_EDITS, MAX_FINDINGS, MAX_FIXES, MAX_INSERTED, tidy_message, tidy_rule,
};
use crate::paths;
use crate::positions::{Misfit, PositionDialect, PositionIndex, Span};
use crate::report::{Dropped, FileOp, Finding, Fix, Lost, ToolReport};

/// The tree that a tool looked at: the texts that its positions are about.
pub struct Texts<'a> {
    snapshot: &'a Snapshot,
    root: String,
    folder: String,
    input: Option<RelPath>,
    named: RefCell<BTreeSet<RelPath>>,
    places: RefCell<BTreeMap<RelPath, Option<Rc<PositionIndex>>>>,
    comments: RefCell<BTreeMap<RelPath, Rc<[Range<u32>]>>>,
}

impl<'a> Texts<'a> {
    /// The files of `snapshot`, which the tool saw at the absolute path `root` and worked in.
    pub fn new(snapshot: &'a Snapshot, root: &str) -> Texts<'a> {
        Texts {
            snapshot,
            root: root.to_owned(),
            folder: String::new(),
            input: None,
            named: RefCell::default(),
            places: RefCell::default(),
            comments: RefCell::default(),
        }
    }

    /// Every path inside the root that was asked for, whether or not something is there.
    pub fn named(&self) -> Vec<RelPath> {
        self.named.borrow().iter().cloned().collect()
    }

    /// The same for a tool that worked in a folder of the tree.
    #[must_use]
    pub fn in_folder(self, folder: &RelPath) -> Texts<'a> {
        Texts { folder: folder.as_str().to_owned(), ..self }
    }

    /// The same for a tool that read the text of this file from its standard input.
    #[must_use]
    pub fn with_input(self, file: &RelPath) -> Texts<'a> {
        Texts { input: Some(file.clone()), ..self }
    }

    /// The file whose text was given on standard input.
    pub fn input(&self) -> Option<&RelPath> {
        self.input.as_ref()
    }

    /// The tree.
    pub fn snapshot(&self) -> &'a Snapshot {
        self.snapshot
    }

    /// The text of a file.
    pub fn text(&self, file: &RelPath) -> Option<Text> {
        self.snapshot.file(file).map(|it| it.text())
    }

    /// The file that a tool names, if it is inside the root.
    pub fn resolve(&self, named: &str) -> Option<RelPath> {
        if let Some(input) = &self.input
            && matches!(named, "" | "-" | "<stdin>" | "stdin" | "(stdin)" | "/dev/stdin")
        {
            return Some(input.clone());
        }
        self.inside(named, &self.folder)
    }

    fn inside(&self, named: &str, folder: &str) -> Option<RelPath> {
        let found = paths::resolve(named, &self.root, folder)?;
        self.named.borrow_mut().insert(found.clone());
        Some(found)
    }

    /// The same for a path that is relative to an absolute folder that the tool names.
    pub(crate) fn resolve_in(&self, folder: &str, named: &str) -> Option<RelPath> {
        if named.starts_with('/') || !folder.starts_with('/') {
            return self.resolve(named);
        }
        self.inside(&format!("{folder}/{named}"), "")
    }

    /// The places of a file of the tree that is a regular file. A link is not followed.
    pub(crate) fn places(&self, file: &RelPath) -> Option<Rc<PositionIndex>> {
        if let Some(known) = self.places.borrow().get(file) {
            return known.clone();
        }
        let found = self.text(file).and_then(PositionIndex::new).map(Rc::new);
        self.places.borrow_mut().insert(file.clone(), found.clone());
        found
    }

    /// Where the comments of a file are: sorted and disjoint.
    pub(crate) fn comments(&self, file: &RelPath) -> Rc<[Range<u32>]> {
        if let Some(known) = self.comments.borrow().get(file) {
            return Rc::clone(known);
        }
        let text = self.text(file).unwrap_or_default();
        let syntax = Syntax::of(file.as_str(), text.bytes());
        let found: Rc<[Range<u32>]> =
            syntax.map(|it| it.comments(&text)).unwrap_or_default().into();
        self.comments.borrow_mut().insert(file.clone(), Rc::clone(&found));
        found
    }
}

/// A finding as a tool says it.
#[derive(Clone, Debug)]
pub(crate) struct RawFinding {
    pub(crate) rule: String,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) file: Option<RelPath>,
    pub(crate) span: Option<Span>,
    /// What the tool says stands there.
    pub(crate) snippet: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) fixes: Vec<RawFix>,
}

/// A fix as a tool says it.
#[derive(Clone, Debug)]
pub(crate) struct RawFix {
    pub(crate) title: String,
    pub(crate) safety: Safety,
    pub(crate) edits: Vec<RawEdit>,
    pub(crate) files: Vec<FileOp>,
    /// Why it must not be used, if the tool's own data say so.
    pub(crate) refused: Option<String>,
}

/// An edit as a tool says it.
#[derive(Clone, Debug)]
pub(crate) struct RawEdit {
    /// The file, if not that of the finding: `Err` with its name if it is not inside the root.
    pub(crate) file: Option<Result<RelPath, String>>,
    pub(crate) span: Span,
    pub(crate) text: String,
    /// What the tool says it replaces.
    pub(crate) replaced: Option<String>,
}

impl RawFix {
    pub(crate) fn new(title: &str, safety: Safety, edits: Vec<RawEdit>) -> RawFix {
        RawFix { title: title.to_owned(), safety, edits, files: Vec::new(), refused: None }
    }

    /// The same from edits of which one could not be read.
    pub(crate) fn of(title: &str, safety: Safety, edits: Option<Vec<RawEdit>>) -> RawFix {
        let refused = edits.is_none().then(|| "the edits cannot be read".to_owned());
        RawFix { refused, ..RawFix::new(title, safety, edits.unwrap_or_default()) }
    }
}

impl RawEdit {
    pub(crate) fn new(span: Span, text: impl Into<String>) -> RawEdit {
        RawEdit { file: None, span, text: text.into(), replaced: None }
    }
}

/// Collects what a tool says.
pub(crate) struct Collector<'t, 'a> {
    texts: &'t Texts<'a>,
    dialect: PositionDialect,
    /// How edits count, if not as findings do.
    edit_dialect: PositionDialect,
    report: ToolReport,
}

impl<'t, 'a> Collector<'t, 'a> {
    pub(crate) fn new(texts: &'t Texts<'a>, dialect: PositionDialect) -> Collector<'t, 'a> {
        Collector { texts, dialect, edit_dialect: dialect, report: ToolReport::default() }
    }

    pub(crate) fn edits_in(self, edit_dialect: PositionDialect) -> Collector<'t, 'a> {
        Collector { edit_dialect, ..self }
    }

    pub(crate) fn note(&mut self, note: &str) {
        if self.report.notes.len() < 20 {
            self.report.notes.push(tidy_message(note));
        }
    }

    /// Notes a fix that is about no file of the tree.
    pub(crate) fn lose(&mut self, rule: &str, reason: &str) {
        if self.report.lost.len() >= MAX_DROPPED {
            self.report.n_more_dropped += 1;
            return;
        }
        let rule = tidy_rule(rule).unwrap_or_else(|| "unnamed".to_owned());
        self.report.lost.push(Lost { rule, reason: tidy_message(reason) });
    }

    /// Adds a finding whose place is in the dialect of the tool.
    pub(crate) fn add(&mut self, raw: RawFinding) {
        let dialect = self.dialect;
        self.add_placed(raw, |places, raw| {
            let Some(span) = raw.span else { return Ok(None) };
            let range = places.bytes(span, &dialect)?;
            if let Some(snippet) = &raw.snippet {
                places.expect(range.clone(), snippet)?;
            }
            Ok(Some(range))
        });
    }

    /// Adds a finding whose place is found by `place`.
    pub(crate) fn add_placed(
        &mut self,
        raw: RawFinding,
        place: impl Fn(&PositionIndex, &RawFinding) -> Result<Option<Range<u32>>, Misfit>,
    ) {
        let with_places = |file: RelPath| Some((self.texts.places(&file)?, file));
        let own = raw.file.clone().and_then(with_places);
        let has_place = own.is_some();
        // A finding that names no file is about what its fix edits.
        let edits = raw.fixes.iter().flat_map(|it| &it.edits).filter(|_| raw.file.is_none());
        let mut edited = edits.filter_map(|it| it.file.clone()?.ok());
        let known = own.or_else(|| edited.find_map(with_places));
        let Some((places, file)) = known else {
            self.report.n_elsewhere += 1;
            self.add_elsewhere(raw);
            return;
        };
        let rule = tidy_rule(&raw.rule).unwrap_or_else(|| "unnamed".to_owned());
        // A finding whose place is wrong is about the file; its fixes count in the same unit and are not used.
        let (range, misfit) = match place(&places, &raw) {
            Ok(range) => (range.filter(|_| has_place), None),
            Err(_) if !has_place => (None, None),
            Err(misfit) => (None, Some(misfit)),
        };
        self.report.n_misplaced += usize::from(misfit.is_some());
        let mut fixes = Vec::new();
        for fix in raw.fixes.into_iter().take(MAX_FIXES) {
            let checked = match &misfit {
                Some(misfit) => Err(format!("the position of the finding does not fit: {misfit}")),
                None => self.fix(&file, &places, fix),
            };
            match checked {
                // Two ways to the same text are one.
                Ok(fix) => {
                    if !fixes.iter().any(|it: &Fix| it.is_same(&fix)) {
                        fixes.push(fix);
                    }
                }
                Err(reason) => self.drop_fix(&rule, &file, reason),
            }
        }
        self.report.findings.push(Finding {
            rule,
            severity: raw.severity,
            message: tidy_message(&raw.message),
            file,
            range,
            url: raw.url.filter(|it| it.starts_with("https://") && it.len() < 300),
            fixes,
        });
    }

    /// A finding about no file of the tree stays only if its fix makes that file.
    fn add_elsewhere(&mut self, raw: RawFinding) {
        for fix in raw.fixes.into_iter().take(MAX_FIXES) {
            let empty = PositionIndex::new(Text::default()).map(Rc::new);
            let own = fix.files.first().map(|it| it.path().clone());
            let checked = match (own, empty) {
                (Some(own), Some(places)) => self.fix(&own, &places, fix).map(|it| (own, it)),
                _ => Err(fix.refused.unwrap_or_else(|| match &raw.file {
                    Some(file) => format!("{file} is not a file of the tree"),
                    None => "it is not about a file inside the root".to_owned(),
                })),
            };
            match checked {
                Ok((file, fix)) => self.report.findings.push(Finding {
                    rule: tidy_rule(&raw.rule).unwrap_or_else(|| "unnamed".to_owned()),
                    severity: raw.severity,
                    message: tidy_message(&raw.message),
                    file,
                    range: None,
                    url: None,
                    fixes: vec![fix],
                }),
                Err(reason) => self.lose(&raw.rule, &reason),
            }
        }
    }

    fn drop_fix(&mut self, rule: &str, file: &RelPath, reason: String) {
        if self.report.dropped.len() >= MAX_DROPPED {
            self.report.n_more_dropped += 1;
            return;
        }
        let (rule, file) = (rule.to_owned(), file.clone());
        self.report.dropped.push(Dropped { rule, file, reason: tidy_message(&reason) });
    }

    /// The fix if every edit of it fits.
    fn fix(
        &self,
        own: &RelPath,
        own_places: &Rc<PositionIndex>,
        raw: RawFix,
    ) -> Result<Fix, String> {
        if let Some(reason) = raw.refused {
            return Err(reason);
        }
        let n_inserted: usize = raw.edits.iter().map(|it| it.text.len()).sum();
        if raw.edits.len() > MAX_EDITS || n_inserted > MAX_INSERTED {
            return Err("the fix is too large".to_owned());
        }
        let mut by_file: BTreeMap<RelPath, (Rc<PositionIndex>, Vec<Edit>)> = BTreeMap::new();
        for edit in raw.edits {
            let (file, places) = match edit.file {
                None => (own.clone(), Rc::clone(own_places)),
                Some(Ok(file)) => {
                    let places = self.texts.places(&file);
                    let places =
                        places.ok_or_else(|| format!("{file} is not a file of the tree"))?;
                    (file, places)
                }
                Some(Err(named)) => return Err(format!("`{named}` is not inside the root")),
            };
            let made =
                places.edit(edit.span, &self.edit_dialect, edit.replaced.as_deref(), edit.text);
            let made = made.map_err(|misfit| misfit.to_string())?;
            by_file.entry(file).or_insert_with(|| (places, Vec::new())).1.push(made);
        }
        let mut edits = BTreeMap::new();
        for (file, (places, made)) in by_file {
            let set = EditSet::new(places.text(), made).map_err(|error| error.to_string())?;
            let changes =
                |it: &Edit| places.text().bytes()[it.start as usize..it.end as usize] != *it.text;
            if set.edits().iter().any(changes) {
                edits.insert(file, set);
            }
        }
        if edits.is_empty() && raw.files.is_empty() {
            return Err("the fix changes nothing".to_owned());
        }
        let files = raw.files;
        let title = tidy_message(&raw.title);
        Ok(Fix { title, safety: raw.safety, edits, files, is_layout: false })
    }

    pub(crate) fn finish(self) -> ToolReport {
        let mut report = self.report;
        report.findings.sort_by(|left, right| {
            let key = |it: &Finding| (it.range.as_ref().map(|it| (it.start, it.end)), it.severity);
            (&left.file, key(left), &left.rule, &left.message).cmp(&(
                &right.file,
                key(right),
                &right.rule,
                &right.message,
            ))
        });
        // The same header is looked at with every file that includes it, and some sources say a finding once for each
        // of its fixes.
        report.findings.dedup_by(|later, first| {
            let key = |it: &Finding| (it.file.clone(), it.range.clone(), it.severity);
            let is_same = key(later) == key(first)
                && (&later.rule, &later.message) == (&first.rule, &first.message);
            if is_same {
                for fix in later.fixes.drain(..) {
                    let is_known = first.fixes.iter().any(|it| it.is_same(&fix));
                    if !is_known && first.fixes.len() < MAX_FIXES {
                        first.fixes.push(fix);
                    }
                }
            }
            is_same
        });
        // What is left out does not depend on the order in which a tool with many threads says it.
        report.n_more = report.findings.len().saturating_sub(MAX_FINDINGS);
        let beyond = report.findings.drain(report.findings.len() - report.n_more..);
        report.cut = beyond.map(|it| it.file).collect();
        report
    }
}
