//! From patterns as they are written to constructors.

use clank_syntax::ast::{Ast, FieldPatternId, Literal, Pattern, PatternId};
use clank_syntax::with_stack;

use super::space::{self, Ctor};
use crate::body::{BodyView, Resolution};
use crate::env::Env;
use crate::ty::{Prim, Ty};

/// A pattern without names and spelling.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Pat {
    /// Anything.
    Wild,
    /// What is made that way of these parts.
    Made(Ctor, Vec<Pat>),
}

/// The pattern does not fit the type. That has been said where patterns were given their types.
pub(super) struct Mistyped;

/// What patterns are lowered with.
#[derive(Clone, Copy)]
pub(super) struct PatternLowering<'a> {
    pub(super) ast: &'a Ast,
    pub(super) env: &'a Env,
    pub(super) view: BodyView<'a>,
}

impl PatternLowering<'_> {
    /// The pattern as one for values of the type.
    pub(super) fn pattern(&self, id: PatternId, ty: &Ty) -> Result<Pat, Mistyped> {
        with_stack(|| match self.ast.pattern(id) {
            Pattern::Wildcard | Pattern::Ident { .. } => Ok(Pat::Wild),
            Pattern::Literal(it) => literal(it, ty),
            Pattern::Tuple { elements } => match ty.base() {
                Ty::Tuple(_) => self.made(ty, Ctor::Single, elements),
                _ => Err(Mistyped),
            },
            Pattern::Record { fields } => self.record(fields, ty),
            Pattern::Variant { payload, .. } => {
                let Ty::Adt(adt) = ty.base() else { return Err(Mistyped) };
                match self.view.resolution(id) {
                    Some(Resolution::Variant { ty: key, variant }) if *key == adt.key => {
                        self.made(ty, Ctor::Variant(*variant), payload)
                    }
                    Some(Resolution::Record { ty: key }) if *key == adt.key => {
                        self.made(ty, Ctor::Single, payload)
                    }
                    _ => Err(Mistyped),
                }
            }
            Pattern::Error { .. } => Err(Mistyped),
        })
    }

    fn made(&self, ty: &Ty, ctor: Ctor, parts: &[PatternId]) -> Result<Pat, Mistyped> {
        let fields = space::fields(ty, &ctor, self.env);
        if fields.len() != parts.len() {
            return Err(Mistyped);
        }
        let parts = parts.iter().zip(&fields).map(|(part, field)| self.pattern(*part, &field.1));
        Ok(Pat::Made(ctor, parts.collect::<Result<_, _>>()?))
    }

    /// Fields that are left out may be anything (row 30).
    fn record(&self, patterns: &[FieldPatternId], ty: &Ty) -> Result<Pat, Mistyped> {
        if !matches!(ty.base(), Ty::Record(_) | Ty::Adt(_)) {
            return Err(Mistyped);
        }
        if !matches!(space::space(ty, self.env), space::Space::Closed(it) if it == [Ctor::Single]) {
            return Err(Mistyped);
        }
        let fields = space::fields(ty, &Ctor::Single, self.env);
        let mut parts = vec![Pat::Wild; fields.len()];
        for id in patterns {
            let pattern = self.ast.field_pattern(*id);
            let index = fields.iter().position(|it| it.0.as_ref() == Some(&pattern.name));
            let index = index.ok_or(Mistyped)?;
            if let Some(inner) = pattern.pattern {
                parts[index] = self.pattern(inner, &fields[index].1)?;
            }
        }
        Ok(Pat::Made(Ctor::Single, parts))
    }
}

fn literal(literal: &Literal, ty: &Ty) -> Result<Pat, Mistyped> {
    let Ty::Prim(prim) = ty.base() else { return Err(Mistyped) };
    let ctor = match (literal, prim) {
        (Literal::Int { value, .. }, prim) if prim.is_integer() => Ctor::Int(value.clone()),
        (Literal::Float(value), Prim::Float) => Ctor::Float((value + 0.0).to_bits()),
        (Literal::Str(value), Prim::Str) => Ctor::Str(value.clone()),
        (Literal::Bool(value), Prim::Bool) => Ctor::Not(!value),
        (Literal::Unit, Prim::Unit) => Ctor::Single,
        _ => return Err(Mistyped),
    };
    Ok(Pat::Made(ctor, Vec::new()))
}
