//! `compile`: one program in, one CompileResult out. The agent protocol.

mod fix;
mod hints;
mod repairs;

use std::collections::BTreeMap;
use std::sync::Arc;

use clank::body::{Binding, Goal, GoalKind};
use clank::diagnostic::{Diagnostic, Hint};
use clank::program::{Library, NoModules, Program};
use clank::proof::{Counterexample, Proof};
use clank::{Checked, CheckedModule};
use clank_emit::{EmitOptions, Runtime};
use clank_repair::ClankLook;
use clank_repair::{Budget, FindingId, ModuleRepairs};
use clank_syntax::ast::{Ast, Name, NodeId};
use clank_syntax::json::{self, JsonError, WriteOptions};
use clank_syntax::{Parsed, SyntaxError, Tokens};
use edit::ContentHash;
use protocol::v1;
use serde_json::value::RawValue;

use crate::VERSION;
use crate::compiler::findings;
use crate::compiler::library::OnDisk;
use crate::compiler::places::WirePositions;
use crate::compiler::prover::Prover;
use crate::compiler::{ClankFindings, dialect};
use crate::config::Config;
use crate::failure::Failure;
use crate::session::Session;
use crate::session::pool;
use crate::setup;
use crate::wire;

/// The code of a mistake in AST JSON itself.
const AST_CODE: &str = "AST";
/// Why a goal is not known if nothing else is said.
const UNKNOWN_REASON: &str =
    "what is known there does not decide it; it is checked when the program runs";

/// The reply to `compile`.
#[derive(Clone, Debug)]
pub struct CompileReply {
    /// What programs read.
    pub result: v1::CompileResult,
    /// The tree as it was written, as AST JSON; `None` if there is none.
    pub ast: Option<String>,
    /// The program as text in canonical layout; `None` if there is none.
    pub clank: Option<String>,
    /// How many goals are not proved, assertions not counted.
    pub n_unproved: usize,
    /// The same for people.
    pub findings: ClankFindings,
}

/// A program that was read.
struct Given {
    ast: Arc<Ast>,
    syntax: Vec<SyntaxError>,
    n_lines: usize,
    n_tokens: usize,
    clank: Option<String>,
    /// The text and its tree, if it was given as text.
    parsed: Option<Parsed>,
}

/// One compilation, with what is needed to repair the program and compile it again.
struct Round {
    given: Option<Given>,
    checked: Checked,
    repairs: ModuleRepairs,
    reply: CompileReply,
}

impl Round {
    /// The compilation of what is not a program.
    fn of(reply: CompileReply) -> Round {
        Round { given: None, checked: Checked::default(), repairs: ModuleRepairs::default(), reply }
    }
}

/// Compiles one program, after the repairs that are asked for. Without a session it imports nothing.
pub fn compile(session: Option<&Session>, request: &v1::Compile) -> Result<CompileReply, Failure> {
    let config = match session {
        Some(session) => setup::load_config(session, &setup::TreeOverlay::new())?.0,
        None => Config::default(),
    };
    let prover = Prover::of(request.solver.unwrap_or(config.clank.solver));
    prover.begin();
    let setting = Setting { session, config: &config, prover: &prover };
    let reply = pool::work_on(request.bytes.len(), || match &request.repair {
        v1::ProgramRepair::Keep => Ok(round(setting, request, None)?.reply),
        v1::ProgramRepair::Apply(ids) => repairs::apply(setting, request, ids),
        v1::ProgramRepair::Fix(safety) => fix::fix(setting, request, *safety),
    })?;
    prover.finish()?;
    let pending_transaction = session.and_then(Session::pending_transaction);
    Ok(CompileReply { result: v1::CompileResult { pending_transaction, ..reply.result }, ..reply })
}

/// What all rounds of one request have in common.
#[derive(Clone, Copy)]
struct Setting<'a> {
    session: Option<&'a Session>,
    config: &'a Config,
    prover: &'a Prover,
}

