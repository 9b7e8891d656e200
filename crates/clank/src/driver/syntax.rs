//! What could not be read, as diagnostics about nodes.

use std::collections::BTreeMap;

use clank_syntax::ast::{Ast, DeclId, NodeId, SourceId};
use clank_syntax::{Span, SyntaxCode, SyntaxError};
use rustc_hash::FxHashSet;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};

/// The mistakes as diagnostics, each at the innermost node that holds its place and has none of that code yet: two
/// mistakes in what became one error node are two diagnostics with two nodes (row 17), as long as there are nodes.
pub(super) fn diagnostics(ast: &Ast, errors: &[SyntaxError]) -> Vec<Diagnostic> {
    let spans: Vec<Span> = errors
        .iter()
        .flat_map(|it| [Some(it.span), it.related.as_ref().map(|it| it.0)])
        .flatten()
        .collect();
    let nodes = innermost(ast, &spans);
    let node_at = |span: &Span| nodes.get(span).copied().unwrap_or(ast.root().node());
    let mut taken = FxHashSet::default();
    let mut parents = None;
    errors
        .iter()
        .filter_map(|error| {
            let mut node = node_at(&error.span);
            // What is wrong with a bracket is wrong with the declaration that has it.
            let home = |node: NodeId| {
                let place = ast.declarations().partition_point(|it| it.node() < node);
                ast.declarations().get(place).copied()
            };
            if let Some((opened, _)) = &error.related
                && home(node_at(opened)).is_some_and(|it| home(node) != Some(it))
            {
                node = node_at(opened);
            } else if home(node).is_none() && error.code == SyntaxCode::E0004 {
                let before = |it: &&DeclId| ast.span(it.node()).start <= error.span.start;
                node = ast.declarations().iter().rfind(before).map_or(node, |it| it.node());
            }
            while !taken.insert((error.code, node)) {
                node = parents.get_or_insert_with(|| ast.parents())[node.index()]?;
            }
            let mut diagnostic = Diagnostic {
                span: Some(error.span),
                help: error.help.clone(),
                ..Diagnostic::new(Code::from(error.code), node, error.message.clone())
            };
            diagnostic = diagnostic.with(Structured::new("syntax_error"));
            Some(match &error.related {
                Some((span, message)) => diagnostic.related(node_at(span), message.clone()),
                None => diagnostic,
            })
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
