//! Clank as a language of files: what their names end with, where their comments are, and what cannot be read.

use std::ops::Range;

use check::Language;
use clank_syntax::TokenKind;
use edit::Text;

/// What the names of programs end with.
pub const EXTENSION: &str = "clank";

/// What others have to know about Clank to keep its comments and its syntax.
pub const LANGUAGE: Language =
    Language { name: "Clank", extensions: &[EXTENSION], comments, fault };

/// Whether a file with this path is a program.
pub fn is_program(path: &str) -> bool {
    stem(path).is_some()
}

/// The path of a program without its extension; `None` if it is not a program.
pub fn stem(path: &str) -> Option<&str> {
    let stem = path.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    (!stem.is_empty() && !stem.ends_with('/')).then_some(stem)
}

/// Why a text is not a program: the first thing that cannot be read.
fn fault(text: &Text) -> Option<String> {
    let Ok(text) = std::str::from_utf8(text.bytes()) else { return Some("it is not UTF-8".into()) };
    clank_syntax::parse("", text).errors.first().map(|it| it.message.clone())
}

/// Where the comments of a program are.
fn comments(text: &Text) -> Vec<Range<u32>> {
    let Ok(text) = std::str::from_utf8(text.bytes()) else { return Vec::new() };
    let (tokens, _) = clank_syntax::lex(text);
    let is_comment =
        |it: &usize| matches!(tokens.kind(*it), TokenKind::LineComment | TokenKind::BlockComment);
    let spans = (0..tokens.len()).filter(is_comment).map(|it| tokens.span(it));
    spans.map(|it| it.start..it.end).collect()
}
