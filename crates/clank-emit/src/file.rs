//! One generated file: imports, declarations, exports, and what it needs of the run-time library.

use std::collections::{BTreeMap, BTreeSet};

use clank_syntax::ast::Name;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::context::{FileCx, SourceModules};
use crate::doc::{DocId, Docs, Laid};
use crate::external::Hosted;
use crate::path::{relative, with_extension};
use crate::print::{Printer, quote};
use crate::tree::{DeclKind, TopLevel};
use crate::{EmitOptions, OutputLanguage, decl, names};

/// Fewer declarations than this are written before threads that could help have started.
const MIN_PARALLEL: usize = 64;

/// One file in the making.
pub(crate) struct OutputModule<'a> {
    pub(crate) modules: &'a SourceModules<'a>,
    pub(crate) index: usize,
    pub(crate) options: &'a EmitOptions,
    pub(crate) library: Option<String>,
}

impl OutputModule<'_> {
    /// Declarations give way to the helpers that the file turns out to use.
    pub(crate) fn lay_out(&self) -> Laid {
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
        let is_typed = self.options.dialect == OutputLanguage::TypeScript;
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
                let values = crate::runtime::helpers(OutputLanguage::JavaScript);
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
            let path = relative(cx.source().file, &with_extension(module, ".js"));
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
        let is_typed = self.options.dialect == OutputLanguage::TypeScript;
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
