//! A parsed text with its format: the way in for everyone above this crate.

use std::ops::Range;
use std::sync::Arc;

use edit::{EditSet, Text};

use crate::draft::Draft;
use crate::limits::Limits;
use crate::pointer::{Pointer, parse_index};
use crate::refusal::{ParseError, ParseErrorKind, Refusal};
use crate::repeated::{self, RepeatedKey};
use crate::source::{Kind, NodeId, Source};
use crate::value::Value;
use crate::{json, locate, reorder, toml, yaml};

/// The formats that can be edited structurally.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    /// JSON, also with comments and trailing commas.
    Json,
    /// YAML 1.2.
    Yaml,
    /// TOML 1.0 and 1.1.
    Toml,
}

const EXTENSIONS: [(&str, Format); 8] = [
    ("json", Format::Json),
    ("jsonc", Format::Json),
    ("webmanifest", Format::Json),
    ("code-workspace", Format::Json),
    ("yaml", Format::Yaml),
    ("yml", Format::Yaml),
    ("cff", Format::Yaml),
    ("toml", Format::Toml),
];

impl Format {
    /// The format that a file name's extension stands for.
    pub fn of_path(path: &str) -> Option<Format> {
        // Asked of every path of a tree: it allocates nothing. A dot in a folder's name leaves a slash in the extension.
        let (_, extension) = path.rsplit_once('.')?;
        let mut known = EXTENSIONS.iter().filter(|it| extension.eq_ignore_ascii_case(it.0));
        known.next().map(|it| it.1)
    }

    /// The format's name as people write it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Json => "JSON",
            Format::Yaml => "YAML",
            Format::Toml => "TOML",
        }
    }
}

/// A parsed text. Holds spans into the text, not a copy of it.
pub struct Document {
    text: Text,
    format: Format,
    source: Box<dyn Source + Send + Sync>,
}

/// Where a value stands in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The bytes of the value.
    pub span: Range<u32>,
    /// The bytes of its key, for members of objects.
    pub key_span: Option<Range<u32>>,
}

/// Parses `text`. A text that breaks the grammar or a limit is an error; one that can be read but not edited
/// without risk (duplicate keys, several YAML documents) parses, and [`Document::blocked`] says why.
pub fn parse(text: &Text, format: Format, limits: &Limits) -> Result<Arc<Document>, ParseError> {
    if text.len() > limits.max_bytes {
        return Err(ParseError {
            kind: ParseErrorKind::TooLarge,
            offset: 0,
            message: format!(
                "the file has {} bytes, the limit is {}",
                text.len(),
                limits.max_bytes
            ),
        });
    }
    if let Err(error) = std::str::from_utf8(text.bytes()) {
        let offset = u32::try_from(error.valid_up_to()).unwrap_or(u32::MAX);
        let message = format!("byte {offset} is not valid UTF-8");
        return Err(ParseError { kind: ParseErrorKind::NotUtf8, offset, message });
    }
    let source: Box<dyn Source + Send + Sync> = match format {
        Format::Json => Box::new(json::parse(text, limits)?),
        Format::Yaml => Box::new(yaml::parse(text, limits)?),
        Format::Toml => Box::new(toml::parse(text, limits)?),
    };
    Ok(Arc::new(Document { text: text.clone(), format, source }))
}

impl Document {
    /// The text that was parsed.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// The format it was parsed as.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Why nothing in this document may be edited structurally.
    pub fn blocked(&self) -> Option<Refusal> {
        self.source.blocked()
    }

    /// The whole document as a value, aliases expanded.
    pub fn value(&self) -> Value {
        self.value_of(self.source.root())
    }

    /// The value at `pointer`.
    pub fn value_at(&self, pointer: &Pointer) -> Option<Value> {
        self.find(pointer).map(|node| self.value_of(node))
    }

    /// Where the value at `pointer` stands.
    pub fn locate(&self, pointer: &Pointer) -> Option<Found> {
        self.find(pointer).map(|node| self.found(node))
    }

    /// Where the value at each pointer stands, as [`Document::locate`] says it of one. Takes time in proportion to
    /// the document and the pointers together, while many calls of `locate` look at a large container many times.
    pub fn locate_many(&self, pointers: &[Pointer]) -> Vec<Option<Found>> {
        let nodes = locate::find_all(self.source(), pointers);
        nodes.into_iter().map(|node| node.map(|node| self.found(node))).collect()
    }

    /// The first `limit` keys that their objects have already, an object before those inside it.
    pub fn repeated_keys(&self, limit: usize) -> Vec<RepeatedKey> {
        repeated::repeated_keys(self, limit)
    }

    /// The bytes of every comment, in order. A comment that runs to the end of its line is without the line end.
    pub fn comments(&self) -> Vec<Range<u32>> {
        self.source.comments()
    }

    /// The edits that put the items of the array at `at` into another order: the item at `order[i]` becomes the
    /// `i`-th. Comments move with the item that they are about, separators and blank lines stay, and items that
    /// keep their place are not touched. What cannot be moved without a change of meaning is refused.
    pub fn reorder_items(&self, at: &Pointer, order: &[usize]) -> Result<EditSet, Refusal> {
        reorder::reorder(self, at, order)
    }

    /// An empty draft of changes to this document.
    pub fn draft(self: &Arc<Document>) -> Draft {
        Draft::new(Arc::clone(self))
    }

    pub(crate) fn source(&self) -> &dyn Source {
        &*self.source
    }

    pub(crate) fn value_of(&self, node: NodeId) -> Value {
        self.source.value(node)
    }

    fn found(&self, node: NodeId) -> Found {
        Found { span: self.source.span(node), key_span: self.source.key_span(node) }
    }

    fn find(&self, pointer: &Pointer) -> Option<NodeId> {
        let root = self.source.root();
        let found = pointer.segments().iter().try_fold(root, |node, segment| {
            let node = self.source.alias_target(node).unwrap_or(node);
            let children = self.source.children(node);
            match self.source.kind(node) {
                Kind::Array => {
                    parse_index(segment).and_then(|index| children.get(index)).map(|it| it.node)
                }
                Kind::Object => {
                    children.iter().find(|it| it.key.as_deref() == Some(segment)).map(|it| it.node)
                }
                Kind::Scalar | Kind::Alias => None,
            }
        });
        if found.is_none() && pointer.is_lone_slash() { Some(root) } else { found }
    }
}

impl std::fmt::Debug for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Document({}, {})", self.format.name(), self.text.hash())
    }
}
