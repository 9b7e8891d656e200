//! A parsed text with its format: the way in for everyone above this crate.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use edit::{EditSet, Text};

use crate::draft::Draft;
use crate::limits::Limits;
use crate::pointer::{Pointer, parse_index};
use crate::refusal::{ParseError, ParseErrorKind, Refusal, RefusalReason};
use crate::repeated::{self, RepeatedKey};
use crate::source::{Child, NodeId, SyntaxKind, SyntaxTree};
use crate::value::Value;
use crate::view::View;
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
        // Asked of every path of a tree, by many: the last letter tells most others apart, and then only the end is
        // looked at, where a known extension and its dot would be.
        let path = path.as_bytes();
        let last = path.last()?.to_ascii_lowercase();
        let has = |extension: &str| {
            let start = path.len().wrapping_sub(extension.len());
            extension.as_bytes().last() == Some(&last)
                && path.get(start.wrapping_sub(1)) == Some(&b'.')
                && path[start..].eq_ignore_ascii_case(extension.as_bytes())
        };
        EXTENSIONS.iter().find(|it| has(it.0)).map(|it| it.1)
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
    source: Arc<dyn SyntaxTree + Send + Sync>,
    /// Which document of the text: 0, but for YAML streams.
    index: usize,
}

/// Where a value stands in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueSpans {
    /// The bytes of the value.
    pub span: Range<u32>,
    /// The bytes of its key, for members of objects.
    pub key_span: Option<Range<u32>>,
}

/// Parses `text`. A text that breaks the grammar or a limit is an error; one that can be read but not edited
/// without risk (duplicate keys) parses, and [`Document::blocked`] says why. Of a YAML stream it is the first
/// document; [`Document::nth`] leads to the others.
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
    if text.as_str().is_none() {
        return Err(ParseError::not_utf8(text));
    }
    let source: Arc<dyn SyntaxTree + Send + Sync> = match format {
        Format::Json => Arc::new(json::parse(text, limits)?),
        Format::Yaml => Arc::new(yaml::parse(text, limits)?),
        Format::Toml => Arc::new(toml::parse(text, limits)?),
    };
    Ok(Arc::new(Document { text: text.clone(), format, source, index: 0 }))
}

