//! Lines and columns of all nodes of a tree, found in one pass over each text.

use crate::ast::{Ast, GivenSpan, NodeId};

/// The places of all starts and ends of nodes.
#[derive(Default)]
pub(super) struct NodePositions {
    /// By source, sorted by offset: offset, line, column.
    by_source: Vec<Vec<(u32, u32, u32)>>,
}

impl NodePositions {
    pub(super) fn of(ast: &Ast) -> NodePositions {
        let mut offsets: Vec<Vec<u32>> = vec![Vec::new(); ast.sources().len()];
        for node in ast.nodes() {
            offsets[node.source.0 as usize].extend([node.span.start, node.span.end]);
        }
        let by_source = offsets
            .into_iter()
            .zip(ast.sources())
            .map(|(offsets, source)| places(offsets, &source.text))
            .collect();
        NodePositions { by_source }
    }

    /// Where a node was written, if it was written in a text.
    pub(super) fn span(&self, ast: &Ast, id: NodeId) -> Option<GivenSpan> {
        let source = ast.source(id);
        // An empty file has a place too; what comes from AST JSON has neither text nor file of its own.
        if source.text.is_empty() && source.file == super::FILE {
            return None;
        }
        let places = self.by_source.get(ast.node(id).source.0 as usize)?;
        let place = |offset: u32| {
            let at = places.binary_search_by_key(&offset, |it| it.0).ok()?;
            let (offset, line, column) = places[at];
            Some((line, column, offset))
        };
        let span = ast.span(id);
        let file = source.file.clone();
        Some(GivenSpan { file, start: place(span.start)?, end: place(span.end)? })
    }
}

/// The place of every offset. A column counts code points, a line ends with its line feed.
fn places(mut offsets: Vec<u32>, text: &str) -> Vec<(u32, u32, u32)> {
    offsets.sort_unstable();
    offsets.dedup();
    let mut places = Vec::with_capacity(offsets.len());
    let mut wanted = offsets.into_iter().peekable();
    let (mut line, mut column) = (1, 1);
    for (at, it) in text.char_indices() {
        while let Some(offset) = wanted.next_if(|offset| *offset as usize <= at) {
            places.push((offset, line, column));
        }
        if it == '\n' {
            (line, column) = (line + 1, 1);
        } else {
            column += 1;
        }
    }
    places.extend(wanted.map(|offset| (offset, line, column)));
    places
}
