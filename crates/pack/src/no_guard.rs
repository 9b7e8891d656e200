//! Guards of a program that was built without the feature `cel`: no expression is taken, and those of the packs that are
//! built in are never decided. Nothing passes for having been looked at.

use std::marker::PhantomData;

use document::Value;

/// An expression of a pack that is built in.
#[derive(Debug)]
pub(crate) struct Guard;

/// Why a guard could not be decided.
#[derive(Debug, thiserror::Error)]
#[error("this regreen was built without CEL; install it with the feature `cel`")]
pub(crate) struct Undecided;

impl Undecided {
    pub(crate) fn is_last(&self) -> bool {
        true
    }
}

impl Guard {
    pub(crate) fn compile(_source: &str) -> Result<Guard, String> {
        Err(format!("{Undecided}, or take this rule out of the pack"))
    }

    pub(crate) fn known(_source: &str) -> Guard {
        Guard
    }

    pub(crate) fn holds(&self, _: &mut Scope<'_>, _: &Value) -> Result<bool, Undecided> {
        Err(Undecided)
    }
}

pub(crate) struct Scope<'a> {
    doc: PhantomData<&'a Value>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(_doc: &'a Value) -> Scope<'a> {
        Scope { doc: PhantomData }
    }
}
