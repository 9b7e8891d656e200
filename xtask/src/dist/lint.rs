//! What others' tools say about the files that only run elsewhere: the release workflow, the container file, the package.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::Files;
use super::tools::Tools;
use crate::{execute, report};

/// Lints what is checked in.
pub(crate) fn sources(root: &Path, tools: &Tools) -> Result<()> {
    report("dist: zizmor on the workflows");
    let zizmor = tools.program("zizmor");
    let pedantic = ["--offline", "--quiet", "--persona=pedantic"];
    execute(Command::new(zizmor).current_dir(root).args(pedantic).arg(".github/workflows"))?;
    report("dist: hadolint on the container file");
    let hadolint = tools.program("hadolint");
    execute(Command::new(hadolint).current_dir(root).arg("packaging/container/Containerfile"))?;
    report("dist: node on the launcher");
    execute(
        Command::new("node")
            .current_dir(root)
            .args(["--check", "packaging/npm/regreen/bin/regreen.js"]),
    )
}

/// Lints what was built.
pub(crate) fn packages(root: &Path, folder: &Path, files: &Files) -> Result<()> {
    let package = files.keys().find(|it| it.ends_with(".deb")).context("no Debian package")?;
    report(&format!("dist: lintian on {package}"));
    let output = Command::new("lintian")
        .current_dir(root)
        .args(["--allow-root", "--fail-on", "error", "--info"])
        .arg(folder.join(package))
        .output()
        .context("--lint needs lintian, a Debian package")?;
    report(&String::from_utf8_lossy(&[output.stdout, output.stderr].concat()));
    ensure!(output.status.success(), "lintian found errors in {package}");
    Ok(())
}
