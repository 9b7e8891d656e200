//! What came with a clone does not act before the user trusts it: tools do not run, servers are not contacted, keys do not
//! approve, and no policy gets milder.

use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::dds::{approving, record};
use super::red::RED;
use super::support::{Ran, Scene, on_a_terminal, write_key};

/// A workspace whose tool leaves a marker outside of it, and a key that may approve.
fn stage() -> Scene {
    let scene = Scene::new("//- ws/src/a.py\nx = 1\n");
    for name in ["ana", "ben", "eve"] {
        write_key(&scene.path(name));
    }
    furnish(&scene, "ws");
    scene
}

/// Puts the tool and the key into a folder.
fn furnish(scene: &Scene, root: &str) {
    let marker = scene.path("marker");
    let tool = format!("touch {}; echo 'x = 2' > src/a.py", marker.display());
    let config = format!("[tools.mark]\ncommand = [\"sh\", \"-c\", \"{tool}\"]\ntimeout = 60\n");
    scene.write(&format!("{root}/regreen.toml"), &config);
    scene.write(&format!("{root}/src/a.py"), "x = 1\n");
    scene.write(&format!("{root}/allowed_signers"), &signer(scene, "ana"));
}

fn signer(scene: &Scene, name: &str) -> String {
    format!("{name}@example.org {}", scene.read(&format!("{name}.pub")))
}

fn edit(scene: &Scene, path: &str, from: &str, to: &str) {
    let text = scene.read(path);
    assert!(text.contains(from), "{text}");
    scene.write(path, &text.replace(from, to));
}

/// Something is approved in the root, with trust that lasts for these commands only.
#[track_caller]
fn approve(scene: &Scene, root: &str) -> String {
    scene.write("record.json", &record("mark", &["src/"]).to_string());
    let added = scene.run(&format!("dds add record.json --trust --format json --root {root}"));
    assert_eq!(added.code, 0, "{}", added.text());
    let id = added.json()["id"].as_str().unwrap().to_owned();
    let shown = scene.run(&format!("dds show {id} --trust --format json --root {root}")).json();
    let hash = shown["statement_hash"].as_str().unwrap();
    let line = format!("dds approve {id} --key ana --trust --root {root} --expect {hash}");
    let approved = scene.run(&line);
    assert_eq!(approved.code, 0, "{}", approved.text());
    id
}

fn git(scene: &Scene, folder: &str, words: &str) {
    let mut command = Command::new("git");
    command.current_dir(scene.path(folder)).env_clear().env("HOME", scene.path("home"));
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("GIT_CONFIG_NOSYSTEM", "1");
    for name in ["GIT_AUTHOR", "GIT_COMMITTER"] {
        command.env(format!("{name}_NAME"), "ana").env(format!("{name}_EMAIL"), "ana@example.org");
    }
    let output = command.args(words.split_whitespace()).output().unwrap();
    assert!(output.status.success(), "git {words}: {}", String::from_utf8_lossy(&output.stderr));
}

/// `ws` becomes a repository with one commit.
fn repository(scene: &Scene) {
    git(scene, "ws", "init -q");
    git(scene, "ws", "add .");
    git(scene, "ws", "commit -q -m first");
}

fn copy(scene: &Scene, from: &str, to: &str) {
    let done = Command::new("cp").arg("-a").args([scene.path(from), scene.path(to)]).status();
    assert!(done.unwrap().success());
}

fn state(scene: &Scene, path: &str) -> PathBuf {
    scene.path("home/.local/state/regreen").join(path)
}

/// The only record of what is trusted.
#[track_caller]
fn trusted_record(scene: &Scene) -> PathBuf {
    let records: Vec<PathBuf> =
        fs::read_dir(state(scene, "trust")).unwrap().map(|it| it.unwrap().path()).collect();
    assert_eq!(records.len(), 1, "{records:?}");
    records[0].clone()
}

fn trust_at(scene: &Scene, root: &str) {
    let ran = scene.run(&format!("trust --yes --root {root}"));
    assert_eq!(ran.code, 0, "{}", ran.text());
}

/// What somebody does before `dds run`; gives the root to run in.
type Arrange = fn(&Scene) -> &'static str;
type Variables = &'static [(&'static str, &'static str)];

const RUNS: bool = true;
const STAYS: bool = false;

