//! What goes into the binary: the packages of the dependency graph that are linked, for the target only, and the
//! libraries in C that some of them bring along. What only runs while it is built is told apart.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{Release, TARGET};
use crate::cargo;

/// A package by name and version.
pub(crate) type CrateId = (String, String);

/// The packages of one build of the binary.
#[derive(Debug)]
pub(crate) struct CargoGraph {
    /// What is linked into the binary; `regreen` itself is one of them.
    pub(crate) linked: BTreeMap<CrateId, Package>,
    /// What is downloaded to build the binary, with what runs at build time, by the digest of its archive.
    pub(crate) materials: BTreeMap<CrateId, String>,
    /// The folders that packages were unpacked in; their paths must not get into the binary.
    pub(crate) registries: BTreeSet<PathBuf>,
}

#[derive(Clone, Debug)]
pub(crate) struct Package {
    pub(crate) licence: String,
    pub(crate) description: String,
    pub(crate) repository: Option<String>,
    /// Ours, and not from a registry.
    pub(crate) is_ours: bool,
    /// The digest of its archive, where it has one.
    pub(crate) sha256: Option<String>,
    pub(crate) uses: BTreeSet<CrateId>,
    pub(crate) bundled: Vec<Bundled>,
    folder: PathBuf,
}

/// A library in C whose source is part of a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Bundled {
    pub(crate) name: &'static str,
    pub(crate) version: String,
    pub(crate) licence: &'static str,
}

/// Where a package that brings a library along has it.
struct Bundle {
    package: &'static str,
    library: &'static str,
    /// The header that says its version.
    header: &'static str,
    /// What the header calls the version, or its parts.
    defines: &'static [&'static str],
    licence: &'static str,
}

const BUNDLES: [Bundle; 3] = [
    Bundle {
        package: "libsqlite3-sys",
        library: "sqlite",
        header: "sqlite3/sqlite3.h",
        defines: &["SQLITE_VERSION"],
        licence: "blessing",
    },
    Bundle {
        package: "rquickjs-sys",
        library: "quickjs-ng",
        header: "quickjs/quickjs.h",
        defines: &["QJS_VERSION_MAJOR", "QJS_VERSION_MINOR", "QJS_VERSION_PATCH"],
        licence: "MIT",
    },
    Bundle {
        package: "libmimalloc-sys",
        library: "mimalloc",
        header: "c_src/mimalloc/v3/include/mimalloc.h",
        defines: &["MI_MALLOC_VERSION"],
        licence: "MIT",
    },
];

impl CargoGraph {
    pub(crate) fn load(release: &Release) -> Result<CargoGraph> {
        let root = &release.source;
        let metadata =
            output(root, &["metadata", "--format-version", "1", "--filter-platform", TARGET])?;
        let metadata: Value = serde_json::from_str(&metadata)?;
        // `metadata` resolves the features of the whole workspace at once; `tree` says what this package gets.
        let tree = |edges| {
            let flags = ["tree", "--package", "regreen", "--target", TARGET, "--prefix", "none"];
            let flags = [&flags[..], &["--format", "{p}", "--edges", edges]].concat();
            Ok::<_, anyhow::Error>(parse_tree(&output(root, &flags)?))
        };
        let checksums = parse_lock(&release.read_text("Cargo.lock")?);
        let built = tree("normal,build")?;
        let materials = checksums.into_iter().filter(|(id, _)| built.contains(id)).collect();
        CargoGraph::new(&metadata, &tree("normal,no-proc-macro")?, materials)
    }

