//! The tree as text: two blanks a level, double quotes, semicolons, as few parentheses as JavaScript's grammar allows.
//! JavaScript is the same text without the types.

use clank_syntax::ast::Name;
use clank_syntax::with_stack;

use super::doc::{DocId, Docs};
use super::tree::{
    Arrow, ArrowBody, BindingTarget, DeclKind, Expr, ExprKind, FunctionDecl, JsBlock, Stmt,
    StmtKind, TemplatePart, TopLevel,
};
use crate::runtime::OutputLanguage;

const ARROW: u8 = 2;
const CONDITIONAL: u8 = 3;
const OR: u8 = 4;
const AND: u8 = 5;
const POWER: u8 = 14;
const UNARY: u8 = 15;
const POSTFIX: u8 = 18;
const PRIMARY: u8 = 20;

/// A printer of one file.
pub(crate) struct Printer {
    pub(crate) docs: Docs,
    typed: bool,
}

impl Printer {
    pub(crate) fn new(dialect: OutputLanguage) -> Printer {
        Printer { docs: Docs::default(), typed: dialect == OutputLanguage::TypeScript }
    }

    /// A declaration, or nothing if the language has none like it.
    pub(crate) fn top_level(&mut self, item: &TopLevel) -> Option<DocId> {
        let doc = match &item.kind {
            DeclKind::Function(it) => self.function(it),
            DeclKind::Interface { .. } | DeclKind::Union { .. } if !self.typed => return None,
            DeclKind::Interface { name, params, fields } => self.interface(name, params, fields),
            DeclKind::Union { name, params, variants } => self.union(name, params, variants),
            DeclKind::Const { name, ty, init } => {
                let ty = self.annotation(ty.as_deref());
                let parts = [
                    self.docs.text(format!("const {name}")),
                    ty,
                    self.docs.text(" = "),
                    self.expr(init, ARROW),
                    self.docs.text(";"),
                ];
                self.docs.concat(parts.into())
            }
        };
        let mut parts = Vec::new();
        for comment in &item.comments {
            parts.push(self.docs.text(comment.as_str()));
            parts.push(self.docs.hard());
        }
        parts.push(self.docs.mark(item.origin));
        if item.export {
            parts.push(self.docs.text("export "));
        }
        parts.push(doc);
        Some(self.docs.concat(parts))
    }

    fn function(&mut self, it: &FunctionDecl) -> DocId {
        let params = it.params.iter().map(|(name, ty)| {
            let ty = self.annotation(Some(ty));
            let name = self.docs.text(name.as_str());
            self.docs.concat(vec![name, ty])
        });
        let params = params.collect();
        let generics = if self.typed { generics(&it.type_params) } else { String::new() };
        let parts = vec![
            self.docs.text(format!("function {}{generics}", it.name)),
            self.docs.list("(", params, ")", false),
            self.annotation(Some(&it.result)),
            self.docs.text(" "),
            self.block(&it.body),
        ];
        self.docs.concat(parts)
    }

    fn interface(&mut self, name: &str, params: &[Name], fields: &[(Name, String)]) -> DocId {
        let head = format!("interface {name}{} {{", generics(params));
        if fields.is_empty() {
            return self.docs.text(head + "}");
        }
        let mut inner = Vec::new();
        for (field, ty) in fields {
            inner.push(self.docs.hard());
            inner.push(self.docs.text(format!("{field}: {ty};")));
        }
        let inner = self.docs.concat(inner);
        let parts = vec![
            self.docs.text(head),
            self.docs.indent(inner),
            self.docs.hard(),
            self.docs.text("}"),
        ];
        self.docs.concat(parts)
    }

    fn union(
        &mut self,
        name: &str,
        params: &[Name],
        variants: &[(Name, Vec<(Name, String)>)],
    ) -> DocId {
        let texts = variants.iter().map(|(variant, fields)| {
            let fields: String =
                fields.iter().map(|(field, ty)| format!("; {field}: {ty}")).collect();
            format!("{{ tag: {}{fields} }}", quote(variant))
        });
        let texts: Vec<String> = texts.collect();
        let head = format!("type {name}{} =", generics(params));
        if texts.is_empty() {
            return self.docs.text(head + " never;");
        }
        let mut inner = Vec::new();
        for (index, text) in texts.into_iter().enumerate() {
            inner.push(self.docs.line());
            if index == 0 {
                inner.push(self.docs.if_broken("| "));
                inner.push(self.docs.text(text));
            } else {
                inner.push(self.docs.text(format!("| {text}")));
            }
        }
        let inner = self.docs.concat(inner);
        let parts = vec![self.docs.text(head), self.docs.indent(inner), self.docs.text(";")];
        let all = self.docs.concat(parts);
        self.docs.group(all)
    }

