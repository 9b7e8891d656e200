//! Changes the name of what a node declares, there and wherever it is used (RS-26).
//!
//! What means what is known here, so a `rename` is spelled out as one `rename_symbol` for every place. It is refused if
//! any name of the module would mean something else afterwards.

use check::Class;
use std::collections::BTreeMap;
use std::sync::Arc;

use clank::NameUse;
use clank::body::Resolution;
use clank::program::Program;
use clank::ty::TypeKey;
use clank::{Checked, CheckedModule, check_with};
use clank_syntax::ast::{Ast, AstKind, Decl, DeclId, Name, NodeId, Pattern, Type};
use clank_syntax::patch::{self, PatchError, PatchOp};

use super::findings::{FindingSet, Origins};
use crate::extent::declaration;

/// Why a name cannot be changed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenameError {
    /// The tree has no such node.
    #[error("cannot find node `{0}`; the patch is for another version of the program")]
    Unknown(Name),
    /// The node is not a local, function, type or variant.
    #[error("cannot rename `{0}` everywhere it is used")]
    NoName(Name),
    /// Another file uses it.
    #[error("`{name}` is used in {file}, too")]
    UsedElsewhere {
        /// The name.
        name: Name,
        /// The file.
        file: Name,
    },
    /// Something would mean something else.
    #[error("the name `{0}` would change what another name refers to")]
    Captured(Name),
    /// The name is none, or cannot be changed at one of the places.
    #[error(transparent)]
    Patch(#[from] PatchError),
}

/// The operations with every `rename` spelled out. `checked` is what is known about `program`, and `module` the place of
/// the module in both.
pub fn expand(
    program: &Program,
    checked: &Checked,
    module: usize,
    ops: &[PatchOp],
) -> Result<Vec<PatchOp>, RenameError> {
    let mut expanded = Vec::with_capacity(ops.len());
    for op in ops {
        match op {
            PatchOp::Rename { symbol_id, new_name } => {
                expanded.extend(rename(program, checked, module, symbol_id, new_name)?);
            }
            _ => expanded.push(op.clone()),
        }
    }
    Ok(expanded)
}

fn rename(
    program: &Program,
    checked: &Checked,
    module: usize,
    symbol_id: &Name,
    new_name: &Name,
) -> Result<Vec<PatchOp>, RenameError> {
    let unknown = || RenameError::Unknown(symbol_id.clone());
    let in_module = checked.modules.get(module).ok_or_else(unknown)?;
    let ast = &in_module.ast;
    let symbol = ast.ids().node(symbol_id).ok_or_else(unknown)?;
    let no_name = || RenameError::NoName(symbol_id.clone());
    let meaning = Meaning::of(in_module, symbol).ok_or_else(no_name)?;
    let name = patch::name_at(ast, symbol).ok_or_else(no_name)?;
    if !matches!(meaning, Meaning::Local) {
        refuse_use_elsewhere(checked, module, name)?;
    }
    let mut nodes = vec![symbol];
    nodes.extend(meaning.uses(in_module, symbol, name).into_iter().filter(|it| *it != symbol));
    let ops = patch::rename_at(ast, &nodes, new_name)?;
    let patched = patch::patch(ast, &ops)?;
    let after = program.with_trees(vec![(module, Arc::new(patched.ast))]);
    let after = check_with(&after, Some(checked), checked.oracle.clone());
    let origins = Origins::from_iter([(module, patched.origins)]);
    let difference = FindingSet::new(checked).compare(&after, &origins);
    let own = |it: NodeId| origins[&module].get(it.index()).copied().flatten();
    let (old, new) = (name, new_name);
    let meant = meanings(in_module, &Some, &|it| renamed(it, &in_module.file, old, new));
    let means = meanings(&after.modules[module], &own, &Resolution::clone);
    if meant != means || difference.new.iter().any(|it| it.class == Class::Error) {
        return Err(RenameError::Captured(new_name.clone()));
    }
    Ok(ops)
}

/// What a node declares.
enum Meaning {
    Local,
    Global(Resolution),
    Type(TypeKey),
}

