//! What a `use` binds, and what is wrong with it.

use clank_syntax::ast::{Name, NodeId, UseDecl};
use clank_syntax::is_value_name;
use rustc_hash::FxHashSet;
use serde_json::Value as Json;
use std::sync::Arc;

use super::{Collected, Collector, Import};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::env::{TypeBody, TypeDef, TypeEntry, Value};
use crate::program::ImportTarget;
use crate::similar::similar;
use crate::uses::NameUse;

impl Collector<'_> {
    /// `use external "m" as n`: a module of the host. `as _` only loads it.
    pub(super) fn use_external(&mut self, node: NodeId, it: &UseDecl) {
        let Some(name) = it.alias.as_ref().or(it.path.last()) else { return };
        if !is_value_name(name) {
            return;
        }
        self.declare_value(name, node, "the module");
        if self.is_value(name, node) {
            self.env.values.insert(name.clone(), Value::HostModule { name: name.clone() });
            let names = vec![(name.clone(), vec![NameUse::Value(name.clone())])];
            self.imports.push(Import { node, names });
        }
    }

    /// `use a.b`, `use a.b as c`, `use a.b.{f, T}`.
    pub(super) fn use_module<'a>(
        &mut self,
        node: NodeId,
        it: &UseDecl,
        target: &ImportTarget,
        imported: &impl Fn(&str) -> Option<&'a Collected>,
    ) {
        let found = match target {
            ImportTarget::Module(file) => imported(file).map(|collected| (file, collected)),
            ImportTarget::Unreadable => None,
            ImportTarget::Missing { similar } => {
                self.findings.diagnostics.push(no_module(node, &it.path.join("."), similar));
                None
            }
            ImportTarget::Cycle(files) => {
                self.findings.diagnostics.push(import_cycle(node, &it.path.join("."), files));
                None
            }
        };
        let mut names = Vec::new();
        if it.items.is_empty() || it.alias.is_some() {
            let name = it.alias.as_ref().or(it.path.last());
            let value = match &found {
                Some((file, _)) => Value::Module { file: Name::clone(file) },
                None => Value::Unknown,
            };
            if let Some(name) = name.filter(|it| *it != "_")
                && self.import_value(name, node, value)
            {
                names.push((name.clone(), vec![NameUse::Value(name.clone())]));
            }
        }
        let Some((file, collected)) = found else {
            for item in &it.items {
                self.import_value(item, node, Value::Unknown);
                self.import_type(item, node, TypeEntry::Unknown);
            }
            return;
        };
        self.env.modules.insert(file.clone(), Arc::clone(&collected.exports));
        for (key, def) in sorted_defs(collected) {
            self.env.defs.entry(key.clone()).or_insert_with(|| Arc::clone(def));
        }
        let mut seen = FxHashSet::default();
        for item in &it.items {
            if !seen.insert(item) {
                self.findings.diagnostics.push(imported_twice(node, item));
                continue;
            }
            let uses = self.use_item(node, item, &it.path.join("."), collected);
            names.extend(uses.map(|it| (item.clone(), it)));
        }
        self.imports.push(Import { node, names });
    }

    /// One name in braces. Returns what counts as using it, or nothing if it is broken.
    fn use_item(
        &mut self,
        node: NodeId,
        item: &Name,
        module: &str,
        collected: &Collected,
    ) -> Option<Vec<NameUse>> {
        let value = collected.exports.values.get(item).cloned();
        let ty = collected.exports.types.get(item).cloned();
        if value.is_none() && ty.is_none() {
            self.findings.diagnostics.push(no_item(node, item, module, collected));
            self.import_value(item, node, Value::Unknown);
            self.import_type(item, node, TypeEntry::Unknown);
            return None;
        }
        let is_broken =
            matches!(value, Some(Value::Unknown)) || matches!(ty, Some(TypeEntry::Unknown));
        let mut uses = Vec::new();
        let mut is_bound = true;
        if let Some(value) = value {
            is_bound &= self.import_value(item, node, value);
            uses.push(NameUse::Value(item.clone()));
        }
        if let Some(ty) = ty {
            if is_bound
                && let TypeEntry::Def(def) = &ty
                && let TypeBody::Sum(_) = def.shape
            {
                self.import_variants(node, def, &mut uses);
            }
            is_bound &= self.import_type(item, node, ty);
            uses.push(NameUse::Type(item.clone()));
        }
        (is_bound && !is_broken).then_some(uses)
    }

    /// The variants of a sum that is imported by its name, except where the module has something else of that name.
    fn import_variants(&mut self, node: NodeId, def: &Arc<TypeDef>, uses: &mut Vec<NameUse>) {
        let TypeBody::Sum(variants) = &def.shape else { return };
        for (index, variant) in variants.iter().enumerate() {
            let name = &variant.name;
            let is_taken = self.values.get(name).is_some_and(|it| it.sum.is_none());
            let is_own = self.values.get(name).is_some_and(|it| it.node == node);
            if is_taken || is_own {
                continue;
            }
            self.declare_variant(name, node, &def.key.name);
            let value = Value::Variant { def: Arc::clone(def), variant: index as u32 };
            self.env.values.insert(name.clone(), value);
            uses.push(NameUse::Value(name.clone()));
        }
    }

    fn import_value(&mut self, name: &Name, node: NodeId, value: Value) -> bool {
        // One `use` may bring a name twice, as a variant and by itself.
        if !self.is_value(name, node) {
            match &value {
                Value::Variant { def, .. } => {
                    let sum = def.key.name.clone();
                    self.declare_variant(name, node, &sum);
                }
                _ => self.declare_value(name, node, "the name"),
            }
        }
        let is_bound = self.is_value(name, node);
        if is_bound {
            self.env.values.insert(name.clone(), value);
        }
        is_bound
    }

    fn import_type(&mut self, name: &Name, node: NodeId, ty: TypeEntry) -> bool {
        if !self.is_type(name, node) {
            self.declare_type(name, node);
        }
        let is_bound = self.is_type(name, node);
        if is_bound {
            self.env.types.insert(name.clone(), ty);
        }
        is_bound
    }
}

