//! What is found out about a file by itself: its tree, what cannot be read, and its canonical layout.

use std::sync::Arc;

use check::Unchecked;
use clank_syntax::ast::Ast;
use clank_syntax::{Parsed, SyntaxError, Tokens};
use edit::{ContentHash, EditSet, Text};
use snapshot::RelPath;

/// One file.
#[derive(Debug)]
pub(super) struct FileState {
    hash: Option<ContentHash>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// It is text; what could not be read of it is in the list.
    Text {
        ast: Arc<Ast>,
        syntax: Vec<SyntaxError>,
        /// What would give it its canonical layout; nothing if it has it.
        layout: Option<EditSet>,
    },
    /// It is not UTF-8; the first byte that is not.
    Binary(u32),
    TooLarge,
}

impl FileState {
    /// Reads a file. Its layout is looked at later, from the tokens, if there are any.
    pub(super) fn read(
        path: &RelPath,
        text: &Text,
        max_bytes: usize,
    ) -> (FileState, Option<Tokens>) {
        let (content, tokens) = if text.len() > max_bytes {
            (Content::TooLarge, None)
        } else {
            match std::str::from_utf8(text.bytes()) {
                Ok(source) => {
                    let Parsed { ast, tokens, errors } = clank_syntax::parse(path.as_str(), source);
                    let tokens = errors.is_empty().then_some(tokens);
                    (Content::Text { ast: Arc::new(ast), syntax: errors, layout: None }, tokens)
                }
                Err(error) => (Content::Binary(error.valid_up_to() as u32), None),
            }
        };
        (FileState { hash: Some(text.hash()), content }, tokens)
    }

    /// The same with what is to be said about its layout. The tokens are those that it was read from.
    pub(super) fn with_layout(mut self, text: &Text, tokens: &Tokens) -> FileState {
        if let Content::Text { ast, layout, .. } = &mut self.content {
            *layout = clank_syntax::layout_edits(text, ast, tokens).filter(|it| !it.is_empty());
        }
        self
    }

    /// A file that was not read because of its size.
    pub(super) fn too_large() -> FileState {
        FileState { hash: None, content: Content::TooLarge }
    }

    /// Whether it was made from bytes with this hash.
    pub(super) fn is_of(&self, hash: ContentHash) -> bool {
        self.hash == Some(hash)
    }

    /// The tree, and what could not be read.
    pub(super) fn tree(&self) -> Option<(&Arc<Ast>, &[SyntaxError])> {
        match &self.content {
            Content::Text { ast, syntax, .. } => Some((ast, syntax)),
            Content::Binary(_) | Content::TooLarge => None,
        }
    }

    /// What would give it its canonical layout, if it does not have it.
    pub(super) fn layout(&self) -> Option<&EditSet> {
        match &self.content {
            Content::Text { layout, .. } => layout.as_ref(),
            Content::Binary(_) | Content::TooLarge => None,
        }
    }

    /// Why there is no tree, and the place.
    pub(super) fn problem(&self) -> Option<(&'static str, Option<u32>)> {
        match &self.content {
            Content::Text { .. } => None,
            Content::Binary(offset) => {
                Some(("the file is not UTF-8 text from here on", Some(*offset)))
            }
            Content::TooLarge => Some(("the file is too large to be a Clank program", None)),
        }
    }

    /// Why it was not looked at completely, if it was not.
    pub(super) fn unchecked(&self) -> Option<Unchecked> {
        match &self.content {
            Content::TooLarge => Some(Unchecked::TooLarge),
            Content::Text { syntax, .. } if syntax.is_empty() => None,
            Content::Text { .. } | Content::Binary(_) => Some(Unchecked::SyntaxError),
        }
    }

    /// Whether all of it could be read.
    pub(super) fn is_readable(&self) -> bool {
        matches!(&self.content, Content::Text { syntax, .. } if syntax.is_empty())
    }
}
