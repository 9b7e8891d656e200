//! TypeScript and JavaScript from a checked program: one file per module, with what a person would write.
//!
//! `lower` makes a small tree of JavaScript (`tree`) from the checked one, and one printer
//! (`print`) writes it in either language. Goals that are not proved are checked at run time; values are never
//! changed under someone who shares them (`facts`).

mod context;
mod decl;
mod doc;
mod exports;
mod external;
mod facts;
mod lower;
mod map;
mod names;
mod print;
mod reach;
mod shape;
mod shown;
mod tree;
mod widen;

use std::collections::{BTreeMap, BTreeSet};

use clank_syntax::ast::{Ast, Name};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use self::context::{FileCx, Modules, Source};
use self::doc::{DocId, Docs, Laid};
use self::external::Hosted;
use self::print::{Printer, quote};
use self::tree::{DeclKind, TopLevel};
use crate::Checked;
pub use crate::runtime::Dialect;

/// Fewer declarations than this are written before threads that could help have started.
const MIN_PARALLEL: usize = 64;

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
    pub dialect: Dialect,
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
pub struct Output {
    /// The modules in the order of the program; the run-time library last, if it is a file of its own.
    pub files: Vec<OutputFile>,
}

/// Writes a program. Modules with mistakes get no sensible text: the caller looks at the diagnostics first.
pub fn emit(checked: &Checked, options: &EmitOptions) -> Output {
    write(modules_of(checked), options)
}

/// Writes what it takes to start a program at its `main`, in JavaScript.
pub fn emit_to_start(checked: &Checked) -> Output {
    let mut modules = modules_of(checked);
    // What modules need of one another is not looked at.
    if let [only] = &modules.list[..] {
        modules.unreached = reach::unreached(only.ast);
    }
    write(modules, &EmitOptions { dialect: Dialect::JavaScript, runtime: Runtime::Inline })
}

fn modules_of(checked: &Checked) -> Modules<'_> {
    let sources = checked.modules.iter().map(|it| Source {
        file: &it.file,
        ast: &it.ast,
        env: &it.env,
        bodies: &it.bodies,
        comments: context::comments_of(&it.ast),
        exported: exports::Exported::new(&it.ast),
        redundant: context::redundant_arms(&it.diagnostics),
    });
    Modules::new(sources.collect(), checked.asked)
}

fn write(modules: Modules<'_>, options: &EmitOptions) -> Output {
    let asts: Vec<&Ast> = modules.list.iter().map(|it| it.ast).collect();
    let library = match &options.runtime {
        Runtime::Import(path) => Some(path.clone()),
        Runtime::Inline if modules.list.len() > 1 => Some(library_path(&modules)),
        Runtime::Inline => None,
    };
    let ending = ending(options.dialect);
    let mut files: Vec<OutputFile> = (0..modules.list.len())
        .map(|index| {
            let file = modules.list[index].file;
            let path = with_ending(file, ending);
            let import = library.as_ref().map(|it| match &options.runtime {
                Runtime::Import(path) => path.clone(),
                Runtime::Inline => relative(file, it),
            });
            let laid = File { modules: &modules, index, options, library: import }.lay_out();
            let source_map = map::source_map(&path, &laid, &asts);
            OutputFile { path, text: laid.text, source_map: Some(source_map) }
        })
        .collect();
    if let (Runtime::Inline, Some(path)) = (&options.runtime, &library) {
        let text = crate::runtime::module(options.dialect).to_owned();
        files.push(OutputFile { path: with_ending(path, ending), text, source_map: None });
    }
    Output { files }
}

fn ending(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::TypeScript => ".ts",
        Dialect::JavaScript => ".js",
    }
}

fn with_ending(file: &str, ending: &str) -> String {
    let stem = [".clank", ".json", ".js"].into_iter().find_map(|it| file.strip_suffix(it));
    let stem = stem.unwrap_or(file);
    if stem.is_empty() { format!("main{ending}") } else { format!("{stem}{ending}") }
}

/// A path for the run-time library that no module has.
fn library_path(modules: &Modules<'_>) -> String {
    let taken: BTreeSet<String> =
        modules.list.iter().map(|it| with_ending(it.file, ".js")).collect();
    let mut path = "clank.js".to_owned();
    let mut number = 2;
    while taken.contains(&path) {
        path = format!("clank{number}.js");
        number += 1;
    }
    path
}

