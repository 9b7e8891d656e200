//! From a changed tree to the bytes of its text that differ.
//!
//! Both trees are gone through together, from the program down to what changed. A node that is in both is printed twice,
//! as it was and as it is, with the children that it keeps left out: these are its frames. Between two children that
//! stay, the bytes stay as well if the frames agree; if not, the tokens that differ are put in. What is moved or put
//! into something new takes its bytes along. Nothing else is touched, and no comment is lost but in what is deleted.
//!
//! A program in canonical layout stays in it. What comes out is read again and must be the tree.

mod merge;

use std::collections::{BTreeMap, HashMap, HashSet};

use edit::{Edit, EditSet, Text};

use super::{PatchError, Patched};
use crate::ast::{Ast, AstKind, Comments, Expr, NodeId, SourceId};
use crate::error::{SyntaxCode, SyntaxError};
use crate::parse::{Parsed, parse};
use crate::print::{Frame, ParenContext, Splice, print_frame};
use crate::same::{same, same_shape};
use crate::span::Span;
use merge::{Segment, merge};

/// The edits that make the text of a patched tree from the text of the tree before, which `parsed` is.
pub fn edits(parsed: &Parsed, patched: &Patched) -> Result<EditSet, PatchError> {
    let text = Text::new(parsed.tokens.source());
    edits_of_whole(&text, parsed, patched, crate::is_formatted(parsed) == Some(true))
}

/// The same. A text in canonical layout stays in it.
pub(super) fn edits_of_whole(
    text: &Text,
    parsed: &Parsed,
    patched: &Patched,
    is_formatted: bool,
) -> Result<EditSet, PatchError> {
    let in_place = |how: Leniency| in_place(text, parsed, patched, is_formatted, how);
    match Leniency::BOTH.into_iter().find_map(in_place) {
        Some(edits) => Ok(edits),
        None => printed_anew(text, parsed, patched, is_formatted),
    }
}

/// Whether what was printed the same before and after stays as it was written. What may be written or not, as a `;` at the
/// end of a line, may be needed before something new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leniency {
    Lenient,
    Strict,
}

impl Leniency {
    /// In the order in which they are tried.
    pub(super) const BOTH: [Leniency; 2] = [Leniency::Lenient, Leniency::Strict];
}

/// The edits to what differs, if they make the text of the patched tree.
pub(super) fn in_place(
    text: &Text,
    parsed: &Parsed,
    patched: &Patched,
    is_formatted: bool,
    how: Leniency,
) -> Option<EditSet> {
    let is_lenient = how == Leniency::Lenient;
    let edits = EditSet::new(text, rough_edits(parsed, patched, is_lenient)).ok()?;
    let after = edits.apply(text).ok()?;
    let reread = read(&after, patched)?;
    laid_out(text, (reread, after, edits), is_formatted).ok()
}

/// The edits that make the printed text of the whole tree.
fn printed_anew(
    text: &Text,
    parsed: &Parsed,
    patched: &Patched,
    is_formatted: bool,
) -> Result<EditSet, PatchError> {
    let printed = Text::new(printed(parsed, patched));
    let edits = edit::diff(text, &printed).map_err(|_| PatchError::OtherText)?;
    let reread = read(&printed, patched).ok_or(PatchError::OtherText)?;
    laid_out(text, (reread, printed, edits), is_formatted)
}

fn laid_out(
    text: &Text,
    (reread, after, edits): (Parsed, Text, EditSet),
    is_formatted: bool,
) -> Result<EditSet, PatchError> {
    if !is_formatted {
        return Ok(edits);
    }
    match crate::format_edits(&after, &reread) {
        Some(layout) if !layout.is_empty() => {
            edits.compose(text, &layout).map_err(|_| PatchError::OtherText)
        }
        _ => Ok(edits),
    }
}

