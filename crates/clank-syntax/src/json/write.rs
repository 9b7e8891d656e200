//! From a tree to AST JSON.
//!
//! Every node becomes a list of members; they wait on a stack instead of in recursion, because a chain of operators is
//! as deep as it is long.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::WriteOptions;
use super::place::NodePositions;
use crate::ast::{
    Ast, AstKind, Comments, Decl, Expr, GivenSpan, IntSuffix, Literal, Name, NodeId, Pattern, Stmt,
    TemplatePart, Type,
};

/// How deep lines are indented at most, so that the size of the output grows with the tree and not with its depth.
const MAX_INDENT: usize = 40;

/// The tree as AST JSON. Members have one order: `kind`, `id`, those of the node, `span`, `comments`; what has its
/// default value is left out. Reading it back gives the same tree.
pub fn write(ast: &Ast, options: &WriteOptions) -> String {
    let places = if options.spans { NodePositions::of(ast) } else { NodePositions::default() };
    let mut writer =
        Writer { ast, options, places, out: String::new(), depth: 0, is_first: true, work: vec![] };
    writer.node(ast.root().node());
    while let Some(task) = writer.work.pop() {
        writer.step(task);
    }
    writer.out
}

/// What is still to be written.
enum Task<'a> {
    Member(&'static str, Value<'a>),
    Element(Value<'a>),
    CloseArray,
    CloseNode(NodeId),
}

