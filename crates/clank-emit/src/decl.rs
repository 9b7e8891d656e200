//! Declarations: functions with their entry checks, records and sums.

use clank::env::{Signature, TypeBody, Value};
use clank::ty::{Ty, TypeKey};
use clank_syntax::ast::{Decl, DeclId, FieldId, FnDecl, Name, TypeParamId, VariantId};
use rustc_hash::FxHashMap;

use super::context::FileCx;
use super::external::{Hosted, external};
use super::lower::Lower;
use super::names;
use super::tree::{BindingTarget, DeclKind, Expr, FunctionDecl, JsBlock, Stmt, StmtKind, TopLevel};

/// The declarations of a module, in order.
pub(super) fn declarations(cx: &mut FileCx<'_>, hosted: &mut Hosted) -> Vec<TopLevel> {
    let ast = cx.source().ast;
    let mut items = Vec::new();
    for decl in ast.declarations() {
        let first = items.len();
        match ast.decl(*decl) {
            Decl::Fn(_) if cx.program.unreached.contains(decl) => continue,
            Decl::Fn(it) => items.extend(function(cx, *decl, it)),
            Decl::ExternalFn(it) => {
                items.extend(external(cx, *decl, it, None, hosted));
            }
            Decl::ExternalMod { name, js_module, functions } => {
                let local = cx.global(cx.source().file, name, true);
                hosted.modules.push((local.clone(), js_module.clone()));
                for function in functions {
                    if let Decl::ExternalFn(it) = ast.decl(*function) {
                        let namespace = Some((name, &local));
                        items.extend(external(cx, *function, it, namespace, hosted));
                    }
                }
            }
            Decl::Use(it) if it.is_external => {
                hosted.loaded.extend(it.path.first().map(Name::to_string))
            }
            Decl::Rec { name, type_params, fields } => {
                items.extend(record(cx, *decl, name, type_params, fields));
            }
            Decl::Sum { name, type_params, variants } => {
                items.extend(sum(cx, *decl, name, type_params, variants));
            }
            Decl::TypeAlias { .. } | Decl::Mod { .. } | Decl::Use(_) | Decl::Error { .. } => {}
        }
        if let Some(item) = items.get_mut(first)
            && let Some(comments) = cx.source().comments.get(&decl.node())
        {
            item.comments = comments.leading.iter().map(|it| comment(it)).collect();
        }
    }
    let start = start(cx, &mut items);
    items.extend(start);
    items
}

/// Where a program starts whose `main` returns a `Result`: an error that it returns has reached `main` and is raised.
fn start(cx: &mut FileCx<'_>, items: &mut [TopLevel]) -> Option<TopLevel> {
    let source = cx.source();
    let Some(Value::Fn { module, signature, .. }) = source.env.values.get("main") else {
        return None;
    };
    let Ty::Adt(result) = signature.result.base() else { return None };
    let is_start = cx.program.asked == Some(cx.index) && module == source.file;
    if !is_start || !result.key.is_prelude("Result") || !signature.params.is_empty() {
        return None;
    }
    let main = cx.global(source.file, "main", true);
    let own = items
        .iter_mut()
        .find(|it| matches!(&it.kind, DeclKind::Function(it) if it.name == main))?;
    own.export = false;
    let name = cx.extra("start");
    let given = cx.local("result", |_| false);
    let value = || Expr::ident(given.clone());
    let target = BindingTarget::Name(given.clone());
    let init = Expr::call(Expr::ident(main), Vec::new(), None);
    let kept = StmtKind::Const { mutable: false, target, ty: None, init };
    let mut args = vec![value().member("error")];
    args.extend(result.args.get(1).and_then(|it| cx.show_shape(it)));
    let raise = StmtKind::Expr(cx.call("raise", args, None));
    let fails = Expr::binary("===", value().member("tag"), Expr::str("Err"));
    let raise = JsBlock(vec![Stmt { kind: raise, origin: None }]);
    let leave = StmtKind::If { branches: vec![(fails, raise)], otherwise: None };
    let statements = [kept, leave].map(|kind| Stmt { kind, origin: None });
    let function = FunctionDecl {
        name: name.clone(),
        type_params: Vec::new(),
        params: Vec::new(),
        result: "void".into(),
        body: JsBlock(statements.into()),
    };
    cx.start = Some(name);
    let comments = vec!["// An error that `main` returns ends the program.".to_owned()];
    Some(TopLevel { kind: DeclKind::Function(function), export: false, comments, origin: None })
}

