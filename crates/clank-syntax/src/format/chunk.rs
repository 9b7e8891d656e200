//! A text in chunks of declarations, each of which is laid out by itself: what the layout needs to know of a text is many
//! times as long as the text, and so it is only there for a part of it at a time.
//!
//! A declaration starts on a new line whatever is before it; only whether a blank line sets it apart depends on the
//! declaration before. So a chunk starts with the last declaration of the chunk before, as its context.

use std::ops::Range;

use crate::ast::{Ast, DeclId};
use crate::token::Tokens;

/// Declarations that are laid out together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Chunk<'a> {
    /// With the context, if there is any.
    pub(super) declarations: &'a [DeclId],
    /// The tokens of the declarations, and of what is between and behind them.
    pub(super) tokens: Range<usize>,
    /// The nodes of the declarations.
    pub(super) nodes: Range<u32>,
    /// Where the runs of blanks start that the chunk decides.
    pub(super) decides: Range<u32>,
}

/// The chunks of a text, of about so many bytes and at least one declaration each. All of it is in one of them.
pub(super) fn chunks<'a>(ast: &'a Ast, tokens: &Tokens, n_bytes: u32) -> Vec<Chunk<'a>> {
    let declarations = ast.declarations();
    let mut chunks = Vec::new();
    let mut first = 0;
    loop {
        let start = declarations.get(first).map_or(0, |it| ast.span(*it).start);
        let is_inside = |it: &&DeclId| ast.span(**it).start - start < n_bytes;
        let rest = declarations.get(first + 1..).unwrap_or_default();
        let last = first + rest.iter().take_while(is_inside).count();
        let next = declarations.get(last + 1);
        chunks.push(chunk(ast, tokens, first..(last + 1).min(declarations.len()), next));
        if next.is_none() {
            return chunks;
        }
        first = last + 1;
    }
}

fn chunk<'a>(ast: &'a Ast, tokens: &Tokens, own: Range<usize>, next: Option<&DeclId>) -> Chunk<'a> {
    let all = ast.declarations();
    let context = own.start.checked_sub(1);
    let declarations = &all[context.unwrap_or(own.start)..own.end];
    let (first_token, first_run) = match context {
        Some(it) => (tokens.first_from(ast.span(all[it]).start), ast.span(all[it]).end),
        None => (0, 0),
    };
    let (last_token, last_run) = match next {
        Some(it) => (tokens.first_from(ast.span(*it).start), ast.span(all[own.end - 1]).end),
        None => (tokens.len(), u32::MAX),
    };
    let nodes = match declarations {
        [first, .., last] => ast.subtree(*first).start..last.node().0 + 1,
        [only] => ast.subtree(*only),
        [] => 0..0,
    };
    Chunk { declarations, tokens: first_token..last_token, nodes, decides: first_run..last_run }
}
