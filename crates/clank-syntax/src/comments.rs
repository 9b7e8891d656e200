//! Which comment belongs to which node.
//!
//! A comment on the line of the node before it, with nothing after it on that line, trails that node; otherwise it leads
//! the node after it; at the end of a construct it trails what is before it; where there is nothing else, it trails the
//! construct itself. Every comment finds exactly one node;
//! one in a text that could not be read stays there.

use std::collections::BTreeMap;

use crate::ast::{Ast, AstKind, Comments, NodeId};
use crate::lexer::lex;
use crate::parse::Parsed;
use crate::span::Span;
use crate::token::{TokenKind, Tokens};

/// The tree with the comments of its text.
pub fn attach_comments(parsed: &Parsed) -> Ast {
    let ast = parsed.ast.clone();
    let mut comments = ast.comments().clone();
    let found = find(&parsed.tokens);
    attach(&ast, parsed.tokens.source(), &found, ast.root().node(), &mut comments);
    ast.with_comments(comments)
}

/// The tree with the comments of its text fragments.
pub(crate) fn attach_to_fragments(ast: Ast) -> Ast {
    let mut comments = ast.comments().clone();
    let mut is_attached = vec![false; ast.sources().len()];
    // A parent comes after its children, so the first node from the end is the fragment's root.
    for index in (0..ast.nodes().len()).rev() {
        let source = ast.nodes()[index].source.0 as usize;
        if source == 0 || std::mem::replace(&mut is_attached[source], true) {
            continue;
        }
        let text = &ast.sources()[source].text;
        let (tokens, _) = lex(text);
        attach(&ast, text, &find(&tokens), NodeId(index as u32), &mut comments);
    }
    ast.with_comments(comments)
}

/// Whether a text is one comment and nothing else.
pub(crate) fn is_comment(text: &str) -> bool {
    let (tokens, errors) = lex(text);
    let is_one = errors.is_empty() && tokens.len() == 1;
    match tokens.kind(0) {
        TokenKind::LineComment => is_one && !text.contains(['\n', '\r']),
        TokenKind::BlockComment => is_one,
        _ => false,
    }
}

/// The comments of a text, in order; those in the expressions of templates too.
fn find(tokens: &Tokens) -> Vec<Span> {
    let mut found = Vec::new();
    for (index, token) in tokens.as_slice().iter().enumerate() {
        match token.kind {
            TokenKind::LineComment | TokenKind::BlockComment => found.push(tokens.span(index)),
            TokenKind::Template => {
                find_in_template(tokens.source(), tokens.span(index), &mut found)
            }
            _ => {}
        }
    }
    found
}

/// The comments in the code of a template, which is one token.
fn find_in_template(text: &str, template: Span, found: &mut Vec<Span>) {
    let bytes = &text.as_bytes()[..template.end as usize];
    // For every template that is open: whether its code is being read, and how many braces are open in it.
    let mut open: Vec<Option<usize>> = vec![None];
    let mut at = template.start as usize + 1;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let Some(innermost) = open.last_mut() else { break };
        let length = match innermost {
            None if rest.starts_with(b"\\") => 2,
            None if rest.starts_with(b"${") => {
                *innermost = Some(0);
                2
            }
            None => {
                if rest[0] == b'`' {
                    open.pop();
                }
                1
            }
            Some(_) if rest.starts_with(b"//") || rest.starts_with(b"/*") => {
                let length = comment_length(rest);
                found.push(Span::new(at as u32, (at + length) as u32));
                length
            }
            Some(_) if rest[0] == b'"' => string_length(rest),
            Some(braces) => {
                match rest[0] {
                    b'{' => *braces += 1,
                    b'}' if *braces == 0 => *innermost = None,
                    b'}' => *braces -= 1,
                    b'`' => open.push(None),
                    _ => {}
                }
                1
            }
        };
        at += length;
    }
}

fn comment_length(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"//") {
        return bytes.iter().position(|it| *it == b'\n').unwrap_or(bytes.len());
    }
    let (mut depth, mut at) = (0, 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
        } else {
            at += 1;
        }
        if depth == 0 {
            break;
        }
    }
    at.min(bytes.len())
}

