//! The Python wheel: `pip install regreen` puts the binary beside the interpreter. maturin builds it, and checks that it
//! keeps to manylinux2014.

use std::fs;

use anyhow::{Context, Result, ensure};

use super::cargo_graph::Graph;
use super::tools::Tools;
use super::{Release, TARGET, build};
use crate::execute;

/// The wheel and its file name.
pub(crate) fn wheel(release: &Release, tools: &Tools, graph: &Graph) -> Result<(String, Vec<u8>)> {
    let folder = release.target.join("wheel");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let mut maturin = build::prepared(&tools.program("maturin"), release, tools, graph)?;
    maturin
        .args(["build", "--quiet", "--locked", "--zig", "--compatibility", "manylinux2014"])
        .args(["--profile", "dist", "--target", TARGET, "--out"])
        .arg(&folder);
    execute(&mut maturin)?;
    let mut found = fs::read_dir(&folder)?.collect::<Result<Vec<_>, _>>()?;
    ensure!(found.len() == 1, "maturin wrote {} files instead of one", found.len());
    let file = found.pop().context("one file")?;
    let name = file.file_name().to_string_lossy().into_owned();
    let wanted = format!("regreen-{}-py3-none-manylinux", release.version);
    ensure!(name.starts_with(&wanted), "maturin wrote {name}, not {wanted}…");
    Ok((name, fs::read(file.path())?))
}