    /// `: T` in TypeScript, nothing in JavaScript.
    fn annotation(&mut self, ty: Option<&str>) -> DocId {
        match ty {
            Some(ty) if self.typed => self.docs.text(format!(": {ty}")),
            _ => self.docs.text(""),
        }
    }

    fn block(&mut self, block: &JsBlock) -> DocId {
        if block.0.is_empty() {
            return self.docs.text("{}");
        }
        let inner = self.lines(&block.0);
        let parts = vec![
            self.docs.text("{"),
            self.docs.indent(inner),
            self.docs.hard(),
            self.docs.text("}"),
        ];
        self.docs.concat(parts)
    }

    /// Statements, each after a line break.
    fn lines(&mut self, statements: &[Stmt]) -> DocId {
        let mut parts = Vec::with_capacity(statements.len() * 2);
        for stmt in statements {
            if matches!(stmt.kind, StmtKind::TypedComment(_)) && !self.typed {
                continue;
            }
            parts.push(self.docs.hard());
            parts.push(with_stack(|| self.stmt(stmt)));
        }
        self.docs.concat(parts)
    }

    fn stmt(&mut self, stmt: &Stmt) -> DocId {
        let mark = self.docs.mark(stmt.origin);
        let doc = match &stmt.kind {
            StmtKind::Const { mutable, target, ty, init } => {
                let word = if *mutable { "let" } else { "const" };
                let target = target_text(target);
                self.binding(&format!("{word} {target}"), ty.as_deref(), Some(init))
            }
            StmtKind::Let { name, ty, init } => {
                self.binding(&format!("let {name}"), ty.as_deref(), init.as_ref())
            }
            StmtKind::Assign { target, value } => {
                let (op, value) = in_place(target, value);
                let parts = vec![
                    self.expr(target, POSTFIX),
                    self.docs.text(format!(" {op} ")),
                    self.expr(value, ARROW),
                    self.docs.text(";"),
                ];
                self.docs.concat(parts)
            }
            StmtKind::Expr(expr) => {
                let inner = self.expr(expr, ARROW);
                let inner = if starts_with_brace(expr) { self.parens(inner) } else { inner };
                self.then(inner, ";")
            }
            StmtKind::If { branches, otherwise } => self.if_chain(branches, otherwise.as_ref()),
            StmtKind::Switch { subject, cases } => {
                let parts = vec![
                    self.docs.text("switch ("),
                    self.expr(subject, 0),
                    self.docs.text(") {"),
                    {
                        let cases = cases.iter().map(|it| self.case(it)).collect();
                        let cases = self.docs.concat(cases);
                        self.docs.indent(cases)
                    },
                    self.docs.hard(),
                    self.docs.text("}"),
                ];
                self.docs.concat(parts)
            }
            StmtKind::While { .. } | StmtKind::ForOf { .. } | StmtKind::Count { .. } => {
                self.repetition(&stmt.kind)
            }
            StmtKind::Labelled { label, body } => {
                let parts = vec![self.docs.text(format!("{label}: ")), self.block(body)];
                self.docs.concat(parts)
            }
            StmtKind::TypedComment(text) => self.docs.text(format!("// {text}")),
            StmtKind::Scope(body) => self.block(body),
            StmtKind::Return(None) => self.docs.text("return;"),
            StmtKind::Return(Some(value)) => {
                let inner = match value.kind {
                    ExprKind::Binary { .. } => {
                        let chain = self.binary(value, false);
                        self.parens_if_broken(chain)
                    }
                    _ => self.expr(value, 0),
                };
                let parts = vec![self.docs.text("return "), inner, self.docs.text(";")];
                self.docs.concat(parts)
            }
            StmtKind::Break(label) => self.docs.text(jump("break", label.as_deref())),
            StmtKind::Continue(label) => self.docs.text(jump("continue", label.as_deref())),
        };
        self.docs.concat(vec![mark, doc])
    }