enum Value<'a> {
    Str(Cow<'a, str>),
    Bool(bool),
    Literal(&'a Literal),
    Node(NodeId),
    Nodes(Vec<NodeId>),
    Names(&'a [Name]),
    Parts(&'a [TemplatePart]),
}

struct Writer<'a> {
    ast: &'a Ast,
    options: &'a WriteOptions,
    places: NodePositions,
    out: String,
    depth: usize,
    /// Whether the bracket that was opened last holds nothing yet.
    is_first: bool,
    work: Vec<Task<'a>>,
}

impl<'a> Writer<'a> {
    fn step(&mut self, task: Task<'a>) {
        match task {
            Task::Member(key, value) => {
                self.key(key);
                self.value(value);
            }
            Task::Element(value) => {
                self.separate();
                self.value(value);
            }
            Task::CloseArray => self.close(']'),
            Task::CloseNode(id) => {
                if let Some(span) = self.span_of(id) {
                    self.span(&span);
                }
                if let Some(comments) = self.ast.comments().get(&id) {
                    self.comments(comments);
                }
                self.close('}');
            }
        }
    }

    fn value(&mut self, value: Value<'a>) {
        match value {
            Value::Str(text) => quote(&mut self.out, &text),
            Value::Bool(it) => self.out.push_str(if it { "true" } else { "false" }),
            Value::Literal(it) => self.literal(it),
            Value::Node(id) => self.node(id),
            Value::Nodes(ids) => self.array(ids.into_iter().map(Value::Node).collect()),
            Value::Names(names) => {
                self.array(names.iter().map(|it| Value::Str(Cow::Borrowed(it.as_str()))).collect())
            }
            Value::Parts(parts) => self.array(
                parts
                    .iter()
                    .map(|part| match part {
                        TemplatePart::Text(text) => Value::Str(Cow::Borrowed(text)),
                        TemplatePart::Expr(expr) => Value::Node(expr.node()),
                    })
                    .collect(),
            ),
        }
    }

    fn array(&mut self, elements: Vec<Value<'a>>) {
        self.open('[');
        self.work.push(Task::CloseArray);
        self.work.extend(elements.into_iter().rev().map(Task::Element));
    }

    fn node(&mut self, id: NodeId) {
        let mut members = Members { kind: None, list: Vec::new() };
        describe(&self.ast.node(id).kind, &mut members);
        self.open('{');
        if let Some(kind) = members.kind {
            self.key("kind");
            quote(&mut self.out, kind);
        }
        if self.options.ids {
            self.key("id");
            quote(&mut self.out, &self.ast.ids().id(id));
        }
        self.work.push(Task::CloseNode(id));
        self.work
            .extend(members.list.into_iter().rev().map(|(key, value)| Task::Member(key, value)));
    }

    fn literal(&mut self, it: &Literal) {
        self.open('{');
        self.key("kind");
        match it {
            Literal::Int { value, suffix } => {
                self.out.push_str("\"int\"");
                self.key("value");
                quote(&mut self.out, &value.to_string());
                if let Some(suffix) = suffix {
                    self.key("suffix");
                    quote(&mut self.out, suffix_text(*suffix));
                }
            }
            Literal::Float(value) => {
                self.out.push_str("\"float\"");
                self.key("value");
                self.out.push_str(&float_text(*value));
            }
            Literal::Str(value) => {
                self.out.push_str("\"string\"");
                self.key("value");
                quote(&mut self.out, value);
            }
            Literal::Bool(value) => {
                self.out.push_str("\"bool\"");
                self.key("value");
                self.out.push_str(if *value { "true" } else { "false" });
            }
            Literal::Unit => self.out.push_str("\"unit\""),
        }
        self.close('}');
    }

    fn span_of(&self, id: NodeId) -> Option<GivenSpan> {
        if !self.options.spans {
            return None;
        }
        let given = self.ast.given_spans().get(&id).cloned();
        given.or_else(|| self.places.span(self.ast, id))
    }

    fn span(&mut self, span: &GivenSpan) {
        self.key("span");
        self.open('{');
        self.key("file");
        quote(&mut self.out, &span.file);
        for (key, (line, column, offset)) in [("start", span.start), ("end", span.end)] {
            self.key(key);
            self.open('{');
            for (key, number) in [("line", line), ("column", column), ("offset", offset)] {
                self.key(key);
                let _ = write!(self.out, "{number}"); // Writing to a string does not fail.
            }
            self.close('}');
        }
        self.close('}');
    }

    fn comments(&mut self, comments: &Comments) {
        self.key("comments");
        self.open('{');
        for (key, texts) in [("leading", &comments.leading), ("trailing", &comments.trailing)] {
            if texts.is_empty() {
                continue;
            }
            self.key(key);
            self.open('[');
            for text in texts {
                self.separate();
                quote(&mut self.out, text);
            }
            self.close(']');
        }
        self.close('}');
    }

    fn key(&mut self, key: &str) {
        self.separate();
        quote(&mut self.out, key);
        self.out.push_str(if self.options.pretty { ": " } else { ":" });
    }

    /// Starts a member or an item: a comma behind the one before it, and a new line.
    fn separate(&mut self) {
        if !self.is_first {
            self.out.push(',');
        }
        self.is_first = false;
        self.line();
    }

    fn line(&mut self) {
        if self.options.pretty {
            self.out.push('\n');
            for _ in 0..self.depth.min(MAX_INDENT) {
                self.out.push_str("  ");
            }
        }
    }

    fn open(&mut self, bracket: char) {
        self.out.push(bracket);
        self.depth += 1;
        self.is_first = true;
    }

    fn close(&mut self, bracket: char) {
        self.depth -= 1;
        if !self.is_first {
            self.line();
        }
        self.out.push(bracket);
        self.is_first = false;
    }
}

/// The members of one node, in their order.
struct Members<'a> {
    kind: Option<&'static str>,
    list: Vec<(&'static str, Value<'a>)>,
}

impl<'a> Members<'a> {
    fn kind(&mut self, kind: &'static str) -> &mut Members<'a> {
        self.kind = Some(kind);
        self
    }

    fn text(&mut self, key: &'static str, text: &'a str) -> &mut Members<'a> {
        self.list.push((key, Value::Str(Cow::Borrowed(text))));
        self
    }

    fn text_if(&mut self, key: &'static str, text: Option<&'a str>) -> &mut Members<'a> {
        if let Some(text) = text {
            self.text(key, text);
        }
        self
    }

    fn node(&mut self, key: &'static str, node: impl Into<NodeId>) -> &mut Members<'a> {
        self.list.push((key, Value::Node(node.into())));
        self
    }

    fn node_if(&mut self, key: &'static str, node: Option<impl Into<NodeId>>) -> &mut Members<'a> {
        if let Some(node) = node {
            self.node(key, node);
        }
        self
    }

    fn nodes<T: Copy + Into<NodeId>>(
        &mut self,
        key: &'static str,
        nodes: &[T],
    ) -> &mut Members<'a> {
        self.list.push((key, Value::Nodes(nodes.iter().map(|it| (*it).into()).collect())));
        self
    }

    fn nodes_if_any<T: Copy + Into<NodeId>>(
        &mut self,
        key: &'static str,
        nodes: &[T],
    ) -> &mut Members<'a> {
        if !nodes.is_empty() {
            self.nodes(key, nodes);
        }
        self
    }

    fn flag(&mut self, key: &'static str, is_set: bool) -> &mut Members<'a> {
        if is_set {
            self.list.push((key, Value::Bool(true)));
        }
        self
    }
}

fn describe<'a>(kind: &'a AstKind, to: &mut Members<'a>) {
    match kind {
        AstKind::Program(it) => {
            to.kind("program").nodes("declarations", &it.declarations);
        }
        AstKind::Decl(it) => decl(it, to),
        AstKind::Stmt(it) => stmt(it, to),
        AstKind::Expr(it) => expr(it, to),
        AstKind::Type(it) => ty(it, to),
        AstKind::Pattern(it) => pattern(it, to),
        AstKind::Param(it) => {
            to.text("name", &it.name).node("type", it.ty);
        }
        AstKind::LambdaParam(it) => {
            to.text("name", &it.name).node_if("type", it.ty);
        }
        AstKind::TypeParam(it) => {
            to.text("name", &it.name).node_if("constraint", it.constraint);
        }
        AstKind::Field(it) => {
            to.text("name", &it.name).node("type", it.ty);
        }
        AstKind::Variant(it) => {
            to.text("name", &it.name).nodes_if_any("fields", &it.fields);
        }
        AstKind::VariantField(it) => {
            to.text_if("name", it.name.as_deref()).node("type", it.ty);
        }
        AstKind::Arm(it) => {
            to.node("pattern", it.pattern).node_if("guard", it.guard).node("body", it.body);
        }
        AstKind::FieldInit(it) => {
            to.text("name", &it.name).node("value", it.value);
        }
        AstKind::FieldPattern(it) => {
            to.text("name", &it.name).node_if("pattern", it.pattern);
        }
    }
}

