//! A record with one more field: the field is given where records are made, by name or by position, and its type is told by
//! what is given there and by where it is read. Several types may be told; which of them holds is found out by trying.

use std::collections::BTreeMap;

use check::{Confidence, RepairKind};
use clank::body::Resolution;
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank::env::{Signature, TypeBody, TypeEntry};
use clank::resolve::substitute;
use clank::ty::{Prim, Ty, TypeKey};
use clank_syntax::ast::{AstKind, Decl, Expr, ExprId, FieldId, Name, NodeId, Stmt};
use clank_syntax::patch::{PatchOp, Payload};
use clank_syntax::{TokenKind, lex, with_stack};
use serde_json::{Value as Json, json};

use super::record_named;
use crate::FindingId;
use crate::propose::calls::{left_out, signature_of};
use crate::propose::{Candidate, RepairContext, names_fact};

/// How many types are tried.
const MAX_TYPES: usize = 4;

/// The record `ty` with the field `name`, which it lacks at `all` these places; the likeliest type first.
pub(super) fn field_added(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
    ty: &str,
    name: &str,
    all: &[(FindingId, NodeId)],
) -> Vec<Candidate> {
    let Some((record, fields)) = record_named(scene, ty) else { return Vec::new() };
    let by_name: Vec<ExprId> = all
        .iter()
        .filter_map(|it| match &scene.ast().node(it.1).kind {
            AstKind::FieldInit(init) => Some(init.value),
            _ => None,
        })
        .collect();
    let by_position = given_by_position(scene, record, fields.len());
    let is_slip = !names_fact(it, "similar_fields").is_empty() && by_position.is_none();
    if is_slip && all.len() == 1 || by_name.is_empty() && by_position.is_none() {
        return Vec::new();
    }
    let place = match &by_position {
        Some((place, _)) => *place,
        None => place_in_literals(scene, all, fields),
    };
    let given = by_name.iter().chain(by_position.iter().flat_map(|it| &it.1));
    let given: Vec<Ty> = given.filter_map(|it| type_given(scene, *it)).collect();
    let read: Vec<Ty> = all.iter().filter_map(|it| type_read(scene, it.1)).collect();
    // Once may be a slip; whoever uses it in several places means it to be there.
    let is_sure = all.len() > 1 || by_position.is_some();
    let own = type_names(scene, record, name, &given, &read);
    let own = own.into_iter().take(MAX_TYPES).map(|(is_best, new)| {
        let confidence = if is_sure && is_best { Confidence::High } else { Confidence::Medium };
        Candidate::new(scene, target, format!("add the field `{name}: {new}` to `{ty}`"))
            .kind(RepairKind::SemanticsChange)
            .confidence(confidence)
            .because("it has a value where the record is made")
            .also_for(all.iter().map(|it| it.0))
            .op(with_field(scene, record, fields, place, name, &new))
    });
    own.collect()
}

/// The record with a field after so many others.
fn with_field(
    scene: RepairContext<'_>,
    record: NodeId,
    fields: &[FieldId],
    place: usize,
    name: &str,
    ty: &str,
) -> PatchOp {
    let field = json!({ "name": name, "type": { "source": ty } });
    let own = match &scene.ast().node(record).kind {
        AstKind::Decl(it) if place < fields.len() => match &**it {
            Decl::Rec { name, type_params, .. } => Some((name, type_params)),
            _ => None,
        },
        _ => None,
    };
    let Some((name, type_params)) = own else {
        return PatchOp::AddField { type_id: scene.id(record), field: Payload(field) };
    };
    let mut all: Vec<Json> = scene.all_kept(fields);
    all.insert(place, field);
    let mut new = json!({ "kind": "rec", "name": name.as_str(), "fields": all });
    if !type_params.is_empty() {
        new["typeParams"] = Json::Array(scene.all_kept(type_params));
    }
    scene.replace(record, new)
}

/// Where the calls of the record's constructor that have one argument too many have it, and those arguments; `None` if
/// there is no such call, or no place where all of them may have it.
fn given_by_position(
    scene: RepairContext<'_>,
    record: NodeId,
    n_fields: usize,
) -> Option<(usize, Vec<ExprId>)> {
    let is_own = |key: &TypeKey| {
        let def = scene.module.env.def(key);
        key.module == scene.module.file && def.is_some_and(|it| it.node == Some(record))
    };
    let mut calls: Vec<(Vec<usize>, &[ExprId])> = Vec::new();
    for it in scene.module.diagnostics.iter().filter(|it| it.code == Code::E2002) {
        let Some(expr) = scene.expr(it.node) else { continue };
        let Expr::Call { callee, args } = scene.ast().expr(expr) else { continue };
        match scene.view(expr).and_then(|view| view.resolution(*callee)) {
            Some(Resolution::Record { ty }) if is_own(ty) => {}
            _ => continue,
        }
        if args.len() != n_fields + 1 {
            return None;
        }
        calls.push((left_out(scene, expr), args));
    }
    let (first, _) = calls.first()?;
    let place = first.iter().copied().find(|it| calls.iter().all(|call| call.0.contains(it)))?;
    Some((place, calls.iter().map(|it| it.1[place]).collect()))
}