fn string_length(bytes: &[u8]) -> usize {
    let quote: &[u8] = if bytes.starts_with(b"\"\"\"") { b"\"\"\"" } else { b"\"" };
    let mut at = quote.len();
    while at < bytes.len() && !bytes[at..].starts_with(quote) {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + quote.len()).min(bytes.len())
}

/// Gives every comment of a text to a node of the tree of `root`.
fn attach(
    ast: &Ast,
    text: &str,
    found: &[Span],
    root: NodeId,
    comments: &mut BTreeMap<NodeId, Comments>,
) {
    let mut attacher = Attacher { ast, text, comments, work: Vec::new() };
    // What stands before and after the whole tree belongs to it.
    let (before, within, after) = split(found, ast.span(root));
    let is_program = matches!(ast.node(root).kind, AstKind::Program(_));
    if is_program {
        attacher.work.push((root, found));
    } else {
        for comment in before {
            attacher.lead(root, *comment);
        }
        attacher.work.push((root, within));
        for comment in after {
            attacher.trail(root, *comment);
        }
    }
    while let Some((node, found)) = attacher.work.pop() {
        attacher.node(node, found);
    }
}

/// The comments before, within and after a span.
fn split(found: &[Span], span: Span) -> (&[Span], &[Span], &[Span]) {
    let (before, rest) = found.split_at(found.partition_point(|it| it.end <= span.start));
    let (within, after) = rest.split_at(rest.partition_point(|it| it.start < span.end));
    (before, within, after)
}

struct Attacher<'a> {
    ast: &'a Ast,
    text: &'a str,
    comments: &'a mut BTreeMap<NodeId, Comments>,
    /// Nodes with the comments that are in them.
    work: Vec<(NodeId, &'a [Span])>,
}

impl<'a> Attacher<'a> {
    fn node(&mut self, node: NodeId, found: &'a [Span]) {
        // What could not be read holds its text, comments included.
        if found.is_empty() || self.ast.node(node).kind.is_error() {
            return;
        }
        let (mut previous, mut rest) = (None, found);
        for child in self.ast.children(node) {
            let (before, within, after) = split(rest, self.ast.span(child));
            self.gap(node, previous, before, Some(child));
            if !within.is_empty() {
                self.work.push((child, within));
            }
            (previous, rest) = (Some(child), after);
        }
        self.gap(node, previous, rest, None);
    }

    /// Comments between two children.
    fn gap(
        &mut self,
        node: NodeId,
        previous: Option<NodeId>,
        found: &[Span],
        next: Option<NodeId>,
    ) {
        let mut end_of_previous = previous.map(|it| self.ast.span(it).end);
        for comment in found {
            let start_of_next = next.map(|it| self.ast.span(it).start);
            let is_on_line =
                end_of_previous.is_some_and(|end| self.is_one_line(end, comment.start));
            let is_last_on_line =
                start_of_next.is_none_or(|start| !self.is_one_line(comment.end, start));
            match (previous, next) {
                (Some(previous), _) if is_on_line && is_last_on_line => {
                    self.trail(previous, *comment);
                    end_of_previous = Some(comment.end);
                }
                (_, Some(next)) => self.lead(next, *comment),
                _ if matches!(self.ast.node(node).kind, AstKind::Program(_)) => {
                    self.trail(node, *comment);
                }
                (Some(previous), None) => self.trail(previous, *comment),
                (None, None) => self.trail(node, *comment),
            }
        }
    }

    fn is_one_line(&self, start: u32, end: u32) -> bool {
        let between = self.text.get(start as usize..end as usize).unwrap_or_default();
        !between.contains('\n')
    }

    fn lead(&mut self, node: NodeId, comment: Span) {
        let text = self.comment_text(comment);
        self.comments.entry(node).or_default().leading.push(text);
    }

    fn trail(&mut self, node: NodeId, comment: Span) {
        let text = self.comment_text(comment);
        self.comments.entry(node).or_default().trailing.push(text);
    }

    /// The comment without the carriage return of its line.
    fn comment_text(&self, comment: Span) -> String {
        let text = self.text.get(comment.start as usize..comment.end as usize).unwrap_or_default();
        text.trim_end_matches('\r').to_owned()
    }
}
