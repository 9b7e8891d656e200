//! Declarations and statements.

use super::literal::string;
use super::types::return_type;
use super::{ParenContext, Printer, Task};
use crate::ast::{
    AstKind, Decl, Expr, ExprId, ExternalFn, FnDecl, Name, NodeId, ParamId, Program, Stmt, StmtId,
    TypeId, TypeParamId, UseDecl,
};

pub(super) fn program<'a>(to: &mut Printer<'a, '_>, it: &'a Program) {
    for (index, decl) in it.declarations.iter().enumerate() {
        if index > 0 {
            to.next.push(Task::BlankLine);
        }
        to.child(*decl);
    }
    to.next.push(Task::Line);
}

pub(super) fn decl<'a>(to: &mut Printer<'a, '_>, it: &'a Decl, place: ParenContext) {
    match it {
        Decl::Fn(it) => function(to, it),
        Decl::ExternalFn(it) if place.in_module => external_signature(to, it),
        Decl::ExternalFn(it) => {
            to.text("external ");
            external_signature(to, it);
            to.text(" = ");
            to.text(string(&it.js_name));
        }
        Decl::ExternalMod { name, js_module, functions } => {
            to.text("external mod ");
            to.text(name.as_str());
            to.text(" = ");
            to.text(string(js_module));
            to.text(" {");
            to.next.push(Task::Indent);
            for function in functions {
                to.next.push(Task::Line);
                to.child_at(*function, ParenContext { in_module: true, ..ParenContext::FREE });
            }
            to.next.extend([Task::Dedent, Task::Line]);
            to.text("}");
        }
        Decl::TypeAlias { name, type_params, ty } => {
            to.text("type ");
            named(to, name, type_params);
            to.text(" = ");
            to.child(*ty);
        }
        Decl::Rec { name, type_params, fields } => {
            to.text("rec ");
            named(to, name, type_params);
            to.text(" ");
            to.lines(fields, ",");
        }
        Decl::Sum { name, type_params, variants } => {
            to.text("sum ");
            named(to, name, type_params);
            to.text(" ");
            to.lines(variants, ",");
        }
        Decl::Mod { name } => {
            to.text("mod ");
            to.text(name.as_str());
        }
        Decl::Use(it) => use_decl(to, it),
        Decl::Error { source } => to.unread(source),
    }
}

fn function<'a>(to: &mut Printer<'a, '_>, it: &'a FnDecl) {
    signature(to, &it.name, &it.type_params, &it.params, it.return_type);
    for (word, condition) in [(" pre ", it.precondition), (" post ", it.postcondition)] {
        if let Some(condition) = condition {
            to.text(word);
            to.child_at(condition, ParenContext::HEAD);
        }
    }
    to.text(" ");
    to.child(it.body);
}

fn external_signature<'a>(to: &mut Printer<'a, '_>, it: &'a ExternalFn) {
    signature(to, &it.name, &it.type_params, &it.params, it.return_type);
}

fn signature<'a>(
    to: &mut Printer<'a, '_>,
    name: &'a Name,
    type_params: &[TypeParamId],
    params: &[ParamId],
    result: TypeId,
) {
    to.text("fn ");
    named(to, name, type_params);
    to.list("(", params, ")");
    return_type(to, result);
}

fn named<'a>(to: &mut Printer<'a, '_>, name: &'a Name, type_params: &[TypeParamId]) {
    to.text(name.as_str());
    if !type_params.is_empty() {
        to.list("[", type_params, "]");
    }
}

fn use_decl<'a>(to: &mut Printer<'a, '_>, it: &'a UseDecl) {
    if it.is_external {
        to.text("use external ");
        to.text(string(it.path.first().map(Name::as_str).unwrap_or_default()));
    } else {
        to.text("use ");
        to.text(it.path.join("."));
        if !it.items.is_empty() {
            to.text(format!(".{{{}}}", it.items.join(", ")));
        }
    }
    if let Some(alias) = &it.alias {
        to.text(" as ");
        to.text(alias.as_str());
    }
}

pub(super) fn stmt<'a>(to: &mut Printer<'a, '_>, it: &'a Stmt, place: ParenContext) {
    match it {
        Stmt::Let { pattern, ty, init, mutable } => {
            to.text(if *mutable { "let mut " } else { "let " });
            to.child(*pattern);
            if let Some(ty) = ty {
                to.text(": ");
                to.child(*ty);
            }
            to.text(" = ");
            to.child(*init);
            to.text(";");
        }
        Stmt::Assign { target, value } => {
            to.child_at(*target, ParenContext::operand(super::expr::POSTFIX));
            to.text(" = ");
            to.child(*value);
            to.text(";");
        }
        Stmt::Expr { expr } => {
            to.child(*expr);
            if !place.ends_itself {
                to.text(";");
            }
        }
        Stmt::For { pattern, iterable, body } => {
            to.text("for ");
            to.child(*pattern);
            to.text(" in ");
            head_and_body(to, *iterable, *body);
        }
        Stmt::While { condition, body } => {
            to.text("while ");
            head_and_body(to, *condition, *body);
        }
        Stmt::Loop { body } => {
            to.text("loop ");
            to.child(*body);
        }
        Stmt::Return { value } => {
            to.text("return");
            if let Some(value) = value {
                to.text(" ");
                to.child(*value);
            }
            to.text(";");
        }
        Stmt::Break => to.text("break;"),
        Stmt::Continue => to.text("continue;"),
        Stmt::Assert { condition, message } => {
            to.text("assert ");
            to.child_at(*condition, ParenContext::operand(1));
            if let Some(message) = message {
                to.text(" : ");
                to.text(string(message));
            }
            to.text(";");
        }
    }
}

fn head_and_body(to: &mut Printer<'_, '_>, head: ExprId, body: ExprId) {
    to.child_at(head, ParenContext::HEAD);
    to.text(" ");
    to.child(body);
}

/// Whether a statement needs no `;`: a block-like expression ends where its brace closes, unless the next token would go
/// on with it. `next` is what the next statement, or the block's value, starts with; without any, the statement would
/// become the block's value.
pub(super) fn ends_itself(to: &Printer<'_, '_>, stmt: StmtId, next: Option<NodeId>) -> bool {
    let (Stmt::Expr { expr }, Some(next)) = (to.ast.stmt(stmt), next) else { return false };
    let is_block_like =
        matches!(to.ast.expr(*expr), Expr::If { .. } | Expr::Match { .. } | Expr::Block { .. });
    is_block_like && starts_with_word(to, next)
}

/// Whether the text of a statement or expression starts with a name or a keyword.
fn starts_with_word(to: &Printer<'_, '_>, mut node: NodeId) -> bool {
    // As operands, block-like expressions are in parentheses.
    let mut is_operand = false;
    loop {
        node = match &to.ast.node(node).kind {
            AstKind::Stmt(Stmt::Expr { expr }) => expr.node(),
            AstKind::Stmt(Stmt::Assign { target, .. }) => {
                is_operand = true;
                target.node()
            }
            AstKind::Stmt(_) => return true,
            AstKind::Expr(Expr::Call { callee: inner, .. } | Expr::Field { object: inner, .. }) => {
                is_operand = true;
                inner.node()
            }
            AstKind::Expr(Expr::Ident { .. }) => return true,
            AstKind::Expr(Expr::If { .. } | Expr::Match { .. }) => return !is_operand,
            _ => return false,
        };
    }
}
