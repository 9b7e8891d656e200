//! Laws on JSON documents.

mod cases;
mod corpus;
mod generate;
mod hostile;
mod judge;
mod locality;
pub(crate) mod script;