/// Compiles the program. `known` is a look at a tree with this very program in it, which is not checked again.
fn round(
    setting: Setting<'_>,
    request: &v1::Compile,
    known: Option<&ClankLook>,
) -> Result<Round, Failure> {
    let text = match std::str::from_utf8(&request.bytes) {
        Ok(text) => text,
        Err(error) => return Ok(Round::of(not_text(request, error.valid_up_to()))),
    };
    let (given, problems) = match request.form {
        v1::ProgramForm::Source => (Some(read_source(&request.name, text)), Vec::new()),
        v1::ProgramForm::Ast => read_ast(text),
    };
    let Some(given) = given else { return Ok(Round::of(unreadable(request, &problems))) };
    let file = Name::from(request.file.as_deref().unwrap_or(&request.name));
    let (program, with_near) = match setting.session {
        Some(session) => {
            let library = OnDisk::new(&session.workspace, &setting.config.clank.roots);
            let program = load(&file, &given, &library);
            let with_near = match request.with_repairs && known.is_none() {
                true => program.with_near_modules(&library),
                false => None,
            };
            library.finish()?;
            (program, with_near)
        }
        None => (load(&file, &given, &NoModules), None),
    };
    let before = known.map(|it| &**it.checked());
    let checked = clank::check_with(&program, before, setting.prover.oracle());
    // A tree with holes in it where something could not be read is not what was given: its ids would lie.
    let repairs = match checked.asked {
        Some(module) if request.with_repairs && problems.is_empty() => match (known, with_near) {
            (Some(known), _) => known.repairs(&file).cloned().unwrap_or_default(),
            (_, Some(near)) => near_repairs(&near, &checked, setting.prover),
            _ => clank_repair::repairs(&program, &checked, module, &Budget::default()),
        },
        _ => ModuleRepairs::default(),
    };
    let builder = Reply { request, checked: &checked, ast: &given.ast, repairs: &repairs };
    let mut reply = builder.build(&problems);
    reply.clank = given.clank.clone();
    let stats = &mut reply.result.stats;
    (stats.source_lines, stats.source_tokens) = (given.n_lines, given.n_tokens);
    Ok(Round { given: Some(given), checked, repairs, reply })
}

/// The repairs of a program that imports what does not exist, with the modules that may have been meant: what is known about
/// the module that was asked for is the same with them.
fn near_repairs(program: &Program, checked: &Checked, prover: &Prover) -> ModuleRepairs {
    let checked = clank::check_with(program, Some(checked), prover.oracle());
    match checked.asked {
        Some(module) => clank_repair::repairs(program, &checked, module, &Budget::default()),
        None => ModuleRepairs::default(),
    }
}

fn load(file: &Name, given: &Given, library: &dyn Library) -> Program {
    Program::load(file.clone(), Arc::clone(&given.ast), given.syntax.clone(), library)
}

fn read_source(name: &str, text: &str) -> Given {
    let parsed = clank_syntax::parse(name, text);
    let clank = clank_syntax::format(&parsed);
    let n_tokens = n_tokens(&parsed.tokens);
    let ast = Arc::new(clank_syntax::attach_comments(&parsed));
    let syntax = parsed.errors.clone();
    let n_lines = text.lines().count();
    Given { ast, syntax, n_lines, n_tokens, clank, parsed: Some(parsed) }
}

/// The tree as it was written, as AST JSON: what `--emit ast` prints.
fn ast_text(ast: &Ast) -> String {
    json::write(ast, &WriteOptions { ids: true, spans: true, pretty: true }) + "\n"
}

fn n_tokens(tokens: &Tokens) -> usize {
    tokens.iter().filter(|(kind, _)| !kind.is_trivia()).count()
}

fn read_ast(text: &str) -> (Option<Given>, Vec<JsonError>) {
    let (ast, problems) = json::read_lenient(text);
    let given = ast.map(|ast| {
        let printed = clank_syntax::print(&ast);
        let clank = clank_syntax::format(&clank_syntax::parse("", &printed));
        let ast = Arc::new(ast);
        Given { ast, syntax: Vec::new(), n_lines: 0, n_tokens: 0, clank, parsed: None }
    });
    (given, problems)
}

struct Reply<'a> {
    request: &'a v1::Compile,
    checked: &'a Checked,
    ast: &'a Arc<Ast>,
    repairs: &'a ModuleRepairs,
}

