//! Values that a change leaves without use (W0007). One that the change lies in or borders on was not meant; one elsewhere
//! could only not be seen before.

use clank_syntax::Span;
use clank_syntax::patch::{PatchOp, Payload};
use edit::Text;

use super::super::findings::TrackedFinding;
use super::Trials;

impl Trials<'_> {
    /// Whether a value is not used because of what a candidate writes.
    pub(super) fn is_dropped_by(&self, index: usize, finding: &TrackedFinding) -> bool {
        let Some((text, span)) = &finding.dropped else { return false };
        let in_module = &self.checked.modules[self.module];
        let ast = &in_module.ast;
        let own = self.candidates[index].edits.iter().filter(|it| it.0 == in_module.file);
        own.flat_map(|it| &it.1).any(|op| {
            let Some(node) = op.node_ids().first().and_then(|it| ast.ids().node(it)) else {
                return false;
            };
            match op {
                PatchOp::ReplaceNode { new_node: Payload(new), .. }
                    if new["source"].as_str() == Some(&**text) =>
                {
                    borders_on_change(ast.text(node), text, *span)
                }
                _ if finding.node().is_some() => {
                    let source = &ast.source(node).text;
                    touches(source, *span, ast.span(node))
                }
                _ => true,
            }
        })
    }
}

/// Whether what differs between two texts is in a part of the second one, or next to it.
fn borders_on_change(before: &str, after: &str, part: Span) -> bool {
    let (old, new) = (Text::new(before), Text::new(after));
    let Ok(edits) = edit::diff(&old, &new) else { return true };
    let mut moved = 0_i64;
    edits.edits().iter().any(|it| {
        let n_new = i64::try_from(it.text.len()).unwrap_or(0);
        let start = i64::from(it.start) + moved;
        let end = start + n_new;
        moved += n_new - i64::from(it.end - it.start);
        let span = Span::new(u32::try_from(start).unwrap_or(0), u32::try_from(end).unwrap_or(0));
        touches(after, part, span)
    })
}

/// Whether two parts of a text overlap, or only blanks on one line are between them.
fn touches(text: &str, a: Span, b: Span) -> bool {
    let (first, second) = if a.start <= b.start { (a, b) } else { (b, a) };
    if second.start <= first.end {
        return true;
    }
    let between = text.get(first.end as usize..second.start as usize);
    between.is_some_and(|it| it.chars().all(|it| it == ' ' || it == '\t'))
}