    fn binding(&mut self, head: &str, ty: Option<&str>, init: Option<&Expr>) -> DocId {
        let mut parts = vec![self.docs.text(head), self.annotation(ty)];
        if let Some(init) = init {
            parts.push(self.docs.text(" = "));
            parts.push(self.expr(init, ARROW));
        }
        parts.push(self.docs.text(";"));
        self.docs.concat(parts)
    }

    fn if_chain(&mut self, branches: &[(Expr, JsBlock)], otherwise: Option<&JsBlock>) -> DocId {
        let mut parts = Vec::new();
        for (index, (condition, block)) in branches.iter().enumerate() {
            parts.push(self.docs.text(if index == 0 { "if " } else { " else if " }));
            let condition = match condition.kind {
                ExprKind::Binary { .. } => self.binary(condition, false),
                _ => self.expr(condition, 0),
            };
            parts.push(self.parens(condition));
            parts.push(self.docs.text(" "));
            parts.push(self.block(block));
        }
        if let Some(block) = otherwise {
            parts.push(self.docs.text(" else "));
            parts.push(self.block(block));
        }
        self.docs.concat(parts)
    }

    fn case(&mut self, case: &super::tree::SwitchCase) -> DocId {
        let mut parts = Vec::new();
        for test in &case.tests {
            let inner = vec![
                self.docs.hard(),
                self.docs.text("case "),
                self.expr(test, 0),
                self.docs.text(":"),
            ];
            parts.push(self.docs.concat(inner));
        }
        if case.tests.is_empty() {
            parts.push(self.docs.hard());
            parts.push(self.docs.text("default:"));
        }
        let declares = |it: &Stmt| matches!(it.kind, StmtKind::Const { .. } | StmtKind::Let { .. });
        if case.body.0.iter().any(declares) {
            parts.push(self.docs.text(" "));
            parts.push(self.block(&case.body));
        } else {
            let lines = self.lines(&case.body.0);
            parts.push(self.docs.indent(lines));
        }
        self.docs.concat(parts)
    }

    fn repetition(&mut self, kind: &StmtKind) -> DocId {
        let (label, head, body) = match kind {
            StmtKind::While { label, condition, body } => {
                let head = self.expr(condition, 0);
                let parens = self.parens(head);
                (label, vec![self.docs.text("while "), parens], body)
            }
            StmtKind::ForOf { label, target, iterable, body } => {
                let head = self.docs.text(format!("for (const {} of ", target_text(target)));
                let iterable = self.expr(iterable, ARROW);
                (label, vec![head, iterable, self.docs.text(")")], body)
            }
            StmtKind::Count { label, name, start, end, inclusive, body } => {
                let compare = if *inclusive { "<=" } else { "<" };
                let head = vec![
                    self.docs.text(format!("for (let {name} = ")),
                    self.expr(start, ARROW),
                    self.docs.text(format!("; {name} {compare} ")),
                    self.expr(end, 11),
                    self.docs.text(format!("; {name}++)")),
                ];
                (label, head, body)
            }
            _ => return self.docs.text(""),
        };
        let mut parts = Vec::new();
        if let Some(label) = label {
            parts.push(self.docs.text(format!("{label}: ")));
        }
        parts.extend(head);
        parts.push(self.docs.text(" "));
        parts.push(self.block(body));
        self.docs.concat(parts)
    }

    fn parens(&mut self, inner: DocId) -> DocId {
        let soft = self.docs.soft();
        let indented = self.docs.concat(vec![soft, inner]);
        let parts = vec![
            self.docs.text("("),
            self.docs.indent(indented),
            self.docs.soft(),
            self.docs.text(")"),
        ];
        if self.docs.is_broken(inner) {
            let parts = vec![self.docs.text("("), inner, self.docs.text(")")];
            return self.docs.concat(parts);
        }
        let all = self.docs.concat(parts);
        self.docs.group(all)
    }

    fn parens_if_broken(&mut self, inner: DocId) -> DocId {
        let soft = self.docs.soft();
        let indented = self.docs.concat(vec![soft, inner]);
        let parts = vec![
            self.docs.if_broken("("),
            self.docs.indent(indented),
            self.docs.soft(),
            self.docs.if_broken(")"),
        ];
        let all = self.docs.concat(parts);
        self.docs.group(all)
    }

