//! Files of cases: where they are, which of them are to be written anew, and programs of several modules.
#![expect(clippy::disallowed_methods, reason = "the cases are files")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clank::Program;
use clank::program::{Library, candidate_files};
use clank_syntax::ast::Name;

/// The files of a folder of `tests`, in order.
pub(super) fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder exists")
        .map(|it| it.expect("the folder can be read").path())
        .filter(|it| it.extension().is_some_and(|it| it == "md"))
        .collect();
    files.sort();
    files
}

/// Whether `REGREEN_BLESS` asks for the expectations of this file: `1` for all files, else names without `.md`.
pub(super) fn is_blessed(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default();
    let wanted = std::env::var("REGREEN_BLESS").unwrap_or_default();
    wanted == "1" || wanted.split(',').any(|it| *it == *stem)
}

/// The modules of a case, each after a line `//- path`; the last is the one that is meant.
#[derive(Clone)]
pub(super) struct Modules(Vec<(Name, Arc<str>)>);

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
    pub(super) fn new(program: &str) -> Modules {
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
    pub(super) fn text(&self) -> &str {
        &self.0.last().expect("a case has a program").1
    }

    /// The same with another text for one of them.
    pub(super) fn with(mut self, file: &Name, text: &str) -> Modules {
        let module = self.0.iter_mut().find(|it| it.0 == *file).expect("the module is there");
        module.1 = text.into();
        self
    }

    /// The program that starts with the last module.
    pub(super) fn load(&self) -> Program {
        let (entry, text) = self.0.last().expect("a case has a program").clone();
        let parsed = clank_syntax::parse(&entry, &text);
        Program::load(entry, Arc::new(parsed.ast), parsed.errors, self)
    }
}
