//! The kinds of rules. Each file here is one kind: its members, what it finds, and the repairs that it can justify.
//!
//! A kind either looks at one document at a time or compares facts of many files. The latter get nothing but facts, so
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

use crate::found::Found;
use crate::github;
use crate::place::{Fact, Place, facts_of};
use crate::tree::Tree;

/// A rule of a pack.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) tier: Tier,
    pub(crate) severity: Severity,
    /// Why it matters, in one sentence.
    pub(crate) message: Option<String>,
    /// The pack's own bound on the safety of repairs.
    pub(crate) floor: Option<Safety>,
    pub(crate) about: String,
    pub(crate) body: Body,
}

/// What a rule looks for.
#[derive(Debug)]
pub(crate) enum Body {
    Unique(unique::Unique),
    Reference(reference::Reference),
    SameAs(same_as::SameAs),
    Imports(imports::Imports),
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
pub(crate) struct View<'a> {
    pub(crate) file: &'a RelPath,
    pub(crate) kind: usize,
    pub(crate) value: &'a Value,
    /// The document, for repairs that are edits of its text; `None` where the value is a trial.
    pub(crate) document: Option<&'a Arc<Document>>,
    /// What all rules about workflows find, in one look.
    workflow: OnceCell<Vec<github::ByRule>>,
}

impl<'a> View<'a> {
    pub(crate) fn new(
        file: &'a RelPath,
        kind: usize,
        value: &'a Value,
        document: Option<&'a Arc<Document>>,
    ) -> View<'a> {
        View { file, kind, value, document, workflow: OnceCell::new() }
    }
}

/// What a rule has found in the tree.
pub(crate) struct Looked {
    pub(crate) found: Vec<Found>,
    /// The files of which not everything could be said, because another file cannot be read.
    pub(crate) hidden: BTreeSet<RelPath>,
    /// The files in which it is not known whether something is wrong, because what they depend on may be in a file that
    /// cannot be read.
    pub(crate) undecided: BTreeSet<RelPath>,
}

impl Body {
    /// The name in `pack.yaml`.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Body::Unique(_) => "unique",
            Body::Reference(_) => "reference",
            Body::SameAs(_) => "same_as",
            Body::Imports(_) => "imports",
            Body::Derived(_) => "derived",
            Body::Ordered(_) => "ordered",
            Body::Forbidden(_) => "forbidden",
            Body::Deprecated(_) => "deprecated",
            Body::Together(_) => "together",
            Body::Cel(_) => "cel",
            Body::Workflow(_) => "workflow",
            Body::Calls(_) => "workflow_call",
        }
    }

    /// The strictest safety that a repair of this rule has by itself; `None` if it has no repairs.
    pub(crate) fn own_safety(&self) -> Option<Safety> {
        match self {
            Body::Reference(_)
            | Body::SameAs(_)
            | Body::Imports(_)
            | Body::Derived(_)
            | Body::Workflow(_)
            | Body::Calls(_) => Some(Safety::BehaviorChanging),
            Body::Ordered(rule) => Some(rule.own_safety()),
            Body::Deprecated(_) => Some(Safety::LikelyPreserving),
            Body::Forbidden(rule) => rule.remove.then_some(Safety::BehaviorChanging),
            Body::Unique(_) | Body::Together(_) | Body::Cel(_) => None,
        }
    }

    /// The places whose facts the rule compares, each with its role.
    pub(crate) fn places(&self) -> Vec<(usize, &Place)> {
        fn roles<'a>(lists: &[&'a [Place]]) -> Vec<(usize, &'a Place)> {
            let lists = lists.iter().enumerate();
            lists.flat_map(|(role, list)| list.iter().map(move |it| (role, it))).collect()
        }
        match self {
            Body::Unique(rule) => roles(&[&rule.places]),
            Body::Reference(rule) => roles(&[&rule.from, &rule.to]),
            Body::SameAs(rule) => roles(&[std::slice::from_ref(&rule.source), &rule.copies]),
            Body::Imports(rule) => roles(&[&rule.from, rule.to()]),
            Body::Derived(rule) => roles(&[std::slice::from_ref(&rule.at)]),
            Body::Ordered(rule) => roles(&[std::slice::from_ref(&rule.at)]),
            Body::Forbidden(rule) => roles(&[std::slice::from_ref(&rule.at)]),
            Body::Deprecated(rule) => roles(&[std::slice::from_ref(&rule.at)]),
            Body::Together(rule) => roles(&[std::slice::from_ref(&rule.at)]),
            Body::Cel(rule) => roles(&[std::slice::from_ref(&rule.at)]),
            Body::Workflow(rule) => roles(&[&rule.at]),
            Body::Calls(rule) => roles(&[&rule.from, &rule.to]),
        }
    }

    /// Whether the rule compares facts of many files.
    pub(crate) fn is_about_the_tree(&self) -> bool {
        match self {
            Body::Unique(rule) => rule.within == Within::Workspace,
            Body::Reference(rule) => rule.within == Within::Workspace,
            Body::SameAs(_) | Body::Calls(_) => true,
            Body::Imports(rule) => rule.within() == Within::Workspace,
            Body::Derived(rule) => rule.is_shared,
            Body::Ordered(_)
            | Body::Forbidden(_)
            | Body::Deprecated(_)
            | Body::Together(_)
            | Body::Cel(_)
            | Body::Workflow(_) => false,
        }
    }
}

