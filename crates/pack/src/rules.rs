//! The kinds of rules. Each file here is one kind: its members, what it finds, and the repairs that it can justify.
//!
//! A kind either looks at one document at a time or compares occurrences of many files. The latter get nothing but occurrences, so
//! that a file that did not change is not looked at again.

pub(crate) mod cel;
pub(crate) mod deprecated;
pub(crate) mod derived;
pub(crate) mod forbidden;
pub(crate) mod imports;
mod nearest;
pub(crate) mod ordered;
pub(crate) mod reference;
pub(crate) mod same_as;
pub(crate) mod together;
pub(crate) mod unique;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use check::{Safety, Severity, Tier};
use document::{Document, Value};
use snapshot::RelPath;

use crate::finding::RuleFinding;
use crate::github;
use crate::selector::{Occurrence, Selector, occurrences_of};
use crate::tree::PackTree;

/// A rule of a pack.
#[derive(Debug)]
pub(crate) struct PackRule {
    pub(crate) id: String,
    pub(crate) tier: Tier,
    pub(crate) severity: Severity,
    /// Why it matters, in one sentence.
    pub(crate) message: Option<String>,
    /// The pack's own bound on the safety of repairs.
    pub(crate) floor: Option<Safety>,
    pub(crate) about: String,
    pub(crate) body: RuleBody,
}

/// What a rule looks for.
#[derive(Debug)]
pub(crate) enum RuleBody {
    Unique(unique::Unique),
    Reference(reference::Reference),
    SameAs(same_as::SameAs),
    Imports(imports::ImportRule),
    Derived(derived::Derived),
    Ordered(ordered::Ordered),
    Forbidden(forbidden::Forbidden),
    Deprecated(deprecated::Deprecated),
    Together(together::Together),
    Cel(Box<cel::Cel>),
    Workflow(github::Workflow),
    Calls(github::Calls),
}

/// How far a rule compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Within {
    Workspace,
    File,
}

/// One document, for the rules that look at one at a time.
pub(crate) struct FileView<'a> {
    pub(crate) file: &'a RelPath,
    pub(crate) kind: usize,
    pub(crate) value: &'a Value,
    /// The document, for repairs that are edits of its text; `None` where the value is a trial.
    pub(crate) document: Option<&'a Arc<Document>>,
    /// What all rules about workflows find, in one look.
    workflow: OnceCell<Vec<github::ByRule>>,
}

impl<'a> FileView<'a> {
    pub(crate) fn new(
        file: &'a RelPath,
        kind: usize,
        value: &'a Value,
        document: Option<&'a Arc<Document>>,
    ) -> FileView<'a> {
        FileView { file, kind, value, document, workflow: OnceCell::new() }
    }
}

/// What a rule has found in the tree.
pub(crate) struct TreeFindings {
    pub(crate) found: Vec<RuleFinding>,
    /// The files of which not everything could be said, because another file cannot be read.
    pub(crate) hidden: BTreeSet<RelPath>,
    /// The files in which it is not known whether something is wrong, because what they depend on may be in a file that
    /// cannot be read.
    pub(crate) undecided: BTreeSet<RelPath>,
}