impl Meaning {
    fn of(module: &CheckedModule, node: NodeId) -> Option<Meaning> {
        let file = module.file.clone();
        let ast = &module.ast;
        Some(match &ast.node(node).kind {
            AstKind::Param(_)
            | AstKind::LambdaParam(_)
            | AstKind::Pattern(Pattern::Ident { .. }) => Meaning::Local,
            AstKind::FieldPattern(it) if it.pattern.is_none() => Meaning::Local,
            AstKind::Variant(_) => {
                let Decl::Sum { name, variants, .. } = ast.decl(declaration(ast, node)?) else {
                    return None;
                };
                let place = variants.iter().position(|it| it.node() == node)?;
                let ty = TypeKey { module: file, name: name.clone() };
                Meaning::Global(Resolution::Variant { ty, variant: u32::try_from(place).ok()? })
            }
            AstKind::Decl(it) => match &**it {
                Decl::Fn(it) => {
                    Meaning::Global(Resolution::Fn { module: file, name: it.name.clone() })
                }
                Decl::TypeAlias { name, .. } | Decl::Rec { name, .. } | Decl::Sum { name, .. } => {
                    Meaning::Type(TypeKey { module: file, name: name.clone() })
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    /// The places in the module where it is used.
    fn uses(&self, module: &CheckedModule, symbol: NodeId, name: &Name) -> Vec<NodeId> {
        let mut found = Vec::new();
        for body in module.bodies.values() {
            let view = body.view();
            for (node, resolution) in &view.body.resolutions {
                let is_it = match (self, resolution) {
                    (Meaning::Local, Resolution::Local(local)) => view.local(*local) == symbol,
                    (Meaning::Global(it), other) => it == other,
                    (Meaning::Type(key), Resolution::Record { ty }) => key == ty,
                    _ => false,
                };
                if is_it {
                    found.push(view.local(*node));
                }
            }
        }
        if let Meaning::Type(_) = self {
            let types = (0..module.ast.nodes().len() as u32).map(NodeId);
            found.extend(types.filter(|it| is_type(&module.ast, *it, name)));
        }
        found
    }
}

/// Whether a declared type is meant by its name here, and no type parameter.
fn is_type(ast: &Ast, node: NodeId, name: &Name) -> bool {
    let AstKind::Type(Type::Named { name: it, .. }) = &ast.node(node).kind else { return false };
    it == name && declaration(ast, node).is_some_and(|it| !has_type_param(ast, it, name))
}

fn has_type_param(ast: &Ast, decl: DeclId, name: &Name) -> bool {
    let mut nodes = ast.subtree(decl).map(|it| &ast.node(NodeId(it)).kind);
    nodes.any(|it| matches!(it, AstKind::TypeParam(it) if it.name == *name))
}

fn refuse_use_elsewhere(checked: &Checked, module: usize, name: &Name) -> Result<(), RenameError> {
    let others = checked.modules.iter().enumerate().filter(|it| it.0 != module);
    for (_, other) in others {
        let mut used = other.bodies.values().flat_map(|it| it.uses().names());
        let is_it = |it: &NameUse| {
            let (NameUse::Value(it)
            | NameUse::Type(it)
            | NameUse::Member { name: it, .. }
            | NameUse::MemberType { name: it, .. }) = it;
            it == name
        };
        let imports = other
            .ast
            .declarations()
            .iter()
            .any(|it| matches!(other.ast.decl(*it), Decl::Use(it) if it.items.contains(name)));
        if imports || used.any(is_it) {
            let (name, file) = (name.clone(), other.file.clone());
            return Err(RenameError::UsedElsewhere { name, file });
        }
    }
    Ok(())
}

/// What every name means, by node of the tree before.
fn meanings(
    module: &CheckedModule,
    origin: &dyn Fn(NodeId) -> Option<NodeId>,
    change: &dyn Fn(&Resolution) -> Resolution,
) -> BTreeMap<Option<NodeId>, Result<Option<NodeId>, Resolution>> {
    let mut all = BTreeMap::new();
    for body in module.bodies.values() {
        let view = body.view();
        for (node, resolution) in &view.body.resolutions {
            let meaning = match resolution {
                Resolution::Local(local) => Ok(origin(view.local(*local))),
                other => Err(change(other)),
            };
            all.insert(origin(view.local(*node)), meaning);
        }
    }
    all
}

/// The same meaning after a name of a file has changed.
fn renamed(it: &Resolution, file: &Name, old: &Name, new: &Name) -> Resolution {
    let key = |it: &TypeKey| match it.module == *file && it.name == *old {
        true => TypeKey { module: file.clone(), name: new.clone() },
        false => it.clone(),
    };
    match it {
        Resolution::Fn { module, name } if module == file && name == old => {
            Resolution::Fn { module: module.clone(), name: new.clone() }
        }
        Resolution::Variant { ty, variant } => {
            Resolution::Variant { ty: key(ty), variant: *variant }
        }
        Resolution::Record { ty } => Resolution::Record { ty: key(ty) },
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clank::check;
    use clank::testing::{program, program_of};

    /// The program after the name that is first declared as `old` was changed to `new`, or why it cannot be.
    fn after(program: &Program, old: &str, new: &str) -> String {
        let checked = check(program, None);
        let module = checked.modules.len() - 1;
        let in_module = &checked.modules[module];
        let ast = &in_module.ast;
        let is_it = |it: &NodeId| {
            Meaning::of(in_module, *it).is_some()
                && patch::name_at(ast, *it).is_some_and(|it| it == old)
        };
        let nodes = (0..ast.nodes().len() as u32).map(NodeId);
        let symbol = nodes.into_iter().find(is_it).expect("the name is declared");
        let op = PatchOp::Rename { symbol_id: ast.ids().id(symbol), new_name: Name::new(new) };
        match expand(program, &checked, module, &[op]) {
            Ok(ops) => {
                clank_syntax::print(&patch::apply(ast, &ops).expect("the patch can be applied"))
            }
            Err(error) => error.to_string(),
        }
    }

    #[track_caller]
    fn renames(text: &str, old: &str, new: &str, expected: &str) {
        let found = after(&program(text), old, new);
        assert_eq!(found.split_whitespace().collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn a_local_is_renamed_where_it_is_meant_and_nowhere_else() {
        renames(
            "fn f(n: Int) -> Int { let m = n; { let n = 2; n + m } + n }",
            "n",
            "k",
            "fn f(k: Int) -> Int { let m = k; ({ let n = 2; n + m }) + k }",
        );
    }

    #[test]
    fn a_function_a_variant_and_a_type_are_renamed_wherever_they_are_used() {
        let text = "sum S { A, B(Int) } fn f(s: S) -> S { match s { A -> f(s), B(n) -> B(n) } }";
        renames(
            text,
            "f",
            "g",
            "sum S { A, B(Int), } fn g(s: S) -> S { match s { A -> g(s), B(n) -> B(n), } }",
        );
        renames(
            text,
            "B",
            "C",
            "sum S { A, C(Int), } fn f(s: S) -> S { match s { A -> f(s), C(n) -> C(n), } }",
        );
        renames(
            text,
            "S",
            "T",
            "sum T { A, B(Int), } fn f(s: T) -> T { match s { A -> f(s), B(n) -> B(n), } }",
        );
    }

    #[test]
    fn a_name_that_would_catch_another_one_or_be_caught_is_refused() {
        let refusal = "the name `m` would change what another name refers to";
        renames("fn f(n: Int, m: Int) -> Int { n + m }", "n", "m", refusal);
        renames("fn f(n: Int) -> Int { let m = 1; n + m }", "n", "m", refusal);
        renames("fn m() -> Int { 1 } fn f(n: Int) -> Int { n + m() }", "n", "m", refusal);
    }

    #[test]
    fn what_another_file_uses_is_not_renamed_in_one() {
        let text =
            "//- z.clank\nuse a.{f}\nfn g() -> Int { f() }\n//- a.clank\nfn f() -> Int { 1 }\n";
        let program = program_of(text);
        let checked = check(&program, None);
        let module =
            checked.modules.iter().position(|it| it.file == "a.clank").expect("it is there");
        let ast = &checked.modules[module].ast;
        let symbol_id = ast.ids().id(ast.declarations()[0]);
        let op = PatchOp::Rename { symbol_id, new_name: Name::new("h") };
        let error = expand(&program, &checked, module, &[op]).expect_err("it is used elsewhere");
        assert_eq!(error.to_string(), "`f` is used in z.clank, too");
    }
}
