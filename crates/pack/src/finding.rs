//! What a rule of any tier says of one document, before it has an identity: where, what, and what would mend it.

use std::collections::BTreeMap;

use check::{Confidence, Safety};
use document::{GuardedOp, Pointer, Value};

/// Which bytes a finding is shown at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemberPart {
    /// The value at the pointer.
    Value,
    /// Its key, if it has one; else the value. For findings about what an object lacks or which key it has.
    Key,
}

/// Something that is wrong in one document.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    /// The rule: `SCHEMA_…`, `SEM_…` or `POL_…`.
    pub(crate) rule_id: String,
    /// The place it is about.
    pub(crate) at: Pointer,
    /// The bytes it is shown at.
    pub(crate) anchor: MemberPart,
    /// What is wrong, why it matters and what to do.
    pub(crate) message: String,
    /// Facts for machines. No long or secret values.
    pub(crate) details: BTreeMap<String, Value>,
    /// What would mend it, the best first. Alternatives: at most one is applied.
    pub(crate) proposals: Vec<Proposal>,
}

/// What would mend a violation.
#[derive(Clone, Debug)]
pub(crate) struct Proposal {
    pub(crate) title: String,
    pub(crate) rationale: String,
    pub(crate) safety: Safety,
    pub(crate) confidence: Confidence,
    /// Operations on the same document, in order.
    pub(crate) steps: Vec<GuardedOp>,
    /// Which other violations of the same list will be gone too, by position.
    pub(crate) also_resolves: Vec<usize>,
}
