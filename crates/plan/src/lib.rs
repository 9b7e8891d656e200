//! Chooses among repairs: ranks them, lowers them to byte edits, finds out which can be made together, and says of
//! every other one why not.
//!
//! The choice is greedy over a total order. Every candidate gets a rank and a class from what its edits do, not from what it
//! says; in rank order each is lowered on top of those that were accepted, and the first conflict, missing precondition or
//! rule of the policy rejects it, with the reason. The result does not depend on the order in which candidates are given.
//!
//! ```
//! use std::collections::{BTreeMap, BTreeSet};
//! use std::sync::Arc;
//!
//! use check::{Confidence, Diagnostic, Parses, Repair, RepairOp, RuleOrigin, Safety, Severity, Tier};
//! use check::{assign_repair_ids, sort_and_assign_ids};
//! use document::Limits;
//! use edit::{Edit, EditSet, Text};
//! use plan::{Candidates, Policy, Reason, plan};
//! use snapshot::{Entry, File, RelPath, Snapshot};
//!
//! let (path, text) = (RelPath::parse("a.txt")?, Text::new("teh end"));
//! let file = Entry::File(File::new(text.clone(), 0o644));
//! let snapshot = Snapshot::new([(path.clone(), file)].into())?;
//!
//! let rule = RuleOrigin { source: "words", phase: "words", tier: Tier::Semantic, rule_id: "TYPO" };
//! let mut found = [Diagnostic::new(rule, Severity::Error, path.as_str(), "unknown word `teh`")];
//! sort_and_assign_ids(&mut found);
//!
//! // Two ways to mend one word: they overlap, so only the better ranked one is accepted.
//! let to = |word: &str, confidence| -> Result<Repair, edit::EditError> {
//!     let edits = EditSet::new(&text, vec![Edit::replace(0, 3, word)])?;
//!     let ops = vec![RepairOp::Text { file: path.clone(), edits }];
//!     Ok(Repair::resolving(&found[0], word, Safety::LikelyPreserving, confidence, ops))
//! };
//! let mut repairs = [to("the", Confidence::High)?, to("tech", Confidence::Medium)?];
//! assign_repair_ids(&mut repairs, &snapshot);
//!
//! let plan = plan(&Candidates {
//!     snapshot: &snapshot,
//!     diagnostics: &found.map(Arc::new),
//!     repairs: &repairs.map(Arc::new),
//!     parses: &Parses::new(Limits::DEFAULT),
//!     policy: &Policy { safety: Safety::LikelyPreserving, allow: BTreeSet::new() },
//!     is_editable: &|_| true,
//!     barred: &BTreeMap::new(),
//!     applied: &BTreeSet::new(),
//! });
//!
//! assert!(plan.ranked[0].rejection.is_none());
//! assert_eq!(plan.ranked[1].rejection.as_ref().map(|it| it.reason), Some(Reason::Conflict));
//! let after = snapshot.apply(&plan.change)?;
//! assert_eq!(after.file(&path).map(|it| it.text().bytes().to_vec()), Some(b"the end".to_vec()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Knows nothing about how findings are found, whether a repair keeps its promise, or the disk.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.
#![warn(missing_docs)]

mod analyse;
mod blame;
mod choose;
mod claims;
mod class;
mod lower;
mod place;
mod rank;
mod ranking;
mod requires;
mod runs;
mod shifts;
mod steps;
mod together;
mod waits;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use check::{Diagnostic, Parses, Repair, RepairClass, Safety, Scope};
use snapshot::{RelPath, Snapshot, TreeChange};

use crate::analyse::analyse;
use crate::choose::{ClaimedEdits, choose};
use crate::lower::Lowering;

pub use crate::class::class_of;

/// What may be applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    /// The widest level that is applied without being named.
    pub safety: Safety,
    /// The ids of repairs that are applied whatever their safety and confidence.
    pub allow: BTreeSet<String>,
}

/// What to choose from.
pub struct Candidates<'a> {
    /// The tree that the repairs were made for.
    pub snapshot: &'a Snapshot,
    /// What is wrong in it.
    pub diagnostics: &'a [Arc<Diagnostic>],
    /// What would repair it, in any order.
    pub repairs: &'a [Arc<Repair>],
    /// Parsed documents.
    pub parses: &'a Parses,
    /// What may be applied.
    pub policy: &'a Policy,
    /// Which files may be edited.
    pub is_editable: &'a dyn Fn(&RelPath) -> bool,
    /// Repairs that are out of the question, by id, with the reason to report.
    pub barred: &'a BTreeMap<String, Rejection>,
    /// Repairs that were applied earlier in this run: what `requires` may name beside the candidates.
    pub applied: &'a BTreeSet<String>,
}

/// The choice: every candidate in rank order, and the change that the accepted ones make together.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Every candidate, the best first.
    pub ranked: Vec<Ranked>,
    /// What the accepted ones do.
    pub change: TreeChange,
}

/// A candidate and what became of it.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The repair, with the safety and the confidence that its class leaves it.
    pub repair: Arc<Repair>,
    /// What it does about the cause.
    pub class: RepairClass,
    /// What it touches.
    pub scope: Scope,
    /// `None` if it is accepted.
    pub rejection: Option<Rejection>,
}

