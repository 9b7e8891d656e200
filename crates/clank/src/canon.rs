//! The canonical tree: the same program with its sugar taken away.
//!
//! `x |> f` is the call `f(x)`, `Name { f: v }` the constructor's call where the order of evaluation stays, an `if` without
//! `else` gets `else { () }`, `return` and an empty block get their `()`. Predicates inside types are no exception. Every
//! node that stays keeps its id, its place and its comments; what is new gets an id that no other node has. Doing it
//! again changes nothing (row 3). What could not be read stays as it was written.

mod decl;
mod expr;

use std::collections::{BTreeMap, BTreeSet};

use clank_syntax::ast::{
    Ast, Builder, Comments, Decl, DeclId, ExprId, GivenSpan, Name, NodeId, Pattern, PatternId,
    Source, SourceId, Type, TypeId,
};
use clank_syntax::{Fragment, Span, parse_fragment, with_stack};

use crate::code::Code;
use crate::driver::CheckedModule;
use crate::env::Env;

/// The canonical tree of a module. `env` says which fields records have.
pub fn canonicalize(ast: &Ast, env: &Env) -> Ast {
    canonical(ast, env, &Unread::default())
}

/// The canonical tree of a module that was checked. What was not understood stays as it was written, so that the tree
/// does not compile where the text does not.
pub fn canonicalize_module(module: &CheckedModule) -> Ast {
    canonical(&module.ast, &module.env, &Unread::new(module))
}

/// What of a text was not understood.
#[derive(Default)]
struct Unread {
    /// Declarations that were read as something that was not written.
    declarations: BTreeSet<DeclId>,
    /// What stands between declarations.
    between: Vec<(String, Span)>,
}

impl Unread {
    fn new(module: &CheckedModule) -> Unread {
        let ast = &module.ast;
        let mut unread = Unread::default();
        let Some(source) = ast.sources().first().filter(|it| !it.text.is_empty()) else {
            return unread;
        };
        for it in module.diagnostics.iter().filter(|it| it.code <= Code::E0009) {
            let place = ast.declarations().partition_point(|decl| decl.node() < it.node);
            let home = ast.declarations().get(place).copied();
            let is_written = |it: &DeclId| ast.node(it.node()).source == SourceId(0);
            match home.filter(is_written).filter(|it| !is_read(ast.text(it.node()))) {
                Some(decl) => {
                    let mut nodes = ast.subtree(decl.node()).map(NodeId);
                    if !nodes.any(|it| ast.node(it).kind.is_error()) {
                        unread.declarations.insert(decl);
                    }
                }
                None => {
                    let span = it.span.unwrap_or_else(|| ast.span(it.node));
                    let text = source.text.get(span.start as usize..span.end as usize);
                    let text = text.filter(|it| !it.is_empty() && !is_read(it)).unwrap_or("}");
                    unread.between.push((text.to_owned(), span));
                }
            }
        }
        unread
    }
}

/// Whether a text is one declaration.
fn is_read(text: &str) -> bool {
    let mut builder = Builder::new(Source { file: String::new(), text: String::new() });
    parse_fragment(&mut builder, "", text, Fragment::Decl).is_ok()
}

fn canonical(ast: &Ast, env: &Env, unread: &Unread) -> Ast {
    let mut sources = ast.sources().iter().cloned();
    let Some(first) = sources.next() else { return ast.clone() };
    let mut builder = Builder::new(first);
    for source in sources {
        builder.enter(source);
    }
    let mut canon = Canon { ast, env, builder, comments: ast.comments(), spans: ast.given_spans() };
    let mut declarations: Vec<DeclId> = Vec::with_capacity(ast.declarations().len());
    for decl in ast.declarations() {
        declarations.push(match unread.declarations.contains(decl) {
            true => canon.as_written(*decl),
            false => canon.decl(*decl),
        });
    }
    for (source, span) in &unread.between {
        canon.builder.leave(SourceId(0));
        declarations.push(canon.builder.decl(Decl::Error { source: source.clone() }, *span));
    }
    let root = ast.root().node();
    canon.builder.leave(ast.node(root).source);
    let program = canon.builder.program(declarations, ast.span(root));
    canon.keep(root, program.into());
    canon.builder.finish_at(program).unwrap_or_else(|_| ast.clone())
}

struct Canon<'a> {
    ast: &'a Ast,
    env: &'a Env,
    builder: Builder,
    comments: &'a BTreeMap<NodeId, Comments>,
    spans: &'a BTreeMap<NodeId, GivenSpan>,
}

