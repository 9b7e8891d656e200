//! `check --watch`: the new state after a change.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::red::RED;
use super::support::Scene;

/// A watcher that ends with the test.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(scene: &Scene, line: &str) -> Watch {
        let mut command = scene.command(line, &[]);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Watch { child, lines }
    }

    /// Reads until a line holds the text.
    #[track_caller]
    fn wait_for(&self, wanted: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(Duration::from_secs(30)) {
                Ok(line) => {
                    let is_found = line.contains(wanted);
                    seen.push(line);
                    if is_found {
                        return seen;
                    }
                }
                Err(error) => panic!("{error} while waiting for {wanted:?}; saw {seen:#?}"),
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // It never ends by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_new_state_is_shown_after_a_change() {
    let scene = Scene::new(RED);
    let watch = Watch::start(&scene, "check --watch");
    watch.wait_for("Red. 3 errors");
    let fixed = scene.read("ws/api.yaml").replace("\"8080\"", "8080").replace("Info", "info");
    scene.write("ws/api.yaml", &fixed);
    let seen = watch.wait_for("Red. 1 error.");
    assert!(seen.iter().any(|it| it == "Changed: api.yaml."), "{seen:#?}");
    assert!(!seen.concat().contains('\u{1b}'), "no terminal, no escapes: {seen:#?}");
    // A file that goes, one that comes in a new folder, and a setting.
    std::fs::remove_file(scene.path("ws/web.json")).unwrap();
    watch.wait_for("Green. Nothing is wrong in");
    let bad = "# yaml-language-server: $schema=../service.schema.json\nname: 5\n";
    scene.write("ws/new/a.yaml", bad);
    watch.wait_for("Red. 1 error.");
    scene.write("ws/regreen.toml", "[rules]\nSCHEMA_TYPE = \"off\"\n");
    watch.wait_for("Green.");
}

/// The files that others point at count too: all that name the schema are looked at again.
#[test]
fn a_change_of_the_schema_is_a_change_of_its_files() {
    let scene = Scene::new(RED);
    let watch = Watch::start(&scene, "check --watch --format json");
    let first = watch.wait_for("\"ok\":false").pop().unwrap();
    let report: serde_json::Value = serde_json::from_str(&first).unwrap();
    assert_eq!(report["summary"]["error"], 3, "one report a line: {report:#}");
    scene.write("ws/service.schema.json", "{}");
    watch.wait_for("\"ok\":true");
}
