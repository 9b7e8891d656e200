//! A text as the formatter sees it: tokens that mean something, the comments before each of them, and the runs of
//! blanks between these items. Only the runs ever change.

use std::ops::Range;

use crate::token::{TokenKind, Tokens};

/// No token, no group.
pub(super) const NONE: u32 = u32::MAX;

/// How many bytes have one entry in the index from offsets to items.
const BLOCK: usize = 16;

/// Stays where it is: at the start of a text.
const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// A token that is neither blank nor comment. The last one of a text is [`TokenKind::End`].
#[derive(Clone, Copy, Debug)]
pub(super) struct FormatToken {
    /// What it is for the layout: a prefix operator is always [`TokenKind::Not`].
    pub(super) kind: TokenKind,
    pub(super) start: u32,
    pub(super) end: u32,
    /// In characters; of one that spans lines the first and the last line.
    pub(super) width: u32,
    /// The other bracket.
    pub(super) mate: u32,
    /// Where its comments start; they end where those of the next item start.
    pub(super) comments: u32,
    /// How many lines end in the run right before it; 2 stands for more.
    pub(super) lines_before: u8,
    pub(super) spans_lines: bool,
}

/// A comment, without the blanks at its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct FormatComment {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) width: u32,
    pub(super) is_line: bool,
    pub(super) spans_lines: bool,
    /// As for [`FormatToken`].
    pub(super) lines_before: u8,
}

#[derive(Debug)]
pub(super) struct FormatTokens<'t> {
    pub(super) text: &'t str,
    pub(super) items: Vec<FormatToken>,
    comments: Vec<FormatComment>,
    /// Where the items start: after a byte order mark, or at the first item of a part of a text.
    pub(super) start: u32,
    /// By block of bytes from `start` on: the first item that ends after the block's start.
    first_of_block: Vec<u32>,
    /// Whether most line ends between items are `\r\n`.
    pub(super) is_crlf: bool,
}

impl<'t> FormatTokens<'t> {
    /// The items among these tokens, and an end behind them.
    pub(super) fn new(tokens: &'t Tokens, range: Range<usize>, is_crlf: bool) -> FormatTokens<'t> {
        let text = tokens.source();
        let own = &tokens.as_slice()[range.clone()];
        let n_items = own.iter().filter(|it| !it.kind.is_trivia()).count() + 1;
        let start = match range.start {
            0 if text.starts_with(BYTE_ORDER_MARK) => BYTE_ORDER_MARK.len_utf8() as u32,
            first => tokens.span(first).start,
        };
        let n_bytes = tokens.span(range.end).start.saturating_sub(start) as usize;
        let mut it = FormatTokens {
            text,
            items: Vec::with_capacity(n_items),
            comments: Vec::new(),
            start,
            first_of_block: Vec::with_capacity(n_bytes.div_ceil(BLOCK)),
            is_crlf,
        };
        it.read(tokens, range);
        it.match_brackets();
        it
    }

    fn read(&mut self, tokens: &Tokens, range: Range<usize>) {
        let mut first_comment = 0;
        let end = tokens.span(range.end).start;
        // Then every character is a byte wide.
        let own = self.text.as_bytes().get(self.start as usize..end as usize);
        let is_ascii = own.is_some_and(<[u8]>::is_ascii);
        // Where the run before the next item starts.
        let mut run = self.start;
        for index in range.start..=range.end {
            let kind = if index < range.end { tokens.kind(index) } else { TokenKind::End };
            if kind == TokenKind::Whitespace {
                continue;
            }
            let (start, end) = match kind {
                TokenKind::End => (end, end),
                _ => {
                    let span = tokens.span(index);
                    (span.start, span.end)
                }
            };
            let lines_before = line_ends(&self.text.as_bytes()[run as usize..start as usize]);
            if kind.is_trivia() {
                let text = &self.text[start as usize..end as usize];
                let is_line = kind == TokenKind::LineComment;
                let text = if is_line { text.trim_end_matches([' ', '\t', '\r']) } else { text };
                let end = start + text.len() as u32;
                let (width, spans_lines) =
                    if is_line { (characters(text), false) } else { width(text) };
                self.comments.push(FormatComment {
                    start,
                    end,
                    width,
                    is_line,
                    spans_lines,
                    lines_before,
                });
                run = end;
                continue;
            }
            let item = self.items.len() as u32;
            let n_blocks = ((end - self.start) as usize).div_ceil(BLOCK);
            if n_blocks > self.first_of_block.len() {
                self.first_of_block.resize(n_blocks, item);
            }
            let (width, spans_lines) = match kind {
                TokenKind::MultilineStr | TokenKind::Template => {
                    width(&self.text[start as usize..end as usize])
                }
                _ if is_ascii => (end - start, false),
                _ => (characters(&self.text[start as usize..end as usize]), false),
            };
            self.items.push(FormatToken {
                kind,
                start,
                end,
                width,
                mate: NONE,
                comments: first_comment,
                lines_before,
                spans_lines,
            });
            first_comment = self.comments.len() as u32;
            run = end;
        }
    }

    fn match_brackets(&mut self) {
        let mut open = Vec::new();
        for index in 0..self.items.len() {
            match self.items[index].kind {
                TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => open.push(index),
                TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                    if let Some(mate) = open.pop() {
                        self.items[index].mate = mate as u32;
                        self.items[mate].mate = index as u32;
                    }
                }
                _ => {}
            }
        }
    }

