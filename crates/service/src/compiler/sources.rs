//! The sources of programs: read, looked at, and put into canonical form in memory (AE-32). Nothing is written.
//!
//! What is compiled is the canonical text, so that layout never reaches the output; its nodes have the places of the
//! files as they are on disk, so that whatever is said about them is found there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use check::{Environment, Parses, Severity, Stop};
use clank::program::Program;
use clank::{Checked, CheckedModule};
use clank_repair::{ClankCheck, ClankLook};
use clank_syntax::Span;
use clank_syntax::ast::Name;
use document::Limits;
use edit::{Bias, PositionMap, Text};
use engine::{Assessment, Fixed, Run, Sieve, Sources as Asked};
use patch::edits::EditsDocument;
use protocol::v1;
use snapshot::{RelPath, Snapshot, TreeChange};

use crate::assess::view;
use crate::compiler::ClankFindings;
use crate::compiler::library::OnDisk;
use crate::compiler::prover::Prover;
use crate::compiler::repaired::{self, RepairedProgram};
use crate::config::Config;
use crate::failure::Failure;
use crate::session::Session;
use crate::session::steady::{ScanAttempt, steadily};
use crate::setup;
use crate::wire;
use crate::wire::changes::{FileChange, file_changes};

/// Sources that were looked at, and the program that they become.
pub(crate) struct ProgramSources {
    /// What is wrong with the files as they are.
    pub(crate) start: Assessment,
    /// What `fix` would make of them.
    pub(crate) fixed: Fixed,
    /// The modules in canonical form.
    pub(crate) checked: Arc<Checked>,
    /// Whether `regreen.toml` asks for canonical sources.
    pub(crate) is_strict: bool,
}

/// Programs and what they import, as they are on disk.
pub(crate) struct LoadedProgram {
    config: Config,
    texts: BTreeMap<RelPath, Text>,
}

/// Reads programs and what they import, and looks at them.
pub(crate) fn read(
    session: &Session,
    files: &[RelPath],
    solver: Option<v1::Solver>,
) -> Result<ProgramSources, Failure> {
    load(session, files)?.look(solver)
}

/// Reads programs and what they import.
pub(crate) fn load(session: &Session, files: &[RelPath]) -> Result<LoadedProgram, Failure> {
    let (config, _) = setup::load_config(session, &setup::TreeOverlay::new())?;
    let library = OnDisk::new(&session.workspace, &config.clank.roots);
    for file in files {
        let Some(text) = library.text(file) else {
            library.finish()?;
            return Err(Failure::Usage { message: format!("there is no file {file}") });
        };
        // What does not even have the word imports nothing.
        if let Ok(text) = std::str::from_utf8(text.bytes())
            && text.contains("use")
        {
            let parsed = clank_syntax::parse(file.as_str(), text);
            let name = Name::new(file.as_str());
            Program::load(name, Arc::new(parsed.ast), parsed.errors, &library);
        }
    }
    let texts = library.finish()?;
    Ok(LoadedProgram { config, texts })
}

impl LoadedProgram {
    /// How much text there is.
    pub(crate) fn n_bytes(&self) -> usize {
        self.texts.values().map(Text::len).sum()
    }

    /// Looks at the programs.
    pub(crate) fn look(self, solver: Option<v1::Solver>) -> Result<ProgramSources, Failure> {
        let prover = Prover::of(solver.unwrap_or(self.config.clank.solver));
        prover.begin();
        let sources = canonical(&self.config, self.texts, &prover)?;
        prover.finish()?;
        Ok(sources)
    }
}

/// The programs that are meant: files, and all in folders; everything in the workspace if nothing is named.
pub(crate) fn programs(session: &Session, names: &[String]) -> Result<Vec<RelPath>, Failure> {
    if !names.is_empty() && names.iter().all(|it| clank::is_program(it)) {
        return names.iter().map(|it| program(it)).collect();
    }
    let load =
        |attempt: &mut ScanAttempt| setup::load(session, &setup::TreeOverlay::new(), true, attempt);
    let (_, tree) = steadily(load)?;
    let is_meant = |it: &str| {
        let is_inside = |name: &String| it.strip_prefix(name).is_some_and(|it| it.starts_with('/'));
        names.is_empty()
            || names.iter().any(|name| name.is_empty() || it == name || is_inside(name))
    };
    // What nobody could look into may be one of the programs.
    let is_program_or_folder = |it: &str| document::Format::of_path(it).is_none() && is_meant(it);
    let unread = tree.failures.iter();
    let mut unread = unread.filter(|it| it.file.as_deref().is_some_and(is_program_or_folder));
    if let Some(first) = unread.next() {
        return Err(Failure::Unreadable { message: first.message.clone() });
    }
    let files = tree.snapshot.files_at(|it| clank::is_program(it.as_str()));
    let all: Vec<&RelPath> = files.map(|(path, _)| path).collect();
    if names.is_empty() {
        return Ok(all.into_iter().cloned().collect());
    }
    let mut meant = BTreeSet::new();
    for name in names {
        let is_inside = |it: &RelPath| {
            let rest = it.as_str().strip_prefix(name.as_str());
            name.is_empty() || rest.is_some_and(|it| it.starts_with('/'))
        };
        let inside: Vec<RelPath> =
            all.iter().filter(|it| is_inside(it)).map(|it| (*it).clone()).collect();
        match inside.is_empty() {
            true => drop(meant.insert(program(name)?)),
            false => meant.extend(inside),
        }
    }
    Ok(meant.into_iter().collect())
}