    fn new(
        metadata: &Value,
        linked: &BTreeSet<CrateId>,
        materials: BTreeMap<CrateId, String>,
    ) -> Result<CargoGraph> {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let mut ids: BTreeMap<String, CrateId> = BTreeMap::new();
        let mut packages = BTreeMap::new();
        let mut registries = BTreeSet::new();
        for package in list(&metadata["packages"]) {
            let id = (text(&package["name"]), text(&package["version"]));
            let folder =
                Path::new(&text(&package["manifest_path"])).parent().map(Path::to_path_buf);
            let folder = folder.context("a manifest lies in no folder")?;
            let is_ours = package["source"].is_null();
            if !is_ours {
                registries.extend(folder.parent().map(Path::to_path_buf));
            }
            ids.insert(text(&package["id"]), id.clone());
            if linked.contains(&id) {
                let bundled = bundled(&id.0, &folder)?;
                let package = Package {
                    licence: text(&package["license"]).replace('/', " OR "),
                    description: text(&package["description"]),
                    repository: package["repository"].as_str().map(str::to_owned),
                    is_ours,
                    sha256: materials.get(&id).cloned(),
                    uses: BTreeSet::new(),
                    bundled,
                    folder,
                };
                packages.insert(id, package);
            }
        }
        for node in list(&metadata["resolve"]["nodes"]) {
            let Some(package) = ids.get(&text(&node["id"])).and_then(|id| packages.get_mut(id))
            else {
                continue;
            };
            let is_normal =
                |it: &&Value| list(&it["dep_kinds"]).iter().any(|it| it["kind"].is_null());
            package.uses = list(&node["deps"])
                .iter()
                .filter(is_normal)
                .filter_map(|it| ids.get(&text(&it["pkg"])))
                .filter(|id| linked.contains(*id))
                .cloned()
                .collect();
        }
        let missing: Vec<&CrateId> =
            linked.iter().filter(|id| !packages.contains_key(*id)).collect();
        ensure!(missing.is_empty(), "cargo metadata does not know {missing:?}");
        Ok(CargoGraph { linked: packages, materials, registries })
    }

    /// The licences of everything that is linked and not ours: each text once, with the packages that it is for.
    pub(crate) fn notices(&self) -> Result<String> {
        let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for ((name, version), package) in self.linked.iter().filter(|it| !it.1.is_ours) {
            let mut files = licence_files(&package.folder)?;
            for bundle in BUNDLES.iter().filter(|it| it.package == name) {
                let folders = Path::new(bundle.header).ancestors().skip(1);
                for folder in folders.filter(|it| !it.as_os_str().is_empty()) {
                    files.extend(licence_files(&package.folder.join(folder))?);
                }
            }
            let user = format!("{name} {version} ({})", package.licence);
            if files.is_empty() {
                let note = "(The package brings no text of its licence along.)".to_owned();
                texts.entry(note).or_default().insert(user.clone());
            }
            for file in files {
                let text = fs::read(&file).with_context(|| file.display().to_string())?;
                let text = String::from_utf8_lossy(&text).replace("\r\n", "\n").trim().to_owned();
                texts.entry(text).or_default().insert(user.clone());
            }
        }
        let mut texts: Vec<_> = texts.into_iter().map(|(text, users)| (users, text)).collect();
        texts.sort();
        let mut notices =
            "regreen contains the packages below, each under the licence that follows its name.\n"
                .to_owned();
        for (users, text) in texts {
            let users = users.into_iter().collect::<Vec<_>>().join("\n");
            write!(notices, "\n{}\n{users}\n\n{text}\n", "=".repeat(80))?;
        }
        Ok(notices)
    }
}

