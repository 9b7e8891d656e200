//! The habits of a file and of the neighbours of a place: what new text follows.

use super::resolve;
use super::scalar::{QuoteStyle, ScalarStyle, can_be_plain};
use super::scan::{column, line_content_end, next_line, same_line, skip_blanks};
use super::tree::{MemberNodes, NodeKind, YamlTree};
use crate::value::Value;

/// How far apart the members are looked at for a habit.
pub(super) const NEIGHBOURS: usize = 8;

/// What the whole file does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Habits {
    /// Columns from a key to the map under it.
    pub(super) unit: usize,
    /// Columns from a key to the `-` of the sequence under it.
    pub(super) sequence_offset: usize,
    /// The quotes for strings that cannot be plain.
    pub(super) quote: QuoteStyle,
    /// Whether flow maps are written `{ a: 1 }`.
    pub(super) pads_flow_maps: bool,
}

/// What the neighbours of a new value do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) quote: QuoteStyle,
    pub(super) key_quote: QuoteStyle,
    pub(super) flow_maps: bool,
    pub(super) flow_sequences: bool,
    /// `{"a":1}`: quoted keys and no space behind the colon.
    pub(super) is_tight: bool,
    /// `[1,2]`
    pub(super) tight_commas: bool,
    /// What block scalars may stand there.
    pub(super) block_scalars: BlockScalars,
}

/// Which block scalars can stand in a place without swallowing what follows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockScalars {
    Any,
    /// A blank line follows, which would become part of a scalar that ends in one.
    NoBlankEnd,
    /// The text ends without a line break, where readers differ on whether the scalar ends in one.
    NoBreakAtEnd,
    None,
}

impl BlockScalars {
    /// What the line at `at` and those below leave possible, for a scalar in a container at column `parent`.
    pub(super) fn before(bytes: &[u8], at: u32, parent: Option<usize>) -> BlockScalars {
        if at as usize >= bytes.len() {
            let is_line_start = bytes.is_empty() || bytes.ends_with(b"\n");
            return if is_line_start { BlockScalars::Any } else { BlockScalars::NoBreakAtEnd };
        }
        let is_inside = |column: usize| parent.is_none_or(|parent| column > parent);
        let mut line = at;
        while (line as usize) < bytes.len() {
            let token = skip_blanks(bytes, line);
            let width = (token - line) as usize;
            let is_blank = token == line_content_end(bytes, line);
            if is_inside(width)
                && (if is_blank { width > 0 } else { bytes[token as usize] == b'#' })
            {
                return BlockScalars::None;
            }
            if !is_blank {
                break;
            }
            line = next_line(bytes, line);
        }
        if line > at { BlockScalars::NoBlankEnd } else { BlockScalars::Any }
    }

    /// Whether the block scalar `id` can stand there as it is.
    pub(super) fn allow_as_written(self, tree: &YamlTree, id: u32) -> bool {
        self.allow(&tree.scalar_text(id))
            && !tree.is_unterminated(id)
            && (self == BlockScalars::Any || !tree.keeps_blank_lines(id))
    }

    /// Whether a block scalar that says `text` can stand there.
    pub(super) fn allow(self, text: &str) -> bool {
        match self {
            BlockScalars::Any => true,
            BlockScalars::NoBlankEnd => !text.ends_with("\n\n"),
            BlockScalars::NoBreakAtEnd => !text.ends_with('\n'),
            BlockScalars::None => false,
        }
    }
}

impl Style {
    pub(super) const DEFAULT: Style = Style {
        quote: QuoteStyle::Plain,
        key_quote: QuoteStyle::Plain,
        flow_maps: false,
        flow_sequences: false,
        is_tight: false,
        tight_commas: false,
        block_scalars: BlockScalars::Any,
    };

    pub(super) fn value(&self, habits: &Habits, in_flow: bool) -> ScalarStyle {
        ScalarStyle { wanted: self.quote, fallback: habits.quote, in_flow }
    }

    pub(super) fn key(&self, habits: &Habits, in_flow: bool) -> ScalarStyle {
        let wanted = if self.is_tight { QuoteStyle::Double } else { self.key_quote };
        ScalarStyle { wanted, fallback: habits.quote, in_flow }
    }
}

impl Habits {
    /// Reads the tree until every habit is known.
    pub(super) fn of(tree: &YamlTree) -> Habits {
        let (mut unit, mut sequence_offset, mut quote, mut pads) = (None, None, None, None);
        for id in tree.ids() {
            match tree.shape(id) {
                NodeKind::SingleQuoted => quote = quote.or(Some(QuoteStyle::Single)),
                NodeKind::DoubleQuoted => quote = quote.or(Some(QuoteStyle::Double)),
                NodeKind::FlowMapping if pads.is_none() && tree.skip(id) > id + 1 => {
                    pads = Some(tree.bytes().get(tree.node(id).start as usize + 1) == Some(&b' '));
                }
                NodeKind::BlockMapping if unit.is_none() => unit = indent_under_key(tree, id),
                NodeKind::BlockSequence if sequence_offset.is_none() => {
                    sequence_offset = indent_under_key(tree, id);
                }
                _ => {}
            }
            if let (Some(_), Some(_), Some(_), Some(_)) = (unit, sequence_offset, quote, pads) {
                break;
            }
        }
        let unit = unit.or(sequence_offset.filter(|&it| it > 0)).unwrap_or(2);
        Habits {
            unit: unit.clamp(1, 16),
            sequence_offset: sequence_offset.unwrap_or(unit).min(16),
            quote: quote.unwrap_or(QuoteStyle::Double),
            pads_flow_maps: pads.unwrap_or(false),
        }
    }
}

