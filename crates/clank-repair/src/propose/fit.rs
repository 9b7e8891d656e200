//! What fits where: types that may be put for one another, and values for what is missing.

use clank::env::{TypeBody, Value};
use clank::ty::{Prim, Ty};
use clank_syntax::ast::{AstKind, Expr, Name, NodeId};
use clank_syntax::{TokenKind, lex, with_stack};
use serde_json::{Value as Json, json};

use super::RepairContext;
use super::make::{call, ident, source, string};
use super::scope::{LocalBinding, locals, n_uses};
use super::types::placeholder;

/// Whether a value of one type may be put where another is expected. What is not known fits.
pub(super) fn may_fit(actual: &Ty, expected: &Ty) -> bool {
    with_stack(|| match (actual.base(), expected.base()) {
        (Ty::Error | Ty::Never | Ty::Var(_), _) | (_, Ty::Error | Ty::Var(_)) => true,
        (Ty::Prim(a), Ty::Prim(b)) => a == b || is_int(*a) && is_int(*b),
        (Ty::Adt(a), Ty::Adt(b)) => a.key == b.key && all_fit(&a.args, &b.args),
        (Ty::Fn(a), Ty::Fn(b)) => all_fit(&a.params, &b.params) && may_fit(&a.result, &b.result),
        (Ty::Tuple(a), Ty::Tuple(b)) => all_fit(a, b),
        (Ty::Array(a), Ty::Array(b)) => may_fit(a, b),
        (Ty::Record(a), Ty::Record(b)) => {
            a.fields.len() == b.fields.len()
                && a.fields.iter().all(|it| b.fields.iter().any(|other| it.0 == other.0))
        }
        (a, b) => a == b,
    })
}

fn is_int(prim: Prim) -> bool {
    matches!(prim, Prim::Int | Prim::Nat)
}

fn all_fit(a: &[Ty], b: &[Ty]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|it| may_fit(it.0, it.1))
}

/// Something that is put where a value is missing.
#[derive(Clone)]
pub(super) struct Filling {
    pub(super) node: Json,
    pub(super) kind: FillingKind,
    /// As it is written.
    pub(super) text: String,
}

/// Why it is put there, the best reason first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum FillingKind {
    /// The only local of that type that is used nowhere: it was put there before.
    Unused,
    /// A local of that name and type.
    SameName,
    /// The only local of that type.
    OnlyOne,
    /// A field of a local.
    Field,
    /// One of several locals of that type.
    OneOfSeveral,
    /// Nothing that was meant.
    Placeholder,
}

/// What could be put at a place for a value of that name and type, the best first; the last one is a placeholder.
pub(super) fn fillings(
    scene: RepairContext<'_>,
    at: NodeId,
    name: Option<&Name>,
    ty: &Ty,
) -> Vec<Filling> {
    let fitting: Vec<LocalBinding> =
        locals(scene, at).into_iter().filter(|it| may_fit(&it.ty, ty)).collect();
    let mut found: Vec<Filling> = Vec::new();
    let mut add = |local: &LocalBinding, kind: FillingKind| {
        if !found.iter().any(|it| it.text == local.name) {
            let (node, text) = (ident(&local.name), local.name.to_string());
            found.push(Filling { node, kind, text });
        }
    };
    let is_known =
        |it: &&LocalBinding| !matches!(it.ty.base(), Ty::Error) && !matches!(ty.base(), Ty::Error);
    let mut unused = fitting.iter().filter(is_known).filter(|it| n_uses(scene, it.node) == 0);
    if let (Some(local), None) = (unused.next(), unused.next()) {
        add(local, FillingKind::Unused);
    }
    if let Some(local) = fitting.iter().find(|it| Some(&it.name) == name) {
        add(local, FillingKind::SameName);
    }
    if let [local] = &fitting[..]
        && is_known(&local)
    {
        add(local, FillingKind::OnlyOne);
    }
    let several: Vec<&LocalBinding> = fitting.iter().filter(is_known).take(MAX_LOCALS).collect();
    found.extend(fields_of_locals(scene, at, name, ty));
    for local in several {
        if !found.iter().any(|it| it.text == local.name) {
            let (node, text) = (ident(&local.name), local.name.to_string());
            found.push(Filling { node, kind: FillingKind::OneOfSeveral, text });
        }
    }
    found.extend(guesses(ty).into_iter().map(|text| Filling {
        node: source(&text),
        kind: FillingKind::Placeholder,
        text,
    }));
    found.extend(plain_variant(scene, ty).map(|name| Filling {
        node: ident(&name),
        kind: FillingKind::Placeholder,
        text: name.to_string(),
    }));
    let (node, text) = placeholder_for(ty, name);
    found.push(Filling { node, kind: FillingKind::Placeholder, text });
    found
}

