//! A text for every tree: parsing it gives the same tree.
//!
//! Parentheses are written where the grammar needs them, and where a reader would have to think. The layout is plain;
//! the formatter makes it canonical. What is still to be written waits on a stack instead of in recursion, because a
//! chain of operators is as deep as it is long.

mod decl;
mod expr;
mod literal;
mod types;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::ast::{Ast, AstKind, Comments, DeclId, ExprId, NodeId, PatternId, Stmt, StmtId, TypeId};

/// The program as text, with its comments.
pub fn print(ast: &Ast) -> String {
    let mut text = print_tree(ast, ast.root().node(), Layout::Lines);
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// One node on one line, without comments; for messages.
pub fn print_node(ast: &Ast, node: impl Into<NodeId>) -> String {
    print_tree(ast, node.into(), Layout::OneLine)
}

/// A declaration as text, on several lines and with its comments.
pub fn print_decl(ast: &Ast, decl: DeclId) -> String {
    print_tree(ast, decl.node(), Layout::Lines)
}

/// A statement on one line, without comments.
pub fn print_stmt(ast: &Ast, stmt: StmtId) -> String {
    print_node(ast, stmt)
}

/// An expression on one line, without comments.
pub fn print_expr(ast: &Ast, expr: ExprId) -> String {
    print_node(ast, expr)
}

/// A type on one line, without comments.
pub fn print_type(ast: &Ast, ty: TypeId) -> String {
    print_node(ast, ty)
}

/// A pattern on one line, without comments.
pub fn print_pattern(ast: &Ast, pattern: PatternId) -> String {
    print_node(ast, pattern)
}

/// A string literal whose value is `text`.
///
/// ```
/// assert_eq!(clank_syntax::print_string("a \"b\"\n"), r#""a \"b\"\n""#);
/// ```
pub fn print_string(text: &str) -> String {
    literal::string(text)
}

fn print_tree(ast: &Ast, node: NodeId, layout: Layout) -> String {
    printed(ast, ast.comments(), (node, ParenContext::FREE), layout, &|_| None).out
}

/// What stands for a node below the one that is printed.
#[derive(Clone, Copy)]
pub(crate) enum Splice<'a> {
    /// Its own text, as it was written.
    Text(&'a str),
    /// Nothing; where it would be is told.
    Anchor,
}

/// Where a node would be that was left out.
#[derive(Clone, Copy)]
pub(crate) struct OmittedNode {
    /// The byte in the printed text.
    pub(crate) at: usize,
    /// What stands around it.
    pub(crate) place: ParenContext,
}

/// A text with nodes left out.
pub(crate) struct Frame {
    pub(crate) text: String,
    pub(crate) anchors: Vec<OmittedNode>,
}

/// A node as text with these comments, without the `;` or `,` after it, in which others are what `splice` says.
pub(crate) fn print_frame<'a>(
    ast: &'a Ast,
    comments: &'a BTreeMap<NodeId, Comments>,
    node: NodeId,
    place: ParenContext,
    splice: &dyn Fn(NodeId) -> Option<Splice<'a>>,
) -> Frame {
    let is_root = |it: NodeId| if it == node { None } else { splice(it) };
    let printer = printed(ast, comments, (node, place), Layout::Lines, &is_root);
    let (mut text, anchors) = (printer.out, printer.anchors);
    let after = match &ast.node(node).kind {
        AstKind::Stmt(_) => ";",
        AstKind::Arm(_) => ",",
        _ => "",
    };
    let length = text.strip_suffix(after).map_or(text.len(), str::len);
    // What is left out may be the last before it.
    if anchors.last().is_none_or(|it| it.at <= length) {
        text.truncate(length);
    }
    Frame { text, anchors }
}

fn printed<'a, 'b>(
    ast: &'a Ast,
    comments: &'a BTreeMap<NodeId, Comments>,
    (node, place): (NodeId, ParenContext),
    layout: Layout,
    splice: &'b dyn Fn(NodeId) -> Option<Splice<'a>>,
) -> Printer<'a, 'b> {
    let mut printer = Printer {
        ast,
        comments,
        layout,
        splice,
        anchors: Vec::new(),
        out: String::new(),
        indent: 0,
        at_line_start: true,
        after_line_comment: false,
        after_block_comment: false,
        work: vec![Task::Node(node, place)],
        next: Vec::new(),
    };
    while let Some(task) = printer.work.pop() {
        printer.step(task);
        printer.work.extend(printer.next.drain(..).rev());
    }
    printer.trim_end(&['\n', ' ']);
    printer
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Lines,
    OneLine,
}

/// What stands around a node and decides on parentheses.
#[derive(Clone, Copy)]
pub(crate) struct ParenContext {
    /// How tightly an expression must bind to stand alone here, see `expr::level`.
    level: u8,
    /// Whether a `{` would be taken for the start of a block: in the head of `if`, `while`, `match`, `for`, `pre` and
    /// `post`, and for types before a function's body.
    before_block: bool,
    /// Whether a statement needs no `;` before what follows it.
    ends_itself: bool,
    /// Whether a function is one of an external module.
    in_module: bool,
}

