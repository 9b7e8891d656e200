//! Peers that are programs: where `peers.sh` put them, or on the search path.

use std::path::{Path, PathBuf};

use crate::peers::ruamel;

/// What to tell somebody who lacks a peer.
pub(crate) const HOW_TO_INSTALL: &str =
    "Install the peers with `crates/bench/peers.sh DIR` and set BENCH_PEERS=DIR.";

/// The program patchloom.
pub(crate) fn patchloom() -> Option<PathBuf> {
    find("bin/patchloom", &["patchloom"])
}

/// A Python that has ruamel.yaml.
pub(crate) fn python_with_ruamel() -> Option<PathBuf> {
    find("python/bin/python", &["python3"]).filter(|python| ruamel::is_there(python))
}

/// The program clang-apply-replacements.
pub(crate) fn clang_apply_replacements() -> Option<PathBuf> {
    find(
        "bin/clang-apply-replacements",
        &["clang-apply-replacements", "clang-apply-replacements-14", "clang-apply-replacements-19"],
    )
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
