//! Lossless documents: JSON (with comments), YAML 1.2 and TOML, addressed by RFC 6901 pointers and changed by operations
//! that are lowered to the smallest byte edits.
//!
//! A serializer knows what a document means and forgets how it was written. This crate keeps the text and changes as little
//! of it as the meaning allows: comments, key order, quotes, indentation and line endings of everything that is not part of
//! the change stay as they are.
//!
//! The path of a change: [`parse`] reads a text into a [`Document`] (spans into the text, no copy of it); a [`Draft`]
//! applies [`Op`]s to an overlay of that tree; [`Draft::lower`] turns the overlay into an [`edit::EditSet`], parses the
//! result again and compares it with the overlay. What does not come out as meant is refused, never written.
//! [`Document::reorder_items`] goes the same way without a draft.
//!
//! ```
//! use document::{Format, GuardedOp, Limits, Op, Value, parse};
//! use edit::Text;
//!
//! let text = Text::new("# ports\nweb:\n  public: no # wrong\n");
//! let document = parse(&text, Format::Yaml, &Limits::DEFAULT)?;
//! let mut draft = document.draft();
//! let at = "/web/public".parse()?;
//! draft.apply(&GuardedOp::from(Op::ReplaceValue { at, value: Value::Bool(false) }))?;
//! let edits = draft.lower()?;
//! assert_eq!(edits.apply(&text)?.bytes(), b"# ports\nweb:\n  public: false # wrong\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Knows nothing about diagnostics, files on disk or who asks for a change.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.
#![warn(missing_docs)]

mod document;
mod draft;
mod hash;
mod json;
mod limits;
mod locate;
mod object_reader;
mod op;
mod pointer;
mod refusal;
mod reorder;
mod repeated;
mod source;
mod toml;
mod value;
mod verify;
mod view;
mod yaml;

pub use document::{Document, Format, ValueSpans, parse};
pub use draft::{Draft, Effect, Savepoint, SlotId, Write, WriteKind};
pub use limits::Limits;
pub use object_reader::ObjectReader;
pub use op::{GuardedOp, Op, OpError, Preconditions};
pub use pointer::{Pointer, PointerError};
pub use refusal::{ParseError, ParseErrorKind, Refusal, RefusalReason};
pub use repeated::RepeatedKey;
pub use value::{JsonType, Number, Value};
pub use view::{Content, View, ViewMembers};
