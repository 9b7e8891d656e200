//! The files that nothing here reads, by ecosystem: what is not known never passes.
//!
//! A pure manifest, a lock file or the configuration of a resolver is a violation when it changes at all. In a file that is
//! also code, a line that came or changed is one if it holds a dependency construct of its ecosystem, or an address.

use snapshot::{Entry, RelPath, Snapshot};

/// What a change of such a file means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unread {
    /// Every change could be one of dependencies.
    Whole,
    /// A line with one of these is about dependencies.
    Lines(&'static [&'static str]),
}

use Unread::{Lines, Whole};

/// How many brackets around a line are looked at.
const MOST_AROUND: usize = 16;

/// Names of files, without a difference of case: the ecosystem, the names, and what a change means. A name that starts with
/// `*` is the end of one; one with a `/` is the end of a path.
const TABLE: &[(&str, &[&str], Unread)] = &[
    (
        "Node",
        &[
            ".yarnrc.yml",
            ".yarnrc",
            "bunfig.toml",
            "bun.lockb",
            ".pnpmfile.cjs",
            ".pnpmfile.mjs",
            "pnpmfile.js",
        ],
        Whole,
    ),
    (
        "Node",
        &["lerna.json", "rush.json", "common-versions.json", "bower.json", ".bowerrc", "jspm.json"],
        Whole,
    ),
    (
        "Deno",
        &["deno.json", "deno.jsonc", "deno.lock", "import_map.json", "jsr.json", "jsr.jsonc"],
        Whole,
    ),
    (
        "Python",
        &[
            "pip.conf",
            "pip.ini",
            "uv.toml",
            "pylock.toml",
            "*.pylock.toml",
            "poetry.toml",
            "pdm.toml",
            ".pdm.toml",
            "conda-lock.yml",
            "meta.yaml",
            "recipe.yaml",
            ".condarc",
            "hatch.toml",
            ".pypirc",
        ],
        Whole,
    ),
    ("Python", &["noxfile.py"], Lines(&["install", "dependencies", "requires", "# ///"])),
    ("pixi", &["pixi.toml", "pixi.lock", ".pixi/config.toml"], Whole),
    (
        "Gradle wrapper",
        &["gradle-wrapper.properties", "gradle-wrapper.jar", "gradlew", "gradlew.bat"],
        Whole,
    ),
    (
        "Gradle",
        &["gradle.properties"],
        Lines(&["repo", "url", "proxy", "systemprop", "distribution"]),
    ),
    (
        "Gradle",
        &["verification-metadata.xml", "dependency-locks/*", "init.gradle", "init.gradle.kts"],
        Whole,
    ),
    (
        "Maven wrapper",
        &[
            "maven-wrapper.properties",
            "maven-wrapper.jar",
            "mavenwrapperdownloader.java",
            "mvnw",
            "mvnw.cmd",
        ],
        Whole,
    ),
    (
        "Maven",
        &[
            ".mvn/extensions.xml",
            ".mvn/maven.config",
            ".mvn/settings.xml",
            "settings.xml",
            "ivy.xml",
            "ivysettings.xml",
        ],
        Whole,
    ),
    (
        "sbt",
        &["*.sbt", "project/*.scala", "build.sc", "build.mill", "*.mill"],
        Lines(&[
            "%",
            "librarydependencies",
            "addsbtplugin",
            "addcompilerplugin",
            "resolvers",
            "dependson",
            "ivy\"",
            "mvn\"",
            "repositor",
            "dependencyoverrides",
            "externalresolvers",
        ]),
    ),
    ("sbt", &["project/build.properties", "*.sbt.lock", ".sbtopts", "repositories"], Whole),
    (
        "Swift",
        &["package.swift", "*@swift*.swift"],
        Lines(&[
            ".package(",
            ".binarytarget(",
            ".product(",
            ".plugin(",
            "dependencies",
            "url:",
            "path:",
            "checksum",
            ".systemlibrary(",
        ]),
    ),
    (
        "Swift",
        &[
            "package.resolved",
            "cartfile",
            "cartfile.private",
            "cartfile.resolved",
            "mintfile",
            ".swiftpm/configuration/registries.json",
            ".swiftpm/configuration/mirrors.json",
        ],
        Whole,
    ),
    (
        "Xcode",
        &["project.pbxproj"],
        Lines(&[
            "xcremoteswiftpackagereference",
            "xclocalswiftpackagereference",
            "xcswiftpackageproductdependency",
            "repositoryurl",
            ".framework",
        ]),
    ),
    (
        "CocoaPods",
        &["podfile"],
        Lines(&["pod ", "pod(", "pod'", "pod\"", "source", "plugin", "podspec"]),
    ),
    (
        "CocoaPods",
        &["*.podspec"],
        Lines(&["dependency", "vendored_", ":git", ":http", "framework", "librar"]),
    ),
    ("CocoaPods", &["podfile.lock", "*.podspec.json"], Whole),
    ("Conan", &["conanfile.py"], Lines(&["require", "generators", "options", "conan_data", "/"])),
    (
        "Conan",
        &["conanfile.txt", "conan.lock", "conandata.yml", "remotes.json", "conanws.yml"],
        Whole,
    ),
    ("vcpkg", &["vcpkg.json", "vcpkg-configuration.json", "vcpkg-lock.json"], Whole),
    (
        "Nix",
        &["*.nix"],
        Lines(&[
            "url",
            "inputs",
            "fetch",
            "buildinputs",
            "packages",
            "pkgs",
            "nixpkgs",
            "import ",
            "builtins",
            "sha256",
            "hash",
            "rev ",
        ]),
    ),
    ("Nix", &["flake.lock", "npins/sources.json", "nix/sources.json", "*.nixpkgs.json"], Whole),
    (
        "Bazel",
        &[
            "module.bazel",
            "module.bazel.lock",
            "*.module.bazel",
            "workspace",
            "workspace.bazel",
            "workspace.bzlmod",
            "maven_install.json",
            ".bazelversion",
            "*_install.json",
        ],
        Whole,
    ),
    (
        "Bazel",
        &["*.bzl", "build", "build.bazel"],
        Lines(&[
            "http_archive",
            "http_file",
            "http_jar",
            "git_repository",
            "maven",
            "bazel_dep",
            "use_extension",
            "use_repo",
            "override",
            "\"@",
            "artifact(",
            "pip_",
            "npm_",
            "repository(",
        ]),
    ),
    (
        "Bazel",
        &[".bazelrc", "*.bazelrc"],
        Lines(&[
            "registry",
            "override",
            "distdir",
            "downloader",
            "repository_cache",
            "module_mirrors",
        ]),
    ),
    (
        "Haskell",
        &[
            "*.cabal",
            "cabal.project",
            "cabal.project.freeze",
            "cabal.project.local",
            "package.yaml",
            "stack.yaml",
            "stack.yaml.lock",
            "snapshot.yaml",
        ],
        Whole,
    ),
    ("Erlang", &["rebar.config", "rebar.config.script", "rebar.lock", "erlang.mk"], Whole),
    ("Elm", &["elm.json", "elm-package.json", "elm-tooling.json"], Whole),
    (
        "Julia",
        &[
            "project.toml",
            "manifest.toml",
            "juliaproject.toml",
            "juliamanifest.toml",
            "artifacts.toml",
            "localpreferences.toml",
        ],
        Whole,
    ),
    (
        "R",
        &[
            "description",
            "renv.lock",
            "packrat.lock",
            "packrat.opts",
            "rproject.toml",
            "rv.lock",
            "renv/settings.json",
        ],
        Whole,
    ),
    (
        "R",
        &[".rprofile", "rprofile.site"],
        Lines(&["repos", "install", "source(", "library(", "require("]),
    ),
    ("Zig", &["build.zig.zon"], Whole),
    (
        "Zig",
        &["build.zig"],
        Lines(&["dependency", "linksystemlibrary", "addsystem", "addobjectfile", "@import"]),
    ),
    (
        "Clojure",
        &["deps.edn", "project.clj", "build.boot", "shadow-cljs.edn", "bb.edn", "profiles.clj"],
        Whole,
    ),
    ("Crystal", &["shard.yml", "shard.lock", "shard.override.yml"], Whole),
    ("Gleam", &["gleam.toml", "manifest.toml"], Whole),
    (
        "Helm",
        &[
            "chart.yaml",
            "chart.yml",
            "chart.lock",
            "requirements.yaml",
            "requirements.lock",
            "helmfile.yaml",
            "helmfile.yml",
            "helmfile.lock",
            "vendir.yml",
            "vendir.lock.yml",
        ],
        Whole,
    ),
    ("Terraform", &[".terraform.lock.hcl", ".terraformrc", "terraform.rc", ".tofurc"], Whole),
    (
        "Terraform",
        &["*.tf", "*.tofu", "*.tf.json", "terragrunt.hcl", "*.pkr.hcl"],
        Lines(&["source", "required_providers", "provider", "module", "plugin"]),
    ),
    (
        "CMake",
        &["cmakelists.txt", "*.cmake", "*.cmake.in"],
        Lines(&[
            "find_package",
            "fetchcontent",
            "externalproject",
            "cpmaddpackage",
            "cpmfindpackage",
            "cpmdeclarepackage",
            "find_library",
            "find_path",
            "find_dependency",
            "pkg_check_modules",
            "pkg_search_module",
            "git_repository",
            "git_tag",
            "url",
            "download",
            "required",
            "components",
            "hunter_add_package",
            "target_link_libraries",
            "link_libraries",
            "conan_",
        ]),
    ),
    (
        "CMake",
        &["cmakepresets.json", "cmakeuserpresets.json"],
        Lines(&["toolchain", "provider", "vcpkg", "conan"]),
    ),
    (
        "Meson",
        &["meson.build", "meson.options"],
        Lines(&["dependency(", "subproject(", "find_library(", "find_program("]),
    ),
    ("Meson", &["*.wrap"], Whole),
    ("Go", &["gopkg.toml", "gopkg.lock", "glide.yaml", "glide.lock", "vendor/modules.txt"], Whole),
    ("Ruby", &[".bundle/config"], Whole),
    (
        ".NET",
        &[
            "paket.dependencies",
            "paket.lock",
            "paket.references",
            "dotnet-tools.json",
            "libman.json",
            "project.json",
        ],
        Whole,
    ),
    (".NET", &["global.json"], Lines(&["sdk", "version"])),
    ("Perl", &["cpanfile", "cpanfile.snapshot", "makefile.pl", "build.pl", "dist.ini"], Whole),
    ("Lua", &["*.rockspec", "luarocks.lock"], Whole),
    (
        "Nim",
        &["*.nimble", "nimble.lock", "config.nims"],
        Lines(&["requires", "url", "taskrequires"]),
    ),
    ("OCaml", &["*.opam", "*.opam.locked", "dune-project", "dune-workspace", "esy.json"], Whole),
    ("D", &["dub.json", "dub.sdl", "dub.selections.json"], Whole),
    ("Ansible", &["galaxy.yml", "requirements.yml"], Whole),
    (
        "pre-commit",
        &[".pre-commit-config.yaml", ".pre-commit-config.yml"],
        Lines(&["repo", "additional_dependencies", "- id", "rev"]),
    ),
    (
        "tools",
        &[
            ".tool-versions",
            "mise.toml",
            ".mise.toml",
            "devbox.json",
            "devbox.lock",
            "brewfile",
            "brewfile.lock.json",
            "aqua.yaml",
        ],
        Whole,
    ),
];

