//! Shims of version managers: a program on the `PATH` that starts another one of the same name, which one depending on
//! variables, the user's settings and files of the folder that it is started in. A confined program has none of these, and
//! a tree should not decide which program is run in it, so that shims are followed here, to what the user has chosen for
//! everywhere, or else to the newest that there is.

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::which::is_program;

/// A version file or a shim that is larger is none.
const MAX_BYTES: u64 = 64 << 10;

/// What became of a shim.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Followed {
    /// It would start this one.
    Program(PathBuf),
    /// The user wants the one that comes later on the `PATH`.
    System,
    /// Nobody but its manager knows.
    Unknown,
}

/// Follows the program `name` at `path`; `None` if it is no shim.
pub(crate) fn follow(path: &Path, name: &OsStr) -> Option<Followed> {
    let real = fs::canonicalize(path).ok()?;
    let real_name = real.file_name()?;
    if real_name != name && ["mise", "volta-shim"].iter().any(|it| real_name == *it) {
        return Some(Followed::Unknown);
    }
    let folder = path.parent().filter(|it| it.file_name() == Some(OsStr::new("shims")))?;
    let manager = folder.parent()?;
    if manager.join("versions").is_dir() {
        return Some(of_versions(manager, name));
    }
    if manager.join("installs").is_dir() {
        return Some(of_installs(manager, path, name));
    }
    Some(Followed::Unknown)
}

/// pyenv and its kin: `versions/3.12.1/bin/NAME`, and the choice for everywhere in the file `version`.
fn of_versions(manager: &Path, name: &OsStr) -> Followed {
    let versions = folders(&manager.join("versions"));
    let program = |version: &str| {
        Some(manager.join("versions").join(version).join("bin").join(name))
            .filter(|it| is_program(it))
    };
    let chosen = read(&manager.join("version")).unwrap_or_else(|| "system".to_owned());
    for choice in chosen.split([':', ' ', '\t', '\n', '\r']).filter(|it| !it.is_empty()) {
        if choice == "system" {
            return Followed::System;
        }
        // `3.12` stands for the newest of `3.12.x`.
        let is_meant = |it: &&String| {
            **it == choice || it.strip_prefix(choice).is_some_and(|it| it.starts_with('.'))
        };
        if let Some(found) = versions.iter().filter(is_meant).find_map(|it| program(it)) {
            return Followed::Program(found);
        }
    }
    let newest = versions.iter().find_map(|it| program(it));
    newest.map_or(Followed::Unknown, Followed::Program)
}

/// asdf: a shim lists the plugins and versions that have the program, as `# asdf-plugin: nodejs 20.1.0`.
fn of_installs(manager: &Path, shim: &Path, name: &OsStr) -> Followed {
    let text = read(shim).unwrap_or_default();
    let mut found: Vec<(Reverse<Vec<u64>>, PathBuf)> = Vec::new();
    for line in text.lines().filter_map(|it| it.strip_prefix("# asdf-plugin: ")) {
        let mut words = line.split_whitespace();
        let (Some(plugin), Some(version)) = (words.next(), words.next()) else { continue };
        let folder = manager.join("installs").join(plugin).join(version);
        let program = folder.join("bin").join(name);
        if is_plain(plugin) && is_plain(version) && is_program(&program) {
            found.push((Reverse(numbers(version)), program));
        }
    }
    found.sort();
    found.into_iter().next().map_or(Followed::Unknown, |it| Followed::Program(it.1))
}

/// The names of the folders in a folder, the newest version first.
fn folders(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names =
        entries.filter(|it| it.path().is_dir()).filter_map(|it| it.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|it| is_plain(it)).collect();
    names.sort_by_key(|it| (Reverse(numbers(it)), it.clone()));
    names
}

fn numbers(version: &str) -> Vec<u64> {
    version.split(|it: char| !it.is_ascii_digit()).filter_map(|it| it.parse().ok()).collect()
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\']) && !name.starts_with('.')
}

fn read(path: &Path) -> Option<String> {
    let is_small = fs::metadata(path).is_ok_and(|it| it.len() <= MAX_BYTES);
    is_small.then(|| fs::read_to_string(path).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::which::which;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn program(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// What is found of `tool` behind the shims of `manager`, relative to the folder of all.
    fn found(root: &Path, manager: &str) -> Option<String> {
        let path = format!("{0}/{manager}/shims:{0}/system", root.display());
        let found = which(OsStr::new("tool"), OsStr::new(&path), &[]).found?;
        Some(found.strip_prefix(root).unwrap().display().to_string())
    }

    #[test]
    fn a_shim_leads_to_what_the_user_has_chosen() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        program(&root.join("pyenv/shims/tool"), "#!/bin/sh\nexec pyenv exec tool\n");
        for version in ["3.9.18", "3.12.1", "3.11.7"] {
            program(&root.join(format!("pyenv/versions/{version}/bin/tool")), "");
        }
        fs::create_dir_all(root.join("pyenv/versions/3.13.0/bin")).unwrap();
        let check = |chosen: &str, expected: &str| {
            fs::write(root.join("pyenv/version"), chosen).unwrap();
            let expected = format!("pyenv/versions/{expected}/bin/tool");
            assert_eq!(found(&root, "pyenv"), Some(expected), "{chosen}");
        };
        check("3.11.7\n", "3.11.7");
        check("3.13.0 3.9\n", "3.9.18");
        // Not there: the newest that has it, and never a path.
        check("3.13.0\n", "3.12.1");
        check("../../evil\n", "3.12.1");
        fs::remove_file(root.join("pyenv/version")).unwrap();
        assert_eq!(found(&root, "pyenv"), None);
        program(&root.join("system/tool"), "");
        assert_eq!(found(&root, "pyenv"), Some("system/tool".to_owned()));
    }

    #[test]
    fn a_shim_that_only_its_manager_understands_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        program(&root.join("mise/bin/mise"), "");
        fs::create_dir_all(root.join("mise/shims")).unwrap();
        symlink("../bin/mise", root.join("mise/shims/tool")).unwrap();
        assert_eq!(found(&root, "mise"), None);
        let shim = "#!/bin/sh\n# asdf-plugin: node 9.1\n# asdf-plugin: node 20.1\nexec asdf\n";
        program(&root.join("asdf/shims/tool"), shim);
        for version in ["9.1", "20.1"] {
            program(&root.join(format!("asdf/installs/node/{version}/bin/tool")), "");
        }
        assert_eq!(found(&root, "asdf"), Some("asdf/installs/node/20.1/bin/tool".to_owned()));
        // A folder of that name without a manager is none.
        program(&root.join("other/shims/tool"), "");
        assert_eq!(found(&root, "other"), None);
    }
}
