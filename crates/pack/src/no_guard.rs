//! Guards of a program that was built without the feature `cel`: none is taken, so none is ever asked.

use std::convert::Infallible;
use std::marker::PhantomData;

use document::Value;

/// There is none.
#[derive(Debug)]
pub(crate) struct Guard {
    never: Infallible,
}

/// There is nothing to decide.
#[derive(Debug, thiserror::Error)]
#[error("{never}")]
pub(crate) struct Undecided {
    never: Infallible,
}

impl Undecided {
    pub(crate) fn is_last(&self) -> bool {
        match self.never {}
    }
}

impl Guard {
    pub(crate) fn compile(_source: &str) -> Result<Guard, String> {
        Err("this regreen was built without CEL; install it with the feature `cel`, or take this rule out of the pack"
            .to_owned())
    }

    /// A pack that is built in has no expressions, because it must load without this feature too.
    pub(crate) fn known(source: &str) -> Result<Guard, String> {
        Guard::compile(source)
    }

    pub(crate) fn holds(&self, _: &mut Scope<'_>, _: &Value) -> Result<bool, Undecided> {
        match self.never {}
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
