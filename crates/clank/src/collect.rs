//! What a module declares, and what its bodies can see: names first, then types, then signatures (row 15), so that
//! declarations may refer to one another in any order.
//!
//! Values and types are two namespaces; constructors are values (row 28). A name that is declared twice means the first
//! declaration, except that a variant's name means the last sum that has it (W0006). Importing a sum by its name also
//! brings its variants. What is broken here is reported here, and its name means "unknown" to everybody else.

mod imports;
mod kept;
mod names;
mod signatures;
#[cfg(test)]
mod tests;
mod types;

pub(crate) use signatures::function_signature;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use clank_syntax::ast::{Ast, Decl, Name, NodeId};
use rustc_hash::FxHashMap;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::env::{Env, Exports, TypeEntry, Value};
use crate::prelude::prelude;
use crate::program::{ImportTarget, Module};
use crate::resolve::{Findings, is_primitive};
use crate::uses::NameUse;

/// What is known about a module before its bodies are looked at.
#[derive(Debug)]
pub(crate) struct Collected {
    /// What its bodies see.
    pub(crate) env: Arc<Env>,
    /// What others see.
    pub(crate) exports: Arc<Exports>,
    /// What is wrong, and which names its types and signatures look at.
    pub(crate) findings: Findings,
    /// What its uses bind.
    pub(crate) imports: Vec<Import>,
    /// Type declarations whose name means another one.
    pub(crate) hidden_types: BTreeSet<NodeId>,
}

/// What one `use` binds.
#[derive(Debug)]
pub(crate) struct Import {
    /// The `use`.
    pub(crate) node: NodeId,
    /// Each name with what counts as using it.
    pub(crate) names: Vec<(Name, Vec<NameUse>)>,
}

/// Collects one module. `imported` gives the modules that it imports, by file.
pub(crate) fn collect<'a>(
    module: &Module,
    targets: &std::collections::BTreeMap<clank_syntax::ast::DeclId, ImportTarget>,
    imported: impl Fn(&str) -> Option<&'a Collected>,
) -> Collected {
    let mut env = prelude().clone();
    env.module = module.file.clone();
    let mut collector = Collector {
        ast: &module.ast,
        env,
        findings: Findings::default(),
        imports: Vec::new(),
        values: FxHashMap::default(),
        types: FxHashMap::default(),
        exported: FxHashMap::default(),
        exported_types: BTreeMap::new(),
        hidden_types: BTreeSet::new(),
    };
    collector.lost_names();
    for decl in module.ast.declarations() {
        collector.declare(*decl, targets, &imported);
    }
    collector.declare_types();
    collector.declare_signatures();
    let exports = Exports {
        values: collector.exported.into_iter().collect(),
        types: collector.exported_types,
    };
    Collected {
        env: Arc::new(collector.env),
        exports: Arc::new(exports),
        findings: collector.findings,
        imports: collector.imports,
        hidden_types: collector.hidden_types,
    }
}

/// Whether every module knows a type of that name.
fn is_known_type(name: &str) -> bool {
    prelude().types.contains_key(name) || is_primitive(name)
}

struct Collector<'a> {
    ast: &'a Ast,
    env: Env,
    findings: Findings,
    imports: Vec<Import>,
    /// Which declaration a name means as a value.
    values: FxHashMap<Name, Origin>,
    /// Which declaration a name means as a type.
    types: FxHashMap<Name, NodeId>,
    /// What others see, as values: sorted when all of it is known.
    exported: FxHashMap<Name, Value>,
    exported_types: BTreeMap<Name, TypeEntry>,
    hidden_types: BTreeSet<NodeId>,
}

/// Where a value's name comes from.
#[derive(Clone, PartialEq, Debug)]
struct Origin {
    /// The declaration or variant, or the `use` that brings it.
    node: NodeId,
    /// The sum, if it is a variant.
    sum: Option<Name>,
}

impl Collector<'_> {
    /// Declarations that could not be read still keep their names from being reported as unknown.
    fn lost_names(&mut self) {
        let ast = self.ast;
        for decl in ast.declarations() {
            let Decl::Error { source } = ast.decl(*decl) else { continue };
            for name in names::declared_in(source) {
                if !is_known_type(&name) {
                    self.env.types.insert(name.clone(), TypeEntry::Unknown);
                    self.exported_types.insert(name.clone(), TypeEntry::Unknown);
                }
                if !prelude().values.contains_key(&name) {
                    self.env.values.insert(name.clone(), Value::Unknown);
                    self.exported.insert(name, Value::Unknown);
                }
            }
        }
    }

    fn is_value(&self, name: &str, node: NodeId) -> bool {
        self.values.get(name).is_some_and(|it| it.node == node)
    }

    fn is_type(&self, name: &str, node: NodeId) -> bool {
        self.types.get(name) == Some(&node)
    }

    /// Binds a name of the module as a value, if `node` is what it means.
    fn bind_value(&mut self, name: &Name, node: NodeId, value: Value) {
        if self.is_value(name, node) {
            self.env.values.insert(name.clone(), value.clone());
            self.exported.insert(name.clone(), value);
        }
    }

    /// E1002.
    fn duplicate(&mut self, name: &str, node: NodeId, first: NodeId, what: &str) {
        self.findings.diagnostics.push(
            Diagnostic::new(Code::E1002, node, format!("{what} `{name}` is defined twice"))
                .help("rename one of the two, or remove it")
                .related(first, format!("`{name}` is defined here first"))
                .with(Structured::new("duplicate_definition").member("name", name)),
        );
    }
}
