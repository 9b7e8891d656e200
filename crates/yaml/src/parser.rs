//! The parser: documents, lines, and the stack of open collections.
//!
//! YAML's one difficulty is that a mapping shows only behind its first key: in `a: b` the node `a` is read before the
//! `:` tells that a mapping began with it. A scalar is therefore scanned before anything is added to the arena. A
//! flow collection that turns out to be a key gets its mapping inserted before it; such a key is at most 1024
//! characters on one line, so that the cost is bounded.
//!
//! Nothing recurses: what is open stands on `stack`, with the part of it that is wanted next. Every byte is scanned
//! at most a fixed number of times, by the scan of its line and by the look-ahead of the scalar before it.

mod block;
mod block_scalar;
mod directive;
mod flow;
mod properties;
mod quoted;
mod space;

use std::collections::HashMap;

use crate::Options;
use crate::characters;
use crate::class::{BLANK, BREAK, is};
use crate::error::{Error, ErrorKind, position};
use crate::tree::{Document, FAR, HAS_PROPERTIES, IS_KEY, IS_VALUE, Node, NodeKind, Span, Tree};
use properties::PendingProperties;

/// Two nodes in three bytes are the most there can be, so that ids fit as well.
const MAX_LEN: usize = 1 << 31;

/// No indicator.
const NONE: usize = usize::MAX;

/// The longest key without `?`, in characters.
const MAX_KEY: usize = 1024;

pub(crate) fn parse(text: &str, options: Options) -> Result<Tree, Error> {
    let bytes = text.as_bytes();
    let mut parser = Parser {
        bytes,
        options,
        tree: Tree::default(),
        stack: Vec::with_capacity(16),
        pos: 0,
        line: 0,
        n_spaces: 0,
        tab_line: None,
        has_carriage_return: false,
        held: PendingProperties::default(),
        indicator: NONE,
        last_end: 0,
        is_json_key: false,
        last_height: 0,
        anchors: HashMap::new(),
        handles: HashMap::new(),
    };
    if bytes.len() > MAX_LEN {
        let mut error = parser.fail(0, "the text is longer than 2 GiB");
        error.kind = ErrorKind::TooLarge;
        return Err(error);
    }
    let odd = characters::survey(bytes).map_err(|at| {
        parser.fail(at, format!("the control character U+{:04X} is not allowed", bytes[at]))
    })?;
    parser.has_carriage_return = memchr::memchr(b'\r', bytes).is_some();
    // A list that grows is copied, and both copies are in memory then. What a large reserve does not use is never touched.
    let bytes_per_node = if bytes.len() < 1 << 16 { 16 } else { 8 };
    parser.tree.nodes.reserve(bytes.len() / bytes_per_node);
    parser.stream()?;
    parser.check_odd_characters(&odd)?;
    Ok(parser.tree)
}

struct Parser<'a> {
    bytes: &'a [u8],
    options: Options,
    tree: Tree,
    stack: Vec<Frame>,
    pos: usize,
    /// Where the line of `pos` starts.
    line: usize,
    /// How many spaces the line that was begun last starts with.
    n_spaces: usize,
    /// A blank line with a tab behind a block scalar: only the end of the document may follow.
    tab_line: Option<usize>,
    has_carriage_return: bool,
    /// Anchor and tag that were read on an earlier line, or in a flow collection; the next node has them.
    held: PendingProperties,
    /// Where the indicator stands that introduces the next node.
    indicator: usize,
    /// Where the last node ended.
    last_end: usize,
    /// Whether the last key of a flow mapping may be followed by `:` without a blank.
    is_json_key: bool,
    /// How many levels the last collection has that was completed.
    last_height: usize,
    /// By name, those of this document.
    anchors: HashMap<&'a [u8], u32>,
    /// The handles that the directives of this document declare, with their directives.
    handles: HashMap<&'a [u8], usize>,
}

/// What an open collection wants next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Want {
    /// A node: the item of a sequence, or the root of a document.
    Node,
    /// The next entry, or the end; in a flow collection a comma first.
    Next,
    /// The key of the next entry of a flow mapping, or its end.
    Entry,
    /// The key behind `?`.
    Key,
    /// The `:` behind a key.
    Colon,
    /// The value behind `:`.
    Value,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    node: u32,
    /// The column of its entries, for block collections; -1 for a document.
    indent: i32,
    kind: NodeKind,
    want: Want,
    /// Where the line starts on which it began.
    line: usize,
    /// How many collections are nested in it, in those parts that are complete.
    height: usize,
}

