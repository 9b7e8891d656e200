//! Repair documents: repairs of a Clank program as `compile` offers them, chosen by somebody, for `apply`.
//!
//! `{ "program_hash", "file", "repairs": [ … ] }`: the repairs are members of a CompileResult as they are. They are lowered
//! to an edits document, which is bound to the bytes that they were made for, and goes the way of every other patch.

use std::collections::BTreeSet;
use std::sync::Arc;

use ::patch::edits::{EditsDocument, FileEdits, TextEdit};
use clank::program::Program;
use clank_syntax::ast::{Ast, Name};
use clank_syntax::json::{self, WriteOptions};
use clank_syntax::patch::{self, PatchOp};
use edit::{ContentHash, EditSet, Text};
use protocol::v1::{PatchInput, PatchKind, RunPatch};
use serde_json::Value;
use snapshot::RelPath;

use crate::compiler::library::OnDisk;
use crate::failure::Failure;
use crate::session::Session;
use crate::setup;
use crate::setup::load_text;

/// The request with the edits document in place of a repair document; as it is with any other patch.
pub(crate) fn lowered(session: &Session, request: &RunPatch) -> Result<RunPatch, Failure> {
    let input = &request.patch;
    let document = match input.kind {
        None => serde_json::from_slice::<Value>(&input.bytes).ok().filter(is_repair_document),
        Some(_) => None,
    };
    let Some(document) = document else { return Ok(request.clone()) };
    let bytes = lower(session, &document).map_err(|error| match error {
        Refusal::Words(reason) => Failure::Unusable { path: input.name.clone(), reason },
        Refusal::Failure(failure) => failure,
    })?;
    let patch =
        PatchInput { name: input.name.clone(), bytes, kind: Some(PatchKind::Edits), file: None };
    Ok(RunPatch { patch, ..request.clone() })
}

/// Why a repair document cannot be applied.
enum Refusal {
    Words(String),
    Failure(Failure),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        Refusal::Failure(failure)
    }
}

fn words(error: impl ToString) -> Refusal {
    Refusal::Words(error.to_string())
}

fn is_repair_document(document: &Value) -> bool {
    document["program_hash"].is_string() && document["repairs"].is_array()
}

fn lower(session: &Session, document: &Value) -> Result<Vec<u8>, Refusal> {
    let ops = operations(document)?;
    let Some(file) = document["file"].as_str() else {
        return Err(words("it does not say which `file` the repairs are for"));
    };
    let path = RelPath::parse(file).map_err(words)?;
    let text = load_text(&session.workspace, &path)?;
    let text = text.ok_or_else(|| words(format!("there is no {path}")))?;
    if document["program_hash"].as_str() != Some(&text.hash().to_string()) {
        return Err(words(format!("{path} changed since the repairs were made; compile it again")));
    }
    let edits = match path.extension() == Some("json") {
        true => edits_of_tree(session, &path, &text, &ops)?,
        false => edits_of_text(session, &path, &text, &ops)?,
    };
    Ok(rendered(path, text.hash(), &edits)?.into_bytes())
}

