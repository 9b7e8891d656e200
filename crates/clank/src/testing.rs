//! Short ways to load and check programs in the tests of the Clank crates.
#![expect(clippy::disallowed_methods, reason = "cases are files")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clank_syntax::ast::Name;
use edit::{LineIndex, Unit};

use crate::driver::{Checked, CheckedModule, check};
use crate::program::{Finder, Library, Module, NoModules, Program, candidate_files};

/// Checks a program of one module that sees only the prelude.
pub fn check_text(text: &str) -> Checked {
    check(&program(text), None)
}

/// A program of one module that sees only the prelude.
pub fn program(text: &str) -> Program {
    let parsed = clank_syntax::parse("main.clank", text);
    Program::load(Name::new("main.clank"), Arc::new(parsed.ast), parsed.errors, &NoModules)
}

/// What is wrong with a program of one module, each as `E2001@line:column`.
pub fn codes(text: &str) -> Vec<String> {
    let checked = check_text(text);
    codes_of(checked.asked().expect("the program has the module that it was loaded for"))
}

/// What is wrong with a module, each as `E2001@line:column`.
pub fn codes_of(module: &CheckedModule) -> Vec<String> {
    let lines = LineIndex::new(module.ast.sources()[0].text.as_bytes());
    let show = |it: &crate::diagnostic::Diagnostic| {
        let start = it.span.unwrap_or_else(|| module.ast.span(it.node)).start;
        let place = lines.position(start, Unit::CodePoint).expect("spans lie in the text");
        format!("{}@{}:{}", it.code.name(), place.line + 1, place.column + 1)
    };
    module.diagnostics.iter().map(show).collect()
}

/// A program of all the files of a fixture, `//- path` before each. Without such a line it is one file, `main.clank`.
pub fn program_of(fixture: &str) -> Program {
    struct Files(Vec<Name>);
    impl Finder for Files {
        fn find(&self, from: &str, path: &[Name]) -> Option<Name> {
            let candidates = candidate_files(from, path, &[]);
            candidates.into_iter().map(Name::from).find(|it| self.0.contains(it))
        }

        fn names(&self, _: &str) -> Vec<Name> {
            let dotted = |it: &Name| Name::from(it.trim_end_matches(".clank").replace('/', "."));
            self.0.iter().map(dotted).collect()
        }
    }

    let files = Modules::new(fixture).0;
    let finder = Files(files.iter().map(|it| it.0.clone()).collect());
    let modules = files.into_iter().map(|(file, text)| {
        let parsed = clank_syntax::parse(&file, &text);
        Module { file, ast: Arc::new(parsed.ast), syntax: parsed.errors }
    });
    Program::link(modules.collect(), &finder)
}

/// The Markdown files in a folder of a crate's `tests`, in order. `root` is the folder of the crate.
pub fn case_files(root: &str, folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(root).join("tests").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder exists")
        .map(|it| it.expect("the folder can be read").path())
        .filter(|it| it.extension().is_some_and(|it| it == "md"))
        .collect();
    files.sort();
    files
}

/// Whether `REGREEN_BLESS` asks for the expectations of this file: `1` for all files, else names without `.md`.
pub fn is_blessed(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default();
    let wanted = std::env::var("REGREEN_BLESS").unwrap_or_default();
    wanted == "1" || wanted.split(',').any(|it| *it == *stem)
}

/// The modules of a case, each after a line `//- path`; the last is the one that is meant.
#[derive(Clone)]
pub struct Modules(Vec<(Name, Arc<str>)>);

impl Library for Modules {
    fn module(&self, from: &str, path: &[Name]) -> Option<(Name, Arc<str>)> {
        let candidates = candidate_files(from, path, &[]);
        candidates.iter().find_map(|file| self.0.iter().find(|it| it.0 == *file).cloned())
    }

    fn names(&self, _: &str) -> Vec<Name> {
        let name = |file: &Name| Name::from(file.trim_end_matches(".clank").replace('/', "."));
        self.0.iter().map(|it| name(&it.0)).collect()
    }
}

impl Modules {
    /// The modules of a case.
    pub fn new(program: &str) -> Modules {
        let mut files: Vec<(Name, String)> = Vec::new();
        for line in program.split_inclusive('\n') {
            match line.strip_prefix("//- ") {
                Some(path) => files.push((Name::new(path.trim()), String::new())),
                None if files.is_empty() => files.push((Name::new("main.clank"), line.to_owned())),
                None => files.last_mut().expect("a file was begun").1.push_str(line),
            }
        }
        Modules(files.into_iter().map(|(path, text)| (path, text.into())).collect())
    }

    /// The text of the last module.
    pub fn text(&self) -> &str {
        &self.0.last().expect("a case has a program").1
    }

    /// The same with another text for one of them.
    pub fn with(mut self, file: &Name, text: &str) -> Modules {
        let module = self.0.iter_mut().find(|it| it.0 == *file).expect("the module is there");
        module.1 = text.into();
        self
    }

    /// The program that starts with the last module.
    pub fn load(&self) -> Program {
        let (entry, text) = self.0.last().expect("a case has a program").clone();
        let parsed = clank_syntax::parse(&entry, &text);
        Program::load(entry, Arc::new(parsed.ast), parsed.errors, self)
    }
}