/// Where to read on.
enum Next {
    /// At the start of a line.
    Line,
    /// At a node on the line; whether a block collection may start here.
    Inline(bool),
}

impl<'a> Parser<'a> {
    /// The byte at a place, 0 behind the end.
    #[inline(always)]
    fn at(&self, at: usize) -> u8 {
        match self.bytes.get(at) {
            Some(&byte) => byte,
            None => 0,
        }
    }

    /// The open collection, or the document.
    #[inline(always)]
    fn top(&mut self) -> &mut Frame {
        self.stack.last_mut().expect("the document is open while its content is read")
    }

    fn stream(&mut self) -> Result<(), Error> {
        let mut first_directive = 0;
        loop {
            self.skip_byte_order_mark();
            if !self.next_line() {
                return self.expect_document(first_directive);
            }
            if self.pos == self.line && self.bytes[self.pos..].starts_with(b"\xEF\xBB\xBF") {
                continue;
            }
            if self.pos == self.line && self.at(self.pos) == b'%' {
                self.directive(first_directive)?;
                continue;
            }
            let is_marker = self.is_marker();
            if is_marker && self.at(self.pos) == b'.' {
                self.expect_document(first_directive)?;
                self.pos += 3;
                self.end_line()?;
                continue;
            }
            if !is_marker {
                self.expect_document(first_directive)?;
                self.pos = self.line;
                self.document(first_directive, None)?;
            }
            // A document is followed by `---`, which starts the next, or by `...` or the end.
            while self.is_marker() && self.at(self.pos) == b'-' {
                let marker = Span::new(self.pos, self.pos + 3);
                self.pos += 3;
                self.document(first_directive, Some(marker))?;
                first_directive = self.tree.directives.len();
                self.handles.clear();
            }
            if self.is_marker() {
                let marker = Span::new(self.pos, self.pos + 3);
                if let Some(document) = self.tree.documents.last_mut() {
                    document.end_marker = Some(marker);
                }
                self.pos += 3;
                self.end_line()?;
            }
        }
    }

    /// Directives must be followed by a document.
    fn expect_document(&self, first_directive: usize) -> Result<(), Error> {
        match self.tree.directives.get(first_directive) {
            None => Ok(()),
            Some(it) => {
                let message = "expected `---` after the directives";
                Err(self.fail_in(
                    self.pos,
                    message,
                    "the first directive is",
                    it.span.start as usize,
                ))
            }
        }
    }

    fn document(&mut self, first_directive: usize, marker: Option<Span>) -> Result<(), Error> {
        let root = self.tree.nodes.len() as u32;
        self.tree.documents.push(Document {
            directives: first_directive..self.tree.directives.len(),
            start_marker: marker,
            root,
            end_marker: None,
        });
        self.anchors.clear();
        self.last_end = marker.map_or(self.pos, |it| it.end as usize);
        self.indicator = NONE;
        let line = self.line;
        self.stack.push(Frame {
            node: root,
            indent: -1,
            kind: NodeKind::Empty,
            want: Want::Node,
            line,
            height: 0,
        });
        let next = if marker.is_some() { self.after_indicator(false)? } else { Next::Line };
        self.block(next)?;
        self.tab_line = None;
        while !self.stack.is_empty() {
            self.close();
        }
        Ok(())
    }

    /// Adds a node to the open collection.
    #[inline]
    fn push(&mut self, kind: NodeKind, start: usize, end: usize, flags: u8) -> u32 {
        let id = self.tree.nodes.len() as u32;
        let frame = self.top();
        let (want, role) = match frame.want {
            Want::Key | Want::Entry => (Want::Colon, IS_KEY),
            Want::Colon | Want::Value => (Want::Next, IS_VALUE),
            _ => (Want::Next, 0),
        };
        frame.want = want;
        let back = self.take_back(id, start);
        let flags = flags | role;
        self.tree.nodes.push(Node {
            start: start as u32,
            end: end as u32,
            link: 0,
            back,
            kind,
            flags,
        });
        self.last_end = end;
        id
    }

    /// How far before the start of a node its indicator stands.
    #[inline]
    fn take_back(&mut self, id: u32, start: usize) -> u16 {
        if self.indicator == NONE {
            return 0;
        }
        let distance = start - self.indicator;
        if distance >= FAR as usize {
            self.tree.far.push((id, self.indicator as u32));
        }
        self.indicator = NONE;
        distance.min(FAR as usize) as u16
    }

