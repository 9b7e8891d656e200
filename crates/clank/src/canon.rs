//! The canonical tree: the same program with its sugar taken away.
//!
//! `x |> f` is the call `f(x)`, `Name { f: v }` the constructor's call where the order of evaluation stays, an `if` without
//! `else` gets `else { () }`, `return` and an empty block get their `()`. Predicates inside types are no exception. Every
//! node that stays keeps its id, its place and its comments; what is new gets an id that no other node has. Doing it
//! again changes nothing (row 3). What could not be read stays as it was written.

mod decl;
mod expr;

use std::collections::BTreeMap;

use clank_syntax::Span;
use clank_syntax::ast::{
    Ast, Builder, Comments, ExprId, GivenSpan, Name, NodeId, Pattern, PatternId, SourceId, Type,
    TypeId,
};
use clank_syntax::with_stack;

use crate::env::Env;

/// The canonical tree of a module. `env` says which fields records have.
pub fn canonicalize(ast: &Ast, env: &Env) -> Ast {
    let mut sources = ast.sources().iter().cloned();
    let Some(first) = sources.next() else { return ast.clone() };
    let mut builder = Builder::new(first);
    for source in sources {
        builder.enter(source);
    }
    let mut canon = Canon { ast, env, builder, comments: ast.comments(), spans: ast.given_spans() };
    let declarations = ast.declarations().iter().map(|it| canon.decl(*it)).collect();
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
        use crate::env::{Shape, TypeEntry, Value};
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
            Shape::Record(fields) if def.key == of_type.key => {
                Some(fields.iter().map(|it| it.0.clone()).collect())
            }
            _ => None,
        }
    }
}
