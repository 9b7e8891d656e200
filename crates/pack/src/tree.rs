//! The occurrences of all files together, for the rules that compare files, and what else a change of one occurrence would break.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use check::{Diagnostic, Repair, RepairOp, Unchecked};
use document::{Op, Pointer, Value};
use snapshot::{RelPath, Snapshot};

use crate::finding::{Suggestion, op};
use crate::pack::Pack;
use crate::rules::RuleBody;
use crate::selector::{FileOccurrence, Occurrence, key_of};

/// A rename that reaches further than this is for a person to plan.
const MAX_RENAMED: usize = 1000;

/// What is known of one file: what is wrong in it, and its occurrences for the rules that compare files.
#[derive(Debug, Default)]
pub(crate) struct FileAnalysis {
    /// The kinds of its documents, if the file could be read.
    pub(crate) kinds: Vec<Option<usize>>,
    /// The kinds it may be of, if it could not.
    pub(crate) dark: Vec<usize>,
    pub(crate) occurrences: Vec<OccurrenceList>,
    pub(crate) diagnostics: Vec<Arc<Diagnostic>>,
    pub(crate) repairs: Vec<Arc<Repair>>,
    /// The first phase that could not run.
    pub(crate) blocked: Option<&'static str>,
    /// What kept it from being looked at completely.
    pub(crate) unchecked: BTreeSet<Unchecked>,
}

/// The occurrences of one role of one rule, by position of the rule in the pack.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct OccurrenceList {
    pub(crate) rule: usize,
    pub(crate) role: usize,
    pub(crate) occurrences: Vec<Occurrence>,
}

type Index<'a> = HashMap<&'a str, Vec<FileOccurrence<'a>>>;

/// The files of a pack's kinds, as the rules see them.
pub(crate) struct PackTree<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pack: &'a Pack,
    files: &'a BTreeMap<RelPath, Arc<FileAnalysis>>,
    dark: Vec<bool>,
    /// Facts by value, per rule and role; built when they are first asked for.
    indexes: Vec<[OnceCell<Index<'a>>; 2]>,
}

