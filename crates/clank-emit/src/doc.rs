//! Text that fits a line or is broken where that is allowed. Documents live in one list, so that deep ones need no
//! recursion to be laid out or freed.

use super::tree::NodeOrigin;

/// How wide a line should be.
const WIDTH: usize = 80;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DocId(u32);

#[derive(Debug)]
enum Doc {
    Text(String),
    /// A blank, or a line break in a group that is broken.
    Line,
    /// Nothing, or a line break in a group that is broken.
    Soft,
    /// Always a line break.
    Hard,
    /// A text only in a group that is broken.
    IfBroken(&'static str),
    Indent(DocId),
    Group(DocId),
    Concat(Vec<DocId>),
    Mark(NodeOrigin),
}

/// Documents in the making.
#[derive(Debug, Default)]
pub(crate) struct Docs {
    docs: Vec<Doc>,
    /// Whether a document holds a line break that is always there.
    broken: Vec<bool>,
}

/// A text and where its pieces come from: line and column from 0, columns in UTF-16 units.
#[derive(Debug, Default)]
pub(crate) struct Laid {
    pub(crate) text: String,
    pub(crate) marks: Vec<(u32, u32, NodeOrigin)>,
    /// How many line breaks the text has.
    n_lines: u32,
}

impl Laid {
    /// Puts another text after so many line breaks. It begins a line: on its own, or with a break of its own.
    pub(crate) fn add_lines(&mut self, n_breaks: usize, other: Laid) {
        let kept = self.text.trim_end_matches(' ').len();
        self.text.truncate(kept);
        self.text.extend(std::iter::repeat_n('\n', n_breaks));
        self.n_lines += n_breaks as u32;
        self.text.push_str(&other.text);
        let moved =
            other.marks.into_iter().map(|(line, units, it)| (line + self.n_lines, units, it));
        self.marks.extend(moved);
        self.n_lines += other.n_lines;
    }
}

impl Docs {
    fn push(&mut self, doc: Doc) -> DocId {
        let broken = match &doc {
            Doc::Hard => true,
            Doc::Indent(it) | Doc::Group(it) => self.broken[it.0 as usize],
            Doc::Concat(all) => all.iter().any(|it| self.broken[it.0 as usize]),
            _ => false,
        };
        self.docs.push(doc);
        self.broken.push(broken);
        DocId(u32::try_from(self.docs.len() - 1).expect("a file has fewer pieces than bytes"))
    }

    pub(crate) fn text(&mut self, text: impl Into<String>) -> DocId {
        self.push(Doc::Text(text.into()))
    }

    pub(crate) fn line(&mut self) -> DocId {
        self.push(Doc::Line)
    }

    pub(crate) fn soft(&mut self) -> DocId {
        self.push(Doc::Soft)
    }

    pub(crate) fn hard(&mut self) -> DocId {
        self.push(Doc::Hard)
    }

    pub(crate) fn if_broken(&mut self, text: &'static str) -> DocId {
        self.push(Doc::IfBroken(text))
    }

    pub(crate) fn indent(&mut self, doc: DocId) -> DocId {
        self.push(Doc::Indent(doc))
    }

    pub(crate) fn group(&mut self, doc: DocId) -> DocId {
        self.push(Doc::Group(doc))
    }

    pub(crate) fn concat(&mut self, docs: Vec<DocId>) -> DocId {
        self.push(Doc::Concat(docs))
    }

    pub(crate) fn mark(&mut self, origin: Option<NodeOrigin>) -> DocId {
        match origin {
            Some(origin) => self.push(Doc::Mark(origin)),
            None => self.concat(Vec::new()),
        }
    }

    /// Whether it holds a line break that is always there.
    pub(crate) fn is_broken(&self, doc: DocId) -> bool {
        self.broken[doc.0 as usize]
    }

