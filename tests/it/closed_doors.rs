//! What came with a clone never acts: hostile `.regreen`, `.git` and state folders against every command of the real
//! binary. Nothing that was planted is read, moved or deleted, nothing outside the root changes, and what a command is for
//! still works.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::support::{Scene, tree};

/// A workspace with one repair that is safe, a patch that fits it, and a folder that nobody may touch.
const FILES: &str = r#"
//- ws/s.json
{"type": "object", "properties": {"port": {"type": "integer"}}}
//- ws/a.json
{"$schema": "./s.json", "port": "80"}
//- ws/old.txt
kept
//- outside/precious
precious
//- patch.changeset.yaml
changeset_uid: p
ops:
  - {type: set_value, file_uid: "path:a.json", json_pointer: /port, value: 81}
//- next.changeset.yaml
changeset_uid: n
ops:
  - {type: set_value, file_uid: "path:a.json", json_pointer: /port, value: 82}
"#;

/// Every command, and whether it may change `ws/a.json`.
const COMMANDS: [(&str, bool); 17] = [
    ("check", false),
    ("check --format json", false),
    ("plan", false),
    ("fix", true),
    ("fix --diff", false),
    ("fix --dry-run", false),
    ("apply patch.changeset.yaml", true),
    ("apply patch.changeset.yaml --dry-run", false),
    ("validate patch.changeset.yaml", false),
    ("convert patch.changeset.yaml --to diff", false),
    ("explain", false),
    ("undo", false),
    ("undo --dry-run", false),
    ("log", false),
    ("recover", false),
    ("dds list", false),
    ("dds verify", false),
];

/// A journal line of any version.
fn line(json: &str) -> String {
    format!("blake3:{} {json}\n", blake3::hash(json.as_bytes()).to_hex())
}

fn hash(text: &str) -> String {
    format!("blake3:{}", blake3::hash(text.as_bytes()).to_hex())
}

