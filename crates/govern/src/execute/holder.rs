//! The name under which a process holds leases. It says from which workspace, because only the journal of a workspace
//! knows what became of a change that was being written to it.

/// Between the two parts of a name.
const SEPARATOR: char = '#';

/// A process that runs records. Two processes on one workspace have the same place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holder {
    place: String,
    process: String,
}

impl Holder {
    /// A process on a workspace. A `#` in either text becomes a `_`.
    pub fn new(place: &str, process: &str) -> Holder {
        let part = |text: &str| text.replace(SEPARATOR, "_");
        Holder { place: part(place), process: part(process) }
    }

    /// Its name in leases and in the audit trail.
    pub fn name(&self) -> String {
        format!("{}{}", self.prefix(), self.process)
    }

    /// What the names of all processes on the same workspace start with, and no other name does.
    pub(crate) fn prefix(&self) -> String {
        format!("{}{SEPARATOR}", self.place)
    }
}
