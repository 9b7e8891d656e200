//! New text: values in the style of the place where they go, and moved values with their own text.

use crate::draft::{Draft, LiveMember, Node};
use crate::json::carry;
use crate::json::lower::JsonLowering;
use crate::json::string;
use crate::json::style::{SHORT_ARRAY, line_indent};
use crate::refusal::{Refusal, RefusalReason};
use crate::source::{NodeId, SyntaxKind};
use crate::value::Value;

/// How the text of one value is laid out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    /// All on one line.
    Line,
    /// A member per line.
    Block {
        /// The indentation of the line on which the value starts.
        indent: String,
        /// Whether the last member gets a comma.
        trailing_comma: bool,
    },
}

/// The spacing of the place where new text goes.
#[derive(Clone, Debug)]
pub(super) struct Spacing {
    /// From the end of a key to its value.
    pub(super) colon: String,
    /// After a comma on one line.
    pub(super) space: String,
    pub(super) line_break: &'static str,
}

impl JsonLowering<'_> {
    /// Appends a member: its key, if it has one, and its value.
    pub(super) fn write_member(
        &self,
        member: &LiveMember<'_>,
        layout: &Layout,
        spacing: &Spacing,
        out: &mut String,
    ) -> Result<(), Refusal> {
        if let Some(key) = member.new_key {
            self.write_string(key, out);
            out.push_str(&spacing.colon);
        }
        self.write_value(member.node, layout, spacing, out)
    }

    pub(super) fn write_value(
        &self,
        node: Node,
        layout: &Layout,
        spacing: &Spacing,
        out: &mut String,
    ) -> Result<(), Refusal> {
        match (node, self.draft.new_scalar(node)) {
            (_, Some(scalar)) => self.write_scalar(scalar, out),
            (Node::Base(base), None) => self.write_moved(base, layout, out),
            (Node::New(_), None) => self.write_container(node, layout, spacing, out),
        }
    }

    pub(super) fn write_string(&self, text: &str, out: &mut String) {
        string::write(text, !text.is_ascii() && self.escapes_non_ascii(), out);
    }

    fn write_scalar(&self, value: &Value, out: &mut String) -> Result<(), Refusal> {
        match value {
            Value::Null => out.push_str("null"),
            Value::Bool(true) => out.push_str("true"),
            Value::Bool(false) => out.push_str("false"),
            Value::Number(number) if number.is_finite() => out.push_str(number.text()),
            Value::String(text) => self.write_string(text, out),
            other => {
                let what = inexpressible(other).unwrap_or("this value").to_string();
                return Err(Refusal::new(
                    RefusalReason::NotExpressible { format: "JSON", what },
                    0,
                ));
            }
        }
        Ok(())
    }

    fn write_container(
        &self,
        node: Node,
        layout: &Layout,
        spacing: &Spacing,
        out: &mut String,
    ) -> Result<(), Refusal> {
        let is_object = self.draft.kind(node) == SyntaxKind::Object;
        let members = self.draft.members(node).unwrap_or_default();
        let (open, close) = if is_object { ('{', '}') } else { ('[', ']') };
        out.push(open);
        if !members.is_empty() {
            self.write_members(&members, is_object, layout, spacing, out)?;
        }
        out.push(close);
        Ok(())
    }

    /// Appends what stands between the brackets of a container that is not empty.
    pub(super) fn write_members(
        &self,
        members: &[LiveMember<'_>],
        is_object: bool,
        layout: &Layout,
        spacing: &Spacing,
        out: &mut String,
    ) -> Result<(), Refusal> {
        match layout {
            Layout::Line => {
                let pad = if is_object { &self.style.object_pad } else { &self.style.array_pad };
                out.push_str(pad);
                for (nth, member) in members.iter().enumerate() {
                    if nth > 0 {
                        out.push(',');
                        out.push_str(&spacing.space);
                    }
                    self.write_member(member, layout, spacing, out)?;
                    out.push_str(&carry::inside_line(self.tree, member.node));
                }
                out.push_str(pad);
            }
            Layout::Block { indent, trailing_comma } => {
                let inner = Layout::Block {
                    indent: format!("{indent}{}", self.style.unit),
                    trailing_comma: *trailing_comma,
                };
                for (nth, member) in members.iter().enumerate() {
                    out.push_str(spacing.line_break);
                    out.push_str(indent);
                    out.push_str(&self.style.unit);
                    let is_on_line = self.is_short_array(member.node);
                    let layout = if is_on_line { &Layout::Line } else { &inner };
                    self.write_member(member, layout, spacing, out)?;
                    if nth + 1 < members.len() || *trailing_comma {
                        out.push(',');
                    }
                    out.push_str(&carry::at_line_end(self.tree, member.node));
                }
                out.push_str(spacing.line_break);
                out.push_str(indent);
            }
        }
        Ok(())
    }

    /// Whether a new value is an array that the text would have on one line.
    pub(super) fn is_short_array(&self, node: Node) -> bool {
        self.style.short_arrays_on_line
            && matches!(node, Node::New(_))
            && self.draft.kind(node) == SyntaxKind::Array
            && is_flat(self.draft, node)
            && self.draft.members(node).is_some_and(|it| it.len() <= SHORT_ARRAY)
    }

    /// Appends a value that stood elsewhere in the text, as it was written there but for its own changes; its
    /// lines follow the indentation of the new place.
    fn write_moved(&self, base: NodeId, layout: &Layout, out: &mut String) -> Result<(), Refusal> {
        let text = self.changed_text(base)?;
        let Layout::Block { indent, .. } = layout else {
            out.push_str(&text);
            return Ok(());
        };
        let old_indent = line_indent(self.tree, self.tree.at(base).start as usize);
        for (nth, line) in text.split_inclusive('\n').enumerate() {
            match line.strip_prefix(old_indent) {
                Some(rest) if nth > 0 && !rest.trim().is_empty() => {
                    out.push_str(indent);
                    out.push_str(rest);
                }
                _ => out.push_str(line),
            }
        }
        Ok(())
    }

    /// The text of a parsed value with the changes inside it.
    fn changed_text(&self, base: NodeId) -> Result<String, Refusal> {
        let span = self.tree.at(base);
        let mut edits = Vec::new();
        let indent = line_indent(self.tree, span.start as usize).to_string();
        let layout = Layout::Block { indent, trailing_comma: false };
        self.lower_inside(base, &layout, &mut edits)?;
        edits.sort_by_key(|edit| (edit.start, edit.end));
        let (mut text, mut copied) = (Vec::new(), span.start);
        let bytes = |from: u32, to: u32| {
            self.tree.bytes().get(from as usize..to as usize).unwrap_or_default()
        };
        for edit in &edits {
            text.extend_from_slice(bytes(copied, edit.start));
            text.extend_from_slice(&edit.text);
            copied = edit.end;
        }
        text.extend_from_slice(bytes(copied, span.end));
        String::from_utf8(text).map_err(|_| Refusal::new(RefusalReason::NotVerified, span.start))
    }
}

/// Whether a new container holds nothing but scalars and empty containers, so that a line can hold it.
pub(super) fn is_flat(draft: &Draft, node: Node) -> bool {
    let is_small = |member: &LiveMember<'_>| match member.node {
        Node::New(_) => draft.members(member.node).is_none_or(|it| it.is_empty()),
        Node::Base(_) => draft.kind(member.node) == SyntaxKind::Scalar,
    };
    draft.members(node).is_some_and(|members| members.iter().all(is_small))
}

/// What it is about a scalar that JSON has no text for.
pub(super) fn inexpressible(scalar: &Value) -> Option<&'static str> {
    match scalar {
        Value::Number(number) if !number.is_finite() => Some("a number that is not finite"),
        Value::Datetime(_) => Some("a date-time"),
        _ => None,
    }
}
