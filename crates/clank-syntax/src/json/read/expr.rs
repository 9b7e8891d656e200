//! Expressions.
//!
//! Chains (`a + b + c`, `f(x)(y).z`, `a ^ b ^ c`, `else if`) are as deep in JSON as they are long. They are read in
//! loops and count as one level.

use super::node::WireForm;
use super::scalar::split_sign;
use super::{NOWHERE, Reader};
use crate::ast::{
    Arm, ArmId, BinaryOp, Expr, ExprId, FieldInit, FieldInitId, LambdaParam, LambdaParamId,
    MAX_CHAIN, TemplatePart, UnaryOp,
};
use crate::json::FILE;
use crate::json::value::{Value, ValueId};
use crate::parse::Fragment;

pub(super) const EXPRS: [&str; 19] = [
    "literal",
    "template",
    "ident",
    "unary",
    "binary",
    "call",
    "index",
    "field",
    "lambda",
    "if",
    "match",
    "block",
    "array",
    "tuple",
    "record",
    "recordLit",
    "range",
    "propagate",
    "hole",
];

impl<'a> Reader<'a> {
    pub(super) fn expr_member(&mut self, of: ValueId, key: &str) -> Option<ExprId> {
        let at = self.required(of, key)?;
        self.expr(at)
    }

    pub(super) fn expr_if_any(&mut self, of: ValueId, key: &str) -> Option<Option<ExprId>> {
        match self.doc.member(of, key) {
            Some(at) => self.expr(at).map(Some),
            None => Some(None),
        }
    }

    pub(super) fn expr(&mut self, at: ValueId) -> Option<ExprId> {
        self.nested(at, |it| it.spine(at))
    }

