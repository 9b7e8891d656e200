//! Many patches to one text, each lowered to edits by a look at the declarations that it is about.
//!
//! What a patch does to a text is next to the nodes that it touches, and declarations are laid out one by one. So the
//! declarations that it touches are read again with a neighbour on either side, as a text of their own in which nodes have
//! the ids that they have in the whole, and the edits are moved to where that text is. Where a part cannot be looked at
//! without the rest (syntax errors, comments that are brought, something that is moved between declarations), the whole
//! text is looked at. The text that comes out is the same either way.

use std::collections::BTreeMap;
use std::ops::Range;

use edit::{Edit, EditSet, Text};

use super::text::{Leniency, edits_of_whole, in_place};
use super::{PatchError, PatchOp, Patched, patch};
use crate::ast::{Ast, Name, NodeId};
use crate::parse::{Parsed, parse};
use crate::same::same_subtrees;

/// A text that patches are lowered for.
pub struct Patchable<'a> {
    parsed: &'a Parsed,
    text: Text,
    /// A text in canonical layout stays in it.
    is_formatted: bool,
    has_long_line_ends: bool,
}

/// Declarations next to one another, and what is done to them.
struct NodeRole {
    /// Places in the list of declarations.
    declarations: Range<usize>,
    /// Their bytes, to the end of the line of the last one.
    bytes: Range<usize>,
    ops: Vec<PatchOp>,
}

impl<'a> Patchable<'a> {
    /// Looks at the whole text once.
    pub fn new(parsed: &'a Parsed) -> Patchable<'a> {
        let source = parsed.tokens.source();
        Patchable {
            parsed,
            text: Text::new(source),
            is_formatted: crate::is_formatted(parsed) == Some(true),
            has_long_line_ends: source.contains("\r\n"),
        }
    }

    /// The edits that make the text after a patch from the text before.
    pub fn edits(&self, ops: &[PatchOp]) -> Result<EditSet, PatchError> {
        match self.edits_nearby(ops) {
            Some(edits) => Ok(edits),
            None => {
                let patched = patch(&self.parsed.ast, ops)?;
                edits_of_whole(&self.text, self.parsed, &patched, self.is_formatted)
            }
        }
    }

    /// The same by a look at the declarations that the patch is about; nothing if that is not enough.
    pub fn edits_nearby(&self, ops: &[PatchOp]) -> Option<EditSet> {
        let parts = self.parts(ops)?;
        let patched = parts.iter().map(|it| self.patched(it)).collect::<Option<Vec<_>>>()?;
        let edits = Leniency::BOTH.into_iter().find_map(|how| {
            let of_parts = patched.iter().map(|it| it.edits(self.is_formatted, how));
            of_parts.collect::<Option<Vec<_>>>()
        });
        EditSet::new(&self.text, edits?.concat()).ok()
    }

    /// How many bytes [`edits_nearby`](Patchable::edits_nearby) reads again; nothing if it does not even try.
    pub fn n_bytes_nearby(&self, ops: &[PatchOp]) -> Option<usize> {
        Some(self.parts(ops)?.iter().map(|it| it.bytes.len()).sum())
    }

    /// How many bytes the text has.
    pub fn n_bytes(&self) -> usize {
        self.text.len()
    }

    /// The declarations that operations are about, each with its neighbours; those that overlap are one part. `None` if an
    /// operation is about the program, about nothing that there is, or about several declarations.
    fn parts(&self, ops: &[PatchOp]) -> Option<Vec<NodeRole>> {
        let ast = &self.parsed.ast;
        let declarations = ast.declarations();
        let mut by_place: BTreeMap<usize, Vec<PatchOp>> = BTreeMap::new();
        for op in ops {
            let mut places = op.node_ids().into_iter().map(|id| {
                let node = ast.ids().node(&id)?;
                Some(declarations.partition_point(|it| it.node() < node))
            });
            let place = places.next()??;
            if place >= declarations.len() || places.any(|it| it != Some(place)) {
                return None;
            }
            by_place.entry(place).or_default().push(op.clone());
        }
        let mut parts: Vec<(Range<usize>, Vec<PatchOp>)> = Vec::new();
        for (place, ops) in by_place {
            let end = (place + 2).min(declarations.len());
            let mut part = (self.at_line_start(place.saturating_sub(1))..end, ops);
            while let Some((declarations, mut before)) = parts.pop_if(|it| it.0.end > part.0.start)
            {
                before.append(&mut part.1);
                part = (declarations.start.min(part.0.start)..end, before);
            }
            parts.push(part);
        }
        let with_bytes = |(declarations, ops): (Range<usize>, Vec<PatchOp>)| {
            let bytes = self.bytes(&declarations);
            self.is_readable(&bytes).then_some(NodeRole { declarations, bytes, ops })
        };
        parts.into_iter().map(with_bytes).collect()
    }

    /// The nearest declaration, backwards from one, that nothing precedes on its line.
    fn at_line_start(&self, mut place: usize) -> usize {
        while place > 0 && self.line_start(place).is_none() {
            place -= 1;
        }
        place
    }

    /// Where the line of a declaration starts, if nothing precedes it there.
    fn line_start(&self, place: usize) -> Option<usize> {
        let ast = &self.parsed.ast;
        let before = self.source().get(..ast.span(ast.declarations()[place]).start as usize)?;
        let line = before.rfind('\n').map_or(0, |it| it + 1);
        before[line..].chars().all(|it| it == ' ' || it == '\t').then_some(line)
    }

    fn source(&self) -> &'a str {
        self.parsed.tokens.source()
    }

