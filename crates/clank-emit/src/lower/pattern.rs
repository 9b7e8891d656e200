//! Patterns: whether they match, what they bind, and which of them JavaScript can take apart itself.

use clank::body::Resolution;
use clank::env::{TypeBody, VariantDef};
use clank::ty::Ty;
use clank_syntax::ast::{Literal, NodeId, Pattern, PatternId};
use clank_syntax::with_stack;

use super::Lower;
use super::expr::literal;
use crate::names;
use crate::tree::{BindingTarget, Expr, ExprKind};

/// What is matched: a value that stays the same, or a tuple that need not be made.
#[derive(Clone)]
pub(super) enum Scrutinee {
    One(Expr),
    Parts(Vec<Scrutinee>),
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn always_matches(&self, pattern: PatternId) -> bool {
        let ast = self.at.ast;
        with_stack(|| match ast.pattern(pattern) {
            Pattern::Wildcard | Pattern::Ident { .. } | Pattern::Literal(Literal::Unit) => true,
            Pattern::Tuple { elements } => elements.iter().all(|it| self.always_matches(*it)),
            Pattern::Record { fields } => fields
                .iter()
                .all(|it| ast.field_pattern(*it).pattern.is_none_or(|it| self.always_matches(it))),
            Pattern::Variant { payload, .. } => match self.variant_of(pattern) {
                Some((_, 1)) => payload.iter().all(|it| self.always_matches(*it)),
                _ => false,
            },
            Pattern::Literal(_) | Pattern::Error { .. } => false,
        })
    }

    /// The variant that a pattern means, and how many its sum has.
    pub(super) fn variant_of(&self, pattern: PatternId) -> Option<(&'a VariantDef, usize)> {
        let (key, known) = match (self.at.view.resolution(pattern), self.ty(pattern).base()) {
            (Some(Resolution::Variant { ty, variant }), _) => (ty, Some(*variant as usize)),
            (_, Ty::Adt(adt)) => (&adt.key, None),
            _ => return None,
        };
        let TypeBody::Sum(variants) = &self.cx.def(key)?.shape else { return None };
        if let Some(variant) = known {
            return Some((variants.get(variant)?, variants.len()));
        }
        let Pattern::Variant { name, .. } = self.at.ast.pattern(pattern) else { return None };
        let own = name.rsplit('.').next().unwrap_or(name);
        Some((variants.iter().find(|it| it.name == own)?, variants.len()))
    }

    /// How many variants the sum has that a pattern is of.
    pub(super) fn count_variants(&self, pattern: PatternId) -> usize {
        self.variant_of(pattern).map_or(0, |it| it.1)
    }

    /// Whether a pattern binds something inside a variant, for which TypeScript must know the variant.
    pub(super) fn takes_out(&self, pattern: PatternId, is_inside: bool) -> bool {
        let ast = self.at.ast;
        with_stack(|| match ast.pattern(pattern) {
            Pattern::Ident { .. } => is_inside && self.at.facts.local(pattern.node()).reads > 0,
            Pattern::Tuple { elements } => elements.iter().any(|it| self.takes_out(*it, is_inside)),
            Pattern::Record { fields } => {
                fields.iter().any(|it| match ast.field_pattern(*it).pattern {
                    Some(pattern) => self.takes_out(pattern, is_inside),
                    None => is_inside && self.at.facts.local(it.node()).reads > 0,
                })
            }
            Pattern::Variant { payload, .. } => payload.iter().any(|it| self.takes_out(*it, true)),
            Pattern::Wildcard | Pattern::Literal(_) | Pattern::Error { .. } => false,
        })
    }

    /// The test that a pattern matches; nothing if it always does.
    pub(super) fn test(&self, pattern: PatternId, subject: &Scrutinee) -> Option<Expr> {
        let ast = self.at.ast;
        with_stack(|| match (ast.pattern(pattern), subject) {
            (Pattern::Wildcard | Pattern::Ident { .. } | Pattern::Error { .. }, _) => None,
            (Pattern::Literal(Literal::Unit), _) => None,
            (Pattern::Literal(Literal::Bool(value)), Scrutinee::One(it)) => {
                Some(if *value { it.clone() } else { it.clone().negated() })
            }
            (Pattern::Literal(value), Scrutinee::One(it)) => {
                Some(Expr::binary("===", it.clone(), literal(value)))
            }
            (Pattern::Tuple { elements }, subject) => elements
                .iter()
                .enumerate()
                .map(|(index, it)| self.test(*it, &part(subject, index)))
                .fold(None, Expr::and),
            (Pattern::Record { fields }, Scrutinee::One(object)) => fields
                .iter()
                .filter_map(|it| {
                    let field = ast.field_pattern(*it);
                    let value = object.clone().member(names::legal(&field.name));
                    self.test(field.pattern?, &Scrutinee::One(value))
                })
                .fold(None, |all, it| Expr::and(all, Some(it))),
            (Pattern::Variant { payload, .. }, Scrutinee::One(object)) => {
                let (variant, count) = self.variant_of(pattern)?;
                let tag = object.clone().member("tag");
                let own =
                    (count > 1).then(|| Expr::binary("===", tag, Expr::str(variant.name.as_str())));
                payload
                    .iter()
                    .enumerate()
                    .map(|(index, it)| self.test(*it, &payload_part(object, variant, index)))
                    .fold(own, Expr::and)
            }
            (_, Scrutinee::Parts(_)) => None,
        })
    }