impl Reply<'_> {
    fn build(&self, problems: &[JsonError]) -> CompileReply {
        let ast_options = WriteOptions { ids: true, spans: false, pretty: false };
        let module = self.checked.asked();
        let canonical = match module {
            Some(it) => clank::canon::canonicalize_module(it),
            None => (**self.ast).clone(),
        };
        let mut diagnostics = ast_problems(self.request, problems);
        if !problems.is_empty() {
            // The tree as it was given: the paths are about it.
            let tree =
                serde_json::from_str(&json::write(self.ast, &ast_options)).unwrap_or_default();
            for (diagnostic, problem) in diagnostics.iter_mut().zip(problems) {
                diagnostic.primary_node_id = id_at(&tree, &problem.path);
            }
        }
        let mut obligations = Vec::new();
        let mut holes = Vec::new();
        let mut told = None;
        let program_hash = ContentHash::of(&self.request.bytes).to_string();
        for module in &self.checked.modules {
            let name = self.name_of(module);
            let places = WirePositions::new(&module.ast, name);
            let is_asked = std::ptr::eq(module, self.checked.asked().unwrap_or(module));
            let ids = is_asked.then(|| module.ast.ids());
            let id = |node: NodeId| ids.map(|it| it.id(node).to_string());
            let n_before = diagnostics.len();
            for it in &module.diagnostics {
                diagnostics.push(diagnostic(it, &places, id(it.node)));
            }
            if is_asked {
                let repairs = repairs::tell(self.repairs, module, &program_hash, n_before);
                for (index, it) in diagnostics[n_before..].iter_mut().enumerate() {
                    it.repair_refs = repairs.refs(FindingId::Diagnostic(index));
                    it.no_repair = repairs.reason(FindingId::Diagnostic(index));
                }
                obligations.extend(
                    module
                        .goals()
                        .map(|(node, it, proof)| obligation(it, proof, &places, node, id(node))),
                );
                holes.extend(module.holes().map(|(node, it)| hole(it, &places, node, id(node))));
                for (index, it) in obligations.iter_mut().enumerate() {
                    it.repair_refs = repairs.refs(FindingId::Goal(index));
                    it.no_repair = repairs.reason(FindingId::Goal(index));
                }
                for (index, it) in holes.iter_mut().enumerate() {
                    it.repair_refs = repairs.refs(FindingId::Hole(index));
                    it.no_repair = repairs.reason(FindingId::Hole(index));
                }
                told = Some(repairs);
            }
        }
        for (index, it) in diagnostics.iter_mut().enumerate() {
            it.id = format!("d{}", index + 1);
        }
        for (index, it) in obligations.iter_mut().enumerate() {
            it.id = format!("OBL{}", index + 1);
        }
        for (index, it) in holes.iter_mut().enumerate() {
            it.id = format!("h{}", index + 1);
        }
        let n_unproved = obligations
            .iter()
            .filter(|it| it.kind != "assertion" && it.solver_result == "unknown")
            .count();
        let has_errors = !problems.is_empty() || self.checked.has_errors();
        let status = match has_errors {
            true => v1::CompileStatus::Error,
            false if n_unproved > 0 || !holes.is_empty() => v1::CompileStatus::Incomplete,
            false => v1::CompileStatus::Success,
        };
        let language = self.request.language.filter(|_| !has_errors);
        let output = language.map(|it| self.output(it));
        let source = |it: &CheckedModule| {
            let text = it.ast.sources().first().map(|it| it.text.clone().into_bytes());
            Some((self.name_of(it).to_owned(), text?))
        };
        let sources = self.checked.modules.iter().filter_map(source).collect();
        let findings = findings::of_result(&diagnostics, sources);
        let stats = stats(self.checked, output.as_ref(), &obligations);
        CompileReply {
            result: v1::CompileResult {
                pending_transaction: None,
                status,
                compiler_version: VERSION.to_owned(),
                program_hash,
                canonical_ast: RawValue::from_string(json::write(&canonical, &ast_options)).ok(),
                output,
                diagnostics,
                obligations,
                holes,
                repairs: told.map(|it| it.list).unwrap_or_default(),
                fixed: None,
                stats,
            },
            ast: Some(ast_text(self.ast)),
            clank: None,
            n_unproved,
            findings,
        }
    }

    fn name_of<'b>(&'b self, module: &'b CheckedModule) -> &'b str {
        let is_asked = self.checked.asked().is_some_and(|it| std::ptr::eq(it, module));
        if is_asked { &self.request.name } else { &module.file }
    }

    fn output(&self, language: v1::Language) -> v1::CompileOutput {
        let dialect = dialect(language);
        let options = EmitOptions { dialect, runtime: Runtime::Inline };
        let mut files = clank_emit::emit(self.checked, &options).files;
        let (text, map) = match self.checked.asked {
            Some(index) if index < files.len() => {
                let asked = files.remove(index);
                (asked.text, asked.source_map)
            }
            _ => Default::default(),
        };
        let modules: BTreeMap<String, String> =
            files.into_iter().map(|it| (it.path, it.text)).collect();
        let (js, ts) = match language {
            v1::Language::Js => (Some(text), None),
            v1::Language::Ts => (None, Some(text)),
        };
        v1::CompileOutput { js, ts, js_map: map.filter(|_| self.request.with_map), modules }
    }
}

