//! What is wrong, unproved or not written, in a form that can be compared before and after a change: by the nodes
//! of the tree before, which a patch says the nodes afterwards come from.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;
use std::sync::Arc;

use clank::body::GoalKind;
use clank::code::Code;
use clank::proof::Proof;
use clank::{Checked, CheckedModule};
use clank_syntax::Span;
use clank_syntax::ast::{Ast, NodeId};
use rustc_hash::{FxHashMap, FxHasher};

use check::Class;

use super::FindingId;
use super::footprint::{DeclRef, Footprint};
use crate::extent::declaration;

/// What is said at a node. Goals of one kind at one node are told apart by their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum FindingKind {
    Diagnostic(Code),
    Goal(GoalKind, u32),
    Hole,
}

impl FindingKind {
    /// Whether the same is said, whichever of several goals it is.
    fn is_like(self, other: FindingKind) -> bool {
        match (self, other) {
            (FindingKind::Goal(kind, _), FindingKind::Goal(other, _)) => kind == other,
            _ => self == other,
        }
    }
}

/// Something to be done, before a change or after it.
#[derive(Clone, Debug)]
pub(super) struct TrackedFinding {
    module: usize,
    what: FindingKind,
    /// In the tree before; `None` for a node that was not there.
    node: Option<NodeId>,
    /// In the tree that it was found in.
    pub(super) at: NodeId,
    pub(super) class: Class,
    target: FindingId,
    /// The declaration that it is in, in the tree before.
    declaration: Option<NodeId>,
    /// What is written there, for what is in something that was written anew.
    words: u64,
    /// Of a value that is never used: the text that it is in, and where.
    pub(super) dropped: Option<(Arc<str>, Span)>,
}

/// The same before and after a change.
type Key = (usize, FindingKind, NodeId);

/// By the place of a module whose tree was patched: where its nodes come from.
pub(super) type Origins = FxHashMap<usize, Vec<Option<NodeId>>>;

impl TrackedFinding {
    /// The declaration that it is in, if that was there before.
    pub(super) fn place(&self) -> Option<DeclRef> {
        Some((self.module, self.declaration?))
    }

    /// Where it is in the tree before, if that node was there.
    pub(super) fn node(&self) -> Option<NodeId> {
        self.node
    }

    /// What is said, if it is a diagnostic.
    pub(super) fn code(&self) -> Option<Code> {
        match self.what {
            FindingKind::Diagnostic(code) => Some(code),
            FindingKind::Goal(..) | FindingKind::Hole => None,
        }
    }

    fn key(&self) -> Option<Key> {
        Some((self.module, self.what, self.node?))
    }
}

/// Whether a text could not be read, so that what it says was not looked at.
pub(super) fn is_syntax(code: Code) -> bool {
    code.name().starts_with("E00")
}

/// What class a target is of.
pub(super) fn class_of(module: &CheckedModule, target: FindingId) -> Class {
    match target {
        FindingId::Diagnostic(index) => match module.diagnostics.get(index) {
            Some(it) if it.code.is_error() => Class::Error,
            _ => Class::Warning,
        },
        FindingId::Goal(_) => Class::Obligation,
        FindingId::Hole(_) => Class::Hole,
    }
}

/// Everything that is to be done in a program: mistakes, goals that are not proved, holes. Assertions that are not proved
/// are checks that somebody asked for (row 10).
fn findings(checked: &Checked, origins: &Origins) -> Vec<TrackedFinding> {
    let mut all = Vec::new();
    for (index, module) in checked.modules.iter().enumerate() {
        let origin = |node: NodeId| match origins.get(&index) {
            Some(origins) => origins.get(node.index()).copied().flatten(),
            None => Some(node),
        };
        let mut push = |what: FindingKind, node: NodeId, target: FindingId| {
            let class = class_of(module, target);
            let declaration = declaration(&module.ast, node).and_then(|it| origin(it.node()));
            let words = words(&module.ast, node);
            let dropped = (what == FindingKind::Diagnostic(Code::W0007))
                .then(|| (Arc::from(module.ast.source(node).text.as_str()), module.ast.span(node)));
            let at = node;
            let node = origin(node);
            all.push(TrackedFinding {
                module: index,
                what,
                node,
                at,
                class,
                target,
                declaration,
                words,
                dropped,
            });
        };
        for (place, it) in module.diagnostics.iter().enumerate() {
            push(FindingKind::Diagnostic(it.code), it.node, FindingId::Diagnostic(place));
        }
        let mut count: BTreeMap<(GoalKind, NodeId), u32> = BTreeMap::new();
        for (place, (node, goal, proof)) in module.goals().enumerate() {
            let ordinal = count.entry((goal.kind, node)).or_default();
            let what = FindingKind::Goal(goal.kind, *ordinal);
            *ordinal += 1;
            let is_open = match proof {
                Proof::Discharged => false,
                Proof::Refuted(_) => true,
                Proof::Unknown(_) => goal.kind != GoalKind::Assertion,
            };
            if is_open {
                push(what, node, FindingId::Goal(place));
            }
        }
        for (place, (node, _)) in module.holes().enumerate() {
            push(FindingKind::Hole, node, FindingId::Hole(place));
        }
    }
    all
}

