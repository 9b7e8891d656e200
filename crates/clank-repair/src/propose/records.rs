//! E2003, E2004, E2006, E2010, E2011: fields that are missing or unknown, and values that have no fields, elements or
//! turns.

mod added;

use check::{Confidence, RepairKind};
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank::exhaust::fields_of;
use clank::similar::{distance, similar};
use clank::ty::{Prim, Ty};
use clank_syntax::ast::{
    AstKind, Decl, Expr, ExprId, FieldInitId, Literal, Name, NodeId, Stmt, StmtId,
};
use clank_syntax::patch::{PatchOp, Payload};
use serde_json::{Value as Json, json};

use super::fit::{FillingKind, fillings};
use super::make::{by_place, call, ident, source};
use super::{Candidate, RepairContext, names_fact, text_fact};
use crate::FindingId;

pub(super) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    match it.code {
        Code::E2003 => missing_fields(scene, it, target),
        Code::E2004 => {
            let mut found = unknown_field(scene, it, target);
            found.extend(as_function(scene, it.node, target));
            found
        }
        Code::E2006 => tuple_index(scene, it.node, target).into_iter().collect(),
        Code::E2010 => not_iterable(scene, it.node, target).into_iter().collect(),
        _ => {
            let mut found: Vec<Candidate> =
                as_function(scene, it.node, target).into_iter().collect();
            found.extend(field_of_inner(scene, it.node, target));
            found
        }
    }
}

