//! The first pass: which declaration every name means.

use std::collections::BTreeMap;

use clank_syntax::TokenKind;
use clank_syntax::ast::{Decl, DeclId, Name, NodeId, TypeParamId, VariantId};

use super::{Collected, Collector, Origin};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::env::Value;
use crate::program::ImportTarget;

impl Collector<'_> {
    pub(super) fn declare<'a>(
        &mut self,
        decl: DeclId,
        targets: &BTreeMap<DeclId, ImportTarget>,
        imported: &impl Fn(&str) -> Option<&'a Collected>,
    ) {
        let ast = self.ast;
        let node = decl.node();
        match ast.decl(decl) {
            Decl::Fn(it) => self.declare_value(&it.name, node, "the function"),
            Decl::ExternalFn(it) => self.declare_value(&it.name, node, "the function"),
            Decl::ExternalMod { name, .. } => {
                self.declare_value(name, node, "the module");
                self.bind_value(name, node, Value::HostModule { name: name.clone() });
                self.exported.remove(name);
            }
            Decl::TypeAlias { name, .. } => self.declare_type(name, node),
            Decl::Rec { name, .. } => {
                self.declare_type(name, node);
                if self.is_type(name, node) {
                    self.declare_value(name, node, "the constructor");
                }
            }
            Decl::Sum { name, variants, .. } => {
                self.declare_type(name, node);
                if self.is_type(name, node) {
                    self.declare_variants(name, variants);
                }
            }
            Decl::Use(it) if it.is_external => self.use_external(node, it),
            Decl::Use(it) => {
                if let Some(target) = targets.get(&decl) {
                    self.use_module(node, it, target, imported);
                }
            }
            Decl::Mod { .. } | Decl::Error { .. } => {}
        }
    }

    /// The first declaration of a name is the one that is meant.
    pub(super) fn declare_value(&mut self, name: &Name, node: NodeId, what: &str) {
        match self.values.get(name).map(|it| it.node) {
            Some(first) => self.duplicate(name, node, first, what),
            None => {
                self.values.insert(name.clone(), Origin { node, sum: None });
                self.env.values.insert(name.clone(), Value::Unknown);
            }
        }
    }

    pub(super) fn declare_type(&mut self, name: &Name, node: NodeId) {
        match self.types.get(name).copied() {
            Some(first) => {
                self.duplicate(name, node, first, "the type");
                self.hidden_types.insert(node);
            }
            None => {
                self.types.insert(name.clone(), node);
            }
        }
    }

    /// The last sum with a variant of that name is the one that is meant.
    fn declare_variants(&mut self, sum: &Name, variants: &[VariantId]) {
        for id in variants {
            let name = &self.ast.variant(*id).name;
            self.declare_variant(name, id.node(), sum);
        }
    }

    pub(super) fn declare_variant(&mut self, name: &Name, node: NodeId, sum: &Name) {
        match self.values.get(name).cloned() {
            Some(Origin { node: first, sum: Some(original) }) if original != *sum => {
                self.findings.diagnostics.push(
                    Diagnostic::new(
                        Code::W0006,
                        node,
                        format!("`{name}` is a variant of `{original}` too; here it means that of `{sum}`"),
                    )
                    .help("rename one of the two variants")
                    .related(first, format!("`{name}` of `{original}`"))
                    .with(
                        Structured::new("duplicate_variant")
                            .member("variantName", name.as_str())
                            .member("originalType", original.as_str()),
                    ),
                );
                self.values.insert(name.clone(), Origin { node, sum: Some(sum.clone()) });
            }
            Some(Origin { node: first, .. }) => self.duplicate(name, node, first, "the variant"),
            None => {
                self.values.insert(name.clone(), Origin { node, sum: Some(sum.clone()) });
            }
        }
    }

    /// E1002 for names that must differ among themselves. What has no name because it cannot be read is called `_`.
    pub(super) fn distinct<'n>(
        &mut self,
        names: impl Iterator<Item = (&'n Name, NodeId)>,
        what: &str,
    ) {
        let mut seen = BTreeMap::new();
        for (name, node) in names.filter(|it| it.0 != "_") {
            if let Some(first) = seen.get(name).copied() {
                self.duplicate(name, node, first, what);
            } else {
                seen.insert(name, node);
            }
        }
    }

    /// The names of type parameters, each of which must differ from the others.
    pub(super) fn type_params(&mut self, params: &[TypeParamId]) -> Vec<Name> {
        let ast = self.ast;
        self.distinct(
            params.iter().map(|it| (&ast.type_param(*it).name, it.node())),
            "the type parameter",
        );
        params.iter().map(|it| ast.type_param(*it).name.clone()).collect()
    }
}

/// The names that a text seems to declare: the one after the keyword, and constructors.
pub(super) fn declared_in(source: &str) -> Vec<Name> {
    let (tokens, _) = clank_syntax::lex(source);
    let mut names = Vec::new();
    let mut after_keyword = false;
    for index in 0..tokens.len() {
        let kind = tokens.kind(index);
        if kind.is_trivia() {
            continue;
        }
        match kind {
            TokenKind::TypeIdent => names.push(Name::new(tokens.text(index))),
            TokenKind::Ident if after_keyword => names.push(Name::new(tokens.text(index))),
            _ => {}
        }
        after_keyword = matches!(kind, TokenKind::Fn | TokenKind::Mod | TokenKind::Use);
    }
    names.sort_unstable();
    names.dedup();
    names
}
