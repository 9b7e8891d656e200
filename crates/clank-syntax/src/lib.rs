//! The Clank language as text and as a tree: tokens that cover every byte, a parser that goes on after mistakes, the
//! AST JSON reader and writer, the printer and the canonical formatter.
//!
//! Text and tree are two views of one program, and the way between them is closed: [`parse()`] reads any text at all, and
//! gives a tree of what it understood with the [`SyntaxError`]s of what it did not; [`print()`] writes a tree as text that
//! reads as the same tree; [`json`] does both for programs that would rather not parse; [`patch`] changes a tree by
//! operations on its nodes. [`format_edits`] lays a text out by edits of the blanks between its tokens, so that a formatter
//! can neither lose a comment nor change what the program means.
//!
//! ```
//! use clank_syntax::{format, lex, parse, print, same};
//!
//! let text = "fn twice(n:Int)->Int { n*2 } // doubled\n";
//! let parsed = parse("twice.clank", text);
//! assert!(parsed.errors.is_empty());
//!
//! // Laid out, with its comment; and what was printed reads as what it was printed from.
//! let laid_out = format(&parsed).expect("it has no syntax errors");
//! assert_eq!(laid_out, "fn twice(n: Int) -> Int { n * 2 } // doubled\n");
//! assert!(same(&parsed.ast, &parse("twice.clank", &print(&parsed.ast)).ast));
//!
//! // A mistake costs what it is in, not what follows.
//! let broken = parse("broken.clank", "fn a() -> Int { 1 + }\nfn b() -> Int { 2 }\n");
//! assert!(!broken.errors.is_empty());
//! assert_eq!(broken.ast.declarations().len(), 2);
//!
//! // Tokens cover every byte of every text, also of one that is not a program.
//! let (tokens, _) = lex("fn \u{0} \"");
//! assert_eq!(tokens.iter().map(|(_, text)| text.len()).sum::<usize>(), 6);
//! ```
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