fn decl<'a>(it: &'a Decl, to: &mut Members<'a>) {
    match it {
        Decl::Fn(it) => to
            .kind("fn")
            .text("name", &it.name)
            .nodes_if_any("typeParams", &it.type_params)
            .nodes("params", &it.params)
            .node("returnType", it.return_type)
            .node_if("precondition", it.precondition)
            .node_if("postcondition", it.postcondition)
            .node("body", it.body),
        Decl::ExternalFn(it) => to
            .kind("externalFn")
            .text("name", &it.name)
            .nodes_if_any("typeParams", &it.type_params)
            .nodes("params", &it.params)
            .node("returnType", it.return_type)
            .text("jsName", &it.js_name),
        Decl::ExternalMod { name, js_module, functions } => to
            .kind("externalMod")
            .text("name", name)
            .text("jsModule", js_module)
            .nodes("functions", functions),
        Decl::TypeAlias { name, type_params, ty } => to
            .kind("typeAlias")
            .text("name", name)
            .nodes_if_any("typeParams", type_params)
            .node("type", *ty),
        Decl::Rec { name, type_params, fields } => to
            .kind("rec")
            .text("name", name)
            .nodes_if_any("typeParams", type_params)
            .nodes("fields", fields),
        Decl::Sum { name, type_params, variants } => to
            .kind("sum")
            .text("name", name)
            .nodes_if_any("typeParams", type_params)
            .nodes("variants", variants),
        Decl::Mod { name } => to.kind("mod").text("name", name),
        Decl::Use(it) => {
            to.kind("use").list.push(("path", Value::Names(&it.path)));
            if !it.items.is_empty() {
                to.list.push(("items", Value::Names(&it.items)));
            }
            to.text_if("alias", it.alias.as_deref()).flag("isExternal", it.is_external)
        }
        Decl::Error { source } => to.text("source", source),
    };
}

fn stmt<'a>(it: &'a Stmt, to: &mut Members<'a>) {
    match it {
        Stmt::Let { pattern, ty, init, mutable } => to
            .kind("let")
            .node("pattern", *pattern)
            .node("init", *init)
            .node_if("type", *ty)
            .flag("mutable", *mutable),
        Stmt::Assign { target, value } => {
            to.kind("assign").node("target", *target).node("value", *value)
        }
        Stmt::Expr { expr } => to.kind("expr").node("expr", *expr),
        Stmt::For { pattern, iterable, body } => {
            to.kind("for").node("pattern", *pattern).node("iterable", *iterable).node("body", *body)
        }
        Stmt::While { condition, body } => {
            to.kind("while").node("condition", *condition).node("body", *body)
        }
        Stmt::Loop { body } => to.kind("loop").node("body", *body),
        Stmt::Return { value } => to.kind("return").node_if("value", *value),
        Stmt::Break => to.kind("break"),
        Stmt::Continue => to.kind("continue"),
        Stmt::Assert { condition, message } => {
            to.kind("assert").node("condition", *condition).text_if("message", message.as_deref())
        }
    };
}

