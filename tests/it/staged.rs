//! `fix --staged` and `hook`, in real repositories: the index and the files on disk, each on its own bytes.

use std::collections::BTreeMap;
use std::process::Command;

use super::git::{git, repository, run, variables};
use super::support::Scene;

const SCHEMA: &str =
    r#"{ "properties": { "port": { "type": "integer" }, "level": { "enum": ["info", "warn"] } } }"#;
const HEAD: &str = "# yaml-language-server: $schema=s.json\n";

/// A repository with a schema, and nothing else committed.
fn shop(init: &str) -> Scene {
    let scene = Scene::new(&format!("//- ws/s.json\n{SCHEMA}\n"));
    git(&scene, init);
    git(&scene, "add .");
    git(&scene, "commit -q -m schema");
    scene
}

fn text(lines: &str) -> String {
    format!("{HEAD}{lines}")
}

/// Every entry of the index and every file on disk.
fn state(scene: &Scene) -> (String, BTreeMap<String, Vec<u8>>) {
    let mut files = BTreeMap::new();
    for name in git(scene, "ls-files -z --cached --others").split_terminator('\0') {
        if let Ok(bytes) = std::fs::read(scene.path(&format!("ws/{name}"))) {
            files.insert(name.to_owned(), bytes);
        }
    }
    (git(scene, "ls-files -s"), files)
}

fn git_fails(scene: &Scene, line: &str) -> String {
    let mut command = Command::new("git");
    command.current_dir(scene.path("ws")).env_clear().envs(variables(scene));
    let output = command.args(line.split_whitespace()).output().unwrap();
    assert!(!output.status.success(), "git {line} should fail");
    String::from_utf8(output.stderr).unwrap()
}

/// AE-80: on the line that is staged one way and changed another way on disk, both are fixed, each as it is.
#[test]
fn the_same_line_is_fixed_in_the_index_and_on_disk() {
    let scene = shop("init -q -b main");
    scene.write("ws/a.yaml", &text("port: \"8080\"\n"));
    git(&scene, "add a.yaml");
    scene.write("ws/a.yaml", &text("port: \"9090\"  # not yet\n"));
    let before = state(&scene);
    let ran = run(&scene, "fix --staged");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(git(&scene, "show :a.yaml"), text("port: 8080\n"));
    assert_eq!(scene.read("ws/a.yaml"), text("port: 9090  # not yet\n"));
    git(&scene, "fsck");
    // AE-82: one undo takes both back, to the byte and to the object.
    let ran = run(&scene, "undo");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(state(&scene), before);
    let ran = run(&scene, "undo t_000002");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(git(&scene, "show :a.yaml"), text("port: 8080\n"));
}

/// AE-81: what is staged of a file, in the tree of the index, is what is judged; what is not staged is not touched.
#[test]
fn the_tree_of_the_index_is_what_is_checked() {
    let scene = shop("init -q -b main");
    scene.write("ws/a.yaml", &text("port: 8080\n"));
    scene.write("ws/b.yaml", &text("port: \"1\"\n"));
    git(&scene, "add a.yaml b.yaml");
    git(&scene, "commit -q -m both");
    scene.write("ws/a.yaml", &text("level: Info\n"));
    git(&scene, "add a.yaml");
    // On disk the schema forbids what the staged one allows, and is not staged itself.
    scene.write("ws/s.json", "{ \"required\": [\"name\"] }\n");
    scene.write("ws/untracked.yaml", &text("port: \"3\"\n"));
    scene.write("ws/later.yaml", &text("port: \"4\"\n"));
    git(&scene, "add -N later.yaml");
    let before = state(&scene).1;
    let ran = run(&scene, "fix --staged --format json");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(ran.json()["summary"]["applied"], 1, "{}", ran.text());
    assert_eq!(git(&scene, "show :a.yaml"), text("level: info\n"));
    let after = state(&scene).1;
    for name in ["b.yaml", "s.json", "untracked.yaml", "later.yaml"] {
        assert_eq!(after[name], before[name], "{name} is not staged");
    }
    // An untracked schema is in no commit.
    git(&scene, "rm -q --cached s.json");
    let ran = run(&scene, "check --staged --format json");
    assert!(ran.text().contains("s.json"), "{}", ran.text());
}

