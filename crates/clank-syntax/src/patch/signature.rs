//! Operations on what is declared: effects, fields, parameters and predicates.

use super::apply::{OpTarget, Patcher};
use super::{PatchError, Payload, lists, names};
use crate::ast::{
    AstKind, BinaryOp, Decl, Expr, ExprId, FieldId, LambdaParamId, Name, NodeId, ParamId, Type,
    TypeId,
};
use crate::json::NodeRole;

impl Patcher<'_> {
    pub(super) fn widen_effect(
        &mut self,
        target: &OpTarget<'_>,
        effects: &[Name],
    ) -> Result<(), PatchError> {
        let result = match self.draft.kind(target.at) {
            AstKind::Decl(it) => match &**it {
                Decl::Fn(it) => Some(it.return_type),
                Decl::ExternalFn(it) => Some(it.return_type),
                _ => None,
            },
            _ => None,
        };
        let Some(result) = result else { return Err(self.wrong(target, "a function")) };
        let mut names = Vec::with_capacity(effects.len());
        for name in effects {
            names.push(names::effect_name(target.id, name)?);
        }
        names.sort();
        names.dedup();
        for name in names {
            if !self.has_effect(result.node(), &name) {
                self.add_effect(result.node(), name);
            }
        }
        Ok(())
    }

    /// Whether a result type states an effect, as `IO + T` or as `IO[T]`.
    fn has_effect(&self, mut at: NodeId, effect: &str) -> bool {
        loop {
            match self.draft.kind(at) {
                AstKind::Type(Type::Effect { effects, result }) => {
                    let is_it = |it: &TypeId| match self.draft.kind(it.node()) {
                        AstKind::Type(Type::Named { name, .. }) => name == effect,
                        _ => false,
                    };
                    if effects.iter().any(is_it) {
                        return true;
                    }
                    at = result.node();
                }
                AstKind::Type(Type::Named { name, args }) => match args.last() {
                    Some(_) if name == effect => return true,
                    Some(last) if is_effect(name) => at = last.node(),
                    _ => return false,
                },
                _ => return false,
            }
        }
    }

    fn add_effect(&mut self, at: NodeId, name: Name) {
        let index = match self.draft.kind(at) {
            AstKind::Type(Type::Effect { effects, .. }) => {
                let is_later = |it: &TypeId| match self.draft.kind(it.node()) {
                    AstKind::Type(Type::Named { name: other, .. }) => *other > name,
                    _ => false,
                };
                Some(effects.iter().position(is_later).unwrap_or(effects.len()))
            }
            _ => None,
        };
        let effect =
            TypeId::assume(self.draft.add(AstKind::Type(Type::Named { name, args: Box::new([]) })));
        match index {
            Some(index) => {
                if let AstKind::Type(Type::Effect { effects, .. }) = self.draft.kind_mut(at) {
                    lists::insert_at(effects, index, effect);
                }
                self.draft.adopt(at);
            }
            None => {
                let result = TypeId::assume(self.draft.make_room(at));
                let widened = Type::Effect { effects: Box::new([effect]), result };
                let widened = self.draft.add(AstKind::Type(widened));
                self.draft.fill(at, widened);
            }
        }
    }

    pub(super) fn add_field(
        &mut self,
        target: &OpTarget<'_>,
        field: &Payload,
    ) -> Result<(), PatchError> {
        let is_record = match self.draft.kind(target.at) {
            AstKind::Decl(it) => matches!(**it, Decl::Rec { .. }),
            AstKind::Type(it) => matches!(it, Type::Record { .. }),
            _ => false,
        };
        if !is_record {
            return Err(self.wrong(target, "a record"));
        }
        let new = FieldId::assume(self.graft(field, "field", NodeRole::Field, None)?.root);
        match self.draft.kind_mut(target.at) {
            AstKind::Decl(it) => {
                if let Decl::Rec { fields, .. } = &mut **it {
                    lists::insert_at(fields, fields.len(), new);
                }
            }
            AstKind::Type(Type::Record { fields, .. }) => {
                lists::insert_at(fields, fields.len(), new);
            }
            _ => {}
        }
        self.draft.adopt(target.at);
        Ok(())
    }

    pub(super) fn add_param(
        &mut self,
        target: &OpTarget<'_>,
        param: &Payload,
        position: Option<u32>,
    ) -> Result<(), PatchError> {
        let (n_params, part) = match self.draft.kind(target.at) {
            AstKind::Decl(it) => match &**it {
                Decl::Fn(it) => (it.params.len(), NodeRole::Param),
                Decl::ExternalFn(it) => (it.params.len(), NodeRole::Param),
                _ => return Err(self.wrong(target, "a function")),
            },
            AstKind::Expr(Expr::Lambda { params, .. }) => (params.len(), NodeRole::LambdaParam),
            _ => return Err(self.wrong(target, "a function")),
        };
        let index = position.map_or(n_params, |it| it as usize);
        if index > n_params {
            let message = format!(
                "the function has {n_params} parameters, so the position is at most {n_params}"
            );
            return Err(PatchError::Unreadable { path: "$.position".into(), message });
        }
        let new = self.graft(param, "param", part, None)?.root;
        match self.draft.kind_mut(target.at) {
            AstKind::Decl(it) => match &mut **it {
                Decl::Fn(it) => lists::insert_at(&mut it.params, index, ParamId::assume(new)),
                Decl::ExternalFn(it) => {
                    lists::insert_at(&mut it.params, index, ParamId::assume(new));
                }
                _ => {}
            },
            AstKind::Expr(Expr::Lambda { params, .. }) => {
                lists::insert_at(params, index, LambdaParamId::assume(new));
            }
            _ => {}
        }
        self.draft.adopt(target.at);
        Ok(())
    }

    pub(super) fn add_refinement(
        &mut self,
        target: &OpTarget<'_>,
        payload: &Payload,
    ) -> Result<(), PatchError> {
        let mut at = target.at;
        // What a function does is not refined, but what it returns.
        while let AstKind::Type(Type::Effect { result, .. }) = self.draft.kind(at) {
            at = result.node();
        }
        if !matches!(self.draft.kind(at), AstKind::Type(_)) {
            return Err(self.wrong(target, "a type"));
        }
        let predicate = self.graft(payload, "predicate", NodeRole::Expr, None)?.root;
        let predicate = ExprId::assume(predicate);
        if let AstKind::Type(Type::Refined { predicate: left, .. }) = *self.draft.kind(at) {
            let both = Expr::Binary { op: BinaryOp::And, left, right: predicate };
            let both = ExprId::assume(self.draft.add(AstKind::Expr(both)));
            if let AstKind::Type(Type::Refined { predicate, .. }) = self.draft.kind_mut(at) {
                *predicate = both;
            }
            self.draft.adopt(at);
        } else {
            let base = TypeId::assume(self.draft.make_room(at));
            let refined = Type::Refined { base, variable: None, predicate };
            let refined = self.draft.add(AstKind::Type(refined));
            self.draft.fill(at, refined);
        }
        Ok(())
    }
}

fn is_effect(name: &str) -> bool {
    matches!(name, "Async" | "Err" | "IO" | "Mut")
}
