//! The Clank language as text and as a tree: tokens that cover every byte, a parser that goes on after mistakes, the
//! AST JSON reader and writer, the printer and the canonical formatter.
//!
//! Knows nothing about names, types, diagnostics beyond syntax, files or other programs.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.
#![warn(missing_docs)]

pub mod ast;
mod comments;
mod error;
mod format;
pub mod json;
mod lexer;
mod parse;
pub mod patch;
mod print;
mod same;
mod span;
mod stack;
mod token;

pub use comments::attach_comments;
pub use error::{SyntaxCode, SyntaxError};
pub use format::{format, format_edits, is_formatted, layout_edits};
pub use lexer::lex;
pub use parse::{Fragment, Parsed, parse, parse_fragment};
pub use print::{
    print, print_decl, print_expr, print_node, print_pattern, print_stmt, print_string, print_type,
};
pub use same::{same, same_subtrees};
pub use span::Span;
pub use stack::with_stack;
pub use token::{Token, TokenKind, Tokens, is_type_name, is_value_name, type_name};
