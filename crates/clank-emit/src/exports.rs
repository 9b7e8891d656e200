//! The names under which a module exports what Clank keeps apart but JavaScript does not: variants of several sums with
//! one name, and the functions of external modules.

use clank_syntax::ast::{Ast, Decl, Name};
use rustc_hash::{FxHashMap, FxHashSet};

/// The names of the exports that are not called as they are declared.
#[derive(Debug, Default)]
pub(crate) struct ExportNames {
    /// By sum and variant: the constructor.
    variants: FxHashMap<(Name, u32), Name>,
    /// By external module and function.
    members: FxHashMap<(Name, Name), Name>,
}

impl ExportNames {
    /// No two declarations get one name: functions, externals and records keep theirs, the rest gives way.
    pub(crate) fn new(ast: &Ast) -> ExportNames {
        let mut taken: FxHashSet<Name> = FxHashSet::default();
        for decl in ast.declarations() {
            match ast.decl(*decl) {
                Decl::Fn(it) => taken.insert(it.name.clone()),
                Decl::ExternalFn(it) => taken.insert(it.name.clone()),
                Decl::ExternalMod { name, .. } | Decl::Rec { name, .. } => {
                    taken.insert(name.clone())
                }
                _ => false,
            };
        }
        let own = |ast: &Ast| {
            let sums = ast.declarations().iter().filter_map(|it| match ast.decl(*it) {
                Decl::Sum { variants, .. } => Some(variants),
                _ => None,
            });
            sums.flatten().map(|it| ast.variant(*it).name.clone()).collect::<FxHashSet<_>>()
        };
        let declared = own(ast);
        let mut exported = ExportNames::default();
        exported.add_variants(ast, &mut taken, &declared);
        exported.add_members(ast, &mut taken);
        exported
    }

    /// The name of a variant's constructor.
    pub(crate) fn variant(&self, sum: &Name, variant: u32) -> Option<&Name> {
        self.variants.get(&(sum.clone(), variant))
    }

    /// The name of the function that stands for a function of an external module.
    pub(crate) fn member(&self, namespace: &Name, name: &Name) -> Option<&Name> {
        self.members.get(&(namespace.clone(), name.clone()))
    }

    /// The first variant with a name keeps it; later ones have their sum's name added.
    fn add_variants(&mut self, ast: &Ast, taken: &mut FxHashSet<Name>, declared: &FxHashSet<Name>) {
        for decl in ast.declarations() {
            let Decl::Sum { name: sum, variants, .. } = ast.decl(*decl) else { continue };
            for (index, variant) in variants.iter().enumerate() {
                let own = &ast.variant(*variant).name;
                let exported = match taken.contains(own) {
                    false => own.clone(),
                    true => {
                        let wanted = format!("{own}_{sum}");
                        free(&wanted, |it| taken.contains(it) || declared.contains(it))
                    }
                };
                taken.insert(exported.clone());
                self.variants.insert((sum.clone(), index as u32), exported);
            }
        }
    }

    fn add_members(&mut self, ast: &Ast, taken: &mut FxHashSet<Name>) {
        for decl in ast.declarations() {
            let Decl::ExternalMod { name: namespace, functions, .. } = ast.decl(*decl) else {
                continue;
            };
            for function in functions {
                let Decl::ExternalFn(it) = ast.decl(*function) else { continue };
                let key = (namespace.clone(), it.name.clone());
                self.members.entry(key).or_insert_with(|| {
                    let wanted = format!("{namespace}_{}", it.name);
                    let exported = free(&wanted, |it| taken.contains(it));
                    taken.insert(exported.clone());
                    exported
                });
            }
        }
    }
}

/// The name itself if it is free, else the first of `name2`, `name3`, … that is.
fn free(name: &str, is_taken: impl Fn(&str) -> bool) -> Name {
    let numbered = (2_u32..).map(|it| Name::from(format!("{name}{it}")));
    let mut names = std::iter::once(Name::new(name)).chain(numbered);
    names.find(|it| !is_taken(it)).unwrap_or_else(|| Name::new(name))
}
