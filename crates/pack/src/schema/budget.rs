//! A bound on the work of one validation.
//!
//! Schemas that refer to themselves inside a choice make the validator list errors in time exponential in the depth of
//! the document, and references that fork do so in the number of references. Without references there is no such
//! growth, so every schema that is referred to gets a keyword that counts. When the count runs out, validation is
//! left by unwinding, which is the only way out of the validator. The hook for panics is not called.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use jsonschema::{Keyword, ValidationError};
use serde_json::Value as Json;

/// The keyword that counts.
pub(crate) const KEYWORD: &str = "x-regreen-step";

const MIN_COST: usize = 500_000;
const COST_PER_NODE: usize = 500;
const COST_OF_STEP: usize = 10;
const COST_PER_LEVEL: usize = 5;
/// What a larger value than this costs more is not counted.
const MAX_COUNTED_NODES: usize = 2_000;

thread_local! {
    static LEFT: Cell<usize> = const { Cell::new(0) };
    static COST_OF_ERROR: Cell<usize> = const { Cell::new(0) };
}

/// The budget ran out.
pub(crate) struct Exhausted;

/// How large a document is.
#[derive(Clone, Copy)]
pub(crate) struct DocumentSize {
    pub(crate) n_nodes: usize,
    pub(crate) depth: usize,
}

/// Runs a validation of a document of that extent.
pub(crate) fn within<T>(
    extent: DocumentSize,
    validate: impl FnOnce() -> T,
) -> Result<T, Exhausted> {
    LEFT.set(extent.n_nodes.saturating_mul(COST_PER_NODE).saturating_add(MIN_COST));
    COST_OF_ERROR.set(COST_OF_STEP + COST_PER_LEVEL * extent.depth);
    // The validator keeps no state from one validation to the next, so none can be left half done.
    match catch_unwind(AssertUnwindSafe(validate)) {
        Ok(result) => Ok(result),
        Err(payload) if payload.is::<Exhausted>() => Err(Exhausted),
        Err(payload) => resume_unwind(payload),
    }
}

/// What the keyword does: it counts and never objects.
pub(crate) struct StepKeyword;

impl Keyword<'_> for StepKeyword {
    /// Errors inside a choice come with copies of the value and of the way to it, one for each choice on the way. So a
    /// step costs as much as the value is large and the document is deep.
    fn validate(&self, value: &Json) -> Result<(), ValidationError<'static>> {
        pay(COST_OF_ERROR.get() + size(value));
        Ok(())
    }

    fn is_valid(&self, _: &Json) -> bool {
        pay_step();
        true
    }
}

/// Counts one step of a validation that only asks whether a document is valid.
pub(super) fn pay_step() {
    pay(COST_OF_STEP);
}

fn pay(cost: usize) {
    match LEFT.get().checked_sub(cost) {
        Some(left) => LEFT.set(left),
        None => resume_unwind(Box::new(Exhausted)),
    }
}

fn size(value: &Json) -> usize {
    let mut n_nodes = 0;
    let mut open = vec![value];
    while let Some(value) = open.pop()
        && n_nodes < MAX_COUNTED_NODES
    {
        n_nodes += 1;
        match value {
            Json::Array(items) => open.extend(items),
            Json::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    n_nodes
}
