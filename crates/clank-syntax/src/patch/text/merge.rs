//! The bytes between two nodes that stay: the tokens that differ are put in, the others stay as they were written, with
//! the blanks and comments between them.

use edit::Edit;

use crate::lexer::lex;
use crate::span::Span;
use crate::token::TokenKind;

/// What is between two nodes that stay.
pub(super) struct Segment<'a> {
    pub(super) span: Span,
    /// The printed text of what was there.
    pub(super) base: &'a str,
    /// The printed text of what is to be there.
    pub(super) wanted: &'a str,
    /// The indentation of the line on which the node around it starts.
    pub(super) indent: &'a str,
    /// Whether what goes is deleted, with the comments in it, and not replaced.
    pub(super) is_deletion: bool,
    /// Whether what was printed the same before and after stays as it was written.
    pub(super) is_lenient: bool,
}

/// A token or comment with its bytes in its text.
#[derive(Clone, Copy, Debug)]
struct Item<'a> {
    kind: TokenKind,
    text: &'a str,
    start: usize,
    end: usize,
}

/// A text in tokens and comments.
struct Lexed<'a> {
    text: &'a str,
    tokens: Vec<Item<'a>>,
    comments: Vec<Item<'a>>,
}

fn lexed(text: &str) -> Lexed<'_> {
    let (all, _) = lex(text);
    let (mut tokens, mut comments) = (Vec::new(), Vec::new());
    for index in 0..all.len() {
        let span = all.span(index);
        let (start, end) = (span.start as usize, span.end as usize);
        let kind = all.kind(index);
        let item = Item { kind, text: &text[start..end], start, end };
        match kind {
            TokenKind::Whitespace => {}
            TokenKind::LineComment | TokenKind::BlockComment => comments.push(item),
            _ => tokens.push(item),
        }
    }
    Lexed { text, tokens, comments }
}

/// Whether two tokens say the same: spellings of one symbol do.
fn is_same(a: &Item<'_>, b: &Item<'_>) -> bool {
    let has_own_text = matches!(
        a.kind,
        TokenKind::Ident
            | TokenKind::TypeIdent
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Str
            | TokenKind::Template
    );
    a.kind == b.kind && (!has_own_text || a.text == b.text)
}

fn are_same(a: &[Item<'_>], b: &[Item<'_>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
}

/// The edits of one segment, at most two.
pub(super) fn merge(text: &str, segment: &Segment<'_>) -> Vec<Edit> {
    let old = lexed(&text[segment.span.start as usize..segment.span.end as usize]);
    let base = lexed(segment.base);
    let mut wanted = lexed(segment.wanted);
    if are_same(&old.tokens, &wanted.tokens) {
        return Vec::new();
    }
    // What may be written or not stays as it was.
    if segment.is_lenient && are_same(&base.tokens, &wanted.tokens) && wanted.comments.is_empty() {
        return Vec::new();
    }
    if has_last_comma(&base) && !has_last_comma(&old) && has_last_comma(&wanted) {
        wanted.tokens.remove(wanted.tokens.len() - 2);
    }
    let n_before = common(old.tokens.iter(), wanted.tokens.iter(), usize::MAX);
    let n_left = (old.tokens.len() - n_before).min(wanted.tokens.len() - n_before);
    let n_after = common(old.tokens.iter().rev(), wanted.tokens.iter().rev(), n_left);
    let change = TokenChange {
        old: &old,
        wanted: &wanted,
        n_before,
        n_after,
        indent: segment.indent,
        is_at_start: segment.span.start == 0,
        is_deletion: segment.is_deletion,
    };
    let shift = segment.span.start;
    let lower =
        |(start, end, new): Replaced| Edit::replace(shift + start as u32, shift + end as u32, new);
    if let Some(edits) = change.insertion_around_comments() {
        return edits.into_iter().map(lower).collect();
    }
    vec![lower(match (change.gone().is_empty(), change.come().is_empty()) {
        (true, true) => return Vec::new(),
        (true, false) => change.insertion(),
        (false, true) => change.deletion(),
        (false, false) => change.replacement(),
    })]
}

/// Whether a list ends with a comma before its brace.
fn has_last_comma(it: &Lexed<'_>) -> bool {
    matches!(
        it.tokens.as_slice(),
        [.., Item { kind: TokenKind::Comma, .. }, Item { kind: TokenKind::RBrace, .. }]
    )
}

/// How many tokens two texts start with in common.
fn common<'a>(
    a: impl Iterator<Item = &'a Item<'a>>,
    b: impl Iterator<Item = &'a Item<'a>>,
    most: usize,
) -> usize {
    a.zip(b).take(most).take_while(|(a, b)| is_same(a, b)).count()
}

/// Bytes of the old text and what comes instead.
type Replaced = (usize, usize, String);

