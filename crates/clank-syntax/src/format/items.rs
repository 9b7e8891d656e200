//! A text as the formatter sees it: tokens that mean something, the comments before each of them, and the runs of
//! blanks between these items. Only the runs ever change.

use crate::token::{TokenKind, Tokens};

/// No token, no group.
pub(super) const NONE: u32 = u32::MAX;

/// How many bytes have one entry in the index from offsets to items.
const BLOCK: usize = 16;

/// Stays where it is: at the start of a text.
const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// A token that is neither blank nor comment. The last one of a text is [`TokenKind::End`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
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
pub(super) struct Comment {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) width: u32,
    pub(super) is_line: bool,
    pub(super) spans_lines: bool,
    /// As for [`Item`].
    pub(super) lines_before: u8,
}

#[derive(Debug)]
pub(super) struct Items<'t> {
    pub(super) text: &'t str,
    pub(super) items: Vec<Item>,
    comments: Vec<Comment>,
    /// By block of bytes: the first item that ends after the block's start.
    first_of_block: Vec<u32>,
    /// Whether most line ends between items are `\r\n`.
    pub(super) is_crlf: bool,
}

impl<'t> Items<'t> {
    pub(super) fn new(tokens: &'t Tokens) -> Items<'t> {
        let text = tokens.source();
        let n_items = tokens.as_slice().iter().filter(|it| !it.kind.is_trivia()).count() + 1;
        let mut it = Items {
            text,
            items: Vec::with_capacity(n_items),
            comments: Vec::new(),
            first_of_block: Vec::with_capacity(text.len().div_ceil(BLOCK)),
            is_crlf: false,
        };
        it.read(tokens);
        it.match_brackets();
        it
    }

    fn read(&mut self, tokens: &Tokens) {
        let mut lines = LineEnds::default();
        let mut first_comment = 0;
        // Where the run before the next item starts.
        let mut run = self.start_of_text();
        let end = tokens.source().len() as u32;
        for index in 0..=tokens.len() {
            let kind = tokens.kind(index);
            if kind == TokenKind::Whitespace {
                continue;
            }
            let (start, end) = match kind {
                TokenKind::End => (end, end),
                _ => (tokens.span(index).start, tokens.span(index).end),
            };
            let lines_before = lines.count(&self.text.as_bytes()[run as usize..start as usize]);
            let text = &self.text[start as usize..end as usize];
            if kind.is_trivia() {
                let is_line = kind == TokenKind::LineComment;
                let text = if is_line { text.trim_end_matches([' ', '\t', '\r']) } else { text };
                let end = start + text.len() as u32;
                let (width, spans_lines) =
                    if is_line { (characters(text), false) } else { width(text) };
                self.comments.push(Comment {
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
            self.first_of_block.resize((end as usize).div_ceil(BLOCK), item);
            let (width, spans_lines) = match kind {
                TokenKind::MultilineStr | TokenKind::Template => width(text),
                _ => (characters(text), false),
            };
            self.items.push(Item {
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
        self.is_crlf = lines.crlf > lines.lf;
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

    /// Where the text starts, after a byte order mark.
    pub(super) fn start_of_text(&self) -> u32 {
        if self.text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() as u32 } else { 0 }
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
        let Item { start, end, .. } = self.items[item as usize];
        // The end of the text has no bytes: nothing ends with it.
        (start < offset && end == offset).then_some(item)
    }

    /// The first item that ends after an offset.
    fn first_after(&self, offset: u32) -> Option<u32> {
        let first = *self.first_of_block.get(offset as usize / BLOCK)?;
        let items = self.items.get(first as usize..)?;
        let place = items.iter().position(|it| it.end > offset)?;
        Some(first + place as u32)
    }

    /// The comments right before an item.
    pub(super) fn comments_before(&self, item: u32) -> &[Comment] {
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

#[derive(Default)]
struct LineEnds {
    crlf: usize,
    lf: usize,
}

impl LineEnds {
    fn count(&mut self, run: &[u8]) -> u8 {
        let mut lines = 0;
        for (index, &byte) in run.iter().enumerate() {
            if byte != b'\n' {
                continue;
            }
            lines += 1;
            match index.checked_sub(1).map(|before| run[before]) {
                Some(b'\r') => self.crlf += 1,
                _ => self.lf += 1,
            }
        }
        lines.min(2) as u8
    }
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
