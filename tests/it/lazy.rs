//! What is listed and not read costs no memory, and a tree that changes while it is looked at is never half of each.

use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use super::support::Scene;

const SCHEMA: &str = r#"{"properties": {"port": {"type": "integer"}, "host": {"type": "string"}}}"#;

/// Two gigabytes of files that nobody is about, in a process that may not have half of that.
#[test]
fn files_that_nobody_is_about_cost_no_memory() {
    let scene = Scene::new("");
    scene.write("ws/s.json", SCHEMA);
    scene.write("ws/a.yaml", "# yaml-language-server: $schema=s.json\nport: \"80\"\n");
    for n in 0..40 {
        let file = File::create(scene.path(&format!("ws/large{n}.bin"))).unwrap();
        file.set_len(50 << 20).unwrap();
    }
    for line in ["check", "check ws/a.yaml", "plan", "fix --dry-run", "fix"] {
        let regreen = scene.command(line, &[]);
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "ulimit -v 1000000 && exec \"$@\"", "sh"]);
        command.arg(regreen.get_program()).args(regreen.get_args());
        command.current_dir(scene.path("")).env_clear().env("HOME", scene.path("home"));
        let output = command.stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code().is_some_and(|it| it <= 1), "{line}: {said}{complaints}");
        assert!(said.contains("a.yaml"), "{line}: {said}");
    }
    assert_eq!(scene.read("ws/a.yaml"), "# yaml-language-server: $schema=s.json\nport: 80\n");
}

/// Ends the saving, also when the test fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Somebody saves one file again and again, now with one mistake, now with another: every look finds exactly one of them,
/// or says that the file keeps changing.
#[test]
fn a_file_that_is_saved_all_the_time_is_seen_whole() {
    let scene = Scene::new("");
    scene.write("ws/s.json", SCHEMA);
    let versions = ["port", "host"].map(|wrong| {
        let (port, host) = if wrong == "port" { ("\"x\"", "\"h\"") } else { ("80", "[1]") };
        let filler = "# filler\n".repeat(if wrong == "port" { 10 } else { 3000 });
        format!("# yaml-language-server: $schema=s.json\n{filler}port: {port}\nhost: {host}\n")
    });
    scene.write("ws/a.yaml", &versions[0]);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _over = Over(&is_over);
        scope.spawn(|| {
            for n in 0.. {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                // As editors save: the file is the old one or the new one, never a part.
                scene.write("saved", &versions[n % 2]);
                fs::rename(scene.path("saved"), scene.path("ws/a.yaml")).unwrap();
            }
        });
        for n in 0..30 {
            let line = ["check --format json", "check ws/a.yaml --format json"][n % 2];
            let ran = scene.run(line);
            let report = ran.json();
            if ran.code == 3 {
                assert_eq!(report["error"]["code"], "stale", "{}", ran.text());
                assert!(ran.text().contains("a.yaml keeps changing on disk"), "{}", ran.text());
                continue;
            }
            let found = report["diagnostics"].as_array().unwrap();
            let found: Vec<(&str, u64)> = found
                .iter()
                .map(|it| {
                    let line = it["location"]["start_line"].as_u64().unwrap();
                    (it["json_pointer"].as_str().unwrap(), line)
                })
                .collect();
            let is_whole = found == [("/port", 12)] || found == [("/host", 3003)];
            assert!(is_whole, "{found:?}");
        }
    });
}
