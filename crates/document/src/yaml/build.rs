//! From parser events to the span tree.
//!
//! The parser says where scalars, brackets, anchors and tags are. It does not say where `-`, `:` and `?` stand,
//! where a block collection really starts and ends, or where the header of a block scalar is: a cursor that
//! follows the events through the text finds those.

use edit::Text;
use granit_parser::{
    ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, StructureStyle, Tag, options,
};

use super::duplicates;
use super::scan::{bom_len, line_content_end, line_start, next_line, offset, skip_trivia};
use super::tree::{Anchor, KeyTraits, NONE, NodeData, Props, Shape, TagKind, YamlTree};
use crate::limits::Limits;
use crate::refusal::{ParseError, ParseErrorKind, Reason, Refusal};

/// Parses every document of the stream, and keeps the first.
pub(crate) fn parse(text: &Text, limits: &Limits) -> Result<YamlTree, ParseError> {
    let source = std::str::from_utf8(text.bytes()).map_err(|error| {
        let message = "the text is not valid UTF-8".to_string();
        ParseError { kind: ParseErrorKind::NotUtf8, offset: offset(error.valid_up_to()), message }
    })?;
    if u32::try_from(source.len()).is_err() {
        return Err(too_large(0, "the file is larger than 4 GiB".to_string()));
    }
    let mut builder = Builder::new(text, limits);
    let options = options! {
        // By the letter of the specification `key: [` may not be closed by a `]` below the start of `key`. Most
        // files do just that and most readers take it.
        strict_indentation: false,
        emit_anchor_events: true,
        emit_comments: false,
        flow_nesting_limit: limits.max_depth,
        block_nesting_limit: limits.max_depth,
    };
    let mut documents = 0;
    let mut second_document = None;
    for event in Parser::new_from_str_with_options(source, options) {
        let (event, span) = event.map_err(|error| parse_error(&error, source, limits))?;
        if let Event::DocumentStart(is_explicit, _) = event {
            documents += 1;
            if documents == 1 {
                builder.start_document(is_explicit, &span);
            } else if documents == 2 {
                second_document = Some(start_of(&span));
            }
        } else if documents == 1 {
            builder.event(event, &span)?;
        }
    }
    let mut tree = builder.finish()?;
    tree.blocked = match second_document {
        Some(at) => Some(Refusal::new(Reason::SeveralDocuments, at)),
        None => duplicates::find(&tree).or_else(|| lone_carriage_return(text.bytes())),
    };
    Ok(tree)
}

/// Such a line break is legal and next to unknown: what is found between the parser's events relies on `\n`.
pub(super) fn lone_carriage_return(bytes: &[u8]) -> Option<Refusal> {
    let at = memchr::memchr_iter(b'\r', bytes).find(|at| bytes.get(at + 1) != Some(&b'\n'))?;
    Some(Refusal::new(Reason::LoneCarriageReturn, offset(at)))
}

struct Builder<'a> {
    tree: YamlTree,
    bytes: &'a [u8],
    limits: &'a Limits,
    open: Vec<Frame>,
    /// By the parser's anchor ids: the node, and what it expands to once it is complete.
    anchors: Vec<Option<(u32, Option<Extent>)>>,
    /// Everything before this byte belongs to a node.
    cursor: u32,
    /// The nodes so far, after alias expansion.
    expanded_nodes: usize,
}

/// The size of a node after alias expansion.
#[derive(Clone, Copy, Default)]
struct Extent {
    nodes: usize,
    height: usize,
}

struct Frame {
    id: u32,
    /// The parser's id of the anchor on this collection.
    anchor: usize,
    /// Whether the next node is a key.
    expects_key: bool,
    /// The last key.
    key: u32,
    end: u32,
    extent: Extent,
}

