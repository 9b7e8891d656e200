//! Braces that are missing or too many, by how the lines are indented.

use clank_syntax::TokenKind as T;

use super::pieces::{PieceEdit, Pieces, applied};

/// A brace that was opened, and how far its line is indented.
struct Open {
    indent: usize,
    line: usize,
    /// Whether an arm of a `match` starts on its line.
    is_arm: bool,
}

/// The text with the braces that its indentation says, and how many were changed. Nothing if none is.
pub(super) fn by_indentation(text: &str) -> Option<(String, usize)> {
    let pieces = Pieces::new(text);
    let mut open: Vec<Open> = Vec::new();
    let mut edits: Vec<PieceEdit> = Vec::new();
    let mut at = 0;
    let mut line = 0;
    let mut depth = 0_usize;
    while at < pieces.len() {
        line += 1;
        let first = at;
        at += 1;
        while at < pieces.len() && !pieces.is_first(at) {
            at += 1;
        }
        let start = pieces.list[first].start;
        let line_start = text[..start].rfind('\n').map_or(0, |it| it + 1);
        let indent = start - line_start;
        let is_closing = pieces.kind(first) == T::RBrace;
        // What is no further in than the line of an open brace is not in it.
        let is_inside = |it: &Open| {
            it.line < line && if is_closing { indent < it.indent } else { indent <= it.indent }
        };
        while depth == 0 && open.last().is_some_and(is_inside) {
            let Some(closed) = open.pop() else { break };
            let blanks = " ".repeat(closed.indent);
            let mut before = text[..line_start].trim_end().len();
            let mut brace = format!("\n{blanks}}}");
            // An arm ends with its block.
            let is_arm = (first..at).any(|it| pieces.kind(it) == T::Arrow);
            if closed.is_arm && is_arm && indent == closed.indent {
                match text[..before].strip_suffix(',') {
                    Some(rest) => before = rest.len(),
                    None => brace.push(','),
                }
            }
            edits.push(PieceEdit::new(before..before, brace));
        }
        for place in first..at {
            match pieces.kind(place) {
                T::LBrace => {
                    let is_arm = (first..place).any(|it| pieces.kind(it) == T::Arrow);
                    open.push(Open { indent, line, is_arm });
                }
                T::RBrace => {
                    let is_extra = match open.last() {
                        None => true,
                        Some(it) if place == first => it.line < line && indent > it.indent,
                        // It would close what the next line is still in.
                        Some(it) => {
                            let own = it.indent;
                            let is_whole = pieces.kind(first) != T::RBrace
                                || (first..place).all(|it| pieces.kind(it) == T::RBrace);
                            it.line < line
                                && is_whole
                                && next_indent(text, &pieces, at).is_some_and(|it| it > own)
                        }
                    };
                    if is_extra {
                        let piece = pieces.list[place];
                        let is_alone = place == first && at == first + 1;
                        let from =
                            if is_alone { line_start.saturating_sub(1) } else { piece.start };
                        edits.push(PieceEdit::new(from..piece.end, ""));
                    } else {
                        open.pop();
                    }
                }
                T::LParen | T::LBracket => depth += 1,
                T::RParen | T::RBracket => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        // Brackets that are left open at the end of a line hold the lines behind it, unless a brace does.
        if open.last().is_some_and(|it| it.line == line) {
            depth = 0;
        }
    }
    for closed in open.iter().rev() {
        let end = text.trim_end().len();
        edits.push(PieceEdit::new(end..end, format!("\n{}}}", " ".repeat(closed.indent))));
    }
    let count = edits.len();
    (count > 0).then(|| (joined(text, edits), count))
}

/// How far the line is indented that starts with a piece.
fn next_indent(text: &str, pieces: &Pieces<'_>, at: usize) -> Option<usize> {
    let start = pieces.list.get(at)?.start;
    Some(start - text[..start].rfind('\n').map_or(0, |it| it + 1))
}

/// The same as [`applied`], where several are put in at one place in their order.
fn joined(text: &str, edits: Vec<PieceEdit>) -> String {
    let mut merged: Vec<PieceEdit> = Vec::new();
    for edit in edits {
        match merged.iter_mut().find(|it| it.start == edit.start && it.end == edit.end) {
            Some(same) => same.new.push_str(&edit.new),
            None => merged.push(edit),
        }
    }
    applied(text, merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = by_indentation(text).map_or(text.to_owned(), |it| it.0);
        assert_eq!(found, expected);
    }

    #[test]
    fn indentation_says_where_a_brace_belongs() {
        check("fn f() {\n  if a {\n    1\n  2\n}", "fn f() {\n  if a {\n    1\n  }\n  2\n}");
        check("fn f() {\n  if a {\n    1\n}", "fn f() {\n  if a {\n    1\n  }\n}");
        check("fn f() {\n  if a {\n    1\n  }\n  2", "fn f() {\n  if a {\n    1\n  }\n  2\n}");
        check(
            "fn f() {\n  if a {\n    1\n  }\n  }\n  2\n}",
            "fn f() {\n  if a {\n    1\n  }\n  2\n}",
        );
        check("fn f() {\n  for a in b { c } }\n  2\n}", "fn f() {\n  for a in b { c } \n  2\n}");
        let fine =
            "fn f() {\n  if a {\n    1\n  } else {\n    2\n  }\n  g(\\x -> {\n    x\n  })\n}";
        check(fine, fine);
    }
}
