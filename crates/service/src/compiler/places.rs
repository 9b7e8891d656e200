//! Where nodes are: lines, columns and offsets on the wire.

use std::collections::BTreeMap;

use clank_syntax::Span;
use clank_syntax::ast::{Ast, NodeId, SourceId};
use edit::{LineIndex, Unit};
use protocol::v1::{CompilePosition, CompileSpan};

/// The places of one tree.
pub(crate) struct WirePositions<'a> {
    ast: &'a Ast,
    /// How to name the file itself.
    name: &'a str,
    lines: BTreeMap<SourceId, LineIndex>,
}

impl<'a> WirePositions<'a> {
    pub(crate) fn new(ast: &'a Ast, name: &'a str) -> WirePositions<'a> {
        let index = |(number, source): (usize, &clank_syntax::ast::Source)| {
            (SourceId(number as u32), LineIndex::new(source.text.as_bytes()))
        };
        WirePositions { ast, name, lines: ast.sources().iter().enumerate().map(index).collect() }
    }

    /// The place of a node, or of a part of it.
    pub(crate) fn span(&self, node: NodeId, part: Option<Span>) -> CompileSpan {
        if let Some(given) = self.ast.given_spans().get(&node) {
            let position = |(line, column, offset)| CompilePosition { line, column, offset };
            return CompileSpan {
                file: given.file.clone(),
                start: position(given.start),
                end: position(given.end),
            };
        }
        let it = self.ast.node(node);
        let span = part.unwrap_or(it.span);
        let file = match it.source {
            SourceId(0) => self.name.to_owned(),
            _ => self.ast.source(node).file.clone(),
        };
        let position = |offset: u32| {
            let lines = self.lines.get(&it.source);
            let found = lines.and_then(|lines| lines.position(offset, Unit::CodePoint));
            let (line, column) = found.map_or((1, 1), |it| (it.line + 1, it.column + 1));
            CompilePosition { line, column, offset }
        };
        CompileSpan { file, start: position(span.start), end: position(span.end) }
    }
}
