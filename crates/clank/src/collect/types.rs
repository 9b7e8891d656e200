//! The second pass: what type declarations stand for.
//!
//! Records and sums are known by name before their fields are looked at, so they may contain one another. Aliases are
//! expanded where they are used, so an alias must not lead to itself (E2008).

use std::sync::Arc;

use clank_syntax::ast::{
    AstKind, Decl, DeclId, Name, NodeId, Type, TypeId, TypeParamId, VariantId,
};
use rustc_hash::FxHashMap;

use super::Collector;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::env::{TypeBody, TypeDef, TypeEntry, Value, VariantDef};
use crate::graph::components;
use crate::resolve::{Binder, TypePosition, TypeScope};
use crate::ty::{Meaning, Ty, TypeKey};

impl<'a> Collector<'a> {
    fn alias(&self, decl: DeclId) -> Option<Alias<'a>> {
        let ast = self.ast;
        match ast.decl(decl) {
            Decl::TypeAlias { name, type_params, ty } => {
                Some(Alias { node: decl.node(), name, type_params, ty: *ty })
            }
            _ => None,
        }
    }

    pub(super) fn declare_types(&mut self) {
        let ast = self.ast;
        let mut aliases = Vec::new();
        for decl in ast.declarations() {
            match ast.decl(*decl) {
                Decl::TypeAlias { name, .. } if self.is_type(name, decl.node()) => {
                    self.env.types.insert(name.clone(), TypeEntry::Unknown);
                    aliases.push(*decl);
                }
                Decl::Rec { name, type_params, .. } | Decl::Sum { name, type_params, .. }
                    if self.is_type(name, decl.node()) =>
                {
                    let params = type_params.iter().map(|it| ast.type_param(*it).name.clone());
                    let def = TypeDef {
                        key: self.key(name),
                        node: Some(decl.node()),
                        params: params.collect(),
                        shape: TypeBody::Opaque,
                    };
                    self.env.types.insert(name.clone(), TypeEntry::Def(Arc::new(def)));
                }
                _ => {}
            }
        }
        self.declare_aliases(&aliases);
        let mut shapes = Vec::new();
        for decl in ast.declarations() {
            if let Some(def) = self.shape(*decl) {
                shapes.push((*decl, Arc::new(def)));
            }
        }
        for (decl, def) in shapes {
            self.bind_shape(decl, def);
        }
    }

    fn key(&self, name: &Name) -> TypeKey {
        TypeKey { module: self.env.module.clone(), name: name.clone() }
    }

    /// Aliases in the order in which they need one another; those that lead to themselves stay unknown.
    fn declare_aliases(&mut self, aliases: &[DeclId]) {
        let aliases: Vec<Alias<'_>> = aliases.iter().filter_map(|it| self.alias(*it)).collect();
        let by_name: FxHashMap<&Name, usize> =
            aliases.iter().enumerate().map(|(index, it)| (it.name, index)).collect();
        let edges: Vec<Vec<usize>> =
            aliases.iter().map(|it| self.aliases_in(it, &by_name)).collect();
        let mut too_large = vec![false; aliases.len()];
        for component in components(&edges) {
            let stands_for_itself =
                component.len() > 1 || edges[component[0]].contains(&component[0]);
            for &index in &component {
                let alias = &aliases[index];
                let entry = if stands_for_itself {
                    self.findings.diagnostics.push(recursive_alias(alias.node, alias.name));
                    TypeEntry::Unknown
                } else {
                    let n_before = self.findings.diagnostics.len();
                    let entry = self.resolve_alias(alias);
                    // What is too large is said once, not again for those who use it.
                    let found = &self.findings.diagnostics[n_before..];
                    too_large[index] = edges[index].iter().any(|it| too_large[*it])
                        || found.iter().any(|it| it.code == Code::E2018);
                    if too_large[index] { TypeEntry::Unknown } else { entry }
                };
                self.env.types.insert(alias.name.clone(), entry.clone());
                self.exported_types.insert(alias.name.clone(), entry);
            }
        }
        for decl in self.hidden_types.clone() {
            if let Some(alias) = DeclId::of(self.ast, decl).and_then(|it| self.alias(it)) {
                self.resolve_alias(&alias);
            }
        }
    }

    fn resolve_alias(&mut self, alias: &Alias<'_>) -> TypeEntry {
        let params = self.constrained_type_params(alias.type_params);
        let scope = TypeScope { ast: self.ast, env: &self.env, type_params: &params };
        let ty = scope.resolve(alias.ty, Binder::NONE, &mut self.findings);
        TypeEntry::Alias { params, ty }
    }

    /// The aliases that an alias mentions outside predicates.
    fn aliases_in(&self, alias: &Alias<'_>, aliases: &FxHashMap<&Name, usize>) -> Vec<usize> {
        let is_param =
            |name: &Name| alias.type_params.iter().any(|it| self.ast.type_param(*it).name == *name);
        let mut found = Vec::new();
        let mut waiting: Vec<NodeId> = vec![alias.ty.node()];
        while let Some(node) = waiting.pop() {
            match &self.ast.node(node).kind {
                AstKind::Type(Type::Named { name, .. }) if !is_param(name) => {
                    found.extend(aliases.get(name));
                }
                AstKind::Type(_) | AstKind::Field(_) => {}
                _ => continue,
            }
            self.ast.for_each_child(node, &mut |child| waiting.push(child));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The names of type parameters. Their constraints must exist, and mean nothing else.
    pub(super) fn constrained_type_params(&mut self, params: &[TypeParamId]) -> Vec<Name> {
        let names = self.type_params(params);
        let scope = TypeScope { ast: self.ast, env: &self.env, type_params: &names };
        for param in params {
            if let Some(constraint) = self.ast.type_param(*param).constraint {
                scope.resolve(constraint, Binder::NONE, &mut self.findings);
            }
        }
        names
    }

    /// What a record or sum is made of.
    fn shape(&mut self, decl: DeclId) -> Option<TypeDef> {
        let ast = self.ast;
        let (name, params, shape) = match ast.decl(decl) {
            Decl::Rec { name, type_params, fields } => {
                let params = self.constrained_type_params(type_params);
                let fields = fields.iter().map(|it| (it.node(), ast.field(*it)));
                self.distinct(fields.clone().map(|(node, it)| (&it.name, node)), "the field");
                let fields = fields.map(|(_, it)| (Some(&it.name), it.ty)).collect::<Vec<_>>();
                let fields = self
                    .fields(&fields, &params)
                    .into_iter()
                    .map(|(name, ty)| (name.expect("fields of records have names"), ty));
                (name, params, TypeBody::Record(fields.collect()))
            }
            Decl::Sum { name, type_params, variants } => {
                let params = self.constrained_type_params(type_params);
                let variants = variants.iter().map(|it| self.variant(*it, &params)).collect();
                (name, params, TypeBody::Sum(variants))
            }
            _ => return None,
        };
        Some(TypeDef { key: self.key(name), node: Some(decl.node()), params, shape })
    }

    fn variant(&mut self, id: VariantId, params: &[Name]) -> VariantDef {
        let ast = self.ast;
        let variant = ast.variant(id);
        let fields = variant.fields.iter().map(|it| (it.node(), ast.variant_field(*it)));
        let named = fields.clone().filter_map(|(node, it)| Some((it.name.as_ref()?, node)));
        self.distinct(named, "the field");
        let fields = fields.map(|(_, it)| (it.name.as_ref(), it.ty)).collect::<Vec<_>>();
        VariantDef { name: variant.name.clone(), fields: self.fields(&fields, params) }
    }

    /// Predicates of a field may mention the other fields.
    fn fields(
        &mut self,
        fields: &[(Option<&Name>, TypeId)],
        params: &[Name],
    ) -> Vec<(Option<Name>, Ty)> {
        let scope = TypeScope { ast: self.ast, env: &self.env, type_params: params };
        let in_scope = |name: &str| {
            let is_field = fields.iter().any(|it| it.0.is_some_and(|it| it == name));
            is_field.then_some(Meaning::Local)
        };
        let resolve = |(name, ty): &(Option<&Name>, TypeId)| {
            let binder = Binder {
                name: name.map(Name::as_str),
                position: TypePosition::Other,
                in_scope: &in_scope,
            };
            (name.cloned(), scope.resolve(*ty, binder, &mut self.findings))
        };
        fields.iter().map(resolve).collect()
    }

    /// Binds the names of a record or sum: the type and its constructors.
    fn bind_shape(&mut self, decl: DeclId, def: Arc<TypeDef>) {
        let name = def.key.name.clone();
        if !self.is_type(&name, decl.node()) {
            return;
        }
        let entry = TypeEntry::Def(Arc::clone(&def));
        self.env.types.insert(name.clone(), entry.clone());
        self.exported_types.insert(name.clone(), entry);
        self.env.defs.insert(def.key.clone(), Arc::clone(&def));
        match self.ast.decl(decl) {
            Decl::Sum { variants, .. } => {
                for (index, id) in variants.iter().enumerate() {
                    let value = Value::Variant { def: Arc::clone(&def), variant: index as u32 };
                    self.bind_value(&self.ast.variant(*id).name, id.node(), value);
                }
            }
            _ => self.bind_value(&name, decl.node(), Value::Record { def }),
        }
    }
}

/// An alias as it is written.
struct Alias<'a> {
    node: NodeId,
    name: &'a Name,
    type_params: &'a [TypeParamId],
    ty: TypeId,
}

/// E2008.
fn recursive_alias(node: NodeId, name: &Name) -> Diagnostic {
    Diagnostic::new(Code::E2008, node, format!("the alias `{name}` refers to itself"))
        .help("declare a `rec` or a `sum`: these may contain themselves")
        .with(Structured::new("recursive_type").member("name", name.as_str()))
}
