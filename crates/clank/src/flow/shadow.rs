//! W0004: a local that hides another local. Hiding a global or a name of the prelude is fine (row 28).

use clank_syntax::ast::{Ast, AstKind, Expr, FnDecl, Name, NodeId, PatternId, Stmt};
use clank_syntax::with_stack;
use rustc_hash::FxHashMap;

use super::{bindings, is_exempt};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};

/// The locals that hide others, in the order in which they are bound.
pub(super) fn shadow(ast: &Ast, function: &FnDecl) -> Vec<Diagnostic> {
    let mut walk =
        Walk { ast, visible: FxHashMap::default(), bound: Vec::new(), found: Vec::new() };
    let params = function.params.iter();
    walk.bind(params.map(|it| (it.node(), &ast.param(*it).name)));
    walk.node(function.body.node());
    walk.found
}

struct Walk<'a> {
    ast: &'a Ast,
    /// The node that binds what a name means.
    visible: FxHashMap<&'a Name, NodeId>,
    /// The names that are visible, in the order in which they were bound, each with what it meant before.
    bound: Vec<(&'a Name, Option<NodeId>)>,
    found: Vec<Diagnostic>,
}

impl<'a> Walk<'a> {
    fn node(&mut self, node: NodeId) {
        with_stack(|| match &self.ast.node(node).kind {
            AstKind::Type(_) | AstKind::Pattern(_) => {}
            AstKind::Stmt(Stmt::Let { pattern, init, .. }) => {
                self.node(init.node());
                self.pattern(*pattern);
            }
            AstKind::Stmt(Stmt::For { pattern, iterable, body }) => {
                self.node(iterable.node());
                self.scope(|it| {
                    it.pattern(*pattern);
                    it.node(body.node());
                });
            }
            AstKind::Arm(arm) => self.scope(|it| {
                it.pattern(arm.pattern);
                it.children(node);
            }),
            AstKind::Expr(Expr::Lambda { params, body }) => self.scope(|it| {
                let ast = it.ast;
                it.bind(params.iter().map(|id| (id.node(), &ast.lambda_param(*id).name)));
                it.node(body.node());
            }),
            AstKind::Expr(Expr::Block { .. }) => self.scope(|it| it.children(node)),
            _ => self.children(node),
        });
    }

    fn children(&mut self, node: NodeId) {
        self.ast.for_each_child(node, &mut |child| self.node(child));
    }

    fn scope(&mut self, walk: impl FnOnce(&mut Self)) {
        let depth = self.bound.len();
        walk(self);
        for (name, before) in self.bound.drain(depth..).rev() {
            match before {
                Some(node) => self.visible.insert(name, node),
                None => self.visible.remove(name),
            };
        }
    }

    fn pattern(&mut self, pattern: PatternId) {
        self.bind(bindings(self.ast, pattern));
    }

    /// Names that become visible together: they do not hide one another.
    fn bind(&mut self, names: impl Iterator<Item = (NodeId, &'a Name)> + Clone) {
        for (node, name) in names.clone() {
            if let (Some(hidden), false) = (self.visible.get(name), is_exempt(name)) {
                let diagnostic =
                    Diagnostic::new(Code::W0004, node, format!("`{name}` hides another `{name}`"))
                        .help("give one of them another name")
                        .with(Structured::new("shadowed_variable").member("name", name.as_str()))
                        .related(*hidden, "this one is hidden from here on");
                self.found.push(diagnostic);
            }
        }
        for (node, name) in names {
            let before = self.visible.insert(name, node);
            self.bound.push((name, before));
        }
    }
}