impl RuleBody {
    /// The name in `pack.yaml`.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            RuleBody::Unique(_) => "unique",
            RuleBody::Reference(_) => "reference",
            RuleBody::SameAs(_) => "same_as",
            RuleBody::Imports(_) => "imports",
            RuleBody::Derived(_) => "derived",
            RuleBody::Ordered(_) => "ordered",
            RuleBody::Forbidden(_) => "forbidden",
            RuleBody::Deprecated(_) => "deprecated",
            RuleBody::Together(_) => "together",
            RuleBody::Cel(_) => "cel",
            RuleBody::Workflow(_) => "workflow",
            RuleBody::Calls(_) => "workflow_call",
        }
    }

    /// The strictest safety that a repair of this rule has by itself; `None` if it has no repairs.
    pub(crate) fn own_safety(&self) -> Option<Safety> {
        match self {
            RuleBody::Reference(_)
            | RuleBody::SameAs(_)
            | RuleBody::Imports(_)
            | RuleBody::Derived(_)
            | RuleBody::Workflow(_)
            | RuleBody::Calls(_) => Some(Safety::BehaviorChanging),
            RuleBody::Ordered(rule) => Some(rule.own_safety()),
            RuleBody::Deprecated(_) => Some(Safety::LikelyPreserving),
            RuleBody::Forbidden(rule) => rule.remove.then_some(Safety::BehaviorChanging),
            RuleBody::Unique(_) | RuleBody::Together(_) | RuleBody::Cel(_) => None,
        }
    }

    /// The places whose occurrences the rule compares, each with its role.
    pub(crate) fn places(&self) -> Vec<(usize, &Selector)> {
        fn roles<'a>(lists: &[&'a [Selector]]) -> Vec<(usize, &'a Selector)> {
            let lists = lists.iter().enumerate();
            lists.flat_map(|(role, list)| list.iter().map(move |it| (role, it))).collect()
        }
        match self {
            RuleBody::Unique(rule) => roles(&[&rule.places]),
            RuleBody::Reference(rule) => roles(&[&rule.from, &rule.to]),
            RuleBody::SameAs(rule) => roles(&[std::slice::from_ref(&rule.source), &rule.copies]),
            RuleBody::Imports(rule) => roles(&[&rule.from, rule.to()]),
            RuleBody::Derived(rule) => roles(&[std::slice::from_ref(&rule.at)]),
            RuleBody::Ordered(rule) => roles(&[std::slice::from_ref(&rule.at)]),
            RuleBody::Forbidden(rule) => roles(&[std::slice::from_ref(&rule.at)]),
            RuleBody::Deprecated(rule) => roles(&[std::slice::from_ref(&rule.at)]),
            RuleBody::Together(rule) => roles(&[std::slice::from_ref(&rule.at)]),
            RuleBody::Cel(rule) => roles(&[std::slice::from_ref(&rule.at)]),
            RuleBody::Workflow(rule) => roles(&[&rule.at]),
            RuleBody::Calls(rule) => roles(&[&rule.from, &rule.to]),
        }
    }

    /// Whether the rule compares occurrences of many files.
    pub(crate) fn is_about_the_tree(&self) -> bool {
        match self {
            RuleBody::Unique(rule) => rule.within == Within::Workspace,
            RuleBody::Reference(rule) => rule.within == Within::Workspace,
            RuleBody::SameAs(_) | RuleBody::Calls(_) => true,
            RuleBody::Imports(rule) => rule.within() == Within::Workspace,
            RuleBody::Derived(rule) => rule.is_shared,
            RuleBody::Ordered(_)
            | RuleBody::Forbidden(_)
            | RuleBody::Deprecated(_)
            | RuleBody::Together(_)
            | RuleBody::Cel(_)
            | RuleBody::Workflow(_) => false,
        }
    }
}

