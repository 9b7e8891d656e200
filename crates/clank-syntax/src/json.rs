//! AST JSON: the form in which programs meet tools.
//!
//! Reader and writer are inverse to each other. The reader takes text fragments (`{ "source": … }`) wherever a node may
//! stand, reports every mistake with the path of the member it is about, and accepts keys that it does not know.
//!
//! ```
//! use clank_syntax::json::read;
//! use clank_syntax::print;
//!
//! let text = r#"{"kind": "program", "declarations": [
//!     {"kind": "fn", "name": "one", "params": [], "returnType": {"source": "Int"},
//!      "body": {"kind": "block", "statements": [], "expr": {"source": "2 - 1"}}}]}"#;
//! let ast = read(text).expect("it is a program");
//! assert!(print(&ast).starts_with("fn one() -> Int {"));
//!
//! let mistakes = read(&text.replace("\"fn\"", "\"fun\"")).expect_err("there is no such declaration");
//! assert_eq!(mistakes[0].path, "$.declarations[0].kind");
//! ```

mod nearest;
mod place;
mod read;
mod schema;
mod value;
mod write;

pub(crate) use read::{NodeRole, is_too_deep, read_part};
pub use read::{read, read_lenient};
pub use schema::schema;
pub use write::write;
pub(crate) use write::{float_text, suffix_text};

/// The file's name of what has none: nodes and fragments of AST JSON.
const FILE: &str = "ast-json";

/// One mistake in AST JSON.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{path}: {message}")]
pub struct JsonError {
    /// The member it is about, in the style `$.declarations[0].body.expr`.
    pub path: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

/// What the writer writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteOptions {
    /// Whether every node gets its `id`.
    pub ids: bool,
    /// Whether nodes get the `span` they were written at, or were given.
    pub spans: bool,
    /// Whether there are line breaks and indentation.
    pub pretty: bool,
}
