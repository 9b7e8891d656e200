//! New nodes as text: in block style as lines at a column, in flow style on one line.

use super::moved;
use super::scalar::{self, QuoteStyle, ScalarStyle, not_expressible};
use super::style::{BlockScalars, Habits, Style};
use super::tree::{MemberNodes, YamlTree};
use crate::draft::{Draft, LiveMember, Node};
use crate::refusal::Refusal;
use crate::source::SyntaxKind;
use crate::value::Value;

/// Deeper than any document that may be parsed again.
const MAX_DEPTH: usize = 1000;

/// A value as text: what follows the indicator on its line, and the whole lines below.
#[derive(Clone, Debug, Default)]
pub(super) struct Rendered {
    pub(super) first: String,
    pub(super) rest: String,
}

impl Rendered {
    pub(super) fn inline(first: String) -> Rendered {
        Rendered { first, rest: String::new() }
    }

    /// All of it as lines at `column`.
    pub(super) fn into_lines(self, column: usize, eol: &str) -> String {
        format!("{:column$}{}{eol}{}", "", self.first, self.rest)
    }
}

/// What rendering needs to know about the document.
pub(super) struct Renderer<'a> {
    pub(super) tree: &'a YamlTree,
    pub(super) draft: &'a Draft,
    pub(super) habits: Habits,
    pub(super) eol: &'static str,
}

/// Where a value goes in block style.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockSlot {
    /// The column of the map or sequence that the value is a member of; `None` for the root.
    pub(super) parent: Option<usize>,
    /// Where a block collection starts.
    pub(super) collection: BlockStart,
    /// Nested levels of new nodes above.
    pub(super) depth: usize,
}

/// Where the first member of a block collection stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockStart {
    /// On the line of the indicator, at this column.
    Here(usize),
    /// On the next line, at this column.
    Below { map: usize, sequence: usize },
}

/// A block scalar that another scalar replaces.
#[derive(Clone, Copy, Debug)]
pub(super) struct OldBlock {
    pub(super) folded: bool,
    /// How much further right than its container its lines stand.
    pub(super) deeper: Option<usize>,
}

impl BlockSlot {
    /// The slot of a key's value in a map at `column`.
    pub(super) fn under_key(habits: &Habits, column: usize, depth: usize) -> BlockSlot {
        let collection = BlockStart::Below {
            map: column + habits.unit,
            sequence: column + habits.sequence_offset,
        };
        BlockSlot { parent: Some(column), collection, depth }
    }

    /// The slot of an item of a sequence at `column` whose values start `gap` columns behind the `-`.
    pub(super) fn of_item(column: usize, gap: usize, depth: usize) -> BlockSlot {
        let collection = BlockStart::Here(column + 1 + gap);
        BlockSlot { parent: Some(column), collection, depth }
    }
}

