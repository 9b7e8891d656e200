//! `--changed` and `--staged`, in real repositories.

use std::process::Command;

use super::red::RED;
use super::support::{Ran, Scene};

/// git and what it needs; nothing of the person who runs the tests.
pub(crate) fn variables(scene: &Scene) -> Vec<(&'static str, String)> {
    let home = scene.path("home").to_string_lossy().into_owned();
    let path = std::env::var("PATH").unwrap_or_default();
    let who = "somebody".to_owned();
    let mail = "somebody@example.org".to_owned();
    vec![
        ("PATH", path),
        ("HOME", home),
        ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
        ("GIT_AUTHOR_NAME", who.clone()),
        ("GIT_AUTHOR_EMAIL", mail.clone()),
        ("GIT_COMMITTER_NAME", who),
        ("GIT_COMMITTER_EMAIL", mail),
    ]
}

#[track_caller]
pub(crate) fn git(scene: &Scene, line: &str) -> String {
    let mut command = Command::new("git");
    command.current_dir(scene.path("ws")).env_clear().envs(variables(scene));
    let output = command.args(line.split_whitespace()).output().unwrap();
    assert!(output.status.success(), "git {line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn run(scene: &Scene, line: &str) -> Ran {
    let variables = variables(scene);
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    scene.run_with(line, &variables, "")
}

pub(crate) fn repository() -> Scene {
    let scene = Scene::new(RED);
    scene.write("ws/.gitignore", ".regreen/\nignored.yaml\n");
    git(&scene, "init -q -b main");
    git(&scene, "add .");
    git(&scene, "commit -q -m start");
    scene
}

pub(crate) fn files(ran: &Ran) -> Vec<String> {
    let report = ran.json();
    let diagnostics = report["diagnostics"].as_array().unwrap();
    let mut files: Vec<String> =
        diagnostics.iter().map(|it| it["file"].as_str().unwrap().to_owned()).collect();
    files.dedup();
    files
}

const BAD: &str = "# yaml-language-server: $schema=service.schema.json\nname: 5\n";

/// What differs from the commit, staged or not, and untracked files that are not ignored.
#[test]
fn changed_is_what_differs_from_a_commit_and_what_is_untracked() {
    let scene = repository();
    assert_eq!(run(&scene, "check --changed").code, 0);
    scene.write("ws/new.yaml", BAD);
    scene.write("ws/sub/ünew.yaml", &BAD.replace("service", "../service"));
    scene.write("ws/ignored.yaml", BAD);
    std::fs::remove_file(scene.path("ws/notes/free.toml")).unwrap();
    let ran = run(&scene, "check --changed --format json");
    assert_eq!(files(&ran), ["new.yaml", "sub/ünew.yaml"], "{}", ran.text());
    git(&scene, "add new.yaml");
    git(&scene, "commit -q -m more");
    let ran = run(&scene, "check --changed=HEAD~1 --format json");
    assert_eq!(files(&ran), ["new.yaml", "sub/ünew.yaml"], "{}", ran.text());
    let ran = run(&scene, "check --changed --format json");
    assert_eq!(files(&ran), ["sub/ünew.yaml"], "{}", ran.text());
}

#[test]
fn before_the_first_commit_everything_is_changed() {
    let scene = Scene::new(RED);
    git(&scene, "init -q -b main");
    git(&scene, "add web.json");
    let ran = run(&scene, "check --changed --format json");
    assert_eq!(files(&ran), ["api.yaml", "web.json"], "{}", ran.text());
}

/// A root below the top of the repository, and a user who stands somewhere else.
#[test]
fn the_workspace_may_be_a_folder_of_the_repository() {
    let scene = Scene::new(&RED.replace("//- ws/", "//- ws/deep/"));
    git(&scene, "init -q -b main");
    scene.write("ws/outside.yaml", BAD);
    let ran = run(&scene, "check --changed --format json --root ws/deep");
    assert_eq!(files(&ran), ["api.yaml", "web.json"], "{}", ran.text());
    let ran = run(&scene, "check --format github --root ws/deep");
    assert!(ran.stdout.starts_with("::error file=deep/api.yaml,line="), "{}", ran.text());
    git(&scene, "add deep");
    let ran = run(&scene, "fix --staged --root ws/deep");
    assert!(git(&scene, "show :deep/api.yaml").contains("port: 8080"), "{}", ran.text());
    assert!(scene.read("ws/deep/api.yaml").contains("port: 8080"), "{}", ran.text());
}

#[test]
fn what_git_cannot_do_is_said_plainly() {
    let scene = Scene::new(RED);
    let ran = run(&scene, "check --changed");
    insta::assert_snapshot!(ran.text(), @r"
    --- standard error
    error: the workspace is not in a git repository with a work tree
    help: --changed and --staged need a repository; name the files instead, or run `git init`
    --- exit 3
    ");
    let ran = scene.run_with("check --staged", &[("PATH", "/nowhere")], "");
    assert_eq!(ran.code, 3, "{}", ran.text());
    assert!(ran.stderr.contains("cannot run git"), "{}", ran.text());
    let scene = repository();
    for name in ["nowhere", "--output=x", "-p"] {
        let ran = run(&scene, &format!("check --changed={name}"));
        assert_eq!(ran.code, 2, "{}", ran.text());
        assert!(ran.stderr.contains("git cannot find the commit"), "{}", ran.text());
    }
    assert!(!scene.path("ws/x").exists());
}

/// What is staged is what is checked, whatever stands on disk by now.
#[test]
fn the_staged_contents_are_what_is_checked() {
    let scene = repository();
    let good = scene.read("ws/api.yaml").replace("\"8080\"", "8080").replace("Info", "info");
    scene.write("ws/api.yaml", &good);
    git(&scene, "add api.yaml");
    scene.write("ws/api.yaml", BAD);
    let ran = run(&scene, "check --staged");
    assert_eq!(ran.code, 0, "{}", ran.text());
    git(&scene, "add api.yaml");
    scene.write("ws/api.yaml", &good);
    let ran = run(&scene, "check --staged --format json");
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert_eq!(files(&ran), ["api.yaml"], "what is not staged is not reported");
}

/// A file that is staged in part: the staged text is fixed, and the text on disk keeps what was not staged.
#[test]
fn fixing_a_partly_staged_file_keeps_the_part_that_is_not_staged() {
    let scene = repository();
    let text = scene.read("ws/api.yaml");
    scene.write("ws/api.yaml", &text.replace("# What answers.", "# What answers, and when."));
    git(&scene, "add api.yaml");
    let not_staged = "# A line that is not staged.\n";
    scene.write("ws/api.yaml", &(not_staged.to_owned() + &scene.read("ws/api.yaml")));
    let ran = run(&scene, "fix --staged");
    assert_eq!(ran.code, 0, "{}", ran.text());
    let staged = git(&scene, "show :api.yaml");
    assert_eq!(
        staged,
        text.replace("answers.", "answers, and when.")
            .replace("\"8080\"", "8080")
            .replace("Info", "info")
    );
    assert_eq!(scene.read("ws/api.yaml"), not_staged.to_owned() + &staged);
    // Nothing else was staged, and the index is one that git accepts.
    assert_eq!(git(&scene, "diff --cached --name-only"), "api.yaml\n");
    assert!(git(&scene, "diff --name-only").contains("api.yaml"));
    git(&scene, "commit -q -m fixed");
    assert_eq!(git(&scene, "show HEAD:api.yaml"), staged);
    // The files on disk are a transaction like any other.
    assert_eq!(scene.run("undo").code, 0);
    assert!(scene.read("ws/api.yaml").contains("\"8080\""));
}

/// AE-42, as a hook of git: what is committed is fixed, modes are kept, and files that are not part of it stay as they are.
#[cfg(unix)]
#[test]
fn a_pre_commit_hook_fixes_what_is_committed() {
    use std::os::unix::fs::PermissionsExt;

    let scene = repository();
    let hook = scene.path("ws/.git/hooks/pre-commit");
    let text = format!("#!/bin/sh\nexec {} fix --staged -q\n", env!("CARGO_BIN_EXE_regreen"));
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, text).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let file = scene.path("ws/api.yaml");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let web = scene.read("ws/web.json");
    git(&scene, "add api.yaml");
    git(&scene, "commit -q -m executable");
    let committed = git(&scene, "show HEAD:api.yaml");
    assert!(committed.contains("port: 8080") && committed.contains("level: info"), "{committed}");
    assert_eq!(scene.read("ws/api.yaml"), committed);
    assert!(git(&scene, "ls-tree HEAD api.yaml").starts_with("100755 "));
    assert_eq!(scene.read("ws/web.json"), web);
    assert_eq!(git(&scene, "status --porcelain"), "");
    // `commit -a` hands the hook another index.
    scene.write("ws/api.yaml", &committed.replace("8080", "'8081'"));
    git(&scene, "commit -q -a -m all");
    assert!(git(&scene, "show HEAD:api.yaml").contains("port: 8081"));
}

#[test]
fn a_merge_conflict_is_named() {
    let scene = repository();
    let base = scene.read("ws/api.yaml");
    for (branch, level) in [("one", "debug"), ("two", "warn")] {
        git(&scene, &format!("checkout -q -b {branch} main"));
        scene.write("ws/api.yaml", &base.replace("Info", level));
        git(&scene, &format!("commit -q -a -m {branch}"));
    }
    let mut command = Command::new("git");
    command.current_dir(scene.path("ws")).env_clear().envs(variables(&scene));
    assert!(!command.args(["merge", "-q", "one"]).output().unwrap().status.success());
    let ran = run(&scene, "check --staged --format json");
    assert_eq!(ran.code, 3, "{}", ran.text());
    assert_eq!(ran.json()["error"]["code"], "unmerged", "{}", ran.text());
}

/// A repository of another user may be set up to run anything, so git does not look into it; that is what is said.
#[test]
fn dubious_ownership_is_named_with_what_git_says_to_do() {
    let scene = repository();
    let other = Some(65534);
    for path in ["ws/.git", "ws"] {
        if std::os::unix::fs::chown(scene.path(path), other, other).is_err() {
            return; // Only the administrator can give files away.
        }
    }
    let top = scene.path("ws").canonicalize().unwrap().display().to_string();
    for line in ["check --changed", "check --staged", "fix --staged", "plan --changed=HEAD~1"] {
        let ran = run(&scene, line);
        assert_eq!(ran.code, 3, "{line}: {}", ran.text());
        let message = format!(
            "error: git does not trust the repository: its owner is another user (detected dubious ownership in repository at \
             '{top}')\nhelp: if you trust its owner, run `git config --global --add safe.directory {top}`, or name the files \
             instead\n"
        );
        assert_eq!(ran.stderr, message, "{line}");
    }
    let ran = run(&scene, "check --changed --format json");
    assert_eq!(ran.json()["error"]["code"], "dubious_ownership", "{}", ran.text());
    let ran = run(&scene, "check --format github");
    assert!(ran.stderr.contains("note: paths are those of the workspace"), "{}", ran.text());
    // What needs no git needs nobody's trust in git, and what git says to do helps.
    assert_eq!(run(&scene, "check").code, 1);
    std::fs::create_dir_all(scene.path("home")).unwrap();
    git(&scene, &format!("config --global --add safe.directory {top}"));
    assert_eq!(run(&scene, "check --changed").code, 0);
}

/// What the repository's own configuration names is not run while git lists files for us.
#[test]
fn a_repository_cannot_have_its_commands_run() {
    use std::os::unix::fs::PermissionsExt;

    let scene = repository();
    let script = format!("#!/bin/sh\ntouch {}\n", scene.path("ran").display());
    for file in ["ws/.git/monitor", "ws/.git/evil/post-index-change"] {
        scene.write(file, &script);
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(scene.path(file), executable).unwrap();
    }
    git(&scene, "config core.fsmonitor .git/monitor");
    git(&scene, "config core.hooksPath .git/evil");
    scene.write("ws/api.yaml", &scene.read("ws/api.yaml").replace("# shown", "# is shown"));
    git(&scene, "add api.yaml");
    assert!(scene.path("ran").exists(), "git runs them by itself");
    git(&scene, "config --unset core.fsmonitor");
    std::fs::remove_file(scene.path("ran")).unwrap();
    // Filters that the repository names are run when files are compared.
    git(&scene, "config filter.evil.clean .git/monitor");
    scene.write("ws/.git/info/attributes", "*.yaml filter=evil\n*.toml filter=e=v.il\n");
    scene.write("ws/api.yaml", &scene.read("ws/api.yaml").replace("# is shown", "# was shown"));
    git(&scene, "diff --name-only");
    assert!(scene.path("ran").exists(), "git runs them by itself");
    std::fs::remove_file(scene.path("ran")).unwrap();
    git(&scene, "config core.fsmonitor .git/monitor");
    git(&scene, "config filter.e=v.il.process .git/monitor");
    git(&scene, "config filter.e=v.il.required true");
    for line in ["check --changed", "check --staged", "fix --staged", "check --format github"] {
        let ran = run(&scene, line);
        assert!(!scene.path("ran").exists(), "{line}: {}", ran.text());
    }
}

/// That nothing changed is said, and is not green: nothing was looked at.
#[test]
fn where_nothing_changed_every_command_says_that() {
    let scene = repository();
    for (line, words) in [
        ("check --changed", "Nothing to check. Nothing changed since HEAD."),
        ("check --changed=main", "Nothing to check. Nothing changed since main."),
        ("fix --changed", "Nothing to check. Nothing changed since HEAD."),
        ("plan --changed", "Nothing to check. Nothing changed since HEAD."),
        ("check --staged", "Nothing to check. Nothing is staged."),
        ("fix --staged", "Nothing to check. Nothing is staged."),
        ("plan --staged", "Nothing to check. Nothing is staged."),
    ] {
        let ran = run(&scene, line);
        assert_eq!(ran.code, 0, "{line}: {}", ran.text());
        assert!(
            ran.text().contains(words) && !ran.text().contains("Green"),
            "{line}: {}",
            ran.text()
        );
        let report = run(&scene, &format!("{line} --format json")).json();
        assert_eq!(report["summary"]["files"]["checked"], 0, "{line}: {report:#}");
    }
    // Something changed, and no rule is about it.
    scene.write("ws/notes/free.toml", "anything = \"else\"\n");
    let ran = run(&scene, "check --changed");
    assert!(
        ran.stdout.contains("Nothing to check. No rule applies to any file here"),
        "{}",
        ran.text()
    );
    scene.write("ws/new.yaml", BAD);
    assert_eq!(run(&scene, "check --changed").code, 1);
}