    /// The document, followed by the text.
    fn then(&mut self, doc: DocId, text: &str) -> DocId {
        let text = self.docs.text(text);
        self.docs.concat(vec![doc, text])
    }

    /// An expression, in parentheses if it binds less tightly than its place needs.
    fn expr(&mut self, expr: &Expr, needed: u8) -> DocId {
        with_stack(|| {
            let doc = self.bare(expr);
            let is_erased = matches!(expr.kind, ExprKind::As { .. }) && !self.typed;
            if !is_erased && precedence(expr) < needed { self.parens(doc) } else { doc }
        })
    }

    fn bare(&mut self, expr: &Expr) -> DocId {
        match &expr.kind {
            ExprKind::Ident(name) => self.docs.text(name.as_str()),
            ExprKind::Generic { name, types } => match self.typed {
                true => self.docs.text(format!("{name}<{types}>")),
                false => self.docs.text(name.as_str()),
            },
            ExprKind::Int(digits) => self.docs.text(format!("{digits}n")),
            ExprKind::Float(value) => self.docs.text(float_text(*value)),
            ExprKind::Str(text) => self.docs.text(quote(text)),
            ExprKind::Bool(value) => self.docs.text(value.to_string()),
            ExprKind::Undefined => self.docs.text("undefined"),
            ExprKind::Template(parts) => self.template(parts),
            ExprKind::Unary { op, operand } => {
                let parts = vec![self.docs.text(*op), self.unary_operand(op, operand)];
                self.docs.concat(parts)
            }
            ExprKind::Binary { .. } => self.binary(expr, true),
            ExprKind::Conditional { condition, then, otherwise } => {
                let rest = vec![
                    self.docs.line(),
                    self.docs.text("? "),
                    self.expr(then, CONDITIONAL),
                    self.docs.line(),
                    self.docs.text(": "),
                    self.expr(otherwise, CONDITIONAL),
                ];
                let rest = self.docs.concat(rest);
                let parts = vec![self.expr(condition, OR), self.docs.indent(rest)];
                let all = self.docs.concat(parts);
                self.docs.group(all)
            }
            ExprKind::Call { callee, args, origin } => {
                let mut parts = vec![self.docs.mark(*origin), self.expr(callee, POSTFIX)];
                parts.push(self.arguments(args));
                self.docs.concat(parts)
            }
            ExprKind::Member { object, name } => {
                let object = self.expr(object, POSTFIX);
                self.then(object, &format!(".{name}"))
            }
            ExprKind::Element { object, index } => self.element(object, index),
            ExprKind::Array(items) => {
                let items = items.iter().map(|it| {
                    let expr = self.expr(&it.expr, ARROW);
                    let dots = self.docs.text(if it.spread { "..." } else { "" });
                    self.docs.concat(vec![dots, expr])
                });
                let items = items.collect();
                self.docs.list("[", items, "]", false)
            }
            ExprKind::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| self.property(name, value));
                let fields = fields.collect();
                self.docs.list("{", fields, "}", true)
            }
            ExprKind::Arrow(arrow) => self.arrow(arrow),
            ExprKind::As { operand, ty } => {
                let inner = self.expr(operand, if self.typed { 10 } else { 0 });
                if self.typed { self.then(inner, &format!(" as {ty}")) } else { inner }
            }
            ExprKind::Host(text) if is_path(text) => self.docs.text(text.as_str()),
            ExprKind::Host(text) => self.docs.text(format!("({text})")),
        }
    }

    fn element(&mut self, object: &Expr, index: &Expr) -> DocId {
        let parts = vec![
            self.expr(object, POSTFIX),
            self.docs.text("["),
            match index.kind {
                // A position is a whole number, which needs no point.
                ExprKind::Float(position) => self.docs.text(format!("{position}")),
                _ => self.expr(index, 0),
            },
            self.docs.text("]"),
        ];
        self.docs.concat(parts)
    }

    fn unary_operand(&mut self, op: &str, operand: &Expr) -> DocId {
        // `--x` would be another operator.
        let doubled = op == "-"
            && match &operand.kind {
                ExprKind::Unary { op, .. } => *op == "-",
                ExprKind::Int(digits) => digits.starts_with('-'),
                ExprKind::Float(value) => value.is_sign_negative(),
                _ => false,
            };
        self.expr(operand, if doubled { PRIMARY } else { UNARY })
    }

    /// Operators of one precedence that follow one another are broken together.
    fn binary(&mut self, expr: &Expr, is_indented: bool) -> DocId {
        let level = precedence(expr);
        let mut rest = Vec::new();
        let mut first = expr;
        while let ExprKind::Binary { op, left, right } = &first.kind {
            if precedence(first) != level || *op == "**" {
                break;
            }
            rest.push((*op, right));
            first = left;
        }
        if let (true, ExprKind::Binary { op, left, right }) = (rest.is_empty(), &expr.kind) {
            let parts = vec![
                self.expr(left, UNARY + 1),
                self.docs.text(format!(" {op} ")),
                self.expr(right, POWER),
            ];
            return self.docs.concat(parts);
        }
        let first = self.operand(first, level, level);
        let mut tail = Vec::new();
        for (op, right) in rest.into_iter().rev() {
            tail.push(self.docs.text(format!(" {op}")));
            tail.push(self.docs.line());
            tail.push(self.operand(right, level, level + 1));
        }
        let tail = self.docs.concat(tail);
        if !is_indented {
            return self.docs.concat(vec![first, tail]);
        }
        let tail = self.docs.indent(tail);
        let all = self.docs.concat(vec![first, tail]);
        self.docs.group(all)
    }

    /// `&&` inside `||` is put in parentheses for the reader.
    fn operand(&mut self, operand: &Expr, level: u8, needed: u8) -> DocId {
        let is_mixed = level == OR && precedence(operand) == AND;
        self.expr(operand, if is_mixed { UNARY } else { needed })
    }

    fn template(&mut self, parts: &[TemplatePart]) -> DocId {
        let mut docs = vec![self.docs.text("`")];
        for part in parts {
            match part {
                TemplatePart::Text(text) => docs.push(self.docs.text(template_text(text))),
                TemplatePart::Expr(expr) => {
                    docs.push(self.docs.text("${"));
                    docs.push(self.expr(expr, 0));
                    docs.push(self.docs.text("}"));
                }
            }
        }
        docs.push(self.docs.text("`"));
        self.docs.concat(docs)
    }

    fn property(&mut self, name: &str, value: &Expr) -> DocId {
        // `__proto__: v` would set the prototype.
        if name == "__proto__" {
            let value = self.expr(value, ARROW);
            let key = self.docs.text("[\"__proto__\"]: ");
            return self.docs.concat(vec![key, value]);
        }
        if value.is_ident(name) {
            return self.docs.text(name);
        }
        let value = self.expr(value, ARROW);
        let key = self.docs.text(format!("{name}: "));
        self.docs.concat(vec![key, value])
    }

    /// A function or a collection as the last argument may go on over several lines while the others stay.
    fn arguments(&mut self, args: &[Expr]) -> DocId {
        let docs: Vec<DocId> = args.iter().map(|it| self.expr(it, ARROW)).collect();
        let Some((last, others)) = docs.split_last() else {
            return self.docs.text("()");
        };
        let is_huge = self.docs.is_broken(*last)
            || (others.is_empty()
                && matches!(
                    args.last().map(|it| &it.kind),
                    Some(ExprKind::Object(_) | ExprKind::Array(_))
                ));
        if !is_huge || others.iter().any(|it| self.docs.is_broken(*it)) {
            return self.docs.list("(", docs, ")", false);
        }
        let mut parts = vec![self.docs.text("(")];
        for other in others {
            parts.push(*other);
            parts.push(self.docs.text(", "));
        }
        parts.push(*last);
        parts.push(self.docs.text(")"));
        self.docs.concat(parts)
    }

    fn arrow(&mut self, arrow: &Arrow) -> DocId {
        let params = arrow.params.iter().map(|(name, ty)| {
            let ty = self.annotation(ty.as_deref());
            let name = self.docs.text(name.as_str());
            self.docs.concat(vec![name, ty])
        });
        let params = params.collect();
        let params = self.docs.list("(", params, ")", false);
        let result = self.annotation(arrow.result.as_deref());
        let body = match &arrow.body {
            ArrowBody::Block(block) => self.block(block),
            ArrowBody::Expr(body) => {
                let inner = self.expr(body, ARROW);
                if starts_with_brace(body) { self.parens(inner) } else { inner }
            }
        };
        let to = self.docs.text(" => ");
        self.docs.concat(vec![params, result, to, body])
    }
}