impl Renderer<'_> {
    /// The renderer for new members near position `at` of a container.
    pub(super) fn near(&self, entries: &[MemberNodes], at: usize) -> Renderer<'_> {
        Renderer { habits: self.habits.near(self.tree, entries, at), ..*self }
    }

    /// A value in a block context.
    pub(super) fn value(
        &self,
        node: Node,
        style: &Style,
        slot: BlockSlot,
    ) -> Result<Rendered, Refusal> {
        if slot.depth > MAX_DEPTH {
            return Err(not_expressible("a value nested this deep"));
        }
        if let Some(value) = self.draft.new_scalar(node) {
            let scalar_style = style.value(&self.habits, false);
            return self.scalar(value, scalar_style, None, style.block_scalars, slot);
        }
        if let Node::Base(id) = node
            && self.draft.is_as_parsed(id)
        {
            return moved::block(self, id.0, style, slot);
        }
        self.check_rewritable(node)?;
        let is_map = self.draft.kind(node) == SyntaxKind::Object;
        let members = self.draft.members(node).unwrap_or_default();
        if members.is_empty() {
            return Ok(Rendered::inline(if is_map { "{}" } else { "[]" }.to_string()));
        }
        if (is_map && style.flow_maps) || (!is_map && style.flow_sequences) {
            return Ok(Rendered::inline(self.flow(node, style, slot.depth)?));
        }
        match slot.collection {
            BlockStart::Here(column) => self.members(node, &members, style, column, slot.depth),
            BlockStart::Below { map, sequence } => {
                let column = if is_map { map } else { sequence };
                let lines = self.members(node, &members, style, column, slot.depth)?;
                Ok(Rendered { first: String::new(), rest: lines.into_lines(column, self.eol) })
            }
        }
    }

    /// A scalar in a block context; `old_block` is the block scalar that it replaces.
    pub(super) fn scalar(
        &self,
        value: &Value,
        style: ScalarStyle,
        old_block: Option<OldBlock>,
        block_scalars: BlockScalars,
        slot: BlockSlot,
    ) -> Result<Rendered, Refusal> {
        if let Value::String(text) = value
            && block_scalars.allow(text)
            && (old_block.is_some() || (style.wanted == QuoteStyle::Plain && text.contains('\n')))
        {
            let usual =
                if slot.parent.is_some() { self.habits.unit.max(2) } else { self.habits.unit };
            let deeper = old_block.and_then(|it| it.deeper).unwrap_or(usual);
            let parent = slot.parent.unwrap_or(0);
            let folded = old_block.is_some_and(|it| it.folded);
            if let Some((first, rest)) = scalar::block(text, folded, parent, deeper, self.eol) {
                return Ok(Rendered { first, rest });
            }
        }
        Ok(Rendered::inline(scalar::inline(value, style)?))
    }

    /// The members of a block collection at `column`; the first one without its indentation.
    fn members(
        &self,
        node: Node,
        members: &[LiveMember<'_>],
        style: &Style,
        column: usize,
        depth: usize,
    ) -> Result<Rendered, Refusal> {
        let is_map = self.draft.kind(node) == SyntaxKind::Object;
        let keys = if is_map { self.draft.keys(node, members) } else { Vec::new() };
        let mut all = Rendered::default();
        for (position, member) in members.iter().enumerate() {
            let entry = self.entry(
                keys.get(position).map(|key| &**key),
                member.node,
                style,
                column,
                1,
                depth + 1,
            )?;
            if position == 0 {
                all = entry;
            } else {
                all.rest.push_str(&entry.into_lines(column, self.eol));
            }
        }
        Ok(all)
    }

    /// A member of a block collection at `column`, without its indentation: `key: value` or `- value`.
    pub(super) fn entry(
        &self,
        key: Option<&str>,
        node: Node,
        style: &Style,
        column: usize,
        gap: usize,
        depth: usize,
    ) -> Result<Rendered, Refusal> {
        let (head, gap, slot) = match key {
            Some(key) => {
                let mut key = scalar::string(key, style.key(&self.habits, false));
                scalar::check_key_len(&key)?;
                key.push(':');
                (key, 1, BlockSlot::under_key(&self.habits, column, depth))
            }
            None => ("-".to_string(), gap, BlockSlot::of_item(column, gap, depth)),
        };
        let value = self.value(node, style, slot)?;
        let blanks = if value.first.is_empty() { 0 } else { gap };
        Ok(Rendered { first: format!("{head}{:blanks$}{}", "", value.first), rest: value.rest })
    }

    /// A value on one line in flow style.
    pub(super) fn flow(&self, node: Node, style: &Style, depth: usize) -> Result<String, Refusal> {
        if depth > MAX_DEPTH {
            return Err(not_expressible("a value nested this deep"));
        }
        if let Some(value) = self.draft.new_scalar(node) {
            return scalar::inline(value, style.value(&self.habits, true));
        }
        if let Node::Base(id) = node
            && self.draft.is_as_parsed(id)
        {
            return moved::flow(self, id.0, style, depth);
        }
        self.check_rewritable(node)?;
        let is_map = self.draft.kind(node) == SyntaxKind::Object;
        let members = self.draft.members(node).unwrap_or_default();
        let keys = if is_map { self.draft.keys(node, &members) } else { Vec::new() };
        let entries = members.iter().enumerate().map(|(position, member)| {
            self.flow_entry(keys.get(position).map(|key| &**key), member.node, style, depth + 1)
        });
        let entries = entries.collect::<Result<Vec<String>, Refusal>>()?;
        Ok(self.flow_collection(is_map, &entries, style))
    }

    pub(super) fn flow_collection(
        &self,
        is_map: bool,
        entries: &[String],
        style: &Style,
    ) -> String {
        let entries = entries.join(if style.tight_commas { "," } else { ", " });
        match is_map {
            true if self.habits.pads_flow_maps && !entries.is_empty() => format!("{{ {entries} }}"),
            true => format!("{{{entries}}}"),
            false => format!("[{entries}]"),
        }
    }

    /// A member of a flow collection: `key: value` or `value`.
    pub(super) fn flow_entry(
        &self,
        key: Option<&str>,
        node: Node,
        style: &Style,
        depth: usize,
    ) -> Result<String, Refusal> {
        let value = self.flow(node, style, depth)?;
        Ok(match key {
            Some(key) => {
                let colon = if style.is_tight { ":" } else { ": " };
                let key = scalar::string(key, style.key(&self.habits, true));
                scalar::check_key_len(&key)?;
                format!("{key}{colon}{value}")
            }
            None => value,
        })
    }

    /// A parsed container that was changed and then moved is written anew: nothing but its members may get lost.
    fn check_rewritable(&self, node: Node) -> Result<(), Refusal> {
        match node {
            Node::Base(id) if moved::has_comment_from_indicator(self.tree, id.0) => {
                Err(not_expressible(
                    "a changed collection in another place without losing its comments",
                ))
            }
            Node::Base(id) if self.tree.props(id.0).is_some() => Err(not_expressible(
                "a changed collection in another place without losing its anchor or tag",
            )),
            _ => Ok(()),
        }
    }
}
