//! What belongs to a program of the user: what a confined run has to be able to read so that the program starts.
//!
//! Programs of the system need nothing. Others lie in a folder of their own (a virtual environment, a toolchain, a
//! `node_modules`), are scripts that need an interpreter, or are links to one of these. Such a folder is given as a whole
//! only if neither the tree that is looked at nor the user's home lies in it: what stands above a tree is not read.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::which::which;

/// What the sandbox shows to every program.
const SYSTEM: [&str; 7] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store", "/gnu/store"];
/// How many interpreters of interpreters are looked for.
const MAX_DEPTH: usize = 4;

/// A program and what it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Install {
    /// The program without links.
    pub program: PathBuf,
    /// Files and folders that it has to be able to read.
    pub readable: Vec<PathBuf>,
    /// Folders that its `PATH` has to begin with.
    pub folders: Vec<PathBuf>,
    /// The interpreters that it needs, without links: another one of them can give other answers.
    pub interpreters: Vec<PathBuf>,
}

/// What the program at `path` needs. Interpreters that it names without a path are looked for in `path_var`, and never in
/// the forbidden roots; `private` are folders that must not be given as a whole: the user's home, the tree.
pub fn install(
    path: &Path,
    path_var: &OsStr,
    forbidden_roots: &[PathBuf],
    private: &[PathBuf],
) -> Install {
    let private: Vec<PathBuf> =
        private.iter().map(|it| fs::canonicalize(it).unwrap_or_else(|_| it.clone())).collect();
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut found = Install { program: real, ..Install::default() };
    let mut next = Some(path.to_owned());
    for depth in 0..MAX_DEPTH {
        let Some(path) = next.take() else { break };
        let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        for place in [&path, &real] {
            belongings(place, &private, &mut found.readable);
        }
        if depth > 0 {
            found.folders.extend(path.parent().map(Path::to_owned));
            found.interpreters.push(real.clone());
        }
        next = interpreter(&real).and_then(|words| match words.as_slice() {
            [env, name, ..] if env.ends_with("/env") => {
                which(OsStr::new(name), path_var, forbidden_roots).found
            }
            [program, ..] => Some(PathBuf::from(program)),
            [] => None,
        });
    }
    found.readable.sort();
    found.readable.dedup();
    found
}

