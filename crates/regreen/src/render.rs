//! Reports as text for people.

pub(crate) mod changes;
pub(crate) mod frame;
pub(crate) mod patch;
pub(crate) mod style;