/// A comment as JavaScript reads it: there block comments do not nest, and more characters end a line.
fn comment(text: &str) -> String {
    let text = text.replace(['\r', '\u{2028}', '\u{2029}'], " ");
    match text.strip_prefix("/*").and_then(|it| it.strip_suffix("*/")) {
        Some(inner) if inner.contains("/*") || inner.contains("*/") => {
            let lines = inner.lines().map(|it| format!("// {}", it.trim()).trim_end().to_owned());
            lines.collect::<Vec<_>>().join("\n")
        }
        _ => text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"),
    }
}

pub(super) fn top_level(
    cx: &FileCx<'_>,
    decl: DeclId,
    own: &str,
    exported: &str,
    kind: DeclKind,
) -> TopLevel {
    TopLevel { kind, export: own == exported, comments: Vec::new(), origin: Some(cx.origin(decl)) }
}

fn function(cx: &mut FileCx<'_>, decl: DeclId, it: &FnDecl) -> Option<TopLevel> {
    let signature: &Signature = cx.source().env.signature(decl)?;
    let name = cx.global(cx.source().file, &it.name, true);
    let mut lower = Lower::new(cx, decl);
    let mut params = Vec::new();
    for (param, (written, _)) in it.params.iter().zip(&signature.params) {
        params.push(lower.param(param.node(), written));
    }
    let shapes = lower.shape_params(&it.name);
    for ((param, name), (_, ty)) in it.params.iter().zip(&params).zip(&signature.params) {
        lower.check_param(name, ty, param.node());
    }
    if let Some(condition) = &signature.precondition {
        lower.precondition(condition);
    }
    lower.function_body(it.body, &signature.result, signature.postcondition.clone());
    let body = lower.finish();
    cx.shapes.enter(FxHashMap::default());
    let types = signature.params.iter().map(|it| cx.ts(&it.1)).collect::<Vec<_>>();
    let params = params.into_iter().zip(types);
    let shapes = shapes.into_iter().map(|it| (it, "Shape".to_owned()));
    let kind = DeclKind::Function(FunctionDecl {
        name: name.clone(),
        type_params: signature.type_params.iter().map(|it| names::legal(it)).collect(),
        params: params.chain(shapes).collect(),
        result: cx.ts(&signature.result),
        body,
    });
    Some(top_level(cx, decl, &name, &it.name, kind))
}

/// A record: its interface and the function that makes one, which checks the fields.
fn record(
    cx: &mut FileCx<'_>,
    decl: DeclId,
    name: &Name,
    type_params: &[TypeParamId],
    fields: &[FieldId],
) -> Vec<TopLevel> {
    let key = TypeKey { module: cx.source().file.clone(), name: name.clone() };
    let Some(def) = cx.def(&key) else { return Vec::new() };
    let TypeBody::Record(types) = &def.shape else { return Vec::new() };
    let own = cx.global(&key.module, name, true);
    let params = type_param_names(cx, type_params);
    let typed: Vec<(Name, String)> =
        types.iter().map(|(name, ty)| (names::legal(name), cx.ts(ty))).collect();
    let kind =
        DeclKind::Interface { name: own.clone(), params: params.clone(), fields: typed.clone() };
    let interface = top_level(cx, decl, &own, name, kind);
    let nodes: Vec<_> = fields.iter().map(|it| it.node()).collect();
    let fields = types.iter().map(|(name, ty)| (names::legal(name), ty)).zip(nodes);
    let fields = fields.map(|((name, ty), node)| (name, ty, node)).collect::<Vec<_>>();
    let result = applied(&own, &params);
    let function = constructor(cx, decl, own.clone(), params, &fields, result, None);
    vec![interface, top_level(cx, decl, &own, name, DeclKind::Function(function))]
}

