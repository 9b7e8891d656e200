//! A light scanner of top-level definitions: their kind, their name and the tokens of their body.
//!
//! Where a definition starts is known from keywords at the outer level; it ends where the next one starts or its own
//! last bracket closes. C, C++ and Java have no keyword before a function, so that their texts are cut at `;` and `}`.
//! Attributes, decorators and annotations belong to no body. What stands inside a definition is not looked at, but for
//! namespaces of C++ and the members of Java's classes, without which these languages have hardly any top level.

mod cut;
mod keyed;

use crate::lexer::{SourceLanguage, Token, TokenKind, tokens};

/// One definition at the outer level of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Definition<'a> {
    /// `function`, `type`, …
    pub(super) kind: &'static str,
    /// Its name.
    pub(super) name: String,
    /// Its tokens, without its name.
    pub(super) body: Vec<&'a str>,
}

/// The definitions of a text, in their order. Any text can be scanned; a broken one gives what can be told from it.
pub(super) fn definitions(text: &str, language: SourceLanguage) -> Vec<Definition<'_>> {
    let tokens = tokens(text, language);
    let mut found = match language {
        SourceLanguage::C => cut::definitions(&tokens, cut::C),
        SourceLanguage::Java => cut::definitions(&tokens, cut::JAVA),
        _ => keyed::definitions(&tokens, language),
    };
    for it in &mut found {
        // A function that calls itself is the same under another name.
        let name = it.name.clone();
        it.body.retain(|token| *token != name);
    }
    found
}

/// The bracket depth after the token.
fn depth_after(depth: usize, token: &Token<'_>) -> usize {
    match token.text {
        "(" | "[" | "{" if token.kind == TokenKind::Mark => depth + 1,
        ")" | "]" | "}" if token.kind == TokenKind::Mark => depth.saturating_sub(1),
        _ => depth,
    }
}
