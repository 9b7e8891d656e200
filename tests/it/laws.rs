//! Laws that hold for every workspace: the same bytes whatever the order and the threads, and `check --strict` is green
//! exactly when `fix` has nothing to do and no error is left.

use super::red::RED;
use super::support::Scene;

const LINES: [&str; 7] = [
    "check",
    "check --format json",
    "check --format sarif",
    "check --strict --format json",
    "plan --format json",
    "fix --dry-run --format json",
    "fix --diff",
];

/// The same files, created in another order.
fn reversed(files: &str) -> String {
    let mut parts: Vec<&str> = files.split("//- ").skip(1).collect();
    parts.reverse();
    parts.into_iter().map(|it| format!("//- {it}")).collect()
}

#[test]
fn the_order_of_files_and_the_number_of_threads_change_no_byte() {
    let many: String = (0..40)
        .map(|n| {
            let head = "# yaml-language-server: $schema=service.schema.json";
            format!("//- ws/many/{n}.yaml\n{head}\nname: s{n}\nport: \"{n}\"\nlevel: WARN\n")
        })
        .collect();
    let files = format!("{RED}{many}");
    let (scene, other) = (Scene::new(&files), Scene::new(&reversed(&files)));
    for line in LINES {
        let expected = scene.run(&format!("{line} --jobs 1"));
        for again in [other.run(&format!("{line} --jobs 4")), scene.run(line)] {
            assert_eq!(again, expected, "{line}");
        }
    }
}

#[test]
fn strict_is_green_exactly_when_fix_has_nothing_to_do_and_no_error_is_left() {
    let fine = "//- ws/a.yaml\na: 1\n".to_owned();
    let warning = format!(
        "{RED}//- ws/regreen.toml\n[rules]\nSCHEMA_TYPE = \"info\"\nSCHEMA_ENUM = \"info\"\nSCHEMA_UNKNOWN_KEY = \"warning\"\n"
    );
    let unfixable = RED.replace("\"8080\"", "[]").replace("Info", "info").replace("prot", "port");
    let fixable = RED.replace("prot", "port");
    let green = fixable.replace("\"8080\"", "8080").replace("Info", "info");
    for (files, is_green) in
        [(fine, true), (warning, false), (unfixable, false), (fixable, false), (green, true)]
    {
        let scene = Scene::new(&files);
        let strict = scene.run("check --strict");
        let fix = scene.run("fix --format json");
        let report = fix.json();
        let is_no_op = report["summary"]["applied"] == 0;
        assert_eq!(strict.code == 0, is_no_op && fix.code == 0, "{}", strict.text());
        assert_eq!(strict.code == 0, is_green, "{}", strict.text());
        // What fix leaves it does not come back to.
        assert_eq!(scene.run("check --strict").code, fix.code, "{}", fix.text());
    }
}