/// A record literal with the fields that it lacks: values in scope first, else placeholders.
fn missing_fields(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Vec<Candidate> {
    let ast = scene.ast();
    let (Some(expr), Some(view)) = (scene.expr(it.node), scene.view(it.node)) else {
        return Vec::new();
    };
    let inits: &[FieldInitId] = match ast.expr(expr) {
        Expr::Record { fields } | Expr::RecordLit { fields, .. } => fields,
        _ => return Vec::new(),
    };
    let declared: Vec<(Name, Ty)> = fields_of(view.ty(expr), &scene.module.env)
        .into_iter()
        .filter_map(|it| Some((it.0?, it.1)))
        .collect();
    let missing = names_fact(it, "missing_fields");
    let values: Vec<(Name, Vec<super::fit::Filling>)> = missing
        .iter()
        .filter_map(|name| {
            let (_, ty) = declared.iter().find(|it| it.0 == *name)?;
            Some((name.clone(), fillings(scene, expr.node(), Some(name), ty)))
        })
        .collect();
    if values.is_empty() {
        return Vec::new();
    }
    let n_options = values.iter().map(|it| it.1.len()).max().unwrap_or(0);
    let mut found = Vec::new();
    for option in 0..n_options {
        let chosen: Vec<_> = values
            .iter()
            .map(|(name, fillings)| (name, &fillings[option.min(fillings.len() - 1)]))
            .collect();
        let kind = chosen.iter().map(|it| it.1.kind).max().unwrap_or(FillingKind::Placeholder);
        let new: Vec<(&Name, Json)> = chosen.iter().map(|it| (it.0, it.1.node.clone())).collect();
        let shown: Vec<String> =
            chosen.iter().map(|it| format!("`{}: {}`", it.0, it.1.text)).collect();
        let words = if shown.len() == 1 { "field" } else { "fields" };
        let (confidence, change) = match kind {
            FillingKind::Unused | FillingKind::SameName => (Confidence::High, RepairKind::LocalFix),
            FillingKind::Placeholder => (Confidence::Medium, RepairKind::SemanticsChange),
            // The first says best where the value comes from.
            _ if option > 0 => (Confidence::Low, RepairKind::LocalFix),
            _ => (Confidence::Medium, RepairKind::LocalFix),
        };
        let title = format!("add the missing {words} {}", shown.join(" and "));
        found.push(
            Candidate::new(scene, target, title)
                .confidence(confidence)
                .kind(change)
                .because(it.message.clone())
                .op(scene.replace(expr, with_fields(scene, expr, inits, &declared, &new))),
        );
    }
    found
}

/// The literal with more fields, each where the declaration has it.
fn with_fields(
    scene: RepairContext<'_>,
    expr: ExprId,
    inits: &[FieldInitId],
    declared: &[(Name, Ty)],
    new: &[(&Name, Json)],
) -> Json {
    let ast = scene.ast();
    let place = |name: &Name| declared.iter().position(|it| it.0 == *name);
    let mut fields: Vec<(Option<usize>, Json)> =
        inits.iter().map(|it| (place(&ast.field_init(*it).name), scene.kept(*it))).collect();
    for (name, value) in new {
        let own = place(name);
        let after = fields.iter().rposition(|it| it.0 < own).map_or(0, |it| it + 1);
        let field = json!({ "name": name.as_str(), "value": value });
        fields.insert(after, (own, field));
    }
    let fields: Vec<Json> = fields.into_iter().map(|it| it.1).collect();
    match ast.expr(expr) {
        Expr::RecordLit { name, .. } => {
            json!({ "kind": "recordLit", "name": name.as_str(), "fields": fields })
        }
        _ => json!({ "kind": "record", "fields": fields }),
    }
}

/// A field that the record does not have: it is misspelt here or where it is declared, or it does not belong here.
fn unknown_field(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Vec<Candidate> {
    let (Some(name), Some(ty)) = (text_fact(it, "field"), text_fact(it, "type")) else {
        return Vec::new();
    };
    let all: Vec<(FindingId, NodeId)> = scene
        .module
        .diagnostics
        .iter()
        .enumerate()
        .filter(|(_, other)| {
            other.code == Code::E2004
                && text_fact(other, "field") == Some(name)
                && text_fact(other, "type").is_some_and(|it| is_same_record(it, ty))
        })
        .map(|(index, other)| (FindingId::Diagnostic(index), other.node))
        .collect();
    if all.first().map(|it| it.0) != Some(target) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let declared = declared_field(scene, ty, name);
    let is_declaration_first = declared.is_some() && all.len() > 1;
    for (place, near) in names_fact(it, "similar_fields").into_iter().enumerate() {
        let title = match all.len() {
            1 => format!("rename the field `{name}` to `{near}`"),
            n => format!("rename the field `{name}` to `{near}` in {n} places"),
        };
        let confidence = by_place(place + usize::from(is_declaration_first));
        found.extend(both_names(scene, target, it.node, name, &near, confidence));
        let candidate = Candidate::new(scene, target, title)
            .confidence(confidence)
            .because(format!("`{ty}` has no `{name}`, and `{near}` is near"))
            .also_for(all.iter().map(|it| it.0));
        let ops = all.iter().map(|it| scene.rename_field(it.1, name, &near));
        found.push(ops.fold(candidate, Candidate::op));
    }
    if let Some((field, old)) = declared {
        let title = format!("rename the field `{old}` of `{ty}` to `{name}`");
        found.push(
            Candidate::new(scene, target, title)
                .confidence(by_place(usize::from(!is_declaration_first)))
                .because(format!("`{old}` is never used, but `{name}` is"))
                .also_for(all.iter().map(|it| it.0))
                .op(scene.rename_field(field, &old, name)),
        );
    }
    found.extend(added::field_added(scene, it, target, ty, name, &all));
    found.extend(field_removed(scene, it, target, name));
    found
}

/// Whether two types are the same record, with whatever type arguments.
fn is_same_record(one: &str, other: &str) -> bool {
    let name = |it: &str| it.split(['[', '{']).next().map(str::len).filter(|it| *it > 0);
    one == other
        || name(one).zip(name(other)).is_some_and(|(a, b)| a == b && one[..a] == other[..b])
}

/// `{ naem }` binds the name too, and renaming the field keeps that: here both change.
fn both_names(
    scene: RepairContext<'_>,
    target: FindingId,
    node: NodeId,
    name: &str,
    near: &str,
    confidence: Confidence,
) -> Option<Candidate> {
    let AstKind::FieldPattern(it) = &scene.ast().node(node).kind else { return None };
    if it.pattern.is_some() {
        return None;
    }
    let title = format!("rename the field `{name}` and its variable to `{near}`");
    Some(
        Candidate::new(scene, target, title)
            .confidence(confidence)
            .because(format!("the field is called `{near}`"))
            .op(scene.replace(node, json!({ "name": near }))),
    )
}

/// A field of the record that is near and that nobody uses.
fn declared_field(scene: RepairContext<'_>, ty: &str, wanted: &str) -> Option<(NodeId, Name)> {
    let (_, fields) = record_named(scene, ty)?;
    let ast = scene.ast();
    let is_used = |name: &Name| {
        scene.checked.modules.iter().any(|module| {
            module.ast.nodes().iter().any(|node| match &node.kind {
                AstKind::Expr(Expr::Field { field, .. }) => field == name,
                AstKind::FieldInit(it) => it.name == *name,
                AstKind::FieldPattern(it) => it.name == *name,
                _ => false,
            })
        })
    };
    let mut near: Vec<_> = fields
        .iter()
        .filter_map(|id| {
            let name = &ast.field(*id).name;
            Some((distance(wanted, name)?, id.node(), name.clone()))
        })
        .collect();
    near.sort_by_key(|it| it.0);
    near.into_iter().find(|it| !is_used(&it.2)).map(|it| (it.1, it.2))
}

/// The record of the module that a type is.
fn record_named<'a>(
    scene: RepairContext<'a>,
    ty: &str,
) -> Option<(NodeId, &'a [clank_syntax::ast::FieldId])> {
    let base = ty.split(['[', '{']).next()?;
    let ast = scene.ast();
    ast.declarations().iter().find_map(|decl| match ast.decl(*decl) {
        Decl::Rec { name, fields, .. } if name == base => Some((decl.node(), &**fields)),
        _ => None,
    })
}

/// The literal or pattern without the field.
fn field_removed(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
    name: &str,
) -> Option<Candidate> {
    let parent = scene.parent(it.node)?;
    let n_fields = scene.ast().children(parent).len();
    match &scene.ast().node(it.node).kind {
        AstKind::FieldInit(_) | AstKind::FieldPattern(_) if n_fields > 1 => {}
        _ => return None,
    }
    Some(
        Candidate::new(scene, target, format!("remove the field `{name}`"))
            .kind(RepairKind::SemanticsChange)
            .because(it.message.clone())
            .op(scene.delete(it.node)),
    )
}

/// `x.f(y)` for `f(x, y)`, if there is such a function.
fn as_function(scene: RepairContext<'_>, node: NodeId, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let expr = scene.expr(node)?;
    let Expr::Field { object, field } = ast.expr(expr) else { return None };
    let parent = scene.expr(scene.parent(expr)?)?;
    let Expr::Call { callee, args } = ast.expr(parent) else { return None };
    if *callee != expr {
        return None;
    }
    let functions: Vec<Name> = super::calls::callable(scene, args.len() + 1);
    let name = match functions.contains(field) {
        true => field.clone(),
        false => {
            similar(field, functions.iter().map(|it| (it.as_str(), true))).into_iter().next()?
        }
    };
    let mut all = vec![scene.kept(*object)];
    all.extend(scene.all_kept(args));
    Some(
        Candidate::new(scene, target, format!("call the function: `{name}(…)`"))
            .confidence(by_place(usize::from(name != *field)))
            .because("a function is written before its arguments")
            .op(scene.replace(parent, call(ident(&name), all))),
    )
}

/// A field of what an Option or Result holds.
fn field_of_inner(scene: RepairContext<'_>, node: NodeId, target: FindingId) -> Option<Candidate> {
    let expr = scene.expr(node)?;
    let Expr::Field { object, field } = scene.ast().expr(expr) else { return None };
    let Ty::Adt(it) = scene.view(expr)?.ty(*object).base() else { return None };
    if !it.key.is_prelude("Option") && !it.key.is_prelude("Result") {
        return None;
    }
    let inner = fields_of(it.args.first()?, &scene.module.env);
    if !inner.iter().any(|it| it.0.as_ref() == Some(field)) {
        return None;
    }
    let wrapper = json!({ "kind": "propagate", "expr": { "kind": "hole", "ref": "value" } });
    Some(
        Candidate::new(scene, target, "pass a failure on with `?`")
            .because(format!("what it holds has the field `{field}`"))
            .op(PatchOp::Wrap {
                node_id: scene.id(*object),
                wrapper: Payload(wrapper),
                hole_ref: Name::new("value"),
            }),
    )
}

/// `t[0]` for `t.0`.
fn tuple_index(scene: RepairContext<'_>, node: NodeId, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let expr = scene.expr(node)?;
    let Expr::Index { object, index } = ast.expr(expr) else { return None };
    let Ty::Tuple(parts) = scene.view(expr)?.ty(*object).base() else { return None };
    let Expr::Literal(Literal::Int { value, .. }) = ast.expr(*index) else { return None };
    let place = usize::try_from(value).ok().filter(|it| *it < parts.len())?;
    let new = json!({ "kind": "field", "object": scene.kept(*object), "field": place.to_string() });
    Some(
        Candidate::new(scene, target, format!("write `.{place}`"))
            .confidence(Confidence::High)
            .because("the parts of a tuple are reached with `.0`, `.1`, …")
            .op(scene.replace(expr, new)),
    )
}

/// A loop over a number runs so many times, one over a text over its characters.
fn not_iterable(scene: RepairContext<'_>, node: NodeId, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let statement =
        StmtId::of(ast, node).or_else(|| scene.parent(node).and_then(|it| StmtId::of(ast, it)))?;
    let Stmt::For { iterable, .. } = ast.stmt(statement) else { return None };
    let what = clank::resolve::one_line(ast, *iterable);
    match scene.view(*iterable)?.ty(*iterable).base() {
        Ty::Prim(prim) if prim.is_integer() => {
            let new = json!({
                "kind": "range",
                "start": source("0"),
                "end": scene.kept(*iterable),
                "inclusive": false,
            });
            Some(
                Candidate::new(scene, target, format!("loop over `0..{what}`"))
                    .because(format!("`{what}` is a number"))
                    .op(scene.replace(*iterable, new)),
            )
        }
        Ty::Prim(Prim::Str) => Some(
            Candidate::new(scene, target, format!("loop over `chars({what})`"))
                .because(format!("`{what}` is a string"))
                .op(scene.wrap_in_call(*iterable, "chars")),
        ),
        _ => None,
    }
}
