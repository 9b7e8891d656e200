//! Which tokens come and which go on the lines that edits touch.
//!
//! A token is the same one if it stands at the same place of the old text and reads the same. Whole lines are read, so
//! that what is put into a comment or a string is a part of it; of very long lines only what is near.

use std::collections::HashMap;
use std::ops::Range;

use edit::Edit;

use super::words::LanguageWords;

/// How far around an edit its line is read.
const MAX_AROUND: usize = 512;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    Word,
    Literal,
    Comment,
    Sign,
}

/// What happens on some lines that belong together.
#[derive(Debug)]
pub(super) struct Delta {
    pub(super) old: String,
    pub(super) new: String,
    pub(super) removed: Vec<(TokenKind, String)>,
    pub(super) added: Vec<(TokenKind, String)>,
    old_tokens: Vec<Token>,
    new_tokens: Vec<Token>,
}

#[derive(Clone, Debug)]
struct Token {
    kind: TokenKind,
    range: Range<usize>,
    /// Whether it is not in the other text.
    is_changed: bool,
    /// Whether a statement may start here.
    is_start: bool,
}

impl Delta {
    fn text<'a>(text: &'a str, token: &Token) -> &'a str {
        &text[token.range.clone()]
    }

    /// Whether the tokens stand one after the other more often than before.
    pub(super) fn n_rises(&self, pattern: &[&str]) -> bool {
        let count = |text: &str, tokens: &[Token]| {
            let is_match = |window: &&[Token]| {
                let mut pairs = window.iter().zip(pattern);
                pairs.all(|(token, wanted)| {
                    token.kind != TokenKind::Comment && Delta::text(text, token) == *wanted
                })
            };
            tokens.windows(pattern.len()).filter(is_match).count()
        };
        let n_new = count(&self.new, &self.new_tokens);
        n_new > 0 && n_new > count(&self.old, &self.old_tokens)
    }

    /// Whether a new statement declares a new name.
    pub(super) fn declares(&self, language: &LanguageWords) -> bool {
        let text = |it: &Token| Delta::text(&self.new, it);
        let starts = self.new_tokens.iter().enumerate().filter(|(_, it)| it.is_start);
        starts.into_iter().any(|(start, _)| {
            let statement = self.new_tokens[start..].iter();
            let mut rest = statement.skip_while(|it| language.modifiers.contains(&text(it)));
            let is_word = |it: &Token| it.kind == TokenKind::Word && it.is_changed;
            match (rest.next(), rest.next(), rest.next()) {
                (Some(first), Some(second), _)
                    if language.declarations.contains(&text(first)) && is_word(first) =>
                {
                    // A receiver or a type parameter may stand before the name.
                    is_word(second) || (second.is_changed && matches!(text(second), "(" | "<"))
                }
                (Some(first), Some(second), third) if language.has_members && is_word(first) => {
                    let is_colon = |it: &Token| it.is_changed && text(it) == ":";
                    let is_optional = text(second) == "?" && third.is_some_and(is_colon);
                    (is_colon(second) || is_optional) && self.ends_in_semicolon(start)
                }
                _ => false,
            }
        })
    }

    /// Whether the statement from this token on ends with a new semicolon.
    fn ends_in_semicolon(&self, start: usize) -> bool {
        let rest = &self.new_tokens[start..];
        let end = rest.iter().skip(1).position(|it| it.is_start).map_or(rest.len(), |it| it + 1);
        rest[..end].last().is_some_and(|it| it.is_changed && Delta::text(&self.new, it) == ";")
    }
}

/// A part of some lines.
enum Piece {
    Kept(String),
    Removed(String),
    Added(String),
}

/// What the edits do, by the lines that belong together. The edits are sorted and lie in the text, else they are of
/// another text and do nothing here.
pub(super) fn deltas(text: &[u8], edits: &[Edit], language: &LanguageWords) -> Vec<Delta> {
    let mut deltas = Vec::new();
    let mut left = edits;
    while let Some(first) = left.first() {
        let mut end = around(text, first.end as usize).end;
        let mut n_edits = 1;
        while let Some(next) = left.get(n_edits)
            && around(text, next.start as usize).start <= end
        {
            end = end.max(around(text, next.end as usize).end);
            n_edits += 1;
        }
        let (these, rest) = left.split_at(n_edits);
        let start = around(text, these[0].start as usize).start;
        deltas.extend(pieces(text, start..end, these).map(|it| delta(&it, language)));
        left = rest;
    }
    deltas
}

