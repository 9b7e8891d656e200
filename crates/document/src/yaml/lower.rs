//! From a draft to edits: walks the containers that were opened and compares their members with what was parsed.

use crate::hash::HashSet;
use edit::Edit;

use super::render::Renderer;
use super::scalar::{self, QuoteStyle, not_expressible};
use super::scan::{before_break, column, line_start, offset, skip_blanks, skip_blanks_back};
use super::splice::Splices;
use super::style::{Habits, Style};
use super::tree::{MemberNodes, NONE, NodeKind, TagKind, YamlTree};
use super::{anchors, block, flow, replace};
use crate::draft::{Draft, LiveMember, Node};
use crate::refusal::Refusal;
use crate::source::NodeId;

/// The edits that turn the text into one that reads as the draft.
pub(super) fn lower(tree: &YamlTree, draft: &Draft) -> Result<Vec<Edit>, Refusal> {
    let splices = Splices::new(tree.bytes());
    let mut moved = HashSet::default();
    for root in draft.roots() {
        collect_moved(tree, draft, *root, &mut moved);
    }
    let renderer = Renderer { tree, draft, habits: Habits::of(tree), eol: splices.eol };
    let mut lowering =
        YamlLowering { tree, draft, renderer, splices, dropped_to: 0, removed_to: 0, moved };
    for (index, root) in draft.roots().iter().enumerate() {
        let id = tree.root_of(index).unwrap_or(0);
        lowering.member(id, *root, ParentContext::Root, &Style::DEFAULT)?;
    }
    lowering.end_last_scalar();
    let (edits, trimmed_at) = lowering.splices.finish();
    if let Some(end) = trimmed_at {
        guard_last_scalar(tree, end)?;
    }
    Ok(edits)
}

/// Finds the parsed nodes that stand in another place than before, in the containers that were opened.
fn collect_moved(tree: &YamlTree, draft: &Draft, node: Node, moved: &mut HashSet<u32>) {
    let Some(members) = draft.members(node) else {
        return;
    };
    let entries = match node {
        Node::Base(id) => tree.entries(id.0),
        Node::New(_) => Vec::new(),
    };
    for member in members {
        let parsed = member.origin.and_then(|origin| entries.get(origin as usize));
        if let Node::Base(id) = member.node
            && parsed.is_none_or(|entry| entry.value != id.0)
        {
            moved.insert(id.0);
        }
        collect_moved(tree, draft, member.node, moved);
    }
}

/// Readers differ on whether a block scalar ends in a line break where the text ends without one. None may come to
/// stand there.
fn guard_last_scalar(tree: &YamlTree, end: u32) -> Result<(), Refusal> {
    let is_cut = |id: u32| {
        let node = tree.node(id);
        node.shape.is_block_scalar()
            && (node.start..node.end).contains(&end)
            && tree.scalar_text(id).ends_with('\n')
    };
    match tree.ids().find(|&id| is_cut(id)) {
        None => Ok(()),
        Some(id) => {
            let what = "a block scalar at the end of a file without a final line break";
            Err(not_expressible(what).within(tree.node(id).start))
        }
    }
}

pub(super) struct YamlLowering<'a> {
    pub(super) tree: &'a YamlTree,
    pub(super) draft: &'a Draft,
    pub(super) renderer: Renderer<'a>,
    pub(super) splices: Splices<'a>,
    /// Where the last tag that was taken away ends, with the blanks behind it.
    pub(super) dropped_to: u32,
    /// Where the last member that was taken away ends, with the blank lines below that went along: a next one that
    /// goes does not take those again.
    pub(super) removed_to: u32,
    /// The parsed nodes that stand in another place than before.
    pub(super) moved: HashSet<u32>,
}

/// What holds a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ParentContext {
    Root,
    /// The value of a key in a block map at this column.
    UnderKey(usize),
    /// An item of a block sequence whose `-` stands at this column.
    Item(usize),
    InFlow,
}

impl ParentContext {
    pub(super) fn parent_column(self) -> Option<usize> {
        match self {
            ParentContext::UnderKey(column) | ParentContext::Item(column) => Some(column),
            ParentContext::Root | ParentContext::InFlow => None,
        }
    }
}

/// The members of a container next to those that were parsed.
pub(super) struct MemberChanges<'d> {
    /// What became of every parsed member; `None` for a removed one.
    pub(super) kept: Vec<Option<LiveMember<'d>>>,
    /// The new members before the first one that is kept.
    pub(super) front: Vec<LiveMember<'d>>,
    /// The new members behind a kept one: its position, and they.
    pub(super) behind: Vec<(usize, Vec<LiveMember<'d>>)>,
}

