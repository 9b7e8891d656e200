//! What a tag stands for: its handle replaced by what the directives of its document say, its escapes decoded.

use std::borrow::Cow;

use crate::tree::{DirectiveKind, Document, Tree};

impl Tree {
    /// The whole name of the tag on a node of a document: `tag:yaml.org,2002:str` for `!!str`; `!` for the tag that
    /// only says that the node is not plain.
    pub fn tag<'a>(&self, document: &Document, id: u32, text: &'a str) -> Option<Cow<'a, str>> {
        let span = self.properties(id)?.tag;
        let tag = text.get(span.range()).filter(|it| !it.is_empty())?;
        if let Some(verbatim) = tag.strip_prefix("!<") {
            return Some(Cow::Borrowed(verbatim.strip_suffix('>').unwrap_or(verbatim)));
        }
        if tag == "!" {
            return Some(Cow::Borrowed(tag));
        }
        let split = tag[1..].find('!').map_or(1, |second| second + 2);
        let (handle, suffix) = tag.split_at(split);
        let directives = self.directives.get(document.directives.clone()).unwrap_or_default();
        let declared = directives.iter().find_map(|directive| match directive.kind {
            DirectiveKind::Tag { handle: declared, prefix } => {
                (text.get(declared.range()) == Some(handle)).then(|| text.get(prefix.range()))?
            }
            _ => None,
        });
        let prefix = match (declared, handle) {
            (Some(prefix), _) => prefix,
            (None, "!!") => "tag:yaml.org,2002:",
            (None, _) => handle,
        };
        Some(Cow::Owned(format!("{}{}", decode(prefix), decode(suffix))))
    }
}

/// Replaces `%XX`, where the result is UTF-8.
fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digits = (byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match digits.and_then(|it| u8::from_str_radix(it, 16).ok()) {
            Some(decoded) => {
                out.push(decoded);
                at += 3;
            }
            None => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).map_or(Cow::Borrowed(text), Cow::Owned)
}
