//! Block collections and the nodes in them, line by line.
//!
//! The column of a line's first character decides: collections that are further right are complete, one at that
//! column gets its next entry, and one further left must be waiting for a node. A plain scalar takes the lines that
//! continue it, so that they are never seen here.

use super::{Error, MAX_KEY, Next, Parser, Want};
use crate::class::{BLANK, BREAK, FLOW, FLOW_STOP, INDICATOR, PLAIN_STOP, is};
use crate::tree::{HAS_PROPERTIES, NodeKind, VERBATIM};

use super::properties::PendingProperties;

/// A plain scalar.
pub(super) struct Plain {
    pub(super) end: usize,
    /// Where the scan stopped: at a `:`, a comment, a line break, or a flow indicator.
    pub(super) stop: usize,
    pub(super) is_multiline: bool,
}

impl Parser<'_> {
    /// Reads the content of a document, up to a marker or the end.
    pub(super) fn block(&mut self, mut next: Next) -> Result<(), Error> {
        loop {
            next = match next {
                Next::Inline(is_compact) => self.block_node(false, is_compact)?,
                Next::Line => {
                    if !self.next_line() || self.is_marker() {
                        return Ok(());
                    }
                    self.block_line()?
                }
            }
        }
    }

    /// Reads what starts at the first character of a line.
    fn block_line(&mut self) -> Result<Next, Error> {
        let has_tab = self.pos - self.line != self.n_spaces;
        let indent = self.n_spaces as i32;
        if let Some(at) = self.tab_line {
            let message = "expected spaces as indentation behind a block scalar, found a tab";
            return Err(self.fail(at, message));
        }
        while self.top().indent > indent {
            self.close();
        }
        let top = *self.top();
        if top.indent < indent {
            if !matches!(top.want, Want::Node | Want::Key | Want::Value) {
                return Err(self.bad_indentation(top.kind, top.node, indent));
            }
            return self.block_node(false, !has_tab);
        }
        if has_tab {
            let message = "expected spaces as indentation, found a tab";
            return Err(self.fail(self.line + indent as usize, message));
        }
        let is_item = self.at(self.pos) == b'-' && is(self.at(self.pos + 1), BLANK | BREAK);
        if top.kind == NodeKind::BlockMapping {
            if is_item && matches!(top.want, Want::Key | Want::Value) {
                return self.block_node(false, true);
            }
            return self.block_entry(top.want);
        }
        if is_item {
            if top.want == Want::Node {
                self.fill();
            }
            return self.item();
        }
        // A sequence may stand at the column of the mapping that it is a value of.
        self.close();
        let above = *self.top();
        if above.kind == NodeKind::BlockMapping && above.indent == indent {
            return self.block_entry(above.want);
        }
        let began = self.tree.nodes[top.node as usize].start as usize;
        let message = format!("expected `-`, found {}", self.found(self.pos));
        Err(self.fail_in(self.pos, &message, "the sequence began", began))
    }

    #[cold]
    fn bad_indentation(&self, kind: NodeKind, node: u32, indent: i32) -> Error {
        let Some(node) = self.tree.nodes.get(node as usize).filter(|_| kind != NodeKind::Empty)
        else {
            let root = self.tree.documents.last().map_or(0, |it| it.root);
            let began = self.tree.nodes.get(root as usize).map_or(0, |it| it.start as usize);
            let message =
                "expected the end of the document, `---` or `...`: a document has one root node";
            return self.fail_in(self.pos, message, "it began", began);
        };
        let column = node.start as usize - self.line_start(node.start as usize) + 1;
        let (what, noun) = match kind {
            NodeKind::BlockSequence => ("`-`", "sequence"),
            _ => ("a key", "mapping"),
        };
        let message = format!("expected {what} at column {column}, found column {}", indent + 1);
        self.fail_in(self.pos, &message, &format!("the {noun} began"), node.start as usize)
    }

    fn line_start(&self, at: usize) -> usize {
        let before = &self.bytes[..at];
        memchr::memrchr2(b'\n', b'\r', before).map_or(0, |found| found + 1)
    }

    /// An item of the open sequence, whose `-` is at `pos`.
    fn item(&mut self) -> Result<Next, Error> {
        self.top().want = Want::Node;
        self.indicator = self.pos;
        self.pos += 1;
        self.after_indicator(true)
    }

    /// The next entry of the open mapping, or the value of the last.
    #[inline]
    fn block_entry(&mut self, want: Want) -> Result<Next, Error> {
        let byte = self.at(self.pos);
        if byte == b':' && is(self.at(self.pos + 1), BLANK | BREAK) {
            match want {
                Want::Key => self.push_empty(self.indicator + 1),
                Want::Colon => {}
                _ => {
                    self.fill();
                    self.top().want = Want::Key;
                    self.push_empty(self.pos);
                }
            }
            self.top().want = Want::Value;
            self.indicator = self.pos;
            self.pos += 1;
            // A collection may start on the line only behind the `:` of a key with `?`.
            return self.after_indicator(matches!(want, Want::Key | Want::Colon));
        }
        if want != Want::Next {
            self.fill();
        }
        if byte == b'?' && is(self.at(self.pos + 1), BLANK | BREAK) {
            return self.explicit_key();
        }
        self.block_node(true, false)
    }

    /// The `?` at `pos`.
    fn explicit_key(&mut self) -> Result<Next, Error> {
        self.top().want = Want::Key;
        self.indicator = self.pos;
        self.pos += 1;
        self.after_indicator(true)
    }

    /// Reads the node at `pos`, or the start of it: an indicator, or a key with its `:`.
    ///
    /// As an entry of the open mapping it is a key. Otherwise it is what the open collection waits for; a block
    /// collection may start with it only where `is_compact`.
    #[inline]
    fn block_node(&mut self, is_entry: bool, is_compact: bool) -> Result<Next, Error> {
        let start = self.pos;
        let indent = self.top().indent;
        let mut own = PendingProperties::default();
        let mut byte = self.at(start);
        if byte == b'&' || byte == b'!' {
            own = self.properties(false)?;
            byte = self.at(self.pos);
            if is(byte, BREAK) || byte == b'#' {
                if is_entry {
                    return Err(self.no_colon(start, self.pos));
                }
                self.held = self.join(self.held, own)?;
                // The blank before a comment has been skipped.
                self.pos -= usize::from(byte == b'#');
                self.end_line()?;
                return Ok(Next::Line);
            }
        }
        let at = self.pos;
        let (kind, end, flags, colon) = match byte {
            b'-' | b'?' | b':' if is(self.at(at + 1), BLANK | BREAK) => {
                return self.block_indicator(start, own, is_entry, is_compact);
            }
            b'"' | b'\'' => {
                let quoted = self.quoted(indent, false)?;
                let colon = self.colon_behind(quoted.end);
                if quoted.is_multiline
                    && let Some(colon) = colon
                {
                    return Err(self.multiline_key(at, colon));
                }
                (quoted.kind, quoted.end, quoted.flags, colon)
            }
            b'*' => return self.block_alias(start, own, is_entry, is_compact),
            b'[' | b'{' => return self.block_flow(start, own, is_entry, is_compact),
            b'|' | b'>' if !is_entry => {
                let held = self.take_joined(own)?;
                self.block_scalar(indent, held)?;
                return Ok(Next::Line);
            }
            _ => {
                if is(byte, INDICATOR) {
                    return Err(self.no_plain(at));
                }
                let plain = self.plain(indent, false)?;
                let colon = (self.at(plain.stop) == b':').then_some(plain.stop);
                if plain.is_multiline
                    && let Some(colon) = colon
                {
                    return Err(self.multiline_key(at, colon));
                }
                let flags = if plain.is_multiline { 0 } else { VERBATIM };
                (NodeKind::Plain, plain.end, flags, colon)
            }
        };
        let Some(colon) = colon else {
            if is_entry {
                return Err(self.no_colon(start, end));
            }
            let held = self.take_joined(own)?;
            let id = self.push(kind, at, end, flags);
            self.attach(id, held);
            self.pos = end;
            self.end_line()?;
            return Ok(Next::Line);
        };
        self.begin_key(start, colon, is_entry, is_compact)?;
        let id = self.push(kind, at, end, flags);
        self.attach(id, own);
        self.begin_value(colon)
    }

    /// The properties of a node on this line and on earlier ones.
    #[inline]
    fn take_joined(&mut self, own: PendingProperties) -> Result<PendingProperties, Error> {
        if !self.held.is_some() {
            return Ok(own);
        }
        let held = std::mem::take(&mut self.held);
        self.join(held, own)
    }

    /// Opens the mapping that a key is the first of, and makes it want the key.
    #[inline]
    fn begin_key(
        &mut self,
        start: usize,
        colon: usize,
        is_entry: bool,
        is_compact: bool,
    ) -> Result<(), Error> {
        if colon - start > MAX_KEY {
            self.check_key_length(start, colon)?;
        }
        if !is_entry {
            if !is_compact {
                return Err(self.no_mapping(colon));
            }
            self.open_block(NodeKind::BlockMapping, start)?;
        }
        self.top().want = Want::Key;
        Ok(())
    }

    /// Reads on behind the `:` of a key without `?`.
    #[inline]
    fn begin_value(&mut self, colon: usize) -> Result<Next, Error> {
        self.top().want = Want::Value;
        self.indicator = colon;
        self.pos = colon + 1;
        self.after_indicator(false)
    }

    /// Opens a block collection at `start`, with the properties of earlier lines.
    fn open_block(&mut self, kind: NodeKind, start: usize) -> Result<(), Error> {
        let column = i32::try_from(start - self.line).unwrap_or(i32::MAX);
        let held = std::mem::take(&mut self.held);
        let id = self.open(kind, start, column, Want::Next)?;
        self.attach(id, held);
        Ok(())
    }

    /// A node that starts with `-`, `?` or `:`, which is at `pos`.
    fn block_indicator(
        &mut self,
        start: usize,
        own: PendingProperties,
        is_entry: bool,
        is_compact: bool,
    ) -> Result<Next, Error> {
        let at = self.pos;
        let byte = self.at(at);
        let is_allowed = match byte {
            b':' => is_entry || is_compact,
            _ => is_compact && !is_entry && !own.is_some(),
        };
        if !is_allowed {
            let what = match byte {
                b'-' if is_entry => {
                    let began = self.top().node;
                    let began = self.tree.nodes[began as usize].start as usize;
                    let message = "expected a key, found `-`";
                    return Err(self.fail_in(at, message, "the mapping began", began));
                }
                b'-' => "a block sequence",
                _ => "a block mapping",
            };
            return Err(self.fail(at, format!("{what} cannot start here: expected it on a line of its own, indented with spaces")));
        }
        if byte == b'-' {
            self.open_block(NodeKind::BlockSequence, start)?;
            return self.item();
        }
        if !is_entry {
            self.open_block(NodeKind::BlockMapping, start)?;
        }
        if byte == b'?' {
            return self.explicit_key();
        }
        self.top().want = Want::Key;
        self.held = own;
        self.push_empty(at);
        self.begin_value(at)
    }

    fn block_alias(
        &mut self,
        start: usize,
        own: PendingProperties,
        is_entry: bool,
        is_compact: bool,
    ) -> Result<Next, Error> {
        let at = self.pos;
        // As a key it may stand for the mapping that it is in, which comes next.
        self.name(self.tree.nodes.len() as u32, self.held);
        let (target, end) = self.alias(at, own)?;
        match self.colon_behind(end) {
            None => {
                if is_entry {
                    return Err(self.no_colon(start, end));
                }
                self.alias(at, self.held)?;
                let id = self.push(NodeKind::Alias, at, end, 0);
                self.tree.nodes[id as usize].link = target;
                self.pos = end;
                self.end_line()?;
                Ok(Next::Line)
            }
            Some(colon) => {
                self.begin_key(start, colon, is_entry, is_compact)?;
                let id = self.push(NodeKind::Alias, at, end, 0);
                self.tree.nodes[id as usize].link = target;
                self.begin_value(colon)
            }
        }
    }

    /// A flow collection, which may be a key.
    fn block_flow(
        &mut self,
        start: usize,
        own: PendingProperties,
        is_entry: bool,
        is_compact: bool,
    ) -> Result<Next, Error> {
        let line = self.line;
        let indent = self.top().indent;
        let id = self.tree.nodes.len() as u32;
        let held = std::mem::take(&mut self.held);
        if is_entry {
            self.top().want = Want::Key;
        }
        // Whether these are properties of the collection or of a mapping that it is a key of: it gets this id.
        self.name(id, held);
        self.flow(indent, own)?;
        let end = self.pos;
        let Some(colon) = self.colon_behind(end) else {
            if is_entry {
                return Err(self.no_colon(start, end));
            }
            if held.is_some() {
                let joined = self.join(held, own)?;
                let at = self.tree.properties.partition_point(|it| it.node < id);
                if own.is_some() {
                    self.tree.properties[at] = joined.on(id);
                } else {
                    self.tree.properties.insert(at, joined.on(id));
                    self.tree.nodes[id as usize].flags |= HAS_PROPERTIES;
                }
            }
            self.end_line()?;
            return Ok(Next::Line);
        };
        if self.line != line {
            return Err(self.multiline_key(start, colon));
        }
        self.check_key_length(start, colon)?;
        if !is_entry {
            if !is_compact {
                return Err(self.no_mapping(colon));
            }
            let column = i32::try_from(start - line).unwrap_or(i32::MAX);
            self.wrap(id, NodeKind::BlockMapping, column, line)?;
            if held.is_some() {
                let at = self.tree.properties.partition_point(|it| it.node < id);
                self.tree.properties.insert(at, held.on(id));
                self.tree.nodes[id as usize].flags |= HAS_PROPERTIES;
            }
        }
        self.begin_value(colon)
    }

    /// The `:` that makes a key of what ends at `end`.
    #[inline]
    pub(super) fn colon_behind(&self, end: usize) -> Option<usize> {
        let at = self.skip_blanks(end);
        (self.at(at) == b':' && is(self.at(at + 1), BLANK | BREAK)).then_some(at)
    }

    /// Scans the plain scalar at `pos`, with the lines that continue it.
    #[inline]
    pub(super) fn plain(&mut self, indent: i32, is_flow: bool) -> Result<Plain, Error> {
        let (mut end, mut stop) = self.plain_line(self.pos, is_flow);
        let mut is_multiline = false;
        while is(self.at(stop), BREAK) {
            let Some((line, start)) = self.continuation(stop, indent, is_flow) else { break };
            is_multiline = true;
            self.line = line;
            (end, stop) = self.plain_line(start, is_flow);
        }
        Ok(Plain { end, stop, is_multiline })
    }

    /// The line on which a plain scalar goes on behind the line break at `at`, and where it goes on.
    #[inline]
    fn continuation(&self, at: usize, indent: i32, is_flow: bool) -> Option<(usize, usize)> {
        let mut line = self.after_break(at);
        loop {
            let n_spaces = self.count_spaces(line);
            let start = match self.at(line + n_spaces) {
                b'\t' => self.skip_blanks(line + n_spaces),
                _ => line + n_spaces,
            };
            let byte = self.at(start);
            if is(byte, BREAK) {
                let is_tabbed = n_spaces as i64 <= i64::from(indent) && start > line + n_spaces;
                if byte == 0 || (is_tabbed && self.options.strict_indentation) {
                    return None;
                }
                line = self.after_break(start);
                continue;
            }
            let is_indented = n_spaces as i64 > i64::from(indent);
            let is_allowed = is_indented
                || (is_flow
                    && !self.options.strict_indentation
                    && self.at(line + n_spaces) != b'\t');
            let is_end = match byte {
                b'#' => true,
                b':' => {
                    let next = self.at(start + 1);
                    is(next, BLANK | BREAK) || (is_flow && is(next, FLOW))
                }
                b'-' | b'.' => start == line && self.is_marker_at(start),
                _ => is_flow && is(byte, FLOW),
            };
            return (is_allowed && !is_end).then_some((line, start));
        }
    }

    /// Scans a plain scalar on one line: where it ends, and what behind it ended the scan.
    #[inline]
    fn plain_line(&self, start: usize, is_flow: bool) -> (usize, usize) {
        let class = if is_flow { FLOW_STOP } else { PLAIN_STOP };
        let mut at = start;
        loop {
            while !is(self.at(at), class) {
                at += 1;
            }
            let is_content = match self.at(at) {
                b':' => {
                    let next = self.at(at + 1);
                    !(is(next, BLANK | BREAK) || is_flow && is(next, FLOW))
                }
                b'#' => at > start && !is(self.at(at - 1), BLANK),
                _ => false,
            };
            if !is_content {
                break;
            }
            at += 1;
        }
        let stop = at;
        while at > start && is(self.at(at - 1), BLANK) {
            at -= 1;
        }
        (at, stop)
    }

    #[cold]
    pub(super) fn multiline_key(&self, start: usize, colon: usize) -> Error {
        if let Some(frame) = self.stack.last().filter(|frame| frame.kind.is_flow_collection()) {
            let (name, close) = match frame.kind {
                NodeKind::FlowSequence => ("sequence", ']'),
                _ => ("mapping", '}'),
            };
            let message =
                format!("expected `,` or `{close}`, found `:` on a later line than its key");
            let began = self.tree.nodes[frame.node as usize].start as usize;
            return self.fail_in(colon, &message, &format!("the flow {name} began"), began);
        }
        let message =
            "expected a key on one line or `?` before it, found `:` behind a node of several lines";
        self.fail_in(colon, message, "the node began", start)
    }

    #[cold]
    fn no_mapping(&self, colon: usize) -> Error {
        let message = "a block mapping cannot start here: expected it on a line of its own, indented with spaces";
        self.fail(colon, message)
    }

    #[cold]
    fn no_colon(&self, start: usize, end: usize) -> Error {
        let at = self.skip_blanks(end);
        let message = format!("expected `:` after the key, found {}", self.found(at));
        self.fail_in(at, &message, "the key began", start)
    }

    #[cold]
    pub(super) fn no_plain(&self, at: usize) -> Error {
        let found = self.found(at);
        self.fail(
            at,
            format!("expected a node, found {found}: a plain scalar cannot start with it"),
        )
    }
}
