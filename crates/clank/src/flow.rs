//! What paths through a function say: names that nothing uses (W0001), code that nothing reaches (W0003), names that
//! hide others (W0004), values that nobody uses (W0007), `break` and `continue` outside a loop (E2014), and linear values (E5001 to E5003).

mod dropped;
mod linear;
mod mode;
mod reach;
mod shadow;
mod unused;

use std::collections::BTreeSet;

use clank_syntax::ast::{
    Ast, AstKind, Decl, DeclId, Expr, FieldPatternId, Name, NodeId, Pattern, PatternId,
};

use self::mode::Modes;
use crate::body::BodyView;
use crate::diagnostic::Diagnostic;
use crate::env::Env;
use crate::similar::{ByLength, MisspeltName};
use spelling::Rows;

/// Looks at the paths through a function. Other declarations have none.
pub(crate) fn flow(ast: &Ast, decl: DeclId, env: &Env, view: BodyView<'_>) -> Vec<Diagnostic> {
    let Decl::Fn(function) = ast.decl(decl) else { return Vec::new() };
    let doubts = Doubts::new(ast, function.body.node(), view);
    let mut modes = Modes::new(env);
    let mut found = reach::reach(ast, function, view);
    found.extend(shadow::shadow(ast, function));
    found.extend(unused::unused(ast, function, view, &doubts, &mut modes));
    found.extend(dropped::dropped(ast, (decl, function), env, view, &mut modes));
    found.extend(linear::linear(ast, function, env, view, &doubts, modes));
    found
}

/// What is not known about a body because of other mistakes. A value that seems unused may be used there.
struct Doubts<'a> {
    /// Something could not be read or is not written yet.
    is_unfinished: bool,
    /// Names that mean nothing.
    unresolved: ByLength<MisspeltName<'a>>,
}

impl<'a> Doubts<'a> {
    fn new(ast: &'a Ast, body: NodeId, view: BodyView<'_>) -> Doubts<'a> {
        let mut is_unfinished = false;
        let mut unresolved: BTreeSet<&str> = BTreeSet::new();
        for node in ast.subtree(body).map(NodeId) {
            match &ast.node(node).kind {
                AstKind::Expr(Expr::Error { .. } | Expr::Hole { .. })
                | AstKind::Pattern(Pattern::Error { .. }) => is_unfinished = true,
                AstKind::Expr(Expr::Ident { name }) if view.resolution(node).is_none() => {
                    unresolved.insert(name);
                }
                _ => {}
            }
        }
        let mut by_length = ByLength::default();
        unresolved.into_iter().for_each(|it| by_length.push(it, MisspeltName::new(it)));
        Doubts { is_unfinished, unresolved: by_length }
    }

    /// Whether a name may be used after all: where nothing is written yet, or under a misspelt name.
    fn may_use(&self, name: &str) -> bool {
        let mut rows = Rows::default();
        let mut unresolved = self.unresolved.around(name);
        self.is_unfinished || unresolved.any(|it| it.name() == name || it.is_near(name, &mut rows))
    }
}

/// The names that a pattern binds, and the nodes that bind them, in the order in which they are written.
fn bindings(
    ast: &Ast,
    pattern: PatternId,
) -> impl Iterator<Item = (NodeId, &Name)> + Clone + use<'_> {
    ast.subtree(pattern).filter_map(|it| binding(ast, NodeId(it)))
}

/// The name that a part of a pattern binds.
fn binding(ast: &Ast, node: NodeId) -> Option<(NodeId, &Name)> {
    match &ast.node(node).kind {
        AstKind::Pattern(Pattern::Ident { name }) => Some((node, name)),
        AstKind::FieldPattern(it) if it.pattern.is_none() => Some((node, &it.name)),
        _ => None,
    }
}

/// Whether a part of a pattern is a field that binds its own name.
fn is_bare_field(ast: &Ast, node: NodeId) -> bool {
    FieldPatternId::of(ast, node).is_some()
}

/// Names that start so are unused on purpose.
fn is_exempt(name: &str) -> bool {
    name.starts_with('_')
}

#[cfg(test)]
mod tests {
    use crate::testing::codes;

    /// Work that grows with more than the size of the program would not end here.
    #[test]
    fn deep_and_long_programs_are_walked_in_linear_time() {
        let chain = "x + ".repeat(10_000);
        assert!(codes(&format!("fn f(x: Int) -> Int {{ {chain}x }}")).is_empty());
        let head = "fn f(t: Linear[Int], n: Int) -> Int";
        let tests = "if n > 1 { consume(t) } else ".repeat(2_000);
        assert!(codes(&format!("{head} {{ {tests}{{ consume(t) }} }}")).is_empty());
        let nested = |open: &str, close: &str, n: usize| {
            format!("{head} {{ {}consume(t){} }}", open.repeat(n), close.repeat(n))
        };
        let guards = nested("match n { 0 if (", ") > 0 -> 1, _ -> 2 }", 60);
        assert!(codes(&guards).iter().any(|it| it.starts_with("E5002")));
        let (open, close) = ("loop { ".repeat(60), "} ".repeat(60));
        assert!(codes(&format!("{head} {{ {open}return consume(t); {close} }}")).is_empty());
        let lambdas = nested("(\\() -> ", ")()", 60);
        assert!(codes(&lambdas).iter().any(|it| it.starts_with("E5003")));
    }

    #[test]
    fn a_thousand_linear_values_and_as_many_branches_are_no_matter() {
        let bind: String = (0..1_000).map(|it| format!("let t{it} = linear({it}); ")).collect();
        let uses: String = (0..1_000)
            .map(|it| format!("if n > {it} {{ consume(t{it}); }} else {{ consume(t{it}); }} "))
            .collect();
        assert!(codes(&format!("fn f(n: Int) -> Int {{ {bind}{uses}n }}")).is_empty());
        let early: String = (0..1_000).map(|it| format!("if n > {it} {{ return n; }} ")).collect();
        assert_eq!(codes(&format!("fn f(n: Int) -> Int {{ {bind}{early}n }}")).len(), 1_000);
    }
}
