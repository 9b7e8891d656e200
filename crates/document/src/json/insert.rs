//! Inserting members: where they go, on which line, and with which commas.

use edit::Edit;

use crate::draft::LiveMember;
use crate::json::carry;
use crate::json::gap::{Entries, Gap};
use crate::json::lower::JsonLowering;
use crate::json::render::{Layout, Spacing};
use crate::json::style::line_indent;
use crate::refusal::Refusal;
use crate::source::SyntaxKind;

/// A line of its own for each new member.
#[derive(Clone, Copy)]
struct LinePlace<'a> {
    indent: &'a str,
    /// Whether a line break follows the place.
    ends_line: bool,
}

/// The text of a new member, and the comment for the end of its line, after the comma.
struct Piece {
    text: String,
    comment: String,
}

/// How far apart the members are looked at for a habit.
const NEIGHBOURS: usize = 8;

impl JsonLowering<'_> {
    /// Puts members before the parsed member `index`, or at the end.
    pub(super) fn insert(
        &self,
        entries: &Entries<'_>,
        index: usize,
        came: &[LiveMember<'_>],
        out: &mut Vec<Edit>,
    ) -> Result<(), Refusal> {
        let gap = entries.gap(index);
        // The last gap is before the bracket; the one before it shows how members are separated.
        let model = entries.gap(if gap.is_last { index - 1 } else { index });
        let separator =
            if index == 0 { entries.gap(1) } else { entries.gap(index.min(entries.len() - 1)) };
        let mut spacing = self.spacing(Some(entries));
        if let (false, Some(space)) = (separator.is_last, separator.space_after_comma()) {
            spacing.space = space.to_string();
        }
        if let Some(line_break) = gap.line_break().or(model.line_break()) {
            spacing.line_break = line_break;
        }
        let needs_line = model.has_line_break() || (index > 0 && gap.own_line_comment());
        if !needs_line {
            let pieces = self.pieces(entries, came, None, &spacing)?;
            insert_on_line(index, &gap, &pieces, &spacing.space, out);
            return Ok(());
        }
        let indent = self.indent_of_comma(&separator);
        let indent = indent.unwrap_or_else(|| self.indent_near(entries, index));
        let place = LinePlace { indent: &indent, ends_line: gap.next_line().is_some() };
        let pieces = self.pieces(entries, came, Some(place), &spacing)?;
        let start = format!("{}{indent}", spacing.line_break);
        let blank_line = if is_spaced(entries, index) { spacing.line_break } else { "" };
        let lines = Lines { start: &start, blank_line };
        insert_lines(index, &gap, &pieces, lines, separator.is_comma_leading(), out);
        Ok(())
    }

    /// Fills a container that was empty.
    pub(super) fn fill(
        &self,
        entries: &Entries<'_>,
        came: &[LiveMember<'_>],
        layout: &Layout,
        out: &mut Vec<Edit>,
    ) -> Result<(), Refusal> {
        let gap = entries.gap(0);
        if came.is_empty() {
            return Ok(());
        }
        let mut spacing = self.spacing(None);
        spacing.line_break = gap.line_break().unwrap_or(spacing.line_break);
        let outer = line_indent(self.tree, entries.open);
        let mut text = String::new();
        let Some(comment) = gap.comments.last() else {
            let block = Layout::Block { indent: outer.to_string(), trailing_comma: false };
            let layout = match layout {
                Layout::Line if gap.has_line_break() => &block,
                layout => layout,
            };
            let is_object = self.tree.bytes()[entries.open] == b'{';
            self.write_members(came, is_object, layout, &spacing, &mut text)?;
            out.push(Edit::replace(gap.from as u32, gap.to as u32, text));
            return Ok(());
        };
        let indent = match gap.line_start(comment.start) {
            Some(start) => self.tree.slice(start, comment.start).to_string(),
            None => format!("{outer}{}", self.style.unit),
        };
        let (place, start) = if gap.has_line_break() {
            let ends_line = gap.breaks(comment.end, gap.to);
            let start = format!("{}{indent}", spacing.line_break);
            (Some(LinePlace { indent: &indent, ends_line }), start)
        } else {
            (None, " ".to_string())
        };
        let pieces = self.pieces(entries, came, place, &spacing)?;
        out.push(Edit::insert(comment.end as u32, separated_lines(&start, &pieces)));
        Ok(())
    }

    /// The new members as text; with a place, each will stand on a line of its own.
    fn pieces(
        &self,
        entries: &Entries<'_>,
        came: &[LiveMember<'_>],
        place: Option<LinePlace<'_>>,
        spacing: &Spacing,
    ) -> Result<Vec<Piece>, Refusal> {
        came.iter()
            .map(|member| {
                let layout = match place {
                    Some(place) if self.draft.kind(member.node) != SyntaxKind::Scalar => {
                        self.layout_on_own_line(entries, member.node, place.indent)
                    }
                    _ => Layout::Line,
                };
                let mut text = String::new();
                self.write_member(member, &layout, spacing, &mut text)?;
                if place.is_some_and(|place| place.ends_line) {
                    return Ok(Piece { text, comment: carry::at_line_end(self.tree, member.node) });
                }
                text.push_str(&carry::inside_line(self.tree, member.node));
                Ok(Piece { text, comment: String::new() })
            })
            .collect()
    }

    /// The indentation of a comma that starts a line.
    fn indent_of_comma(&self, gap: &Gap<'_>) -> Option<String> {
        let comma = gap.comma.filter(|_| gap.is_comma_leading())?;
        Some(self.tree.slice(gap.line_start(comma)?, comma).to_string())
    }

    /// The indentation of a member near `index` that starts a line, or what it would be.
    fn indent_near(&self, entries: &Entries<'_>, index: usize) -> String {
        let near = [index, index.saturating_sub(1), 0];
        let indent_at = |index: usize| {
            let gap = (index < entries.len()).then(|| entries.gap(index))?;
            Some(self.tree.slice(gap.line_start(gap.lead)?, gap.lead).to_string())
        };
        near.into_iter().find_map(indent_at).unwrap_or_else(|| {
            format!("{}{}", line_indent(self.tree, entries.open), self.style.unit)
        })
    }
}

/// One line per member, with commas between them.
fn separated_lines(start: &str, pieces: &[Piece]) -> String {
    let mut lines = String::new();
    for (nth, Piece { text, comment }) in pieces.iter().enumerate() {
        let comma = if nth + 1 < pieces.len() { "," } else { "" };
        lines.push_str(&format!("{start}{text}{comma}{comment}"));
    }
    lines
}

fn insert_on_line(index: usize, gap: &Gap<'_>, pieces: &[Piece], space: &str, out: &mut Vec<Edit>) {
    let (at, write): (usize, &dyn Fn(&Piece) -> String) = match gap.comma {
        _ if index == 0 => (gap.lead, &|Piece { text, .. }| format!("{text},{space}")),
        Some(comma) => (comma + 1, &|Piece { text, .. }| format!("{space}{text},")),
        None => (gap.own_end, &|Piece { text, .. }| format!(",{space}{text}")),
    };
    out.push(Edit::insert(at as u32, pieces.iter().map(write).collect::<String>()));
}

/// Whether blank lines stand between all members near one.
fn is_spaced(entries: &Entries<'_>, index: usize) -> bool {
    let near = index.saturating_sub(NEIGHBOURS).max(1)..entries.len().min(index + NEIGHBOURS);
    !near.is_empty() && near.into_iter().all(|index| entries.gap(index).has_blank_line())
}

/// How new lines are set apart.
#[derive(Clone, Copy)]
struct Lines<'a> {
    /// The line break and the indentation of a new line.
    start: &'a str,
    /// What makes a blank line, if members have one between them.
    blank_line: &'a str,
}

fn insert_lines(
    index: usize,
    gap: &Gap<'_>,
    pieces: &[Piece],
    Lines { start, blank_line }: Lines<'_>,
    is_comma_leading: bool,
    out: &mut Vec<Edit>,
) {
    let has_comma_on_line = gap.comma.is_some_and(|comma| comma < gap.own_end);
    let is_comma_leading = is_comma_leading || (gap.comma.is_some() && !has_comma_on_line);
    let (at, write): (usize, &dyn Fn(&Piece) -> String) = if index == 0 && is_comma_leading {
        (gap.lead, &|Piece { text, comment }| format!("{text}{comment}{start}, "))
    } else if is_comma_leading && !has_comma_on_line {
        (gap.own_end, &|Piece { text, comment }| format!("{start}, {text}{comment}"))
    } else if index == 0 {
        (gap.own_end, &|Piece { text, comment }| format!("{start}{text},{comment}{blank_line}"))
    } else if has_comma_on_line {
        (gap.own_end, &|Piece { text, comment }| format!("{blank_line}{start}{text},{comment}"))
    } else {
        // The last member gets the comma that it did not have; its own comments stay on its line.
        out.push(Edit::insert(gap.from as u32, ","));
        out.push(Edit::insert(
            gap.own_end as u32,
            separated_lines(&[blank_line, start].concat(), pieces),
        ));
        return;
    };
    out.push(Edit::insert(at as u32, pieces.iter().map(write).collect::<String>()));
}