/// The path to a file as a module in another file imports it.
fn relative(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').collect();
    let to: Vec<&str> = to.split('/').collect();
    let folders = &from[..from.len() - 1];
    let shared = folders.iter().zip(&to[..to.len() - 1]).take_while(|it| it.0 == it.1).count();
    let up = folders.len() - shared;
    let start = if up == 0 { "./".to_owned() } else { "../".repeat(up) };
    start + &to[shared..].join("/")
}

/// One file in the making.
struct File<'a> {
    modules: &'a Modules<'a>,
    index: usize,
    options: &'a EmitOptions,
    library: Option<String>,
}

impl File<'_> {
    /// Declarations give way to the helpers that the file turns out to use.
    fn lay_out(&self) -> Laid {
        let mut avoid = BTreeSet::new();
        loop {
            let mut cx = FileCx::new(self.modules, self.index, &avoid);
            let mut hosted = Hosted::default();
            let items = decl::declarations(&mut cx, &mut hosted);
            let needed = self.needed(&cx);
            let clashes: BTreeSet<Name> =
                cx.own_names().filter(|it| needed.contains(it.as_str())).collect();
            if clashes.is_subset(&avoid) {
                return self.print(cx, &items, &hosted);
            }
            avoid.extend(clashes);
        }
    }

    /// The names of the run-time library that will be at the top level of the file.
    fn needed(&self, cx: &FileCx<'_>) -> BTreeSet<&'static str> {
        match self.library {
            Some(_) => cx.helpers.clone(),
            None => {
                let closure = crate::runtime::closure(self.options.dialect, &cx.helpers);
                closure.iter().map(|it| it.name).collect()
            }
        }
    }

    fn print(&self, mut cx: FileCx<'_>, items: &[TopLevel], hosted: &Hosted) -> Laid {
        let shapes = cx.shapes.take_declarations();
        let all: Vec<&TopLevel> = items.iter().chain(&shapes).collect();
        let mut body = Laid::default();
        let mut previous_is_const = false;
        for (item, laid) in all.iter().zip(self.lay_out_each(&all)) {
            let Some(laid) = laid else { continue };
            let is_const = matches!(item.kind, DeclKind::Const { .. });
            let is_close = is_const && previous_is_const && item.comments.is_empty();
            body.add_lines(if is_close { 1 } else { 2 }, laid);
            previous_is_const = is_const;
        }
        let used = identifiers(&body.text);
        let mut docs = Docs::default();
        let head = self.head(&cx, hosted, &used, &mut docs);
        let tail = self.tail(&cx, items, &used, &mut docs);
        let mut laid = docs.lay_out(head);
        let tail = docs.lay_out(tail);
        laid.add_lines(0, body);
        laid.add_lines(0, tail);
        // The parts are put together with empty lines before them; the first one needs none.
        let empty = laid.text.len() - laid.text.trim_start_matches('\n').len();
        laid.text.drain(..empty);
        for mark in &mut laid.marks {
            mark.0 = mark.0.saturating_sub(empty as u32);
        }
        let end = laid.text.trim_end().len();
        laid.text.truncate(end);
        if end > 0 {
            laid.text.push('\n');
        }
        laid
    }

    /// Each declaration as it is written; nothing for those that are not written in the language. Line breaks stand between
    /// them, so that none has to do with the layout of another.
    fn lay_out_each(&self, items: &[&TopLevel]) -> Vec<Option<Laid>> {
        let one = |item: &&TopLevel| {
            let mut printer = Printer::new(self.options.dialect);
            let doc = printer.top_level(item)?;
            Some(printer.docs.lay_out(doc))
        };
        match items.len() >= MIN_PARALLEL {
            true => items.par_iter().with_min_len(16).map(one).collect(),
            false => items.iter().map(one).collect(),
        }
    }

    /// Imports and what TypeScript must be told.
    fn head(
        &self,
        cx: &FileCx<'_>,
        hosted: &Hosted,
        used: &FxHashSet<&str>,
        docs: &mut Docs,
    ) -> DocId {
        let is_typed = self.options.dialect == Dialect::TypeScript;
        let mut lines = Vec::new();
        for (name, module) in &hosted.modules {
            if is_typed {
                lines.push(docs.text("// @ts-ignore: the module may come without types."));
            }
            lines.push(docs.text(format!("import * as {name} from {};", quote(module))));
        }
        for module in &hosted.loaded {
            if is_typed {
                lines.push(docs.text("// @ts-ignore: the module may come without types."));
            }
            lines.push(docs.text(format!("import {};", quote(module))));
        }
        if let Some(path) = &self.library {
            let is_type = |it: &str| {
                let values = crate::runtime::helpers(Dialect::JavaScript);
                !values.iter().any(|helper| helper.name == it)
            };
            let names =
                cx.helpers.iter().filter(|it| used.contains(**it)).filter_map(|it| {
                    match (is_type(it), is_typed) {
                        (true, true) => Some(format!("type {it}")),
                        (true, false) => None,
                        (false, _) => Some((*it).to_owned()),
                    }
                });
            let names: Vec<String> = names.collect();
            lines.extend(import_line(docs, names, path));
        }
        let mut by_module: BTreeMap<&Name, Vec<String>> = BTreeMap::new();
        for (global, (local, is_value)) in &cx.imports {
            if !used.contains(local.as_str()) || (!is_value && !is_typed) {
                continue;
            }
            let kind = if *is_value { "" } else { "type " };
            let exported = names::legal(&global.name);
            let item = match exported == *local {
                true => format!("{kind}{local}"),
                false => format!("{kind}{exported} as {local}"),
            };
            by_module.entry(&global.module).or_default().push(item);
        }
        for (module, names) in by_module {
            let path = relative(cx.source().file, &with_ending(module, ".js"));
            lines.extend(import_line(docs, names, &path));
        }
        if is_typed && !hosted.declared.is_empty() {
            let declared = hosted.declared.iter().map(|it| format!("declare const {it}: any;"));
            let declared: Vec<String> = declared.collect();
            lines.extend(declared.into_iter().map(|it| docs.text(it)));
        }
        let mut parts = Vec::new();
        for line in lines {
            parts.push(docs.hard());
            parts.push(line);
        }
        docs.concat(parts)
    }

    /// Exports under other names, and the helpers if they are part of the file.
    fn tail(
        &self,
        cx: &FileCx<'_>,
        items: &[TopLevel],
        used: &FxHashSet<&str>,
        docs: &mut Docs,
    ) -> DocId {
        let is_typed = self.options.dialect == Dialect::TypeScript;
        let mut values = BTreeSet::new();
        let mut types = BTreeSet::new();
        for item in items.iter().filter(|it| !it.export) {
            match &item.kind {
                DeclKind::Function(it) => values.insert(it.name.clone()),
                DeclKind::Const { name, .. } => values.insert(name.clone()),
                DeclKind::Interface { name, .. } | DeclKind::Union { name, .. } => {
                    types.insert(name.clone())
                }
            };
        }
        let mut parts = Vec::new();
        let exported = cx.renamed();
        for (own, exported) in &exported {
            if cx.start.is_some() && exported == "main" {
                continue;
            }
            let exported = names::legal(exported);
            let line = match (values.contains(own), types.contains(own) && is_typed) {
                (true, _) => format!("export {{ {own} as {exported} }};"),
                (false, true) => format!("export type {{ {own} as {exported} }};"),
                (false, false) => continue,
            };
            if parts.is_empty() {
                parts.push(docs.hard());
            }
            parts.push(docs.hard());
            parts.push(docs.text(line));
        }
        if let Some(start) = &cx.start {
            parts.push(docs.hard());
            parts.push(docs.hard());
            parts.push(docs.text(format!("export {{ {start} as main }};")));
        }
        if self.library.is_none() {
            let helpers: BTreeSet<&str> =
                cx.helpers.iter().copied().filter(|it| used.contains(*it)).collect();
            let text = crate::runtime::inline(self.options.dialect, &helpers);
            if !text.is_empty() {
                parts.push(docs.hard());
                parts.push(docs.hard());
                parts.push(docs.text(text.trim_end()));
            }
        }
        docs.concat(parts)
    }
}

fn import_line(docs: &mut Docs, names: Vec<String>, path: &str) -> Option<DocId> {
    if names.is_empty() {
        return None;
    }
    let names = names.into_iter().map(|it| docs.text(it)).collect();
    let parts = vec![
        docs.text("import "),
        docs.list("{", names, "}", true),
        docs.text(format!(" from {};", quote(path))),
    ];
    Some(docs.concat(parts))
}

/// The identifiers that occur in a text.
fn identifiers(text: &str) -> FxHashSet<&str> {
    let is_word = |it: char| it.is_alphanumeric() || it == '_' || it == '$';
    text.split(|it| !is_word(it)).filter(|it| !it.is_empty()).collect()
}