fn stats(
    checked: &Checked,
    output: Option<&v1::CompileOutput>,
    obligations: &[v1::Obligation],
) -> v1::CompileStats {
    let text = output.and_then(|it| it.js.as_deref().or(it.ts.as_deref())).unwrap_or_default();
    v1::CompileStats {
        source_files: checked.modules.len(),
        output_lines: text.lines().count(),
        output_bytes: text.len(),
        obligations_total: obligations.len(),
        obligations_discharged: obligations
            .iter()
            .filter(|it| it.solver_result == "discharged")
            .count(),
        ..v1::CompileStats::default()
    }
}

fn diagnostic(
    it: &Diagnostic,
    places: &WirePositions<'_>,
    id: Option<String>,
) -> v1::CompileDiagnostic {
    let mut structured = v1::Members::new();
    structured.insert("kind".to_owned(), it.structured.kind.into());
    for (name, value) in &it.structured.members {
        structured.insert((*name).to_owned(), value.clone());
    }
    let mut hints: Vec<v1::CompileHint> = it.hints.iter().map(hint).collect();
    if let Some(help) = &it.help
        && hints.is_empty()
    {
        hints.push(v1::CompileHint {
            strategy: "help".to_owned(),
            description: help.clone(),
            template: None,
            confidence: v1::Confidence::Medium,
        });
    }
    let related = |it: &clank::diagnostic::Related| v1::CompileRelated {
        message: it.message.clone(),
        location: places.span(it.node, None),
    };
    v1::CompileDiagnostic {
        id: String::new(),
        severity: match it.code.is_error() {
            true => v1::Severity::Error,
            false => v1::Severity::Warning,
        },
        code: it.code.name().to_owned(),
        message: it.message.clone(),
        location: places.span(it.node, it.span),
        primary_node_id: id,
        structured,
        hints,
        related: it.related.iter().map(related).collect(),
        repair_refs: Vec::new(),
        no_repair: None,
    }
}

fn hint(it: &Hint) -> v1::CompileHint {
    v1::CompileHint {
        strategy: it.strategy.to_owned(),
        description: it.description.clone(),
        template: it.template.clone(),
        confidence: wire::confidence(it.confidence),
    }
}

fn obligation(
    goal: &Goal,
    proof: &Proof,
    places: &WirePositions<'_>,
    node: NodeId,
    id: Option<String>,
) -> v1::Obligation {
    let kind = match goal.kind {
        GoalKind::Precondition => "precondition",
        GoalKind::Postcondition => "postcondition",
        GoalKind::Assertion => "assertion",
        _ => "refinement",
    };
    v1::Obligation {
        id: String::new(),
        kind: kind.to_owned(),
        goal: goal.text.clone(),
        location: places.span(node, None),
        primary_node_id: id,
        context: proof.doubt().map(|doubt| v1::ObligationContext {
            bindings: goal.context.iter().map(binding).collect(),
            facts: doubt.facts.iter().map(fact).collect(),
        }),
        hints: hints::hints(goal, proof),
        solver_attempted: true,
        solver_result: match proof {
            Proof::Discharged => "discharged",
            Proof::Refuted(_) => "refuted",
            Proof::Unknown(_) => "unknown",
        }
        .to_owned(),
        unknown_reason: match proof {
            Proof::Unknown(it) if it.reason.is_empty() => Some(UNKNOWN_REASON.to_owned()),
            Proof::Unknown(it) => Some(it.reason.clone()),
            Proof::Discharged | Proof::Refuted(_) => None,
        },
        counterexample: proof
            .doubt()
            .and_then(|it| Some(counterexample(it.counterexample.as_ref()?))),
        repair_refs: Vec::new(),
        no_repair: None,
    }
}

fn fact(it: &clank::proof::Fact) -> v1::Fact {
    v1::Fact { proposition: it.proposition.clone(), source: it.source.clone() }
}

fn counterexample(it: &Counterexample) -> v1::Members {
    let values = it.values.iter().map(|(name, value)| (name.clone(), value.clone().into()));
    let candidate = it.is_candidate.then(|| ("_candidate".to_owned(), true.into()));
    values.chain(candidate).collect()
}