impl Habits {
    /// The habits where the members near position `at` of a container have others than the file: what stands
    /// under their keys may be indented in another way.
    pub(super) fn near(mut self, tree: &YamlTree, entries: &[MemberNodes], at: usize) -> Habits {
        let (mut unit, mut sequence_offset) = (None, None);
        let mut look = |id: u32| match tree.shape(id) {
            NodeKind::BlockMapping if unit.is_none() => unit = indent_under_key(tree, id),
            NodeKind::BlockSequence if sequence_offset.is_none() => {
                sequence_offset = indent_under_key(tree, id);
            }
            _ => {}
        };
        for entry in neighbours(entries, at) {
            match entry.key {
                Some(_) => look(entry.value),
                None => first_values(tree, entry.value).for_each(&mut look),
            }
        }
        self.unit = unit.map_or(self.unit, |it| it.clamp(1, 16));
        self.sequence_offset = sequence_offset.map_or(self.sequence_offset, |it| it.min(16));
        self
    }
}

/// The values of the first members of a map; none for what is not a map.
fn first_values(tree: &YamlTree, map: u32) -> impl Iterator<Item = u32> {
    let end = if tree.shape(map).is_mapping() { tree.node(map).skip } else { map };
    let mut key = map + 1;
    let value = move || {
        let value = (key < end).then(|| tree.node(key).skip)?;
        key = tree.node(value).skip;
        Some(value)
    };
    std::iter::from_fn(value).take(NEIGHBOURS)
}

/// The members around position `at`: those before it, nearest first, then those behind.
fn neighbours(entries: &[MemberNodes], at: usize) -> impl Iterator<Item = &MemberNodes> {
    let at = at.min(entries.len());
    let before = entries[at.saturating_sub(NEIGHBOURS)..at].iter().rev();
    before.chain(entries[at..].iter().take(NEIGHBOURS))
}

/// How much further right than its key a block collection starts, if it starts on a line below the key.
fn indent_under_key(tree: &YamlTree, id: u32) -> Option<usize> {
    let (key, node) = (tree.node(tree.key_of(id)?), tree.node(id));
    let bytes = tree.bytes();
    if same_line(bytes, key.start, node.start) || node.indicator == super::tree::NONE {
        return None;
    }
    column(bytes, node.start).checked_sub(column(bytes, key.start))
}

/// The style of the members around position `at` of a container.
pub(super) fn around(tree: &YamlTree, entries: &[MemberNodes], at: usize) -> Style {
    let near: Vec<MemberNodes> = neighbours(entries, at).copied().collect();
    // A plain scalar tells a habit if it is a string, a quoted one if it could do without quotes.
    let habit = |id: u32| {
        let (text, shape) = (tree.scalar_text(id), tree.shape(id));
        let quote = QuoteStyle::of(shape)?;
        let is_plain_string = matches!(resolve::plain(&text), Value::String(_));
        let tells =
            if shape == NodeKind::Plain { is_plain_string } else { can_be_plain(&text, false) };
        (tells && tree.props(id).is_none()).then_some(quote)
    };
    let scalar = |id: u32| Some(id).filter(|&id| tree.shape(id).is_scalar());
    // Quotes that others nearby do without are the exception.
    let quotes = near.iter().filter_map(|entry| scalar(entry.value)).filter_map(habit);
    let quote = quotes.reduce(|first, it| if it == QuoteStyle::Plain { it } else { first });
    let key_quote = near.iter().filter_map(|entry| entry.key.and_then(scalar)).find_map(habit);
    let collection = |is_wanted: fn(NodeKind) -> bool| {
        let shape = |entry: &MemberNodes| Some(tree.shape(entry.value)).filter(|&it| is_wanted(it));
        let is_full = |entry: &&MemberNodes| tree.node(entry.value).skip > entry.value + 1;
        near.iter().filter(is_full).find_map(shape).is_some_and(NodeKind::is_flow_collection)
    };
    // Where even the keys have double quotes, strings have them too: the file is next to JSON.
    let root = entries.first().and_then(|it| tree.document_of(it.value)).map_or(0, |it| it.root);
    let is_json =
        tree.shape(root) == NodeKind::FlowMapping && tree.shape(root + 1) == NodeKind::DoubleQuoted;
    let default = if is_json || key_quote == Some(QuoteStyle::Double) {
        QuoteStyle::Double
    } else {
        QuoteStyle::Plain
    };
    Style {
        quote: quote.unwrap_or(default),
        key_quote: key_quote.unwrap_or(if is_json {
            QuoteStyle::Double
        } else {
            QuoteStyle::Plain
        }),
        flow_maps: collection(NodeKind::is_mapping),
        flow_sequences: collection(NodeKind::is_sequence),
        ..Style::DEFAULT
    }
}
