//! What all nodes share: kinds, fragments, ids, spans and comments.

use super::{NOWHERE, Reader, line_and_column};
use crate::ast::{Comments, Decl, Expr, GivenSpan, Name, NodeId, Pattern, Stmt, Type};
use crate::json::FILE;
use crate::json::nearest::nearest;
use crate::json::value::{Value, ValueId};
use crate::parse::{Fragment, parse_fragment};

/// What an object that stands for a node says that it is.
pub(super) enum WireForm<'a> {
    /// A text in place of a tree.
    Fragment(&'a str),
    Kind(&'a str),
}

impl<'a> Reader<'a> {
    /// Tells a fragment from a node. `what` is what is expected, for messages.
    pub(super) fn form(&mut self, at: ValueId, what: &str) -> Option<WireForm<'a>> {
        if !matches!(self.doc.get(at), Value::Object(_)) {
            self.wrong_type(at, &format!("{what} (an object with `kind`, or with `source`)"));
            return None;
        }
        if let Some(source) = self.doc.member(at, "source") {
            return self.string_value(source).map(WireForm::Fragment);
        }
        self.string(at, "kind").map(WireForm::Kind)
    }

    pub(super) fn expect_object(&mut self, at: ValueId, what: &str) -> Option<()> {
        match self.doc.get(at) {
            Value::Object(_) => Some(()),
            _ => {
                self.wrong_type(at, what);
                None
            }
        }
    }

    pub(super) fn unknown_kind(&mut self, at: ValueId, what: &str, kind: &str, known: &[&str]) {
        let shown: String = kind.chars().take(60).collect();
        let meant = nearest(kind, known).map(|it| format!("; did you mean `{it}`?"));
        let message = format!("{shown:?} is not a kind of {what}{}", meant.unwrap_or_default());
        self.error_at_member(at, "kind", message);
    }

    /// Reads a text fragment. In lenient reading, one that is wrong becomes an `Error` node.
    pub(super) fn fragment(
        &mut self,
        at: ValueId,
        text: &'a str,
        what: Fragment,
    ) -> Option<NodeId> {
        let file = self.string_if_any(at, "file")?.unwrap_or(FILE);
        self.has_comments_in_fragments |= text.contains("//") || text.contains("/*");
        self.parse_text(at, "source", file, text, 0, what)
    }

    /// Parses a member's text; the first `n_added` bytes of `text` are not in the member.
    pub(super) fn parse_text(
        &mut self,
        at: ValueId,
        key: &str,
        file: &str,
        text: &str,
        n_added: usize,
        what: Fragment,
    ) -> Option<NodeId> {
        let errors = match parse_fragment(&mut self.builder, file, text, what) {
            Ok(node) => return Some(node),
            Err(errors) => errors,
        };
        let doc = self.doc;
        if errors.is_empty() {
            self.record(|| doc.path(at) + "." + key, "the fragment cannot be read".into());
        }
        for error in errors {
            if self.is_full() {
                self.n_untold += 1;
                continue;
            }
            let offset = (error.span.start as usize).max(n_added) - n_added;
            let (line, column) = line_and_column(text.get(n_added..).unwrap_or_default(), offset);
            let message = format!(
                "{}: {} at line {line}, column {column} of the fragment",
                error.code.name(),
                error.message
            );
            self.record(|| doc.path(at) + "." + key, message);
        }
        if !self.lenient {
            self.is_fatal = true;
            return None;
        }
        Some(self.error_node(text.to_owned(), what))
    }

    fn error_node(&mut self, source: String, what: Fragment) -> NodeId {
        let builder = &mut self.builder;
        match what {
            Fragment::Decl => builder.decl(Decl::Error { source }, NOWHERE).node(),
            Fragment::Type => builder.ty(Type::Error { source }, NOWHERE).node(),
            Fragment::Pattern => builder.pattern(Pattern::Error { source }, NOWHERE).node(),
            Fragment::Expr => builder.expr(Expr::Error { source }, NOWHERE).node(),
            Fragment::Stmt => {
                let expr = builder.expr(Expr::Error { source }, NOWHERE);
                builder.stmt(Stmt::Expr { expr }, NOWHERE).node()
            }
            Fragment::Block => {
                let expr = Some(builder.expr(Expr::Error { source }, NOWHERE));
                builder.expr(Expr::Block { statements: Box::new([]), expr }, NOWHERE).node()
            }
        }
    }

    /// Gives a node the id, span and comments that its object states.
    pub(super) fn dress<T: Copy + Into<NodeId>>(&mut self, at: ValueId, node: T) -> T {
        self.id(at, node.into());
        if let Some(span) = self.doc.member(at, "span") {
            let span = self.given_span(span);
            if let Some(span) = span {
                self.builder.set_given_span(node, span);
            }
        }
        if let Some(comments) = self.doc.member(at, "comments")
            && let Some(comments) = self.comments(comments)
            && comments != Comments::default()
        {
            self.builder.set_comments(node, comments);
        }
        node
    }

    fn id(&mut self, at: ValueId, node: NodeId) {
        let Some(member) = self.doc.member(at, "id") else { return };
        let Some(text) = self.string_value(member) else { return };
        if text.is_empty() {
            return self.error(member, "an id cannot be empty".into());
        }
        let id = Name::from(text);
        if let Some(first) = self.ids.insert(id.clone(), member) {
            let first = if self.is_full() { String::new() } else { self.doc.path(first) };
            return self.error(member, format!("the id {text:?} is also given at {first}"));
        }
        self.builder.set_id(node, id);
    }

    fn given_span(&mut self, at: ValueId) -> Option<GivenSpan> {
        self.expect_object(at, "an object with `file`, `start` and `end`")?;
        let file = self.string_if_any(at, "file");
        let start = self.position(at, "start");
        let end = self.position(at, "end");
        Some(GivenSpan { file: file?.unwrap_or(FILE).to_owned(), start: start?, end: end? })
    }

    fn position(&mut self, of: ValueId, key: &str) -> Option<(u32, u32, u32)> {
        let Some(at) = self.doc.member(of, key) else { return Some((1, 1, 0)) };
        self.expect_object(at, "an object with `line`, `column` and `offset`")?;
        let line = self.small_number(at, "line", 1);
        let column = self.small_number(at, "column", 1);
        let offset = self.small_number(at, "offset", 0);
        Some((line?, column?, offset?))
    }

    fn small_number(&mut self, of: ValueId, key: &str, default: u32) -> Option<u32> {
        let Some(at) = self.doc.member(of, key) else { return Some(default) };
        let number = match self.doc.get(at) {
            Value::Number(text) => text.parse().ok(),
            _ => None,
        };
        if number.is_none() {
            self.error(at, format!("expected an integer from 0 to {}", u32::MAX));
        }
        number
    }

    fn comments(&mut self, at: ValueId) -> Option<Comments> {
        self.expect_object(at, "an object with `leading` and `trailing`")?;
        let leading = self.elements_if_any(at, "leading");
        let leading = self.each(leading, Self::comment);
        let trailing = self.elements_if_any(at, "trailing");
        let trailing = self.each(trailing, Self::comment);
        Some(Comments { leading: leading?.into_vec(), trailing: trailing?.into_vec() })
    }

    fn comment(&mut self, at: ValueId) -> Option<String> {
        let text = self.string_value(at)?;
        if crate::comments::is_comment(text) {
            return Some(text.to_owned());
        }
        self.error(at, "a comment is one line `// …`, or `/* … */`".into());
        None
    }
}
