//! Functions and modules of the host: what goes out and comes back, and the names that TypeScript must be told.

use clank::env::{Signature, Value};
use clank::host;
use clank::ty::{Prim, Ty};
use clank_syntax::ast::{DeclId, ExternalFn, Name};
use rustc_hash::FxHashMap;

use super::context::FileCx;
use super::decl::top_level;
use super::lower::Lower;
use super::names;
use super::print::is_path;
use super::tree::{BindingTarget, DeclKind, Expr, FunctionDecl, JsBlock, Stmt, StmtKind, TopLevel};

/// What a file is made of besides its declarations.
#[derive(Default)]
pub(super) struct Hosted {
    /// Names and modules of the host: `import * as name from "module"`.
    pub(super) modules: Vec<(Name, String)>,
    /// Modules of the host that are only loaded.
    pub(super) loaded: Vec<String>,
    /// Names that TypeScript does not know.
    pub(super) declared: Vec<Name>,
}

/// A function of the host: arguments go out, the result comes back checked.
pub(super) fn external(
    cx: &mut FileCx<'_>,
    decl: DeclId,
    it: &ExternalFn,
    namespace: Option<(&Name, &Name)>,
    hosted: &mut Hosted,
) -> Option<TopLevel> {
    let env = cx.source().env;
    let value = match namespace {
        Some((namespace, _)) => env.host.get(&(namespace.clone(), it.name.clone())),
        None => env.values.get(&it.name),
    };
    let Some(Value::External { signature, .. }) = value else { return None };
    let signature: &Signature = signature;
    let (exported, shown) = match namespace {
        Some((namespace, _)) => {
            let exported = cx.source().exported.member(namespace, &it.name)?.clone();
            (exported, format!("{namespace}.{}", it.name))
        }
        None => (it.name.clone(), it.name.to_string()),
    };
    let name = cx.global(cx.source().file, &exported, true);
    let mut taken: Vec<Name> = Vec::new();
    let mut params = Vec::new();
    let mut args = Vec::new();
    for (written, _) in &signature.params {
        let param = cx.local(written, |it| taken.iter().any(|name| name == it));
        taken.push(param);
    }
    let mut shapes: Vec<Name> = Vec::new();
    for param in &signature.type_params {
        let is_taken = |it: &str| taken.iter().chain(&shapes).any(|name| name == it);
        shapes.push(cx.local(&format!("shapeOf{param}"), is_taken));
    }
    if !shapes.is_empty() {
        cx.helpers.insert("Shape");
    }
    let scope = signature.type_params.iter().cloned().zip(shapes.iter().cloned());
    cx.shapes.enter(scope.collect());
    let nodes = it.params.iter().map(|it| it.node());
    cx.shapes.set_arguments(nodes.zip(taken.iter().cloned()).collect());
    for ((_, ty), param) in signature.params.iter().zip(taken.clone()) {
        args.push(to_host(cx, Expr::ident(param.clone()), ty, &shown));
        params.push((param, cx.ts(ty)));
    }
    if namespace.is_none() {
        note_unknown_names(cx, &it.js_name, hosted);
    }
    let caller = Caller { decl, namespace, shown: &shown, signature, params: &taken };
    let statements = external_body(cx, it, &caller, args);
    cx.shapes.set_arguments(Vec::new());
    cx.shapes.enter(FxHashMap::default());
    params.extend(shapes.into_iter().map(|it| (it, "Shape".to_owned())));
    let kind = DeclKind::Function(FunctionDecl {
        name: name.clone(),
        type_params: signature.type_params.iter().map(|it| names::legal(it)).collect(),
        params,
        result: cx.ts(&signature.result),
        body: JsBlock(statements),
    });
    Some(top_level(cx, decl, &name, &exported, kind))
}

/// The function that stands for one of the host.
struct Caller<'a> {
    decl: DeclId,
    /// The external module that it belongs to: its name in Clank and here.
    namespace: Option<(&'a Name, &'a Name)>,
    /// What panics call it.
    shown: &'a str,
    signature: &'a Signature,
    params: &'a [Name],
}