    /// The kind of a node that is written as a tree.
    fn kind_of(&self, at: ValueId) -> Option<&'a str> {
        match self.doc.member(at, "source") {
            Some(_) => None,
            None => self.doc.text_member(at, "kind"),
        }
    }

    /// Reads an expression and all that it is the first operand of.
    fn spine(&mut self, at: ValueId) -> Option<ExprId> {
        let mut outer = Vec::new();
        let mut innermost = at;
        while let Some(inner) = self.first_operand(innermost) {
            outer.push(innermost);
            innermost = inner;
            if outer.len() > MAX_CHAIN as usize {
                self.too_long(innermost);
                return None;
            }
        }
        let mut it = match outer.is_empty() {
            true => self.expr_node(innermost),
            false => self.nested(innermost, |it| it.expr_node(innermost)),
        };
        while let Some(at) = outer.pop() {
            it = self.with_first_operand(at, it);
        }
        it
    }

    fn too_long(&mut self, at: ValueId) {
        self.error(at, format!("a chain of more than {MAX_CHAIN} operators, calls or branches"));
    }

    fn first_operand(&self, at: ValueId) -> Option<ValueId> {
        let key = match self.kind_of(at)? {
            "binary" => "left",
            "call" => "callee",
            "index" | "field" => "object",
            "propagate" => "expr",
            _ => return None,
        };
        self.doc.member(at, key)
    }

    /// Reads the rest of a node whose first operand was read.
    fn with_first_operand(&mut self, at: ValueId, first: Option<ExprId>) -> Option<ExprId> {
        let it = match self.kind_of(at)? {
            "binary" => return self.binary(at, first),
            "call" => {
                let args = self.elements(at, "args");
                let args = self.each(args, Self::expr);
                Expr::Call { callee: first?, args: args? }
            }
            "index" => {
                let index = self.expr_member(at, "index");
                Expr::Index { object: first?, index: index? }
            }
            "field" => {
                let field = self.field_name(at, "field");
                Expr::Field { object: first?, field: field? }
            }
            _ => Expr::Propagate { expr: first? },
        };
        Some(self.made(at, it))
    }

    fn made(&mut self, at: ValueId, it: Expr) -> ExprId {
        let expr = self.builder.expr(it, NOWHERE);
        self.dress(at, expr)
    }

    fn is_pow(&self, at: ValueId) -> bool {
        self.kind_of(at) == Some("binary") && self.doc.text_member(at, "op") == Some("^")
    }

    /// Reads the rest of a binary expression; of a chain of `^`, which is deep on the right, all the rest.
    fn binary(&mut self, at: ValueId, first: Option<ExprId>) -> Option<ExprId> {
        let op = self.binary_op(at);
        let mut outer = vec![(at, op, first)];
        let mut innermost = self.required(at, "right");
        if op == Some(BinaryOp::Pow) {
            while let Some(at) = innermost.filter(|it| self.is_pow(*it)) {
                let left = self.expr_member(at, "left");
                outer.push((at, op, left));
                innermost = self.required(at, "right");
                if outer.len() > MAX_CHAIN as usize {
                    self.too_long(at);
                    return None;
                }
            }
        }
        let mut right = innermost.and_then(|it| self.expr(it));
        while let Some((at, op, left)) = outer.pop() {
            right = match (op, left, right) {
                (Some(op), Some(left), Some(right)) => {
                    Some(self.made(at, Expr::Binary { op, left, right }))
                }
                _ => None,
            };
        }
        right
    }

    fn binary_op(&mut self, at: ValueId) -> Option<BinaryOp> {
        let text = self.string(at, "op")?;
        let op = BinaryOp::from_text(text);
        if op.is_none() {
            let known: Vec<&str> = BinaryOp::ALL.iter().map(|it| it.text()).collect();
            let shown: String = text.chars().take(20).collect();
            let message =
                format!("{shown:?} is not a binary operator; expected one of {}", known.join(" "));
            self.error_at_member(at, "op", message);
        }
        op
    }

    /// Reads an expression that does not start with another one.
    fn expr_node(&mut self, at: ValueId) -> Option<ExprId> {
        match self.form(at, "an expression")? {
            WireForm::Fragment(text) => {
                let node = self.fragment(at, text, Fragment::Expr)?;
                let expr = ExprId::made(&self.builder, node)?;
                Some(self.dress(at, expr))
            }
            WireForm::Kind("literal") => self.literal_expr(at),
            WireForm::Kind("template") => self.template(at, at),
            WireForm::Kind("if") => self.if_chain(at),
            WireForm::Kind(kind) => {
                let it = self.expr_kind(at, kind)?;
                Some(self.made(at, it))
            }
        }
    }

    fn expr_kind(&mut self, at: ValueId, kind: &str) -> Option<Expr> {
        match kind {
            "ident" => {
                let name = self.required(at, "name")?;
                self.any_name(name).map(|name| Expr::Ident { name })
            }
            "unary" => {
                let op = self.unary_op(at);
                let operand = self.expr_member(at, "operand");
                Some(Expr::Unary { op: op?, operand: operand? })
            }
            "lambda" => {
                let params = self.elements(at, "params");
                let params = self.each(params, Self::lambda_param);
                let body = self.expr_member(at, "body");
                Some(Expr::Lambda { params: params?, body: body? })
            }
            "match" => {
                let scrutinee = self.expr_member(at, "scrutinee");
                let arms = self.elements(at, "arms");
                let arms = self.each(arms, Self::arm);
                Some(Expr::Match { scrutinee: scrutinee?, arms: arms? })
            }
            "block" => self.block_kind(at),
            "array" => {
                let elements = self.elements(at, "elements");
                self.each(elements, Self::expr).map(|elements| Expr::Array { elements })
            }
            "tuple" => {
                let elements = self.elements(at, "elements");
                let elements = self.each(elements, Self::expr)?;
                let hint = "the value `()` is a literal of kind `unit`";
                self.at_least_one(at, "elements", elements.len(), hint)?;
                Some(Expr::Tuple { elements })
            }
            "record" => {
                let fields = self.elements(at, "fields");
                let fields = self.each(fields, Self::field_init)?;
                self.at_least_one(at, "fields", fields.len(), "`{}` is a block")?;
                Some(Expr::Record { fields })
            }
            "recordLit" => {
                let name = self.qualified_type_name(at, "name");
                let fields = self.elements(at, "fields");
                let fields = self.each(fields, Self::field_init);
                Some(Expr::RecordLit { name: name?, fields: fields? })
            }
            "range" => {
                let start = self.expr_member(at, "start");
                let end = self.expr_member(at, "end");
                let inclusive = self.flag(at, "inclusive");
                Some(Expr::Range { start: start?, end: end?, inclusive: inclusive? })
            }
            "hole" => self.value_name_if_any(at, "name").map(|name| Expr::Hole { name }),
            "binary" => self.without_first_operand(at, "left"),
            "call" => self.without_first_operand(at, "callee"),
            "index" | "field" => self.without_first_operand(at, "object"),
            "propagate" => self.without_first_operand(at, "expr"),
            other => {
                self.unknown_kind(at, "expression", other, &EXPRS);
                None
            }
        }
    }

    fn without_first_operand(&mut self, at: ValueId, key: &str) -> Option<Expr> {
        self.required(at, key);
        self.with_first_operand(at, None);
        None
    }

    fn unary_op(&mut self, at: ValueId) -> Option<UnaryOp> {
        match self.string(at, "op")? {
            "-" => Some(UnaryOp::Neg),
            "!" | "¬" => Some(UnaryOp::Not),
            other => {
                let shown: String = other.chars().take(20).collect();
                let message = format!("{shown:?} is not a unary operator; expected - or !");
                self.error_at_member(at, "op", message);
                None
            }
        }
    }

    fn literal_expr(&mut self, at: ValueId) -> Option<ExprId> {
        let value = self.required(at, "value")?;
        self.expect_object(value, "an object such as {\"kind\": \"int\", \"value\": \"1\"}")?;
        if self.doc.text_member(value, "kind") == Some("template") {
            return self.template(at, value);
        }
        let (is_negative, literal) = split_sign(self.literal(value)?);
        if !is_negative {
            return Some(self.made(at, Expr::Literal(literal)));
        }
        // Only patterns have signs of their own.
        let operand = self.builder.expr(Expr::Literal(literal), NOWHERE);
        Some(self.made(at, Expr::Unary { op: UnaryOp::Neg, operand }))
    }

    /// A template: its `parts`, or its text between the backticks as `value`.
    fn template(&mut self, at: ValueId, of: ValueId) -> Option<ExprId> {
        if self.doc.member(of, "parts").is_none() && self.doc.member(of, "value").is_some() {
            let text = format!("`{}`", self.string(of, "value")?);
            self.has_comments_in_fragments |= text.contains("//") || text.contains("/*");
            let node = self.parse_text(of, "value", FILE, &text, 1, Fragment::Expr)?;
            let expr = ExprId::made(&self.builder, node)?;
            let is_template = matches!(
                self.builder.node(node).kind,
                crate::ast::AstKind::Expr(Expr::Template { .. })
            );
            if !is_template && !self.lenient {
                self.error_at_member(of, "value", "a backtick ends the template early".into());
                return None;
            }
            return Some(self.dress(at, expr));
        }
        let elements = self.elements(of, "parts");
        let parts = self.each(elements, |it, at| match it.doc.get(at) {
            Value::Str(text) => Some(TemplatePart::Text(text.clone())),
            _ => it.expr(at).map(TemplatePart::Expr),
        })?;
        let mut joined: Vec<TemplatePart> = Vec::with_capacity(parts.len());
        for part in parts {
            match (joined.last_mut(), part) {
                (Some(TemplatePart::Text(before)), TemplatePart::Text(text)) => {
                    before.push_str(&text)
                }
                (_, TemplatePart::Text(text)) if text.is_empty() => {}
                (_, part) => joined.push(part),
            }
        }
        Some(self.made(at, Expr::Template { parts: joined.into() }))
    }

    fn if_chain(&mut self, at: ValueId) -> Option<ExprId> {
        let mut outer = Vec::new();
        let mut next = Some(at);
        let mut last = Some(None);
        while let Some(at) = next.take() {
            if outer.len() > MAX_CHAIN as usize {
                self.too_long(at);
                return None;
            }
            let condition = self.expr_member(at, "condition");
            let then_branch = self.block_member(at, "thenBranch");
            outer.push((at, condition, then_branch));
            match self.doc.member(at, "elseBranch") {
                Some(branch) if self.kind_of(branch) == Some("if") => next = Some(branch),
                Some(branch) => last = self.block(branch).map(Some),
                None => {}
            }
        }
        while let Some((at, condition, then_branch)) = outer.pop() {
            last = match (condition, then_branch, last) {
                (Some(condition), Some(then_branch), Some(else_branch)) => {
                    Some(Some(self.made(at, Expr::If { condition, then_branch, else_branch })))
                }
                _ => None,
            };
        }
        last?
    }

    pub(super) fn block_member(&mut self, of: ValueId, key: &str) -> Option<ExprId> {
        let at = self.required(of, key)?;
        self.block(at)
    }

    pub(super) fn block(&mut self, at: ValueId) -> Option<ExprId> {
        self.nested(at, |it| match it.form(at, "a block")? {
            WireForm::Fragment(text) => {
                let node = it.fragment(at, text, Fragment::Block)?;
                let block = ExprId::made(&it.builder, node)?;
                Some(it.dress(at, block))
            }
            WireForm::Kind("block") => {
                let block = it.block_kind(at)?;
                Some(it.made(at, block))
            }
            WireForm::Kind(other) => {
                it.unknown_kind(at, "block", other, &["block"]);
                None
            }
        })
    }

    fn block_kind(&mut self, at: ValueId) -> Option<Expr> {
        let statements = self.elements(at, "statements");
        let statements = self.each(statements, Self::stmt);
        let expr = self.expr_if_any(at, "expr");
        Some(Expr::Block { statements: statements?, expr: expr? })
    }

    pub(super) fn lambda_param(&mut self, at: ValueId) -> Option<LambdaParamId> {
        self.expect_object(at, "a parameter (an object with `name`)")?;
        let name = self.value_name_or_wildcard(at, "name");
        let ty = self.type_if_any(at, "type");
        let param = self.builder.lambda_param(LambdaParam { name: name?, ty: ty? }, NOWHERE);
        Some(self.dress(at, param))
    }

    pub(super) fn arm(&mut self, at: ValueId) -> Option<ArmId> {
        self.expect_object(at, "an arm (an object with `pattern` and `body`)")?;
        let pattern = self.pattern_member(at, "pattern");
        let guard = self.expr_if_any(at, "guard");
        let body = self.expr_member(at, "body");
        let arm = Arm { pattern: pattern?, guard: guard?, body: body? };
        let arm = self.builder.arm(arm, NOWHERE);
        Some(self.dress(at, arm))
    }

    pub(super) fn field_init(&mut self, at: ValueId) -> Option<FieldInitId> {
        self.expect_object(at, "a field (an object with `name` and `value`)")?;
        let name = self.value_name(at, "name");
        let value = self.expr_member(at, "value");
        let field = self.builder.field_init(FieldInit { name: name?, value: value? }, NOWHERE);
        Some(self.dress(at, field))
    }
}
