//! Expressions and where they need parentheses.

use super::decl::ends_itself;
use super::literal::{literal, template_text};
use super::{ParenContext, Printer, Task};
use crate::ast::{
    BinaryOp, Expr, ExprId, LambdaParam, LambdaParamId, Literal, StmtId, TemplatePart, UnaryOp,
};

/// Lambdas reach as far as they can: only where nothing can follow they stand without parentheses.
const LAMBDA: u8 = 0;
/// Blocks, `if` and `match` may be operands, but not readable ones.
const BLOCK_LIKE: u8 = 1;
/// What binary operators add to their precedence.
const BINARY: u8 = 1;
const RANGE: u8 = BINARY + BinaryOp::RANGE;
const UNARY: u8 = 12;
pub(super) const POSTFIX: u8 = 13;
const PRIMARY: u8 = 14;

/// How tightly an expression binds.
fn level(it: &Expr) -> u8 {
    match it {
        Expr::Lambda { .. } => LAMBDA,
        Expr::If { .. } | Expr::Match { .. } | Expr::Block { .. } => BLOCK_LIKE,
        Expr::Binary { op, .. } => BINARY + op.precedence(),
        Expr::Range { .. } => RANGE,
        Expr::Unary { .. } => UNARY,
        // Only a pattern's number is negative in a tree that was read; another one still gets a text.
        Expr::Literal(Literal::Int { value, .. }) if value.sign() == num_bigint::Sign::Minus => {
            UNARY
        }
        Expr::Literal(Literal::Float(value)) if value.is_sign_negative() => UNARY,
        Expr::Call { .. } | Expr::Index { .. } | Expr::Field { .. } | Expr::Propagate { .. } => {
            POSTFIX
        }
        Expr::Literal(_)
        | Expr::Template { .. }
        | Expr::Ident { .. }
        | Expr::Array { .. }
        | Expr::Tuple { .. }
        | Expr::Record { .. }
        | Expr::RecordLit { .. }
        | Expr::Hole { .. }
        | Expr::Error { .. } => PRIMARY,
    }
}

/// Whether an expression shows a brace that a head would take for its block.
fn shows_brace(it: &Expr) -> bool {
    matches!(
        it,
        Expr::Record { .. }
            | Expr::RecordLit { .. }
            | Expr::If { .. }
            | Expr::Match { .. }
            | Expr::Block { .. }
    )
}

pub(super) fn needs_parens(it: &Expr, place: ParenContext) -> bool {
    level(it) < place.level || (place.before_block && shows_brace(it))
}

pub(super) fn expr<'a>(to: &mut Printer<'a, '_>, it: &'a Expr, place: ParenContext) {
    if needs_parens(it, place) {
        to.text("(");
        bare(to, it, false);
        to.text(")");
    } else {
        bare(to, it, place.before_block);
    }
}

fn bare<'a>(to: &mut Printer<'a, '_>, it: &'a Expr, before_block: bool) {
    let operand = |level: u8| ParenContext { before_block, ..ParenContext::operand(level) };
    match it {
        Expr::Literal(it) => to.text(literal(it)),
        Expr::Template { parts } => template(to, parts),
        Expr::Ident { name } => to.text(name.as_str()),
        Expr::Unary { op, operand: inner } => {
            to.text(op.text());
            // `--x` is readable to no one.
            let is_double = *op == UnaryOp::Neg && is_negation(to.ast.expr(*inner));
            to.child_at(*inner, operand(if is_double { POSTFIX } else { UNARY }));
        }
        Expr::Binary { op, left, right } => {
            let (left_level, right_level) = binary_levels(*op);
            to.child_at(*left, operand(left_level));
            to.text(format!(" {} ", op.text()));
            to.child_at(*right, operand(right_level));
        }
        Expr::Call { callee, args } => {
            to.child_at(*callee, operand(POSTFIX));
            to.list("(", args, ")");
        }
        Expr::Index { object, index } => {
            to.child_at(*object, operand(POSTFIX));
            to.list("[", &[*index], "]");
        }
        Expr::Field { object, field } => {
            let is_number = may_make_a_number(to.ast.expr(*object), field);
            to.child_at(*object, operand(if is_number { PRIMARY + 1 } else { POSTFIX }));
            to.text(".");
            to.text(field.as_str());
        }
        Expr::Lambda { params, body } => lambda(to, params, *body),
        Expr::If { condition, then_branch, else_branch } => {
            if_expr(to, *condition, *then_branch, *else_branch);
        }
        Expr::Match { scrutinee, arms } => {
            to.text("match ");
            to.child_at(*scrutinee, ParenContext::HEAD);
            to.text(" ");
            to.lines(arms, "");
        }
        Expr::Block { statements, expr } => block(to, statements, *expr),
        Expr::Array { elements } => to.list("[", elements, "]"),
        Expr::Tuple { elements } => to.tuple(elements),
        Expr::Record { fields } => to.list("{ ", fields, " }"),
        Expr::RecordLit { name, fields } => {
            to.text(name.as_str());
            match fields.is_empty() {
                true => to.text(" {}"),
                false => to.list(" { ", fields, " }"),
            }
        }
        Expr::Range { start, end, inclusive } => {
            to.child_at(*start, operand(RANGE + 1));
            to.text(if *inclusive { "..=" } else { ".." });
            to.child_at(*end, operand(RANGE + 1));
        }
        Expr::Propagate { expr } => {
            to.child_at(*expr, operand(POSTFIX));
            to.text("?");
        }
        Expr::Hole { name: None } => to.text("_"),
        Expr::Hole { name: Some(name) } => to.text(format!("?{name}")),
        Expr::Error { source } => to.unread(source),
    }
}

