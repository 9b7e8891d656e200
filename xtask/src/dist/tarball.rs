//! The archive for whoever unpacks by hand: the binary with its manual, completions, licences and bill of materials.

use anyhow::Result;

use super::archive::ArchiveTree;
use super::pages::SHELLS;
use super::{Parts, Release};

pub(crate) const DOCUMENTS: [&str; 4] =
    ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

pub(crate) fn archive(release: &Release, parts: &Parts) -> Result<Vec<u8>> {
    let stem = release.stem();
    let mut tree = ArchiveTree::default();
    tree.add_program(format!("{stem}/regreen"), parts.binary.clone());
    for name in DOCUMENTS {
        tree.add(format!("{stem}/{name}"), release.read(name)?);
    }
    tree.add(format!("{stem}/THIRD-PARTY-LICENSES.txt"), parts.notices.clone());
    tree.add(format!("{stem}/regreen.cdx.json"), parts.sbom.clone());
    for (name, page) in &parts.pages.manual {
        tree.add(format!("{stem}/man/man1/{name}"), page.clone());
    }
    for (shell, name) in SHELLS {
        tree.add(format!("{stem}/completions/{name}"), parts.pages.completions[shell].clone());
    }
    tree.to_tar_gz(release.epoch)
}
