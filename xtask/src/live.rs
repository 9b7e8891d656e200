//! The live tier: tests against real tools. Installs what it needs by package name, then runs; nothing is skipped.

use std::path::Path;

use anyhow::{Context, Result};

use crate::{cargo, command, crash, execute, fuzz, report};

/// Debian packages, with the program that each is needed for.
const PACKAGES: [(&str, &str); 3] = [("strace", "strace"), ("patch", "patch"), ("git", "git")];

/// Installs, then runs the tests behind the `live` features, a sample of the crash matrix, and the fuzz targets.
pub(crate) fn run(root: &Path) -> Result<()> {
    install(root)?;
    report("live: tests against git, patch and strace");
    execute(cargo(root).args(["test", "--package", "edit", "--features", "live"]))?;
    crash::run(root, Some(120))?;
    fuzz::run(root, 10)
}

fn install(root: &Path) -> Result<()> {
    let is_missing = |program: &str| {
        !command("which", root).arg(program).output().is_ok_and(|it| it.status.success())
    };
    let missing: Vec<&str> = PACKAGES
        .iter()
        .filter(|(_, program)| is_missing(program))
        .map(|(package, _)| *package)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    report(&format!("live: installing {}", missing.join(" ")));
    execute(command("apt-get", root).arg("update").arg("-qq"))
        .context("apt-get is how the live tier installs")?;
    execute(command("apt-get", root).args(["install", "-y", "-qq"]).args(&missing))
}