#[derive(Clone, Copy)]
struct TokenChange<'a> {
    old: &'a Lexed<'a>,
    wanted: &'a Lexed<'a>,
    /// How many tokens stay at the start and at the end.
    n_before: usize,
    n_after: usize,
    indent: &'a str,
    is_at_start: bool,
    is_deletion: bool,
}

impl<'a> TokenChange<'a> {
    fn gone(&self) -> &'a [Item<'a>] {
        &self.old.tokens[self.n_before..self.old.tokens.len() - self.n_after]
    }

    fn come(&self) -> &'a [Item<'a>] {
        &self.wanted.tokens[self.n_before..self.wanted.tokens.len() - self.n_after]
    }

    /// Where the last token before the change ends, and where the first one after it starts.
    fn edges(&self, of: &Lexed<'_>) -> (usize, usize) {
        let before = self.n_before.checked_sub(1).map_or(0, |it| of.tokens[it].end);
        let after = of.tokens.len() - self.n_after;
        (before, of.tokens.get(after).map_or(of.text.len(), |it| it.start))
    }

    /// What comes, with its comments, and the blanks around it.
    fn new_text(&self) -> (&'a str, &'a str, &'a str) {
        let (before, after) = self.edges(self.wanted);
        let inside = &self.wanted.text[before..after];
        let lead = inside.len() - inside.trim_start().len();
        let comment = self.wanted.comments.iter().rfind(|it| it.start >= before && it.end <= after);
        let last = self.come().last().map_or(0, |it| it.end).max(comment.map_or(0, |it| it.end));
        let end = last.saturating_sub(before).max(lead);
        let trail = inside[end..].trim_start_matches(',');
        (&inside[..lead], &inside[lead..end], trail)
    }

    /// A new text with its lines indented like the node that they are in.
    fn indented(&self, text: &str) -> String {
        with_lines(text, |n_lines, blanks| {
            format!("{}{}{}", "\n".repeat(n_lines), self.indent, " ".repeat(blanks))
        })
    }

    /// Where the comments end that follow something on its line.
    fn end_of_line_comments(&self, from: usize, to: usize) -> usize {
        let mut end = from;
        for comment in self.old.comments.iter().filter(|it| it.start >= from && it.end <= to) {
            if self.old.text[end..comment.start].contains('\n') {
                break;
            }
            end = comment.end;
        }
        // A comment that something else follows on its line belongs to that.
        let rest = &self.old.text[end..to];
        if rest.contains('\n') { end } else { from }
    }

    fn insertion(&self) -> Replaced {
        let (start, end) = self.edges(self.old);
        let gap = &self.old.text[start..end];
        let (lead, new, trail) = self.new_text();
        if self.is_at_start && self.n_before == 0 {
            return (start, start, format!("{}{}", self.indented(new), self.indented(trail)));
        }
        let has_comments = gap.contains("//") || gap.contains("/*");
        if !gap.contains('\n') && !has_comments {
            let is_whole = self.old.tokens.is_empty() && gap.is_empty();
            let shown = match is_whole {
                true => [lead, new, trail].map(|it| self.indented(it)),
                false => [one_line(lead), self.short(new), one_line(trail)],
            };
            return (start, end, shown.concat());
        }
        let at = self.end_of_line_comments(start, end);
        let rest = &self.old.text[at..end];
        if !lead.contains('\n') {
            let space = if rest.is_empty() { trail } else { "" };
            return (at, at, format!("{}{}{space}", self.indented(lead), self.indented(new)));
        }
        let trail = if rest.contains('\n') { String::new() } else { self.indented(trail) };
        match self.line_of_next(rest) {
            Some(line) => {
                // On a line of its own, indented like the next one.
                let own = lead.rsplit('\n').next().map_or(0, str::len);
                let n_more = lead.matches('\n').count().saturating_sub(1);
                let new = with_lines(new, |n_lines, blanks| {
                    let blanks = " ".repeat(blanks.saturating_sub(own));
                    format!("{}{line}{blanks}", "\n".repeat(n_lines))
                });
                (at, at, format!("{}\n{line}{new}{trail}", "\n".repeat(n_more)))
            }
            None => (at, at, format!("{}{}{trail}", self.indented(lead), self.indented(new))),
        }
    }

    /// A `;` or `,` and what follows it, with comments that stay between the two.
    fn insertion_around_comments(&self) -> Option<[Replaced; 2]> {
        let (first, others) = self.come().split_first()?;
        let is_separator = matches!(first.kind, TokenKind::Semi | TokenKind::Comma);
        let (start, end) = self.edges(self.old);
        let has_comments = self.end_of_line_comments(start, end) > start;
        if !self.gone().is_empty() || !is_separator || !has_comments || others.is_empty() {
            return None;
        }
        // What follows goes where it would if the separator had been there.
        let mut tokens = self.old.tokens.clone();
        tokens.insert(self.n_before, Item { start, end: start, ..*first });
        let old = Lexed { text: self.old.text, tokens, comments: self.old.comments.clone() };
        let rest = TokenChange { old: &old, n_before: self.n_before + 1, ..*self };
        Some([(start, start, first.text.to_owned()), rest.insertion()])
    }

    /// The indentation of what follows, if that is in the same list.
    fn line_of_next(&self, gap: &'a str) -> Option<&'a str> {
        let next = self.old.tokens.get(self.old.tokens.len() - self.n_after);
        let is_last = next.is_some_and(|it| {
            matches!(it.kind, TokenKind::RBrace | TokenKind::RParen | TokenKind::RBracket)
        });
        let line = gap.rfind('\n').filter(|_| !is_last).map(|it| &gap[it + 1..])?;
        Some(&line[..line.len() - line.trim_start_matches([' ', '\t']).len()])
    }

    /// A new text on one line, if it is short.
    fn short(&self, text: &str) -> String {
        let is_short = text.len() <= 60 && !text.contains("//");
        match is_short {
            true => with_lines(text, |_, _| " ".to_owned()),
            false => self.indented(text),
        }
    }

    fn deletion(&self) -> Replaced {
        let (start, end) = self.edges(self.old);
        let (Some(first), Some(last)) = (self.gone().first(), self.gone().last()) else {
            return (start, start, String::new());
        };
        let left = self.comments_within(first, last);
        if !self.is_deletion && !left.is_empty() {
            return (first.start, last.end, left.trim_end_matches(' ').to_owned());
        }
        let from = self.last_comment_end(start, first.start);
        let to = match self.is_deletion {
            true => self.end_of_line_comments(last.end, end),
            false => last.end,
        };
        let (lead, trail) = (&self.old.text[from..first.start], &self.old.text[to..end]);
        let is_blank = |it: &str| it.chars().all(char::is_whitespace);
        if self.is_at_start && from == 0 && is_blank(trail) {
            return (from, end, String::new());
        }
        // What is left may have to be kept apart.
        let (apart, _, _) = self.new_text();
        if lead.is_empty() && is_blank(trail) && !trail.contains('\n') {
            return (from, end, one_line(apart));
        }
        if trail.is_empty() && !apart.is_empty() {
            return (first.start, to, String::new());
        }
        // Where a comment was, the rest of its line is over.
        let ends_line = from > start && self.old.text[start..from].trim_start().starts_with("//");
        if ends_line && !trail.contains('\n') {
            return (first.start, to, String::new());
        }
        (from, to, String::new())
    }

    fn last_comment_end(&self, from: usize, to: usize) -> usize {
        let in_gap = |it: &&Item<'_>| it.start >= from && it.end <= to;
        self.old.comments.iter().rfind(in_gap).map_or(from, |it| it.end)
    }

    /// The comments between tokens that go, but for those that come again in what is put in.
    fn comments_within(&self, first: &Item<'_>, last: &Item<'_>) -> String {
        let mut out = String::new();
        let inside = |it: &&Item<'_>| it.start > first.start && it.end < last.end;
        for comment in self.old.comments.iter().filter(inside) {
            if self.wanted.comments.iter().any(|it| it.text == comment.text) {
                continue;
            }
            out.push_str(comment.text);
            match comment.kind {
                TokenKind::LineComment => out.push_str(&format!("\n{}  ", self.indent)),
                _ => out.push(' '),
            }
        }
        out
    }

    fn replacement(&self) -> Replaced {
        let (start, end) = self.edges(self.old);
        let (Some(first), Some(last)) = (self.gone().first(), self.gone().last()) else {
            return self.insertion();
        };
        let (lead, new, trail) = self.new_text();
        let mut out = String::new();
        if first.start == start && !lead.is_empty() {
            out.push_str(if lead.contains('\n') { " " } else { lead });
        }
        out.push_str(&self.comments_within(first, last));
        out.push_str(&self.indented(new));
        if last.end == end && !trail.is_empty() {
            out.push_str(if trail.contains('\n') { " " } else { trail });
        }
        (first.start, last.end, out)
    }
}

fn one_line(blanks: &str) -> String {
    if blanks.contains('\n') { " ".to_owned() } else { blanks.to_owned() }
}

/// A text whose line ends are made anew, from how many there are and how many blanks follow. Those in tokens and
/// comments stay.
fn with_lines(text: &str, line: impl Fn(usize, usize) -> String) -> String {
    if !text.contains('\n') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (kind, text) in lex(text).0.iter() {
        match text.rsplit_once('\n') {
            Some((_, blanks)) if kind == TokenKind::Whitespace => {
                out.push_str(&line(text.matches('\n').count(), blanks.len()));
            }
            _ => out.push_str(text),
        }
    }
    out
}