    /// Binds the names of a pattern to parts of what it matches. For a guard they stand for those parts; in a body a part
    /// that is used more than once gets a constant.
    pub(super) fn bind(&mut self, pattern: PatternId, subject: &Scrutinee, in_body: bool) {
        let ast = self.at.ast;
        with_stack(|| match (ast.pattern(pattern), subject) {
            (Pattern::Ident { name }, Scrutinee::One(value)) => {
                self.bind_name(pattern.node(), name, value, in_body);
            }
            (Pattern::Tuple { elements }, subject) => {
                for (index, it) in elements.iter().enumerate() {
                    self.bind(*it, &part(subject, index), in_body);
                }
            }
            (Pattern::Record { fields }, Scrutinee::One(object)) => {
                for it in fields {
                    let field = ast.field_pattern(*it);
                    let value = object.clone().member(names::legal(&field.name));
                    match field.pattern {
                        Some(pattern) => self.bind(pattern, &Scrutinee::One(value), in_body),
                        None => self.bind_name(it.node(), &field.name, &value, in_body),
                    }
                }
            }
            (Pattern::Variant { payload, .. }, Scrutinee::One(object)) => {
                let Some((variant, _)) = self.variant_of(pattern) else { return };
                for (index, it) in payload.iter().enumerate() {
                    self.bind(*it, &payload_part(object, variant, index), in_body);
                }
            }
            _ => {}
        });
    }

    fn bind_name(&mut self, binder: NodeId, name: &str, value: &Expr, in_body: bool) {
        let local = self.at.facts.local(binder);
        let is_plain = matches!(value.kind, ExprKind::Ident(_));
        let stands_for_part = !in_body || is_plain || (local.reads <= 1 && !local.captured);
        let bound = match stands_for_part && self.is_path(value) {
            true => value.clone(),
            false => self.keep(value.clone(), name, None, self.origin(binder)),
        };
        self.at.locals.insert(binder, bound);
    }

    /// What a `let` or `for` binds, if JavaScript can take the value apart itself; nothing if no name is used.
    pub(super) fn target(&mut self, pattern: PatternId) -> Option<BindingTarget> {
        let ast = self.at.ast;
        with_stack(|| match ast.pattern(pattern) {
            Pattern::Ident { name } => self.target_name(pattern.node(), name),
            Pattern::Tuple { elements } => {
                let mut parts: Vec<_> = elements.iter().map(|it| self.target(*it)).collect();
                while parts.last().is_some_and(Option::is_none) {
                    parts.pop();
                }
                (!parts.is_empty()).then_some(BindingTarget::Array(parts))
            }
            Pattern::Record { fields } => {
                let fields = fields.iter().filter_map(|it| {
                    let field = ast.field_pattern(*it);
                    let target = match field.pattern {
                        Some(pattern) => self.target(pattern),
                        None => self.target_name(it.node(), &field.name),
                    };
                    Some((names::legal(&field.name), target?))
                });
                let fields: Vec<_> = fields.collect();
                (!fields.is_empty()).then_some(BindingTarget::Object(fields))
            }
            Pattern::Wildcard
            | Pattern::Literal(_)
            | Pattern::Variant { .. }
            | Pattern::Error { .. } => None,
        })
    }

    fn target_name(&mut self, binder: NodeId, name: &str) -> Option<BindingTarget> {
        let local = self.at.facts.local(binder);
        if local.reads == 0 {
            return None;
        }
        let name = self.declare(name);
        if local.assigned {
            self.mutable.insert(name.clone());
        }
        self.at.locals.insert(binder, Expr::ident(name.clone()));
        Some(BindingTarget::Name(name))
    }

    /// Whether JavaScript can take a value apart by this pattern.
    pub(super) fn is_target(&self, pattern: PatternId) -> bool {
        let ast = self.at.ast;
        with_stack(|| match ast.pattern(pattern) {
            Pattern::Wildcard | Pattern::Ident { .. } | Pattern::Literal(Literal::Unit) => true,
            Pattern::Tuple { elements } => elements.iter().all(|it| self.is_target(*it)),
            Pattern::Record { fields } => fields
                .iter()
                .all(|it| ast.field_pattern(*it).pattern.is_none_or(|it| self.is_target(it))),
            Pattern::Variant { .. } | Pattern::Literal(_) | Pattern::Error { .. } => false,
        })
    }

    /// Binds the names of a pattern that JavaScript cannot take apart.
    pub(super) fn bind_parts(&mut self, pattern: PatternId, value: Expr) {
        self.bind(pattern, &Scrutinee::One(value), true);
    }
}
fn part(subject: &Scrutinee, index: usize) -> Scrutinee {
    match subject {
        Scrutinee::One(tuple) => Scrutinee::One(tuple.clone().position(index)),
        Scrutinee::Parts(parts) => {
            parts.get(index).cloned().unwrap_or_else(|| Scrutinee::One(Expr::undefined()))
        }
    }
}

fn payload_part(object: &Expr, variant: &VariantDef, index: usize) -> Scrutinee {
    let name = variant.fields.get(index).and_then(|it| it.0.as_deref());
    Scrutinee::One(object.clone().member(names::variant_field(name, index)))
}