fn precedence(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Binary { op, .. } => match *op {
            "||" => OR,
            "&&" => AND,
            "===" | "!==" => 9,
            "<" | ">" | "<=" | ">=" => 10,
            "+" | "-" => 12,
            "**" => POWER,
            _ => 13,
        },
        ExprKind::Arrow(_) => ARROW,
        ExprKind::Conditional { .. } => CONDITIONAL,
        // Not needed in a comparison, but easier to read.
        ExprKind::As { .. } => 6,
        ExprKind::Unary { .. } => UNARY,
        ExprKind::Int(digits) if digits.starts_with('-') => UNARY,
        ExprKind::Float(value) if value.is_sign_negative() => UNARY,
        ExprKind::Call { .. } | ExprKind::Member { .. } | ExprKind::Element { .. } => POSTFIX,
        // A number directly before a dot would be read as a longer number.
        _ => PRIMARY,
    }
}

/// Whether its text begins with `{`, which at the start of a statement would open a block.
fn starts_with_brace(expr: &Expr) -> bool {
    let mut first = expr;
    loop {
        first = match &first.kind {
            ExprKind::Object(_) => return true,
            ExprKind::Binary { left, .. } => left,
            ExprKind::Conditional { condition, .. } => condition,
            ExprKind::Call { callee, .. } => callee,
            ExprKind::Member { object, .. } | ExprKind::Element { object, .. } => object,
            ExprKind::As { operand, .. } => operand,
            _ => return false,
        };
    }
}

