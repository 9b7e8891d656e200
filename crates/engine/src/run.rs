//! What stays the same over a run: the providers, the parsed documents, and which findings count in this workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use check::{Diagnostic, Input, Parses, Severity, Since, Stop, Tier};
use snapshot::{RelPath, Snapshot};

use crate::sources::Sources;

/// What a workspace has decided about a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleLevel {
    /// Its findings do not count.
    Off,
    /// Its findings have this severity.
    At(Severity),
}

/// What of the findings counts in this workspace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sieve {
    /// By source and rule. A rule that is not named keeps its own severity; one about policy is off.
    pub levels: BTreeMap<String, BTreeMap<String, RuleLevel>>,
    /// The ids of findings that were there before and are put up with.
    pub baseline: BTreeSet<String>,
}

impl Sieve {
    /// The severity of the finding in this workspace; `None` if it does not count.
    pub(crate) fn severity(&self, diagnostic: &Diagnostic) -> Option<Severity> {
        let of_source = self.levels.get(&diagnostic.source);
        match of_source.and_then(|it| it.get(&diagnostic.rule_id)) {
            Some(RuleLevel::Off) => None,
            Some(RuleLevel::At(severity)) => Some(*severity),
            None => (diagnostic.tier != Tier::Policy).then_some(diagnostic.severity),
        }
    }
}

/// Who is asked, and what counts.
pub struct Run<'a> {
    /// The sources of findings.
    pub sources: &'a Sources<'a>,
    /// Parsed documents, shared by all.
    pub parses: &'a Arc<Parses>,
    /// Which findings count.
    pub sieve: &'a Sieve,
    /// Whether the result is still wanted.
    pub stop: &'a Stop,
    /// The files that somebody asks about, if not all. What is said of them is what would be said among all; what is said
    /// of others may be missing, so that nothing can be compared with it.
    pub only: Option<&'a BTreeSet<RelPath>>,
}

impl Run<'_> {
    /// What the sources get to look at.
    pub(crate) fn input<'b>(
        &'b self,
        snapshot: &'b Snapshot,
        since: Option<Since<'b>>,
    ) -> Input<'b> {
        Input { snapshot, since, parses: self.parses, stop: self.stop, only: self.only }
    }
}
