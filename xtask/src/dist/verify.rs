//! The second build: the same commit, checked out elsewhere and built in an empty folder, must give the same bytes.

use std::fs;
use std::process::Stdio;

use anyhow::{Context, Result, bail, ensure};

use super::tools::Tools;
use super::{Files, Release, assemble};
use crate::{command, report};

pub(crate) fn run(release: &Release, tools: &Tools, files: &Files) -> Result<()> {
    let folder = tempfile::Builder::new().prefix("another-place-").tempdir()?;
    report(&format!("dist: building again in {}", folder.path().display()));
    let again = Release {
        source: folder.path().join("checkout/of/regreen"),
        target: folder.path().join("built"),
        ..release.clone()
    };
    check_out(release, &again)?;
    let differences = differences(files, &assemble(&again, tools)?);
    if !differences.is_empty() {
        // The first difference is easiest to find in the binary, which all packages hold.
        let kept = release.target.join("second");
        fs::create_dir_all(&kept)?;
        fs::copy(super::build::path(&again), kept.join("regreen"))?;
        bail!("two builds differ in:\n  {}", differences.join("\n  "));
    }
    report(&format!("dist: a second build gave the same bytes of all {} files", files.len()));
    Ok(())
}

/// Writes the files of the commit, and nothing else, to where the other release has its source.
fn check_out(release: &Release, again: &Release) -> Result<()> {
    fs::create_dir_all(&again.source)?;
    let mut archive = command("git", &release.source)
        .args(["archive", "--format=tar", &release.commit])
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start git")?;
    let tar = archive.stdout.take().context("git archive writes to a pipe")?;
    let unpacked =
        command("tar", &again.source).args(["--extract", "--file=-"]).stdin(tar).status();
    ensure!(
        archive.wait()?.success() && unpacked?.success(),
        "cannot check out {}",
        release.commit
    );
    Ok(())
}

/// The names of the files that are not in both, or not the same.
fn differences(one: &Files, other: &Files) -> Vec<String> {
    let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
    names.sort();
    names.dedup();
    names.into_iter().filter(|name| one.get(*name) != other.get(*name)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_is_named() {
        let files = |entries: &[(&str, &str)]| -> Files {
            entries.iter().map(|(name, text)| ((*name).to_owned(), (*text).into())).collect()
        };
        let one = files(&[("a", "1"), ("b", "2"), ("c", "3")]);
        let other = files(&[("a", "1"), ("b", "x"), ("d", "4")]);
        assert_eq!(differences(&one, &other), ["b", "c", "d"]);
        assert!(differences(&one, &one).is_empty());
    }
}