impl<'a> PackTree<'a> {
    pub(crate) fn new(
        pack: &'a Pack,
        snapshot: &'a Snapshot,
        files: &'a BTreeMap<RelPath, Arc<FileAnalysis>>,
    ) -> PackTree<'a> {
        let mut dark = vec![false; pack.kinds.len()];
        for kind in files.values().flat_map(|it| &it.dark) {
            dark[*kind] = true;
        }
        let indexes = pack.rules.iter().map(|_| Default::default()).collect();
        PackTree { snapshot, pack, files, dark, indexes }
    }

    /// Whether a file that may hold a place of this role cannot be read.
    pub(crate) fn is_dark(&self, rule: usize, role: usize) -> bool {
        self.pack.rules[rule].body.places().iter().any(|it| it.0 == role && self.dark[it.1.kind])
    }

    /// The occurrences of a role, in the order of path and position.
    pub(crate) fn occurrences(&self, rule: usize, role: usize) -> Vec<FileOccurrence<'a>> {
        let mut found = Vec::new();
        for (file, look) in self.files {
            if let Ok(idx) =
                look.occurrences.binary_search_by_key(&(rule, role), |it| (it.rule, it.role))
            {
                found.extend(
                    look.occurrences[idx].occurrences.iter().map(|occurrence| (file, occurrence)),
                );
            }
        }
        found
    }

    /// Whether a repair of the rule leaves what every other rule says of the changed places as it was.
    pub(crate) fn keeps_whole(&self, rule: usize, suggestion: &Suggestion) -> bool {
        if let RuleBody::Derived(_) = self.pack.rules[rule].body {
            return true; // Made by `renames`, which has looked already.
        }
        suggestion.ops.iter().filter_map(ValueReplacement::of).all(|it| !self.breaks(rule, &it))
    }

    /// Whether a rule other than `except` would find something new.
    fn breaks(&self, except: usize, change: &ValueReplacement) -> bool {
        let others =
            self.covering(&change.file, change.document, &change.at, change.is_key).into_iter();
        others.filter(|it| it.0 != except).any(|(rule, role)| self.rule_breaks(rule, role, change))
    }

    fn rule_breaks(&self, rule: usize, role: usize, change: &ValueReplacement) -> bool {
        let (old, new) = (change.old.as_str(), change.new.as_str());
        let n = |role: usize, key: &str| self.index(rule, role).get(key).map_or(0, Vec::len);
        match (&self.pack.rules[rule].body, role) {
            (RuleBody::Unique(_), _) => n(0, new) > 0,
            (RuleBody::Reference(_), 0) => n(1, new) == 0 && n(1, old) > 0,
            (RuleBody::Imports(it), 0) => it.is_by_path() || n(1, new) == 0 && n(1, old) > 0,
            (RuleBody::Reference(_) | RuleBody::Imports(_), _) => n(0, old) > 0 && n(1, old) == 1,
            (RuleBody::SameAs(_), 0) => n(1, old) > 0,
            (RuleBody::SameAs(_), _) => n(0, old) > 0,
            // Its occurrences are the values that are wrong; a value that is not among them is right as it is.
            (RuleBody::Derived(_), _) => {
                !self.index(rule, 0).get(old).into_iter().flatten().any(|(file, occurrence)| {
                    **file == change.file
                        && occurrence.document == change.document
                        && occurrence.pointer() == change.at
                        && occurrence
                            .wanted
                            .as_deref()
                            .is_some_and(|it| key_of(&Value::String(it.to_owned())) == new)
                })
            }
            _ => false,
        }
    }

    /// Whether a value may be added at a place where there was none, as far as every other rule is concerned.
    pub(crate) fn may_add(
        &self,
        rule: usize,
        located: FileOccurrence<'_>,
        at: &Pointer,
        value: &Value,
    ) -> bool {
        let new = key_of(value);
        let n = |rule: usize, role: usize| self.index(rule, role).get(&*new).map_or(0, Vec::len);
        let others = self
            .covering(located.0, located.1.document, at, false)
            .into_iter()
            .filter(|it| it.0 != rule);
        others.into_iter().all(|(other, role)| match (&self.pack.rules[other].body, role) {
            (RuleBody::Unique(_), _) => n(other, 0) == 0,
            (RuleBody::Reference(_), 0) => n(other, 1) > 0,
            // A second source may differ from the first; a second template is hardly the same.
            (RuleBody::SameAs(_), 0) => self.index(other, 0).is_empty(),
            (RuleBody::SameAs(_), _) => n(other, 0) > 0,
            (RuleBody::Imports(_), 0) | (RuleBody::Derived(_), _) => false,
            _ => true,
        })
    }

    /// What else must change when the value of an occurrence does, so that whoever names it still names it; `None` if that
    /// cannot be done without breaking something.
    pub(crate) fn renames(
        &self,
        rule: usize,
        located: FileOccurrence<'a>,
        wanted: &Value,
    ) -> Option<Vec<RepairOp>> {
        let (file, occurrence) = located;
        let (old, new) = (&*occurrence.key, key_of(wanted));
        let change = ValueReplacement {
            file: file.clone(),
            document: occurrence.document,
            at: occurrence.pointer(),
            is_key: false,
            old: old.to_owned(),
            new: new.clone(),
        };
        let mut along: BTreeMap<(&RelPath, usize, &str, bool), FileOccurrence<'a>> =
            BTreeMap::new();
        for (other, role) in self.covering(file, occurrence.document, &change.at, false) {
            if other == rule {
                continue;
            }
            let names_it = match (&self.pack.rules[other].body, role) {
                (RuleBody::Reference(_) | RuleBody::Imports(_), 1) => {
                    self.index(other, 1).get(old)?.len() == 1
                }
                (RuleBody::SameAs(_), 0) => true,
                _ if self.rule_breaks(other, role, &change) => return None,
                _ => false,
            };
            if names_it {
                let referring = self.index(other, 1 - role).get(old).into_iter().flatten();
                along.extend(
                    referring.map(|it| ((it.0, it.1.document, &*it.1.at, it.1.is_key), *it)),
                );
            }
        }
        if along.len() > MAX_RENAMED
            || along.values().any(|it| !self.may_follow(rule, located, *it, &new))
        {
            return None;
        }
        along.values().map(|(file, occurrence)| Some(op(file, occurrence.set(wanted)?))).collect()
    }

    /// Whether a place that names a renamed value may be renamed with it: every rule about it is one that makes it
    /// follow, or does not mind.
    fn may_follow(
        &self,
        except: usize,
        renamed: FileOccurrence<'a>,
        named: FileOccurrence<'a>,
        new: &str,
    ) -> bool {
        let at = renamed.1.pointer();
        let change = ValueReplacement {
            file: named.0.clone(),
            document: named.1.document,
            at: named.1.pointer(),
            is_key: named.1.is_key,
            old: named.1.key.to_string(),
            new: new.to_owned(),
        };
        let follows = |rule: usize, role: usize| {
            let target = self.covering(renamed.0, renamed.1.document, &at, renamed.1.is_key);
            match (&self.pack.rules[rule].body, role) {
                (RuleBody::Reference(_) | RuleBody::Imports(_), 0) => target.contains(&(rule, 1)),
                (RuleBody::SameAs(_), 1) => target.contains(&(rule, 0)),
                _ => false,
            }
        };
        let covering =
            self.covering(named.0, change.document, &change.at, change.is_key).into_iter();
        covering
            .filter(|it| it.0 != except && !follows(it.0, it.1))
            .all(|(rule, role)| !self.rule_breaks(rule, role, &change))
    }

    /// The rules that compare files, with their roles, that look at a place.
    fn covering(
        &self,
        file: &RelPath,
        document: usize,
        at: &Pointer,
        is_key: bool,
    ) -> Vec<(usize, usize)> {
        let kinds = self.files.get(file).map(|it| &*it.kinds).unwrap_or_default();
        let Some(kind) = kinds.get(document).copied().flatten() else { return Vec::new() };
        let rules = self.pack.tree_rules.iter().flat_map(|rule| {
            let places = self.pack.rules[*rule].body.places().into_iter();
            let here = places.filter(|it| it.1.covers(kind, at, is_key));
            here.map(|it| (*rule, it.0)).collect::<Vec<_>>()
        });
        let mut found: Vec<(usize, usize)> = rules.collect();
        found.dedup();
        found
    }

    fn index(&self, rule: usize, role: usize) -> &Index<'a> {
        self.indexes[rule][role].get_or_init(|| {
            let mut index: Index<'a> = HashMap::new();
            for located in self.occurrences(rule, role) {
                index.entry(&located.1.key).or_default().push(located);
            }
            index
        })
    }
}

/// A value or key that becomes another.
struct ValueReplacement {
    file: RelPath,
    document: usize,
    at: Pointer,
    is_key: bool,
    old: String,
    new: String,
}

impl ValueReplacement {
    fn of(op: &RepairOp) -> Option<ValueReplacement> {
        let RepairOp::Document { file, step } = op else { return None };
        let key = |text: &str| key_of(&Value::String(text.to_owned()));
        let (at, is_key, old, new) = match &step.op {
            Op::ReplaceValue { at, value } => {
                let old = step.expects.equals.as_ref().map(key_of).unwrap_or_default();
                (at.clone(), false, old, key_of(value))
            }
            Op::RenameKey { at, from, to } => (at.join(from.as_str()), true, key(from), key(to)),
            _ => return None,
        };
        Some(ValueReplacement { file: file.clone(), document: step.document, at, is_key, old, new })
    }
}