impl Document {
    /// What it says, read when somebody asks.
    pub fn view(&self) -> View<'_> {
        let root = self.source.root_of(self.index).unwrap_or(self.source.root());
        View::new(&*self.source, root)
    }

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
        self.source.blocked(self.index)
    }

    /// Why this is not the one document of its text that can be edited: [`Document::blocked`], or there are several.
    pub fn not_alone(&self) -> Option<Refusal> {
        let second = || {
            let root = self.source.root_of(1)?;
            Some(Refusal::new(RefusalReason::SeveralDocuments, self.source.span(root).start))
        };
        self.blocked().or_else(second)
    }

    /// How many documents the text holds: one, but for YAML streams. An empty stream holds a null.
    pub fn n_documents(&self) -> usize {
        self.source.n_documents()
    }

    /// Which of them this is, from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Another document of the same text. Drafts of either can change both.
    pub fn nth(self: &Arc<Document>, index: usize) -> Option<Arc<Document>> {
        if index == self.index {
            return Some(Arc::clone(self));
        }
        self.source.root_of(index)?;
        let (text, source) = (self.text.clone(), Arc::clone(&self.source));
        Some(Arc::new(Document { text, format: self.format, source, index }))
    }

    /// All documents of the text, in order.
    pub fn all(self: &Arc<Document>) -> impl Iterator<Item = Arc<Document>> + '_ {
        (0..self.n_documents()).filter_map(|index| self.nth(index))
    }

    /// The whole document as a value, aliases expanded.
    pub fn value(&self) -> Value {
        self.value_of(self.root())
    }

    /// The same with YAML merges resolved: the members that `<<` names stand in its place. Pointers into it lead where
    /// the members are written.
    pub fn merged_value(&self) -> Value {
        self.source.merged_value(self.root())
    }

    /// Where YAML merges stand: the pointers of the keys `<<`, but for what aliases repeat.
    pub fn merge_keys(&self) -> Vec<Pointer> {
        let mut found = Vec::new();
        let span = self.source.span(self.root());
        let own = self.text.bytes().get(span.start as usize..span.end as usize).unwrap_or_default();
        if self.format == Format::Yaml && memchr::memmem::find(own, b"<<").is_some() {
            self.collect_merges(self.root(), &Pointer::root(), &mut found);
        }
        found
    }

    fn collect_merges(&self, node: NodeId, at: &Pointer, found: &mut Vec<Pointer>) {
        for (index, child) in self.source.children(node).into_iter().enumerate() {
            let at = match &child.key {
                Some(key) => at.join(&**key),
                None => at.join(index.to_string()),
            };
            if child.key.as_deref() == Some("<<") && self.source.is_merge(child.node) {
                found.push(at.clone());
            }
            self.collect_merges(child.node, &at, found);
        }
    }

    /// Where the values are written that pointers lead to by way of aliases and merges: the pointers without any on their
    /// way. `None` for what is not there, and for what is an alias itself.
    pub fn written_at(&self, pointers: &[Pointer]) -> Vec<Option<Pointer>> {
        let is_written = |it: &NodeId| self.source.kind(*it) != SyntaxKind::Alias;
        let target = |it: &Pointer| self.find(it).filter(is_written);
        let targets: Vec<Option<NodeId>> = pointers.iter().map(target).collect();
        let mut places: HashMap<NodeId, Option<Pointer>> =
            targets.iter().flatten().map(|it| (*it, None)).collect();
        if !places.is_empty() {
            self.collect_places(self.root(), &Pointer::root(), &mut places);
        }
        targets.into_iter().map(|it| places.get(&it?)?.clone()).collect()
    }

    fn collect_places(
        &self,
        node: NodeId,
        at: &Pointer,
        places: &mut HashMap<NodeId, Option<Pointer>>,
    ) {
        if let Some(place) = places.get_mut(&node) {
            place.get_or_insert_with(|| at.clone());
        }
        for (index, child) in self.source.children(node).into_iter().enumerate() {
            let at = match &child.key {
                Some(key) => at.join(&**key),
                None => at.join(index.to_string()),
            };
            self.collect_places(child.node, &at, places);
        }
    }

    /// Whether a pointer leads to a place without an alias or a merge on its way.
    pub fn is_direct(&self, pointer: &Pointer) -> bool {
        let mut node = self.root();
        pointer.segments().iter().all(|segment| {
            let children = self.source.children(node);
            let child = match self.source.kind(node) {
                SyntaxKind::Array => parse_index(segment).and_then(|index| children.get(index)),
                _ => children.iter().find(|it| it.key.as_deref() == Some(segment)),
            };
            child.is_some_and(|it| {
                node = it.node;
                self.source.kind(node) != SyntaxKind::Alias
            })
        })
    }

    /// The value at `pointer`.
    pub fn value_at(&self, pointer: &Pointer) -> Option<Value> {
        self.find(pointer).map(|node| self.value_of(node))
    }

    /// Where the value at `pointer` stands.
    ///
    /// ```
    /// use document::{Format, Limits, parse};
    /// use edit::Text;
    ///
    /// let document = parse(&Text::new("a:\n  b: 1\n"), Format::Yaml, &Limits::DEFAULT)?;
    /// let spans = document.locate(&"/a/b".parse()?).expect("it is there");
    /// assert_eq!((spans.span, spans.key_span), (8..9, Some(5..6)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn locate(&self, pointer: &Pointer) -> Option<ValueSpans> {
        self.find(pointer).map(|node| self.found(node))
    }

    /// Where the value at each pointer stands, as [`Document::locate`] says it of one. Takes time in proportion to
    /// the document and the pointers together, while many calls of `locate` look at a large container many times.
    pub fn locate_many(&self, pointers: &[Pointer]) -> Vec<Option<ValueSpans>> {
        let nodes = locate::find_all(self.source(), self.root(), pointers);
        nodes.into_iter().map(|node| node.map(|node| self.found(node))).collect()
    }

    /// The first `limit` keys that their objects have already, an object before those inside it.
    pub fn repeated_keys(&self, limit: usize) -> Vec<RepeatedKey> {
        repeated::repeated_keys(self, limit)
    }

    /// The bytes of every comment of the text, in order. A comment that runs to the end of its line is without the line end.
    pub fn comments(&self) -> Vec<Range<u32>> {
        self.source.comments()
    }

    /// The edits that put the items of the array at `at` into another order: the item at `order[i]` becomes the
    /// `i`-th. Comments move with the item that they are about, separators and blank lines stay, and items that
    /// keep their place are not touched. What cannot be moved without a change of meaning is refused.
    ///
    /// ```
    /// use document::{Format, Limits, parse};
    /// use edit::Text;
    ///
    /// let text = Text::new("- b # second\n- a # first\n");
    /// let document = parse(&text, Format::Yaml, &Limits::DEFAULT)?;
    /// let edits = document.reorder_items(&"".parse()?, &[1, 0])?;
    /// assert_eq!(edits.apply(&text)?.bytes(), b"- a # first\n- b # second\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reorder_items(&self, at: &Pointer, order: &[usize]) -> Result<EditSet, Refusal> {
        reorder::reorder(self, at, order)
    }

    /// An empty draft of changes to this document.
    pub fn draft(self: &Arc<Document>) -> Draft {
        Draft::new(Arc::clone(self))
    }

    pub(crate) fn root(&self) -> NodeId {
        self.source.root_of(self.index).unwrap_or(self.source.root())
    }

    pub(crate) fn source(&self) -> &dyn SyntaxTree {
        &*self.source
    }

    pub(crate) fn value_of(&self, node: NodeId) -> Value {
        self.source.value(node)
    }

    /// The value of one of the documents of the text.
    pub(crate) fn value_in(&self, document: usize) -> Option<Value> {
        self.source.root_of(document).map(|root| self.value_of(root))
    }

    fn found(&self, node: NodeId) -> ValueSpans {
        ValueSpans { span: self.source.span(node), key_span: self.source.key_span(node) }
    }

    fn find(&self, pointer: &Pointer) -> Option<NodeId> {
        let root = self.root();
        let found = pointer.segments().iter().try_fold(root, |node, segment| {
            let node = self.source.alias_target(node).unwrap_or(node);
            let children = self.source.children(node);
            match self.source.kind(node) {
                SyntaxKind::Array => {
                    parse_index(segment).and_then(|index| children.get(index)).map(|it| it.node)
                }
                SyntaxKind::Object => {
                    let is_it = |it: &&Child<'_>| it.key.as_deref() == Some(segment);
                    let own = children.iter().find(is_it).map(|it| it.node);
                    own.or_else(|| {
                        let merged = self.source.merged(node);
                        merged.iter().find(is_it).map(|it| it.node)
                    })
                }
                SyntaxKind::Scalar | SyntaxKind::Alias => None,
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