/// Everything that can be done to make a tool run that the user has not trusted, and everything that must not keep one
/// from running that is.
const TOOLS: &[(&str, Arrange, Variables, bool)] = &[
    ("a folder that nobody said anything about", |_| "ws", &[], STAYS),
    (
        "a clone that nobody said anything about",
        |s| {
            repository(s);
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "trusted",
        |s| {
            s.trust();
            "ws"
        },
        &[],
        RUNS,
    ),
    (
        "a trusted repository",
        |s| {
            repository(s);
            s.trust();
            "ws"
        },
        &[],
        RUNS,
    ),
    ("trusted for this run", |_| "ws", &[("REGREEN_TRUST", "1")], RUNS),
    ("an empty variable", |_| "ws", &[("REGREEN_TRUST", "")], STAYS),
    ("a variable that says no", |_| "ws", &[("REGREEN_TRUST", "0")], STAYS),
    (
        "trusted for another run",
        |s| {
            s.run("dds list --trust");
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "shown and not trusted",
        |s| {
            s.run("trust --show");
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "revoked",
        |s| {
            s.trust();
            s.run("trust --revoke");
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "revoked and trusted again",
        |s| {
            s.trust();
            s.run("trust --revoke");
            s.trust();
            "ws"
        },
        &[],
        RUNS,
    ),
    (
        "another byte in the command",
        |s| {
            s.trust();
            edit(s, "ws/regreen.toml", "touch", "touch ");
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "another limit",
        |s| {
            s.trust();
            edit(s, "ws/regreen.toml", "= 60", "= 61");
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "one more right",
        |s| {
            s.trust();
            edit(s, "ws/regreen.toml", "timeout", "network = true\ntimeout");
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "one right less",
        |s| {
            s.trust();
            edit(s, "ws/regreen.toml", "timeout = 60\n", "");
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "a comment in the configuration",
        |s| {
            s.trust();
            edit(s, "ws/regreen.toml", "timeout", "# why\ntimeout");
            "ws"
        },
        &[],
        RUNS,
    ),
    (
        "another order of members",
        |s| {
            s.trust();
            let text = s.read("ws/regreen.toml").replace("timeout = 60\n", "");
            s.write("ws/regreen.toml", &text.replace("command", "timeout = 60\ncommand"));
            "ws"
        },
        &[],
        RUNS,
    ),
    (
        "one more section",
        |s| {
            s.trust();
            edit(s, "ws/regreen.toml", "[tools", "[fix]\nmax_passes = 3\n[tools");
            "ws"
        },
        &[],
        RUNS,
    ),
    (
        "one more tool",
        |s| {
            s.trust();
            edit(s, "ws/regreen.toml", "[tools", "[tools.new]\ncommand = [\"x\"]\n[tools");
            "ws"
        },
        &[],
        RUNS,
    ),
    (
        "the command of another trusted tool",
        |s| {
            let text = s.read("ws/regreen.toml");
            s.write("ws/regreen.toml", "[tools.mark]\ncommand = [\"true\"]\n");
            s.write("ws/regreen.toml", &text.replace("tools.mark", "tools.other"));
            s.trust();
            s.write("ws/regreen.toml", &text);
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "a record that is cut short",
        |s| {
            s.trust();
            let (path, text) = (trusted_record(s), fs::read(trusted_record(s)).unwrap());
            fs::write(path, &text[..text.len() / 2]).unwrap();
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "an empty record",
        |s| {
            s.trust();
            fs::write(trusted_record(s), "").unwrap();
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "a record for another content",
        |s| {
            s.trust();
            let text = fs::read_to_string(trusted_record(s)).unwrap();
            edit(s, "ws/regreen.toml", "= 60", "= 61");
            let shown = s.run("trust --show --format json").json();
            let digest = shown["items"][0]["digest"].as_str().unwrap();
            let at = text.find("blake3:").unwrap();
            fs::write(trusted_record(s), text.replace(&text[at..at + digest.len()], digest))
                .unwrap();
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "a record of a newer version",
        |s| {
            s.trust();
            let text = fs::read_to_string(trusted_record(s)).unwrap();
            fs::write(trusted_record(s), text.replace("\"version\": 1", "\"version\": 2")).unwrap();
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "a record that is a link",
        |s| {
            s.trust();
            let record = trusted_record(s);
            fs::rename(&record, s.path("elsewhere")).unwrap();
            symlink(s.path("elsewhere"), &record).unwrap();
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "a folder of records that is a link",
        |s| {
            s.trust();
            fs::rename(state(s, "trust"), s.path("elsewhere")).unwrap();
            symlink(s.path("elsewhere"), state(s, "trust")).unwrap();
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "the record of another root under the name of this one",
        |s| {
            furnish(s, "other");
            trust_at(s, "other");
            let theirs = trusted_record(s);
            let text = fs::read(&theirs).unwrap();
            fs::remove_file(theirs).unwrap();
            s.trust();
            fs::write(trusted_record(s), text).unwrap();
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "a key that is gone",
        |s| {
            s.trust();
            fs::remove_file(state(s, "key")).unwrap();
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "another key",
        |s| {
            s.trust();
            fs::write(state(s, "key"), format!("{}\n", "0".repeat(64))).unwrap();
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "a repository at the place of a trusted one",
        |s| {
            repository(s);
            s.trust();
            fs::rename(s.path("ws"), s.path("old")).unwrap();
            furnish(s, "ws");
            repository(s);
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "a folder at the place of a trusted one",
        |s| {
            s.trust();
            fs::rename(s.path("ws"), s.path("old")).unwrap();
            furnish(s, "ws");
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "a copy of a trusted repository",
        |s| {
            repository(s);
            s.trust();
            copy(s, "ws", "copy");
            "copy"
        },
        &[],
        STAYS,
    ),
    (
        "a trusted repository that moved",
        |s| {
            repository(s);
            s.trust();
            fs::rename(s.path("ws"), s.path("moved")).unwrap();
            "moved"
        },
        &[],
        STAYS,
    ),
    (
        "a clone of a trusted repository",
        |s| {
            repository(s);
            s.trust();
            git(s, ".", "clone -q ws clone");
            "clone"
        },
        &[],
        STAYS,
    ),
    (
        "a new worktree of a trusted repository",
        |s| {
            repository(s);
            s.trust();
            git(s, "ws", "worktree add -q ../tree");
            "tree"
        },
        &[],
        RUNS,
    ),
    (
        "the repository of a trusted worktree",
        |s| {
            repository(s);
            git(s, "ws", "worktree add -q ../tree");
            trust_at(s, "tree");
            "ws"
        },
        &[],
        RUNS,
    ),
    (
        "a worktree of a trusted repository on a branch with another tool",
        |s| {
            repository(s);
            s.trust();
            git(s, "ws", "worktree add -q ../tree");
            edit(s, "tree/regreen.toml", "touch", "touch -a");
            "tree"
        },
        &[],
        STAYS,
    ),
    (
        "a worktree of a repository that was revoked",
        |s| {
            repository(s);
            s.trust();
            git(s, "ws", "worktree add -q ../tree");
            s.run("trust --revoke");
            "tree"
        },
        &[],
        STAYS,
    ),
    (
        "a folder that says it is the trusted repository",
        |s| {
            repository(s);
            s.trust();
            furnish(s, "hostile");
            s.write("hostile/.git", &format!("gitdir: {}\n", s.path("ws/.git").display()));
            "hostile"
        },
        &[],
        STAYS,
    ),
    (
        "a folder that says it is a worktree of the trusted repository",
        |s| {
            repository(s);
            s.trust();
            git(s, "ws", "worktree add -q ../tree");
            furnish(s, "hostile");
            s.write("hostile/.git", &s.read("tree/.git"));
            "hostile"
        },
        &[],
        STAYS,
    ),
    (
        "a folder with a git directory of its own that says it is a worktree",
        |s| {
            repository(s);
            s.trust();
            furnish(s, "hostile");
            let common = format!("{}\n", s.path("ws/.git").display());
            s.write("hostile/admin/commondir", &common);
            s.write("hostile/admin/gitdir", &format!("{}\n", s.path("hostile/.git").display()));
            s.write("hostile/.git", "gitdir: admin\n");
            "hostile"
        },
        &[],
        STAYS,
    ),
    (
        "a folder whose git directory is a link to the trusted one",
        |s| {
            repository(s);
            s.trust();
            furnish(s, "hostile");
            symlink(s.path("ws/.git"), s.path("hostile/.git")).unwrap();
            "hostile"
        },
        &[],
        STAYS,
    ),
    (
        "a git directory with a `commondir` of the trusted one",
        |s| {
            repository(s);
            s.trust();
            furnish(s, "hostile");
            git(s, "hostile", "init -q");
            s.write("hostile/.git/commondir", &format!("{}\n", s.path("ws/.git").display()));
            "hostile"
        },
        &[],
        STAYS,
    ),
    (
        "a submodule of a trusted repository",
        |s| {
            furnish(s, "inner");
            git(s, "inner", "init -q");
            git(s, "inner", "add .");
            git(s, "inner", "commit -q -m inner");
            repository(s);
            let line = format!(
                "-c protocol.file.allow=always submodule add -q {} sub",
                s.path("inner").display()
            );
            git(s, "ws", &line);
            s.trust();
            "ws/sub"
        },
        &[],
        STAYS,
    ),
    (
        "a repository inside a trusted one",
        |s| {
            repository(s);
            s.trust();
            furnish(s, "ws/nested");
            git(s, "ws/nested", "init -q");
            "ws/nested"
        },
        &[],
        STAYS,
    ),
    (
        "another root in a trusted repository",
        |s| {
            furnish(s, "ws/part");
            repository(s);
            s.trust();
            "ws/part"
        },
        &[],
        STAYS,
    ),
    (
        "the top of a repository with a trusted root in it",
        |s| {
            furnish(s, "ws/part");
            repository(s);
            trust_at(s, "ws/part");
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "a folder inside a trusted folder without git",
        |s| {
            furnish(s, "ws/part");
            s.trust();
            "ws/part"
        },
        &[],
        STAYS,
    ),
    (
        "a record in the work tree",
        |s| {
            s.trust();
            copy(s, "home/.local/state/regreen", "ws/.regreen");
            s.run("trust --revoke");
            "ws"
        },
        &[],
        STAYS,
    ),
    (
        "a repository after `git init`",
        |s| {
            s.trust();
            repository(s);
            "ws"
        },
        &[],
        STAYS,
    ),
];

#[test]
fn no_tool_runs_that_is_not_trusted() {
    assert!(TOOLS.len() >= 40);
    for (name, arrange, variables, runs) in TOOLS {
        let scene = stage();
        let root = arrange(&scene);
        let id = approve(&scene, root);
        let line = format!("dds run --unconfined --format json --root {root}");
        let variables: Vec<(&str, &str)> =
            [("PATH", "/usr/bin:/bin")].iter().chain(*variables).copied().collect();
        let ran = scene.run_with(&line, &variables, "");
        assert_eq!(scene.path("marker").exists(), *runs, "{name}: {}", ran.text());
        assert_eq!(ran.code, i32::from(!runs), "{name}: {}", ran.text());
        let report = ran.json();
        if *runs {
            assert_eq!(
                (&report["left"], &report["reports"][0]["status"]),
                (&json!([]), &json!("success")),
                "{name}"
            );
            continue;
        }
        // Nothing is lost by it: the record stays approved, and runs once it may.
        assert_eq!(report["left"][0]["id"], json!(id), "{name}");
        assert!(!report["untrusted"].as_array().unwrap().is_empty(), "{name}: {report:#}");
        assert!(
            ran.stderr.contains("not trusted; run `regreen trust --root"),
            "{name}: {}",
            ran.text()
        );
        let shown = scene.run(&format!("dds show {id} --trust --format json --root {root}"));
        assert_eq!(shown.json()["record"]["status"], "approved", "{name}");
        let ran = scene.run(&format!("{line} --trust"));
        assert_eq!(ran.json()["reports"][0]["status"], "success", "{name}: {}", ran.text());
    }
}

/// A state folder of somebody else's, and none at all.
#[test]
fn a_home_that_cannot_be_used_trusts_nothing() {
    let scene = stage();
    scene.trust();
    let id = approve(&scene, "ws");
    let run = |variables: &[(&str, &str)]| scene.run_with("dds run --unconfined", variables, "");
    // A home in which nothing can be made has neither the trust nor the proposals.
    for home in ["/dev/null", "/proc/self/nowhere"] {
        let variables = [("HOME", home)];
        assert_eq!(scene.run_with("trust --yes", &variables, "").code, 3, "{home}");
        assert_eq!(scene.run_with("trust --show", &variables, "").code, 1, "{home}");
        assert_ne!(run(&variables).code, 0, "{home}");
    }
    let inside = scene.path("ws/state").display().to_string();
    let refused = scene.run_with("trust --yes", &[("REGREEN_STATE_DIR", &inside)], "");
    assert_eq!(refused.code, 3, "{}", refused.text());
    assert!(!scene.path("marker").exists());
    if rustix::process::geteuid().is_root() {
        chown(state(&scene, ""), Some(12345), None).unwrap();
        assert_ne!(run(&[]).code, 0);
        assert_eq!(scene.run("trust --show").code, 1);
        chown(state(&scene, ""), Some(0), None).unwrap();
        assert!(!scene.path("marker").exists());
    }
    let ran = run(&[]);
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(ran.stdout.contains(&id), "{}", ran.text());
}

/// A build reads no state and no trust, and runs nothing.
#[test]
fn a_build_trusts_nothing() {
    let scene = stage();
    scene.trust();
    approve(&scene, "ws");
    for variables in
        [&[("REGREEN_ACTION", "1")][..], &[("REGREEN_ACTION", "1"), ("REGREEN_TRUST", "1")]]
    {
        assert_eq!(scene.run_with("dds run --unconfined --trust", variables, "").code, 3);
        assert_eq!(scene.run_with("trust --yes", variables, "").code, 3);
        assert_eq!(scene.run_with("trust --show", variables, "").code, 1);
    }
    assert!(!scene.path("marker").exists());
}

struct Server {
    listener: TcpListener,
    url: String,
}

impl Server {
    fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("postgres://ana:hunter2@{}/shop", listener.local_addr().unwrap());
        Server { listener, url }
    }

    /// Whether somebody has called since the last question.
    fn was_called(&self) -> bool {
        match self.listener.accept() {
            Ok(_) => true,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock);
                false
            }
        }
    }

    /// Runs the command while every caller is hung up on.
    fn while_hanging_up(&self, run: impl FnOnce() -> Ran) -> (Ran, bool) {
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            let calls = scope.spawn(|| {
                let mut called = false;
                while !stop.load(std::sync::atomic::Ordering::SeqCst) {
                    called |= self.was_called();
                    std::thread::sleep(std::time::Duration::from_millis(5));
                }
                called
            });
            let ran = run();
            stop.store(true, std::sync::atomic::Ordering::SeqCst);
            (ran, calls.join().unwrap())
        })
    }
}

/// Every command that works on proposals, and those that should never have to do with them.
#[test]
fn no_server_is_contacted_that_is_not_trusted() {
    let scene = stage();
    scene.write("ws/app.json", "{}\n");
    let server = Server::start();
    let config =
        scene.read("ws/regreen.toml") + &format!("[govern]\nregistry = \"{}\"\n", server.url);
    scene.write("ws/regreen.toml", &config);
    scene.write("record.json", &record("mark", &["src/"]).to_string());
    scene.write("dds.json", "[]");
    let lines = [
        "dds list",
        "dds list --status approved",
        "dds show DDS-1",
        "dds add record.json",
        "dds approve DDS-1 --key ana --expect sha256:0",
        "dds approve DDS-1 --print",
        "dds reject DDS-1 --reason no",
        "dds run",
        "dds run --watch",
        "dds worker",
        "dds verify",
        "dds export out",
        "dds import dds.json",
        "dds init-signing --key ben.pub --as ben",
        "fix --propose",
    ];
    let variables: [Variables; 4] =
        [&[], &[("REGREEN_TRUST", "")], &[("REGREEN_TRUST", "0")], &[("CI", "true")]];
    for line in lines {
        for variables in variables {
            let ran = scene.run_with(line, variables, "");
            assert_eq!(ran.code, 1, "{line}: {}", ran.text());
            assert!(
                ran.stderr.contains("the registry of this repository is not trusted"),
                "{}",
                ran.text()
            );
            assert!(!ran.text().contains("hunter2"), "{}", ran.text());
            assert!(!server.was_called(), "{line}");
        }
    }
    assert_eq!(scene.run("dds list --format json").json()["error"]["code"], "untrusted");
    assert_eq!(scene.run_with("dds list", &[("REGREEN_ACTION", "1")], "").code, 1);
    for line in
        ["check", "plan", "fix", "fix --diff", "log", "undo", "recover", "explain", "trust --show"]
    {
        let ran = scene.run(line);
        assert_ne!(ran.code, 3, "{line}: {}", ran.text());
    }
    assert!(!server.was_called());
    assert!(!scene.path("out").exists() && !scene.read("ws/allowed_signers").contains("ben"));

    // The user's own word, and the trusted configuration, are followed.
    let own = [("REGREEN_REGISTRY", "sqlite:mine.db")];
    assert_eq!(scene.run_with("dds list", &own, "").code, 0);
    assert!(!server.was_called());
    let own = [("REGREEN_REGISTRY", server.url.as_str())];
    assert!(server.while_hanging_up(|| scene.run_with("dds list", &own, "")).1);
    assert!(server.while_hanging_up(|| scene.run("dds list --trust")).1);
    let (refused, called) = server.while_hanging_up(|| scene.run("dds list"));
    assert!(!called && refused.code == 1, "`--trust` recorded nothing");
    scene.trust();
    let (ran, called) = server.while_hanging_up(|| scene.run("dds list"));
    assert!(called && ran.code == 3, "{}", ran.text());
    assert!(!ran.text().contains("hunter2"), "{}", ran.text());
    for (from, to) in [("/shop", "/shop2"), ("ana:", "eve:"), ("/shop2", "/shop?sslmode=disable")] {
        edit(&scene, "ws/regreen.toml", from, to);
        let ran = scene.run("dds list");
        assert!(ran.code == 1 && !server.was_called(), "{to}: {}", ran.text());
    }
    scene.trust();
    scene.run("trust --revoke");
    assert!(scene.run("dds list").code == 1 && !server.was_called());
}

/// What happened to the file of allowed signers since it was trusted, and whether ana, and eve, can approve.
#[test]
fn keys_count_that_are_in_the_file_and_trusted() {
    type Edit = fn(&Scene) -> String;
    let yes = "";
    let no = "is not allowed to approve";
    let ask = "is not trusted; run `regreen trust`";
    let cases: [(&str, Edit, &str, &str); 12] = [
        ("as it was", |s| signer(s, "ana"), yes, no),
        ("eve is added", |s| signer(s, "ana") + &signer(s, "eve"), yes, ask),
        ("eve is put first", |s| signer(s, "eve") + &signer(s, "ana"), yes, ask),
        (
            "eve is added under the name of ana",
            |s| signer(s, "ana") + &signer(s, "eve").replace("eve@", "ana@"),
            yes,
            ask,
        ),
        ("ana is replaced by eve", |s| signer(s, "eve"), no, ask),
        ("nobody is left", |_| String::new(), no, no),
        ("a comment", |s| format!("# who\n\n{}# end\n", signer(s, "ana")), yes, no),
        ("ana is commented out", |s| format!("# {}", signer(s, "ana")), no, no),
        ("blanks and other line ends", |s| format!("  {}\r\n", signer(s, "ana").trim()), yes, no),
        ("a line that cannot be read", |s| format!("nonsense\n{}", signer(s, "ana")), yes, no),
        ("ana stands twice", |s| signer(s, "ana").repeat(2), yes, no),
        ("ana may do more", |s| signer(s, "ana").replace("ana@example.org", "*"), ask, no),
    ];
    for (name, edit, ana, eve) in cases {
        let scene = stage();
        scene.trust();
        scene.write("ws/allowed_signers", &edit(&scene));
        for (key, expected) in [("ana", ana), ("eve", eve)] {
            scene.write("record.json", &record("mark", &["src/"]).to_string());
            let id = scene.run("dds add record.json --format json").json()["id"].clone();
            let id = id.as_str().unwrap();
            let ran = scene.run(&approving(&scene, id, key));
            assert_eq!(ran.code, i32::from(!expected.is_empty()), "{name}, {key}: {}", ran.text());
            assert!(ran.stdout.contains(expected), "{name}, {key}: {}", ran.text());
        }
    }
}

/// An approval counts as long as its key does; that nobody has trusted the key yet is not a verdict on the record.
#[test]
fn what_was_approved_waits_for_trust_and_ends_with_its_key() {
    let scene = stage();
    scene.trust();
    let id = approve(&scene, "ws");
    let approval = |scene: &Scene| {
        scene.run(&format!("dds show {id} --format json")).json()["approval"].clone()
    };
    assert_eq!(approval(&scene)["holds"], json!(true));
    scene.run("trust --revoke");
    assert_eq!(approval(&scene)["holds"], json!(false));
    assert!(approval(&scene)["problem"].as_str().unwrap().contains("run `regreen trust`"));
    assert_eq!(scene.run("dds verify").code, 1);
    assert_eq!(scene.run("dds run").code, 1);
    // The tool is trusted again, the key is not.
    let line = scene.read("ws/allowed_signers");
    scene.write("ws/allowed_signers", "");
    scene.trust();
    scene.write("ws/allowed_signers", &line);
    let left = scene.run("dds run --unconfined --format json");
    assert!(
        left.json()["left"][0]["reason"].as_str().unwrap().contains("a key that signed it"),
        "{}",
        left.text()
    );
    assert!(!scene.path("marker").exists());
    scene.trust();
    assert_eq!(scene.run("dds verify").code, 0);
    // Who is taken out of the file does not count any more, at once.
    scene.write("ws/allowed_signers", &signer(&scene, "ben"));
    let ran = scene.run("dds run --unconfined --format json");
    assert_eq!(ran.json()["reports"][0]["status"], "refused", "{}", ran.text());
    assert!(!scene.path("marker").exists());
}

/// A table that nobody has trusted may ask for more, not for less.
#[test]
fn an_untrusted_policy_is_never_milder() {
    let base = |scene: &Scene| scene.read("ws/regreen.toml");
    let typed = |scene: &Scene| {
        scene.write("record.json", &record("mark", &["src/"]).to_string());
        let id = scene.run("dds add record.json --format json").json()["id"].clone();
        let id = id.as_str().unwrap().to_owned();
        on_a_terminal(scene, "to approve: ", &format!("dds approve {id}"), &[&id])
    };
    // More: it counts as it stands. Nobody can sign here, so that a typed word counts by default.
    let scene = stage();
    scene.write("ws/allowed_signers", "");
    scene.trust();
    scene.write("ws/regreen.toml", &(base(&scene) + "[govern]\nrequire_signature = true\n"));
    let (shown, code) = typed(&scene);
    assert_eq!(code, Some(1), "{shown}");
    assert!(
        shown.contains("signature") && shown.contains("[govern] of this repository is not trusted"),
        "{shown}"
    );
    // Less: what was trusted still counts, whether the table is changed or gone.
    scene.trust();
    let trusted = base(&scene);
    for less in [
        trusted.replace("= true\n", "= false\n"),
        trusted.replace("[govern]\nrequire_signature = true\n", ""),
    ] {
        scene.write("ws/regreen.toml", &less);
        let (shown, code) = typed(&scene);
        assert_eq!(code, Some(1), "{shown}");
        assert_eq!(scene.run("trust --show").code, 1, "that it is less needs trust");
        scene.trust();
        let (shown, code) = typed(&scene);
        assert_eq!(code, Some(0), "{shown}");
        scene.write("ws/regreen.toml", &trusted);
        scene.trust();
    }
    // What is protected stays so: by default, by the trusted table, and the file of signers wherever a table says it is.
    for table in ["protected = []", "allowed_signers = \"others\""] {
        let scene = stage();
        scene.trust();
        scene.write("ws/.github/workflows/ci.yml", "on: push\n");
        scene.write("ws/regreen.toml", &(base(&scene) + &format!("[govern]\n{table}\n")));
        for path in [".github/workflows/ci.yml", "allowed_signers"] {
            scene.write("record.json", &record("mark", &[path]).to_string());
            let id = scene.run("dds add record.json --format json").json()["id"].clone();
            let id = id.as_str().unwrap();
            let line = format!("dds approve {id}");
            let (shown, code) = on_a_terminal(&scene, "to approve: ", &line, &[id]);
            assert_eq!(code, Some(1), "{table} {path}: {shown}");
            let signed = scene.run(&approving(&scene, id, "ana"));
            assert_eq!(signed.code, 1, "{}", signed.text());
            assert!(
                signed.stdout.contains("[govern] of this repository is not trusted"),
                "{}",
                signed.text()
            );
        }
    }
}

/// `require_approval` counts without trust, and goes only with it.
#[test]
fn what_needs_a_proposal_still_does_when_the_table_is_gone() {
    let scene = Scene::new(RED);
    let plain = fs::read_to_string(scene.path("ws/regreen.toml")).unwrap_or_default();
    scene.write("ws/regreen.toml", &format!("{plain}[govern]\nrequire_approval = true\n"));
    let line = "fix --safety behavior_changing --diff";
    assert_eq!(scene.run(line).code, 2);
    scene.trust();
    assert_eq!(scene.run(line).code, 2);
    scene.write("ws/regreen.toml", &plain);
    let refused = scene.run(line);
    assert!(
        refused.code == 2 && refused.stderr.contains("when you trusted it"),
        "{}",
        refused.text()
    );
    assert_ne!(scene.run("fix --diff").code, 2, "what is safe goes on");
    assert_ne!(scene.run(&format!("{line} --trust")).code, 2);
    scene.trust();
    assert_ne!(scene.run(line).code, 2);
}

/// A registry in a file is in the state folder, whatever the configuration calls it.
#[test]
fn a_registry_never_lies_in_the_work_tree() {
    let configured = |scene: &Scene, path: &str| {
        scene.write("ws/regreen.toml", &format!("[govern]\nregistry = \"sqlite:{path}\"\n"));
        scene.write("record.json", &record("mark", &["src/"]).to_string());
        scene.run("dds add record.json")
    };
    for path in
        ["", "/etc/registry.db", "../registry.db", "a/../../b.db", "a//b", "a/", "a\\\\b", "."]
    {
        let scene = stage();
        let before = scene.tree();
        let refused = configured(&scene, path);
        assert_eq!(refused.code, 3, "{path}: {}", refused.text());
        assert!(
            refused.stderr.contains("relative to the state folder"),
            "{path}: {}",
            refused.text()
        );
        let line = format!("sqlite:{path}");
        scene.write("ws/regreen.toml", "");
        let refused = scene.run_with("dds list", &[("REGREEN_REGISTRY", &line)], "");
        assert_eq!(refused.code, 2, "{path}: {}", refused.text());
        assert_eq!(scene.tree().len(), before.len() + 1, "only the record that we wrote");
    }
    for path in
        ["team.db", "a/b/team.db", ".regreen/registry.db", "marker", "txn", "lock", "registry.db"]
    {
        let scene = stage();
        let added = configured(&scene, path);
        assert_eq!(added.code, 0, "{path}: {}", added.text());
        assert!(scene.run("dds list").stdout.contains("DDS-"), "{path}");
        let roots: Vec<_> = fs::read_dir(state(&scene, "roots")).unwrap().collect();
        let file = roots[0].as_ref().unwrap().path().join("registries").join(path);
        assert!(file.is_file(), "{path}");
        let mut folder = file.parent().unwrap();
        while folder.file_name().is_some_and(|it| it != "roots") {
            assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
            folder = folder.parent().unwrap();
        }
        let shared = fs::read_dir(scene.path("ws/.regreen")).unwrap();
        let mut shared: Vec<_> = shared.map(|it| it.unwrap().file_name()).collect();
        shared.sort();
        assert_eq!(shared, [".gitignore", "proposals", "repository.json"]);
        assert!(!scene.path("ws/team.db").exists());
        // The rest of the state is as usable as before.
        scene.write("patch.yaml", "changeset_uid: c\nops:\n  - {type: add_file, file_uid: n, path: n.yaml, content: \"a: 1\\n\"}\n");
        let applied = scene.run("apply patch.yaml");
        assert_eq!(applied.code, 0, "{path}: {}", applied.text());
        assert_eq!(scene.run("undo").code, 0);
        // The default registry is another one, and knows only what travels.
        scene.write("ws/regreen.toml", "");
        fs::remove_dir_all(scene.path("ws/.regreen/proposals")).unwrap();
        assert_eq!(scene.run("dds list").stdout, "There are no proposals.\n", "{path}");
    }
}

/// No link in the state folder leads a registry anywhere.
#[test]
fn a_registry_is_not_opened_through_a_link() {
    for link in ["registries", "registries/a", "registries/a/team.db"] {
        let scene = stage();
        scene.write("ws/regreen.toml", "[govern]\nregistry = \"sqlite:a/team.db\"\n");
        scene.write("record.json", &record("mark", &["src/"]).to_string());
        assert_eq!(scene.run("dds add record.json").code, 0);
        let roots: Vec<_> = fs::read_dir(state(&scene, "roots")).unwrap().collect();
        let path = roots[0].as_ref().unwrap().path().join(link);
        fs::rename(&path, scene.path("elsewhere")).unwrap();
        symlink(scene.path("elsewhere"), &path).unwrap();
        let before = fs::metadata(scene.path("elsewhere")).unwrap().mtime_nsec();
        let refused = scene.run("dds add record.json");
        assert_eq!(refused.code, 3, "{link}: {}", refused.text());
        assert_eq!(scene.run("dds list").stdout, "There are no proposals.\n", "{link}");
        assert_eq!(fs::metadata(scene.path("elsewhere")).unwrap().mtime_nsec(), before);
    }
}

/// What an older regreen kept in the tree comes in on request: as history, or as a proposal, and unsigned.
#[test]
fn the_registry_of_before_is_imported_and_approves_nothing() {
    let scene = stage();
    scene.trust();
    let done = approve(&scene, "ws");
    assert_eq!(scene.run("dds run --unconfined").code, 0);
    let open = approve(&scene, "ws");
    let roots: Vec<_> = fs::read_dir(state(&scene, "roots")).unwrap().collect();
    let state_folder = roots[0].as_ref().unwrap().path();
    fs::create_dir_all(scene.path("other/.regreen")).unwrap();
    furnish(&scene, "other");
    copy(&scene, "ws/.regreen/approvals", "other/.regreen");
    for name in ["registry.db", "registry.db-journal"] {
        fs::copy(state_folder.join(name), scene.path("other/.regreen").join(name)).unwrap();
    }
    fs::remove_file(scene.path("marker")).unwrap();
    trust_at(&scene, "other");
    let told = scene.run("dds list --root other");
    assert!(told.stderr.contains("dds import .regreen/registry.db"), "{}", told.text());
    // The identity is the only thing that comes with the first records.
    let identity = "{\"regreen_repository\": 1, \"id\": \"000102030405060708090a0b0c0d0e0f\"}";
    scene.write("other/.regreen/repository.json", identity);
    let before = super::support::tree(&scene.path("other"));
    let line = "dds import other/.regreen/registry.db --format json --root other";
    let imported = scene.run(line);
    assert_eq!(imported.code, 0, "{}", imported.text());
    assert_eq!((&imported.json()["records"], &imported.json()["reports"]), (&json!(2), &json!(1)));
    assert!(imported.json()["notes"][0].as_str().unwrap().contains(&open));
    assert_eq!(
        super::support::tree(&scene.path("other")),
        before,
        "nothing in the tree is touched"
    );
    let status = |id: &str| -> Value {
        scene.run(&format!("dds show {id} --format json --root other")).json()
    };
    assert_eq!(status(&done)["record"]["status"], "executed");
    assert_eq!(status(&open)["record"]["status"], "proposed");
    assert_eq!(status(&open)["history"][0]["event"], "import");
    let ran = scene.run("dds run --unconfined --format json --root other").json();
    assert_eq!((&ran["reports"], scene.path("marker").exists()), (&json!([]), false));
    // The approvals that came with it are named, and are none.
    assert_eq!(scene.run("dds verify --root other").code, 1);
    // A second time nothing comes in; nor does anything of a file that is not a registry, or of one with reports beside it.
    assert_eq!(scene.run(line).code, 1);
    assert_eq!(scene.run(&format!("{line} --reports record.json")).code, 2);
    let file = scene.path("other/.regreen/registry.db");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..5000]).unwrap();
    let refused = scene.run(line);
    assert_eq!(refused.code, 1, "{}", refused.text());
    assert!(
        refused.json()["faults"][0]["message"].as_str().unwrap().contains("damaged"),
        "{}",
        refused.text()
    );
    let runs: Vec<_> = fs::read_dir(state(&scene, "runs")).unwrap().collect();
    for run in runs {
        assert_eq!(fs::read_dir(run.unwrap().path()).unwrap().count(), 0, "a copy is left");
    }
}

#[test]
fn trust_is_asked_for_at_a_terminal() {
    let scene = stage();
    let refused = scene.run("trust");
    assert_eq!(refused.code, 2, "{}", refused.text());
    assert!(refused.stderr.contains("--yes"), "{}", refused.text());
    for answer in ["", "n", "no", "maybe"] {
        let (shown, code) = on_a_terminal(&scene, "[y/N] ", "trust", &[answer]);
        assert_eq!(code, Some(1), "{shown}");
        assert!(shown.contains("[tools.mark]") && shown.contains("ana@example.org"), "{shown}");
    }
    assert_eq!(scene.run("trust --show").code, 1);
    let (shown, code) = on_a_terminal(&scene, "[y/N] ", "trust", &["y"]);
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(scene.run("trust --show").code, 0);
    for line in ["trust --show --yes", "trust --show --revoke", "trust --revoke --yes"] {
        assert_eq!(scene.run(line).code, 2, "{line}");
    }
}

/// Where nothing needs trust, nothing is asked, recorded or said.
#[test]
fn a_workspace_without_any_of_it_needs_no_trust() {
    let scene = Scene::new("//- ws/a.yaml\na: 1\n//- ws/allowed_signers\n# nobody\n");
    for line in ["trust", "trust --yes", "trust --show"] {
        let ran = scene.run(line);
        assert_eq!(ran.text(), "Nothing in this repository needs trust.\n--- exit 0\n", "{line}");
    }
    assert!(!state(&scene, "trust").exists());
    assert_eq!(scene.run("dds list").text(), "There are no proposals.\n--- exit 0\n");
}

/// What a repository calls its things cannot talk to the terminal, and the report fits its schema.
#[test]
fn the_report_shows_what_it_is_about() {
    let scene = stage();
    let config = "[tools.\"a\\u001b[2Jb\"]\ncommand = [\"sh\", \"-c\", \"echo \\u202e\\u001b[31m\"]\nnetwork = true\n\
                  [tools.mark]\ncommand = [\"mark\", \"{paths}\"]\n\
                  [govern]\nrequire_signature = true\nprotected = [\"ci/**\"]\n";
    scene.write("ws/regreen.toml", config);
    let steady = |text: &str| {
        text.split_inclusive(['(', ')'])
            .map(|it| if it.starts_with("SHA256:") { "SHA256:…)" } else { it })
            .collect::<String>()
    };
    let shown = scene.run("trust --show --color never");
    assert!(!shown.stdout.contains(['\u{1b}', '\u{202e}']), "{}", shown.text());
    insta::assert_snapshot!(steady(&shown.text()));
    let schema = scene.run("schema trust-report").json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let states = |line: &str| {
        let ran = scene.run(&format!("{line} --format json"));
        let report = ran.json();
        assert!(validator.is_valid(&report), "{report:#}");
        assert_eq!(report["ok"], json!(ran.code == 0), "{}", ran.text());
        let items = report["items"].as_array().unwrap();
        let states: Vec<String> =
            items.iter().map(|it| it["state"].as_str().unwrap().to_owned()).collect();
        (states.join(" "), report["gone"].as_array().unwrap().len())
    };
    assert_eq!(states("trust --show"), ("new new new new".to_owned(), 0));
    assert_eq!(states("trust --yes"), ("trusted trusted trusted trusted".to_owned(), 0));
    assert_eq!(states("trust --show"), ("trusted trusted trusted trusted".to_owned(), 0));
    scene.write("ws/allowed_signers", &signer(&scene, "ben"));
    edit(&scene, "ws/regreen.toml", "{paths}", "{goal}");
    edit(&scene, "ws/regreen.toml", "a\\u001b[2Jb", "renamed");
    assert_eq!(states("trust --show"), ("new changed trusted new".to_owned(), 2));
    assert_eq!(states("trust --revoke"), ("new new new new".to_owned(), 0));
}
