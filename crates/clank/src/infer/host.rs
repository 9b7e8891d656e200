//! What the host gives: nothing is known of it, so it is checked where it comes in, against the type that it has there.
//! What cannot be checked there is refused (E3001).

use std::collections::BTreeSet;

use clank_syntax::ast::{ExprId, Name, NodeId};
use clank_syntax::with_stack;
use rustc_hash::FxHashSet;

use super::Infer;
use super::given::refuted;
use super::settle::PendingGoal;
use super::wording::{goal_text, operand_text};
use crate::body::{GoalKind, Site};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::env::{Env, Signature};
use crate::resolve::arguments;
use crate::ty::{Predicate, Ty, TypeKey};

/// The uses of externals in a body, until all types are known.
#[derive(Default)]
pub(super) struct Hosts<'a> {
    uses: Vec<(NodeId, &'a Signature, Ty)>,
    /// What calls give, and the scope that they are in.
    given: Vec<(ExprId, Ty, Option<u32>)>,
}

/// Why something that the host gives cannot be checked.
enum Unchecked {
    /// What this type parameter stands for is not known.
    Param(Name),
    /// This is about a name that means nothing where the value comes in.
    Predicate(Predicate),
}

impl<'a> Infer<'a> {
    /// An external is named, with this type.
    pub(super) fn host_is_used(&mut self, node: NodeId, signature: &'a Signature, ty: &Ty) {
        self.hosts.uses.push((node, signature, ty.clone()));
    }

    /// A call of an external gives a value of this type.
    pub(super) fn host_gives(&mut self, expr: ExprId, result: &Ty) {
        let scope = self.scope();
        self.hosts.given.push((expr, result.clone(), scope));
    }

    pub(super) fn settle_hosts(&mut self) {
        let Hosts { uses, given } = std::mem::take(&mut self.hosts);
        for (node, signature, ty) in uses {
            let ty = self.table.solve(&ty, &Ty::UNIT);
            if let Some(why) = unchecked(self.env, signature, &ty) {
                self.report_unchecked(node, &why);
            }
        }
        for (expr, result, scope) in given {
            let result = self.table.solve(&result, &Ty::UNIT);
            self.external_result(expr, &result, scope);
        }
    }

    /// What the type of a value of the host promises is a goal (rows 1 and 34). It has no expected type, as there is
    /// nothing to check at the call: the external itself checks it, where its parameters are known.
    fn external_result(&mut self, expr: ExprId, result: &Ty, scope: Option<u32>) {
        let mut texts = Vec::new();
        if let Ty::Refined(it) = result {
            let operand = operand_text(self.ast, expr);
            texts.extend(it.predicates.iter().map(|it| goal_text(it, operand.clone())));
        }
        texts.extend(self.promised_inside(result));
        self.goals.extend(texts.into_iter().map(|text| PendingGoal {
            kind: GoalKind::Refinement,
            node: expr.node(),
            site: Site::Other,
            expected: None,
            text,
            scope,
        }));
    }

    /// What the parts of a value must satisfy, those of declared records and sums included.
    fn promised_inside(&self, ty: &Ty) -> BTreeSet<String> {
        let mut promised = BTreeSet::new();
        let mut seen: BTreeSet<TypeKey> = BTreeSet::new();
        let mut waiting = vec![ty.base().clone()];
        while let Some(ty) = waiting.pop() {
            let mut parts: Vec<Ty> = ty.parts().cloned().collect();
            if let Ty::Adt(it) = &ty
                && seen.insert(it.key.clone())
            {
                let fields = self.env.def(&it.key).into_iter().flat_map(|it| it.shape.types());
                parts.extend(fields.cloned());
            }
            for part in parts {
                if let Ty::Refined(it) = &part {
                    promised.extend(it.predicates.iter().map(|it| goal_text(it, None)));
                }
                waiting.push(part.base().clone());
            }
        }
        promised
    }

    fn report_unchecked(&mut self, node: NodeId, why: &Unchecked) {
        let (message, help, predicate) = match why {
            Unchecked::Param(name) => (
                format!(
                    "the host returns values of type `{name}` here, which cannot be checked: the type `{name}` is not known"
                ),
                format!(
                    "name a type instead of `{name}`, or call the external where the type is known and pass on its result"
                ),
                format!("value: {name}"),
            ),
            Unchecked::Predicate(it) => (
                format!(
                    "what the host returns here cannot be checked: `{}` is about more than the value",
                    it.text
                ),
                "take the value without the predicate and check it here, with `assert` or by passing it on".to_owned(),
                it.text.clone(),
            ),
        };
        self.report(
            Diagnostic::new(Code::E3001, node, message).help(help).with(refuted(&predicate)),
        );
    }
}

