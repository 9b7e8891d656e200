//! The tools that build and lint a release. They come from PyPI by version and hash into a virtual environment under
//! `target/`, so that nothing has to be installed by hand and nothing outside that folder changes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::{command, execute, report};

/// Versions and hashes, in the form that `pip` reads.
const REQUIREMENTS: &str = include_str!("../../../packaging/tools.txt");

#[derive(Clone, Debug)]
pub(crate) struct Tools {
    folder: PathBuf,
}

/// A tool as the requirements name it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PinnedTool {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) sha256: String,
}

impl Tools {
    /// Installs the tools below `target`, where they are not there already.
    pub(crate) fn install(target: &Path) -> Result<Tools> {
        let tools = Tools { folder: target.join("dist-tools") };
        let stamp = tools.folder.join("requirements.txt");
        if fs::read_to_string(&stamp).is_ok_and(|it| it == REQUIREMENTS) {
            return Ok(tools);
        }
        report("dist: installing the tools of packaging/tools.txt");
        fs::create_dir_all(target)?;
        execute(command("python3", target).args(["-m", "venv", "--clear"]).arg(&tools.folder))
            .context("dist needs python3 with the module `venv`")?;
        let requirements = tools.folder.join("wanted.txt");
        fs::write(&requirements, REQUIREMENTS)?;
        execute(
            command("python3", target)
                .env("PATH", tools.path()?)
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .args(["--no-deps", "--require-hashes", "--only-binary", ":all:", "--requirement"])
                .arg(&requirements),
        )?;
        fs::rename(requirements, stamp)?;
        Ok(tools)
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.folder.join("bin").join(name)
    }

    /// The search path with the tools in front.
    pub(crate) fn path(&self) -> Result<std::ffi::OsString> {
        let rest = std::env::var_os("PATH").unwrap_or_default();
        let folders = [self.folder.join("bin")].into_iter().chain(std::env::split_paths(&rest));
        std::env::join_paths(folders).context("a folder of PATH contains a colon")
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// The tools that are asked for.
pub(crate) fn pinned() -> Vec<PinnedTool> {
    REQUIREMENTS.lines().filter(|line| !line.starts_with('#')).filter_map(parse).collect()
}

fn parse(line: &str) -> Option<PinnedTool> {
    let (name, rest) = line.split_once("==")?;
    let (version, sha256) = rest.split_once(" --hash=sha256:")?;
    Some(PinnedTool {
        name: name.to_owned(),
        version: version.to_owned(),
        sha256: sha256.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_pinned_by_hash() {
        let lines = REQUIREMENTS.lines().filter(|line| !line.starts_with('#'));
        let pinned = pinned();
        assert_eq!(pinned.len(), lines.count());
        assert!(pinned.iter().any(|it| it.name == "ziglang"));
        assert!(pinned.iter().all(|it| it.sha256.len() == 64), "{pinned:?}");
    }
}