impl<'a> Builder<'a> {
    fn new(text: &'a Text, limits: &'a Limits) -> Builder<'a> {
        let bytes = text.bytes();
        let tree = YamlTree {
            text: text.clone(),
            nodes: Vec::with_capacity(bytes.len() / 8),
            more: Vec::new(),
            decoded: Vec::new(),
            props: Vec::new(),
            anchors: Vec::new(),
            aliases: Vec::new(),
            blocked: None,
            marker_end: None,
        };
        Builder {
            tree,
            bytes,
            limits,
            open: Vec::new(),
            anchors: Vec::new(),
            cursor: bom_len(bytes),
            expanded_nodes: 0,
        }
    }

    fn start_document(&mut self, is_explicit: bool, span: &Span) {
        if is_explicit {
            self.cursor = end_of(span);
            self.tree.marker_end = Some(self.cursor);
        }
    }

    fn event(&mut self, event: Event<'_>, span: &Span) -> Result<(), ParseError> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let id = self.begin(anchor, tag.as_deref(), span);
                self.scalar(id, &text, style, span);
                let extent = Extent { nodes: 1, height: 0 };
                if let Some(slot) = self.anchor_slot(anchor) {
                    *slot = Some((id, Some(extent)));
                }
                self.complete(id, extent);
            }
            Event::SequenceStart(style, anchor, tag) => {
                let shape = match style {
                    StructureStyle::Block => Shape::BlockSequence,
                    StructureStyle::Flow => Shape::FlowSequence,
                };
                self.start_collection(shape, anchor, tag.as_deref(), span)?;
            }
            Event::MappingStart(style, anchor, tag) => {
                let shape = match style {
                    StructureStyle::Block => Shape::BlockMapping,
                    StructureStyle::Flow
                        if self.bytes.get(start_of(span) as usize) == Some(&b'{')
                            && end_of(span) > start_of(span) =>
                    {
                        Shape::FlowMapping
                    }
                    StructureStyle::Flow => Shape::Pair,
                };
                self.start_collection(shape, anchor, tag.as_deref(), span)?;
            }
            Event::Anchor(..) => self.anchor(span),
            Event::SequenceEnd | Event::MappingEnd => self.end_collection(span),
            Event::Alias(anchor) => self.alias(anchor, span)?,
            _ => {}
        }
        Ok(())
    }

    /// Adds a node, with the indicator that introduces it. Its shape and span follow.
    fn begin(&mut self, anchor: usize, tag: Option<&Tag>, span: &Span) -> u32 {
        let id = offset(self.tree.nodes.len());
        let indicator = self.indicator();
        let key = match self.open.last() {
            Some(frame) if !frame.expects_key && self.tree.shape(frame.id).is_mapping() => {
                frame.key
            }
            _ => NONE,
        };
        let tag = tag.and_then(|tag| {
            let range = span.tag_span()?;
            Some((start_of(&range)..end_of(&range), tag_kind(tag)))
        });
        if let Some((range, _)) = &tag {
            self.cursor = self.cursor.max(range.end);
        }
        let at = self.cursor;
        self.tree.nodes.push(NodeData {
            shape: Shape::Empty,
            keys: KeyTraits::default(),
            is_member: key != NONE,
            has_more: false,
            start: at,
            end: at,
            indicator,
            skip: id + 1,
        });
        if key != NONE && key + 1 != id {
            self.tree.more_mut(id).key = key;
        }
        if tag.is_some() || anchor != 0 {
            self.tree.more_mut(id).props = offset(self.tree.props.len());
            self.tree.props.push(Props { anchor: None, tag });
        }
        if anchor != 0 {
            self.tree.anchors.push(Anchor { node: id, uses: 0 });
        }
        id
    }

    /// Moves the cursor over the `-`, `:`, `?` or `,` before the next node and says where the indicator is.
    fn indicator(&mut self) -> u32 {
        let Some(frame) = self.open.last() else {
            return NONE;
        };
        let shape = self.tree.shape(frame.id);
        let expects_value = shape.is_mapping() && !frame.expects_key;
        let mut at = skip_trivia(self.bytes, self.cursor);
        if shape.is_flow_collection()
            && !expects_value
            && self.bytes.get(at as usize) == Some(&b',')
        {
            at = skip_trivia(self.bytes, at + 1);
        }
        let next = self.bytes.get(at as usize);
        let found = match shape {
            Shape::BlockSequence => next == Some(&b'-'),
            Shape::FlowSequence => false,
            _ if expects_value => next == Some(&b':'),
            _ => {
                next == Some(&b'?')
                    && !self
                        .bytes
                        .get(at as usize + 1)
                        .is_some_and(|byte| is_plain_after_question_mark(*byte))
            }
        };
        if found {
            self.cursor = at + 1;
            at
        } else {
            if !expects_value {
                self.cursor = at;
            }
            NONE
        }
    }

    fn scalar(&mut self, id: u32, text: &str, style: ScalarStyle, span: &Span) {
        let (start, end) = (start_of(span), end_of(span));
        let bytes = self.bytes;
        let node = &mut self.tree.nodes[id as usize];
        node.shape = match style {
            ScalarStyle::Plain if start == end => Shape::Empty,
            ScalarStyle::Plain => Shape::Plain,
            ScalarStyle::SingleQuoted => Shape::SingleQuoted,
            ScalarStyle::DoubleQuoted => Shape::DoubleQuoted,
            ScalarStyle::Literal => Shape::Literal,
            ScalarStyle::Folded => Shape::Folded,
        };
        match node.shape {
            // Stays at the cursor: the parser's own place for it can be on another line.
            Shape::Empty => return,
            Shape::Literal | Shape::Folded => {
                // An anchor between the cursor and the header is skipped as a word.
                node.start = find_header(bytes, self.cursor, start);
                node.end = block_scalar_end(bytes, node.start, end, text);
            }
            _ => (node.start, node.end) = (start, end),
        }
        self.cursor = node.end;
        let written = match node.shape {
            Shape::Plain => bytes.get(start as usize..end as usize),
            Shape::SingleQuoted | Shape::DoubleQuoted => {
                bytes.get(start as usize + 1..(end as usize).saturating_sub(1))
            }
            _ => None,
        };
        if written != Some(text.as_bytes()) {
            self.tree.more_mut(id).extra = offset(self.tree.decoded.len());
            self.tree.decoded.push(text.into());
        }
    }

    fn start_collection(
        &mut self,
        shape: Shape,
        anchor: usize,
        tag: Option<&Tag>,
        span: &Span,
    ) -> Result<(), ParseError> {
        if self.open.len() >= self.limits.max_depth {
            return Err(too_deep(start_of(span), self.limits));
        }
        let id = self.begin(anchor, tag, span);
        self.expanded_nodes = self.expanded_nodes.saturating_add(1);
        let node = &mut self.tree.nodes[id as usize];
        node.shape = shape;
        if matches!(shape, Shape::FlowSequence | Shape::FlowMapping) {
            (node.start, node.end) = (start_of(span), end_of(span));
            self.cursor = end_of(span);
        }
        if let Some(slot) = self.anchor_slot(anchor) {
            *slot = Some((id, None));
        }
        let extent = Extent { nodes: 1, height: 1 };
        self.open.push(Frame {
            id,
            anchor,
            expects_key: true,
            key: NONE,
            end: self.cursor,
            extent,
        });
        Ok(())
    }

    /// The parser reports an anchor right after the node that it is on, before anything inside.
    fn anchor(&mut self, span: &Span) {
        let Some(id) = self.tree.anchors.last().map(|anchor| anchor.node) else {
            return;
        };
        let end = end_of(span);
        // The node with this anchor is the last one with properties.
        if let Some(props) = self.tree.props.last_mut() {
            props.anchor = Some(start_of(span)..end);
        }
        let node = &mut self.tree.nodes[id as usize];
        let is_open_block =
            matches!(node.shape, Shape::BlockSequence | Shape::BlockMapping | Shape::Pair);
        if node.shape == Shape::Empty {
            node.start = node.start.max(end);
            node.end = node.start;
        }
        if node.shape == Shape::Empty || is_open_block {
            self.cursor = self.cursor.max(end);
        }
        if let Some(frame) = self.open.last_mut() {
            frame.end = frame.end.max(end);
        }
    }

    fn end_collection(&mut self, span: &Span) {
        let Some(frame) = self.open.pop() else {
            return;
        };
        let id = frame.id;
        let skip = offset(self.tree.nodes.len());
        let shape = self.tree.shape(id);
        let first_start = (skip > id + 1).then(|| self.first_start(id));
        let node = &mut self.tree.nodes[id as usize];
        node.skip = skip;
        if matches!(shape, Shape::FlowSequence | Shape::FlowMapping) {
            node.end = end_of(span);
            self.cursor = node.end;
        } else {
            node.start = first_start.unwrap_or(node.start);
            node.end = frame.end;
        }
        if let Some(slot) = self.anchor_slot(frame.anchor) {
            *slot = Some((id, Some(frame.extent)));
        }
        self.complete(id, frame.extent);
    }

    /// Where the first member of a collection without brackets starts.
    fn first_start(&self, id: u32) -> u32 {
        let first = id + 1;
        match self.tree.node(first).indicator {
            NONE => self.tree.outer_start(first),
            indicator => indicator,
        }
    }

    fn alias(&mut self, anchor: usize, span: &Span) -> Result<(), ParseError> {
        let at = start_of(span);
        let (target, extent) = match self.anchors.get(anchor).copied().flatten() {
            Some((target, Some(extent))) => (target, extent),
            Some((_, None)) => {
                let message = "the alias stands inside the node that it refers to".to_string();
                return Err(too_large(at, message));
            }
            None => {
                let message = "the alias refers to an anchor that is not defined".to_string();
                return Err(ParseError { kind: ParseErrorKind::Syntax, offset: at, message });
            }
        };
        if self.open.len() + extent.height > self.limits.max_depth {
            return Err(too_deep(at, self.limits));
        }
        let id = self.begin(0, None, span);
        let node = &mut self.tree.nodes[id as usize];
        node.shape = Shape::Alias;
        (node.start, node.end) = (at, end_of(span));
        self.cursor = node.end;
        self.tree.more_mut(id).extra = target;
        self.tree.aliases.push((id, target));
        if let Ok(index) = self.tree.anchors.binary_search_by_key(&target, |it| it.node) {
            self.tree.anchors[index].uses += 1;
        }
        self.complete(id, extent);
        self.check_expansion(at)
    }

    /// Tells the container about a finished member.
    fn complete(&mut self, id: u32, extent: Extent) {
        let shape = self.tree.shape(id);
        let (start, end) = (self.tree.node(id).start, self.tree.node(id).end);
        let is_merge = shape == Shape::Plain
            && self.bytes.get(start as usize..end as usize) == Some(b"<<".as_slice());
        let nodes = match shape {
            Shape::Alias => extent.nodes,
            shape if shape.is_scalar() => 1,
            // Counted when it was opened.
            _ => 0,
        };
        self.expanded_nodes = self.expanded_nodes.saturating_add(nodes);
        let Some(frame) = self.open.last_mut() else {
            return;
        };
        frame.end = frame.end.max(end);
        frame.extent.nodes = frame.extent.nodes.saturating_add(extent.nodes);
        frame.extent.height = frame.extent.height.max(extent.height + 1);
        let container = &mut self.tree.nodes[frame.id as usize];
        if container.shape.is_mapping() {
            if frame.expects_key {
                container.keys.add(is_merge, !shape.is_scalar());
                frame.key = id;
            }
            frame.expects_key = !frame.expects_key;
        }
    }

    /// Aliases may not make a document of more nodes than the limit; a long document without them may have more.
    fn check_expansion(&self, at: u32) -> Result<(), ParseError> {
        let limit = self.limits.max_expanded_nodes;
        if self.expanded_nodes > limit && self.expanded_nodes > self.tree.nodes.len() {
            let message =
                format!("the aliases would expand the document to more than {limit} nodes");
            return Err(too_large(at, message));
        }
        Ok(())
    }

    fn anchor_slot(&mut self, anchor: usize) -> Option<&mut Option<(u32, Option<Extent>)>> {
        if anchor == 0 {
            return None;
        }
        if self.anchors.len() <= anchor {
            self.anchors.resize(anchor + 1, None);
        }
        self.anchors.get_mut(anchor)
    }

    fn finish(mut self) -> Result<YamlTree, ParseError> {
        if self.tree.nodes.is_empty() {
            let at = offset(self.bytes.len());
            self.cursor = at;
            self.begin(0, None, &Span::default());
        }
        Ok(self.tree)
    }
}