/// The text of the whole tree, with all comments.
fn printed(parsed: &Parsed, patched: &Patched) -> String {
    let before = crate::attach_comments(parsed);
    let mut comments = patched.ast.comments().clone();
    let mut places: HashMap<NodeId, NodeId> = HashMap::new();
    for (index, origin) in patched.origins.iter().enumerate() {
        places.extend(origin.map(|it| (it, NodeId(index as u32))));
    }
    for (node, of_node) in before.comments() {
        let place = places.get(node).copied().unwrap_or(patched.ast.root().node());
        let there = comments.entry(place).or_default();
        let is_new = |list: &[String], it: &&String| !list.contains(it);
        let leading = of_node.leading.iter().filter(|it| is_new(&there.leading, it)).cloned();
        there.leading.extend(leading.collect::<Vec<_>>());
        let trailing = of_node.trailing.iter().filter(|it| is_new(&there.trailing, it)).cloned();
        there.trailing.extend(trailing.collect::<Vec<_>>());
    }
    crate::print(&patched.ast.clone().with_comments(comments))
}

/// The text as it is read again, if it is the patched tree.
fn read(text: &Text, patched: &Patched) -> Option<Parsed> {
    let parsed = parse("", std::str::from_utf8(text.bytes()).ok()?);
    same(&parsed.ast, &patched.ast).then_some(parsed)
}

fn rough_edits(parsed: &Parsed, patched: &Patched, is_lenient: bool) -> Vec<Edit> {
    let (old, new) = (&parsed.ast, &patched.ast);
    let comments = new_comments(parsed, new);
    let mut differ = Differ {
        text: parsed.tokens.source(),
        old,
        new,
        origins: &patched.origins,
        is_kept: kept(old, patched),
        comments: &comments,
        errors: &parsed.errors,
        is_lenient,
        edits: Vec::new(),
    };
    let root = Pair {
        old: old.root().node(),
        new: new.root().node(),
        old_place: ParenContext::FREE,
        place: ParenContext::FREE,
    };
    let mut work = vec![Work::Node(root)];
    while let Some(next) = work.pop() {
        match next {
            // Edits at one place are made in the order in which they are given.
            Work::Edits(edits) => differ.edits.extend(edits),
            Work::Node(pair) => {
                let n_before = work.len();
                differ.node(&pair, &mut work);
                work[n_before..].reverse();
            }
        }
    }
    differ.edits.extend(left_over(parsed, patched));
    if parsed.tokens.source().contains("\r\n") {
        differ.edits.iter_mut().for_each(|it| it.text = with_long_line_ends(&it.text));
    }
    differ.edits
}

/// Takes out the brackets that close nothing and stand behind a declaration that is gone: they belonged to it.
fn left_over(parsed: &Parsed, patched: &Patched) -> Vec<Edit> {
    let is_stray = |it: &&SyntaxError| it.code == SyntaxCode::E0004 && it.related.is_none();
    let strays: Vec<Span> = parsed.errors.iter().filter(is_stray).map(|it| it.span).collect();
    if strays.is_empty() {
        return Vec::new();
    }
    let stay: HashSet<NodeId> = patched.origins.iter().flatten().copied().collect();
    let declarations = parsed.ast.declarations();
    let is_gone = |stray: &&Span| {
        let before =
            declarations.partition_point(|it| parsed.ast.span(it.node()).start < stray.start);
        let before = before.checked_sub(1).map(|it| declarations[it].node());
        before.is_some_and(|it| parsed.ast.span(it).end <= stray.start && !stay.contains(&it))
    };
    strays.iter().filter(is_gone).map(|it| Edit::delete(it.start, it.end)).collect()
}

/// A new text with the line ends of the text that it comes to.
fn with_long_line_ends(text: &[u8]) -> Box<[u8]> {
    let mut out = Vec::with_capacity(text.len() + 8);
    for (index, &byte) in text.iter().enumerate() {
        if byte == b'\n' && index.checked_sub(1).map(|it| text[it]) != Some(b'\r') {
            out.push(b'\r');
        }
        out.push(byte);
    }
    out.into()
}

/// What is still to be done, in the order of the text.
enum Work {
    Node(Pair),
    Edits(Vec<Edit>),
}

