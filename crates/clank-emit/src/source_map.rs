//! Source maps, version 3: which place in Clank a place in a generated file comes from.

use clank_syntax::ast::{Ast, NodeId};
use edit::{LineIndex, Unit};
use rustc_hash::FxHashMap;
use serde_json::json;

use super::doc::Laid;

/// The places of nodes, as source maps state them.
struct SourcePositions<'a> {
    asts: &'a [&'a Ast],
    /// By module and source.
    lines: FxHashMap<(u32, u32), LineIndex>,
}

impl SourcePositions<'_> {
    /// Line and column from 0, the column in UTF-16 units; nothing for a node without a text.
    fn of(&mut self, module: u32, node: NodeId) -> Option<(u32, u32)> {
        let ast = self.asts.get(module as usize)?;
        let source = ast.node(node).source.0;
        let text = ast.source(node).text.as_str();
        if text.is_empty() {
            return None;
        }
        let lines = self.lines.entry((module, source));
        let lines = lines.or_insert_with(|| LineIndex::new(text.as_bytes()));
        let place = lines.position(ast.span(node).start, Unit::Utf16)?;
        Some((place.line, place.column))
    }
}

/// The source map of a generated file. `asts` are the modules of the program, in order.
pub(crate) fn source_map(file: &str, laid: &Laid, asts: &[&Ast]) -> String {
    let mut places = SourcePositions { asts, lines: FxHashMap::default() };
    let mut sources: Vec<&str> = Vec::new();
    let mut numbers: FxHashMap<(u32, u32), i64> = FxHashMap::default();
    let mut mappings = String::new();
    let (mut line, mut first) = (0, true);
    let mut last = [0i64; 4];
    for &(at, column, origin) in &laid.marks {
        let Some((source_line, source_column)) = places.of(origin.module, origin.node) else {
            continue;
        };
        let ast = asts[origin.module as usize];
        let key = (origin.module, ast.node(origin.node).source.0);
        let source = *numbers.entry(key).or_insert_with(|| {
            sources.push(ast.source(origin.node).file.as_str());
            sources.len() as i64 - 1
        });
        while line < at {
            mappings.push(';');
            line += 1;
            last[0] = 0;
            first = true;
        }
        let place = [i64::from(column), source, i64::from(source_line), i64::from(source_column)];
        if !first && last == place {
            continue;
        }
        if !first {
            mappings.push(',');
        }
        first = false;
        for (value, before) in place.into_iter().zip(last) {
            vlq(value - before, &mut mappings);
        }
        last = place;
    }
    json!({ "version": 3, "file": file, "sources": sources, "names": [], "mappings": mappings })
        .to_string()
}

/// A number in base 64, five bits a digit, the sign in the lowest bit.
fn vlq(value: i64, out: &mut String) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut rest = value.unsigned_abs() << 1 | u64::from(value < 0);
    loop {
        let digit = (rest & 31) as usize;
        rest >>= 5;
        let more = if rest > 0 { 32 } else { 0 };
        out.push(char::from(DIGITS[digit | more]));
        if rest == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::vlq;

    #[test]
    fn numbers_are_written_in_base_64_with_their_sign_last() {
        let written = |value| {
            let mut text = String::new();
            vlq(value, &mut text);
            text
        };
        assert_eq!([0, 1, -1, 15, 16, -17, 1000].map(written).join(" "), "A C D e gB jB w+B");
    }
}