fn expr<'a>(it: &'a Expr, to: &mut Members<'a>) {
    match it {
        Expr::Literal(it) => {
            to.kind("literal").list.push(("value", Value::Literal(it)));
        }
        Expr::Template { parts } => {
            to.kind("template").list.push(("parts", Value::Parts(parts)));
        }
        Expr::Ident { name } => {
            to.kind("ident").text("name", name);
        }
        Expr::Unary { op, operand } => {
            to.kind("unary").text("op", op.text()).node("operand", *operand);
        }
        Expr::Binary { op, left, right } => {
            to.kind("binary").text("op", op.text()).node("left", *left).node("right", *right);
        }
        Expr::Call { callee, args } => {
            to.kind("call").node("callee", *callee).nodes("args", args);
        }
        Expr::Index { object, index } => {
            to.kind("index").node("object", *object).node("index", *index);
        }
        Expr::Field { object, field } => {
            to.kind("field").node("object", *object).text("field", field);
        }
        Expr::Lambda { params, body } => {
            to.kind("lambda").nodes("params", params).node("body", *body);
        }
        Expr::If { condition, then_branch, else_branch } => {
            to.kind("if").node("condition", *condition).node("thenBranch", *then_branch);
            to.node_if("elseBranch", *else_branch);
        }
        Expr::Match { scrutinee, arms } => {
            to.kind("match").node("scrutinee", *scrutinee).nodes("arms", arms);
        }
        Expr::Block { statements, expr } => {
            to.kind("block").nodes("statements", statements).node_if("expr", *expr);
        }
        Expr::Array { elements } => {
            to.kind("array").nodes("elements", elements);
        }
        Expr::Tuple { elements } => {
            to.kind("tuple").nodes("elements", elements);
        }
        Expr::Record { fields } => {
            to.kind("record").nodes("fields", fields);
        }
        Expr::RecordLit { name, fields } => {
            to.kind("recordLit").text("name", name).nodes("fields", fields);
        }
        Expr::Range { start, end, inclusive } => {
            to.kind("range").node("start", *start).node("end", *end).flag("inclusive", *inclusive);
        }
        Expr::Propagate { expr } => {
            to.kind("propagate").node("expr", *expr);
        }
        Expr::Hole { name } => {
            to.kind("hole").text_if("name", name.as_deref());
        }
        Expr::Error { source } => {
            to.text("source", source);
        }
    }
}

fn ty<'a>(it: &'a Type, to: &mut Members<'a>) {
    match it {
        Type::Named { name, args } => {
            to.kind("named").text("name", name).nodes_if_any("args", args)
        }
        Type::Array { element } => to.kind("array").node("element", *element),
        Type::Tuple { elements } => to.kind("tuple").nodes("elements", elements),
        Type::Function { params, result } => {
            to.kind("function").nodes("params", params).node("returnType", *result)
        }
        Type::Refined { base, variable, predicate } => to
            .kind("refined")
            .node("base", *base)
            .text_if("varName", variable.as_deref())
            .node("predicate", *predicate),
        Type::Effect { effects, result } => {
            to.kind("effect").nodes("effects", effects).node("resultType", *result)
        }
        Type::Record { fields, open } => {
            to.kind("recordType").nodes("fields", fields).flag("isOpen", *open)
        }
        Type::Error { source } => to.text("source", source),
    };
}

fn pattern<'a>(it: &'a Pattern, to: &mut Members<'a>) {
    match it {
        Pattern::Wildcard => {
            to.kind("wildcard");
        }
        Pattern::Ident { name } => {
            to.kind("ident").text("name", name);
        }
        Pattern::Literal(it) => {
            to.kind("literal").list.push(("value", Value::Literal(it)));
        }
        Pattern::Tuple { elements } => {
            to.kind("tuple").nodes("elements", elements);
        }
        Pattern::Record { fields } => {
            to.kind("record").nodes("fields", fields);
        }
        Pattern::Variant { name, payload } => {
            to.kind("variant").text("name", name).nodes_if_any("payload", payload);
        }
        Pattern::Error { source } => {
            to.text("source", source);
        }
    }
}

/// The suffix as it is written.
pub(crate) fn suffix_text(suffix: IntSuffix) -> &'static str {
    match suffix {
        IntSuffix::I32 => "i32",
        IntSuffix::I64 => "i64",
    }
}

/// The shortest digits that give the same number, with a point or an exponent; valid in Clank and in JSON.
pub(crate) fn float_text(value: f64) -> String {
    // The debug form has exactly these properties for finite numbers: `1.0`, `0.1`, `1e21`, `-0.0`.
    format!("{value:?}")
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for it in text.chars() {
        match it {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(it)); // Writing to a string does not fail.
            }
            _ => out.push(it),
        }
    }
    out.push('"');
}