/// `?` is an indicator unless something that can continue a plain scalar follows it.
fn is_plain_after_question_mark(byte: u8) -> bool {
    !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b'[' | b']' | b'{' | b'}')
}

/// The `|` or `>` before the content of a block scalar: properties and comments may stand before it.
fn find_header(bytes: &[u8], from: u32, content: u32) -> u32 {
    let mut at = skip_trivia(bytes, from);
    while at < content && !matches!(bytes.get(at as usize), Some(b'|' | b'>')) {
        while at < content && !matches!(bytes.get(at as usize), Some(b' ' | b'\t' | b'\r' | b'\n'))
        {
            at += 1;
        }
        at = skip_trivia(bytes, at);
    }
    at
}

/// The parser's end can lie behind blank lines that are not content, or in the indentation of what follows.
fn block_scalar_end(bytes: &[u8], header: u32, parsed_end: u32, text: &str) -> u32 {
    let header_end = line_content_end(bytes, header);
    let first_line = next_line(bytes, header);
    let keeps_blank_lines = bytes[header as usize..header_end as usize]
        .iter()
        .take_while(|byte| !matches!(byte, b' ' | b'\t' | b'#'))
        .any(|&byte| byte == b'+');
    let mut end = parsed_end.max(first_line);
    let line = line_start(bytes, end);
    let is_blank = |from: u32, to: u32| {
        bytes[from as usize..to as usize]
            .iter()
            .all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
    };
    if line < end && (end as usize) < bytes.len() && is_blank(line, end) {
        end = line.max(first_line);
    }
    let ends_in_blanks = text.trim_end_matches('\n').ends_with([' ', '\t']);
    if !keeps_blank_lines && !ends_in_blanks {
        while end > first_line {
            let line = line_start(bytes, end - 1);
            if line < first_line || !is_blank(line, end) {
                break;
            }
            end = line;
        }
    }
    end
}