/// The words of the first line of a script, without options of `env`.
fn interpreter(path: &Path) -> Option<Vec<String>> {
    let mut head = [0; 512];
    let mut file = File::open(path).ok()?;
    let n_read = file.read(&mut head).ok()?;
    let line = head.get(..n_read)?.strip_prefix(b"#!")?.split(|it| *it == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    Some(line.split_whitespace().filter(|it| !it.starts_with('-')).map(str::to_owned).collect())
}

fn belongings(path: &Path, private: &[PathBuf], readable: &mut Vec<PathBuf>) {
    if SYSTEM.iter().any(|it| path.starts_with(it)) {
        return;
    }
    readable.push(path.to_owned());
    let modules = path.ancestors().filter(|it| it.file_name() == Some(OsStr::new("node_modules")));
    if let Some(modules) = modules.last() {
        readable.push(modules.to_owned());
        return;
    }
    let Some(folder) = path.parent().filter(|it| it.file_name() == Some(OsStr::new("bin"))) else {
        return;
    };
    let Some(prefix) = folder.parent() else { return };
    let is_private = |it: &PathBuf| it.starts_with(prefix) || prefix.starts_with(it.join(".local"));
    let is_shared = private.iter().any(is_private) && !prefix.join("pyvenv.cfg").exists();
    if !is_shared && prefix.parent().is_some() {
        readable.push(prefix.to_owned());
        return;
    }
    readable.extend(["lib", "lib64", "libexec"].map(|it| prefix.join(it)));
}

/// The folder with the programs of the toolchain that rustup starts for this user, whatever a tree says: `RUSTUP_HOME`, and
/// the toolchain of `RUSTUP_TOOLCHAIN` or the default one.
pub fn rust_toolchain(rustup_home: &Path, chosen: Option<&str>) -> Option<PathBuf> {
    let settings = fs::read_to_string(rustup_home.join("settings.toml")).unwrap_or_default();
    let default = settings.lines().find_map(|line| {
        let value =
            line.trim().strip_prefix("default_toolchain")?.trim_start().strip_prefix('=')?;
        Some(value.trim().trim_matches(['"', '\'']).to_owned())
    });
    let name = chosen.map(str::to_owned).or(default)?;
    let is_plain = !name.is_empty() && !name.contains(['/', '\\']) && !name.starts_with('.');
    let toolchains = rustup_home.join("toolchains");
    let exact = is_plain.then(|| toolchains.join(&name)).filter(|it| it.is_dir());
    let full = || {
        // `stable` stands for `stable-x86_64-unknown-linux-gnu`.
        let entries = fs::read_dir(&toolchains).ok()?.filter_map(Result::ok);
        let start = format!("{name}-");
        let mut found: Vec<PathBuf> = entries
            .filter(|it| it.file_name().to_str().is_some_and(|it| it.starts_with(&start)))
            .map(|it| it.path())
            .collect();
        found.sort();
        found.into_iter().next()
    };
    exact.or_else(|| is_plain.then(full).flatten()).map(|it| it.join("bin"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn program(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_script_needs_its_environment_and_its_interpreter() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        program(&root.join("python/bin/python3"), "");
        program(&root.join("venv/pyvenv.cfg"), "");
        program(
            &root.join("venv/bin/tool"),
            &format!("#!{}\n", root.join("venv/bin/python").display()),
        );
        symlink(root.join("python/bin/python3"), root.join("venv/bin/python")).unwrap();
        let private = [root.join("home")];
        let found = install(&root.join("venv/bin/tool"), OsStr::new(""), &[], &private);
        let has = |it: &str| found.readable.contains(&root.join(it));
        assert!(has("venv") && has("python"), "{found:?}");
        assert_eq!(found.interpreters, [root.join("python/bin/python3")]);
    }

    #[test]
    fn a_folder_that_holds_the_tree_or_the_home_is_not_given_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        program(&root.join("bin/tool"), "\x7fELF");
        program(&root.join("home/.local/bin/other"), "\x7fELF");
        fs::create_dir_all(root.join("tree")).unwrap();
        let private = [root.join("home"), root.join("tree")];
        for (path, whole) in
            [("bin/tool", root.clone()), ("home/.local/bin/other", root.join("home/.local"))]
        {
            let found = install(&root.join(path), OsStr::new(""), &[], &private);
            assert!(!found.readable.contains(&whole), "{found:?}");
            assert!(found.readable.contains(&root.join(path)), "{found:?}");
        }
    }

    #[test]
    fn packages_of_node_are_given_with_their_neighbours() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        program(&root.join("npm/node_modules/eslint/bin/eslint.js"), "#!/usr/bin/env node\n");
        fs::create_dir_all(root.join("npm/node_modules/.bin")).unwrap();
        let link = root.join("npm/node_modules/.bin/eslint");
        symlink("../eslint/bin/eslint.js", &link).unwrap();
        let found = install(&link, OsStr::new("/usr/bin"), &[], &[]);
        assert!(found.readable.contains(&root.join("npm/node_modules")), "{found:?}");
        assert_eq!(found.program, root.join("npm/node_modules/eslint/bin/eslint.js"));
    }

    #[test]
    fn the_toolchain_is_the_users_and_never_a_path() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        fs::create_dir_all(home.join("toolchains/stable-x86_64/bin")).unwrap();
        fs::write(home.join("settings.toml"), "version = \"12\"\ndefault_toolchain = \"stable\"\n")
            .unwrap();
        let stable = Some(home.join("toolchains/stable-x86_64/bin"));
        assert_eq!(rust_toolchain(home, None), stable);
        assert_eq!(rust_toolchain(home, Some("stable-x86_64")), stable);
        assert_eq!(rust_toolchain(home, Some("../evil")), None);
        assert_eq!(rust_toolchain(home, Some("nightly")), None);
    }
}
