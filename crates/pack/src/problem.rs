//! What is wrong with a pack itself.

use std::fmt;

use check::Location;

/// One thing that is wrong with a pack, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct PackProblem {
    /// The file, relative to the pack's folder.
    pub file: String,
    /// The place in it.
    pub pointer: Option<String>,
    /// The place in its text.
    pub location: Option<Location>,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for PackProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.location {
            Some(at) => {
                write!(f, "{}:{}:{}: {}", self.file, at.start_line, at.start_col, self.message)
            }
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

impl std::error::Error for PackProblem {}