/// The transaction of the former layout that wrote a hook: aborted, with an image to restore.
fn former_abort(target: &str, mode: u32) -> (String, &'static str) {
    let image = "#!/bin/sh\ntouch pwned\n";
    let json = format!(
        r#"{{"record":"intent","version":1,"id":"t_000001","command":"x","time":null,"notes":{{}},"undoes":null,"writes":[],"deletes":[{{"path":"old.txt","before":"{0}"}}],"images":[{{"path":"{target}","hash":"{0}","mode":{mode},"offset":0,"length":{1}}}],"new_directories":[],"old_directories":[]}}"#,
        hash(image),
        image.len()
    );
    (line(&json) + &line(r#"{"record":"committed"}"#), image)
}

/// A transaction of the present format that would replace `target` by an image of the attacker's, wherever it is believed.
fn present_abort(target: &str, mode: u32) -> (String, &'static str) {
    let image = "#!/bin/sh\ntouch pwned\n";
    let beside = target.rsplit_once('/').map_or(String::new(), |it| format!("{}/", it.0));
    let json = format!(
        r#"{{"record":"intent","version":2,"id":"t_000001","nonce":7,"command":"x","time":null,"notes":{{}},"undoes":null,"writes":[],"deletes":[{{"path":"{target}","temp":"{beside}.regreen-t_000001-0000000000000007-0","before":"{0}"}}],"images":[{{"path":"{target}","hash":"{0}","mode":{mode},"offset":0,"length":{1}}}],"new_directories":[],"old_directories":[]}}"#,
        hash(image),
        image.len()
    );
    (line(&json) + &line(r#"{"record":"committed"}"#), image)
}

/// The name of a root that is the top of its repository, in the git directory.
fn top_name() -> String {
    blake3::hash(b"").to_hex().as_str()[..32].to_owned()
}

/// What a stranger puts into the tree.
type Plant = fn(&Scene);

fn put(scene: &Scene, folder: &str, name: &str, (journal, undo): (String, &str)) {
    scene.write(&format!("{folder}/txn/t_000001/{name}"), &journal);
    scene.write(&format!("{folder}/txn/t_000001/undo"), undo);
}

fn git_folder(scene: &Scene) {
    for folder in ["hooks", "refs", "objects"] {
        fs::create_dir_all(scene.path("ws/.git").join(folder)).unwrap();
    }
    scene.write("ws/.git/HEAD", "ref: refs/heads/main\n");
}

fn link(scene: &Scene, target: &str, at: &str) {
    fs::create_dir_all(scene.path(at).parent().unwrap()).unwrap();
    symlink(scene.path(target), scene.path(at)).unwrap();
}

fn sparse(scene: &Scene, at: &str) {
    scene.write(at, "");
    fs::File::options().write(true).open(scene.path(at)).unwrap().set_len(3 << 30).unwrap();
}

const ONE_LINK: &str = "a former state that is one link";

const PLANTS: &[(&str, Plant)] = &[
    ("a former transaction with an image for a hook", |it| {
        git_folder(it);
        put(it, "ws/.regreen", "aborted", former_abort(".git/hooks/pre-commit", 0o755));
    }),
    ("a former transaction that plants a setuid file", |it| {
        put(it, "ws/.regreen", "aborted", former_abort("tool", 0o4755));
    }),
    ("a former transaction that plants an approval", |it| {
        put(it, "ws/.regreen", "aborted", former_abort(".regreen/approvals/x.json", 0o644));
    }),
    ("a former journal that deletes", |it| {
        put(it, "ws/.regreen", "journal", former_abort("old.txt", 0o644));
    }),
    ("a former journal of three gigabytes", |it| {
        sparse(it, "ws/.regreen/txn/t_000001/journal");
    }),
    ("a former registry, cache and lock", |it| {
        it.write("ws/.regreen/registry.db", "SQLite format 3\0 and garbage");
        it.write("ws/.regreen/cache/checks-v1", "regreen checks 1 and garbage");
        it.write("ws/.regreen/lock", "1\n");
    }),
    (ONE_LINK, |it| link(it, "outside", "ws/.regreen")),
    ("former state that is links", |it| {
        for name in ["txn", "runs", "cache", "lock", "registry.db"] {
            link(it, "outside", &format!("ws/.regreen/{name}"));
        }
    }),
    ("a transaction in a git directory that was unpacked", |it| {
        git_folder(it);
        let state = format!("ws/.git/regreen/{}", top_name());
        put(it, &state, "aborted", present_abort(".git/hooks/pre-commit", 0o755));
        it.write(&format!("{state}/marker"), &format!("{:064x}\n", 7));
    }),
    ("a transaction in a git directory without a marker", |it| {
        git_folder(it);
        let state = format!("ws/.git/regreen/{}", top_name());
        put(it, &state, "aborted", present_abort("planted.sh", 0o755));
    }),
    ("a journal of three gigabytes in a git directory", |it| {
        git_folder(it);
        sparse(it, &format!("ws/.git/regreen/{}/txn/t_000001/journal", top_name()));
        sparse(it, &format!("ws/.git/regreen/{}/marker", top_name()));
    }),
    ("a state folder in a git directory that is a link", |it| {
        git_folder(it);
        put(it, "outside", "aborted", present_abort("planted.sh", 0o755));
        link(it, "outside", &format!("ws/.git/regreen/{}", top_name()));
    }),
    ("a marker that is a link, and a pipe", |it| {
        git_folder(it);
        let state = format!("ws/.git/regreen/{}", top_name());
        put(it, &state, "aborted", present_abort("planted.sh", 0o755));
        link(it, "outside/precious", &format!("{state}/marker"));
    }),
    ("a git file that claims another repository", |it| {
        fs::create_dir_all(it.path("outside/repo/.git/regreen")).unwrap();
        put(it, "outside/repo/.git/regreen/x", "aborted", present_abort("planted.sh", 0o755));
        let claim = format!("gitdir: {}\n", it.path("outside/repo/.git").display());
        it.write("ws/.git", &claim);
    }),
    ("a git link to another repository", |it| {
        let state = format!("outside/repo/.git/regreen/{}", top_name());
        put(it, &state, "aborted", present_abort("planted.sh", 0o755));
        link(it, "outside/repo/.git", "ws/.git");
    }),
    ("temporary files of somebody's", |it| {
        it.write("ws/.regreen-t_000001-0", "mine");
        it.write("ws/.regreen-t_000001-0000000000000001-0", "mine");
        it.write("ws/.a.json.1.tmp", "mine");
    }),
    ("approvals, files and a repository of a stranger", |it| {
        it.write("ws/.regreen/approvals/DDS-1.json", "{}");
        it.write("ws/.regreen/repository.json", "{\"state\": \"../outside\"}");
    }),
];

/// Contents, modes and links, without times; of the workspace without the file that commands may change.
fn seen(scene: &Scene) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![scene.path("ws"), scene.path("outside")];
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
            let meta = path.symlink_metadata().unwrap();
            if meta.is_dir() {
                open.push(path.clone());
            }
            let contents = match (meta.is_symlink(), meta.is_file()) {
                (true, _) => format!("{:?}", fs::read_link(&path).unwrap()),
                (_, true) if meta.len() < 1 << 20 => format!("{:?}", fs::read(&path).unwrap()),
                _ => String::new(),
            };
            found.insert(path, format!("{:o} {} {contents}", meta.mode(), meta.uid()));
        }
    }
    found.remove(&scene.path("ws/a.json"));
    found
}

/// Where regreen itself may leave something new, or give a folder that is not its own another name.
fn is_own_place(scene: &Scene, path: &Path) -> bool {
    path.starts_with(scene.path("ws/.git/regreen"))
}

fn check_planted(scene: &Scene, plant: &str, before: &BTreeMap<PathBuf, String>, command: &str) {
    let mut after = seen(scene);
    let mut before = before.clone();
    after.retain(|path, _| !is_own_place(scene, path));
    before.retain(|path, _| !is_own_place(scene, path));
    assert_eq!(after, before, "{plant}: {command}");
    assert!(!scene.path("ws/pwned").exists() && !scene.path("ws/planted.sh").exists());
    assert!(!scene.path("ws/.git/hooks/pre-commit").exists(), "{plant}: {command}");
}

/// Point by point: every plant against every command. What was planted in a git directory may be set aside, never used.
#[test]
fn nothing_that_came_with_a_clone_acts() {
    let mut n_rows = 0;
    for (name, plant) in PLANTS {
        for (command, may_write) in COMMANDS {
            let scene = Scene::new(FILES);
            plant(&scene);
            let before = seen(&scene);
            let ran = scene.run(command);
            // A file index behind a link is not read, and a patch cannot do without.
            let has_no_index = *name == ONE_LINK && command.contains("patch");
            let codes = if has_no_index { 3..=3 } else { 0..=1 };
            assert!(codes.contains(&ran.code), "{name}: {command}: {}", ran.text());
            assert!(!ran.text().contains("was completed"), "{name}: {command}: {}", ran.text());
            assert!(!ran.text().contains("taken back"), "{name}: {command}: {}", ran.text());
            check_planted(&scene, name, &before, command);
            let is_changed = scene.read("ws/a.json").contains("\"port\": 8");
            assert_eq!(is_changed, may_write && !has_no_index, "{name}: {command}: {}", ran.text());
            n_rows += 1;
        }
    }
    assert!(n_rows > 250, "{n_rows}");
}

/// State of the former layout is named in one line, with what takes its records over.
#[test]
fn former_state_is_named_and_left_alone() {
    let scene = Scene::new(FILES);
    scene.write("ws/.regreen/txn/t_000001/journal", "");
    scene.write("ws/.regreen/registry.db", "");
    for (command, _) in COMMANDS {
        let ran = scene.run(command);
        let told: Vec<&str> =
            ran.stderr.lines().filter(|it| it.contains("`.regreen/txn`")).collect();
        assert_eq!(told.len(), 1, "{command}: {}", ran.text());
        assert!(told[0].contains("dds import .regreen/registry.db"), "{command}: {told:?}");
    }
    let build = scene.run_with("check", &[("REGREEN_ACTION", "1")], "");
    assert!(!build.stderr.contains(".regreen"), "{}", build.text());
}

/// Makes a transaction of the scene look interrupted after its point of no return, with its file taken back to what it was.
fn interrupt(scene: &Scene, journal: &Path) {
    let text = fs::read_to_string(journal).unwrap();
    let cut = text.trim_end().rfind('\n').unwrap() + 1;
    fs::write(journal, &text[..cut]).unwrap();
    assert!(scene.read("ws/a.json").contains("81"));
}

fn only_journal(folder: &Path) -> PathBuf {
    let mut open = vec![folder.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => open.push(entry.path()),
                false if entry.file_name() == "journal" => found.push(entry.path()),
                false => {}
            }
        }
    }
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn git(scene: &Scene, folder: &str, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args(arguments)
        .current_dir(scene.path(folder))
        .env("HOME", scene.path("home"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn copy(scene: &Scene, from: &str, to: &str) {
    let done = Command::new("cp").arg("-a").arg(scene.path(from)).arg(scene.path(to)).status();
    assert!(done.unwrap().success());
}

/// A copy of a repository has a copy of its state, which was made for another folder: it is not used there.
#[test]
fn a_copy_of_a_repository_does_not_act_on_the_state_of_the_first() {
    let scene = Scene::new(FILES);
    git(&scene, "ws", &["init", "-q"]);
    assert_eq!(scene.run("apply patch.changeset.yaml").code, 0);
    interrupt(&scene, &only_journal(&scene.path("ws/.git/regreen")));
    copy(&scene, "ws", "copy");
    let before = tree(&scene.path("copy"));
    let ran = scene.run("check --root copy");
    assert!(!ran.text().contains("t_000001"), "{}", ran.text());
    assert_eq!(tree(&scene.path("copy")), before);
    assert!(scene.run("log --root copy").stdout.contains("no transactions"));
    // The next command that writes sets the copied state aside, and says so.
    let ran = scene.run("apply next.changeset.yaml --root copy");
    assert!(ran.stderr.contains("was not made by you"), "{}", ran.text());
    let names = fs::read_dir(scene.path("copy/.git/regreen")).unwrap();
    let names: Vec<String> =
        names.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.len() == 2 && names.iter().any(|it| it.ends_with(".aside-1")), "{names:?}");
    assert!(scene.run("log --root copy").stdout.contains("t_000001"));
    assert_eq!(scene.run("check").code, 1, "the first one still has its transaction");
    assert_eq!(scene.run("recover").stdout, "t_000001 was completed.\n");
}

/// A repository that moves takes its state along.
#[test]
fn a_repository_that_moved_is_still_the_same() {
    let scene = Scene::new(FILES);
    git(&scene, "ws", &["init", "-q"]);
    assert_eq!(scene.run("apply patch.changeset.yaml").code, 0);
    interrupt(&scene, &only_journal(&scene.path("ws/.git/regreen")));
    fs::rename(scene.path("ws"), scene.path("moved")).unwrap();
    assert_eq!(scene.run("check --root moved").code, 1);
    assert_eq!(scene.run("recover --root moved").stdout, "t_000001 was completed.\n");
    assert_eq!(scene.run("undo --root moved").code, 0);
    assert!(scene.read("moved/a.json").contains("\"80\""));
}

/// Another folder at the same path is another root: what was unfinished in the first one is not finished in it.
#[test]
fn another_folder_at_the_same_path_has_no_state() {
    for has_git in [false, true] {
        let scene = Scene::new(FILES);
        if has_git {
            git(&scene, "ws", &["init", "-q"]);
        }
        assert_eq!(scene.run("apply patch.changeset.yaml").code, 0);
        let state = if has_git { "ws/.git/regreen" } else { "home/.local/state/regreen" };
        interrupt(&scene, &only_journal(&scene.path(state)));
        copy(&scene, "ws", "other");
        fs::rename(scene.path("ws"), scene.path("first")).unwrap();
        fs::rename(scene.path("other"), scene.path("ws")).unwrap();
        let before = tree(&scene.path("ws"));
        let ran = scene.run("recover");
        assert_eq!(ran.stdout, "There is nothing to settle.\n", "{}", ran.text());
        let mut after = tree(&scene.path("ws"));
        after.retain(|path, _| before.contains_key(path));
        let mut before = before;
        before.retain(|path, _| after.contains_key(path) && !path.ends_with("regreen"));
        after.retain(|path, _| before.contains_key(path));
        assert_eq!(after, before);
    }
}

/// A folder that becomes a repository keeps its history, also when the two places lie on different file systems.
#[test]
fn state_moves_over_after_git_init() {
    let other = tempfile::tempdir_in("/dev/shm");
    for elsewhere in [None, other.as_ref().ok()] {
        let scene = Scene::new(FILES);
        let state = elsewhere.map_or(scene.path("state"), |it| it.path().join("state"));
        let variables = [("REGREEN_STATE_DIR", state.to_str().unwrap())];
        let run = |line: &str| scene.run_with(line, &variables, "");
        assert_eq!(run("apply patch.changeset.yaml").code, 0);
        interrupt(&scene, &only_journal(&state));
        git(&scene, "ws", &["init", "-q"]);
        // Whoever writes nothing finds it where it was.
        assert_eq!(run("check").code, 1);
        assert!(!scene.path("ws/.git/regreen").exists());
        assert_eq!(run("recover").stdout, "t_000001 was completed.\n");
        only_journal(&scene.path("ws/.git/regreen"));
        assert_eq!(run("undo").code, 0);
        assert!(scene.read("ws/a.json").contains("\"80\""));
        assert!(fs::read_dir(state.join("roots")).unwrap().next().is_none());
    }
}

/// Worktrees and submodules have a `.git` file; their state is the user's, and they do not share it.
#[test]
fn worktrees_and_submodules_keep_state_of_their_own() {
    let scene = Scene::new(FILES);
    git(&scene, "ws", &["init", "-q", "-b", "main"]);
    git(&scene, "ws", &["add", "."]);
    git(&scene, "ws", &["commit", "-q", "-m", "x"]);
    git(&scene, "ws", &["worktree", "add", "-q", "../tree"]);
    copy(&scene, "ws", "library");
    let source = scene.path("library").to_str().unwrap().to_owned();
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &source, "sub"];
    git(&scene, "ws", &add);
    for root in ["ws", "tree", "ws/sub"] {
        let line = format!("apply patch.changeset.yaml --root {root}");
        assert_eq!(scene.run(&line).code, 0, "{root}");
        let log = scene.run(&format!("log --root {root}")).stdout;
        assert_eq!(log.matches("t_0").count(), 1, "{root}: {log}");
    }
    assert!(!scene.path("ws/.git/worktrees/tree/regreen").exists());
    assert!(!scene.path("ws/.git/modules/sub/regreen").exists());
    let roots = fs::read_dir(scene.path("home/.local/state/regreen/roots")).unwrap().count();
    assert_eq!(roots, 2, "the worktree and the submodule");
}

/// Two roots in one repository wait for one another, and so does another user.
#[test]
fn the_lock_is_on_the_repository() {
    let scene = Scene::new(FILES);
    git(&scene, "ws", &["init", "-q"]);
    fs::create_dir(scene.path("ws/sub")).unwrap();
    fs::copy(scene.path("ws/a.json"), scene.path("ws/sub/a.json")).unwrap();
    let top = fs::File::open(scene.path("ws")).unwrap();
    rustix::fs::flock(&top, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let other_home = scene.path("other").to_str().unwrap().to_owned();
    for (line, home) in [
        ("apply patch.changeset.yaml", None),
        ("apply patch.changeset.yaml --root ws/sub", None),
        ("apply patch.changeset.yaml", Some(("HOME", other_home.as_str()))),
    ] {
        let mut child = scene.command(line, home.as_slice()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert!(child.try_wait().unwrap().is_none(), "{line} did not wait");
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(scene.read("ws/a.json").contains("\"80\""));
    drop(top);
    assert_eq!(scene.run("apply patch.changeset.yaml").code, 0);
}

/// Where state cannot be kept, commands that write say so and do nothing, and the others work.
#[test]
fn without_a_place_for_state_nothing_is_written() {
    type Arrange = fn(&Scene) -> Vec<(&'static str, String)>;
    let rows: [(&str, Arrange); 6] = [
        ("a state folder in the workspace", |it| {
            vec![("REGREEN_STATE_DIR", it.path("ws/state").to_str().unwrap().to_owned())]
        }),
        ("a home in the workspace", |it| {
            vec![("HOME", it.path("ws").to_str().unwrap().to_owned())]
        }),
        ("a state folder behind a link into the workspace", |it| {
            fs::create_dir(it.path("ws/inner")).unwrap();
            symlink(it.path("ws/inner"), it.path("door")).unwrap();
            vec![("REGREEN_STATE_DIR", it.path("door/state").to_str().unwrap().to_owned())]
        }),
        ("a file where the state folder belongs", |it| {
            vec![("REGREEN_STATE_DIR", it.path("outside/precious").to_str().unwrap().to_owned())]
        }),
        ("a state folder that holds the workspace", |it| {
            vec![("REGREEN_STATE_DIR", it.path("").to_str().unwrap().to_owned())]
        }),
        ("a key that is garbage", |it| {
            it.write("state/key", "garbage");
            vec![("REGREEN_STATE_DIR", it.path("state").to_str().unwrap().to_owned())]
        }),
    ];
    for (name, arrange) in rows {
        for (command, may_write) in COMMANDS {
            if command.starts_with("dds") {
                continue;
            }
            let scene = Scene::new(FILES);
            let variables = arrange(&scene);
            let variables: Vec<_> = variables.iter().map(|(a, b)| (*a, b.as_str())).collect();
            let before = seen(&scene);
            let ran = scene.run_with(command, &variables, "");
            let wanted = if may_write { 3..=3 } else { 0..=1 };
            assert!(wanted.contains(&ran.code), "{name}: {command}: {}", ran.text());
            assert_eq!(seen(&scene), before, "{name}: {command}");
            assert!(scene.read("ws/a.json").contains("\"80\""), "{name}: {command}");
            if may_write && name != "a key that is garbage" && !name.starts_with("a file") {
                assert!(ran.stderr.contains("REGREEN_STATE_DIR"), "{name}: {}", ran.text());
            }
        }
    }
}

const NOBODY: u32 = 65_534;

/// The command as another user, if this one may do that.
fn as_nobody(scene: &Scene, line: &str, variables: &[(&str, &str)]) -> (i32, String) {
    let mut command = scene.command(line, variables);
    let output = command.uid(NOBODY).gid(NOBODY).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

fn give(scene: &Scene, path: &str) {
    let done = Command::new("chown").args(["-R", "65534:65534"]).arg(scene.path(path)).status();
    assert!(done.unwrap().success());
}

/// Root and an ordinary user with one repository: neither uses or breaks what the other one keeps.
#[test]
fn users_do_not_use_the_state_of_others() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let scene = Scene::new(FILES);
    for folder in ["", "ws", "home"] {
        fs::create_dir_all(scene.path(folder)).unwrap();
        fs::set_permissions(scene.path(folder), fs::Permissions::from_mode(0o755)).unwrap();
    }
    // The binary stands where not everybody may look.
    git_folder(&scene);
    give(&scene, "ws");
    let nobody_home = scene.path("nobody");
    fs::create_dir(&nobody_home).unwrap();
    give(&scene, "nobody");
    let theirs = [("HOME", nobody_home.to_str().unwrap())];
    let (code, text) = as_nobody(&scene, "log", &theirs);
    if code == -1 {
        return;
    }
    assert_eq!(code, 0, "{text}");
    let (code, text) = as_nobody(&scene, "apply patch.changeset.yaml", &theirs);
    assert_eq!(code, 0, "{text}");
    let journal = only_journal(&scene.path("ws/.git/regreen"));
    interrupt(&scene, &journal);
    // Root does not act on it: the git directory is not root's own.
    let before = seen(&scene);
    assert_eq!(scene.run("recover").stdout, "There is nothing to settle.\n");
    assert_eq!(seen(&scene), before);
    // With the ordinary user's home, root finds a folder that is not his.
    let ran = scene.run_with("apply next.changeset.yaml", &theirs, "");
    assert_eq!(ran.code, 3, "{}", ran.text());
    assert!(ran.stderr.contains("belongs to another user"), "{}", ran.text());
    assert_eq!(seen(&scene), before);
    let (code, text) = as_nobody(&scene, "recover", &theirs);
    assert_eq!((code, text.as_str()), (0, "t_000001 was completed.\n"));
    // A home that may not be written: looking works, writing says what to do.
    let read_only = [("HOME", "/")];
    assert_eq!(as_nobody(&scene, "log", &read_only).0, 0);
    let (code, text) = as_nobody(&scene, "apply next.changeset.yaml", &read_only);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("state folder"), "{text}");
}

/// Ignore files are read by the walk itself, before any rule is asked: one without an end, a device or a pipe is named, and
/// nothing hangs.
#[test]
fn an_ignore_file_that_is_no_file_is_named() {
    type Make = fn(&Path);
    let rows: [(&str, Make); 5] = [
        ("a device", |it| symlink("/dev/zero", it).unwrap()),
        ("a link that leads out", |it| symlink("/proc/self/maps", it).unwrap()),
        ("a pipe", |it| {
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            rustix::fs::mkfifoat(rustix::fs::CWD, it, mode).unwrap();
        }),
        ("a link to a pipe", |it| {
            let pipe = it.with_extension("pipe");
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
            symlink(pipe, it).unwrap();
        }),
        ("a file without an end", |it| fs::File::create(it).unwrap().set_len(40 << 30).unwrap()),
    ];
    for (name, make) in rows {
        for (place, code) in [("ws/.gitignore", 3), ("ws/.ignore", 3), ("ws/sub/.gitignore", 3)] {
            let scene = Scene::new(FILES);
            scene.write("ws/sub/b.json", "{\"$schema\": \"../s.json\", \"port\": 1}\n");
            make(&scene.path(place));
            for command in ["check", "fix --dry-run", "plan", "init --dry-run"] {
                let ran = scene.run(command);
                assert!(ran.code <= code, "{name} {place} {command}: {}", ran.text());
                if command == "check" {
                    assert_eq!(ran.code, code, "{name} {place}: {}", ran.text());
                    assert!(ran.stderr.contains("ignore") || ran.stdout.contains("ignore"));
                }
            }
        }
    }
}