fn tag_kind(tag: &Tag) -> TagKind {
    match tag.core_suffix() {
        Some("str") => TagKind::Str,
        Some("int") => TagKind::Int,
        Some("float") => TagKind::Float,
        Some("bool") => TagKind::Bool,
        Some("null") => TagKind::Null,
        Some("seq") => TagKind::Seq,
        Some("map") => TagKind::Map,
        // Types that only YAML 1.1 knows (`!!binary`, `!!timestamp`) are strings.
        _ if tag.suffix_in_namespace("tag:yaml.org,2002:").is_some() => TagKind::Str,
        // The non-specific tag `!` makes a scalar a string.
        _ if tag.original_handle().is_empty() && tag.suffix() == "!" => TagKind::Str,
        _ => TagKind::Custom,
    }
}

fn parse_error(error: &ScanError, source: &str, limits: &Limits) -> ParseError {
    let at = error.marker().byte_offset().unwrap_or(source.len());
    let offset = offset(at.min(source.len()));
    match error.kind() {
        ErrorKind::RecursionLimitExceeded => too_deep(offset, limits),
        _ => ParseError { kind: ParseErrorKind::Syntax, offset, message: error.info() },
    }
}

pub(super) fn start_of(span: &Span) -> u32 {
    offset(span.start.byte_offset().unwrap_or(0))
}

pub(super) fn end_of(span: &Span) -> u32 {
    offset(span.end.byte_offset().unwrap_or(0))
}

fn too_large(offset: u32, message: String) -> ParseError {
    ParseError { kind: ParseErrorKind::TooLarge, offset, message }
}

fn too_deep(offset: u32, limits: &Limits) -> ParseError {
    too_large(offset, format!("collections are nested more than {} levels deep", limits.max_depth))
}
