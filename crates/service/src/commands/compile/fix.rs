//! `--fix`: what `fix` would do to the program, in memory.
//!
//! The program and what it imports are a small tree, which the engine repairs with the provider that `fix` asks: both say
//! the same and leave the same bytes. AST JSON is repaired as its canonical text. Every repair that is kept is made to the
//! tree, too, so that its nodes keep their ids (row 2).

use std::collections::BTreeSet;

use clank::CheckedModule;
use clank_repair::{ClankCheck, ClankLook};
use clank_repair::{FindingId, Repair, in_order};
use clank_syntax::ast::Ast;
use clank_syntax::patch::{self, PatchOp};
use edit::Text;
use engine::{Applied, Assessment};
use protocol::v1;
use snapshot::RelPath;

use crate::commands::compile::repairs::{ops_of, with_fixed};
use crate::commands::compile::{
    CompileReply, Given, Setting, ast_text, read_ast, read_source, round,
};
use crate::compiler::library::OnDisk;
use crate::compiler::repaired::{self, RepairedProgram, repaired};
use crate::failure::Failure;
use crate::wire;

/// What the canonical layout is called where repairs are named: it is not among them.
const LAYOUT: &str = "format";

/// Repairs the program as far as that is as safe as this, or as the configuration says, and compiles it.
pub(super) fn fix(
    setting: Setting<'_>,
    request: &v1::Compile,
    safety: Option<v1::Safety>,
) -> Result<CompileReply, Failure> {
    let Some(program) = Program::read(request) else {
        // What is not a program has no repairs.
        return Ok(with_fixed(request, round(setting, request, None)?, 0, Vec::new()));
    };
    let snapshot = repaired::tree(program.texts(setting)?)?;
    let roots = setting.config.clank.roots.iter().map(ToString::to_string).collect();
    let clank = ClankCheck::new(roots).with_oracle(setting.prover.oracle());
    let safety = safety.map_or(setting.config.safety, wire::safety_from_wire);
    let is_own = |path: &RelPath| *path == program.path;
    let repaired = repaired(setting.config, &clank, &snapshot, safety, &is_own);
    if let Some(failure) = repaired.failure() {
        return Err(failure);
    }
    match request.form {
        v1::ProgramForm::Source => program.as_text(setting, request, &repaired),
        v1::ProgramForm::Ast => program.as_tree(setting, request, &repaired),
    }
}

/// A program as a file of a tree.
struct Program {
    path: RelPath,
    given: Given,
    text: String,
}

impl Program {
    /// `None` if it is not a program, or a tree with mistakes in it.
    fn read(request: &v1::Compile) -> Option<Program> {
        let path = path_of(request)?;
        let bytes = std::str::from_utf8(&request.bytes).ok()?;
        match request.form {
            v1::ProgramForm::Source => {
                let given = read_source(path.as_str(), bytes);
                Some(Program { path, given, text: bytes.to_owned() })
            }
            v1::ProgramForm::Ast => {
                let (given, problems) = read_ast(bytes);
                let given = given.filter(|_| problems.is_empty())?;
                let text = given.clank.clone().unwrap_or_else(|| clank_syntax::print(&given.ast));
                Some(Program { path, given, text })
            }
        }
    }

    /// Its text and those of all that it imports, or may have been meant to import.
    fn texts(&self, setting: Setting<'_>) -> Result<Vec<(RelPath, Text)>, Failure> {
        let mut texts = Vec::new();
        if let Some(session) = setting.session {
            let library = OnDisk::new(&session.workspace, &setting.config.clank.roots);
            let program =
                crate::commands::compile::load(&self.path.as_str().into(), &self.given, &library);
            program.with_near_modules(&library);
            texts.extend(library.finish()?.into_iter().filter(|it| it.0 != self.path));
        }
        texts.push((self.path.clone(), Text::new(self.text.as_str())));
        Ok(texts)
    }

    fn as_text(
        &self,
        setting: Setting<'_>,
        request: &v1::Compile,
        repaired: &RepairedProgram,
    ) -> Result<CompileReply, Failure> {
        let fixed = &repaired.fixed;
        let told = |it: &Applied| match self.own_repair(&fixed.trees[it.tree], it) {
            Some((module, repair, place)) => told(module, repair, place, it.pass),
            None => v1::CompileApplied {
                round: it.pass,
                id: LAYOUT.to_owned(),
                title: format!("Format {}", request.name),
                safety: wire::safety(it.repair.safety),
                class: wire::class(it.class),
                resolved: vec![format!("{}: the layout is not canonical", it.repair.rule_id)],
            },
        };
        let applied = fixed.applied.iter().map(told).collect();
        let end = fixed.end.snapshot.file(&self.path);
        let bytes = end.map_or_else(|| request.bytes.clone(), |it| it.text().bytes().to_vec());
        let mut last = v1::Compile { bytes, ..request.clone() };
        let mut look = look_of(&fixed.end);
        if last.file.as_deref() != Some(self.path.as_str()) {
            // What was found out is about a file with another name, which only the source map would tell.
            match request.with_map {
                true => look = None,
                false => last.file = Some(self.path.to_string()),
            }
        }
        Ok(with_fixed(request, round(setting, &last, look)?, fixed.passes, applied))
    }