static NO_COMMENTS: BTreeMap<NodeId, Comments> = BTreeMap::new();

/// The comments that are not in the text yet. The others stay where they are.
fn new_comments(parsed: &Parsed, new: &Ast) -> BTreeMap<NodeId, Comments> {
    if new.comments().is_empty() {
        return BTreeMap::new();
    }
    let written: HashSet<String> = crate::attach_comments(parsed)
        .comments()
        .values()
        .flat_map(|it| it.leading.iter().chain(&it.trailing).cloned())
        .collect();
    let mut all = new.comments().clone();
    all.retain(|_, it| {
        it.leading.retain(|it| !written.contains(it));
        it.trailing.retain(|it| !written.contains(it));
        *it != Comments::default()
    });
    all
}

/// Whether each node is one of the tree before with all that is below it.
fn kept(old: &Ast, patched: &Patched) -> Vec<bool> {
    let new = &patched.ast;
    let mut is_kept = vec![false; new.nodes().len()];
    for index in 0..is_kept.len() {
        let node = NodeId(index as u32);
        let Some(origin) = patched.origins[index] else { continue };
        let is_there = |it: NodeId| {
            old.node(it).source == SourceId(0)
                && same_shape(&old.node(it).kind, &new.node(node).kind)
        };
        if !is_there(origin) {
            continue;
        }
        let before = old.children(origin);
        let mut at = 0;
        let mut is_same = true;
        new.for_each_child(node, &mut |child| {
            let origin = patched.origins[child.index()];
            is_same &=
                is_kept[child.index()] && origin.is_some() && before.get(at) == origin.as_ref();
            at += 1;
        });
        is_kept[index] = is_same && at == before.len();
    }
    is_kept
}

/// A node before and after, and what stands around it.
struct Pair {
    old: NodeId,
    new: NodeId,
    old_place: ParenContext,
    place: ParenContext,
}

struct Differ<'a> {
    text: &'a str,
    old: &'a Ast,
    new: &'a Ast,
    origins: &'a [Option<NodeId>],
    is_kept: Vec<bool>,
    /// Those that are new.
    comments: &'a BTreeMap<NodeId, Comments>,
    /// What could not be read before.
    errors: &'a [SyntaxError],
    is_lenient: bool,
    edits: Vec<Edit>,
}