/// Plain values that a type may have: which of them a predicate allows is found out by trying.
fn guesses(ty: &Ty) -> Vec<String> {
    let texts: &[&str] = match (ty, ty.base()) {
        (Ty::Error, _) => &["0", "\"\"", "[]"],
        (Ty::Refined(it), Ty::Prim(prim)) if prim.is_integer() => {
            let mut numbers = vec!["0".to_owned(), "1".to_owned()];
            for text in it.predicates.iter().flat_map(|it| constants(&it.text)) {
                if !numbers.contains(&text) {
                    numbers.push(text);
                }
            }
            numbers.truncate(MAX_NUMBERS);
            return numbers;
        }
        (Ty::Refined(_), Ty::Prim(prim)) => {
            return placeholder(*prim).map(str::to_owned).into_iter().collect();
        }
        (Ty::Refined(_), Ty::Array(_)) => &["[]"],
        _ => &[],
    };
    texts.iter().map(|it| (*it).to_owned()).collect()
}

/// How many numbers are tried for one place.
const MAX_NUMBERS: usize = 4;

/// The whole numbers that a predicate mentions.
fn constants(predicate: &str) -> Vec<String> {
    let tokens = lex(predicate).0;
    let is_int = |index: &usize| tokens.kind(*index) == TokenKind::Int;
    (0..tokens.len()).filter(is_int).map(|it| tokens.text(it).to_owned()).collect()
}

/// The first variant of a sum that holds nothing, if its name means it here.
fn plain_variant(scene: RepairContext<'_>, ty: &Ty) -> Option<Name> {
    let Ty::Adt(it) = ty.base() else { return None };
    let env = &scene.module.env;
    let TypeBody::Sum(variants) = &env.def(&it.key)?.shape else { return None };
    let place = variants.iter().position(|it| it.fields.is_empty())?;
    let name = &variants[place].name;
    match env.values.get(name)? {
        Value::Variant { def, variant } if def.key == it.key && *variant as usize == place => {
            Some(name.clone())
        }
        _ => None,
    }
}

/// How many of several locals that fit are worth trying.
const MAX_LOCALS: usize = 2;

/// How many fields of locals are worth trying.
const MAX_FIELDS: usize = 3;

/// The fields of records in scope that fit; those of that name first.
fn fields_of_locals(
    scene: RepairContext<'_>,
    at: NodeId,
    name: Option<&Name>,
    ty: &Ty,
) -> Vec<Filling> {
    if let Ty::Error | Ty::Param(_) = ty {
        return Vec::new();
    }
    let mut found: Vec<(bool, Filling)> = Vec::new();
    for local in locals(scene, at) {
        let is_record = match local.ty.base() {
            Ty::Record(_) => true,
            Ty::Adt(it) => scene
                .module
                .env
                .def(&it.key)
                .is_some_and(|it| matches!(it.shape, TypeBody::Record(_))),
            _ => false,
        };
        if !is_record {
            continue;
        }
        for (field, field_ty) in clank::exhaust::fields_of(&local.ty, &scene.module.env) {
            let Some(field) = field.filter(|_| may_fit(&field_ty, ty)) else { continue };
            let node =
                json!({ "kind": "field", "object": ident(&local.name), "field": field.as_str() });
            let text = format!("{}.{field}", local.name);
            let is_other = Some(&field) != name;
            found.push((is_other, Filling { node, kind: FillingKind::Field, text }));
        }
    }
    found.sort_by_key(|it| it.0);
    found.into_iter().take(MAX_FIELDS).map(|it| it.1).collect()
}

/// The plainest value of a type, or a call of `todo`.
pub(super) fn placeholder_for(ty: &Ty, name: Option<&Name>) -> (Json, String) {
    let text = match ty {
        Ty::Prim(prim) => placeholder(*prim),
        Ty::Array(_) => Some("[]"),
        Ty::Adt(it) if it.key.is_prelude("Option") => Some("None"),
        _ => None,
    };
    let what = name.map_or_else(|| ty.to_string(), |it| it.to_string());
    let words = format!("give {what}");
    match (text, ty) {
        (Some(text), _) => (source(text), text.to_owned()),
        // A function that is not written yet need not stop the program before it is called.
        (None, Ty::Fn(it)) => {
            let params = vec!["_"; it.params.len()].join(", ");
            let head = if it.params.len() == 1 { params } else { format!("({params})") };
            let words = Json::from(words).to_string();
            (source(&format!("\\{head} -> todo({words})")), format!("\\{head} -> todo(…)"))
        }
        (None, _) => (call(ident("todo"), vec![string(&words)]), "todo(…)".to_owned()),
    }
}

/// The name that an expression is.
pub(super) fn name_at<'a>(scene: RepairContext<'a>, node: NodeId) -> Option<&'a Name> {
    match &scene.ast().node(node).kind {
        AstKind::Expr(Expr::Ident { name }) => Some(name),
        _ => None,
    }
}