/// How tightly the operands must bind. A sign before `^` gets parentheses although it binds tighter.
fn binary_levels(op: BinaryOp) -> (u8, u8) {
    let own = BINARY + op.precedence();
    match op {
        BinaryOp::Pow => (POSTFIX, own),
        _ => (own, own + 1),
    }
}

fn is_negation(it: &Expr) -> bool {
    level(it) == UNARY && !matches!(it, Expr::Unary { op: UnaryOp::Not, .. })
}

/// Whether a number before the `.`, or after it, could make one number of both.
fn may_make_a_number(object: &Expr, field: &str) -> bool {
    let ends_like_a_name = matches!(
        object,
        Expr::Ident { .. }
            | Expr::Field { .. }
            | Expr::Call { .. }
            | Expr::Index { .. }
            | Expr::Propagate { .. }
    );
    let is_number = matches!(object, Expr::Literal(Literal::Int { .. } | Literal::Float(_)));
    is_number || (!ends_like_a_name && field.starts_with(|it: char| it.is_ascii_digit()))
}

fn if_expr(
    to: &mut Printer<'_, '_>,
    condition: ExprId,
    then_branch: ExprId,
    else_branch: Option<ExprId>,
) {
    to.text("if ");
    to.child_at(condition, ParenContext::HEAD);
    to.text(" ");
    to.child(then_branch);
    if let Some(else_branch) = else_branch {
        to.text(" else ");
        to.child(else_branch);
    }
}

fn lambda(to: &mut Printer<'_, '_>, params: &[LambdaParamId], body: ExprId) {
    to.text("\\");
    let has_comments = |id: &LambdaParamId| to.comments(id.node()).is_some();
    let is_bare = match params {
        [id] => {
            let LambdaParam { ty, .. } = to.ast.lambda_param(*id);
            ty.is_none() && !has_comments(id)
        }
        _ => false,
    };
    match is_bare {
        true => params.iter().for_each(|it| to.child(*it)),
        false => to.list("(", params, ")"),
    }
    to.text(" -> ");
    to.child(body);
}

fn template<'a>(to: &mut Printer<'a, '_>, parts: &'a [TemplatePart]) {
    to.text("`");
    for part in parts {
        match part {
            TemplatePart::Text(text) => to.text(template_text(text)),
            TemplatePart::Expr(expr) => {
                to.text("${");
                to.child(*expr);
                to.text("}");
            }
        }
    }
    to.text("`");
}

fn block(to: &mut Printer<'_, '_>, statements: &[StmtId], expr: Option<ExprId>) {
    if statements.is_empty() && expr.is_none() {
        return to.text("{}");
    }
    to.text("{");
    to.next.push(Task::Indent);
    for (index, statement) in statements.iter().enumerate() {
        let next = match statements.get(index + 1) {
            Some(next) => Some(next.node()),
            None => expr.map(ExprId::node),
        };
        let ends_itself = ends_itself(to, *statement, next);
        to.next.push(Task::Line);
        to.child_at(*statement, ParenContext { ends_itself, ..ParenContext::FREE });
    }
    if let Some(expr) = expr {
        to.next.push(Task::Line);
        to.child(expr);
    }
    to.next.extend([Task::Dedent, Task::Line]);
    to.text("}");
}