    /// The bytes of declarations next to one another, to the end of the last line. What is before the first one and behind
    /// the last one belongs to these.
    fn bytes(&self, declarations: &Range<usize>) -> Range<usize> {
        let ast = &self.parsed.ast;
        let start = match declarations.start {
            0 => 0,
            first => self.line_start(first).unwrap_or(0),
        };
        let Some(next) = ast.declarations().get(declarations.end) else {
            return start..self.source().len();
        };
        let last = declarations.end.saturating_sub(1);
        let end = ast.span(ast.declarations()[last]).end as usize;
        let gap = self.source().get(end..ast.span(*next).start as usize).unwrap_or_default();
        start..end + gap.find('\n').map_or(0, |it| it + 1)
    }

    /// Whether a part of the text says what it says in the whole.
    fn is_readable(&self, bytes: &Range<usize>) -> bool {
        let has_error =
            self.parsed.errors.iter().any(|it| {
                (it.span.start as usize) < bytes.end && bytes.start <= it.span.end as usize
            });
        let text = self.source().get(bytes.clone()).unwrap_or_default();
        !has_error && text.contains("\r\n") == self.has_long_line_ends
    }

    /// A part before and after what is done to it; `None` if it must not be looked at alone.
    fn patched(&self, part: &NodeRole) -> Option<PatchedPart> {
        let source = self.source().get(part.bytes.clone())?;
        let before = self.with_ids_of_whole(parse("", source), &part.declarations)?;
        let after = patch(&before.ast, &part.ops).ok()?;
        let has_error = after.ast.nodes().iter().any(|it| it.kind.is_error());
        let shift = u32::try_from(part.bytes.start).ok()?;
        let is_alone = !has_error && after.ast.comments().is_empty();
        is_alone.then_some(PatchedPart { before, after, shift })
    }

    /// Declarations that were read by themselves, with the ids that they have in the whole; `None` if they read otherwise.
    fn with_ids_of_whole(&self, read: Parsed, declarations: &Range<usize>) -> Option<Parsed> {
        let ast = &self.parsed.ast;
        let whole = ast.declarations().get(declarations.clone())?;
        let own = read.ast.declarations();
        let is_same = own.len() == whole.len()
            && own
                .iter()
                .zip(whole)
                .all(|(own, whole)| same_subtrees(&read.ast, own.node(), ast, whole.node()));
        let first = ast.subtree(*whole.first()?).start;
        let n_nodes = whole.last()?.node().0 + 1 - first;
        let root = read.ast.root().node();
        if !is_same || !read.errors.is_empty() || root.0 != n_nodes {
            return None;
        }
        let ids: BTreeMap<NodeId, Name> =
            (0..n_nodes).map(|it| (NodeId(it), ast.ids().id(NodeId(first + it)))).collect();
        Some(Parsed { ast: Ast::with_ids(read.ast, ids).ok()?, ..read })
    }
}

/// A part of a text, read by itself, and what becomes of it.
struct PatchedPart {
    before: Parsed,
    after: Patched,
    /// Where it starts in the whole text.
    shift: u32,
}

impl PatchedPart {
    /// The edits to the whole text.
    fn edits(&self, is_formatted: bool, how: Leniency) -> Option<Vec<Edit>> {
        let text = Text::new(self.before.tokens.source());
        let edits = in_place(&text, &self.before, &self.after, is_formatted, how)?;
        let moved = |it: &Edit| {
            let (start, end) = (it.start + self.shift, it.end + self.shift);
            Edit { start, end, text: it.text.clone() }
        };
        Some(edits.edits().iter().map(moved).collect())
    }
}
