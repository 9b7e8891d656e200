//! The files that nothing here reads, by ecosystem: what is not known never passes (X-112).
//!
//! A pure manifest, a lock file or the configuration of a resolver is a violation when it changes at all. In a file that is
//! also code, a line that came or changed is one if it holds a dependency construct of its ecosystem, or an address.

use snapshot::{Entry, RelPath, Snapshot};

/// What a change of such a file means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unread {
    /// Every change could be one of dependencies.
    Whole,
    /// A line with one of these is about dependencies, and so is one with an address.
    Lines(&'static [&'static str]),
    /// Code of a build: a line with the coordinates of a package (`"group:name:version"`) is about dependencies too.
    Coordinates(&'static [&'static str]),
    /// A source file like any other: a line that starts with one of the first, or holds one of the second, says what the file
    /// needs to be run.
    Inline(&'static [&'static str], &'static [&'static str]),
    /// The same, where the first count only in a file that begins as a script does.
    Script(&'static [&'static str], &'static [&'static str]),
}

use Unread::{Coordinates, Inline, Lines, Script, Whole};

/// How many brackets around a line are looked at.
const MOST_AROUND: usize = 16;

/// Names of files, without a difference of case: the ecosystem, the names, and what a change means. A `*` stands for any part
/// of a name; a name with a `/` is the end of a path. The first that fits counts.
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
        &[
            ".yarn/releases/*",
            ".yarn/plugins/*",
            ".yarn/plugins/*/*",
            "lerna.json",
            "rush.json",
            "common-versions.json",
            "bower.json",
            ".bowerrc",
            "jspm.json",
        ],
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
            "pylock.*.toml",
            "*.pylock.toml",
            "tox.toml",
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
    ("Maven", &[".mvn/*", "settings.xml", "ivy.xml", "ivysettings.xml"], Whole),
    (
        "Gradle",
        &["buildsrc/**", "build-logic/**"],
        Coordinates(&["classpath", "implementation(", "dependsonproject"]),
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
            "helmfile.*.gotmpl",
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
            " required",
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
        "Kustomize",
        &["kustomization.yaml", "kustomization.yml"],
        Lines(&["helmcharts", "chart", "github.com"]),
    ),
    (
        "Pulumi",
        &["pulumi.yaml", "pulumi.*.yaml"],
        Lines(&["plugins", "providers", "packages", "path:"]),
    ),
    ("Buf", &["buf.yaml", "buf.lock", "buf.gen.yaml", "buf.work.yaml"], Whole),
    ("Solidity", &["foundry.toml", "remappings.txt", "soldeer.lock"], Whole),
    ("Chef, Puppet", &["berksfile", "berksfile.lock", "puppetfile", "puppetfile.lock"], Whole),
    (
        "Xmake",
        &["xmake.lua"],
        Lines(&["add_requires", "add_packages", "add_repositories", "package("]),
    ),
    ("Spack", &["spack.yaml", "spack.lock"], Whole),
    ("PureScript", &["spago.yaml", "spago.dhall", "spago.lock", "packages.dhall"], Whole),
    ("V, Haxe, Ada, Ballerina", &["v.mod", "haxelib.json", "alire.toml", "ballerina.toml"], Whole),
    ("Unity", &["packages/manifest.json", "packages/packages-lock.json"], Whole),
    ("Mercurial", &[".hgsub", ".hgsubstate"], Whole),
    ("Rust", &["rust-toolchain.toml", "rust-toolchain"], Lines(&["path"])),
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
    (
        "Deno",
        &["*.ts", "*.tsx", "*.mts", "*.js", "*.mjs", "*.jsx"],
        Inline(
            &["#!/usr/bin/env -s npx", "#!/usr/bin/env npx"],
            &[
                "from \"http",
                "from 'http",
                "import \"http",
                "import 'http",
                "import(\"http",
                "import('http",
                "from \"npm:",
                "from 'npm:",
                "import \"npm:",
                "import 'npm:",
                "import(\"npm:",
                "import('npm:",
                "from \"jsr:",
                "from 'jsr:",
                "import \"jsr:",
                "import 'jsr:",
                "import(\"jsr:",
                "import('jsr:",
            ],
        ),
    ),
    (
        "Scala",
        &["*.scala", "*.sc"],
        Inline(
            &[
                "//> using dep",
                "//> using lib",
                "//> using test.dep",
                "//> using repo",
                "//> using plugin",
                "//> using jar",
            ],
            &["$ivy.", "$dep."],
        ),
    ),
    ("Java", &["*.java"], Inline(&["//deps ", "//repos ", "//jar "], &[])),
    (
        "Kotlin",
        &["*.kts", "*.kt"],
        Inline(&["@file:dependson", "@file:repository", "//deps ", "//repos "], &[]),
    ),
    ("Groovy", &["*.groovy"], Inline(&["@grab"], &["grape.grab("])),
    (
        "Rust",
        &["*.rs"],
        Script(&["[dependencies"], &["//! [dependencies", "//! ```cargo", "// cargo-deps:"]),
    ),
    (
        ".NET",
        &["*.csx", "*.fsx", "*.cs"],
        Inline(&["#r \"", "#i \"", "#:package", "#:sdk", "#:project"], &[]),
    ),
    ("Elixir", &["*.ex", "*.exs", "*.livemd"], Inline(&[], &["mix.install("])),
    (
        "Ruby",
        &["*.rb", "*.ru"],
        Inline(&["gem '", "gem \"", "gem('", "gem(\""], &["bundler/inline"]),
    ),
    (
        "Haskell",
        &["*.hs", "*.lhs"],
        Inline(
            &["build-depends:", "{- cabal:"],
            &["stack script", "stack runghc", "stack --resolver"],
        ),
    ),
    (
        "R",
        &["*.r", "*.rmd", "*.qmd"],
        Inline(
            &[],
            &[
                "install.packages(",
                "install_github(",
                "install_version(",
                "install_url(",
                "pak::pkg_install(",
                "biocmanager::install(",
                "renv::install(",
                "p_load(",
            ],
        ),
    ),
    ("Julia", &["*.jl"], Inline(&[], &["pkg.add(", "pkg.develop(", "pkg\"add"])),
];

