//! A program of the study, and what is known about it.

use std::collections::BTreeMap;
use std::sync::Arc;

use clank::body::GoalKind;
use clank::program::Library;
use clank::proof::Proof;
use clank::{Checked, CheckedModule, Program};
use clank_emit::{EmitOptions, OutputLanguage, Runtime, emit};
use clank_repair::{ProgramProgress, progress};
use clank_run::{Io, Limits, ProgramExit};
use clank_syntax::Parsed;
use clank_syntax::ast::{AstKind, Expr, Name, Stmt};
use clank_syntax::patch::{self, PatchError, PatchOp};
use edit::Text;

const FILE: &str = "main.clank";

/// A program that was checked afresh, with nothing taken over from any other.
pub(super) struct StudyProgram {
    pub(super) parsed: Parsed,
    pub(super) program: Program,
    pub(super) checked: Checked,
}

/// The modules besides a program, by path.
#[derive(Default)]
pub(super) struct StudyModules(BTreeMap<String, Arc<str>>);

impl StudyModules {
    pub(super) fn insert(&mut self, path: &str, text: &str) {
        self.0.insert(path.to_owned(), text.into());
    }

    pub(super) fn files(&self) -> Vec<(String, String)> {
        self.0.iter().map(|(path, text)| (path.clone(), text.to_string())).collect()
    }
}

impl Library for StudyModules {
    fn module(&self, _: &str, path: &[Name]) -> Option<(Name, Arc<str>)> {
        let segments: Vec<&str> = path.iter().map(Name::as_str).collect();
        let file = format!("{}.clank", segments.join("/"));
        let text = self.0.get(&file)?;
        Some((file.as_str().into(), Arc::clone(text)))
    }
}

impl StudyProgram {
    pub(super) fn new(text: &str) -> StudyProgram {
        StudyProgram::with(text, &StudyModules::default())
    }

    /// The same, of a program that may import these modules.
    pub(super) fn with(text: &str, modules: &StudyModules) -> StudyProgram {
        let parsed = clank_syntax::parse(FILE, text);
        let (ast, errors) = (Arc::new(parsed.ast.clone()), parsed.errors.clone());
        let program = Program::load(FILE.into(), ast, errors, modules);
        let checked = clank::check(&program, None);
        StudyProgram { parsed, program, checked }
    }

    pub(super) fn text(&self) -> &str {
        self.parsed.tokens.source()
    }

    pub(super) fn module(&self) -> &CheckedModule {
        self.checked.asked().expect("the program has the module that it was loaded for")
    }

    /// The text with operations applied.
    pub(super) fn patched(&self, ops: &[PatchOp]) -> Result<String, PatchError> {
        let patched = patch::patch(&self.parsed.ast, ops)?;
        let edits = patch::edits(&self.parsed, &patched)?;
        let after = edits.apply(&Text::new(self.text())).map_err(|_| PatchError::OtherText)?;
        Ok(String::from_utf8_lossy(after.bytes()).into_owned())
    }

    /// How far it is from green: errors, then what is not proved, then holes, then warnings (RS-33).
    pub(super) fn progress(&self) -> ProgramProgress {
        progress(&self.checked)
    }

    /// The goals that are neither proved nor refuted, with what they say.
    pub(super) fn open_goals(&self) -> Vec<(GoalKind, &str)> {
        let goals = self.module().goals().filter(|(_, goal, proof)| {
            goal.kind != GoalKind::Assertion && matches!(proof, Proof::Unknown(_))
        });
        goals.map(|(_, goal, _)| (goal.kind, goal.text.as_str())).collect()
    }

    /// How often each code is reported.
    pub(super) fn codes(&self) -> BTreeMap<&'static str, usize> {
        let mut codes = BTreeMap::new();
        for it in &self.module().diagnostics {
            *codes.entry(it.code.name()).or_default() += 1;
        }
        codes
    }

    /// What is wrong, a line each.
    pub(super) fn findings(&self) -> Vec<String> {
        let module = self.module();
        let said = module.diagnostics.iter().map(|it| {
            format!("{} {} at `{}`", it.code.name(), it.message, module.ast.text(it.node))
        });
        let open =
            self.open_goals().into_iter().map(|it| format!("{:?} not proved: {}", it.0, it.1));
        said.chain(open).collect()
    }

    /// In how many places it stops instead of going on: panics, what is not written, assertions.
    pub(super) fn stops(&self) -> usize {
        let stops = ["panic", "todo", "unreachable"];
        let nodes = self.parsed.ast.nodes().iter();
        nodes
            .filter(|it| match &it.kind {
                AstKind::Expr(Expr::Ident { name }) => stops.contains(&name.as_str()),
                AstKind::Stmt(Stmt::Assert { .. }) => true,
                _ => false,
            })
            .count()
    }

    /// What it writes and how it ends, on the embedded engine.
    pub(super) fn run(&self) -> (String, String) {
        let options = EmitOptions { dialect: OutputLanguage::JavaScript, runtime: Runtime::Inline };
        let files = emit(&self.checked, &options).files;
        let is_own = |path: &str| path.starts_with("main.");
        let own = files.iter().find(|it| is_own(&it.path)).or(files.first());
        let Some(entry) = own.map(|it| it.path.clone()) else {
            return (String::new(), "there is nothing to run".to_owned());
        };
        let modules =
            files.into_iter().map(|it| clank_run::Module { path: it.path, text: it.text });
        let program = match clank_run::Program::new(modules.collect(), &entry) {
            Ok(program) => program,
            Err(error) => return (String::new(), error.to_string()),
        };
        let (mut output, mut errors, mut input): (Vec<u8>, Vec<u8>, &[u8]) = Default::default();
        let io = Io { input: &mut input, output: &mut output, errors: &mut errors };
        let ended = match clank_run::run(&program, &Limits::STANDARD, io) {
            Ok(ProgramExit::Done) => "done".to_owned(),
            Ok(ProgramExit::Panic { message, .. }) => format!("panic: {message}"),
            Ok(ProgramExit::Raised { message, .. }) => format!("raised: {message}"),
            Ok(other) => format!("{other:?}"),
            Err(error) => error.to_string(),
        };
        (String::from_utf8_lossy(&output).into_owned(), ended)
    }
}