impl PackRule {
    /// The phase that owns the rule.
    pub(crate) fn phase(&self) -> &'static str {
        match self.tier {
            Tier::Policy => "policy",
            Tier::Schema | Tier::Semantic => "semantic",
        }
    }

    /// What is wrong, and then why it matters. An expression says neither, so where a guard has words of its own they
    /// come first.
    pub(crate) fn message(&self, found: &RuleFinding) -> String {
        match (&self.message, &self.body) {
            // The reason says what is wrong, and that is just what could not be found out.
            _ if found.is_undecided() => found.message.clone(),
            (None, _) => found.message.clone(),
            (Some(reason), RuleBody::Cel(rule)) if found.severity.is_none() => {
                format!("{} (`{}` does not hold)", reason.trim_end_matches('.'), rule.text)
            }
            (Some(reason), _) => format!("{}. {reason}", found.message),
        }
    }

    /// What the rule knows of a file for comparing it with others, one list per role.
    pub(crate) fn occurrences(&self, view: &FileView<'_>) -> Vec<(usize, Vec<Occurrence>)> {
        if let RuleBody::Derived(rule) = &self.body {
            return vec![(0, rule.occurrences(view))];
        }
        if let RuleBody::Calls(rule) = &self.body {
            return rule.occurrences(view);
        }
        let places = self.body.places();
        let n_roles = places.iter().map(|it| it.0 + 1).max().unwrap_or_default();
        let of_role = |role: usize| {
            let here =
                places.iter().filter(|it| it.0 == role && it.1.kind == view.kind).map(|it| it.1);
            (role, occurrences_of(here, view.value))
        };
        (0..n_roles).map(of_role).collect()
    }

    /// What is wrong in one document, by a rule that looks at one at a time.
    pub(crate) fn look_at_file(&self, view: &FileView<'_>) -> Vec<RuleFinding> {
        let mut occurrences = Vec::new();
        if matches!(self.body, RuleBody::Unique(_) | RuleBody::Reference(_) | RuleBody::Imports(_))
        {
            occurrences = self.occurrences(view);
        }
        if let RuleBody::Imports(rule) = &self.body {
            occurrences.iter_mut().flat_map(|it| &mut it.1).for_each(|it| rule.fold(it));
        }
        let located = |role: usize| {
            let list = occurrences.iter().filter(move |it| it.0 == role).flat_map(|it| &it.1);
            list.map(|occurrence| (view.file, occurrence)).collect::<Vec<_>>()
        };
        match &self.body {
            RuleBody::Unique(rule) => rule.look(&located(0)),
            RuleBody::Reference(rule) => rule.look(self.floor, &located(0), &located(1)),
            RuleBody::Derived(rule) => rule.look_at_file(self.floor, view),
            RuleBody::Ordered(rule) => rule.look(self.floor, view),
            RuleBody::Forbidden(rule) => rule.look(self.floor, view),
            RuleBody::Deprecated(rule) => rule.look(self.floor, view),
            RuleBody::Together(rule) => rule.look(view),
            RuleBody::Cel(rule) => rule.look(view),
            RuleBody::Imports(rule) => rule.look_at_file(self.floor, &located(0), &located(1)),
            RuleBody::Workflow(_) => {
                let all = view.workflow.get_or_init(|| github::look(view));
                all.iter().filter(|it| it.0 == self.id).map(|it| it.1.clone()).collect()
            }
            RuleBody::SameAs(_) | RuleBody::Calls(_) => Vec::new(),
        }
    }

    /// What is wrong in the tree, by the rule at this position of the pack, which compares occurrences of many files.
    pub(crate) fn look_at_tree(&self, idx: usize, tree: &PackTree<'_>) -> TreeFindings {
        let targets_are_dark = tree.is_dark(idx, 1);
        let sources_are_dark = tree.is_dark(idx, 0);
        let mut found = match &self.body {
            RuleBody::Unique(rule) => rule.look(&tree.occurrences(idx, 0)),
            // What is missing may stand in a file that cannot be read.
            RuleBody::Reference(_) if targets_are_dark => Vec::new(),
            RuleBody::SameAs(_) if sources_are_dark => Vec::new(),
            RuleBody::Reference(rule) => {
                rule.look(self.floor, &tree.occurrences(idx, 0), &tree.occurrences(idx, 1))
            }
            RuleBody::SameAs(rule) => {
                rule.look(self.floor, &tree.occurrences(idx, 0), &tree.occurrences(idx, 1))
            }
            RuleBody::Imports(rule) => rule.look_at_tree(
                self.floor,
                &tree.occurrences(idx, 0),
                &tree.occurrences(idx, 1),
                targets_are_dark,
                tree,
            ),
            RuleBody::Derived(rule) => rule.look_at_tree(self.floor, idx, tree),
            RuleBody::Calls(rule) => {
                rule.look(&tree.occurrences(idx, 0), &tree.occurrences(idx, 1), tree.snapshot)
            }
            _ => Vec::new(),
        };
        for one in &mut found {
            one.suggestion = one.suggestion.take().filter(|it| tree.keeps_whole(idx, it));
        }
        let mut hidden = BTreeSet::new();
        if targets_are_dark || sources_are_dark {
            let located = tree.occurrences(idx, 0).into_iter().chain(tree.occurrences(idx, 1));
            hidden.extend(located.map(|(file, _)| file.clone()));
        }
        let depending = match &self.body {
            RuleBody::Reference(_) | RuleBody::Imports(_) if targets_are_dark => {
                tree.occurrences(idx, 0)
            }
            RuleBody::SameAs(_) if sources_are_dark => tree.occurrences(idx, 1),
            _ => Vec::new(),
        };
        let undecided = depending.into_iter().map(|(file, _)| file.clone()).collect();
        TreeFindings { found, hidden, undecided }
    }
}

#[cfg(test)]
mod tests;