impl Canon<'_> {
    /// A declaration that was not understood, as it was written.
    fn as_written(&mut self, id: DeclId) -> DeclId {
        let source = self.ast.text(id.node()).to_owned();
        let span = self.place(id.node());
        let new = self.builder.decl(Decl::Error { source }, span);
        self.keep(id.node(), new.into());
        new
    }

    /// Where the next node comes from. Called after its children are made.
    fn place(&mut self, old: NodeId) -> Span {
        self.builder.leave(self.source(old));
        self.ast.span(old)
    }

    fn source(&self, old: NodeId) -> SourceId {
        self.ast.node(old).source
    }

    /// The new node is the old one.
    fn keep(&mut self, old: NodeId, new: NodeId) {
        self.builder.set_id(new, self.ast.ids().id(old));
        if let Some(comments) = self.comments.get(&old) {
            self.builder.set_comments(new, comments.clone());
        }
        if let Some(span) = self.spans.get(&old) {
            self.builder.set_given_span(new, span.clone());
        }
    }

    fn types(&mut self, ids: &[TypeId]) -> Box<[TypeId]> {
        ids.iter().map(|it| self.ty(*it)).collect()
    }

    fn exprs(&mut self, ids: &[ExprId]) -> Box<[ExprId]> {
        ids.iter().map(|it| self.expr(*it)).collect()
    }

    fn ty(&mut self, id: TypeId) -> TypeId {
        with_stack(|| {
            let new = match self.ast.ty(id) {
                Type::Named { name, args } => {
                    Type::Named { name: name.clone(), args: self.types(args) }
                }
                Type::Array { element } => Type::Array { element: self.ty(*element) },
                Type::Tuple { elements } => Type::Tuple { elements: self.types(elements) },
                Type::Function { params, result } => {
                    let params = self.types(params);
                    Type::Function { params, result: self.ty(*result) }
                }
                Type::Refined { base, variable, predicate } => {
                    let base = self.ty(*base);
                    let predicate = self.expr(*predicate);
                    Type::Refined { base, variable: variable.clone(), predicate }
                }
                Type::Effect { effects, result } => {
                    let effects = self.types(effects);
                    Type::Effect { effects, result: self.ty(*result) }
                }
                Type::Record { fields, open } => {
                    let fields = fields.iter().map(|it| self.field(*it)).collect();
                    Type::Record { fields, open: *open }
                }
                Type::Error { source } => Type::Error { source: source.clone() },
            };
            let span = self.place(id.into());
            let new = self.builder.ty(new, span);
            self.keep(id.into(), new.into());
            new
        })
    }

    fn pattern(&mut self, id: PatternId) -> PatternId {
        with_stack(|| {
            let all = |this: &mut Self, ids: &[PatternId]| {
                ids.iter().map(|it| this.pattern(*it)).collect::<Box<[PatternId]>>()
            };
            let new = match self.ast.pattern(id) {
                Pattern::Tuple { elements } => Pattern::Tuple { elements: all(self, elements) },
                Pattern::Variant { name, payload } => {
                    Pattern::Variant { name: name.clone(), payload: all(self, payload) }
                }
                Pattern::Record { fields } => {
                    let fields = fields.iter().map(|it| {
                        let mut field = self.ast.field_pattern(*it).clone();
                        field.pattern = field.pattern.map(|it| self.pattern(it));
                        let span = self.place((*it).into());
                        let new = self.builder.field_pattern(field, span);
                        self.keep((*it).into(), new.into());
                        new
                    });
                    Pattern::Record { fields: fields.collect() }
                }
                leaf @ (Pattern::Wildcard
                | Pattern::Ident { .. }
                | Pattern::Literal(_)
                | Pattern::Error { .. }) => leaf.clone(),
            };
            let span = self.place(id.into());
            let new = self.builder.pattern(new, span);
            self.keep(id.into(), new.into());
            new
        })
    }

    /// The fields that the record with that name has, if its literal may become a call of its constructor.
    fn record_fields(&self, name: &str) -> Option<Vec<Name>> {
        use crate::env::{TypeBody, TypeEntry, Value};
        let (value, entry) = match name.rsplit_once('.') {
            None => (self.env.values.get(name)?, self.env.types.get(name)?),
            Some((module, name)) => {
                let Value::Module { file } = self.env.values.get(module)? else { return None };
                let exports = self.env.modules.get(file)?;
                (exports.values.get(name)?, exports.types.get(name)?)
            }
        };
        let (Value::Record { def }, TypeEntry::Def(of_type)) = (value, entry) else { return None };
        match &def.shape {
            TypeBody::Record(fields) if def.key == of_type.key => {
                Some(fields.iter().map(|it| it.0.clone()).collect())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use clank_syntax::json;

    use super::*;
    use crate::testing::program;

    /// Section 23: the tree of a text that could not be read whole does not compile either.
    #[test]
    fn the_tree_of_what_was_not_understood_does_not_compile() {
        for text in [
            "fn f(a: Int) -> Int { max(a 1) }",
            "fn f() -> Int { let x 1; x }",
            "fn f() -> Int { 1 } @ fn g() -> Int { 2 }",
            "fn f() -> Int {\n  1\n}\n}\n",
            "fn f() Int { 1 }",
            "rec R { x: Int y: Int }",
        ] {
            let checked = crate::check(&program(text), None);
            let module = &checked.modules[0];
            assert!(module.has_errors(), "{text}");
            let written = json::write(
                &canonicalize_module(module),
                &json::WriteOptions { ids: true, spans: false, pretty: false },
            );
            let (tree, mistakes) = json::read_lenient(&written);
            assert!(tree.is_none() || !mistakes.is_empty(), "{text}\n{written}");
        }
        let fine = crate::check(&program("fn f() -> Int { 1 }"), None);
        let module = &fine.modules[0];
        assert_eq!(canonicalize_module(module), canonicalize(&module.ast, &module.env));
    }
}
