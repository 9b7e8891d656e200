//! The arena as events, one a line, in the notation of the public YAML test suite.
//!
//! `+MAP`, `=VAL :text`, `=ALI *name`, `-MAP`: what a parser of events would report. For tests, and for whoever wants
//! to see what was read.

use std::fmt::Write as _;

use crate::tree::{Document, NodeKind, Tree};

impl Tree {
    /// The events of the text that this was read from.
    pub fn events<'a>(&'a self, text: &'a str) -> impl Iterator<Item = String> + 'a {
        let documents = self.documents.iter().flat_map(move |document| {
            let start = match document.start_marker {
                Some(_) => "+DOC ---",
                None => "+DOC",
            };
            let end = match document.end_marker {
                Some(_) => "-DOC ...",
                None => "-DOC",
            };
            let content = self.node_events(document, text);
            std::iter::once(start.to_owned()).chain(content).chain([end.to_owned()])
        });
        std::iter::once("+STR".to_owned()).chain(documents).chain(["-STR".to_owned()])
    }

    fn node_events<'a>(
        &'a self,
        document: &'a Document,
        text: &'a str,
    ) -> impl Iterator<Item = String> + 'a {
        let end = self.skip(document.root);
        let mut next = document.root;
        let mut open: Vec<u32> = Vec::new();
        std::iter::from_fn(move || {
            if let Some(&id) = open.last()
                && self.skip(id) == next
            {
                open.pop();
                let is_mapping = self.nodes[id as usize].kind.is_mapping();
                return Some(if is_mapping { "-MAP" } else { "-SEQ" }.to_owned());
            }
            let id = (next < end).then_some(next)?;
            next += 1;
            if self.nodes[id as usize].kind.is_collection() {
                open.push(id);
            }
            Some(self.event(document, id, text))
        })
    }

    fn event(&self, document: &Document, id: u32, text: &str) -> String {
        let node = self.nodes[id as usize];
        let mut event = match node.kind {
            NodeKind::BlockMapping => "+MAP",
            NodeKind::FlowMapping | NodeKind::FlowPair => "+MAP {}",
            NodeKind::BlockSequence => "+SEQ",
            NodeKind::FlowSequence => "+SEQ []",
            NodeKind::Alias => "=ALI",
            _ => "=VAL",
        }
        .to_owned();
        if let Some(properties) = self.properties(id).filter(|it| !it.anchor.is_empty()) {
            let _ = write!(event, " {}", &text[properties.anchor.range()]);
        }
        if let Some(tag) = self.tag(document, id, text) {
            let _ = write!(event, " <{tag}>");
        }
        let sign = match node.kind {
            NodeKind::Alias => {
                let _ = write!(event, " {}", &text[node.span().range()]);
                return event;
            }
            NodeKind::SingleQuoted => '\'',
            NodeKind::DoubleQuoted => '"',
            NodeKind::Literal => '|',
            NodeKind::Folded => '>',
            kind if kind.is_collection() => return event,
            _ => ':',
        };
        let _ = write!(event, " {sign}");
        for character in node.value(text).chars() {
            match character {
                '\\' => event.push_str("\\\\"),
                '\n' => event.push_str("\\n"),
                '\t' => event.push_str("\\t"),
                '\r' => event.push_str("\\r"),
                '\x08' => event.push_str("\\b"),
                '\0' => event.push_str("\\0"),
                other => event.push(other),
            }
        }
        event
    }
}
