//! Imports that nobody uses (W0002).

use rustc_hash::FxHashSet;
use serde_json::Value as Json;

use crate::code::Code;
use crate::collect::Collected;
use crate::diagnostic::{Diagnostic, Structured};
use crate::uses::{Use, Uses};

/// W0002 at every `use` of which a name is not used, with the names.
pub(super) fn unused_imports<'a>(
    collected: &'a Collected,
    bodies: impl Iterator<Item = &'a Uses>,
) -> Vec<Diagnostic> {
    if collected.imports.is_empty() {
        return Vec::new();
    }
    let all = bodies.chain([&collected.findings.uses]);
    let used: FxHashSet<&Use> = all.flat_map(Uses::names).collect();
    let mut diagnostics = Vec::new();
    for import in &collected.imports {
        let is_unused = |uses: &[Use]| !uses.iter().any(|it| used.contains(it));
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
