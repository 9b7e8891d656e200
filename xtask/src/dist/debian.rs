//! The Debian package, written as what it is: an ar archive of two tar archives. What it depends on is computed from the
//! libraries that the binary asks for.

use std::fmt::Write;

use anyhow::{Context, Result, bail, ensure};

use super::archive::{ArchiveTree, ar, gzip, md5};
use super::build::{self, Needs};
use super::{Parts, Release};

/// The package and its file name.
pub(crate) fn package(release: &Release, parts: &Parts) -> Result<(String, Vec<u8>)> {
    let changelog = release.read_text("packaging/debian/changelog")?;
    let version = version(&changelog, &release.version)?;
    let data = data(release, parts, &changelog)?;
    let size: usize = data.iter().map(|(_, contents)| contents.len().div_ceil(1024)).sum();
    let mut sums = String::new();
    for (path, contents) in data.iter() {
        writeln!(sums, "{}  {}", md5(contents)?, path.trim_start_matches("./"))?;
    }
    let control = release
        .read_text("packaging/debian/control")?
        .replace("{version}", version)
        .replace("{size}", &size.to_string())
        .replace("{depends}", &depends(&build::needs(&build::path(release))?)?);
    let mut about = ArchiveTree::default();
    about.add("./control", control);
    about.add("./md5sums", sums);
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", about.to_tar_gz(release.epoch)?),
        ("data.tar.gz", data.to_tar_gz(release.epoch)?),
    ];
    let members: Vec<(&str, &[u8])> =
        members.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
    Ok((format!("regreen_{version}_amd64.deb"), ar(&members, release.epoch)))
}

/// What is installed, where Debian has it.
fn data(release: &Release, parts: &Parts, changelog: &str) -> Result<ArchiveTree> {
    let mut tree = ArchiveTree::default();
    tree.add_program("./usr/bin/regreen", parts.binary.clone());
    for (name, page) in &parts.pages.manual {
        tree.add(format!("./usr/share/man/man1/{name}.gz"), gzip(page)?);
    }
    for (shell, path) in [
        ("bash", "bash-completion/completions/regreen"),
        ("fish", "fish/vendor_completions.d/regreen.fish"),
        ("zsh", "zsh/vendor-completions/_regreen"),
    ] {
        tree.add(format!("./usr/share/{path}"), parts.pages.completions[shell].clone());
    }
    let licence = release.read_text("LICENSE-MIT")?;
    let copyright = release.read_text("packaging/debian/copyright")?;
    let copyright = copyright.replace("{mit}", paragraph(&licence).trim_end());
    let documents = [
        ("copyright", copyright.into_bytes()),
        ("changelog.gz", gzip(&release.read("CHANGELOG.md")?)?),
        ("changelog.Debian.gz", gzip(changelog.as_bytes())?),
        ("README.md.gz", gzip(&release.read("README.md")?)?),
        ("regreen.cdx.json.gz", gzip(&parts.sbom)?),
        ("THIRD-PARTY-LICENSES.txt.gz", gzip(parts.notices.as_bytes())?),
    ];
    for (name, contents) in documents {
        tree.add(format!("./usr/share/doc/regreen/{name}"), contents);
    }
    let overrides = release.read("packaging/debian/lintian-overrides")?;
    tree.add("./usr/share/lintian/overrides/regreen", overrides);
    Ok(tree)
}

/// The version at the top of the changelog, which must be a packaging of `upstream`.
fn version<'a>(changelog: &'a str, upstream: &str) -> Result<&'a str> {
    let (_, rest) = changelog.split_once('(').context("the changelog names no version")?;
    let (version, _) = rest.split_once(')').context("the changelog names no version")?;
    ensure!(
        version.rsplit_once('-').is_some_and(|(it, _)| it == upstream),
        "packaging/debian/changelog is about {version}, not about {upstream}"
    );
    Ok(version)
}

/// The packages that hold the libraries.
fn depends(needs: &Needs) -> Result<String> {
    let mut packages = Vec::new();
    for library in &needs.libraries {
        packages.push(match library.as_str() {
            "libc.so.6"
            | "libm.so.6"
            | "libdl.so.2"
            | "libpthread.so.0"
            | "librt.so.1"
            | "libutil.so.1"
            | "ld-linux-x86-64.so.2" => {
                format!("libc6 (>= {}.{})", needs.glibc.0, needs.glibc.1)
            }
            "libgcc_s.so.1" => "libgcc-s1".to_owned(),
            _ => bail!("no package is known for {library}, which the binary needs"),
        });
    }
    packages.sort();
    packages.dedup();
    Ok(packages.join(", "))
}

/// A text as a field of a control file continues: every line indented, empty ones as a full stop.
fn paragraph(text: &str) -> String {
    let line =
        |line: &str| if line.trim().is_empty() { " .\n".into() } else { format!(" {line}\n") };
    text.trim().lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_come_from_libraries() {
        let needs = |libraries: &[&str]| Needs {
            libraries: libraries.iter().map(|it| (*it).to_owned()).collect(),
            glibc: (2, 17),
        };
        assert_eq!(depends(&needs(&["libc.so.6", "libm.so.6"])).unwrap(), "libc6 (>= 2.17)");
        let with_unwinder = needs(&["libgcc_s.so.1", "libc.so.6"]);
        assert_eq!(depends(&with_unwinder).unwrap(), "libc6 (>= 2.17), libgcc-s1");
        assert!(depends(&needs(&["libssl.so.3"])).is_err());
    }

    #[test]
    fn the_changelog_is_about_this_version() {
        let changelog = include_str!("../../../packaging/debian/changelog");
        assert!(version(changelog, env!("CARGO_PKG_VERSION")).is_ok());
        assert!(version(changelog, "9.9.9").is_err());
    }

    #[test]
    fn empty_lines_are_full_stops() {
        assert_eq!(paragraph("a\n\nb\n"), " a\n .\n b\n");
    }
}