    /// `open`, the parts with commas between them, `close`; one a line if they do not fit. `pad` puts blanks inside.
    pub(crate) fn list(&mut self, open: &str, parts: Vec<DocId>, close: &str, pad: bool) -> DocId {
        if parts.is_empty() {
            return self.text(format!("{open}{close}"));
        }
        let edge = if pad { Docs::line } else { Docs::soft };
        let mut inner = vec![edge(self)];
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 {
                inner.push(self.text(","));
                inner.push(self.line());
            }
            inner.push(part);
        }
        let inner = self.concat(inner);
        let all = vec![
            self.text(open),
            self.indent(inner),
            self.if_broken(","),
            edge(self),
            self.text(close),
        ];
        let all = self.concat(all);
        self.group(all)
    }

    /// Lays a document out, each line at most as wide as it should be where that is possible.
    pub(crate) fn lay_out(&self, doc: DocId) -> Laid {
        let mut laid = Laid::default();
        let (mut line, mut column, mut units) = (0, 0, 0);
        let mut pending: Vec<(usize, bool, DocId)> = vec![(0, true, doc)];
        while let Some((indent, broken, id)) = pending.pop() {
            match &self.docs[id.0 as usize] {
                Doc::Text(text) => {
                    laid.text.push_str(text);
                    // Only comments and texts of the host have line breaks of their own.
                    match text.rsplit_once('\n') {
                        None => {
                            column += n_chars(text);
                            units += n_units(text);
                        }
                        Some((before, last)) => {
                            line += 1 + before.bytes().filter(|it| *it == b'\n').count() as u32;
                            (column, units) = (n_chars(last), n_units(last));
                        }
                    }
                }
                Doc::IfBroken(text) if broken => {
                    laid.text.push_str(text);
                    column += text.len();
                    units += text.len() as u32;
                }
                Doc::IfBroken(_) => {}
                Doc::Line if !broken => {
                    laid.text.push(' ');
                    column += 1;
                    units += 1;
                }
                Doc::Soft if !broken => {}
                Doc::Line | Doc::Soft | Doc::Hard => {
                    let kept = laid.text.trim_end_matches(' ').len();
                    laid.text.truncate(kept);
                    laid.text.push('\n');
                    laid.text.extend(std::iter::repeat_n(' ', indent));
                    line += 1;
                    (column, units) = (indent, indent as u32);
                }
                Doc::Indent(inner) => pending.push((indent + 2, broken, *inner)),
                Doc::Group(inner) => {
                    let breaks = self.is_broken(*inner)
                        || !self.fits(*inner, WIDTH.saturating_sub(column), &pending);
                    pending.push((indent, breaks, *inner));
                }
                Doc::Concat(all) => {
                    pending.extend(all.iter().rev().map(|it| (indent, broken, *it)));
                }
                Doc::Mark(origin) => laid.marks.push((line, units, *origin)),
            }
        }
        laid.n_lines = line;
        laid
    }

    /// Whether a group fits unbroken into what is left of the line, up to the next place where the line may end.
    fn fits(&self, doc: DocId, mut room: usize, after: &[(usize, bool, DocId)]) -> bool {
        let mut pending = vec![(false, doc)];
        let mut next = after.len();
        loop {
            let Some((broken, id)) = pending.pop() else {
                if next == 0 {
                    return true;
                }
                next -= 1;
                pending.push((after[next].1, after[next].2));
                continue;
            };
            let width = match &self.docs[id.0 as usize] {
                Doc::Text(text) => match text.split_once('\n') {
                    Some((first, _)) => return n_chars(first) <= room,
                    None => n_chars(text),
                },
                Doc::IfBroken(text) if broken => text.len(),
                Doc::IfBroken(_) | Doc::Mark(_) => 0,
                Doc::Hard => return true,
                Doc::Line | Doc::Soft if broken => return true,
                Doc::Line => 1,
                Doc::Soft => 0,
                Doc::Indent(inner) => {
                    pending.push((broken, *inner));
                    0
                }
                Doc::Group(inner) => {
                    pending.push((broken && self.is_broken(*inner), *inner));
                    0
                }
                Doc::Concat(all) => {
                    pending.extend(all.iter().rev().map(|it| (broken, *it)));
                    0
                }
            };
            match room.checked_sub(width) {
                Some(left) => room = left,
                None => return false,
            }
        }
    }
}

fn n_chars(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

/// How many units of UTF-16.
fn n_units(text: &str) -> u32 {
    if text.is_ascii() { text.len() as u32 } else { text.encode_utf16().count() as u32 }
}
