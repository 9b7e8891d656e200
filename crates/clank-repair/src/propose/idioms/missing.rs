//! Types that a signature does not state: found out from the body and from the calls.

use clank::code::Code;
use clank::ty::Ty;
use clank::{CheckedModule, check_with};
use clank_syntax::TokenKind as T;
use clank_syntax::ast::{DeclId, Expr, ExprId, Name, NodeId};
use clank_syntax::patch::PatchOp;

use super::declarations::params_end;
use super::pieces::{PieceEdit, Pieces, applied};
use crate::propose::{RepairContext, names_fact, text_fact};

/// How often the program is checked to find out about one signature.
const MAX_TRIALS: usize = 4;

/// What a signature lacks.
struct Missing {
    /// The parameters without a type: their names, their places in the list and where the type belongs.
    params: Vec<(String, usize, usize)>,
    /// Where the type of the result belongs.
    result: Option<usize>,
}

/// A signature with its types.
pub(super) struct Stated {
    pub(super) text: String,
    pub(super) titles: Vec<String>,
    /// What the functions that use it have to say then, by file.
    pub(super) users: Vec<(Name, PatchOp)>,
}

/// The text of a function with the types that its signature lacks.
pub(super) fn stated(scene: RepairContext<'_>, decl: DeclId, text: &str) -> Option<Stated> {
    let pieces = Pieces::new(text);
    let missing = missing(&pieces)?;
    let name = pieces.word(1);
    let mut types: Vec<String> = missing
        .params
        .iter()
        .map(|it| from_calls(scene, name, it.1).unwrap_or_else(|| "Unit".to_owned()))
        .collect();
    let mut result = "Unit".to_owned();
    let mut effects = String::new();
    let mut names: Vec<Name> = Vec::new();
    for _ in 0..MAX_TRIALS {
        let tried = written(text, &missing, &types, &format!("{effects}{result}"));
        let (module, decl) = checked(scene, decl, &tried)?;
        let mut is_settled = true;
        for it in module.diagnostics.iter().filter(|it| declaration(&module, it.node) == Some(decl))
        {
            let (expected, actual) = (text_fact(it, "expected"), text_fact(it, "actual"));
            let said = module.ast.text(it.node);
            // A parameter that something else is expected of.
            let param = missing
                .params
                .iter()
                .position(|param| said == param.0 || said.starts_with(&format!("{}.", param.0)));
            if let Some(place) = param.filter(|place| types[*place] == "Unit") {
                let found = match it.code {
                    Code::E2001 => expected.filter(|it| !it.contains('?')).map(str::to_owned),
                    Code::E2016 => Some("Int".to_owned()),
                    Code::E2004 | Code::E2011 => text_fact(it, "field")
                        .map(str::to_owned)
                        .or_else(|| said.rsplit('.').next().map(str::to_owned))
                        .and_then(|field| record_with(scene, &field)),
                    _ => None,
                };
                if let Some(found) = found {
                    types[place] = found;
                    is_settled = false;
                    continue;
                }
            }
            match it.code {
                Code::E2001
                    if missing.result.is_some() && expected == Some("Unit") && result == "Unit" =>
                {
                    if let Some(actual) = actual.filter(|it| !it.contains('?')) {
                        result = actual.to_owned();
                        is_settled = false;
                    }
                }
                Code::E4001 | Code::E4002 if missing.result.is_some() && effects.is_empty() => {
                    let mut all = names_fact(it, "effects");
                    all.extend(text_fact(it, "effect").map(Name::new));
                    all.dedup();
                    names.clone_from(&all);
                    effects = all.iter().map(|it| format!("{it} + ")).collect();
                    is_settled = effects.is_empty();
                }
                _ => {}
            }
        }
        if is_settled {
            break;
        }
    }
    let new = written(text, &missing, &types, &format!("{effects}{result}"));
    let mut titles: Vec<String> = missing
        .params
        .iter()
        .zip(&types)
        .map(|(param, ty)| format!("annotate `{}` as `{ty}`", param.0))
        .collect();
    if missing.result.is_some() {
        titles.push(format!("state the result: `-> {effects}{result}`"));
    }
    let users = match names.is_empty() {
        true => Vec::new(),
        false => crate::propose::effects::of_users(scene, decl, &names),
    };
    Some(Stated { text: new, titles, users })
}

