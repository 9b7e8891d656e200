//! The laws of the syntax on arbitrary trees, and its behaviour on chosen ones.

#[path = "it/format.rs"]
mod format;
#[path = "it/gen.rs"]
mod generate;
#[path = "it/json.rs"]
mod json;
#[path = "it/laws.rs"]
mod laws;
#[path = "it/patch.rs"]
mod patch;
#[path = "it/print.rs"]
mod print;