/// Whether a text of the host is a path of names.
pub(crate) fn is_path(text: &str) -> bool {
    text.split('.').all(|part| {
        !part.is_empty()
            && !part.starts_with(|it: char| it.is_ascii_digit())
            && part.chars().all(|it| it.is_ascii_alphanumeric() || it == '_' || it == '$')
    })
}

/// `x = x + y` is `x += y`.
fn in_place<'e>(target: &Expr, value: &'e Expr) -> (&'static str, &'e Expr) {
    match (&target.kind, &value.kind) {
        (ExprKind::Ident(name), ExprKind::Binary { op, left, right }) if left.is_ident(name) => {
            match *op {
                "+" => ("+=", right),
                "-" => ("-=", right),
                "*" => ("*=", right),
                _ => ("=", value),
            }
        }
        _ => ("=", value),
    }
}

fn jump(word: &str, label: Option<&str>) -> String {
    match label {
        Some(label) => format!("{word} {label};"),
        None => format!("{word};"),
    }
}

fn generics(params: &[Name]) -> String {
    if params.is_empty() { String::new() } else { format!("<{}>", params.join(", ")) }
}

fn target_text(target: &BindingTarget) -> String {
    match target {
        BindingTarget::Name(name) => name.to_string(),
        BindingTarget::Array(parts) => {
            let parts = parts.iter().map(|it| it.as_ref().map_or(String::new(), target_text));
            format!("[{}]", parts.collect::<Vec<_>>().join(", "))
        }
        BindingTarget::Object(fields) if fields.is_empty() => "{}".into(),
        BindingTarget::Object(fields) => {
            let fields = fields.iter().map(|(field, target)| match target {
                BindingTarget::Name(name) if name == field => name.to_string(),
                _ => format!("{field}: {}", target_text(target)),
            });
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
    }
}

fn float_text(value: f64) -> String {
    format!("{value:?}")
}

/// A string literal.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for it in text.chars() {
        match it {
            '"' => quoted.push_str("\\\""),
            _ => escape(it, &mut quoted),
        }
    }
    quoted.push('"');
    quoted
}

fn template_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(it) = chars.next() {
        match it {
            '`' => escaped.push_str("\\`"),
            '$' if chars.peek() == Some(&'{') => escaped.push_str("\\$"),
            _ => escape(it, &mut escaped),
        }
    }
    // The last `$` of a text may stand before the brace of an expression.
    if escaped.ends_with('$') {
        escaped.pop();
        escaped.push_str("\\$");
    }
    escaped
}

fn escape(it: char, out: &mut String) {
    match it {
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
            out.push_str(&format!("\\u{:04x}", u32::from(it)));
        }
        _ => out.push(it),
    }
}
