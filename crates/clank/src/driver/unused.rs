//! Imports that nobody uses (W0002).

use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use crate::code::Code;
use crate::collect::Collected;
use crate::diagnostic::{Diagnostic, Structured};
use crate::uses::{NameUse, NameUses};

/// W0002 at every `use` of which a name is not used, with the names.
pub(super) fn unused_imports<'a>(
    collected: &'a Collected,
    bodies: impl Iterator<Item = &'a NameUses>,
) -> Vec<Diagnostic> {
    if collected.imports.is_empty() {
        return Vec::new();
    }
    let imported = collected.imports.iter().flat_map(|it| &it.names).flat_map(|it| &it.1);
    let mut is_used: FxHashMap<&NameUse, bool> = imported.map(|it| (it, false)).collect();
    for it in bodies.chain([&collected.findings.uses]).flat_map(NameUses::in_any_order) {
        if let Some(is_used) = is_used.get_mut(it) {
            *is_used = true;
        }
    }
    let mut diagnostics = Vec::new();
    for import in &collected.imports {
        let is_unused = |uses: &[NameUse]| !uses.iter().any(|it| is_used[it]);
        let unused: Vec<&str> = import
            .names
            .iter()
            .filter(|(_, uses)| is_unused(uses))
            .map(|(name, _)| name.as_str())
            .collect();
        let quoted: Vec<String> = unused.iter().map(|it| format!("`{it}`")).collect();
        let message = match quoted.as_slice() {
            [] => continue,
            [only] => format!("{only} is imported but never used"),
            [others @ .., last] => {
                format!("{} and {last} are imported but never used", others.join(", "))
            }
        };
        let names: Vec<Json> = unused.iter().map(|it| Json::from(*it)).collect();
        diagnostics.push(
            Diagnostic::new(Code::W0002, import.node, message)
                .help("remove what is not used")
                .with(Structured::new("unused_import").member("names", names)),
        );
    }
    diagnostics
}
