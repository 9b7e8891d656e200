//! From a draft to byte edits: each opened container is compared with what was parsed.
//!
//! The members that stay cut a container into gaps. In each gap some members went and some came: as many as
//! possible take the place of one that went, the rest is either a removal or an insertion, never both. All edits
//! of a gap lie between the members around it, so gaps do not disturb each other.

use std::cell::OnceCell;
use std::ops::Range;

use edit::Edit;

use crate::draft::{Draft, LiveMember, Node};
use crate::json::JsonTree;
use crate::json::carry;
use crate::json::gap::Entries;
use crate::json::remove::remove;
use crate::json::render::{Layout, Spacing, is_flat};
use crate::json::style::{Style, colon_of, escapes_non_ascii, line_indent};
use crate::refusal::Refusal;
use crate::source::{NodeId, SyntaxKind, SyntaxTree};
use crate::value::Value;

/// How many members are looked at to see how a container among them is laid out.
const SIBLINGS: usize = 64;

/// What every step of a lowering needs.
pub(super) struct JsonLowering<'a> {
    pub(super) tree: &'a JsonTree,
    pub(super) draft: &'a Draft,
    pub(super) style: Style,
    escapes_non_ascii: OnceCell<bool>,
}

pub(super) fn lower(tree: &JsonTree, draft: &Draft) -> Result<Vec<Edit>, Refusal> {
    let style = Style::of(tree);
    let lowering = JsonLowering { tree, draft, style, escapes_non_ascii: OnceCell::new() };
    let mut edits = Vec::new();
    if draft.root() == Node::Base(tree.root()) {
        let layout = Layout::Block { indent: String::new(), trailing_comma: false };
        lowering.lower_inside(tree.root(), &layout, &mut edits)?;
    } else {
        lowering.replace_root(&mut edits)?;
    }
    Ok(edits)
}