/// Why a repair is not applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejection {
    /// Why, as a stable name.
    pub reason: Reason,
    /// The repair it lost to.
    pub with: Option<String>,
    /// Why, for people.
    pub detail: String,
}

/// Why a repair is not applied: the names that reports use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the design of the reports explains the names")]
pub enum Reason {
    Conflict,
    NeedsApproval,
    LowConfidence,
    Suppression,
    Waits,
    Stale,
    PreconditionFailed,
    Invalid,
    OutsideRoot,
    Unverified,
    Regressed,
    Cycle,
    Budget,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Reason; 13] = [
        Reason::Conflict,
        Reason::NeedsApproval,
        Reason::LowConfidence,
        Reason::Suppression,
        Reason::Waits,
        Reason::Stale,
        Reason::PreconditionFailed,
        Reason::Invalid,
        Reason::OutsideRoot,
        Reason::Unverified,
        Reason::Regressed,
        Reason::Cycle,
        Reason::Budget,
    ];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Conflict => "conflict",
            Reason::NeedsApproval => "needs_approval",
            Reason::LowConfidence => "low_confidence",
            Reason::Suppression => "suppression",
            Reason::Waits => "waits",
            Reason::Stale => "stale",
            Reason::PreconditionFailed => "precondition_failed",
            Reason::Invalid => "invalid",
            Reason::OutsideRoot => "outside_root",
            Reason::Unverified => "unverified",
            Reason::Regressed => "regressed",
            Reason::Cycle => "cycle",
            Reason::Budget => "budget",
        }
    }
}

impl Rejection {
    fn invalid(detail: impl Into<String>) -> Rejection {
        Rejection { reason: Reason::Invalid, with: None, detail: detail.into() }
    }

    fn conflict(with: &str, detail: impl Into<String>) -> Rejection {
        let with = Some(with.to_owned());
        Rejection { reason: Reason::Conflict, with, detail: detail.into() }
    }
}

/// How often the choice is made anew because a document refused some of the chosen repairs. After that, those that
/// were not chosen stay so.
const MAX_NEW_CHOICES: usize = 16;

/// Ranks, lowers and chooses. The same candidates in any order give the same plan.
///
/// Repairs that the policy names are chosen before the others, which does not change their rank (X-17).
pub fn plan(candidates: &Candidates<'_>) -> Plan {
    let (repairs, classes) = class::settled(candidates.repairs, candidates.snapshot);
    let candidates = &Candidates { repairs: &repairs, ..*candidates };
    let ranking = ranking::rank_all(candidates, &classes);
    let mut lowering = Lowering::new(&ranking.files, &ranking.ranked, candidates.parses);
    let mut dropped: BTreeMap<usize, Rejection> = BTreeMap::new();
    let mut n_choices = 0;
    let (rejections, change) = loop {
        let rejections = choose(&ranking, candidates.applied, &dropped);
        let is_accepted = |idx: &usize| rejections[*idx].is_none();
        let accepted: Vec<usize> = (0..rejections.len()).filter(is_accepted).collect();
        match lowering.run(&accepted) {
            Ok(change) => break (rejections, change),
            Err(offenders) => dropped.extend(offenders),
        }
        n_choices += 1;
        if n_choices >= MAX_NEW_CHOICES {
            for (idx, rejection) in rejections.into_iter().enumerate() {
                if let Some(rejection) = rejection {
                    dropped.entry(idx).or_insert(rejection);
                }
            }
        }
    };
    let ranked = ranking.ranked.iter().zip(&ranking.classes).zip(rejections);
    let ranked = ranked.map(|((it, class), rejection)| Ranked {
        repair: Arc::clone(it.repair),
        class: *class,
        scope: it.scope,
        rejection,
    });
    Plan { ranked: ranked.collect(), change }
}

/// The change that exactly these repairs make together, the first one first. They were accepted together by
/// [`plan`] on the same snapshot, or are a part of those. Says which one cannot be lowered, if one cannot.
pub fn lower(
    snapshot: &Snapshot,
    parses: &Parses,
    repairs: &[Arc<Repair>],
) -> Result<TreeChange, (usize, Rejection)> {
    let analysis = analyse(snapshot, parses, repairs);
    let mut taken = ClaimedEdits::new(&analysis.files);
    for (idx, it) in analysis.repairs.iter().enumerate() {
        if let Some(fault) = &it.fault {
            return Err((idx, fault.rejection.clone()));
        }
        if let Some((holder, detail)) = taken.conflict(&analysis.files, it) {
            return Err((idx, Rejection::conflict(&repairs[holder].id, detail)));
        }
        taken.accept(&analysis.files, idx, it).map_err(|rejection| (idx, rejection))?;
    }
    let all: Vec<usize> = (0..repairs.len()).collect();
    let mut lowering = Lowering::new(&analysis.files, &analysis.repairs, parses);
    lowering.run(&all).map_err(|offenders| {
        offenders.into_iter().next().expect("a refusal names at least one repair")
    })
}

/// The change that one repair makes by itself, whatever the policy says of it.
pub fn preview(
    snapshot: &Snapshot,
    parses: &Parses,
    repair: &Arc<Repair>,
) -> Result<TreeChange, Rejection> {
    lower(snapshot, parses, std::slice::from_ref(repair)).map_err(|(_, rejection)| rejection)
}
