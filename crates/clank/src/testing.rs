//! Short ways to check programs in tests.

use std::sync::Arc;

use clank_syntax::ast::Name;
use edit::{LineIndex, Unit};

use crate::driver::{Checked, CheckedModule, check};
use crate::program::{Finder, Module, NoModules, Program, candidate_files};

/// Checks a program of one module that sees only the prelude.
pub(crate) fn check_text(text: &str) -> Checked {
    check(&program(text), None)
}

/// A program of one module that sees only the prelude.
pub(crate) fn program(text: &str) -> Program {
    let parsed = clank_syntax::parse("main.clank", text);
    Program::load(Name::new("main.clank"), Arc::new(parsed.ast), parsed.errors, &NoModules)
}

/// What is wrong with a program of one module, each as `E2001@line:column`.
pub(crate) fn codes(text: &str) -> Vec<String> {
    let checked = check_text(text);
    codes_of(checked.asked().expect("the program has the module that it was loaded for"))
}

/// What is wrong with a module, each as `E2001@line:column`.
pub(crate) fn codes_of(module: &CheckedModule) -> Vec<String> {
    let lines = LineIndex::new(module.ast.sources()[0].text.as_bytes());
    let show = |it: &crate::diagnostic::Diagnostic| {
        let start = it.span.unwrap_or_else(|| module.ast.span(it.node)).start;
        let place = lines.position(start, Unit::CodePoint).expect("spans lie in the text");
        format!("{}@{}:{}", it.code.name(), place.line + 1, place.column + 1)
    };
    module.diagnostics.iter().map(show).collect()
}

/// A program of all the files of a fixture, `//- path` before each. Without such a line it is one file, `main.clank`.
pub(crate) fn program_of(fixture: &str) -> Program {
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

    let mut files: Vec<(Name, String)> = Vec::new();
    for line in fixture.split_inclusive('\n') {
        match line.strip_prefix("//- ") {
            Some(path) => files.push((Name::new(path.trim()), String::new())),
            None => {
                if files.is_empty() {
                    files.push((Name::new("main.clank"), String::new()));
                }
                files.last_mut().expect("there is one").1.push_str(line);
            }
        }
    }
    let finder = Files(files.iter().map(|it| it.0.clone()).collect());
    let modules = files.into_iter().map(|(file, text)| {
        let parsed = clank_syntax::parse(&file, &text);
        Module { file, ast: Arc::new(parsed.ast), syntax: parsed.errors }
    });
    Program::link(modules.collect(), &finder)
}
