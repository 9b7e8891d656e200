//! What is known about linear and affine variables at one point of a path, and how paths come together.
//!
//! Changes are logged, so that a branch costs what it changes and not how many variables there are.

use std::collections::BTreeMap;

use clank_syntax::ast::{Name, NodeId};
use rustc_hash::FxHashMap;

use crate::flow::mode::Mode;

/// A variable that is looked after.
pub(super) struct Var {
    /// Empty for the elements that a `for` is still to come to.
    pub(super) name: Name,
    pub(super) mode: Mode,
    pub(super) ty: String,
}

/// Whether a variable has been used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LinearStatus {
    /// On no path to here.
    Unused,
    /// On every path to here, the first time there.
    Used(NodeId),
    /// On some paths.
    Maybe {
        /// Where it is used first.
        used: NodeId,
        /// A part of the program that is left without a use.
        not_in: NodeId,
        /// What that part is: "in this branch".
        why: &'static str,
    },
}

/// What a part of the program changes.
pub(super) struct Branch {
    /// The part.
    pub(super) at: NodeId,
    /// What it is: "in this branch".
    pub(super) why: &'static str,
    /// What is so at its end for the variables from outside that it touches, by node.
    pub(super) changes: Vec<(NodeId, LinearStatus)>,
    /// Whether its end is reached.
    pub(super) is_reached: bool,
}

/// The variables at one point.
pub(super) struct LinearState {
    /// Whether the point is reached.
    pub(super) is_reached: bool,
    /// The variables in scope, in the order in which they are bound.
    pub(super) live: Vec<NodeId>,
    vars: FxHashMap<NodeId, (usize, Var)>,
    statuses: FxHashMap<NodeId, LinearStatus>,
    /// What was so before each change.
    log: Vec<(NodeId, Option<LinearStatus>)>,
}

impl Default for LinearState {
    fn default() -> LinearState {
        LinearState {
            is_reached: true,
            live: Vec::new(),
            vars: FxHashMap::default(),
            statuses: FxHashMap::default(),
            log: Vec::new(),
        }
    }
}

impl LinearState {
    pub(super) fn declare(&mut self, node: NodeId, var: Var) {
        self.vars.insert(node, (self.live.len(), var));
        self.live.push(node);
        self.set(node, LinearStatus::Unused);
    }

    /// Takes the variables from `outside` on out of scope.
    pub(super) fn end_scope(&mut self, outside: usize) {
        for node in self.live.drain(outside..) {
            self.log.push((node, self.statuses.remove(&node)));
        }
    }

    pub(super) fn is_live(&self, node: NodeId) -> bool {
        self.statuses.contains_key(&node)
    }

    pub(super) fn var(&self, node: NodeId) -> &Var {
        &self.vars.get(&node).expect("only variables that were declared are asked for").1
    }

    /// Its place among the variables in scope.
    pub(super) fn index(&self, node: NodeId) -> usize {
        self.vars.get(&node).expect("only variables that were declared are asked for").0
    }

    pub(super) fn status(&self, node: NodeId) -> LinearStatus {
        self.statuses.get(&node).copied().unwrap_or(LinearStatus::Unused)
    }

    pub(super) fn set(&mut self, node: NodeId, status: LinearStatus) {
        self.log.push((node, self.statuses.insert(node, status)));
    }

    /// The point to come back to.
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// What is so now for the first `outside` variables as far as they were touched since.
    pub(super) fn changes_since(&self, mark: usize, outside: usize) -> Vec<(NodeId, LinearStatus)> {
        let mut touched: Vec<NodeId> = self.log[mark..].iter().map(|it| it.0).collect();
        touched.sort_unstable();
        touched.dedup();
        touched.retain(|it| self.is_live(*it) && self.index(*it) < outside);
        touched.into_iter().map(|it| (it, self.status(it))).collect()
    }

    /// Goes back to the point and says what was changed since.
    pub(super) fn undo(&mut self, mark: usize) -> Vec<(NodeId, LinearStatus)> {
        let changes = self.changes_since(mark, usize::MAX);
        for (node, before) in self.log.drain(mark..).rev() {
            match before {
                Some(status) => self.statuses.insert(node, status),
                None => self.statuses.remove(&node),
            };
        }
        changes.into_iter().filter(|it| self.is_live(it.0)).collect()
    }

    /// Goes on after branches that all started here, of which one was taken.
    pub(super) fn join(&mut self, branches: Vec<Branch>) {
        if !self.is_reached {
            return;
        }
        let reached: Vec<Branch> = branches.into_iter().filter(|it| it.is_reached).collect();
        self.is_reached = !reached.is_empty();
        let mut ends: BTreeMap<NodeId, Vec<(usize, LinearStatus)>> = BTreeMap::new();
        for (index, branch) in reached.iter().enumerate() {
            for (node, status) in &branch.changes {
                ends.entry(*node).or_default().push((index, *status));
            }
        }
        for (node, mut statuses) in ends {
            if !self.is_live(node) {
                continue;
            }
            let gap = statuses.iter().enumerate().position(|it| it.0 != it.1.0);
            if statuses.len() < reached.len() {
                statuses.push((gap.unwrap_or(statuses.len()), self.status(node)));
            }
            self.set(node, joined(&statuses, &reached));
        }
    }
}

/// What is so if one of these is.
fn joined(statuses: &[(usize, LinearStatus)], branches: &[Branch]) -> LinearStatus {
    let used = statuses.iter().find_map(|it| match it.1 {
        LinearStatus::Used(at) | LinearStatus::Maybe { used: at, .. } => Some(at),
        LinearStatus::Unused => None,
    });
    let unused = statuses.iter().find_map(|it| match it.1 {
        LinearStatus::Unused => Some((branches[it.0].at, branches[it.0].why)),
        LinearStatus::Maybe { not_in, why, .. } => Some((not_in, why)),
        LinearStatus::Used(_) => None,
    });
    match (used, unused) {
        (Some(used), None) => LinearStatus::Used(used),
        (Some(used), Some((not_in, why))) => LinearStatus::Maybe { used, not_in, why },
        (None, _) => LinearStatus::Unused,
    }
}
