//! Signals during the write phase of the real binary, and many processes that want to write at once.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::support::Scene;

const FILES: usize = 200;

fn scene() -> Scene {
    let scene = Scene::new("");
    let mut ops = Vec::new();
    for n in 0..FILES {
        scene.write(&format!("ws/d{}/f{n}.yaml", n % 7), "name: old # kept\n");
        ops.push(format!(
            r#"{{"type":"set_value","file_uid":"path:d{}/f{n}.yaml","json_pointer":"/name","value":"new"}}"#,
            n % 7
        ));
    }
    scene.write("p.json", &format!(r#"{{"changeset_uid":"x","ops":[{}]}}"#, ops.join(",")));
    scene
}

/// What the files hold, and whether something is left beside them.
fn texts(scene: &Scene) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for n in 0..7 {
        for entry in fs::read_dir(scene.path(&format!("ws/d{n}"))).unwrap() {
            let path = entry.unwrap().path();
            match path.extension() {
                Some(_) => found.insert(fs::read_to_string(path).unwrap()),
                None => found.insert(path.display().to_string()),
            };
        }
    }
    found
}

/// Whenever the signal comes, the tree is whole when the process is gone, and the message and the status say which one it is.
#[test]
fn a_signal_finishes_or_takes_back_in_the_same_process() {
    let mut outcomes = BTreeSet::new();
    for round in 0..36_u64 {
        let scene = scene();
        let signal = [Signal::INT, Signal::TERM, Signal::HUP][round as usize % 3];
        let mut command = scene.command("apply p.json", &[]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let pid = Pid::from_raw(child.id() as i32).unwrap();
        // The state folder is made in the first moments of the write phase; from there on the moments differ.
        let state = scene.path("home/.local/state/regreen/roots");
        for _ in 0..20_000 {
            let has_begun = fs::read_dir(&state).is_ok_and(|it| {
                it.flatten().any(|it| it.path().join("txn/t_000001/journal").exists())
            });
            if has_begun {
                break;
            }
            std::thread::sleep(Duration::from_micros(100));
        }
        std::thread::sleep(Duration::from_micros(round * round * 30));
        let _ = kill_process(pid, signal);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let found = texts(&scene);
        match (output.status.signal(), output.status.code()) {
            (Some(number), _) => {
                assert_eq!(number, signal.as_raw(), "{stderr}");
                assert_eq!(found, BTreeSet::from(["name: old # kept\n".to_owned()]), "{stderr}");
                assert!(stderr.contains("interrupted; nothing was changed"), "{stderr}");
                outcomes.insert("taken back");
            }
            (None, code) => {
                assert_eq!(code, Some(0), "{stderr}");
                assert_eq!(found, BTreeSet::from(["name: new # kept\n".to_owned()]), "{stderr}");
                let is_told = stderr.contains("came while files were being written");
                outcomes.insert(if is_told { "finished" } else { "not interrupted" });
            }
        }
        assert_eq!(scene.run("recover").stdout, "There is nothing to settle.\n");
    }
    assert!(outcomes.contains("taken back"), "{outcomes:?}");
}

/// Sixty-four agents that apply to one file: each gets its turn, and none loses what another one wrote.
#[test]
fn many_processes_that_apply_to_one_file_all_succeed() {
    const AGENTS: usize = 64;
    let scene = Scene::new("//- ws/a.yaml\nbase: 1 # kept\n");
    for n in 0..AGENTS {
        let patch = format!(
            r#"{{"changeset_uid":"x","ops":[{{"type":"set_value","file_uid":"path:a.yaml","json_pointer":"/k{n}","value":{n}}}]}}"#
        );
        scene.write(&format!("p{n}.json"), &patch);
    }
    let children: Vec<_> = (0..AGENTS)
        .map(|n| {
            let mut command = scene.command(&format!("apply p{n}.json"), &[]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for (n, child) in children.into_iter().enumerate() {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{n}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = scene.read("ws/a.yaml");
    assert!((0..AGENTS).all(|n| text.contains(&format!("k{n}: {n}\n"))), "{text}");
    assert_eq!(scene.run("log").stdout.lines().count(), AGENTS);
}