/// A sum: its type, and a function or a constant for every variant.
fn sum(
    cx: &mut FileCx<'_>,
    decl: DeclId,
    name: &Name,
    type_params: &[TypeParamId],
    variants: &[VariantId],
) -> Vec<TopLevel> {
    let key = TypeKey { module: cx.source().file.clone(), name: name.clone() };
    let Some(def) = cx.def(&key) else { return Vec::new() };
    let TypeBody::Sum(defs) = &def.shape else { return Vec::new() };
    let own = cx.global(&key.module, name, false);
    let params = type_param_names(cx, type_params);
    let mut union = Vec::new();
    let mut makers = Vec::new();
    let ast = cx.source().ast;
    for (index, (variant, id)) in defs.iter().zip(variants).enumerate() {
        let fields: Vec<(Name, &Ty)> = variant
            .fields
            .iter()
            .enumerate()
            .map(|(position, (name, ty))| (names::variant_field(name.as_deref(), position), ty))
            .collect();
        let typed = fields.iter().map(|(name, ty)| (name.clone(), cx.ts(ty))).collect();
        union.push((variant.name.clone(), typed));
        let exported = cx.source().exported.variant(name, index as u32).cloned();
        let exported = exported.unwrap_or_else(|| variant.name.clone());
        let maker = cx.global(&key.module, &exported, true);
        let kind = if fields.is_empty() {
            let tag = vec![(Name::new("tag"), Expr::str(variant.name.as_str()))];
            let never: Vec<Name> = params.iter().map(|_| Name::new("never")).collect();
            let ty = Some(applied(&own, &never));
            DeclKind::Const { name: maker.clone(), ty, init: Expr::object(tag) }
        } else {
            let nodes = ast.variant(*id).fields.iter().map(|it| it.node());
            let fields: Vec<_> =
                fields.into_iter().zip(nodes).map(|((name, ty), node)| (name, ty, node)).collect();
            let result = applied(&own, &params);
            let tag = Some(variant.name.as_str());
            DeclKind::Function(constructor(
                cx,
                decl,
                maker.clone(),
                params.clone(),
                &fields,
                result,
                tag,
            ))
        };
        makers.push(top_level(cx, decl, &maker, &exported, kind));
    }
    let kind = DeclKind::Union { name: own.clone(), params, variants: union };
    let mut items = vec![top_level(cx, decl, &own, name, kind)];
    items.append(&mut makers);
    items
}

/// A function that makes an object of its parameters.
fn constructor(
    cx: &mut FileCx<'_>,
    decl: DeclId,
    name: Name,
    type_params: Vec<Name>,
    fields: &[(Name, &Ty, clank_syntax::ast::NodeId)],
    result: String,
    tag: Option<&str>,
) -> FunctionDecl {
    let mut lower = Lower::new(cx, decl);
    let mut params = Vec::new();
    for (field, _, node) in fields {
        params.push(lower.param(*node, field));
    }
    for ((field, ty, node), param) in fields.iter().zip(&params) {
        lower.field_value(field, param);
        lower.check_param(param, ty, *node);
    }
    let mut object: Vec<(Name, Expr)> = Vec::new();
    object.extend(tag.map(|it| (Name::new("tag"), Expr::str(it))));
    let values = fields.iter().zip(&params);
    object.extend(values.map(|((field, ..), param)| (field.clone(), Expr::ident(param.clone()))));
    let mut body = lower.finish();
    body.0.push(Stmt { kind: StmtKind::Return(Some(Expr::object(object))), origin: None });
    let types: Vec<String> = fields.iter().map(|it| cx.ts(it.1)).collect();
    FunctionDecl {
        name,
        type_params,
        params: params.into_iter().zip(types).collect(),
        result,
        body,
    }
}

fn type_param_names(cx: &FileCx<'_>, params: &[TypeParamId]) -> Vec<Name> {
    let ast = cx.source().ast;
    params.iter().map(|it| names::legal(&ast.type_param(*it).name)).collect()
}

fn applied(name: &str, params: &[Name]) -> String {
    if params.is_empty() { name.to_owned() } else { format!("{name}<{}>", params.join(", ")) }
}
