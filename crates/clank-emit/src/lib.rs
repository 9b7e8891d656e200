//! TypeScript and JavaScript from a checked Clank program: one file per module, written as a person would write it.
//!
//! A compiler back end in three steps. `lower` turns each checked body into a small tree of JavaScript (`tree`), where
//! every goal that is not proved becomes a check. `print` lays that tree out with the document algebra of `doc` (Oppen
//! 1980, Wadler 2003), in either language: JavaScript is the TypeScript without its types. [`runtime`] adds what the
//! program needs of the run-time library, and `source_map` says which line comes from which node (Source Map revision
//! 3). Values are never changed under someone who shares them: `facts` finds out where a copy is needed.
//!
//! ```
//! use std::sync::Arc;
//!
//! use clank::program::NoModules;
//! use clank_emit::{EmitOptions, OutputLanguage, Runtime, emit};
//! use clank_syntax::ast::Name;
//!
//! let parsed = clank_syntax::parse("double.clank", "fn double(n: Int) -> Int { n * 2 }\n");
//! let ast = Arc::new(parsed.ast);
//! let program = clank::Program::load(Name::new("double.clank"), ast, parsed.errors, &NoModules);
//! let checked = clank::check(&program, None);
//! let options = EmitOptions { dialect: OutputLanguage::JavaScript, runtime: Runtime::Inline };
//!
//! let output = emit(&checked, &options);
//!
//! assert_eq!(output.files[0].path, "double.js");
//! assert!(output.files[0].text.starts_with("export function double(n) {\n"));
//! ```
//!
//! Knows nothing about repairs, providers, the engine, the disk or processes.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.

mod context;
mod decl;
mod doc;
mod exports;
mod external;
mod facts;
mod file;
mod lower;
mod names;
mod path;
mod print;
mod reach;
pub mod runtime;
mod shape;
mod shown;
mod source_map;
mod tree;
mod widen;

use clank::Checked;
use clank_syntax::ast::Ast;

use self::context::{SourceModule, SourceModules};
use self::file::OutputModule;
use self::path::{extension, library_path, relative, with_extension};
pub use self::runtime::OutputLanguage;

/// Where the run-time library is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Runtime {
    /// What is needed of it is at the end of the file. A program of several modules gets it as a file of its own, so that
    /// errors are the same everywhere.
    Inline,
    /// In a module that files import by this path, as it is given.
    Import(String),
}

/// What to write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmitOptions {
    /// In which language.
    pub dialect: OutputLanguage,
    /// Where the run-time library is.
    pub runtime: Runtime,
}

/// A generated file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutputFile {
    /// The module's path with another ending.
    pub path: String,
    /// The text.
    pub text: String,
    /// Its source map, version 3; nothing for the run-time library.
    pub source_map: Option<String>,
}

/// A generated program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EmitOutput {
    /// The modules in the order of the program; the run-time library last, if it is a file of its own.
    pub files: Vec<OutputFile>,
}

/// Writes a program. Modules with mistakes get no sensible text: the caller looks at the diagnostics first.
pub fn emit(checked: &Checked, options: &EmitOptions) -> EmitOutput {
    write(modules_of(checked), options)
}

/// Writes what it takes to start a program at its `main`, in JavaScript.
pub fn emit_to_start(checked: &Checked) -> EmitOutput {
    let mut modules = modules_of(checked);
    // What modules need of one another is not looked at.
    if let [only] = &modules.list[..] {
        modules.unreached = reach::unreached(only.ast);
    }
    write(modules, &EmitOptions { dialect: OutputLanguage::JavaScript, runtime: Runtime::Inline })
}

fn modules_of(checked: &Checked) -> SourceModules<'_> {
    let sources = checked.modules.iter().map(|it| SourceModule {
        file: &it.file,
        ast: &it.ast,
        env: &it.env,
        bodies: &it.bodies,
        comments: context::comments_of(&it.ast),
        exported: exports::ExportNames::new(&it.ast),
        redundant: context::redundant_arms(&it.diagnostics),
    });
    SourceModules::new(sources.collect(), checked.asked)
}

fn write(modules: SourceModules<'_>, options: &EmitOptions) -> EmitOutput {
    let asts: Vec<&Ast> = modules.list.iter().map(|it| it.ast).collect();
    let library = match &options.runtime {
        Runtime::Import(path) => Some(path.clone()),
        Runtime::Inline if modules.list.len() > 1 => Some(library_path(&modules)),
        Runtime::Inline => None,
    };
    let extension = extension(options.dialect);
    let mut files: Vec<OutputFile> = (0..modules.list.len())
        .map(|index| {
            let file = modules.list[index].file;
            let path = with_extension(file, extension);
            let import = library.as_ref().map(|it| match &options.runtime {
                Runtime::Import(path) => path.clone(),
                Runtime::Inline => relative(file, it),
            });
            let laid =
                OutputModule { modules: &modules, index, options, library: import }.lay_out();
            let source_map = source_map::source_map(&path, &laid, &asts);
            OutputFile { path, text: laid.text, source_map: Some(source_map) }
        })
        .collect();
    if let (Runtime::Inline, Some(path)) = (&options.runtime, &library) {
        let text = runtime::module(options.dialect).to_owned();
        files.push(OutputFile { path: with_extension(path, extension), text, source_map: None });
    }
    EmitOutput { files }
}
