//! Literal and folded scalars.

use super::properties::PendingProperties;
use super::{Error, Parser};
use crate::class::{BREAK, is};
use crate::tree::{NodeKind, UNTERMINATED};

impl Parser<'_> {
    /// Reads the block scalar at `pos`, in a block collection at column `parent`, and moves to the line behind it.
    pub(super) fn block_scalar(
        &mut self,
        parent: i32,
        held: PendingProperties,
    ) -> Result<(), Error> {
        let start = self.pos;
        let kind = if self.at(start) == b'|' { NodeKind::Literal } else { NodeKind::Folded };
        let (explicit, keeps) = self.header()?;
        self.end_line()?;
        let first = self.pos;
        let indent = match explicit {
            Some(more) => parent.max(0) as usize + more,
            None => self.detect_indent(first, parent, start)?,
        };
        let mut line = first;
        let mut end = first;
        while line < self.bytes.len() {
            let n_spaces = self.count_spaces(line);
            let at = line + n_spaces.min(indent);
            let byte = self.at(at);
            if is(byte, BREAK) {
                line = self.after_break(at);
                continue;
            }
            if n_spaces < indent && byte == b'\t' {
                self.tab_line = Some(at);
                break;
            }
            if n_spaces < indent || (indent == 0 && self.is_marker_at(line)) {
                break;
            }
            line = self.after_break(self.find_break(at));
            end = line;
        }
        if keeps {
            end = line;
        }
        let ends_in_break = matches!(self.bytes.last(), Some(b'\n' | b'\r'));
        let is_unterminated = end >= self.bytes.len() && !ends_in_break;
        let is_flagged = is_unterminated && !self.options.break_at_end;
        let id = self.push(kind, start, end, if is_flagged { UNTERMINATED } else { 0 });
        self.tree.nodes[id as usize].link = indent as u32;
        self.attach(id, held);
        self.pos = line;
        Ok(())
    }

    /// The indentation that the header gives, and whether blank lines at the end are kept.
    fn header(&mut self) -> Result<(Option<usize>, bool), Error> {
        let (mut explicit, mut chomping) = (None, None);
        loop {
            self.pos += 1;
            match self.at(self.pos) {
                digit @ b'1'..=b'9' if explicit.is_none() => {
                    explicit = Some(usize::from(digit - b'0'));
                }
                sign @ (b'+' | b'-') if chomping.is_none() => chomping = Some(sign),
                b'0'..=b'9' | b'+' | b'-' => {
                    let message = "expected one digit from 1 to 9 and one of `+` and `-` at most";
                    return Err(self.fail(self.pos, message));
                }
                _ => return Ok((explicit, chomping == Some(b'+'))),
            }
        }
    }

    /// The indentation of the first line that is not blank.
    fn detect_indent(&self, first: usize, parent: i32, start: usize) -> Result<usize, Error> {
        let least = (parent + 1) as usize;
        let mut line = first;
        let mut blank = least;
        let mut blank_line = first;
        loop {
            let n_spaces = self.count_spaces(line);
            let at = line + n_spaces;
            let byte = self.at(at);
            if is(byte, BREAK) {
                if n_spaces > blank {
                    (blank, blank_line) = (n_spaces, line);
                }
                if byte == 0 {
                    return Ok(blank);
                }
                line = self.after_break(at);
                continue;
            }
            if n_spaces < least || (n_spaces == 0 && self.is_marker_at(line)) {
                return Ok(blank);
            }
            if blank > n_spaces {
                let message = format!(
                    "expected at most {n_spaces} spaces on a blank line before the first line of the scalar"
                );
                return Err(self.fail_in(blank_line, &message, "the scalar began", start));
            }
            return Ok(n_spaces);
        }
    }
}