/// AE-80: line ends, modes and names are each side's own.
#[test]
fn line_ends_modes_and_new_names_stay() {
    use std::os::unix::fs::PermissionsExt;

    let scene = shop("init -q -b main");
    git(&scene, "config core.autocrlf true");
    scene.write("ws/crlf.yaml", &text("port: \"1\"\nname: x\n").replace('\n', "\r\n"));
    scene.write("ws/run.yaml", &text("port: \"2\"\n"));
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(scene.path("ws/run.yaml"), executable).unwrap();
    scene.write("ws/old.yaml", &text("port: 3\nname: long enough to be the same\n"));
    git(&scene, "add crlf.yaml run.yaml old.yaml");
    git(&scene, "commit -q -m more");
    scene.write("ws/crlf.yaml", &text("port: \"11\"\nname: x\n").replace('\n', "\r\n"));
    scene.write("ws/run.yaml", &text("port: \"22\"\n"));
    git(&scene, "mv old.yaml new.yaml");
    scene.write("ws/new.yaml", &text("port: \"3\"\nname: long enough to be the same\n"));
    scene.write("ws/gone.yaml", &text("port: \"4\"\n"));
    git(&scene, "add .");
    std::fs::remove_file(scene.path("ws/gone.yaml")).unwrap();
    let before = state(&scene);
    let ran = run(&scene, "fix --staged");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(git(&scene, "show :crlf.yaml"), text("port: 11\nname: x\n"));
    assert_eq!(scene.read("ws/crlf.yaml"), text("port: 11\nname: x\n").replace('\n', "\r\n"));
    assert!(git(&scene, "ls-files -s run.yaml").starts_with("100755 "));
    assert_eq!(git(&scene, "show :run.yaml"), text("port: 22\n"));
    let mode = std::fs::metadata(scene.path("ws/run.yaml")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    assert!(git(&scene, "show :new.yaml").contains("port: 3\n"));
    // What is gone on disk stays gone, and is named.
    assert_eq!(git(&scene, "show :gone.yaml"), text("port: 4\n"));
    assert!(!scene.path("ws/gone.yaml").exists());
    let note = "note: gone.yaml is fixed in the index only: there is no such file on disk";
    assert!(ran.stderr.contains(note), "{}", ran.text());
    assert_eq!(git(&scene, "diff --name-only"), "gone.yaml\n");
    assert_eq!(run(&scene, "undo").code, 0);
    assert_eq!(state(&scene), before);
}

/// AE-83: where the repairs do not fit what is on disk, the file stays and is named.
#[test]
fn a_file_that_cannot_be_fixed_on_disk_stays_and_is_named() {
    let scene = shop("init -q -b main");
    scene.write("ws/a.yaml", &text("port: \"8080\"\n"));
    scene.write("ws/link.yaml", &text("port: \"1\"\n"));
    git(&scene, "add .");
    let on_disk = text("port: [\"8080\"\n");
    scene.write("ws/a.yaml", &on_disk);
    std::fs::remove_file(scene.path("ws/link.yaml")).unwrap();
    std::os::unix::fs::symlink("a.yaml", scene.path("ws/link.yaml")).unwrap();
    let ran = run(&scene, "fix --staged");
    assert_eq!(ran.code, 0, "the index decides: {}", ran.text());
    for note in [
        "note: a.yaml is fixed in the index only: ",
        "note: link.yaml is fixed in the index only: ",
    ] {
        assert!(ran.stderr.contains(note), "{}", ran.text());
    }
    assert_eq!(git(&scene, "show :a.yaml"), text("port: 8080\n"));
    assert_eq!(scene.read("ws/a.yaml"), on_disk);
    assert!(scene.path("ws/link.yaml").is_symlink());
}

/// AE-82: an undo that would lose what was staged since is refused, and says what to do.
#[test]
fn undo_is_refused_after_another_git_add() {
    let scene = shop("init -q -b main");
    scene.write("ws/a.yaml", &text("port: \"8080\"\n"));
    git(&scene, "add a.yaml");
    assert_eq!(run(&scene, "fix --staged").code, 0);
    let fixed = scene.read("ws/a.yaml");
    scene.write("ws/a.yaml", &text("port: 8081\n"));
    git(&scene, "add a.yaml");
    scene.write("ws/a.yaml", &fixed);
    let before = state(&scene);
    for line in ["undo --dry-run", "undo"] {
        let ran = run(&scene, line);
        assert_eq!(ran.code, 1, "{}", ran.text());
        assert!(
            ran.text().contains("the index of git has something else for a.yaml"),
            "{}",
            ran.text()
        );
        assert!(ran.text().contains("git add"), "{}", ran.text());
    }
    assert_eq!(state(&scene), before);
}

/// What git removed meanwhile cannot be put back, and an index that names it would be broken.
#[test]
fn undo_is_refused_when_git_removed_what_was_staged() {
    let scene = shop("init -q -b main");
    scene.write("ws/a.yaml", &text("port: \"8080\"\n"));
    git(&scene, "add a.yaml");
    assert_eq!(run(&scene, "fix --staged").code, 0);
    let before = state(&scene);
    git(&scene, "prune --expire=now");
    let ran = run(&scene, "undo");
    assert_eq!(ran.code, 3, "{}", ran.text());
    assert!(ran.stderr.contains("git no longer has what was staged before"), "{}", ran.text());
    assert_eq!(state(&scene), before);
}

#[test]
fn what_git_holds_or_filters_is_left_alone_and_named() {
    let scene = shop("init -q -b main");
    scene.write("ws/a.yaml", &text("port: \"8080\"\n"));
    scene.write("ws/big.yaml", &text("port: \"1\"\n"));
    scene.write("ws/.gitattributes", "big.yaml filter=lfs\n");
    git(&scene, "add .");
    scene.write("ws/.git/index.lock", "");
    let before = state(&scene);
    let ran = run(&scene, "fix --staged");
    assert_eq!(ran.code, 3, "{}", ran.text());
    assert!(ran.stderr.contains("index.lock exists"), "{}", ran.text());
    assert!(ran.stderr.contains("nothing was changed"), "{}", ran.text());
    assert_eq!(state(&scene), before);
    std::fs::remove_file(scene.path("ws/.git/index.lock")).unwrap();
    git(&scene, "update-index --split-index");
    let ran = run(&scene, "fix --staged --format json");
    assert_eq!(ran.json()["error"]["code"], "unknown_index", "{}", ran.text());
    assert!(ran.stderr.contains("--no-split-index"), "{}", ran.text());
    git(&scene, "update-index --no-split-index");
    let ran = run(&scene, "fix --staged");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(ran.stderr.contains("note: big.yaml was left out: a filter of git"), "{}", ran.text());
    assert_eq!(git(&scene, "show :a.yaml"), text("port: 8080\n"));
    assert!(git(&scene, "show :big.yaml").contains("\"1\""));
}

/// Every kind of index that git writes, and objects with long names.
#[test]
fn every_kind_of_index_is_changed() {
    for (init, more) in [
        ("init -q -b main --object-format=sha256", ""),
        ("init -q -b main", "update-index --index-version 4"),
        ("init -q -b main", "update-index --untracked-cache"),
        ("init -q -b main", "sparse-checkout set --cone --sparse-index in"),
    ] {
        let scene = shop(init);
        scene.write("ws/in/a.yaml", &text("port: 1\n").replace("s.json", "../s.json"));
        scene.write("ws/out/b.yaml", &text("port: 2\n").replace("s.json", "../s.json"));
        git(&scene, "add .");
        git(&scene, "commit -q -m more");
        if !more.is_empty() {
            git(&scene, more);
        }
        scene.write("ws/in/a.yaml", &scene.read("ws/in/a.yaml").replace('1', "\"1\""));
        git(&scene, "add in/a.yaml");
        let before = state(&scene);
        let ran = run(&scene, "fix --staged");
        assert_eq!(ran.code, 0, "{init}, {more}: {}", ran.text());
        assert!(git(&scene, "show :in/a.yaml").contains("port: 1\n"), "{init}, {more}");
        assert_eq!(git(&scene, "status --porcelain"), "", "{init}, {more}");
        git(&scene, "fsck");
        assert_eq!(run(&scene, "undo").code, 0);
        assert_eq!(state(&scene), before, "{init}, {more}");
    }
}

/// AE-42: what `hook install` writes fixes every kind of commit, also in a linked worktree.
#[test]
fn the_hook_fixes_every_kind_of_commit() {
    let scene = shop("init -q -b main");
    let ran = run(&scene, "hook status");
    assert_eq!(ran.code, 1, "{}", ran.text());
    let ran = run(&scene, "hook install");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(run(&scene, "hook status").code, 0);
    scene.write("ws/a.yaml", &text("port: \"1\"\n"));
    git(&scene, "add a.yaml");
    git(&scene, "commit -q -m plain");
    assert_eq!(git(&scene, "show HEAD:a.yaml"), text("port: 1\n"));
    assert_eq!(git(&scene, "status --porcelain"), "");
    // `commit -a` hands the hook the index that is about to be; afterwards it is the one of the repository.
    scene.write("ws/a.yaml", &text("port: \"2\"\n"));
    git(&scene, "commit -q -a -m all");
    assert_eq!(git(&scene, "show HEAD:a.yaml"), text("port: 2\n"));
    assert_eq!(git(&scene, "status --porcelain"), "");
    assert_eq!(run(&scene, "undo").code, 0);
    assert_eq!(git(&scene, "show :a.yaml"), text("port: \"2\"\n"));
    assert_eq!(scene.read("ws/a.yaml"), text("port: \"2\"\n"));
    git(&scene, "reset -q --hard");
    // `commit PATH` commits from an index of its own, and git keeps what it staged in the other one.
    scene.write("ws/a.yaml", &text("port: \"3\"\n"));
    scene.write("ws/b.yaml", &text("port: \"4\"\n"));
    git(&scene, "add b.yaml");
    git(&scene, "commit -q -m path a.yaml");
    assert_eq!(git(&scene, "show HEAD:a.yaml"), text("port: 3\n"));
    assert_eq!(scene.read("ws/a.yaml"), text("port: 3\n"));
    assert_eq!(git(&scene, "show :a.yaml"), text("port: \"3\"\n"), "this is git's");
    assert_eq!(git(&scene, "show :b.yaml"), text("port: \"4\"\n"));
    git(&scene, "add a.yaml");
    assert_eq!(git(&scene, "status --porcelain"), "A  b.yaml\n");
    // An error that is left stops the commit.
    scene.write("ws/b.yaml", &text("port: none\n"));
    git(&scene, "add b.yaml");
    assert!(git_fails(&scene, "commit -q -m bad").contains("port"), "the finding is shown");
    git(&scene, "reset -q --hard");
    // All worktrees share the hooks, and each has its own index.
    git(&scene, "worktree add -q ../other");
    scene.write("other/c.yaml", &text("port: \"5\"\n"));
    git(&scene, "-C ../other add c.yaml");
    git(&scene, "-C ../other commit -q -m there");
    assert_eq!(git(&scene, "show other:c.yaml"), text("port: 5\n"));
    assert_eq!(git(&scene, "-C ../other status --porcelain"), "");
    let ran = run(&scene, "hook uninstall");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(!scene.path("ws/.git/hooks/pre-commit").exists());
}

/// `git commit PATH`: what happens to the other index is said.
#[test]
fn committing_paths_says_what_git_keeps() {
    let scene = shop("init -q -b main");
    run(&scene, "hook install");
    scene.write("ws/a.yaml", &text("port: 1\n"));
    git(&scene, "add a.yaml");
    git(&scene, "commit -q -m a");
    scene.write("ws/a.yaml", &text("port: \"1\" # again\n"));
    let mut command = Command::new("git");
    command.current_dir(scene.path("ws")).env_clear().envs(variables(&scene));
    let output = command.args(["commit", "-q", "-m", "x", "a.yaml"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("`git add a.yaml` brings it up to date"), "{said}");
    assert_eq!(git(&scene, "show HEAD:a.yaml"), text("port: 1 # again\n"));
    // Nothing of it is in the index of the repository, and an undo is about the files alone.
    let ran = run(&scene, "undo");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(scene.read("ws/a.yaml"), text("port: \"1\" # again\n"));
}

#[test]
fn a_hook_of_somebody_else_is_never_lost() {
    let scene = repository();
    let hook = "ws/.git/hooks/pre-commit";
    scene.write(hook, "#!/bin/sh\nexit 0\n");
    for line in ["hook install", "hook status", "hook uninstall", "hook uninstall --force"] {
        let ran = run(&scene, line);
        assert_eq!(ran.code, 1, "{line}: {}", ran.text());
        assert!(ran.stdout.contains("did not write"), "{line}: {}", ran.text());
        assert_eq!(scene.read(hook), "#!/bin/sh\nexit 0\n");
    }
    assert!(
        run(&scene, "hook install")
            .stdout
            .contains("Add this line to it: regreen fix --staged || exit 1")
    );
    assert_eq!(run(&scene, "hook install --force").code, 0);
    assert_eq!(scene.read("ws/.git/hooks/pre-commit.before-regreen"), "#!/bin/sh\nexit 0\n");
    // One of ours that was changed by hand is not thrown away either.
    scene.write(hook, &(scene.read(hook) + "# mine\n"));
    assert_eq!(run(&scene, "hook uninstall").code, 1);
    assert_eq!(run(&scene, "hook install").code, 1);
    let ran = run(&scene, "hook uninstall --force");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(ran.stdout.contains("pre-commit.before-regreen"), "{}", ran.text());
    assert_eq!(run(&scene, "hook uninstall").code, 0);
    // Hooks that the repository keeps elsewhere are its own; those of the user are his.
    git(&scene, "config core.hooksPath .husky");
    let ran = run(&scene, "hook install");
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert!(ran.stdout.contains("core.hooksPath of this repository is .husky"), "{}", ran.text());
    assert!(!scene.path("ws/.husky").exists());
    git(&scene, "config --unset core.hooksPath");
    std::fs::create_dir_all(scene.path("home")).unwrap();
    git(&scene, &format!("config --global core.hooksPath {}", scene.path("home/hooks").display()));
    assert_eq!(run(&scene, "hook install").code, 0);
    assert!(scene.path("home/hooks/pre-commit").exists());
}

/// AE-82: killed at any moment, the index and the disk are both old or both new after recovery, and git is not locked out.
#[test]
fn a_kill_at_any_moment_leaves_both_old_or_both_new() {
    let scene = shop("init -q -b main");
    for n in 0..20 {
        scene.write(&format!("ws/f{n}.yaml"), &text("port: \"8080\"\n"));
    }
    git(&scene, "add .");
    for n in 0..20 {
        scene.write(&format!("ws/f{n}.yaml"), &text(&format!("port: \"{n}\"\n")));
    }
    let old = state(&scene);
    let start = std::time::Instant::now();
    assert_eq!(run(&scene, "fix --staged").code, 0);
    let whole = start.elapsed();
    let new = state(&scene);
    assert_eq!(run(&scene, "undo").code, 0);
    for round in 0..30_u32 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_regreen"));
        command.current_dir(scene.path("ws")).env_clear().envs(variables(&scene));
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut child = command.args(["fix", "--staged"]).spawn().unwrap();
        // Most of them in the last part of the run, where it writes.
        std::thread::sleep(whole * (15 + round) / 40);
        child.kill().unwrap();
        child.wait().unwrap();
        let ran = run(&scene, "recover");
        assert_eq!(ran.code, 0, "{round}: {}", ran.text());
        let found = state(&scene);
        assert!(found == old || found == new, "{round}: a mixture: {found:#?}");
        git(&scene, "add s.json");
        assert!(!scene.path("ws/.git/index.lock").exists(), "{round}");
        if found == new {
            assert_eq!(run(&scene, "undo").code, 0);
            assert_eq!(state(&scene), old, "{round}");
        }
    }
}

/// A small generator: the same numbers every time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    /// A version of a file: each line right, wrong or not there, with comments in between.
    fn version(&mut self) -> String {
        let comment = |n: u64| (0..n).map(|it| format!("# a note {it}\n")).collect::<String>();
        let port =
            self.pick(&["port: 1\n", "port: \"1\"\n", "port: '22' # two\n", "port:   333\n", ""]);
        let level = self.pick(&["level: info\n", "level: Info\n", "level: \"WARN\"\n", ""]);
        let (one, two) = (self.below(3), self.below(2));
        text(&format!("{}{port}{}{level}name: {}\n", comment(one), comment(two), self.below(9)))
    }
}

