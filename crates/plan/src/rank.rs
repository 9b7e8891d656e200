//! The total order of repairs: what is worked on first, and who wins a conflict (RS-33, RS-35 to RS-40, X-17, X-26).
//! The class comes where a contract says nothing: after the kind. What lays out whole
//! files comes after what repairs them, and what only hides a message is always last.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use check::{Class, Confidence, Diagnostic, Repair, RepairClass, RepairKind, Safety, Scope};

/// Findings by their ids.
pub(crate) type ById<'a> = HashMap<&'a str, &'a Diagnostic>;

/// If an id is there twice, the finding that is first in reports has it.
pub(crate) fn by_id(diagnostics: &[Arc<Diagnostic>]) -> ById<'_> {
    let mut by_id = ById::with_capacity(diagnostics.len());
    for diagnostic in diagnostics {
        let first = by_id.entry(diagnostic.diagnostic_id.as_str()).or_insert(diagnostic);
        if diagnostic.total_cmp(first) == Ordering::Less {
            *first = diagnostic;
        }
    }
    by_id
}

/// What the order looks at before it looks at the repair itself, the most important first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank<'a> {
    is_suppression: bool,
    is_layout: bool,
    worst: Class,
    safety: Safety,
    confidence: Confidence,
    kind: RepairKind,
    pub(crate) class: RepairClass,
    scope: Scope,
    resolves: Reverse<usize>,
    file: &'a str,
    position: Option<(u32, u32)>,
    pointer: Option<&'a str>,
    rule: &'a str,
    title: &'a str,
    id: &'a str,
}

impl<'a> Rank<'a> {
    pub(crate) fn new(
        repair: &'a Repair,
        class: RepairClass,
        scope: Scope,
        diagnostics: &ById<'a>,
    ) -> Rank<'a> {
        let resolved = || repair.resolves.iter().filter_map(|id| diagnostics.get(id.as_str()));
        let owner = resolved().next();
        let n_resolved = match repair.resolves.as_slice() {
            [] | [_] => repair.resolves.len(),
            several => several.iter().collect::<BTreeSet<_>>().len(),
        };
        let first_op = repair.ops.first();
        Rank {
            is_suppression: class == RepairClass::Suppress,
            is_layout: repair.grounds.is_layout,
            worst: resolved().map(|it| it.class()).min().unwrap_or(Class::Info),
            safety: repair.safety,
            confidence: repair.confidence,
            kind: repair.kind,
            class,
            scope,
            resolves: Reverse(n_resolved),
            file: owner
                .map(|it| it.file.as_str())
                .or_else(|| first_op.map(|op| op.file().as_str()))
                .unwrap_or_default(),
            position: owner.and_then(|it| it.location).map(|it| (it.start_byte, it.end_byte)),
            pointer: owner.and_then(|it| it.json_pointer.as_deref()),
            rule: &repair.rule_id,
            title: &repair.title,
            id: &repair.id,
        }
    }
}

/// The order of two repairs; only equal ones are equal.
pub(crate) fn compare(left: (&Rank<'_>, &Repair), right: (&Rank<'_>, &Repair)) -> Ordering {
    // Two repairs with one id are both refused, but even they must not show the order in which they came.
    left.0.cmp(right.0).then_with(|| format!("{:?}", left.1).cmp(&format!("{:?}", right.1)))
}