/// The files of the folder that are named as licences are.
fn licence_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        let starts = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
        if entry.file_type()?.is_file() && starts.iter().any(|it| name.starts_with(it)) {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

fn bundled(name: &str, folder: &Path) -> Result<Vec<Bundled>> {
    let bundles = BUNDLES.iter().filter(|it| it.package == name);
    bundles
        .map(|bundle| {
            let header = folder.join(bundle.header);
            let text = fs::read_to_string(&header).with_context(|| header.display().to_string())?;
            let version = version_in(&text, bundle.defines)
                .with_context(|| format!("{} does not say its version", header.display()))?;
            Ok(Bundled { name: bundle.library, version, licence: bundle.licence })
        })
        .collect()
}

/// The version that a header defines: in one string, in several numbers, or in one number with two digits a part.
fn version_in(header: &str, defines: &[&str]) -> Option<String> {
    let value = |name: &&str| {
        let mut words = header.lines().map(|line| line.split_whitespace());
        words.find_map(|mut it| {
            (it.next() == Some("#define") && it.next() == Some(*name)).then(|| it.next()).flatten()
        })
    };
    let values: Vec<&str> = defines.iter().map(value).collect::<Option<_>>()?;
    let version = values.join(".").replace('"', "");
    match version.parse::<u32>() {
        Ok(packed) => Some(format!("{}.{}.{}", packed / 10_000, packed / 100 % 100, packed % 100)),
        Err(_) => Some(version),
    }
}

/// The packages that `cargo tree` names, a line each: `name v1.2.3 (…)`.
fn parse_tree(tree: &str) -> BTreeSet<CrateId> {
    let id = |line: &str| {
        let mut words = line.split(' ');
        let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
        Some((name.to_owned(), version.to_owned()))
    };
    tree.lines().filter_map(id).collect()
}

/// The digests of archives in a lock file.
fn parse_lock(lock: &str) -> BTreeMap<CrateId, String> {
    let package = |block: &str| {
        let value = |key: &str| {
            let mut lines = block.lines();
            let value = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "))?;
            Some(value.trim_matches('"').to_owned())
        };
        Some(((value("name")?, value("version")?), value("checksum")?))
    };
    lock.split("[[package]]\n").filter_map(package).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn output(root: &Path, arguments: &[&str]) -> Result<String> {
    let output = cargo(root).args(arguments).arg("--locked").output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cargo {} failed:\n{said}", arguments.join(" "));
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;

    use super::*;

    pub(crate) fn id(name: &str, version: &str) -> CrateId {
        (name.to_owned(), version.to_owned())
    }

    /// A graph in which `regreen` uses `a`, which uses `b`; `made` makes code for `a` and is not linked.
    pub(crate) fn graph() -> CargoGraph {
        let package = |name: &str, source: Value| {
            json!({ "name": name, "version": "1.0.0", "id": format!("id {name}"), "source": source,
                    "license": "MIT/Apache-2.0", "description": "About.", "repository": null,
                    "manifest_path": format!("/unpacked/{name}/Cargo.toml") })
        };
        let uses = |name: &str, kind: Value| json!({ "pkg": format!("id {name}"), "dep_kinds": [{ "kind": kind, "target": null }] });
        let metadata = json!({
            "packages": [
                package("regreen", Value::Null), package("a", json!("registry+x")),
                package("b", json!("registry+x")), package("made", json!("registry+x")),
            ],
            "resolve": { "nodes": [
                { "id": "id regreen", "deps": [uses("a", Value::Null), uses("b", json!("dev"))] },
                { "id": "id a", "deps": [uses("b", Value::Null), uses("made", Value::Null)] },
                { "id": "id b", "deps": [] },
            ] },
        });
        let linked = parse_tree("regreen v1.0.0 (/here)\na v1.0.0\nb v1.0.0\nb v1.0.0 (*)\n");
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"aa\"\n\n\
                    [[package]]\nname = \"made\"\nversion = \"1.0.0\"\nchecksum = \"cc\"\n\n\
                    [[package]]\nname = \"regreen\"\nversion = \"1.0.0\"\n";
        CargoGraph::new(&metadata, &linked, parse_lock(lock)).unwrap()
    }

    #[test]
    fn what_is_linked_is_told_from_what_is_needed() {
        let graph = graph();
        let names: Vec<&str> = graph.linked.keys().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b", "regreen"]);
        assert_eq!(graph.linked[&id("a", "1.0.0")].uses, [id("b", "1.0.0")].into());
        assert_eq!(graph.linked[&id("regreen", "1.0.0")].uses, [id("a", "1.0.0")].into());
        assert_eq!(graph.linked[&id("a", "1.0.0")].sha256.as_deref(), Some("aa"));
        assert_eq!(graph.linked[&id("a", "1.0.0")].licence, "MIT OR Apache-2.0");
        assert!(graph.materials.contains_key(&id("made", "1.0.0")));
        assert_eq!(graph.registries, [PathBuf::from("/unpacked")].into());
    }

    #[test]
    fn a_linked_package_must_be_known() {
        let linked = parse_tree("gone v1.0.0\n");
        let error = CargoGraph::new(&json!({}), &linked, BTreeMap::new()).unwrap_err();
        assert!(error.to_string().contains("gone"), "{error}");
    }

    #[test]
    fn versions_of_c_libraries_are_read_from_their_headers() {
        let header = "#define V \"3.54.1\"\n#define N 30302 // packed\n#define A 0\n#define B 16\n";
        assert_eq!(version_in(header, &["V"]).as_deref(), Some("3.54.1"));
        assert_eq!(version_in(header, &["N"]).as_deref(), Some("3.3.2"));
        assert_eq!(version_in(header, &["A", "B"]).as_deref(), Some("0.16"));
        assert_eq!(version_in(header, &["C"]), None);
    }
}