/// After how many of the fields the first literal has the one that is lacking.
fn place_in_literals(
    scene: RepairContext<'_>,
    all: &[(FindingId, NodeId)],
    fields: &[FieldId],
) -> usize {
    let ast = scene.ast();
    let before = all.iter().find_map(|it| {
        let AstKind::FieldInit(_) = &ast.node(it.1).kind else { return None };
        let literal = scene.expr(scene.parent(it.1)?)?;
        match ast.expr(literal) {
            Expr::RecordLit { fields, .. } => {
                let own = fields.iter().position(|field| field.node() == it.1)?;
                Some(fields[..own].iter().map(|it| &ast.field_init(*it).name).collect::<Vec<_>>())
            }
            _ => None,
        }
    });
    let Some(before) = before else { return fields.len() };
    let last = fields.iter().rposition(|it| before.contains(&&ast.field(*it).name));
    last.map_or(0, |it| it + 1)
}

/// The types that may be written for a field, the likeliest first, and whether each is as likely as the first.
fn type_names(
    scene: RepairContext<'_>,
    record: NodeId,
    field: &str,
    given: &[Ty],
    read: &[Ty],
) -> Vec<(bool, String)> {
    let mut all: Vec<(bool, String)> = Vec::new();
    let mut add = |is_best: bool, text: Option<String>| {
        if let Some(text) = text.filter(|text| !all.iter().any(|it| it.1 == *text)) {
            all.push((is_best, text));
        }
    };
    let unused = unused_parameters(scene, record);
    unused.iter().for_each(|it| add(true, Some(it.to_string())));
    let is_best = unused.is_empty();
    let Some(first) = given.first().or(read.first()) else { return Vec::new() };
    add(is_best, written(scene, first.base(), field));
    // What is read has to be what is asked for there; what is given may be more than that.
    for ty in read.iter().chain(given).filter(|it| it.base() == first.base()) {
        add(is_best, written(scene, ty, field));
    }
    if let Ty::Prim(Prim::Int) = first.base() {
        // Nothing says so: it is what is left if `Int` is not enough.
        add(false, Some(Prim::Nat.name().to_owned()));
    }
    for ty in given.iter().chain(read) {
        add(is_best, written(scene, ty.base(), field));
    }
    all
}

/// The type parameters of the record that none of its fields mentions.
fn unused_parameters(scene: RepairContext<'_>, record: NodeId) -> Vec<Name> {
    let env = &scene.module.env;
    let Some(def) =
        env.defs.values().find(|it| it.node == Some(record) && it.key.module == scene.module.file)
    else {
        return Vec::new();
    };
    let TypeBody::Record(fields) = &def.shape else { return Vec::new() };
    let is_used = |name: &Name| fields.iter().any(|it| mentions(&it.1, name));
    def.params.iter().filter(|it| !is_used(it)).cloned().collect()
}

fn mentions(ty: &Ty, param: &Name) -> bool {
    with_stack(|| match ty {
        Ty::Param(name) => name == param,
        _ => ty.parts().any(|it| mentions(it, param)),
    })
}

/// The type as it is written for a field: an alias that stands for it, or its predicates about the field's name. `None`
/// if it is not all known.
fn written(scene: RepairContext<'_>, ty: &Ty, field: &str) -> Option<String> {
    let Ty::Refined(it) = ty else { return Some(ty.to_string()).filter(|_| is_known(ty)) };
    let mut aliases: Vec<&Name> = scene
        .module
        .env
        .types
        .iter()
        .filter(|(_, entry)| {
            matches!(entry, TypeEntry::Alias { params, ty: own } if params.is_empty() && own == ty)
        })
        .map(|it| it.0)
        .collect();
    aliases.sort_unstable();
    if let Some(alias) = aliases.first() {
        return Some(alias.to_string());
    }
    if !is_known(&it.base) {
        return None;
    }
    let predicates: Option<Vec<String>> =
        it.predicates.iter().map(|it| renamed(&it.text, &it.variable, field)).collect();
    Some(format!("{}{{{}}}", it.base, predicates?.join(" && ")))
}

