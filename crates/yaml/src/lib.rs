//! A YAML 1.2 reader: one pass over the bytes of a text into a flat arena of nodes with their places.
//!
//! Nothing is copied while reading. A node is sixteen bytes: its kind, its place and a link; what a scalar stands
//! for is worked out when somebody asks, and borrowed where it is written as it is meant. Numbers, booleans and
//! nulls are texts here: a schema decides about them.
//!
//! ```
//! let text = "name: demo # a comment\nports: [80, 443]\n";
//! let tree = yaml::parse(text, &yaml::Options::STRICT).expect("it is YAML");
//! let root = tree.documents()[0].root;
//! let members: Vec<u32> = tree.children(root).collect();
//! assert_eq!(tree.nodes()[members[0] as usize].value(text), "name");
//! assert_eq!(tree.nodes()[members[3] as usize].kind(), yaml::NodeKind::FlowSequence);
//! assert_eq!(&text[tree.comments()[0].range()], "# a comment");
//! ```
//!
//! Time and memory grow with the length of the text, whatever it holds; nesting is limited by [`Options`].
//!
//! Knows nothing about files, schemas, values other than text, and edits.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.
#![warn(missing_docs)]

mod characters;
mod class;
mod error;
mod events;
mod parser;
mod tag;
mod tree;
mod value;

pub use error::{Error, ErrorKind};
pub use tree::{Directive, DirectiveKind, Document, Node, NodeKind, Properties, Span, Tree};

/// How to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// How many collections may be open at once.
    pub max_depth: usize,
    /// Whether the lines of a flow collection must be indented deeper than the block collection around it, as the
    /// specification says. Most readers take `key: [` that is closed by a `]` below the start of `key`, a closing
    /// quote there, and tabs on the blank lines of a scalar.
    pub strict_indentation: bool,
    /// Whether the end of the text ends the last line of a block scalar as a line break would. The public test suite
    /// says so; libyaml, and most programs that people read YAML with, do not.
    pub break_at_end: bool,
}

impl Options {
    /// By the letter of the specification.
    pub const STRICT: Options =
        Options { max_depth: 1000, strict_indentation: true, break_at_end: true };
    /// As files are written and read: flow collections may be indented as one likes, and a text that ends without a
    /// line break does not end in one.
    pub const LENIENT: Options =
        Options { max_depth: 1000, strict_indentation: false, break_at_end: false };
}

/// Reads all documents of a stream.
///
/// # Errors
/// At the first place where the text is not YAML, where collections are nested too deep, and for texts of more than
/// 2 GiB.
pub fn parse(text: &str, options: &Options) -> Result<Tree, Error> {
    parser::parse(text, *options)
}
