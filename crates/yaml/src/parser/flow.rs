//! Flow collections.

use super::properties::PendingProperties;
use super::{Error, MAX_KEY, Parser, Want};
use crate::class::{BLANK, BREAK, FLOW, INDICATOR, is};
use crate::tree::{NodeKind, VERBATIM};

impl Parser<'_> {
    /// Reads the flow collection at `pos`, in a block collection at column `indent`.
    pub(super) fn flow(&mut self, indent: i32, own: PendingProperties) -> Result<(), Error> {
        let base = self.stack.len();
        self.open_flow(own)?;
        while self.stack.len() > base {
            self.flow_space(indent)?;
            match self.top().kind {
                NodeKind::FlowSequence => self.flow_item(indent, base)?,
                kind => self.flow_entry(indent, base, kind)?,
            }
        }
        Ok(())
    }

    fn open_flow(&mut self, own: PendingProperties) -> Result<(), Error> {
        let (kind, want) = match self.at(self.pos) {
            b'[' => (NodeKind::FlowSequence, Want::Node),
            _ => (NodeKind::FlowMapping, Want::Entry),
        };
        let mut line = self.line;
        if own.is_some() {
            line = own.line as usize;
        }
        let id = self.open(kind, self.pos, 0, want)?;
        self.top().line = line;
        self.attach(id, own);
        self.pos += 1;
        Ok(())
    }

    /// Completes the open collection at its bracket.
    fn close_flow(&mut self, base: usize) -> Result<(), Error> {
        let frame = *self.top();
        if frame.want == Want::Node {
            if self.held.is_some() {
                self.fill();
            }
            self.top().want = Want::Next;
        }
        if frame.want != Want::Next {
            self.fill();
            self.top().want = Want::Next;
        }
        self.pos += 1;
        self.last_end = self.pos;
        self.close();
        self.is_json_key = true;
        // What is in a sequence and followed by `:` was a key.
        if self.stack.len() > base && self.top().kind == NodeKind::FlowSequence {
            let Some(colon) = self.flow_colon_behind(self.pos, true) else { return Ok(()) };
            let start = self.tree.outer_start(frame.node) as usize;
            if frame.line != self.line {
                return Err(self.multiline_key(start, colon));
            }
            self.check_key_length(start, colon)?;
            self.wrap(frame.node, NodeKind::FlowPair, 0, frame.line)?;
            self.flow_colon(colon, true)?;
        }
        Ok(())
    }

    /// At an item of a sequence, or what stands between two.
    #[inline]
    fn flow_item(&mut self, indent: i32, base: usize) -> Result<(), Error> {
        let want = self.top().want;
        match self.at(self.pos) {
            b']' => return self.close_flow(base),
            b',' if want == Want::Next || self.held.is_some() => {
                if want == Want::Node {
                    self.fill();
                }
                self.top().want = Want::Node;
                self.pos += 1;
                return Ok(());
            }
            b',' | b'}' => return Err(self.unexpected_in_flow()),
            _ if want == Want::Next => return Err(self.unexpected_in_flow()),
            b'?' if self.is_explicit_key() => {
                if self.held.is_some() {
                    return Err(self.unexpected_in_flow());
                }
                self.open(NodeKind::FlowPair, self.pos, 0, Want::Key)?;
                self.indicator = self.pos;
                self.pos += 1;
                return Ok(());
            }
            b':' if self.is_flow_indicator() => {
                let held = std::mem::take(&mut self.held);
                let start = if held.is_some() { held.start() } else { self.pos };
                if held.is_some() && held.line as usize != self.line {
                    return Err(self.multiline_key(start, self.pos));
                }
                self.open(NodeKind::FlowPair, start, 0, Want::Key)?;
                self.held = held;
                self.push_empty(self.pos);
                return self.flow_colon(self.pos, false);
            }
            _ => {}
        }
        self.flow_node(indent)
    }

    /// At an entry of a mapping, or what stands between its parts.
    #[inline]
    fn flow_entry(&mut self, indent: i32, base: usize, kind: NodeKind) -> Result<(), Error> {
        let is_pair = kind == NodeKind::FlowPair;
        let want = self.top().want;
        match self.at(self.pos) {
            b'}' if !is_pair => return self.close_flow(base),
            b']' if is_pair => {
                self.close();
                return Ok(());
            }
            b',' if is_pair => {
                self.close();
                return Ok(());
            }
            b',' if want != Want::Entry || self.held.is_some() => {
                self.fill();
                self.top().want = Want::Entry;
                self.pos += 1;
                return Ok(());
            }
            b',' | b'}' | b']' => return Err(self.unexpected_in_flow()),
            b'?' if want == Want::Entry && self.is_explicit_key() => {
                if self.held.is_some() {
                    return Err(self.unexpected_in_flow());
                }
                self.top().want = Want::Key;
                self.indicator = self.pos;
                self.pos += 1;
                return Ok(());
            }
            b':' if want == Want::Colon => {
                if self.is_json_key || self.is_flow_indicator() {
                    return self.flow_colon(self.pos, self.is_json_key);
                }
                return Err(self.unexpected_in_flow());
            }
            b':' if self.is_flow_indicator() => {
                match want {
                    Want::Key => self.push_empty(self.indicator + 1),
                    Want::Entry => self.push_empty(self.pos),
                    _ => return Err(self.unexpected_in_flow()),
                }
                return self.flow_colon(self.pos, false);
            }
            _ if matches!(want, Want::Next | Want::Colon) => return Err(self.unexpected_in_flow()),
            _ => {}
        }
        self.flow_node(indent)
    }

    /// Goes on to the value behind the `:` at `at`. Only behind a key in quotes or brackets may the value follow
    /// without a blank.
    fn flow_colon(&mut self, at: usize, is_json: bool) -> Result<(), Error> {
        self.top().want = Want::Value;
        self.indicator = at;
        self.pos = at + 1;
        if !is_json && matches!(self.at(self.pos), b'[' | b'{') {
            let found = self.found(self.pos);
            return Err(self.fail(self.pos, format!("expected a blank after `:`, found {found}")));
        }
        Ok(())
    }

    /// Whether the `?` at `pos` introduces a key.
    fn is_explicit_key(&self) -> bool {
        is(self.at(self.pos + 1), BLANK | BREAK)
    }

    /// Whether the `:` at `pos` is an indicator and not the start of a plain scalar.
    fn is_flow_indicator(&self) -> bool {
        is(self.at(self.pos + 1), BLANK | BREAK | FLOW)
    }

    /// The `:` on the same line that makes a key of what ends at `end`.
    fn flow_colon_behind(&self, end: usize, is_json: bool) -> Option<usize> {
        let at = self.skip_blanks(end);
        let is_colon =
            self.at(at) == b':' && (is_json || is(self.at(at + 1), BLANK | BREAK | FLOW));
        is_colon.then_some(at)
    }

    /// Reads a node, or an anchor or tag before it.
    fn flow_node(&mut self, indent: i32) -> Result<(), Error> {
        let start = self.pos;
        let line = self.line;
        let byte = self.at(start);
        let (kind, end, flags, is_multiline, link) = match byte {
            b'&' | b'!' => {
                let own = self.properties(true)?;
                self.held = self.join(self.held, own)?;
                return Ok(());
            }
            b'[' | b'{' => {
                let held = std::mem::take(&mut self.held);
                return self.open_flow(held);
            }
            b'"' | b'\'' => {
                let quoted = self.quoted(indent, true)?;
                (quoted.kind, quoted.end, quoted.flags, quoted.is_multiline, 0)
            }
            b'*' => {
                let (target, end) = self.alias(start, self.held)?;
                (NodeKind::Alias, end, 0, false, target)
            }
            _ => {
                let is_plain = match byte {
                    b'-' | b'?' | b':' => !is(self.at(start + 1), BLANK | BREAK | FLOW),
                    _ => !is(byte, INDICATOR),
                };
                if !is_plain {
                    return Err(self.unexpected_in_flow());
                }
                let plain = self.plain(indent, true)?;
                let flags = if plain.is_multiline { 0 } else { VERBATIM };
                (NodeKind::Plain, plain.end, flags, plain.is_multiline, 0)
            }
        };
        let held = std::mem::take(&mut self.held);
        let is_json = matches!(kind, NodeKind::SingleQuoted | NodeKind::DoubleQuoted);
        let mut colon = None;
        if self.top().kind == NodeKind::FlowSequence {
            colon = self.flow_colon_behind(end, is_json);
            if let Some(colon) = colon {
                let first = if held.is_some() { held.start() } else { start };
                if is_multiline || (held.is_some() && held.line as usize != line) {
                    return Err(self.multiline_key(first, colon));
                }
                if colon - first > MAX_KEY {
                    self.check_key_length(first, colon)?;
                }
                self.open(NodeKind::FlowPair, first, 0, Want::Key)?;
            }
        }
        let id = self.push(kind, start, end, flags);
        self.tree.nodes[id as usize].link = link;
        self.attach(id, held);
        self.is_json_key = is_json;
        self.pos = end;
        if let Some(colon) = colon {
            self.flow_colon(colon, is_json)?;
        }
        Ok(())
    }

    /// Skips blanks, line breaks and comments.
    #[inline]
    fn flow_space(&mut self, indent: i32) -> Result<(), Error> {
        let mut is_new_line = false;
        loop {
            match self.at(self.pos) {
                b' ' | b'\t' => self.pos += 1,
                b'\n' | b'\r' => {
                    self.pos = self.after_break(self.pos);
                    self.line = self.pos;
                    is_new_line = true;
                }
                b'#' if self.pos == self.line || is(self.bytes[self.pos - 1], BLANK) => {
                    self.comment(self.pos);
                    self.line = self.pos;
                    is_new_line = true;
                }
                _ => break,
            }
        }
        if self.pos >= self.bytes.len() || (is_new_line && self.is_marker()) {
            return Err(self.unexpected_in_flow());
        }
        if is_new_line {
            self.check_flow_indent(indent)?;
        }
        Ok(())
    }

    /// The lines of a flow collection are indented deeper than the block collection around it.
    fn check_flow_indent(&self, indent: i32) -> Result<(), Error> {
        let n_spaces = self.count_spaces(self.line);
        if n_spaces as i64 > i64::from(indent) {
            return Ok(());
        }
        let has_tab = self.at(self.line + n_spaces) == b'\t';
        if has_tab || self.options.strict_indentation {
            let frame = self.stack.last().map_or(0, |it| it.node);
            let began = self.tree.nodes[frame as usize].start as usize;
            let column = indent + 2;
            let message = format!(
                "expected the lines of the flow collection in column {column} or further right, indented with spaces"
            );
            return Err(self.fail_in(self.pos, &message, "it began", began));
        }
        Ok(())
    }

    #[cold]
    fn unexpected_in_flow(&self) -> Error {
        let Some(mut frame) = self.stack.last().copied() else {
            return self.fail(self.pos, "expected a node");
        };
        let is_pair = frame.kind == NodeKind::FlowPair;
        let wanted = match (frame.kind, frame.want) {
            (NodeKind::FlowSequence, Want::Node) if self.held.is_some() => "a node, `,` or `]`",
            (NodeKind::FlowSequence, Want::Node) => "a node or `]`",
            (NodeKind::FlowSequence, _) => "`,` or `]`",
            (_, Want::Entry) => "a key or `}`",
            (_, Want::Key) => "a key or `:`",
            (_, Want::Colon) if is_pair => "`:`, `,` or `]`",
            (_, Want::Colon) => "`:`, `,` or `}`",
            (_, Want::Value) if is_pair => "a value, `,` or `]`",
            (_, Want::Value) => "a value, `,` or `}`",
            _ if is_pair => "`,` or `]`",
            _ => "`,` or `}`",
        };
        if is_pair && self.stack.len() > 1 {
            frame = self.stack[self.stack.len() - 2];
        }
        let construct = match frame.kind {
            NodeKind::FlowSequence => "the flow sequence began",
            _ => "the flow mapping began",
        };
        let is_unclosed = self.pos >= self.bytes.len() || self.is_marker();
        let found = match is_unclosed && self.pos < self.bytes.len() {
            true => "a document marker".to_owned(),
            false => self.found(self.pos),
        };
        let message = format!("expected {wanted}, found {found}");
        let construct = match is_unclosed {
            true => construct.replace("began", "is not closed: it began"),
            false => construct.to_owned(),
        };
        let began = self.tree.nodes[frame.node as usize].start as usize;

        self.fail_in(self.pos, &message, &construct, began)
    }
}
