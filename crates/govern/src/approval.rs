//! A person's word, bound to bytes.

/// A word that was given: the only value that makes a record approved. It is made here, from a signature that holds or
/// from a confirmation that a person typed; the worker and the executor have no way to one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Approved {
    by: String,
}

impl Approved {
    /// Who gave it.
    pub fn by(&self) -> &str {
        &self.by
    }
}

#[cfg(any(test, feature = "testing"))]
impl Approved {
    /// A word that nobody gave, for tests of what comes after it.
    pub fn for_tests(by: &str) -> Approved {
        Approved { by: by.to_owned() }
    }
}
