//! `fix --interactive`, on a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::red::RED;
use super::support::Scene;

/// Runs the command on a terminal of its own. Every prompt is answered in turn; what was shown and the exit code come
/// back.
fn on_a_terminal(scene: &Scene, line: &str, answers: &[&str]) -> (String, Option<i32>) {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap().into_string().unwrap();
    let terminal = File::options().read(true).write(true).open(name).unwrap();
    let stdio = || Stdio::from(terminal.try_clone().unwrap());
    let mut child = scene
        .command(line, &[("TERM", "xterm"), ("NO_COLOR", "1")])
        .stdin(stdio())
        .stdout(stdio())
        .stderr(stdio())
        .spawn()
        .unwrap();
    // The child has its own; when it ends, reading ends too.
    drop(terminal);
    let mut controller = File::from(controller);
    let mut shown = Vec::new();
    let mut answers = answers.iter();
    let mut n_answered = 0;
    let mut buffer = [0; 4096];
    while let Ok(n) = controller.read(&mut buffer) {
        if n == 0 {
            break;
        }
        shown.extend_from_slice(&buffer[..n]);
        let text = String::from_utf8_lossy(&shown);
        while text.matches("[?]").count() > n_answered {
            n_answered += 1;
            let answer = answers.next().unwrap_or_else(|| panic!("one more question: {text}"));
            controller.write_all(format!("{answer}\n").as_bytes()).unwrap();
        }
    }
    let code = child.wait().unwrap().code();
    (String::from_utf8_lossy(&shown).replace("\r\n", "\n"), code)
}

#[test]
fn each_repair_is_shown_and_only_what_was_agreed_to_is_made() {
    let scene = Scene::new(RED);
    let before = scene.read("ws/api.yaml");
    // The port, the level, the key that needs approval.
    let (shown, code) = on_a_terminal(&scene, "fix --interactive", &["y", "n", "y"]);
    assert_eq!(code, Some(1), "{shown}");
    let after = scene.read("ws/api.yaml");
    assert_ne!(after, before, "{shown}");
    assert!(
        after.contains("port: 8080") != after.contains("level: info"),
        "one of two: {after}\n{shown}"
    );
    assert!(scene.read("ws/web.json").contains("\"port\": 80"), "{shown}");
    assert!(shown.contains("[1/3]") && shown.contains("needs your approval"), "{shown}");
    // One transaction holds all of it.
    assert_eq!(scene.run("undo").code, 0);
    assert_eq!(scene.read("ws/api.yaml"), before);
    assert!(scene.read("ws/web.json").contains("prot"));
}

#[test]
fn quit_makes_what_was_agreed_to_and_nothing_else() {
    let scene = Scene::new(RED);
    let before = scene.read("ws/api.yaml");
    let (shown, _) = on_a_terminal(&scene, "fix --interactive", &["q"]);
    assert_eq!(scene.read("ws/api.yaml"), before, "{shown}");
    assert!(scene.read("ws/web.json").contains("prot"), "{shown}");
}

/// `all` covers what is safe; what needs approval is still asked about.
#[test]
fn all_does_not_cover_what_needs_approval() {
    let scene = Scene::new(RED);
    let (shown, code) = on_a_terminal(&scene, "fix --interactive", &["a", "n"]);
    assert_eq!(code, Some(1), "{shown}");
    let after = scene.read("ws/api.yaml");
    assert!(after.contains("port: 8080") && after.contains("level: info"), "{after}\n{shown}");
    assert!(scene.read("ws/web.json").contains("prot"), "{shown}");
}
