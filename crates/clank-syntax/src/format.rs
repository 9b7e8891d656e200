//! The canonical layout of a program: two blanks a step, lines of at most 100 characters, and every token and comment as
//! it was written, in its order.
//!
//! Only the blanks between tokens and comments are chosen, by the tree: what a node is decides where its lines may
//! break, and a line breaks where it has to. A program is laid out in time proportional to its length, however deep or
//! long it is, and a layout laid out again is the same.
//!
//! What it refuses: a text with syntax errors, and to change anything but blanks. If the result did not have the same
//! tokens, the text would be left as it is.

mod chunk;
mod guide;
mod items;
mod layout;
mod spacing;

use edit::{Edit, EditSet, Text};

use crate::ast::Ast;
use crate::lexer::lex;
use crate::parse::Parsed;
use crate::token::{TokenKind, Tokens};
use chunk::{Chunk, chunks};
use items::{FormatTokens, is_crlf};
use layout::BlankChange;

/// How much text is laid out at a time: so much that what is known about it stays near the processor.
const CHUNK_BYTES: u32 = 32 << 10;

/// The text in canonical layout, or nothing if it has syntax errors.
pub fn format(parsed: &Parsed) -> Option<String> {
    let plan = parsed.errors.is_empty().then(|| plan(&parsed.ast, &parsed.tokens))?;
    Some(plan.formatted.unwrap_or_else(|| parsed.tokens.source().to_owned()))
}

/// The edits that make the canonical layout: one for every run of blanks between tokens and comments that is to be
/// another. Nothing if there are syntax errors, if `text` is not the text that was parsed, or if the result is too long.
///
/// ```
/// use clank_syntax::{format_edits, parse};
/// use edit::Text;
///
/// let text = Text::new("fn a()->Int { 1 }\n");
/// let parsed = parse("a.clank", "fn a()->Int { 1 }\n");
/// let edits = format_edits(&text, &parsed).expect("it has no syntax errors");
/// assert_eq!(edits.apply(&text)?.bytes(), b"fn a() -> Int { 1 }\n");
/// # Ok::<(), edit::EditError>(())
/// ```
pub fn format_edits(text: &Text, parsed: &Parsed) -> Option<EditSet> {
    parsed.errors.is_empty().then(|| layout_edits(text, &parsed.ast, &parsed.tokens))?
}

/// The same for a tree and its tokens, which must be those of one text without syntax errors.
pub fn layout_edits(text: &Text, ast: &Ast, tokens: &Tokens) -> Option<EditSet> {
    if text.bytes() != tokens.source().as_bytes() {
        return None;
    }
    let plan = plan(ast, tokens);
    let edits = plan.changes.iter().map(|it| lower(it, plan.is_crlf)).collect();
    EditSet::new(text, edits).ok()
}

/// Whether the text is in canonical layout; nothing if it has syntax errors.
///
/// ```
/// use clank_syntax::{is_formatted, parse};
///
/// assert_eq!(is_formatted(&parse("a.clank", "fn a() -> Int { 1 }\n")), Some(true));
/// assert_eq!(is_formatted(&parse("a.clank", "fn a()->Int { 1 }\n")), Some(false));
/// assert_eq!(is_formatted(&parse("a.clank", "fn a( { 1 }\n")), None);
/// ```
pub fn is_formatted(parsed: &Parsed) -> Option<bool> {
    parsed.errors.is_empty().then(|| plan(&parsed.ast, &parsed.tokens).formatted.is_none())
}

/// What to change in a text.
struct Plan {
    changes: Vec<BlankChange>,
    is_crlf: bool,
    /// The text afterwards, if it is another one.
    formatted: Option<String>,
}

fn plan(ast: &Ast, tokens: &Tokens) -> Plan {
    let (changes, is_crlf) = changes(ast, tokens);
    if !changes.is_empty() {
        let formatted = apply(tokens.source(), &changes, is_crlf);
        if has_same_tokens(tokens, &formatted) {
            return Plan { changes, is_crlf, formatted: Some(formatted) };
        }
        debug_assert!(false, "a token changed");
    }
    Plan { changes: Vec::new(), is_crlf, formatted: None }
}

fn changes(ast: &Ast, tokens: &Tokens) -> (Vec<BlankChange>, bool) {
    changes_by_chunks(ast, tokens, CHUNK_BYTES)
}

fn changes_by_chunks(ast: &Ast, tokens: &Tokens, n_bytes: u32) -> (Vec<BlankChange>, bool) {
    let is_crlf = is_crlf(tokens);
    let mut changes = Vec::new();
    for chunk in chunks(ast, tokens, n_bytes) {
        let found = changes_of(ast, tokens, &chunk, is_crlf);
        changes.extend(found.into_iter().filter(|it| chunk.decides.contains(&it.start)));
    }
    (changes, is_crlf)
}

