//! Reports as text for people, and in the formats of other tools.

pub(crate) mod changes;
pub(crate) mod check;
pub(crate) mod clank;
pub(crate) mod dds;
mod excerpt;
pub(crate) mod fix;
pub(crate) mod frame;
pub(crate) mod github;
pub(crate) mod line;
pub(crate) mod patch;
pub(crate) mod plan;
pub(crate) mod repair;
pub(crate) mod sarif;
pub(crate) mod style;
pub(crate) mod tools;
pub(crate) mod verdict;