/// What calls a function of the host.
fn external_body(
    cx: &mut FileCx<'_>,
    it: &ExternalFn,
    caller: &Caller<'_>,
    args: Vec<Expr>,
) -> Vec<Stmt> {
    let Caller { decl, namespace, shown, signature, params } = *caller;
    let origin = Some(cx.origin(decl));
    let mut statements = Vec::new();
    let callee = match namespace {
        Some((_, local)) => Expr::ident(local.clone()).member(it.js_name.as_str()),
        None if is_path(&it.js_name) => Expr::host(it.js_name.as_str()),
        None => {
            let call = cx.local("call", |it| params.iter().any(|name| name == it));
            let ty = Some("(...args: any[]) => any".to_owned());
            let target = BindingTarget::Name(call.clone());
            let init = Expr::host(it.js_name.as_str());
            let comment =
                StmtKind::TypedComment("@ts-ignore: the text of the host is not checked.");
            statements.push(Stmt { kind: comment, origin: None });
            let kind = StmtKind::Const { mutable: false, target, ty, init };
            statements.push(Stmt { kind, origin: None });
            Expr::ident(call)
        }
    };
    let call = Expr::call(callee, args, origin);
    match &signature.result {
        Ty::Refined(refined) => {
            let value = from_host(cx, call, &refined.base, shown);
            let home = cx.source().decl_of(decl.node()).unwrap_or(decl);
            let mut lower = Lower::new(cx, home);
            for (param, name) in it.params.iter().zip(params) {
                lower.known_param(param.node(), name);
            }
            let value = lower.keep_result(value, origin);
            for predicate in &refined.predicates {
                let message = format!(
                    "the external {shown} gave a value for which `{}` does not hold",
                    predicate.text
                );
                lower.check_saying(&value, predicate, &message, origin);
            }
            statements.append(&mut lower.finish().0);
            statements.push(Stmt { kind: StmtKind::Return(Some(value)), origin });
        }
        Ty::Prim(Prim::Unit) => {
            statements.push(Stmt { kind: StmtKind::Expr(call), origin });
        }
        result => {
            let value = from_host(cx, call, result, shown);
            statements.push(Stmt { kind: StmtKind::Return(Some(value)), origin });
        }
    }
    statements
}

fn to_host(cx: &mut FileCx<'_>, value: Expr, ty: &Ty, external: &str) -> Expr {
    match ty.base() {
        Ty::Prim(Prim::Float | Prim::Bool | Prim::Str | Prim::Unit) => value,
        Ty::Prim(_) => cx.call("toHost", vec![value], None),
        base => {
            let shape = cx.host_shape(base);
            cx.call("toHost", vec![value, shape, Expr::str(external)], None)
        }
    }
}

fn from_host(cx: &mut FileCx<'_>, value: Expr, ty: &Ty, external: &str) -> Expr {
    match ty {
        Ty::Prim(Prim::Int) => cx.call("intFromHost", vec![value, Expr::str(external)], None),
        _ => {
            let shape = cx.host_shape(ty);
            cx.call("fromHost", vec![value, shape, Expr::str(external)], None)
        }
    }
}

/// Names of the host that TypeScript knows without being told.
const KNOWN_GLOBALS: &[&str] = &[
    "AbortController",
    "Array",
    "ArrayBuffer",
    "BigInt",
    "Boolean",
    "DataView",
    "Date",
    "Error",
    "Float64Array",
    "Function",
    "Infinity",
    "Int32Array",
    "Intl",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "TextDecoder",
    "TextEncoder",
    "URL",
    "URLSearchParams",
    "Uint8Array",
    "WeakMap",
    "WeakSet",
    "atob",
    "btoa",
    "clearInterval",
    "clearTimeout",
    "console",
    "crypto",
    "decodeURI",
    "decodeURIComponent",
    "document",
    "encodeURI",
    "encodeURIComponent",
    "fetch",
    "globalThis",
    "isFinite",
    "isNaN",
    "localStorage",
    "parseFloat",
    "parseInt",
    "performance",
    "queueMicrotask",
    "setInterval",
    "setTimeout",
    "structuredClone",
    "undefined",
    "window",
];

/// Notes the names in a text of the host that TypeScript does not know.
fn note_unknown_names(cx: &FileCx<'_>, text: &str, hosted: &mut Hosted) {
    for word in host::words(text) {
        let is_known = KNOWN_GLOBALS.contains(&word)
            || names::is_word(word)
            || cx.source().env.values.contains_key(word);
        if !is_known && !hosted.declared.iter().any(|it| it == word) {
            hosted.declared.push(Name::new(word));
        }
    }
}