fn changes_of(ast: &Ast, tokens: &Tokens, chunk: &Chunk<'_>, is_crlf: bool) -> Vec<BlankChange> {
    let mut items = FormatTokens::new(tokens, chunk.tokens.clone(), is_crlf);
    let is_empty = items.items.len() == 1 && items.comments_before(0).is_empty();
    if is_empty {
        // Nothing but blanks is nothing.
        let (start, end) = (items.start, items.text.len() as u32);
        let change = BlankChange { start, end, lines: 0, blanks: 0 };
        return if start < end { vec![change] } else { Vec::new() };
    }
    let guide = guide::guide(ast, chunk, &mut items);
    layout::layout(&items, &guide)
}

fn lower(change: &BlankChange, is_crlf: bool) -> Edit {
    let mut space = String::new();
    write_space(&mut space, change, is_crlf);
    Edit::replace(change.start, change.end, space)
}

fn apply(source: &str, changes: &[BlankChange], is_crlf: bool) -> String {
    let mut out = String::with_capacity(source.len() + source.len() / 8);
    let mut from = 0;
    for change in changes {
        out.push_str(&source[from..change.start as usize]);
        write_space(&mut out, change, is_crlf);
        from = change.end as usize;
    }
    out.push_str(&source[from..]);
    out
}

fn write_space(out: &mut String, change: &BlankChange, is_crlf: bool) {
    for _ in 0..change.lines {
        out.push_str(if is_crlf { "\r\n" } else { "\n" });
    }
    out.extend(std::iter::repeat_n(' ', change.blanks as usize));
}

/// Whether a text has the same tokens and comments, but for blanks between them and at the end of line comments.
fn has_same_tokens(tokens: &Tokens, text: &str) -> bool {
    let (others, errors) = lex(text);
    let significant = |it: &(TokenKind, &str)| it.0 != TokenKind::Whitespace;
    let trimmed = |(kind, text): (TokenKind, &'_ str)| match kind {
        TokenKind::LineComment => (kind, text.trim_end().len()),
        _ => (kind, text.len()),
    };
    let mut old = tokens.iter().filter(significant);
    let mut new = others.iter().filter(significant);
    loop {
        match (old.next(), new.next()) {
            (None, None) => return errors.is_empty(),
            (Some(old), Some(new)) => {
                let (old_end, new_end) = (trimmed(old), trimmed(new));
                if old_end != new_end || old.1[..old_end.1] != new.1[..new_end.1] {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAMS: [&str; 3] = [
        include_str!("../tests/programs/bank.clank"),
        include_str!("../tests/programs/machine.clank"),
        include_str!("../tests/programs/tokenizer.clank"),
    ];

    /// How a text is cut into chunks cannot be seen in its layout.
    #[track_caller]
    fn check(text: &str, is_canonical: bool) {
        let parsed = crate::parse("a.clank", text);
        assert_eq!(parsed.errors, [], "{text}");
        let whole = changes_by_chunks(&parsed.ast, &parsed.tokens, u32::MAX);
        assert_eq!(whole.0.is_empty(), is_canonical, "{text}");
        for n_bytes in [1, 100, 1_000] {
            let cut = changes_by_chunks(&parsed.ast, &parsed.tokens, n_bytes);
            assert_eq!(cut, whole, "chunks of {n_bytes} bytes of\n{text}");
        }
    }

    #[test]
    fn chunks_are_laid_out_like_the_whole() {
        for program in PROGRAMS {
            check(program, true);
            let squeezed: String =
                program.lines().map(|it| it.trim_start()).collect::<Vec<_>>().join("\n");
            check(&squeezed, false);
            check(&squeezed.replace("\n\n", "\n"), false);
            check(&program.replace("\n\n", "\n\n\n\n"), false);
            check(&program.replace('\n', "\r\n\r\n"), false);
            check(&format!("\u{FEFF}\n\n{program}\n\n"), false);
            check(&program.replace("\n}\n", "\n} // end\n/* a */ // b\n\n\n// c\n"), false);
        }
    }

    #[test]
    fn short_declarations_in_chunks_stand_close_together() {
        check("use a\nuse b\n\ntype C = Int\n", true);
        check("use a\nuse b\n\nfn f() -> Int {\n  1\n}\n", true);
        check("use a use b fn f() -> Int {\n  1\n}\ntype C = Int type D = Str\n\n\n", false);
        check("// nothing\n", true);
        check("\n\n", false);
    }
}