/// Sorted only because a hash map has no order of its own; what comes of it does not depend on the order.
fn sorted_defs(collected: &Collected) -> Vec<(&crate::ty::TypeKey, &Arc<TypeDef>)> {
    let mut defs: Vec<_> = collected.env.defs.iter().collect();
    defs.sort_unstable_by_key(|it| it.0);
    defs
}

fn names(list: &[Name]) -> Vec<Json> {
    list.iter().map(|it| Json::from(it.as_str())).collect()
}

/// E1002.
fn imported_twice(node: NodeId, item: &Name) -> Diagnostic {
    Diagnostic::new(Code::E1002, node, format!("`{item}` is imported twice here"))
        .help("remove one of the two")
        .with(Structured::new("duplicate_definition").member("name", item.as_str()))
}

/// E1004.
fn no_module(node: NodeId, path: &str, similar: &[Name]) -> Diagnostic {
    let missing = Diagnostic::new(Code::E1004, node, format!("cannot find module `{path}`"));
    let help = match similar.first() {
        Some(it) => format!("did you mean `{it}`?"),
        None => format!(
            "it would be the file `{}.clank`, beside this one or in a folder above",
            path.replace('.', "/")
        ),
    };
    missing.help(help).with(
        Structured::new("module_not_found").member("name", path).member("similar", names(similar)),
    )
}

/// E1004 for modules that import one another.
fn import_cycle(node: NodeId, path: &str, files: &[Name]) -> Diagnostic {
    let chain: Vec<_> = files.iter().map(|it| format!("`{it}`")).collect();
    let (message, help) = match files {
        [_, _] => ("this module imports itself".to_owned(), "its own names need no `use`"),
        _ => (
            format!("`{path}` imports this module again: {}", chain.join(" imports ")),
            "move what both need into a module of its own",
        ),
    };
    Diagnostic::new(Code::E1004, node, message).help(help).with(
        Structured::new("module_cycle")
            .member("name", path)
            .member("similar", names(&[]))
            .member("cycle", names(files)),
    )
}

/// E1003.
fn no_item(node: NodeId, item: &Name, module: &str, collected: &Collected) -> Diagnostic {
    let exports = &collected.exports;
    let is_type = item.chars().next().is_some_and(char::is_uppercase);
    let values = exports.values.keys().map(|it| (it.as_str(), !is_type));
    let types = exports.types.keys().map(|it| (it.as_str(), is_type));
    let similar = similar(item, values.chain(types));
    let missing =
        Diagnostic::new(Code::E1003, node, format!("the module `{module}` has no `{item}`"));
    let help = similar.first().map(|it| format!("did you mean `{it}`?"));
    Diagnostic { help, ..missing }.with(
        Structured::new("import_not_found")
            .member("name", item.as_str())
            .member("module", module)
            .member("similar", names(&similar)),
    )
}