fn missing(it: &Pieces<'_>) -> Option<Missing> {
    let close = params_end(it)?;
    let open = it.partner(close)?;
    let mut params = Vec::new();
    let mut index = 0;
    let mut at = open + 1;
    while at < close {
        let mut end = at;
        while end < close && it.kind(end) != T::Comma {
            end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
        }
        if end == at + 1 && it.kind(at) == T::Ident {
            params.push((it.word(at).to_owned(), index, it.list[at].end));
        }
        index += 1;
        at = end + 1;
    }
    let result = (it.kind(close + 1) == T::LBrace).then(|| it.list[close].end);
    let is_missing = result.is_some() || !params.is_empty();
    is_missing.then_some(Missing { params, result })
}

fn written(text: &str, missing: &Missing, types: &[String], result: &str) -> String {
    let params = missing.params.iter().zip(types);
    let mut edits: Vec<PieceEdit> =
        params.map(|(it, ty)| PieceEdit::new(it.2..it.2, format!(": {ty}"))).collect();
    edits.extend(missing.result.map(|at| PieceEdit::new(at..at, format!(" -> {result}"))));
    applied(text, edits)
}

/// The module with another text for a declaration, checked, and the declaration in it.
fn checked(scene: RepairContext<'_>, decl: DeclId, new: &str) -> Option<(CheckedModule, DeclId)> {
    let ast = scene.ast();
    let source = ast.sources().first().filter(|it| !it.text.is_empty())?;
    let span = ast.span(decl.node());
    let (start, end) = (span.start as usize, span.end as usize);
    let text = format!("{}{new}{}", source.text.get(..start)?, source.text.get(end..)?);
    let parsed = clank_syntax::parse(&source.file, &text);
    let place = scene.checked.modules.iter().position(|it| it.file == scene.module.file)?;
    let program = scene.program.with_text(place, parsed);
    let checked = check_with(&program, Some(scene.checked), None);
    let module = checked.modules.into_iter().nth(place)?;
    let found = module
        .ast
        .declarations()
        .iter()
        .copied()
        .find(|it| module.ast.span(it.node()).start as usize == start)?;
    Some((module, found))
}

fn declaration(module: &CheckedModule, node: NodeId) -> Option<DeclId> {
    crate::extent::declaration(&module.ast, node)
}

/// The type of an argument in the calls of a function.
fn from_calls(scene: RepairContext<'_>, name: &str, index: usize) -> Option<String> {
    let ast = scene.ast();
    for place in 0..ast.nodes().len() {
        let node = NodeId(place as u32);
        let Some(expr) = ExprId::of(ast, node) else { continue };
        let Expr::Call { callee, args } = ast.expr(expr) else { continue };
        let is_it = matches!(ast.expr(*callee), Expr::Ident { name: it } if it == name);
        let Some(arg) = args.get(index).filter(|_| is_it) else { continue };
        let Some(view) = scene.view(node) else { continue };
        let ty = view.ty(*arg).base();
        let text = ty.to_string();
        let is_known =
            !matches!(ty, Ty::Error | Ty::Var(_) | Ty::Param(_) | Ty::Never) && !text.contains('?');
        if is_known {
            return Some(if text == "Nat" { "Int".to_owned() } else { text });
        }
    }
    None
}

/// The only record with a field.
fn record_with(scene: RepairContext<'_>, field: &str) -> Option<String> {
    let ast = scene.ast();
    let mut found = ast.declarations().iter().filter_map(|it| match ast.decl(*it) {
        clank_syntax::ast::Decl::Rec { name, fields, type_params } if type_params.is_empty() => {
            fields.iter().any(|it| ast.field(*it).name == field).then(|| name.to_string())
        }
        _ => None,
    });
    found.next().filter(|_| found.next().is_none())
}
