//! The JSON Schemas of all that regreen reads and writes.

/// A published schema.
#[derive(Clone, Debug)]
pub struct FormatSchema {
    /// Its name.
    pub name: &'static str,
    /// What it describes, in a few words.
    pub about: &'static str,
    /// The schema itself.
    pub schema: serde_json::Value,
}

/// The names of all schemas, in the order of [`schemas`]. Making a schema takes longer than knowing its name.
pub const SCHEMA_NAMES: [&str; 29] = [
    "baseline",
    "changeset",
    "clank-ast",
    "compile-diagnostics",
    "compile-result",
    "config",
    "dds",
    "dds-reports",
    "edits",
    "fix-actions",
    "pack",
    "repairs",
    "apply-report",
    "build-report",
    "check-report",
    "convert-report",
    "dds-report",
    "explain-report",
    "failure-report",
    "fix-report",
    "init-report",
    "log-report",
    "pack-report",
    "plan-report",
    "recover-report",
    "rules-report",
    "schemas-report",
    "trust-report",
    "undo-report",
];

/// All schemas: what regreen reads first, then what it writes, by name.
pub fn schemas() -> Vec<FormatSchema> {
    let reports =
        protocol::v1::schemas().into_iter().map(|(name, schema)| (name, schema.to_value()));
    let ast = [("clank-ast", clank_syntax::json::schema()), ("pack", pack::manifest_schema())];
    let all = patch::v1::schemas().into_iter().chain(reports).chain(ast).chain(govern::schemas());
    let mut all: Vec<FormatSchema> =
        all.map(|(name, schema)| FormatSchema { name, about: about(name), schema }).collect();
    all.sort_by_key(|it| (it.name.ends_with("-report"), it.name));
    all
}

fn about(name: &str) -> &'static str {
    match name {
        "baseline" => "the file of the findings that were there before",
        "config" => "regreen.toml",
        "build-report" => "what `build` prints with --format json",
        "clank-ast" => {
            "a Clank program as a tree: what `compile` reads with --input ast, and prints with --emit ast"
        }
        "compile-diagnostics" => "what `compile` prints with --emit diagnostics",
        "compile-result" => "what `compile` prints",
        "changeset" => "a patch document: one ordered list of operations, all or nothing",
        "fix-actions" => "a patch document: fix actions, each all or nothing",
        "dds" => "proposals: what `dds add` reads, and `dds export` and `dds import` exchange",
        "dds-reports" => "the reports of runs that `dds export` and `dds import` exchange",
        "dds-report" => "what `dds` commands print with --format json",
        "edits" => "a patch document: byte edits, bound to the hashes of the files",
        "apply-report" => "what `validate` and `apply` print with --format json",
        "repairs" => {
            "what `check` and `plan` print with --format repairs: the list of repair candidates"
        }
        "check-report" => "what `check` prints with --format json",
        "explain-report" => "what `explain RULE` prints with --format json",
        "fix-report" => "what `fix` prints with --format json",
        "init-report" => "what `init` prints with --format json",
        "plan-report" => "what `plan` prints with --format json",
        "rules-report" => "what `explain` prints with --format json",
        "convert-report" => "what `convert` prints with --format json",
        "failure-report" => {
            "what every command prints with --format json when it cannot do its work or may not"
        }
        "log-report" => "what `log` prints with --format json",
        "recover-report" => "what `recover` prints with --format json",
        "pack" => "pack.yaml, which says what a rule pack is about",
        "pack-report" => "what `pack` prints with --format json",
        "schemas-report" => "what `schemas` prints with --format json",
        "trust-report" => "what `trust` prints with --format json",
        "undo-report" => "what `undo` prints with --format json",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_has_a_name_and_a_word_about_it() {
        let schemas = schemas();
        assert_eq!(schemas.iter().map(|it| it.name).collect::<Vec<_>>(), SCHEMA_NAMES);
        assert!(schemas.iter().all(|it| !it.about.is_empty()));
    }
}