    /// What an item is; [`TokenKind::End`] before the first one and after the last one.
    pub(super) fn kind(&self, item: u32) -> TokenKind {
        self.items.get(item as usize).map_or(TokenKind::End, |it| it.kind)
    }

    /// The item that starts at an offset. There is none in the middle of a template.
    pub(super) fn starting_at(&self, offset: u32) -> Option<u32> {
        let item = self.first_after(offset)?;
        (self.items[item as usize].start == offset).then_some(item)
    }

    /// The item that ends at an offset.
    pub(super) fn ending_at(&self, offset: u32) -> Option<u32> {
        let item = self.first_after(offset.checked_sub(1)?)?;
        let FormatToken { start, end, .. } = self.items[item as usize];
        // The end of the text has no bytes: nothing ends with it.
        (start < offset && end == offset).then_some(item)
    }

    /// The first item that ends after an offset.
    fn first_after(&self, offset: u32) -> Option<u32> {
        let first = *self.first_of_block.get(offset.checked_sub(self.start)? as usize / BLOCK)?;
        let items = self.items.get(first as usize..)?;
        let place = items.iter().position(|it| it.end > offset)?;
        Some(first + place as u32)
    }

    /// The comments right before an item.
    pub(super) fn comments_before(&self, item: u32) -> &[FormatComment] {
        let first = self.items[item as usize].comments as usize;
        // The comments after the last token are those before the end.
        let last = self
            .items
            .get(item as usize + 1)
            .map_or(self.comments.len(), |it| it.comments as usize);
        &self.comments[first..last]
    }

    /// How many lines end in the run right after an item; 2 stands for more.
    pub(super) fn lines_after(&self, item: u32) -> u8 {
        let next = item + 1;
        match self.comments_before(next).first() {
            Some(comment) => comment.lines_before,
            None => self.items[next as usize].lines_before,
        }
    }
}

/// How many lines end in a run; 2 stands for more.
fn line_ends(run: &[u8]) -> u8 {
    if run.len() <= 1 {
        return u8::from(run == b"\n");
    }
    run.iter().filter(|it| **it == b'\n').take(2).count() as u8
}

/// Whether most line ends between items are `\r\n`.
pub(super) fn is_crlf(tokens: &Tokens) -> bool {
    let text = tokens.source().as_bytes();
    if !text.contains(&b'\r') {
        return false;
    }
    let (mut crlf, mut lf) = (0_usize, 0_usize);
    for index in (0..tokens.len()).filter(|it| tokens.kind(*it) == TokenKind::Whitespace) {
        let span = tokens.span(index);
        for at in (span.start as usize..span.end as usize).filter(|it| text[*it] == b'\n') {
            match at.checked_sub(1).map(|before| text[before]) {
                Some(b'\r') => crlf += 1,
                _ => lf += 1,
            }
        }
    }
    crlf > lf
}

/// The width of what may span lines, and whether it does.
fn width(text: &str) -> (u32, bool) {
    match (text.find('\n'), text.rfind('\n')) {
        (Some(first), Some(last)) => {
            (characters(&text[..first]) + characters(&text[last + 1..]), true)
        }
        _ => (characters(text), false),
    }
}

pub(super) fn characters(text: &str) -> u32 {
    if text.is_ascii() { text.len() as u32 } else { text.chars().count() as u32 }
}