/// What is known about a file by its path: its ecosystem, and what a change of it means.
pub(super) fn unread(path: &RelPath) -> Option<(&'static str, Unread)> {
    let whole = path.as_str().to_lowercase();
    let name = whole.rsplit('/').next().unwrap_or(&whole);
    let fits = |pattern: &str| match (pattern.strip_prefix('*'), pattern.split_once('*')) {
        (Some(end), _) => name.ends_with(end) && name.len() >= end.len(),
        (None, Some((folder, end))) => {
            let inner = whole.rsplit_once('/').map_or("", |it| it.0);
            let folder = folder.trim_end_matches('/');
            (inner == folder || inner.ends_with(&format!("/{folder}"))) && name.ends_with(end)
        }
        (None, None) if pattern.contains('/') => {
            whole == pattern || whole.ends_with(&format!("/{pattern}"))
        }
        (None, None) => name == pattern,
    };
    let found = TABLE.iter().find(|(_, names, _)| names.iter().any(|it| fits(it)));
    found.map(|(ecosystem, _, unread)| (*ecosystem, *unread))
}

/// Why the change of such a file is a violation; nothing if it is none.
pub(super) fn changed(
    ecosystem: &str,
    unread: Unread,
    old: Option<&RelPath>,
    before: &Snapshot,
    new: &RelPath,
    after: &Snapshot,
) -> Vec<String> {
    let bytes = |snapshot: &Snapshot, path: &RelPath| match snapshot.get(path) {
        Some(Entry::File(file)) => Some(file.text().bytes().to_vec()),
        _ => None,
    };
    let Some(now) = bytes(after, new) else {
        return vec![format!(
            "is not a file that was read, so its {ecosystem} dependencies cannot be judged"
        )];
    };
    let was = old.and_then(|path| bytes(before, path)).unwrap_or_default();
    if now == was {
        return Vec::new();
    }
    let constructs = match unread {
        Whole => {
            return vec![format!(
                "changed and cannot be read here, but it says where the dependencies of {ecosystem} come from"
            )];
        }
        Lines(constructs) => constructs,
    };
    let (Ok(now), was) = (String::from_utf8(now), String::from_utf8_lossy(&was)) else {
        return vec![format!("is not UTF-8, so its {ecosystem} dependencies cannot be judged")];
    };
    let path = new.as_str().to_lowercase();
    let is_yaml = path.ends_with(".yaml") || path.ends_with(".yml");
    let mut there = std::collections::BTreeMap::<Vec<&str>, usize>::new();
    for line in in_context(&was, is_yaml) {
        *there.entry(line).or_default() += 1;
    }
    let is_about = |line: &str| {
        let folded = plain(line);
        let has_address = folded.contains("://") || folded.contains("git@");
        has_address || constructs.iter().any(|it| folded.contains(it))
    };
    let mut found = Vec::new();
    for line in in_context(&now, is_yaml) {
        match there.get_mut(&line) {
            Some(n) if *n > 0 => *n -= 1,
            // An element of a list says what it is only together with what the list is for.
            _ if line.iter().any(|it| is_about(it)) => {
                let shown = line.first().copied().unwrap_or_default().chars();
                let shown: String = shown.filter(|it| !it.is_control()).take(80).collect();
                found.push(format!("a line may name a new {ecosystem} dependency: {shown}"));
            }
            _ => {}
        }
    }
    found
}

