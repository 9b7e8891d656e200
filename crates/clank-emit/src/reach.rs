//! Which functions a program that is started at `main` can come to: the others need not be written to run it.
//!
//! A function is needed if its name stands anywhere in what is needed, be it in a string or a comment: that is more than is
//! called, and nothing that is called is missed.

use clank_syntax::ast::{Ast, Decl, DeclId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The functions of a module that are never come to from `main` and from what else is declared. Only known of a tree that is
/// as it was read: the text of a declaration is then all there is to it.
pub(super) fn unreached(ast: &Ast) -> FxHashSet<DeclId> {
    let mut functions: FxHashMap<&str, Vec<DeclId>> = FxHashMap::default();
    if !ast.is_as_read() {
        return FxHashSet::default();
    }
    let mut open = Vec::new();
    for decl in ast.declarations() {
        match ast.decl(*decl) {
            Decl::Fn(it) if it.name != "main" => {
                functions.entry(it.name.as_str()).or_default().push(*decl);
            }
            _ => open.push(*decl),
        }
    }
    while let Some(decl) = open.pop() {
        for word in words(ast.text(decl)) {
            open.extend(functions.remove(word).into_iter().flatten());
        }
    }
    functions.into_values().flatten().collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_')
}
