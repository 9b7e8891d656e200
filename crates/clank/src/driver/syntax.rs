//! What could not be read, as diagnostics about nodes.

use std::collections::BTreeMap;

use clank_syntax::ast::{Ast, NodeId, SourceId};
use clank_syntax::{Span, SyntaxError};

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};

/// The mistakes as diagnostics, each at the innermost node that holds its place. Two of one code at one node would be
/// told apart by their spans only, so each is said.
pub(super) fn diagnostics(ast: &Ast, errors: &[SyntaxError]) -> Vec<Diagnostic> {
    let spans: Vec<Span> = errors
        .iter()
        .flat_map(|it| [Some(it.span), it.related.as_ref().map(|it| it.0)])
        .flatten()
        .collect();
    let nodes = innermost(ast, &spans);
    let node_at = |span: &Span| nodes.get(span).copied().unwrap_or(ast.root().node());
    errors
        .iter()
        .map(|error| {
            let node = node_at(&error.span);
            let mut diagnostic = Diagnostic {
                span: Some(error.span),
                help: error.help.clone(),
                ..Diagnostic::new(Code::from(error.code), node, error.message.clone())
            };
            diagnostic = diagnostic.with(Structured::new("syntax_error"));
            match &error.related {
                Some((span, message)) => diagnostic.related(node_at(span), message.clone()),
                None => diagnostic,
            }
        })
        .collect()
}

/// For every span the innermost node that holds it. Children come before their parents, so it is the first one that
/// does: one pass over the nodes, with what is still looked for in order.
fn innermost(ast: &Ast, spans: &[Span]) -> BTreeMap<Span, NodeId> {
    let mut wanted: BTreeMap<Span, ()> = spans.iter().map(|it| (*it, ())).collect();
    let mut found = BTreeMap::new();
    for (index, node) in ast.nodes().iter().enumerate() {
        if wanted.is_empty() {
            break;
        }
        if node.source != SourceId(0) {
            continue;
        }
        let range =
            Span::new(node.span.start, node.span.start)..=Span::new(node.span.end, u32::MAX);
        let held: Vec<Span> =
            wanted.range(range).map(|it| *it.0).filter(|it| node.span.holds(*it)).collect();
        for span in held {
            wanted.remove(&span);
            found.insert(span, NodeId(index as u32));
        }
    }
    found
}