/// What of a use of an external cannot be checked.
fn unchecked(env: &Env, signature: &Signature, used: &Ty) -> Option<Unchecked> {
    let Ty::Fn(used) = used.base() else { return None };
    let mut declared = Walk::new(env, Inside::Declaration);
    for (_, ty) in &signature.params {
        declared.parts(ty.base(), false);
    }
    declared.parts(signature.result.base(), true);
    let found = arguments(signature, used);
    let mut actual = Walk::new(env, Inside::Argument);
    for (name, is_given) in std::mem::take(&mut declared.met) {
        if let Some(ty) = found.get(&name) {
            actual.part(ty, is_given);
        }
    }
    declared.why.or(actual.why)
}

/// What is being looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// The types of the external: others stand for its type parameters, and the names of its parameters have values.
    Declaration,
    /// What stands for a type parameter.
    Argument,
    /// The declaration of a record or sum, whose type arguments are looked at on their own.
    Type,
}

/// A look at all that a type is made of.
struct Walk<'a> {
    env: &'a Env,
    inside: Inside,
    /// The type parameters that were met, and whether the host gives values of them.
    met: BTreeSet<(Name, bool)>,
    seen: FxHashSet<(TypeKey, bool)>,
    why: Option<Unchecked>,
}

impl<'a> Walk<'a> {
    fn new(env: &'a Env, inside: Inside) -> Walk<'a> {
        Walk { env, inside, met: BTreeSet::new(), seen: FxHashSet::default(), why: None }
    }

    /// A part of a value, with its own predicates.
    fn part(&mut self, ty: &Ty, is_given: bool) {
        if let Ty::Refined(it) = ty
            && is_given
            && let Some(it) = it.predicates.iter().find(|it| !self.is_known(it))
        {
            self.why.get_or_insert_with(|| Unchecked::Predicate(it.clone()));
        }
        self.parts(ty.base(), is_given);
    }

    fn is_known(&self, predicate: &Predicate) -> bool {
        match self.inside {
            Inside::Declaration => predicate.is_lasting(),
            Inside::Argument | Inside::Type => predicate.is_closed(),
        }
    }

    /// What a value without predicates of its own is made of.
    fn parts(&mut self, ty: &Ty, is_given: bool) {
        with_stack(|| match ty {
            Ty::Param(name) => match self.inside {
                Inside::Declaration => _ = self.met.insert((name.clone(), is_given)),
                Inside::Argument if is_given => {
                    self.why.get_or_insert_with(|| Unchecked::Param(name.clone()));
                }
                Inside::Argument | Inside::Type => {}
            },
            Ty::Fn(it) => {
                it.params.iter().for_each(|it| self.part(it, !is_given));
                self.part(&it.result, is_given);
            }
            Ty::Adt(it) if !it.key.module.is_empty() => {
                // What a function in it takes goes the other way.
                let is_given_too = is_given || has_functions(self.env, &it.key);
                it.args.iter().for_each(|it| self.part(it, is_given_too));
                self.fields(&it.key, is_given);
            }
            _ => ty.parts().for_each(|it| self.part(it, is_given)),
        });
    }

    /// The fields of a record or sum: their own predicates are asked by the constructor.
    fn fields(&mut self, key: &TypeKey, is_given: bool) {
        if !self.seen.insert((key.clone(), is_given)) {
            return;
        }
        let around = std::mem::replace(&mut self.inside, Inside::Type);
        for ty in self.env.def(key).into_iter().flat_map(|it| it.shape.types()) {
            self.parts(ty.base(), is_given);
        }
        self.inside = around;
    }
}

/// Whether there may be a function in the values of a record or sum.
fn has_functions(env: &Env, key: &TypeKey) -> bool {
    let mut seen: FxHashSet<&TypeKey> = FxHashSet::default();
    let mut waiting = vec![key];
    while let Some(key) = waiting.pop() {
        let mut types: Vec<&Ty> =
            env.def(key).into_iter().flat_map(|it| it.shape.types()).collect();
        while let Some(ty) = types.pop() {
            match ty {
                Ty::Fn(_) => return true,
                Ty::Adt(it) if seen.insert(&it.key) => waiting.push(&it.key),
                _ => {}
            }
            types.extend(ty.parts());
        }
    }
    false
}
