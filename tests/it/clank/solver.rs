//! `--solver z3`: asked for, it is asked or the command fails; what it proves and refutes is in the live tier.

use std::os::unix::fs::PermissionsExt;

use crate::support::Scene;

/// Our own solver leaves both open: the first always holds, the second never does after the assertion.
const OPEN: &str = "\
fn distance(x: Int, y: Int) -> (Int{result >= 0}) { x * x - 2 * x * y + y * y }

fn main() -> IO + Unit { println(to_string(distance(2, 5))) }
";

/// Every command that compiles programs.
const COMMANDS: [&str; 6] = [
    "compile ws/main.clank --emit diagnostics",
    "check",
    "plan",
    "fix --dry-run",
    "build --out-dir out",
    "run ws/main.clank",
];

fn scene() -> Scene {
    Scene::new(&format!("//- ws/regreen.toml\n//- ws/main.clank\n{OPEN}"))
}

#[test]
fn a_solver_that_is_not_installed_is_a_failure_that_says_how_to_install_it() {
    let scene = scene();
    scene.write("empty/file", "");
    let path = scene.path("empty").display().to_string();
    let before = scene.tree();
    for line in COMMANDS {
        let ran = scene.run_with(&format!("{line} --solver z3"), &[("PATH", &path)], "");
        assert_eq!(ran.code, 3, "{line}: {}", ran.text());
        assert!(ran.text().contains("apt install z3"), "{line}: {}", ran.text());
        let own = scene.run_with(&format!("{line} --solver own"), &[("PATH", &path)], "");
        assert!(own.code <= 1, "{line}: {}", own.text());
    }
    std::fs::remove_dir_all(scene.path("out")).unwrap();
    assert_eq!(before, scene.tree());
    // What the configuration asks for is no less asked for, and the command line has the last word.
    scene.write("ws/regreen.toml", "[clank]\nsolver = \"z3\"\n");
    let ran = scene.run_with("check", &[("PATH", &path)], "");
    assert_eq!(ran.code, 3, "{}", ran.text());
    let ran = scene.run_with("check --solver own", &[("PATH", &path)], "");
    assert_eq!(ran.code, 0, "{}", ran.text());
}

/// A missing Z3 stops only what needs it: the rest of the report is there, and what needs none does not miss it.
#[test]
fn a_missing_solver_stops_only_what_needs_it() {
    let scene = scene();
    scene.write("ws/regreen.toml", "[clank]\nsolver = \"z3\"\n");
    scene.write("ws/s.json", r#"{"properties": {"port": {"type": "integer"}}}"#);
    scene.write("ws/app.yaml", "# yaml-language-server: $schema=s.json\nport: \"80\"\n");
    scene.write("ws/bad.clank", "fn f() -> Int { missing }\n");
    scene.write("empty/file", "");
    let path = scene.path("empty").display().to_string();
    let run = |line: &str| scene.run_with(line, &[("PATH", &path)], "");
    let ran = run("check --format json");
    assert_eq!(ran.code, 3, "{}", ran.text());
    let report = ran.json();
    let found = |file: &str| {
        report["diagnostics"].as_array().unwrap().iter().filter(|it| it["file"] == file).count()
    };
    assert_eq!(
        (found("app.yaml"), found("main.clank") > 0, found("bad.clank") > 0),
        (1, true, true)
    );
    assert_eq!(report["failures"].as_array().unwrap().len(), 1);
    assert_eq!(report["failures"][0]["source"], "z3");
    let ran = run("check");
    assert_eq!(ran.stdout.matches("Z3:").count(), 1, "one line: {}", ran.text());
    assert_eq!(run("plan").code, 3);
    // What can be fixed without it is fixed.
    let ran = run("fix --format json");
    assert_eq!(ran.code, 3, "{}", ran.text());
    assert_eq!(ran.json()["summary"]["applied"], 1, "{}", ran.text());
    // A goal that nobody answered may hold as it is.
    assert_eq!(ran.json()["rejected"][0]["reason"], "unverified", "{}", ran.text());
    assert_eq!(scene.read("ws/main.clank"), OPEN);
    assert!(scene.read("ws/app.yaml").contains("port: 80\n"));
    // Without the goal nobody misses it.
    scene.write("ws/main.clank", "fn main() -> IO + Unit { println(\"hi\") }\n");
    std::fs::remove_file(scene.path("ws/bad.clank")).unwrap();
    for line in COMMANDS {
        let ran = run(line);
        assert_eq!(ran.code, 0, "{line}: {}", ran.text());
        assert!(!ran.text().contains("Z3"), "{line}: {}", ran.text());
    }
}

#[test]
fn a_solver_that_dies_is_a_failure() {
    let scene = scene();
    let script = "#!/bin/sh\nread a; read b; read c\necho unsat; echo regreen-end-of-answer\n";
    scene.write("bin/z3", script);
    std::fs::set_permissions(scene.path("bin/z3"), PermissionsExt::from_mode(0o755)).unwrap();
    let path = scene.path("bin").display().to_string();
    for line in COMMANDS {
        let ran = scene.run_with(&format!("{line} --solver z3"), &[("PATH", &path)], "");
        assert_eq!(ran.code, 3, "{line}: {}", ran.text());
        assert!(ran.text().contains("ended before it had answered"), "{line}: {}", ran.text());
    }
}

#[cfg(feature = "live")]
mod live {
    use super::*;

    const PATH: (&str, &str) = ("PATH", "/usr/local/bin:/usr/bin:/bin");

    #[track_caller]
    fn verdicts(text: &str, solver: &str) -> Vec<String> {
        let line = format!("compile - --solver {solver}");
        let result = Scene::new("").run_with(&line, &[PATH], text).json();
        let goals = result["obligations"].as_array().unwrap();
        goals.iter().map(|it| it["solverResult"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn z3_proves_and_refutes_what_the_own_solver_leaves_open() {
        assert_eq!(verdicts(OPEN, "own"), ["unknown"]);
        assert_eq!(verdicts(OPEN, "z3"), ["discharged"]);
        let never = "fn f(x: Int{x > 2}, y: Int{y > 2}) -> (Int{result != 35}) {\n  \
                     assert x * x + y * y == 74\n  x * y\n}\n";
        assert_eq!(verdicts(never, "own"), ["unknown", "unknown"]);
        assert_eq!(verdicts(never, "z3"), ["unknown", "refuted"]);
        let ran = Scene::new("").run_with("compile - --solver z3 --emit ts", &[PATH], never);
        assert_eq!(ran.code, 1, "{}", ran.text());
        assert!(ran.stderr.contains("as for `x = 7`, `y = 5`"), "{}", ran.text());
    }

    #[test]
    fn every_command_uses_it_by_flag_and_by_configuration() {
        let scene = scene();
        for line in COMMANDS {
            let ran = scene.run_with(&format!("{line} --solver z3"), &[PATH], "");
            assert_eq!(ran.code, 0, "{line}: {}", ran.text());
            assert!(!ran.text().contains("x * x"), "{line}: {}", ran.text());
        }
        assert!(scene.run_with("check", &[PATH], "").text().contains("x * x"));
        scene.write("ws/regreen.toml", "[clank]\nsolver = \"z3\"\n");
        assert!(!scene.run_with("check", &[PATH], "").text().contains("x * x"));
        assert!(!scene.run_with("compile ws/main.clank", &[PATH], "").text().contains("unknown"));
    }
}
