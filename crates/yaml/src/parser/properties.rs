//! Anchors, tags and aliases.

use super::{Error, Parser};
use crate::class::{BLANK, BREAK, FLOW, URI, is, is_hex};
use crate::tree::{Properties, Span};

/// An anchor and a tag that wait for their node.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct PendingProperties {
    pub(super) anchor: Span,
    pub(super) tag: Span,
    /// Where the line starts that the first of them stands on.
    pub(super) line: u32,
}

impl PendingProperties {
    pub(super) fn is_some(self) -> bool {
        !self.anchor.is_empty() || !self.tag.is_empty()
    }

    pub(super) fn on(self, node: u32) -> Properties {
        Properties { node, anchor: self.anchor, tag: self.tag }
    }

    pub(super) fn start(self) -> usize {
        self.on(0).start() as usize
    }

    pub(super) fn end(self) -> usize {
        self.on(0).end() as usize
    }
}

impl Parser<'_> {
    /// Reads the anchor and tag at `pos`, and the blanks behind them.
    pub(super) fn properties(&mut self, is_flow: bool) -> Result<PendingProperties, Error> {
        let mut held = PendingProperties { line: self.line as u32, ..PendingProperties::default() };
        loop {
            let start = self.pos;
            let (end, slot) = match self.at(start) {
                b'&' => (self.anchor_end(start, "anchor")?, &mut held.anchor),
                b'!' => (self.tag_end(start)?, &mut held.tag),
                _ => return Ok(held),
            };
            if !slot.is_empty() {
                let began = slot.start as usize;
                return Err(self.twice(start, began));
            }
            *slot = Span::new(start, end);
            let next = self.at(end);
            let is_end = is(next, BLANK | BREAK) || is_flow && matches!(next, b',' | b']' | b'}');
            if !is_end {
                let found = self.found(end);
                return Err(self.fail(end, format!("expected a blank, found {found}")));
            }
            self.pos = self.skip_blanks(end);
        }
    }

    /// Adds properties to those of an earlier line.
    pub(super) fn join(
        &self,
        earlier: PendingProperties,
        later: PendingProperties,
    ) -> Result<PendingProperties, Error> {
        if !earlier.anchor.is_empty() && !later.anchor.is_empty() {
            return Err(self.twice(later.anchor.start as usize, earlier.anchor.start as usize));
        }
        if !earlier.tag.is_empty() && !later.tag.is_empty() {
            return Err(self.twice(later.tag.start as usize, earlier.tag.start as usize));
        }
        if !earlier.is_some() {
            return Ok(later);
        }
        let anchor = if earlier.anchor.is_empty() { later.anchor } else { earlier.anchor };
        let tag = if earlier.tag.is_empty() { later.tag } else { earlier.tag };
        Ok(PendingProperties { anchor, tag, line: earlier.line })
    }

    #[cold]
    fn twice(&self, at: usize, began: usize) -> Error {
        let what = if self.at(at) == b'&' { "anchor" } else { "tag" };
        let message = format!("expected a node, found a second {what}");
        self.fail_in(at, &message, "the first is", began)
    }

    /// The end of the name behind `&` or `*`.
    pub(super) fn anchor_end(&self, start: usize, what: &str) -> Result<usize, Error> {
        let mut end = start + 1;
        while !is(self.at(end), BLANK | BREAK | FLOW) {
            end += 1;
        }
        if end == start + 1 {
            let found = self.found(end);
            return Err(self.fail(end, format!("expected the name of an {what}, found {found}")));
        }
        Ok(end)
    }

    /// The node that an alias stands for, and its end.
    pub(super) fn alias(
        &self,
        start: usize,
        held: PendingProperties,
    ) -> Result<(u32, usize), Error> {
        let end = self.anchor_end(start, "alias")?;
        if held.is_some() {
            let message = "an alias has no anchor or tag of its own";
            return Err(self.fail_in(start, message, "the first property is", held.start()));
        }
        let name = &self.bytes[start + 1..end];
        match self.anchors.get(name) {
            Some(&target) => Ok((target, end)),
            None => {
                let name = String::from_utf8_lossy(name);
                Err(self.fail(start, format!("cannot find the anchor `{name}` in this document")))
            }
        }
    }

    /// The end of a tag.
    fn tag_end(&self, start: usize) -> Result<usize, Error> {
        if self.at(start + 1) == b'<' {
            let end = self.uri_end(start + 2, false)?;
            if self.at(end) != b'>' || end == start + 2 {
                let found = self.found(end);
                let message = format!("expected a URI and `>`, found {found}");
                return Err(self.fail_in(end, &message, "the tag began", start));
            }
            return Ok(end + 1);
        }
        let mut word = start + 1;
        while self.at(word).is_ascii_alphanumeric() || self.at(word) == b'-' {
            word += 1;
        }
        if self.at(word) != b'!' {
            return self.uri_end(start + 1, true);
        }
        let end = self.uri_end(word + 1, true)?;
        if end == word + 1 {
            let found = self.found(end);
            let message = format!("expected the rest of a tag, found {found}");
            return Err(self.fail_in(end, &message, "the tag began", start));
        }
        let handle = &self.bytes[start..=word];
        if handle.len() > 2 && !self.handles.contains_key(handle) {
            let handle = String::from_utf8_lossy(handle);
            let message = format!("expected a `%TAG` directive that declares `{handle}`");
            return Err(self.fail(start, message));
        }
        Ok(end)
    }

    /// The end of the characters of a URI; of those that a tag may have without `<`.
    pub(super) fn uri_end(&self, start: usize, is_short: bool) -> Result<usize, Error> {
        let mut end = start;
        loop {
            let byte = self.at(end);
            if byte == b'%' {
                if !is_hex(self.at(end + 1)) || !is_hex(self.at(end + 2)) {
                    return Err(self.fail(end, "expected two hexadecimal digits after `%`"));
                }
                end += 3;
            } else if is(byte, URI) && !(is_short && (byte == b'!' || is(byte, FLOW))) {
                end += 1;
            } else {
                return Ok(end);
            }
        }
    }
}
