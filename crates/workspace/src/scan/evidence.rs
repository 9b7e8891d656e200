//! Folders that a tool filled and that are nobody's sources: what was downloaded, built or cached. A name alone is not
//! enough; something in the folder or beside it must say who filled it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What every cache directory tag starts with (<https://bford.info/cachedir/>).
const SIGNATURE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";

/// A kind of folder.
struct Filled {
    name: &'static str,
    reason: &'static str,
    /// One of these stands beside it; none is needed if there are none.
    beside: &'static [&'static str],
    /// This stands in it; nothing needs to if it is empty.
    inside: &'static str,
}

const fn filled(
    name: &'static str,
    reason: &'static str,
    beside: &'static [&'static str],
    inside: &'static str,
) -> Filled {
    Filled { name, reason, beside, inside }
}

const DEPENDENCIES: &str = "dependencies";
const BUILD: &str = "build_output";
const CACHE: &str = "cache";
const GRADLE: &[&str] =
    &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

/// Folders that people write by hand under the same name in the same place (`dist`, `out`, `bin`, `lib`) are not here.
const TABLE: &[Filled] = &[
    filled("node_modules", DEPENDENCIES, &["package.json"], ""),
    filled("bower_components", DEPENDENCIES, &["bower.json"], ""),
    filled("vendor", DEPENDENCIES, &["go.mod"], "modules.txt"),
    filled("vendor", DEPENDENCIES, &["composer.json"], "autoload.php"),
    filled("Pods", DEPENDENCIES, &["Podfile"], "Manifest.lock"),
    filled("deps", DEPENDENCIES, &["mix.lock"], ""),
    filled("elm-stuff", DEPENDENCIES, &["elm.json"], ""),
    filled(".terraform", DEPENDENCIES, &[".terraform.lock.hcl"], ""),
    filled("target", BUILD, &["Cargo.toml", "pom.xml", "build.sbt"], ""),
    filled("build", BUILD, GRADLE, ""),
    filled("_build", BUILD, &["mix.exs", "dune-project"], ""),
    filled("obj", BUILD, &[], "project.assets.json"),
    filled(".next", BUILD, &["package.json"], ""),
    filled(".nuxt", BUILD, &["package.json"], ""),
    filled(".svelte-kit", BUILD, &["package.json"], ""),
    filled(".dart_tool", BUILD, &["pubspec.yaml"], ""),
    filled(".stack-work", BUILD, &["stack.yaml"], ""),
    filled(".gradle", CACHE, GRADLE, ""),
    filled(".parcel-cache", CACHE, &["package.json"], ""),
    filled(".turbo", CACHE, &["package.json"], ""),
    filled(".tox", CACHE, &["tox.ini", "pyproject.toml", "setup.cfg"], ""),
    filled(".nox", CACHE, &["noxfile.py"], ""),
];

/// What fills the folder; `None` if it seems to be sources. Three or four names are looked up, whatever is in it.
pub(super) fn filled_by(folder: &Path, name: &str) -> Option<&'static str> {
    let is_there = |path: &Path| path.symlink_metadata().is_ok_and(|it| it.is_file());
    let parent = folder.parent()?;
    let has_evidence = |it: &&Filled| {
        it.name == name
            && (it.beside.is_empty() || it.beside.iter().any(|it| is_there(&parent.join(it))))
            && (it.inside.is_empty() || is_there(&folder.join(it.inside)))
    };
    if let Some(found) = TABLE.iter().find(has_evidence) {
        return Some(found.reason);
    }
    if name == "__pycache__" && has_bytecode(folder) {
        return Some(CACHE);
    }
    if is_there(&folder.join("pyvenv.cfg")) {
        return Some("virtual_environment");
    }
    is_tagged(&folder.join("CACHEDIR.TAG")).then_some(CACHE)
}

fn is_tagged(tag: &Path) -> bool {
    if !tag.symlink_metadata().is_ok_and(|it| it.is_file()) {
        return false;
    }
    let mut start = [0; SIGNATURE.len()];
    File::open(tag).and_then(|mut it| it.read_exact(&mut start)).is_ok() && start == SIGNATURE
}

fn has_bytecode(folder: &Path) -> bool {
    let Ok(entries) = folder.read_dir() else { return false };
    let mut names = entries.flatten().map(|it| it.file_name());
    names.any(|it| Path::new(&it).extension().is_some_and(|it| it == "pyc"))
}