/// What the first line of a script may say that it needs, whatever the file is called.
const SHEBANGS: &[&str] =
    &[" --with", " --package", " -p ", "npx ", "pipx run", "uvx ", "nix-shell -", "-zscript"];

/// What the interpreter of a script is asked to install before it runs it; nothing if that is as before.
pub(super) fn shebang(
    old: Option<&RelPath>,
    before: &Snapshot,
    new: &RelPath,
    after: &Snapshot,
) -> Option<String> {
    let said = |snapshot: &Snapshot, path: &RelPath| {
        let Some(Entry::File(file)) = snapshot.get(path) else { return Vec::new() };
        let text =
            String::from_utf8_lossy(&file.text().bytes()[..file.text().len().min(MOST_SHEBANG)])
                .into_owned();
        let lines = text.lines().take_while(|it| it.starts_with("#!")).map(plain);
        lines.filter(|it| SHEBANGS.iter().any(|by| it.contains(by))).collect::<Vec<String>>()
    };
    let was = old.map(|path| said(before, path)).unwrap_or_default();
    let found = said(after, new).into_iter().find(|it| !was.contains(it))?;
    let shown: String = found.chars().filter(|it| !it.is_control()).take(80).collect();
    Some(format!("its first line may name a new dependency: {shown}"))
}

/// How much of a file is looked at for that.
const MOST_SHEBANG: usize = 4096;

/// What is known about a file by its path: its ecosystem, and what a change of it means.
pub(super) fn unread(path: &RelPath) -> Option<(&'static str, Unread)> {
    let whole = path.as_str().to_lowercase();
    let name = whole.rsplit('/').next().unwrap_or(&whole);
    let fits = |pattern: &str| match pattern.strip_suffix("/**") {
        Some(folder) => whole.split('/').rev().skip(1).any(|it| it == folder),
        None if !pattern.contains('/') => is_like(pattern, name),
        None => {
            let n_segments = pattern.split('/').count();
            let segments: Vec<&str> = whole.split('/').collect();
            let Some(start) = segments.len().checked_sub(n_segments) else { return false };
            pattern.split('/').zip(&segments[start..]).all(|(pattern, it)| is_like(pattern, it))
        }
    };
    let found = TABLE.iter().find(|(_, names, _)| names.iter().any(|it| fits(it)));
    found.map(|(ecosystem, _, unread)| (*ecosystem, *unread))
}

/// Whether the name is like the pattern, in which `*` stands for anything.
fn is_like(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(end)
}

/// Whether the line has the coordinates of a package in quotes: `"group:name"` or `"group:name:version"`.
fn has_coordinates(line: &str) -> bool {
    let is_part = |it: &str| {
        !it.is_empty()
            && it.bytes().all(|it| it.is_ascii_alphanumeric() || b"._-+$@{}".contains(&it))
    };
    let quoted = line.split(['"', '\'']).skip(1).step_by(2);
    quoted.into_iter().any(|it| {
        let parts: Vec<&str> = it.split(':').collect();
        parts.len() >= 2 && parts.iter().all(|it| is_part(it)) && parts[0].len() > 1
            || parts.len() >= 3 && parts.iter().all(|it| is_part(it))
    })
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
    if unread == Whole {
        return vec![format!(
            "changed and cannot be read here, but it says where the dependencies of {ecosystem} come from"
        )];
    }
    // A source file that is no text names nothing.
    let is_source = matches!(unread, Inline(..) | Script(..));
    if is_source && std::str::from_utf8(&now).is_err() {
        return Vec::new();
    }
    let (Ok(now), was) = (String::from_utf8(now), String::from_utf8_lossy(&was)) else {
        return vec![format!("is not UTF-8, so its {ecosystem} dependencies cannot be judged")];
    };
    let path = new.as_str().to_lowercase();
    let is_yaml = path.ends_with(".yaml") || path.ends_with(".yml");
    let mut there = std::collections::BTreeMap::<Vec<&str>, usize>::new();
    for line in in_context(&was, is_yaml) {
        *there.entry(line).or_default() += 1;
    }
    let is_script = now.starts_with("#!") || now.starts_with("---");
    let is_about = |line: &str| {
        let folded = plain(line);
        let has_address = || folded.contains("://") || folded.contains("git@");
        let holds = |constructs: &[&str]| constructs.iter().any(|it| folded.contains(it));
        let begins = |constructs: &[&str]| constructs.iter().any(|it| folded.starts_with(it));
        match unread {
            Whole => true,
            Lines(constructs) => has_address() || holds(constructs),
            Coordinates(constructs) => {
                has_address() || holds(constructs) || has_coordinates(&folded)
            }
            Inline(starts, within) => holds(within) || begins(starts),
            Script(starts, within) => holds(within) || (is_script && begins(starts)),
        }
    };
    // What a source file says about itself stands on a line of its own.
    let n_around = if is_source { 1 } else { usize::MAX };
    let mut found = Vec::new();
    for line in in_context(&now, is_yaml) {
        match there.get_mut(&line) {
            Some(n) if *n > 0 => *n -= 1,
            // An element of a list says what it is only together with what the list is for.
            _ if line.iter().take(n_around).any(|it| is_about(it)) => {
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