impl JsonLowering<'_> {
    pub(super) fn escapes_non_ascii(&self) -> bool {
        *self.escapes_non_ascii.get_or_init(|| escapes_non_ascii(self.tree))
    }

    fn replace_root(&self, out: &mut Vec<Edit>) -> Result<(), Refusal> {
        let root = self.tree.root();
        let layout = if self.has_members(root) && self.is_on_one_line(root) {
            Layout::Line
        } else {
            Layout::Block { indent: String::new(), trailing_comma: false }
        };
        self.replace_value(root, self.draft.root(), &layout, &self.spacing(None), out)
    }

    /// The edits inside a parsed value. An empty container that is filled gets `layout`.
    pub(super) fn lower_inside(
        &self,
        node: NodeId,
        layout: &Layout,
        out: &mut Vec<Edit>,
    ) -> Result<(), Refusal> {
        let Some(members) = self.draft.members(Node::Base(node)) else {
            return Ok(());
        };
        let entries = Entries::of(self.tree, node);
        if entries.len() == 0 {
            return self.fill(&entries, &members, layout, out);
        }
        let (mut next, mut came) = (0, Vec::new());
        for member in &members {
            match member.origin {
                None => came.push(*member),
                Some(origin) => {
                    let origin = origin as usize;
                    self.lower_gap(&entries, next..origin, &came, out)?;
                    came.clear();
                    self.lower_kept(&entries, origin, member, out)?;
                    next = origin + 1;
                }
            }
        }
        self.lower_gap(&entries, next..entries.len(), &came, out)
    }

    /// A member that stays: its key and its value may be new.
    fn lower_kept(
        &self,
        entries: &Entries<'_>,
        index: usize,
        member: &LiveMember<'_>,
        out: &mut Vec<Edit>,
    ) -> Result<(), Refusal> {
        let old = entries.ids[index];
        if let (Some(key), Some(span)) = (member.new_key, self.tree.key_span(old))
            && self.tree.key_text(span.start) != key
        {
            let mut text = String::new();
            self.write_string(key, &mut text);
            out.push(Edit::replace(span.start, span.end, text));
        }
        if member.node == Node::Base(old) {
            if self.draft.members(member.node).is_none() {
                return Ok(());
            }
            let layout = if self.has_members(old) {
                Layout::Line
            } else {
                self.member_layout(entries, index, member.node)
            };
            return self.lower_inside(old, &layout, out);
        }
        let spacing = self.spacing(Some(entries));
        let layout = if !self.has_members(old) {
            self.member_layout(entries, index, member.node)
        } else if self.is_on_one_line(old) {
            Layout::Line
        } else {
            let indent = line_indent(self.tree, entries.start(index)).to_string();
            Layout::Block {
                indent,
                trailing_comma: Entries::of(self.tree, old).has_trailing_comma(),
            }
        };
        self.replace_value(old, member.node, &layout, &spacing, out)
    }

    fn replace_value(
        &self,
        old: NodeId,
        new: Node,
        layout: &Layout,
        spacing: &Spacing,
        out: &mut Vec<Edit>,
    ) -> Result<(), Refusal> {
        let span = self.tree.span(old);
        if let (Some(Value::String(text)), SyntaxKind::Scalar) =
            (self.draft.new_scalar(new), self.tree.kind(old))
            && self.tree.scalar(old).as_str() == Some(text)
        {
            return Ok(());
        }
        let mut text = String::new();
        self.write_value(new, layout, spacing, &mut text)?;
        if old != self.tree.root() {
            text.push_str(&carry::inside_line(self.tree, new));
        }
        if text != self.tree.slice(span.start as usize, span.end as usize) {
            out.push(Edit::replace(span.start, span.end, text));
        }
        Ok(())
    }

    /// Between two members that stay, the parsed members `went` are gone and `came` are there instead.
    fn lower_gap(
        &self,
        entries: &Entries<'_>,
        went: Range<usize>,
        came: &[LiveMember<'_>],
        out: &mut Vec<Edit>,
    ) -> Result<(), Refusal> {
        let paired = went.len().min(came.len());
        for (index, member) in went.clone().zip(came) {
            self.swap(entries, index, member, out)?;
        }
        let (went, came) = (went.start + paired..went.end, &came[paired..]);
        if !went.is_empty() {
            remove(entries, went, out);
        } else if !came.is_empty() {
            self.insert(entries, went.start, came, out)?;
        }
        Ok(())
    }

    /// A new member takes the place of one that goes with its own comments.
    fn swap(
        &self,
        entries: &Entries<'_>,
        index: usize,
        member: &LiveMember<'_>,
        out: &mut Vec<Edit>,
    ) -> Result<(), Refusal> {
        let layout = self.member_layout(entries, index, member.node);
        let mut text = String::new();
        self.write_member(member, &layout, &self.spacing(Some(entries)), &mut text)?;
        text.push_str(&carry::inside_line(self.tree, member.node));
        out.push(Edit::replace(entries.start(index) as u32, entries.end(index) as u32, text));
        let gap = entries.gap(index + 1);
        let mut from = gap.from;
        for comment in gap.comments.iter().filter(|it| it.end <= gap.own_end) {
            if let Some(comma) = gap.comma.filter(|comma| (from..comment.start).contains(comma)) {
                from = comma + 1;
            }
            out.push(Edit::delete(from as u32, comment.end as u32));
            from = comment.end;
        }
        Ok(())
    }

    /// How a new value is laid out in the place of the member at `index`.
    pub(super) fn member_layout(&self, entries: &Entries<'_>, index: usize, node: Node) -> Layout {
        if self.draft.kind(node) == SyntaxKind::Scalar || !entries.gap(index).has_line_break() {
            return Layout::Line;
        }
        self.layout_on_own_line(entries, node, line_indent(self.tree, entries.start(index)))
    }

    /// How a new value is laid out that starts on a line of its own among `entries`.
    pub(super) fn layout_on_own_line(
        &self,
        entries: &Entries<'_>,
        node: Node,
        indent: &str,
    ) -> Layout {
        let kind = self.draft.kind(node);
        let is_alike = |id: &&NodeId| {
            self.tree.kind(**id) == kind && self.tree.child_ids(**id).next().is_some()
        };
        let sibling = entries.ids.iter().take(SIBLINGS).find(is_alike);
        let follows_line = match sibling {
            Some(sibling) => is_flat(self.draft, node) && self.is_on_one_line(*sibling),
            None => self.is_short_array(node),
        };
        if kind == SyntaxKind::Scalar || follows_line {
            return Layout::Line;
        }
        let trailing_comma = entries.has_trailing_comma();
        Layout::Block { indent: indent.to_string(), trailing_comma }
    }

    pub(super) fn spacing(&self, entries: Option<&Entries<'_>>) -> Spacing {
        let near = entries.and_then(|it| it.ids.last()).and_then(|id| colon_of(self.tree, *id));
        Spacing {
            colon: near.unwrap_or_else(|| self.style.colon.clone()),
            space: self.style.space.clone(),
            line_break: self.style.line_break,
        }
    }

    fn has_members(&self, node: NodeId) -> bool {
        self.tree.child_ids(node).next().is_some()
    }

    fn is_on_one_line(&self, node: NodeId) -> bool {
        let span = self.tree.span(node);
        let bytes = &self.tree.bytes()[span.start as usize..span.end as usize];
        memchr::memchr2(b'\n', b'\r', bytes).is_none()
    }
}