/// A line as constructs are looked for: without a difference of case and of blanks.
fn plain(line: &str) -> String {
    let line = line.to_lowercase();
    let words: Vec<&str> = line.split_whitespace().collect();
    words.join(" ").replace(" (", "(")
}

/// Every line that says something, each followed by the lines that opened the brackets around it, out to the next brace; in
/// YAML also by the line that it stands below.
fn in_context(text: &str, is_yaml: bool) -> Vec<Vec<&str>> {
    let mut open: Vec<(char, &str)> = Vec::new();
    // Lines that may have others below them, each further in than the one before.
    let mut above: Vec<(usize, &str)> = Vec::new();
    let mut found = Vec::new();
    for whole in text.lines() {
        let line = whole.trim();
        if line.is_empty() {
            continue;
        }
        let inner = open.iter().rev().take_while(|it| it.0 != '{').map(|it| it.1);
        let inner = inner.take(MOST_AROUND);
        let mut context: Vec<&str> = std::iter::once(line).chain(inner).collect();
        if is_yaml {
            // An entry of a list may stand as far in as its key.
            let is_entry = line.starts_with('-');
            let indent = 2 * (whole.len() - whole.trim_start().len()) + usize::from(is_entry);
            while above.last().is_some_and(|it| it.0 >= indent) {
                above.pop();
            }
            context.extend(above.last().map(|it| it.1));
            above.push((indent, line));
        }
        found.push(context);
        for bracket in brackets(line) {
            match bracket {
                '(' | '[' | '{' => open.push((bracket, line)),
                // One that closes nothing is no way out of a list.
                closing => {
                    let opening = match closing {
                        ')' => '(',
                        ']' => '[',
                        _ => '{',
                    };
                    if open.last().is_some_and(|it| it.0 == opening) {
                        open.pop();
                    }
                }
            }
        }
    }
    found
}

/// The brackets of a line, without those in quotes or in a comment.
fn brackets(line: &str) -> Vec<char> {
    let (mut found, mut quote, mut last) = (Vec::new(), None, ' ');
    for (at, char) in line.char_indices() {
        match (quote, char) {
            (Some(open), char) if char == open && last != '\\' => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(char),
            (None, '#') if last.is_whitespace() => break,
            (None, '/' | '-' | ';') if last.is_whitespace() => {
                if ["//", "--", ";"].iter().any(|it| line[at..].starts_with(it)) {
                    break;
                }
            }
            (None, '(' | '[' | '{' | ')' | ']' | '}') => found.push(char),
            (None, _) => {}
        }
        last = char;
    }
    found
}