/// A predicate about another name; `None` if the name means something else in it already, or if names are bound in it.
fn renamed(text: &str, from: &str, to: &str) -> Option<String> {
    let tokens = lex(text).0;
    let mut out = String::with_capacity(text.len());
    let mut is_after_dot = false;
    for index in 0..tokens.len() {
        let (kind, found) = (tokens.kind(index), tokens.text(index));
        match kind {
            TokenKind::Ident if is_after_dot => out.push_str(found),
            TokenKind::Ident if found == from => out.push_str(to),
            TokenKind::Ident if found == to => return None,
            TokenKind::Lambda | TokenKind::LBrace | TokenKind::Template => return None,
            _ => out.push_str(found),
        }
        if !kind.is_trivia() {
            is_after_dot = kind == TokenKind::Dot;
        }
    }
    Some(out)
}

/// Whether nothing in a type is unknown.
fn is_known(ty: &Ty) -> bool {
    with_stack(|| match ty {
        Ty::Error | Ty::Var(_) | Ty::Never => false,
        _ => ty.parts().all(is_known),
    })
}

/// The type of a value that is given for the field; of a call whose arguments do not all have one, what the others say.
fn type_given(scene: RepairContext<'_>, value: ExprId) -> Option<Ty> {
    let ty = scene.view(value)?.ty(value);
    if is_known(ty) {
        return Some(ty.clone());
    }
    let Expr::Call { callee, args } = scene.ast().expr(value) else { return None };
    let signature = signature_of(scene, *callee)?;
    Some(instance(scene, &signature.result, signature, args)).filter(is_known)
}

/// The type that is asked for where the field is read.
fn type_read(scene: RepairContext<'_>, read: NodeId) -> Option<Ty> {
    let ast = scene.ast();
    let expr = scene.expr(read)?;
    let parent = scene.parent(read)?;
    let found = match &ast.node(parent).kind {
        AstKind::Expr(Expr::Call { callee, args }) => {
            let place = args.iter().position(|it| *it == expr)?;
            let signature = signature_of(scene, *callee)?;
            instance(scene, &signature.params.get(place)?.1, signature, args)
        }
        AstKind::Expr(Expr::Binary { left, right, .. }) => {
            let other = if *left == expr { *right } else { *left };
            scene.view(other)?.ty(other).base().clone()
        }
        AstKind::Stmt(Stmt::Let { pattern, ty: Some(_), .. }) => {
            scene.view(*pattern)?.ty(*pattern).clone()
        }
        _ => return None,
    };
    Some(found).filter(is_known)
}

/// A type of a signature where it is called: its type parameters are what the arguments say.
fn instance(scene: RepairContext<'_>, ty: &Ty, signature: &Signature, args: &[ExprId]) -> Ty {
    let mut bound: BTreeMap<&Name, Ty> = BTreeMap::new();
    for ((_, param), arg) in signature.params.iter().zip(args) {
        if let Some(view) = scene.view(*arg) {
            bind(param, view.ty(*arg), &mut bound);
        }
    }
    let own = |it: &Name| bound.get(it).cloned().unwrap_or(Ty::Error);
    let args: Vec<Ty> = signature.type_params.iter().map(own).collect();
    substitute(ty, &signature.type_params, &args)
}

fn bind<'a>(param: &'a Ty, actual: &Ty, bound: &mut BTreeMap<&'a Name, Ty>) {
    with_stack(|| match (param, actual.base()) {
        (Ty::Param(name), base) if is_known(base) => {
            bound.entry(name).or_insert_with(|| base.clone());
        }
        (Ty::Array(param), Ty::Array(actual)) => bind(param, actual, bound),
        (Ty::Adt(param), Ty::Adt(actual)) if param.key == actual.key => {
            param.args.iter().zip(&actual.args).for_each(|it| bind(it.0, it.1, bound));
        }
        _ => {}
    });
}

#[cfg(test)]
mod tests {
    use super::renamed;

    #[test]
    fn a_predicate_is_said_of_another_name_unless_that_means_something_in_it() {
        for (text, from, to, expected) in [
            ("v > 0 && v < 9", "v", "height", Some("height > 0 && height < 9")),
            ("r.v > v", "v", "n", Some("r.v > n")),
            ("v < n", "v", "n", None),
            ("n > 0", "n", "n", Some("n > 0")),
        ] {
            assert_eq!(renamed(text, from, to).as_deref(), expected, "{text}");
        }
    }
}