/// The text with everything written as a repair writes it.
fn repaired(text: &str) -> String {
    let pairs = [
        ("\"1\"", "1"),
        ("'22'", "22"),
        ("Info", "info"),
        ("\"WARN\"", "warn"),
        ("\"warn\"", "warn"),
    ];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// AE-80, AE-81: 200 random pairs of staged and unstaged contents. What is committed is what `fix` makes of a checkout of the
/// index; on disk nothing changes that no repair claims; what is not staged stays; and `undo` is exact.
#[test]
fn random_combinations_of_staged_and_unstaged_contents() {
    let mut random = Random(18);
    let (mut n_fixed, mut n_differing) = (0, 0);
    for round in 0..20 {
        let scene = shop("init -q -b main");
        let names: Vec<String> = (0..10).map(|it| format!("f{it}.yaml")).collect();
        for name in &names {
            if random.below(3) > 0 {
                scene.write(&format!("ws/{name}"), &random.version());
            }
        }
        git(&scene, "add .");
        git(&scene, "commit -q --allow-empty -m start");
        for name in &names {
            let file = format!("ws/{name}");
            match random.below(4) {
                0 => {}
                _ => {
                    scene.write(&file, &random.version());
                    git(&scene, &format!("add {name}"));
                }
            }
            if random.below(2) == 0 {
                scene.write(&file, &random.version());
            }
        }
        let staged = git(&scene, "diff --cached --name-only --diff-filter=d");
        let staged: Vec<&str> = staged.lines().collect();
        // What `fix` makes of a checkout of the index.
        git(&scene, "checkout-index -a --prefix=../copy/");
        let line = format!(
            "fix -q --root copy {}",
            staged.iter().map(|it| format!("copy/{it} ")).collect::<String>()
        );
        if !staged.is_empty() {
            run(&scene, &line);
        }
        let before = state(&scene);
        let ran = run(&scene, "fix --staged");
        assert!(ran.code <= 1, "{round}: {}", ran.text());
        let after = state(&scene);
        for name in names.iter().filter(|it| before.1.contains_key(*it)) {
            let (old, new) = (&before.1[name], &after.1[name]);
            let is_tracked = before.0.lines().any(|it| it.ends_with(&format!("\t{name}")));
            if !staged.contains(&name.as_str()) {
                assert_eq!(new, old, "{round}: {name} is not staged");
                continue;
            }
            assert!(is_tracked);
            let committed = git(&scene, &format!("show :{name}"));
            assert_eq!(committed, scene.read(&format!("copy/{name}")), "{round}: {name}");
            n_fixed +=
                usize::from(!before.0.contains(&git(&scene, &format!("rev-parse :{name}"))[..40]));
            n_differing += usize::from(old.as_slice() != committed.as_bytes() && new != old);
            let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
            assert_eq!(repaired(&new), repaired(&old), "{round}: {name} lost something on disk");
        }
        if ran.text().contains("To take it back") {
            let ran = run(&scene, "undo");
            assert_eq!(ran.code, 0, "{round}: {}", ran.text());
            assert_eq!(state(&scene), before, "{round}");
        }
    }
    assert!(
        n_fixed > 50 && n_differing > 20,
        "{n_fixed} fixed, {n_differing} of them another way on disk"
    );
}