/// The same for nodes that say the same, but for blanks.
fn words(ast: &Ast, node: NodeId) -> u64 {
    let mut hasher = FxHasher::default();
    for word in ast.text(node).split_whitespace() {
        hasher.write(word.as_bytes());
    }
    hasher.finish()
}

/// What a change did.
pub(super) struct FindingDiff {
    /// By place in what was there before: whether it is gone.
    pub(super) is_gone: Vec<bool>,
    /// What was not there before.
    pub(super) new: Vec<TrackedFinding>,
}

/// What there was to be done before, to be compared with what there is afterwards.
pub(super) struct FindingSet {
    findings: Vec<TrackedFinding>,
    places: FxHashMap<Key, usize>,
    by_declaration: FxHashMap<DeclRef, Vec<usize>>,
}

impl FindingSet {
    pub(super) fn new(checked: &Checked) -> FindingSet {
        let findings = findings(checked, &Origins::default());
        let places = findings.iter().enumerate();
        let places = places.filter_map(|(index, it)| Some((it.key()?, index))).collect();
        let mut by_declaration: FxHashMap<DeclRef, Vec<usize>> = FxHashMap::default();
        for (index, it) in findings.iter().enumerate() {
            if let Some(place) = it.place() {
                by_declaration.entry(place).or_default().push(index);
            }
        }
        FindingSet { findings, places, by_declaration }
    }

    /// What a change that concerns this did away with in a module.
    pub(super) fn gone(
        &self,
        module: usize,
        footprint: &Footprint,
        is_gone: &[bool],
    ) -> BTreeSet<FindingId> {
        let concerned: Vec<usize> = match footprint.credited() {
            None => (0..self.findings.len()).collect(),
            Some(places) => {
                places.filter_map(|it| self.by_declaration.get(it)).flatten().copied().collect()
            }
        };
        let gone = concerned.into_iter().filter(|it| is_gone[*it]).map(|it| &self.findings[it]);
        gone.filter(|it| it.module == module).map(|it| it.target).collect()
    }

    /// What is gone from a declaration.
    pub(super) fn gone_from<'a>(
        &'a self,
        place: &DeclRef,
        is_gone: &'a [bool],
    ) -> impl Iterator<Item = (&'a TrackedFinding, FindingId)> {
        let all = self.by_declaration.get(place).into_iter().flatten();
        let gone = all.filter(|it| is_gone[**it]).map(|it| &self.findings[*it]);
        gone.map(|it| (it, it.target))
    }

    /// What was said of the same words in the same declaration, and would be gone.
    fn same_words(&self, new: &TrackedFinding, is_gone: &[bool]) -> Option<usize> {
        if new.node.is_some() {
            return None;
        }
        let before = self.by_declaration.get(&new.place()?)?;
        before.iter().copied().find(|place| {
            let it = &self.findings[*place];
            is_gone[*place] && it.words == new.words && it.what.is_like(new.what)
        })
    }

    pub(super) fn compare(&self, after: &Checked, origins: &Origins) -> FindingDiff {
        let mut is_gone = vec![true; self.findings.len()];
        let mut new = Vec::new();
        for finding in findings(after, origins) {
            match finding.key().and_then(|it| self.places.get(&it)) {
                Some(place) => is_gone[*place] = false,
                None => new.push(finding),
            }
        }
        // What was written anew may say the same again.
        new.retain(|it| match self.same_words(it, &is_gone) {
            Some(place) => {
                is_gone[place] = false;
                false
            }
            None => true,
        });
        FindingDiff { is_gone, new }
    }
}