    fn as_tree(
        &self,
        setting: Setting<'_>,
        request: &v1::Compile,
        repaired: &RepairedProgram,
    ) -> Result<CompileReply, Failure> {
        let fixed = &repaired.fixed;
        let mut tree = (*self.given.ast).clone();
        let mut applied = Vec::new();
        let mut n_rounds = 0;
        let ends = fixed.trees.iter().skip(1).chain([&fixed.end]);
        for (number, (before, after)) in fixed.trees.iter().zip(ends).enumerate() {
            let here = fixed.applied.iter().filter(|it| it.tree == number);
            let made: Vec<_> = here.filter_map(|it| self.own_repair(before, it)).collect();
            let places = made.iter().map(|it| it.2).collect();
            let Some(next) = self.patched(&tree, before, &places, after) else { break };
            n_rounds += usize::from(!made.is_empty());
            applied.extend(
                made.into_iter()
                    .map(|(module, repair, place)| told(module, repair, place, n_rounds)),
            );
            tree = next;
        }
        let bytes = match applied.is_empty() {
            true => request.bytes.clone(),
            false => ast_text(&tree).into_bytes(),
        };
        let last = round(setting, &v1::Compile { bytes, ..request.clone() }, None)?;
        Ok(with_fixed(request, last, n_rounds, applied))
    }

    /// The repair of the program that was applied to a tree, with its module and its place there; `None` if only the layout
    /// was changed.
    fn own_repair<'a>(
        &self,
        tree: &'a Assessment,
        applied: &Applied,
    ) -> Option<(&'a CheckedModule, &'a Repair, usize)> {
        let look = look_of(tree)?;
        let (file, place) = look.place_of(&applied.repair.id)?;
        let repair = look.repairs(file)?.list.get(place)?;
        Some((look.checked().module(file)?, repair, place))
    }

    /// The tree after repairs of the text that it is the tree of; `None` if it does not say then what the text says.
    fn patched(
        &self,
        tree: &Ast,
        before: &Assessment,
        places: &BTreeSet<usize>,
        after: &Assessment,
    ) -> Option<Ast> {
        let module = look_of(before)?.checked().module(self.path.as_str())?;
        let mut ops: Vec<PatchOp> = Vec::new();
        if let Some(repairs) = look_of(before)?.repairs(self.path.as_str()) {
            let order = in_order(&repairs.list, places)?;
            ops.extend(order.iter().flat_map(|it| ops_of(&repairs.list[*it], module)));
        }
        let next = patch::apply(tree, &patch::carry(&ops, &module.ast, tree)?).ok()?;
        let read = look_of(after)?.checked().module(self.path.as_str())?;
        clank_syntax::same(&next, &read.ast).then_some(next)
    }
}

/// What the compiler found out about a tree.
fn look_of(assessment: &Assessment) -> Option<&ClankLook> {
    assessment.product(ClankCheck::NAME)
}

/// Where a program lies in its tree: what has another name than programs have gets one more ending.
fn path_of(request: &v1::Compile) -> Option<RelPath> {
    let file = request.file.as_deref().unwrap_or("stdin");
    match clank::is_program(file) {
        true => RelPath::parse(file).ok(),
        false => RelPath::parse(&format!("{file}.{}", clank::EXTENSION)).ok(),
    }
}

/// What is told about a repair that was applied.
pub(super) fn told(
    module: &CheckedModule,
    repair: &Repair,
    place: usize,
    round: usize,
) -> v1::CompileApplied {
    let resolved = repair.resolves.iter().filter_map(|it| match it {
        FindingId::Diagnostic(it) => {
            let it = module.diagnostics.get(*it)?;
            Some(format!("{}: {}", it.code.name(), it.message))
        }
        FindingId::Goal(it) => Some(format!("not proved: {}", module.goals().nth(*it)?.1.text)),
        FindingId::Hole(it) => {
            Some(format!("hole of type {}", module.holes().nth(*it)?.1.expected))
        }
    });
    v1::CompileApplied {
        round,
        id: format!("rc{}", place + 1),
        title: repair.title.clone(),
        safety: wire::safety(repair.safety),
        class: wire::class(repair.class),
        resolved: resolved.collect(),
    }
}
