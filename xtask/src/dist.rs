//! What is released, built from one commit into `dist/`: an archive, a wheel, npm packages, a Debian package, and what
//! proves where they come from.
//!
//! A release is a function of a commit and of the tools that are named in the provenance. [`assemble`] computes it as a map
//! from file names to bytes; `--verify` computes it a second time at other paths and compares.

mod archive;
mod build;
mod cargo_graph;
mod debian;
mod install;
mod lint;
mod npm;
mod pages;
mod provenance;
mod sbom;
mod tarball;
mod tools;
mod verify;
mod ways;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::dist::archive::sha256;
use crate::dist::cargo_graph::CargoGraph;
use crate::dist::pages::Pages;
use crate::dist::tools::Tools;
use crate::{command, report};

/// What the packages run on.
const TARGET: &str = "x86_64-unknown-linux-gnu";
/// The oldest C library that the binary works with: that of manylinux2014.
const GLIBC: (u32, u32) = (2, 17);
const REPOSITORY: &str = "https://github.com/regreen/regreen";

/// The files of a release, by name.
type Files = BTreeMap<String, Vec<u8>>;

/// A checkout and what is known of its commit.
#[derive(Clone, Debug)]
struct Release {
    /// The checkout that is built.
    source: PathBuf,
    /// Where cargo builds it.
    target: PathBuf,
    version: String,
    commit: String,
    /// When the commit was made, in seconds since 1970; all files of a release have this time.
    epoch: u64,
}

impl Release {
    /// The commit that is checked out at `root`.
    fn at(root: &Path) -> Result<Release> {
        let changes = git(root, &["status", "--porcelain", "--untracked-files=no"])?;
        ensure!(
            changes.is_empty(),
            "a release names its commit, but these files are not committed:\n{changes}"
        );
        let epoch = match std::env::var("SOURCE_DATE_EPOCH") {
            Ok(epoch) => epoch,
            Err(_) => git(root, &["show", "--no-patch", "--format=%ct", "HEAD"])?,
        };
        Ok(Release {
            source: root.to_path_buf(),
            target: target_folder(root).join("dist"),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: git(root, &["rev-parse", "HEAD"])?,
            epoch: epoch.trim().parse().context("SOURCE_DATE_EPOCH is a number of seconds")?,
        })
    }

    fn read(&self, path: &str) -> Result<Vec<u8>> {
        fs::read(self.source.join(path)).with_context(|| path.to_owned())
    }

    fn read_text(&self, path: &str) -> Result<String> {
        String::from_utf8(self.read(path)?).with_context(|| path.to_owned())
    }

    /// The name that the files for one platform begin with.
    fn stem(&self) -> String {
        format!("regreen-{}-{TARGET}", self.version)
    }
}

/// What every package is made of.
struct Parts {
    binary: Vec<u8>,
    pages: Pages,
    /// The licences of what is linked into the binary.
    notices: String,
    /// The bill of materials of the binary, as CycloneDX JSON.
    sbom: Vec<u8>,
}

/// Builds the release, then does what the flags ask for.
pub(crate) fn run(root: &Path, flags: &[&str]) -> Result<()> {
    for flag in flags {
        if !["--verify", "--install", "--lint"].contains(flag) {
            bail!("unknown flag `{flag}`; dist takes --verify, --install and --lint");
        }
    }
    let tools = Tools::install(&target_folder(root))?;
    if flags.contains(&"--lint") {
        lint::sources(root, &tools)?;
    }
    let release = Release::at(root)?;
    report(&format!("dist: {} of commit {}", release.version, release.commit));
    let files = assemble(&release, &tools)?;
    let folder = root.join("dist");
    write(&folder, &files)?;
    if flags.contains(&"--lint") {
        lint::packages(root, &folder, &files)?;
    }
    if flags.contains(&"--verify") {
        verify::run(&release, &tools, &files)?;
    }
    if flags.contains(&"--install") {
        install::run(&release, &folder, &files)?;
    }
    Ok(())
}

/// Builds everything that is released.
fn assemble(release: &Release, tools: &Tools) -> Result<Files> {
    let graph = CargoGraph::load(release)?;
    let built = build::build(release, tools, &graph)?;
    let parts = Parts {
        pages: pages::collect(&build::path(release))?,
        notices: graph.notices()?,
        sbom: sbom::bill(release, &graph)?,
        binary: built.binary,
    };
    let mut files = Files::new();
    files.insert(format!("{}.tar.gz", release.stem()), tarball::archive(release, &parts)?);
    files.insert(format!("{}.cdx.json", release.stem()), parts.sbom.clone());
    files.extend(npm::packages(release, &parts)?);
    files.extend([built.wheel, debian::package(release, &parts)?]);
    let statement = provenance::statement(release, &graph, &digests(&files)?)?;
    files.insert(format!("regreen-{}.intoto.json", release.version), statement);
    let sums =
        digests(&files)?.iter().map(|(name, digest)| format!("{digest}  {name}\n")).collect();
    files.insert("SHA256SUMS".to_owned(), String::into_bytes(sums));
    Ok(files)
}

fn digests(files: &Files) -> Result<BTreeMap<String, String>> {
    files.iter().map(|(name, bytes)| Ok((name.clone(), sha256(bytes)?))).collect()
}

/// Writes the files into the folder, which then holds nothing else.
fn write(folder: &Path, files: &Files) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(folder)?;
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).with_context(|| name.clone())?;
        report(&format!("dist: {:>10} bytes  {name}", bytes.len()));
    }
    Ok(())
}

fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from)
}

fn git(root: &Path, arguments: &[&str]) -> Result<String> {
    let output = command("git", root).args(arguments).output().context("cannot start git")?;
    ensure!(output.status.success(), "git {} ended with {}", arguments.join(" "), output.status);
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}
