//! Types, patterns and the parts that hold them.

use super::literal::literal;
use super::{ParenContext, Printer};
use crate::ast::{Name, Pattern, Type, TypeId};

/// A place where `+`, `->` and a refinement would belong to what stands around.
const OPERAND: u8 = 1;

pub(super) fn needs_parens(it: &Type, place: ParenContext) -> bool {
    match it {
        Type::Function { .. } | Type::Effect { .. } => place.level >= OPERAND,
        Type::Refined { .. } | Type::Record { .. } => place.before_block,
        _ => false,
    }
}

pub(super) fn ty<'a>(to: &mut Printer<'a, '_>, it: &'a Type, place: ParenContext) {
    if needs_parens(it, place) {
        to.text("(");
        bare(to, it, false);
        to.text(")");
    } else {
        bare(to, it, place.before_block);
    }
}

fn bare<'a>(to: &mut Printer<'a, '_>, it: &'a Type, before_block: bool) {
    match it {
        Type::Named { name, args } => {
            to.text(name.as_str());
            if !args.is_empty() {
                to.list("[", args, "]");
            }
        }
        Type::Array { element } => to.list("[", &[*element], "]"),
        Type::Tuple { elements } => to.tuple(elements),
        Type::Function { params, result } => {
            to.list("(", params, ") -> ");
            to.child_at(*result, ParenContext { before_block, ..ParenContext::FREE });
        }
        Type::Refined { base, variable, predicate } => {
            // A refinement of a refinement needs parentheses, as one before a block does.
            let is_refined = matches!(to.ast.ty(*base), Type::Refined { .. });
            to.child_at(
                *base,
                ParenContext { before_block: is_refined, ..ParenContext::operand(OPERAND) },
            );
            to.text("{");
            if let Some(variable) = variable {
                to.text(variable.as_str());
                to.text(" | ");
            }
            to.child(*predicate);
            to.text("}");
        }
        Type::Effect { effects, result } => {
            for effect in effects {
                to.child_at(
                    *effect,
                    ParenContext { before_block, ..ParenContext::operand(OPERAND) },
                );
                to.text(" + ");
            }
            to.child_at(*result, ParenContext { before_block, ..ParenContext::operand(OPERAND) });
        }
        Type::Record { fields, open } => match (fields.is_empty(), open) {
            (true, false) => to.text("{}"),
            (true, true) => to.text("{ .. }"),
            (false, false) => to.list("{ ", fields, " }"),
            (false, true) => to.list("{ ", fields, ", .. }"),
        },
        Type::Error { source } => to.unread(source),
    }
}

pub(super) fn pattern<'a>(to: &mut Printer<'a, '_>, it: &'a Pattern) {
    match it {
        Pattern::Wildcard => to.text("_"),
        Pattern::Ident { name } => to.text(name.as_str()),
        Pattern::Literal(it) => to.text(literal(it)),
        Pattern::Tuple { elements } => to.tuple(elements),
        Pattern::Record { fields } if fields.is_empty() => to.text("{}"),
        Pattern::Record { fields } => to.list("{ ", fields, " }"),
        Pattern::Variant { name, payload } => {
            to.text(name.as_str());
            if !payload.is_empty() {
                to.list("(", payload, ")");
            }
        }
        Pattern::Error { source } => to.unread(source),
    }
}

pub(super) fn name_and_type<'a>(to: &mut Printer<'a, '_>, name: &'a Name, ty: Option<TypeId>) {
    to.text(name.as_str());
    if let Some(ty) = ty {
        to.text(": ");
        to.child(ty);
    }
}

/// The type that a function returns. What follows it may be a block.
pub(super) fn return_type(to: &mut Printer<'_, '_>, ty: TypeId) {
    to.text(" -> ");
    to.child_at(ty, ParenContext { before_block: true, ..ParenContext::FREE });
}