impl<'d> MemberChanges<'d> {
    /// New members that stand where the first parsed one was removed take its place.
    pub(super) fn of(count: usize, members: &[LiveMember<'d>]) -> MemberChanges<'d> {
        let mut changes =
            MemberChanges { kept: vec![None; count], front: Vec::new(), behind: Vec::new() };
        for member in members {
            match (member.origin, changes.behind.last_mut()) {
                (Some(origin), _) => {
                    changes.kept[origin as usize] = Some(*member);
                    changes.behind.push((origin as usize, Vec::new()));
                }
                (None, Some((_, group))) => group.push(*member),
                (None, None) => changes.front.push(*member),
            }
        }
        changes.behind.retain(|(_, group)| !group.is_empty());
        if count > 0 && changes.kept[0].is_none() && !changes.front.is_empty() {
            let mut front = std::mem::take(&mut changes.front).into_iter();
            changes.kept[0] = front.next();
            let group: Vec<LiveMember<'d>> = front.collect();
            if !group.is_empty() {
                changes.behind.insert(0, (0, group));
            }
        }
        changes
    }
}

impl YamlLowering<'_> {
    /// A parsed node and what stands in its place.
    pub(super) fn member(
        &mut self,
        id: u32,
        node: Node,
        place: ParentContext,
        style: &Style,
    ) -> Result<(), Refusal> {
        let done = if node == Node::Base(NodeId(id)) {
            self.container(id, place, style)
        } else {
            replace::replace(self, id, node, place, style)
        };
        done.map_err(|refusal| refusal.within(self.tree.node(id).start))
    }

    /// What changed inside a parsed container.
    fn container(&mut self, id: u32, place: ParentContext, style: &Style) -> Result<(), Refusal> {
        let Some(members) = self.draft.members(Node::Base(NodeId(id))) else {
            return Ok(());
        };
        let entries = self.tree.entries(id);
        if self.tree.shape(id).is_block_collection() {
            return block::lower(self, id, &entries, &members, place);
        }
        let is_map = self.tree.shape(id).is_mapping();
        let siblings_are_flow = if is_map { style.flow_maps } else { style.flow_sequences };
        let is_filled = entries.is_empty() && !members.is_empty();
        if is_filled
            && place != ParentContext::InFlow
            && !siblings_are_flow
            && !super::moved::has_comment(self.tree, id)
        {
            return replace::replace(self, id, Node::Base(NodeId(id)), place, style);
        }
        flow::lower(self, id, &entries, &members)
    }

    /// Gives a member another key.
    pub(super) fn rename(
        &mut self,
        entry: MemberNodes,
        new_key: &str,
        style: &Style,
        in_flow: bool,
    ) -> Result<(), Refusal> {
        let Some(key) = entry.key else {
            return Ok(());
        };
        if let Some(refusal) = anchors::refuses_removal(self.tree, key) {
            return Err(refusal);
        }
        let node = self.tree.node(key);
        let colon = self.tree.node(entry.value).indicator;
        let bytes = self.tree.bytes();
        let next = (colon != NONE).then(|| bytes.get(colon as usize + 1)).flatten();
        let is_tight = !matches!(next, None | Some(b' ' | b'\t' | b'\r' | b'\n'));
        let mut style = style.key(&self.renderer.habits, in_flow);
        style.wanted = match QuoteStyle::of(node.shape) {
            _ if is_tight && node.shape != NodeKind::SingleQuoted => QuoteStyle::Double,
            Some(quote) => quote,
            None => style.wanted,
        };
        let mut text = scalar::string(new_key, style);
        let is_explicit = node.indicator != NONE;
        if text.len() > 1000 && !is_explicit {
            return Err(not_expressible(
                "a key of more than a thousand bytes in a map without `?`",
            ));
        }
        let tag = self.tree.props(key).and_then(|props| props.tag.clone());
        if let Some((tag, kind)) = tag
            && !matches!(kind, TagKind::Str | TagKind::Custom)
        {
            if node.shape == NodeKind::Empty {
                self.splices.replace(tag.start, tag.end, text);
                return Ok(());
            }
            self.drop_tag(tag);
        }
        let end = before_break(bytes, node.start, node.end);
        if node.shape == NodeKind::Empty && (is_explicit || self.tree.props(key).is_some()) {
            text.insert(0, ' ');
        } else if node.shape == NodeKind::Empty && colon == NONE {
            return Err(not_expressible("a key without an indicator"));
        }
        self.splices.replace(node.start, end, text);
        Ok(())
    }

    /// A block scalar in whose last line the text ended gets a line break if lines follow it now. Its header then says
    /// that the break is not part of it.
    fn end_last_scalar(&mut self) {
        let Some(last) = self.tree.arena().nodes().len().checked_sub(1) else { return };
        let last = offset(last);
        let node = self.tree.node(last);
        let header = self.tree.header(last);
        if !self.tree.is_unterminated(last) || !self.splices.appends_lines_behind(node.start) {
            return;
        }
        let digits: String = header.chars().filter(char::is_ascii_digit).collect();
        let chomping = if self.tree.scalar_text(last).ends_with('\n') { "" } else { "-" };
        let sign = if node.shape == NodeKind::Folded { '>' } else { '|' };
        let header_end = node.start + offset(header.len());
        self.splices.replace(node.start, header_end, format!("{sign}{digits}{chomping}"));
    }

    /// Takes a tag away, with the blanks that separate it.
    pub(super) fn drop_tag(&mut self, tag: std::ops::Range<u32>) {
        let bytes = self.tree.bytes();
        let line = line_start(bytes, tag.start);
        let before = skip_blanks_back(bytes, tag.start, line);
        if before > line && before < tag.start {
            self.splices.delete(before, tag.end);
        } else {
            let end = skip_blanks(bytes, tag.end);
            self.splices.delete(tag.start, end);
            self.dropped_to = end;
        }
    }

    /// The byte behind what introduces a value: its `-`, `:` or `---`, its anchor and tag.
    pub(super) fn behind_indicator(&self, id: u32, place: ParentContext) -> u32 {
        let node = self.tree.node(id);
        let indicator = match node.indicator {
            NONE if place == ParentContext::Root => self.tree.marker_end(id).unwrap_or(0),
            NONE => node.start,
            at => at + 1,
        };
        indicator.max(self.tree.props(id).map_or(0, |props| props.end()))
    }

    pub(super) fn column_of(&self, at: u32) -> usize {
        column(self.tree.bytes(), at)
    }
}