/// The program with this name.
pub(crate) fn program(name: &str) -> Result<RelPath, Failure> {
    let usage = |message| Failure::Usage { message };
    if name.is_empty() {
        return Err(usage("the workspace itself is not a program; name a file".to_owned()));
    }
    RelPath::parse(name).map_err(|error| usage(format!("{name} cannot be compiled: {error}")))
}

/// Looks at the files and repairs them in memory, as `fix` would.
fn canonical(
    config: &Config,
    texts: BTreeMap<RelPath, Text>,
    prover: &Prover,
) -> Result<ProgramSources, Failure> {
    let snapshot = repaired::tree(texts)?;
    let roots: Vec<String> = config.clank.roots.iter().map(ToString::to_string).collect();
    // Whatever was read is a program, or imported by one.
    let programs = snapshot.files().map(|it| it.0.clone()).collect();
    let clank =
        ClankCheck::without_repairs(roots).with_programs(programs).with_oracle(prover.oracle());
    let repaired = repaired::repaired(config, &clank, &snapshot, config.safety, &|_| true);
    if let Some(failure) = repaired.failure() {
        return Err(failure);
    }
    let RepairedProgram { start, fixed } = repaired;
    let checked = located(&fixed.end, &snapshot, &fixed.change);
    let start = if checked.has_errors() && !has_error(&start) {
        // Errors that are not to be told of are still why there is no program.
        let (sieve, parses) = (Sieve::default(), Arc::new(Parses::new(Limits::DEFAULT)));
        let (asked, stop) = (Asked::new(&[&clank], Environment::default()), Stop::new());
        let run = Run { sources: &asked, parses: &parses, sieve: &sieve, stop: &stop, only: None };
        engine::assess(&run, &snapshot, None)
    } else {
        start
    };
    Ok(ProgramSources { start, fixed, checked, is_strict: config.clank.strict })
}

fn has_error(assessment: &Assessment) -> bool {
    assessment.diagnostics.iter().any(|it| it.severity == Severity::Error)
}

/// The modules of the last tree as they were checked there, with the places of the files as they are.
fn located(end: &Assessment, start: &Snapshot, change: &TreeChange) -> Arc<Checked> {
    let Some(look) = end.product::<ClankLook>(ClankCheck::NAME) else { return Arc::default() };
    if change.is_empty() {
        return Arc::clone(look.checked());
    }
    let tree = |module: &CheckedModule| {
        let path = RelPath::parse(&module.file).ok()?;
        let edits = change.edits().get(&path)?;
        let original = start.file(&path)?.text();
        let (_, back) = edits.invert(&original).ok()?;
        let text = end.snapshot.file(&path)?.text();
        let text = std::str::from_utf8(text.bytes()).ok()?;
        let parsed = clank_syntax::parse(&module.file, text);
        let places = PositionMap::new(&back);
        let at = |offset, bias| places.map(offset, bias).offset();
        let ast = clank_syntax::attach_comments(&parsed);
        let original = std::str::from_utf8(original.bytes()).ok()?;
        Some(ast.relocated(original, |it| {
            Span::new(at(it.start, Bias::After), at(it.end, Bias::Before))
        }))
    };
    Arc::new((**look.checked()).clone().with_trees(tree))
}

impl ProgramSources {
    /// What is said about the sources.
    pub(crate) fn findings(&self) -> ClankFindings {
        let diagnostics = &self.start.diagnostics;
        ClankFindings {
            diagnostics: diagnostics.iter().map(|it| wire::diagnostic(it)).collect(),
            frames: view::frames(&self.start.snapshot, diagnostics.iter(), [].iter()),
            not_canonical: self.fixed.change.paths().iter().map(ToString::to_string).collect(),
        }
    }

    /// What `fix` would change, as an edits document.
    pub(crate) fn edits(&self) -> String {
        EditsDocument::from_change(&self.fixed.change)
            .map_or_else(|_| String::new(), |it| it.render())
    }

    /// What `fix` would change, as diffs.
    pub(crate) fn changes(&self) -> Result<Vec<FileChange>, Failure> {
        file_changes(&self.start.snapshot, &self.fixed.change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(text: &str) -> ProgramSources {
        let path = RelPath::parse("main.clank").expect("a path");
        let texts = BTreeMap::from([(path, Text::new(text))]);
        canonical(&Config::default(), texts, &Prover::of(v1::Solver::Own)).expect("sources")
    }

    /// What is compiled is what the look made: the program is checked and proved once.
    #[test]
    fn a_program_is_checked_once() {
        let sources = sources("fn main() -> Int {\n  1 / 2\n}\n");
        let look = sources.start.product::<ClankLook>(ClankCheck::NAME).expect("a look");
        assert!(Arc::ptr_eq(look.checked(), &sources.checked));
    }

    /// AE-32: the canonical text is compiled, with the places of the text on disk.
    #[test]
    fn the_nodes_of_the_canonical_text_have_the_places_on_disk() {
        let text = "// One.\nfn   main( )->Int{\n\n\n 1   +\n2 }\n";
        let sources = sources(text);
        assert_eq!(sources.fixed.change.paths().len(), 1);
        let module = &sources.checked.modules[0];
        let body = module.ast.nodes().iter().find(|it| module_text(module, it.span) == "1   +\n2");
        assert!(body.is_some(), "{:?}", module.ast.nodes());
        assert_eq!(module.ast.sources()[0].text, text);
    }

    fn module_text(module: &CheckedModule, span: Span) -> &str {
        &module.ast.sources()[0].text[span.start as usize..span.end as usize]
    }
}
