//! The ways to install, by the commands that the guide gives.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::install::{InstallFolder, Installer, snapshot};
use super::{Files, GLIBC, TARGET, tarball};

pub(crate) const WAYS: [Installer; 5] = [
    Installer { name: "the archive", install: unpack, check: check_archive, remove: remove_prefix },
    Installer { name: "the wheel", install: pip_install, check: nothing, remove: pip_uninstall },
    Installer {
        name: "the npm packages, for the user",
        install: npm_install,
        check: check_npm,
        remove: npm_uninstall,
    },
    Installer {
        name: "the npm packages, in a project",
        install: npx_install,
        check: check_npx,
        remove: npx_remove,
    },
    Installer {
        name: "the Debian package",
        install: dpkg_install,
        check: check_debian,
        remove: dpkg_remove,
    },
];

fn nothing(_: &InstallFolder) -> Result<()> {
    Ok(())
}

/// The path of the file whose name begins and ends so.
fn file(place: &InstallFolder, files: &Files, start: &str, end: &str) -> Result<String> {
    let mut names = files.keys();
    let name = names.find(|it| it.starts_with(start) && it.ends_with(end));
    let name = name.with_context(|| format!("no file {start}…{end}"))?;
    Ok(place.dist.join(name).display().to_string())
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// The page can be shown by `man`, and is the one of the binary that is installed.
fn check_page(place: &InstallFolder, page: &Path) -> Result<()> {
    let shown = place.run("man", &["--local-file", "--pager=cat", &text(page)])?;
    let shown = shown.replace('\u{8}', "");
    ensure!(shown.contains("SYNOPSIS") && shown.contains("regreen"), "man shows: {shown}");
    Ok(())
}

fn remove_prefix(place: &InstallFolder) -> Result<()> {
    fs::remove_dir_all(place.prefix())?;
    Ok(fs::create_dir(place.prefix())?)
}

fn unpack(place: &mut InstallFolder, files: &Files) -> Result<()> {
    let archive = file(place, files, "regreen-", ".tar.gz")?;
    let dist = text(&place.dist);
    place.run("sh", &["-c", &format!("cd '{dist}' && sha256sum --check --quiet SHA256SUMS")])?;
    place.run("tar", &["-xzf", &archive, "-C", &text(&place.prefix())])?;
    place.add_path(unpacked(place));
    Ok(())
}

fn unpacked(place: &InstallFolder) -> PathBuf {
    place.prefix().join(format!("regreen-{}-{TARGET}", place.version))
}

fn check_archive(place: &InstallFolder) -> Result<()> {
    let folder = unpacked(place);
    for name in tarball::DOCUMENTS {
        ensure!(folder.join(name).exists(), "{name} is missing");
    }
    let pages = snapshot(&folder.join("man/man1"))?;
    for name in pages.keys() {
        check_page(place, &folder.join("man/man1").join(name))?;
    }
    let listed = place.run("regreen", &["man", "--list"])?;
    ensure!(listed.lines().count() == pages.len(), "there is not one page per command");
    let completions = folder.join("completions");
    place.run("bash", &["-n", &text(&completions.join("regreen.bash"))])?;
    for (shell, script) in [("zsh", "_regreen"), ("fish", "regreen.fish")] {
        if Path::new("/usr/bin").join(shell).exists() {
            place.run(shell, &["-n", &text(&completions.join(script))])?;
        }
    }
    Ok(())
}

fn pip_install(place: &mut InstallFolder, _: &Files) -> Result<()> {
    let venv = place.prefix().join("venv");
    // The Python that runs here; the one of a version manager finds its home by a variable that is not set.
    place.run("python3", &["-m", "venv", &text(&venv)])?;
    place.add_path(venv.join("bin"));
    let dist = text(&place.dist);
    place.before = snapshot(&place.prefix())?.into_keys().collect();
    let flags = ["install", "--no-cache-dir", "--disable-pip-version-check", "--no-index"];
    place.run("pip", &[&flags[..], &["--find-links", &dist, "regreen"]].concat())?;
    let listed = place.run("pip", &["show", "--files", "regreen"])?;
    ensure!(listed.contains("bin/regreen"), "pip show says: {listed}");
    let (major, minor) = GLIBC;
    let installed = snapshot(&venv)?;
    let tags = installed
        .iter()
        .find(|(name, _)| name.contains("/regreen-") && name.ends_with(".dist-info/WHEEL"));
    let tags = String::from_utf8_lossy(tags.context("no WHEEL file")?.1).into_owned();
    ensure!(tags.contains(&format!("manylinux_{major}_{minor}")), "the wheel has the tags {tags}");
    Ok(())
}

fn pip_uninstall(place: &InstallFolder) -> Result<()> {
    place.run("pip", &["uninstall", "--yes", "regreen"])?;
    let is_new = |it: &String| !it.contains("__pycache__") && !place.before.contains(it);
    let left: Vec<String> = snapshot(&place.prefix())?.into_keys().filter(is_new).collect();
    ensure!(left.is_empty(), "pip left behind: {}", left.join(", "));
    remove_prefix(place)
}

const NPM: [&str; 4] = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier"];

/// Both packages are given as files, since none of them is in a registry here.
fn tarballs(place: &InstallFolder, files: &Files) -> Result<[String; 2]> {
    let version = &place.version;
    Ok([
        file(place, files, &format!("regreen-{version}.tgz"), "")?,
        file(place, files, &format!("regreen-linux-x64-{version}.tgz"), "")?,
    ])
}

fn npm_install(place: &mut InstallFolder, files: &Files) -> Result<()> {
    let [launcher, platform] = tarballs(place, files)?;
    let prefix = text(&place.prefix());
    let words = ["install", "--global", "--prefix", &prefix, &platform, &launcher];
    place.run("npm", &[&words[..], &NPM].concat())?;
    place.add_path(place.prefix().join("bin"));
    Ok(())
}

/// The launcher is invisible: arguments with blanks, standard input, exit codes and signals pass.
fn check_npm(place: &InstallFolder) -> Result<()> {
    let script = r#"
        set -u
        fail() { echo "$*" >&2; exit 1; }
        printf 'fn main() -> IO + Unit {\n  println("hi")\n}\n' > 'a b.clank'
        [ "$(regreen run 'a b.clank')" = hi ] || fail "an argument with a blank did not pass"
        printf '{"a": 1}' | regreen check --stdin-path a.json > /dev/null || fail "standard input did not pass"
        printf 'fn main( {' | regreen check --stdin-path a.clank > /dev/null 2>&1
        [ $? -eq 1 ] || fail "exit code 1 did not pass"
        regreen --no-such-flag 2> /dev/null
        [ $? -eq 2 ] || fail "exit code 2 did not pass"
        rm 'a b.clank'
    "#;
    place.run("bash", &["-c", script])?;
    for (name, number) in [("HUP", 1), ("INT", 2), ("QUIT", 3), ("TERM", 15)] {
        // It waits for standard input, which does not end.
        let mut regreen = place.command("regreen")?;
        regreen.args(["check", "--stdin-path", "a.json"]).stdin(Stdio::piped());
        let mut child = regreen.spawn()?;
        std::thread::sleep(Duration::from_secs(2));
        place.run("kill", &["-s", name, &child.id().to_string()])?;
        let status = child.wait()?;
        ensure!(status.signal() == Some(number), "SIG{name} ended it with {status}");
    }
    Ok(())
}

fn npm_uninstall(place: &InstallFolder) -> Result<()> {
    let prefix = text(&place.prefix());
    let words = ["uninstall", "--global", "--prefix", &prefix, "regreen", "@regreen/linux-x64"];
    place.run("npm", &[&words[..], &NPM].concat())?;
    npm_cache_is_left(place)
}

/// npm keeps a cache and logs of its own in the home; they are npm's.
fn npm_cache_is_left(place: &InstallFolder) -> Result<()> {
    let cache = place.home().join(".npm");
    if cache.exists() {
        fs::remove_dir_all(cache)?;
    }
    Ok(())
}

fn npx_install(place: &mut InstallFolder, files: &Files) -> Result<()> {
    let [launcher, platform] = tarballs(place, files)?;
    fs::write(place.prefix().join("package.json"), "{ \"private\": true }\n")?;
    let prefix = text(&place.prefix());
    let words = ["install", "--prefix", &prefix, "--save-dev", &platform, &launcher];
    place.run("npm", &[&words[..], &NPM].concat())?;
    place.add_path(place.prefix().join("node_modules/.bin"));
    Ok(())
}

fn check_npx(place: &InstallFolder) -> Result<()> {
    let script = format!("cd '{}' && npx --no-install regreen --version", text(&place.prefix()));
    let printed = place.run("sh", &["-c", &script])?;
    ensure!(printed.contains(&place.version), "npx regreen says {printed}");
    Ok(())
}

fn npx_remove(place: &InstallFolder) -> Result<()> {
    let prefix = text(&place.prefix());
    let words = ["uninstall", "--prefix", &prefix, "regreen", "@regreen/linux-x64"];
    place.run("npm", &[&words[..], &NPM].concat())?;
    for name in ["package.json", "package-lock.json", "node_modules/.package-lock.json"] {
        let path = place.prefix().join(name);
        if path.exists() {
            fs::remove_file(path)?;
        }
    }
    npm_cache_is_left(place)
}

/// Where dpkg keeps its books: a copy of the system's, so that dependencies are looked up in what is installed here.
fn books(place: &InstallFolder) -> PathBuf {
    place.work().with_file_name("dpkg")
}

fn dpkg(place: &InstallFolder, words: &[&str]) -> Result<String> {
    let books = format!("--admindir={}", text(&books(place)));
    let root = format!("--instdir={}", text(&place.prefix()));
    // Triggers are programs of other packages; they would look for theirs where only ours is.
    let flags = ["--force-not-root,bad-path", "--no-triggers", &books, &root, "--log=/dev/null"];
    place.run("dpkg", &[&flags[..], words].concat())
}

fn dpkg_install(place: &mut InstallFolder, files: &Files) -> Result<()> {
    place.run("cp", &["-r", "/var/lib/dpkg", &text(&books(place))])?;
    dpkg(place, &["--install", &file(place, files, "regreen_", ".deb")?])?;
    place.add_path(place.prefix().join("usr/bin"));
    Ok(())
}

fn check_debian(place: &InstallFolder) -> Result<()> {
    let status = dpkg(place, &["--status", "regreen"])?;
    ensure!(status.contains("install ok installed"), "dpkg --status says: {status}");
    let share = place.prefix().join("usr/share");
    for name in [
        "doc/regreen/copyright",
        "bash-completion/completions/regreen",
        "fish/vendor_completions.d/regreen.fish",
        "zsh/vendor-completions/_regreen",
    ] {
        ensure!(share.join(name).exists(), "usr/share/{name} is missing");
    }
    let folder = text(&share.join("man"));
    let shown = place.run("man", &["--manpath", &folder, "--pager=cat", "regreen-fix"])?;
    ensure!(shown.contains("SYNOPSIS"), "man regreen-fix shows: {shown}");
    check_page(place, &share.join("man/man1/regreen.1.gz"))
}

fn dpkg_remove(place: &InstallFolder) -> Result<()> {
    dpkg(place, &["--purge", "regreen"]).map(drop)
}