/// The line around an offset, or what of it is near.
fn around(text: &[u8], offset: usize) -> Range<usize> {
    let offset = offset.min(text.len());
    let first = offset.saturating_sub(MAX_AROUND);
    let last = offset.saturating_add(MAX_AROUND).min(text.len());
    let is_end = |it: &u8| *it == b'\n';
    let start = text[first..offset].iter().rposition(is_end).map_or(first, |it| first + it + 1);
    let end = text[offset..last].iter().position(is_end).map_or(last, |it| offset + it);
    start..end
}

fn pieces(text: &[u8], lines: Range<usize>, edits: &[Edit]) -> Option<Vec<Piece>> {
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut pieces = Vec::with_capacity(edits.len() * 3 + 1);
    let mut at = lines.start;
    for edit in edits {
        let (start, end) = (edit.start as usize, edit.end as usize);
        pieces.push(Piece::Kept(shown(text.get(at..start)?)));
        pieces.push(Piece::Removed(shown(text.get(start..end)?)));
        pieces.push(Piece::Added(shown(&edit.text)));
        at = end;
    }
    pieces.push(Piece::Kept(shown(text.get(at..lines.end.max(at))?)));
    Some(pieces)
}

fn delta(pieces: &[Piece], language: &LanguageWords) -> Delta {
    let (mut old, mut new) = (String::new(), String::new());
    // Where the kept parts stand, after and before.
    let mut kept: Vec<(Range<usize>, usize)> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Kept(text) => {
                kept.push((new.len()..new.len() + text.len(), old.len()));
                old.push_str(text);
                new.push_str(text);
            }
            Piece::Removed(text) => old.push_str(text),
            Piece::Added(text) => new.push_str(text),
        }
    }
    let (mut old_tokens, mut new_tokens) = (lex(&old, language), lex(&new, language));
    let places: HashMap<usize, usize> =
        old_tokens.iter().enumerate().map(|(idx, it)| (it.range.start, idx)).collect();
    for token in &mut new_tokens {
        let start = token.range.start;
        let part = kept.partition_point(|it| it.0.end <= start);
        let part = kept.get(part).filter(|it| it.0.start <= start);
        let before = part.map(|(part, before)| before + start - part.start);
        let Some(idx) = before.and_then(|it| places.get(&it).copied()) else { continue };
        let same = &mut old_tokens[idx];
        if old[same.range.clone()] == new[token.range.clone()] {
            same.is_changed = false;
            token.is_changed = false;
        }
    }
    let changed = |text: &str, tokens: &[Token]| {
        let changed = tokens.iter().filter(|it| it.is_changed);
        changed.map(|it| (it.kind, Delta::text(text, it).to_owned())).collect()
    };
    let removed = changed(&old, &old_tokens);
    let added = changed(&new, &new_tokens);
    Delta { old, new, removed, added, old_tokens, new_tokens }
}

fn lex(text: &str, language: &LanguageWords) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    let mut is_start = true;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            is_start |= first == '\n';
            at += first.len_utf8();
            continue;
        }
        let rest = &text[at..];
        let (kind, len) = comment(rest, language)
            .or_else(|| literal(rest, language))
            .or_else(|| word(rest))
            .unwrap_or((TokenKind::Sign, first.len_utf8()));
        tokens.push(Token { kind, range: at..at + len, is_changed: true, is_start });
        is_start = matches!(first, '{' | '}' | ';') && kind == TokenKind::Sign;
        at += len;
    }
    tokens
}

fn comment(rest: &str, language: &LanguageWords) -> Option<(TokenKind, usize)> {
    let line = || rest.find('\n').unwrap_or(rest.len());
    if language.line_comments.iter().any(|it| rest.starts_with(it)) {
        return Some((TokenKind::Comment, line()));
    }
    let (open, close) = language.block_comments.iter().find(|it| rest.starts_with(it.0))?;
    let end = rest[open.len()..].find(close).map(|it| open.len() + it + close.len());
    Some((TokenKind::Comment, end.unwrap_or(rest.len())))
}

/// A string on one line. What has no end on its line is an apostrophe, a lifetime or a part of something longer.
fn literal(rest: &str, language: &LanguageWords) -> Option<(TokenKind, usize)> {
    let quote = rest.chars().next().filter(|it| language.quotes.contains(it))?;
    let mut is_escaped = false;
    for (at, it) in rest.char_indices().skip(1) {
        match it {
            '\n' => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if it == quote => return Some((TokenKind::Literal, at + it.len_utf8())),
            _ => {}
        }
    }
    None
}

fn word(rest: &str) -> Option<(TokenKind, usize)> {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    let len = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
    (len > 0).then_some((TokenKind::Word, len))
}