/// The operations of all repairs. Those that exclude one another are refused, and so are those that lack what they
/// require (RS-48, RS-49).
fn operations(document: &Value) -> Result<Vec<PatchOp>, Refusal> {
    let repairs = document["repairs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let ids: BTreeSet<&str> = repairs.iter().filter_map(|it| it["id"].as_str()).collect();
    let mut ops = Vec::new();
    for repair in required_first(repairs)? {
        let id = repair["id"].as_str().unwrap_or("a repair");
        if repair["program_hash"].is_string() && repair["program_hash"] != document["program_hash"]
        {
            return Err(words(format!("{id} is for another version of the program")));
        }
        let named = |member: &str| {
            let list = repair["compatibility"][member].as_array().into_iter().flatten();
            list.filter_map(Value::as_str).collect::<Vec<_>>()
        };
        if let Some(other) = named("conflicts_with").into_iter().find(|it| ids.contains(it)) {
            return Err(words(format!("{id} and {other} exclude one another; keep one of them")));
        }
        if let Some(other) = named("requires").into_iter().find(|it| !ids.contains(it)) {
            return Err(words(format!("{id} requires {other}; add it")));
        }
        let Some(edits) = repair["edits"].as_array() else {
            return Err(words(format!("{id} has no `edits`")));
        };
        for edit in edits {
            ops.push(PatchOp::from_json(edit).map_err(words)?);
        }
    }
    Ok(ops)
}

/// The repairs in their order, but each after those that it requires (RS-49).
fn required_first(repairs: &[Value]) -> Result<Vec<&Value>, Refusal> {
    let mut order: Vec<&Value> = Vec::with_capacity(repairs.len());
    let mut left: Vec<&Value> = repairs.iter().collect();
    while !left.is_empty() {
        let (ready, waiting): (Vec<&Value>, Vec<&Value>) = left.iter().partition(|it| {
            let required = it["compatibility"]["requires"].as_array().into_iter().flatten();
            let mut required = required.filter_map(Value::as_str);
            required.all(|id| !left.iter().any(|it| it["id"] == id))
        });
        if ready.is_empty() {
            let id = waiting[0]["id"].as_str().unwrap_or("a repair");
            return Err(words(format!("{id} requires itself, by way of others")));
        }
        order.extend(ready);
        left = waiting;
    }
    Ok(order)
}

fn edits_of_text(
    session: &Session,
    path: &RelPath,
    text: &Text,
    ops: &[PatchOp],
) -> Result<EditSet, Refusal> {
    let source = std::str::from_utf8(text.bytes()).map_err(words)?;
    let parsed = clank_syntax::parse(path.as_str(), source);
    let ops = spelled_out(session, path, &parsed.ast, ops)?;
    let patched = patch::patch(&parsed.ast, &ops).map_err(words)?;
    patch::edits(&parsed, &patched).map_err(words)
}

fn edits_of_tree(
    session: &Session,
    path: &RelPath,
    text: &Text,
    ops: &[PatchOp],
) -> Result<EditSet, Refusal> {
    let source = std::str::from_utf8(text.bytes()).map_err(words)?;
    let (ast, problems) = json::read_lenient(source);
    let (Some(ast), []) = (ast, problems.as_slice()) else {
        return Err(words(format!("{path} is not AST JSON")));
    };
    let ops = spelled_out(session, path, &ast, ops)?;
    let after = patch::apply(&ast, &ops).map_err(words)?;
    let options = WriteOptions { ids: true, spans: false, pretty: true };
    edit::diff(text, &Text::new(json::write(&after, &options) + "\n")).map_err(words)
}

/// The operations with every `rename` spelled out, which takes the names of the program.
fn spelled_out(
    session: &Session,
    path: &RelPath,
    ast: &Ast,
    ops: &[PatchOp],
) -> Result<Vec<PatchOp>, Refusal> {
    if !ops.iter().any(|it| matches!(it, PatchOp::Rename { .. })) {
        return Ok(ops.to_vec());
    }
    let (config, _) = setup::load_config(session, &setup::TreeOverlay::new())?;
    let library = OnDisk::new(&session.workspace, &config.clank.roots);
    let file = Name::new(path.as_str());
    let program = Program::load(file, Arc::new(ast.clone()), Vec::new(), &library);
    library.finish()?;
    let checked = clank::check(&program, None);
    let module = checked.asked.ok_or_else(|| words("there is no program"))?;
    clank_repair::expand(&program, &checked, module, ops).map_err(words)
}

fn rendered(path: RelPath, base: ContentHash, edits: &EditSet) -> Result<String, Refusal> {
    let mut all = Vec::with_capacity(edits.edits().len());
    for it in edits.edits() {
        let text = String::from_utf8(it.text.to_vec()).map_err(words)?;
        all.push(TextEdit { start: it.start, end: it.end, text });
    }
    let files = vec![FileEdits { path, base, edits: all }];
    Ok(EditsDocument { files, ..EditsDocument::default() }.render())
}