    /// Adds a scalar of no characters, with the anchor and tag that wait for a node.
    fn push_empty(&mut self, at: usize) {
        let held = std::mem::take(&mut self.held);
        let at = if held.is_some() { held.end() } else { at };
        let id = self.push(NodeKind::Empty, at, at, 0);
        self.attach(id, held);
    }

    /// Adds what is wanted and was not written.
    fn fill(&mut self) {
        let at = if self.indicator == NONE { self.last_end } else { self.indicator + 1 };
        match self.top().want {
            Want::Next => {}
            Want::Node | Want::Value | Want::Colon => self.push_empty(at),
            Want::Key => {
                self.push_empty(at);
                let at = self.last_end;
                self.top().want = Want::Value;
                self.push_empty(at);
            }
            Want::Entry => {
                if self.held.is_some() {
                    self.push_empty(at);
                    let at = self.last_end;
                    self.top().want = Want::Value;
                    self.push_empty(at);
                }
            }
        }
    }

    /// A collection with so many levels in it must fit into the open ones.
    #[inline]
    fn check_depth(&self, start: usize, height: usize) -> Result<(), Error> {
        // The document itself stands on the stack as well.
        if self.stack.len() + height > self.options.max_depth {
            let limit = self.options.max_depth;
            let message = format!("collections are nested more than {limit} levels deep");
            let mut error = self.fail(start, message);
            error.kind = ErrorKind::TooDeep;
            return Err(error);
        }
        Ok(())
    }

    /// Adds a collection and opens it.
    fn open(
        &mut self,
        kind: NodeKind,
        start: usize,
        indent: i32,
        want: Want,
    ) -> Result<u32, Error> {
        self.check_depth(start, 0)?;
        let node = self.push(kind, start, start, 0);
        self.stack.push(Frame { node, indent, kind, want, line: self.line, height: 0 });
        Ok(node)
    }

    /// Completes the open collection, or the document.
    fn close(&mut self) {
        let want = self.top().want;
        if want != Want::Next && (want != Want::Entry || self.held.is_some()) {
            self.fill();
        }
        let Some(frame) = self.stack.pop() else { return };
        let Some(outer) = self.stack.last_mut() else { return };
        self.last_height = frame.height + 1;
        outer.height = outer.height.max(self.last_height);
        let (link, end) = (self.tree.nodes.len() as u32, self.last_end as u32);
        let node = &mut self.tree.nodes[frame.node as usize];
        node.link = link;
        node.end = end;
    }

    /// Puts a mapping around the node `id` and what it holds, which is the key of its first entry.
    fn wrap(&mut self, id: u32, kind: NodeKind, indent: i32, line: usize) -> Result<(), Error> {
        let start = self.tree.outer_start(id) as usize;
        let height = self.last_height;
        self.check_depth(start, height)?;
        self.indicator = self.tree.indicator(id).map_or(NONE, |it| it as usize);
        self.tree.far.pop_if(|it| it.0 == id);
        let far = self.tree.far.len();
        let after_far = self.tree.far.iter().rev().take_while(|it| it.0 >= id).count();
        for entry in &mut self.tree.far[far - after_far..] {
            entry.0 += 1;
        }
        let role = self.tree.nodes[id as usize].flags & (IS_KEY | IS_VALUE);
        for node in &mut self.tree.nodes[id as usize..] {
            if node.kind.is_collection() || (node.kind == NodeKind::Alias && node.link >= id) {
                node.link += 1;
            }
        }
        let key = &mut self.tree.nodes[id as usize];
        key.flags = (key.flags & !IS_VALUE) | IS_KEY;
        key.back = 0;
        let n_after = self.tree.properties.iter().rev().take_while(|it| it.node >= id).count();
        let first = self.tree.properties.len() - n_after;
        for properties in &mut self.tree.properties[first..] {
            properties.node += 1;
            if !properties.anchor.is_empty() {
                let name = &self.bytes[properties.anchor.range()][1..];
                self.anchors.insert(name, properties.node);
            }
        }
        let back = self.take_back(id, start);
        if back == FAR
            && let Some(entry) = self.tree.far.pop()
        {
            let at = self.tree.far.len() - after_far;
            self.tree.far.insert(at, entry);
        }
        let mapping =
            Node { start: start as u32, end: start as u32, link: 0, back, kind, flags: role };
        self.tree.nodes.insert(id as usize, mapping);
        self.stack.push(Frame { node: id, indent, kind, want: Want::Colon, line, height });
        Ok(())
    }