fn hole(
    hole: &clank::body::Hole,
    places: &WirePositions<'_>,
    node: NodeId,
    id: Option<String>,
) -> v1::Hole {
    let candidate = |it: &clank::body::HoleFit| v1::FillCandidate {
        expr: it.text.clone(),
        confidence: wire::confidence(it.confidence),
        description: it.description.clone(),
    };
    v1::Hole {
        id: String::new(),
        location: places.span(node, None),
        node_id: id,
        expected_type: hole.expected.to_string(),
        context: v1::HoleContext { bindings: hole.context.iter().map(binding).collect() },
        allowed_effects: hole.effects.names().map(str::to_owned).collect(),
        fill_candidates: hole.candidates.iter().map(candidate).collect(),
        repair_refs: Vec::new(),
        no_repair: None,
    }
}

fn binding(it: &Binding) -> v1::ScopeBinding {
    v1::ScopeBinding {
        name: it.name.to_string(),
        ty: it.ty.to_string(),
        mutable: it.mutable,
        source: it.source.to_owned(),
    }
}

/// What is wrong with AST JSON: the path of each mistake.
fn ast_problems(request: &v1::Compile, problems: &[JsonError]) -> Vec<v1::CompileDiagnostic> {
    let one = |it: &JsonError| {
        let mut structured = v1::Members::new();
        structured.insert("kind".to_owned(), "invalid_ast".into());
        structured.insert("path".to_owned(), it.path.clone().into());
        whole_input(request, AST_CODE, format!("{}: {}", it.path, it.message), structured, 0)
    };
    problems.iter().map(one).collect()
}

/// The id of the innermost node on a path such as `$.declarations[0].body`.
fn id_at(tree: &serde_json::Value, path: &str) -> Option<String> {
    let mut at = tree;
    let mut id = None;
    for step in path.trim_start_matches('$').split(['.', '[']).filter(|it| !it.is_empty()) {
        id = at.get("id").or(id);
        let next = match step.strip_suffix(']') {
            Some(index) => index.parse::<usize>().ok().and_then(|it| at.get(it)),
            None => at.get(step),
        };
        let Some(next) = next else { break };
        at = next;
    }
    at.get("id").or(id).and_then(|it| it.as_str()).map(str::to_owned)
}

fn whole_input(
    request: &v1::Compile,
    code: &str,
    message: String,
    structured: v1::Members,
    offset: usize,
) -> v1::CompileDiagnostic {
    let lines = edit::LineIndex::new(&request.bytes);
    let offset = u32::try_from(offset).unwrap_or(u32::MAX);
    let found = lines.position(offset, edit::Unit::Byte);
    let (line, column) = found.map_or((1, 1), |it| (it.line + 1, it.column + 1));
    let place = v1::CompilePosition { line, column, offset };
    v1::CompileDiagnostic {
        id: String::new(),
        severity: v1::Severity::Error,
        code: code.to_owned(),
        message,
        location: v1::CompileSpan { file: request.name.clone(), start: place, end: place },
        primary_node_id: None,
        structured,
        hints: Vec::new(),
        related: Vec::new(),
        repair_refs: Vec::new(),
        no_repair: None,
    }
}

fn not_text(request: &v1::Compile, offset: usize) -> CompileReply {
    let mut structured = v1::Members::new();
    structured.insert("kind".to_owned(), "syntax_error".into());
    let message = format!("the byte at offset {offset} is not UTF-8; save the program as UTF-8");
    failed(request, vec![whole_input(request, "E0001", message, structured, offset)])
}

fn unreadable(request: &v1::Compile, problems: &[JsonError]) -> CompileReply {
    failed(request, ast_problems(request, problems))
}

/// The reply about what is not a program.
fn failed(request: &v1::Compile, mut diagnostics: Vec<v1::CompileDiagnostic>) -> CompileReply {
    for (index, it) in diagnostics.iter_mut().enumerate() {
        it.id = format!("d{}", index + 1);
    }
    let sources = BTreeMap::from([(request.name.clone(), request.bytes.clone())]);
    let findings = findings::of_result(&diagnostics, sources);
    CompileReply {
        result: v1::CompileResult {
            pending_transaction: None,
            status: v1::CompileStatus::Error,
            compiler_version: VERSION.to_owned(),
            program_hash: ContentHash::of(&request.bytes).to_string(),
            canonical_ast: None,
            output: None,
            diagnostics,
            obligations: Vec::new(),
            holes: Vec::new(),
            repairs: Vec::new(),
            fixed: None,
            stats: v1::CompileStats::default(),
        },
        ast: None,
        clank: None,
        n_unproved: 0,
        findings,
    }
}
