//! The npm packages: `regreen`, a launcher, and one package with the binary per platform, which npm chooses by the
//! members `os`, `cpu` and `libc`.

use anyhow::{Result, ensure};
use serde_json::Value;

use super::archive::ArchiveTree;
use super::{Files, Parts, Release};

pub(crate) fn packages(release: &Release, parts: &Parts) -> Result<Files> {
    let mut launcher = tree(release, "regreen")?;
    launcher.add_program(
        "package/bin/regreen.js",
        release.read("packaging/npm/regreen/bin/regreen.js")?,
    );
    launcher.add("package/README.md", release.read("README.md")?);
    let mut platform = tree(release, "linux-x64")?;
    platform.add_program("package/bin/regreen", parts.binary.clone());
    platform.add("package/README.md", release.read("packaging/npm/linux-x64/README.md")?);
    platform.add("package/THIRD-PARTY-LICENSES.txt", parts.notices.clone());
    // The names are those that `npm pack` gives.
    let version = &release.version;
    Ok([
        (format!("regreen-{version}.tgz"), launcher.to_tar_gz(release.epoch)?),
        (format!("regreen-linux-x64-{version}.tgz"), platform.to_tar_gz(release.epoch)?),
    ]
    .into())
}

/// What both packages have.
fn tree(release: &Release, folder: &str) -> Result<ArchiveTree> {
    let manifest = release.read_text(&format!("packaging/npm/{folder}/package.json"))?;
    check_versions(&manifest, &release.version)?;
    let mut tree = ArchiveTree::default();
    tree.add("package/package.json", manifest);
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        tree.add(format!("package/{name}"), release.read(name)?);
    }
    Ok(tree)
}

/// The launcher works with the binary of its own version and no other.
fn check_versions(manifest: &str, version: &str) -> Result<()> {
    let manifest: Value = serde_json::from_str(manifest)?;
    let name = &manifest["name"];
    ensure!(manifest["version"] == version, "the npm package {name} is not of version {version}");
    let platforms = manifest["optionalDependencies"].as_object().into_iter().flatten();
    for (platform, wanted) in platforms {
        ensure!(wanted == version, "{name} wants {platform} {wanted}, and not {version}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifests_have_the_version_of_the_workspace() {
        for folder in ["regreen", "linux-x64"] {
            let path = crate::root().join(format!("packaging/npm/{folder}/package.json"));
            let manifest = std::fs::read_to_string(path).unwrap();
            check_versions(&manifest, env!("CARGO_PKG_VERSION")).unwrap();
            assert!(check_versions(&manifest, "9.9.9").is_err());
        }
    }
}