impl ParenContext {
    pub(crate) const FREE: ParenContext =
        ParenContext { level: 0, before_block: false, ends_itself: false, in_module: false };
    const HEAD: ParenContext = ParenContext { level: 1, before_block: true, ..ParenContext::FREE };

    fn operand(level: u8) -> ParenContext {
        ParenContext { level, ..ParenContext::FREE }
    }
}

/// What is still to be written.
enum Task<'a> {
    Node(NodeId, ParenContext),
    /// A node without its comments.
    Bare(NodeId, ParenContext),
    Text(Cow<'a, str>),
    Splice(ParenContext, Splice<'a>),
    Line,
    /// The next token goes to a new line.
    EndLine,
    BlankLine,
    Indent,
    Dedent,
    Leading(NodeId),
    Trailing(NodeId),
}

struct Printer<'a, 'b> {
    ast: &'a Ast,
    comments: &'a BTreeMap<NodeId, Comments>,
    layout: Layout,
    splice: &'b dyn Fn(NodeId) -> Option<Splice<'a>>,
    anchors: Vec<OmittedNode>,
    out: String,
    indent: usize,
    at_line_start: bool,
    /// Whether the next token must go to a new line.
    after_line_comment: bool,
    /// Whether the next token wants a space before it.
    after_block_comment: bool,
    work: Vec<Task<'a>>,
    /// What the current step adds to the work, first things first.
    next: Vec<Task<'a>>,
}

impl<'a> Printer<'a, '_> {
    fn step(&mut self, task: Task<'a>) {
        match task {
            Task::Node(id, place) => {
                self.next.extend([Task::Leading(id), Task::Bare(id, place), Task::Trailing(id)])
            }
            Task::Bare(id, place) => self.bare(id, place),
            Task::Text(text) => self.write(&text),
            Task::Splice(_, Splice::Text(text)) => self.write_whole(text),
            Task::Splice(place, Splice::Anchor) => {
                self.write_whole("");
                self.anchors.push(OmittedNode { at: self.out.len(), place });
            }
            Task::Line => self.new_line(),
            Task::EndLine => self.after_line_comment = self.layout == Layout::Lines,
            Task::BlankLine => {
                self.new_line();
                if self.layout == Layout::Lines && !self.out.is_empty() {
                    self.out.push('\n');
                }
            }
            Task::Indent => self.indent += 1,
            Task::Dedent => self.indent -= 1,
            Task::Leading(id) => self.leading(id),
            Task::Trailing(id) => self.trailing(id),
        }
    }

    /// What stands for a node, in parentheses if it needs them.
    fn spliced(&mut self, id: NodeId, place: ParenContext, splice: Splice<'a>) {
        let kind = &self.ast.node(id).kind;
        let parens = match kind {
            AstKind::Expr(it) => expr::needs_parens(it, place),
            AstKind::Type(it) => types::needs_parens(it, place),
            _ => false,
        };
        if parens {
            self.text("(");
        }
        self.next.push(Task::Splice(if parens { ParenContext::FREE } else { place }, splice));
        if parens {
            self.text(")");
        }
        match kind {
            AstKind::Stmt(Stmt::For { .. } | Stmt::While { .. } | Stmt::Loop { .. }) => {}
            AstKind::Stmt(_) if !place.ends_itself => self.text(";"),
            AstKind::Arm(_) => self.text(","),
            _ => {}
        }
    }

    fn bare(&mut self, id: NodeId, place: ParenContext) {
        if let Some(splice) = (self.splice)(id) {
            return self.spliced(id, place, splice);
        }
        match &self.ast.node(id).kind {
            AstKind::Program(it) => decl::program(self, it),
            AstKind::Decl(it) => decl::decl(self, it, place),
            AstKind::Stmt(it) => decl::stmt(self, it, place),
            AstKind::Expr(it) => expr::expr(self, it, place),
            AstKind::Type(it) => types::ty(self, it, place),
            AstKind::Pattern(it) => types::pattern(self, it),
            AstKind::Param(it) => types::name_and_type(self, &it.name, Some(it.ty)),
            AstKind::LambdaParam(it) => types::name_and_type(self, &it.name, it.ty),
            AstKind::TypeParam(it) => types::name_and_type(self, &it.name, it.constraint),
            AstKind::Field(it) => types::name_and_type(self, &it.name, Some(it.ty)),
            AstKind::Variant(it) => {
                self.text(it.name.as_str());
                if !it.fields.is_empty() {
                    self.list("(", &it.fields, ")");
                }
            }
            AstKind::VariantField(it) => match &it.name {
                Some(name) => types::name_and_type(self, name, Some(it.ty)),
                None => self.child(it.ty),
            },
            AstKind::Arm(it) => {
                self.child(it.pattern);
                if let Some(guard) = it.guard {
                    self.text(" if ");
                    self.child_at(guard, ParenContext::operand(1));
                }
                self.text(" -> ");
                self.child(it.body);
                self.text(",");
            }
            AstKind::FieldInit(it) => {
                self.text(it.name.as_str());
                self.text(": ");
                self.child(it.value);
            }
            AstKind::FieldPattern(it) => {
                self.text(it.name.as_str());
                if let Some(pattern) = it.pattern {
                    self.text(": ");
                    self.child(pattern);
                }
            }
        }
    }

    fn text(&mut self, text: impl Into<Cow<'a, str>>) {
        self.next.push(Task::Text(text.into()));
    }

    /// What could not be read, as it was written. Nothing may follow on its line if that may end with a comment.
    fn unread(&mut self, source: &'a str) {
        self.text(source);
        if source.lines().last().is_some_and(|it| it.contains("//")) {
            self.next.push(Task::EndLine);
        }
    }

    fn child(&mut self, id: impl Into<NodeId>) {
        self.next.push(Task::Node(id.into(), ParenContext::FREE));
    }

    fn child_at(&mut self, id: impl Into<NodeId>, place: ParenContext) {
        self.next.push(Task::Node(id.into(), place));
    }

    /// A node and what follows it, before the comments that trail it.
    fn child_and(&mut self, id: impl Into<NodeId>, after: &'static str) {
        let id = id.into();
        self.next.extend([
            Task::Leading(id),
            Task::Bare(id, ParenContext::FREE),
            Task::Text(after.into()),
            Task::Trailing(id),
        ]);
    }

    /// Nodes between brackets, with commas between them.
    fn list<T: Copy + Into<NodeId>>(
        &mut self,
        open: &'static str,
        nodes: &[T],
        close: &'static str,
    ) {
        self.text(open);
        for (index, node) in nodes.iter().enumerate() {
            match index + 1 < nodes.len() {
                true => {
                    self.child_and(*node, ",");
                    self.text(" ");
                }
                false => self.child(*node),
            }
        }
        self.text(close);
    }

    /// Nodes between brackets, with a comma after the only one.
    fn tuple<T: Copy + Into<NodeId>>(&mut self, nodes: &[T]) {
        self.list("(", nodes, if nodes.len() == 1 { ",)" } else { ")" });
    }

    /// Nodes between braces, each on its own line; `after` follows every one.
    fn lines<T: Copy + Into<NodeId>>(&mut self, nodes: &[T], after: &'static str) {
        if nodes.is_empty() {
            return self.text("{}");
        }
        self.text("{");
        self.next.push(Task::Indent);
        for node in nodes {
            self.next.push(Task::Line);
            self.child_and(*node, after);
        }
        self.next.push(Task::Dedent);
        self.next.push(Task::Line);
        self.text("}");
    }

    fn write(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.after_line_comment {
            self.new_line();
        }
        let is_blank = text.bytes().all(|it| it == b' ');
        if !self.at_line_start || !is_blank {
            self.write_whole(text);
        }
    }

    /// Writes a text that may be empty but stands for something.
    fn write_whole(&mut self, text: &str) {
        if self.after_line_comment {
            self.new_line();
        }
        let text = if self.at_line_start { text.trim_start_matches(' ') } else { text };
        if self.at_line_start {
            if !self.out.is_empty() && self.layout == Layout::Lines {
                for _ in 0..self.indent {
                    self.out.push_str("  ");
                }
            }
            self.at_line_start = false;
        }
        if std::mem::take(&mut self.after_block_comment)
            && !text.starts_with([' ', ',', ';', ')', ']'])
        {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }

    fn new_line(&mut self) {
        self.after_line_comment = false;
        self.after_block_comment = false;
        if self.at_line_start {
            return;
        }
        self.trim_end(&[' ']);
        match self.layout {
            Layout::Lines => {
                self.out.push('\n');
                self.at_line_start = true;
            }
            Layout::OneLine => self.out.push(' '),
        }
    }

    /// Takes these characters off the end, up to the last node that was left out.
    fn trim_end(&mut self, blanks: &[char]) {
        let length = self.out.trim_end_matches(blanks).len();
        self.out.truncate(self.anchors.last().map_or(length, |it| length.max(it.at)));
    }

    fn leading(&mut self, id: NodeId) {
        let Some(comments) = self.comments(id) else { return };
        let on_own_line = matches!(
            self.ast.node(id).kind,
            AstKind::Program(_) | AstKind::Decl(_) | AstKind::Stmt(_)
        );
        for comment in &comments.leading {
            self.write(comment);
            match on_own_line {
                true => self.new_line(),
                false => self.end_comment(comment),
            }
        }
    }

    fn trailing(&mut self, id: NodeId) {
        let Some(comments) = self.comments(id) else { return };
        let on_own_line = matches!(self.ast.node(id).kind, AstKind::Program(_));
        for comment in &comments.trailing {
            match on_own_line {
                true => self.new_line(),
                false => self.write(" "),
            }
            self.write(comment);
            self.end_comment(comment);
        }
    }

    fn comments(&self, id: NodeId) -> Option<&'a Comments> {
        match self.layout {
            Layout::Lines => self.comments.get(&id),
            Layout::OneLine => None,
        }
    }

    fn end_comment(&mut self, comment: &str) {
        if comment.starts_with("//") {
            self.after_line_comment = true;
        } else {
            self.after_block_comment = true;
        }
    }
}