    /// A key without `?` has at most 1024 characters.
    fn check_key_length(&self, start: usize, colon: usize) -> Result<(), Error> {
        let key = &self.bytes[start..colon];
        let is_long = key.len() > MAX_KEY
            && key.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() > MAX_KEY;
        if is_long {
            let message = "a key of more than 1024 characters must be introduced by `?`";
            return Err(self.fail_in(colon, message, "the key began", start));
        }
        Ok(())
    }

    /// Whether `---` or `...` stands here, at the start of a line.
    fn is_marker(&self) -> bool {
        self.pos == self.line && self.is_marker_at(self.pos)
    }

    #[inline]
    fn is_marker_at(&self, at: usize) -> bool {
        let first = self.at(at);
        (first == b'-' || first == b'.')
            && self.at(at + 1) == first
            && self.at(at + 2) == first
            && is(self.at(at + 3), BLANK | BREAK)
    }

    /// Characters that are not printable stand in quoted scalars, and byte order marks before documents.
    fn check_odd_characters(&self, odd: &[usize]) -> Result<(), Error> {
        for &at in odd {
            let behind = self.tree.nodes.partition_point(|node| node.start as usize <= at);
            // Nothing starts inside of a quoted scalar.
            let is_quoted = self.tree.nodes[..behind].last().is_some_and(|node| {
                matches!(node.kind, NodeKind::SingleQuoted | NodeKind::DoubleQuoted)
                    && at < node.end as usize
            });
            if is_quoted {
                continue;
            }
            let text = String::from_utf8_lossy(&self.bytes[at..(at + 4).min(self.bytes.len())]);
            let character = text.chars().next().unwrap_or_default();
            if character == '\u{FEFF}' && self.is_before_document(at) {
                continue;
            }
            let code = u32::from(character);
            return Err(self
                .fail(at, format!("the character U+{code:04X} is not allowed outside of quotes")));
        }
        Ok(())
    }

    /// Whether a place is at the start of a line that belongs to no document's content.
    fn is_before_document(&self, at: usize) -> bool {
        let is_line_start = at == 0 || matches!(self.bytes[at - 1], b'\n' | b'\r');
        let behind = self.tree.documents.partition_point(|it| {
            let first = self.tree.outer_start(it.root);
            it.start_marker.map_or(first, |marker| marker.start) as usize <= at
        });
        let before = behind.checked_sub(1).and_then(|index| self.tree.documents.get(index));
        let is_outside = match before {
            None => true,
            Some(document) => document.end_marker.is_some_and(|it| it.end as usize <= at),
        };
        is_line_start && is_outside
    }

    #[cold]
    fn fail(&self, at: usize, message: impl Into<String>) -> Error {
        let (line, column) = position(self.bytes, at);
        let message = message.into();
        Error { kind: ErrorKind::Syntax, offset: at as u32, line, column, began: None, message }
    }

    /// An error that says where the construct began.
    #[cold]
    fn fail_in(&self, at: usize, message: &str, construct: &str, began: usize) -> Error {
        let (line, column) = position(self.bytes, began);
        let mut error =
            self.fail(at, format!("{message}; {construct} at line {line}, column {column}"));
        error.began = Some(began as u32);
        error
    }

    /// What stands at a place, for a message.
    #[cold]
    fn found(&self, at: usize) -> String {
        match self.at(at) {
            _ if at >= self.bytes.len() => "the end of the text".to_owned(),
            b'\n' | b'\r' => "the end of the line".to_owned(),
            b'\t' => "a tab".to_owned(),
            _ => {
                let rest = String::from_utf8_lossy(&self.bytes[at..(at + 4).min(self.bytes.len())]);
                let character = rest.chars().next().unwrap_or_default();
                format!("`{}`", character.escape_debug())
            }
        }
    }

    /// Takes note of an anchor and tag that stand before a node.
    #[inline]
    fn attach(&mut self, id: u32, held: PendingProperties) {
        if held.is_some() {
            self.tree.nodes[id as usize].flags |= HAS_PROPERTIES;
            self.tree.properties.push(held.on(id));
            self.name(id, held);
        }
    }

    /// Makes an anchor known.
    fn name(&mut self, id: u32, held: PendingProperties) {
        if !held.anchor.is_empty() {
            let name = &self.bytes[held.anchor.range()][1..];
            self.anchors.insert(name, id);
        }
    }
}