impl Differ<'_> {
    /// Adds the children that stay to the work, and the edits between them.
    fn node(&mut self, pair: &Pair, work: &mut Vec<Work>) {
        if self.is_kept[pair.new.index()] {
            return;
        }
        if let Some(edits) = self.rewritten(pair) {
            work.push(Work::Edits(edits));
            return;
        }
        let anchors = self.anchors(pair);
        let is_template =
            |ast: &Ast, it| matches!(ast.node(it).kind, AstKind::Expr(Expr::Template { .. }));
        if !is_template(self.old, pair.old) && !is_template(self.new, pair.new) {
            return self.segments(pair, &anchors, work);
        }
        // A template is one token: it is the same but for its expressions, or another one.
        let is_same = same_shape(&self.old.node(pair.old).kind, &self.new.node(pair.new).kind)
            && anchors.len() == self.new.children(pair.new).len();
        if !is_same {
            return self.segments(pair, &[], work);
        }
        work.extend(anchors.iter().map(|&(old, new)| {
            Work::Node(Pair { old, new, old_place: ParenContext::FREE, place: ParenContext::FREE })
        }));
    }

    /// The edits that make a text that could be read of one that could not. Nothing is known about the layout of the latter,
    /// so what is the same in both stays to the letter.
    fn rewritten(&self, pair: &Pair) -> Option<Vec<Edit>> {
        let span = self.old.span(pair.old);
        let is_text = self.new.node(pair.new).source != SourceId(0);
        // A bracket that is not closed shows behind what it is in.
        let is_unread = |it: &SyntaxError| {
            span.holds(it.span) || it.related.as_ref().is_some_and(|it| span.holds(it.0))
        };
        if !self.is_lenient || !is_text || !self.errors.iter().any(is_unread) {
            return None;
        }
        let before = self.text.get(span.start as usize..span.end as usize)?;
        let after = Some(self.new.text(pair.new)).filter(|it| !it.is_empty())?;
        let edits = edit::diff(&Text::new(before), &Text::new(after)).ok()?;
        let moved =
            |it: &Edit| Edit::replace(it.start + span.start, it.end + span.start, it.text.to_vec());
        Some(edits.edits().iter().map(moved).collect())
    }

    /// The children that stay children of the node, in their order.
    fn anchors(&self, pair: &Pair) -> Vec<(NodeId, NodeId)> {
        let before = self.old.children(pair.old);
        let mut all = Vec::new();
        let mut from = 0;
        for new in self.new.children(pair.new) {
            let Some(old) = self.origins[new.index()] else { continue };
            if self.old.node(old).source != SourceId(0) {
                continue;
            }
            if let Some(at) = before[from..].iter().position(|it| *it == old) {
                from += at + 1;
                all.push((old, new));
            }
        }
        all
    }

    fn segments(&self, pair: &Pair, anchors: &[(NodeId, NodeId)], work: &mut Vec<Work>) {
        let (text, old, is_kept, origins) = (self.text, self.old, &self.is_kept, self.origins);
        let written = |it: NodeId| {
            let span = old.span(it);
            text.get(span.start as usize..span.end as usize)
        };
        let old_anchors: HashSet<NodeId> = anchors.iter().map(|it| it.0).collect();
        let before = print_frame(old, &NO_COMMENTS, pair.old, pair.old_place, &|it| {
            if old_anchors.contains(&it) {
                return Some(Splice::Anchor);
            }
            written(it).map(Splice::Text)
        });
        let new_anchors: HashSet<NodeId> = anchors.iter().map(|it| it.1).collect();
        let after = print_frame(self.new, self.comments, pair.new, pair.place, &|it| {
            if new_anchors.contains(&it) {
                return Some(Splice::Anchor);
            }
            let origin = origins[it.index()].filter(|_| is_kept[it.index()])?;
            written(origin).map(Splice::Text)
        });
        if before.anchors.len() != anchors.len() || after.anchors.len() != anchors.len() {
            // Not everything is printed as a child; what is left is made whole at the end.
            return;
        }
        let span = old.span(pair.old);
        let indent = indent_of(text, span.start);
        // What was put in the place of another has another place.
        let (was, is) = (old.node(pair.old), self.new.node(pair.new));
        let is_deletion = (was.source, was.span) == (is.source, is.span);
        for index in 0..=anchors.len() {
            let start = match index.checked_sub(1) {
                Some(previous) => old.span(anchors[previous].0).end,
                None => span.start,
            };
            let end = anchors.get(index).map_or(span.end, |it| old.span(it.0).start);
            let segment = Segment {
                span: Span::new(start, end),
                base: piece(&before, index),
                wanted: piece(&after, index),
                indent,
                is_deletion,
                is_lenient: self.is_lenient,
            };
            work.push(Work::Edits(merge(text, &segment)));
            if let Some(&(old, new)) = anchors.get(index) {
                let (old_place, place) = (before.anchors[index].place, after.anchors[index].place);
                work.push(Work::Node(Pair { old, new, old_place, place }));
            }
        }
    }
}

/// The text before the `index`-th node that was left out.
fn piece(frame: &Frame, index: usize) -> &str {
    let start = index.checked_sub(1).map_or(0, |it| frame.anchors[it].at);
    let end = frame.anchors.get(index).map_or(frame.text.len(), |it| it.at);
    &frame.text[start..end]
}

/// The blanks that the line of an offset starts with.
fn indent_of(text: &str, offset: u32) -> &str {
    let before = &text[..offset as usize];
    let line = before.rfind('\n').map_or(0, |it| it + 1);
    let rest = &text[line..];
    let length = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    &rest[..length]
}