impl Rule {
    /// The phase that owns the rule.
    pub(crate) fn phase(&self) -> &'static str {
        match self.tier {
            Tier::Policy => "policy",
            Tier::Schema | Tier::Semantic => "semantic",
        }
    }

    /// What is wrong, and then why it matters. An expression says neither, so where a guard has words of its own they
    /// come first.
    pub(crate) fn say(&self, found: &Found) -> String {
        match (&self.message, &self.body) {
            // The reason says what is wrong, and that is just what could not be found out.
            _ if found.is_undecided() => found.message.clone(),
            (None, _) => found.message.clone(),
            (Some(reason), Body::Cel(rule)) if found.severity.is_none() => {
                format!("{} (`{}` does not hold)", reason.trim_end_matches('.'), rule.text)
            }
            (Some(reason), _) => format!("{}. {reason}", found.message),
        }
    }

    /// What the rule knows of a file for comparing it with others, one list per role.
    pub(crate) fn facts(&self, view: &View<'_>) -> Vec<(usize, Vec<Fact>)> {
        if let Body::Derived(rule) = &self.body {
            return vec![(0, rule.facts(view))];
        }
        if let Body::Calls(rule) = &self.body {
            return rule.facts(view);
        }
        let places = self.body.places();
        let n_roles = places.iter().map(|it| it.0 + 1).max().unwrap_or_default();
        let of_role = |role: usize| {
            let here =
                places.iter().filter(|it| it.0 == role && it.1.kind == view.kind).map(|it| it.1);
            (role, facts_of(here, view.value))
        };
        (0..n_roles).map(of_role).collect()
    }

    /// What is wrong in one document, by a rule that looks at one at a time.
    pub(crate) fn look_at_file(&self, view: &View<'_>) -> Vec<Found> {
        let mut facts = Vec::new();
        if matches!(self.body, Body::Unique(_) | Body::Reference(_) | Body::Imports(_)) {
            facts = self.facts(view);
        }
        if let Body::Imports(rule) = &self.body {
            facts.iter_mut().flat_map(|it| &mut it.1).for_each(|it| rule.fold(it));
        }
        let sited = |role: usize| {
            let list = facts.iter().filter(move |it| it.0 == role).flat_map(|it| &it.1);
            list.map(|fact| (view.file, fact)).collect::<Vec<_>>()
        };
        match &self.body {
            Body::Unique(rule) => rule.look(&sited(0)),
            Body::Reference(rule) => rule.look(self.floor, &sited(0), &sited(1)),
            Body::Derived(rule) => rule.look_at_file(self.floor, view),
            Body::Ordered(rule) => rule.look(self.floor, view),
            Body::Forbidden(rule) => rule.look(self.floor, view),
            Body::Deprecated(rule) => rule.look(self.floor, view),
            Body::Together(rule) => rule.look(view),
            Body::Cel(rule) => rule.look(view),
            Body::Imports(rule) => rule.look_at_file(self.floor, &sited(0), &sited(1)),
            Body::Workflow(_) => {
                let all = view.workflow.get_or_init(|| github::look(view));
                all.iter().filter(|it| it.0 == self.id).map(|it| it.1.clone()).collect()
            }
            Body::SameAs(_) | Body::Calls(_) => Vec::new(),
        }
    }

    /// What is wrong in the tree, by the rule at this position of the pack, which compares facts of many files.
    pub(crate) fn look_at_tree(&self, idx: usize, tree: &Tree<'_>) -> Looked {
        let targets_are_dark = tree.is_dark(idx, 1);
        let sources_are_dark = tree.is_dark(idx, 0);
        let mut found = match &self.body {
            Body::Unique(rule) => rule.look(&tree.facts(idx, 0)),
            // What is missing may stand in a file that cannot be read.
            Body::Reference(_) if targets_are_dark => Vec::new(),
            Body::SameAs(_) if sources_are_dark => Vec::new(),
            Body::Reference(rule) => {
                rule.look(self.floor, &tree.facts(idx, 0), &tree.facts(idx, 1))
            }
            Body::SameAs(rule) => rule.look(self.floor, &tree.facts(idx, 0), &tree.facts(idx, 1)),
            Body::Imports(rule) => rule.look_at_tree(
                self.floor,
                &tree.facts(idx, 0),
                &tree.facts(idx, 1),
                targets_are_dark,
                tree,
            ),
            Body::Derived(rule) => rule.look_at_tree(self.floor, idx, tree),
            Body::Calls(rule) => rule.look(&tree.facts(idx, 0), &tree.facts(idx, 1), tree.snapshot),
            _ => Vec::new(),
        };
        for one in &mut found {
            one.mend = one.mend.take().filter(|it| tree.keeps_whole(idx, it));
        }
        let mut hidden = BTreeSet::new();
        if targets_are_dark || sources_are_dark {
            let sited = tree.facts(idx, 0).into_iter().chain(tree.facts(idx, 1));
            hidden.extend(sited.map(|(file, _)| file.clone()));
        }
        let depending = match &self.body {
            Body::Reference(_) | Body::Imports(_) if targets_are_dark => tree.facts(idx, 0),
            Body::SameAs(_) if sources_are_dark => tree.facts(idx, 1),
            _ => Vec::new(),
        };
        let undecided = depending.into_iter().map(|(file, _)| file.clone()).collect();
        Looked { found, hidden, undecided }
    }
}

#[cfg(test)]
mod tests;
