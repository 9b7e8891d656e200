//! Finding programs, and telling one from another.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use launch::{ProgramIdentity, SkipReason, which};

fn program(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "#!/bin/sh\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Looks for `tool` with the entries of a `PATH`; `{}` is the folder of the test. The repository is `{}/repo`.
#[track_caller]
fn check(name: &str, entries: &str, expected: &str) {
    let temp = tempfile::tempdir().unwrap();
    let base = fs::canonicalize(temp.path()).unwrap();
    for place in [
        "repo/bin/tool",
        "repo/node_modules/.bin/tool",
        "good/tool",
        "other/tool",
        "repository/tool",
    ] {
        program(&base.join(place));
    }
    fs::create_dir_all(base.join("plain")).unwrap();
    fs::write(base.join("plain/tool"), "not executable").unwrap();
    fs::create_dir_all(base.join("folder/tool")).unwrap();
    symlink("repo/bin", base.join("into")).unwrap();
    fs::create_dir_all(base.join("linked")).unwrap();
    symlink(base.join("repo/bin/tool"), base.join("linked/tool")).unwrap();
    symlink("repo", base.join("alias")).unwrap();
    let shown = |path: &Path| path.display().to_string().replace(base.to_str().unwrap(), "{}");
    let entries = entries.replace("{}", base.to_str().unwrap());
    let roots: Vec<PathBuf> = vec![base.join("alias")];
    let search = which(OsStr::new(name), OsStr::new(&entries), &roots);
    let mut said: Vec<String> = search
        .skipped
        .iter()
        .map(|it| match &it.reason {
            SkipReason::Relative => format!("relative {}", shown(&it.path)),
            SkipReason::InRoot { .. } => format!("in root {}", shown(&it.path)),
            _ => panic!("{it:?}"),
        })
        .collect();
    said.extend(search.found.as_deref().map(shown));
    assert_eq!(said.join(", "), expected);
}

#[test]
fn programs_are_never_taken_from_the_repository() {
    check("tool", "{}/good:{}/other", "{}/good/tool");
    check("tool", "{}/missing:{}/other", "{}/other/tool");
    check("tool", "{}/repo/bin:{}/good", "in root {}/repo/bin, {}/good/tool");
    check("tool", "{}/alias/bin:{}/good", "in root {}/alias/bin, {}/good/tool");
    check("tool", "{}/repo/node_modules/.bin", "in root {}/repo/node_modules/.bin");
    check("tool", "{}/into:{}/good", "in root {}/into, {}/good/tool");
    check("tool", "{}/linked:{}/good", "in root {}/linked/tool, {}/good/tool");
    check("tool", "{}/good/../repo/bin:{}/good", "in root {}/good/../repo/bin, {}/good/tool");
    check(
        "tool",
        ".:node_modules/.bin::{}/good",
        "relative ., relative node_modules/.bin, relative , {}/good/tool",
    );
    check("tool", "{}/plain:{}/folder:{}/good", "{}/good/tool");
    check("tool", "{}/repository", "{}/repository/tool");
    check("tool", "", "relative ");
    check("other", "{}/good", "");
    check("../good/tool", "{}/good", "");
    check("", "{}/good", "");
}

#[test]
fn an_identity_changes_with_the_program() {
    let temp = tempfile::tempdir().unwrap();
    let (tool, link) = (temp.path().join("tool"), temp.path().join("link"));
    program(&tool);
    symlink("tool", &link).unwrap();
    let first = ProgramIdentity::of(&tool).unwrap();
    assert_eq!(ProgramIdentity::of(&link).unwrap(), first);
    assert_eq!(first.hash().unwrap(), edit::ContentHash::of(b"#!/bin/sh\n"));
    let unread = ProgramIdentity::of(&tool).unwrap();
    // The same length, and the same time of writing.
    let times = fs::metadata(&tool).unwrap().modified().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(30));
    fs::write(&tool, "#!/bin/sx\n").unwrap();
    fs::File::options().write(true).open(&tool).unwrap().set_modified(times).unwrap();
    assert_ne!(ProgramIdentity::of(&tool).unwrap(), first);
    assert!(unread.hash().unwrap_err().to_string().contains("changed"));
    fs::remove_file(&tool).unwrap();
    assert!(ProgramIdentity::of(&link).is_err());
}
